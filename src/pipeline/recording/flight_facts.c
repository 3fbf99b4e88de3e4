// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See flight_facts.h. All facts are in one list, in which a new version takes the place of the old one; those of a
 * process are in a list of its own, too, and leave with it.
 */
#include "pipeline/recording/flight_facts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/hashmap.h"
#include "model/domain/domain.h"
#include "wire/device.h"
#include "wire/wire.h"

#define MAX_PROCESSES 32768u
#define MAX_THREADS 131072u
#define MAX_MACHINE 65536u
#define PROC_VERSIONS 4		/* of a PROC record: later ones may leave out known facts, so the first one stays */
#define CALLS_EACH 4096		/* calls of a process by which later ones are understood */

struct fact {
	TAILQ_ENTRY(fact) of_all;
	TAILQ_ENTRY(fact) of_process;
	struct process *process;	/* NULL: of the machine */
	uint32_t size;
	uint8_t owner;
	uint64_t rec[];
};

TAILQ_HEAD(facts, fact);

enum { FACTS_TASK, FACTS_PROC, FACTS_CALL, FACTS__MAX };	/* TASK and STACK; PROC; CALL */

struct process {
	uint32_t tgid, nr_of[FACTS__MAX];
	struct facts facts[FACTS__MAX];
};

struct machine_key {			/* no padding: it is hashed */
	uint64_t kind, id;
};

struct xpt_flight_facts {
	struct facts all;
	struct xpt_hashmap *processes;	/* uint32_t -> struct process * */
	struct xpt_hashmap *threads;	/* uint32_t -> struct fact * */
	struct xpt_hashmap *machine;	/* struct machine_key -> struct fact * */
	size_t max_bytes, used;		/* by processes */
	size_t bytes_of[XPT_FLIGHT_OWNERS];
	bool explains[XPT_MAX_FNS];	/* functions by whose calls later ones are understood */
};

int xpt_flight_facts__new(size_t max_bytes, struct xpt_flight_facts **ret_f)
{
	struct xpt_flight_facts *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	TAILQ_INIT(&f->all);
	f->max_bytes = max_bytes;
	err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct process *), MAX_PROCESSES, &f->processes);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct fact *), MAX_THREADS, &f->threads);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct machine_key), sizeof(struct fact *), MAX_MACHINE, &f->machine);
	if (err)
		xpt_flight_facts__free(f);
	else
		*ret_f = f;
	return err;
}

void xpt_flight_facts__free(struct xpt_flight_facts *f)
{
	struct fact *fact;
	const void *key;
	size_t pos = 0;
	void *val;

	if (!f)
		return;
	while ((fact = TAILQ_FIRST(&f->all))) {
		TAILQ_REMOVE(&f->all, fact, of_all);
		free(fact);
	}
	while (f->processes && xpt_hashmap__next(f->processes, &pos, &key, &val))
		free(*(struct process **)val);
	xpt_hashmap__free(f->processes);
	xpt_hashmap__free(f->threads);
	xpt_hashmap__free(f->machine);
	free(f);
}

void xpt_flight_facts__set_limit(struct xpt_flight_facts *f, size_t max_bytes)
{
	f->max_bytes = max_bytes;
}

size_t xpt_flight_facts__bytes(const struct xpt_flight_facts *f)
{
	return f->used;
}

size_t xpt_flight_facts__bytes_of(const struct xpt_flight_facts *f, unsigned owner)
{
	return f->bytes_of[owner];
}

static unsigned kind_of(const struct fact *fact)
{
	const struct xpt_rec *rec = (const void *)fact->rec;

	return rec->kind;
}

static unsigned list_of(const struct fact *fact)
{
	unsigned kind = kind_of(fact);

	return kind == XPT_REC_PROC ? FACTS_PROC : kind == XPT_REC_CALL ? FACTS_CALL : FACTS_TASK;
}

static struct fact *make_fact(const void *rec, size_t size)
{
	struct fact *fact = calloc(1, sizeof(*fact) + size);

	if (!fact)
		return NULL;
	fact->size = (uint32_t)size;
	memcpy(fact->rec, rec, size);
	return fact;
}

/* --- facts of the machine ----------------------------------------------------------------------- */

