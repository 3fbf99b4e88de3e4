# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the scripts of the bpf tier share (sourced): result lines, the check that
# this machine can trace, and trace(), which runs a program under xputrace and
# leaves recording, JSON lines, report and truth in one folder.
set -u

: "${B:?build directory}" "${XPT:?the xputrace binary}"
here=tests/bpf
T=${TMPDIR:-$(mktemp -d)}
E=$B/examples
W=$B/workloads
failed=0
unset XPT_TRUTH XPT_FAKE_COUNTS XPT_CUDA_LIBRARY
export LD_LIBRARY_PATH="$B/fake"
export PYTHONDONTWRITEBYTECODE=1

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
	if "$@"; then ok "$h_name"; else not_ok "$h_name" "failed: $*"; fi
}

# Runs a program before all other work of the machine. Findings about shares of time and rates of calls hold only for
# a program that nothing keeps from running. Niceness alone would count within a session only, where the kernel groups
# processes by session (sched_autogroup).
before_others="nice -n -15"
! chrt --rr 1 true 2>/dev/null || before_others="chrt --rr 1"

add_up() { # the numbers on stdin
	awk '{ n += $1 } END { print n + 0 }'
}

# Waits until COMMAND holds, at most a minute: a busy machine may need much of it. What
# never holds is a failure, so that no test passes by mere waiting.
wait_for() {
	for _ in $(seq 1200); do
		"$@" && return 0
		sleep 0.05
	done
	not_ok "$(basename "$0" .sh)_waits" "waited in vain: $*"
	return 1
}

check() { # check.py's arguments
	python3 "$here/check.py" "$@" || failed=1
}

# Ends the script where nothing can be traced, or nothing was built.
need_bpf() {
	tier=$(basename "$0" .sh)
	[ "$(id -u)" = 0 ] || { echo "skip $tier: probes need root"; exit 0; }
	"$XPT" run --no-file --no-summary -q -- true >/dev/null 2>"$T/why"
	case $? in
	0) ;;
	4) echo "skip $tier: $(head -n 1 "$T/why")"; exit 0 ;;
	*) not_ok "$tier" "xputrace cannot run true: $(head -n 1 "$T/why")"; exit 1 ;;
	esac
	for f in "$B/fake/libcuda.so.1" "$E/train" "$W/longjmp"; do
		[ -e "$f" ] || { not_ok "$tier" "no $f (make fake examples)"; exit 1; }
	done
}

# trace DIR [OPTION...] -- COMMAND...  The status is xputrace's. With $no_lines set
# there are no JSON lines: for very many calls.
no_lines=
trace() {
	dir=$T/$1
	shift
	mkdir -p "$dir"
	opts=${no_lines:+-o $dir/second.xtr}
	[ -n "$opts" ] || opts="-o $dir/t.jsonl"
	while [ "$1" != -- ]; do
		opts="$opts $1"
		shift
	done
	shift
	XPT_TRUTH=$dir/truth XPT_FAKE_COUNTS=$dir/counts
	export XPT_TRUTH XPT_FAKE_COUNTS
	# shellcheck disable=SC2086 # a list
	"$XPT" run --as-root -q --log - -o "$dir/t.xtr" $opts -- "$@" >"$dir/summary" 2>"$dir/stderr"
	status=$?
	unset XPT_TRUTH XPT_FAKE_COUNTS
	"$XPT" report --json "$dir/t.xtr" >"$dir/report.json" 2>>"$dir/stderr"
	[ $status = 0 ] || sed 's/^/# /' "$dir/stderr" | tail -n 5
	return $status
}

# compare NAME [CHECK_OPTION...] -- COMMAND...: traced, its numbers are the truth.
# $with: options for xputrace.
with=
compare() {
	cmp_name=$1
	shift
	cmp_opts=
	while [ "$1" != -- ]; do
		cmp_opts="$cmp_opts $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # a list
	if ! trace "$cmp_name" $with -- "$@"; then
		not_ok "$cmp_name" "exit status $status"
		return
	fi
	# shellcheck disable=SC2086 # a list
	check truth "$cmp_name" "$T/$cmp_name" $cmp_opts
}

field() { # DIR JQ_EXPRESSION: of the report
	jq -r "$2" "$T/$1/report.json"
}

# --- attach -----------------------------------------------------------------------

calls_in() { # XTR-FOLDER: calls seen, by the exact counters
	"$XPT" report --json "$T/$1/t.xtr" | jq .summary.calls
}

# start NAME COMMAND...: in the background, its truth in $T/NAME/truth. Sets $pid.
start() {
	mkdir -p "$T/$1"
	s_name=$1
	shift
	XPT_TRUTH=$T/$s_name/truth "$@" >/dev/null 2>"$T/$s_name/program" &
	pid=$!
}

# Calls are written about once a second: a file of them says that the trace is on.
writes() { # NAME
	test -s "$T/$1/t.jsonl"
}

# --comm NAME before there is one: xputrace says so when everything is in place.
waits_for_program() { # NAME
	grep -q 'waiting for one' "$T/$1/stderr"
}

# What `attach -v` says once all probes are there.
in_place() { # FILE with its stderr
	grep -qs 'probes are in place' "$1"
}

# The process is gone, but for its parent who has to take note of it.
ended() { # PID
	! kill -0 "$1" 2>/dev/null || grep -qs '^State:.Z' "/proc/$1/status"
}

maps_library() { # PID
	grep -q 'libcuda\.so' "/proc/$1/maps" 2>/dev/null
}

# attach NAME OPTIONS...: in the background. Sets $tracer.
attach() {
	mkdir -p "$T/$1"
	a_name=$1
	shift
	"$XPT" attach "$@" -q --no-summary -o "$T/$a_name/t.xtr" -o "$T/$a_name/t.jsonl" >/dev/null 2>"$T/$a_name/stderr" &
	tracer=$!
}
