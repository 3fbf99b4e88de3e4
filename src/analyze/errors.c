/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors: what failed how often, and which call of a process failed first.
 *
 * Answers that are no failures (not ready yet) are left out. A failure that a
 * call passes on from a call of the same class inside it is one failure, shown
 * at the inner call. The first failing call of a process is told with its
 * arguments; if a later one is the first with a sticky code, which every call
 * after it returns too, it is told as well, since it is the cause of those.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/analyzer.h"
#include "model/forget.h"
#include "model/domain.h"
#include "model/value.h"

#define MAX_ERRORS 4096
#define MAX_PROCS 4096
#define TOP 15
#define TOP_PROCS 8
#define ARGS_LEN 200
#define TEXT_LEN 800
#define NAME_LEN 40

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
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 90, .size = sizeof(struct rec_error),
	.fields = error_fields, .nr_fields = sizeof(error_fields) / sizeof(error_fields[0]),
};

struct rec_first {
	const char *text, *comm, *function, *error;
	uint64_t pid, tid, at_ns, later_failures, later_same, in_verdict;
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
	XPT_FIELD(struct rec_first, at_ns, U64, NS, "at"),
	XPT_FIELD(struct rec_first, later_failures, U64, COUNT, "later failures"),
	XPT_FIELD(struct rec_first, later_same, U64, COUNT, "with this code"),
	XPT_FIELD(struct rec_first, in_verdict, U64, NONE, ""),
};

static const struct xpt_schema first_schema = {
	.name = "first_failures", .title = "What failed first",
	.help = "The first failing call of each process, and the first with a sticky code, with "
		"arguments and the number of later failures, all and with the same code; "
		"in_verdict: 1 if a finding tells of it",
	.layout = XPT_LAYOUT_TEXT, .order = 91, .size = sizeof(struct rec_first),
	.fields = first_fields, .nr_fields = sizeof(first_fields) / sizeof(first_fields[0]),
};

static const struct xpt_schema *const emits[] = { &error_schema, &first_schema, NULL };

struct err_key {
	const struct xpt_fn *fn;
	int64_t code;
};

struct err {
	struct err_key key;
	const struct xpt_result *result;
	uint64_t ev, ctr;	/* calls as events and as the kernel counted them */
};

/* One failing call that is told in a sentence. */
struct first {
	const struct xpt_fn *fn, *outer;
	const struct xpt_result *result;
	int64_t ret;
	uint64_t start_ns, end_ns;
	uint32_t tid;
	char args[ARGS_LEN];
	uint64_t later, same;	/* failures after it, and those with its code */
};

struct proc {
	const struct xpt_proc *proc;
	struct first first, sticky;	/* fn NULL: none; sticky only if it is another call */
};

struct errors {
	struct xpt_hashmap *errs;	/* struct err_key -> struct err */
	struct xpt_hashmap *procs;	/* proc pointer -> struct proc * */
	uint64_t *inner;		/* by function: errors in the counters that are not outer */
	bool counters;			/* the stream had counters */
	uint64_t ev_all, ctr_all;
	uint64_t begin_ns, lost;
	size_t gone;			/* forgotten processes that had failing calls */
};

static int errors__open(void *st)
{
	struct errors *e = st;
	int err;

	e->inner = calloc(XPT_MAX_FNS, sizeof(*e->inner));
	if (!e->inner)
		return -ENOMEM;
	err = xpt_hashmap__new(sizeof(struct err_key), sizeof(struct err), MAX_ERRORS, &e->errs);
	if (!err)
		err = xpt_hashmap__new(sizeof(void *), sizeof(struct proc *), MAX_PROCS,
				       &e->procs);
	return err;
}

static void errors__close(void *st)
{
	struct errors *e = st;
	const void *key;
	size_t pos = 0;
	void *val;

	while (e->procs && xpt_hashmap__next(e->procs, &pos, &key, &val))
		free(*(struct proc **)val);
	xpt_hashmap__free(e->procs);
	xpt_hashmap__free(e->errs);
	free(e->inner);
}

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
	struct xpt_strbuf sb;

	*f = (struct first){
		.fn = c->fn, .result = c->result, .ret = c->ret, .start_ns = c->start_ns,
		.end_ns = c->start_ns + c->dur_ns, .tid = c->tid,
	};
	xpt_strbuf__init(&sb, ARGS_LEN - 1);
	xpt_call__args_text(c, &sb);
	snprintf(f->args, sizeof(f->args), "%s", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
}

