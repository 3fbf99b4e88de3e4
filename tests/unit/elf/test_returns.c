/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sites/returns.h: where functions of this program end, one for each thing
 * that ends a function or hides its end. They are never run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "elf/eh_frame.h"
#include "elf/elf.h"
#include "sites/returns.h"
#include "wire/cookie.h"

#define BEGIN(name) ".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ", .-" name "\n"
/* Not .cfi_adjust_cfa_offset: LLVM 14's assembler forgets it at .cfi_restore_state. */
#define PUSH "push %rbx\n.cfi_def_cfa_offset 16\n"
#define POP "pop %rbx\n.cfi_def_cfa_offset 8\n"

__asm__(".text\n"
	BEGIN("xr_leaf") "xor %eax, %eax\ntest %edi, %edi\njne 1f\nret\n1: mov $1, %eax\nret\n" END("xr_leaf")
	BEGIN("xr_target") "call xr_leaf\nret\n" END("xr_target")
	/* Two returns, and a jump to another function. */
	BEGIN("xr_plain") PUSH "call xr_leaf\n" ".cfi_remember_state\n" POP "test %eax, %eax\njne 1f\nret\n"
	"1: js 2f\n" "jmp xr_target\n" "2: rep ret\n" END("xr_plain")
	/* A part elsewhere, jumped to with a frame on the stack; it ends there, too. */
	BEGIN("xr_parts") PUSH "call xr_leaf\ntest %eax, %eax\njne xr_parts_seldom\n" POP "ret\n" END("xr_parts")
	".pushsection .text.unlikely,\"ax\",@progbits\n.cfi_startproc\n.cfi_def_cfa_offset 16\nxr_parts_seldom:\n"
	"call xr_leaf\n" POP "ret\n.cfi_endproc\n.popsection\n"
	/* A jump table, all of whose cases are in the function. */
	BEGIN("xr_table") PUSH "cmp $2, %edi\nja 3f\nlea xr_cases(%rip), %rdx\nmov %edi, %edi\n"
	"movslq (%rdx,%rdi,4), %rax\nadd %rdx, %rax\njmp *%rax\n"
	"xr_case0: call xr_leaf\n.cfi_remember_state\n" POP "ret\n.cfi_restore_state\n"
	"xr_case1: .cfi_remember_state\n" POP "ret\n.cfi_restore_state\n"
	"3: ud2\n" END("xr_table")
	".pushsection .rodata\n.p2align 2\nxr_cases: .long xr_case0-xr_cases, xr_case1-xr_cases, xr_case0-xr_cases\n"
	".popsection\n"
	/* The same without a bound: nobody knows how many cases there are. */
	BEGIN("xr_unbound") PUSH "lea xr_cases2(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\nadd %rdx, %rax\njmp *%rax\n"
	"xr_case2: call xr_leaf\n" POP "ret\n" END("xr_unbound")
	".pushsection .rodata\n.p2align 2\nxr_cases2: .long xr_case2-xr_cases2\n.popsection\n"
	/* Through a register: the last act without a frame, a riddle with one. */
	BEGIN("xr_virtual") "mov (%rdi), %rax\njmp *16(%rax)\n" END("xr_virtual")
	BEGIN("xr_riddle") PUSH "call xr_leaf\njmp *%rbx\n" END("xr_riddle")
	BEGIN("xr_if") "test %edi, %edi\nje xr_target\ncall xr_leaf\nret\n" END("xr_if")
	BEGIN("xr_again") "call xr_leaf\ntest %eax, %eax\njne xr_again\nret\n" END("xr_again")
	BEGIN("xr_odd") PUSH "call xr_leaf\nret\n" END("xr_odd")
	/* Two that end in code without a name: that of one of them alone, that of both. */
	BEGIN("xr_own") "call xr_leaf\ntest %eax, %eax\njne 1f\njmp .Lxr_own_end\n1: jmp .Lxr_end\n" END("xr_own")
	BEGIN("xr_other") "call xr_leaf\njmp .Lxr_end\n" END("xr_other")
	".skip 256, 0x90\n.cfi_startproc\n.Lxr_own_end: call xr_leaf\nret\n.cfi_endproc\n"
	".cfi_startproc\n.Lxr_end: call xr_leaf\nret\n.cfi_endproc\n"
	/* What may bring an unwinder: code that is not known, at once, by a call, by a jump, in a loop. */
	BEGIN("xu_pointer") "push %rdi\n.cfi_def_cfa_offset 16\ncall *%rdi\n" "pop %rdi\n.cfi_def_cfa_offset 8\nret\n" END("xu_pointer")
	BEGIN("xu_below") "call xu_pointer\nret\n" END("xu_below")
	BEGIN("xu_into") "call xr_leaf\njmp xu_below\n" END("xu_into")
	BEGIN("xu_loop") "test %edi, %edi\nje 1f\ndec %edi\ncall xu_loop_back\n1: ret\n" END("xu_loop")
	BEGIN("xu_loop_back") "call xu_loop\nret\n" END("xu_loop_back")
	/* Through stubs and words of other files' functions. */
	BEGIN("xu_safe") "call getpagesize@PLT\nret\n" END("xu_safe")
	BEGIN("xu_safe_word") "call *getpagesize@GOTPCREL(%rip)\njmp *sched_yield@GOTPCREL(%rip)\n" END("xu_safe_word")
	BEGIN("xu_other") "call pause@PLT\nret\n" END("xu_other")
	BEGIN("xu_other_word") "call *pause@GOTPCREL(%rip)\nret\n" END("xu_other_word")
	BEGIN("xu_data_word") "call *xu_word(%rip)\nret\n" END("xu_data_word")
	".pushsection .data\n.p2align 3\nxu_word: .quad xr_leaf\n.popsection\n"
	/* Jumps in disguise: by a return, by a call of the function's own code (as retpolines do). */
	BEGIN("xu_pushed") "push %rdi\nret\n" END("xu_pushed")
	BEGIN("xu_thunk") "call 1f\n2: pause\njmp 2b\n1: mov %rdi, (%rsp)\nret\n" END("xu_thunk")
	BEGIN("xu_by_thunk") "call xu_thunk\nret\n" END("xu_by_thunk")
	/* A byte of data that hides the call behind it. */
	BEGIN("xu_hidden") "jmp 1f\n.byte 0xb8\n1: call *%rdi\nnop\nnop\nnop\nret\n" END("xu_hidden")
	/* Ends of which the last instruction is none: what follows runs. */
	BEGIN("xu_runs_on") "xor %eax, %eax\n" END("xu_runs_on")
	BEGIN("xu_follows") "call *%rdi\nret\n" END("xu_follows")
	BEGIN("xu_calls_last") "call xr_leaf\n" END("xu_calls_last")
	BEGIN("xu_follows2") "call *%rdi\nret\n" END("xu_follows2")
	/* Data in the code that looks like an end, and what is behind it. */
	BEGIN("xs_data") "call xr_leaf\njmp 1f\n.byte 0xc3, 0xc3\n1: ret\n" END("xs_data")
	BEGIN("xs_middle") PUSH "call xr_leaf\n1: mov $0x90909090, %eax\ntest %edi, %edi\nje 1b+1\n" POP "ret\n" END("xs_middle")
	/* Unusual returns. */
	BEGIN("xs_ret_imm") "call xr_leaf\nret $16\n" END("xs_ret_imm")
	BEGIN("xs_bnd") "call xr_leaf\n.byte 0xf2\nret\n" END("xs_bnd")
	BEGIN("xs_far") "call xr_leaf\nlretq\n" END("xs_far")
	BEGIN("xs_iret") "call xr_leaf\niretq\n" END("xs_iret")
	BEGIN("xs_no_return") PUSH "test %edi, %edi\nje 1f\ncall xr_leaf\n.cfi_remember_state\n" POP "ret\n.cfi_restore_state\n"
	"1: call xr_leaf\n" END("xs_no_return")
	BEGIN("xs_jrcxz") "call xr_leaf\njrcxz xs_near\nret\n" END("xs_jrcxz")
	BEGIN("xs_near") "ret\n" END("xs_near")
	/* Tables: of addresses, behind notrack; whose first case lies in a part elsewhere; whose case is the begin. */
	BEGIN("xs_notrack") PUSH "cmp $1, %edi\nja 3f\nlea xs_cases(%rip), %rdx\nmov %edi, %edi\nnotrack jmp *(%rdx,%rdi,8)\n"
	"xs_case0: endbr64\ncall xr_leaf\n.cfi_remember_state\n" POP "ret\n.cfi_restore_state\n"
	"xs_case1: .cfi_remember_state\n" POP "ret\n.cfi_restore_state\n3: ud2\n" END("xs_notrack")
	".pushsection .data.rel.ro,\"aw\"\n.p2align 3\nxs_cases: .quad xs_case0, xs_case1\n.popsection\n"
	BEGIN("xs_cold_case") PUSH "cmp $1, %edi\nja xs_cold\nlea xs_cases2(%rip), %rdx\nmov %edi, %edi\nmovslq (%rdx,%rdi,4), %rax\n"
	"add %rdx, %rax\nnotrack jmp *%rax\nxs_case3: call xr_leaf\n" POP "ret\n" END("xs_cold_case")
	".pushsection .text.unlikely,\"ax\",@progbits\n.cfi_startproc\n.cfi_def_cfa_offset 16\nxs_cold:\n"
	"call xr_leaf\njmp xs_case3\n.cfi_endproc\n.popsection\n"
	".pushsection .rodata\n.p2align 2\nxs_cases2: .long xs_cold-xs_cases2, xs_case3-xs_cases2\n.popsection\n"
	BEGIN("xs_begin_case") "cmp $1, %edi\nja 1f\nlea xs_cases4(%rip), %rdx\nmov %edi, %edi\nmovslq (%rdx,%rdi,4), %rax\n"
	"add %rdx, %rax\njmp *%rax\nxs_case5: call xr_leaf\n1: ret\n" END("xs_begin_case")
	".pushsection .rodata\n.p2align 2\nxs_cases4: .long xs_case5-xs_cases4, xs_begin_case-xs_cases4\n.popsection\n"
	/* A table of other functions: its last act. */
	BEGIN("xs_dispatch") "cmp $1, %edi\nja 1f\nlea xs_functions(%rip), %rdx\nmov %edi, %edi\njmp *(%rdx,%rdi,8)\n"
	"1: ret\n" END("xs_dispatch")
	BEGIN("xs_notrack_last") "notrack jmp *%rdi\n" END("xs_notrack_last")
	".pushsection .data.rel.ro,\"aw\"\n.p2align 3\nxs_functions: .quad xr_leaf, xr_target\n.popsection\n"
	/* Two names of one function, and a third in its middle. */
	".globl xs_alias\n.type xs_alias, @function\n.set xs_alias, xs_named\n"
	BEGIN("xs_named") "call xr_leaf\n.globl xs_inside\n.type xs_inside, @function\nxs_inside: call xr_leaf\nret\n" END("xs_named")
	/* The end of another function, entered with a frame like its own. */
	BEGIN("xs_lends") PUSH "call xr_leaf\n.Lxs_lent: " POP "ret\n" END("xs_lends")
	BEGIN("xs_borrows") PUSH "call xr_target\njmp .Lxs_lent\n" END("xs_borrows")
	/* Without an entry in the unwind table. */
	".globl xu_bare\n.type xu_bare, @function\nxu_bare: call *%rdi\nret\n.size xu_bare, .-xu_bare\n"
	BEGIN("xu_calls_bare") "call xu_bare\nret\n" END("xu_calls_bare"));

