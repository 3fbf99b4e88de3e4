#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq python3 user cgroup2 user_namespace
#
# Root of a container with the capabilities that docker gives makes namespaces of his own inside: as a user whom he
# chooses, as many users, and with a namespace of cgroups in each of many cgroups. The reader is stopped meanwhile, so
# that the rings must overflow. That user's own program outside loses no event and is not blamed: all of it is the
# container. So it is in a container that has the machine's namespace of processes.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_inside
cp "$W/storm" "$T"
groups=$(sed -n 's/.* \(\/[^ ]*\) [^ ]* [^-]*- cgroup2 .*/\1/p' /proc/self/mountinfo | tail -n 1)
box=$groups/xpt-c$$
if ! mkdir "$box" 2>/dev/null; then
	echo "skip hostile_inside: no cgroup of version 2 can be made here"
	exit 0
fi
trap 'rmdir "$box"/k* "$box" 2>/dev/null' EXIT

cat >"$T/inside" <<-'END'
	#!/bin/sh
	# inside CGROUP COMMAND...: in a container, with docker's capabilities
	echo $$ >"$1/cgroup.procs" || exit
	shift
	caps=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw
	exec unshare --cgroup --pid --fork --mount --mount-proc \
		setpriv --bounding-set=$caps,+sys_chroot,+mknod,+audit_write,+setfcap --inh-caps=-all "$@"
END
cat >"$T/beside_machine" <<-'END'
	#!/bin/sh
	# beside_machine CGROUP COMMAND...: in a container with the machine's namespace of processes
	echo $$ >"$1/cgroup.procs" || exit
	shift
	exec unshare --cgroup --mount setpriv --bounding-set=-all,+setgid,+setuid,+setpcap --inh-caps=-all "$@"
END
cat >"$T/as_user" <<-'END'
	#!/bin/sh
	# as_user UID COMMAND...: as that user, in a user namespace
	uid=$1
	shift
	exec setpriv --reuid "$uid" --clear-groups unshare --user "$@"
END
cat >"$T/as_many" <<-'END'
	#!/bin/sh
	for uid in $(seq 300000 300029); do
		"$(dirname "$0")/as_user" "$uid" "$@"
	done
END
cat >"$T/in_many" <<-'END'
	#!/bin/sh
	# in_many FOLDER COMMAND...: thirty namespaces of cgroups, each in a cgroup of its own
	folder=$1
	shift
	mount -t cgroup2 none "$folder" || exit
	for i in $(seq 30); do
		mkdir "$folder/k$i" || exit
		sh -c 'echo $$ >"$0/cgroup.procs" && exec unshare --cgroup "$@"' "$folder/k$i" "$@" || exit
		rmdir "$folder/k$i"
	done
END
chmod 755 "$T/inside" "$T/beside_machine" "$T/as_user" "$T/as_many" "$T/in_many"
mkdir "$T/groups"
if ! "$T/inside" "$box" "$T/as_user" 65533 true 2>/dev/null; then
	echo "skip hostile_inside: no such namespaces here"
	exit 0
fi

# beside NAME COMMAND...: that command while nobody reads, then the known program of user 65533 outside. The loss is the
# container's; $of is the end of its name.
beside() {
	b_case=$1
	shift
	begin "$b_case" --ring 512K
	kill -STOP $tracer
	"$@" >"$T/$b_case/attacker" 2>&1 || not_ok "${b_case}_runs" "$(tail -n 1 "$T/$b_case/attacker")"
	known "$b_case" "$T/storm" --iterations 200
	kill -CONT $tracer
	end "$b_case"
	is "${b_case}_status" 0 $o_status
	sees_all "$b_case"
	holds "${b_case}_told" grep -q "calls in the container $of were counted, but not sent as events" "$T/$b_case/stderr"
}
of="of the cgroup /xpt-c$$"
beside one_user "$T/inside" "$box" "$T/as_user" 65533 "$T/storm" --iterations 20000 --threads 8
beside many "$T/inside" "$box" "$T/as_many" "$T/storm" --iterations 1000 --threads 4
beside host_pids "$T/beside_machine" "$box" "$T/as_user" 65533 "$T/storm" --iterations 20000 --threads 8
of=".*"		# the cgroup in which it was seen first is gone
beside in_cgroups "$T/inside" "$box" unshare --user --map-root-user --mount --cgroup \
	"$T/in_many" "$T/groups" "$T/storm" --iterations 2000 --threads 4
exit $failed
