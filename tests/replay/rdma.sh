#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq
# uses: gcc xz lzma kernel_roots
#
# `rdma plan` on simulated modules (tests/fake/rdma), compiled as the kernel
# compiles its own: which functions are found, through which calls, what is
# kept and why, what the kernel's lists change, and what damaged files do. With real kernels below $XPT_RDMA_ROOTS (DIR/6.1, DIR/6.12,
# DIR/7.2), also what the rules make of those.
# timeout: 300
set -u
. tests/cli.lib

FLAGS="-O2 -c -gbtf -fcf-protection=none -fno-pie -mcmodel=kernel -mindirect-branch=thunk-extern
	-mfunction-return=thunk-extern -pg -mfentry -mrecord-mcount -fno-asynchronous-unwind-tables
	-freorder-blocks-and-partition"
R=$T/root
M=$R/lib/modules/6.1.0-fake

# shellcheck disable=SC2086
compile() { # SOURCE TARGET [FLAGS]
	gcc $FLAGS ${3:-} -o "$2" "tests/fake/rdma/$1.c" 2>>"$T/gcc"
}

mkdir -p "$M/kernel/drivers/infiniband/hw/fake"
if ! compile ib_core "$M/kernel/ib_core.ko"; then
	echo "skip rdma plan: gcc cannot compile what a kernel module looks like: $(tail -n 1 "$T/gcc")"
	exit 0
fi
compile ib_uverbs "$M/kernel/ib_uverbs.ko"
compile fake_ib "$M/kernel/drivers/infiniband/hw/fake/fake_ib.ko"

plan() { "$XPT" rdma plan --root "$R" "$@" >"$T/plan" 2>"$T/plan.err" </dev/null; }
# of METHOD FILTER: jq on one method of $T/plan
of() { jq -r --arg m "$1" "[.methods[] | select(.method == \$m)][0] | $2" "$T/plan"; }
kept() { of "$1" '[.functions[] | select(.kept and .rule != "entry") | .function] | sort | join(" ")'; }
rule() { of "$1" ".functions[] | select(.function == \"$2\") | .rule"; }

plan --driver fake_ib --json
is "the plan is JSON" 7 "$(jq '.methods | length' "$T/plan")"
is "kept below modify_qp" \
	"_ib_modify_qp deep_enough fake_changed.isra.0 fake_depth1 fake_depth2 fake_depth3 fake_modify_qp fake_seven ib_modify_qp_is_ok ib_uverbs_modify_qp modify_qp rdma_get_gid_attr rdma_lookup_get_uobject uverbs_request" \
	"$(kept modify_qp)"
is "entries above the handler" "ib_uverbs_cmd_verbs ib_uverbs_ioctl ib_uverbs_write" \
	"$(of modify_qp '[.functions[] | select(.rule == "entry") | .function] | sort | join(" ")')"
is "a tail jump is a call, a wrapper goes" R8 "$(rule modify_qp ib_modify_qp_with_udata)"
is "outside of the modules" R1 "$(rule modify_qp kmalloc_like)"
is "a void result" R3 "$(rule modify_qp rdma_put_gid_attr)"
is "an unsigned result" R3 "$(rule modify_qp fake_flags)"
is "reference counting" R5 "$(rule modify_qp rdma_restrack_get)"
is "deep, but an errno of a driver begins there" kept "$(rule modify_qp fake_depth1)"
is "reads stay where the method reads" kept "$(rule query_qp fake_query_qp)"
is "errnos of a function" "-61,-22" \
	"$(of modify_qp '.functions[] | select(.function == "rdma_get_gid_attr") | .errnos | join(",")')"
is "the cold part belongs to its function" "-71,-22" \
	"$(of modify_qp '.functions[] | select(.function == "_ib_modify_qp") | .errnos | join(",")')"
is "an operation by types" "ib_device_ops.modify_qp type 1" \
	"$(of modify_qp '.indirect[] | select(.function == "_ib_modify_qp") | "\(.member) \(.resolved_by) \(.targets)"')"
