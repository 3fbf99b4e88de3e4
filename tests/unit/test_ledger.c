/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger under random interleavings, against a reference model that sees
 * what no tracer sees: the moment inside each call at which the driver takes or
 * gives an address. Few addresses and many threads, so that most frees are
 * overtaken by the allocation that gets their address. Calls reach the ledger
 * when they return, in order of their ends.
 */
#include "unit/feed.h"
#include "model/memory/reused.h"

#define ROUNDS 400
#define NR_THREADS 12
#define NR_PROCS 3
#define NR_ADDRS 3
#define STEPS 1500

extern const struct xpt_analyzer xpt_analyzer_memory, xpt_analyzer_memory_use,
	xpt_analyzer_churn;

enum what { IDLE, ALLOC, FREE, BAD_FREE };

struct thread {
	enum what what;
	unsigned proc, addr, family;
	bool effect, nested;	/* the driver has done its part; inside a call of the runtime */
	uint64_t start, bytes;
};

enum place { HERE, TAKEN, OWNED, LEAVING };	/* of an address: the driver's ... */

struct address {
	enum place place;
	uint64_t bytes;
};

struct family {		/* functions that share addresses */
	struct xpt_fn alloc, free, outer_alloc, outer_free;
};

static struct family families[3];
static struct xpt_proc procs[NR_PROCS];

struct model {
	struct thread thread[NR_THREADS];
	struct address addr[3][NR_PROCS][NR_ADDRS];
	uint64_t allocs[3], frees[3], live[3], peak[3], left[3];
	uint64_t overtaken;	/* frees whose address was handed out before they returned */
	uint64_t now;
};

static uint64_t seed = 88172645463325252ull;

