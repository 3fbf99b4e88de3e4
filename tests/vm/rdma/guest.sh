# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced in the virtual machine, as /x/rdma.sh, by scripts that want RDMA:
#   rdma_up     loads the modules, makes the network device dm0 (10.0.0.1) and
#               the device rxe0 on it, and waits until that has its addresses
#   rdma_watch_begin, rdma_watch_end     a watch of the whole machine, in /out/watch.jsonl
#   rdma_watch_grown     its memory and store so far, a line of /out/grown
#   rdma_faults TABLE     the faults of that table, one by one, which say what they saw in /out/truth.jsonl
#   both NAME SERVER-OPTIONS CLIENT-OPTIONS READY COMMAND     a healthy tool of two ends
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

rdma_watch_begin() {
	xputrace rdma watch --json --counters -o /out/watch.jsonl >/out/reported.jsonl 2>/out/watch.err &
	watch=$!
	until grep -q watching /out/watch.err || ! kill -0 $watch 2>/dev/null; do
		usleep 100000
	done
}

rdma_watch_end() {
	kill -INT $watch
	wait $watch
	echo $? >/out/watch.exit
}

# What grows: seconds, memory of the watch and the most of it, the store (KiB).
rdma_watch_grown() {
	awk -v up="$(cut -d . -f 1 /proc/uptime)" -v store="$(du -k -c /var/lib/xputrace/rdma.jsonl* | tail -n 1)" '
		$1 == "VmRSS:" { rss = $2 } $1 == "VmHWM:" { most = $2 }
		END { print up, rss, most, store + 0 }' /proc/$watch/status >>/out/grown
}

rdma_faults() { # TABLE
	grep -v '^#' "$1" | while read -r fault program rest; do
		[ -x "/x/rdma_$program" ] || continue
		timeout 60 "rdma_$program" "$fault" >>/out/truth.jsonl 2>>/out/stderr || echo "$fault: $?" >>/out/stderr
	done
}

# Both ends of a tool are programs of this machine; READY tells when the server listens.
both() { # NAME SERVER-OPTIONS CLIENT-OPTIONS READY COMMAND
	$5 $2 >"/out/$1.server" 2>&1 &
	server=$!
	until $4 || ! kill -0 $server 2>/dev/null; do
		usleep 50000
	done
	$5 $3 >"/out/$1.client" 2>&1
	echo "{\"healthy\":\"$1\",\"exit\":$?}" >>/out/healthy.jsonl
	wait $server
}

listens() { # PORT, in hexadecimal digits
	grep -q ":$1 [0-9A-F:]* 0A " /proc/net/tcp /proc/net/tcp6
}

sleeps() { # in futex(2), until somebody connects
	grep -q '^202 ' /proc/$server/syscall
}
