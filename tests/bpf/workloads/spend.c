/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes N calls of cuDeviceGet, or calls for a time, and prints what each cost: CPU time of
 * the process by getrusage(2), in ns a call, without what came before the calls.
 *   spend LIBRARY N|MILLISECONDSms
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define CHUNK 100	/* calls between two looks at the clock */

static double cpu_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return 1e9 * (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       1e3 * (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	void *lib = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *sym = lib ? dlsym(lib, "cuDeviceGet") : NULL;
	char *unit = NULL;
	long n = sym ? strtol(argv[2], &unit, 10) : 0, done = 0, i;
	bool for_a_time = unit && !strcmp(unit, "ms");
	int (*get)(int *device, int ordinal);
	double before, begin;
	int device;

	if (n < 1) {
		fprintf(stderr, "usage: spend LIBRARY N|MILLISECONDSms\n");
		return 2;
	}
	memcpy(&get, &sym, sizeof(get));
	for (i = 0; i < 1000; i++)	/* places in tables, pages, caches */
		get(&device, 0);
	before = cpu_ns();
	begin = now_ms();
	do {
		for (i = 0; i < (for_a_time ? CHUNK : n); i++)
			get(&device, 0);
		done += i;
	} while (for_a_time && now_ms() - begin < (double)n);
	printf("%.1f\n", (cpu_ns() - before) / (double)done);
	return 0;
}