static void count_later(struct first *f, const struct xpt_call *c)
{
	if (!f->fn)
		return;
	f->later++;
	f->same += c->ret == f->ret && c->fn->domain == f->fn->domain;
}

/* The call around the first failing one, which the program made. */
static void note_outer(struct first *f, const struct xpt_call *c)
{
	if (f->fn && f->tid == c->tid && c->start_ns <= f->start_ns &&
	    c->start_ns + c->dur_ns >= f->end_ns)
		f->outer = c->fn;
}

static void on_call(struct errors *e, const struct xpt_call *c)
{
	bool outer = !xpt_call__counts(c);
	struct proc *p;
	struct err *x;

	e->ev_all++;
	p = proc_of(e, c->proc);
	if (outer) {
		if (p) {
			note_outer(&p->first, c);
			note_outer(&p->sticky, c);
		}
		return;
	}
	x = err_of(e, c->fn, c->ret, c->result);
	if (x)
		x->ev++;
	if (!p)
		return;
	count_later(&p->first, c);
	count_later(&p->sticky, c);
	if (!p->first.fn)
		set_first(&p->first, c);
	else if (!p->sticky.fn && c->result && c->result->sticky &&
		 !(p->first.result && p->first.result->sticky))
		set_first(&p->sticky, c);
}

static void on_errcount(struct errors *e, const struct xpt_event *ev)
{
	struct err *x;

	if (!ev->u.errcount.failed)
		return;
	e->ctr_all += ev->u.errcount.calls;
	x = err_of(e, ev->u.errcount.fn, ev->u.errcount.code, ev->u.errcount.result);
	if (x)
		x->ctr += ev->u.errcount.calls;
}

static const char *code_name(const struct xpt_fn *fn, int64_t code,
			     const struct xpt_result *result, char *buf, size_t n)
{
	struct xpt_call c = { .fn = fn, .ret = code, .result = result };

	return xpt_call__result_name(&c, buf, n);
}

/* From here on x->ctr is the number to show. An errcount does not tell which
 * calls were outer; the counters of its function tell how many were not. */
static void settle(struct errors *e, struct err *x, bool exact)
{
	uint64_t inner = e->inner[x->key.fn->id % XPT_MAX_FNS];

	if (!exact)
		x->ctr = x->ev;
	else if (e->counters && x->ctr > inner)
		x->ctr = inner;
}

static int by_calls(const void *a, const void *b)
{
	const struct err *x = a, *y = b;
	int d;

	if (x->ctr != y->ctr)
		return x->ctr < y->ctr ? 1 : -1;
	d = strcmp(x->key.fn->name, y->key.fn->name);
	return d ? d : x->key.code < y->key.code ? -1 : x->key.code > y->key.code;
}

