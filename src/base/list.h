/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A short list of texts that others own, such as the values of an option that may be given again.
 */
#ifndef XPT_BASE_LIST_H
#define XPT_BASE_LIST_H

#define XPT_LIST_MAX 64

struct xpt_list {
	const char *v[XPT_LIST_MAX + 1];	/* NULL-terminated */
	unsigned n;
};

#endif
