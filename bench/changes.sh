#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What tracing changes in a process, on this kernel: each line of docs/what-tracing-changes.md,
# measured with and without xputrace. As root.   bench/changes.sh
set -eu
cd "$(dirname "$0")/.."
xpt=$PWD/build/xputrace
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cc -O1 -g -fno-omit-frame-pointer -shared -fPIC -o "$dir/libchanges.so" bench/changes_lib.c
cc -O1 -g -D_GNU_SOURCE -fexceptions -o "$dir/changes" bench/changes.c -L"$dir" -lchanges -Wl,-rpath,"$dir" -lpthread
uname -r
hook="call:$dir/libchanges.so:chg_* count"
cc -O1 -g -D_GNU_SOURCE -fno-exceptions -o "$dir/plain" bench/changes.c -L"$dir" -lchanges -Wl,-rpath,"$dir" -lpthread
for what in maps backtrace cancel cancel.plain seccomp strict cost; do
	case $what in
	*.plain) program=$dir/plain ;;
	*) program=$dir/changes ;;
	esac
	for how in untraced traced; do
		echo "$what, $how:"
		if [ $how = untraced ]; then
			"$program" ${what%.plain} || echo "  exit status $?"
		else
			"$xpt" hook -q --as-root -e "$hook" -- "$program" ${what%.plain} 2>"$dir/err" | grep '^  ' || true
			grep -v '^$' "$dir/err" | sed 's/^/  /' || true
		fi
	done
done
echo "memory:"
mkfifo "$dir/lines"
"$dir/changes" memory <"$dir/lines" &
pid=$!
exec 3>"$dir/lines"
echo "before" >&3
sleep 1
"$xpt" hook -q -v -e "$hook" -p $pid >/dev/null 2>"$dir/err" &
tracer=$!
until grep -qs 'hooks are in place' "$dir/err"; do sleep 0.1; done
echo "while traced" >&3
sleep 1
echo "another process, not traced, meanwhile:"
"$dir/changes" cost
echo "bystander" | "$dir/changes" memory
kill -INT $tracer
wait $tracer || true
sleep 2
echo "afterwards" >&3
exec 3>&-
wait $pid
