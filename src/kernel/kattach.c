// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ways of attaching to kernel functions, see kattach.h. The ways that work
 * depend on the kernel's version, its configuration and its lockdown, so each
 * way is tried.
 */
#include "kernel/kattach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "kernel/kfind.h"

#define TRIED XPT_KATTACH_TRIED
#define PMU "/sys/bus/event_source/devices/kprobe/"
#define KPROBE_MULTI_RETURN 1u	/* BPF_F_KPROBE_MULTI_RETURN */
#define REG_WORDS 6

/* union bpf_attr.link_create, include/uapi/linux/bpf.h of Linux 7.2 */
struct link_create {
	uint32_t prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			uint32_t flags, cnt;
			uint64_t syms, addrs, cookies;
		} kprobe;
		struct {
			uint64_t ids, cookies;
			uint32_t cnt, pad;
		} tracing;
	};
};

static const char *const names[XPT_KATTACH__MAX] = {
	"auto", "fsession-multi", "fentry-multi", "fentry", "kprobe-session", "kprobe-multi", "kprobe",
};

const char *xpt_kattach_name(enum xpt_kattach kind)
{
	return kind < XPT_KATTACH__MAX ? names[kind] : "?";
}

bool xpt_kattach__is_multi(enum xpt_kattach kind)
{
	return kind != XPT_KATTACH_FENTRY && kind != XPT_KATTACH_KPROBE;
}

static int create_link(const struct link_create *attr)
{
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : (int)fd;
}

static int link_kprobes(int prog, bool session, bool ret, const char *const *syms,
			const uint64_t *addrs, const uint64_t *cookies, uint32_t n)
{
	struct link_create attr = {
		.prog_fd = (uint32_t)prog,
		.attach_type = session ? XPT_BPF_TRACE_KPROBE_SESSION : XPT_BPF_TRACE_KPROBE_MULTI,
		.kprobe = { .flags = ret ? KPROBE_MULTI_RETURN : 0, .cnt = n,
			    .syms = (uint64_t)(uintptr_t)syms, .addrs = (uint64_t)(uintptr_t)addrs,
			    .cookies = (uint64_t)(uintptr_t)cookies },
	};

	return create_link(&attr);
}

int xpt_kattach__link_kprobes(int prog, bool session, bool ret, const uint64_t *addrs,
			      const uint64_t *cookies, uint32_t n)
{
	return link_kprobes(prog, session, ret, NULL, addrs, cookies, n);
}

int xpt_kattach__link_tracing(int prog, uint32_t attach_type, const uint32_t *ids,
			      const uint64_t *cookies, uint32_t n)
{
	struct link_create attr = {
		.prog_fd = (uint32_t)prog,
		.attach_type = attach_type,
		.tracing = { .ids = (uint64_t)(uintptr_t)ids, .cnt = n,
			     .cookies = (uint64_t)(uintptr_t)cookies },
	};

	return create_link(&attr);
}

static int read_number(const char *path, const char *fmt, unsigned *ret_v)
{
	FILE *f = fopen(path, "re");
	int n = f ? fscanf(f, fmt, ret_v) : 0;

	if (f)
		fclose(f);
	return n == 1 ? 0 : -ENOTSUP;
}

int xpt_kattach__open_kprobe(uint64_t addr, const char *name, bool ret)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	unsigned type, bit;
	long fd;

	if (read_number(PMU "type", "%u", &type) ||
	    read_number(PMU "format/retprobe", "config:%u", &bit) || bit > 63)
		return -ENOTSUP;
	attr.type = type;
	attr.config = ret ? 1ull << bit : 0;
	if (addr)
		attr.config2 = addr;
	else
		attr.config1 = (uint64_t)(uintptr_t)name;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* A program that asks for its cookie and does nothing with it; -errno. */
static int load_nothing(enum bpf_prog_type type, uint32_t attach_type, uint32_t btf_id)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type,
		    .attach_btf_id = btf_id);
	int fd = bpf_prog_load(type, NULL, "GPL", insns, 3, &opts);

	return fd < 0 ? -errno : fd;
}

/* Returns the result of the two calls; program and link are closed at once. */
static int try_link(int prog, int link)
{
	if (prog >= 0)
		close(prog);
	if (link >= 0)
		close(link);
	return prog < 0 ? prog : link < 0 ? link : 0;
}

static int try_tracing(uint32_t attach_type, uint32_t id)
{
	uint64_t cookie = 1;
	int prog = id ? load_nothing(BPF_PROG_TYPE_TRACING, attach_type, 0) : -ENOENT;

	return try_link(prog, prog < 0 ? prog :
			xpt_kattach__link_tracing(prog, attach_type, &id, &cookie, 1));
}

static int try_fentry(uint32_t id)
{
	int prog = id ? load_nothing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id) : -ENOENT;
	int link = prog < 0 ? prog : bpf_raw_tracepoint_open(NULL, prog);

	return try_link(prog, link < 0 && prog >= 0 ? -errno : link);
}

