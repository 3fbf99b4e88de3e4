#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a call costs by each way in which its return is seen: rounds that take turns,
# CPU ns of a call by return probe, by instructions, and their ratio. As root.
#   bench/returns.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cc -O2 -rdynamic -o "$dir/probe" bench/returns.c
cc -O2 -rdynamic -DUNWINDS -o "$dir/instructions" bench/returns.c
for way in probe instructions; do
	build/xputrace list -v "call:$dir/$way:traced" | grep -q "^  return: .*$way" || { echo "$dir/$way is not seen so" >&2; exit 1; }
done
cost() {
	build/xputrace hook -q --as-root -e 'call:__EXE__:traced count' -- "$dir/$1" 20000 2>/dev/null | grep -m 1 '^[0-9]*$'
}
for _ in $(seq "${1:-9}"); do
	p=$(cost probe) i=$(cost instructions)
	echo "$p $i $(awk "BEGIN { printf \"%.2f\", $i / $p }")"
done | sort -k 3 -n | awk '{ print; r[NR] = $3 } END { print "median ratio", r[int((NR + 1) / 2)] }'
