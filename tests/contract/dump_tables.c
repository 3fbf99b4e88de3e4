/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints a domain's tables, one tab-separated line per fact, for scripts that
 * compare them with a vendor's headers:
 *   F symbol class ret kind
 *   C op word width signed role off name     (of the F before it)
 *   R code name benign sticky meaning
 *   G glob                                   (catch_all)
 * Usage: dump_tables DOMAIN. Built by the scripts that need it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "model/domain/domain.h"

extern const struct xpt_domain xpt_domain_cuda, xpt_domain_cudart;

#define X(e, n, s) [n] = #e,
static const char *const class_names[] = { XPT_CLASSES(X) };
static const char *const ret_names[] = { XPT_RETS(X) };
static const char *const kind_names[] = { XPT_KINDS(X) };
static const char *const op_names[] = { XPT_CAP_OPS(X) };
static const char *const role_names[] = { XPT_ROLES(X) };
#undef X

static void print_row(const struct xpt_domain *d, const struct xpt_fn_row *r)
{
	struct xpt_row_caps caps;
	unsigned i;

	xpt_row__caps(d->sigs, r, &caps);
	printf("F\t%s\t%s\t%s\t%s\n", r->sym, class_names[r->cls], ret_names[r->ret],
	       kind_names[r->kind]);
	for (i = 0; i < caps.nr; i++) {
		const struct xpt_wire_cap *c = &caps.cap[i].wire;

		printf("C\t%s\t%u\t%u\t%u\t%s\t%d\t%s\n", op_names[c->op], c->arg,
		       c->width & 0x7fu, c->width >> 7, role_names[c->role], c->off,
		       caps.cap[i].name);
	}
}

int main(int argc, char **argv)
{
	const struct xpt_domain *d = NULL;
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "cuda"))
		d = &xpt_domain_cuda;
	else if (argc == 2 && !strcmp(argv[1], "cudart"))
		d = &xpt_domain_cudart;
	if (!d) {
		fprintf(stderr, "usage: dump_tables cuda|cudart\n");
		return 2;
	}
	for (i = 0; i < d->nr_rows; i++)
		print_row(d, &d->rows[i]);
	for (i = 0; i < d->nr_results; i++)
		printf("R\t%" PRId64 "\t%s\t%d\t%d\t%s\n", d->results[i].code, d->results[i].name,
		       d->results[i].benign, d->results[i].sticky, d->results[i].meaning);
	for (i = 0; d->catch_all && d->catch_all[i]; i++)
		printf("G\t%s\n", d->catch_all[i]);
	return 0;
}
