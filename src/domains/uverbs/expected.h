/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures that libraries meet on purpose, from rdma-core's libibverbs (cmd_fallback.c: methods that a kernel lacks
 * are tried first) and NCCL's sources (src/misc/ibvwrap.cc).
 */
	{ "*", -93, /* EPROTONOSUPPORT */
		"The library tries a method that this kernel lacks, and goes on with an older one." },
	{ "QUERY_GID_ENTRY", -61, /* ENODATA */
		"Programs walk through the table of GIDs; this entry is empty." },
	{ "REG_DMABUF_MR", -9, /* EBADF */
		"NCCL registers descriptor -1 to learn whether the kernel knows dma-buf; it always fails." },
	{ "REG_DMABUF_MR", -95, /* EOPNOTSUPP */
		"NCCL registers descriptor -1 to learn whether the driver knows dma-buf; this one does not." },
	{ NULL, 0, NULL },
