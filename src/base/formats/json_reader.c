// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The JSON reader, see json_reader.h. The buffer always ends with a NUL, which no JSON
 * text contains: the inner loops stop there without comparing positions. Before
 * each token (while nothing is held) the rest of the buffer is moved to its
 * front and filled up, so that a token is never in two pieces.
 */
#include "base/formats/json_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

ssize_t xpt_json_text__read(void *ctx, void *buf, size_t n)
{
	struct xpt_json_text *t = ctx;

	n = n < t->n ? n : t->n;
	memcpy(buf, t->s, n);
	t->s += n;
	t->n -= n;
	return (ssize_t)n;
}

int xpt_json__init(struct xpt_json *j, xpt_json_read_fn read, void *ctx)
{
	*j = (struct xpt_json){ .read = read, .ctx = ctx, .fresh = true };
	j->buf = malloc(XPT_JSON_BUF + 1 + sizeof(uint64_t));	/* see end_of_plain() */
	if (!j->buf)
		return -ENOMEM;
	j->p = j->end = j->buf;
	*j->end = '\0';
	memset(j->buf + XPT_JSON_BUF, 0, 1 + sizeof(uint64_t));
	return 0;
}

void xpt_json__free(struct xpt_json *j)
{
	free(j->buf);
	*j = (struct xpt_json){ 0 };
}

static bool fail_with(struct xpt_json *j, int err)
{
	if (!j->err)
		j->err = err;
	return false;
}

/* The buffer ended within a token: did the input, too? */
static bool at_cut(struct xpt_json *j)
{
	return fail_with(j, j->eof ? -ENODATA : -E2BIG);
}

/* The next character is not an allowed one. */
static bool stop_here(struct xpt_json *j)
{
	return j->p < j->end ? fail_with(j, -EBADMSG) : at_cut(j);
}

static uint64_t count_lines(const char *from, const char *to)
{
	uint64_t n = 0;

	while ((from = memchr(from, '\n', (size_t)(to - from)))) {
		from++;
		n++;
	}
	return n;
}

static void fill_buf(struct xpt_json *j)
{
	size_t rest = (size_t)(j->end - j->p);
	ssize_t n;

	j->before += (uint64_t)(j->p - j->buf);
	memmove(j->buf, j->p, rest);
	j->p = j->buf;
	while (rest < XPT_JSON_AHEAD && !j->eof) {
		n = j->read(j->ctx, j->buf + rest, XPT_JSON_BUF - rest);
		if (n < 0)
			fail_with(j, -EIO);
		if (n <= 0)
			j->eof = true;
		else
			j->lines += count_lines(j->buf + rest, j->buf + rest + n);
		rest += n > 0 ? (size_t)n : 0;
	}
	j->end = j->buf + rest;
	*j->end = '\0';
}

static inline void look_ahead(struct xpt_json *j)
{
	if (!j->held && !j->eof && (size_t)(j->end - j->p) < XPT_JSON_AHEAD)
		fill_buf(j);
}

void xpt_json__hold(struct xpt_json *j)
{
	look_ahead(j);
	j->held = true;
}

void xpt_json__release(struct xpt_json *j)
{
	j->held = false;
}

uint64_t xpt_json__offset(const struct xpt_json *j)
{
	return j->before + (uint64_t)(j->p - j->buf);
}

uint64_t xpt_json__line(const struct xpt_json *j)
{
	/* Only the text from j->p on is as in the file: before it, escapes may have been replaced in place. */
	return 1 + j->lines - count_lines(j->p, j->end);
}

static inline bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next byte that is no space, not taken; 0 at the end. */
static inline char peek_byte(struct xpt_json *j)
{
	if (j->held && *j->p > ' ')
		return *j->p;
	for (;;) {
		look_ahead(j);
		while (is_space(*j->p))
			j->p++;
		if (*j->p || j->p < j->end || j->eof || j->held)
			return *j->p;
	}
}

