// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Refutes candidates: searches a whole file for another way to reach the place
 * of a probe, or to use a stub's slot. Looked at are the dynamic symbols, all
 * relocations, the code before an implementation, and every byte offset of
 * every executable segment read as the displacement of a rip-relative operand
 * or a branch. Bytes that match are decoded from a known function start; what
 * stays unclear counts as a reference. docs/probe-sites.md has the argument.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sites/site_priv.h"

enum {
	MAX_CODE = 512 << 20,	/* bytes of executable segments that are searched */
	MAX_HITS = 64 << 10,	/* matches that are decoded; more: nothing is proven */
	CHUNK = 256 << 10,
	FILTER_BITS = 16,
	TARGET_WORK = 30,	/* units of work (elf_work.c): a search in the targets */
};

enum target_kind { T_CODE, T_EXIT, T_SLOT };

/* An address that only its candidate may use. */
struct target {
	uint64_t vaddr;
	uint32_t cand;
	enum target_kind kind;
};

struct hit {
	uint64_t end;	/* of the instruction, if it is one */
	uint64_t target;
};

struct refs {
	const struct xpt_elf *elf;
	struct xpt_site_cand *cand;
	size_t nr_cand;
	struct target *t;	/* ascending by vaddr */
	size_t nr;
	struct hit *hit;
	size_t nr_hits;
	uint64_t lo, hi;	/* of all targets */
	uint64_t filter[1 << (FILTER_BITS - 6)];	/* one bit per hash of a target */
	Elf64_Sym *sym;	/* .dynsym */
	size_t nr_sym;
	struct xpt_sweep sweep;
	uint8_t buf[CHUNK + 4];
};

static void refute(struct refs *r, const struct target *t, const char *why)
{
	if (!r->cand[t->cand].refuted)
		r->cand[t->cand].refuted = why;
}

/* --- targets ------------------------------------------------------------------ */

