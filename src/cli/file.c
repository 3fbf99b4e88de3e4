// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opening output files. Nothing is emptied before all outputs are known to be
 * good: a mistyped command line must not cost somebody's recording.
 */
#include "cli/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/user.h"

#define LINE_MAX_BYTES (1 << 20)	/* no line of ours is longer */
#define MAX_MADE 64	/* as many as a trace has outputs */

static struct xpt_file made[MAX_MADE];
static volatile sig_atomic_t nr_made;

static void block_ends(sigset_t *ret_had)
{
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	sigprocmask(SIG_BLOCK, &block, ret_had);
}

void xpt_file__give_to_user(int fd)
{
	uid_t uid;
	gid_t gid;

	if (xpt_user__caller(&uid, &gid) && fchown(fd, uid, gid))
		xpt_debug("cannot give the file to uid %u: %s", (unsigned)uid, strerror(errno));
}

/* No signal comes between its making and its place in the list. A pipe is never made, and
 * not waited for here. */
static int make(const char *path)
{
	struct xpt_file f = { .path = path, .created = true };
	struct stat st;
	sigset_t had;
	int err;

	block_ends(&had);
	f.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	err = errno;
	if (f.fd >= 0 && nr_made < MAX_MADE && !fstat(f.fd, &st)) {
		f.dev = st.st_dev;
		f.ino = st.st_ino;
		made[nr_made] = f;
		nr_made = nr_made + 1;
	}
	sigprocmask(SIG_SETMASK, &had, NULL);
	errno = err;
	return f.fd;
}

void xpt_file__remove_made(void)
{
	for (int i = 0; i < nr_made; i++)
		xpt_file__remove(&made[i]);
}

int xpt_file__open(const char *path, struct xpt_file *ret_f)
{
	struct xpt_file f = { .path = path, .created = true };
	struct stat st;

	f.fd = make(path);
	if (f.fd < 0 && errno == EEXIST) {
		/* Without O_CREAT: fs.protected_regular would keep root from a file
		 * in /tmp that was given to the user last time. */
		f.created = false;
		f.fd = open(path, O_WRONLY | O_CLOEXEC);
		if (f.fd < 0 && errno == ENOENT)	/* a link to nowhere */
			f.fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	}
	if (f.fd < 0 || fstat(f.fd, &st))
		return xpt_err(-errno, "cannot write %s: %s", path, strerror(errno));
	if (f.created)
		xpt_file__give_to_user(f.fd);
	f.regular = S_ISREG(st.st_mode);
	f.dev = st.st_dev;
	f.ino = st.st_ino;
	*ret_f = f;
	return 0;
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
	struct stat st;

	if (f->created && !lstat(f->path, &st) && S_ISREG(st.st_mode) && st.st_dev == f->dev &&
	    st.st_ino == f->ino)
		unlink(f->path);
}
