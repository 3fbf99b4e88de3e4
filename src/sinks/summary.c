/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The summary for people: keeps the records of all analyzers until the end and
 * then prints them by the layout of their schema: lists as label and value,
 * tables with columns as wide as their content, findings as wrapped sentences.
 * It knows layouts and units, but no analyzer. In a table that is too wide for
 * the terminal, text and addresses are shortened, the widest column first. An
 * address keeps its last digits, and a number is never cut, nor is the name of a
 * function: if it does not fit its column, it is printed on a line of its own.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/fmt.h"
#include "base/strbuf.h"
#include "model/output/records.h"
#include "model/output/sink.h"
#include "model/text.h"

#define STORE_MAX (8u << 20)	/* bytes of kept records */
#define TEXT_MAX (1u << 20)	/* bytes of text between two writes */
#define MAX_FIELDS 24		/* columns of one table */
#define INDENT 2
#define GAP 2			/* blanks between columns */
#define MIN_TEXT 8		/* columns that a shortened text keeps */
#define MIN_ADDRESS 7		/* an ellipsis and six digits */
#define WHOLE_NAME 40		/* columns that function names keep while other text can be shortened */
#define UNKNOWN "unknown(0x"	/* what handles without a name begin with */
#define MIN_COLUMNS 20
#define MAX_COLUMNS 1000

struct summary {
	struct xpt_sink_cfg cfg;
	struct xpt_records *recs;
	struct xpt_strbuf out, cell;
	bool utf8;
	bool hinted;		/* a title has said how to see all rows */
	uint64_t start_unix_ns;	/* XPT_ABSENT: times since the start are shown, not times of day */
};

/* Were details asked for? */
static bool is_whole(const struct summary *s)
{
	return s->cfg.all || s->cfg.sections;
}

static bool is_zero(const struct xpt_field *f, const void *rec)
{
	uint64_t v;

	memcpy(&v, (const char *)rec + f->offset, sizeof(v));
	return f->type == XPT_T_U64 && !v;
}

static int summary_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct summary *s = st;

	s->cfg = *cfg;
	if (s->cfg.columns < MIN_COLUMNS)
		s->cfg.columns = s->cfg.columns ? MIN_COLUMNS : 80;
	if (s->cfg.columns > MAX_COLUMNS)
		s->cfg.columns = MAX_COLUMNS;
	if (s->cfg.room < s->cfg.columns)
		s->cfg.room = s->cfg.columns;
	s->utf8 = xpt_text_utf8();
	s->start_unix_ns = XPT_ABSENT;
	xpt_strbuf__init(&s->out, TEXT_MAX);
	xpt_strbuf__init(&s->cell, TEXT_MAX);
	return xpt_records__new(STORE_MAX, &s->recs);
}

/*
 * Whether another sentence of the summary has this one's content: that of a finding (in_verdict), or that of
 * an earlier record, which covers several processes (repeats).
 */
static bool is_repeated(const struct summary *s, const struct xpt_schema *schema, const void *rec)
{
	if (schema->layout != XPT_LAYOUT_TEXT || is_whole(s))
		return false;
	for (size_t i = 0; i < schema->nr_fields; i++)
		if ((!strcmp(schema->fields[i].name, "in_verdict") ||
		     !strcmp(schema->fields[i].name, "repeats")) &&
		    !is_zero(&schema->fields[i], rec))
			return true;
	return false;
}

/* Notes the time of day at which the trace started. All other times are relative to it. */
static void note_start(struct summary *s, const struct xpt_schema *schema, const void *rec)
{
	for (size_t i = 0; i < schema->nr_fields; i++)
		if (schema->fields[i].unit == XPT_U_WALL)
			memcpy(&s->start_unix_ns, (const char *)rec + schema->fields[i].offset,
			       sizeof(s->start_unix_ns));
}

