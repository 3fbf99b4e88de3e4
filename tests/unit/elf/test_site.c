/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sites/site.h: instruction classes, sites on the straight line at the entry, and
 * functions in which something speaks against one, so that the probe stays at the symbol.
 */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "elf_gen.h"
#include "elf/insn.h"
#include "elf/elf_priv.h"
#include "sites/site.h"

#define E XPT_SITE_EMULATED
#define S XPT_SITE_SINGLE_STEP
#define U XPT_SITE_UNSAFE

/* Each was measured on a 6.18 kernel: see docs/probe-sites.md. */
static const struct {
	const char *code;
	size_t n;
	enum xpt_site_class cls;
} classes[] = {
	{ "\x55", 1, E }, { "\x41\x54", 2, E }, { "\x48\x53", 2, S }, { "\x40\x53", 2, S },
	{ "\x66\x50", 2, S }, { "\xf3\x55", 2, S }, { "\x6a\x01", 2, S }, { "\x45\x50", 2, S },
	{ "\x90", 1, E }, { "\x66\x90", 2, E }, { "\x0f\x1f\x00", 3, E },
	{ "\x0f\x1f\x40\x00", 4, E }, { "\x0f\x1f\x44\x00\x00", 5, XPT_SITE_NOP5 },
	{ "\x66\x0f\x1f\x44\x00\x00", 6, E }, { "\x0f\x1f\x80\0\0\0\0", 7, E },
	{ "\x0f\x1f\x84\0\0\0\0\0", 8, E }, { "\x66\x0f\x1f\x84\0\0\0\0\0", 9, S },
	{ "\x66\x2e\x0f\x1f\x84\0\0\0\0\0", 10, U }, { "\x0f\x1f\xc0", 3, S },
	{ "\xf3\x90", 2, E }, { "\xeb\x00", 2, E }, { "\xe9\0\0\0\0", 5, E },
	{ "\xe8\0\0\0\0", 5, E }, { "\x74\x00", 2, E }, { "\x0f\x85\0\0\0\0", 6, E },
	{ "\x66\xeb\x00", 3, U }, { "\x3e\x74\x00", 3, U }, { "\xe3\x00", 2, S },
	{ "\xf3\x0f\x1e\xfa", 4, S }, { "\x48\x83\xec\x18", 4, S }, { "\x31\xc0", 2, S },
	{ "\xb8\4\0\0\0", 5, S }, { "\xff\x25\0\0\0\0", 6, S }, { "\xc3", 1, S },
	{ "\xcc", 1, U }, { "\xf4", 1, U }, { "\xf0\x48\x83\x04\x24\x00", 6, U },
	{ "\xc5\xf9\x7e\xc0", 4, U }, { "\xc4\xe1\xf9\x7e\xc0", 5, U },
	{ "\xc5\xf8\x77", 3, U }, { "\xc5\xf9\xef\xc0", 4, U }, { "\xc5\xf9\xeb\xc0", 4, U },
	{ "\xc5\xf8\x28\xc1", 4, S }, { "\x66\x0f\x7e\xc0", 4, S }, { "\x06", 1, XPT_SITE_UNKNOWN },
};

static void test_classes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (xpt_site__classify(classes[i].code, classes[i].n) != classes[i].cls)
			print_error("class %zu\n", i);
		assert_int_equal(xpt_site__classify(classes[i].code, classes[i].n),
				 classes[i].cls);
	}
	assert_int_equal(xpt_site__classify("", 0), XPT_SITE_UNKNOWN);
	assert_int_equal(xpt_site__classify("\xe8\0", 2), XPT_SITE_UNKNOWN);
	assert_string_equal(xpt_site_class_name(XPT_SITE_UNSAFE), "unsafe");
}

static struct xpt_site site_of(struct elf_gen *g, const char *name)
{
	const struct xpt_sym *sym;
	struct xpt_elf *elf = NULL;
	struct xpt_site site, stay;

