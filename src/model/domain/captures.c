// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes captures from a row and a signature, see captures.h. Works on a copy of the row, so that the meaning of a
 * capture for the function as a whole is decided in one place, xpt_domain__spec().
 */
#include "model/domain/captures.h"
#include <stdio.h>
#include <string.h>
#include "model/value.h"

#define LAST_WORD 12		/* src/bpf/values/capture.bpf.h reads six registers and seven stack words */

struct work {
	struct xpt_row_caps row;
	unsigned nr;
	const struct xpt_sigs *sigs;
	bool has_str;
	char (*name)[XPT_CAP_NAME];
};

/* Keeps the captures that the totals are made of. */
static void keep_totals(const struct xpt_domain *d, const struct xpt_fn_row *row, struct work *w)
{
	struct xpt_wire_fn spec;
	unsigned i, n = 0;

	xpt_domain__spec_with(d, row, w->row.cap, w->nr, &spec);
	for (i = 0; i < spec.nr_caps; i++)
		if (i == spec.size_cap || i == spec.dir_cap || (spec.mul_mask >> i & 1))
			w->row.cap[n++] = w->row.cap[i];
	w->nr = n;
}

/* True if a capture reads this place: by value, or through the pointer. */
static bool has_place(const struct work *w, bool direct, unsigned word, int32_t off)
{
	unsigned i;

	for (i = 0; i < w->nr; i++) {
		const struct xpt_wire_cap *c = &w->row.cap[i].wire;
		bool is_direct = c->op == XPT_CAP_VAL || c->op == XPT_CAP_STR;

		if (!xpt_cap_has_word(c) || c->arg != word || is_direct != direct)
			continue;
		if (c->off == off || (direct && c->off < 0))
			return true;
	}
	return false;
}

static bool has_word(const struct work *w, unsigned word)
{
	unsigned i;

	for (i = 0; i < w->nr; i++)
		if (xpt_cap_has_word(&w->row.cap[i].wire) && w->row.cap[i].wire.arg == word)
			return true;
	return false;
}

static bool has_name(const struct work *w, const char *name)
{
	unsigned i;

	for (i = 0; i < w->nr; i++)
		if (!strcmp(w->row.cap[i].name, name))
			return true;
	return false;
}

/* field: NULL for the parameter itself. A field's name stands alone after a
 * pointer, as in the rows, unless another value has it. */
static void set_name(struct work *w, const struct xpt_sig_param *p,
		     const struct xpt_sig_param *field, bool direct)
{
	char *name = w->name[w->nr];

	if (field)
		snprintf(name, XPT_CAP_NAME, "%.*s", (int)field->len, field->name);
	if (!field || direct || has_name(w, name))
		snprintf(name, XPT_CAP_NAME, "%.*s%s%.*s", (int)p->len, p->name, field ? "." : "",
			 field ? (int)field->len : 0, field ? field->name : "");
	w->row.cap[w->nr].name = name;
}

static bool is_number(uint8_t kind)
{
	return kind == XPT_SIG_INT || kind == XPT_SIG_UINT || kind == XPT_SIG_FLOAT ||
	       kind == XPT_SIG_ENUM;
}

static void add_capture(struct work *w, const struct xpt_sig_param *p, const struct xpt_sig_param *field,
			uint8_t op, unsigned word, int32_t off)
{
	const struct xpt_sig_type *t = field ? &field->type : &p->type;
	struct xpt_wire_cap cap = { .op = op, .arg = (uint8_t)word, .off = off };

	if (w->nr == XPT_MAX_VALS || word > LAST_WORD)
		return;
	if (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8)
		return;
	cap.width = (uint8_t)(t->size | (t->kind == XPT_SIG_INT ? 0x80 : 0));
	cap.role = is_number(t->kind) ? XPT_ROLE_VALUE : XPT_ROLE_NONE;
	set_name(w, p, field, op == XPT_CAP_VAL);
	w->row.cap[w->nr++].wire = cap;
}

static void add_fields(struct work *w, const struct xpt_sig_param *p)
{
	bool direct = p->type.via == XPT_SIG_VALUE;
	uint8_t op = direct ? XPT_CAP_VAL : p->type.via == XPT_SIG_IN ? XPT_CAP_DEREF : XPT_CAP_OUT;
	struct xpt_sig_param f;
	struct xpt_sig sig;

	if (!xpt_sig__struct(w->sigs, p->type.id, &sig))
		return;
	while (xpt_sig__next(&sig, &f)) {
		unsigned word = p->word + (direct ? f.off / 8u : 0);
		int32_t off = direct ? f.off % 8 * 8 : f.off;

		if (f.type.via == XPT_SIG_VALUE && f.type.kind != XPT_SIG_STRUCT &&
		    !has_place(w, direct, word, off))
			add_capture(w, p, &f, op, word, off);
	}
}

/* A parameter that the row does not capture in any way. */
static void add_param(struct work *w, const struct xpt_sig_param *p)
{
	if (has_word(w, p->word) || p->type.kind == XPT_SIG_BYTES ||
	    p->type.kind == XPT_SIG_STRUCT)
		return;
	if (p->type.via != XPT_SIG_VALUE) {
		add_capture(w, p, NULL, XPT_CAP_OUT, p->word, 0);
	} else if (p->type.kind == XPT_SIG_STRING && !w->has_str && p->word <= LAST_WORD &&
		   w->nr < XPT_MAX_VALS) {
		w->has_str = true;
		add_capture(w, p, NULL, XPT_CAP_STR, p->word, 0);
	} else {
		add_capture(w, p, NULL, XPT_CAP_VAL, p->word, 0);
	}
}

/* Parameters first, then fields of structs while room is left. */
static void add_params(struct work *w, const char *sym)
{
	struct xpt_sig_param p;
	struct xpt_sig sig;
	int pass;

	for (pass = 0; pass < 2; pass++) {
		if (!xpt_sig__find(w->sigs, sym, &sig))
			return;
		while (xpt_sig__next(&sig, &p)) {
			if (p.word == XPT_SIG_NO_WORD)
				continue;
			if (!pass)
				add_param(w, &p);
			else if (p.type.kind == XPT_SIG_STRUCT)
				add_fields(w, &p);
		}
	}
}

void xpt_captures__make(const struct xpt_domain *d, const struct xpt_fn_row *row, const char *sym,
			enum xpt_args args, struct xpt_captures *ret_caps)
{
	struct xpt_captures caps;
	struct work w = { .sigs = d->sigs, .name = caps.name };
	unsigned i;

	memset(&caps, 0, sizeof(caps));
	xpt_row__caps(d->sigs, row, &w.row);
	while (w.nr < w.row.nr)
		w.has_str |= xpt_cap_is_string(&w.row.cap[w.nr++].wire);
	if (args == XPT_ARGS_NONE)
		keep_totals(d, row, &w);
	for (i = 0; i < w.nr; i++)
		snprintf(caps.name[i], XPT_CAP_NAME, "%s", w.row.cap[i].name);
	if (args == XPT_ARGS_ALL)
		add_params(&w, sym);
	xpt_domain__spec_with(d, row, w.row.cap, w.nr, &caps.spec);
	*ret_caps = caps;
}

const char *const *xpt_captures__names(const struct xpt_captures *caps, const char **names)
{
	unsigned i;

	for (i = 0; i < XPT_MAX_VALS; i++)
		names[i] = caps->name[i];
	return names;
}

const char *xpt_args_name(enum xpt_args args)
{
	static const char *const names[XPT_ARGS__MAX] = { "roles", "none", "all" };

	return (unsigned)args < XPT_ARGS__MAX ? names[args] : "?";
}