static int summary_record(void *st, const struct xpt_schema *schema, const void *rec)
{
	struct summary *s = st;

	if (s->cfg.wall && !strcmp(schema->name, "summary"))
		note_start(s, schema, rec);
	if (is_repeated(s, schema, rec))
		return 0;
	return xpt_sink_cfg__wants(&s->cfg, schema) ? xpt_records__add(s->recs, schema, rec) : 0;
}

static int put_buf(struct summary *s)
{
	int err = xpt_strbuf__err(&s->out);

	errno = 0;
	if (!err && fwrite(xpt_strbuf__str(&s->out), 1, s->out.len, s->cfg.file) != s->out.len)
		err = errno ? -errno : -EIO;
	xpt_strbuf__reset(&s->out);
	return err;
}

static const char *cell_text(struct summary *s, const struct xpt_field *f, const void *rec)
{
	uint64_t v;
	char wall[48];

	xpt_strbuf__reset(&s->cell);
	if (f->unit == XPT_U_MARK) {
		xpt_strbuf__add(&s->cell, is_zero(f, rec) || xpt_field__is_absent(f, rec) ? "" : "*");
		return xpt_strbuf__str(&s->cell);
	}
	if (s->start_unix_ns == XPT_ABSENT || (f->unit != XPT_U_AT && f->unit != XPT_U_WALL) ||
	    xpt_field__is_absent(f, rec)) {
		xpt_field__add_text(f, rec, s->cfg.raw, &s->cell);
		return xpt_strbuf__str(&s->cell);
	}
	memcpy(&v, (const char *)rec + f->offset, sizeof(v));
	if (f->unit == XPT_U_AT)
		xpt_strbuf__add(&s->cell, xpt_fmt_wall(s->start_unix_ns + v, wall, sizeof(wall)));
	else
		xpt_strbuf__add(&s->cell, xpt_fmt_date(v, wall, sizeof(wall)));
	return xpt_strbuf__str(&s->cell);
}

/* Returns the number of rows to print: the first ones only, unless more was asked for. A
 * table with only one row more than those is printed whole. */
static size_t nr_rows(const struct summary *s, const struct xpt_section *sec)
{
	unsigned brief = is_whole(s) ? 0 : sec->schema->brief;

	return !brief || sec->nr <= brief + 1 ? sec->nr : brief;
}

static void add_title(struct summary *s, const struct xpt_section *sec)
{
	size_t room = s->cfg.room, used, shown = nr_rows(s, sec);
	char rows[80] = "";

	if (sec->schema->layout != XPT_LAYOUT_LIST && shown < sec->nr)
		snprintf(rows, sizeof(rows), " (%zu of %zu%s)", shown, sec->nr,
			 s->hinted ? "" : "; report --all shows all");
	s->hinted = s->hinted || rows[0];
	xpt_strbuf__add(&s->out, s->cfg.color ? "\033[1m" : "");
	used = xpt_text__add(&s->out, sec->schema->title, room, s->utf8);
	xpt_strbuf__add(&s->out, s->cfg.color ? "\033[0m" : "");
	xpt_text__add(&s->out, rows, room > used ? room - used : 0, s->utf8);
	xpt_strbuf__addc(&s->out, '\n');
}

/* Finds the fields of a list that are printed; returns their number. */
static size_t list_fields(const struct summary *s, const struct xpt_schema *schema,
			  const void *rec, const struct xpt_field **ret_f)
{
	bool whole = is_whole(s);
	size_t nr = 0;

	for (size_t i = 0; i < schema->nr_fields && nr < MAX_FIELDS; i++) {
		const struct xpt_field *f = &schema->fields[i];
		if (f->unit == XPT_U_WALL && s->start_unix_ns == XPT_ABSENT)
			continue;
		if (!*f->title || (f->type == XPT_T_STR && !*xpt_field__str(f, rec)) ||
		    (!whole && ((f->quiet && is_zero(f, rec)) ||
				(schema->two_columns && xpt_field__is_absent(f, rec)))))
			continue;
		ret_f[nr++] = f;
	}
	return nr;
}

