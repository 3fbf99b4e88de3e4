// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares readings of counters from before and after a call, see moved.h. Traces keep the differences as JSON. */
#include "rdma/trace/evidence/moved.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/utf8.h"
#include "rdma/trace/trace_json.h"

enum {
	SHOWN = 8,		/* counters of a text */
	NR_READINGS = sizeof(((struct xpt_rdma_readings *)NULL)->reading) / sizeof(struct xpt_rdma_reading),
};

/* --- readings --------------------------------------------------------------------------- */

int xpt_rdma_readings__device(struct xpt_rdma_readings *r, const char *name)
{
	uint32_t i;

	for (i = 0; i < r->nr_devices; i++)
		if (!strcmp(r->device[i], name))
			return (int)i;
	if (i == XPT_RDMA_COUNTED_DEVICES || strlen(name) >= sizeof(r->device[0]))
		return -1;
	strncpy(r->device[i], name, sizeof(r->device[0]) - 1);
	return (int)r->nr_devices++;
}

/* FREE is the first, as zeroed. */
enum reading_state { FREE, OPEN, AT_INTERVAL, OTHER };

/* Returns the oldest reading of a state; NULL: there is none. *ret_nr: how many there are. */
static struct xpt_rdma_reading *find_oldest(struct xpt_rdma_readings *r, enum reading_state state, uint32_t *ret_nr)
{
	struct xpt_rdma_reading *v, *oldest = NULL;

	*ret_nr = 0;
	for (v = r->reading; v < r->reading + NR_READINGS; v++) {
		if (v->state != state)
			continue;
		++*ret_nr;
		if (!oldest || v->from_ns < oldest->from_ns)
			oldest = v;
	}
	return oldest;
}

void xpt_rdma_readings__begin(struct xpt_rdma_readings *r)
{
	uint32_t nr;

	if (!r->open)
		r->open = find_oldest(r, FREE, &nr);
	if (!r->open)		/* never: one more has room than are kept */
		return;
	r->open->state = OPEN;
	r->open->nr = r->open->left_out = r->open->left_of_first = 0;
}

void xpt_rdma_readings__add(struct xpt_rdma_readings *r, const struct xpt_rdma_counter *c)
{
	struct xpt_rdma_reading *v = r->open;

	if (!v)
		return;
	if (v->nr < XPT_RDMA_COUNTED_VALUES) {
		v->value[v->nr++] = *c;
		return;
	}
	if (!v->left_out++)
		v->left_device = c->device;
	v->left_of_first += c->device == v->left_device;
}

/* Whether no reading at intervals is near one from from_ns on. */
static bool is_apart(const struct xpt_rdma_readings *r, uint64_t from_ns)
{
	const struct xpt_rdma_reading *v;

	for (v = r->reading; v < r->reading + NR_READINGS; v++)
		if (v->state == AT_INTERVAL && from_ns < v->from_ns + XPT_RDMA_READINGS_APART_NS)
			return false;
	return true;
}

void xpt_rdma_readings__end(struct xpt_rdma_readings *r, uint64_t from_ns, uint64_t to_ns)
{
	struct xpt_rdma_reading *v = r->open, *oldest;
	uint32_t nr;

	if (!v)
		return;
	r->open = NULL;
	v->from_ns = from_ns;
	v->to_ns = to_ns;
	v->state = is_apart(r, from_ns) ? AT_INTERVAL : OTHER;
	oldest = find_oldest(r, v->state, &nr);
	if (nr > XPT_RDMA_READINGS)
		oldest->state = FREE;
}

static bool is_complete(const struct xpt_rdma_reading *v)
{
	return v->state == AT_INTERVAL || v->state == OTHER;
}

/* Finds the newest reading that was complete at start_ns, and the oldest one that began at end_ns or later. */
static void find_pair(const struct xpt_rdma_readings *r, uint64_t start_ns, uint64_t end_ns,
		      const struct xpt_rdma_reading **ret_before, const struct xpt_rdma_reading **ret_after)
{
	const struct xpt_rdma_reading *v;

	*ret_before = *ret_after = NULL;
	for (v = r->reading; v < r->reading + NR_READINGS; v++) {
		if (!is_complete(v))
			continue;
		if (v->to_ns <= start_ns && (!*ret_before || v->from_ns > (*ret_before)->from_ns))
			*ret_before = v;
		if (v->from_ns >= end_ns && (!*ret_after || v->from_ns < (*ret_after)->from_ns))
			*ret_after = v;
	}
}