extern char xr_leaf[];

static struct xpt_elf *elf;

static int open_self(void **state)
{
	(void)state;
	return xpt_elf__open("/proc/self/exe", &elf);
}

static int close_self(void **state)
{
	(void)state;
	xpt_elf__close(elf);
	return 0;
}

static void find_of(const char *name, enum xpt_return_of of, struct xpt_returns *ret)
{
	const struct xpt_sym *sym = xpt_elf__find(elf, name);
	struct xpt_site site;

	assert_non_null(sym);
	xpt_elf__site(elf, sym, true, &site);
	assert_int_equal(xpt_returns__find(elf, sym, &site, of, ret), 0);
	assert_non_null(ret->reason);
}

static void find(const char *name, struct xpt_returns *ret)
{
	find_of(name, XPT_RETURNS_CALLBACK, ret);
}

/* The function's ends: how many return, how many jump, how many of these if a condition holds. */
static void ends(const char *name, uint32_t rets, uint32_t jumps, uint32_t conds)
{
	struct xpt_returns r;
	uint32_t n[3] = { 0 };

	find(name, &r);
	if (r.way != XPT_RETURN_SITES)
		print_error("%s: %s\n", name, r.reason);
	assert_int_equal(r.way, XPT_RETURN_SITES);
	for (uint32_t i = 0; i < r.nr; i++) {
		assert_true(r.site[i].flags & XPT_AT_RETURN);
		assert_true(!i || r.site[i].offset > r.site[i - 1].offset);
		n[0] += !(r.site[i].flags & XPT_AT_JUMP);
		n[1] += !!(r.site[i].flags & XPT_AT_JUMP);
		n[2] += !!(r.site[i].flags & XPT_AT_COND);
	}
	assert_int_equal(n[0], rets);
	assert_int_equal(n[1], jumps);
	assert_int_equal(n[2], conds);
	xpt_returns__free(&r);
}

