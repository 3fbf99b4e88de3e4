/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the sink tests share: a sink writing into memory, a few functions of a
 * driver API with their captures, and calls of them.
 */
#ifndef XPT_TESTS_SINK_FEED_H
#define XPT_TESTS_SINK_FEED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/domain.h"
#include "model/output/sink.h"

static const struct xpt_result feed_ok = { 0, "CUDA_SUCCESS", "", false, false, false, false };
static const struct xpt_result feed_oom = { 2, "CUDA_ERROR_OUT_OF_MEMORY", "", false, false, false, false };
static const struct xpt_result feed_peer = { 704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "",
					     false, false, false, false };
static const struct xpt_result feed_busy = { 600, "CUDA_ERROR_NOT_READY", "", true, false, false, false };

static struct xpt_fn feed_malloc = { .id = 1, .name = "cuMemAlloc_v2", .cls = XPT_CLASS_ALLOC,
	.ret = XPT_RET_STATUS, .kind = XPT_KIND_DEVICE, .nr_caps = 2,
	.cap = { { XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 }, { XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 } },
	.cap_name = { "dptr", "bytesize" } };
static struct xpt_fn feed_free = { .id = 2, .name = "cuMemFree_v2", .cls = XPT_CLASS_FREE,
	.ret = XPT_RET_STATUS, .nr_caps = 1,
	.cap = { { XPT_CAP_VAL, 0, 8, XPT_ROLE_ADDR, 0 } }, .cap_name = { "dptr" } };
static struct xpt_fn feed_copy = { .id = 3, .name = "cuMemcpyHtoDAsync_v2",
	.cls = XPT_CLASS_COPY, .ret = XPT_RET_STATUS, .nr_caps = 5,
	.cap = { { XPT_CAP_VAL, 0, 8, XPT_ROLE_DST, 0 }, { XPT_CAP_VAL, 1, 8, XPT_ROLE_SRC, 0 },
		 { XPT_CAP_VAL, 2, 8, XPT_ROLE_SIZE, 0 },
		 { XPT_CAP_VAL, 3, 8, XPT_ROLE_STREAM, 0 },
		 { XPT_CAP_CONST, 0, 4, XPT_ROLE_DIR, XPT_DIR_H2D } },
	.cap_name = { "dstDevice", "srcHost", "ByteCount", "hStream", "dir" } };
static struct xpt_fn feed_launch = { .id = 4, .name = "cuLaunchKernel", .cls = XPT_CLASS_LAUNCH,
	.ret = XPT_RET_STATUS, .nr_caps = 8,
	.cap = { { XPT_CAP_VAL, 0, 8, XPT_ROLE_FUNC, 0 }, { XPT_CAP_VAL, 1, 4, XPT_ROLE_GRID_X, 0 },
		 { XPT_CAP_VAL, 2, 4, XPT_ROLE_GRID_Y, 0 }, { XPT_CAP_VAL, 3, 4, XPT_ROLE_GRID_Z, 0 },
		 { XPT_CAP_VAL, 4, 4, XPT_ROLE_BLOCK_X, 0 },
		 { XPT_CAP_VAL, 5, 4, XPT_ROLE_BLOCK_Y, 0 },
		 { XPT_CAP_VAL, 6, 4, XPT_ROLE_BLOCK_Z, 0 },
		 { XPT_CAP_VAL, 7, 4, XPT_ROLE_SHMEM, 0 } },
	.cap_name = { "f", "gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY",
		      "blockDimZ", "sharedMemBytes" } };
static struct xpt_fn feed_rt_malloc = { .id = 5, .name = "cudaMalloc", .cls = XPT_CLASS_ALLOC,
	.ret = XPT_RET_STATUS, .kind = XPT_KIND_DEVICE, .nr_caps = 2,
	.cap = { { XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 }, { XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 } },
	.cap_name = { "devPtr", "size" } };
static struct xpt_fn feed_sync = { .id = 6, .name = "cuStreamSynchronize",
	.cls = XPT_CLASS_SYNC, .ret = XPT_RET_STATUS, .nr_caps = 1,
	.cap = { { XPT_CAP_VAL, 0, 8, XPT_ROLE_STREAM, 0 } }, .cap_name = { "hStream" } };
