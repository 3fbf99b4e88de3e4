/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What one hit of a probe costs: passes N times a USDT probe (bench:hit, two arguments)
 * and calls N times a function (bench_call), in turns of chunks. Writes a line of JSON
 * to argv[2]: CPU ns of each, the median chunk, and how often. The function begins with
 * a push, which the kernel emulates, as nearly all functions with a frame pointer do.
 *   hits N FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define HAVE_SDT 1
#else
#define HAVE_SDT 0
#define STAP_PROBE2(p, n, a, b) ((void)(a), (void)(b))
#endif

#define CHUNKS 50

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) long inner(long i)
{
	asm volatile("" : "+r"(i));
	return i;
}

long bench_call(long i, void *p);

__attribute__((noinline, used)) long bench_call(long i, void *p)
{
	asm volatile("" : : "r"(p));
	return inner(i) + 1;
}

static __attribute__((noinline)) void pass(long i, void *p)
{
	STAP_PROBE2(bench, hit, i, p);
	asm volatile("" : : "r"(i), "r"(p));
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? (long)strtoul(argv[1], NULL, 10) / CHUNKS : 0;
	uint64_t usdt[CHUNKS], call[CHUNKS], t;
	FILE *f;

	if (n < 1)
		return 2;
	for (int c = 0; c < CHUNKS; c++) {
		t = now();
		for (long i = 0; i < n; i++)
			pass(i, &usdt);
		usdt[c] = now() - t;
		t = now();
		for (long i = 0; i < n; i++)
			bench_call(i, &usdt);
		call[c] = now() - t;
	}
	qsort(usdt, CHUNKS, sizeof(usdt[0]), ascending);
	qsort(call, CHUNKS, sizeof(call[0]), ascending);
	f = fopen(argv[2], "w");
	if (!f)
		return 1;
	fprintf(f, "{\"has_sdt\":%s,\"hits\":%ld,\"usdt\":%.1f,\"uprobe\":%.1f}\n", HAVE_SDT ? "true" : "false",
		n * CHUNKS, (double)usdt[CHUNKS / 2] / (double)n, (double)call[CHUNKS / 2] / (double)n);
	return fclose(f) != 0;
}
