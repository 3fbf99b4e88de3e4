// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lives of the objects of a server: queue pairs, controllers, poll groups, subsystems,
 * the target. Shows since when each object exists, to which object it belongs, which
 * states it had and for how long. Calls are recognized by class (create, modify,
 * destroy) and kind; the value with the role of that name (role QPAIR for kind QPAIR)
 * is the object's address.
 *
 * Addresses are reused: a life ends when the object is destroyed, or when one is created
 * at its address. A life from before the trace begins at the first call about it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/output/analyzer.h"
#include "model/domain/domain.h"
#include "model/domain/states.h"
#include "model/value.h"
#include "model/vocab.h"

#define MAX_LIVES 8192		/* if there are more, half of the ended ones are evicted */
#define MAX_SUMS 8192		/* states of objects */
#define MAX_PROCS 65536
#define NAME_LEN 224		/* of an object: NVMe names have 223 bytes */
#define NO_STATE UINT32_MAX
#define FIRST_KIND XPT_KIND_QPAIR
#define NR_KINDS (XPT_KIND_TARGET - FIRST_KIND + 1)

struct rec_object {
	uint64_t pid;
	const char *object, *id, *which, *state;
	uint64_t since_ns, lived_ns, until_ns;
	const char *where;
	uint64_t group, qid, controller;
	const char *subsystem, *host;
	uint64_t qpairs;
};

static const struct xpt_field object_fields[] = {
	XPT_FIELD(struct rec_object, object, STR, NONE, "object"),
	XPT_FIELD(struct rec_object, which, STR, NONE, "which"),
	XPT_FIELD(struct rec_object, state, STR, NONE, "state"),
	XPT_FIELD(struct rec_object, since_ns, U64, AT, "since"),
	XPT_FIELD(struct rec_object, lived_ns, U64, NS, "lived"),
	XPT_FIELD(struct rec_object, where, STR, NONE, "where"),
	XPT_FIELD(struct rec_object, pid, U64, PROCESS, "pid"),
	XPT_FIELD(struct rec_object, id, STR, NONE, ""),
	XPT_FIELD(struct rec_object, until_ns, U64, AT, ""),
	XPT_FIELD(struct rec_object, group, U64, NONE, ""),
	XPT_FIELD(struct rec_object, qid, U64, NONE, ""),
	XPT_FIELD(struct rec_object, controller, U64, HEX, ""),
	XPT_FIELD(struct rec_object, subsystem, STR, NONE, ""),
	XPT_FIELD(struct rec_object, host, STR, NONE, ""),
	XPT_FIELD(struct rec_object, qpairs, U64, COUNT, ""),
};

static const struct xpt_schema object_schema = {
	.name = "objects", .title = "Objects",
	.help = "Queue pairs, controllers, poll groups, subsystems and targets: since when in the trace "
		"(null: before it) and until when (null: still there), the last state, and to what "
		"each belongs",
	.layout = XPT_LAYOUT_TABLE, .order = 46, XPT_RECORD(struct rec_object, object_fields),
	.brief = 24,
};

struct rec_state {
	uint64_t pid;
	const char *object, *id, *which, *state;
	uint64_t times, total_ns, longest_ns;
};

static const struct xpt_field state_fields[] = {
	XPT_FIELD(struct rec_state, object, STR, NONE, "object"),
	XPT_FIELD(struct rec_state, which, STR, NONE, "which"),
	XPT_FIELD(struct rec_state, state, STR, NONE, "state"),
	XPT_FIELD(struct rec_state, times, U64, COUNT, "times"),
	XPT_FIELD(struct rec_state, total_ns, U64, NS, "total"),
	XPT_FIELD(struct rec_state, longest_ns, U64, NS, "longest"),
	XPT_FIELD(struct rec_state, pid, U64, PROCESS, "pid"),
	XPT_FIELD(struct rec_state, id, STR, NONE, ""),
};

