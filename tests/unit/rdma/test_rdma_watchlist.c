/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/plan/watchlist.h: functions that are called for each event are watched as that, also if a plan keeps them; calls
 * of a method are whole if each function of its plan is attached.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/plan/watchlist.h"

enum { MODULE, HANDLER = 9, CM = 17, UVERBS = 36 };	/* names in the text */

static char text[] = "rdma_ucm\0handler\0ucma_event_handler\0ib_uverbs_event_handler";
static struct xpt_rdma_module module = { .name = MODULE };
static struct xpt_rdma_fn fns[] = { { .name = HANDLER, .ret = XPT_RDMA_RET_INT }, { .name = CM, .ret = XPT_RDMA_RET_INT },
				    { .name = UVERBS, .ret = XPT_RDMA_RET_VOID } };
static struct xpt_rdma_graph g = { .text = text, .fns = fns, .modules = &module, .nr_fns = 3, .nr_modules = 1 };

static void test_events(void **state)
{
	struct xpt_rdma_step steps[] = { { .fn = 0 }, { .fn = 1 }, { .fn = 2 } };
	struct xpt_rdma_plan plan = { .steps = steps, .nr = 3, .nr_kept = 2 }, *plans[] = { &plan };
	struct xpt_rdma_watchlist *l;

	(void)state;
	assert_int_equal(xpt_rdma_watchlist__make(&g, plans, 1, true, &l), 0);
	assert_int_equal(l->nr, 3);
	assert_string_equal(l->wish[1].name, "ucma_event_handler");
	assert_int_equal(l->wish[1].flags, XPT_RDMA_FN_EVENT1 | XPT_RDMA_FN_CM_EVENT);
	assert_string_equal(l->wish[2].name, "ib_uverbs_event_handler");
	assert_int_equal(l->wish[2].flags, XPT_RDMA_FN_EVENT1);
	xpt_rdma_watchlist__free(l);
	assert_int_equal(xpt_rdma_watchlist__make(&g, plans, 1, false, &l), 0);
	assert_int_equal(l->nr, 2);
	assert_int_equal(l->wish[1].flags, 0);
	xpt_rdma_watchlist__free(l);
}

static void test_not_attached(void **state)
{
	struct xpt_rdma_root roots[] = { { .fn = 0 }, { .fn = 1 } };
	struct xpt_rdma_step steps[2][2] = { { { .fn = 0 }, { .fn = 1 } }, { { .fn = 0 }, { .fn = 2 } } };
	struct xpt_rdma_plan plan[2] = { { .root = 0, .steps = steps[0], .nr = 2, .nr_kept = 2 },
					 { .root = 1, .steps = steps[1], .nr = 2, .nr_kept = 2 } };
	struct xpt_rdma_plan *plans[] = { &plan[0], &plan[1] };
	struct xpt_rdma_hold none = { .kind = XPT_KATTACH_AUTO }, held = { .kind = XPT_KATTACH_KPROBE };
	const struct xpt_rdma_hold *hold[] = { NULL, &held, &held, &held };
	struct xpt_rdma_watchlist *l;
	int i;

	(void)state;
	g.roots = roots;
	g.nr_roots = 2;
	assert_int_equal(xpt_rdma_watchlist__make(&g, plans, 2, false, &l), 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(xpt_rdma_watchlist__own(l, &plan[i]), 0);
	xpt_rdma_watchlist__note_probes(l);	/* nothing is known */
	l->hold = hold;
	xpt_rdma_watchlist__note_probes(l);
	assert_true(l->own[0]->whole && l->own[1]->whole);
	hold[2] = &none;			/* of the first plan alone */
	xpt_rdma_watchlist__note_probes(l);
	xpt_rdma_watchlist__note_probes(l);	/* once more: each function counts once */
	assert_true(l->own[0]->whole && l->own[1]->whole);
	assert_int_equal(l->own[0]->nr_unwatched, 1);
	assert_int_equal(l->own[0]->unwatched[0], l->fn[1]);
	assert_int_equal(l->own[1]->nr_unwatched, 0);
	assert_true(xpt_rdma_watchlist__is_probed(l, 1) && !xpt_rdma_watchlist__is_probed(l, 2));
	xpt_rdma_watchlist__free(l);
	g.nr_roots = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_events), cmocka_unit_test(test_not_attached) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
