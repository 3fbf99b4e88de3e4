// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes lines of annotated entries, see spdk_line.h. A million lines have to take less than a second, so the usual
 * lines are written without printf().
 */
#include "spdk/spdk_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/text.h"
#include "spdk/lives_priv.h"

static void add_blanks(struct xpt_strbuf *sb, size_t n)
{
	static const char blanks[] = "                                ";

	for (; n > sizeof(blanks) - 1; n -= sizeof(blanks) - 1)
		xpt_strbuf__addn(sb, blanks, sizeof(blanks) - 1);
	xpt_strbuf__addn(sb, blanks, n);
}

/* Whether the text is ASCII without control characters. Tests eight bytes at a time, then the rest. */
static bool is_plain(const char *s, size_t n)
{
	const uint64_t each = 0x0101010101010101ull, high = each * 0x80;
	uint64_t x;

	for (; n >= sizeof(x); s += sizeof(x), n -= sizeof(x)) {
		memcpy(&x, s, sizeof(x));
		/* a byte from 0x80 on, or below 0x20, or that is 0x7f */
		if ((x | (x - each * 0x20) | (x + each)) & high)
			return false;
	}
	for (; n; n--, s++)
		if (*s < 0x20 || *s == 0x7f)
			return false;
	return true;
}

/* Adds text, cleaned if it needs that, and padded to width characters. */
static void add_padded(struct xpt_strbuf *sb, const char *s, size_t n, size_t width)
{
	size_t from = sb->len, chars = 0;

	if (is_plain(s, n)) {
		xpt_strbuf__addn(sb, s, n);
		chars = n;
	} else {
		xpt_spdk_add_clean(sb, s);
		for (size_t i = from; i < sb->len; i++)
			chars += ((unsigned char)sb->s[i] & 0xc0) != 0x80;	/* first bytes of characters */
	}
	if (chars < width)
		add_blanks(sb, width - chars);
}

/* Pads the ASCII text that was added since `from`. */
static void pad_to(struct xpt_strbuf *sb, size_t from, size_t width)
{
	if (sb->len - from < width)
		add_blanks(sb, width - (sb->len - from));
}

static unsigned put_digits(uint64_t v, char *end)
{
	char *p = end;

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	return (unsigned)(end - p);
}

static void add_u64(struct xpt_strbuf *sb, uint64_t v, unsigned width)
{
	char buf[20];
	unsigned n = put_digits(v, buf + sizeof(buf));

	if (n < width)
		add_blanks(sb, width - n);
	xpt_strbuf__addn(sb, buf + sizeof(buf) - n, n);
}

static void add_hex(struct xpt_strbuf *sb, uint64_t v)
{
	char buf[18], *p = buf + sizeof(buf);

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	*--p = 'x';
	*--p = '0';
	xpt_strbuf__addn(sb, p, (size_t)(buf + sizeof(buf) - p));
}

/* --- times ---------------------------------------------------------------------------- */

static void add_thousandths(struct xpt_strbuf *sb, bool negative, uint64_t v, unsigned width)
{
	char buf[24], *end = buf + sizeof(buf), *p;
	unsigned n;

	for (p = end; p > end - 3; v /= 10)
		*--p = (char)('0' + v % 10);
	*--p = '.';
	p -= put_digits(v, p);
	if (negative)
		*--p = '-';
	n = (unsigned)(end - p);
	if (n < width)
		add_blanks(sb, width - n);
	xpt_strbuf__addn(sb, p, n);
}

/* Whether the exact quotient is so near to a half that the rounding of the double decides. */
static void add_double(struct xpt_strbuf *sb, bool negative, uint64_t ticks, uint64_t rate,
		       unsigned width)
{
	unsigned __int128 num = (unsigned __int128)ticks * 1000000;
	double v = num >> 53 ? (double)((long double)num / (long double)rate)
			     : (double)(uint64_t)num / (double)rate;
	char buf[64];

	snprintf(buf, sizeof(buf), "%*.3f", (int)width, negative ? -v : v);
	xpt_strbuf__add(sb, buf);
}

