/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Process and thread tables, see procs.h. Calls come in runs from few
 * threads: a small direct-mapped cache in front of each hash map answers
 * nearly all of them.
 */
#include "pipeline/procs.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include "base/hashmap.h"
#include "pipeline/texts.h"

#define PROC_CACHE 256
#define THREAD_CACHE 256
#define MAX_TEXT_BYTES (16u << 20)
/* For each process 16 bytes for the name, 80, 40 and 24 for ids, and the overhead of each text. */
#define MAX_LABEL_BYTES (XPT_MAX_PROCS * 384u)
#define SETTLE_NS 8000000000ull	/* after its end, until the totals of a process are there */

struct proc_entry {
	struct xpt_proc proc;
	uint64_t boot_ns;	/* start on CLOCK_BOOTTIME, 0 if unknown */
	uint64_t replaced_ns;	/* when another took its id, and no exit was seen; else 0 */
	uint64_t active_ns;	/* first time that it did something itself, 0: not yet */
	uint64_t weight;	/* time in calls, as far as it is known; says who is kept */
	uint64_t initialized_ns;	/* when it had initialized CUDA, 0: not yet */
	bool heir, exec;	/* forked by a process that had, or by its heir; it ran exec */
	bool asked, kept;	/* it was asked whether it may go; an analyzer has kept it */
	LIST_ENTRY(proc_entry) of_all;
};

struct thread_entry {
	uint32_t tgid;
	bool exited;
	char comm[XPT_COMM_LEN];
};

struct thread_cache {
	uint64_t generation;
	uint32_t tid;
	const struct thread_entry *thread;	/* NULL: unknown */
};

struct xpt_procs {
	struct xpt_texts *texts;	/* programs and command lines: of a process as long as it likes */
	struct xpt_texts *labels;	/* names, and ids of cgroups: there is room for those of all processes */
	uint64_t *evicted;
	struct xpt_hashmap *by_pid;	/* uint32_t -> struct proc_entry * */
	struct xpt_hashmap *threads;	/* uint32_t -> struct thread_entry */
	LIST_HEAD(proc_list, proc_entry) all, spare;	/* spare: gone, to be used again */
	size_t nr, nr_ended, next_sweep;
	uint64_t nr_gone;
	size_t nr_exited;		/* threads that have ended but are still known */
	struct proc_entry crowd;	/* stands for all processes beyond the maximum */
	bool crowd_used;
	uint64_t generation;		/* of pointers into threads */
	struct proc_entry *proc_cache[PROC_CACHE];
	struct thread_cache thread_cache[THREAD_CACHE];
};

int xpt_procs__new(uint64_t *evicted, struct xpt_procs **ret_t)
{
	struct xpt_procs *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->evicted = evicted;
	t->generation = 1;
	t->next_sweep = XPT_MAX_ENDED;
	LIST_INIT(&t->all);
	LIST_INIT(&t->spare);
	t->crowd.proc.comm = t->crowd.proc.exe = t->crowd.proc.cmdline = "";
	t->crowd.proc.container = t->crowd.proc.pod = t->crowd.proc.slurm_job = "";
	t->crowd.proc.uid = UINT32_MAX;
	err = xpt_texts__new(MAX_TEXT_BYTES, evicted, &t->texts);
	if (!err)
		err = xpt_texts__new(MAX_LABEL_BYTES, evicted, &t->labels);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct proc_entry *),
				       XPT_MAX_PROCS, &t->by_pid);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct thread_entry),
				       XPT_MAX_THREADS, &t->threads);
	if (err)
		xpt_procs__free(t);
	else
		*ret_t = t;
	return err;
}

static void free_list(struct proc_list *list)
{
	struct proc_entry *p;

	while ((p = LIST_FIRST(list))) {
		LIST_REMOVE(p, of_all);
		free(p);
	}
}

void xpt_procs__free(struct xpt_procs *t)
{
	if (!t)
		return;
	free_list(&t->all);
	free_list(&t->spare);
	xpt_hashmap__free(t->by_pid);
	xpt_hashmap__free(t->threads);
	xpt_texts__free(t->texts);
	xpt_texts__free(t->labels);
	free(t);
}

/* --- processes --------------------------------------------------------------- */

