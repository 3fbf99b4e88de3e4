/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine/maps.c: what /proc tells of a process. Its start tells two processes of
 * one id apart, so it must not change while the process lives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/time.h"
#include "engine/maps.h"

#define TICKS_NS 20000000ull	/* /proc counts in hundredths of a second */

static void test_start(void **state)
{
	uint64_t before = xpt_clock_ns(CLOCK_BOOTTIME), after;
	struct xpt_procinfo info, again;
	int go[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char c;

		close(go[1]);
		_exit(read(go[0], &c, 1) ? 1 : 0);
	}
	after = xpt_clock_ns(CLOCK_BOOTTIME);
	assert_int_equal(xpt_proc__read(pid, &info), 0);
	assert_int_equal(xpt_proc__read(pid, &again), 0);
	close(go[0]);
	close(go[1]);
	waitpid(pid, NULL, 0);
	assert_int_equal(info.ppid, getpid());
	assert_int_equal(info.uid, getuid());
	assert_true(info.start_ns + TICKS_NS >= before && info.start_ns <= after);
	assert_int_equal(info.start_ns, again.start_ns);
}

/* More memory is no other process. */
static void test_start_stays(void **state)
{
	static struct xpt_procinfo info, again;
	void *much;

	(void)state;
	assert_int_equal(xpt_proc__read(getpid(), &info), 0);
	much = malloc(64u << 20);
	assert_non_null(much);
	assert_int_equal(xpt_proc__read(getpid(), &again), 0);
	free(much);
	assert_int_equal(info.start_ns, again.start_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_start_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