static void way(const char *name, enum xpt_return_way want, const char *reason)
{
	struct xpt_returns r;

	find(name, &r);
	assert_int_equal(r.way, want);
	assert_int_equal(r.nr, 0);
	if (!strstr(r.reason, reason))
		print_error("%s: %s\n", name, r.reason);
	assert_non_null(strstr(r.reason, reason));
	xpt_returns__free(&r);
}

static void test_found(void **state)
{
	(void)state;
	ends("xr_plain", 2, 1, 0);
	ends("xr_parts", 2, 0, 0);
	ends("xr_table", 2, 0, 0);
	ends("xr_virtual", 0, 1, 0);
	ends("xr_if", 1, 1, 1);
	/* Probes in code that others run, too, would cost them. */
	ends("xr_own", 1, 1, 0);
	ends("xr_other", 0, 1, 0);
}

/* What a call costs depends on how its return is seen: at a `ret`, which is single-stepped, or not. */
static void test_cost_kind(void **state)
{
	struct xpt_site site = { .cls = XPT_SITE_EMULATED };
	struct xpt_returns r;

	(void)state;
	find("xr_plain", &r);
	assert_int_equal(xpt_returns__cost_kind(&site, &r), XPT_COST_RETURNS);
	assert_true(xpt_returns__call_ns(&site, &r) > 5 * xpt_site_class_ns(XPT_SITE_EMULATED));
	site.cls = XPT_SITE_SINGLE_STEP;
	assert_int_equal(xpt_returns__cost_kind(&site, &r), XPT_COST_STEPPED | XPT_COST_RETURNS);
	assert_true(xpt_returns__call_ns(&site, &r) > xpt_site_class_ns(XPT_SITE_SINGLE_STEP));
	xpt_returns__free(&r);
	find("xr_other", &r);	/* its only end is a jump, which is emulated */
	assert_int_equal(xpt_returns__cost_kind(&site, &r), XPT_COST_STEPPED);
	xpt_returns__free(&r);
	find("xr_leaf", &r);
	assert_int_equal(xpt_returns__cost_kind(&site, &r), XPT_COST_STEPPED);
	site.cls = XPT_SITE_NOP5;
	assert_int_equal(xpt_returns__cost_kind(&site, &r), XPT_COST_EMULATED);
	assert_int_equal(xpt_returns__call_ns(&site, &r), xpt_site_class_ns(XPT_SITE_NOP5));
	site.cls = XPT_SITE_UNSAFE;
	assert_int_equal(xpt_returns__call_ns(&site, &r), 0);
	xpt_returns__free(&r);
}

