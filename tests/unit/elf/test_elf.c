/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * elf/elf.h on generated libraries: what is listed, with and without
 * section headers, and that no lie in a file does more than give an error.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "elf/elf_priv.h"
#include "elf_gen.h"
#include "sites/site.h"

static void basic(struct elf_gen *g)
{
	uint64_t f, h;

	eg_init(g);
	f = eg_impl(g);
	h = eg_impl(g);
	eg_sym(g, "zeta", f, 3, STT_FUNC, 1);
	eg_sym(g, "alpha", h, 3, STT_FUNC, 1);
	eg_sym(g, "alias", f, 3, STT_FUNC, 1);
	eg_sym(g, "undefined", 0, 0, STT_FUNC, 1);
	eg_sym(g, "indirect", f, 3, STT_GNU_IFUNC, 1);
	eg_sym(g, "variable", EG_DATA, 8, STT_OBJECT, 1);
	eg_sym(g, "not_in_code", EG_DATA, 8, STT_FUNC, 1);
	g->soname = g->runpath = true;
	g->soname_at = eg_str(g, "libgen.so.1");
	g->runpath_at = eg_str(g, "$ORIGIN/x");
}

static struct xpt_elf *open_gen(struct elf_gen *g)
{
	struct xpt_elf *elf = NULL;

	eg_finish(g);
	assert_int_equal(eg_open_bytes(g->img, EG_SIZE, &elf), 0);
	assert_non_null(elf);
	return elf;
}

static void check_basic(struct xpt_elf *elf)
{
	const struct xpt_sym *s;
	uint64_t v = 0;
	size_t nr;

	s = xpt_elf__syms(elf, &nr);
	assert_int_equal(nr, 3);
	assert_string_equal(s[0].name, "alias");
	assert_string_equal(s[1].name, "alpha");
	assert_string_equal(s[2].name, "zeta");
	assert_int_equal(s[2].vaddr, EG_TEXT);
	assert_int_equal(s[2].offset, EG_TEXT_FILE);
	assert_int_equal(s[1].offset, EG_TEXT_FILE + 16);
	assert_int_equal(s[0].vaddr, s[2].vaddr);
	assert_ptr_equal(xpt_elf__find(elf, "alpha"), &s[1]);
	assert_null(xpt_elf__find(elf, "undefined"));
	assert_int_equal(xpt_elf__nr_ifuncs(elf), 1);
	assert_string_equal(xpt_elf__build_id(elf), "deadbeef");
	assert_string_equal(xpt_elf__soname(elf), "libgen.so.1");
	assert_string_equal(xpt_elf__runpath(elf), "$ORIGIN/x");
	assert_true(xpt_elf__vaddr(elf, EG_TEXT_FILE + 5, &v));
	assert_int_equal(v, EG_TEXT + 5);
	assert_false(xpt_elf__offset(elf, EG_DATA, &v));
}

static void test_lists(void **state)
{
	struct xpt_elf *elf;
	struct elf_gen g;
	int gnu;

	(void)state;
	for (gnu = 0; gnu < 2; gnu++) {
		basic(&g);
		g.gnu_hash = gnu;
		elf = open_gen(&g);
		check_basic(elf);
		assert_string_equal(xpt_elf__interp(elf), "");
		xpt_elf__close(elf);
	}
	basic(&g);
	g.interp = true;
	elf = open_gen(&g);
	assert_string_equal(xpt_elf__interp(elf), "/lib/ld.so");
	xpt_elf__close(elf);
}

static void test_versions(void **state)
{
	const struct xpt_sym *s;
	struct xpt_elf *elf;
	struct elf_gen g;
	uint64_t f[4];
	size_t nr;
	int i;

	(void)state;
	eg_init(&g);
	for (i = 0; i < 4; i++)
		f[i] = eg_impl(&g);
	eg_sym(&g, "both", f[0], 3, STT_FUNC, 0x8000 | 5);
	eg_sym(&g, "both", f[1], 3, STT_FUNC, 2);
	eg_sym(&g, "old", f[2], 3, STT_FUNC, 0x8000 | 2);
	eg_sym(&g, "old", f[3], 3, STT_FUNC, 0x8000 | 3);
	g.versions = true;
	elf = open_gen(&g);
	s = xpt_elf__find(elf, "both");
	assert_non_null(s);
	assert_int_equal(s->vaddr, f[1]);	/* the default one, not the newest */
	assert_string_equal(s[1].name, "both");	/* the other one is a function of its own */
	assert_int_equal(s[1].vaddr, f[0]);
	s = xpt_elf__find(elf, "old");
	assert_non_null(s);
	assert_int_equal(s->vaddr, f[3]);	/* no default: the newest */
	assert_string_equal(s[1].name, "old");
	assert_int_equal(s[1].vaddr, f[2]);
	xpt_elf__syms(elf, &nr);
	assert_int_equal(nr, 4);
	xpt_elf__close(elf);
}

