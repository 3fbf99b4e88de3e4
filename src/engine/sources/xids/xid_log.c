// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Xids of NVIDIA's driver, from the kernel log: the one source that every
 * version and flavour of the driver has. Each read of /dev/kmsg gives one record
 * (Documentation/ABI/testing/dev-kmsg); records of before the trace are passed over. Where a
 * probe sees Xids (xid_probe.c), the log only adds those that the probe misses.
 *
 * A record of the log is dated when it is read, at most 50 ms later: the log's own clock is not
 * that of the trace.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/time.h"
#include "engine/priv.h"
#include "engine/source.h"
#include "engine/sources/xids/xid_merge.h"
#include "engine/sources/xids/xid_probe.h"
#include "model/kernel/xid_table.h"
#include "proc/klog.h"

#define RECORD_MAX 8192		/* CONSOLE_EXT_LOG_MAX, kernel/printk/internal.h */
#define READS_MAX 256		/* a step; the rest waits for the next */
#define GPUS "/proc/driver/nvidia/gpus"

#define LOOK_NS 1000000000ull	/* between looks for the driver, which may be loaded later */

extern const struct xpt_source xpt_source_xid;

struct xids {			/* the source's state */
	int fd;			/* /dev/kmsg, or -1 */
	int no_log;		/* why it cannot be read, or 0 */
	uint64_t lost;		/* gaps in it */
	uint64_t next_look_ns;
	uint32_t gpus;		/* that the trace has a record of */
	struct xpt_xid_probe probe;
	struct xpt_xid_merge merge;
};

static struct xids *state_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_xid);
}

static void emit_line(void *ctx, const struct xpt_xid_line *line, uint64_t ts_ns, uint32_t source);

static void init(struct xpt_engine *e)
{
	struct xids *x = state_of(e);

	x->fd = -1;
	xpt_xid_probe__init(&x->probe, e, &x->merge, emit_line);
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	(void)e;
	(void)kind;
	xpt_xid_probe__configure(skel);
}

/* Opens the log first: Xids reported from then on are in one of the two sources. */
static int start(struct xpt_engine *e)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct xids *x = state_of(e);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		fd = -1;
	}
	x->fd = fd;
	x->no_log = fd < 0 ? -errno : 0;
	xpt_xid_probe__look(&x->probe);
	return 0;	/* a machine without any of the two goes without */
}

static void stop(struct xpt_engine *e)
{
	struct xids *x = state_of(e);

	if (x->fd >= 0)
		close(x->fd);
	x->fd = -1;
	xpt_xid_probe__stop(&x->probe);
}

/* Returns the minor number of /dev/nvidiaN from the driver's file, or XPT_XID_NO_MINOR if that lacks it. */
static uint32_t minor_of(const char *device)
{
	char path[128], line[128];
	uint32_t minor = XPT_XID_NO_MINOR;
	FILE *f;

	if (strspn(device, "0123456789abcdefABCDEF:.") != strlen(device))
		return minor;
	snprintf(path, sizeof(path), GPUS "/%s%s/information", device,
		 strchr(device, '.') ? "" : ".0");
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Device Minor: %u", &minor) == 1)
			break;
	}
	if (f)
		fclose(f);
	return minor;
}

/* GPUs that the driver names; 0: it names none. A container may see fewer than there are: a report
 * about one that is not among them is about one more. */
static uint32_t count_gpus(bool one_more)
{
	DIR *dir = opendir(GPUS);
	const struct dirent *d;
	uint32_t n = 0;

	while (dir && (d = readdir(dir)) != NULL)
		n += d->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n && one_more ? n + 1 : n;
}

/* A process that used CUDA may have used any of several GPUs. */
static void emit_gpus(struct xpt_engine *e, bool one_more)
{
	uint32_t n = count_gpus(one_more);
	char text[16];

	if (n <= state_of(e)->gpus)
		return;
	state_of(e)->gpus = n;
	snprintf(text, sizeof(text), "%u", n);
	xpt_facts__meta(e, "gpus", text);
}

