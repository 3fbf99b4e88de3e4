/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads libraries late and prints by its own clock when it called them:
 * `late_calls FUNCTION BEGIN CALLS LIBRARY...` waits BEGIN milliseconds (or, if that
 * begins with a slash, until the file is there), loads a library, calls
 * FUNCTION(&pointer, number) every millisecond, then goes on to the next. CALLS is
 * how often; if it begins with a slash the calls of library N go on until the file
 * CALLS.N is there, for two minutes at most. Call K of library N has the number
 * K * libraries + N - 1. For each call it prints the number and the microseconds
 * since it began to load that library.
 */
#include <dlfcn.h>
#include <stdbool.h>
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

#define MOST_CALLS 120000

struct library {
	const char *path, *function;
	unsigned long nr, step, calls;	/* its numbers are nr, nr + step ... */
	const char *until;		/* NULL: so many calls */
};

static bool goes_on(const struct library *l, unsigned long made)
{
	char file[4096];

	if (made >= l->calls)
		return false;
	if (!l->until)
		return true;
	snprintf(file, sizeof(file), "%s.%lu", l->until, l->nr + 1);
	return access(file, F_OK) != 0;
}

static int use_library(const struct library *l)
{
	uint64_t *at = calloc(l->calls, sizeof(*at)), t0 = now_us();
	void *lib = dlopen(l->path, RTLD_NOW | RTLD_LOCAL), *sym, *p;
	int (*fn)(void **, size_t);
	unsigned long i, made = 0;

	sym = lib ? dlsym(lib, l->function) : NULL;
	if (!sym || !at) {
		fprintf(stderr, "late_calls: %s\n", dlerror());
		return 3;
	}
	memcpy(&fn, &sym, sizeof(fn));
	while (goes_on(l, made)) {
		at[made++] = now_us() - t0;
		fn(&p, made * l->step + l->nr);
		usleep(1000);
	}
	for (i = 0; i < made; i++)
		printf("%lu %llu\n", (i + 1) * l->step + l->nr, (unsigned long long)at[i]);
	free(at);
	return 0;
}

static void wait_to_begin(const char *begin)
{
	if (begin[0] == '/') {
		while (access(begin, F_OK))
			usleep(1000);
		return;
	}
	usleep((useconds_t)(1000 * strtoul(begin, NULL, 10)));
}

int main(int argc, char **argv)
{
	struct library l = { 0 };
	int err = 0;

	if (argc < 5)
		return 2;
	l.function = argv[1];
	l.step = (unsigned long)argc - 4;
	l.until = argv[3][0] == '/' ? argv[3] : NULL;
	l.calls = l.until ? MOST_CALLS : strtoul(argv[3], NULL, 10);
	for (l.nr = 0; !err && l.nr < l.step; l.nr++) {
		wait_to_begin(argv[2]);
		l.path = argv[4 + l.nr];
		err = use_library(&l);
	}
	return err;
}
