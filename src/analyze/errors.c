/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors: the failures and their counts, and the first failing call of each process.
 *
 * Answers that are no failures (not ready yet) are left out. A failure that a
 * call passes on from a call of the same class inside it is one failure, shown
 * at the inner call; it is the outer one's own if the inner one was expected to
 * fail.
 *
 * The first failing call of a process is reported with its arguments. It is forgotten if the
 * call around it succeeded all the same, for libraries try features that they can do
 * without, and if the same allocation was tried again and found room, as caching allocators
 * do when they have emptied their cache. If a later one is the first with a sticky code,
 * which every call after it returns too, it is reported as well, since it is the cause of
 * those.
 *
 * Processes of one name that failed alike, as forked workers do, are reported
 * in the sentence of the first of them; the others' records are marked as repeats.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/output/analyzer.h"
#include "model/forget.h"
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "model/value.h"

#define MAX_ERRORS 4096
#define MAX_PROCS 4096
#define TOP 200		/* functions and codes; the summary shows fewer */
#define TOP_PROCS 8
#define ARGS_LEN 200
#define TEXT_LEN 800
#define NAME_LEN 40
#define TOP_PIDS 6		/* processes of a group that are named */

struct rec_error {
	const char *function, *error;
	int64_t code;
	uint64_t calls;
};

static const struct xpt_field error_fields[] = {
	XPT_FIELD(struct rec_error, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_error, error, STR, NONE, "error"),
	XPT_FIELD(struct rec_error, code, I64, NONE, "code"),
	XPT_FIELD(struct rec_error, calls, U64, COUNT, "calls"),
};

static const struct xpt_schema error_schema = {
	.name = "errors", .title = "Errors",
	.help = "Failed calls by function and result; answers that are no failures and failures "
		"passed on from an inner call are left out",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 90, XPT_RECORD(struct rec_error, error_fields),
};

struct rec_first {
	const char *text, *comm, *function, *error;
	uint64_t pid, tid, at_ns, later_failures, later_same, in_verdict, processes, repeats, later;
	int64_t code;
};

static const struct xpt_field first_fields[] = {
	XPT_FIELD(struct rec_first, text, STR, NONE, "first failure"),
	XPT_FIELD(struct rec_first, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_first, tid, U64, NONE, "tid"),
	XPT_FIELD(struct rec_first, comm, STR, NONE, "process"),
	XPT_FIELD(struct rec_first, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_first, error, STR, NONE, "error"),
	XPT_FIELD(struct rec_first, code, I64, NONE, "code"),
	XPT_FIELD(struct rec_first, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_first, later_failures, U64, COUNT, "later failures"),
	XPT_FIELD(struct rec_first, later_same, U64, COUNT, "with this code"),
	XPT_FIELD(struct rec_first, in_verdict, U64, NONE, ""),
	XPT_FIELD(struct rec_first, processes, U64, COUNT, "processes"),
	XPT_FIELD(struct rec_first, repeats, U64, NONE, ""),
	XPT_FIELD(struct rec_first, later, U64, NONE, ""),
};

static const struct xpt_schema first_schema = {
	.name = "first_failures", .title = "What failed first",
	.help = "The first failing call of each process, and the first with a sticky code, with "
		"arguments and the number of later failures, all and with the same code; "
		"in_verdict: 1 if a finding tells of it; processes: how many of its name failed "
		"alike; repeats: 1 if the text of the first of these has it; later: 1 if a process of its "
		"name had failed before, with another call or error",
	.layout = XPT_LAYOUT_TEXT, .order = 91, XPT_RECORD(struct rec_first, first_fields),
};

struct rec_expected {
	const char *function, *error, *reason;
	int64_t code;
	uint64_t calls;
};

