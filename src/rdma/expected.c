// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See expected.h. What is measured, or read in the sources of the kernel, of
 * rdma-core and of NCCL. Errors that are always real have no row: ENOMEM,
 * EFAULT, EIO, ETIMEDOUT, EPERM, EREMOTEIO.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "rdma/expected.h"

#define DESTROYS "*_DESTROY|*_FREE|*_DEREG|*destroy_*|dereg_*|dealloc_*|close_*|detach_*"
#define CALL "ib_uverbs_ioctl|ib_uverbs_cmd_verbs|ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE"

const struct xpt_rdma_expected xpt_rdma_expected[] = {
	{ "INVOKE_WRITE|*query_device", CALL, ENOSPC,
	  "libibverbs asks once for each device whether write commands work by ioctl" },
	{ "*", "ib_uverbs_ioctl|ib_uverbs_cmd_verbs", EPROTONOSUPPORT,
	  "a method or attribute unknown to this kernel; the library falls back" },
	{ "*", "ib_uverbs_ioctl", ENOTTY, "a kernel without this ioctl; the library uses write(2)" },
	{ "REG_DMABUF_MR", "*", EBADF,
	  "NCCL asks with descriptor -1 whether dma-buf works: this says that it does" },
	{ "REG_DMABUF_MR", "*", EOPNOTSUPP, "NCCL asks whether dma-buf works: it does not" },
	{ "*", "ib_uverbs_*", EOPNOTSUPP, "the driver has no such operation" },
	{ "*", "_uverbs_get_const*|uverbs_copy_to*|uverbs_get_flags*", ENOENT,
	  "an optional attribute is absent" },
	{ "QUERY_GID_ENTRY", "rdma_get_gid_attr|" CALL "|*QUERY_GID_ENTRY", ENODATA,
	  "tools scan the table of GIDs until they find no more" },
	{ "QP_DESTROY|destroy_qp", "rdma_counter_unbind_qp", EINVAL, "no counter was bound" },
	{ DESTROYS, "*", EBUSY, "still referred to; the library tries again" },
	{ DESTROYS, "*", 512, "interrupted by a signal, and done again" },
	{ "*modify_qp", "rdma_lag_get_ah_roce_slave", 0, "the port is in no link aggregation" },
	{ "", "rxe_requester|rxe_completer|rxe_receiver|__rxe_do_task", EAGAIN, "nothing to do" },
	{ "", "rdma_nl_rcv_msg", EINTR, "means that no acknowledgement is wanted" },
};

const size_t xpt_rdma_nr_expected = sizeof(xpt_rdma_expected) / sizeof(xpt_rdma_expected[0]);

bool xpt_rdma_one_of(const char *patterns, const char *s)
{
	char one[128];
	size_t n;

	if (!*patterns || !*s)
		return !*patterns && !*s;
	for (;; patterns += n + 1) {
		n = strcspn(patterns, "|");
		snprintf(one, sizeof(one), "%.*s", (int)n, patterns);
		if (xpt_glob_match(one, s))
			return true;
		if (!patterns[n])
			return false;
	}
}

bool xpt_rdma_expected__about(const struct xpt_rdma_expected *row, const char *method,
			      const char *function)
{
	return xpt_rdma_one_of(row->method, method) && xpt_rdma_one_of(row->function, function);
}

const struct xpt_rdma_expected *xpt_rdma_expected__find(const char *method, const char *function,
							int code)
{
	size_t i;

	for (i = 0; i < xpt_rdma_nr_expected; i++) {
		const struct xpt_rdma_expected *e = &xpt_rdma_expected[i];

		if (e->code == code && xpt_rdma_expected__about(e, method, function))
			return e;
	}
	return NULL;
}
