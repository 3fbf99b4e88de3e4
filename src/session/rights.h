/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capabilities that are kept once all that needs root is set up. */
#ifndef XPT_SESSION_RIGHTS_H
#define XPT_SESSION_RIGHTS_H

#include <stdbool.h>

/*
 * Gives up, for good, the capabilities that late attaching, outputs, signals to targets and the jail of readers do
 * not need. admin: CAP_SYS_ADMIN is among those that they do; it is kept in any case where Linux is older than 5.9. A
 * command of ours has its own by then.
 */
void xpt_rights__drop(bool admin);

#endif
