#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 400
# needs: bpf jq python3 hold
# uses: valgrind
#
# A library that is loaded late, from a place that nobody could know: `run` sees
# every call, because the command is held until the probes are there. A shell
# with job control is not told of it, others are not touched, and xputrace's own
# stop or death does not keep the command.
# shellcheck disable=SC2317 # functions called by name
. tests/bpf/lib.sh
need_bpf
how=$("$XPT" doctor 2>/dev/null | sed -n 's/^ok *late libraries *//p')
echo "# $how"

fresh() { # a copy of the library that no probe has ever been on; sets $lib
	nr=$((${nr:-0} + 1))
	lib=$T/copy$nr/libcuda.so.1
	mkdir "$T/copy$nr"
	cp "$B/fake/libcuda.so.1" "$lib"
}

made() { # NAME: calls by the programs' own count
	jq -s 'map(.calls[]) | add' "$T/$1/truth"
}

seen() { # NAME
	grep -c '"phase"' "$T/$1/t.jsonl"
}

all_seen() { # NAME
	is "$1" "$(made "$1")" "$(seen "$1")"
}

# --- all calls, 20 times in a row ------------------------------------------------------
good=0
for i in $(seq 20); do
	fresh
	rm -rf "$T/copy$((nr - 2))" "$T/runs"
	trace runs -- "$E/late_dlopen" --delay 5 --iterations 5 --library "$lib"
	if [ "$(made runs)" = 13 ] && [ "$(seen runs)" = 13 ]; then
		good=$((good + 1))
	else
		echo "# run $i: made $(made runs), seen $(seen runs), $(field runs -c .losses)"
	fi
done
is runs_miss_nothing 20 $good

for kind in multi perf; do
	"$XPT" run --attach $kind --no-file --no-summary -q -- true 2>/dev/null || continue
	fresh
	trace "attach_$kind" --attach $kind -- "$E/late_dlopen" --delay 5 --iterations 5 --library "$lib"
	all_seen "attach_$kind"
done
# One CPU for both, and the time that it takes.
fresh
one_cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
XPT_TRUTH=$T/one.truth taskset -c "$one_cpu" "$XPT" run --as-root -q --log - -v -o "$T/one.jsonl" -- \
	"$E/late_dlopen" --delay 5 --library "$lib" >/dev/null 2>"$T/one.err"
is one_cpu "$(jq '[.calls[]] | add' "$T/one.truth")" "$(grep -c '"phase"' "$T/one.jsonl")"
sed -n 's/^xputrace: held/# held/p' "$T/one.err"
# What this kernel refuses is said in a line of our own.
is nothing_of_libbpf "" "$(grep '^libbpf' "$T/one.err")"

# --- before the first instruction of the library ------------------------------------------
# A constructor calls the driver: nothing runs earlier.
fresh
cat >"$T/ctor.c" <<'C'
int cuInit(unsigned flags);
__attribute__((constructor)) static void init(void) { cuInit(0); }
C
cat >"$T/load.c" <<'C'
#include <dlfcn.h>
int main(int argc, char **argv) { return argc < 2 || !dlopen(argv[1], RTLD_NOW); }
C
${CC:-cc} -shared -fPIC -o "$T/ctor.so" "$T/ctor.c" "$lib" -Wl,-rpath,"$T/copy$nr" &&
	${CC:-cc} -o "$T/load" "$T/load.c" -ldl
trace ctor -- "$T/load" "$T/ctor.so"
is constructor_seen cuInit "$(jq -r .name "$T/ctor/t.jsonl")"

# A child, of a program that goes on, and one that has it from its start.
fresh
trace child -- sh -c "'$E/late_dlopen' --delay 5 --iterations 5 --library '$lib'; true"
all_seen child
fresh
cat >"$T/linked.c" <<'C'
int cuInit(unsigned flags);
int main(void) { return cuInit(0); }
C
${CC:-cc} -o "$T/linked" "$T/linked.c" "$lib" -Wl,-rpath,"$T/copy$nr"
trace child_start -- sh -c "'$T/linked'; true"
is child_start_seen cuInit "$(jq -r .name "$T/child_start/t.jsonl")"

# Processes that load at the same time, one library and two.
fresh
first=$lib
fresh
late="'$E/late_dlopen' --delay 50 --iterations 20 --library"
trace together -- sh -c "$late '$first' & $late '$lib' & $late '$lib' & wait"
all_seen together

# --- who could see it ----------------------------------------------------------------------
# A parent with job control, which gives its child a process group.
fresh
trace watched -- "$W/watchful" "$E/late_dlopen" --delay 5 --library "$lib"
is not_stopped "stopped 0 continued 0 ended 1, told of 0 stops and 1 ends" \
	"$(grep ^stopped "$T/watched/summary")"

# --- switched off -----------------------------------------------------------------------------
fresh
trace off --no-hold -v -- "$E/late_dlopen" --delay 5 --library "$lib"
is off_runs 103 "$(made off)"
holds off_holds_nobody sh -c "! grep -q '^xputrace: held' '$T/off/stderr'"

# --- others, and programs that are translated ---------------------------------------------------
if command -v valgrind >/dev/null; then
	fresh
	valgrind -q --error-exitcode=9 "$W/loads" libm.so.6 30 >"$T/valgrind" 2>&1 &
	other=$!
	trace others -- sh -c "'$E/late_dlopen' --delay 5 --library '$lib';
		valgrind -q --error-exitcode=9 '$W/loads' libm.so.6 3 >/dev/null"
	is translated_inside 0 $?
	wait $other
	is translated_elsewhere 0 $?
else
	echo "skip translated: no valgrind"
fi

# --- xputrace itself is stopped, or dies ---------------------------------------------------------
# The program waits for its probes, but not for ever.
# It has opened the library, and waits before it is mapped; or it has not waited any longer.
is_held() { # PID
	find "/proc/$1/fd" -lname "$lib" 2>/dev/null | grep -q . || grep -qs "$lib" "/proc/$1/maps" || ended "$1"
}
for sig in STOP KILL; do
	fresh
	dir=$T/$sig
	mkdir "$dir"
	XPT_TRUTH=$dir/truth "$XPT" run --as-root -q --log - -o "$dir/t.jsonl" -- "$E/late_dlopen" --delay 1000 \
		--library "$lib" >"$dir/summary" 2>"$dir/stderr" &
	tracer=$!
	wait_for grep -q 'loading in' "$dir/stderr"
	pid=$(sed -n 's/.*pid \([0-9]*\),.*/\1/p' "$dir/stderr")
	guardian=$(pgrep -P $tracer -x xputrace-guard)
	kill -STOP $tracer
	holds "held_at_$sig" wait_for is_held "$pid"
	[ $sig = STOP ] || kill -KILL $tracer
	holds "goes_on_after_$sig" wait_for ended "$pid"
	is "all_done_after_$sig" 103 "$(jq '[.calls[]] | add' "$dir/truth")"
	kill -CONT $tracer 2>/dev/null
	wait $tracer 2>/dev/null
done
# What was missed then is said.
holds timeout_is_told grep -q 'before their probes were in place' "$T/STOP/summary"
# Who was to end the stop ends as well.
gone() { [ -z "$guardian" ] || ended "$guardian"; }
holds no_guardian_left wait_for gone

# --- what it costs -----------------------------------------------------------------------------
plain=$("$W/loads" libm.so.6 200)
held=$("$XPT" run --as-root --no-file --no-summary -q -- "$W/loads" libm.so.6 200 2>/dev/null)
echo "# another library loaded and unloaded: $plain us, under run $held us"
holds loads_go_on test "${held:-0}" -gt 0
exit $failed
