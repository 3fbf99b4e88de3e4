/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events, which analyzers and sinks get; a call is the main type.
 *
 * Everything an event points to belongs to the pipeline. A struct xpt_fn lives
 * until that is freed, a struct xpt_proc until XPT_EV_FORGET; all else for the
 * callback only. A process id that is reused is a new struct xpt_proc.
 */
#ifndef XPT_MODEL_EVENT_H
#define XPT_MODEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/domain/sig.h"
#include "wire/sched.h"
#include "wire/wire.h"

struct xpt_domain; struct xpt_expected; struct xpt_result;
struct xpt_xid;

struct xpt_lib {
	uint32_t id;
	const char *path;	/* never NULL */
	const char *build_id;	/* hex or "" */
	uint32_t nr_fns;
};

struct xpt_fn {
	uint32_t id;
	const char *name;	/* exported symbol: cuMemAlloc_v2 */
	const char *base;	/* without ABI suffixes: cuMemAlloc */
	const char *domain_name;	/* "cuda" */
	const struct xpt_domain *domain;	/* NULL: a domain this build does not have */
	const struct xpt_lib *lib;	/* NULL if unknown */
	uint8_t layer, cls, ret;	/* enum xpt_layer, xpt_class, xpt_ret */
	uint8_t kind, nr_caps;	/* enum xpt_kind */
	struct xpt_wire_cap cap[XPT_MAX_VALS];
	const char *cap_name[XPT_MAX_VALS];
	struct xpt_cap_type cap_type[XPT_MAX_VALS];	/* as the domain's tables say */
	int8_t role_idx[XPT_ROLE__MAX];	/* first capture of that role, -1 if none */
};

struct xpt_proc {
	uint32_t pid, ppid;
	uint32_t uid, ns_pid;	/* UINT32_MAX: not known; id in its own PID namespace, 0: as pid, or not known */
	const char *comm, *exe, *cmdline;	/* never NULL, "" if unknown */
	const char *container, *pod, *slurm_job;	/* its id; uid of the pod; number; NULL or "": none */
	uint64_t first_ns;	/* first seen, CLOCK_MONOTONIC */
	uint64_t exit_ns;	/* 0 while it runs */
	int32_t exit_status;	/* wait status once exit_ns is set */
	bool out_of_memory, forgotten, for_good;	/* out_of_memory: killed for lack of it; others: forget.h */
};

struct xpt_frame_name {
	const char *fn;		/* "train_step+0x1a", or "0x7f..." if no name is known */
	const char *module;	/* path of the mapped file, "" if none */
};

struct xpt_stack {		/* lives until the pipeline is freed */
	uint32_t id, nr;
	bool truncated;		/* it went deeper than was recorded */
	struct xpt_frame_name frame[];	/* innermost first */
};

struct xpt_call {
	uint64_t id;		/* 1, 2, ... in order of arrival */
	uint64_t start_ns, dur_ns, freed;	/* freed: bytes that it freed, unpinned or closed; 0: not known */
	const struct xpt_fn *fn;	/* never NULL */
	const struct xpt_proc *proc;	/* never NULL */
	uint32_t tid;
	const char *comm;	/* the thread's name, never NULL */
	int64_t ret;
	const struct xpt_result *result; const struct xpt_expected *expected;	/* of ret, or NULL */
	bool failed;		/* an error, neither a benign answer nor an expected one */
	bool passed_on;		/* the failure is that of a call of the same class inside it */
	bool captured;		/* it put work into a graph instead of onto a stream */
	uint8_t depth, flags, cpu, signal;	/* XPT_CALL_*; INFLIGHT: xpt_cpu_state, signal that ended it */
	struct xpt_wire_sched sched;	/* zeros: never switched out, or not traced */
	uint16_t valid, str_len;	/* valid: bit i: val[i] was read; bytes of str */
	uint8_t nr_vals;
	const uint64_t *val;
	const char *str;	/* its first string or NULL, others after: xpt_call__string() */
	const struct xpt_stack *stack;	/* NULL if not recorded */
	const char *kernel, *kernel_short;	/* LAUNCH: name, "unknown(0x...)", NULL: names none */
};

