/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the reader of signature tables: the input's first three lines are a
 * function, a struct and an enum. Whatever they say, what comes of them can be
 * captured, has a type, and prints.
 */
#include <stdlib.h>
#include <string.h>
#include "model/domain/captures.h"
#include "model/domain/domain.h"
#include "model/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check_constants(const char *line)
{
	static const uint64_t values[] = { 0, 1, 6, 0x80000000u, UINT32_MAX, UINT64_MAX, 1ull << 40 };
	struct xpt_strbuf sb;
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		bool found;

		xpt_strbuf__init(&sb, 512);
		found = xpt_enum__add(&sb, line, values[i]);
		MUST(found || !sb.len);
		xpt_strbuf__free(&sb);
	}
}

static void check_captures(const struct xpt_domain *d, const char *sym)
{
	struct xpt_captures caps;
	unsigned i;

	xpt_captures__make(d, NULL, sym, XPT_ARGS_ALL, &caps);
	MUST(caps.spec.nr_caps <= XPT_MAX_VALS && caps.spec.nr_stack <= 7);
	for (i = 0; i < caps.spec.nr_caps; i++) {
		const struct xpt_wire_cap *cap = &caps.spec.cap[i];
		unsigned width = cap->width & 0x7f;
		struct xpt_fn fn = { .nr_caps = 1, .cap = { *cap } };
		struct xpt_strbuf sb;

		MUST(cap->arg <= 12 && cap->op > XPT_CAP_NONE && cap->op < XPT_CAP__MAX);
		MUST(width == 1 || width == 2 || width == 4 || width == 8);
		MUST(memchr(caps.name[i], '\0', XPT_CAP_NAME));
		fn.cap_type[0] = xpt_sig__cap_type(d->sigs, sym, cap, caps.name[i]);
		xpt_strbuf__init(&sb, 4096);
		xpt_value__add_text(&sb, &fn, 0, 0x7fc00001);
		xpt_value__add_json(&sb, &fn, 0, UINT64_MAX);
		MUST(sb.len || xpt_strbuf__err(&sb));
		xpt_strbuf__free(&sb);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line[3] = { "", "", "" };
	char *text = malloc(size + 1), *p = text, sym[64];
	int i;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (i = 0; i < 3 && p; i++) {
		line[i] = p;
		p = strchr(p, '\n');
		if (p)
			*p++ = '\0';
	}
	{
		const struct xpt_sigs sigs = { &line[0], &line[1], &line[2], 1, 1, 1 };
		const struct xpt_domain d = { .name = "fuzz", .sigs = &sigs };
		size_t n = strcspn(line[0], " ");

		if (n < sizeof(sym)) {
			memcpy(sym, line[0], n);
			sym[n] = '\0';
			check_captures(&d, sym);
		}
	}
	check_constants(line[2]);
	free(text);
	return 0;
}
