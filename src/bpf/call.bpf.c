// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls: one generic pair of programs for every traced user function, and the
 * tracepoints that follow processes.
 *
 * The attach cookie has the function id, or stands for several functions that
 * share the probe (bpf/threads/shared.bpf.h); that of a perf uprobe is part of a key into
 * xpt_sites, which has these cookies. At entry, a frame is pushed on the thread's
 * stack of open calls, already in the form of the record that will be sent; at
 * return, it is completed, counted and sent. The same code serves uprobe session
 * links (one program, 6.13+), uprobe multi links (6.6+) and perf uprobe pairs, so
 * all three see the same calls.
 */
#include "bpf/kern_min.h"
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "bpf/arch.bpf.h"
#include "bpf/count/count.bpf.h"
#include "bpf/count/rate.bpf.h"
#include "bpf/hooks/hook.bpf.h"
#include "bpf/ioctl/ioctl.bpf.h"
#include "bpf/kernel/tracepoint.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/point.bpf.h"
#include "bpf/select.bpf.h"
#include "bpf/send/lane.bpf.h"
#include "bpf/send/send.bpf.h"
#include "bpf/stack.bpf.h"
#include "bpf/threads/frame.bpf.h"
#include "bpf/threads/shared.bpf.h"
#include "bpf/threads/thread.bpf.h"
#include "bpf/values/capture.bpf.h"
#include "bpf/values/strings.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Returns the state of the thread, and creates it if its process is to be traced. Returns NULL if it is not. */
static __always_inline struct xpt_thread *thread_at_entry(__u32 tgid, __u32 tid)
{
	struct xpt_thread *t = xpt_thread_of(tid);

	if (xpt_stopping)
		return NULL;
	if (t && t->tgid == tgid)
		return t;
	if (t)	/* the state of an earlier thread with this id, whose end was missed */
		xpt_end_thread(tid, XPT_LOSS_CUT_EXIT, 0);
	return is_wanted(tgid) ? xpt_new_thread(tgid, tid) : NULL;
}

/*
 * Captures the values of a call. Where functions share a probe, the arguments are read into the thread's
 * memory, because the functions that sum up hooks need the BPF stack.
 */
static __always_inline void capture(const struct pt_regs *ctx, struct xpt_thread *t,
				    const struct xpt_wire_fn *spec, struct xpt_frame *f)
{
	struct xpt_args *args = &((struct xpt_entry *)t->long_call)->args;

	if (!cfg.shared) {
		xpt_capture(ctx, spec, f);
		return;
	}
	xpt_reg_args(ctx, args->word);
	xpt_capture_args(spec, f, args, (__u64)xpt_stack_args(ctx));
}

/* Begins a call. Returns 0 if a return probe is to see its return, else 1: a session then skips that probe. */
static __always_inline int enter(struct pt_regs *ctx, __u32 cookie)
{
	__u32 probe = XPT_COOKIE_FN(cookie), fn = probe;
	__u64 id = bpf_get_current_pid_tgid(), sp = xpt_sp(ctx);
	__u32 tid = (__u32)id;
	struct xpt_thread *t = thread_at_entry(id >> 32, tid);
	const struct xpt_wire_shared *shared = t ? xpt_shared_of(probe, &fn) : NULL;
	const struct xpt_wire_fn *spec = t ? bpf_map_lookup_elem(&xpt_fns, &fn) : NULL;
	struct xpt_frame *f;

	if (!spec)
		return 1;
	if (cfg.shared && shared)
		probe = shared->first;
	t->ip = xpt_ip(ctx);
	if (t->depth)
		xpt_begin_nested(t, sp, probe, fn, xpt_class_of(spec));
	if (t->depth >= XPT_MAX_DEPTH) {
		xpt_lost(XPT_LOSS_DEPTH_FULL, 1);
		return 1;
	}
	xpt_busy(t, 1);
	xpt_open_frame(t, tid, fn, sp, spec);
	f = xpt_frame_at(t, t->depth);
	f->origin = probe;
	f->ip = t->ip;
	capture(ctx, t, spec, f);
	if (cfg.hook_steps && spec->hook)
		xpt_hook_follow(f, fn);
	if (cfg.stacks && spec->flags & XPT_FN_STACK)
		f->stack = xpt_take_stack(ctx);
	if (cfg.at_returns && cookie & XPT_NO_RETURN_PROBE)
		bpf_probe_read_user(&f->ret_addr, sizeof(f->ret_addr), xpt_return_at(ctx));
	t->depth++;
	if (cfg.shared && shared)
		xpt_enter_others(ctx, t, f, shared, fn);
	f->call.start_ns = bpf_ktime_get_ns();
	xpt_busy(t, 0);
	return cfg.at_returns && cookie & XPT_NO_RETURN_PROBE;
}

