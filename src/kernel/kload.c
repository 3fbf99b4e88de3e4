// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loading programs for kernel functions, see kload.h. libbpf 1.1 knows one
 * target for each program and none of the newer attach types, so the system
 * call is made with the instructions that it has prepared: maps and offsets are
 * in them already.
 */
#include "kernel/kload.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "wire/config.h"

#define PSEUDO_KFUNC_CALL 2	/* BPF_PSEUDO_KFUNC_CALL */
#define BTF_NAME 64

/* enum bpf_link_type, enum bpf_perf_event_type */
enum { LINK_PERF_EVENT = 7, LINK_KPROBE_MULTI = 8, EVENT_KPROBE = 3, EVENT_KRETPROBE = 4 };

/* struct bpf_link_info with its kprobe_multi and perf_event.kprobe, include/uapi/linux/bpf.h of Linux 7.2 */
struct link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed, cookies;
		} kprobe_multi;
		struct {
			uint32_t type, pad;
			uint64_t name;
			uint32_t name_len, offset;
			uint64_t addr, missed, cookie;
		} event;
	};
};

static uint32_t attach_type(enum xpt_kattach kind, enum xpt_khalf half)
{
	switch (kind) {
	case XPT_KATTACH_FSESSION_MULTI:
		return XPT_BPF_TRACE_FSESSION_MULTI;
	case XPT_KATTACH_FENTRY_MULTI:
		return half == XPT_KHALF_ENTER ? XPT_BPF_TRACE_FENTRY_MULTI : XPT_BPF_TRACE_FEXIT_MULTI;
	case XPT_KATTACH_FENTRY:
		return half == XPT_KHALF_ENTER ? BPF_TRACE_FENTRY : BPF_TRACE_FEXIT;
	case XPT_KATTACH_KPROBE_SESSION:
		return XPT_BPF_TRACE_KPROBE_SESSION;
	case XPT_KATTACH_KPROBE_MULTI:
		return XPT_BPF_TRACE_KPROBE_MULTI;
	default:
		return 0;
	}
}

/* The call that stands for bpf_session_is_return() becomes one, see bpf/kernel/is_return.bpf.h. */
static int put_is_return(struct bpf_insn *insn, size_t n, uint32_t id)
{
	size_t i, found = 0;

	for (i = 0; i < n; i++) {
		if (insn[i].code != (BPF_JMP | BPF_CALL) || insn[i].src_reg ||
		    insn[i].imm != BPF_FUNC_get_numa_node_id)
			continue;
		insn[i].src_reg = PSEUDO_KFUNC_CALL;
		insn[i].imm = (int32_t)id;
		found++;
	}
	return found && id ? 0 : -ENOTSUP;
}

int xpt_kload__again(const struct bpf_program *p, enum xpt_kattach kind, enum xpt_khalf half,
		     int btf, uint32_t id, uint32_t is_return)
{
	size_t n = bpf_program__insn_cnt(p);
	struct bpf_insn *insns = calloc(n ? n : 1, sizeof(*insns));
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type(kind, half));
	int fd = -ENOMEM;

	if (!insns)
		return fd;
	memcpy(insns, bpf_program__insns(p), n * sizeof(*insns));
	if (xpt_kattach_by_btf(kind)) {
		opts.attach_btf_id = id;
		opts.attach_btf_obj_fd = (uint32_t)btf;
	}
	fd = half == XPT_KHALF_BOTH ? put_is_return(insns, n, is_return) : 0;
	if (!fd) {
		fd = bpf_prog_load(xpt_kattach_by_btf(kind) ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_KPROBE,
				   bpf_program__name(p), "Dual BSD/GPL", insns, n, &opts);
		fd = fd < 0 ? -errno : fd;
	}
	if (fd < 0)
		xpt_debug("program for %s: %s", xpt_kattach_name(kind), strerror(-fd));
	free(insns);
	return fd;
}

static bool is_module(int fd, const char *module)
{
	struct bpf_btf_info info = { 0 };
	char name[BTF_NAME] = "";
	__u32 len = sizeof(info);

	info.name = (uint64_t)(uintptr_t)name;
	info.name_len = sizeof(name);
	return !bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf && !strcmp(name, module);
}

int xpt_kload__module_btf(const char *module)
{
	__u32 id = 0;
	int fd;

	while (!bpf_btf_get_next_id(id, &id)) {
		fd = bpf_btf_get_fd_by_id(id);
		if (fd < 0)
			continue;	/* gone in the meantime */
		if (is_module(fd, module))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

uint64_t xpt_kload__missed(int prog)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(prog, &info, &len) ? 0 : info.recursion_misses;
}

uint64_t xpt_kload__link_missed(int link)
{
	struct link_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(link, &info, &len))
		return 0;
	if (info.type == LINK_KPROBE_MULTI)
		return info.kprobe_multi.missed;
	if (info.type == LINK_PERF_EVENT && (info.event.type == EVENT_KPROBE || info.event.type == EVENT_KRETPROBE))
		return info.event.missed;
	return 0;
}