static const struct xpt_schema state_schema = {
	.name = "object_states", .title = "States of objects",
	.help = "How often objects came into which state, and how long they were in it; \"to X\" is the "
		"time from the request until X was reached. Queue pairs and the like are summed up",
	.layout = XPT_LAYOUT_TABLE, .order = 47, XPT_RECORD(struct rec_state, state_fields),
	.brief = 24,
};

static const struct xpt_schema *const emits[] = { &object_schema, &state_schema, NULL };

/* Kinds of objects, in the order of XPT_KINDS. */
static const struct kind {
	enum xpt_role role;	/* of the value that identifies it; NONE: there is one per process */
	bool many;		/* there are many: their states are summed up */
	bool text;		/* identified by a name */
	int order;
} kinds[NR_KINDS] = {
	{ XPT_ROLE_QPAIR, true, false, 4 }, { XPT_ROLE_CONTROLLER, true, false, 3 },
	{ XPT_ROLE_GROUP, false, false, 2 }, { XPT_ROLE_SUBSYSTEM, false, true, 1 },
	{ XPT_ROLE_NONE, false, false, 0 },
};

struct key {
	uint32_t proc;		/* number of the process's life */
	uint32_t kind;
	uint64_t id;		/* or a hash of its name */
};

struct life {
	struct key key;
	uint32_t pid;
	uint64_t since_ns, until_ns;	/* 0: before the trace; still there */
	uint64_t first_ns;	/* time of the first call about it */
	uint64_t group, qid, controller;
	uint32_t state;
	bool changing;		/* a change to that state has begun */
	bool destroyed;		/* by a call, and not with its process */
	uint64_t state_ns;
	char id[NAME_LEN], subsystem[NAME_LEN], host[NAME_LEN];
};

struct sum_key {
	struct key key;		/* id 0 where many are summed up */
	uint32_t state, changing;
};

struct sum {
	uint32_t pid;
	uint64_t times, total_ns, longest_ns, first_ns;
	char id[NAME_LEN];
};

struct objects {
	struct xpt_hashmap *procs;	/* struct xpt_proc * -> number */
	struct xpt_hashmap *open;	/* struct key -> struct life * */
	struct xpt_hashmap *sums;	/* struct sum_key -> struct sum */
	struct life **life;
	size_t nr;
	uint32_t nr_procs;
	uint64_t lost;
	char *names[NR_KINDS];		/* "A,B,C" from the trace; NULL: the domain's */
	const struct xpt_domain *domain;
};

static void objects__close(void *st)
{
	struct objects *s = st;

	for (size_t i = 0; i < s->nr; i++)
		free(s->life[i]);
	for (unsigned i = 0; i < NR_KINDS; i++)
		free(s->names[i]);
	free(s->life);
}

/* --- states --------------------------------------------------------------------------- */

static void leave_state(struct objects *s, struct life *l, uint64_t ts)
{
	const struct kind *k = &kinds[l->key.kind - FIRST_KIND];
	struct sum_key key = { .key = l->key, .state = l->state, .changing = l->changing };
	uint64_t ns = ts > l->state_ns ? ts - l->state_ns : 0;
	struct sum *sum;
	bool is_new;

	if (l->state == NO_STATE)
		return;
	if (k->many)
		key.key.id = 0;
	sum = xpt_hashmap__get(s->sums, &key, &is_new);
	if (!sum) {
		s->lost++;
		return;
	}
	if (is_new) {
		sum->pid = l->pid;
		sum->first_ns = l->state_ns;
		snprintf(sum->id, sizeof(sum->id), "%s", k->many ? "" : l->id);
	}
	sum->times++;
	sum->total_ns += ns;
	sum->longest_ns = ns > sum->longest_ns ? ns : sum->longest_ns;
}

static void enter_state(struct objects *s, struct life *l, uint64_t state, bool changing,
			uint64_t ts)
{
	uint32_t to = state < XPT_STATES_MAX ? (uint32_t)state : XPT_STATES_MAX;

	if (l->state == to && l->changing == changing)
		return;
	leave_state(s, l, ts);
	l->state = to;
	l->changing = changing;
	l->state_ns = ts;
}

