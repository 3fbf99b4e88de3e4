// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A hook's line: its probe, then captures, a filter, an action. The probe ends
 * at the first blank, for paths may hold anything else.
 */
#include "hooks/hook.h"

#include <ctype.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hooks/ioctl_value.h"
#include "hooks/lex.h"

#define EXE "__EXE__"
#define PROBE_MAX 4096

/* Copies the probe's text to buf, with the program's path for __EXE__. 0 or -EINVAL. */
static int expand_probe(struct xpt_hook_lex *l, size_t from, size_t n, char *buf)
{
	const char *s = l->line + from, *at = strstr(s, EXE);

	if (n >= PROBE_MAX)
		return xpt_hook_lex__wrong(l, from, "too long a probe");
	if (!at || at >= s + n) {
		snprintf(buf, PROBE_MAX, "%.*s", (int)n, s);
		return 0;
	}
	if (!l->env->exe)
		return xpt_hook_lex__wrong(l, (size_t)(at - l->line), EXE " is known with -p PID or -- COMMAND only");
	if (n - strlen(EXE) + strlen(l->env->exe) >= PROBE_MAX)
		return xpt_hook_lex__wrong(l, from, "too long a path");
	snprintf(buf, PROBE_MAX, "%.*s%s%.*s", (int)(at - s), s, l->env->exe,
		 (int)(n - (size_t)(at - s) - strlen(EXE)), at + strlen(EXE));
	return 0;
}

/* Returns the place in the line of an offset in the expanded probe. */
static size_t find_in_line(const struct xpt_hook_lex *l, size_t from, size_t at)
{
	const char *exe = strstr(l->line + from, EXE);
	size_t before = exe ? (size_t)(exe - (l->line + from)) : 0;

	if (!exe || !l->env->exe || at <= before)
		return from + at;
	if (at < before + strlen(l->env->exe))
		return from + before;
	return from + at - strlen(l->env->exe) + strlen(EXE);
}

static const struct {
	const char *prefix, *form;
	enum xpt_probe_kind kind;
} of_kernel[] = {
	{ "kernel:", "a function of the kernel is kernel:MODULE:FUNCTION (vmlinux: what is built in)", XPT_PROBE_KERNEL },
	{ "tracepoint:", "a tracepoint is tracepoint:CATEGORY:NAME, like tracepoint:sched:sched_switch",
	  XPT_PROBE_TRACEPOINT },
	{ "ioctl:", "an ioctl is ioctl:DEVICE:COMMAND, a device file or nvidia, uvm, verbs, nvme, other or *",
	  XPT_PROBE_IOCTL },
};

/* Reads a probe in the kernel. 1: text is none of these; 0, or -EINVAL. */
static int kernel_probe(struct xpt_hook_lex *l, size_t from, const char *text)
{
	struct xpt_probe *p = &l->h->probe;
	const char *first, *colon;
	size_t i, room;
	char *to;

	for (i = 0; i < sizeof(of_kernel) / sizeof(*of_kernel); i++)
		if (!strncmp(text, of_kernel[i].prefix, strlen(of_kernel[i].prefix)))
			break;
	if (i == sizeof(of_kernel) / sizeof(*of_kernel))
		return 1;
	first = text + strlen(of_kernel[i].prefix);
	colon = strchr(first, ':');
	if (!colon || colon == first || !colon[1])
		return xpt_hook_lex__wrong(l, from, "%s", of_kernel[i].form);
	p->kind = of_kernel[i].kind;
	to = p->kind == XPT_PROBE_IOCTL ? p->path : p->provider;
	room = p->kind == XPT_PROBE_IOCTL ? sizeof(p->path) : sizeof(p->provider);
	if ((size_t)(colon - first) >= room || strlen(colon) > sizeof(p->name))
		return xpt_hook_lex__wrong(l, from, "too long a name");
	snprintf(to, room, "%.*s", (int)(colon - first), first);
	snprintf(p->name, sizeof(p->name), "%s", colon + 1);
	return 0;
}

