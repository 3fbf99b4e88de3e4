#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 180
# needs: bpf jq
#
# --devices of live traces, with the simulated NVML: readings reach every output, a library that hangs
# is reported and holds up neither the trace nor its end, and processes that read leave nothing
# behind.
. tests/bpf/lib.sh
need_bpf

export XPUTRACE_NVML="$B/fake/nvml/libnvidia-ml.so.1" XPT_FAKE_NVML="$T/nvml"

script() { # LINES: what NVML says from now on
	printf "$1" >"$T/nvml.new" && mv "$T/nvml.new" "$T/nvml"
}

# Processes that read for this test: they have its script in their environment.
readers() {
	for dir in /proc/[0-9]*; do
		read -r comm <"$dir/comm" || continue
		case $comm in xputrace-nvml | xputrace-sysfs) ;; *) continue ;; esac
		tr '\0' '\n' <"$dir/environ" | grep -qxF "XPT_FAKE_NVML=$T/nvml" && echo "${dir#/proc/}"
	done 2>/dev/null
}
no_readers() { [ -z "$(readers)" ]; }
says() { grep -q "$1" "$T/err"; }

# A command that goes on until there is a file.
cat >"$T/until" <<'EOF'
while [ ! -e "$1" ]; do sleep 0.05; done
EOF

start() { # OPTION...: a trace in the background, until $T/stop
	rm -f "$T/stop" "$T/t.jsonl"
	"$XPT" run --as-root --devices=100ms "$@" -q --json --log "$T/report.json" -o "$T/t.xtr" -o "$T/t.jsonl" -- \
		sh "$T/until" "$T/stop" >/dev/null 2>"$T/err" &
	trace=$!
}
finish() {
	touch "$T/stop"
	wait "$trace"
}
has_reading() { grep -q '"name":"gpu_power_watts"' "$T/t.jsonl" 2>/dev/null; }

script 'devices 2\nmig 1 1\nprocesses 0 1\n'
start
wait_for has_reading
script 'devices 2\nmig 1 1\nprocesses 0 1\nvalue EccUncorrected 0 3\n'
wait_for grep -q '"name":"gpu_ecc_uncorrected_volatile_total","device":"GPU 0","device_id":[0-9]*,"value":3}' "$T/t.jsonl"
finish
is status 0 $?
is devices "GPU 0:GPU 1:GPU 1 MIG 0" "$(jq -r '[.devices[].device] | join(":")' "$T/report.json")"
is power 300 "$(jq -r '.devices[0].power_watts' "$T/report.json")"
is process "1001:1048576" "$(jq -r '.device_memory[] | select(.device == "GPU 0") | "\(.pid):\(.nvml_bytes)"' "$T/report.json")"
is errors "gpu_ecc_uncorrected_volatile_total:3" "$(jq -r '.device_errors[0] | "\(.counter):\(.rose)"' "$T/report.json")"
is finding 1 "$(jq '[.verdict[] | select(.kind == "device_memory_errors")] | length' "$T/report.json")"
"$XPT" report --json "$T/t.xtr" >"$T/again.json"
holds same_report cmp -s "$T/report.json" "$T/again.json"
wait_for no_readers && ok no_reader_left

# A call that never returns: reported, and the trace ends at once. Then it returns, and the reader ends.
script 'devices 1\n'
start
wait_for has_reading
script 'devices 1\nhang nvmlDeviceGetPowerUsage\n'
wait_for says 'NVML has not answered for' && ok hang_reported
finish
is hang_status 0 $?
is hang_reader silent "$(jq -r '.device_readers[] | select(.reader == "NVML") | .state' "$T/report.json")"
holds hung_reader_is_left [ -n "$(readers)" ]
script 'devices 1\n'
wait_for no_readers && ok hung_reader_ends

# No driver: said once, and all else goes on.
script 'driver gone\n'
start
wait_for says 'the NVIDIA driver is not loaded' && ok no_driver_reported
finish
is no_driver_once 1 "$(grep -c 'not loaded' "$T/err")"

exit $failed
