// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes and reads the values of JSON lines, see json_value.h: numbers that no reader rounds, texts that fit. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "rdma/trace/json_value.h"

enum { EXACT_BITS = 53 };	/* of a number of most readers of JSON */

void xpt_rdma_json__add_str(struct xpt_strbuf *sb, const char *s, size_t max)
{
	char buf[XPT_RDMA_JSON_TEXT + 1];

	if (s && strlen(s) > max) {
		snprintf(buf, sizeof(buf), "%.*s", (int)max, s);
		s = buf;
	}
	xpt_strbuf__add_json(sb, s ? s : "");
}

void xpt_rdma_json__add_u64(struct xpt_strbuf *sb, uint64_t v)
{
	if (v >> EXACT_BITS)
		xpt_strbuf__addf(sb, "\"0x%" PRIx64 "\"", v);
	else
		xpt_strbuf__addu64(sb, v);
}

static void add_key(struct xpt_strbuf *sb, const char *key)
{
	bool is_first = sb->len && sb->s[sb->len - 1] == '{';	/* a string would end in a quote */

	xpt_strbuf__addf(sb, "%s\"%s\":", is_first ? "" : ",", key);
}

void xpt_rdma_json__add_text(struct xpt_strbuf *sb, const char *key, const char *s)
{
	add_key(sb, key);
	xpt_rdma_json__add_str(sb, s, XPT_RDMA_JSON_TEXT);
}

void xpt_rdma_json__add_number(struct xpt_strbuf *sb, const char *key, uint64_t v)
{
	add_key(sb, key);
	xpt_rdma_json__add_u64(sb, v);
}

bool xpt_rdma_json__number(struct xpt_json *j, uint64_t *ret_v)
{
	const char *s;
	int64_t v;
	size_t n;

	if (xpt_json__kind(j) == XPT_JSON_STRING)
		return xpt_json__str(j, &s, &n) && !xpt_parse_u64(s, 0, UINT64_MAX, ret_v);
	if (!xpt_json__i64(j, &v))
		return false;
	*ret_v = (uint64_t)v;
	return true;
}

uint64_t xpt_rdma_json__take_u64(struct xpt_json *j)
{
	uint64_t v;

	return xpt_rdma_json__number(j, &v) ? v : 0;
}

void xpt_rdma_json__take_text(struct xpt_json *j, char *to, size_t room)
{
	const char *s;
	size_t n;

	if (xpt_json__str(j, &s, &n))
		snprintf(to, room, "%.*s", (int)(n < room ? n : room - 1), s);
}
