# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make bench-rdma: what `rdma watch` costs, on soft RoCE in a virtual machine. KERNEL: 6.1, 6.12, 7.2.

.PHONY: bench-rdma
bench-rdma: $(B)/vm/rdma/rdma_cycle $(B)/xputrace-static fake examples ## instructions that rdma watch adds to a call
	@B=$(CURDIR)/$(B) bench/rdma.sh
$(B)/vm/rdma/rdma_cycle: bench/rdma_cycle.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< -libverbs

# Healthy RDMA work for RDMA_SECONDS: how many false alarms?
.PHONY: soak-rdma
soak-rdma: $(B)/xputrace $(B)/xputrace-static fake examples vm-programs ## half an hour of healthy RDMA work beside rdma watch (RDMA_SECONDS, KERNEL): false alarms
	@t=$$(mktemp -d) && s=$(or $(RDMA_SECONDS),1800) && RDMA_SECONDS=$$s VM_SECONDS=$$((s + 900)) KERNEL=$(or $(KERNEL),7.2) \
		B=$(CURDIR)/$(B) XPT=$(CURDIR)/$(B)/xputrace TMPDIR=$$t sh tests/vm/rdma-soak.sh; e=$$?; rm -rf $$t; exit $$e
