/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: root user_namespace
 * base/files/regular.h: what is opened when strangers choose the names, and that nothing of ours is
 * reached from the root of a process by links.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/files/regular.h"
#include "proc/maps.h"

static char top[64];	/* the folder of this test, absolute */

static const char *in_top(const char *name)
{
	static char path[8][256];
	static unsigned next;
	char *p = path[next++ % 8];

	snprintf(p, sizeof(path[0]), "%s/%s", top, name);
	return p;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* The text of the file that was opened; "" with the error in *ret_err. */
static const char *text_of(int fd, int *ret_err)
{
	static char text[64];
	ssize_t n = 0;

	memset(text, 0, sizeof(text));
	*ret_err = fd < 0 ? fd : 0;
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	assert_true(n >= 0);
	return text;
}

static int make_tree(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/xpt-regular-XXXXXX");
	if (!mkdtemp(top) || chmod(top, 0755) || mkdir(in_top("root"), 0755) || mkdir(in_top("root/lib"), 0755))
		return -1;
	write_file(in_top("outside"), "outside");
	write_file(in_top("root/lib/real"), "inside");
	if (mkfifo(in_top("fifo"), 0644) || symlink(in_top("outside"), in_top("link")) ||
	    symlink(in_top("outside"), in_top("root/absolute")) ||
	    symlink("../../../../../../../../outside", in_top("root/lib/up")) ||
	    symlink("/lib/real", in_top("root/its_own")) || symlink("/proc/self/exe", in_top("root/magic")))
		return -1;
	return 0;
}

static int drop_tree(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static void test_kinds(void **state)
{
	int err;

	(void)state;
	assert_string_equal(text_of(xpt_regular__open(in_top("outside"), NULL), &err), "outside");
	assert_string_equal(text_of(xpt_regular__open(in_top("link"), NULL), &err), "outside");
	assert_int_equal(xpt_regular__open(in_top("nothing"), NULL), -ENOENT);
	assert_int_equal(xpt_regular__open(in_top("fifo"), NULL), -ENOEXEC);
	assert_int_equal(xpt_regular__open(top, NULL), -ENOEXEC);
	assert_int_equal(xpt_regular__open("/dev/null", NULL), -ENOEXEC);
	/* A regular file, but made up: reading some of them does things. */
	assert_int_equal(xpt_regular__open("/proc/self/status", NULL), -ENOEXEC);
	assert_int_equal(xpt_regular__open("/sys/kernel/uevent_seqnum", NULL), -ENOEXEC);
	/* Links of /proc lead to files, which are fine. */
	assert_true(xpt_regular__open("/proc/self/exe", NULL) >= 0);
}

static void test_identity(void **state)
{
	struct xpt_file_id id;
	struct stat st;
	int err;

	(void)state;
	assert_int_equal(stat(in_top("outside"), &st), 0);
	id = (struct xpt_file_id){ st.st_dev, st.st_ino };
	assert_string_equal(text_of(xpt_regular__open(in_top("outside"), &id), &err), "outside");
	id.ino++;
	assert_int_equal(xpt_regular__open(in_top("outside"), &id), -ESTALE);
	id.ino = 0;
	assert_string_equal(text_of(xpt_regular__open(in_top("outside"), &id), &err), "outside");
}

/* A child whose root is the folder, or -1 where that is not allowed. */
static pid_t start_jailed(void)
{
	int ready[2];
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (geteuid() && unshare(CLONE_NEWUSER))
			_exit(1);
		if (chroot(in_top("root")) || chdir("/") || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static void check_jail(pid_t pid)
{
	char path[128];
	int err;

	assert_string_equal(text_of(xpt_regular__open_of(pid, "/lib/real", NULL), &err), "inside");
	assert_string_equal(text_of(xpt_regular__open_of(pid, "/its_own", NULL), &err), "inside");
	assert_string_equal(text_of(xpt_regular__open_of(pid, "/absolute", NULL), &err), "");
	assert_int_equal(err, -ENOENT);
	assert_string_equal(text_of(xpt_regular__open_of(pid, "/lib/up", NULL), &err), "");
	assert_int_equal(err, -ENOENT);
	assert_string_equal(text_of(xpt_regular__open_of(pid, "/../../../outside", NULL), &err), "");
	assert_int_equal(err, -ENOENT);
	/* The same written as one path, as root and name are joined elsewhere. */
	snprintf(path, sizeof(path), "/proc/%d/root/its_own", pid);
	assert_string_equal(text_of(xpt_regular__open(path, NULL), &err), "inside");
	snprintf(path, sizeof(path), "/proc/%d/root/absolute", pid);
	assert_int_equal(xpt_regular__open(path, NULL), -ENOENT);
}

static void test_root_of_process(void **state)
{
	pid_t pid = start_jailed();

	(void)state;
	if (pid < 0)
		skip();
	check_jail(pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(xpt_regular__open_of(pid, "/lib/real", NULL) < 0);
}

/* Without another root: links of /proc are never followed for a process. */
static void test_magic(void **state)
{
	(void)state;
	assert_int_equal(xpt_regular__open_of(getpid(), in_top("root/magic"), NULL), -ELOOP);
	assert_int_equal(xpt_regular__open_of(getpid(), in_top("fifo"), NULL), -ENOEXEC);
}

/* A mapping that is gone, so that only its name is left. */
static void test_mapping_by_name(void **state)
{
	struct xpt_mapping m = { .start = 0x1000, .end = 0x2000, .path = in_top("outside") };
	struct stat st;
	int err;

	(void)state;
	assert_int_equal(stat(in_top("outside"), &st), 0);
	m.dev = st.st_dev;
	m.ino = st.st_ino;
	assert_string_equal(text_of(xpt_maps__open(getpid(), &m), &err), "outside");
	m.ino++;
	assert_int_equal(xpt_maps__open(getpid(), &m), -ESTALE);
	/* Another file is not the mapping's, whatever kind it is; only then its own kind counts. */
	m.ino = st.st_ino;
	m.path = in_top("fifo");
	assert_int_equal(xpt_maps__open(getpid(), &m), -ESTALE);
	assert_int_equal(stat(in_top("fifo"), &st), 0);
	m.ino = st.st_ino;
	assert_int_equal(xpt_maps__open(getpid(), &m), -ENOEXEC);
}

static int find_code(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct xpt_mapping *ret = ctx;

	(void)pid;
	if (!strstr(m->path, "libc.so"))
		return 0;
	*ret = *m;
	ret->path = "";
	return 1;
}

/* The device is read, too: hexadecimal, major and minor. */
static void test_device(void **state)
{
	struct xpt_mapping m = { 0 };
	struct stat st;
	int fd;

	(void)state;
	if (xpt_maps__each(getpid(), find_code, &m) != 1)
		skip();
	assert_true(m.dev && m.ino);
	fd = xpt_maps__open(getpid(), &m);
	if (fd < 0)
		skip();	/* map_files is root's */
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_ino, m.ino);
	close(fd);
}

static int walks, links, refuse;

static int count_walk(int pid, const char *path)
{
	walks++;
	assert_int_equal(pid, getpid());
	return open(path, O_PATH | O_CLOEXEC);
}

static int count_link(int pid, const char *name)
{
	links++;
	assert_int_equal(pid, getpid());
	assert_string_equal(name, "exe");
	return open("/proc/self/exe", O_PATH | O_CLOEXEC);
}

static int check_file(void *ctx, int fd)
{
	char c;

	assert_ptr_equal(ctx, &refuse);
	assert_int_equal(read(fd, &c, 1), -1);	/* nobody has opened it yet */
	return refuse;
}

/* Paths below a process and its links are left to the guard, as is whether anything is opened. */
static void test_guard(void **state)
{
	const struct xpt_regular_guard guard = { count_walk, count_link, check_file, &refuse };
	struct stat st;
	char path[300];
	int err;

	(void)state;
	write_file(in_top("guarded"), "text");
	xpt_regular__set_guard(&guard);
	assert_string_equal(text_of(xpt_regular__open(in_top("guarded"), NULL), &err), "text");
	assert_int_equal(walks + links, 0);
	snprintf(path, sizeof(path), "/proc/%d/root%s", getpid(), in_top("guarded"));
	assert_string_equal(text_of(xpt_regular__open(path, NULL), &err), "text");
	assert_int_equal(walks, 1);
	snprintf(path, sizeof(path), "/proc/%d/exe", getpid());
	text_of(xpt_regular__open(path, NULL), &err);
	assert_int_equal(err, 0);
	assert_int_equal(links, 1);
	snprintf(path, sizeof(path), "/proc/self/root%s", in_top("guarded"));
	text_of(xpt_regular__open(path, NULL), &err);
	assert_int_equal(err, -ELOOP);
	assert_int_equal(xpt_regular__look(in_top("guarded"), &st), 0);
	refuse = -EREMOTE;
	assert_int_equal(xpt_regular__look(in_top("guarded"), &st), -EREMOTE);	/* not even what kind of file it is */
	text_of(xpt_regular__open(in_top("guarded"), NULL), &err);
	assert_int_equal(err, -EREMOTE);
	xpt_regular__set_guard(NULL);
	assert_int_equal(xpt_regular__look(in_top("guarded"), &st), 0);
	assert_true(S_ISREG(st.st_mode) && st.st_size == 4);
	assert_int_equal(xpt_regular__look(path, &st), -ELOOP);
	assert_int_equal(xpt_regular__look("/nothing/there", &st), -ENOENT);
	assert_string_equal(text_of(xpt_regular__open(in_top("guarded"), NULL), &err), "text");
	assert_int_equal(walks, 1);
	unlink(in_top("guarded"));
}

/* What is written later never has the time of what was there before, though file systems count in ticks. */
static void test_changed(void **state)
{
	int fd = open(in_top("changed"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	uint64_t before, after, known = 0;
	struct stat st;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		assert_true(pwrite(fd, &i, sizeof(i), 0) == sizeof(i) && !fstat(fd, &st));
		before = xpt_regular__changed_ns(&st);
		assert_true(pwrite(fd, &fd, sizeof(fd), 0) == sizeof(fd) && !fstat(fd, &st));
		after = xpt_regular__changed_ns(&st);
		assert_true(!before || before != after);
	}
	for (int i = 0; i < 1000 && !known; i++) {
		usleep(10000);
		known = xpt_regular__changed_ns(&st);
	}
	assert_true(known == (uint64_t)st.st_ctim.tv_sec * 1000000000u + (uint64_t)st.st_ctim.tv_nsec);
	st.st_ctim.tv_sec += 1000;	/* of another machine's clock: known, though strange */
	assert_true(xpt_regular__changed_ns(&st) == known + 1000000000000u);
	close(fd);
	unlink(in_top("changed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_root_of_process),
		cmocka_unit_test(test_magic),
		cmocka_unit_test(test_mapping_by_name),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_changed),
	};

	return cmocka_run_group_tests(tests, make_tree, drop_tree);
}
