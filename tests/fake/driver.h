/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the simulated libcuda.so.1: objects, contexts, device memory, streams.
 *
 * BODY(name, arguments) defines what the export `name` does; the stubs of
 * gen-stubs jump to it. Bodies call each other's helpers, never an export, so
 * that a call of the program is one call at one probe site. One lock (fake_lock)
 * guards all tables; a stream's queue has its own.
 */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "minicuda.h"

#define BODY(name, ...)                         \
	CUresult body_##name(__VA_ARGS__);      \
	CUresult body_##name(__VA_ARGS__)

#define X(name, args) CUresult body_##name args;
MINICUDA_DRIVER(X)
#undef X

enum fake_kind {
	FAKE_CTX = 1, FAKE_STREAM, FAKE_EVENT, FAKE_MODULE, FAKE_FUNC, FAKE_GRAPH, FAKE_NODE,
	FAKE_EXEC, FAKE_POOL, FAKE_ARRAY, FAKE_PHYS, FAKE_RANGE, FAKE_HOST, FAKE_HOSTREG,
	FAKE_GRAPH_MEM, FAKE_BLOCK,
};

/* Every handle and every address that a program can hold is one of these. */
struct fake_obj {
	enum fake_kind kind;
	int refs;
	uint64_t key;			/* what the program holds */
	struct fake_ctx *ctx;		/* dies with it, or NULL */
	struct fake_obj *next, *prev;	/* all objects of one kind */
};

struct fake_device;

/* What a context has in the kernel driver, if there is one: see rm.c. */
struct fake_rm {
	uint32_t group, channel;
	void *doorbell;
};

enum fake_rm_kind {
	FAKE_RM_ALLOC, FAKE_RM_CONTROL, FAKE_RM_FREE, FAKE_RM_UVM, FAKE_RM_MMAP, FAKE_RM_POLL,
	FAKE_RM_KINDS
};

struct fake_ctx {
	struct fake_obj o;
	struct fake_device *dev;
	struct fake_stream *stream0;	/* the default stream */
	int pending;			/* queued items of all its streams */
	bool dead;			/* destroyed; the struct stays until exit */
	unsigned int retained;		/* primary context only */
	unsigned int flags;
	struct fake_rm rm;
};

/* A piece of a device's address range, free or allocated, in address order. */
struct fake_block {
	struct fake_obj o;
	uint64_t start, size;
	struct fake_block *lower, *upper;	/* neighbours by address */
	struct fake_block *bin_next, *bin_prev;	/* blocks of like size, while free */
	struct fake_device *dev;
	size_t asked;			/* bytes that the program wanted */
	uint32_t rm;			/* the kernel driver's handle, or 0 */
	bool used, touched;		/* touched: has pages to give back */
};

struct fake_device {
	int id;
	uint64_t total, used;
	uint64_t base;			/* of the arena, 0: none yet */
	struct fake_block *bins[64];
	struct fake_block *lowest;
	uint64_t bin_map;		/* which bins hold a block */
	struct fake_ctx primary;
};

struct fake_event {
	struct fake_obj o;
	uint64_t recorded, done;	/* sequence numbers of records */
	uint64_t done_ns;
};

/* One piece of queued work; run (may be NULL) happens on the stream's worker. */
struct fake_item {
	void (*run)(struct fake_item *it);
	uint64_t dur_ns;		/* simulated device time */
	uint64_t queued_ns, seq;
	uint64_t graph_mem;		/* of a graph: allocates or frees this address when launched */
	bool graph_free;
	union {
		struct { uint64_t dst, src, n; } copy;
		struct { uint64_t dst, n; uint32_t value, width; } set;
		CUmemcpy3D *copy3d;
		struct { void *fn, *data; struct fake_stream *stream; } call;
		struct { struct fake_event *event; uint64_t n; } event;
		struct { uint64_t c, a, b; unsigned int n; } add;
		struct fake_block *block;
	};
	uint64_t clock;			/* set by the worker: when it started */
};

#define FAKE_QUEUE 1024u

