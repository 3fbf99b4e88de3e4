// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_layer.h. The kernel tells of a call before it returns to the library,
 * so a look at its ring before each later record of the engine is enough for the
 * order. The whole of a call, as `rdma watch -o` writes it, goes with it as META.
 */
#include "session/rdma/rdma_layer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "session/rdma/rdma_listen.h"
#include "proc/maps.h"
#include "engine/inject.h"
#include "wire/config.h"
#include "wire/rdma.h"
#include "session/usage.h"
#include "rdma/trace/trace.h"

/* For the library's call around one of the kernel; a busy machine is slow to take either. */
#define PATIENCE_NS 400000000ull
#define PATIENCE_STEPS 4
#define WAITING 64
#define NAMES 256
#define TEXTS 4				/* as the domain's row has them */
#define PARENTS 16
#define UNWANTED 256			/* processes that were judged, */
#define UNWANTED_NS 1000000000ull	/* and are not asked for this time */
#define COUNTS 1024			/* of processes and functions; more are not in the sums */

struct waiting {
	uint64_t since_ns, step;
	char *json;			/* NULL: none goes with it */
	union {
		struct xpt_rec_call call;
		uint64_t space[(sizeof(struct xpt_rec_call) + TEXTS * 8 + XPT_STR_MAX) / 8 + 1];
	};
};

struct counted {			/* calls of a process, as they came; errors: of one code */
	uint32_t tgid, fn, method;
	int64_t code;
	struct xpt_wire_count n;
};

struct unwanted {
	uint32_t tgid;
	uint64_t ns;
};

struct xpt_rdma_layer {
	struct xpt_rdma_layer_cfg cfg;
	struct xpt_engine *e;
	const struct xpt_domain *domain;
	struct xpt_rdma_listen *listen;
	uint64_t read_ns, calls, steps;	/* read_ns: when the kernel's ring was looked at */
	bool all;			/* no other process's calls come here */
	bool telling;			/* a record is ours: no reason to look at the ring within a look at it */
	struct {
		char text[96];
		uint32_t fn;
	} name[NAMES];
	unsigned nr_names;
	struct waiting waiting[WAITING];	/* the oldest first */
	struct counted count[COUNTS];	/* code 0: all calls; else those that returned it */
	unsigned nr_waiting, nr_counts;
	uint64_t unnamed, uncounted;	/* calls beyond NAMES and COUNTS */
	uint64_t heard;			/* of whomever */
	struct unwanted unwanted[UNWANTED];
};

/* --- out ------------------------------------------------------------------------- */

/* The i-th of those that wait goes, at that depth. */
static void release(struct xpt_rdma_layer *l, unsigned i, unsigned depth)
{
	struct waiting w = l->waiting[i];

	l->nr_waiting--;
	memmove(&l->waiting[i], &l->waiting[i + 1], (l->nr_waiting - i) * sizeof(w));
	w.call.depth = (uint8_t)(depth < XPT_MAX_DEPTH ? depth : XPT_MAX_DEPTH - 1);
	w.call.flags |= depth ? XPT_CALL_NESTED : 0;
	l->telling = true;
	xpt_engine__tell_call(l->e, &w.call);
	l->telling = false;
	if (w.json)
		xpt_engine__tell_meta(l->e, XPT_RDMA_TRACE_META, w.json);
	free(w.json);
}

static void release_old(struct xpt_rdma_layer *l, uint64_t now)
{
	while (l->nr_waiting && now - l->waiting[0].since_ns >= PATIENCE_NS &&
	       l->steps - l->waiting[0].step >= PATIENCE_STEPS)
		release(l, 0, 0);
}

/* --- a call ---------------------------------------------------------------------- */

/* Its function: "modify_qp INIT>RTR". 0: none is left. */
static uint32_t fn_of(struct xpt_rdma_layer *l, const struct xpt_rdma_heard *h)
{
	char text[sizeof(l->name[0].text)];
	unsigned i;

	snprintf(text, sizeof(text), "%.60s%s%.30s", h->method, *h->shape ? " " : "", h->shape);
	for (i = 0; i < l->nr_names; i++)
		if (!strcmp(l->name[i].text, text))
			return l->name[i].fn;
	if (i == NAMES || xpt_engine__add_fn(l->e, l->domain, l->domain->rows, text, &l->name[i].fn))
		return 0;
	snprintf(l->name[i].text, sizeof(l->name[i].text), "%s", text);
	l->nr_names++;
	return l->name[i].fn;
}

static void add_texts(struct xpt_rec_call *c, const char *const *texts)
{
	char *to = (char *)&c->val[TEXTS];
	size_t n;
	int i;

	for (i = 0; i < TEXTS; i++) {
		n = strnlen(texts[i], XPT_STR_EACH - 1);
		memcpy(to, texts[i], n);
		to[n] = '\0';
		to += n + 1;
		c->val[i] = 0;
	}
	c->nr_vals = TEXTS;
	c->valid = (1u << TEXTS) - 1;
	c->str_len = (uint16_t)(to - (char *)&c->val[TEXTS]);
	n = sizeof(*c) + TEXTS * sizeof(c->val[0]) + c->str_len;
	c->rec.size = (uint16_t)((n + 7) & ~(size_t)7);
}

