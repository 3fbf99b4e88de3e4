# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma
#
# Runs in the virtual machine: `rdma watch` with and without arguments of functions,
# and with further functions once a method has failed; and the same as a layer of `run`. tests/vm/rdma-watch.sh judges.

. /lib.sh
. /x/rdma.sh
mark modules
rdma_up || exit 1

watch() { # NAME OPTIONS -- COMMAND
	mark "$1"
	dir=/out/$1
	mkdir -p "$dir"
	shift
	xputrace rdma watch -v --as-root -m modify_qp -m QUERY_GID_ENTRY -o "$dir/t.jsonl" "$@" >"$dir/text" 2>"$dir/err"
	echo $? >"$dir/exit"
}

# A call by a program at both ends of each function: arguments and structs as by returns that know them.
watch sessions --kernel-attach kprobe-session --slow 60s -- rdma_verbs bad_gid
watch single --kernel-attach fentry --slow 60s -- rdma_verbs bad_gid
# A module whose functions are in a session is in use.
modprobe xptv
watch held --kernel-attach kprobe-session -m reg_mr -- sh -c 'rmmod xptv 2>/dev/null; echo $? >/out/held/removed'
for i in $(seq 600); do	# the watch before lets go of it in the background
	rmmod xptv xptv_core 2>/dev/null && break
	usleep 100000
done
# Links one by one close for long, in the background.
until_unprobed() {
	for i in $(seq 1800); do
		[ "$(wc -l </sys/kernel/tracing/enabled_functions)" != 0 ] || break
		usleep 100000
	done
}
# How long it takes to attach to all functions, by the best way and by a program for each function.
for way in auto fentry; do
	until_unprobed
	mark all_$way
	mkdir -p /out/all_$way
	xputrace rdma watch -v -q --no-store --as-root --kernel-attach $way -- true >/out/all_$way/text 2>/out/all_$way/err
done
# On 6.12 that is all, unless all is asked for: the rest differs little between kernels.
case $(uname -r) in
6.12*) grep -q xpt_whole /proc/cmdline || { mark over; exit 0; } ;;
esac
until_unprobed

# A tool that scans the table of GIDs asks for more than anybody looks at.
[ ! -e /x/rdma.without ] || cp /x/rdma.without /out/without
# Its metrics find no room on a disk that is full.
mkdir /tmp/full
mount -t tmpfs -o size=8k none /tmp/full
# A busy host makes calls slow: those are not what this is about.
watch text --slow 60s --metrics /tmp/full/x.prom -- sh -c 'rdma_verbs bad_gid; ibv_devinfo -v >/dev/null'
ls -a /tmp/full >/out/text/full
# A signal is the command's affair: its end is told, and waited for.
watch returns --kernel-attach kprobe --json --counters --metrics /out/x.prom -- sh -c 'rdma_verbs bad_gid; trap "exit 9" TERM
	grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/$PPID/status >/out/returns/rights
	grep -E "^(CapEff|NoNewPrivs)" /proc/self/status >>/out/returns/rights
	kill -TERM $PPID; for i in $(seq 100); do usleep 100000; done'

# In namespaces of its own a program has other numbers, and the machine another name: those of its log.
watch inside --slow 60s -- unshare -p -u -f sh -c 'hostname pod7; sh -c "echo \$\$ >/out/inside/pid; exec rdma_verbs bad_gid"'

# Fifteen programs fail once each beside one that fails all the time; and one does all well: each
# state that it wants is an example every second.
cat >/tmp/flood.sh <<'EOF'
rdma_verbs flood &
flood=$!
for i in $(seq 600); do
	grep -q 'more of' /out/flood/text && break
	usleep 100000
done
for i in $(seq 15); do
	rdma_verbs unmapped
done
rdma_verbs bad_gid
kill $flood
rdma_verbs healthy 4
EOF
watch flood -m reg_mr --slow 60s -- sh /tmp/flood.sh

# A call that does not return is told while it lasts, once, and again at the end; the next one returns.
cat >/tmp/hang.sh <<'EOF'
rdma_verbs hang 600 >/dev/null 2>&1 &
rdma_verbs hang 4
for i in $(seq 600); do
	grep -q 'ms\|[0-9] s .*slow' /out/hang/text && break
	usleep 100000