enum xpt_event_kind {
	XPT_EV_BEGIN, XPT_EV_CALL, XPT_EV_INFLIGHT,	/* u.begin; u.call; dur_ns = age, no ret */
	XPT_EV_PROC, XPT_EV_EXIT,	/* u.proc: was seen first, or ran exec (u.proc.exec); ended */
	XPT_EV_FORGET, XPT_EV_ORIGIN,	/* see forget.h; ts_ns: time 0, before calls (none: BEGIN) */
	XPT_EV_LIB, XPT_EV_META,	/* u.lib: probes were attached to it; u.meta */
	XPT_EV_COUNTER, XPT_EV_ERRCOUNT, XPT_EV_SCHED,	/* u.counter ...: exact, at the end */
	XPT_EV_COUNTER_NOW, XPT_EV_ERRCOUNT_NOW, XPT_EV_INFLIGHT_NOW,	/* of running programs, for metrics */
	XPT_EV_LOSS,	/* u.loss: running total */
	XPT_EV_COST, XPT_EV_FNCOST,	/* u.cost; u.fncost: of one function */
	XPT_EV_MODE, XPT_EV_XID,	/* u.mode: --budget; u.xid: the driver reported an error */
	XPT_EV_HOOK,	/* u.hook: a row of a hook's sums */
	XPT_EV_DEVICE, XPT_EV_READING,	/* u.device: it was found, or has changed; u.reading: device.h */
	XPT_EV_TICK,	/* about once a second of trace time; nothing but ts_ns */
	XPT_EV_END,	/* u.end: last event, also when the trace was cut short */
};

struct xpt_event {
	enum xpt_event_kind kind;
	uint64_t ts_ns;		/* CLOCK_MONOTONIC; CALL: start + duration */
	union {
		/* Add it to a ts_ns for CLOCK_REALTIME, CLOCK_BOOTTIME; 0 if the stream has none. */
		struct { int64_t realtime_minus_monotonic_ns, boottime_minus_monotonic_ns; } begin;
		struct xpt_call call;
		struct { const struct xpt_proc *proc; bool exec; uint32_t cut; } proc;
		const struct xpt_lib *lib; const struct xpt_device *device; const struct xpt_reading *reading;
		struct { const char *key, *value; } meta;
		struct {
			const struct xpt_fn *fn;
			const struct xpt_proc *proc;	/* NULL: unknown process */
			uint8_t dir;	/* enum xpt_dir; the others: XPT_SUB_* */
			bool outer, nested, in_named, passed_on; const struct xpt_wire_count *count;
		} counter;
		struct {
			const struct xpt_fn *fn; const struct xpt_proc *proc;
			const struct xpt_result *result; int64_t code; uint64_t calls;
			const struct xpt_expected *expected; bool failed;	/* as of a call */
		} errcount;
		struct { const struct xpt_fn *fn; const struct xpt_proc *proc; const struct xpt_rec_sched *rec; } sched;
		struct { const struct xpt_fn *fn; const struct xpt_proc *proc; uint64_t calls, oldest_ns, sum_ns; } inflight;
		struct { uint32_t loss; uint64_t count; } loss;
		const struct xpt_rec_cost *cost;
		struct { const struct xpt_fn *fn; const struct xpt_rec_fncost *rec; } fncost;
		struct { const struct xpt_fn *fn; const struct xpt_rec_mode *rec; } mode;
		const struct xpt_xid *xid; const struct xpt_hook_row *hook;	/* see xid_table.h, hook_row.h */
		struct {
			uint64_t start_ns, end_ns; int32_t status; uint32_t reason;
			bool complete;	/* false: the recording ends early */
		} end;
	} u;
};

/* The first value of that role; false if the function has none or it was not read. */
bool xpt_call__role(const struct xpt_call *c, enum xpt_role role, uint64_t *ret_v);
/* Bytes of this call: SIZE (times COUNT), else WIDTH times HEIGHT times DEPTH. An allocation takes PITCH for WIDTH
 * where it has one, and a height or depth of 0 as 1. False if there is no size or it was not read. */
bool xpt_call__bytes(const struct xpt_call *c, uint64_t *ret_bytes);
enum xpt_dir xpt_call__dir(const struct xpt_call *c);	/* XPT_DIR_NONE if none */
/* True if it counts in totals of its class: no call of that inside it, and it is not captured. */
bool xpt_call__counts(const struct xpt_call *c);
/* "CUDA_ERROR_..."; else written to buf: a number, hex for pointers, "-" for void functions. */
const char *xpt_call__result_name(const struct xpt_call *c, char *buf, size_t n);

#endif
