// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads a document that collector.h prints, which may come from anybody: numbers of things are bounded, indexes are
 * checked, names are cut and cleaned. Members that are not known are skipped, so that later versions may add some.
 */
#include "snapshot/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/formats/json_reader.h"
#include "base/utf8.h"
#include "model/device.h"
#include "model/vocab.h"

struct reader {
	struct xpt_json j;
	struct xpt_snapshot *s;
	const char *key;		/* of the member that is read */
	size_t key_len;
	int err;			/* first; the reader of JSON has its own */
	uint64_t version;
};

/* --- pieces ------------------------------------------------------------------------------------------ */

static void fail_with(struct reader *r, int err)
{
	r->err = r->err ? r->err : err;
}

static bool next_key(struct reader *r)
{
	return !r->err && xpt_json__key(&r->j, &r->key, &r->key_len);
}

static bool is_key(const struct reader *r, const char *name)
{
	return strlen(name) == r->key_len && !memcmp(name, r->key, r->key_len);
}

static void read_text(struct reader *r, char *buf, size_t n)
{
	const char *s;
	size_t len;

	if (!xpt_json__str(&r->j, &s, &len))
		return;
	snprintf(buf, n, "%s", s);
	xpt_utf8__clean(buf, "");
}

static void read_u64(struct reader *r, uint64_t *ret_v)
{
	if (!xpt_json__u64(&r->j, ret_v))
		fail_with(r, -EBADMSG);
}

static void read_u32(struct reader *r, uint32_t *ret_v)
{
	uint64_t v = 0;

	read_u64(r, &v);
	if (v > UINT32_MAX)
		fail_with(r, -EBADMSG);
	*ret_v = (uint32_t)v;
}

/* Another element, zeroed, of an array that grows by doubling. NULL: there are enough, or there is no memory. */
static void *add_element(struct reader *r, void **array, uint32_t *nr, uint32_t max, size_t size)
{
	if (*nr == max) {
		fail_with(r, -E2BIG);
		return NULL;
	}
	if (!(*nr & (*nr - 1))) {
		void *larger = realloc(*array, (*nr ? 2ul * *nr : 1) * size);

		if (!larger) {
			fail_with(r, -ENOMEM);
			return NULL;
		}
		*array = larger;
	}
	return memset((char *)*array + size * (*nr)++, 0, size);
}

#define ADD(r, array, nr, max) add_element(r, (void **)&(r)->s->array, &(r)->s->nr, max, sizeof(*(r)->s->array))

/* The number of a name, below max; 0 for one that is not known. */
static unsigned read_word(struct reader *r, const char *(*name)(unsigned), unsigned max)
{
	const char *s;
	size_t len;

	if (!xpt_json__str(&r->j, &s, &len))
		return 0;
	for (unsigned i = 0; i < max; i++)
		if (!strcmp(name(i), s))
			return i;
	return 0;
}

/* --- members -------------------------------------------------------------------------------------------- */

static void read_function(struct reader *r)
{
	struct xpt_snapshot_function *f = ADD(r, function, nr_functions, XPT_SNAPSHOT_FUNCTIONS);

	if (!f || !xpt_json__enter(&r->j, XPT_JSON_OBJECT))
		return;
	while (next_key(r)) {
		if (is_key(r, "name"))
			read_text(r, f->name, sizeof(f->name));
		else if (is_key(r, "domain"))
			read_text(r, f->domain, sizeof(f->domain));
		else if (is_key(r, "class"))
			f->cls = (uint8_t)read_word(r, xpt_class_name, XPT_CLASS__MAX);
		else
			xpt_json__skip(&r->j);
	}
}

static void read_bytes(struct reader *r, struct xpt_snapshot_row *row)
{
	if (!xpt_json__enter(&r->j, XPT_JSON_OBJECT))
		return;
	while (next_key(r)) {
		unsigned dir = 0;

		while (dir < XPT_DIR__MAX && !is_key(r, xpt_dir_name(dir)))
			dir++;
		if (dir < XPT_DIR__MAX)
			read_u64(r, &row->bytes[dir]);
		else
			xpt_json__skip(&r->j);
	}
}

/* Buckets that this build does not know are skipped. */
static void read_durations(struct reader *r, struct xpt_snapshot_row *row)
{
	unsigned i = 0;

	if (!xpt_json__enter(&r->j, XPT_JSON_ARRAY))
		return;
	while (!r->err && xpt_json__item(&r->j)) {
		if (i < XPT_DURATIONS)
			read_u64(r, &row->took[i++]);
		else
			xpt_json__skip(&r->j);
	}
}

