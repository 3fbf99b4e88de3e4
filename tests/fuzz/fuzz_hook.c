/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the language of hooks, files of them, formats of tracepoints and the reader of
 * records. What is taken is a program that ends and stays inside its tables; what is
 * not has its mistake inside the line. A record that is read prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/tpformat.h"
#include "hooks/hook.h"
#include "model/output/hook_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check_program(const struct xpt_hook *h)
{
	const struct xpt_wire_hook *p = &h->prog;

	MUST(h->nr_caps <= XPT_MAX_VALS && h->nr_shown <= h->nr_caps);
	MUST(p->nr_tests <= XPT_HOOK_TESTS && p->nr_keys <= XPT_HOOK_KEYS && p->action < XPT_HOOK_ACTION__MAX);
	for (unsigned i = 0; i < p->nr_tests; i++) {
		MUST(p->test[i].yes > i && p->test[i].no > i);
		MUST(p->test[i].yes < p->nr_tests || p->test[i].yes >= XPT_HOOK_YES);
		MUST(p->test[i].no < p->nr_tests || p->test[i].no >= XPT_HOOK_YES);
		MUST(p->test[i].a.source != XPT_HOOK_VALUE || p->test[i].a.arg < (h->probe.kind == XPT_PROBE_IOCTL ? XPT_MAX_VALS : h->nr_caps));
	}
	for (unsigned i = 0; i < p->nr_tests; i++)
		MUST(p->test[i].b.source != XPT_HOOK_STRING || p->test[i].imm[0] < h->nr_strings);
	for (unsigned i = 0; i < h->nr_strings; i++)
		MUST(!xpt_hook_text_is_cut(&h->string[i]));
	for (unsigned i = 0; i < p->nr_keys; i++)
		MUST(p->key[i].at < XPT_HOOK_WORDS && memchr(h->key[i].text, 0, sizeof(h->key[i].text)));
	MUST(p->action != XPT_HOOK_LINEAR || (p->step && p->nr_buckets <= XPT_HOOK_STEPS));
}

/* As far as it may be. */
static int find_way(void *ctx, const struct xpt_hook_cap *c, struct xpt_hook_way *ret_way,
		    struct xpt_hook_error *ret_err)
{
	(void)ctx;
	if (c->path[0] == '_') {
		snprintf(ret_err->why, sizeof(ret_err->why), "none");
		return -1;
	}
	*ret_way = (struct xpt_hook_way){ .arg = 1, .nr = XPT_HOOK_DEREFS };
	return 0;
}

static void check_line(const char *line)
{
	static const struct xpt_hook_env env = { "/some/program", 77 };
	static const uint8_t widths[3] = { 8, 0x84, 1 };
	struct xpt_hook_place place = { .sym = "f", .nr_args = 3, .width = widths };
	struct xpt_captures known = { .spec = { .nr_caps = 2, .cap = {
		{ .op = XPT_CAP_STR, .arg = 1, .width = 8 }, { .op = XPT_CAP_OUT, .arg = 2, .width = 4 } } },
		.name = { "path", "out" } };
	struct xpt_hook_error err = { 0 };
	struct xpt_wire_hook_steps steps;
	struct xpt_captures caps;
	static struct xpt_hook v[2];

	if (xpt_hook__parse(line, &env, &v[0], &err)) {
		MUST(err.at <= strlen(line) && err.why[0]);
		return;
	}
	check_program(&v[0]);
	v[1] = v[0];
	MUST(!xpt_hook__share(v, 0, &err) && !xpt_hook__share(v, 1, &err));
	if (!xpt_hook__captures(&v[0], &place, &caps, &steps, &err))
		MUST(caps.spec.nr_caps <= XPT_MAX_VALS && caps.spec.nr_stack <= 7);
	else
		MUST(err.at <= strlen(line));
	place.known = &known;
	place.way = find_way;
	place.kernel = strlen(line) & 1;
	if (!xpt_hook__captures(&v[0], &place, &caps, &steps, &err)) {	/* the program goes by their numbers */
		MUST(caps.spec.nr_caps >= v[0].nr_caps && caps.spec.nr_caps <= XPT_MAX_VALS);
		MUST(steps.nr <= XPT_HOOK_STEPS_MAX);
		for (unsigned i = 0; i < steps.nr; i++)
			MUST(steps.step[i].cap < caps.spec.nr_caps && steps.step[i].from < caps.spec.nr_caps);
	}
	xpt_hook__ioctl_steps(&v[0], &steps);
	for (unsigned i = 0; v[0].probe.kind == XPT_PROBE_IOCTL && i < steps.nr; i++)
		MUST(steps.step[i].cap < XPT_MAX_VALS && xpt_hook__ioctl_value(&v[0], i));
}

static void check_record(const uint8_t *data, size_t size)
{
	static uint64_t rec[8192];
	struct xpt_hook_row row;
	struct xpt_strbuf sb;

	if (size > sizeof(rec))
		return;
	memcpy(rec, data, size);
	if (!xpt_hook_row__read(rec, size, &row))
		return;
	xpt_strbuf__init(&sb, 1 << 16);
	xpt_hook_row__add_text(&row, 80, &sb);
	MUST(xpt_strbuf__err(&sb) || sb.len);
	xpt_strbuf__free(&sb);
}

/* Each line of a file lies behind the one before and is read by itself. */
static void check_file(const char *text, size_t size)
{
	char *copy = malloc(size + 1), *at = copy, *line, *end;
	unsigned nr = 1, first, last = 0;

	if (!copy)
		return;
	memcpy(copy, text, size + 1);
	for (end = copy; (line = xpt_hook__next_line(&at, &nr, &first)); end = line + strlen(line)) {
		MUST(line >= end && at <= copy + size && first > last && nr >= first);
		last = first;
		check_line(line);
	}
	free(copy);
}

static void check_format(const char *text)
{
	static struct xpt_tp_format f;

	xpt_tpformat__parse(text, &f);
	MUST(f.nr <= XPT_TP_FIELDS);
	for (unsigned i = 0; i < f.nr; i++)
		MUST(f.field[i].name[0] && memchr(f.field[i].name, 0, sizeof(f.field[i].name)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);

	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	check_file(line, strlen(line));
	check_format(line);
	check_line(line);
	free(line);
	check_record(data, size);
	return 0;
}
