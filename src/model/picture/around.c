// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See around.h. Everything here rests on times: a call that began before another one
 * of its thread and ended after it was around it.
 */
#include "model/picture/around.h"

#include <stdio.h>
#include <string.h>

#include "wire/vocab.h"

void xpt_around__begin(struct xpt_around *a, const struct xpt_call *c)
{
	*a = (struct xpt_around){ .start_ns = c->start_ns, .end_ns = c->start_ns + c->dur_ns,
				  .proc = c->proc, .tid = c->tid };
}

bool xpt_around__note(struct xpt_around *a, const struct xpt_call *c)
{
	const char *domain = c->fn->domain_name;
	bool same = c->tid == a->tid;

	if (c->fn->layer != XPT_LAYER_API || c->proc != a->proc || c->start_ns > a->start_ns ||
	    c->start_ns + c->dur_ns < a->end_ns || (!same && (a->own || !c->failed)))
		return false;
	if (same && (!a->domain || (!a->own && !strcmp(a->domain, domain)))) {
		a->domain = domain;
		snprintf(a->caller, sizeof(a->caller), "%s", c->fn->base);
		return true;
	}
	if (!same && a->domain && !strcmp(a->domain, domain))
		return false;
	a->own = same;
	snprintf(a->outer, sizeof(a->outer), "%s", c->fn->base);
	return true;
}
