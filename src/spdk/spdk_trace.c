// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reader of `spdk_trace -j`, see spdk_trace.h. An entry is read while the JSON reader
 * holds its text, so that strings need no copies.
 */
#include "spdk/spdk_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "spdk/printed_text.h"

#define NAME_LEN_MAX 128	/* of trace points and arguments; SPDK has 24 and 14 */
#define MAX_OWNERS 65536
#define OWNER_LEN_MAX 1024

struct xpt_spdk_trace {
	struct xpt_json json;
	struct xpt_spdk_printed printed;
	uint64_t rate, bad, damaged;
	struct xpt_spdk_spot first_damaged;
	struct xpt_spdk_tpoint *tp;	/* by id */
	struct xpt_spdk_tpoint unknown;	/* with an id beyond those */
	struct xpt_hashmap *owners;	/* id -> char * */
	bool ended, has_owners;
};

/* A macro, for the length of the name is known then: nine of these for each entry. */
#define IS(key, n, name) ((n) == sizeof(name) - 1 && !memcmp(key, name, sizeof(name) - 1))

/* --- definitions ------------------------------------------------------------------ */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* TCP_REQ_COMPLETED, NVME_PCIE_COMPLETE, BDEV_IO_DONE; not TCP_REQ_RDY_TO_COMPLETE. */
static bool is_final(const char *name)
{
	return ends_with(name, "_COMPLETED") || ends_with(name, "_DONE") ||
	       (ends_with(name, "_COMPLETE") && !ends_with(name, "_TO_COMPLETE"));
}

static char *take_name(struct xpt_json *j)
{
	const char *s;
	size_t n;

	if (!xpt_json__str(j, &s, &n))
		return NULL;
	return strndup(s, n < NAME_LEN_MAX ? n : NAME_LEN_MAX);
}

static void free_tpoint(struct xpt_spdk_tpoint *tp)
{
	free(tp->name);
	for (unsigned i = 0; i < tp->nr_args; i++)
		free(tp->arg[i].name);
	*tp = (struct xpt_spdk_tpoint){ 0 };
}

static void take_arg_def(struct xpt_json *j, struct xpt_spdk_tpoint *tp)
{
	struct xpt_spdk_arg_def def = { 0 };
	uint64_t type = 0;
	const char *key;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(j, &key, &n)) {
		if (IS(key, n, "name")) {
			free(def.name);
			def.name = take_name(j);
		} else if (IS(key, n, "type")) {
			xpt_json__u64(j, &type);
		} else {
			xpt_json__skip(j);
		}
	}
	def.type = type == 1 ? XPT_SPDK_PTR : type == 2 ? XPT_SPDK_STR : XPT_SPDK_INT;
	if (!def.name || tp->nr_args == XPT_SPDK_MAX_ARGS) {
		free(def.name);
		return;
	}
	if (tp->qpair < 0 && !strcmp(def.name, "qpair"))
		tp->qpair = (int)tp->nr_args;
	tp->arg[tp->nr_args++] = def;
}

static void take_tpoint(struct xpt_spdk_trace *t)
{
	struct xpt_spdk_tpoint tp = { .qpair = -1 };
	struct xpt_json *j = &t->json;
	uint64_t id = UINT64_MAX;
	const char *key;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(j, &key, &n)) {
		if (IS(key, n, "name")) {
			free(tp.name);
			tp.name = take_name(j);
		} else if (IS(key, n, "id")) {
			xpt_json__u64(j, &id);
		} else if (IS(key, n, "new_object")) {
			xpt_json__bool(j, &tp.new_object);
		} else if (IS(key, n, "args") && xpt_json__enter(j, XPT_JSON_ARRAY)) {
			while (xpt_json__item(j))
				take_arg_def(j, &tp);
		} else if (!IS(key, n, "args")) {
			xpt_json__skip(j);
		}
	}
	if (!tp.name || id >= XPT_SPDK_MAX_TPOINTS) {
		free_tpoint(&tp);
		return;
	}
	tp.id = (unsigned)id;
	tp.name_len = (unsigned)strlen(tp.name);
	tp.final = !tp.new_object && is_final(tp.name);
	free_tpoint(&t->tp[id]);
	t->tp[id] = tp;
}

static bool parse_id(const char *s, uint64_t *ret_id)
{
	uint64_t v = 0;

	if (!*s || strlen(s) > 9)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	*ret_id = v;
	return true;
}

