// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets: tells which inode a file has for the kernel. A probe belongs to an
 * inode of the file system that holds the data; a file of an overlay has
 * another one for stat(2), and two overlays show one file as two.
 */
#include "bpf/kern_min.h"
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

__u64 xpt_inode_addr, xpt_inode_dev, xpt_inode_ino;	/* the answer */

static long read_inode(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	struct inode *inode = BPF_CORE_READ(vma, vm_file, f_inode);

	xpt_inode_ino = BPF_CORE_READ(inode, i_ino);
	xpt_inode_dev = BPF_CORE_READ(inode, i_sb, s_dev);
	xpt_inode_addr = (__u64)inode;
	return 0;
}

/*
 * Run on demand by the engine with an address at which it has mapped a file.
 * Returns 0, or 1 if the kernel cannot look now: another program is looking.
 */
SEC("?raw_tp")
int xpt_inode(struct bpf_raw_tracepoint_args *ctx)
{
	xpt_inode_addr = 0;
	return bpf_find_vma(bpf_get_current_task_btf(), ctx->args[0], read_inode, NULL, 0) != 0;
}
