/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The workload of `make bench`: calls one function of one library N times per
 * thread and prints, as JSON, how many calls it made and what one cost.
 *   loop LIB FUNCTION N [--threads T] [--rate PER_SECOND] [--out FILE] [--linger SECONDS]
 * The function gets (buffer, 8, 0, 0, 0, 0), which suits cuMemAlloc_v2 and
 * functions that return one number. Times are CLOCK_MONOTONIC, taken around
 * chunks of calls: the median chunk stands for the run, so that one moment in
 * which the machine did something else does not count. --rate paces the calls,
 * in a burst each ms, and the output tells the rate that was reached. main_ns
 * and end_ns are the moments at which main() began and the last call ended. With
 * --linger the process stays that long behind its last call.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNKS 50
#define MAX_THREADS 256

typedef long (*callee)(void *, size_t, size_t, size_t, size_t, size_t);

struct worker {
	pthread_t thread;
	uint64_t calls, wall_ns, cpu_ns;
	uint64_t chunk_ns[CHUNKS];	/* per call, in thousandths */
};

static callee fn;
static uint64_t nr_calls, rate_per_thread, main_ns;
static const char *out_path;
static pthread_barrier_t start;

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void burst(uint64_t n)
{
	char buf[4096] __attribute__((aligned(64)));

	for (uint64_t i = 0; i < n; i++)
		fn(buf, 8, 0, 0, 0, 0);
}

/* n calls at the asked rate: what is due is called, then sleep to the next ms. */
static void paced(uint64_t n)
{
	uint64_t t0 = clock_ns(CLOCK_MONOTONIC), done = 0;

	for (uint64_t tick = 1; done < n; tick++) {
		uint64_t at = t0 + tick * 1000000ull;
		uint64_t due = rate_per_thread * tick / 1000;
		struct timespec ts = { (time_t)(at / 1000000000ull), (long)(at % 1000000000ull) };

		if (due > n)
			due = n;
		if (due > done) {
			burst(due - done);
			done = due;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t t0, c0;

	pthread_barrier_wait(&start);
	c0 = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	t0 = clock_ns(CLOCK_MONOTONIC);
	if (rate_per_thread) {
		paced(nr_calls);
	} else {
		for (uint64_t i = 0; i < CHUNKS; i++) {
			uint64_t n = nr_calls * (i + 1) / CHUNKS - nr_calls * i / CHUNKS;
			uint64_t a = clock_ns(CLOCK_MONOTONIC);

			burst(n);
			w->chunk_ns[i] = n ? (clock_ns(CLOCK_MONOTONIC) - a) * 1000 / n : 0;
		}
	}
	w->wall_ns = clock_ns(CLOCK_MONOTONIC) - t0;
	w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - c0;
	w->calls = nr_calls;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int print(struct worker *w, unsigned threads)
{
	uint64_t calls = 0, wall = 0, cpu = 0, chunk = 0, end_ns = clock_ns(CLOCK_MONOTONIC);
	FILE *f = out_path ? fopen(out_path, "we") : stdout;

	if (!f) {
		fprintf(stderr, "loop: cannot write %s\n", out_path);
		return 1;
	}

	for (unsigned i = 0; i < threads; i++) {
		qsort(w[i].chunk_ns, CHUNKS, sizeof(w[i].chunk_ns[0]), compare);
		calls += w[i].calls;
		cpu += w[i].cpu_ns;
		chunk += w[i].chunk_ns[CHUNKS / 2];
		if (w[i].wall_ns > wall)
			wall = w[i].wall_ns;
	}
	fprintf(f, "{\"calls\":%llu,\"threads\":%u,\"wall_ns\":%llu,\"per_second\":%.1f,"
		"\"ns\":%.3f,\"mean_ns\":%.3f,\"cpu_ns\":%.3f,\"main_ns\":%llu,\"end_ns\":%llu}\n",
		(unsigned long long)calls, threads, (unsigned long long)wall,
		(double)calls * 1e9 / (double)wall, (double)chunk / 1000.0 / threads,
		(double)wall * threads / (double)calls, (double)cpu / (double)calls,
		(unsigned long long)main_ns, (unsigned long long)end_ns);
	return fclose(f) ? 1 : 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: loop LIB FUNCTION N [--threads T] [--rate PER_SECOND] "
			"[--out FILE] [--linger SECONDS]\n");
	return 2;
}

static uint64_t number(const char *s)
{
	char *end;
	uint64_t v = strtoull(s, &end, 10);

	if (*end || !v)
		exit(usage());
	return v;
}

static int run(unsigned threads)
{
	struct worker *w = calloc(threads, sizeof(*w));
	unsigned made = 0;
	int ret;

	if (!w || pthread_barrier_init(&start, NULL, threads)) {
		fprintf(stderr, "loop: no memory\n");
		free(w);
		return 1;
	}
	for (; made < threads; made++) {
		if (pthread_create(&w[made].thread, NULL, work, &w[made])) {
			fprintf(stderr, "loop: only %u threads can be had\n", made);
			exit(1);
		}
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(w[i].thread, NULL);
	ret = print(w, threads);
	free(w);
	return ret;
}

int main(int argc, char **argv)
{
	uint64_t threads = 1, rate = 0, linger = 0;
	void *lib;
	int ret;

	main_ns = clock_ns(CLOCK_MONOTONIC);
	if (argc < 4 || argc % 2)
		return usage();
	for (int i = 4; i < argc; i += 2) {
		if (!strcmp(argv[i], "--threads"))
			threads = number(argv[i + 1]);
		else if (!strcmp(argv[i], "--rate"))
			rate = number(argv[i + 1]);
		else if (!strcmp(argv[i], "--out"))
			out_path = argv[i + 1];
		else if (!strcmp(argv[i], "--linger"))
			linger = number(argv[i + 1]);
		else
			return usage();
	}
	nr_calls = number(argv[3]);
	if (threads > MAX_THREADS)
		return usage();
	rate_per_thread = rate / threads;
	lib = dlopen(argv[1], RTLD_NOW);
	fn = lib ? (callee)dlsym(lib, argv[2]) : NULL;
	if (!fn) {
		fprintf(stderr, "loop: %s\n", dlerror());
		return 1;
	}
	ret = run((unsigned)threads);
	sleep((unsigned)linger);
	return ret;
}