is "an operation by its offset alone" "ib_device_ops.resize_cq offset 1" \
	"$(of resize_cq '.indirect[] | select(.function == "ib_uverbs_resize_cq") | "\(.member) \(.resolved_by) \(.targets)"')"
is "an unknown pointer is told" "?+0x8 unresolved 0" \
	"$(of poll_cq '.indirect[] | select(.function == "ib_uverbs_poll_cq") | "\(.member) \(.resolved_by) \(.targets)"')"
is "a callback that is handed over" "prototype 1 kept" \
	"$(of query_qp '.indirect[] | select(.function == "fake_each") | "\(.resolved_by) \(.targets)"') $(rule query_qp fake_put_entry)"
is "a pointer that code stores" "fake_generation.ring prototype 1 kept" "$(of query_qp '.indirect[] | select(.function == "fake_bell")
	| "\(.member) \(.resolved_by) \(.targets)"') $(rule query_qp fake_ring)"
is "a table of steps" "table 2 kept kept" "$(of query_qp '.indirect[] | select(.function == "fake_all_steps")
	| "\(.resolved_by) \(.targets)"') $(rule query_qp fake_step_one) $(rule query_qp fake_step_two)"
is "a size that becomes an int in a pointer" "fake_bytes" \
	"$(of query_qp '[.functions[] | select(.narrowed) | .function] | join(" ")')"
is "a table of another shape is no target" null "$(rule modify_qp fake_stranger | grep . || echo null)"
is "no BTF: by name" "kretprobe no BTF" \
	"$(of modify_qp '.functions[] | select(.function == "fake_changed.isra.0") | "\(.attach) \(.attach_reason)"')"
is "seven arguments on 6.1" "kretprobe more than 6 arguments" \
	"$(of modify_qp '.functions[] | select(.function == "fake_seven") | "\(.attach) \(.attach_reason)"')"
is "a long that becomes an int" "wait_fence" \
	"$(of REG_DMABUF_MR '[.functions[] | select(.narrowed) | .function] | join(" ")')"
is "destroying runs the class of the object" "root kept" \
	"$(rule QP_DESTROY ib_uverbs_handler_UVERBS_METHOD_QP_DESTROY) $(rule QP_DESTROY fake_destroy_qp)"
is "object, method and command numbers" "QP 4 1 null 26" \
	"$(of QP_DESTROY '"\(.object) \(.object_id) \(.number)"') $(of ex_modify_qp '"\(.object_id) \(.number)"')"
is "methods of the data path" "poll_cq" "$(jq -r '[.methods[] | select(.data_path) | .method] | join(" ")' "$T/plan")"
is "errors that are normal below a method" "-95:the driver has no such operation, and the program goes on without it" \
	"$(of modify_qp '.functions[] | select(.function == "ib_uverbs_modify_qp") | .expected[]
		| select(.errno == -95) | "\(.errno):\(.reason)"')"

gives "without a driver nobody is called" 0 "" "$XPT" rdma plan --root "$R" --driver none --json
is "no driver's operation" "no_driver" "$(jq -r '.methods[] | select(.method == "modify_qp")
	| .indirect[] | select(.function == "_ib_modify_qp") | .resolved_by' "$T/out")"

# A module without type information, behind one that has it.
cp "$M/kernel/ib_uverbs.ko" "$T/whole"
objcopy -R .BTF "$M/kernel/ib_uverbs.ko" 2>>"$T/gcc"
gives "a module without types" 0 "" "$XPT" rdma plan --root "$R" --driver fake_ib --json
is "its pointers are not guessed" "?+0x180 unresolved 0" \
	"$(jq -r '.methods[] | select(.method == "resize_cq") | .indirect[]
		| select(.function == "ib_uverbs_resize_cq") | "\(.member) \(.resolved_by) \(.targets)"' "$T/out")"
