/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Empty programs: what a probe costs before it does anything. The attach
 * kinds need programs of their own, since the kernel remembers at load time
 * whether a program will be attached as session, multi or perf event.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "Dual BSD/GPL";

/* Runs at entry and at return; 0 at entry asks for the return. */
SEC("uprobe/session")
int floor_session(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("uprobe/entry")
int floor_entry(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("uretprobe/return")
int floor_return(void *ctx)
{
	(void)ctx;
	return 0;
}
