/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The format of the attach cookies of user functions. Cookies are not stored in
 * recordings.
 */
#ifndef XPT_WIRE_COOKIE_H
#define XPT_WIRE_COOKIE_H

/* Keys of xpt_sites: group * XPT_SITE_SLOTS + the low bits of the probe's address. */
#define XPT_SITE_SLOTS 4096u	/* of a page, the smallest there is */

/*
 * Bits of an attach cookie beside the function's id (perf: of the value in xpt_sites).
 * A function that an unwinder may pass through has no return probe: its own return
 * instructions, and the jumps that end it, have probes that close the call.
 */
#define XPT_AT_RETURN (1u << 31)	/* here a call ends; else here it begins */
#define XPT_AT_JUMP (1u << 30)	/* AT_RETURN: by a jump to another function, so its result is not known */
#define XPT_AT_COND (1u << 29)	/* AT_JUMP: if the condition in XPT_AT_CC holds */
#define XPT_AT_CC(cookie) ((cookie) >> 24 & 15)
#define XPT_AT_SHARED (1u << 28)	/* AT_RETURN: other functions run through here, too */
#define XPT_NO_RETURN_PROBE (1u << 30)	/* an entry: its returns are seen by AT_RETURN */
#define XPT_COOKIE_FN(cookie) ((cookie) & 0xffffff)

#endif
