// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes by name, see probe.h. Read from the right, because paths may hold
 * colons and names do not.
 */
#include "model/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define USDT "usdt:"

static int wrong(const char *spec, const char *at, const char *why, size_t *ret_at,
		 const char **ret_why)
{
	*ret_at = (size_t)(at - spec);
	*ret_why = why;
	return -EINVAL;
}

/* The last colon of s before end, or NULL. */
static const char *colon_before(const char *s, const char *end)
{
	while (end > s)
		if (*--end == ':')
			return end;
	return NULL;
}

int xpt_probe__parse(const char *spec, struct xpt_probe *ret_p, size_t *ret_at, const char **ret_why)
{
	const char *path = spec + strlen(USDT), *end = spec + strlen(spec), *name, *provider;

	if (strncmp(spec, USDT, strlen(USDT)))
		return wrong(spec, spec, "a probe is usdt:PATH:PROVIDER:NAME", ret_at, ret_why);
	name = colon_before(path, end);
	if (!name)
		return wrong(spec, end, "expected :PROVIDER:NAME", ret_at, ret_why);
	provider = colon_before(path, name);
	if (!provider)
		return wrong(spec, name, "expected PROVIDER:NAME behind the path", ret_at, ret_why);
	if (provider == path)
		return wrong(spec, path, "the path is missing ('*' is any file that a process has "
			     "mapped)", ret_at, ret_why);
	if (name == provider + 1 || name + 1 == end)
		return wrong(spec, name, "provider and name may be globs, but not empty", ret_at,
			     ret_why);
	if ((size_t)(provider - path) >= sizeof(ret_p->path) ||
	    (size_t)(name - provider) > sizeof(ret_p->provider) ||
	    (size_t)(end - name) > sizeof(ret_p->name))
		return wrong(spec, path, "too long", ret_at, ret_why);
	ret_p->kind = XPT_PROBE_USDT;
	snprintf(ret_p->path, sizeof(ret_p->path), "%.*s", (int)(provider - path), path);
	snprintf(ret_p->provider, sizeof(ret_p->provider), "%.*s", (int)(name - provider - 1),
		 provider + 1);
	snprintf(ret_p->name, sizeof(ret_p->name), "%s", name + 1);
	return 0;
}

bool xpt_probe__is_glob(const struct xpt_probe *p)
{
	return !strchr(p->path, '/') || strpbrk(p->path, "*?");
}

bool xpt_probe__wants_file(const struct xpt_probe *p, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strchr(p->path, '/'))
		return xpt_glob_match(p->path, path);
	return xpt_glob_match(p->path, slash ? slash + 1 : path);
}
