/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the ioctls of InfiniBand and NVMe devices, from the kernel's public
 * interface (rdma/ib_user_ioctl_cmds.h, linux/nvme_ioctl.h) and the NVMe
 * specification, and of a few that many devices have. Included by ioctl.c alone.
 */
static const struct xpt_ioctl_name verbs_cmds[] = {
	{ 0x1b01, "RDMA_VERBS_IOCTL" },
};

/* object | method << 16 */
static const struct xpt_ioctl_name verbs_methods[] = {
	{ 0x0, "DEVICE_INVOKE_WRITE" },
	{ 0x1, "PD_DESTROY" },
	{ 0x3, "CQ_CREATE" },
	{ 0x4, "QP_CREATE" },
	{ 0x5, "SRQ_CREATE" },
	{ 0x6, "AH_DESTROY" },
	{ 0x7, "DM_MR_REG" },
	{ 0x8, "MW_DESTROY" },
	{ 0x9, "FLOW_DESTROY" },
	{ 0xa, "XRCD_DESTROY" },
	{ 0xb, "RWQ_IND_TBL_DESTROY" },
	{ 0xc, "WQ_CREATE" },
	{ 0xd, "FLOW_ACTION_ESP_CREATE" },
	{ 0xe, "DM_ALLOC" },
	{ 0xf, "COUNTERS_CREATE" },
	{ 0x10, "ASYNC_EVENT_ALLOC" },
	{ 0x10000, "DEVICE_INFO_HANDLES" },
	{ 0x10003, "CQ_DESTROY" },
	{ 0x10004, "QP_DESTROY" },
	{ 0x10005, "SRQ_DESTROY" },
	{ 0x10007, "MR_DESTROY" },
	{ 0x1000c, "WQ_DESTROY" },
	{ 0x1000d, "FLOW_ACTION_DESTROY" },
	{ 0x1000e, "DM_FREE" },
	{ 0x1000f, "COUNTERS_DESTROY" },
	{ 0x20000, "DEVICE_QUERY_PORT" },
	{ 0x20007, "ADVISE_MR" },
	{ 0x2000d, "FLOW_ACTION_ESP_MODIFY" },
	{ 0x2000f, "COUNTERS_READ" },
	{ 0x30000, "DEVICE_GET_CONTEXT" },
	{ 0x30007, "QUERY_MR" },
	{ 0x40000, "DEVICE_QUERY_CONTEXT" },
	{ 0x40007, "REG_DMABUF_MR" },
	{ 0x50000, "DEVICE_QUERY_GID_TABLE" },
	{ 0x60000, "DEVICE_QUERY_GID_ENTRY" },
};

static const struct xpt_ioctl_name nvme_cmds[] = {
	{ 0x4e40, "NVME_IOCTL_ID" },
	{ 0x4e41, "NVME_IOCTL_ADMIN_CMD" },
	{ 0x4e42, "NVME_IOCTL_SUBMIT_IO" },
	{ 0x4e43, "NVME_IOCTL_IO_CMD" },
	{ 0x4e44, "NVME_IOCTL_RESET" },
	{ 0x4e45, "NVME_IOCTL_SUBSYS_RESET" },
	{ 0x4e46, "NVME_IOCTL_RESCAN" },
	{ 0x4e47, "NVME_IOCTL_ADMIN64_CMD" },
	{ 0x4e48, "NVME_IOCTL_IO64_CMD" },
	{ 0x4e49, "NVME_IOCTL_IO64_CMD_VEC" },
};

static const struct xpt_ioctl_name nvme_admin[] = {
	{ 0x0, "DELETE_SQ" },
	{ 0x1, "CREATE_SQ" },
	{ 0x2, "GET_LOG_PAGE" },
	{ 0x4, "DELETE_CQ" },
	{ 0x5, "CREATE_CQ" },
	{ 0x6, "IDENTIFY" },
	{ 0x8, "ABORT" },
	{ 0x9, "SET_FEATURES" },
	{ 0xa, "GET_FEATURES" },
	{ 0xc, "ASYNC_EVENT" },
	{ 0xd, "NS_MGMT" },
	{ 0x10, "ACTIVATE_FW" },
	{ 0x11, "DOWNLOAD_FW" },
	{ 0x14, "DEV_SELF_TEST" },
	{ 0x15, "NS_ATTACH" },
	{ 0x18, "KEEP_ALIVE" },
	{ 0x80, "FORMAT_NVM" },
	{ 0x81, "SECURITY_SEND" },
	{ 0x82, "SECURITY_RECV" },
	{ 0x84, "SANITIZE" },
};

static const struct xpt_ioctl_name nvme_io[] = {
	{ 0x0, "FLUSH" },
	{ 0x1, "WRITE" },
	{ 0x2, "READ" },
	{ 0x4, "WRITE_UNCOR" },
	{ 0x5, "COMPARE" },
	{ 0x8, "WRITE_ZEROES" },
	{ 0x9, "DSM" },
	{ 0xc, "VERIFY" },
	{ 0xd, "RESV_REGISTER" },
	{ 0xe, "RESV_REPORT" },
	{ 0x11, "RESV_ACQUIRE" },
	{ 0x15, "RESV_RELEASE" },
	{ 0x79, "ZONE_MGMT_SEND" },
	{ 0x7a, "ZONE_MGMT_RECV" },
	{ 0x7d, "ZONE_APPEND" },
};

/* functions of NVOS32, nvos.h */
static const struct xpt_ioctl_name nvidia_heap[] = {
	{ 0x2, "ALLOC_SIZE" },
	{ 0x3, "FREE" },
	{ 0x5, "INFO" },
};

static const struct xpt_ioctl_name other_cmds[] = {
	{ 0x1260, "BLKGETSIZE" },
	{ 0x1268, "BLKSSZGET" },
	{ 0x1272, "BLKGETSIZE64" },
	{ 0x4c00, "LOOP_SET_FD" },
	{ 0x4c01, "LOOP_CLR_FD" },
	{ 0x4c05, "LOOP_GET_STATUS64" },
	{ 0x4c80, "LOOP_CTL_ADD" },
	{ 0x4c81, "LOOP_CTL_REMOVE" },
	{ 0x4c82, "LOOP_CTL_GET_FREE" },
	{ 0x5200, "RNDGETENTCNT" },
	{ 0x5401, "TCGETS" },
	{ 0x5402, "TCSETS" },
	{ 0x5403, "TCSETSW" },
	{ 0x5404, "TCSETSF" },
	{ 0x5409, "TCSBRK" },
	{ 0x540b, "TCFLSH" },
	{ 0x540f, "TIOCGPGRP" },
	{ 0x5410, "TIOCSPGRP" },
	{ 0x5413, "TIOCGWINSZ" },
	{ 0x5414, "TIOCSWINSZ" },
	{ 0x541b, "FIONREAD" },
	{ 0x5421, "FIONBIO" },
	{ 0x5430, "TIOCGPTN" },
	{ 0x5431, "TIOCSPTLCK" },
	{ 0x5450, "FIONCLEX" },
	{ 0x5451, "FIOCLEX" },
	{ 0xae00, "KVM_GET_API_VERSION" },
	{ 0xae01, "KVM_CREATE_VM" },
	{ 0xae03, "KVM_CHECK_EXTENSION" },
	{ 0xae80, "KVM_RUN" },
	{ 0xe500, "FUSE_DEV_IOC_CLONE" },
};
