// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads traces from lines of JSON, see trace_json.h. All strings of a trace lie
 * in one block as long as the line: unescaped, each with its NUL, they take no
 * more bytes than the quotes around them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/trace/evidence/near_events.h"
#include "rdma/trace/trace_json.h"

enum { MAX_DEPTH = 1000 };

struct parsed {
	struct xpt_rdma_trace t;	/* the first member: the pointer that callers have */
	struct xpt_rdma_node *nodes;
	const char *log[XPT_RDMA_TRACE_LOG], *unprobed[XPT_RDMA_TRACE_UNPROBED];
	const char *unwatched[XPT_RDMA_TRACE_UNWATCHED];
	struct xpt_rdma_firmware firmware;
	struct xpt_rdma_asked_for asked_for;
	struct xpt_rdma_moved moved;
	struct xpt_rdma_event events[XPT_RDMA_TRACE_EVENTS];
	char *text, *text_end;		/* strings; text moves forward */
	char *block;
	bool other;			/* its type is not ours */
	bool whole;			/* it has the members that every trace has */
};

static const char *keep_text(struct parsed *p, const char *s, size_t n)
{
	char *at = p->text;

	if (n >= (size_t)(p->text_end - p->text))
		return "";
	memcpy(at, s, n);
	at[n] = '\0';
	p->text += n + 1;
	return at;
}

static const char *take_text(struct parsed *p, struct xpt_json *j)
{
	const char *s;
	size_t n;

	return xpt_json__str(j, &s, &n) ? keep_text(p, s, n) : "";
}

static bool is_true(struct xpt_json *j)
{
	bool v;

	return xpt_json__bool(j, &v) && v;
}

static bool is_key(const char *key, const char *name)
{
	return !strcmp(key, name);
}

/* --- a node ------------------------------------------------------------------------ */

/* Names that the writer made up stand for none. */
static bool made_up(const char *name, unsigned i)
{
	return !strncmp(name, "arg", 3) && name[3] == (char)('0' + i) && !name[4];
}

static void take_args(struct parsed *p, struct xpt_json *j, struct xpt_rdma_node *node)
{
	const char *key;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(j, &key, &n)) {
		unsigned i = node->nr_args;

		if (i == XPT_RDMA_TRACE_ARGS) {
			xpt_json__skip(j);
			continue;
		}
		node->arg_name[i] = made_up(key, i) ? NULL : keep_text(p, key, n);
		node->arg[i] = xpt_rdma_json__take_u64(j);
		node->nr_args++;
	}
}

static uint8_t take_ret_type(struct xpt_json *j)
{
	const char *s;
	unsigned i;
	size_t n;

	if (!xpt_json__str(j, &s, &n))
		return XPT_RDMA_RET_UNKNOWN;
	for (i = 0; i < XPT_RDMA_NR_RETS; i++)
		if (is_key(s, xpt_rdma_ret_name(i)))
			return (uint8_t)i;
	return XPT_RDMA_RET_UNKNOWN;
}

static void take_node_key(struct parsed *p, struct xpt_json *j, const char *key,
			  struct xpt_rdma_node *node)
{
	uint64_t depth;

	if (is_key(key, "function")) {
		node->fn = take_text(p, j);
	} else if (is_key(key, "module")) {
		node->module = take_text(p, j);
	} else if (is_key(key, "depth")) {
		depth = xpt_rdma_json__take_u64(j);
		node->depth = depth < MAX_DEPTH ? (uint16_t)depth : MAX_DEPTH;
	} else if (is_key(key, "returns")) {
		node->ret_type = take_ret_type(j);
	} else if (is_key(key, "ret")) {
		node->ret = (int64_t)xpt_rdma_json__take_u64(j);
	} else if (is_key(key, "failed")) {
		node->flags |= is_true(j) ? XPT_RDMA_NODE_FAILED : 0;
	} else if (is_key(key, "expected")) {
		node->flags |= XPT_RDMA_NODE_EXPECTED;
		node->why = take_text(p, j);
	} else if (is_key(key, "narrowed")) {
		node->flags |= is_true(j) ? XPT_RDMA_NODE_NARROWED : 0;
	} else if (is_key(key, "beyond")) {
		node->flags |= is_true(j) ? XPT_RDMA_NODE_BEYOND : 0;
	} else if (is_key(key, "exit_ns")) {
		node->exit_ns = xpt_rdma_json__take_u64(j);
	} else if (is_key(key, "args")) {
		take_args(p, j, node);
	} else {
		xpt_json__skip(j);
	}
}

