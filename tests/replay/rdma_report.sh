#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# `rdma report`, `rdma baseline` and `rdma expected` on traces as soft RoCE and mlx5
# make them (rdma_traces.py): sums, what is taken as good, what is normal, the log
# of NCCL, and files that are damaged.
set -u
. tests/cli.lib
export LC_ALL=C XDG_STATE_HOME="$T/state"

make() { python3 tests/replay/rdma_traces.py "$@"; }
report() { "$XPT" rdma report "$@" 2>"$T/said" </dev/null; }
baseline() { "$XPT" rdma baseline "$@" >"$T/text" 2>"$T/said" </dev/null; }

make good-mlx 2 >"$T/good-mlx"
{ make bad-gid 30; make memlock 2 pid=12; make dmabuf; make probe 4; make good-rtr 5; make slow; } >"$T/t"
echo 'nonsense' >>"$T/t"
report --json "$T/t" >"$T/r"
is "sums" "43 33 4 1 1" "$(jq -r '.calls | "\(.calls) \(.failed) \(.expected) \(.slow) \(.not_whole)"' "$T/r")"
is "failures, most first" "30 modify_qp ENODATA rdma_get_gid_attr parameter" \
	"$(jq -r '.failures[0] | "\(.failures) \(.syscall) \(.error) \(.origin) \(.class)"' "$T/r")"
is "classes" "parameter:30 limits:2 defect:1" "$(jq -r '[.classes[] | "\(.class):\(.failures)"] | join(" ")' "$T/r")"
is "processes" "ib_write_bw 4711 30, python3 12 2, train 4711 1" \
	"$(jq -r '[.processes[] | "\(.process) \(.pid) \(.failures)"] | join(", ")' "$T/r")"
is "jobs" "Slurm job 42 33" "$(jq -r '.jobs[] | "\(.job) \(.failures)"' "$T/r")"
is "devices" "rxe0 32, mlx5_0 1" "$(jq -r '[.devices[] | "\(.device) \(.failures)"] | join(", ")' "$T/r")"
is "normal ones are counted" "4 query_device ENOSPC" \
	"$(jq -r '.expected[] | "\(.failures) \(.syscall) \(.error)"' "$T/r")"
holds "first and last" grep -q '"first_ns": 1790000000000000000, "last_ns": 1790000000029000000' "$T/r"
holds "the talk's own case is named" grep -q 'ncclCommInitRank -> ibv_reg_dmabuf_mr -> ib_umem_dmabuf_map_pages' "$T/r"
report "$T/t" >"$T/r"
holds "text fits 80 columns" awk 'length > 80 { exit 1 }' "$T/r"
holds "text names the way" grep -q 'confidence high' "$T/r"
is "CSV" "failures,syscall,shape,error,origin" "$(report --csv "$T/t" | grep -A1 '^failures$' | tail -n 1 | cut -d, -f1-5)"

# Three nodes' rxe0 are three devices, and one process id is three processes.
{ make bad-gid 2 host=node1; make bad-gid 3 host=node2; make bad-gid 1 host=node3
	echo '{"type":"rdma_exit","process":"ib_write_bw","pid":4711,"host":"node3","wall_ns":1790000001000000000}'; } >"$T/nodes"
report --json "$T/nodes" >"$T/r"
is "devices of three nodes" "rxe0 node2 3, rxe0 node1 2, rxe0 node3 1" \
	"$(jq -r '[.devices[] | "\(.device) \(.host) \(.failures)"] | join(", ")' "$T/r")"
is "processes of three nodes" "node2 3 0, node1 2 0, node3 1 1000000000" \
	"$(jq -r '[.processes[] | "\(.host) \(.failures) \(.lost_ns)"] | join(", ")' "$T/r")"

# Two boots of one machine are two machines, too: ids of processes begin anew.
{ make bad-gid 2 host=node1 boot_id=b1; make bad-gid 3 host=node1 boot_id=b2
	for boot in b1 b3; do
		echo '{"type":"rdma_exit","process":"ib_write_bw","pid":4711,"host":"node1","boot_id":"'$boot'","wall_ns":1790000001001000000}'
	done; } >"$T/boots"
