# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma
#
# Runs in the virtual machine for bench/rdma.sh: the cycle of rdma_cycle.c alone, below
# `rdma watch` with each way of attaching, and with entry and return of all functions
# of the modules; ib_write_bw with and without a watch; the memory that a watch takes.

. /x/rdma.sh
rdma_up || exit 1
methods="-m modify_qp -m reg_mr -m MR_DESTROY"
xputrace rdma plan --json >/out/plan.json
rdma_cycle >/dev/null # what is read from the disk image is in memory now
echo "none $(rdma_cycle)" >/out/cycles

watched() { # NAME OPTIONS...
	name=$1
	shift
	until [ "$(wc -l </sys/kernel/tracing/enabled_functions)" = 0 ]; do	# links close in the background
		usleep 100000
	done
	if cycle=$(xputrace rdma watch -v -q --no-store "$@" --as-root -- /x/rdma_cycle 2>/out/$name.err); then
		echo "$name $(echo "$cycle" | head -n 1) $(sed -n 's/.*returns of \([0-9]*\) .*/\1/p' /out/$name.err)" >>/out/cycles
		sed -n "s/.*attached in \([0-9]* ms\)\$/attach $name \1/p" /out/$name.err >>/out/notes
	fi
}
# shellcheck disable=SC2086 # several words
for way in fentry-multi fentry kprobe-session kprobe; do
	watched $way $methods --kernel-attach $way
done
for way in auto fentry; do
	watched all-methods-$way --kernel-attach $way
done

# As fast as a watch allows, in MB/s: the best of two.
write_bw() {
	for i in 1 2; do
		ib_write_bw -d rxe0 -x 1 -n 1000 -s 65536 -F >/out/bw.server 2>&1 &
		server=$!
		until grep -q ':4853 [0-9A-F:]* 0A ' /proc/net/tcp /proc/net/tcp6; do
			usleep 20000
		done
		ib_write_bw -d rxe0 -x 1 -n 1000 -s 65536 -F 10.0.0.1 2>&1 | awk '$1 == 65536 { print $4 }'
		wait $server
	done | sort -n | tail -n 1
}
[ -e /x/rdma.without ] || echo "bw none $(write_bw)" >>/out/notes
xputrace rdma watch -v -q --store /tmp/good.db 2>/out/watch.err &
watch=$!
until grep -q watching /out/watch.err || ! kill -0 $watch; do
	usleep 100000
done
[ -e /x/rdma.without ] || echo "bw watched $(write_bw)" >>/out/notes
rdma_cycle >/dev/null
awk '$1 == "VmHWM:" { print "memory", $2 }' /proc/$watch/status >>/out/notes
cat /proc/$watch/fdinfo/* | awk '/^memlock:/ { m = $2 } /^(map|prog)_id:/ && !seen[$1 $2]++ { sum += m }
	END { print "bpf", int(sum / 1024) }' >>/out/notes
sed -n 's/.*attached in \([0-9]* ms\)$/attach \1/p' /out/watch.err >>/out/notes
kill -INT $watch
wait $watch
ls -l /tmp/good.* | awk '{ print "store", int($5 / 1024) }' >>/out/notes

all=
for m in ib_core ib_uverbs rdma_rxe; do
	all="$all -k $m:*"
done
set -f
# shellcheck disable=SC2086 # several words
if cycle=$(xputrace run --as-root --layers driver $all --kernel-attach fentry-multi --kernel-max 2000 --counters --no-summary -- /x/rdma_cycle 2>/out/all.err); then
	echo "all-pairs $cycle $(sed -n 's/.*kernel functions: \([0-9]*\) .*/\1/p' /out/all.err | tail -n 1)" >>/out/cycles
fi
