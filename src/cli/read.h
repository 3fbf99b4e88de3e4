/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading a recording into outputs, as `report`, `replay` and `convert` share it. */
#ifndef XPT_CLI_READ_H
#define XPT_CLI_READ_H

#include "cli/outputs.h"

/* Opens the outputs, feeds the whole recording, closes them. cfg->input is set
 * here. Returns the exit status; it has said what went wrong, and where a
 * damaged file ends. */
int xpt_read__recording(const char *path, const struct xpt_outputs_cfg *cfg);

#endif
