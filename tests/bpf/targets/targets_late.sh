#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 240
# needs: bpf jq python3
#
# Libraries that appear late, from places that nobody could know: a wheel's own
# copy of the runtime, a second copy, one that is loaded after a while. Under `run`
# the program is held, and no call is missed. Else it calls every millisecond until
# a hundred of its calls were seen; from the first one on none may be missed. How long
# the first calls go unseen is printed; on a loaded machine that is no failure.
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

# numbers NAME FUNCTION LIBRARY: of the calls that were seen; those of the first library are even
numbers() {
	jq -r --arg f "$2" 'select(.name == $f) | .args.bytesize // .args.size // .size' "$T/$1.jsonl" 2>/dev/null |
		awk -v i="$3" '($1 - i + 1) % 2 == 0' | sort -n
}

# Makes the file that ends the calls of a library once a hundred were seen, of one after the other.
enough_seen() { # NAME FUNCTION LIBRARY
	[ "$(numbers "$1" "$2" "$3" | wc -l)" -ge 100 ]
}
end_when_seen() { # NAME FUNCTION
	for i in 1 2; do
		wait_for enough_seen "$1" "$2" $i
		: >"$T/$1.end.$i"
	done
}

# judge NAME FUNCTION HOW: of both libraries, against $T/NAME.{jsonl,made}. HOW: all, for the program was
# held; or gapless
judge() {
	for i in 1 2; do
		numbers "$1" "$2" $i >"$T/$1.seen"
		awk -v i=$i '
			NR == FNR { seen[$1] = 1; next }
			($1 - i + 1) % 2 == 0 {
				made++
				if ($1 in seen) { if (!n++) first = $2 }
				else if (n) missed++
			}
			END { print n + 0, first + 0, made + 0, missed + 0 }' "$T/$1.seen" "$T/$1.made" >"$T/got"
		read -r n first made missed <"$T/got"
		echo "# $1, library $i: first call seen after $first us, $n of $made calls"
		if [ "$3" = all ]; then
			is "$1_$i" "$calls of $calls" "$n of $made"
		else
			is "$1_$i" "0 missed, 100 or more seen" "$missed missed, $([ "$n" -ge 100 ] && echo 100 or more || echo "$n") seen"
		fi
	done
}

# under NAME FUNCTION HOW CALLS OPTION...: run
under() {
	name=$1 fn=$2 how=$3 until=$4
	shift 4
	# shellcheck disable=SC2086 # a list
	"$XPT" run --as-root -q --no-summary "$@" -o "$T/$name.jsonl" -- \
		"$W/late_calls" "$fn" 300 "$until" $libs >"$T/$name.made" 2>"$T/$name.err" ||
		not_ok "$name" "exit status $?"
	judge "$name" "$fn" "$how"
}

# attached NAME FUNCTION: the program runs already
attached() {
	# shellcheck disable=SC2086 # a list
	"$W/late_calls" "$2" "$T/$1.begin" "$T/$1.end" $libs >"$T/$1.made" 2>"$T/$1.err" &
	pid=$!
	"$XPT" attach -q -v --no-summary -p $pid -o "$T/$1.jsonl" >/dev/null 2>"$T/$1.err" &
	tracer=$!
	wait_for in_place "$T/$1.err"
	: >"$T/$1.begin"
	end_when_seen "$1" "$2"
	wait $tracer || not_ok "$1" "exit status $?"
	wait $pid
	judge "$1" "$2" gapless
}

[ -n "${XPT_LATE_CUDA-}" ] || XPT_LATE_CUDA=$B/fake/libcuda.so.1
"$XPT" doctor 2>/dev/null | grep -q '^ok *late libraries' && fresh held "$XPT_LATE_CUDA" &&
	under held cuMemAlloc_v2 all $calls
fresh not_held "$XPT_LATE_CUDA"
end_when_seen not_held cuMemAlloc_v2 &
under not_held cuMemAlloc_v2 gapless "$T/not_held.end" --no-hold
fresh attach "$XPT_LATE_CUDA"
attached attach cuMemAlloc_v2
# As wheels name it.
cp "$B/fake/libcudart.so.12" "$T/libcudart-9335f6a2.so.12"
fresh wheel "$T/libcudart-9335f6a2.so.12"
attached wheel cudaMalloc
exit $failed