static struct proc_entry *find_entry(struct xpt_procs *t, uint32_t tgid)
{
	struct proc_entry **slot, **cache = &t->proc_cache[tgid % PROC_CACHE];

	if (*cache && (*cache)->proc.pid == tgid)
		return *cache;
	slot = xpt_hashmap__find(t->by_pid, &tgid);
	if (!slot)
		return NULL;
	if (*slot != &t->crowd)
		*cache = *slot;
	return *slot;
}

/* A zeroed entry; one that was used before if there is any. */
static struct proc_entry *new_entry(struct xpt_procs *t)
{
	struct proc_entry *p = LIST_FIRST(&t->spare);

	if (t->nr >= XPT_MAX_PROCS)
		return NULL;
	if (!p)
		return calloc(1, sizeof(*p));
	LIST_REMOVE(p, of_all);
	memset(p, 0, sizeof(*p));
	return p;
}

static struct proc_entry *the_crowd(struct xpt_procs *t, bool *ret_new)
{
	*ret_new = !t->crowd_used;
	t->crowd_used = true;
	return &t->crowd;
}

/* Ends a process whose exit record was lost: nothing else is known about its end. */
static void on_replaced(struct xpt_procs *t, struct proc_entry *p, uint64_t ts_ns)
{
	if (p->proc.exit_ns || p->replaced_ns)
		return;
	p->replaced_ns = ts_ns ? ts_ns : 1;
	t->nr_ended++;
}

static uint64_t end_of(const struct proc_entry *p)
{
	return p->proc.exit_ns ? p->proc.exit_ns : p->replaced_ns;
}

/* A new life of tgid takes the place of the former one in the map. */
static struct proc_entry *make_entry(struct xpt_procs *t, uint32_t tgid, uint64_t ts_ns, bool *ret_new)
{
	struct proc_entry **cache = &t->proc_cache[tgid % PROC_CACHE];
	struct proc_entry *p, **slot = xpt_hashmap__get(t->by_pid, &tgid, NULL);

	if (slot && *slot && *slot != &t->crowd)
		on_replaced(t, *slot, ts_ns);
	p = slot ? new_entry(t) : NULL;
	if (*cache && (*cache)->proc.pid == tgid)
		*cache = NULL;
	if (!p) {
		++*t->evicted;
		if (slot)
			*slot = &t->crowd;
		return the_crowd(t, ret_new);
	}
	p->proc.pid = tgid;
	p->proc.comm = p->proc.exe = p->proc.cmdline = p->proc.container = p->proc.pod = "";
	p->proc.slurm_job = "";
	p->proc.uid = UINT32_MAX;
	p->proc.first_ns = ts_ns;
	LIST_INSERT_HEAD(&t->all, p, of_all);
	t->nr++;
	*slot = *cache = p;
	*ret_new = true;
	return p;
}

static bool ended_before(const struct proc_entry *p, uint64_t ts_ns)
{
	return p->proc.exit_ns && ts_ns > p->proc.exit_ns;
}

/*
 * /proc is read a moment after a process did something, perhaps after its end. A process that began before that end
 * is the same one. start_ns: CLOCK_BOOTTIME, which is never after exit_ns's clock, in ticks of 10 ms; 0 if unknown.
 */
static bool began_before_end(const struct proc_entry *p, uint64_t start_ns)
{
	return start_ns && start_ns + 10000000 <= p->proc.exit_ns;
}

struct xpt_proc *xpt_procs__of_call(struct xpt_procs *t, uint32_t tgid, uint64_t start_ns,
				    bool *ret_new)
{
	struct proc_entry *p = find_entry(t, tgid);

	*ret_new = false;
	if (!p || ended_before(p, start_ns))
		p = make_entry(t, tgid, start_ns, ret_new);
	if (!p->active_ns)
		p->active_ns = start_ns;
	return &p->proc;
}

struct xpt_proc *xpt_procs__latest(struct xpt_procs *t, uint32_t tgid, uint64_t ts_ns,
				   bool *ret_new)
{
	struct proc_entry *p = find_entry(t, tgid);

	*ret_new = false;
	if (!p)	/* totals come after the calls: it is gone, or its calls were lost */
		p = t->nr_gone ? the_crowd(t, ret_new) : make_entry(t, tgid, ts_ns, ret_new);
	return &p->proc;
}

