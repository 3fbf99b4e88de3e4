// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The store as a database of SQLite: a row for each tree, with its key as columns
 * for people who ask with SQL, and its line of JSON; a row for each learned error.
 * What changed is written in one transaction, and only that, so that a watcher and a
 * command can use one file: each keeps what the other has added and learned. Freed pages are given
 * back (auto_vacuum). The static binary goes without: SQLite refers to the loader of
 * shared libraries.
 */
#include <errno.h>
#include <stddef.h>

#include "rdma/store_priv.h"

#if defined(XPT_HAVE_SQLITE) && !defined(XPT_STATIC)
#include <sqlite3.h>
#include <string.h>

#include "rdma/trace_json.h"

enum { WAIT_MS = 2000, FORMAT = 1 };

static const char create[] =
	"PRAGMA auto_vacuum=FULL;"
	"CREATE TABLE IF NOT EXISTS baseline (method TEXT, object TEXT, shape TEXT, driver TEXT,"
	" kernel TEXT, traces INTEGER, last_ns INTEGER, line TEXT,"
	" PRIMARY KEY (method, object, shape, driver, kernel));"
	"CREATE TABLE IF NOT EXISTS learned (line TEXT);"
	"PRAGMA user_version=1;";

bool xpt_rdma_sqlite__have(void)
{
	return true;
}

static int code(int rc)
{
	switch (rc) {
	case SQLITE_OK:
	case SQLITE_DONE:
	case SQLITE_ROW:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR:	/* another schema */
		return -EBADMSG;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_PERM:
	case SQLITE_READONLY:
		return -EACCES;
	case SQLITE_CANTOPEN:
		return -ENOENT;
	default:
		return -EIO;
	}
}

static int open_db(const char *path, int flags, sqlite3 **ret_db)
{
	sqlite3 *db = NULL;
	int err = code(sqlite3_open_v2(path, &db, flags, NULL));

	if (err) {
		sqlite3_close(db);
		return err;
	}
	sqlite3_busy_timeout(db, WAIT_MS);
	*ret_db = db;
	return 0;
}

static int format_of(sqlite3 *db, int *ret_format)
{
	sqlite3_stmt *st = NULL;
	int err = code(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL));

	if (!err && sqlite3_step(st) == SQLITE_ROW)
		*ret_format = sqlite3_column_int(st, 0);
	else if (!err)
		err = -EBADMSG;
	sqlite3_finalize(st);
	return err;
}

static int load_lines(struct xpt_rdma_store *store, sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int rc = SQLITE_ROW, err = code(sqlite3_prepare_v2(db, sql, -1, &st, NULL));

	while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *line = (const char *)sqlite3_column_text(st, 0);
		int n = sqlite3_column_bytes(st, 0);

		err = line && n > 0 && n <= XPT_RDMA_TREE_LINE ?
		      xpt_rdma_store__line(store, line, (size_t)n) : -EBADMSG;
	}
	sqlite3_finalize(st);
	return err ? err : code(rc);
}

int xpt_rdma_sqlite__load(struct xpt_rdma_store *store)
{
	sqlite3 *db;
	int format = 0, err = open_db(store->path, SQLITE_OPEN_READONLY, &db);
	unsigned i;

	if (err)
		return err;
	err = format_of(db, &format);
	if (!err && format != FORMAT)
		err = -EBADMSG;
	if (!err)
		err = load_lines(store, db, "SELECT line FROM baseline ORDER BY last_ns");
	if (!err)
		err = load_lines(store, db, "SELECT line FROM learned");
	sqlite3_close(db);
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
		err = code(sqlite3_bind_text(st, i + 1, key[i], -1, SQLITE_STATIC));
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
		err = code(sqlite3_bind_int64(st, 6, (sqlite3_int64)tree->traces));
	if (!err)
		err = code(sqlite3_bind_int64(st, 7, (sqlite3_int64)tree->last_ns));
	if (!err)
		err = code(sqlite3_bind_text(st, 8, sb->s, (int)sb->len, SQLITE_STATIC));
	if (!err)
		err = code(sqlite3_step(st));
	sqlite3_reset(st);
	return err;
}

static int take_away(const struct xpt_rdma_store *store, sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	unsigned i;
	int err;

	if (store->removed_more)
		return code(sqlite3_exec(db, "DELETE FROM baseline", NULL, NULL, NULL));
	err = code(sqlite3_prepare_v2(db, "DELETE FROM baseline WHERE method=?1 AND object=?2 AND shape=?3 "
				      "AND driver=?4 AND kernel=?5", -1, &st, NULL));
	for (i = 0; !err && i < store->nr_removed; i++) {
		err = bind_key(st, &store->removed[i]);
		if (!err)
			err = code(sqlite3_step(st));
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	return err;
}

/* With what another may have written of this kind since. */
static int settle(sqlite3_stmt *st, struct xpt_rdma_slot *slot)
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
		err = code(rc);
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
			err = settle(get, slot);
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
		err = code(sqlite3_prepare_v2(db, "SELECT line FROM baseline WHERE method=?1 AND object=?2 AND "
					      "shape=?3 AND driver=?4 AND kernel=?5", -1, &get, NULL));
	if (!err)
		err = code(sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO baseline VALUES "
					      "(?1,?2,?3,?4,?5,?6,?7,?8)", -1, &to, NULL));
	if (!err)
		err = put_changed(store, get, to);
	sqlite3_finalize(get);
	sqlite3_finalize(to);
	return err;
}

/* With what others have learned since. */
static int put_learned(struct xpt_rdma_store *store, sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	struct xpt_strbuf sb;
	unsigned i;
	int err = load_lines(store, db, "SELECT line FROM learned");

	if (!err)
		err = code(sqlite3_exec(db, "DELETE FROM learned", NULL, NULL, NULL));
	if (!err)
		err = code(sqlite3_prepare_v2(db, "INSERT INTO learned VALUES (?1)", -1, &st, NULL));
	xpt_strbuf__init(&sb, XPT_RDMA_TREE_LINE);
	for (i = 0; !err && i < store->rules->nr_learned; i++) {
		xpt_strbuf__reset(&sb);
		xpt_rdma_learned__print(&store->rules->learned[i], &sb);
		err = xpt_strbuf__err(&sb);
		if (!err)
			err = code(sqlite3_bind_text(st, 1, sb.s, (int)sb.len, SQLITE_STATIC));
		if (!err)
			err = code(sqlite3_step(st));
		sqlite3_reset(st);
	}
	xpt_strbuf__free(&sb);
	sqlite3_finalize(st);
	return err;
}

int xpt_rdma_sqlite__save(struct xpt_rdma_store *store)
{
	sqlite3 *db;
	int err = open_db(store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db);

	if (err)
		return err;
	err = code(sqlite3_exec(db, create, NULL, NULL, NULL));
	if (!err)
		err = code(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL));
	if (!err) {
		err = put_trees(store, db);
		if (!err)
			err = put_learned(store, db);
		if (!err)
			err = code(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
		if (err)
			sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	}
	sqlite3_close(db);
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
