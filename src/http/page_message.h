/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages between xputrace and its server process. The process reports once that it serves, or why it cannot:
 * an int32_t, 0 or -errno. Then it gets messages, each with a descriptor of a sealed file that holds a page.
 */
#ifndef XPT_HTTP_PAGE_MESSAGE_H
#define XPT_HTTP_PAGE_MESSAGE_H

#include <stdint.h>

#define XPT_SERVER_ARG "--http-server"	/* first argument of a server process: not for users */
#define XPT_SERVER_FD 3			/* its end of a socket pair (SOCK_SEQPACKET) */
#define XPT_SERVER_LISTEN_FD 4
#define XPT_SERVER_MAGIC 0x78707470u

struct xpt_server_message {
	uint32_t magic, reserved;
	uint64_t size;			/* of the page, bytes */
};

#endif
