// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables of states by release, and the release in a program's bytes, see states.h.
 */
#include "model/domain/states.h"

#include <string.h>

#include "model/domain/domain.h"

const struct xpt_states *xpt_states__find(const struct xpt_domain *d, unsigned kind)
{
	for (size_t i = 0; d && i < d->nr_states; i++)
		if (d->states[i].kind == kind)
			return &d->states[i];
	return NULL;
}

const char *const *xpt_states__names(const struct xpt_domain *d, unsigned kind, unsigned release)
{
	const struct xpt_states *s = xpt_states__find(d, kind);
	size_t i = s ? s->nr_releases - 1 : 0;

	while (s && i && release && s->releases[i].since > release)
		i--;
	return s ? s->releases[i].names : NULL;
}

static int read_digit(const char *s)
{
	return *s >= '0' && *s <= '9' ? *s - '0' : -1;
}

/* "24.01" in n bytes. */
static unsigned read_release(const char *s, size_t n)
{
	if (n < 5 || s[2] != '.' || read_digit(s) < 0 || read_digit(s + 1) < 0 || read_digit(s + 3) < 0 ||
	    read_digit(s + 4) < 0)
		return 0;
	return (unsigned)(read_digit(s) * 1000 + read_digit(s + 1) * 100 + read_digit(s + 3) * 10 + read_digit(s + 4));
}

unsigned xpt_release__parse(const char *s)
{
	s += *s == 'v';
	return read_release(s, strlen(s));
}

unsigned xpt_release__find(const char *mark, const void *data, size_t n)
{
	const char *p = data, *end = p + n, *at;
	size_t len = strlen(mark);
	unsigned release;

	while ((at = memmem(p, (size_t)(end - p), mark, len))) {
		p = at + len;
		release = read_release(p, (size_t)(end - p));
		if (release)
			return release;
	}
	return 0;
}
