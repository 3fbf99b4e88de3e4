/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words of a hook's line, and its state while it is read. Inside src/hooks only.
 */
#ifndef XPT_HOOKS_LEX_H
#define XPT_HOOKS_LEX_H

#include <stdbool.h>
#include <stdint.h>
#include "hooks/hook.h"

enum xpt_hook_word {
	XPT_WORD_END, XPT_WORD_NAME, XPT_WORD_NUMBER, XPT_WORD_STRING,
	XPT_WORD_SIGN,		/* one or two characters, in text */
};

struct xpt_hook_lex {
	const char *line;
	size_t pos;		/* after the word */
	enum xpt_hook_word kind;
	size_t at, len;		/* the word */
	char text[XPT_HOOK_TEXT];	/* NAME, SIGN; STRING without quotes */
	int64_t number;
	bool negative;		/* as it was written */
	const struct xpt_hook_env *env;
	struct xpt_hook *h;
	struct xpt_hook_error *err;
	bool failed;
};

/* Takes the next word. 0, or -EINVAL after a message. */
int xpt_hook_lex__next(struct xpt_hook_lex *l);
/* Whether the word is that sign or that name. */
bool xpt_hook_lex__is(const struct xpt_hook_lex *l, const char *text);
/* Whether the line, after blanks, goes on with that character. */
bool xpt_hook_lex__follows(const struct xpt_hook_lex *l, char c);
/* Takes the word if it is that; else reports the expected word. 0 or -EINVAL. */
int xpt_hook_lex__expect(struct xpt_hook_lex *l, const char *text, const char *why);
/* Reports the error at that place, the first time. Returns -EINVAL. */
int xpt_hook_lex__wrong(struct xpt_hook_lex *l, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* hook_value.c: one value, as a source; is_key: names of code are allowed. 0 or -EINVAL. */
struct xpt_hook_value {
	struct xpt_wire_hook_src src;
	uint8_t key_kind;	/* enum xpt_hook_key_kind */
	bool is_signed, is_time;
	size_t at, end;		/* its text in the line */
	char names[XPT_HOOK_NAMES];	/* see struct xpt_hook_key_text */
};
enum xpt_hook_use { XPT_USE_CAPTURE, XPT_USE_FILTER, XPT_USE_VALUE, XPT_USE_KEY };
int xpt_hook_value__parse(struct xpt_hook_lex *l, enum xpt_hook_use use, struct xpt_hook_value *ret_v);

/* filter.c: a condition up to `end` ("/" or ""), compiled into h->prog. 0 or -EINVAL. */
int xpt_hook_filter__parse(struct xpt_hook_lex *l, const char *end);

/* action.c: from its first word to the end of the line. 0 or -EINVAL. */
int xpt_hook_action__parse(struct xpt_hook_lex *l);
bool xpt_hook_action__begins(const struct xpt_hook_lex *l);

#endif
