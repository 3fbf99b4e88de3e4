#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user
#
# A stranger maps 3,000 libraries one after the other under attach --all. A known program
# beside it is seen exactly, so is one of the stranger's own afterwards (places are given
# back when no process maps the file any more), and the trace ends as fast as one without
# a stranger.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_places
library "$T/lib" cuAab 1

# The floor: a trace of the same program alone.
begin floor
cp "$E/late_dlopen" "$T"
known floor "$T/late_dlopen" --delay 0 --iterations 50
end floor

begin storm
as_stranger "$T/hostile" maps "$T/lib/libcuda.so.1" "$T/theirs" 3000 &
attacker=$!
while kill -0 $attacker 2>/dev/null; do
	known storm "$T/late_dlopen" --delay 0 --iterations 50
	sleep 0.5
done
wait $attacker
is storm_attacker 0 $?

# The stranger's own copy of the driver: a place is free again after nine times the time that
# his files have taken, which is some 25 s here and more where attaching is slow.
theirs_is_seen() {
	LD_LIBRARY_PATH=$T/theirs/fake as_stranger "$T/theirs/program" --delay 100 >/dev/null 2>&1
	sleep 0.3
	grep -q '"comm":"program"' "$T/storm/t.jsonl"
}
cp "$E/late_dlopen" "$T/theirs/program"
cp -r "$B/fake" "$T/theirs/fake"
chown -R "$U" "$T/theirs"
tries=0
until theirs_is_seen || [ $tries = 240 ]; do
	tries=$((tries + 1))
done
holds storm_place_is_given_back [ $tries -lt 240 ]
known_as=$U
LD_LIBRARY_PATH=$T/theirs/fake known storm "$T/theirs/program" --delay 0 --iterations 50
end storm
is storm_status 0 $o_status
sees_all storm
holds storm_ends_fast [ $storm_ms -le $((floor_ms * 2 + 500)) ]
echo "note a trace of 3000 libraries of a stranger ends after $storm_ms ms, without after $floor_ms"
exit $failed
