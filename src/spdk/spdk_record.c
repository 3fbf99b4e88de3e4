// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reader of text recordings, see spdk_record.h. Names may contain the separators of fields (a comma, an equals
 * sign, a quote): a name ends at a quote that is followed by the end of the line or by the next field.
 */
#include "spdk/spdk_record.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

struct field {
	const char *name;
	size_t offset;
	bool is_name;	/* a string */
};

#define FIELD(name_) { #name_, offsetof(struct xpt_spdk_point, name_), false }
#define NAME(name_) { #name_, offsetof(struct xpt_spdk_point, name_), true }

static const struct line_kind {
	const char *name;
	enum xpt_spdk_point_kind kind;
	unsigned nr;
	struct field field[5];
} kinds[] = {
	{ "nvmf_poll_group_add_qpair", XPT_SPDK_ADD, 3,
	  { FIELD(tsc), FIELD(qpair), FIELD(thread) } },
	{ "nvmf_poll_group_remove_qpair", XPT_SPDK_REMOVE, 3,
	  { FIELD(tsc), FIELD(qpair), FIELD(thread) } },
	{ "nvmf_ctrlr_add_qpair", XPT_SPDK_CONNECT, 5,
	  { FIELD(tsc), FIELD(qpair), FIELD(qid), NAME(subnqn), NAME(hostnqn) } },
	{ "nvmf_transport_qpair_fini", XPT_SPDK_FINI, 2, { FIELD(tsc), FIELD(qpair) } },
};

/* Hexadecimal with or without 0x; where it ends, or NULL. */
static char *take_hex(char *p, uint64_t *ret_v)
{
	uint64_t v = 0;
	unsigned n = 0;

	if (p[0] == '0' && (p[1] | 32) == 'x')
		p += 2;
	for (;; p++, n++) {
		char c = (char)(*p | 32);
		int d = *p >= '0' && *p <= '9' ? *p - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (d < 0)
			break;
		if (v >> 60)
			return NULL;
		v = v << 4 | (unsigned)d;
	}
	*ret_v = v;
	return n ? p : NULL;
}

/* The quote that ends a name: the line ends there, or another field of the kind follows. */
static char *end_of_name(char *p, const struct line_kind *k)
{
	for (p = strchr(p, '\''); p; p = strchr(p + 1, '\'')) {
		const char *next = p + 1 + strspn(p + 1, " ");

		if (!*next)
			return p;
		if (*next++ != ',')
			continue;
		next += strspn(next, " ");
		for (unsigned i = 0; i < k->nr; i++) {
			size_t n = strlen(k->field[i].name);

			if (!strncmp(next, k->field[i].name, n) && next[n] == '=')
				return p;
		}
	}
	return NULL;
}

/* One field at p; where it ends, or NULL. A field that comes twice was made up by a host, within its name. */
static char *take_field(char *p, const struct line_kind *k, struct xpt_spdk_point *to,
			unsigned *seen)
{
	for (unsigned i = 0; i < k->nr; i++) {
		const struct field *f = &k->field[i];
		size_t n = strlen(f->name);
		char *end;

		if (strncmp(p, f->name, n) != 0 || p[n] != '=')
			continue;
		p += n + 1;
		if (*seen & 1u << i)
			return NULL;
		*seen |= 1u << i;
		if (!f->is_name)
			return take_hex(p, (uint64_t *)((char *)to + f->offset));
		if (*p == '?')	/* could not be read; the name stays NULL */
			return p + 1;
		end = *p == '\'' ? end_of_name(p + 1, k) : NULL;
		if (!end)
			return NULL;
		*end = '\0';
		*(const char **)((char *)to + f->offset) = p + 1;
		return end + 1;
	}
	return NULL;
}

