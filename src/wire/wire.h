/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wire records: the data that goes from the kernel to xputrace and into
 * recordings.
 *
 * Every record starts with struct xpt_rec and is a multiple of 8 bytes; all
 * bytes are written, padding included. BPF programs write CALL, TASK; the
 * engine writes the facts (FN, PROC, LIB, META, CLOCK) and, at the end, the
 * exact counters (COUNTER, ERRCOUNT, LOSS, COST, END). A recording holds the
 * same records in the same form, so everything after the ring cannot distinguish a
 * live trace from a file. Kinds are stored: append only.
 */
#ifndef XPT_WIRE_WIRE_H
#define XPT_WIRE_WIRE_H

#include <linux/types.h>
#include "wire/vocab.h"

#define XPT_MAX_VALS 12		/* captured values of one call */
#define XPT_MAX_WORDS (XPT_MAX_VALS + 2)	/* and its stack's id, and the scheduler's word */
#define XPT_MAX_DEPTH 16	/* nested traced calls on one thread */
#define XPT_HIST_SLOTS 40	/* slot s holds (2^(s-1), 2^s] ns; 0 holds 0 and 1 */
#define XPT_COMM_LEN 16		/* TASK_COMM_LEN, include/linux/sched.h */
#define XPT_MAX_FNS 4096	/* functions of one trace; ids are array indexes */
#define XPT_STR_MAX 1024	/* bytes of a captured string, NUL included */
#define XPT_STR_EACH 256	/* bytes of each where a call has several, XPT_STRS_MAX at most */
#define XPT_STRS_MAX (XPT_STR_MAX / XPT_STR_EACH)
#define XPT_STACK_DEPTH 127	/* PERF_MAX_STACK_DEPTH, include/uapi/linux/perf_event.h */
#define XPT_REC_MAX 65528	/* bytes of the longest record, header included */

enum xpt_rec_kind {
	XPT_REC_CALL = 1,	/* struct xpt_rec_call: a call that returned */
	XPT_REC_INFLIGHT = 2,	/* struct xpt_rec_call: a call that has not returned */
	XPT_REC_TASK = 3,	/* struct xpt_rec_task */
	XPT_REC_FN = 4,		/* struct xpt_rec_fn, then names */
	XPT_REC_PROC = 5,	/* struct xpt_rec_proc, then strings */
	XPT_REC_LIB = 6,	/* struct xpt_rec_lib, then path */
	XPT_REC_META = 7,	/* struct xpt_rec_meta, then "key\0value\0" */
	XPT_REC_CLOCK = 8,	/* struct xpt_rec_clock */
	XPT_REC_COUNTER = 9,	/* struct xpt_rec_counter: final, sum over CPUs */
	XPT_REC_ERRCOUNT = 10,	/* struct xpt_rec_errcount: final */
	XPT_REC_LOSS = 11,	/* struct xpt_rec_loss: running total of one loss */
	XPT_REC_COST = 12,	/* struct xpt_rec_cost: the cost of tracing */
	XPT_REC_END = 13,	/* struct xpt_rec_end: last record of a complete trace */
	XPT_REC_STACK = 14,	/* struct xpt_rec_stack, then frames */
	XPT_REC_MODE = 15,	/* struct xpt_rec_mode: --budget changed a function's mode */
	XPT_REC_FNCOST = 16,	/* struct xpt_rec_fncost: the cost of tracing a function */
	XPT_REC_XID = 17,	/* struct xpt_rec_xid, then device and text: the driver reported an error */
	XPT_REC_SCHED = 18,	/* struct xpt_rec_sched (sched.h): final */
	XPT_REC_HOOK = 19,	/* struct xpt_rec_hook, then buckets and strings */
	XPT_REC_DEVICE = 20,	/* struct xpt_rec_device (device.h), then strings */
	XPT_REC_READING = 21,	/* struct xpt_rec_reading (device.h), then values */
	/* struct xpt_rec_counter: counts of a running process up to now; in no recording. */
	XPT_REC_COUNTER_NOW = 22,
	XPT_REC_ERRCOUNT_NOW = 23,	/* struct xpt_rec_errcount: the same */
	XPT_REC_INFLIGHT_NOW = 24,	/* struct xpt_rec_inflight_now: calls that have not returned; the same */
	XPT_REC__MAX
};

