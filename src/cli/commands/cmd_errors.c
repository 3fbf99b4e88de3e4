// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace errors: prints the meaning of a result code or of its name.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/opt.h"
#include "model/domain/domain.h"
#include "session/options/function_option.h"
#include "session/options/suggest.h"

struct errors_opts {
	const char *domain;
};

#define MEANING_AT 17
#define COLUMNS 79

/* Words of text from column MEANING_AT on, in lines of at most COLUMNS. */
static void print_wrapped(const char *text, int *col)
{
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (*col > MEANING_AT && *col + 1 + n > COLUMNS) {
			printf("\n%*s", MEANING_AT, "");
			*col = MEANING_AT;
		}
		*col += printf("%s%.*s", *col > MEANING_AT ? " " : "", n, text);
		text += n;
		text += strspn(text, " ");
	}
}

static void print_result(const struct xpt_domain *d, const struct xpt_result *r)
{
	int col = MEANING_AT;

	printf("%-8s %6" PRId64 "  %s\n%*s", d->name, r->code, r->name, col, "");
	print_wrapped(r->meaning, &col);
	if (r->benign)
		print_wrapped("(an answer, not counted as an error)", &col);
	if (r->sticky)
		print_wrapped("(sticky: later calls return it too)", &col);
	putchar('\n');
}

/* "Out of memory", OUT_OF_MEMORY and cudaErrorOutOfMemory are alike: letters
 * and digits count, in any case. */
static const char *plain_name(const char *s, char *buf, size_t n)
{
	size_t at = 0;

	for (; *s && at + 1 < n; s++)
		if (isalnum((unsigned char)*s))
			buf[at++] = (char)tolower((unsigned char)*s);
	buf[at] = '\0';
	return buf;
}

/* A code, a full name, or a part of a name; NULL matches all. */
static bool matches_text(const struct xpt_result *r, const char *what)
{
	char name[128], part[128];
	int64_t code;

	if (!what)
		return true;
	if (!xpt_parse_i64(what, INT64_MIN, INT64_MAX, &code))
		return r->code == code;
	return *plain_name(what, part, sizeof(part)) &&
	       strstr(plain_name(r->name, name, sizeof(name)), part);
}

static int not_found(const struct xpt_domain *only, const char *what)
{
	struct xpt_near near;
	char text[256];
	size_t d, i;

	xpt_near__init(&near, what);
	for (d = 0; d < xpt_nr_domains; d++)
		for (i = 0; i < xpt_domains[d]->nr_results; i++)
			if (!only || only == xpt_domains[d])
				xpt_near__offer(&near, xpt_domains[d]->results[i].name);
	xpt_err(0, "no result '%s' is known%s", what,
		near.n ? xpt_near__text(&near, text, sizeof(text)) : "; 'xputrace errors' lists all");
	return XPT_EXIT_FAILED;
}

static int run_errors(int argc, char **argv)
{
	struct errors_opts o = { 0 };
	const struct xpt_domain *only;
	unsigned found = 0;
	const char *what;
	int rest, status = xpt_opt__parse(&xpt_cmd_errors, argc, argv, &o, &rest);
	size_t d, i;

	if (status >= 0)
		return status;
	what = argv[rest];
	if (what && argv[rest + 1])
		return xpt_opt__usage(&xpt_cmd_errors, "unexpected '%s'", argv[rest + 1]);
	only = o.domain ? xpt_domain__find(o.domain) : NULL;
	if (o.domain && !only)
		return xpt_functions__no_domain(xpt_cmd_errors.name, o.domain);
	for (d = 0; d < xpt_nr_domains; d++) {
		const struct xpt_domain *dom = xpt_domains[d];

		if (only && only != dom)
			continue;
		for (i = 0; i < dom->nr_results; i++) {
			if (!matches_text(&dom->results[i], what))
				continue;
			print_result(dom, &dom->results[i]);
			found++;
		}
	}
	return found ? XPT_EXIT_OK : not_found(only, what);
}

static const struct xpt_opt opts[] = {
	{ "domain", 'd', XPT_OPT_STR, offsetof(struct errors_opts, domain), "NAME",
	  "only of this domain (cuda, cudart, ...)", 0 },
	{ 0 },
};

const struct xpt_cmd xpt_cmd_errors = {
	.name = "errors",
	.args = "[CODE|NAME] [OPTIONS]",
	.summary = "what a result code means",
	.opts = opts,
	.examples = "  xputrace errors 700\n  xputrace errors OUT_OF_MEMORY\n  xputrace errors 'illegal address'\n",
	.run = run_errors,
};