report --json "$T/boots" >"$T/r"
is "processes of two boots" "b2 3 0, b1 2 1000000000" \
	"$(jq -r '[.processes[] | "\(.boot_id) \(.failures) \(.lost_ns)"] | join(", ")' "$T/r")"
# The monotonic clock has the time between a failure and the end, whatever the wall clock says.
{ make bad-gid 1 host=node1 boot_id=b1 monotonic_ns=0x1000
	echo '{"type":"rdma_exit","process":"ib_write_bw","pid":4711,"host":"node1","boot_id":"b1","monotonic_ns":5096,"wall_ns":17}'; } >"$T/boots"
report --json "$T/boots" >"$T/r"
is "time until the end" 1000 "$(jq '.processes[0].lost_ns' "$T/r")"

# Commands that the firmware refused, in calls and outside of them.
{ make refused 2; echo '{"type":"rdma_command","process":"kworker/3:1","pid":9,"command":"CREATE_MKEY","opcode":512,"status":15,"status_text":"no resources","syndrome":7,"err":-11,"wall_ns":1790000000000000000}'; } >"$T/fw"
report --json "$T/fw" >"$T/r"
is "refused commands" "2 INIT2RTR_QP EINVAL bad QP state 0x1d0b17 mlx5_0, 1 CREATE_MKEY EAGAIN no resources 0x7 " \
	"$(jq -r '[.firmware[] | "\(.failures) \(.syscall) \(.error) \(.reason) \(.firmware) \(.device)"] | join(", ")' "$T/r")"
holds "a failure names the command" grep -q 'Firmware: INIT2RTR_QP (0x503) refused: bad QP state (0x10), syndrome 0x1d0b17' "$T/r"
report "$T/fw" >"$T/r"
holds "text of that fits 80 columns" awk 'length > 80 { exit 1 }' "$T/r"
holds "text has a table of that" grep -q 'INIT2RTR_QP' "$T/r"

# NCCL's own words: each warning gets the call that is its own.
cat >"$T/nccl" <<'END'
node7:4711:4790 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE
node7:4711:4790 [0] misc/ibvwrap.cc:212 NCCL WARN Call to ibv_reg_dmabuf_mr failed with error Operation not permitted
node7:4711:4790 [0] NCCL WARN Call to ibv_modify_qp failed with 61 No data available, on dev mlx5_0:1, curr state INIT
node7:4711:4790 [0] NCCL WARN Call to ibv_create_cq failed with error Cannot allocate memory
END
report --json --nccl-log "$T/nccl" "$T/t" >"$T/r"
is "NCCL's warnings" "2 ncclCommInitRank -> ibv_reg_dmabuf_mr -> ib_umem_dmabuf_map_pages defect, 3 ibv_modify_qp -> rdma_get_gid_attr parameter" \
	"$(jq -r '[.nccl | sort_by(.line)[] | "\(.line) \(.way) \(.class)"] | join(", ")' "$T/r")"
holds "one is about no call here" grep -q '1 warnings of NCCL' "$T/said"

# A registration of a dma-buf that the driver has not: with descriptor -1 a question, else a failure
# that NCCL warns of (nccl#778).
dmabuf() { # FD
	cat <<END
{"syscall":"REG_DMABUF_MR","process":"train","type":"rdma","object":"MR","driver":"mlx5_ib","asked":"fd","asked_value":$1,"pid":4711,"tid":4711,"wall_ns":1790000000000000000,"ret":-95,"calls":[{"function":"ib_uverbs_ioctl","module":"ib_uverbs","depth":0,"returns":"long","ret":-95,"failed":true},{"function":"ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR","module":"ib_uverbs","depth":1,"returns":"int","ret":-95,"failed":true}]}
END
}
echo 'node7:4711:4790 [0] NCCL WARN Call to ibv_reg_dmabuf_mr failed with error Operation not supported' >"$T/nccl778"
{ dmabuf -1; dmabuf 7; } >"$T/dmabuf"
report --json --nccl-log "$T/nccl778" "$T/dmabuf" >"$T/r"
is "a descriptor -1 asks, 7 does not" "1 1 unsupported" "$(jq -r '"\(.calls.failed) \(.calls.expected) \(.failures[0].class)"' "$T/r")"
is "NCCL's warning of it" "1 REG_DMABUF_MR -> ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR" "$(jq -r '.nccl[] | "\(.line) \(.way)"' "$T/r")"
is "nothing is said of missing calls" "" "$(cat "$T/said")"
dmabuf -1 >"$T/dmabuf"
report --nccl-log "$T/nccl778" "$T/dmabuf" >"$T/r"
holds "what it is like is said" grep -q '1 warnings of NCCL have the call and error of calls that are counted as normal' "$T/said"
is "... and only that" 1 "$(wc -l <"$T/said")"

