// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A domain as a file of hooks: one that traces all of it, and each row of its
 * table as a comment, to be taken in one by one and changed. The output can be
 * read by `hook -f`.
 */
#include "cli/commands/list_hooks.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/opt.h"
#include "hooks/hook.h"
#include "model/domain/captures.h"
#include "model/domain/domain.h"
#include "model/value.h"

static bool has_hooks(const struct xpt_domain *d)
{
	return d->layer == XPT_LAYER_API || d->layer == XPT_LAYER_DRIVER;
}

/* Prints the probe of a function, with its library or module. */
static void print_probe(const struct xpt_domain *d, const char *function)
{
	const char *file = d->libs && d->libs[0] ? d->libs[0] : "*";

	if (d->sonames && d->sonames[0] && !d->sonames[1])
		file = d->sonames[0];
	printf("%s:%s:%s", d->layer == XPT_LAYER_API ? "call" : "kernel", file, function);
}

/* Arguments that a hook can name: constants are none, and a string is read by str(). */
static void print_captures(const struct xpt_domain *d, const struct xpt_fn_row *row)
{
	struct xpt_captures caps;

	xpt_captures__make(d, row, row->sym, XPT_ARGS_ROLES, &caps);
	for (unsigned i = 0; i < caps.spec.nr_caps; i++) {
		const struct xpt_wire_cap *c = &caps.spec.cap[i];

		if (xpt_cap_is_arg(c))
			printf(" %s=%s%s%s", caps.name[i], c->op == XPT_CAP_STR ? "str(arg." : "arg.", caps.name[i],
			       c->op == XPT_CAP_STR ? ")" : "");
	}
}

/* A glob, and how many from it on it stands for: cuA*, cuB* ... cuZ* are cu[A-Z]*, so that no letter
 * with which nothing begins is a hook on nothing. */
static size_t same_begin(const char *const *glob, char *pattern, size_t size)
{
	size_t at = strlen(*glob) > 2 ? strlen(*glob) - 2 : 0, n = 1;

	while (glob[n] && strlen(glob[n]) == at + 2 && !strncmp(glob[n], *glob, at) &&
	       glob[n][at] == (*glob)[at] + (int)n && !strcmp(glob[n] + at + 1, *glob + at + 1))
		n++;
	if (n < 3)
		snprintf(pattern, size, "%s", *glob);
	else
		snprintf(pattern, size, "%.*s[%c-%c]%s", (int)at, *glob, (*glob)[at], glob[n - 1][at], *glob + at + 1);
	return n < 3 ? 1 : n;
}

static void print_domain(const struct xpt_domain *d)
{
	const char *const *glob;
	char pattern[64];
	size_t n;

	printf("# %s: %s\n# All of it, with the arguments that the tables know:\n", d->name, d->help);
	for (glob = d->catch_all; glob && *glob; glob += n) {
		n = same_begin(glob, pattern, sizeof(pattern));
		print_probe(d, pattern);
		printf("\n");
	}
	for (size_t i = 0; !d->catch_all && i < d->nr_rows && i < XPT_HOOKS_MAX; i++) {
		print_probe(d, d->rows[i].sym);
		printf("\n");
	}
	printf("# One by one; %u hooks at most in a trace:\n", XPT_HOOKS_MAX);
	for (size_t i = 0; i < d->nr_rows; i++) {
		printf("#");
		print_probe(d, d->rows[i].sym);
		if (d->layer == XPT_LAYER_API)
			print_captures(d, &d->rows[i]);
		printf("\n");
	}
}

int xpt_list_hooks__run(const char *name)
{
	const struct xpt_domain *d = name ? xpt_domain__find(name) : NULL;
	size_t i;

	if (d && has_hooks(d)) {
		print_domain(d);
		return XPT_EXIT_OK;
	}
	xpt_err(0, name ? "no domain '%s' has functions that hooks can be on; these do:" : "which domain? These are there:",
		name);
	for (i = 0; i < xpt_nr_domains; i++)
		if (has_hooks(xpt_domains[i]))
			fprintf(stderr, "  %-16s %s\n", xpt_domains[i]->name, xpt_domains[i]->help);
	return XPT_EXIT_USAGE;
}
