// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program of a reader process, see reader_child.h. It keeps no capabilities, no descriptors
 * but its socket, and no terminal. It ends when its socket is closed and at nothing else: a signal
 * that ended it inside the driver could do harm to the device, so those of a terminal or of a
 * service manager are ignored, and no signal comes when xputrace ends.
 */
#include "devices/reader_child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/caps.h"
#include "base/time.h"
#include "devices/nvme.h"
#include "devices/nvml_read.h"
#include "devices/rdma_ports.h"
#include "devices/reader_message.h"

struct child {
	uint32_t seq;
	bool is_closed;			/* the other end */
	bool is_known[XPT_READER_SLOTS];
	struct xpt_device_info info[XPT_READER_SLOTS];	/* as last sent */
	struct xpt_reader_message message;
};

static struct child child;

/* --- messages to the parent -------------------------------------------------------------------- */

static struct xpt_reader_message *begin_message(struct child *c, enum xpt_reader_message_kind kind, uint32_t slot)
{
	memset(&c->message, 0, sizeof(c->message));
	c->message.magic = XPT_READER_MAGIC;
	c->message.seq = c->seq;
	c->message.kind = (uint16_t)kind;
	c->message.slot = slot;
	return &c->message;
}

static void send_message(struct child *c)
{
	ssize_t n;

	do {
		n = send(XPT_READER_FD, &c->message, sizeof(c->message), MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(c->message))
		c->is_closed = true;
}

static void send_device(void *ctx, uint32_t slot, const struct xpt_device_info *info)
{
	struct child *c = ctx;

	if (slot >= XPT_READER_SLOTS || (c->is_known[slot] && !memcmp(&c->info[slot], info, sizeof(*info))))
		return;
	memcpy(&c->info[slot], info, sizeof(*info));
	c->is_known[slot] = true;
	begin_message(c, XPT_MESSAGE_DEVICE, slot)->device = *info;
	send_message(c);
}

static void send_values(void *ctx, uint32_t slot, const struct xpt_wire_reading *value, size_t nr)
{
	struct child *c = ctx;

	while (nr && slot < XPT_READER_SLOTS && !c->is_closed) {
		size_t now = nr < XPT_VALUES_MAX ? nr : XPT_VALUES_MAX;
		struct xpt_reader_message *m = begin_message(c, XPT_MESSAGE_VALUES, slot);

		m->nr = (uint16_t)now;
		memcpy(m->value, value, now * sizeof(*value));
		send_message(c);
		value += now;
		nr -= now;
	}
}

/* Returns false when the other end is closed. */
static bool wait_for_request(struct child *c)
{
	struct xpt_reader_request r;
	ssize_t n;

	do {
		n = recv(XPT_READER_FD, &r, sizeof(r), 0);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(r) || r.magic != XPT_READER_MAGIC)
		return false;
	c->seq = r.seq;
	return true;
}

static bool send_result(struct child *c, const struct xpt_read_result *r)
{
	begin_message(c, XPT_MESSAGE_END, 0)->result = *r;
	send_message(c);
	return r->state == XPT_READ_OK && !c->is_closed;
}

/* --- the two kinds ------------------------------------------------------------------------------- */

static int serve_nvml(const struct xpt_device_sink *sink, const char *library)
{
	struct xpt_read_result result;
	struct xpt_nvml *n;
	bool goes_on = true;

	if (xpt_nvml__new(library[0] ? library : NULL, &n))
		return 1;
	while (goes_on && wait_for_request(&child)) {
		xpt_nvml__read(n, sink, &result);
		goes_on = send_result(&child, &result);
	}
	return 0;	/* nothing is shut down: the kernel gives everything back, and calls can hang */
}

static int serve_sysfs(const struct xpt_device_sink *sink, const char *root)
{
	struct xpt_read_result result;
	bool goes_on = true;

	while (goes_on && wait_for_request(&child)) {
		uint64_t from = xpt_now_ns();

		memset(&result, 0, sizeof(result));
		xpt_rdma_ports__read(root, 0, sink, &result.left_out);
		xpt_nvme__read(root, XPT_RDMA_DEVICES_MAX, sink, &result.left_out);
		result.read_ns = xpt_now_ns() - from;
		goes_on = send_result(&child, &result);
	}
	return 0;
}

/* --- the process --------------------------------------------------------------------------------- */

static int give_up_rights(const char *kind)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM };
	const struct rlimit no_core = { 0, 0 };
	char name[16];

	snprintf(name, sizeof(name), "xputrace-%.6s", kind);
	prctl(PR_SET_NAME, name);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	if (syscall(SYS_close_range, XPT_READER_FD + 1u, ~0u, 0u) || chdir("/"))
		return -errno;
	setrlimit(RLIMIT_CORE, &no_core);
	setpriority(PRIO_PROCESS, 0, 0);	/* xputrace may have raised its own */
	return xpt_caps__keep(0);
}

bool xpt_reader_child__is_asked(int argc, char **argv)
{
	return argc == 4 && !strcmp(argv[1], XPT_READER_ARG);
}

int xpt_reader_child__run(int argc, char **argv)
{
	const struct xpt_device_sink sink = { &child, send_device, send_values };

	if (argc != 4 || give_up_rights(argv[2]))
		return 1;
	return !strcmp(argv[2], "nvml") ? serve_nvml(&sink, argv[3]) : serve_sysfs(&sink, argv[3]);
}
