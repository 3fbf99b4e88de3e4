# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make rate: how many calls a second the pipeline takes, without any kernel.

.PHONY: rate
rate: $(B)/bench/rate ## measure the pipeline alone, in calls per second
	$(Q)$<

$(B)/bench/rate: bench/rate.c $(B)/libxpt.a
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(B)/libxpt.a $(LDLIBS_)

$(B)/bench/repeat: bench/repeat.c $(B)/libxpt.a
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(B)/libxpt.a $(LDLIBS_)
