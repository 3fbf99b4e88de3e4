/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The selection of processes. A process is judged at its first traced call, and the result is kept in xpt_targets or
 * xpt_unwanted. An unwanted process is judged again after exec, when its name changes, and when it moves to another
 * cgroup; a traced one stays traced until it ends or executes a program that the limits exclude.
 */
#ifndef XPT_BPF_SELECT_BPF_H
#define XPT_BPF_SELECT_BPF_H

#include "bpf/select_by.bpf.h"

/* Set of tgids that were judged and are not traced. An evicted process is judged again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, __u32);
} xpt_unwanted SEC(".maps");

static __always_inline void note_process(__u32 tgid)
{
	__u32 named = XPT_TARGET_NAMED;

	if (bpf_map_update_elem(&xpt_targets, &tgid, &named, BPF_ANY))
		xpt_lost(XPT_LOSS_TARGETS_FULL, 1);
}

static __always_inline void forget_verdict(__u32 tgid)
{
	bpf_map_delete_elem(&xpt_unwanted, &tgid);
}

/* Whether a process is followed: nothing is judged. */
static __always_inline bool is_target(__u32 tgid)
{
	if (tgid == cfg.own_tgid)
		return false;
	return cfg.all || bpf_map_lookup_elem(&xpt_targets, &tgid);
}

/* Judges a process; target: its entry if it is the child of a traced process, or NULL. */
static __noinline bool judge(__u32 tgid, const __u32 *target)
{
	__u32 unwanted = 1;

	if ((target || cfg.select & XPT_SELECT_OPEN) && limits_hold() &&
	    (target || !(cfg.select & XPT_SELECT_COMM) || name_holds())) {
		if (!target)
			note_process(tgid);
		return true;
	}
	bpf_map_update_elem(&xpt_unwanted, &tgid, &unwanted, BPF_ANY);
	return false;
}

/* Whether it is a process of xputrace's own besides the one that traces. */
static __always_inline bool is_own(__u32 tgid)
{
	const __u32 *target = bpf_map_lookup_elem(&xpt_targets, &tgid);

	return target && *target == XPT_TARGET_OWN;
}

/* Whether the process runs a program whose calls are unwanted. On a stack of its own: that of the callers is full. */
static __noinline bool is_left(__u32 tgid)
{
	const __u32 *target = bpf_map_lookup_elem(&xpt_targets, &tgid);

	return target && *target >= XPT_TARGET_LEFT;
}

/* Whether a call of the current process, on a thread without an entry, is wanted. */
static __always_inline bool is_wanted(__u32 tgid)
{
	const __u32 *target;

	if (tgid == cfg.own_tgid || is_left(tgid))
		return false;
	if (cfg.all) {	/* from the first call on, the end of the process is recorded */
		note_process(tgid);
		return true;
	}
	if (cfg.select && bpf_map_lookup_elem(&xpt_unwanted, &tgid))
		return false;
	target = bpf_map_lookup_elem(&xpt_targets, &tgid);
	if (!cfg.select || (target && *target == XPT_TARGET_NAMED))
		return target;
	return judge(tgid, target);
}

/* Decides again at an exec of the current process, which changes its name, and may change its user. */
static __always_inline bool is_followed_after_exec(__u32 tgid)
{
	__u32 target = XPT_TARGET_NAMED;
	bool known = is_target(tgid);

	if (!cfg.select || tgid == cfg.own_tgid)
		return known;
	if (is_own(tgid))	/* posix_spawn(3) returns, and it is marked, before this event of its exec */
		return false;
	forget_verdict(tgid);
	if (known) {
		if (!limits_hold())
			target = XPT_TARGET_LEFT;
		bpf_map_update_elem(&xpt_targets, &tgid, &target, BPF_EXIST);
		return true;
	}
	if (!(cfg.select & XPT_SELECT_OPEN) || !(cfg.select & XPT_SELECT_COMM) ||
	    !name_holds() || !limits_hold())
		return false;
	note_process(tgid);
	return true;
}

#endif