# The job's log in the forms that there are, and what others put around them.
joined() { # LOG CALLS: LINE>WAY of each line that has a call
	report --json --nccl-log "$1" "$2" >"$T/r"
	jq -r '[.nccl // [] | sort_by(.line)[] | "\(.line)>\(.way)"] | join(" ")' "$T/r"
}
{ make bad-gid 1 host=nodeA; make memlock 1 pid=12 tid=12 host=nodeA; } >"$T/two"
modify="ibv_modify_qp -> rdma_get_gid_attr" reg="ibv_reg_mr -> ib_umem_get"
echo 'nodeA:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed' >"$T/log"
is "a line without a reason" "1>$modify" "$(joined "$T/log" "$T/two")"
for reason in "61 No data available" "-61 Unknown error -61, on dev rxe0:1, curr state INIT, next state RTR" \
	"error Unknown error -61" "error No data available errno 61"; do
	echo "nodeA:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with $reason" >"$T/log"
	is "reason: $reason" "1>$modify" "$(joined "$T/log" "$T/two")"
done
for reason in "error Unknown error 524" "-110 Unknown error -110" "error Protocol not supported errno 93"; do
	{ echo "nodeA:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with $reason"
		echo "nodeA:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with error No data available"; } >"$T/log"
	is "another reason takes no call: $reason" "2>$modify" "$(joined "$T/log" "$T/two")"
done
cat >"$T/log" <<'END'
nodeB:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with error No data available
nodeA:999:1001 [0] NCCL WARN Call to ibv_modify_qp failed with error No data available
nodeA.cluster:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with error No data available
END
is "another host and another process" "3>$modify" "$(joined "$T/log" "$T/two")"
holds "lines of others are counted" grep -q '2 warnings of NCCL are about calls' "$T/said"
{ make bad-gid 1 pid=21 tid=21; make bad-gid 1 pid=20 tid=20 caller=ibv_modify_qp outer=ncclCommSplit; } >"$T/swapped"
cat >"$T/log" <<'END'
n:20:20 [0] NCCL WARN Call to ibv_modify_qp failed with error No data available
n:21:21 [0] NCCL WARN Call to ibv_modify_qp failed with error No data available
END
is "two processes" "1>ncclCommSplit -> $modify 2>$modify" "$(joined "$T/log" "$T/swapped")"
is "... by host and process" "1 n 20, 2 n 21" "$(jq -r '[.nccl | sort_by(.line)[] | "\(.line) \(.host) \(.pid)"] | join(", ")' "$T/r")"

i=1
while [ $i -le 34 ]; do
	echo "n:4711:4711 [0] NCCL INFO Call to ibv_modify_qp failed with 61 No data available, x, retrying $i/35 after ${i}00 msec of sleep"
	i=$((i + 1))
done >"$T/log"
echo "n:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with 61 No data available, x" >>"$T/log"
make bad-gid 35 >"$T/many"
is "retries are one warning" "35>$modify" "$(joined "$T/log" "$T/many")"
is "... with their number" 34 "$(jq '.nccl[0].retries' "$T/r")"
is "... and nothing is missing" "" "$(cat "$T/said")"