	assert_int_equal(eg_open_bytes(g->img, EG_SIZE, &elf), 0);
	sym = xpt_elf__find(elf, name);
	assert_non_null(sym);
	xpt_elf__site(elf, sym, true, &site);
	assert_non_null(site.reason);
	/* Moving off always means the symbol. */
	xpt_elf__site(elf, sym, false, &stay);
	assert_int_equal(stay.offset, sym->offset);
	assert_false(stay.moved);
	assert_int_equal(site.moved, site.offset != sym->offset);
	if (!site.moved)
		assert_int_equal(site.cls, stay.cls);
	xpt_elf__close(elf);
	return site;
}

/* The site of a function of n bytes, relative to its symbol; 0: it has not moved. */
static uint64_t moved_by(const void *code, size_t n, uint64_t size)
{
	struct xpt_site site;
	struct elf_gen g;
	uint64_t f;

	eg_init(&g);
	f = eg_func(&g, code, n);
	eg_sym(&g, "f", f, size, STT_FUNC, 1);
	eg_impl(&g);
	eg_finish(&g);
	site = site_of(&g, "f");
	assert_true(!site.moved || site.cls == XPT_SITE_EMULATED || site.cls == XPT_SITE_NOP5);
	return site.vaddr - f;
}

/* --- stubs ------------------------------------------------------------------------- */

enum { STUB_JE = 10, STUB_EXIT = 0x20 };	/* of eg_stub() */

/* extra: instructions before the jump that a stub may have. */
static void good_stub(const void *extra, size_t n)
{
	uint64_t impl, stub;
	struct xpt_site site;
	struct elf_gen g;

	eg_init(&g);
	impl = eg_impl(&g);
	stub = eg_stub(&g, "stub", eg_slot(&g, impl), extra, n);
	eg_finish(&g);
	site = site_of(&g, "stub");
	assert_true(site.moved);
	assert_int_equal(site.vaddr, stub + STUB_JE);
	assert_int_equal(site.offset, stub + STUB_JE - EG_TEXT + EG_TEXT_FILE);
	assert_int_equal(site.impl_vaddr, impl);
	assert_int_equal(site.exit_vaddr, stub + STUB_EXIT);
	assert_int_equal(site.cls, XPT_SITE_EMULATED);
}

/* The stub's own conditional jump is passed by every call, whatever its slot holds. */
static void test_stub_moves(void **state)
{
	(void)state;
	good_stub(NULL, 0);
	good_stub("\x90", 1);
	good_stub("\x0f\x1f\x40\x00", 4);
	good_stub("\x0f\xb7\xf6", 3);	/* movzwl %si,%esi */
	good_stub("\x40\x0f\xb6\xf6", 4);	/* movzbl %sil,%esi */
}

/* Without a conditional jump nothing in a stub is emulated; its implementation is known all the same. */
static void test_stub_without_exit(void **state)
{
	uint64_t impl, at, slot;
	struct xpt_site site;
	uint8_t b[10];
	struct elf_gen g;

	(void)state;
	eg_init(&g);
	impl = eg_impl(&g);
	slot = eg_slot(&g, impl);
	g.text = (g.text + 15) & ~(size_t)15;
	at = eg_here(&g);
	memcpy(b, "\xf3\x0f\x1e\xfa\xff\x25", 6);	/* endbr64; jmp *slot */
	eg_disp(b + 6, at + 10, slot);
	eg_func(&g, b, sizeof(b));
	eg_sym(&g, "stub", at, sizeof(b), STT_FUNC, 1);
	eg_finish(&g);
	site = site_of(&g, "stub");
	assert_false(site.moved);
	assert_int_equal(site.impl_vaddr, impl);
	assert_int_equal(site.exit_vaddr, 0);
}

static void must_be_no_stub(struct elf_gen *g)
{
	struct xpt_site site;

	eg_finish(g);
	site = site_of(g, "stub");
	assert_true(site.moved);	/* to the conditional jump, as in any function */
	assert_int_equal(site.impl_vaddr, 0);
	assert_int_equal(site.exit_vaddr, 0);
}

