/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of the programs on the kernel's RDMA functions and the engine:
 * calls with the returns of planned functions below them, events, settings,
 * counters. Never stored.
 */
#ifndef XPT_WIRE_RDMA_H
#define XPT_WIRE_RDMA_H

#include <linux/types.h>
#include "wire/rdma_asked.h"
#include "wire/rdma_command.h"
#include "wire/rdma_limit.h"

#define XPT_RDMA_SLOTS 512u	/* threads that are inside of a root at once; a power of two */
#define XPT_RDMA_FNS 1024u	/* functions at most; id 0 is none */
#define XPT_RDMA_TARGETS 16u	/* processes that can be watched alone */
#define XPT_RDMA_REGS 6u	/* argument words */
#define XPT_RDMA_OPEN_FNS 32u	/* functions of a call that are open at once, in sessions; a power of two */
#define XPT_RDMA_NAME 64	/* IB_DEVICE_NAME_MAX, include/rdma/ib_verbs.h */
#define XPT_RDMA_HOST 72	/* __NEW_UTS_LEN and a NUL, include/uapi/linux/utsname.h, padded */
#define XPT_RDMA_COMMANDS 64u	/* write commands of which it can be chosen whether they are watched */

/* When a result is an error. */
enum xpt_rdma_err {
	XPT_RDMA_ERR_NEVER,
	XPT_RDMA_ERR_INT,	/* the low 32 bits are */
	XPT_RDMA_ERR_LONG,	/* all 64: a long, or a pointer */
	XPT_RDMA_ERR_EITHER,	/* not known: 32 bits, if those above are all equal */
	XPT_RDMA_ERR_FALSE,	/* a predicate says no */
};

/* Bits of struct xpt_wire_rdma_fn.flags. */
#define XPT_RDMA_FN_IOCTL 1	/* root: a call begins and ends with it, */
#define XPT_RDMA_FN_WRITE 2	/* either route */
#define XPT_RDMA_FN_HEADER 4	/* its argument 1 is the kernel's copy of the ioctl's header */
#define XPT_RDMA_FN_HANDLER 8	/* of a method */
#define XPT_RDMA_FN_EVENT 16	/* takes a struct ib_event: its argument 0, */
#define XPT_RDMA_FN_EVENT1 32	/* or 1 */
#define XPT_RDMA_FN_MODIFY 64	/* its argument 1 is a struct ib_uverbs_ex_modify_qp */
#define XPT_RDMA_FN_CREATE 128	/* its argument 1 is a struct ib_uverbs_ex_create_qp */
#define XPT_RDMA_FN_OWN 256	/* root: its method is its own; 0 is success */
#define XPT_RDMA_FN_OPEN 512	/* one that takes the inode of a device of ib_uverbs, and the file; */
#define XPT_RDMA_FN_MMAP 1024	/* or only the file, as IOCTL and WRITE do */
#define XPT_RDMA_FN_CM_EVENT 2048	/* with EVENT1: takes a struct rdma_cm_id and a struct rdma_cm_event */
#define XPT_RDMA_FN_ROOT (XPT_RDMA_FN_IOCTL | XPT_RDMA_FN_WRITE | XPT_RDMA_FN_OWN)
#define XPT_RDMA_FN_SPECIAL (XPT_RDMA_FN_ROOT | XPT_RDMA_FN_HEADER | XPT_RDMA_FN_MODIFY | XPT_RDMA_FN_CREATE)

struct xpt_wire_rdma_fn {
	__u16 err, flags;	/* enum xpt_rdma_err; XPT_RDMA_FN_* */
	__u16 generation;	/* which functions come and go; a link of an earlier one is nobody's */
	__u16 nr_args;		/* words of its arguments by its type, at most XPT_RDMA_REGS */
	struct xpt_wire_rdma_asks asks;
};

/* The attach cookie of a link: the function's id, and its generation above. */
#define XPT_RDMA_COOKIE(id, generation) ((id) | (__u32)(generation) << 16)
#define XPT_RDMA_COOKIE_ID(cookie) ((cookie) & 0xffffu)
#define XPT_RDMA_COOKIE_GENERATION(cookie) ((cookie) >> 16)

/* A planned function returned. */
struct xpt_wire_rdma_exit {
	__u32 fn;
	__u16 place;	/* of its return address, from the low end of the thread's stack, bytes */
	__u8 nr_args, pad;	/* nr_args: of arg[]; 0: they are not known */
	__u32 from;	/* low half of its return address, in its caller's code; 0: not known */
	__u32 nr;	/* returns of the call before this one */
	__u64 ret;	/* the register as it was */
	__u64 ns;	/* after the root's start */
	__u64 arg[XPT_RDMA_REGS];
};

