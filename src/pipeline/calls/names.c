/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel names, see names.h. Each process has a map from handle to name and
 * one from module or library to owner. A name hangs in the list of its owner,
 * of its life if it ends with a context, and of all names by age: whatever ends
 * takes exactly its names, at the cost of those alone.
 */
#include "pipeline/calls/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include "base/hashmap.h"
#include "model/call.h"
#include "model/value.h"
#include "pipeline/calls/names_text.h"

#define MAX_LIVES 65536
#define MAX_CONTEXTS 16	/* of a process whose beginning is remembered */
#define MAX_FORKS 8	/* generations through which names are inherited */
#define CACHE 256

TAILQ_HEAD(name_queue, name);
LIST_HEAD(name_list, name);

struct name {
	uint64_t handle, seq;
	bool bound;		/* ends with its context */
	struct xpt_name_text *text;
	struct life *life;
	struct owner *owner;
	uint64_t since_ns;		/* when the call that taught it returned */
	LIST_ENTRY(name) of_owner;
	TAILQ_ENTRY(name) of_life;	/* if bound; oldest first */
	TAILQ_ENTRY(name) of_all;
};

struct owner {			/* a module or library; handle 0: not known */
	uint64_t handle, root;	/* root: the library whose module it is, else handle */
	struct name_list names;
};

/* Names older than its beginning are not its own. Several may have one handle: another context gets
 * that of one that is being destroyed. */
struct context {
	uint64_t handle, seq;
	uint64_t since_ns;		/* when the call that handed it out returned */
};

struct life {			/* one process between two execs */
	struct xpt_hashmap *names;	/* uint64_t -> struct name * */
	struct xpt_hashmap *owners;	/* uint64_t -> struct owner * */
	struct name_queue bound;
	struct context context[MAX_CONTEXTS];
	unsigned next_context;	/* whose place is taken when there is no other */
	unsigned refs;		/* the table's, and one of each child */
	bool is_over;		/* not in the table: it is kept for its children */
	struct life *parent;	/* its names from before fork_seq are here too; NULL */
	uint64_t fork_seq;
};

struct cached {
	const struct xpt_proc *proc;
	uint64_t handle, generation;
	struct xpt_name_text *text;	/* NULL: unknown */
};

struct xpt_names {
	struct xpt_hashmap *lives;	/* const struct xpt_proc * -> struct life * */
	struct xpt_name_texts *texts;
	struct name_queue all;		/* oldest first */
	size_t nr, nr_owners, nr_over;	/* nr_over: lives that are kept for their children */
	uint64_t seq, *evicted;
	uint64_t generation;		/* of the entries of the cache */
	struct cached cache[CACHE];
	char unknown[40];
};

/* --- the meaning of a function ---------------------------------------------------- */

static void note_cap(const struct xpt_wire_cap *cap, int8_t i, struct xpt_names_use *u)
{
	bool out = cap->op == XPT_CAP_OUT;
	int8_t *at = NULL;

	switch (cap->role) {
	case XPT_ROLE_FUNC:
	case XPT_ROLE_KERNEL:
		at = out ? &u->out : &u->in;
		if (*at < 0 && (out || u->out < 0))
			u->bound = cap->role == XPT_ROLE_FUNC;
		break;
	case XPT_ROLE_MODULE:
	case XPT_ROLE_LIBRARY:
		at = out ? &u->owner_out : &u->owner;
		break;
	case XPT_ROLE_CONTEXT:
		at = &u->context;
		break;
	case XPT_ROLE_NAME:
		u->text |= xpt_cap_is_string(cap);
		break;
	}
	if (at && *at < 0)
		*at = i;
}

