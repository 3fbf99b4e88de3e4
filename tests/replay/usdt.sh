#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq
# uses: gcc
#
# `list usdt:...` on a small file with known notes: names, places, arguments
# that cannot be read, and what is said about wrong patterns.
set -u
: "${XPT:?}"
file=tests/fuzz/corpus/usdt/small

is() { # NAME WANT GOT
	if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: expected '$2', got '$3'"; fi
}
list() { "$XPT" list "$@" 2>&1; }

is names "usdt:$file:other:one usdt:$file:prov:many usdt:$file:prov:none " \
	"$(list "usdt:$file:*:*" | tr '\n' ' ')"
is glob "usdt:$file:prov:none" "$(list "usdt:$file:p*:no?e")"
is arguments "-4@(%rdi,%rax,4) -4@g(%rip) 1@%ah 8f@%xmm0 -4@%fs:tl@tpoff (arg3 cannot be read) (arg4 cannot be read)" \
	"$(list -v "usdt:$file:prov:many" | sed -n 's/.*semaphore //p')"
is json '["prov","many",1280,[true,true,true,false,false]]' \
	"$(list --json "usdt:$file:prov:many" | jq -c '.[0] | [.provider, .name, .semaphore, .readable]')"
is none "xputrace: no USDT probe matches 'usdt:$file:prov:nothing' 3" \
	"$(list "usdt:$file:prov:nothing" | tr '\n' ' '; list "usdt:$file:prov:nothing" >/dev/null; echo $?)"
is column "xputrace: 'usdt:x', column 7: expected :PROVIDER:NAME" "$(list usdt:x | head -n 1)"
is pattern 2 "$(list 'usdt:*:a:b' >/dev/null; echo $?)"
is no_file 1 "$(list usdt:/nonexistent:a:b >/dev/null; echo $?)"
is no_library 3 "$(list usdt:libnone.so.9:a:b >/dev/null; echo $?)"
is no_process 3 "$(list 'usdt:*:a:b' -p 2147483646 >/dev/null; echo $?)"

# What a file and its name hold is no reason for a cursor to move, nor for half an object.
odd=$(printf '%s/odd\033[2Jname' "$TMPDIR")
cp "$file" "$odd"
is odd_name "3 0" "$(list "usdt:$odd:*:*" | wc -l) $(list "usdt:$odd:*:*" | grep -c "$(printf '\033')")"
cat >"$TMPDIR/long.s" <<'END'
	.text
	.globl main
main:	nop
	ret
	.section .note.stapsdt,"","note"
	.balign 4
	.4byte 8, 1f-0f, 3
	.asciz "stapsdt"
0:	.8byte main, 0, 0
	.asciz "prov"
	.asciz "long"
	.fill 70000, 1, 'x'
	.byte 0
1:	.balign 4
	.section .note.GNU-stack,"",@progbits
END
if cc -no-pie -o "$TMPDIR/long" "$TMPDIR/long.s" 2>/dev/null; then
	is long_arguments 70000 "$(list --json "usdt:$TMPDIR/long:*:*" | jq '.[0].arguments | length')"
else
	echo "skip long_arguments: no compiler"
fi
