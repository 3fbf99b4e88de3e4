#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
# uses: kernel_threads
#
# attach and targets that are odd: absent, ended, ending, threads, threads of
# the kernel, names that are too long; and what it leaves when it never began.
# shellcheck disable=SC2317 # functions called by name
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf
cd "$T" || exit 1
attach() { # NAME STATUS TEXT OPTION...
	n=$1 s=$2 t=$3
	shift 3
	gives "$n" "$s" "$t" "$XPT" attach -q --no-summary "$@"
}

attach absent 3 "process 2147483646 does not exist" -p 2147483646 -o absent.jsonl
holds absent_no_file [ ! -e absent.jsonl ]
holds absent_no_folder [ ! -e traces ]
is absent_no_table "" "$(cat out)"
attach empty_list 2 "'' is not a process id" -p ''
attach empty_item 2 "'' is not a process id" -p 1,,2
attach zero 2 "'0' is not a process id" -p 0
attach empty_name 2 "an empty name" --comm ''

# A zombie: its parent does not wait for it.
python3 -c '
import os, time
pid = os.fork()
if pid == 0:
    os._exit(0)
print(pid, flush=True)
for i in range(600):
    time.sleep(0.1)' >zombie &
parent=$!
until_ [ -s zombie ]
is_zombie() { grep -q '^State:.Z' "/proc/$(cat zombie)/status"; }
until_ is_zombie
attach zombie 3 "has ended already" -p "$(cat zombie)" --no-file
kill $parent

if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ] && grep -q '^Kthread:' /proc/2/status; then
	attach kernel 3 "thread of the kernel" -p 2 --no-file
else
	echo "skip kernel: no kernel thread to be seen here"
fi

# --- a process that runs ------------------------------------------------------------
"$E/threads" --threads 2 --iterations 100000000 --seconds 250 >/dev/null 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
loaded() { grep -q libcuda "/proc/$pid/maps"; }
many() { [ "$(find "/proc/$pid/task" -maxdepth 1 -mindepth 1 | wc -l)" -gt 1 ]; }
until_ loaded
until_ many
tid=$(find "/proc/$pid/task" -maxdepth 1 -mindepth 1 -printf '%f\n' | grep -vx $pid | head -n 1)
attach near 3 "no function matches 'cuMemAlok': did you mean cuMemAlloc" -p $pid -f cuMemAlok -o n.jsonl
holds near_no_file [ ! -e n.jsonl ]

stopped() { # NAME STATUS OPTION...: attaches, interrupts once calls are there
	n=$1 s=$2
	shift 2
	"$XPT" attach -q --no-summary -o "$n.jsonl" "$@" >"$n.out" 2>"$n.err" &
	tracer=$!
	until_ [ -s "$n.jsonl" ]
	kill -TERM $tracer
	wait $tracer
	is "$n" "$s" $?
	is "${n}_pid" $pid "$(jq -r 'select(.pid) | .pid' "$n.jsonl" | sort -u)"
}
stopped by_thread 0 -p "$tid"
holds by_thread_says grep -q "$tid is a thread of process $pid" by_thread.err
stopped one_of_two 0 -p 2147483646 -p $pid
holds one_of_two_says grep -q "2147483646 does not exist" one_of_two.err
stopped long_list 0 -p "$pid,$pid,$pid"
holds unharmed kill -0 $pid
kill $pid
wait $pid 2>/dev/null

# --- names --------------------------------------------------------------------------
cat >waits.sh <<'END'
	rm -f waits.err
	"$@" 2>waits.err &
	i=0
	until grep -qs 'yet; waiting' waits.err || [ $i = 600 ]; do sleep 0.1; i=$((i + 1)); done
	kill -INT $!
	wait $!
	status=$?
	cat waits.err >&2
	exit $status
END
gives no_such_name 0 "no process is called 'nobody-has-this' yet; waiting" sh waits.sh \
	"$XPT" attach --comm nobody-has-this --no-file -q --no-summary
gives long_name 0 "at most 15 characters: looking for 'a-name-that-is-'" sh waits.sh \
	"$XPT" attach --comm a-name-that-is-too-long --no-file -q --no-summary
gives name_require 3 "nothing was traced\|none was called" sh waits.sh \
	"$XPT" attach --comm nobody-has-this --no-file -q --no-summary --require

# --- a process that ends while xputrace attaches: ends or is told, never hangs -------
wrong=
for delay in 0 0.02 0.05 0.1 0.15 0.2 0.3; do
	sleep $delay &
	timeout 60 "$XPT" attach -p $! -q --no-summary --no-file >/dev/null 2>race.err
	s=$?
	[ $s = 0 ] || [ $s = 3 ] || wrong="$wrong $delay:$s"
done
is ending "" "$wrong"
exit $failed
