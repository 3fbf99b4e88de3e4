/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors that nobody reacted to: work that failed (launches, copies, waits) in a thread
 * that went on working as if it had been done, in a process that ended with status 0, still
 * runs, or ended with another status only after launches, copies or fills that worked. Also
 * launches, copies and fills that were the last work of their thread, if the process then
 * ended with status 0 and asked about no error. Findings only.
 *
 * A reaction is one of these: the process asks for the text or the number of this error (a question about another
 * error, or before the failure, does not count); it tries the same work again in another shape and that succeeds; or
 * it ends with another status. Therefore failures are kept by code. Sticky errors have a finding of their own
 * (stopped.c). An allocation that fails is no work: programs try large sizes; but it is reported as the cause if work
 * fails after it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/output/analyzer.h"
#include "model/domain/domain.h"
#include "model/forget.h"
#include "model/value.h"

#define MAX_THREADS 4096
#define MAX_PROCS 4096
#define MAX_CODES 4	/* errors of a thread that are kept apart; others count as the last of them */
#define ARGS_LEN 160
#define NAME_LEN 48
#define TEXT_LEN 900

static const struct xpt_schema *const emits[] = { NULL };

/*
 * The kinds of work that are counted, and their names in a sentence. The failure of the last work only counts for
 * work that has a result: libraries that destroy their streams after the driver is gone have waits that fail.
 */
static const struct {
	uint8_t cls;
	bool makes_result;
	const char *one, *many;
} works[] = {
	{ XPT_CLASS_LAUNCH, true, "launch", "launches" }, { XPT_CLASS_COPY, true, "copy", "copies" },
	{ XPT_CLASS_SET, true, "fill", "fills" },
	{ XPT_CLASS_SUBMIT, false, "submission", "submissions" },
	{ XPT_CLASS_SYNC, false, "wait", "waits" },
	{ XPT_CLASS_RECORD, false, "event record", "event records" },
};

#define NR_WORKS (sizeof(works) / sizeof(works[0]))

struct failure {		/* fn NULL: none */
	const struct xpt_fn *fn;
	const struct xpt_result *result;
	int64_t ret;
	uint64_t at_ns;
	char args[ARGS_LEN];
};

struct key {
	const struct xpt_proc *proc;
	uint64_t tid;
};

/* The failures of a thread with one error; first.fn NULL: there are none, or the process has asked about all. */
struct group {
	struct failure first;
	int64_t outer_ret;		/* the result of the enclosing calls of failed ones */
	bool nested;			/* the first of them was inside of another call */
	uint64_t last_ns;		/* end of the last of them */
	uint64_t failed[NR_WORKS];
	uint64_t later, done;		/* work after `first`; its successful launches, copies, fills */
	uint64_t retried;		/* of `failed`, those that may be tried again now */
};

struct thread {
	struct key key;
	struct group group[MAX_CODES];
	unsigned nr_groups;
	struct failure before;		/* another failure, of a call that was not tried again */
	uint64_t calls[NR_WORKS];
	bool stuck;			/* a sticky error came: later work cannot succeed */
	const struct xpt_fn *retry;	/* of the last work if it failed: may be tried again */
	struct group *last;		/* to which the last failure belongs */
	uint64_t shape, total;
};

struct ignored {
	struct xpt_hashmap *threads;	/* struct key -> struct thread * */
	struct xpt_hashmap *asked;	/* proc pointer -> when it asked about an error last */
	bool asked_full;		/* a process found no room there, so that it may have asked */
	bool any_open;			/* a group may have failures about which no process has asked */
	struct thread *last;
};

/* Returns the thread of a call, or NULL if there is no room. */
static struct thread *thread_of(struct ignored *s, const struct xpt_call *c)
{
	struct key key = { c->proc, c->tid };
	struct thread **t;

	if (s->last && s->last->key.proc == c->proc && s->last->key.tid == c->tid)
		return s->last;
	t = xpt_hashmap__get(s->threads, &key, NULL);
	if (t && !*t)
		*t = calloc(1, sizeof(**t));
	if (!t || !*t)
		return NULL;
	(*t)->key = key;
	s->last = *t;
	return *t;
}

static void set_failure(struct failure *f, const struct xpt_call *c)
{
	*f = (struct failure){ .fn = c->fn, .result = c->result, .ret = c->ret,
			       .at_ns = c->start_ns + c->dur_ns };
	xpt_call__copy_args(c, f->args, sizeof(f->args));
}

