#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# uses: python3
#
# The agent's configuration file: what is wrong in it is reported with line and column, and what is right passes --check.
set -u
: "${XPT:?the xputrace binary}"
T=${TMPDIR:-$(mktemp -d)}
failed=0
f=$T/agent.yaml

is() { # NAME WANT GOT
	if [ "$2" = "$3" ]; then
		echo "ok $1"
	else
		echo "not ok $1: expected '$2', got '$3'"
		failed=1
	fi
}

echo "listen: 1" >"$f"
if "$XPT" agent -c "$f" --check 2>&1 | grep -q 'without libyaml'; then
	echo "skip config: this build goes without libyaml"
	exit 0
fi

# refuses NAME PLACE-AND-MESSAGE: the file on stdin
refuses() {
	cat >"$f"
	out=$("$XPT" agent -c "$f" --check 2>"$T/err")
	is "$1" "2 xputrace: $f:$2" "$? $(head -n 1 "$T/err")$out"
}

refuses unknown "2:1: there is no option 'listn': did you mean listen?" <<'END'
# a comment
listn: 9100
END
refuses twice "3:1: domain is given twice" <<'END'
domain: cuda
listen: 9100
domain: nccl
END
refuses no_mapping "1:1: lines of 'OPTION: VALUE' are expected here" <<'END'
- listen
END
refuses no_list "1:9: budget takes one value, not a list" <<'END'
budget: [1%, 2%]
END
refuses nested "2:3: function: one value is expected here" <<'END'
function:
  cuda: cu*
END
refuses number "1:9: budget: '3x' is not a share like 1% or 0.5%" <<'END'
budget: 3x
END
refuses size "1:9: memory: 'much' is not a size like 64K, 10M or 1G" <<'END'
memory: much
END
refuses flag "1:10: verbose: 'maybe' is neither true nor false" <<'END'
verbose: maybe
END
refuses empty "1:8: listen needs ADDRESS" <<'END'
listen:
END
refuses no_name "1:3: the name of an option is expected here" <<'END'
? [a, b]
: c
END
refuses domain "4:5: domain: there is no domain 'ncclx' ('xputrace list' shows them)" <<'END'
listen: 9100
domain:
  - cuda
  - ncclx
END
refuses address "1:9: listen: 'nowhere' is no address: PORT, HOST:PORT or [HOST]:PORT" <<'END'
listen: nowhere
END
refuses of_the_command_line "1:1: there is no option 'check'" <<'END'
check: true
END
printf 'listen: [9100' >"$f"
"$XPT" agent -c "$f" --check >/dev/null 2>"$T/err"
is no_yaml 2 $?
is no_yaml_said 1 "$(grep -c "^xputrace: $f:[0-9]*:[0-9]*: this is no YAML: " "$T/err")"
printf 'listen: "a\0b"\n' >"$f"
"$XPT" agent -c "$f" --check >/dev/null 2>"$T/err"
is nul 2 $?

# Aliases, comments alone, nothing at all, and what the command line says instead.
cat >"$f" <<'END'
listen: &port "9100"
domain: [cuda, "nccl"]
function: ["!cuMemGetInfo*", *port]
devices: 5s
budget: 0.5%
hang: 10s
last: 2m
memory: 64M
recordings: /var/lib/xputrace/flight
counters: false
verbose: true
END
is all_options "the configuration is right" "$("$XPT" agent -c "$f" --check 2>&1)"
echo "# nothing" >"$f"
is comments "the configuration is right" "$("$XPT" agent -c "$f" --check 2>&1)"
: >"$f"
is nothing "the configuration is right" "$("$XPT" agent -c "$f" --check 2>&1)"
echo "listen: 9100" >"$f"
is command_line_first "xputrace: --listen: 'x' is no address: PORT, HOST:PORT or [HOST]:PORT" \
	"$("$XPT" agent -c "$f" --check --listen x 2>&1 | head -n 1)"
head -c 66000 /dev/zero | tr '\0' '#' >"$f"
is too_large "xputrace: cannot read $f: it has more than 64 KiB" "$("$XPT" agent -c "$f" --check 2>&1)"
is missing "xputrace: cannot read $T/none: No such file or directory" "$("$XPT" agent -c "$T/none" --check 2>&1)"
is folder "xputrace: cannot read $T: Is a directory" "$("$XPT" agent -c "$T" --check 2>&1)"

# What takes a reader of YAML time with the square of its size: anchors, nesting, directives; and one huge value.
ends_soon() { # NAME: the file is refused, or right, before long
	timeout 20 "$XPT" agent -c "$f" --check >/dev/null 2>"$T/err"
	case $? in
	0 | 2) echo "ok $1" ;;
	*) is "$1" "0 or 2" $? ;;
	esac
}
seq 100000 | sed 's/.*/- \&a& 1/' | head -c 65000 >"$f"
ends_soon anchors
seq 100000 | sed 's/.*/%TAG !a&! a/' | head -c 65000 >"$f"
ends_soon directives
head -c 65000 /dev/zero | tr '\0' '[' >"$f"
ends_soon nested_lists
head -c 65000 /dev/zero | tr '\0' '{' >"$f"
ends_soon nested_mappings
head -c 65000 /dev/zero | tr '\0' '-' | sed 's/-/- /g' | head -c 65000 >"$f"
ends_soon nested_blocks
printf 'domain: &a [*a, *a, *a, *a]\n' >"$f"
ends_soon alias_of_itself
{ printf 'domain: "'; head -c 65000 /dev/zero | tr '\0' x; echo '"'; } >"$f"
ends_soon huge_value

if [ "$(id -u)" != 0 ]; then
	echo "skip writers: only root can make files of others"
	exit $failed
fi
# Whoever can write it says which files root writes.
others="xputrace: cannot read $f: other users can write it: it must be root's, or yours, and writable by nobody else"
check() {
	"$XPT" agent -c "$f" --check 2>&1
}
rm "$f"
echo "listen: 9100" >"$f"
chmod 666 "$f"
is writable_by_all "$others" "$(check)"
chmod 664 "$f"
chgrp 65534 "$f"
is writable_by_group "$others" "$(check)"
chgrp 0 "$f"
is group_of_root "the configuration is right" "$(check)"
# With a list of rights (acl(5)) the group's bits are its mask: here they let user 65534 write, or group 0 alone.
set_rights() { # TAG ID
	python3 - "$f" "$1" "$2" <<-'END'
		import os, struct, sys
		none = 0xffffffff
		entries = [(1, 6, none), (int(sys.argv[2]), 6, int(sys.argv[3])), (4, 4, none), (16, 6, none), (32, 4, none)]
		os.setxattr(sys.argv[1], "system.posix_acl_access",
			struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in sorted(entries)))
	END
}
if set_rights 2 65534 2>/dev/null; then
	is writable_by_listed_user "$others" "$(check)"
	set_rights 8 65534
	is writable_by_listed_group "$others" "$(check)"
	set_rights 8 0
	is writable_by_listed_root "the configuration is right" "$(check)"
	cp "$f" "$f.plain" && mv "$f.plain" "$f"
else
	echo "skip writable_by_listed_user: no python3, or no access control lists here"
fi
chmod 644 "$f"
chown 65534 "$f"
is of_another_user "$others" "$(check)"
chmod 755 "$T"
cp "$f" "$T/theirs.yaml"
chown 65534 "$T/theirs.yaml"
if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$XPT" 2>/dev/null; then
	is of_its_user "the configuration is right" \
		"$(setpriv --reuid 65534 --regid 65534 --clear-groups "$XPT" agent -c "$T/theirs.yaml" --check 2>&1)"
fi
exit $failed
