// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Halving of sets of places that the kernel refuses. A set of n places of which k are
 * refused takes some k log2(n) requests.
 */
#include "engine/attach/link_set.h"

#include <errno.h>

#define QUICK_NS 50000000ull
#define SLOW_NS 500000000ull
#define GROWTH 16u

/*
 * Whether the kernel would refuse smaller sets of the same file as well. EFAULT: a process that maps the file keeps
 * its pages from being copied (userfaultfd).
 */
static bool is_about_file(int err)
{
	return err == -EFAULT || err == -EPERM || err == -ENOENT || err == -EINTR || err == -ECANCELED;
}

/* Whether no file descriptor is left, which smaller sets would need, too. */
static bool is_about_descriptors(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

static int request_link(const struct xpt_link_set *set, uint32_t from, uint32_t n)
{
	struct xpt_link_allowance *left = set->left;
	uint64_t began_ns, took_ns;
	int err;

	if (!left)
		return set->link(set->ctx, from, n);
	if (!left->requests || !left->ns)
		return -EDQUOT;
	left->requests--;
	if (left->ns == UINT64_MAX)
		return set->link(set->ctx, from, n);
	began_ns = *left->clock_ns;
	err = set->link(set->ctx, from, n);
	took_ns = *left->clock_ns - began_ns;
	left->ns -= took_ns < left->ns ? took_ns : left->ns;
	return err;
}

struct attaching {
	const struct xpt_link_set *set;
	uint32_t done;
	int fatal_err;		/* why all that remains is refused; 0: it is not */
};

static void refuse_places(const struct attaching *a, uint32_t from, uint32_t n, int err)
{
	if (a->set->on_refused)
		a->set->on_refused(a->set->ctx, from, n, err);
}

static void attach_halves(struct attaching *a, uint32_t from, uint32_t n)
{
	int err = a->fatal_err ? a->fatal_err : request_link(a->set, from, n);

	if (!err) {
		a->done += n;
		return;
	}
	if (err == -EDQUOT || is_about_descriptors(err) || (a->set->one_file && is_about_file(err)))
		a->fatal_err = err;
	if (a->fatal_err || n == 1) {
		refuse_places(a, from, n, err);
		return;
	}
	attach_halves(a, from, n / 2);
	attach_halves(a, from + n / 2, n - n / 2);
}

/* Sets the size of the next request: larger if this one was quick, smaller if it was slow. */
static uint32_t next_part(uint32_t part, uint64_t took_ns)
{
	if (took_ns < QUICK_NS)
		return part * GROWTH;
	return took_ns > SLOW_NS && part >= GROWTH ? part / GROWTH : part;
}

uint32_t xpt_link_set__attach(const struct xpt_link_set *set, uint32_t from, uint32_t n)
{
	struct attaching a = { .set = set };
	bool is_limited = set->left && set->left->ns != UINT64_MAX;
	uint32_t part = is_limited ? 1 : n;

	while (n && !a.fatal_err) {
		uint64_t had_ns = is_limited ? set->left->ns : 0;

		part = part < n ? part : n;
		attach_halves(&a, from, part);
		from += part;
		n -= part;
		part = is_limited ? next_part(part, had_ns - set->left->ns) : n;
	}
	if (n)
		refuse_places(&a, from, n, a.fatal_err);
	return a.done;
}
