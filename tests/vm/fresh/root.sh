# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by ../boot for a script with the line `# wants: rdma fresh`: this
# folder's modules and soft iWARP, beside what ../rdma/root.sh put there. Why they are
# missing is said in /x/rdma.missing and /x/siw.missing.

put_fresh() { # ROOT
	[ ! -e "$1/x/rdma.missing" ] || return 0
	to=$(echo "$1"/lib/modules/*/kernel/drivers)
	built=$("$here/module/build" "$kernel" "$here/fresh" 2>"$1/x/rdma.missing") || return 0
	rm "$1/x/rdma.missing"
	mkdir -p "$to/infiniband/hw/xptw" "$to/net/ethernet/xptw"
	[ ! -e "$built/btf/xptw.ko" ] || built=$built/btf
	cp "$built/xptw.ko" "$to/infiniband/hw/xptw/"
	cp "$built/xptw_core.ko" "$to/net/ethernet/xptw/"
	mkdir -p "$to/misc"
	cp "$built/xptw_nomem.ko" "$to/misc/"
	built=$("$here/siw" "$kernel" 2>"$1/x/siw.missing") || return 0
	rm "$1/x/siw.missing"
	[ ! -e "$built/btf/siw.ko" ] || built=$built/btf
	mkdir -p "$to/infiniband/sw/siw"
	cp "$built/siw.ko" "$to/infiniband/sw/siw/"
	cp -L "$providers"/libsiw-rdmav*.so "$1$providers/" && cp /etc/libibverbs.d/siw.driver "$1/etc/libibverbs.d/"
}