warn='nodeA:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with 61 No data available'
{ head -c 1048576 /dev/zero | tr '\0' x; echo; echo "$warn"; } >"$T/log"
is "a line of 1 MiB" "2>$modify" "$(joined "$T/log" "$T/two")"
holds "... is said" grep -q '1 lines are longer than 65536 bytes' "$T/said"
yes "n:5:5 [0] NCCL WARN Call to ibv_modify_qp failed with 61 No data available" | head -n 9475 >"$T/log"
echo "$warn" >>"$T/log"
is "10,000 lines" "9476>$modify" "$(joined "$T/log" "$T/two")"
holds "... the others are counted" grep -q '9475 warnings of NCCL are about calls' "$T/said"
yes "$warn" | head -n 65543 >"$T/log"
joined "$T/log" "$T/two" >/dev/null
holds "65,543 lines: those without room are counted" grep -q ': 7 lines found no room (limits: 65536 warnings' "$T/said"
wrapped() { # NAME FORMAT: of printf, with the line for %s
	# shellcheck disable=SC2059
	printf "$2\n" "$warn" >"$T/log"
	is "$1" "1>$modify Call to ibv_modify_qp failed with 61 No data available" \
		"$(joined "$T/log" "$T/two") $(jq -r '.nccl[0].text' "$T/r")"
}
wrapped "a carriage return" '%s\r'
wrapped colours '\033[31m%s\033[0m\033[K'
wrapped "JSON of Docker" '{"log":"\\u001b[1m%s\\r\\n","stream":"stderr","time":"2026-09-21T14:13:21.0Z"}'
wrapped mpirun '[1,12]<stdout>:%s'
wrapped Ray '\033[36m(RayWorkerWrapper pid=581, ip=10.0.0.1)\033[0m %s'
wrapped "a timestamp" '[2026-09-21 16:13:20] %s'
wrapped "a log of a container" '2026-09-21T16:13:25.5+02:00 stderr F %s'
wrapped "a journal" 'Sep 21 14:13:20 nodeA python3[12]: %s'
wrapped "a rank" '[rank0]:%s'
wrapped "srun --label" ' 3: %s'
wrapped "a bar of progress" '\r 10%%|#  |\r%s\r'
# One of another time is about another call.
for when in '[2026-09-21 16:14:33]' '[2026-03-03 12:13:20]' '2026-09-21T14:13:10Z stderr F'; do
	echo "$when $warn" >"$T/log"
	is "another time: $when" "" "$(joined "$T/log" "$T/two")"
done

cat >"$T/log" <<'END'
[1790000000.396315] [nodeA:12:0]  ib_md.c:349  UCX  ERROR ibv_reg_mr(address=0x7f724fa00000, length=4096, access=0xf) failed: Cannot allocate memory
E0921 16:13:20.222625 4711 rdma_endpoint.cpp:385] [Handshake] Failed to modify QP to RTR, check mtu, gid, peer lid, peer qp num: No data available [61]
n:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<5> with status=12 opcode=0 len=0 vendor err 129 (Recv)
n:1:2 [0] NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129
n:1:2 [0] NCCL WARN NET/IB : Got completion with error 5, opcode 1, len 0, vendor err 249
n:1:2 [0] NCCL WARN NET/IB : mlx5_0:1 Got async event : GID table change
END
is "UCX and Mooncake" "1>$reg 2>$modify" "$(joined "$T/log" "$T/two")"
is "completions" "2 RETRY_EXC_ERR 12 3, 1 WR_FLUSH_ERR 5 5" \
	"$(jq -r '[.completions[] | "\(.times) \(.name) \(.status) \(.line)"] | join(", ")' "$T/r")"
is "events in the log" "1 GID table change 6" "$(jq -r '.log_events[] | "\(.times) \(.name) \(.line)"' "$T/r")"
# Events of the trace with the names of those in the log: how many, whose, and since when.
cat >"$T/events" <<'END'
{"type":"rdma_event","event":"GID_CHANGE","device":"mlx5_0","number":1,"wall_ns":1790000005000000000}
{"type":"rdma_event","event":"GID_CHANGE","device":"mlx5_0","number":1,"wall_ns":1790000004000000000}
{"type":"rdma_event","event":"PORT_ERR","device":"mlx5_1","number":1,"wall_ns":1790000003000000000}
END
is "events in the log, none in the trace" "0 " "$(jq -r '.log_events[] | "\(.traced) \(.device)"' "$T/r")"
report --json --nccl-log "$T/log" "$T/two" "$T/events" >"$T/r"
is "events in the log and in the trace" "2 mlx5_0 2026-09-21 14:13:24" "$(jq -r '.log_events[] | "\(.traced) \(.device) \(.first)"' "$T/r")"
sed 's/"mlx5_0"/"mlx5_9"/;q' "$T/events" >>"$T/events"
report --json --nccl-log "$T/log" "$T/two" "$T/events" >"$T/r"
is "... of several devices" "3 several" "$(jq -r '.log_events[] | "\(.traced) \(.device)"' "$T/r")"
# Other machines have devices of that name, too.
echo 'n:1:2 [0] NCCL WARN NET/IB : mlx5_0:1 Got async event : port error' >"$T/port_log"
for host in n m.example n.example; do
	echo '{"type":"rdma_event","event":"PORT_ERR","device":"mlx5_0","number":1,"wall_ns":1790000003000000000,"host":"'$host'"}'
