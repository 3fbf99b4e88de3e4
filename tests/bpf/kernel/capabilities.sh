#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
# uses: sdt
#
# The capabilities that xputrace has while it traces: those of its list and no others, and with
# them it still attaches to what comes late, of another user and from another mount namespace. The
# traced command has what it would have without.
. tests/bpf/lib.sh
need_bpf

# has PID SET BIT: whether that set of the process has the capability
has() {
	mask=$(sed -n "s/^$2:\t//p" "/proc/$1/status")
	[ $((0x$mask >> $3 & 1)) = 1 ]
}
dropped() { # PID: none of those that nothing here needs is in any set
	for set in CapEff CapPrm CapBnd; do
		for bit in $never; do
			! has "$1" $set "$bit" || return 1
		done
	done
	grep -q '^NoNewPrivs:	1$' "/proc/$1/status"
}
never="4 8 9 10 11 12 13 15 16 17 18 20 22 25 26 27 28 29 30 31 32 33 35 36 37"	# CAP_SYS_MODULE: 16 ...
admin=21

# --- the command -------------------------------------------------------------------------------
grep -E '^(Cap|NoNew)' /proc/self/status >"$T/untraced"
"$XPT" run -q --as-root --no-file --no-summary -- grep -E '^(Cap|NoNew)' /proc/self/status >"$T/traced" 2>"$T/err"
holds command_has_its_own cmp "$T/untraced" "$T/traced"

# --- attach: late, of others ---------------------------------------------------------------------
mkdir -p "$T/all"
"$XPT" attach --all -v -q --no-summary -o "$T/all/t.xtr" >/dev/null 2>"$T/all/stderr" &
tracer=$!
holds in_place wait_for in_place "$T/all/stderr"
holds attach_dropped dropped $tracer
chmod 755 "$T"
late() { # NAME COMMAND...: on a copy of the library that nobody had mapped before, until its calls are seen
	name=$1
	shift
	cp -r "$B/fake" "$T/$name.fake"
	LD_LIBRARY_PATH="$T/$name.fake" "$@" --iterations 1000000 --until "$T/$name.end" >"$T/$name.out" 2>&1 &
	late=$!
	holds "late_$name" wait_for is_seen "late-$name"
	: >"$T/$name.end"
	wait $late || not_ok "late_${name}_ends" "$(tail -n 1 "$T/$name.out")"
}
# attach holds nobody: the very first calls of a library that comes late may be missed
is_seen() { # PROCESS
	[ "$("$XPT" report --json --all "$T/all/t.xtr" 2>/dev/null |
		jq --arg c "$1" '[.processes[]? | select(.process == $c) | .calls] | add // 0')" -gt 50 ]
}
cp "$E/train" "$T/late-own"
late own "$T/late-own"
if setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null; then
	cp "$E/train" "$T/late-other"
	late other setpriv --reuid 65534 --regid 65534 --clear-groups "$T/late-other"
fi
if unshare -m true 2>/dev/null; then
	cp "$E/train" "$T/late-apart"
	late apart unshare -m "$T/late-apart"
fi
holds still_dropped dropped $tracer
fine=$(has $tracer CapPrm 40 && echo y)
if [ -n "$fine" ] && ! grep -qs 'attach kind multi does not work' "$T/all/stderr"; then
	holds no_admin eval "! has $tracer CapEff $admin"
fi
kill -INT $tracer
wait $tracer

# --- spdk record: looks at the files of one process and keeps what reading on takes ------------------
tgt=$B/fake/spdk_tgt_new
if [ "$(XPT_TRUTH=/dev/stdout "$tgt" -n 1 | jq .has_probes)" = true ]; then
	(cd "$T" && exec "$tgt" -g go -w 1 -r 3 -n 20 -T t.json -R want.rec -E want.txt -l) >/dev/null 2>&1 &
	target=$!
	holds target_ready wait_for test -r "$T/t.json"
	"$XPT" spdk record -p $target -o "$T/qp.txt" 2>"$T/rec.err" &
	tracer=$!
	holds records wait_for grep -q recording "$T/rec.err"
	holds record_dropped dropped $tracer
	: >"$T/go"
	wait $target
	wait $tracer
	is record_status 0 $?
else
	echo "skip record_dropped: the target has no probes, sys/sdt.h is not installed"
fi

# --- run: a library that comes late, to the call ---------------------------------------------------
XPT_TRUTH=$T/dlopen.truth "$XPT" run --as-root -v -q --no-summary -o "$T/dlopen.xtr" -- "$E/late_dlopen" >"$T/out" 2>"$T/run.err" ||
	not_ok run "$(tail -n 1 "$T/run.err")"
"$XPT" report --json "$T/dlopen.xtr" >"$T/dlopen.json"
holds run_late test "$(jq .summary.calls "$T/dlopen.json")" -gt 0
exit $failed
