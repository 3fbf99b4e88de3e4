/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots for processes of this machine, by a socket of Unix (SOCK_SEQPACKET). A message says how long a document
 * is and has it as a sealed descriptor. Clients send nothing. Only root and the server's own user get any, and
 * clients believe nobody else.
 */
#ifndef XPT_SNAPSHOT_LOCAL_H
#define XPT_SNAPSHOT_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"

#define XPT_LOCAL_SOCKET "/run/xputrace/agent.sock"
#define XPT_LOCAL_MAGIC 0x73747078u	/* of this form of the message */
#define XPT_LOCAL_CLIENTS 8

struct xpt_local_message {
	uint32_t magic, reserved;
	uint64_t size;			/* of the document, bytes */
};

struct xpt_local_server;

/*
 * Makes the socket, and its folder if that is not there. 0; -EADDRINUSE: another server lives there; -EPERM: the
 * folder belongs to somebody else, or others may write to it; -errno. path must outlive the server.
 */
int xpt_local_server__open(const char *path, struct xpt_local_server **ret_s);
/* Takes clients, and lets go those that have ended; never waits. True: there are some. */
bool xpt_local_server__step(struct xpt_local_server *s, uint64_t now_ns);
/* Sends a document to every client that has read the last one. Returns 0 or -errno. */
int xpt_local_server__send(struct xpt_local_server *s, const struct xpt_strbuf *document, uint64_t now_ns);
void xpt_local_server__close(struct xpt_local_server *s);	/* removes the socket; NULL is fine */

/*
 * A descriptor that can be polled for reading; ret_pid: the server. -ENOENT, -ECONNREFUSED: none is there; -EACCES:
 * it is not for us; -EPERM: it is of another user; -errno.
 */
int xpt_local_client__connect(const char *path, int32_t *ret_pid);
/* The next document, into sb, which is emptied. As xpt_sealed__receive(); -E2BIG: it is too large. */
int xpt_local_client__receive(int fd, struct xpt_strbuf *sb);

#endif
