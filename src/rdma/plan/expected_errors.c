// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See expected_errors.h. Errors that were measured, or read in the sources of the kernel, of rdma-core and of NCCL. Errors
 * that are always real have no row: ENOMEM, EFAULT, EIO, ETIMEDOUT, EPERM, EREMOTEIO.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "rdma/plan/expected_errors.h"

#define DESTROYS "*_DESTROY|*_FREE|*_DEREG|*destroy_*|dereg_*|dealloc_*|close_*|detach_*"
const char xpt_rdma_destroys[] = DESTROYS;

#define CALL "ib_uverbs_ioctl|ib_uverbs_cmd_verbs|ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE"

const struct xpt_rdma_expected xpt_rdma_expected[] = {
	{ "INVOKE_WRITE|*query_device", CALL, ENOSPC,
	  "libibverbs asks once for each device whether write commands work by ioctl", XPT_RDMA_ALWAYS },
	{ "*", "ib_uverbs_ioctl|ib_uverbs_cmd_verbs", EPROTONOSUPPORT,
	  "this kernel does not know the method or attribute, and the program goes on", XPT_RDMA_IF_GOES_ON },
	{ "*", "ib_uverbs_ioctl", ENOTTY, "a kernel without this ioctl; the library uses write(2)", XPT_RDMA_ALWAYS },
	{ "REG_DMABUF_MR", "*", EBADF, "asked with descriptor -1 whether dma-bufs work: this says that they do",
	  XPT_RDMA_IF_NO_FD },
	{ "REG_DMABUF_MR", "*", EOPNOTSUPP, "asked with descriptor -1 whether dma-bufs work: they do not",
	  XPT_RDMA_IF_NO_FD },
	{ "QP_CREATE|*create_qp", "*", EINVAL, "a search for the largest inline size: smaller ones succeed",
	  XPT_RDMA_IF_SMALLER },
	{ "*", "ib_uverbs_*", EOPNOTSUPP, "the driver has no such operation, and the program goes on without it",
	  XPT_RDMA_IF_GOES_ON },
	{ "*", "_uverbs_get_const*|uverbs_copy_to*|uverbs_get_flags*", ENOENT,
	  "an optional attribute is absent", XPT_RDMA_ALWAYS },
	{ "QUERY_GID_ENTRY", "rdma_get_gid_attr|" CALL "|*QUERY_GID_ENTRY", ENODATA,
	  "tools scan the table of GIDs until they find no more", XPT_RDMA_ALWAYS },
	{ "QP_DESTROY|destroy_qp", "rdma_counter_unbind_qp", EINVAL, "no counter was bound", XPT_RDMA_ALWAYS },
	{ "mmap", "*", EOPNOTSUPP, "an optional page, such as the device's clock, and the program goes on without it",
	  XPT_RDMA_IF_GOES_ON },
	{ DESTROYS, "*", EBUSY, "still referred to; tried again, and then done", XPT_RDMA_IF_RETRIED },
	{ DESTROYS, "*", 512, "interrupted by a signal, and done again", XPT_RDMA_ALWAYS },
	{ "*modify_qp", "rdma_lag_get_ah_roce_slave", 0, "the port is in no link aggregation", XPT_RDMA_ALWAYS },
	{ "", "rxe_requester|rxe_completer|rxe_receiver|__rxe_do_task", EAGAIN, "nothing to do", XPT_RDMA_ALWAYS },
	{ "", "rdma_nl_rcv_msg", EINTR, "means that no acknowledgement is wanted", XPT_RDMA_ALWAYS },
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
