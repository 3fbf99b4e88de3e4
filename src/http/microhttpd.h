/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libmicrohttpd, loaded at run time. Functions have the names and types that microhttpd.h declares, without MHD_. */
#ifndef XPT_HTTP_MICROHTTPD_H
#define XPT_HTTP_MICROHTTPD_H

#include <microhttpd.h>

#define XPT_MICROHTTPD_FNS(X) \
	X(start_daemon) \
	X(get_daemon_info) \
	X(get_connection_info) \
	X(get_timeout) \
	X(lookup_connection_value) \
	X(run) \
	X(create_response_from_buffer) \
	X(create_response_from_callback) \
	X(add_response_header) \
	X(queue_response) \
	X(destroy_response)

struct xpt_microhttpd {
#define X(name) __typeof__(MHD_##name) *name;
	XPT_MICROHTTPD_FNS(X)
#undef X
};

/* Loads the library, for good. Returns 0, or -ENOTSUP if it is not installed or too old. */
int xpt_microhttpd__load(struct xpt_microhttpd *ret_m);

#endif