static const struct xpt_field expected_fields[] = {
	XPT_FIELD(struct rec_expected, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_expected, error, STR, NONE, "error"),
	XPT_FIELD(struct rec_expected, code, I64, NONE, ""),
	XPT_FIELD(struct rec_expected, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_expected, reason, STR, NONE, "why it is tried"),
};

static const struct xpt_schema expected_schema = {
	.name = "expected_errors", .title = "Expected errors",
	.help = "Failures that runtimes and libraries try on purpose, suppressed everywhere else, "
		"with the reason why they tell nothing alone",
	.layout = XPT_LAYOUT_TABLE, .order = 89, XPT_RECORD(struct rec_expected, expected_fields),
	.detail = true,
};

static const struct xpt_schema *const emits[] = {
	&error_schema, &first_schema, &expected_schema, NULL,
};

struct err_key {
	const struct xpt_fn *fn;
	int64_t code;
};

struct err {
	struct err_key key;
	const struct xpt_result *result;
	const struct xpt_expected *expected;	/* NULL: it is none of these */
	uint64_t ev, ctr;	/* calls as events and as the kernel counted them */
};

/* A failing call that a sentence reports. */
struct first {
	const struct xpt_fn *fn, *outer;
	const struct xpt_result *result;
	int64_t ret;
	uint64_t start_ns, end_ns, bytes;	/* bytes: that it asked for, 0: not known */
	uint32_t tid;
	char args[ARGS_LEN];
	uint64_t later, same;	/* failures after it, and those with its code */
};

struct proc {
	const struct xpt_proc *proc;
	struct first first, sticky;	/* fn NULL: none; sticky only if it is another call */
	struct first second;	/* the first failure of another thread, for when the first one was handled */
	const struct proc *leader;	/* at the end: the first one that failed alike, or itself */
	struct proc *next;		/* the next one with this leader */
	size_t alike;			/* of a leader: processes, itself among them */
};

struct errors {
	struct xpt_hashmap *errs;	/* struct err_key -> struct err */
	struct xpt_hashmap *procs;	/* proc pointer -> struct proc * */
	uint64_t *inner;		/* by function: errors that are not passed on */
	bool counters;			/* the stream had counters */
	uint64_t ev_all, ctr_all;
	uint64_t lost;
	size_t gone;			/* forgotten processes that had failing calls */
};

static struct proc *proc_of(struct errors *e, const struct xpt_proc *proc)
{
	struct proc **p = xpt_hashmap__get(e->procs, &proc, NULL);

	if (p && !*p)
		*p = calloc(1, sizeof(**p));
	if (!p || !*p) {
		e->lost++;
		return NULL;
	}
	(*p)->proc = proc;
	return *p;
}

static struct err *err_of(struct errors *e, const struct xpt_fn *fn, int64_t code,
			  const struct xpt_result *result)
{
	struct err_key key = { .fn = fn, .code = code };
	struct err *x = xpt_hashmap__get(e->errs, &key, NULL);

	if (!x) {
		e->lost++;
		return NULL;
	}
	x->key = key;
	x->result = result;
	return x;
}

static void set_first(struct first *f, const struct xpt_call *c)
{
	uint64_t bytes = 0;

	xpt_call__bytes(c, &bytes);
	*f = (struct first){
		.bytes = bytes, .fn = c->fn, .result = c->result, .ret = c->ret, .start_ns = c->start_ns,
		.end_ns = c->start_ns + c->dur_ns, .tid = c->tid,
	};
	xpt_call__copy_args(c, f->args, sizeof(f->args));
}

static bool is_same(const struct first *f, const struct xpt_call *c)
{
	return c->ret == f->ret && (c->fn->domain == f->fn->domain ||
				    xpt_result__same_name(c->result, f->result));
}

static void count_later(struct first *f, const struct xpt_call *c)
{
	if (!f->fn)
		return;
	f->later++;
	f->same += is_same(f, c);
}

