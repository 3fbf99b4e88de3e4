// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets: finds which inode a file has for the kernel, and holds a process of
 * `run` in mmap(2) while the library that it is about to map gets its probes.
 *
 * If the kernel has BPF LSM, the thread waits in a loop that yields the CPU. It gets no signal and is not stopped, so
 * no other process notices the wait or can prolong it, and it holds no lock: the file is not mapped yet. The loop
 * ends with the engine's answer, when the thread is killed, and at a time limit, even if the engine is dead. On other
 * kernels the process gets a SIGSTOP, and the engine's guardian process limits the stop (engine/hold/hold.c).
 */
#include "bpf/kern_min.h"
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "bpf/stack.bpf.h"
#include "wire/hold.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define PROT_EXEC 4
#define NR_MMAP 9		/* arch/x86/entry/syscalls/syscall_64.tbl */
#define SIGSTOP 19
#define PIDTYPE_PGID 2		/* include/linux/pid_types.h */
#define TURNS (1 << 23)		/* BPF_MAX_LOOPS, include/linux/bpf.h: far more than fit into the limit */
#define TMPFS_MAGIC 0x01021994	/* include/uapi/linux/magic.h */
#define RAMFS_MAGIC 0x858458f6
#define FUSE_SUPER_MAGIC 0x65735546
#define LOOKS 32		/* in one turn */

const volatile struct xpt_target_cfg cfg;

/* The map of the call programs: given to us by the engine. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u32);
} xpt_targets SEC(".maps");

/* Wakes the engine with records of the waiting threads and their files. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16384);
} xpt_wake SEC(".maps");

/* Files that the engine has looked at, so that no process waits for them again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct xpt_file_key);
	__type(value, __u32);
} xpt_seen SEC(".maps");

/* Shared with the engine. */
volatile __u64 xpt_asked;	/* holds that began */
volatile __u64 xpt_answers[XPT_HOLD_SLOTS];
volatile __u64 xpt_stopped[XPT_HOLD_SLOTS];	/* who was: process id, and when, in units of 2^22 ns */
volatile __u64 xpt_timeouts;
volatile __u32 xpt_silent;	/* enum xpt_hold_silence */
volatile __u32 xpt_fired;	/* the kernel has called the program */

__u64 xpt_inode_addr, xpt_inode_dev, xpt_inode_ino;	/* the answer */
char xpt_inode_name[XPT_FILE_NAME];	/* in its folder, also if it is mounted over another file */

static long read_inode(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	struct inode *inode = BPF_CORE_READ(vma, vm_file, f_inode);

	xpt_inode_ino = BPF_CORE_READ(inode, i_ino);
	xpt_inode_dev = BPF_CORE_READ(inode, i_sb, s_dev);
	xpt_inode_addr = (__u64)inode;
	bpf_probe_read_kernel_str(xpt_inode_name, sizeof(xpt_inode_name),
				  BPF_CORE_READ(vma, vm_file, f_path.dentry, d_name.name));
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

/*
 * Run on demand by the engine with an inode's address and number. Returns 1 if some process
 * maps the file, 0 if none does, 2 if another file is there by now.
 */
SEC("?raw_tp")
int xpt_mapped(struct bpf_raw_tracepoint_args *ctx)
{
	struct inode *inode = (struct inode *)ctx->args[0];

	if (BPF_CORE_READ(inode, i_ino) != ctx->args[1])
		return 2;
	return BPF_CORE_READ(inode, i_mapping, i_mmap.rb_root.rb_node) != NULL;
}

/* Whether it is a folder of a virtual machine's host: it has the magic number of FUSE, but root has mounted it. */
static __always_inline int is_virtiofs(struct super_block *sb)
{
	char name[16] = { 0 };
	int i;

	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(sb, s_type, name));
	for (i = 0; i < sizeof("virtiofs"); i++)
		if (name[i] != "virtiofs"[i])
			return 0;
	return 1;
}

