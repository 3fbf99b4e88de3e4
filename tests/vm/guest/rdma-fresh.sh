# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma fresh more
#
# Runs in the virtual machine: healthy work, then the faults of
# tests/vm/rdma/fresh.tsv, one by one, beside `xputrace rdma watch`; with xpt_truth on the
# kernel's command line beside the kernel's own probes instead. tests/vm/rdma-fresh.sh
# judges what this leaves in /out.

. /lib.sh
set +f
. /x/rdma.sh
mark modules
rdma_up || exit 1
# One that asks for addresses; nobody is there to answer.
ip link add dm1 type dummy && ip link set dm1 arp on && ip addr add 10.0.8.1/24 dev dm1 && ip link set dm1 up &&
	rdma_device rxe1 dm1 || exit 1
modprobe xptw && modprobe xptw_nomem || exit 1
# Soft iWARP, where it could be built.
modprobe crc32c_generic 2>/dev/null
if modprobe siw 2>/out/without_siw; then
	rm /out/without_siw
	ip link add dm2 type dummy && ip addr add 10.0.9.1/24 dev dm2 && ip link set dm2 up &&
		rdma_link add siw0 siw dm2 || exit 1
else
	[ ! -e /x/siw.missing ] || cp /x/siw.missing /out/without_siw
fi
traced=/sys/kernel/tracing
sed -n 's/^\([^ ]*\) \[\(ib_\|iw_\|rdma_\|siw\|xptw\).*/\1/p' $traced/available_filter_functions |
	grep -v '^no_memory' >/out/functions

# What the kernel itself says of who returned an error: a return probe on every function of
# the modules of RDMA, and on some of the kernel that these call.
truth_begin() {
	others="pin_user_pages_fast sg_alloc_append_table_from_pages rdmacg_try_charge get_cg_rpool_locked"
	for f in $(cat /out/functions) $others; do
		echo "r:truth/$(echo "$f" | tr . _) $f ret=\$retval:s32"
	done >/out/probes
	while read -r probe; do
		echo "$probe" >>$traced/kprobe_events
	done </out/probes 2>/dev/null
	echo 'ret < 0 && ret > -4096 && (COMM ~ "f_*" || COMM ~ "s_*" || COMM ~ "m_*" || COMM ~ "c_*" || COMM ~ "w_*")' \
		>$traced/events/truth/filter
	echo 1 >$traced/events/truth/enable
}

healthy() {
	for p in "verbs healthy" "fresh_verbs neighbours" "fresh_vendor neighbours"; do
		rdma_$p >>/out/healthy.jsonl 2>>/out/stderr
		echo "{\"healthy\":\"$p\",\"exit\":$?}" >>/out/healthy.jsonl
	done
}

# What others have written, each twice.
tools() {
	if [ -e /x/rdma.without ]; then
		cp /x/rdma.without /out/without_tools
	else
		for i in 1 2; do
			both pingpong "" 10.0.0.1 "listens 4853" "ibv_rc_pingpong -d rxe0 -g 1 -n 20"
			both rping -s -c sleeps "rping -a 10.0.0.1 -C 3"
		done
	fi
	if [ -e /x/more.missing ]; then
		cp /x/more.missing /out/without_more
		return
	fi
	export UCX_MODULE_DIR=/x/lib/ucx
	for i in 1 2; do
		for p in "fi_info -p verbs" "ucx_info -d"; do
			$p >"/out/${p%% *}" 2>&1
			echo "{\"healthy\":\"$p\",\"exit\":$?}" >>/out/healthy.jsonl
		done
	done
}

if grep -q xpt_truth /proc/cmdline; then
	mark probes
	truth_begin
	mark faults
	rdma_faults /x/fresh.tsv
	cat $traced/trace >/out/trace
	mark over
	exit 0
fi
mark attach
rdma_watch_begin
mark healthy
healthy
mark faults
rdma_faults /x/fresh.tsv
mark again
healthy
tools
mark end
rdma_watch_end
mark over
