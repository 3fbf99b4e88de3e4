/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traces and recordings of SPDK as text, and the annotated lines that come out, for unit
 * tests. Ticks are microseconds.
 */
#ifndef XPT_TESTS_SPDK_LINES_H
#define XPT_TESTS_SPDK_LINES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "spdk/join.h"
#include "spdk/spdk_line.h"
#include "spdk/spdk_record.h"

#define HEAD "{\"tsc_rate\":1000000,\"tpoints\":[" \
	"{\"name\":\"RDMA_REQ_NEW\",\"id\":64,\"new_object\":true,\"args\":[{\"name\":\"qpair\",\"type\":1,\"size\":8}]}," \
	"{\"name\":\"RDMA_REQ_HAVE_BUFFER\",\"id\":65,\"new_object\":false,\"args\":[{\"name\":\"qpair\",\"type\":1,\"size\":8}]}," \
	"{\"name\":\"TCP_REQ_NEW\",\"id\":128,\"new_object\":true,\"args\":[{\"name\":\"qd\",\"type\":0,\"size\":8}]}," \
	"{\"name\":\"TCP_QP_CREATE\",\"id\":145,\"new_object\":false}," \
	"{\"name\":\"TCP_QP_DESTROY\",\"id\":149,\"new_object\":false}," \
	"{\"name\":\"TCP_QP_STATE_CHANGE\",\"id\":150,\"new_object\":false}," \
	"{\"name\":\"TCP_READ_DONE\",\"id\":143,\"new_object\":false,\"args\":[{\"name\":\"qpair\",\"type\":1,\"size\":8}]}," \
	"{\"name\":\"TEXT\",\"id\":9,\"new_object\":false,\"args\":[{\"name\":\"s\",\"type\":2,\"size\":8}]}]," \
	"\"owners\":{\"262\":\"1.2.3.4:5 nqn.a 1.1.1.1:4420 qid:1\"},\"entries\":["
#define TAIL "]}"
#define ADD(tsc, qp, thr) "nvmf_poll_group_add_qpair: tsc=" tsc ", qpair=" qp ", thread=" thr "\n"
#define REMOVE(tsc, qp, thr) "nvmf_poll_group_remove_qpair: tsc=" tsc ", qpair=" qp ", thread=" thr "\n"
#define CONNECT(tsc, qp, qid, sub, host) \
	"nvmf_ctrlr_add_qpair: tsc=" tsc ", qpair=" qp ", qid=" qid ", subnqn='" sub "', hostnqn='" host "'\n"
#define FINI(tsc, qp) "nvmf_transport_qpair_fini: tsc=" tsc ", qpair=" qp "\n"
#define RDMA(tsc, qp) "{\"lcore\":0,\"tpoint\":64,\"tsc\":" tsc ",\"args\":[" qp "]}"
#define BORDER(tpoint, tsc, qp) "{\"lcore\":0,\"tpoint\":" tpoint ",\"tsc\":" tsc ",\"object\":{\"value\":" qp "}}"
#define CREATE(tsc, qp) BORDER("145", tsc, qp)
#define DESTROY(tsc, qp) BORDER("149", tsc, qp)
#define READ(tsc, qp) "{\"lcore\":0,\"tpoint\":143,\"tsc\":" tsc ",\"args\":[" qp "]}"
#define CLOCK(tsc) "xputrace_clock: tsc=" tsc ", mono=" tsc "\n"
#define TCP(tsc, owner) "{\"lcore\":0,\"tpoint\":128,\"tsc\":" tsc ",\"owner\":\"" owner "\",\"args\":[3]}"

struct source {
	const char *s;
	size_t n;
};

static size_t piece;		/* bytes that are given at once; 0: all */

static ssize_t give(void *ctx, void *buf, size_t n)
{
	struct source *src = ctx;

	n = n < src->n ? n : src->n;
	n = piece && n > piece ? piece : n;
	memcpy(buf, src->s, n);
	src->s += n;
	src->n -= n;
	return (ssize_t)n;
}

static struct xpt_spdk_join_stats stats;	/* of the last annotate() */
static struct xpt_spdk_record_stats record_stats;
static size_t nr_cut;
static bool twice;	/* the trace is read twice, as files are */
static uint64_t nr_printed;	/* of the last trace */

static struct xpt_spdk_lives *read_record(const char *record, bool compat)
{
	struct xpt_spdk_lives *l;
	FILE *f = fmemopen((void *)record, strlen(record), "r");

	assert_int_equal(xpt_spdk_lives__new(compat, &l), 0);
	if (*record) {
		assert_non_null(f);
		assert_int_equal(xpt_spdk_record__read(f, l, &record_stats), 0);
	}
	if (f)
		fclose(f);
	assert_int_equal(xpt_spdk_lives__build(l), 0);
	return l;
}

static void scan(const char *trace, struct xpt_spdk_join *j, struct xpt_spdk_lives *l)
{
	struct source src = { trace, strlen(trace) };
	struct xpt_spdk_trace *t;
	struct xpt_spdk_entry e;

	assert_int_equal(xpt_spdk_trace__open(give, &src, &t, NULL), 0);
	while (xpt_spdk_trace__next(t, &e) > 0)
		xpt_spdk_join__scan(j, &e);
	xpt_spdk_lives__bind_owners(l);
	xpt_spdk_trace__free(t);
}

/* The lines of a trace; the caller frees. json: as JSON. */
static char *annotate(const char *record, const char *trace, bool compat, bool json)
{
	struct xpt_spdk_lives *l = read_record(record, compat);
	struct source src = { trace, strlen(trace) };
	struct xpt_spdk_trace *t;
	struct xpt_spdk_join *j;
	struct xpt_spdk_clock clock = { 0 };
	struct xpt_spdk_entry e;
	struct xpt_spdk_note note;
	struct xpt_strbuf sb;
	bool begun = false;
	char *out;

	xpt_strbuf__init(&sb, 1 << 20);
	assert_int_equal(xpt_spdk_trace__open(give, &src, &t, NULL), 0);
	assert_int_equal(xpt_spdk_join__new(t, l, compat, &j), 0);
	clock.rate = xpt_spdk_trace__rate(t);
	if (twice)
		scan(trace, j, l);
	while (xpt_spdk_trace__next(t, &e) > 0) {
		clock.first = begun ? clock.first : e.tsc;
		begun = true;
		xpt_spdk_join__entry(j, &e, &note);
		(json ? xpt_spdk_line__json : xpt_spdk_line__text)(&sb, &clock, &e, &note);
	}
	stats = *xpt_spdk_join__stats(j);
	nr_cut = xpt_spdk_lives__nr_cut(l);
	nr_printed = xpt_spdk_trace__printed(t);
	out = strdup(xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	xpt_spdk_join__free(j);
	xpt_spdk_trace__free(t);
	xpt_spdk_lives__free(l);
	return out;
}

/* Every line holds its text, in order; want ends with NULL. */
static void expect(const char *record, const char *trace, bool compat, const char *const *want)
{
	char *out = annotate(record, trace, compat, false), *line = out;

	for (; *want; want++) {
		char *end = strchr(line, '\n');

		assert_non_null(end);
		*end = '\0';
		if (!strstr(line, *want))
			fail_msg("'%s' has no '%s'", line, *want);
		line = end + 1;
	}
	assert_string_equal(line, "");
	free(out);
}

#define WANT(...) ((const char *const[]){ __VA_ARGS__, NULL })

#endif
