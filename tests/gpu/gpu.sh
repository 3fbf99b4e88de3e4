#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# needs: bpf jq python3 gpu
# uses: torch
#
# Programs on a GPU with its own driver. The examples count what they do, and the trace
# must have the same calls, bytes, leaks and errors; an illegal access must be found
# together with the driver's Xid. Healthy programs of PyTorch must give no finding.
given=${LD_LIBRARY_PATH-}
. tests/bpf/lib.sh
need_bpf
LD_LIBRARY_PATH=$given

driver_library() { # the path of libcuda.so.1 that the loader or the driver's own folder has
	for f in $(ldconfig -p | awk '$1 == "libcuda.so.1" { print $NF }') /usr/local/nvidia/lib64/libcuda.so.1; do
		[ ! -e "$f" ] || { echo "$f"; return; }
	done
}

lib=$(driver_library)
echo "note $(sed -n 's/^NVRM version: *//p' /proc/driver/nvidia/version | tr -s ' ')"
for e in train leak copy_bound threads grow; do
	compare gpu_$e -- "$E/$e" --iterations 5 --library "$lib"
done

# The illegal access that the example makes, and what the driver says of it.
compare gpu_error -- "$E/error" --library "$lib"
is gpu_error_xid 31 "$(field gpu_error '[.xid[]? | .xid] | first')"
holds gpu_error_finding jq -e '[.verdict[].text] | any(contains("CUDA_ERROR_ILLEGAL_ADDRESS"))' "$T/gpu_error/report.json"
holds gpu_error_xid_finding jq -e '[.verdict[].text] | any(contains("Xid 31"))' "$T/gpu_error/report.json"

healthy() { # NAME COMMAND...: ends well, loses nothing, and nothing is found fault with
	h_name=$1
	shift
	trace "$h_name" -- "$@" >/dev/null || { not_ok "$h_name" "exit status $status"; return; }
	is "${h_name}_losses" null "$(field "$h_name" '.losses // null')"
	is "${h_name}_first" "" "$(field "$h_name" '.first_failures[]?.text')"
	is "${h_name}_findings" "" "$(field "$h_name" '.verdict[]?.text')"
}

if [ -n "$(tests/needs torch)" ]; then
	echo "skip gpu_torch: no PyTorch that has the GPU"
	exit $failed
fi
healthy gpu_torch_train python3 tests/gpu/train.py
holds gpu_torch_launches [ "$(field gpu_torch_train .statistics.kernel_launches)" -gt 500 ]
healthy gpu_torch_nccl python3 tests/gpu/nccl.py
holds gpu_torch_collectives [ "$(field gpu_torch_nccl '[.functions[] | select(.function == "ncclAllReduce") | .calls] | add')" = 5 ]
exit $failed
