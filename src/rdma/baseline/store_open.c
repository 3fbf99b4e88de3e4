// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See store_open.h. The metadata of a database (views, lengths, a tree of pages that leads in circles) cost SQLite
 * time and memory before anybody looks at them: so bounds are set first, then the schema is compared, then rows are
 * read.
 */
#include "rdma/baseline/store_priv.h"

#if defined(XPT_HAVE_SQLITE) && !defined(XPT_STATIC)
#include "rdma/baseline/store_open.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/chase.h"
#include "base/files/fsuser.h"

enum {
	FORMAT = 1,
	STEPS = 1000, ROUNDS = 1000,	/* to load or to save a full store takes less than 20,000 steps */
	LOCK_TRIES = 100, LOCK_US = 20000,
	LOCK_BYTES = 512, VERSION_AT = 18,	/* of SQLite's file format */
	SQL_BYTES = 4096,
};

static const off_t lock_at = 0x40000000;

int xpt_rdma_db__code(int rc)
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
	case SQLITE_TOOBIG:
	case SQLITE_INTERRUPT:	/* too many steps */
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

/* --- where it lies ---------------------------------------------------------------------- */

static bool is_ours(const struct stat *st)
{
	return !st->st_uid || st->st_uid == xpt_fsuser__uid();
}

/* Nobody else can put a file into this folder, nor another folder in its place. */
static int check_folders(int dir)
{
	int fd = fcntl(dir, F_DUPFD_CLOEXEC, 0), next, err = fd < 0 ? -errno : 0;
	struct stat st, below = { .st_ino = 0 };
	bool first = true;

	for (; !err; first = false) {
		mode_t others;

		if (fstat(fd, &st)) {
			err = -errno;
			break;
		}
		if (!first && st.st_ino == below.st_ino && st.st_dev == below.st_dev)
			break;		/* the root */
		others = st.st_mode & (S_IWGRP | S_IWOTH);
		if (!st.st_nlink)
			err = -ENOENT;
		else if (!is_ours(&st) || (others && (first || !(st.st_mode & S_ISVTX))))
			err = -XPT_EUNSAFE;
		below = st;
		next = err ? fd : openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (next < 0) {
			err = -errno;
		} else if (!err) {
			close(fd);
			fd = next;
		}
	}
	if (fd >= 0)
		close(fd);
	return err;
}

static int check_place(const struct xpt_place *p)
{
	struct stat st;
	int err = p->magic ? -XPT_EUNSAFE : check_folders(p->dir);

	if (err)
		return err;
	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	return S_ISREG(st.st_mode) && is_ours(&st) ? 0 : -XPT_EUNSAFE;
}

int xpt_rdma_db__own_path(const char *path, char *ret_real, size_t n)
{
	struct xpt_place p;
	char link[32];
	ssize_t len;
	int err = xpt_chase(path, &p);

	if (err)
		return err;
	err = check_place(&p);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", p.dir);
	len = readlink(link, ret_real, n - sizeof(p.name) - 1);
	if (!err && len < 0)
		err = -errno;
	if (!err)
		snprintf(ret_real + len, n - (size_t)len, "/%s", p.name);
	close(p.dir);
	return err;
}

/* --- opening ---------------------------------------------------------------------------- */

static int count_steps(void *ctx)
{
	struct xpt_rdma_db *db = ctx;

	return !db->steps || !--db->steps;
}

/* Before SQLite reads anything. */
static int check_size(struct xpt_rdma_db *db, int wait_ms)
{
	static const struct { int what, on; } conf[] = {
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
#ifdef SQLITE_DBCONFIG_DEFENSIVE
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
#endif
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
#endif
	};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < sizeof(conf) / sizeof(conf[0]); i++)
		err = xpt_rdma_db__code(sqlite3_db_config(db->db, conf[i].what, conf[i].on, NULL));
	sqlite3_limit(db->db, SQLITE_LIMIT_LENGTH, XPT_RDMA_TREE_LINE + (64 << 10));
	sqlite3_limit(db->db, SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES);
	sqlite3_limit(db->db, SQLITE_LIMIT_ATTACHED, 0);
	db->steps = ROUNDS;
	db->bytes = XPT_RDMA_DB_BYTES;
	sqlite3_progress_handler(db->db, STEPS, count_steps, db);
	sqlite3_busy_timeout(db->db, wait_ms);
	return err ? err : xpt_rdma_db__code(sqlite3_exec(db->db, "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0;"
							  "PRAGMA cell_size_check=ON", NULL, NULL, NULL));
}

int xpt_rdma_db__open(struct xpt_rdma_db *db, const char *real, int flags, int wait_ms)
{
	int err;

	*db = (struct xpt_rdma_db){ .db = NULL };
#ifdef SQLITE_OPEN_NOFOLLOW
	flags |= SQLITE_OPEN_NOFOLLOW;
#endif
	err = xpt_rdma_db__code(sqlite3_open_v2(real, &db->db, flags, NULL));
	if (!err)
		err = check_size(db, wait_ms);
	if (err)
		xpt_rdma_db__close(db);
	return err;
}

void xpt_rdma_db__close(struct xpt_rdma_db *db)
{
	sqlite3_close(db->db);
	db->db = NULL;
}

/* --- an image --------------------------------------------------------------------------- */

#if SQLITE_VERSION_NUMBER >= 3036000 && !defined(SQLITE_OMIT_DESERIALIZE)

/* As SQLite's readers do. File systems without locks have none. */
static int lock_file(int fd)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = lock_at, .l_len = LOCK_BYTES };
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (!fcntl(fd, F_OFD_SETLK, &l) || (errno != EAGAIN && errno != EACCES))
			return 0;
		usleep(LOCK_US);
	}
	return -EBUSY;
}

