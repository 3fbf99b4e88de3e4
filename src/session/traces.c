// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The default files. Each link is made under another name and then renamed, so
 * that whoever opens it finds a trace at any time. A file of that name that is no
 * link, or a link of another user, stays.
 */
#include "session/traces.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files/fsuser.h"
#include "base/log.h"

#define DIR "traces"
#define LATEST_RECORDING DIR "/trace_latest.xtr"
#define NAME(path) ((path) + sizeof(DIR))	/* after "traces/" */

#define LINK_TRIES 10	/* names of a link before it is renamed */

#define INSTEAD "(use -o FILE or --no-file)"

static const char *const ends[XPT_TRACES_FILES] = { [XPT_TRACES_RECORDING] = "xtr", [XPT_TRACES_LINES] = "jsonl" };
const char *const xpt_traces_latest[XPT_TRACES_FILES] = {
	[XPT_TRACES_RECORDING] = LATEST_RECORDING,
	[XPT_TRACES_LINES] = DIR "/trace_latest.jsonl",
};

/*
 * Whoever owns the current folder may have put anything there under that name: a folder of his own, in which he
 * would exchange files that are written, or a link to one of the system's.
 */
static int check_dir(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return xpt_err(-errno, DIR "/: %s", strerror(errno));
	if (st.st_uid && st.st_uid != xpt_fsuser__uid())
		return xpt_err(-EPERM, DIR "/ here belongs to user %u, who could change what is written there "
			       INSTEAD, (unsigned)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
		return xpt_err(-EPERM, DIR "/ here can be written by other users: 'chmod go-w " DIR
			       "' ends that " INSTEAD);
	return 0;
}

/* The folder's descriptor, or -errno and it has said why. */
static int open_dir(struct xpt_traces *t)
{
	bool entered = xpt_fsuser__enter(NULL);
	int fd = -1, err;

	t->made_dir = !mkdir(DIR, 0755);
	if (t->made_dir || errno == EEXIST)
		fd = open(DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	xpt_fsuser__leave(entered);
	if (err == -ENOTDIR || err == -ELOOP)
		return xpt_err(err, "cannot make a file in " DIR "/ here: it is no folder, or a link " INSTEAD);
	if (err)
		return xpt_err(err, "cannot make " DIR "/ here: %s " INSTEAD, strerror(-err));
	err = check_dir(fd);
	if (err)
		close(fd);
	return err ? err : fd;
}

static void remove_files(struct xpt_traces *t)
{
	for (unsigned i = 0; i < XPT_TRACES_FILES; i++) {
		if (!t->file[i].path[0])
			continue;
		xpt_file__remove(&t->file[i].open);
		t->file[i].path[0] = '\0';
	}
}

/* Makes both files of that name, or none. 0 or -errno. */
static int make_files(struct xpt_traces *t, int dir, const char *name)
{
	int err = 0;

	for (unsigned i = 0; i < XPT_TRACES_FILES && !err; i++) {
		struct xpt_traces_file *f = &t->file[i];

		snprintf(f->path, sizeof(f->path), DIR "/%s.%s", name, ends[i]);
		err = xpt_file__make_in(dir, NAME(f->path), f->path, &f->open);
		if (err)
			f->path[0] = '\0';	/* not ours: never to be removed */
	}
	if (!err)
		return 0;
	for (unsigned i = 0; i < XPT_TRACES_FILES; i++)
		if (t->file[i].path[0])
			close(t->file[i].open.fd);
	remove_files(t);
	return err;
}

/* traces/trace_20261121_190000.xtr and .jsonl, with a number if one of them is there. */
static int make_both(struct xpt_traces *t)
{
	time_t now = time(NULL);
	int dir = open_dir(t), err = dir, i;
	char stamp[32], name[64];
	struct tm tm;

	if (dir < 0)
		return dir;
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "trace_%Y%m%d_%H%M%S", &tm);
	snprintf(name, sizeof(name), "%s", stamp);
	for (i = 1; i < 100; i++) {
		err = make_files(t, dir, name);
		if (err != -EEXIST)
			break;
		snprintf(name, sizeof(name), "%s_%d", stamp, i);
	}
	if (!err)
		return 0;
	close(dir);
	return xpt_err(err, "cannot make a file in " DIR "/ here: %s " INSTEAD, strerror(-err));
}

/* The files that a signal removes, with their folder. */
static struct xpt_traces *volatile opening;
static volatile pid_t opener;	/* not in children: they have this handler, too */
static const int early[] = { SIGINT, SIGTERM, SIGHUP };

static void remove_dir(const struct xpt_traces *t)
{
	bool entered;

	if (!t->made_dir)
		return;
	entered = xpt_fsuser__enter(NULL);
	rmdir(DIR);	/* if it is empty */
	xpt_fsuser__leave(entered);
}

static void on_early_signal(int sig)
{
	if (opener == getpid()) {
		xpt_file__remove_made();
		if (opening)
			remove_dir(opening);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

void xpt_traces__guard(void)
{
	struct sigaction sa = { .sa_handler = on_early_signal }, old;

	opener = getpid();
	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		if (!sigaction(early[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(early[i], &sa, NULL);
}

/* No signal comes between the making of the files and the handler's knowing them. */
int xpt_traces__make(struct xpt_traces *t)
{
	sigset_t block, had;
	size_t i;
	int err;

	sigemptyset(&block);
	for (i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		sigaddset(&block, early[i]);
	sigprocmask(SIG_BLOCK, &block, &had);
	err = make_both(t);
	opening = err ? NULL : t;
	sigprocmask(SIG_SETMASK, &had, NULL);
	return err;
}

/*
 * Why that name in the folder dir must stay: it is no link, or in a folder of many users another one's. 0 or -errno.
 */
static int check_link(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISLNK(st.st_mode))
		return -EEXIST;
	return st.st_uid && st.st_uid != xpt_fsuser__uid() ? -EPERM : 0;
}

/* Makes a link of a new name in the folder dir; a name that is taken may be another user's. 0 or -errno. */
static int make_link(int dir, const char *to, char *ret_name, size_t n)
{
	int err = -EEXIST;

	for (int i = 0; i < LINK_TRIES && err == -EEXIST; i++) {
		snprintf(ret_name, n, ".latest.%d.%d", (int)getpid(), i);
		err = symlinkat(to, dir, ret_name) ? -errno : 0;
	}
	return err;
}

/* Replaces a link in the folder dir. Returns 0 or -errno. */
static int replace_link(int dir, const char *name, const char *to)
{
	int err = check_link(dir, name);
	char temp[48];

	if (!err)
		err = make_link(dir, to, temp, sizeof(temp));
	if (err)
		return err;
	if (renameat(dir, temp, dir, name)) {
		err = -errno;
		unlinkat(dir, temp, 0);
	}
	return err;
}

static void link_one(struct xpt_traces_file *f, const char *latest)
{
	bool entered = xpt_fsuser__enter(NULL);
	int err = replace_link(f->open.place.dir, NAME(latest), NAME(f->path));

	xpt_fsuser__leave(entered);
	f->linked = !err;
	if (err)
		xpt_warn("%s does not lead to this trace: %s", latest,
			 err == -EEXIST ? "it is no symbolic link" :
			 err == -EPERM ? "it is another user's" : strerror(-err));
}

void xpt_traces__link(struct xpt_traces *t)
{
	if (t->link_tried)
		return;
	t->link_tried = true;
	for (unsigned i = 0; i < XPT_TRACES_FILES; i++)
		if (t->file[i].path[0])
			link_one(&t->file[i], xpt_traces_latest[i]);
}

const char *xpt_traces__hint(void)
{
	struct stat st;

	return stat(xpt_traces_latest[XPT_TRACES_RECORDING], &st) ? "" : " " LATEST_RECORDING " is the newest here";
}

void xpt_traces__drop(struct xpt_traces *t)
{
	if (!t->file[0].path[0])
		return;
	remove_files(t);
	remove_dir(t);
}
