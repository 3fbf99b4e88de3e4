/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CUDA graphs: how many were instantiated, the time for that, and how often each was then launched. Instantiation
 * costs as much as dozens of launches, so it pays only if a graph is launched repeatedly.
 *
 * An executable graph is recognized by its calls: a call made it from another graph, and it is launched. Copies of
 * graphs are never launched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/mean.h"
#include "model/call.h"
#include "model/forget.h"
#include "model/output/analyzer.h"

#define MAX_OPEN 65536
#define MAX_PROCS 4096
#define TOP 5
#define MIN_STORM 20		/* fewer are start-up: one for each shape of the input */
#define MAX_LAUNCHES 3		/* per graph, on average, in a storm */
#define MIN_SHARE 0.01		/* of the wall time */
#define TEXT_LEN 400

struct rec_graphs {
	const char *comm;
	uint64_t pid, instantiated, launched, launches, instantiate_ns, destroy_ns, mean_ns;
	double launches_each;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_graphs, comm, STR, NONE, "process"),
	XPT_FIELD(struct rec_graphs, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_graphs, instantiated, U64, COUNT, "made"),
	XPT_FIELD(struct rec_graphs, launched, U64, COUNT, ""),
	XPT_FIELD(struct rec_graphs, instantiate_ns, U64, NS, "time"),
	XPT_FIELD(struct rec_graphs, mean_ns, U64, NS, "mean"),
	XPT_FIELD(struct rec_graphs, destroy_ns, U64, NS, ""),
	XPT_FIELD(struct rec_graphs, launches, U64, COUNT, "launches"),
	XPT_FIELD(struct rec_graphs, launches_each, F64, NONE, "for each"),
};

