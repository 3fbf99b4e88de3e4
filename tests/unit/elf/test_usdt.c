/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: sdt
 * elf/usdt.h: argument locations in every form that compilers write, notes
 * in generated files, with prelink's shift and with damage, and the notes of
 * this very program as its compiler made them.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "elf_gen.h"
#include "elf/usdt.h"
#if __has_include(<sys/sdt.h>)
#define HAVE_SDT 1
#include <sys/sdt.h>
#endif

#define SITE 0x1000
#define G_VADDR 0x2f00

static bool find_g(void *ctx, const char *name, size_t len, uint64_t *ret_vaddr)
{
	(void)ctx;
	if (len != 1 || name[0] != 'g')
		return false;
	*ret_vaddr = G_VADDR;
	return true;
}

static const struct {
	const char *text;
	struct xpt_wire_loc loc;	/* kind NONE: unsupported */
	bool absolute;
} forms[] = {
	{ "8@%rdi", { XPT_LOC_REG, 8, XPT_REG_RDI, 0, 0, { 0 }, 0 }, false },
	{ "-4@%r13d", { XPT_LOC_REG, 0x84, XPT_REG_R13, 0, 0, { 0 }, 0 }, false },
	{ "2@%r9w", { XPT_LOC_REG, 2, XPT_REG_R9, 0, 0, { 0 }, 0 }, false },
	{ "-1@%sil", { XPT_LOC_REG, 0x81, XPT_REG_RSI, 0, 0, { 0 }, 0 }, false },
	{ "1@%ah", { XPT_LOC_REG, 1, XPT_REG_RAX, 0, 8, { 0 }, 0 }, false },
	{ "%rbx", { XPT_LOC_REG, 8, XPT_REG_RBX, 0, 0, { 0 }, 0 }, false },
	{ "-4@$7", { XPT_LOC_CONST, 0x84, 0, 0, 0, { 0 }, 7 }, false },
	{ "-8@$-3", { XPT_LOC_CONST, 0x88, 0, 0, 0, { 0 }, -3 }, false },
	{ "8@$0x7fffffffffff", { XPT_LOC_CONST, 8, 0, 0, 0, { 0 }, 0x7fffffffffff }, false },
	{ "8@$g+8", { XPT_LOC_CONST, 8, 0, 0, 0, { 0 }, G_VADDR + 8 }, true },
	{ "-4@(%rdi)", { XPT_LOC_MEM, 0x84, XPT_REG_RDI, XPT_REG_ZERO, 0, { 0 }, 0 }, false },
	{ "8@16(%rsp)", { XPT_LOC_MEM, 8, XPT_REG_RSP, XPT_REG_ZERO, 0, { 0 }, 16 }, false },
	{ "8@-0x10(%rbp)", { XPT_LOC_MEM, 8, XPT_REG_RBP, XPT_REG_ZERO, 0, { 0 }, -16 }, false },
	{ "-4@(%rax,%rdx,4)", { XPT_LOC_MEM, 0x84, XPT_REG_RAX, XPT_REG_RDX, 2, { 0 }, 0 }, false },
	{ "-1@(%rdx,%rdi)", { XPT_LOC_MEM, 0x81, XPT_REG_RDX, XPT_REG_RDI, 0, { 0 }, 0 }, false },
	{ "8@-8(%r8,%r15,8)", { XPT_LOC_MEM, 8, XPT_REG_R8, XPT_REG_R15, 3, { 0 }, -8 }, false },
	{ "8@4(,%rax,8)", { XPT_LOC_MEM, 8, XPT_REG_ZERO, XPT_REG_RAX, 3, { 0 }, 4 }, false },
	{ "-4@g(%rip)", { XPT_LOC_MEM, 0x84, XPT_REG_SITE, XPT_REG_ZERO, 0, { 0 },
			  G_VADDR - SITE }, false },
	{ "-4@4+g(%rip)", { XPT_LOC_MEM, 0x84, XPT_REG_SITE, XPT_REG_ZERO, 0, { 0 },
			    G_VADDR + 4 - SITE }, false },
	{ "-4@g-4(%rip)", { XPT_LOC_MEM, 0x84, XPT_REG_SITE, XPT_REG_ZERO, 0, { 0 },
			    G_VADDR - 4 - SITE }, false },
	{ "8@g(,%rax,8)", { XPT_LOC_MEM, 8, XPT_REG_ZERO, XPT_REG_RAX, 3, { 0 }, G_VADDR }, true },
	{ "8@g", { XPT_LOC_MEM, 8, XPT_REG_ZERO, XPT_REG_ZERO, 0, { 0 }, G_VADDR }, true },
};

