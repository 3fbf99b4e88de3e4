// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Calls that are left without a return: by an exception (thrown in the traced
// function, or below it), by the cancellation of the thread, by longjmp. The
// program checks itself that every handler runs, and prints what it counted.
//
//   unwind CASE [N [FILE]]
//
// CASE is a function below, or: below (the next call is made from deeper frames),
// forever (until SIGTERM), callback and driver (with a libcuda), replaced (the same,
// but a tool has put a function of its own into the slot of the driver's stub: FILE.ready
// is there then, and the calls begin when FILE is).
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <atomic>
#include <stdexcept>
#include <string>
#include "threads.h"

#define TRACED extern "C" __attribute__((noinline, noclone))

static volatile int sink;
static std::atomic<int> cleaned;
static jmp_buf env;

TRACED int thrower(int i)
{
	if (i % 2)
		throw std::runtime_error("odd");
	return i + 1;
}

TRACED int middle(int i)	// has no cleanup of its own
{
	return thrower(i) + 1;
}

TRACED int catcher(int i)
{
	try {
		return middle(i);
	} catch (const std::exception &) {
		return -1;
	}
}

TRACED int last_call(int i)	// ends with a jump where it is optimised
{
	sink = i;
	return thrower(i);
}

static __attribute__((noinline, noclone)) int nameless(int i)	// in a stripped file
{
	if (i % 2)
		sink = thrower(2 * i);
	return sink + i;
}

TRACED int into(int i)		// ends in a function without a name, whose ends are its own
{
	sink = i;
	return nameless(i);
}

TRACED int chooser(int i)	// a jump table, and a part that is seldom reached
{
	switch (i) {
	case 0: sink = 3; return 7;
	case 1: return thrower(2 * sink);
	case 2: sink = 1; puts(""); return 9;
	case 3: return thrower(1);
	case 4: sink = 77; return getpid() & 1;
	case 5: return thrower(0) * 3;
	case 6: return sink + 12;
	default: abort();
	}
}

TRACED int jumper(int i)
{
	if (i % 2)
		longjmp(env, 1);
	return i;
}

TRACED int waiter(int i)
{
	for (;;)
		pause();
	return i;
}

struct Cleanup {
	~Cleanup() { cleaned++; }
};

static volatile pid_t waiting;	// the thread that waits in a call, or is about to

static void *cancelled(void *)
{
	Cleanup outer;

	waiting = thread_id();
	waiter(1);
	return NULL;
}

static int cancel(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;

		waiting = 0;
		if (pthread_create(&t, NULL, cancelled, NULL))
			return 1;
		wait_until_asleep(&waiting);
		pthread_cancel(t);
		pthread_join(t, NULL);
	}
	return cleaned == n ? 0 : 1;
}

static int jump(int n)
{
	for (volatile int i = 0; i < n; i++)
		if (!setjmp(env))
			jumper(i);
	return 0;
}

static int throws(int n, int (*fn)(int))
{
	int caught = 0;

	for (int i = 0; i < n; i++) {
		Cleanup c;

		try {
			if (fn(i) < 0)
				caught++;
		} catch (const std::exception &) {
			caught++;
		}
	}
	return caught == n / 2 && cleaned == n ? 0 : 1;
}

static int goes_on(int n)
{
	for (int i = 0; i < n; i++)
		into(i);
	return 0;
}

static int choose(int n)
{
	int caught = 0;

	for (int i = 0; i < n; i++)
		try {
			chooser(i % 7);
		} catch (const std::exception &) {
			caught++;
		}
	return caught == n / 7 ? 0 : 1;
}

// A callback that cuOccupancyMaxPotentialBlockSize runs on this thread.
static size_t shared_memory(int threads)
{
	if (threads == 256)
		throw std::runtime_error("no block of 256");
	return 0;
}

template <class F> static F driver(const char *name)
{
	static void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	void *fn = lib ? dlsym(lib, name) : NULL;

	if (!fn) {
		fprintf(stderr, "no %s in libcuda.so.1\n", name);
		exit(1);
	}
	return (F)fn;
}

typedef int (*ask_fn)(int *, int *, void *, size_t (*)(int), size_t, int);

// The slot that the first `jmp *disp(%rip)` of a stub reads.
static void **slot_of(const unsigned char *stub)
{
	for (int i = 0; i < 64; i++) {
		int disp;

		if (stub[i] != 0xff || stub[i + 1] != 0x25)
			continue;
		memcpy(&disp, stub + i + 2, sizeof(disp));
		return (void **)(stub + i + 6 + disp);
	}
	exit(1);
}