struct fake_stream {
	struct fake_obj o;
	pthread_mutex_t lock;
	pthread_cond_t work, change;	/* to the worker, from the worker */
	struct fake_item *ring;		/* FAKE_QUEUE items, with the worker */
	uint64_t head, tail;		/* done and queued, in items ever */
	uint64_t clock;			/* the device is busy until then, ns */
	pthread_t worker;
	bool started, stop;
	int waiters;
	unsigned int flags;
	struct fake_graph *capture;
};

/* An allocation node's memory: its address is there from the start, the rest while it is live. */
struct fake_graph_mem {
	struct fake_obj o;
	bool live;
};

struct fake_graph {
	struct fake_obj o;
	struct fake_item *items;
	unsigned int nr, max;
};

struct fake_fn { const char *name; void *stub; uint64_t version; };

extern const struct fake_fn fake_fns[];		/* sorted by name as exports.txt is */
extern const uint64_t fake_nr_fns;
extern unsigned char fake_hooks[];		/* nonzero: fake_hook() is asked first */
extern pthread_mutex_t fake_lock;
extern uint64_t fake_kernel_ns;
extern int fake_deinit;
extern bool fake_forked;

/* hook.c */
int fake_hook(unsigned int index);
void fake_initialized(void);
void fake_break(int code);			/* a context's error that stays */
int fake_broken(void);				/* that error, or 0 */
uint64_t fake_now(void);			/* CLOCK_MONOTONIC, ns */
uint64_t fake_env_u64(const char *name, uint64_t fallback);

/* object.c: tables of handles and addresses. _locked: the caller holds fake_lock. */
void fake_add_locked(void *obj, enum fake_kind kind, uint64_t key, struct fake_ctx *ctx);
void *fake_get_locked(enum fake_kind kind, uint64_t key);
void *fake_del_locked(enum fake_kind kind, uint64_t key);
void *fake_new(size_t size, enum fake_kind kind, struct fake_ctx *ctx);	/* key: its address */
void *fake_get(enum fake_kind kind, const void *handle);
void *fake_del(enum fake_kind kind, const void *handle);
struct fake_obj *fake_first(enum fake_kind kind);
void fake_objects_free(void);

/* device.c and context.c */
struct fake_device *fake_device(CUdevice dev);	/* NULL: no such device */
int fake_nr_devices(void);
struct fake_ctx *fake_ctx(void);		/* current of this thread, or NULL */
void fake_ctx_sync(struct fake_ctx *ctx);
void fake_contexts_free(void);

/* memory.c */
struct fake_block *fake_block_alloc(struct fake_ctx *ctx, size_t bytes, CUresult *ret_err);
CUresult fake_block_free(CUdeviceptr ptr);
bool fake_range_ok(CUdeviceptr ptr, size_t n, bool write);
void fake_ctx_free_memory_locked(struct fake_ctx *ctx);
void fake_memory_free(void);
void fake_vmm_free(void);

/* stream.c */
struct fake_stream *fake_stream(CUstream handle);	/* NULL: invalid; 0 to 2: the default */
struct fake_stream *fake_stream_new(struct fake_ctx *ctx, unsigned int flags);
void fake_stream_end(struct fake_stream *s);	/* drains, joins, puts */
void fake_stream_put(struct fake_stream *s);
void fake_stream_sync(struct fake_stream *s);
CUresult fake_queue(struct fake_stream *s, const struct fake_item *it);
void fake_streams_stop(void);

/* rm.c */
bool fake_rm_on(void);
CUresult fake_rm_start(void);
CUresult fake_rm_open_context(struct fake_rm *rm);
void fake_rm_close_context(struct fake_rm *rm);
CUresult fake_rm_memory(uint64_t bytes, uint32_t *ret_object);
void fake_rm_free(uint32_t object);
void fake_rm_poll(void);
void fake_rm_counts(FILE *f);

/* graph.c */
CUresult fake_graph_add(struct fake_graph *g, const struct fake_item *it);
void fake_graph_free(struct fake_graph *g);

#endif
