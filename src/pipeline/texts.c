/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings with counted references, see texts.h. A map finds them by their hash;
 * those with one hash are a list. The count stands in front of the string.
 */
#include "pipeline/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/text_id.h"

#define MAX_TEXTS (1u << 18)	/* four of each process */

struct text {
	struct text *next;	/* with the same hash */
	uint64_t hash;
	size_t size;		/* of s, NUL included */
	uint32_t refs;
	char s[];
};

struct xpt_texts {
	struct xpt_hashmap *by_hash;	/* uint64_t -> struct text * */
	size_t bytes, max_bytes;
	uint64_t *refused;
};

int xpt_texts__new(size_t max_bytes, uint64_t *refused, struct xpt_texts **ret_t)
{
	struct xpt_texts *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->max_bytes = max_bytes;
	t->refused = refused;
	if (xpt_hashmap__new(sizeof(uint64_t), sizeof(struct text *), MAX_TEXTS, &t->by_hash)) {
		free(t);
		return -ENOMEM;
	}
	*ret_t = t;
	return 0;
}

void xpt_texts__free(struct xpt_texts *t)
{
	size_t pos = 0;
	void *val;

	if (!t)
		return;
	while (xpt_hashmap__next(t->by_hash, &pos, NULL, &val)) {
		struct text *x = *(struct text **)val, *next;

		for (; x; x = next) {
			next = x->next;
			free(x);
		}
	}
	xpt_hashmap__free(t->by_hash);
	free(t);
}

static struct text *text_of(const char *s)
{
	return (struct text *)((uintptr_t)s - offsetof(struct text, s));
}

static struct text *make_text(struct xpt_texts *t, uint64_t hash, const char *s, size_t size)
{
	struct text *x, **slot;

	if (sizeof(*x) + size > t->max_bytes - t->bytes)
		return NULL;
	x = malloc(sizeof(*x) + size);
	slot = x ? xpt_hashmap__get(t->by_hash, &hash, NULL) : NULL;
	if (!slot) {
		free(x);
		return NULL;
	}
	*x = (struct text){ .next = *slot, .hash = hash, .size = size, .refs = 1 };
	memcpy(x->s, s, size);
	*slot = x;
	t->bytes += sizeof(*x) + size;
	return x;
}

const char *xpt_texts__get(struct xpt_texts *t, const char *s)
{
	size_t size = strlen(s) + 1;
	uint64_t hash = xpt_text_id(s, size - 1);
	struct text **slot, *x;

	if (!s[0])
		return "";
	slot = xpt_hashmap__find(t->by_hash, &hash);
	for (x = slot ? *slot : NULL; x && strcmp(x->s, s) != 0; x = x->next)
		;
	if (x)
		return xpt_texts__ref(x->s);
	x = make_text(t, hash, s, size);
	*t->refused += !x;
	return x ? x->s : "";
}

const char *xpt_texts__ref(const char *s)
{
	if (s[0])
		text_of(s)->refs++;
	return s;
}

void xpt_texts__put(struct xpt_texts *t, const char *s)
{
	struct text *x = text_of(s), **at;

	if (!s[0] || --x->refs)
		return;
	at = xpt_hashmap__find(t->by_hash, &x->hash);
	if (*at == x && !x->next) {
		xpt_hashmap__del(t->by_hash, &x->hash);
	} else {
		while (*at != x)
			at = &(*at)->next;
		*at = x->next;
	}
	t->bytes -= sizeof(*x) + x->size;
	free(x);
}
