// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See record.h. Records come from the kernel, but nothing in them is believed
 * that could lead out of a table.
 */
#include "rdma/trace/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "rdma/graph/machine.h"
#include "rdma/plan/expected_errors.h"
#include "rdma/trace/chain.h"
#include "rdma/trace/rebuild.h"
#include "rdma/trace/unprobed.h"

static uint32_t fact_function(void *ctx, uint32_t id)
{
	return xpt_rdma_watchlist__fn(ctx, id);
}

static uint32_t fact_owner(void *ctx, uint32_t from)
{
	const struct xpt_rdma_watchlist *l = ctx;

	return l->owners ? xpt_rdma_owners__find(l->owners, from) : XPT_RDMA_NONE;
}

static bool fact_calls(void *ctx, uint32_t caller, uint32_t callee)
{
	const struct xpt_rdma_watchlist *l = ctx;

	return xpt_rdma_graph__calls(l->g, caller, callee);
}

static enum xpt_rdma_may fact_reaches(void *ctx, uint32_t caller, uint32_t callee)
{
	const struct xpt_rdma_watchlist *l = ctx;

	return xpt_rdma_reach__may(l->reach, caller, callee);
}

/* The register as a value of the type; *ret_failed: it is an error. */
static int64_t value_of(uint8_t type, uint64_t raw, bool *ret_failed)
{
	int64_t v = (int64_t)raw;

	switch (type) {
	case XPT_RDMA_RET_INT:
		v = (int32_t)raw;
		break;
	case XPT_RDMA_RET_UNKNOWN:	/* a pointer has something else above */
		if (raw >> 32 == 0 || raw >> 32 == UINT32_MAX)
			v = (int32_t)raw;
		break;
	case XPT_RDMA_RET_BOOL:
		v = (raw & 0xff) != 0;
		*ret_failed = !v;
		return v;
	case XPT_RDMA_RET_LONG:
	case XPT_RDMA_RET_POINTER:
		break;
	default:
		*ret_failed = false;
		return v;
	}
	*ret_failed = xpt_rdma_is_errno(v);
	return v;
}

static void fill_args(const struct xpt_rdma_hold *h, const struct xpt_wire_rdma_exit *e,
		      struct xpt_rdma_node *node)
{
	unsigned i;

	node->nr_args = e->nr_args < XPT_RDMA_TRACE_ARGS ? e->nr_args : XPT_RDMA_TRACE_ARGS;
	for (i = 0; i < node->nr_args; i++) {
		node->arg[i] = e->arg[i];
		node->arg_name[i] = h && i < h->nr_args ? h->arg[i] : NULL;
	}
}

static void fill_node(const struct xpt_rdma_watchlist *l, const char *method,
		      const struct xpt_wire_rdma_exit *e, struct xpt_rdma_node *node)
{
	uint32_t fn = xpt_rdma_watchlist__fn(l, e->fn);
	const struct xpt_rdma_expected *x;
	bool failed = false;

	memset(node, 0, sizeof(*node));
	node->fn = node->module = "?";
	node->exit_ns = e->ns;
	node->ret = (int64_t)e->ret;
	if (fn == XPT_RDMA_NONE)
		return;
	node->fn = xpt_rdma_fn_name(l->g, fn);
	node->module = xpt_rdma_module_name(l->g, fn);
	node->ret_type = l->g->fns[fn].ret;
	node->ret = value_of(node->ret_type, e->ret, &failed);
	fill_args(l->hold ? l->hold[e->fn] : NULL, e, node);
	if (!failed)
		return;
	node->flags |= XPT_RDMA_NODE_FAILED;
	x = node->ret < 0 ? xpt_rdma_expected__find(method, node->fn, (int)-node->ret) : NULL;
	if (!x || x->condition != XPT_RDMA_ALWAYS)
		return;
	node->flags |= XPT_RDMA_NODE_EXPECTED;
	node->why = x->reason;
}

/* Whether a callee of node i returned the same error. */
static bool has_cause(const struct xpt_rdma_node *node, uint32_t nr, uint32_t i)
{
	uint32_t k;

	for (k = i + 1; k < nr && node[k].depth > node[i].depth; k++)
		if (node[k].depth == node[i].depth + 1 && node[k].ret == node[i].ret)
			return true;
	return false;
}

