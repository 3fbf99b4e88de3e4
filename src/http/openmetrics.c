// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See openmetrics.h. Differences of the formats: OpenMetrics names the family of a counter without the "_total" of
 * its samples, and has no counters without "_total": such a family (names of dcgm-exporter) is "unknown" there; a
 * family whose name ends in a unit has a line with it; quotes in HELP texts are escaped; there are no comments; the
 * page ends with "# EOF", without which clients refuse it. "_created" is optional: when a counter began is known of
 * none.
 */
#include "http/openmetrics.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define TOTAL "_total"
#define HELP "# HELP "
#define TYPE "# TYPE "
#define HEAD 7u			/* bytes of either */
#define MAX_LINE 65536u	/* of a HELP text: longer than any of ours */
#define MOST 1000u		/* q=1 of an Accept header, in thousandths: it has at most three digits */

/* --- Accept ------------------------------------------------------------------------------------------- */

/* One of the comma-separated ranges of an Accept header, with its parameters. */
struct range {
	const char *type;
	size_t length;			/* of type */
	const char *version;		/* or NULL */
	size_t version_length;
	unsigned q;			/* in thousandths */
};

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " \t");
}

/* "0.75": 750. Any other text is 0, so that no client gets a format that it may not read. */
static unsigned parse_q(const char *s, size_t n)
{
	unsigned q = 0, worth = MOST;

	for (size_t i = 0; i < n; i++) {
		if (i == 1 ? s[i] != '.' : !isdigit((unsigned char)s[i]))
			return 0;
		if (i == 1)
			continue;
		q += (unsigned)(s[i] - '0') * worth;
		worth /= 10;
	}
	return q < MOST ? q : MOST;
}

static void take_parameter(struct range *r, const char *s)
{
	size_t name = strcspn(s, "= \t;,");
	const char *value = s[name] == '=' ? s + name + 1 : s + name;
	bool quoted = *value == '"';
	size_t n = strcspn(value + quoted, quoted ? "\"" : " \t;,");

	if (name == 1 && !strncasecmp(s, "q", 1))
		r->q = parse_q(value + quoted, n);
	if (name == 7 && !strncasecmp(s, "version", 7)) {
		r->version = value + quoted;
		r->version_length = n;
	}
}

/* The range at s; where the next one begins. */
static const char *parse_range(const char *s, struct range *ret)
{
	*ret = (struct range){ .type = skip_spaces(s), .q = MOST };
	ret->length = strcspn(ret->type, " \t;,");
	for (s = ret->type + strcspn(ret->type, ";,"); *s == ';'; s += strcspn(s, ";,")) {
		s = skip_spaces(s + 1);
		take_parameter(ret, s);
	}
	return *s ? s + 1 : s;
}

static bool is_type(const struct range *r, const char *type)
{
	return r->length == strlen(type) && !strncasecmp(r->type, type, r->length);
}

/* Whether the range is of a format that is served: of that type, and of no other version. */
static bool is_format(const struct range *r, const char *type, const char *version)
{
	return is_type(r, type) && (!r->version || (r->version_length == strlen(version) &&
						    !strncmp(r->version, version, r->version_length)));
}

/* How well a range of the header fits the text format; the q of those that fit best counts. */
enum { FITS_NOT, FITS_ALL, FITS_TEXT, FITS_TYPE };

static int fit_text(const struct range *r)
{
	return is_format(r, "text/plain", "0.0.4") ? FITS_TYPE : is_type(r, "text/*") ? FITS_TEXT :
	       is_type(r, "*/*") ? FITS_ALL : FITS_NOT;
}

/* OpenMetrics is for those alone who name it: others have understood the text format so far. */
bool xpt_openmetrics__is_preferred(const char *accept)
{
	unsigned text = 0, openmetrics = 0;
	int best = FITS_NOT, fit;
	struct range r;

	while (accept && *accept) {
		accept = parse_range(accept, &r);
		if (is_format(&r, "application/openmetrics-text", "1.0.0") && r.q > openmetrics)
			openmetrics = r.q;
		fit = fit_text(&r);
		if (fit > best || (fit && fit == best && r.q > text))
			text = r.q;
		best = fit > best ? fit : best;
	}
	return openmetrics && openmetrics >= text;
}

/* --- the page ------------------------------------------------------------------------------------------ */

static bool starts_with(const char *s, size_t n, const char *start)
{
	return n >= strlen(start) && !memcmp(s, start, strlen(start));
}

static size_t line_length(const struct xpt_openmetrics *o, size_t at)
{
	const char *end = memchr(o->page + at, '\n', o->size - at);

	return end ? (size_t)(end - o->page) - at + 1 : o->size - at;
}

/* Whether the line at `at`, or the one after it, is the TYPE line of a counter. */
static bool is_of_counter(const struct xpt_openmetrics *o, size_t at)
{
	static const char end[] = " counter\n";
	size_t n = line_length(o, at);

	if (starts_with(o->page + at, n, HELP)) {
		at += n;
		n = line_length(o, at);
	}
	return starts_with(o->page + at, n, TYPE) && n > sizeof(end) &&
	       !memcmp(o->page + at + n - (sizeof(end) - 1), end, sizeof(end) - 1);
}

