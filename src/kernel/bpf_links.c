// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bpf(2) by hand where libbpf 1.1 has no wrapper, and the privileges that
 * tracing needs. Used by the engine's attach code and by `doctor`.
 */
#include "kernel/bpf_links.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files/pseudo_fs.h"

/* union bpf_attr.link_create with uprobe_multi, include/uapi/linux/bpf.h of Linux 6.6. */
struct link_create_uprobe_multi {
	uint32_t prog_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t ref_ctr_offsets;
	uint64_t cookies;
	uint32_t cnt;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t pad;
};

#define UPROBE_MULTI_RETURN 1u	/* BPF_F_UPROBE_MULTI_RETURN */

static const char *const attach_names[XPT_ATTACH__MAX] = { "auto", "session", "multi", "perf" };

const char *xpt_attach_name(enum xpt_attach kind)
{
	return kind < XPT_ATTACH__MAX ? attach_names[kind] : "?";
}

int xpt_kernel__link_points(int prog_fd, const char *path, const uint64_t *offsets,
			    const uint64_t *semas, const uint64_t *cookies, uint32_t n)
{
	struct link_create_uprobe_multi attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = XPT_BPF_TRACE_UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t)path,
		.offsets = (uint64_t)(uintptr_t)offsets,
		.ref_ctr_offsets = (uint64_t)(uintptr_t)semas,
		.cookies = (uint64_t)(uintptr_t)cookies,
		.cnt = n,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

int xpt_kernel__link_uprobes(int prog_fd, enum xpt_attach kind, bool ret, const char *path,
			     const uint64_t *offsets, const uint64_t *cookies, uint32_t n)
{
	struct link_create_uprobe_multi attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = kind == XPT_ATTACH_SESSION ? XPT_BPF_TRACE_UPROBE_SESSION
							  : XPT_BPF_TRACE_UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t)path,
		.offsets = (uint64_t)(uintptr_t)offsets,
		.cookies = (uint64_t)(uintptr_t)cookies,
		.cnt = n,
		.multi_flags = ret ? UPROBE_MULTI_RETURN : 0,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

/* A link to a file that does not exist: ENOENT means that the kernel knows the kind. */
bool xpt_kernel__knows_uprobes(enum xpt_attach kind)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = kind == XPT_ATTACH_SESSION ? XPT_BPF_TRACE_UPROBE_SESSION
								       : XPT_BPF_TRACE_UPROBE_MULTI);
	uint64_t offset = 0;
	int prog, link;

	if (kind == XPT_ATTACH_PERF)
		return true;
	prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, 2, &opts);
	if (prog < 0)
		return true;
	link = xpt_kernel__link_uprobes(prog, kind, false, "/nonexistent/xputrace", &offset, &offset, 1);
	close(prog);
	return link == -ENOENT;
}

/* The type of the kernel's event source for uprobes. Documentation/ABI/testing/sysfs-bus-event_source-devices */
static int read_uprobe_type(uint32_t *ret_type)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int n;

	if (!f)
		return -ENOTSUP;
	n = fscanf(f, "%" SCNu32, ret_type);
	fclose(f);
	return n == 1 ? 0 : -ENOTSUP;
}

/* Permissions are checked first, and the empty path is refused with EINVAL (kernel/events/core.c,
 * perf_uprobe_event_init(); kernel/trace/trace_event_perf.c, perf_uprobe_init()). */
int xpt_kernel__try_perf_uprobe(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .uprobe_path = (uint64_t)(uintptr_t)"" };
	int err = read_uprobe_type(&attr.type);
	long fd;

	if (err)
		return err;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == EINVAL ? 0 : -errno;
	close((int)fd);
	return 0;
}

/* Since 6.18 there is uprobe(2), which fails with ENXIO if it is called by anything but a replaced nop. */
bool xpt_kernel__nop5_is_call(void)
{
#if defined(__x86_64__)
	return syscall(336 /* uprobe, arch/x86/entry/syscalls/syscall_64.tbl */) < 0 &&
	       errno == ENXIO;
#else
	return false;
#endif
}

/* Capability numbers: include/uapi/linux/capability.h */
enum { CAP_PTRACE = 19, CAP_ADMIN = 21, CAP_PERF = 38, CAP_BPF_ = 39 };

static bool own_capabilities(uint64_t *ret_caps)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	bool found = false;

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "CapEff: %" SCNx64, ret_caps) == 1;
	fclose(f);
	return found;
}

/* "none [integrity] confidentiality": Documentation/ABI/testing/securityfs-lockdown */
const char *xpt_kernel__lockdown(void)
{
	static const char *const levels[] = { "none", "integrity", "confidentiality" };
	int fd = xpt_pseudo_fs__open("securityfs", "/sys/kernel/security", "lockdown");
	char line[64] = "", *now;
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	size_t i;

	line[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	now = strchr(line, '[');
	for (i = 0; now && i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strncmp(now + 1, levels[i], strlen(levels[i])))
			return levels[i];
	return NULL;
}

const char *xpt_kernel__why_refused(void)
{
	const char *lockdown = xpt_kernel__lockdown();

	if (lockdown && !strcmp(lockdown, "confidentiality"))
		return "the kernel is locked down (confidentiality) and lets no program read its memory; "
		       "lockdown=integrity would do";
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return "the kernel has no type information (/sys/kernel/btf/vmlinux): one with "
		       "CONFIG_DEBUG_INFO_BTF is needed";
	return NULL;
}

int xpt_kernel__privileges(const char **ret_missing)
{
	static const struct { int cap; const char *name; } need[] = {
		{ CAP_BPF_, "CAP_BPF" },
		{ CAP_PERF, "CAP_PERFMON" },
		{ CAP_PTRACE, "CAP_SYS_PTRACE" },
	};
	uint64_t caps = 0;
	size_t i;

	if (!own_capabilities(&caps) || caps >> CAP_ADMIN & 1)
		return 0;
	for (i = 0; i < sizeof(need) / sizeof(need[0]); i++) {
		if (caps >> need[i].cap & 1)
			continue;
		*ret_missing = need[i].name;
		return -EPERM;
	}
	return 0;
}

bool xpt_kernel__initial_pidns(void)
{
	struct stat st;

	/* PROC_PID_INIT_INO, include/linux/proc_ns.h: fixed for the initial namespace. */
	return stat("/proc/self/ns/pid", &st) || st.st_ino == 0xEFFFFFFCu;
}

bool xpt_kernel__own_offset(const void *addr, uint64_t *ret_offset)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t a = (uint64_t)(uintptr_t)addr, start, end, off;
	char line[512], prot[8];
	bool found = false;

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &start, &end, prot,
			   &off) != 4)
			continue;
		found = a >= start && a < end;
	}
	fclose(f);
	if (found)
		*ret_offset = a - start + off;
	return found;
}