static uint64_t *number_of_row(struct reader *r, struct xpt_snapshot_row *row)
{
	const struct {
		const char *key;
		uint64_t *v;
	} numbers[] = {
		{ "calls", &row->calls }, { "time_ns", &row->time_ns }, { "errors", &row->errors },
		{ "nested_calls", &row->nested_calls }, { "nested_errors", &row->nested_errors },
		{ "benign_errors", &row->benign },
		{ "outer_calls", &row->outer_calls }, { "outer_ns", &row->outer_ns },
		{ "outer_bytes", &row->outer_bytes }, { "in_flight", &row->waiting },
		{ "oldest_ns", &row->oldest_ns }, { "waited_ns", &row->waited_ns },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (is_key(r, numbers[i].key))
			return numbers[i].v;
	return NULL;
}

static void read_row(struct reader *r)
{
	struct xpt_snapshot_row *row = ADD(r, row, nr_rows, XPT_SNAPSHOT_ROWS);
	uint64_t *number;

	if (!row || !xpt_json__enter(&r->j, XPT_JSON_OBJECT))
		return;
	row->process = r->s->nr_processes - 1;
	row->function = UINT32_MAX;
	while (next_key(r)) {
		number = number_of_row(r, row);
		if (number)
			read_u64(r, number);
		else if (is_key(r, "function"))
			read_u32(r, &row->function);
		else if (is_key(r, "bytes"))
			read_bytes(r, row);
		else if (is_key(r, "durations"))
			read_durations(r, row);
		else
			xpt_json__skip(&r->j);
	}
}

/* Kinds that this build does not know are skipped. */
static void read_open_bytes(struct reader *r, struct xpt_snapshot_process *p)
{
	if (!xpt_json__enter(&r->j, XPT_JSON_OBJECT))
		return;
	while (next_key(r)) {
		unsigned kind = 0;

		while (kind < XPT_KIND__MAX && !is_key(r, xpt_kind_name(kind)))
			kind++;
		if (kind == XPT_KIND__MAX) {
			xpt_json__skip(&r->j);
			continue;
		}
		read_u64(r, &p->open[kind]);
		p->open_kinds |= 1u << kind;
	}
}

static void read_process(struct reader *r)
{
	struct xpt_snapshot_process *p = ADD(r, process, nr_processes, XPT_SNAPSHOT_PROCESSES + 1);

	if (!p || !xpt_json__enter(&r->j, XPT_JSON_OBJECT))
		return;
	p->uid = UINT32_MAX;
	p->first_row = r->s->nr_rows;
	while (next_key(r)) {
		if (is_key(r, "pid"))
			read_u32(r, &p->pid);
		else if (is_key(r, "uid"))
			read_u32(r, &p->uid);
		else if (is_key(r, "name"))
			read_text(r, p->name, sizeof(p->name));
		else if (is_key(r, "container"))
			read_text(r, p->container, sizeof(p->container));
		else if (is_key(r, "since_ns"))
			read_u64(r, &p->since_ns);
		else if (is_key(r, "ended_ns"))
			read_u64(r, &p->ended_ns);
		else if (is_key(r, "open_bytes"))
			read_open_bytes(r, p);
		else if (is_key(r, "calls") && xpt_json__enter(&r->j, XPT_JSON_ARRAY))
			while (!r->err && xpt_json__item(&r->j))
				read_row(r);
		else if (!is_key(r, "calls"))
			xpt_json__skip(&r->j);
	}
	p->nr_rows = r->s->nr_rows - p->first_row;
}

/* NULL: this build does not know it. */
static const struct xpt_metric *read_metric(struct reader *r)
{
	const char *s;
	size_t len;

	if (!xpt_json__str(&r->j, &s, &len))
		return NULL;
	for (unsigned id = 0; id < XPT_METRIC__MAX; id++)
		if (xpt_metric__find(id) && !strcmp(xpt_metric__find(id)->name, s))
			return xpt_metric__find(id);
	return NULL;
}

static void read_value(struct reader *r, const struct xpt_metric *m, uint64_t *ret_v)
{
	unsigned digits = 0;

	for (uint64_t scale = m->scale; scale >= 10; scale /= 10)
		digits++;
	if (!xpt_json__fixed(&r->j, digits, ret_v))
		fail_with(r, -EBADMSG);
}

static void read_reading(struct reader *r)
{
	struct xpt_snapshot_reading *reading = ADD(r, reading, nr_readings, XPT_SNAPSHOT_READINGS);
	const struct xpt_metric *m = NULL;
	uint32_t part = XPT_PART_NONE;

	if (!reading)
		return;
	if (!xpt_json__enter(&r->j, XPT_JSON_OBJECT)) {
		r->s->nr_readings--;
		return;
	}
	reading->device = r->s->nr_devices - 1;
	while (next_key(r)) {
		if (is_key(r, "metric"))
			m = read_metric(r);
		else if (is_key(r, "part"))
			read_u32(r, &part);
		else if (is_key(r, "pid"))
			read_u32(r, &reading->pid);
		else if (is_key(r, "process"))
			read_text(r, reading->process, sizeof(reading->process));
		else if (is_key(r, "value") && m)
			read_value(r, m, &reading->value);
		else if (is_key(r, "ts_ns"))
			read_u64(r, &reading->ts_ns);
		else if (is_key(r, "earlier_value") && m)
			read_value(r, m, &reading->earlier);
		else if (is_key(r, "earlier_ns"))
			read_u64(r, &reading->earlier_ns);
		else
			xpt_json__skip(&r->j);
	}
	reading->part = part < XPT_PART_NONE ? (uint16_t)part : XPT_PART_NONE;
	if (m)
		reading->metric = m->id;
	else
		r->s->nr_readings--;
}

static void read_device(struct reader *r)
{
	struct xpt_snapshot_device *d = ADD(r, device, nr_devices, XPT_SNAPSHOT_DEVICES);

	if (!d || !xpt_json__enter(&r->j, XPT_JSON_OBJECT))
		return;
	while (next_key(r)) {
		if (is_key(r, "kind"))
			d->kind = (uint8_t)read_word(r, xpt_device_kind_name, XPT_DEVICE__MAX);
		else if (is_key(r, "index"))
			read_u32(r, &d->index);
		else if (is_key(r, "label"))
			read_text(r, d->label, sizeof(d->label));
		else if (is_key(r, "name"))
			read_text(r, d->name, sizeof(d->name));
		else if (is_key(r, "readings") && xpt_json__enter(&r->j, XPT_JSON_ARRAY))
			while (!r->err && xpt_json__item(&r->j))
				read_reading(r);
		else if (!is_key(r, "readings"))
			xpt_json__skip(&r->j);
	}
}

static void read_array(struct reader *r, void (*read_one)(struct reader *r))
{
	if (!xpt_json__enter(&r->j, XPT_JSON_ARRAY))
		return;
	while (!r->err && xpt_json__item(&r->j))
		read_one(r);
}

static void read_member(struct reader *r)
{
	struct xpt_snapshot *s = r->s;

	if (is_key(r, "xputrace_snapshot"))
		read_u64(r, &r->version);
	else if (is_key(r, "version"))
		read_text(r, s->version, sizeof(s->version));
	else if (is_key(r, "pid"))
		read_u32(r, &s->pid);
	else if (is_key(r, "ts_ns"))
		read_u64(r, &s->ts_ns);
	else if (is_key(r, "unix_ns"))
		read_u64(r, &s->unix_ns);
	else if (is_key(r, "began_ns"))
		read_u64(r, &s->began_ns);
	else if (is_key(r, "left_out"))
		read_u64(r, &s->left_out);
	else if (is_key(r, "cut"))
		read_u64(r, &s->cut);
	else if (is_key(r, "functions"))
		read_array(r, read_function);
	else if (is_key(r, "processes"))
		read_array(r, read_process);
	else if (is_key(r, "devices"))
		read_array(r, read_device);
	else
		xpt_json__skip(&r->j);
}

/* --- the whole --------------------------------------------------------------------------------------------- */

/* Checks for errors that only the whole document shows. */
static int check_whole(const struct reader *r)
{
	const struct xpt_snapshot *s = r->s;

	if (r->err || r->j.err)
		return r->err ? r->err : -EBADMSG;
	if (r->version != XPT_SNAPSHOT_VERSION)
		return r->version ? -ENOTSUP : -EBADMSG;
	for (uint32_t i = 0; i < s->nr_rows; i++)
		if (s->row[i].function >= s->nr_functions)
			return -EBADMSG;
	return 0;
}

int xpt_snapshot__parse(const char *text, size_t n, struct xpt_snapshot **ret_s)
{
	struct xpt_json_text rest = { text, n };
	struct reader r = { .s = calloc(1, sizeof(*r.s)) };
	int err = !r.s ? -ENOMEM : n > XPT_SNAPSHOT_BYTES ? -E2BIG : xpt_json__init(&r.j, xpt_json_text__read, &rest);

	if (!err) {
		if (xpt_json__find_object(&r.j))
			while (next_key(&r))
				read_member(&r);
		err = check_whole(&r);
		xpt_json__free(&r.j);
	}
	if (err) {
		xpt_snapshot__free(r.s);
		return err;
	}
	*ret_s = r.s;
	return 0;
}

void xpt_snapshot__free(struct xpt_snapshot *s)
{
	if (!s)
		return;
	free(s->function);
	free(s->process);
	free(s->row);
	free(s->device);
	free(s->reading);
	free(s);
}
