#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq python3 user objcopy
#
# A stranger's files where xputrace looks for libraries and debug information: pipes in their
# places are not opened, and links lead out of nobody's root. Whoever opens a pipe
# for reading, even without waiting, lets a writer go on who waits for one.
. tests/bpf/lib.sh
need_bpf
U=65534
as_user() {
	setpriv --reuid $U --regid $U --clear-groups "$@"
}
chmod 755 "$T"
mkdir -p "$T/theirs/.debug" "$T/jail/lib"

# A program without symbols that names its debug file; that is a pipe, in both places.
cp "$W/stacks" "$T/theirs/stranger"
strip "$T/theirs/stranger"
echo x >"$T/theirs/names"
objcopy --remove-section .note.gnu.build-id --add-gnu-debuglink="$T/theirs/names" "$T/theirs/stranger"
rm "$T/theirs/names"
mkfifo "$T/theirs/names" "$T/theirs/.debug/names" "$T/outside"
chmod 666 "$T/outside"
chown -R $U "$T/theirs"
writers=
for pipe in theirs/names theirs/.debug/names outside; do
	as_user sh -c ': >"$1"; echo "$1" >>"$2"' - "$T/$pipe" "$T/theirs/opened" &
	writers="$writers $!"
done
waits() { # each of them, as far as can be seen: a shell that opens its pipe
	[ "$(pgrep -u $U -fc "$T/theirs/opened")" = 3 ]
}
holds writers_wait wait_for waits

mkdir "$T/all"
"$XPT" attach --all -q -v --stacks -o "$T/all/t.xtr" -o "$T/all/t.jsonl" >"$T/all/summary" 2>"$T/all/stderr" &
tracer=$!
wait_for in_place "$T/all/stderr"
as_user "$T/theirs/stranger" --iterations 20 >/dev/null 2>"$T/stranger"
is stranger 0 $?
has_stacks() {
	grep -q '"stack":\["stranger' "$T/all/t.jsonl"
}
holds stacks wait_for has_stacks
kill -INT $tracer
wait $tracer
is status 0 $?
is opened "" "$(cat "$T/theirs/opened" 2>/dev/null)"

# What a process of another root names, `list` looks for below that root.
mkdir "$T/jail/lib/in" "$T/jail/lib/out" "$T/jail/lib/pipe"
cp "$B/fake/libcuda.so.1" "$T/jail/lib"
ln -s /lib/libcuda.so.1 "$T/jail/lib/in"
ln -s "$B/fake/libcuda.so.1" "$T/jail/lib/out"
ln -s "$T/outside" "$T/jail/lib/pipe/libcuda.so.1"
python3 -c '
import os, sys, time
os.chroot(sys.argv[1])
os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
print("there", flush=True)
time.sleep(600)' "$T/jail" >"$T/there" &
jailed=$!
holds jailed wait_for grep -q there "$T/there"
lists() { # NAME
	"$XPT" list --lib "/proc/$jailed/root/lib/$1/libcuda.so.1" 2>/dev/null | grep -c '^cuInit'
}
is link_inside 1 "$(lists in)"
is link_out 0 "$(lists out)"
is link_to_pipe 0 "$(lists pipe)"
is opened_after "" "$(cat "$T/theirs/opened" 2>/dev/null)"
kill $jailed $writers 2>/dev/null
pkill -u $U -f "$T/theirs/opened"
exit $failed
