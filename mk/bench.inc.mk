# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make bench: what tracing costs, beside an empty probe and the peers. Takes
# its settings from the environment: see bench/bench.py --help.

BENCH_OBJ := $(B)/bench/loop $(B)/bench/floor $(B)/bench/floor.bpf.o $(B)/bench/repeat $(B)/bench/syscalls \
	$(B)/bench/switches $(B)/bench/hits $(B)/bench/messages $(B)/bench/messages_cet

.PHONY: bench bench-tools
bench: $(B)/xputrace bench-tools ## measure the cost per call against the floor and the peers
	$(Q)python3 bench/bench.py --build $(B) --xputrace $(B)/xputrace $(BENCH_ARGS)

.PHONY: soak
soak: $(B)/xputrace fake examples ## attach --all for SECONDS (600) beside a hostile user: does anything grow?
	@t=$$(mktemp -d /tmp/xputrace-soak.XXXXXX) && SECONDS_OF_SOAK=$(or $(SECONDS),600) B=$(CURDIR)/$(B) XPT=$(CURDIR)/$(B)/xputrace \
		TMPDIR=$$t sh bench/soak.sh; e=$$?; rm -rf $$t; exit $$e

bench-tools: $(BENCH_OBJ)

$(B)/bench/loop: bench/loop.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< -ldl -lpthread

# As compilers of several distributions build it by default: functions begin with endbr64.
$(B)/bench/messages_cet: private MESSAGES := -fcf-protection=branch
$(B)/bench/messages $(B)/bench/messages_cet: bench/messages.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(MESSAGES) -rdynamic -fno-omit-frame-pointer -fno-shrink-wrap $(LDFLAGS) -o $@ $<

$(B)/bench/syscalls: bench/syscalls.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $<

$(B)/bench/switches: bench/switches.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) -fno-omit-frame-pointer $(LDFLAGS) -o $@ $< -lpthread

$(B)/bench/hits: bench/hits.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) -fno-omit-frame-pointer -rdynamic $(LDFLAGS) -o $@ $<

$(B)/bench/floor: bench/floor.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< -lbpf -lelf

$(B)/bench/floor.bpf.o: bench/floor.bpf.c | $(DEPS_OK)
	$(say) BPF $<
	$(Q)mkdir -p $(@D) && $(CLANG) -target bpf -O2 -g -mcpu=v3 -Wall -Werror $(BPF_CFLAGS) -c -o $@ $<
