#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq python3 user_namespace fuse
#
# A stranger makes whoever looks at his processes wait for a file system of his own that never answers: with
# names that lie there, a library on an overlay above it, a command line that lies there, a lock of his mappings
# that waits for it. xputrace sees the others' calls to the last one, and ends when it is told to.
. tests/bpf/lib.sh
need_bpf
U=65534
chmod 755 "$T"
mkdir "$T/theirs" "$T/fake"
cp "$B/fake/libcuda.so.1" "$T/fake"
cp "$W/slow_memory" "$T/theirs/stranger"
mkdir "$T/theirs/mount"
chmod -R a+rX "$T/theirs" "$T/fake"
chown -R $U "$T/theirs"
# Most machines let everybody open it; where only root may, the stranger gets one of his own.
if ! setpriv --reuid $U --regid $U --clear-groups test -w /dev/fuse && [ -c /dev/fuse ]; then
	FUSE_DEVICE=$T/theirs/fuse
	export FUSE_DEVICE
	mknod -m 666 "$FUSE_DEVICE" c "$((0x$(stat -c %t /dev/fuse)))" "$((0x$(stat -c %T /dev/fuse)))"
fi
padding=$(head -c 9000 /dev/zero | tr '\0' x)
stranger() { # SECONDS HOW
	exec timeout --foreground -s KILL $(($1 + 5)) setpriv --reuid $U --regid $U --clear-groups unshare -Urm \
		"$T/theirs/stranger" "$T/fake/libcuda.so.1" "$T/theirs/mount" "$1" "$2" "$padding"
}
if ! (stranger 0 name) >/dev/null 2>&1; then
	echo "skip hostile_memory: no other user, no namespaces or no FUSE can be had here"
	exit 0
fi

# Somebody has the library all the time, so that it is known.
LD_PRELOAD=$T/fake/libcuda.so.1 sleep 600 &
holder=$!

# A stranger who is there before the trace, or comes while it runs. His file system has to end first: what waits for it
# cannot be killed.
attack() { # HOW before|after
	how=$1
	rm -f "$T"/t.* "$T/truth" "$T/stderr"	# a word of the trace before would be taken for this one's
	[ "$2" = after ] || begin
	"$XPT" attach --all -q -v -o "$T/t.xtr" -o "$T/t.jsonl" >"$T/summary" 2>"$T/stderr" &
	tracer=$!
	holds "${how}_$2_in_place" wait_for in_place "$T/stderr"
	[ "$2" = before ] || begin
	holds "${how}_$2_met" wait_for is_met
	LD_LIBRARY_PATH=$T/fake XPT_TRUTH=$T/truth "$E/late_dlopen" --delay 0 --iterations 50 >/dev/null 2>&1
	kill -INT $tracer
	holds "${how}_$2_ends" wait_for ended $tracer
	kill -KILL "$(sed 's/ready //' "$T/began")" $tracer 2>/dev/null
	kill $stranger
	wait $tracer $stranger
	is "${how}_$2_calls" "$(jq '[.calls[]] | add' "$T/truth")" \
		"$(jq -r --argjson pid "$(jq .pid "$T/truth")" 'select(.pid == $pid) | .name' "$T/t.jsonl" | wc -l)"
}
begin() {
	rm -f "$T/began"
	stranger 300 "$how" >"$T/began" 2>"$T/why" &
	stranger=$!
	holds "${how}_begins" wait_for grep -q ready "$T/began"
}
# Names are asked for with the first call: one that the tracer has told of, or that it hangs at.
is_met() {
	[ "$how" != name ] || grep -q "cannot be read in time" "$T/stderr" || grep -q folio_wait "/proc/$tracer/wchan"
}
for how in name overlay arguments mappings; do
	attack $how before
	attack $how after
done

# Nothing of a user is read for a while after a read that took too long. His other programs are seen again once that is
# over, though nothing about them changes any more.
how=name
rm -f "$T"/t.* "$T/stderr"
mkdir "$T/theirs/copy"
cp "$B/fake/libcuda.so.1" "$T/theirs/copy"
cc -x c -o "$T/theirs/late" - <<END
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int version, (*fn)(int *) = (int (*)(int *))dlsym(dlopen(argv[argc - 1], RTLD_NOW), "cuDriverGetVersion");

	for (;;) {
		fn(&version);
		usleep(50000);
	}
}
END
chown -R $U "$T/theirs/copy"
"$XPT" attach --all -q -v -o "$T/t.jsonl" >"$T/summary" 2>"$T/stderr" &
tracer=$!
holds later_in_place wait_for in_place "$T/stderr"
begin
holds later_met wait_for grep -q "cannot be read in time" "$T/stderr"
setpriv --reuid $U --regid $U --clear-groups "$T/theirs/late" "$T/theirs/copy/libcuda.so.1" &
late=$!
holds later_refused wait_for grep -q "copy/libcuda.so.1 of process $late is not traced" "$T/stderr"
kill -KILL "$(sed 's/ready //' "$T/began")"
kill $stranger
holds later_seen wait_for grep -q "\"cuDriverGetVersion\".*\"pid\":$late," "$T/t.jsonl"
kill $late
kill -INT $tracer
holds later_ends wait_for ended $tracer
wait $tracer $stranger $late
kill $holder
exit $failed