static uint64_t mix_hash(uint64_t h, uint64_t v)
{
	return (h ^ v) * 0x100000001b3ull + 1;
}

/* Returns the shape of the work that the call asks for, and its total amount (0: not known). */
static void measure_call(const struct xpt_call *c, uint64_t *ret_shape, uint64_t *ret_total)
{
	static const enum xpt_role roles[] = { XPT_ROLE_GRID_X, XPT_ROLE_GRID_Y, XPT_ROLE_GRID_Z,
					       XPT_ROLE_BLOCK_X, XPT_ROLE_BLOCK_Y,
					       XPT_ROLE_BLOCK_Z, XPT_ROLE_SHMEM };
	uint64_t v, shape = 0, total = 1;

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (!xpt_call__role(c, roles[i], &v)) {
			total = 0;
			continue;
		}
		shape = mix_hash(shape, v);
		if (roles[i] != XPT_ROLE_SHMEM)
			total *= v;
	}
	*ret_shape = shape;
	*ret_total = total;
}

/*
 * Whether the work that failed last was tried again, in another shape of about the same amount. A failure in a loop
 * is followed by the next round, which is the same shape or other work.
 */
static bool is_retry(const struct thread *t, const struct xpt_call *c)
{
	uint64_t shape, total;

	if (t->retry != c->fn || c->fn->cls != XPT_CLASS_LAUNCH)
		return false;
	measure_call(c, &shape, &total);
	return shape != t->shape && total && t->total && total <= 2 * t->total &&
	       t->total <= 2 * total;
}

/* Ends the retries of a thread. If the last one worked, the failures before it lost no work, and are not counted. */
static void settle_retries(struct thread *t, bool worked, size_t work)
{
	for (struct group *g = t->group; g < t->group + t->nr_groups; g++) {
		if (worked && g->first.fn) {
			g->failed[work] -= g->retried;
			t->calls[work] -= g->retried;
			if (!g->failed[work])
				g->first.fn = NULL;
		}
		g->retried = 0;
	}
	t->retry = NULL;
}

static void on_done(struct thread *t, const struct xpt_call *c, size_t work)
{
	if (t->retry)
		settle_retries(t, is_retry(t, c), work);
	for (struct group *g = t->group; g < t->group + t->nr_groups; g++) {
		if (!g->first.fn)
			continue;
		g->later++;
		g->done += c->fn->cls == XPT_CLASS_LAUNCH || c->fn->cls == XPT_CLASS_COPY ||
			   c->fn->cls == XPT_CLASS_SET;
	}
}

/* Returns the group of this error; if there is none, a free group, or the last one. */
static struct group *group_of(struct thread *t, const struct xpt_call *c)
{
	struct group *unused = NULL;

	for (struct group *g = t->group; g < t->group + t->nr_groups; g++) {
		if (!g->first.fn)
			unused = g;
		else if (g->first.ret == c->ret && g->first.fn->domain == c->fn->domain)
			return g;
	}
	if (!unused && t->nr_groups < MAX_CODES)
		unused = &t->group[t->nr_groups++];
	return unused ? unused : &t->group[MAX_CODES - 1];
}

static void on_failed(struct ignored *s, struct thread *t, const struct xpt_call *c, size_t work)
{
	struct group *g;

	if (c->result && c->result->sticky) {
		t->stuck = true;
		return;
	}
	if (t->retry != c->fn)
		settle_retries(t, false, work);
	for (g = t->group; g < t->group + t->nr_groups; g++)
		g->later += g->first.fn != NULL;
	g = group_of(t, c);
	if (!g->first.fn) {
		*g = (struct group){ .outer_ret = c->ret, .nested = c->flags & XPT_CALL_NESTED };
		set_failure(&g->first, c);
	}
	s->any_open = true;
	g->last_ns = c->start_ns + c->dur_ns;
	g->failed[work]++;
	g->retried++;
	t->retry = c->fn;
	t->last = g;
	measure_call(c, &t->shape, &t->total);
}

/* Notes the result of a call that failed because of a nested call: it may use another number for the error. */
static void on_passed_on(struct ignored *s, const struct xpt_call *c)
{
	struct thread *t = thread_of(s, c);

	if (t && t->last && t->last->last_ns >= c->start_ns)
		t->last->outer_ret = c->ret;
}

