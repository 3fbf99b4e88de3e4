/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes in memory that are handed to another process as a descriptor, and that nobody can change any more: who reads
 * them slowly holds nobody up, and nothing is copied.
 */
#ifndef XPT_BASE_FILES_SEALED_H
#define XPT_BASE_FILES_SEALED_H

#include <stdbool.h>
#include <stddef.h>

struct xpt_strbuf;

/* A descriptor, or -errno. */
int xpt_sealed__make(const char *name, const void *bytes, size_t n);
/* Sends a message with it over a socket of Unix, without waiting. 0 or -errno. */
int xpt_sealed__send(int socket, const void *message, size_t n, int fd);
/*
 * Receives a message of n bytes with a descriptor, without waiting. 0; -EAGAIN: there is none; -EPIPE: the other end
 * is closed; -EBADMSG: another message, or none with one descriptor; -errno.
 */
int xpt_sealed__receive(int socket, void *ret_message, size_t n, int *ret_fd);
/*
 * All of a descriptor that was sealed like that, n bytes, into sb. 0; -EBADMSG: it is something else; -E2BIG,
 * -ENOMEM.
 */
int xpt_sealed__read(int fd, size_t n, struct xpt_strbuf *sb);
/* Whether the other end of a socket has messages that it has not taken. */
bool xpt_sealed__has_unread(int socket);

#endif
