/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What hostile files may cost (elf/elf_work.c): tables in holes, relocations without
 * end, more work than a file of that size is worth. Work is counted, not timed.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <cmocka.h>
#include "elf_gen.h"
#include "elf/elf_funcs.h"
#include "elf/elf_priv.h"
#include "sites/site.h"
#include "elf/usdt.h"

#define GIB (1ull << 30)

struct count {
	unsigned pauses, until;
	uint64_t units;
};

static int on_pause(void *ctx, uint64_t units)
{
	struct count *c = ctx;

	c->units += units;
	return ++c->pauses <= c->until ? 0 : -ECANCELED;
}

static Elf64_Dyn *dyn(struct elf_gen *g, int64_t tag)
{
	Elf64_Dyn *d = (Elf64_Dyn *)(void *)(g->img + (EG_DYN - EG_DATA + EG_DATA_FILE));

	while (d->d_tag != tag && d->d_tag != DT_NULL)
		d++;
	assert_int_equal(d->d_tag, tag);
	return d;
}

static Elf64_Phdr *phdr(struct elf_gen *g, unsigned i)
{
	return (Elf64_Phdr *)(void *)(g->img + sizeof(Elf64_Ehdr)) + i;
}

/* A file of that size: the image, then nothing. */
static int sparse(const struct elf_gen *g, uint64_t size)
{
	int fd = memfd_create("sparse", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, g->img, EG_SIZE), EG_SIZE);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static void start(struct elf_gen *g)
{
	eg_init(g);
	eg_sym(g, "cuInit", eg_impl(g), 3, STT_FUNC, 1);
	eg_stub(g, "cuStub", eg_slot(g, eg_impl(g)), NULL, 0);
}

/* The last segment as long as the file, which has size bytes. */
static void stretch(struct elf_gen *g, uint64_t size)
{
	phdr(g, 2)->p_filesz = phdr(g, 2)->p_memsz = size - EG_DATA_FILE;
}

static long peak_kib(void)
{
	struct rusage ru;

	assert_int_equal(getrusage(RUSAGE_SELF, &ru), 0);
	return ru.ru_maxrss;
}

static void test_strings_in_a_hole(void **state)
{
	struct xpt_elf *elf = NULL;
	struct elf_gen g;
	long before;

	(void)state;
	start(&g);
	eg_finish(&g);
	stretch(&g, 5 * GIB);
	dyn(&g, DT_STRTAB)->d_un.d_val = EG_DATA + 0x10000;
	dyn(&g, DT_STRSZ)->d_un.d_val = 4 * GIB;
	before = peak_kib();
	assert_int_equal(xpt_elf__open_fd(sparse(&g, 5 * GIB), &elf), -EFBIG);
	assert_null(elf);
	assert_true(peak_kib() - before < 64 << 10);
}

static void test_symbols_in_a_hole(void **state)
{
	struct xpt_elf *elf = NULL;
	uint32_t *nr;
	struct elf_gen g;
	long before;

	(void)state;
	start(&g);
	eg_finish(&g);
	stretch(&g, GIB);
	nr = (uint32_t *)(void *)(g.img + EG_HASH) + 1;
	*nr = XPT_ELF_MAX_SYMS;
	dyn(&g, DT_SYMTAB)->d_un.d_val = EG_DATA + 0x10000;
	before = peak_kib();
	assert_int_equal(xpt_elf__open_fd(sparse(&g, GIB), &elf), -EFBIG);
	assert_true(peak_kib() - before < 64 << 10);
}

/* Sections say it: as in programs, whose .symtab no segment holds. */
static void test_section_in_a_hole(void **state)
{
	Elf64_Shdr sh[3] = { { .sh_type = SHT_NULL },
			     { .sh_type = SHT_SYMTAB, .sh_offset = EG_SIZE, .sh_size = 24 * 1000,
			       .sh_entsize = 24, .sh_link = 2 },
			     { .sh_type = SHT_STRTAB, .sh_offset = EG_SIZE, .sh_size = 4 * GIB } };
	struct xpt_elf *elf = NULL;
	struct elf_gen g;
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)g.img;
	struct xpt_funcs *f = NULL;
	struct xpt_usdt *u = NULL;
	long before;
	int fd;

	(void)state;
	eg_init(&g);
	eg_impl(&g);
	eg_finish(&g);
	eh->e_shoff = 5 * GIB - sizeof(sh);
	eh->e_shnum = 3;
	eh->e_shentsize = sizeof(sh[0]);
	fd = sparse(&g, 5 * GIB);
	assert_int_equal(pwrite(fd, sh, sizeof(sh), (off_t)eh->e_shoff), sizeof(sh));
	before = peak_kib();
	/* What exports nothing may have no .symtab either: the file is as one without. */
	assert_int_equal(xpt_funcs__open(dup(fd), "/nonexistent", "/nonexistent/x", NULL, &f), 0);
	xpt_funcs__close(f);
	assert_int_equal(xpt_elf__open_bare(dup(fd), false, NULL, &elf), 0);
	assert_int_equal(xpt_usdt__read(elf, false, &u), 0);
	xpt_usdt__free(u);
	xpt_elf__close(elf);
	if (!xpt_elf__open_fd(fd, &elf))
		xpt_elf__close(elf);
	assert_true(peak_kib() - before < 64 << 10);
}

