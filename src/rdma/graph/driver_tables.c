// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tables in a module's data: every pointer to a function with the object that holds it (tables of driver
 * operations, classes of objects), and the tables of methods by which user space enters. The layouts below are
 * those of rdma/uverbs_ioctl.h of Linux 5.0 to 7.2; only fixed-size leading fields of them are used.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/graph/build.h"

enum {
	/* struct uapi_definition: u8 kind; u8 scope; u16 number; u8 is_ex:1 ...; handler */
	DEF_SIZE = 16, DEF_NUMBER = 2, DEF_FLAGS = 4, DEF_HANDLER = 8, DEF_KIND_WRITE = 2,
	DEF_FLAG_EX = 1,
	/* struct uverbs_object_def: u16 id; type_attrs; size_t num_methods; methods */
	OBJ_SIZE = 32, OBJ_TYPE = 8, OBJ_NR_METHODS = 16, OBJ_METHODS = 24, MAX_METHODS = 256,
	/* struct uverbs_method_def: u16 id; u32 flags; size_t num_attrs; attrs; handler */
	METHOD_SIZE = 32, METHOD_HANDLER = 24,
	MAX_OBJECT = 1 << 16,	/* bytes of an object of data that is looked at */
};

/* Operations of files with which calls begin, by name: the same since 4.14. */
static const struct {
	const char *module, *fn, *method;
} files[] = {
	{ "ib_uverbs", "ib_uverbs_open", "open" },
	{ "ib_uverbs", "ib_uverbs_mmap", "mmap" },
	{ "rdma_ucm", "ucma_open", "ucma_open" },
	{ "ib_umad", "ib_umad_open", "umad_open" },
};

/* A place in a section. */
struct spot {
	uint32_t sec;	/* 0: none */
	uint64_t offset;
};

static const struct xpt_mod_sym *syms_of(const struct xpt_rdma_bmod *m, uint32_t *ret_nr)
{
	return xpt_module__syms(m->src->mod, ret_nr);
}

static const struct xpt_mod_sec *sec_of(const struct xpt_rdma_bmod *m, uint32_t i)
{
	uint32_t nr;

	return &xpt_module__secs(m->src->mod, &nr)[i];
}

/* Where the pointer at a spot leads to; *ret_name: an undefined symbol's, else NULL. */
static struct spot follow_pointer(const struct xpt_rdma_bmod *m, struct spot at, const char **ret_name)
{
	const struct xpt_mod_rel *r = xpt_module__rel_from(m->src->mod, sec_of(m, at.sec), at.offset);
	const struct xpt_mod_sym *s;
	uint32_t nr;

	*ret_name = NULL;
	if (!r || r->offset != at.offset || r->type != R_X86_64_64)
		return (struct spot){ 0 };
	s = &syms_of(m, &nr)[r->sym];
	if (!s->sec)
		*ret_name = s->name;
	return (struct spot){ .sec = s->sec, .offset = s->value + (uint64_t)r->addend };
}

/* The function whose address is at a spot; XPT_RDMA_NONE. */
static uint32_t fn_pointer(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m, struct spot at)
{
	const struct xpt_rdma_range *range;
	const char *name;
	struct spot to = follow_pointer(m, at, &name);
	uint32_t fn, *global;
	uint64_t key;

	if (name) {
		key = xpt_hash(name, strlen(name));
		global = xpt_hashmap__find(b->globals, &key);
		return global ? *global : XPT_RDMA_NONE;
	}
	fn = to.sec ? xpt_rdma__fn_at(m, to.sec, to.offset, &range) : XPT_RDMA_NONE;
	return fn != XPT_RDMA_NONE && range->start == to.offset && !range->cold ? fn : XPT_RDMA_NONE;
}

static bool has_bytes(const struct xpt_rdma_bmod *m, struct spot at, uint64_t n)
{
	const struct xpt_mod_sec *s = sec_of(m, at.sec);

	return at.sec && s->data && at.offset <= s->size && n <= s->size - at.offset;
}

