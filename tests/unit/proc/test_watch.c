/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: root
 * proc/mmap_events.c: a mapping is told once, records that found no room are counted with whose were before
 * them, and what came after the end is not told.
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/time.h"
#include "proc/mmap_events.h"

#define MANY 200000	/* records of some 100 bytes: no ring has room for them */

struct told {
	struct xpt_watch *again;	/* is read while a record is handed on; NULL: not */
	unsigned mapped, losses, of_us, nr_pids;
	uint64_t lost;
};

static void on_mapped(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct told *t = ctx;

	if (t->again)
		xpt_watch__read(t->again, UINT64_MAX);
	t->mapped += pid == getpid() && strstr(m->path, "test_watch");
}

static void on_lost(void *ctx, uint64_t n, const int *pid, unsigned nr_pids)
{
	struct told *t = ctx;
	unsigned i;

	t->lost += n;
	t->losses++;
	for (i = 0; i < nr_pids; i++)
		t->of_us += pid[i] == getpid();
	t->nr_pids += nr_pids;
}

static const struct xpt_watch_fns fns = { .mapped = on_mapped, .lost = on_lost };

static void map_us(unsigned n)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	unsigned i;
	void *p;

	assert_true(fd >= 0);
	for (i = 0; i < n; i++) {
		p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		assert_ptr_not_equal(p, MAP_FAILED);
		munmap(p, 4096);
	}
	close(fd);
}

static struct xpt_watch *begin(struct told *t)
{
	struct xpt_watch *w;

	memset(t, 0, sizeof(*t));
	if (xpt_watch__new(&fns, t, &w))
		skip();	/* perf events of all processes are for root */
	return w;
}

static void test_told(void **state)
{
	struct told t;
	struct xpt_watch *w = begin(&t);

	(void)state;
	map_us(3);
	xpt_watch__read(w, UINT64_MAX);
	assert_int_equal(t.mapped, 3);
	xpt_watch__free(w);
}

/* Who is told of a mapping reads files, and names calls meanwhile, which asks for more mappings. */
static void test_nested(void **state)
{
	struct told t;
	struct xpt_watch *w = begin(&t);

	(void)state;
	t.again = w;
	map_us(100);
	xpt_watch__read(w, UINT64_MAX);
	assert_int_equal(t.mapped, 100);
	xpt_watch__free(w);
}

/* Each CPU has a buffer of its own, and tells of its losses when something happens there again. */
static void stay_here(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static void test_lost(void **state)
{
	struct told t;
	struct xpt_watch *w = begin(&t);

	(void)state;
	stay_here();
	map_us(MANY);
	xpt_watch__read(w, UINT64_MAX);
	map_us(1);	/* the kernel tells of a loss before the next record that finds room */
	xpt_watch__read(w, UINT64_MAX);
	assert_true(t.losses > 0 && t.lost > 0 && t.nr_pids > 0);
	assert_true(t.mapped + t.lost >= MANY);
	assert_true(t.of_us * 2 > t.nr_pids);
	xpt_watch__free(w);
}

static void test_end(void **state)
{
	struct told t;
	struct xpt_watch *w = begin(&t);

	(void)state;
	map_us(1);
	xpt_watch__end(w, xpt_now_ns());
	map_us(5);
	xpt_watch__read(w, UINT64_MAX);
	assert_int_equal(t.mapped, 1);
	xpt_watch__free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
