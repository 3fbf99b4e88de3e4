// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of the kernel's RDMA interface, with the returns of planned functions
 * below them. Only roots have a program at their entry; all others have one at
 * their return, which knows arguments and result. Which function is nested in
 * which the reader knows by the place of its return address in the stack.
 *
 * All programs are templates: the engine loads their instructions again for
 * each function or set of functions. The cookie is the function's id.
 */
#include <stdbool.h>
#include "bpf/kern_min.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "bpf/arch.bpf.h"
#include "bpf/rdma/rdma_asked.bpf.h"
#include "bpf/rdma/rdma_command.bpf.h"
#include "bpf/rdma/rdma_passed.bpf.h"
#include "bpf/rdma/rdma_send.bpf.h"
#include "bpf/stack.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define PARENTS 16	/* steps from a process up to the one that is traced */
/*
 * The words above the arguments as a trampoline keeps them: result and frame pointer, then
 * return addresses. The first one leads back into the traced function where its trampoline was
 * called, and is missing where that was jumped to (7.0 and newer); the other one leads to the
 * function's caller. Above that is the place where a kretprobe finds the stack pointer.
 */
#define TRAMPOLINE 16
#define CALL_BYTES 32	/* from a function's address to after the call of its trampoline, at most */

/* Set until the engine has attached all links, and when it leaves: links close slowly. */
__u32 xpt_rdma_stopping;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XPT_RDMA_FNS);
	__type(key, __u32);
	__type(value, struct xpt_wire_rdma_fn);
} xpt_rdma_fns SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, XPT_RDMA_FNS);
	__type(key, __u32);
	__type(value, struct xpt_wire_rdma_count);
} xpt_rdma_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct xpt_wire_rdma_errno);
	__type(value, __u64);
} xpt_rdma_errnos SEC(".maps");

static __always_inline bool wanted(__u32 tgid)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	unsigned i, k;

	for (i = 0; cfg.targets[0] && i < PARENTS; i++) {
		__u32 id = (__u32)BPF_CORE_READ(t, tgid);

		for (k = 0; k < XPT_RDMA_TARGETS && cfg.targets[k]; k++)
			if (id == cfg.targets[k])
				return true;
		if (id <= 1)
			return false;
		t = BPF_CORE_READ(t, real_parent);
	}
	return !cfg.targets[0];
}

/*
 * Begins a slot with a root's arguments: struct file *, and the data of user space; or inode and file, see
 * XPT_RDMA_FN_OPEN.
 */
static __always_inline void begin_slot(struct xpt_rdma_slot *s, const struct xpt_wire_rdma_fn *f, const __u64 *args)
{
	struct xpt_wire_rdma_rec *r = &s->rec;
	bool has_file = f->flags & (XPT_RDMA_FN_IOCTL | XPT_RDMA_FN_WRITE | XPT_RDMA_FN_MMAP);

	if (f->flags & XPT_RDMA_FN_IOCTL && (__u32)args[1] == VERBS_IOCTL)
		rdma_asked_of_ioctl(r, args[2]);
	s->inode = f->flags & XPT_RDMA_FN_OPEN ? args[0] : 0;
	s->file = s->inode ? args[1] : has_file ? args[0] : 0;
	s->success = f->flags & XPT_RDMA_FN_WRITE ? (__s64)args[2] : 0;
	s->is_new = 0;
	s->error = 0;
	s->error_fn = 0;
}