bool xpt_json__find_object(struct xpt_json *j)
{
	char c;

	while (!j->err) {
		look_ahead(j);
		j->p += strcspn(j->p, "{");
		if (j->p == j->end && j->eof)
			return fail_with(j, -ENODATA);
		if (j->p == j->end)
			continue;
		if (*j->p++ != '{')	/* a NUL in the text */
			continue;
		c = peek_byte(j);
		if (c != '"' && c != '}')
			continue;
		j->fresh = true;
		return true;
	}
	return false;
}

/* Whether an object with that first key begins at j->p, which is a bracket. Moves nothing. */
static bool begins_with_key(const struct xpt_json *j, const char *key)
{
	const char *p = j->p + 1;
	size_t n = strlen(key);

	while (is_space(*p))
		p++;
	return *p == '"' && (size_t)(j->end - p) > n + 1 && !memcmp(p + 1, key, n) && p[n + 1] == '"';
}

bool xpt_json__resume(struct xpt_json *j, const char *key)
{
	if (j->err != -EBADMSG)
		return false;
	j->held = false;
	for (;;) {
		look_ahead(j);
		j->p += strcspn(j->p, "{");
		if (j->p == j->end && j->eof)
			return false;
		if (j->p == j->end)
			continue;
		if (*j->p == '{' && begins_with_key(j, key))
			break;
		j->p++;
	}
	j->err = 0;
	j->fresh = true;
	return true;
}

enum xpt_json_kind xpt_json__kind(struct xpt_json *j)
{
	char c = j->err ? '\0' : peek_byte(j);

	switch (c) {
	case '{':
		return XPT_JSON_OBJECT;
	case '[':
		return XPT_JSON_ARRAY;
	case '"':
		return XPT_JSON_STRING;
	case 't':
		return XPT_JSON_TRUE;
	case 'f':
		return XPT_JSON_FALSE;
	case 'n':
		return XPT_JSON_NULL;
	case '-':
	case '0' ... '9':
		return XPT_JSON_NUMBER;
	default:
		stop_here(j);
		return XPT_JSON_NONE;
	}
}

bool xpt_json__enter(struct xpt_json *j, enum xpt_json_kind kind)
{
	if (j->err || peek_byte(j) != (kind == XPT_JSON_OBJECT ? '{' : '[')) {
		xpt_json__skip(j);
		return false;
	}
	j->p++;
	j->fresh = true;
	return true;
}

/* Whether another member follows, after a value or after the opening bracket. */
static bool has_more(struct xpt_json *j, char close)
{
	char c;

	if (j->err)
		return false;
	c = peek_byte(j);
	if (c == close) {
		j->p++;
		j->fresh = false;
		return false;
	}
	if (!j->fresh) {
		if (c != ',')
			return stop_here(j);
		j->p++;
	}
	j->fresh = false;
	return true;
}

/* --- strings --------------------------------------------------------------------- */

static int read_hex4(const char *s)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		char c = s[i];
		int d = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ?
			(c | 32) - 'a' + 10 : -1;

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* \uXXXX at p (after the u), perhaps two of them; where it ends, or NULL. */
static const char *take_unicode(const char *p, char **to)
{
	int c = read_hex4(p), low;

	if (c < 0)
		return NULL;
	p += 4;
	if (c >= 0xd800 && c < 0xdc00 && p[0] == '\\' && p[1] == 'u') {
		low = read_hex4(p + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			*to = put_utf8(*to, 0x10000u + ((uint32_t)(c - 0xd800) << 10) +
					    (uint32_t)(low - 0xdc00));
			return p + 6;
		}
	}
	if (!c || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	*to = put_utf8(*to, (uint32_t)c);
	return p;
}

/* Replaces escapes in place, from the first backslash on: that only makes the text shorter. */
static bool unescape_text(struct xpt_json *j, char *s, size_t *ret_n)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	char *to = j->p;
	const char *p = j->p, *at;

	while (*p != '"') {
		if ((unsigned char)*p < 0x20)
			break;
		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		if (p[1] == 'u') {
			at = take_unicode(p + 2, &to);
			if (!at)	/* \uXXXX is 6 bytes */
				return p + 6 <= j->end ? fail_with(j, -EBADMSG) : at_cut(j);
			p = at;
			continue;
		}
		at = p[1] ? strchr(from, p[1]) : NULL;
		if (!at)
			break;
		*to++ = into[at - from];
		p += 2;
	}
	j->p += p - j->p;
	if (*p != '"')
		return p + (*p == '\\') < j->end ? fail_with(j, -EBADMSG) : at_cut(j);
	*to = '\0';
	*ret_n = (size_t)(to - s);
	j->p++;
	return true;
}

