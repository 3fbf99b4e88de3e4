/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * proc/remote/remote.h: what the child reads is what a direct look shows, and errors come through.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "proc/maps.h"
#include "proc/remote/remote.h"

static char text[64];

/* What is written or shared can be changed, what is nobody's file has nothing to be compared with. */
static void test_constant(void **state)
{
	static const char constant[3 * 4096] = "constant";
	static char copy[sizeof(constant)];
	char *anonymous, *shared;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	anonymous = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	shared = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(anonymous != MAP_FAILED && shared != MAP_FAILED);
	assert_true(xpt_remote__read_constant(getpid(), (uintptr_t)constant, copy, 9) == 9);
	assert_string_equal(copy, "constant");
	assert_int_equal(xpt_remote__read_constant(getpid(), (uintptr_t)constant, copy, sizeof(copy)), 4096);
	assert_memory_equal(copy, constant, 4096);
	assert_int_equal(xpt_remote__read_constant(getpid(), (uintptr_t)text, copy, 9), -EFAULT);
	assert_int_equal(xpt_remote__read_constant(getpid(), (uintptr_t)anonymous, copy, 9), -EFAULT);
	assert_int_equal(xpt_remote__read_constant(getpid(), (uintptr_t)shared, copy, 9), -EFAULT);
	assert_int_equal(xpt_remote__read_constant(getpid(), 8, copy, 9), -EFAULT);
	munmap(anonymous, page);
	munmap(shared, page);
	close(fd);
}

/* Not beyond the end of its mapping, though the next one goes on there. */
static void test_constant_ends(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char copy[64], *at = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, fd, 0);

	(void)state;
	assert_true(at != MAP_FAILED);
	assert_int_equal(mprotect(at + page, page, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(xpt_remote__read_constant(getpid(), (uintptr_t)at + page - 10, copy, sizeof(copy)), 10);
	assert_memory_equal(copy, at + page - 10, 10);
	munmap(at, 2 * page);
	close(fd);
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
	n = read_all(xpt_remote__proc(getpid(), "cmdline", XPT_REMOTE_TEXT), direct, sizeof(direct));
	assert_int_equal(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0, 1);
	assert_int_equal(stat(program, &a), 0);
	xpt_remote__distrust();
	xpt_remote__prepare();
	count_descriptors(&before);
	assert_int_equal(read_all(xpt_remote__proc(getpid(), "cmdline", XPT_REMOTE_TEXT), asked, sizeof(asked)), n);
	assert_memory_equal(direct, asked, n);
	assert_true(read_all(xpt_remote__proc(getpid(), "maps", XPT_REMOTE_TEXT), asked, sizeof(asked)) > 500);
	fd = xpt_remote__walk(getpid(), program);
	assert_int_equal(fstat(fd, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	close(fd);
	fd = xpt_remote__link(getpid(), "exe");
	assert_int_equal(fstat(fd, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	close(fd);
	assert_int_equal(xpt_remote__walk(getpid(), "/no/such/file"), -ENOENT);
	assert_int_equal(xpt_remote__proc(getpid(), "no such file", XPT_REMOTE_TEXT), -ENOENT);
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
	assert_int_equal(xpt_remote__proc(pid, "maps", XPT_REMOTE_TEXT), -ENOENT);
	assert_int_equal(xpt_maps__each(pid, NULL, NULL), -ESRCH);
	memset(name, '/', sizeof(name) - 1);
	assert_int_equal(xpt_remote__walk(getpid(), name), -ENAMETOOLONG);
	xpt_remote__close();
	assert_int_equal(xpt_remote__proc(pid, "maps", XPT_REMOTE_TEXT), -ENOENT);	/* another child */
	xpt_remote__close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_constant_ends),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