static __always_inline void begin(__u32 fn, const __u64 *args)
{
	__u64 id = bpf_get_current_pid_tgid();
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);
	struct task_struct *task = (void *)bpf_get_current_task();
	struct xpt_wire_rdma_rec *r;
	struct xpt_rdma_slot *s;
	__u32 command = 0;

	if (!f || xpt_rdma_stopping || !wanted(id >> 32))
		return;
	/* A page that is absent here is read by the kernel in a moment: then the handler has the values. */
	if (f->flags & XPT_RDMA_FN_WRITE)
		bpf_probe_read_user(&command, sizeof(command), (void *)args[1]);
	if (cfg.passed && !(f->flags & XPT_RDMA_FN_OWN) &&
	    rdma_passes(f->flags & XPT_RDMA_FN_WRITE, command, args[2])) {
		rdma_forget((__u32)id);
		return;
	}
	s = rdma_claim((__u32)id);
	if (!s)
		return;
	r = &s->rec;
	r->kind = XPT_RDMA_REC_CALL;
	r->tgid = id >> 32;
	r->tid = (__u32)id;
	r->root = fn;
	r->handler = f->flags & XPT_RDMA_FN_OWN ? fn : 0;
	r->nr = r->nr_erred = r->has_header = 0;
	r->command = command;
	r->object = r->method = 0;
	r->value = 0;
	r->fw.nr = 0;
	r->asked.kind = XPT_RDMA_ASKED_NOTHING;
	s->stack = (__u64)BPF_CORE_READ(task, stack);
	begin_slot(s, f, args);
	r->start_ns = bpf_ktime_get_ns();
}

/* Returns 0, a negative errno, or 1 if a predicate returned false. */
static __always_inline __s32 error_of(__u8 kind, __u64 ret)
{
	__s64 v = (__s64)ret;

	switch (kind) {
	case XPT_RDMA_ERR_FALSE:
		return !(ret & 0xff);
	case XPT_RDMA_ERR_EITHER:
		if (ret >> 32 && ret >> 32 != 0xffffffff)
			return 0;
		v = (__s32)ret;
		break;
	case XPT_RDMA_ERR_INT:
		v = (__s32)ret;
		break;
	case XPT_RDMA_ERR_LONG:
		break;
	default:
		return 0;
	}
	return v < 0 && v >= -4095 ? (__s32)v : 0;
}

static __always_inline void count_error(struct xpt_rdma_slot *s, __u32 fn, __s32 error)
{
	struct xpt_wire_rdma_errno key = { fn, error < 0 ? error : 0 };
	__u64 *n = bpf_map_lookup_elem(&xpt_rdma_errnos, &key), one = 1;

	if (n) {
		__sync_fetch_and_add(n, 1);
		return;
	}
	if (bpf_map_update_elem(&xpt_rdma_errnos, &key, &one, BPF_NOEXIST))
		rdma_lost(XPT_RDMA_LOST_ERRNO);
	else
		s->is_new = 1;
}

static __always_inline void count(struct xpt_rdma_slot *s, __u32 fn, __s32 error)
{
	struct xpt_wire_rdma_count *c = bpf_map_lookup_elem(&xpt_rdma_counts, &fn);

	if (c)
		__sync_fetch_and_add(&c->calls, 1);
	if (!error)
		return;
	if (c)
		__sync_fetch_and_add(&c->errors, 1);
	count_error(s, fn, error);
}

static __always_inline void read_header(struct xpt_wire_rdma_rec *r, __u64 header)
{
	__u16 h[4] = { 0 };	/* length, object, method, attributes: struct ib_uverbs_ioctl_hdr */

	if (bpf_probe_read_kernel(h, sizeof(h), (void *)header))
		return;
	r->object = h[1];
	r->method = h[2];
	r->has_header = 1;
}

/* attr_mask and qp_state of struct ib_uverbs_modify_qp, include/uapi/rdma/ib_user_verbs.h */
static __always_inline void read_modify(struct xpt_wire_rdma_rec *r, __u64 command)
{
	__u32 mask = 0;
	__u8 state = 0;

	if (bpf_probe_read_kernel(&mask, sizeof(mask), (void *)(command + 68)) ||
	    bpf_probe_read_kernel(&state, sizeof(state), (void *)(command + 96)))
		return;
	r->value = XPT_RDMA_MODIFY | (__u64)mask << 8 | state;
}

/*
 * The next place for a return: the first ones stay, then a ring of the last ones. errs: it is
 * another error than the one before, so it may be where the call's own begins: it stays, too,
 * however much rollback follows.
 */
