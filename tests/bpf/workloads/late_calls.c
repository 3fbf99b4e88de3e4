/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads libraries late and tells by its own clock when it called them:
 * `late_calls FUNCTION DELAY_MS CALLS LIBRARY...` waits, loads a library, calls
 * FUNCTION(&pointer, number) every millisecond, then goes on to the next. The
 * numbers go through all libraries; for each call it prints the number and the
 * microseconds since it began to load that library.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000ull + (uint64_t)ts.tv_nsec / 1000;
}

static int use(const char *path, const char *function, unsigned long first, unsigned long calls)
{
	uint64_t *at = calloc(calls, sizeof(*at)), t0 = now_us();
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL), *sym, *p;
	int (*fn)(void **, size_t);
	unsigned long i;

	sym = lib ? dlsym(lib, function) : NULL;
	if (!sym || !at) {
		fprintf(stderr, "late_calls: %s\n", dlerror());
		return 3;
	}
	memcpy(&fn, &sym, sizeof(fn));
	for (i = 0; i < calls; i++) {
		at[i] = now_us() - t0;
		fn(&p, first + i);
		usleep(1000);
	}
	for (i = 0; i < calls; i++)
		printf("%lu %llu\n", first + i, (unsigned long long)at[i]);
	free(at);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long delay, calls, i;
	int err = 0;

	if (argc < 5)
		return 2;
	delay = strtoul(argv[2], NULL, 10);
	calls = strtoul(argv[3], NULL, 10);
	for (i = 4; !err && i < (unsigned long)argc; i++) {
		usleep((useconds_t)delay * 1000);
		err = use(argv[i], argv[1], 1 + (i - 4) * calls, calls);
	}
	return err;
}
