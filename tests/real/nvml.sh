#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: libcuda
#
# NVIDIA's real libnvidia-ml, which comes with the real libcuda: it is loaded, all functions that are
# needed are found, and without a driver it says so. With a driver it has to give values.
set -u

here=$(dirname "$0")
: "${B:?build directory}"
T=${TMPDIR:-$(mktemp -d)}

ok() { echo "ok $1"; }
not_ok() { # NAME REASON
	echo "not ok $1: $2"
	failed=1
}
failed=0

cuda=$(XPT_REAL_CACHE="${XPT_REAL_CACHE:-$B/real}" "$here/fetch-libcuda" 2>"$T/why") || {
	echo "skip nvml_real: $(tail -n 1 "$T/why")"
	exit 0
}
lib=${cuda%/*}/libnvidia-ml.so.1
"$B/tests/real/nvml_read" "$lib" >"$T/out" 2>&1
line=$(tail -n 1 "$T/out")
if [ -e /proc/driver/nvidia/version ]; then
	echo "note nvml: $line"
	case $line in
	"state 0, code 0, "*) ok nvml_real ;;
	*"code 18,"*) echo "skip nvml_real: the driver is of another version than the library" ;;
	*) not_ok nvml_real "$line" ;;
	esac
else
	case $line in
	"state 2, code 9, values 0, errors 0, "*) ok nvml_real_no_driver ;;
	*) not_ok nvml_real_no_driver "$line" ;;
	esac
fi
exit $failed
