// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Xids of NVIDIA's driver, from the kernel log: the one source that every
 * version and flavour of the driver has. Each read of /dev/kmsg gives one record
 * (Documentation/ABI/testing/dev-kmsg); what was there before the trace is passed over.
 * Where a probe sees them (xid_probe.c), the log only adds what that does not.
 *
 * A record of the log is dated when it is read, at most 50 ms later: the log's own clock is not
 * that of the trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/time.h"
#include "engine/priv.h"
#include "model/xid.h"

#define RECORD_MAX 8192		/* CONSOLE_EXT_LOG_MAX, kernel/printk/internal.h */
#define READS_MAX 256		/* a step; what is left waits for the next */
#define GPUS "/proc/driver/nvidia/gpus"

#define LOOK_NS 1000000000ull	/* between looks for the driver, which may be loaded later */

void xpt_xid__init(struct xpt_engine *e)
{
	e->xid.fd = -1;
	xpt_xid_probe__init(&e->xid.probe);
}

/* The log first: what is reported from then on is in one of the two. */
void xpt_xid__start(struct xpt_engine *e)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		fd = -1;
	}
	e->xid.fd = fd;
	e->xid.no_log = fd < 0 ? -errno : 0;
	xpt_xid_probe__look(e);
}

void xpt_xid__stop(struct xpt_engine *e)
{
	if (e->xid.fd >= 0)
		close(e->xid.fd);
	e->xid.fd = -1;
	xpt_xid_probe__stop(e);
}

/* Of /dev/nvidiaN, as the driver tells it; XPT_XID_NO_MINOR if it does not. */
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

void xpt_xid__tell(struct xpt_engine *e, const struct xpt_xid_line *l, uint64_t ts_ns,
		   uint32_t source)
{
	struct xpt_rec_xid *r = memset(e->scratch, 0, sizeof(*r));
	size_t at = sizeof(*r);

	r->rec.kind = XPT_REC_XID;
	r->ts_ns = ts_ns;
	r->xid = l->xid;
	r->tgid = l->pid;
	r->minor = minor_of(l->device);
	r->source = source;
	at = xpt_facts__add_str(e, at, l->device);
	at = xpt_facts__add_str(e, at, l->text);
	xpt_facts__emit(e, at);
}

/* "6,1234,5678,-;TEXT", then lines that begin with a space. */
static void take(struct xpt_engine *e, const char *record, size_t n)
{
	const char *text = memchr(record, ';', n), *end;
	struct xpt_xid_line line;

	if (!text)
		return;
	text++;
	n -= (size_t)(text - record);
	end = memchr(text, '\n', n);
	if (!xpt_xid__parse(text, end ? (size_t)(end - text) : n, &line))
		return;
	if (!e->xid.probe.source || !xpt_xid_merge__log(&e->xid.merge, &line, xpt_now_ns()))
		xpt_xid__tell(e, &line, xpt_now_ns(), XPT_XID_LOG);
}

static void read_log(struct xpt_engine *e)
{
	char record[RECORD_MAX];
	ssize_t n;

	if (e->xid.fd < 0)
		return;
	for (unsigned i = 0; i < READS_MAX; i++) {
		n = read(e->xid.fd, record, sizeof(record));
		if (n > 0)
			take(e, record, (size_t)n);
		else if (n == 0 || errno != EPIPE)
			return;
		else	/* the log has overwritten what was not read yet */
			e->xid.lost++;
	}
}

static void tell(void *ctx, const struct xpt_xid_line *line, uint64_t ts_ns, uint32_t source)
{
	xpt_xid__tell(ctx, line, ts_ns, source);
}

/* The probe before the log: its line is written behind or in front of the report. */
void xpt_xid__step(struct xpt_engine *e)
{
	uint64_t now;

	xpt_xid_probe__read(e);
	read_log(e);
	now = xpt_now_ns();	/* not before what was read was dated */
	if (now >= e->xid.next_look_ns) {
		e->xid.next_look_ns = now + LOOK_NS;
		xpt_xid_probe__look(e);
	}
	xpt_xid_merge__step(&e->xid.merge, now, tell, e);
}

void xpt_xid__finish(struct xpt_engine *e)
{
	xpt_xid__step(e);
	xpt_xid_probe__read(e);
	xpt_xid_merge__step(&e->xid.merge, UINT64_MAX, tell, e);
}
