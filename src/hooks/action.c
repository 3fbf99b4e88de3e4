// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Actions, in two equivalent forms:
 *
 *   count by usym(arg1), comm as send_msg
 *   @send_msg[usym(arg1), comm] = count()
 */
#include "hooks/lex.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define X(e, n, s) [n] = s,
	XPT_HOOK_ACTIONS(X)
#undef X
};

static unsigned action_of(const struct xpt_hook_lex *l)
{
	unsigned i;

	if (xpt_hook_lex__is(l, "log2"))
		return XPT_HOOK_LOG2;
	for (i = 0; i < XPT_HOOK_ACTION__MAX && !xpt_hook_lex__is(l, names[i]); i++)
		;
	return l->kind == XPT_WORD_NAME ? i : XPT_HOOK_ACTION__MAX;
}

bool xpt_hook_action__begins(const struct xpt_hook_lex *l)
{
	return xpt_hook_lex__is(l, "@") ||
	       (action_of(l) < XPT_HOOK_ACTION__MAX && !xpt_hook_lex__follows(l, '='));
}

static uint8_t words_of(const struct xpt_wire_hook_src *s)
{
	return s->source == XPT_HOOK_COMM ? XPT_HOOK_SHORT / 8 : 1;
}

/* Parses one part of the key. */
static int read_key(struct xpt_hook_lex *l, uint8_t *words)
{
	struct xpt_wire_hook *p = &l->h->prog;
	struct xpt_hook_key_text *text;
	struct xpt_hook_value v;
	size_t n;
	int err = xpt_hook_value__parse(l, XPT_USE_KEY, &v);

	if (err)
		return err;
	if (p->nr_keys == XPT_HOOK_KEYS || *words + words_of(&v.src) > XPT_HOOK_WORDS)
		return xpt_hook_lex__wrong(l, v.at, "too many keys: %d at most, of %d words; comm takes two of them", XPT_HOOK_KEYS, XPT_HOOK_WORDS);
	text = &l->h->key[p->nr_keys];
	text->kind = v.key_kind;
	n = v.end - v.at < sizeof(text->text) ? v.end - v.at : sizeof(text->text) - 1;
	memcpy(text->text, l->line + v.at, n);
	memcpy(text->names, v.names, sizeof(text->names));
	if (v.key_kind == XPT_HOOK_KEY_NAMES)	/* the value is readable without names */
		snprintf(text->text, sizeof(text->text), "%.*s)", (int)strcspn(l->line + v.at, ","), l->line + v.at);
	p->by_process |= v.key_kind == XPT_HOOK_KEY_USYM || v.key_kind == XPT_HOOK_KEY_STACK;
	p->key[p->nr_keys] = v.src;
	p->key[p->nr_keys++].at = *words;
	*words += words_of(&v.src);
	return 0;
}

static int read_keys(struct xpt_hook_lex *l)
{
	uint8_t words = 0;
	int err = read_key(l, &words);

	while (!err && xpt_hook_lex__is(l, ",")) {
		err = xpt_hook_lex__next(l);
		err = err ? err : read_key(l, &words);
	}
	return err;
}

/* Parses ", LOW, HIGH, STEP". */
static int read_linear(struct xpt_hook_lex *l)
{
	struct xpt_wire_hook *p = &l->h->prog;
	int64_t v[3];
	size_t at = l->at;
	uint64_t range;

	for (int i = 0; i < 3; i++) {
		if (xpt_hook_lex__expect(l, ",", "LOW, HIGH, STEP: lhist(VALUE, 0, 1000, 100)"))
			return -EINVAL;
		if (l->kind != XPT_WORD_NUMBER)
			return xpt_hook_lex__wrong(l, l->at, "expected a number: lhist(VALUE, LOW, HIGH, STEP)");
		at = l->at;
		v[i] = l->number;
		if (xpt_hook_lex__next(l))
			return -EINVAL;
	}
	range = (uint64_t)v[1] - (uint64_t)v[0];
	if (v[1] <= v[0] || v[2] <= 0 || range % (uint64_t)v[2] || range / (uint64_t)v[2] > XPT_HOOK_STEPS)
		return xpt_hook_lex__wrong(l, at, "from LOW to HIGH must be 1 to %u whole steps", XPT_HOOK_STEPS);
	p->low = v[0];
	p->step = (uint64_t)v[2];
	p->nr_buckets = (uint32_t)(range / (uint64_t)v[2]);
	return 0;
}

