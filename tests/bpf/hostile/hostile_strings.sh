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
known strings "$T/storm" --iterations 20000	# so that the library has probes when the stranger calls it
start_stranger "$T/hostile" strings "$B/fake/libcuda.so.1" 60000 60000 >"$T/theirs/out"
wait_for grep -q called "$T/theirs/out"
for _ in 1 2 3 4 5; do
	known strings "$T/storm" --iterations 20000
done
end strings
kill $attacker
wait $attacker
is strings_attacker_ended 143 $?
is strings_status 0 $o_status
sees_all strings
holds strings_ends_fast [ $strings_ms -le $((floor_ms * 2 + 2000)) ]
unread=$(field strings '[.losses[]? | select(.loss == "read_failed").count] | add // 0')
holds strings_unread_is_counted [ "$unread" -gt 0 ]
is strings_counts_each "$unread" "$(jq -n 'reduce (inputs | select(.name == "cuModuleGetFunction" and
	(.args.name | startswith("0x")))) as $call (0; . + 1)' "$T/strings/t.jsonl")"
exit $failed