static __always_inline void set_result(struct xpt_rec_call *call, __u8 kind, __u64 raw)
{
	__s32 status = (__s32)raw;

	call->ret = kind == XPT_RET_STATUS || kind == XPT_RET_NEGATIVE ? status : (__s64)raw;
	if ((kind == XPT_RET_STATUS && status) || (kind == XPT_RET_NEGATIVE && status < 0) ||
	    (kind == XPT_RET_POINTER && !raw))
		call->flags |= XPT_CALL_FAILED;
}

/* Returns the bytes that a successful call concerned: its size (size_cap) times its factors (mul_mask). */
static __always_inline __u64 bytes_of(const struct xpt_wire_fn *spec, const struct xpt_frame *f)
{
	__u32 i = spec->size_cap, m = spec->mul_mask & f->call.valid;
	__u64 bytes;

	if (i >= XPT_MAX_VALS || f->call.flags & XPT_CALL_FAILED || !(f->call.valid & (1 << i)))
		return 0;
	bytes = f->val[i];
	if (!m)
		return bytes;
	for (i = 0; i < XPT_MAX_VALS; i++)
		if (m & (1 << i) && f->val[i])
			bytes *= f->val[i];
	return bytes;
}

static __always_inline __u32 dir_of(const struct xpt_wire_fn *spec, const struct xpt_frame *f)
{
	__u32 i = spec->dir_cap;

	if (i >= XPT_MAX_VALS || !(f->call.valid & (1 << i)) || f->val[i] > XPT_DIR_NONE)
		return XPT_DIR_NONE;
	return f->val[i];
}

/* Keeps one call of 2^sample, chosen by its start. The time is hashed: calls come at regular intervals and
 * clocks advance in steps, so its low bits alone would keep many more of some calls than of others. */
static __always_inline bool left_by_sample(__u8 sample, __u64 start_ns)
{
	__u64 v = start_ns * 0x9e3779b97f4a7c15ull;

	v = (v ^ v >> 32) * 0xd6e8feb86659fd93ull;
	return v >> 32 & ((1u << (sample & 31)) - 1);
}

/* Returns XPT_LOSS__MAX if the call is to be sent, else the reason why it gets no event. */
static __always_inline enum xpt_loss filtered(const struct xpt_thread *t, const struct xpt_wire_fn *spec,
					      const struct xpt_frame *f, __u64 bytes)
{
	bool failed = f->call.flags & XPT_CALL_FAILED;

	if (spec->flags & (XPT_FN_COUNT_ONLY | XPT_FN_ERRORS_ONLY) &&
	    (spec->flags & XPT_FN_COUNT_ONLY || !failed))
		return XPT_LOSS_BUDGET;
	if (failed || spec->flags & XPT_FN_KEEP)
		return XPT_LOSS__MAX;
	if (cfg.errors_only || (!(spec->flags & XPT_FN_POINT) &&
				(f->call.dur_ns < cfg.min_ns || bytes < cfg.min_bytes)) ||
	    (spec->sample && left_by_sample(spec->sample, f->call.start_ns)))
		return XPT_LOSS_FILTERED;
	if (cfg.rate_gap_ns && xpt_over_rate(f->call.rec.fn, t->user, f->call.start_ns + f->call.dur_ns))
		return XPT_LOSS_RATE;
	return XPT_LOSS__MAX;
}

