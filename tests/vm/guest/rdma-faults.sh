# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma
#
# Runs in the virtual machine: faults of RDMA (tests/vm/rdma/faults.tsv), one by one,
# then healthy work, all beside `xputrace rdma watch`. tests/vm/rdma-faults.sh judges
# what this leaves in /out.

. /x/rdma.sh
rdma_up || exit 1
modprobe xptv || exit 1
cat /sys/class/infiniband/rxe0/ports/1/state /sys/class/infiniband/rxe0/ports/1/gids/1 >/out/device
xputrace rdma watch --json --counters -o /out/watch.jsonl >/out/reported.jsonl 2>/out/watch.err &
watch=$!
for i in $(seq 300); do
	! grep -q watching /out/watch.err || break
	kill -0 $watch 2>/dev/null || break
	usleep 100000
done
grep -v '^#' /x/faults.tsv | while read -r fault program rest; do
	[ -x "/x/rdma_$program" ] || continue
	timeout 20 "rdma_$program" "$fault" >>/out/truth.jsonl 2>>/out/stderr || echo "$fault: $?" >>/out/stderr
done
rdma_vendor vendor_healthy >>/out/healthy.jsonl 2>>/out/stderr
rdma_verbs healthy 3 >>/out/healthy.jsonl 2>>/out/stderr
kill -INT $watch
wait $watch
echo $? >/out/watch.exit
