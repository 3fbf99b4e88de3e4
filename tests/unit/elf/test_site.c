/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sites/site.h: instruction classes, moves that are proven, and many files in
 * which one thing is not as it must be, so that the probe stays at the symbol.
 */
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "elf_gen.h"
#include "elf/insn.h"
#include "elf/elf_priv.h"
#include "engine/engine.h"
#include "proc/maps.h"
#include "engine/libraries/stub_slots.h"

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
	assert_string_equal(xpt_site_move_name(XPT_MOVE_STUB), "stub");
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
	assert_int_equal(stay.move, XPT_MOVE_NONE);
	if (site.move == XPT_MOVE_NONE) {
		assert_int_equal(site.offset, sym->offset);
		assert_int_equal(site.cls, stay.cls);
		assert_int_equal(site.exit_offset, 0);
	}
	xpt_elf__close(elf);
	return site;
}

/* --- what moves -------------------------------------------------------------------- */

/* extra: instructions before the jump that a stub may have. */
static void good_stub(const void *extra, size_t n)
{
	uint64_t impl, stub, slot;
	struct xpt_site site;
	struct elf_gen g;

	eg_init(&g);
	impl = eg_impl(&g);
	eg_impl(&g);
	slot = eg_slot(&g, impl);
	stub = eg_stub(&g, "stub", slot, extra, n);
	eg_finish(&g);
	site = site_of(&g, "stub");
	assert_int_equal(site.move, XPT_MOVE_STUB);
	assert_int_equal(site.vaddr, impl);
	assert_int_equal(site.impl_vaddr, impl);
	assert_int_equal(site.offset, impl - EG_TEXT + EG_TEXT_FILE);
	assert_int_equal(site.slot_vaddr, slot);
	assert_int_equal(site.exit_offset, stub + 0x20 - EG_TEXT + EG_TEXT_FILE);
	assert_int_equal(site.cls, XPT_SITE_EMULATED);
}

static void test_stub_moves(void **state)
{
	(void)state;
	good_stub(NULL, 0);
	good_stub("\x90", 1);
	good_stub("\x0f\x1f\x40\x00", 4);
	good_stub("\x0f\xb7\xf6", 3);	/* movzwl %si,%esi */
	good_stub("\x40\x0f\xb6\xf6", 4);	/* movzbl %sil,%esi */
}

static void test_stub_with_endbr(void **state)
{
	uint64_t impl, at, slot;
	struct xpt_site site;
	uint8_t b[10];
	struct elf_gen g;

	(void)state;
	eg_init(&g);
	impl = eg_func(&g, "\xf3\x0f\x1e\xfa\x41\x54\x41\x5c\xc3", 9);
	slot = eg_slot(&g, impl);
	/* endbr64; jmp *slot: no exit at all */
	g.text = (g.text + 15) & ~(size_t)15;
	at = eg_here(&g);
	memcpy(b, "\xf3\x0f\x1e\xfa\xff\x25", 6);
	eg_disp(b + 6, at + 10, slot);
	eg_func(&g, b, sizeof(b));
	eg_sym(&g, "stub", at, sizeof(b), STT_FUNC, 1);
	eg_sym(&g, "alias", at, sizeof(b), STT_FUNC, 1);
	eg_finish(&g);
	site = site_of(&g, "stub");
	assert_int_equal(site.move, XPT_MOVE_STUB);
	assert_int_equal(site.vaddr, impl + 4);
	assert_int_equal(site.impl_vaddr, impl);
	assert_int_equal(site.exit_offset, 0);
	assert_int_equal(site_of(&g, "alias").vaddr, impl + 4);
}

