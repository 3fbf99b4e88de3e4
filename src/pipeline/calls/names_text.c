/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts of kernel names, see names_text.h. A framework registers tens of
 * thousands of kernels and launches a few hundred, so a text is demangled when
 * its kernel is launched first, not before.
 */
#include "pipeline/calls/names_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/demangle/demangle.h"
#include "base/hashmap.h"
#include "base/text_id.h"

struct xpt_name_text {
	uint64_t hash;
	uint32_t refs;
	bool shared;		/* found by its hash; false: another text has that hash */
	bool readable;		/* full and brief were made, or are raw for lack of memory */
	char *full, *brief;	/* NULL: raw */
	char raw[];
};

struct xpt_name_texts {
	struct xpt_hashmap *by_hash;	/* uint64_t -> struct xpt_name_text * */
	size_t bytes;
};

int xpt_name_texts__new(size_t max_nr, struct xpt_name_texts **ret_t)
{
	struct xpt_name_texts *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	err = xpt_hashmap__new(sizeof(uint64_t), sizeof(struct xpt_name_text *), max_nr,
			       &t->by_hash);
	if (err)
		free(t);
	else
		*ret_t = t;
	return err;
}

void xpt_name_texts__free(struct xpt_name_texts *t)
{
	if (!t)
		return;
	xpt_hashmap__free(t->by_hash);
	free(t);
}

size_t xpt_name_texts__bytes(const struct xpt_name_texts *t)
{
	return t->bytes;
}

struct xpt_name_text *xpt_name_text__get(struct xpt_name_texts *t, const char *name)
{
	size_t n = strlen(name);
	uint64_t hash = xpt_text_id(name, n);
	struct xpt_name_text *x, **slot = xpt_hashmap__find(t->by_hash, &hash);

	if (slot && !strcmp((*slot)->raw, name))
		return xpt_name_text__ref(*slot);
	x = calloc(1, sizeof(*x) + n + 1);
	if (!x)
		return NULL;
	x->hash = hash;
	x->refs = 1;
	memcpy(x->raw, name, n + 1);
	t->bytes += sizeof(*x) + n + 1;
	slot = slot ? NULL : xpt_hashmap__get(t->by_hash, &hash, NULL);
	if (slot) {
		*slot = x;
		x->shared = true;
	}
	return x;
}

struct xpt_name_text *xpt_name_text__ref(struct xpt_name_text *x)
{
	x->refs++;
	return x;
}

static size_t size_of(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

void xpt_name_text__put(struct xpt_name_texts *t, struct xpt_name_text *x)
{
	if (--x->refs)
		return;
	if (x->shared)
		xpt_hashmap__del(t->by_hash, &x->hash);
	t->bytes -= sizeof(*x) + size_of(x->raw) + size_of(x->full) + size_of(x->brief);
	free(x->full);
	free(x->brief);
	free(x);
}

static void make_readable(struct xpt_name_texts *t, struct xpt_name_text *x)
{
	struct xpt_strbuf full, brief;

	x->readable = true;
	xpt_strbuf__init(&full, 1u << 16);
	xpt_strbuf__init(&brief, 1u << 16);
	if (xpt_demangle(x->raw, &full)) {
		xpt_demangle_short(xpt_strbuf__str(&full), &brief);
		if (!xpt_strbuf__err(&full) && !xpt_strbuf__err(&brief)) {
			x->full = strdup(xpt_strbuf__str(&full));
			x->brief = strdup(xpt_strbuf__str(&brief));
		}
	}
	xpt_strbuf__free(&full);
	xpt_strbuf__free(&brief);
	t->bytes += size_of(x->full) + size_of(x->brief);
}

const char *xpt_name_text__full(struct xpt_name_texts *t, struct xpt_name_text *x)
{
	if (!x->readable)
		make_readable(t, x);
	return x->full ? x->full : x->raw;
}

const char *xpt_name_text__brief(struct xpt_name_texts *t, struct xpt_name_text *x)
{
	if (!x->readable)
		make_readable(t, x);
	return x->brief ? x->brief : x->raw;
}
