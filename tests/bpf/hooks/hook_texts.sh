#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 sdt
# uses: libdw tracefs traced_kernel_functions
#
# Strings in keys and filters of hooks are whole: 255 bytes, several in a key, at an offset from a
# pointer. Longer ones are cut, marked and counted, and what has no room is counted.
. tests/bpf/lib.sh
need_bpf

cat >"$T/texts.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct host { char pad[32]; char nqn[400]; const char *name; };
__attribute__((noinline)) int meet(const char *first, const char *second, const char *third, const struct host *host)
{
	__asm__ volatile("" : : "r"(first), "r"(second), "r"(third), "r"(host) : "memory");
	return (int)strlen(first);
}
/* LENGTH - 1 times 'a' to 'z', then the letter. */
static const char *text(char *to, int length, char last)
{
	for (int i = 0; i < length - 1; i++)
		to[i] = (char)('a' + i % 26);
	to[length - 1] = last;
	to[length] = 0;
	return to;
}
/* Each of many strings once. */
static int many(int n)
{
	char a[32], b[32], c[32];

	for (int i = 0; i < n; i++) {
		snprintf(a, sizeof(a), "first %d", i);
		snprintf(b, sizeof(b), "second %d", i);
		snprintf(c, sizeof(c), "third %d", i);
		meet(a, b, c, NULL);
	}
	return 0;
}
int main(int argc, char **argv)
{
	static const int lengths[] = { 14, 15, 16, 40, 200, 255, 256, 300 };
	char one[400], other[400];
	struct host host;

	if (argc > 1)
		return many(atoi(argv[1]));
	/* Of each length two that differ in their last byte, once and twice. */
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (int k = 0; k < 3; k++) {
			text(one, lengths[i], k ? 'Y' : 'X');
			text(other, lengths[i], 'Z');
			text(host.nqn, lengths[i], k ? 'Y' : 'X');
			host.name = host.nqn;
			meet(one, other, k ? "tail" : "", &host);
		}
	return 0;
}
END
cc -g -O1 -rdynamic -o "$T/texts" "$T/texts.c"
text() { # LENGTH LAST
	python3 -c 'import sys; n = int(sys.argv[1]); print("".join(chr(97 + i % 26) for i in range(n - 1)) + sys.argv[2])' "$1" "$2"
}

# hook NAME HOOK...: its sums as JSON.
hook() {
	name=$1
	shift
	printf '%s\n' "$@" >"$T/$name.hook"
	"$XPT" hook -q --as-root --json -o "$T/$name.xtr" -f "$T/$name.hook" -- "$T/texts" $arg >"$T/$name.json" 2>"$T/$name.err" ||
		not_ok "$name" "$(tail -n 1 "$T/$name.err")"
}
arg=
rows() { # NAME HOOK: KEY COUNT
	jq -r --arg h "$2" '.hooks[] | select(.hook == $h) | "\(.key) \(.hits)"' "$T/$1.json" | LC_ALL=C sort
}
loss() { # NAME LOSS
	jq --arg l "$2" '[.losses[]? | select(.loss == $l).count] | add // 0' "$T/$1.json"
}
# What each of those strings is counted: what differs only after 255 bytes is one row.
expected() {
	for n in 14 15 16 40 200 255; do
		echo "$(text $n X) 1"
		echo "$(text $n Y) 2"
	done
	cut=$(text 256 '')
	echo "$cut... 6"
}

hook keys 'call:__EXE__:meet count by str(arg0) as one' 'call:__EXE__:meet count by str(arg0), str(arg1) as two' \
	'call:__EXE__:meet count by str(arg2), str(arg1), str(arg0) as three' 'call:__EXE__:meet count by str(arg3 + 32) as inside' \
	'call:__EXE__:meet count by comm, str(arg2), str(arg1) as named'
is one "$(expected | LC_ALL=C sort)" "$(rows keys one)"
is two "13 24 $(text 200 Y), $(text 200 Z) 2" "$(rows keys two | awk '{ n++; sum += $NF } END { print n, sum }') $(rows keys two | grep "^$(text 200 Y),")"
is three "14 24 tail, $(text 40 Z), $(text 40 Y) 2" \
	"$(rows keys three | awk '{ n++; sum += $NF } END { print n, sum }') $(rows keys three | grep "^tail, $(text 40 Z),")"
is inside "$(expected | LC_ALL=C sort)" "$(rows keys inside)"
is with_comm "texts, tail, $(text 255 Z) 2" "$(rows keys named | grep "^texts, tail, $(text 255 Z) ")"
# Six hits with a string that was cut in one and inside, twice as many in two and three.
is cut_counted $((6 + 12 + 12 + 6 + 6)) "$(loss keys hook_cut)"
is none_lost "0 0" "$(loss keys hook_texts) $(loss keys hook_values)"
"$XPT" report --json --all "$T/keys.xtr" >"$T/report.json"
is report_same "$(jq -c '.hooks, .losses' "$T/keys.json")" "$(jq -c '.hooks, .losses' "$T/report.json")"
holds report_text sh -c '"$0" report --section hooks "$1" | tr -d "\n " | grep -qF "@one[$2...]:6"' "$XPT" "$T/keys.xtr" "$(text 256 '')"
holds csv sh -c '"$0" report --csv --section hooks "$1" | grep -qF "$2"' "$XPT" "$T/keys.xtr" "$(text 255 Y)"

