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

# Of several GPUs the process may have used another one: a report without a process names nobody.
cat >"$T/gpus.sh" <<'END'
	gpus=$1
	shift
	mount -t tmpfs none /proc/driver || exit 99
	for gpu in $gpus; do
		mkdir -p "/proc/driver/nvidia/gpus/$gpu.0"
		echo "Device Minor: 	 ${gpu##*:0}" >"/proc/driver/nvidia/gpus/$gpu.0/information"
	done
	exec "$@"
END
of_gpus() { # NAME GPUS
	XPT_FAKE_LATENCY='cuMemAlloc_v2@2=1s' unshare -m sh "$T/gpus.sh" "$2" "$XPT" run --as-root -q --log - \
		-o "$T/$1.jsonl" -o "$T/$1.xtr" -- "$E/train" --iterations 2 --bytes 1M >"$T/$1" 2>"$T/$1.err" &
	tracer=$!
	wait_for asleep
	log "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
	wait "$tracer" || not_ok "$1" "$(tail -n 1 "$T/$1.err")"
	"$XPT" report --json "$T/$1.xtr" | jq -r --arg gpu "$gpu" '.xid[] | select(.device == $gpu) | .process' >"$T/$1.process"
}
if unshare -m true 2>/dev/null; then
	of_gpus one_gpu "$gpu"
	is one_gpu train "$(cat "$T/one_gpu.process")"
	of_gpus two_gpus "$gpu 0000:01:01"
	is two_gpus "" "$(cat "$T/two_gpus.process")"
	of_gpus other_gpu "0000:01:01"
	is other_gpu "" "$(cat "$T/other_gpu.process")"
else
	echo "skip xid_gpus: no namespace of mounts"
fi
exit $failed