/* The journal that a killed writer has left holds the changes to take back, and only SQLite can do that. */
static int check_journal(const char *path)
{
	char journal[PATH_MAX + 16];
	struct stat st;

	snprintf(journal, sizeof(journal), "%s-journal", path);
	return !lstat(journal, &st) && st.st_size ? -EBUSY : 0;
}

static int read_image(int fd, unsigned char **ret_image, size_t *ret_n)
{
	struct stat st;
	size_t n = 0;
	ssize_t got = 1;
	unsigned char *image;
	int err = 0;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > XPT_RDMA_DB_BYTES)
		return -EFBIG;
	image = sqlite3_malloc64((sqlite3_uint64)st.st_size + 1);
	if (!image)
		return -ENOMEM;
	for (; got > 0 && n < (size_t)st.st_size; n += got > 0 ? (size_t)got : 0)
		got = read(fd, image + n, (size_t)st.st_size - n);
	if (got < 0)
		err = -errno;
	else if (n <= VERSION_AT + 1 || image[VERSION_AT] != 1 || image[VERSION_AT + 1] != 1)
		err = -EBADMSG;
	if (err) {
		sqlite3_free(image);
		return err;
	}
	*ret_image = image;
	*ret_n = n;
	return 0;
}

static int open_image(struct xpt_rdma_db *db, unsigned char *image, size_t n)
{
	int err = xpt_rdma_db__code(sqlite3_open_v2(":memory:", &db->db, SQLITE_OPEN_READWRITE, NULL));

	if (err)
		sqlite3_free(image);
	else	/* which frees it, even if it fails */
		err = xpt_rdma_db__code(sqlite3_deserialize(db->db, "main", image, (sqlite3_int64)n, (sqlite3_int64)n,
							    SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE));
	if (!err)
		err = check_size(db, 0);
	if (err)
		xpt_rdma_db__close(db);
	return err;
}

int xpt_rdma_db__open_image(struct xpt_rdma_db *db, const char *path)
{
	int fd = xpt_rdma_store__open_file(path), err = fd < 0 ? fd : lock_file(fd);
	unsigned char *image = NULL;
	size_t n = 0;

	*db = (struct xpt_rdma_db){ .db = NULL };
	if (!err)
		err = check_journal(path);
	if (!err)
		err = read_image(fd, &image, &n);
	if (fd >= 0)
		close(fd);
	return err ? err : open_image(db, image, n);
}

#else

int xpt_rdma_db__open_image(struct xpt_rdma_db *db, const char *path)
{
	(void)path;
	*db = (struct xpt_rdma_db){ .db = NULL };
	return -XPT_EUNSAFE;
}

#endif

/* --- the format ------------------------------------------------------------------------- */

static int number_of(sqlite3 *db, const char *pragma, int *ret_number)
{
	sqlite3_stmt *st = NULL;
	int rc, err = xpt_rdma_db__code(sqlite3_prepare_v2(db, pragma, -1, &st, NULL));

	if (!err) {
		rc = sqlite3_step(st);
		if (rc == SQLITE_ROW)
			*ret_number = sqlite3_column_int(st, 0);
		else
			err = rc == SQLITE_DONE ? -EBADMSG : xpt_rdma_db__code(rc);
	}
	sqlite3_finalize(st);
	return err;
}

/* SQLite counts changes of the schema: at 0 the file has just been made, and holds nothing yet. */
static int check_format(sqlite3 *db, bool *ret_new)
{
	int changes = 0, format = 0;
	int err = number_of(db, "PRAGMA schema_version", &changes);

	*ret_new = !err && !changes;
	if (!err)
		err = number_of(db, "PRAGMA user_version", &format);
	return !err && !*ret_new && format != FORMAT ? -EBADMSG : err;
}

/* Of a row of the schema: type, name, table, SQL. */
static bool is_row(sqlite3_stmt *st, const char *const *want)
{
	int i;

	for (i = 0; i < 4; i++) {
		const char *s = (const char *)sqlite3_column_text(st, i);

		if (!s != !want[i] || (s && strcmp(s, want[i])))
			return false;
	}
	return true;
}

int xpt_rdma_db__check_schema(struct xpt_rdma_db *db)
{
	static const char *const want[3][4] = {
		{ "table", "baseline", "baseline", "CREATE TABLE " XPT_RDMA_DB_BASELINE },
		{ "index", "sqlite_autoindex_baseline_1", "baseline", NULL },
		{ "table", "learned", "learned", "CREATE TABLE " XPT_RDMA_DB_LEARNED },
	};
	sqlite3_stmt *st = NULL;
	int n = 0, rc = SQLITE_ROW, err;

	err = xpt_rdma_db__code(sqlite3_prepare_v2(db->db, "SELECT type, name, tbl_name, sql FROM sqlite_master "
						   "ORDER BY rowid", -1, &st, NULL));
	while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW)
		err = n < 3 && is_row(st, want[n++]) ? 0 : -EBADMSG;
	sqlite3_finalize(st);
	if (!err)
		err = xpt_rdma_db__code(rc);
	return !err && n != 3 ? -EBADMSG : err;
}

int xpt_rdma_db__begin(struct xpt_rdma_db *db, bool *ret_new)
{
	int err = xpt_rdma_db__code(sqlite3_exec(db->db, "BEGIN", NULL, NULL, NULL));

	if (!err)
		err = check_format(db->db, ret_new);
	return err || *ret_new ? err : xpt_rdma_db__check_schema(db);
}

#endif
