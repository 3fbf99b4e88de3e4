/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of the trace that share a probe. A domain and several hooks may trace the
 * same function of a file, each as a function of its own with an id, but these
 * share one probe. The attach cookie of the probe leads to the list of these ids, which may become
 * longer while the probe is attached (struct xpt_wire_shared).
 */
#ifndef XPT_ENGINE_ATTACH_SHARED_PROBE_H
#define XPT_ENGINE_ATTACH_SHARED_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/wire.h"

struct call_bpf;
struct xpt_engine;
struct xpt_inode;

enum xpt_share {
	XPT_SHARE_NEW,		/* the caller is to attach a probe with *ret_cookie */
	XPT_SHARE_FURTHER,	/* the same; the function has a full list already, with probes at the same places */
	XPT_SHARE_JOINED,	/* nothing to attach: the probe of another one leads to this one, too */
	XPT_SHARE_REFUSED,	/* there is no room, or the owner has his share of it: no probe */
};

/* Sharing is on if the user named calls to be traced (XPT_PROBE_CALL); else a function's cookie is its id. */
void xpt_shared__configure(const struct xpt_engine *e, struct call_bpf *skel);
int xpt_shared__open(struct xpt_engine *e);	/* 0 or -errno */
void xpt_shared__free(struct xpt_engine *e);
/* Begins a round of look-ups in a file and returns its number: several names of one address count once in a round. */
uint32_t xpt_shared__round(struct xpt_engine *e);
/* Whether the function at that address of a file was added in this round. */
bool xpt_shared__has(struct xpt_engine *e, const struct xpt_inode *file, uint64_t vaddr, uint32_t round);
/* Whether XPT_MAX_DEPTH functions share its probe: each call takes that many of its thread's frames. */
bool xpt_shared__is_full(struct xpt_engine *e, const struct xpt_inode *file, uint64_t vaddr);
/*
 * Function fn of the trace is at that address. first: before all others (a domain's). owner: for whom the file
 * counts; he gets one more address while he has fewer than are free.
 */
enum xpt_share xpt_shared__add(struct xpt_engine *e, const struct xpt_inode *file, uint64_t owner, uint64_t vaddr,
			       uint32_t fn, uint32_t round, bool first, uint64_t *ret_cookie);
/* The kernel has refused the probe: all functions of its list count as failed, and no further one joins it. */
void xpt_shared__refused(struct xpt_engine *e, uint64_t cookie);
/* The same for each of n places that is an entry, by the cookies of the places (wire/cookie.h). */
void xpt_shared__refuse_places(struct xpt_engine *e, const uint64_t *cookies, uint32_t n);
/*
 * Returns how many functions have joined a probe (XPT_SHARE_JOINED) that was refused since the last call: they have
 * none.
 */
uint32_t xpt_shared__take_void(struct xpt_engine *e);
/*
 * None of the probes that were requested on the file since that round was attached: removes the entries that were
 * added for them, so that repeated tries on one file do not use up lists.
 */
void xpt_shared__undo(struct xpt_engine *e, const struct xpt_inode *file, uint32_t round);
/* The file's probes are being taken away: its functions get new ones when it is mapped again. */
void xpt_shared__forget(struct xpt_engine *e, const struct xpt_inode *file);
/* The probes of all files that were forgotten are gone: their cookies may be given out again. */
void xpt_shared__reuse(struct xpt_engine *e);

#endif
