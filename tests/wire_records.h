/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wire records for tests: a builder for each kind that appends to a stream in
 * memory, and a stream that holds every kind once or more.
 */
#ifndef XPT_TESTS_WIRE_RECORDS_H
#define XPT_TESTS_WIRE_RECORDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "wire/device.h"
#include "wire/wire.h"

struct wstream {
	size_t len, cap;	/* bytes */
	char *buf;
};

/* Room for one zeroed record of size bytes, rounded up to 8. */
static inline void *w_add(struct wstream *s, unsigned kind, uint32_t fn, size_t size)
{
	struct xpt_rec *rec;

	size = (size + 7) & ~(size_t)7;
	if (s->len + size > s->cap) {
		s->cap = (s->len + size) * 2;
		s->buf = realloc(s->buf, s->cap);
		if (!s->buf)
			abort();
	}
	rec = (void *)(s->buf + s->len);
	memset(rec, 0, size);
	rec->kind = (__u16)kind;
	rec->size = (__u16)size;
	rec->fn = fn;
	s->len += size;
	return rec;
}

/* A record with n strings behind its fixed part. */
static inline void *w_add_strings(struct wstream *s, unsigned kind, uint32_t fn, size_t fixed,
				  unsigned n, const char *const *str)
{
	size_t size = fixed, at = fixed;
	unsigned i;
	char *rec;

	for (i = 0; i < n; i++)
		size += strlen(str[i]) + 1;
	rec = w_add(s, kind, fn, size);
	for (i = 0; i < n; i++) {
		memcpy(rec + at, str[i], strlen(str[i]) + 1);
		at += strlen(str[i]) + 1;
	}
	return rec;
}

static inline void w_clear(struct wstream *s)
{
	s->len = 0;
}

static inline void w_free(struct wstream *s)
{
	free(s->buf);
	s->buf = NULL;
	s->len = s->cap = 0;
}

/* A status function with one ADDR (out) and one SIZE value, as cuMemAlloc has. */
static inline struct xpt_rec_fn *w_fn(struct wstream *s, uint32_t id, const char *name,
				      uint8_t cls, uint32_t lib)
{
	const char *str[] = { name, name, "test", "dptr", "bytesize" };
	struct xpt_rec_fn *r = w_add_strings(s, XPT_REC_FN, id, sizeof(*r), 5, str);

	r->lib = lib;
	r->layer = XPT_LAYER_API;
	r->spec.cls = cls;
	r->spec.ret = XPT_RET_STATUS;
	r->spec.nr_caps = 2;
	r->spec.size_cap = 1;
	r->spec.dir_cap = 0xff;
	r->spec.out_mask = 1;
	r->spec.cap[0] = (struct xpt_wire_cap){ XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 };
	r->spec.cap[1] = (struct xpt_wire_cap){ XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 };
	return r;
}

/* A status function without captures. */
static inline struct xpt_rec_fn *w_bare_fn(struct wstream *s, uint32_t id, const char *name)
{
	struct xpt_rec_fn *r = w_fn(s, id, name, XPT_CLASS_OTHER, 1);

	r->spec.nr_caps = 0;
	r->spec.out_mask = 0;
	r->spec.size_cap = 0xff;
	memset(r->spec.cap, 0, sizeof(r->spec.cap));
	return r;
}

static inline struct xpt_rec_call *w_call(struct wstream *s, uint32_t fn, uint32_t tgid,
					  uint32_t tid, uint64_t start_ns, uint64_t dur_ns)
{
	struct xpt_rec_call *r = w_add(s, XPT_REC_CALL, fn, sizeof(*r) + 2 * sizeof(r->val[0]));

	r->start_ns = start_ns;
	r->dur_ns = dur_ns;
	r->tgid = tgid;
	r->tid = tid;
	r->nr_vals = 2;
	r->valid = 3;
	r->val[0] = 0x7f0000000000;
	r->val[1] = 4096;
	return r;
}

static inline struct xpt_rec_task *w_task(struct wstream *s, unsigned event, uint32_t tgid,
					  uint32_t tid, uint64_t ts_ns, const char *comm)
{
	struct xpt_rec_task *r = w_add(s, XPT_REC_TASK, 0, sizeof(*r));

	r->ts_ns = ts_ns;
	r->tgid = tgid;
	r->tid = tid;
	r->event = event;
	memcpy(r->comm, comm, strnlen(comm, XPT_COMM_LEN - 1));
	return r;
}

static inline struct xpt_rec_proc *w_proc(struct wstream *s, uint32_t tgid, uint64_t ts_ns,
					  const char *comm, const char *exe, const char *cmdline)
{
	const char *str[] = { comm, exe, cmdline };
	struct xpt_rec_proc *r = w_add_strings(s, XPT_REC_PROC, 0, sizeof(*r), 3, str);

	r->ts_ns = ts_ns;
	r->tgid = tgid;
	return r;
}

static inline struct xpt_rec_lib *w_lib(struct wstream *s, uint32_t id, const char *path)
{
	const char *str[] = { path, "b01dface" };
	struct xpt_rec_lib *r = w_add_strings(s, XPT_REC_LIB, 0, sizeof(*r), 2, str);

	r->id = id;
	r->nr_fns = 2;
	return r;
}

static inline void w_meta(struct wstream *s, const char *key, const char *value)
{
	const char *str[] = { key, value };

	w_add_strings(s, XPT_REC_META, 0, sizeof(struct xpt_rec_meta), 2, str);
}

static inline void w_clock(struct wstream *s, uint64_t monotonic, uint64_t realtime)
{
	struct xpt_rec_clock *r = w_add(s, XPT_REC_CLOCK, 0, sizeof(*r));

	r->monotonic = r->boottime = monotonic;
	r->realtime = realtime;
}