static void test_unusual(void **state)
{
	struct xpt_returns r;

	(void)state;
	ends("xs_ret_imm", 1, 0, 0);
	ends("xs_bnd", 1, 0, 0);
	ends("xs_no_return", 1, 0, 0);
	ends("xs_notrack", 2, 0, 0);
	ends("xs_cold_case", 1, 0, 0);
	ends("xs_dispatch", 1, 1, 0);
	ends("xs_named", 1, 0, 0);
	ends("xs_alias", 1, 0, 0);
	/* What another function ends with, too, costs its calls. */
	find("xs_borrows", &r);
	assert_int_equal(r.nr, 1);
	assert_true(r.site[0].flags & XPT_AT_SHARED);
	xpt_returns__free(&r);
}

static void test_none(void **state)
{
	(void)state;
	way("xr_leaf", XPT_RETURN_PROBE, "calls nothing");
	way("xr_unbound", XPT_RETURN_UNSEEN, "jump table");
	way("xr_riddle", XPT_RETURN_UNSEEN, "indirect jump");
	way("xr_again", XPT_RETURN_UNSEEN, "own begin");
	way("xr_odd", XPT_RETURN_UNSEEN, "does not explain");
	way("xs_data", XPT_RETURN_UNSEEN, "nothing leads");
	way("xs_middle", XPT_RETURN_UNSEEN, "middle of an instruction");
	way("xs_notrack_last", XPT_RETURN_UNSEEN, "cannot be probed");	/* the kernel refuses the prefix */
	way("xs_far", XPT_RETURN_UNSEEN, "far");
	way("xs_iret", XPT_RETURN_UNSEEN, "far");
	way("xs_jrcxz", XPT_RETURN_UNSEEN, "condition is not known");
	way("xs_begin_case", XPT_RETURN_UNSEEN, "own begin");
	way("xs_inside", XPT_RETURN_UNSEEN, "middle of another function");
}

