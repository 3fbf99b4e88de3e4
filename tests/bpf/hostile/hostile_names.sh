#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq python3 user_namespace
#
# A stranger maps the very library that others use, under the name of another one: with a user
# namespace of his own he can mount it wherever he likes. Who comes after him is seen to the
# call, whether the library says itself what it is (DT_SONAME) or not.
. tests/bpf/lib.sh
need_bpf
U=65534
chmod 755 "$T"
cp "$(command -v sleep)" "$T/stranger"

# Maps $1 as /mnt/$2: its name in /proc/PID/maps.
stranger() {
	# shellcheck disable=SC2016 # for the shell inside
	setpriv --reuid $U --regid $U --clear-groups unshare -Urm sh -c '
		mount -t tmpfs x /mnt && touch "/mnt/$2" && mount --bind "$1" "/mnt/$2" &&
			LD_PRELOAD="/mnt/$2" exec "$3" 300' sh "$1" "$2" "$T/stranger" &
	stranger=$!
}
maps() { # PID NAME
	grep -q "$2" "/proc/$1/maps"
}
# NAME: a program beside the stranger, with the library that he has mapped; somebody else has
# mapped it too, so that its probes are there before the first call.
observe() {
	LD_PRELOAD=$T/$1/libcuda.so.1 sleep 300 &
	other=$!
	wait_for maps $other libcuda
	"$XPT" attach --all -q -v -o "$T/$1.xtr" -o "$T/$1.jsonl" >"$T/$1.summary" 2>"$T/$1.stderr" &
	tracer=$!
	wait_for in_place "$T/$1.stderr"
	LD_LIBRARY_PATH=$T/$1 XPT_TRUTH=$T/$1.truth "$E/late_dlopen" --delay 0 --iterations 50 >/dev/null 2>&1
	kill -INT $tracer
	wait $tracer
	is "$1_calls" "$(jq '[.calls[]] | add' "$T/$1.truth")" \
		"$(jq -r --argjson pid "$(jq .pid "$T/$1.truth")" 'select(.pid == $pid) | .name' "$T/$1.jsonl" | wc -l)"
	kill $stranger $other
}

# What a library says of its own name, no more (the tag becomes DT_DEBUG).
forget_soname() {
	python3 - "$1" <<'END'
import struct
import sys
with open(sys.argv[1], "r+b") as f:
    data = bytearray(f.read())
    phoff, phnum = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    for i in range(phnum):
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", data, phoff + 56 * i)
        for at in range(offset, offset + size, 16) if kind == 2 else ():
            if struct.unpack_from("<Q", data, at)[0] == 14:
                struct.pack_into("<Q", data, at, 21)
    f.seek(0)
    f.write(data)
END
}

for name in with_soname without_soname; do
	mkdir "$T/$name"
	cp "$B/fake/libcuda.so.1" "$T/$name"
	[ $name = with_soname ] || forget_soname "$T/$name/libcuda.so.1"
	chmod -R a+rX "$T/$name"
	stranger "$T/$name/libcuda.so.1" libnccl.so.2
	wait_for maps $stranger libnccl.so.2
	observe $name
done
exit $failed
