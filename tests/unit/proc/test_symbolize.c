/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * proc/symbols/symbolize.h on this very process, on one that has ended and on one that
 * nobody could look at; elf/elf_funcs.h on generated files: local functions,
 * gaps, aliases, separate debug files by build id and by checksum, and lies.
 */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>
#include <cmocka.h>
#include "base/time.h"
#include "elf/elf_funcs.h"
#include "elf_gen.h"
#include "proc/maps.h"
#include "proc/symbols/module_paths.h"
#include "proc/symbols/symbolize.h"

/* --- processes ---------------------------------------------------------------- */

static __attribute__((noinline)) int find_me(int x)
{
	return x * 3 + 1;
}

int mangled(int x) __asm__("_ZN4xptt6module4nameEi");
__attribute__((noinline)) int mangled(int x)
{
	return find_me(x) + 1;
}

static int setup(void **state)
{
	struct xpt_symbolizer *s = NULL;

	if (xpt_symbolizer__new(NULL, &s))
		return -1;
	*state = s;
	return mangled(1) == 5 ? 0 : -1;
}

static int teardown(void **state)
{
	xpt_symbolizer__free(*state);
	return 0;
}

static struct xpt_frame_text frame(struct xpt_symbolizer *s, int pid, uint64_t addr, bool ret)
{
	struct xpt_frame_text t;

	xpt_symbolizer__frame(s, pid, addr, ret, &t);
	return t;
}

static void test_own_process(void **state)
{
	struct xpt_frame_text t;
	char exe[4096] = "";

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	t = frame(*state, getpid(), (uintptr_t)find_me + 4, false);
	assert_int_equal(t.kind, XPT_FRAME_CODE);
	assert_string_equal(t.fn, "find_me+0x4");
	assert_string_equal(t.module, exe);
	t = frame(*state, getpid(), (uintptr_t)mangled + 1, true);
	assert_string_equal(t.fn, "xptt::module::name(int)+0x1");
	t = frame(*state, getpid(), (uintptr_t)lsearch + 1, true);
	assert_string_equal(t.fn, "lsearch+0x1");
	assert_non_null(strstr(t.module, "libc"));
}

/* Owners: this process is one, its children another, who alone has a share left. */
static unsigned nr_begun, nr_ended;

static uint64_t owner_of(void *ctx, int pid)
{
	(void)ctx;
	return pid == getpid() ? 1 : 2;
}

static int begin_file(void *ctx, int pid, const struct stat *st)
{
	(void)ctx;
	(void)st;
	nr_begun++;
	return pid == getpid() ? -EDQUOT : 0;
}

static int end_file(void *ctx, int err)
{
	(void)ctx;
	nr_ended++;
	return err;
}

/* What the share of one did not do for is read for another. */
static void test_owners(void **state)
{
	const struct xpt_symbolizer_cfg cfg = {
		.owner = owner_of, .begin = begin_file, .end = end_file,
	};
	struct xpt_symbolizer *s = NULL;
	int go[2];
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(xpt_symbolizer__new(&cfg, &s), 0);
	assert_non_null(strstr(frame(s, getpid(), (uintptr_t)find_me, false).fn, "test_symbolize+0x"));
	assert_int_equal(nr_begun, 1);
	assert_int_equal(nr_ended, 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(go[1]);
		_exit(read(go[0], &c, 1) == 1);
	}
	assert_string_equal(frame(s, pid, (uintptr_t)find_me, false).fn, "find_me+0x0");
	assert_int_equal(nr_begun, 2);
	assert_int_equal(nr_ended, 1);
	close(go[0]);
	close(go[1]);
	waitpid(pid, NULL, 0);
	xpt_symbolizer__free(s);
}