mv "$T/whole" "$M/kernel/ib_uverbs.ko"

# No module has them, as those that are built outside of the kernel's tree. Then operations are known by what
# drivers hand to ib_set_device_ops, and by what that copies.
N=$T/untyped/lib/modules/6.1.0-fake/kernel
mkdir -p "$N/drivers/infiniband/hw/fake"
compile ib_core "$N/ib_core.ko" -DFAKE_SETTER
compile ib_uverbs "$N/ib_uverbs.ko"
compile fake_ib "$N/drivers/infiniband/hw/fake/fake_ib.ko" -DFAKE_SETTER
objcopy -R .BTF "$N/ib_core.ko" && objcopy -R .BTF "$N/ib_uverbs.ko" &&
	objcopy -R .BTF "$N/drivers/infiniband/hw/fake/fake_ib.ko"
untyped() { "$XPT" rdma plan --root "$T/untyped" --driver fake_ib --json >"$T/plan" 2>"$T/plan.err" </dev/null; }
untyped
is "types are gone" "false" "$(jq -r '[.modules[].btf] | unique[]' "$T/plan")"
is "an operation without types" "ib_device_ops+0x158 offset 1" \
	"$(of modify_qp '.indirect[] | select(.function == "_ib_modify_qp") | "\(.member) \(.resolved_by) \(.targets)"')"
is "... of an object whose type nobody knows" "ib_device_ops+0x178 offset 1" \
	"$(of resize_cq '.indirect[] | select(.function == "ib_uverbs_resize_cq") | "\(.member) \(.resolved_by) \(.targets)"')"
is "the driver's functions have probes" "root kept" \
	"$(rule query_qp ib_uverbs_query_qp) $(rule query_qp fake_query_qp)"
is "a table that no driver hands over is no target" "" "$(rule modify_qp fake_stranger)"
compile ib_core "$N/ib_core.ko"
objcopy -R .BTF "$N/ib_core.ko"
untyped
is "nothing is guessed where the core copies none" "?+0x160 unresolved 0" \
	"$(of modify_qp '.indirect[] | select(.function == "_ib_modify_qp") | "\(.member) \(.resolved_by) \(.targets)"')"

plan --driver fake_ib --json --method modify_qp --depth 2
is "depth" "ib_modify_qp_with_udata ib_uverbs_modify_qp modify_qp rdma_lookup_get_uobject uverbs_request" "$(kept modify_qp)"
is "a method and its newer form" "modify_qp ex_modify_qp" "$(jq -r '[.methods[].method] | join(" ")' "$T/plan")"
plan --driver fake_ib --json --method modify_qp --budget 5
is "budget" "5 budget" "$(of modify_qp .kept) $(rule modify_qp rdma_get_gid_attr)"
plan --driver fake_ib --json --method destroy_qp
is "words in any order" QP_DESTROY "$(jq -r '[.methods[].method] | join(" ")' "$T/plan")"
plan --driver fake_ib --method modify_qp -v
holds "text fits 80 columns" awk 'length > 80 { exit 1 }' "$T/plan"
holds "text has what is normal" grep -q 'the driver has no such operation' "$T/plan"
holds "text has the reason" grep -q ' R5 *reference counting$' "$T/plan"

plan --driver fake_ib
holds "text names the data path" grep -q '^data path, only watched if it is named:$' "$T/plan"
is "with its methods" "   poll_cq" "$(sed -n '/^data path/{n;p;}' "$T/plan")"

# Options of former versions, which kept analyses, are accepted.
plan --driver fake_ib --json
cp "$T/plan" "$T/whole"
plan --driver fake_ib --json --no-cache
holds "--no-cache changes nothing" cmp -s "$T/whole" "$T/plan"