static void test_endbr_moves(void **state)
{
	struct xpt_site site;
	struct elf_gen g;
	uint64_t f, h;

	(void)state;
	eg_init(&g);
	f = eg_func(&g, "\xf3\x0f\x1e\xfa\x55\x5d\xc3", 7);
	h = eg_func(&g, "\xf3\x0f\x1e\xfa\x31\xc0\xc3", 7);
	eg_sym(&g, "push", f, 7, STT_FUNC, 1);
	eg_sym(&g, "xor", h, 7, STT_FUNC, 1);
	eg_sym(&g, "plain", eg_impl(&g), 3, STT_FUNC, 1);
	eg_finish(&g);
	site = site_of(&g, "push");
	assert_int_equal(site.move, XPT_MOVE_ENDBR);
	assert_int_equal(site.vaddr, f + 4);
	assert_int_equal(site.cls, XPT_SITE_EMULATED);
	site = site_of(&g, "xor");
	assert_int_equal(site.move, XPT_MOVE_NONE);
	assert_int_equal(site.cls, XPT_SITE_SINGLE_STEP);
	site = site_of(&g, "plain");
	assert_int_equal(site.move, XPT_MOVE_NONE);
	assert_int_equal(site.cls, XPT_SITE_EMULATED);
}

/* --- near misses --------------------------------------------------------------------- */

struct miss {
	struct elf_gen g;
	uint64_t impl, slot, stub;
};

/* A stub that would move; a test then adds what speaks against it. */
static void begin(struct miss *m)
{
	eg_init(&m->g);
	m->impl = eg_impl(&m->g);
	m->slot = eg_slot(&m->g, m->impl);
	m->stub = eg_stub(&m->g, "stub", m->slot, NULL, 0);
}

static void must_stay(struct miss *m)
{
	eg_finish(&m->g);
	assert_int_equal(site_of(&m->g, "stub").move, XPT_MOVE_NONE);
}

/* A function: op, then a displacement to target, then ret. */
static void refer(struct elf_gen *g, const void *op, size_t n, uint64_t target)
{
	uint8_t b[16];
	uint64_t at;

	g->text = (g->text + 15) & ~(size_t)15;
	at = eg_here(g);
	memcpy(b, op, n);
	eg_disp(b + n, at + n + 4, target);
	b[n + 4] = 0xc3;
	eg_func(g, b, n + 5);
}

static void test_other_references(void **state)
{
	struct miss m;

	(void)state;
	begin(&m);
	eg_finish(&m.g);
	assert_int_equal(site_of(&m.g, "stub").move, XPT_MOVE_STUB);
#define MISS(change) do { begin(&m); change; must_stay(&m); } while (0)
	MISS(refer(&m.g, "\xe8", 1, m.impl));	/* call */
	MISS(refer(&m.g, "\xe9", 1, m.impl));	/* jmp */
	MISS(refer(&m.g, "\x0f\x84", 2, m.impl));	/* je */
	MISS(refer(&m.g, "\x48\x8d\x05", 3, m.impl));	/* lea impl,%rax */
	MISS(refer(&m.g, "\xff\x15", 2, m.slot));	/* call *slot */
	MISS(refer(&m.g, "\xff\x25", 2, m.slot));	/* jmp *slot */
	MISS(refer(&m.g, "\x48\x8d\x05", 3, m.slot));	/* lea slot,%rax */
	MISS(refer(&m.g, "\x48\x8b\x05", 3, m.slot));	/* mov slot,%rax; ret */
	MISS(refer(&m.g, "\xe9", 1, m.stub + 0x20));	/* jmp to its exit */
	MISS(eg_stub(&m.g, "other", m.slot, NULL, 0));	/* shares the slot */
	MISS(eg_stub(&m.g, "other", eg_slot(&m.g, m.impl), NULL, 0));	/* shares impl */
	MISS(eg_slot(&m.g, m.impl));	/* a second pointer */
	MISS(eg_rela(&m.g, m.slot, R_X86_64_RELATIVE, 0, m.impl));	/* filled twice */
	MISS(eg_rela(&m.g, m.slot, R_X86_64_RELATIVE, 0, m.stub));
	MISS(eg_rela(&m.g, m.slot, R_X86_64_64, 1, 0));
	MISS(eg_rela(&m.g, eg_word(&m.g, 0), R_X86_64_RELATIVE, 0, m.slot));
	MISS(eg_rela(&m.g, eg_word(&m.g, 0), R_X86_64_IRELATIVE, 0, m.impl));
	MISS(eg_sym(&m.g, "impl", m.impl, 3, STT_FUNC, 1));	/* exported */
	MISS(eg_sym(&m.g, "impl", m.impl, 0, STT_NOTYPE, 1));
	MISS(eg_sym(&m.g, "table", EG_DATA, 0x100, STT_OBJECT, 1));	/* slot exported */
	MISS(eg_raw(&m.g, "\x90", 1);	/* a symbol and an addend that add up to impl */
	     eg_rela(&m.g, eg_word(&m.g, 0), R_X86_64_64, 1, m.impl - m.stub));
#undef MISS
}

