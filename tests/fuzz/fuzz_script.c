/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the reader of bpftrace scripts: the input is a script that anybody wrote. What
 * it becomes for one program ends and has no place left that waits for a file or a
 * process, but in comments and strings.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "session/spdk/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)
#define PROGRAM_MAX (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct xpt_script *s;	/* of one program: its files are read once */
	struct xpt_strbuf sb;
	char *text = malloc(size + 1);

	xpt_log__set_level(XPT_LOG_NONE);
	MUST(text && (s || !xpt_script__new(0, "/bin/sh", &s)));
	memcpy(text, data, size);
	text[size] = '\0';
	xpt_strbuf__init(&sb, PROGRAM_MAX);
	if (!xpt_script__add(s, text, size & 1 ? 2409 : 0, &sb))
		MUST(!xpt_strbuf__err(&sb) && (!text[0] || strlen(xpt_strbuf__str(&sb)) == sb.len));
	xpt_strbuf__free(&sb);
	free(text);
	return 0;
}
