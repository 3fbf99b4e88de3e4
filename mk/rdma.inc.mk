# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make bench-rdma: what `rdma watch` costs, on soft RoCE in a virtual machine. KERNEL: 6.1, 6.12, 7.2.

.PHONY: bench-rdma
bench-rdma: $(B)/vm/rdma/rdma_cycle $(B)/xputrace-static fake examples ## instructions that rdma watch adds to a call
	@B=$(CURDIR)/$(B) bench/rdma.sh
$(B)/vm/rdma/rdma_cycle: bench/rdma_cycle.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< -libverbs
