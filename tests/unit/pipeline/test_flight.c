/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/recording/flight.h: what is kept comes back in the order in which it came; what is dropped for its age or
 * for lack of memory leaves what a reader needs of processes that run; one owner's flood drops nothing of another's;
 * memory is bounded whatever comes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "pipeline/recording/flight.h"
#include "wire_records.h"

#define SECOND 1000000000ull
#define KEEP (60 * SECOND)
#define MEMORY (1u << 20)
#define FLOODER 7	/* processes of this owner and of others, see owner_of() */
#define VICTIM 1008

static uint64_t owner_of(void *ctx, uint32_t tgid)
{
	(void)ctx;
	return tgid % 1000 == 7 ? 7 : tgid;
}

static struct xpt_flight *new_flight(void)
{
	const struct xpt_flight_cfg cfg = { MEMORY, KEEP, owner_of, NULL };
	struct xpt_flight *f;

	assert_int_equal(xpt_flight__new(&cfg, &f), 0);
	xpt_flight__step(f, SECOND);
	return f;
}

static void take_all(struct xpt_flight *f, const struct wstream *s)
{
	for (size_t at = 0; at < s->len; at += ((const struct xpt_rec *)(s->buf + at))->size)
		xpt_flight__take(f, s->buf + at, ((const struct xpt_rec *)(s->buf + at))->size);
}

/* Takes a stream that has one record, and empties it. */
static void take_one(struct xpt_flight *f, struct wstream *s)
{
	take_all(f, s);
	w_clear(s);
}

static int append(void *ctx, const void *rec, size_t size)
{
	memcpy(w_add(ctx, 0, 0, size), rec, size);
	return 0;
}

static struct wstream written(const struct xpt_flight *f)
{
	struct wstream s = { 0 };

	assert_int_equal(xpt_flight__write(f, append, &s), 0);
	return s;
}

static const struct xpt_rec *next(const struct wstream *s, size_t *at)
{
	const struct xpt_rec *rec;

	if (*at == s->len)
		return NULL;
	rec = (const void *)(s->buf + *at);
	*at += rec->size;
	return rec;
}

/* How many records of a kind were written, of a process if tgid is not 0 (CALL, TASK, PROC). */
static unsigned count(const struct wstream *s, unsigned kind, uint32_t tgid)
{
	const struct xpt_rec *rec;
	unsigned n = 0;
	uint32_t of;

	for (size_t at = 0; (rec = next(s, &at)); ) {
		of = kind == XPT_REC_CALL ? ((const struct xpt_rec_call *)rec)->tgid :
		     kind == XPT_REC_TASK ? ((const struct xpt_rec_task *)rec)->tgid :
		     kind == XPT_REC_PROC ? ((const struct xpt_rec_proc *)rec)->tgid : 0;
		n += rec->kind == kind && (!tgid || of == tgid);
	}
	return n;
}

static void take_call(struct xpt_flight *f, uint32_t fn, uint32_t tgid, uint64_t start_ns)
{
	struct wstream s = { 0 };

	w_call(&s, fn, tgid, tgid, start_ns, 1000);
	take_one(f, &s);
	w_free(&s);
}

static uint64_t bytes(const struct xpt_flight *f)
{
	struct xpt_flight_stats st;

	xpt_flight__stats(f, &st);
	return st.bytes;
}

static uint64_t early(const struct xpt_flight *f)
{
	struct xpt_flight_stats st;

	xpt_flight__stats(f, &st);
	return st.nr_early;
}

static void test_order(void **state)
{
	struct xpt_flight *f = new_flight();
	struct wstream out, s = { 0 };
	const struct xpt_rec *rec;
	uint64_t expected = 0;
	size_t at = 0;

	(void)state;
	w_fn(&s, 1, "f", XPT_CLASS_ALLOC, 1);
	w_lib(&s, 1, "/lib/x");
	take_one(f, &s);
	for (uint64_t i = 0; i < 3000; i++)
		take_call(f, 1, (uint32_t)(100 + i * i % 90), i);
	out = written(f);
	assert_int_equal(next(&out, &at)->kind, XPT_REC_FN);
	assert_int_equal(next(&out, &at)->kind, XPT_REC_LIB);
	while ((rec = next(&out, &at))) {
		assert_int_equal(rec->kind, XPT_REC_CALL);
		assert_int_equal(((const struct xpt_rec_call *)rec)->start_ns, expected);
		assert_int_equal(((const struct xpt_rec_call *)rec)->tgid, 100 + expected * expected % 90);
		expected++;
	}
	assert_int_equal(expected, 3000);
	assert_int_equal(early(f), 0);
	w_free(&out);
	w_free(&s);
	xpt_flight__free(f);
}

