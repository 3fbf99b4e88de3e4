/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/log.h: what reaches stderr, byte for byte. stderr is a temporary file
 * while a test runs.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/log.h"

static int saved_stderr, log_fd;
static char text[16384];

static int divert(void **state)
{
	FILE *f = tmpfile();

	(void)state;
	if (!f)
		return -1;
	log_fd = dup(fileno(f));
	fclose(f);
	saved_stderr = dup(2);
	xpt_log__set_level(XPT_LOG_INFO);
	return log_fd < 0 || saved_stderr < 0 || dup2(log_fd, 2) < 0 ? -1 : 0;
}

static int restore(void **state)
{
	(void)state;
	dup2(saved_stderr, 2);
	close(saved_stderr);
	close(log_fd);
	return 0;
}

static const char *logged(void)
{
	ssize_t n = pread(log_fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static void test_err_returns_status(void **state)
{
	(void)state;
	errno = EBUSY;
	assert_int_equal(xpt_err(-ENOENT, "no symbol '%s'", "f"), -ENOENT);
	assert_int_equal(errno, EBUSY);
	assert_string_equal(logged(), "xputrace: no symbol 'f'\n");
}

static void test_levels(void **state)
{
	(void)state;
	xpt_debug("hidden");
	xpt_info("i%d", 1);
	xpt_log__set_level(XPT_LOG_ERR);
	assert_int_equal(xpt_log__level(), XPT_LOG_ERR);
	xpt_warn("hidden");
	assert_int_equal(xpt_err(-EIO, "e"), -EIO);
	xpt_log__set_level(XPT_LOG_DEBUG);
	xpt_debug("d");
	xpt_warn("w");
	assert_string_equal(logged(), "xputrace: i1\nxputrace: e\nxputrace: d\nxputrace: w\n");
}

static void test_control_characters(void **state)
{
	(void)state;
	xpt_warn("a\x1b[31mb\x7f\tc\nd \xc3\xa9");
	/* A line end in a name must not begin a line that looks like ours. */
	xpt_warn("%s", "n\nxputrace: all is well\xe2\x80\xae\xc2\x9b\xff");
	assert_string_equal(logged(), "xputrace: a?[31mb?\tc\nd \xc3\xa9\n"
			    "xputrace: n?xputrace: all is well???\n");
}

static void test_long_message(void **state)
{
	static char name[10000];
	size_t len;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	assert_int_equal(xpt_err(-EINVAL, "%s", name), -EINVAL);
	len = strlen(logged());
	assert_true(len > 1000 && len < sizeof(name));
	assert_int_equal(text[len - 1], '\n');
	assert_int_equal(text[len - 2], 'n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_err_returns_status, divert, restore),
		cmocka_unit_test_setup_teardown(test_levels, divert, restore),
		cmocka_unit_test_setup_teardown(test_control_characters, divert, restore),
		cmocka_unit_test_setup_teardown(test_long_message, divert, restore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