/* Takes the state from a call: the state that was reached, or else the one that was requested. */
static void take_state(struct objects *s, struct life *l, const struct xpt_call *c, uint64_t ts)
{
	uint64_t now, asked, status;
	bool has_now = xpt_call__role(c, XPT_ROLE_STATE, &now);

	if (!xpt_call__role(c, XPT_ROLE_ASKED, &asked)) {
		if (has_now)
			enter_state(s, l, now, false, ts);
	} else if (xpt_call__role(c, XPT_ROLE_STATUS, &status)) {
		if (!status || has_now)
			enter_state(s, l, status ? now : asked, false, ts);
	} else {
		if (has_now && l->state == NO_STATE)
			enter_state(s, l, now, false, ts);
		enter_state(s, l, asked, true, ts);
	}
}

/* --- lives ------------------------------------------------------------------------------ */

static void end_life(struct objects *s, struct life *l, uint64_t ts)
{
	leave_state(s, l, ts);
	l->until_ns = ts ? ts : 1;
	xpt_hashmap__del(s->open, &l->key);
}

/* Makes room for one more life: evicts the older half of those that have ended. */
static bool make_room(struct objects *s)
{
	size_t ended = 0, n = 0, i;

	for (i = 0; i < s->nr; i++)
		ended += s->life[i]->until_ns != 0;
	ended -= ended / 2;
	s->lost += ended ? ended : 1;
	for (i = 0; i < s->nr; i++) {
		if (s->life[i]->until_ns && ended) {
			free(s->life[i]);
			ended--;
		} else {
			s->life[n++] = s->life[i];
		}
	}
	s->nr = n;
	return n < MAX_LIVES;
}

static struct life *new_life(struct objects *s, const struct key *key, uint32_t pid)
{
	struct life **at, *l;

	if (!s->life)
		s->life = calloc(MAX_LIVES, sizeof(struct life *));
	if (!s->life || (s->nr == MAX_LIVES && !make_room(s)))
		return NULL;
	l = calloc(1, sizeof(*l));
	at = l ? xpt_hashmap__get(s->open, key, NULL) : NULL;
	if (!at) {
		free(l);
		return NULL;
	}
	*at = l;
	l->key = *key;
	l->pid = pid;
	l->group = l->qid = l->controller = XPT_ABSENT;
	l->state = NO_STATE;
	s->life[s->nr++] = l;
	return l;
}

static const char *text_of(const struct xpt_call *c, enum xpt_role role)
{
	int i = c->fn->role_idx[role];

	return i < 0 ? NULL : xpt_call__string(c, (unsigned)i);
}

/* Finds the object of a call, and its name; false if the call does not name one. */
static bool key_of(struct objects *s, const struct xpt_call *c, struct key *key, char *name)
{
	const struct kind *k = &kinds[c->fn->kind - FIRST_KIND];
	uint32_t *proc = xpt_hashmap__get(s->procs, &c->proc, NULL);
	const char *text = k->text ? text_of(c, k->role) : NULL;

	s->lost += !proc;
	if (!proc || (k->text && !text))
		return false;
	if (!*proc)
		*proc = ++s->nr_procs;
	*key = (struct key){ .proc = *proc, .kind = c->fn->kind };
	if (k->role == XPT_ROLE_NONE)
		snprintf(name, NAME_LEN, "%" PRIu32, c->proc->pid);
	else if (k->text)
		snprintf(name, NAME_LEN, "%s", text);
	else if (!xpt_call__role(c, k->role, &key->id))
		return false;
	else
		snprintf(name, NAME_LEN, xpt_role_is_hex(k->role) ? "0x%" PRIx64 : "%" PRIu64, key->id);
	if (k->text)
		key->id = xpt_hash(text, strlen(text));
	return true;
}

