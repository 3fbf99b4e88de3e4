/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Properties of a function's captures, by their operation and role alone (wire/vocab.h): no value
 * is looked at.
 */
#ifndef XPT_MODEL_DOMAIN_CAP_H
#define XPT_MODEL_DOMAIN_CAP_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/wire.h"

/* True if values of this role are addresses, handles or flags: shown in hex. */
bool xpt_role_is_hex(unsigned role);
bool xpt_role_is_state(unsigned role);	/* a state, or one that is asked for: numbers in JSON, names in text */
/* True if one of the call's strings belongs to this capture. */
bool xpt_cap_is_string(const struct xpt_wire_cap *cap);
/* Bit i: the text of capture i is in the records of the function's calls. */
uint16_t xpt_string_caps(const struct xpt_wire_fn *spec);
/* True if the value is known when the call has returned, and only if it succeeded. */
bool xpt_cap_is_out(const struct xpt_wire_cap *cap);
/* False: the value is no argument, but follows from the function or from other values. */
bool xpt_cap_is_arg(const struct xpt_wire_cap *cap);
/* False: the value comes from elsewhere than from an argument word. */
bool xpt_cap_has_word(const struct xpt_wire_cap *cap);
/* True if results of this enum xpt_ret are pointers: shown in hex. */
bool xpt_ret_is_pointer(unsigned ret);

#endif
