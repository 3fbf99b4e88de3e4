/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/pipeline.h: what every record kind becomes, which records are
 * refused, where time and losses come from.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "event_log.h"

#define SEC 1000000000ull

/* --- what becomes of records --------------------------------------------------- */

static void test_every_kind(void **state)
{
	(void)state;
	w_sample(&s);
	feed();
	assert_int_equal(xpt_pipeline__finish(p), 0);
	expect("BEGIN +1699999990000000000 @10000000000\n"
	       "META host=example @10000000000\n"
	       "LIB /usr/lib/libtest.so.1 b01dface 2 @10000000000\n"
	       "PROC 100<0 'train' '/usr/bin/train' 'train --fast' @10000000000\n"
	       "CALL #1 tstAlloc_v2 100/101 worker 10000000200+300 ret=0 TEST_OK"
	       " dptr=139637976727552 bytesize=4096 @10000000500\n"
	       "CALL #2 tstFree_v2 100/100 train 10000000700+100 ret=2 TEST_NO_MEMORY failed"
	       " dptr=139637976727552 bytesize=4096 @10000000800\n"
	       "PROC 200<100 'train' '/usr/bin/train' 'train --fast' @10000000900\n"
	       "EXEC 200<100 'sh' '' '' @10000000950\n"
	       "TICK @11000000000\n"
	       "EXIT 200 status=256 cut=0 @11000001000\n"
	       "TICK @16000000000\n"
	       "INFLIGHT #3 tstFree_v2 100/100 train 11000002000+5000000000 ret=0 -"
	       " bytesize=4096 @16000002000\n"
	       "MODE tstAlloc_v2 0>1 12000 @16000000000\n"
	       "COUNTER tstAlloc_v2 100 1 @16000002000\n"
	       "ERRCOUNT tstFree_v2 100 2 TEST_NO_MEMORY failed x1 @16000002000\n"
	       "LOSS 0 7 @16000003000\n"
	       "FNCOST tstAlloc_v2 1500 @16000003000\n"
	       "COST 2 @16000003000\n"
	       "LOSS 0 7 @16000004000\n"
	       "END 10000000000..16000004000 0 0 @16000004000\n");
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_RING_FULL), 7);
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), 0);
	assert_int_equal(xpt_pipeline__realtime_offset_ns(p), 1699999990 * (int64_t)SEC);
	assert_int_equal(xpt_pipeline__finish(p), -EINVAL);
}

static void test_nothing(void **state)
{
	(void)state;
	assert_int_equal(xpt_pipeline__finish(p), 0);
	expect("BEGIN +0 @0\nEND 0..0 -1 1 cut @0\n");
	xpt_pipeline__free(NULL);
}

static void test_no_end(void **state)
{
	(void)state;
	w_fn(&s, 1, "f", XPT_CLASS_OTHER, 9);
	w_call(&s, 1, 5, 5, 3 * SEC, 10)->nr_vals = 0;
	feed();
	assert_int_equal(xpt_pipeline__finish(p), 0);
	expect("BEGIN +0 @3000000010\nPROC 5<0 '' '' '' @3000000010\n"
	       "CALL #1 f 5/5  3000000000+10 ret=0 TEST_OK @3000000010\n"
	       "END 3000000010..3000000010 -1 1 cut @3000000010\n");
}

static void test_results(void **state)
{
	struct xpt_rec_call *c;

	(void)state;
	w_fn(&s, 1, "status", XPT_CLASS_OTHER, 1);
	w_fn(&s, 2, "number", XPT_CLASS_OTHER, 1)->spec.ret = XPT_RET_NEGATIVE;
	feed();
	c = w_call(&s, 1, 5, 5, SEC, 0);
	c->ret = 600;	/* the kernel knows only "not 0" */
	c->flags = XPT_CALL_FAILED;
	c->nr_vals = 0;
	c = w_call(&s, 1, 5, 5, SEC, 0);
	c->ret = 77;
	c->flags = XPT_CALL_FAILED;
	c->valid = 2;
	c = w_call(&s, 2, 5, 5, SEC, 0);
	c->ret = -2;
	c->flags = XPT_CALL_FAILED;
	c->valid = 0xfffc;	/* bits beyond the values mean nothing */
	w_errcount(&s, 1, 5, 600, 3);
	w_errcount(&s, 2, 0, -2, 4);
	expect("BEGIN +0 @1000000000\nPROC 5<0 '' '' '' @1000000000\n"
	       "CALL #1 status 5/5  1000000000+0 ret=600 TEST_NOT_READY @1000000000\n"
	       "CALL #2 status 5/5  1000000000+0 ret=77 - failed bytesize=4096 @1000000000\n"
	       "CALL #3 number 5/5  1000000000+0 ret=-2 - failed @1000000000\n"
	       "ERRCOUNT status 5 600 TEST_NOT_READY x3 @1000000000\n"
	       "ERRCOUNT number -1 -2 - failed x4 @1000000000\n");
}

