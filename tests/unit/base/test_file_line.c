/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* base/files/file_line.h: the first line of a file, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/files/file_line.h"

/* Asserts what a file with that text gives to a buffer of n bytes. */
static void assert_line(const char *text, size_t n, const char *want)
{
	char path[] = "/tmp/xpt_file_line_XXXXXX", buf[64] = "before";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(xpt_file_line__first(path, buf, n), *want != '\0');
	assert_string_equal(buf, want);
	unlink(path);
}

static void test_lines(void **state)
{
	(void)state;
	assert_line("550.54.15\n", 64, "550.54.15");
	assert_line("550.54.15", 64, "550.54.15");
	assert_line("one\ntwo\n", 64, "one");
	assert_line("\ntwo\n", 64, "");
	assert_line("", 64, "");
	assert_line("a longer one\n", 5, "a lo");
}

static void test_no_file(void **state)
{
	char buf[8] = "before";

	(void)state;
	assert_false(xpt_file_line__first("/nowhere/at/all", buf, sizeof(buf)));
	assert_string_equal(buf, "");
	assert_false(xpt_file_line__first("/", buf, sizeof(buf)));	/* a folder opens, and cannot be read */
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines), cmocka_unit_test(test_no_file) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