static uint64_t read_number(const struct xpt_rdma_bmod *m, struct spot at, unsigned field, unsigned n)
{
	const uint8_t *p = sec_of(m, at.sec)->data + at.offset + field;
	uint64_t v = 0;

	memcpy(&v, p, n);	/* as little endian as the modules are */
	return v;
}

static struct spot add_bytes(struct spot at, uint64_t n)
{
	return (struct spot){ .sec = at.sec, .offset = at.offset + n };
}

static int add_pointer(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m, const struct xpt_mod_sym *s,
		       uint64_t offset, uint32_t fn)
{
	int err = xpt_rdma__grow((void **)&b->pointers, b->nr_pointers, &b->cap_pointers,
				 sizeof(*b->pointers));

	if (!err)
		b->pointers[b->nr_pointers++] = (struct xpt_rdma_pointer){
			.size = s->size, .offset = offset, .start = s->value, .fn = fn,
			.mod = (uint32_t)(m - b->mods), .sec = s->sec };
	return err;
}

int xpt_rdma__pointers(struct xpt_rdma_build *b, struct xpt_rdma_bmod *m)
{
	uint32_t nr_syms, nr_rels, i;
	const struct xpt_mod_sym *syms = syms_of(m, &nr_syms);
	const struct xpt_mod_rel *rels = xpt_module__rels(m->src->mod, &nr_rels);
	int err = 0;

	for (i = 0; i < nr_syms && !err; i++) {
		const struct xpt_mod_sym *s = &syms[i];
		const struct xpt_mod_rel *r;

		if (s->type != STT_OBJECT || !s->sec || !s->size || s->size > MAX_OBJECT ||
		    (strncmp(sec_of(m, s->sec)->name, ".rodata", 7) &&
		     strncmp(sec_of(m, s->sec)->name, ".data", 5)))
			continue;
		r = xpt_module__rel_from(m->src->mod, sec_of(m, s->sec), s->value);
		for (; r && r < rels + nr_rels && r->offset >= s->value &&
		     r->offset - s->value < s->size && !err; r++) {
			struct spot at = { .sec = s->sec, .offset = r->offset };
			uint32_t fn = fn_pointer(b, m, at);

			if (fn != XPT_RDMA_NONE)
				err = add_pointer(b, m, s, r->offset - s->value, fn);
			/* The next section's relocations may lie after the last of this one. */
			if (r + 1 == rels + sec_of(m, s->sec)->first_rel + sec_of(m, s->sec)->nr_rels)
				break;
		}
	}
	return err;
}

/* UVERBS_METHOD_REG_DMABUF_MR, MLX5_IB_METHOD_DEVX_OBJ_CREATE: returns the text after METHOD_. */
static const char *skip_mark(const char *name, const char *mark)
{
	const char *at = strstr(name, mark);

	return at && at[strlen(mark)] ? at + strlen(mark) : name;
}

static int add_root(struct xpt_rdma_build *b, const char *name, const char *object,
		    const struct xpt_rdma_root *root)
{
	struct xpt_rdma_graph *g = b->g;
	int64_t n = xpt_rdma__text(b, name), o = xpt_rdma__text(b, object);
	int err = xpt_rdma__grow((void **)&g->roots, g->nr_roots, &b->cap_roots, sizeof(*g->roots));

	if (n < 0 || o < 0)
		return (int)(n < 0 ? n : o);
	if (err)
		return err;
	g->roots[g->nr_roots] = *root;
	g->roots[g->nr_roots].name = (uint32_t)n;
	g->roots[g->nr_roots++].object = (uint32_t)o;
	return 0;
}