static const char *const unsupported[] = {
	"8f@%xmm0", "8f@dd(%rip)", "16@%rax", "8@%xmm1", "-4@%fs:tl@tpoff", "4@", "4@%", "4@%eaxx",
	"8@g", "8@$g", "8@g(,%rax,8)", "8@unknown(%rip)", "8@12(%rip)", "8@(%eax)", "8@(%rax,%rip,2)",
	"8@(%rax,%rbx,3)", "8@(%rax", "8@g+g(%rip)", "8@-g(%rip)", "8@$", "8@$12x", "3@%rax",
	"8@99999999999999999999(%rax)", "8@0x(%rax)", "8@(%rip,%rax)", "8@%rip", "g", "8@$-",
};

static void test_forms(void **state)
{
	struct xpt_wire_loc loc[XPT_POINT_ARGS];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_int_equal(xpt_usdt__parse_args(forms[i].text, SITE, forms[i].absolute,
						      find_g, NULL, loc), 1);
		if (memcmp(&loc[0], &forms[i].loc, sizeof(loc[0])))
			fail_msg("'%s' is read as kind %u width %#x base %u index %u scale %u off %lld",
				 forms[i].text, loc[0].kind, loc[0].width, loc[0].base, loc[0].index,
				 loc[0].scale, (long long)loc[0].off);
	}
	for (i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++) {
		assert_int_equal(xpt_usdt__parse_args(unsupported[i], SITE, false, find_g, NULL,
						      loc), 1);
		if (loc[0].kind != XPT_LOC_NONE)
			fail_msg("'%s' is taken for kind %u", unsupported[i], loc[0].kind);
	}
}

static void test_lists(void **state)
{
	struct xpt_wire_loc loc[XPT_POINT_ARGS];

	(void)state;
	assert_int_equal(xpt_usdt__parse_args("", SITE, false, NULL, NULL, loc), 0);
	assert_int_equal(xpt_usdt__parse_args("   ", SITE, false, NULL, NULL, loc), 0);
	/* One that cannot be read costs itself alone, also in words of its own. */
	assert_int_equal(xpt_usdt__parse_args(" 8@%rax 4@DWORD PTR [rbp-4] 8f@%xmm0  -4@$1 ", SITE,
					      false, NULL, NULL, loc), 4);
	assert_int_equal(loc[0].kind, XPT_LOC_REG);
	assert_int_equal(loc[1].kind, XPT_LOC_NONE);
	assert_int_equal(loc[2].kind, XPT_LOC_NONE);
	assert_int_equal(loc[3].off, 1);
	assert_int_equal(xpt_usdt__parse_args("4@$1 4@$2 4@$3 4@$4 4@$5 4@$6 4@$7 4@$8 4@$9 4@$10 "
					      "4@$11 4@$12 4@$13", SITE, false, NULL, NULL, loc),
			 XPT_POINT_ARGS);
	assert_int_equal(loc[11].off, 12);
}

/* --- generated files ---------------------------------------------------------------- */

enum { AT_NOTE = EG_SIZE, AT_NAMES = EG_SIZE + 0x800, AT_SYM = EG_SIZE + 0x900,
       AT_STR = EG_SIZE + 0xa00, AT_SH = EG_SIZE + 0xb00, FILE_SIZE = EG_SIZE + 0x1000 };
#define BASE 0x2a00
#define NAMES "\0.note.stapsdt\0.stapsdt.base\0.shstrtab\0.symtab"

struct image {
	uint8_t b[FILE_SIZE];
	size_t notes;
};

