// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shows where a trace left the way of good ones: the bad trace is put into a copy of the merged tree, so that a
 * function that both have is in one line, in the order of execution, and a function that only one of them has is in
 * its place.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text.h"
#include "rdma/baseline/diff.h"
#include "rdma/trace/trace_json.h"

enum { NAME = 44, GOOD = 16, MAX_INDENT = 20 };

struct picture {
	const struct xpt_rdma_tree *good;
	const struct xpt_rdma_trace *bad;
	const struct xpt_rdma_diff *diff;
	struct xpt_rdma_tree *both;
	uint16_t at[XPT_RDMA_TRACE_NODES];	/* of each node of bad, in both */
};

char *xpt_rdma_outcomes_text(const struct xpt_rdma_tree_node *node, char *buf, size_t n)
{
	char one[48];
	size_t len = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < node->nr_outcomes && len < n; i++) {
		const char *text = xpt_rdma_outcome_text(node->outcome[i].value, one, sizeof(one));

		len += (size_t)snprintf(buf + len, n - len, node->nr_outcomes > 1 ? "%s%s %" PRIu32 :
					"%s%s", i ? ", " : "", text, node->outcome[i].times);
	}
	return buf;
}

/* The node of the bad trace that a row is about: the one that parts, else the last. */
static const struct xpt_rdma_node *bad_node(const struct picture *p, uint16_t at, bool *ret_here)
{
	const struct xpt_rdma_node *found = NULL;
	uint32_t i;

	*ret_here = false;
	for (i = 0; i < p->bad->nr; i++) {
		if (p->at[i] != at)
			continue;
		found = &p->bad->node[i];
		if (i == p->diff->node) {
			*ret_here = true;
			break;
		}
	}
	return found;
}

static void add_row(const struct picture *p, uint16_t at, unsigned depth, struct xpt_strbuf *sb)
{
	const struct xpt_rdma_tree_node *row = &p->both->node[at];
	bool utf8 = xpt_text_utf8(), here;
	const struct xpt_rdma_node *bad = bad_node(p, at, &here);
	size_t indent = depth < MAX_INDENT ? depth : MAX_INDENT;
	char good[64], buf[48];

	snprintf(good, sizeof(good), "-");
	if (at < p->good->nr)
		xpt_rdma_outcomes_text(&p->good->node[at], good, sizeof(good));
	xpt_strbuf__add(sb, here ? "> " : "  ");
	xpt_text__pad(sb, indent);
	xpt_text__cell(sb, row->fn, NAME - indent, false, utf8);
	xpt_strbuf__addc(sb, ' ');
	xpt_text__cell(sb, good, GOOD, false, utf8);
	xpt_strbuf__addc(sb, ' ');
	xpt_text__add(sb, bad ? xpt_rdma_outcome_text(xpt_rdma_node__outcome(bad), buf, sizeof(buf)) :
		      "not reached", 79 - NAME - GOOD - 4, utf8);
	xpt_strbuf__addc(sb, '\n');
}

void xpt_rdma_diff__text(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 const struct xpt_rdma_diff *diff, struct xpt_strbuf *sb)
{
	struct picture p = { .good = good, .bad = bad, .diff = diff };
	unsigned depth = 0;
	uint16_t at;

	if (diff->parted == XPT_RDMA_STRANGER)
		return;
	p.both = malloc(sizeof(*p.both));
	if (!p.both)
		return;
	*p.both = *good;
	xpt_rdma_tree__add(p.both, bad, p.at);
	xpt_strbuf__addf(sb, "  %-*s %-*s %s\n", NAME, "function", GOOD, "good", "bad");
	for (at = 0; at != XPT_RDMA_TREE_NONE; at = xpt_rdma_tree__next(p.both, at, &depth))
		add_row(&p, at, depth, sb);
	free(p.both);
}

/* --- JSON ---------------------------------------------------------------------------- */

static const char *parted_name(enum xpt_rdma_parted parted)
{
	static const char *const names[] = {
		[XPT_RDMA_NOT_PARTED] = "nowhere", [XPT_RDMA_AT_RESULT] = "result",
		[XPT_RDMA_AT_CALL] = "call", [XPT_RDMA_AT_END] = "shorter",
		[XPT_RDMA_STRANGER] = "stranger",
	};

	return names[parted];
}

static void add_way(const struct xpt_rdma_trace *bad, uint16_t i, struct xpt_strbuf *sb)
{
	struct xpt_rdma_place_in in[XPT_RDMA_TRACE_NODES];
	uint16_t up[XPT_RDMA_TRACE_NODES];
	unsigned n = 0;

	xpt_rdma_places(bad, in);
	for (; i != XPT_RDMA_NO_NODE; i = in[i].parent)
		up[n++] = i;
	while (n-- > 0) {
		xpt_strbuf__add_json(sb, bad->node[up[n]].fn);
		xpt_strbuf__add(sb, n ? "," : "");
	}
}

void xpt_rdma_diff__json(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 const struct xpt_rdma_diff *diff, struct xpt_strbuf *sb)
{
	unsigned i, n = diff->nr_missing < XPT_RDMA_MISSING ? diff->nr_missing : XPT_RDMA_MISSING;
	char text[128], buf[48];

	xpt_strbuf__addf(sb, "{\"parted\":\"%s\",\"good_traces\":%" PRIu64, parted_name(diff->parted),
			 good->traces);
	if (diff->node != XPT_RDMA_NO_NODE) {
		const struct xpt_rdma_node *node = &bad->node[diff->node];

		xpt_strbuf__add(sb, ",\"path\":[");
		add_way(bad, diff->node, sb);
		xpt_strbuf__add(sb, "],\"bad\":");
		xpt_strbuf__add_json(sb, xpt_rdma_outcome_text(xpt_rdma_node__outcome(node), buf,
							       sizeof(buf)));
		xpt_strbuf__add(sb, ",\"good\":");
		xpt_strbuf__add_json(sb, diff->place == XPT_RDMA_TREE_NONE ? "" :
				     xpt_rdma_outcomes_text(&good->node[diff->place], text,
							    sizeof(text)));
	}
	xpt_strbuf__add(sb, ",\"not_reached\":[");
	for (i = 0; i < n; i++) {
		xpt_strbuf__add(sb, i ? "," : "");
		xpt_strbuf__add_json(sb, good->node[diff->missing[i]].fn);
	}
	xpt_strbuf__addf(sb, "],\"nr_not_reached\":%u,\"other_kernel\":%s,\"other_driver\":%s,"
			 "\"other_shape\":%s}", diff->nr_missing, diff->other_kernel ? "true" : "false",
			 diff->other_driver ? "true" : "false", diff->other_shape ? "true" : "false");
}