/* Of what is kept of mappings one owner gets three quarters; a path is there once. */
static void test_module_paths(void **state)
{
	struct xpt_module_paths *p = NULL;
	const char *a, *b, *got[64];
	char path[64];
	unsigned n;

	(void)state;
	assert_int_equal(xpt_module_paths__new(8000, &p), 0);
	a = xpt_module_paths__get(p, 1, "/lib/a");
	b = xpt_module_paths__get(p, 2, "/lib/a");
	assert_ptr_equal(a, b);
	xpt_module_paths__put(p, a);
	assert_string_equal(b, "/lib/a");
	xpt_module_paths__put(p, b);
	assert_int_equal(xpt_module_paths__bytes(p), 0);
	for (n = 0; n < 64 && xpt_module_paths__charge(p, 1, 1000); n++)
		;
	assert_int_equal(n, 6);
	assert_null(xpt_module_paths__get(p, 1, "/lib/b"));
	for (n = 0; n < 5; n++) {
		snprintf(path, sizeof(path), "/lib/%u", n);
		got[n] = xpt_module_paths__get(p, 2, path);
		assert_non_null(got[n]);
	}
	while (n--)
		xpt_module_paths__put(p, got[n]);
	xpt_module_paths__refund(p, 1, 6000);
	assert_int_equal(xpt_module_paths__bytes(p), 0);
	xpt_module_paths__free(p);
}

/* A return address at the very end of a function belongs to the call before it. */
static void test_return_address(void **state)
{
	struct xpt_frame_text t = frame(*state, getpid(), (uintptr_t)find_me, true);

	assert_int_not_equal(strncmp(t.fn, "find_me", 7), 0);
	t = frame(*state, getpid(), (uintptr_t)find_me, false);
	assert_string_equal(t.fn, "find_me+0x0");
}

static void test_no_code(void **state)
{
	static int data;
	struct xpt_frame_text t = frame(*state, getpid(), (uintptr_t)&data, true);
	char want[32];

	assert_int_equal(t.kind, XPT_FRAME_NONE);
	assert_string_equal(t.module, "");
	snprintf(want, sizeof(want), "0x%llx", (unsigned long long)(uintptr_t)&data);
	assert_string_equal(t.fn, want);
	assert_int_equal(frame(*state, getpid(), 0, true).kind, XPT_FRAME_NONE);
	assert_int_equal(frame(*state, getpid(), UINT64_MAX, true).kind, XPT_FRAME_NONE);
}

/* Code that is mapped later is found once somebody says so. */
static void test_new_mapping(void **state)
{
	struct xpt_mapping some = { .start = 4096, .end = 8192, .path = "/nowhere" };
	struct xpt_frame_text t;
	void *code;

	assert_true(xpt_symbolizer__add(*state, getpid()));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	xpt_symbolizer__mapped(*state, getpid(), &some);
	t = frame(*state, getpid(), (uintptr_t)code + 16, true);
	assert_int_equal(t.kind, XPT_FRAME_CODE);
	assert_string_equal(t.module, "[anon]");
	assert_string_equal(frame(*state, getpid(), 5000, true).module, "");	/* it was not true */
	munmap(code, 4096);
}

