// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the first line of a file, see file_line.h. */
#include "base/files/file_line.h"

#include <stdio.h>
#include <string.h>

bool xpt_file_line__first(const char *path, char *buf, size_t n)
{
	FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (f && fgets(buf, (int)n, f))
		buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
	return buf[0];
}
