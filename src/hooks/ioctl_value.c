// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values of ioctls, mmaps and polls: they are at the places where the kernel side
 * puts them, so a hook's program has their places instead of those of its own
 * captures. Members of the struct that the argument points to are read when the
 * call returns, into the places after them.
 */
#include "hooks/ioctl_value.h"

#include <string.h>

static const struct {
	const char *name;
	uint8_t call, slot;
} values[] = {
	{ "fd", XPT_IOCTL_COMMAND, XPT_IOCTL_VAL_FD },
	{ "device", XPT_IOCTL_COMMAND, XPT_IOCTL_VAL_DEVICE },
	{ "cmd", XPT_IOCTL_COMMAND, XPT_IOCTL_VAL_CMD },
	{ "arg", XPT_IOCTL_COMMAND, XPT_IOCTL_VAL_ARG },
	{ "object", XPT_IOCTL_COMMAND, XPT_IOCTL_VAL_OBJECT },
	{ "size", XPT_IOCTL_COMMAND, XPT_IOCTL_VAL_SIZE },
	{ "status", XPT_IOCTL_COMMAND, XPT_IOCTL_VAL_STATUS },
	{ "fd", XPT_IOCTL_MMAP, XPT_IOCTL_VAL_FD },
	{ "device", XPT_IOCTL_MMAP, XPT_IOCTL_VAL_DEVICE },
	{ "prot", XPT_IOCTL_MMAP, XPT_MMAP_VAL_PROT },
	{ "flags", XPT_IOCTL_MMAP, XPT_MMAP_VAL_FLAGS },
	{ "offset", XPT_IOCTL_MMAP, XPT_MMAP_VAL_OFFSET },
	{ "length", XPT_IOCTL_MMAP, XPT_MMAP_VAL_LENGTH },
	{ "fd", XPT_IOCTL_POLL, XPT_IOCTL_VAL_FD },
	{ "device", XPT_IOCTL_POLL, XPT_IOCTL_VAL_DEVICE },
	{ "nfds", XPT_IOCTL_POLL, XPT_POLL_VAL_NFDS },
	{ "timeout_ms", XPT_IOCTL_POLL, XPT_POLL_VAL_TIMEOUT },
};

static uint8_t call_of(const struct xpt_probe *p)
{
	return !strcmp(p->name, "mmap") ? XPT_IOCTL_MMAP : !strcmp(p->name, "poll") ? XPT_IOCTL_POLL :
	       XPT_IOCTL_COMMAND;
}

int xpt_hook_ioctl__slot(const struct xpt_probe *p, const char *name)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i].call == call_of(p) && !strcmp(values[i].name, name))
			return values[i].slot;
	return -1;
}

const char *xpt_hook_ioctl__names(const struct xpt_probe *p)
{
	switch (call_of(p)) {
	case XPT_IOCTL_MMAP: return "fd, device, prot, flags, offset, length";
	case XPT_IOCTL_POLL: return "fd, device, nfds, timeout_ms";
	default: return "fd, device, cmd, arg, object, size, status";
	}
}

/* Returns the slot of value i of the hook. */
static uint8_t slot_of(const struct xpt_hook *h, unsigned i)
{
	unsigned before = 0;
	int slot = xpt_hook_ioctl__slot(&h->probe, h->cap[i].arg_name);

	if (h->cap[i].kind != XPT_HOOK_CAP_DEREF)
		return slot < 0 ? 0 : (uint8_t)slot;
	for (unsigned k = 0; k < i; k++)
		before += h->cap[k].kind == XPT_HOOK_CAP_DEREF;
	return (uint8_t)(XPT_IOCTL_VALS + before);
}

/* Widths that were asked for count where a value is used: it lies there as it is. */
static void place_value(const struct xpt_hook *h, struct xpt_wire_hook_src *s)
{
	const struct xpt_hook_cap *c = &h->cap[s->arg];

	if (s->source != XPT_HOOK_VALUE)
		return;
	if (c->width && c->kind != XPT_HOOK_CAP_DEREF)
		s->width = c->width;
	s->arg = slot_of(h, s->arg);
}

void xpt_hook_ioctl__place(struct xpt_hook *h)
{
	place_value(h, &h->prog.value);
	for (unsigned i = 0; i < h->prog.nr_keys; i++)
		place_value(h, &h->prog.key[i]);
	for (unsigned i = 0; i < h->prog.nr_tests; i++) {
		place_value(h, &h->prog.test[i].a);
		place_value(h, &h->prog.test[i].b);
	}
}

static bool is_step(const struct xpt_hook *h, unsigned i)
{
	return h->cap[i].kind == XPT_HOOK_CAP_DEREF;
}

void xpt_hook__ioctl_steps(const struct xpt_hook *h, struct xpt_wire_hook_steps *ret_steps)
{
	memset(ret_steps, 0, sizeof(*ret_steps));
	for (unsigned i = 0; i < h->nr_caps && ret_steps->nr < XPT_HOOK_STEPS_MAX; i++)
		if (is_step(h, i))
			ret_steps->step[ret_steps->nr++] = (struct xpt_wire_hook_step){
				.off = h->cap[i].off, .cap = slot_of(h, i), .from = XPT_IOCTL_VAL_ARG,
				.width = h->cap[i].width ? h->cap[i].width : 8,
			};
}

const char *xpt_hook__ioctl_value(const struct xpt_hook *h, unsigned i)
{
	for (unsigned k = 0; k < h->nr_caps; k++)
		if (is_step(h, k) && !i--)
			return h->cap[k].name;
	return "?";
}
