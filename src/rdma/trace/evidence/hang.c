// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See hang.h. No interface of the kernel reports the event that a thread waits for: names of functions have to do. */
#include "rdma/trace/evidence/hang.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* Functions in which the kernel waits, as Linux 6.1 to 7.2 have them. The innermost one that is known decides. */
static const struct {
	const char *glob, *text;
} waits[] = {
	{ "handle_userfault", "It waits for a page that the program itself has to deliver (userfaultfd)." },
	{ "fuse_*", "It waits for a file system that a program serves (FUSE)." },
	{ "request_wait_answer", "It waits for a file system that a program serves (FUSE)." },
	{ "folio_wait_bit*", "It waits for a page to be read, from a file or from swap." },
	{ "__folio_lock*", "It waits for a page to be read, from a file or from swap." },
	{ "wait_on_page_bit*", "It waits for a page to be read, from a file or from swap." },
	{ "migration_entry_wait*", "It waits for a page that is moved to other memory." },
	{ "__mutex_lock*", "It waits for a lock: another thread holds it, and its own stack says why." },
	{ "mutex_lock*", "It waits for a lock: another thread holds it, and its own stack says why." },
	{ "rwsem_down_*", "It waits for a lock: another thread holds it, and its own stack says why." },
	{ "down_*", "It waits for a lock: another thread holds it, and its own stack says why." },
	{ "synchronize_*rcu*", "It waits until no CPU is inside of what it takes away (RCU)." },
	{ "__wait_rcu_gp", "It waits until no CPU is inside of what it takes away (RCU)." },
	{ "mlx5_cmd_*", "It waits for the device's firmware." },
	{ "wait_for_completion*", "It waits for an answer: of the device, or of another thread of the driver." },
	{ "__wait_for_common", "It waits for an answer: of the device, or of another thread of the driver." },
	{ "msleep*", "It sleeps between tries: a driver asks its device again and again." },
	{ "usleep_range*", "It sleeps between tries: a driver asks its device again and again." },
};

/* Symbols of the probes themselves, between the functions of a stack, and addresses without a name. */
static bool is_skipped(const char *function)
{
	static const char *const other[] = {
		"bpf_trampoline_*", "bpf_prog_*", "ftrace_*", "kprobe_*", "*rethook*", "kretprobe_trampoline", "0x*",
	};
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (!fnmatch(other[i], function, 0))
			return true;
	return false;
}

unsigned xpt_rdma_hang__frames(const char *text, struct xpt_rdma_frame *ret_frame, unsigned max)
{
	unsigned n = 0;
	char line[256];

	for (; *text && n < max; text += strcspn(text, "\n"), text += *text == '\n') {
		struct xpt_rdma_frame *f = &ret_frame[n];

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		f->module[0] = '\0';
		n += sscanf(line, "[<%*[0-9a-fx]>] %95[^+. ]%*[^ ] [%55[^] ]", f->function, f->module) >= 1 &&
		     !is_skipped(f->function);
	}
	return n;
}

const char *xpt_rdma_hang__waits_for(const struct xpt_rdma_hang *h)
{
	unsigned i;
	size_t k;

	for (i = 0; i < h->nr; i++)
		for (k = 0; k < sizeof(waits) / sizeof(waits[0]); k++)
			if (!fnmatch(waits[k].glob, h->frame[i].function, 0))
				return waits[k].text;
	return NULL;
}