static __always_inline void send_short_call(struct xpt_thread *t, const struct xpt_frame *f,
					    __u32 n, bool important)
{
	if (xpt_lane_put(t, f, n))
		return;
	xpt_send_call(t, &f->call, sizeof(f->call) + n * 8, important);
	if ((t->seq & (XPT_LANE_AGAIN - 1)) == XPT_LANE_FROM)
		xpt_claim_lane(t, f->call.tid);
}

static __always_inline void send_call(struct xpt_thread *t, const struct xpt_wire_fn *spec,
				      struct xpt_frame *f)
{
	__u32 n = xpt_close_values(f);
	bool important = f->call.flags & XPT_CALL_FAILED || spec->flags & XPT_FN_KEEP;

	f->call.rec.kind = XPT_REC_CALL;
	if (spec->flags & XPT_FN_STRINGS)
		xpt_send_with_strings(t, spec, f, n, important);
	else if (spec->str_cap)
		xpt_send_with_string(t, f, spec->str_cap - 1, n, important);
	else
		send_short_call(t, f, n, important);
}

/* Counts a call, and sends it unless it is filtered out. hook: the outcome of its hook. */
static __always_inline void count_and_send(struct xpt_thread *t, const struct xpt_wire_fn *spec,
					   struct xpt_frame *f, int hook)
{
	__u64 bytes = bytes_of(spec, f);
	enum xpt_loss left_out;

	if (hook == XPT_HOOK_DROP)
		return;
	xpt_count(t, &f->call, dir_of(spec, f) | (f->shared & XPT_FRAME_PASSED_ON ? XPT_SUB_PASSED_ON : 0), bytes);
	if (!cfg.events || hook == XPT_HOOK_ADDED)
		return;
	if (cfg.count_hits)
		xpt_note_hit(f->call.rec.fn);
	left_out = filtered(t, spec, f, bytes);
	if (left_out == XPT_LOSS__MAX)
		send_call(t, spec, f);
	else
		xpt_lost(left_out, 1);
}

/* Runs the hook of a call that has returned, then counts and sends the call. */
static __always_inline void finish(struct xpt_thread *t, const struct xpt_wire_fn *spec,
				   struct xpt_frame *f)
{
	int hook = XPT_HOOK_SEND;

	xpt_sched_end(t, f);
	if (cfg.hooks && spec->hook)
		hook = xpt_hook_hit(t, f, spec->hook);
	count_and_send(t, spec, f, hook);
}

/*
 * A return on a thread that has made no traced call: its process was forked
 * inside the call, or the call began before tracing.
 */
static __always_inline void lost_return(__u32 tgid)
{
	const __u32 *target = bpf_map_lookup_elem(&xpt_targets, &tgid);

	if (target && *target >= XPT_TARGET_LEFT)	/* its calls are not traced */
		return;
	if (target && *target == XPT_TARGET_FORKED)
		xpt_lost(XPT_LOSS_CUT_FORK, 1);
	else if (target || (cfg.all && tgid != cfg.own_tgid))
		xpt_lost(XPT_LOSS_EXIT_WITHOUT_ENTRY, 1);
}

/* Completes a frame that was popped: sets its duration, the result, and the values that the
 * function wrote for its caller. unknown: another function will return the result. */
static __always_inline void complete(const struct xpt_wire_fn *spec, struct xpt_frame *f, __u64 end, __u64 ret,
				     bool unknown)
{
	f->call.dur_ns = end - f->call.start_ns;
	if (cfg.at_returns && unknown) {
		f->call.ret = 0;
		f->call.flags |= XPT_CALL_NO_RESULT;
		f->call.valid &= ~spec->out_mask;
		return;
	}
	set_result(&f->call, spec->ret, ret);
	if (f->call.flags & XPT_CALL_FAILED)	/* the function wrote no results: the values are still addresses */
		f->call.valid &= ~spec->out_mask;
	else if (spec->out_mask)
		xpt_capture_out(spec, f, ret);
}

