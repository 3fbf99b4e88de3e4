// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The message about a wrong option or setting, with the hint at the command's help. See usage.h.
 */
#include "session/options/usage.h"

#include "base/log.h"

int xpt_vusage(const char *command, const char *fmt, va_list ap)
{
	xpt_vlog(XPT_LOG_ERR, fmt, ap);
	xpt_err(0, "try 'xputrace %s --help'", command);
	return XPT_EXIT_USAGE;
}

int xpt_usage(const char *command, const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = xpt_vusage(command, fmt, ap);
	va_end(ap);
	return status;
}
