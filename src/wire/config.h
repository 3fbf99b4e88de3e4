/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of the BPF programs and the values of their maps, as both sides
 * see them. Settings are read-only once loaded, so the verifier removes code
 * that is switched off. Nothing of this is stored in recordings.
 */
#ifndef XPT_WIRE_CONFIG_H
#define XPT_WIRE_CONFIG_H

#include "wire/cookie.h"
#include "wire/sched.h"
#include "wire/shared.h"
#include "wire/wire.h"

#define XPT_TARGET_NAMED 1	/* values of xpt_targets: by the user */
#define XPT_TARGET_FORKED 2	/* child of a target */
#define XPT_TARGET_LEFT 3	/* runs a program beyond the limits: followed, its calls unwanted */
#define XPT_TARGET_OWN 4	/* of xputrace itself, as all that it starts: calls unwanted, whatever it executes */

struct xpt_bpf_cfg {
	__u32 all;		/* 1: every process but own_tgid; 0: those in xpt_targets */
	__u32 own_tgid;		/* xputrace itself is never traced */
	__u32 events;		/* 1: send calls; 0: counters only */
	__u32 follow;		/* 1: children of targets are targets */
	__u32 ring_bytes;	/* size of xpt_ring */
	__u32 urgent_bytes;	/* size of xpt_urgent; power of two */
	__u32 wake_bytes;	/* wake the reader at every multiple of this; power of two */
	__u32 select;		/* XPT_SELECT_*: which processes become targets by themselves */
	__u32 uid;		/* with XPT_SELECT_UID */
	__u32 nr_cgroups;	/* with XPT_SELECT_CGROUP: entries of xpt_cgroups */
	__u32 users;		/* 1: they may be of several users, see wire/user.h */
	__u64 min_ns;		/* send no successful call that was shorter, */
	__u64 min_bytes;	/* nor one that concerned fewer bytes, */
	__u32 errors_only;	/* 1: nor any at all */
	__u32 by_site;		/* 1: the attach cookie is a group in xpt_sites, not a function */
	__u32 stacks;		/* 1: functions with XPT_FN_STACK get the caller's stack */
	__u32 count_hits;	/* 1: keep xpt_hits */
	__u64 rate_gap_ns;	/* --rate: one call of a function each, 0: no limit; */
	__u64 rate_burst_ns;	/* and this far ahead in a burst */
	__u32 lane_bytes;	/* of data in a lane, a power of two; 0: no lanes */
	__u32 ioctl_fns;	/* function ids from 1 on that are ioctl commands; 0: not traced */
	__u32 nr_slots;		/* a power of two, at most XPT_SLOTS_MAX */
	__u32 kernel_fns;	/* 1: kernel functions are traced, too */
	__u32 sched;		/* 1: switches of threads in calls are traced, too */
	__u32 hooks;		/* 1: functions may have hooks (wire/hook.h) */
	__u32 hook_hists, hook_steps;	/* 1: and those may be histograms, may follow pointers */
	__u32 ioctl_hooks, shared;	/* 1: ioctls may have hooks, 2: only those are traced; 1: see wire/shared.h */
	__u32 at_returns, hook_texts;	/* 1: XPT_AT_RETURN is used (wire/cookie.h); 1: hooks have strings */
	__u64 slot_secret, text_secret[2];	/* random; odd: see XPT_SLOTS; of hashes of strings */
};

/* Bits of xpt_bpf_cfg.select. */
#define XPT_SELECT_OPEN 1	/* processes that the user did not name may join, */
#define XPT_SELECT_COMM 2	/* if their name is in struct xpt_bpf_names */
#define XPT_SELECT_UID 4	/* a limit for all: the real user id */
#define XPT_SELECT_CGROUP 8	/* a limit for all: below one of xpt_cgroups */
#define XPT_SELECT_CGROUPS 16	/* cgroups at most */

/*
 * Globs of names, side by side. Bit i of a state: the parts before i are matched.
 * A character c takes a state to (state & accept[c]) << 1 | (state & star).
 */
struct xpt_bpf_names {
	__u64 accept[256], start, star, end;
};

