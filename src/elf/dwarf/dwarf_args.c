// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading parameters by libdw (elfutils) in a child, see dwarf_child.h. Words follow the
 * x86-64 calling convention; after a struct by value nothing is known, for the compiler
 * may have put it into registers or memory.
 */
#include "elf/dwarf/dwarf_args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/numbers/bit_field.h"
#include "base/parse.h"
#include "base/process/jail.h"
#include "base/utf8.h"
#include "elf/dwarf/dwarf_child.h"

#define LAST_WORD 12

#ifdef XPT_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

#define MAX_CHAIN 32		/* typedefs and qualifiers */
#define MAX_DEPTH 16		/* structs without a name in structs */
#define XMM_ARGS 8

struct out {
	int to;
	const struct xpt_hook *h;
	unsigned nr;
	struct xpt_dwarf_fn fn;
};

/* The type of a parameter or member after names and qualifiers; false: it has none. */
static bool real_type(Dwarf_Die *of, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die at;

	if (!dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &attr), &at))
		return false;
	for (int i = 0; i < MAX_CHAIN; i++) {
		switch (dwarf_tag(&at)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_formref_die(dwarf_attr_integrate(&at, DW_AT_type, &attr), &at))
				return false;
			break;
		default:
			*ret = at;
			return true;
		}
	}
	return false;
}