#define EACH 0x0101010101010101ull
/* The highest bit of the first byte below c (c <= 128), and perhaps of some after it. */
#define BELOW(x, c) (((x) - EACH * (c)) & ~(x) & EACH * 0x80)

/*
 * The first byte at p or after it that is no plain part of a string: a quote, a
 * backslash, a control character. Eight at a time; the NUL at the end of the buffer
 * stops it, with up to seven bytes after that read and not looked at.
 */
static char *end_of_plain(char *p)
{
	uint64_t x, hit;

	for (;; p += sizeof(x)) {
		memcpy(&x, p, sizeof(x));
		hit = BELOW(x, 0x20) | BELOW(x ^ EACH * '"', 1) | BELOW(x ^ EACH * '\\', 1);
		if (hit)
			return p + __builtin_ctzll(hit) / 8;
	}
}

/* A string at p, which is a quote. */
static bool take_string(struct xpt_json *j, const char **ret_s, size_t *ret_n)
{
	char *s = ++j->p;

	j->p = end_of_plain(j->p);
	*ret_s = s;
	if (*j->p == '\\')
		return unescape_text(j, s, ret_n);
	if (*j->p != '"')
		return stop_here(j);
	*ret_n = (size_t)(j->p - s);
	*j->p++ = '\0';
	return true;
}

bool xpt_json__key(struct xpt_json *j, const char **ret_key, size_t *ret_n)
{
	bool held = j->held;
	bool ok;

	if (!has_more(j, '}'))
		return false;
	if (peek_byte(j) != '"')
		return stop_here(j);
	j->held = true;		/* the colon must not move the key away */
	ok = take_string(j, ret_key, ret_n);
	if (ok && peek_byte(j) != ':')
		ok = stop_here(j);
	if (ok)
		j->p++;
	j->held = held;
	return ok;
}

bool xpt_json__item(struct xpt_json *j)
{
	return has_more(j, ']');
}

bool xpt_json__str(struct xpt_json *j, const char **ret_s, size_t *ret_n)
{
	if (j->err || peek_byte(j) != '"') {
		xpt_json__skip(j);
		return false;
	}
	return take_string(j, ret_s, ret_n);
}

/* --- numbers and words ---------------------------------------------------------------- */

static inline bool in_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* A number may be cut only where the input is. */
static bool end_number(struct xpt_json *j)
{
	while (in_number(*j->p))
		j->p++;
	return j->p < j->end || stop_here(j);
}

bool xpt_json__u64(struct xpt_json *j, uint64_t *ret_v)
{
	char c = j->err ? '\0' : peek_byte(j);
	bool fits = true;
	uint64_t v = 0;

	if (c < '0' || c > '9') {
		xpt_json__skip(j);
		return false;
	}
	for (; *j->p >= '0' && *j->p <= '9'; j->p++) {
		unsigned d = (unsigned)(*j->p - '0');

		if (__builtin_expect(v >= UINT64_MAX / 10, 0))
			fits = fits && (v == UINT64_MAX / 10 && d <= UINT64_MAX % 10);
		v = v * 10 + d;
	}
	if (in_number(*j->p)) {
		end_number(j);
		return false;
	}
	if (j->p == j->end)
		return stop_here(j);
	if (fits)
		*ret_v = v;
	return fits;
}

