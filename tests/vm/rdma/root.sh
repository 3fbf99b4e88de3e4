# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by ../boot for a script with the line `# wants: rdma`: modules of RDMA
# and the driver in ../vendor, libibverbs with the provider of soft RoCE, the
# programs of this folder, and guest.sh to start with, as /x/rdma.sh. What is missing is said in /x/rdma.missing.

providers=/usr/lib/$(gcc -print-multiarch 2>/dev/null || echo x86_64-linux-gnu)/libibverbs

# As they lie on a machine, so that `modprobe` and `rdma plan` find them: the folder tells drivers of devices.
put_rdma_modules() { # ROOT
	modules=$("$here/modules" "$kernel") || return
	to=$1/lib/modules/$(cat "$modules/release")
	ib=$to/kernel/drivers/infiniband
	mkdir -p "$ib/core" "$ib/sw/rxe" "$ib/hw/xptv"
	cp "$modules"/*.ko "$to/kernel/"
	mv "$to"/kernel/ib_*.ko "$to"/kernel/rdma_*cm.ko "$to/kernel/iw_cm.ko" "$ib/core/"
	mv "$to/kernel/rdma_rxe.ko" "$ib/sw/rxe/"
	built=$("$here/module/build" "$kernel" "$here/vendor") || return
	cp "$built"/btf/xptv.ko "$ib/hw/xptv/" 2>/dev/null || cp "$built/xptv.ko" "$ib/hw/xptv/"
	mkdir -p "$to/kernel/drivers/net/ethernet/xptv"
	cp "$built"/btf/xptv_core.ko "$to/kernel/drivers/net/ethernet/xptv/" 2>/dev/null ||
		cp "$built/xptv_core.ko" "$to/kernel/drivers/net/ethernet/xptv/"
}

put_rdma_library() { # ROOT
	set -- "$1" "$providers"/librxe-rdmav*.so
	[ -e "$2" ] && [ -e /etc/libibverbs.d/rxe.driver ] || {
		echo "no $providers/librxe-rdmav*.so (package ibverbs-providers)" >&2
		return 1
	}
	mkdir -p "$1$providers" "$1/etc/libibverbs.d"
	cp -L "$2" "$1$providers/"
	cp /etc/libibverbs.d/rxe.driver "$1/etc/libibverbs.d/"
}

# Not needed, only better: why they are missing is said in /x/rdma.without.
put_rdma_tools() { # ROOT
	tools=$("$here/rdma/tools" 2>"$1/x/rdma.without") || return 0
	rm "$1/x/rdma.without"
	LD_LIBRARY_PATH=$tools/lib put_programs "$1" "$tools"/bin/*
	cp -L "$tools"/lib/*.so.? "$(gcc -print-file-name=libgcc_s.so.1)" "$1/x/lib/"
}

put_rdma() { # ROOT
	put_programs "$1" "$B"/vm/rdma/rdma_* "$here"/rdma/*.tsv
	cp "$here/rdma/guest.sh" "$1/x/rdma.sh"
	cp "$B"/fake/net/libnccl.so.2 "$1/x/lib/"
	{ put_rdma_modules "$1" && put_rdma_library "$1"; } 2>"$1/x/rdma.missing" || return 0
	rm "$1/x/rdma.missing"
	put_rdma_tools "$1"
}
