/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the values that hooks of ioctls, mmaps and polls can read. Inside
 * src/hooks only.
 */
#ifndef XPT_HOOKS_IOCTL_VALUE_H
#define XPT_HOOKS_IOCTL_VALUE_H

#include "hooks/hook.h"
#include "wire/ioctl.h"

/* Index of that value of such a call (wire/ioctl.h); -1: it has none of that name. */
int xpt_hook_ioctl__slot(const struct xpt_probe *p, const char *name);
/* Which there are, for a message. */
const char *xpt_hook_ioctl__names(const struct xpt_probe *p);
/* Values in h->prog become those of the call. Once, after all that reads the line. */
void xpt_hook_ioctl__place(struct xpt_hook *h);

#endif