done >"$T/port_events"
ports() { # EVENTS
	report --json --nccl-log "$T/port_log" "$T/two" "$1" >"$T/r"
	jq -r '.log_events[] | "\(.traced) \(.device)"' "$T/r"
}
is "events of the log's host" "2 several" "$(ports "$T/port_events")"
sed -i 3d "$T/port_events"
is "events of one device of the log's host" "1 mlx5_0" "$(ports "$T/port_events")"
sed -i 's/"n"/"k"/' "$T/port_events"
is "events of hosts, none of which the log names" "2 several" "$(ports "$T/port_events")"
# Of the machine that a line's call was made on only events of that boot.
{ cat "$T/port_log"; echo 'n:4711:4711 [0] NCCL WARN Call to ibv_modify_qp failed with 61 No data available'; } >"$T/boot_log"
for boot in b1 b2 b2; do
	echo '{"type":"rdma_event","event":"PORT_ERR","device":"mlx5_0","number":1,"wall_ns":1790000003000000000,"host":"n","boot_id":"'$boot'"}'
done >"$T/boot_events"
make bad-gid 1 host=n boot_id=b1 >"$T/boots"
report --json --nccl-log "$T/boot_log" "$T/boots" "$T/boot_events" >"$T/r"
is "events of the call's boot" "1 mlx5_0" "$(jq -r '.log_events[] | "\(.traced) \(.device)"' "$T/r")"
is "events by boot" "b2 2, b1 1" "$(jq -r '[.events[] | "\(.boot_id) \(.failures)"] | join(", ")' "$T/r")"
make bad-gid 1 host=n >"$T/boots"
report --json --nccl-log "$T/boot_log" "$T/boots" "$T/boot_events" >"$T/r"
is "events of a boot that is not known" 3 "$(jq '.log_events[].traced' "$T/r")"
report --nccl-log "$T/log" "$T/two" "$T/events" >"$T/r"
holds "text of a log fits 80 columns" awk 'length > 80 { exit 1 }' "$T/r"
holds "text has completions" grep -q 'RETRY_EXC_ERR' "$T/r"
# NVSHMEM writes in pieces and names no process; UCX has the syndrome of the firmware, and gives up in its own way.
for line in "x/ibrc.cpp:417: non-zero status: 61 ibv_modify_qp failed " "ibv_modify_qp failed"; do
	echo "$line" >"$T/log"
	is "NVSHMEM: $line" "1>$modify" "$(joined "$T/log" "$T/two")"
done
echo "x/ibrc.cpp:417: non-zero status: 110 x/ibrc.cpp:417: non-zero status: 61 ibv_modify_qp failed" >"$T/log"
is "NVSHMEM: two processes at once" "1>$modify" "$(joined "$T/log" "$T/two")"
cat >"$T/log" <<'END'
x/ibrc.cpp:422: NULL value mem registration failed 
x/ibrc.cpp:1541: NULL value get_device_list failed 
[nodeA:12  :0:12] ib_mlx5_log.c:139  Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)
[1790000000.1] [nodeA:12:0]  ib_device.c:482  UCX  WARN  IB Async event on mlx5_0: GID table change on port 1
END
is "NVSHMEM: memory" "1>$reg" "$(joined "$T/log" "$T/two")"
holds "... and devices" grep -q '1 warnings of NCCL are about calls' "$T/said"
is "a syndrome of UCX" "1 RETRY_EXC_ERR 12 3" "$(jq -r '.completions[] | "\(.times) \(.name) \(.status) \(.line)"' "$T/r")"
is "an event of UCX" "GID table change" "$(jq -r '.log_events[].name' "$T/r")"
for syndrome in 0x1d0b17 0x1d0b18; do
	make refused 1 host=nodeA >"$T/fw"
	echo "[nodeA:4711 :f]  x.c:1  UCX  ERROR ibv_modify_qp(RC, RTR) failed, syndrome $syndrome: Invalid argument" >"$T/log"
	joined "$T/log" "$T/fw"
