# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Kernels in a virtual machine: see tests/vm/README.md. KERNEL: 6.1, 6.12, 7.2. TEST: see tests/run.

.PHONY: check-vm vm-shell
check-vm: $(B)/xputrace $(B)/xputrace-static fake examples vm-programs ## trace under other kernels (KERNEL=6.1: only that one; TEST=driver: only tests/vm/driver.sh)
	@tests/run vm
vm-shell: $(B)/xputrace-static fake examples vm-programs ## a shell in a virtual machine with KERNEL (7.2)
	@B=$(CURDIR)/$(B) tests/vm/boot $(or $(KERNEL),7.2) shell

export KERNEL TEST VM_WANTS
ifeq ($(B),build)
tests: $(B)/xputrace-static vm-programs
endif

# Programs of scripts that want RDMA; those on libibverbs where that is.
HAVE_VERBS := $(if $(filter-out clean help,$(or $(MAKECMDGOALS),all)),$(call have-header,infiniband/verbs.h))
VM_RDMA := $(addprefix $(B)/vm/rdma/rdma_,link vendor files untuned_vendor fresh_vendor \
	   $(if $(HAVE_VERBS),verbs startup untuned_verbs untuned_machine fresh_verbs fresh_iwarp fresh_cm))
.PHONY: vm-programs
vm-programs: $(VM_RDMA)
$(addprefix $(B)/vm/rdma/rdma_,verbs startup untuned_verbs untuned_machine fresh_verbs fresh_iwarp): tests/vm/rdma/pair.c tests/vm/rdma/pair.h
$(addprefix $(B)/vm/rdma/rdma_untuned_,vendor verbs machine): tests/vm/rdma/raw.h tests/vm/untuned/faults.h
$(addprefix $(B)/vm/rdma/rdma_fresh_,vendor verbs iwarp cm): tests/vm/rdma/raw.h tests/vm/rdma/fresh.h tests/vm/fresh/faults.h
$(addprefix $(B)/vm/rdma/rdma_,untuned_verbs untuned_machine fresh_verbs fresh_iwarp): RDMA_LIBS := tests/vm/rdma/pair.c -libverbs
$(B)/vm/rdma/rdma_fresh_cm: RDMA_LIBS := -libverbs
$(B)/vm/rdma/rdma_startup: RDMA_LIBS := tests/vm/rdma/pair.c -libverbs -lpthread
$(B)/vm/rdma/rdma_verbs: RDMA_LIBS := tests/vm/rdma/pair.c -rdynamic -libverbs -lpthread -ldl
$(VM_RDMA): $(B)/vm/rdma/rdma_%: tests/vm/rdma/%.c tests/vm/rdma/say.h tests/vm/rdma/uverbs.h | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(RDMA_LIBS)

.PHONY: bench-vm
bench-vm: $(B)/vm/bin/kernel_probes $(B)/bench/syscalls $(B)/xputrace-static fake examples ## instructions that each way of probing a kernel function costs
	@B=$(CURDIR)/$(B) bench/vm.sh
$(B)/vm/bin/kernel_probes: bench/kernel_probes.c $(B)/libxpt.a | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(B)/libxpt.a $(LDLIBS_)
