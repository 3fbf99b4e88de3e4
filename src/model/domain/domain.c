/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code that all domains share: finding a domain, the row that an exported
 * name takes, the meaning of a result, and the wire form of a row. Rows are
 * sorted by symbol, results by code: both are searched, not walked.
 */
#include "model/domain/domain.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/parse.h"
#include "model/domain/expected.h"
#include "model/domain/cap.h"

#define REG_ARGS 6	/* x86-64: arguments in registers */

const struct xpt_domain *xpt_domain__find(const char *name)
{
	size_t i;

	for (i = 0; i < xpt_nr_domains; i++)
		if (!strcmp(xpt_domains[i]->name, name))
			return xpt_domains[i];
	return NULL;
}

/* Length of sym without _ptsz or _ptds. */
static size_t strip_thread(const char *sym, size_t len)
{
	if (len > 5 && (!memcmp(sym + len - 5, "_ptsz", 5) || !memcmp(sym + len - 5, "_ptds", 5)))
		return len - 5;
	return len;
}

/* Length of sym without _v<digits>. */
static size_t strip_version(const char *sym, size_t len)
{
	size_t n = len;

	while (n && sym[n - 1] >= '0' && sym[n - 1] <= '9')
		n--;
	if (n < len && n > 2 && sym[n - 1] == 'v' && sym[n - 2] == '_')
		return n - 2;
	return len;
}

struct name {
	const char *s;
	size_t len;
};

static int compare_row(const void *key, const void *elem)
{
	const struct name *name = key;
	const struct xpt_fn_row *row = elem;
	int c = strncmp(name->s, row->sym, name->len);

	return c ? c : row->sym[name->len] ? -1 : 0;
}

static const struct xpt_fn_row *find_row(const struct xpt_domain *d, const char *sym, size_t len)
{
	struct name name = { sym, len };

	if (!d->nr_rows)
		return NULL;
	return bsearch(&name, d->rows, d->nr_rows, sizeof(*d->rows), compare_row);
}

const struct xpt_fn_row *xpt_domain__row(const struct xpt_domain *d, const char *sym)
{
	size_t len = strlen(sym), unthreaded = strip_thread(sym, len);
	size_t base = strip_version(sym, unthreaded);
	const struct xpt_fn_row *row = find_row(d, sym, len);

	if (!row && unthreaded != len)
		row = find_row(d, sym, unthreaded);
	if (!row && base != unthreaded)
		row = find_row(d, sym, base);
	return row;
}

const struct xpt_fn_row *xpt_domain__probe(const struct xpt_domain *d, const char *name,
					   unsigned nr_args)
{
	const struct xpt_fn_row *row;
	char sym[256];
	int n = snprintf(sym, sizeof(sym), "%s/%u", name, nr_args);

	if (n < 0 || (size_t)n >= sizeof(sym) || strchr(name, '/'))
		return NULL;
	row = find_row(d, sym, (size_t)n);
	return row ? row : find_row(d, name, strlen(name));
}

bool xpt_domain__traces(const struct xpt_domain *d, const char *sym)
{
	const char *const *glob;

	if (xpt_domain__row(d, sym))
		return true;
	for (glob = d->catch_all; glob && *glob; glob++)
		if (xpt_glob_match(*glob, sym))
			return true;
	return false;
}

bool xpt_domain__knows(const struct xpt_domain *d, const char *sym)
{
	struct xpt_sig sig;

	return xpt_domain__row(d, sym) ||
	       (xpt_domain__traces(d, sym) && xpt_sig__find(d->sigs, sym, &sig));
}

bool xpt_domain__calls_back(const struct xpt_domain *d, const char *sym)
{
	const char *const *name;
	char base[256];

	if (!d->calls_back)
		return false;
	xpt_fn_base_name(sym, base, sizeof(base));
	for (name = d->calls_back; *name; name++)
		if (!strcmp(*name, base))
			return true;
	return false;
}

char *xpt_fn_base_name(const char *sym, char *buf, size_t n)
{
	size_t len = strip_thread(sym, strlen(sym));

	snprintf(buf, n, "%.*s", (int)strip_version(sym, len), sym);
	return buf;
}

static int compare_result(const void *key, const void *elem)
{
	int64_t code = *(const int64_t *)key;
	const struct xpt_result *r = elem;

	return (code > r->code) - (code < r->code);
}

const struct xpt_result *xpt_domain__result(const struct xpt_domain *d, int64_t code)
{
	if (!d->nr_results)
		return NULL;
	return bsearch(&code, d->results, d->nr_results, sizeof(*d->results), compare_result);
}

/* The next letter of a name of an error after its prefix (CUDA_ERROR_, cudaError), or 0. */
static int next_letter(const char **at)
{
	while (**at == '_')
		(*at)++;
	return **at ? tolower((unsigned char)*(*at)++) : 0;
}

bool xpt_result__same_name(const struct xpt_result *a, const struct xpt_result *b)
{
	const char *x = a ? strcasestr(a->name, "error") : NULL;
	const char *y = b ? strcasestr(b->name, "error") : NULL;
	int c;

	if (!x || !y)
		return false;
	while ((c = next_letter(&x)) == next_letter(&y))
		if (!c)
			return true;
	return false;
}

/* CUDA's two interfaces number nearly all errors alike, and only they call the first one the same. */
bool xpt_domain__same_codes(const struct xpt_domain *a, const struct xpt_domain *b)
{
	if (a == b || !a || !b)
		return a == b;
	return a->nr_results > 1 && b->nr_results > 1 && a->results[1].code == b->results[1].code &&
	       xpt_result__same_name(&a->results[1], &b->results[1]);
}

