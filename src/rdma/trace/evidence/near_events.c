// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See near_events.h. Events of devices are few: a port that flaps tells two a second. But a table of GIDs that is
 * filled anew tells one for each entry, and the connection manager one for each program that finds no peer.
 */
#include "rdma/trace/evidence/near_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/utf8.h"
#include "rdma/trace/trace_json.h"
#include "wire/rdma.h"

#define NEAR_NS 1000000000ull
#define DROPPED_NS 100000000ull		/* that one count is of */

enum { EACH = XPT_RDMA_TRACE_EVENTS / XPT_RDMA_NR_EVENT_SOURCES };	/* of a source beside a call */

/* --- keeping ---------------------------------------------------------------------------- */

/* Returns the place of a device that has an event at ns, a new one if need be. */
static unsigned place_of(struct xpt_rdma_near_events *e, const char *device, uint64_t ns)
{
	unsigned i, oldest = 0;

	for (i = 0; i < e->nr; i++) {
		if (!strcmp(e->by[i].device, device))
			return i;
		oldest = e->by[i].ns < e->by[oldest].ns ? i : oldest;
	}
	if (e->nr < XPT_RDMA_EVENT_DEVICES)
		oldest = e->nr++;
	else
		e->crowded += ns < e->by[oldest].ns + NEAR_NS;
	memset(&e->by[oldest], 0, sizeof(e->by[oldest]));
	snprintf(e->by[oldest].device, sizeof(e->by[oldest].device), "%s", device);
	return oldest;
}

static unsigned count_name(const struct xpt_rdma_seen_events *v, const char *name)
{
	unsigned i, n = 0;

	for (i = 0; i < v->nr; i++)
		n += !strcmp(v->seen[i].name, name);
	return n;
}

/* Joins the first two counts, so that there is room for one more. */
static void join_oldest(struct xpt_rdma_seen_events *v)
{
	struct xpt_rdma_dropped_events *d = v->dropped;

	d[0].first_ns = d[1].first_ns < d[0].first_ns ? d[1].first_ns : d[0].first_ns;
	d[0].last_ns = d[1].last_ns > d[0].last_ns ? d[1].last_ns : d[0].last_ns;
	d[0].n += d[1].n;
	v->nr_dropped--;
	memmove(&d[1], &d[2], (v->nr_dropped - 1) * sizeof(*d));
}

static void count_dropped(struct xpt_rdma_seen_events *v, uint64_t ns)
{
	struct xpt_rdma_dropped_events *d;

	for (d = v->dropped; d < v->dropped + v->nr_dropped; d++) {
		if (ns < d->first_ns || ns - d->first_ns >= DROPPED_NS)
			continue;
		d->n++;
		d->last_ns = ns > d->last_ns ? ns : d->last_ns;
		return;
	}
	if (v->nr_dropped == XPT_RDMA_EVENTS_DROPPED)
		join_oldest(v);
	v->dropped[v->nr_dropped++] = (struct xpt_rdma_dropped_events){ ns, ns, 1 };
}

/* Returns how many of the dropped events were in a time for certain. */
static uint32_t sum_dropped(const struct xpt_rdma_seen_events *v, uint64_t from, uint64_t end_ns)
{
	uint32_t n = 0;
	unsigned i;

	for (i = 0; i < v->nr_dropped; i++)
		if (v->dropped[i].first_ns >= from && v->dropped[i].last_ns <= end_ns)
			n += v->dropped[i].n;
	return n;
}

/* Drops the oldest event of the name that most of them have. */
static void make_room(struct xpt_rdma_seen_events *v)
{
	unsigned i, n, most = 0, victim = 0;

	for (i = 0; i < v->nr; i++) {
		n = count_name(v, v->seen[i].name);
		if (n <= most)
			continue;
		most = n;
		victim = i;
	}
	count_dropped(v, v->seen[victim].ns);
	v->nr--;
	memmove(&v->seen[victim], &v->seen[victim + 1], (v->nr - victim) * sizeof(v->seen[0]));
}

void xpt_rdma_near_events__add(struct xpt_rdma_near_events *e, enum xpt_rdma_event_source source, const char *name,
			       const char *device, uint64_t number, uint64_t ns)
{
	struct xpt_rdma_seen_events *v;
	unsigned i, at;

	if (!*device)
		return;
	i = place_of(e, device, ns);
	v = &e->by[i].of[source];
	e->by[i].ns = ns;
	if (v->nr == XPT_RDMA_EVENTS_KEPT)
		make_room(v);
	for (at = v->nr++; at && v->seen[at - 1].ns > ns; at--)	/* CPUs send in no order */
		v->seen[at] = v->seen[at - 1];
	v->seen[at] = (struct xpt_rdma_seen_event){ .number = number, .ns = ns };
	snprintf(v->seen[at].name, sizeof(v->seen[at].name), "%s", name);
}