static void take_properties(struct life *l, const struct xpt_call *c)
{
	const char *subsystem = text_of(c, XPT_ROLE_SUBSYSTEM), *host = text_of(c, XPT_ROLE_HOST);
	uint64_t v;

	if (xpt_call__role(c, XPT_ROLE_GROUP, &v))
		l->group = v;
	if (xpt_call__role(c, XPT_ROLE_QID, &v))
		l->qid = v;
	if (xpt_call__role(c, XPT_ROLE_CONTROLLER, &v))
		l->controller = v;
	if (subsystem)
		snprintf(l->subsystem, sizeof(l->subsystem), "%s", subsystem);
	if (host)
		snprintf(l->host, sizeof(l->host), "%s", host);
}

static void on_call(struct objects *s, const struct xpt_call *c, uint64_t ts)
{
	struct life **at, *l;
	char name[NAME_LEN];
	uint64_t state;
	struct key key;

	s->domain = c->fn->domain;
	if (!key_of(s, c, &key, name))
		return;
	at = xpt_hashmap__find(s->open, &key);
	l = at ? *at : NULL;
	if (c->fn->cls == XPT_CLASS_DESTROY && !l)
		return;		/* its record came twice, or it is not known */
	if (c->fn->cls == XPT_CLASS_CREATE && l) {
		end_life(s, l, ts);
		l = NULL;
	}
	if (!l)
		l = new_life(s, &key, c->proc->pid);
	if (!l)
		return;
	memcpy(l->id, name, sizeof(name));
	if (!l->first_ns) {
		l->first_ns = ts;
		if (c->fn->cls == XPT_CLASS_CREATE ||
		    (c->fn->kind == XPT_KIND_TARGET && xpt_call__role(c, XPT_ROLE_STATE, &state) && !state))
			l->since_ns = ts;
	}
	take_properties(l, c);
	take_state(s, l, c, ts);
	if (c->fn->cls == XPT_CLASS_DESTROY) {
		l->destroyed = true;
		end_life(s, l, ts);
	}
}

/* Ends all lives of a process that has ended. */
static void on_exit_of(struct objects *s, const struct xpt_proc *proc, uint64_t ts)
{
	const uint32_t *nr = xpt_hashmap__find(s->procs, &proc);

	for (size_t i = 0; nr && i < s->nr; i++)
		if (s->life[i]->key.proc == *nr && !s->life[i]->until_ns)
			end_life(s, s->life[i], ts);
}

/* "states:target": names from the program itself. */
static void on_meta(struct objects *s, const char *key, const char *value)
{
	if (strncmp(key, "states:", 7) != 0)
		return;
	for (unsigned i = 0; i < NR_KINDS; i++) {
		if (strcmp(key + 7, xpt_kind_name(FIRST_KIND + i)) != 0)
			continue;
		free(s->names[i]);
		s->names[i] = strdup(value);
	}
}

/* --- results ------------------------------------------------------------------------------ */

static const char *state_name(const struct objects *s, uint32_t kind, uint32_t state, bool changing,
			      char *buf, size_t n)
{
	const char *p = s->names[kind - FIRST_KIND];
	const char *const *names = p ? NULL : xpt_states__names(s->domain, kind, 0);
	uint32_t i = 0;

	if (state == NO_STATE)
		return "";
	for (; p && i < state; i++) {
		p = strchr(p, ',');
		if (p)
			p++;
	}
	for (i = 0; names && i < state && names[i]; i++)
		;
	if (names)
		p = names[i];
	if (p && *p && *p != ',')
		snprintf(buf, n, "%s%.*s", changing ? "to " : "", (int)strcspn(p, ","), p);
	else
		snprintf(buf, n, "%sstate %" PRIu32, changing ? "to " : "", state);
	return buf;
}

/* Returns the end of a qualified name, by which the names of one site differ. */
static const char *short_name(const char *name)
{
	const char *colon = strncmp(name, "nqn.", 4) ? NULL : strrchr(name, ':');

	return colon && colon[1] ? colon + 1 : name;
}

static void add_part(struct xpt_strbuf *sb, const char *text)
{
	xpt_strbuf__add(sb, sb->len ? ", " : "");
	xpt_strbuf__add(sb, text);
}

