/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports, as soon as it happens and once, that the kernel refuses probes. */
#ifndef XPT_SESSION_REFUSED_H
#define XPT_SESSION_REFUSED_H

#include <stdbool.h>

struct xpt_engine;

struct xpt_refused {		/* zeroed: nothing was reported */
	bool libraries, uverbs;
};

void xpt_refused__report(struct xpt_refused *r, const struct xpt_engine *e);

#endif
