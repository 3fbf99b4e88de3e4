/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All analyzers under random but well-formed events from a fixed seed: few
 * addresses, processes and times, so that races, reuse, resets, exits and
 * reports of returned calls collide. Blocks must add up in the end.
 */
#include "unit/feed.h"

#define NR_FNS 60
#define NR_PROCS 20
#define ROUNDS 60

static uint64_t seed = 88172645463325252ull;
static struct xpt_fn fns[NR_FNS];
static struct xpt_proc procs[NR_PROCS];

static uint64_t rnd(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static void make_fns(void)
{
	static const uint8_t cls[] = {
		XPT_CLASS_ALLOC, XPT_CLASS_FREE, XPT_CLASS_ALLOC, XPT_CLASS_FREE,
		XPT_CLASS_REGISTER, XPT_CLASS_DEREGISTER, XPT_CLASS_RESET, XPT_CLASS_COPY,
		XPT_CLASS_LAUNCH, XPT_CLASS_SYNC, XPT_CLASS_ALLOC, XPT_CLASS_FREE,
		XPT_CLASS_INIT, XPT_CLASS_MODIFY, XPT_CLASS_CREATE, XPT_CLASS_DESTROY,
		XPT_CLASS_QUERY,
	};
	static const uint8_t more[] = {
		XPT_ROLE_EVENT, XPT_ROLE_CONTEXT, XPT_ROLE_CURRENT, XPT_ROLE_DEVICE,
		XPT_ROLE_GRAPH, XPT_ROLE_AVAIL, XPT_ROLE_SRC, XPT_ROLE_DST, XPT_ROLE_TOTAL,
	};

	for (unsigned i = 0; i < NR_FNS; i++) {
		const uint8_t roles[] = { i % 5 ? XPT_ROLE_ADDR : XPT_ROLE_HANDLE, XPT_ROLE_SIZE,
					  i % 3 ? XPT_ROLE_DIR : XPT_ROLE_STREAM,
					  more[i % 9], more[(i + 1 + i % 7) % 9],
					  XPT_ROLE_NONE };

		fns[i] = feed_fn("function", cls[i % 17],
				 (unsigned)rnd(XPT_KIND__MAX + 1), roles);
	}
}

static void random_call(struct feed *f, const struct xpt_proc *p, uint64_t now)
{
	uint64_t took = rnd(2 * MS);
	struct feed_call c = {
		.fn = &fns[rnd(NR_FNS)], .proc = p, .at = now > took ? now - took : 0,
		.took = took, .val = { rnd(30), rnd(4) << 20, rnd(9), rnd(5), rnd(5) },
		.ret = rnd(6) ? ERR_OK : rnd(3) ? ERR_MEMORY : (int64_t)rnd(800), .tid = (uint32_t)rnd(9),
		.flags = (uint8_t)rnd(4), .depth = (uint8_t)rnd(4),
	};

	if (!rnd(50))
		c.val[0] = c.val[1] = seed;
	feed_call_as(f, rnd(30) ? XPT_EV_CALL : XPT_EV_INFLIGHT, &c);
}

static void random_event(struct feed *f, uint64_t now)
{
	const struct xpt_fn *fn = &fns[rnd(NR_FNS)];
	struct xpt_proc *p = &procs[rnd(NR_PROCS)];

	switch (rnd(40)) {
	case 0:
		feed_proc_event(f, XPT_EV_EXIT, p, now, false);
		break;
	case 1:
		feed_proc_event(f, XPT_EV_PROC, p, now, rnd(2));
		break;
	case 2:
		feed_counter(f, fn, rnd(3) ? p : NULL, (unsigned)rnd(32), rnd(5), rnd(5), rnd(99),
			     rnd(SEC));
		break;
	case 3:
		feed_errcount(f, fn, p, (int64_t)rnd(3) * 350, rnd(9));
		break;
	case 4:
		feed_loss(f, (enum xpt_loss)rnd(XPT_LOSS__MAX + 2), rnd(99));
		break;
	default:
		random_call(f, p, now);
		break;
	}
}

static void run(struct feed *f, const struct xpt_analyzer *a)
{
	uint64_t now = 0, n = rnd(2000);

	for (uint32_t i = 0; i < NR_PROCS; i++)
		procs[i] = feed_proc(i + 1, "process");
	feed_begin(f, a);
	for (uint64_t i = 0; i < n; i++) {
		now += rnd(MS);
		random_event(f, now);
	}
	feed_end(f, now, rnd(2));
}

static void test_everything(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < xpt_nr_analyzers; i++) {
			struct feed f;

			run(&f, xpt_analyzers[i]);
			feed_free(&f);
		}
	}
}

extern const struct xpt_analyzer xpt_analyzer_memory;

/* Every block that was opened was freed, freed implicitly, or is left. */
static void test_blocks_add_up(void **state)
{
	uint64_t seen = 0;

	(void)state;
	for (unsigned round = 0; round < 10 * ROUNDS; round++) {
		uint64_t left = 0, leaks = 0;
		struct feed f;

		run(&f, &xpt_analyzer_memory);
		for (size_t i = 0; i < feed_rows(&f, "memory"); i++) {
			assert_int_equal(feed_u64(&f, "memory", i, "allocations"),
					 feed_u64(&f, "memory", i, "frees") +
					 feed_u64(&f, "memory", i, "implicit") +
					 feed_u64(&f, "memory", i, "not_freed"));
			left += feed_u64(&f, "memory", i, "not_freed");
		}
		for (size_t i = 0; i < feed_rows(&f, "leaks"); i++)
			leaks += feed_u64(&f, "leaks", i, "blocks");
		assert_int_equal(left, leaks);
		seen += left;
		feed_free(&f);
	}
	assert_true(seen > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything), cmocka_unit_test(test_blocks_add_up),
	};

	make_fns();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
