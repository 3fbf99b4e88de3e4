// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Readings of devices (--devices): NVML's values of GPUs, and those of sysfs about RDMA ports and NVMe controllers,
 * once a period. Reader processes read the devices (devices/reader.h); this source receives their messages, assigns
 * ids to devices, and writes DEVICE and READING records. Each reader process is also shown as a device, whose
 * readings are its state.
 */
#include "engine/sources/device_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/time.h"
#include "devices/reader.h"
#include "engine/priv.h"
#include "engine/source.h"

#define SECOND UINT64_C(1000000000)
#define LOUDER 4	/* silence is reported again when it is so many times as long */

extern const struct xpt_source xpt_source_devices;

struct key {		/* of a device, zeroed before it is filled */
	uint32_t kind, parent;
	char name[XPT_DEVICE_NAME], uuid[XPT_DEVICE_UUID], address[XPT_DEVICE_ADDRESS];
};

struct reader {
	struct xpt_reader *reader;
	struct xpt_engine *e;
	uint32_t id;			/* of the reader as a device */
	char detail[XPT_DEVICE_DETAIL];	/* as last described */
	enum xpt_reader_state reported;	/* the state of the last message */
	uint64_t reported_ns;		/* the silence in the last message */
};

struct devices {
	struct reader reader[XPT_READER__MAX];
	struct xpt_hashmap *ids;	/* struct key -> uint32_t id; NULL: not asked for */
	uint64_t next_ns;		/* when the readers' own readings are due */
	uint64_t refused;		/* devices without room in the table */
};

static struct devices *state_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_devices);
}

/* --- records ------------------------------------------------------------------------------------- */

static void emit_device(struct xpt_engine *e, uint32_t id, uint32_t parent, const struct xpt_device_info *info)
{
	struct xpt_rec_device *r = memset(e->scratch, 0, sizeof(*r));
	size_t at = sizeof(*r);

	r->rec.kind = XPT_REC_DEVICE;
	r->id = id;
	r->parent = parent;
	r->kind = (uint16_t)info->kind;
	r->index = info->index;
	r->minor = info->minor;
	r->numa_node = info->numa_node;
	at = xpt_facts__add_str(e, at, info->name);
	at = xpt_facts__add_str(e, at, info->uuid);
	at = xpt_facts__add_str(e, at, info->address);
	at = xpt_facts__add_str(e, at, info->detail);
	xpt_facts__emit(e, at);
}

static void emit_values(struct xpt_engine *e, uint32_t id, const struct xpt_wire_reading *value, size_t nr)
{
	struct xpt_rec_reading *r = memset(e->scratch, 0, sizeof(*r));

	r->rec.kind = XPT_REC_READING;
	r->ts_ns = xpt_now_ns();
	r->device = id;
	r->nr = (uint32_t)nr;
	memcpy(r->value, value, nr * sizeof(*value));
	xpt_facts__emit(e, sizeof(*r) + nr * sizeof(*value));
}

/* Returns the id of a known device, or the next id; 0 if there is no room. */
static uint32_t id_of(struct devices *d, const struct xpt_device_info *info, uint32_t parent)
{
	struct key key;
	uint32_t *id;

	memset(&key, 0, sizeof(key));
	key.kind = info->kind;
	key.parent = parent;
	snprintf(key.name, sizeof(key.name), "%s", info->name);
	snprintf(key.uuid, sizeof(key.uuid), "%s", info->uuid);
	snprintf(key.address, sizeof(key.address), "%s", info->address);
	id = xpt_hashmap__get(d->ids, &key, NULL);
	if (id && !*id)
		*id = (uint32_t)xpt_hashmap__len(d->ids);
	return id ? *id : 0;
}

static uint32_t on_device(void *ctx, const struct xpt_device_info *info, uint32_t parent)
{
	struct reader *r = ctx;
	struct devices *d = state_of(r->e);
	uint32_t id = id_of(d, info, parent);

	if (id)
		emit_device(r->e, id, parent, info);
	else
		d->refused++;
	return id;
}

static void on_values(void *ctx, uint32_t device, const struct xpt_wire_reading *value, size_t nr)
{
	struct reader *r = ctx;

	emit_values(r->e, device, value, nr);
}

/* Callback of the reader: excludes its process from the trace. */
static int on_start(void *ctx, int pid)
{
	const struct reader *r = ctx;

	return xpt_engine__leave_own(r->e, pid);
}

/* --- the readers as devices ------------------------------------------------------------------------ */

static void describe_reader(struct reader *r, enum xpt_reader_kind kind, const char *detail)
{
	static const char *const names[XPT_READER__MAX] = { "NVML", "sysfs" };
	struct xpt_device_info info;

	if (r->id && !strcmp(r->detail, detail))
		return;
	xpt_device_info__init(&info, XPT_DEVICE_READER, kind);
	snprintf(info.name, sizeof(info.name), "%s", names[kind]);
	snprintf(info.detail, sizeof(info.detail), "%s", detail);
	snprintf(r->detail, sizeof(r->detail), "%s", detail);
	r->id = on_device(r, &info, 0);
}