static void test_ids(void **state)
{
	(void)state;
	w_fn(&s, 1, "f", XPT_CLASS_OTHER, 1);
	w_fn(&s, 1, "f", XPT_CLASS_OTHER, 1);	/* the same again */
	feed();
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), 0);
	w_fn(&s, 1, "g", XPT_CLASS_OTHER, 1);
	w_fn(&s, XPT_MAX_FNS, "g", XPT_CLASS_OTHER, 1);
	w_call(&s, 2, 5, 5, SEC, 0);
	w_call(&s, 0xffffffff, 5, 5, SEC, 0);
	w_counter(&s, 2, 5, 1);
	w_errcount(&s, 0xffffffff, 5, 1, 1);
	expect("");
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), 6);
	/* A process that only the totals know, and one that nobody knows. */
	w_counter(&s, 1, 6, 1);
	w_counter(&s, 1, 0, 2);
	expect("BEGIN +0 @0\nPROC 6<0 '' '' '' @0\nCOUNTER f 6 1 @0\nCOUNTER f -1 2 @0\n");
}

static void lib_of_fn(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	(void)out;
	if (ev->kind == XPT_EV_CALL)
		*(const struct xpt_lib **)st = ev->u.call.fn->lib;
	if (ev->kind == XPT_EV_END)
		xpt_strbuf__add(&event_log, *(const struct xpt_lib **)st ?
				(*(const struct xpt_lib **)st)->path : "none");
}

static void test_lib_after_fn(void **state)
{
	const struct xpt_analyzer a = { .name = "lib", .emits = no_schemas,
					.state_size = sizeof(void *), .event = lib_of_fn };

	(void)state;
	assert_int_equal(xpt_pipeline__add_analyzer(p, &a), 0);
	w_fn(&s, 1, "f", XPT_CLASS_OTHER, 7);
	w_lib(&s, 7, "/lib/late.so");
	w_call(&s, 1, 5, 5, SEC, 0);
	feed();
	xpt_strbuf__reset(&event_log);
	xpt_pipeline__finish(p);
	assert_non_null(strstr(xpt_strbuf__str(&event_log), "/lib/late.so"));
}

/* --- malformed ------------------------------------------------------------------ */

static void must_reject(const void *rec, size_t size, const char *what)
{
	uint64_t before = xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED);

	xpt_pipeline__feed(p, rec, size);
	if (xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED) != before + 1)
		fail_msg("kind %u accepted: %s", ((const struct xpt_rec *)rec)->kind, what);
	assert_int_equal(event_log.len, 0);
}

/* Every kind with a size that is not its own. */
/* Paths of libraries are any number, and as long as somebody likes: they take no room from names of functions. */
static void test_many_paths(void **state)
{
	static char path[4096];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	for (uint32_t i = 0; i < 6000; i++) {
		snprintf(path, 8, "%06u", i);
		path[6] = '/';
		w_lib(&s, i + 1, path);
	}
	w_bare_fn(&s, 1, "late");
	w_call(&s, 1, 7, 7, SEC, 5)->nr_vals = 0;
	feed();
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), 0);
	assert_non_null(last_proc);	/* the call's */
	assert_int_equal(last_proc->pid, 7);
}

static void test_bad_sizes(void **state)
{
	const struct xpt_rec *good;
	struct wstream one = { 0 };
	struct xpt_rec *rec;
	size_t at, size;

	(void)state;
	w_sample(&s);
	w_free(&one);
	for (at = 0; at < s.len; at += good->size) {
		good = (const void *)(s.buf + at);
		rec = w_add(&one, 0, 0, good->size);
		memcpy(rec, good, good->size);
		for (size = 0; size < good->size; size++)
			must_reject(rec, size, "fewer bytes than it says");
		for (size = 0; size < 8; size++) {
			rec->size = (__u16)size;
			must_reject(rec, good->size, "smaller than a header");
		}
		rec->size = good->size + 8;
		must_reject(rec, good->size, "larger than its bytes");
		rec->size = good->size - 4;
		must_reject(rec, good->size, "not a multiple of 8");
		if (good->kind != XPT_REC_META) {
			rec->size = 8;
			must_reject(rec, good->size, "only a header");
		}
		rec->size = good->size;
		rec->kind = 0;
		must_reject(rec, rec->size, "kind 0");
		rec->kind = XPT_REC__MAX;
		must_reject(rec, rec->size, "a kind of the future");
		w_clear(&one);
	}
	w_clear(&s);
	w_free(&one);
}

