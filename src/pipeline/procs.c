/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Process and thread tables, see procs.h. Calls come in runs from few
 * threads: a small direct-mapped cache in front of each hash map answers
 * nearly all of them.
 */
#include "pipeline/procs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "pipeline/intern.h"

#define PROC_CACHE 64
#define THREAD_CACHE 256

struct proc_entry {
	struct xpt_proc proc;
	uint64_t boot_ns;	/* start on CLOCK_BOOTTIME, 0 if unknown */
	uint64_t active_ns;	/* first time that it did something itself, 0: not yet */
	struct proc_entry *next;
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
	struct xpt_intern *pool;
	uint64_t *evicted;
	struct xpt_hashmap *by_pid;	/* uint32_t -> struct proc_entry * */
	struct xpt_hashmap *threads;	/* uint32_t -> struct thread_entry */
	struct proc_entry *all;
	size_t nr;
	struct proc_entry crowd;	/* stands for all processes beyond the maximum */
	bool crowd_used;
	uint64_t generation;		/* of pointers into threads */
	struct proc_entry *proc_cache[PROC_CACHE];
	struct thread_cache thread_cache[THREAD_CACHE];
};

int xpt_procs__new(struct xpt_intern *pool, uint64_t *evicted, struct xpt_procs **ret_t)
{
	struct xpt_procs *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->pool = pool;
	t->evicted = evicted;
	t->generation = 1;
	t->crowd.proc.comm = t->crowd.proc.exe = t->crowd.proc.cmdline = "";
	t->crowd.proc.container = "";
	err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct proc_entry *), XPT_MAX_PROCS,
			       &t->by_pid);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct thread_entry),
				       XPT_MAX_THREADS, &t->threads);
	if (err)
		xpt_procs__free(t);
	else
		*ret_t = t;
	return err;
}

void xpt_procs__free(struct xpt_procs *t)
{
	struct proc_entry *p, *next;

	if (!t)
		return;
	for (p = t->all; p; p = next) {
		next = p->next;
		free(p);
	}
	xpt_hashmap__free(t->by_pid);
	xpt_hashmap__free(t->threads);
	free(t);
}

/* --- processes --------------------------------------------------------------- */

static struct proc_entry *find(struct xpt_procs *t, uint32_t tgid)
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

/* A new life of tgid takes the place of the former one in the map. */
static struct proc_entry *make(struct xpt_procs *t, uint32_t tgid, uint64_t ts_ns, bool *ret_new)
{
	struct proc_entry **cache = &t->proc_cache[tgid % PROC_CACHE];
	struct proc_entry *p, **slot = xpt_hashmap__get(t->by_pid, &tgid, NULL);

	p = slot && t->nr < XPT_MAX_PROCS ? calloc(1, sizeof(*p)) : NULL;
	if (*cache && (*cache)->proc.pid == tgid)
		*cache = NULL;
	if (!p) {
		++*t->evicted;
		if (slot)
			*slot = &t->crowd;
		*ret_new = !t->crowd_used;
		t->crowd_used = true;
		return &t->crowd;
	}
	p->proc.pid = tgid;
	p->proc.comm = p->proc.exe = p->proc.cmdline = p->proc.container = "";
	p->proc.first_ns = ts_ns;
	p->next = t->all;
	t->all = p;
	t->nr++;
	*slot = *cache = p;
	*ret_new = true;
	return p;
}

static bool ended_before(const struct proc_entry *p, uint64_t ts_ns)
{
	return p->proc.exit_ns && ts_ns > p->proc.exit_ns;
}

struct xpt_proc *xpt_procs__of_call(struct xpt_procs *t, uint32_t tgid, uint64_t start_ns,
				    bool *ret_new)
{
	struct proc_entry *p = find(t, tgid);

	*ret_new = false;
	if (!p || ended_before(p, start_ns))
		p = make(t, tgid, start_ns, ret_new);
	if (!p->active_ns)
		p->active_ns = start_ns;
	return &p->proc;
}

struct xpt_proc *xpt_procs__latest(struct xpt_procs *t, uint32_t tgid, uint64_t ts_ns,
				   bool *ret_new)
{
	struct proc_entry *p = find(t, tgid);

	*ret_new = false;
	if (!p)
		p = make(t, tgid, ts_ns, ret_new);
	return &p->proc;
}

const struct xpt_proc *xpt_procs__find(struct xpt_procs *t, uint32_t tgid)
{
	struct proc_entry *p = find(t, tgid);

	return p && p != &t->crowd ? &p->proc : NULL;
}

static void set_name(struct xpt_procs *t, const char **name, const char *s)
{
	/* Unknown does not replace known. The former string lives on in the pool. */
	if (s[0] && strcmp(*name, s) != 0)
		*name = xpt_intern__get(t->pool, s);
}