static void emit_status(struct reader *r, enum xpt_reader_kind kind, uint64_t now_ns)
{
	struct xpt_reader_status s;

	xpt_reader__status(r->reader, now_ns, &s);
	if (s.state == XPT_READER_STARTING)
		return;
	describe_reader(r, kind, s.last.text);
	if (r->id) {
		const struct xpt_wire_reading values[] = {
			{ XPT_METRIC_READER_UP, XPT_PART_NONE, 0, s.state == XPT_READER_ANSWERS },
			{ XPT_METRIC_READER_UNANSWERED, XPT_PART_NONE, 0, s.silent_ns },
			{ XPT_METRIC_READER_ABANDONED, XPT_PART_NONE, 0, s.abandoned },
			{ XPT_METRIC_READER_STARTS, XPT_PART_NONE, 0, s.starts },
			{ XPT_METRIC_READER_ERRORS, XPT_PART_NONE, 0, s.last.errors + s.rejected },
			{ XPT_METRIC_READER_LEFT_OUT, XPT_PART_NONE, 0, s.last.left_out },
			{ XPT_METRIC_READER_SECONDS, XPT_PART_NONE, 0, s.last.read_ns },
		};

		emit_values(r->e, r->id, values, sizeof(values) / sizeof(values[0]));
	}
}

static void emit_statuses(struct devices *d, uint64_t now_ns)
{
	for (int kind = 0; kind < XPT_READER__MAX; kind++)
		if (d->reader[kind].reader)
			emit_status(&d->reader[kind], (enum xpt_reader_kind)kind, now_ns);
}

/* --- the source ---------------------------------------------------------------------------------------- */

static int open_reader(struct xpt_engine *e, struct reader *r, enum xpt_reader_kind kind)
{
	struct epoll_event ev = { .events = EPOLLIN };
	const struct xpt_reader_cfg cfg = {
		.kind = kind, .from = kind == XPT_READER_NVML ? e->cfg.nvml : NULL, .period_ns = e->cfg.readings_ns,
		.ctx = r, .started = on_start, .device = on_device, .values = on_values,
	};
	int err = xpt_reader__new(&cfg, &r->reader);

	r->e = e;
	if (!err)
		/* If this fails, the reader's messages are read at each step, which is soon enough. */
		epoll_ctl(e->epfd, EPOLL_CTL_ADD, xpt_reader__fd(r->reader), &ev);
	return err;
}

static int start(struct xpt_engine *e)
{
	struct devices *d = state_of(e);
	char text[24];
	int err;

	if (!e->cfg.readings_ns)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64, e->cfg.readings_ns);
	xpt_facts__meta(e, "devices", text);
	err = xpt_hashmap__new(sizeof(struct key), sizeof(uint32_t), XPT_MAX_DEVICES, &d->ids);
	for (int kind = 0; !err && kind < XPT_READER__MAX; kind++)
		err = open_reader(e, &d->reader[kind], (enum xpt_reader_kind)kind);
	return err;
}

static void step(struct xpt_engine *e)
{
	struct devices *d = state_of(e);
	uint64_t now = d->ids ? xpt_now_ns() : 0;

	for (int kind = 0; kind < XPT_READER__MAX; kind++) {
		if (d->reader[kind].reader)
			xpt_reader__step(d->reader[kind].reader, now);
	}
	if (now >= d->next_ns && d->ids) {
		emit_statuses(d, now);
		d->next_ns = now + e->cfg.readings_ns;
	}
}

static void finish(struct xpt_engine *e)
{
	struct devices *d = state_of(e);

	if (d->ids)
		emit_statuses(d, xpt_now_ns());
}

static void add_losses(struct xpt_engine *e, uint64_t *lost)
{
	lost[XPT_LOSS_TABLE_EVICTED] += state_of(e)->refused;
}

static void free_all(struct xpt_engine *e)
{
	struct devices *d = state_of(e);

	for (int kind = 0; kind < XPT_READER__MAX; kind++)
		xpt_reader__free(d->reader[kind].reader);
	xpt_hashmap__free(d->ids);
	memset(d, 0, sizeof(*d));
}

const struct xpt_source xpt_source_devices = {
	.name = "devices",
	.state_size = sizeof(struct devices),
	.start = start,
	.step = step,
	.finish = finish,
	.losses = add_losses,
	.free = free_all,
};

/* --- news for people --------------------------------------------------------------------------------------- */

static enum xpt_devices_news news_of(struct reader *r, uint64_t now_ns, char *buf, size_t n)
{
	struct xpt_reader_status s;
	enum xpt_reader_state before = r->reported;

	xpt_reader__status(r->reader, now_ns, &s);
	if (s.state == XPT_READER_STARTING || (s.state == before && (s.state != XPT_READER_SILENT ||
								     s.silent_ns < LOUDER * r->reported_ns)))
		return XPT_DEVICES_NO_NEWS;
	r->reported = s.state;
	r->reported_ns = s.silent_ns;
	xpt_reader__say(r->reader, now_ns, buf, n);
	if (s.state == XPT_READER_SILENT || s.state == XPT_READER_FAILED)
		return XPT_DEVICES_WARNING;
	if (s.state != XPT_READER_ANSWERS)
		return XPT_DEVICES_INFO;
	snprintf(buf, n, "devices are read again");
	return before == XPT_READER_STARTING ? XPT_DEVICES_NO_NEWS : XPT_DEVICES_INFO;
}

enum xpt_devices_news xpt_devices__news(struct xpt_engine *e, char *buf, size_t n)
{
	struct devices *d = state_of(e);
	enum xpt_devices_news news = XPT_DEVICES_NO_NEWS;

	for (int kind = 0; !news && kind < XPT_READER__MAX; kind++)
		if (d->reader[kind].reader)
			news = news_of(&d->reader[kind], xpt_now_ns(), buf, n);
	return news;
}