/* False: not a node, or not below the one before. */
static bool take_node(struct parsed *p, struct xpt_json *j)
{
	struct xpt_rdma_node *node = &p->nodes[p->t.nr];
	const char *key;
	unsigned most;
	size_t n;

	*node = (struct xpt_rdma_node){ .fn = "", .module = "" };
	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return false;
	while (xpt_json__key(j, &key, &n))
		take_node_key(p, j, key, node);
	most = p->t.nr ? node[-1].depth + 1u : 0;
	if (!*node->fn || node->depth > most || (p->t.nr && !node->depth))
		return false;
	p->t.nr++;
	return true;
}

static void take_nodes(struct parsed *p, struct xpt_json *j)
{
	p->whole = false;
	p->t.nr = 0;
	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return;
	p->whole = true;
	while (xpt_json__item(j)) {
		if (p->t.nr == XPT_RDMA_TRACE_NODES) {
			p->t.flags |= XPT_RDMA_TRACE_CUT;
			xpt_json__skip(j);
		} else if (!take_node(p, j)) {
			p->whole = false;
		}
	}
}

/* Takes the first texts of a list. Returns how many. */
static uint32_t take_texts(struct parsed *p, struct xpt_json *j, const char **ret_v, uint32_t max)
{
	uint32_t n = 0;

	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return 0;
	while (xpt_json__item(j)) {
		if (n < max)
			ret_v[n++] = take_text(p, j);
		else
			xpt_json__skip(j);
	}
	return n;
}

static void take_firmware(struct parsed *p, struct xpt_json *j)
{
	const char *key;
	size_t n;

	p->t.firmware = NULL;
	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	p->firmware = (struct xpt_rdma_firmware){ .count = 1 };
	while (xpt_json__key(j, &key, &n))
		if (!xpt_rdma_firmware__take_key(j, key, &p->firmware))
			xpt_json__skip(j);
	p->t.firmware = &p->firmware;
}

static void take_asked_for(struct parsed *p, struct xpt_json *j)
{
	xpt_rdma_asked_for__take(j, &p->asked_for);
	p->t.asked_for = p->asked_for.nr || *p->asked_for.why ? &p->asked_for : NULL;
}

static void take_moved(struct parsed *p, struct xpt_json *j)
{
	xpt_rdma_moved__take(j, &p->moved);
	p->t.moved = &p->moved;
}

/* --- a trace ----------------------------------------------------------------------- */

#define AT(m) offsetof(struct xpt_rdma_trace, m)

static const struct {
	const char *key;
	size_t at;
} texts[] = {
	{ "syscall", AT(method) }, { "process", AT(comm) }, { "object", AT(object) },
	{ "shape", AT(shape) }, { "device", AT(device) }, { "driver", AT(driver) },
	{ "driver_version", AT(driver_version) }, { "driver_version_why", AT(driver_why) },
	{ "firmware_version", AT(firmware_version) }, { "firmware_version_why", AT(firmware_why) },
	{ "gpu_driver_version", AT(gpu_driver) }, { "gpu_error", AT(gpu_error) },
	{ "kernel", AT(kernel) }, { "host", AT(host) }, { "boot_id", AT(boot_id) },
	{ "cgroup", AT(cgroup) }, { "container", AT(container) }, { "caller", AT(caller) },
	{ "outer", AT(outer) }, { "asked", AT(asked_name) }, { "ns_host", AT(ns_host) },
};