static size_t label_width(const struct summary *s, const struct xpt_field *const *f, size_t nr)
{
	size_t label = 0, w;

	for (size_t i = 0; i < nr; i++) {
		w = xpt_text_columns(f[i]->title, s->utf8);
		label = w > label ? w : label;
	}
	return label;
}

/* Prints "label  value", the label padded to `label` columns. Returns the columns of the value. */
static size_t add_pair(struct summary *s, const struct xpt_field *f, const void *rec,
		       size_t label, size_t room)
{
	xpt_text__cell(&s->out, f->title, label, false, s->utf8);
	xpt_text__pad(&s->out, GAP);
	return xpt_text__add(&s->out, cell_text(s, f, rec), f->type == XPT_T_STR ? room : SIZE_MAX,
			     s->utf8);
}

static size_t value_width(struct summary *s, const struct xpt_field *const *f, size_t nr,
			  const void *rec)
{
	size_t width = 0, w;

	for (size_t i = 0; i < nr; i++) {
		w = xpt_text_columns(cell_text(s, f[i], rec), s->utf8);
		width = w > width ? w : width;
	}
	return width;
}

/* Prints two fields a line, the second half of them beside the first. Returns false if there is no room for that. */
static bool add_two_columns(struct summary *s, const struct xpt_field *const *f, size_t nr,
			    const void *rec)
{
	size_t half = (nr + 1) / 2, left = label_width(s, f, half), used;
	size_t right = label_width(s, f + half, nr - half);
	size_t value = value_width(s, f, half, rec);
	size_t second = value_width(s, f + half, nr - half, rec);

	if (nr < 4 || INDENT + left + GAP + value + 2 * GAP + right + GAP + second > s->cfg.columns)
		return false;
	for (size_t i = 0; i < half; i++) {
		xpt_text__pad(&s->out, INDENT);
		used = add_pair(s, f[i], rec, left, value);
		if (half + i < nr) {
			xpt_text__pad(&s->out, value - used + 2 * GAP);
			add_pair(s, f[half + i], rec, right, second);
		}
		xpt_strbuf__addc(&s->out, '\n');
	}
	return true;
}

static void add_list(struct summary *s, const struct xpt_schema *schema, const void *rec)
{
	const struct xpt_field *f[MAX_FIELDS];
	size_t nr = list_fields(s, schema, rec, f), label = label_width(s, f, nr);
	size_t max = s->cfg.room - INDENT;
	size_t room = max > label + GAP + MIN_TEXT ? max - label - GAP : MIN_TEXT;

	if (schema->two_columns && add_two_columns(s, f, nr, rec))
		return;
	for (size_t i = 0; i < nr; i++) {
		xpt_text__pad(&s->out, INDENT);
		add_pair(s, f[i], rec, label, room);
		xpt_strbuf__addc(&s->out, '\n');
	}
}

/* Whether the field is the process, and the same one in all rows: then it needs no column. */
static bool is_of_one(const struct xpt_section *sec, const struct xpt_field *f)
{
	uint64_t first, v;

	if (f->unit != XPT_U_PROCESS || !sec->nr)
		return false;
	memcpy(&first, (const char *)sec->rec[0] + f->offset, sizeof(first));
	for (size_t r = 1; r < sec->nr; r++) {
		memcpy(&v, (const char *)sec->rec[r] + f->offset, sizeof(v));
		if (v != first)
			return false;
	}
	return true;
}

