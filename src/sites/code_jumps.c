// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the jumps of a file's code that lead to a place. A possible jump, at every byte, is
 * entered once by a hash of its target, and entered again in a second table if there was one
 * of that hash. So nearly every place with a single jump is known for that without a search;
 * the others are searched for, and most of those have two soon.
 */
#include "sites/code_jumps.h"

#include <stdlib.h>
#include <string.h>

#include "elf/elf_priv.h"

enum {
	CHUNK = 64 << 10,
	JUMP_BYTES = 6,		/* of a conditional jump with a 32-bit displacement */
	MIN_BITS = 12,		/* of the hash */
	BYTES_PER_BIT = 4,	/* of code: there is a jump for every twenty */
	ANSWERS = 1024,
};

#define MAX_CODE (256ull << 20)	/* bytes that are searched for one file, in all */

struct answer {
	uint64_t vaddr;
	bool known, many;
};

struct xpt_code_jumps {
	unsigned bits;
	uint64_t *once, *again;	/* a bit for each hash */
	uint64_t left;		/* bytes that may be read */
	bool complete;		/* both tables hold all jumps */
	struct answer answer[ANSWERS];	/* by the hash's low bits */
};

struct walk {
	struct xpt_code_jumps *jumps;
	uint64_t vaddr;		/* that is looked for; 0: enter all */
	unsigned found;
};

static uint64_t hash_vaddr(uint64_t vaddr, unsigned bits)
{
	return (vaddr * 0x9e3779b97f4a7c15ull) >> (64 - bits);
}

static void on_jump(struct walk *w, uint64_t target)
{
	struct xpt_code_jumps *j = w->jumps;
	uint64_t h, bit;

	if (w->vaddr) {
		w->found += target == w->vaddr;
		return;
	}
	h = hash_vaddr(target, j->bits);
	bit = 1ull << (h & 63);
	if (j->once[h >> 6] & bit)
		j->again[h >> 6] |= bit;
	j->once[h >> 6] |= bit;
}

/* Jumps whose 32-bit displacement begins in code[2] to code[CHUNK + 1]; code lies at `at`. */
static void walk_chunk(struct walk *w, const uint8_t *code, size_t n, uint64_t at)
{
	size_t i;

	for (i = 2; i < CHUNK + 2 && i + 4 <= n; i++) {
		int32_t rel;

		if (code[i - 1] != 0xe9 && (code[i - 2] != 0x0f || code[i - 1] >> 4 != 8))
			continue;
		memcpy(&rel, code + i, 4);
		on_jump(w, at + i + 4 + (uint64_t)(int64_t)rel);
	}
}

/* False: there was more than may be read. Ends when two were found. */
static bool walk_code(const struct xpt_elf *elf, struct walk *w)
{
	uint8_t code[CHUNK + JUMP_BYTES];
	size_t i, n;

	for (i = 0; i < elf->nr_segs; i++) {
		const struct xpt_elf_seg *seg = &elf->segs[i];
		uint64_t at = seg->vaddr, end = seg->vaddr + seg->filesz;

		if (!(seg->flags & PF_X))
			continue;
		for (; at < end && w->found < 2; at += CHUNK) {
			n = end - at < sizeof(code) ? (size_t)(end - at) : sizeof(code);
			n = xpt_elf__read(elf, at, code, n);
			if (!n || n > w->jumps->left || !xpt_elf__spend(elf, n))
				return false;
			w->jumps->left -= n;
			walk_chunk(w, code, n, at);
		}
	}
	return true;
}

static void free_jumps(struct xpt_code_jumps *jumps)
{
	free(jumps->once);
	free(jumps->again);
	free(jumps);
}

/* NULL: no memory. */
static struct xpt_code_jumps *read_jumps(struct xpt_elf *elf)
{
	struct xpt_code_jumps *j = calloc(1, sizeof(*j));
	struct walk w = { .jumps = j };
	uint64_t bytes = 0;
	size_t i;

	if (!j)
		return NULL;
	elf->jumps = j;
	elf->free_jumps = free_jumps;
	for (i = 0; i < elf->nr_segs; i++)
		bytes += elf->segs[i].flags & PF_X ? elf->segs[i].filesz : 0;
	j->left = MAX_CODE;
	for (j->bits = MIN_BITS; bytes < MAX_CODE && 1ull << j->bits < bytes / BYTES_PER_BIT; j->bits++)
		;
	j->once = calloc((size_t)1 << (j->bits - 6), sizeof(*j->once));
	j->again = calloc((size_t)1 << (j->bits - 6), sizeof(*j->again));
	j->complete = j->once && j->again && bytes < MAX_CODE && walk_code(elf, &w);
	return j;
}

bool xpt_code_jumps__are_many(struct xpt_elf *elf, uint64_t vaddr)
{
	struct xpt_code_jumps *j = elf->jumps ? elf->jumps : read_jumps(elf);
	struct walk w = { .jumps = j, .vaddr = vaddr };
	struct answer *a;
	uint64_t h;

	if (!j || !j->complete)
		return true;
	h = hash_vaddr(vaddr, j->bits);
	if (!(j->again[h >> 6] & 1ull << (h & 63)))
		return false;
	a = &j->answer[h % ANSWERS];
	if (!a->known || a->vaddr != vaddr)
		*a = (struct answer){ vaddr, true, !walk_code(elf, &w) || w.found > 1 };
	return a->many;
}
