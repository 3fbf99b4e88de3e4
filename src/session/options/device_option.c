// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --devices of a live trace, see device_option.h.
 */
#include "session/options/device_option.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "engine/engine_config.h"
#include "engine/sources/device_source.h"
#include "session/options/trace_opts.h"

const char *xpt_session_devices__nvml(void)
{
	static char path[PATH_MAX];
	const char *named = secure_getenv("XPUTRACE_NVML");

	if (!named || !named[0])
		return NULL;
	return realpath(named, path) ? path : named;	/* of one that cannot be resolved the message shall speak */
}

void xpt_session_devices__configure(const struct xpt_trace_opts *o, struct xpt_engine_cfg *cfg)
{
	cfg->readings_ns = o->readings_ns;
	cfg->nvml = xpt_session_devices__nvml();
}

void xpt_session_devices__report(struct xpt_engine *e)
{
	char text[256];

	switch (xpt_devices__news(e, text, sizeof(text))) {
	case XPT_DEVICES_WARNING:
		xpt_warn("%s", text);
		break;
	case XPT_DEVICES_INFO:
		xpt_info("%s", text);
		break;
	default:
		break;
	}
}
