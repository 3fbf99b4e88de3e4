/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: sqlite
 * rdma/baseline/store.h on files that others may have made: databases with a schema of their own, with a write-ahead
 * log, in folders that others can write to; what is no file.
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

enum { SECONDS = 20, STRANGER = 65534 };

static char dir[64], path[96];

static int enter_folder(void **state)
{
	(void)state;
	alarm(60);
	snprintf(dir, sizeof(dir), "/tmp/xpt-store-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/s.db", dir);
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

static void test_no_file(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(count_trees(), -EBADMSG);
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(count_trees(), -EISDIR);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/s.jsonl", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(count_trees(), -EBADMSG);
}

static mode_t mode_of(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Who can read a store can lock it: new ones are ours alone, and so are old ones, once they were opened. */
static void check_modes(void)
{
	mode_t was = umask(022);

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
static void check_locked(int (*lock)(int fd))
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	uint64_t from, tried, waited;
	int fd;

	make_store();
	assert_int_equal(open_store(rules, &store), 0);
	add(store, "another");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(lock(fd), 0);
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

static int lock_lines(int fd)
{
	return flock(fd, LOCK_EX);
}

static void test_lines(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/s.jsonl", dir);
	check_modes();
	remove(path);
	check_locked(lock_lines);
}

#ifdef XPT_HAVE_SQLITE
#include <sqlite3.h>

#define BASELINE "CREATE TABLE baseline (method TEXT, object TEXT, shape TEXT, driver TEXT," \
	" kernel TEXT, traces INTEGER, last_ns INTEGER, line TEXT," \
	" PRIMARY KEY (method, object, shape, driver, kernel));"
#define LEARNED "CREATE TABLE learned (line TEXT);"
#define ENDLESS "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT "
#define VERSION "PRAGMA user_version=1;"

static void run_sql(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Into heap memory, which the caller frees. */
static char *read_all(size_t *ret_n)
{
	struct stat st;
	char *s;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && !fstat(fd, &st));
	s = malloc((size_t)st.st_size + 1);
	assert_non_null(s);
	assert_int_equal(read(fd, s, (size_t)st.st_size), st.st_size);
	close(fd);
	*ret_n = (size_t)st.st_size;
	return s;
}

/* What former versions wrote is read, here and where others can write. */
static void test_old(void **state)
{
	char *before, *after;
	size_t n, m;

	(void)state;
	make_store();
	run_sql("CREATE TABLE t AS SELECT * FROM baseline; DROP TABLE baseline; DROP TABLE learned;" BASELINE LEARNED
		"INSERT INTO baseline SELECT * FROM t; DROP TABLE t; PRAGMA user_version=1; VACUUM;");
	assert_int_equal(count_trees(), 1);
	before = read_all(&n);
	assert_int_equal(chmod(dir, 0770), 0);
	assert_int_equal(count_trees(), 1);
	assert_int_equal(save_behind(NULL), -XPT_EUNSAFE);
	after = read_all(&m);
	assert_int_equal(n, m);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(save_behind(NULL), 0);
	assert_int_equal(count_trees(), 2);
}

static const char *const foreign[] = {
	LEARNED "CREATE VIEW baseline AS " ENDLESS "randomblob(1000) line, x last_ns FROM c;" VERSION,
	LEARNED "CREATE VIEW baseline AS " ENDLESS "'a' line, 1 last_ns FROM c WHERE x<0;" VERSION,
	LEARNED "CREATE VIEW baseline AS SELECT hex(randomblob(400000000)) line, 1 last_ns;" VERSION,
	BASELINE "CREATE VIEW learned AS " ENDLESS "'{\"type\":\"x\"}' line FROM c;" VERSION,
	"CREATE TABLE baseline (line TEXT, last_ns);" LEARNED VERSION,
	"CREATE TABLE baseline (line AS (zeroblob(900000000)), last_ns);" LEARNED VERSION,
	BASELINE LEARNED "CREATE TRIGGER t AFTER INSERT ON learned BEGIN DELETE FROM baseline; END;" VERSION,
	BASELINE LEARNED "CREATE TABLE more (t TEXT);" VERSION,
	BASELINE LEARNED "CREATE INDEX i ON learned (line);" VERSION,
	BASELINE LEARNED "CREATE VIEW v AS SELECT 1;" VERSION,
	BASELINE VERSION,
	/* The right tables, and a line that is none. */
	BASELINE LEARNED "INSERT INTO baseline (line) VALUES (zeroblob(100000000));" VERSION,
	BASELINE LEARNED "INSERT INTO learned VALUES (hex(zeroblob(600000)));" VERSION,
	BASELINE LEARNED "INSERT INTO baseline (last_ns, line) VALUES (zeroblob(100000000), 'x');" VERSION,
	BASELINE LEARNED "INSERT INTO learned " ENDLESS "'{\"type\":\"rdma_learned\",\"method\":\"m\","
		"\"function\":\"f\",\"errno\":5}' FROM c LIMIT 300000;" VERSION,
};

static void test_foreign(void **state)
{
	unsigned i, mode;

	(void)state;
	for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		alarm(60);
		remove(path);
		run_sql(foreign[i]);
		for (mode = 0; mode < 2; mode++) {
			assert_int_equal(chmod(dir, mode ? 0777 : 0700), 0);
			alarm(SECONDS);	/* with sanitizers; else a moment */
			if (count_trees() != -EBADMSG)
				fail_msg("taken, mode %u: %s", mode, foreign[i]);
		}
		assert_int_equal(chmod(dir, 0700), 0);
	}
}

static void add_trigger(void)
{
	run_sql("CREATE TRIGGER t AFTER INSERT ON baseline BEGIN INSERT INTO learned VALUES ('x'); END");
}

static void make_foreign(void)
{
	remove(path);
	run_sql("CREATE TABLE other (t TEXT)");
}

/* Nothing is written into what is not ours by then. */
static void test_no_foreign_writes(void **state)
{
	char *before, *after;
	size_t n, m;

	(void)state;
	make_store();
	assert_int_equal(save_behind(add_trigger), -EBADMSG);
	run_sql("DROP TRIGGER t");
	assert_int_equal(count_trees(), 1);
	make_store();
	assert_int_equal(save_behind(make_foreign), -EBADMSG);
	before = read_all(&n);
	make_store();
	assert_int_equal(save_behind(make_foreign), -EBADMSG);
	after = read_all(&m);
	assert_int_equal(n, m);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
}

/* SQLite would make files beside it. */
static void test_wal(void **state)
{
	(void)state;
	make_store();
	run_sql("PRAGMA journal_mode=wal");
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(count_trees(), -EBADMSG);
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(count_trees(), 1);	/* here that is our own business */
	assert_int_equal(save_behind(NULL), 0);
	run_sql("PRAGMA journal_mode=delete");
	assert_int_equal(count_trees(), 2);
}

static void test_large(void **state)
{
	(void)state;
	make_store();
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(truncate(path, (off_t)300 << 20), 0);
	assert_int_equal(count_trees(), -EFBIG);
}

/* While another writes, and where its journal says what to take back. */
static void test_being_written(void **state)
{
	char journal[128];
	sqlite3 *db;
	int fd;

	(void)state;
	make_store();
	assert_int_equal(chmod(dir, 0777), 0);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	fd = open(journal, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(count_trees(), -EBUSY);
	assert_int_equal(unlink(journal), 0);
	if (!fork()) {	/* locks of this kind belong to a process */
		if (sqlite3_open(path, &db) || sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL))
			_exit(1);
		sleep(4);
		_exit(0);
	}
	usleep(500000);
	assert_int_equal(count_trees(), -EBUSY);
}

/* A folder of ours in one that others can write to can be exchanged; so can what another's file holds. */
static void test_strangers(void **state)
{
	char top[64];

	(void)state;
	snprintf(top, sizeof(top), "%s", dir);
	snprintf(dir, sizeof(dir), "%.40s/own", top);
	snprintf(path, sizeof(path), "%s/s.db", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	make_store();
	assert_int_equal(chmod(top, 0777), 0);
	assert_int_equal(count_trees(), 1);
	assert_int_equal(save_behind(NULL), -XPT_EUNSAFE);
	assert_int_equal(chmod(top, 01777), 0);	/* but in a sticky one it cannot */
	assert_int_equal(save_behind(NULL), 0);
	assert_int_equal(count_trees(), 2);
	if (!geteuid()) {
		assert_int_equal(chown(path, STRANGER, STRANGER), 0);
		assert_int_equal(count_trees(), 2);
		assert_int_equal(save_behind(NULL), -XPT_EUNSAFE);
		assert_int_equal(chown(top, STRANGER, STRANGER), 0);
		assert_int_equal(chown(path, 0, 0), 0);
		assert_int_equal(count_trees(), 2);
		assert_int_equal(save_behind(NULL), -XPT_EUNSAFE);
	}
	assert_int_equal(remove(path), 0);
	assert_int_equal(rmdir(dir), 0);
	snprintf(dir, sizeof(dir), "%s", top);
}

/* As a reader of SQLite has it. */
static int lock_db(int fd)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510 };

	return fcntl(fd, F_OFD_SETLK, &l);
}

static void test_db(void **state)
{
	(void)state;
	check_modes();
	remove(path);
	check_locked(lock_db);
}
#else
#define skipped(name) static void name(void **state) { (void)state; skip(); }
skipped(test_old)
skipped(test_foreign)
skipped(test_no_foreign_writes)
skipped(test_wal)
skipped(test_large)
skipped(test_being_written)
skipped(test_strangers)
skipped(test_db)
#endif

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
		in_folder(test_no_file), in_folder(test_old), in_folder(test_foreign),
		in_folder(test_no_foreign_writes), in_folder(test_wal), in_folder(test_large),
		in_folder(test_being_written), in_folder(test_strangers), in_folder(test_full), in_folder(test_lines), in_folder(test_db),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