/*
 * Run on demand by the engine with a descriptor. Returns 1 if whoever owns a user namespace has mounted the file
 * system, and answers for it himself or for a file system below it; 2 if it is FUSE, which fusermount(1) mounts for
 * any user; else 0.
 */
SEC("?raw_tp")
int xpt_served(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct file **fds = BPF_CORE_READ(task, files, fdt, fd);
	struct super_block *sb;
	struct file *file;
	__u64 magic;

	if (bpf_probe_read_kernel(&file, sizeof(file), fds + ctx->args[0]))
		return 0;
	sb = BPF_CORE_READ(file, f_inode, i_sb);
	magic = BPF_CORE_READ(sb, s_magic);
	if (BPF_CORE_READ(sb, s_user_ns, level) > 0)
		return magic != TMPFS_MAGIC && magic != RAMFS_MAGIC;
	return magic == FUSE_SUPER_MAGIC && !is_virtiofs(sb) ? 2 : 0;
}

/*
 * All functions of the program that waits stay small: it may be preempted, and
 * kernels from 6.13 on would give a large one a stack that others share.
 */
struct wait {
	struct task_struct *task;
	const void *any;	/* something that the thread has mapped */
	__u64 number, until;
	__u32 answered;
};

/*
 * One turn of the loop, about 1 us. Reading memory through the task lets others run on this CPU, also if the kernel
 * does not preempt itself. If the read fails (no such memory, the thread is being killed), the thread does not wait.
 */
static long turn(__u32 i, struct wait *w)
{
	char byte;
	int k;

	for (k = 0; k < LOOKS; k++) {
		if (xpt_answers[w->number % XPT_HOLD_SLOTS] >= w->number) {
			w->answered = 1;
			return 1;
		}
	}
	return bpf_ktime_get_ns() >= w->until ||
	       bpf_copy_from_user_task(&byte, 1, w->any, w->task, 0) != 0;
}

/* Whether a process has to be held for the file, and the file's key. */
static __always_inline int is_new(struct file *file, struct xpt_file_key *key)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	key->inode = (__u64)inode;
	key->ino = BPF_CORE_READ(inode, i_ino);
	key->size = BPF_CORE_READ(inode, i_size);
	return !bpf_map_lookup_elem(&xpt_seen, key);
}

static __always_inline struct xpt_held *ask(int fd, const struct xpt_file_key *key)
{
	struct xpt_held *who = bpf_ringbuf_reserve(&xpt_wake, sizeof(*who), 0);
	__u64 id = bpf_get_current_pid_tgid();

	if (!who)
		return NULL;
	who->tgid = id >> 32;
	who->tid = (__u32)id;
	who->number = __sync_fetch_and_add(&xpt_asked, 1) + 1;
	who->began_ns = bpf_ktime_get_ns();
	who->file = *key;
	who->fd = fd;
	who->stopped = 0;
	return who;
}

static __noinline int wait_for_engine(struct file *file, int fd)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wait w = { .task = task };
	struct xpt_file_key key;
	struct xpt_held *who;

	if (!is_new(file, &key))
		return 0;
	who = ask(fd, &key);
	if (!who) {
		__sync_fetch_and_add(&xpt_timeouts, 1);
		return 0;
	}
	w.any = (const void *)BPF_CORE_READ(task, mm, start_stack);
	w.number = who->number;
	w.until = who->began_ns + cfg.limit_ns;
	bpf_ringbuf_submit(who, BPF_RB_FORCE_WAKEUP);
	bpf_loop(TURNS, turn, &w, 0);
	if (!w.answered) {
		__sync_fetch_and_add(&xpt_timeouts, 1);
		__sync_val_compare_and_swap(&xpt_silent, XPT_HOLD_HEARD, XPT_HOLD_UNHEARD);
	}
	return 0;
}

/* Notes a process that is not held because the engine is late: it may use the file before the probes are there. */
static __always_inline void note_unheld(struct file *file)
{
	struct xpt_file_key key;

	if (xpt_silent == XPT_HOLD_UNHEARD && is_new(file, &key))
		__sync_fetch_and_add(&xpt_timeouts, 1);
}

