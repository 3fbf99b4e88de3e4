/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selecting processes: globs of names against fnmatch(3), containers in the
 * paths that container engines write, and finding one in a tree of folders.
 */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "proc/cgroup.h"
#include "proc/select.h"

static bool matches(const char *glob, const char *name)
{
	struct xpt_select *s;
	bool yes;

	assert_int_equal(xpt_select__new(&s), 0);
	assert_int_equal(xpt_select__add_comm(s, glob), 0);
	yes = xpt_select__comm_matches(s, name);
	xpt_select__free(s);
	return yes;
}

static void test_globs(void **state)
{
	static const char *const globs[] = {
		"train", "*", "t*", "*n", "tr*n", "t?ain", "[s-u]rain", "[!s-u]rain", "[]a]*", "**a**",
		"\\*x", "a*b*c", "[a-]b", "?", "*?*", "[^t]*", "train*",
	};
	static const char *const names[] = {
		"train", "", "t", "n", "trn", "rain", "]x", "*x", "xx", "abc", "aXbXc", "ab", "-b",
		"cb", "trainer", "\xc3\xa4", "aabbcc", "acb",
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(globs) / sizeof(globs[0]); i++)
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (matches(globs[i], names[k]) != !fnmatch(globs[i], names[k], 0))
				fail_msg("glob '%s', name '%s'", globs[i], names[k]);
}

/* Random short globs over a small alphabet: all that two parts can do to each other. */
static void test_random_globs(void **state)
{
	static const char alphabet[] = "ab*?";
	char glob[7], name[7];
	int i, k;

	(void)state;
	srand(1);
	for (i = 0; i < 20000; i++) {
		int n = 1 + rand() % 6, m = rand() % 7;

		for (k = 0; k < n; k++)
			glob[k] = alphabet[rand() % 4];
		for (k = 0; k < m; k++)
			name[k] = alphabet[rand() % 2];
		glob[n] = name[m] = '\0';
		if (matches(glob, name) != !fnmatch(glob, name, 0))
			fail_msg("glob '%s', name '%s'", glob, name);
	}
}

static void test_several(void **state)
{
	struct xpt_select *s;
	int i;

	(void)state;
	assert_int_equal(xpt_select__new(&s), 0);
	assert_false(xpt_select__by_comm(s));
	assert_int_equal(xpt_select__add_comm(s, "ab"), 0);
	assert_int_equal(xpt_select__add_comm(s, "*"), 0);
	assert_true(xpt_select__comm_matches(s, "zz"));
	xpt_select__free(s);
	assert_int_equal(xpt_select__new(&s), 0);
	assert_int_equal(xpt_select__add_comm(s, "ab"), 0);
	assert_int_equal(xpt_select__add_comm(s, "bc*"), 0);
	assert_int_equal(xpt_select__add_comm(s, "*d"), 0);
	assert_true(xpt_select__comm_matches(s, "ab"));
	assert_true(xpt_select__comm_matches(s, "bcx"));
	assert_true(xpt_select__comm_matches(s, "d"));
	assert_false(xpt_select__comm_matches(s, "abbc"));
	assert_false(xpt_select__comm_matches(s, "abc"));
	assert_int_equal(xpt_select__add_comm(s, "[a-z"), -EINVAL);
	assert_int_equal(xpt_select__add_comm(s, "\\"), -EINVAL);
	assert_int_equal(xpt_select__add_comm(s, ""), -EINVAL);
	assert_int_equal(xpt_select__add_comm(s, "abcdefghijklmnop"), -ENAMETOOLONG);
	for (i = 0; i < 64 && !xpt_select__add_comm(s, "xyz"); i++)
		;
	assert_int_equal(xpt_select__add_comm(s, "xyz"), -E2BIG);
	assert_true(xpt_select__comm_matches(s, "ab"));
	assert_true(xpt_select__comm_matches(s, "xyz"));
	assert_false(xpt_select__comm_matches(s, "a"));
	xpt_select__free(s);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static void test_container_names(void **state)
{
	static const struct {
		const char *path, *id;
	} rows[] = {
		{ "/system.slice/docker-" ID ".scope", ID },
		{ "/docker/" ID, ID },
		{ "/docker/" ID "/init.scope", ID },
		{ "/docker/" ID2 "/docker/" ID, ID },
		{ "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope", ID },
		{ "/kubepods/burstable/pod3c2b/" ID, ID },
		{ "/machine.slice/libpod-" ID ".scope/container", ID },
		{ "/machine.slice/crio-" ID ".scope", ID },
		{ "/machine.slice/libpod-conmon-" ID ".scope", "" },
		{ "/machine.slice/crio-conmon-" ID ".scope", "" },
		{ "/system.slice/x:cri-containerd:" ID, ID },
		{ "/ecs/0123456789abcdef0123456789abcdef/0123456789abcdef0123456789abcdef-42",
		  "0123456789abcdef0123456789abcdef-42" },
		{ "/lxc.payload.web", "web" },
		{ "/machine.slice/systemd-nspawn@box.service/payload", "box" },
		{ "/user.slice/user-1000.slice", "" },
		{ "/docker/" ID "0", "" },		/* 65 digits */
		{ "/docker/x" ID, "" },
		{ "/docker/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", "" },
		{ "/", "" }, { "", "" }, { "//", "" }, { "lxc.payload.", "" },
	};
	char id[XPT_CONTAINER_LEN];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(xpt_cgroup__container(rows[i].path, id, sizeof(id)),
				 rows[i].id[0] != '\0');
		assert_string_equal(id, rows[i].id);
	}
	assert_false(xpt_cgroup__container("/docker/" ID, id, 64));	/* no room */
}

