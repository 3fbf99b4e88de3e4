/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads and unloads a library again and again, and prints what one round takes
 * in the middle, in microseconds: `loads LIBRARY ROUNDS`.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static int by_value(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0, i;
	uint64_t *took = calloc((size_t)n + 1, sizeof(*took));

	if (n < 1 || !took)
		return 2;
	for (i = 0; i < n; i++) {
		uint64_t t0 = now_ns();
		void *lib = dlopen(argv[1], RTLD_NOW);

		if (!lib) {
			fprintf(stderr, "loads: %s\n", dlerror());
			return 1;
		}
		dlclose(lib);
		took[i] = now_ns() - t0;
	}
	qsort(took, (size_t)n, sizeof(*took), by_value);
	printf("%llu\n", (unsigned long long)(took[n / 2] / 1000));
	free(took);
	return 0;
}
