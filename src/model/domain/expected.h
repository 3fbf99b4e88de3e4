/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expected failures: they mean nothing alone, because runtimes and libraries try the
 * call to find out which features exist. They are counted and shown as suppressed, and
 * are never reported as the first failure. The list of a domain is
 * src/domains/<name>/expected.h.
 */
#ifndef XPT_MODEL_DOMAIN_EXPECTED_H
#define XPT_MODEL_DOMAIN_EXPECTED_H

#include <stddef.h>
#include <stdint.h>

struct xpt_domain;

struct xpt_expected {
	const char *fn;		/* glob of exported names; NULL ends the list */
	int64_t code;
	const char *reason;	/* why it is tried */
};

/* NULL: this result of that function is no expected failure. d may be NULL. */
const struct xpt_expected *xpt_domain__expected(const struct xpt_domain *d, const char *sym,
						int64_t code);

#endif
