// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prototypes from BTF, see kbtf.h. Chains of modifiers and typedefs are
 * followed for a fixed number of steps, so that no type information, however
 * damaged, keeps us busy.
 */
#include "kernel/kbtf.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#define MAX_STEPS 32
/* include/linux/bpf.h: MAX_BPF_FUNC_ARGS; kernel/bpf/btf.c: btf_distill_func_proto() */
#define TRAMPOLINE_ARGS 12
#define TRAMPOLINE_BYTES 16	/* of one argument; none may be returned in memory */

const struct btf_type *xpt_kbtf__real(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	int i;

	for (i = 0; t && i < MAX_STEPS; i++) {
		switch (btf_kind(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			t = btf__type_by_id(btf, t->type);
			break;
		default:
			return t;
		}
	}
	return NULL;
}

static const struct btf_type *proto_of(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	if (!t || !btf_is_func(t))
		return NULL;
	t = btf__type_by_id(btf, t->type);
	return t && btf_is_func_proto(t) ? t : NULL;
}

static bool is_signed(const struct btf_type *t)
{
	/* enums of errors and the like are int; BTF says unsigned where it is known */
	return btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED : !btf_kflag(t) ? false : true;
}

static bool is_plain(const struct btf_type *t)
{
	return (btf_is_int(t) || btf_is_any_enum(t)) &&
	       (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

static uint8_t ret_of(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = xpt_kbtf__real(btf, id);

	if (!id || !t || btf_is_void(t))
		return XPT_RET_NONE;
	if (btf_is_ptr(t))
		return XPT_RET_ERR_PTR;
	if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED && t->size == 4)
		return XPT_RET_NEGATIVE;
	if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED && t->size == 8)
		return XPT_RET_LONG;
	return is_plain(t) ? XPT_RET_VALUE : XPT_RET_NONE;
}

/* Bytes of the value, which the upper part of the register may surround with anything. */
static uint8_t ret_width(const struct btf_type *t)
{
	return t && is_plain(t) ? (uint8_t)t->size : 8;
}

static void read_param(const struct btf *btf, const struct btf_param *p, unsigned i,
		       struct xpt_kproto *k)
{
	const struct btf_type *t = xpt_kbtf__real(btf, p->type);
	const char *name = btf__name_by_offset(btf, p->name_off);
	struct xpt_kparam drop, *out = i < XPT_MAX_VALS ? &k->param[i] : &drop;
	uint32_t words = 1;

	memset(out, 0, sizeof(*out));
	if (name && name[0])
		snprintf(out->name, sizeof(out->name), "%s", name);
	else
		snprintf(out->name, sizeof(out->name), "arg%u", i);
	out->word = k->nr_words;
	if (t && btf_is_ptr(t)) {
		out->pointer = true;
		out->width = 8;
	} else if (t && is_plain(t)) {
		out->width = (uint8_t)(t->size | (is_signed(t) ? 0x80 : 0));
	} else {
		k->by_value = true;
		words = t && btf_is_composite(t) && t->size > 8 ? 2 : 1;
	}
	if (!t || !(btf_is_ptr(t) || btf_is_int(t) || btf_is_any_enum(t) || btf_is_composite(t)) ||
	    (!btf_is_ptr(t) && (!t->size || t->size > TRAMPOLINE_BYTES)))
		k->too_large = true;
	/* After a struct by value it depends on the compiler where a word is. */
	if (k->by_value)
		out->width = 0;
	k->nr_words = (uint8_t)(k->nr_words + words > 255 ? 255 : k->nr_words + words);
}

bool xpt_kbtf__proto(const struct btf *btf, uint32_t id, struct xpt_kproto *ret_p)
{
	const struct btf_type *t = proto_of(btf, id), *ret;
	unsigned i, n;

	if (!t)
		return false;
	memset(ret_p, 0, sizeof(*ret_p));
	n = btf_vlen(t);
	ret_p->id = id;
	ret_p->ret = ret_of(btf, t->type);
	ret = xpt_kbtf__real(btf, t->type);
	ret_p->ret_width = ret_width(ret);
	for (i = 0; i < n; i++) {
		const struct btf_param *p = &btf_params(t)[i];

		if (!p->type && i + 1 == n) {
			ret_p->varargs = true;
			break;
		}
		read_param(btf, p, i, ret_p);
		ret_p->nr_params = (uint8_t)(i + 1 > 255 ? 255 : i + 1);
	}
	if (ret && btf_is_composite(ret))
		ret_p->by_value = ret_p->too_large = true;
	if (ret_p->nr_params > TRAMPOLINE_ARGS)
		ret_p->too_large = true;
	return true;
}

static size_t add_text(char *buf, size_t n, size_t at, const char *text)
{
	int len;

	if (at + 1 >= n)
		return at;
	len = snprintf(buf + at, n - at, "%s", text);
	return len < 0 ? at : at + (size_t)len >= n ? n - 1 : at + (size_t)len;
}

/* As C would have it, roughly: "const struct file *"; functions and arrays are named only. */
static size_t add_type(const struct btf *btf, uint32_t id, char *buf, size_t n, size_t at)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	const char *kind = "", *name = "void";
	unsigned stars = 0;
	bool cnst = false;
	int i;

	for (i = 0; id && t && i < MAX_STEPS; i++) {
		if (btf_is_ptr(t))
			stars++;
		else if (btf_kind(t) == BTF_KIND_CONST)
			cnst = true;
		else if (btf_kind(t) != BTF_KIND_VOLATILE && btf_kind(t) != BTF_KIND_RESTRICT &&
			 btf_kind(t) != BTF_KIND_TYPE_TAG)
			break;
		id = t->type;
		t = btf__type_by_id(btf, id);
	}
	if (id) {
		name = t && i < MAX_STEPS ? btf__name_by_offset(btf, t->name_off) : NULL;
		if (t && btf_is_func_proto(t))
			name = "(function)";
		if (!name || !name[0])
			name = "?";
		kind = !t ? "" : btf_is_struct(t) || (btf_is_fwd(t) && !btf_kflag(t)) ? "struct " :
		       btf_is_union(t) || btf_is_fwd(t) ? "union " : btf_is_any_enum(t) ? "enum " : "";
	}
	at = add_text(buf, n, at, cnst ? "const " : "");
	at = add_text(buf, n, at, kind);
	at = add_text(buf, n, at, name);
	at = add_text(buf, n, at, stars ? " " : "");
	while (stars--)
		at = add_text(buf, n, at, "*");
	return at;
}

