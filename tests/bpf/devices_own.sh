#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq python3
#
# --devices, with the simulated NVML: readers are no targets, even where every process is one, or every one of their
# user or name. The readers of other traces would be, so this test runs alone.
. tests/bpf/lib.sh
need_bpf

export XPUTRACE_NVML="$B/fake/nvml/libnvidia-ml.so.1" XPT_FAKE_NVML="$T/nvml"
printf 'devices 1\n' >"$T/nvml"
has_reading() { grep -q '"name":"gpu_power_watts"' "$T/t.jsonl" 2>/dev/null; }

# The readers' library has probes, for another program has it, too, whose calls are seen.
cat >"$T/other.py" <<'EOF'
import ctypes, os, sys, time
nvml = ctypes.CDLL(os.environ["XPUTRACE_NVML"])
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]):
    nvml.nvmlInit_v2()
    time.sleep(0.02)
EOF
python3 "$T/other.py" "$T/loaded" "$T/enough" &
other=$!
wait_for test -e "$T/loaded"
has_other() { grep -q '"name":"nvmlInit_v2"' "$T/t.jsonl"; }
own_calls() { # NAME OPTION...: in the trace, in its totals and in its losses there is nothing of a reader
	o_name=$1
	shift
	rm -f "$T/t.jsonl"
	"$XPT" attach "$@" -d nvml --devices=100ms -q --json --log "$T/report.json" -o "$T/t.jsonl" >/dev/null 2>"$T/err" &
	trace=$!
	wait_for has_reading
	wait_for has_other
	kill -INT "$trace"
	wait "$trace"
	# One call of the other program may have begun before it had its probe.
	is "$o_name" "0 [] []" "$(jq -c 'select(.comm == "xputrace-nvml")' "$T/t.jsonl" | wc -l) $(
		jq -c '[.processes[].process | select(startswith("xputrace") or . == "exe")]' "$T/report.json") $(
		jq -c '[.losses[]? | select(.loss == "exit_without_entry" and .count > 1)]' "$T/report.json")"
}
own_calls own_calls --all
own_calls own_calls_user --uid 0
own_calls own_calls_name --comm 'xputrace-*' --comm exe --comm 'python3*'
touch "$T/enough"
wait "$other"
exit $failed