/* The table of write() commands: names are those of the handlers. */
static int write_table(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m,
		       const struct xpt_mod_sym *s)
{
	struct spot at = { .sec = s->sec, .offset = s->value };
	uint64_t i;
	int err = 0;

	for (i = 0; i < s->size / DEF_SIZE && !err && has_bytes(m, at, DEF_SIZE);
	     i++, at = add_bytes(at, DEF_SIZE)) {
		struct xpt_rdma_root r = { .module = (uint16_t)(m - b->mods) };
		char name[128];

		r.fn = fn_pointer(b, m, add_bytes(at, DEF_HANDLER));
		if (r.fn == XPT_RDMA_NONE || read_number(m, at, 0, 1) != DEF_KIND_WRITE)
			continue;
		r.number = (uint32_t)read_number(m, at, DEF_NUMBER, 2);
		r.route = read_number(m, at, DEF_FLAGS, 1) & DEF_FLAG_EX ? XPT_RDMA_WRITE_EX :
								      XPT_RDMA_WRITE;
		snprintf(name, sizeof(name), "%s",
			 skip_mark(xpt_rdma_fn_name(b->g, r.fn), "ib_uverbs_"));
		err = add_root(b, name, "", &r);
	}
	return err;
}

static int by_symbol(const void *x, const void *y)
{
	const struct xpt_mod_sym *const *a = x, *const *b = y;

	if ((*a)->sec != (*b)->sec)
		return (*a)->sec < (*b)->sec ? -1 : 1;
	return ((*a)->value > (*b)->value) - ((*a)->value < (*b)->value);
}

/* Objects of data by place, to name the object that a pointer leads to. */
struct objects {
	const struct xpt_mod_sym **sym;
	uint32_t nr;
};

static int list_objects(const struct xpt_rdma_bmod *m, struct objects *ret_o)
{
	uint32_t nr, i;
	const struct xpt_mod_sym *syms = syms_of(m, &nr);
	struct objects o = { .sym = calloc((size_t)nr + 1, sizeof(*o.sym)) };

	if (!o.sym)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (syms[i].type == STT_OBJECT && syms[i].sec && syms[i].size)
			o.sym[o.nr++] = &syms[i];
	qsort(o.sym, o.nr, sizeof(*o.sym), by_symbol);
	*ret_o = o;
	return 0;
}

static const struct xpt_mod_sym *object_at(const struct objects *o, struct spot at)
{
	const struct xpt_mod_sym key = { .sec = at.sec, .value = at.offset }, *k = &key;
	const struct xpt_mod_sym **found;

	found = bsearch(&k, o->sym, o->nr, sizeof(*o->sym), by_symbol);
	return found ? *found : NULL;
}

static int add_extra(struct xpt_rdma_build *b, uint32_t fn)
{
	struct xpt_rdma_graph *g = b->g;
	int err = xpt_rdma__grow((void **)&g->extras, g->nr_extras, &b->cap_extras,
				 sizeof(*g->extras));

	if (!err)
		g->extras[g->nr_extras++] = fn;
	return err;
}

/* Adds the functions that the class of an object has: they destroy objects of it. */
static int class_functions(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m,
			   const struct objects *o, struct spot object, struct xpt_rdma_root *r)
{
	const char *name;
	struct spot type = follow_pointer(m, add_bytes(object, OBJ_TYPE), &name);
	const struct xpt_mod_sym *s = type.sec ? object_at(o, type) : NULL;
	uint64_t i;
	int err = 0;

	r->first_extra = b->g->nr_extras;
	for (i = 0; s && i + 8 <= s->size && i < 256 && has_bytes(m, add_bytes(type, i), 8) && !err; i += 8) {
		uint32_t fn = fn_pointer(b, m, add_bytes(type, i));

		if (fn != XPT_RDMA_NONE)
			err = add_extra(b, fn);
	}
	r->nr_extra = b->g->nr_extras - r->first_extra;
	return err;
}