/* Returns whether a record is a fact of the machine, and if so the key by which it is found again. */
static bool machine_key_of(const struct xpt_rec *rec, size_t size, struct machine_key *ret_key)
{
	*ret_key = (struct machine_key){ .kind = rec->kind };
	switch (rec->kind) {
	case XPT_REC_FN:
	case XPT_REC_MODE:
		ret_key->id = rec->fn;
		return true;
	case XPT_REC_LIB:
		ret_key->id = ((const struct xpt_rec_lib *)rec)->id;
		return size >= sizeof(struct xpt_rec_lib);
	case XPT_REC_DEVICE:
		ret_key->id = ((const struct xpt_rec_device *)rec)->id;
		return size >= sizeof(struct xpt_rec_device);
	case XPT_REC_LOSS:
		ret_key->id = ((const struct xpt_rec_loss *)rec)->loss;
		return size >= sizeof(struct xpt_rec_loss);
	case XPT_REC_META:
		ret_key->id = xpt_hash(rec + 1, strnlen((const char *)(rec + 1), size - sizeof(*rec)));
		return true;
	default:
		return false;
	}
}

static void apply_machine(struct xpt_flight_facts *f, const struct machine_key *key, const void *rec, size_t size)
{
	struct fact *fact = make_fact(rec, size), **slot = fact ? xpt_hashmap__get(f->machine, key, NULL) : NULL;

	if (!slot) {
		free(fact);
		return;
	}
	if (*slot) {
		TAILQ_INSERT_BEFORE(*slot, fact, of_all);
		TAILQ_REMOVE(&f->all, *slot, of_all);
		free(*slot);
	} else {
		TAILQ_INSERT_TAIL(&f->all, fact, of_all);
	}
	*slot = fact;
}

static void note_function(struct xpt_flight_facts *f, const struct xpt_rec_fn *fn, size_t size)
{
	if (size >= sizeof(*fn) && fn->rec.fn < XPT_MAX_FNS)
		f->explains[fn->rec.fn] = xpt_domain__explains(&fn->spec);
}

const char *xpt_flight_facts__function(const struct xpt_flight_facts *f, uint32_t fn)
{
	const struct machine_key key = { XPT_REC_FN, fn };
	struct fact **fact = xpt_hashmap__find(f->machine, &key);
	const char *name = fact ? (const char *)(*fact)->rec + sizeof(struct xpt_rec_fn) : NULL;
	size_t room = fact && (*fact)->size > sizeof(struct xpt_rec_fn) ? (*fact)->size - sizeof(struct xpt_rec_fn) : 0;

	return strnlen(name, room) < room ? name : "?";
}

/* --- facts of processes --------------------------------------------------------------------------- */

static void drop_fact(struct xpt_flight_facts *f, struct fact *fact)
{
	const struct xpt_rec_task *t = (const void *)fact->rec;

	if (t->rec.kind == XPT_REC_TASK && t->event == XPT_TASK_THREAD)
		xpt_hashmap__del(f->threads, &t->tid);
	TAILQ_REMOVE(&f->all, fact, of_all);
	TAILQ_REMOVE(&fact->process->facts[list_of(fact)], fact, of_process);
	fact->process->nr_of[list_of(fact)]--;
	f->used -= sizeof(*fact) + fact->size;
	f->bytes_of[fact->owner] -= sizeof(*fact) + fact->size;
	free(fact);
}

static void drop_process(struct xpt_flight_facts *f, uint32_t tgid)
{
	struct process **p = xpt_hashmap__find(f->processes, &tgid);
	struct fact *fact;

	if (!p)
		return;
	for (unsigned i = 0; i < FACTS__MAX; i++)
		while ((fact = TAILQ_FIRST(&(*p)->facts[i])))
			drop_fact(f, fact);
	free(*p);
	xpt_hashmap__del(f->processes, &tgid);
}

static struct process *get_process(struct xpt_flight_facts *f, uint32_t tgid)
{
	struct process **p = xpt_hashmap__get(f->processes, &tgid, NULL);

	if (!p || *p)
		return p ? *p : NULL;
	*p = calloc(1, sizeof(**p));
	if (!*p) {
		xpt_hashmap__del(f->processes, &tgid);
		return NULL;
	}
	(*p)->tgid = tgid;
	for (unsigned i = 0; i < FACTS__MAX; i++)
		TAILQ_INIT(&(*p)->facts[i]);
	return *p;
}

/* Adds a fact of a process, where its owner's share has room. NULL: it has not. */
static struct fact *add_fact(struct xpt_flight_facts *f, unsigned owner, uint32_t tgid, const void *rec, size_t size)
{
	struct process *p;
	struct fact *fact;