struct xpt_rec {
	__u16 kind;	/* enum xpt_rec_kind */
	__u16 size;	/* bytes of the whole record, a multiple of 8 */
	__u32 fn;	/* function id; 0 where the kind has none */
};

/* Flags of a call. */
enum {
	XPT_CALL_NESTED = 1 << 0,	/* inside another traced call of its thread */
	XPT_CALL_OUTER = 1 << 1,	/* a call of the same class ran inside: do not count twice */
	XPT_CALL_FAILED = 1 << 2,	/* the return value is an error by the function's xpt_ret */
	XPT_CALL_STACK = 1 << 3,	/* a stack id follows the values */
	XPT_CALL_SCHED = 1 << 4,	/* the packed scheduling sums follow them */
	/* INFLIGHT: the call was left by an exception, a forced unwind or longjmp, and will not
	 * return; dur_ns is the time until that was noticed. */
	XPT_CALL_LEFT = 1 << 5,
	XPT_CALL_NO_RESULT = 1 << 6,	/* CALL: it ended by a tail call of the function that has the result */
	/* With NESTED: the calls around it are all of functions that the user named, of no library
	 * that is traced as a domain. The program made this call itself. */
	XPT_CALL_IN_NAMED = 1 << 7,
};

struct xpt_rec_call {
	struct xpt_rec rec;
	__u64 start_ns;		/* CLOCK_MONOTONIC */
	__u64 dur_ns;		/* INFLIGHT: age when looked at */
	__u32 tgid, tid;	/* initial PID namespace */
	/* 32-bit kinds sign-extended; NO_RESULT: 0. INFLIGHT: the signal of a crash that the
	 * thread got inside this call and with which it ended; 0: none. */
	__s64 ret;
	__u16 valid;		/* bit i: val[i] was read */
	__u8 nr_vals;
	__u8 depth;		/* 0 = outermost */
	__u8 flags;		/* XPT_CALL_* */
	__u8 cpu;		/* INFLIGHT: enum xpt_cpu_state (sched.h), 0: not known; else 0 */
	__u16 str_len;		/* bytes of the strings, NULs included; 0: none */
	__u64 val[];		/* nr_vals captured values, in the function's order */
	/* then, with XPT_CALL_STACK, a __u64: the stack's id, unique with tgid */
	/* then, with XPT_CALL_SCHED, a __u64: the scheduling sums, packed, see sched.h */
	/* then str_len bytes and padding: the strings of the function's STR values, in
	 * their order; with several, "" and no valid bit for one that could not be read */
};

enum xpt_task_event {
	XPT_TASK_THREAD = 1,	/* first traced call of this thread */
	XPT_TASK_FORK = 2,	/* tgid is a new process, ppid its parent */
	XPT_TASK_EXEC = 3,	/* tgid now runs another program */
	XPT_TASK_EXIT = 4,	/* the process ended; code is its wait status */
	XPT_TASK_THREAD_EXIT = 5,
};

enum {
	XPT_TASK_OOM = 1 << 0,	/* EXIT: the kernel killed it because memory ran out */
};

struct xpt_rec_task {
	struct xpt_rec rec;
	__u64 ts_ns;
	__u32 tgid, tid;
	__u32 ppid;		/* FORK: the parent's tgid, else 0 */
	__u32 event;		/* enum xpt_task_event */
	__s32 code;		/* EXIT: as waitpid reports it, else 0 */
	__u16 cut;		/* calls in flight that this cut off */
	__u16 flags;		/* XPT_TASK_OOM */
	__u64 cgroup;		/* cgroup v2 id, 0 if unknown */
	char comm[XPT_COMM_LEN];
	/* Recordings of earlier versions end here. */
	__u32 uid;		/* real user id in the first user namespace, UINT32_MAX: not known */
	__u32 pad;
};

#define XPT_REC_TASK_MIN 64	/* bytes of the earlier form */