/* Names of kernels are learned from calls: these stay as long as their process. */
static void describe_process(struct wstream *s, uint32_t tgid)
{
	w_task(s, XPT_TASK_FORK, tgid, tgid, SECOND, "parent");
	w_task(s, XPT_TASK_EXEC, tgid, tgid, SECOND, "program");
	w_proc(s, tgid, SECOND, "program", "/bin/program", "program -x");
	w_task(s, XPT_TASK_THREAD, tgid, tgid, SECOND, "program");
	w_task(s, XPT_TASK_THREAD, tgid, tgid + 1, SECOND, "worker");
	w_call(s, 2, tgid, tgid, SECOND, 5);
	w_call(s, 1, tgid, tgid, SECOND, 5);
}

static void test_facts_stay(void **state)
{
	struct xpt_flight *f = new_flight();
	struct wstream out, s = { 0 };

	(void)state;
	w_fn(&s, 1, "f", XPT_CLASS_ALLOC, 1);
	w_fn(&s, 2, "unload", XPT_CLASS_UNLOAD, 1);
	describe_process(&s, 500);
	describe_process(&s, 600);
	w_task(&s, XPT_TASK_THREAD_EXIT, 500, 501, SECOND, "worker");
	w_task(&s, XPT_TASK_EXIT, 600, 600, SECOND, "program");
	take_one(f, &s);
	xpt_flight__step(f, SECOND + 30 * SECOND);
	take_call(f, 1, 500, 31 * SECOND);
	out = written(f);
	assert_int_equal(count(&out, XPT_REC_CALL, 0), 5);
	assert_int_equal(count(&out, XPT_REC_TASK, 600), 5);
	w_free(&out);
	xpt_flight__step(f, 2 * SECOND + KEEP);
	out = written(f);
	assert_int_equal(count(&out, XPT_REC_FN, 0), 2);
	assert_int_equal(count(&out, XPT_REC_CALL, 500), 2);	/* that which explains, and the new one */
	assert_int_equal(count(&out, XPT_REC_TASK, 500), 2);	/* EXEC, THREAD */
	assert_int_equal(count(&out, XPT_REC_PROC, 500), 1);
	assert_int_equal(count(&out, XPT_REC_TASK, 600) + count(&out, XPT_REC_PROC, 600) +
			 count(&out, XPT_REC_CALL, 600), 0);
	assert_int_equal(early(f), 0);
	w_free(&out);
	w_free(&s);
	xpt_flight__free(f);
}

static uint32_t owner_number = 5;

static uint64_t changing_owner(void *ctx, uint32_t tgid)
{
	(void)ctx, (void)tgid;
	return owner_number;
}

/* Nobody knows whose a process was when its end is told: the facts of it go all the same. */
static void test_end_of_an_unknown(void **state)
{
	const struct xpt_flight_cfg cfg = { MEMORY, KEEP, changing_owner, NULL };
	struct wstream out, s = { 0 };
	struct xpt_flight *f;

	(void)state;
	assert_int_equal(xpt_flight__new(&cfg, &f), 0);
	xpt_flight__step(f, SECOND);
	describe_process(&s, 500);
	take_one(f, &s);
	owner_number = 0;
	w_task(&s, XPT_TASK_EXIT, 500, 500, SECOND, "program");
	take_one(f, &s);
	owner_number = 5;
	xpt_flight__step(f, 10 * SECOND);
	take_call(f, 1, 600, SECOND);	/* keeps the owner's chunk for longer */
	xpt_flight__step(f, 5 * SECOND + KEEP);
	xpt_flight__step(f, 12 * SECOND + KEEP);
	out = written(f);
	assert_int_equal(count(&out, XPT_REC_TASK, 500) + count(&out, XPT_REC_PROC, 500), 0);
	assert_int_equal(bytes(f), 0);
	w_free(&out);
	w_free(&s);
	xpt_flight__free(f);
}

