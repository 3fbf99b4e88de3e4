// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owners of trace entries: TCP requests of newer releases name no queue pair, but
 * their owner says which NQN and queue it is. Whom that means is looked up when an
 * owner is new; the answer at a time is kept as long as it stays the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/parse.h"
#include "base/text_id.h"
#include "model/text.h"
#include "spdk/lives_priv.h"

#define MAX_OWNERS 65536
#define MAX_LIVES 65536		/* of one NQN and queue id */
#define MAX_COMPARED (1ull << 30)	/* owners with lives: some seconds, and 30,000 connections of one name */
#define KEY_LEN 63		/* bytes of the NQN in the key: recordings may have cut it there */

struct name_key {
	uint64_t nqn, qid;
};

int xpt_spdk_owners__new(struct xpt_spdk_lives *l)
{
	return xpt_hashmap__new(sizeof(uint64_t), sizeof(struct owner *), MAX_OWNERS, &l->owners);
}

void xpt_spdk_owners__free(struct xpt_spdk_lives *l)
{
	size_t pos = 0;
	void *val;

	while (l->owners && xpt_hashmap__next(l->owners, &pos, NULL, &val)) {
		struct owner *o = *(struct owner **)val;

		free(o->description);
		free((char *)o->o.subnqn);
		free((char *)o->o.text);
		free(o);
	}
	for (pos = 0; l->by_name && xpt_hashmap__next(l->by_name, &pos, NULL, &val);)
		free(((struct name_list *)val)->life);
	xpt_hashmap__free(l->owners);
	xpt_hashmap__free(l->by_name);
}

void xpt_spdk_add_clean(struct xpt_strbuf *sb, const char *s)
{
	const char *p = s;

	while (*p >= 0x20 && *p < 0x7f)
		p++;
	if (*p)
		xpt_text__add(sb, s, SIZE_MAX, true);
	else
		xpt_strbuf__addn(sb, s, (size_t)(p - s));
}

/* --- lives by name --------------------------------------------------------------------- */

static struct name_key key_of(const char *subnqn, uint64_t qid)
{
	return (struct name_key){ .nqn = xpt_text_id(subnqn, strnlen(subnqn, KEY_LEN)), .qid = qid };
}

static int list_life(struct xpt_spdk_lives *l, struct xpt_spdk_life *life)
{
	struct name_key key = key_of(life->subnqn, life->qid);
	struct name_list *list = xpt_hashmap__get(l->by_name, &key, NULL);
	struct xpt_spdk_life **to;

	if (!list)
		return -ENOMEM;
	if (list->nr == MAX_LIVES) {
		list->full = true;
		return 0;
	}
	if (list->nr == list->cap) {
		to = realloc(list->life, (2 * list->cap + 4) * sizeof(*to));
		if (!to)
			return -ENOMEM;
		list->life = to;
		list->cap = 2 * list->cap + 4;
	}
	list->life[list->nr++] = life;
	return 0;
}

/* Lists the lives at the first owner, because most traces have none. */
static int list_lives(struct xpt_spdk_lives *l)
{
	int err;

	if (l->by_name)
		return 0;
	err = xpt_hashmap__new(sizeof(struct name_key), sizeof(struct name_list), l->nr + 1,
			       &l->by_name);
	for (size_t i = 0; !err && i < l->nr; i++)
		if (l->life[i].has_qid && l->life[i].subnqn && *l->life[i].subnqn)
			err = list_life(l, &l->life[i]);
	return err;
}

/* --- owners ------------------------------------------------------------------------------ */

/* "10.0.0.2:40121", "::1:40121" */
static bool ends_in_port(const char *s, size_t n)
{
	size_t digits = 0;

	while (digits < n && s[n - 1 - digits] >= '0' && s[n - 1 - digits] <= '9')
		digits++;
	return digits && digits + 1 < n && s[n - 1 - digits] == ':';
}

/* "10.0.0.2:40121 nqn.2016-06.io.spdk:cnode1 10.0.0.1:4420 qid:1": the listener may be missing. */
static void parse_owner(struct owner *o)
{
	char *end = strrchr(o->description, ' '), *nqn = strchr(o->description, ' ');
	uint64_t qid;
	size_t n;

	if (!end || end == nqn || strncmp(end, " qid:", 5) != 0 ||
	    xpt_parse_u64(end + 5, 0, UINT16_MAX, &qid))
		return;
	n = strcspn(nqn + 1, " ");
	if (!n || n > XPT_SPDK_NQN_MAX)
		return;
	o->has_port = ends_in_port(o->description, (size_t)(nqn - o->description));
	o->o.subnqn = strndup(nqn + 1, n);
	o->o.qid = qid;
}