/* How one value of a function is captured. */
struct xpt_wire_cap {
	__u8 op;	/* enum xpt_cap_op */
	/* Argument word: 0 to 5 are the integer registers, from 6 on the stack. It is
	 * the argument's index unless a struct by value or a float comes before it. */
	__u8 arg;
	__u8 width;	/* bytes: 1, 2, 4, 8; | 0x80 = sign-extend */
	__u8 role;	/* enum xpt_role */
	/* DEREF, OUT: offset from the pointer; CONST: the value; VAL: bits to shift,
	 * right (positive) before the cut to width, left (negative) after it;
	 * HASH, OUT_HASH: bytes, a multiple of 8, at most XPT_HASH_BYTES (a stack
	 * word is the begin of a struct by value, a register points to it); BYTES:
	 * logarithms of up to twelve sizes, 2 bits each, and in the highest byte
	 * how many there are; ARRAY: XPT_ARRAY_* (wire/array.h); SIDES: where the
	 * source's CUmemorytype lies, and in the high 16 bits the destination's. */
	__s32 off;
};

#define XPT_HASH_BYTES 128

enum {
	XPT_FN_STACK = 1 << 0,		/* take the caller's stack */
	XPT_FN_COUNT_ONLY = 1 << 1,	/* no events for the time being */
	XPT_FN_KEEP = 1 << 2,		/* never filtered, because later calls are explained by it */
	XPT_FN_ERRORS_ONLY = 1 << 3,	/* events of failed calls only, for the time being */
	XPT_FN_STRINGS = 1 << 5,	/* several STR values, of XPT_STR_EACH bytes at most */
	XPT_FN_POINT = 1 << 4,		/* takes no time: none is too short or too small */
	XPT_FN_NAMED = 1 << 6,		/* the user's own function: see XPT_CALL_IN_NAMED */
};

/* One function as the BPF program sees it; index = function id. */
struct xpt_wire_fn {
	__u8 cls;		/* enum xpt_class */
	__u8 ret;		/* enum xpt_ret */
	__u8 nr_caps;
	__u8 nr_stack;		/* stack words to read: highest arg - 5, or 0 */
	__u8 size_cap;		/* index of the SIZE, PITCH or WIDTH value, 0xff if none */
	__u8 dir_cap;		/* index of the DIR value, 0xff if none */
	__u8 str_cap;		/* 1 + index of the STR value, 0 if none */
	__u8 kind;		/* enum xpt_kind */
	__u16 mul_mask;		/* values that multiply it: COUNT, HEIGHT, DEPTH; 0 counts as 1 */
	__u8 flags;		/* XPT_FN_*; 0 in recordings */
	__u8 sample;		/* send one call of 2^sample; 0 in recordings */
	__u16 out_mask;		/* bit i: value i is an OUT */
	__u8 ret_width;		/* of kernel functions: bytes that they return; 0 in recordings */
	__u8 hook;		/* 1 + number of its hook, 0: none; 0 in recordings */
	struct xpt_wire_cap cap[XPT_MAX_VALS];
};

/* Followed by NUL-terminated strings: symbol, base name, domain, and for each
 * of nr_caps captures its name. */
struct xpt_rec_fn {
	struct xpt_rec rec;
	__u32 lib;		/* id of the LIB record it was found in */
	__u8 layer;		/* enum xpt_layer */
	__u8 pad[3];
	struct xpt_wire_fn spec;
};

/* Followed by NUL-terminated strings: comm, executable path, command line
 * (arguments joined by blanks), container id, uid of the Kubernetes pod, number of the Slurm job ("" if none; older
 * files lack the last ones). */
struct xpt_rec_proc {
	struct xpt_rec rec;
	__u64 ts_ns;
	__u32 tgid, ppid;
	__u32 uid;
	__u32 ns_pid;		/* tgid in its own PID namespace; 0: the same, or not known */
	__u64 start_ns;		/* CLOCK_BOOTTIME of process start, 0 if unknown */
};

/* Followed by NUL-terminated strings: path, build id in hex (may be empty). */
struct xpt_rec_lib {
	struct xpt_rec rec;
	__u32 id;
	__u32 nr_fns;		/* functions attached in it */
	__u64 dev, ino;
};

struct xpt_rec_meta {		/* followed by "key\0value\0" */
	struct xpt_rec rec;
};

struct xpt_rec_clock {		/* the same moment on three clocks, in ns */
	struct xpt_rec rec;
	__u64 monotonic, boottime, realtime;
};