/* A process that waits to be killed. */
static int start_child(void)
{
	int pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void end_child(int pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_process_gone(void **state)
{
	int pid = start_child();
	uint32_t life = xpt_symbolizer__add(*state, pid);
	uint64_t at = (uintptr_t)find_me + 4;

	assert_true(life);
	end_child(pid);
	assert_string_equal(frame(*state, pid, at, false).fn, "find_me+0x4");
	assert_int_equal(xpt_symbolizer__add(*state, pid), life);
	xpt_symbolizer__drop(*state, pid, UINT64_MAX);
	assert_int_equal(frame(*state, pid, at, false).kind, XPT_FRAME_UNKNOWN);
	assert_string_equal(frame(*state, pid, at, false).module, "");
	assert_int_not_equal(xpt_symbolizer__add(*state, pid), life);
}

/* exec: what was read before it goes, what was read since stays, under a new number. */
static void test_exec(void **state)
{
	int pid = start_child();
	uint32_t life = xpt_symbolizer__add(*state, pid), next;
	uint64_t at = (uintptr_t)find_me + 4;

	end_child(pid);
	xpt_symbolizer__drop(*state, pid, 1);	/* long before */
	next = xpt_symbolizer__add(*state, pid);
	assert_int_not_equal(next, life);
	assert_string_equal(frame(*state, pid, at, false).fn, "find_me+0x4");
	xpt_symbolizer__drop(*state, pid, UINT64_MAX - 1);
	assert_int_equal(frame(*state, pid, at, false).kind, XPT_FRAME_UNKNOWN);
}

static void test_forked_and_gone(void **state)
{
	int pid = start_child();
	struct xpt_frame_text t;

	end_child(pid);
	assert_true(xpt_symbolizer__add(*state, getpid()));
	xpt_symbolizer__forked(*state, pid, getpid());
	t = frame(*state, pid, (uintptr_t)find_me + 4, false);
	assert_string_equal(t.fn, "find_me+0x4");
}

struct find {
	uint64_t addr;
	struct xpt_mapping m;
	char path[4096];
};

static int find_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct find *f = ctx;

	(void)pid;
	if (f->addr < m->start || f->addr >= m->end)
		return 0;
	snprintf(f->path, sizeof(f->path), "%s", m->path);
	f->m = *m;
	f->m.path = f->path;
	return 1;
}

static int find_deleted(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct find *f = ctx;

	(void)pid;
	if (!strstr(m->path, "(deleted)") || m->offset != f->m.offset)
		return 0;
	f->m.start = m->start;
	return 1;
}

static int dead_pid(void)
{
	int pid = start_child();

	end_child(pid);
	return pid;
}

/* Told by the kernel, never looked at: the file is found by its path and inode. */
static void test_told_and_gone(void **state)
{
	struct find f = { .addr = (uintptr_t)find_me };
	int pid = dead_pid(), child = dead_pid();

	assert_int_equal(xpt_maps__each(getpid(), find_mapping, &f), 1);
	xpt_symbolizer__forked(*state, child, pid);
	assert_int_equal(frame(*state, child, f.addr + 4, false).kind, XPT_FRAME_UNKNOWN);
	xpt_symbolizer__mapped(*state, pid, &f.m);	/* heard of it late */
	assert_string_equal(frame(*state, child, f.addr + 4, false).fn, "find_me+0x4");
	assert_string_equal(frame(*state, pid, f.addr + 4, false).fn, "find_me+0x4");
}

/* In the time from..to; and whether it says that it does not know. */
static struct xpt_frame_text then(struct xpt_symbolizer *s, int pid, uint64_t since, uint64_t until, uint64_t addr)
{
	struct xpt_span when = { since, until };
	struct xpt_frame_text t;

	xpt_symbolizer__frame_then(s, pid, &when, addr, false, &t);
	return t;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Two programs of one process, heard of but never looked at: each has its own files. */
static void test_programs(void **state)
{
	struct find f = { .addr = (uintptr_t)find_me };
	uint64_t at = f.addr + 4;
	int pid = dead_pid();
	char want[64];

	assert_int_equal(xpt_maps__each(getpid(), find_mapping, &f), 1);
	xpt_symbolizer__mapped(*state, pid, &f.m);	/* before anything is known of it */
	xpt_symbolizer__execed(*state, pid, 100);
	xpt_symbolizer__mapped(*state, pid, &f.m);
	xpt_symbolizer__execed(*state, pid, 200);
	f.m.path = "/nowhere/else";
	xpt_symbolizer__mapped(*state, pid, &f.m);
	assert_string_equal(then(*state, pid, 150, 250, at).fn, "find_me+0x4");
	assert_true(begins(then(*state, pid, 250, UINT64_MAX, at).fn, "else+0x"));
	assert_string_equal(then(*state, pid, 110, 190, at).fn, "find_me+0x4");
	assert_true(begins(then(*state, pid, 201, 300, at).fn, "else+0x"));
	snprintf(want, sizeof(want), "unknown(0x%llx)", (unsigned long long)at);
	assert_string_equal(then(*state, pid, 50, 90, at).fn, want);
	assert_string_equal(then(*state, pid, 0, 0, at).fn, want);
}

/* What the program before had mapped is heard of after the exec, from another processor. */
static void test_heard_late(void **state)
{
	struct find f = { .addr = (uintptr_t)find_me };
	uint64_t at = f.addr + 4;
	int pid = dead_pid();

	assert_int_equal(xpt_maps__each(getpid(), find_mapping, &f), 1);
	xpt_symbolizer__execed(*state, pid, 100);
	f.m.path = "/nowhere/else";
	f.m.at_ns = 90;
	xpt_symbolizer__mapped(*state, pid, &f.m);
	assert_false(begins(then(*state, pid, 150, 250, at).fn, "else+0x"));
	f.m.at_ns = 110;
	xpt_symbolizer__mapped(*state, pid, &f.m);
	assert_true(begins(then(*state, pid, 150, 250, at).fn, "else+0x"));
}

/* What was read while it ran is of its time only, whatever is mapped there since. */
static void test_read_before_exec(void **state)
{
	struct find f = { .addr = (uintptr_t)find_me };
	uint64_t before = xpt_now_ns(), at = f.addr + 4, after;
	int pid = start_child();
	char want[64];

	assert_true(xpt_symbolizer__add(*state, pid));
	after = xpt_now_ns();
	assert_int_equal(xpt_maps__each(getpid(), find_mapping, &f), 1);
	xpt_symbolizer__execed(*state, pid, after);
	f.m.path = "/nowhere/else";
	f.m.ino++;	/* the child has the first still */
	xpt_symbolizer__mapped(*state, pid, &f.m);
	assert_string_equal(then(*state, pid, before, after, at).fn, "find_me+0x4");
	assert_true(begins(then(*state, pid, after, UINT64_MAX, at).fn, "else+0x"));
	xpt_symbolizer__drop(*state, pid, after);
	assert_true(xpt_symbolizer__add(*state, pid));	/* read now: of the second only */
	snprintf(want, sizeof(want), "unknown(0x%llx)", (unsigned long long)at);
	assert_string_equal(then(*state, pid, before, after, at).fn, want);
	assert_string_equal(then(*state, pid, after, UINT64_MAX, at).fn, "find_me+0x4");
	end_child(pid);
}

/* What was mapped is a list of the program before, if that executed another while its files were looked at. */
static void test_exec_while_reading(void **state)
{
	struct find f = { .addr = (uintptr_t)find_me };
	uint64_t at = f.addr + 4, before, during;
	bool known = false;

	assert_int_equal(xpt_maps__each(getpid(), find_mapping, &f), 1);
	f.m.path = "/nowhere/else";
	f.m.ino++;
	for (int i = 0; i < 50 && !known; i++) {	/* when the list was there is not told: late enough in some try */
		int pid = start_child();

		before = xpt_now_ns();
		assert_true(xpt_symbolizer__add(*state, pid));
		during = before + (xpt_now_ns() - before) * 9 / 10;
		xpt_symbolizer__execed(*state, pid, during);
		xpt_symbolizer__mapped(*state, pid, &f.m);
		known = !strcmp(then(*state, pid, before, during, at).fn, "find_me+0x4");
		assert_true(known || begins(then(*state, pid, before, during, at).fn, "unknown("));
		assert_true(begins(then(*state, pid, during, UINT64_MAX, at).fn, "else+0x"));
		end_child(pid);
		xpt_symbolizer__drop(*state, pid, UINT64_MAX);
	}
	assert_true(known);
}

static void test_file_replaced(void **state)
{
	struct find f = { .addr = (uintptr_t)find_me };
	int pid = dead_pid();
	struct xpt_frame_text t;

	assert_int_equal(xpt_maps__each(getpid(), find_mapping, &f), 1);
	f.m.ino++;	/* another file has this path by now */
	xpt_symbolizer__mapped(*state, pid, &f.m);
	t = frame(*state, pid, f.addr + 4, false);
	assert_int_equal(strncmp(t.fn, "test_symbolize+0x", 17), 0);
}

/* A process of a copy of this program whose file is gone before it is looked at. */
static void test_file_deleted(void **state)
{
	struct find f = { .addr = (uintptr_t)find_me };
	char path[] = "/tmp/xpt_deletedXXXXXX", *const argv[] = { path, "wait", NULL };
	int fd = mkstemp(path), from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ready[2], pid;
	uint64_t at;
	char c;

	assert_int_equal(xpt_maps__each(getpid(), find_mapping, &f), 1);
	while (sendfile(fd, from, NULL, 1 << 20) > 0)
		;
	assert_true(fd >= 0 && from >= 0 && !fchmod(fd, 0700) && !pipe(ready));
	close(fd);
	close(from);
	pid = fork();
	if (!pid) {
		dup2(ready[1], STDOUT_FILENO);
		execv(path, argv);
		_exit(1);
	}
	assert_true(pid > 0 && read(ready[0], &c, 1) == 1);
	unlink(path);
	at = f.addr - f.m.start + f.m.offset;	/* in the file */
	assert_true(xpt_symbolizer__add(*state, pid));
	f.path[0] = '\0';
	assert_int_equal(xpt_maps__each(pid, find_deleted, &f), 1);
	end_child(pid);
	assert_string_equal(frame(*state, pid, f.m.start + at - f.m.offset + 4, false).fn, "find_me+0x4");
	close(ready[0]);
	close(ready[1]);
}

/* --- files -------------------------------------------------------------------- */

enum { SYM_AT = EG_SIZE, STR_AT = SYM_AT + 32 * sizeof(Elf64_Sym), LINK_AT = STR_AT + 512,
       SHDR_AT = LINK_AT + 64, FILE_SIZE = SHDR_AT + 8 * sizeof(Elf64_Shdr) };

/* A generated library with sections: .symtab, .gnu_debuglink. */
struct file {
	struct elf_gen g;
	uint8_t img[FILE_SIZE];
	size_t nr_sym, str, nr_sh;
};

static void put_sh(struct file *f, uint32_t name, uint32_t type, uint64_t at, uint64_t size,
		   uint32_t link, uint64_t entsize)
{
	Elf64_Shdr sh = { .sh_name = name, .sh_type = type, .sh_offset = at, .sh_size = size,
			  .sh_link = link, .sh_entsize = entsize, .sh_addralign = 4 };

	memcpy(f->img + SHDR_AT + f->nr_sh++ * sizeof(sh), &sh, sizeof(sh));
}

static uint32_t put_str(struct file *f, const char *s)
{
	uint32_t at = (uint32_t)f->str;

	assert_true(STR_AT + f->str + strlen(s) + 1 <= LINK_AT);
	memcpy(f->img + STR_AT + at, s, strlen(s) + 1);
	f->str += strlen(s) + 1;
	return at;
}

static void put_sym(struct file *f, const char *name, uint64_t vaddr, uint64_t size, unsigned bind)
{
	Elf64_Sym s = { .st_name = put_str(f, name), .st_value = vaddr, .st_size = size,
			.st_info = (uint8_t)ELF64_ST_INFO(bind, STT_FUNC), .st_shndx = 7 };

	memcpy(f->img + SYM_AT + f->nr_sym++ * sizeof(s), &s, sizeof(s));
}

static struct file *new_file(void)
{
	struct file *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	eg_init(&f->g);
	eg_sym(&f->g, "exported", EG_TEXT, 16, STT_FUNC, 1);
	f->str = 1;
	f->nr_sym = 1;
	return f;
}

/* link: name in .gnu_debuglink, NULL none; note: a section for the build id. */
static void finish_file(struct file *f, const char *link, uint32_t crc, bool note)
{
	uint32_t names = put_str(f, ".gnu_debuglink");
	Elf64_Ehdr eh;

	eg_finish(&f->g);
	memcpy(f->img, f->g.img, EG_SIZE);
	put_sh(f, 0, SHT_NULL, 0, 0, 0, 0);
	put_sh(f, 0, SHT_STRTAB, STR_AT, f->str, 0, 0);
	if (f->nr_sym > 1)
		put_sh(f, 0, SHT_SYMTAB, SYM_AT, f->nr_sym * sizeof(Elf64_Sym), 1,
		       sizeof(Elf64_Sym));
	if (note)
		put_sh(f, 0, SHT_NOTE, EG_NOTE, 20, 0, 0);
	if (link) {
		memcpy(f->img + LINK_AT, link, strlen(link) + 1);
		memcpy(f->img + LINK_AT + ((strlen(link) + 4) & ~(size_t)3), &crc, 4);
		put_sh(f, names, SHT_PROGBITS, LINK_AT, ((strlen(link) + 4) & ~(size_t)3) + 4, 0, 0);
	}
	memcpy(&eh, f->img, sizeof(eh));
	eh.e_shoff = SHDR_AT;
	eh.e_shentsize = sizeof(Elf64_Shdr);
	eh.e_shnum = (uint16_t)f->nr_sh;
	eh.e_shstrndx = 1;
	memcpy(f->img, &eh, sizeof(eh));
}

static int as_fd(const struct file *f)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, f->img, FILE_SIZE) == FILE_SIZE);
	return fd;
}

