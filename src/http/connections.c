// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See connections.h. A descriptor is shut down and not closed: its owner closes it when it hears of the end. */
#include "http/connections.h"

#include <stddef.h>
#include <sys/socket.h>

static struct xpt_connection *find_connection(struct xpt_connections *c, int fd)
{
	for (unsigned i = 0; i < XPT_CONNECTIONS; i++)
		if (c->v[i].since_ns && c->v[i].fd == fd)
			return &c->v[i];
	return NULL;
}

void xpt_connections__add(struct xpt_connections *c, int fd, uint64_t now_ns)
{
	for (unsigned i = 0; i < XPT_CONNECTIONS; i++)
		if (!c->v[i].since_ns) {
			c->v[i] = (struct xpt_connection){ fd, now_ns };
			return;
		}
	shutdown(fd, SHUT_RDWR);	/* it could not be bounded */
}

void xpt_connections__served(struct xpt_connections *c, int fd, uint64_t now_ns)
{
	struct xpt_connection *v = find_connection(c, fd);

	if (v)
		v->since_ns = now_ns;
}

void xpt_connections__remove(struct xpt_connections *c, int fd)
{
	struct xpt_connection *v = find_connection(c, fd);

	if (v)
		v->since_ns = 0;
}

unsigned xpt_connections__end_old(struct xpt_connections *c, uint64_t limit_ns, uint64_t now_ns)
{
	unsigned n = 0;

	for (unsigned i = 0; i < XPT_CONNECTIONS; i++) {
		struct xpt_connection *v = &c->v[i];

		if (!v->since_ns || now_ns - v->since_ns < limit_ns)
			continue;
		shutdown(v->fd, SHUT_RDWR);
		v->since_ns = now_ns;	/* until it is removed */
		n++;
	}
	return n;
}