/* Notes a cause of later failures: a module that was not loaded, memory that is not there. */
static void on_other(struct ignored *s, const struct xpt_call *c)
{
	unsigned cls = c->fn->cls;
	struct thread *t;

	if (cls != XPT_CLASS_ALLOC && cls != XPT_CLASS_LOAD && cls != XPT_CLASS_CREATE &&
	    cls != XPT_CLASS_INIT)
		return;
	if (!c->failed && (!s->last || !s->last->before.fn))
		return;
	t = thread_of(s, c);
	if (!t)
		return;
	if (c->failed && !t->before.fn)
		set_failure(&t->before, c);
	else if (!c->failed && t->before.fn && t->before.fn->cls == cls)
		t->before.fn = NULL;
}

/* The call asks for the text of an error, or for the last error. */
static bool is_query(const struct xpt_call *c, int64_t *ret_code)
{
	uint64_t error;

	if (c->fn->cls != XPT_CLASS_QUERY)
		return false;
	if (xpt_call__role(c, XPT_ROLE_ERROR, &error)) {
		*ret_code = (int64_t)error;
		return error;
	}
	*ret_code = c->ret;
	return c->ret && c->fn->ret == XPT_RET_VALUE && !c->fn->nr_caps && c->fn->domain &&
	       xpt_domain__result(c->fn->domain, c->ret);
}

/*
 * Whether the failures of g have this error of domain d, about which the process asked. A library may have its own
 * error numbers: then its error stands for the failure of the nested call.
 */
static bool is_about(const struct xpt_domain *d, int64_t code, const struct group *g)
{
	if (!xpt_domain__same_codes(d, g->first.fn->domain))
		return g->nested;
	return code == g->first.ret || code == g->outer_ret;
}

/* Marks earlier failures of this process with this error as noticed. */
static void on_query(struct ignored *s, const struct xpt_call *c, int64_t code)
{
	uint64_t *asked_ns = xpt_hashmap__get(s->asked, &c->proc, NULL);
	const void *key;
	size_t pos = 0;
	void *val;

	if (asked_ns)
		*asked_ns = c->start_ns;
	else
		s->asked_full = true;
	if (!s->any_open)	/* fast path: programs ask after each launch, usually without a failure */
		return;
	s->any_open = false;
	while (xpt_hashmap__next(s->threads, &pos, &key, &val)) {
		struct thread *t = *(struct thread **)val;

		for (struct group *g = t ? t->group : NULL; t && g < t->group + t->nr_groups; g++) {
			if (!g->first.fn)
				continue;
			if (((const struct key *)key)->proc != c->proc || g->last_ns > c->start_ns ||
			    !is_about(c->fn->domain, code, g)) {
				s->any_open = true;
				continue;
			}
			g->first.fn = NULL;
			g->retried = 0;
		}
	}
}

static void on_call(struct ignored *s, const struct xpt_call *c, struct xpt_out *out)
{
	struct thread *t;
	int64_t code;
	size_t i;

	if (is_query(c, &code))
		on_query(s, c, code);
	if (c->passed_on && c->failed)
		on_passed_on(s, c);
	if (c->passed_on || (!c->failed && !xpt_call__counts(c)))
		return;
	for (i = 0; i < NR_WORKS && works[i].cls != c->fn->cls; i++)
		;
	if (i == NR_WORKS) {
		on_other(s, c);
		return;
	}
	t = thread_of(s, c);
	if (!t) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, c->failed);
		return;
	}
	t->calls[i] += xpt_call__counts(c);	/* if an outer call fails, its nested call is counted */
	if (c->failed)
		on_failed(s, t, c, i);
	else
		on_done(t, c, i);
}

/*
 * Returns whether the process ended as if nothing had failed. If its status is not 0, it may have ended for this
 * failure, unless it did more of the same kind of work in between: then stopped.c does not report it either. A sticky
 * error is reason enough for an end like this, and signals end a process whatever failed before.
 */
static bool ended_as_if_done(const struct thread *t, const struct group *g)
{
	const struct xpt_proc *proc = t->key.proc;

	return !proc->exit_ns || !proc->exit_status || (WIFEXITED(proc->exit_status) && g->done && !t->stuck);
}