static void emit_errors(struct errors *e, struct xpt_out *out)
{
	size_t n = xpt_hashmap__len(e->errs), pos = 0, nr = 0, shown;
	struct err *all = calloc(n ? n : 1, sizeof(*all));
	struct rec_error other = { .error = "" };
	char buf[NAME_LEN];
	const void *key;
	void *val;

	while (all && nr < n && xpt_hashmap__next(e->errs, &pos, &key, &val)) {
		all[nr] = *(struct err *)val;
		settle(e, &all[nr], e->ctr_all >= e->ev_all);
		nr += all[nr].ctr > 0;
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_calls);
	shown = nr <= TOP + 1 ? nr : TOP;
	for (size_t i = 0; i < nr; i++) {
		const struct err *x = &all[i];
		struct rec_error rec = { .function = x->key.fn->name, .code = x->key.code,
					 .calls = x->ctr };

		rec.error = code_name(x->key.fn, x->key.code, x->result, buf, sizeof(buf));
		if (i < shown)
			xpt_out__emit(out, &error_schema, &rec);
		else
			other.calls += x->ctr;
	}
	other.function = "other errors";
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

static void emit_first(const struct errors *e, const struct proc *p, const struct first *f,
		       bool is_first, struct xpt_out *out)
{
	const char *meaning = f->result && f->result->meaning ? f->result->meaning : "";
	size_t len = strlen(meaning);
	struct rec_first rec;
	struct xpt_strbuf sb;
	char name[NAME_LEN], t[16];

	rec = (struct rec_first){
		.comm = p->proc->comm, .pid = p->proc->pid, .tid = f->tid,
		.function = f->fn->name, .code = f->ret,
		.error = code_name(f->fn, f->ret, f->result, name, sizeof(name)),
		.at_ns = f->end_ns > e->begin_ns ? f->end_ns - e->begin_ns : 0,
		.later_failures = f->later, .later_same = f->same,
		.in_verdict = f->result && f->result->sticky,	/* always a finding */
	};
	xpt_strbuf__init(&sb, TEXT_LEN);
	xpt_strbuf__addf(&sb, "%s[%u] %s %s after the start: %s(%s)", rec.comm, p->proc->pid,
			 is_first ? "failed first" : "got its first sticky error",
			 xpt_fmt_ns(rec.at_ns, t, sizeof(t)), rec.function, f->args);
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

/* Of processes that go, those that would be told about stay. */
static void forget(struct errors *e)
{
	size_t n = xpt_hashmap__len(e->procs), pos = 0, nr = 0;
	struct proc **all = calloc(n ? n : 1, sizeof(*all));
	const void *key;
	void *val;

	while (all && nr < n && xpt_hashmap__next(e->procs, &pos, &key, &val)) {
		all[nr] = *(struct proc **)val;
		nr += all[nr] != NULL;
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_start);
	for (size_t i = 0; i < nr; i++) {
		const struct xpt_proc *proc = all[i]->proc;

		if (i < TOP_PROCS && all[i]->first.fn)
			xpt_proc__keep(proc);
		if (proc->forgotten) {
			e->gone += all[i]->first.fn != NULL;
			xpt_hashmap__del(e->procs, &proc);
			free(all[i]);
		}
	}
	free(all);
}

static void emit_firsts(const struct errors *e, struct xpt_out *out)
{
	size_t n = xpt_hashmap__len(e->procs), pos = 0, nr = 0;
	struct proc **all = calloc(n ? n : 1, sizeof(*all));
	struct rec_first more = { .comm = "", .function = "", .error = "" };
	const void *key;
	char text[80];
	void *val;

	while (all && nr < n && xpt_hashmap__next(e->procs, &pos, &key, &val)) {
		all[nr] = *(struct proc **)val;
		nr += all[nr] && all[nr]->first.fn;
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_start);
	for (size_t i = 0; i < nr && i < TOP_PROCS; i++) {
		emit_first(e, all[i], &all[i]->first, true, out);
		if (all[i]->sticky.fn)
			emit_first(e, all[i], &all[i]->sticky, false, out);
	}
	if (nr > TOP_PROCS || e->gone) {
		snprintf(text, sizeof(text), "%zu more processes had failing calls.",
			 (nr > TOP_PROCS ? nr - TOP_PROCS : 0) + e->gone);
		more.text = text;
		more.pid = more.tid = more.at_ns = XPT_ABSENT;
		more.later_failures = more.later_same = XPT_ABSENT;
		xpt_out__emit(out, &first_schema, &more);
	}
	free(all);
}

static void errors__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct errors *e = st;

	if (!e->begin_ns)
		e->begin_ns = ev->ts_ns;
	switch (ev->kind) {
	case XPT_EV_CALL:
		if (ev->u.call.failed)
			on_call(e, &ev->u.call);
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
		forget(e);
		break;
	case XPT_EV_END:
		if (ev->u.end.start_ns)
			e->begin_ns = ev->u.end.start_ns;
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
	.open = errors__open,
	.event = errors__event,
	.close = errors__close,
};
