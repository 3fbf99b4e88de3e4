#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# needs: bpf jq python3 kallsyms
#
# Kernel functions as far as any machine goes: listing them, and being told why
# where they cannot be traced. Real traces of them are in tests/vm.
. tests/bpf/lib.sh
need_bpf

"$XPT" doctor >"$T/doctor" 2>&1
first=$(sed -n 's/^ok *kernel \([a-z-]*\) .* <- first$/\1/p' "$T/doctor")
uprobe=$(sed -n 's/^ok *uprobe \([a-z]*\) .*<- in use.*/\1/p' "$T/doctor")
ioctls=$(sed -n 's/^ok *ioctls *by //p' "$T/doctor")
echo "note $(uname -r), natively: libraries by $uprobe | ioctls by $ioctls | kernel functions by ${first:-nothing}"
is kinds 6 "$(grep -c '^\(ok\|--\) *kernel [a-z-]* *\(one program\|one link\|a program\|a perf event\)' "$T/doctor")"

"$XPT" list --json 'kernel:vmlinux:vfs_read' >"$T/list.json" 2>"$T/why"
is list 0 $?
is listed "vfs_read vmlinux" "$(jq -r '.[] | "\(.function) \(.module)"' "$T/list.json")"
is prototype true "$(jq '.[].prototype | startswith("ssize_t (struct file *")' "$T/list.json")"
if [ -n "$first" ]; then
	is attach "$first" "$(jq -r '.[].attach' "$T/list.json")"
else
	is attach null "$(jq -r '.[].attach' "$T/list.json")"
	is says_none 1 "$(grep -c 'no way of attaching to kernel functions works here' "$T/why")"
fi
"$XPT" list 'kernel:vmlinux:vfs_reed' >"$T/out" 2>"$T/why"
is near "3 1" "$? $(grep -c "no kernel function matches 'kernel:vmlinux:vfs_reed': did you mean vfs_read" "$T/why")"
"$XPT" list 'kernel:no_such_module:*' >"$T/out" 2>"$T/why"
is no_module "3 1" "$? $(grep -c "no module 'no_such_module' is loaded" "$T/why")"
"$XPT" list -d cuda 'kernel:*' >"$T/out" 2>"$T/why"
is no_domain 2 $?
if command -v setpriv >/dev/null 2>&1; then
	chmod 755 "$T"
	setpriv --reuid 65534 --clear-groups "$XPT" list -v 'kernel:vmlinux:vfs_read' >"$T/out" 2>"$T/why"
	is nobody "0 1" "$? $(grep -c 'without root it is not known' "$T/why")"
fi

# Asked for in a trace.
run() { "$XPT" run --as-root --no-file --no-summary -q "$@" -- true >"$T/out" 2>"$T/why"; }
run -k vmlinux:vfs_read
is with_others 0 $?
run --layers driver -k vmlinux:vfs_read
status=$?
if [ -n "$first" ]; then
	is alone 0 $status
else
	is alone "4 1" "$status $(grep -c 'functions of the kernel cannot be traced here' "$T/why")"
	"$XPT" hook -e 'kernel:vmlinux:vfs_read count' -- true >"$T/out" 2>"$T/why"
	is hook "3 1 1" "$? $(grep -c 'functions of the kernel cannot be traced here' "$T/why") $(grep -c \
		"hook kernel:vmlinux:vfs_read: no function of the kernel that matches 'vfs_read' could be traced" "$T/why")"
	run -k vmlinux:vfs_read --kernel-attach kprobe
	is forced "4 1" "$? $(grep -c 'cannot be traced by kprobe here' "$T/why")"
fi
run -k 'vmlinux:*'
is too_many "2 1" "$? $(grep -c 'functions of the kernel match, more than 1000' "$T/why")"
run -k 'vmlinux:vfs_read*' --kernel-max 1
is own_limit "2 1" "$? $(grep -c 'functions of the kernel match, more than 1:' "$T/why")"
run -k vmlinux:vfs_read --kernel-max 3001
is limit_of_limit 2 $?
run -k vmlinux:vfs_reed
is no_function "3 1" "$? $(grep -c 'did you mean vfs_read' "$T/why")"
run -k no_such_module:f
is later 1 "$(grep -c "no module matches 'no_such_module:f' yet" "$T/why")"
run -f kernel:vmlinux:vfs_read
is wrong_option "2 1" "$? $(grep -c -- "-k vmlinux:vfs_read" "$T/why")"
exit $failed
