#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq python3 user
# uses: user_namespace
#
# A stranger's libraries beside a known program, under attach --all: thousands of functions
# with names that nobody knows do not take the places of those that others call, and what
# found none is told.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_libs
cp "$(command -v sleep)" "$T/theirs/stranger"

library "$T/theirs" cuAaa 5000
LD_PRELOAD=$T/theirs/libcuda.so.1 setpriv --reuid $U --regid $U --clear-groups "$T/theirs/stranger" 300 &
stranger=$!
wait_for maps_library $stranger

sleeps_below() { # PID: its child has all that is preloaded
	child=$(pgrep -P "$1") && grep -q 210/libcuda "/proc/$child/maps"
}
observe() { # NAME: a known program beside the stranger
	mkdir "$T/$1"
	"$XPT" attach --all -q -v -o "$T/$1/t.xtr" -o "$T/$1/t.jsonl" >"$T/$1/summary" 2>"$T/$1/stderr" &
	tracer=$!
	wait_for in_place "$T/$1/stderr"
	start "$1" "$E/late_dlopen" --delay 0 --iterations 50
	wait $pid
	kill -INT $tracer
	wait $tracer
	o_status=$?
	"$XPT" report --json "$T/$1/t.xtr" >"$T/$1/report.json"
	return $o_status
}
sees_calls() { # NAME
	is "$1_calls" "$(jq '[.calls[]] | add' "$T/$1/truth")" \
		"$(jq -r --argjson pid "$(jq .pid "$T/$1/truth")" 'select(.pid == $pid) | .name' "$T/$1/t.jsonl" | wc -l)"
}
observe crowd
is crowd_status 0 $?
sees_calls crowd
holds crowd_cut_is_counted [ "$(field crowd '[.losses[]? | select(.loss == "probe_failed" or .loss == "names_full").count] | add // 0')" -ge $((5000 - 256)) ]
holds crowd_cut_is_told grep -q "functions in files of user $U and others were counted together, as (other)" "$T/crowd/stderr"
kill $stranger

# So many libraries that they would fill the table of libraries.
library "$T/theirs" cuAab 1
all=
for i in $(seq 300); do
	mkdir "$T/theirs/$i"
	cp "$T/theirs/libcuda.so.1" "$T/theirs/$i"
	all=$all$T/theirs/$i/libcuda.so.1:
done
chown -R $U "$T/theirs"
LD_PRELOAD=$all setpriv --reuid $U --regid $U --clear-groups "$T/theirs/stranger" 300 &
stranger=$!
maps_last() {
	grep -q 300/libcuda "/proc/$stranger/maps"
}
wait_for maps_last
observe many
is many_status 0 $?
sees_calls many
holds many_cut_is_counted [ "$(field many '[.losses[]? | select(.loss == "lib_failed").count] | add // 0')" -ge 44 ]
kill $stranger

# With the ids that he has in namespaces of his own he is one user, and not five who fill the table together.
if "$W/sub_user" $U 1 true 2>"$T/why"; then
	strangers=
	for k in 1 2 3 4 5; do
		all=$(seq -f "$T/theirs/of$k/%.0f/libcuda.so.1" 210)
		# shellcheck disable=SC2086 # a list
		mkdir -p $(dirname $all)
		# shellcheck disable=SC2086 # a list
		tee $all <"$T/theirs/libcuda.so.1" >/dev/null
		chown -R $((99999 + k)) "$T/theirs/of$k"
		"$W/sub_user" $U $k env LD_PRELOAD="$(echo "$all" | tr "\n" :)" "$T/theirs/stranger" 300 &
		strangers="$strangers $!"
	done
	for stranger in $strangers; do
		wait_for sleeps_below "$stranger"
	done
	observe as_many
	is as_many_status 0 $?
	sees_calls as_many
	holds as_many_cut_is_counted [ "$(field as_many '[.losses[]? | select(.loss == "lib_failed").count] | add // 0')" -ge $((5 * 210 - 256)) ]
	# shellcheck disable=SC2086 # a list
	kill $strangers
else
	echo "skip as_many: $(head -n 1 "$T/why")"
fi
# What closes slowly does so in a child; nothing stays.
gone() {
	! pgrep -f "$T/many/t.xtr" >/dev/null
}
holds many_gone wait_for gone
exit $failed
