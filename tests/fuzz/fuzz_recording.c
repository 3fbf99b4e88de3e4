/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the reader of recordings and the pipeline behind it. The input is
 * tried four ways: as a file; as the content of one block with a right
 * checksum, so that records get past it; as a packed block; and as records that
 * are fed straight to the pipeline. An analyzer and a sink read every field that
 * they get, and in the last way all others have their turn. What could be unpacked
 * must come back after packing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include "model/device.h"
#include "model/kernel/xid_table.h"
#include "pipeline/pipeline.h"
#include "pipeline/recording/rec_pack.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/recording_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static volatile uint64_t sum;	/* what was read, so that it is read */
static uint64_t nr_events, nr_ends;

static void read_bytes(const void *data, size_t n)
{
	sum += crc32(0, data, (uInt)n);
}

static void read_string(const char *s)
{
	MUST(s);
	read_bytes(s, strlen(s));
}

static void read_lib(const struct xpt_lib *lib)
{
	sum += lib->id + lib->nr_fns;
	read_string(lib->path);
	read_string(lib->build_id);
}

static void read_fn(const struct xpt_fn *fn)
{
	unsigned i;

	MUST(fn && fn->nr_caps <= XPT_MAX_VALS && fn->cls < XPT_CLASS__MAX);
	MUST(fn->layer < XPT_LAYER__MAX && fn->ret < XPT_RET__MAX && fn->kind < XPT_KIND__MAX);
	read_string(fn->name);
	read_string(fn->base);
	read_string(fn->domain_name);
	if (fn->lib)
		read_lib(fn->lib);
	for (i = 0; i < fn->nr_caps; i++)
		read_string(fn->cap_name[i]);
	for (i = 0; i < XPT_ROLE__MAX; i++)
		MUST(fn->role_idx[i] >= -1 && fn->role_idx[i] < fn->nr_caps);
}

static void read_proc(const struct xpt_proc *proc)
{
	read_string(proc->comm);
	read_string(proc->exe);
	read_string(proc->cmdline);
	sum += proc->pid + proc->ppid + proc->uid + proc->first_ns + proc->exit_ns;
}

static void read_device(const struct xpt_device *d)
{
	read_string(d->name);
	read_string(d->uuid);
	read_string(d->address);
	read_string(d->detail);
	MUST(d->id && d->id <= XPT_MAX_DEVICES && d->kind < XPT_DEVICE__MAX && (!d->parent || d->parent->id < d->id));
}

static void read_call(const struct xpt_event *ev)
{
	const struct xpt_call *c = &ev->u.call;
	uint64_t v = 0;
	char buf[64];

	read_fn(c->fn);
	read_proc(c->proc);
	read_string(c->comm);
	MUST(c->start_ns + c->dur_ns == ev->ts_ns && ev->ts_ns >= c->start_ns);
	MUST(c->nr_vals <= c->fn->nr_caps && c->valid >> c->nr_vals == 0);
	MUST(c->sched.runq_ns <= c->dur_ns && c->sched.blocked_ns <= c->dur_ns - c->sched.runq_ns);
	MUST(c->cpu < XPT_CPU__MAX);
	read_bytes(c->val, c->nr_vals * sizeof(c->val[0]));
	read_string(xpt_call__result_name(c, buf, sizeof(buf)));
	sum += xpt_call__bytes(c, &v) + v + xpt_call__dir(c) + xpt_call__counts(c);
}

static void read_of_device(const struct xpt_event *ev)
{
	if (ev->kind == XPT_EV_DEVICE)
		read_device(ev->u.device);
	if (ev->kind != XPT_EV_READING)
		return;
	read_device(ev->u.reading->device);
	read_string(ev->u.reading->metric->name);
	if (ev->u.reading->proc)
		read_proc(ev->u.reading->proc);
}

