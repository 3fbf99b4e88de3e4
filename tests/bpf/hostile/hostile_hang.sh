#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq user
#
# A stranger's threads have more calls open that hang than any table of processes or threads has rows. A call of
# another user that hangs later is reported all the same.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_hang
cat >"$T/nest.c" <<'END'
#include <unistd.h>
void cuNest(int depth);
void cuNest(int depth)
{
	if (depth > 1)
		cuNest(depth - 1);
	for (;;)
		pause();
}
END
mkdir "$T/lib"
cc -shared -fPIC -O0 -Wl,-soname,libcuda.so.1 -o "$T/lib/libcuda.so.1" "$T/nest.c"
chmod -R a+rX "$T/lib"
depth=16	# XPT_MAX_DEPTH
threads=6000

open_calls() { # PID: reported as hanging
	grep "\"pid\":$1," "$T/hang/t.jsonl" | grep -c '"in_flight":true'
}
reports() { # PID N
	[ "$(open_calls "$1")" -ge "$2" ]
}
begin hang --hang 1s
start_stranger "$T/hostile" hang "$T/lib/libcuda.so.1" $threads $depth >"$T/theirs.out"
stranger=$attacker
wait_for test -s "$T/theirs.out"
made=$(cat "$T/theirs.out")
if [ "$made" -lt $threads ]; then
	echo "skip hostile_hang: a user can have $made threads here, $threads are needed"
	kill $tracer $stranger
	exit 0
fi
# All of them have been reported: as many as a table had rows, or no more come (some threads get no slot).
before=0 same=0
are_reported() {
	now=$(open_calls $stranger)
	same=$((now == before ? same + 1 : 0))
	before=$now
	[ "$now" -ge 65536 ] || [ "$now" -gt 0 ] && [ $same -ge 40 ]
}
holds strangers_calls_reported wait_for are_reported
U=65533
start_stranger "$T/hostile" hang "$T/lib/libcuda.so.1" 1 1 >"$T/victim.out"
victim=$attacker
holds victim_reported wait_for reports $victim 1
{ kill $stranger $victim; wait $stranger $victim; } 2>/dev/null
end hang
is status 0 $o_status
exit $failed
