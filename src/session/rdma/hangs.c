// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See hangs.h. Facts from /proc are of now: a thread may return while it is read. */
#include "session/rdma/hangs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "rdma/trace/record.h"

#define LOOK_NS 1000000000ull

/* Of /proc/TID/name, as far as it goes into buf; "" if it cannot be read. */
static void read_proc(uint32_t tid, const char *name, char *buf, size_t n)
{
	char path[64];
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", (unsigned)tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, buf, n - 1);
		close(fd);
	}
	buf[len > 0 ? len : 0] = '\0';
}

/* Told already: true. */
static bool was_told(struct xpt_rdma_hangs *h, const struct xpt_wire_rdma_rec *r)
{
	unsigned i;

	for (i = 0; i < XPT_RDMA_HANGS; i++)
		if (h->told[i].tid == r->tid && h->told[i].start_ns == r->start_ns)
			return true;
	i = h->next++ % XPT_RDMA_HANGS;
	h->told[i].tid = r->tid;
	h->told[i].start_ns = r->start_ns;
	return false;
}

/* The method's handler is among the functions that are on the way, though it has not returned. */
static void find_handler(const struct xpt_rdma_watchlist *l, const struct xpt_rdma_hang *h,
			 struct xpt_wire_rdma_rec *r)
{
	unsigned i;
	uint32_t id;

	for (i = 0; i < h->nr && !r->handler; i++)
		for (id = 0; id < l->nr && !r->handler; id++)
			if (l->wish[id].flags & XPT_RDMA_FN_HANDLER &&
			    !strcmp(l->wish[id].name, h->frame[i].function))
				r->handler = id + 1;
}

static void on_open(void *ctx, const struct xpt_wire_rdma_rec *open)
{
	struct xpt_rdma_hangs *h = ctx;
	struct xpt_rdma_hang hang = { .pid = open->tgid, .tid = open->tid, .at_end = h->at_end,
				      .wall_ns = xpt_wall_clock__at(h->clock, open->start_ns) };
	struct xpt_wire_rdma_rec r = *open;
	static struct xpt_rdma_box box;	/* large */
	char stack[8192];

	if (was_told(h, open) && !h->at_end)
		return;
	hang.age_ns = xpt_now_ns() - open->start_ns;
	read_proc(open->tid, "stack", stack, sizeof(stack));
	hang.nr = xpt_rdma_hang__frames(stack, hang.frame, XPT_RDMA_FRAMES);
	find_handler(h->list, &hang, &r);
	read_proc(open->tgid, "comm", r.comm, sizeof(r.comm));
	r.comm[strcspn(r.comm, "\n")] = '\0';
	r.nr = 0;
	xpt_rdma_record__trace(h->list, &r, (uint64_t)h->clock->offset_ns, &box);
	hang.method = box.method;
	hang.comm = box.comm;
	h->tell(h->ctx, &hang);
}

void xpt_rdma_hangs__step(struct xpt_rdma_hangs *h, uint64_t now_ns, bool at_end)
{
	if (!h->limit_ns || (now_ns < h->next_ns && !at_end))
		return;
	h->next_ns = now_ns + LOOK_NS;
	h->at_end = at_end;
	xpt_rdma_watch__each_open(h->w, at_end && h->limit_ns > LOOK_NS ? LOOK_NS : h->limit_ns, on_open, h);
}