static int by_vaddr(const void *pa, const void *pb)
{
	const struct target *a = pa, *b = pb;

	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

static uint32_t hash(uint64_t v)
{
	return (uint32_t)((v * 0x9e3779b97f4a7c15ull) >> (64 - FILTER_BITS));
}

static bool filter_has(const struct refs *r, uint64_t v)
{
	uint32_t h = hash(v);

	return r->filter[h >> 6] & (1ull << (h & 63));
}

static void add_target(struct refs *r, uint64_t vaddr, size_t cand, enum target_kind kind)
{
	uint32_t h = hash(vaddr);

	r->t[r->nr++] = (struct target){ vaddr, (uint32_t)cand, kind };
	r->filter[h >> 6] |= 1ull << (h & 63);
}

static int make_targets(struct refs *r)
{
	const struct xpt_site_cand *c;
	size_t i;

	r->t = calloc(r->nr_cand, 4 * sizeof(*r->t));
	if (!r->t)
		return -ENOMEM;
	for (i = 0; i < r->nr_cand; i++) {
		c = &r->cand[i];
		add_target(r, c->at, i, T_CODE);
		if (!c->stub)
			continue;
		if (c->impl != c->at)
			add_target(r, c->impl, i, T_CODE);
		add_target(r, c->slot, i, T_SLOT);
		if (c->exit)
			add_target(r, c->exit, i, T_EXIT);
	}
	if (!xpt_elf__spend_sort(r->elf, r->nr, 10))
		return -EFBIG;
	qsort(r->t, r->nr, sizeof(*r->t), by_vaddr);
	r->lo = r->t[0].vaddr;
	r->hi = r->t[r->nr - 1].vaddr;
	for (i = 1; i < r->nr; i++) {
		if (r->t[i].vaddr != r->t[i - 1].vaddr)
			continue;
		refute(r, &r->t[i], "stub: another stub shares its slot or implementation");
		refute(r, &r->t[i - 1], "stub: another stub shares its slot or implementation");
	}
	return 0;
}

/* The first target at or above vaddr; r->nr if there is none. */
static size_t lower_bound(const struct refs *r, uint64_t vaddr)
{
	size_t lo = 0, hi = r->nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (r->t[mid].vaddr < vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* --- symbols and relocations -------------------------------------------------- */

/* Any dynamic symbol in [vaddr, vaddr + size) of a target makes it public. 0 or -EFBIG. */
static int check_symbols(struct refs *r)
{
	const Elf64_Sym *s;
	uint64_t size;
	size_t i, k;

	for (i = 0; i < r->nr_sym; i++) {
		s = &r->sym[i];
		if (!xpt_elf__spend(r->elf, TARGET_WORK))
			return -EFBIG;
		if (s->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s->st_info) == STT_TLS ||
		    ELF64_ST_TYPE(s->st_info) == STT_SECTION)
			continue;
		size = ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_size ? s->st_size : 1;
		for (k = lower_bound(r, s->st_value);
		     k < r->nr && r->t[k].vaddr - s->st_value < size && xpt_elf__spend(r->elf, 4); k++)
			refute(r, &r->t[k], "the place behind it is exported under another name");
	}
	return 0;
}

static void check_reloc_value(struct refs *r, const struct xpt_elf_reloc *rel, uint64_t value)
{
	struct xpt_site_cand *c;
	size_t k;

	for (k = lower_bound(r, value); k < r->nr && r->t[k].vaddr == value && xpt_elf__spend(r->elf, 4); k++) {
		c = &r->cand[r->t[k].cand];
		if (rel->type == R_X86_64_RELATIVE && c->stub && rel->vaddr == c->slot &&
		    value == c->impl)
			c->slot_relocs++;
		else
			refute(r, &r->t[k], "a pointer elsewhere in the file names the place");
	}
}

static int check_reloc(const struct xpt_elf_reloc *rel, void *ctx)
{
	struct refs *r = ctx;
	size_t k;

	if (!xpt_elf__spend(r->elf, 2 * TARGET_WORK))
		return -EFBIG;
	check_reloc_value(r, rel, rel->addend);
	if (rel->sym && rel->sym < r->nr_sym && rel->type != R_X86_64_RELATIVE)
		check_reloc_value(r, rel, r->sym[rel->sym].st_value + rel->addend);
	for (k = lower_bound(r, rel->vaddr);
	     k < r->nr && r->t[k].vaddr == rel->vaddr && xpt_elf__spend(r->elf, 4); k++)
		if (rel->type != R_X86_64_RELATIVE || r->t[k].kind != T_SLOT)
			refute(r, &r->t[k], "stub: another relocation fills its slot");
	return 0;
}

static int check_relocs(struct refs *r)
{
	size_t i;
	int err;

	err = xpt_elf__each_reloc(r->elf, check_reloc, r);
	if (err)
		return err;
	for (i = 0; i < r->nr_cand; i++)
		if (r->cand[i].stub && r->cand[i].slot_relocs != 1 && !r->cand[i].refuted)
			r->cand[i].refuted = "stub: not exactly one relocation fills its slot";
	return 0;
}

/* --- code ---------------------------------------------------------------------- */

static int add_hit(struct refs *r, uint64_t end, uint64_t target)
{
	if (r->nr_hits == MAX_HITS)
		return -E2BIG;
	r->hit[r->nr_hits++] = (struct hit){ end, target };
	return 0;
}

/*
 * Every 4 bytes of the n in buf as a displacement. No immediate can follow it in
 * an instruction that branches to, or takes the address of, what it names, so
 * it is relative to its own end.
 */
static int scan_chunk(struct refs *r, const uint8_t *buf, size_t n, uint64_t vaddr)
{
	const uint64_t span = r->hi - r->lo;
	uint64_t target, end;
	int32_t disp;
	size_t i, k;
	int err;

	for (i = 0; i + 4 <= n; i++) {
		memcpy(&disp, buf + i, 4);
		end = vaddr + i + 4;
		target = end + (uint64_t)(int64_t)disp;
		if (target - r->lo > span || !filter_has(r, target))
			continue;
		k = lower_bound(r, target);
		if (k == r->nr || r->t[k].vaddr != target)
			continue;
		err = add_hit(r, end, target);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Older linkers put read-only data into the executable segment; sections tell.
 * The end of the one that has no code and holds vaddr, or 0.
 */
static uint64_t data_section_end(const struct xpt_elf *elf, uint64_t vaddr)
{
	const Elf64_Shdr *sh;
	size_t i;

	for (i = 0; i < elf->nr_shdrs; i++) {
		sh = &elf->shdrs[i];
		if ((sh->sh_flags & SHF_ALLOC) && !(sh->sh_flags & SHF_EXECINSTR) &&
		    sh->sh_type != SHT_NOBITS && vaddr >= sh->sh_addr &&
		    vaddr - sh->sh_addr < sh->sh_size && sh->sh_addr + sh->sh_size > vaddr)
			return sh->sh_addr + sh->sh_size;
	}
	return 0;
}

static int scan_segment(struct refs *r, const struct xpt_elf_seg *seg)
{
	uint64_t at, data_end;
	size_t n, got;
	int err;

	for (at = 0; at < seg->filesz; at += CHUNK) {
		/* What begins in the data but ends behind it counts. */
		if (!xpt_elf__spend(r->elf, r->elf->nr_shdrs))
			return -EFBIG;
		data_end = data_section_end(r->elf, seg->vaddr + at);
		if (data_end > seg->vaddr + at + 3)
			at = data_end - 3 - seg->vaddr;
		if (at >= seg->filesz)
			break;
		n = seg->filesz - at < CHUNK + 3 ? (size_t)(seg->filesz - at) : CHUNK + 3;
		got = xpt_elf__pread(r->elf, seg->offset + at, r->buf, n);
		if (got != n || !xpt_elf__spend(r->elf, 3 * n))
			return -EIO;
		err = scan_chunk(r, r->buf, n, seg->vaddr + at);
		if (err)
			return err;
	}
	return 0;
}

static bool is_short_branch(uint8_t op)
{
	return op == 0xeb || (op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3);
}

/* Branches with an 8-bit displacement, which reach 128 bytes around the target. */
static int scan_short(struct refs *r, uint64_t target)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(r->elf, target);
	uint64_t from = seg && target - seg->vaddr > 130 ? target - 130 :
							   seg ? seg->vaddr : target;
	uint8_t b[260];
	size_t i, n;
	int err;

	n = xpt_elf__read(r->elf, from, b, sizeof(b));
	if (!xpt_elf__spend(r->elf, 4 * sizeof(b)))
		return -EFBIG;
	for (i = 1; i < n; i++) {
		if (!is_short_branch(b[i - 1]) ||
		    from + i + 1 + (uint64_t)(int64_t)(int8_t)b[i] != target)
			continue;
		err = add_hit(r, from + i + 1, target);
		if (err)
			return err;
	}
	return 0;
}

static int scan_code(struct refs *r)
{
	uint64_t total = 0;
	size_t i;
	int err = 0;

	r->hit = malloc(MAX_HITS * sizeof(*r->hit));
	if (!r->hit)
		return -ENOMEM;
	for (i = 0; i < r->elf->nr_segs && !err; i++) {
		if (!(r->elf->segs[i].flags & PF_X))
			continue;
		total += r->elf->segs[i].filesz;
		err = total > MAX_CODE ? -E2BIG : scan_segment(r, &r->elf->segs[i]);
	}
	for (i = 0; i < r->nr && !err; i++)
		if (r->t[i].kind != T_SLOT && (!i || r->t[i].vaddr != r->t[i - 1].vaddr))
			err = scan_short(r, r->t[i].vaddr);
	return err;
}

static const char *const ref_reason[][2] = {
	[T_CODE] = { "other code in the file refers to the place behind it",
		     "bytes that may be code refer to the place behind it" },
	[T_EXIT] = { "stub: other code jumps to its exit",
		     "stub: bytes that may be code jump to its exit" },
	[T_SLOT] = { "stub: other code in the file uses its slot",
		     "stub: bytes that may be code use its slot" },
};

static void judge_hit(struct refs *r, const struct hit *h)
{
	size_t first = lower_bound(r, h->target), k;
	enum xpt_sweep_answer answer = XPT_SWEEP_NO;
	const struct xpt_site_cand *c;
	bool open = false;

	/* Its own stub is the one place that may refer to a slot and an exit. */
	for (k = first; k < r->nr && r->t[k].vaddr == h->target && xpt_elf__spend(r->elf, 4); k++) {
		c = &r->cand[r->t[k].cand];
		open |= !c->refuted && !(r->t[k].kind == T_SLOT && h->end == c->jmp_end) &&
			!(r->t[k].kind == T_EXIT && h->end == c->jcc_end);
	}
	if (!open || !xpt_elf__spend(r->elf, r->elf->nr_shdrs) || data_section_end(r->elf, h->end - 1))
		return;
	answer = xpt_sweep__refers(&r->sweep, h->end, h->target, r->t[first].kind == T_SLOT);
	if (answer == XPT_SWEEP_NO)
		return;
	for (k = first; k < r->nr && r->t[k].vaddr == h->target; k++)
		refute(r, &r->t[k], ref_reason[r->t[k].kind][answer == XPT_SWEEP_UNKNOWN]);
}

static int by_end(const void *pa, const void *pb)
{
	const struct hit *a = pa, *b = pb;

	return a->end < b->end ? -1 : a->end > b->end;
}

static int judge(struct refs *r, struct xpt_decoder *dec)
{
	struct xpt_site_cand *c;
	size_t i;
	int err;

	err = xpt_sweep__init(&r->sweep, r->elf, dec);
	for (i = 0; i < r->nr_cand && !err; i++)
		if (r->cand[i].stub)
			err = xpt_sweep__add(&r->sweep, r->cand[i].impl);
	if (err)
		return err;
	xpt_sweep__sort(&r->sweep);
	/* In the order of the code, so that one walk serves a function's matches. */
	if (!xpt_elf__spend_sort(r->elf, r->nr_hits, 8))
		return -EFBIG;
	qsort(r->hit, r->nr_hits, sizeof(*r->hit), by_end);
	for (i = 0; i < r->nr_hits; i++)
		judge_hit(r, &r->hit[i]);
	for (i = 0; i < r->nr_cand; i++) {
		c = &r->cand[i];
		if (c->stub && !c->refuted &&
		    xpt_sweep__falls_into(&r->sweep, c->impl) != XPT_SWEEP_NO)
			c->refuted = "stub: the code before its implementation may run into it";
	}
	return xpt_elf__error(r->elf);	/* then something was left out */
}

int xpt_site__refute(const struct xpt_elf *elf, struct xpt_decoder *dec,
		     struct xpt_site_cand *cand, size_t nr)
{
	struct refs *r;
	int err;

	/* Without relocations for every address, references cannot be enumerated. */
	if (elf->type != ET_DYN || elf->dyn.textrel || elf->dyn.rel || nr > UINT32_MAX)
		return -ENOTSUP;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->elf = elf;
	r->cand = cand;
	r->nr_cand = nr;
	err = make_targets(r);
	if (err)
		goto out;
	err = xpt_elf__dynsym(elf, &r->sym, &r->nr_sym);
	if (err && err != -ENOENT)
		goto out;
	err = check_symbols(r);
	if (!err)
		err = check_relocs(r);
	if (!err)
		err = scan_code(r);
	if (!err)
		err = judge(r, dec);
out:
	xpt_sweep__free(&r->sweep);
	free(r->sym);
	free(r->hit);
	free(r->t);
	free(r);
	return err;
}
