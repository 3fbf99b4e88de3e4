// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace errors: what a result code or its name means.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/opt.h"
#include "model/domain.h"

struct errors_opts {
	const char *domain;
};

static void print_result(const struct xpt_domain *d, const struct xpt_result *r)
{
	printf("%-8s %6" PRId64 "  %s\n%17s%s%s%s\n", d->name, r->code, r->name, "", r->meaning,
	       r->benign ? " (an answer, not counted as an error)" : "",
	       r->sticky ? " (sticky: later calls return it too)" : "");
}

/* A code, a full name, or a part of a name; NULL matches all. */
static bool matches(const struct xpt_result *r, const char *what)
{
	int64_t code;
	size_t n, i;

	if (!what)
		return true;
	if (!xpt_parse_i64(what, INT64_MIN, INT64_MAX, &code))
		return r->code == code;
	n = strlen(what);
	for (i = 0; r->name[i]; i++)
		if (!strncasecmp(r->name + i, what, n))
			return true;
	return false;
}

static int run(int argc, char **argv)
{
	struct errors_opts o = { 0 };
	unsigned found = 0;
	const char *what;
	int rest, status = xpt_opt__parse(&xpt_cmd_errors, argc, argv, &o, &rest);
	size_t d, i;

	if (status >= 0)
		return status;
	what = argv[rest];
	if (what && argv[rest + 1])
		return xpt_opt__usage(&xpt_cmd_errors, "unexpected '%s'", argv[rest + 1]);
	if (o.domain && !xpt_domain__find(o.domain))
		return xpt_opt__usage(&xpt_cmd_errors, "no domain '%s'", o.domain);
	for (d = 0; d < xpt_nr_domains; d++) {
		const struct xpt_domain *dom = xpt_domains[d];

		if (o.domain && strcmp(o.domain, dom->name))
			continue;
		for (i = 0; i < dom->nr_results; i++) {
			if (!matches(&dom->results[i], what))
				continue;
			print_result(dom, &dom->results[i]);
			found++;
		}
	}
	if (found)
		return XPT_EXIT_OK;
	xpt_err(0, "no result '%s' is known; 'xputrace errors' lists all", what);
	return XPT_EXIT_FAILED;
}

static const struct xpt_opt opts[] = {
	{ "domain", 'd', XPT_OPT_STR, offsetof(struct errors_opts, domain), "NAME",
	  "only of this domain (cuda, cudart)", 0 },
	{ 0 },
};

const struct xpt_cmd xpt_cmd_errors = {
	.name = "errors",
	.args = "[CODE|NAME] [OPTIONS]",
	.summary = "what a result code means",
	.opts = opts,
	.examples = "  xputrace errors 700\n  xputrace errors OUT_OF_MEMORY\n",
	.run = run,
};