/*
 * Whether a result is of 64 bits and no error. Of one whose type is not known, or of 32 bits, the
 * upper half tells: that of an error is 0 or all ones, that of a pointer begins with ones.
 */
static bool is_long_success(const struct xpt_rdma_node *n)
{
	switch (n->ret_type) {
	case XPT_RDMA_RET_LONG:
		return n->ret >= 0;
	case XPT_RDMA_RET_ULONG:	/* a size below 4 GiB may look like an errno, too */
		return !xpt_rdma_is_errno(n->ret);
	case XPT_RDMA_RET_UNSIGNED:
	case XPT_RDMA_RET_UNKNOWN:
		return n->ret >> 32 != 0 && (uint64_t)n->ret >> 48 != UINT16_MAX;
	default:
		return false;
	}
}

/*
 * Marks a long that was no error, whose low half its caller returned as an error: the caller's result is nobody's
 * error. Where the function between them is not watched, the next one up is known to have returned that; then
 * nothing else may explain it.
 */
static void mark_narrowed(struct xpt_rdma_node *node, uint32_t nr)
{
	uint32_t parent[XPT_RDMA_EXITS], i;

	for (i = 0; i < nr; i++) {
		struct xpt_rdma_node *n = &node[i], *up;

		parent[n->depth] = i;
		if (!n->depth || !is_long_success(n))
			continue;
		up = &node[parent[n->depth - 1]];
		if (xpt_rdma_is_errno(up->ret) && (int32_t)n->ret == up->ret &&
		    (up->ret_type == XPT_RDMA_RET_INT || !has_cause(node, nr, parent[n->depth - 1])))
			n->flags |= XPT_RDMA_NODE_NARROWED;
	}
}

#define NO_TRANSITION "attributes"
static const char *const transitions[] = {
	"*>RESET", "RESET>INIT", "INIT>RTR", "RTR>RTS", "RTS>SQD", "*>SQE", "*>ERR",
};

/*
 * "INIT>RTR": the new state, and the state before it, as the InfiniBand specification has it; the real state of the
 * queue pair is known to the driver alone.
 */
char *xpt_rdma_transition(uint64_t value, char *buf, size_t n)
{
	uint32_t mask = (uint32_t)(value >> 8), state = value & 0xff;

	if (!(mask & 1))	/* IB_QP_STATE */
		snprintf(buf, n, NO_TRANSITION);
	else if (state < sizeof(transitions) / sizeof(transitions[0]))
		snprintf(buf, n, "%s", transitions[state]);
	else
		snprintf(buf, n, "*>%u", state);
	return buf;
}

bool xpt_rdma_shape__matches(const char *pattern, const char *shape)
{
	const char *wanted = strchr(shape, '>');

	return xpt_glob_match(pattern, shape) || (wanted && xpt_glob_match(pattern, wanted + 1));
}

bool xpt_rdma_shape__is_possible(const char *pattern)
{
	size_t i;

	for (i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++)
		if (xpt_rdma_shape__matches(pattern, transitions[i]))
			return true;
	return xpt_rdma_shape__matches(pattern, NO_TRANSITION);
}

static void name_method(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r,
			uint32_t root, struct xpt_rdma_box *b)
{
	b->t.method = b->method;
	b->t.object = "";
	if (root != XPT_RDMA_NONE) {
		snprintf(b->method, sizeof(b->method), "%s", xpt_rdma_text(l->g, l->g->roots[root].name));
		b->t.object = xpt_rdma_text(l->g, l->g->roots[root].object);
	} else if (r->has_header) {
		snprintf(b->method, sizeof(b->method), "object %u method %u", r->object, r->method);
	} else {
		snprintf(b->method, sizeof(b->method), "write %u", r->command & 0xff);
	}
	if (r->value & XPT_RDMA_MODIFY)
		xpt_rdma_transition(r->value & ~XPT_RDMA_MODIFY, b->shape, sizeof(b->shape));
}

/*
 * Whether the function that returned is watched no longer: a call may outlive functions that were watched for a while,
 * and others may have their ids by now.
 */
