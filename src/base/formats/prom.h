/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics in the text format of Prometheus (0.0.4), as its servers scrape it and
 * node_exporter's textfile collector reads it: both refuse a whole page for one bad
 * line, so labels are escaped, and no two lines have the same labels as they are written.
 */
#ifndef XPT_BASE_FORMATS_PROM_H
#define XPT_BASE_FORMATS_PROM_H

#include <stdint.h>
#include "base/strbuf.h"

enum {
	XPT_PROM_LABELS = 8,
	/* Bytes of a label's value before it is escaped. A longer value is cut, and ends in a hash. */
	XPT_PROM_LABEL_MAX = 160,
};

enum xpt_prom_type { XPT_PROM_COUNTER, XPT_PROM_GAUGE, XPT_PROM_HISTOGRAM };

struct xpt_prom_family {
	const char *name, *help;	/* a name's characters: [a-zA-Z0-9_:] */
	enum xpt_prom_type type;
	unsigned digits;		/* of a value after the decimal point: 9 for ns that are shown as seconds */
	/*
	 * Names, up to the first NULL. A label "?name" is left out where it is empty, which is the same to readers.
	 */
	const char *label[XPT_PROM_LABELS];
};

struct xpt_prom_row {
	const char *label[XPT_PROM_LABELS];	/* values; NULL: "" */
	uint64_t value;
};

/*
 * A family with its HELP and TYPE lines; nothing if there are no rows. Sorts the rows by
 * their labels and adds up those that are alike. Labels of rows that are too long are replaced, and dangle
 * afterwards. In labels hostile characters (utf8.h) become "?", bytes that are no UTF-8 U+FFFD.
 */
void xpt_prom__add(struct xpt_strbuf *sb, const struct xpt_prom_family *f, struct xpt_prom_row *rows,
		   size_t n);

/* How often a value was below or at each of some bounds. */
struct xpt_prom_histogram {
	const char *label[XPT_PROM_LABELS - 1];	/* as of a row; "le" comes after them */
	uint64_t *below;		/* for each bound, those of the bounds before it among them */
	uint64_t count, sum;
};

/*
 * A family of histograms, with f->digits for the bounds, which rise, and for sums. Sorts h by their labels and adds
 * up those that are alike.
 */
void xpt_prom__add_histograms(struct xpt_strbuf *sb, const struct xpt_prom_family *f, const uint64_t *bound,
			      size_t nr_bounds, struct xpt_prom_histogram *h, size_t n);

#endif