int xpt_kattach__try_fentry(void)
{
	int id = libbpf_find_vmlinux_btf_id(TRIED, BPF_TRACE_FENTRY);
	int err = try_fentry(id > 0 ? (uint32_t)id : 0);

	xpt_debug("fentry on the ioctl system call: %s", err ? strerror(-err) : "works");
	return err;
}

static int try_kprobes(bool session)
{
	const char *const sym = TRIED;
	uint64_t cookie = 1;
	int prog = load_nothing(BPF_PROG_TYPE_KPROBE,
				session ? XPT_BPF_TRACE_KPROBE_SESSION : XPT_BPF_TRACE_KPROBE_MULTI, 0);

	return try_link(prog, prog < 0 ? prog :
			link_kprobes(prog, session, false, &sym, NULL, &cookie, 1));
}

static int try_kprobe(void)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = 1);
	int event = xpt_kattach__open_kprobe(0, TRIED, true);
	int prog = event < 0 ? event : load_nothing(BPF_PROG_TYPE_KPROBE, 0, 0), link = prog;

	if (prog >= 0) {
		link = bpf_link_create(prog, event, BPF_PERF_EVENT, &opts);
		link = link < 0 ? -errno : link;
	}
	if (event >= 0)
		close(event);
	return try_link(prog, link);
}

static int try_kind(enum xpt_kattach kind, uint32_t id)
{
	switch (kind) {
	case XPT_KATTACH_FSESSION_MULTI:
		return try_tracing(XPT_BPF_TRACE_FSESSION_MULTI, id);
	case XPT_KATTACH_FENTRY_MULTI:
		return try_tracing(XPT_BPF_TRACE_FEXIT_MULTI, id);
	case XPT_KATTACH_FENTRY:
		return try_fentry(id);
	case XPT_KATTACH_KPROBE_SESSION:
	case XPT_KATTACH_KPROBE_MULTI:
		return try_kprobes(kind == XPT_KATTACH_KPROBE_SESSION);
	default:
		return try_kprobe();
	}
}

void xpt_kattach__probe_some(uint32_t id, uint32_t kinds, struct xpt_kattach_caps *ret_caps)
{
	int kind, err;

	ret_caps->err[XPT_KATTACH_AUTO] = 0;
	for (kind = XPT_KATTACH_AUTO + 1; kind < XPT_KATTACH__MAX; kind++) {
		bool asked = kinds >> kind & 1;

		err = asked ? try_kind((enum xpt_kattach)kind, id) : -EOPNOTSUPP;
		ret_caps->err[kind] = err;
		if (asked)
			xpt_debug("kernel functions by %s: %s", names[kind], err ? strerror(-err) : "works");
	}
}

void xpt_kattach__probe(uint32_t id, struct xpt_kattach_caps *ret_caps)
{
	xpt_kattach__probe_some(id, ~0u, ret_caps);
}

/* Returns why the function cannot be attached in that way; NULL if nothing is known against it. */
static const char *why_not(const struct xpt_kfunc *k, enum xpt_kattach kind)
{
	if (k->traceable == XPT_KTRACE_NO)
		return "the kernel cannot trace it (inline, notrace, or only used at boot)";
	if (!xpt_kattach_by_btf(kind)) {
		if (k->denied)
			return "on the kernel's list of functions that no kprobe may have";
		if (!k->addr && k->same > 1)
			return "its name is not the only one, and addresses are hidden (kptr_restrict)";
		return !k->addr && xpt_kattach__is_multi(kind) ?
		       "addresses are hidden (kptr_restrict)" : NULL;
	}
	if (!k->has_proto)
		return k->proto.id ? "its type information names two functions"
				   : "no type information (BTF), or changed by the compiler";
	/* Older kernels then take the first of that name, wherever that is. */
	if (k->same > 1)
		return "its name is not the only one";
	if (k->proto.too_large)
		return "a structure that it returns, or arguments that are too many or too large";
	return k->proto.varargs ? "a variable number of arguments" : NULL;
}

enum xpt_kattach xpt_kattach__choose(const struct xpt_kattach_caps *caps,
				     const struct xpt_kfunc *k, enum xpt_kattach force,
				     enum xpt_kattach after, bool many, const char **ret_why)
{
	const char *why = "no way of attaching works on this kernel (see `xputrace doctor`)";
	int kind, alone = XPT_KATTACH_AUTO;

	for (kind = after + 1; kind < XPT_KATTACH__MAX; kind++) {
		const char *no;

		if ((force && kind != (int)force) || caps->err[kind])
			continue;
		no = why_not(k, (enum xpt_kattach)kind);
		if (no) {
			why = no;
			continue;
		}
		if (!many || force || kind != XPT_KATTACH_FENTRY)
			return (enum xpt_kattach)kind;
		alone = kind;
	}
	if (!alone)
		*ret_why = why;
	return (enum xpt_kattach)alone;
}
