/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recording of `-d spdk` (.xtr) as the input that `spdk annotate` joins with: queue pairs and clocks. */
#ifndef XPT_SESSION_SPDK_ATTACH_LIST_H
#define XPT_SESSION_SPDK_ATTACH_LIST_H

#include "spdk/lives.h"
#include "spdk/spdk_record.h"

/*
 * Reads the queue pairs of process pid (0: of the only one) into l. 0 or -errno, said.
 * Gaps are said, too, and recordings that are cut are read as far as they go.
 */
int xpt_spdk_with__read(const char *path, uint32_t pid, struct xpt_spdk_lives *l,
			struct xpt_spdk_record_stats *ret_stats);

#endif
