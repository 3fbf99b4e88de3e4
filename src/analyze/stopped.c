/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The reason why a process stopped: a sticky error, which all later calls of its context
 * return too, or a failed call after which it did no more work and ended badly. Findings
 * only; errors.c has the tables.
 *
 * A failure that was not sticky is forgotten once an allocation, copy or launch has succeeded
 * after it, for then the process could go on. Calls made while it gave up (frees,
 * synchronization, queries) do not count as work.
 *
 * The same of a failure that is expected, for some programs need features that others only
 * try; but it is a possible cause, reported where there is no other one, and forgotten as
 * soon as the same function succeeds. Signals but that of abort(3) have other reasons.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/output/analyzer.h"
#include "model/forget.h"
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "model/value.h"

#define MAX_PROCS 4096
#define GIVE_UP_NS 10000000000ull	/* a failure longer before the end was not its cause */
#define ARGS_LEN 160
#define KERNEL_LEN 96
#define NAME_LEN 48
#define TEXT_LEN 800

static const struct xpt_schema *const emits[] = { NULL };

/* fn NULL: the process goes on. */
struct cause {
	const struct xpt_fn *fn;
	const struct xpt_result *result;
	const struct xpt_expected *expected;	/* NULL: it is no expected failure */
	int64_t ret;
	uint64_t at_ns;
	uint64_t same;		/* later calls with the same result */
	char args[ARGS_LEN];
	char kernel[KERNEL_LEN];	/* launched last before it, "" if none is known */
};

struct process {
	const struct xpt_proc *proc;
	struct cause cause;
	struct cause possible;	/* the last expected failure, if it did not go on after it */
	char kernel[KERNEL_LEN];
};

/* A process that is reported at the end, and its cause. */
struct candidate {
	const struct process *process;
	const struct cause *cause;
};

struct stopped {
	struct xpt_hashmap *procs;	/* proc pointer -> struct process * */
	struct process *last;		/* looked up before */
	bool tried;			/* some call failed as expected */
};

/* Returns NULL if there is no room; the caller counts that only for failures. */
static struct process *process_of(struct stopped *s, const struct xpt_proc *proc)
{
	struct process **p;

	if (s->last && s->last->proc == proc)
		return s->last;
	p = xpt_hashmap__get(s->procs, &proc, NULL);
	if (!p)
		return NULL;
	if (!*p) {
		*p = calloc(1, sizeof(**p));
		if (!*p)
			return NULL;
		(*p)->proc = proc;
	}
	s->last = *p;
	return *p;
}

static bool is_sticky(const struct cause *c)
{
	return c->result && c->result->sticky;
}

static bool is_work(unsigned cls)
{
	return cls == XPT_CLASS_LAUNCH || cls == XPT_CLASS_COPY || cls == XPT_CLASS_SET ||
	       cls == XPT_CLASS_ALLOC;
}

static void set_cause(const struct process *p, const struct xpt_call *c, struct cause *cause)
{
	*cause = (struct cause){ .fn = c->fn, .result = c->result, .ret = c->ret,
				 .expected = c->expected, .at_ns = c->start_ns + c->dur_ns };
	memcpy(cause->kernel, p->kernel, sizeof(cause->kernel));
	xpt_call__copy_args(c, cause->args, sizeof(cause->args));
}

static void on_failure(struct stopped *s, const struct xpt_call *c, struct xpt_out *out)
{
	struct process *p = process_of(s, c->proc);

	if (!p) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return;
	}
	if (!p->cause.fn || (!is_sticky(&p->cause) && c->result && c->result->sticky))
		set_cause(p, c, &p->cause);
	else
		p->cause.same += c->ret == p->cause.ret && c->fn->domain == p->cause.fn->domain;
}

static void on_expected(struct stopped *s, const struct xpt_call *c)
{
	struct process *p = process_of(s, c->proc);

	if (p)
		set_cause(p, c, &p->possible);
	s->tried = true;
}

/* Work has succeeded: earlier failures did not stop the process. */
static void on_work(struct stopped *s, const struct xpt_call *c)
{
	struct process *p = process_of(s, c->proc);

	if (!p)
		return;
	if (p->cause.fn && !is_sticky(&p->cause))
		p->cause.fn = NULL;
	p->possible.fn = NULL;
	/* Mostly the same again: comparing is cheaper than formatting. */
	if (c->fn->cls == XPT_CLASS_LAUNCH && xpt_call__kernel_known(c) &&
	    strncmp(p->kernel, c->kernel_short, sizeof(p->kernel) - 1))
		snprintf(p->kernel, sizeof(p->kernel), "%s", c->kernel_short);
}