#define UID "6b1f2c3d-0001-4aaa-8bbb-0123456789ab"
#define UID_ "6b1f2c3d_0001_4aaa_8bbb_0123456789ab"
#define HASH "0123456789abcdef0123456789abcdef"

/* With both of kubelet's drivers, in all classes of service, below other roots (kind, minikube). */
static void test_slurm_jobs(void **state)
{
	static const struct { const char *path, *job; } rows[] = {
		{ "/slurm/uid_1000/job_42/step_0/task_1", "42" },
		{ "/slurm_node-7/uid_1000/job_42/step_batch", "42" },
		{ "/slurm/job_42", "42" },
		{ "/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0", "7" },
		{ "/system.slice/node7_slurmstepd.scope/job_4294967295/step_0", "4294967295" },
		/* of a user, who may call it what he likes */
		{ "/user.slice/user-1000.slice/user@1000.service/slurm/job_42", "" },
		{ "/user.slice/slurmstepd.scope/job_42", "" },
		{ "/system.slice/x.service/slurmstepd.scope/job_42", "" },
		{ "/system.slice/notslurmstepd.scope/job_42", "" },
		{ "/slurmy/uid_1/job_42", "" }, { "/slurm/uid_1/x/job_42", "" }, { "/slurm/uid_1", "" },
		{ "/slurm/job_", "" }, { "/slurm/job_42x", "" }, { "/slurm/job_123456789012345678901234567890", "" },
		{ "/slurm", "" }, { "/slurm/", "" }, { "/", "" }, { "", "" },
	};
	char job[XPT_SLURM_JOB_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(xpt_cgroup__slurm_job(rows[i].path, job, sizeof(job)), rows[i].job[0] != '\0');
		assert_string_equal(job, rows[i].job);
	}
}

static void test_pods(void **state)
{
	static const struct {
		const char *path, *uid;
	} rows[] = {
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID ".scope", UID },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice/crio-" ID ".scope", UID },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice", UID },
		{ "/kubepods/burstable/pod" UID "/" ID, UID },
		{ "/kubepods/pod" UID "/" ID, UID },
		{ "/kubepods/pod" HASH "/" ID, HASH },
		{ "/docker/" ID "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_ ".slice/x", UID },
		{ "/kubepods.slice/kubepods-burstable.slice", "" },
		{ "/kubepods/burstable/pod6b1f2c3d-0001/" ID, "" },
		{ "/kubepods/burstable/pod" UID "0/x", "" },
		{ "/kubepods/xpod" UID, "" },
		{ "/machine.slice/libpod-" ID ".scope", "" },
		{ "/user.slice/pod" UID, "" },		/* of a user, who may call it what he likes */
		{ "/kubepods", "" }, { "/", "" }, { "", "" },
	};
	char uid[XPT_POD_LEN];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(xpt_cgroup__pod(rows[i].path, uid, sizeof(uid)), rows[i].uid[0] != '\0');
		assert_string_equal(uid, rows[i].uid);
	}
}

static char tree[] = "/tmp/xpt_cgroup.XXXXXX";

static void make_dir(const char *path)
{
	char full[4096];

	snprintf(full, sizeof(full), "%s/%s", tree, path);
	assert_int_equal(mkdir(full, 0755), 0);
}

static int count(void *ctx, const char *path, const char *id)
{
	(void)id;
	assert_int_equal(strncmp(path, tree, strlen(tree)), 0);
	++*(int *)ctx;
	return 0;
}

static int found(const char *id)
{
	int n = 0;

	assert_int_equal(xpt_cgroup__find_container(tree, id, count, &n), 0);
	return n;
}

static void test_find(void **state)
{
	char path[4096], want[4096], command[64];

	(void)state;
	assert_non_null(mkdtemp(tree));
	make_dir("a.slice");
	make_dir("a.slice/docker-" ID ".scope");
	make_dir("a.slice/docker-" ID ".scope/" ID2);	/* a container inside another */
	make_dir("a.slice/libpod-conmon-" ID2 ".scope");
	make_dir("b");
	make_dir("b/" ID2);
	make_dir("b/web.service");
	assert_int_equal(found(ID), 1);
	assert_int_equal(found("0123"), 1);
	assert_int_equal(found("docker-" ID), 1);
	assert_int_equal(found("fedc"), 2);
	assert_int_equal(found(ID2), 2);	/* not that of its monitor */
	assert_int_equal(found("docker-" ID ".scope"), 1);
	assert_int_equal(found("web"), 1);
	assert_int_equal(found("nothing"), 0);

	assert_int_equal(xpt_cgroup__resolve(tree, "b/", path, sizeof(path)), 0);
	snprintf(want, sizeof(want), "%s/b", tree);
	assert_string_equal(path, want);
	assert_int_equal(xpt_cgroup__resolve(tree, "/b", path, sizeof(path)), 0);
	assert_string_equal(path, want);
	assert_int_equal(xpt_cgroup__resolve(tree, want, path, sizeof(path)), 0);
	assert_string_equal(path, want);
	assert_int_equal(xpt_cgroup__resolve(tree, "b/../a.slice", path, sizeof(path)), -ENOENT);
	assert_int_equal(xpt_cgroup__resolve(tree, "c", path, sizeof(path)), -ENOENT);
	assert_int_equal(xpt_cgroup__resolve(tree, "b", path, 8), -ENAMETOOLONG);
	snprintf(command, sizeof(command), "rm -r %s", tree);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_globs),
		cmocka_unit_test(test_random_globs),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_container_names),
		cmocka_unit_test(test_pods),
		cmocka_unit_test(test_slurm_jobs),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