static __always_inline struct xpt_wire_rdma_exit *next_exit(struct xpt_rdma_slot *s, bool errs)
{
	__u32 n = s->rec.nr++, erred = s->rec.nr_erred, i = n;
	struct xpt_wire_rdma_exit *e;

	if (n >= XPT_RDMA_FIRST && errs && erred < XPT_RDMA_ERRED) {
		s->rec.nr_erred = erred + 1;
		i = XPT_RDMA_FIRST + XPT_RDMA_LAST + erred;
	} else if (n >= XPT_RDMA_FIRST) {
		i = XPT_RDMA_FIRST + xpt_wrap(n - XPT_RDMA_FIRST - erred, XPT_RDMA_LAST);
	}
	i = rdma_forget_bounds(s, i);
	asm volatile("" : "+r"(i));	/* verifiers before 6.9 know bounds of the register that was compared alone */
	if (i >= XPT_RDMA_EXITS)
		return NULL;
	e = &s->exit[i];
	e->nr = n;
	return e;
}

/*
 * A function returned; NULL: not below a root. top: its place in the stack, still
 * with the stack's address in it. A return on another stack is an interrupt's,
 * and no work of this thread. *ret_erred: the function if that was an error, else
 * NULL.
 */
static __always_inline struct xpt_wire_rdma_exit *add_exit(struct xpt_rdma_slot *s, __u32 cookie, __u64 top, __u64 ret,
							   __u64 now, const struct xpt_wire_rdma_fn **ret_erred)
{
	__u32 fn = XPT_RDMA_COOKIE_ID(cookie);
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);
	struct xpt_wire_rdma_exit *e;
	__u64 place = top - s->stack;
	__s32 error;
	bool errs;

	if (!f || f->generation != XPT_RDMA_COOKIE_GENERATION(cookie) || place >= XPT_KSTACK_BYTES)
		return NULL;
	error = error_of(f->err, ret);
	*ret_erred = error ? f : NULL;
	errs = error && error != s->error && !f->generation;	/* ids of others come and go */
	if (errs) {
		s->error = error;
		s->error_fn = fn;
	}
	e = next_exit(s, errs);
	if (!e)
		return NULL;
	e->fn = fn;
	e->place = (__u16)place;
	e->nr_args = e->pad = 0;
	e->from = 0;
	e->ret = ret;
	e->ns = now - s->rec.start_ns;
	count(s, fn, error);
	if (f->flags & XPT_RDMA_FN_HANDLER && !s->rec.handler)	/* the innermost */
		s->rec.handler = fn;
	return e;
}

static __always_inline void end(struct xpt_rdma_slot *s, __u32 fn, __s64 ret, __u64 now)
{
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);

	if (fn != s->rec.root)
		return;
	/* open and mmap return an int, in half of the register; ioctl and write a long. */
	if (f && !((__u64)ret >> 32) && (f->err == XPT_RDMA_ERR_INT || f->err == XPT_RDMA_ERR_EITHER))
		ret = (__s32)ret;
	rdma_finish(s, ret, now);
	s->rec.start_ns = 0;	/* who looks for calls that last would take the next one for this one */
	rdma_release((__u32)bpf_get_current_pid_tgid());
}

/* One of XPT_RDMA_FN_SPECIAL returned, with its arguments. */
static __always_inline void end_special(struct xpt_rdma_slot *s, __u32 fn, const struct xpt_wire_rdma_exit *e,
					__s64 ret, __u64 now)
{
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);

	if (f && f->flags & XPT_RDMA_FN_HEADER)
		read_header(&s->rec, e->arg[1]);
	if (f && f->flags & XPT_RDMA_FN_MODIFY)
		read_modify(&s->rec, e->arg[1]);
	if (f && f->flags & XPT_RDMA_FN_CREATE)
		rdma_asked_of_command(&s->rec, e->arg[1]);
	end(s, fn, ret, now);
}

SEC("?fentry/__x64_sys_ioctl")
int xpt_rdma_enter(unsigned long long *ctx)
{
	__u64 args[3] = { 0 };

	bpf_get_func_arg(ctx, 0, &args[0]);
	bpf_get_func_arg(ctx, 1, &args[1]);
	bpf_get_func_arg(ctx, 2, &args[2]);
	begin((__u32)bpf_get_attach_cookie(ctx), args);
	return 0;
}

