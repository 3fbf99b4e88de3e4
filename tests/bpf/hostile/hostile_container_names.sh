#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 180
# alone
# needs: bpf jq user cgroup2
#
# Libraries in containers, each with 400 functions of names that nobody knows, do not take the places of names of all
# others: 12 containers are traced with an unprivileged user inside, then another user's library and root's, with new
# names, too. Each call of the containers is counted, under its name or as (other).
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_container_names
export XPT_TRUTH=
nr=12 names=400
groups=$(sed -n 's/.* \(\/[^ ]*\) [^ ]* [^-]*- cgroup2 .*/\1/p' /proc/self/mountinfo | tail -n 1)
if ! mkdir "$groups/xpt-n1.$$" 2>/dev/null; then
	echo "skip hostile_container_names: no cgroup of version 2 can be made here"
	exit 0
fi
trap 'rmdir "$groups"/xpt-n*.$$ 2>/dev/null' EXIT
cat >"$T/inside" <<'END'
#!/bin/sh
# inside CGROUP USER COMMAND...: as that user in a container
echo $$ >"$1/cgroup.procs" || exit
user=$2
shift 2
exec unshare --cgroup setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
END
chmod 755 "$T/inside"
begin names
for i in $(seq $nr); do
	mkdir -p "$groups/xpt-n$i.$$"
	prefix=cuA$(printf %02d "$i")x
	cp "$T/hostile" "$T/in$i"
	library "$T/theirs/$i" "$prefix" $names
	"$T/inside" "$groups/xpt-n$i.$$" $U "$T/in$i" call "$T/theirs/$i/libcuda.so.1" "$prefix" $names ||
		not_ok "container_$i" "exit status $?"
done
U=65533 library "$T/user" cuUser 100
cp "$T/hostile" "$T/of_user"
setpriv --reuid 65533 --clear-groups "$T/of_user" call "$T/user/libcuda.so.1" cuUser 100
user_status=$?
U=0 library "$T/root" cuRoot 100
cp "$T/hostile" "$T/of_root"
"$T/of_root" call "$T/root/libcuda.so.1" cuRoot 100
root_status=$?
end names
is statuses "0 0 0" "$user_status $root_status $o_status"
named() { # COMM PREFIX: functions of a program that have names of their own
	jq -r --arg comm "$1" --arg prefix "$2" 'select(.comm == $comm and .name and (.name | startswith($prefix))) | .name' \
		"$T/names/t.jsonl" | sort -u | wc -l
}
is user 100 "$(named of_user cuUser)"
# Of root's files on a file system of their own, that counts (proc/owner.c).
[ "$(stat -c %d "$T")" != "$(stat -c %d /)" ] || is root 100 "$(named of_root cuRoot)"
holds containers test "$(named in1 cuA)" -ge 200
is containers_all $((nr * names)) \
	"$(jq '[.processes[] | select(.process | test("^in[0-9]")) | .calls] | add' "$T/names/report.json")"
holds loss test "$(field names '[.losses[]? | select(.loss == "names_full").count] | add // 0')" -ge $((nr * names - 1200))
holds told grep -q "functions in files of the container of the cgroup /xpt-n[0-9]*.$$ and others were counted together, as (other)" \
	"$T/names/stderr"
exit $failed
