# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# One non-recursive makefile. `make help` lists the targets; everything that is
# generated goes to build/. V=1 shows the commands.

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
B := build

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

include mk/detect.mk

CC      ?= gcc
CLANG   ?= clang
WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	   -Wimplicit-fallthrough -Wvla -Wformat=2 -Wno-format-nonliteral
OPT     ?= -O2 -g
CFLAGS_ := -std=gnu11 $(OPT) $(WARN) -D_GNU_SOURCE -DXPT_VERSION='"$(VERSION)"' -Isrc -I$(B)/gen \
	   $(DETECT_CFLAGS) $(CFLAGS)
LDLIBS_ := $(DETECT_LIBS) -lpthread -ldl $(LDLIBS)
# xputrace reads what strangers wrote, as root. Sanitizers have their own checks instead. Checked string
# functions need optimization, and who has asked for them gets what he has asked for.
FORTIFY := $(if $(filter -O2 -O3,$(OPT)),$(if $(filter -O0,$(CFLAGS))$(findstring FORTIFY,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDEN  := $(if $(findstring -fsanitize,$(OPT)),,-fPIE -fstack-protector-strong -fstack-clash-protection $(FORTIFY))
HARD_LD := -Wl,-z,relro,-z,now

# --- sources: the tree is the list -----------------------------------------
ALL_SRC  := $(sort $(shell find src -name "*.c"))
BPF_SRC  := $(filter %.bpf.c,$(ALL_SRC))
CLI_SRC  := $(filter src/cli/%,$(ALL_SRC))
LIB_SRC  := $(filter-out $(BPF_SRC) $(CLI_SRC),$(ALL_SRC))
SKEL     := $(patsubst %.bpf.c,$(B)/gen/%.skel.h,$(notdir $(BPF_SRC)))
LIB_OBJ  := $(patsubst src/%.c,$(B)/obj/%.o,$(LIB_SRC)) $(B)/obj/gen/registry.o
CLI_OBJ  := $(patsubst src/%.c,$(B)/obj/%.o,$(CLI_SRC))

.PHONY: all help clean install uninstall static
all: $(B)/xputrace ## build build/xputrace (the default)

$(B)/xputrace: $(CLI_OBJ) $(B)/libxpt.a
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS_) $(if $(HARDEN),-pie) $(HARD_LD) $(LDFLAGS) -o $@ $(CLI_OBJ) $(B)/libxpt.a $(LDLIBS_)

# Name services cannot be linked statically, and NVML, HTTP and the screen of top load libraries,
# so these are built otherwise;
# libdw would bring half a dozen libraries along. What stands before the archive counts.
DWARF_OBJ := $(patsubst %,$(B)/obj/elf/dwarf/%-static.o,dwarf_enums dwarf_args dwarf_child)
USER_OBJ := $(B)/obj/session/user-static.o
NVML_OBJ := $(B)/obj/devices/nvml_api-static.o
HTTP_OBJ := $(B)/obj/http/server_child-static.o
CURSES_OBJ := $(B)/obj/top/curses-static.o
STATIC_OBJ := $(CLI_OBJ) $(USER_OBJ) $(NVML_OBJ) $(HTTP_OBJ) $(CURSES_OBJ) $(DWARF_OBJ)
static: $(B)/xputrace-static ## one static binary, build/xputrace-static
$(B)/xputrace-static: $(STATIC_OBJ) $(B)/libxpt.a
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS_) $(HARD_LD) $(LDFLAGS) -static -o $@ $(STATIC_OBJ) $(B)/libxpt.a $(DETECT_LIBS_STATIC)
$(USER_OBJ) $(NVML_OBJ) $(HTTP_OBJ) $(CURSES_OBJ): $(B)/obj/%-static.o: src/%.c | $(DEPS_OK)
	$(say) CC $@
	$(Q)mkdir -p $(@D) && $(CCACHE) $(CC) $(HARDEN) $(CFLAGS_) -DXPT_STATIC -MMD -MP -c -o $@ $<
$(DWARF_OBJ): $(B)/obj/%-static.o: src/%.c | $(DEPS_OK)
	$(say) CC $@
	$(Q)mkdir -p $(@D) && $(CCACHE) $(CC) $(HARDEN) $(CFLAGS_) -UXPT_HAVE_LIBDW -MMD -MP -c -o $@ $<

$(B)/libxpt.a: $(LIB_OBJ)
	$(say) AR $@
	$(Q)rm -f $@ && ar rcs $@ $(LIB_OBJ)

$(B)/obj/%.o: src/%.c | $(DEPS_OK)
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CCACHE) $(CC) $(HARDEN) $(CFLAGS_) -MMD -MP -c -o $@ $<

