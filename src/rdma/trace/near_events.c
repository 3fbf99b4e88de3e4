// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See near_events.h. Events are few: a port that flaps tells two a second. */
#include "rdma/trace/near_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/utf8.h"
#include "rdma/trace/trace_json.h"

#define NEAR_NS 1000000000ull

void xpt_rdma_near_events__add(struct xpt_rdma_near_events *e, const char *name, const char *device, uint64_t number,
			       uint64_t ns)
{
	struct xpt_rdma_seen_event *s = &e->seen[e->nr++ % XPT_RDMA_EVENTS_KEPT];

	*s = (struct xpt_rdma_seen_event){ .number = number, .ns = ns };
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(s->device, sizeof(s->device), "%s", device);
}

uint32_t xpt_rdma_near_events__find(const struct xpt_rdma_near_events *e, const char *device, uint64_t start_ns,
				    uint64_t end_ns, struct xpt_rdma_event *ret_v)
{
	uint64_t from = start_ns > NEAR_NS ? start_ns - NEAR_NS : 0;
	unsigned kept = e->nr < XPT_RDMA_EVENTS_KEPT ? e->nr : XPT_RDMA_EVENTS_KEPT, i;
	uint32_t n = 0;

	for (i = e->nr - kept; *device && i < e->nr; i++) {
		const struct xpt_rdma_seen_event *s = &e->seen[i % XPT_RDMA_EVENTS_KEPT];

		if (strcmp(s->device, device) != 0 || s->ns < from || s->ns > end_ns)
			continue;
		if (n == XPT_RDMA_TRACE_EVENTS)
			memmove(ret_v, ret_v + 1, --n * sizeof(*ret_v));
		ret_v[n] = (struct xpt_rdma_event){ .number = s->number, .before_end_ns = end_ns - s->ns };
		memcpy(ret_v[n++].name, s->name, sizeof(s->name));
	}
	return n;
}

const char *xpt_rdma_event__text(const struct xpt_rdma_event *e, char *buf, size_t n)
{
	char number[32] = "", time[32];

	if (e->number)
		snprintf(number, sizeof(number), " %" PRIu64, e->number);
	snprintf(buf, n, "%s%s, %s before it ended", e->name, number, xpt_fmt_ns(e->before_end_ns, time, sizeof(time)));
	return buf;
}

void xpt_rdma_events__print(const struct xpt_rdma_event *v, uint32_t n, struct xpt_strbuf *sb)
{
	uint32_t i;

	xpt_strbuf__addc(sb, '[');
	for (i = 0; i < n; i++) {
		xpt_strbuf__add(sb, i ? ",{\"event\":" : "{\"event\":");
		xpt_strbuf__add_json(sb, v[i].name);
		xpt_strbuf__add(sb, ",\"number\":");
		xpt_rdma_json__add_u64(sb, v[i].number);
		xpt_strbuf__add(sb, ",\"before_end_ns\":");
		xpt_rdma_json__add_u64(sb, v[i].before_end_ns);
		xpt_strbuf__addc(sb, '}');
	}
	xpt_strbuf__addc(sb, ']');
}

/* Texts of files are cut, and control no terminal. */
static void take_key(struct xpt_json *j, const char *key, struct xpt_rdma_event *e)
{
	const char *s;
	size_t n;

	if (!strcmp(key, "event")) {
		if (xpt_json__str(j, &s, &n))
			snprintf(e->name, sizeof(e->name), "%.*s", (int)(n < sizeof(e->name) ? n : sizeof(e->name) - 1), s);
		xpt_utf8__clean(e->name, "");
	} else if (!strcmp(key, "number")) {
		xpt_rdma_json__number(j, &e->number);
	} else if (!strcmp(key, "before_end_ns")) {
		xpt_rdma_json__number(j, &e->before_end_ns);
	} else {
		xpt_json__skip(j);
	}
}

uint32_t xpt_rdma_events__take(struct xpt_json *j, struct xpt_rdma_event *ret_v, uint32_t max)
{
	struct xpt_rdma_event one;
	uint32_t n = 0;
	const char *key;
	size_t len;

	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return 0;
	while (xpt_json__item(j)) {
		one = (struct xpt_rdma_event){ .number = 0 };
		if (!xpt_json__enter(j, XPT_JSON_OBJECT))
			continue;
		while (xpt_json__key(j, &key, &len))
			take_key(j, key, &one);
		if (n < max)
			ret_v[n++] = one;
	}
	return n;
}
