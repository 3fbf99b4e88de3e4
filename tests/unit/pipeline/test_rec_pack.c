/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/recording/rec_pack.h: whatever words a record has, they come back as they
 * were; calls of the usual kind get small; a block with bytes changed or missing
 * is refused or yields exactly its length, and nothing behind it is touched.
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
#include "pipeline/recording/rec_pack.h"
#include "wire_records.h"

static uint64_t rng = 0x2545f4914f6cdd1d;

static uint64_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* Numbers as they occur, and the ends of ranges: 0, small, an address, anything. */
static uint64_t any_word(void)
{
	switch (rnd() % 6) {
	case 0:
		return 0;
	case 1:
		return rnd() % 300;
	case 2:
		return 0x7f0000000000 + rnd() % 4096 * 256;
	case 3:
		return UINT64_MAX - rnd() % 3;
	case 4:
		return 1ull << rnd() % 64;
	default:
		return rnd();
	}
}

/* A record of any kind and size; with few functions and threads, or very many. */
static void add_any(struct wstream *s, bool many)
{
	static const size_t sizes[] = { 8, 40, 48, 56, 144, 152, 160, 168, 1024 };
	unsigned kind = rnd() % 4 ? XPT_REC_CALL + rnd() % 2 : rnd() % 20;
	size_t size = sizes[rnd() % 9], i;
	uint64_t *w = w_add(s, kind, (uint32_t)(many ? rnd() % 5000 : rnd() % 3), size);

	for (i = 1; i < size / 8; i++)
		w[i] = any_word();
	if (size > 24 && rnd() % 2)
		w[3] = many ? rnd() % 3000 << 32 | 7 : 7 + rnd() % 3;
}

static uint8_t *pack(struct xpt_pack *p, const struct wstream *s, size_t *ret_n)
{
	const struct xpt_rec *rec;
	size_t at, n = 0, got;
	uint8_t *out = malloc(s->len * 2 + 1024);

	assert_non_null(out);
	xpt_pack__reset(p);
	for (at = 0; at < s->len; at += rec->size) {
		rec = (const void *)(s->buf + at);
		got = xpt_pack__add(p, rec, rec->size, out + n);
		assert_true(got > 0 && got <= xpt_pack__bound(rec->size));
		n += got;
	}
	*ret_n = n;
	return out;
}

static void assert_same(struct xpt_pack *p, const struct wstream *s, const uint8_t *in, size_t n)
{
	char *back = malloc(s->len);

	assert_non_null(back);
	assert_int_equal(xpt_pack__read(p, in, n, back, s->len), 0);
	assert_memory_equal(back, s->buf, s->len);
	free(back);
}

static struct xpt_pack *new_pack(void)
{
	struct xpt_pack *p = NULL;

	assert_int_equal(xpt_pack__new(&p), 0);
	return p;
}

static void test_any_records(void **state)
{
	/* The same state for both ways, again and again: no block sees the one before. */
	struct xpt_pack *p = new_pack();
	struct wstream s = { 0 };
	unsigned round, i;
	uint8_t *in;
	size_t n;

	(void)state;
	for (round = 0; round < 300; round++) {
		w_clear(&s);
		for (i = 0; i <= round; i++)
			add_any(&s, round & 1);
		in = pack(p, &s, &n);
		assert_same(p, &s, in, n);
		free(in);
	}
	/* More functions and threads than there are slots, each seen again. */
	w_clear(&s);
	for (i = 0; i < 3000; i++)
		w_call(&s, i % 700, 1 + i % 900, 1, rnd() % 1000, rnd() % 1000);
	in = pack(p, &s, &n);
	assert_same(p, &s, in, n);
	free(in);
	w_free(&s);
	xpt_pack__free(p);
}

static void test_every_kind(void **state)
{
	struct xpt_pack *p = new_pack();
	struct wstream s = { 0 };
	uint8_t *in;
	size_t n;

	(void)state;
	w_sample(&s);
	w_add(&s, XPT_REC_META, 0, XPT_REC_MAX);
	memset(w_add(&s, XPT_REC_META, 0, XPT_REC_MAX), 0xff, XPT_REC_MAX);
	((struct xpt_rec *)(s.buf + s.len - XPT_REC_MAX))->size = XPT_REC_MAX;
	in = pack(p, &s, &n);
	assert_same(p, &s, in, n);
	free(in);
	w_free(&s);
	xpt_pack__free(p);
	xpt_pack__free(NULL);
}

/* Allocations and frees of four threads: 64 bytes each, and few are new. */
static void test_usual_calls_get_small(void **state)
{
	struct xpt_pack *p = new_pack();
	struct wstream s = { 0 };
	struct xpt_rec_call *r;
	uint64_t ts = 1000000000;
	uint8_t *in;
	unsigned i;
	size_t n;

	(void)state;
	for (i = 0; i < 4000; i++) {
		r = w_call(&s, 1 + i % 2, 100, 100 + i / 8 % 4, ts += rnd() % 4000, rnd() % 9000);
		r->val[0] += rnd() % 512 * 512;
		r->val[1] = 4096 << rnd() % 4;
	}
	in = pack(p, &s, &n);
	assert_same(p, &s, in, n);
	assert_true(n < 4000 * 14);
	free(in);
	w_free(&s);
	xpt_pack__free(p);
}

/* Reads a changed block: refused, or as long as it should be; never beyond. */
static void read_bad(struct xpt_pack *p, const uint8_t *in, size_t n, size_t len)
{
	uint8_t *copy = malloc(n ? n : 1);	/* its end is seen by the sanitizer */
	char *back = malloc(len);
	int err;

	assert_non_null(copy);
	assert_non_null(back);
	memcpy(copy, in, n);
	err = xpt_pack__read(p, copy, n, back, len);
	assert_true(err == 0 || err == -EBADMSG);
	free(copy);
	free(back);
}

static void test_bad_blocks(void **state)
{
	struct xpt_pack *p = new_pack();
	struct wstream s = { 0 };
	unsigned i, bit;
	size_t n, cut;
	uint8_t *in;
	char *back;

	(void)state;
	for (i = 0; i < 12; i++)
		add_any(&s, false);
	w_sample(&s);
	in = pack(p, &s, &n);
	back = malloc(s.len + 8);
	assert_non_null(back);
	for (cut = 0; cut < n; cut++)
		assert_int_equal(xpt_pack__read(p, in, cut, back, s.len), -EBADMSG);
	assert_int_equal(xpt_pack__read(p, in, n, back, s.len - 8), -EBADMSG);
	assert_int_equal(xpt_pack__read(p, in, n, back, s.len + 8), -EBADMSG);
	free(back);
	for (cut = 0; cut < n; cut++) {
		for (bit = 0; bit < 8; bit++) {
			in[cut] ^= (uint8_t)(1u << bit);
			read_bad(p, in, n, s.len);
			in[cut] ^= (uint8_t)(1u << bit);
		}
	}
	assert_same(p, &s, in, n);
	free(in);
	w_free(&s);
	xpt_pack__free(p);
}

static void test_noise(void **state)
{
	struct xpt_pack *p = new_pack();
	uint8_t in[200];
	unsigned i;
	size_t k;

	(void)state;
	for (i = 0; i < 20000; i++) {
		for (k = 0; k < sizeof(in); k++)
			in[k] = (uint8_t)(rnd() % 2 ? rnd() : rnd() % 16);
		read_bad(p, in, rnd() % sizeof(in), 8 + rnd() % 64 * 8);
	}
	xpt_pack__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_records),
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_usual_calls_get_small),
		cmocka_unit_test(test_bad_blocks),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
