/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A page of text for HTTP clients, GET /metrics. A process without rights serves them; whoever hands it pages
 * never waits for a client, nor for that process.
 */
#ifndef XPT_HTTP_SERVER_H
#define XPT_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPT_SERVER_ADDRESS 64	/* bytes of an address as text, with its port and NUL */

struct xpt_server;

/* Whether address is one that __open() takes. */
bool xpt_server__is_address(const char *address);
/*
 * Listens on address: PORT, HOST:PORT or [HOST]:PORT, where HOST is a number or "localhost"; PORT alone is on
 * 127.0.0.1, and port 0 is one that is free. ret_where: where it listens now. 0; -EINVAL: that is no such address;
 * -ENOTSUP: there is no libmicrohttpd; or -errno of bind(2) and the like.
 */
int xpt_server__open(const char *address, struct xpt_server **ret_s, char ret_where[XPT_SERVER_ADDRESS]);
/* The page that is served from now on; it is copied. Starts the process anew if it has ended. 0 or -errno. */
int xpt_server__put(struct xpt_server *s, const char *page, size_t size, uint64_t now_ns);
/* How the server process ended last, and how often: "was ended by signal 9"; NULL: it runs. */
const char *xpt_server__problem(const struct xpt_server *s);
void xpt_server__close(struct xpt_server *s);	/* NULL is fine */

#endif