void xpt_names__use(const struct xpt_fn *fn, struct xpt_names_use *ret_use)
{
	struct xpt_names_use u = { .out = -1, .in = -1, .owner_out = -1, .owner = -1,
				   .context = -1 };

	for (uint8_t i = 0; i < fn->nr_caps; i++)
		note_cap(&fn->cap[i], (int8_t)i, &u);
	u.ret_owner = fn->cls == XPT_CLASS_LOAD && fn->ret == XPT_RET_POINTER;
	switch (fn->cls) {
	case XPT_CLASS_LOAD:
	case XPT_CLASS_QUERY:
		if (u.out >= 0 || u.owner_out >= 0 || u.ret_owner || (u.in >= 0 && u.text))
			u.act = XPT_NAMES_LEARN;
		break;
	case XPT_CLASS_UNLOAD:
		u.act = XPT_NAMES_UNLOAD;
		break;
	case XPT_CLASS_INIT:
		if (u.context >= 0 && fn->cap[u.context].op == XPT_CAP_OUT)
			u.act = XPT_NAMES_CONTEXT;
		break;
	case XPT_CLASS_RESET:
		u.act = XPT_NAMES_RESET;
		break;
	case XPT_CLASS_LAUNCH:
		if (u.in >= 0)
			u.act = XPT_NAMES_LAUNCH;
		break;
	}
	*ret_use = u;
}

/* --- names -------------------------------------------------------------------------- */

static struct name *find_own(const struct life *l, uint64_t handle)
{
	struct name **slot = xpt_hashmap__find(l->names, &handle);

	return slot ? *slot : NULL;
}

/* Finds a name in this life, or one that was registered before a fork. */
static struct name *find_name(const struct life *l, uint64_t handle)
{
	struct name *name = find_own(l, handle);
	uint64_t seq = UINT64_MAX;
	int i;

	for (i = 0; !name && l->parent && i < MAX_FORKS; i++) {
		seq = l->fork_seq < seq ? l->fork_seq : seq;
		l = l->parent;
		name = find_own(l, handle);
		if (name && (name->bound || name->seq > seq))
			return NULL;
	}
	return name;
}

static void drop_name(struct xpt_names *n, struct name *name)
{
	xpt_hashmap__del(name->life->names, &name->handle);
	LIST_REMOVE(name, of_owner);
	if (name->bound)
		TAILQ_REMOVE(&name->life->bound, name, of_life);
	TAILQ_REMOVE(&n->all, name, of_all);
	xpt_name_text__put(n->texts, name->text);
	free(name);
	n->nr--;
	n->generation++;
}

static void make_room(struct xpt_names *n)
{
	while (n->nr && (n->nr >= XPT_MAX_NAMES ||
			 xpt_name_texts__bytes(n->texts) > XPT_MAX_NAME_BYTES)) {
		drop_name(n, TAILQ_FIRST(&n->all));
		++*n->evicted;
	}
}

/* Takes over the reference to text. */
static void set_name(struct xpt_names *n, struct life *l, uint64_t handle, bool bound,
		     struct owner *o, struct xpt_name_text *text, uint64_t since_ns)
{
	struct name *name = find_own(l, handle), **slot;

	if (name)
		drop_name(n, name);
	make_room(n);
	n->generation++;
	name = calloc(1, sizeof(*name));
	slot = name ? xpt_hashmap__get(l->names, &handle, NULL) : NULL;
	if (!slot) {
		free(name);
		xpt_name_text__put(n->texts, text);
		++*n->evicted;
		return;
	}
	*slot = name;
	name->handle = handle;
	name->seq = ++n->seq;
	name->bound = bound;
	name->text = text;
	name->life = l;
	name->owner = o;
	name->since_ns = since_ns;
	LIST_INSERT_HEAD(&o->names, name, of_owner);
	if (bound)
		TAILQ_INSERT_TAIL(&l->bound, name, of_life);
	TAILQ_INSERT_TAIL(&n->all, name, of_all);
	n->nr++;
}

/* --- owners ------------------------------------------------------------------------- */

