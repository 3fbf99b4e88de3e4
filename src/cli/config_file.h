/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A configuration file in YAML: a mapping from names of a command's options, without dashes, to their values. An
 * option that may be given again takes a list, one without a value true or false.
 *
 *     listen: 9100
 *     domain: [cuda, nccl]
 *     budget: 0.5%
 */
#ifndef XPT_CLI_CONFIG_FILE_H
#define XPT_CLI_CONFIG_FILE_H

#include <stddef.h>
#include "cli/opt.h"

struct xpt_config;

/*
 * Reads the file at path into opts. Values of opts point into *ret_c from then on. before: the configuration
 * that was read before and is still in use (NULL: none was; else only a regular file is read); it belongs to
 * the new one, as it does on failure to the caller. 0; or, after a message with line and column, -EINVAL:
 * something in it is wrong, -ENOTSUP: this build cannot read YAML, -E2BIG: it has more than 64 KiB, -EPERM:
 * we are root, and others can write it, or -errno of reading.
 */
int xpt_config__read(const struct xpt_cmd *cmd, const char *path, void *opts, struct xpt_config *before,
		     struct xpt_config **ret_c);
/* "FILE:LINE:COLUMN" of a value that opts got from the file, in buf of n bytes; "" if it came from elsewhere. */
const char *xpt_config__place(const struct xpt_config *c, const char *value, char *buf, size_t n);
void xpt_config__free(struct xpt_config *c);	/* NULL is fine */

#endif
