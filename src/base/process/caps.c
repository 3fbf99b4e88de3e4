// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See caps.h. By system calls: libcap would save twenty lines, and be one more library.
 */
#include "base/process/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAP_BITS 64

/* Version 3: the upper half of each set in a second struct. */
static int get_caps(struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &head, data) ? -errno : 0;
}

uint64_t xpt_caps__permitted(void)
{
	struct __user_cap_data_struct data[2];

	return get_caps(data) ? 0 : data[0].permitted | (uint64_t)data[1].permitted << 32;
}

void xpt_caps__bound(uint64_t mask)
{
	for (unsigned long cap = 0; cap < CAP_BITS; cap++)
		if (!(mask >> cap & 1))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);	/* beyond the kernel's last one it fails */
}

int xpt_caps__keep(uint64_t mask)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int err = get_caps(data);

	if (err)
		return err;
	xpt_caps__bound(mask);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t half = (uint32_t)(mask >> (32 * i));

		data[i].permitted &= half;
		data[i].effective &= half;
		data[i].inheritable = 0;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &head, data))
		return -errno;
	return 0;
}