	if (f->used > f->max_bytes || f->bytes_of[owner] + sizeof(*fact) + size > f->max_bytes - f->used)
		return NULL;
	p = get_process(f, tgid);
	fact = p ? make_fact(rec, size) : NULL;
	if (!fact)
		return NULL;
	fact->process = p;
	fact->owner = (uint8_t)owner;
	f->used += sizeof(*fact) + size;
	f->bytes_of[owner] += sizeof(*fact) + size;
	TAILQ_INSERT_TAIL(&f->all, fact, of_all);
	TAILQ_INSERT_TAIL(&p->facts[list_of(fact)], fact, of_process);
	p->nr_of[list_of(fact)]++;
	return fact;
}

static void add_thread(struct xpt_flight_facts *f, unsigned owner, const struct xpt_rec_task *t)
{
	struct fact **had = xpt_hashmap__find(f->threads, &t->tid), *fact, **slot;

	if (had)
		drop_fact(f, *had);
	fact = add_fact(f, owner, t->tgid, t, sizeof(*t));
	slot = fact ? xpt_hashmap__get(f->threads, &t->tid, NULL) : NULL;
	if (slot)
		*slot = fact;
	else if (fact)
		drop_fact(f, fact);
}

static void apply_task(struct xpt_flight_facts *f, unsigned owner, const struct xpt_rec_task *t)
{
	struct fact **thread;

	switch (t->event) {
	case XPT_TASK_THREAD:
		add_thread(f, owner, t);
		break;
	case XPT_TASK_FORK:
	case XPT_TASK_EXEC:
		drop_process(f, t->tgid);
		add_fact(f, owner, t->tgid, t, sizeof(*t));
		break;
	case XPT_TASK_EXIT:
		drop_process(f, t->tgid);
		break;
	default:
		thread = xpt_hashmap__find(f->threads, &t->tid);
		if (thread)
			drop_fact(f, *thread);
	}
}

/* Drops the second PROC record of a process if there are too many. */
static void drop_proc_version(struct xpt_flight_facts *f, uint32_t tgid)
{
	struct process **p = xpt_hashmap__find(f->processes, &tgid);

	if (p && (*p)->nr_of[FACTS_PROC] >= PROC_VERSIONS)
		drop_fact(f, TAILQ_NEXT(TAILQ_FIRST(&(*p)->facts[FACTS_PROC]), of_process));
}

static void apply_call(struct xpt_flight_facts *f, unsigned owner, const struct xpt_rec_call *c, size_t size)
{
	struct fact *fact;

	if (size < sizeof(*c) || c->rec.fn >= XPT_MAX_FNS || !f->explains[c->rec.fn])
		return;
	fact = add_fact(f, owner, c->tgid, c, size);
	if (fact && fact->process->nr_of[FACTS_CALL] > CALLS_EACH)
		drop_fact(f, TAILQ_FIRST(&fact->process->facts[FACTS_CALL]));
}

void xpt_flight_facts__apply(struct xpt_flight_facts *f, unsigned owner, const void *rec, size_t size)
{
	const struct xpt_rec *r = rec;
	struct machine_key key;

	if (r->kind == XPT_REC_FN)
		note_function(f, rec, size);
	if (machine_key_of(r, size, &key)) {
		apply_machine(f, &key, rec, size);
	} else if (r->kind == XPT_REC_CALL) {
		apply_call(f, owner, rec, size);
	} else if (r->kind == XPT_REC_TASK && size >= sizeof(struct xpt_rec_task)) {
		apply_task(f, owner, rec);
	} else if (r->kind == XPT_REC_PROC && size >= sizeof(struct xpt_rec_proc)) {
		drop_proc_version(f, ((const struct xpt_rec_proc *)rec)->tgid);
		add_fact(f, owner, ((const struct xpt_rec_proc *)rec)->tgid, rec, size);
	} else if (r->kind == XPT_REC_STACK && size >= sizeof(struct xpt_rec_stack)) {
		add_fact(f, owner, ((const struct xpt_rec_stack *)rec)->tgid, rec, size);
	}
}

int xpt_flight_facts__write(const struct xpt_flight_facts *f, xpt_flight_put_fn put, void *ctx)
{
	const struct fact *fact;
	int err = 0;

	TAILQ_FOREACH(fact, &f->all, of_all) {
		err = put(ctx, fact->rec, fact->size);
		if (err)
			break;
	}
	return err;
}
