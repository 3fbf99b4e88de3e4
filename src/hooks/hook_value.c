// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values of a hook's line: arguments by number or name, their targets, strings,
 * and the values of every hit (pid, duration ...). A value that must be
 * captured is added to the hook once, however often it is used.
 */
#include "hooks/ioctl_value.h"
#include "hooks/lex.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LAST_CALL_ARG 12	/* six registers, seven words of the stack */
#define LAST_REG_ARG 5
#define LAST_USDT_ARG 11
#define IOCTL_FOLLOWS (XPT_MAX_VALS - XPT_IOCTL_VALS)

static const struct {
	const char *name;
	uint8_t source, key_kind;
	bool is_signed, is_time, ends;	/* ends: only where a call returns */
} plain[] = {
	{ "retval", XPT_HOOK_RESULT, XPT_HOOK_KEY_RESULT, true, false, true },
	{ "result", XPT_HOOK_RESULT, XPT_HOOK_KEY_RESULT, true, false, true },
	{ "duration", XPT_HOOK_DURATION, XPT_HOOK_KEY_TIME, false, true, true },
	{ "failed", XPT_HOOK_FAILED, XPT_HOOK_KEY_NUMBER, false, false, true },
	{ "gap", XPT_HOOK_GAP, XPT_HOOK_KEY_TIME, false, true, false },
	{ "pid", XPT_HOOK_PID, XPT_HOOK_KEY_NUMBER, false, false, false },
	{ "tid", XPT_HOOK_TID, XPT_HOOK_KEY_NUMBER, false, false, false },
	{ "uid", XPT_HOOK_UID, XPT_HOOK_KEY_NUMBER, false, false, false },
	{ "cpu", XPT_HOOK_CPU, XPT_HOOK_KEY_NUMBER, false, false, false },
	{ "func", XPT_HOOK_FUNC, XPT_HOOK_KEY_FUNC, false, false, false },
	{ "comm", XPT_HOOK_COMM, XPT_HOOK_KEY_COMM, false, false, false },
	{ "stack", XPT_HOOK_STACK, XPT_HOOK_KEY_STACK, false, false, false },
};

static const struct {
	const char *name;
	uint8_t width;
} widths[] = {
	{ "u8", 1 }, { "u16", 2 }, { "u32", 4 }, { "u64", 8 },
	{ "i8", 0x81 }, { "i16", 0x82 }, { "i32", 0x84 }, { "i64", 0x88 },
};

static bool at_return(const struct xpt_hook *h)
{
	return h->probe.kind == XPT_PROBE_CALL || h->probe.kind == XPT_PROBE_KERNEL ||
	       h->probe.kind == XPT_PROBE_IOCTL;
}

static int last_arg(const struct xpt_hook *h)
{
	return h->probe.kind == XPT_PROBE_CALL ? LAST_CALL_ARG :
	       h->probe.kind == XPT_PROBE_USDT ? LAST_USDT_ARG : LAST_REG_ARG;
}

/* The number of "argN"; -1: another name. */
static int arg_number(const char *s)
{
	if (strncmp(s, "arg", 3) || !s[3] || strlen(s) > 5 || strspn(s + 3, "0123456789") != strlen(s + 3))
		return -1;
	return s[4] ? (s[3] - '0') * 10 + s[4] - '0' : s[3] - '0';
}

static bool same_capture(const struct xpt_hook_cap *a, const struct xpt_hook_cap *b)
{
	return a->kind == b->kind && a->arg == b->arg && a->off == b->off && a->width == b->width &&
	       !strcmp(a->arg_name, b->arg_name) && !strcmp(a->path, b->path);
}