static void test_other_exits(void **state)
{
	static const char *const exits[] = {
		"\x31\xff\x90\x90\x90\xc3",	/* touches an argument */
		"\xb8\4\0\0\0\x90",	/* does not return there */
		"\xe8\0\0\0\0\xc3",	/* calls */
		"\xc3\x90\x90\x90\x90\x90",	/* returns whatever was in eax */
	};
	struct elf_gen g;

	(void)state;
	for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
		uint64_t stub;

		eg_init(&g);
		stub = eg_stub(&g, "stub", eg_slot(&g, eg_impl(&g)), NULL, 0);
		eg_put(&g, stub + STUB_EXIT - EG_TEXT + EG_TEXT_FILE, exits[i], 6);
		must_be_no_stub(&g);
	}
}

static void test_slots_that_are_none(void **state)
{
	struct elf_gen g;
	uint64_t impl;

	(void)state;
	eg_init(&g);	/* a word that no relocation fills */
	impl = eg_impl(&g);
	eg_stub(&g, "stub", eg_word(&g, impl), NULL, 0);
	must_be_no_stub(&g);
	eg_init(&g);	/* an implementation in data */
	eg_stub(&g, "stub", eg_slot(&g, EG_DATA), NULL, 0);
	must_be_no_stub(&g);
	eg_init(&g);	/* a slot in code */
	impl = eg_impl(&g);
	eg_rela(&g, EG_TEXT + 0x100, R_X86_64_RELATIVE, 0, impl);
	eg_stub(&g, "stub", EG_TEXT + 0x100, NULL, 0);
	must_be_no_stub(&g);
}

/* --- the straight line ---------------------------------------------------------------- */

#define MOVES(code, to) assert_int_equal(moved_by(code, sizeof(code) - 1, sizeof(code) - 1), to)
#define STAYS(code) MOVES(code, 0)

static void test_line_moves(void **state)
{
	(void)state;
	MOVES("\xf3\x0f\x1e\xfa\x55\x5d\xc3", 4);	/* endbr64; push */
	MOVES("\x31\xc0\x55\x5d\xc3", 2);	/* xor %eax,%eax; push */
	MOVES("\xb8\1\0\0\0\x85\xff\x74\x01\x90\xc3", 7);	/* mov, test, je */
	MOVES("\x40\x0f\xb6\xf6\x53\x5b\xc3", 4);	/* movzbl %sil,%esi keeps the argument */
	MOVES("\x48\x8d\x47\x08\x55\x5d\xc3", 4);	/* lea 8(%rdi),%rax reads no memory */
	MOVES("\x31\xc0\x0f\x1f\x44\0\0\xc3", 2);	/* a 5-byte nop */
	MOVES("\x31\xc0\x55\x5d\xeb\xfa", 2);	/* a loop through the entry is a call of itself */
	STAYS("\x55\x5d\xc3");	/* there is nothing to gain */
	assert_int_equal(moved_by("\x31\xc0\x55\x5d\xc3", 5, 0), 2);	/* no size: it ends with its ret */
}

/* Behind these the entry is not as it was, or may never be left. */
static void test_line_ends(void **state)
{
	(void)state;
	STAYS("\x48\x83\xec\x08\x90\x48\x83\xc4\x08\xc3");	/* sub $8,%rsp */
	STAYS("\x31\xff\x55\x5d\xc3");	/* xor %edi,%edi */
	STAYS("\x48\x89\xf7\x55\x5d\xc3");	/* mov %rsi,%rdi */
	STAYS("\x40\x0f\xb6\xfe\x55\x5d\xc3");	/* movzbl %sil,%edi */
	STAYS("\x48\x89\x07\x55\x5d\xc3");	/* writes memory */
	STAYS("\x48\x8b\x07\x55\x5d\xc3");	/* may fault on its argument */
	STAYS("\x31\xc0\x0f\x05\x55\x5d\xc3");	/* syscall */
	STAYS("\x31\xc0\xff\xd0\x90\xc3");	/* calls */
	STAYS("\x31\xc0\xc3\x90\x90");	/* returns before */
	STAYS("\x31\xc0\x06\x90\xc3");	/* does not decode */
	STAYS("\x31\xc0\x31\xc0\x31\xc0\x31\xc0\x31\xc0\x31\xc0\x31\xc0\x31\xc0\x90\xc3");	/* too far */
}

