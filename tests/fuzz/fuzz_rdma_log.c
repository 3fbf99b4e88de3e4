/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes what is read of the log of a job: the input is the log. What comes out of it ends,
 * controls no terminal, and each line and each call is used once, by calls that it may be about.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "rdma/trace/job_log/nccl_fit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check_text(const char *s, size_t size)
{
	size_t n = strnlen(s, size), len;
	uint32_t cp;

	MUST(n < size);
	for (; n; s += len, n -= len) {
		len = xpt_utf8__decode(s, n, &cp);
		MUST(len && !xpt_utf8__is_hostile(cp));
	}
}

static void check_table(const struct xpt_rdma_nccl *nccl)
{
	unsigned i;

	MUST(nccl->nr <= XPT_RDMA_NCCL_LINES && nccl->nr_counts <= XPT_RDMA_NCCL_COUNTS);
	for (i = 0; i < nccl->nr; i++) {
		const struct xpt_rdma_nccl_line *line = &nccl->line[i];

		check_text(line->form.host, sizeof(line->form.host));
		check_text(line->form.verb, sizeof(line->form.verb));
		check_text(line->form.text, sizeof(line->form.text));
		check_text(line->form.state, sizeof(line->form.state));
		MUST(line->form.kind == XPT_RDMA_LOG_CALL && line->verb < nccl->nr_verbs && line->number);
		MUST(line->form.code >= 0 && line->form.code <= 4095 && line->retries < line->number);
	}
	for (i = 0; i < nccl->nr_counts; i++) {
		check_text(nccl->count[i].name, sizeof(nccl->count[i].name));
		MUST(nccl->count[i].n && nccl->count[i].first);
	}
}

/* Calls as the lines name them, in the order of the lines and against it. */
static void offer_calls(struct xpt_rdma_nccl *nccl)
{
	unsigned i;

	for (i = 0; i < 2 * nccl->nr && i < 64; i++) {
		const struct xpt_rdma_log_form *f = &nccl->line[i % 2 ? i / 2 : nccl->nr - 1 - i / 2].form;
		struct xpt_rdma_trace t = {
			.method = f->verb, .caller = i % 3 ? f->verb : "", .shape = i % 5 ? "" : "INIT>RTR",
			.container = i % 7 ? "" : "c", .host = f->host, .pid = f->pid + !(i % 11), .tid = f->tid,
			.ns_pid = i % 13 ? 0 : f->pid, .ns_tid = f->tid, .ns_host = i % 2 ? f->host : "",
			.ret = f->code ? -f->code : -5, .wall_ns = i % 3 ? i / 4 : f->when.ns,
		};
		uint32_t call = xpt_rdma_nccl__offer(nccl, &t);

		if (!call)
			continue;
		nccl->call[call - 1].is_normal = !(i % 4);
		nccl->call[call - 1].way[0] = i % 5 ? 'a' : 'b';
	}
}

static void check_matches(const struct xpt_rdma_nccl *nccl)
{
	unsigned i;

	for (i = 0; i < nccl->nr; i++)
		if (nccl->line[i].call) {
			MUST(nccl->line[i].call <= nccl->nr_calls && !nccl->line[i].choices);
			MUST(nccl->call[nccl->line[i].call - 1].line == i + 1);
		}
	for (i = 0; i < nccl->nr_calls; i++) {
		const struct xpt_rdma_nccl_call *c = &nccl->call[i];

		MUST(c->line <= nccl->nr && (!c->line || nccl->line[c->line - 1].call));
		if (c->line)
			MUST(xpt_rdma_nccl__is_about(&nccl->line[c->line - 1], c) &&
			     xpt_rdma_nccl__who(&nccl->line[c->line - 1].form, c) != XPT_RDMA_STRANGER);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	struct xpt_rdma_nccl *nccl;

	if (!f)
		return 0;
	nccl = xpt_rdma_nccl__new();
	MUST(nccl && !xpt_rdma_nccl__read(nccl, f));
	fclose(f);
	check_table(nccl);
	offer_calls(nccl);
	MUST(!xpt_rdma_nccl__match(nccl));
	check_matches(nccl);
	xpt_rdma_nccl__free(nccl);
	return 0;
}
