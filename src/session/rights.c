// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rights.h. The list is in docs/security.md, with the purpose of each. */
#include "session/rights.h"

#include <linux/capability.h>
#include <string.h>

#include "base/log.h"
#include "base/process/caps.h"

/* Split off from CAP_SYS_ADMIN by Linux 5.8 and 5.9. */
#define FINE (XPT_CAP(PERFMON) | XPT_CAP(BPF) | XPT_CAP(CHECKPOINT_RESTORE))
#define KEPT (XPT_CAP(CHOWN) | XPT_CAP(DAC_OVERRIDE) | XPT_CAP(DAC_READ_SEARCH) | XPT_CAP(FOWNER) | XPT_CAP(KILL) | \
	      XPT_CAP(SETGID) | XPT_CAP(SETUID) | XPT_CAP(IPC_LOCK) | XPT_CAP(SYS_PTRACE) | XPT_CAP(SYS_NICE) | \
	      XPT_CAP(SYS_RESOURCE) | XPT_CAP(SYSLOG) | FINE)

void xpt_rights__drop(bool admin)
{
	bool fine = (xpt_caps__permitted() & FINE) == FINE;
	int err = xpt_caps__keep(KEPT | (admin || !fine ? XPT_CAP(SYS_ADMIN) : 0));

	if (err)
		xpt_warn("capabilities that are needed no more cannot be given up: %s", strerror(-err));
}
