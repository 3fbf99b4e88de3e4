/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes what reads and writes text: number parsers, shell patterns, edit
 * distance, UTF-8 and JSON strings. The input is split at its first newline
 * into two strings; what must hold for any input is asserted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check_parsers(const char *s)
{
	uint64_t u = 77;
	int64_t i = 77;
	int err;

	err = xpt_parse_u64(s, 10, 20, &u);
	MUST(err ? u == 77 : u >= 10 && u <= 20);
	u = 77;
	err = xpt_parse_size(s, 10, 4096, &u);
	MUST(err ? u == 77 : u >= 10 && u <= 4096);
	u = 77;
	err = xpt_parse_duration(s, 1, UINT64_MAX, &u);
	MUST(err == 0 || err == -EINVAL || err == -ERANGE);
	err = xpt_parse_i64(s, -5, 5, &i);
	MUST(err ? i == 77 : i >= -5 && i <= 5);
}

/* A JSON string: quoted, no bare control character or quote, valid UTF-8. */
static void check_json(const char *s, size_t max)
{
	struct xpt_strbuf sb;
	const char *j;
	size_t i, len;
	uint32_t cp;

	xpt_strbuf__init(&sb, max);
	xpt_strbuf__add_json(&sb, s);
	j = xpt_strbuf__str(&sb);
	MUST(strlen(j) == sb.len && sb.len <= max);
	if (xpt_strbuf__err(&sb)) {
		MUST(sb.len == 0);
	} else {
		MUST(sb.len >= 2 && j[0] == '"' && j[sb.len - 1] == '"');
		for (i = 1; i < sb.len - 1; i += len) {
			len = xpt_utf8__decode(j + i, sb.len - i, &cp);
			MUST(len && cp >= 0x20 && cp != '"');
			if (cp == '\\')
				len = 2;
		}
		MUST(i == sb.len - 1);
	}
	xpt_strbuf__free(&sb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *second;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	second = strchr(text, '\n');
	if (second)
		*second++ = '\0';
	else
		second = text;
	check_parsers(text);
	check_json(text, SIZE_MAX);
	check_json(second, 16);
	MUST(xpt_glob_match("*", text));
	MUST(xpt_glob_match(text, text));
	xpt_glob_match(text, second);
	MUST(xpt_edit_distance(text, second) == xpt_edit_distance(second, text));
	MUST(xpt_fmt_columns(text) <= 2 * strlen(text));
	free(text);
	return 0;
}
