/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How fast the pipeline is by itself: calls of a few threads through decode,
 * enrich and one analyzer that counts; the same through writing and reading a
 * recording. Prints calls per second, the best of several rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/time.h"
#include "pipeline/pipeline.h"
#include "pipeline/recording/recording.h"

#define NR_CALLS 1000000u
#define NR_THREADS 32u
#define NR_PROCS 4u
#define NR_FNS 16u
#define ROUNDS 5

struct call {
	struct xpt_rec_call r;
	uint64_t val[2];
};

static struct call *calls;
static uint64_t sum;

static void count(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	(void)st;
	(void)out;
	if (ev->kind == XPT_EV_CALL)
		sum += ev->u.call.val[1];
}

static const struct xpt_schema *const none[] = { NULL };
static const struct xpt_analyzer counter = { .name = "count", .emits = none, .event = count };

static void make_calls(void)
{
	uint64_t ts = 1000000000;
	struct xpt_rec_call *r;
	uint32_t i;

	calls = calloc(NR_CALLS, sizeof(*calls));
	if (!calls)
		exit(1);
	for (i = 0; i < NR_CALLS; i++, ts += 1000) {
		r = &calls[i].r;
		r->rec.kind = XPT_REC_CALL;
		r->rec.size = sizeof(*calls);
		r->rec.fn = i * 7 % NR_FNS;
		r->start_ns = ts;
		r->dur_ns = 500;
		r->tid = 1000 + i * 11 % NR_THREADS;
		r->tgid = 1000 + r->tid % NR_PROCS;
		r->nr_vals = 2;
		r->valid = 3;
		calls[i].val[1] = 4096;
	}
}

static void feed_fn(struct xpt_pipeline *p, uint32_t id)
{
	struct {
		struct xpt_rec_fn r;
		char names[24];
	} fn;

	memset(&fn, 0, sizeof(fn));
	fn.r.rec.kind = XPT_REC_FN;
	fn.r.rec.size = sizeof(fn);
	fn.r.rec.fn = id;
	fn.r.spec.ret = XPT_RET_STATUS;
	fn.r.spec.nr_caps = 2;
	fn.r.spec.size_cap = 1;
	fn.r.spec.dir_cap = 0xff;
	fn.r.spec.cap[0] = (struct xpt_wire_cap){ XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 };
	fn.r.spec.cap[1] = (struct xpt_wire_cap){ XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 };
	memcpy(fn.names, "f\0f\0cuda\0p\0n", 13);
	xpt_pipeline__feed(p, &fn, sizeof(fn));
}

static struct xpt_pipeline *new_pipeline(void)
{
	struct xpt_pipeline *p = NULL;
	uint32_t i;

	if (xpt_pipeline__new(&p) || xpt_pipeline__add_analyzer(p, &counter))
		exit(1);
	for (i = 0; i < NR_FNS; i++)
		feed_fn(p, i);
	for (i = 0; i < NR_THREADS; i++) {
		struct xpt_rec_task t = { .rec = { XPT_REC_TASK, sizeof(t), 0 },
					  .tgid = 1000 + (1000 + i) % NR_PROCS, .tid = 1000 + i,
					  .event = XPT_TASK_THREAD, .comm = "worker" };

		xpt_pipeline__feed(p, &t, sizeof(t));
	}
	return p;
}

static void finish(struct xpt_pipeline *p)
{
	uint64_t rejected = xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED);

	if (xpt_pipeline__finish(p) || rejected || sum != (uint64_t)NR_CALLS * 4096) {
		fprintf(stderr, "rate: %llu rejected\n", (unsigned long long)rejected);
		exit(1);
	}
	xpt_pipeline__free(p);
}

static uint64_t time_pipeline(int fd)
{
	struct xpt_pipeline *p = new_pipeline();
	uint64_t start = xpt_now_ns();
	uint32_t i;

	(void)fd;
	sum = 0;
	for (i = 0; i < NR_CALLS; i++)
		xpt_pipeline__feed(p, &calls[i], sizeof(calls[i]));
	start = xpt_now_ns() - start;
	finish(p);
	return start;
}

static uint64_t time_write(int fd)
{
	uint64_t start = xpt_now_ns();
	struct xpt_rec_writer *w;
	uint32_t i;

	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) || xpt_rec_writer__new(fd, 0, &w))
		exit(1);
	for (i = 0; i < NR_CALLS; i++) {
		if (xpt_rec_writer__write(w, &calls[i], sizeof(calls[i])))
			exit(1);
	}
	if (xpt_rec_writer__close(w))
		exit(1);
	return xpt_now_ns() - start;
}

static uint64_t time_replay(int fd)
{
	struct xpt_pipeline *p = new_pipeline();
	uint64_t start = xpt_now_ns();
	struct xpt_rec_reader *r;
	const void *rec;
	size_t size;

	if (lseek(fd, 0, SEEK_SET) || xpt_rec_reader__open_fd(fd, NULL, &r))
		exit(1);
	sum = 0;
	while (xpt_rec_reader__next(r, &rec, &size) == 1)
		xpt_pipeline__feed(p, rec, size);
	xpt_rec_reader__close(r);
	start = xpt_now_ns() - start;
	finish(p);
	return start;
}

static void report(const char *what, uint64_t (*run)(int fd), int fd)
{
	uint64_t ns, best = UINT64_MAX;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		ns = run(fd);
		best = ns < best ? ns : best;
	}
	printf("%-28s %6.1f ns/call %8.2f M calls/s\n", what, (double)best / NR_CALLS,
	       NR_CALLS * 1e3 / (double)best);
}

int main(void)
{
	int fd = memfd_create("rate", MFD_CLOEXEC);

	if (fd < 0)
		return 1;
	make_calls();
	report("decode, enrich, dispatch", time_pipeline, fd);
	report("write a recording", time_write, fd);
	report("read it and all the above", time_replay, fd);
	free(calls);
	close(fd);
	return 0;
}