done >"$T/syndromes"
is "UCX with a syndrome, and with another" "1>ibv_modify_qp -> __mlx5_ib_modify_qp" "$(xargs <"$T/syndromes")"

# Two programs that write at once; what cannot be told is said, and not guessed.
{ printf '%s' "$warn"; echo "nodeA:12:12 [0] NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory"; } >"$T/log"
is "two lines in one" "1>$modify 1>$reg" "$(joined "$T/log" "$T/two")"
{ make bad-gid 1 host=nodeA; make bad-gid 1 host=nodeA pid=9 outer=ncclCommSplit; } >"$T/unclear"
echo 'Call to ibv_modify_qp failed with 61 No data available' >"$T/log"
is "one of two calls" "1>one of 2 calls" "$(joined "$T/log" "$T/unclear")"
is "... with their number" 2 "$(jq '.nccl[0].choices' "$T/r")"
holds "... is said" grep -q '1 warnings of NCCL may be about several calls that differ' "$T/said"
make memlock 1 pid=12 tid=12 host=nodeA caller= >"$T/one"
for verb in ibv_reg_mr ibv_reg_mr_iova2; do
	echo "nodeA:12:12 [0] NCCL WARN Call to $verb failed with error Cannot allocate memory"
done >"$T/log"
is "one call of two lines" "1>a call that other lines may be about, too 2>a call that other lines may be about, too" \
	"$(joined "$T/log" "$T/one")"
holds "... is said" grep -q '2 warnings of NCCL may be about a call that other ones may be about, too' "$T/said"

# In a container the process has other numbers, and the machine another name.
make bad-gid 1 host=nodeA container=0123456789ab ns_pid=88 ns_tid=90 ns_host=pod-a >"$T/pod"
for who in nodeA:4711:4711 pod-a:4711:4711 pod-b:88:90 nodeA:88:90 pod-a:88:90; do
	echo "$who [0] NCCL WARN Call to ibv_modify_qp failed with 61 No data available" >"$T/log"
	joined "$T/log" "$T/pod"
done >"$T/pods"
is "the ids of the container" "1>$modify" "$(xargs <"$T/pods")"

# Lines and calls made to be compared with one another take a moment, and what was not compared is said.
make bad-gid 3000 pid=9 >"$T/many"
i=0
while [ $i -lt 5000 ]; do
	i=$((i + 1))
	echo "n:9:$i [0] NCCL WARN Call to ibv_modify_qp failed"
done >"$T/log"
joined "$T/log" "$T/many" >/dev/null
holds "too many to compare" grep -q 'warnings of NCCL could not be compared with all failed calls' "$T/said"
echo 'nothing at all' >"$T/log"
is "a log without a word of it" "" "$(joined "$T/log" "$T/two")"
holds "... is said" grep -q "has no line 'Call to ibv_... failed'" "$T/said"

# What is normal unless the log has it: the end of its process comes before the end of the log.
{ dmabuf 7; echo '{"type":"rdma_exit","process":"train","pid":4711,"wall_ns":1790000001000000000}'; } >"$T/dmabuf"
report --json --nccl-log "$T/nccl778" "$T/dmabuf" >"$T/r"
is "time lost after a warning" "1 1000000000" "$(jq -r '.processes[] | "\(.failures) \(.lost_ns)"' "$T/r")"

# So many may wait for the log at once; the others are normal, and that they were not compared is said.
make probe 1030 caller=ibv_query_device >"$T/probes"
echo 'n:4711:4711 [0] NCCL WARN Call to ibv_query_device failed' >"$T/log"
report --json --nccl-log "$T/log" "$T/probes" >"$T/r"
is "a log that knows of a normal error" "1030 1 1029" "$(jq -r '.calls | "\(.calls) \(.failed) \(.expected)"' "$T/r")"
holds "calls that were not compared" grep -q '6 failed calls found no room' "$T/said"

