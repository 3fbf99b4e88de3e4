/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/traces.h: the default file, the link to the newest one, and what an end without calls leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "session/traces.h"

static int enter_folder(void **state)
{
	char dir[4096];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/traces.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static const char *link_target(void)
{
	static char to[256];
	ssize_t n = readlink(XPT_TRACES_LATEST, to, sizeof(to) - 1);

	to[n > 0 ? n : 0] = '\0';
	return to;
}

static void test_made_and_linked(void **state)
{
	static struct xpt_traces a, b;	/* they live as long as the process */
	char dropped[96];

	(void)state;
	assert_int_equal(xpt_traces__make(&a), 0);
	assert_true(a.made_dir && exists(a.file) && !exists(XPT_TRACES_LATEST));
	xpt_traces__link(&a);
	assert_string_equal(link_target(), strchr(a.file, '/') + 1);
	assert_int_equal(xpt_traces__make(&b), 0);	/* of the same second */
	assert_string_not_equal(a.file, b.file);
	xpt_traces__link(&b);
	assert_string_equal(link_target(), strchr(b.file, '/') + 1);
	snprintf(dropped, sizeof(dropped), "%s", b.file);
	xpt_traces__drop(&b);
	assert_true(exists(a.file) && !exists(dropped));
}

/* Nothing is left of a trace without calls, where nothing was before. */
static void test_dropped(void **state)
{
	static struct xpt_traces t;
	char file[96];

	(void)state;
	assert_int_equal(xpt_traces__make(&t), 0);
	snprintf(file, sizeof(file), "%s", t.file);
	xpt_traces__drop(&t);
	assert_string_equal(t.file, "");
	assert_false(exists(file));
	assert_false(exists("traces"));
}

/* What is no link belongs to somebody. */
static void test_own_latest_stays(void **state)
{
	static struct xpt_traces t;
	FILE *f;

	(void)state;
	assert_int_equal(xpt_traces__make(&t), 0);
	f = fopen(XPT_TRACES_LATEST, "w");
	assert_non_null(f);
	fclose(f);
	xpt_traces__link(&t);
	assert_true(t.link_failed && !t.linked);
	assert_string_equal(link_target(), "");
}

static void test_refused_folders(void **state)
{
	static struct xpt_traces t;

	(void)state;
	assert_int_equal(symlink(".", "traces"), 0);
	assert_true(xpt_traces__make(&t) < 0);
	assert_string_equal(t.file, "");
	assert_int_equal(unlink("traces"), 0);
	assert_int_equal(mkdir("traces", 0777), 0);
	assert_int_equal(chmod("traces", 0777), 0);	/* whatever the umask is */
	assert_true(xpt_traces__make(&t) < 0);
	assert_int_equal(rmdir("traces"), 0);	/* nothing was made in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_made_and_linked, enter_folder),
		cmocka_unit_test_setup(test_dropped, enter_folder),
		cmocka_unit_test_setup(test_own_latest_stays, enter_folder),
		cmocka_unit_test_setup(test_refused_folders, enter_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
