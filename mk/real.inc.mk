# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# NVIDIA's real libraries as targets of tests/real/real.sh and of the bench.

.PHONY: real-libs
real-libs: ## fetch the real libcuda into build/real as a test target
	$(Q)XPT_REAL_CACHE="$${XPT_REAL_CACHE:-$(B)/real}" tests/real/fetch-libcuda
