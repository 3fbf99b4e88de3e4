/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes what `xputrace top` reads from an agent: two documents, one a line, become rates, pages and a document.
 * Whatever they say, indexes lie inside their arrays, and pages have the size that was asked for.
 */
#include <stdlib.h>
#include <string.h>
#include "model/text.h"
#include "top/rates_json.h"
#include "top/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void draw(const struct xpt_top_rates *r, unsigned width, unsigned height)
{
	static const char keys[] = "drh\033jjek/tra";
	struct xpt_top_view v = { .utf8 = true };
	struct xpt_top_page page = { .line = NULL };

	for (unsigned i = 0; i < sizeof(keys); i++) {
		xpt_top_view__draw(&v, r, width, height, &page);
		MUST(!height || page.nr == height);
		for (unsigned n = 0; n < page.nr; n++)
			MUST(xpt_text_columns(xpt_strbuf__str(&page.line[n].text), true) <= width);
		xpt_top_view__key(&v, i == 3 ? XPT_TOP_KEY_ESCAPE : i == 5 ? XPT_TOP_KEY_ENTER : (uint32_t)keys[i]);
	}
	xpt_top_page__free(&page);
}

static void show(const struct xpt_snapshot *before, const struct xpt_snapshot *now)
{
	struct xpt_top_rates *r;
	struct xpt_strbuf sb;

	MUST(!xpt_top_rates__new(before, now, &r));
	MUST(r->nr_processes >= now->nr_processes && r->nr_functions == now->nr_rows);
	draw(r, 80, 24);
	draw(r, 150, 40);
	xpt_strbuf__init(&sb, 1 << 24);
	xpt_top_rates__print_json(r, "fuzz", &sb);
	xpt_strbuf__free(&sb);
	xpt_top_rates__free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	struct xpt_snapshot *a = NULL, *b = NULL;

	if (!xpt_snapshot__parse((const char *)data, end ? (size_t)(end - data) : size, &a))
		show(NULL, a);
	if (end && !xpt_snapshot__parse((const char *)end + 1, size - (size_t)(end - data) - 1, &b))
		show(a, b);
	xpt_snapshot__free(a);
	xpt_snapshot__free(b);
	return 0;
}
