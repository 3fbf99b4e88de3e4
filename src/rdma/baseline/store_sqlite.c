// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The store as a database of SQLite: a row for each tree, with its key as columns for people who ask with SQL, and
 * its line of JSON; a row for each learned error. Only changes are written, in one transaction, so that a watcher
 * and a command can use one file: each keeps the traces and errors that the other has added and learned. Freed
 * pages are given back (auto_vacuum). The static binary goes without: SQLite refers to the loader of shared
 * libraries.
 */
#include <errno.h>
#include <stddef.h>

#include "rdma/baseline/store_priv.h"

#if defined(XPT_HAVE_SQLITE) && !defined(XPT_STATIC)
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/files/fsuser.h"
#include "rdma/baseline/store_open.h"
#include "rdma/trace/trace_json.h"

/* In the limit of bytes read, a row counts as so many bytes at least. */
enum { ROW_BYTES = 16384 };

/* In one transaction: nobody is to see tables without a format. */
static const char create[] =
	"PRAGMA auto_vacuum=FULL;"
	"BEGIN IMMEDIATE;"
	"CREATE TABLE IF NOT EXISTS " XPT_RDMA_DB_BASELINE ";"
	"CREATE TABLE IF NOT EXISTS " XPT_RDMA_DB_LEARNED ";"
	"PRAGMA user_version=1;"
	"COMMIT;"
	"BEGIN IMMEDIATE";

bool xpt_rdma_sqlite__have(void)
{
	return true;
}

static int error_of(int rc)
{
	return xpt_rdma_db__code(rc);
}

/* The line that the statement has found. */
static int load_line(struct xpt_rdma_store *store, struct xpt_rdma_db *db, sqlite3_stmt *st)
{
	const char *line = (const char *)sqlite3_column_text(st, 0);
	int n = sqlite3_column_bytes(st, 0);

	if (!line || n <= 0 || n > XPT_RDMA_TREE_LINE || db->bytes < (uint64_t)n + ROW_BYTES)
		return -EBADMSG;
	db->bytes -= (uint64_t)n + ROW_BYTES;
	return xpt_rdma_store__line(store, line, (size_t)n);
}

static int load_learned(struct xpt_rdma_store *store, struct xpt_rdma_db *db)
{
	sqlite3_stmt *st = NULL;
	int rc = SQLITE_ROW, err = error_of(sqlite3_prepare_v2(db->db, "SELECT line FROM learned", -1, &st, NULL));

	while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW)
		err = load_line(store, db, st);
	sqlite3_finalize(st);
	return err ? err : error_of(rc);
}

static int load_tree(struct xpt_rdma_store *store, struct xpt_rdma_db *db, sqlite3_stmt *get, sqlite3_int64 row)
{
	int rc, err = error_of(sqlite3_bind_int64(get, 1, row));

	if (!err) {
		rc = sqlite3_step(get);
		err = rc == SQLITE_ROW ? load_line(store, db, get) : rc == SQLITE_DONE ? -EBADMSG : error_of(rc);
	}
	sqlite3_reset(get);
	return err;
}

/* SQLite sorts two numbers a row, whatever the file contains. */
static int load_trees(struct xpt_rdma_store *store, struct xpt_rdma_db *db)
{
	sqlite3_stmt *rows = NULL, *get = NULL;
	int rc = SQLITE_ROW, err;

	err = error_of(sqlite3_prepare_v2(db->db, "SELECT rowid FROM baseline ORDER BY CAST(last_ns AS INTEGER)", -1,
					  &rows, NULL));
	if (!err)
		err = error_of(sqlite3_prepare_v2(db->db, "SELECT line FROM baseline WHERE rowid=?1", -1, &get, NULL));
	while (!err && (rc = sqlite3_step(rows)) == SQLITE_ROW)
		err = load_tree(store, db, get, sqlite3_column_int64(rows, 0));
	sqlite3_finalize(rows);
	sqlite3_finalize(get);
	return err ? err : error_of(rc);
}

/* A killed writer leaves a journal, which only who may write can take back. */
static int open_own(const char *real, struct xpt_rdma_db *db, bool *ret_new)
{
	int err = xpt_rdma_db__open(db, real, SQLITE_OPEN_READONLY, XPT_RDMA_DB_WAIT_MS);

	if (err)
		return err;
	err = xpt_rdma_db__begin(db, ret_new);
	if (err != -EACCES)
		return err;
	xpt_rdma_db__close(db);
	err = xpt_rdma_db__open(db, real, SQLITE_OPEN_READWRITE, XPT_RDMA_DB_WAIT_MS);
	return err ? err : xpt_rdma_db__begin(db, ret_new);
}