const struct xpt_expected *xpt_domain__expected(const struct xpt_domain *d, const char *sym,
						int64_t code)
{
	const struct xpt_expected *e;

	for (e = d ? d->expected : NULL; e && e->fn; e++)
		if (e->code == code && xpt_glob_match(e->fn, sym))
			return e;
	return NULL;
}

/* Adds the meaning of capture i for the whole function. */
static void note_cap(struct xpt_wire_fn *spec, uint8_t i)
{
	const struct xpt_wire_cap *cap = &spec->cap[i];

	/* A stack word that is hashed is read in place. */
	if (xpt_cap_has_word(cap) && cap->op != XPT_CAP_HASH &&
	    cap->arg >= REG_ARGS + spec->nr_stack)
		spec->nr_stack = (uint8_t)(cap->arg - REG_ARGS + 1);
	if (xpt_cap_is_out(cap))
		spec->out_mask |= (uint16_t)(1u << i);
	if (xpt_cap_is_string(cap) && !spec->str_cap)
		spec->str_cap = (uint8_t)(i + 1);
	if (cap->role == XPT_ROLE_DIR && spec->dir_cap == 0xff)
		spec->dir_cap = i;
}

static uint8_t first_cap(const struct xpt_wire_fn *spec, enum xpt_role role)
{
	uint8_t i;

	for (i = 0; i < spec->nr_caps; i++)
		if (spec->cap[i].role == role)
			return i;
	return 0xff;
}

/* Begins or ends that a stream is captured: see pipeline/calls/capturing.h. */
static bool tells_captures(const struct xpt_wire_fn *spec)
{
	return (spec->cls == XPT_CLASS_MODIFY || spec->cls == XPT_CLASS_CREATE) &&
	       spec->kind == XPT_KIND_GRAPH && first_cap(spec, XPT_ROLE_STREAM) != 0xff;
}

/* Names of kernels are learned from calls that others are about: see pipeline/calls/names.h. */
static bool tells_names(const struct xpt_wire_fn *spec)
{
	bool in = false, name = false;
	uint8_t i;

	if (spec->cls == XPT_CLASS_UNLOAD || spec->cls == XPT_CLASS_RESET)
		return true;
	for (i = 0; i < spec->nr_caps; i++) {
		const struct xpt_wire_cap *cap = &spec->cap[i];
		bool kernel = cap->role == XPT_ROLE_FUNC || cap->role == XPT_ROLE_KERNEL;

		if (kernel && cap->op == XPT_CAP_OUT)
			return true;
		in |= kernel;
		name |= cap->role == XPT_ROLE_NAME;
	}
	return in && name;
}

bool xpt_domain__explains(const struct xpt_wire_fn *spec)
{
	return tells_names(spec) || tells_captures(spec);
}

/*
 * The bytes of a call are SIZE times COUNT, else a row times HEIGHT times
 * DEPTH, where a row is the pitch that an allocation got (PITCH) or the width
 * that a copy moves (WIDTH). xpt_call__bytes() computes the same from a call.
 */
static void note_size(struct xpt_wire_fn *spec)
{
	static const enum xpt_role factors[2][2] = {
		{ XPT_ROLE_COUNT, XPT_ROLE_NONE }, { XPT_ROLE_HEIGHT, XPT_ROLE_DEPTH },
	};
	bool rows;
	int i;

	spec->size_cap = first_cap(spec, XPT_ROLE_SIZE);
	rows = spec->size_cap == 0xff;
	if (rows && spec->cls == XPT_CLASS_ALLOC)
		spec->size_cap = first_cap(spec, XPT_ROLE_PITCH);
	if (rows && spec->size_cap == 0xff)
		spec->size_cap = first_cap(spec, XPT_ROLE_WIDTH);
	if (spec->size_cap == 0xff)
		return;
	for (i = 0; i < 2; i++) {
		uint8_t f = factors[rows][i] ? first_cap(spec, factors[rows][i]) : 0xff;

		if (f != 0xff)
			spec->mul_mask |= (uint16_t)(1u << f);
	}
}

void xpt_domain__spec_with(const struct xpt_domain *d, const struct xpt_fn_row *row, const struct xpt_cap *caps,
			   unsigned nr, struct xpt_wire_fn *ret_spec)
{
	struct xpt_wire_fn spec;
	uint8_t i;

	memset(&spec, 0, sizeof(spec));
	spec.cls = row ? row->cls : XPT_CLASS_OTHER;
	spec.ret = row ? row->ret : d->catch_all_ret;
	spec.kind = row ? row->kind : XPT_KIND_NONE;
	spec.size_cap = 0xff;
	spec.dir_cap = 0xff;
	for (i = 0; i < nr; i++) {
		spec.cap[i] = caps[i].wire;
		note_cap(&spec, i);
	}
	spec.nr_caps = i;
	note_size(&spec);
	if (xpt_domain__explains(&spec))
		spec.flags |= XPT_FN_KEEP;
	*ret_spec = spec;
}

void xpt_domain__spec(const struct xpt_domain *d, const struct xpt_fn_row *row, struct xpt_wire_fn *ret_spec)
{
	struct xpt_row_caps caps;

	xpt_row__caps(d->sigs, row, &caps);
	xpt_domain__spec_with(d, row, caps.cap, caps.nr, ret_spec);
}
