/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes base/demangle/demangle.h: any name gives some text or none, within bounds; a
 * name that was refused leaves no trace; the short form is never longer than
 * the whole. Time is what the fuzzer's own limit watches.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/demangle/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xpt_strbuf full, brief;
	char *name = calloc(1, size + 3);

	MUST(name);
	memcpy(name, "_Z", 2);
	memcpy(name + 2, data, size);
	xpt_strbuf__init(&full, 1u << 16);
	xpt_strbuf__init(&brief, 1u << 16);
	if (xpt_demangle(name, &full))
		MUST(full.len && full.len <= 16384);
	else
		MUST(full.len == 0);
	MUST(!xpt_demangle(name + 2, &brief) || !strncmp(name + 2, "_Z", 2));
	xpt_strbuf__reset(&brief);
	xpt_demangle_short(xpt_strbuf__str(&full), &brief);
	MUST(brief.len <= full.len);
	xpt_strbuf__reset(&brief);
	xpt_demangle_short(name + 2, &brief);
	MUST(brief.len <= strlen(name + 2));
	xpt_strbuf__free(&full);
	xpt_strbuf__free(&brief);
	free(name);
	return 0;
}
