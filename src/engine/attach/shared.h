/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of the trace that share a probe: a function of a file has one, whoever
 * traces it, a domain or hooks. Its attach cookie leads to the list of them, which may
 * become longer while it is attached (struct xpt_wire_shared).
 */
#ifndef XPT_ENGINE_ATTACH_SHARED_H
#define XPT_ENGINE_ATTACH_SHARED_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/wire.h"

struct call_bpf;
struct xpt_engine;
struct xpt_inode;

enum xpt_share {
	XPT_SHARE_NEW,		/* *ret_cookie is to be attached */
	XPT_SHARE_FURTHER,	/* the same; the function has other probes, at all the same places */
	XPT_SHARE_JOINED,	/* a probe that is attached already leads to it, too */
	XPT_SHARE_REFUSED,	/* there is no room, or no share left for it: it gets no probe, for another name may have one */
};

/* Sharing is on where the user named calls; else a function's cookie is its id. */
void xpt_shared__configure(const struct xpt_engine *e, struct call_bpf *skel);
int xpt_shared__open(struct xpt_engine *e);	/* 0 or -errno */
void xpt_shared__free(struct xpt_engine *e);
/* A number for each round of look-ups: names of one address count once in a round. */
uint32_t xpt_shared__round(struct xpt_engine *e);
/* Whether the function at that address of a file was added in this round. */
bool xpt_shared__has(struct xpt_engine *e, const struct xpt_inode *file, uint64_t vaddr, uint32_t round);
/* Whether as many share its probe as a thread may have calls open: each of them takes a place there. */
bool xpt_shared__is_full(struct xpt_engine *e, const struct xpt_inode *file, uint64_t vaddr);
/*
 * Function fn of the trace is at that address. first: before all others (a domain's). owner: for whom the file counts,
 * who may have as many addresses as are left free then.
 */
enum xpt_share xpt_shared__add(struct xpt_engine *e, const struct xpt_inode *file, uint64_t owner, uint64_t vaddr,
			       uint32_t fn, uint32_t round, bool first, uint64_t *ret_cookie);
/* The kernel has refused the probe: functions that would join it are not reported as probed. */
void xpt_shared__refused(struct xpt_engine *e, uint64_t cookie);
/*
 * None of the probes that were asked for on the file since that round is there: removes the entries that were added
 * for them, so that a file that is tried again and again does not take new lists each time.
 */
void xpt_shared__undo(struct xpt_engine *e, const struct xpt_inode *file, uint32_t round);
/* The file's probes are taken away: functions there have new ones when it is mapped again. */
void xpt_shared__forget(struct xpt_engine *e, const struct xpt_inode *file);
/* They are gone: cookies of files that were forgotten are given out again. */
void xpt_shared__reuse(struct xpt_engine *e);
/* Sets the kind of cost of calls that are seen by the probe. */
void xpt_shared__set_cost_kind(struct xpt_engine *e, uint64_t cookie, enum xpt_cost_kind kind);

#endif
