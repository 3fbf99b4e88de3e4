// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whether an unwinder can come upon the frame of a function. That begins in
 * something the function runs: code that throws, ends its thread, waits where the
 * thread can be cancelled, or belongs to the program. So the code of the function is
 * decoded, and of all that it calls and jumps to, until something is found that
 * may do so, or whose code is not known. C code without exceptions of its own is no
 * proof: those of a function that it calls back pass through it.
 */
#include "sites/return_reach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/insn.h"
#include "elf/eh_frame.h"
#include "elf/elf_priv.h"

#if defined(__x86_64__)
#define R_JUMP_SLOT R_X86_64_JUMP_SLOT
#define R_GLOB_DAT R_X86_64_GLOB_DAT
#else
#define R_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define R_GLOB_DAT R_AARCH64_GLOB_DAT
#endif

enum {
	MAX_PIECES = 24,	/* beyond that nearly every search finds a reason */
	MAX_BYTES = 16 << 10,
	DECODE_WORK = 150,	/* units of work (elf_work.c) of a byte of code */
	NAME_WORK = 60,
	SAFE_NAME = 32,		/* bytes of the longest name in safe[], and more */
	BEGINS = 1, JUMPED_TO = 2,	/* of a byte of code */
};

/*
 * Functions of the C library (ISO C, POSIX, glibc) that always return: POSIX.1-2017, XSH 2.9.5.2 lists them neither
 * among the functions that shall be cancellation points nor among those that may be, and they call no function of the
 * program. In the order of strcmp().
 */
static const char *const safe[] = {
	"__assert_fail", "__chk_fail", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
	"__errno_location", "__memcpy_chk", "__memmove_chk", "__memset_chk", "__stack_chk_fail",
	"__strcat_chk", "__strcpy_chk", "__strncat_chk", "__strncpy_chk", "__tls_get_addr", "abort",
	"aligned_alloc", "atoi", "atol", "atoll", "calloc", "clock_gettime", "explicit_bzero", "free",
	"getenv", "getpagesize", "getpid", "gettid", "gettimeofday", "madvise", "malloc", "memchr",
	"memcmp", "memcpy", "memmem", "memmove", "mempcpy", "memrchr", "memset", "mmap", "mprotect",
	"munmap", "posix_memalign", "pthread_equal", "pthread_getspecific", "pthread_mutex_destroy",
	"pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
	"pthread_self", "pthread_setspecific", "pthread_spin_lock", "pthread_spin_trylock",
	"pthread_spin_unlock", "realloc", "reallocarray", "sched_getcpu", "sched_yield",
	"secure_getenv", "stpcpy", "strcasecmp", "strcat", "strchr", "strchrnul", "strcmp", "strcpy",
	"strcspn", "strdup", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup",
	"strnlen", "strpbrk", "strrchr", "strspn", "strstr", "strtok_r", "strtol", "strtoll",
	"strtoul", "strtoull", "sysconf",
};

struct xpt_reach_slots {	/* words through which safe functions are called */
	uint64_t *vaddr;	/* ascending */
	size_t nr, cap;
};

struct reach {
	struct xpt_elf *elf;
	struct xpt_decoder *dec;
	uint64_t todo[MAX_PIECES];	/* addresses that are called or jumped to */
	unsigned nr;
	uint64_t bytes;
	const char *why;	/* not NULL: an unwinder may come */
};

/* A piece of code that is being looked at. */
struct piece {
	struct xpt_fde fde;
	uint8_t *code, *mark;	/* mark: of each byte, BEGINS and JUMPED_TO */
};