/* The index of that capture, added if it is new; or -EINVAL. */
static int add_capture(struct xpt_hook_lex *l, const struct xpt_hook_cap *c)
{
	unsigned strings = 0, follows = 0;
	struct xpt_hook *h = l->h;
	int i;

	for (i = 0; i < h->nr_caps; i++) {
		if (same_capture(&h->cap[i], c))
			return i;
		strings += h->cap[i].kind == XPT_HOOK_CAP_STRING;
		follows += h->cap[i].kind == XPT_HOOK_CAP_DEREF;
	}
	if (h->nr_caps == XPT_MAX_VALS)
		return xpt_hook_lex__wrong(l, c->at, "more than %d different values", XPT_MAX_VALS);
	if (c->kind == XPT_HOOK_CAP_STRING && strings == XPT_STRS_MAX)
		return xpt_hook_lex__wrong(l, c->at, "more than %d strings", XPT_STRS_MAX);
	if (h->probe.kind == XPT_PROBE_IOCTL && c->kind == XPT_HOOK_CAP_DEREF && follows == IOCTL_FOLLOWS)
		return xpt_hook_lex__wrong(l, c->at, "more than %d values of the argument's struct", IOCTL_FOLLOWS);
	h->cap[h->nr_caps] = *c;
	return h->nr_caps++;
}

static bool is_reserved(const char *s)
{
	static const char *const words[] = { "by", "as", "if", "and", "or", "not" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(s, words[i]))
			return true;
	return false;
}

/* Reads a value of ioctls, mmaps and polls, by the place that wire/ioctl.h gives it. */
static int ioctl_argument(struct xpt_hook_lex *l, struct xpt_hook_cap *c)
{
	if (xpt_hook_ioctl__slot(&l->h->probe, l->text) < 0)
		return xpt_hook_lex__wrong(l, l->at, "there is no '%.40s' here: %s", l->text,
					   xpt_hook_ioctl__names(&l->h->probe));
	memcpy(c->arg_name, l->text, strlen(l->text) + 1);
	return xpt_hook_lex__next(l);
}

/* "->MEMBER.MEMBER->MEMBER" */
static int read_path(struct xpt_hook_lex *l, struct xpt_hook_cap *c)
{
	unsigned nr = 0;
	size_t n = 0;

	while (xpt_hook_lex__is(l, "->")) {
		if (l->h->probe.kind == XPT_PROBE_USDT || l->h->probe.kind > XPT_PROBE_KERNEL)
			return xpt_hook_lex__wrong(l, l->at, "types are known of arguments of functions only: "
						   "*(arg0 + OFFSET) reads what lies there");
		if (++nr > XPT_HOOK_DEREFS - 1)
			return xpt_hook_lex__wrong(l, l->at, "at most %d pointers are followed", XPT_HOOK_DEREFS - 1);
		if (xpt_hook_lex__next(l))
			return -EINVAL;
		if (l->kind != XPT_WORD_NAME)
			return xpt_hook_lex__wrong(l, l->at, "expected a member of a struct");
		if (n + l->len + 3 > sizeof(c->path))
			return xpt_hook_lex__wrong(l, l->at, "too long a way");
		n += (size_t)snprintf(c->path + n, sizeof(c->path) - n, "%s%s", n ? "->" : "", l->text);
		if (xpt_hook_lex__next(l))
			return -EINVAL;
	}
	return 0;
}

/* Reads an argument's number or name, and the path through structs after it, into c; takes the
 * words. */
