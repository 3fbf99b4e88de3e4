#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq user_namespace
#
# A stranger's program that cannot be opened is a loss, counted once a file, and with whose it was where that is
# known: on an overlay of his own namespace, which is not looked at with --all, and under a lease, which lets nobody
# open it. What others run is seen. A library whose path is too long for the kernel to tell, or whose mapping has moved
# and whose file is gone, may have been missed: that is a loss, too, as are mappings beyond what is read of a process.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_unread
mkdir "$T/lower" "$T/theirs/mount"
cp "$W/sdt" "$T/lower/theirs"
cp "$W/sdt" "$T/known"
chmod -R a+rX "$T/lower"
chown $U "$T/theirs/mount"

cat >"$T/overlay.sh" <<'END'
mount -t tmpfs none "$1" && mkdir "$1/upper" "$1/work" "$1/merged" &&
	cp "$2/theirs" "$1/upper/theirs" &&
	mount -t overlay none -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$1/merged" || exit 77
for _ in 1 2; do
	"$1/merged/theirs" 3 3 >/dev/null	# it waits 3 s for a probe
done
END
lost() { # NAME LOSS
	jq --arg loss "$2" '[.losses[]? | select(.loss == $loss).count] | add // 0' "$T/$1/report.json"
}
# with_probes NAME: a trace of all processes with probes in programs of those names.
with_probes() {
	begin "$1" --probe 'usdt:theirs*:prov:regs' --probe 'usdt:known*:prov:regs'
}

# other_user: runs his program; is_seen NAME: each hit of it is an event.
other_user() {
	setpriv --reuid 65533 --clear-groups "$T/known" 3 3 >/dev/null
}
is_seen() {
	is "$1_known" 3 "$(jq -c 'select(.name == "prov:regs")' "$T/$1/t.jsonl" | wc -l)"
}

with_probes overlay
as_stranger unshare -Urm sh "$T/overlay.sh" "$T/theirs/mount" "$T/lower" >"$T/overlay.out" 2>&1
status=$?
other_user
end overlay
is_seen overlay
if [ $status = 77 ]; then
	echo "skip overlay: $(tail -n 1 "$T/overlay.out")"
else
	is overlay_program 0 $status
	is overlay_lost 1 "$(lost overlay lib_failed)"
	holds overlay_whose grep -q "1 file was not read in time.*/theirs of " "$T/overlay/stderr"
fi
with_probes lease
as_stranger cp "$T/lower/theirs" "$T/theirs/theirs"
start_stranger "$T/hostile" lease "$T/theirs/theirs" >"$T/lease.out" 2>&1
wait_for test -s "$T/lease.out"
other_user
end lease
is_seen lease
{ kill $attacker; wait $attacker; } 2>/dev/null
is lease_mapped mapped "$(cat "$T/lease.out")"
is lease_lost 1 "$(lost lease lib_failed)"

cp "$B/fake/libcuda.so.1" "$T/lower/libcuda.so.1"
begin long
start_stranger "$T/hostile" long "$T/lower/libcuda.so.1" "$T/theirs" >"$T/long.out" 2>&1
holds long_mapped wait_for grep -q mapped "$T/long.out"
end long
{ kill $attacker; wait $attacker; } 2>/dev/null
holds long_lost [ "$(lost long watch_lost)" -ge 1 ]

# At the old place there is a device, or another file.
for decoy in /dev/zero "$T/lower/theirs"; do
	name=moved_$(basename "$decoy")
	cp "$T/lower/libcuda.so.1" "$T/theirs/libcuda.so.1"
	begin "$name"
	kill -STOP $tracer	# it looks when all is done
	start_stranger "$T/hostile" moved "$T/theirs/libcuda.so.1" "$decoy" >"$T/$name.out" 2>&1
	holds "$name" wait_for grep -q moved "$T/$name.out"
	kill -CONT $tracer
	end "$name"
	{ kill $attacker; wait $attacker; } 2>/dev/null
	holds "${name}_lost" [ "$(lost "$name" watch_lost)" -ge 1 ]
done

# Of a process that nobody has named, 32 MiB of /proc/PID/maps are read. Its library comes after them.
mkdir "$T/theirs/many"
chown $U "$T/theirs/many"
start_stranger "$T/hostile" many "$T/lower/libcuda.so.1" "$T/theirs/many" 12000 >"$T/many.out" 2>&1
if wait_for grep -q mapped "$T/many.out"; then
	holds many_bytes [ "$(wc -c <"/proc/$attacker/maps")" -gt $((32 << 20)) ]
	begin many
	end many
	holds many_lost [ "$(lost many lib_failed)" -ge 1 ]
	holds many_whose grep -q "mappings of a process of user $U" "$T/many/stderr"
fi
{ kill $attacker; wait $attacker; } 2>/dev/null
exit $failed