/* Strings that do not end inside the record: no byte behind it may be read. */
static void test_bad_strings(void **state)
{
	static const __u16 kinds[] = { XPT_REC_FN, XPT_REC_PROC, XPT_REC_LIB, XPT_REC_META };
	static const size_t fixed[] = { sizeof(struct xpt_rec_fn), sizeof(struct xpt_rec_proc),
					sizeof(struct xpt_rec_lib), sizeof(struct xpt_rec_meta) };
	static const unsigned strings[] = { 5, 3, 2, 2 };
	unsigned i, n;
	char *rec;

	(void)state;
	for (i = 0; i < 4; i++) {
		for (n = 0; n < strings[i]; n++) {
			w_fn(&s, 1, "f", XPT_CLASS_OTHER, 1);
			rec = s.buf;
			memset(rec + fixed[i], 'x', 24);
			((struct xpt_rec *)rec)->kind = kinds[i];
			((struct xpt_rec *)rec)->size = (__u16)(fixed[i] + 24);
			/* One string too few ends. */
			memset(rec + fixed[i] + 1, 0, n);
			must_reject(rec, fixed[i] + 24, "strings do not end");
			must_reject(rec, fixed[i], "no strings");
			w_clear(&s);
		}
	}
	w_fn(&s, 1, "", XPT_CLASS_OTHER, 1);
	must_reject(s.buf, s.len, "no name");
	w_clear(&s);
	w_meta(&s, "", "value");
	must_reject(s.buf, s.len, "no key");
	w_clear(&s);
}

