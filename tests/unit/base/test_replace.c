/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/files/replace.h: a file that takes another's place has its owner and mode and is
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
#include "base/files/chase.h"
#include "base/files/replace.h"

static char dir[] = "/tmp/replace.XXXXXX", file[64], link_to[64];

static int say(void *ctx, FILE *f)
{
	return fputs(ctx, f) < 0 ? -EIO : 0;
}

static int say_again(void *ctx, int old, FILE *f)
{
	(void)old;
	return say(ctx, f);
}

/* What the owner of the folder does meanwhile, then the edit: the old text, and a "+". */
static int edit(void *ctx, int old, FILE *f)
{
	void (*meanwhile)(void) = ctx;
	char buf[64];
	ssize_t n;

	meanwhile();
	n = read(old, buf, sizeof(buf));
	return n >= 0 && fprintf(f, "%.*s+", (int)n, buf) > 0 ? 0 : -EIO;
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
	assert_int_equal(xpt_replace_file_locked(file, 0, say_again, "second"), 0);
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

static char secret[64];

static void exchange(void)
{
	unlink(file);
	if (symlink(secret, file))
		fail();
}

static void no_change(void)
{
}

/* A stranger's folder: what is read is what was locked, whatever lies there meanwhile and whoever that belongs to. */
static void test_exchanged(void **state)
{
	struct stat st;

	(void)state;
	snprintf(secret, sizeof(secret), "%s/secret", dir);
	assert_int_equal(xpt_replace_file(secret, say, "secret"), 0);
	assert_int_equal(chmod(secret, 0600), 0);
	unlink(file);
	assert_int_equal(xpt_replace_file(file, say, "own"), 0);
	if (!geteuid()) {
		assert_int_equal(chown(dir, 1234, 567), 0);
		assert_int_equal(chown(file, 1234, 567), 0);
	}
	assert_int_equal(xpt_replace_file_locked(file, 0, edit, exchange), 0);
	is_text(file, "own+");
	assert_int_equal(lstat(file, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	/* A second name of a file of ours is not taken for the stranger's. */
	unlink(file);
	if (!geteuid()) {
		assert_int_equal(link(secret, file), 0);
		assert_int_equal(xpt_replace_file_locked(file, 0, edit, no_change), -XPT_EUNSAFE);
		is_text(secret, "secret");
		unlink(file);
		assert_int_equal(chown(dir, 0, 0), 0);
	}
	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(xpt_replace_file_locked(file, 0, edit, no_change), -EINVAL);
	rmdir(file);
	unlink(secret);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_mode & 0777;
}

/* Folders on the way, by descriptors: not where a stranger's link leads to. */
static void test_folders(void **state)
{
	mode_t mask = umask(022);
	char path[128], to[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/a/b/c/file", dir);
	assert_int_equal(xpt_chase__make_folders(path), 0);
	assert_int_equal(xpt_chase__make_folders(path), 0);
	path[strlen(path) - strlen("/file")] = '\0';
	assert_int_equal(mode_of(path), 0700);
	rmdir(path);
	path[strlen(path) - strlen("/c")] = '\0';
	assert_int_equal(mode_of(path), 0755);
	rmdir(path);
	path[strlen(path) - strlen("/b")] = '\0';
	snprintf(to, sizeof(to), "%s/l", dir);
	assert_int_equal(symlink(path, to), 0);
	snprintf(path, sizeof(path), "%s/l/d/file", dir);
	if (!geteuid()) {
		assert_int_equal(lchown(to, 1234, 567), 0);
		assert_int_equal(xpt_chase__make_folders(path), -XPT_EUNSAFE);
		assert_int_equal(lchown(to, 0, 0), 0);
	}
	assert_int_equal(xpt_chase__make_folders(path), 0);
	path[strlen(path) - strlen("/file")] = '\0';
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/a", dir);
	assert_int_equal(rmdir(path), 0);
	unlink(to);
	umask(mask);
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
		cmocka_unit_test(test_exchanged), cmocka_unit_test(test_folders),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
