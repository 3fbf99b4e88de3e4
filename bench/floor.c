/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The floor of `make bench`: runs a command while EMPTY programs are attached
 * at a site, so that what a tracer adds can be told from what the kernel asks
 * for any probe there.
 *   floor [--kind session|multi|perf] [--entry-only] [--report FILE]
 *         --object floor.bpf.o --path LIB (--offset FILE_OFFSET | --symbol NAME |
 *         --all)... -- CMD ARGS
 * Exit status: that of CMD; 4 when this kernel has no such attach kind. The
 * report is one JSON object with the probes and the times of attach and detach.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* From include/uapi/linux/bpf.h of Linux 6.13; older headers lack them. */
#define ATTACH_UPROBE_MULTI 48
#define ATTACH_UPROBE_SESSION 57
#define UPROBE_MULTI_RETURN 1

#define MAX_SITES 8192

struct link_uprobe_multi {	/* union bpf_attr, command BPF_LINK_CREATE */
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, pad;
};

enum kind { KIND_SESSION, KIND_MULTI, KIND_PERF };

static const char *const kind_names[] = { "session", "multi", "perf" };

static struct {
	enum kind kind;
	bool entry_only, all;
	const char *object, *path, *report;
	const char *symbols[64];
	unsigned nr_symbols;
	uint64_t offsets[MAX_SITES];
	unsigned nr_offsets;
} opt;

static struct {
	int fds[2];
	struct bpf_link **links;
	unsigned nr_fds, nr_links;
	uint64_t attach_ns, detach_ns;
} at;

static pid_t child;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static int fail(int err, const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(-err));
	return err;
}

/* File offset of a virtual address, by the program headers; 0 if none. */
static uint64_t file_offset(Elf *elf, uint64_t vaddr)
{
	GElf_Phdr ph;
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (vaddr >= ph.p_vaddr && vaddr - ph.p_vaddr < ph.p_filesz)
			return vaddr - ph.p_vaddr + ph.p_offset;
	}
	return 0;
}

static bool wanted(const char *name)
{
	for (unsigned i = 0; i < opt.nr_symbols; i++)
		if (!strcmp(name, opt.symbols[i]))
			return true;
	return opt.all && !strncmp(name, "cu", 2);
}

static void add_offset(uint64_t off)
{
	for (unsigned i = 0; i < opt.nr_offsets; i++)
		if (opt.offsets[i] == off)
			return;
	if (off && opt.nr_offsets < MAX_SITES)
		opt.offsets[opt.nr_offsets++] = off;
}

static void scan_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	const char *name;
	GElf_Sym sym;

	for (size_t i = 0; data && i < n; i++) {
		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && name && wanted(name))
			add_offset(file_offset(elf, sym.st_value));
	}
}

/* Adds the sites of --symbol and --all. */
static int resolve(void)
{
	int fd = open(opt.path, O_RDONLY | O_CLOEXEC), err = 0;
	Elf_Scn *scn = NULL;
	Elf *elf = NULL;
	GElf_Shdr sh;

	if (fd < 0)
		return fail(-errno, opt.path);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM)
			scan_symbols(elf, scn, &sh);
	if (!opt.nr_offsets)
		err = fail(-ENOENT, "no such symbol");
	elf_end(elf);
	close(fd);
	return err;
}

static int link_multi(struct bpf_program *prog, uint32_t attach_type, uint32_t flags)
{
	struct link_uprobe_multi a = {
		.prog_fd = (uint32_t)bpf_program__fd(prog),
		.attach_type = attach_type,
		.path = (uintptr_t)opt.path,
		.offsets = (uintptr_t)opt.offsets,
		.cnt = opt.nr_offsets,
		.multi_flags = flags,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof(a));

	if (fd < 0)
		return fail(-errno, "BPF_LINK_CREATE");
	at.fds[at.nr_fds++] = fd;
	return 0;
}

static int link_perf(struct bpf_program *prog, bool ret)
{
	for (unsigned i = 0; i < opt.nr_offsets; i++) {
		struct bpf_link *l = bpf_program__attach_uprobe(prog, ret, -1, opt.path,
								opt.offsets[i]);

		if (!l)
			return fail(-errno, "attach uprobe");
		at.links[at.nr_links++] = l;
	}
	return 0;
}

