#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq user user_namespace
#
# A stranger mounts the machine's libm over a file with a name that a hook is on, and maps it: the hook's probes do not go
# to libm, which others' programs have; that the file was left out is counted. A library that has the name is traced.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_alias
cat >"$T/calls.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* calls LIBRARY N SECONDS: loads it, says so, waits, and calls its cbrt() N times, or its mine(). */
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	void (*mine)(void) = library ? (void (*)(void))dlsym(library, "mine") : NULL;
	double (*root)(double) = library ? (double (*)(double))dlsym(library, "cbrt") : NULL;

	puts(library ? "loaded" : dlerror());
	fflush(stdout);
	sleep(argc > 3 ? (unsigned)atoi(argv[3]) : 0);
	for (int i = 0; root && i < atoi(argv[2]); i++)
		root(i);
	if (mine)
		mine();
	return !library;
}
END
cc -O1 -o "$T/calls" "$T/calls.c" -ldl
echo 'void mine(void); void mine(void) { }' >"$T/mine.c"
mkdir "$T/real"
cc -shared -fPIC -Wl,-soname,libmine.so -o "$T/real/libmine.so" "$T/mine.c"
libm=$(ldconfig -p | sed -n 's/.*libm\.so\.6 .*=> \(.*x86.64.*\)/\1/p' | head -n 1)
[ -n "$libm" ] || libm=$(cc -print-file-name=libm.so.6)
libm=$(readlink -f "$libm")
: >"$T/theirs/libmine.so"
chmod -R a+rX "$T"
"$XPT" hook -a -v --json -e 'call:libmine.so:cbrt count by comm' -e 'call:libmine.so:mine count by comm' \
	>"$T/report.json" 2>"$T/stderr" &
tracer=$!
wait_for grep -q 'hooks are in place' "$T/stderr"
as_stranger unshare -Urm sh -c "mount --bind '$libm' '$T/theirs/libmine.so' && exec '$T/calls' '$T/theirs/libmine.so' 100 1" \
	>"$T/theirs.out" 2>&1
holds mounted grep -q loaded "$T/theirs.out"
wait_for grep -q 'libmine.so of process .* is not traced' "$T/stderr"
setpriv --reuid 65533 --clear-groups "$T/calls" "$libm" 20000 >/dev/null
# It has its probes once calls of it are seen, and stays until then.
setpriv --reuid 65533 --clear-groups "$T/calls" "$T/real/libmine.so" 10 5 >/dev/null
kill -INT $tracer
wait $tracer
is status 0 $?
is calls_of_libm 0 "$(jq '[.hooks[]? | select(.hook == "cbrt") | .hits] | add // 0' "$T/report.json")"
is calls 1 "$(jq '.summary.calls' "$T/report.json")"
holds counted jq -e '[.losses[]? | select(.loss == "lib_failed") | .count] | add >= 1' "$T/report.json" >/dev/null
exit $failed
