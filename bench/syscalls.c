/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What some system calls cost: getppid, which concerns nobody, an ioctl on
 * /dev/zero and one on /dev/random, a poll of one descriptor and one of eight
 * (of /dev/zero), an mmap of memory with its munmap. Each is called in turns of
 * chunks; the fastest chunk of each stands for it.
 *   syscalls OUT [CALLS CHUNKS]     writes a line of JSON, ns; CALLS in a chunk (5000)
 */
#include <fcntl.h>
#include <linux/random.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned long nr_calls = 5000, nr_chunks = 60;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { GETPPID, UNWATCHED, WATCHED, POLL, POLL8, MMAP, KINDS };

static int zero, rnd;
static struct pollfd fds[8];

static void call(int kind)
{
	int v;

	if (kind == GETPPID)
		syscall(SYS_getppid);
	else if (kind == UNWATCHED || kind == WATCHED)
		ioctl(kind == WATCHED ? rnd : zero, RNDGETENTCNT, &v);
	else if (kind == MMAP)
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	else
		poll(fds, kind == POLL ? 1 : 8, 0);
}

static double chunk(int kind)
{
	double t = now();
	unsigned long i;

	for (i = 0; i < nr_calls; i++)
		call(kind);
	return (now() - t) / (double)nr_calls;
}

int main(int argc, char **argv)
{
	double best[KINDS];
	unsigned long n;
	int i, k;
	FILE *f;

	zero = open("/dev/zero", O_RDONLY);
	rnd = open("/dev/random", O_RDONLY);
	if ((argc != 2 && argc != 4) || zero < 0 || rnd < 0)
		return 2;
	if (argc == 4) {
		nr_calls = strtoul(argv[2], NULL, 0);
		nr_chunks = strtoul(argv[3], NULL, 0);
	}
	for (i = 0; i < 8; i++)
		fds[i] = (struct pollfd){ .fd = zero, .events = POLLIN };
	for (k = 0; k < KINDS; k++)
		best[k] = 1e9;
	for (n = 0; n < nr_chunks; n++) {
		for (k = 0; k < KINDS; k++) {
			double ns = chunk(k);

			best[k] = ns < best[k] ? ns : best[k];
		}
	}
	f = fopen(argv[1], "w");
	if (!f)
		return 1;
	fprintf(f, "{\"getppid\":%.1f,\"unwatched\":%.1f,\"watched\":%.1f,\"poll\":%.1f,"
		"\"poll8\":%.1f,\"mmap\":%.1f}\n", best[GETPPID], best[UNWATCHED], best[WATCHED],
		best[POLL], best[POLL8], best[MMAP]);
	return fclose(f) ? 1 : 0;
}
