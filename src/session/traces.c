// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The default file. The link is made under another name and then renamed, so
 * that whoever opens it finds a recording at any time; a file of that name that
 * is no link belongs to somebody else and stays.
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
#define NAME(path) ((path) + sizeof(DIR))	/* behind "traces/" */

#define INSTEAD "(use -o FILE or --no-file)"

/*
 * Whoever owns the current folder may have put anything there under that name: a folder of his
 * own, in which he would exchange what is written, or a link to one of the system's.
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

/* traces/trace_20261121_190000.xtr, with a number if that one is there. */
static int make_file(struct xpt_traces *t)
{
	time_t now = time(NULL);
	int dir = open_dir(t), err = dir, i;
	char stamp[32], nr[8] = "";
	struct tm tm;

	if (dir < 0)
		return dir;
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d_%H%M%S", &tm);
	for (i = 1; i < 100; i++) {
		snprintf(t->file, sizeof(t->file), DIR "/trace_%s%s.xtr", stamp, nr);
		err = xpt_file__make_in(dir, NAME(t->file), t->file, &t->open);
		if (err != -EEXIST)
			break;
		snprintf(nr, sizeof(nr), "_%d", i);
	}
	if (!err)
		return 0;
	close(dir);
	t->file[0] = '\0';	/* not ours: never to be removed */
	return xpt_err(err, "cannot make a file in " DIR "/ here: %s " INSTEAD, strerror(-err));
}

/* Whose file a signal removes, as all that was made. */
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

/* No signal comes between the file's making and the handler's knowing it. */
int xpt_traces__make(struct xpt_traces *t)
{
	sigset_t block, had;
	size_t i;
	int err;

	sigemptyset(&block);
	for (i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		sigaddset(&block, early[i]);
	sigprocmask(SIG_BLOCK, &block, &had);
	err = make_file(t);
	opening = err ? NULL : t;
	sigprocmask(SIG_SETMASK, &had, NULL);
	return err;
}

/* In the folder dir. 0 or -errno. */
static int replace_link(int dir, const char *to)
{
	char temp[48];
	struct stat st;

	if (!fstatat(dir, NAME(XPT_TRACES_LATEST), &st, AT_SYMLINK_NOFOLLOW) && !S_ISLNK(st.st_mode))
		return -EEXIST;
	snprintf(temp, sizeof(temp), ".latest.%d", (int)getpid());
	unlinkat(dir, temp, 0);	/* of a process that had our id and was killed just here */
	if (symlinkat(to, dir, temp))
		return -errno;
	if (renameat(dir, temp, dir, NAME(XPT_TRACES_LATEST))) {
		int err = -errno;

		unlinkat(dir, temp, 0);
		return err;
	}
	return 0;
}

void xpt_traces__link(struct xpt_traces *t)
{
	bool entered;
	int err;

	if (!t->file[0] || t->linked || t->link_failed)
		return;
	entered = xpt_fsuser__enter(NULL);
	err = replace_link(t->open.place.dir, NAME(t->file));
	xpt_fsuser__leave(entered);
	t->linked = !err;
	t->link_failed = err;
	if (err)
		xpt_warn("%s does not lead to this trace: %s", XPT_TRACES_LATEST,
			 err == -EEXIST ? "it is no symbolic link" : strerror(-err));
}

void xpt_traces__drop(struct xpt_traces *t)
{
	if (!t->file[0])
		return;
	xpt_file__remove(&t->open);
	t->file[0] = '\0';
	remove_dir(t);
}