/* The functions of a program, and of its debug file, are read with pauses, and who is asked in one ends that. */
static void test_functions_have_pauses(void **state)
{
	struct count c = { .until = 0 };
	const struct xpt_elf_pause pause = { on_pause, &c };
	Elf64_Shdr sh[3] = { { .sh_type = SHT_NULL },
			     { .sh_type = SHT_SYMTAB, .sh_offset = EG_SIZE, .sh_size = 24ull * 100000,
			       .sh_entsize = 24, .sh_link = 2 },
			     { .sh_type = SHT_STRTAB, .sh_offset = EG_SIZE, .sh_size = 24ull * 100000 } };
	char *zeros = calloc(100000, 24);
	struct xpt_funcs *f = NULL;
	struct elf_gen g;
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)g.img;
	int fd;

	(void)state;
	assert_non_null(zeros);
	eg_init(&g);
	eg_impl(&g);
	eg_finish(&g);
	eh->e_shoff = EG_SIZE + 24ull * 100000;
	eh->e_shnum = 3;
	eh->e_shentsize = sizeof(sh[0]);
	fd = sparse(&g, EG_SIZE + 24ull * 100000 + sizeof(sh));
	assert_int_equal(pwrite(fd, zeros, 24ul * 100000, EG_SIZE), 24 * 100000);
	assert_int_equal(pwrite(fd, sh, sizeof(sh), (off_t)eh->e_shoff), sizeof(sh));
	assert_int_equal(xpt_funcs__open(fd, "/nonexistent", "/nonexistent/x", &pause, &f), -ECANCELED);
	assert_int_equal(c.pauses, 1);
	free(zeros);
}

/* Every bit of a table names a word: 800 KB of them name 50 MB, which the file does not store. */
static void test_relocations_without_end(void **state)
{
	enum { WORDS = 100000 };
	struct count c = { .until = UINT32_MAX };
	const struct xpt_elf_pause pause = { on_pause, &c };
	uint64_t *relr = calloc(WORDS, 8), addend;
	struct xpt_elf *elf = NULL;
	struct xpt_site site;
	struct elf_gen g;
	int fd, i;

	(void)state;
	assert_non_null(relr);
	start(&g);
	g.nr_relr = WORDS;
	eg_finish(&g);
	stretch(&g, 64 << 20);
	dyn(&g, 36 /* DT_RELR */)->d_un.d_val = EG_DATA + 0x10000;
	relr[0] = EG_DATA + 0x200000;
	for (i = 1; i < WORDS; i++)
		relr[i] = UINT64_MAX;
	fd = sparse(&g, 64 << 20);
	assert_int_equal(pwrite(fd, relr, WORDS * 8, EG_DATA_FILE + 0x10000), WORDS * 8);
	assert_int_equal(xpt_elf__open_for(fd, &pause, &elf), 0);
	assert_false(xpt_elf__relative(elf, EG_DATA, &addend));
	xpt_elf__site(elf, xpt_elf__find(elf, "cuStub"), true, &site);
	assert_int_equal(site.impl_vaddr, 0);
	assert_int_equal(xpt_elf__error(elf), 0);
	/* What 100,000 relocations cost, not 6 million. */
	assert_true(c.units < 50000000);
	xpt_elf__close(elf);
	free(relr);
}

/* 4,000 notes of 64 KB that are all the same bytes. */
static void test_notes_without_end(void **state)
{
	enum { NOTES = 4000 };
	struct count c = { .until = UINT32_MAX };
	const struct xpt_elf_pause pause = { on_pause, &c };
	Elf64_Phdr *ph = calloc(NOTES, sizeof(*ph));
	struct xpt_elf *elf = NULL;
	struct elf_gen g;
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)g.img;
	int fd, i;

	(void)state;
	assert_non_null(ph);
	start(&g);
	eg_finish(&g);
	for (i = 0; i < NOTES; i++)
		ph[i] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = EG_SIZE, .p_filesz = 64 << 10, .p_align = 4 };
	memcpy(ph, phdr(&g, 0), 3 * sizeof(*ph));	/* its PT_LOADs */
	eh->e_phoff = 1 << 20;
	eh->e_phnum = NOTES;
	fd = sparse(&g, 4 << 20);
	assert_int_equal(pwrite(fd, ph, NOTES * sizeof(*ph), 1 << 20), NOTES * sizeof(*ph));
	assert_int_equal(xpt_elf__open_for(fd, &pause, &elf), 0);
	assert_true(c.units < 200000000);
	xpt_elf__close(elf);
	free(ph);
}