char *xpt_kbtf__text(const struct btf *btf, uint32_t id, char *buf, size_t n)
{
	const struct btf_type *t = proto_of(btf, id);
	unsigned i, nr = t ? btf_vlen(t) : 0;
	size_t at;

	buf[0] = '\0';
	if (!t)
		return buf;
	at = add_type(btf, t->type, buf, n, 0);
	at = add_text(buf, n, at, " (");
	for (i = 0; i < nr; i++) {
		const struct btf_param *p = &btf_params(t)[i];
		const char *name = btf__name_by_offset(btf, p->name_off);

		at = add_text(buf, n, at, i ? ", " : "");
		if (!p->type && i + 1 == nr) {
			at = add_text(buf, n, at, "...");
			continue;
		}
		at = add_type(btf, p->type, buf, n, at);
		if (name && name[0]) {
			at = add_text(buf, n, at, at && buf[at - 1] == '*' ? "" : " ");
			at = add_text(buf, n, at, name);
		}
	}
	add_text(buf, n, at, nr ? ")" : "void)");
	return buf;
}

/* Nested without a name, at most MAX_STEPS deep. Bit fields have no address. */
static uint32_t member_at(const struct btf *btf, const struct btf_type *t, const char *member,
			  unsigned depth)
{
	unsigned i, n = btf_vlen(t);

	for (i = 0; i < n; i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *name = btf__name_by_offset(btf, m->name_off);
		uint32_t at = btf_member_bit_offset(t, i) / 8, in;
		const struct btf_type *inner;

		if (name && !strcmp(name, member))
			return btf_member_bitfield_size(t, i) ? UINT32_MAX : at;
		inner = name && name[0] ? NULL : xpt_kbtf__real(btf, m->type);
		if (!inner || !btf_is_composite(inner) || depth >= MAX_STEPS)
			continue;
		in = member_at(btf, inner, member, depth + 1);
		if (in != UINT32_MAX)
			return at + in;
	}
	return UINT32_MAX;
}

uint32_t xpt_kbtf__member(const struct btf *btf, const char *name, const char *member)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	return id > 0 ? member_at(btf, btf__type_by_id(btf, (uint32_t)id), member, 0) : UINT32_MAX;
}
