// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See curses.h. The static binary has no loader, and so no screen. */
#include "top/curses.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifdef XPT_STATIC
int xpt_curses__load(struct xpt_curses *ret_c)
{
	(void)ret_c;
	return -ENOTSUP;
}
#else
#define SONAME "libncursesw.so.6"

static const struct function {
	const char *name;
	size_t offset;			/* in struct xpt_curses */
} functions[] = {
#define X(type, name, parameters) { #name, offsetof(struct xpt_curses, name) },
	XPT_CURSES_FNS(X)
#undef X
};

int xpt_curses__load(struct xpt_curses *ret_c)
{
	void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *symbol = dlsym(library, functions[i].name);

		if (!symbol)
			return -ENOTSUP;
		memcpy((char *)ret_c + functions[i].offset, &symbol, sizeof(symbol));
	}
	return library ? 0 : -ENOTSUP;
}
#endif