/* Sets the width of each column to that of its content. */
static void measure_columns(struct summary *s, const struct xpt_section *sec, size_t nf, size_t *width)
{
	for (size_t i = 0; i < nf; i++) {
		const struct xpt_field *f = &sec->schema->fields[i];

		width[i] = f->unit == XPT_U_MARK ? 0 : xpt_text_columns(f->title, s->utf8);
		for (size_t r = 0; *f->title && r < nr_rows(s, sec); r++) {
			size_t w = xpt_text_columns(cell_text(s, f, sec->rec[r]), s->utf8);

			width[i] = w > width[i] ? w : width[i];
		}
		if (f->type == XPT_T_STR && width[i] > s->cfg.room)
			width[i] = s->cfg.room;
		if (is_of_one(sec, f))
			width[i] = 0;
	}
}

/* Returns the width below which a column is not narrowed. names_whole: function names keep
 * WHOLE_NAME columns. */
static size_t least_width(const struct xpt_field *f, bool names_whole)
{
	if (f->unit == XPT_U_HEX)
		return MIN_ADDRESS;
	return names_whole && !strcmp(f->name, "function") ? WHOLE_NAME : MIN_TEXT;
}

/* Takes columns from the widest text until the table fits (true) or no text is left. */
static bool squeeze_to(struct summary *s, const struct xpt_schema *schema, size_t nf, size_t *width,
		       bool names_whole)
{
	for (;;) {
		size_t sum = INDENT, widest = nf;

		for (size_t i = 0; i < nf; i++) {
			sum += width[i] + (i && width[i] ? GAP : 0);
			if ((schema->fields[i].type == XPT_T_STR || schema->fields[i].unit == XPT_U_HEX) &&
			    width[i] > least_width(&schema->fields[i], names_whole) &&
			    (widest == nf || width[i] > width[widest]))
				widest = i;
		}
		if (sum <= s->cfg.room || widest == nf)
			return sum <= s->cfg.room;
		width[widest]--;
	}
}

static void squeeze_columns(struct summary *s, const struct xpt_schema *schema, size_t nf, size_t *width)
{
	if (!squeeze_to(s, schema, nf, width, true))
		squeeze_to(s, schema, nf, width, false);
}

/* Prints an address, or, where there is no room for it, its last digits, by which addresses differ. */
static void add_address(struct summary *s, const char *text, size_t width)
{
	size_t len = strlen(text);

	if (len <= width) {
		xpt_text__cell(&s->out, text, width, true, s->utf8);
		return;
	}
	xpt_strbuf__add(&s->out, s->utf8 ? "\u2026" : "~");
	xpt_strbuf__add(&s->out, text + len - (width - 1));
}

/* Whether the field holds names that are never cut: of functions, or of a process with its container. */
static bool is_name(const struct xpt_field *f)
{
	static const char *const fields[] = { "function", "kernel", "caller", "outer", "ioctl", "before",
					      "after", "label" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(f->name, fields[i]))
			return true;
	return false;
}

/* Whether a name is too long for its column. Of a handle without a name, the last digits suffice. */
static bool is_too_long(const struct summary *s, const struct xpt_field *f, const char *text, size_t width)
{
	return is_name(f) && strncmp(text, UNKNOWN, sizeof(UNKNOWN) - 1) != 0 &&
	       xpt_text_columns(text, s->utf8) > width;
}

/* Prints a name alone on a line, below its column if there is room for it. */
static void add_name_line(struct summary *s, const char *text, size_t at)
{
	size_t cols = xpt_text_columns(text, s->utf8);

	if (at + cols > s->cfg.room)
		at = INDENT + cols < s->cfg.room ? s->cfg.room - cols : INDENT;
	xpt_text__pad(&s->out, at);
	xpt_text__add(&s->out, text, SIZE_MAX, s->utf8);
	xpt_strbuf__addc(&s->out, '\n');
}

static void add_cell(struct summary *s, const struct xpt_field *f, const void *rec, size_t width, bool last)
{
	const char *text = rec ? cell_text(s, f, rec) : f->title;

	if (rec && is_too_long(s, f, text, width))
		xpt_text__pad(&s->out, width);
	else if (rec && f->unit == XPT_U_HEX)
		add_address(s, text, width);
	else if (f->type == XPT_T_STR && last)
		xpt_text__add(&s->out, text, width, s->utf8);
	else
		xpt_text__cell(&s->out, text, width, f->type != XPT_T_STR, s->utf8);
}

