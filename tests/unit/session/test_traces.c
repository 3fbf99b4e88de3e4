/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/traces.h: the two default files, the links to the newest ones, and what an end without calls leaves. */
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

static const char *link_target(unsigned which)
{
	static char to[256];
	ssize_t n = readlink(xpt_traces_latest[which], to, sizeof(to) - 1);

	to[n > 0 ? n : 0] = '\0';
	return to;
}

static void assert_links_lead_to(const struct xpt_traces *t)
{
	for (unsigned i = 0; i < XPT_TRACES_FILES; i++)
		assert_string_equal(link_target(i), strchr(t->file[i].path, '/') + 1);
}

static void test_made_and_linked(void **state)
{
	static struct xpt_traces a, b;	/* they live as long as the process */
	const char *lines, *recording;
	char dropped[96];

	(void)state;
	assert_int_equal(xpt_traces__make(&a), 0);
	assert_true(a.made_dir && exists(a.file[XPT_TRACES_RECORDING].path) && exists(a.file[XPT_TRACES_LINES].path));
	assert_false(exists(xpt_traces_latest[XPT_TRACES_RECORDING]) || exists(xpt_traces_latest[XPT_TRACES_LINES]));
	xpt_traces__link(&a);
	assert_links_lead_to(&a);
	assert_int_equal(xpt_traces__make(&b), 0);	/* of the same second */
	assert_string_not_equal(a.file[0].path, b.file[0].path);
	xpt_traces__link(&b);
	assert_links_lead_to(&b);
	lines = b.file[XPT_TRACES_LINES].path;
	recording = b.file[XPT_TRACES_RECORDING].path;
	assert_memory_equal(lines, recording, strlen(recording) - strlen("xtr"));
	snprintf(dropped, sizeof(dropped), "%s", lines);
	xpt_traces__drop(&b);
	assert_true(exists(a.file[0].path) && exists(a.file[1].path) && !exists(dropped));
}

/* The two have one name: where the lines cannot have it, the recording does not take it. */
static void test_names_are_of_both(void **state)
{
	static struct xpt_traces a, b;

	(void)state;
	assert_int_equal(xpt_traces__make(&a), 0);
	assert_int_equal(unlink(a.file[XPT_TRACES_RECORDING].path), 0);
	assert_int_equal(xpt_traces__make(&b), 0);
	assert_string_not_equal(a.file[XPT_TRACES_RECORDING].path, b.file[XPT_TRACES_RECORDING].path);
	assert_false(exists(a.file[XPT_TRACES_RECORDING].path));
	assert_true(exists(b.file[0].path) && exists(b.file[1].path));
}

/* Nothing is left of a trace without calls, where nothing was before. */
static void test_dropped(void **state)
{
	static struct xpt_traces t;

	(void)state;
	assert_int_equal(xpt_traces__make(&t), 0);
	xpt_traces__drop(&t);
	assert_string_equal(t.file[0].path, "");
	assert_string_equal(t.file[1].path, "");
	assert_false(exists("traces"));
}

/* What is no link belongs to somebody; the other link still leads to this trace. */
static void test_own_latest_stays(void **state)
{
	static struct xpt_traces t;
	FILE *f;

	(void)state;
	assert_int_equal(xpt_traces__make(&t), 0);
	f = fopen(xpt_traces_latest[XPT_TRACES_RECORDING], "w");
	assert_non_null(f);
	fclose(f);
	xpt_traces__link(&t);
	assert_false(t.file[XPT_TRACES_RECORDING].linked);
	assert_string_equal(link_target(XPT_TRACES_RECORDING), "");
	assert_true(t.file[XPT_TRACES_LINES].linked);
	assert_string_equal(link_target(XPT_TRACES_LINES), strchr(t.file[XPT_TRACES_LINES].path, '/') + 1);
}

/* In a folder like /tmp, a link of another user: whoever is root could replace it, and does not. */
static void test_link_of_another_user_stays(void **state)
{
	static struct xpt_traces t;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(mkdir("traces", 0777), 0);
	assert_int_equal(chmod("traces", 01777), 0);
	assert_int_equal(symlink("/nowhere", xpt_traces_latest[XPT_TRACES_LINES]), 0);
	assert_int_equal(lchown(xpt_traces_latest[XPT_TRACES_LINES], 65534, 65534), 0);
	assert_int_equal(xpt_traces__make(&t), 0);
	xpt_traces__link(&t);
	assert_string_equal(link_target(XPT_TRACES_LINES), "/nowhere");
	assert_true(t.file[XPT_TRACES_RECORDING].linked);
}

/* Names that a link may have before it is renamed may be taken, by another user where many write: they stay. */
static void test_first_names_are_taken(void **state)
{
	static const char *const forms[] = { "traces/.latest.%d", "traces/.latest.%d.0" };
	static struct xpt_traces t;
	char first[2][64];

	(void)state;
	assert_int_equal(mkdir("traces", 0755), 0);
	for (int i = 0; i < 2; i++) {
		snprintf(first[i], sizeof(first[i]), forms[i], (int)getpid());
		assert_int_equal(symlink("/nowhere", first[i]), 0);
	}
	assert_int_equal(xpt_traces__make(&t), 0);
	xpt_traces__link(&t);
	assert_links_lead_to(&t);
	assert_true(exists(first[0]) && exists(first[1]));
}

static void test_refused_folders(void **state)
{
	static struct xpt_traces t;

	(void)state;
	assert_int_equal(symlink(".", "traces"), 0);
	assert_true(xpt_traces__make(&t) < 0);
	assert_string_equal(t.file[0].path, "");
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
		cmocka_unit_test_setup(test_names_are_of_both, enter_folder),
		cmocka_unit_test_setup(test_dropped, enter_folder),
		cmocka_unit_test_setup(test_own_latest_stays, enter_folder),
		cmocka_unit_test_setup(test_link_of_another_user_stays, enter_folder),
		cmocka_unit_test_setup(test_first_names_are_taken, enter_folder),
		cmocka_unit_test_setup(test_refused_folders, enter_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
