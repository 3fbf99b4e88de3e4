/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How often pages are made that take long: they take a twentieth of the time at most. */
#ifndef XPT_SESSION_AGENT_REST_H
#define XPT_SESSION_AGENT_REST_H

#include <stdint.h>

#define XPT_REST 20
#define XPT_REST_MAX_NS 30000000000ull	/* a page of metrics that is older than a minute is not served */

/* Returns the least time from the begin of a page that took took_ns to the begin of the next one. */
static inline uint64_t xpt_rest_ns(uint64_t took_ns)
{
	return took_ns < XPT_REST_MAX_NS / XPT_REST ? took_ns * XPT_REST : XPT_REST_MAX_NS;
}

#endif
