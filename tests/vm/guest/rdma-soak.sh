# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma more
#
# Runs in the virtual machine: healthy work of many kinds beside `xputrace rdma watch` on the
# whole machine, again and again for xpt_seconds. tests/vm/rdma-soak.sh judges what this leaves in /out.

. /lib.sh
set +f
. /x/rdma.sh
mark modules
rdma_up || exit 1
mkdir -p /dev/shm
mark attach
rdma_watch_begin

# What a program of one end did: its exit status.
alone() { # NAME COMMAND...
	name=$1
	shift
	timeout 120 "$@" >"/out/$name.out" 2>&1
	echo "{\"healthy\":\"$name\",\"exit\":$?}" >>/out/healthy.jsonl
}

perftest() {
	[ ! -e /x/rdma.without ] || return 0
	alone devinfo ibv_devinfo -v -d rxe0
	both pingpong "" 10.0.0.1 "listens 4853" "ibv_rc_pingpong -d rxe0 -g 1 -n 20"
	both write_bw "" 10.0.0.1 "listens 4853" "ib_write_bw -d rxe0 -x 1 -n 100 -s 4096 -F"
	both rping -s -c sleeps "rping -a 10.0.0.1 -C 3"
}

# Of libfabric and UCX the parts that work between two programs of one soft device: connections by the
# connection manager find no provider there, and UCX's own connecting by datagrams times out.
more() {
	[ ! -e /x/more.missing ] || return 0
	export UCX_MODULE_DIR=/x/lib/ucx
	alone fi_info fi_info -p verbs
	both fi_dgram "" 10.0.0.1 "listens B9E8" "timeout 20 fi_pingpong -p verbs -e dgram -d rxe0-dgram -I 20 -S 512"
	alone ucx_info ucx_info -d
	alone ucx_worker ucx_info -w -u tr
	both ucx_rc "" 10.0.0.1 "listens 3419" "timeout 60 ucx_perftest -d rxe0:1 -x rc_verbs -t am_lat -n 100 -w 5"
	both ucx_put "" 10.0.0.1 "listens 3419" "timeout 60 ucx_perftest -d rxe0:1 -x rc_verbs -t put_lat -n 100 -w 5"
}

mark healthy
for missing in rdma.without more.missing; do
	[ ! -e /x/$missing ] || cp /x/$missing /out/
done
seconds=$(sed -n 's/.*xpt_seconds=\([0-9]*\).*/\1/p' /proc/cmdline)
end=$(($(cut -d . -f 1 /proc/uptime) + ${seconds:-0}))
while :; do
	alone startup rdma_startup 1
	alone healthy rdma_verbs healthy 1
	perftest
	more
	rdma_watch_grown
	[ "$(cut -d . -f 1 /proc/uptime)" -lt $end ] || break
done
cut -d ' ' -f 1 /proc/uptime >/out/uptime
mark end
rdma_watch_end
mark over
