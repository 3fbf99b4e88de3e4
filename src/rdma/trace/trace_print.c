// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes traces as lines of JSON, see trace_json.h. The fields that people look for in a log come first: which
 * call, which error, whose, when.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/trace/evidence/near_events.h"
#include "rdma/trace/trace_json.h"

enum { NAME = 256, EXACT_BITS = 53 };

const char *xpt_rdma_errno_name(int code, char *buf, size_t n)
{
	const char *name = code ? strerrorname_np(code) : "0";

	if (code == 512)
		return "ERESTARTSYS";	/* the kernel's own: programs never see it */
	if (code == 524)
		return "ENOTSUPP";
	if (name)
		return name;
	snprintf(buf, n, "errno %d", code);
	return buf;
}

const char *xpt_rdma_trace__error(const struct xpt_rdma_trace *t, char *buf, size_t n)
{
	if (!(t->flags & XPT_RDMA_TRACE_POSITIVE))
		return xpt_rdma_errno_name((int)-t->ret, buf, n);
	snprintf(buf, n, "+%d", (int)-t->ret);
	return buf;
}

/* Only if it says something. */
static void add_optional(struct xpt_strbuf *sb, const char *key, const char *s)
{
	if (s && *s)
		xpt_rdma_json__add_text(sb, key, s);
}

static void add_i64(struct xpt_strbuf *sb, int64_t v)
{
	if (v < 0 && v > -(1ll << EXACT_BITS))
		xpt_strbuf__addf(sb, "%" PRId64, v);
	else
		xpt_rdma_json__add_u64(sb, (uint64_t)v);
}

static void add_mark(struct xpt_strbuf *sb, const char *key, bool set)
{
	if (set)
		xpt_strbuf__addf(sb, ",\"%s\":true", key);
}

static void add_args(const struct xpt_rdma_node *node, struct xpt_strbuf *sb)
{
	unsigned i, n = node->nr_args < XPT_RDMA_TRACE_ARGS ? node->nr_args : XPT_RDMA_TRACE_ARGS;
	char unnamed[16];

	xpt_strbuf__add(sb, ",\"args\":{");
	for (i = 0; i < n; i++) {
		snprintf(unnamed, sizeof(unnamed), "arg%u", i);
		if (i)
			xpt_strbuf__addc(sb, ',');
		xpt_rdma_json__add_str(sb, node->arg_name[i] ? node->arg_name[i] : unnamed, NAME);
		xpt_strbuf__addc(sb, ':');
		xpt_rdma_json__add_u64(sb, node->arg[i]);
	}
	xpt_strbuf__addc(sb, '}');
}

static void add_node(const struct xpt_rdma_node *node, struct xpt_strbuf *sb)
{
	xpt_strbuf__add(sb, "{\"function\":");
	xpt_rdma_json__add_str(sb, node->fn, NAME);
	xpt_strbuf__add(sb, ",\"module\":");
	xpt_rdma_json__add_str(sb, node->module, NAME);
	xpt_rdma_json__add_number(sb, "depth", node->depth);
	xpt_rdma_json__add_text(sb, "returns", xpt_rdma_ret_name(node->ret_type));
	xpt_strbuf__add(sb, ",\"ret\":");
	add_i64(sb, node->ret);
	add_mark(sb, "failed", node->flags & XPT_RDMA_NODE_FAILED);
	if (node->flags & XPT_RDMA_NODE_EXPECTED)
		xpt_rdma_json__add_text(sb, "expected", node->why);
	add_mark(sb, "narrowed", node->flags & XPT_RDMA_NODE_NARROWED);
	add_mark(sb, "beyond", node->flags & XPT_RDMA_NODE_BEYOND);
	if (node->exit_ns)
		xpt_rdma_json__add_number(sb, "exit_ns", node->exit_ns);
	if (node->nr_args)
		add_args(node, sb);
	xpt_strbuf__addc(sb, '}');
}

