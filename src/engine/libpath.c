// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where the loader looks for a library and the shell for a command. First
 * form: LD_LIBRARY_PATH and the usual folders.
 */
#include "engine/libpath.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int xpt_libpath__next(struct xpt_libpath *lp, const char *soname, char *buf, size_t n)
{
	static const char *const dirs[] = {
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64",
	};
	const size_t nr = sizeof(dirs) / sizeof(dirs[0]);

	while (lp->pos < nr + 1) {
		const char *dir = lp->pos ? dirs[lp->pos - 1] : lp->ld_library_path;

		lp->pos++;
		if (!dir)
			continue;
		snprintf(buf, n, "%.*s/%s", (int)strcspn(dir, ":"), dir, soname);
		if (!access(buf, R_OK))
			return 1;
	}
	return 0;
}

int xpt_libpath__command(const char *name, const char *path_var, char *buf, size_t n)
{
	const char *p = path_var ? path_var : "/usr/bin:/bin";

	if (strchr(name, '/')) {
		snprintf(buf, n, "%s", name);
		return access(buf, F_OK) ? -ENOENT : access(buf, X_OK) ? -EACCES : 0;
	}
	while (*p) {
		size_t len = strcspn(p, ":");

		snprintf(buf, n, "%.*s/%s", (int)len, p, name);
		if (!access(buf, X_OK))
			return 0;
		p += len + (p[len] == ':');
	}
	return -ENOENT;
}