/* The call around the first failing one, which the program made. */
static void note_outer(struct first *f, const struct xpt_call *c)
{
	if (f->fn && f->tid == c->tid && c->start_ns <= f->start_ns &&
	    c->start_ns + c->dur_ns >= f->end_ns)
		f->outer = c->fn;
}

/* Whether c encloses the failing call and succeeded, so that the failure did no harm. */
static bool is_handled(const struct first *f, const struct xpt_call *c)
{
	return f->fn && f->tid == c->tid && !(f->result && f->result->sticky) &&
	       c->fn->ret == XPT_RET_STATUS && c->start_ns <= f->start_ns &&
	       c->start_ns + c->dur_ns >= f->end_ns;
}

/* Whether the call is a successful retry of the allocation that found no room. */
static bool is_retried(const struct first *f, const struct xpt_call *c)
{
	uint64_t bytes = 0;

	return f->fn == c->fn && f->tid == c->tid && f->result && f->result->no_memory && f->bytes &&
	       xpt_call__bytes(c, &bytes) && bytes == f->bytes;
}

static void on_success(struct errors *e, const struct xpt_call *c)
{
	struct proc **at = xpt_hashmap__find(e->procs, &c->proc), *p = at ? *at : NULL;

	if (!p)
		return;
	if (is_handled(&p->second, c) || is_retried(&p->second, c))
		p->second = (struct first){ 0 };
	if (!is_handled(&p->first, c) && !is_retried(&p->first, c))
		return;
	p->first = p->second;
	p->second = (struct first){ 0 };
}

static void on_call(struct errors *e, const struct xpt_call *c)
{
	struct proc *p;
	struct err *x;

	e->ev_all++;
	p = proc_of(e, c->proc);
	if (c->passed_on) {
		if (p) {
			note_outer(&p->first, c);
			note_outer(&p->sticky, c);
		}
		return;
	}
	if (c->flags & XPT_CALL_OUTER)	/* the counters do not distinguish these from failures passed on */
		e->inner[c->fn->id % XPT_MAX_FNS]++;
	x = err_of(e, c->fn, c->ret, c->result);
	if (x)
		x->ev++;
	if (!p)
		return;
	count_later(&p->first, c);
	count_later(&p->second, c);
	count_later(&p->sticky, c);
	if (p->first.fn && !p->second.fn && p->first.tid != c->tid)
		set_first(&p->second, c);
	if (!p->first.fn)
		set_first(&p->first, c);
	else if (!p->sticky.fn && c->result && c->result->sticky &&
		 !(p->first.result && p->first.result->sticky))
		set_first(&p->sticky, c);
}

/* Counts an expected failure, which is neither the first failure of its process nor a later one. */
static void on_expected(struct errors *e, const struct xpt_call *c)
{
	struct err *x = xpt_call__counts(c) ? err_of(e, c->fn, c->ret, c->result) : NULL;

	e->ev_all++;
	if (!x)
		return;
	x->expected = c->expected;
	x->ev++;
}

static void on_errcount(struct errors *e, const struct xpt_event *ev)
{
	struct err *x;

	if (!ev->u.errcount.failed && !ev->u.errcount.expected)
		return;
	e->ctr_all += ev->u.errcount.calls;
	x = err_of(e, ev->u.errcount.fn, ev->u.errcount.code, ev->u.errcount.result);
	if (!x)
		return;
	x->ctr += ev->u.errcount.calls;
	x->expected = ev->u.errcount.expected;
}

static const char *code_name(const struct xpt_fn *fn, int64_t code,
			     const struct xpt_result *result, char *buf, size_t n)
{
	struct xpt_call c = { .fn = fn, .ret = code, .result = result };

	return xpt_call__result_name(&c, buf, n);
}

/* From here on x->ctr is the number to show. An errcount does not say which
 * calls were outer; the counters of its function say how many were not. */