static void test_short_jump(void **state)
{
	struct miss m;
	uint8_t b[] = { 0xeb, 0, 0xc3 };
	uint64_t at;

	(void)state;
	eg_init(&m.g);
	m.impl = eg_impl(&m.g);
	at = (eg_here(&m.g) + 15) & ~(uint64_t)15;
	b[1] = (uint8_t)(m.impl - at - 2);
	eg_func(&m.g, b, sizeof(b));
	m.slot = eg_slot(&m.g, m.impl);
	m.stub = eg_stub(&m.g, "stub", m.slot, NULL, 0);
	must_stay(&m);
}

/* The bytes of a reference inside another instruction are none. */
static void test_bytes_that_look_like_a_reference(void **state)
{
	struct miss m;
	uint8_t b[] = { 0x48, 0xb8, 0xe8, 0, 0, 0, 0, 0, 0, 0, 0xc3 };	/* movabs */
	uint64_t at;

	(void)state;
	begin(&m);
	m.g.text = (m.g.text + 15) & ~(size_t)15;
	at = eg_here(&m.g);
	eg_disp(b + 3, at + 7, m.impl);
	eg_func(&m.g, b, sizeof(b));
	eg_finish(&m.g);
	assert_int_equal(site_of(&m.g, "stub").move, XPT_MOVE_STUB);
	/* Where the function begins is not known: then they may be one. */
	begin(&m);
	m.g.text = (m.g.text + 15) & ~(size_t)15;
	eg_func(&m.g, "\x06\x06\x06\x06\x06\x06\x06\x06", 8);	/* do not decode */
	at = eg_here(&m.g);
	eg_disp(b + 3, at + 7, m.impl);
	eg_raw(&m.g, b, sizeof(b));
	must_stay(&m);
}

/* Saving and replacing the pointer is what tools do; it calls nobody. */
static void test_slot_is_swapped(void **state)
{
	struct miss m;
	uint8_t b[] = { 0x48, 0x8b, 0x15, 0, 0, 0, 0,	/* mov slot,%rdx */
			0x48, 0x89, 0x57, 0x08,	/* mov %rdx,8(%rdi) */
			0x48, 0x8b, 0x56, 0x08,	/* mov 8(%rsi),%rdx */
			0x48, 0x89, 0x15, 0, 0, 0, 0,	/* mov %rdx,slot */
			0xc3 };
	uint64_t at;

	(void)state;
	begin(&m);
	m.g.text = (m.g.text + 15) & ~(size_t)15;
	at = eg_here(&m.g);
	eg_disp(b + 3, at + 7, m.slot);
	eg_disp(b + 18, at + 22, m.slot);
	eg_func(&m.g, b, sizeof(b));
	eg_finish(&m.g);
	assert_int_equal(site_of(&m.g, "stub").move, XPT_MOVE_STUB);
	/* The same, but the pointer is called before it is replaced. */
	begin(&m);
	m.g.text = (m.g.text + 15) & ~(size_t)15;
	at = eg_here(&m.g);
	eg_disp(b + 3, at + 7, m.slot);
	eg_disp(b + 18, at + 22, m.slot);
	memcpy(b + 11, "\xff\xd2\x90\x90", 4);	/* call *%rdx */
	eg_func(&m.g, b, sizeof(b));
	must_stay(&m);
}