static void write_record(struct xpt_engine *e, const struct xpt_xid_line *l, uint64_t ts_ns, uint32_t source)
{
	uint32_t minor = minor_of(l->device);
	struct xpt_rec_xid *r;
	size_t at = sizeof(*r);

	if (!l->pid)
		emit_gpus(e, minor == XPT_XID_NO_MINOR);
	r = memset(e->scratch, 0, sizeof(*r));
	r->rec.kind = XPT_REC_XID;
	r->ts_ns = ts_ns;
	r->xid = l->xid;
	r->tgid = l->pid;
	r->minor = minor;
	r->source = source;
	at = xpt_facts__add_str(e, at, l->device);
	at = xpt_facts__add_str(e, at, l->text);
	xpt_facts__emit(e, at);
}

/*
 * Returns the source of a line without a report of the probe, read at that time. The driver reports everything
 * through the function that is probed. So another writer of the log wrote the line, or it is from before the probe.
 */
static uint32_t log_source(const struct xids *x, uint64_t read_ns)
{
	bool seen = x->probe.source && read_ns >= x->probe.since_ns + XPT_XID_WAIT_NS;

	return seen ? XPT_XID_LOG_ALONE : XPT_XID_LOG;
}

/* "6,1234,5678,-;TEXT", then lines that begin with a space. */
static void take_record(struct xpt_engine *e, const char *record, size_t n)
{
	struct xids *x = state_of(e);
	const char *text = memchr(record, ';', n), *end;
	struct xpt_xid_line line;
	uint64_t now;

	if (!text || !xpt_klog__may_be_driver(record, n))
		return;
	text++;
	n -= (size_t)(text - record);
	end = memchr(text, '\n', n);
	if (!xpt_xid__parse(text, end ? (size_t)(end - text) : n, &line))
		return;
	now = xpt_now_ns();
	if (!x->probe.source || !xpt_xid_merge__log(&x->merge, &line, now, log_source(x, now)))
		write_record(e, &line, now, log_source(x, now));
}

static void read_log(struct xpt_engine *e)
{
	struct xids *x = state_of(e);
	char record[RECORD_MAX];
	ssize_t n;

	if (x->fd < 0)
		return;
	for (unsigned i = 0; i < READS_MAX; i++) {
		n = read(x->fd, record, sizeof(record));
		if (n > 0)
			take_record(e, record, (size_t)n);
		else if (n == 0 || errno != EPIPE)
			return;
		else	/* the log has overwritten unread records */
			x->lost++;
	}
}

static void emit_line(void *ctx, const struct xpt_xid_line *line, uint64_t ts_ns, uint32_t source)
{
	write_record(ctx, line, ts_ns, source);
}

/* The probe before the log: its line is written after or in front of the report. */
static void read_both(struct xpt_engine *e)
{
	struct xids *x = state_of(e);
	uint64_t now;

	xpt_xid_probe__read(&x->probe);
	read_log(e);
	now = xpt_now_ns();	/* not before the times of the records read above */
	if (now >= x->next_look_ns) {
		x->next_look_ns = now + LOOK_NS;
		xpt_xid_probe__look(&x->probe);
	}
	xpt_xid_merge__step(&x->merge, now, emit_line, e);
}

/* The last step: nothing waits any longer. */
static void finish(struct xpt_engine *e)
{
	struct xids *x = state_of(e);

	read_both(e);
	xpt_xid_probe__read(&x->probe);
	xpt_xid_merge__step(&x->merge, UINT64_MAX, emit_line, e);
}

static void losses(struct xpt_engine *e, uint64_t *lost)
{
	lost[XPT_LOSS_LOG_LOST] += state_of(e)->lost;
}

static void fill_stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	const struct xids *x = state_of(e);

	stats->xids = x->probe.source ? x->probe.source : x->fd >= 0 ? XPT_XID_LOG : 0;
	stats->no_log = x->no_log;
}

const struct xpt_source xpt_source_xid = {
	.name = "xid",
	.state_size = sizeof(struct xids),
	.init = init,
	.configure = configure,
	.start = start,
	.after_records = read_both,	/* after the calls that a report is about */
	.finish = finish,
	.losses = losses,
	.stats = fill_stats,
	.free = stop,
};