static void put_note(struct image *im, uint64_t pc, uint64_t base, uint64_t sema, const char *text,
		     size_t n)
{
	uint32_t head[3] = { 8, (uint32_t)(24 + n), 3 };
	uint64_t at[3] = { pc, base, sema };
	uint8_t *p = im->b + AT_NOTE + im->notes;

	memcpy(p, head, 12);
	memcpy(p + 12, "stapsdt", 8);
	memcpy(p + 20, at, 24);
	memcpy(p + 44, text, n);
	im->notes += (44 + n + 3) & ~(size_t)3;
}

#define NOTE(im, pc, base, sema, text) put_note(im, pc, base, sema, text, sizeof(text))

static void put_sections(struct image *im, uint64_t base)
{
	Elf64_Sym sym[4] = {
		{ 0 },
		{ .st_name = 1, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = G_VADDR },
		{ .st_name = 3, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = 0x2e00 },
		{ .st_name = 3, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = 0x2e08 },
	};
	Elf64_Shdr sh[6] = {
		{ 0 },
		{ .sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = AT_NOTE, .sh_size = im->notes },
		{ .sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = base, .sh_size = 1 },
		{ .sh_name = 29, .sh_type = SHT_STRTAB, .sh_offset = AT_NAMES,
		  .sh_size = sizeof(NAMES) },
		{ .sh_name = 39, .sh_type = SHT_SYMTAB, .sh_offset = AT_SYM, .sh_link = 5,
		  .sh_size = sizeof(sym) },
		{ .sh_type = SHT_STRTAB, .sh_offset = AT_STR, .sh_size = 8 },
	};
	Elf64_Ehdr *eh = (void *)im->b;

	memcpy(im->b + AT_NAMES, NAMES, sizeof(NAMES));
	memcpy(im->b + AT_SYM, sym, sizeof(sym));
	memcpy(im->b + AT_STR, "\0g\0d\0", 6);
	memcpy(im->b + AT_SH, sh, sizeof(sh));
	eh->e_shoff = AT_SH;
	eh->e_shentsize = sizeof(Elf64_Shdr);
	eh->e_shnum = 6;
	eh->e_shstrndx = 3;
}

/* Code: nop; nop5 at EG_TEXT, then nops. */
static void start_image(struct image *im)
{
	static struct elf_gen g;

	eg_init(&g);
	eg_raw(&g, "\x90\x0f\x1f\x44\0\0", 6);
	g.text = 64;
	eg_impl(&g);
	eg_finish(&g);
	memset(im, 0, sizeof(*im));
	memcpy(im->b, g.img, EG_SIZE);
}

static struct xpt_usdt *read_image(const struct image *im, bool nop5)
{
	struct xpt_usdt *u = NULL;
	struct xpt_elf *elf = NULL;

	assert_int_equal(eg_open_bytes(im->b, sizeof(im->b), &elf), 0);
	assert_int_equal(xpt_usdt__read(elf, nop5, &u), 0);
	xpt_elf__close(elf);
	return u;
}

static void test_notes(void **state)
{
	const struct xpt_usdt_site *s;
	static struct image im;
	struct xpt_usdt *u;
	size_t nr;

	(void)state;
	start_image(&im);
	NOTE(&im, EG_TEXT + 16, BASE, 0, "prov\0beta\0-4@g(%rip) -4@d(%rip) 8f@%xmm0");
	NOTE(&im, EG_TEXT, BASE, EG_DATA + 16, "prov\0alpha\0008@%rdi");
	NOTE(&im, EG_TEXT + 8, BASE, EG_TEXT, "prov\0alpha\000");	/* no semaphore in code */
	NOTE(&im, 0x900000, BASE, 0, "prov\0nowhere\000");	/* not code */
	NOTE(&im, EG_DATA, BASE, 0, "prov\0data\000");
	put_sections(&im, BASE);
	u = read_image(&im, false);
	s = xpt_usdt__sites(u, &nr);
	assert_int_equal(nr, 3);
	assert_string_equal(s[0].name, "alpha");
	assert_int_equal(s[0].offset, EG_TEXT_FILE);
	assert_int_equal(s[0].sema_offset, EG_DATA_FILE + 16);
	assert_int_equal(s[0].cls, XPT_SITE_EMULATED);
	assert_int_equal(s[0].nr_args, 1);
	assert_int_equal(s[1].offset, EG_TEXT_FILE + 8);
	assert_int_equal(s[1].sema_offset, 0);
	assert_int_equal(s[1].nr_args, 0);
	assert_string_equal(s[2].name, "beta");
	assert_int_equal(s[2].loc[0].kind, XPT_LOC_MEM);
	assert_int_equal(s[2].loc[0].off, G_VADDR - (EG_TEXT + 16));
	assert_int_equal(s[2].loc[1].kind, XPT_LOC_NONE);	/* two variables are called so */
	assert_int_equal(s[2].loc[2].kind, XPT_LOC_NONE);
	xpt_usdt__free(u);
}

