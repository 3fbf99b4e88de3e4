#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 480
# needs: bpf jq python3
# uses: cgroup2
#
# Processes selected by name, user, cgroup and container: who is traced, who is
# not, and when a verdict is given again (exec, another name, another cgroup).
# Each trace also sees the calls of a process that it must leave alone.
# shellcheck disable=SC2317 # functions called by name
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf

actor=$W/actor
me=sel$$	# names of our own: others may use the machine, too
cp "$actor" "$T/$me"
cp "$actor" "$T/x$me"
user=$((40000 + $$ % 20000))

root=$(awk '$(NF - 2) == "cgroup2" { print $5; exit }' /proc/self/mountinfo)
group=
if [ -n "$root" ] && mkdir "$root/$me" 2>/dev/null; then
	group=$root/$me
	mkdir "$group/in" "$group/in/deep" "$group/out"
	trap 'rmdir "$group/in/deep" "$group/in" "$group/out" "$group"/docker* "$group" 2>/dev/null' EXIT
fi

# traced NAME OPTIONS -- STEPS...  $others: steps of a second actor, started after the
# tracer as well; both wait until probes are there. Leaves $T/NAME/report.json.
others=
traced() {
	n=$T/$1
	name=$1
	mkdir -p "$n"
	shift
	opts=
	while [ "$1" != -- ]; do
		opts="$opts $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # lists
	"$XPT" attach $opts -q -v --no-summary -o "$n/t.xtr" -o "$n/t.jsonl" >/dev/null 2>"$n/stderr" &
	tracer=$!
	wait_for in_place "$n/stderr" || not_ok "$name" "not attached: $(head -n 1 "$n/stderr")"
	# shellcheck disable=SC2086 # lists
	[ -z "$others" ] || "$T/x$me" $others || not_ok "$name" "other program failed"
	"$T/$me" "$@" || not_ok "$name" "program failed"
	kill -INT $tracer
	wait $tracer
	is "${name}_status" 0 $?
	"$XPT" report --json "$n/t.xtr" >"$n/report.json"
	# Libraries that are damaged, as those of another test may be, are told whoever uses them.
	is "${name}_losses" "" "$(field "$name" '.losses[]? | select(.loss != "lib_failed" and
		.loss != "probe_failed").loss')"
}

calls() { field "$1" .summary.calls; }

# --- names -------------------------------------------------------------------------
others=100
traced glob --comm "${me%?}*" -- 5
is glob_calls 5 "$(calls glob)"
others="name=axb$$ 100"
traced class --comm "a[!x-z]?$$" --comm "none" -- name=acb$$ 5
is class_calls 5 "$(calls class)"
# Judged at the first call, again after another name and after exec; children follow.
others=
traced rename --comm "go$$" -- 100 name=go$$ 5 name=other 6 fork=7
is rename_calls 18 "$(calls rename)"
cp "$actor" "$T/go$$"
traced exec --comm "go$$" -- 100 exec="$T/go$$" 5 vfork=6 exec="$T/$me" 7
is exec_calls 18 "$(calls exec)"
traced thread_name --comm "$me" -- thread=3 name=other fork=4
is thread_name_calls 7 "$(calls thread_name)"

# --- users -----------------------------------------------------------------------------
others=100
traced uid --uid $user -- uid=$user 5 fork=6 vfork=7
is uid_calls 18 "$(calls uid)"
traced uid_comm --uid $user --comm $me -- uid=$user 5 name=other fork=6
is uid_comm_calls 11 "$(calls uid_comm)"
others="uid=$user exec=$T/x$me 100"
traced uid_0 --uid root --comm "*$me" -- 5
is uid_0_calls 5 "$(calls uid_0)"
others=

# A process by its id is checked at once; its children are when they call.
mkdir "$T/pid"
"$T/$me" 0 wait="$T/pid/go" 5 fork=6 uid=$user 7 fork=100 exec="$T/$me" 100 &
pid=$!
loaded() { grep -q libcuda "/proc/$pid/maps"; }
wait_for loaded
"$XPT" attach -p $pid --uid 0 -q -v --no-summary -o "$T/pid/t.xtr" >/dev/null 2>"$T/pid/stderr" &
tracer=$!
wait_for in_place "$T/pid/stderr"
touch "$T/pid/go"
wait $pid
wait $tracer
is pid_status 0 $?
"$XPT" report --json "$T/pid/t.xtr" >"$T/pid/report.json"
# The process itself stays in until exec, as documented; the child of user $user does not.
is pid_calls 18 "$(calls pid)"
sleep 600 &
pid=$!
gives pid_other_user 3 "process $pid is left out: it has another user" "$XPT" attach -p $pid --uid 12345 --no-file
gives pid_other_name 3 "process $pid is left out: it has another name" "$XPT" attach -p $pid --comm "a*" --no-file
[ -z "$group" ] || gives pid_other_cgroup 3 "it has another cgroup" "$XPT" attach -p $pid --cgroup "$me" --no-file
kill $pid

# --- what does not exist ------------------------------------------------------------------
gives no_user 2 "no user 'no-such-user' here; users of containers have numbers" \
	"$XPT" attach --uid no-such-user --no-file
gives no_class 2 "'\[a' is no pattern" "$XPT" attach --comm '[a' --no-file
gives long_glob 2 "can be none of them" "$XPT" attach --comm 'a?cdefghijklmnopq*' --no-file
gives all_and_pid 2 "exclude each other" "$XPT" attach -p 1 --all --no-file
gives nothing 2 "which processes" "$XPT" attach --no-file

if [ -z "$group" ]; then
	echo "skip cgroup: no cgroup v2 that can be written here"
	exit $failed
