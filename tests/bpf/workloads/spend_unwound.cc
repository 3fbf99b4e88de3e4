/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls a function that exceptions pass through, with an object to destroy then, and prints what
 * each call cost: CPU time of the process by getrusage(2), in ns, without what came before the
 * calls. Whether exceptions pass is tried in these.
 *   spend_unwound MILLISECONDSms
 */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/resource.h>
#include <time.h>

static volatile int sink;

struct guard {
	~guard() { sink = 1; }
};

static int throwing(int i)
{
	if (i < 0)
		throw std::runtime_error("negative");
	return i + 1;
}

static int (*volatile opaque)(int) = throwing;	// of which the compiler knows nothing

extern "C" __attribute__((noinline, noclone)) int guarded(int i)
{
	guard g;

	return opaque(i) * 2 + i;	// i is kept in a register, so that the first instruction is a push
}

static double cpu_ns()
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return 1e9 * (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       1e3 * (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
}

static double now_ms()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	double ms = argc == 2 ? strtod(argv[1], nullptr) : 0;
	int caught = 0;

	for (int i = 0; i < 1000; i++) {	// places in tables, pages, caches
		try {
			sink = guarded(i % 10 ? i : -1);
		} catch (const std::runtime_error &) {
			caught++;
		}
	}
	if (ms <= 0 || caught != 100)
		return 2;
	double before = cpu_ns(), begin = now_ms();
	long n = 0;
	do {
		for (int i = 0; i < 100; i++, n++)	// between two looks at the clock
			sink = guarded(i & 1);
	} while (now_ms() - begin < ms);
	printf("%.1f\n", (cpu_ns() - before) / (double)n);
	return 0;
}