done
EOF
watch hang -m reg_mr --hang 1s --slow 2s -- sh /tmp/hang.sh
watch hang_json -m reg_mr --json --hang 1s -- sh -c 'rdma_verbs hang 600 >/dev/null 2>&1 &
	for i in $(seq 600); do grep -q rdma_hang /out/hang_json/text && break; usleep 100000; done'
killall rdma_verbs

# A place that cannot be written is told before anything runs.
watch nowhere --metrics /sys/x.prom -- touch /out/nowhere/ran

# Only a failure on the way to RTR brings more functions, the next ones are seen with them, and
# after eight they go: what is probed is counted before, meanwhile and afterwards.
cat >/tmp/deep.sh <<'EOF'
probed() { wc -l </sys/kernel/tracing/enabled_functions; }
# Until what `test` says of their number is so, for a minute.
until_probed() { # OPERATOR NUMBER
	for i in $(seq 600); do
		[ "$(probed)" "$1" "$2" ] && break
		usleep 100000
	done
	probed >>/out/deep/probed
}
probed >/out/deep/probed
rdma_verbs bad_state
usleep 1000000
grep -c 'further functions' /out/deep/err >/out/deep/early
rdma_verbs bad_gid
for i in $(seq 600); do
	grep -q 'further functions' /out/deep/err && break
	usleep 100000
done
until_probed -gt "$(cat /out/deep/probed)"
rdma_verbs bad_state
for i in $(seq 8); do
	rdma_verbs bad_gid
done
until_probed -le "$(head -n 1 /out/deep/probed)"
rdma_verbs bad_gid
exit 7
EOF
watch deep --deep auto:modify_qp:RTR -- sh /tmp/deep.sh
# A driver that comes later: its firmware refuses a command of the program that is watched, again and
# again until that is told, and meanwhile those of another, which are not.
export event=/sys/module/xptv_core/parameters/fw_event
cat >/tmp/firmware.sh <<'EOF'
echo $$ >/out/firmware/pid
modprobe xptv
for i in $(seq 150); do
	echo 1 >$event
	grep -q '^..:..:.. command' /out/firmware/text && break
	usleep 200000
done
echo 300 >$event
echo $i >/out/firmware/before
EOF
while :; do
	[ ! -e $event ] || echo 1 >$event
	usleep 100000
done &
other=$!
watch firmware -- sh /tmp/firmware.sh
kill $other
# A driver that is loaded and removed: its calls are watched as soon as new plans are made, and what was
# counted before is in the sums.
for i in $(seq 600); do	# the watch before lets go of it in the background
	rmmod xptv xptv_core 2>/dev/null && break
	usleep 100000
done
cat >/tmp/reload.sh <<'EOF'
until_watched() { # TIMES
	for i in $(seq 600); do
		[ "$(grep -c 'watching [0-9]* methods' /out/reload/err)" -lt "$1" ] || break
		usleep 100000
	done
}
rdma_verbs bad_gid
modprobe xptv
until_watched 2
rdma_vendor vendor_depth_3
rmmod xptv
echo $? >/out/reload/removed
until_watched 3
rdma_verbs bad_gid
EOF
watch reload -m reg_mr --kernel-attach kprobe -- sh /tmp/reload.sh
modprobe xptv
# Probes for the functions in which an error may have begun unseen: what fails again is named.
cat >/tmp/few.sh <<'EOF'
rdma_vendor vendor_depth_3
for i in $(seq 600); do
	grep -q 'further functions' /out/few/err && break
	usleep 100000
done
rdma_vendor vendor_depth_3
EOF
watch few --depth 1 -m reg_mr -- sh /tmp/few.sh
mark run
# As a layer of a trace, below NCCL, which connects in a thread of its own, and verbs.
mkdir -p /out/run
xputrace run --as-root --log - -o /out/run/x.xtr -d nccl -d verbs -d rdma -- sh -c '
	rdma_verbs nccl_bad_gid; rdma_vendor fw_parameter; rdma_vendor fw_alone' >/out/run/text 2>/out/run/err