static void fill_call(struct xpt_rec_call *c, const struct xpt_rdma_heard *h)
{
	const char *texts[TEXTS] = { h->device, h->origin, h->cause, h->advice };

	c->rec.kind = XPT_REC_CALL;
	c->start_ns = h->start_ns;
	c->dur_ns = h->dur_ns;
	c->tgid = h->tgid;
	c->tid = h->tid;
	c->ret = h->ret;
	c->flags = h->failed ? XPT_CALL_FAILED : 0;
	add_texts(c, texts);
}

/* In the slot that the kernel's own histograms have it: 2^(s-1) < ns <= 2^s. */
static unsigned slot_of(uint64_t ns)
{
	unsigned slot = ns > 1 ? 64 - (unsigned)__builtin_clzll(ns - 1) : 0;

	return slot < XPT_HIST_SLOTS ? slot : XPT_HIST_SLOTS - 1;
}

static void count(struct xpt_rdma_layer *l, const struct xpt_rec_call *c, uint32_t method, int64_t code)
{
	uint32_t tgid = c->tgid;
	struct counted *k;
	unsigned i;

	for (i = 0; i < l->nr_counts; i++) {
		k = &l->count[i];
		if (k->fn == c->rec.fn && k->code == code && k->tgid == tgid)
			break;
	}
	if (i == COUNTS) {
		l->uncounted += !code;
		return;
	}
	k = &l->count[i];
	if (i == l->nr_counts) {
		l->nr_counts++;
		*k = (struct counted){ .tgid = tgid, .fn = c->rec.fn, .method = method, .code = code };
	}
	k->n.calls++;
	k->n.errors += !!(c->flags & XPT_CALL_FAILED);
	k->n.time_ns += c->dur_ns;
	k->n.hist[slot_of(c->dur_ns)]++;
	if (c->dur_ns > k->n.max_ns)
		k->n.max_ns = c->dur_ns;
}

/*
 * The engine judges a process at its first call of a library, and this may be one that has none
 * yet. Of one that has ended meanwhile the call itself tells its name and user.
 */
static bool is_selected(const struct xpt_select *s, const struct xpt_rdma_heard *h)
{
	static struct xpt_procinfo info;	/* 8 KiB; one thread */
	bool there = !xpt_proc__read((int)h->tgid, &info);
	unsigned i;

	if (there ? xpt_select__why_not(s, (int)h->tgid) != NULL :
	    xpt_select__bits(s) & XPT_SELECT_CGROUP ||
	    (xpt_select__bits(s) & XPT_SELECT_UID && xpt_select__uid(s) != h->uid))
		return false;
	if (!xpt_select__by_comm(s))
		return true;
	if (!there)
		return xpt_select__comm_matches(s, h->comm);
	for (i = 0; i < PARENTS; i++) {		/* a child of such a process is one, too */
		if (xpt_select__comm_matches(s, info.comm))
			return true;
		if (info.ppid <= 1 || xpt_proc__read((int)info.ppid, &info))
			break;
	}
	return false;
}

static bool is_wanted(struct xpt_rdma_layer *l, const struct xpt_rdma_heard *h)
{
	struct unwanted *u = &l->unwanted[h->tgid % UNWANTED];
	uint64_t now;

	if (l->all || xpt_engine__traces(l->e, (int)h->tgid))
		return true;
	if (!l->cfg.select)
		return false;
	now = xpt_now_ns();
	if (u->tgid == h->tgid && now - u->ns < UNWANTED_NS)
		return false;
	if (is_selected(l->cfg.select, h))
		return true;
	*u = (struct unwanted){ h->tgid, now };
	return false;
}

static void on_call(struct xpt_rdma_layer *l, const struct xpt_rdma_heard *h)
{
	struct waiting *w;
	uint32_t fn;

	l->heard++;
	if (!is_wanted(l, h))
		return;
	fn = fn_of(l, h);
	if (!fn) {
		l->unnamed++;
		return;
	}
	if (l->nr_waiting == WAITING)
		release(l, 0, 0);
	w = &l->waiting[l->nr_waiting];
	memset(w, 0, sizeof(*w));
	w->call.rec.fn = fn;
	fill_call(&w->call, h);
	count(l, &w->call, h->nr, 0);
	if (h->failed)
		count(l, &w->call, h->nr, h->ret);
	if (l->cfg.errors_only && !h->failed)
		return;
	w->json = h->json ? strdup(h->json) : NULL;
	w->since_ns = xpt_now_ns();
	w->step = l->steps;
	l->nr_waiting++;
	if (!l->cfg.nested)
		release(l, l->nr_waiting - 1, 0);
}

