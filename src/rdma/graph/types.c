// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See types.h. libbpf parses BTF; names of functions and structs are put into
 * a table once, because libbpf looks them up one by one.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "rdma/graph/types.h"

enum { MAX_DEPTH = 32, MAX_NAMES = 1 << 20 };

struct named {
	uint32_t id, nr;
};

struct xpt_types {
	struct btf *btf;
	const struct xpt_types *base;
	struct xpt_hashmap *funcs, *structs;	/* hash of the name: struct named */
};

static const struct btf_type *find_type(const struct xpt_types *t, uint32_t id)
{
	return id ? btf__type_by_id(t->btf, id) : NULL;
}

static const char *name_of(const struct xpt_types *t, const struct btf_type *ty)
{
	const char *s = ty ? btf__name_by_offset(t->btf, ty->name_off) : NULL;

	return s ? s : "";
}

const char *xpt_types__name(const struct xpt_types *t, uint32_t id)
{
	return name_of(t, find_type(t, id));
}

static int add_name(struct xpt_hashmap *map, const char *name, uint32_t id)
{
	uint64_t key = xpt_hash(name, strlen(name));
	struct named *n = xpt_hashmap__get(map, &key, NULL);

	if (!n)
		return -ENOMEM;
	if (!n->nr++)
		n->id = id;
	return 0;
}

static int index_names(struct xpt_types *t, uint32_t first)
{
	uint32_t id, nr = btf__type_cnt(t->btf);
	int err = 0;

	for (id = first; id < nr && !err; id++) {
		const struct btf_type *ty = find_type(t, id);
		const char *name = name_of(t, ty);

		if (!ty || !*name)
			continue;
		if (btf_is_func(ty))
			err = add_name(t->funcs, name, id);
		else if (btf_is_composite(ty))
			err = add_name(t->structs, name, id);
	}
	return err;
}

/* libbpf 1.1 does not export btf__new_split(): the same by a file in memory. */
static struct btf *parse_btf(const void *data, size_t n, struct btf *base)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);
	struct btf *btf = NULL;
	size_t at = 0;
	char path[64];
	ssize_t put;

	if (fd < 0)
		return NULL;
	for (put = 1; at < n && put > 0; at += put > 0 ? (size_t)put : 0)
		put = write(fd, (const char *)data + at, n - at);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (at == n)
		btf = btf__parse_raw_split(path, base);
	close(fd);
	return btf;
}

int xpt_types__new(const void *data, size_t n, struct xpt_types *base, struct xpt_types **ret_t)
{
	struct xpt_types *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->base = base;
	if (!n || n > UINT32_MAX)
		err = -EINVAL;
	else
		err = xpt_hashmap__new(8, sizeof(struct named), MAX_NAMES, &t->funcs);
	if (!err)
		err = xpt_hashmap__new(8, sizeof(struct named), MAX_NAMES, &t->structs);
	if (!err) {
		t->btf = parse_btf(data, n, base ? base->btf : NULL);
		err = t->btf ? 0 : errno == ENOMEM ? -ENOMEM : -EINVAL;
	}
	if (!err)
		err = index_names(t, base ? btf__type_cnt(base->btf) : 1);
	if (err)
		xpt_types__free(t);
	else
		*ret_t = t;
	return err;
}

void xpt_types__free(struct xpt_types *t)
{
	if (!t)
		return;
	btf__free(t->btf);
	xpt_hashmap__free(t->funcs);
	xpt_hashmap__free(t->structs);
	free(t);
}

static uint32_t lookup_name(const struct xpt_types *t, bool func, const char *name)
{
	uint64_t key = xpt_hash(name, strlen(name));

	for (; t; t = t->base) {
		const struct named *n = xpt_hashmap__find(func ? t->funcs : t->structs, &key);

		if (n && !strcmp(xpt_types__name(t, n->id), name))
			return n->id;
	}
	return 0;
}

uint32_t xpt_types__struct(const struct xpt_types *t, const char *name)
{
	return lookup_name(t, false, name);
}

unsigned xpt_types__nr_funcs(const struct xpt_types *t, const char *name)
{
	uint64_t key = xpt_hash(name, strlen(name));
	const struct named *n = t ? xpt_hashmap__find(t->funcs, &key) : NULL;

	return n ? n->nr : 0;
}

/* Without typedefs and qualifiers; NULL: void, or nonsense. */
static const struct btf_type *strip_type(const struct xpt_types *t, uint32_t id, uint32_t *ret_id)
{
	const struct btf_type *ty = find_type(t, id);
	int depth;

	for (depth = 0; ty && depth < MAX_DEPTH; depth++) {
		if (!btf_is_mod(ty) && !btf_is_typedef(ty)) {
			*ret_id = id;
			return ty;
		}
		id = ty->type;
		ty = find_type(t, id);
	}
	return NULL;
}