static void test_falls_into(void **state)
{
	struct miss m;

	(void)state;
	eg_init(&m.g);
	eg_func(&m.g, "\x31\xf6\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90", 16);
	m.impl = eg_impl(&m.g);	/* behind `xor %esi,%esi` and nops */
	m.slot = eg_slot(&m.g, m.impl);
	m.stub = eg_stub(&m.g, "stub", m.slot, NULL, 0);
	must_stay(&m);
}

/* Stubs that do more than pass on, and targets without gain. */
static void test_other_shapes(void **state)
{
	static const struct {
		const char *b;
		size_t n;
	} extra[] = {
		{ "\x31\xff", 2 },	/* xor %edi,%edi */
		{ "\x48\x89\xf7", 3 },	/* mov %rsi,%rdi */
		{ "\x48\x83\xec\x08", 4 },	/* sub $8,%rsp */
		{ "\x55", 1 },	/* push: the stack is no longer as at the symbol */
		{ "\x48\x89\x07", 3 },	/* writes memory */
		{ "\x40\x0f\xb6\xfe", 4 },	/* movzbl %sil,%edi */
		{ "\x0f\xb6\xf4", 3 },	/* movzbl %ah,%esi */
		{ "\x74\x10", 2 },	/* a second conditional exit */
		{ "\x0f\x05", 2 },	/* syscall */
	};
	struct miss m;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(extra) / sizeof(extra[0]); i++) {
		eg_init(&m.g);
		m.impl = eg_impl(&m.g);
		m.slot = eg_slot(&m.g, m.impl);
		eg_stub(&m.g, "stub", m.slot, extra[i].b, extra[i].n);
		must_stay(&m);
	}
	/* Implementations that cost as much, or must not be probed. */
	for (i = 0; i < 2; i++) {
		eg_init(&m.g);
		m.impl = eg_func(&m.g, i ? "\xc5\xf9\x7e\xc0\xc3" : "\x48\x83\xec\x18\xc3", 5);
		m.slot = eg_slot(&m.g, m.impl);
		eg_stub(&m.g, "stub", m.slot, NULL, 0);
		must_stay(&m);
	}
}

static void test_other_exits(void **state)
{
	static const char *const exits[] = {
		"\x31\xff\x90\x90\x90\xc3",	/* touches an argument */
		"\xb8\4\0\0\0\x90",	/* does not return there */
		"\xe8\0\0\0\0\xc3",	/* calls */
		"\xc3\x90\x90\x90\x90\x90",	/* returns whatever was in eax */
	};
	struct miss m;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
		begin(&m);
		eg_put(&m.g, m.stub + 0x20 - EG_TEXT + EG_TEXT_FILE, exits[i], 6);
		must_stay(&m);
	}
	begin(&m);	/* its conditional jump goes backwards, into something else */
	m.g.img[m.stub + 11 - EG_TEXT + EG_TEXT_FILE] = 0xe0;
	must_stay(&m);
}

