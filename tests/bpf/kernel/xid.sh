#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq python3 kmsg
#
# Errors that the GPU driver reports in the kernel log, written there by this test:
# what was there before is passed over, each later one is told once and joined to the
# process that it names or that used the GPU last.
. tests/bpf/lib.sh
need_bpf

gpu=0000:f$(($$ % 10)):00
log() { echo "<4>NVRM: Xid (PCI:$gpu): $1" >/dev/kmsg; }

asleep() { # in its second allocation
	pid=$(pgrep -P "$tracer" -x train) && grep -q nanosleep "/proc/$pid/wchan"
}

log "13, from before the trace"
XPT_FAKE_LATENCY='cuMemAlloc_v2@2=3s' "$XPT" run --as-root -q --log - -o "$T/t.jsonl" -o "$T/t.xtr" -- "$E/train" --iterations 2 --bytes 1M \
	>"$T/summary" 2>"$T/err" &
tracer=$!
wait_for asleep
log "31, pid=$pid, name=train, Ch 00000010, MMU Fault"
log "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
wait "$tracer"
is xid_exit 0 $?
is xid_told "31 $pid train true 79 $pid train false" \
	"$(jq -r --arg gpu "$gpu" 'select(.type == "xid" and .device == $gpu) | "\(.xid) \(.pid) \(.comm) \(.named)"' "$T/t.jsonl" | xargs)"
is xid_findings 2 "$("$XPT" report --json "$T/t.xtr" | jq '[.verdict[] | select(.kind == "xid")] | length')"
holds xid_summary grep -q 'Xid 79 (GPU has fallen off the bus)' "$T/summary"
"$XPT" report "$T/t.xtr" >"$T/report"
is xid_report "$(grep -A4 'GPU driver reported' "$T/summary")" "$(grep -A4 'GPU driver reported' "$T/report")"
exit $failed