static int read_argument(struct xpt_hook_lex *l, struct xpt_hook_cap *c)
{
	bool by_name = l->h->probe.kind > XPT_PROBE_KERNEL;
	int n, last = last_arg(l->h);

	if (l->kind != XPT_WORD_NAME)
		return xpt_hook_lex__wrong(l, l->at, "expected an argument, like arg0");
	if (is_reserved(l->text))
		return xpt_hook_lex__wrong(l, l->at, "expected a value, not '%s'; 'by' and 'as' follow an action: count "
					   "by KEY as NAME", l->text);
	c->at = (uint32_t)l->at;
	if (!strncmp(l->text, "arg.", 4))	/* by its name, also where that means something else */
		memmove(l->text, l->text + 4, strlen(l->text + 4) + 1);
	if (l->h->probe.kind == XPT_PROBE_IOCTL)
		return ioctl_argument(l, c);
	n = by_name ? -1 : arg_number(l->text);
	if (n > last)
		return xpt_hook_lex__wrong(l, l->at, "arguments of this probe are arg0 to arg%d", last);
	if (n < 0 && l->h->probe.kind == XPT_PROBE_USDT)
		return xpt_hook_lex__wrong(l, l->at, "'%.40s' is unknown: arguments of USDT probes have no names "
					   "(arg0, arg1 ...)", l->text);
	if (n < 0 && strlen(l->text) >= sizeof(c->arg_name))
		return xpt_hook_lex__wrong(l, l->at, "too long a name");
	c->arg = (int8_t)n;
	if (n < 0)
		memcpy(c->arg_name, l->text, strlen(l->text) + 1);
	return xpt_hook_lex__next(l) ? -EINVAL : read_path(l, c);
}

/* Refuses a dereference of any value of an ioctl but its argument. */
static int only_arg(struct xpt_hook_lex *l, const struct xpt_hook_cap *c, int err)
{
	if (!err && l->h->probe.kind == XPT_PROBE_IOCTL && strcmp(c->arg_name, "arg") != 0)
		return xpt_hook_lex__wrong(l, c->at, "of an ioctl, what arg points to can be read: *(arg + 8)");
	return err;
}

/* " + 8", " - 8" or, as it is read without the blank, " -8". */
static int read_offset(struct xpt_hook_lex *l, int32_t *ret_off)
{
	bool minus = xpt_hook_lex__is(l, "-");
	int err = 0;

	if (!l->negative || l->kind != XPT_WORD_NUMBER) {
		err = xpt_hook_lex__next(l);
		if (!err && l->kind == XPT_WORD_NUMBER && l->negative)
			return xpt_hook_lex__wrong(l, l->at, "expected an offset in bytes");
	}
	if (!err && (l->kind != XPT_WORD_NUMBER || l->number < -INT32_MAX || l->number > INT32_MAX))
		return xpt_hook_lex__wrong(l, l->at, "expected an offset in bytes");
	if (err)
		return err;
	*ret_off = (int32_t)(minus ? -l->number : l->number);
	return xpt_hook_lex__next(l);
}

/* ARG or ARG + OFFSET. */
static int read_address(struct xpt_hook_lex *l, struct xpt_hook_cap *c)
{
	int err = read_argument(l, c);

	if (!err && ((l->kind == XPT_WORD_NUMBER && l->negative) || xpt_hook_lex__is(l, "+") ||
		     xpt_hook_lex__is(l, "-")))
		err = read_offset(l, &c->off);
	return err;
}

/* After '*': ARG or (ARG + OFFSET). */
static int read_dereference(struct xpt_hook_lex *l, struct xpt_hook_cap *c)
{
	int err;

	c->kind = XPT_HOOK_CAP_DEREF;
	if (!xpt_hook_lex__is(l, "("))
		return only_arg(l, c, read_argument(l, c));
	err = xpt_hook_lex__next(l);
	err = err ? err : read_address(l, c);
	err = err ? err : xpt_hook_lex__expect(l, ")", "behind the address");
	return only_arg(l, c, err);
}

static uint8_t width_of(const char *s)
{
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		if (!strcmp(s, widths[i].name))
			return widths[i].width;
	return 0;
}

/* Reads a value that every hit has. 1: it is none of those; 0, or -EINVAL. */
static int read_common(struct xpt_hook_lex *l, uint8_t width, struct xpt_hook_value *v)
{
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (xpt_hook_lex__is(l, plain[i].name))
			break;
	if (i == sizeof(plain) / sizeof(*plain))
		return 1;
	if (plain[i].ends && !at_return(l->h))
		return xpt_hook_lex__wrong(l, l->at, "%s is known where a call returns: use call: (or kernel:) for "
					   "the probe", plain[i].name);
	v->src.source = plain[i].source;
	v->src.width = width ? width : 8;
	v->key_kind = plain[i].key_kind;
	v->is_signed = width ? width & 0x80 : plain[i].is_signed;
	v->is_time = plain[i].is_time;
	l->h->prog.gap |= v->src.source == XPT_HOOK_GAP;
	return xpt_hook_lex__next(l);
}