struct xpt_wire_count {		/* exact totals, per CPU in the kernel */
	__u64 calls;
	__u64 errors;		/* calls that failed by the function's xpt_ret */
	__u64 bytes;		/* SIZE of successful calls */
	__u64 time_ns;
	__u64 max_ns;
	__u64 hist[XPT_HIST_SLOTS];
};

/* Bits of xpt_wire_count_key.sub */
#define XPT_SUB_DIR 0x07	/* enum xpt_dir; XPT_DIR_NONE if the function has none */
#define XPT_SUB_OUTER 0x08	/* these calls had XPT_CALL_OUTER */
#define XPT_SUB_NESTED 0x10	/* these calls had XPT_CALL_NESTED */
#define XPT_SUB_IN_NAMED 0x20	/* these calls had XPT_CALL_IN_NAMED */
#define XPT_SUB_PASSED_ON 0x40	/* in these calls the same function was called: of the library behind */

struct xpt_wire_count_key {
	__u32 tgid;		/* 0: the table was full, the process is unknown */
	__u16 fn;
	__u8 sub;
	__u8 pad;
};

struct xpt_wire_error_key {
	__u32 tgid;
	__u32 fn;
	__s64 code;
};

struct xpt_rec_counter {
	struct xpt_rec rec;
	struct xpt_wire_count_key key;
	struct xpt_wire_count count;
};

struct xpt_rec_errcount {
	struct xpt_rec rec;
	struct xpt_wire_error_key key;
	__u64 calls;
};

struct xpt_rec_inflight_now {	/* calls of a process and function that have lasted for a second or more */
	struct xpt_rec rec;
	__u32 tgid, calls;
	__u64 oldest_ns;	/* how long the oldest one has lasted */
	__u64 sum_ns;		/* sum of the ages of all of them */
};

struct xpt_rec_loss {
	struct xpt_rec rec;
	__u64 ts_ns;
	__u32 loss;		/* enum xpt_loss */
	__u32 pad;
	__u64 count;		/* since the start of the trace */
};

/* Followed by nr times "function+0x12\0" and "module\0", innermost first. */
struct xpt_rec_stack {
	struct xpt_rec rec;
	__u32 tgid;
	__u32 id;
	__u32 nr;		/* frames */
	__u32 truncated;	/* 1: the stack was deeper, or could not be followed to its end */
};

struct xpt_rec_cost {
	struct xpt_rec rec;
	__u64 hits;		/* traced calls */
	__u64 hit_ns;		/* calibrated cost of one traced call, 0 if not measured */
	__u64 cpu_ns;		/* CPU time of xputrace itself */
	__u64 rss_bytes;	/* its peak resident memory */
	__u64 attach_ns;	/* time to attach all probes */
	__u32 nr_probes;
	__u32 nr_slow;		/* probes on an instruction that is single-stepped */
	/* Recordings of earlier versions end here. */
	__u64 hit_low_ns;	/* the middle half of the measured values is between these */
	__u64 hit_high_ns;
};

#define XPT_REC_COST_MIN 56	/* bytes of the earlier form */

struct xpt_rec_mode {		/* rec.fn 0: all are counters, and that still exceeds the budget */
	struct xpt_rec rec;
	__u64 ts_ns;
	__u32 from, to;		/* enum xpt_mode */
	__u64 cost_ppm;		/* at that time, of the processes' wall time, parts per million */
	__u64 budget_ppm;
};

/* The cost of a call depends on which instructions have the function's probes: bits. */
enum xpt_cost_kind {
	XPT_COST_EMULATED = 0,	/* its entry's is emulated, its return is seen by a return probe */
	XPT_COST_STEPPED = 1,	/* its entry's is single-stepped */
	XPT_COST_RETURNS = 2,	/* its return is seen at its own instructions, a single-stepped one among them */
	XPT_COST__KINDS = 4
};

struct xpt_rec_fncost {
	struct xpt_rec rec;
	__u64 event_ns;		/* calibrated cost of one call that is sent, */
	__u64 count_ns;		/* and of one that is only counted */
	__u64 events;		/* calls of it that were sent */
	__u32 kind;		/* enum xpt_cost_kind */
	__u32 pad;
};