static bool is_gone(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r,
		    const struct xpt_wire_rdma_exit *e)
{
	if (e->fn > l->nr)
		return e->fn < XPT_RDMA_FNS;
	return l->nr_stay && e->fn > l->nr_stay && r->start_ns + e->ns < l->more_ns;
}

static bool is_shown(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r, bool deep,
		     const struct xpt_wire_rdma_exit *e)
{
	return !is_gone(l, r, e) && (deep || e->fn <= l->nr_plain || e->fn > l->nr);
}

/*
 * Drops functions that are watched no longer, and without deep those that only deeper calls are to show; the last one is
 * the root. Returns how many are left.
 */
static uint32_t drop_exits(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r, bool deep,
			   struct xpt_wire_rdma_exit *e, uint32_t n)
{
	uint32_t i, left = 0;

	for (i = 0; i < n; i++)
		if (i + 1 == n || is_shown(l, r, deep, &e[i]))
			e[left++] = e[i];
	return left;
}

/* Whether a function is not in the ordinary plan of the method. */
static bool is_beyond(const struct xpt_rdma_watchlist *l, const struct xpt_rdma_shown *own, uint32_t id)
{
	uint32_t fn = xpt_rdma_watchlist__fn(l, id);

	return fn == XPT_RDMA_NONE || (own && !(own->fns[fn / 8] & 1 << fn % 8));
}

static void find_unprobed(const struct xpt_rdma_watchlist *l, struct xpt_rdma_box *b)
{
	struct xpt_rdma_chain chain;
	uint16_t origin;
	uint32_t i;
	int code;

	xpt_rdma_chain__find(&b->t, &chain);
	if (!chain.nr)
		return;
	origin = chain.node[chain.nr - 1];
	code = xpt_rdma_node__outcome(&b->node[origin]);
	if (code >= 0)		/* a "no", or NULL: the function that made the errno of it is known */
		return;
	b->t.nr_unprobed = xpt_rdma_unprobed__find(l, b->t.flags & XPT_RDMA_TRACE_DEEP,
						   xpt_rdma_watchlist__fn(l, b->id_of[origin]), code, b->unprobed_fn,
						   XPT_RDMA_TRACE_UNPROBED);
	for (i = 0; i < b->t.nr_unprobed; i++)
		b->unprobed[i] = b->unprobed_fn[i] == XPT_RDMA_NONE ? XPT_RDMA_BY_POINTER :
				 xpt_rdma_fn_name(l->g, b->unprobed_fn[i]);
	b->t.unprobed = b->unprobed;
	b->t.unprobed_fn = b->unprobed_fn;
}

static void name_unwatched(const struct xpt_rdma_watchlist *l, const struct xpt_rdma_shown *own, struct xpt_rdma_box *b)
{
	uint32_t i;

	for (i = 0; i < own->nr_unwatched && i < XPT_RDMA_TRACE_UNWATCHED; i++)
		b->unwatched[i] = xpt_rdma_fn_name(l->g, own->unwatched[i]);
	b->t.nr_unwatched = i;
	b->t.unwatched = b->unwatched;
}

static void fill_nodes(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r,
		       uint32_t root, struct xpt_rdma_box *b)
{
	const struct xpt_rdma_shown *own = l->own && root != XPT_RDMA_NONE ? l->own[root] : NULL;
	struct xpt_wire_rdma_exit e[XPT_RDMA_EXITS];
	const struct xpt_rdma_code_facts facts = { (void *)l, fact_function, fact_owner, fact_calls,
						   fact_reaches };
	uint16_t order[XPT_RDMA_EXITS], depth[XPT_RDMA_EXITS];
	uint32_t n = xpt_rdma_exits(r, e, &b->missing), i;

	if (root != XPT_RDMA_NONE && l->is_deep && l->is_deep(l->deep_ctx, root, b->shape, r->start_ns))
		b->t.flags |= XPT_RDMA_TRACE_DEEP;
	n = drop_exits(l, r, b->t.flags & XPT_RDMA_TRACE_DEEP, e, n);
	if (b->missing || (own && !own->whole))
		b->t.flags |= XPT_RDMA_TRACE_CUT;
	if (b->missing || l->loses)
		b->t.flags |= XPT_RDMA_TRACE_LOST;
	if (own)
		name_unwatched(l, own, b);
	xpt_rdma_rebuild(e, n, &facts, order, depth);
	for (i = 0; i < n; i++) {
		b->id_of[i] = e[order[i]].fn;
		fill_node(l, b->method, &e[order[i]], &b->node[i]);
		b->node[i].depth = depth[i];
		if (i && is_beyond(l, own, e[order[i]].fn))
			b->node[i].flags |= XPT_RDMA_NODE_BEYOND;
	}
	mark_narrowed(b->node, n);
	b->t.node = b->node;
	b->t.nr = n;
}