SEC("?kprobe")
int xpt_rdma_kenter(struct pt_regs *ctx)
{
	__u64 args[8];

	xpt_reg_args(ctx, args);
	begin((__u32)bpf_get_attach_cookie(ctx), args);
	return 0;
}

static __always_inline void take_args(void *ctx, struct xpt_wire_rdma_exit *e, __u32 n)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < XPT_RDMA_REGS; i++)
		if (i < n)
			bpf_get_func_arg(ctx, i, &e->arg[i]);
	e->nr_args = n < XPT_RDMA_REGS ? n : XPT_RDMA_REGS;
}

/*
 * A return with its arguments; NULL: not below a root. asks: the function may get a struct with the program's
 * request.
 */
static __always_inline struct xpt_wire_rdma_exit *add_btf(unsigned long long *ctx, struct xpt_rdma_slot *s,
							  __u64 *ret, __u64 now, bool asks)
{
	__u32 n = (__u32)bpf_get_func_arg_cnt(ctx);
	const struct xpt_wire_rdma_fn *erred;
	struct xpt_wire_rdma_exit *e;
	__u64 at, back[2] = { 0 };
	__u32 i;

	bpf_get_func_ret(ctx, ret);
	*(void *volatile *)&s->ctx = ctx;	/* comes back as a number */
	at = *(volatile __u64 *)&s->ctx + 8 * n + TRAMPOLINE;
	bpf_probe_read_kernel(back, sizeof(back), (void *)at);
	i = back[0] - bpf_get_func_ip(ctx) < CALL_BYTES;
	e = add_exit(s, (__u32)bpf_get_attach_cookie(ctx), at + 8 + 8 * i, *ret, now, &erred);
	if (!e)
		return NULL;
	take_args(ctx, e, n);
	if (asks && erred && erred->asks.kind)
		rdma_asked_struct(&s->rec, &erred->asks, e);
	e->from = (__u32)(i ? back[1] : back[0]);
	return e;
}

/* The same of a kretprobe: the kernel has put the return address back into the registers. */
static __always_inline struct xpt_wire_rdma_exit *add_regs(struct pt_regs *ctx, struct xpt_rdma_slot *s,
							   __u32 cookie, __u64 now)
{
	const struct xpt_wire_rdma_fn *erred;
	struct xpt_wire_rdma_exit *e = add_exit(s, cookie, xpt_sp(ctx), xpt_retval(ctx), now, &erred);

	if (e)
		e->from = (__u32)xpt_ip(ctx);
	return e;
}

SEC("?fexit/__x64_sys_ioctl")
int xpt_rdma_leave(unsigned long long *ctx)
{
	struct xpt_rdma_slot *s = rdma_slot((__u32)bpf_get_current_pid_tgid());
	__u64 ret = 0;

	if (s)
		add_btf(ctx, s, &ret, bpf_ktime_get_ns(), false);
	return 0;
}

/* Runs on the few functions that ask; for all others the kernel has less to check. */
SEC("?fexit/__x64_sys_ioctl")
int xpt_rdma_leave_asked(unsigned long long *ctx)
{
	struct xpt_rdma_slot *s = rdma_slot((__u32)bpf_get_current_pid_tgid());
	__u64 ret = 0;

	if (s)
		add_btf(ctx, s, &ret, bpf_ktime_get_ns(), true);
	return 0;
}

/* Runs on those few functions that identify the call's object, or end the call: see XPT_RDMA_FN_SPECIAL. */
SEC("?fexit/__x64_sys_ioctl")
int xpt_rdma_end(unsigned long long *ctx)
{
	struct xpt_rdma_slot *s = rdma_slot((__u32)bpf_get_current_pid_tgid());
	__u32 fn = XPT_RDMA_COOKIE_ID((__u32)bpf_get_attach_cookie(ctx));
	struct xpt_wire_rdma_exit *e;
	__u64 ret = 0, now;

	if (!s)
		return 0;
	now = bpf_ktime_get_ns();
	e = add_btf(ctx, s, &ret, now, true);
	if (!e)
		return 0;
	end_special(s, fn, e, (__s64)ret, now);
	return 0;
}

