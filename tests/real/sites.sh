#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf libcuda gcc
# uses: cuda_toolkit
#
# The same calls wherever the probes are: every export of real libraries is
# traced with --sites=auto and =symbol, by the engine alone (site_count.c).
# Functions of libc are called as a program does (libc_calls.c), those of the others
# three times each with arguments of zero (exports.c). Compared are both
# settings, what the programs counted themselves, and for libc bpftrace. The
# libraries are copies of our own, so that no other process meets a probe.
set -u

here=$(dirname "$0")
: "${B:?build directory}" "${XPT:?the xputrace binary}"
T=${TMPDIR:-$(mktemp -d)}
failed=0

ok() { echo "ok $1"; }
not_ok() { # NAME REASON
	echo "not ok $1: $2"
	failed=1
}
skip() { echo "skip $1: $2"; }

compile() { # OUTPUT SOURCE FLAGS...
	out=$1 src=$2
	shift 2
	"${CC:-cc}" -std=gnu11 -O1 -fno-builtin -D_GNU_SOURCE -Wall -Wextra -Werror -o "$out" \
		"$here/$src" "$@" 2>"$T/cc" || { not_ok sites_build "$(head -n 3 "$T/cc" | tr '\n' ';')"; exit 1; }
}

# The loader's own library paths, and one where wheels and toolkits have it.
find_library() { # SONAME [FILE...]
	so=$1
	shift
	for f in "$@" $(ldconfig -p 2>/dev/null | awk -v s="$so" '$1 == s && /x86-64/ { print $NF }'); do
		[ -e "$f" ] && { echo "$f"; return 0; }
	done
	return 1
}

# counted NAME SETTING LIBRARY COMMAND...: $T/NAME.SETTING has what was seen, $T/NAME.own
# what the command printed.
counted() {
	name=$1 setting=$2 lib=$3
	shift 3
	"$B/tests/real/site_count" "$setting" "$lib" /bin/sh -c 'out=$1; shift; exec "$@" >"$out"' sh "$T/$name.own" "$@" \
		>"$T/$name.unsorted" 2>"$T/$name.err" </dev/null ||
		{ not_ok "sites_$name" "$setting: $(tail -n 1 "$T/$name.err")"; return 1; }
	sort "$T/$name.unsorted" >"$T/$name.$setting"
	sort -o "$T/$name.own" "$T/$name.own"
}

# judge NAME LEAST: the same in both settings, and never less than was counted by the program.
judge() {
	if ! cmp -s "$T/$1.auto" "$T/$1.symbol"; then
		not_ok "sites_$1" "$(diff "$T/$1.auto" "$T/$1.symbol" | grep '^[<>]' | head -n 5 | tr '\n' ' ')"
		return
	fi
	less=$(join -a 1 "$T/$1.own" "$T/$1.auto" | awk '$3 < $2' | head -n 5 | tr '\n' ';')
	n=$(join "$T/$1.own" "$T/$1.auto" | awk '$3 == $2' | wc -l)
	if [ -n "$less" ]; then
		not_ok "sites_$1" "made and seen: $less"
	elif [ "$n" -lt "$2" ]; then
		not_ok "sites_$1" "only $n functions were seen as often as they were called"
	else
		ok "sites_$1"
	fi
	echo "# $1: $(wc -l <"$T/$1.auto") functions called, $n counted alike by the program"
	"$B/tests/real/site_count" table "$T/lib/$3" | sed "s/^/# $1: /"
}

# A program that we start calls every export of a library.
exports() { # NAME SONAME LEAST [FILE...]
	name=$1 so=$2 least=$3
	shift 3
	file=$(find_library "$so" "$@") || { skip "sites_$name" "no $so on this machine"; return; }
	cp -L "$file" "$T/lib/$so"
	"$B/tests/real/site_count" names "$T/lib/$so" | sort -u >"$T/$name.names"
	for setting in auto symbol; do
		counted "$name" $setting "$T/lib/$so" /bin/sh -c '"$1" "$2" <"$3"' sh "$T/exports" "$T/lib/$so" \
			"$T/$name.names" || return
	done
	judge "$name" "$least" "$so"
}

third_way() {
	command -v bpftrace >/dev/null 2>&1 || { skip sites_libc_bpftrace "no bpftrace"; return; }
	cut -d ' ' -f 1 "$T/libc.own" | sort -u | awk -v l="$T/lib/libc.so.6" '
		{ printf("%suprobe:%s:%s", (NR > 1 ? "," : ""), l, $1) } END { print " { @[probe] = count(); }" }' >"$T/count.bt"
	LD_LIBRARY_PATH='' bpftrace -q "$T/count.bt" -c "/usr/bin/env LD_LIBRARY_PATH=$T/lib $T/libc_calls" \
		2>"$T/bpftrace.err" | sed -n 's/^@\[.*:\([^:]*\)\]: \([0-9]*\)$/\1 \2/p' | sort >"$T/libc.bpftrace"
	[ -s "$T/libc.bpftrace" ] ||
		{ skip sites_libc_bpftrace "bpftrace: $(head -n 1 "$T/bpftrace.err")"; return; }
	bad=$(join "$T/libc.bpftrace" "$T/libc.auto" | awk '$2 != $3' | head -n 5 | tr '\n' ';')
	n=$(join "$T/libc.bpftrace" "$T/libc.auto" | wc -l)
	if [ -n "$bad" ] || [ "$n" -lt 50 ]; then
		not_ok sites_libc_bpftrace "bpftrace and xputrace: $bad ($n functions)"
	else
		ok sites_libc_bpftrace
	fi
}

[ -x "$XPT" ] || { skip sites "no $XPT"; exit 0; }
[ "$(id -u)" = 0 ] || { skip sites "probes need root"; exit 0; }
"$XPT" run --no-file --no-summary -q -- true >/dev/null 2>"$T/why" || { skip sites "$(head -n 1 "$T/why")"; exit 0; }
mkdir -p "$T/lib"
compile "$T/exports" exports.c -ldl
compile "$T/libc_calls" libc_calls.c -lpthread

libc=$(find_library libc.so.6) || { skip sites "no libc.so.6 of the GNU C library"; exit 0; }
cp -L "$libc" "$T/lib/libc.so.6"
for setting in auto symbol; do
	counted libc $setting "$T/lib/libc.so.6" /usr/bin/env "LD_LIBRARY_PATH=$T/lib" "$T/libc_calls" || exit 1
done
judge libc 60 libc.so.6
third_way
rm "$T/lib/libc.so.6"

cuda=${CUDA_HOME:-/usr/local/cuda}
exports libibverbs libibverbs.so.1 15
exports libcudart libcudart.so 100 "$cuda/lib64/libcudart.so"
exports libnccl libnccl.so.2 10 "$cuda/lib/libnccl.so.2" "$cuda/lib64/libnccl.so.2"
if real=$(XPT_REAL_CACHE=${XPT_REAL_CACHE:-build/real} "$here/fetch-libcuda" 2>"$T/fetch"); then
	exports libcuda libcuda.so.1 300 "$real"
	exports libnvidia-ml libnvidia-ml.so.1 200 "${real%/*}/libnvidia-ml.so.1"
else
	skip sites_libcuda "$(cat "$T/fetch")"
	skip sites_libnvidia-ml "$(cat "$T/fetch")"
fi
exit $failed
