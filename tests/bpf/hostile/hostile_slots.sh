#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq python3 user
#
# A stranger changes the slots through which a library calls itself, in his own copies of the pages, again and
# again. Under attach --all that changes nothing for others: no probe moves to a place that costs more, and
# none is taken away for a moment, so a known program of another user is seen to the call. The stranger's calls
# are seen, too, for the probe is on the stub itself.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_slots
cp "$W/slots" "$W/storm" "$T"

# slow NAME: functions whose probes are single-stepped
slow() { sed -n 's/^ *that trap twice *//p' "$T/$1/summary" | tr -d ' '; }

begin quiet
known quiet "$T/storm" --iterations 200
end quiet
is quiet_status 0 $o_status
sees_all quiet

begin moved
: >"$T/theirs/go"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	as_stranger "$T/slots" 1 20 "$T/theirs/go" >"$T/theirs.out" 2>&1
	known moved "$T/storm" --iterations 200
done
end moved
is moved_status 0 $o_status
is slots_replaced "replaced 20" "$(cat "$T/theirs.out")"
sees_all moved
is slots_not_moved "" "$(field moved '.losses[]? | select(.loss == "relinked").count')"
is slots_not_slower "$(slow quiet)" "$(slow moved)"
is slots_seen 240 "$(jq -r 'select(.name == "cuMemFree_v2" and .comm == "slots") | .pid' "$T/moved/t.jsonl" | wc -l)"
exit $failed
