// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See top_agent.h. A message says when an agent ends or falls silent, and a screen waits for the next one.
 * The documents of an agent are checked, and an agent that sends anything else is left.
 */
#include "cli/commands/top_agent.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "session/live_trace.h"
#include "session/options/usage.h"
#include "snapshot/local.h"
#include "snapshot/snapshot.h"

#define SECOND UINT64_C(1000000000)
#define STEP_MS 50
#define SILENT_NS (5 * SECOND)		/* it sends once a second; where a page of metrics is long, less often */
#define GIVE_UP_NS (60 * SECOND)	/* without a screen */

struct agent {
	struct xpt_top_output *o;
	const char *path;
	int fd;				/* -1: it has ended */
	int32_t pid;
	struct xpt_strbuf document;
	uint64_t heard_ns, try_ns, said_ns;	/* said_ns: that it is silent */
};

static void handle_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)info, (void)ctx;
	xpt_trace__interrupt();
}

static int connect_agent(struct agent *a)
{
	int fd = xpt_local_client__connect(a->path, &a->pid);

	if (fd < 0)
		return fd;
	a->fd = fd;
	a->heard_ns = a->said_ns = xpt_now_ns();
	xpt_top_output__set_source(a->o, "agent %" PRId32, a->pid);
	return 0;
}

static void leave_agent(struct agent *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

/* Returns 0, or -errno if the connection to the agent has to be closed. */
static int take_documents(struct agent *a)
{
	int err = 0;

	while (!err && !a->o->done) {
		err = xpt_local_client__receive(a->fd, &a->document);
		if (err)
			break;
		err = xpt_top_output__take(a->o, xpt_strbuf__str(&a->document), a->document.len);
		a->heard_ns = a->said_ns = xpt_now_ns();
	}
	return err == -EAGAIN ? 0 : err;
}

static const char *describe_fault(int err)
{
	return err == -EPIPE ? "has ended" : err == -ENOTSUP ? "is of another version of xputrace" :
	       err == -E2BIG ? "has sent a snapshot that is too large" :
	       err == -ENOMEM ? "has sent more than there is memory for" : "has sent something that is no snapshot";
}

/* Returns false where nothing more can come. */
static bool read_agent(struct agent *a)
{
	int err = take_documents(a);

	if (!err)
		return true;
	leave_agent(a);
	if (!a->o->screen) {
		xpt_err(err, "the agent (process %" PRId32 ") %s", a->pid, describe_fault(err));
		return false;
	}
	xpt_warn("the agent (process %" PRId32 ") %s; waiting for one", a->pid, describe_fault(err));
	return true;
}

/* An agent that is stopped, or very busy. */
static bool check_silence(struct agent *a, uint64_t now_ns)
{
	uint64_t silent_ns = now_ns - a->heard_ns;

	if (!a->o->screen && silent_ns > GIVE_UP_NS + a->o->interval_ns) {
		xpt_err(0, "the agent (process %" PRId32 ") does not answer", a->pid);
		return false;
	}
	if (a->o->screen && now_ns - a->said_ns > SILENT_NS) {
		xpt_warn("the agent has sent nothing for %" PRIu64 " s: these numbers are old", silent_ns / SECOND);
		a->said_ns = now_ns;
	}
	return true;
}

static void wait_for_input(const struct agent *a)
{
	struct pollfd p[] = { { .fd = a->fd, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };

	poll(p, a->o->screen ? 2 : 1, STEP_MS);
}

static int follow_agent(struct agent *a)
{
	while (!a->o->done && !xpt_interrupts) {
		wait_for_input(a);
		if (a->fd >= 0 && (!read_agent(a) || !check_silence(a, xpt_now_ns())))
			return XPT_EXIT_FAILED;
		if (a->fd < 0 && xpt_now_ns() >= a->try_ns) {
			connect_agent(a);
			a->try_ns = xpt_now_ns() + SECOND;
		}
		xpt_top_output__step(a->o);
	}
	if (a->o->err && a->o->err != -EPIPE) {
		xpt_err(a->o->err, "cannot write standard output: %s", strerror(-a->o->err));
		return XPT_EXIT_FAILED;
	}
	return XPT_EXIT_OK;
}

bool xpt_top_agent__follow(struct xpt_top_output *o, const char *path, int *ret_status)
{
	struct agent a = { .o = o, .path = path, .fd = -1 };
	int err = connect_agent(&a);

	if (err == -EACCES) {
		xpt_err(err, "an agent counts here, but %s is root's: try sudo", path);
		*ret_status = XPT_EXIT_PRIVILEGE;
		return true;
	}
	if (err == -EPERM)
		xpt_warn("%s belongs to another user and is not asked", path);
	if (err)
		return false;
	signal(SIGPIPE, SIG_IGN);
	xpt_trace__catch_signals(handle_signal);
	xpt_strbuf__init(&a.document, XPT_SNAPSHOT_BYTES);
	*ret_status = o->mode == XPT_TOP_ON_SCREEN ? xpt_top_output__open_screen(o) : XPT_EXIT_OK;
	if (*ret_status == XPT_EXIT_OK)
		*ret_status = follow_agent(&a);
	xpt_top_output__free(o);
	xpt_strbuf__free(&a.document);
	leave_agent(&a);
	return true;
}
