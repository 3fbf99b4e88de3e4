#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq python3 user
#
# Mappings come faster than they can be looked at, under attach --all. That is a loss, told with the user
# whose they were; a program of another user that mapped its own library meanwhile is found afterwards
# and its calls are seen. What was mapped shortly before the end and was not looked at any more is a loss, too.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_watch
cp "$E/late_dlopen" "$T"
library "$T/lib" cuAab 1

lost() { # NAME: mappings
	field "$1" '[.losses[]? | select(.loss == "watch_lost").count] | add // 0'
}
# The tracer is stopped where it waits: what it is sent then comes before it reads anything.
waits() { # epoll_wait(2) or epoll_pwait(2) of x86-64
	kill -STOP $tracer
	until grep -q '^State:.*T' "/proc/$tracer/status"; do :; done
	grep -qE '^(232|281) ' "/proc/$tracer/syscall" && return
	kill -CONT $tracer
	return 1
}
has_worked() { # PID: half a second in the kernel
	awk '{ exit $15 < 50 }' "/proc/$1/stat"
}
own_copy() { # NAME: of the library, that has no probes yet
	cp -r "$B/fake" "$T/$1.fake"
}
sees() { # NAME COMM
	grep -q "\"comm\":\"$2\"" "$T/$1/t.jsonl"
}

begin storm
own_copy late
cp "$T/late_dlopen" "$T/late"
wait_for waits
setpriv --reuid $U --regid $U --clear-groups "$T/hostile" storm "$T/lib/libcuda.so.1" 0 &
attacker=$!	# not a shell that waits for it
wait_for has_worked $attacker	# mapped more than all buffers take; it goes on, so that it can be told whose it is
LD_LIBRARY_PATH=$T/late.fake XPT_TRUTH=$T/late.truth setpriv --reuid 65533 --clear-groups \
	"$T/late" --delay 0 --iterations 1000000000 >/dev/null 2>&1 &
late=$!
wait_for maps_library $late
kill -CONT $tracer
wait_for sees storm late
kill $late
wait $late 2>/dev/null
end storm
kill $attacker
wait $attacker 2>/dev/null
is storm_status 0 $o_status
holds storm_lost [ "$(lost storm)" -gt 0 ]
holds storm_whose grep -q "records of mappings and processes came faster .* those of user $U: " "$T/storm/stderr"

begin last
own_copy last
wait_for waits
LD_LIBRARY_PATH=$T/last.fake as_stranger "$T/late_dlopen" --delay 0 --iterations 5 >/dev/null 2>"$T/last.out"
is last_program 0 $?
kill -INT $tracer
kill -CONT $tracer
wait $tracer
is last_status 0 $?
"$XPT" report --json "$T/last/t.xtr" >"$T/last/report.json"
holds last_lost [ "$(lost last)" -ge 1 ]

begin quiet
known quiet "$T/late_dlopen" --delay 0 --iterations 5
end quiet
is quiet_lost 0 "$(lost quiet)"
exit $failed