static const struct {
	const char *key;
	uint32_t flag;
} marks[] = {
	{ "cut", XPT_RDMA_TRACE_CUT }, { "slow", XPT_RDMA_TRACE_SLOW },
	{ "sampled", XPT_RDMA_TRACE_SAMPLED }, { "deep", XPT_RDMA_TRACE_DEEP },
	{ "positive", XPT_RDMA_TRACE_POSITIVE }, { "lost", XPT_RDMA_TRACE_LOST },
};

#define NR_TEXTS (sizeof(texts) / sizeof(texts[0]))
#define NR_MARKS (sizeof(marks) / sizeof(marks[0]))

static const char **text_at(struct parsed *p, size_t at)
{
	return (const char **)(void *)((char *)&p->t + at);
}

static bool take_text_key(struct parsed *p, struct xpt_json *j, const char *key)
{
	unsigned i;

	for (i = 0; i < NR_TEXTS; i++) {
		if (!is_key(key, texts[i].key))
			continue;
		*text_at(p, texts[i].at) = take_text(p, j);
		return true;
	}
	for (i = 0; i < NR_MARKS; i++) {
		if (!is_key(key, marks[i].key))
			continue;
		p->t.flags |= is_true(j) ? marks[i].flag : 0;
		return true;
	}
	return false;
}

/* Takes the members about locked and free memory. */
static bool take_lock_key(struct parsed *p, struct xpt_json *j, const char *key)
{
	if (is_key(key, "memlock_limit")) {
		p->t.lock_limit = xpt_rdma_json__take_u64(j);
		p->t.lock_known |= XPT_RDMA_LOCK_LIMIT;
	} else if (is_key(key, "memory_pinned")) {
		p->t.pinned = xpt_rdma_json__take_u64(j);
		p->t.lock_known |= XPT_RDMA_LOCK_PINNED;
	} else if (is_key(key, "memory_free")) {
		p->t.memory_free = xpt_rdma_json__take_u64(j);
		p->t.lock_known |= XPT_RDMA_MEMORY_FREE;
	} else if (is_key(key, "cma_total")) {
		p->t.cma_total = xpt_rdma_json__take_u64(j);
		p->t.lock_known |= XPT_RDMA_MEMORY_CMA;
	} else if (is_key(key, "cma_free")) {
		p->t.cma_free = xpt_rdma_json__take_u64(j);
	} else if (is_key(key, "cap_ipc_lock")) {
		p->t.lock_known &= ~(uint32_t)(XPT_RDMA_LOCK_CAP | XPT_RDMA_LOCK_NO_CAP);
		p->t.lock_known |= is_true(j) ? XPT_RDMA_LOCK_CAP : XPT_RDMA_LOCK_NO_CAP;
	} else {
		return false;
	}
	return true;
}

static void take_key(struct parsed *p, struct xpt_json *j, const char *key)
{
	if (take_text_key(p, j, key) || take_lock_key(p, j, key))
		return;
	if (is_key(key, "type"))
		p->other = !is_key(take_text(p, j), "rdma");
	else if (is_key(key, "pid"))
		p->t.pid = (uint32_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "tid"))
		p->t.tid = (uint32_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "ns_pid"))
		p->t.ns_pid = (uint32_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "ns_tid"))
		p->t.ns_tid = (uint32_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "uid"))
		p->t.uid = (uint32_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "wall_ns"))
		p->t.wall_ns = xpt_rdma_json__take_u64(j);
	else if (is_key(key, "monotonic_ns"))
		p->t.monotonic_ns = xpt_rdma_json__take_u64(j);
	else if (is_key(key, "duration_ns"))
		p->t.dur_ns = xpt_rdma_json__take_u64(j);
	else if (is_key(key, "ret"))
		p->t.ret = (int64_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "asked_value"))
		p->t.asked = (int64_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "asked_for"))
		take_asked_for(p, j);
	else if (is_key(key, "counters"))
		take_moved(p, j);
	else if (is_key(key, "calls"))
		take_nodes(p, j);
	else if (is_key(key, "firmware"))
		take_firmware(p, j);
	else if (is_key(key, "events"))
		p->t.nr_events = xpt_rdma_events__take(j, p->events, XPT_RDMA_TRACE_EVENTS);
	else if (is_key(key, "more_events"))
		p->t.more_events = (uint32_t)xpt_rdma_json__take_u64(j);
	else if (is_key(key, "unwatched"))
		p->t.nr_unwatched = take_texts(p, j, p->unwatched, XPT_RDMA_TRACE_UNWATCHED);
	else if (is_key(key, "unprobed"))
		p->t.nr_unprobed = take_texts(p, j, p->unprobed, XPT_RDMA_TRACE_UNPROBED);
	else if (is_key(key, "log"))
		p->t.nr_log = take_texts(p, j, p->log, XPT_RDMA_TRACE_LOG);
	else
		xpt_json__skip(j);
}