/*
 * Pops the frame of another function of the same probe, below one that has returned. Returns its
 * hook, 0 if it has none, or -1 if there is no frame. Like the next function it is global, so that
 * the verifier checks it once. The caller runs the hook between the two, because functions that
 * call each other have 512 bytes of stack together.
 */
__noinline int xpt_pop_other(struct xpt_thread *t, __u64 end, __u64 ret, __u32 unknown)
{
	const struct xpt_wire_fn *spec;
	struct xpt_frame *f;
	__u32 fn;

	if (!cfg.shared || !t || !t->depth)
		return -1;
	t->depth--;
	f = xpt_frame_at(t, t->depth);
	fn = f->call.rec.fn;
	spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	if (!spec)
		return -1;
	complete(spec, f, end, ret, unknown);
	xpt_sched_end(t, f);
	return spec->hook;
}

/* Counts and sends a function's frame; returns 1 if the probe has one more function. */
__noinline int xpt_finish_other(struct xpt_thread *t, int hook)
{
	const struct xpt_wire_fn *spec;
	struct xpt_frame *f;
	__u32 fn;

	if (!cfg.shared || !t)
		return 0;
	f = xpt_frame_at(t, t->depth);
	fn = f->call.rec.fn;
	spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	if (spec)
		count_and_send(t, spec, f, hook);
	return f->shared & XPT_FRAME_SHARED;
}

/* Ends the calls of the other functions of the same probe, whose frames are below one that has returned. */
static __always_inline void leave_others(struct xpt_thread *t, __u64 end, __u64 ret, bool unknown)
{
	int hook, outcome;
	__u32 i;

	for (i = 0; i < XPT_SHARED_FNS; i++) {
		hook = xpt_pop_other(t, end, ret, unknown);
		if (hook < 0)
			break;
		outcome = cfg.hooks && hook ? xpt_hook_hit(t, xpt_frame_at(t, t->depth), hook) : XPT_HOOK_SEND;
		if (!xpt_finish_other(t, outcome))
			break;
	}
}

/*
 * Ends a call. Its frame has the function, so a return probe need not call a helper
 * for its cookie. cookie: 0 at a return probe, else that of an instruction that ends
 * the function, where the return address is still on the stack.
 */
static __always_inline int leave(struct pt_regs *ctx, __u32 cookie)
{
	__u64 end = bpf_ktime_get_ns(), id = bpf_get_current_pid_tgid();
	__u32 tid = (__u32)id, fn;
	struct xpt_thread *t = xpt_thread_of(tid);
	const struct xpt_wire_fn *spec;
	bool shared = cfg.at_returns && cookie & XPT_AT_SHARED;
	__u64 sp = xpt_sp(ctx);
	struct xpt_frame *f;
	int more;

	if (!t || t->tgid != id >> 32) {
		if (!shared)
			lost_return(id >> 32);
		return 0;
	}
	xpt_busy(t, 1);
	if (cfg.at_returns && cookie)
		sp += XPT_RET_POPS;
	f = xpt_pop(t, sp, cfg.at_returns && cookie, shared);
	more = f && cfg.shared ? f->shared : 0;
	fn = f ? f->call.rec.fn : 0;
	spec = f ? bpf_map_lookup_elem(&xpt_fns, &fn) : NULL;
	if (f && spec) {
		complete(spec, f, end, xpt_retval(ctx), cookie & XPT_AT_JUMP);
		finish(t, spec, f);
	}
	if (more)
		leave_others(t, end, xpt_retval(ctx), cookie & XPT_AT_JUMP);
	xpt_busy(t, 0);
	return 0;
}

/* Returns false at a conditional jump that is not taken: the function goes on. */
static __always_inline bool is_taken(struct pt_regs *ctx, __u32 cookie)
{
	return !(cookie & XPT_AT_COND) || xpt_condition(ctx, XPT_AT_CC(cookie));
}

