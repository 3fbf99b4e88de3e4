// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See gpu.h. The log tells lines by spans of time, so the first span that has an Xid says when that was. */
#include "session/rdma/context/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/files/file_line.h"
#include "model/kernel/xid_table.h"

#define SECOND 1000000000ull

static const struct {
	uint64_t ns;
	const char *text;
} spans[] = {
	{ 0, "during the call" }, { SECOND, "in the second before the call" },
	{ 10 * SECOND, "in the 10 s before the call" }, { 60 * SECOND, "in the minute before the call" },
	{ 600 * SECOND, "in the 10 minutes before the call" },
};

/* Finds the last Xid among lines. */
static bool find_xid(const char *const *lines, unsigned n, struct xpt_xid_line *ret_xid)
{
	while (n--)
		if (xpt_xid__parse(lines[n], strlen(lines[n]), ret_xid))
			return true;
	return false;
}

void xpt_rdma_gpu__find(const struct xpt_klog *log, const char *version_path, uint64_t start_ns, uint64_t end_ns,
			struct xpt_rdma_gpu *ret_g)
{
	const char *lines[XPT_KLOG_LINES];
	struct xpt_xid_line xid;
	size_t i;

	ret_g->error[0] = '\0';
	xpt_file_line__first(version_path, ret_g->driver, sizeof(ret_g->driver));
	for (i = 0; log && i < sizeof(spans) / sizeof(spans[0]); i++) {
		uint64_t from = start_ns > spans[i].ns ? start_ns - spans[i].ns : 0;
		unsigned n = xpt_klog__between(log, from, end_ns, true, lines, XPT_KLOG_LINES);

		if (!find_xid(lines, n, &xid))
			continue;
		snprintf(ret_g->error, sizeof(ret_g->error), "Xid %" PRIu32 " on %s (%s), %s", xid.xid, xid.device,
			 xpt_xid__info_of(xid.xid, xid.text)->name, spans[i].text);
		return;
	}
}