static __always_inline int is_wanted(const struct dentry *dentry)
{
	__u64 text[2] = { 0 };
	__u32 i;

	bpf_probe_read_kernel_str(text, sizeof(text), BPF_CORE_READ(dentry, d_name.name));
	for (i = 0; i < XPT_HOLD_NAMES && i < cfg.nr_names; i++)
		if ((text[0] & cfg.name[i].mask[0]) == cfg.name[i].text[0] &&
		    (text[1] & cfg.name[i].mask[1]) == cfg.name[i].text[1])
			return 1;
	return 0;
}

/* int mmap_file(struct file *file, unsigned long reqprot, unsigned long prot, unsigned long flags) */
SEC("?lsm.s/mmap_file")
int xpt_hold(unsigned long long *ctx)
{
	struct file *file = (struct file *)ctx[0];
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct pt_regs___x86 *regs;

	if (tgid == cfg.own_tgid)
		xpt_fired = 1;
	if (!(ctx[1] & PROT_EXEC) || !file || xpt_silent == XPT_HOLD_OVER ||
	    !bpf_map_lookup_elem(&xpt_targets, &tgid) ||
	    !is_wanted(BPF_CORE_READ(file, f_path.dentry)))
		return 0;
	/* Other callers of the hook may hold locks. */
	regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	if (BPF_CORE_READ(regs, orig_ax) != NR_MMAP)
		return 0;
	if (xpt_silent)
		note_unheld(file);
	else
		wait_for_engine(file, (int)BPF_CORE_READ(regs, r8));
	return 0;
}

/* A shell with job control gives each command a process group, and would print that it was stopped. */
static __always_inline int parent_would_tell(struct task_struct *task)
{
	struct task_struct *parent = BPF_CORE_READ(task, real_parent);
	__u32 tgid = BPF_CORE_READ(parent, tgid);

	return tgid != cfg.own_tgid && BPF_CORE_READ(task, signal, pids[PIDTYPE_PGID]) !=
					       BPF_CORE_READ(parent, signal, pids[PIDTYPE_PGID]);
}

static __always_inline struct file *file_of(struct task_struct *task, __u64 fd)
{
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	struct file **fds = BPF_CORE_READ(fdt, fd), *file = NULL;

	if (fd < BPF_CORE_READ(fdt, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), fds + fd);
	return file;
}

/* The stop takes effect when the system call returns: before anything of the file has run. */
static __noinline int stop(int fd, const struct xpt_file_key *key)
{
	struct xpt_held *who = ask(fd, key);

	if (!who) {
		__sync_fetch_and_add(&xpt_timeouts, 1);
		return 0;
	}
	who->stopped = 1;
	xpt_stopped[who->number % XPT_HOLD_SLOTS] =
		who->began_ns >> 22 << 32 | who->tgid;
	if (bpf_send_signal_thread(SIGSTOP)) {
		xpt_stopped[who->number % XPT_HOLD_SLOTS] = 0;
		__sync_fetch_and_add(&xpt_timeouts, 1);
	}
	bpf_ringbuf_submit(who, BPF_RB_FORCE_WAKEUP);
	return 0;
}

struct enter {		/* tracefs: events/syscalls/sys_enter_mmap/format */
	__u64 common, nr;
	__u64 addr, len, prot, flags, fd, off;
};

SEC("?tp/syscalls/sys_enter_mmap")
int xpt_stop(struct enter *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct xpt_file_key key;
	struct task_struct *task;
	struct file *file;

	xpt_own_stack(ctx);
	if (!(ctx->prot & PROT_EXEC) || xpt_silent == XPT_HOLD_OVER || !bpf_map_lookup_elem(&xpt_targets, &tgid))
		return 0;
	task = (void *)bpf_get_current_task();
	file = file_of(task, ctx->fd);
	if (!file || !is_wanted(BPF_CORE_READ(file, f_path.dentry)) || parent_would_tell(task))
		return 0;
	if (xpt_silent)
		note_unheld(file);
	else if (is_new(file, &key))
		stop((int)ctx->fd, &key);
	return 0;
}