enum { XPT_FRAME_SHARED = 1, XPT_FRAME_PASSED_ON = 2 };	/* one probe with the frame below; see XPT_SUB_PASSED_ON */
struct xpt_frame {		/* a call in flight */
	__u64 sp;		/* user stack pointer at entry: distinguishes it from calls that longjmp left */
	struct xpt_rec_call call;	/* sent as it is when the call returns */
	__u64 val[XPT_MAX_WORDS];	/* call.val, and after the last value the other words of the call */
	__u16 cls;		/* enum xpt_class or XPT_CLS_NONE */
	__u8 shared, named;	/* XPT_FRAME_*; XPT_FN_NAMED, as all below */
	__u32 origin;		/* of system calls: enum xpt_ioctl_call; of calls: the probe's first cookie */
	__u64 ip;		/* of calls: where that probe is */
	__u64 stack;		/* where the caller's stack is, see XPT_STACK_WORD; 0: none */
	__u64 ret_addr;		/* which later calls overwrite; 0: it has a return probe, or was not read */
	__u64 sched;		/* once it has ended: its packed word, 0: never switched out */
	struct xpt_wire_sched before;	/* the thread's, when it began */
};

/*
 * A caller's stack on its way to the engine, which puts a stack id in its place.
 * Low bits: 1 + id in xpt_stacks, 0 if that had no room. Above: the address that
 * the call returns to. The kernel follows frame pointers, and before a function
 * has set up its own the caller's frame is not among those that it finds (but
 * after `push %rbp` on 6.11 and later), so the innermost caller comes from here.
 */
#define XPT_STACK_WORD(ret, id) ((__u64)(ret) << 16 | (id))
#define XPT_STACK_ID(word) ((__u32)((word) & 0xffff))
#define XPT_STACK_RET(word) ((word) >> 16)
#define XPT_STACK_IN_KERNEL 1	/* for the address: the first that was found is the caller itself */
#define XPT_STACKS_MAX 32768	/* different stacks of one trace, 1 KiB each; a power of two */

/* A call with its string, put together in the thread's own memory. */
struct xpt_long_call {
	struct xpt_rec_call call;
	__u64 val[XPT_MAX_WORDS];
	char str[XPT_STR_MAX];
};

/*
 * Counts of one (function, sub) on one thread. They are added to xpt_counts
 * when their place is needed and when the thread ends, so a hot call touches
 * neither a hash table nor another thread's cache line.
 */
struct xpt_acc {
	struct xpt_wire_count_key key;
	__u64 calls;		/* 0: this place is free */
	__u64 errors, bytes, time_ns, max_ns;
	__s64 code;		/* of the last code_calls failed calls, not in xpt_errors yet */
	__u64 code_calls;
	__u32 hist[XPT_HIST_SLOTS];
};

#define XPT_ACCS 16		/* pairs of places: a power of two */
#define XPT_ACC_CALLS_MAX (1u << 31)	/* then hist must be emptied */

/*
 * Threads that make traced calls have slots in an array of cfg.nr_slots, which is a hash table by tid with open
 * addressing (bpf/threads/slot.bpf.h). A look-up takes a few instructions, one in a BPF hash map 60 ns.
 */
#define XPT_SLOTS 4096u		/* 8 KiB each; powers of two */
#define XPT_SLOTS_MAX 16384u	/* where any process may join */
#define XPT_SLOT_TRIES 32

struct xpt_thread {
	__u32 tgid;
	__u32 depth;		/* frames in use */
	__u32 seq;		/* records sent: says when to look at the ring again */
	__u32 lane;		/* 1 + number of its lane, 0: none */
	__u16 full, user;	/* 1: at the last look xpt_ring had no room; 1 + number in xpt_users */
	__u16 busy;		/* 1: one of our programs changes its frames */
	__u16 skipped;		/* open calls of kernel functions that had no room */
	__u64 ip;		/* where the probe is that was hit last */
	__u64 began_ns;		/* when its process began: the number is used again */
	__u64 urgent_bytes, urgent_pos;	/* put into xpt_urgent since it had none there; their end */
	__u64 signal_ns, signal;	/* begin of the call in which it got a signal of a crash, or 0 */
	struct xpt_thread_sched sched;
	struct xpt_frame frame[XPT_MAX_DEPTH];
	struct xpt_acc acc[XPT_ACCS];
	char long_call[sizeof(struct xpt_long_call)];	/* values first, then the string */
};
_Static_assert(sizeof(struct xpt_frame) == 120 + 8 * XPT_MAX_WORDS, "frame");
_Static_assert(XPT_STACKS_MAX < 0xffff, "ids of stacks have 16 bits");
_Static_assert(sizeof(struct xpt_acc) == 64 + 4 * XPT_HIST_SLOTS, "thread's counts");
_Static_assert(sizeof(struct xpt_thread) == 112 + XPT_MAX_DEPTH * sizeof(struct xpt_frame) +
	       XPT_ACCS * sizeof(struct xpt_acc) + sizeof(struct xpt_long_call), "thread");

#endif