static void test_replaced(void **state)
{
	struct xpt_flight *f = new_flight();
	struct wstream out, s = { 0 };

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		w_add_strings(&s, XPT_REC_META, 0, sizeof(struct xpt_rec_meta), 2, (const char *[]){ "gpus", "1" });
		w_add_strings(&s, XPT_REC_META, 0, sizeof(struct xpt_rec_meta), 2, (const char *[]){ "origin", "1" });
		w_proc(&s, 500, SECOND, i ? "" : "program", "/bin/program", "program -x");
	}
	take_one(f, &s);
	xpt_flight__step(f, 2 * SECOND + KEEP);
	out = written(f);
	assert_int_equal(count(&out, XPT_REC_META, 0), 1);
	assert_int_equal(count(&out, XPT_REC_PROC, 500), 4);
	assert_string_equal(out.buf + ((const struct xpt_rec *)out.buf)->size + sizeof(struct xpt_rec_proc), "program");
	w_free(&out);
	w_free(&s);
	xpt_flight__free(f);
}

/* One owner makes as many calls as he can, in many processes: the other one's stay. */
static void test_flood(void **state)
{
	struct xpt_flight *f = new_flight();
	struct wstream out;

	(void)state;
	for (uint64_t i = 0; i < 400000; i++) {
		take_call(f, 1, FLOODER + 1000 * (uint32_t)(i % 300), i * 977 * i);
		if (i % 1000 == 0)
			take_call(f, 1, VICTIM, i);
		assert_true(bytes(f) <= MEMORY);
	}
	assert_true(early(f) > 0);
	out = written(f);
	assert_int_equal(count(&out, XPT_REC_CALL, VICTIM), 400);
	w_free(&out);
	xpt_flight__free(f);
}

static void take_xid(struct xpt_flight *f, uint32_t xid, uint32_t tgid)
{
	const struct xpt_rec_xid x = { .rec = { XPT_REC_XID, sizeof(x), 0 }, .ts_ns = xid, .xid = xid, .tgid = tgid };

	xpt_flight__take(f, &x, sizeof(x));
}

/* The driver's reports about the processes of one owner evict no reports of the machine's, nor those of others. */
static void test_xid_flood(void **state)
{
	struct xpt_flight *f = new_flight();
	const struct xpt_rec *rec;
	struct wstream out;
	unsigned n = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000000; i++) {
		take_xid(f, 2 + i * 2654435761u % 1000, FLOODER + 1000 * (i % 300));
		if (i % 10000 == 0)
			take_xid(f, 0, i % 20000 ? 0 : VICTIM);
		assert_true(bytes(f) <= MEMORY);
	}
	assert_true(early(f) > 0);
	out = written(f);
	for (size_t at = 0; (rec = next(&out, &at)); )
		n += rec->kind == XPT_REC_XID && !((const struct xpt_rec_xid *)rec)->xid;
	assert_int_equal(n, 100);
	w_free(&out);
	xpt_flight__free(f);
}

/* Processes and threads that never end, of one owner: facts are bounded, and those of another one stay. */
static void test_many_processes(void **state)
{
	struct xpt_flight *f = new_flight();
	struct wstream out, s = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		describe_process(&s, FLOODER + 1000 * i);
		if (i == 10000)
			describe_process(&s, VICTIM);
		take_one(f, &s);
		assert_true(bytes(f) <= MEMORY);
	}
	out = written(f);
	assert_int_equal(count(&out, XPT_REC_PROC, VICTIM), 1);
	w_free(&out);
	w_free(&s);
	xpt_flight__free(f);
}

/* More owners than there are streams; records that lie about their size. */
static void test_many_owners(void **state)
{
	struct xpt_flight *f = new_flight();
	struct wstream out, s = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		take_call(f, 1, (uint32_t)(10 + i % 200), i);
	w_call(&s, 1, 10, 10, 1, 1)->rec.size = 8;
	xpt_flight__take(f, s.buf, s.len);
	xpt_flight__take(f, s.buf, 4);
	out = written(f);
	assert_int_equal(count(&out, XPT_REC_CALL, 0) + early(f), 5000);
	w_free(&out);
	xpt_flight__step(f, 2 * SECOND + KEEP);
	assert_int_equal(bytes(f), 0);
	w_free(&s);
	xpt_flight__free(f);
}

static int stop(void *ctx, const void *rec, size_t size)
{
	(void)rec, (void)size;
	return ++*(int *)ctx == 3 ? -EIO : 0;
}

static void test_stops(void **state)
{
	struct xpt_flight *f = new_flight();
	int n = 0;

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		take_call(f, 1, 10, i);
	assert_int_equal(xpt_flight__write(f, stop, &n), -EIO);
	assert_int_equal(n, 3);
	xpt_flight__free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_facts_stay),
		cmocka_unit_test(test_end_of_an_unknown),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_many_processes),
		cmocka_unit_test(test_xid_flood),
		cmocka_unit_test(test_many_owners),
		cmocka_unit_test(test_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
