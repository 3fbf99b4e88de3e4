// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See context.h. A process may have ended by now: then its place is not known. */
#include "session/rdma/context/context.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file_line.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/time.h"
#include "rdma/trace/evidence/log_clues.h"
#include "session/options/usage.h"
#include "session/rdma/context/free_memory.h"

#define VERSIONS_NS 10000000000ull
#define LOG_BEHIND_NS 5000000ull	/* lines of the kernel's log from after a call */

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

/* The module's own version, else the hash of its sources, which modules of the kernel have. */
static void find_driver(struct xpt_rdma_context *c, const char *module)
{
	size_t n = strlen(XPT_RDMA_SRCVERSION);
	char path[64 + XPT_RDMA_NAME];

	c->driver_why = "";
	c->version[0] = '\0';
	if (!module[0] || strchr(module, '/')) {
		c->driver_why = "the driver is not known";
		return;
	}
	snprintf(path, sizeof(path), "/sys/module/%s/version", module);
	if (xpt_file_line__first(path, c->version, sizeof(c->version)))
		return;
	snprintf(path, sizeof(path), "/sys/module/%s/srcversion", module);
	memcpy(c->version, XPT_RDMA_SRCVERSION, n);
	if (xpt_file_line__first(path, c->version + n, sizeof(c->version) - n))
		return;
	c->version[0] = '\0';
	c->driver_why = access(path, F_OK) ? "part of the kernel, whose version it has" : "its module tells none";
}

static void find_firmware_version(struct xpt_rdma_context *c, const char *device)
{
	char path[64 + XPT_RDMA_NAME];

	c->firmware_why = "";
	c->firmware_version[0] = '\0';
	if (!device[0] || strchr(device, '/')) {
		c->firmware_why = "the device is not known";
		return;
	}
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/fw_ver", device);
	if (!xpt_file_line__first(path, c->firmware_version, sizeof(c->firmware_version)))
		c->firmware_why = access(path, F_OK) ? "the device is gone" : "the device tells none";
}

/* Drivers are loaded anew and firmware is updated: known versions are asked again after a while. */
static void find_versions(struct xpt_rdma_context *c, struct xpt_rdma_trace *t)
{
	uint64_t now = xpt_now_ns();

	if (strcmp(t->driver, c->version_of) || strcmp(t->device, c->device_of) || !c->asked_ns ||
	    now - c->asked_ns > VERSIONS_NS) {
		snprintf(c->version_of, sizeof(c->version_of), "%s", t->driver);
		snprintf(c->device_of, sizeof(c->device_of), "%s", t->device);
		c->asked_ns = now;
		find_driver(c, t->driver);
		find_firmware_version(c, t->device);
	}
	t->driver_version = c->version;
	t->driver_why = c->driver_why;
	t->firmware_version = c->firmware_version;
	t->firmware_why = c->firmware_why;
}

/*
 * Lines are told apart by time and thread. Of a log that was read late only, they seem later
 * than they were: then one counts that names this thread and has this call's error.
 */
static void find_firmware(struct xpt_rdma_context *c, uint64_t start_ns, struct xpt_rdma_trace *t)
{
	uint64_t end_ns = start_ns + t->dur_ns + LOG_BEHIND_NS;
	const char *of_call[XPT_RDMA_TRACE_LOG], *since[XPT_RDMA_TRACE_LOG];
	unsigned n, nr_since;

	if (t->firmware || !xpt_rdma_is_errno(t->ret))
		return;
	n = xpt_klog__between(c->log, start_ns, end_ns, true, of_call, XPT_RDMA_TRACE_LOG);
	nr_since = xpt_klog__between(c->log, start_ns, UINT64_MAX, true, since, XPT_RDMA_TRACE_LOG);
	if (xpt_rdma_firmware__find(of_call, n, t->tid, false, &c->firmware) ||
	    (xpt_rdma_firmware__find(since, nr_since, t->tid, true, &c->firmware) &&
	     xpt_rdma_firmware__errno(&c->firmware) == -t->ret))
		t->firmware = &c->firmware;
}

/* "Max locked memory  65536  65536  bytes" */
static void find_limit(struct xpt_rdma_trace *t)
{
	char path[48], line[256], soft[32];
	uint64_t v = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/limits", t->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Max locked memory %31s", soft) != 1)
			continue;
		if (strcmp(soft, "unlimited") && xpt_parse_u64(soft, 0, UINT64_MAX, &v))
			continue;
		t->lock_limit = strcmp(soft, "unlimited") ? v : UINT64_MAX;
		t->lock_known |= XPT_RDMA_LOCK_LIMIT;
	}
	if (f)
		fclose(f);
}

/* "VmPin:  4 kB", "CapEff: 0000000000004000" */
static void find_pinned(struct xpt_rdma_trace *t)
{
	unsigned long long v;
	char path[48], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", t->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "VmPin: %llu", &v) == 1) {
			t->pinned = v * 1024;
			t->lock_known |= XPT_RDMA_LOCK_PINNED;
		} else if (sscanf(line, "CapEff: %llx", &v) == 1) {
			t->lock_known |= v >> CAP_IPC_LOCK & 1 ? XPT_RDMA_LOCK_CAP : XPT_RDMA_LOCK_NO_CAP;
		}
	}
	if (f)
		fclose(f);
}

void xpt_rdma_context__fill(struct xpt_rdma_context *c, const struct xpt_wire_rdma_rec *r,
			    struct xpt_rdma_trace *t)
{
	unsigned n;

	c->cgroup[0] = c->container[0] = '\0';
	if (xpt_cgroup__of_pid((int)t->pid, c->cgroup, sizeof(c->cgroup)))
		c->cgroup[0] = '\0';
	xpt_cgroup__container_of_pid((int)t->pid, c->container, sizeof(c->container));
	t->cgroup = c->cgroup;
	t->container = c->container;
	find_versions(c, t);
	if (t->ret == -ENOMEM) {
		find_limit(t);
		find_pinned(t);
		xpt_rdma_memory__find(XPT_RDMA_MEMINFO, t);
	}
	if (c->log)
		xpt_klog__step(c->log);
	if (xpt_rdma_is_errno(t->ret)) {
		xpt_rdma_gpu__find(c->log, XPT_RDMA_GPU_VERSION, r->start_ns,
				   r->start_ns + r->dur_ns + LOG_BEHIND_NS, &c->gpu);
		t->gpu_driver = c->gpu.driver;
		t->gpu_error = c->gpu.error;
	}
	if (!c->log)
		return;
	n = xpt_klog__between(c->log, r->start_ns, r->start_ns + r->dur_ns + LOG_BEHIND_NS, false,
			      c->all, XPT_KLOG_LINES);
	t->nr_log = xpt_rdma_log__pick(t, c->all, n, c->lines, XPT_RDMA_TRACE_LOG);
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
	if (st->lost[XPT_RDMA_LOST_EVENT])
		xpt_warn("%" PRIu64 " events of the connection manager came too fast to tell each",
			 st->lost[XPT_RDMA_LOST_EVENT]);
	if (st->missed)
		xpt_warn("%" PRIu64 " returns of functions were not seen", st->missed);
}
