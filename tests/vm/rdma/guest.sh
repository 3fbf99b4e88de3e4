# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced in the virtual machine, as /x/rdma.sh, by scripts that want RDMA:
#   rdma_up     loads the modules, makes the network device dm0 (10.0.0.1) and
#               the device rxe0 on it, and waits until that has its addresses
# GID 1 of rxe0 is the IPv4 address. Where RDMA cannot be had, the script ends
# and the reason lies in /out/missing.

[ ! -e /x/rdma.missing ] || {
	cp /x/rdma.missing /out/missing
	exit 0
}
PATH=$PATH:/x

rdma_device() { # NAME NETDEV: a soft RoCE device, with its IPv4 address in the table
	rdma_link add "$1" rxe "$2" || return
	gids=/sys/class/infiniband/$1/ports/1/gids
	for i in $(seq 100); do
		grep -q '0000:ffff:0a00' $gids/1 2>/dev/null && return
		usleep 20000
	done
	echo "$1 has no address" >&2
	return 1
}

rdma_up() {
	ip link set lo up
	depmod
	modprobe crc32_generic 2>/dev/null # 7.2 has it built in
	for m in dummy rdma_rxe rdma_ucm ib_uverbs; do
		modprobe $m || return
	done
	ip link add dm0 type dummy && ip addr add 10.0.0.1/24 dev dm0 && ip link set dm0 up &&
		rdma_device rxe0 dm0
}
