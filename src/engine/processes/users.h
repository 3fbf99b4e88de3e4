/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shares of users (wire/user.h), where processes of several may be traced. */
#ifndef XPT_ENGINE_PROCESSES_USERS_H
#define XPT_ENGINE_PROCESSES_USERS_H

struct call_bpf;
struct xpt_engine;
struct xpt_engine_stats;

void xpt_users__configure(const struct xpt_engine *e, struct call_bpf *skel);
/* Gives back the places of users who have no threads any more. */
void xpt_users__step(struct xpt_engine *e);
void xpt_users__close(struct xpt_engine *e);
void xpt_users__stats(const struct xpt_engine *e, struct xpt_engine_stats *stats);

#endif
