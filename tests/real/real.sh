#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq libcuda gcc
# uses: cuda_toolkit no_gpu
#
# Traces NVIDIA's real libraries, with or without a GPU: what a trace says is
# compared with what the program itself counted (driver_api.c, runtime_api.c).
# libcuda is Debian's (fetch-libcuda), libcudart that of an installed toolkit;
# tests of what cannot be had are skipped and say why.
set -u

here=$(dirname "$0")
: "${B:?build directory}" "${XPT:?the xputrace binary}"
T=${TMPDIR:-$(mktemp -d)}
N=1000
failed=0

ok() { echo "ok $1"; }
not_ok() { # NAME REASON
	echo "not ok $1: $2"
	failed=1
}
skip() { echo "skip $1: $2"; }

# compare NAME TRUTH TRACE: the trace has exactly the calls of the truth, with its results.
compare() {
	jq -s 'map(select(.name and .layer == "api" and (.phase == "X" or .phase == "E")))
		| group_by(.name) | map({key: .[0].name,
			value: {calls: length, results: (map(.code) | unique)}}) | from_entries' \
		"$3" >"$T/seen.json" || { not_ok "$1" "the trace is not JSON"; return; }
	bad=$(jq -r --slurpfile seen "$T/seen.json" '.calls | to_entries[]
		| (.key) as $n | $seen[0][$n] as $s | select($s.calls != .value.calls
			or ($s.results != [.value.result]))
		| "\($n): made \(.value.calls), result \(.value.result); seen \($s | tojson)"' "$2")
	if [ -n "$bad" ]; then not_ok "$1" "$(echo "$bad" | tr '\n' ';')"; else ok "$1"; fi
}

# result_name NAME TRACE FUNCTION CODE RESULT
result_name() {
	names=$(jq -r --arg f "$3" 'select(.name == $f) | .result' "$2" | sort -u | tr '\n' ' ')
	if [ "$names" = "$5 " ]; then ok "$1"; else not_ok "$1" "$3 = $4 is shown as $names"; fi
}

compile() { # SOURCE OUTPUT FLAGS...
	src=$1 out=$2
	shift 2
	"${CC:-cc}" -std=gnu11 -O2 -g -D_GNU_SOURCE -Wall -Wextra -Werror -o "$out" "$here/$src" "$@"
}

# trace OUT TRUTH [OPTION...] -- COMMAND...
trace() {
	file=$1
	shift
	"$XPT" run --quiet --log - --as-root -o "$file" "$@" >"$T/stdout" 2>"$T/stderr"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$T/stderr" | tail -n 20
	return $status
}

driver_tests() {
	compile driver_api.c "$T/driver_api" -ldl || { not_ok real_driver_build "compiler"; return; }
	truth=$T/driver.json
	if ! trace "$T/driver.jsonl" -- "$T/driver_api" $N "$truth"; then
		not_ok real_driver_run "exit status $status"
		return
	fi
	compare real_driver_counts "$truth" "$T/driver.jsonl"
	pointers=$(jq -r '.calls | to_entries[] | select(.value.by_pointer) | .key' "$truth")
	for f in $pointers; do
		n=$(grep -c "\"name\":\"$f\"" "$T/driver.jsonl")
		if [ "$n" = $N ]; then ok "real_pointer_$f"; else not_ok "real_pointer_$f" "$n of $N seen"; fi
	done
	# With a GPU the program gets other answers; then only the counts are compared.
	if [ "$(jq '.calls.cuInit.result' "$truth")" = 100 ]; then
		result_name real_cuInit_no_device "$T/driver.jsonl" cuInit 100 CUDA_ERROR_NO_DEVICE
		result_name real_cuMemAlloc_not_initialized "$T/driver.jsonl" cuMemAlloc_v2 3 \
			CUDA_ERROR_NOT_INITIALIZED
	else
		skip real_cuInit_no_device "this machine has a GPU"
		skip real_cuMemAlloc_not_initialized "this machine has a GPU"
	fi
}

# The same program, the same calls, wherever the probes are.
site_tests() {
	if ! trace "$T/symbol.jsonl" --sites=symbol -- "$T/driver_api" $N "$T/symbol.json"; then
		not_ok real_sites_symbol "exit status $status"
		return
	fi
	compare real_sites_symbol "$T/symbol.json" "$T/symbol.jsonl"
}

list_tests() {
	"$XPT" list 'cu*' >"$T/list" 2>"$T/stderr" || { not_ok real_list "exit status $?"; return; }
	n=$(grep -cE '^ *cu[A-Za-z0-9_]+' "$T/list")
	# libcuda 535 exports 600 names.
	if [ "$n" -ge 580 ]; then ok real_list; else not_ok real_list "$n functions listed"; fi
}

runtime_tests() {
	cuda=${CUDA_HOME:-/usr/local/cuda}
	if ! [ -e "$cuda/include/cuda_runtime_api.h" ] || ! [ -e "$cuda/lib64/libcudart.so" ]; then
		skip real_runtime "no CUDA toolkit in $cuda"
		return
	fi
	compile runtime_api.c "$T/runtime_api" -isystem "$cuda/include" -L"$cuda/lib64" -lcudart ||
		{ not_ok real_runtime_build "compiler"; return; }
	LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$cuda/lib64
	truth=$T/runtime.json
	if ! trace "$T/runtime.jsonl" -- "$T/runtime_api" 100 "$truth"; then
		not_ok real_runtime_run "exit status $status"
		return
	fi
	jq -c 'select(.name and (.name | startswith("cuda")) and .depth == 0)' "$T/runtime.jsonl" \
		>"$T/outer.jsonl"
	compare real_runtime_counts "$truth" "$T/outer.jsonl"
	# libcudart asks the driver for its functions inside the first call.
	inner=$(jq -r 'select(.name and (.name | test("^cu[A-Z]")) and .depth > 0) | .name' \
		"$T/runtime.jsonl" | sort -u | wc -l)
	if [ "$inner" -ge 2 ]; then ok real_runtime_nested; else
		not_ok real_runtime_nested "$inner driver functions inside runtime calls"; fi
	if [ "$(jq '.calls.cudaMalloc.result' "$truth")" != 0 ]; then
		f=$(jq -r 'select(.name == "cudaMalloc") | .failed' "$T/runtime.jsonl" | sort -u)
		if [ "$f" = true ]; then ok real_runtime_errors; else
			not_ok real_runtime_errors "failed is '$f'"; fi
	fi
}

# What nvcc makes registers its kernels before main, by the constants of a program that has not run yet.
kernel_tests() {
	cuda=${CUDA_HOME:-/usr/local/cuda}
	if ! [ -x "$cuda/bin/nvcc" ]; then
		skip real_kernels "no nvcc in $cuda"
		return
	fi
	"$cuda/bin/nvcc" -cudart shared -o "$T/kernels" "$here/kernels.cu" >"$T/nvcc" 2>&1 ||
		{ not_ok real_kernels_build "$(head -n 3 "$T/nvcc" | tr '\n' ';')"; return; }
	if ! trace "$T/kernels.jsonl" -- "$T/kernels"; then
		not_ok real_kernels_run "exit status $status"
		return
	fi
	jq -r 'select(.class == "launch" and .depth == 0) | .kernel' "$T/kernels.jsonl" >"$T/kernels.got"
	printf '%s\n' 'void shapes::fill<float, 4>(float*)' '(anonymous namespace)::hidden(int)' plain \
		'void run<op>(op)' >"$T/kernels.want"
	if cmp -s "$T/kernels.want" "$T/kernels.got"; then ok real_kernels; else
		not_ok real_kernels "$(diff "$T/kernels.want" "$T/kernels.got" | tr '\n' ';')"; fi
}

[ -x "$XPT" ] || { skip real "no $XPT"; exit 0; }
[ "$(id -u)" = 0 ] || { skip real "probes need root"; exit 0; }
lib=$(XPT_REAL_CACHE=${XPT_REAL_CACHE:-build/real} "$here/fetch-libcuda" 2>"$T/fetch")
case $? in
0) ;;
77) skip real "$(cat "$T/fetch")"; exit 0 ;;
*) not_ok real "fetch-libcuda: $(cat "$T/fetch")"; exit 1 ;;
esac
export LD_LIBRARY_PATH="${lib%/*}"
driver_tests
site_tests
list_tests
runtime_tests
kernel_tests
exit $failed
