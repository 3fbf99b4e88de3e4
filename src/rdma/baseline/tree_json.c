// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merged trees as lines of JSON, which is also how they are stored. Places stand
 * in order of execution with their depth; reading makes the links anew, so no line
 * can make a tree that goes round in circles.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/trace/trace_json.h"
#include "rdma/baseline/tree.h"

static void add_place(const struct xpt_rdma_tree_node *node, unsigned depth, struct xpt_strbuf *sb)
{
	uint32_t i;

	xpt_strbuf__addc(sb, '{');
	xpt_rdma_json__add_text(sb, "function", node->fn);
	xpt_rdma_json__add_text(sb, "module", node->module);
	xpt_rdma_json__add_number(sb, "depth", depth);
	xpt_rdma_json__add_number(sb, "run", node->occ);
	xpt_rdma_json__add_number(sb, "traces", node->seen);
	xpt_rdma_json__add_number(sb, "exit_min_ns", node->exit_min);
	xpt_rdma_json__add_number(sb, "exit_max_ns", node->exit_max);
	xpt_strbuf__add(sb, ",\"results\":[");
	for (i = 0; i < node->nr_outcomes; i++)
		xpt_strbuf__addf(sb, "%s[%" PRId32 ",%" PRIu32 "]", i ? "," : "",
				 node->outcome[i].value, node->outcome[i].times);
	xpt_strbuf__add(sb, "]}");
}

static void add_unwatched(const struct xpt_rdma_tree *tree, struct xpt_strbuf *sb)
{
	uint32_t i;

	if (tree->nr_unwatched)
		xpt_strbuf__add(sb, ",\"unwatched\":[");
	for (i = 0; i < tree->nr_unwatched; i++) {
		if (i)
			xpt_strbuf__addc(sb, ',');
		xpt_strbuf__add_json(sb, tree->unwatched[i]);
	}
	if (tree->nr_unwatched)
		xpt_strbuf__addc(sb, ']');
}

void xpt_rdma_tree__print(const struct xpt_rdma_tree *tree, struct xpt_strbuf *sb)
{
	unsigned depth = 0;
	uint16_t at;

	xpt_strbuf__add(sb, "{\"type\":\"rdma_baseline\"");
	xpt_rdma_json__add_text(sb, "method", tree->key.method);
	xpt_rdma_json__add_text(sb, "object", tree->key.object);
	xpt_rdma_json__add_text(sb, "shape", tree->key.shape);
	xpt_rdma_json__add_text(sb, "driver", tree->key.driver);
	xpt_rdma_json__add_text(sb, "kernel", tree->key.kernel);
	xpt_rdma_json__add_number(sb, "traces", tree->traces);
	xpt_rdma_json__add_number(sb, "first_ns", tree->first_ns);
	xpt_rdma_json__add_number(sb, "last_ns", tree->last_ns);
	xpt_rdma_json__add_number(sb, "duration_min_ns", tree->dur_min);
	xpt_rdma_json__add_number(sb, "duration_max_ns", tree->dur_max);
	xpt_rdma_json__add_number(sb, "duration_sum_ns", tree->dur_sum);
	xpt_rdma_json__add_number(sb, "left_out", tree->left_out);
	add_unwatched(tree, sb);
	xpt_strbuf__add(sb, ",\"calls\":[");
	for (at = tree->nr ? 0 : XPT_RDMA_TREE_NONE; at != XPT_RDMA_TREE_NONE;) {
		add_place(&tree->node[at], depth, sb);
		at = xpt_rdma_tree__next(tree, at, &depth);
		if (at != XPT_RDMA_TREE_NONE)
			xpt_strbuf__addc(sb, ',');
	}
	xpt_strbuf__add(sb, "]}\n");
}

/* --- reading ------------------------------------------------------------------------ */

struct reader {
	struct xpt_rdma_tree *tree;
	uint16_t path[XPT_RDMA_TREE_NODES];	/* the last place of each depth */
	unsigned depth;				/* of the last place */
	bool typed, ours, bad;
};

static uint64_t take_number(struct xpt_json *j, uint64_t most)
{
	uint64_t v;

	if (!xpt_rdma_json__number(j, &v))
		return 0;
	return v < most ? v : most;
}

/* [[value, times], ...] */
static void take_outcomes(struct xpt_json *j, struct xpt_rdma_tree_node *node)
{
	int64_t v[2];
	unsigned i;

	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return;
	while (xpt_json__item(j)) {
		v[0] = v[1] = 0;
		if (!xpt_json__enter(j, XPT_JSON_ARRAY))
			continue;
		for (i = 0; xpt_json__item(j); i++) {
			if (i < 2)
				xpt_json__i64(j, &v[i]);
			else
				xpt_json__skip(j);
		}
		if (node->nr_outcomes == XPT_RDMA_TREE_OUTCOMES || v[0] < -4095 || v[0] > 100)
			continue;
		node->outcome[node->nr_outcomes].value = (int32_t)v[0];
		node->outcome[node->nr_outcomes++].times = v[1] < 0 ? 0 :
			(uint32_t)(v[1] < UINT32_MAX ? v[1] : UINT32_MAX);
	}
}

static void take_place_key(struct xpt_json *j, const char *key, struct xpt_rdma_tree_node *node,
			   unsigned *depth)
{
	if (!strcmp(key, "function"))
		xpt_rdma_json__take_text(j, node->fn, sizeof(node->fn));
	else if (!strcmp(key, "module"))
		xpt_rdma_json__take_text(j, node->module, sizeof(node->module));
	else if (!strcmp(key, "depth"))
		*depth = (unsigned)take_number(j, XPT_RDMA_TREE_NODES);
	else if (!strcmp(key, "run"))
		node->occ = (uint16_t)take_number(j, XPT_RDMA_TREE_NODES);
	else if (!strcmp(key, "traces"))
		node->seen = (uint32_t)take_number(j, UINT32_MAX);
	else if (!strcmp(key, "exit_min_ns"))
		node->exit_min = take_number(j, UINT64_MAX);
	else if (!strcmp(key, "exit_max_ns"))
		node->exit_max = take_number(j, UINT64_MAX);
	else if (!strcmp(key, "results"))
		take_outcomes(j, node);
	else
		xpt_json__skip(j);
}