/* The request of a modify_qp: the mask of attributes << 8 | enum ib_qp_state, and this. */
#define XPT_RDMA_MODIFY (1ull << 63)
/* The descriptor that a registration of a dma-buf names, and the inline size of a new queue pair: low 32 bits. */
#define XPT_RDMA_ASKED_FD (1ull << 62)
#define XPT_RDMA_ASKED_INLINE (1ull << 61)

#define XPT_RDMA_CM_EVENTS 256	/* events of the connection manager have numbers from here on */

enum { XPT_RDMA_REC_CALL = 1, XPT_RDMA_REC_EVENT = 2, XPT_RDMA_REC_COMMAND = 3 };

/* Why a call was sent: bits. */
#define XPT_RDMA_SENT_FAILED 1
#define XPT_RDMA_SENT_SLOW 2
#define XPT_RDMA_SENT_NEW 4	/* a function returned an error that it had not before */
#define XPT_RDMA_SENT_SAMPLE 8
#define XPT_RDMA_SENT_AFTER 16	/* a good one, shortly after one of the same thread that failed */

struct xpt_wire_rdma_rec {
	__u32 kind;		/* XPT_RDMA_REC_* */
	__u32 tgid, tid, uid;
	__u64 start_ns, dur_ns;	/* CLOCK_MONOTONIC; of the root */
	/* Result of the root; EVENT: enum ib_event_type, or XPT_RDMA_CM_EVENTS + enum rdma_cm_event_type. */
	__s64 ret;
	/* EVENT: port, queue pair, or status as an unsigned number; CALL: XPT_RDMA_MODIFY, _ASKED_*. */
	__u64 value;
	__u32 root, handler;	/* functions; handler 0: none was reached */
	__u32 why;
	__u32 nr;		/* returns; those that find no place in exit[] are missing */
	__u32 command;		/* write(2): the first word of the written data */
	__u16 object, method;	/* ioctl(2), if has_header */
	__u32 has_header;
	__u32 ns_tgid, ns_tid;	/* CALL: in the process's own PID namespace; 0: not known */
	__u32 nr_erred;		/* of the returns those that are kept for their error; 0 unless nr > XPT_RDMA_FIRST */
	char comm[16];
	char device[XPT_RDMA_NAME], module[XPT_RDMA_NAME];	/* "" : not known */
	char ns_host[XPT_RDMA_HOST];	/* CALL: the machine's name as the process sees it; "" : not known */
	struct xpt_wire_rdma_command fw;	/* CALL: the first one within; COMMAND: outside of all calls */
	struct xpt_wire_rdma_asked asked;	/* CALL */
	struct xpt_wire_rdma_exit exit[];	/* XPT_RDMA_FIRST, the last ones as a ring, then those that erred */
};

_Static_assert(sizeof(struct xpt_wire_rdma_exit) == 80, "exit");
_Static_assert(sizeof(struct xpt_wire_rdma_rec) == 304 + sizeof(struct xpt_wire_rdma_command) +
	       sizeof(struct xpt_wire_rdma_asked), "record");

/* Offsets in the kernel's structs, from its type information; XPT_RDMA_NOWHERE: not known. */
#define XPT_RDMA_NOWHERE 0xffffffffu
struct xpt_wire_rdma_offsets {
	__u32 file_private, ufile_device, udevice_device;
	__u32 inode_cdev, udevice_cdev;
	__u32 device_name, device_owner, module_name;
	__u32 event_device, event_element, event_type, qp_num;
};

struct xpt_wire_rdma_cfg {
	__u64 passed;		/* write commands that are not traced: bits, by number */
	__u64 slow_ns;		/* a call that lasts as long is sent; 0: none */
	__u64 sample_ns;	/* one good call of a method in this time is; 0: none */
	__u32 sample_nth, pad;	/* and every Nth; 0: none */
	/* Only these processes and their children are traced, up to the first 0. None: all. */
	__u32 targets[XPT_RDMA_TARGETS];
	struct xpt_wire_rdma_offsets at;
};

/* Losses: calls and errors that could not be kept. */
enum xpt_rdma_lost {
	XPT_RDMA_LOST_SLOT,	/* calls: too many threads */
	XPT_RDMA_LOST_RING,	/* calls: the reader is too slow */
	XPT_RDMA_LOST_METHOD,	/* calls: too many methods */
	XPT_RDMA_LOST_ERRNO,	/* errors: too many different ones */
	XPT_RDMA_LOST_STALE,	/* calls whose end was not seen */
	XPT_RDMA_LOST_COMMAND,	/* commands outside of calls: too many in a second */
	XPT_RDMA_LOST_EVENT,	/* events of the connection manager: too many in a second */
	XPT_RDMA_NR_LOST,
};

#endif
