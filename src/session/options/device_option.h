/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --devices of a live trace: settings of the engine, and messages about the readers.
 */
#ifndef XPT_SESSION_OPTIONS_DEVICE_OPTION_H
#define XPT_SESSION_OPTIONS_DEVICE_OPTION_H

struct xpt_engine;
struct xpt_engine_cfg;
struct xpt_trace_opts;

/*
 * The library that XPUTRACE_NVML names, or NULL: it is searched for. The variable counts only where this program has
 * no more rights than its user.
 */
const char *xpt_session_devices__nvml(void);
void xpt_session_devices__configure(const struct xpt_trace_opts *o, struct xpt_engine_cfg *cfg);
/* Prints the latest news of the device readers, if there is any. */
void xpt_session_devices__report(struct xpt_engine *e);

#endif
