/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pieces of the live table's lines, see live_row.h.
 */
#include "model/output/live_row.h"

#include <stdio.h>
#include <string.h>
#include "model/call.h"
#include "model/value.h"
#include "model/vocab.h"

bool xpt_row__dims(const struct xpt_call *c, enum xpt_role x, char *buf, size_t n)
{
	uint64_t v[3] = { 1, 1, 1 };
	int len;

	if (!xpt_call__role(c, x, &v[0]))
		return false;
	xpt_call__role(c, x + 1, &v[1]);
	xpt_call__role(c, x + 2, &v[2]);
	len = snprintf(buf, n, "%u", (unsigned)v[0]);
	if (v[1] != 1 || v[2] != 1)
		len += snprintf(buf + len, n - (size_t)len, "x%u", (unsigned)v[1]);
	if (v[2] != 1)
		snprintf(buf + len, n - (size_t)len, "x%u", (unsigned)v[2]);
	return true;
}

_Static_assert(XPT_ROLE_GRID_Z == XPT_ROLE_GRID_X + 2, "xpt_row__dims() counts on it");
_Static_assert(XPT_ROLE_BLOCK_Z == XPT_ROLE_BLOCK_X + 2, "xpt_row__dims() counts on it");

bool xpt_row__bytes(const struct xpt_call *c, uint64_t *ret_bytes)
{
	static const enum xpt_role roles[] = { XPT_ROLE_SIZE, XPT_ROLE_PITCH };

	if (c->freed) {
		*ret_bytes = c->freed;
		return true;
	}
	if (c->fn->cls == XPT_CLASS_LAUNCH || c->fn->cls == XPT_CLASS_FREE)
		return false;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		int at = c->fn->role_idx[roles[i]];

		if (at >= 0 && !xpt_call__shows_arg(c, (unsigned)at))
			return false;
	}
	return xpt_call__bytes(c, ret_bytes);
}

const char *xpt_row__short_result(const char *name)
{
	const char *at = strstr(name, "_ERROR_");

	if (at && at[7])
		return at + 7;
	if (strncmp(name, "cudaError", 9) == 0 && name[9])
		return name + 9;
	return name;
}
