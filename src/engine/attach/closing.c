// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Links of files that no process maps any more, and the thread that closes them: see closing.h. */
#include "engine/attach/closing.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/process/fds.h"
#include "engine/attach/shared_probe.h"
#include "engine/priv.h"
#include "engine/processes/mappings.h"
#include "engine/source.h"

struct xpt_closing {
	pthread_t thread;
	bool is_started, done;	/* done: set by the thread */
	bool put_off;		/* a file is to be looked at again afterwards */
	int *fds;
	size_t nr_fds;
	struct xpt_inode *file;	/* that they belong to */
	size_t nr_files;
};

static bool is_running(const struct xpt_closing *c)
{
	return c && c->is_started && !__atomic_load_n(&c->done, __ATOMIC_ACQUIRE);
}

bool xpt_closing__is_busy(const struct xpt_engine *e)
{
	return e->attach == XPT_ATTACH_PERF || (e->closing && e->closing->is_started);
}

size_t xpt_closing__nr(const struct xpt_engine *e)
{
	return is_running(e->closing) ? e->closing->nr_fds : 0;
}

static bool is_same(const struct xpt_inode *a, const struct xpt_inode *b)
{
	return a->addr == b->addr && a->dev == b->dev && a->ino == b->ino;
}

bool xpt_closing__puts_off(struct xpt_engine *e, const struct xpt_inode *file)
{
	struct xpt_closing *c = e->closing;

	for (size_t i = 0; c && i < c->nr_files; i++)
		if (is_same(&c->file[i], file))
			return c->put_off = true;
	return false;
}

/* Returns false if there is no memory. */
static bool add_file(struct xpt_engine *e, const struct xpt_inode *file)
{
	struct xpt_closing *c = e->closing ? e->closing : calloc(1, sizeof(*c));
	struct xpt_inode *more;

	e->closing = c;
	more = c ? reallocarray(c->file, c->nr_files + 1, sizeof(*more)) : NULL;
	if (!more)
		return false;
	c->file = more;
	c->file[c->nr_files++] = *file;
	return true;
}

bool xpt_closing__take(struct xpt_engine *e, const struct xpt_inode *file)
{
	const struct xpt_inode copy = *file;	/* it may be part of the released memory */

	if (xpt_sources__keep(e, &copy) || !add_file(e, &copy))
		return false;
	xpt_sources__release(e, &copy);
	xpt_shared__forget(e, &copy);
	return true;
}

void xpt_closing__add_links(struct xpt_engine *e, struct xpt_elib *lib)
{
	for (size_t i = 0; i < lib->nr_fds; i++)
		/* Closes the descriptor itself if there is no memory. */
		xpt_fds__append(&e->closing->fds, &e->closing->nr_fds, lib->fds[i]);
	free(lib->fds);
	lib->fds = NULL;
	lib->nr_fds = 0;
}

static void *close_links(void *arg)
{
	struct xpt_closing *c = arg;

	xpt_fds__close_all(c->fds, c->nr_fds);
	__atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void free_closing(struct xpt_engine *e)
{
	free(e->closing->fds);
	free(e->closing->file);
	free(e->closing);
	e->closing = NULL;
}

/*
 * Called when all links are closed: the cookies of their functions may be used again, and files that had to wait are
 * examined.
 */
static void finish_closing(struct xpt_engine *e)
{
	if (e->closing->put_off)
		e->mappings->scan_due = true;
	free_closing(e);
	xpt_shared__reuse(e);
}

void xpt_closing__start(struct xpt_engine *e)
{
	struct xpt_closing *c = e->closing;
	sigset_t all, had;
	int err;

	if (!c || c->is_started)
		return;
	c->is_started = true;
	xpt_hold__forget(e);
	sigfillset(&all);	/* signals are for the caller's thread */
	pthread_sigmask(SIG_SETMASK, &all, &had);
	err = pthread_create(&c->thread, NULL, close_links, c);
	pthread_sigmask(SIG_SETMASK, &had, NULL);
	if (!err)
		return;
	close_links(c);
	finish_closing(e);
}

void xpt_closing__step(struct xpt_engine *e)
{
	struct xpt_closing *c = e->closing;

	if (!c || !c->is_started || is_running(c))
		return;
	pthread_join(c->thread, NULL);
	finish_closing(e);
}

void xpt_closing__free(struct xpt_engine *e)
{
	xpt_closing__step(e);
	if (is_running(e->closing))
		pthread_detach(e->closing->thread);	/* and the memory that it uses stays, too */
	else if (e->closing)
		free_closing(e);
	e->closing = NULL;
}