# --- generated --------------------------------------------------------------
# The registries: sorted arrays of what lies in domains/, analyze/ and sinks/, and of sources.
REG_IN := $(sort $(wildcard src/domains/*/ src/analyze/*.c src/sinks/*.c)) \
	  $(sort $(shell grep -rl --include='*.c' '^const struct xpt_source ' src/engine))
$(B)/gen/registry.c: scripts/gen-registry $(B)/gen/registry.list
	$(Q)scripts/gen-registry src > $@
$(B)/gen/registry.list: FORCE
	$(Q)mkdir -p $(@D); printf '%s\n' $(REG_IN) | cmp -s - $@ || printf '%s\n' $(REG_IN) > $@
$(B)/obj/gen/registry.o: $(B)/gen/registry.c
	$(Q)mkdir -p $(@D) && $(CCACHE) $(CC) $(HARDEN) $(CFLAGS_) -MMD -MP -c -o $@ $<
# What optional libraries there are is compiled into these files.
$(B)/gen/optional.list: FORCE
	$(Q)mkdir -p $(@D); echo 'lzma $(HAVE_LZMA) zstd $(HAVE_ZSTD)' | cmp -s - $@ || \
		echo 'lzma $(HAVE_LZMA) zstd $(HAVE_ZSTD)' > $@
$(B)/obj/elf/unpack.o: $(B)/gen/optional.list
.PHONY: FORCE
FORCE:

# --- BPF ----------------------------------------------------------------------
.PRECIOUS: $(B)/bpf/%.bpf.o $(B)/gen/%.skel.h
vpath %.bpf.c $(sort $(dir $(BPF_SRC)))
$(B)/bpf/%.bpf.o: %.bpf.c | $(DEPS_OK)
	$(say) BPF $<
	$(Q)mkdir -p $(@D) && $(CCACHE) $(CLANG) -target bpf -O2 -g -mcpu=v3 -Wall -Werror \
		-Wno-gnu-variable-sized-type-not-at-end -Isrc $(BPF_CFLAGS) \
		-MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@.tmp $< && $(BPFTOOL) gen object $@ $@.tmp && rm $@.tmp
$(B)/gen/%.skel.h: $(B)/bpf/%.bpf.o
	$(say) SKEL $@
	$(Q)mkdir -p $(@D) && $(BPFTOOL) gen skeleton $< name $*_bpf > $@
# Objects that include a skeleton need it before their first dependency file exists.
$(filter $(B)/obj/engine/% $(B)/obj/kernel/%,$(LIB_OBJ)): | $(SKEL)

# Under sudo, what was built belongs to the user who called.
HAND_BACK = $(if $(SUDO_UID),chown -R $(SUDO_UID):$(SUDO_GID) build;)

# --- other rooms --------------------------------------------------------------
include $(wildcard mk/*.inc.mk)

install: all ## install to $(DESTDIR)$(PREFIX)
	install -D -m 755 $(B)/xputrace $(DESTDIR)$(PREFIX)/bin/xputrace
	for h in $(wildcard examples/hooks/*.hook); do install -D -m 644 $$h $(DESTDIR)$(PREFIX)/share/xputrace/hooks/$${h##*/}; done
	for m in $(wildcard man/*.1); do install -D -m 644 $$m $(DESTDIR)$(PREFIX)/share/man/man1/$${m##*/}; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/xputrace/monitoring $(wildcard monitoring/xputrace.*)
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's,@BINDIR@,$(PREFIX)/bin,' systemd/xputrace-agent.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/xputrace-agent.service
uninstall: ## remove what install put there
	rm -rf $(DESTDIR)$(PREFIX)/share/xputrace/hooks $(DESTDIR)$(PREFIX)/share/xputrace/monitoring
	rm -f $(DESTDIR)$(PREFIX)/bin/xputrace $(DESTDIR)$(PREFIX)/share/man/man1/xputrace*.1 \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/xputrace-agent.service

clean: ## remove build/
	rm -rf $(B)

help: ## this list
	@grep -hE '^[a-z][a-z-]*:.*##' Makefile mk/*.inc.mk | sed 's/:.*##/\t/' | expand -t 14

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(USER_OBJ:.o=.d) $(NVML_OBJ:.o=.d) $(CURSES_OBJ:.o=.d) $(patsubst %.bpf.c,$(B)/bpf/%.bpf.d,$(notdir $(BPF_SRC)))