static void test_needed(void **state)
{
	struct xpt_elf *elf;
	struct elf_gen g;
	char *name = NULL;

	(void)state;
	basic(&g);
	eg_dyn(&g, DT_NEEDED, g.soname_at);
	eg_dyn(&g, DT_NEEDED, 0xfffff);	/* outside of the strings */
	elf = open_gen(&g);
	assert_int_equal(xpt_elf__needed(elf, 0, &name), 0);
	assert_string_equal(name, "libgen.so.1");
	free(name);
	name = NULL;
	assert_int_equal(xpt_elf__needed(elf, 1, &name), 0);
	assert_string_equal(name, "");
	free(name);
	assert_int_equal(xpt_elf__needed(elf, 2, &name), -ENOENT);
	xpt_elf__close(elf);
}

/* A .symtab that lists what .dynsym does not, for a file that exports nothing. */
static void test_symtab(void **state)
{
	static uint8_t file[EG_SIZE + 1024];
	Elf64_Sym sym[2] = { { .st_name = 0 },
			     { .st_name = 1, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			       .st_shndx = 1, .st_value = EG_TEXT, .st_size = 3 } };
	Elf64_Shdr sh[3] = { { .sh_type = SHT_NULL },
			     { .sh_type = SHT_SYMTAB, .sh_offset = EG_SIZE, .sh_size = sizeof(sym),
			       .sh_entsize = sizeof(sym[0]), .sh_link = 2 },
			     { .sh_type = SHT_STRTAB, .sh_offset = EG_SIZE + 100, .sh_size = 8 } };
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)file;
	struct xpt_elf *elf;
	struct elf_gen g;
	size_t nr;

	(void)state;
	eg_init(&g);
	eg_impl(&g);
	eg_finish(&g);
	memcpy(file, g.img, EG_SIZE);
	memcpy(file + EG_SIZE, sym, sizeof(sym));
	memcpy(file + EG_SIZE + 100, "\0inside", 8);
	memcpy(file + EG_SIZE + 200, sh, sizeof(sh));
	eh->e_shoff = EG_SIZE + 200;
	eh->e_shnum = 3;
	eh->e_shentsize = sizeof(sh[0]);
	assert_int_equal(eg_open_bytes(file, sizeof(file), &elf), 0);
	assert_non_null(xpt_elf__find(elf, "inside"));
	xpt_elf__close(elf);
	/* A symbol table that points outside is as none. */
	eh->e_shoff = sizeof(file) - 10;
	assert_int_equal(eg_open_bytes(file, sizeof(file), &elf), 0);
	xpt_elf__syms(elf, &nr);
	assert_int_equal(nr, 0);
	xpt_elf__close(elf);
}

static void test_relocations(void **state)
{
	const uint64_t relr[] = { EG_DATA + 0x40, 0x5 };	/* that word, +8 and no more */
	struct xpt_elf *elf;
	struct elf_gen g;
	uint64_t f, slot, v = 1;
	int i;

	(void)state;
	eg_init(&g);
	f = eg_impl(&g);
	slot = eg_slot(&g, f);
	for (i = 0; i < 11; i++)
		eg_word(&g, 0x100 + (uint64_t)i);
	eg_put(&g, EG_RELR, relr, sizeof(relr));
	g.nr_relr = 2;
	elf = open_gen(&g);
	assert_true(xpt_elf__relative(elf, slot, &v));
	assert_int_equal(v, f);
	assert_true(xpt_elf__relative(elf, EG_DATA + 0x40, &v));
	assert_int_equal(v, 0x107);
	assert_true(xpt_elf__relative(elf, EG_DATA + 0x50, &v));
	assert_int_equal(v, 0x109);
	assert_false(xpt_elf__relative(elf, EG_DATA + 0x48, &v));
	assert_false(xpt_elf__relative(elf, EG_DATA + 0x58, &v));
	xpt_elf__close(elf);
}

