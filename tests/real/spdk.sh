#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq real_spdk
# uses: bpftrace
# timeout: 240
#
# A real SPDK target over TCP, two hosts on one subsystem: hosts of the trace's entries are those that made the load, before,
# during and after a recording; states have the release's names. XPT_SPDK: a tree of SPDK that was built --with-usdt.
set -u
: "${B:?build directory}" "${XPT:?the program}"
. tests/cli.lib
PATH=/usr/bin:/bin:/usr/sbin:/sbin	# SPDK's scripts need the distribution's Python

export XPUTRACE_HOOKS="$PWD/examples/hooks"
cd "$XPT_SPDK" || exit 2
[ ! -d build/lib ] || export LD_LIBRARY_PATH="$PWD/build/lib"
release=$(build/bin/nvmf_tgt -v 2>&1 | sed -n 's/.*SPDK v\([0-9.]*\).*/\1/p' | head -n 1)
case $release in 2[0-3].* | 24.01*) groups=0xFFFF ;; *) groups=all ;; esac
echo "note SPDK $release"
subsystem=nqn.2016-06.io.spdk:cnode0
host_of() { echo "nqn.2014-08.org.nvmexpress:uuid:00000001-1111-2222-3333-44444444444$1"; }
rpc() { scripts/rpc.py -s "$T/rpc" "$@" >/dev/null; }
target() { # OPTION...
	exec build/bin/nvmf_tgt --no-huge -s 512 -u -r "$T/rpc" --disable-cpumask-locks -m 0x1 "$@" >"$T/target" 2>&1
}
trap 'kill $pid $loads $full $hook $bpftrace 2>/dev/null' EXIT
loads='' pid='' full='' hook='' bpftrace=''

# --- two hosts -------------------------------------------------------------------------------
(target -e $groups --num-trace-entries 524288) &
pid=$!
until_ rpc rpc_get_methods || not_ok target "$(tail -n 1 "$T/target")"
rpc nvmf_create_transport -t TCP
rpc bdev_malloc_create -b M0 32 512
rpc bdev_delay_create -b M0 -d D0 -r 3000 -t 3000 -w 3000 -n 3000	# so that the trace holds all requests
rpc nvmf_create_subsystem $subsystem -a -s S0
rpc nvmf_subsystem_add_ns $subsystem D0
rpc nvmf_subsystem_add_listener $subsystem -t tcp -a 127.0.0.1 -s 4420
"$XPT" spdk record -p $pid -o "$T/full.txt" 2>"$T/full.err" &
full=$!
until_ grep -q recording "$T/full.err" || not_ok recording "$(tail -n 1 "$T/full.err")"
# A hook and bpftrace beside it, on one probe: as many hits.
"$XPT" hook -q -e 'usdt:__EXE__:spdk:nvmf_ctrlr_add_qpair count as connects' -p $pid >"$T/hook" 2>"$T/hook.err" &
hook=$!
until_ grep -q 'hooks are in place' "$T/hook.err" || not_ok hook "$(tail -n 1 "$T/hook.err")"
bpftrace=''
if command -v bpftrace >/dev/null; then
	file=$("$XPT" list 'usdt:__EXE__:spdk:nvmf_ctrlr_add_qpair' -p $pid | sed -n 's/^usdt:\(.*\):spdk:.*/\1/p')
	bpftrace -p $pid -e "usdt:$file:spdk:nvmf_ctrlr_add_qpair { @connects = count(); } BEGIN { printf(\"ready\\n\"); }" \
		>"$T/bpftrace" 2>&1 &
	bpftrace=$!
	until_ grep -q ready "$T/bpftrace" || not_ok bpftrace "$(tail -n 1 "$T/bpftrace")"
fi
run_load() { # HOST SECONDS
	build/bin/spdk_nvme_perf --no-huge -s 128 -c 0x2 -q 2 -P 2 -o 4096 -w randread -t "$2" -i "$1" \
		-r "trtype:TCP adrfam:IPv4 traddr:127.0.0.1 trsvcid:4420 subnqn:$subsystem hostnqn:$(host_of "$1")" \
		>"$T/load.$1" 2>&1
}
for host in 1 2; do
	run_load $host $((4 + host)) &
	loads="$loads $!"