static inline struct xpt_rec_counter *w_counter(struct wstream *s, uint32_t fn, uint32_t tgid,
						uint64_t calls)
{
	struct xpt_rec_counter *r = w_add(s, XPT_REC_COUNTER, 0, sizeof(*r));

	r->key.tgid = tgid;
	r->key.fn = (__u16)fn;
	r->key.sub = XPT_DIR_NONE;
	r->count.calls = calls;
	return r;
}

static inline struct xpt_rec_errcount *w_errcount(struct wstream *s, uint32_t fn, uint32_t tgid,
						  int64_t code, uint64_t calls)
{
	struct xpt_rec_errcount *r = w_add(s, XPT_REC_ERRCOUNT, 0, sizeof(*r));

	r->key.tgid = tgid;
	r->key.fn = fn;
	r->key.code = code;
	r->calls = calls;
	return r;
}

static inline struct xpt_rec_loss *w_loss(struct wstream *s, uint64_t ts_ns, uint32_t loss,
					  uint64_t count)
{
	struct xpt_rec_loss *r = w_add(s, XPT_REC_LOSS, 0, sizeof(*r));

	r->ts_ns = ts_ns;
	r->loss = loss;
	r->count = count;
	return r;
}

static inline struct xpt_rec_device *w_device(struct wstream *s, uint32_t id, unsigned kind, uint32_t parent,
					      const char *name)
{
	const char *str[] = { name, "GPU-1", "0000:3b:00.0", "" };
	struct xpt_rec_device *r = w_add_strings(s, XPT_REC_DEVICE, 0, sizeof(*r), 4, str);

	r->id = id;
	r->kind = (__u16)kind;
	r->parent = parent;
	r->minor = XPT_NO_MINOR;
	return r;
}

/* A reading with room for nr values, which are zeroes. */
static inline struct xpt_rec_reading *w_reading(struct wstream *s, uint64_t ts_ns, uint32_t device, uint32_t nr)
{
	struct xpt_rec_reading *r = w_add(s, XPT_REC_READING, 0, sizeof(*r) + nr * sizeof(r->value[0]));

	r->ts_ns = ts_ns;
	r->device = device;
	r->nr = nr;
	return r;
}

static inline struct xpt_rec_cost *w_cost(struct wstream *s, uint64_t hits)
{
	struct xpt_rec_cost *r = w_add(s, XPT_REC_COST, 0, sizeof(*r));

	r->hits = hits;
	return r;
}

static inline struct xpt_rec_fncost *w_fncost(struct wstream *s, uint32_t fn, uint64_t event_ns,
					     uint64_t count_ns, uint64_t events)
{
	struct xpt_rec_fncost *r = w_add(s, XPT_REC_FNCOST, fn, sizeof(*r));

	r->event_ns = event_ns;
	r->count_ns = count_ns;
	r->events = events;
	return r;
}

static inline struct xpt_rec_mode *w_mode(struct wstream *s, uint32_t fn, uint64_t ts_ns,
					  unsigned from, unsigned to)
{
	struct xpt_rec_mode *r = w_add(s, XPT_REC_MODE, fn, sizeof(*r));

	r->ts_ns = ts_ns;
	r->from = from;
	r->to = to;
	r->cost_ppm = 12000;
	r->budget_ppm = 10000;
	return r;
}

static inline struct xpt_rec_end *w_end(struct wstream *s, uint64_t start_ns, uint64_t end_ns)
{
	struct xpt_rec_end *r = w_add(s, XPT_REC_END, 0, sizeof(*r));

	r->start_ns = start_ns;
	r->end_ns = end_ns;
	r->status = 0;
	return r;
}

/* Every kind of record, in an order that a trace has. */
static inline void w_sample(struct wstream *s)
{
	const uint64_t sec = 1000000000;
	struct xpt_rec_call *r;

	w_clock(s, 10 * sec, 1700000000 * sec);
	w_meta(s, "host", "example");
	w_lib(s, 1, "/usr/lib/libtest.so.1");
	w_fn(s, 1, "tstAlloc_v2", XPT_CLASS_ALLOC, 1);
	w_fn(s, 2, "tstFree_v2", XPT_CLASS_FREE, 1);
	w_proc(s, 100, 10 * sec, "train", "/usr/bin/train", "train --fast");
	w_task(s, XPT_TASK_THREAD, 100, 101, 10 * sec + 100, "worker");
	w_call(s, 1, 100, 101, 10 * sec + 200, 300);
	r = w_call(s, 2, 100, 100, 10 * sec + 700, 100);
	r->ret = 2;
	r->flags = XPT_CALL_FAILED;
	w_task(s, XPT_TASK_FORK, 200, 200, 10 * sec + 900, "train")->ppid = 100;
	w_task(s, XPT_TASK_EXEC, 200, 200, 10 * sec + 950, "sh");
	w_task(s, XPT_TASK_EXIT, 200, 200, 11 * sec + 1000, "sh")->code = 0x100;
	w_task(s, XPT_TASK_THREAD_EXIT, 100, 101, 11 * sec + 1100, "worker");
	w_call(s, 2, 100, 100, 11 * sec + 2000, 5 * sec)->rec.kind = XPT_REC_INFLIGHT;
	w_mode(s, 1, 16 * sec, XPT_MODE_EVENTS, XPT_MODE_ERRORS);
	w_counter(s, 1, 100, 1);
	w_errcount(s, 2, 100, 2, 1);
	w_loss(s, 16 * sec + 3000, XPT_LOSS_RING_FULL, 7);
	w_fncost(s, 1, 1700, 1500, 1);
	w_cost(s, 2);
	w_end(s, 10 * sec, 16 * sec + 4000);
}

#endif