/* Prints one line of a table: the column heads (rec is NULL) or a record. */
static void add_row(struct summary *s, const struct xpt_schema *schema, size_t nf,
		    const size_t *width, const void *rec)
{
	for (size_t i = 0; i < nf; i++) {
		const struct xpt_field *f = &schema->fields[i];

		if (!*f->title || !width[i])
			continue;
		xpt_text__pad(&s->out, i ? GAP : INDENT);
		add_cell(s, f, rec, width[i], i + 1 == nf);
	}
	while (s->out.len && s->out.s[s->out.len - 1] == ' ')
		s->out.s[--s->out.len] = '\0';
	xpt_strbuf__addc(&s->out, '\n');
}

/*
 * Prints the names that are too long for their columns: with `first` that of the first column, else those of all
 * others.
 */
static void add_names(struct summary *s, const struct xpt_schema *schema, size_t nf, const size_t *width,
		      const void *rec, bool first)
{
	size_t at = INDENT;

	for (size_t i = 0; i < nf; i++) {
		const struct xpt_field *f = &schema->fields[i];
		const char *text = cell_text(s, f, rec);

		if (!*f->title || !width[i])
			continue;
		if ((i == 0) == first && is_too_long(s, f, text, width[i]))
			add_name_line(s, text, at);
		at += width[i] + GAP;
	}
}

static int put_table(struct summary *s, const struct xpt_section *sec)
{
	const struct xpt_schema *schema = sec->schema;
	size_t nf = schema->nr_fields < MAX_FIELDS ? schema->nr_fields : MAX_FIELDS;
	size_t width[MAX_FIELDS];
	int err = 0;

	measure_columns(s, sec, nf, width);
	squeeze_columns(s, schema, nf, width);
	add_row(s, schema, nf, width, NULL);
	for (size_t r = 0; !err && r < nr_rows(s, sec); r++) {
		add_names(s, schema, nf, width, sec->rec[r], true);
		add_row(s, schema, nf, width, sec->rec[r]);
		add_names(s, schema, nf, width, sec->rec[r], false);
		err = put_buf(s);
	}
	return err;
}

/* Bytes of the word at p and of the blanks before it. */
static size_t next_word(const char *p, size_t *ret_blanks)
{
	*ret_blanks = strspn(p, " \t\r\n");
	return strcspn(p + *ret_blanks, " \t\r\n");
}

/* Prints a mark of one column before a sentence, in colour if colours are on. */
static void add_mark(struct summary *s, size_t indent, const char *mark, const char *color)
{
	xpt_text__pad(&s->out, indent);
	xpt_strbuf__add(&s->out, s->cfg.color ? color : "");
	xpt_strbuf__add(&s->out, mark);
	xpt_strbuf__add(&s->out, s->cfg.color ? " \033[0m" : " ");
}

/* Prints a sentence after its mark, broken at blanks. All its lines begin at column `bullet`. */
static void add_sentence(struct summary *s, size_t bullet, const char *text)
{
	size_t max = s->cfg.columns, col = bullet, blanks, n;

	while ((n = next_word(text, &blanks)) > 0) {
		size_t w;

		xpt_strbuf__reset(&s->cell);
		xpt_strbuf__addn(&s->cell, text + blanks, n);
		w = xpt_text_columns(xpt_strbuf__str(&s->cell), s->utf8);
		if (col > bullet && col + 1 + w > max) {
			xpt_strbuf__addc(&s->out, '\n');
			xpt_text__pad(&s->out, bullet);
			col = bullet;
		}
		if (col > bullet) {
			xpt_strbuf__addc(&s->out, ' ');
			col++;
		}
		col += xpt_text__add(&s->out, xpt_strbuf__str(&s->cell), SIZE_MAX, s->utf8);
		text += blanks + n;
	}
	xpt_strbuf__addc(&s->out, '\n');
}