done
# Two that connect again and again, so that the short recordings begin and end in the middle of it.
for host in 3 4; do
	(for _ in 1 2 3; do run_load $host 1; done) &
	loads="$loads $!"
done
connected() { [ "$(grep -c "hostnqn='$(host_of "$1")'" "$T/full.txt")" -ge 3 ]; }	# an admin queue and two others
until_ connected 1 && until_ connected 2 || not_ok connected "$(tail -n 1 "$T/load.1")"
for short in 1 2; do
	timeout -s INT 1.5 "$XPT" spdk record -p $pid -o "$T/short$short.txt" 2>/dev/null
done
# shellcheck disable=SC2086 # a list
wait $loads
kill -INT $hook $bpftrace
wait $hook $bpftrace
connects=$(sed -n 's/^@connects: //p' "$T/hook")
is hook_connects "$(grep -c ^nvmf_ctrlr_add_qpair "$T/full.txt")" "$connects"
[ -z "$bpftrace" ] && echo "skip bpftrace: not installed" || is bpftrace_connects "$(sed -n 's/^@connects: //p' "$T/bpftrace")" "$connects"
build/bin/spdk_trace -j -s nvmf -p $pid >"$T/trace.json" 2>/dev/null
kill -INT $full
wait $full
kill $pid
wait $pid 2>/dev/null

for with in full short1 short2; do
	"$XPT" spdk annotate -t "$T/trace.json" -w "$T/$with.txt" --json >"$T/$with.json" 2>"$T/$with.said"
	jq -r '"\(.qpair.hostnqn // "-") \(.presumed // false)"' "$T/$with.json" >"$T/$with.hosts"
done
# The load's own count: its average over its seconds, with the requests of connects and the like beside it.
"$XPT" spdk annotate -t "$T/trace.json" -w "$T/full.txt" --by host,type --json >"$T/by.json" 2>/dev/null
for host in 1 2; do
	counted=$(jq --arg h "$(host_of $host)" '[.by[] | select(.kind == "TCP_REQ" and .by == "host" and .value == $h).count] | add' "$T/by.json")
	iops=$(sed -n 's/^Total *: *\([0-9.]*\).*/\1/p' "$T/load.$host")
	awk -v n="${counted:-0}" -v iops="${iops:-0}" -v s=$((4 + host)) 'BEGIN { exit !(n > 0.9 * iops * s && n < 1.1 * iops * s + 100) }' &&
		ok "load_of_host_$host" || not_ok "load_of_host_$host" "$counted entries, the load had $iops a second for $((4 + host)) s"
done
is full_presumes 0 "$(grep -c true "$T/full.hosts")"
# A short recording may say less than the full one, but nothing else as if it were sure.
for short in 1 2; do
	paste -d ' ' "$T/full.hosts" "$T/short$short.hosts" | awk '$3 != "-" && $4 == "false" { if ($3 != $1) wrong++; else right++ }
		END { print wrong + 0, (right > 100 ? "many" : "few: " (right + 0)) }' >"$T/hosts"
	is hosts_of_short_$short "0 many" "$(cat "$T/hosts")"
done
named() { # RECORDING
	awk '$1 != "-"' "$T/$1.hosts" | wc -l
}
known=$(named full)
echo "note SPDK $release: $known of $(wc -l <"$T/full.hosts") entries have a host, $(named short1) and $(named short2) by recordings of 1.5 s"
[ "$known" -gt 1000 ] && ok known || not_ok known "$known entries have a host"

# --- states ----------------------------------------------------------------------------------
rm -f "$T/rpc"
"$XPT" hook -q --as-root -f nvmf_states -- sh -c 'exec "$@" >/dev/null 2>&1' - build/bin/nvmf_tgt --no-huge -s 512 -u -r "$T/rpc" \
	--disable-cpumask-locks -m 0x1 >"$T/states" 2>"$T/states.err" &
pid=$!
until_ rpc framework_wait_init || not_ok target_again "$(tail -n 1 "$T/states.err")"
rpc spdk_kill_instance SIGTERM
wait $pid
pid=''
is running 1 "$(sed -n 's/^@target\[RUNNING\]: //p' "$T/states")"
is stopped 1 "$(sed -n 's/^@target\[STOPPED\]: //p' "$T/states")"
is no_numbers 0 "$(grep -c '^@target\[[0-9]' "$T/states")"
exit $failed
