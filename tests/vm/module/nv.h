/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulated kernel driver: functions by the names that NVIDIA's open kernel
 * module has, so that a tracer finds here what it finds there. Every one counts
 * its calls (/sys/module/nvidia/parameters/counts). modinfo nvidia.ko has the settings.
 */
#ifndef NV_H
#define NV_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/xarray.h>

#define NV_MAJOR 195			/* Documentation/admin-guide/devices.txt */
#define NV_CTL_MINOR 255
#define NV_ARG_MAX 8192u
#define NV_DEPTH_MAX 60u		/* of a kernel stack of 16 KiB, with probes */

/* Nothing of these may be inlined, cloned or cut: they are what is traced. */
#define NV_FN noinline __noclone

#define NV_COUNTED(X)                                                                   \
	X(nvidia_open) X(nvidia_close) X(nvidia_unlocked_ioctl) X(nvidia_ioctl)         \
	X(nvidia_mmap) X(nvidia_fault) X(nvidia_poll) X(nvidia_isr_kthread_bh)          \
	X(nv_report_error) X(rm_ioctl) X(rm_create_mmap_context)                        \
	X(rmapiAllocWithSecInfo) X(rmapiControlWithSecInfo) X(rmapiFreeWithSecInfo)     \
	X(kchannelCtrlCmdGpFifoSchedule_IMPL) X(kchangrpapiCtrlCmdGpFifoSchedule_IMPL)  \
	X(kchangrpapiCtrlCmdSetTimeslice_IMPL) X(kchangrpapiCtrlCmdPreempt_IMPL)        \
	X(uvm_open_entry) X(uvm_release_entry) X(uvm_unlocked_ioctl_entry) X(uvm_ioctl) \
	X(nv_recurse)

enum nv_counted {
#define X(name) NV_COUNT_##name,
	NV_COUNTED(X)
#undef X
	NV_COUNTS
};

extern atomic_long_t nv_counts[NV_COUNTS];
#define COUNT(name) atomic_long_inc(&nv_counts[NV_COUNT_##name])

/* Status words; src/domains/ioctl/nvidia_names.h has all of them. */
enum {
	NV_OK = 0, NV_ERR_INVALID_ARGUMENT = 0x1f, NV_ERR_INVALID_OBJECT_HANDLE = 0x33,
	NV_ERR_NO_MEMORY = 0x51, NV_ERR_NOT_SUPPORTED = 0x56,
};

/* An open file and the objects that it holds, by handle. */
struct nv_file {
	struct xarray objects;
	atomic_t next_handle;
	u32 events_seen;
	bool control;
};

struct nv_state {
	struct pci_dev *pdev;
	struct page *page;		/* what every mapping shows */
	wait_queue_head_t wait;
	atomic_t events;
	atomic64_t bytes;		/* of memory objects */
};

extern struct nv_state nv;

/* count.c: settings. latency in us, asleep. */
void nv_sleep(unsigned int us);
bool nv_fails(unsigned int nr, u32 object, long *ret_errno, u32 *ret_status);
extern unsigned int nv_latency_us, nv_sched_us, nv_memory_mib;

/* main.c */
int nvidia_open(struct inode *inode, struct file *file);
int nvidia_close(struct inode *inode, struct file *file);
long nvidia_unlocked_ioctl(struct file *file, unsigned int cmd, unsigned long i_arg);
long nvidia_ioctl(struct inode *inode, struct file *file, unsigned int cmd, unsigned long i_arg);
int nvidia_mmap(struct file *file, struct vm_area_struct *vma);
vm_fault_t nvidia_fault(struct vm_fault *vmf);
__poll_t nvidia_poll(struct file *file, poll_table *wait);

/* rm.c: data is a copy of the argument, size bytes. */
long rm_ioctl(struct nv_state *state, struct nv_file *nvfp, u32 cmd, void *data, u32 size);
u32 rmapiAllocWithSecInfo(struct nv_file *nvfp, u32 hParent, u32 *phObject, u32 hClass,
			  u64 pAllocParms);
u32 rmapiControlWithSecInfo(struct nv_file *nvfp, u32 hObject, u32 cmd, u64 pParams, u32 paramsSize);
u32 rmapiFreeWithSecInfo(struct nv_file *nvfp, u32 hObject);
u32 rm_create_mmap_context(struct nv_state *state, u32 hClient, u32 hDevice, u32 hMemory,
			   u64 address, u64 length, u64 offset, u32 fd);
void nv_forget_objects(struct nv_file *nvfp);

/* sched.c: what programs ask of the scheduler. */
u32 kchannelCtrlCmdGpFifoSchedule_IMPL(u32 hChannel, u64 pParams);
u32 kchangrpapiCtrlCmdGpFifoSchedule_IMPL(u32 hGroup, u64 pParams);
u32 kchangrpapiCtrlCmdSetTimeslice_IMPL(u32 hGroup, u64 timesliceUs);
u32 kchangrpapiCtrlCmdPreempt_IMPL(u32 hGroup, u64 pParams);

/* xid.c */
void nv_report_error(struct pci_dev *dev, u32 error_number, const char *format, va_list ap);
void nv_xid(u32 xid, const char *format, ...) __printf(2, 3);
irqreturn_t nvidia_isr_kthread_bh(int irq, void *data);

#endif