/* After the last place of its depth, below the last one above. */
static bool link_place(struct reader *r, unsigned depth)
{
	struct xpt_rdma_tree *tree = r->tree;
	uint16_t at = (uint16_t)tree->nr;

	if (!*tree->node[at].fn || (at ? !depth || depth > r->depth + 1 : depth))
		return false;
	tree->node[at].parent = depth ? r->path[depth - 1] : XPT_RDMA_TREE_NONE;
	tree->node[at].first_child = tree->node[at].next = XPT_RDMA_TREE_NONE;
	if (at && depth == r->depth + 1)
		tree->node[r->path[depth - 1]].first_child = at;
	else if (at)
		tree->node[r->path[depth]].next = at;
	r->path[depth] = at;
	r->depth = depth;
	tree->nr++;
	return true;
}

static void take_places(struct reader *r, struct xpt_json *j)
{
	const char *key;
	unsigned depth;
	size_t n;

	r->bad = r->tree->nr != 0 || !xpt_json__enter(j, XPT_JSON_ARRAY);
	while (!r->bad && xpt_json__item(j)) {
		depth = 0;
		if (r->tree->nr == XPT_RDMA_TREE_NODES || !xpt_json__enter(j, XPT_JSON_OBJECT)) {
			r->bad = true;
			break;
		}
		while (xpt_json__key(j, &key, &n))
			take_place_key(j, key, &r->tree->node[r->tree->nr], &depth);
		r->bad = !link_place(r, depth);
	}
}

static void take_unwatched(struct xpt_rdma_tree *tree, struct xpt_json *j)
{
	char fn[sizeof(tree->unwatched[0])];

	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return;
	while (xpt_json__item(j)) {
		*fn = '\0';
		xpt_rdma_json__take_text(j, fn, sizeof(fn));
		xpt_rdma_tree__note_unwatched(tree, fn);
	}
}

static bool take_key_text(struct xpt_rdma_key *k, struct xpt_json *j, const char *key)
{
	if (!strcmp(key, "method"))
		xpt_rdma_json__take_text(j, k->method, sizeof(k->method));
	else if (!strcmp(key, "object"))
		xpt_rdma_json__take_text(j, k->object, sizeof(k->object));
	else if (!strcmp(key, "shape"))
		xpt_rdma_json__take_text(j, k->shape, sizeof(k->shape));
	else if (!strcmp(key, "driver"))
		xpt_rdma_json__take_text(j, k->driver, sizeof(k->driver));
	else if (!strcmp(key, "kernel"))
		xpt_rdma_json__take_text(j, k->kernel, sizeof(k->kernel));
	else
		return false;
	return true;
}

static void take_key(struct reader *r, struct xpt_json *j, const char *key)
{
	struct xpt_rdma_tree *tree = r->tree;
	char type[32] = "";

	if (take_key_text(&tree->key, j, key))
		return;
	if (!strcmp(key, "type")) {
		xpt_rdma_json__take_text(j, type, sizeof(type));
		r->typed = true;
		r->ours = !strcmp(type, "rdma_baseline");
	} else if (!strcmp(key, "traces")) {
		tree->traces = take_number(j, UINT64_MAX);
	} else if (!strcmp(key, "first_ns")) {
		tree->first_ns = take_number(j, UINT64_MAX);
	} else if (!strcmp(key, "last_ns")) {
		tree->last_ns = take_number(j, UINT64_MAX);
	} else if (!strcmp(key, "duration_min_ns")) {
		tree->dur_min = take_number(j, UINT64_MAX);
	} else if (!strcmp(key, "duration_max_ns")) {
		tree->dur_max = take_number(j, UINT64_MAX);
	} else if (!strcmp(key, "duration_sum_ns")) {
		tree->dur_sum = take_number(j, UINT64_MAX);
	} else if (!strcmp(key, "left_out")) {
		tree->left_out = take_number(j, UINT64_MAX);
	} else if (!strcmp(key, "unwatched")) {
		take_unwatched(tree, j);
	} else if (!strcmp(key, "calls")) {
		take_places(r, j);
	} else {
		xpt_json__skip(j);
	}
}

int xpt_rdma_tree__parse(const char *line, size_t n, struct xpt_rdma_tree **ret_tree)
{
	static const struct xpt_rdma_key none;
	struct xpt_json_text in = { line, n };
	struct reader r = { 0 };
	struct xpt_json j;
	const char *key;
	size_t len;
	bool whole;

	if (!n || line[0] != '{')
		return -EBADMSG;
	r.tree = xpt_rdma_tree__new(&none);
	if (!r.tree || xpt_json__init(&j, xpt_json_text__read, &in)) {
		free(r.tree);
		return -ENOMEM;
	}
	if (xpt_json__find_object(&j))
		while (!r.bad && xpt_json__key(&j, &key, &len))
			take_key(&r, &j, key);
	whole = !j.err && !r.bad && r.ours && r.tree->nr && r.tree->traces && *r.tree->key.method;
	xpt_json__free(&j);
	if (!whole) {
		free(r.tree);
		return r.typed && !r.ours ? -ENOMSG : -EBADMSG;
	}
	*ret_tree = r.tree;
	return 0;
}
