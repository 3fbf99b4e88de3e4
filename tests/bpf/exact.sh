#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf jq python3
#
# Totals are exact to the call when single events are lost, and losses are
# exact as well: events + losses = calls. The reader is kept from reading (its
# process is stopped, its output blocks) so that a small ring must overflow.
. tests/bpf/lib.sh
need_bpf

# The traced shell stops its parent, which is xputrace, while the flood goes on.
flood() { # COMMAND...
	cat <<-'END' >"$T/flood"
		kill -STOP $PPID
		"$@"
		status=$?
		kill -CONT $PPID
		exit $status
	END
	echo "$T/flood"
}
flood >/dev/null

# Many threads at once: some do not get the first place that suits them (XPT_SLOTS).
with="--ring 16M"
compare many_threads -- "$W/storm" --iterations 60 --launches 1 --threads 1400

with="--no-hold --ring 64K"
compare overflow --lost -- sh "$T/flood" "$W/storm" --iterations 100000
compare overflow_threads --lost -- sh "$T/flood" "$W/storm" --iterations 1000 --threads 64
compare overflow_launches --lost -- sh "$T/flood" "$E/launch_storm" --iterations 30

# Errors find room where ordinary calls no longer do: each of them is an event.
faults=
for i in 1 2 3 4 5 6 7 8 9; do
	for k in 000 200 400 600 800; do
		faults="$faults,cuMemGetInfo_v2@$i$k=999"
	done
done
XPT_FAKE_FAULT=${faults#,}
export XPT_FAKE_FAULT
compare overflow_errors --lost -- sh "$T/flood" "$W/storm" --iterations 20000
is errors_kept 45 "$(jq -r 'select(.failed) | .code' "$T/overflow_errors/t.jsonl" | wc -l)"
# More errors than fit: lost as well, still counted by code.
XPT_FAKE_FAULT=cuMemGetInfo_v2@101+=999
compare overflow_all_errors --lost -- sh "$T/flood" "$W/storm" --iterations 20000
unset XPT_FAKE_FAULT

# A sink that blocks: the first megabyte is read in small bites.
mkdir -p "$T/slow_sink"
mkfifo "$T/slow_sink/t.jsonl"
python3 -c '
import sys, time
with open(sys.argv[1], "rb", buffering=0) as f, open(sys.argv[2], "wb") as out:
	taken, data = 0, b"-"
	while data:
		data = f.read(4096 if taken < 1 << 20 else 1 << 20)
		taken += len(data)
		out.write(data)
		if taken < 1 << 20:
			time.sleep(0.004)
' "$T/slow_sink/t.jsonl" "$T/lines" &
trace slow_sink --ring 64K -- "$E/launch_storm" --iterations 30 || not_ok slow_sink "exit status $status"
wait
mv "$T/lines" "$T/slow_sink/t.jsonl"
check truth slow_sink "$T/slow_sink" --lost

# Nothing but totals.
with=--counters
compare counters --counters -- "$E/launch_storm" --iterations 30
compare counters_threads --counters -- "$E/threads" --threads 64 --iterations 20
compare counters_error --counters -- "$E/error" --oom
compare counters_runtime --counters --only cudart -- "$E/runtime_train" --iterations 5 --bytes 16M
is counters_table "" "$(grep -E '^ *[0-9]+ cu' "$T/counters/summary")"
exit $failed