static bool is_struct(Dwarf_Die *t)
{
	int tag = dwarf_tag(t);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_pointer(Dwarf_Die *t)
{
	int tag = dwarf_tag(t);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

/* How a value of that type is read; 0: as no number. */
static uint8_t width_of(Dwarf_Die *t, bool *ret_float)
{
	Dwarf_Attribute attr;
	Dwarf_Word coding = 0;
	int size = dwarf_bytesize(t);

	*ret_float = false;
	if (is_pointer(t))
		return 8;
	if (dwarf_tag(t) != DW_TAG_base_type && dwarf_tag(t) != DW_TAG_enumeration_type)
		return 0;
	dwarf_formudata(dwarf_attr(t, DW_AT_encoding, &attr), &coding);
	*ret_float = coding == DW_ATE_float;
	if (*ret_float || (size != 1 && size != 2 && size != 4 && size != 8))
		return 0;
	return (uint8_t)(size | (coding == DW_ATE_signed || coding == DW_ATE_signed_char ? 0x80 : 0));
}

/* A member by name, also of structs without a name. */
static bool find_member(Dwarf_Die *t, const char *name, unsigned depth, Dwarf_Die *ret_m, int64_t *off)
{
	Dwarf_Die m, inner;

	if (dwarf_child(t, &m))
		return false;
	do {
		const char *own = dwarf_diename(&m);
		Dwarf_Attribute attr;
		Dwarf_Word at = 0;

		if (dwarf_tag(&m) != DW_TAG_member)
			continue;
		dwarf_formudata(dwarf_attr(&m, DW_AT_data_member_location, &attr), &at);
		if (own && !strcmp(own, name)) {
			*off += (int64_t)at;
			*ret_m = m;
			return true;
		}
		if (!own && depth < MAX_DEPTH && real_type(&m, &inner) && is_struct(&inner) &&
		    find_member(&inner, name, depth + 1, ret_m, off)) {
			*off += (int64_t)at;
			return true;
		}
	} while (!dwarf_siblingof(&m, &m));
	return false;
}

static const char *cut_word(const char *path, char *name, size_t n)
{
	size_t len = strcspn(path, ".-");

	snprintf(name, n, "%.*s", (int)len, path);
	return path + len;
}

static int put_step(struct xpt_hook_way *way, int64_t off, uint8_t width)
{
	if (way->nr == XPT_HOOK_DEREFS || off < 0 || off > INT32_MAX)
		return -ENOENT;
	way->step[way->nr++] = (struct xpt_wire_hook_step){ .off = (int32_t)off, .width = width };
	return 0;
}

/*
 * Finds the first bit of a bit field, from the begin of its struct or from the byte of find_member(). Up to DWARF 3,
 * bits are counted from the top.
 */
static bool find_bit(Dwarf_Die *m, Dwarf_Die *t, Dwarf_Word bits, Dwarf_Word *ret_bit)
{
	Dwarf_Word from_top, size = (Dwarf_Word)dwarf_bytesize(t);
	Dwarf_Attribute attr;

	if (!dwarf_formudata(dwarf_attr(m, DW_AT_data_bit_offset, &attr), ret_bit))
		return true;
	if (dwarf_formudata(dwarf_attr(m, DW_AT_bit_offset, &attr), &from_top))
		return false;
	dwarf_formudata(dwarf_attr(m, DW_AT_byte_size, &attr), &size);
	*ret_bit = size * 8 - from_top - bits;
	return size <= 8 && from_top <= size * 8 && bits <= size * 8 - from_top;
}

static int put_bits(Dwarf_Die *m, Dwarf_Die *t, int64_t off, const char *name, struct xpt_hook_way *way, char *why)
{
	Dwarf_Word bits = 0, bit = 0;
	struct xpt_bit_field f;
	Dwarf_Attribute attr;
	bool is_float;
	uint8_t width = width_of(t, &is_float);

	dwarf_formudata(dwarf_attr(m, DW_AT_bit_size, &attr), &bits);
	if (!width || off < 0 || off > INT32_MAX || !find_bit(m, t, bits, &bit) || bit > INT32_MAX ||
	    !xpt_bit_field__find((uint64_t)off * 8 + bit, bits, &f)) {
		snprintf(why, XPT_DWARF_WHY, "%.40s is a bit field that does not lie within eight bytes", name);
		return -ENOENT;
	}
	if (put_step(way, f.off, (uint8_t)(f.width | (width & 0x80))))
		return -ENOENT;
	way->step[way->nr - 1].bit = f.at;
	way->step[way->nr - 1].bits = f.bits;
	return 0;
}

/* The last member: a number, or the address of an array. */
static int put_last(Dwarf_Die *m, int64_t off, const char *name, struct xpt_hook_way *way, char *why)
{
	bool is_float;
	uint8_t width;
	Dwarf_Die t;

	if (!real_type(m, &t)) {
		snprintf(why, XPT_DWARF_WHY, "%.40s is of no type that is known", name);
		return -ENOENT;
	}
	if (dwarf_hasattr(m, DW_AT_bit_size))
		return put_bits(m, &t, off, name, way, why);
	width = width_of(&t, &is_float);
	if (!width && dwarf_tag(&t) != DW_TAG_array_type) {
		snprintf(why, XPT_DWARF_WHY, is_struct(&t) ? "%.40s is a struct: name a member of it" : "%.40s is no number",
			 name);
		return -ENOENT;
	}
	return put_step(way, off, width);
}

static int walk_path(Dwarf_Die *param, const char *path, struct xpt_hook_way *way, char *why)
{
	char name[XPT_HOOK_PATH];
	Dwarf_Die t, m = *param;
	int64_t off = 0;
	bool pointer = true;

	for (;;) {
		if (!real_type(&m, &t) || (pointer && (!is_pointer(&t) || !real_type(&t, &t))) || !is_struct(&t)) {
			snprintf(why, XPT_DWARF_WHY, "%.40s: what it belongs to is no %sstruct", path,
				 pointer ? "pointer to a " : "");
			return -ENOENT;
		}
		path = cut_word(path, name, sizeof(name));
		if (!find_member(&t, name, 0, &m, &off)) {
			snprintf(why, XPT_DWARF_WHY, "there is no member '%.40s'", name);
			return -ENOENT;
		}
		if (!*path)
			return put_last(&m, off, name, way, why);
		pointer = *path == '-';
		path += pointer ? 2 : 1;
		if (pointer && put_step(way, off, 8))
			return -ENOENT;
		off = pointer ? 0 : off;
	}
}

/* Captures of the hook that lead through this parameter, number i. */
static void find_ways(struct out *o, Dwarf_Die *param, const char *name, unsigned i, uint8_t word)
{
	for (unsigned k = 0; k < o->h->nr_caps; k++) {
		const struct xpt_hook_cap *c = &o->h->cap[k];

		if (!c->path[0] || (c->arg >= 0 ? (unsigned)c->arg != i : !name || strcmp(c->arg_name, name) != 0))
			continue;
		o->fn.way[k].arg = word;
		o->fn.has_way[k] = !walk_path(param, c->path, &o->fn.way[k], o->fn.why[k]);
	}
}

/* Words of parameters up to the first of which that is not known. */
static void read_params(struct out *o, Dwarf_Die *fn)
{
	unsigned i = 0, word = 0, floats = 0;
	Dwarf_Die p, t;

	if (real_type(fn, &t) && is_struct(&t)) {
		if (dwarf_bytesize(&t) <= 16)
			return;
		word = 1;	/* where the result goes comes first */
	}
	if (dwarf_child(fn, &p))
		return;
	do {
		const char *name = dwarf_diename(&p);
		bool is_float;
		uint8_t width;

		if (dwarf_tag(&p) != DW_TAG_formal_parameter)
			continue;
		if (!real_type(&p, &t))
			return;
		width = width_of(&t, &is_float);
		if (is_float && ++floats <= XMM_ARGS && dwarf_bytesize(&t) <= 8) {
			i++;
			continue;
		}
		if (!width || word > LAST_WORD)
			return;
		if (name && o->fn.nr < XPT_MAX_VALS) {
			snprintf(o->fn.name[o->fn.nr], XPT_CAP_NAME, "%s", name);
			o->fn.word[o->fn.nr] = (uint8_t)word;
			o->fn.width[o->fn.nr++] = width;
		}
		find_ways(o, &p, name, i++, (uint8_t)word++);
	} while (!dwarf_siblingof(&p, &p));
}

static const char *symbol_of(Dwarf_Die *fn)
{
	Dwarf_Attribute attr;
	const char *s = dwarf_formstring(dwarf_attr_integrate(fn, DW_AT_linkage_name, &attr));

	return s ? s : dwarf_diename(fn);
}

static int on_function(Dwarf_Die *fn, void *ctx)
{
	struct out *o = ctx;
	const char *sym = symbol_of(fn);

	if (!sym || !xpt_name_match(o->h->probe.name, sym) || strlen(sym) >= XPT_DWARF_SYM ||
	    (!dwarf_hasattr(fn, DW_AT_low_pc) && !dwarf_hasattr(fn, DW_AT_ranges)))
		return DWARF_CB_OK;
	memset(&o->fn, 0, sizeof(o->fn));
	snprintf(o->fn.sym, sizeof(o->fn.sym), "%s", sym);
	read_params(o, fn);
	if (write(o->to, &o->fn, sizeof(o->fn)) != sizeof(o->fn))
		return DWARF_CB_ABORT;
	return ++o->nr == XPT_DWARF_FNS ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static int look_at_file(int fd, int to, const void *ctx)
{
	struct out o = { .to = to, .h = ctx };
	Dwarf_Off at = 0, next;
	Dwarf *dw = NULL;
	size_t header;
	Dwarf_Die unit;
	int err = xpt_dwarf_child__open(fd, NULL, &dw);

	if (err)
		return err;
	while (o.nr < XPT_DWARF_FNS && !dwarf_nextcu(dw, at, &next, &header, NULL, NULL, NULL) && next > at) {
		if (dwarf_offdie(dw, at + header, &unit))
			dwarf_getfuncs(&unit, on_function, &o, 0);
		at = next;
	}
	return o.nr ? 0 : -ENOENT;	/* nothing is freed: the process ends */
}
#else
static int look_at_file(int fd, int to, const void *ctx)
{
	(void)fd;
	(void)to;
	(void)ctx;
	return -ENOTSUP;
}
#endif

static bool is_width(uint8_t width)
{
	uint8_t n = width & 0x7f;

	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* The last step may be the address of an array, which is not read. */
static bool is_way(const struct xpt_hook_way *w)
{
	if (w->nr > XPT_HOOK_DEREFS || w->arg > LAST_WORD)
		return false;
	for (unsigned i = 0; i < w->nr; i++)
		if (w->step[i].off < 0 || w->step[i].bit + w->step[i].bits > 64 || (!is_width(w->step[i].width) && (w->step[i].width || i + 1 < w->nr)))
			return false;
	return true;
}

bool xpt_dwarf__good(struct xpt_dwarf_fn *f)
{
	if (f->nr > XPT_MAX_VALS)
		return false;
	xpt_dwarf_child__clean(f->sym, sizeof(f->sym));
	for (unsigned i = 0; i < f->nr; i++) {
		xpt_dwarf_child__clean(f->name[i], sizeof(f->name[i]));
		if (f->word[i] > LAST_WORD || !is_width(f->width[i]))
			return false;
	}
	for (unsigned i = 0; i < XPT_MAX_VALS; i++) {
		f->why[i][XPT_DWARF_WHY - 1] = '\0';
		xpt_utf8__clean(f->why[i], "");
		if (!is_way(&f->way[i]))
			return false;
	}
	return true;
}

static int read_functions(int fd, const struct xpt_hook *h, struct xpt_dwarf_fn **ret_v, size_t *ret_n)
{
	struct xpt_dwarf_fn *v = calloc(XPT_DWARF_FNS, sizeof(*v));
	size_t size = 0, n = 0;
	int err = v ? xpt_jail__run(look_at_file, fd, h, v, XPT_DWARF_FNS * sizeof(*v), &size) : -ENOMEM;

	/* Results from before its end are as good as others. */
	for (size_t i = 0; v && i < size / sizeof(*v); i++)
		if (xpt_dwarf__good(&v[i]))
			v[n++] = v[i];
	if (!n) {
		free(v);
		return err ? err : -ENOENT;
	}
	*ret_v = v;
	*ret_n = n;
	return err;
}

int xpt_dwarf__read(const char *path, const struct xpt_hook *h, struct xpt_dwarf_fn **ret_v, size_t *ret_n)
{
	bool names = false;
	int fd, err;

	for (unsigned i = 0; i < h->nr_caps; i++)
		names |= h->cap[i].arg < 0 || h->cap[i].path[0];
	fd = names ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return -ENOENT;
	err = read_functions(fd, h, ret_v, ret_n);
	if (err)
		xpt_debug("%s: debug information of %s not %s: %s", path, h->probe.name,
			  xpt_dwarf_child__unread(err) ? "read" : "there", strerror(-err));
	close(fd);
	return err;
}

void xpt_dwarf__known(const struct xpt_dwarf_fn *f, unsigned words, struct xpt_captures *ret_known)
{
	memset(ret_known, 0, sizeof(*ret_known));
	for (unsigned i = 0; i < f->nr; i++) {
		unsigned n = ret_known->spec.nr_caps;

		if (f->word[i] >= words)
			continue;
		ret_known->spec.cap[n] = (struct xpt_wire_cap){
			.op = XPT_CAP_VAL, .arg = f->word[i], .width = f->width[i],
			.role = f->width[i] == 8 ? XPT_ROLE_NONE : XPT_ROLE_VALUE,
		};
		memcpy(ret_known->name[n], f->name[i], XPT_CAP_NAME);
		ret_known->spec.nr_caps++;
	}
}

int xpt_dwarf__way(void *ctx, const struct xpt_hook_cap *c, struct xpt_hook_way *ret_way, struct xpt_hook_error *ret_err)
{
	const struct xpt_dwarf_types *t = ctx;
	size_t i = (size_t)(c - t->h->cap);

	if (i >= t->h->nr_caps || !t->fn->has_way[i]) {
		snprintf(ret_err->why, sizeof(ret_err->why), "%.60s: %s", t->fn->sym, i < t->h->nr_caps && t->fn->why[i][0] ?
			 t->fn->why[i] : "the debug information does not say where that argument is");
		return -ENOENT;
	}
	*ret_way = t->fn->way[i];
	return 0;
}

const struct xpt_dwarf_fn *xpt_dwarf__find(const struct xpt_dwarf_fn *v, size_t n, const char *sym)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].sym, sym))
			return &v[i];
	return NULL;
}