/* A loop that begins behind the entry would be counted as calls. */
static void test_line_is_entered(void **state)
{
	static const char between[] = "\x31\xc0\x55\x5d\xc3";
	struct elf_gen g;
	uint64_t f;

	(void)state;
	STAYS("\x31\xc0\x55\x5d\xeb\xfc");	/* jumps to the push */
	STAYS("\x31\xc0\x31\xd2\x55\x5d\x75\xfa\xc3");	/* to the instruction before it */
	STAYS("\xf3\x0f\x1e\xfa\x55\x5d\xe8\xf9\xff\xff\xff\xc3");	/* calls it */
	STAYS("\x31\xc0\x55\x5d\xff\xe0");	/* jumps to where nobody knows */
	assert_int_equal(moved_by("\x31\xc0\x55\x5d\xeb\xfc", 6, 0), 0);
	eg_init(&g);	/* another symbol at the push */
	f = eg_func(&g, between, 5);
	eg_sym(&g, "f", f, 5, STT_FUNC, 1);
	eg_sym(&g, "inner", f + 2, 3, STT_FUNC, 1);
	eg_finish(&g);
	assert_false(site_of(&g, "f").moved);
	eg_init(&g);	/* relocations in the code: the bytes in the file are not what runs */
	eg_sym(&g, "f", eg_func(&g, between, 5), 5, STT_FUNC, 1);
	eg_dyn(&g, DT_TEXTREL, 0);
	eg_finish(&g);
	assert_false(site_of(&g, "f").moved);
}

/* --- lengths -------------------------------------------------------------------------- */

/* Compares lengths over one function; true: all of it agreed. */
static bool same_lengths(struct xpt_decoder *dec, const uint8_t *b, size_t n, size_t *insns)
{
	struct xpt_insn insn;
	size_t at, len;

	for (at = 0; at < n; at += len, ++*insns) {
		len = xpt_insn__length(b + at, n - at);
		if (!xpt_decoder__next(dec, b + at, n - at, 0, &insn))
			return false;
		if (len)
			assert_int_equal(len, insn.len);
		else
			return false;
	}
	return true;
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *path)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	snprintf(path, 4096, "%s", info->dlpi_name);
	return 1;
}

static void test_lengths(void **state)
{
	static uint8_t code[64 << 10];
	size_t i, nr, n, insns = 0, same = 0, funcs = 0;
	const struct xpt_sym *s;
	struct xpt_decoder *dec;
	char path[4096] = "";
	struct xpt_elf *elf;

	(void)state;
	if (!dl_iterate_phdr(find_libc, path))
		skip();
	assert_int_equal(xpt_elf__open(path, &elf), 0);
	assert_int_equal(xpt_decoder__new(&dec), 0);
	s = xpt_elf__syms(elf, &nr);
	for (i = 0; i < nr; i++) {
		if (!s[i].size || s[i].size > sizeof(code))
			continue;
		n = xpt_elf__read(elf, s[i].vaddr, code, (size_t)s[i].size);
		same += same_lengths(dec, code, n, &insns);
		funcs++;
	}
	assert_true(funcs > 100 && insns > 10000);
	assert_true(same * 100 >= funcs * 99);
	xpt_decoder__free(dec);
	xpt_elf__close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_stub_moves),
		cmocka_unit_test(test_stub_without_exit),
		cmocka_unit_test(test_other_exits),
		cmocka_unit_test(test_slots_that_are_none),
		cmocka_unit_test(test_line_moves),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_line_is_entered),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
