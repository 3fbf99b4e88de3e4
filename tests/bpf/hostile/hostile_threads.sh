#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq user
#
# A stranger's threads make a call each and stay. Programs of others that begin later have ids that differ from
# those by a multiple of each power of two up to the number of slots: all of their calls are seen.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_threads
last=/proc/sys/kernel/ns_last_pid
[ -w $last ] || {
	echo "skip hostile_threads: this kernel lets nobody choose ids (CONFIG_CHECKPOINT_RESTORE)"
	exit 0
}
cp "$W/storm" "$T"
slots=16384	# XPT_SLOTS_MAX
threads=200

begin threads
known threads "$T/storm" --iterations 10	# so that the library has probes when the stranger calls it
start_stranger "$T/hostile" threads "$B/fake/libcuda.so.1" $threads >"$T/theirs/out"
wait_for test -s "$T/theirs/out"
first=$(cat "$T/theirs/out")
pid=$((first + slots))
[ $pid -lt $(($(cat /proc/sys/kernel/pid_max) - threads)) ] || pid=$((first - slots))
for at in 40 60 80 100 120 140; do	# between his first id and his last
	echo $((pid + at)) >$last
	known threads "$T/storm" --iterations 10
done
end threads
kill $attacker
wait $attacker
is threads_status 0 $o_status
is threads_attacker "$threads" "$(jq -r 'select(.name == "cuDriverGetVersion") | .tid' "$T/threads/t.jsonl" | sort -u | wc -l)"
holds threads_collide [ "$(jq -s --argjson first $first 'map((.pid - $first + '$slots') % '$slots' | select(. > 0 and . < '$threads')) | length' \
	"$T/threads/truth")" -ge 4 ]
sees_all threads
exit $failed
