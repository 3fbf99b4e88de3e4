// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Causes: failed calls of the kernel that come with the function that made the error
 * and with the reason (RDMA's), below the calls of libraries around them: from
 * ncclCommInitRank over ibv_modify_qp to rdma_get_gid_attr in one line. Equal
 * failures are one line, and a finding.
 */
#include <stdio.h>
#include <string.h>
#include "base/fmt.h"
#include "model/output/analyzer.h"
#include "model/picture/around.h"
#include "model/value.h"

#define MAX_ROWS 64
#define MAX_OPEN 64	/* failures whose calls around them may still return */
#define LEN 256

struct rec_cause {
	const char *outer, *caller, *function, *error, *origin, *cause, *advice, *process;
	uint64_t times, at_ns, pid, until_end_ns;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_cause, times, U64, COUNT, "times"),
	XPT_FIELD(struct rec_cause, outer, STR, NONE, "for"),
	XPT_FIELD(struct rec_cause, caller, STR, NONE, "call"),
	XPT_FIELD(struct rec_cause, function, STR, NONE, ""),
	XPT_FIELD(struct rec_cause, error, STR, NONE, "error"),
	XPT_FIELD(struct rec_cause, origin, STR, NONE, "made by"),
	XPT_FIELD(struct rec_cause, cause, STR, NONE, ""),
	XPT_FIELD(struct rec_cause, advice, STR, NONE, ""),
	XPT_FIELD(struct rec_cause, process, STR, NONE, ""),
	XPT_FIELD(struct rec_cause, pid, U64, NONE, ""),
	XPT_FIELD(struct rec_cause, at_ns, U64, AT, ""),
	XPT_FIELD(struct rec_cause, until_end_ns, U64, NS, ""),
};

