// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the way from a pointer through structs to a member, by type information (BTF): "f_path.dentry->d_name.name"
 * as steps that a hook's program takes.
 */
#include "base/numbers/bit_field.h"
#include "kernel/kbtf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 16		/* structs without a name in structs */
#define MEMBER_MAX 64

struct member {
	uint64_t bit;		/* from the begin of the struct */
	uint32_t type;
	uint32_t bits;		/* of a bit field, 0: it is none */
};

static bool find_member(const struct btf *btf, const struct btf_type *t, const char *name, unsigned depth,
			struct member *ret_m)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *own = btf__name_by_offset(btf, m->name_off);
		const struct btf_type *inner;
		uint32_t bit = btf_member_bit_offset(t, i);

		if (own && own[0]) {
			if (strcmp(own, name) != 0)
				continue;
			*ret_m = (struct member){ bit, m->type, btf_member_bitfield_size(t, i) };
			return true;
		}
		inner = xpt_kbtf__real(btf, m->type);
		if (inner && btf_is_composite(inner) && depth < MAX_DEPTH &&
		    find_member(btf, inner, name, depth + 1, ret_m)) {
			ret_m->bit += bit;
			return true;
		}
	}
	return false;
}

static int explain_failure(char *why, size_t n, const char *fmt, const char *name)
{
	snprintf(why, n, fmt, name);
	return -ENOENT;
}

/* A bit field of type t: as many bits as it has, of the bytes that they lie in. */
static int put_bits(const struct member *m, const struct btf_type *t, const char *name, uint32_t off, struct xpt_kway *way,
		    char *why, size_t n)
{
	bool is_signed = btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED;
	struct xpt_bit_field f;

	if (!xpt_bit_field__find(m->bit % 8, m->bits, &f))
		return explain_failure(why, n, "%.60s is a bit field that does not lie within eight bytes", name);
	way->step[way->nr++] = (struct xpt_kway_step){ .off = off, .width = (uint8_t)(f.width | (is_signed ? 0x80 : 0)),
						       .bit = f.at, .bits = f.bits };
	return 0;
}

/* Appends the step of the last member: the read of its value, or its address if it is an array. */
static int put_last(const struct btf *btf, const struct member *m, const char *name, uint32_t off,
		    struct xpt_kway *way, char *why, size_t n)
{
	const struct btf_type *t = xpt_kbtf__real(btf, m->type);
	struct xpt_kway_step *s = &way->step[way->nr];

	if (!t)
		return explain_failure(why, n, "%.60s is of no type that is known", name);
	if (m->bits)
		return put_bits(m, t, name, off, way, why, n);
	if (btf_is_composite(t))
		return explain_failure(why, n, "%.60s is a struct: name a member of it", name);
	s->off = off;
	s->width = s->bit = s->bits = 0;
	if (btf_is_ptr(t))
		s->width = 8;
	else if ((btf_is_int(t) || btf_is_any_enum(t)) && (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8))
		s->width = (uint8_t)(t->size | (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED ? 0x80 : 0));
	else if (!btf_is_array(t))
		return explain_failure(why, n, "%.60s is no number", name);
	way->nr++;
	return 0;
}

/* The struct that a pointer of that type leads to; NULL: none. */
static const struct btf_type *pointed_struct(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = xpt_kbtf__real(btf, id);

	t = t && btf_is_ptr(t) ? xpt_kbtf__real(btf, t->type) : NULL;
	return t && btf_is_composite(t) ? t : NULL;
}

/* Copies a word of the path up to '.', "->" or its end. Returns the rest. */
static const char *cut_word(const char *path, char *name)
{
	size_t n = strcspn(path, ".-");

	snprintf(name, MEMBER_MAX, "%.*s", (int)(n < MEMBER_MAX ? n : MEMBER_MAX - 1), path);
	return path + n;
}

static int walk_path(const struct btf *btf, uint32_t type, const char *path, struct xpt_kway *way, char *why, size_t n)
{
	const struct btf_type *t = pointed_struct(btf, type);
	uint32_t off = 0;
	struct member m;
	char name[MEMBER_MAX];

	if (!t)
		return explain_failure(why, n, "%.60s: what it belongs to is no pointer to a struct", path);
	for (;;) {
		path = cut_word(path, name);
		if (!find_member(btf, t, name, 0, &m))
			return explain_failure(why, n, "there is no member '%.60s'", name);
		off += (uint32_t)(m.bit / 8);
		if (!*path)
			return put_last(btf, &m, name, off, way, why, n);
		t = *path == '.' ? xpt_kbtf__real(btf, m.type) : pointed_struct(btf, m.type);
		if (m.bits || !t || !btf_is_composite(t))
			return explain_failure(why, n, "%.60s leads to no struct", name);
		path += *path == '.' ? 1 : 2;
		if (path[-1] == '.')
			continue;
		if (way->nr + 1 >= XPT_KWAY_STEPS)
			return explain_failure(why, n, "%.60s: too far", name);
		way->step[way->nr++] = (struct xpt_kway_step){ .off = off, .width = 8 };
		off = 0;
	}
}

int xpt_kbtf__way(const struct btf *btf, uint32_t id, const char *param, int nr, const char *path,
		  struct xpt_kway *ret_way, char *why, size_t n)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	const struct btf_param *p;
	unsigned i, words;

	t = t && btf_is_func(t) ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t))
		return explain_failure(why, n, "%.60s: the function's type is not known", path);
	p = btf_params(t);
	words = btf_vlen(t);
	for (i = 0; i < words; i++) {
		const char *name = btf__name_by_offset(btf, p[i].name_off);

		if (nr >= 0 ? (int)i == nr : name && !strcmp(name, param))
			break;
	}
	if (i == words || i >= XPT_MAX_VALS)
		return explain_failure(why, n, "%.60s: there is no such argument", param);
	ret_way->nr = 0;
	ret_way->arg = (uint8_t)i;
	return walk_path(btf, p[i].type, path, ret_way, why, n);
}

const struct btf_type *xpt_kbtf__struct(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	return id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
}

bool xpt_kbtf__field(const struct btf *btf, const struct btf_type *t, const char *path, struct xpt_kfield *ret_f)
{
	struct member m = { 0 };
	char word[MEMBER_MAX];
	uint32_t off = 0;
	int64_t size;

	for (;; path++) {
		path = cut_word(path, word);
		if (!t || !btf_is_composite(t) || !find_member(btf, t, word, 0, &m) || m.bits)
			return false;
		off += (uint32_t)(m.bit / 8);
		if (*path != '.')
			break;
		t = xpt_kbtf__real(btf, m.type);
	}
	size = btf__resolve_size(btf, m.type);
	if (*path || size <= 0 || size > UINT32_MAX)
		return false;
	*ret_f = (struct xpt_kfield){ off, (uint32_t)size };
	return true;
}

const char *xpt_kbtf__pointee(const struct btf *btf, uint32_t id, unsigned i)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	t = t && btf_is_func(t) ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t) || i >= btf_vlen(t))
		return NULL;
	t = pointed_struct(btf, btf_params(t)[i].type);
	return t ? btf__name_by_offset(btf, t->name_off) : NULL;
}
