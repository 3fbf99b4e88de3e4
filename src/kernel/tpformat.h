/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fields of a tracepoint's record, as the kernel describes them in the file
 * `format` of tracefs. A pure function of that text.
 */
#ifndef XPT_KERNEL_TPFORMAT_H
#define XPT_KERNEL_TPFORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/point.h"

#define XPT_TP_FIELDS 64	/* that are looked at */
#define XPT_TP_NAME 64		/* bytes, NUL included */

struct xpt_tp_field {
	char name[XPT_TP_NAME];
	struct xpt_wire_loc loc;
	bool text;		/* an array of characters */
};

struct xpt_tp_format {
	unsigned nr;
	struct xpt_tp_field field[XPT_TP_FIELDS];
};

/* Fields that all tracepoints have are left out, and so are fields that cannot be read. */
void xpt_tpformat__parse(const char *text, struct xpt_tp_format *ret_f);

#endif
