// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Settings of the simulated driver and the counts of its calls, all under
 * /sys/module/nvidia/parameters.
 */
#include <linux/delay.h>
#include "nv.h"

atomic_long_t nv_counts[NV_COUNTS];
EXPORT_SYMBOL(nv_counts);

unsigned int nv_latency_us, nv_sched_us, nv_memory_mib = 16384;
static unsigned int fail_cmd, fail_object, fail_nth, fail_errno, fail_status, fail_xid;
static atomic_t fail_seen;

module_param_named(latency_us, nv_latency_us, uint, 0600);
MODULE_PARM_DESC(latency_us, "every ioctl of the resource manager sleeps that long");
module_param_named(sched_us, nv_sched_us, uint, 0600);
MODULE_PARM_DESC(sched_us, "every request to the scheduler sleeps that long");
module_param_named(memory_mib, nv_memory_mib, uint, 0600);
MODULE_PARM_DESC(memory_mib, "memory of the device");
module_param(fail_cmd, uint, 0600);
MODULE_PARM_DESC(fail_cmd, "number of the ioctl that fails, 0: none");
module_param(fail_object, uint, 0600);
MODULE_PARM_DESC(fail_object, "only with this class or control command, 0: any");
module_param(fail_nth, uint, 0600);
MODULE_PARM_DESC(fail_nth, "only the Nth of these since counts was written, 0: all");
module_param(fail_errno, uint, 0600);
MODULE_PARM_DESC(fail_errno, "what the system call then returns, positive; 0: success");
module_param(fail_status, uint, 0600);
MODULE_PARM_DESC(fail_status, "the status word that it then leaves");
module_param(fail_xid, uint, 0600);
MODULE_PARM_DESC(fail_xid, "the Xid that is then reported, 0: none");

static const char *const names[NV_COUNTS] = {
#define X(name) [NV_COUNT_##name] = #name,
	NV_COUNTED(X)
#undef X
};

static int counts_get(char *buffer, const struct kernel_param *kp)
{
	int n = 0;

	for (int i = 0; i < NV_COUNTS; i++)
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%s %ld\n", names[i],
			       atomic_long_read(&nv_counts[i]));
	return n;
}

/* Whatever is written: all are zero again. */
static int counts_set(const char *val, const struct kernel_param *kp)
{
	for (int i = 0; i < NV_COUNTS; i++)
		atomic_long_set(&nv_counts[i], 0);
	atomic_set(&fail_seen, 0);
	return 0;
}

static const struct kernel_param_ops counts_ops = { .get = counts_get, .set = counts_set };
module_param_cb(counts, &counts_ops, NULL, 0600);
MODULE_PARM_DESC(counts, "calls of every function; a write sets all to zero");

/* The kernel itself has functions of this name, and a probe must find this one. */
static NV_FN int state_show(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "simulated\n");
}

static const struct kernel_param_ops state_ops = { .get = state_show };
module_param_cb(state, &state_ops, NULL, 0400);
MODULE_PARM_DESC(state, "read by state_show(), a name that other functions have, too");

/* It calls itself: the probes on it are met again before the first call has returned. */
static NV_FN unsigned int nv_recurse(unsigned int n)
{
	unsigned int below;

	COUNT(nv_recurse);
	below = n > 1 ? nv_recurse(n - 1) : 0;
	barrier();	/* no loop is made of it */
	return below + 1;
}

static int depth_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;
	int err = kstrtouint(val, 0, &n);

	if (err || n > NV_DEPTH_MAX)
		return err ? err : -EINVAL;
	return nv_recurse(n) == n ? 0 : -EIO;
}

static const struct kernel_param_ops depth_ops = { .set = depth_set };
module_param_cb(depth, &depth_ops, NULL, 0200);
MODULE_PARM_DESC(depth, "written: nv_recurse() calls itself until it is so deep");

void nv_sleep(unsigned int us)
{
	if (us)
		usleep_range(us, us + 1);
}
EXPORT_SYMBOL(nv_sleep);

/* Whether this call is one that was asked to fail, and how. */
bool nv_fails(unsigned int nr, u32 object, long *ret_errno, u32 *ret_status)
{
	if (!fail_cmd || nr != fail_cmd || (fail_object && object != fail_object))
		return false;
	if ((unsigned int)atomic_inc_return(&fail_seen) != fail_nth && fail_nth)
		return false;
	if (fail_xid)
		nv_xid(fail_xid, "pid=%d, name=%s, ioctl 0x%x", task_tgid_nr(current),
		       current->comm, nr);
	*ret_errno = -(long)fail_errno;
	*ret_status = fail_status;
	return true;
}
