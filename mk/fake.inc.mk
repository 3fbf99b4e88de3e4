# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The simulated libraries (build/fake; those for networks in build/fake/net), the example programs
# (build/examples) and the odd programs of the bpf tests (build/workloads).
# Not part of `all`: what tests, bench and demo run against.

FAKE_CFLAGS := -std=gnu11 -O2 -g $(WARN) -D_GNU_SOURCE -Iexamples -Itests/fake
# The shape of the real library's functions needs flags that only gcc has.
FAKE_CC := gcc
FAKE_LIB_FLAGS := -fPIC -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
		  -fno-shrink-wrap
FAKE_SRC := $(filter-out tests/fake/cudart%.c tests/fake/check_%.c,$(sort $(wildcard tests/fake/*.c)))
FAKE_OBJ := $(patsubst tests/fake/%.c,$(B)/fake/%.o,$(FAKE_SRC))
CUDART_OBJ := $(patsubst tests/fake/%.c,$(B)/fake/%.o,$(sort $(wildcard tests/fake/cudart*.c)))
EXAMPLE_LIB := run truth
EXAMPLES := $(filter-out $(EXAMPLE_LIB),$(patsubst examples/%.c,%,$(sort $(wildcard examples/*.c))))
EXAMPLE_BIN := $(addprefix $(B)/examples/,$(EXAMPLES))
EXAMPLE_OBJ := $(patsubst %,$(B)/examples/%.o,$(EXAMPLE_LIB))
WORKLOAD_BIN := $(patsubst tests/bpf/workloads/%.c,$(B)/workloads/%,$(sort $(wildcard tests/bpf/workloads/*.c)))

$(FAKE_OBJ): FAKE_LIB_FLAGS += -fvisibility=hidden

.PHONY: fake examples workloads demo demo-agent
NET_LIBS := $(B)/fake/net/libnccl.so.2 $(B)/fake/net/libibverbs.so.1
NVML_LIBS := $(B)/fake/nvml/libnvidia-ml.so.1 $(B)/fake/nvml/old/libnvidia-ml.so.1
fake: $(B)/fake/libcuda.so.1 $(if $(CUDART_OBJ),$(B)/fake/libcudart.so.12) $(NET_LIBS) $(NVML_LIBS) ## build the simulated CUDA libraries
examples: $(EXAMPLE_BIN) workloads ## build the example programs
workloads: $(WORKLOAD_BIN)

$(B)/fake/libcuda.so.1: $(FAKE_OBJ) $(B)/fake/stubs.o tests/fake/libcuda.map
	$(say) LINK $@
	$(Q)$(CC) -shared -s -o $@ -Wl,-soname,libcuda.so.1 -Wl,--version-script=tests/fake/libcuda.map \
		-Wl,-z,defs $(FAKE_OBJ) $(B)/fake/stubs.o -lpthread
$(B)/fake/libcudart.so.12: $(CUDART_OBJ) tests/fake/libcudart.map
	$(say) LINK $@
	$(Q)$(CC) -shared -s -o $@ -Wl,-soname,libcudart.so.12 -Wl,--version-script=tests/fake/libcudart.map \
		-Wl,-z,defs $(CUDART_OBJ) -ldl -lpthread
$(B)/fake/net/libnccl.so.2: tests/fake/net/nccl.c tests/fake/net/libnccl.map
$(B)/fake/net/libibverbs.so.1: tests/fake/net/verbs.c tests/fake/net/libibverbs.map
$(NET_LIBS):
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(FAKE_CC) $(FAKE_CFLAGS) -Wno-missing-prototypes $(FAKE_LIB_FLAGS) -fcf-protection=full -shared -o $@ -Wl,-soname,$(@F) \
		-Wl,--version-script=$(lastword $^) $< -ldl
$(B)/fake/nvml/old/libnvidia-ml.so.1: private NVML_ERA := -DOLD_API
$(NVML_LIBS): tests/fake/nvml/nvml.c
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(FAKE_CFLAGS) -Wno-missing-prototypes $(NVML_ERA) -fPIC -fvisibility=hidden -shared \
		-o $@ -Wl,-soname,$(@F) -Wl,-z,defs $<
$(B)/fake/stubs.S: tests/fake/gen-stubs tests/fake/exports.txt
	$(Q)mkdir -p $(@D) && tests/fake/gen-stubs tests/fake/exports.txt > $@
$(B)/fake/stubs.o: $(B)/fake/stubs.S
	$(Q)$(CC) -c -o $@ $<
$(B)/fake/%.o: tests/fake/%.c
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(FAKE_CC) $(FAKE_CFLAGS) $(FAKE_LIB_FLAGS) -MMD -MP -c -o $@ $<

$(B)/examples/%.o: examples/%.c
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(FAKE_CFLAGS) -MMD -MP -c -o $@ $<
$(EXAMPLE_BIN): $(B)/examples/%: $(B)/examples/%.o $(EXAMPLE_OBJ)
	$(Q)$(CC) -o $@ $^ -ldl -lpthread
$(B)/workloads/stacks: private FAKE_CFLAGS += -fno-omit-frame-pointer -fno-optimize-sibling-calls
$(B)/workloads/%: tests/bpf/workloads/%.c $(EXAMPLE_OBJ)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(FAKE_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(EXAMPLE_OBJ) -ldl -lpthread

# The training loop with the runtime inside: position independent, not so, and stripped.
STATIC_BIN := $(addprefix $(B)/workloads/static_,pie nopie stripped)
workloads: $(STATIC_BIN)
$(B)/workloads/static_nopie: private STATIC_LINK := -no-pie
$(B)/workloads/static_pie: private STATIC_LINK := -pie
$(B)/workloads/static_stripped: private STATIC_LINK := -pie -s
$(STATIC_BIN): examples/runtime_train.c $(EXAMPLE_OBJ) $(CUDART_OBJ)
	$(Q)mkdir -p $(@D) && $(CC) $(FAKE_CFLAGS) -fPIE -DSTATIC_RUNTIME -MMD -MP -MF $@.d -o $@ $(STATIC_LINK) \
		$(filter %.c %.o,$^) -ldl -lpthread

# A target like SPDK's, with the probes' first argument as releases before and since 23.05 have it.
SPDK_BIN := $(B)/fake/spdk_tgt_old $(B)/fake/spdk_tgt_new
fake: $(SPDK_BIN)
$(B)/fake/spdk_tgt_old: private SPDK_ERA := -DOLD_ERA
$(SPDK_BIN): $(wildcard tests/fake/spdk/*.c)
	$(say) CC $@
	$(Q)mkdir -p $(@D) && $(FAKE_CC) $(FAKE_CFLAGS) $(SPDK_ERA) -MMD -MP -MF $@.d -o $@ $(filter %.c,$^)

$(B)/fake/check_driver: tests/fake/check_driver.c $(EXAMPLE_OBJ)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(FAKE_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(EXAMPLE_OBJ) -ldl -lpthread

demo: ## install what is needed, build, trace the bundled training loop
	+@scripts/demo; status=$$?; $(HAND_BACK) exit $$status

demo-agent: ## the same with the agent on a simulated node: metrics, top, recordings
	+@scripts/demo-agent; status=$$?; $(HAND_BACK) exit $$status

# Tests and bench run against these; the sanitizer build has no use for them.
ifeq ($(B),build)
quick-tests: fake examples $(B)/fake/check_driver
bench-tools: fake
endif

-include $(FAKE_OBJ:.o=.d) $(CUDART_OBJ:.o=.d) $(EXAMPLE_OBJ:.o=.d) $(EXAMPLE_BIN:=.d) $(B)/fake/check_driver.d $(WORKLOAD_BIN:=.d) $(SPDK_BIN:=.d)