static int number_value(struct xpt_hook_lex *l, uint8_t width, struct xpt_hook_value *v)
{
	struct xpt_hook_cap c = { .width = width, .arg = -1 };
	int err = read_common(l, width, v);

	if (err <= 0)
		return err;
	if (xpt_hook_lex__is(l, "*")) {
		err = xpt_hook_lex__next(l);
		c.at = (uint32_t)l->at;
		err = err ? err : read_dereference(l, &c);
	} else {
		err = read_argument(l, &c);
	}
	err = err ? err : add_capture(l, &c);
	if (err < 0)
		return err;
	v->src = (struct xpt_wire_hook_src){ .source = XPT_HOOK_VALUE, .arg = (uint8_t)err, .width = 8 };
	v->is_signed = width & 0x80;
	v->key_kind = v->is_signed ? XPT_HOOK_KEY_SIGNED : XPT_HOOK_KEY_NUMBER;
	return 0;
}

static int string_value(struct xpt_hook_lex *l, struct xpt_hook_value *v)
{
	struct xpt_hook_cap c = { .kind = XPT_HOOK_CAP_STRING };
	int err;

	if (l->h->probe.kind == XPT_PROBE_IOCTL)
		return xpt_hook_lex__wrong(l, l->at, "strings of ioctls are not read");
	err = read_address(l, &c);
	err = err ? err : add_capture(l, &c);
	if (err < 0)
		return err;
	v->src = (struct xpt_wire_hook_src){ .source = XPT_HOOK_STRING, .arg = (uint8_t)err, .width = 8 };
	v->key_kind = XPT_HOOK_KEY_TEXT;
	return 0;
}

/* ", NAME, NAME ..." of 0, 1 ... */
static int read_names(struct xpt_hook_lex *l, struct xpt_hook_value *v)
{
	size_t n = 0;

	v->key_kind = XPT_HOOK_KEY_NAMES;
	if (xpt_hook_lex__expect(l, ",", "and what 0, 1 ... are called: read_names(arg1, off, on)"))
		return -EINVAL;
	for (;;) {
		if (l->kind != XPT_WORD_NAME)
			return xpt_hook_lex__wrong(l, l->at, "expected a name for the next number");
		if (n + l->len + 2 > sizeof(v->names))
			return xpt_hook_lex__wrong(l, l->at, "too many names");
		n += (size_t)snprintf(v->names + n, sizeof(v->names) - n, "%s%s", n ? " " : "", l->text);
		if (xpt_hook_lex__next(l))
			return -EINVAL;
		if (!xpt_hook_lex__is(l, ","))
			return 0;
		if (xpt_hook_lex__next(l))
			return -EINVAL;
	}
}

/* ", TYPE": an enum of the program that is traced. */
static int enum_type(struct xpt_hook_lex *l, struct xpt_hook_value *v)
{
	v->key_kind = XPT_HOOK_KEY_ENUM;
	if (l->h->probe.kind >= XPT_PROBE_KERNEL)
		return xpt_hook_lex__wrong(l, v->at, "enums are a program's: usdt:, uprobe: or call:; read_names() has names of your own");
	if (xpt_hook_lex__expect(l, ",", "and the program's enum: enum(arg1, nvmf_tgt_state)"))
		return -EINVAL;
	if (l->kind != XPT_WORD_NAME)
		return xpt_hook_lex__wrong(l, l->at, "expected the name of an enum of the program");
	snprintf(v->names, sizeof(v->names), "%s", l->text);
	return xpt_hook_lex__next(l);
}