static int read_probe(struct xpt_hook_lex *l)
{
	size_t from = strspn(l->line, " \t"), n = strcspn(l->line + from, " \t"), at = 0;
	char text[PROBE_MAX];
	const char *why = "";
	int err = expand_probe(l, from, n, text);

	l->pos = from + n;
	err = err ? err : kernel_probe(l, from, text);
	if (err <= 0)
		return err;
	if (!xpt_probe__parse(text, &l->h->probe, &at, &why))
		return 0;
	if (!at && isdigit((unsigned char)text[0]))
		why = "a bare address is no name: hooks are on functions, 'call:PATH:FUNCTION', which nm(1) and "
		      "'xputrace list' show";
	else if (!at && text[0])
		why = "a probe is call:PATH:FUNCTION, uprobe:PATH:FUNCTION, usdt:PATH:PROVIDER:NAME, "
		      "kernel:MODULE:FUNCTION, tracepoint:CATEGORY:NAME or ioctl:DEVICE:COMMAND";
	return xpt_hook_lex__wrong(l, find_in_line(l, from, at), "%s", text[0] ? why : "a hook begins with its probe");
}

/* A capture's text is its name, unless it has one before '='. */
static void label_capture(struct xpt_hook_cap *c, const char *s, size_t n)
{
	if (n >= sizeof(c->name))
		n = sizeof(c->name) - 1;
	memcpy(c->name, s, n);
	c->name[n] = '\0';
}

/* [NAME =] VALUE */
static int read_capture(struct xpt_hook_lex *l)
{
	uint8_t had = l->h->nr_caps;
	size_t name_at = l->at, name_len = 0;
	struct xpt_hook_value v;
	int err = 0;

	if (l->kind == XPT_WORD_NAME && xpt_hook_lex__follows(l, '=') &&
	    l->line[l->pos + strspn(l->line + l->pos, " \t") + 1] != '=') {
		name_len = l->len;
		err = xpt_hook_lex__next(l);
		err = err ? err : xpt_hook_lex__next(l);
	}
	if (!err && !xpt_hook_lex__is(l, "*") && l->kind != XPT_WORD_NAME)
		return xpt_hook_lex__wrong(l, l->at, "expected a value to read (arg0, *arg0, str(arg0)), a filter "
					   "(/pid == 1/ or if) or an action (count)");
	err = err ? err : xpt_hook_value__parse(l, XPT_USE_CAPTURE, &v);
	if (err)
		return err;
	if (v.src.source == XPT_HOOK_GAP || v.src.source == XPT_HOOK_FUNC || v.src.source == XPT_HOOK_CPU ||
	    v.src.source == XPT_HOOK_UID)
		return xpt_hook_lex__wrong(l, v.at, "events do not hold it: use it in a filter or an action");
	if (v.src.source != XPT_HOOK_VALUE && v.src.source != XPT_HOOK_STRING)
		return 0;	/* every event has it */
	if (l->h->nr_caps == had)
		return xpt_hook_lex__wrong(l, v.at, "this is read already");
	if (!name_len && !strncmp(l->line + v.at, "arg.", 4))
		v.at += 4;
	label_capture(&l->h->cap[had], l->line + (name_len ? name_at : v.at), name_len ? name_len : v.end - v.at);
	return 0;
}

static int read_captures(struct xpt_hook_lex *l)
{
	int err = 0;

	while (!err && l->kind != XPT_WORD_END && !xpt_hook_lex__is(l, "/") && !xpt_hook_lex__is(l, "if") &&
	       !xpt_hook_action__begins(l)) {
		err = read_capture(l);
		if (!err && xpt_hook_lex__is(l, ","))
			err = xpt_hook_lex__next(l);
	}
	l->h->nr_shown = l->h->nr_caps;
	return err;
}

/* The map's name, where none is given: letters of the function's. */
static void default_name(struct xpt_hook *h)
{
	size_t n = 0;

	for (const char *s = h->probe.name; *s && n + 1 < sizeof(h->name); s++)
		if (isalnum((unsigned char)*s) || *s == '_')
			h->name[n++] = *s;
	h->name[n] = '\0';
}

/* Names the captures that only filters and actions use. */
static void name_rest(struct xpt_hook_lex *l)
{
	struct xpt_hook *h = l->h;

	for (unsigned i = h->nr_shown; i < h->nr_caps; i++) {
		struct xpt_hook_cap *c = &h->cap[i];
		const char *open = c->kind == XPT_HOOK_CAP_DEREF ? "*" : "";

		if (c->arg < 0)
			snprintf(c->name, sizeof(c->name), "%s%.40s", open, c->path[0] ? c->path : c->arg_name);
		else
			snprintf(c->name, sizeof(c->name), "%sarg%d", open, c->arg);
	}
}