static void settle_counts(struct errors *e)
{
	bool exact = e->ctr_all >= e->ev_all;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(e->errs, &pos, NULL, &val)) {
		struct err *x = val;
		uint64_t inner = e->inner[x->key.fn->id % XPT_MAX_FNS];

		if (!exact)
			x->ctr = x->ev;
		else if (e->counters && x->ctr > inner)
			x->ctr = inner;
	}
}

static int by_calls(const void *a, const void *b)
{
	const struct err *x = *(struct err *const *)a, *y = *(struct err *const *)b;
	int d;

	if (x->ctr != y->ctr)
		return x->ctr < y->ctr ? 1 : -1;
	d = strcmp(x->key.fn->name, y->key.fn->name);
	return d ? d : x->key.code < y->key.code ? -1 : x->key.code > y->key.code;
}

static void emit_expected(const struct err *x, struct xpt_out *out)
{
	char buf[NAME_LEN];
	struct rec_expected rec = {
		.function = x->key.fn->name, .code = x->key.code, .calls = x->ctr,
		.error = code_name(x->key.fn, x->key.code, x->result, buf, sizeof(buf)),
		.reason = x->expected->reason,
	};

	xpt_out__emit(out, &expected_schema, &rec);
}

static void emit_errors(struct errors *e, struct xpt_out *out)
{
	struct rec_error other = { .function = "other errors", .error = "" };
	size_t n, nr = 0, shown = 0;
	char buf[NAME_LEN];
	void **all;

	settle_counts(e);
	all = xpt_hashmap__sorted(e->errs, by_calls, &n);
	for (size_t i = 0; i < n; i++) {
		struct err *x = all[i];

		if (x->ctr && x->expected)
			emit_expected(x, out);
		else if (x->ctr)
			all[nr++] = x;
	}
	shown = nr <= TOP + 1 ? nr : TOP;
	for (size_t i = 0; i < nr; i++) {
		const struct err *x = all[i];
		struct rec_error rec = { .function = x->key.fn->name, .code = x->key.code, .calls = x->ctr };

		rec.error = code_name(x->key.fn, x->key.code, x->result, buf, sizeof(buf));
		if (i < shown)
			xpt_out__emit(out, &error_schema, &rec);
		else
			other.calls += x->ctr;
	}
	if (other.calls)
		xpt_out__emit(out, &error_schema, &other);
	free(all);
}

static void say_later(struct xpt_strbuf *sb, const struct first *f)
{
	bool sticky = f->result && f->result->sticky;
	char n[16], m[16];

	xpt_fmt_count(f->same, n, sizeof(n));
	xpt_fmt_count(f->later, m, sizeof(m));
	if (sticky && f->same)
		xpt_strbuf__addf(sb, " %s later %s returned the same sticky error: look at this "
				 "one first.", n, f->same == 1 ? "call" : "calls");
	else if (f->later)
		xpt_strbuf__addf(sb, " %s later %s failed, %s with this error.", m,
				 f->later == 1 ? "call" : "calls",
				 f->same ? (f->same == f->later ? "all" : n) : "none");
}

static bool is_alike(const struct proc *a, const struct proc *b)
{
	return a->first.fn == b->first.fn && a->first.ret == b->first.ret &&
	       a->sticky.fn == b->sticky.fn && a->sticky.ret == b->sticky.ret &&
	       !strcmp(a->proc->comm, b->proc->comm);
}

/* all: sorted by time; MAX_PROCS bounds it. */
static void find_alike(struct proc **all, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct proc *leader = all[i], *last;

		for (size_t k = 0; k < i && leader == all[i]; k++)
			if (all[k]->leader == all[k] && is_alike(all[k], all[i]))
				leader = all[k];
		all[i]->leader = leader;
		all[i]->next = NULL;
		all[i]->alike = 1;
		if (leader == all[i])
			continue;
		for (last = leader; last->next;)
			last = last->next;
		last->next = all[i];
		leader->alike++;
	}
}

