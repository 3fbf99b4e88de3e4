/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Block codec 1, see rec_pack.h and docs/format.md. A record is an array of
 * 64-bit words here, whatever they mean: all arithmetic wraps, so that also
 * records that make no sense come back as they were.
 */
#include "pipeline/recording/rec_pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "wire/wire.h"

/* First byte of an item. */
enum {
	HEAD_THREAD = 1 << 0,	/* a thread's slot follows; else the last call's thread */
	HEAD_NEW_THREAD = 1 << 1,	/* a thread without a slot follows */
	HEAD_LIKE = 1 << 2,	/* a model's slot follows; else the guessed one */
	HEAD_NEW_LIKE = 1 << 3,	/* a record header follows, for a model without a slot */
	HEAD_RET = 1 << 4,
	HEAD_META = 1 << 5,
	HEAD_VALS = 1 << 6,
	HEAD_OTHER = 1 << 7,	/* not packed as a call */
};

/* Words of a call record. */
enum { W_HEAD, W_START, W_DUR, W_THREAD, W_RET, W_META, W_VALS };

#define MAX_WORDS (W_VALS + XPT_MAX_WORDS)
#define SLOTS 256		/* of threads and of models; one byte has the index */
#define HINTS 1024
#define VARINT_MAX 10

struct xpt_pack {
	uint32_t nr_threads, nr_models;	/* ever made in this block */
	uint64_t thread, end_ns;	/* of the last call */
	uint8_t model;			/* of the last call */
	uint8_t next[SLOTS];		/* the model that came after this one, last time */
	uint8_t thread_hint[HINTS], model_hint[HINTS];	/* writer: where a key may be */
	uint64_t threads[SLOTS];
	uint64_t models[SLOTS][MAX_WORDS];	/* last call of each kind, words without a time */
};

_Static_assert(sizeof(struct xpt_rec_call) == W_VALS * 8, "words of a call");

int xpt_pack__new(struct xpt_pack **ret_p)
{
	struct xpt_pack *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	*ret_p = p;
	return 0;
}

void xpt_pack__free(struct xpt_pack *p)
{
	free(p);
}

/* Slots after nr_threads and nr_models are not looked at, so they may stay. */
void xpt_pack__reset(struct xpt_pack *p)
{
	p->nr_threads = p->nr_models = 0;
	p->thread = p->end_ns = 0;
	p->model = 0;
	memset(p->next, 0, sizeof(p->next));
}

static bool is_made(uint32_t nr, uint8_t slot)
{
	return slot < nr;
}

static uint8_t new_thread(struct xpt_pack *p, uint64_t thread)
{
	uint8_t slot = (uint8_t)(p->nr_threads++ % SLOTS);

	p->threads[slot] = thread;
	return slot;
}

static uint8_t new_model(struct xpt_pack *p, uint64_t head)
{
	uint8_t slot = (uint8_t)(p->nr_models++ % SLOTS);

	memset(p->models[slot], 0, sizeof(p->models[slot]));
	p->models[slot][W_HEAD] = head;
	return slot;
}

static bool is_call(uint64_t head)
{
	uint64_t kind = head & 0xffff, words = (head >> 16 & 0xffff) / 8;

	return (kind == XPT_REC_CALL || kind == XPT_REC_INFLIGHT) && words >= W_VALS &&
	       words <= MAX_WORDS;
}

/* --- writing ------------------------------------------------------------------- */

