// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes by name, see probe.h. Read from the right, because paths may hold
 * colons and names do not.
 */
#include "model/domain/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "wire/wire.h"

static const struct {
	const char *prefix;
	enum xpt_probe_kind kind;
} kinds[] = {
	{ "usdt:", XPT_PROBE_USDT }, { "uprobe:", XPT_PROBE_UPROBE }, { "call:", XPT_PROBE_CALL },
};

static int refuse_spec(const char *spec, const char *at, const char *why, size_t *ret_at,
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

/* "(arg3:str,arg4:str)" from at to the end of spec. 0 or -EINVAL. */
static int parse_args(const char *spec, const char *at, struct xpt_probe *p, size_t *ret_at,
		      const char **ret_why)
{
	unsigned nr = 0;

	do {
		unsigned arg = 0, digits = 0;
		const char *begin = ++at;

		if (!strncmp(at, "arg", 3))
			for (at += 3; digits < 2 && *at >= '0' && *at <= '9'; digits++)
				arg = arg * 10 + (unsigned)(*at++ - '0');
		if (!digits || strncmp(at, ":str", 4) || (at[4] != ',' && at[4] != ')'))
			return refuse_spec(spec, begin, "expected argN:str", ret_at, ret_why);
		if (arg >= XPT_MAX_VALS)
			return refuse_spec(spec, begin, "a probe has no such argument", ret_at, ret_why);
		if (++nr > XPT_STRS_MAX)
			return refuse_spec(spec, begin, "four strings at most", ret_at, ret_why);
		p->strings |= (uint16_t)(1u << arg);
		at += 4;
	} while (*at == ',');
	if (at[1])
		return refuse_spec(spec, at + 1, "nothing goes behind the arguments", ret_at, ret_why);
	return 0;
}

/* "PROVIDER" of PATH:PROVIDER:NAME; NULL and a reason if it is not there. */
static const char *provider_before(const char *path, const char *name, const char **ret_why)
{
	const char *at = colon_before(path, name);

	if (!at)
		*ret_why = "expected PROVIDER:NAME behind the path";
	else if (name == at + 1)
		*ret_why = "the provider may be a glob, but not empty";
	return at && name != at + 1 ? at : NULL;
}

/* Parses the text after the prefix. *ret_at is the offset of an error. */
static int parse_rest(const char *spec, const char *path, struct xpt_probe *p, size_t *ret_at,
		      const char **ret_why)
{
	size_t n = strlen(spec);
	const char *paren = n && spec[n - 1] == ')' ? strrchr(spec, '(') : NULL;
	const char *end = paren ? paren : spec + n, *name = colon_before(path, end), *stop = name;
	bool usdt = p->kind == XPT_PROBE_USDT;

	if (!name)
		return refuse_spec(spec, end, usdt ? "expected :PROVIDER:NAME" : "expected :FUNCTION", ret_at,
				   ret_why);
	if (usdt) {
		stop = provider_before(path, name, ret_why);
		if (!stop)
			return refuse_spec(spec, name, *ret_why, ret_at, ret_why);
	}
	if (stop == path)
		return refuse_spec(spec, path, "the path is missing ('*' is any file that a process has "
				   "mapped)", ret_at, ret_why);
	if (name + 1 == end)
		return refuse_spec(spec, name, "the name may be a glob, but not empty", ret_at, ret_why);
	if ((size_t)(stop - path) >= sizeof(p->path) || (size_t)(end - name) > sizeof(p->name) ||
	    (size_t)(name - stop) > sizeof(p->provider))
		return refuse_spec(spec, path, "too long", ret_at, ret_why);
	snprintf(p->path, sizeof(p->path), "%.*s", (int)(stop - path), path);
	snprintf(p->provider, sizeof(p->provider), "%.*s", usdt ? (int)(name - stop - 1) : 0,
		 stop + 1);
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(end - name - 1), name + 1);
	p->strings = 0;
	p->domain = NULL;
	return paren ? parse_args(spec, paren, p, ret_at, ret_why) : 0;
}

int xpt_probe__parse(const char *spec, struct xpt_probe *ret_p, size_t *ret_at, const char **ret_why)
{
	size_t i, n;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		n = strlen(kinds[i].prefix);
		if (strncmp(spec, kinds[i].prefix, n))
			continue;
		ret_p->kind = kinds[i].kind;
		return parse_rest(spec, spec + n, ret_p, ret_at, ret_why);
	}
	return refuse_spec(spec, spec, "a probe is usdt:PATH:PROVIDER:NAME, uprobe:PATH:FUNCTION or "
			   "call:PATH:FUNCTION", ret_at, ret_why);
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
