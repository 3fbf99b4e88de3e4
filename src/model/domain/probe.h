/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that users name: "usdt:PATH:PROVIDER:NAME", "uprobe:PATH:FUNCTION" (its
 * first instruction), "call:PATH:FUNCTION" (from there to its return). Names may
 * be globs, and "(arg3:str,arg4:str)" after them says which arguments are texts;
 * a path without a slash, or with a wildcard, is a glob for the files
 * that traced processes have mapped, any other is that file.
 */
#ifndef XPT_MODEL_DOMAIN_PROBE_H
#define XPT_MODEL_DOMAIN_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xpt_probe_kind {
	XPT_PROBE_USDT = 1,
	XPT_PROBE_UPROBE,	/* no provider, as the next */
	XPT_PROBE_CALL,
	/* The rest is of hooks only, and has no file. */
	XPT_PROBE_KERNEL,	/* provider is the module */
	XPT_PROBE_TRACEPOINT,	/* provider is the category */
	XPT_PROBE_IOCTL,	/* path is the device, or the kind of it; name the command */
};

#define XPT_PROBES_MAX 64	/* of one trace */

struct xpt_domain;

struct xpt_probe {
	enum xpt_probe_kind kind;
	unsigned char hook;	/* 1 + number of the hook that it belongs to; 0: none */
	char path[4096];
	char provider[128], name[256];
	uint16_t strings;	/* bit i: argument i points to a string; XPT_STRS_MAX at most */
	const struct xpt_domain *domain;	/* not NULL: only the probes that have a row there */
};

/*
 * Reads a probe. 0 or -EINVAL: then *ret_at is the offset of the error in spec
 * and *ret_why a static text.
 */
int xpt_probe__parse(const char *spec, struct xpt_probe *ret_p, size_t *ret_at, const char **ret_why);
/* True: the path is a pattern for mapped files, not one file. */
bool xpt_probe__is_glob(const struct xpt_probe *p);
/* Whether that pattern, or that path, stands for a file of this name. */
bool xpt_probe__wants_file(const struct xpt_probe *p, const char *path);

#endif
