#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# needs: bpf jq python3 cgroup2
#
# In which container and pod a process is, with cgroups as Kubernetes makes them, by both
# drivers, and in which job, with those of Slurm: from its first call on, and where it was moved there after that.
. tests/bpf/lib.sh
need_bpf
groups=$(sed -n 's/.* \(\/[^ ]*\) [^ ]* [^-]*- cgroup2 .*/\1/p' /proc/self/mountinfo | tail -n 1)
top=$groups/xpt$$-kubepods.slice
id=$(printf '%064x' $$)
uid=6b1f2c3d-0001-4aaa-8bbb-$(printf '%012x' $$)
systemd=$top/kubepods-burstable-pod$(echo "$uid" | tr - _).slice/cri-containerd-$id.scope
cgroupfs=$top/pod$uid/$id
job=$groups/slurm_xpt$$/uid_0/job_$$/step_0
if ! mkdir -p "$systemd" "$cgroupfs" "$job" 2>/dev/null; then
	echo "skip targets_container: no cgroup of version 2 can be made here"
	exit 0
fi
trap 'rmdir "$systemd" "$cgroupfs" "$(dirname "$systemd")" "$(dirname "$cgroupfs")" "$top" "$job" \
	"$(dirname "$job")" "$groups/slurm_xpt$$/uid_0" "$groups/slurm_xpt$$"' EXIT

asleep() { # in its second allocation
	pid=$(pgrep -P "$tracer" -x train) && grep -q nanosleep "/proc/$pid/wchan"
}

# places NAME: those of lines before and after the second allocation
places() {
	jq -s -r 'map(select(.name == "cuMemAlloc_v2")) | [first, last] | map("\(.container // "-") \(.pod // "-")") | join(" ")' "$T/$1.jsonl"
}

for driver in systemd cgroupfs; do
	eval "group=\$$driver"
	"$XPT" run --as-root -q --no-summary -o "$T/$driver.jsonl" -o "$T/$driver.xtr" -- \
		sh -c 'echo $$ >"$1/cgroup.procs" && shift && "$@" && "$@"' - "$group" "$E/train" --iterations 2 --bytes 1M \
		>"$T/$driver.out" 2>&1
	is ${driver}_place "$id $uid $id $uid" "$(places $driver)"
	is ${driver}_report "$id $uid" "$("$XPT" report --json "$T/$driver.xtr" | jq -r '.processes[] | "\(.container) \(.pod)"' | sort -u)"
	holds ${driver}_text sh -c '"$0" report "$1" | grep -q "^[ 0-9]*train \[@$2 pod $3\]"' "$XPT" "$T/$driver.xtr" \
		"$(echo "$id" | cut -c 1-12)" "$(echo "$uid" | cut -c 1-8)"
	# Moved while it is in a call, seconds after its first one.
	XPT_FAKE_LATENCY='cuMemAlloc_v2@2=2s' "$XPT" run --as-root -q --no-summary -o "$T/late_$driver.jsonl" \
		-o "$T/late_$driver.xtr" -- "$E/train" --iterations 2 --bytes 1M >/dev/null 2>"$T/late_$driver.err" &
	tracer=$!
	wait_for asleep
	echo "$pid" >"$group/cgroup.procs"
	wait "$tracer"
	is ${driver}_late "- - $id $uid" "$(places late_$driver)"
	# Read back from lines.
	"$XPT" convert "$T/$driver.jsonl" -o "$T/$driver.back.jsonl"
	is ${driver}_lines "$id $uid $id $uid" "$(places $driver.back)"
done

"$XPT" run --as-root -q --no-summary -o "$T/job.jsonl" -o "$T/job.xtr" --metrics "$T/job.prom" -- \
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && "$@" && "$@"' - "$job" "$E/train" --iterations 2 --bytes 1M >/dev/null 2>&1
is job_lines "$$" "$(jq -s -r 'map(select(.name == "cuMemAlloc_v2"))[0].slurm_job' "$T/job.jsonl")"
is job_report "$$" "$("$XPT" report --json "$T/job.xtr" | jq -r '.processes[0].slurm_job')"
holds job_text sh -c '"$0" report "$1" | grep -q " train \[job $2\]"' "$XPT" "$T/job.xtr" "$$"
holds job_metrics grep -q "^xputrace_calls_total{process=\"train\",container=\"\",slurm_job=\"$$\",user=\"0\"," "$T/job.prom"
"$XPT" convert "$T/job.jsonl" -o "$T/job.back.jsonl"
is job_read_back "$$" "$(jq -s -r 'map(select(.name == "cuMemAlloc_v2"))[0].slurm_job' "$T/job.back.jsonl")"
exit $failed
