/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures of libibverbs that libraries meet on purpose, from rdma-core's manual pages
 * (ibv_get_async_event(3), ibv_get_cq_event(3), ibv_get_device_list(3), ibv_query_gid_ex(3)) and
 * NCCL's sources (src/transport/net_ib*, src/misc/ibvwrap.cc). Functions that return a pointer
 * have code 0 (NULL) when they fail; errno is not read, so only those are in here that
 * hardly ever fail for another reason. ibv_create_qp is not, although libfabric lets it
 * fail to find the largest inline size: it fails for many reasons, and ibv_open_device
 * and ibv_reg_mr always for one that matters.
 */
	{ "ibv_get_async_event", -1, /* errno EAGAIN */
		"On a descriptor that does not block, programs ask until there is no event left." },
	{ "ibv_get_cq_event", -1, /* errno EAGAIN */
		"On a descriptor that does not block, programs ask until there is no event left." },
	{ "ibv_reg_dmabuf_mr", 0, /* NULL, errno EBADF, EOPNOTSUPP or EPROTONOSUPPORT */
		"NCCL registers descriptor -1 to learn whether the kernel knows dma-buf; it always fails." },
	{ "ibv_get_device_list", 0, /* NULL, errno ENOSYS */
		"Libraries ask for RDMA devices wherever they run; this kernel has no support for them." },
	{ "_ibv_query_gid_ex", 61, /* ENODATA */
		"Programs walk through the table of GIDs; this entry is empty." },
	{ "ibv_query_ece", 95, /* EOPNOTSUPP */
		"NCCL asks for enhanced connection establishment; this device has none." },
	{ "ibv_set_ece", 95, /* EOPNOTSUPP */
		"NCCL asks for enhanced connection establishment; this device has none." },
	{ NULL, 0, NULL },