static uint8_t *put_varint(uint8_t *to, uint64_t v)
{
	while (v >= 0x80) {
		*to++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*to++ = (uint8_t)v;
	return to;
}

/* Small differences of either sign become small numbers. */
static uint8_t *put_diff(uint8_t *to, uint64_t v, uint64_t from)
{
	uint64_t d = v - from;

	return put_varint(to, d << 1 ^ (0 - (d >> 63)));
}

static uint8_t *put_word(uint8_t *to, uint64_t v)
{
	memcpy(to, &v, sizeof(v));
	return to + sizeof(v);
}

static size_t hint_of(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15ull >> 54;
}

static uint8_t *put_thread(struct xpt_pack *p, uint64_t thread, uint8_t *head, uint8_t *to)
{
	uint8_t *hint = &p->thread_hint[hint_of(thread)];

	p->thread = thread;
	if (is_made(p->nr_threads, *hint) && p->threads[*hint] == thread) {
		*head |= HEAD_THREAD;
		*to++ = *hint;
		return to;
	}
	*head |= HEAD_NEW_THREAD;
	*hint = new_thread(p, thread);
	return put_word(to, thread);
}

static uint8_t *put_model(struct xpt_pack *p, uint64_t header, uint8_t *head, uint8_t *to)
{
	uint8_t *hint = &p->model_hint[hint_of(header)], *guess = &p->next[p->model];

	if (!is_made(p->nr_models, *hint) || p->models[*hint][W_HEAD] != header) {
		*head |= HEAD_NEW_LIKE;
		*hint = new_model(p, header);
		to = put_word(to, header);
	} else if (*guess != *hint) {
		*head |= HEAD_LIKE;
		*to++ = *hint;
	}
	*guess = *hint;
	p->model = *hint;
	return to;
}

static uint8_t *put_vals(uint64_t *like, const uint64_t *val, size_t n, uint8_t *head, uint8_t *to)
{
	uint64_t differ = 0;
	size_t i;

	for (i = 0; i < n; i++)
		differ |= (uint64_t)(val[i] != like[i]) << i;
	if (!differ)
		return to;
	*head |= HEAD_VALS;
	to = put_varint(to, differ);
	for (i = 0; i < n; i++) {
		if (differ >> i & 1)
			to = put_diff(to, val[i], like[i]);
		like[i] = val[i];
	}
	return to;
}

static uint8_t *put_call(struct xpt_pack *p, const uint64_t *w, size_t n, uint8_t *to)
{
	uint64_t *like, end_ns = w[W_START] + w[W_DUR];
	uint8_t *head = to++;

	*head = 0;
	if (w[W_THREAD] != p->thread)
		to = put_thread(p, w[W_THREAD], head, to);
	to = put_model(p, w[W_HEAD], head, to);
	like = p->models[p->model];
	to = put_diff(to, end_ns, p->end_ns);
	to = put_varint(to, w[W_DUR]);
	p->end_ns = end_ns;
	if (w[W_RET] != like[W_RET]) {
		*head |= HEAD_RET;
		to = put_diff(to, w[W_RET], like[W_RET]);
		like[W_RET] = w[W_RET];
	}
	if (w[W_META] != like[W_META]) {
		*head |= HEAD_META;
		to = put_varint(to, w[W_META] ^ like[W_META]);
		like[W_META] = w[W_META];
	}
	return put_vals(like + W_VALS, w + W_VALS, n - W_VALS, head, to);
}

/* Bit i: byte i is not zero. */
static uint8_t bytes_used(uint64_t w)
{
	uint8_t used = 0;

	for (unsigned i = 0; i < 8; i++)
		used |= (uint8_t)((w >> 8 * i & 0xff) != 0) << i;
	return used;
}

/* A record as words, each a byte that says which of its bytes are not zero, and those. */
static uint8_t *put_other(const uint64_t *w, size_t n, uint8_t *to)
{
	uint8_t used, more;
	unsigned b;
	size_t i;

	*to++ = HEAD_OTHER;
	to = put_varint(to, n);
	for (i = 0; i < n; i++) {
		*to++ = used = bytes_used(w[i]);
		for (b = 0; b < 8; b++)
			if (used >> b & 1)
				*to++ = (uint8_t)(w[i] >> 8 * b);
		if (used)
			continue;
		for (more = 0; more < 255 && i + 1 < n && !w[i + 1]; i++)
			more++;
		*to++ = more;
	}
	return to;
}

size_t xpt_pack__bound(size_t size)
{
	size_t other = 1 + VARINT_MAX + size / 8 * 9;
	size_t call = 1 + 8 + 8 + 3 + VARINT_MAX * (MAX_WORDS - 2);

	return is_call((uint64_t)size << 16 | XPT_REC_CALL) && call > other ? call : other;
}

size_t xpt_pack__add(struct xpt_pack *p, const void *rec, size_t size, uint8_t *to)
{
	const uint64_t *w = rec;
	uint8_t *end;

	end = is_call(w[W_HEAD]) ? put_call(p, w, size / 8, to) : put_other(w, size / 8, to);
	return (size_t)(end - to);
}

/* --- reading ------------------------------------------------------------------- */

struct in {
	const uint8_t *at, *end;
	bool bad;		/* it ended too early, or holds an impossible value */
};

static uint8_t get_byte(struct in *in)
{
	if (in->at < in->end)
		return *in->at++;
	in->bad = true;
	return 0;
}

static uint64_t get_varint(struct in *in)
{
	uint64_t v = 0;
	unsigned shift;
	uint8_t b;

	for (shift = 0; shift < 64; shift += 7) {
		b = get_byte(in);
		v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return v;
	}
	in->bad = true;
	return 0;
}

static uint64_t get_diff(struct in *in, uint64_t from)
{
	uint64_t z = get_varint(in);

	return from + (z >> 1 ^ (0 - (z & 1)));
}

static uint64_t get_word(struct in *in)
{
	uint64_t v = 0;

	if (in->end - in->at < (ptrdiff_t)sizeof(v)) {
		in->bad = true;
		return 0;
	}
	memcpy(&v, in->at, sizeof(v));
	in->at += sizeof(v);
	return v;
}

static void get_thread(struct xpt_pack *p, struct in *in, uint8_t head)
{
	uint8_t slot;

	if (head & HEAD_NEW_THREAD) {
		p->thread = get_word(in);
		new_thread(p, p->thread);
	} else if (head & HEAD_THREAD) {
		slot = get_byte(in);
		in->bad |= !is_made(p->nr_threads, slot);
		p->thread = p->threads[slot];
	}
}

static void get_model(struct xpt_pack *p, struct in *in, uint8_t head)
{
	uint8_t slot = p->next[p->model];

	if (head & HEAD_NEW_LIKE)
		slot = new_model(p, get_word(in));
	else if (head & HEAD_LIKE)
		slot = get_byte(in);
	in->bad |= !is_made(p->nr_models, slot);
	p->next[p->model] = slot;
	p->model = slot;
}

static void get_vals(struct in *in, uint64_t *like, size_t n)
{
	uint64_t differ = get_varint(in);

	in->bad |= differ >> n != 0;
	for (size_t i = 0; differ && i < n; i++, differ >>= 1)
		if (differ & 1)
			like[i] = get_diff(in, like[i]);
}

/* Words written to `to`, where there is room for `room`; 0: bad. */
static size_t get_call(struct xpt_pack *p, struct in *in, uint8_t head, uint64_t *to, size_t room)
{
	uint64_t *like;
	size_t n;

	get_thread(p, in, head);
	get_model(p, in, head);
	like = p->models[p->model];
	n = (like[W_HEAD] >> 16 & 0xffff) / 8;
	if (in->bad || !is_call(like[W_HEAD]) || n > room)
		return 0;
	p->end_ns = get_diff(in, p->end_ns);
	like[W_DUR] = get_varint(in);
	like[W_START] = p->end_ns - like[W_DUR];
	like[W_THREAD] = p->thread;
	if (head & HEAD_RET)
		like[W_RET] = get_diff(in, like[W_RET]);
	if (head & HEAD_META)
		like[W_META] ^= get_varint(in);
	if (head & HEAD_VALS)
		get_vals(in, like + W_VALS, n - W_VALS);
	memcpy(to, like, n * sizeof(*to));
	return in->bad ? 0 : n;
}

static size_t get_other(struct in *in, uint64_t *to, size_t room)
{
	uint64_t n = get_varint(in), w;
	uint8_t used, more;
	unsigned b;
	size_t i;

	if (n > room)
		return 0;
	for (i = 0; i < n && !in->bad; i++) {
		used = get_byte(in);
		for (w = 0, b = 0; b < 8; b++)
			if (used >> b & 1)
				w |= (uint64_t)get_byte(in) << 8 * b;
		to[i] = w;
		more = used ? 0 : get_byte(in);
		if (more > n - i - 1)
			return 0;
		memset(&to[i + 1], 0, more * sizeof(*to));
		i += more;
	}
	return in->bad ? 0 : n;
}

int xpt_pack__read(struct xpt_pack *p, const uint8_t *from, size_t n, void *to, size_t len)
{
	struct in in = { from, from + n, false };
	uint64_t *words = to;
	size_t room = len / 8, got;
	uint8_t head;

	xpt_pack__reset(p);
	while (room) {
		head = get_byte(&in);
		got = head & HEAD_OTHER ? get_other(&in, words, room)
					: get_call(p, &in, head, words, room);
		if (!got)
			return -EBADMSG;
		words += got;
		room -= got;
	}
	return in.at == in.end && !in.bad ? 0 : -EBADMSG;
}
