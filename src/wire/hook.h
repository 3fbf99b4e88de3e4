/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks as the BPF programs see them: a filter, the values to add up, and their
 * key. A filter is a list of tests; each names the next test, always a later
 * one, so it ends. None of this is stored in recordings but the actions (struct
 * xpt_rec_hook).
 */
#ifndef XPT_WIRE_HOOK_H
#define XPT_WIRE_HOOK_H

#include <linux/types.h>

#define XPT_HOOKS_MAX 64	/* of one trace */
#define XPT_HOOK_TESTS 16	/* of one filter */
#define XPT_HOOK_KEYS 4		/* parts of a key */
#define XPT_HOOK_WORDS 6	/* that they take together */
#define XPT_HOOK_SHORT 16	/* bytes of comm, NUL included; shorter strings are compared so, too */
#define XPT_HOOK_ROWS 16384u	/* different keys of one trace */
#define XPT_HOOK_SPARE_ROWS 4096u	/* for hits whose new row found no memory: 1,500 of 13,000 did on a busy machine */
#define XPT_HOOK_STEPS 64u	/* steps of a linear histogram */
#define XPT_HOOK_BUCKETS (XPT_HOOK_STEPS + 2)	/* also below and above */

/* X(enumerator, stored number, "name") */
#define XPT_HOOK_ACTIONS(X)                                                    \
	X(EVENT, 0, "event")                                                   \
	X(COUNT, 1, "count")                                                   \
	X(SUM, 2, "sum")                                                       \
	X(MIN, 3, "min")                                                       \
	X(MAX, 4, "max")                                                       \
	X(AVG, 5, "avg")                                                       \
	X(LOG2, 6, "hist")     /* bucket 0: below 0, 1: 0, b: [2^(b-2), 2^(b-1)) */ \
	X(LINEAR, 7, "lhist")  /* bucket 0: below, b: low + (b-1) * step; the last: above */

#define X(e, n, s) XPT_HOOK_##e = n,
enum xpt_hook_action { XPT_HOOK_ACTIONS(X) XPT_HOOK_ACTION__MAX };
#undef X

enum xpt_hook_source {		/* where a value comes from */
	XPT_HOOK_NONE,
	XPT_HOOK_VALUE,		/* captured value arg */
	XPT_HOOK_STRING,	/* the string that it points to */
	XPT_HOOK_RESULT,
	XPT_HOOK_DURATION,	/* ns */
	XPT_HOOK_GAP,		/* ns since the thread's last hit of this hook ended */
	XPT_HOOK_FAILED,	/* 1: the result is an error */
	XPT_HOOK_PID,
	XPT_HOOK_TID,
	XPT_HOOK_UID,
	XPT_HOOK_CPU,
	XPT_HOOK_FUNC,		/* the function's id */
	XPT_HOOK_COMM,
	XPT_HOOK_STACK,		/* XPT_STACK_WORD */
	XPT_HOOK_WHAT__MAX
};

struct xpt_wire_hook_src {
	__u8 source;		/* enum xpt_hook_source */
	__u8 arg;
	__u8 width;		/* bytes: 1, 2, 4, 8; | 0x80 = sign-extend */
	__u8 at;		/* of keys: first word */
};

enum xpt_hook_cmp {
	XPT_HOOK_EQ, XPT_HOOK_NE, XPT_HOOK_LT, XPT_HOOK_LE, XPT_HOOK_GT, XPT_HOOK_GE,
	XPT_HOOK_SLT, XPT_HOOK_SLE, XPT_HOOK_SGT, XPT_HOOK_SGE,	/* signed */
	XPT_HOOK_BITS,		/* any of these bits */
};

#define XPT_HOOK_YES 0xfe	/* in the place of a next test: it matches, */
#define XPT_HOOK_NO 0xff	/* it does not */

struct xpt_wire_hook_test {
	/* b NONE: the constant in imm, of short strings two words; STRING: entry imm[0] of xpt_hook_strings */
	struct xpt_wire_hook_src a, b;
	__u8 cmp, yes, no, pad;	/* yes, no: the next test */
	__u32 pad2;
	__u64 imm[2];
};

/*
 * Reads after the capture, in this order: value cap becomes *(value from + off).
 * width 0: from + off itself. Of a bit field these bits of it.
 */
#define XPT_HOOK_DEREFS 6	/* of one value */
#define XPT_HOOK_STEPS_MAX 16	/* of one function */

struct xpt_wire_hook_step {
	__s32 off;
	__u8 cap, from;
	__u8 width;		/* bytes: 1, 2, 4, 8; | 0x80 = sign-extend */
	__u8 bit, bits;		/* of a bit field: its lowest bit in these bytes, and how many; bits 0: it is none */
	__u8 pad[3];
};

struct xpt_wire_hook_steps {
	__u32 nr;
	__u32 pad;
	struct xpt_wire_hook_step step[XPT_HOOK_STEPS_MAX];
};

struct xpt_wire_hook {
	__u8 action;		/* enum xpt_hook_action */
	__u8 nr_keys;
	__u8 nr_tests;		/* 0: everything matches */
	__u8 by_process;	/* 1: a key means something in its process only */
	__u8 gap;		/* 1: remember when it ended */
	__u8 pad[3];
	__u32 map;		/* hooks that share one add up together */
	__u32 nr_buckets;	/* LINEAR */
	__s64 low;
	__u64 step;
	struct xpt_wire_hook_src value, key[XPT_HOOK_KEYS];
	__u32 device;		/* of ioctls: only of this one, 0: of any */
	struct xpt_wire_hook_test test[XPT_HOOK_TESTS];
};

struct xpt_wire_hook_key {
	__u32 map;
	__u32 tgid;		/* 0 unless by_process */
	__u64 life;		/* of that process, as struct xpt_sent_task has it */
	__u64 word[XPT_HOOK_WORDS];
};

/* Zero is a good beginning on every CPU: extremes are kept as numbers that can only grow. */
#define XPT_HOOK_SIGN (1ULL << 63)
#define XPT_HOOK_FROM_MAX(u) ((__s64)((u) ^ XPT_HOOK_SIGN))
#define XPT_HOOK_FROM_MIN(u) ((__s64)(~(u) ^ XPT_HOOK_SIGN))

struct xpt_wire_hook_val {	/* per CPU; without histograms only its head */
	__u64 count;
	__u64 sum;
	__u64 min, max;		/* XPT_HOOK_FROM_MIN, XPT_HOOK_FROM_MAX */
	__u64 bucket[XPT_HOOK_BUCKETS];
};

#define XPT_HOOK_VAL_HEAD 32

_Static_assert(sizeof(struct xpt_wire_hook_test) == 32, "test of a filter");
_Static_assert(sizeof(struct xpt_wire_hook) == 56 + 32 * XPT_HOOK_TESTS, "hook");
_Static_assert(sizeof(struct xpt_wire_hook_steps) == 8 + 12 * XPT_HOOK_STEPS_MAX, "steps of a function");
_Static_assert(sizeof(struct xpt_wire_hook_key) == 16 + 8 * XPT_HOOK_WORDS, "key of a hook");
_Static_assert(sizeof(struct xpt_wire_hook_val) == XPT_HOOK_VAL_HEAD + 8 * XPT_HOOK_BUCKETS,
	       "value of a hook");

#endif
