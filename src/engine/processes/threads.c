// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The threads that make traced calls, as the kernel side keeps them: an array
 * of slots, whose owners are mapped here.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "wire/config.h"
#include "call.skel.h"

static struct xpt_thread copy;	/* 8 KiB; the engine has one thread */

const struct xpt_thread *xpt_threads__next(struct xpt_engine *e, struct xpt_threads_at *at)
{
	const volatile __u32 *tids = e->skel->bss->xpt_slot_tid;
	int fd = bpf_map__fd(e->skel->maps.xpt_slots);

	while (at->slot < e->skel->rodata->cfg.nr_slots) {
		uint32_t i = at->slot++;

		if (tids[i] && !bpf_map_lookup_elem(fd, &i, &copy))
			return &copy;
	}
	return NULL;
}