void xpt_spdk_line__add_us(struct xpt_strbuf *sb, bool negative, uint64_t ticks, uint64_t rate,
			   unsigned width)
{
	unsigned __int128 num = (unsigned __int128)ticks * 1000000000;
	uint64_t q, r, off;

	if (rate >> 62 || num >> 62 >= rate) {
		add_double(sb, negative, ticks, rate, width);
		return;
	}
	if (num >> 64) {
		q = (uint64_t)(num / rate);
		r = (uint64_t)(num % rate);
	} else {
		q = (uint64_t)num / rate;
		r = (uint64_t)num % rate;
	}
	/* Twice the distance from a half; the double is off by less than q / 2^53 thousandths. */
	off = 2 * r > rate ? 2 * r - rate : rate - 2 * r;
	if (off <= (unsigned __int128)q * rate >> 51)
		add_double(sb, negative, ticks, rate, width);
	else
		add_thousandths(sb, negative, q + (2 * r > rate), width);
}

/* Returns the time since the first entry; *ret_negative: before it. */
static uint64_t since_first(const struct xpt_spdk_clock *c, uint64_t tsc, bool *ret_negative)
{
	*ret_negative = tsc < c->first;
	return *ret_negative ? c->first - tsc : tsc - c->first;
}

/* --- text ------------------------------------------------------------------------------- */

static void add_arg(struct xpt_strbuf *sb, const struct xpt_spdk_tpoint *tp,
		    const struct xpt_spdk_arg *a, unsigned i)
{
	add_padded(sb, tp->arg[i].name, strlen(tp->arg[i].name), 0);
	xpt_strbuf__addn(sb, ": ", 2);
	if (a->text.s)
		add_padded(sb, a->text.s, a->text.n, 0);
	else if (a->bad)
		xpt_strbuf__addc(sb, '?');
	else if (tp->arg[i].type == XPT_SPDK_PTR)
		add_hex(sb, a->v);
	else
		add_u64(sb, a->v, 0);
}

static void add_args(struct xpt_strbuf *sb, const struct xpt_spdk_entry *e,
		     const struct xpt_spdk_note *note)
{
	unsigned n = e->nr_args < e->tp->nr_args ? e->nr_args : e->tp->nr_args, i;

	for (i = 0; i < n; i++) {
		if (i)
			xpt_strbuf__addn(sb, ", ", 2);
		if (note->text && note->arg == (int)i) {
			xpt_strbuf__addn(sb, "qpair", 5);
			xpt_strbuf__add(sb, note->text);
		} else {
			add_arg(sb, e->tp, &e->arg[i], i);
		}
	}
	if (note->text && note->arg < 0) {
		xpt_strbuf__add(sb, i ? ", qpair" : "qpair");
		xpt_strbuf__add(sb, note->text);
	}
	if (note->presumed)
		xpt_strbuf__add(sb, " presumed");
}

static void add_id(struct xpt_strbuf *sb, const struct xpt_spdk_entry *e)
{
	size_t at;

	xpt_strbuf__addn(sb, "id: ", 4);
	at = sb->len;
	add_padded(sb, e->id.s, e->id.n, 0);
	if (e->related.s) {
		xpt_strbuf__addn(sb, " (", 2);
		add_padded(sb, e->related.s, e->related.n, 0);
		xpt_strbuf__addc(sb, ')');
	}
	pad_to(sb, at, 12);
	xpt_strbuf__addc(sb, ' ');
}

void xpt_spdk_line__text(struct xpt_strbuf *sb, const struct xpt_spdk_clock *clock,
			 const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note)
{
	const struct xpt_spdk_text *owner = e->owner.s ? &e->owner : &e->poller;
	bool negative;
	uint64_t ticks = since_first(clock, e->tsc, &negative);
	size_t at;

	add_u64(sb, e->lcore, 3);
	xpt_strbuf__addc(sb, ' ');
	xpt_spdk_line__add_us(sb, negative, ticks, clock->rate, 16);
	xpt_strbuf__addc(sb, ' ');
	add_padded(sb, owner->s ? owner->s : "", owner->n, 3);
	xpt_strbuf__addc(sb, ' ');
	add_padded(sb, e->tp->name, e->tp->name_len, 24);
	xpt_strbuf__addc(sb, ' ');
	at = sb->len;
	if (e->size) {
		xpt_strbuf__addn(sb, "size: ", 6);
		add_u64(sb, e->size, 0);
	}
	pad_to(sb, at, 12);
	if (e->id.s)
		add_id(sb, e);
	if (e->has_time) {
		xpt_strbuf__addn(sb, "time: ", 6);
		at = sb->len;
		xpt_spdk_line__add_us(sb, false, e->time, clock->rate, 0);
		pad_to(sb, at, 8);
		xpt_strbuf__addc(sb, ' ');
	}
	add_args(sb, e, note);
	while (sb->len && sb->s[sb->len - 1] == ' ')
		sb->len--;
	xpt_strbuf__addc(sb, '\n');
}

