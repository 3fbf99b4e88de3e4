/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The collection of findings and their schema, see finding.h. A short sorted
 * array: analyzers report a few each, and what falls off its end could not
 * have been shown.
 */
#include "model/finding.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/analyzer.h"

#define MAX_KEPT 64
#define MAX_OF_A_KIND 2	/* shown, while other kinds wait: one loop must not fill the list */

struct rec_verdict {
	const char *kind, *text, *advice, *comm;
	uint64_t lost_ns, pid, at_ns;
	double share;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_verdict, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_verdict, lost_ns, U64, NS, "lost"),
	XPT_FIELD(struct rec_verdict, share, F64, RATIO, "of wall"),
	XPT_FIELD(struct rec_verdict, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_verdict, comm, STR, NONE, "process"),
	XPT_FIELD(struct rec_verdict, at_ns, U64, NS, "at"),
	XPT_FIELD(struct rec_verdict, text, STR, NONE, "finding"),
	XPT_FIELD(struct rec_verdict, advice, STR, NONE, "advice"),
};

const struct xpt_schema xpt_verdict_schema = {
	.name = "verdict", .title = "Findings",
	.help = "What to do something about, most important first: lost is wall time that could be "
		"gained at most, at the time since the start; a last record of kind \"more\" counts "
		"those not shown",
	.layout = XPT_LAYOUT_TEXT, .order = 900, .size = sizeof(struct rec_verdict),
	.fields = fields, .nr_fields = sizeof(fields) / sizeof(fields[0]),
};

struct kept {
	struct xpt_finding f;
	char *text, *advice;	/* what f points to */
};

struct xpt_findings {
	struct kept kept[MAX_KEPT];	/* in order */
	size_t nr;
	uint64_t all;
};

int xpt_findings__new(struct xpt_findings **ret_f)
{
	struct xpt_findings *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*ret_f = f;
	return 0;
}

static void drop(struct kept *k)
{
	free(k->text);
	free(k->advice);
}

void xpt_findings__free(struct xpt_findings *f)
{
	for (size_t i = 0; f && i < f->nr; i++)
		drop(&f->kept[i]);
	free(f);
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const struct xpt_finding *a, const struct xpt_finding *b)
{
	int d = (int)a->weight - (int)b->weight;

	if (!d)
		d = by_number(b->lost_ns, a->lost_ns);
	if (!d)
		d = by_number(a->at_ns - 1, b->at_ns - 1);	/* 0, no place, is last */
	if (!d)
		d = strcmp(a->kind, b->kind);
	return d;
}

void xpt_findings__add(struct xpt_findings *f, const struct xpt_finding *add)
{
	struct kept k = { .f = *add };
	size_t i = f->nr;

	f->all++;
	while (i > 0 && compare(add, &f->kept[i - 1].f) < 0)
		i--;
	if (i == MAX_KEPT)
		return;
	k.text = strdup(add->text);
	k.advice = strdup(add->advice);
	if (!k.text || !k.advice) {
		drop(&k);
		return;
	}
	k.f.text = k.text;
	k.f.advice = k.advice;
	if (f->nr == MAX_KEPT)
		drop(&f->kept[--f->nr]);
	memmove(&f->kept[i + 1], &f->kept[i], (f->nr - i) * sizeof(k));
	f->kept[i] = k;
	f->nr++;
}

uint64_t xpt_finding__wall_ns(const struct xpt_proc *proc, uint64_t start_ns, uint64_t end_ns)
{
	if (proc && proc->first_ns > start_ns)
		start_ns = proc->first_ns;
	if (proc && proc->exit_ns && proc->exit_ns < end_ns)
		end_ns = proc->exit_ns;
	return end_ns > start_ns ? end_ns - start_ns : 0;
}

/* Which to show: first a few of each kind, then places that are left. */
static size_t choose(const struct xpt_findings *f, bool *show)
{
	size_t shown = 0, same;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < f->nr && shown < XPT_MAX_FINDINGS; i++) {
			same = 0;
			for (size_t k = 0; k < i && !pass; k++)
				same += !strcmp(f->kept[k].f.kind, f->kept[i].f.kind);
			if (show[i] || same >= MAX_OF_A_KIND)
				continue;
			show[i] = true;
			shown++;
		}
	}
	return shown;
}

static void emit_one(const struct xpt_finding *f, uint64_t start_ns, uint64_t end_ns,
		     struct xpt_out *out)
{
	uint64_t wall = xpt_finding__wall_ns(f->proc, start_ns, end_ns);
	struct rec_verdict rec = {
		.kind = f->kind, .text = f->text, .advice = f->advice,
		.comm = f->proc ? f->proc->comm : NULL,
		.pid = f->proc ? f->proc->pid : XPT_ABSENT,
		.lost_ns = f->lost_ns ? f->lost_ns : XPT_ABSENT,
		.at_ns = f->at_ns ? (f->at_ns > start_ns ? f->at_ns - start_ns : 0) : XPT_ABSENT,
		.share = (double)f->lost_ns / (double)wall,
	};

	if (!f->lost_ns || !wall)
		rec.share = NAN;
	xpt_out__emit(out, &xpt_verdict_schema, &rec);
}

void xpt_findings__emit(const struct xpt_findings *f, uint64_t start_ns, uint64_t end_ns,
			struct xpt_out *out)
{
	bool show[MAX_KEPT] = { false };
	uint64_t more = f->all - choose(f, show);
	struct rec_verdict rest = { .kind = "more", .advice = "", .pid = XPT_ABSENT,
				    .lost_ns = XPT_ABSENT, .at_ns = XPT_ABSENT };
	char text[80];

	for (size_t i = 0; i < f->nr; i++)
		if (show[i])
			emit_one(&f->kept[i].f, start_ns, end_ns, out);
	if (!more)
		return;
	snprintf(text, sizeof(text), "%llu more finding%s of less weight %s not shown.",
		 (unsigned long long)more, more == 1 ? "" : "s", more == 1 ? "is" : "are");
	rest.text = text;
	rest.share = NAN;
	xpt_out__emit(out, &xpt_verdict_schema, &rest);
}
