# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by ../boot for a script with the line `# wants: rdma untuned`: this
# folder's driver, beside what ../rdma/root.sh put there. Why it is missing is said in /x/rdma.missing.

put_untuned() { # ROOT
	[ ! -e "$1/x/rdma.missing" ] || return 0
	to=$(echo "$1"/lib/modules/*/kernel/drivers)
	built=$("$here/module/build" "$kernel" "$here/untuned" 2>"$1/x/rdma.missing") || return 0
	rm "$1/x/rdma.missing"
	mkdir -p "$to/infiniband/hw/xptu" "$to/net/ethernet/xptu"
	[ ! -e "$built/btf/xptu.ko" ] || built=$built/btf
	cp "$built/xptu.ko" "$to/infiniband/hw/xptu/"
	cp "$built/xptu_core.ko" "$to/net/ethernet/xptu/"
}