/* --- JSON --------------------------------------------------------------------------------- */

static void add_key_text(struct xpt_strbuf *sb, const char *key, const struct xpt_spdk_text *t)
{
	if (!t->s)
		return;
	xpt_strbuf__add(sb, key);
	xpt_strbuf__add_json(sb, t->s);
}

static void add_qpair(struct xpt_strbuf *sb, const struct xpt_spdk_life *life)
{
	xpt_strbuf__addf(sb, ",\"qpair\":{\"ptr\":\"0x%" PRIx64 "\"", life->ptr);
	if (life->has_thread)
		xpt_strbuf__addf(sb, ",\"thread\":%" PRIu64, life->thread);
	if (life->has_qid) {
		xpt_strbuf__addf(sb, ",\"qid\":%" PRIu64 ",\"subnqn\":", life->qid);
		xpt_strbuf__add_json(sb, life->subnqn ? life->subnqn : "");
		xpt_strbuf__add(sb, ",\"hostnqn\":");
		if (life->hostnqn)
			xpt_strbuf__add_json(sb, life->hostnqn);
		else
			xpt_strbuf__add(sb, "null");
	}
	xpt_strbuf__addc(sb, '}');
}

static void add_json_args(struct xpt_strbuf *sb, const struct xpt_spdk_entry *e)
{
	unsigned n = e->nr_args < e->tp->nr_args ? e->nr_args : e->tp->nr_args;

	if (!n)
		return;
	xpt_strbuf__add(sb, ",\"args\":{");
	for (unsigned i = 0; i < n; i++) {
		const struct xpt_spdk_arg *a = &e->arg[i];

		if (i)
			xpt_strbuf__addc(sb, ',');
		xpt_strbuf__add_json(sb, e->tp->arg[i].name);
		xpt_strbuf__addc(sb, ':');
		if (a->text.s)
			xpt_strbuf__add_json(sb, a->text.s);
		else if (a->bad)
			xpt_strbuf__add(sb, "null");
		else if (e->tp->arg[i].type == XPT_SPDK_PTR)
			xpt_strbuf__addf(sb, "\"0x%" PRIx64 "\"", a->v);
		else
			add_u64(sb, a->v, 0);
	}
	xpt_strbuf__addc(sb, '}');
}

void xpt_spdk_line__json(struct xpt_strbuf *sb, const struct xpt_spdk_clock *clock,
			 const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note)
{
	bool negative;
	uint64_t ticks = since_first(clock, e->tsc, &negative);

	xpt_strbuf__add(sb, "{\"type\":\"entry\",\"tsc\":");
	add_u64(sb, e->tsc, 0);
	xpt_strbuf__add(sb, ",\"us\":");
	xpt_spdk_line__add_us(sb, negative, ticks, clock->rate, 0);
	xpt_strbuf__add(sb, ",\"lcore\":");
	add_u64(sb, e->lcore, 0);
	xpt_strbuf__add(sb, ",\"tpoint\":");
	xpt_strbuf__add_json(sb, e->tp->name);
	add_key_text(sb, ",\"poller\":", &e->poller);
	add_key_text(sb, ",\"owner\":", &e->owner);
	if (e->size) {
		xpt_strbuf__add(sb, ",\"size\":");
		add_u64(sb, e->size, 0);
	}
	add_key_text(sb, ",\"object\":", &e->id);
	if (e->has_time) {
		xpt_strbuf__add(sb, ",\"object_us\":");
		xpt_spdk_line__add_us(sb, false, e->time, clock->rate, 0);
	}
	add_key_text(sb, ",\"related\":", &e->related);
	add_json_args(sb, e);
	if (note->life)
		add_qpair(sb, note->life);
	else if (note->owner) {
		xpt_strbuf__addf(sb, ",\"qpair\":{\"qid\":%" PRIu64 ",\"subnqn\":", note->owner->qid);
		xpt_strbuf__add_json(sb, note->owner->subnqn);
		xpt_strbuf__addc(sb, '}');
	}
	if (note->presumed)
		xpt_strbuf__add(sb, ",\"presumed\":true");
	if (xpt_spdk_reason__name(note->reason))
		xpt_strbuf__addf(sb, ",\"no_host\":\"%s\"", xpt_spdk_reason__name(note->reason));
	xpt_strbuf__add(sb, "}\n");
}
