/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of numbers that RDMA system calls carry: from the kernel's public
 * interface (rdma/ib_user_verbs.h, rdma/ib_user_ioctl_verbs.h) and the verbs
 * of libibverbs (infiniband/verbs.h), where a test compares them.
 */
#ifndef XPT_RDMA_TRACE_VERB_NAMES_H
#define XPT_RDMA_TRACE_VERB_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xpt_rdma_names {
	XPT_RDMA_QP_STATES,	/* 2: "RTR" */
	XPT_RDMA_QP_TYPES,	/* 2: "RC" */
	XPT_RDMA_EVENTS,	/* 1: "QP_FATAL" */
	XPT_RDMA_DRIVERS,	/* 1: "mlx5" */
	XPT_RDMA_WRITE_COMMANDS,	/* 26: "modify_qp", as the kernel's handlers are called */
	XPT_RDMA_QP_MASK,	/* bits: 0 is "STATE" */
	XPT_RDMA_ACCESS,	/* bits: 0 is "LOCAL_WRITE" */
	XPT_RDMA_NR_NAMES,
};

/* The name of a number, or of a bit by its position; NULL: it has none. */
const char *xpt_rdma_name(enum xpt_rdma_names which, uint32_t value);
/*
 * The names of all bits that are set, "STATE|PKEY_INDEX"; those without a name together as a
 * hexadecimal number, nothing as "0". At most n bytes with the NUL; returns buf.
 */
char *xpt_rdma_bits(enum xpt_rdma_names which, uint32_t value, char *buf, size_t n);

#endif