/* Whether the probe is on an instruction that ends a function. */
static __always_inline bool is_end(__u32 cookie)
{
	return cfg.at_returns && cookie & XPT_AT_RETURN;
}

/*
 * The program of a session, for entry and return. bpf_get_func_ip() is the address of the entry probe in both cases;
 * the thread's instruction pointer is the same only at entry. bpf_session_is_return() is not used: its prototype
 * changed (6.13: no argument, 7.0: the context), and libbpf refuses the whole object if the kernel's differs.
 */
SEC("?uprobe")
int xpt_session(struct pt_regs *ctx)
{
	bool back = bpf_get_func_ip(ctx) != xpt_ip(ctx);
	__u32 cookie = 0;

	xpt_own_stack(ctx);
	if (!back)
		cookie = bpf_get_attach_cookie(ctx);
	if (!back && !is_end(cookie))
		return enter(ctx, cookie);
	if (back || is_taken(ctx, cookie))
		leave(ctx, cookie);
	return !back;
}

SEC("?uprobe")
int xpt_enter(struct pt_regs *ctx)
{
	__u32 fn = bpf_get_attach_cookie(ctx), *id;

	xpt_own_stack(ctx);
	if (cfg.by_site) {
		fn = fn * XPT_SITE_SLOTS + xpt_ip(ctx) % XPT_SITE_SLOTS;
		id = bpf_map_lookup_elem(&xpt_sites, &fn);
		if (!id)
			return 0;
		fn = *id;
	}
	if (!is_end(fn))
		enter(ctx, fn);
	else if (is_taken(ctx, fn))
		leave(ctx, fn);
	return 0;
}

SEC("?uretprobe")
int xpt_leave(struct pt_regs *ctx)
{
	xpt_own_stack(ctx);
	return leave(ctx, 0);
}

static __always_inline void point(struct pt_regs *ctx, __u32 place, __u32 fn)
{
	__u64 id = bpf_get_current_pid_tgid(), sp = xpt_sp(ctx);
	__u32 tid = (__u32)id;
	struct xpt_thread *t = thread_at_entry(id >> 32, tid);
	const struct xpt_wire_fn *spec = t ? bpf_map_lookup_elem(&xpt_fns, &fn) : NULL;
	struct xpt_frame *f;

	if (!spec)
		return;
	t->ip = xpt_ip(ctx);
	if (t->depth)	/* without a class: a point never marks its enclosing call OUTER */
		xpt_begin_nested(t, sp, fn, fn, XPT_CLASS__MAX);
	if (t->depth >= XPT_MAX_DEPTH) {
		xpt_lost(XPT_LOSS_DEPTH_FULL, 1);
		return;
	}
	xpt_busy(t, 1);
	xpt_open_frame(t, tid, fn, sp, spec);
	f = xpt_frame_at(t, t->depth);
	xpt_capture_point(ctx, place, spec, f, (struct xpt_regs *)t->long_call);
	if (cfg.hook_steps && spec->hook)
		xpt_hook_follow(f, fn);
	if (cfg.stacks && spec->flags & XPT_FN_STACK)
		f->stack = xpt_take_stack(ctx);
	f->call.start_ns = bpf_ktime_get_ns();
	f->call.dur_ns = 0;
	f->call.ret = 0;
	finish(t, spec, f);
	xpt_busy(t, 0);
}

/* For a site of a USDT probe (<sys/sdt.h>): an instant, which has no return. */
SEC("?uprobe")
int xpt_point(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	xpt_own_stack_point(ctx);
	point(ctx, cookie >> 32, (__u32)cookie);
	return 0;
}

/* The newest process without room in xpt_targets: the twin program, see below, must not count it again. */
static __u32 xpt_unfollowed;

static __always_inline void count_unfollowed(__u32 tgid)
{
	if (xpt_unfollowed != tgid)
		xpt_lost(XPT_LOSS_TARGETS_FULL, 1);
	xpt_unfollowed = tgid;
}