bool xpt_rdma_readings__has_after(const struct xpt_rdma_readings *r, uint64_t end_ns)
{
	const struct xpt_rdma_reading *before, *after;

	find_pair(r, 0, end_ns, &before, &after);
	return after;
}

/* --- moved counters --------------------------------------------------------------------- */

/* Returns the value of that counter; readings mostly have it at the same place. NULL: it has none. */
static const struct xpt_rdma_counter *find_counter(const struct xpt_rdma_reading *v, const struct xpt_rdma_counter *c,
						   uint32_t near)
{
	uint32_t i;

	for (i = 0; i < v->nr; i++) {
		const struct xpt_rdma_counter *o = &v->value[(near + i) % v->nr];

		if (o->device == c->device && o->port == c->port && !strcmp(o->name, c->name))
			return o;
	}
	return NULL;
}

static void add_moved(struct xpt_rdma_moved *m, const struct xpt_rdma_counter *c, uint64_t by)
{
	if (m->nr == XPT_RDMA_MOVED) {
		m->more++;
		return;
	}
	snprintf(m->counter[m->nr].name, sizeof(m->counter[0].name), "%s", c->name);
	m->counter[m->nr].port = c->port;
	m->counter[m->nr].is_traffic = c->is_traffic;
	m->counter[m->nr++].by = by;
}

static void compare_two(const struct xpt_rdma_reading *a, const struct xpt_rdma_reading *b, uint16_t device, bool traffic,
			struct xpt_rdma_moved *m)
{
	uint32_t i;

	for (i = 0; i < b->nr; i++) {
		const struct xpt_rdma_counter *c = &b->value[i], *before;

		if (c->device != device || c->is_traffic != traffic)
			continue;
		before = find_counter(a, c, i);
		if (before && c->value > before->value)
			add_moved(m, c, c->value - before->value);
	}
}

static bool has_device(const struct xpt_rdma_reading *v, uint16_t device)
{
	uint32_t i;

	for (i = 0; i < v->nr && v->value[i].device != device; i++)
		;
	return i < v->nr;
}

/* Whether a device without values in a reading may have counters: readings have room for so many. */
static bool is_full(const struct xpt_rdma_readings *r, const struct xpt_rdma_reading *v, uint32_t device)
{
	return (v->left_out || r->nr_devices == XPT_RDMA_COUNTED_DEVICES) &&
	       (device == r->nr_devices || !has_device(v, (uint16_t)device));
}

void xpt_rdma_readings__moved(const struct xpt_rdma_readings *r, const char *device, uint64_t start_ns, uint64_t end_ns,
			      struct xpt_rdma_moved *ret_m)
{
	const struct xpt_rdma_reading *before, *after;
	uint32_t d;

	*ret_m = (struct xpt_rdma_moved){ .nr = 0 };
	find_pair(r, start_ns, end_ns, &before, &after);
	for (d = 0; d < r->nr_devices && strcmp(r->device[d], device) != 0; d++)
		;
	if (!before)
		snprintf(ret_m->why, sizeof(ret_m->why), "there is no reading from before the call");
	else if (!after)
		snprintf(ret_m->why, sizeof(ret_m->why), "there is no reading from after the call");
	else if (is_full(r, before, d))
		snprintf(ret_m->why, sizeof(ret_m->why), "this machine has more counters than are kept");
	else if (d == r->nr_devices || !has_device(before, (uint16_t)d) || !has_device(after, (uint16_t)d))
		snprintf(ret_m->why, sizeof(ret_m->why), "the device has no counters that are known here");
	if (*ret_m->why)
		return;
	ret_m->before_ns = start_ns - before->from_ns;
	ret_m->after_ns = after->to_ns - end_ns;
	ret_m->left_out = before->left_device == d ? before->left_of_first : 0;
	compare_two(before, after, (uint16_t)d, false, ret_m);
	compare_two(before, after, (uint16_t)d, true, ret_m);
}

/* --- texts ------------------------------------------------------------------------------ */

