/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls one function --iterations times and says, as one line of JSON, what the
 * kernel itself counted for this thread meanwhile: time it waited for a CPU
 * (/proc/thread-self/schedstat), switches (getrusage), CPU time and wall time,
 * between the begin and the end of all calls. XPT_FAKE_LATENCY makes them sleep
 * or spin. --threads N: so many processes that make no calls keep CPUs busy
 * beside it, until the calls are over; these go on until a CPU was waited for long enough.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run.h"

#define MAX_OTHERS 16
#define LONG_ENOUGH_NS 100000000

struct counts {
	long long runq_ns, cpu_ns, wall_ns;
	long voluntary, involuntary;
};

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static struct counts look(int schedstat)
{
	struct counts c = { 0 };
	struct rusage ru;
	char text[96];
	ssize_t n;

	n = pread(schedstat, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%lld %lld", &c.cpu_ns, &c.runq_ns) != 2)
		c.runq_ns = -1;
	getrusage(RUSAGE_THREAD, &ru);
	c.voluntary = ru.ru_nvcsw;
	c.involuntary = ru.ru_nivcsw;
	c.wall_ns = now(CLOCK_MONOTONIC);
	return c;
}

static pid_t others[MAX_OTHERS];

static void compete(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		others[i] = fork();
		if (others[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (volatile unsigned long k = 0;; k++)
			;
	}
}

static void end_others(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (others[i] < 0)
			continue;
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	struct counts a, b;
	uint64_t calls;
	unsigned n;
	int fd, err = 0;

	run.name = "waits";
	run.help = "calls that the scheduler may interrupt, and what it says of them";
	run.iterations = 40;
	run.threads = 0;
	run_start(argc, argv);
	n = run.threads < MAX_OTHERS ? (unsigned)run.threads : MAX_OTHERS;
	fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	compete(n);
	a = look(fd);
	for (calls = 0; !err && (calls < run.iterations ||
	     (n && a.runq_ns >= 0 && calls < 50 * run.iterations && look(fd).runq_ns < a.runq_ns + LONG_ENOUGH_NS)); calls++)
		err = CU(cuCtxSynchronize);
	b = look(fd);
	end_others(n);
	printf("{\"calls\":%llu,\"runq_ns\":%lld,\"cpu_ns\":%lld,\"wall_ns\":%lld,"
	       "\"voluntary\":%ld,\"involuntary\":%ld}\n", (unsigned long long)calls,
	       a.runq_ns < 0 ? -1 : b.runq_ns - a.runq_ns, b.cpu_ns - a.cpu_ns,
	       b.wall_ns - a.wall_ns, b.voluntary - a.voluntary, b.involuntary - a.involuntary);
	return run_end(err);
}
