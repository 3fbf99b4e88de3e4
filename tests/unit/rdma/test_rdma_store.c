/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/baseline/store.h on files that others may have made: in folders that others can write to, locked, databases of
 * former versions; what is no file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/files/chase.h"
#include "rdma/baseline/store.h"

enum { STRANGER = 65534 };

static char dir[64], path[96];

static int enter_folder(void **state)
{
	(void)state;
	alarm(60);
	snprintf(dir, sizeof(dir), "/tmp/xpt-store-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/s.jsonl", dir);
	return 0;
}

static int leave_folder(void **state)
{
	(void)state;
	remove(path);
	return rmdir(dir);	/* nothing else may have been made in it */
}

static int open_store(struct xpt_rdma_rules *rules, struct xpt_rdma_store **ret_store)
{
	return xpt_rdma_store__open(path, rules, ret_store);
}

/* Trees in the store, or -errno. */
static int count_trees(void)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	int err = open_store(rules, &store);

	if (!err) {
		err = (int)xpt_rdma_store__nr(store);
		assert_int_equal(xpt_rdma_store__close(store), 0);
	}
	free(rules);
	return err;
}

static void add(struct xpt_rdma_store *store, const char *shape)
{
	struct xpt_rdma_node node = { .fn = "r", .module = "m", .ret_type = XPT_RDMA_RET_INT };
	struct xpt_rdma_trace t = { .method = "m", .object = "", .shape = shape, .device = "d", .driver = "x",
		.driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "", .caller = "",
		.outer = "", .node = &node, .nr = 1, .dur_ns = 1000, .wall_ns = 5 };

	assert_int_equal(xpt_rdma_store__add(store, &t), 0);
}

/* Opens the store, lets something happen to the file, and adds a tree. */
static int save_behind(void (*happen)(void))
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	int err = open_store(rules, &store);

	if (!err) {
		if (happen)
			happen();
		add(store, "another");
		err = xpt_rdma_store__close(store);
	}
	free(rules);
	return err;
}

static void make_store(void)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;

	remove(path);
	assert_int_equal(open_store(rules, &store), 0);
	add(store, "first");
	assert_int_equal(xpt_rdma_store__close(store), 0);
	free(rules);
}

/* Good calls of a method are kept though the kernel refused the probe of one of its functions, which they name. */
static void test_unwatched(void **state)
{
	static const char *const unwatched[] = { "mlx5_cmd_exec" };
	struct xpt_rdma_node node = { .fn = "r", .module = "m", .ret_type = XPT_RDMA_RET_INT };
	struct xpt_rdma_trace t = { .method = "m", .object = "", .shape = "", .device = "d", .driver = "x",
		.driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "", .caller = "",
		.outer = "", .node = &node, .nr = 1, .dur_ns = 1000, .wall_ns = 5,
		.unwatched = unwatched, .nr_unwatched = 1 };
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	const struct xpt_rdma_tree *tree;
	struct xpt_rdma_store *store;

	(void)state;
	remove(path);
	assert_int_equal(open_store(rules, &store), 0);
	assert_int_equal(xpt_rdma_store__offer(store, &t), XPT_RDMA_TAKEN);
	assert_int_equal(xpt_rdma_store__close(store), 0);
	assert_int_equal(open_store(rules, &store), 0);
	assert_int_equal(xpt_rdma_store__nr(store), 1);
	tree = xpt_rdma_store__nearest(store, &t);
	assert_non_null(tree);
	assert_true(xpt_rdma_tree__is_unwatched(tree, "mlx5_cmd_exec") && !xpt_rdma_tree__is_unwatched(tree, "r"));
	assert_int_equal(xpt_rdma_store__close(store), 0);
	assert_int_equal(remove(path), 0);
	free(rules);
}

static void test_no_file(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(count_trees(), -EBADMSG);
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(count_trees(), -EISDIR);
	assert_int_equal(rmdir(path), 0);
}

