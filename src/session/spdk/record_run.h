/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* xputrace spdk record: facts about queue pairs from SPDK's probes, as lines of text. */
#ifndef XPT_SESSION_SPDK_RECORD_RUN_H
#define XPT_SESSION_SPDK_RECORD_RUN_H

/* Until the process ends or a signal comes. path: a file, or "-" for stdout. Exit status. */
int xpt_spdk_record__run(int pid, const char *path);

#endif
