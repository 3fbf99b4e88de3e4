/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sealed files in memory (memfd_create(2) with seals): passes bytes to another process as a descriptor. Nobody can
 * change them any more, nothing is copied, and a slow reader blocks no other process.
 */
#ifndef XPT_BASE_FILES_SEALED_H
#define XPT_BASE_FILES_SEALED_H

#include <stdbool.h>
#include <stddef.h>

struct xpt_strbuf;

/* Makes a sealed file of n bytes. Returns a descriptor that the caller closes, or -errno. */
int xpt_sealed__make(const char *name, const void *bytes, size_t n);
/* Sends a message of n bytes and the descriptor fd over a Unix socket, without waiting. Returns 0 or -errno. */
int xpt_sealed__send(int socket, const void *message, size_t n, int fd);
/*
 * Receives a message of n bytes with a descriptor, without waiting. Returns 0; -EAGAIN if there is none; -EPIPE if
 * the other end is closed; -EBADMSG if the message has another size, or not exactly one descriptor; or -errno.
 */
int xpt_sealed__receive(int socket, void *ret_message, size_t n, int *ret_fd);
/*
 * Appends the n bytes of a sealed file to sb. Returns 0; -EBADMSG if fd is not a sealed file of that size; -E2BIG or
 * -ENOMEM.
 */
int xpt_sealed__read(int fd, size_t n, struct xpt_strbuf *sb);
/* Whether the other end of a socket has messages that it has not received. */
bool xpt_sealed__has_unread(int socket);

#endif
