/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings that are not as they should be, through everything behind the
 * reader: all analyzers and all sinks. A file cut anywhere gives the lines of
 * its whole blocks; records out of order, twice, missing, with foreign ids and
 * with times that step back end like any trace; identities that never come
 * again do not take more memory than the tables may.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>
#include "pipeline/pipeline.h"
#include "pipeline/recording/recording.h"
#include "wire_records.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define MIB (1024 * 1024)

static uint64_t rng = 0x2545f4914f6cdd1d;

static uint64_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* Every analyzer and every sink, or only that one; what they write goes to `to`. */
static struct xpt_pipeline *new_pipeline(FILE *to, const char *only)
{
	struct xpt_sink_cfg cfg = { .file = to, .path = "bad", .columns = 80 };
	struct xpt_pipeline *p = NULL;
	size_t i;

	assert_int_equal(xpt_pipeline__new(&p), 0);
	for (i = 0; i < xpt_nr_analyzers; i++)
		assert_int_equal(xpt_pipeline__add_analyzer(p, xpt_analyzers[i]), 0);
	for (i = 0; i < xpt_nr_sinks; i++)
		if (!only || !strcmp(xpt_sinks[i]->name, only))
			assert_int_equal(xpt_pipeline__add_sink(p, xpt_sinks[i], "bad", &cfg),
					 0);
	return p;
}

static void end_pipeline(struct xpt_pipeline *p)
{
	assert_int_equal(xpt_pipeline__finish(p), 0);
	xpt_pipeline__free(p);
}

/* The records of a recording in the source tree. */
static void load(struct wstream *s, const char *path)
{
	struct xpt_rec_reader *r = NULL;
	const struct xpt_rec *rec;
	const void *p;
	size_t size;

	assert_int_equal(xpt_rec_reader__open(path, NULL, &r), 0);
	while (xpt_rec_reader__next(r, &p, &size) == 1) {
		rec = p;
		memcpy(w_add(s, rec->kind, rec->fn, size), p, size);
	}
	xpt_rec_reader__close(r);
	assert_true(s->len > 0);
}

/* --- cut anywhere -------------------------------------------------------------- */

/* What JSON lines say about the first len bytes of the file; how it ended. */
static char *lines_of(int fd, const char *data, size_t len, int *ret_err, uint64_t *ret_at)
{
	struct xpt_rec_reader *r = NULL;
	struct xpt_pipeline *p = NULL;
	struct xpt_sink_cfg cfg = { .columns = 80 };
	size_t size, text_len = 0;
	const void *rec;
	char *text = NULL;

	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, data, len, 0), (ssize_t)len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	*ret_at = 0;
	*ret_err = xpt_rec_reader__open_fd(fd, NULL, &r);
	cfg.file = open_memstream(&text, &text_len);
	assert_non_null(cfg.file);
	assert_int_equal(xpt_pipeline__new(&p), 0);
	assert_int_equal(xpt_pipeline__add_sink(p, xpt_sink__find("jsonl"), "lines", &cfg), 0);
	while (!*ret_err && (*ret_err = xpt_rec_reader__next(r, &rec, &size)) > 0) {
		*ret_err = 0;
		xpt_pipeline__feed(p, rec, size);
	}
	if (r)
		*ret_at = xpt_rec_reader__offset(r);
	end_pipeline(p);
	xpt_rec_reader__close(r);
	fclose(cfg.file);
	return text;
}

/* Like the file at path, in blocks of a few records each. */
static char *small_blocks(const char *path, size_t *ret_len)
{
	int fd = memfd_create("blocks", MFD_CLOEXEC);
	struct xpt_rec_writer *w = NULL;
	const struct xpt_rec *rec;
	struct wstream s = { 0 };
	unsigned n = 0;
	size_t at;
	char *data;

	assert_true(fd >= 0);
	load(&s, path);
	assert_int_equal(xpt_rec_writer__new(fd, 0, &w), 0);
	for (at = 0; at < s.len; at += rec->size) {
		rec = (const void *)(s.buf + at);
		assert_int_equal(xpt_rec_writer__write(w, rec, rec->size), 0);
		if (++n % 8 == 0)
			assert_int_equal(xpt_rec_writer__flush(w), 0);
	}
	assert_int_equal(xpt_rec_writer__close(w), 0);
	*ret_len = (size_t)lseek(fd, 0, SEEK_END);
	data = malloc(*ret_len);
	assert_non_null(data);
	assert_int_equal(pread(fd, data, *ret_len, 0), (ssize_t)*ret_len);
	close(fd);
	w_free(&s);
	return data;
}

