/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the way from a record of the kernel-side programs to a trace: whatever
 * places, functions and numbers it has, the trace keeps the rules of trace.h.
 */
#include <stdlib.h>
#include <string.h>
#include "rdma/trace/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static char text[] = "\0f\0ib_uverbs\0modify_qp";
static struct xpt_rdma_module module = { .name = 3 };
static struct xpt_rdma_fn fns[XPT_RDMA_NR_RETS];
static struct xpt_rdma_call call = { .callee = 1 };
static struct xpt_rdma_root root = { .name = 13, .fn = 2, .route = XPT_RDMA_WRITE, .number = 26 };
static struct xpt_rdma_graph g = { .text = text, .nr_text = sizeof(text), .fns = fns,
				   .nr_fns = XPT_RDMA_NR_RETS, .modules = &module, .nr_modules = 1,
				   .calls = &call, .nr_calls = 1, .roots = &root, .nr_roots = 1 };

static struct {
	struct xpt_wire_rdma_rec r;
	struct xpt_wire_rdma_exit e[XPT_RDMA_EXITS];
} rec;
static struct xpt_rdma_box box;
static struct xpt_rdma_layout layouts[XPT_RDMA_NR_ASKED];

static void check(const struct xpt_rdma_trace *t)
{
	uint16_t v[XPT_RDMA_TRACE_NODES];
	uint32_t i, n = xpt_rdma_trace__chain(t, v, XPT_RDMA_TRACE_NODES);

	MUST(t->nr <= XPT_RDMA_EXITS && *t->method);
	for (i = 0; i < t->nr; i++) {
		MUST(*t->node[i].fn && t->node[i].nr_args <= XPT_RDMA_TRACE_ARGS);
		MUST(i ? t->node[i].depth && t->node[i].depth <= t->node[i - 1].depth + 1 :
			 !t->node[i].depth);
	}
	for (i = 0; i < n; i++)
		MUST(v[i] < t->nr && t->node[v[i]].depth == i);
	xpt_rdma_trace__is_expected(t);
	MUST(!t->asked_for || (t->asked_for->nr <= XPT_RDMA_ASKED_MEMBERS && t->asked_for->used < XPT_RDMA_ASKED_TEXT));
	if (!t->firmware)
		return;
	MUST(strlen(t->firmware->command) <= XPT_RDMA_COMMAND_TEXT && t->firmware->count);
	MUST(strlen(t->firmware->status_text) <= XPT_RDMA_COMMAND_TEXT && t->firmware->err <= 0);
}

/* Members at places that the bytes of the struct tell, within it and outside. */
static void make_layouts(void)
{
	unsigned kind, i;

	for (kind = 0; kind < XPT_RDMA_NR_ASKED; kind++) {
		layouts[kind].size = rec.r.asked.data[kind] * 2u;
		for (i = 0; i < XPT_RDMA_NR_FIELDS; i++)
			layouts[kind].field[i] = (struct xpt_kfield){ rec.r.asked.data[i + 8] * 2u,
								      1u << rec.r.asked.data[i + 64] % 5 };
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t fn[XPT_RDMA_NR_RETS], i;
	struct xpt_rdma_watchlist list = { .g = &g, .fn = fn, .nr = XPT_RDMA_NR_RETS,
					  .nr_plain = XPT_RDMA_NR_RETS - 1, .layouts = layouts };

	for (i = 0; i < XPT_RDMA_NR_RETS; i++) {
		fns[i] = (struct xpt_rdma_fn){ .name = 1, .ret = (uint8_t)i, .nr_calls = i == 2 };
		fn[i] = i;
	}
	memset(&rec, 0, sizeof(rec));
	memcpy(&rec, data, size < sizeof(rec) ? size : sizeof(rec));
	make_layouts();
	/* Ids that exist are rare among all numbers. */
	for (i = 0; i < XPT_RDMA_EXITS; i++)
		rec.e[i].fn %= XPT_RDMA_NR_RETS + 2;
	xpt_rdma_record__trace(&list, &rec.r, 0, &box);
	check(&box.t);
	return 0;
}
