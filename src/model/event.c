/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Questions about a call that analyzers and sinks share, asked by role. A
 * value that could not be read makes the answer unknown, never zero.
 */
#include "model/event.h"
#include "model/domain/cap.h"
#include <inttypes.h>
#include <stdio.h>
#include "model/domain/domain.h"
#include "model/vocab.h"

/* Index of the function's first capture of that role, -1 if none. */
static int role_index(const struct xpt_call *c, enum xpt_role role)
{
	return (unsigned)role < XPT_ROLE__MAX ? c->fn->role_idx[role] : -1;
}

bool xpt_call__role(const struct xpt_call *c, enum xpt_role role, uint64_t *ret_v)
{
	int i = role_index(c, role);

	if (i < 0 || i >= c->nr_vals || i >= XPT_MAX_VALS || !(c->valid >> i & 1))
		return false;
	*ret_v = c->val[i];
	return true;
}

/* Multiplies *bytes by the value of role, saturating; by 1 if there is no such
 * capture. False: it was not read. */
static bool times_role(const struct xpt_call *c, enum xpt_role role, uint64_t *bytes)
{
	uint64_t v;

	if (role_index(c, role) < 0)
		return true;
	if (!xpt_call__role(c, role, &v))
		return false;
	/* A 1D array is made with height 0; elsewhere 0 rows are 0 bytes. */
	if (!v && role != XPT_ROLE_COUNT && c->fn->cls == XPT_CLASS_ALLOC)
		return true;
	if (__builtin_mul_overflow(*bytes, v, bytes))
		*bytes = UINT64_MAX;
	return true;
}

bool xpt_call__bytes(const struct xpt_call *c, uint64_t *ret_bytes)
{
	bool pitch = c->fn->cls == XPT_CLASS_ALLOC && role_index(c, XPT_ROLE_PITCH) >= 0;
	enum xpt_role row = pitch ? XPT_ROLE_PITCH : XPT_ROLE_WIDTH;
	uint64_t bytes;

	if (role_index(c, XPT_ROLE_SIZE) >= 0) {
		if (!xpt_call__role(c, XPT_ROLE_SIZE, &bytes) ||
		    !times_role(c, XPT_ROLE_COUNT, &bytes))
			return false;
	} else if (!xpt_call__role(c, row, &bytes) ||
		   !times_role(c, XPT_ROLE_HEIGHT, &bytes) ||
		   !times_role(c, XPT_ROLE_DEPTH, &bytes)) {
		return false;
	}
	*ret_bytes = bytes;
	return true;
}

enum xpt_dir xpt_call__dir(const struct xpt_call *c)
{
#define X(e, n, s) case XPT_DIR_##e:
	uint64_t v;

	if (!xpt_call__role(c, XPT_ROLE_DIR, &v))
		return XPT_DIR_NONE;
	switch (v) {
	XPT_DIRS(X)
		return (enum xpt_dir)v;
	default:
		return XPT_DIR_NONE;
	}
#undef X
}

bool xpt_call__counts(const struct xpt_call *c)
{
	return !(c->flags & XPT_CALL_OUTER) && !c->captured;
}

const char *xpt_call__result_name(const struct xpt_call *c, char *buf, size_t n)
{
	if (c->flags & XPT_CALL_NO_RESULT)
		return "unknown";
	if (c->result)
		return c->result->name;
	if (c->fn->ret == XPT_RET_NONE)
		snprintf(buf, n, "-");
	else if (xpt_ret_is_pointer(c->fn->ret))
		snprintf(buf, n, "0x%" PRIx64, (uint64_t)c->ret);
	else
		snprintf(buf, n, "%" PRId64, c->ret);
	return buf;
}
