/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words for calls in files, see call.h. By class, kind and role only.
 */
#include "model/call.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "model/value.h"

/* Address space and memory of others is no memory that the call takes. */
static bool is_memory(const struct xpt_fn *fn)
{
	return (fn->cls == XPT_CLASS_ALLOC || fn->cls == XPT_CLASS_FREE) &&
	       fn->kind != XPT_KIND_REGISTERED && fn->kind != XPT_KIND_MAPPING &&
	       fn->kind != XPT_KIND_RESERVED && fn->kind != XPT_KIND_IPC;
}

const char *xpt_fn__type(const struct xpt_fn *fn, bool outer)
{
	if (fn->cls == XPT_CLASS_SCHED)
		return "scheduler";
	if (fn->layer == XPT_LAYER_IOCTL || fn->layer == XPT_LAYER_DRIVER)
		return "kernel";
	if (outer)
		return "userspace";
	if (fn->cls == XPT_CLASS_LAUNCH)
		return "kernel";
	if (fn->cls == XPT_CLASS_COPY)
		return "transfer";
	return is_memory(fn) ? "memory" : "userspace";
}

bool xpt_call__done_bytes(const struct xpt_call *c, uint64_t *ret_bytes)
{
	switch (c->fn->cls) {
	case XPT_CLASS_ALLOC:
	case XPT_CLASS_COPY:
	case XPT_CLASS_SET:
	case XPT_CLASS_REGISTER:
	case XPT_CLASS_SUBMIT:
		break;
	default:
		return false;
	}
	if (!xpt_call__bytes(c, ret_bytes))
		return false;
	if (c->failed || (c->flags & XPT_CALL_FAILED))
		*ret_bytes = 0;
	return true;
}

bool xpt_call__ptr(const struct xpt_call *c, uint64_t *ret_v)
{
	static const enum xpt_role order[] = { XPT_ROLE_ADDR, XPT_ROLE_HANDLE, XPT_ROLE_DST };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		int at = c->fn->role_idx[order[i]];

		if (xpt_call__role(c, order[i], ret_v) && xpt_call__shows_arg(c, (unsigned)at))
			return true;
	}
	return false;
}

void xpt_call__add_sched(struct xpt_strbuf *sb, const struct xpt_call *c)
{
	const char *cpu = xpt_call__cpu_name(c);

	if (cpu) {
		xpt_strbuf__add(sb, ",\"cpu\":");
		xpt_strbuf__add_json(sb, cpu);
	}
	if (!(c->flags & XPT_CALL_SCHED))
		return;
	xpt_strbuf__add(sb, ",\"sched\":{\"runq_us\":");
	xpt_strbuf__add_fixed(sb, c->sched.runq_ns, 3);
	xpt_strbuf__add(sb, ",\"blocked_us\":");
	xpt_strbuf__add_fixed(sb, c->sched.blocked_ns, 3);
	xpt_strbuf__add(sb, ",\"voluntary\":");
	xpt_strbuf__addu64(sb, c->sched.voluntary);
	xpt_strbuf__add(sb, ",\"involuntary\":");
	xpt_strbuf__addu64(sb, c->sched.involuntary);
	xpt_strbuf__addc(sb, '}');
}

const char *xpt_call__cpu_name(const struct xpt_call *c)
{
	static const char *const name[XPT_CPU__MAX] = {
		[XPT_CPU_ON] = "running", [XPT_CPU_RUNNABLE] = "runnable", [XPT_CPU_BLOCKED] = "asleep",
	};

	return c->cpu < XPT_CPU__MAX ? name[c->cpu] : NULL;
}

const char *xpt_signal_name(unsigned number, char *buf, size_t n)
{
	const char *name = sigabbrev_np((int)number);

	if (name)
		snprintf(buf, n, "SIG%s", name);
	else
		snprintf(buf, n, "signal %u", number);
	return buf;
}