/* Adds the evidence of a finding after a bullet, the advice after an arrow below it. */
static void add_text(struct summary *s, const struct xpt_field *f, const void *rec)
{
	const char *text = xpt_field__str(f, rec);

	if (strcmp(f->name, "text") == 0) {
		add_mark(s, INDENT, s->utf8 ? "\u2022" : "*", "\033[31m");
		add_sentence(s, 2 * INDENT, text);
	} else if (strcmp(f->name, "advice") == 0 && *text) {
		add_mark(s, 2 * INDENT, s->utf8 ? "\u2192" : ">", "\033[32m");
		add_sentence(s, 3 * INDENT, text);
	}
}

static int put_sentences(struct summary *s, const struct xpt_section *sec)
{
	const struct xpt_schema *schema = sec->schema;
	int err = 0;

	for (size_t r = 0; !err && r < sec->nr; r++) {
		for (size_t i = 0; i < schema->nr_fields; i++)
			add_text(s, &schema->fields[i], sec->rec[r]);
		err = put_buf(s);
	}
	return err;
}

/* Prints lines that the analyzer has formatted. None is cut or broken, because of the names in them. */
static int put_lines(struct summary *s, const struct xpt_section *sec)
{
	const struct xpt_schema *schema = sec->schema;
	int err = 0;

	for (size_t r = 0; !err && r < sec->nr; r++) {
		for (size_t i = 0; i < schema->nr_fields; i++) {
			if (strcmp(schema->fields[i].name, "text"))
				continue;
			xpt_text__add_lines(&s->out, xpt_field__str(&schema->fields[i], sec->rec[r]), s->utf8);
			xpt_strbuf__addc(&s->out, '\n');
		}
		err = put_buf(s);
	}
	return err;
}

static int put_section(struct summary *s, const struct xpt_section *sec, bool first)
{
	char buf[32];
	int err = 0;

	if (!sec->nr)
		return 0;
	xpt_strbuf__add(&s->out, first ? "" : "\n");
	add_title(s, sec);
	switch (sec->schema->layout) {
	case XPT_LAYOUT_LIST:
		add_list(s, sec->schema, sec->rec[sec->nr - 1]);
		break;
	case XPT_LAYOUT_TABLE:
		err = put_table(s, sec);
		break;
	case XPT_LAYOUT_LINES:
		err = put_lines(s, sec);
		break;
	case XPT_LAYOUT_TEXT:
		err = put_sentences(s, sec);
		break;
	}
	if (sec->dropped)
		xpt_strbuf__addf(&s->out, "  (%s more not shown: too many to keep)\n",
				 xpt_fmt_count(sec->dropped, buf, sizeof(buf)));
	return err ? err : put_buf(s);
}

static int summary_close(void *st)
{
	struct summary *s = st;
	const struct xpt_section *sec;
	bool first = !s->cfg.follows;
	size_t nr;
	int err = 0;

	if (s->recs) {
		sec = xpt_records__sections(s->recs, &nr);
		for (size_t i = 0; !err && i < nr; i++) {
			err = put_section(s, &sec[i], first);
			first = first && !sec[i].nr;
		}
		if (!err && fflush(s->cfg.file) != 0)
			err = -errno;
	}
	xpt_records__free(s->recs);
	xpt_strbuf__free(&s->out);
	xpt_strbuf__free(&s->cell);
	return err;
}

const struct xpt_sink xpt_sink_summary = {
	.name = "summary",
	.help = "what the trace showed, for people, at the end",
	.state_size = sizeof(struct summary),
	.open = summary_open,
	.record = summary_record,
	.close = summary_close,
};
