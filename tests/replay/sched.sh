#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# What the scheduler did during calls, in recordings made after docs/format.md:
# in every output, with words that say more than the call has, and without them.
set -u
. tests/cli.lib
tests=$PWD/tests/replay
cd "$T" || exit 2
python3 "$tests/make_xtr.py" sched s.xtr
gives report 0 "" "$XPT" report s.xtr
grep -A 4 '^Waiting for a CPU' out >table
cat >want <<'END'
Waiting for a CPU inside calls
  function               total   on CPU   asleep  waiting   of it  taken
  cuStreamSynchronize   500 ms   190 ms   100 ms   210 ms  42.0 %  4,001
  cuCtxSynchronize     12.0 ms  2.88 ms  9.00 ms   123 us   1.0 %      5

END
holds table cmp table want
holds finding grep -q 'train\[100\]: 41.0 % of the time in 1,004 calls was spent waiting for a' out
"$XPT" report --json s.xtr >r.json
is sums "901 210000000 7 4001" "$(jq -r '.off_cpu[0] | "\(.switched) \(.runq_ns) \(.voluntary) \(.involuntary)"' r.json)"
is rejected 1 "$(jq '.losses[] | select(.loss == "decode_rejected") | .count' r.json)"

"$XPT" convert s.xtr -o t.jsonl -o t.json -o t.pftrace -o again.xtr >/dev/null || not_ok convert "exit status $?"
is lines '{"runq_us":123.456,"blocked_us":8765.376,"voluntary":3,"involuntary":0}
{"runq_us":6000,"blocked_us":0,"voluntary":0,"involuntary":1023}
{"runq_us":0.005,"blocked_us":0.006,"voluntary":1,"involuntary":1}
{"runq_us":1000,"blocked_us":0,"voluntary":1023,"involuntary":1023}
null' "$(jq -c 'select(.phase == "X") | .sched' t.jsonl)"
is stack_before_it main+0x12 "$(jq -r '.stack[0] // empty' t.jsonl)"
is string_behind_it gemm "$(jq -r '.args.name // empty' t.jsonl)"
is in_flight "asleep 1;null null" "$(jq -r 'select(.in_flight) | "\(.cpu) \(.sched.voluntary)"' t.jsonl | paste -sd ';')"
is slices 5 "$(jq '[(.traceEvents // .)[] | select(.args.sched)] | length' t.json)"
is slice_in_flight asleep "$(jq -r '(.traceEvents // .)[] | select(.ph == "B") | .args.cpu // empty' t.json)"
holds perfetto grep -q 'sched.involuntary' t.pftrace
"$XPT" convert again.xtr -o again.jsonl >/dev/null || not_ok convert_again "exit status $?"
holds packed_and_back cmp t.jsonl again.jsonl

# Nothing of it in a recording that has none.
"$XPT" report --json "$tests/train.xtr" >off.json
is off null "$(jq .off_cpu off.json)"
exit $failed
