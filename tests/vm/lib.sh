# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by the tests of this tier: each boots the kernels that KERNEL names
# (all three), runs guest/NAME.sh there and judges what that left.
#   boot_each NAME JUDGE     JUDGE KERNEL DIR for each kernel that came back

: "${B:?build directory}" "${XPT:?the xputrace binary}"
here=tests/vm
T=${TMPDIR:-$(mktemp -d)}
KERNEL=${KERNEL:-6.1 6.12 7.2}
export PYTHONDONTWRITEBYTECODE=1
failed=0

ok() { echo "ok $1"; }
not_ok() { # NAME REASON
	echo "not ok $1: $2"
	failed=1
}

# is NAME WANT GOT
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', got '$3'"; fi
}

# holds NAME COMMAND...
holds() {
	h_name=$1
	shift
	if "$@" >/dev/null; then ok "$h_name"; else not_ok "$h_name" "failed: $*"; fi
}

# Tracing is nothing to a kernel: it has nothing to complain of. Of a slow host it may.
complaints() { # NAME DIR
	bad=$(grep -nE 'Oops|BUG: |WARNING: ' "$2/dmesg" | grep -vE 'soft lockup|workqueue lockup' | head -n 1)
	if [ -n "$bad" ]; then
		not_ok "$1" "$(tail -n +"${bad%%:*}" "$2/dmesg" | head -n 50)"
	else
		ok "$1"
	fi
}

# Calls of one program of a trace (guest/lib.sh: step), as jq's FILTER makes them.
calls_of() { # DIR STEP FILTER
	jq -r --argjson pid "$(sed -n "s/^$2 \([0-9]*\) .*/\1/p" "$1/steps")" \
		"select(.phase == \"X\" and .pid == \$pid) | $3" "$1/t.jsonl"
}

status_of() { # DIR STEP
	sed -n "s/^$2 [0-9]* //p" "$1/steps"
}

# What took how many seconds there, the longest first.
show_times() { # KERNEL FILE
	awk -v kernel="$1" 'NR > 1 { printf("%.1f %s\n", $1 - t, n) } { t = $1; n = $2 }
		END { printf("%.1f all\n", t) }' "$2" | sort -rn | head -n 8 |
		awk -v kernel="$1" '{ printf("%s%s %s", NR == 1 ? "# " kernel ", seconds: " : ", ", $1, $2) } END { print "" }'
}

# In which ways; those that a trace chose are compared with the table of docs/kernel.md.
attached_by() { # NAME KERNEL DIR
	python3 "$here/attached.py" "$1" "$2" "$3" docs/kernel.md || failed=1
}

boot_one() { # NAME JUDGE KERNEL
	dir=$T/$3
	mkdir "$dir"
	"$here/boot" "$3" "$here/guest/$1.sh" "$dir" 2>"$dir/why"
	case $? in
	0) ;;
	77) echo "skip vm_$3_$1: $(head -n 1 "$dir/why")"; return ;;
	*)
		not_ok "vm_$3_$1_boot" "$(head -n 1 "$dir/why")"
		sed -n '2,$s/^/# /p' "$dir/why"
		return
		;;
	esac
	is "vm_$3_$1_boot" 0 "$(cat "$dir/status")"
	if [ -s "$dir/missing" ]; then
		echo "skip vm_$3_$1: $(head -n 1 "$dir/missing")"
		return
	fi
	attached_by "$1" "$3" "$dir"
	"$2" "$3" "$dir"
	[ ! -s "$dir/times" ] || show_times "$3" "$dir/times"
	complaints "vm_$3_$1_complaints" "$dir"
}

boot_each() { # NAME JUDGE
	for k in $KERNEL; do
		boot_one "$1" "$2" "$k"
	done
}