static uint64_t rnd(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static void make_families(void)
{
	static const uint8_t handle_size[] = { XPT_ROLE_HANDLE, XPT_ROLE_SIZE, XPT_ROLE_NONE };

	families[0] = (struct family){
		FEED_FN("cuMemAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE),
		FEED_FN("cuMemFree", FREE, DEVICE, XPT_ROLE_ADDR),
		FEED_FN("cudaMalloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE),
		FEED_FN("cudaFree", FREE, DEVICE, XPT_ROLE_ADDR) };
	families[1] = (struct family){
		feed_fn("cuMemCreate", XPT_CLASS_ALLOC, XPT_KIND_VMM, handle_size),
		FEED_FN("cuMemRelease", FREE, VMM, XPT_ROLE_HANDLE),
		feed_fn("wrapCreate", XPT_CLASS_ALLOC, XPT_KIND_VMM, handle_size),
		FEED_FN("wrapRelease", FREE, VMM, XPT_ROLE_HANDLE) };
	families[2] = (struct family){
		FEED_FN("cuMemAllocAsync", ALLOC, POOL, XPT_ROLE_ADDR, XPT_ROLE_SIZE,
			XPT_ROLE_STREAM),
		FEED_FN("cuMemFreeAsync", FREE, POOL, XPT_ROLE_ADDR, XPT_ROLE_STREAM),
		FEED_FN("cudaMallocAsync", ALLOC, POOL, XPT_ROLE_ADDR, XPT_ROLE_SIZE,
			XPT_ROLE_STREAM),
		FEED_FN("cudaFreeAsync", FREE, POOL, XPT_ROLE_ADDR, XPT_ROLE_STREAM) };
}

static uint64_t address_of(const struct thread *t)
{
	/* Memory that is not a handle shares one space: families do not share addresses. */
	return 0x1000 + t->family * 0x100 + t->addr;
}

static struct address *addr_of(struct model *m, const struct thread *t)
{
	return &m->addr[t->family][t->proc][t->addr];
}

static bool find_addr(struct model *m, struct thread *t, enum place place)
{
	unsigned from = (unsigned)rnd(NR_ADDRS);

	for (unsigned i = 0; i < NR_ADDRS; i++) {
		t->addr = (from + i) % NR_ADDRS;
		if (addr_of(m, t)->place == place)
			return true;
	}
	return false;
}

static void begin(struct model *m, struct thread *t)
{
	t->family = (unsigned)rnd(3);
	t->proc = (unsigned)(t - m->thread) % NR_PROCS;
	t->what = (enum what)(ALLOC + rnd(5) % 3);
	t->effect = false;
	t->nested = !rnd(3);
	t->start = m->now;
	t->bytes = (1 + rnd(64)) * 4096;
	if (t->what == BAD_FREE)
		t->addr = (unsigned)rnd(NR_ADDRS);
	if (t->what != FREE)
		return;
	if (!find_addr(m, t, OWNED)) {
		t->what = IDLE;
		return;
	}
	addr_of(m, t)->place = LEAVING;
	m->live[t->family] -= addr_of(m, t)->bytes;
}

/* What the driver does inside of the call. */
static void effect(struct model *m, struct thread *t)
{
	if (t->what == ALLOC && !find_addr(m, t, HERE)) {
		t->what = IDLE;		/* no room: as if it had not been called */
		return;
	}
	if (t->what == ALLOC)
		*addr_of(m, t) = (struct address){ TAKEN, t->bytes };
	else if (t->what == FREE)
		addr_of(m, t)->place = HERE;
	t->effect = true;
}

static void feed_one(struct feed *f, const struct thread *t, uint64_t end,
		     enum xpt_event_kind kind)
{
	const struct family *fam = &families[t->family];
	const struct xpt_fn *fn = t->what == ALLOC ? &fam->alloc : &fam->free;
	struct feed_call c = {
		.fn = fn, .proc = &procs[t->proc], .at = t->start + t->nested,
		.took = end - t->start - 2 * t->nested,
		.val = { address_of(t), t->what == ALLOC ? t->bytes : 0 },
		.ret = t->what == BAD_FREE ? ERR_ILLEGAL : ERR_OK,
		.flags = t->nested ? XPT_CALL_NESTED : 0, .depth = t->nested,
	};

	feed_call_as(f, kind, &c);
	if (!t->nested || kind != XPT_EV_CALL)
		return;
	c.fn = t->what == ALLOC ? &fam->outer_alloc : &fam->outer_free;
	c.at = t->start;
	c.took = end - t->start;
	c.flags = XPT_CALL_OUTER;
	c.depth = 0;
	feed_call_as(f, kind, &c);
}

static void end(struct model *m, struct thread *t, struct feed *f)
{
	struct address *a = addr_of(m, t);

	feed_one(f, t, m->now, XPT_EV_CALL);
	if (t->what == ALLOC) {
		a->place = OWNED;
		m->allocs[t->family]++;
		m->live[t->family] += a->bytes;
		if (m->live[t->family] > m->peak[t->family])
			m->peak[t->family] = m->live[t->family];
	} else if (t->what == FREE) {
		m->frees[t->family]++;
		m->overtaken += a->place == OWNED;
	}
	t->what = IDLE;
}

static void step(struct model *m, struct feed *f)
{
	struct thread *t = &m->thread[rnd(NR_THREADS)];

	/* Room for the inner call's begin and end, and no two events at one time. */
	m->now += 8 + rnd(100);
	if (t->what == IDLE)
		begin(m, t);
	else if (!t->effect)
		effect(m, t);
	else if (!rnd(4))	/* else it stays in the call while others go on */
		end(m, t, f);
}

/* Frees that are in flight when the trace ends have begun: their blocks are gone. */
static void finish(struct model *m, struct feed *f)
{
	for (unsigned i = 0; i < NR_THREADS; i++) {
		struct thread *t = &m->thread[i];

		/* Nobody can tell what one that has not returned will answer. */
		if (t->what == BAD_FREE)
			end(m, t, f);
		if (t->what != IDLE)
			feed_one(f, t, m->now + 10, XPT_EV_INFLIGHT);
		if (t->what == FREE)
			m->frees[t->family]++;
	}
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < NR_PROCS * NR_ADDRS; i++)
			m->left[k] += m->addr[k][i / NR_ADDRS][i % NR_ADDRS].place == OWNED;
	feed_end(f, m->now + 20, true);
}

static void play(struct model *m, struct feed *f, const struct xpt_analyzer *a, uint64_t round)
{
	memset(m, 0, sizeof(*m));
	seed = 88172645463325252ull + round;
	for (unsigned i = 0; i < 20; i++)
		rnd(2);
	for (uint32_t i = 0; i < NR_PROCS; i++)
		procs[i] = feed_proc(i + 1, "process");
	feed_begin(f, a);
	for (unsigned i = 0; i < STEPS; i++)
		step(m, f);
	finish(m, f);
}

static unsigned family_of(const char *kind)
{
	return !strcmp(kind, "device") ? 0 : !strcmp(kind, "vmm") ? 1 : 2;
}

static void test_reference_model(void **state)
{
	uint64_t overtaken = 0;
	struct model m;
	struct feed f;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		play(&m, &f, &xpt_analyzer_memory, round);
		assert_int_equal(feed_rows(&f, "memory"), 3);
		for (size_t i = 0; i < 3; i++) {
			unsigned k = family_of(feed_str(&f, "memory", i, "kind"));

			assert_int_equal(feed_u64(&f, "memory", i, "allocations"), m.allocs[k]);
			assert_int_equal(feed_u64(&f, "memory", i, "frees"), m.frees[k]);
			assert_int_equal(feed_u64(&f, "memory", i, "not_freed"), m.left[k]);
			assert_int_equal(feed_u64(&f, "memory", i, "not_freed_bytes"), m.live[k]);
			assert_int_equal(feed_u64(&f, "memory", i, "peak_bytes"), m.peak[k]);
		}
		assert_int_equal(feed_rows(&f, "memory_notes"), 0);	/* no unknown free */
		assert_int_equal(f.out.lost[XPT_LOSS_TABLE_EVICTED], 0);
		overtaken += m.overtaken;
		feed_free(&f);
	}
	assert_true(overtaken > ROUNDS);
}

static void test_by_process(void **state)
{
	struct model m;
	struct feed f;

	(void)state;
	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		uint64_t frees = 0, left = 0;

		play(&m, &f, &xpt_analyzer_memory_use, round);
		for (size_t i = 0; i < feed_rows(&f, "memory_processes"); i++) {
			frees += feed_u64(&f, "memory_processes", i, "frees");
			left += feed_u64(&f, "memory_processes", i, "not_freed");
		}
		assert_int_equal(frees, m.frees[0] + m.frees[1] + m.frees[2]);
		assert_int_equal(left, m.left[0] + m.left[1] + m.left[2]);
		feed_free(&f);
	}
}