# Filters: each string is itself and no other, and one that is longer than 255 bytes equals none.
filters() { # NAME LENGTH
	hook "$1" "call:__EXE__:meet /str(arg0)==\"$(text "$2" Y)\"/ count as same" "call:__EXE__:meet /str(arg0)!=\"$(text "$2" Y)\"/ count as others" \
		"call:__EXE__:meet /str(arg3+32)==\"$(text "$2" X)\"/ count as inside"
	is "filter_$2" "1 22 2" "$(jq -r '.hooks | sort_by(.hook)[] | .hits' "$T/$1.json" | xargs)"
}
for n in 14 15 16 40 200 255; do
	filters f$n $n
done
hook several "call:__EXE__:meet /str(arg0)==\"$(text 40 X)\" or str(arg0)==\"$(text 200 Y)\" or (str(arg0)==\"$(text 255 Y)\" and not str(arg1)==\"$(text 255 Y)\")/ count as some" \
	"call:__EXE__:meet /str(arg1)==\"$(text 40 Z)\" and str(arg0)!=\"$(text 40 X)\"/ count by str(arg0) as last"
is several_texts "last $(text 40 Y) 2 some null 5" "$(jq -r '.hooks | sort_by(.hook)[] | "\(.hook) \(.key) \(.hits)"' "$T/several.json" | xargs)"

# By name and through structs.
hook typed 'call:__EXE__:meet count by str(host->nqn) as array' 'call:__EXE__:meet count by str(host->name + 3) as name' 'call:__EXE__:meet count by str(host + 32) as arg'
if grep -q 'argument .host. that is known' "$T/typed.err"; then
	echo "skip typed: built without libdw"
else
	is typed_array "$(expected | LC_ALL=C sort)" "$(rows typed array)"
	is typed_arg "$(expected | LC_ALL=C sort)" "$(rows typed arg)"
	is typed_offset "$(text 255 Y | cut -c 4-) 2" "$(rows typed name | grep "^$(text 255 Y | cut -c 4-) ")"
fi

# USDT probes, and what lies in the kernel.
"$XPT" hook -q --as-root -e 'usdt:__EXE__:prov:text count by str(arg0 + 4), str(arg0 + 3), str(arg0) as ends' \
	-e 'usdt:__EXE__:prov:text if str(arg0 + 4) == "two" count by str(arg0) as two' -- "$W/sdt" 21 >"$T/sdt.out" 2>"$T/sdt.err"
is usdt "@ends[one, .one, nqn.one]: 7 @ends[three, .three, nqn.three]: 7 @ends[two, .two, nqn.two]: 7 @two[nqn.two]: 7" "$(grep '^@' "$T/sdt.out" | LC_ALL=C sort | xargs)"
long=/none/$(text 200 Y)
"$XPT" hook -q --as-root -e "tracepoint:syscalls:sys_enter_openat if str(filename) == \"$long\" count by str(filename), str(filename + 6) as opened" \
	-- cat "$long" >"$T/open.out" 2>"$T/open.err"
if grep -q 'tracepoints need tracefs' "$T/open.err"; then
	echo "skip opened: $(head -n 1 "$T/open.err")"
else
	is opened "@opened[$long, $(text 200 Y)]: 1" "$(grep '^@' "$T/open.out")"
fi
"$XPT" hook -q --as-root -e "kernel:vmlinux:do_sys_openat2 if str(filename) == \"$long\" count by str(filename + 6) as inside" \
	-- cat "$long" >"$T/open.out" 2>"$T/open.err"
if grep -q 'could be traced' "$T/open.err"; then
	echo "skip inside: $(head -n 1 "$T/open.err")"
else
	is inside "@inside[$(text 200 Y)]: 1" "$(grep '^@' "$T/open.out")"
fi

# Several strings of an event, on pages that nobody has touched: they are read from the program's file, while it lives.
cat >"$T/far.c" <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int meet(const char *first, const char *second, const char *third)
{
	__asm__ volatile("" : : "r"(first), "r"(second), "r"(third) : "memory");
	return first[0];
}
int main(int argc, char **argv)
{
	static const char far[3 << 18] = { [1 << 18] = 'f', 'a', 'r', [2 << 18] = 'a', 'w', 'a', 'y' };
	char near[8] = "near";
	int rounds = 0;

	meet(near, far + (1 << 18), far + (2 << 18));
	meet(near, (const char *)16, far + (2 << 18));
	meet(near + 4, NULL, near);
	while (access(argv[argc - 1], F_OK) && rounds++ < 1200)
		usleep(50000);
	return 0;
}
END
cc -O1 -rdynamic -o "$T/far" "$T/far.c"
(
	for _ in $(seq 1200); do
		! grep -qs '"third":"near"' "$T/far.jsonl" || break
		sleep 0.05
	done
	: >"$T/far.end"
) &
"$XPT" hook -q --as-root -e 'call:__EXE__:meet first=str(arg0) second=str(arg1) third=str(arg2)' -o "$T/far.jsonl" \
	--json -- "$T/far" "$T/far.end" >"$T/far.json" 2>"$T/far.err"
is far 'near far away,near null away, null near' \
	"$(jq -r 'select(.name == "meet") | .args | "\(.first) \(.second) \(.third)"' "$T/far.jsonl" | paste -sd ,)"
is far_unread 1 "$(loss far read_failed)"

# More strings than are kept: every hit is in a row, no row takes the place of another, and what was not kept is said.
arg=15000
hook full 'call:__EXE__:meet count by str(arg0), str(arg1), str(arg2) as many'
is full_hits "15000 15000" "$(jq -r '"\(.hooks | map(.hits) | add) \(.hooks | map(.key) | unique | length)"' "$T/full.json")"
is full_lost $((45000 - 40960)) "$(loss full hook_texts)"
is full_said $((45000 - 40960)) "$(jq '[.hooks[].key | scan("not kept")] | length' "$T/full.json")"
exit $failed
