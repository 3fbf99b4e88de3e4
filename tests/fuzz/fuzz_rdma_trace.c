/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the readers of RDMA traces and of merged ones: the input is a file of
 * JSON lines. What comes out keeps the rules of trace.h and, written and read again,
 * is the same; any of it can be judged. Lines of the kernel's log in it are read, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/verdict/judge.h"
#include "rdma/trace/trace_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check_firmware(const struct xpt_rdma_firmware *f)
{
	char text[256];

	MUST(strnlen(f->command, sizeof(f->command)) < sizeof(f->command));
	MUST(strnlen(f->status_text, sizeof(f->status_text)) < sizeof(f->status_text));
	MUST(f->source <= XPT_RDMA_BY_LOG && f->err <= 0 && f->err >= -4095);
	MUST(*xpt_rdma_firmware__text(f, text, sizeof(text)) && xpt_rdma_firmware__errno(f) >= 0);
}

static void check_tree(const struct xpt_rdma_trace *t)
{
	uint32_t i;

	MUST(t->nr <= XPT_RDMA_TRACE_NODES && t->nr_log <= XPT_RDMA_TRACE_LOG && *t->method);
	for (i = 0; i < t->nr; i++) {
		MUST(*t->node[i].fn && t->node[i].module && t->node[i].ret_type < XPT_RDMA_NR_RETS);
		MUST(t->node[i].nr_args <= XPT_RDMA_TRACE_ARGS);
		MUST(i ? t->node[i].depth && t->node[i].depth <= t->node[i - 1].depth + 1 :
			 !t->node[i].depth);
	}
	for (i = 0; i < t->nr_log; i++)
		MUST(t->log[i]);
	if (t->firmware)
		check_firmware(t->firmware);
	MUST(t->nr_events <= XPT_RDMA_TRACE_EVENTS);
	MUST(!t->moved || t->moved->nr <= XPT_RDMA_MOVED);
	MUST(!t->asked_for || (t->asked_for->nr <= XPT_RDMA_ASKED_MEMBERS && t->asked_for->used < XPT_RDMA_ASKED_TEXT));
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
		MUST(!again->firmware == !t->firmware && !again->moved == !t->moved);
		MUST(!again->asked_for == !t->asked_for && (!t->asked_for || again->asked_for->nr == t->asked_for->nr));
		xpt_rdma_trace__free(again);
	}
	xpt_strbuf__free(&sb);
}

/* Against itself there is no difference; every way of saying something is taken. */
static void check_judge(const struct xpt_rdma_trace *t)
{
	struct xpt_rdma_verdict v;
	struct xpt_rdma_key key;
	struct xpt_rdma_tree *tree;
	struct xpt_strbuf sb;

	xpt_rdma_key__of(t, &key);
	tree = xpt_rdma_tree__new(&key);
	MUST(tree);
	xpt_rdma_tree__add(tree, t, NULL);
	MUST(tree->nr <= t->nr);
	xpt_rdma_judge(t, NULL, tree, &v);
	MUST(v.chain.nr <= XPT_RDMA_CHAIN);
	xpt_strbuf__init(&sb, 1 << 20);
	xpt_rdma_verdict__text(t, &v, true, &sb);
	xpt_rdma_verdict__json(t, &v, &sb);
	MUST(!xpt_strbuf__err(&sb));
	xpt_strbuf__free(&sb);
	free(tree);
}

/* What the log tells of the firmware takes part in all of the above. */
static void check_log(struct xpt_rdma_trace *t)
{
	struct xpt_rdma_firmware f;

	if (!xpt_rdma_firmware__find(t->log, t->nr_log, t->tid, false, &f))
		return;
	MUST(f.count && f.count <= t->nr_log);
	t->firmware = &f;
	check_tree(t);
	check_again(t);
	check_judge(t);
}

static int each(void *ctx, struct xpt_rdma_trace *t)
{
	(void)ctx;
	check_tree(t);
	check_again(t);
	check_judge(t);
	check_log(t);
	xpt_rdma_trace__free(t);
	return 0;
}

/* Trees of good traces: what is read is printed, and read again the same. */
static int other(void *ctx, const char *line, size_t n)
{
	struct xpt_rdma_tree *tree, *again;
	struct xpt_strbuf sb;
	int err = xpt_rdma_tree__parse(line, n, &tree);

	(void)ctx;
	if (err)
		return err;
	xpt_strbuf__init(&sb, 1 << 20);
	xpt_rdma_tree__print(tree, &sb);
	MUST(!xpt_strbuf__err(&sb) && !xpt_rdma_tree__parse(sb.s, sb.len, &again));
	MUST(again->nr == tree->nr && again->traces == tree->traces);
	free(again);
	free(tree);
	xpt_strbuf__free(&sb);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xpt_rdma_sink sink = { .each = each, .other = other };
	struct xpt_rdma_lines lines;
	FILE *f = size ? fmemopen((void *)data, size, "r") : NULL;

	if (f) {
		MUST(!xpt_rdma_traces__read(f, &sink, &lines));
		fclose(f);
	}
	return 0;
}
