/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: root user_namespace
 * proc/owner.h: a process in a container that root has made belongs to it, whoever it becomes and whatever
 * namespaces it makes. Lists of mounts that have no end are not read to their end.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "proc/container_paths.h"
#include "proc/owner.h"

#define USER 65534
#define MANY_MOUNTS 600u	/* of 200 bytes and more each: above 64 KiB */

struct proc {
	pid_t pid, parent;	/* it or its parent, to be waited for */
	int go;			/* closed: it ends */
};

static bool be_user(void)
{
	return !setresgid(USER, USER, USER) && !setresuid(USER, USER, USER);
}

/* Calls enter(), tells `pid`, and lives until the other end of `go` is closed. */
static _Noreturn void live(bool (*enter)(void), int ready, int go, pid_t pid)
{
	char c;

	_exit(enter() && write(ready, &pid, sizeof(pid)) == sizeof(pid) ? read(go, &c, 1) != 0 : 1);
}

/* The same by a child that is the first process of a namespace, where it cannot see its number outside. */
static _Noreturn void live_inside(bool (*enter)(void), int ready, int go)
{
	int made[2];
	pid_t pid, seen;

	if (pipe(made) || unshare(CLONE_NEWPID))
		_exit(1);
	pid = fork();
	if (!pid)
		live(enter, made[1], go, 1);
	close(made[1]);
	if (pid < 0 || read(made[0], &seen, sizeof(seen)) != sizeof(seen) || write(ready, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	close(ready);
	_exit(waitpid(pid, NULL, 0) != pid);
}

/* Starts a process that calls enter(), inside a namespace of processes or not. Its pid is 0 where that is impossible. */
static struct proc start(bool (*enter)(void), bool inside)
{
	struct proc p = { 0 };
	int ready[2], go[2];

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	p.parent = fork();
	assert_true(p.parent >= 0);
	if (!p.parent) {
		close(ready[0]);
		close(go[1]);
		if (inside)
			live_inside(enter, ready[1], go[0]);
		live(enter, ready[1], go[0], getpid());
	}
	close(ready[1]);
	close(go[0]);
	if (read(ready[0], &p.pid, sizeof(p.pid)) != sizeof(p.pid))
		p.pid = 0;
	close(ready[0]);
	p.go = go[1];
	return p;
}

static void stop(const struct proc *p)
{
	close(p->go);
	assert_int_equal(waitpid(p->parent, NULL, 0), p->parent);
}

/* The inode of a namespace of the process. */
static uint32_t inode_of(pid_t pid, const char *kind)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kind);
	assert_int_equal(stat(path, &st), 0);
	return (uint32_t)st.st_ino;
}

static bool stay(void)
{
	return true;
}

static bool become_user_with_namespaces(void)
{
	return be_user() && !unshare(CLONE_NEWUSER | CLONE_NEWCGROUP);
}

static void test_inside(void **state)
{
	static bool (*const enter[])(void) = { stay, be_user, become_user_with_namespaces };

	(void)state;
	if (geteuid())
		skip();
	for (unsigned i = 0; i < sizeof(enter) / sizeof(*enter); i++) {
		struct proc p = start(enter[i], true);
		uint64_t owner;
		char path[512];

		if (!p.pid)
			skip();
		assert_int_equal(xpt_owner__of_process(p.pid, &owner), 0);
		assert_true(owner == XPT_OWNER(0, inode_of(p.pid, "pid")));
		if (!xpt_cgroup__of_pid(p.pid, path, sizeof(path)))
			assert_true(xpt_container_paths__find(XPT_OWNER_GROUP(owner), path, sizeof(path)));
		stop(&p);
	}
}

static bool enter_cgroups(void)
{
	return !unshare(CLONE_NEWCGROUP) && be_user() && !unshare(CLONE_NEWUSER);
}

/* In our namespace of processes, those of cgroups that root has made count, before what a user makes for himself. */
static void test_beside(void **state)
{
	struct proc p;
	uint64_t owner;

	(void)state;
	if (geteuid())
		skip();
	p = start(enter_cgroups, false);
	if (!p.pid)
		skip();
	assert_int_equal(xpt_owner__of_process(p.pid, &owner), 0);
	assert_int_equal(XPT_OWNER_UID(owner), 0);
	assert_int_not_equal(XPT_OWNER_GROUP(owner), 0);
	stop(&p);
	p = start(become_user_with_namespaces, false);
	assert_int_not_equal(p.pid, 0);
	assert_int_equal(xpt_owner__of_process(p.pid, &owner), 0);
	assert_true(owner == XPT_OWNER(USER, 0));
	stop(&p);
}

/* Namespaces of processes that a user makes are no container. */
static bool user_makes_pids(void)
{
	pid_t pid;

	if (!be_user() || unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return false;
	pid = fork();
	if (pid > 0) {
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	return !pid;
}

static void test_of_user(void **state)
{
	char path[64], list[64];
	uint64_t owner;
	struct proc p;
	pid_t pid = 0;
	FILE *f;

	(void)state;
	if (geteuid())
		skip();
	p = start(user_makes_pids, false);	/* it tells the number of its parent */
	if (!p.pid)
		skip();
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", p.parent, p.parent);
	f = fopen(path, "re");
	if (!f || !fgets(list, sizeof(list), f) || sscanf(list, "%d", &pid) != 1)
		skip();
	fclose(f);
	assert_int_equal(xpt_owner__of_process(pid, &owner), 0);
	assert_true(owner == XPT_OWNER(USER, 0));
	stop(&p);
}

static char deep[3 * 200 + 64] = "/tmp/xpt-mounts";

static bool mount_much(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", deep, "tmpfs", 0, NULL))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		size_t at = strlen(deep);

		snprintf(deep + at, sizeof(deep) - at, "/%0199u", i);
		if (mkdir(deep, 0700))
			return false;
	}
	for (unsigned i = 0; i < MANY_MOUNTS; i++)
		if (mount(deep, deep, NULL, MS_BIND, NULL))
			return false;
	return true;
}

static void test_mounts(void **state)
{
	char path[64];
	struct proc p;

	(void)state;
	if (geteuid())
		skip();
	assert_true(!mkdir(deep, 0700) || errno == EEXIST);
	p = start(mount_much, false);
	if (!p.pid)
		skip();
	assert_int_equal(xpt_cgroup__root_of_pid(p.pid, "/", path, sizeof(path)), -EFBIG);
	stop(&p);
	rmdir(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_of_user),
		cmocka_unit_test(test_mounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
