/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/replace.h: a file that takes another's place has its owner and mode and is
 * found by the same links; nothing is left of one that could not be written.
 */
#include <dirent.h>
#include <errno.h>
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
#include "base/replace.h"

static char dir[] = "/tmp/replace.XXXXXX", file[64], link_to[64];

static int say(void *ctx, FILE *f)
{
	return fputs(ctx, f) < 0 ? -EIO : 0;
}

static int give_up(void *ctx, FILE *f)
{
	(void)ctx;
	fputs("half", f);
	return -EDOM;
}

static void is_text(const char *path, const char *want)
{
	char buf[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fgets(buf, sizeof(buf), f) || !*want);
	fclose(f);
	assert_string_equal(buf, want);
}

static unsigned files_there(void)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void test_owner_and_mode(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(xpt_replace_file(file, say, "first"), 0);
	assert_int_equal(chmod(file, 0640), 0);
	if (!geteuid())
		assert_int_equal(chown(file, 1234, 567), 0);
	assert_int_equal(xpt_replace_file_locked(file, say, "second"), 0);
	is_text(file, "second");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_uid, geteuid() ? geteuid() : 1234);
	if (!geteuid())
		assert_int_equal(st.st_gid, 567);
	assert_int_equal(files_there(), 1);
}

static void test_link(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(symlink(file, link_to), 0);
	assert_int_equal(xpt_replace_file(link_to, say, "third"), 0);
	assert_int_equal(lstat(link_to, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	is_text(file, "third");
	assert_int_equal(xpt_replace_file(link_to, give_up, NULL), -EDOM);
	is_text(file, "third");
	assert_int_equal(files_there(), 2);
}

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/file", dir);
	snprintf(link_to, sizeof(link_to), "%s/link", dir);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	unlink(link_to);
	unlink(file);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner_and_mode), cmocka_unit_test(test_link),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
