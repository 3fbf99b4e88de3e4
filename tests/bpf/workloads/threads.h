/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a workload waits for instead of some time: that another thread of it
 * sleeps, which is where its call blocks, or that the thread has ended. C and C++.
 */
#ifndef XPT_WORKLOAD_THREADS_H
#define XPT_WORKLOAD_THREADS_H

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Returns the id of the calling thread. */
static inline pid_t thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* Returns the state of a thread as /proc has it (R, S, D ...), or 0 if it has ended. */
static inline char thread_state(pid_t tid)
{
	char path[64], text[512] = "";
	const char *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	end = strrchr(text, ')');	/* a name may have any characters */
	return end && end[1] ? end[2] : 0;
}

/* Waits until the thread whose id is there sleeps; 0 stands for one that has not begun. */
static inline void wait_until_asleep(const volatile pid_t *tid)
{
	while (!*tid || thread_state(*tid) != 'S')
		usleep(1000);
}

/* Waits until the thread whose id is there has ended. */
static inline void wait_until_ended(const volatile pid_t *tid)
{
	while (!*tid || thread_state(*tid))
		usleep(1000);
}

#endif