static mode_t mode_of(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Who can read a store can lock it: new ones are ours alone, and so are old ones, once they were opened. */
static void test_modes(void **state)
{
	mode_t was = umask(022);

	(void)state;
	make_store();
	assert_int_equal(mode_of(), 0600);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(count_trees(), 1);
	assert_int_equal(mode_of(), 0600);
	assert_int_equal(save_behind(NULL), 0);
	assert_int_equal(mode_of(), 0600);
	assert_int_equal(chmod(path, 0640), 0);		/* somebody has chosen that */
	assert_int_equal(count_trees(), 2);
	assert_int_equal(mode_of(), 0640);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(chmod(dir, 0777), 0);		/* somebody may have put another file of ours there */
	assert_int_equal(count_trees(), 2);
	assert_int_equal(mode_of(), 0644);
	assert_int_equal(chmod(dir, 0700), 0);
	if (!geteuid()) {
		assert_int_equal(chown(path, STRANGER, STRANGER), 0);
		assert_int_equal(count_trees(), 2);
		assert_int_equal(mode_of(), 0644);
	}
	umask(was);
}

static uint64_t since_ns(uint64_t from)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec - from;
}

/*
 * Another has the file locked, who can only read it: a save that must not wait gives up at once, and
 * what is new is written as soon as he lets go.
 */
static void test_locked(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	uint64_t from, tried, waited;
	int fd;

	(void)state;
	make_store();
	assert_int_equal(open_store(rules, &store), 0);
	add(store, "another");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	from = since_ns(0);
	assert_int_equal(xpt_rdma_store__try_flush(store), -EBUSY);
	tried = since_ns(from);
	assert_int_equal(xpt_rdma_store__unsaved(store), 1);
	from = since_ns(0);
	assert_int_equal(xpt_rdma_store__flush(store), -EBUSY);
	waited = since_ns(from);
	assert_true(waited > 1000000000 && tried < waited / 2);
	close(fd);
	assert_int_equal(xpt_rdma_store__try_flush(store), 0);
	assert_int_equal(xpt_rdma_store__unsaved(store), 0);
	assert_int_equal(xpt_rdma_store__close(store), 0);
	free(rules);
	assert_int_equal(count_trees(), 2);
}

/* A database of a former version is recognized, whatever its name, and stays as it is. */
static void test_database(void **state)
{
	static const char database[] = "SQLite format 3\0\20\0\1\1\0@  \0\0\0";
	char after[sizeof(database)];
	int fd;

	(void)state;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, database, sizeof(database)), sizeof(database));
	close(fd);
	assert_int_equal(count_trees(), -EOPNOTSUPP);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, after, sizeof(after)), sizeof(after));
	assert_memory_equal(after, database, sizeof(database));
	close(fd);
}

/* It was put in the store's place after that was read: nothing is written into it. */
static void put_database(void)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, "SQLite format 3", 16), 16);
	close(fd);
}

static void test_no_foreign_writes(void **state)
{
	struct stat st;

	(void)state;
	make_store();
	assert_true(save_behind(put_database) < 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 16);
}

/* As many trees and learned errors as a store can have, written more than once. */
static void test_full(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	char shape[32];
	int round, i;

	(void)state;
	assert_int_equal(open_store(rules, &store), 0);
	for (i = 0; i < XPT_RDMA_MAX_LEARNED; i++) {
		snprintf(shape, sizeof(shape), "f%d", i);
		xpt_rdma_rules__learn(rules, "m", shape, 5, 100);
	}
	for (round = 0; round < 3; round++) {
		for (i = 0; i < XPT_RDMA_STORE_TREES; i++) {
			snprintf(shape, sizeof(shape), "shape %d", round * 100 + i);
			add(store, shape);
		}
		assert_int_equal(xpt_rdma_store__flush(store), 0);
	}
	assert_int_equal(xpt_rdma_store__close(store), 0);
	free(rules);
	assert_int_equal(count_trees(), XPT_RDMA_STORE_TREES);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(count_trees(), XPT_RDMA_STORE_TREES);
}

#define in_folder(f) cmocka_unit_test_setup_teardown(f, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_folder(test_no_file), in_folder(test_database), in_folder(test_no_foreign_writes),
		in_folder(test_full), in_folder(test_modes), in_folder(test_locked), in_folder(test_unwatched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
