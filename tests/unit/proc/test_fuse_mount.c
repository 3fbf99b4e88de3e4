/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* proc/remote/fuse_mount.h: who has mounted a FUSE file system, by lines as the kernel writes them. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "proc/remote/fuse_mount.h"

static const char text[] =
	"21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
	"40 21 0:50 / /mnt/squash rw,nosuid - fuse.squashfuse squashfuse ro,user_id=0,group_id=0,allow_other\n"
	"41 21 0:51 / /home/u/m rw,nosuid,nodev shared:9 master:2 - fuse.sshfs u@h:/ rw,user_id=1000,group_id=1000,allow_other\n"
	/* Names in which somebody has written what an option looks like. */
	"42 21 0:52 / /home/u/a\\040-\\040fuse\\040x\\040rw,user_id=0,x rw - fuse.x x rw,user_id=1000,group_id=0\n"
	"43 21 0:53 / /home/u/b rw - fuse.x,user_id=0, a,user_id=0,b rw,user_id=1000,group_id=0\n"
	"44 21 0:54 / /home/u/c rw - fuse.x x rw,user_id=01,group_id=0\n"
	"45 21 0:55 / /home/u/d rw - ext4 x rw,user_id=0,group_id=0\n"
	"46 21 0:56 / /cut rw - fuse\n"
	"410 21 0:57 / /other rw - fuse.x x rw,user_id=0,group_id=0\n";

static char path[] = "/tmp/xpt-mountinfo-XXXXXX";

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0 || write(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
		return -1;
	return close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void test_lines(void **state)
{
	static const struct {
		int mount;
		bool of_root;
	} cases[] = {
		{ 21, false }, { 40, true }, { 41, false }, { 42, false }, { 43, false }, { 44, false }, { 45, false },
		{ 46, false }, { 410, true }, { 4, false }, { 99, false }, { -1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(xpt_fuse_mount__is_of_root_in(path, cases[i].mount), cases[i].of_root);
	assert_false(xpt_fuse_mount__is_of_root_in("/no/such/file", 40));
}

/* A descriptor of no FUSE file system, and none at all. */
static void test_descriptor(void **state)
{
	(void)state;
	assert_false(xpt_fuse_mount__is_of_root(STDIN_FILENO));
	assert_false(xpt_fuse_mount__is_of_root(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines), cmocka_unit_test(test_descriptor) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