static int take_trace(struct parsed *p, struct xpt_json *j, const char *line)
{
	const char *key;
	size_t n;

	if (line[0] != '{' || !xpt_json__find_object(j))
		return -EBADMSG;
	while (!j->err && xpt_json__key(j, &key, &n))
		take_key(p, j, key);
	if (j->err)
		return -EBADMSG;
	if (p->other)
		return -ENOMSG;
	return p->whole && *p->t.method ? 0 : -EBADMSG;
}

static struct parsed *new_parsed(size_t n)
{
	struct parsed *p = calloc(1, sizeof(*p));
	unsigned i;

	if (!p)
		return NULL;
	p->other = true;	/* until its type is seen */
	p->block = p->text = malloc(n + 1);
	p->text_end = p->block ? p->block + n + 1 : NULL;
	p->nodes = calloc(XPT_RDMA_TRACE_NODES, sizeof(*p->nodes));
	for (i = 0; i < NR_TEXTS; i++)
		*text_at(p, texts[i].at) = "";
	if (p->block && p->nodes)
		return p;
	xpt_rdma_trace__free(&p->t);
	return NULL;
}

int xpt_rdma_trace__parse(const char *line, size_t n, struct xpt_rdma_trace **ret_t)
{
	struct xpt_json_text in = { line, n };
	struct xpt_rdma_node *less;
	struct xpt_json j = { 0 };
	struct parsed *p;
	int err;

	if (!n || n > XPT_RDMA_LINE_MAX)
		return n ? -E2BIG : -EBADMSG;
	p = new_parsed(n);
	if (!p || xpt_json__init(&j, xpt_json_text__read, &in)) {
		xpt_rdma_trace__free(p ? &p->t : NULL);
		return -ENOMEM;
	}
	err = take_trace(p, &j, line);
	xpt_json__free(&j);
	if (err) {
		xpt_rdma_trace__free(&p->t);
		return err;
	}
	less = realloc(p->nodes, (p->t.nr + 1) * sizeof(*p->nodes));
	p->nodes = less ? less : p->nodes;
	p->t.node = p->nodes;
	p->t.log = p->log;
	p->t.unprobed = p->unprobed;
	p->t.unwatched = p->unwatched;
	p->t.events = p->events;
	*ret_t = &p->t;
	return 0;
}

int xpt_rdma_trace__copy(const struct xpt_rdma_trace *t, struct xpt_rdma_trace **ret_t)
{
	struct xpt_strbuf sb;
	int err;

	xpt_strbuf__init(&sb, XPT_RDMA_LINE_MAX);
	xpt_rdma_trace__print(t, &sb);
	err = xpt_strbuf__err(&sb);
	if (!err)
		err = xpt_rdma_trace__parse(sb.s, sb.len - 1, ret_t);
	xpt_strbuf__free(&sb);
	return err;
}

void xpt_rdma_trace__free(struct xpt_rdma_trace *t)
{
	struct parsed *p = (struct parsed *)t;

	if (!p)
		return;
	free(p->nodes);
	free(p->block);
	free(p);
}