static void on_call(struct stopped *s, const struct xpt_call *c, struct xpt_out *out)
{
	struct process *p;

	if (c->failed && !c->passed_on)
		on_failure(s, c, out);
	else if (c->expected)
		on_expected(s, c);
	if (c->failed || c->expected)
		return;
	if (s->tried) {		/* outer calls, too: their failure came last */
		p = process_of(s, c->proc);
		if (p && p->possible.fn == c->fn)
			p->possible.fn = NULL;
	}
	if (xpt_call__counts(c) && is_work(c->fn->cls))
		on_work(s, c);
}

/* Whether the process ended by itself with a status that means an error. */
static bool ended_badly(const struct xpt_proc *proc)
{
	int status = proc->exit_status, sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (!proc->exit_ns || !status)
		return false;
	if (WIFEXITED(status) && WEXITSTATUS(status) > 128)
		sig = WEXITSTATUS(status) - 128;	/* as shells pass a signal on */
	return sig != SIGINT && sig != SIGTERM && sig != SIGHUP && sig != SIGPIPE;
}

/* Whether the process ended by itself: by an exit status, or by abort(3), which shells show as a status. */
static bool gave_up(const struct xpt_proc *proc)
{
	int status = proc->exit_status;

	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGABRT;
	return WEXITSTATUS(status) <= 128 || WEXITSTATUS(status) == 128 + SIGABRT;
}

static bool soon_before_end(const struct xpt_proc *proc, const struct cause *c)
{
	return c->fn && proc->exit_ns >= c->at_ns && proc->exit_ns - c->at_ns <= GIVE_UP_NS;
}

/* Returns the cause of the process's end, or NULL if no failure caused it. */
static const struct cause *cause_of(const struct process *p, const struct xpt_out *out)
{
	if (p->cause.fn && is_sticky(&p->cause))
		return &p->cause;
	if (xpt_out__misses_any(out) || !ended_badly(p->proc))
		return NULL;
	if (p->cause.fn)
		return soon_before_end(p->proc, &p->cause) ? &p->cause : NULL;
	return gave_up(p->proc) && soon_before_end(p->proc, &p->possible) ? &p->possible : NULL;
}

static void keep_stopped(struct stopped *s, const struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(s->procs, &pos, NULL, &val)) {
		const struct process *p = *(struct process **)val;

		if (p && p->proc->forgotten && cause_of(p, out))
			xpt_proc__keep(p->proc);
	}
	s->last = NULL;
}

static void say_sticky(const struct cause *c, struct xpt_strbuf *sb)
{
	const struct xpt_domain *d = c->fn->domain;
	char n[16];

	xpt_strbuf__addf(sb, "; its %s cannot be used since then",
			 d && d->sticky_loses ? d->sticky_loses : "context");
	if (c->same)
		xpt_strbuf__addf(sb, " (%s later %s returned the same)",
				 xpt_fmt_count(c->same, n, sizeof(n)),
				 c->same == 1 ? "call" : "calls");
	if (c->kernel[0] && c->result->kernel_fault)
		xpt_strbuf__addf(sb, ". The last kernel launched before was %s", c->kernel);
	xpt_strbuf__addc(sb, '.');
}

static void say_end(const struct process *p, const struct cause *c, struct xpt_strbuf *sb)
{
	int status = p->proc->exit_status;
	char t[16];

	xpt_strbuf__addf(sb, "; it did no more work and %s %d, %s later%s.",
			 WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
			 xpt_fmt_ns(p->proc->exit_ns - c->at_ns, t, sizeof(t)),
			 c->expected ? ", possibly for this" : "");
	if (c->expected)
		xpt_strbuf__addf(sb, " Mostly such a failure means nothing: %s", c->expected->reason);
}