static const struct xpt_schema schema = {
	.name = "causes", .title = "Errors that the kernel made",
	.help = "Failed calls of the kernel with the calls of libraries around them, the function that "
		"made the error, and why; until_end_ns: from the last of them to the end of the process",
	.layout = XPT_LAYOUT_TABLE, .order = 94, XPT_RECORD(struct rec_cause, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct row {
	const struct xpt_fn *fn;
	const struct xpt_proc *proc;	/* NULL: forgotten */
	int64_t ret;
	uint64_t at_ns, last_ns, end_ns, times;
	uint32_t pid;
	char origin[LEN], cause[LEN], advice[LEN], error[48], comm[16];
	char caller[XPT_AROUND_NAME], outer[XPT_AROUND_NAME];
};

struct open {
	struct xpt_around around;
	struct row row;
};

struct causes {
	uint64_t lost;
	uint64_t last_start_ns;	/* of those in open[] */
	uint32_t nr, nr_open;
	struct row row[MAX_ROWS];
	struct open open[MAX_OPEN];	/* the oldest first */
};

static void copy_text(const struct xpt_call *c, enum xpt_role role, char *to)
{
	int8_t i = c->fn->role_idx[role];
	const char *s = i >= 0 ? xpt_call__string(c, (unsigned)i) : NULL;

	snprintf(to, LEN, "%s", s ? s : "");
}

static bool is_like(const struct row *a, const struct row *b)
{
	return a->fn == b->fn && a->ret == b->ret && a->pid == b->pid &&
	       !strcmp(a->comm, b->comm) && !strcmp(a->origin, b->origin) &&
	       !strcmp(a->cause, b->cause) && !strcmp(a->caller, b->caller) &&
	       !strcmp(a->outer, b->outer);
}

/* The oldest that is open: nothing around it is waited for any longer. */
static void close_first(struct causes *s)
{
	struct row add = s->open[0].row;
	uint32_t i;

	memcpy(add.caller, s->open[0].around.caller, sizeof(add.caller));
	memcpy(add.outer, s->open[0].around.outer, sizeof(add.outer));
	memmove(&s->open[0], &s->open[1], --s->nr_open * sizeof(s->open[0]));
	for (i = 0; i < s->nr; i++) {
		if (!is_like(&s->row[i], &add))
			continue;
		s->row[i].times++;
		s->row[i].last_ns = add.last_ns;
		return;
	}
	if (s->nr == MAX_ROWS)
		s->lost++;
	else
		s->row[s->nr++] = add;
}

static void take_call(struct causes *s, const struct xpt_call *c)
{
	char number[32];
	struct open *o;

	if (s->nr_open == MAX_OPEN)
		close_first(s);
	o = &s->open[s->nr_open++];
	xpt_around__begin(&o->around, c);
	o->row = (struct row){ .fn = c->fn, .proc = c->proc, .ret = c->ret, .times = 1,
			       .at_ns = c->start_ns + c->dur_ns, .last_ns = c->start_ns + c->dur_ns,
			       .pid = c->proc->pid };
	copy_text(c, XPT_ROLE_ORIGIN, o->row.origin);
	copy_text(c, XPT_ROLE_CAUSE, o->row.cause);
	copy_text(c, XPT_ROLE_ADVICE, o->row.advice);
	snprintf(o->row.error, sizeof(o->row.error), "%s",
		 xpt_call__result_name(c, number, sizeof(number)));
	snprintf(o->row.comm, sizeof(o->row.comm), "%s", c->proc->comm);
	if (c->start_ns > s->last_start_ns)
		s->last_start_ns = c->start_ns;
}

static void on_call(struct causes *s, const struct xpt_call *c)
{
	uint32_t i;

	if (c->failed && c->fn->role_idx[XPT_ROLE_CAUSE] >= 0) {
		take_call(s, c);
		return;
	}
	if (c->start_ns > s->last_start_ns)	/* most calls, in most traces all */
		return;
	for (i = 0; i < s->nr_open; i++)
		xpt_around__note(&s->open[i].around, c);
}

static void on_exit(struct causes *s, const struct xpt_proc *proc, uint64_t ts_ns)
{
	uint32_t i;

	for (i = 0; i < s->nr; i++)
		if (s->row[i].proc == proc)
			s->row[i].end_ns = ts_ns;
	for (i = 0; i < s->nr_open; i++)
		if (s->open[i].row.proc == proc)
			s->open[i].row.end_ns = ts_ns;
}

static void forget_gone(struct causes *s)
{
	uint32_t i;

	for (i = 0; i < s->nr; i++)
		if (s->row[i].proc && s->row[i].proc->forgotten)
			s->row[i].proc = NULL;
	for (i = 0; i < s->nr_open; i++)
		if (s->open[i].row.proc && s->open[i].row.proc->forgotten)
			s->open[i].row.proc = s->open[i].around.proc = NULL;
}

static void find_cause(const struct row *r, struct xpt_out *out)
{
	char text[3 * LEN], when[32], often[32] = "", around[2 * XPT_AROUND_NAME + 32] = "";
	struct xpt_finding f = {
		.kind = "kernel_error", .weight = XPT_WEIGHT_BROKEN, .at_ns = r->at_ns,
		.proc = r->proc, .text = text, .advice = r->advice,
	};

	if (r->caller[0])
		snprintf(around, sizeof(around), "%s%s%s%s", r->caller, r->outer[0] ? " for " : "",
			 r->outer, ", ");
	if (r->times > 1)
		snprintf(often, sizeof(often), "%llu times, ", (unsigned long long)r->times);
	snprintf(text, sizeof(text), "%s%s failed in the kernel with %s, made by %s, %sin %s[%u], first %s "
		 "after the start: %s.", around, r->fn->name, r->error, r->origin[0] ? r->origin : "itself",
		 often, r->comm, r->pid, xpt_fmt_ns(xpt_out__since(out, r->at_ns), when, sizeof(when)), r->cause);
	xpt_out__finding(out, &f);
}

static void report_all(struct causes *s, struct xpt_out *out)
{
	uint32_t i;

	while (s->nr_open)
		close_first(s);
	for (i = 0; i < s->nr; i++) {
		const struct row *r = &s->row[i];
		struct rec_cause rec = {
			.outer = r->outer, .caller = r->caller, .function = r->fn->name,
			.error = r->error, .origin = r->origin, .cause = r->cause, .advice = r->advice,
			.process = r->comm, .times = r->times, .at_ns = xpt_out__since(out, r->at_ns), .pid = r->pid,
			.until_end_ns = r->end_ns > r->last_ns ? r->end_ns - r->last_ns : XPT_ABSENT,
		};

		xpt_out__emit(out, &schema, &rec);
		find_cause(r, out);
	}
	if (s->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, s->lost);
}

static void causes__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct causes *s = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(s, &ev->u.call);
		break;
	case XPT_EV_EXIT:
		on_exit(s, ev->u.proc.proc, ev->ts_ns);
		break;
	case XPT_EV_FORGET:
		forget_gone(s);
		break;
	case XPT_EV_END:
		report_all(s, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_causes = {
	.name = "causes",
	.help = "errors that the kernel made, and the calls around them",
	.emits = emits,
	.state_size = sizeof(struct causes),
	.event = causes__event,
};
