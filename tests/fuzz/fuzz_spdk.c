/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the way of `xputrace spdk annotate`: the input is a byte that says in which
 * pieces it is read, lines of a recording up to one that is empty, then a trace.
 * Whatever they say, all entries become lines, requests and slices, and the trace ends with one verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "spdk/join.h"
#include "spdk/latency_by.h"
#include "spdk/picture.h"
#include "spdk/spdk_line.h"
#include "spdk/spdk_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

struct source {
	const uint8_t *s;
	size_t n, chunk;
};

static ssize_t give(void *ctx, void *buf, size_t n)
{
	struct source *src = ctx;

	n = n < src->n ? n : src->n;
	n = n < src->chunk ? n : src->chunk;
	if (n)
		memcpy(buf, src->s, n);
	src->s += n;
	src->n -= n;
	return (ssize_t)n;
}

static void read_record(struct xpt_spdk_lives *l, const uint8_t *data, size_t n)
{
	struct xpt_spdk_record_stats st;
	FILE *f = n ? fmemopen((void *)data, n, "r") : NULL;

	if (f) {
		MUST(!xpt_spdk_record__read(f, l, &st));
		fclose(f);
	}
	MUST(!xpt_spdk_lives__build(l));
}

static void read_trace(struct xpt_spdk_trace *t, struct xpt_spdk_lives *l, bool compat)
{
	struct xpt_spdk_clock clock = { .rate = xpt_spdk_trace__rate(t), .first = 1000 };
	struct xpt_spdk_entry e;
	struct xpt_spdk_note note;
	struct xpt_spdk_join *j;
	struct xpt_spdk_states *s;
	struct xpt_spdk_picture *p;
	struct xpt_spdk_latency_by *by;
	struct xpt_spdk_io *io, *cut;
	enum xpt_spdk_step step;
	FILE *null = fopen("/dev/null", "w");
	struct xpt_strbuf sb;
	struct xpt_spdk_picture_stats drawn;
	int err;

	xpt_strbuf__init(&sb, 1 << 24);
	MUST(null && !xpt_spdk_states__new(clock.rate, &s) && !xpt_spdk_picture__new(null, &clock, &p));
	MUST(!xpt_spdk_latency_by__new(0xf, &by));
	MUST(!xpt_spdk_join__new(t, l, compat, &j));
	while ((err = xpt_spdk_trace__next(t, &e)) > 0) {
		xpt_strbuf__reset(&sb);
		xpt_spdk_join__entry(j, &e, &note);
		xpt_spdk_line__text(&sb, &clock, &e, &note);
		MUST(!xpt_strbuf__err(&sb) && strchr(sb.s, '\n') == sb.s + sb.len - 1);
		xpt_spdk_line__json(&sb, &clock, &e, &note);
		MUST(!xpt_strbuf__err(&sb));
		step = xpt_spdk_states__entry(s, &e, &io, &cut);
		xpt_spdk_latency_by__entry(by, s, &e, &note, step, io, cut);
		MUST(!xpt_spdk_picture__entry(p, &e, &note, step, io, cut));
	}
	MUST(xpt_spdk_trace__next(t, &e) == err);
	xpt_strbuf__reset(&sb);
	xpt_spdk_states__text(s, &sb);
	xpt_spdk_latency_by__text(by, &sb);
	xpt_spdk_states__json(s, by, &sb);
	MUST(!xpt_strbuf__err(&sb) && !xpt_spdk_picture__close(p, &drawn));
	fclose(null);
	xpt_spdk_states__free(s);
	xpt_spdk_latency_by__free(by);
	xpt_spdk_join__free(j);
	xpt_strbuf__free(&sb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 1 ? memmem(data + 1, size - 1, "\n\n", 2) : NULL;
	size_t skip = end ? (size_t)(end - data) + 2 : size ? 1 : 0;
	struct source src = { .s = data + skip, .n = size - skip };
	struct xpt_spdk_lives *l;
	struct xpt_spdk_trace *t;
	bool compat = size && data[0] & 0x80;

	if (!size)
		return 0;
	src.chunk = data[0] & 0x7f ? data[0] & 0x7f : 1 << 20;
	MUST(!xpt_spdk_lives__new(compat, &l));
	read_record(l, data + 1, end ? skip - 2 : 0);
	if (!xpt_spdk_trace__open(give, &src, &t, NULL)) {
		read_trace(t, l, compat);
		xpt_spdk_trace__free(t);
	}
	xpt_spdk_lives__free(l);
	return 0;
}