static const char *advice_for(const struct cause *c, const char *error, char *buf, size_t n)
{
	if (c->result && c->result->kernel_fault)
		return "Look at the kernels launched before: a run with CUDA_LAUNCH_BLOCKING=1, "
		       "or under compute-sanitizer, shows which one fails.";
	if (c->result && c->result->no_memory)
		return "See under Memory what was in use: free or shrink something before, or "
		       "look for another process on the device.";
	if (c->expected && !is_sticky(c))
		return "If the program needs what this call asks for, the device or the driver does "
		       "not have it; if not, look for what else ended it.";
	if (c->result && c->result->meaning)
		return c->result->meaning;
	snprintf(buf, n, "Check this call and its answer, %s.", error);
	return buf;
}

static const char *kind_of(const struct cause *c)
{
	return is_sticky(c) ? "sticky_error" : c->expected ? "possible_cause" : "fatal_error";
}

/* Adds that a process of the same name, such as another rank, had failed before. */
static void say_before(const struct candidate *first, const struct candidate *t, struct xpt_strbuf *sb)
{
	char ns[16];

	if (first != t)
		xpt_strbuf__addf(sb, " %s[%u] had failed %s before.", first->process->proc->comm,
				 first->process->proc->pid,
				 xpt_fmt_ns(t->cause->at_ns - first->cause->at_ns, ns, sizeof(ns)));
}

/* first: the process of that name that failed first, or self. */
static void report_cause(const struct candidate *first, const struct candidate *self, struct xpt_out *out)
{
	const struct process *p = self->process;
	const struct cause *c = self->cause;
	struct xpt_call call = { .fn = c->fn, .ret = c->ret, .result = c->result };
	char name[NAME_LEN], t[16], buf[160], alike[2 * NAME_LEN + 40];
	const char *error = xpt_call__result_name(&call, name, sizeof(name));
	struct xpt_finding f = {
		.kind = kind_of(c),
		.weight = c->expected ? XPT_WEIGHT_BROKEN : XPT_WEIGHT_STOPPED, .at_ns = c->at_ns, .proc = p->proc,
		.advice = advice_for(c, error, buf, sizeof(buf)), .alike = alike,
	};
	struct xpt_strbuf sb;

	snprintf(alike, sizeof(alike), "%u %lld %d", c->fn->id, (long long)c->ret,
		 is_sticky(c) ? 0 : p->proc->exit_status);
	xpt_strbuf__init(&sb, TEXT_LEN);
	xpt_strbuf__addf(&sb, "In %s[%u] %s(%s) returned %s, %s after the start",
			 p->proc->comm, p->proc->pid, c->fn->name, c->args, error,
			 xpt_fmt_ns(xpt_out__since(out, c->at_ns), t, sizeof(t)));
	if (is_sticky(c))
		say_sticky(c, &sb);
	else
		say_end(p, c, &sb);
	say_before(first, self, &sb);
	f.text = xpt_strbuf__str(&sb);
	xpt_out__finding(out, &f);
	xpt_strbuf__free(&sb);
}

static int by_time(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->cause->at_ns != y->cause->at_ns)
		return x->cause->at_ns < y->cause->at_ns ? -1 : 1;
	return x->process->proc->pid < y->process->proc->pid ? -1 :
	       x->process->proc->pid > y->process->proc->pid;
}

static void on_end(struct stopped *s, struct xpt_out *out)
{
	size_t n = xpt_hashmap__len(s->procs), pos = 0, nr = 0;
	struct candidate *all = calloc(n ? n : 1, sizeof(*all));
	void *val;

	while (all && nr < n && xpt_hashmap__next(s->procs, &pos, NULL, &val)) {
		const struct process *p = *(struct process **)val;

		all[nr] = (struct candidate){ p, p ? cause_of(p, out) : NULL };
		nr += all[nr].cause != NULL;
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_time);
	for (size_t i = 0; i < nr; i++) {
		size_t k = 0;

		while (strcmp(all[k].process->proc->comm, all[i].process->proc->comm) != 0)
			k++;
		report_cause(&all[k], &all[i], out);
	}
	free(all);
}

static void stopped__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct stopped *s = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(s, &ev->u.call, out);
		break;
	case XPT_EV_FORGET:
		keep_stopped(s, out);
		break;
	case XPT_EV_END:
		on_end(s, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_stopped = {
	.name = "stopped",
	.help = "the failure that a process did not survive",
	.emits = emits,
	.state_size = sizeof(struct stopped),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct stopped, procs, void *, struct process *, MAX_PROCS,
			XPT_TABLE_OF_PROCESSES | XPT_TABLE_OWNS),
		{ 0 }
	},
	.event = stopped__event,
};
