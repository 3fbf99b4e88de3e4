// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The captures of a row: parameters by name, of which the signature says where they are and how wide, then those that
 * the row describes itself. See row.h.
 */
#include "model/domain/row.h"

#include <stdio.h>
#include <string.h>
#include "model/domain/sig.h"
#include "model/vocab.h"

static bool find_param(const struct xpt_sigs *sigs, const char *sym, const char *name, size_t len,
		       struct xpt_sig_param *ret_p)
{
	struct xpt_sig sig;

	if (!xpt_sig__find(sigs, sym, &sig))
		return false;
	while (xpt_sig__next(&sig, ret_p))
		if (ret_p->len == len && !memcmp(ret_p->name, name, len))
			return true;
	return false;
}

static void add_param(struct xpt_row_caps *caps, const struct xpt_sig_param *p, enum xpt_role role)
{
	struct xpt_cap *cap = &caps->cap[caps->nr];

	if (caps->nr == XPT_MAX_VALS)
		return;
	cap->wire = (struct xpt_wire_cap){
		.op = p->type.via != XPT_SIG_VALUE ? XPT_CAP_OUT :
		      p->type.kind == XPT_SIG_STRING && role == XPT_ROLE_NAME ? XPT_CAP_STR : XPT_CAP_VAL,
		.arg = p->word, .role = (uint8_t)role,
		.width = (uint8_t)(p->type.size | (p->type.kind == XPT_SIG_INT ? 0x80 : 0)),
	};
	snprintf(caps->name[caps->nr], sizeof(caps->name[0]), "%.*s", (int)p->len, p->name);
	cap->name = caps->name[caps->nr++];
}

/* Adds all numbers and handles. */
static void add_all(const struct xpt_sigs *sigs, const char *sym, struct xpt_row_caps *caps)
{
	struct xpt_sig_param p;
	struct xpt_sig sig;

	if (!xpt_sig__find(sigs, sym, &sig))
		return;
	while (xpt_sig__next(&sig, &p)) {
		bool number = p.type.kind == XPT_SIG_INT || p.type.kind == XPT_SIG_UINT || p.type.kind == XPT_SIG_ENUM;

		if (p.word != XPT_SIG_NO_WORD && (number || p.type.kind == XPT_SIG_HANDLE))
			add_param(caps, &p, number ? XPT_ROLE_VALUE : XPT_ROLE_HANDLE);
	}
}

/* "dptr=addr flags": with their roles, VALUE where none is given. */
static void add_named(const struct xpt_sigs *sigs, const char *sym, const char *args, struct xpt_row_caps *caps)
{
	struct xpt_sig_param p;

	for (; *args; args += strspn(args, " ")) {
		size_t len = strcspn(args, " ="), role_len = args[len] == '=' ? strcspn(args + len + 1, " ") : 0;
		const char *role = args + len + 1;

		if (find_param(sigs, sym, args, len, &p) && p.word != XPT_SIG_NO_WORD)
			add_param(caps, &p, role_len ? xpt_role_by_name(role, role_len) : XPT_ROLE_VALUE);
		args += len + (role_len ? role_len + 1 : 0);
	}
}

void xpt_row__caps(const struct xpt_sigs *sigs, const struct xpt_fn_row *row, struct xpt_row_caps *ret_caps)
{
	unsigned i;

	memset(ret_caps, 0, sizeof(*ret_caps));
	if (row && row->args && row->args[0] == '*')
		add_all(sigs, row->sym, ret_caps);
	else if (row && row->args)
		add_named(sigs, row->sym, row->args, ret_caps);
	for (i = 0; row && i < XPT_MAX_VALS && row->cap[i].wire.op != XPT_CAP_NONE && ret_caps->nr < XPT_MAX_VALS; i++)
		ret_caps->cap[ret_caps->nr++] = row->cap[i];
}