static void save(const struct file *f, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0 && write(fd, f->img, FILE_SIZE) == FILE_SIZE);
	close(fd);
}

/* What is found at vaddr: "name+offset" or "". */
static const char *at(const struct xpt_funcs *f, uint64_t vaddr)
{
	static char text[512];
	char name[256];
	uint64_t off;

	text[0] = '\0';
	if (xpt_funcs__find(f, vaddr, name, sizeof(name), &off))
		snprintf(text, sizeof(text), "%s+%llu", name, (unsigned long long)off);
	return text;
}

static void test_functions(void **state)
{
	struct xpt_funcs *fn = NULL;
	struct file *f = new_file();
	uint64_t vaddr = 0;

	(void)state;
	put_sym(f, "second", EG_TEXT + 64, 32, STB_LOCAL);
	put_sym(f, "first", EG_TEXT + 16, 16, STB_LOCAL);
	put_sym(f, "weak_alias", EG_TEXT + 16, 16, STB_WEAK);
	put_sym(f, "asm_code", EG_TEXT + 128, 0, STB_LOCAL);
	put_sym(f, "versioned@@V_2", EG_TEXT + 192, 8, STB_GLOBAL);
	put_sym(f, "outside", EG_DATA, 8, STB_GLOBAL);
	finish_file(f, NULL, 0, false);
	assert_int_equal(xpt_funcs__open(as_fd(f), "/nowhere", "/x.so", NULL, &fn), 0);
	assert_int_equal(xpt_funcs__count(fn), 4);
	assert_string_equal(at(fn, EG_TEXT), "");
	assert_string_equal(at(fn, EG_TEXT + 16), "weak_alias+0");
	assert_string_equal(at(fn, EG_TEXT + 31), "weak_alias+15");
	assert_string_equal(at(fn, EG_TEXT + 32), "");	/* between two functions */
	assert_string_equal(at(fn, EG_TEXT + 65), "second+1");
	assert_string_equal(at(fn, EG_TEXT + 150), "asm_code+22");	/* no size: up to the next */
	assert_string_equal(at(fn, EG_TEXT + 193), "versioned+1");
	assert_string_equal(at(fn, EG_TEXT + 200), "");
	assert_string_equal(at(fn, EG_DATA + 1), "");
	assert_string_equal(at(fn, 0), "");
	assert_string_equal(at(fn, UINT64_MAX), "");
	assert_true(xpt_funcs__vaddr(fn, EG_TEXT_FILE + 5, &vaddr));
	assert_int_equal(vaddr, EG_TEXT + 5);
	assert_false(xpt_funcs__vaddr(fn, EG_DATA_FILE, &vaddr));
	xpt_funcs__close(fn);
	free(f);
}

