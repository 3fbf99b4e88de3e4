/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: root
 * proc/subids.h: which user an id belongs to, by tables that only root may have written.
 */
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
#include "proc/subids.h"

static char root[] = "/tmp/xpt-subids-XXXXXX";

static void write_file(const char *name, const char *text, mode_t mode)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static const struct xpt_subids *read_ids(const char *text, mode_t mode)
{
	static struct xpt_subids s;

	s.nr = 0;
	write_file("etc/subuid", text, mode);
	xpt_subids__read(&s, root);
	return &s;
}

static void test_users(void **state)
{
	const struct xpt_subids *s;

	(void)state;
	s = read_ids("anna:100000:65536\nbert:165536:65536\n1002:300000:10\n", 0644);
	assert_int_equal(s->nr, 3);
	assert_int_equal(xpt_subids__user(s, 0), 0);
	assert_int_equal(xpt_subids__user(s, 99999), 99999);
	assert_int_equal(xpt_subids__user(s, 100000), 1000);
	assert_int_equal(xpt_subids__user(s, 165535), 1000);
	assert_int_equal(xpt_subids__user(s, 165536), 1001);
	assert_int_equal(xpt_subids__user(s, 231072), 231072);
	assert_int_equal(xpt_subids__user(s, 300009), 1002);
	assert_int_equal(xpt_subids__user(s, 300010), 300010);
	assert_int_equal(xpt_subids__user(s, UINT32_MAX), UINT32_MAX);
}

/* Root's ranges are those of containers. The range of a user who is not known is one user all the same. */
static void test_others(void **state)
{
	const struct xpt_subids *s;

	(void)state;
	s = read_ids("root:100000:65536\nnobody-knows:500000:100\nbert:600000:1\n", 0644);
	assert_int_equal(xpt_subids__user(s, 100001), 100001);
	assert_int_equal(xpt_subids__user(s, 500001), 500000);
	assert_int_equal(xpt_subids__user(s, 600000), 1001);
}

/* An id stays with the first user who has it. */
static void test_overlaps(void **state)
{
	const struct xpt_subids *s;

	(void)state;
	s = read_ids("anna:2000:10\nanna:2020:10\nbert:1995:100\n", 0644);
	assert_int_equal(xpt_subids__user(s, 1995), 1001);
	assert_int_equal(xpt_subids__user(s, 2000), 1000);
	assert_int_equal(xpt_subids__user(s, 2009), 1000);
	assert_int_equal(xpt_subids__user(s, 2010), 1001);
	assert_int_equal(xpt_subids__user(s, 2029), 1000);
	assert_int_equal(xpt_subids__user(s, 2094), 1001);
	assert_int_equal(s->nr, 5);
}

static void test_damaged(void **state)
{
	const struct xpt_subids *s;
	static char many[64 * 2000];
	size_t at = 0;

	(void)state;
	s = read_ids("anna\n:::\nanna:1:2:3\nanna:0:10\nanna:x:10\nanna:10:0\nanna:10:-1\nanna:4294967290:100\n\n"
		     "anna:4294967294:1\nbert:7000:1", 0644);
	assert_int_equal(s->nr, 2);
	assert_int_equal(xpt_subids__user(s, UINT32_MAX - 1), 1000);
	assert_int_equal(xpt_subids__user(s, 7000), 1001);
	for (unsigned i = 0; i < 2000; i++)
		at += (size_t)snprintf(many + at, sizeof(many) - at, "anna:%u:1\n", 10000 + 2 * i);
	s = read_ids(many, 0644);
	assert_int_equal(s->nr, XPT_SUBID_RANGES);
}

static void test_strangers_file(void **state)
{
	char path[128];

	(void)state;
	assert_int_equal(read_ids("anna:100000:1\n", 0664)->nr, 0);
	assert_int_equal(read_ids("anna:100000:1\n", 0646)->nr, 0);
	if (geteuid())
		skip();
	snprintf(path, sizeof(path), "%s/etc/subuid", root);
	assert_int_equal(chown(path, 1000, 0), 0);
	assert_int_equal(read_ids("anna:100000:1\n", 0644)->nr, 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(read_ids("anna:100000:1\n", 0644)->nr, 1);
}

/* Blocks cover each id of a range once, and no other one. */
static void test_blocks(void **state)
{
	static const uint32_t ranges[][2] = {
		{ 100000, 165535 }, { 1, 1 }, { 1, UINT32_MAX - 1 }, { 65536, 131071 }, { 7, 12 }, { 0, UINT32_MAX },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		uint64_t at = ranges[i][0];
		unsigned nr = 0;

		for (; at <= ranges[i][1]; nr++) {
			uint64_t size = 1ull << (32 - xpt_subids__bits((uint32_t)at, ranges[i][1]));

			assert_int_equal(at % size, 0);
			at += size;
		}
		assert_true(at == ranges[i][1] + 1ull);
		assert_true(nr <= 62);
	}
	assert_int_equal(xpt_subids__bits(65536, 131071), 16);
}

static int make_root(void **state)
{
	char path[64];

	(void)state;
	if (geteuid() || !mkdtemp(root))
		return 0;
	snprintf(path, sizeof(path), "%s/etc", root);
	if (mkdir(path, 0755))
		return -1;
	write_file("etc/passwd", "root:x:0:0::/:/bin/sh\nbert:x:1001:1001::/:/bin/sh\nanna:x:1000:1000::/:/bin/sh\n", 0644);
	return 0;
}

static int remove_root(void **state)
{
	static const char *const names[] = { "/etc/subuid", "/etc/passwd", "/etc", "" };
	char path[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s%s", root, names[i]);
		remove(path);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest as_root[] = {
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_strangers_file),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (!geteuid())		/* the tables must be root's */
		failed += cmocka_run_group_tests(as_root, make_root, remove_root);
	return failed;
}
