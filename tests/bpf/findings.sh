#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
#
# The verdict on known programs: which findings each example gives, and which
# nearly do. Programs that do nothing wrong give none.
. tests/bpf/lib.sh
need_bpf
command -v jq >/dev/null 2>&1 || { echo "skip findings: no jq"; exit 0; }

# A program and what its verdict is; "none" for no finding at all, "no KIND" for not this one.
finds() { # NAME KIND COMMAND...
	f_name=$1 f_kind=$2
	shift 2
	trace "$f_name" -- "$@"
	f_all=$(jq -r '[.verdict[]?.kind] | join(" ")' "$T/$f_name/report.json")
	case " $f_all " in
	*" ${f_kind#no } "*) f_has=1 ;;
	*) f_has=0 ;;
	esac
	case $f_kind in
	none) is "$f_name" "" "$f_all" ;;
	"no "*) is "$f_name" "0: $f_all" "$f_has: $f_all" ;;
	*) is "$f_name" "$f_kind: $f_all" "$([ $f_has = 1 ] && echo "$f_kind"): $f_all" ;;
	esac
}

finds clean_families none "$E/families" --iterations 3
finds clean_short_loop none "$E/train" --iterations 9 --bytes 64M
finds failed_free double_free "$E/leak"
finds churn churn "$E/train" --iterations 30 --bytes 64M
finds churn_nearly "no churn" "$E/train" --iterations 9 --bytes 64M
finds sticky sticky_error "$E/error"
is sticky_is_first "cuCtxSynchronize" "$(field sticky '.verdict[0].text' | grep -o cuCtxSynchronize)"
finds sticky_behind_oom sticky_error "$E/error" --oom
finds fatal fatal_error "$E/train" --bytes 1048576G
finds fatal_nearly "no fatal_error" "$E/leak"
finds hang hang "$E/hang" --seconds 11
is hang_age true "$(field hang '.verdict[0].lost_ns >= 10000000000')"
finds hang_nearly "no hang" "$E/hang" --seconds 1
exit $failed