/* Whether the process asked about any error after these failures. */
static bool asked_later(const struct ignored *s, const struct thread *t, const struct group *g)
{
	const uint64_t *asked_ns = xpt_hashmap__find(s->asked, &t->key.proc);

	return asked_ns && *asked_ns >= g->last_ns;
}

/* Whether results are missing, and the process ended as if they existed. */
static bool is_last_work(const struct ignored *s, const struct thread *t, const struct group *g)
{
	const struct xpt_proc *proc = t->key.proc;
	bool result = false;

	for (size_t i = 0; i < NR_WORKS; i++)
		result |= works[i].makes_result && g->failed[i];
	return result && proc->exit_ns && !proc->exit_status && !t->stuck && !s->asked_full && !asked_later(s, t, g);
}

static bool is_finding(const struct ignored *s, const struct thread *t, const struct group *g, const struct xpt_out *out)
{
	return g->first.fn && (g->later || is_last_work(s, t, g)) && ended_as_if_done(t, g) &&
	       !xpt_out__misses_any(out);
}

static bool has_finding(const struct ignored *s, const struct thread *t, const struct xpt_out *out)
{
	for (const struct group *g = t->group; g < t->group + t->nr_groups; g++)
		if (is_finding(s, t, g, out))
			return true;
	return false;
}

static void keep_findings(struct ignored *s, const struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(s->threads, &pos, NULL, &val)) {
		const struct thread *t = *(struct thread **)val;

		if (t && t->key.proc->forgotten && has_finding(s, t, out))
			xpt_proc__keep(t->key.proc);
	}
	s->last = NULL;
}

static void say_failure(struct xpt_strbuf *sb, const struct failure *f)
{
	struct xpt_call call = { .fn = f->fn, .ret = f->ret, .result = f->result };
	char name[NAME_LEN];

	xpt_strbuf__addf(sb, "%s(%s) returned %s", f->fn->name, f->args,
			 xpt_call__result_name(&call, name, sizeof(name)));
}

/* Failures with one error in one thread that are a finding; those of a process are reported together. */
struct candidate {
	const struct thread *thread;
	const struct group *group;
};

struct sum {
	uint64_t calls[NR_WORKS], failed[NR_WORKS];
	bool went_on, asked;		/* work followed; a question about an error followed */
};

static void add_candidate(const struct ignored *s, struct sum *sum, const struct candidate *t, bool same_thread)
{
	for (size_t i = 0; i < NR_WORKS; i++) {
		sum->calls[i] += same_thread ? 0 : t->thread->calls[i];
		sum->failed[i] += t->group->failed[i];
	}
	sum->went_on |= t->group->later > 0;
	sum->asked |= asked_later(s, t->thread, t->group);
}

/* "200 of 200 launches, 1 of 3 copies" */
static void say_work(struct xpt_strbuf *sb, const struct sum *sum)
{
	char n[16], m[16];
	bool more = false;

	for (size_t i = 0; i < NR_WORKS; i++) {
		if (!sum->failed[i])
			continue;
		xpt_strbuf__addf(sb, "%s%s of %s %s", more ? ", " : "",
				 xpt_fmt_count(sum->failed[i], n, sizeof(n)),
				 xpt_fmt_count(sum->calls[i], m, sizeof(m)),
				 sum->calls[i] == 1 ? works[i].one : works[i].many);
		more = true;
	}
}

static void say_end(struct xpt_strbuf *sb, const struct xpt_proc *proc, bool went_on)
{
	xpt_strbuf__addf(sb, "%s[%u] ", proc->comm, proc->pid);
	if (!went_on) {		/* then it ended, with status 0 */
		xpt_strbuf__add(sb, "ended with status 0 as if its last work had been done: ");
		return;
	}
	xpt_strbuf__add(sb, "went on as if nothing had failed");
	if (proc->exit_ns)
		xpt_strbuf__addf(sb, ", and ended with status %d", WEXITSTATUS(proc->exit_status));
	xpt_strbuf__add(sb, ": ");
}

