#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 libdw
#
# A reader of debug information that a hostile file has taken over, which a library in place of
# parts of libdw plays: it reaches nothing, that it was ended is told, and the trace is whole.
. tests/bpf/lib.sh
need_bpf

cat >"$T/visit.c" <<'END'
#include <stdlib.h>
struct node { short pad, small; };
__attribute__((noinline)) int visit(const struct node *node) { __asm__ volatile("" : "+r"(node)); return node->small; }
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); i++)
		sum += visit(&(struct node){ 0, (short)(i % 2) });
	return sum > 100;
}
END
cc -g -O1 -rdynamic -o "$T/visit" "$T/visit.c"
cat >"$T/taken.c" <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int dwarf_nextcu(void)
{
	const char *what = getenv("TAKEN"), *file = getenv("TAKEN_FILE");
	int fd;

	fd = open(file, O_WRONLY | O_CREAT, 0666);	/* refused, and the reader lives */
	if (fd >= 0)
		return -1;
	if (!strcmp(what, "exec"))
		execl("/usr/bin/touch", "touch", file, (char *)0);
	else if (!strcmp(what, "socket"))
		socket(AF_INET, SOCK_STREAM, 0);
	else if (!strcmp(what, "kill"))
		kill(getppid(), SIGKILL);
	else
		*(volatile int *)0 = 1;
	return -1;	/* the end of a file that has nothing */
}
END
cc -shared -fPIC -w -o "$T/taken.so" "$T/taken.c"

# hook NAME HOOK: 20 calls
hook() {
	"$XPT" hook -q --as-root -e "$2" -- "$T/visit" 20 >"$T/$1.out" 2>"$T/$1.err"
}
by_member='uprobe:__EXE__:visit count by i16(node->small) as named'
hook plain "$by_member"
if ! grep -q '^@named\[1\]: 10$' "$T/plain.out"; then
	echo "skip hostile_dwarf: no debug information is read here (libdw): $(head -n 1 "$T/plain.err")"
	exit 0
fi
holds plain_is_read test "$(grep -c 'information not read' "$T/plain.err")" = 0
tgt=$B/fake/spdk_tgt_new
with_probes=$(XPT_TRUTH=/dev/stdout "$tgt" -n 1 | jq .has_probes)
states() {
	"$XPT" run --as-root --json -q --no-file -d spdk -- "$tgt" -n 1 2>"$1" |
		jq -c '[.object_states[] | select(.object == "target") | .state], .summary.calls, (.objects | length)'
}
[ "$with_probes" != true ] || want=$(states "$T/want.err")
export TAKEN TAKEN_FILE="$T/made"
for TAKEN in exec socket kill crash; do
	export LD_PRELOAD="$T/taken.so"
	# A name that only debug information has is a mistake then; what needs none is counted.
	hook "$TAKEN" "$by_member"
	is "$TAKEN.no_name" 2 $?
	holds "$TAKEN.told" grep -q 'debug information not read' "$T/$TAKEN.err"
	hook "$TAKEN" 'uprobe:__EXE__:visit count as n'
	is "$TAKEN.counted" '@n: 20' "$(grep '^@n: ' "$T/$TAKEN.out")"
	if [ "$with_probes" = true ]; then
		is "$TAKEN.states" "$want" "$(states "$T/$TAKEN.err")"
		holds "$TAKEN.states_told" grep -q 'debug information not read' "$T/$TAKEN.err"
	fi
	unset LD_PRELOAD
done
holds nothing_made test ! -e "$TAKEN_FILE"
exit $failed