static void on_heard(void *ctx, const struct xpt_rdma_heard *h)
{
	struct xpt_rdma_layer *l = ctx;

	if (h->tgid)
		on_call(l, h);
	else if (h->json)
		xpt_engine__tell_meta(l->e, XPT_RDMA_TRACE_META, h->json);
}

static void take(struct xpt_rdma_layer *l)
{
	l->read_ns = xpt_now_ns();
	xpt_rdma_listen__read(l->listen);
}

void xpt_rdma_layer__before(struct xpt_rdma_layer *l, const struct xpt_rec *rec)
{
	const struct xpt_rec_call *c = (const void *)rec;
	uint64_t end;
	unsigned i;

	if (!l || !l->e || l->telling || rec->kind != XPT_REC_CALL)
		return;
	end = c->start_ns + c->dur_ns;
	if (end >= l->read_ns)
		take(l);
	for (i = 0; i < l->nr_waiting;) {
		const struct xpt_rec_call *w = &l->waiting[i].call;

		if (w->tid == c->tid && w->start_ns >= c->start_ns && w->start_ns + w->dur_ns <= end)
			release(l, i, c->depth + 1u);
		else
			i++;
	}
}

void xpt_rdma_layer__step(struct xpt_rdma_layer *l)
{
	if (!l || !l->e)
		return;
	l->steps++;
	take(l);
	xpt_rdma_listen__step(l->listen);
	release_old(l, xpt_now_ns());
}

/* --- begin and end --------------------------------------------------------------- */

int xpt_rdma_layer__new(const struct xpt_rdma_layer_cfg *cfg, struct xpt_rdma_layer **ret_l)
{
	struct xpt_rdma_layer *l = calloc(1, sizeof(*l));

	*ret_l = l;
	if (!l)
		return XPT_EXIT_FAILED;
	l->cfg = *cfg;
	l->domain = xpt_domain__find("rdma");
	return xpt_rdma_listen__new(cfg->command, on_heard, l, &l->listen);
}

int xpt_rdma_layer__start(struct xpt_rdma_layer *l, struct xpt_engine *e, const int *pids, unsigned nr)
{
	int status = xpt_rdma_listen__start(l->listen, pids, nr);

	l->cfg.select = nr ? NULL : l->cfg.select;	/* who was named by number has been asked */
	l->all = l->cfg.all || (nr && nr <= XPT_RDMA_TARGETS);
	l->e = status < 0 ? e : NULL;
	return status;
}

/* What was not sent, because there was too much of it, is of no process. */
static void add_method(void *ctx, uint32_t nr, uint64_t calls, uint64_t ns)
{
	struct xpt_rdma_layer *l = ctx;
	struct xpt_wire_count_key k = { .sub = XPT_DIR_NONE };
	struct xpt_wire_count n = { .calls = calls, .time_ns = ns };
	const struct counted *c;

	l->calls += calls;
	for (c = l->count; c < l->count + l->nr_counts; c++) {
		if (c->method != nr || c->code)
			continue;
		k.fn = (uint16_t)c->fn;
		n.calls -= c->n.calls < n.calls ? c->n.calls : n.calls;
		n.time_ns -= c->n.time_ns < n.time_ns ? c->n.time_ns : n.time_ns;
	}
	if (l->all && n.calls && k.fn)
		xpt_engine__tell_count(l->e, &k, &n);
}

static void tell_sums(struct xpt_rdma_layer *l)
{
	const struct counted *c;

	for (c = l->count; c < l->count + l->nr_counts; c++) {
		struct xpt_wire_count_key key = { c->tgid, (uint16_t)c->fn,
						  XPT_DIR_NONE | (l->cfg.nested ? XPT_SUB_NESTED : 0), 0 };
		struct xpt_wire_error_key error = { c->tgid, c->fn, c->code };

		if (c->code)
			xpt_engine__tell_errors(l->e, &error, c->n.calls);
		else
			xpt_engine__tell_count(l->e, &key, &c->n);
	}
}

uint64_t xpt_rdma_layer__finish(struct xpt_rdma_layer *l)
{
	if (!l || !l->e)
		return 0;
	take(l);
	while (l->nr_waiting)
		release(l, 0, 0);
	if (l->unnamed)
		xpt_warn("%" PRIu64 " RDMA calls are not told: more than %u kinds", l->unnamed, NAMES);
	if (l->uncounted)
		xpt_warn("%" PRIu64 " RDMA calls are in no sum: too many processes and methods",
			 l->uncounted);
	xpt_rdma_listen__sums(l->listen, add_method, l);
	if (!l->all && l->calls > l->heard)
		xpt_info("%" PRIu64 " RDMA calls of this machine came too fast to look at each; those of the traced "
			 "processes are in no sum", l->calls - l->heard);
	tell_sums(l);
	return l->calls;
}

void xpt_rdma_layer__free(struct xpt_rdma_layer *l)
{
	if (!l)
		return;
	while (l->nr_waiting)
		free(l->waiting[--l->nr_waiting].json);
	xpt_rdma_listen__free(l->listen);
	free(l);
}