/*
 * Without types of ib_uverbs nobody reads whose file a call was about. Then the driver whose functions ran
 * tells, or the only one that there is. In other modules, as the connection manager, a call may be about none.
 */
static void find_driver(const struct xpt_rdma_watchlist *l, uint32_t root_id, struct xpt_rdma_box *b)
{
	uint32_t root = xpt_rdma_watchlist__fn(l, root_id), i, only = l->g->nr_modules, nr = 0, fn;
	const struct xpt_rdma_module *mods = l->g->modules;

	if (*b->driver || root == XPT_RDMA_NONE || strcmp(xpt_rdma_module_name(l->g, root), "ib_uverbs") != 0 ||
	    mods[l->g->fns[root].module].btf)
		return;
	for (i = 0; i < l->g->nr_modules; i++)
		if (mods[i].vendor == XPT_RDMA_DRIVER) {
			only = i;
			nr++;
		}
	for (i = 0; i < b->t.nr && nr > 1; i++) {
		fn = xpt_rdma_watchlist__fn(l, b->id_of[i]);
		if (fn == XPT_RDMA_NONE || l->g->fns[fn].module == XPT_RDMA_KERNEL ||
		    mods[l->g->fns[fn].module].vendor != XPT_RDMA_DRIVER)
			continue;
		only = l->g->fns[fn].module;
		nr = 1;
	}
	if (nr == 1)
		snprintf(b->driver, sizeof(b->driver), "%s", xpt_rdma_text(l->g, mods[only].name));
}

/*
 * A positive number that is no success travels as an errno does: it is told as the errno that it would be, with
 * a mark, and so are the results of those who handed it up.
 */
static void turn_positive(struct xpt_rdma_trace *t, struct xpt_rdma_node *node)
{
	bool turned[XPT_RDMA_EXITS] = { true };
	int64_t ret = t->ret;
	uint32_t i;

	t->flags |= XPT_RDMA_TRACE_POSITIVE;
	t->ret = -ret;
	for (i = 0; i < t->nr; i++) {
		uint32_t depth = node[i].depth;

		turned[depth] = (!depth || turned[depth - 1]) && (int32_t)node[i].ret == ret &&
				node[i].ret_type != XPT_RDMA_RET_POINTER;
		if (!turned[depth])
			continue;
		node[i].ret = -ret;
		node[i].ret_type = XPT_RDMA_RET_INT;
		node[i].flags |= XPT_RDMA_NODE_FAILED;
	}
}

/*
 * Finds the request of a call that failed. Functions without types give no arguments, and where none of the
 * functions failed that get a struct with it, nobody read it.
 */
static void find_asked_for(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r, struct xpt_rdma_box *b)
{
	if (!xpt_rdma_is_errno(b->t.ret))
		return;
	if (!xpt_rdma_asked_for__of(&r->asked, l->layouts, &b->asked_for)) {
		if (!strstr(b->method, "modify_qp") || !l->layouts)
			return;
		xpt_rdma_asked_for__unknown("no function that failed was seen with its arguments", &b->asked_for);
	}
	b->t.asked_for = &b->asked_for;
}