static void test_slots_that_are_none(void **state)
{
	struct miss m;

	(void)state;
	eg_init(&m.g);	/* a word that no relocation fills */
	m.impl = eg_impl(&m.g);
	eg_stub(&m.g, "stub", eg_word(&m.g, m.impl), NULL, 0);
	must_stay(&m);
	eg_init(&m.g);	/* an implementation in data */
	eg_stub(&m.g, "stub", eg_slot(&m.g, EG_DATA), NULL, 0);
	must_stay(&m);
	eg_init(&m.g);	/* a slot in code */
	m.impl = eg_impl(&m.g);
	eg_rela(&m.g, EG_TEXT + 0x100, R_X86_64_RELATIVE, 0, m.impl);
	eg_stub(&m.g, "stub", EG_TEXT + 0x100, NULL, 0);
	must_stay(&m);
	begin(&m);	/* relocations in the code: what is scanned is not what runs */
	eg_dyn(&m.g, DT_TEXTREL, 0);
	must_stay(&m);
	begin(&m);	/* not position independent */
	eg_finish(&m.g);
	((Elf64_Ehdr *)(void *)m.g.img)->e_type = ET_EXEC;
	assert_int_equal(site_of(&m.g, "stub").move, XPT_MOVE_NONE);
}

static void test_endbr_entered_behind(void **state)
{
	struct miss m;

	(void)state;
	eg_init(&m.g);
	m.impl = eg_func(&m.g, "\xf3\x0f\x1e\xfa\x55\x5d\xc3", 7);
	eg_sym(&m.g, "stub", m.impl, 7, STT_FUNC, 1);
	refer(&m.g, "\xe8", 1, m.impl + 4);	/* a caller that skips the endbr64 */
	must_stay(&m);
	eg_init(&m.g);
	m.impl = eg_func(&m.g, "\xf3\x0f\x1e\xfa\x55\x5d\xeb\xfc", 8);	/* a loop to the push */
	eg_sym(&m.g, "stub", m.impl, 8, STT_FUNC, 1);
	must_stay(&m);
}

/* --- live slots, lengths ------------------------------------------------------------- */

enum { LIVE_SIZE = 0x4000 };

/* Two stubs; the process is this one, and mem lies where the library would be mapped. */
struct live {
	struct xpt_plan plan[2];
	struct xpt_slots *slots;
	struct xpt_elf *elf;
	uint64_t bias, in_file[2];
	char *mem;
	uint64_t *word[2];
};

static void live_begin(struct live *l)
{
	static const char *const names[] = { "one", "two" };
	struct elf_gen g;
	uint64_t slot;
	int i;

	memset(l, 0, sizeof(*l));
	eg_init(&g);
	for (i = 0; i < 2; i++) {
		slot = eg_slot(&g, eg_impl(&g));
		eg_stub(&g, names[i], slot, NULL, 0);
	}
	eg_finish(&g);
	assert_int_equal(eg_open_bytes(g.img, EG_SIZE, &l->elf), 0);
	for (i = 0; i < 2; i++) {
		const struct xpt_sym *sym = xpt_elf__find(l->elf, names[i]);

		l->plan[i].sym = names[i];
		l->plan[i].sym_vaddr = sym->vaddr;
		xpt_elf__site(l->elf, sym, true, &l->plan[i].site);
		assert_int_equal(l->plan[i].site.move, XPT_MOVE_STUB);
	}
	assert_int_equal(xpt_slots__new(l->elf, l->plan, 2, &l->slots), 0);
	assert_non_null(l->slots);
	l->mem = mmap(NULL, LIVE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(l->mem, MAP_FAILED);
	assert_int_equal(mprotect(l->mem + EG_TEXT - EG_TEXT_FILE, 4096, PROT_READ | PROT_EXEC), 0);
	l->bias = (uint64_t)(uintptr_t)l->mem;
	for (i = 0; i < 2; i++) {
		l->word[i] = (uint64_t *)(uintptr_t)(l->plan[i].site.slot_vaddr + l->bias);
		assert_true((char *)l->word[i] > l->mem && (char *)l->word[i] < l->mem + LIVE_SIZE);
		xpt_elf__read(l->elf, l->plan[i].site.slot_vaddr, &l->in_file[i], 8);
		*l->word[i] = l->plan[i].site.impl_vaddr + l->bias;
	}
}

static void live_end(struct live *l)
{
	xpt_slots__free(l->slots);
	xpt_elf__close(l->elf);
	munmap(l->mem, LIVE_SIZE);
}

/* What a tool puts there. */
static uint64_t other_code(void)
{
	return (uint64_t)(uintptr_t)live_begin;
}

static void test_slots_of_a_process(void **state)
{
	pid_t self = getpid();
	struct live l;

	(void)state;
	live_begin(&l);
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), 0);
	xpt_slots__apply(l.slots, l.plan);
	assert_int_equal(l.plan[1].site.move, XPT_MOVE_STUB);
	*l.word[0] = l.in_file[0];	/* the loader has not come to it */
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), 0);
	*l.word[0] = other_code();
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), 1);
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), 0);	/* told already */
	xpt_slots__apply(l.slots, l.plan);
	assert_int_equal(l.plan[0].site.move, XPT_MOVE_NONE);
	assert_int_equal(l.plan[0].site.vaddr, l.plan[0].sym_vaddr);
	assert_int_equal(l.plan[1].site.move, XPT_MOVE_STUB);
	assert_true(xpt_slots__look(l.slots, self, 8 - l.plan[0].site.slot_vaddr) < 0);
	assert_int_equal(xpt_slots__look(l.slots, 0x7ffffffe, l.bias), -ESRCH);
	live_end(&l);
}

