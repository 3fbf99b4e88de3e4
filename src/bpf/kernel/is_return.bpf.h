/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The question of a session whether it runs at the return: a call of a helper that the engine replaces by one of
 * bpf_session_is_return(), whose prototype differs between kernels (kernel/kload.c). Nothing else in these
 * objects may call the helper that stands for it.
 */
#ifndef XPT_BPF_KERNEL_IS_RETURN_BPF_H
#define XPT_BPF_KERNEL_IS_RETURN_BPF_H

#include <linux/bpf.h>

static long (*xpt_is_return)(void *ctx) = (void *)BPF_FUNC_get_numa_node_id;

#endif
