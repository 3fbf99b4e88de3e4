/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ways in which calls of a kernel function can be seen: which of them
 * this kernel has, found out by trying, and which one a function gets.
 */
#ifndef XPT_KERNEL_KATTACH_H
#define XPT_KERNEL_KATTACH_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_kfunc;
struct bpf_insn;

/* Best first. */
enum xpt_kattach {
	XPT_KATTACH_AUTO,
	XPT_KATTACH_FSESSION_MULTI,	/* one program and one link for all: kernel 7.2+ */
	XPT_KATTACH_FENTRY_MULTI,	/* one for entries, one for returns: 7.2+ */
	XPT_KATTACH_FENTRY,	/* a program and a link for each function and direction: 5.19+ */
	XPT_KATTACH_KPROBE_SESSION,	/* one program and one link for all: 6.10+ */
	XPT_KATTACH_KPROBE_MULTI,	/* one for entries, one for returns: 5.18+ with fprobe */
	XPT_KATTACH_KPROBE,	/* a perf event for each function and direction: 5.15+ */
	XPT_KATTACH__MAX
};

/* Programs that know the function by the kernel's type information. */
static inline bool xpt_kattach_by_btf(enum xpt_kattach kind)
{
	return kind <= XPT_KATTACH_FENTRY;
}

/* include/uapi/linux/bpf.h of Linux 7.2: enum bpf_attach_type */
#define XPT_BPF_TRACE_KPROBE_MULTI 42
#define XPT_BPF_TRACE_KPROBE_SESSION 56
#define XPT_BPF_TRACE_FENTRY_MULTI 59
#define XPT_BPF_TRACE_FEXIT_MULTI 60
#define XPT_BPF_TRACE_FSESSION_MULTI 61

/* For each kind: 0 if it works, else -errno of the refused call. */
struct xpt_kattach_caps {
	int err[XPT_KATTACH__MAX];
};

const char *xpt_kattach_name(enum xpt_kattach kind);	/* "fsession-multi" */
/*
 * Loads and attaches each kind once, on XPT_KATTACH_TRIED, with a program that does nothing.
 * id: of that function in the kernel's BTF, as xpt_kfind__id() has it; 0: no BTF.
 */
void xpt_kattach__probe(uint32_t id, struct xpt_kattach_caps *ret_caps);
/* The same of some kinds (bits, by enum xpt_kattach); of the others err is -EOPNOTSUPP. */
void xpt_kattach__probe_some(uint32_t id, uint32_t kinds, struct xpt_kattach_caps *ret_caps);
#define XPT_KATTACH_TRIED "__x64_sys_ioctl"	/* every kernel has it, in text and in BTF */
/* The same of fentry alone. 0 or -errno. */
int xpt_kattach__try_fentry(void);
/* Whether one link of this kind serves many functions. */
bool xpt_kattach__is_multi(enum xpt_kattach kind);
/*
 * The best kind after `after` (AUTO: of all) that a function can have here;
 * force: this one or none. AUTO: none, and *ret_why says why, in a static
 * text. many: more functions than should have programs of their own, which take long to load.
 */
enum xpt_kattach xpt_kattach__choose(const struct xpt_kattach_caps *caps,
				     const struct xpt_kfunc *k, enum xpt_kattach force,
				     enum xpt_kattach after, bool many, const char **ret_why);

/*
 * Links by bpf(2), which libbpf 1.1 lacks. A file descriptor or -errno. addrs:
 * of the functions; ids: in the BTF that the program was loaded for.
 */
int xpt_kattach__link_kprobes(int prog, bool session, bool ret, const uint64_t *addrs,
			      const uint64_t *cookies, uint32_t n);
int xpt_kattach__link_tracing(int prog, uint32_t attach_type, const uint32_t *ids,
			      const uint64_t *cookies, uint32_t n);
/* A perf event on a function's entry or return, or -errno. By address, or by name: "[MODULE:]NAME". */
int xpt_kattach__open_kprobe(uint64_t addr, const char *name, bool ret);

#endif