/* By name where that is safe, and with the rights of the user, for SQLite may make files beside it. */
static int open_to_read(const char *path, struct xpt_rdma_db *db, bool *ret_new)
{
	char real[PATH_MAX + NAME_MAX + 2];
	bool entered = xpt_fsuser__enter(path);
	int err = xpt_rdma_db__own_path(path, real, sizeof(real));
	bool own = !err;

	if (own)
		err = open_own(real, db, ret_new);
	xpt_fsuser__leave(entered);
	if (own && err != -ENOENT)
		return err;
	xpt_rdma_db__close(db);
	err = xpt_rdma_db__open_image(db, path);
	return err ? err : xpt_rdma_db__begin(db, ret_new);
}

int xpt_rdma_sqlite__load(struct xpt_rdma_store *store)
{
	struct xpt_rdma_db db = { .db = NULL };
	bool new = false;
	int err = open_to_read(store->path, &db, &new);
	unsigned i;

	if (!err && !new)
		err = load_trees(store, &db);
	if (!err && !new)
		err = load_learned(store, &db);
	xpt_rdma_db__close(&db);
	for (i = 0; i < store->nr; i++)
		store->slot[i].dirty = false;
	store->rewrite = store->learned_dirty = false;
	return err;
}

static int bind_key(sqlite3_stmt *st, const struct xpt_rdma_key *k)
{
	const char *const key[] = { k->method, k->object, k->shape, k->driver, k->kernel };
	int i, err = 0;

	for (i = 0; !err && i < 5; i++)
		err = error_of(sqlite3_bind_text(st, i + 1, key[i], -1, SQLITE_STATIC));
	return err;
}

static int put_tree(sqlite3_stmt *st, const struct xpt_rdma_tree *tree, struct xpt_strbuf *sb)
{
	int err;

	xpt_strbuf__reset(sb);
	xpt_rdma_tree__print(tree, sb);
	err = xpt_strbuf__err(sb);
	if (!err)
		err = bind_key(st, &tree->key);
	if (!err)
		err = error_of(sqlite3_bind_int64(st, 6, (sqlite3_int64)tree->traces));
	if (!err)
		err = error_of(sqlite3_bind_int64(st, 7, (sqlite3_int64)tree->last_ns));
	if (!err)
		err = error_of(sqlite3_bind_text(st, 8, sb->s, (int)sb->len, SQLITE_STATIC));
	if (!err)
		err = error_of(sqlite3_step(st));
	sqlite3_reset(st);
	return err;
}

static int take_away(const struct xpt_rdma_store *store, sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	unsigned i;
	int err;

	if (store->removed_more)
		return error_of(sqlite3_exec(db, "DELETE FROM baseline", NULL, NULL, NULL));
	err = error_of(sqlite3_prepare_v2(db, "DELETE FROM baseline WHERE method=?1 AND object=?2 AND shape=?3 "
					  "AND driver=?4 AND kernel=?5", -1, &st, NULL));
	for (i = 0; !err && i < store->nr_removed; i++) {
		err = bind_key(st, &store->removed[i]);
		if (!err)
			err = error_of(sqlite3_step(st));
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	return err;
}

/* With traces that another process may have written of this kind since. */
static int settle_slot(sqlite3_stmt *st, struct xpt_rdma_slot *slot)
{
	struct xpt_rdma_tree *tree = NULL;
	int rc, err = bind_key(st, &slot->tree->key);

	rc = err ? SQLITE_DONE : sqlite3_step(st);
	if (!err && rc == SQLITE_ROW) {
		const char *line = (const char *)sqlite3_column_text(st, 0);
		int n = sqlite3_column_bytes(st, 0);

		err = line && n > 0 && n <= XPT_RDMA_TREE_LINE ?
		      xpt_rdma_tree__parse(line, (size_t)n, &tree) : -EBADMSG;
		err = err == -ENOMSG ? -EBADMSG : err;
	} else if (!err) {
		err = error_of(rc);
	}
	sqlite3_reset(st);
	if (!err)
		xpt_rdma_slot__settle(slot, tree);
	return err;
}

static int put_changed(struct xpt_rdma_store *store, sqlite3_stmt *get, sqlite3_stmt *to)
{
	struct xpt_strbuf sb;
	unsigned i;
	int err = 0;

	xpt_strbuf__init(&sb, XPT_RDMA_TREE_LINE);
	for (i = 0; !err && i < store->nr; i++) {
		struct xpt_rdma_slot *slot = &store->slot[i];

		if (!slot->dirty && !store->removed_more)
			continue;
		if (!store->removed_more)
			err = settle_slot(get, slot);
		if (!err)
			err = put_tree(to, slot->tree, &sb);
	}
	xpt_strbuf__free(&sb);
	return err;
}

static int put_trees(struct xpt_rdma_store *store, sqlite3 *db)
{
	sqlite3_stmt *get = NULL, *to = NULL;
	int err = take_away(store, db);

	if (!err)
		err = error_of(sqlite3_prepare_v2(db, "SELECT line FROM baseline WHERE method=?1 AND object=?2 AND "
						  "shape=?3 AND driver=?4 AND kernel=?5", -1, &get, NULL));
	if (!err)
		err = error_of(sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO baseline VALUES "
						  "(?1,?2,?3,?4,?5,?6,?7,?8)", -1, &to, NULL));
	if (!err)
		err = put_changed(store, get, to);
	sqlite3_finalize(get);
	sqlite3_finalize(to);
	return err;
}