static void say_finding(struct xpt_strbuf *sb, const struct candidate *t, const struct sum *sum, const struct xpt_out *out)
{
	const struct failure *first = &t->group->first, *before = &t->thread->before;
	char at[16];

	say_end(sb, t->thread->key.proc, sum->went_on);
	say_work(sb, sum);
	xpt_strbuf__add(sb, " failed; first ");
	say_failure(sb, first);
	xpt_strbuf__addf(sb, ", %s after the start%s.",
			 xpt_fmt_ns(xpt_out__since(out, first->at_ns), at, sizeof(at)),
			 sum->asked ? "" : "; nobody asked for the error");
	if (before->fn && before->at_ns <= first->at_ns) {
		xpt_strbuf__add(sb, " Before that, ");
		say_failure(sb, before);
		xpt_strbuf__addc(sb, '.');
	}
}

/* Reports a finding. A process that ended with status 0 after its last work failed may have printed the error. */
static void report_one(const struct candidate *t, const struct sum *sum, struct xpt_out *out)
{
	const struct xpt_proc *proc = t->thread->key.proc;
	const struct failure *first = &t->group->first;
	struct xpt_finding f = {
		.kind = "ignored_error", .at_ns = first->at_ns, .proc = proc,
		.weight = sum->went_on ? XPT_WEIGHT_STOPPED : XPT_WEIGHT_BROKEN,
		.advice = sum->went_on ?
			"Check what each call returns: this work was not done, so results that "
			"need it are wrong." :
			"Check what each call returns, and end with another status where one "
			"failed: whoever started it takes its results for complete.",
	};
	struct xpt_strbuf sb;
	char alike[64];

	snprintf(alike, sizeof(alike), "%u %lld %d %d", first->fn->id, (long long)first->ret,
		 proc->exit_ns ? proc->exit_status : -1, sum->went_on);
	f.alike = alike;
	xpt_strbuf__init(&sb, TEXT_LEN);
	say_finding(&sb, t, sum, out);
	f.text = xpt_strbuf__str(&sb);
	xpt_out__finding(out, &f);
	xpt_strbuf__free(&sb);
}

static int by_time(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	uint64_t x_ns = x->group->first.at_ns, y_ns = y->group->first.at_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? -1 : 1;
	if (x->thread->key.tid != y->thread->key.tid)
		return x->thread->key.tid < y->thread->key.tid ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Adds the work not done in the process of all[i], from all its threads. */
static void add_process(const struct ignored *s, const struct candidate *all, size_t nr, size_t i,
			struct sum *sum)
{
	for (size_t k = i; k < nr; k++) {
		bool same_thread = false;

		if (all[k].thread->key.proc != all[i].thread->key.proc)
			continue;
		for (size_t j = i; j < k && !same_thread; j++)
			same_thread = all[j].thread == all[k].thread;
		add_candidate(s, sum, &all[k], same_thread);
	}
}

static bool is_first_of_process(const struct candidate *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (all[k].thread->key.proc == all[i].thread->key.proc)
			return false;
	return true;
}

/* The threads of a process are one finding, which shows the first failure. */
static void on_end(const struct ignored *s, struct xpt_out *out)
{
	size_t n = MAX_CODES * xpt_hashmap__len(s->threads), pos = 0, nr = 0;
	struct candidate *all = calloc(n ? n : 1, sizeof(*all));
	void *val;

	while (all && xpt_hashmap__next(s->threads, &pos, NULL, &val)) {
		const struct thread *t = *(struct thread **)val;

		for (unsigned i = 0; t && i < t->nr_groups; i++)
			if (is_finding(s, t, &t->group[i], out))
				all[nr++] = (struct candidate){ t, &t->group[i] };
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_time);
	for (size_t i = 0; i < nr; i++) {
		struct sum sum = { 0 };

		if (!is_first_of_process(all, i))
			continue;
		add_process(s, all, nr, i, &sum);
		report_one(&all[i], &sum, out);
	}
	free(all);
}

static void ignored__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct ignored *s = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(s, &ev->u.call, out);
		break;
	case XPT_EV_FORGET:
		keep_findings(s, out);
		break;
	case XPT_EV_END:
		on_end(s, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_ignored = {
	.name = "ignored",
	.help = "errors that nobody reacted to",
	.emits = emits,
	.state_size = sizeof(struct ignored),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct ignored, asked, void *, uint64_t, MAX_PROCS, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct ignored, threads, struct key, struct thread *, MAX_THREADS,
			XPT_TABLE_OF_PROCESSES | XPT_TABLE_OWNS),
		{ 0 }
	},
	.event = ignored__event,
};