struct xpt_proc *xpt_procs__add_proc(struct xpt_procs *t, const struct xpt_decoded *d,
				     bool *ret_new)
{
	const struct xpt_rec_proc *r = (const void *)d->rec;
	struct proc_entry *p = find(t, r->tgid);
	bool other = false;

	/* The start time identifies a process; without it the exit decides. */
	if (p && p->boot_ns && r->start_ns)
		other = p->boot_ns != r->start_ns;
	else if (p)
		other = ended_before(p, r->ts_ns);
	*ret_new = false;
	if (!p || other)
		p = make(t, r->tgid, r->ts_ns, ret_new);
	if (p == &t->crowd)
		return &p->proc;
	if (r->start_ns)
		p->boot_ns = r->start_ns;
	p->proc.ppid = r->ppid;
	p->proc.uid = r->uid;
	set_name(t, &p->proc.comm, d->str[0]);
	set_name(t, &p->proc.exe, d->str[1]);
	set_name(t, &p->proc.cmdline, d->str[2]);
	if (r->ns_pid)
		p->proc.ns_pid = r->ns_pid;
	set_name(t, &p->proc.container, d->str[3]);
	return &p->proc;
}

static void forked(struct xpt_procs *t, struct proc_entry *p, const struct xpt_rec_task *r)
{
	const struct proc_entry *parent = find(t, r->ppid);

	p->proc.ppid = r->ppid;
	/* Until exec it runs its parent's program. */
	if (!parent || parent == &t->crowd || parent == p)
		return;
	if (!p->proc.exe[0] && !p->proc.cmdline[0]) {
		p->proc.exe = parent->proc.exe;
		p->proc.cmdline = parent->proc.cmdline;
		p->proc.uid = parent->proc.uid;
		p->proc.container = parent->proc.container;
	}
}

static void add_thread(struct xpt_procs *t, const struct xpt_rec_task *r);
static void end_thread(struct xpt_procs *t, uint32_t tid);

static void apply_task(struct xpt_procs *t, struct proc_entry *p, const struct xpt_rec_task *r)
{
	switch (r->what) {
	case XPT_TASK_FORK:
		forked(t, p, r);
		set_name(t, &p->proc.comm, r->comm);
		break;
	case XPT_TASK_EXEC:
		/* Another program: what was known of the old one is wrong now. */
		p->proc.exe = p->proc.cmdline = "";
		set_name(t, &p->proc.comm, r->comm);
		break;
	case XPT_TASK_THREAD:
		if (r->tid == r->tgid || !p->proc.comm[0])
			set_name(t, &p->proc.comm, r->comm);
		break;
	case XPT_TASK_EXIT:
		if (!p->proc.exit_ns) {
			p->proc.exit_ns = r->ts_ns ? r->ts_ns : 1;
			p->proc.exit_status = r->code;
		}
		break;
	}
}

struct xpt_proc *xpt_procs__add_task(struct xpt_procs *t, const struct xpt_rec_task *r,
				     bool *ret_new, bool *ret_ended)
{
	struct proc_entry *p = find(t, r->tgid);
	bool other = false;

	/* A fork into an id that did something before: its exit was lost. */
	if (p)
		other = ended_before(p, r->ts_ns) || (r->what == XPT_TASK_FORK && p->active_ns &&
						      r->ts_ns > p->active_ns);
	*ret_new = false;
	if (!p || other)
		p = make(t, r->tgid, r->ts_ns, ret_new);
	if (!p->active_ns)
		p->active_ns = r->ts_ns;
	*ret_ended = r->what == XPT_TASK_EXIT && p != &t->crowd && !p->proc.exit_ns;
	if (p != &t->crowd)
		apply_task(t, p, r);
	if (r->what == XPT_TASK_EXIT || r->what == XPT_TASK_THREAD_EXIT)
		end_thread(t, r->tid);
	else
		add_thread(t, r);
	return &p->proc;
}

/* --- threads ------------------------------------------------------------------ */

/* Makes room: names of ended threads go; if those are few, all go and the
 * living ones count as evicted. So the cost of a sweep is spread over many. */
static void evict_threads(struct xpt_procs *t)
{
	size_t pos = 0, freed = 0;
	struct thread_entry *thread;
	const void *key;
	void *val;

	while (xpt_hashmap__next(t->threads, &pos, &key, &val)) {
		thread = val;
		if (thread->exited && xpt_hashmap__del(t->threads, key))
			freed++;
	}
	if (freed < XPT_MAX_THREADS / 4) {
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

	if (thread)
		thread->exited = true;
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
