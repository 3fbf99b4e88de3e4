/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * proc/remote.h: what the child reads is what a direct look shows, and errors come through.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "proc/maps.h"
#include "proc/remote.h"

static char text[3 * 4096 + 100];

static void test_memory(void **state)
{
	static char copy[sizeof(text)];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 + i / 4096);
	assert_int_equal(xpt_remote__read(getpid(), (uintptr_t)text, copy, sizeof(copy)), sizeof(copy));
	assert_memory_equal(copy, text, sizeof(copy));
	assert_int_equal(xpt_remote__read(getpid(), 8, copy, 8), -EFAULT);
}

static void count_descriptors(int *ret_n)
{
	int fd;

	for (*ret_n = fd = 0; fd < 256; fd++)
		*ret_n += fcntl(fd, F_GETFD) >= 0;
}

static size_t read_all(int fd, char *buf, size_t n)
{
	size_t done = 0;
	ssize_t got;

	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	while (done < n && (got = read(fd, buf + done, n - done)) > 0)
		done += (size_t)got;
	close(fd);
	return done;
}

/* Both ways give the same, and leave no descriptor. */
static void test_files(void **state)
{
	static char direct[1 << 16], asked[1 << 16];
	char program[4096] = "";
	struct stat a, b;
	size_t n;
	int before, after, fd;

	(void)state;
	n = read_all(xpt_remote__proc(getpid(), "cmdline"), direct, sizeof(direct));
	assert_int_equal(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0, 1);
	assert_int_equal(stat(program, &a), 0);
	xpt_remote__distrust();
	xpt_remote__prepare();
	count_descriptors(&before);
	assert_int_equal(read_all(xpt_remote__proc(getpid(), "cmdline"), asked, sizeof(asked)), n);
	assert_memory_equal(direct, asked, n);
	assert_true(read_all(xpt_remote__proc(getpid(), "maps"), asked, sizeof(asked)) > 500);
	fd = xpt_remote__walk(getpid(), program);
	assert_int_equal(fstat(fd, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	close(fd);
	fd = xpt_remote__link(getpid(), "exe");
	assert_int_equal(fstat(fd, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	close(fd);
	assert_int_equal(xpt_remote__walk(getpid(), "/no/such/file"), -ENOENT);
	assert_int_equal(xpt_remote__proc(getpid(), "no such file"), -ENOENT);
	count_descriptors(&after);
	assert_int_equal(before, after);
}

/* Who is gone has no files, and a name that fits nowhere is refused. */
static void test_errors(void **state)
{
	static char name[8192];
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(xpt_remote__proc(pid, "maps"), -ENOENT);
	assert_int_equal(xpt_maps__each(pid, NULL, NULL), -ESRCH);
	memset(name, '/', sizeof(name) - 1);
	assert_int_equal(xpt_remote__walk(getpid(), name), -ENAMETOOLONG);
	xpt_remote__close();
	assert_int_equal(xpt_remote__proc(pid, "maps"), -ENOENT);	/* another child */
	xpt_remote__close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