void xpt_rdma_record__trace(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r,
			    uint64_t wall_offset, struct xpt_rdma_box *ret_box)
{
	uint32_t root = xpt_rdma_watchlist__method_of(l, r);
	struct xpt_rdma_box *b = ret_box;
	struct xpt_rdma_trace *t = &b->t;

	memset(b, 0, sizeof(*b));
	snprintf(b->comm, sizeof(b->comm), "%.16s", r->comm);
	snprintf(b->device, sizeof(b->device), "%.*s", XPT_RDMA_NAME, r->device);
	snprintf(b->driver, sizeof(b->driver), "%.*s", XPT_RDMA_NAME, r->module);
	snprintf(b->ns_host, sizeof(b->ns_host), "%.*s", XPT_RDMA_HOST, r->ns_host);
	t->shape = b->shape;
	t->comm = b->comm;
	t->device = b->device;
	t->driver = b->driver;
	t->driver_version = t->cgroup = t->container = t->caller = t->outer = t->asked_name = "";
	t->firmware_version = t->driver_why = t->firmware_why = "";
	t->host = xpt_rdma_machine()->host;
	t->boot_id = xpt_rdma_machine()->boot_id;
	t->kernel = xpt_rdma_text(l->g, l->g->release);
	t->pid = r->tgid;
	t->tid = r->tid;
	t->ns_pid = r->ns_tgid;
	t->ns_tid = r->ns_tid;
	t->ns_host = r->ns_tgid && strcmp(b->ns_host, t->host) ? b->ns_host : "";
	t->uid = r->uid;
	t->wall_ns = r->start_ns + wall_offset;
	t->monotonic_ns = r->start_ns;
	t->dur_ns = r->dur_ns;
	t->ret = r->ret;
	if (r->why & XPT_RDMA_SENT_SLOW)
		t->flags |= XPT_RDMA_TRACE_SLOW;
	if (r->why & XPT_RDMA_SENT_SAMPLE)
		t->flags |= XPT_RDMA_TRACE_SAMPLED;
	if (r->fw.nr) {
		xpt_rdma_firmware__of(&r->fw, &b->firmware);
		t->firmware = &b->firmware;
	}
	name_method(l, r, root, b);
	if (r->value & (XPT_RDMA_ASKED_FD | XPT_RDMA_ASKED_INLINE) && !(r->value & XPT_RDMA_MODIFY)) {
		t->asked_name = r->value & XPT_RDMA_ASKED_FD ? "fd" : "max_inline_data";
		t->asked = (int32_t)r->value;
	}
	fill_nodes(l, r, root, b);
	find_driver(l, r->root, b);
	if (r->why & XPT_RDMA_SENT_FAILED && t->ret > 0)
		turn_positive(t, b->node);
	find_unprobed(l, b);
	find_asked_for(l, r, b);
}

/* The callee of node i that explains its result (see xpt_rdma_node__went_well); nr: none. */
static uint32_t cause_of(const struct xpt_rdma_trace *t, uint32_t i)
{
	uint32_t k, found = t->nr, refusal = t->nr;
	bool went_on = true;

	for (k = i + 1; k < t->nr && t->node[k].depth > t->node[i].depth; k++) {
		const struct xpt_rdma_node *n = &t->node[k];

		if (n->depth != t->node[i].depth + 1)
			continue;
		if (n->flags & XPT_RDMA_NODE_NARROWED ||
		    (n->flags & XPT_RDMA_NODE_FAILED && n->ret == t->node[i].ret)) {
			found = went_on ? k : found;
			went_on = n->flags & XPT_RDMA_NODE_NARROWED;	/* an equal errno explains more */
		}
		went_on |= xpt_rdma_node__went_well(n);
		refusal = n->flags & XPT_RDMA_NODE_FAILED && n->ret_type == XPT_RDMA_RET_BOOL ? k : t->nr;
	}
	return found < t->nr ? found : refusal;
}

uint32_t xpt_rdma_trace__chain(const struct xpt_rdma_trace *t, uint16_t *ret_v, uint32_t max)
{
	uint32_t n = 0, at = 0;

	if (!t->nr || !xpt_rdma_is_errno(t->ret))
		return 0;
	while (at < t->nr && n < max) {
		ret_v[n++] = (uint16_t)at;
		if (!xpt_rdma_is_errno(t->node[at].ret))	/* narrowed, or a no: it begins there */
			break;
		at = cause_of(t, at);
	}
	return n;
}

bool xpt_rdma_trace__is_expected(const struct xpt_rdma_trace *t)
{
	uint16_t v[XPT_RDMA_TRACE_NODES];
	uint32_t n = xpt_rdma_trace__chain(t, v, XPT_RDMA_TRACE_NODES), i;

	for (i = 0; i < n; i++)
		if (!(t->node[v[i]].flags & XPT_RDMA_NODE_EXPECTED))
			return false;
	return n > 0;
}
