// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Has counters read around calls that failed, see counters.h: readings are kept by rdma/trace/evidence/moved.h. */
#include "session/rdma/context/counters.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/time.h"
#include "devices/rdma_ports.h"
#include "devices/reader.h"

#define PERIOD_NS 10000000000ull
#define BETWEEN_NS 1000000000ull	/* two readings that failures cause */
#define STEP_NS 50000000ull
#define PATIENCE_NS 50000000ull	/* for a reading after a failure */
#define PATIENCE_FIRST_NS 200000000ull	/* for the first one */

struct xpt_rdma_counters {
	struct xpt_reader *reader;
	struct xpt_rdma_readings readings;
	struct xpt_rdma_moved moved;
	uint64_t stepped_ns, hurried_ns;
	bool is_begun;			/* an answer has begun to come */
};

static uint32_t on_device(void *ctx, const struct xpt_device_info *info, uint32_t parent)
{
	struct xpt_rdma_counters *c = ctx;
	int i = info->kind == XPT_DEVICE_RDMA ? xpt_rdma_readings__device(&c->readings, info->name) : -1;

	(void)parent;
	return (uint32_t)(i + 1);
}

/* Flow control (IBTA, PortXmitWait) and congestion control move while nothing is wrong, too. */
static bool is_traffic(uint16_t metric)
{
	switch (metric) {
	case XPT_METRIC_RDMA_TRANSMIT_WAIT:
	case XPT_METRIC_RDMA_ECN_MARKED:
	case XPT_METRIC_RDMA_CNP_SENT:
	case XPT_METRIC_RDMA_CNP_HANDLED:
	case XPT_METRIC_RDMA_DATA_RECEIVED:
	case XPT_METRIC_RDMA_DATA_SENT:
	case XPT_METRIC_RDMA_PACKETS_RECEIVED:
	case XPT_METRIC_RDMA_PACKETS_SENT:
	case XPT_METRIC_RDMA_MULTICAST_RECEIVED:
	case XPT_METRIC_RDMA_MULTICAST_SENT:
	case XPT_METRIC_RDMA_UNICAST_RECEIVED:
	case XPT_METRIC_RDMA_UNICAST_SENT:
	case XPT_METRIC_RDMA_READ_REQUESTS:
	case XPT_METRIC_RDMA_WRITE_REQUESTS:
	case XPT_METRIC_RDMA_ATOMIC_REQUESTS:
	case XPT_METRIC_RDMA_DCT_CONNECTS:
		return true;
	default:
		return false;
	}
}

static void begin_reader(struct xpt_rdma_counters *c)
{
	if (!c->is_begun)
		xpt_rdma_readings__begin(&c->readings);
	c->is_begun = true;
}

static void on_values(void *ctx, uint32_t device, const struct xpt_wire_reading *value, size_t nr)
{
	struct xpt_rdma_counters *c = ctx;
	size_t i;

	begin_reader(c);
	for (i = 0; i < nr; i++) {
		struct xpt_rdma_counter v = { .name = xpt_rdma_ports__counter(value[i].metric), .value = value[i].value,
					      .device = (uint16_t)(device - 1), .is_traffic = is_traffic(value[i].metric),
					      .port = value[i].part == XPT_PART_NONE ? 0 : value[i].part };

		if (v.name && !value[i].pid)
			xpt_rdma_readings__add(&c->readings, &v);
	}
}

/* An answer is complete, or none comes: then an incomplete one is begun anew by the next answer. */
static void on_end(void *ctx)
{
	struct xpt_rdma_counters *c = ctx;
	struct xpt_reader_status s;

	xpt_reader__status(c->reader, xpt_now_ns(), &s);
	if (s.state == XPT_READER_ANSWERS) {
		begin_reader(c);
		xpt_rdma_readings__end(&c->readings, s.asked_ns, xpt_now_ns());
	}
	c->is_begun = false;
}

int xpt_rdma_counters__new(const char *root, struct xpt_rdma_counters **ret_c)
{
	struct xpt_rdma_counters *c = calloc(1, sizeof(*c));
	struct xpt_reader_cfg cfg = { .kind = XPT_READER_SYSFS, .from = root, .period_ns = PERIOD_NS, .ctx = c,
				      .device = on_device, .values = on_values, .end = on_end };
	int err = c ? xpt_reader__new(&cfg, &c->reader) : -ENOMEM;

	if (err)
		free(c);
	else
		*ret_c = c;
	return err;
}

void xpt_rdma_counters__free(struct xpt_rdma_counters *c)
{
	if (!c)
		return;
	xpt_reader__free(c->reader);
	free(c);
}

void xpt_rdma_counters__step(struct xpt_rdma_counters *c, uint64_t now_ns)
{
	if (!c || now_ns - c->stepped_ns < STEP_NS)
		return;
	c->stepped_ns = now_ns;
	xpt_reader__step(c->reader, now_ns);
}

/* Waits for a reading that began at end_ns or later, so long at most. */
static void wait_for_reading(struct xpt_rdma_counters *c, uint64_t end_ns, uint64_t patience_ns)
{
	struct pollfd p = { xpt_reader__fd(c->reader), POLLIN, 0 };
	uint64_t now = xpt_now_ns(), until = now + patience_ns;

	for (; now < until && !xpt_rdma_readings__has_after(&c->readings, end_ns); now = xpt_now_ns()) {
		xpt_reader__step(c->reader, now);
		if (!xpt_rdma_readings__has_after(&c->readings, end_ns))
			poll(&p, 1, (int)((until - now) / 1000000u) + 1);
	}
}

void xpt_rdma_counters__await(struct xpt_rdma_counters *c)
{
	if (c)
		wait_for_reading(c, 0, PATIENCE_FIRST_NS);
}

/* Lets the reader process read at once, and waits for its answer. */
static void read_now(struct xpt_rdma_counters *c, uint64_t end_ns)
{
	c->hurried_ns = xpt_now_ns();
	xpt_reader__hurry(c->reader);
	wait_for_reading(c, end_ns, PATIENCE_NS);
}

const struct xpt_rdma_moved *xpt_rdma_counters__around(struct xpt_rdma_counters *c, const char *device, uint64_t start_ns,
						       uint64_t end_ns)
{
	struct xpt_reader_status s;
	uint64_t now = xpt_now_ns();

	xpt_reader__step(c->reader, now);
	xpt_reader__status(c->reader, now, &s);
	if (!xpt_rdma_readings__has_after(&c->readings, end_ns) && s.state == XPT_READER_ANSWERS &&
	    (!c->hurried_ns || now - c->hurried_ns >= BETWEEN_NS))
		read_now(c, end_ns);
	xpt_rdma_readings__moved(&c->readings, device, start_ns, end_ns, &c->moved);
	return &c->moved;
}
