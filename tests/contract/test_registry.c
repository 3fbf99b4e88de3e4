/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every domain, analyzer and sink of the generated registry promises:
 * tables sorted so that they can be searched, numbers within the vocabulary,
 * names that outputs can use as keys, schemas whose fields lie inside records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "model/output/analyzer.h"
#include "model/domain/domain.h"
#include "model/output/sink.h"
#include "model/vocab.h"

#define MUST(cond, who) do { if (!(cond)) fail_msg("%s: %s", who, #cond); } while (0)

static bool snake_case(const char *s)
{
	return s && *s >= 'a' && *s <= 'z' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

static bool has_text(const char *s)
{
	return s && *s;
}

static bool has_role(const struct xpt_row_caps *caps, enum xpt_role role)
{
	size_t i;

	for (i = 0; i < caps->nr; i++)
		if (caps->cap[i].wire.role == role)
			return true;
	return false;
}

/* How many parameters a row names. */
static unsigned count_words(const char *s)
{
	unsigned n = 0;

	for (s = s ? s : ""; *s; s += strcspn(s, " "), s += strspn(s, " "))
		n++;
	return n;
}

static bool has_type_at(const struct xpt_row_caps *caps, unsigned arg, int32_t off, const char *name)
{
	for (size_t i = 0; i < caps->nr; i++)
		if (caps->cap[i].wire.op == XPT_CAP_DEREF && caps->cap[i].wire.arg == arg &&
		    caps->cap[i].wire.off == off && !strcmp(caps->cap[i].name, name))
			return true;
	return false;
}

static void check_cap(const struct xpt_fn_row *row, const struct xpt_row_caps *caps, const struct xpt_cap *cap)
{
	unsigned width = cap->wire.width & 0x7f;

	MUST(cap->wire.op < XPT_CAP__MAX, row->sym);
	MUST(cap->wire.role > XPT_ROLE_NONE && cap->wire.role < XPT_ROLE__MAX, row->sym);
	MUST(width == 1 || width == 2 || width == 4 || width == 8, row->sym);
	MUST(cap->wire.arg < 32, row->sym);
	MUST(has_text(cap->name), row->sym);
	if (cap->wire.op == XPT_CAP_CONST && cap->wire.role == XPT_ROLE_DIR)
		MUST(strcmp(xpt_dir_name((unsigned)cap->wire.off), "?"), row->sym);
	if (cap->wire.op == XPT_CAP_SIDES)	/* the rows name the same two fields */
		MUST(has_type_at(caps, cap->wire.arg, cap->wire.off & 0xffff, "srcMemoryType") &&
		     has_type_at(caps, cap->wire.arg, cap->wire.off >> 16, "dstMemoryType"), row->sym);
}

static void check_row(const struct xpt_domain *d, const struct xpt_fn_row *row)
{
	struct xpt_row_caps caps;
	struct xpt_wire_fn spec;
	size_t i, own;

	MUST(has_text(row->sym), d->name);
	MUST(row->cls < XPT_CLASS__MAX, row->sym);
	MUST(row->ret < XPT_RET__MAX, row->sym);
	MUST(xpt_domain__row(d, row->sym) == row, row->sym);
	xpt_domain__spec(d, row, &spec);
	xpt_row__caps(d->sigs, row, &caps);
	MUST(spec.nr_caps == caps.nr, row->sym);
	for (i = 0; i < caps.nr; i++)
		check_cap(row, &caps, &caps.cap[i]);
	for (own = 0; own < XPT_MAX_VALS && row->cap[own].wire.op != XPT_CAP_NONE; own++)
		;
	for (i = own; i < XPT_MAX_VALS; i++)	/* nothing behind the end */
		MUST(row->cap[i].wire.op == XPT_CAP_NONE && !row->cap[i].name, row->sym);
	/* Each name is a parameter of the signature, each role one of the vocabulary. */
	if (row->args && row->args[0] == '*')
		MUST(!own && caps.nr, row->sym);
	else
		MUST(caps.nr == count_words(row->args) + own, row->sym);
	/* What an allocation is matched by. */
	if (row->cls == XPT_CLASS_ALLOC || row->cls == XPT_CLASS_FREE)
		MUST(has_role(&caps, XPT_ROLE_ADDR) || has_role(&caps, XPT_ROLE_HANDLE), row->sym);
}

static void test_domain_rows(void **state)
{
	const struct xpt_domain *d;
	size_t i, r;

	(void)state;
	for (i = 0; i < xpt_nr_domains; i++) {
		d = xpt_domains[i];
		for (r = 0; r < d->nr_rows; r++) {
			check_row(d, &d->rows[r]);
			if (r)
				MUST(strcmp(d->rows[r - 1].sym, d->rows[r].sym) < 0, d->rows[r].sym);
		}
	}
}

static void test_domain_results(void **state)
{
	const struct xpt_domain *d;
	size_t i, r;

	(void)state;
	for (i = 0; i < xpt_nr_domains; i++) {
		d = xpt_domains[i];
		for (r = 0; r < d->nr_results; r++) {
			MUST(has_text(d->results[r].name), d->name);
			MUST(has_text(d->results[r].meaning), d->results[r].name);
			MUST(xpt_domain__result(d, d->results[r].code) == &d->results[r],
			     d->results[r].name);
			if (r)
				MUST(d->results[r - 1].code < d->results[r].code,
				     d->results[r].name);
		}
	}
}

static void test_domain_heads(void **state)
{
	const struct xpt_domain *d;
	size_t i;

	(void)state;
	for (i = 0; i < xpt_nr_domains; i++) {
		d = xpt_domains[i];
		MUST(snake_case(d->name), d->name);
		MUST(has_text(d->help), d->name);
		MUST(d->layer < XPT_LAYER__MAX, d->name);
		if (d->layer == XPT_LAYER_API) {
			MUST(d->libs && has_text(d->libs[0]), d->name);
			MUST(d->sonames && has_text(d->sonames[0]), d->name);
		}
		MUST(d->catch_all_ret < XPT_RET__MAX, d->name);
		MUST(xpt_domain__find(d->name) == d, d->name);
		if (i)
			MUST(strcmp(xpt_domains[i - 1]->name, d->name) < 0, d->name);
	}
}

static void check_field(const struct xpt_schema *s, const struct xpt_field *f)
{
	size_t i;

	MUST(snake_case(f->name), s->name);
	MUST(f->title, f->name);	/* "": not in text output */
	MUST(f->type <= XPT_T_STR && f->unit <= XPT_U_MARK, f->name);
	MUST(f->offset % 8 == 0 && f->offset + 8 <= s->size, f->name);
	MUST(f->type == XPT_T_F64 ||
	     (f->unit != XPT_U_RATIO && f->unit != XPT_U_RATE && f->unit != XPT_U_BPS), f->name);
	for (i = 0; &s->fields[i] < f; i++)
		MUST(strcmp(s->fields[i].name, f->name), f->name);
}

static void check_schema(const struct xpt_schema *s)
{
	size_t i, texts = 0;

	MUST(snake_case(s->name), s->name);
	MUST(has_text(s->title) && has_text(s->help), s->name);
	MUST(s->layout <= XPT_LAYOUT_TEXT && s->nr_fields > 0, s->name);
	MUST(has_text(s->fields[0].title), s->name);
	for (i = 0; i < s->nr_fields; i++) {
		check_field(s, &s->fields[i]);
		texts += s->fields[i].type == XPT_T_STR && !strcmp(s->fields[i].name, "text");
	}
	if (s->layout == XPT_LAYOUT_TEXT)
		MUST(texts == 1, s->name);
}

static void test_analyzers(void **state)
{
	const struct xpt_analyzer *a;
	const struct xpt_schema *const *s;
	size_t i;

	(void)state;
	for (i = 0; i < xpt_nr_analyzers; i++) {
		a = xpt_analyzers[i];
		MUST(snake_case(a->name), a->name);
		MUST(has_text(a->help) && a->event && a->emits, a->name);
		for (s = a->emits; *s; s++)
			check_schema(*s);
		if (i)
			MUST(strcmp(xpt_analyzers[i - 1]->name, a->name) < 0, a->name);
	}
}

/* Schema names are keys of one JSON object: no two analyzers share one. */
static void test_schema_names(void **state)
{
	const struct xpt_schema *const *s, *const *t;
	size_t i, j;

	(void)state;
	for (i = 0; i < xpt_nr_analyzers; i++)
		for (s = xpt_analyzers[i]->emits; *s; s++)
			for (j = 0; j < i; j++)
				for (t = xpt_analyzers[j]->emits; *t; t++)
					MUST(strcmp((*s)->name, (*t)->name), (*s)->name);
}

static void test_sinks(void **state)
{
	const struct xpt_sink *s;
	char path[64];
	size_t i;

	(void)state;
	for (i = 0; i < xpt_nr_sinks; i++) {
		s = xpt_sinks[i];
		MUST(snake_case(s->name), s->name);
		MUST(has_text(s->help) && (s->event || s->record), s->name);
		MUST(xpt_sink__find(s->name) == s, s->name);
		if (s->ext) {	/* no other sink takes its files */
			snprintf(path, sizeof(path), "dir.d/file.%s", s->ext);
			MUST(xpt_sink__by_ext(path) == s, s->name);
		}
	}
	assert_null(xpt_sink__by_ext("file.no-such-extension"));
	assert_null(xpt_sink__find("no-such-sink"));
}

static void test_vocabulary(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < XPT_LAYER__MAX; i++)
		MUST(strcmp(xpt_layer_name(i), "?"), "layer");
	for (i = 0; i < XPT_CLASS__MAX; i++)
		MUST(snake_case(xpt_class_name(i)), "class");
	for (i = 0; i < XPT_ROLE__MAX; i++)
		MUST(snake_case(xpt_role_name(i)), "role");
	for (i = 0; i < XPT_LOSS__MAX; i++) {
		MUST(snake_case(xpt_loss_name(i)), "loss");
		MUST(has_text(xpt_loss_text(i)) && strcmp(xpt_loss_text(i), "?"), "loss");
	}
	assert_string_equal(xpt_loss_name(XPT_LOSS_RING_FULL), "ring_full");
	assert_string_equal(xpt_dir_name(XPT_DIR_H2D), "HtoD");
	assert_string_equal(xpt_dir_name(6), "?");
	assert_string_equal(xpt_layer_name(XPT_LAYER__MAX), "?");
	assert_string_equal(xpt_class_name(UINT32_MAX), "?");
	assert_string_equal(xpt_role_name(XPT_ROLE__MAX), "?");
	assert_string_equal(xpt_loss_name(XPT_LOSS__MAX), "?");
	assert_string_equal(xpt_loss_text(XPT_LOSS__MAX), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domain_rows),
		cmocka_unit_test(test_domain_results),
		cmocka_unit_test(test_domain_heads),
		cmocka_unit_test(test_analyzers),
		cmocka_unit_test(test_schema_names),
		cmocka_unit_test(test_sinks),
		cmocka_unit_test(test_vocabulary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