# What the running kernel says of itself.
mkdir -p "$R/sys/kernel/tracing" "$R/proc"
printf 'ib_core 1 0 - Live 0x0\nib_uverbs 1 0 - Live 0x0\nfake_ib 1 0 - Live 0x0\n' >"$R/proc/modules"
{
	echo dma_resv_wait_timeout
	for f in ib_umem_dmabuf_map_pages wait_fence _ib_modify_qp rdma_get_gid_attr; do
		echo "$f [ib_core]"
	done
	for f in ib_uverbs_modify_qp modify_qp ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR; do
		echo "$f [ib_uverbs]"
	done
	echo 'fake_modify_qp [fake_ib]'
} >"$R/sys/kernel/tracing/available_filter_functions"
printf '0 t modify_qp\t[ib_uverbs]\n0 t modify_qp\t[fake_ib]\n0 t fake_modify_qp\t[fake_ib]\n' >"$R/proc/kallsyms"
plan --json
is "the loaded driver is taken" "ib_core ib_uverbs fake_ib" "$(jq -r '[.modules[].module] | join(" ")' "$T/plan")"
is "what the kernel cannot trace goes" "R2 entry" "$(rule modify_qp uverbs_request) $(rule modify_qp ib_uverbs_cmd_verbs | sed 's/R2/entry/')"
is "a name that exists twice" "kretprobe name exists twice" \
	"$(of modify_qp '.functions[] | select(.function == "modify_qp") | "\(.attach) \(.attach_reason)"')"
is "a boundary function" boundary "$(rule REG_DMABUF_MR dma_resv_wait_timeout)"

# Packed files, and those that are none.
rm -r "$R/proc" "$R/sys"
if command -v xz >/dev/null; then
	xz --check=crc32 "$M/kernel/ib_core.ko"
	plan --driver fake_ib --json
	if grep -q 'this build' "$T/plan.err"; then
		echo "skip rdma plan: .ko.xz: built without liblzma"
		unxz "$M/kernel/ib_core.ko.xz"
	else
		holds "a packed module" cmp -s "$T/whole" "$T/plan"
		head -c 900 "$M/kernel/ib_core.ko.xz" >"$T/cut" && cp "$T/cut" "$M/kernel/ib_core.ko.xz"
		gives "a cut packed module" 1 "damaged" "$XPT" rdma plan --root "$R" --driver fake_ib
		rm "$M/kernel/ib_core.ko.xz"
		compile ib_core "$M/kernel/ib_core.ko"
	fi
fi
compile ib_core "$T/core.ko" && head -c 3000 "$T/core.ko" >"$M/kernel/ib_core.ko"
gives "a cut module" 1 "damaged" "$XPT" rdma plan --root "$R" --driver fake_ib
rm "$M/kernel/ib_core.ko"
gives "no ib_core" 3 "no module ib_core" "$XPT" rdma plan --root "$R"
compile ib_core "$M/kernel/ib_core.ko"
gives "no such driver" 3 "no module nothing" "$XPT" rdma plan --root "$R" --driver nothing
gives "no such method" 3 "did you mean modify_qp" "$XPT" rdma plan --root "$R" --method modify_pq
mkdir "$R/lib/modules/7.0-other"
gives "several kernels" 1 "--release" "$XPT" rdma plan --root "$R"
gives "one of them" 0 "" "$XPT" rdma plan --root "$R" --release 6.1.0-fake
mkdir "$T/empty"
gives "an empty place" 1 "lib/modules" "$XPT" rdma plan --root "$T/empty"

