/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a context switch costs two threads that wake each other on one CPU: before
 * they have made a traced call (stranger), while both are in one (in_call), and
 * between calls (between); and what a call of leaf() costs (call). For that,
 * xputrace is told to trace meet() and leaf(). Each is done in turns of chunks; the
 * fastest chunk of each stands for it. Writes a line of JSON to argv[1], ns.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CHUNKS 400
#define ROUNDS 100		/* of a chunk: two switches each */
#define CALLS 500

enum { STRANGER, IN_CALL, BETWEEN, CALL, KINDS };

int meet(int first);
int leaf(int i);

static int there[2], back[2];
static double best[KINDS];
static pthread_barrier_t turn;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pass(int in, int out, int first)
{
	char c = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (first && write(out, &c, 1) != 1)
			return;
		if (read(in, &c, 1) != 1)
			return;
		if (!first && write(out, &c, 1) != 1)
			return;
	}
}

__attribute__((noinline, used)) int meet(int first)
{
	pass(first ? back[0] : there[0], first ? there[1] : back[1], first);
	return first;
}

static __attribute__((noinline)) int twig(int i)
{
	asm volatile("" : "+r"(i));
	return i;
}

/* Begins with a push, which the kernel emulates: it calls, and keeps a frame pointer. */
__attribute__((noinline, used)) int leaf(int i)
{
	return twig(i) + 1;
}

static void chunk(int kind, int first)
{
	double t;

	pthread_barrier_wait(&turn);
	t = now();
	if (kind == IN_CALL)
		meet(first);
	else
		pass(first ? back[0] : there[0], first ? there[1] : back[1], first);
	t = (now() - t) / (2.0 * ROUNDS);
	if (first && t < best[kind])
		best[kind] = t;
}

static void all(int first)
{
	for (int i = 0; i < CHUNKS; i++)
		chunk(STRANGER, first);
	for (int i = 0; i < CHUNKS; i++) {
		chunk(IN_CALL, first);
		chunk(BETWEEN, first);
	}
}

static void *partner(void *arg)
{
	all(0);
	return arg;
}

static void calls(void)
{
	for (int i = 0; i < CHUNKS; i++) {
		double t = now();

		for (int k = 0; k < CALLS; k++)
			leaf(k);
		t = (now() - t) / CALLS;
		if (t < best[CALL])
			best[CALL] = t;
	}
}

int main(int argc, char **argv)
{
	pthread_t other;
	cpu_set_t cpu;
	FILE *f;

	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	for (int k = 0; k < KINDS; k++)
		best[k] = 1e9;
	if (argc != 2 || sched_setaffinity(0, sizeof(cpu), &cpu) || pipe(there) || pipe(back) ||
	    pthread_barrier_init(&turn, NULL, 2) || pthread_create(&other, NULL, partner, NULL))
		return 2;
	all(1);
	pthread_join(other, NULL);
	calls();
	f = fopen(argv[1], "w");
	if (!f)
		return 1;
	fprintf(f, "{\"stranger\":%.1f,\"in_call\":%.1f,\"between\":%.1f,\"call\":%.1f}\n",
		best[STRANGER], best[IN_CALL], best[BETWEEN], best[CALL]);
	return fclose(f) ? 1 : 0;
}
