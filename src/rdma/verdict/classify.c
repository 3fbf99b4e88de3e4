// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See classify.h. A row names a method, a function, the code that has the function
 * (CORE, DRIVER or KERNEL), and an error; the first row that matches decides. Sources:
 * the kernel's and NCCL's code, and failures that were provoked with soft RoCE.
 */
#include <errno.h>
#include <string.h>

#include "rdma/plan/expected_errors.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/log_clues.h"
#include "rdma/verdict/classify.h"

enum { ANY_ERROR = -1, ANSWERED = 0 };	/* ANSWERED: the function returned no error, but NULL or false */
enum { CORE = 1, DRIVER = 2, KERNEL = 4, ANYWHERE = 7 };
enum { MANY = 5 };	/* with so many good traces, a divergence from them is evidence */

struct row {
	const char *method, *fn;	/* patterns */
	int in, error;
	enum xpt_rdma_class cls;
	enum xpt_rdma_confidence confidence;
	const char *sentence, *advice;
};

#define R(cls) XPT_RDMA_##cls
#define HIGH XPT_RDMA_HIGH
#define MEDIUM XPT_RDMA_MEDIUM
#define LOW XPT_RDMA_LOW

#define GID_ADVICE "Look at the GID table (ibv_devinfo -v, show_gids) and set the index, for NCCL " \
	"NCCL_IB_GID_INDEX. Entries go with the interface's addresses: check that the link is up " \
	"and has its address."
#define MEMLOCK_ADVICE "Raise the limit on locked memory: ulimit -l unlimited, LimitMEMLOCK=infinity " \
	"for a service, --ulimit memlock=-1 for a container, PropagateResourceLimits for Slurm."
#define FW_ADVICE "Read the kernel's log around it: the driver writes the command, its status and " \
	"syndrome. Compare the firmware's version with that of a good machine."
#define CM_ADVICE "Compare the address with those of the interfaces that have a device of RDMA (rdma link, ip addr)."
#define ADDRESS_ADVICE "Check the address and the length that the program registers: freed, unmapped " \
	"or read-only memory, or a buffer of another process."
#define PINNED_ADVICE "Pages of CMA or ZONE_MOVABLE are moved before they are pinned (mm/gup.c): compare CmaTotal, " \
	"CmaFree and MemFree of /proc/meminfo with a good machine, also after a kexec, which may leave too little of other " \
	"memory. Free memory, or register fewer or smaller regions."