/* A forward declaration stands for the struct of that name, where it is known. */
static uint32_t whole_struct(const struct xpt_types *t, const struct btf_type *ty, uint32_t id)
{
	if (!ty)
		return 0;
	if (btf_is_fwd(ty))
		return lookup_name(t, false, name_of(t, ty));
	return btf_is_composite(ty) ? id : 0;
}

static uint32_t find_pointee(const struct xpt_types *t, const struct btf_type *ptr)
{
	uint32_t id = 0;
	const struct btf_type *to = strip_type(t, ptr->type, &id);

	return whole_struct(t, to, id);
}

/* bool is a typedef of _Bool; older compilers call it __bool. */
static enum xpt_rdma_ret classify_result(const struct xpt_types *t, uint32_t id)
{
	const struct btf_type *ty = strip_type(t, id, &id);
	uint8_t enc;

	if (!ty)
		return XPT_RDMA_RET_VOID;
	if (btf_is_ptr(ty))
		return XPT_RDMA_RET_POINTER;
	if (btf_is_any_enum(ty))
		return XPT_RDMA_RET_ENUM;
	if (!btf_is_int(ty))
		return XPT_RDMA_RET_OTHER;
	enc = btf_int_encoding(ty);
	if (enc & BTF_INT_BOOL)
		return XPT_RDMA_RET_BOOL;
	if (!(enc & BTF_INT_SIGNED))
		return ty->size > 4 ? XPT_RDMA_RET_ULONG : XPT_RDMA_RET_UNSIGNED;
	return ty->size > 4 ? XPT_RDMA_RET_LONG : XPT_RDMA_RET_INT;
}

/* Adds kind and name of a type, for the signature: the type that it points to counts one level deep. */
static uint64_t mix_type(const struct xpt_types *t, uint32_t id, uint64_t sig)
{
	struct { uint64_t sig, name; uint32_t kind, size; } m = { .sig = sig };
	const struct btf_type *ty = strip_type(t, id, &id);
	const char *name;

	if (ty && btf_is_ptr(ty)) {
		m.size = 1u << 31;
		ty = strip_type(t, ty->type, &id);
	}
	if (ty) {
		m.kind = btf_is_fwd(ty) ? (btf_kflag(ty) ? BTF_KIND_UNION : BTF_KIND_STRUCT) :
			 btf_kind(ty);
		m.size |= btf_is_int(ty) || btf_is_any_enum(ty) ? ty->size : 0;
		name = btf_is_int(ty) ? "" : name_of(t, ty);
		m.name = xpt_hash(name, strlen(name));
	}
	return xpt_hash(&m, sizeof(m));
}

static bool read_proto(const struct xpt_types *t, uint32_t id, struct xpt_proto *p)
{
	const struct btf_type *ty = strip_type(t, id, &id), *ret;
	const struct btf_param *arg;
	uint32_t i, n, rid = 0;

	if (!ty || !btf_is_func_proto(ty))
		return false;
	n = btf_vlen(ty);
	arg = btf_params(ty);
	memset(p, 0, sizeof(*p));
	p->id = id;
	p->varargs = n && !arg[n - 1].type;
	n -= p->varargs;
	p->nr_args = n < XPT_ARGS_UNKNOWN ? (uint8_t)n : XPT_ARGS_UNKNOWN - 1;
	p->ret = (uint8_t)classify_result(t, ty->type);
	ret = strip_type(t, ty->type, &rid);
	if (ret && btf_is_ptr(ret))
		p->ret_struct = find_pointee(t, ret);
	p->sig = mix_type(t, ty->type, n);
	for (i = 0; i < n; i++)
		p->sig = mix_type(t, arg[i].type, p->sig);
	return true;
}

bool xpt_types__func(const struct xpt_types *t, const char *name, struct xpt_proto *ret_proto)
{
	uint32_t id = t ? lookup_name(t, true, name) : 0;
	const struct btf_type *ty = id ? find_type(t, id) : NULL;

	return ty && btf_is_func(ty) && read_proto(t, ty->type, ret_proto);
}

bool xpt_types__proto(const struct xpt_types *t, uint32_t id, struct xpt_proto *ret_proto)
{
	return t && read_proto(t, id, ret_proto);
}

/* Argument i, if it is a pointer in a register; else NULL. */
static const struct btf_type *pointer_arg(const struct xpt_types *t, uint32_t proto, unsigned i)
{
	const struct btf_type *ty = find_type(t, proto), *arg = NULL;
	uint32_t id = 0;
	unsigned k;

	if (!ty || !btf_is_func_proto(ty) || i >= btf_vlen(ty) || i >= 6)
		return NULL;
	for (k = 0; k <= i; k++) {
		arg = strip_type(t, btf_params(ty)[k].type, &id);

		/* A struct by value takes two registers or none. */
		if (!arg || !(btf_is_int(arg) || btf_is_ptr(arg) || btf_is_any_enum(arg)))
			return NULL;
	}
	return btf_is_ptr(arg) ? arg : NULL;
}