static size_t nr_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void test_cut_anywhere(void **state)
{
	size_t len, cut, n, last = 0, steps = 0;
	char *data = small_blocks("tests/replay/packed.xtr", &len), *all, *text;
	int fd = memfd_create("cut", MFD_CLOEXEC), err;
	uint64_t at;

	(void)state;
	all = lines_of(fd, data, len, &err, &at);
	assert_int_equal(err, 0);
	assert_int_equal(at, len);
	assert_true(nr_lines(all) > 100);
	for (cut = 0; cut < len; cut++) {
		text = lines_of(fd, data, cut, &err, &at);
		assert_int_equal(strncmp(all, text, strlen(text)), 0);
		n = nr_lines(text);
		assert_true(n >= last);
		assert_true(!*text || text[strlen(text) - 1] == '\n');
		assert_true(err == 0 ? at == cut : cut < 8 ? err == -EINVAL
						 : err == -ENODATA && at <= cut);
		steps += n > last;
		last = n;
		free(text);
	}
	assert_true(steps > 10);
	free(all);
	free(data);
	close(fd);
}

/* --- disorder ------------------------------------------------------------------- */

#define MAX_RECORDS 512

/* The records of s in a new order: some missing, some twice, some far away. */
static size_t shuffle(const struct wstream *s, const struct xpt_rec **list)
{
	const struct xpt_rec *rec, *other;
	size_t at, n = 0, i, k;

	for (at = 0; at < s->len && n + 2 < MAX_RECORDS; at += rec->size) {
		rec = (const void *)(s->buf + at);
		if (rnd() % 16 == 0)
			continue;
		list[n++] = rec;
		if (rnd() % 16 == 0)
			list[n++] = rec;
	}
	for (k = 0; k < n / 8; k++) {
		i = rnd() % n;
		at = rnd() % 4 ? (i + rnd() % 8) % n : rnd() % n;
		other = list[i];
		list[i] = list[at];
		list[at] = other;
	}
	return n;
}

/* Other ids, times that step back or far ahead, or any word changed. */
static void disturb(struct xpt_rec *rec)
{
	uint64_t *w = (uint64_t *)rec;
	size_t words = rec->size / 8;

	switch (rnd() % 24) {
	case 0:
		w[1] -= rnd() % 4000000000ull;	/* the time, in most kinds */
		break;
	case 1:
		w[1] += 1ull << rnd() % 62;
		break;
	case 2:
		if (words > 3)
			w[3] = rnd() % 3 + (rnd() % 3 << 32);	/* process and thread of a call */
		break;
	case 3:
		rec->fn = (uint32_t)rnd() % 16;
		break;
	case 4:
		if (words > 1)
			w[1 + rnd() % (words - 1)] = rnd() % 2 ? rnd() : UINT64_MAX - rnd() % 2;
		break;
	case 5:
		rec->kind = (uint16_t)(rnd() % (XPT_REC__MAX + 1));
		break;
	default:
		break;
	}
}

static void disorder(const struct wstream *s, FILE *to, bool disturbed)
{
	static union {
		struct xpt_rec rec;
		uint64_t words[XPT_REC_MAX / 8];
	} copy;
	const struct xpt_rec *list[MAX_RECORDS];
	struct xpt_pipeline *p = new_pipeline(to, NULL);
	size_t n = shuffle(s, list), i;

	for (i = 0; i < n; i++) {
		memcpy(&copy, list[i], list[i]->size);
		if (disturbed)
			disturb(&copy.rec);
		xpt_pipeline__feed(p, &copy, list[i]->size);
	}
	end_pipeline(p);
}