static bool is_number(uint8_t source)
{
	return source != XPT_HOOK_COMM && source != XPT_HOOK_FUNC && source != XPT_HOOK_STACK;
}

/* NAME(...): a width, str, usym, names or enum. */
static int read_function(struct xpt_hook_lex *l, enum xpt_hook_use use, struct xpt_hook_value *v)
{
	bool str = xpt_hook_lex__is(l, "str"), usym = xpt_hook_lex__is(l, "usym");
	bool has_names = xpt_hook_lex__is(l, "names"), is_enum = xpt_hook_lex__is(l, "enum");
	uint8_t width = width_of(l->text);
	int err;

	if (!width && !str && !usym && !has_names && !is_enum)
		return xpt_hook_lex__wrong(l, l->at, "no such function: there are str(), usym(), read_names(), enum(), u8() to u64() "
					   "and i8() to i64()");
	if ((usym || has_names || is_enum) && use != XPT_USE_KEY)
		return xpt_hook_lex__wrong(l, l->at, "%s() is a key: count by %s(arg1%s)", l->text, l->text,
					   has_names ? ", off, on" : is_enum ? ", TYPE" : "");
	if (str && use == XPT_USE_VALUE)
		return xpt_hook_lex__wrong(l, l->at, "a string is no number");
	err = xpt_hook_lex__next(l);
	err = err ? err : xpt_hook_lex__next(l);	/* the bracket: it is known to follow */
	if (!err)
		err = str ? string_value(l, v) : number_value(l, width, v);
	if (!err && !str && !is_number(v->src.source))
		return xpt_hook_lex__wrong(l, v->at, "this is no number");
	if (!err && usym)
		v->key_kind = XPT_HOOK_KEY_USYM;
	if (!err && has_names)
		err = read_names(l, v);
	if (!err && is_enum)
		err = enum_type(l, v);
	return err ? err : xpt_hook_lex__expect(l, ")", "to end the brackets");
}

/* Checks that this value can be used in this part of the line. 0 or -EINVAL. */
static int check_use(struct xpt_hook_lex *l, enum xpt_hook_use use, const struct xpt_hook_value *v)
{
	uint8_t source = v->src.source;

	if (source == XPT_HOOK_STACK && use != XPT_USE_KEY)
		return xpt_hook_lex__wrong(l, v->at, "stack is a key: count by stack");
	if (source == XPT_HOOK_STACK && l->h->probe.kind == XPT_PROBE_IOCTL)
		return xpt_hook_lex__wrong(l, v->at, "ioctls are seen without the stack: kernel:vmlinux:__x64_sys_ioctl "
					   "has it");
	if ((source == XPT_HOOK_COMM || source == XPT_HOOK_FUNC) && use == XPT_USE_VALUE)
		return xpt_hook_lex__wrong(l, v->at, "this is no number");
	if (source == XPT_HOOK_FUNC && use == XPT_USE_FILTER)
		return xpt_hook_lex__wrong(l, v->at, "func is a key; functions are chosen by the probe");
	return 0;
}

int xpt_hook_value__parse(struct xpt_hook_lex *l, enum xpt_hook_use use, struct xpt_hook_value *ret_v)
{
	struct xpt_hook_value v = { .at = l->at, .names = "" };
	int err;

	if (l->kind != XPT_WORD_NAME && !xpt_hook_lex__is(l, "*"))
		return xpt_hook_lex__wrong(l, l->at, "expected a value: arg0, *arg0, str(arg0), duration, pid ...");
	if (l->kind == XPT_WORD_NAME && xpt_hook_lex__follows(l, '('))
		err = read_function(l, use, &v);
	else
		err = number_value(l, 0, &v);
	err = err ? err : check_use(l, use, &v);
	if (err)
		return err;
	v.end = l->at;	/* of the word after it; blanks between are cut by who shows it */
	while (v.end > v.at + 1 && (l->line[v.end - 1] == ' ' || l->line[v.end - 1] == '\t'))
		v.end--;
	*ret_v = v;
	return 0;
}
