/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opening a database that may be anybody's. By name only where nobody else can put files beside it or exchange a
 * folder on the way: SQLite believes a journal that it finds, and makes files (a write-ahead log) of its own
 * accord, with our rights. Elsewhere the database is read as an image in memory. Either way only databases as this
 * program makes them are accepted: two tables, no view, no trigger.
 */
#ifndef XPT_RDMA_BASELINE_STORE_OPEN_H
#define XPT_RDMA_BASELINE_STORE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

enum {
	XPT_RDMA_DB_BYTES = 256 << 20,	/* of a file, and read from one, at most */
	XPT_RDMA_DB_WAIT_MS = 2000,	/* for who writes it */
};

struct xpt_rdma_db {
	struct sqlite3 *db;
	unsigned steps;			/* of SQLite's machine that are left; no store of ours needs them */
	uint64_t bytes;			/* that may still be read */
};

/* For CREATE TABLE, and as a database has them. */
#define XPT_RDMA_DB_BASELINE "baseline (method TEXT, object TEXT, shape TEXT, driver TEXT," \
	" kernel TEXT, traces INTEGER, last_ns INTEGER, line TEXT," \
	" PRIMARY KEY (method, object, shape, driver, kernel))"
#define XPT_RDMA_DB_LEARNED "learned (line TEXT)"

/* 0 or -errno for a result of SQLite. */
int xpt_rdma_db__code(int rc);
/* The path without links (of PATH_MAX + NAME_MAX + 2 bytes), if it is ours alone; else -XPT_EUNSAFE, or -errno. */
int xpt_rdma_db__own_path(const char *path, char *ret_real, size_t n);
/* Opens such a path; flags of sqlite3_open_v2(); waits for wait_ms at most while another process has it locked. */
int xpt_rdma_db__open(struct xpt_rdma_db *db, const char *real, int flags, int wait_ms);
/*
 * Opens a file at any path for reading: no file is made, none but this one opened. -EFBIG; -EBADMSG: no file, or a
 * database with a write-ahead log; -EBUSY: it is being written, or its writer was killed.
 */
int xpt_rdma_db__open_image(struct xpt_rdma_db *db, const char *path);
/*
 * Begins to read: all reads until the database is closed are of one state. -EBADMSG: it is not ours; new: nothing
 * is in it.
 */
int xpt_rdma_db__begin(struct xpt_rdma_db *db, bool *ret_new);
int xpt_rdma_db__check_schema(struct xpt_rdma_db *db);
void xpt_rdma_db__close(struct xpt_rdma_db *db);	/* one that is not open is fine */

#endif