/* Parses "NAME(VALUE)", or the name without brackets if it has no value. */
static int read_action(struct xpt_hook_lex *l)
{
	struct xpt_wire_hook *p = &l->h->prog;
	unsigned which = action_of(l);
	bool brackets = xpt_hook_lex__follows(l, '(');
	struct xpt_hook_value v;
	int err;

	if (which == XPT_HOOK_ACTION__MAX)
		return xpt_hook_lex__wrong(l, l->at, "expected an action: event, count, sum(V), min(V), max(V), "
					   "avg(V), hist(V) or lhist(V, LOW, HIGH, STEP)");
	p->action = (uint8_t)which;
	if (xpt_hook_lex__next(l))
		return -EINVAL;
	if (!brackets && which > XPT_HOOK_COUNT)
		return xpt_hook_lex__wrong(l, l->at, "of what? %s(VALUE)", names[which]);
	if (!brackets)
		return 0;
	err = xpt_hook_lex__next(l);
	if (!err && which > XPT_HOOK_COUNT) {
		err = xpt_hook_value__parse(l, XPT_USE_VALUE, &v);
		if (err)
			return err;
		p->value = v.src;
		l->h->is_time = v.is_time;
		if (which == XPT_HOOK_LINEAR)
			err = read_linear(l);
	}
	return err ? err : xpt_hook_lex__expect(l, ")", "to end the brackets");
}

static int map_name(struct xpt_hook_lex *l)
{
	if (l->kind != XPT_WORD_NAME || strlen(l->text) >= sizeof(l->h->name) || strchr(l->text, '.'))
		return xpt_hook_lex__wrong(l, l->at, "expected a name for the result");
	memcpy(l->h->name, l->text, strlen(l->text) + 1);
	l->h->name_at = (uint32_t)l->at;
	return xpt_hook_lex__next(l);
}

/* Parses "@NAME[KEYS] = ACTION". */
static int map_form(struct xpt_hook_lex *l)
{
	int err = xpt_hook_lex__next(l);

	if (!err && l->kind == XPT_WORD_NAME)
		err = map_name(l);
	if (!err && xpt_hook_lex__is(l, "[")) {
		err = xpt_hook_lex__next(l);
		err = err ? err : read_keys(l);
		err = err ? err : xpt_hook_lex__expect(l, "]", "behind the keys");
	}
	err = err ? err : xpt_hook_lex__expect(l, "=", "and an action: @name[key] = count()");
	if (!err && xpt_hook_lex__is(l, "event"))
		return xpt_hook_lex__wrong(l, l->at, "an event has no result to add up: leave '@' out");
	return err ? err : read_action(l);
}

/* Parses "ACTION by KEYS as NAME". */
static int word_form(struct xpt_hook_lex *l)
{
	int err = read_action(l);

	if (!err && l->h->prog.action == XPT_HOOK_EVENT &&
	    (xpt_hook_lex__is(l, "by") || xpt_hook_lex__is(l, "as")))
		return xpt_hook_lex__wrong(l, l->at, "an event is not added up, so it has no key and no name");
	if (!err && xpt_hook_lex__is(l, "by")) {
		err = xpt_hook_lex__next(l);
		err = err ? err : read_keys(l);
	}
	if (!err && xpt_hook_lex__is(l, "as")) {
		err = xpt_hook_lex__next(l);
		err = err ? err : map_name(l);
	}
	return err;
}

int xpt_hook_action__parse(struct xpt_hook_lex *l)
{
	int err;

	l->h->name_at = (uint32_t)l->at;
	err = xpt_hook_lex__is(l, "@") ? map_form(l) : word_form(l);
	if (!err && l->kind != XPT_WORD_END)
		return xpt_hook_lex__wrong(l, l->at, "the line should end here");
	return err;
}

bool xpt_hooks_any(const struct xpt_hook *hooks, uint32_t n, bool (*is)(const struct xpt_hook *h))
{
	uint32_t i;

	for (i = 0; i < n && !is(&hooks[i]); i++)
		;
	return i < n;
}