/* The story of the defect: three threads, one address, a free that returns last. */
static void test_late_free(void **state)
{
	const struct xpt_fn *alloc = &families[0].alloc, *fr = &families[0].free;
	const struct xpt_proc *p = &procs[0];
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory);
	feed_call(&f, .fn = alloc, .proc = p, .at = 0, .took = 10, .val = { 64, 100 });
	/* A frees from 20 to 90; B has the address from 30 on, frees it; then C has it. */
	feed_call(&f, .fn = alloc, .proc = p, .at = 25, .took = 5, .val = { 64, 100 });
	feed_call(&f, .fn = fr, .proc = p, .at = 40, .took = 10, .val = { 64 });
	feed_call(&f, .fn = alloc, .proc = p, .at = 45, .took = 15, .val = { 64, 100 });
	feed_call(&f, .fn = fr, .proc = p, .at = 20, .took = 70, .val = { 64 });
	feed_end(&f, 200, true);
	assert_int_equal(feed_u64(&f, "memory", 0, "frees"), 2);
	assert_int_equal(feed_u64(&f, "memory", 0, "not_freed"), 1);
	assert_int_equal(feed_u64(&f, "memory", 0, "peak_bytes"), 100);
	assert_int_equal(feed_rows(&f, "memory_notes"), 0);
	feed_free(&f);
}

/* What waits is bounded; a free that comes after that is counted and said. */
static void test_bounds(void **state)
{
	const struct xpt_fn *alloc = &families[0].alloc, *fr = &families[0].free;
	const struct xpt_proc *p = &procs[0];
	uint64_t n = XPT_REUSED_MAX + 5;
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory);
	for (uint64_t i = 0; i <= n; i++)
		feed_call(&f, .fn = alloc, .proc = p, .at = 10 * i, .took = 5, .val = { 64, 100 });
	for (uint64_t i = 0; i < n; i++)
		feed_call(&f, .fn = fr, .proc = p, .at = 10 * i + 6, .took = SEC, .val = { 64 });
	feed_end(&f, 2 * SEC, true);
	assert_int_equal(feed_u64(&f, "memory", 0, "frees"), n);
	assert_int_equal(feed_u64(&f, "memory", 0, "not_freed"), 1);
	assert_int_equal(f.out.lost[XPT_LOSS_TABLE_EVICTED], 5);
	assert_true(feed_says(&f, "memory_notes", "5 frees returned more than 2 s after"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_free),
		cmocka_unit_test(test_reference_model),
		cmocka_unit_test(test_by_process),
		cmocka_unit_test(test_bounds),
	};

	make_families();
	for (uint32_t i = 0; i < NR_PROCS; i++)
		procs[i] = feed_proc(i + 1, "process");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
