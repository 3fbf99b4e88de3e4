#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 sdt
#
# Functions that the user names: entries as points with what registers hold, calls
# with results (the register: an int below 0 looks large) and times, both at once, in each way of attaching.
. tests/bpf/lib.sh
need_bpf

# run NAME [OPTION...]: 20 messages; every 5th fails, every 4th is a write.
run() {
	name=$1
	shift
	"$XPT" run --as-root -q -o "$T/$name.jsonl" -o "$T/$name.xtr" "$@" -- "$W/sdt" 20 \
		>"$T/$name.out" 2>"$T/$name.err" || not_ok "$name" "$(tail -n 1 "$T/$name.err")"
	"$XPT" report --json "$T/$name.xtr" >"$T/$name.report"
}

for kind in auto multi perf; do
	run $kind --attach $kind --probe "call:$W/sdt:send_msg" --probe "uprobe:$W/sdt:on_*"
	is ${kind}_calls "16 0 4 4294967284" "$(jq -s -r 'map(select(.name == "send_msg") | .code) | group_by(.) |
		sort_by(.[0]) | map("\(length) \(.[0])") | join(" ")' "$T/$kind.jsonl")"
	is ${kind}_inside "15 on_read 5 on_write" "$(jq -r 'select(.layer == "point" and .depth == 1) | .name' \
		"$T/$kind.jsonl" | sort | uniq -c | xargs)"
	is ${kind}_argument "$(seq -s ' ' 1 19)" "$(jq -r 'select(.layer == "point") | .args.arg0' "$T/$kind.jsonl" |
		python3 -c 'import sys; print(*sorted(filter(None, (int(l, 0) for l in sys.stdin))))')"
	is ${kind}_counted "20 20" "$(jq -r '"\(.summary.calls) \(.summary.points)"' "$T/$kind.report")"
done
is time_inside true "$(jq -s 'map(select(.name == "send_msg")) | all(.duration_us > 0)' "$T/auto.jsonl")"

# The callback of each message, as the entry sees it: two functions of the program.
run entry --probe "uprobe:$W/sdt:send_msg"
is callbacks "5 15" "$(jq -r .args.arg1 "$T/entry.jsonl" | sort | uniq -c | awk '{ print $1 }' | sort -n | xargs)"

# A place of a probe that is the entry of a function, too: both are seen.
printf '#include <sys/sdt.h>\n__attribute__((noinline)) void first(void) { DTRACE_PROBE(prov, place); }
int main(void) { for (int i = 0; i < 3; i++) first(); return 0; }\n' >"$T/first.c"
cc -O2 -fcf-protection=none -o "$T/first" "$T/first.c" || not_ok first "does not compile"
"$XPT" run --as-root -q --no-summary -o "$T/first.jsonl" --probe "usdt:first:prov:place" \
	--probe "uprobe:first:first" -- "$T/first" 2>"$T/first.err"
is entry_and_place "3 first 3 prov:place" "$(jq -r .name "$T/first.jsonl" | sort | uniq -c | xargs)"

# More strings than a call has room for, asked for by two probes: the first four are texts.
printf '#include <string.h>\n__attribute__((noinline)) int five(const char *a, const char *b, const char *c,
	const char *d, const char *e) { __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e) : "memory"); return 0; }
int main(void) { char s[208], l[400]; memset(s, 120, 207); s[207] = 0; memset(l, 121, 399); l[399] = 0;
	for (int i = 0; i < 3; i++) five(s, s, s, s, l); return 0; }\n' \
	>"$T/five.c"
cc -O2 -o "$T/five" "$T/five.c" || not_ok five "does not compile"
"$XPT" run --as-root -q --no-summary -o "$T/five.jsonl" --probe 'uprobe:five:five(arg0:str,arg1:str,arg2:str)' \
	--probe 'uprobe:five:five(arg3:str,arg4:str)' -- "$T/five" 2>"$T/five.err"
is five_strings "3 207 207 207 207 0x" "$(jq -rs 'map(select(.name == "five")) | "\(length) \(.[0].args | [(.arg0, .arg1, .arg2, .arg3 | length), .arg4[0:2]] | join(" "))"' \
	"$T/five.jsonl")"

# One that is not there: what to do is said, and it is not what finds places of the other kind.
"$XPT" run --as-root -q --no-file --no-summary --probe "uprobe:$W/sdt:absent" -- true >/dev/null 2>"$T/absent.err"
is no_function "1 0" "$(grep -c "absent: no such function was found ('nm -D'" "$T/absent.err") $(grep -c 'xputrace list.* with it' "$T/absent.err")"

# A library by its name, with aliases and functions that domains trace as well.
run lib --probe 'call:libcuda.so.1:cuMemAlloc_v2' -f cuMemFree_v2
holds lib_no_calls grep -q 'none was called' "$T/lib.err"
"$XPT" run --as-root -q -o "$T/both.jsonl" --no-summary --probe "call:libcuda.so.1:cuMemAlloc*" -f cuMemFree_v2 \
	-- "$E/train" --iterations 3 >"$T/both.out" 2>"$T/both.err"
holds lib_calls grep -q '"domain":"call".*"name":"cuMemAlloc_v2"' "$T/both.jsonl"
is nothing_twice "" "$(jq -r 'select(.domain == "call") | "\(.tid) \(.ts) \(.name)"' "$T/both.jsonl" | sort | uniq -d)"
exit $failed
