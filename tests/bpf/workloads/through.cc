// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Exceptions and ends of threads that pass through frames of a C library.
//
//   through N [FILE]
//
// Runs every way N times, every other time with an exception; again and again until FILE is
// there. Prints `through right` if all handlers ran.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <atomic>
#include <stdexcept>

typedef int callback(int);

extern "C" {
int each(int i, callback *fn);
int once(int i, callback *fn);
int deep(int i, callback *fn);
void keep(callback *fn);
int later(int i);
int waits(int i);
int copies(char *to, const char *from);
}

static std::atomic<int> cleaned, begun;

struct Cleanup {
	~Cleanup() { cleaned++; }
};

static int throws(int i)
{
	if (i % 2)
		throw std::runtime_error("odd");
	return i;
}

static int ends(int)
{
	pthread_exit(NULL);
}

static int do_later(int i, callback *)
{
	return later(i);
}

static bool passes(int n, int (*way)(int, callback *))
{
	int caught = 0;

	cleaned = 0;
	for (int i = 0; i < n; i++) {
		Cleanup c;

		try {
			way(i, throws);
		} catch (const std::exception &) {
			caught++;
		}
	}
	return caught == n / 2 && cleaned == n;
}

static void *cancelled(void *)
{
	Cleanup outer;

	begun = 1;
	waits(1);
	return NULL;
}

static void *ended(void *)
{
	Cleanup outer;

	each(1, ends);
	return NULL;
}

static void *ended_deep(void *)
{
	Cleanup outer;

	deep(1, ends);
	return NULL;
}

static bool thread_ends(void *(*fn)(void *), bool cancel)
{
	pthread_t t;

	cleaned = begun = 0;
	if (pthread_create(&t, NULL, fn, NULL))
		return false;
	if (cancel) {
		while (!begun)
			usleep(1000);
		pthread_cancel(t);
	}
	pthread_join(t, NULL);
	return cleaned == 1;
}

static bool all(int n)
{
	char to[16];
	bool good = passes(n, each) && passes(n, once) && passes(n, deep) && passes(n, do_later);

	for (int i = 0; i < n; i++)
		good = good && copies(to, "text") == 4;
	return good && thread_ends(cancelled, true) && thread_ends(ended, false) && thread_ends(ended_deep, false);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
	bool good;

	keep(throws);
	do
		good = all(n);
	while (good && argc > 2 && access(argv[2], F_OK));
	printf("through %s\n", good ? "right" : "WRONG");
	return !good;
}
