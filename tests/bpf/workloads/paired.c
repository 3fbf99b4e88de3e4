/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a probe on one function of the driver costs a call, as the program sees it: it
 * calls cuDriverGetVersion in chunks of 200 for --seconds and prints the processor
 * time of a call, in ns, in the cheapest chunk. `paired SECONDS [CALLS]`: with CALLS
 * it makes so many and prints nothing but their number.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK 200

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t end, best = UINT64_MAX, calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	void *lib = dlopen("libcuda.so.1", RTLD_NOW), *p = lib ? dlsym(lib, "cuDriverGetVersion") : NULL;
	int (*version)(int *), v;

	if (argc < 2 || !p)
		return 3;
	memcpy(&version, &p, sizeof(p));
	for (uint64_t i = 0; i < calls; i++)
		version(&v);
	if (argc > 2) {
		printf("%llu\n", (unsigned long long)calls);
		return 0;
	}
	end = now(CLOCK_MONOTONIC) + strtoull(argv[1], NULL, 10) * 1000000000u;
	while (now(CLOCK_MONOTONIC) < end) {
		uint64_t t = now(CLOCK_THREAD_CPUTIME_ID);

		for (int i = 0; i < CHUNK; i++)
			version(&v);
		t = now(CLOCK_THREAD_CPUTIME_ID) - t;
		best = t < best ? t : best;
	}
	printf("%llu\n", (unsigned long long)(best / CHUNK));
	return 0;
}
