#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user
#
# A stranger makes calls under attach --all whose strings are not in memory, in a process of very many
# mappings, so that each costs the reader a long look. Known programs beside him are seen to the call, what
# was not read of his is counted, and the trace ends as if he were not there.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_strings
cp "$E/late_dlopen" "$W/storm" "$T"

begin floor
known floor "$T/late_dlopen" --delay 0 --iterations 50
end floor

begin strings
as_stranger "$T/hostile" strings "$B/fake/libcuda.so.1" 60000 2000 >"$T/theirs/out" &
attacker=$!
known strings "$T/storm" --iterations 20000
wait_for grep -q called "$T/theirs/out"
for _ in 1 2 3 4 5; do
	known strings "$T/storm" --iterations 20000
done
end strings
kill $attacker
is strings_status 0 $o_status
sees_all strings
holds strings_ends_fast [ $strings_ms -le $((floor_ms * 2 + 2000)) ]
holds strings_unread_is_counted [ "$(field strings '[.losses[]? | select(.loss == "read_failed").count] | add // 0')" -gt 0 ]
exit $failed