int xpt_spdk_record__parse(char *line, struct xpt_spdk_point *ret_p)
{
	size_t n = strcspn(line, ":");
	struct xpt_spdk_point to = { 0 };
	unsigned seen = 0;
	char *p;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct line_kind *k = &kinds[i];

		if (n != strlen(k->name) || memcmp(line, k->name, n) != 0 || line[n] != ':')
			continue;
		to.kind = k->kind;
		for (p = line + n + 1; p; p++) {
			p += strspn(p, " \t\r");
			p = take_field(p, k, &to, &seen);
			if (p)
				p += strspn(p, " \t\r");
			if (!p || !*p)
				break;
			if (*p != ',')
				return -EBADMSG;
		}
		if (!p || seen != (1u << k->nr) - 1)
			return -EBADMSG;
		*ret_p = to;
		return 1;
	}
	return 0;
}

static void take_pair(const char *line, struct xpt_spdk_record_stats *st)
{
	static const char head[] = "xputrace_clock: tsc=", mid[] = ", mono=";
	struct xpt_spdk_pair pair;
	const char *p = line + sizeof(head) - 1;

	if (strncmp(line, head, sizeof(head) - 1) != 0)
		return;
	p = take_hex((char *)p, &pair.tsc);
	if (!p || strncmp(p, mid, sizeof(mid) - 1) != 0 ||
	    !take_hex((char *)p + sizeof(mid) - 1, &pair.mono_ns))
		return;
	if (!st->first.tsc)
		st->first = pair;
	st->last = pair;
}

/* "Lost 12 events": bpftrace writes it where events found no room, and so do we. */
static void take_lost(const char *line, struct xpt_spdk_record_stats *st)
{
	static const char head[] = "Lost ", tail[] = " events";
	const char *digits = line + sizeof(head) - 1;
	size_t n = strspn(digits, "0123456789");
	char text[24];
	uint64_t nr;

	if (!n || n >= sizeof(text) || strcmp(digits + n, tail) != 0)
		return;
	memcpy(text, digits, n);
	text[n] = '\0';
	if (!xpt_parse_u64(text, 0, UINT64_MAX, &nr))
		st->lost = nr > UINT64_MAX - st->lost ? UINT64_MAX : st->lost + nr;
}

/* The rest of a line that was too long for the buffer. */
static void skip_line(FILE *f)
{
	int c;

	do {
		c = getc_unlocked(f);
	} while (c != EOF && c != '\n');
}

int xpt_spdk_record__read(FILE *f, struct xpt_spdk_lives *l, struct xpt_spdk_record_stats *ret)
{
	struct xpt_spdk_record_stats st = { 0 };
	char line[XPT_SPDK_LINE_MAX + 2];
	struct xpt_spdk_point p;
	int err = 0, is;

	while (!err && fgets(line, sizeof(line), f)) {
		size_t n = strcspn(line, "\n");
		bool whole = line[n] == '\n';

		line[n] = '\0';
		st.cut = !whole && n < sizeof(line) - 1;
		if (!whole && !st.cut) {
			skip_line(f);
			line[strcspn(line, "'")] = '\0';	/* its name shows the intended type of the line */
		}
		is = xpt_spdk_record__parse(line, &p);
		if (is > 0 && st.cut && p.kind != XPT_SPDK_CONNECT)
			is = -EBADMSG;	/* its last number may have lost digits */
		st.bad += is < 0;
		if (!is && !st.cut && !strncmp(line, "Lost ", 5))
			take_lost(line, &st);
		else if (!is && !st.cut)
			take_pair(line, &st);
		if (is <= 0)
			continue;
		err = xpt_spdk_lives__add(l, &p);
		st.points += !err;
		st.left_out += err == -E2BIG;
		err = err == -E2BIG ? 0 : err;
	}
	if (!err && ferror(f))
		err = -EIO;
	if (!err && st.first.tsc)	/* that line is written when the probes are there */
		xpt_spdk_lives__set_span(l, st.first.tsc, st.last.tsc);
	if (!err)
		*ret = st;
	return err;
}