/* With errors that others have learned since. */
static int put_learned(struct xpt_rdma_store *store, struct xpt_rdma_db *db)
{
	sqlite3_stmt *st = NULL;
	struct xpt_strbuf sb;
	unsigned i;
	int err = load_learned(store, db);

	if (!err)
		err = error_of(sqlite3_exec(db->db, "DELETE FROM learned", NULL, NULL, NULL));
	if (!err)
		err = error_of(sqlite3_prepare_v2(db->db, "INSERT INTO learned VALUES (?1)", -1, &st, NULL));
	xpt_strbuf__init(&sb, XPT_RDMA_TREE_LINE);
	for (i = 0; !err && i < store->rules->nr_learned; i++) {
		xpt_strbuf__reset(&sb);
		xpt_rdma_learned__print(&store->rules->learned[i], &sb);
		err = xpt_strbuf__err(&sb);
		if (!err)
			err = error_of(sqlite3_bind_text(st, 1, sb.s, (int)sb.len, SQLITE_STATIC));
		if (!err)
			err = error_of(sqlite3_step(st));
		sqlite3_reset(st);
	}
	xpt_strbuf__free(&sb);
	sqlite3_finalize(st);
	return err;
}

/* Nothing is written into a database that is not ours. */
static int begin_writing(struct xpt_rdma_db *db)
{
	bool new;
	int err = xpt_rdma_db__begin(db, &new);

	if (!err)
		err = error_of(sqlite3_exec(db->db, "COMMIT", NULL, NULL, NULL));
	if (!err)
		err = error_of(sqlite3_exec(db->db, create, NULL, NULL, NULL));
	return err ? err : xpt_rdma_db__check_schema(db);
}

/* One that SQLite makes all others can read, and so lock. */
static int make_private(const char *real)
{
	int fd = open(real, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	close(fd);
	return 0;
}

static int save_store(struct xpt_rdma_store *store)
{
	char real[PATH_MAX + NAME_MAX + 2];
	struct xpt_rdma_db db;
	int err = xpt_rdma_db__own_path(store->path, real, sizeof(real));

	if (!err)
		err = make_private(real);
	if (!err)
		err = xpt_rdma_db__open(&db, real, SQLITE_OPEN_READWRITE, store->no_wait ? 0 : XPT_RDMA_DB_WAIT_MS);
	if (err)
		return err;
	err = begin_writing(&db);
	if (!err)
		err = put_trees(store, db.db);
	if (!err)
		err = put_learned(store, &db);
	if (!err)
		err = error_of(sqlite3_exec(db.db, "COMMIT", NULL, NULL, NULL));
	if (err)
		sqlite3_exec(db.db, "ROLLBACK", NULL, NULL, NULL);
	xpt_rdma_db__close(&db);
	return err;
}

int xpt_rdma_sqlite__save(struct xpt_rdma_store *store)
{
	bool entered = xpt_fsuser__enter(store->path);
	int err = save_store(store);

	xpt_fsuser__leave(entered);
	return err;
}

#else

bool xpt_rdma_sqlite__have(void)
{
	return false;
}

int xpt_rdma_sqlite__load(struct xpt_rdma_store *store)
{
	(void)store;
	return -EOPNOTSUPP;
}

int xpt_rdma_sqlite__save(struct xpt_rdma_store *store)
{
	(void)store;
	return -EOPNOTSUPP;
}

#endif
