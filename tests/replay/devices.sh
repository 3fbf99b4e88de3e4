#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# Readings of devices in recordings: tables of the report, JSON lines, counters in pictures; names that
# try to break one, metrics and devices that are not known.
set -u
. tests/cli.lib
make=$PWD/tests/replay/make_xtr.py
cd "$T" || exit 2
python3 "$make" devices x.xtr
gives report 0 "" "$XPT" report x.xtr
holds title grep -q "GPUs, as NVML says" out
holds clean sh -c '! LC_ALL=C grep -q "$(printf "\033")" out'
"$XPT" report --json x.xtr >r.json
is devices "GPU 0:0.5:0.9:200:80:1 GPU 1:null:null:null:50:0 GPU 1 MIG 0:null:null:null:null:1" "$(jq -r '[.devices[] |
	"\(.device):\(.utilization):\(.utilization_max):\(.power_watts):\(.temperature_max):\(.up)"] | join(" ")' r.json)"
is states "mlx5_0:1:down:1 nvme0:null:dead:1" \
	"$(jq -r '[.device_states[] | "\(.device):\(.port):\(.state):\(.changes)"] | join(" ")' r.json)"
# What rose: not the uncorrected errors of before, nor one link of two; a counter that began anew is a rise.
is errors "gpu_ecc_corrected_volatile_total:null:2 gpu_pcie_replays_total:null:2 gpu_nvlink_replays_total:2:20 infiniband_link_downed_total:1:2" \
	"$(jq -r '[.device_errors[] | "\(.counter):\(.part):\(.rose)"] | join(" ")' r.json)"
is memory "100:335544320:268435456:67108864 200:52428800:null:null 300:5242880:null:null" \
	"$(jq -r '[.device_memory[] | "\(.pid):\(.nvml_bytes):\(.traced_bytes):\(.unexplained_bytes)"] | join(" ")' r.json)"
is reader "NVML:silent:40000000000:2" "$(jq -r '.device_readers[] | "\(.reader):\(.state):\(.silent_ns):\(.left_out)"' r.json)"
is findings "device_lost" "$(jq -r '[.verdict[].kind] | map(select(startswith("device"))) | join(" ")' r.json)"
# Three metrics of a newer version, and a device that nobody described.
is unknown 4 "$(jq '[.losses[] | select(.loss == "decode_rejected") | .count] | add' r.json)"
"$XPT" convert x.xtr -o t.jsonl -o t.json -o t.pftrace >/dev/null || not_ok convert "exit status $?"
is lines "6 83" "$(jq -s -r '"\([.[] | select(.type == "device")] | length) \([.[] | select(.type == "reading")] | length)"' t.jsonl)"
is scaled "100 200 300" "$(jq -r 'select(.name == "gpu_power_watts") | .value' t.jsonl | xargs)"
is whose "train:100" "$(jq -r 'select(.name == "gpu_process_compute") | "\(.comm):\(.pid)"' t.jsonl | sort -u)"
is parent "2" "$(jq -r 'select(.type == "device" and .kind == "mig") | .parent_id' t.jsonl)"
is printable "" "$(jq -r 'select(.type == "device") | .name' t.jsonl | LC_ALL=C tr -d ' -~\n')"
is points "100 200 300" "$(jq -r '(.traceEvents? // .)[] | select(.name == "GPU 0 power (W)") | .args.value' t.json | xargs)"
# Lines are read back without them, and without complaint.
gives lines_back 0 "" "$XPT" report t.jsonl
is lines_rejected 4 "$("$XPT" report --json t.jsonl | jq '[.losses[]? | select(.loss == "decode_rejected") | .count] | add')"
exit $failed