static struct owner *find_owner(const struct life *l, uint64_t handle)
{
	struct owner **slot = xpt_hashmap__find(l->owners, &handle);

	return slot ? *slot : NULL;
}

static struct owner *get_owner(struct xpt_names *n, struct life *l, uint64_t handle)
{
	struct owner *o = find_owner(l, handle), **slot;

	if (o)
		return o;
	o = n->nr_owners < XPT_MAX_OWNERS ? calloc(1, sizeof(*o)) : NULL;
	slot = o ? xpt_hashmap__get(l->owners, &handle, NULL) : NULL;
	if (!slot) {
		free(o);
		++*n->evicted;
		return NULL;
	}
	*slot = o;
	o->handle = o->root = handle;
	n->nr_owners++;
	return o;
}

/* Returns the owner of the names that a look-up in that module or library makes. */
static struct owner *root_owner(struct xpt_names *n, struct life *l, uint64_t handle)
{
	struct owner *o = get_owner(n, l, handle);

	return o && o->root != handle ? get_owner(n, l, o->root) : o;
}

/*
 * Removes names learned until then; later ones belong to a module or library that got the same handle before the
 * call that ended this one had returned, see ledger.h.
 */
static void drop_owner(struct xpt_names *n, struct life *l, struct owner *o, uint64_t until_ns)
{
	struct name *name, *next;

	for (name = LIST_FIRST(&o->names); name; name = next) {
		next = LIST_NEXT(name, of_owner);
		if (name->since_ns <= until_ns)
			drop_name(n, name);
	}
	if (!LIST_EMPTY(&o->names))
		return;
	xpt_hashmap__del(l->owners, &o->handle);
	free(o);
	n->nr_owners--;
}

static void forget_owner(struct xpt_names *n, struct life *l, uint64_t handle, uint64_t until_ns)
{
	struct owner *o = find_owner(l, handle), *root;

	if (!o)
		return;
	root = o->root != handle ? find_owner(l, o->root) : NULL;
	if (root)
		drop_owner(n, l, root, until_ns);
	drop_owner(n, l, o, until_ns);
}

/* --- lives -------------------------------------------------------------------------- */

static void put_life(struct xpt_names *n, struct life *l)
{
	const void *key;
	struct life *parent;
	size_t pos;
	void *val;

	for (; l && !--l->refs; l = parent) {
		parent = l->parent;
		n->nr_over -= l->is_over;
		for (pos = 0; l->owners && xpt_hashmap__next(l->owners, &pos, &key, &val);)
			drop_owner(n, l, *(struct owner **)val, UINT64_MAX);
		xpt_hashmap__free(l->owners);
		xpt_hashmap__free(l->names);
		free(l);
	}
}

static struct life *find_life(const struct xpt_names *n, const struct xpt_proc *proc)
{
	struct life **slot = xpt_hashmap__find(n->lives, &proc);

	return slot ? *slot : NULL;
}

static struct life *new_life(struct xpt_names *n)
{
	struct life *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->refs = 1;
	TAILQ_INIT(&l->bound);
	if (xpt_hashmap__new(sizeof(uint64_t), sizeof(struct name *), XPT_MAX_NAMES, &l->names) ||
	    xpt_hashmap__new(sizeof(uint64_t), sizeof(struct owner *), XPT_MAX_OWNERS,
			     &l->owners)) {
		put_life(n, l);
		return NULL;
	}
	return l;
}

/* Returns NULL if there is no room, and for process id 0, which stands for many processes. */
static struct life *get_life(struct xpt_names *n, const struct xpt_proc *proc)
{
	struct life *l = find_life(n, proc), **slot;

	if (l || !proc->pid)
		return l;
	l = new_life(n);
	slot = l ? xpt_hashmap__get(n->lives, &proc, NULL) : NULL;
	if (!slot) {
		put_life(n, l);
		++*n->evicted;
		return NULL;
	}
	return *slot = l;
}

