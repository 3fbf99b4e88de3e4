// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opening output files. Nothing is emptied before all outputs are known to be
 * good: a mistyped command line must not cost somebody's recording.
 */
#include "session/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/fsuser.h"
#include "base/log.h"

#define LINE_MAX_BYTES (1 << 20)	/* no line of ours is longer */
#define MAX_CREATED 64	/* as many as a trace has outputs */

static struct xpt_file created_files[MAX_CREATED];
static volatile sig_atomic_t nr_created_files;

static void block_ends(sigset_t *ret_had)
{
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	sigprocmask(SIG_BLOCK, &block, ret_had);
}

/*
 * Files that root writes have facts about everybody's processes: they are for the user who traced alone. The files
 * that a user converts are his own business, and umask's.
 */
static mode_t new_mode(void)
{
	return geteuid() ? 0644 : 0600;
}

/* No signal comes between its making and its place in the list. */
static int make_file(struct xpt_file *f)
{
	struct stat st;
	sigset_t had;

	block_ends(&had);
	f->fd = xpt_place__open(&f->place, O_CREAT | O_EXCL, new_mode());
	f->created = f->fd >= 0;
	if (f->created && !fstat(f->fd, &st)) {
		f->regular = S_ISREG(st.st_mode);
		f->dev = st.st_dev;
		f->ino = st.st_ino;
		if (nr_created_files < MAX_CREATED) {
			created_files[nr_created_files] = *f;
			nr_created_files = nr_created_files + 1;
		}
	}
	sigprocmask(SIG_SETMASK, &had, NULL);
	return f->created ? 0 : f->fd;
}

void xpt_file__remove_made(void)
{
	for (int i = 0; i < nr_created_files; i++)
		xpt_file__remove(&created_files[i]);
}

static int open_there(struct xpt_file *f)
{
	struct stat st;
	int err;

	f->fd = xpt_place__open(&f->place, 0, 0);
	if (f->fd < 0)
		return f->fd;
	if (fstat(f->fd, &st)) {
		err = -errno;
		close(f->fd);
		return err;
	}
	f->regular = S_ISREG(st.st_mode);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return 0;
}

static int open_or_make(const char *path, struct xpt_file *f)
{
	int err = xpt_chase(path, &f->place);

	if (err)
		return err;
	err = f->place.magic ? -EEXIST : make_file(f);
	if (err == -EEXIST)
		err = open_there(f);
	if (err)
		close(f->place.dir);
	return err;
}

/* Returns a text that names the user whose rights were too few: under sudo, people expect root's rights. */
static const char *as_whom(int err, char *buf, size_t n)
{
	buf[0] = '\0';
	if ((err == -EACCES || err == -EPERM) && xpt_fsuser__uid() != geteuid())
		snprintf(buf, n, " as user %u, who called sudo", (unsigned)xpt_fsuser__uid());
	return buf;
}

static struct {
	const char *path;
	int fd;
} lent;

void xpt_file__lend(const char *path, int fd)
{
	lent.path = path;
	lent.fd = fd;
}

/* A descriptor of its own, which can be closed. */
static int open_lent(struct xpt_file *f)
{
	struct stat st;

	f->fd = fcntl(lent.fd, F_DUPFD_CLOEXEC, 3);
	if (f->fd < 0 || fstat(f->fd, &st))
		return -errno;
	f->regular = S_ISREG(st.st_mode);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->place.dir = -1;
	return 0;
}

int xpt_file__open(const char *path, struct xpt_file *ret_f)
{
	struct xpt_file f = { .path = path };
	bool is_lent = lent.path && !strcmp(path, lent.path), entered = xpt_fsuser__enter(NULL);
	int err = is_lent ? open_lent(&f) : open_or_make(path, &f);
	char as[64];

	xpt_fsuser__leave(entered);
	if (err)
		return xpt_err(err, "cannot write %s%s: %s", path, as_whom(err, as, sizeof(as)),
			       xpt_chase__error(err));
	*ret_f = f;
	return 0;
}

int xpt_file__make_in(int dir, const char *name, const char *path, struct xpt_file *ret_f)
{
	struct xpt_file f = { .path = path, .place = { .dir = dir } };
	bool entered = xpt_fsuser__enter(NULL);
	int err;

	snprintf(f.place.name, sizeof(f.place.name), "%s", name);
	err = make_file(&f);
	xpt_fsuser__leave(entered);
	if (!err)
		*ret_f = f;
	return err;
}

bool xpt_file__same(const struct xpt_file *a, const struct xpt_file *b)
{
	return a->regular && b->regular && a->dev == b->dev && a->ino == b->ino;
}

int xpt_file__cut(const struct xpt_file *f, off_t size)
{
	if (!f->regular || !ftruncate(f->fd, size))
		return 0;
	return xpt_err(-errno, "cannot write %s: %s", f->path, strerror(errno));
}

void xpt_file__cut_to_line(const struct xpt_file *f)
{
	char path[64], buf[4096];
	off_t end, at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	fd = f->regular ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	end = at = lseek(fd, 0, SEEK_END);
	while (at > 0 && end - at < LINE_MAX_BYTES) {
		off_t from = at > (off_t)sizeof(buf) ? at - (off_t)sizeof(buf) : 0;

		n = pread(fd, buf, (size_t)(at - from), from);
		while (n > 0 && buf[n - 1] != '\n')
			n--;
		at = n > 0 ? from + n : from;
		if (n != 0)
			break;
	}
	if (at >= 0 && at < end && ftruncate(f->fd, at))
		xpt_debug("%s: cannot cut half a line: %s", f->path, strerror(errno));
	close(fd);
}

void xpt_file__remove(const struct xpt_file *f)
{
	bool entered = f->created && xpt_fsuser__enter(NULL);
	struct stat st;

	if (f->created && !fstatat(f->place.dir, f->place.name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(st.st_mode) && st.st_dev == f->dev && st.st_ino == f->ino)
		unlinkat(f->place.dir, f->place.name, 0);
	xpt_fsuser__leave(entered);
}