static uint64_t count_qpairs(const struct objects *s, const struct life *of)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->nr; i++) {
		const struct life *l = s->life[i];
		bool in_time = l->first_ns >= of->since_ns && (!of->until_ns || l->first_ns <= of->until_ns);

		if (l->key.kind != XPT_KIND_QPAIR || l->key.proc != of->key.proc || !in_time)
			continue;
		n += of->key.kind == XPT_KIND_POLL_GROUP ? l->group == of->key.id
		   : of->key.kind == XPT_KIND_SUBSYSTEM ? !strcmp(l->subsystem, of->id)
							: l->controller == of->key.id;
	}
	return n;
}

/* Returns the text of the column "where": thread, queue id, subsystem, host, number of queue pairs. */
static const char *where_of(const struct life *l, uint64_t qpairs, struct xpt_strbuf *sb)
{
	char buf[64];

	xpt_strbuf__reset(sb);
	if (l->group != XPT_ABSENT && l->key.kind != XPT_KIND_POLL_GROUP) {
		snprintf(buf, sizeof(buf), "thread %" PRIu64, l->group);
		add_part(sb, buf);
	}
	if (l->qid != XPT_ABSENT) {
		snprintf(buf, sizeof(buf), "qid %" PRIu64, l->qid);
		add_part(sb, buf);
	}
	if (l->subsystem[0] && l->key.kind != XPT_KIND_SUBSYSTEM)
		add_part(sb, short_name(l->subsystem));
	if (l->host[0])
		add_part(sb, short_name(l->host));
	if (qpairs != XPT_ABSENT && qpairs) {
		snprintf(buf, sizeof(buf), "%" PRIu64 " queue pair%s", qpairs, qpairs == 1 ? "" : "s");
		add_part(sb, buf);
	}
	return xpt_strbuf__err(sb) ? "" : xpt_strbuf__str(sb);
}

static int by_kind(const void *a, const void *b)
{
	const struct life *x = *(struct life *const *)a, *y = *(struct life *const *)b;
	int kx = kinds[x->key.kind - FIRST_KIND].order, ky = kinds[y->key.kind - FIRST_KIND].order;

	if (x->key.proc != y->key.proc)
		return x->key.proc < y->key.proc ? -1 : 1;
	if (kx != ky)
		return kx < ky ? -1 : 1;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return strcmp(x->id, y->id);
}

static void emit_object(struct objects *s, const struct life *l, uint64_t end_ns,
			struct xpt_strbuf *sb, struct xpt_out *out)
{
	uint64_t until = l->until_ns ? l->until_ns : end_ns;
	bool has = l->key.kind == XPT_KIND_POLL_GROUP || l->key.kind == XPT_KIND_SUBSYSTEM ||
		   l->key.kind == XPT_KIND_CONTROLLER;
	char name[2 * XPT_STATES_MAX + 64];
	struct rec_object r = {
		.pid = l->pid, .object = xpt_kind_name(l->key.kind), .id = l->id,
		.which = short_name(l->id), .since_ns = l->since_ns ? xpt_out__since(out, l->since_ns) : XPT_ABSENT,
		.until_ns = l->until_ns ? xpt_out__since(out, l->until_ns) : XPT_ABSENT,
		.lived_ns = until > l->first_ns ? until - l->first_ns : 0,
		.group = l->key.kind == XPT_KIND_POLL_GROUP ? XPT_ABSENT : l->group, .qid = l->qid,
		.controller = l->key.kind == XPT_KIND_CONTROLLER ? XPT_ABSENT : l->controller,
		.subsystem = l->subsystem[0] && l->key.kind != XPT_KIND_SUBSYSTEM ? l->subsystem : NULL,
		.host = l->host[0] ? l->host : NULL,
		.qpairs = has ? count_qpairs(s, l) : XPT_ABSENT,
		.state = l->destroyed ? "gone"
		       : state_name(s, l->key.kind, l->state, l->changing, name, sizeof(name)),
	};