/*
 * Starts and ends of processes. From 7.0 on the kernel may preempt a tracepoint's program.
 * Meanwhile, runs of that program for other threads on that CPU are skipped (1 of 100 on a
 * slow machine). So each of these programs has a twin, which runs after it, does the same,
 * and finds nothing to do if the first one has run.
 */
static __always_inline int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u32 ptgid = BPF_CORE_READ(parent, tgid), tgid = BPF_CORE_READ(child, tgid);
	__u32 tid = BPF_CORE_READ(child, pid), forked = XPT_TARGET_FORKED, own = XPT_TARGET_OWN;

	if (xpt_ending || tgid != tid)
		return 0;
	if (is_own(ptgid)) {	/* a process that NVML starts */
		if (bpf_map_update_elem(&xpt_targets, &tgid, &own, BPF_ANY))
			count_unfollowed(tgid);
		return 0;
	}
	if (is_own(tgid))	/* of an earlier process with this id, whose end was missed */
		bpf_map_delete_elem(&xpt_targets, &tgid);
	/* If all processes are traced, those without a traced call get no record. */
	if (cfg.all || !cfg.follow || !is_target(ptgid) || bpf_map_lookup_elem(&xpt_targets, &tgid))
		return 0;
	if (bpf_map_update_elem(&xpt_targets, &tgid, &forked, BPF_ANY)) {
		count_unfollowed(tgid);
		return 0;
	}
	xpt_send_task(XPT_TASK_FORK, tgid, tid, ptgid, 0, 0);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int xpt_fork(struct bpf_raw_tracepoint_args *ctx)
{
	return on_fork(ctx);
}

SEC("raw_tp/sched_process_fork")
int xpt_fork_again(struct bpf_raw_tracepoint_args *ctx)
{
	return on_fork(ctx);
}

static __always_inline int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u64 id = bpf_get_current_pid_tgid(), *known, nr;
	__u32 tgid = id >> 32, old_tid = ctx->args[1], cut;

	if (xpt_ending || (!cfg.select && !is_target(tgid)))
		return 0;
	nr = xpt_life(task);
	known = bpf_map_lookup_elem(&xpt_execs, &tgid);
	if (known && *known == nr)
		return 0;
	bpf_map_update_elem(&xpt_execs, &tgid, &nr, BPF_ANY);
	if (!is_followed_after_exec(tgid))
		return 0;
	cut = xpt_end_thread(tgid, XPT_LOSS_CUT_EXEC, 0);
	if (old_tid != tgid)
		cut += xpt_end_thread(old_tid, XPT_LOSS_CUT_EXEC, 0);
	if (!cfg.all || cut)
		xpt_send_task(XPT_TASK_EXEC, tgid, (__u32)id, 0, 0, cut);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int xpt_exec(struct bpf_raw_tracepoint_args *ctx)
{
	return on_exec(ctx);
}

SEC("raw_tp/sched_process_exec")
int xpt_exec_again(struct bpf_raw_tracepoint_args *ctx)
{
	return on_exec(ctx);
}

static __always_inline int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tgid = id >> 32, tid = (__u32)id, cut;
	bool known = xpt_thread_of(tid);

	if (cfg.select)
		forget_verdict(tgid);
	/* If threads end at the same time, the process may be deleted already. */
	if (!known && !bpf_map_lookup_elem(&xpt_targets, &tgid))
		return 0;
	if (is_own(tgid)) {	/* no record has named it */
		if (BPF_CORE_READ(task, signal, live.counter) == 0)
			bpf_map_delete_elem(&xpt_targets, &tgid);
		return 0;
	}
	cut = known ? xpt_end_thread(tid, XPT_LOSS_CUT_EXIT, user_sp()) : 0;
	if (BPF_CORE_READ(task, signal, live.counter) == 0 &&
	    !bpf_map_delete_elem(&xpt_targets, &tgid))
		xpt_send_task(XPT_TASK_EXIT, tgid, tid, 0, BPF_CORE_READ(task, exit_code), cut);
	else if (known)
		xpt_send_task(XPT_TASK_THREAD_EXIT, tgid, tid, 0, 0, cut);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int xpt_exit(struct bpf_raw_tracepoint_args *ctx)
{
	return on_exit(ctx);
}