/* "train[17]", or of several that failed alike "8 processes (train[17], train[18], ...)". */
static void add_who(struct xpt_strbuf *sb, const struct proc *p)
{
	const struct proc *q = p;
	size_t named = 0;

	if (p->leader != p || p->alike == 1) {
		xpt_strbuf__addf(sb, "%s[%u]", p->proc->comm, p->proc->pid);
		return;
	}
	xpt_strbuf__addf(sb, "%zu processes (", p->alike);
	for (; q && named < TOP_PIDS; q = q->next, named++)
		xpt_strbuf__addf(sb, "%s%s[%u]", named ? ", " : "", q->proc->comm, q->proc->pid);
	xpt_strbuf__add(sb, q ? ", ...)" : ")");
}

/* ", 630 us later than train[17]": of one that another process of its name was before. */
static void add_before(struct xpt_strbuf *sb, const struct proc *before, const struct first *f)
{
	char t[16];

	if (before)
		xpt_strbuf__addf(sb, ", %s later than %s[%u]",
				 xpt_fmt_ns(f->end_ns > before->first.end_ns ? f->end_ns - before->first.end_ns : 0,
					    t, sizeof(t)), before->proc->comm, before->proc->pid);
}

/* before: the process of its name that failed first, with another call or error; NULL: none did. */
static void emit_first(const struct proc *p, const struct first *f,
		       const struct proc *before, struct xpt_out *out)
{
	bool is_first = f == &p->first;
	bool several = p->leader == p && p->alike > 1;
	const char *meaning = f->result && f->result->meaning ? f->result->meaning : "";
	size_t len = strlen(meaning);
	struct rec_first rec;
	struct xpt_strbuf sb;
	char name[NAME_LEN], t[16];

	rec = (struct rec_first){
		.comm = p->proc->comm, .pid = p->proc->pid, .tid = f->tid,
		.function = f->fn->name, .code = f->ret,
		.error = code_name(f->fn, f->ret, f->result, name, sizeof(name)),
		.at_ns = xpt_out__since(out, f->end_ns),
		.later_failures = f->later, .later_same = f->same,
		.in_verdict = f->result && f->result->sticky,	/* always a finding */
		.processes = p->leader->alike, .repeats = p->leader != p, .later = before != NULL,
	};
	xpt_strbuf__init(&sb, TEXT_LEN);
	add_who(&sb, p);
	xpt_strbuf__addf(&sb, " %s %s after the start%s",
			 is_first ? several ? "failed alike" : "failed first" :
			 several ? "got the same first sticky error" : "got its first sticky error",
			 xpt_fmt_ns(rec.at_ns, t, sizeof(t)), several ? ", the first of them" : "");
	add_before(&sb, before, f);
	xpt_strbuf__addf(&sb, ": %s(%s)", rec.function, f->args);
	if (f->outer)
		xpt_strbuf__addf(&sb, ", called by %s,", f->outer->name);
	xpt_strbuf__addf(&sb, " returned %s%s%s%s", rec.error, len ? ": " : "", meaning,
			 len && meaning[len - 1] == '.' ? "" : ".");
	say_later(&sb, f);
	rec.text = xpt_strbuf__str(&sb);
	xpt_out__emit(out, &first_schema, &rec);
	xpt_strbuf__free(&sb);
}

static int by_start(const void *a, const void *b)
{
	const struct proc *x = *(struct proc *const *)a, *y = *(struct proc *const *)b;

	if (x->first.end_ns != y->first.end_ns)
		return x->first.end_ns < y->first.end_ns ? -1 : 1;
	return x->proc->pid < y->proc->pid ? -1 : x->proc->pid > y->proc->pid;
}

/* Processes with failing calls by time, in memory of the caller; those without a first failure, too, if all. */
static struct proc **sort_processes(const struct errors *e, bool whole, size_t *ret_nr)
{
	size_t n = xpt_hashmap__len(e->procs), pos = 0, nr = 0;
	struct proc **all = calloc(n ? n : 1, sizeof(*all));
	void *val;