# A driver has no such operation: a failure, unless the program went on; not known where calls were lost.
lacking() {
	dmabuf 7 | sed 's/REG_DMABUF_MR/ADVISE_MR/g'
}
{ lacking; echo '{"type":"rdma_lost","calls":3,"wall_ns":1790000000000000009}'; } >"$T/lost"
lacking >"$T/lone"
for f in lost lone; do
	report --json "$T/$f" >"$T/r"
	said=$("$XPT" rdma diff --json "$T/good-mlx" "$T/$f" 2>/dev/null | jq -r '"\(.class) \(.unsure // "sure")"')
	echo "$(jq -r '"\(.calls.lost // 0) \(.calls.failed) \(.failures[0].class) \(.failures[0].confidence)"' "$T/r"), $said"
done >"$T/trials"
is "a trial beside lost calls" "3 1 unknown low, unknown the driver has no such operation, and the program goes on without it" "$(head -n 1 "$T/trials")"
is "a trial" "0 1 unsupported high, unsupported sure" "$(tail -n 1 "$T/trials")"

# What is taken as good, and what is not.
make inner 2 >"$T/inner"
{ make good-rtr 12; make bad-gid; make slow; make good-rtr 1 cut=1 | sed 's/"cut":"1"/"cut":true/'
	make good-rtr 1 deep=1 | sed 's/"deep":"1"/"deep":true/'; cat "$T/inner"; } >"$T/good"
baseline import "$T/good"
is "taken: only good ones" "12 calls" "$(grep -o 'taken: [0-9]* calls' "$T/said" | cut -d' ' -f2-)"
is "left out, with reasons" "failed, functions are missing, something failed inside, took longer than 50 ms, traced with a wider plan" \
	"$(sed -n 's/.*left out: //p' "$T/said" | sort | paste -sd, | sed 's/,/, /g')"
make inner 1 >"$T/inner"
baseline import "$T/inner"
is "the third time it is normal" "1 calls" "$(grep -o 'taken: [0-9]* calls' "$T/said" | cut -d' ' -f2-)"
is "and known as learned" "rxe_hint ENOENT 3" "$("$XPT" rdma expected list --json |
	jq -r 'select(.from == "learned") | "\(.function) \(.error) \(.times)"')"
baseline list
is "two kinds" 2 "$(grep -c ' calls*, ' "$T/text")"
baseline show --method modify_qp
holds "a tree with results" grep -q 'rdma_lag_get_ah_roce_slave *12 .* NULL$' "$T/text"
holds "it fits 80 columns" awk 'length > 80 { exit 1 }' "$T/text"

# From machine to machine, and what a report makes of it.
"$XPT" rdma baseline export >"$T/export"
baseline import --store "$T/other.jsonl" "$T/export"
"$XPT" rdma baseline export --store "$T/other.jsonl" >"$T/export2"
holds "an export is the same elsewhere" cmp -s "$T/export" "$T/export2"
is "a store may be lines of JSON" 3 "$(grep -c '^{' "$T/other.jsonl")"
holds "a baseline can be what diff compares with" "$XPT" rdma diff "$T/export" "$T/t" >/dev/null 2>&1
{ make good-mlx 6; } >"$T/good"
baseline import "$T/good"
make vendor >"$T/v"
is "good calls do not make it a defect" parameter "$(report --json "$T/v" | jq -r '.failures[0].class')"
is "... nor is it one without them" parameter "$(report --json --store "$T/other.jsonl" "$T/v" | jq -r '.failures[0].class')"
baseline prune --method reg_mr
is "pruned" "1 kinds of good calls removed, 2 left" "$(grep -o '1 kinds.*' "$T/said")"
gives "nothing of that kind" 3 "of that method" "$XPT" rdma baseline list --method reg_mr
gives "prune what" 2 "prune what" "$XPT" rdma baseline prune
gives "what else" 2 "list, show" "$XPT" rdma baseline
baseline prune --older 1s
is "old ones go" "0 left" "$(grep -o '0 left' "$T/said")"

