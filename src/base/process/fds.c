// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See fds.h. The link of a descriptor in /proc has its type; the numbers are
 * collected first, because the list must not change while it is read.
 */
#include "base/process/fds.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUND 256	/* descriptors that are closed before the list is read again */
#define CLOSERS 16	/* threads, the caller's among them */

struct kept {
	const int *fds;
	size_t nr;
	bool ours;		/* and those that is_ours() accepts */
};

static bool is_ours(int fd)
{
	static const char anon[] = "anon_inode:";
	char path[32], to[sizeof(anon)] = "";
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return true;	/* not open */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, to, sizeof(to) - 1);
	return S_ISDIR(st.st_mode) || (n == (ssize_t)sizeof(anon) - 1 && !memcmp(to, anon, (size_t)n));
}

static bool stays_open(const struct kept *keep, int fd)
{
	struct stat st;
	size_t i;

	for (i = 0; i < keep->nr; i++)
		if (keep->fds[i] == fd)
			return true;
	if (keep->ours)
		return is_ours(fd);
	return fstat(fd, &st) || S_ISDIR(st.st_mode);
}

/* Lists descriptors to close, at most ROUND. */
static unsigned list_fds(const struct kept *keep, int *fds)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	unsigned n = 0;
	int fd;

	while (d && n < ROUND && (e = readdir(d)))
		if (sscanf(e->d_name, "%d", &fd) == 1 && !stays_open(keep, fd))
			fds[n++] = fd;
	if (d)
		closedir(d);
	return n;
}

static void close_others(const struct kept *keep)
{
	int fds[ROUND];
	unsigned i, n;

	do {
		n = list_fds(keep, fds);
		for (i = 0; i < n; i++)
			close(fds[i]);
	} while (n == ROUND);
}

void xpt_fds__let_go(const int *keep, size_t nr)
{
	close_others(&(struct kept){ keep, nr, true });
}

void xpt_fds__keep_only(const int *fds, size_t nr)
{
	close_others(&(struct kept){ fds, nr, false });
}

struct closing {
	const int *fds;
	size_t nr, next;	/* next: the first that was not taken */
};

static void *close_some(void *arg)
{
	struct closing *c = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->nr)
		close(c->fds[i]);
	return NULL;
}

void xpt_fds__close_all(const int *fds, size_t nr)
{
	struct closing c = { .fds = fds, .nr = nr };
	pthread_t threads[CLOSERS - 1];
	sigset_t all, had;
	size_t n = 0;

	sigfillset(&all);	/* signals are for the caller's thread */
	pthread_sigmask(SIG_SETMASK, &all, &had);
	while (n < CLOSERS - 1 && n + 1 < nr && !pthread_create(&threads[n], NULL, close_some, &c))
		n++;
	pthread_sigmask(SIG_SETMASK, &had, NULL);
	close_some(&c);
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

int xpt_fds__append(int **fds, size_t *nr, int fd)
{
	int *more = reallocarray(*fds, *nr + 1, sizeof(**fds));

	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	*fds = more;
	more[(*nr)++] = fd;
	return 0;
}