static int object_method(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m,
			 const struct objects *o, const char *object, struct spot at,
			 struct xpt_rdma_root r)
{
	const struct xpt_mod_sym *s = at.sec ? object_at(o, at) : NULL;

	if (!s || !has_bytes(m, at, METHOD_SIZE) || s->size < METHOD_SIZE)
		return 0;
	r.number = (uint32_t)read_number(m, at, 0, 2);
	r.fn = fn_pointer(b, m, add_bytes(at, METHOD_HANDLER));
	if (r.fn == XPT_RDMA_NONE)
		return 0;
	return add_root(b, skip_mark(s->name, "METHOD_"), object, &r);
}

static int object_methods(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m,
			  const struct objects *o, const struct xpt_mod_sym *s)
{
	struct spot at = { .sec = s->sec, .offset = s->value }, list;
	struct xpt_rdma_root r = { .route = XPT_RDMA_IOCTL, .module = (uint16_t)(m - b->mods) };
	const char *name, *object = skip_mark(s->name, "OBJECT_");
	uint64_t i, nr;
	int err;

	if (!has_bytes(m, at, OBJ_SIZE))
		return 0;
	nr = read_number(m, at, OBJ_NR_METHODS, 8);
	list = follow_pointer(m, add_bytes(at, OBJ_METHODS), &name);
	r.object_id = (uint32_t)read_number(m, at, 0, 2);
	err = class_functions(b, m, o, at, &r);
	for (i = 0; list.sec && i < nr && i < MAX_METHODS && !err; i++) {
		struct spot entry = add_bytes(list, i * 8);

		if (has_bytes(m, entry, 8))
			err = object_method(b, m, o, object, follow_pointer(m, entry, &name), r);
	}
	return err;
}

/*
 * Commands of the connection manager: an array of handlers, by number. That which waits for
 * events takes as long as these take to come.
 */
static int cm_table(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m, const struct xpt_mod_sym *s)
{
	struct spot at = { .sec = s->sec, .offset = s->value };
	uint32_t i;
	int err = 0;

	for (i = 0; i < s->size / 8 && i < MAX_METHODS && !err && has_bytes(m, at, 8); i++, at = add_bytes(at, 8)) {
		struct xpt_rdma_root r = { .module = (uint16_t)(m - b->mods), .route = XPT_RDMA_CM, .number = i };
		char name[128];

		r.fn = fn_pointer(b, m, at);
		if (r.fn == XPT_RDMA_NONE)
			continue;
		snprintf(name, sizeof(name), "%s", xpt_rdma_fn_name(b->g, r.fn));
		if (strcmp(name, "ucma_get_event"))
			err = add_root(b, name, "", &r);
	}
	return err;
}

static int file_roots(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m)
{
	struct xpt_rdma_root r = { .module = (uint16_t)(m - b->mods), .route = XPT_RDMA_FILE };
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++) {
		if (strcmp(files[i].module, m->src->name))
			continue;
		r.fn = xpt_rdma_graph__find(b->g, files[i].fn);
		if (r.fn != XPT_RDMA_NONE && b->g->fns[r.fn].module == r.module)
			err = add_root(b, files[i].method, "", &r);
	}
	return err;
}

int xpt_rdma__roots(struct xpt_rdma_build *b, struct xpt_rdma_bmod *m)
{
	struct objects o = { 0 };
	uint32_t i;
	int err = list_objects(m, &o);

	for (i = 0; !err && i < o.nr; i++) {
		const struct xpt_mod_sym *s = o.sym[i];

		if (!strcmp(s->name, "uverbs_def_write_intf"))
			err = write_table(b, m, s);
		else if (!strcmp(s->name, "ucma_cmd_table"))
			err = cm_table(b, m, s);
		else if (s->size == OBJ_SIZE && strstr(s->name, "_object_") && s->name[0] != '_')
			err = object_methods(b, m, &o, s);
	}
	free(o.sym);
	return err ? err : file_roots(b, m);
}
