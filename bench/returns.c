// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls one function N times and prints the CPU time of a call, ns. Built with
 * -DUNWINDS it calls the other by a pointer, behind which an exception may come
 * from anywhere; else directly, where the file shows that none can.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static volatile int sink;

__attribute__((noinline, noclone)) static int helper(int i)
{
	sink = i;
	return i + 1;
}

#ifdef UNWINDS
static int (*volatile next)(int) = helper;
#else
#define next helper
#endif

__attribute__((noinline, noclone)) int traced(int i)
{
	int r = next(i);

	sink = r;
	return r * 2;
}

static double cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20000, i;
	double before;

	for (i = 0; i < 100; i++)
		traced(i);
	before = cpu_ns();
	for (i = 0; i < n; i++)
		traced(i);
	printf("%.0f\n", (cpu_ns() - before) / n);
	return 0;
}