SEC("?kprobe")
int xpt_rdma_kleave(struct pt_regs *ctx)
{
	struct xpt_rdma_slot *s = rdma_slot((__u32)bpf_get_current_pid_tgid());

	if (s)
		add_regs(ctx, s, (__u32)bpf_get_attach_cookie(ctx), bpf_ktime_get_ns());
	return 0;
}

SEC("?kprobe")
int xpt_rdma_kend(struct pt_regs *ctx)
{
	struct xpt_rdma_slot *s = rdma_slot((__u32)bpf_get_current_pid_tgid());
	__u32 cookie = (__u32)bpf_get_attach_cookie(ctx);
	__u64 now;

	if (!s)
		return 0;
	now = bpf_ktime_get_ns();
	if (add_regs(ctx, s, cookie, now))
		end(s, XPT_RDMA_COOKIE_ID(cookie), (__s64)xpt_retval(ctx), now);
	return 0;
}

/* Reserves a record of an event that is no call; the caller submits it. NULL: no room, which is counted. */
static __always_inline struct xpt_wire_rdma_rec *other_record(__u32 kind, __u64 now)
{
	struct xpt_wire_rdma_rec *r = bpf_ringbuf_reserve(&xpt_rdma_ring, sizeof(*r), 0);

	if (!r) {
		rdma_lost(XPT_RDMA_LOST_RING);
		return NULL;
	}
	__builtin_memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->start_ns = now;
	return r;
}

static __always_inline void event(__u32 fn, const void *ev)
{
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);
	struct xpt_wire_rdma_rec *r;
	__u32 type = 0, port = 0;
	void *qp;

	if (!f || xpt_rdma_stopping || cfg.at.event_type == XPT_RDMA_NOWHERE)
		return;
	r = other_record(XPT_RDMA_REC_EVENT, bpf_ktime_get_ns());
	if (!r)
		return;
	r->root = fn;
	bpf_probe_read_kernel(&type, sizeof(type), ev + cfg.at.event_type);
	r->ret = type;
	rdma_device(r, rdma_member(ev, cfg.at.event_device));
	if (f->flags & XPT_RDMA_FN_EVENT1) {
		bpf_probe_read_kernel(&port, 1, ev + cfg.at.event_element);
		r->value = port;
	} else if (cfg.at.qp_num != XPT_RDMA_NOWHERE) {
		qp = rdma_member(ev, cfg.at.event_element);
		bpf_probe_read_kernel(&port, sizeof(port), qp + cfg.at.qp_num);
		r->value = port;
	}
	bpf_ringbuf_submit(r, 0);
}

/*
 * ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED, DEVICE_REMOVAL, MULTICAST_ERROR, ADDR_CHANGE,
 * ADDRINFO_ERROR of enum rdma_cm_event_type; the others are events without a failure.
 */
#define CM_FAILURES (1u << 1 | 1u << 3 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 11 | 1u << 13 | 1u << 14 | 1u << 17)

__u64 xpt_rdma_cm_full_ns;	/* of events of the connection manager, which programs cause: see rdma_too_many() */

/*
 * An answer of the connection manager that comes later than the call it is about. A struct rdma_cm_event begins
 * with its type and status, and a struct rdma_cm_id with its device (include/rdma/rdma_cm.h of Linux 6.1 to 7.2).
 */