echo $? >/out/run/exit
# The methods alone, beside the same calls as the layer below sees them. Modules that are probed can go and come.
mark uverbs
mkdir -p /out/uverbs
xputrace attach -v --all -d uverbs -d rdma -o /out/uverbs/x.xtr --metrics /out/uverbs.prom >/out/uverbs/text 2>/out/uverbs/err &
uverbs=$!
until_counted() { # FUNCTION TIMES
	for i in $(seq 600); do
		[ "$(grep -c "calls of $1 are counted" /out/uverbs/err)" -lt "$2" ] || break
		usleep 100000
	done
}
until_counted rdma_ucm:ucma_write 1
for i in $(seq 600); do
	grep -q 'RDMA: watching' /out/uverbs/err && break
	usleep 100000
done
rdma_verbs bad_gid
rdma_verbs unmapped
rdma_verbs healthy 1
rdma_files cm_in_use
for i in $(seq 600); do
	grep -q 'error="EADDRINUSE"' /out/uverbs.prom && break
	usleep 100000
done
kill -INT $uverbs
wait $uverbs
# Without -d, as the agent.
xputrace top -v --no-agent --once --json --interval 8s >/out/uverbs/top 2>/out/uverbs/err &
top=$!
until_counted rdma_ucm:ucma_write 1
rdma_verbs bad_gid
wait $top
xputrace attach -v --all -d uverbs -o /out/uverbs/again.xtr >/out/uverbs/again 2>/out/uverbs/err &
uverbs=$!
until_counted rdma_ucm:ucma_write 1
for i in $(seq 100); do	# the watch before lets go of it in the background
	rmmod rdma_ucm 2>/out/uverbs/removed && break
	usleep 100000
done
usleep 1500000
modprobe rdma_ucm
until_counted rdma_ucm:ucma_write 2
rdma_files cm_waiters
kill -INT $uverbs
wait $uverbs
# Three that fail: two of them are chosen by number, all by name. None calls a traced library.
mark attach
mkdir -p /out/attach
pids= all=
for i in 1 2 3; do
	sh -c 'until [ -e /tmp/go ]; do usleep 100000; done; rdma_verbs bad_gid; :' >/dev/null &
	[ $i = 3 ] || pids=$pids,$!
	all="$all $!"
done
attach() { # NAME OPTIONS
	name=$1
	shift
	xputrace attach -v -d rdma -o /out/attach/$name.xtr "$@" >/out/attach/$name 2>/out/attach/$name.err &
}
attach pids -p "${pids#,}"
by_pid=$!
attach comm --comm 'bad_g*' --uid 0 --metrics /out/attach/comm.prom
by_comm=$!
for i in $(seq 600); do
	grep -q 'RDMA: watching' /out/attach/pids.err && grep -q 'RDMA: watching' /out/attach/comm.err && break
	usleep 100000
done
touch /tmp/go
wait $by_pid
echo $? >/out/attach/pids.exit
# The third, too, has failed before the other trace ends.
# shellcheck disable=SC2086 # Several numbers.
wait $all
for i in $(seq 600); do	# the metrics have them while the trace goes on
	[ "$(awk '/^xputrace_call_errors_total.*"ENODATA"}/ { n += $NF } END { print n + 0 }' /out/attach/comm.prom)" -lt 3 ] || break
	usleep 100000
done
cp /out/attach/comm.prom /out/attach/live.prom
kill -INT $by_comm
wait $by_comm
# The link goes down, and a call fails: that is in the counters around it, once there is a reading from before.
cat >/tmp/counters.sh <<'EOF'
for i in $(seq 100); do
	ip link set dm0 down
	ip link set dm0 up
	rdma_verbs bad_gid
	grep -q '"counter":"link_downed"' /out/counters/t.jsonl && break
	usleep 300000
done
EOF
watch counters -- sh /tmp/counters.sh
# A watch that cannot be begun anew, as the kernel is locked down meanwhile (there is no way back), says
# what it had counted.
for i in $(seq 600); do	# the watches before let go of it in the background
	rmmod xptv xptv_core 2>/dev/null && break
	usleep 100000
done
modprobe xptv
cat >/tmp/ends.sh <<'EOF'
rdma_verbs bad_gid
echo confidentiality >/sys/kernel/security/lockdown
rmmod xptv
echo $? >/out/ends/removed
for i in $(seq 600); do
	grep -q 'could not be begun anew' /out/ends/err && break
	usleep 100000
done
exit 0
EOF
watch ends --kernel-attach kprobe --metrics /out/ends.prom -- sh /tmp/ends.sh
mark over