# What the user says is normal.
"$XPT" rdma expected add modify_qp 'rdma_get_gid*' ENODATA our scan
is "normal now" "30 our scan" "$(report --json "$T/t" | jq -r '.expected[] | select(.syscall == "modify_qp") | "\(.failures) \(.reason)"')"
"$XPT" rdma expected remove modify_qp 'rdma_get_gid*' ENODATA
is "a failure again" 30 "$(report --json "$T/t" | jq -r '.failures[0].failures')"
gives "what is not there" 3 "nothing shipped" "$XPT" rdma expected remove modify_qp no_such EIO
gives "a shipped one" 0 "shipped" "$XPT" rdma expected remove query_device ib_uverbs_ioctl ENOSPC
is "... is a failure then" never "$("$XPT" rdma expected list --json | jq -r 'select(.from == "never") | .from')"
# It is normal again, in its place, and what the file says besides stays.
sed -i '1i # ours' "$T/state/xputrace/rdma-expected"
"$XPT" rdma expected add reg_mr f EIO ours
"$XPT" rdma expected add query_device ib_uverbs_ioctl ENOSPC asked once
is "... until it is normal again" "# ours
query_device ib_uverbs_ioctl ENOSPC asked once
reg_mr f EIO ours" "$(grep -v METHOD "$T/state/xputrace/rdma-expected")"
gives "no folder" 1 "No such file" "$XPT" rdma expected add --expected no/such a b EIO c
gives "no comment" 1 "does not begin" "$XPT" rdma expected add '#a' b EIO c
gives "no exception" 1 "does not begin" "$XPT" rdma expected add '!a' b EIO c
gives "an endless line" 1 "damaged" "$XPT" rdma baseline list --store /dev/zero
gives "endless rules" 1 "too long" "$XPT" rdma expected list --expected /dev/zero
gives "rules in no file" 1 "no plain file" "$XPT" rdma expected add --expected /dev/null a b EIO c
gives "no error" 2 "is no error" "$XPT" rdma expected add a b EWHAT c
gives "no reason" 2 "REASON" "$XPT" rdma expected add a b EIO

# Files that are none.
gives "no file" 1 "No such file" "$XPT" rdma report "$T/none"
gives "a folder of calls" 1 "Is a directory" "$XPT" rdma report "$T"
gives "a folder for a store" 1 "Is a directory" "$XPT" rdma report --store "$T" "$T/t"
gives "a folder for a log" 1 "Is a directory" "$XPT" rdma report --nccl-log "$T" "$T/t"
gives "a folder for rules" 1 "Is a directory" "$XPT" rdma report --expected "$T" "$T/t"
gives "recorded calls for a store" 1 "baseline import" "$XPT" rdma report --store "$T/good" "$T/t"
: >"$T/none.jsonl"
gives "an empty store" 3 "no good calls are stored" "$XPT" rdma baseline list --store "$T/none.jsonl"
rm "$T/none.jsonl"
gives "no call" 3 "no call" "$XPT" rdma report "$T/nccl"
gives "no store" 1 "No such file" "$XPT" rdma report --store "$T/none" "$T/t"
echo 'junk' >"$T/junk.db"
gives "a store that is none" 1 "damaged" "$XPT" rdma report --store "$T/junk.db" "$T/t"
# A database of a former version: an error that says how to go on, and nothing is written.
printf 'SQLite format 3\0 pages' >"$T/old.db"
cp "$T/old.db" "$T/state/xputrace/rdma.db"
for action in "report --store $T/old.db $T/t" "baseline list --store $T/old.db" "baseline import --store $T/old.db $T/good"; do
	gives "a database: rdma ${action%% --*}" 1 "'rdma watch' learns good calls again" "$XPT" rdma $action
done
holds "... which stays as it is" cmp -s "$T/old.db" "$T/state/xputrace/rdma.db"
rm -f "$T/state/xputrace/rdma.jsonl"
gives "a database at the former default place" 0 "is left as it is and not read" "$XPT" rdma baseline import "$T/good"
holds "... does so, too" cmp -s "$T/old.db" "$T/state/xputrace/rdma.db"
gives "... the new place says so" 0 "" "$XPT" rdma baseline list
exit $failed
