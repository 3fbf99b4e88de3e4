#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
# uses: chosen_pid
#
# Rows of hooks by code, where one process id had several programs: by exec, and by a
# second process that got the id of the first. What lies at an address is another
# function in each, so their rows are two, with the names of their time.
. tests/bpf/lib.sh
need_bpf

cat >"$T/give.c" <<'END'
__attribute__((noinline)) void give(void (*fn)(int), int i) { fn(i); }
END
# Two programs that are the same but for the name of a function, at one address.
cat >"$T/life.c" <<'END'
#define _GNU_SOURCE
#include <linux/sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
void give(void (*fn)(int), int i);
static volatile int sum;
__attribute__((noinline)) void NAME(int i) { sum += i; }
static int start(int pid)
{
	struct clone_args a = { .exit_signal = 17, .set_tid = pid ? (uintptr_t)&pid : 0, .set_tid_size = pid ? 1 : 0 };
	return (int)syscall(SYS_clone3, &a, sizeof(a));
}
/* TIMES [NEXT ARGS]: exec. TIMES -- FIRST SECOND: they give 3 and 5 with one process id. */
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++)
		give(NAME, i);
	if (getenv("STAY"))	/* until it has been looked at */
		usleep(300000);
	if (argc > 2 && argv[2][0] != '-') {
		execv(argv[2], argv + 2);
		return 1;
	}
	int pid = 0, status;
	for (int i = 0; argc > 4 && i < 2; i++) {
		int child = start(pid);
		if (child < 0)
			return 77;
		if (!child)
			execl(argv[3 + i], argv[3 + i], i ? "5" : "3", (char *)0);
		waitpid(child, &status, 0);
		pid = child;
	}
	return 0;
}
END
cc -shared -fPIC -O1 -o "$T/libgive.so" "$T/give.c"
for name in first second; do
	cc -O1 -no-pie -DNAME=$name -o "$T/$name" "$T/life.c" -L"$T" -lgive -Wl,-rpath,"$T"
done
is same_address "$(nm "$T/first" | sed -n 's/ T first$//p')" "$(nm "$T/second" | sed -n 's/ T second$//p')"

# rows NAME KEY COMMAND...: of the calls of give().
rows() {
	name=$1 key=$2
	shift 2
	"$XPT" hook -q --as-root -e "uprobe:$T/libgive.so:give count by $key as n" -- "$@" >"$T/$name.out" 2>"$T/$name.err"
	status=$?
	got=$(sed -n 's/^@//p' "$T/$name.out" | sed 's/process [0-9]*/process N/' | LC_ALL=C sort | xargs)
}

# What is gone before anybody looks may have lost its names, but never has those of the next.
rows at_once 'usym(arg0)' "$T/first" 3 "$T/second" 5
is at_once "5 n[first]: 3" "$(sed -n 's/^@n\[second\]: //p' "$T/at_once.out") $(echo "$got" | grep -o 'n\[[^s][^ ]*: 3' | sed 's/unknown(0x[0-9a-f]*)/first/')"
export STAY=1
rows exec 'usym(arg0)' "$T/first" 3 "$T/second" 5
is exec_names "n[first]: 3 n[second]: 5" "$got"
rows exec_stack stack "$T/first" 3 "$T/second" 5
is exec_stacks "3 5" "$(sed -n 's/.*]: //p' "$T/exec_stack.out" | sort | xargs)"
rows again 'usym(arg0)' "$T/first" 3 "$T/first" 5
is exec_of_itself "n[first (process N, program 1)]: 3 n[first (process N, program 2)]: 5" "$got"
rows thrice 'usym(arg0)' "$T/second" 1 "$T/first" 3 "$T/second" 5 "$T/first" 7
is exec_thrice "n[first (process N, program 1)]: 3 n[first (process N, program 2)]: 7 n[second (process N, program 1)]: 1 n[second (process N, program 2)]: 5" "$got"
rows reused 'usym(arg0)' "$T/first" 0 -- "$T/first" "$T/second"
if [ $status = 77 ]; then
	echo "skip pid_reused: no process can choose its id here"
else
	is pid_reused "n[first]: 3 n[second]: 5" "$got"
fi
# All processes: an exec outside of calls is not told by itself.
"$XPT" hook -q -a -e "uprobe:$T/libgive.so:give count by usym(arg0) as n" >"$T/all.out" 2>"$T/all.err" &
tracer=$!
wait_for grep -q 'hooks are in place' "$T/all.err"
"$T/first" 3 "$T/second" 5
kill -INT $tracer
wait $tracer
is all "n[first]: 3 n[second]: 5" "$(sed -n 's/^@//p' "$T/all.out" | LC_ALL=C sort | xargs)"
exit $failed
