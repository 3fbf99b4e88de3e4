/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program of a server process, see server.h. main() begins with xpt_server_child__is_asked(), before it touches
 * anything.
 */
#ifndef XPT_HTTP_SERVER_CHILD_H
#define XPT_HTTP_SERVER_CHILD_H

#include <stdbool.h>

/* Whether this process was started as a server. */
bool xpt_server_child__is_asked(int argc, char **argv);
/* Serves until the other end of XPT_SERVER_FD is closed. Returns the exit status. */
int xpt_server_child__run(void);

#endif
