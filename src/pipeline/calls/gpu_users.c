// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who has used a GPU last, for reports that name a GPU and no process.
 */
#include <string.h>
#include "pipeline/calls/gpu_users.h"
#include "wire/ioctl.h"

static bool begins_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

enum xpt_gpu_use xpt_gpu_use_of(const struct xpt_fn *fn)
{
	if (fn->layer == XPT_LAYER_IOCTL)
		return begins_with(fn->name, "ioctl:NV_") || !strcmp(fn->name, "mmap:nvidia") ||
		       !strcmp(fn->name, "poll:nvidia") ? XPT_GPU_IOCTL :
		       begins_with(fn->name, "ioctl:UVM_") || !strcmp(fn->name, "mmap:uvm")
		     ? XPT_GPU_CALL : XPT_GPU_NOT;	/* its device is there for all GPUs */
	return !strcmp(fn->domain_name, "cuda") || !strcmp(fn->domain_name, "cudart")
	     ? XPT_GPU_CALL : XPT_GPU_NOT;
}

void xpt_gpu_users__note(struct xpt_gpu_users *u, enum xpt_gpu_use use, const struct xpt_rec_call *r)
{
	uint32_t minor;

	u->several |= u->any && u->any != r->tgid;
	u->any = r->tgid;
	if (use != XPT_GPU_IOCTL || r->nr_vals <= XPT_IOCTL_VAL_DEVICE ||
	    !(r->valid >> XPT_IOCTL_VAL_DEVICE & 1))
		return;
	minor = (uint32_t)r->val[XPT_IOCTL_VAL_DEVICE] & XPT_IOCTL_ANY_MINOR;
	if (minor < XPT_GPU_MINORS)
		u->by_minor[minor] = r->tgid;
}

void xpt_gpu_users__machine(struct xpt_gpu_users *u, uint32_t gpus)
{
	if (gpus > u->gpus)
		u->gpus = gpus;
}

uint32_t xpt_gpu_users__last(const struct xpt_gpu_users *u, uint32_t minor)
{
	if (minor < XPT_GPU_MINORS && u->by_minor[minor])
		return u->by_minor[minor];
	return u->several || u->gpus > 1 ? 0 : u->any;
}
