/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel's ways of probing a function cost: the same tiny program, six
 * instructions that count, on the entry or return of umask(2) by each way.
 *   kernel_probes [CALLS]     a line "NAME NS" a way, NS a call more than without
 *   kernel_probes CALLS bare  NS of a call alone: for a tool that watches
 * Under QEMU's -icount shift=0 a nanosecond is an instruction, so the numbers repeat
 * exactly: bench/vm.sh. The best of 25 rounds.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "kernel/kattach.h"

#define TARGET "__x64_sys_umask"
#define ROUNDS 25
#define ANY 0xffffffffu

enum way { TRACING, TRACING_MULTI, KPROBE, KPROBE_MULTI };

struct probe {
	enum way way;
	uint32_t attach_type;	/* of the program, 0: none */
	bool ret;
};

static const struct row {
	const char *name;
	struct probe probe[2];	/* way of the second ANY: one only */
} rows[] = {
#define NO { ANY, 0, false }
	{ "fentry", { { TRACING, BPF_TRACE_FENTRY, false }, NO } },
	{ "fexit", { { TRACING, BPF_TRACE_FEXIT, true }, NO } },
	{ "fentry+fexit", { { TRACING, BPF_TRACE_FENTRY, false }, { TRACING, BPF_TRACE_FEXIT, true } } },
	{ "fexit.multi", { { TRACING_MULTI, XPT_BPF_TRACE_FEXIT_MULTI, true }, NO } },
	{ "fsession.multi", { { TRACING_MULTI, XPT_BPF_TRACE_FSESSION_MULTI, false }, NO } },
	{ "kprobe", { { KPROBE, 0, false }, NO } },
	{ "kretprobe", { { KPROBE, 0, true }, NO } },
	{ "kprobe+kretprobe", { { KPROBE, 0, false }, { KPROBE, 0, true } } },
	{ "kprobe.multi", { { KPROBE_MULTI, XPT_BPF_TRACE_KPROBE_MULTI, false }, NO } },
	{ "kretprobe.multi", { { KPROBE_MULTI, XPT_BPF_TRACE_KPROBE_MULTI, true }, NO } },
	{ "kprobe.session", { { KPROBE_MULTI, XPT_BPF_TRACE_KPROBE_SESSION, false }, NO } },
};

static uint32_t btf_id;		/* of the target */
static uint64_t address;
static int counts;		/* an array of one counter */
static unsigned long nr_calls = 500;

static uint64_t address_of(const char *name)
{
	unsigned long long at;
	char line[256], sym[128];
	FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t found = 0;

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %127s", &at, sym) == 2 && !strcmp(sym, name))
			found = at;
	if (f)
		fclose(f);
	return found;
}

/* counter++, at an address that the kernel fills in. */
static int load(const struct probe *p)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = counts },
		{ 0 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = 1 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = p->attach_type,
		    .attach_btf_id = p->way == TRACING ? btf_id : 0);
	bool tracing = p->way == TRACING || p->way == TRACING_MULTI;

	return bpf_prog_load(tracing ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_KPROBE, NULL, "GPL",
			     insns, sizeof(insns) / sizeof(insns[0]), &opts);
}

/* *ret_event: what else is to be closed, or -1. */
static int attach(const struct probe *p, int prog, int *ret_event)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = 1);
	uint64_t cookie = 1;
	int event;

	switch (p->way) {
	case TRACING:
		return bpf_raw_tracepoint_open(NULL, prog);
	case TRACING_MULTI:
		return xpt_kattach__link_tracing(prog, p->attach_type, &btf_id, &cookie, 1);
	case KPROBE:
		event = xpt_kattach__open_kprobe(0, TARGET, p->ret);
		*ret_event = event < 0 ? -1 : event;
		return event < 0 ? event : bpf_link_create(prog, event, BPF_PERF_EVENT, &opts);
	default:
		return xpt_kattach__link_kprobes(prog, p->attach_type == XPT_BPF_TRACE_KPROBE_SESSION,
						 p->ret, &address, &cookie, 1);
	}
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The best round: whatever else the machine does only adds. */
static double ns_per_call(void)
{
	double best = 0, ns;

	for (int r = 0; r < ROUNDS; r++) {
		uint64_t t0 = now();

		for (unsigned long i = 0; i < nr_calls; i++)
			syscall(SYS_umask, 022);
		ns = (double)(now() - t0) / (double)nr_calls;
		best = !r || ns < best ? ns : best;
	}
	return best;
}

static uint64_t counted(void)
{
	uint32_t key = 0;
	uint64_t v = 0;

	bpf_map_lookup_elem(counts, &key, &v);
	return v;
}

static void close_pair(const int *fd)
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* Every program ran once a call, twice in a session; else the number means nothing. */
static int measure(const struct row *row, double bare)
{
	int prog[2] = { -1, -1 }, link[2] = { -1, -1 }, event[2] = { -1, -1 }, err = 0;
	unsigned long runs = 0, want;
	uint64_t before;
	double ns = 0;

	for (int i = 0; !err && i < 2 && (uint32_t)row->probe[i].way != ANY; i++) {
		prog[i] = load(&row->probe[i]);
		link[i] = prog[i] < 0 ? -errno : attach(&row->probe[i], prog[i], &event[i]);
		err = link[i] < 0 ? link[i] : 0;
		runs += strstr(row->name, "session") ? 2 : 1;
	}
	before = counted();
	want = runs * nr_calls * ROUNDS;
	if (!err)
		ns = ns_per_call();
	if (err)
		printf("%s - %s\n", row->name, strerror(-err));
	else if (counted() - before < want)
		printf("%s - ran %llu times, not %lu\n", row->name,
		       (unsigned long long)(counted() - before), want);
	else
		printf("%s %.0f\n", row->name, ns - bare);
	/* A kprobe's event would go on without its program. */
	close_pair(link);
	close_pair(event);
	close_pair(prog);
	return err;
}

int main(int argc, char **argv)
{
	double bare;
	int id;

	if (argc > 1)
		nr_calls = strtoul(argv[1], NULL, 0);
	bare = ns_per_call();
	if (argc > 2) {
		printf("%.0f\n", bare);
		return 0;
	}
	printf("(none) %.0f\n", bare);
	id = libbpf_find_vmlinux_btf_id(TARGET, BPF_TRACE_FENTRY);
	btf_id = id > 0 ? (uint32_t)id : 0;
	address = address_of(TARGET);
	counts = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 8, 1, NULL);
	if (!btf_id || !address || counts < 0) {
		fprintf(stderr, "kernel_probes: no %s, or no BPF: %s\n", TARGET, strerror(errno));
		return 1;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		measure(&rows[i], bare);
	return 0;
}
