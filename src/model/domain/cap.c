// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The meanings of the operations and roles of captures: which values are strings, results or
 * arguments, and which are shown in hex. See cap.h.
 */
#include "model/domain/cap.h"

#include <stdint.h>

#define ROLE(r) (1ull << XPT_ROLE_##r)

/* Values that a reader compares with other addresses or decodes bit by bit. */
static const uint64_t hex_roles = ROLE(NONE) | ROLE(ADDR) | ROLE(STREAM) | ROLE(QUEUE) | ROLE(FUNC) |
				  ROLE(NAME) | ROLE(FLAGS) | ROLE(HANDLE) | ROLE(DST) |
				  ROLE(SRC) | ROLE(EVENT) | ROLE(CONTEXT) | ROLE(GRAPH) |
				  ROLE(MODULE) | ROLE(POOL) | ROLE(KERNEL) | ROLE(LIBRARY) |
				  ROLE(ID) | ROLE(QPAIR) | ROLE(CONTROLLER) | ROLE(SUBSYSTEM) |
				  ROLE(HOST) | ROLE(SRC_HOST) | ROLE(DST_HOST);

_Static_assert(XPT_ROLE__MAX <= 64, "roles fit a mask");

bool xpt_role_is_state(unsigned role)
{
	return role == XPT_ROLE_STATE || role == XPT_ROLE_ASKED;
}

bool xpt_role_is_hex(unsigned role)
{
	return role < 64 && (hex_roles >> role & 1);
}

bool xpt_ret_is_pointer(unsigned ret)
{
	return ret == XPT_RET_POINTER || ret == XPT_RET_ERR_PTR;
}

bool xpt_cap_is_string(const struct xpt_wire_cap *cap)
{
	return cap->op == XPT_CAP_STR || (cap->op == XPT_CAP_OUT && cap->role == XPT_ROLE_NAME);
}

uint16_t xpt_string_caps(const struct xpt_wire_fn *spec)
{
	uint16_t strings = 0;

	if (!(spec->flags & XPT_FN_STRINGS))
		return spec->str_cap ? (uint16_t)(1u << (spec->str_cap - 1)) : 0;
	for (unsigned i = 0; i < spec->nr_caps && i < XPT_MAX_VALS; i++)
		if (spec->cap[i].op == XPT_CAP_STR)
			strings |= (uint16_t)(1u << i);
	return strings;
}

bool xpt_cap_is_out(const struct xpt_wire_cap *cap)
{
	return cap->op == XPT_CAP_OUT || cap->op == XPT_CAP_OUT_HASH || cap->op == XPT_CAP_RET;
}

bool xpt_cap_is_arg(const struct xpt_wire_cap *cap)
{
	return cap->op != XPT_CAP_CONST && cap->op != XPT_CAP_SIDES;
}

bool xpt_cap_has_word(const struct xpt_wire_cap *cap)
{
	return cap->op != XPT_CAP_CONST && cap->op != XPT_CAP_RET;
}
