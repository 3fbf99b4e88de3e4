/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The signature tables of all domains: every line is read to its end, lines
 * are sorted, rows and signatures agree on words and names, every traced export
 * of a real libcuda has one, and what --args makes of them leaves alone what
 * analyzers and totals see. No toolkit is needed; check-sigs needs one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/captures.h"
#include "model/domain/domain.h"
#include "model/value.h"

/* Declared in no public header. */
static const char *const undeclared[] = {
	"cuEGLApiInit", "cuMemGetAttribute", "cuMemGetAttribute_v2",
};
/* Rows of functions that no header has: of older runtimes; for device code;
 * what libibverbs offers its drivers. */
static const char *const forgotten[] = {
	"cudaThreadExit", "cudaThreadSynchronize",
	"ncclLLA2ACalcSlots", "ncclResetDebugInitInternal", "ncclTeamLsa", "ncclTeamRail",
	"ncclTeamRankToLsa", "ncclTeamRankToWorld", "ncclTeamWorld",
	"ibv_cmd_poll_cq", "ibv_cmd_post_recv", "ibv_cmd_post_send", "ibv_cmd_post_srq_recv",
	"ibv_copy_ah_attr_from_kern", "ibv_copy_path_rec_from_kern",
	"ibv_copy_path_rec_to_kern", "ibv_copy_qp_attr_from_kern",
	"ibv_dofork_range", "ibv_dontfork_range", "ibv_get_sysfs_path", "ibv_query_gid_type",
	"ibv_read_ibdev_sysfs_file", "ibv_read_sysfs_file", "ibv_register_driver",
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static unsigned wrong;

static void problem(const char *a, const char *b, const char *what)
{
	print_error("%s %s: %s\n", a, b, what);
	wrong++;
}

static bool listed(const char *const *list, size_t n, const char *s)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i], s))
			return true;
	return false;
}

static unsigned count(const char *s, char c)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

static void first_word(const char *line, char *buf, size_t n)
{
	snprintf(buf, n, "%.*s", (int)strcspn(line, " "), line);
}

static unsigned params(struct xpt_sig sig)
{
	struct xpt_sig_param p;
	unsigned n = 0;

	while (xpt_sig__next(&sig, &p))
		n++;
	return n;
}

static void check_lines(const struct xpt_sigs *t)
{
	char name[256], last[256] = "";
	struct xpt_sig sig;
	size_t i;

	for (i = 0; i < t->nr_fns; i++) {
		first_word(t->fns[i], name, sizeof(name));
		if (strcmp(last, name) >= 0)
			problem(name, "", "not sorted");
		if (!xpt_sig__find(t, name, &sig) || params(sig) != count(t->fns[i], ' '))
			problem(name, "", "not read to its end");
		memcpy(last, name, sizeof(last));
	}
	for (i = 0; i < t->nr_structs; i++)
		if (!xpt_sig__struct(t, (uint16_t)i, &sig) ||
		    params(sig) != count(t->structs[i], ' ') - 1 ||
		    params(sig) != count(t->structs[i], '@'))
			problem(t->structs[i], "", "not read to its end");
}

/* Every constant is found by its value and by no other. */
static void check_enum(const char *line)
{
	const char *s = strchr(line, ' '), *prefix = s ? s + 1 : "";
	int len = (int)strcspn(prefix, " "), value = -1, n;
	char want[256], got[256];

	for (s = prefix + len; *s == ' '; s += strcspn(s, " ")) {
		struct xpt_strbuf sb;

		s++;
		value++;
		if (sscanf(s, "%d=", &n) == 1) {
			value = n;
			s += strcspn(s, "=") + 1;
		}
		snprintf(want, sizeof(want), "%.*s%.*s", strncmp(prefix, "- ", 2) ? len : 0,
			 prefix, (int)strcspn(s, " "), s);
		xpt_strbuf__init(&sb, sizeof(got) - 1);
		if (!xpt_enum__add(&sb, line, (uint64_t)(int64_t)value))
			problem(line, want, "not found");
		if (strcmp(want, xpt_strbuf__str(&sb)))
			problem(want, xpt_strbuf__str(&sb), "is another constant");
		xpt_strbuf__free(&sb);
	}
}

static void test_lines(void **state)
{
	size_t d, i;

	(void)state;
	wrong = 0;
	for (d = 0; d < xpt_nr_domains; d++) {
		const struct xpt_sigs *t = xpt_domains[d]->sigs;

		if (!t)
			continue;
		check_lines(t);
		for (i = 0; i < t->nr_enums; i++)
			check_enum(t->enums[i]);
	}
	assert_int_equal(wrong, 0);
}

/* A capture whose type is open must at least bear the parameter's name. */
static bool same_param(struct xpt_sig sig, const struct xpt_cap *cap)
{
	struct xpt_sig_param p;

	while (xpt_sig__next(&sig, &p))
		if (p.word == cap->wire.arg && cap->wire.op == XPT_CAP_BYTES)
			return p.type.kind == XPT_SIG_ENUM;
		else if (p.word == cap->wire.arg && (cap->wire.op == XPT_CAP_ARRAY ||
						      cap->wire.op == XPT_CAP_SIDES))
			return p.type.kind == XPT_SIG_STRUCT;
		else if (p.word == cap->wire.arg && cap->wire.op == XPT_CAP_HASH &&
			 p.type.kind == XPT_SIG_BYTES && p.type.size != (unsigned)cap->wire.off)
			return false;
		else if (p.word == cap->wire.arg)
			return strlen(cap->name) == p.len && !memcmp(cap->name, p.name, p.len) &&
			       (cap->wire.op >= XPT_CAP_HASH ||
				(cap->wire.op == XPT_CAP_VAL && cap->wire.off < 0));
	return false;
}