/* While a library is being mapped, anything lies where its data will be, however long that takes. */
static void test_slots_not_filled_yet(void **state)
{
	pid_t self = getpid();
	struct live l;

	(void)state;
	live_begin(&l);
	*l.word[0] = *l.word[1] = 0x1234567;
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), -EAGAIN);
	*l.word[1] = l.in_file[1];
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), -EAGAIN);
	*l.word[1] = l.plan[1].site.impl_vaddr + l.bias;	/* one is done, the other holds no address */
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), 0);
	*l.word[0] = *l.word[1] = other_code();	/* a tool has changed them all */
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), 2);
	live_end(&l);
}

/* The process has begun another program, or closed the library: it is nobody's slots. */
static void test_slots_of_another_program(void **state)
{
	pid_t self = getpid();
	struct live l;

	(void)state;
	live_begin(&l);
	*l.word[0] = *l.word[1] = other_code();
	assert_int_equal(mprotect(l.mem + EG_TEXT - EG_TEXT_FILE, 4096, PROT_READ), 0);
	assert_int_equal(xpt_slots__look(l.slots, self, l.bias), -ESRCH);
	xpt_slots__apply(l.slots, l.plan);
	assert_int_equal(l.plan[0].site.move, XPT_MOVE_STUB);
	live_end(&l);
}

static void test_bias(void **state)
{
	struct xpt_mapping m = { .start = 0x7f0000000000, .end = 0x7f0000001000 };
	uint64_t bias;
	struct live l;

	(void)state;
	live_begin(&l);
	m.offset = EG_TEXT_FILE;
	assert_true(xpt_slots__bias(l.slots, &m, &bias));
	assert_int_equal(bias, m.start - EG_TEXT);
	m.offset = 1ull << 40;
	assert_false(xpt_slots__bias(l.slots, &m, &bias));
	live_end(&l);
}

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
		cmocka_unit_test(test_stub_with_endbr),
		cmocka_unit_test(test_endbr_moves),
		cmocka_unit_test(test_other_references),
		cmocka_unit_test(test_short_jump),
		cmocka_unit_test(test_bytes_that_look_like_a_reference),
		cmocka_unit_test(test_slot_is_swapped),
		cmocka_unit_test(test_falls_into),
		cmocka_unit_test(test_other_shapes),
		cmocka_unit_test(test_other_exits),
		cmocka_unit_test(test_slots_that_are_none),
		cmocka_unit_test(test_endbr_entered_behind),
		cmocka_unit_test(test_slots_of_a_process),
		cmocka_unit_test(test_slots_not_filled_yet),
		cmocka_unit_test(test_slots_of_another_program),
		cmocka_unit_test(test_bias),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
