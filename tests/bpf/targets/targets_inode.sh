#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 240
# needs: bpf jq python3
# uses: overlay
#
# One file, many names: overlays that share a layer, hard links, bind mounts,
# other mount namespaces and roots. Each call is counted once. And names whose
# file changes: a library that is replaced, truncated or damaged.
. tests/bpf/lib.sh
need_bpf

libs() { # NAME: libraries that were attached
	python3 -c 'import sys; sys.path.insert(0, "tests/bpf"); import xtr
print(xtr.Recording(sys.argv[1]).nr_libs)' "$T/$1/t.xtr"
}

seen() { # NAME
	grep -c '"phase"' "$T/$1/t.jsonl"
}

# both NAME COMMAND...: commands that load the library in $at, which is found
# before they start, and make 43 calls each, all counted once.
both() {
	name=$1 script=''
	shift
	for command; do
		script="$script $command --delay 5 --iterations 20 & wait \$!;"
	done
	LD_LIBRARY_PATH=$at trace "$name" --domain cuda -- sh -c "$script"
	is "$name" $(($# * 43)) "$(seen "$name")"
	is "${name}_truth" $(($# * 43)) "$(jq -s 'map(.calls[]) | add' "$T/$name/truth")"
	is "${name}_total" $(($# * 43)) "$(field "$name" '[.functions[].calls] | add')"
	is "${name}_lib" 1 "$(libs "$name")"
}
load="$E/late_dlopen --library"

# --- mounts: overlays that share a layer, as containers of one image do --------------
in_mounts() {
	at=$T/layer
	mkdir "$T/layer" "$T/up" "$T/work" "$T/bind"
	cp "$B/fake/libcuda.so.1" "$T/layer/"
	for i in 1 2; do
		mkdir "$T/up/$i" "$T/work/$i" "$T/root$i"
		mount -t overlay overlay -o \
			"lowerdir=$T/layer,upperdir=$T/up/$i,workdir=$T/work/$i" "$T/root$i" || return
	done
	both overlay "$load $T/root1/libcuda.so.1" "$load $T/root2/libcuda.so.1"
	at=$T/root2
	both overlay_and_layer "$load $T/root1/libcuda.so.1" "$load $T/layer/libcuda.so.1"
	mount --bind "$T/layer" "$T/bind" || return
	both bind "$load $T/bind/libcuda.so.1" "$load $T/layer/libcuda.so.1"
	both namespace "unshare -m $load $T/bind/libcuda.so.1" "$load $T/layer/libcuda.so.1"
	mkdir -p "$T/root1/$T"
	mount --bind "$T" "$T/root1/$T"
	for dir in usr lib lib64; do
		mkdir -p "$T/root1/$dir"
		mount --rbind "/$dir" "$T/root1/$dir"
	done
	cp "$E/late_dlopen" "$T/root1/"
	both chroot "chroot $T/root1 /late_dlopen --library /libcuda.so.1" \
		"$load $T/layer/libcuda.so.1"
}

if [ "${1-}" = mounts ]; then
	in_mounts || { echo "skip mounts: no overlay here"; exit 0; }
	exit $failed
fi
if unshare -m true 2>/dev/null; then
	unshare -m sh "$0" mounts || failed=1
else
	echo "skip mounts: no mount namespace of our own here"
fi

# --- names of one file system -----------------------------------------------------------
at=$T
cp "$B/fake/libcuda.so.1" "$T/libcuda.so.1"
mkdir "$T/other"
ln "$T/libcuda.so.1" "$T/other/libcuda.so"
both hard_link "$load $T/libcuda.so.1" "$load $T/other/libcuda.so"
ln -s "$T/other" "$T/link"
both symlink "$load $T/libcuda.so.1" "$load $T/link/libcuda.so"

# --- a file that changes while it is attached -----------------------------------------
# Replaced by another under its name: those who have the old one go on with it.
# The two programs run at once, until calls of both were seen. An allocation takes 2 ms,
# so that all calls can be written.
busy="$E/late_dlopen --iterations 100000000 --library $T/libcuda.so.1 --delay 5 --until $T/both_seen"
calls_of() { # TRUTH
	jq '[.calls[]] | add' "$1"
}
seen_of() { # TRUTH: calls of that process
	jq -s --argjson p "$(jq .pid "$1")" 'map(select(.phase and .pid == $p)) | length' "$T/replaced/t.jsonl"
}
cat >"$T/replace.sh" <<-'END'
	until_seen() { # PID
		until grep -q "\"cuMemFree_v2\",.*\"pid\":$1," "$T/replaced/t.jsonl"; do sleep 0.1; done
	}
	XPT_TRUTH=$T/first $busy &
	until_seen $!
	cp "$T/libcuda.so.1" "$T/new"
	mv "$T/new" "$T/libcuda.so.1"
	XPT_TRUTH=$T/second $busy &
	until_seen $!
	: >"$T/both_seen"
	wait
END
export T busy XPT_FAKE_LATENCY=cuMemAlloc_v2=2ms
LD_LIBRARY_PATH=$T trace replaced --domain cuda -- sh "$T/replace.sh"
unset XPT_FAKE_LATENCY
is replaced_libs 2 "$(libs replaced)"
first=$(calls_of "$T/first") second=$(calls_of "$T/second") got=$(seen_of "$T/second")
echo "# old library $first calls, new one $second, $got of them seen"
is replaced_old_goes_on "$first" "$(seen_of "$T/first")"
holds replaced_new_seen test "$got" -gt 2 -a "$got" -le "$second"
# From the first call that is seen on none is missed: allocations and frees take turns.
is replaced_new_no_gap "" "$(jq -r --argjson p "$(jq .pid "$T/second")" \
	'select(.pid == $p and (.class == "alloc" or .class == "free")) | .class' "$T/replaced/t.jsonl" | uniq -d)"
is replaced_total $((first + got)) "$(field replaced '[.functions[].calls] | add')"

# Gone from its name before anybody attached.
rm "$T/both_seen"
$busy --seconds 250 >/dev/null 2>&1 &
pid=$!
has_library() { grep -q "$T/libcuda" "/proc/$pid/maps"; }
wait_for has_library
cp "$T/libcuda.so.1" "$T/new"
mv "$T/new" "$T/libcuda.so.1"
"$XPT" attach -q --no-summary -p $pid --domain cuda -o "$T/gone.jsonl" >/dev/null 2>&1 &
tracer=$!
has_calls() { [ -s "$T/gone.jsonl" ] && [ "$(grep -c '"phase"' "$T/gone.jsonl")" -gt 100 ]; }
holds deleted_file wait_for has_calls
kill -INT $tracer
wait $tracer
kill $pid

# Mapped as a library, and no library: an error of that file alone. One is cut
# short while it is attached, the others are damaged from the start.
cat >"$T/map.py" <<'P'
import mmap, os, sys, time
held = []
for path in sys.argv[2:]:
    f = os.open(path, os.O_RDWR)
    held.append(mmap.mmap(f, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC))
    if "short" in path:
        with open(path, "rb") as whole:
            data = whole.read()
        while held[-1][:] == data:  # until it has breakpoints
            time.sleep(0.01)
        os.ftruncate(f, 1000)
open(sys.argv[1] + ".mapped", "w").close()
while not os.path.exists(sys.argv[1] + ".end"):
    time.sleep(0.01)
P
mkdir "$T/short" "$T/garbage" "$T/header"
cp "$T/libcuda.so.1" "$T/short/libcuda.so.1"
head -c 65536 /dev/zero | tr '\0' 'x' >"$T/garbage/libcuda.so.1"
head -c 8192 "$T/libcuda.so.1" >"$T/header/libcuda.so.1"
LD_LIBRARY_PATH=$T trace damaged --domain cuda -- sh -c "
	python3 $T/map.py $T/damaged $T/short/libcuda.so.1 $T/garbage/libcuda.so.1 $T/header/libcuda.so.1 \
		$T/garbage/libcuda.so.1 & until [ -e $T/damaged.mapped ]; do sleep 0.01; done
	$load $T/libcuda.so.1 --delay 5 --iterations 20; : >$T/damaged.end; wait"
is damaged_others 43 "$(seen damaged)"
is damaged_libs 2 "$(libs damaged)"
is damaged_counted 2 "$(field damaged '.losses[] | select(.loss == "lib_failed") | .count')"
holds damaged_told grep -q 'files not traced' "$T/damaged/summary"
exit $failed
