/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long requests take, by the object that they belong to: host, subsystem, queue pair, type of the block
 * device's I/O. An I/O of a block device belongs to the request that the trace calls related, or to the object that
 * that request is related to.
 */
#ifndef XPT_SPDK_LATENCY_BY_H
#define XPT_SPDK_LATENCY_BY_H

#include "spdk/join.h"
#include "spdk/request_states.h"

#define XPT_SPDK_MAX_ROWS 1024	/* of all tables; requests beyond are counted together */

enum xpt_spdk_by { XPT_SPDK_BY_HOST, XPT_SPDK_BY_SUBSYSTEM, XPT_SPDK_BY_QPAIR, XPT_SPDK_BY_TYPE, XPT_SPDK_BY__MAX };

/* "host,type" as bits; false: another word is in it. */
bool xpt_spdk_by__parse(const char *list, unsigned *ret_by);

struct xpt_spdk_latency_by;

int xpt_spdk_latency_by__new(unsigned by, struct xpt_spdk_latency_by **ret_l);	/* 0, -ENOMEM */
void xpt_spdk_latency_by__free(struct xpt_spdk_latency_by *l);	/* NULL is fine */
/* Takes an entry with the results of xpt_spdk_states__entry() for it. */
void xpt_spdk_latency_by__entry(struct xpt_spdk_latency_by *l, const struct xpt_spdk_states *s, const struct xpt_spdk_entry *e,
				const struct xpt_spdk_note *note, enum xpt_spdk_step step, const struct xpt_spdk_io *io,
				const struct xpt_spdk_io *cut);
/* A table for each kind of request and each of `by`, as text for people or as an array of JSON. */
void xpt_spdk_latency_by__text(const struct xpt_spdk_latency_by *l, struct xpt_strbuf *sb);
void xpt_spdk_latency_by__json(const struct xpt_spdk_latency_by *l, struct xpt_strbuf *sb);

#endif
