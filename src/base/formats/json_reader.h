/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads JSON from a stream, in one pass and in fixed memory: the caller asks for
 * the values that it expects, in the order of the file (a pull reader). Integers
 * keep all their 64 bits. Whatever the input is, nothing is read beyond it and
 * every step moves forward; after the first error all functions say "no more".
 */
#ifndef XPT_BASE_FORMATS_JSON_READER_H
#define XPT_BASE_FORMATS_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define XPT_JSON_BUF (1u << 20)		/* bytes in memory */
#define XPT_JSON_AHEAD (256u << 10)	/* one string or held value may be that long */
#define XPT_JSON_DEPTH 64		/* of skipped values */

/* Like read(2): bytes read, 0 at the end, -1 on failure. */
typedef ssize_t (*xpt_json_read_fn)(void *ctx, void *buf, size_t n);

struct xpt_json {
	xpt_json_read_fn read;
	void *ctx;
	char *buf, *p, *end;	/* *end is 0 */
	uint64_t before, lines;	/* bytes of the input in front of buf, ; lines: line ends of all that was read */
	bool eof, held, fresh;
	int err;	/* 0, -EBADMSG (no JSON), -ENODATA (cut off), -E2BIG, -EIO */
};

enum xpt_json_kind {
	XPT_JSON_NONE, XPT_JSON_OBJECT, XPT_JSON_ARRAY, XPT_JSON_STRING, XPT_JSON_NUMBER,
	XPT_JSON_TRUE, XPT_JSON_FALSE, XPT_JSON_NULL,
};

struct xpt_json_text {		/* text that is in memory already */
	const char *s;
	size_t n;
};

/* A read function whose ctx is a struct xpt_json_text, which moves on. */
ssize_t xpt_json_text__read(void *ctx, void *buf, size_t n);

int xpt_json__init(struct xpt_json *j, xpt_json_read_fn read, void *ctx);	/* 0 or -ENOMEM */
void xpt_json__free(struct xpt_json *j);				/* zeroed is fine */

/* Skips text up to an object ({ before a key or }) and enters it. False: there is none. */
bool xpt_json__find_object(struct xpt_json *j);
/* Returns the type of the next value, where a value may be. */
enum xpt_json_kind xpt_json__kind(struct xpt_json *j);
/* Enters an object or array (which of them is kind); false, and the value is skipped, if it is something else. */
bool xpt_json__enter(struct xpt_json *j, enum xpt_json_kind kind);
/* The next key of the object entered; then its value must be read or skipped. False: it ended. */
bool xpt_json__key(struct xpt_json *j, const char **ret_key, size_t *ret_n);
/* Is there another value in the array entered? False: it ended. */
bool xpt_json__item(struct xpt_json *j);
/*
 * A value of that kind; false, and the value is skipped, if it is something else.
 * Strings are unescaped, end with NUL, hold no other (U+FFFD stands for it), and
 * live until the next call, while held until the release.
 */
bool xpt_json__u64(struct xpt_json *j, uint64_t *ret_v);
bool xpt_json__i64(struct xpt_json *j, int64_t *ret_v);
bool xpt_json__bool(struct xpt_json *j, bool *ret_v);
/* A number of at least 0 with a decimal point, times 10^digits; the digits after these are cut
 * off. */
bool xpt_json__fixed(struct xpt_json *j, unsigned digits, uint64_t *ret_v);
/* Is the next value a number below 0? */
bool xpt_json__minus(struct xpt_json *j);
bool xpt_json__str(struct xpt_json *j, const char **ret_s, size_t *ret_n);
void xpt_json__skip(struct xpt_json *j);

/* Keeps strings alive from here on; the text read until the release may have XPT_JSON_AHEAD
 * bytes. */
void xpt_json__hold(struct xpt_json *j);
void xpt_json__release(struct xpt_json *j);
/*
 * Continues after -EBADMSG at the next object whose first key is `key`, as an item of the array entered last, and
 * skips the text in between. Returns false if there is none: then the error stays.
 */
bool xpt_json__resume(struct xpt_json *j, const char *key);
/* Bytes of the input that have been read so far, and the line on which that is (from 1), for messages. */
uint64_t xpt_json__offset(const struct xpt_json *j);
uint64_t xpt_json__line(const struct xpt_json *j);

#endif