	while (all && nr < n && xpt_hashmap__next(e->procs, &pos, NULL, &val)) {
		all[nr] = *(struct proc **)val;
		nr += all[nr] && (whole || all[nr]->first.fn);
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_start);
	*ret_nr = nr;
	return all;
}

/* Forgets evicted processes, but keeps those that would be reported. */
static void forget_gone(struct errors *e)
{
	size_t nr;
	struct proc **all = sort_processes(e, true, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (i < TOP_PROCS && all[i]->first.fn)
			xpt_proc__keep(all[i]->proc);
		e->gone += all[i]->proc->forgotten && all[i]->first.fn;
	}
	free(all);
}

/* all: sorted by time, with their leaders. NULL if all[i] or its leader is the first of its name. */
static const struct proc *first_of_name(struct proc *const *all, size_t i)
{
	size_t k = 0;

	while (strcmp(all[k]->proc->comm, all[i]->proc->comm) != 0)
		k++;
	return all[k] == all[i]->leader ? NULL : all[k];
}

static void emit_firsts(const struct errors *e, struct xpt_out *out)
{
	size_t nr;
	struct proc **all = sort_processes(e, false, &nr);
	struct rec_first more = { .comm = "", .function = "", .error = "" };
	size_t groups = 0, covered = 0;	/* processes that a shown sentence covers */
	char text[80];

	find_alike(all, nr);
	for (size_t i = 0; i < nr; i++) {
		bool leads = all[i]->leader == all[i];

		groups += leads;
		covered += (leads && groups <= TOP_PROCS) ? all[i]->alike : 0;
		if (leads ? groups > TOP_PROCS : i >= TOP_PROCS)
			continue;
		emit_first(all[i], &all[i]->first, first_of_name(all, i), out);
		if (all[i]->sticky.fn)
			emit_first(all[i], &all[i]->sticky, first_of_name(all, i), out);
	}
	if (nr > covered || e->gone) {
		snprintf(text, sizeof(text), "%zu more processes had failing calls.", nr - covered + e->gone);
		more.text = text;
		more.pid = more.tid = more.at_ns = more.processes = XPT_ABSENT;
		more.later_failures = more.later_same = XPT_ABSENT;
		xpt_out__emit(out, &first_schema, &more);
	}
	free(all);
}

static void errors__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct errors *e = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		if (ev->u.call.failed)
			on_call(e, &ev->u.call);
		else if (ev->u.call.expected)
			on_expected(e, &ev->u.call);
		else if (xpt_hashmap__len(e->procs))
			on_success(e, &ev->u.call);
		break;
	case XPT_EV_COUNTER:
		e->counters = true;
		if (!ev->u.counter.outer)
			e->inner[ev->u.counter.fn->id % XPT_MAX_FNS] += ev->u.counter.count->errors;
		break;
	case XPT_EV_ERRCOUNT:
		on_errcount(e, ev);
		break;
	case XPT_EV_FORGET:
		forget_gone(e);
		break;
	case XPT_EV_END:
		emit_errors(e, out);
		emit_firsts(e, out);
		break;
	default:
		break;
	}
	if (e->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, e->lost);
	e->lost = 0;
}

const struct xpt_analyzer xpt_analyzer_errors = {
	.name = "errors",
	.help = "what failed, how often, and what failed first",
	.emits = emits,
	.state_size = sizeof(struct errors),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct errors, errs, struct err_key, struct err, MAX_ERRORS, 0),
		XPT_MAP(struct errors, procs, void *, struct proc *, MAX_PROCS,
			XPT_TABLE_OF_PROCESSES | XPT_TABLE_OWNS),
		XPT_ARRAY(struct errors, inner, XPT_MAX_FNS),
		{ 0 }
	},
	.event = errors__event,
};