	r.where = where_of(l, r.qpairs, sb);
	xpt_out__emit(out, &object_schema, &r);
}

struct row {
	const struct sum_key *key;
	const struct sum *sum;
};

static int by_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int kx = kinds[x->key->key.kind - FIRST_KIND].order, ky = kinds[y->key->key.kind - FIRST_KIND].order;
	int c;

	if (x->key->key.proc != y->key->key.proc)
		return x->key->key.proc < y->key->key.proc ? -1 : 1;
	if (kx != ky)
		return kx < ky ? -1 : 1;
	c = strcmp(x->sum->id, y->sum->id);
	if (!c && x->sum->first_ns != y->sum->first_ns)
		c = x->sum->first_ns < y->sum->first_ns ? -1 : 1;
	return c ? c : (int)(x->key->state + 100 * x->key->changing) -
			       (int)(y->key->state + 100 * y->key->changing);
}

static void emit_states(struct objects *s, struct xpt_out *out)
{
	size_t nr = xpt_hashmap__len(s->sums), n = 0, pos = 0;
	struct row *rows = calloc(nr ? nr : 1, sizeof(*rows));
	char name[2 * XPT_STATES_MAX + 64];
	const void *key;
	void *val;

	while (rows && n < nr && xpt_hashmap__next(s->sums, &pos, &key, &val))
		rows[n++] = (struct row){ key, val };
	if (rows)
		qsort(rows, n, sizeof(*rows), by_first);
	for (size_t i = 0; i < n; i++) {
		const struct sum_key *k = rows[i].key;
		const struct sum *sum = rows[i].sum;
		struct rec_state r = {
			.pid = sum->pid, .object = xpt_kind_name(k->key.kind), .id = sum->id,
			.which = sum->id[0] ? short_name(sum->id) : "all",
			.state = state_name(s, k->key.kind, k->state, k->changing, name, sizeof(name)),
			.times = sum->times, .total_ns = sum->total_ns, .longest_ns = sum->longest_ns,
		};

		xpt_out__emit(out, &state_schema, &r);
	}
	free(rows);
}

static void on_end(struct objects *s, const struct xpt_event *ev, struct xpt_out *out)
{
	struct xpt_strbuf sb;
	size_t i;

	xpt_strbuf__init(&sb, 4096);
	if (s->nr)
		qsort(s->life, s->nr, sizeof(*s->life), by_kind);
	for (i = 0; i < s->nr; i++) {
		if (!s->life[i]->until_ns)
			leave_state(s, s->life[i], ev->ts_ns);
		emit_object(s, s->life[i], ev->ts_ns, &sb, out);
	}
	emit_states(s, out);
	if (s->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, s->lost);
	s->lost = 0;
	xpt_strbuf__free(&sb);
}

static void objects__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct objects *s = st;
	const struct xpt_fn *fn = ev->kind == XPT_EV_CALL ? ev->u.call.fn : NULL;

	if (fn && fn->kind >= FIRST_KIND && fn->kind - FIRST_KIND < NR_KINDS)
		on_call(s, &ev->u.call, ev->ts_ns);
	else if (ev->kind == XPT_EV_META)
		on_meta(s, ev->u.meta.key, ev->u.meta.value);
	else if (ev->kind == XPT_EV_EXIT)
		on_exit_of(s, ev->u.proc.proc, ev->ts_ns);
	else if (ev->kind == XPT_EV_END)
		on_end(s, ev, out);
}

const struct xpt_analyzer xpt_analyzer_objects = {
	.name = "objects",
	.help = "objects of a server: since when, where, and in which states",
	.emits = emits,
	.state_size = sizeof(struct objects),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct objects, procs, void *, uint32_t, MAX_PROCS, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct objects, open, struct key, struct life *, MAX_LIVES, 0),
		XPT_MAP(struct objects, sums, struct sum_key, struct sum, MAX_SUMS, 0),
		{ 0 }
	},
	.event = objects__event,
	.close = objects__close,
};