static void test_only_exports(void **state)
{
	struct xpt_funcs *fn = NULL;
	struct file *f = new_file();

	(void)state;
	finish_file(f, NULL, 0, false);
	assert_int_equal(xpt_funcs__open(as_fd(f), "/nowhere", "/x.so", NULL, &fn), 0);
	assert_int_equal(xpt_funcs__count(fn), 1);
	assert_string_equal(at(fn, EG_TEXT + 3), "exported+3");
	xpt_funcs__close(fn);
	free(f);
}

static void make_dirs(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

/* The first function behind a stripped file and its debug file at root + path. */
static void expect_debug(struct file *stripped, struct file *debug, const char *root,
			 const char *path, const char *want)
{
	struct xpt_funcs *fn = NULL;
	char full[4096];

	snprintf(full, sizeof(full), "%s%s", root, path);
	make_dirs(full);
	save(debug, full);
	assert_int_equal(xpt_funcs__open(as_fd(stripped), root, "/opt/lib/x.so", NULL, &fn), 0);
	assert_string_equal(at(fn, EG_TEXT + 17), want);
	xpt_funcs__close(fn);
	unlink(full);
}

static struct file *debug_file(bool note)
{
	struct file *f = new_file();

	put_sym(f, "hidden", EG_TEXT + 16, 16, STB_LOCAL);
	finish_file(f, NULL, 0, note);
	return f;
}

static void test_debug_files(void **state)
{
	const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	struct file *debug = debug_file(true), *plain = debug_file(false), *f = new_file();
	uint32_t crc = (uint32_t)crc32(crc32(0, NULL, 0), plain->img, FILE_SIZE);
	char root[4000];

	(void)state;
	snprintf(root, sizeof(root), "%s/xptsymXXXXXX", tmp);
	assert_non_null(mkdtemp(root));
	finish_file(f, "x.debug", crc, false);
	/* "deadbeef" is the build id of every generated file. */
	expect_debug(f, debug, root, "/usr/lib/debug/.build-id/de/adbeef.debug", "hidden+1");
	expect_debug(f, debug, root, "/usr/lib/debug/.build-id/de/adbeee.debug", "");
	expect_debug(f, debug, root, "/opt/lib/x.debug", "hidden+1");
	expect_debug(f, plain, root, "/opt/lib/.debug/x.debug", "hidden+1");	/* by checksum */
	expect_debug(f, plain, root, "/usr/lib/debug/opt/lib/x.debug", "hidden+1");
	plain->img[FILE_SIZE - 1] ^= 1;
	expect_debug(f, plain, root, "/opt/lib/x.debug", "");
	debug->img[EG_NOTE + 16] ^= 1;	/* of another build */
	expect_debug(f, debug, root, "/opt/lib/x.debug", "");
	free(debug);
	free(plain);
	free(f);
}

/* Every byte of the tables and headers changed, one after the other. */
static void test_lies(void **state)
{
	struct file *f = new_file();
	uint8_t good[FILE_SIZE];

	(void)state;
	put_sym(f, "one", EG_TEXT, 16, STB_LOCAL);
	put_sym(f, "two", EG_TEXT + 16, 16, STB_LOCAL);
	finish_file(f, "x.debug", 1, true);
	memcpy(good, f->img, sizeof(good));
	for (size_t i = 0; i < FILE_SIZE; i++) {
		struct xpt_funcs *fn = NULL;

		if (i >= sizeof(Elf64_Ehdr) && i < SYM_AT)
			continue;
		f->img[i] = (uint8_t)~f->img[i];
		if (!xpt_funcs__open(as_fd(f), "/nowhere", "/x.so", NULL, &fn)) {
			assert_true(xpt_funcs__count(fn) <= 4096);
			at(fn, EG_TEXT + 17);
			at(fn, UINT64_MAX - 1);
			xpt_funcs__close(fn);
		}
		memcpy(f->img, good, sizeof(good));
	}
	free(f);
}

int main(int argc, char **argv)
{
#define P(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		P(test_own_process), P(test_return_address), P(test_no_code), P(test_new_mapping),
		P(test_process_gone), P(test_exec), P(test_forked_and_gone), P(test_told_and_gone),
		P(test_file_replaced), P(test_file_deleted), P(test_programs), P(test_heard_late), P(test_read_before_exec),
		P(test_exec_while_reading),
		cmocka_unit_test(test_owners), cmocka_unit_test(test_module_paths),
		cmocka_unit_test(test_functions), cmocka_unit_test(test_only_exports),
		cmocka_unit_test(test_debug_files), cmocka_unit_test(test_lies),
	};

	if (argc > 1) {	/* as test_file_deleted() starts it */
		puts(argv[1]);
		fflush(stdout);
		pause();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