static struct xpt_fn feed_peer_fn = { .id = 7, .name = "cuCtxEnablePeerAccess",
	.cls = XPT_CLASS_OTHER, .ret = XPT_RET_STATUS };

static struct xpt_proc feed_proc = { .pid = 4711, .comm = "train", .exe = "/usr/bin/train",
				     .cmdline = "./train --leak" };

static inline void feed_init(void)
{
	struct xpt_fn *fns[] = { &feed_malloc, &feed_free, &feed_copy, &feed_launch,
				 &feed_rt_malloc, &feed_sync, &feed_peer_fn };

	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++) {
		fns[i]->domain_name = fns[i] == &feed_rt_malloc ? "cudart" : "cuda";
		fns[i]->base = fns[i]->name;
		memset(fns[i]->role_idx, -1, sizeof(fns[i]->role_idx));
		for (int k = fns[i]->nr_caps - 1; k >= 0; k--)
			fns[i]->role_idx[fns[i]->cap[k].role] = (int8_t)k;
	}
}

struct feed {
	const struct xpt_sink *sink;
	struct xpt_sink_cfg cfg;
	void *st;
	char *text;
	size_t len;
	uint64_t next_id;
};

/* The sink opened into memory, unless cfg.file is set. */
static inline void feed_open(struct feed *f, const struct xpt_sink *sink,
			     const struct xpt_sink_cfg *cfg)
{
	*f = (struct feed){ .sink = sink, .cfg = *cfg };
	feed_init();
	if (!f->cfg.file)
		f->cfg.file = open_memstream(&f->text, &f->len);
	f->st = calloc(1, sink->state_size);
	assert_non_null(f->cfg.file);
	assert_int_equal(sink->open(f->st, &f->cfg), 0);
}

/* Closes; f->text is then what was written, to be freed by feed_free(). */
static inline int feed_close(struct feed *f)
{
	int err = f->sink->close(f->st);

	fclose(f->cfg.file);
	free(f->st);
	return err;
}

static inline int feed_event(struct feed *f, enum xpt_event_kind kind, uint64_t ts_ns)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = ts_ns };

	return f->sink->event(f->st, &ev);
}

static inline int feed_begin(struct feed *f, int64_t wall_ns)
{
	struct xpt_event ev = { .kind = XPT_EV_BEGIN };

	ev.u.begin.realtime_minus_monotonic_ns = wall_ns;
	return f->sink->event(f->st, &ev);
}

/* A call of feed_proc's first thread; its values are all valid. */
static inline struct xpt_call feed_call(const struct xpt_fn *fn, uint64_t start_ns,
					uint64_t dur_ns, const struct xpt_result *result,
					const uint64_t *val)
{
	struct xpt_call c = { .start_ns = start_ns, .dur_ns = dur_ns, .fn = fn,
			      .proc = &feed_proc, .tid = 4711, .comm = "train",
			      .ret = result->code, .result = result, .valid = 0xffff,
			      .nr_vals = fn->nr_caps, .val = val };

	if (result->code) {
		c.flags = XPT_CALL_FAILED;
		c.failed = !result->benign;
	}
	return c;
}

static inline int feed_put(struct feed *f, enum xpt_event_kind kind, struct xpt_call c)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = c.start_ns + c.dur_ns };

	c.id = ++f->next_id;
	ev.u.call = c;
	return f->sink->event(f->st, &ev);
}

static inline int feed_nested(struct feed *f, struct xpt_call c, unsigned depth, unsigned flags)
{
	c.depth = (uint8_t)depth;
	c.flags |= (uint8_t)(flags | (depth ? XPT_CALL_NESTED : 0));
	return feed_put(f, XPT_EV_CALL, c);
}

static inline int feed_proc_event(struct feed *f, enum xpt_event_kind kind,
				  const struct xpt_proc *p, bool exec, uint32_t cut)
{
	struct xpt_event ev = { .kind = kind };

	ev.u.proc.proc = p;
	ev.u.proc.exec = exec;
	ev.u.proc.cut = cut;
	return f->sink->event(f->st, &ev);
}

static inline int feed_loss(struct feed *f, enum xpt_loss loss, uint64_t count)
{
	struct xpt_event ev = { .kind = XPT_EV_LOSS, .ts_ns = 5000 };

	ev.u.loss.loss = loss;
	ev.u.loss.count = count;
	return f->sink->event(f->st, &ev);
}

#endif
