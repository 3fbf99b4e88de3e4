// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See asked_for.h. The copy comes from the kernel, and where its members are from the kernel's types: neither is
 * believed to be within bounds.
 */
#include "rdma/trace/asked_for.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "rdma/plan/watchlist.h"
#include "rdma/trace/trace_json.h"
#include "rdma/trace/verb_names.h"

enum show { NUMBER, HEX, MASK, STATE, ACCESS, MTU, MIGRATION, TYPE, DLID, DMAC, GLOBAL, OF_GRH, DGID };
enum { AH_IB = 1, AH_ROCE = 2 };	/* enum rdma_ah_attr_type, include/rdma/ib_verbs.h */
#define MASK_NAME "attr_mask"

enum { GID_BYTES = 16, MAC_BYTES = 6, VALUE = 320 };

static const struct {
	const char *name;
	int bit;
	enum show show;
} fields[XPT_RDMA_NR_FIELDS] = {
#define X(id, name, bit, show, qp, ah, user) { name, bit, show },
	XPT_RDMA_FIELDS(X)
#undef X
};

struct reading {
	const struct xpt_wire_rdma_asked *a;
	const struct xpt_rdma_layout *layout;
	uint32_t mask;
	struct xpt_rdma_asked_for *to;
};

/* --- members ---------------------------------------------------------------------------- */

static const uint8_t *find_bytes(const struct reading *r, enum xpt_rdma_field f, uint32_t size)
{
	const struct xpt_kfield *k = &r->layout->field[f];

	if (!k->size || k->size != size || k->off > r->a->len || size > r->a->len - k->off)
		return NULL;
	return r->a->data + k->off;
}

