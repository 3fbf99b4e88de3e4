# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs of the tier that traces NVIDIA's real libraries (tests/real/real.sh).

.PHONY: real-tools real-libs
real-tools: $(B)/real/driver_api

real-libs: ## fetch the real libcuda into build/real as a test target
	$(Q)XPT_REAL_CACHE="$${XPT_REAL_CACHE:-$(B)/real}" tests/real/fetch-libcuda

$(B)/real/driver_api: tests/real/driver_api.c $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< -ldl
