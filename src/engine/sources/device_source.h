/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Readings of devices in a trace: messages for people about the readers meanwhile.
 */
#ifndef XPT_ENGINE_SOURCES_DEVICE_SOURCE_H
#define XPT_ENGINE_SOURCES_DEVICE_SOURCE_H

#include <stddef.h>

struct xpt_engine;

enum xpt_devices_news { XPT_DEVICES_NO_NEWS, XPT_DEVICES_INFO, XPT_DEVICES_WARNING };

/* Describes an event of a reader since the last call that gave news, as a sentence in buf. */
enum xpt_devices_news xpt_devices__news(struct xpt_engine *e, char *buf, size_t n);

#endif
