/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: root user_namespace
 * proc/maps.c: what /proc tells of a process. Its start tells two processes of
 * one id apart, so it must not change while the process lives. Of one that has ended nothing is known.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/time.h"
#include "proc/maps.h"
#include "proc/owner.h"

#define USER 65534
#define TICKS_NS 20000000ull	/* /proc counts in hundredths of a second */

static void test_start(void **state)
{
	uint64_t before = xpt_clock_ns(CLOCK_BOOTTIME), after;
	struct xpt_procinfo info, again;
	int go[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char c;

		close(go[1]);
		_exit(read(go[0], &c, 1) ? 1 : 0);
	}
	after = xpt_clock_ns(CLOCK_BOOTTIME);
	assert_int_equal(xpt_proc__read(pid, &info), 0);
	assert_int_equal(xpt_proc__read(pid, &again), 0);
	close(go[0]);
	close(go[1]);
	waitpid(pid, NULL, 0);
	assert_int_equal(info.ppid, getpid());
	assert_int_equal(info.uid, getuid());
	assert_true(info.start_ns + TICKS_NS >= before && info.start_ns <= after);
	assert_int_equal(info.start_ns, again.start_ns);
}

/* More memory is no other process. */
static void test_start_stays(void **state)
{
	static struct xpt_procinfo info, again;
	void *much;

	(void)state;
	assert_int_equal(xpt_proc__read(getpid(), &info), 0);
	much = malloc(64u << 20);
	assert_non_null(much);
	assert_int_equal(xpt_proc__read(getpid(), &again), 0);
	free(much);
	assert_int_equal(info.start_ns, again.start_ns);
}

/* A process that has ended: it is nobody's, not root's. */
static pid_t ended(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void test_owner_of_ended(void **state)
{
	uint64_t owner = XPT_OWNER_MACHINE;
	uint32_t uid = 0;
	pid_t pid = ended();

	(void)state;
	assert_int_equal(xpt_proc__uid(pid, &uid), -ESRCH);
	assert_int_equal(uid, XPT_NO_UID);
	assert_int_equal(xpt_owner__of_process(pid, &owner), -ESRCH);
	assert_int_equal(owner, XPT_OWNER_NOBODY);
	assert_int_equal(xpt_proc__uid(getpid(), &uid), 0);
	assert_int_equal(uid, getuid());
}

static void write_map(pid_t pid, const char *name, const char *text)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* A user with subordinate ids: his process is `uid` of a namespace of his own, and makes another one in it. */
static _Noreturn void be_sub_user(int ready, int go, unsigned uid)
{
	char c;

	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER) || unshare(CLONE_NEWUSER))
		_exit(1);
	if (write(ready, "1", 1) != 1 || read(go, &c, 1) != 1)
		_exit(1);
	if (setresuid(uid, uid, uid) || unshare(CLONE_NEWUSER) || write(ready, "2", 1) != 1)
		_exit(1);
	_exit(read(go, &c, 1) == 1);
}

/* By no id of his does he become somebody else. */
static void test_owner_of_sub_users(void **state)
{
	uint64_t owner;
	uint32_t uid;

	(void)state;
	if (geteuid())
		skip();
	for (unsigned i = 1; i <= 3; i++) {
		int ready[2], go[2];
		pid_t pid;
		char c;

		assert_int_equal(pipe(ready), 0);
		assert_int_equal(pipe(go), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			close(ready[0]);
			close(go[1]);
			be_sub_user(ready[1], go[0], i);
		}
		close(ready[1]);
		if (read(ready[0], &c, 1) != 1)	/* no namespaces here */
			skip();
		write_map(pid, "gid_map", "0 65534 1\n");
		write_map(pid, "uid_map", "0 65534 1\n1 100000 16\n");
		assert_int_equal(write(go[1], "1", 1), 1);
		assert_int_equal(read(ready[0], &c, 1), 1);
		assert_int_equal(xpt_proc__uid(pid, &uid), 0);
		assert_int_equal(uid, 100000 + i - 1);
		assert_int_equal(xpt_owner__of_process(pid, &owner), 0);
		assert_int_equal(owner, XPT_OWNER(USER, 0));
		close(go[1]);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		close(go[0]);
		close(ready[0]);
	}
	assert_int_equal(xpt_owner__of_process(getpid(), &owner), 0);
	assert_int_equal(owner, XPT_OWNER(getuid(), 0));
}

/* What the machine keeps is its own, unless a container has mapped it: root in there can make such files. */
static void test_owner_of_file(void **state)
{
	const struct xpt_own_devices own = { { 77 }, 1 };
	const uint64_t user = XPT_OWNER(1000, 0), container = XPT_OWNER(0, 4711);
	struct stat ours = { .st_dev = 77 }, theirs = { .st_dev = 77, .st_uid = 1001 }, other = { .st_dev = 78 };
	unsigned at[2];

	(void)state;
	assert_int_equal(xpt_owner__of_file(&own, &ours, XPT_OWNER_MACHINE), XPT_OWNER_MACHINE);
	assert_int_equal(xpt_owner__of_file(&own, &ours, user), XPT_OWNER_MACHINE);
	assert_int_equal(xpt_owner__of_file(&own, &ours, container), container);
	assert_int_equal(xpt_owner__of_file(&own, &ours, XPT_OWNER_NOBODY), XPT_OWNER_NOBODY);
	assert_int_equal(xpt_owner__of_file(&own, &theirs, XPT_OWNER_MACHINE), XPT_OWNER(1001, 0));
	assert_int_equal(xpt_owner__of_file(&own, &theirs, user), user);
	assert_int_equal(xpt_owner__of_file(&own, &theirs, container), container);
	assert_int_equal(xpt_owner__of_file(&own, &other, user), user);
	assert_false(xpt_owner__is_root_elsewhere(user, &at[0], &at[1]));
	assert_false(xpt_owner__is_root_elsewhere(container, &at[0], &at[1]));
	assert_false(xpt_owner__is_root_elsewhere(XPT_OWNER_NOBODY, &at[0], &at[1]));
	other.st_dev = makedev(8, 3);
	assert_true(xpt_owner__is_root_elsewhere(xpt_owner__of_file(&own, &other, XPT_OWNER_MACHINE), &at[0], &at[1]));
	assert_int_equal(at[0], 8);
	assert_int_equal(at[1], 3);
}

/* Messages name the first process, or the first whose user is known. */
static void test_whose(void **state)
{
	struct xpt_process_owner w;
	char text[256];

	(void)state;
	assert_true(xpt_process_owner__choose(&w, false, ended()));
	assert_string_equal(xpt_process_owner__text(&w, text, sizeof(text)),
			    "a user who is not known, for the process has ended");
	assert_false(xpt_process_owner__choose(&w, true, ended()));
	assert_true(xpt_process_owner__choose(&w, true, getpid()));
	assert_int_equal(w.uid, getuid());
	assert_false(xpt_process_owner__choose(&w, true, getppid()));
	w = (struct xpt_process_owner){ .uid = 1000 };
	assert_string_equal(xpt_process_owner__text(&w, text, sizeof(text)), "user 1000");
	w = (struct xpt_process_owner){ .uid = 0, .container = "0123456789abcdef" };
	assert_string_equal(xpt_process_owner__text(&w, text, sizeof(text)), "user 0 in the container 0123456789ab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_start_stays),
		cmocka_unit_test(test_owner_of_ended),
		cmocka_unit_test(test_owner_of_sub_users),
		cmocka_unit_test(test_owner_of_file),
		cmocka_unit_test(test_whose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
