#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 200
# alone
# needs: bpf jq user
#
# A followed program makes children as fast as it can and goes on with that: the trace ends all the same.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_forks
cat >"$T/children.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 4096, STACKS = 4096, WORKERS = 3 };

/* On a stack of its own in memory that all share: nothing of the C library. */
static int live_on(void *arg)
{
	const struct timespec live = { .tv_nsec = 20000000 };

	(void)arg;
	syscall(SYS_nanosleep, &live, NULL);
	syscall(SYS_exit, 0);
	return 0;
}

int main(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;
	char *stacks;

	if (!init || init(0))
		return 1;
	puts("runs");
	fflush(stdout);
	signal(SIGCHLD, SIG_IGN);
	for (int i = 1; i < WORKERS && fork(); i++)
		;
	stacks = mmap(NULL, (size_t)STACK * STACKS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned n = 0;; n++)
		if (clone(live_on, stacks + (n % STACKS + 1) * STACK - 64, CLONE_VM | SIGCHLD, NULL) < 0)
			usleep(1000);
}
END
cc -O1 -o "$T/children" "$T/children.c" -ldl
# The floor: the end of a trace of a program that does nothing.
begin floor
end floor
mkdir "$T/forks"
"$XPT" attach --comm children -q -v -o "$T/forks/t.xtr" >"$T/forks/summary" 2>"$T/forks/stderr" &
tracer=$!
wait_for in_place "$T/forks/stderr"
start_stranger "$T/children" >"$T/theirs.out"
wait_for test -s "$T/theirs.out"
sleep 1
end forks
holds ends [ $forks_ms -le $((floor_ms * 20 + 10000)) ]
holds others_go_on kill -0 $attacker
pkill -KILL -x children
is status 0 $o_status
{ wait $attacker; } 2>/dev/null
echo "note a trace of a program that forks all the time ends after $forks_ms ms, of none after $floor_ms"
exit $failed