static void add_head(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	int code = xpt_rdma_is_errno(t->ret) ? (int)-t->ret : 0;
	time_t at = (time_t)(t->wall_ns / 1000000000u);
	char when[32], name[32];
	struct tm tm;

	xpt_strbuf__add(sb, "{\"syscall\":");
	xpt_rdma_json__add_str(sb, t->method, XPT_RDMA_JSON_TEXT);
	xpt_rdma_json__add_text(sb, "errmsg", t->flags & XPT_RDMA_TRACE_POSITIVE ?
				"a positive number in place of an errno" : code ? strerrordesc_np(code) : "");
	xpt_rdma_json__add_number(sb, "errno", (uint64_t)code);
	xpt_rdma_json__add_text(sb, "process", t->comm);
	gmtime_r(&at, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	xpt_strbuf__addf(sb, ",\"timestamp\":\"%s.%09uZ\",\"type\":\"rdma\"", when,
			 (unsigned)(t->wall_ns % 1000000000u));
	xpt_rdma_json__add_text(sb, "error", code ? xpt_rdma_trace__error(t, name, sizeof(name)) : "");
}

static void add_versions(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	xpt_rdma_json__add_text(sb, "device", t->device);
	xpt_rdma_json__add_text(sb, "driver", t->driver);
	xpt_rdma_json__add_text(sb, "driver_version", t->driver_version);
	add_optional(sb, "driver_version_why", t->driver_why);
	xpt_rdma_json__add_text(sb, "firmware_version", t->firmware_version);
	add_optional(sb, "firmware_version_why", t->firmware_why);
	add_optional(sb, "gpu_driver_version", t->gpu_driver);
	add_optional(sb, "gpu_error", t->gpu_error);
	xpt_rdma_json__add_text(sb, "kernel", t->kernel);
	xpt_rdma_json__add_text(sb, "host", t->host);
	xpt_rdma_json__add_text(sb, "boot_id", t->boot_id);
}

/* Adds the values that the program asked with, and the facts about locked and free memory. */
static void add_asked(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	if (t->asked_name && *t->asked_name) {
		xpt_rdma_json__add_text(sb, "asked", t->asked_name);
		xpt_strbuf__add(sb, ",\"asked_value\":");
		add_i64(sb, t->asked);
	}
	if (t->asked_for) {
		xpt_strbuf__add(sb, ",\"asked_for\":");
		xpt_rdma_asked_for__print(t->asked_for, sb);
	}
	if (t->lock_known & XPT_RDMA_LOCK_LIMIT)
		xpt_rdma_json__add_number(sb, "memlock_limit", t->lock_limit);
	if (t->lock_known & XPT_RDMA_LOCK_PINNED)
		xpt_rdma_json__add_number(sb, "memory_pinned", t->pinned);
	if (t->lock_known & XPT_RDMA_MEMORY_FREE)
		xpt_rdma_json__add_number(sb, "memory_free", t->memory_free);
	if (t->lock_known & XPT_RDMA_MEMORY_CMA) {
		xpt_rdma_json__add_number(sb, "cma_total", t->cma_total);
		xpt_rdma_json__add_number(sb, "cma_free", t->cma_free);
	}
	if (t->lock_known & (XPT_RDMA_LOCK_CAP | XPT_RDMA_LOCK_NO_CAP))
		xpt_strbuf__addf(sb, ",\"cap_ipc_lock\":%s", t->lock_known & XPT_RDMA_LOCK_CAP ? "true" : "false");
}

/* Adds the ids of the process in its namespaces: outside of them and of containers those are nothing new. */
static void add_ns(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	bool has_host = t->ns_host && *t->ns_host;

	if (!t->ns_pid || (t->ns_pid == t->pid && t->ns_tid == t->tid && !has_host && !*t->container))
		return;
	xpt_rdma_json__add_number(sb, "ns_pid", t->ns_pid);
	xpt_rdma_json__add_number(sb, "ns_tid", t->ns_tid);
	add_optional(sb, "ns_host", t->ns_host);
}

static void add_texts(struct xpt_strbuf *sb, const char *key, const char *const *v, uint32_t n, size_t most)
{
	uint32_t i;

	xpt_strbuf__addf(sb, ",\"%s\":[", key);
	for (i = 0; i < n; i++) {
		if (i)
			xpt_strbuf__addc(sb, ',');
		xpt_rdma_json__add_str(sb, v[i], most);
	}
	xpt_strbuf__addc(sb, ']');
}

void xpt_rdma_trace__print(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	uint32_t i;

	add_head(t, sb);
	xpt_rdma_json__add_text(sb, "object", t->object);
	xpt_rdma_json__add_text(sb, "shape", t->shape);
	add_versions(t, sb);
	xpt_rdma_json__add_text(sb, "cgroup", t->cgroup);
	xpt_rdma_json__add_text(sb, "container", t->container);
	xpt_rdma_json__add_text(sb, "caller", t->caller);
	xpt_rdma_json__add_text(sb, "outer", t->outer);
	add_asked(t, sb);
	xpt_rdma_json__add_number(sb, "pid", t->pid);
	xpt_rdma_json__add_number(sb, "tid", t->tid);
	add_ns(t, sb);
	xpt_rdma_json__add_number(sb, "uid", t->uid);
	xpt_rdma_json__add_number(sb, "wall_ns", t->wall_ns);
	if (t->monotonic_ns)
		xpt_rdma_json__add_number(sb, "monotonic_ns", t->monotonic_ns);
	xpt_rdma_json__add_number(sb, "duration_ns", t->dur_ns);
	xpt_strbuf__add(sb, ",\"ret\":");
	add_i64(sb, t->ret);
	add_mark(sb, "cut", t->flags & XPT_RDMA_TRACE_CUT);
	add_mark(sb, "lost", t->flags & XPT_RDMA_TRACE_LOST);
	add_mark(sb, "slow", t->flags & XPT_RDMA_TRACE_SLOW);
	add_mark(sb, "positive", t->flags & XPT_RDMA_TRACE_POSITIVE);
	add_mark(sb, "sampled", t->flags & XPT_RDMA_TRACE_SAMPLED);
	add_mark(sb, "deep", t->flags & XPT_RDMA_TRACE_DEEP);
	xpt_strbuf__add(sb, ",\"calls\":[");
	for (i = 0; i < t->nr; i++) {
		if (i)
			xpt_strbuf__addc(sb, ',');
		add_node(&t->node[i], sb);
	}
	xpt_strbuf__addc(sb, ']');
	if (t->firmware) {
		xpt_strbuf__add(sb, ",\"firmware\":{");
		xpt_rdma_firmware__print(t->firmware, sb);
		xpt_strbuf__addc(sb, '}');
	}
	if (t->nr_events) {
		xpt_strbuf__add(sb, ",\"events\":");
		xpt_rdma_events__print(t->events, t->nr_events, sb);
		if (t->more_events)
			xpt_rdma_json__add_number(sb, "more_events", t->more_events);
	}
	if (t->moved) {
		xpt_strbuf__add(sb, ",\"counters\":");
		xpt_rdma_moved__print(t->moved, sb);
	}
	if (t->nr_unwatched)
		add_texts(sb, "unwatched", t->unwatched, t->nr_unwatched, NAME);
	if (t->nr_unprobed)
		add_texts(sb, "unprobed", t->unprobed, t->nr_unprobed, NAME);
	add_texts(sb, "log", t->log, t->nr_log, XPT_RDMA_JSON_TEXT);
	xpt_strbuf__add(sb, "}\n");
}
