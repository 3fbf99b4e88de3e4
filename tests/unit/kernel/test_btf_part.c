/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kernel/btf_part.h: a part of made-up kernel types, and what damaged ones lead to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include "kernel/btf_part.h"

/*
 * A kernel: struct inner { int x; }; struct task { const inner in; int nr[4]; struct other *o;
 * enum e kind; }; struct other { int y; }; struct unused { int z; }; and a function.
 */
static struct btf *make_kernel(void)
{
	struct btf *k = btf__new_empty();
	int i = btf__add_int(k, "int", 4, BTF_INT_SIGNED);
	int unused = btf__add_struct(k, "unused", 4);

	assert_int_equal(btf__add_field(k, "z", i, 0, 0), 0);
	int ptr = btf__add_ptr(k, unused + 2);
	int other = btf__add_struct(k, "other", 4);

	assert_int_equal(other, unused + 2);
	assert_int_equal(btf__add_field(k, "y", i, 0, 0), 0);
	int inner = btf__add_struct(k, "inner", 4);

	assert_int_equal(btf__add_field(k, "x", i, 0, 0), 0);
	int konst = btf__add_const(k, inner), array = btf__add_array(k, i, i, 4);
	int e = btf__add_enum(k, "e", 4);

	assert_int_equal(btf__add_enum_value(k, "E_ONE", 1), 0);
	btf__add_struct(k, "task", 40);
	assert_int_equal(btf__add_field(k, "in", konst, 0, 0), 0);
	assert_int_equal(btf__add_field(k, "nr", array, 32, 0), 0);
	assert_int_equal(btf__add_field(k, "o", ptr, 192, 0), 0);
	assert_int_equal(btf__add_field(k, "kind", e, 256, 0), 0);
	int proto = btf__add_func_proto(k, i);

	btf__add_func(k, "bpf_lsm_mmap_file", BTF_FUNC_STATIC, proto);
	return k;
}

/* What programs name: struct task___old { int nr[4]; } */
static struct btf *make_local(void)
{
	struct btf *l = btf__new_empty();
	int i = btf__add_int(l, "int", 4, BTF_INT_SIGNED);

	btf__add_struct(l, "task___old", 4);
	assert_int_equal(btf__add_field(l, "nr", i, 0, 0), 0);
	return l;
}

static const struct btf_type *named(const struct btf *b, const char *name)
{
	int id = btf__find_by_name(b, name);

	return id > 0 ? btf__type_by_id(b, (uint32_t)id) : NULL;
}

static void test_part(void **state)
{
	struct btf *k = make_kernel(), *l = make_local(), *part;
	const struct btf_member *m;
	const struct btf_type *t;
	uint32_t size;
	const void *all = btf__raw_data(k, &size);
	void *buf;
	size_t n;

	(void)state;
	assert_int_equal(xpt_btf_part__make(all, size, l, &buf, &n), 0);
	assert_true(n < size);
	part = btf__new(buf, (uint32_t)n);
	assert_non_null(part);
	t = named(part, "task");
	assert_non_null(t);
	assert_int_equal(t->size, 40);
	assert_int_equal(btf_vlen(t), 4);
	m = btf_members(t);
	assert_string_equal(btf__name_by_offset(part, m[0].name_off), "in");
	assert_int_equal(m[1].offset, 32);
	t = btf__type_by_id(part, m[0].type);	/* const */
	assert_int_equal(btf_kind(t), BTF_KIND_CONST);
	assert_string_equal(btf__name_by_offset(part, btf__type_by_id(part, t->type)->name_off), "inner");
	assert_int_equal(btf_array(btf__type_by_id(part, m[1].type))->nelems, 4);
	t = btf__type_by_id(part, m[2].type);
	assert_int_equal(btf_kind(t), BTF_KIND_PTR);
	assert_int_equal(t->type, 0);		/* not followed */
	t = btf__type_by_id(part, m[3].type);
	assert_string_equal(btf__name_by_offset(part, btf_enum(t)->name_off), "E_ONE");
	assert_null(named(part, "other"));
	assert_null(named(part, "unused"));
	btf__free(part);
	free(buf);
	btf__free(k);
	btf__free(l);
}

/* Every byte of it wrong in turn, and every length: never out of bounds (the sanitizers look). */
static void test_damaged(void **state)
{
	struct btf *k = make_kernel(), *l = make_local();
	uint32_t size, i, v;
	const void *all = btf__raw_data(k, &size);
	static const uint8_t wrong[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	size_t n;

	(void)state;
	for (i = 0; i < size; i++) {
		void *buf = NULL, *copy = malloc(i + 1);

		memcpy(copy, all, i);
		assert_int_not_equal(xpt_btf_part__make(copy, i, l, &buf, &n), 0);
		free(copy);
	}
	for (i = 0; i < size; i++)
		for (v = 0; v < sizeof(wrong); v++) {
			uint8_t *copy = malloc(size);
			void *buf = NULL;

			memcpy(copy, all, size);
			copy[i] = wrong[v];
			if (!xpt_btf_part__make(copy, size, l, &buf, &n))
				free(buf);
			free(copy);
		}
	btf__free(k);
	btf__free(l);
}

/* The running kernel's, where it can be read: libbpf takes what comes out. */
static void test_kernel(void **state)
{
	struct xpt_btf_part *p = xpt_btf_part__new();
	struct btf *l = btf__new_empty(), *part;

	(void)state;
	assert_non_null(p);
	btf__add_struct(l, "task_struct", 0);
	btf__add_struct(l, "no_such_struct_anywhere", 0);
	if (xpt_btf_part__fill(p, l)) {
		print_message("the kernel's types cannot be read here\n");
	} else {
		part = btf__parse(xpt_btf_part__path(p), NULL);
		assert_non_null(part);
		assert_non_null(named(part, "task_struct"));
		assert_null(named(part, "no_such_struct_anywhere"));
		assert_int_equal(xpt_btf_part__fill(p, l), 0);	/* again: there is nothing to do */
		btf__free(part);
	}
	btf__free(l);
	xpt_btf_part__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_part), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