bool xpt_rdma_moved__text(const struct xpt_rdma_moved *m, struct xpt_strbuf *sb)
{
	uint32_t i, n = 0, more = m->more;
	char before[32], after[32];

	for (i = 0; i < m->nr; i++) {
		if (m->counter[i].is_traffic)
			continue;
		if (n == SHOWN) {
			more++;
			continue;
		}
		xpt_strbuf__addf(sb, "%s%s +%" PRIu64, n++ ? ", " : "", m->counter[i].name, m->counter[i].by);
		if (m->counter[i].port)
			xpt_strbuf__addf(sb, " on port %" PRIu32, m->counter[i].port);
	}
	if (!n && !m->left_out)
		return false;
	if (!n)
		xpt_strbuf__add(sb, "none moved");
	if (more)
		xpt_strbuf__addf(sb, " and %" PRIu32 " more", more);
	xpt_strbuf__addf(sb, ", between %s before the call and %s after it",
			 xpt_fmt_ns(m->before_ns, before, sizeof(before)), xpt_fmt_ns(m->after_ns, after, sizeof(after)));
	if (m->left_out)
		xpt_strbuf__addf(sb, ", without %" PRIu32 " that found no place", m->left_out);
	return true;
}

void xpt_rdma_moved__print(const struct xpt_rdma_moved *m, struct xpt_strbuf *sb)
{
	uint32_t i;

	xpt_strbuf__addc(sb, '{');
	if (*m->why) {
		xpt_strbuf__add(sb, "\"why\":");
		xpt_strbuf__add_json(sb, m->why);
		xpt_strbuf__addc(sb, '}');
		return;
	}
	xpt_strbuf__add(sb, "\"before_start_ns\":");
	xpt_rdma_json__add_u64(sb, m->before_ns);
	xpt_strbuf__add(sb, ",\"after_end_ns\":");
	xpt_rdma_json__add_u64(sb, m->after_ns);
	xpt_strbuf__add(sb, ",\"moved\":[");
	for (i = 0; i < m->nr; i++) {
		xpt_strbuf__add(sb, i ? ",{\"counter\":" : "{\"counter\":");
		xpt_strbuf__add_json(sb, m->counter[i].name);
		xpt_strbuf__addf(sb, ",\"port\":%" PRIu32 ",\"by\":", m->counter[i].port);
		xpt_rdma_json__add_u64(sb, m->counter[i].by);
		xpt_strbuf__add(sb, m->counter[i].is_traffic ? ",\"traffic\":true}" : "}");
	}
	xpt_strbuf__addf(sb, "],\"more\":%" PRIu32, m->more);
	if (m->left_out)
		xpt_strbuf__addf(sb, ",\"left_out\":%" PRIu32, m->left_out);
	xpt_strbuf__addc(sb, '}');
}

static void take_text(struct xpt_json *j, char *to, size_t room)
{
	xpt_rdma_json__take_text(j, to, room);
	xpt_utf8__clean(to, "");
}

static void take_counter(struct xpt_json *j, struct xpt_rdma_moved *m)
{
	uint32_t i = m->nr < XPT_RDMA_MOVED ? m->nr++ : XPT_RDMA_MOVED - 1;	/* of too many the last one */
	const char *key;
	bool traffic;
	size_t n;

	memset(&m->counter[i], 0, sizeof(m->counter[i]));
	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(j, &key, &n)) {
		if (!strcmp(key, "counter"))
			take_text(j, m->counter[i].name, sizeof(m->counter[i].name));
		else if (!strcmp(key, "port"))
			m->counter[i].port = (uint32_t)xpt_rdma_json__take_u64(j);
		else if (!strcmp(key, "by"))
			m->counter[i].by = xpt_rdma_json__take_u64(j);
		else if (!strcmp(key, "traffic"))
			m->counter[i].is_traffic = xpt_json__bool(j, &traffic) && traffic;
		else
			xpt_json__skip(j);
	}
}

void xpt_rdma_moved__take(struct xpt_json *j, struct xpt_rdma_moved *ret_m)
{
	const char *key;
	size_t n;

	*ret_m = (struct xpt_rdma_moved){ .nr = 0 };
	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(j, &key, &n)) {
		if (!strcmp(key, "why")) {
			take_text(j, ret_m->why, sizeof(ret_m->why));
		} else if (!strcmp(key, "before_start_ns")) {
			ret_m->before_ns = xpt_rdma_json__take_u64(j);
		} else if (!strcmp(key, "after_end_ns")) {
			ret_m->after_ns = xpt_rdma_json__take_u64(j);
		} else if (!strcmp(key, "more")) {
			ret_m->more = (uint32_t)xpt_rdma_json__take_u64(j);
		} else if (!strcmp(key, "left_out")) {
			ret_m->left_out = (uint32_t)xpt_rdma_json__take_u64(j);
		} else if (!strcmp(key, "moved")) {
			if (xpt_json__enter(j, XPT_JSON_ARRAY))
				while (xpt_json__item(j))
					take_counter(j, ret_m);
		} else {
			xpt_json__skip(j);
		}
	}
}