static int instead(int *grid, int *, void *, size_t (*shared)(int), size_t, int limit)
{
	*grid = (int)shared(limit);
	return 0;
}

static void replace(const char *go)
{
	*slot_of((const unsigned char *)driver<ask_fn>("cuOccupancyMaxPotentialBlockSize")) = (void *)instead;
	close(open((std::string(go) + ".ready").c_str(), O_WRONLY | O_CREAT, 0644));
	for (int i = 0; access(go, F_OK) && i < 12000; i++)
		usleep(10000);
}

static int callback(int n)
{
	auto ask = driver<ask_fn>("cuOccupancyMaxPotentialBlockSize");
	void *ctx, *module, *fn;
	int grid, block, caught = 0;

	if (driver<int (*)(unsigned)>("cuInit")(0) ||
	    driver<int (*)(void **, unsigned, int)>("cuCtxCreate_v2")(&ctx, 0, 0) ||
	    driver<int (*)(void **, const void *)>("cuModuleLoadData")(&module, "image") ||
	    driver<int (*)(void **, void *, const char *)>("cuModuleGetFunction")(&fn, module, "k"))
		return 1;
	for (int i = 0; i < n; i++) {
		Cleanup c;

		try {
			if (ask(&grid, &block, fn, shared_memory, 0, i % 2 ? 256 : 512))
				return 1;
		} catch (const std::exception &) {
			caught++;
		}
	}
	return caught == n / 2 && cleaned == n ? 0 : 1;
}

static void *waits_in_driver(void *)
{
	Cleanup outer;
	auto synchronize = driver<int (*)()>("cuCtxSynchronize");

	waiting = thread_id();
	synchronize();
	return NULL;
}

// The simulated driver sleeps in that call (XPT_FAKE_LATENCY), where a thread can be cancelled.
static int cancel_in_driver(int n)
{
	void *ctx;

	if (driver<int (*)(unsigned)>("cuInit")(0) ||
	    driver<int (*)(void **, unsigned, int)>("cuCtxCreate_v2")(&ctx, 0, 0))
		return 1;
	for (int i = 0; i < n; i++) {
		pthread_t t;

		waiting = 0;
		if (pthread_create(&t, NULL, waits_in_driver, NULL))
			return 1;
		wait_until_asleep(&waiting);
		pthread_cancel(t);
		pthread_join(t, NULL);
	}
	printf("handlers of outer frames: %d of %d\n", (int)cleaned, n);
	return 0;
}

// A frame that is gone must not count as the caller of what is called deeper.
TRACED int deeper(int i)
{
	volatile char room[256];

	room[i] = (char)i;
	return middle(2 * room[i]);
}

static int below(int n)
{
	for (int i = 0; i < n; i++) {
		try {
			thrower(1);
		} catch (const std::exception &) {
		}
		if (deeper(i & 1) < 0)
			return 1;
	}
	return 0;
}

static volatile sig_atomic_t stopped;

static void stop(int)
{
	stopped = 1;
}

static int forever(void)
{
	signal(SIGTERM, stop);
	while (!stopped) {
		cleaned = 0;
		if (throws(2, middle))
			return 1;
		usleep(1000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 10, bad = 1;

	if (!strcmp(what, "thrower"))
		bad = throws(n, thrower);
	else if (!strcmp(what, "middle"))
		bad = throws(n, middle);
	else if (!strcmp(what, "catcher"))
		bad = throws(n, catcher);
	else if (!strcmp(what, "last_call"))
		bad = throws(n, last_call);
	else if (!strcmp(what, "into"))
		bad = goes_on(n);
	else if (!strcmp(what, "chooser"))
		bad = choose(n);
	else if (!strcmp(what, "jumper"))
		bad = jump(n);
	else if (!strcmp(what, "waiter"))
		bad = cancel(n);
	else if (!strcmp(what, "below"))
		bad = below(n);
	else if (!strcmp(what, "forever"))
		bad = forever();
	else if (!strcmp(what, "callback"))
		bad = callback(n);
	else if (!strcmp(what, "replaced") && argc > 3)
		replace(argv[3]), bad = callback(n);
	else if (!strcmp(what, "driver"))
		bad = cancel_in_driver(n);
	printf("%s %s\n", what, bad ? "WRONG" : "right");
	return bad;
}