/* A function that the user names, and why. */
static void named(const char *name, enum xpt_return_way want, const char *reason)
{
	struct xpt_returns r;

	find_of(name, XPT_RETURNS_ANY, &r);
	if (r.way != want || !strstr(r.reason, reason))
		print_error("%s: %s: %s\n", name, xpt_return_way_name(r.way), r.reason);
	assert_int_equal(r.way, want);
	assert_non_null(strstr(r.reason, reason));
	xpt_returns__free(&r);
}

static void test_no_unwinder(void **state)
{
	(void)state;
	named("xr_leaf", XPT_RETURN_PROBE, "nothing that it runs can throw");
	named("xr_plain", XPT_RETURN_PROBE, "nothing that it runs can throw");
	named("xr_again", XPT_RETURN_PROBE, "nothing that it runs can throw");
	named("xr_parts", XPT_RETURN_PROBE, "nothing that it runs can throw");
	named("xu_loop", XPT_RETURN_PROBE, "nothing that it runs can throw");
	named("xu_safe", XPT_RETURN_PROBE, "nothing that it runs can throw");
	named("xu_safe_word", XPT_RETURN_PROBE, "nothing that it runs can throw");
	named("xu_bare", XPT_RETURN_PROBE, "not in the unwind table");
}

static void test_unwinder(void **state)
{
	(void)state;
	named("xu_pointer", XPT_RETURN_SITES, "through a pointer");
	named("xu_below", XPT_RETURN_SITES, "through a pointer");
	named("xu_into", XPT_RETURN_SITES, "through a pointer");
	named("xu_other", XPT_RETURN_SITES, "other files");
	named("xu_other_word", XPT_RETURN_SITES, "other files");
	named("xu_data_word", XPT_RETURN_SITES, "through a pointer");
	named("xu_by_thunk", XPT_RETURN_SITES, "in its middle");
	named("xu_calls_last", XPT_RETURN_SITES, "through a pointer");
	named("xu_calls_bare", XPT_RETURN_SITES, "without an entry");
	named("xr_virtual", XPT_RETURN_SITES, "jumps through a pointer");
}

/* Neither proven harmless nor understood. */
static void test_not_understood(void **state)
{
	(void)state;
	named("xu_pushed", XPT_RETURN_UNSEEN, "does not explain");
	named("xu_thunk", XPT_RETURN_UNSEEN, "calls code in its middle");
	named("xu_hidden", XPT_RETURN_UNSEEN, "middle of an instruction");
	named("xu_runs_on", XPT_RETURN_UNSEEN, "runs on");
}

/* A C interface keeps its return probes, whatever its code is like. */
static void test_interface(void **state)
{
	const struct xpt_sym *sym = xpt_elf__find(elf, "xr_plain");
	struct xpt_site site;
	struct xpt_returns r;

	(void)state;
	xpt_elf__site(elf, sym, true, &site);
	assert_int_equal(xpt_returns__find(elf, sym, &site, XPT_RETURNS_C, &r), 0);
	assert_int_equal(r.way, XPT_RETURN_PROBE);
}

static void test_stack(void **state)
{
	const struct xpt_sym *sym = xpt_elf__find(elf, "xr_plain");
	struct xpt_fde fde;

	(void)state;
	assert_int_equal(xpt_fde__find(elf, sym->vaddr + 1, &fde), 0);
	assert_true(fde.start == sym->vaddr && fde.end == sym->vaddr + sym->size);
	assert_true(xpt_fde__at_return(&fde, sym->vaddr));
	assert_false(xpt_fde__at_return(&fde, sym->vaddr + 1));	/* behind the push */
	assert_false(fde.personality);
	xpt_fde__free(&fde);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found), cmocka_unit_test(test_unusual), cmocka_unit_test(test_cost_kind),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_no_unwinder), cmocka_unit_test(test_unwinder),
		cmocka_unit_test(test_not_understood), cmocka_unit_test(test_interface), cmocka_unit_test(test_stack),
	};

	return cmocka_run_group_tests(tests, open_self, close_self);
}