bool xpt_json__i64(struct xpt_json *j, int64_t *ret_v)
{
	bool minus = !j->err && peek_byte(j) == '-';
	uint64_t v, most = (uint64_t)INT64_MAX + minus;

	if (minus && (j->p[1] < '0' || j->p[1] > '9')) {
		xpt_json__skip(j);
		return false;
	}
	j->p += minus;
	if (!xpt_json__u64(j, &v) || v > most)
		return false;
	*ret_v = (int64_t)(minus ? 0 - v : v);
	return true;
}

bool xpt_json__minus(struct xpt_json *j)
{
	return !j->err && peek_byte(j) == '-';
}

/* Digits at j->p after those of v, at most `most` of them; false: that is too much for 64 bits. */
static bool add_digits(struct xpt_json *j, uint64_t *v, unsigned *most)
{
	bool fits = true;

	for (; *j->p >= '0' && *j->p <= '9' && *most; j->p++, --*most)
		fits = fits && !__builtin_mul_overflow(*v, 10, v) &&
		       !__builtin_add_overflow(*v, (uint64_t)(*j->p - '0'), v);
	return fits;
}

bool xpt_json__fixed(struct xpt_json *j, unsigned digits, uint64_t *ret_v)
{
	char c = j->err ? '\0' : peek_byte(j);
	unsigned any = UINT_MAX;
	uint64_t v = 0;
	bool fits;

	if (c < '0' || c > '9') {
		xpt_json__skip(j);
		return false;
	}
	fits = add_digits(j, &v, &any);
	if (*j->p == '.') {
		j->p++;
		fits = fits && add_digits(j, &v, &digits);
		while (*j->p >= '0' && *j->p <= '9')
			j->p++;
	}
	for (; digits; digits--)
		fits = fits && !__builtin_mul_overflow(v, 10, &v);
	if (in_number(*j->p)) {		/* an exponent */
		end_number(j);
		return false;
	}
	if (j->p == j->end)
		return stop_here(j);
	if (fits)
		*ret_v = v;
	return fits;
}

static bool take_word(struct xpt_json *j, const char *word)
{
	size_t n = strlen(word), left = (size_t)(j->end - j->p);

	if (!strncmp(j->p, word, n)) {
		j->p += n;
		return true;
	}
	if (left < n && !memcmp(j->p, word, left))
		j->p = j->end;
	return stop_here(j);
}

bool xpt_json__bool(struct xpt_json *j, bool *ret_v)
{
	enum xpt_json_kind kind = xpt_json__kind(j);

	if (kind != XPT_JSON_TRUE && kind != XPT_JSON_FALSE) {
		xpt_json__skip(j);
		return false;
	}
	if (!take_word(j, kind == XPT_JSON_TRUE ? "true" : "false"))
		return false;
	*ret_v = kind == XPT_JSON_TRUE;
	return true;
}

/* A value that is no object or array. */
static void skip_plain(struct xpt_json *j, enum xpt_json_kind kind)
{
	const char *s;
	size_t n;

	if (kind == XPT_JSON_STRING)
		take_string(j, &s, &n);
	else if (kind == XPT_JSON_NUMBER)
		end_number(j);
	else
		take_word(j, kind == XPT_JSON_TRUE ? "true" : kind == XPT_JSON_FALSE ? "false" : "null");
}

void xpt_json__skip(struct xpt_json *j)
{
	bool object[XPT_JSON_DEPTH];
	unsigned depth = 0;
	enum xpt_json_kind kind;
	const char *key;
	size_t n;

	do {
		kind = xpt_json__kind(j);
		if (kind == XPT_JSON_OBJECT || kind == XPT_JSON_ARRAY) {
			if (depth == XPT_JSON_DEPTH) {
				fail_with(j, -E2BIG);
				return;
			}
			object[depth++] = kind == XPT_JSON_OBJECT;
			j->p++;
			j->fresh = true;
		} else if (kind != XPT_JSON_NONE) {
			skip_plain(j, kind);
		}
		while (depth && !(object[depth - 1] ? xpt_json__key(j, &key, &n) : xpt_json__item(j)))
			depth--;
	} while (depth && !j->err);
}