enum xpt_xid_source {		/* which one reported it */
	XPT_XID_LOG = 1,	/* the kernel log */
	XPT_XID_TRACEPOINT = 2,	/* nvidia:nvidia_dev_xid */
	XPT_XID_KPROBE = 3,	/* on nv_report_error */
	XPT_XID_LOG_ALONE = 4,	/* the kernel log, though one of these two was there and saw nothing */
	XPT_XID__MAX
};

/* A row of a hook's sums, at the end. Followed by nr_buckets words, the buckets from
 * `first` on (wire/hook.h), then NUL-terminated strings: the map's name, and for each part
 * of the key its name and its text. Extremes, sum: unless action is COUNT. */
struct xpt_rec_hook {
	struct xpt_rec rec;
	__u8 action;		/* enum xpt_hook_action */
	__u8 nr_keys, first, nr_buckets;
	__u8 is_time;		/* 1: values are ns */
	__u8 steps;		/* LINEAR */
	__u8 pad[2];
	__u64 count;
	__s64 sum, min, max;
	__s64 low;		/* LINEAR: of bucket 1 */
	__u64 step;
};

#define XPT_XID_NO_MINOR 0xffffffffu

struct xpt_rec_xid {
	struct xpt_rec rec;
	__u64 ts_ns;
	__u32 xid;
	__u32 tgid;		/* that the report names; 0: none */
	__u32 minor;		/* of /dev/nvidiaN, or XPT_XID_NO_MINOR */
	__u32 source;		/* enum xpt_xid_source */
};

enum xpt_end_reason {
	XPT_END_COMMAND = 0,		/* the command has ended */
	XPT_END_INTERRUPTED = 1,
	XPT_END_NO_TARGETS = 2,		/* all traced processes have ended */
	XPT_END_LIMIT = 3,
	XPT_END_GOES_ON = 4,		/* of a flight recorder's recording: the trace has not ended */
};

struct xpt_rec_end {
	struct xpt_rec rec;
	__u64 start_ns, end_ns;	/* CLOCK_MONOTONIC: tracing began and ended */
	__s32 status;		/* wait status of the command of `run`, else -1 */
	__u32 reason;		/* enum xpt_end_reason */
};

_Static_assert(sizeof(struct xpt_rec) == 8, "record header");
_Static_assert(sizeof(struct xpt_rec_call) == 48, "call record");
_Static_assert(sizeof(struct xpt_rec_task) == 72, "task record");
_Static_assert(sizeof(struct xpt_wire_cap) == 8, "capture");
_Static_assert(sizeof(struct xpt_wire_fn) == 16 + 8 * XPT_MAX_VALS, "function spec");
_Static_assert(sizeof(struct xpt_rec_fn) == 16 + sizeof(struct xpt_wire_fn), "fn record");
_Static_assert(sizeof(struct xpt_rec_proc) == 40, "proc record");
_Static_assert(sizeof(struct xpt_rec_lib) == 32, "lib record");
_Static_assert(sizeof(struct xpt_rec_clock) == 32, "clock record");
_Static_assert(sizeof(struct xpt_wire_count) == 40 + 8 * XPT_HIST_SLOTS, "counter value");
_Static_assert(sizeof(struct xpt_wire_count_key) == 8, "counter key");
_Static_assert(sizeof(struct xpt_wire_error_key) == 16, "error key");
_Static_assert(sizeof(struct xpt_rec_inflight_now) == 32, "record of calls in flight");
_Static_assert(sizeof(struct xpt_rec_loss) == 32, "loss record");
_Static_assert(sizeof(struct xpt_rec_stack) == 24, "stack record");
_Static_assert(sizeof(struct xpt_rec_cost) == 72, "cost record");
_Static_assert(sizeof(struct xpt_rec_mode) == 40, "mode record");
_Static_assert(sizeof(struct xpt_rec_fncost) == 40, "function cost record");
_Static_assert(sizeof(struct xpt_rec_xid) == 32, "xid record");
_Static_assert(sizeof(struct xpt_rec_hook) == 64, "hook record");
_Static_assert(sizeof(struct xpt_rec_end) == 32, "end record");

#endif
