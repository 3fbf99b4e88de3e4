// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Xids of NVIDIA's driver, from the kernel log: the one source that every
 * version and flavour of the driver has. Each read of /dev/kmsg gives one record
 * (Documentation/ABI/testing/dev-kmsg); what was there before the trace is passed over.
 *
 * A record is dated when it is read, at most 50 ms later: the log's own clock is not
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
#include "model/xid.h"

#define RECORD_MAX 8192		/* CONSOLE_EXT_LOG_MAX, kernel/printk/internal.h */
#define READS_MAX 256		/* a step; what is left waits for the next */
#define GPUS "/proc/driver/nvidia/gpus"

void xpt_xid__start(struct xpt_engine *e)
{
	e->xid.fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (e->xid.fd >= 0 && lseek(e->xid.fd, 0, SEEK_END) < 0)
		xpt_xid__stop(e);
}

void xpt_xid__stop(struct xpt_engine *e)
{
	if (e->xid.fd >= 0)
		close(e->xid.fd);
	e->xid.fd = -1;
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

static void emit(struct xpt_engine *e, const struct xpt_xid_line *l)
{
	struct xpt_rec_xid *r = memset(e->scratch, 0, sizeof(*r));
	size_t at = sizeof(*r);

	r->rec.kind = XPT_REC_XID;
	r->ts_ns = xpt_now_ns();
	r->xid = l->xid;
	r->tgid = l->pid;
	r->minor = minor_of(l->device);
	r->source = XPT_XID_LOG;
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
	if (xpt_xid__parse(text, end ? (size_t)(end - text) : n, &line))
		emit(e, &line);
}

void xpt_xid__step(struct xpt_engine *e)
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
