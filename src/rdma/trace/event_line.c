// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See event_line.h. Lines come from files: text that is too long is cut, numbers may be written in either way that
 * traces have them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "rdma/trace/event_line.h"
#include "rdma/trace/trace_json.h"

/* "timestamp":"2026-11-22T05:45:00.123456789Z","type":"rdma_exit" */
static void add_type(const char *type, uint64_t wall_ns, struct xpt_strbuf *sb)
{
	time_t at = (time_t)(wall_ns / 1000000000u);
	char when[32];
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	xpt_strbuf__addf(sb, "\"timestamp\":\"%s.%09uZ\",\"type\":\"%s\"", when,
			 (unsigned)(wall_ns % 1000000000u), type);
}

void xpt_rdma_moment__print(const struct xpt_rdma_moment *at, struct xpt_strbuf *sb)
{
	if (at->monotonic_ns)
		xpt_rdma_json__add_number(sb, "monotonic_ns", at->monotonic_ns);
	if (at->host && *at->host)
		xpt_rdma_json__add_text(sb, "host", at->host);
	if (at->boot_id && *at->boot_id)
		xpt_rdma_json__add_text(sb, "boot_id", at->boot_id);
}

struct xpt_rdma_moment xpt_rdma_other__moment(const struct xpt_rdma_other_line *line)
{
	return (struct xpt_rdma_moment){
		.host = line->host, .boot_id = line->boot_id, .monotonic_ns = line->monotonic_ns,
		.wall_ns = line->wall_ns,
	};
}

void xpt_rdma_lost__print(uint64_t calls, const struct xpt_rdma_moment *at, struct xpt_strbuf *sb)
{
	xpt_strbuf__addc(sb, '{');
	add_type("rdma_lost", at->wall_ns, sb);
	xpt_strbuf__addf(sb, ",\"calls\":%" PRIu64, calls);
	xpt_rdma_json__add_number(sb, "wall_ns", at->wall_ns);
	xpt_rdma_moment__print(at, sb);
	xpt_strbuf__add(sb, "}\n");
}

void xpt_rdma_exit__print(uint32_t pid, const char *comm, const struct xpt_rdma_moment *at, struct xpt_strbuf *sb)
{
	xpt_strbuf__add(sb, "{\"process\":");
	xpt_strbuf__add_json(sb, comm);
	xpt_strbuf__addc(sb, ',');
	add_type("rdma_exit", at->wall_ns, sb);
	xpt_strbuf__addf(sb, ",\"pid\":%" PRIu32, pid);
	xpt_rdma_json__add_number(sb, "wall_ns", at->wall_ns);
	xpt_rdma_moment__print(at, sb);
	xpt_strbuf__add(sb, "}\n");
}

static void take_key(struct xpt_json *j, const char *key, char *type, struct xpt_rdma_other_line *l)
{
	if (!strcmp(key, "type"))
		xpt_rdma_json__take_text(j, type, sizeof(l->name));
	else if (!strcmp(key, "process") || !strcmp(key, "event"))
		xpt_rdma_json__take_text(j, l->name, sizeof(l->name));
	else if (!strcmp(key, "device"))
		xpt_rdma_json__take_text(j, l->device, sizeof(l->device));
	else if (!strcmp(key, "driver"))
		xpt_rdma_json__take_text(j, l->driver, sizeof(l->driver));
	else if (!strcmp(key, "host"))
		xpt_rdma_json__take_text(j, l->host, sizeof(l->host));
	else if (!strcmp(key, "boot_id"))
		xpt_rdma_json__take_text(j, l->boot_id, sizeof(l->boot_id));
	else if (!strcmp(key, "number") || !strcmp(key, "calls"))
		l->number = xpt_rdma_json__take_u64(j);
	else if (!strcmp(key, "pid"))
		l->pid = (uint32_t)xpt_rdma_json__take_u64(j);
	else if (!strcmp(key, "wall_ns"))
		l->wall_ns = xpt_rdma_json__take_u64(j);
	else if (!strcmp(key, "monotonic_ns"))
		l->monotonic_ns = xpt_rdma_json__take_u64(j);
	else if (!xpt_rdma_firmware__take_key(j, key, &l->firmware))
		xpt_json__skip(j);
}

int xpt_rdma_other__parse(const char *line, size_t n, struct xpt_rdma_other_line *ret_line)
{
	struct xpt_rdma_other_line l = { .kind = XPT_RDMA_LINE_EXIT };
	struct xpt_json_text in = { line, n };
	struct xpt_json j = { 0 };
	char type[sizeof(l.name)] = "";
	const char *key;
	size_t len;
	int err;

	if (xpt_json__init(&j, xpt_json_text__read, &in))
		return -ENOMEM;
	if (n && line[0] == '{' && xpt_json__find_object(&j))
		while (!j.err && xpt_json__key(&j, &key, &len))
			take_key(&j, key, type, &l);
	err = j.err ? -EBADMSG : 0;
	xpt_json__free(&j);
	if (err)
		return err;
	if (!strcmp(type, "rdma_event"))
		l.kind = XPT_RDMA_LINE_EVENT;
	else if (!strcmp(type, "rdma_command"))
		l.kind = XPT_RDMA_LINE_COMMAND;
	else if (!strcmp(type, "rdma_lost"))
		l.kind = XPT_RDMA_LINE_LOST;
	else if (strcmp(type, "rdma_exit") != 0)
		return -ENOMSG;
	*ret_line = l;
	return 0;
}
