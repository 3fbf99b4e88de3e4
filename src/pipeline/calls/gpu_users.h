/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who has used a GPU last: by calls of its libraries, and, where ioctls are
 * traced, by those on its device file. Process ids, which outlive a struct xpt_proc.
 */
#ifndef XPT_PIPELINE_CALLS_GPU_USERS_H
#define XPT_PIPELINE_CALLS_GPU_USERS_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"

#define XPT_GPU_MINORS 128u

struct xpt_gpu_users {
	uint32_t any;				/* the first user of any GPU; 0: none yet */
	bool several;				/* processes have used GPUs */
	uint32_t gpus;				/* of the machine, as far as is known; 0: it is not */
	uint32_t by_minor[XPT_GPU_MINORS];	/* /dev/nvidiaN */
};

enum xpt_gpu_use { XPT_GPU_NOT, XPT_GPU_CALL, XPT_GPU_IOCTL };

enum xpt_gpu_use xpt_gpu_use_of(const struct xpt_fn *fn);
void xpt_gpu_users__note(struct xpt_gpu_users *u, enum xpt_gpu_use use, const struct xpt_rec_call *r);
/* The machine has at least so many GPUs. */
void xpt_gpu_users__machine(struct xpt_gpu_users *u, uint32_t gpus);
/* Of that GPU; if nobody is known for it, the one process that has used any, unless that may have
 * been another GPU. 0: it is not known. */
uint32_t xpt_gpu_users__last(const struct xpt_gpu_users *u, uint32_t minor);

#endif
