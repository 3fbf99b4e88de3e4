/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine/read/thread_lanes.h: lanes in memory, written as the BPF side does it, are
 * read together in the order of time, round and round; what is no record is
 * handed over as one that the pipeline rejects, and nothing behind it is read.
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
#include "engine/read/thread_lanes.h"
#include "wire/lane.h"

#define LANES 3u
#define BYTES 8192u

static int fd;
static char *map;
static struct xpt_thread_lanes *lanes;

static struct xpt_lane *lane(uint32_t i)
{
	return (void *)(map + i * XPT_LANE_SIZE(BYTES));
}

static int setup(void **state)
{
	size_t size = 1 << 16;

	(void)state;
	assert_true(LANES * XPT_LANE_SIZE(BYTES) <= size);
	fd = memfd_create("lanes", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(xpt_thread_lanes__new(fd, LANES, BYTES, &lanes), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	xpt_thread_lanes__free(lanes);
	munmap(map, 1 << 16);
	close(fd);
	return 0;
}

/* What the BPF side does; 0 if the lane is full. */
static int put(uint32_t i, uint64_t end_ns, uint32_t nr_vals)
{
	struct {
		struct xpt_rec_call call;
		uint64_t val[XPT_MAX_WORDS];
	} r = { 0 };
	struct xpt_lane *l = lane(i);
	size_t size = sizeof(r.call) + nr_vals * 8;

	if (l->head + size - l->tail > BYTES)
		return 0;
	r.call.rec.kind = XPT_REC_CALL;
	r.call.rec.size = (uint16_t)size;
	r.call.start_ns = end_ns - 1;
	r.call.dur_ns = 1;
	r.val[nr_vals ? nr_vals - 1 : 0] = end_ns;
	memcpy((char *)(l + 1) + (l->head & (BYTES - 1)), &r, size);
	l->head += size;
	return 1;
}

/* Takes a record; the time at which it ended, 0 for none. */
static uint64_t take(void)
{
	const struct xpt_rec_call *c;
	uint64_t ns;
	size_t size;

	c = xpt_thread_lanes__peek(lanes, &ns, &size);
	if (!c)
		return 0;
	assert_int_equal(size, c->rec.size);
	assert_int_equal(ns, c->start_ns + c->dur_ns);
	if (size > sizeof(*c))
		assert_int_equal(((const uint64_t *)c)[size / 8 - 1], ns);
	xpt_thread_lanes__next(lanes);
	return ns;
}

static void test_order(void **state)
{
	(void)state;
	put(0, 10, 2);
	put(0, 40, 0);
	put(2, 20, XPT_MAX_WORDS);
	put(1, 30, 1);
	assert_int_equal(take(), 0);	/* nobody has looked */
	xpt_thread_lanes__look(lanes);
	put(1, 15, 1);			/* not there yet */
	assert_int_equal(take(), 10);
	assert_int_equal(take(), 20);
	assert_int_equal(take(), 30);
	assert_int_equal(take(), 40);
	assert_int_equal(take(), 0);
	xpt_thread_lanes__look(lanes);
	assert_int_equal(take(), 15);
	assert_int_equal(lane(0)->tail, 0);
	xpt_thread_lanes__store(lanes);
	assert_int_equal(lane(0)->tail, lane(0)->head);
	assert_int_equal(lane(1)->tail, lane(1)->head);
}

/* Records that ended at one time come in the order of their lanes. */
static void test_one_time(void **state)
{
	uint64_t ns;
	size_t size;

	(void)state;
	put(2, 50, 3);
	put(0, 50, 1);
	put(1, 50, 2);
	put(0, 50, 4);
	xpt_thread_lanes__look(lanes);
	for (uint32_t i = 0; i < 4; i++) {
		static const uint32_t vals[] = { 1, 4, 2, 3 };

		assert_non_null(xpt_thread_lanes__peek(lanes, &ns, &size));
		assert_int_equal(size, sizeof(struct xpt_rec_call) + vals[i] * 8);
		xpt_thread_lanes__next(lanes);
	}
	assert_null(xpt_thread_lanes__peek(lanes, &ns, &size));
}

/* Many times round, records of all sizes, lanes that are full now and then. */
static void test_round_and_round(void **state)
{
	uint64_t now = 1, last, written = 0, taken = 0, ns;
	uint32_t round, i, full = 0;

	(void)state;
	srand(11);
	for (round = 0; round < 2000; round++) {
		for (i = (uint32_t)rand() % 200; i; i--) {
			if (put((uint32_t)rand() % LANES, ++now, (uint32_t)rand() % (XPT_MAX_WORDS + 1)))
				written++;
			else
				full++;
		}
		xpt_thread_lanes__look(lanes);
		last = 0;
		for (i = (uint32_t)rand() % 150; i && (ns = take()); i--, taken++, last = ns)
			assert_true(ns > last);
		xpt_thread_lanes__store(lanes);
	}
	xpt_thread_lanes__look(lanes);
	while (take())
		taken++;
	assert_int_equal(taken, written);
	assert_true(full > 0);
}

static void test_garbage(void **state)
{
	static const uint16_t sizes[] = { 0, 8, 40, 52, 264, 65528 };
	const struct xpt_rec *rec;
	uint64_t ns;
	size_t size, i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct xpt_lane *l = lane(0);
		uint64_t at = l->head & (BYTES - 1);

		put(0, 100 + i, 3);
		put(0, 200 + i, 3);
		((struct xpt_rec *)(void *)((char *)(l + 1) + at))->size = sizes[i];
		put(1, 300 + i, 0);
		xpt_thread_lanes__look(lanes);
		rec = xpt_thread_lanes__peek(lanes, &ns, &size);
		assert_non_null(rec);
		assert_int_equal(size, sizeof(*rec));	/* shorter than any call */
		xpt_thread_lanes__next(lanes);
		assert_int_equal(take(), 300 + i);
		assert_int_equal(take(), 0);
		xpt_thread_lanes__store(lanes);
		assert_int_equal(l->tail, l->head);
	}
	/* A position that no writer of ours can have reached. */
	lane(2)->head = 1ull << 60;
	xpt_thread_lanes__look(lanes);
	assert_int_equal(take(), 0);
}

static void test_no_map(void **state)
{
	struct xpt_thread_lanes *none = NULL;

	(void)state;
	assert_int_equal(xpt_thread_lanes__new(-1, LANES, BYTES, &none), -EBADF);
	assert_null(none);
}

int main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_order), T(test_one_time), T(test_round_and_round), T(test_garbage), T(test_no_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