static const struct row rows[] = {
	{ "*modify_qp", "rdma_get_gid_attr", ANYWHERE, ENODATA, R(PARAMETER), HIGH,
	  "the GID index points to an empty entry of the port's GID table", GID_ADVICE },
	{ "*modify_qp", "rdma_get_gid_attr", ANYWHERE, EINVAL, R(PARAMETER), HIGH,
	  "the GID index is outside of the port's GID table", GID_ADVICE },
	{ "*", "rdma_get_gid_attr|rdma_fill_sgid_attr", ANYWHERE, ANY_ERROR, R(PARAMETER), MEDIUM,
	  "the GID of the address is not there", GID_ADVICE },
	{ "*open", "*", CORE, EPERM, R(LIMITS), HIGH, "the device is in another network namespace",
	  "See rdma system and rdma dev: in the mode 'exclusive' a device is seen in one namespace alone; "
	  "move it there (rdma dev set NAME netns), or use the mode 'shared'." },
	{ "*open", "*", CORE, ENXIO, R(DEVICE), HIGH, "the device was removed, or is being reset",
	  "Read the kernel's log; the program must open the device again." },
	{ "mmap", "*", ANYWHERE, EINVAL, R(PARAMETER), MEDIUM,
	  "the offset names no page of the device or of an object, or the length is another one",
	  "Library and driver may be of different ages: compare their versions with those of a good machine." },
	{ "mmap", "*", ANYWHERE, EPERM, R(PARAMETER), MEDIUM, "a page that may only be read was to be written",
	  "Library and driver may be of different ages: compare their versions with those of a good machine." },
	{ "ucma_*", "*", ANYWHERE, EADDRNOTAVAIL, R(PARAMETER), HIGH, "no interface of this machine has that address",
	  CM_ADVICE },
	{ "ucma_*", "*", ANYWHERE, ENODEV, R(PARAMETER), MEDIUM, "no device of RDMA belongs to that address", CM_ADVICE },
	{ "ucma_*", "*", ANYWHERE, EADDRINUSE, R(BUSY), HIGH, "another program uses that port and address",
	  "Find it (rdma resource show cm_id), or choose another port." },
	{ "ucma_*", "ucma_get_ctx*|_ucma_find_context*|ucma_get_*", ANYWHERE, ENOENT, R(PARAMETER), HIGH,
	  "the identifier does not exist: destroyed before, or of another event channel",
	  "Look for the destroy call that came before, in another thread perhaps." },
	{ "ucma_*", "rdma_*|ucma_*|cma_*", ANYWHERE, EINVAL, R(PARAMETER), MEDIUM,
	  "the identifier is not in the state that this call needs, or a value is not valid",
	  "The order is bind or resolve address, resolve route, connect, each after the event of the one before." },
	{ "*modify_qp", "ib_modify_qp_is_ok", ANYWHERE, ANSWERED, R(PARAMETER), HIGH,
	  "the queue pair cannot go to that state from the one that it is in, or attributes for it "
	  "are missing", "The order is RESET, INIT, RTR, RTS. Two threads may change the same queue "
	  "pair, or an earlier error put it into ERR: look for that one." },
	{ "*", "ib_umem_get*|__ib_umem_get*|pin_user_pages*|get_user_pages*|ib_umem_odp_get*",
	  ANYWHERE, EFAULT, R(PARAMETER), HIGH, "the memory is not mapped, or may not be written",
	  ADDRESS_ADVICE },
	{ "*", "ib_umem_get*|__ib_umem_get*", ANYWHERE, EINVAL, R(PARAMETER), HIGH,
	  "address and length are no range, or the access flags contradict each other",
	  ADDRESS_ADVICE },
	{ "*", "ib_umem_get*|__ib_umem_get*|pin_user_pages*", ANYWHERE, EPERM, R(LIMITS), HIGH,
	  "the process may not lock memory", MEMLOCK_ADVICE },
	{ "*", "pin_user_pages*|get_user_pages*|__gup_longterm_locked*", ANYWHERE, ENOMEM, R(KERNEL_MEMORY), MEDIUM,
	  "the kernel had no memory for the pages, or could not move them to where they can be pinned for long",
	  PINNED_ADVICE },
	{ "*", "ib_peer_umem_get*", ANYWHERE, ANY_ERROR, R(DEVICE), MEDIUM,
	  "the GPU's driver did not give the memory to the adapter (peer memory)",
	  "Check that nvidia_peermem is loaded and of the GPU driver's version; the kernel's log "
	  "and Xid errors may say more." },
	{ "REG_DMABUF_MR", "dma_buf_get|ib_umem_dmabuf_get*", ANYWHERE, EBADF, R(PARAMETER), HIGH,
	  "the descriptor is not open", "Check how the dma-buf's descriptor is made and kept." },
	{ "REG_DMABUF_MR", "dma_buf_get|ib_umem_dmabuf_get*", ANYWHERE, EINVAL, R(PARAMETER), MEDIUM,
	  "the descriptor is no dma-buf, or the range is outside of it",
	  "Check how the dma-buf's descriptor, offset and length are made." },
	{ "REG_DMABUF_MR", "dma_buf_*|ib_umem_dmabuf_*|dma_map_sgtable*", ANYWHERE, ANY_ERROR,
	  R(DEVICE), MEDIUM, "the driver that made the dma-buf did not map it for the adapter",
	  "Read the kernel's log of the GPU's driver; check IOMMU and ACS settings and that both "
	  "devices can reach each other." },
	{ "*", "lookup_get_*|rdma_lookup_get_uobject", ANYWHERE, ENOENT, R(PARAMETER), HIGH,
	  "the object does not exist: destroyed before, or never made in this context",
	  "Look for the destroy call that came before, in another thread perhaps." },
	{ "*", "lookup_get_*|rdma_lookup_get_uobject", ANYWHERE, EBADF, R(PARAMETER), HIGH,
	  "the descriptor is none of this context's, such as a completion channel's",
	  "Check that the channel was made with the same context, and is not closed." },
	{ "*", "lookup_get_*|rdma_lookup_get_uobject|uverbs_try_lock_object", ANYWHERE, EBUSY, R(BUSY),
	  HIGH, "another thread uses or destroys the object", "Order the calls of the threads." },
	{ "*", "*rdmacg_try_charge*", ANYWHERE, EAGAIN, R(LIMITS), HIGH,
	  "the control group's limit on RDMA objects is reached",
	  "See rdma.current and rdma.max of the process's cgroup." },
	{ "*", "*_umem_get*|*alloc_mr*|*reg_user_mr*|*reg_mr*", DRIVER, ENOMEM, R(RESOURCES), MEDIUM,
	  "the device has no room for another memory region, or the kernel no memory",
	  "Count the regions (rdma resource show) against max_mr (ibv_devinfo -v); look for ones "
	  "that are never deregistered." },
	{ "*", "*mlx5*cmd*|mlx5_core_*|mlx5_create_*|*cmd_exec*", ANYWHERE, EREMOTEIO, R(DEVICE), HIGH,
	  "the firmware refused the command", FW_ADVICE },
	{ "*", "*cmd*", DRIVER, EIO, R(DEVICE), HIGH, "the firmware refused the command", FW_ADVICE },
	{ "*", "*cmd*", DRIVER, ETIMEDOUT, R(DEVICE), HIGH, "the firmware did not answer", FW_ADVICE },
	{ "*", "ib_uverbs_*|uverbs_*", CORE, EIO, R(DEVICE), HIGH,
	  "the device was removed, or is being reset", "Read the kernel's log; the program must open "
	  "the device again." },
	{ "*", "*", ANYWHERE, ENODEV, R(DEVICE), MEDIUM, "the device or its network interface is gone",
	  "Read the kernel's log; check the link and that the device is still there (rdma link)." },
	{ "*", "*", ANYWHERE, EREMOTEIO, R(DEVICE), MEDIUM, "the device reported a failure", FW_ADVICE },
	{ "*", "rdma_addr_find_*|addr_resolve*|rdma_resolve_*|ib_resolve_*", ANYWHERE, ANY_ERROR,
	  R(LINK), MEDIUM, "the peer's address could not be resolved",
	  "Check that the peer's address answers from this interface (ip neigh, ping -I), the "
	  "routing, and that both ends are on the same rail." },
	{ "*", "*", ANYWHERE, ENETUNREACH, R(LINK), HIGH, "there is no route to the peer",
	  "Check routes and addresses of the interface." },
	{ "*", "*", ANYWHERE, EHOSTUNREACH, R(LINK), HIGH, "the peer cannot be reached",
	  "Check the link and the peer's addresses." },
	{ "*", "*", ANYWHERE, ENETDOWN, R(LINK), HIGH, "the interface is down", "Bring it up." },
	{ "*", "*", ANYWHERE, ECONNREFUSED, R(LINK), MEDIUM, "the peer does not listen",
	  "Check that the peer's program runs." },
	{ "*", "*", DRIVER, ETIMEDOUT, R(DEVICE), MEDIUM, "the device did not answer in time", FW_ADVICE },
	{ "*", "*", ANYWHERE, ETIMEDOUT, R(LINK), MEDIUM, "something did not answer in time",
	  "Check link and peer; for NCCL that the adapters are connected across rails." },
	{ "*", "*", DRIVER, EIO, R(DEVICE), MEDIUM, "the device or its driver reported a failure",
	  FW_ADVICE },
	{ "*", "*", ANYWHERE, EIO, R(DEVICE), LOW, "the device or its driver reported a failure",
	  FW_ADVICE },
	{ "*", "*", ANYWHERE, EOPNOTSUPP, R(UNSUPPORTED), HIGH,
	  "driver or device do not support this", "Compare driver and firmware with those of a "
	  "machine where it works, or use another feature." },
	{ "*", "*", ANYWHERE, 524, R(UNSUPPORTED), HIGH, "driver or device do not support this",
	  "Compare driver and firmware with those of a machine where it works." },
	{ "*", "*", ANYWHERE, EPROTONOSUPPORT, R(UNSUPPORTED), HIGH,
	  "this kernel does not know the method or an attribute of it",
	  "Library and kernel are of different ages: update the older one." },
	{ "*", "*", ANYWHERE, ENOSYS, R(UNSUPPORTED), HIGH, "the driver has no such operation",
	  "Use another feature, or another driver." },
	{ "*", "*", ANYWHERE, ENOTTY, R(UNSUPPORTED), HIGH, "the kernel does not know this call",
	  "Library and kernel are of different ages: update the older one." },
	{ "*", "*", DRIVER, EPERM, R(LIMITS), LOW,
	  "the driver does not allow it, or a -1 of it is no errno at all",
	  "Look in the driver for a check of a capability; without one, compare with good calls." },
	{ "*", "*", ANYWHERE, EPERM, R(LIMITS), MEDIUM, "the process may not do this",
	  "It may lack a capability (CAP_NET_RAW for raw packets and privileged keys, CAP_NET_ADMIN, "
	  "CAP_IPC_LOCK)." },
	{ "*", "*", ANYWHERE, EACCES, R(LIMITS), MEDIUM, "the process may not do this",
	  "Check the permissions of /dev/infiniband/* and the process's capabilities." },
	{ "*", "*", ANYWHERE, EMFILE, R(LIMITS), HIGH, "the process has too many open files",
	  "Raise ulimit -n." },
	{ "*", "*", ANYWHERE, ENFILE, R(LIMITS), HIGH, "the system has too many open files",
	  "Raise fs.file-max." },
	{ "*", "*", ANYWHERE, EDQUOT, R(LIMITS), MEDIUM, "a limit is reached", "Find which one." },
	{ "*create*|*alloc*|*reg_mr*|*REG*", "*", DRIVER, ENOMEM, R(RESOURCES), MEDIUM,
	  "the device has no room for another object, or the kernel no memory",
	  "Count the objects (rdma resource show) against the device's limits (ibv_devinfo -v); look "
	  "for ones that are never destroyed." },
	{ "*", "ib_uverbs_write|verify_hdr|uverbs_response*|uverbs_copy_to*", CORE, ENOSPC, R(PARAMETER), MEDIUM,
	  "what the program gave for the answer is too short", "Library and kernel may be of different ages: "
	  "compare their versions with those of a good machine." },
	/* The error is found in these, too, if the functions that they call could not be traced. */
	{ "*", "ib_uverbs_cmd_verbs|ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE", CORE, ENOSPC, R(PARAMETER), LOW,
	  "what the program gave for the answer is too short, or a table of the device is full", "Compare the versions "
	  "of library and kernel with those of a good machine; count the objects (rdma resource show)." },
	{ "*", "*", ANYWHERE, ENOSPC, R(RESOURCES), MEDIUM, "a table of the device or the kernel is full",
	  "Count the objects (rdma resource show) against the device's limits (ibv_devinfo -v)." },
	{ "*", "*", ANYWHERE, ENOMEM, R(KERNEL_MEMORY), MEDIUM, "the kernel had no memory",
	  "Look at the memory of the machine and of the job's cgroup, and for 'page allocation "
	  "failure' in the kernel's log." },
	{ "*create*|*_CREATE|alloc_*|*_ALLOC|reg_mr|REG_*|*_REG", "*", DRIVER, EBUSY, R(RESOURCES), LOW,
	  "the driver has no free entry for another object, or what it needs is in use",
	  "Count the objects (rdma resource show) against the device's limits (ibv_devinfo -v)." },
	{ "*", "*", ANYWHERE, EBUSY, R(BUSY), MEDIUM, "the object is still in use",
	  "Destroy what refers to it first." },
	{ "*", "*", ANYWHERE, EAGAIN, R(BUSY), MEDIUM, "not now: something is in use", "Try again." },
	{ "*", "*", ANYWHERE, EINTR, R(BUSY), MEDIUM, "a signal came", "Try again." },
	{ "*", "*", ANYWHERE, 512, R(BUSY), MEDIUM, "a signal came", "It is done again." },
	{ "*", "*", ANYWHERE, EFAULT, R(PARAMETER), MEDIUM, "memory of the program cannot be accessed",
	  ADDRESS_ADVICE },
	{ "*", "*_chk_*|*check*|*valid*", ANYWHERE, ANY_ERROR, R(PARAMETER), MEDIUM,
	  "a value that the program gave is outside of what the device can do",
	  "Compare the arguments with the device's limits (ibv_devinfo -v)." },
	{ "*", "*_create_cq|*_create_user_cq|*_create_qp|*_create_srq|*_resize_cq|*_resize_user_cq",
	  DRIVER, EINVAL, R(PARAMETER), MEDIUM,
	  "a size or a flag is outside of what the device can do",
	  "Compare the arguments with the device's limits (ibv_devinfo -v)." },
	{ xpt_rdma_destroys, "*", DRIVER, EINVAL, R(PARAMETER), MEDIUM,
	  "something still refers to the object, such as a memory window that is bound",
	  "Unbind and destroy what refers to it first." },
	{ "*reg_mr|*REG_*|REG_*|*rereg*", "*", DRIVER, EINVAL, R(PARAMETER), MEDIUM,
	  "the driver does not take that length, address or access", ADDRESS_ADVICE },
	{ "*", "*", CORE, EINVAL, R(PARAMETER), MEDIUM, "a value that the program gave is not valid",
	  "Compare the arguments with those of calls that work." },
	{ "*", "*", CORE, ENOENT, R(PARAMETER), MEDIUM, "something that the program names is not there",
	  "Compare the arguments with those of calls that work." },
	{ "*", "*", DRIVER, ANY_ERROR, R(PARAMETER), LOW, "the driver did not accept the request",
	  "Compare the arguments with those of calls that work, and driver and firmware with those "
	  "of a good machine." },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static int find_layer(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *node)
{
	if (!strcmp(node->module, "kernel"))
		return KERNEL;
	if (xpt_rdma_one_of("ib_core|ib_uverbs*|rdma_cm|rdma_ucm|ib_cm|iw_cm|ib_umad|ib_mad|ib_sa",
			    node->module) && strcmp(node->module, t->driver))
		return CORE;
	return *node->module ? DRIVER : ANYWHERE;
}

static const struct row *find_row(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *node,
				  int error)
{
	char fn[64];
	size_t i;

	memset(fn, 0, sizeof(fn));
	memcpy(fn, node->fn, strnlen(node->fn, sizeof(fn) - 1));
	fn[strcspn(fn, ".")] = '\0';
	for (i = 0; i < NR_ROWS; i++) {
		const struct row *r = &rows[i];

		if ((r->error == error || (r->error == ANY_ERROR && error)) &&
		    r->in & find_layer(t, node) && xpt_rdma_one_of(r->method, t->method) &&
		    xpt_rdma_one_of(r->fn, fn))
			return r;
	}
	return NULL;
}

/*
 * Whether the failed call differs from good ones only inside of the driver: the kernel's own
 * code accepted the request, and the driver had refused none like it before. That points to
 * the driver rather than to the program.
 */
static bool parts_in_driver(const struct xpt_rdma_trace *t, const struct xpt_rdma_diff *diff,
			    const struct xpt_rdma_tree *good, const struct xpt_rdma_node *origin)
{
	if (!diff || !good || diff->node == XPT_RDMA_NO_NODE || good->traces < MANY)
		return false;
	if (diff->other_kernel || diff->other_driver || diff->other_shape)
		return false;
	return find_layer(t, &t->node[diff->node]) == DRIVER && find_layer(t, origin) == DRIVER;
}

/*
 * Whether the driver made the error of the status of a firmware command. A command that failed after the error was
 * made belongs to the clean-up and is not its reason.
 */
static bool is_refusal(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *origin, int error)
{
	const struct xpt_rdma_firmware *f = t->firmware;

	if (!f || (f->at_ns && origin->exit_ns && f->at_ns > origin->exit_ns))
		return false;
	return error > 0 && (error == EREMOTEIO || error == xpt_rdma_firmware__errno(f));
}

/* Whether there is no row, or one that says little about the cause. */
static bool is_vague(const struct row *r)
{
	return !r || (r->cls == XPT_RDMA_PARAMETER && r->confidence == XPT_RDMA_LOW) ||
	       (r->error == EPERM && !strcmp(r->fn, "*"));
}

#define MEMORY_ADVICE "Free memory of the machine or raise the limit of the job's control group (memory.max, " \
	"memory.events); register fewer or smaller regions; huge pages for large ones."

static const struct xpt_rdma_cause machine_oom = {
	R(KERNEL_MEMORY), HIGH, "the machine ran out of memory, and the kernel killed a process", MEMORY_ADVICE,
};
static const struct xpt_rdma_cause cgroup_oom = {
	R(KERNEL_MEMORY), HIGH, "the control group of the job ran out of memory, and the kernel killed a process of it",
	MEMORY_ADVICE,
};
static const struct xpt_rdma_cause no_block = {
	R(KERNEL_MEMORY), HIGH, "the kernel found no free memory of the size that it needed", MEMORY_ADVICE,
};
static const struct xpt_rdma_cause memlock_known = {
	R(LIMITS), HIGH, "the process may not lock that much memory", MEMLOCK_ADVICE,
};
static const struct xpt_rdma_cause memlock_likely = {
	R(LIMITS), MEDIUM, "the process may not lock that much memory, or the kernel had none", MEMLOCK_ADVICE,
};
static const struct xpt_rdma_cause no_umem = {
	R(KERNEL_MEMORY), MEDIUM, "the kernel had no memory for the registration; no limit of the process is the reason",
	MEMORY_ADVICE,
};

/*
 * Returns the cause that the kernel's log shows, or NULL. A line about lack of memory decides: a call of a
 * process that is being killed returns EINTR, and one that got no memory ENOMEM.
 */
static const struct xpt_rdma_cause *by_log(const struct xpt_rdma_trace *t, int error)
{
	bool killed = error == EINTR || error == 512, own;
	enum xpt_rdma_oom oom = error == ENOMEM || killed ? xpt_rdma_log__oom(t, &own) : XPT_RDMA_NO_OOM;

	if (!oom || (killed && (oom == XPT_RDMA_OOM_ALLOCATION || !own)))
		return NULL;
	return oom == XPT_RDMA_OOM_CGROUP ? &cgroup_oom : oom == XPT_RDMA_OOM_MACHINE ? &machine_oom : &no_block;
}

/* Returns the bytes that a registration asked for, from its argument of such a name; 0 if they are not known. */
static uint64_t size_asked(const struct xpt_rdma_node *node)
{
	unsigned i;

	for (i = 0; i < node->nr_args; i++)
		if (node->arg_name[i] && xpt_rdma_one_of("size|length|len", node->arg_name[i]))
			return node->arg[i];
	return 0;
}

static bool has_below(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *node, const char *patterns)
{
	const struct xpt_rdma_node *end = t->node + t->nr, *n;

	for (n = node + 1; n < end && n->depth > node->depth; n++)
		if (xpt_rdma_one_of(patterns, n->fn))
			return true;
	return false;
}

/* Whether pages were pinned: then the check of the limit, which comes first, had succeeded. */
static bool has_pinned(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *umem)
{
	return has_below(t, umem, "pin_user_pages*|get_user_pages*|sg_alloc_append_table*");
}

/* Whether the process is known not to be allowed to lock that many bytes. */
static bool is_above_limit(const struct xpt_rdma_trace *t, uint64_t size)
{
	uint64_t used = t->lock_known & XPT_RDMA_LOCK_PINNED ? t->pinned : 0;

	return t->lock_known & XPT_RDMA_LOCK_LIMIT && t->lock_known & XPT_RDMA_LOCK_NO_CAP && size &&
	       (size > t->lock_limit || used > t->lock_limit - size);
}

/*
 * A driver that pins memory itself also checks the limit itself, and may return ENOMEM for it. Returns NULL if nothing
 * shows that it did.
 */
static const struct xpt_rdma_cause *of_own_limit(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *origin)
{
	if (find_layer(t, origin) != DRIVER || !xpt_rdma_one_of("*reg_user_mr*|*umem_get*", origin->fn) ||
	    has_below(t, origin, "*ib_umem_get*|pin_user_pages*|get_user_pages*"))
		return NULL;
	return is_above_limit(t, size_asked(origin)) ? &memlock_likely : NULL;
}

/*
 * ENOMEM of ib_umem_get has two reasons: the limit on locked memory, which is checked first, and
 * the kernel's own memory. Pages that fault on demand are not locked, so no limit holds for them. NULL: the
 * origin is another function.
 */
static const struct xpt_rdma_cause *of_umem(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *origin)
{
	uint32_t both = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_NO_CAP;
	uint64_t size = size_asked(origin);

	if (xpt_rdma_one_of("ib_umem_odp_*|ib_init_umem_odp*", origin->fn))
		return &no_umem;
	if (!xpt_rdma_one_of("ib_umem_get*|__ib_umem_get*", origin->fn))
		return of_own_limit(t, origin);
	if (t->lock_known & XPT_RDMA_LOCK_CAP || has_pinned(t, origin) ||
	    (t->lock_known & XPT_RDMA_LOCK_LIMIT && t->lock_limit == UINT64_MAX))
		return &no_umem;
	if ((t->lock_known & both) != both || !size)
		return &memlock_likely;
	if (is_above_limit(t, size))
		return &memlock_known;
	return t->lock_known & XPT_RDMA_LOCK_PINNED ? &no_umem : &memlock_likely;
}

static const struct xpt_rdma_cause narrowed = {
	R(DEFECT), HIGH, "a 64-bit result was cut to 32 bits: what means success became an error",
	"The errno is an accident of the number, so look for no permission or limit. Update the "
	"kernel or the driver; for dma-buf registrations it was repaired in Linux 5.19.4 "
	"(b16de8b9e7d1), and NCCL_DMABUF_ENABLE=0 avoids them until then.",
};
/* This alone is no defect: in most cases the program asked for something that it had not asked for before. */
static const struct {
	const char *sentence, *advice;
} in_driver = {
	"the driver refused what it took before, and the kernel's own checks passed",
	"Compare its arguments with those of good calls (in the lines of -o); if they are alike, tell "
	"the driver's maker, with these lines, and try the driver and firmware of a good machine.",
};
static const struct xpt_rdma_cause unknown = {
	R(UNKNOWN), LOW, "nothing is known about this error here",
	"Compare with a good trace: xputrace rdma diff.",
};

static const struct xpt_rdma_cause positive = {
	R(DEFECT), HIGH, "a positive number was returned where the kernel returns a negative errno",
	"The program takes it for a failure, and the errno that it sees means nothing. Update the driver, or report the "
	"function to who maintains it.",
};

/*
 * Returns the errno that the origin returned; if it returned NULL, the errno that its caller made of it; 0 if it
 * returned false.
 */
static int error_of(const struct xpt_rdma_trace *t, const struct xpt_rdma_chain *chain, int outcome)
{
	if (outcome == XPT_RDMA_NULL && chain->nr > 1)
		outcome = xpt_rdma_node__outcome(&t->node[chain->node[chain->nr - 2]]);
	return outcome < 0 ? -outcome : 0;
}

void xpt_rdma_classify(const struct xpt_rdma_trace *t, const struct xpt_rdma_chain *chain,
		       const struct xpt_rdma_diff *diff, const struct xpt_rdma_tree *good,
		       struct xpt_rdma_cause *ret_cause)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, chain);
	struct xpt_rdma_node root = { .fn = "", .module = "ib_uverbs", .ret_type = XPT_RDMA_RET_LONG,
				      .ret = t->ret };
	const struct xpt_rdma_cause *special;
	const struct row *r;
	int outcome, error;

	if (!origin)
		origin = &root;
	if (t->flags & XPT_RDMA_TRACE_POSITIVE) {
		*ret_cause = positive;
		return;
	}
	outcome = xpt_rdma_node__outcome(origin);
	if (outcome == XPT_RDMA_CUT_TO_INT) {
		*ret_cause = narrowed;
		return;
	}
	error = error_of(t, chain, outcome);
	if (is_refusal(t, origin, error)) {
		xpt_rdma_firmware__cause(t->firmware, ret_cause);
		return;
	}
	special = by_log(t, error);
	if (!special && outcome == -ENOMEM)
		special = of_umem(t, origin);
	if (special) {
		*ret_cause = *special;
		return;
	}
	r = find_row(t, origin, error ? error : ANSWERED);
	if (is_vague(r) && parts_in_driver(t, diff, good, origin)) {
		*ret_cause = (struct xpt_rdma_cause){ r ? r->cls : R(UNKNOWN), LOW, in_driver.sentence, in_driver.advice };
		return;
	}
	if (!r) {
		*ret_cause = unknown;
		return;
	}
	*ret_cause = (struct xpt_rdma_cause){ r->cls, r->confidence, r->sentence, r->advice };
}

const char *xpt_rdma_class_name(enum xpt_rdma_class cls)
{
	static const char *const names[XPT_RDMA_NR_CLASSES] = {
		"unknown", "resources", "limits", "parameter", "device", "unsupported", "link",
		"defect", "kernel_memory", "busy",
	};

	return names[cls];
}

const char *xpt_rdma_class_title(enum xpt_rdma_class cls)
{
	static const char *const titles[XPT_RDMA_NR_CLASSES] = {
		"unknown cause", "no resources left", "limit or permission",
		"bad parameter from the program", "device or firmware", "unsupported feature",
		"link or network", "defect of a driver", "no kernel memory", "busy or interrupted",
	};

	return titles[cls];
}

const char *xpt_rdma_confidence_name(enum xpt_rdma_confidence confidence)
{
	static const char *const names[] = { "low", "medium", "high" };

	return names[confidence];
}
