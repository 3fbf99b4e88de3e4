/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/output_file.h: output files keep what they hold until they are cut, and only what was created is removed. */
#include <fcntl.h>
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
#include "session/output_file.h"

static const char *text_of(const char *path)
{
	static char buf[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n < 0 ? NULL : buf;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int enter_folder(void **state)
{
	char dir[4096];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/file.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static void test_keeps_until_cut(void **state)
{
	struct xpt_file f;

	(void)state;
	put("old", "old text");
	assert_int_equal(xpt_file__open("old", &f), 0);
	assert_false(f.created);
	assert_string_equal(text_of("old"), "old text");
	assert_int_equal(xpt_file__cut(&f, 3), 0);
	assert_string_equal(text_of("old"), "old");
	xpt_file__remove(&f);	/* it was there before */
	assert_string_equal(text_of("old"), "old");
	close(f.fd);
}

static void test_removes_what_was_created(void **state)
{
	struct xpt_file f;
	struct stat st;

	(void)state;
	umask(022);
	assert_int_equal(xpt_file__open("new", &f), 0);
	assert_true(f.created);
	assert_int_equal(stat("new", &st), 0);
	assert_int_equal(st.st_mode & 0777, geteuid() ? 0644 : 0600);	/* root's traces are not for everybody */
	xpt_file__remove(&f);
	assert_int_not_equal(stat("new", &st), 0);
	close(f.fd);
}

/* Another file has the name by now: it is somebody else's. */
static void test_leaves_what_took_its_place(void **state)
{
	struct xpt_file f;

	(void)state;
	assert_int_equal(xpt_file__open("place", &f), 0);
	put("other", "other");
	assert_int_equal(rename("other", "place"), 0);
	xpt_file__remove(&f);
	assert_string_equal(text_of("place"), "other");
	close(f.fd);
}

static void test_same(void **state)
{
	struct xpt_file a, b, c;

	(void)state;
	put("a", "");
	put("c", "");
	assert_int_equal(link("a", "b"), 0);
	assert_int_equal(xpt_file__open("a", &a), 0);
	assert_int_equal(xpt_file__open("c", &c), 0);
	assert_false(xpt_file__same(&a, &c));
	assert_int_equal(xpt_file__open("./a", &b), 0);
	assert_true(xpt_file__same(&a, &b));
	close(a.fd);
	close(b.fd);
	close(c.fd);
}

static void test_cuts_to_a_whole_line(void **state)
{
	struct xpt_file f;

	(void)state;
	put("lines", "one\ntwo\nhal");
	assert_int_equal(xpt_file__open("lines", &f), 0);
	xpt_file__cut_to_line(&f);
	assert_string_equal(text_of("lines"), "one\ntwo\n");
	xpt_file__cut_to_line(&f);
	assert_string_equal(text_of("lines"), "one\ntwo\n");
	close(f.fd);
}

static void test_lent(void **state)
{
	struct xpt_file f;
	int fd = open("lent", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_true(fd >= 0);
	xpt_file__lend("no/such/folder/file", fd);
	assert_int_equal(xpt_file__open("no/such/folder/file", &f), 0);
	assert_int_equal(write(f.fd, "x", 1), 1);
	close(f.fd);
	xpt_file__lend(NULL, -1);
	assert_string_equal(text_of("lent"), "x");
	assert_true(xpt_file__open("no/such/folder/file", &f) < 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_until_cut), cmocka_unit_test(test_removes_what_was_created),
		cmocka_unit_test(test_leaves_what_took_its_place), cmocka_unit_test(test_same),
		cmocka_unit_test(test_cuts_to_a_whole_line), cmocka_unit_test(test_lent),
	};

	return cmocka_run_group_tests(tests, enter_folder, NULL);
}