static int attach(struct bpf_object *obj)
{
	struct bpf_program *session = bpf_object__find_program_by_name(obj, "floor_session");
	struct bpf_program *entry = bpf_object__find_program_by_name(obj, "floor_entry");
	struct bpf_program *ret = bpf_object__find_program_by_name(obj, "floor_return");
	uint64_t t0 = now_ns();
	int err;

	at.links = calloc(2 * MAX_SITES, sizeof(*at.links));
	if (!at.links)
		return -ENOMEM;
	if (opt.kind == KIND_SESSION) {
		err = link_multi(session, ATTACH_UPROBE_SESSION, 0);
	} else if (opt.kind == KIND_MULTI) {
		err = link_multi(entry, ATTACH_UPROBE_MULTI, 0);
		if (!err && !opt.entry_only)
			err = link_multi(ret, ATTACH_UPROBE_MULTI, UPROBE_MULTI_RETURN);
	} else {
		err = link_perf(entry, false);
		if (!err && !opt.entry_only)
			err = link_perf(ret, true);
	}
	at.attach_ns = now_ns() - t0;
	return err;
}

static void detach(void)
{
	uint64_t t0 = now_ns();

	for (unsigned i = 0; i < at.nr_fds; i++)
		close(at.fds[i]);
	for (unsigned i = 0; i < at.nr_links; i++)
		bpf_link__destroy(at.links[i]);
	free(at.links);
	at.detach_ns = now_ns() - t0;
}

static int load(struct bpf_object **ret_obj)
{
	struct bpf_object *obj = bpf_object__open_file(opt.object, NULL);
	struct bpf_program *p;
	int err;

	if (!obj)
		return fail(-errno, opt.object);
	bpf_object__for_each_program(p, obj) {
		bool session = !strcmp(bpf_program__name(p), "floor_session");

		if (session != (opt.kind == KIND_SESSION))
			bpf_program__set_autoload(p, false);
		else if (opt.kind != KIND_PERF)
			bpf_program__set_expected_attach_type(p, session ? ATTACH_UPROBE_SESSION
									 : ATTACH_UPROBE_MULTI);
	}
	err = bpf_object__load(obj);
	if (err) {
		bpf_object__close(obj);
		return fail(err, "load");
	}
	*ret_obj = obj;
	return 0;
}

static void forward(int sig)
{
	if (child > 0)
		kill(child, sig);
}

/* Runs the command; its exit status, 128 + signal if it was killed. */
static int run(char **cmd)
{
	int status = 0;

	signal(SIGINT, forward);
	signal(SIGTERM, forward);
	child = fork();
	if (child < 0) {
		fail(-errno, "fork");
		return 1;
	}
	if (!child) {
		execvp(cmd[0], cmd);
		fail(-errno, cmd[0]);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void report(void)
{
	FILE *f = opt.report ? fopen(opt.report, "we") : NULL;

	if (!f)
		return;
	fprintf(f, "{\"kind\":\"%s\",\"probes\":%u,\"attach_ns\":%llu,\"detach_ns\":%llu}\n",
		kind_names[opt.kind], opt.nr_offsets, (unsigned long long)at.attach_ns,
		(unsigned long long)at.detach_ns);
	fclose(f);
}

static int usage(void)
{
	fprintf(stderr, "usage: floor [--kind session|multi|perf] [--entry-only] [--report FILE] "
			"--object floor.bpf.o --path LIB (--offset N | --symbol NAME | --all)... "
			"-- CMD ARGS\n");
	exit(2);
}

static enum kind parse_kind(const char *s)
{
	for (unsigned i = 0; i < sizeof(kind_names) / sizeof(kind_names[0]); i++)
		if (!strcmp(s, kind_names[i]))
			return (enum kind)i;
	return (enum kind)usage();
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "kind", 1, NULL, 'k' },   { "entry-only", 0, NULL, 'e' },
		{ "report", 1, NULL, 'r' }, { "object", 1, NULL, 'b' },
		{ "path", 1, NULL, 'p' },   { "offset", 1, NULL, 'o' },
		{ "symbol", 1, NULL, 's' }, { "all", 0, NULL, 'a' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", longs, NULL)) != -1) {
		if (c == 'k')
			opt.kind = parse_kind(optarg);
		else if (c == 'e')
			opt.entry_only = true;
		else if (c == 'r')
			opt.report = optarg;
		else if (c == 'b')
			opt.object = optarg;
		else if (c == 'p')
			opt.path = optarg;
		else if (c == 'o')
			add_offset(strtoull(optarg, NULL, 0));
		else if (c == 's' && opt.nr_symbols < 64)
			opt.symbols[opt.nr_symbols++] = optarg;
		else if (c == 'a')
			opt.all = true;
		else
			usage();
	}
	if (!opt.object || !opt.path || optind == argc)
		usage();
}

int main(int argc, char **argv)
{
	struct bpf_object *obj = NULL;
	int ret = 4;

	parse(argc, argv);
	if ((opt.nr_symbols || opt.all || !opt.nr_offsets) && resolve())
		return 1;
	libbpf_set_print(NULL);
	if (!load(&obj) && !attach(obj))
		ret = run(argv + optind);
	detach();
	bpf_object__close(obj);
	report();
	return ret;
}