static void add_escaped(struct xpt_strbuf *sb, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			xpt_strbuf__addc(sb, '\\');
		xpt_strbuf__addc(sb, s[i]);
	}
}

static bool ends_with(const char *s, size_t n, const char *end)
{
	return n > strlen(end) && !memcmp(s + n - strlen(end), end, strlen(end));
}

/* The line with the unit of a family, if its name ends in one: those of Prometheus's names, as ours have them. */
static void add_unit(struct xpt_strbuf *sb, const char *name, size_t n)
{
	static const char *const ends[] = { "_bytes_per_second", "_seconds", "_bytes", "_ratio", "_watts", "_joules", "_hertz",
					    "_celsius" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (!ends_with(name, n, ends[i]))
			continue;
		xpt_strbuf__add(sb, "# UNIT ");
		xpt_strbuf__addn(sb, name, n);
		xpt_strbuf__addf(sb, " %s\n", ends[i] + 1);
		return;
	}
}

/* Makes the replacement of the HELP or TYPE line at o->at, which has n bytes. */
static void replace_comment(struct xpt_openmetrics *o, size_t n)
{
	const char *s = o->page + o->at, *name = s + HEAD, *space = memchr(name, ' ', n - HEAD);
	size_t length = space ? (size_t)(space - name) : n - HEAD, family = length;
	bool counter = is_of_counter(o, o->at), total = counter && ends_with(name, length, TOTAL);

	if (total)
		family -= strlen(TOTAL);
	xpt_strbuf__addn(&o->line, s, HEAD + family);
	if (starts_with(s, n, HELP)) {
		add_escaped(&o->line, name + length, n - HEAD - length);
	} else {
		if (counter && !total)
			xpt_strbuf__add(&o->line, " unknown\n");
		else
			xpt_strbuf__addn(&o->line, name + length, n - HEAD - length);
		if (s[n - 1] == '\n')	/* else the page is cut off here */
			add_unit(&o->line, name, family);
	}
	o->at += n;
}

/* Passes comments, which have no place in OpenMetrics. Returns the length of the line after them. */
static size_t skip_comments(struct xpt_openmetrics *o)
{
	size_t n = line_length(o, o->at);

	while (n && o->page[o->at] == '#' && !starts_with(o->page + o->at, n, HELP) && !starts_with(o->page + o->at, n, TYPE)) {
		o->at += n;
		n = line_length(o, o->at);
	}
	return n;
}

/* Makes the next line that differs from the page's, if it is one's turn. */
static void make_line(struct xpt_openmetrics *o)
{
	bool at_start = !o->at || o->page[o->at - 1] == '\n';
	size_t n = at_start ? skip_comments(o) : 0;

	xpt_strbuf__reset(&o->line);
	o->line_at = 0;
	if (o->at == o->size) {
		xpt_strbuf__add(&o->line, at_start ? "# EOF\n" : "\n# EOF\n");
		o->has_ended = true;
	} else if (at_start && o->page[o->at] == '#') {
		replace_comment(o, n);
	}
}

/* How many bytes of the page from o->at on are the same in both formats, at most max. */
static size_t same_bytes(const struct xpt_openmetrics *o, size_t max)
{
	const char *from = o->page + o->at, *comment;
	size_t n = o->size - o->at < max ? o->size - o->at : max;

	comment = memmem(from, n, "\n#", 2);
	return comment ? (size_t)(comment - from) + 1 : n;
}

void xpt_openmetrics__begin(struct xpt_openmetrics *ret_o, const char *page, size_t size)
{
	*ret_o = (struct xpt_openmetrics){ .page = page, .size = size };
	xpt_strbuf__init(&ret_o->line, MAX_LINE);
}

static size_t copy_piece(char *buf, size_t max, const char *s, size_t n)
{
	n = n < max ? n : max;
	memcpy(buf, s, n);
	return n;
}

size_t xpt_openmetrics__read(struct xpt_openmetrics *o, char *buf, size_t max)
{
	size_t done = 0, n;

	while (done < max) {
		if (o->line_at == o->line.len && !o->has_ended)
			make_line(o);
		if (xpt_strbuf__err(&o->line))
			return 0;
		if (o->line_at < o->line.len) {
			n = copy_piece(buf + done, max - done, o->line.s + o->line_at, o->line.len - o->line_at);
			o->line_at += n;
		} else if (o->at < o->size) {
			n = copy_piece(buf + done, max - done, o->page + o->at, same_bytes(o, max - done));
			o->at += n;
		} else {
			break;
		}
		done += n;
	}
	return done;
}

void xpt_openmetrics__free(struct xpt_openmetrics *o)
{
	xpt_strbuf__free(&o->line);
}
