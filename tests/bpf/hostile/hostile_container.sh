#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq python3 user cgroup2
#
# Tenants who are all root, each in a container of its own: a namespace of cgroups that root has made, in
# a cgroup of its own. One floods the rings, with the reader stopped so that they must
# overflow; a known program of root in another container, and one outside, lose no event. What
# was cut is told with the container. Who makes namespaces himself is no container, and root's
# files on a container's file system have a share of their own.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_container
cp "$W/storm" "$T"
groups=$(sed -n 's/.* \(\/[^ ]*\) [^ ]* [^-]*- cgroup2 .*/\1/p' /proc/self/mountinfo | tail -n 1)
if ! mkdir "$groups/xpt-a$$" "$groups/xpt-b$$" 2>/dev/null; then
	echo "skip hostile_container: no cgroup of version 2 can be made here"
	exit 0
fi
trap 'rmdir "$groups/xpt-a$$/own" "$groups/xpt-a$$" "$groups/xpt-b$$" 2>/dev/null' EXIT

cat >"$T/inside" <<-'END'
	#!/bin/sh
	# inside CGROUP COMMAND...: in a container
	echo $$ >"$1/cgroup.procs" || exit
	shift
	exec unshare --cgroup "$@"
END
chmod 755 "$T/inside"

# beside NAME COMMAND...: that command while nobody reads, then known programs of root in another
# container and outside
beside() {
	b_case=$1
	shift
	begin "$b_case" --ring 512K
	kill -STOP $tracer
	"$@" >/dev/null 2>&1
	known_as=0 known "$b_case" "$T/inside" "$groups/xpt-b$$" "$T/storm" --iterations 100
	known_as=0 known "$b_case" "$T/storm" --iterations 100
	kill -CONT $tracer
	end "$b_case"
	is "${b_case}_status" 0 $o_status
	sees_all "$b_case"
}
told() { # NAME WHOSE
	holds "$1_told" grep -q "calls $2 were counted, but not sent as events" "$T/$1/stderr"
}
beside root "$T/inside" "$groups/xpt-a$$" "$T/storm" --iterations 20000 --threads 8
told root "in the container of the cgroup /xpt-a$$"

# A cgroup that was handed to a user is what root made above it, for a container may make more below.
mkdir "$groups/xpt-a$$/own"
chown $U "$groups/xpt-a$$/own"
beside handed_on "$T/inside" "$groups/xpt-a$$/own" "$T/storm" --iterations 20000 --threads 8
told handed_on "in the container of the cgroup /xpt-a$$"

# Root of a container may make cgroups below its own, as systemd does there: all of them are the container.
cat >"$T/in_many" <<-'END'
	#!/bin/sh
	# in_many FOLDER COMMAND...: in thirty cgroups, one after the other, of a mount of its own
	folder=$1
	shift
	mount -t cgroup2 none "$folder" || exit
	for i in $(seq 30); do
		mkdir "$folder/k$i"
		sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$folder/k$i" "$@"
		rmdir "$folder/k$i"
	done
END
chmod 755 "$T/in_many"
mkdir "$T/groups"
beside makes_more "$T/inside" "$groups/xpt-a$$" unshare --mount "$T/in_many" "$T/groups" "$T/storm" --iterations 2000 --threads 8
told makes_more "in the container of the cgroup /xpt-a$$"

# Who is root in a container may be any user there: forty of them are one.
cat >"$T/as_many" <<-'END'
	#!/bin/sh
	for uid in $(seq 300000 300039); do
		setpriv --reuid "$uid" --clear-groups "$@"
	done
END
chmod 755 "$T/as_many"
beside many "$T/inside" "$groups/xpt-a$$" "$T/as_many" "$T/storm" --iterations 1000 --threads 4
told many "in the container of the cgroup /xpt-a$$"

# Root of a container can make files of the machine's disk, where a folder of that was bound into it. They are his.
U=0 library "$T/folder" cuAaa 1000
begin bound
"$T/inside" "$groups/xpt-a$$" env LD_PRELOAD="$T/folder/libcuda.so.1" sleep 1
known bound "$T/storm" --iterations 100
end bound
is bound_status 0 $o_status
sees_all bound
holds bound_told grep -q "functions in files of the container of the cgroup /xpt-a$$ and others were counted together, as (other)" "$T/bound/stderr"

# The namespaces of a user are the user.
if as_stranger unshare -Ur --cgroup true 2>/dev/null; then
	beside own_namespaces as_stranger unshare -Ur --cgroup "$T/storm" --iterations 20000 --threads 8
	told own_namespaces "of user $U (.*)"
fi

# Of a library on a file system that is none of the machine's, root has no more than a user has.
mkdir "$T/disk"
mount -t tmpfs none "$T/disk"
U=0 library "$T/disk" cuAaa 1000
begin volume
XPT_TRUTH='' LD_PRELOAD=$T/disk/libcuda.so.1 sleep 1
known volume "$T/storm" --iterations 100
end volume
umount -l "$T/disk"	# links to its files may be closing still
is volume_status 0 $o_status
sees_all volume
holds volume_told grep -q "in files of root on the file system .*, a container's" "$T/volume/stderr"
exit $failed
