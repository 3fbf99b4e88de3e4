/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Message passing: functions are called later, with the probe msg_exec. This file
 * has a static function of the same name as one of target.c, for a table by name
 * alone would merge them.
 */
#include <stddef.h>
#include "probes.h"

#define MAX_MESSAGES 256

static struct { spdk_msg_fn fn; void *ctx; } queue[MAX_MESSAGES];
static unsigned nr;

/* Not inlined, not cloned: what uprobes are put on. */
__attribute__((noinline, noclone))
int spdk_thread_send_msg(const struct spdk_thread *thread, spdk_msg_fn fn, void *ctx)
{
	(void)thread;
	if (nr == MAX_MESSAGES)
		return -1;
	queue[nr].fn = fn;
	queue[nr++].ctx = ctx;
	return 0;
}

unsigned nr_channels;

__attribute__((noinline, noclone))
int spdk_for_each_channel(void *io_device, spdk_msg_fn fn, void *ctx, spdk_msg_fn done)
{
	(void)io_device;
	nr_channels++;
	fn(ctx);
	if (done)
		done(ctx);
	return 0;
}

void run_messages(void)
{
	for (unsigned i = 0; i < nr; i++) {
		PROBE2(msg_exec, queue[i].fn, queue[i].ctx);
		queue[i].fn(queue[i].ctx);
	}
	nr = 0;
}

static void _finish(void *ctx)
{
	(void)ctx;
	count_message("_finish");
}

void poll_once(void)
{
	spdk_thread_send_msg(NULL, _finish, NULL);
	run_messages();
}