const struct xpt_proc *xpt_procs__find(struct xpt_procs *t, uint32_t tgid)
{
	struct proc_entry *p = find_entry(t, tgid);

	return p && p != &t->crowd ? &p->proc : NULL;
}

static void set_name(struct xpt_texts *texts, const char **name, const char *s)
{
	const char *old = *name;

	if (!s[0] || !strcmp(old, s))	/* unknown does not replace known */
		return;
	*name = xpt_texts__get(texts, s);
	xpt_texts__put(texts, old);
}

struct xpt_proc *xpt_procs__add_proc(struct xpt_procs *t, const struct xpt_decoded *d,
				     bool *ret_new)
{
	const struct xpt_rec_proc *r = (const void *)d->rec;
	struct proc_entry *p = find_entry(t, r->tgid);
	bool other = false;

	/* The start time identifies a process; without it the exit decides. */
	if (p && p->boot_ns && r->start_ns)
		other = p->boot_ns != r->start_ns;
	else if (p)
		other = ended_before(p, r->ts_ns) && !began_before_end(p, r->start_ns);
	*ret_new = false;
	if (!p || other)
		p = make_entry(t, r->tgid, r->ts_ns, ret_new);
	if (p == &t->crowd)
		return &p->proc;
	if (r->start_ns)
		p->boot_ns = r->start_ns;
	p->proc.ppid = r->ppid;
	p->proc.uid = r->uid;
	set_name(t->labels, &p->proc.comm, d->str[0]);
	set_name(t->texts, &p->proc.exe, d->str[1]);
	set_name(t->texts, &p->proc.cmdline, d->str[2]);
	if (r->ns_pid)
		p->proc.ns_pid = r->ns_pid;
	set_name(t->labels, &p->proc.container, d->str[3]);
	set_name(t->labels, &p->proc.pod, d->str[4]);
	set_name(t->labels, &p->proc.slurm_job, d->str[5]);
	return &p->proc;
}

static void drop_name(struct xpt_texts *texts, const char **name)
{
	xpt_texts__put(texts, *name);
	*name = "";
}

static void on_forked(struct xpt_procs *t, struct proc_entry *p, const struct xpt_rec_task *r)
{
	const struct proc_entry *parent = find_entry(t, r->ppid);

	p->proc.ppid = r->ppid;
	/* Until exec it runs its parent's program. */
	if (!parent || parent == &t->crowd || parent == p)
		return;
	p->heir = parent->heir || parent->initialized_ns;
	if (!p->proc.exe[0] && !p->proc.cmdline[0]) {
		p->proc.exe = xpt_texts__ref(parent->proc.exe);
		p->proc.cmdline = xpt_texts__ref(parent->proc.cmdline);
		if (p->proc.uid == UINT32_MAX)
			p->proc.uid = parent->proc.uid;
		set_name(t->labels, &p->proc.container, parent->proc.container);
		set_name(t->labels, &p->proc.pod, parent->proc.pod);
		set_name(t->labels, &p->proc.slurm_job, parent->proc.slurm_job);
	}
}

static void add_thread(struct xpt_procs *t, const struct xpt_rec_task *r);
static void end_thread(struct xpt_procs *t, uint32_t tid);

/*
 * Takes the user that the kernel side has of a process that had ended before /proc was read, and of a process that
 * has changed its user.
 */
static void set_uid(struct proc_entry *p, const struct xpt_rec_task *r)
{
	bool is_of_process = r->event == XPT_TASK_FORK || r->event == XPT_TASK_EXEC || r->tid == r->tgid;

	if (r->rec.size >= sizeof(*r) && r->uid != UINT32_MAX && (is_of_process || p->proc.uid == UINT32_MAX))
		p->proc.uid = r->uid;
}

