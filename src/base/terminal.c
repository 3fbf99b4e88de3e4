// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See terminal.h. The variable is the one of POSIX (Base Definitions, chapter 8). */
#include "base/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/parse.h"

unsigned xpt_terminal_columns(FILE *f)
{
	const char *named = getenv("COLUMNS");
	struct winsize ws;
	uint64_t n = 0;

	if (named && *named && xpt_parse_u64(named, 1, UINT32_MAX, &n))
		n = 0;		/* no number: as if it were not set */
	if (!n && isatty(fileno(f)))
		n = !ioctl(fileno(f), TIOCGWINSZ, &ws) && ws.ws_col ? ws.ws_col : 80;
	if (!n)
		return 0;
	return n < XPT_COLUMNS_MIN ? XPT_COLUMNS_MIN : n > XPT_COLUMNS_MAX ? XPT_COLUMNS_MAX : (unsigned)n;
}