static const struct xpt_schema schema = {
	.name = "graphs", .title = "Graphs",
	.help = "Graphs made out of other graphs (instantiated, cloned) by process: time in these "
		"calls, how many of them were launched, and how often",
	.layout = XPT_LAYOUT_TABLE, .brief = 3, .order = 36, XPT_RECORD(struct rec_graphs, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct graph_key {
	const struct xpt_proc *proc;
	uint64_t handle;
};

struct graph {
	uint64_t launches, made_ns;	/* made_ns: duration of the instantiation */
	uint64_t since_ns;		/* when the call that made it returned */
};

struct user {
	const struct xpt_proc *proc;
	uint64_t made, launched, launches, made_ns, launched_made_ns, destroy_ns, first_ns;
};

struct graphs {
	struct xpt_hashmap *open;	/* struct graph_key -> struct graph */
	struct xpt_hashmap *users;	/* proc pointer -> struct user */
};

static void on_made(struct graphs *g, const struct xpt_call *c, struct xpt_out *out)
{
	struct graph_key key = { .proc = c->proc };
	struct graph *graph;
	struct user *u;

	if (c->fn->kind != XPT_KIND_GRAPH || c->fn->role_idx[XPT_ROLE_GRAPH] < 0 ||
	    !xpt_call__role(c, XPT_ROLE_HANDLE, &key.handle))
		return;
	u = xpt_hashmap__get(g->users, &c->proc, NULL);
	if (u)
		u->proc = c->proc;
	graph = u ? xpt_hashmap__get(g->open, &key, NULL) : NULL;
	if (!graph) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return;
	}
	if (!u->made++)
		u->first_ns = c->start_ns;
	u->made_ns += c->dur_ns;
	*graph = (struct graph){ .made_ns = c->dur_ns,
				  .since_ns = xpt_call__end_ns(c) };
}

static void on_launch(struct graphs *g, const struct xpt_call *c)
{
	struct graph_key key = { .proc = c->proc };
	struct graph *graph;
	struct user *u;

	if (!xpt_call__role(c, XPT_ROLE_GRAPH, &key.handle))
		return;
	graph = xpt_hashmap__find(g->open, &key);
	u = graph ? xpt_hashmap__find(g->users, &c->proc) : NULL;
	if (!u)
		return;
	u->launches++;
	if (!graph->launches++) {
		u->launched++;
		u->launched_made_ns += graph->made_ns;
	}
}

static void on_destroy(struct graphs *g, const struct xpt_call *c)
{
	struct graph_key key = { .proc = c->proc };
	const struct graph *graph;
	struct user *u;

	if (c->fn->kind != XPT_KIND_GRAPH || !xpt_call__role(c, XPT_ROLE_HANDLE, &key.handle))
		return;
	graph = xpt_hashmap__find(g->open, &key);
	if (graph && !xpt_call__may_end(c, graph->since_ns))
		return;
	u = graph ? xpt_hashmap__find(g->users, &c->proc) : NULL;
	if (u && graph->launches)
		u->destroy_ns += c->dur_ns;
	xpt_hashmap__del(g->open, &key);
}

static void on_call(struct graphs *g, const struct xpt_call *c, struct xpt_out *out)
{
	if (c->failed || !xpt_call__counts(c))
		return;
	if (c->fn->cls == XPT_CLASS_CREATE)
		on_made(g, c, out);
	else if (c->fn->cls == XPT_CLASS_LAUNCH && xpt_hashmap__len(g->open))
		on_launch(g, c);
	else if (c->fn->cls == XPT_CLASS_DESTROY && xpt_hashmap__len(g->open))
		on_destroy(g, c);
}

/* Returns the time that one graph, launched again and again, would have saved. */
static uint64_t lost_of(const struct user *u)
{
	uint64_t ns = u->launched_made_ns + u->destroy_ns;

	return u->launched ? ns - ns / u->launched : 0;
}

static bool is_storm(const struct user *u, const struct xpt_out *out)
{
	uint64_t wall = xpt_out__wall_ns(out, u->proc);

	return u->launched >= MIN_STORM && u->launches <= MAX_LAUNCHES * u->launched && wall &&
	       (double)lost_of(u) >= MIN_SHARE * (double)wall;
}

static void report_user(const struct user *u, struct xpt_out *out)
{
	uint64_t wall = xpt_out__wall_ns(out, u->proc);
	char text[TEXT_LEN], n[16], each[16], lost[16];
	struct xpt_finding f = {
		.kind = "graph_storm", .weight = XPT_WEIGHT_SLOW, .lost_ns = lost_of(u),
		.at_ns = u->first_ns, .proc = u->proc, .text = text, .alike = "",
		.advice = "Instantiate a graph once for each shape of the work and launch it again; "
			  "change arguments in place (cuGraphExecUpdate).",
	};

	if (!is_storm(u, out))
		return;
	snprintf(text, sizeof(text),
		 "%s[%u] instantiated %s graphs and launched each %s times: %s went into making and "
		 "destroying them, %.1f %% of the wall time.", u->proc->comm, u->proc->pid,
		 xpt_fmt_count(u->launched, n, sizeof(n)),
		 (snprintf(each, sizeof(each), "%.1f",
			   (double)u->launches / (double)u->launched), each),
		 xpt_fmt_ns(f.lost_ns, lost, sizeof(lost)),
		 100.0 * (double)f.lost_ns / (double)wall);
	xpt_out__finding(out, &f);
}

static int by_time(const void *a, const void *b)
{
	const struct user *x = *(struct user *const *)a, *y = *(struct user *const *)b;

	if (x->made_ns != y->made_ns)
		return x->made_ns < y->made_ns ? 1 : -1;
	return x->proc->pid < y->proc->pid ? -1 : x->proc->pid > y->proc->pid;
}

/* Keeps the graphs that would be shown. */
static void keep_shown(struct graphs *g, const struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	xpt_forget__keep_first(g->users, by_time, TOP);
	while (xpt_hashmap__next(g->users, &pos, NULL, &val)) {
		const struct user *u = val;

		if (u->proc->forgotten && is_storm(u, out))
			xpt_proc__keep(u->proc);
	}
}

static void on_end(struct graphs *g, struct xpt_out *out)
{
	size_t nr;
	void **all = xpt_hashmap__sorted(g->users, by_time, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct user *u = all[i];
		struct rec_graphs rec = {
			.comm = u->proc->comm, .pid = u->proc->pid, .instantiated = u->made,
			.launched = u->launched, .launches = u->launches,
			.instantiate_ns = u->made_ns, .destroy_ns = u->destroy_ns,
			.mean_ns = xpt_mean(u->made_ns, u->made),
			.launches_each = u->launched ? (double)u->launches / (double)u->launched : 0,
		};

		if (i < TOP)
			xpt_out__emit(out, &schema, &rec);
		if (!xpt_out__misses_any(out))
			report_user(u, out);
	}
	free(all);
}

static void graphs__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct graphs *g = st;

	if (ev->kind == XPT_EV_CALL)
		on_call(g, &ev->u.call, out);
	else if (ev->kind == XPT_EV_FORGET)
		keep_shown(g, out);
	else if (ev->kind == XPT_EV_END)
		on_end(g, out);
}

const struct xpt_analyzer xpt_analyzer_graphs = {
	.name = "graphs",
	.help = "graphs made ready to run, and how often each was launched",
	.emits = emits,
	.state_size = sizeof(struct graphs),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct graphs, open, struct graph_key, struct graph, MAX_OPEN, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct graphs, users, void *, struct user, MAX_PROCS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.event = graphs__event,
};
