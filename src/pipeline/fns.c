/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Function and library tables, see fns.h. Function ids are array indexes, so
 * that a call costs one look-up without hashing.
 */
#include "pipeline/calls/gpu_users.h"
#include "pipeline/fns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/domain/domain.h"
#include "model/domain/states.h"
#include "model/kernel/ioctl_table.h"
#include "model/value.h"
#include "model/vocab.h"
#include "pipeline/calls/capturing.h"
#include "pipeline/intern.h"

enum { STATES_TEXT = 2048 };	/* bytes of the names of all states of a kind */

struct xpt_fns {
	const char *states[XPT_KIND__MAX];	/* from META, as an enum's line (model/domain/sig.h); NULL: none */
	struct xpt_intern *pool, *paths;
	struct xpt_hashmap *libs;	/* uint32_t id -> struct xpt_lib * */
	struct xpt_fn_entry *fn[XPT_MAX_FNS];
};

int xpt_fns__new(struct xpt_intern *pool, struct xpt_intern *paths, struct xpt_fns **ret_fns)
{
	struct xpt_fns *fns = calloc(1, sizeof(*fns));
	int err;

	if (!fns)
		return -ENOMEM;
	err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_lib *), XPT_MAX_LIB_RECORDS,
			       &fns->libs);
	if (err) {
		free(fns);
		return err;
	}
	fns->pool = pool;
	fns->paths = paths;
	*ret_fns = fns;
	return 0;
}

void xpt_fns__free(struct xpt_fns *fns)
{
	const void *key;
	size_t pos = 0;
	void *val;
	unsigned i;

	if (!fns)
		return;
	while (xpt_hashmap__next(fns->libs, &pos, &key, &val))
		free(*(struct xpt_lib **)val);
	xpt_hashmap__free(fns->libs);
	for (i = 0; i < XPT_MAX_FNS; i++)
		free(fns->fn[i]);
	free(fns);
}

static struct xpt_lib *find_lib(const struct xpt_fns *fns, uint32_t id)
{
	struct xpt_lib **lib = xpt_hashmap__find(fns->libs, &id);

	return lib ? *lib : NULL;
}

/* Whether the record is that of the function that already has its id: records may be repeated. */
static bool same_fn(const struct xpt_fn_entry *f, const struct xpt_rec_fn *r,
		    const struct xpt_decoded *d)
{
	return strcmp(f->fn.name, d->str[0]) == 0 && strcmp(f->fn.domain_name, d->str[2]) == 0 &&
	       f->lib_id == r->lib && f->fn.cls == r->spec.cls && f->fn.ret == r->spec.ret &&
	       f->fn.nr_caps == r->spec.nr_caps &&
	       memcmp(f->fn.cap, r->spec.cap, r->spec.nr_caps * sizeof(r->spec.cap[0])) == 0;
}

/*
 * Sets the type of a value of an ioctl: ioctls have no signatures. For the names see engine/sources/ioctl_source.c.
 */
static void set_ioctl_type(const struct xpt_fn *fn, const char *name, struct xpt_cap_type *t)
{
	if (!strcmp(name, "device")) {
		t->kind = XPT_SIG_DEVICE;
	} else if (!strcmp(name, "cmd")) {
		t->kind = XPT_SIG_IOCTL;
	} else if (!strcmp(name, "status") && fn->domain && fn->domain->ioctls) {
		t->kind = XPT_SIG_ENUM;
		t->constants = fn->domain->ioctls->statuses;
	}
}

/* Appends a state to an enum's line. Its name comes from a traced program: blanks separate names there. */
static void add_state(struct xpt_strbuf *sb, unsigned value, const char *name, size_t n)
{
	if (!n)
		return;
	xpt_strbuf__addf(sb, " %u=", value);
	for (; n; n--, name++)
		xpt_strbuf__addc(sb, (unsigned char)*name > ' ' ? *name : '_');
}

/* Frees sb. Returns a copy of its text that lives as long as the pool, or NULL if it did not fit. */
static const char *keep_states(struct xpt_fns *fns, struct xpt_strbuf *sb)
{
	const char *kept = xpt_strbuf__err(sb) ? "" : xpt_intern__get(fns->pool, xpt_strbuf__str(sb));

	xpt_strbuf__free(sb);
	return *kept ? kept : NULL;
}

static const char *states_of_release(struct xpt_fns *fns, const struct xpt_fn *fn)
{
	const char *const *name = fn->domain ? xpt_states__names(fn->domain, fn->kind, 0) : NULL;
	struct xpt_strbuf sb;

	if (!name)
		return NULL;
	xpt_strbuf__init(&sb, STATES_TEXT);
	xpt_strbuf__add(&sb, "states -");
	for (unsigned i = 0; name[i]; i++)
		add_state(&sb, i, name[i], strlen(name[i]));
	return keep_states(fns, &sb);
}

static void set_state_types(struct xpt_fns *fns, struct xpt_fn *fn)
{
	const char *line;

	for (unsigned i = 0; i < fn->nr_caps; i++) {
		if (!xpt_role_is_state(fn->cap[i].role))
			continue;
		line = fn->kind < XPT_KIND__MAX && fns->states[fn->kind] ? fns->states[fn->kind] : states_of_release(fns, fn);
		if (!line)
			continue;
		fn->cap_type[i].kind = XPT_SIG_ENUM;
		fn->cap_type[i].constants = line;
	}
}