static void check_row(const struct xpt_domain *d, const char *sym, const struct xpt_fn_row *row)
{
	struct xpt_row_caps caps;
	struct xpt_sig sig;
	unsigned i;

	assert_true(xpt_sig__find(d->sigs, sym, &sig));
	xpt_row__caps(d->sigs, row, &caps);
	for (i = 0; i < caps.nr; i++) {
		const struct xpt_cap *cap = &caps.cap[i];

		if (xpt_cap_has_word(&cap->wire) && !same_param(sig, cap) &&
		    xpt_sig__cap_type(d->sigs, sym, &cap->wire, cap->name).kind == XPT_SIG_NONE)
			problem(sym, cap->name, "row and signature differ");
	}
}

static void test_rows(void **state)
{
	static bool seen[4096];
	char name[256];
	size_t d, i;

	(void)state;
	wrong = 0;
	for (d = 0; d < xpt_nr_domains; d++) {
		const struct xpt_domain *dom = xpt_domains[d];

		if (!dom->sigs)
			continue;
		assert_true(dom->nr_rows <= 4096);
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < dom->sigs->nr_fns; i++) {
			const struct xpt_fn_row *row;

			first_word(dom->sigs->fns[i], name, sizeof(name));
			row = xpt_domain__row(dom, name);
			if (!row)
				continue;
			seen[row - dom->rows] = true;
			check_row(dom, name, row);
		}
		for (i = 0; i < dom->nr_rows; i++)
			if (!seen[i] && !listed(forgotten, N(forgotten), dom->rows[i].sym))
				problem(dom->name, dom->rows[i].sym, "no signature");
	}
	assert_int_equal(wrong, 0);
}

static void test_exports(void **state)
{
	const struct xpt_domain *d = xpt_domain__find("cuda");
	FILE *f = fopen("tests/fake/exports.txt", "r");
	unsigned with = 0, without = 0;
	struct xpt_sig sig;
	char line[256];

	(void)state;
	wrong = 0;
	assert_non_null(f);
	assert_non_null(d);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = '\0';
		if (line[0] == '#' || !xpt_domain__traces(d, line))
			continue;
		if (xpt_sig__find(d->sigs, line, &sig))
			with++;
		else if (listed(undeclared, 3, line))
			without++;
		else
			problem(line, "", "no signature");
	}
	fclose(f);
	assert_int_equal(wrong, 0);
	assert_int_equal(without, 3);
	assert_true(with > 600);
}

static bool same_meaning(const struct xpt_wire_fn *a, const struct xpt_wire_fn *b)
{
	return a->cls == b->cls && a->ret == b->ret && a->kind == b->kind &&
	       (a->size_cap == 0xff) == (b->size_cap == 0xff) &&
	       (a->dir_cap == 0xff) == (b->dir_cap == 0xff) &&
	       __builtin_popcount(a->mul_mask) == __builtin_popcount(b->mul_mask);
}

static void check_all(const struct xpt_domain *d, const char *sym)
{
	const struct xpt_fn_row *row = xpt_domain__row(d, sym);
	struct xpt_captures roles, none, all;
	unsigned i, j;

	xpt_captures__make(d, row, sym, XPT_ARGS_ROLES, &roles);
	xpt_captures__make(d, row, sym, XPT_ARGS_NONE, &none);
	xpt_captures__make(d, row, sym, XPT_ARGS_ALL, &all);
	if (!same_meaning(&roles.spec, &none.spec) || !same_meaning(&roles.spec, &all.spec))
		problem(sym, "", "--args changes what the totals count");
	if (all.spec.nr_caps < roles.spec.nr_caps ||
	    memcmp(roles.spec.cap, all.spec.cap, roles.spec.nr_caps * sizeof(roles.spec.cap[0])))
		problem(sym, "", "the row's captures do not come first");
	for (i = 0; i < all.spec.nr_caps; i++) {
		const struct xpt_wire_cap *cap = &all.spec.cap[i];

		for (j = 0; j < i; j++)
			if (!strcmp(all.name[i], all.name[j]))
				problem(sym, all.name[i], "twice");
		if (i < roles.spec.nr_caps)
			continue;
		if (cap->role != XPT_ROLE_NONE && cap->role != XPT_ROLE_VALUE)
			problem(sym, all.name[i], "an added capture with a role");
		if (cap->arg > 12 || !all.name[i][0])
			problem(sym, all.name[i], "cannot be read");
		if (xpt_sig__cap_type(d->sigs, sym, cap, all.name[i]).kind == XPT_SIG_NONE)
			problem(sym, all.name[i], "has no type");
	}
}

static void test_args(void **state)
{
	char name[256];
	size_t d, i;

	(void)state;
	wrong = 0;
	for (d = 0; d < xpt_nr_domains; d++)
		for (i = 0; xpt_domains[d]->sigs && i < xpt_domains[d]->sigs->nr_fns; i++) {
			first_word(xpt_domains[d]->sigs->fns[i], name, sizeof(name));
			check_all(xpt_domains[d], name);
		}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_exports),
		cmocka_unit_test(test_args),
	};

	return cmocka_run_group_tests_name("sigs", tests, NULL, NULL);
}
