/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* proc/remote/blocked.h: who waits for a processor is not taken for one who waits in the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/time.h"
#include "proc/remote/blocked.h"

#define MS 1000000ull

static struct xpt_blocked b;

static void look(uint64_t ms, uint64_t ran, uint64_t delayed, bool is_runnable)
{
	const struct xpt_blocked_look l = { ms * MS, ran * MS, delayed * MS, is_runnable };

	xpt_blocked__add(&b, &l);
}

static void test_starved(void **state)
{
	(void)state;
	b = (struct xpt_blocked){ 0 };
	look(50, 0, 0, true);		/* ready all the time, */
	look(400, 0, 0, true);
	assert_int_equal(b.blocked_ns, 0);
	look(450, 1, 399, false);	/* and it ran for a moment at last */
	assert_int_equal(b.blocked_ns, 0);
	look(500, 2, 448, false);
	assert_int_equal(b.blocked_ns, 0);
}

static void test_blocked(void **state)
{
	(void)state;
	b = (struct xpt_blocked){ 0 };
	look(50, 1, 9, false);
	assert_int_equal(b.blocked_ns, 40 * MS);
	look(350, 1, 9, false);
	assert_int_equal(b.blocked_ns, 340 * MS);
	look(400, 31, 19, false);	/* part of the time */
	assert_int_equal(b.blocked_ns, 350 * MS);
}

/* A kernel without these numbers: the state alone tells. */
static void test_without_numbers(void **state)
{
	(void)state;
	b = (struct xpt_blocked){ 0 };
	look(50, 0, 0, true);
	look(100, 0, 0, false);
	assert_int_equal(b.blocked_ns, 50 * MS);
}

/* Of real processes: one that waits in the kernel, and one that runs all the time. */
static void test_processes(void **state)
{
	struct xpt_blocked of_waiting, of_busy;
	int waiting, busy;

	(void)state;
	waiting = fork();
	if (!waiting)
		for (;;)
			pause();
	busy = fork();
	if (!busy)
		for (;;)
			;
	xpt_blocked__begin(&of_waiting, waiting);
	xpt_blocked__begin(&of_busy, busy);
	while (xpt_blocked__look(&of_waiting, waiting) < 100 * MS)
		usleep(1000);
	assert_true(xpt_blocked__look(&of_busy, busy) < 50 * MS);
	kill(waiting, SIGKILL);
	kill(busy, SIGKILL);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starved), cmocka_unit_test(test_blocked), cmocka_unit_test(test_without_numbers),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
