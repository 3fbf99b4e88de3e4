// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See firmware.h: as members of a JSON object, in traces, events and verdicts.
 */
#include <inttypes.h>
#include <string.h>

#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/trace_json.h"

static const char *const sources[] = { [XPT_RDMA_BY_TRACEPOINT] = "tracepoint", [XPT_RDMA_BY_LOG] = "log" };

void xpt_rdma_firmware__print(const struct xpt_rdma_firmware *f, struct xpt_strbuf *sb)
{
	xpt_strbuf__add(sb, "\"command\":");
	xpt_strbuf__add_json(sb, f->command);
	xpt_strbuf__addf(sb, ",\"opcode\":%u,\"op_mod\":%u,\"status\":%u,\"status_text\":", f->opcode,
			 f->op_mod, f->status);
	xpt_strbuf__add_json(sb, f->status_text);
	xpt_strbuf__addf(sb, ",\"syndrome\":%" PRIu32 ",\"err\":%" PRId32 ",\"source\":\"%s\",\"count\":%" PRIu32,
			 f->syndrome, f->err, sources[f->source], f->count);
	if (!f->at_ns)
		return;
	xpt_strbuf__add(sb, ",\"at_ns\":");
	xpt_rdma_json__add_u64(sb, f->at_ns);
}

/* 0: none, or too large. */
static uint64_t take_number(struct xpt_json *j, uint64_t max)
{
	uint64_t v;

	return xpt_rdma_json__number(j, &v) && v <= max ? v : 0;
}

static int32_t take_errno(struct xpt_json *j)
{
	uint64_t v;

	return xpt_rdma_json__number(j, &v) && xpt_rdma_is_errno((int64_t)v) ? (int32_t)v : 0;
}

static uint8_t take_source(struct xpt_json *j)
{
	const char *s;
	size_t n;

	return xpt_json__str(j, &s, &n) && !strcmp(s, sources[XPT_RDMA_BY_LOG]) ? XPT_RDMA_BY_LOG :
	       XPT_RDMA_BY_TRACEPOINT;
}

bool xpt_rdma_firmware__take_key(struct xpt_json *j, const char *key, struct xpt_rdma_firmware *f)
{
	if (!strcmp(key, "command"))
		xpt_rdma_json__take_text(j, f->command, sizeof(f->command));
	else if (!strcmp(key, "status_text"))
		xpt_rdma_json__take_text(j, f->status_text, sizeof(f->status_text));
	else if (!strcmp(key, "opcode"))
		f->opcode = (uint16_t)take_number(j, UINT16_MAX);
	else if (!strcmp(key, "op_mod"))
		f->op_mod = (uint16_t)take_number(j, UINT16_MAX);
	else if (!strcmp(key, "status"))
		f->status = (uint8_t)take_number(j, UINT8_MAX);
	else if (!strcmp(key, "syndrome"))
		f->syndrome = (uint32_t)take_number(j, UINT32_MAX);
	else if (!strcmp(key, "err"))
		f->err = take_errno(j);
	else if (!strcmp(key, "source"))
		f->source = take_source(j);
	else if (!strcmp(key, "count"))
		f->count = (uint32_t)take_number(j, UINT32_MAX);
	else if (!strcmp(key, "at_ns"))
		f->at_ns = take_number(j, UINT64_MAX);
	else
		return false;
	return true;
}