static void apply_task(struct xpt_procs *t, struct proc_entry *p, const struct xpt_rec_task *r)
{
	set_uid(p, r);
	switch (r->event) {
	case XPT_TASK_FORK:
		on_forked(t, p, r);
		set_name(t->labels, &p->proc.comm, r->comm);
		break;
	case XPT_TASK_EXEC:
		/* Another program: the names of the old one are wrong now. */
		drop_name(t->texts, &p->proc.exe);
		drop_name(t->texts, &p->proc.cmdline);
		p->exec = true;
		p->heir = false;
		p->initialized_ns = 0;
		set_name(t->labels, &p->proc.comm, r->comm);
		break;
	case XPT_TASK_THREAD:
		p->weight++;
		if (r->tid == r->tgid || !p->proc.comm[0])
			set_name(t->labels, &p->proc.comm, r->comm);
		break;
	case XPT_TASK_EXIT:
		if (!p->proc.exit_ns) {
			p->proc.exit_ns = r->ts_ns ? r->ts_ns : 1;
			p->proc.exit_status = r->code;
			p->proc.out_of_memory = r->flags & XPT_TASK_OOM;
			t->nr_ended++;
		}
		break;
	}
}

struct xpt_proc *xpt_procs__add_task(struct xpt_procs *t, const struct xpt_rec_task *r,
				     bool *ret_new, bool *ret_ended)
{
	struct proc_entry *p = find_entry(t, r->tgid);
	bool other = false;

	/*
	 * A fork into an id that did something before: its exit was lost. Of threads that
	 * are killed together one is dated as the process's end, others may come after it.
	 */
	if (p && r->event != XPT_TASK_THREAD_EXIT)
		other = ended_before(p, r->ts_ns) || (r->event == XPT_TASK_FORK && p->active_ns &&
						      r->ts_ns > p->active_ns);
	*ret_new = false;
	if (!p || other)
		p = make_entry(t, r->tgid, r->ts_ns, ret_new);
	if (!p->active_ns)
		p->active_ns = r->ts_ns;
	*ret_ended = r->event == XPT_TASK_EXIT && p != &t->crowd && !p->proc.exit_ns;
	if (p != &t->crowd)
		apply_task(t, p, r);
	if (r->event == XPT_TASK_EXIT || r->event == XPT_TASK_THREAD_EXIT)
		end_thread(t, r->tid);
	else
		add_thread(t, r);
	return &p->proc;
}

static struct proc_entry *entry_of(const struct xpt_proc *proc)
{
	return (struct proc_entry *)((uintptr_t)proc - offsetof(struct proc_entry, proc));
}

void xpt_procs__initialized(struct xpt_proc *proc, uint64_t ts_ns)
{
	struct proc_entry *p = entry_of(proc);

	if (!p->initialized_ns)
		p->initialized_ns = ts_ns ? ts_ns : 1;
}

/* The record of the parent's call may come after that of the fork. */
bool xpt_procs__is_heir(struct xpt_procs *t, struct xpt_proc *proc)
{
	struct proc_entry *p = entry_of(proc);
	const struct proc_entry *parent = p->exec || p->heir ? NULL : find_entry(t, proc->ppid);

	if (parent && parent != &t->crowd && parent->initialized_ns &&
	    parent->initialized_ns <= proc->first_ns)
		p->heir = true;
	return p->heir;
}

/* --- lives that go -------------------------------------------------------------- */

void xpt_procs__weigh(struct xpt_proc *proc, uint64_t time_ns)
{
	entry_of(proc)->weight += time_ns;
}

/* Least time in calls first; of these the oldest. */
static int by_weight(const void *a, const void *b)
{
	const struct proc_entry *x = *(struct proc_entry *const *)a;
	const struct proc_entry *y = *(struct proc_entry *const *)b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	if (end_of(x) != end_of(y))
		return end_of(x) < end_of(y) ? -1 : 1;
	return (x->proc.pid > y->proc.pid) - (x->proc.pid < y->proc.pid);
}

bool xpt_procs__nominate(struct xpt_procs *t)
{
	struct proc_entry **ended, *p;
	uint64_t last_ns = 0;
	size_t n = 0, i;

	if (t->nr_ended < t->next_sweep)
		return false;
	ended = calloc(t->nr_ended, sizeof(struct proc_entry *));
	if (!ended)
		return false;
	LIST_FOREACH(p, &t->all, of_all)
		if (end_of(p) > last_ns)
			last_ns = end_of(p);
	LIST_FOREACH(p, &t->all, of_all)
		if (end_of(p) && last_ns - end_of(p) > SETTLE_NS && n < t->nr_ended)
			ended[n++] = p;
	qsort(ended, n, sizeof(struct proc_entry *), by_weight);
	i = n > XPT_MAX_ENDED / 2 ? n - XPT_MAX_ENDED / 2 : 0;
	for (n = 0; i; ) {
		p = ended[--i];
		p->asked = p->proc.forgotten = true;
		n += p->kept;
		p->proc.for_good = p->kept && n > XPT_MAX_KEPT;
	}
	free(ended);
	return true;
}