static void disown_parent(struct xpt_names *n, struct life *l)
{
	struct life *parent = l->parent;

	l->parent = NULL;
	n->generation++;
	put_life(n, parent);
}

void xpt_names__forget(struct xpt_names *n, const struct xpt_proc *proc)
{
	struct life *l = find_life(n, proc);

	if (!l)
		return;
	xpt_hashmap__del(n->lives, &proc);
	n->generation++;
	l->is_over = true;
	n->nr_over++;
	put_life(n, l);
}

/* Ancestors that are over and have no names are skipped from now on, so that a chain of forks keeps none of them. */
static void skip_ended_ancestors(struct xpt_names *n, struct life *l)
{
	struct life *p;

	while ((p = l->parent) && p->is_over && !xpt_hashmap__len(p->names)) {
		l->parent = p->parent;
		l->fork_seq = p->fork_seq < l->fork_seq ? p->fork_seq : l->fork_seq;
		if (l->parent)
			l->parent->refs++;
		put_life(n, p);
	}
}

void xpt_names__fork(struct xpt_names *n, const struct xpt_proc *parent,
		     const struct xpt_proc *child)
{
	struct life *from = find_life(n, parent), *l;

	if (!from || parent == child || find_life(n, child))
		return;
	skip_ended_ancestors(n, from);
	if (from->parent)
		skip_ended_ancestors(n, from->parent);	/* the parent's own parent often ends a moment later */
	if (n->nr_over >= MAX_LIVES) {	/* of ancestors with names, which last until newer names need their room */
		++*n->evicted;
		return;
	}
	l = get_life(n, child);
	if (!l)
		return;
	l->parent = from;
	l->fork_seq = n->seq;
	from->refs++;
	n->generation++;
}

/* --- calls -------------------------------------------------------------------------- */

static bool read_value(const struct xpt_call *c, int i, uint64_t *ret_v)
{
	if (i < 0 || i >= c->nr_vals || !(c->valid >> i & 1) || !c->val[i])
		return false;
	*ret_v = c->val[i];
	return true;
}

/* A handle that came out and whose kernel is not known: whatever it was before. */
static void unname_handle(struct xpt_names *n, struct life *l, uint64_t handle)
{
	struct name *name = find_own(l, handle);

	if (name)
		drop_name(n, name);
	if (l->parent && find_name(l, handle))
		disown_parent(n, l);
}

/* The text that a call gives to a handle, as a reference; NULL: none is known. */
static struct xpt_name_text *text_of(struct xpt_names *n, const struct xpt_names_use *u,
				     const struct life *l, const struct xpt_call *c)
{
	struct name *known;
	uint64_t in;

	if (u->text)
		return c->str && c->str[0] ? xpt_name_text__get(n->texts, c->str) : NULL;
	known = read_value(c, u->in, &in) ? find_name(l, in) : NULL;
	return known ? xpt_name_text__ref(known->text) : NULL;
}

/* Returns the owner that the name gets: the one in the call, else that of a name known in this life. */
static struct owner *owner_of(struct xpt_names *n, const struct xpt_names_use *u, struct life *l,
			      const struct xpt_call *c, const struct name *known)
{
	uint64_t handle;

	if (read_value(c, u->owner, &handle))
		return root_owner(n, l, handle);
	return known ? known->owner : get_owner(n, l, 0);
}

static void learn_kernel(struct xpt_names *n, const struct xpt_names_use *u, struct life *l,
			 const struct xpt_call *c)
{
	struct xpt_name_text *text = text_of(n, u, l, c);
	const struct name *known;
	struct owner *o = NULL;
	uint64_t handle, in;

	if (!read_value(c, u->out >= 0 ? u->out : u->in, &handle))
		goto out;
	known = read_value(c, u->in, &in) ? find_own(l, in) : NULL;
	/* The call asked for a known name: by its handle, or an alias that is the same handle. */
	if (text && u->owner < 0 && known && known->handle == handle && known->text == text)
		goto out;
	if (text)
		o = owner_of(n, u, l, c, known);
	if (o) {
		set_name(n, l, handle, u->bound, o, text, c->start_ns + c->dur_ns);
		return;
	}
	if (u->out >= 0 || u->owner >= 0)
		unname_handle(n, l, handle);
out:
	if (text)
		xpt_name_text__put(n->texts, text);
}