uint32_t xpt_types__arg_struct(const struct xpt_types *t, uint32_t proto, unsigned i)
{
	const struct btf_type *arg = pointer_arg(t, proto, i);

	return arg ? find_pointee(t, arg) : 0;
}

uint32_t xpt_types__arg_fn(const struct xpt_types *t, uint32_t proto, unsigned i)
{
	const struct btf_type *arg = pointer_arg(t, proto, i);
	struct xpt_proto p;

	return arg && read_proto(t, arg->type, &p) ? p.id : 0;
}

static bool fill_member(const struct xpt_types *t, uint32_t in, const struct btf_member *m,
			uint32_t at, const struct btf_type *ptr, struct xpt_member *out)
{
	const struct btf_type *s = find_type(t, in);

	if (read_proto(t, ptr->type, &out->proto)) {
		out->kind = XPT_MEMBER_FN_PTR;
		out->id = in;
		out->offset = at;
		out->size = s->size;
		out->name = btf__name_by_offset(t->btf, m->name_off);
		out->name = out->name ? out->name : "";
		return true;
	}
	out->id = find_pointee(t, ptr);
	out->kind = out->id ? XPT_MEMBER_STRUCT_PTR : XPT_MEMBER_NONE;
	return out->id != 0;
}

/* Finds element types of arrays, down to a type that is no array; *offset becomes the offset in an element. */
static const struct btf_type *find_element(const struct xpt_types *t, const struct btf_type *ty,
					   uint32_t *id, uint32_t *offset)
{
	int depth;

	for (depth = 0; ty && btf_is_array(ty) && depth < MAX_DEPTH; depth++) {
		int64_t size = btf__resolve_size(t->btf, btf_array(ty)->type);

		if (size <= 0 || size > INT32_MAX)
			return NULL;
		*offset %= (uint32_t)size;
		ty = strip_type(t, btf_array(ty)->type, id);
	}
	return ty;
}

static bool find_member(const struct xpt_types *t, uint32_t id, uint32_t offset, int *budget,
			int depth, struct xpt_member *out)
{
	const struct btf_type *s = find_type(t, id);
	const struct btf_member *m;
	uint32_t i;

	if (!s || !btf_is_composite(s) || depth > MAX_DEPTH)
		return false;
	m = btf_members(s);
	for (i = 0; i < btf_vlen(s) && *budget > 0; i++, m++) {
		uint32_t bits = btf_member_bit_offset(s, i), at = bits / 8, inner = 0, rest;
		const struct btf_type *ty;
		int64_t size;

		--*budget;
		if (bits % 8 || btf_member_bitfield_size(s, i) || at > offset)
			continue;
		size = btf__resolve_size(t->btf, m->type);
		if (size <= 0 || (uint64_t)(offset - at) >= (uint64_t)size)
			continue;
		rest = offset - at;
		ty = find_element(t, strip_type(t, m->type, &inner), &inner, &rest);
		if (!ty)
			continue;
		if (btf_is_ptr(ty) && !rest && fill_member(t, id, m, offset, ty, out))
			return true;
		if (btf_is_composite(ty) && find_member(t, inner, rest, budget, depth + 1, out))
			return true;
	}
	return false;
}

void xpt_types__member(const struct xpt_types *t, uint32_t id, uint32_t offset,
		       struct xpt_member *ret_m)
{
	int budget = 1 << 14;

	memset(ret_m, 0, sizeof(*ret_m));
	if (!find_member(t, id, offset, &budget, 0, ret_m))
		memset(ret_m, 0, sizeof(*ret_m));
}

const char *xpt_rdma_ret_name(enum xpt_rdma_ret ret)
{
	static const char *const names[XPT_RDMA_NR_RETS] = {
		[XPT_RDMA_RET_UNKNOWN] = "unknown", [XPT_RDMA_RET_VOID] = "void", [XPT_RDMA_RET_INT] = "int",
		[XPT_RDMA_RET_LONG] = "long", [XPT_RDMA_RET_UNSIGNED] = "unsigned", [XPT_RDMA_RET_BOOL] = "bool",
		[XPT_RDMA_RET_ENUM] = "enum", [XPT_RDMA_RET_POINTER] = "pointer", [XPT_RDMA_RET_OTHER] = "other",
		[XPT_RDMA_RET_ULONG] = "unsigned long",
	};

	return ret < XPT_RDMA_NR_RETS ? names[ret] : "unknown";
}
