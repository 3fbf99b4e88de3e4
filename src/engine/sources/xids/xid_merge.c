/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Xids of two sources, see xid_merge.h. The same report has the same number
 * and device in both; texts may differ in the driver's prefix.
 */
#include "engine/sources/xids/xid_merge.h"

#include <stdio.h>
#include <string.h>
#include "base/hashmap.h"
#include "wire/wire.h"

/* Names of GPUs are normalized (xpt_xid__normalize). */
static uint64_t key_of(const struct xpt_xid_line *l)
{
	char text[XPT_XID_DEVICE_MAX + 16];
	int n = snprintf(text, sizeof(text), "%u %s", l->xid, l->device);

	return xpt_hash(text, (size_t)n);
}

static void drop_waiting(struct xpt_xid_merge *m, unsigned i)
{
	m->nr_waiting--;
	memmove(&m->waiting[i], &m->waiting[i + 1], (m->nr_waiting - i) * sizeof(m->waiting[0]));
}

static void drop_seen(struct xpt_xid_merge *m, unsigned i)
{
	m->nr_seen--;
	memmove(&m->seen[i], &m->seen[i + 1], (m->nr_seen - i) * sizeof(m->seen[0]));
}

void xpt_xid_merge__probe(struct xpt_xid_merge *m, const struct xpt_xid_line *line, uint64_t now_ns)
{
	uint64_t key = key_of(line);
	unsigned i;

	for (i = 0; i < m->nr_waiting; i++) {
		if (key_of(&m->waiting[i].line) == key) {
			drop_waiting(m, i);
			return;
		}
	}
	if (m->nr_seen == XPT_XID_SEEN)
		drop_seen(m, 0);
	m->seen[m->nr_seen].at_ns = now_ns;
	m->seen[m->nr_seen++].key = key;
}

bool xpt_xid_merge__log(struct xpt_xid_merge *m, const struct xpt_xid_line *line, uint64_t now_ns, uint32_t source)
{
	uint64_t key = key_of(line);
	unsigned i;

	for (i = 0; i < m->nr_seen; i++) {
		if (m->seen[i].key == key) {
			drop_seen(m, i);
			return true;
		}
	}
	if (m->nr_waiting == XPT_XID_WAITING)
		return false;
	m->waiting[m->nr_waiting].at_ns = now_ns;
	m->waiting[m->nr_waiting].source = source;
	m->waiting[m->nr_waiting++].line = *line;
	return true;
}

void xpt_xid_merge__step(struct xpt_xid_merge *m, uint64_t now_ns, xpt_xid_fn fn, void *ctx)
{
	while (m->nr_waiting && now_ns - m->waiting[0].at_ns >= XPT_XID_WAIT_NS) {
		fn(ctx, &m->waiting[0].line, m->waiting[0].at_ns, m->waiting[0].source);
		drop_waiting(m, 0);
	}
	while (m->nr_seen && now_ns - m->seen[0].at_ns >= XPT_XID_KEEP_NS)
		drop_seen(m, 0);
}