/* cuLibraryGetModule: names looked up in the module are gone with the library. */
static void link_module(struct xpt_names *n, struct life *l, uint64_t module, uint64_t library)
{
	struct owner *root = root_owner(n, l, library), *o;

	if (!root || root->handle == module)
		return;
	o = get_owner(n, l, module);
	if (!o || o->root == root->handle)
		return;
	while (!LIST_EMPTY(&o->names))
		drop_name(n, LIST_FIRST(&o->names));
	o->root = root->handle;
}

static void learn_name(struct xpt_names *n, const struct xpt_names_use *u, const struct xpt_call *c)
{
	bool load = c->fn->cls == XPT_CLASS_LOAD, kernel = u->out >= 0 || (u->in >= 0 && u->text);
	uint64_t fresh, library;
	struct life *l = kernel || !load ? get_life(n, c->proc) : find_life(n, c->proc);

	if (!l)
		return;
	if (load && read_value(c, u->owner_out, &fresh))	/* its end was missed */
		forget_owner(n, l, fresh, UINT64_MAX);
	else if (load && u->ret_owner)
		forget_owner(n, l, (uint64_t)c->ret, UINT64_MAX);
	else if (read_value(c, u->owner_out, &fresh) && read_value(c, u->owner, &library))
		link_module(n, l, fresh, library);
	if (kernel)
		learn_kernel(n, u, l, c);
}

static void unload_module(struct xpt_names *n, const struct xpt_names_use *u, const struct xpt_call *c)
{
	struct life *l = find_life(n, c->proc);
	uint64_t handle;

	if (!l)
		return;
	if (!read_value(c, u->owner, &handle)) {
		xpt_names__forget(n, c->proc);
		return;
	}
	if (l->parent && !find_owner(l, handle))
		disown_parent(n, l);
	forget_owner(n, l, handle, c->start_ns);
	forget_owner(n, l, 0, c->start_ns);
}

/* The youngest context of that handle which was there at until_ns; NULL: none was seen. */
static struct context *context_at(struct life *l, uint64_t handle, uint64_t until_ns)
{
	struct context *found = NULL, *ctx;

	for (unsigned i = 0; handle && i < MAX_CONTEXTS; i++) {
		ctx = &l->context[i];
		if (ctx->handle == handle && ctx->since_ns <= until_ns &&
		    (!found || ctx->since_ns > found->since_ns))
			found = ctx;
	}
	return found;
}

/* A primary context is handed out again and again, and is one. */
static void begin_context(struct xpt_names *n, const struct xpt_names_use *u,
			  const struct xpt_call *c)
{
	struct life *l = get_life(n, c->proc);
	uint64_t handle;
	unsigned i;

	if (!l || !read_value(c, u->context, &handle) || !handle)
		return;
	if (c->fn->role_idx[XPT_ROLE_CURRENT] < 0 && context_at(l, handle, UINT64_MAX))
		return;
	for (i = 0; i < MAX_CONTEXTS && l->context[i].handle; i++)
		;
	if (i == MAX_CONTEXTS)
		i = l->next_context++ % MAX_CONTEXTS;
	l->context[i] = (struct context){ handle, n->seq, xpt_call__end_ns(c) };
}