static __always_inline void cm_event(__u32 fn, const void *id, const void *ev)
{
	__u64 now = bpf_ktime_get_ns();
	struct xpt_wire_rdma_rec *r;
	__s32 said[2] = { 0 };

	if (xpt_rdma_stopping || bpf_probe_read_kernel(said, sizeof(said), ev) || (__u32)said[0] > 31 ||
	    !(CM_FAILURES >> (__u32)said[0] & 1))
		return;
	if (rdma_too_many(&xpt_rdma_cm_full_ns, now, XPT_RDMA_GAP_NS)) {
		rdma_lost(XPT_RDMA_LOST_EVENT);
		return;
	}
	r = other_record(XPT_RDMA_REC_EVENT, now);
	if (!r)
		return;
	r->root = fn;
	r->ret = XPT_RDMA_CM_EVENTS + said[0];
	r->value = said[1] < 0 ? -(__u64)said[1] : (__u64)said[1];
	rdma_device(r, rdma_member(id, 0));
	bpf_ringbuf_submit(r, 0);
}

SEC("?fentry/__x64_sys_ioctl")
int xpt_rdma_event(unsigned long long *ctx)
{
	__u32 fn = (__u32)bpf_get_attach_cookie(ctx);
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);
	__u64 first = 0, second = 0;

	if (!f)
		return 0;
	bpf_get_func_arg(ctx, 0, &first);
	if (f->flags & XPT_RDMA_FN_EVENT1)
		bpf_get_func_arg(ctx, 1, &second);
	if (f->flags & XPT_RDMA_FN_CM_EVENT)
		cm_event(fn, (void *)first, (void *)second);
	else
		event(fn, (void *)(f->flags & XPT_RDMA_FN_EVENT1 ? second : first));
	return 0;
}

static __always_inline void regs_event(struct pt_regs *ctx)
{
	__u32 fn = (__u32)bpf_get_attach_cookie(ctx);
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);
	__u64 args[8], a, b;

	xpt_reg_args(ctx, args);
	a = args[0];
	b = args[1];
	asm volatile("" : "+r"(a), "+r"(b));	/* a choice of values, not of places in ctx */
	if (f && f->flags & XPT_RDMA_FN_CM_EVENT)
		cm_event(fn, (void *)a, (void *)b);
	else if (f)
		event(fn, (void *)(f->flags & XPT_RDMA_FN_EVENT1 ? b : a));
}

SEC("?kprobe")
int xpt_rdma_kevent(struct pt_regs *ctx)
{
	regs_event(ctx);
	return 0;
}

/* A command of no call: of a kernel thread, or of whatever an interrupt ends. */
static __always_inline void command_alone(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	__u64 now = bpf_ktime_get_ns(), id = bpf_get_current_pid_tgid();
	struct xpt_wire_rdma_rec *r;

	if (cfg.targets[0] && !(BPF_CORE_READ(t, flags) & PF_KTHREAD) && !wanted(id >> 32))
		return;
	if (rdma_too_many(&xpt_rdma_command_full_ns, now, XPT_RDMA_GAP_NS)) {
		rdma_lost(XPT_RDMA_LOST_COMMAND);
		return;
	}
	r = other_record(XPT_RDMA_REC_COMMAND, now);
	if (!r)
		return;
	r->fw.nr = 1;
	rdma_command(&r->fw, ctx);
	if (rdma_in_stack(ctx, &r->value, (__u64)BPF_CORE_READ(t, stack))) {
		r->tgid = id >> 32;
		r->tid = (__u32)id;
		r->uid = (__u32)bpf_get_current_uid_gid();
		bpf_get_current_comm(r->comm, sizeof(r->comm));
	}
	r->value = 0;
	bpf_ringbuf_submit(r, 0);
}

/* mlx5_cmd, which fires for commands that failed alone. */
SEC("?raw_tp")
int xpt_rdma_command(struct bpf_raw_tracepoint_args *ctx)
{
	struct xpt_rdma_slot *s;

	xpt_own_stack(ctx);
	if (xpt_rdma_stopping)
		return 0;
	s = rdma_slot((__u32)bpf_get_current_pid_tgid());
	if (!s || !rdma_in_stack(ctx, &s->command_ctx, s->stack)) {
		command_alone(ctx);
		return 0;
	}
	if (s->rec.fw.nr++)
		return 0;
	s->rec.fw.ns = bpf_ktime_get_ns() - s->rec.start_ns;
	rdma_command(&s->rec.fw, ctx);
	return 0;
}

#include "bpf/rdma/rdma_session.bpf.h"