# A tree that a stranger made: nothing outside of it is read, nothing waits, holes cost nothing.
S=$T/stranger/lib/modules/6.1.0-fake
mkdir -p "$S/kernel" "$T/outside"
cp -r "$M/kernel/." "$T/outside/"
# AddressSanitizer reserves terabytes of addresses for its shadow memory.
limit="prlimit --as=2000000000"
grep -q __asan_init "$XPT" && limit=
stranger="$limit $XPT rdma plan --root $T/stranger --driver none"
# shellcheck disable=SC2086 # a command with its options
stranger() { gives "$1" "$2" "$3" $stranger; }
ln -s "$T/outside/ib_core.ko" "$S/kernel/ib_core.ko"
stranger "a link out of the tree" 3 "no module ib_core"
rm "$S/kernel/ib_core.ko"
mkfifo "$S/kernel/ib_core.ko"
stranger "a pipe as a module" 1 "cannot read"
rm "$S/kernel/ib_core.ko"
cp "$M/kernel/ib_core.ko" "$S/kernel/ib_core.ko"
truncate -s 1T "$S/kernel/ib_core.ko"
stranger "a module of holes" 1 "larger than modules are"
cp "$M/kernel/ib_core.ko" "$M/kernel/ib_uverbs.ko" "$S/kernel/"
mkdir -p "$T/stranger/proc" "$T/stranger/sys/kernel/tracing" "$T/stranger/boot"
mkfifo "$T/stranger/proc/modules" "$T/stranger/sys/kernel/tracing/available_filter_functions" \
	"$T/stranger/boot/vmlinuz-6.1.0-fake"
stranger "pipes as lists" 0 ""
rm "$T/stranger/proc/modules"
truncate -s 1T "$T/stranger/proc/modules" "$T/stranger/proc/kallsyms"
stranger "lists of holes" 0 ""
rm "$T/stranger/proc/modules" "$T/stranger/proc/kallsyms"
mv "$T/stranger/lib" "$T/moved"
ln -s "$T/moved" "$T/stranger/lib"
stranger "a folder that is a link out of the tree" 1 "holds no lib/modules"
rm "$T/stranger/lib"
mkdir "$T/stranger/elsewhere"
mv "$T/moved" "$T/stranger/elsewhere/lib"
ln -s /elsewhere/lib "$T/stranger/lib"
stranger "a link that means the tree" 0 ""
gives "no subcommand" 2 "did you mean plan" "$XPT" rdma plain
gives "no process to watch" 3 "process 2147483646 does not exist" "$XPT" rdma watch -p 2147483646
gives "a state of no queue pair" 2 "leads to RESET, INIT, RTR" "$XPT" rdma watch --deep modify_qp:RTX
gives "a state of something else" 2 "only calls of modify_qp" "$XPT" rdma watch --deep auto:reg_mr:RTR
gives "which subcommand" 2 "rdma what" "$XPT" rdma
gives "what there is" 0 "" "$XPT" rdma --help
gives "bad depth" 2 "no number" "$XPT" rdma plan --depth x

# Real kernels: what RDMATracer traces below modify_qp, and the counts of the reference analysis.
talk="modify_qp rdma_lookup_get_uobject _ib_modify_qp rdma_lag_get_ah_roce_slave rdma_get_gid_attr alloc_and_bind rdma_counter_bind_qp_auto"
if [ -z "${XPT_RDMA_ROOTS:-}" ]; then
	echo "skip rdma plan: real kernels: none named by XPT_RDMA_ROOTS"
	exit $failed
fi
for v in 6.1 6.12 7.2; do
	R=$XPT_RDMA_ROOTS/$v
	[ -d "$R" ] || { echo "skip rdma plan $v: no $R"; continue; }
	for d in none rdma_rxe mlx5_ib; do
		plan --driver $d --json || { not_ok "$v $d" "$(head -n 1 "$T/plan.err")"; continue; }
		missing=
		for f in $talk; do
			[ "$(of modify_qp "[.functions[] | select(.function == \"$f\" and .kept)] | length")" = 1 ] ||
				missing="$missing $f"
		done
		is "$v $d: what the talk names is kept" "" "$missing"
		is "$v $d: resolving the address" 1 "$(of modify_qp '[.functions[]
			| select((.function | startswith("ib_resolve_eth_dmac")) and .kept)] | length')"
		is "$v $d: most indirect calls have a target" true "$(jq '[.methods[].indirect[]] | unique
			| ([.[] | select(.resolved_by == "unresolved")] | length) < 0.2 * length' "$T/plan")"
	done
done
exit $failed
