/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes model/text.h: whatever a traced program calls itself, what comes out
 * is valid UTF-8 (or ASCII), has no control character, fits its columns, and
 * passes a second time unchanged.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "model/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check(const char *s, size_t max, bool utf8)
{
	struct xpt_strbuf once, twice;
	size_t len, cols;
	uint32_t cp;

	xpt_strbuf__init(&once, 1u << 16);
	xpt_strbuf__init(&twice, 1u << 16);
	cols = xpt_text__add(&once, s, max, utf8);
	MUST(cols <= max && xpt_strbuf__err(&once) == 0);
	for (size_t i = 0; i < once.len; i += len) {
		len = xpt_utf8__decode(once.s + i, once.len - i, &cp);
		MUST(len && cp >= 0x20 && (cp < 0x7f || cp >= 0xa0));
		MUST(utf8 || cp < 0x7f);
	}
	MUST(xpt_text_columns(xpt_strbuf__str(&once), utf8) == cols);
	MUST(xpt_text__add(&twice, xpt_strbuf__str(&once), max, utf8) == cols);
	MUST(strcmp(xpt_strbuf__str(&once), xpt_strbuf__str(&twice)) == 0);
	xpt_strbuf__free(&once);
	xpt_strbuf__free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	char *s;

	if (!ready)
		ready = setlocale(LC_CTYPE, "C.UTF-8") != NULL;
	if (!size)
		return 0;
	s = malloc(size);
	if (!s)
		return 0;
	memcpy(s, data + 1, size - 1);
	s[size - 1] = '\0';
	check(s, data[0], true);
	check(s, data[0], false);
	free(s);
	return 0;
}
