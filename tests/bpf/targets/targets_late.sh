#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 240
# needs: bpf jq python3
#
# Libraries that appear late, from places that nobody could know: a wheel's own
# copy of the runtime, a second copy, one that is loaded after a while. How long
# the first calls go unseen is told by the program's own clock, which calls every
# millisecond. Idle machines take a few of them; on loaded ones, where the program waits for a
# processor, too, half of its calls are the bound and no time is.
. tests/bpf/lib.sh
need_bpf
calls=1200

# fresh NAME FILE: copies that no probe has ever been on; sets $libs
fresh() {
	libs=
	for i in 1 2; do
		mkdir -p "$T/$1$i"
		cp "$2" "$T/$1$i/"
		libs="$libs $T/$1$i/$(basename "$2")"
	done
}

# judge NAME FUNCTION HOW: of both libraries, against $T/NAME.{jsonl,made}. HOW: all, for the program was
# held, and dlopen takes what that takes; or most
judge() {
	jq -r --arg f "$2" 'select(.name == $f) | .args.bytesize // .args.size // .size' "$T/$1.jsonl" |
		sort -n >"$T/$1.seen"
	for i in 1 2; do
		awk -v lo=$(((i - 1) * calls)) -v hi=$((i * calls)) '
			NR == FNR { seen[$1] = 1; next }
			$1 > lo && $1 <= hi { made++; if ($1 in seen) { if (!n++) first = $2 } }
			END { print n + 0, first + 0, made + 0 }' "$T/$1.seen" "$T/$1.made" >"$T/got"
		read -r n first made <"$T/got"
		echo "# $1, library $i: first call seen after $first us, $n of $made calls"
		if [ "$3" = all ]; then
			is "$1_$i" "$calls of $calls" "$n of $made"
		else
			holds "$1_$i" test "$made" = $calls -a "$n" -gt $((calls / 2))
		fi
	done
}

# under NAME FUNCTION HOW OPTION...: run
under() {
	name=$1 fn=$2 how=$3
	shift 3
	# shellcheck disable=SC2086 # a list
	"$XPT" run --as-root -q --no-summary "$@" -o "$T/$name.jsonl" -- \
		"$W/late_calls" "$fn" 300 $calls $libs >"$T/$name.made" 2>"$T/$name.err" ||
		not_ok "$name" "exit status $?"
	judge "$name" "$fn" "$how"
}

# attached NAME FUNCTION: the program runs already
attached() {
	# shellcheck disable=SC2086 # a list
	"$W/late_calls" "$2" 8000 $calls $libs >"$T/$1.made" 2>"$T/$1.err" &
	pid=$!
	"$XPT" attach -q --no-summary -p $pid -o "$T/$1.jsonl" >/dev/null 2>"$T/$1.err" ||
		not_ok "$1" "exit status $?"
	wait $pid
	judge "$1" "$2" most
}

[ -n "${XPT_LATE_CUDA-}" ] || XPT_LATE_CUDA=$B/fake/libcuda.so.1
"$XPT" doctor 2>/dev/null | grep -q '^ok *late libraries' && fresh held "$XPT_LATE_CUDA" &&
	under held cuMemAlloc_v2 all
fresh not_held "$XPT_LATE_CUDA"
under not_held cuMemAlloc_v2 most --no-hold
fresh attach "$XPT_LATE_CUDA"
attached attach cuMemAlloc_v2
# As wheels name it.
cp "$B/fake/libcudart.so.12" "$T/libcudart-9335f6a2.so.12"
fresh wheel "$T/libcudart-9335f6a2.so.12"
attached wheel cudaMalloc
exit $failed