/* Names that were learned before the context began belong to others. */
static void reset_names(struct xpt_names *n, const struct xpt_names_use *u, const struct xpt_call *c)
{
	struct life *l = find_life(n, c->proc);
	struct name *name, *before;
	struct context *ctx = NULL;
	uint64_t handle, since;

	if (!l)
		return;
	if (read_value(c, u->context, &handle))
		ctx = context_at(l, handle, c->start_ns);
	since = ctx ? ctx->seq : 0;
	if (ctx)
		*ctx = (struct context){ 0 };
	for (name = TAILQ_LAST(&l->bound, name_queue); name && name->seq > since; name = before) {
		before = TAILQ_PREV(name, name_queue, of_life);
		if (xpt_call__may_end(c, name->since_ns))
			drop_name(n, name);
	}
}

/* --- launches ----------------------------------------------------------------------- */

static struct xpt_name_text *resolve_name(struct xpt_names *n, const struct xpt_proc *proc,
					  uint64_t handle)
{
	struct cached *k = &n->cache[(handle >> 4 ^ handle >> 12 ^ (uintptr_t)proc >> 6) % CACHE];
	const struct name *name;
	const struct life *l;

	if (k->generation == n->generation && k->handle == handle && k->proc == proc)
		return k->text;
	l = find_life(n, proc);
	name = l ? find_name(l, handle) : NULL;
	*k = (struct cached){ proc, handle, n->generation, name ? name->text : NULL };
	return k->text;
}

static void name_launch(struct xpt_names *n, const struct xpt_names_use *u, struct xpt_call *c)
{
	struct xpt_name_text *text;

	if (u->in >= c->nr_vals || !(c->valid >> u->in & 1)) {
		c->kernel = c->kernel_short = "unknown";
		return;
	}
	if (xpt_name_texts__bytes(n->texts) > XPT_MAX_NAME_BYTES)
		make_room(n);
	text = resolve_name(n, c->proc, c->val[u->in]);
	if (text) {
		c->kernel = xpt_name_text__full(n->texts, text);
		c->kernel_short = xpt_name_text__brief(n->texts, text);
		return;
	}
	snprintf(n->unknown, sizeof(n->unknown), "unknown(0x%llx)",
		 (unsigned long long)c->val[u->in]);
	c->kernel = c->kernel_short = n->unknown;
}

void xpt_names__call(struct xpt_names *n, const struct xpt_names_use *u, struct xpt_call *c,
		     bool returned)
{
	bool done = returned && !(c->flags & XPT_CALL_FAILED);

	if (u->act == XPT_NAMES_LAUNCH)
		name_launch(n, u, c);
	else if (u->act == XPT_NAMES_LEARN && done)
		learn_name(n, u, c);
	else if (u->act == XPT_NAMES_CONTEXT && done)
		begin_context(n, u, c);
	/* These may return the error of an earlier call: the objects that they end are gone all the same. */
	else if (u->act == XPT_NAMES_UNLOAD && returned)
		unload_module(n, u, c);
	else if (u->act == XPT_NAMES_RESET && returned)
		reset_names(n, u, c);
}

/* --- the table ---------------------------------------------------------------------- */

int xpt_names__new(uint64_t *evicted, struct xpt_names **ret_n)
{
	struct xpt_names *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return -ENOMEM;
	n->evicted = evicted;
	n->generation = 1;
	TAILQ_INIT(&n->all);
	err = xpt_hashmap__new(sizeof(const struct xpt_proc *), sizeof(struct life *), MAX_LIVES,
			       &n->lives);
	if (!err)
		err = xpt_name_texts__new(XPT_MAX_NAMES, &n->texts);
	if (err)
		xpt_names__free(n);
	else
		*ret_n = n;
	return err;
}

void xpt_names__free(struct xpt_names *n)
{
	const void *key;
	size_t pos = 0;
	void *val;

	if (!n)
		return;
	while (n->lives && xpt_hashmap__next(n->lives, &pos, &key, &val))
		put_life(n, *(struct life **)val);
	xpt_hashmap__free(n->lives);
	xpt_name_texts__free(n->texts);
	free(n);
}