static int describe_owner(struct owner *o)
{
	struct xpt_strbuf sb;

	if (!o->o.subnqn)
		return 0;
	xpt_strbuf__init(&sb, 4096);
	xpt_strbuf__addf(&sb, "(qid=%" PRIu64 ", subnqn=", o->o.qid);
	xpt_spdk_add_clean(&sb, o->o.subnqn);
	xpt_strbuf__addc(&sb, ')');
	o->o.text = xpt_strbuf__err(&sb) ? NULL : strdup(xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	return o->o.text ? 0 : -ENOMEM;
}

static struct owner *new_owner(struct xpt_spdk_lives *l, const char *text, size_t n)
{
	struct owner *o = calloc(1, sizeof(*o));
	struct name_key key;

	if (!o || list_lives(l))
		goto fail;
	o->lives = l;
	o->description = strndup(text, n);
	o->len = n;
	if (!o->description)
		goto fail;
	parse_owner(o);
	if (describe_owner(o))
		goto fail;
	if (o->o.subnqn) {
		key = key_of(o->o.subnqn, o->o.qid);
		o->list = xpt_hashmap__find(l->by_name, &key);
	}
	return o;
fail:
	if (o) {
		free((char *)o->o.subnqn);
		free(o->description);
	}
	free(o);
	return NULL;
}

struct xpt_spdk_owner *xpt_spdk_lives__owner(struct xpt_spdk_lives *l, const char *text, size_t n)
{
	uint64_t hash = xpt_text_id(text, n);
	struct owner **at = xpt_hashmap__find(l->owners, &hash);

	if (at)
		return (*at)->len != n || memcmp((*at)->description, text, n) ? NULL : &(*at)->o;
	at = xpt_hashmap__get(l->owners, &hash, NULL);
	if (!at)
		return NULL;
	*at = new_owner(l, text, n);
	if (!*at) {
		xpt_hashmap__del(l->owners, &hash);
		return NULL;
	}
	return &(*at)->o;
}

/* Is it this NQN? One of 63 bytes in a recording may be a cut one. */
static bool same_nqn(const char *recorded, const char *nqn)
{
	size_t n = strlen(recorded);

	return !strncmp(recorded, nqn, n) && (!nqn[n] || n == KEY_LEN);
}

/* Narrows the span around tsc in which t does not lie. */
static void narrow_span(struct owner *o, uint64_t t, uint64_t tsc)
{
	if (t <= tsc && t > o->from)
		o->from = t;
	if (t > tsc && t < o->to)
		o->to = t;
}

/* Is it known to be there at that time? One that is open is not, once the recording has ended. */
static bool is_there(const struct owner *o, const struct xpt_spdk_life *life, uint64_t tsc)
{
	if (tsc < life->begin || tsc > life->end)
		return false;
	return !life->open || tsc <= o->lives->last || !xpt_spdk_lives__is_outside(o->lives, tsc);
}

bool xpt_spdk_owner__is_named(const struct owner *o, const struct xpt_spdk_life *life)
{
	return life->qid == o->o.qid && same_nqn(life->subnqn, o->o.subnqn);
}

bool xpt_spdk_lives__gave_up(const struct xpt_spdk_lives *l)
{
	return l->nr_compared > MAX_COMPARED;
}

bool xpt_spdk_owner__may_compare(struct owner *o)
{
	if (xpt_spdk_lives__gave_up(o->lives))
		return false;
	o->lives->nr_compared += o->list ? o->list->nr + 1 : 1;
	return true;
}

/*
 * One connection: it has a host once it is bound. Without a first pass only its first request binds it: an owner of
 * which nothing else is known may be a connection from before the recording, and the life another one's.
 */
static void bind_live(struct owner *o, unsigned nr_live, struct xpt_spdk_life *live)
{
	bool was_sought = o->lives->scanned && !o->named_twice;	/* in a first pass, in vain */

	if (nr_live == 1 && !was_sought && !o->list->full && xpt_spdk_owner__connects_in(o, live))
		xpt_spdk_owner__bind(o, live);
	o->answer = o->bound;
	if (o->bound)
		o->doubt = XPT_SPDK_SURE;
	else if (was_sought && nr_live)
		o->doubt = XPT_SPDK_SEVERAL;
	else if (nr_live == 1)
		o->doubt = XPT_SPDK_UNPROVEN;
}

/* Live ones first; of those that only drain, the last. */
static void look_up(struct owner *o, uint64_t tsc)
{
	struct xpt_spdk_life *live = NULL, *gone = NULL;
	bool may_compare = xpt_spdk_owner__may_compare(o);
	unsigned nr_live = 0;

	o->from = 0;
	o->to = UINT64_MAX;
	narrow_span(o, o->lives->last + 1, tsc);
	for (uint32_t i = 0; may_compare && o->list && i < o->list->nr; i++) {
		struct xpt_spdk_life *life = o->list->life[i];

		if (!xpt_spdk_owner__is_named(o, life))
			continue;
		narrow_span(o, life->begin, tsc);
		narrow_span(o, life->removed, tsc);
		if (life->end < UINT64_MAX)
			narrow_span(o, life->end + 1, tsc);
		if (!is_there(o, life, tsc) || (o->has_port && !xpt_spdk_owner__fits(o, life)))
			continue;
		if (tsc < life->removed) {
			nr_live++;
			live = life;
		} else if (!gone || gone->removed < life->removed) {
			gone = life;
		}
	}
	o->nr_bound = o->list ? o->list->nr_bound : 0;
	o->answer = nr_live > 1 ? NULL : nr_live ? live : gone;
	o->doubt = nr_live > 1 || !may_compare ? XPT_SPDK_SEVERAL : o->answer ? XPT_SPDK_PRESUMED : XPT_SPDK_SURE;
	if (o->has_port)
		bind_live(o, nr_live, live);
}

struct xpt_spdk_life *xpt_spdk_owner__at(struct xpt_spdk_owner *owner, uint64_t tsc, enum xpt_spdk_doubt *ret_doubt)
{
	struct owner *o = (struct owner *)owner;

	if (o->bound) {
		*ret_doubt = o->proven ? XPT_SPDK_SURE : XPT_SPDK_PRESUMED;
		return o->bound;
	}
	if (tsc < o->from || tsc >= o->to || (o->list && o->nr_bound != o->list->nr_bound))
		look_up(o, tsc);
	*ret_doubt = o->doubt;
	return o->answer;
}
