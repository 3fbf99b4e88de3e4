/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What some system calls cost: getppid, which concerns nobody, an ioctl on
 * /dev/zero and one on /dev/random, a poll of one descriptor and one of eight
 * (of /dev/zero), an mmap of memory with its munmap. Each is called in turns of
 * chunks; the fastest chunk of each stands for it. Writes a line of JSON to argv[1], ns.
 */
#include <fcntl.h>
#include <linux/random.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS 5000
#define CHUNKS 60

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
	int i;

	for (i = 0; i < CALLS; i++)
		call(kind);
	return (now() - t) / CALLS;
}

int main(int argc, char **argv)
{
	double best[KINDS];
	int i, k;
	FILE *f;

	zero = open("/dev/zero", O_RDONLY);
	rnd = open("/dev/random", O_RDONLY);
	if (argc != 2 || zero < 0 || rnd < 0)
		return 2;
	for (i = 0; i < 8; i++)
		fds[i] = (struct pollfd){ .fd = zero, .events = POLLIN };
	for (k = 0; k < KINDS; k++)
		best[k] = 1e9;
	for (i = 0; i < CHUNKS; i++) {
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