static void test_bad_fn(void **state)
{
	static const struct { size_t offset; __u8 bad; } cases[] = {
		{ offsetof(struct xpt_rec_fn, layer), XPT_LAYER__MAX },
		{ offsetof(struct xpt_rec_fn, spec.cls), XPT_CLASS__MAX },
		{ offsetof(struct xpt_rec_fn, spec.ret), XPT_RET__MAX },
		{ offsetof(struct xpt_rec_fn, spec.kind), XPT_KIND__MAX },
		{ offsetof(struct xpt_rec_fn, spec.nr_caps), XPT_MAX_VALS + 1 },
		{ offsetof(struct xpt_rec_fn, spec.nr_caps), 6 },	/* no names */
		{ offsetof(struct xpt_rec_fn, spec.size_cap), 2 },
		{ offsetof(struct xpt_rec_fn, spec.dir_cap), 0xfe },
		{ offsetof(struct xpt_rec_fn, spec.cap[1].op), XPT_CAP_NONE },
		{ offsetof(struct xpt_rec_fn, spec.cap[1].op), XPT_CAP__MAX },
		{ offsetof(struct xpt_rec_fn, spec.cap[0].role), XPT_ROLE__MAX },
		{ offsetof(struct xpt_rec_fn, spec.cap[0].role), 0xff },
		{ offsetof(struct xpt_rec_fn, spec.cap[0].width), 0 },
		{ offsetof(struct xpt_rec_fn, spec.cap[0].width), 3 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		w_fn(&s, 1, "f", XPT_CLASS_OTHER, 1);
		s.buf[cases[i].offset] = (char)cases[i].bad;
		must_reject(s.buf, s.len, "function out of range");
		w_clear(&s);
	}
}

static void test_bad_values(void **state)
{
	struct xpt_rec_call *c;

	(void)state;
	w_fn(&s, 1, "f", XPT_CLASS_OTHER, 1);
	feed();
	c = w_call(&s, 1, 5, 5, SEC, 1);
	c->nr_vals = 3;
	must_reject(s.buf, s.len, "more values than bytes");
	c->rec.size = 48;
	c->nr_vals = 2;
	must_reject(s.buf, s.len, "values outside");
	w_clear(&s);
	c = w_add(&s, XPT_REC_CALL, 1, sizeof(*c) + 13 * 8);
	c->nr_vals = 3;
	must_reject(s.buf, s.len, "more values than the function has");
	c->nr_vals = 13;
	must_reject(s.buf, s.len, "more values than any function has");
	w_clear(&s);
	w_call(&s, 1, 5, 5, UINT64_MAX, 1);
	must_reject(s.buf, s.len, "ends before it starts");
	w_clear(&s);
	w_task(&s, XPT_TASK_THREAD_EXIT + 1, 5, 5, SEC, "x");
	must_reject(s.buf, s.len, "task");
	((struct xpt_rec_task *)s.buf)->event = 0;
	must_reject(s.buf, s.len, "task");
	w_clear(&s);
	memset(w_task(&s, XPT_TASK_THREAD, 5, 5, SEC, "x")->comm, 'x', XPT_COMM_LEN);
	must_reject(s.buf, s.len, "name does not end");
	w_clear(&s);
	w_loss(&s, SEC, XPT_LOSS__MAX, 1);
	must_reject(s.buf, s.len, "loss");
	w_clear(&s);
	w_counter(&s, 1, 5, 1)->key.sub = 6;
	must_reject(s.buf, s.len, "direction");
	w_clear(&s);
	w_end(&s, 2, 1);
	must_reject(s.buf, s.len, "end before start");
	w_clear(&s);
}

static void test_after_end(void **state)
{
	(void)state;
	w_end(&s, SEC, 2 * SEC);
	feed();
	xpt_strbuf__reset(&event_log);
	w_meta(&s, "late", "x");
	must_reject(s.buf, s.len, "behind the end");
	w_clear(&s);
	w_end(&s, SEC, 3 * SEC);
	must_reject(s.buf, s.len, "a second end");
	w_clear(&s);
	assert_int_equal(xpt_pipeline__finish(p), 0);
	w_meta(&s, "later", "x");
	expect("LOSS 12 2 @2000000000\nEND 1000000000..2000000000 0 0 @2000000000\n");
}

/* --- time and losses ---------------------------------------------------------------- */

static void test_ticks(void **state)
{
	(void)state;
	w_clock(&s, SEC / 2, 0);
	w_clock(&s, SEC, 55);			/* only the first one says what the clock is */
	w_clock(&s, 3 * SEC / 2 - 1, 0);
	w_clock(&s, 3 * SEC / 2, 0);
	w_clock(&s, SEC, 0);			/* back: nothing */
	w_clock(&s, 3600 * SEC, 0);		/* an hour later: one */
	w_clock(&s, 3600 * SEC + SEC / 2, 0);
	w_clock(&s, UINT64_MAX - 1, 0);		/* hostile */
	w_clock(&s, UINT64_MAX, 0);
	w_clock(&s, UINT64_MAX, 0);
	expect("BEGIN +-500000000 @500000000\nTICK @1500000000\nTICK @3599500000000\n"
	       "TICK @3600500000000\nTICK @18446744073500000000\nTICK @18446744073709551615\n");
}

/* A live stream in which nothing comes any more: sinks write what they have all the same. */
static void test_time_alone(void **state)
{
	(void)state;
	xpt_pipeline__time(p, 9 * SEC);		/* nothing has begun */
	w_clock(&s, SEC, 0);
	feed();
	xpt_pipeline__time(p, 2 * SEC - 1);
	xpt_pipeline__time(p, 2 * SEC);
	xpt_pipeline__time(p, 2 * SEC);
	xpt_pipeline__time(p, 5 * SEC + 1);
	xpt_pipeline__time(p, SEC);
	w_clear(&s);
	w_clock(&s, 6 * SEC + 2, 0);
	expect("BEGIN +-1000000000 @1000000000\nTICK @2000000000\nTICK @5000000000\nTICK @6000000000\n");
	assert_int_equal(xpt_pipeline__finish(p), 0);
	xpt_strbuf__reset(&event_log);
	xpt_pipeline__time(p, 99 * SEC);	/* it is over */
	assert_string_equal(xpt_strbuf__str(&event_log), "");
}

static void test_losses(void **state)
{
	(void)state;
	w_loss(&s, SEC, XPT_LOSS_RING_FULL, 3);
	w_loss(&s, SEC, XPT_LOSS_RING_FULL, 3);		/* no news */
	w_loss(&s, SEC, XPT_LOSS_RING_FULL, 2);		/* out of order */
	w_loss(&s, SEC, XPT_LOSS_WATCH_LOST, 0);
	w_loss(&s, SEC, XPT_LOSS_RING_FULL, UINT64_MAX);
	w_loss(&s, SEC, XPT_LOSS_DECODE_REJECTED, UINT64_MAX);
	w_call(&s, 99, 1, 1, SEC, 0);
	expect("BEGIN +0 @1000000000\nLOSS 0 3 @1000000000\n"
	       "LOSS 0 18446744073709551615 @1000000000\n"
	       "LOSS 12 18446744073709551615 @1000000000\n");
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), UINT64_MAX);
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS__MAX), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_every_kind), T(test_nothing), T(test_no_end), T(test_results),
		T(test_ids), T(test_lib_after_fn), T(test_many_paths), T(test_bad_sizes), T(test_bad_strings),
		T(test_bad_fn), T(test_bad_values), T(test_after_end), T(test_ticks),
		T(test_time_alone), T(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
