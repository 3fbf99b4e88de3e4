// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_context.h. A process may have ended by now: then its place is not known. */
#include "cli/rdma_context.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/opt.h"

#define LOG_BEHIND_NS 5000000ull	/* lines of the kernel's log from behind a call */

void xpt_rdma_context__open(struct xpt_rdma_context *c)
{
	if (xpt_klog__new(NULL, &c->log))
		xpt_debug("the kernel's log cannot be read");
}

void xpt_rdma_context__close(struct xpt_rdma_context *c)
{
	xpt_klog__free(c->log);
	c->log = NULL;
}

/* "" if its module has none. */
static const char *version_of(struct xpt_rdma_context *c, const char *module)
{
	char path[64 + XPT_RDMA_NAME];
	FILE *f;

	if (!strcmp(module, c->version_of))
		return c->version;
	snprintf(c->version_of, sizeof(c->version_of), "%s", module);
	c->version[0] = '\0';
	snprintf(path, sizeof(path), "/sys/module/%s/version", module);
	f = module[0] && !strchr(module, '/') ? fopen(path, "re") : NULL;
	if (f && fgets(c->version, sizeof(c->version), f))
		c->version[strcspn(c->version, "\n")] = '\0';
	if (f)
		fclose(f);
	return c->version;
}

/*
 * Lines are told apart by time and thread. Of a log that was read late only, they seem later
 * than they were: then one counts that names this thread and has this call's error.
 */
static void find_firmware(struct xpt_rdma_context *c, uint64_t start_ns, struct xpt_rdma_trace *t)
{
	const char *since[XPT_RDMA_TRACE_LOG];
	unsigned n;

	if (t->firmware || !xpt_rdma_is_errno(t->ret))
		return;
	n = xpt_klog__between(c->log, start_ns, UINT64_MAX, since, XPT_RDMA_TRACE_LOG);
	if (xpt_rdma_firmware__find(c->lines, t->nr_log, t->tid, false, &c->firmware) ||
	    (xpt_rdma_firmware__find(since, n, t->tid, true, &c->firmware) &&
	     xpt_rdma_firmware__errno(&c->firmware) == -t->ret))
		t->firmware = &c->firmware;
}

void xpt_rdma_context__fill(struct xpt_rdma_context *c, const struct xpt_wire_rdma_rec *r,
			    struct xpt_rdma_trace *t)
{
	c->cgroup[0] = c->container[0] = '\0';
	if (xpt_cgroup__of_pid((int)t->pid, c->cgroup, sizeof(c->cgroup)))
		c->cgroup[0] = '\0';
	xpt_cgroup__container_of_pid((int)t->pid, c->container, sizeof(c->container));
	t->cgroup = c->cgroup;
	t->container = c->container;
	t->driver_version = version_of(c, t->driver);
	if (!c->log)
		return;
	xpt_klog__step(c->log);
	t->nr_log = xpt_klog__between(c->log, r->start_ns, r->start_ns + r->dur_ns + LOG_BEHIND_NS,
				      c->lines, XPT_RDMA_TRACE_LOG);
	t->log = c->lines;
	find_firmware(c, r->start_ns, t);
}

int xpt_rdma_explain(int err)
{
	if (err == -EPERM) {
		xpt_err(err, "watching RDMA needs root");
		return XPT_EXIT_PRIVILEGE;
	}
	if (err == -ENOENT) {
		xpt_err(err, "the kernel's RDMA system calls cannot be watched: is ib_uverbs loaded?");
		return XPT_EXIT_NOTHING;
	}
	if (err == -EOPNOTSUPP) {
		xpt_err(err, "functions of the kernel cannot be traced here (`xputrace doctor` tells more)");
		return XPT_EXIT_PRIVILEGE;
	}
	if (err == -E2BIG)
		xpt_err(err, "more than %u functions: choose methods by --method", XPT_RDMA_FNS);
	else
		xpt_err(err, "cannot watch: %s", strerror(-err));
	return XPT_EXIT_FAILED;
}

void xpt_rdma_tell_losses(const struct xpt_rdma_watch_stats *st)
{
	if (st->lost[XPT_RDMA_LOST_RING])
		xpt_warn("%" PRIu64 " calls found no room on their way here", st->lost[XPT_RDMA_LOST_RING]);
	if (st->lost[XPT_RDMA_LOST_SLOT])
		xpt_warn("%" PRIu64 " calls were not seen: too many threads at once",
			 st->lost[XPT_RDMA_LOST_SLOT]);
	if (st->lost[XPT_RDMA_LOST_METHOD])
		xpt_warn("%" PRIu64 " calls are in no sum: too many methods", st->lost[XPT_RDMA_LOST_METHOD]);
	if (st->lost[XPT_RDMA_LOST_ERRNO])
		xpt_warn("%" PRIu64 " errors of functions are in no sum: too many different ones",
			 st->lost[XPT_RDMA_LOST_ERRNO]);
	if (st->lost[XPT_RDMA_LOST_STALE])
		xpt_warn("%" PRIu64 " calls began whose end was not seen", st->lost[XPT_RDMA_LOST_STALE]);
	if (st->lost[XPT_RDMA_LOST_COMMAND])
		xpt_warn("%" PRIu64 " commands that the firmware refused, outside of calls, came too fast to "
			 "tell each", st->lost[XPT_RDMA_LOST_COMMAND]);
	if (st->missed)
		xpt_warn("%" PRIu64 " returns of functions were not seen", st->missed);
}
