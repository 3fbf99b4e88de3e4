# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma
#
# Runs in the virtual machine: faults of RDMA (tests/vm/rdma/faults.tsv), one by one,
# then healthy work, all beside `xputrace rdma watch`. tests/vm/rdma-faults.sh judges
# what this leaves in /out.

. /lib.sh
set +f
. /x/rdma.sh
mark modules
rdma_up || exit 1
modprobe xptv || exit 1
cat /sys/class/infiniband/rxe0/ports/1/state /sys/class/infiniband/rxe0/ports/1/gids/1 >/out/device
mark attach
xputrace rdma watch --json --counters -o /out/watch.jsonl >/out/reported.jsonl 2>/out/watch.err &
watch=$!
until grep -q watching /out/watch.err || ! kill -0 $watch 2>/dev/null; do
	usleep 100000
done
mark faults
grep -v '^#' /x/faults.tsv | while read -r fault program way rest; do
	[ -x "/x/rdma_$program" ] || continue
	unset XPT_TOLD
	[ "$way" != reported ] || export XPT_TOLD=/out/reported.jsonl
	timeout 60 "rdma_$program" "$fault" >>/out/truth.jsonl 2>>/out/stderr || echo "$fault: $?" >>/out/stderr
done

# Nothing of this fails.
healthy() {
	rdma_vendor vendor_healthy
	rdma_verbs healthy 2
	[ ! -e /x/rdma.without ] || return
	ibv_devinfo -v -d rxe0 >/out/devinfo 2>&1
	both pingpong "" 10.0.0.1 "listens 4853" "ibv_rc_pingpong -d rxe0 -g 1 -n 20"
	both write_bw "" 10.0.0.1 "listens 4853" "ib_write_bw -d rxe0 -x 1 -n 100 -s 4096 -F"
	both rping -s -c sleeps "rping -a 10.0.0.1 -C 3"
}

mark healthy
[ ! -e /x/rdma.without ] || cp /x/rdma.without /out/without
seconds=$(sed -n 's/.*xpt_seconds=\([0-9]*\).*/\1/p' /proc/cmdline)
end=$(($(cut -d . -f 1 /proc/uptime) + ${seconds:-0}))
while healthy >>/out/healthy.jsonl 2>>/out/stderr && [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
	rdma_watch_grown
	sleep 1
done
rdma_watch_grown
mark end
kill -INT $watch
wait $watch
echo $? >/out/watch.exit
mark over
