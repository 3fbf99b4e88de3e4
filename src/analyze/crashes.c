/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Crashes: processes that ended inside a call, by a signal that the thread of that call
 * got there (SIGSEGV for a wrong host pointer, SIGABRT from an assertion), and processes
 * that the kernel killed because memory ran out. Findings only.
 *
 * A call of another thread that was open at the same time is not blamed: only the thread
 * that got the signal has it in its record. A signal that a handler survived is none,
 * since its call returned or was left; nor is one of a process that ended with status 0.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include "base/fmt.h"
#include "base/strbuf.h"
#include "model/output/analyzer.h"
#include "model/call.h"
#include "model/forget.h"
#include "model/memory/ledger.h"
#include "model/value.h"

#define MAX_CRASHES 256
#define ARGS_LEN 200
#define TEXT_LEN 900
#define NAME_LEN 24

static const struct xpt_schema *const emits[] = { NULL };

struct crash {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn, *outer;	/* outer: the outermost call around fn, or NULL */
	uint32_t tid;
	uint8_t signal;		/* 0: killed for lack of memory, fn is NULL then */
	uint64_t at_ns, age_ns;
	char args[ARGS_LEN];
	const char *place;	/* NULL without a stack */
};

/* The outermost call of the thread whose open calls are being received. */
struct outermost {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;
	uint64_t end_ns;
	uint32_t tid;
};

struct crashes {
	struct outermost last;
	size_t nr;
	struct crash crash[MAX_CRASHES];
};

static struct crash *new_crash(struct crashes *s, struct xpt_out *out)
{
	if (s->nr == MAX_CRASHES) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return NULL;
	}
	return &s->crash[s->nr++];
}

/* The calls of a thread that ended come from the outermost on, at one time. */
static void on_inflight(struct crashes *s, const struct xpt_call *c, struct xpt_out *out)
{
	struct xpt_block from = { .fn = c->fn, .stack = c->stack };
	struct outermost *o = &s->last;
	uint64_t end_ns = c->start_ns + c->dur_ns;
	struct crash *crash;

	if (!c->depth || o->proc != c->proc || o->tid != c->tid || o->end_ns != end_ns)
		*o = (struct outermost){ c->proc, c->fn, end_ns, c->tid };
	crash = c->signal ? new_crash(s, out) : NULL;
	if (!crash)
		return;
	*crash = (struct crash){ .proc = c->proc, .fn = c->fn, .tid = c->tid, .signal = c->signal,
				 .outer = o->fn != c->fn ? o->fn : NULL, .at_ns = end_ns,
				 .age_ns = c->dur_ns, .place = xpt_block__place(&from) };
	xpt_call__copy_args(c, crash->args, sizeof(crash->args));
}

static void note_exit(struct crashes *s, const struct xpt_proc *proc, uint64_t ts_ns,
		    struct xpt_out *out)
{
	struct crash *crash = proc->out_of_memory ? new_crash(s, out) : NULL;

	if (crash)
		*crash = (struct crash){ .proc = proc, .at_ns = ts_ns };
}

static void forget_gone(struct crashes *s)
{
	size_t kept = 0;

	if (s->last.proc && s->last.proc->forgotten)
		s->last.proc = NULL;
	for (size_t i = 0; i < s->nr; i++)
		if (!s->crash[i].proc->forgotten || xpt_proc__keep(s->crash[i].proc))
			s->crash[kept++] = s->crash[i];
	s->nr = kept;
}

static const char *advice_for(const struct crash *c)
{
	if (c->signal == SIGABRT)
		return "Standard error tells why abort() was called: a failed assertion, an "
		       "exception that nobody caught, or a damaged heap that was noticed here.";
	if (c->signal == SIGSEGV || c->signal == SIGBUS)
		return "Look at the pointers among the arguments, also those inside of what they "
		       "point to: the library uses host addresses as they are. A debugger or a "
		       "core file shows the instruction, which may be that of a callback.";
	return "A debugger or a core file shows the instruction.";
}

static void say_end(const struct crash *c, struct xpt_strbuf *sb)
{
	int status = c->proc->exit_status;
	char name[NAME_LEN];

	xpt_signal_name(c->signal, name, sizeof(name));
	if (WIFSIGNALED(status) && WTERMSIG(status) == c->signal)
		xpt_strbuf__addf(sb, "was killed by %s", name);
	else if (WIFSIGNALED(status))
		xpt_strbuf__addf(sb, "got %s and was killed by signal %d", name, WTERMSIG(status));
	else
		xpt_strbuf__addf(sb, "got %s and ended with status %d", name, WEXITSTATUS(status));
}

static void report_crash(const struct crash *c, struct xpt_out *out)
{
	char t[16], alike[48];
	struct xpt_finding f = { .kind = "crash", .weight = XPT_WEIGHT_STOPPED, .at_ns = c->at_ns,
				 .proc = c->proc, .advice = advice_for(c), .alike = alike };
	struct xpt_strbuf sb;

	snprintf(alike, sizeof(alike), "%u %u %d", c->fn->id, c->signal, c->proc->exit_status);
	xpt_strbuf__init(&sb, TEXT_LEN);
	xpt_strbuf__addf(&sb, "%s[%u] ", c->proc->comm, c->proc->pid);
	say_end(c, &sb);
	xpt_strbuf__addf(&sb, " inside %s(%s)", c->fn->name, c->args);
	if (c->outer)
		xpt_strbuf__addf(&sb, ", called by %s", c->outer->name);
	if (c->place)
		xpt_strbuf__addf(&sb, ", at %s", c->place);
	xpt_strbuf__addf(&sb, ", in thread %u, %s after the start.", (unsigned)c->tid,
			 xpt_fmt_ns(xpt_out__since(out, c->at_ns), t, sizeof(t)));
	f.text = xpt_strbuf__str(&sb);
	xpt_out__finding(out, &f);
	xpt_strbuf__free(&sb);
}

static void report_no_memory(const struct crash *c, struct xpt_out *out)
{
	char text[160];
	struct xpt_finding f = {
		.kind = "out_of_memory_kill", .weight = XPT_WEIGHT_STOPPED, .at_ns = c->at_ns,
		.proc = c->proc, .text = text, .alike = "",
		.advice = "Its control group or the machine had no host memory left: raise the limit "
			  "or keep less there. Pinned memory counts, and cannot be swapped out.",
	};

	snprintf(text, sizeof(text), "%s[%u] was killed by the kernel because host memory ran out.",
		 c->proc->comm, c->proc->pid);
	xpt_out__finding(out, &f);
}

static void on_end(const struct crashes *s, struct xpt_out *out)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct crash *c = &s->crash[i];

		if (!c->fn)
			report_no_memory(c, out);
		else if (c->proc->exit_ns && c->proc->exit_status)
			report_crash(c, out);
	}
}

static void crashes__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct crashes *s = st;

	switch (ev->kind) {
	case XPT_EV_INFLIGHT:
		on_inflight(s, &ev->u.call, out);
		break;
	case XPT_EV_EXIT:
		note_exit(s, ev->u.proc.proc, ev->ts_ns, out);
		break;
	case XPT_EV_FORGET:
		forget_gone(s);
		break;
	case XPT_EV_END:
		on_end(s, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_crashes = {
	.name = "crashes",
	.help = "processes that ended by a signal inside a call, or for lack of memory",
	.emits = emits,
	.state_size = sizeof(struct crashes),
	.event = crashes__event,
};