/* Reads an unsigned number of 1, 2, 4 or 8 bytes. False: it is not known. */
static bool read_number(const struct reading *r, enum xpt_rdma_field f, uint64_t *ret_v)
{
	uint32_t size = r->layout->field[f].size;
	const uint8_t *at = find_bytes(r, f, size);

	*ret_v = 0;
	if (!at || (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	memcpy(ret_v, at, size);	/* x86-64 and arm64 begin with the low byte */
	return true;
}

static uint16_t keep_text(struct xpt_rdma_asked_for *a, const char *s, size_t n)
{
	uint32_t at = a->used;

	if (n >= XPT_RDMA_ASKED_TEXT - at)
		n = XPT_RDMA_ASKED_TEXT - at - 1;	/* at is less than that: the last byte is kept */
	memcpy(a->text + at, s, n);
	a->text[at + n] = '\0';
	xpt_utf8__clean(a->text + at, "");
	a->used += (uint32_t)strlen(a->text + at) + (at + n + 1 < XPT_RDMA_ASKED_TEXT);
	return (uint16_t)at;
}

static void add_member(struct xpt_rdma_asked_for *a, const char *name, size_t n, const char *value, bool is_number)
{
	if (a->nr == XPT_RDMA_ASKED_MEMBERS || a->used + 1 >= XPT_RDMA_ASKED_TEXT)
		return;
	a->member[a->nr].name = keep_text(a, name, n);
	a->member[a->nr].value = value ? keep_text(a, value, strlen(value)) : 0;
	a->member[a->nr].is_number = is_number;
	a->member[a->nr++].is_known = value != NULL;
}

/* --- values ----------------------------------------------------------------------------- */

static const char *const migrations[] = { "MIGRATED", "REARM", "ARMED" };	/* enum ib_mig_state */
static const char *const types[] = { "undefined", "IB", "RoCE", "OPA" };	/* enum rdma_ah_attr_type */

static const char *name_of(enum show show, uint64_t v, char *buf, size_t n)
{
	switch (show) {
	case MASK:
		return xpt_rdma_bits(XPT_RDMA_QP_MASK, (uint32_t)v, buf, n);
	case ACCESS:
		return xpt_rdma_bits(XPT_RDMA_ACCESS, (uint32_t)v, buf, n);
	case STATE:
		return v < UINT32_MAX ? xpt_rdma_name(XPT_RDMA_QP_STATES, (uint32_t)v) : NULL;
	case MIGRATION:
		return v < sizeof(migrations) / sizeof(migrations[0]) ? migrations[v] : NULL;
	case TYPE:
		return v < sizeof(types) / sizeof(types[0]) ? types[v] : NULL;
	case HEX:
		snprintf(buf, n, "0x%" PRIx64, v);
		return buf;
	default:
		return NULL;
	}
}

static void add_number(const struct reading *r, enum xpt_rdma_field f)
{
	size_t len = strlen(fields[f].name);
	char buf[VALUE], number[24];
	const char *name;
	uint64_t v;

	if (!read_number(r, f, &v)) {
		add_member(r->to, fields[f].name, len, NULL, false);
		return;
	}
	if (fields[f].show == MTU && v >= 1 && v <= 5)	/* enum ib_mtu: 1 is 256 */
		v = 128u << v;
	name = name_of(fields[f].show, v, buf, sizeof(buf));
	snprintf(number, sizeof(number), "%" PRIu64, v);
	add_member(r->to, fields[f].name, len, name ? name : number, !name);
}

static void add_bytes(const struct reading *r, enum xpt_rdma_field f)
{
	const uint8_t *at = find_bytes(r, f, fields[f].show == DGID ? GID_BYTES : MAC_BYTES);
	char buf[INET6_ADDRSTRLEN] = "";

	if (at && fields[f].show == DGID)
		inet_ntop(AF_INET6, at, buf, sizeof(buf));
	else if (at)
		snprintf(buf, sizeof(buf), "%02x:%02x:%02x:%02x:%02x:%02x", at[0], at[1], at[2], at[3], at[4], at[5]);
	add_member(r->to, fields[f].name, strlen(fields[f].name), at ? buf : NULL, false);
}

/* --- the struct ------------------------------------------------------------------------- */

/* Tells whether a member means something in this struct. One of which that is not known does. */
static bool is_meant(const struct reading *r, enum xpt_rdma_field f)
{
	bool has_type = *xpt_rdma_asked__path(r->a->kind, XPT_RDMA_FIELD_AH_TYPE);
	uint64_t v;

	if (!*xpt_rdma_asked__path(r->a->kind, f))
		return false;
	if (r->a->kind != XPT_RDMA_ASKED_AH && fields[f].bit >= 0 && !(r->mask >> fields[f].bit & 1))
		return false;
	switch (fields[f].show) {
	case OF_GRH:
	case DGID:
		return !read_number(r, XPT_RDMA_FIELD_AH_GLOBAL, &v) || v & 1;	/* IB_AH_GRH */
	case DLID:
		return !has_type || !read_number(r, XPT_RDMA_FIELD_AH_TYPE, &v) || v == AH_IB;
	case DMAC:
		return read_number(r, XPT_RDMA_FIELD_AH_TYPE, &v) && v == AH_ROCE;
	default:
		return true;
	}
}

static void add_mask(const struct reading *r)
{
	char buf[VALUE];

	add_member(r->to, MASK_NAME, strlen(MASK_NAME), xpt_rdma_bits(XPT_RDMA_QP_MASK, r->mask, buf, sizeof(buf)), false);
}

bool xpt_rdma_asked_for__of(const struct xpt_wire_rdma_asked *a, const struct xpt_rdma_layout *layouts,
			    struct xpt_rdma_asked_for *ret_a)
{
	struct reading r = { .a = a, .mask = a->mask, .to = ret_a };
	uint64_t mask;
	int f;

	if (a->kind == XPT_RDMA_ASKED_NOTHING || a->kind >= XPT_RDMA_NR_ASKED || a->len > XPT_RDMA_ASKED_BYTES || !layouts)
		return false;
	r.layout = &layouts[a->kind];
	*ret_a = (struct xpt_rdma_asked_for){ .at = a->at, .size = r.layout->size };
	snprintf(ret_a->of, sizeof(ret_a->of), "%s", xpt_rdma_asked__struct(a->kind));
	if (!a->len) {
		snprintf(ret_a->why, sizeof(ret_a->why), "struct %s could not be read", ret_a->of);
		return true;
	}
	if (a->kind == XPT_RDMA_ASKED_USER) {
		if (!read_number(&r, XPT_RDMA_FIELD_MASK, &mask))
			mask = UINT32_MAX;	/* then all of it is shown */
		r.mask = (uint32_t)mask;
	}
	if (a->kind != XPT_RDMA_ASKED_AH)
		add_mask(&r);
	for (f = XPT_RDMA_FIELD_MASK + 1; f < XPT_RDMA_NR_FIELDS; f++) {
		if (!is_meant(&r, (enum xpt_rdma_field)f))
			continue;
		if (fields[f].show == DGID || fields[f].show == DMAC)
			add_bytes(&r, (enum xpt_rdma_field)f);
		else
			add_number(&r, (enum xpt_rdma_field)f);
	}
	return true;
}

void xpt_rdma_asked_for__unknown(const char *why, struct xpt_rdma_asked_for *ret_a)
{
	*ret_a = (struct xpt_rdma_asked_for){ .nr = 0 };
	snprintf(ret_a->why, sizeof(ret_a->why), "%s", why);
}

bool xpt_rdma_asked_for__has(const struct xpt_rdma_asked_for *a, uint64_t address)
{
	return a && a->nr && a->at && address >= a->at && address - a->at < a->size;
}

/* --- texts ------------------------------------------------------------------------------ */

/* The members tell the mask, but for bits that have no name. */
static bool is_told(const struct xpt_rdma_asked_for *a, uint32_t i)
{
	const char *value = a->text + a->member[i].value;

	return !strcmp(a->text + a->member[i].name, MASK_NAME) && a->nr > 1 && !strstr(value, "0x");
}

void xpt_rdma_asked_for__text(const struct xpt_rdma_asked_for *a, struct xpt_strbuf *sb)
{
	uint32_t i, n = 0;

	if (*a->why)
		xpt_strbuf__addf(sb, "not known: %s", a->why);
	for (i = 0; i < a->nr; i++)
		if (!is_told(a, i))
			xpt_strbuf__addf(sb, "%s%s=%s", n++ ? " " : "", a->text + a->member[i].name,
					 a->member[i].is_known ? a->text + a->member[i].value : "?");
}

void xpt_rdma_asked_for__print(const struct xpt_rdma_asked_for *a, struct xpt_strbuf *sb)
{
	uint32_t i;

	xpt_strbuf__add(sb, "{\"struct\":");
	xpt_strbuf__add_json(sb, a->of);
	if (*a->why) {
		xpt_strbuf__add(sb, ",\"why\":");
		xpt_strbuf__add_json(sb, a->why);
	}
	xpt_strbuf__add(sb, ",\"address\":");
	xpt_rdma_json__add_u64(sb, a->at);
	xpt_strbuf__addf(sb, ",\"size\":%" PRIu32 ",\"members\":{", a->size);
	for (i = 0; i < a->nr; i++) {
		xpt_strbuf__add(sb, i ? "," : "");
		xpt_strbuf__add_json(sb, a->text + a->member[i].name);
		xpt_strbuf__addc(sb, ':');
		if (!a->member[i].is_known)
			xpt_strbuf__add(sb, "null");
		else if (a->member[i].is_number)
			xpt_strbuf__add(sb, a->text + a->member[i].value);
		else
			xpt_strbuf__add_json(sb, a->text + a->member[i].value);
	}
	xpt_strbuf__add(sb, "}}");
}

static void take_text(struct xpt_json *j, char *to, size_t room)
{
	xpt_rdma_json__take_text(j, to, room);
	xpt_utf8__clean(to, "");
}

static void take_member(struct xpt_json *j, const char *name, size_t n, struct xpt_rdma_asked_for *a)
{
	char key[64], value[VALUE] = "";
	enum xpt_json_kind kind;
	bool is_known;
	uint64_t v = 0;

	n = n < sizeof(key) ? n : sizeof(key) - 1;
	memcpy(key, name, n);	/* the name is the reader's, until it goes on */
	kind = xpt_json__kind(j);
	if (kind == XPT_JSON_NUMBER) {
		is_known = xpt_rdma_json__number(j, &v) && v <= INT64_MAX;
		snprintf(value, sizeof(value), "%" PRIu64, v);
		add_member(a, key, n, is_known ? value : NULL, true);
	} else if (kind == XPT_JSON_STRING) {
		take_text(j, value, sizeof(value));
		add_member(a, key, n, value, false);
	} else {
		xpt_json__skip(j);
		add_member(a, key, n, NULL, false);
	}
}

void xpt_rdma_asked_for__take(struct xpt_json *j, struct xpt_rdma_asked_for *ret_a)
{
	const char *key, *name;
	uint64_t v = 0;
	size_t n, len;

	*ret_a = (struct xpt_rdma_asked_for){ .nr = 0 };
	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(j, &key, &n)) {
		if (!strcmp(key, "struct")) {
			take_text(j, ret_a->of, sizeof(ret_a->of));
		} else if (!strcmp(key, "why")) {
			take_text(j, ret_a->why, sizeof(ret_a->why));
		} else if (!strcmp(key, "address")) {
			xpt_rdma_json__number(j, &ret_a->at);
		} else if (!strcmp(key, "size")) {
			ret_a->size = xpt_rdma_json__number(j, &v) ? (uint32_t)v : 0;
		} else if (!strcmp(key, "members")) {
			if (xpt_json__enter(j, XPT_JSON_OBJECT))
				while (xpt_json__key(j, &name, &len))
					take_member(j, name, len, ret_a);
		} else {
			xpt_json__skip(j);
		}
	}
}