static void test_nop5_and_prelink(void **state)
{
	const struct xpt_usdt_site *s;
	static struct image im;
	struct xpt_usdt *u;
	size_t nr;

	(void)state;
	start_image(&im);
	NOTE(&im, EG_TEXT - 0x100, BASE - 0x100, EG_DATA - 0x100, "prov\0alpha\000");
	put_sections(&im, BASE);
	u = read_image(&im, true);
	s = xpt_usdt__sites(u, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(s[0].vaddr, EG_TEXT + 1);
	assert_int_equal(s[0].offset, EG_TEXT_FILE + 1);
	assert_int_equal(s[0].sema_offset, EG_DATA_FILE);
	assert_int_equal(s[0].cls, XPT_SITE_NOP5);
	assert_true(s[0].moved);
	xpt_usdt__free(u);
	put_sections(&im, 0);	/* without the section nothing is shifted */
	u = read_image(&im, true);
	xpt_usdt__sites(u, &nr);
	assert_int_equal(nr, 0);
	xpt_usdt__free(u);
}

/*
 * Names and tables that no compiler makes, of which a file could hold so many that looking
 * at all takes for ever: a name of 5000 bytes, and a second table of the same kind.
 */
static void test_bounds(void **state)
{
	enum { LONG = 5000, NAMES_AT = FILE_SIZE, NOTE_AT = FILE_SIZE + 0x2000, SIZE = NOTE_AT + 0x2000 };
	static const uint64_t at[3] = { EG_TEXT, BASE, 0 };
	Elf64_Sym sym = { .st_name = 1, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = G_VADDR };
	static uint8_t big[SIZE];
	static struct image im;
	const struct xpt_usdt_site *s;
	struct xpt_usdt *u = NULL;
	struct xpt_elf *elf = NULL;
	uint32_t head[3] = { 8, 24, 3 };
	Elf64_Shdr *sh = (void *)(big + AT_SH);
	char *text = (char *)big + NOTE_AT + 44;
	size_t nr;

	(void)state;
	start_image(&im);
	put_sections(&im, BASE);
	memcpy(big, im.b, sizeof(im.b));
	memset(big + NAMES_AT + 1, 'a', LONG);		/* symbol 1 of the first table, */
	big[NAMES_AT + LONG + 2] = 'h';			/* and that of the second */
	memcpy(big + AT_SYM + sizeof(sym), &sym, sizeof(sym));
	sym.st_name = LONG + 2;
	memcpy(big + AT_SYM + 8 * sizeof(sym), &sym, sizeof(sym));
	sh[5].sh_offset = NAMES_AT;
	sh[5].sh_size = LONG + 4;
	sh[6] = sh[4];
	sh[6].sh_offset = AT_SYM + 8 * sizeof(sym);
	sh[6].sh_size = sizeof(sym);
	((Elf64_Ehdr *)(void *)big)->e_shnum = 7;
	nr = (size_t)snprintf(text, 0x1f00, "prov%cbeta%c8@h(%%rip) 8@%.*s(%%rip)", 0, 0, LONG,
			     (char *)big + NAMES_AT + 1) + 1;
	head[1] += (uint32_t)nr;
	memcpy(big + NOTE_AT, head, 12);
	memcpy(big + NOTE_AT + 12, "stapsdt", 8);
	memcpy(big + NOTE_AT + 20, at, 24);
	sh[1].sh_offset = NOTE_AT;
	sh[1].sh_size = 44 + ((nr + 3) & ~(size_t)3);
	assert_int_equal(eg_open_bytes(big, SIZE, &elf), 0);
	assert_int_equal(xpt_usdt__read(elf, false, &u), 0);
	xpt_elf__close(elf);
	s = xpt_usdt__sites(u, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(s[0].nr_args, 2);
	assert_int_equal(s[0].loc[0].kind, XPT_LOC_NONE);
	assert_int_equal(s[0].loc[1].kind, XPT_LOC_NONE);
	xpt_usdt__free(u);
}

/* Every byte of notes and sections replaced: never more than another answer. */
static void test_damage(void **state)
{
	static const uint8_t with[] = { 0, 1, 0x7f, 0xff };
	static struct image im, bad;
	struct xpt_usdt *u;
	size_t i, k, nr, n;
	const struct xpt_usdt_site *s;

	(void)state;
	start_image(&im);
	NOTE(&im, EG_TEXT, BASE, EG_DATA, "prov\0alpha\0-4@g(%rip) 8@%rdi");
	NOTE(&im, EG_TEXT + 8, BASE, 0, "prov\0beta\0");
	put_sections(&im, BASE);
	for (i = AT_NOTE; i < FILE_SIZE; i += i < AT_NOTE + im.notes ? 1 : 5) {
		for (k = 0; k < sizeof(with); k++) {
			bad = im;
			bad.b[i] = with[k];
			u = read_image(&bad, true);
			s = xpt_usdt__sites(u, &nr);
			for (n = 0; n < nr; n++)
				assert_true(s[n].offset < FILE_SIZE && s[n].name[0] &&
					    s[n].nr_args <= XPT_POINT_ARGS);
			xpt_usdt__free(u);
		}
	}
}

/* --- this program ------------------------------------------------------------------- */

#ifdef HAVE_SDT
static int global = 5;
static volatile int one = 1;	/* a compiler that knew it would leave one of the places out */
static double real = 0.5;

static __attribute__((noinline)) long probes(const int *a, long i, const char *c, short h,
					     unsigned char b)
{
	DTRACE_PROBE8(xpt_test, many, i, a[i], global, c[i], h, b, 7, real);
	if (i & 1)
		DTRACE_PROBE1(xpt_test, twice, i);
	else	/* another width: of two places that are alike a compiler may make one */
		DTRACE_PROBE1(xpt_test, twice, h);
	return i;
}

static void test_own(void **state)
{
	const struct xpt_usdt_site *s;
	struct xpt_usdt *u = NULL;
	struct xpt_elf *elf = NULL;
	size_t nr, i;
	int a[2] = { 1, 2 };

	(void)state;
	probes(a, one, "ab", 3, 4);
	assert_int_equal(xpt_elf__open("/proc/self/exe", &elf), 0);
	assert_int_equal(xpt_usdt__read(elf, true, &u), 0);
	xpt_elf__close(elf);
	s = xpt_usdt__sites(u, &nr);
	assert_int_equal(nr, 3);
	assert_string_equal(s[0].name, "many");
	assert_string_equal(s[1].name, "twice");
	assert_string_equal(s[2].name, "twice");
	assert_int_equal(s[0].nr_args, 8);
	for (i = 0; i < 7; i++)
		if (s[0].loc[i].kind == XPT_LOC_NONE)
			fail_msg("argument %zu of '%s' is not understood", i, s[0].args);
	assert_int_equal(s[0].loc[7].kind, XPT_LOC_NONE);
	assert_int_equal(s[0].loc[6].off, 7);
	for (i = 0; i < nr; i++)
		assert_true(s[i].cls == XPT_SITE_EMULATED || s[i].cls == XPT_SITE_NOP5);
	xpt_usdt__free(u);
}
#else
static void test_own(void **state)
{
	(void)state;
	skip();	/* no sys/sdt.h: systemtap-sdt-dev */
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_nop5_and_prelink),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