static void take_owners(struct xpt_spdk_trace *t)
{
	const char *key, *s;
	char **at;
	uint64_t id;
	bool known;
	size_t n;

	if (!xpt_json__enter(&t->json, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(&t->json, &key, &n)) {
		known = parse_id(key, &id);
		if (!xpt_json__str(&t->json, &s, &n) || !known)
			continue;
		at = xpt_hashmap__get(t->owners, &id, NULL);
		if (!at)
			continue;
		free(*at);
		*at = strndup(s, n < OWNER_LEN_MAX ? n : OWNER_LEN_MAX);
	}
}

/* Up to the entries; false: there are none. */
static bool take_head(struct xpt_spdk_trace *t)
{
	struct xpt_json *j = &t->json;
	const char *key;
	size_t n;

	while (xpt_json__key(j, &key, &n)) {
		if (IS(key, n, "entries"))
			return xpt_json__enter(j, XPT_JSON_ARRAY);
		if (IS(key, n, "tsc_rate")) {
			xpt_json__u64(j, &t->rate);
		} else if (IS(key, n, "owners")) {
			t->has_owners = true;
			take_owners(t);
		} else if (IS(key, n, "tpoints") && xpt_json__enter(j, XPT_JSON_ARRAY)) {
			while (xpt_json__item(j))
				take_tpoint(t);
		} else if (!IS(key, n, "tpoints")) {
			xpt_json__skip(j);
		}
	}
	return false;
}

static struct xpt_spdk_spot spot_of(const struct xpt_spdk_trace *t)
{
	struct xpt_spdk_spot spot = { xpt_json__offset(&t->json), xpt_json__line(&t->json) };

	xpt_spdk_printed__locate(&t->printed, &spot.byte, &spot.line);
	return spot;
}

int xpt_spdk_trace__open(xpt_json_read_fn read, void *ctx, struct xpt_spdk_trace **ret_t, struct xpt_spdk_spot *ret_spot)
{
	struct xpt_spdk_trace *t = calloc(1, sizeof(*t));
	struct xpt_spdk_spot spot = { 0, 0 };
	int err = -ENOMEM;

	if (!t)
		return err;
	t->tp = calloc(XPT_SPDK_MAX_TPOINTS, sizeof(*t->tp));
	if (t->tp)
		err = xpt_hashmap__new(sizeof(uint64_t), sizeof(char *), MAX_OWNERS, &t->owners);
	if (!err)
		err = xpt_spdk_printed__init(&t->printed, read, ctx);
	if (!err)
		err = xpt_json__init(&t->json, xpt_spdk_printed__read, &t->printed);
	if (!err && xpt_json__find_object(&t->json) && take_head(t) && t->rate) {
		*ret_t = t;
		return 0;
	}
	if (!err) {
		err = t->json.err ? t->json.err : -EBADMSG;
		spot = t->json.err == -EBADMSG ? spot_of(t) : spot;
	}
	if (ret_spot)
		*ret_spot = spot;
	xpt_spdk_trace__free(t);
	return err;
}

void xpt_spdk_trace__free(struct xpt_spdk_trace *t)
{
	size_t pos = 0;
	void *val;

	if (!t)
		return;
	for (unsigned i = 0; t->tp && i < XPT_SPDK_MAX_TPOINTS; i++)
		free_tpoint(&t->tp[i]);
	while (t->owners && xpt_hashmap__next(t->owners, &pos, NULL, &val))
		free(*(char **)val);
	xpt_hashmap__free(t->owners);
	free_tpoint(&t->unknown);
	free(t->tp);
	xpt_json__free(&t->json);
	xpt_spdk_printed__free(&t->printed);
	free(t);
}

uint64_t xpt_spdk_trace__rate(const struct xpt_spdk_trace *t)
{
	return t->rate;
}

uint64_t xpt_spdk_trace__bad(const struct xpt_spdk_trace *t)
{
	return t->bad;
}

uint64_t xpt_spdk_trace__printed(const struct xpt_spdk_trace *t)
{
	/* Lines after the last bracket do not count. */
	return xpt_spdk_printed__before(&t->printed, xpt_json__offset(&t->json) - 1);
}

uint64_t xpt_spdk_trace__damaged(const struct xpt_spdk_trace *t, struct xpt_spdk_spot *ret_first)
{
	*ret_first = t->first_damaged;
	return t->damaged;
}

bool xpt_spdk_trace__has_owners(const struct xpt_spdk_trace *t)
{
	return t->has_owners;
}

const char *xpt_spdk_trace__owner(const struct xpt_spdk_trace *t, uint64_t id)
{
	char **at = xpt_hashmap__find(t->owners, &id);

	return at ? *at : NULL;
}

/* --- entries ---------------------------------------------------------------------- */

static void take_text(struct xpt_json *j, struct xpt_spdk_text *ret)
{
	if (!xpt_json__str(j, &ret->s, &ret->n))
		ret->s = NULL;
}

static void take_object(struct xpt_json *j, struct xpt_spdk_entry *e)
{
	const char *key;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	e->has_object = true;
	while (xpt_json__key(j, &key, &n)) {
		if (IS(key, n, "id"))
			take_text(j, &e->id);
		else if (IS(key, n, "time"))
			e->has_time = xpt_json__u64(j, &e->time);
		else if (IS(key, n, "value"))
			xpt_json__u64(j, &e->value);
		else
			xpt_json__skip(j);
	}
}

static void take_args(struct xpt_json *j, struct xpt_spdk_entry *e)
{
	struct xpt_spdk_arg *a;

	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return;
	while (xpt_json__item(j)) {
		if (e->nr_args == XPT_SPDK_MAX_ARGS) {
			xpt_json__skip(j);
			continue;
		}
		a = &e->arg[e->nr_args++];
		*a = (struct xpt_spdk_arg){ 0 };
		if (xpt_json__kind(j) == XPT_JSON_STRING)
			take_text(j, &a->text);
		else
			a->bad = !xpt_json__u64(j, &a->v);
	}
}

/* The trace point of that id; one that the trace does not define is called "?" with the id. */
static const struct xpt_spdk_tpoint *tpoint_of(struct xpt_spdk_trace *t, uint64_t id)
{
	struct xpt_spdk_tpoint *tp = id < XPT_SPDK_MAX_TPOINTS ? &t->tp[id] : &t->unknown;
	char name[24];
	int n;

	if (tp->name && tp != &t->unknown)
		return tp;
	n = snprintf(name, sizeof(name), "?%" PRIu64, id);
	free(tp->name);
	*tp = (struct xpt_spdk_tpoint){ .name = strdup(name), .name_len = (unsigned)n, .qpair = -1,
					.id = id < XPT_SPDK_MAX_TPOINTS ? (unsigned)id : 0 };
	if (tp->name)
		return tp;
	*tp = (struct xpt_spdk_tpoint){ 0 };
	return NULL;
}

/* True if it has a point and a time. */
static bool take_entry(struct xpt_spdk_trace *t, struct xpt_spdk_entry *e)
{
	struct xpt_json *j = &t->json;
	bool has_tsc = false, has_point = false;
	uint64_t id = 0;
	const char *key;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return false;
	while (xpt_json__key(j, &key, &n)) {
		if (IS(key, n, "lcore"))
			xpt_json__u64(j, &e->lcore);
		else if (IS(key, n, "tpoint"))
			has_point = xpt_json__u64(j, &id);
		else if (IS(key, n, "tsc"))
			has_tsc = xpt_json__u64(j, &e->tsc);
		else if (IS(key, n, "poller"))
			take_text(j, &e->poller);
		else if (IS(key, n, "owner"))
			take_text(j, &e->owner);
		else if (IS(key, n, "size"))
			xpt_json__u64(j, &e->size);
		else if (IS(key, n, "object"))
			take_object(j, e);
		else if (IS(key, n, "related"))
			take_text(j, &e->related);
		else if (IS(key, n, "args"))
			take_args(j, e);
		else
			xpt_json__skip(j);
	}
	e->tp = has_point ? tpoint_of(t, id) : NULL;
	return has_tsc && e->tp;
}

/* Reads the rest of the object after the entries. */
static int finish_object(struct xpt_spdk_trace *t)
{
	const char *key;
	size_t n;

	t->ended = true;
	xpt_json__release(&t->json);
	while (xpt_json__key(&t->json, &key, &n))
		xpt_json__skip(&t->json);
	return t->json.err;
}

/* Notes where the JSON is none, and goes on at the next entry. False: there is none. */
static bool pass_damage(struct xpt_spdk_trace *t)
{
	if (t->json.err != -EBADMSG)
		return false;
	if (!t->damaged++)
		t->first_damaged = spot_of(t);
	if (xpt_json__resume(&t->json, "lcore"))	/* the first key of every entry */
		return true;
	t->ended = true;
	t->json.err = 0;
	return false;
}

struct xpt_spdk_spot xpt_spdk_trace__spot(const struct xpt_spdk_trace *t)
{
	return spot_of(t);
}

int xpt_spdk_trace__next(struct xpt_spdk_trace *t, struct xpt_spdk_entry *e)
{
	while (!t->ended) {
		xpt_json__release(&t->json);
		xpt_json__hold(&t->json);
		if (!xpt_json__item(&t->json)) {
			if (pass_damage(t))
				continue;
			return t->ended ? 0 : finish_object(t);
		}
		*e = (struct xpt_spdk_entry){ 0 };
		if (take_entry(t, e) && !t->json.err)
			return 1;
		t->bad += !t->json.err;
		if (t->json.err && !pass_damage(t))
			break;
	}
	return t->json.err;
}