static void expect_open(struct elf_gen *g, int expect)
{
	struct xpt_elf *elf = NULL;
	int err = eg_open_bytes(g->img, EG_SIZE, &elf);

	assert_int_equal(err, expect);
	if (!err)
		xpt_elf__close(elf);
}

static void test_headers_that_lie(void **state)
{
	struct elf_gen g, good;
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)g.img;
	Elf64_Phdr *ph = (Elf64_Phdr *)(void *)(g.img + sizeof(*eh));

	(void)state;
	basic(&good);
	eg_finish(&good);
#define BAD(change, expect) do { g = good; change; expect_open(&g, expect); } while (0)
	BAD((void)0, 0);
	BAD(g.img[0] = 0, -ENOEXEC);
	BAD(eh->e_ident[EI_CLASS] = ELFCLASS32, -ENOTSUP);
	BAD(eh->e_ident[EI_DATA] = ELFDATA2MSB, -ENOTSUP);
	BAD(eh->e_machine = EM_386, -ENOTSUP);
	BAD(eh->e_type = ET_REL, -ENOEXEC);
	BAD(eh->e_type = ET_CORE, -ENOEXEC);
	BAD(eh->e_phnum = 0, -ENOEXEC);
	BAD(eh->e_phnum = 0xffff, -ENOEXEC);
	BAD(eh->e_phoff = UINT64_MAX - 8, -ENOEXEC);
	BAD(eh->e_phentsize = 8, -ENOEXEC);
	BAD(ph[0].p_memsz = 0x1900, -ENOEXEC);	/* overlaps the second */
	BAD(ph[1].p_vaddr = 0x1800 - 0x1000 * 2, -ENOEXEC);
	BAD(ph[1].p_memsz = UINT64_MAX, -ENOEXEC);	/* wraps */
	BAD(ph[1].p_filesz = ph[1].p_memsz + 1, -ENOEXEC);
	BAD(ph[1].p_offset += 1, -ENOEXEC);	/* cannot be mapped there */
	BAD(eh->e_shoff = UINT64_MAX; eh->e_shnum = 9; eh->e_shentsize = 64, 0);
#undef BAD
}

/* The dynamic entry with that tag. */
static Elf64_Dyn *dyn(struct elf_gen *g, int64_t tag)
{
	Elf64_Dyn *d = (Elf64_Dyn *)(void *)(g->img + (EG_DYN - EG_DATA + EG_DATA_FILE));

	while (d->d_tag != tag && d->d_tag != DT_NULL)
		d++;
	assert_int_equal(d->d_tag, tag);
	return d;
}

static void test_tables_that_lie(void **state)
{
	struct elf_gen g, good;
	uint32_t *hash = (uint32_t *)(void *)(g.img + EG_HASH);

	(void)state;
	basic(&good);
	eg_finish(&good);
#define BAD(change, expect) do { g = good; change; expect_open(&g, expect); } while (0)
	BAD(hash[1] = 0xffffffff, -E2BIG);
	BAD(hash[1] = 100000, -ENOEXEC);
	BAD(dyn(&g, DT_STRSZ)->d_un.d_val = UINT64_MAX, -ENOEXEC);
	BAD(dyn(&g, DT_STRTAB)->d_un.d_val = 0xdead0000, -ENOEXEC);
	BAD(dyn(&g, DT_SYMTAB)->d_un.d_val = 0xdead0000, -ENOEXEC);
	BAD(dyn(&g, DT_HASH)->d_un.d_val = UINT64_MAX, 0);	/* then nothing is listed */
	BAD(dyn(&g, DT_SONAME)->d_un.d_val = UINT64_MAX, 0);
	BAD(memset(g.img + EG_STR, 'x', EG_HASH - EG_STR), 0);	/* no NUL anywhere */
	basic(&good);
	good.gnu_hash = true;
	eg_finish(&good);
	BAD(hash[0] = 0xffffffff, 0);	/* buckets */
	BAD(hash[2] = 0xffffffff, 0);	/* filter */
	BAD(hash[6] = 0xffffffff, 0);	/* first of a chain */
	BAD(memset(hash + 7, 0, EG_EH - EG_HASH - 28), -ENOEXEC);	/* runs far past the symbols */
#undef BAD
}

