/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* base/process/priority.h: only a session that is ours gets another nice value, and has its own again afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/process/priority.h"

enum { SAME = 99 };

/* The nice value of the session; SAME: the kernel has no such groups. */
static int nice_of_session(void)
{
	FILE *f = fopen("/proc/self/autogroup", "re");
	int nice = SAME;

	if (f && fscanf(f, "/autogroup-%*d nice %d", &nice) != 1)
		nice = SAME;
	if (f)
		fclose(f);
	return nice;
}

static int in_child(int (*fn)(void))
{
	int status, pid = fork();

	if (!pid)
		_exit(fn());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int raise_strangers(void)
{
	int before = nice_of_session();

	return xpt_priority__raise_session() || nice_of_session() != before;
}

static int raise_own(void)
{
	int before;

	setsid();
	before = nice_of_session();
	if (before == SAME)
		return xpt_priority__raise_session() ? 1 : 77;
	if (!xpt_priority__raise_session())
		return geteuid() ? 77 : 2;
	if (nice_of_session() != -20 || in_child(raise_strangers))
		return 3;
	xpt_priority__restore_session();
	return nice_of_session() == before ? 0 : 4;
}

/* A child is in its parent's session, and does not lead it. */
static void test_strangers(void **state)
{
	(void)state;
	assert_int_equal(in_child(raise_strangers), 0);
}

static void test_own(void **state)
{
	int result = in_child(raise_own);

	(void)state;
	if (result == 77)
		skip();
	assert_int_equal(result, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_strangers), cmocka_unit_test(test_own) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
