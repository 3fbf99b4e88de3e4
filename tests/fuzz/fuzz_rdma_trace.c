/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the reader of RDMA traces: the input is a file of JSON lines. What
 * comes out keeps the rules of trace.h and, written and read again, is the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rdma/trace_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check_tree(const struct xpt_rdma_trace *t)
{
	uint32_t i;

	MUST(t->nr <= XPT_RDMA_TRACE_NODES && t->nr_log <= XPT_RDMA_TRACE_LOG && *t->method);
	for (i = 0; i < t->nr; i++) {
		MUST(*t->node[i].fn && t->node[i].module && t->node[i].ret_type < XPT_NR_RETS);
		MUST(t->node[i].nr_args <= XPT_RDMA_TRACE_ARGS);
		MUST(i ? t->node[i].depth && t->node[i].depth <= t->node[i - 1].depth + 1 :
			 !t->node[i].depth);
	}
	for (i = 0; i < t->nr_log; i++)
		MUST(t->log[i]);
}

static void check_again(const struct xpt_rdma_trace *t)
{
	struct xpt_rdma_trace *again;
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, XPT_RDMA_LINE_MAX);
	xpt_rdma_trace__print(t, &sb);
	if (!xpt_strbuf__err(&sb)) {
		MUST(!xpt_rdma_trace__parse(sb.s, sb.len, &again));
		check_tree(again);
		MUST(again->nr == t->nr && again->ret == t->ret && again->flags == t->flags);
		xpt_rdma_trace__free(again);
	}
	xpt_strbuf__free(&sb);
}

static int each(void *ctx, struct xpt_rdma_trace *t)
{
	(void)ctx;
	check_tree(t);
	check_again(t);
	xpt_rdma_trace__free(t);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xpt_rdma_lines lines;
	FILE *f = size ? fmemopen((void *)data, size, "r") : NULL;

	if (f) {
		MUST(!xpt_rdma_traces__read(f, each, NULL, &lines));
		fclose(f);
	}
	return 0;
}
