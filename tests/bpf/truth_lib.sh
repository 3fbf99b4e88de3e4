# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the scripts about programs of known truth share (sourced, after lib.sh):
# truth() runs one and compares its report with the truth line by line, tells()
# looks for a sentence, and $T/stop ends a program from outside.

truth() { # NAME STATUS [SETTING...] <LINES  Runs the program; LINES: all that truth.jq shows of its report
	t_name=$1 t_status=$2
	shift 2
	D=$T/$t_name
	mkdir -p "$D"
	sort >"$D/want"
	# shellcheck disable=SC2086 # lists
	env XPT_TRUTH="$D/truth" "$@" "$XPT" run --as-root -q $with -o "$D/t.xtr" -- $under "$W/$program" "$t_name" >"$D/out" 2>"$D/err"
	is "${t_name}_status" "$t_status" $?
	"$XPT" report --json --all "$D/t.xtr" >"$D/report.json" 2>>"$D/err"
	jq -r -f "$here/truth.jq" "$D/report.json" | sort >"$D/got"
	# < is missing in the report, > should not be there
	is "$t_name" "" "$(diff "$D/want" "$D/got" | grep '^[<>]' | paste -sd';')"
	[ -n "$uncounted" ] || [ ! -s "$D/truth" ] || counts
}
under=		# what starts the program
uncounted=	# set: libraries make calls that the program knows nothing of
program=truth

# The program's own counts by function, and by function and result. Functions that a runtime
# called for it are left aside. The table of functions ends with a row for what is rare.
counts() {
	is "${t_name}_calls" "" "$(jq -n -r --slurpfile t "$D/truth" --slurpfile r "$D/report.json" '
		([$r[0].inflight[]?.function, ($r[0].left[]? | range(.calls) as $i | .function)] | group_by(.) | map({(.[0]): length}) | add // {}) as $open
		| ([$t[].calls | to_entries[]] | group_by(.key) | map(.[0].key as $f | {($f): ((map(.value) | add) - ($open[$f] // 0))}) | add) as $want
		| ([$r[0].functions[]? | {(.function): .calls}] | add // {}) as $got
		| ([$got | to_entries[] | select(.key | startswith("other ("))] | .[0].value) as $rare
		| [$want | to_entries[] | select($got[.key] == null)] as $missing
		| ([$missing[].value] | add // 0) as $n
		| any($got | keys[]; $want[.] == null and (startswith("other (") | not)) as $nested
		| ($want | to_entries[] | select($got[.key] != null and $got[.key] != .value) | "\(.key) \(.value) is true, \($got[.key]) shown"),
		  (if $rare == null then $missing[] | "\(.key) is missing"
		   elif $n > $rare or ($n < $rare and ($nested | not)) then "\($n) rare calls are true, \($rare) shown" else empty end)' | paste -sd';')"
	jq -r -s '[.[].errors | to_entries[] | .key as $f | .value | to_entries[] | {f: $f, c: .key, n: .value}]
		| group_by([.f, .c])[] | "\(.[0].f) \(.[0].c) \(map(.n) | add)"' "$D/truth" | grep -v ' 600 ' | sort >"$D/errors"
	jq -r '(.errors[]?, .expected_errors[]?) | "\(.function) \(.code) \(.calls)"' "$D/report.json" | sort >"$D/seen_errors"
	is "${t_name}_errors" "" "$(comm -3 "$D/errors" "$D/seen_errors" | grep -v "$aside" | sed 's/^\t/> /' | paste -sd';')"
}
aside='^$'

tells() { # NAME REGEX: some finding of the program says so
	is "$1_tells" true "$(jq --arg r "$2" '[.verdict[]?.text | test($r)] | any' "$T/$1/report.json")"
}

# Ends a program as timeout(1) does, SECONDS after it began to wait in its last call.
cat >"$T/stop" <<'END'
	seconds=$1 said=$2
	shift 2
	"$@" &
	until grep -q '^waits' "$said" && grep -q ') S ' "/proc/$!/stat"; do
		sleep 0.05
	done
	sleep "$seconds"
	kill $!
	wait $!
	exit 124
END
