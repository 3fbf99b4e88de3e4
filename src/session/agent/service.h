/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages of a service to systemd, as sd_notify(3) describes them; without systemd these do nothing. */
#ifndef XPT_SESSION_AGENT_SERVICE_H
#define XPT_SESSION_AGENT_SERVICE_H

#include <stdint.h>

struct xpt_service {
	int fd;				/* of a socket, -1: there is no service manager */
	uint64_t alive_ns, next_ns;	/* how often it must hear of us, 0: never; and when next */
};

/* Reads NOTIFY_SOCKET and WATCHDOG_USEC, and takes them out of the environment. */
void xpt_service__open(struct xpt_service *s);
/* Sends assignments, one a line: "READY=1\nSTATUS=...". */
void xpt_service__notify(const struct xpt_service *s, const char *text);
/* Says that we live, if it is time to. */
void xpt_service__step(struct xpt_service *s, uint64_t now_ns);
void xpt_service__close(struct xpt_service *s);

#endif
