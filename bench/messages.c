/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A loop that passes messages to callbacks through one function, as SPDK's threads
 * do, or changes states as its subsystems do, or reads by readv(2). Prints the CPU time
 * of each, in nanoseconds.
 *   messages send|state|readv N
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#else
#define STAP_PROBE4(p, n, a, b, c, d) ((void)(b), (void)(c), (void)(d))
#endif

typedef void (*msg_fn)(void *ctx);

int spdk_thread_send_msg(const void *thread, msg_fn fn, void *ctx);

static volatile unsigned long handled;

static void on_read(void *ctx)
{
	handled += (unsigned long)ctx;
}

static void on_write(void *ctx)
{
	handled ^= (unsigned long)ctx;
}

__attribute__((noinline)) int spdk_thread_send_msg(const void *thread, msg_fn fn, void *ctx)
{
	if (!thread)
		return -1;
	fn(ctx);
	return (int)(handled & 1);
}

static void change_all(long n)
{
	for (long i = 0; i < n; i++)
		STAP_PROBE4(spdk, nvmf_subsystem_change_state, 0, "nqn.2024-01.io.fake:cnode1", (int)(i + 1) % 7, (int)i % 7);
}

static void send_all(long n)
{
	const int here = 0;

	for (long i = 0; i < n; i++)
		spdk_thread_send_msg(&here, i % 4 ? on_read : on_write, (void *)i);
}

static void read_all(long n)
{
	char a[64], b[192];
	struct iovec v[2] = { { a, sizeof(a) }, { b, sizeof(b) } };
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (long i = 0; i < n; i++)
		if (readv(fd, v, 2) < 0)
			exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	double from;

	if (n < 1 || (strcmp(argv[1], "send") && strcmp(argv[1], "state") && strcmp(argv[1], "readv")))
		return 2;
	from = now();
	if (!strcmp(argv[1], "send"))
		send_all(n);
	else if (!strcmp(argv[1], "state"))
		change_all(n);
	else
		read_all(n);
	printf("ns %.1f\n", (now() - from) / (double)n);
	return 0;
}
