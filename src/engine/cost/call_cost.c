// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The median of the rounds is the result: some are hit by interrupts, by
 * a hypervisor or by another thread on the same core, and those say nothing about
 * tracing. A quarter of the rounds below and a quarter above are the spread.
 */
#include "engine/cost/call_cost.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_MIN 3
#define ROUNDS_MAX 1024
#define TRAP_NS 50		/* no trap into a kernel is faster */
#define NOISE 1.25		/* a kind may seem dearer than another, which it cannot be, by this */

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint64_t to_ns(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

/* Rounds, and the calls in a chunk of each kind. */
struct measured {
	const struct xpt_cost_round *round;
	uint32_t nr;
	const uint32_t *calls;
};

/* Returns the cost of one call in one round, ns. */
static double cost_in(const struct measured *m, uint32_t round, int kind, int how)
{
	const struct xpt_cost_chunk *c = &m->round[round].kind[kind];

	return ((double)c->traced[how] - (double)c->untraced) / (double)m->calls[kind];
}

static struct xpt_cost_value find_value(const struct measured *m, int kind, int how)
{
	double v[ROUNDS_MAX];
	uint32_t i, nr = m->nr;

	for (i = 0; i < nr; i++)
		v[i] = cost_in(m, i, kind, how);
	qsort(v, nr, sizeof(*v), compare_values);
	return (struct xpt_cost_value){
		.ns = to_ns(v[nr / 2]), .low = to_ns(v[nr / 4]), .high = to_ns(v[nr - 1 - nr / 4]),
	};
}

/*
 * Whether calls of one kind were cheaper than those of another, by more than noise, in most rounds. The
 * medians do not show that: where the machine is fast for half of the time, that of one kind may be from
 * a fast round and that of the other from a slow one.
 */
static bool is_cheaper(const struct measured *m, int kind, int how, int than_kind, int than_how)
{
	uint32_t i, n = 0;

	for (i = 0; i < m->nr; i++)
		n += cost_in(m, i, kind, how) * NOISE < cost_in(m, i, than_kind, than_how);
	return 2 * n > m->nr;
}

/* Whether calls were cheaper with the extra trap of that bit of an enum xpt_cost_kind than without it. */
static bool is_trap_free(const struct measured *m, int bit)
{
	int kind, how;

	for (kind = 0; kind < XPT_COST__KINDS; kind++)
		for (how = 0; kind & bit && how < XPT_COST__MAX; how++)
			if (is_cheaper(m, kind, how, kind & ~bit, how))
				return true;
	return false;
}

/* Returns why these values cannot be right, or NULL. */
static const char *find_nonsense(const struct measured *m, const struct xpt_call_cost *c)
{
	int kind, how;

	for (kind = 0; kind < XPT_COST__KINDS; kind++)
		for (how = 0; how < XPT_COST__MAX; how++)
			if (c->v[kind][how].ns < TRAP_NS)
				return "a traced call was hardly slower than an untraced one";
	if (is_trap_free(m, XPT_COST_STEPPED))
		return "single-stepped calls were cheaper than emulated ones";
	if (is_trap_free(m, XPT_COST_RETURNS))
		return "calls were cheaper with single-stepped returns than with return probes";
	for (kind = 0; kind < XPT_COST__KINDS; kind++)
		if (is_cheaper(m, kind, XPT_COST_SENT, kind, XPT_COST_COUNTED))
			return "calls that are only counted were dearer than those that are sent";
	return NULL;
}

bool xpt_call_cost__find(const struct xpt_cost_round *rounds, uint32_t nr,
			 const uint32_t calls[XPT_COST__KINDS], struct xpt_call_cost *ret_cost,
			 const char **ret_why)
{
	struct measured m = { rounds, nr < ROUNDS_MAX ? nr : ROUNDS_MAX, calls };
	int kind, how;

	memset(ret_cost, 0, sizeof(*ret_cost));
	*ret_why = nr < ROUNDS_MIN ? "there was no time to measure it" : NULL;
	for (kind = 0; !*ret_why && kind < XPT_COST__KINDS; kind++)
		for (how = 0; how < XPT_COST__MAX; how++)
			ret_cost->v[kind][how] = find_value(&m, kind, how);
	if (!*ret_why)
		*ret_why = find_nonsense(&m, ret_cost);
	if (*ret_why)
		memset(ret_cost, 0, sizeof(*ret_cost));
	return !*ret_why;
}
