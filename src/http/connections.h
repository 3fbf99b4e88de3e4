/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long the clients of a server process take: a connection that has taken too long for a request and its answer,
 * or has been idle for so long, is shut down. libmicrohttpd's own limit begins anew with each byte.
 */
#ifndef XPT_HTTP_CONNECTIONS_H
#define XPT_HTTP_CONNECTIONS_H

#include <stdint.h>

enum { XPT_CONNECTIONS = 64 };		/* at a time */

struct xpt_connection {
	int fd;
	uint64_t since_ns;		/* when it began, or ended its last request; 0: the place is free */
};

struct xpt_connections {
	struct xpt_connection v[XPT_CONNECTIONS];
};

void xpt_connections__add(struct xpt_connections *c, int fd, uint64_t now_ns);
/* The client's request was answered. */
void xpt_connections__served(struct xpt_connections *c, int fd, uint64_t now_ns);
void xpt_connections__remove(struct xpt_connections *c, int fd);
/* Shuts down those of limit_ns and older; how many. */
unsigned xpt_connections__end_old(struct xpt_connections *c, uint64_t limit_ns, uint64_t now_ns);

#endif
