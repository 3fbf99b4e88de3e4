# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests: every tests/unit/test_*.c and tests/contract/test_*.c is one cmocka
# program linked with the library, every tests/fuzz/fuzz_*.c one fuzz target.
# tests/run runs the tiers; build/asan/ is a second build with sanitizers.

TEST_SRC := $(sort $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c tests/contract/test_*.c))
TEST_BIN := $(patsubst tests/%.c,$(B)/tests/%,$(TEST_SRC))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BIN := $(patsubst tests/%.c,$(B)/tests/%,$(FUZZ_SRC))
JOBS := $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

.PHONY: check check-fresh quick tests unit contract asan fuzz asan-build fuzz-targets
check: ## install what tests need (XPT_SMALL=1: nothing large), build, run every tier that this machine can run
	scripts/deps install test
	+@$(MAKE) --no-print-directory $(JOBS) $(if $(CLI_SRC),all) tests
	@tests/run; status=$$?; $(HAND_BACK) exit $$status
quick: ## build, then the tests that need no privileges: under a minute after a change of one file
	+@$(MAKE) --no-print-directory $(JOBS) $(if $(CLI_SRC),all) quick-tests
	@tests/run unit contract replay
check-fresh: ## both commands of the README in a bare Debian root that debootstrap makes: by hand, before a release
	@scripts/check-fresh

tests: quick-tests $(B)/tests/real/site_count $(B)/tests/real/nvml_read ## build the tests' programs
	@:
.PHONY: quick-tests
quick-tests: $(TEST_BIN) $(B)/tests/fuzz/read
# A fuzz target that no longer compiles is told before the sanitizer build.
$(B)/tests/fuzz/read: $(FUZZ_SRC) $(shell find src -name "*.h")
	$(say) CHECK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) -Itests -fsyntax-only $(FUZZ_SRC) && touch $@
unit: tests ## run the unit tests
	@tests/run unit
contract: tests ## run the checks of the source tree and of the tables
	@tests/run contract
asan: ## run unit and replay tests with ASan and UBSan
	@tests/run sanitizer
fuzz: ## run each fuzz target for FUZZ_SECONDS (4)
	@tests/run fuzz

# One sanitizer build for both tiers. With clang and its fuzzer runtime the fuzz
# targets are libFuzzer programs, else tests/fuzz/mutate.c drives them.
# Warnings are the main build's business: another compiler has others.
SAN := -fsanitize=address,undefined -fno-sanitize-recover=all
HAVE_FUZZER = $(shell echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return !d && n; }' | \
	$(CLANG) -x c - $(SAN) -fsanitize=fuzzer -o /dev/null 2>/dev/null && echo yes)
SAN_GCC := CC='$(CC)' CFLAGS=-Wno-error OPT='-O1 -g $(SAN)' FUZZ_DRIVER=tests/fuzz/mutate.c
SAN_CLANG := CC='$(CLANG)' CFLAGS=-Wno-error OPT='-O1 -g $(SAN) -fsanitize=fuzzer-no-link' FUZZ_DRIVER=-fsanitize=fuzzer
asan-build:
	+@set -- $(if $(HAVE_FUZZER),$(SAN_CLANG),$(SAN_GCC)); \
	mkdir -p build/asan; echo "$$*" | cmp -s - build/asan/compiler || rm -rf build/asan/*; \
	echo "$$*" > build/asan/compiler; \
	$(MAKE) --no-print-directory $(JOBS) B=build/asan "$$@" $(if $(CLI_SRC),all) tests fuzz-targets
fuzz-targets: $(FUZZ_BIN)

$(B)/tests/unit/%: tests/unit/%.c $(B)/libxpt.a
	$(test-program)
$(B)/tests/contract/%: tests/contract/%.c $(B)/libxpt.a
	$(test-program)
define test-program
$(say) TEST $@
$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) -Itests $(LDFLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< \
	$(B)/libxpt.a $(LDLIBS_) -lcmocka -lm
endef
$(B)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/mutate.c $(B)/libxpt.a
	$(say) FUZZ $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) -Itests $(LDFLAGS) -o $@ $< $(FUZZ_DRIVER) $(B)/libxpt.a $(LDLIBS_)
$(B)/tests/real/%: tests/real/%.c $(B)/libxpt.a
	$(say) TEST $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(B)/libxpt.a $(LDLIBS_)

-include $(TEST_BIN:=.d)