fi
if umount_all='awk "\$(NF - 2) == \"cgroup2\" { print \$5 }" /proc/self/mountinfo | tac | xargs -r -n 1 umount -l' &&
	unshare -m sh -c "$umount_all" 2>/dev/null; then
	gives v1_machine 4 "needs cgroup v2, which is not mounted here" unshare -m sh -c \
		"$umount_all; exec \"\$0\" attach --cgroup x --no-file" "$XPT"
else
	echo "skip v1_machine: cgroup v2 cannot be unmounted here"
fi
gives no_cgroup 3 "no cgroup 'no/such' below $root; /proc/PID/cgroup shows" "$XPT" attach --cgroup no/such --no-file
gives no_cgroup_path 3 "no cgroup '$root/nix'" "$XPT" attach --cgroup "$root/nix" --no-file
gives other_folder 3 "'/tmp' is no cgroup of version 2" "$XPT" attach --cgroup /tmp --no-file
gives no_container 3 "no running container 'abcdef0123'.*docker ps --no-trunc" "$XPT" attach --container abcdef0123 --no-file
gives container_path 2 "is no id (a path is for --cgroup)" "$XPT" attach --container a/b --no-file

# --- cgroups ---------------------------------------------------------------------------
others="cgroup=$group/out 100 fork=100"
traced cgroup --cgroup "$me/in" -- cgroup="$group/in/deep" 5 fork=6 vfork=7 thread=8
is cgroup_calls 26 "$(calls cgroup)"
traced cgroup_path --cgroup "$group/in" -- cgroup="$group/in" 5
is cgroup_path_calls 5 "$(calls cgroup_path)"
traced cgroup_slash --cgroup "/$me/in/" --cgroup "$me/in/deep" -- cgroup="$group/in" 5
is cgroup_slash_calls 5 "$(calls cgroup_slash)"
# Calls before the move are not wanted; who is in stays in until exec, its children do not.
others=
traced moved --cgroup "$me/in" -- cgroup="$group/out" 100 cgroup="$group/in" 5 cgroup="$group/out" 6 \
	fork=100 exec="$T/$me" 100 cgroup="$group/in" exec="$T/$me" 7
is moved_calls 18 "$(calls moved)"
others="cgroup=$group/in 100"
traced cgroup_uid --cgroup "$me" --uid $user -- cgroup="$group/in" uid=$user 5
is cgroup_uid_calls 5 "$(calls cgroup_uid)"
traced cgroup_comm --cgroup "$me/in" --comm "go*" -- cgroup="$group/in" name=go 5 cgroup="$group/out" fork=100
is cgroup_comm_calls 5 "$(calls cgroup_comm)"

# --- containers -----------------------------------------------------------------------------
id=$(printf %064x $$ | tr 0 b)
near=$(echo "$id" | cut -c1-20)$(printf %044x 7 | tr 0 c)
mkdir "$group/docker-$id.scope"
others="cgroup=$group/out 100"
traced container --container "$id" -- cgroup="$group/docker-$id.scope" 5
is container_calls 5 "$(calls container)"
traced prefix --container "$(echo "$id" | cut -c1-12)" -- cgroup="$group/docker-$id.scope" 5
is prefix_calls 5 "$(calls prefix)"
traced scope --container "docker-$id" -- cgroup="$group/docker-$id.scope" 5
is scope_calls 5 "$(calls scope)"
# Its processes as they are called inside, in the container's own PID namespace.
others=
move='echo $$ >"$0/cgroup.procs"; exec unshare -p -f -m "$1" 0 done="$2.up" wait="$2" 5 fork=6 wait="$2.seen"'
sh -c "$move" "$group/docker-$id.scope" "$T/$me" "$T/inside" &
pid=$!
wait_for test -e "$T/inside.up"
mkdir -p "$T/inside.d"
"$XPT" attach --container "$id" -q -v -o "$T/inside.d/t.xtr" -o "$T/inside.d/t.jsonl" >"$T/inside.d/out" 2>"$T/inside.d/stderr" &
tracer=$!
wait_for in_place "$T/inside.d/stderr"
touch "$T/inside"
# Who it is is read from /proc while it lives; lines are written about once a second.
wait_for grep -q ns_pid "$T/inside.d/t.jsonl"
touch "$T/inside.seen"
wait $pid
kill -INT $tracer
wait $tracer
"$XPT" report --json "$T/inside.d/t.xtr" >"$T/inside.d/report.json"
is inside_calls 11 "$(calls inside.d)"
is inside_ns_pid "1 $id" "$(jq -r 'select(.ns_pid) | "\(.ns_pid) \(.container)"' "$T/inside.d/t.jsonl" | sort -u | head -n 1)"
is inside_pid_differs 0 "$(jq -r 'select(.ns_pid and .pid == .ns_pid) | .name' "$T/inside.d/t.jsonl" | wc -l)"
is inside_table "$id" "$(field inside.d '.processes[].container' | sort -u | grep -v null)"
holds inside_label grep -q "$me \[1@$(echo "$id" | cut -c1-4)" "$T/inside.d/out"
traced outside --comm "$me" -- 5
is outside_no_ns_pid "" "$(jq -r 'select(.ns_pid or .container) | .name' "$T/outside/t.jsonl")"

mkdir "$group/docker-$near.scope"
gives ambiguous 3 "means 2 containers; give more of the id" "$XPT" attach --container "$(echo "$id" | cut -c1-12)" --no-file
holds ambiguous_lists [ "$(grep -c -e "$id" -e "$near" "$T/err")" = 2 ]
exit $failed
