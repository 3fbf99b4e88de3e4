// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files of hooks: a hook a line; a line that begins with '#' is a comment, and
 * '\' at the end of a line takes the next line in.
 */
#include "hooks/hook.h"

#include <string.h>

/* Joins the line at `at` with the lines that it continues on. Returns the text after them. */
static char *take_lines(char *at, unsigned *nr)
{
	char *line = at, *end;

	for (;;) {
		end = strchr(at, '\n');
		*nr += end != NULL;
		if (!end)
			return at + strlen(at);
		if (end == line || end[-1] != '\\')
			break;
		end[-1] = end[0] = ' ';
		at = end + 1;
	}
	*end = '\0';
	if (end > line && end[-1] == '\r')
		end[-1] = '\0';
	return end + 1;
}

char *xpt_hook__next_line(char **at, unsigned *nr, unsigned *ret_nr)
{
	while (**at) {
		char *line = *at;

		*ret_nr = *nr;
		*at = take_lines(line, nr);
		if (line[strspn(line, " \t\r")] && line[strspn(line, " \t")] != '#')
			return line;
	}
	return NULL;
}
