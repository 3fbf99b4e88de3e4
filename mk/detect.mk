# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What this machine has: compilers, libraries, bpftool. Needed things that are
# missing stop the build with the list of packages (scripts/deps); optional
# ones switch a feature off. `clean` and `help` ask for nothing.

# A compiler cache, where one is installed and works; CCACHE= goes without.
CCACHE ?= $(shell ccache --print-stats >/dev/null 2>&1 && echo ccache)
CCACHE := $(CCACHE)

BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/bin/bpftool /usr/local/sbin/bpftool) bpftool)
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_CFLAGS := -D__TARGET_ARCH_x86 $(if $(MULTIARCH),-I/usr/include/$(MULTIARCH))

# The stamp exists once scripts/deps has found everything that a build needs.
DEPS_OK := $(B)/deps.ok
$(DEPS_OK): scripts/deps
	@mkdir -p $(@D) && scripts/deps check && touch $@

# Optional: packed kernel modules (.ko.xz, .ko.zst) and kernel images; debug information.
have-header = $(shell echo '\#include <$(1)>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
ifneq ($(filter-out clean help,$(or $(MAKECMDGOALS),all)),)
HAVE_LZMA := $(call have-header,lzma.h)
HAVE_ZSTD := $(call have-header,zstd.h)
HAVE_LIBDW := $(call have-header,elfutils/libdw.h)
# Loaded when it is needed, by a process of its own (src/http): nothing is linked.
HAVE_MICROHTTPD := $(call have-header,microhttpd.h)
HAVE_YAML := $(call have-header,yaml.h)
endif
DETECT_LIBS := -lbpf -lelf -lcapstone -lz $(if $(HAVE_LZMA),-llzma) $(if $(HAVE_ZSTD),-lzstd) $(if $(HAVE_YAML),-lyaml) -lm
DETECT_LIBS_STATIC := $(DETECT_LIBS)
# Names of states from debug information; the static binary goes without.
DETECT_LIBS += $(if $(HAVE_LIBDW),-ldw)
# clang warns of a GNU extension that gcc is silent about.
DETECT_CFLAGS := $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),-Wno-gnu-variable-sized-type-not-at-end)
DETECT_CFLAGS += $(if $(HAVE_LZMA),-DXPT_HAVE_LZMA) $(if $(HAVE_ZSTD),-DXPT_HAVE_ZSTD) \
	$(if $(HAVE_LIBDW),-DXPT_HAVE_LIBDW) $(if $(HAVE_MICROHTTPD),-DXPT_HAVE_MICROHTTPD) $(if $(HAVE_YAML),-DXPT_HAVE_YAML)
