#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf jq python3
#
# A busy process does not cost another one its errors: with a ring that is full
# (the reader is stopped meanwhile) ordinary calls are dropped and counted, the
# errors of a second process arrive, each of them, in their place in time.
. tests/bpf/lib.sh
need_bpf

# first fills the ring; then another process fails 1000 times.
cat <<-'END' >"$T/stopped.sh"
	kill -STOP $PPID
	"$@"
	status=$?
	XPT_FAKE_FAULT=cuMemGetInfo_v2@1+=999 "$VICTIM" --iterations 1000 --threads "$VICTIM_THREADS"
	kill -CONT $PPID
	exit $status
END
# Another path, so that its lines are told from the others.
cp "$W/storm" "$T/victim"
VICTIM=$T/victim VICTIM_THREADS=1
export VICTIM VICTIM_THREADS

errors_of() { # DIR COMM: failed calls among the lines
	jq -r --arg comm "$2" 'select(.failed and .comm == $comm) | .code' "$T/$1/t.jsonl" | wc -l
}

lost() { # DIR NAME
	field "$1" "[.losses[]? | select(.loss == \"$2\") | .count] | add // 0"
}

with="--no-hold --ring 64K"
compare flood --lost -- sh "$T/stopped.sh" "$W/storm" --iterations 12000 --threads 8
is flood_errors_kept 1000 "$(errors_of flood victim)"
holds flood_dropped [ "$(lost flood ring_full)" -gt 30000 ]
check order flood_order "$T/flood"
is flood_late 0 "$(lost flood late)"

# The same where busy threads have lanes of their own, which fill up first.
with="--no-hold --ring 512K"
compare lanes --lost -- sh "$T/stopped.sh" "$W/storm" --iterations 12000 --threads 8
is lanes_errors_kept 1000 "$(errors_of lanes victim)"
holds lanes_dropped [ "$(lost lanes ring_full)" -gt 30000 ]
check order lanes_order "$T/lanes"
is lanes_late 0 "$(lost lanes late)"
with="--no-hold --ring 64K"

# Without being stopped: the reader takes from both rings all the time.
cat <<-'END' >"$T/at_once.sh"
	"$@" &
	XPT_FAKE_FAULT=cuMemGetInfo_v2@1+=999 "$VICTIM" --iterations 1000 --threads "$VICTIM_THREADS"
	wait
END
VICTIM_THREADS=4
trace at_once --ring 64K -- sh "$T/at_once.sh" "$W/storm" --iterations 6000 --threads 16 ||
	not_ok at_once "exit status $status"
is at_once_errors_kept 4000 "$(errors_of at_once victim)"
check order at_once_order "$T/at_once"
trace at_once_lanes -- sh "$T/at_once.sh" "$W/storm" --iterations 4000 --threads 40 ||
	not_ok at_once_lanes "exit status $status"
is at_once_lanes_errors_kept 4000 "$(errors_of at_once_lanes victim)"
check order at_once_lanes_order "$T/at_once_lanes"

# One that fails all the time may take a part of the second ring only.
VICTIM_THREADS=1
cat <<-'END' >"$T/failing.sh"
	kill -STOP $PPID
	XPT_FAKE_FAULT=cuMemGetInfo_v2@1+=2 "$@"
	XPT_FAKE_FAULT=cuMemGetInfo_v2@1+=999 "$VICTIM" --iterations 1000 --threads "$VICTIM_THREADS"
	kill -CONT $PPID
END
compare failing --lost -- sh "$T/failing.sh" "$W/storm" --iterations 20000
is failing_errors_kept 1000 "$(errors_of failing victim)"
holds failing_dropped [ "$(lost failing ring_full)" -gt 10000 ]
check order failing_order "$T/failing"
exit $failed
