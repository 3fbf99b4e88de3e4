// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace spdk record, see record_run.h. Lines are those that SPDK's trace.py
 * records through bpftrace, so either side can read them; besides, pairs of TSC and
 * CLOCK_MONOTONIC, by which the TSC of a trace is put on the clock of all else.
 */
#include "session/spdk/record_run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"
#include "engine/rdma/qpairs.h"
#include "kernel/bpf_links.h"
#include "session/options/usage.h"
#include "session/output_file.h"
#include "session/rights.h"

#define PAIR_EVERY_NS 10000000000ull
#define FIRST_SPAN_NS 20000000ull	/* until the TSC's rate is known well enough */
#define WAIT_MS 100

struct pair {
	uint64_t tsc, mono_ns;
};

struct record {
	FILE *f;
	struct pair first, last;
	uint64_t lines, lost;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* Both clocks at one moment: the nearest of a few tries. */
static struct pair read_clocks(void)
{
	struct pair best = { 0 };
	uint64_t before, tsc, after, span = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		before = xpt_now_ns();
		tsc = __rdtsc();
		after = xpt_now_ns();
		if (after - before >= span)
			continue;
		span = after - before;
		best = (struct pair){ tsc, before + span / 2 };
	}
	return best;
}

static void put_pair(struct record *r)
{
	r->last = read_clocks();
	fprintf(r->f, "xputrace_clock: tsc=0x%" PRIx64 ", mono=0x%" PRIx64 "\n", r->last.tsc,
		r->last.mono_ns);
}

/* The TSC at a time of CLOCK_MONOTONIC, for probes that do not have it. */
static uint64_t to_tsc(const struct record *r, uint64_t mono_ns)
{
	double rate = (double)(r->last.tsc - r->first.tsc) / (double)(r->last.mono_ns - r->first.mono_ns);

	return r->last.tsc + (uint64_t)(int64_t)((double)(int64_t)(mono_ns - r->last.mono_ns) * rate);
}

/* Names are text of the host: no controls of terminals, no line ends. A name that could not be read has no quotes. */
static void put_name(struct record *r, const char *key, const char *name, int len)
{
	char clean[XPT_NQN_SIZE];

	if (len < 0) {
		fprintf(r->f, ", %s=?", key);
		return;
	}
	snprintf(clean, sizeof(clean), "%.*s", XPT_NQN_SIZE - 1, name);
	xpt_utf8__clean(clean, "");
	fprintf(r->f, ", %s='%s'", key, clean);
}

static void on_qpair(void *ctx, const struct xpt_wire_qpair *q)
{
	static const char *const names[XPT_QPAIR__MAX] = {
		"nvmf_poll_group_add_qpair", "nvmf_poll_group_remove_qpair", "nvmf_ctrlr_add_qpair",
		"nvmf_transport_qpair_fini",
	};
	struct record *r = ctx;
	uint64_t tsc = q->tsc ? q->tsc : to_tsc(r, q->mono_ns);

	fprintf(r->f, "%s: tsc=0x%" PRIx64 ", qpair=0x%" PRIx64, names[q->kind], tsc,
		(uint64_t)q->qpair);
	if (q->kind == XPT_QPAIR_ADD || q->kind == XPT_QPAIR_REMOVE)
		fprintf(r->f, ", thread=0x%" PRIx64, (uint64_t)q->thread);
	if (q->kind == XPT_QPAIR_CONNECT) {
		fprintf(r->f, ", qid=0x%" PRIx64, (uint64_t)(q->qid & UINT16_MAX));
		put_name(r, "subnqn", q->subnqn, q->subnqn_len);
		put_name(r, "hostnqn", q->hostnqn, q->hostnqn_len);
	}
	putc('\n', r->f);
	r->lines++;
}

/* True once the process has ended. */
static bool has_ended(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Writes the losses in bpftrace's words, near the place where events are missing. */
static void put_lost(struct record *r, const struct xpt_qpairs *q)
{
	uint64_t lost = xpt_qpairs__lost(q);

	if (lost > r->lost)
		fprintf(r->f, "Lost %" PRIu64 " events\n", lost - r->lost);
	r->lost = lost;
}

static int record_events(struct record *r, struct xpt_qpairs *q, int pidfd)
{
	bool over = false;
	int err = 0;

	while (!over && !err) {
		over = stop || has_ended(pidfd);	/* and once more, for records that were sent before that */
		if (over)
			put_pair(r);	/* the recording is whole up to here */
		err = xpt_qpairs__poll(q, over ? 0 : WAIT_MS);
		err = err == -EINTR ? 0 : err;
		put_lost(r, q);
		if (!over && xpt_now_ns() - r->last.mono_ns > PAIR_EVERY_NS)
			put_pair(r);
		if (fflush(r->f) || ferror(r->f))
			err = errno ? -errno : -EIO;
	}
	return err;
}

static int explain_failure(int pid, int err)
{
	if (err == -ENOENT)
		xpt_err(err, "process %d has no probes of queue pairs: is it SPDK, built --with-usdt?", pid);
	else if (err == -ESRCH)
		xpt_err(err, "no process %d", pid);
	else if (err == -EPERM || err == -EACCES)
		xpt_err(err, "recording needs root");
	else
		xpt_err(err, "cannot trace process %d: %s", pid, strerror(-err));
	return err == -ENOENT || err == -ESRCH ? XPT_EXIT_NOTHING
	     : err == -EPERM || err == -EACCES ? XPT_EXIT_PRIVILEGE : XPT_EXIT_FAILED;
}

static int open_output(const char *path, struct record *r)
{
	struct xpt_file file;
	int err;

	if (!strcmp(path, "-")) {
		r->f = stdout;
		return 0;
	}
	err = xpt_file__open(path, &file);
	if (!err)
		err = xpt_file__cut(&file, 0);
	if (err)
		return err;
	r->f = fdopen(file.fd, "w");
	return r->f ? 0 : xpt_err(-errno, "cannot write %s: %s", path, strerror(errno));
}

int xpt_spdk_record__run(int pid, const char *path)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct record r = { .first = read_clocks() };
	struct xpt_qpairs *q = NULL;
	const char *missing;
	int err, pidfd;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return explain_failure(pid, -errno);
	if (xpt_kernel__privileges(&missing)) {	/* before libbpf says the same in many words */
		close(pidfd);
		return explain_failure(pid, -EPERM);
	}
	err = xpt_qpairs__open(pid, on_qpair, &r, &q);
	if (err) {
		close(pidfd);
		return explain_failure(pid, err);
	}
	xpt_rights__drop(false);
	if (open_output(path, &r)) {
		xpt_qpairs__close(q);
		close(pidfd);
		return XPT_EXIT_FAILED;
	}
	while (xpt_now_ns() - r.first.mono_ns < FIRST_SPAN_NS)
		usleep(1000);
	put_pair(&r);
	xpt_info("recording queue pairs of process %d; Ctrl-C ends it", pid);
	err = record_events(&r, q, pidfd);
	xpt_qpairs__close(q);
	close(pidfd);
	errno = 0;
	if ((r.f == stdout ? fflush(r.f) : fclose(r.f)) && !err)
		err = errno ? -errno : -EIO;
	if (err)
		xpt_err(err, "cannot write %s: %s", path, strerror(-err));
	if (r.lost)
		xpt_warn("%" PRIu64 " events of queue pairs found no room", r.lost);
	return err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
}
