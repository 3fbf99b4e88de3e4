/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine/read/ring.h and engine/read/merge.h: two rings in memory, laid out as the kernel
 * does it, are read in the order of time; what cannot be sorted is counted.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/bpf.h>
#include "engine/read/merge.h"
#include "engine/read/ring.h"
#include "wire/wire.h"

#define BYTES 65536u
#define MS 1000000u

struct fake {			/* the kernel's side of a ring */
	int fd;
	unsigned long *consumer, *producer;
	char *data;
	struct xpt_ring *ring;
};

static struct fake ring, urgent;
static struct xpt_merge merge;
static uint64_t got[4096];
static size_t nr_got;
static int answer;

static int on_record(void *ctx, const void *rec, size_t size)
{
	const struct xpt_rec_call *c = rec;

	(void)ctx;
	assert_true(nr_got < sizeof(got) / sizeof(got[0]));
	assert_true(size >= sizeof(*c));
	got[nr_got++] = c->rec.kind == XPT_REC_TASK ? c->start_ns : c->start_ns + c->dur_ns;
	return answer;
}

static void open_fake(struct fake *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p;

	f->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(ftruncate(f->fd, (off_t)(2 * page + 2 * BYTES)), 0);
	p = mmap(NULL, 2 * page + 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	f->consumer = (void *)p;
	f->producer = (void *)(p + page);
	f->data = p + 2 * page;
	assert_int_equal(xpt_ring__new(f->fd, BYTES, &f->ring), 0);
}

static int setup(void **state)
{
	(void)state;
	open_fake(&ring);
	open_fake(&urgent);
	merge = (struct xpt_merge){ .ring = ring.ring, .urgent = urgent.ring, .fn = on_record };
	nr_got = 0;
	answer = 0;
	return 0;
}

static void close_fake(struct fake *f)
{
	xpt_ring__free(f->ring);
	munmap(f->consumer, 2 * (size_t)sysconf(_SC_PAGESIZE) + 2 * BYTES);
	close(f->fd);
}

static int teardown(void **state)
{
	(void)state;
	close_fake(&ring);
	close_fake(&urgent);
	return 0;
}

/* Writes a record; flags: those of the kernel's header. Returns the header. */
static uint32_t *put(struct fake *f, uint64_t end_ns, uint32_t flags)
{
	struct xpt_rec_call c = { .rec = { XPT_REC_CALL, sizeof(c), 1 }, .start_ns = end_ns - 10,
				  .dur_ns = 10 };
	uint32_t *hdr = (void *)(f->data + (*f->producer & (BYTES - 1)));

	/* The kernel maps the data twice in a row; here both copies are written. */
	memcpy((char *)hdr + BPF_RINGBUF_HDR_SZ, &c, sizeof(c));
	*hdr = (uint32_t)sizeof(c) | flags;
	*f->producer += sizeof(c) + BPF_RINGBUF_HDR_SZ;
	return hdr;
}

static void expect(size_t n, const uint64_t *want)
{
	assert_int_equal(nr_got, n);
	assert_memory_equal(got, want, n * sizeof(*want));
}

#define EXPECT(...) expect(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
			   (const uint64_t[]){ __VA_ARGS__ })

static void test_sorts(void **state)
{
	(void)state;
	put(&urgent, 25, 0);
	put(&urgent, 26, 0);
	put(&urgent, 40, 0);
	put(&ring, 20, 0);
	put(&ring, 30, 0);
	put(&ring, 41, 0);
	assert_int_equal(xpt_merge__consume(&merge, 100), 0);
	EXPECT(20, 25, 26, 30, 40, 41);
	assert_int_equal(merge.late, 0);
	assert_int_equal(*ring.consumer, *ring.producer);
	assert_int_equal(*urgent.consumer, *urgent.producer);
}

static void test_waits(void **state)
{
	(void)state;
	put(&urgent, 100 * MS, 0);
	assert_int_equal(xpt_merge__consume(&merge, 102 * MS), 0);
	assert_int_equal(nr_got, 0);
	put(&ring, 99 * MS, 0);		/* came a little later */
	assert_int_equal(xpt_merge__consume(&merge, 103 * MS), 0);
	EXPECT(99 * MS);
	assert_int_equal(xpt_merge__consume(&merge, 106 * MS), 0);
	EXPECT(99 * MS, 100 * MS);
	assert_int_equal(merge.late, 0);
	put(&urgent, 110 * MS, 0);	/* the end: nothing waits any more */
	assert_int_equal(xpt_merge__consume(&merge, UINT64_MAX), 0);
	assert_int_equal(nr_got, 3);
}

/* A record that is being written keeps back those behind it, not the other ring. */
static void test_late(void **state)
{
	uint32_t *hdr;

	(void)state;
	hdr = put(&ring, 10 * MS, BPF_RINGBUF_BUSY_BIT);
	put(&ring, 30 * MS, 0);
	put(&urgent, 20 * MS, 0);
	assert_int_equal(xpt_merge__consume(&merge, 22 * MS), 0);
	assert_int_equal(nr_got, 0);
	assert_int_equal(xpt_merge__consume(&merge, 26 * MS), 0);
	EXPECT(20 * MS);
	*hdr &= ~BPF_RINGBUF_BUSY_BIT;
	assert_int_equal(xpt_merge__consume(&merge, 40 * MS), 0);
	EXPECT(20 * MS, 10 * MS, 30 * MS);
	assert_int_equal(merge.late, 1);
	put(&urgent, 24 * MS, 0);	/* more than the window behind */
	assert_int_equal(xpt_merge__consume(&merge, 40 * MS), 0);
	assert_int_equal(nr_got, 4);
	assert_int_equal(merge.late, 2);
}

static void test_discarded_and_stopped(void **state)
{
	(void)state;
	put(&ring, 1, BPF_RINGBUF_DISCARD_BIT);
	put(&ring, 2, 0);
	put(&ring, 4, 0);
	put(&urgent, 3, BPF_RINGBUF_DISCARD_BIT);
	put(&urgent, 3, 0);
	answer = -EAGAIN;
	assert_int_equal(xpt_merge__consume(&merge, UINT64_MAX), -EAGAIN);
	EXPECT(2);
	assert_int_equal(xpt_merge__consume(&merge, UINT64_MAX), -EAGAIN);
	EXPECT(2, 3);
	answer = 0;
	assert_int_equal(xpt_merge__consume(&merge, UINT64_MAX), 0);
	EXPECT(2, 3, 4);
}

/* Many rounds around both rings, in random portions: always in order. */
static void test_random(void **state)
{
	uint64_t now = 0, last = 0, total = 0, taken = 0, before;
	int round, i;
	size_t k;

	(void)state;
	srand(7);
	for (round = 0; round < 3000; round++) {
		for (i = rand() % 100; i; i--, total++)
			put(rand() % 8 ? &ring : &urgent, now += 1 + (uint64_t)rand() % MS, 0);
		before = nr_got = 0;
		assert_int_equal(xpt_merge__consume(&merge, now), 0);
		for (k = 0; k < nr_got; k++, last = before) {
			before = got[k];
			assert_true(before > last);
		}
		taken += nr_got;
	}
	nr_got = 0;
	assert_int_equal(xpt_merge__consume(&merge, UINT64_MAX), 0);
	assert_int_equal(taken + nr_got, total);
	assert_int_equal(merge.late, 0);
}

int main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_sorts), T(test_waits), T(test_late), T(test_discarded_and_stopped),
		T(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