/* Opens and does everything with what may be an ELF file. */
static void exercise(const uint8_t *p, size_t n)
{
	struct xpt_elf *elf = NULL;
	const struct xpt_sym *s;
	struct xpt_site site;
	size_t i, nr;
	int err;

	err = eg_open_bytes(p, n, &elf);
	if (err) {
		assert_true(err == -ENOEXEC || err == -ENOTSUP || err == -E2BIG);
		assert_null(elf);
		return;
	}
	s = xpt_elf__syms(elf, &nr);
	for (i = 0; i < nr; i++) {
		assert_true(i == 0 || strcmp(s[i - 1].name, s[i].name) < 0 ||
			    (!strcmp(s[i - 1].name, s[i].name) && s[i - 1].vaddr != s[i].vaddr));
		assert_true(s[i].offset < n);
		xpt_elf__site(elf, &s[i], true, &site);
		assert_non_null(site.reason);
		assert_true(site.offset < n);
	}
	xpt_elf__close(elf);
}

static void rich(struct elf_gen *g)
{
	basic(g);
	eg_stub(g, "stub1", eg_slot(g, eg_impl(g)), NULL, 0);
	eg_stub(g, "stub2", eg_slot(g, eg_impl(g)), NULL, 0);
	eg_sym(g, "endbr", eg_func(g, "\xf3\x0f\x1e\xfa\x55\x5d\xc3", 7), 7, STT_FUNC, 1);
	g->versions = true;
	eg_finish(g);
}

static void test_truncated_everywhere(void **state)
{
	struct elf_gen g;
	size_t n;

	(void)state;
	rich(&g);
	for (n = 0; n <= EG_SIZE; n++)
		exercise(g.img, n);
}

static void test_random_damage(void **state)
{
	static const uint64_t nasty[] = { 0, 1, 0x7f, 0xffff, 0x7fffffff, 0xffffffff, 0x1000,
					  UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 63 };
	struct elf_gen good, g;
	uint64_t rng = 88172645463325252ull;
	int i, k;

	(void)state;
	rich(&good);
	for (i = 0; i < 6000; i++) {
		g = good;
		for (k = 0; k < 1 + i % 4; k++) {
			rng ^= rng << 13;
			rng ^= rng >> 7;
			rng ^= rng << 17;
			if (rng & 1)
				g.img[(rng >> 8) % EG_SIZE] = (uint8_t)(rng >> 40);
			else
				memcpy(g.img + (rng >> 8) % (EG_SIZE - 8) / 8 * 8,
				       &nasty[(rng >> 40) % 10], 8);
		}
		exercise(g.img, EG_SIZE);
	}
}

static void test_not_files(void **state)
{
	struct xpt_elf *elf;

	(void)state;
	assert_int_equal(xpt_elf__open("/nonexistent/file", &elf), -ENOENT);
	assert_int_equal(xpt_elf__open("/", &elf), -ENOEXEC);
	assert_int_equal(xpt_elf__open("/dev/null", &elf), -ENOEXEC);
	xpt_elf__close(NULL);
}

/* Another list in place of the first one: what was made of that is forgotten. It stays where there is
 * no other. */
static void test_local(void **state)
{
	struct xpt_elf *elf = NULL, *bare = NULL;
	size_t before, all, nr, i;
	const struct xpt_sym *s;
	struct xpt_site site;
	struct elf_gen g;

	(void)state;
	assert_int_equal(xpt_elf__open("/proc/self/exe", &elf), 0);
	s = xpt_elf__syms(elf, &before);
	xpt_elf__site(elf, s, true, &site);
	assert_non_null(elf->sites);
	assert_int_equal(xpt_elf__list_local(elf, elf), 0);
	assert_null(elf->sites);
	s = xpt_elf__syms(elf, &all);
	assert_int_equal(all, before);	/* an executable lists all from the beginning */
	assert_non_null(xpt_elf__find(elf, "main"));
	for (i = 0; i < all; i++)
		xpt_elf__site(elf, &s[i], true, &site);
	basic(&g);
	eg_finish(&g);
	assert_int_equal(eg_open_bytes(g.img, EG_SIZE, &bare), 0);
	assert_int_equal(xpt_elf__list_local(elf, bare), -ENOENT);
	assert_ptr_equal(xpt_elf__syms(elf, &nr), s);
	assert_int_equal(nr, all);
	xpt_elf__close(bare);
	xpt_elf__close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_symtab),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_relocations),
		cmocka_unit_test(test_headers_that_lie),
		cmocka_unit_test(test_tables_that_lie),
		cmocka_unit_test(test_truncated_everywhere),
		cmocka_unit_test(test_random_damage),
		cmocka_unit_test(test_not_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