static void test_disorder(void **state)
{
	static const char *const paths[] = { "tests/replay/train.xtr", "tests/replay/error.xtr" };
	FILE *to = fopen("/dev/null", "w");
	struct wstream s = { 0 };
	unsigned i, round;

	(void)state;
	assert_non_null(to);
	for (i = 0; i < 2; i++) {
		w_clear(&s);
		load(&s, paths[i]);
		for (round = 0; round < 100; round++)
			disorder(&s, to, round % 2);
	}
	w_free(&s);
	fclose(to);
}

/* --- what never comes again ---------------------------------------------------- */

#define STEP_NS 1000

static void feed_all(struct xpt_pipeline *p, struct wstream *s)
{
	const struct xpt_rec *rec;
	size_t at;

	for (at = 0; at < s->len; at += rec->size) {
		rec = (const void *)(s->buf + at);
		xpt_pipeline__feed(p, rec, rec->size);
	}
	w_clear(s);
}

/* Another process, thread, address, stack, name and error each time. */
static void feed_new(struct xpt_pipeline *p, struct wstream *s, uint32_t i)
{
	char name[32], frame[48];
	const char *frames[] = { frame, "lib", "main", "lib" };
	uint64_t ts = 1000000000ull + (uint64_t)i * STEP_NS;
	struct xpt_rec_stack *stack;
	struct xpt_rec_call *c;

	snprintf(name, sizeof(name), "p%u", i);
	snprintf(frame, sizeof(frame), "f%u+0x1", i);
	w_task(s, XPT_TASK_FORK, i, i, ts, name);
	w_proc(s, i, ts, name, frame, name);
	stack = w_add_strings(s, XPT_REC_STACK, 0, sizeof(*stack), 4, frames);
	stack->tgid = i;
	stack->id = i;
	stack->nr = 2;
	c = w_add(s, XPT_REC_CALL, 1, sizeof(*c) + 3 * sizeof(c->val[0]));
	c->start_ns = ts;
	c->dur_ns = i % 777;
	c->tgid = c->tid = i;
	c->nr_vals = 2;
	c->valid = 3;
	c->flags = XPT_CALL_STACK | (i % 3 == 0 ? XPT_CALL_FAILED : 0);
	c->ret = i % 3 == 0 ? (int64_t)i : 0;
	c->val[0] = 0x7f0000000000 + (uint64_t)i * 4096;
	c->val[1] = 1 + i % 4096;
	c->val[2] = i;
	c = w_call(s, 2, i, i, ts + 10, 5);
	c->val[0] = (uint64_t)i << 20;
	c->rec.kind = i % 2 ? XPT_REC_INFLIGHT : XPT_REC_CALL;
	w_meta(s, name, frame);
	w_counter(s, 1, i, 1);
	w_errcount(s, 1, i, i, 1);
	feed_all(p, s);
}

static void test_memory_is_bounded(void **state)
{
	uint32_t i, nr = SANITIZED ? 20000 : 600000;
	FILE *to = fopen("/dev/null", "w");
	struct wstream s = { 0 };
	struct xpt_pipeline *p;
	struct rusage ru;

	(void)state;
	assert_non_null(to);
	p = new_pipeline(to, "summary");
	w_lib(&s, 1, "/usr/lib/libtest.so.1");
	w_fn(&s, 1, "tstAlloc", XPT_CLASS_ALLOC, 1);
	w_fn(&s, 2, "tstFree", XPT_CLASS_FREE, 1);
	for (i = 1; i <= nr; i++)
		feed_new(p, &s, i);
	assert_true(SANITIZED || xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED) > 0);
	end_pipeline(p);
	w_free(&s);
	fclose(to);
	assert_int_equal(getrusage(RUSAGE_SELF, &ru), 0);
	/* 287 MiB measured; distributions of the rows that are kept are the largest part of it. */
	if (!SANITIZED && ru.ru_maxrss * 1024 > 320l * MIB)
		fail_msg("%ld MiB", ru.ru_maxrss / 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_disorder),
		cmocka_unit_test(test_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