SEC("raw_tp/sched_process_exit")
int xpt_exit_again(struct bpf_raw_tracepoint_args *ctx)
{
	return on_exit(ctx);
}

/* Attached only if processes are selected by name or cgroup: this one may now be selected, or no longer. */
SEC("?raw_tp/task_rename")
int xpt_rename(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];

	forget_verdict(BPF_CORE_READ(task, tgid));
	return 0;
}

SEC("?raw_tp/cgroup_attach_task")
int xpt_move(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[2];

	forget_verdict(BPF_CORE_READ(task, tgid));
	return 0;
}

/* Ends a system call on a device. */
static __noinline int ioctl_leave(__u32 call, long ret)
{
	struct xpt_thread *t = xpt_thread_of((__u32)bpf_get_current_pid_tgid());
	const struct xpt_wire_fn *spec;
	struct xpt_frame *f;
	__u32 fn;

	if (!t)
		return 0;
	xpt_busy(t, 1);
	f = ioctl_pop(t, call, ret);
	fn = f ? f->call.rec.fn : 0;
	spec = f ? bpf_map_lookup_elem(&xpt_fns, &fn) : NULL;
	if (f && spec && cfg.hook_steps && spec->hook)
		xpt_hook_follow(f, XPT_MAX_FNS + spec->hook);
	if (f && spec)
		finish(t, spec, f);
	xpt_busy(t, 0);
	return 0;
}

/* Handles a tracepoint's hit for one function. Returns 1 + the index of the next one, or 0. Global: verified once. */
__noinline int xpt_tracepoint_hit(__u64 at, __u32 place, __u64 stack)
{
	const struct xpt_wire_tp *tp = bpf_map_lookup_elem(&xpt_tracepoints, &place);
	__u32 fn = tp ? tp->fn : 0;
	const struct xpt_wire_fn *spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	struct xpt_thread *t = spec ? tracepoint_begin(fn) : NULL;
	struct xpt_frame *f;

	if (!tp || !spec || !t)
		return tp ? tp->next : 0;
	f = xpt_frame_at(t, t->depth);
	f->stack = spec->flags & XPT_FN_STACK ? stack : 0;
	capture_fields(at, &tp->site, spec, f);
	if (cfg.hook_steps && spec->hook)
		xpt_hook_follow(f, fn);
	finish(t, spec, f);
	xpt_busy(t, 0);
	return tp->next;
}

/* The engine attaches it to any tracepoint; the tracepoint's record is read as memory. */
SEC("?tp")
int xpt_tracepoint(void *ctx)
{
	__u32 place = bpf_get_attach_cookie(ctx), i, next;
	const struct xpt_wire_tp *tp = bpf_map_lookup_elem(&xpt_tracepoints, &place);
	__u64 at = address_of(ctx), id = bpf_get_current_pid_tgid(), stack = 0;

	xpt_own_stack_tp(ctx);
	if (!tp || (!xpt_thread_of((__u32)id) && !may_be_wanted(id >> 32)))
		return 0;
	if (cfg.stacks && tp->stack)
		stack = xpt_take_stack_in_kernel(ctx);
	for (i = 0; i < XPT_TP_HOOKS; i++) {
		next = xpt_tracepoint_hit(at, place, stack);
		if (!next)
			break;
		place = next - 1;
	}
	return 0;
}

#include "bpf/kernel/kfunc.bpf.h"
#include "bpf/kernel/major_fault.bpf.h"
#include "bpf/kernel/sched_switch.bpf.h"
#include "bpf/threads/signal.bpf.h"
#include "bpf/ioctl/syscalls.bpf.h"
#include "bpf/ioctl/uverbs.bpf.h"
#include "bpf/kernel/xid.bpf.h"