static void drop_entry(struct xpt_procs *t, struct proc_entry *p)
{
	struct proc_entry **cache = &t->proc_cache[p->proc.pid % PROC_CACHE];
	struct proc_entry **slot = xpt_hashmap__find(t->by_pid, &p->proc.pid);

	if (*cache == p)
		*cache = NULL;
	if (slot && *slot == p)
		xpt_hashmap__del(t->by_pid, &p->proc.pid);
	drop_name(t->labels, &p->proc.comm);
	drop_name(t->texts, &p->proc.exe);
	drop_name(t->texts, &p->proc.cmdline);
	drop_name(t->labels, &p->proc.container);
	drop_name(t->labels, &p->proc.pod);
	drop_name(t->labels, &p->proc.slurm_job);
	LIST_REMOVE(p, of_all);
	LIST_INSERT_HEAD(&t->spare, p, of_all);
	t->nr--;
	t->nr_ended--;
	t->nr_gone++;
}

void xpt_procs__drop(struct xpt_procs *t, void (*fn)(void *ctx, const struct xpt_proc *proc),
		     void *ctx)
{
	struct proc_entry *p, *next;

	for (p = LIST_FIRST(&t->all); p; p = next) {
		next = LIST_NEXT(p, of_all);
		p->kept |= p->asked && !p->proc.forgotten;
		p->asked = false;
		if (!p->proc.forgotten)
			continue;
		fn(ctx, &p->proc);
		drop_entry(t, p);
	}
	/* Kept ones are not asked about at every exit. */
	t->next_sweep = t->nr_ended + XPT_MAX_ENDED / 2;
	if (t->next_sweep < XPT_MAX_ENDED)
		t->next_sweep = XPT_MAX_ENDED;
}

/* --- threads ------------------------------------------------------------------ */

/* Makes room: names of ended threads go; if those are few, all go and the
 * living ones count as evicted. So the cost of a sweep is spread over many. */
static void evict_threads(struct xpt_procs *t)
{
	size_t pos = 0;
	struct thread_entry *thread;
	const void *key;
	void *val;

	while (xpt_hashmap__next(t->threads, &pos, &key, &val)) {
		thread = val;
		if (thread->exited)
			xpt_hashmap__del(t->threads, key);
	}
	t->nr_exited = 0;
	if (xpt_hashmap__len(t->threads) > XPT_MAX_THREADS - XPT_MAX_THREADS / 4) {
		*t->evicted += xpt_hashmap__len(t->threads);
		xpt_hashmap__clear(t->threads);
	}
}

static void add_thread(struct xpt_procs *t, const struct xpt_rec_task *r)
{
	struct thread_entry *thread;

	if (!r->comm[0])
		return;
	t->generation++;
	if (xpt_hashmap__len(t->threads) == XPT_MAX_THREADS &&
	    !xpt_hashmap__find(t->threads, &r->tid))
		evict_threads(t);
	thread = xpt_hashmap__get(t->threads, &r->tid, NULL);
	if (!thread) {	/* no memory */
		++*t->evicted;
		return;
	}
	thread->tgid = r->tgid;
	thread->exited = false;
	memcpy(thread->comm, r->comm, sizeof(thread->comm));
}

static void end_thread(struct xpt_procs *t, uint32_t tid)
{
	struct thread_entry *thread = xpt_hashmap__find(t->threads, &tid);

	if (!thread || thread->exited)
		return;
	thread->exited = true;
	if (++t->nr_exited >= XPT_MAX_ENDED) {
		t->generation++;
		evict_threads(t);
	}
}

const char *xpt_procs__comm(struct xpt_procs *t, uint32_t tid, const struct xpt_proc *proc)
{
	struct thread_cache *c = &t->thread_cache[tid % THREAD_CACHE];

	if (c->generation != t->generation || c->tid != tid) {
		c->generation = t->generation;
		c->tid = tid;
		c->thread = xpt_hashmap__find(t->threads, &tid);
	}
	return c->thread && c->thread->tgid == proc->pid ? c->thread->comm : proc->comm;
}