static void read_event(const struct xpt_event *ev)
{
	switch (ev->kind) {
	case XPT_EV_CALL:
	case XPT_EV_INFLIGHT:
		read_call(ev);
		break;
	case XPT_EV_PROC:
	case XPT_EV_EXIT:
		read_proc(ev->u.proc.proc);
		break;
	case XPT_EV_LIB:
		read_lib(ev->u.lib);
		break;
	case XPT_EV_META:
		read_string(ev->u.meta.key);
		read_string(ev->u.meta.value);
		break;
	case XPT_EV_COUNTER:
		read_fn(ev->u.counter.fn);
		read_bytes(ev->u.counter.count, sizeof(*ev->u.counter.count));
		break;
	case XPT_EV_ERRCOUNT:
		read_fn(ev->u.errcount.fn);
		break;
	case XPT_EV_SCHED:
		read_fn(ev->u.sched.fn);
		read_bytes(ev->u.sched.rec, sizeof(*ev->u.sched.rec));
		break;
	case XPT_EV_LOSS:
		MUST(ev->u.loss.loss < XPT_LOSS__MAX && ev->u.loss.count);
		break;
	case XPT_EV_COST:
		read_bytes(ev->u.cost, sizeof(*ev->u.cost));
		break;
	case XPT_EV_FNCOST:
		read_fn(ev->u.fncost.fn);
		read_bytes(ev->u.fncost.rec, sizeof(*ev->u.fncost.rec));
		break;
	case XPT_EV_MODE:
		if (ev->u.mode.fn)
			read_fn(ev->u.mode.fn);
		MUST(ev->u.mode.rec->from < XPT_MODE__MAX && ev->u.mode.rec->to < XPT_MODE__MAX);
		break;
	case XPT_EV_XID:
		read_string(ev->u.xid->device);
		read_string(ev->u.xid->text);
		read_string(ev->u.xid->info->name);
		break;
	case XPT_EV_END:
		MUST(ev->u.end.start_ns <= ev->u.end.end_ns);
		nr_ends++;
		break;
	default:
		read_of_device(ev);
		break;
	}
	MUST(nr_events++ || ev->kind == XPT_EV_BEGIN);
}

static void on_event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	(void)st;
	(void)out;
	MUST(!nr_ends);
	read_event(ev);
}

static int sink_event(void *st, const struct xpt_event *ev)
{
	(void)st;
	if (ev->kind != XPT_EV_END)
		read_event(ev);
	return 0;
}

static const struct xpt_schema *const none[] = { NULL };
static const struct xpt_analyzer analyzer = { .name = "read", .emits = none, .event = on_event };
static const struct xpt_sink sink = { .name = "read", .event = sink_event };

static struct xpt_pipeline *new_pipeline(void)
{
	struct xpt_sink_cfg cfg = { 0 };
	struct xpt_pipeline *p;

	if (xpt_pipeline__new(&p))
		exit(2);
	nr_events = nr_ends = 0;
	MUST(xpt_pipeline__add_analyzer(p, &analyzer) == 0);
	MUST(xpt_pipeline__add_sink(p, &sink, "sink", &cfg) == 0);
	return p;
}

/* All that there are: they write to nowhere. */
static void add_all(struct xpt_pipeline *p)
{
	static FILE *nowhere;
	struct xpt_sink_cfg cfg = { .path = "sink", .columns = 80 };
	size_t i;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	cfg.file = nowhere;
	MUST(nowhere);
	for (i = 0; i < xpt_nr_analyzers; i++)
		MUST(xpt_pipeline__add_analyzer(p, xpt_analyzers[i]) == 0);
	for (i = 0; i < xpt_nr_sinks; i++)
		MUST(xpt_pipeline__add_sink(p, xpt_sinks[i], "sink", &cfg) == 0);
}

static void finish(struct xpt_pipeline *p)
{
	MUST(xpt_pipeline__finish(p) == 0 && nr_ends == 1);
	xpt_pipeline__free(p);
}

/* Returns how the file ended. */
static int read_file(int fd)
{
	struct xpt_pipeline *p;
	struct xpt_rec_reader *r;
	const void *rec;
	size_t size;
	int err;

	lseek(fd, 0, SEEK_SET);
	err = xpt_rec_reader__open_fd(fd, NULL, &r);
	if (err)
		return err;
	p = new_pipeline();
	while ((err = xpt_rec_reader__next(r, &rec, &size)) == 1)
		xpt_pipeline__feed(p, rec, size);
	xpt_rec_reader__close(r);
	finish(p);
	return err;
}

static void as_file(int fd, const uint8_t *data, size_t size)
{
	MUST(write(fd, data, size) == (ssize_t)size);
	read_file(fd);
}