static bool note_found(struct reach *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

/* --- functions of other files ---------------------------------------------------------- */

struct slot_walk {
	const struct xpt_elf *elf;
	const Elf64_Sym *sym;
	size_t nr_sym;
	struct xpt_reach_slots *slots;
};

static int by_name(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

static bool is_safe(const struct slot_walk *w, uint32_t sym)
{
	char name[SAFE_NAME];
	size_t n;

	if (sym >= w->nr_sym || !xpt_elf__spend(w->elf, NAME_WORK))
		return false;
	n = xpt_elf__read(w->elf, w->elf->dyn.strtab + w->sym[sym].st_name, name, sizeof(name));
	return memchr(name, 0, n) && bsearch(name, safe, sizeof(safe) / sizeof(safe[0]),
					     sizeof(safe[0]), by_name);
}

static int add_slot(const struct xpt_elf_reloc *rel, void *ctx)
{
	struct slot_walk *w = ctx;
	struct xpt_reach_slots *s = w->slots;
	uint64_t *p;

	if ((rel->type != R_JUMP_SLOT && rel->type != R_GLOB_DAT) || !is_safe(w, rel->sym))
		return 0;
	if (s->nr == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		p = reallocarray(s->vaddr, s->cap, sizeof(*p));
		if (!p)
			return -ENOMEM;
		s->vaddr = p;
	}
	s->vaddr[s->nr++] = rel->vaddr;
	return 0;
}

static int by_address(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

/* Reads the GOT entries of a file; none if its tables are damaged. */
static void read_slots(struct xpt_elf *elf, struct xpt_reach_slots *slots)
{
	struct slot_walk w = { .elf = elf, .slots = slots };
	Elf64_Sym *sym = NULL;

	if (!xpt_elf__dynsym(elf, &sym, &w.nr_sym)) {
		w.sym = sym;
		if (xpt_elf__each_reloc(elf, add_slot, &w) || !xpt_elf__spend_sort(elf, slots->nr, 8))
			slots->nr = 0;
	}
	if (slots->nr)
		qsort(slots->vaddr, slots->nr, sizeof(*slots->vaddr), by_address);
	free(sym);
}

static void free_slots(struct xpt_reach_slots *slots)
{
	free(slots->vaddr);
	free(slots);
}

static void call_through(struct reach *r, uint64_t slot)
{
	struct xpt_reach_slots *s = r->elf->reach_slots;

	if (!s) {
		s = r->elf->reach_slots = calloc(1, sizeof(*s));
		r->elf->free_reach_slots = free_slots;
		if (s)
			read_slots(r->elf, s);
	}
	if (!s || !s->nr || !bsearch(&slot, s->vaddr, s->nr, sizeof(slot), by_address))
		note_found(r, "exceptions may pass: it calls functions of other files, or through a pointer");
}

/* --- functions of the file --------------------------------------------------------------- */

/* A call of code, or a jump there: through the stub of another file's function, or in this file. */
static void run_code(struct reach *r, uint64_t vaddr)
{
	uint8_t code[2 * XPT_INSN_MAX];
	size_t n = xpt_elf__read(r->elf, vaddr, code, sizeof(code));
	struct xpt_insn in;
	unsigned i;

	for (i = 0; i < r->nr; i++)
		if (r->todo[i] == vaddr)
			return;
	if (xpt_decoder__next(r->dec, code, n, vaddr, &in) && in.kind == XPT_INSN_ENDBR &&
	    !xpt_decoder__next(r->dec, code + in.len, n - in.len, vaddr + in.len, &in))
		in.kind = XPT_INSN_OTHER;
	if (in.kind == XPT_INSN_JMP_SLOT)
		call_through(r, in.target);
	else if (r->nr == MAX_PIECES)
		note_found(r, "exceptions may pass: it calls more functions than are looked through");
	else
		r->todo[r->nr++] = vaddr;
}

static bool lies_in(const struct piece *p, uint64_t vaddr)
{
	return vaddr >= p->fde.start && vaddr < p->fde.end;
}

static void jump_to(struct reach *r, struct piece *p, uint64_t vaddr)
{
	if (lies_in(p, vaddr))
		p->mark[vaddr - p->fde.start] |= JUMPED_TO;
	else
		run_code(r, vaddr);
}

static void visit_insn(struct reach *r, struct piece *p, const struct xpt_insn *in, bool after_push)
{
	switch (in->kind) {
	case XPT_INSN_CALL:
		if (!in->has_target)
			note_found(r, "exceptions may pass: it calls through a pointer");
		else if (lies_in(p, in->target) && in->target != p->fde.start)
			note_found(r, "exceptions may pass: it calls code in its middle");
		else
			jump_to(r, p, in->target);
		break;
	case XPT_INSN_JMP:
	case XPT_INSN_JCC:
		if (!in->has_target)
			note_found(r, "exceptions may pass: it has a jump that is not understood");
		else
			jump_to(r, p, in->target);
		break;
	case XPT_INSN_CALL_SLOT:
	case XPT_INSN_JMP_SLOT:
		call_through(r, in->target);
		break;
	case XPT_INSN_JMP_OTHER:
	case XPT_INSN_FAR:
		note_found(r, "exceptions may pass: it jumps through a pointer");
		break;
	case XPT_INSN_RET:
		if (after_push || !xpt_fde__at_return(&p->fde, in->addr))
			note_found(r, "exceptions may pass: it returns to an address that it put there");
		break;
	default:
		break;
	}
}

/*
 * The code after a piece runs, too, unless its last instruction leaves it. A call there does
 * not return in code of compilers; in handwritten code it may run on into the next piece.
 */
static void look_behind(struct reach *r, const struct piece *p, enum xpt_insn_kind last)
{
	struct xpt_fde next;

	if (last == XPT_INSN_CALL || last == XPT_INSN_CALL_SLOT) {
		if (xpt_fde__find(r->elf, p->fde.end, &next))
			return;		/* padding, or nothing */
		xpt_fde__free(&next);
		run_code(r, p->fde.end);
	} else if (!xpt_insn__leaves(last)) {
		note_found(r, "exceptions may pass: it runs on into other code");
	}
}

/* Decodes a piece from begin to end; then each jump into it must have met an instruction. */
static void look_through(struct reach *r, struct piece *p)
{
	uint64_t len = p->fde.end - p->fde.start, at;
	enum xpt_insn_kind last = XPT_INSN_OTHER;
	struct xpt_insn in = { 0 };
	bool push = false;

	for (at = 0; at < len && !r->why; at += in.len) {
		if (!xpt_decoder__next(r->dec, p->code + at, len - at, p->fde.start + at, &in)) {
			note_found(r, "exceptions may pass: it runs code that cannot be decoded");
			return;
		}
		p->mark[at] |= BEGINS;
		visit_insn(r, p, &in, push);
		push = xpt_insn__is_push(p->code + at, in.len);
		last = in.kind == XPT_INSN_NOP ? last : in.kind;
	}
	look_behind(r, p, last);
	for (at = 0; at < len && !r->why; at++)
		if (p->mark[at] == JUMPED_TO)
			note_found(r, "exceptions may pass: it has a jump into the middle of an instruction");
}

/* The code of a piece; false: why is set. */
static bool read_piece(struct reach *r, struct piece *p)
{
	uint64_t len = p->fde.end - p->fde.start;

	r->bytes += len;
	if (!len || r->bytes > MAX_BYTES || !xpt_elf__spend(r->elf, len * DECODE_WORK))
		return note_found(r, "exceptions may pass: it calls more code than is looked through");
	p->code = malloc(len);
	p->mark = calloc(len, 1);
	if (!p->code || !p->mark || xpt_elf__read(r->elf, p->fde.start, p->code, len) != len)
		return note_found(r, "exceptions may pass: it runs code that is not in the file");
	return true;
}

/* A piece is a whole entry of the unwind table, also where it is entered in its middle. */
static void look_at(struct reach *r, uint64_t vaddr)
{
	struct piece p = { 0 };

	if (xpt_fde__find(r->elf, vaddr, &p.fde)) {
		note_found(r, "exceptions may pass: it runs code without an entry in the unwind table");
		return;
	}
	if (read_piece(r, &p)) {
		p.mark[vaddr - p.fde.start] |= JUMPED_TO;
		look_through(r, &p);
	}
	free(p.code);
	free(p.mark);
	xpt_fde__free(&p.fde);
}

const char *xpt_return_reach__find(struct xpt_elf *elf, uint64_t vaddr)
{
	struct reach r = { .elf = elf };
	unsigned i;

	if (xpt_decoder__new(&r.dec))
		return "exceptions may pass: its code is not decoded";
	r.todo[r.nr++] = vaddr;
	for (i = 0; i < r.nr && !r.why; i++)
		look_at(&r, r.todo[i]);
	xpt_decoder__free(r.dec);
	return r.why;
}