void xpt_fns__name_states(struct xpt_fns *fns, const char *kind, const char *names)
{
	struct xpt_strbuf sb;
	unsigned k = 0, i;

	while (k < XPT_KIND__MAX && strcmp(xpt_kind_name(k), kind) != 0)
		k++;
	if (k == XPT_KIND__MAX)
		return;
	xpt_strbuf__init(&sb, STATES_TEXT);
	xpt_strbuf__add(&sb, "states -");
	for (i = 0; i < XPT_STATES_MAX && *names; i++) {
		size_t n = strcspn(names, ",");

		add_state(&sb, i, names, n);
		names += n + (names[n] == ',');
	}
	fns->states[k] = keep_states(fns, &sb);
	for (i = 0; i < XPT_MAX_FNS; i++)
		if (fns->fn[i] && fns->fn[i]->fn.kind == k)
			set_state_types(fns, &fns->fn[i]->fn);
}

static void fill_caps(struct xpt_fns *fns, struct xpt_fn_entry *f, const struct xpt_wire_fn *spec,
		      const struct xpt_decoded *d)
{
	struct xpt_fn *fn = &f->fn;
	unsigned i;

	memset(fn->role_idx, -1, sizeof(fn->role_idx));
	fn->nr_caps = spec->nr_caps;
	for (i = 0; i < spec->nr_caps; i++) {
		fn->cap[i] = spec->cap[i];
		fn->cap_name[i] = xpt_intern__get(fns->pool, d->str[3 + i]);
		if (fn->domain)
			fn->cap_type[i] = xpt_sig__cap_type(fn->domain->sigs, fn->name,
							    &fn->cap[i], fn->cap_name[i]);
		if (fn->layer == XPT_LAYER_IOCTL)
			set_ioctl_type(fn, fn->cap_name[i], &fn->cap_type[i]);
		if (fn->role_idx[spec->cap[i].role] < 0)
			fn->role_idx[spec->cap[i].role] = (int8_t)i;
		if (xpt_cap_is_out(&spec->cap[i]))
			f->out_mask |= (uint16_t)(1u << i);
	}
	set_state_types(fns, fn);
}

bool xpt_fns__add(struct xpt_fns *fns, const struct xpt_decoded *d)
{
	const struct xpt_rec_fn *r = (const void *)d->rec;
	struct xpt_fn_entry *f = fns->fn[r->rec.fn];

	if (f)
		return same_fn(f, r, d);
	f = calloc(1, sizeof(*f));
	if (!f)
		return false;
	f->fn.id = r->rec.fn;
	f->fn.name = xpt_intern__get(fns->pool, d->str[0]);
	f->fn.base = xpt_intern__get(fns->pool, d->str[1]);
	if (!f->fn.base[0])
		f->fn.base = f->fn.name;
	f->fn.domain_name = xpt_intern__get(fns->pool, d->str[2]);
	f->fn.domain = xpt_domain__find(d->str[2]);
	f->fn.lib = find_lib(fns, r->lib);
	f->lib_id = r->lib;
	f->fn.layer = r->layer;
	f->fn.cls = r->spec.cls;
	f->fn.ret = r->spec.ret;
	f->fn.kind = r->spec.kind;
	fill_caps(fns, f, &r->spec, d);
	f->gpu = xpt_gpu_use_of(&f->fn);
	xpt_names__use(&f->fn, &f->names);
	f->capturing = (uint8_t)xpt_capturing__act(&f->fn);
	if (!f->fn.name[0]) {	/* no room for its name */
		free(f);
		return false;
	}
	fns->fn[r->rec.fn] = f;
	return true;
}

struct xpt_fn_entry *xpt_fns__get(const struct xpt_fns *fns, uint32_t id)
{
	return id < XPT_MAX_FNS ? fns->fn[id] : NULL;
}

const struct xpt_lib *xpt_fns__add_lib(struct xpt_fns *fns, const struct xpt_decoded *d)
{
	const struct xpt_rec_lib *r = (const void *)d->rec;
	struct xpt_lib **slot, *lib = find_lib(fns, r->id);
	unsigned i;

	if (!lib) {
		lib = calloc(1, sizeof(*lib));
		slot = lib ? xpt_hashmap__get(fns->libs, &r->id, NULL) : NULL;
		if (!slot) {
			free(lib);
			return NULL;
		}
		*slot = lib;
		lib->id = r->id;
		/* FN records of its functions may have come before it. */
		for (i = 0; i < XPT_MAX_FNS; i++) {
			if (fns->fn[i] && fns->fn[i]->lib_id == r->id)
				fns->fn[i]->fn.lib = lib;
		}
	}
	lib->nr_fns = r->nr_fns;
	lib->path = xpt_intern__get(fns->paths, d->str[0]);
	lib->build_id = xpt_intern__get(fns->paths, d->str[1]);
	return lib;
}

/* Whether the return value is a code that the domain's table of results has, and no number or address. */
static bool has_results(const struct xpt_fn *fn, int64_t code)
{
	if (!fn->domain || fn->ret == XPT_RET_STATUS)
		return fn->domain;
	if (fn->layer == XPT_LAYER_IOCTL && fn->ret != XPT_RET_ERR_PTR)
		return true;
	return (fn->layer == XPT_LAYER_DRIVER || fn->layer == XPT_LAYER_IOCTL) &&
	       (fn->ret == XPT_RET_NEGATIVE || fn->ret == XPT_RET_LONG ||
		(fn->ret == XPT_RET_ERR_PTR && code < 0 && code >= -4095));
}

const struct xpt_result *xpt_fns__result(struct xpt_fn_entry *f, int64_t code)
{
	if (!has_results(&f->fn, code))
		return NULL;
	/* Most calls of a function return the same value as the last one. */
	if (!f->cached || f->code != code) {
		f->result = xpt_domain__result(f->fn.domain, code);
		f->code = code;
		f->cached = true;
	}
	return f->result;
}