/* The number of records that lie from data on, as their sizes say; false: they do not fill it. */
static bool count_records(const void *data, size_t size, uint32_t *ret_nr)
{
	const struct xpt_rec *rec;
	size_t at;

	*ret_nr = 0;
	for (at = 0; at + sizeof(*rec) <= size; at += rec->size, ++*ret_nr) {
		rec = (const void *)((const char *)data + at);
		if (rec->size < sizeof(*rec) || rec->size % 8 || rec->size > size - at)
			break;
	}
	return size && at == size;
}

/* A file of this one block; how it ended. */
static int read_block(int fd, struct xpt_xtr_block b, const void *data)
{
	struct xpt_rec_writer *w;
	uLong crc;

	MUST(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	if (xpt_rec_writer__new(fd, 0, &w))
		exit(2);
	xpt_rec_writer__close(w);	/* the file header alone */
	crc = crc32(0, (const void *)&b, offsetof(struct xpt_xtr_block, crc32));
	b.crc32 = (uint32_t)crc32(crc, data, b.stored_len);
	MUST(write(fd, &b, sizeof(b)) == (ssize_t)sizeof(b));
	MUST(write(fd, data, b.stored_len) == (ssize_t)b.stored_len);
	return read_file(fd);
}

static void as_block(int fd, const uint8_t *data, size_t size)
{
	struct xpt_xtr_block b = { XPT_XTR_BLOCK_MAGIC, XPT_XTR_RAW, 0, 0, 0, 0 };
	bool good = count_records(data, size, &b.nr_records);

	b.raw_len = b.stored_len = (uint32_t)size;
	MUST((read_block(fd, b, data) == 0) == good);
}

/* The records packed again and unpacked are the same. */
static void repack(struct xpt_pack *p, const char *recs, size_t len)
{
	uint8_t *to = malloc(len * 4 + 512);
	char *back = malloc(len);
	const struct xpt_rec *rec;
	size_t at, n = 0;

	MUST(to && back);
	xpt_pack__reset(p);
	for (at = 0; at < len; at += rec->size) {
		rec = (const void *)(recs + at);
		MUST(n + xpt_pack__bound(rec->size) <= len * 4 + 512);
		n += xpt_pack__add(p, rec, rec->size, to + n);
	}
	MUST(xpt_pack__read(p, to, n, back, len) == 0 && memcmp(back, recs, len) == 0);
	free(to);
	free(back);
}

/* The first two bytes say how long the records are. */
static void as_packed(int fd, const uint8_t *data, size_t size)
{
	struct xpt_xtr_block b = { XPT_XTR_BLOCK_MAGIC, XPT_XTR_PACKED, 0, 0, 0, 0 };
	struct xpt_pack *p;
	char *recs;
	bool good;

	if (size < 3)
		return;
	b.raw_len = 8 + 8 * (data[0] | (uint32_t)data[1] << 8) % (XPT_XTR_BLOCK_MAX / 16);
	b.stored_len = (uint32_t)size - 2;
	recs = malloc(b.raw_len);
	if (!recs || xpt_pack__new(&p))
		exit(2);
	good = xpt_pack__read(p, data + 2, size - 2, recs, b.raw_len) == 0 &&
	       count_records(recs, b.raw_len, &b.nr_records);
	MUST((read_block(fd, b, data + 2) == 0) == good);
	if (good)
		repack(p, recs, b.raw_len);
	xpt_pack__free(p);
	free(recs);
}

static void as_records(const uint8_t *data, size_t size)
{
	struct xpt_pipeline *p = new_pipeline();
	const struct xpt_rec *rec;
	size_t at, step;

	add_all(p);
	for (at = 0; at + sizeof(*rec) <= size; at += step) {
		rec = (const void *)(data + at);
		xpt_pipeline__feed(p, rec, size - at);
		step = rec->size >= sizeof(*rec) ? (rec->size + 7u) & ~7u : 8;
	}
	finish(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || (uintptr_t)data % 8)	/* records are aligned */
		return 0;
	MUST(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	as_file(fd, data, size);
	as_block(fd, data, size);
	as_packed(fd, data, size);
	as_records(data, size);
	return 0;
}
