// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See top_output.h. A page and a document need two snapshots, an interval apart. */
#include "cli/commands/top_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/terminal.h"
#include "base/time.h"
#include "model/text.h"
#include "session/options/usage.h"
#include "session/user.h"
#include "top/rates_json.h"
#include "top/screen.h"

#define PAGE_COLUMNS 120		/* where standard output is no terminal */
#define LATE 10				/* a snapshot that comes this part of an interval too early is in time */

/* Names are asked for once: a directory service may be slow. */
static const char *find_user_name(uint32_t uid)
{
	static struct {
		uint32_t uid;
		char name[32];
	} known[64];
	static unsigned nr;

	for (unsigned i = 0; i < nr; i++)
		if (known[i].uid == uid)
			return known[i].name;
	if (nr == sizeof(known) / sizeof(known[0]))
		nr = 0;
	known[nr].uid = uid;
	snprintf(known[nr].name, sizeof(known[nr].name), "%s", xpt_user__name(uid));
	return known[nr++].name;
}

void xpt_top_output__init(struct xpt_top_output *o, enum xpt_top_mode mode, uint64_t interval_ns)
{
	*o = (struct xpt_top_output){ .mode = mode, .interval_ns = interval_ns };
	xpt_strbuf__init(&o->text, XPT_SNAPSHOT_BYTES * 4ul);
	o->view.sort[1] = XPT_TOP_BY_WAIT;
	o->view.utf8 = xpt_text_utf8();
	o->view.is_page = mode != XPT_TOP_ON_SCREEN;
	o->view.source = o->source;
	o->view.user = find_user_name;
}

void xpt_top_output__set_source(struct xpt_top_output *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(o->source, sizeof(o->source), fmt, ap);
	va_end(ap);
}

/* --- output --------------------------------------------------------------------------------------- */

static unsigned count_columns(void)
{
	unsigned columns = xpt_terminal_columns(stdout);

	return columns ? columns : PAGE_COLUMNS;
}

static void add_page(struct xpt_top_output *o)
{
	struct xpt_top_page page = { .line = NULL };

	xpt_top_view__draw(&o->view, o->rates, count_columns(), 0, &page);
	for (unsigned i = 0; i < page.nr; i++) {
		const struct xpt_strbuf *line = &page.line[i].text;
		size_t n = line->len;

		while (n && line->s[n - 1] == ' ')
			n--;
		xpt_strbuf__addn(&o->text, line->s, n);
		xpt_strbuf__addc(&o->text, '\n');
	}
	o->err = page.err;
	xpt_top_page__free(&page);
}

static void write_text(struct xpt_top_output *o)
{
	xpt_strbuf__reset(&o->text);
	if (o->mode == XPT_TOP_PAGE) {
		add_page(o);
	} else {
		xpt_top_rates__print_json(o->rates, o->source, &o->text);
		xpt_strbuf__addc(&o->text, '\n');
	}
	o->err = o->err ? o->err : xpt_strbuf__err(&o->text);
	errno = 0;
	if (!o->err && (fwrite(o->text.s, 1, o->text.len, stdout) != o->text.len || fflush(stdout)))
		o->err = errno ? -errno : -EIO;
	o->done = o->mode != XPT_TOP_DOCUMENTS || o->err;
}

/* --- snapshots --------------------------------------------------------------------------------------- */

/* Another trace counts from 0 again: an agent was started anew. */
static bool is_same_trace(const struct xpt_snapshot *a, const struct xpt_snapshot *b)
{
	return a->pid == b->pid && a->began_ns == b->began_ns && a->ts_ns < b->ts_ns;
}

static bool is_too_early(const struct xpt_top_output *o, const struct xpt_snapshot *s)
{
	return o->now && !o->is_last && is_same_trace(o->now, s) &&
	       s->ts_ns - o->now->ts_ns < o->interval_ns - o->interval_ns / LATE;
}

int xpt_top_output__take(struct xpt_top_output *o, const char *document, size_t n)
{
	struct xpt_snapshot *s;
	struct xpt_top_rates *rates;
	int err = xpt_snapshot__parse(document, n, &s);

	if (err)
		return err;
	if (o->done || is_too_early(o, s)) {
		xpt_snapshot__free(s);
		return 0;
	}
	err = xpt_top_rates__new(o->now && is_same_trace(o->now, s) ? o->now : NULL, s, &rates);
	if (err) {
		xpt_snapshot__free(s);
		return err;
	}
	xpt_top_rates__free(o->rates);
	xpt_snapshot__free(o->before);
	o->before = o->now;
	o->now = s;
	o->rates = rates;
	o->is_changed = true;
	if (o->mode != XPT_TOP_ON_SCREEN && (rates->interval_ns || o->is_last))
		write_text(o);
	return 0;
}

/* --- the screen --------------------------------------------------------------------------------------- */

#define MESSAGE_NS 10000000000ull	/* that a message stays */
#define MESSAGES 16

static struct {				/* while there is a screen */
	char text[MESSAGES][256];
	unsigned nr;			/* further ones are in place of the last one */
	uint64_t until_ns;
	bool is_new;
} messages;

static void take_message(const char *text)
{
	unsigned i = messages.nr < MESSAGES ? messages.nr++ : MESSAGES - 1;

	snprintf(messages.text[i], sizeof(messages.text[i]), "%s", text);
	messages.until_ns = xpt_now_ns() + MESSAGE_NS;
	messages.is_new = true;
}

static void show_message(struct xpt_top_output *o)
{
	bool is_over = o->view.message && xpt_now_ns() > messages.until_ns;

	o->is_changed |= messages.is_new || is_over;
	if (messages.is_new)
		o->view.message = messages.text[messages.nr - 1];
	else if (is_over)
		o->view.message = NULL;
	messages.is_new = false;
}

int xpt_top_output__open_screen(struct xpt_top_output *o)
{
	const char *no_color = getenv("NO_COLOR");
	int err = xpt_screen__open(!no_color || !no_color[0], &o->screen);

	if (err == -ENOTSUP)
		xpt_err(err, "a screen needs libncursesw (Debian: libncursesw6), which is missing, and not the static binary; "
			"--once writes one page without it");
	else if (err)
		xpt_err(err, "this terminal cannot be used as a screen (TERM is '%s'): --once writes one page",
			getenv("TERM") ? getenv("TERM") : "");
	if (err)
		return XPT_EXIT_FAILED;
	o->is_changed = true;
	xpt_log__set_taker(take_message);
	return 0;
}

void xpt_top_output__step(struct xpt_top_output *o)
{
	struct xpt_top_page page = { .line = NULL };
	unsigned width, height;
	uint32_t key;

	if (!o->screen)
		return;
	while ((key = xpt_screen__key(o->screen))) {
		xpt_top_view__key(&o->view, key);
		o->is_changed = true;
	}
	show_message(o);
	o->done |= o->view.quit;
	o->is_changed |= xpt_screen__size(o->screen, &width, &height);
	if (!o->is_changed)
		return;
	o->is_changed = false;
	xpt_top_view__draw(&o->view, o->rates, width, height, &page);
	xpt_screen__show(o->screen, &page);
	xpt_top_page__free(&page);
}

void xpt_top_output__free(struct xpt_top_output *o)
{
	if (o->screen) {
		xpt_screen__close(o->screen);
		xpt_log__set_taker(NULL);
		for (unsigned i = 0; i < messages.nr; i++)
			xpt_info("%s", messages.text[i]);
	}
	xpt_top_rates__free(o->rates);
	xpt_snapshot__free(o->before);
	xpt_snapshot__free(o->now);
	xpt_strbuf__free(&o->text);
}