/* --- finding ---------------------------------------------------------------------------- */

/* Chooses at most EACH events from the window: bits of v->seen. *ret_nr: of all that are in it. */
static uint64_t choose_events(const struct xpt_rdma_seen_events *v, uint64_t from, uint64_t end_ns, uint32_t *ret_nr)
{
	const struct xpt_rdma_seen_event *s = v->seen;
	uint64_t in = 0, chosen = 0;
	unsigned i, k, n = 0;

	*ret_nr = 0;
	for (i = v->nr; i-- > 0;) {
		if (s[i].ns < from || s[i].ns > end_ns)
			continue;
		for (k = i + 1; k < v->nr && (!(in >> k & 1) || strcmp(s[k].name, s[i].name) != 0); k++)
			;
		in |= 1ull << i;
		++*ret_nr;
		if (k < v->nr || n == EACH)
			continue;
		chosen |= 1ull << i;	/* the newest of its name */
		n++;
	}
	for (i = v->nr; i-- > 0 && n < EACH;)
		if ((in & ~chosen) >> i & 1) {
			chosen |= 1ull << i;
			n++;
		}
	return chosen;
}

/* Adds one event to those that are sorted by time, the latest last. */
static void insert_event(struct xpt_rdma_event *v, uint32_t n, const struct xpt_rdma_seen_event *s, uint64_t end_ns)
{
	uint64_t before = end_ns - s->ns;

	for (; n && v[n - 1].before_end_ns < before; n--)
		v[n] = v[n - 1];
	v[n] = (struct xpt_rdma_event){ .number = s->number, .before_end_ns = before };
	memcpy(v[n].name, s->name, sizeof(s->name));
}

uint32_t xpt_rdma_near_events__find(const struct xpt_rdma_near_events *e, const char *device, uint64_t start_ns,
				    uint64_t end_ns, struct xpt_rdma_event *ret_v, uint32_t *ret_more)
{
	uint64_t from = start_ns > NEAR_NS ? start_ns - NEAR_NS : 0;
	uint32_t n = 0, in, all = 0;
	unsigned d, i, source;

	*ret_more = 0;
	for (d = 0; d < e->nr && strcmp(e->by[d].device, device) != 0; d++)
		;
	for (source = 0; d < e->nr && source < XPT_RDMA_NR_EVENT_SOURCES; source++) {
		const struct xpt_rdma_seen_events *v = &e->by[d].of[source];
		uint64_t chosen = choose_events(v, from, end_ns, &in);

		all += in + sum_dropped(v, from, end_ns);
		for (i = 0; i < v->nr; i++)
			if (chosen >> i & 1)
				insert_event(ret_v, n++, &v->seen[i], end_ns);
	}
	*ret_more = all - n;
	return n;
}

/* --- texts ------------------------------------------------------------------------------ */

/* enum rdma_cm_event_type, include/rdma/rdma_cm.h; only failures are sent. */
static const char *cm_event_text(uint32_t type, char *buf, size_t n)
{
	static const char *const names[] = {
		[1] = "CM_ADDR_ERROR", [3] = "CM_ROUTE_ERROR", [6] = "CM_CONNECT_ERROR", [7] = "CM_UNREACHABLE",
		[8] = "CM_REJECTED", [11] = "CM_DEVICE_REMOVAL", [13] = "CM_MULTICAST_ERROR", [14] = "CM_ADDR_CHANGE",
		[17] = "CM_ADDRINFO_ERROR",
	};

	if (type < sizeof(names) / sizeof(names[0]) && names[type])
		return names[type];
	snprintf(buf, n, "CM event %u", type);
	return buf;
}

/* enum ib_event_type, include/rdma/ib_verbs.h */
const char *xpt_rdma_event_text(uint32_t type, char *buf, size_t n)
{
	static const char *const names[] = {
		"CQ_ERR", "QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "COMM_EST", "SQ_DRAINED", "PATH_MIG",
		"PATH_MIG_ERR", "DEVICE_FATAL", "PORT_ACTIVE", "PORT_ERR", "LID_CHANGE", "PKEY_CHANGE",
		"SM_CHANGE", "SRQ_ERR", "SRQ_LIMIT_REACHED", "QP_LAST_WQE_REACHED", "CLIENT_REREGISTER",
		"GID_CHANGE", "WQ_FATAL",
	};

	if (type >= XPT_RDMA_CM_EVENTS)
		return cm_event_text(type - XPT_RDMA_CM_EVENTS, buf, n);
	if (type < sizeof(names) / sizeof(names[0]))
		return names[type];
	snprintf(buf, n, "event %u", type);
	return buf;
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
