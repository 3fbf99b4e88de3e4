/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sections of a summary by name: every schema that an analyzer of this
 * build emits, and the verdict. For `report --section`.
 */
#ifndef XPT_CLI_ARGS_SECTIONS_H
#define XPT_CLI_ARGS_SECTIONS_H

#include <stddef.h>
#include "cli/opt.h"
#include "model/output/schema.h"

#define XPT_MAX_SECTIONS 256

/*
 * names: values of an option, each a list separated by commas. Fills ret_s,
 * NULL-terminated, in the order given, each once. -EINVAL: a name is unknown,
 * and which ones there are was said.
 */
int xpt_sections__parse(const struct xpt_list *names,
			const struct xpt_schema *ret_s[XPT_MAX_SECTIONS + 1]);

#endif