/* What is left when the work is used up: no answers, and none that could do harm. */
static void test_used_up(void **state)
{
	const struct xpt_sym *s;
	struct xpt_elf *elf = NULL;
	struct xpt_site site;
	struct elf_gen g;
	uint64_t byte = 0;

	(void)state;
	start(&g);
	eg_finish(&g);
	assert_int_equal(eg_open_bytes(g.img, EG_SIZE, &elf), 0);
	s = xpt_elf__find(elf, "cuInit");
	assert_non_null(s);
	xpt_elf__site(elf, s, true, &site);
	assert_int_equal(site.cls, XPT_SITE_EMULATED);
	assert_int_equal(xpt_elf__error(elf), 0);
	assert_false(xpt_elf__spend(elf, UINT64_MAX));
	assert_int_equal(xpt_elf__error(elf), -EFBIG);
	assert_false(xpt_elf__spend(elf, 1));
	assert_int_equal(xpt_elf__read(elf, EG_TEXT, &byte, 1), 0);
	xpt_elf__site(elf, s, true, &site);
	assert_int_equal(site.cls, XPT_SITE_UNSAFE);
	xpt_elf__close(elf);
}

/* The amount grows with what is stored, not with what the size claims. */
static void test_amount(void **state)
{
	struct xpt_elf *small = NULL, *holes = NULL, *full = NULL;
	uint8_t *more = calloc(1, 1 << 20);
	struct elf_gen g;
	int fd;

	(void)state;
	assert_non_null(more);
	start(&g);
	eg_finish(&g);
	assert_int_equal(eg_open_bytes(g.img, EG_SIZE, &small), 0);
	assert_int_equal(xpt_elf__open_fd(sparse(&g, 64 * GIB), &holes), 0);
	assert_int_equal(holes->stored, small->stored);
	assert_int_equal(holes->work->left, small->work->left);
	fd = sparse(&g, EG_SIZE);
	assert_int_equal(pwrite(fd, more, 1 << 20, EG_SIZE), 1 << 20);
	assert_int_equal(xpt_elf__open_fd(fd, &full), 0);
	assert_true(full->work->left > small->work->left);
	xpt_elf__close(small);
	xpt_elf__close(holes);
	xpt_elf__close(full);
	free(more);
}

/* Who asks for the end does not wait for a file to be read. */
static void test_given_up(void **state)
{
	enum { SYMS = 400000 };
	Elf64_Sym *sym = calloc(SYMS, sizeof(*sym));
	struct count c = { .until = 0 };
	const struct xpt_elf_pause pause = { on_pause, &c };
	struct xpt_elf *elf = NULL;
	uint32_t *nr;
	struct elf_gen g;
	int fd;

	(void)state;
	assert_non_null(sym);
	start(&g);
	eg_finish(&g);
	stretch(&g, 16 << 20);
	nr = (uint32_t *)(void *)(g.img + EG_HASH) + 1;
	*nr = SYMS;
	dyn(&g, DT_SYMTAB)->d_un.d_val = EG_DATA + 0x10000;
	fd = sparse(&g, 16 << 20);
	memset(sym, 1, SYMS * sizeof(*sym));
	assert_int_equal(pwrite(fd, sym, SYMS * sizeof(*sym), EG_DATA_FILE + 0x10000), SYMS * sizeof(*sym));
	assert_int_equal(xpt_elf__open_for(dup(fd), &pause, &elf), -ECANCELED);
	assert_int_equal(c.pauses, 1);
	c = (struct count){ .until = UINT32_MAX };
	assert_int_equal(xpt_elf__open_for(fd, &pause, &elf), 0);
	assert_true(c.pauses > 0);
	xpt_elf__close(elf);
	free(sym);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings_in_a_hole),
		cmocka_unit_test(test_symbols_in_a_hole),
		cmocka_unit_test(test_section_in_a_hole),
		cmocka_unit_test(test_functions_have_pauses), cmocka_unit_test(test_relocations_without_end),
		cmocka_unit_test(test_notes_without_end),
		cmocka_unit_test(test_used_up),
		cmocka_unit_test(test_amount),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