static int read_rest(struct xpt_hook_lex *l)
{
	int err = xpt_hook_lex__next(l);

	err = err ? err : read_captures(l);
	if (!err && xpt_hook_lex__is(l, "/")) {
		err = xpt_hook_lex__next(l);
		err = err ? err : xpt_hook_filter__parse(l, "/");
	} else if (!err && xpt_hook_lex__is(l, "if")) {
		err = xpt_hook_lex__next(l);
		err = err ? err : xpt_hook_filter__parse(l, "");
	}
	if (!err && l->kind != XPT_WORD_END) {
		if (!xpt_hook_action__begins(l))
			return xpt_hook_lex__wrong(l, l->at, "expected an action behind the filter: count, "
						   "hist(VALUE) ...");
		err = xpt_hook_action__parse(l);
	}
	return err;
}

int xpt_hook__parse(const char *line, const struct xpt_hook_env *env, struct xpt_hook *ret_h,
		    struct xpt_hook_error *ret_err)
{
	static const struct xpt_hook_env nothing;
	struct xpt_hook_lex l = { .line = line, .env = env ? env : &nothing, .err = ret_err };
	struct xpt_hook h = { .nr_caps = 0 };
	int err;

	l.h = &h;
	if (strlen(line) >= XPT_HOOK_LINE)
		return xpt_hook_lex__wrong(&l, XPT_HOOK_LINE, "too long a line");
	err = read_probe(&l);
	err = err ? err : read_rest(&l);
	if (err)
		return err;
	name_rest(&l);
	if (h.prog.action != XPT_HOOK_EVENT && !h.name[0])
		default_name(&h);
	if (h.probe.kind == XPT_PROBE_IOCTL)
		xpt_hook_ioctl__place(&h);
	*ret_h = h;
	return 0;
}

/* --- several ---------------------------------------------------------------------- */

static bool adds_up_alike(const struct xpt_hook *a, const struct xpt_hook *b)
{
	if (a->prog.action != b->prog.action || a->prog.nr_keys != b->prog.nr_keys ||
	    a->is_time != b->is_time || a->prog.low != b->prog.low || a->prog.step != b->prog.step ||
	    a->prog.nr_buckets != b->prog.nr_buckets)
		return false;
	for (unsigned i = 0; i < a->prog.nr_keys; i++)
		if (a->key[i].kind != b->key[i].kind || strcmp(a->key[i].names, b->key[i].names) ||
		    a->prog.key[i].at != b->prog.key[i].at)
			return false;
	return true;
}

int xpt_hook__share(struct xpt_hook *hooks, uint32_t nr, struct xpt_hook_error *ret_err)
{
	struct xpt_hook *h = &hooks[nr];

	h->prog.map = nr;
	for (uint32_t i = 0; h->prog.action != XPT_HOOK_EVENT && i < nr; i++) {
		if (hooks[i].prog.action == XPT_HOOK_EVENT || strcmp(hooks[i].name, h->name))
			continue;
		if (!adds_up_alike(&hooks[i], h)) {
			ret_err->at = h->name_at;
			snprintf(ret_err->why, sizeof(ret_err->why), "@%.40s adds up otherwise in an earlier hook: "
				 "give this one another name (as NAME)", h->name);
			return -EINVAL;
		}
		h->prog.map = hooks[i].prog.map;
		return 0;
	}
	return 0;
}

static bool has_key(const struct xpt_hook *h, enum xpt_hook_key_kind kind)
{
	for (unsigned i = 0; i < h->prog.nr_keys; i++)
		if (h->key[i].kind == kind)
			return true;
	return false;
}

bool xpt_hook__wants_steps(const struct xpt_hook *h)
{
	for (unsigned i = 0; i < h->nr_caps; i++)
		if (h->cap[i].path[0] || (h->cap[i].kind == XPT_HOOK_CAP_STRING && h->cap[i].off) ||
		    (h->cap[i].kind == XPT_HOOK_CAP_DEREF && h->probe.kind >= XPT_PROBE_KERNEL))
			return true;
	return false;
}

bool xpt_hook__wants_symbols(const struct xpt_hook *h)
{
	return has_key(h, XPT_HOOK_KEY_USYM) || has_key(h, XPT_HOOK_KEY_STACK);
}

bool xpt_hook__has_enum_key(const struct xpt_hook *h)
{
	return has_key(h, XPT_HOOK_KEY_ENUM);
}

bool xpt_hook__has_text_key(const struct xpt_hook *h)
{
	return has_key(h, XPT_HOOK_KEY_TEXT);
}

bool xpt_hook__wants_stack(const struct xpt_hook *h)
{
	return has_key(h, XPT_HOOK_KEY_STACK);
}
