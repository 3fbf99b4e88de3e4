/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages between xputrace and its reader processes, over a socket pair that keeps the bounds of
 * messages (SOCK_SEQPACKET). Every message has one size. A reader loads a library of others, so
 * its messages are checked like the bytes of a file.
 */
#ifndef XPT_DEVICES_READER_MESSAGE_H
#define XPT_DEVICES_READER_MESSAGE_H

#include "devices/device_reader.h"
#include "devices/values.h"

#define XPT_READER_ARG "--device-reader"	/* first argument of a reader: not for users */
#define XPT_READER_FD 3				/* its end of the socket pair */
#define XPT_READER_MAGIC 0x78707472u

struct xpt_reader_request {	/* read everything once */
	uint32_t magic, seq;
};

enum xpt_reader_message_kind {
	XPT_MESSAGE_DEVICE = 1,	/* describes a slot, again when it has changed */
	XPT_MESSAGE_VALUES = 2,
	XPT_MESSAGE_END = 3,	/* the reading is complete; result.state says whether the reader goes on */
};

struct xpt_reader_message {
	uint32_t magic, seq;	/* seq: of the request */
	uint16_t kind, nr;	/* nr: values */
	uint32_t slot;
	union {
		struct xpt_device_info device;
		struct xpt_wire_reading value[XPT_VALUES_MAX];
		struct xpt_read_result result;
	};
};

_Static_assert(sizeof(struct xpt_reader_message) == 16 + 16 * XPT_VALUES_MAX, "message of a reader");

#endif
