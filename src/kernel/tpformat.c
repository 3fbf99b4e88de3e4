// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads lines like
 *
 *   field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *   field:__data_loc char[] name;	offset:16;	size:4;	signed:0;
 */
#include "kernel/tpformat.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define RECORD_MAX 65536	/* bytes of a record: PERF_MAX_TRACE_SIZE is 8 KiB */

/* The number after "KEY:" of the line. */
static bool read_number(const char *line, size_t n, const char *key, uint64_t max, uint64_t *ret_v)
{
	size_t len = strlen(key);
	char text[24];

	for (size_t i = 0; i + len < n; i++) {
		size_t digits;

		if (strncmp(line + i, key, len) || (i && line[i - 1] != '\t' && line[i - 1] != ' '))
			continue;
		digits = strspn(line + i + len, "0123456789");
		if (!digits || digits >= sizeof(text) || i + len + digits >= n)
			return false;
		snprintf(text, sizeof(text), "%.*s", (int)digits, line + i + len);
		return !xpt_parse_u64(text, 0, max, ret_v);
	}
	return false;
}

static bool has_word(const char *s, size_t n, const char *what)
{
	size_t len = strlen(what);

	for (size_t i = 0; i + len <= n; i++)
		if (!strncmp(s + i, what, len))
			return true;
	return false;
}

/* A number, or where its bytes are; false: neither. decl: the text between "field:" and ';'. */
static bool locate_field(const char *decl, size_t n, uint64_t size, bool is_signed, struct xpt_tp_field *f)
{
	bool array = has_word(decl, n, "[");

	f->text = array && has_word(decl, n, "char");
	f->loc.width = 8;
	if (has_word(decl, n, "__data_loc") || has_word(decl, n, "__rel_loc")) {
		f->loc.kind = has_word(decl, n, "__rel_loc") ? XPT_LOC_FIELD_REL : XPT_LOC_FIELD_DATA;
		return size == 4;
	}
	if (array) {
		f->loc.kind = XPT_LOC_FIELD_AT;
		return true;
	}
	f->loc.kind = XPT_LOC_FIELD;
	f->loc.width = (uint8_t)(size | (is_signed ? 0x80 : 0));
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The declaration's name: the last word before an array's bounds. */
static bool read_name(const char *decl, size_t n, char *buf)
{
	size_t end = n, from;

	if (end && decl[end - 1] == ']')
		while (end && decl[--end] != '[')
			;
	while (end && decl[end - 1] == ' ')
		end--;
	for (from = end; from && (isalnum((unsigned char)decl[from - 1]) || decl[from - 1] == '_'); from--)
		;
	if (from == end || end - from >= XPT_TP_NAME)
		return false;
	memset(buf, 0, XPT_TP_NAME);
	memcpy(buf, decl + from, end - from);
	return strncmp(buf, "common_", 7) != 0;
}

static bool read_field(const char *line, size_t n, struct xpt_tp_field *f)
{
	const char *decl = line + strlen("field:"), *end = memchr(decl, ';', n - strlen("field:"));
	uint64_t off, size, is_signed = 0;
	size_t len;

	if (!end)
		return false;
	len = (size_t)(end - decl);
	if (!read_number(end, n - (size_t)(end - line), "offset:", RECORD_MAX, &off) ||
	    !read_number(end, n - (size_t)(end - line), "size:", RECORD_MAX, &size))
		return false;
	read_number(end, n - (size_t)(end - line), "signed:", 1, &is_signed);
	memset(f, 0, sizeof(*f));
	f->loc.off = (int64_t)off;
	return read_name(decl, len, f->name) && locate_field(decl, len, size, is_signed, f);
}

void xpt_tpformat__parse(const char *text, struct xpt_tp_format *ret_f)
{
	size_t n;

	ret_f->nr = 0;
	for (; *text && ret_f->nr < XPT_TP_FIELDS; text += n + (text[n] == '\n')) {
		size_t blank;

		n = strcspn(text, "\n");
		blank = strspn(text, " \t");
		if (blank < n && !strncmp(text + blank, "field:", strlen("field:")) &&
		    read_field(text + blank, n - blank, &ret_f->field[ret_f->nr]))
			ret_f->nr++;
	}
}
