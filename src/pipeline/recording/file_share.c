// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shares of a file, see file_share.h. */
#include "pipeline/recording/file_share.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hashmap.h"
#include "wire/user.h"

#define SHARE_OF_FREE 3	/* as in the rings, see bpf/send/user.bpf.h */
#define MAX_OWNERS 4096	/* with a share of their own; more share one */

struct part {
	uint64_t bytes, cut;
	bool full;
};

struct xpt_file_share {
	uint64_t max_bytes;
	xpt_owner_fn owner;
	void *ctx;
	struct xpt_hashmap *parts;	/* owner -> struct part */
	struct part others;		/* of all who found no place */
};

int xpt_file_share__new(uint64_t max_bytes, xpt_owner_fn owner, void *ctx, struct xpt_file_share **ret_s)
{
	struct xpt_file_share *s = calloc(1, sizeof(*s));

	if (!s || xpt_hashmap__new(sizeof(uint64_t), sizeof(struct part), MAX_OWNERS, &s->parts)) {
		free(s);
		return -ENOMEM;
	}
	s->max_bytes = max_bytes;
	s->owner = owner;
	s->ctx = ctx;
	*ret_s = s;
	return 0;
}

void xpt_file_share__free(struct xpt_file_share *s)
{
	if (s)
		xpt_hashmap__free(s->parts);
	free(s);
}

static struct part *part_of(struct xpt_file_share *s, uint32_t tgid, uint64_t *ret_owner)
{
	struct part *part;

	*ret_owner = s->owner(s->ctx, tgid);
	part = xpt_hashmap__get(s->parts, ret_owner, NULL);
	return part ? part : &s->others;
}

bool xpt_file_share__fits(struct xpt_file_share *s, uint32_t tgid, uint64_t bytes)
{
	uint64_t left = bytes < s->max_bytes ? s->max_bytes - bytes : 0;
	uint64_t owner;
	struct part *part = part_of(s, tgid, &owner);

	part->full = part->full || part->bytes >= SHARE_OF_FREE * left;
	return !part->full;
}

void xpt_file_share__took(struct xpt_file_share *s, uint32_t tgid, uint64_t bytes)
{
	uint64_t owner;

	part_of(s, tgid, &owner)->bytes += bytes;
}

bool xpt_file_share__cut(struct xpt_file_share *s, uint32_t tgid, uint64_t *ret_owner)
{
	return !part_of(s, tgid, ret_owner)->cut++;
}

bool xpt_file_share__most_cut(const struct xpt_file_share *s, uint64_t *ret_owner, uint64_t *ret_calls,
			      uint32_t *ret_others)
{
	uint32_t nr = s->others.cut != 0;
	const void *key;
	size_t pos = 0;
	void *val;

	*ret_calls = s->others.cut;
	*ret_owner = XPT_OWNER(UINT32_MAX, 0);	/* of owners beyond those who have a share */
	while (xpt_hashmap__next(s->parts, &pos, &key, &val)) {
		const struct part *part = val;

		nr += part->cut != 0;
		if (part->cut <= *ret_calls)
			continue;
		*ret_calls = part->cut;
		*ret_owner = *(const uint64_t *)key;
	}
	*ret_others = nr ? nr - 1 : 0;
	return *ret_calls;
}
