// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See microhttpd.h. The loader's own folders are searched: a server process gets no search path of the environment.
 */
#ifdef XPT_HAVE_MICROHTTPD
#include "http/microhttpd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define SONAME "libmicrohttpd.so.12"	/* of the 0.9 versions since 2014 */

struct function {
	const char *name;
	size_t offset;			/* in struct xpt_microhttpd */
};

static const struct function functions[] = {
#define X(name) { "MHD_" #name, offsetof(struct xpt_microhttpd, name) },
	XPT_MICROHTTPD_FNS(X)
#undef X
};

int xpt_microhttpd__load(struct xpt_microhttpd *ret_m)
{
	void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *symbol = dlsym(library, functions[i].name);

		if (!symbol)
			return -ENOTSUP;
		memcpy((char *)ret_m + functions[i].offset, &symbol, sizeof(symbol));
	}
	return library ? 0 : -ENOTSUP;
}
#endif
