/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The collection of findings and their schema, see finding.h. A short sorted
 * array: analyzers report a few each. Where it is full, the user id whose processes have most findings
 * loses the one of least weight, so that no user hides the findings of others.
 */
#include "model/output/finding.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strbuf.h"
#include "model/output/out.h"

#define MAX_KEPT 64
#define MAX_PIDS 5		/* further processes of the same finding that are listed, at most */
#define TEXT_LEN 1200
#define MAX_OF_A_KIND 2	/* shown while other kinds are left: one loop of a program can cause many of a kind */

struct rec_verdict {
	const char *kind, *text, *advice, *comm;
	uint64_t lost_ns, pid, at_ns, processes;
	double share;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_verdict, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_verdict, lost_ns, U64, NS, "lost"),
	XPT_FIELD(struct rec_verdict, share, F64, RATIO, "of wall"),
	XPT_FIELD(struct rec_verdict, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_verdict, comm, STR, NONE, "process"),
	XPT_FIELD(struct rec_verdict, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_verdict, text, STR, NONE, "finding"),
	XPT_FIELD(struct rec_verdict, advice, STR, NONE, "advice"),
	XPT_FIELD(struct rec_verdict, processes, U64, COUNT, "processes"),
};

const struct xpt_schema xpt_verdict_schema = {
	.name = "verdict", .title = "Findings",
	.help = "Problems that can be fixed, most important first; lost: the wall time that a fix saves at "
		"most; at: time since the start; processes: how many of this name and user have the same "
		"finding; a last record of kind \"more\" counts those not shown",
	.layout = XPT_LAYOUT_TEXT, .order = 900, XPT_RECORD(struct rec_verdict, fields),
};

struct kept {
	struct xpt_finding f;
	char *text, *advice, *alike;	/* the texts that f points to */
	const struct xpt_proc *last;	/* that was added to `more` */
	uint64_t more;		/* number of further processes with the same finding */
	uint32_t pid[MAX_PIDS];	/* the first of these */
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

static void drop_kept(struct kept *k)
{
	free(k->text);
	free(k->advice);
	free(k->alike);
}

void xpt_findings__free(struct xpt_findings *f)
{
	for (size_t i = 0; f && i < f->nr; i++)
		drop_kept(&f->kept[i]);
	free(f);
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static uint64_t stopped_ns(const struct xpt_finding *f)
{
	return f->since_ns ? f->since_ns : f->at_ns;
}

static int compare_findings(const struct xpt_finding *a, const struct xpt_finding *b)
{
	int d = (int)a->weight - (int)b->weight;

	if (!d && a->weight == XPT_WEIGHT_STOPPED)	/* the first is the cause of the others, if any is */
		d = by_number(stopped_ns(a) - 1, stopped_ns(b) - 1);
	if (!d)
		d = by_number(b->lost_ns, a->lost_ns);
	if (!d)
		d = by_number(a->at_ns - 1, b->at_ns - 1);	/* 0 (no time is known) wraps around and sorts last */
	if (!d)
		d = strcmp(a->kind, b->kind);
	return d;
}

static bool is_same_user(const struct xpt_finding *a, const struct xpt_finding *b)
{
	return a->proc && b->proc ? a->proc->uid == b->proc->uid : !a->proc && !b->proc;
}

/* Returns the finding of another process with the same name, user, kind and `alike`, or NULL. */
static struct kept *find_alike(struct xpt_findings *f, const struct xpt_finding *add)
{
	for (size_t i = 0; add->alike && add->proc && i < f->nr; i++) {
		const struct xpt_finding *have = &f->kept[i].f;

		if (have->alike && have->proc != add->proc && is_same_user(have, add) && !strcmp(have->kind, add->kind) &&
		    !strcmp(have->alike, add->alike) &&
		    !strcmp(have->proc->comm, add->proc->comm))
			return &f->kept[i];
	}
	return NULL;
}

/*
 * The text of the first one stands for all, since analyzers report in order of time. A process that reports the
 * finding several times in a row, for each of its threads, counts once.
 */
static void add_process(struct kept *k, const struct xpt_finding *add)
{
	if (k->more && k->last == add->proc)
		return;
	k->last = add->proc;
	if (k->more < MAX_PIDS)
		k->pid[k->more] = add->proc->pid;
	k->more++;
	k->f.lost_ns = add->lost_ns > k->f.lost_ns ? add->lost_ns : k->f.lost_ns;
}

static size_t count_of_user(const struct xpt_findings *f, const struct xpt_finding *of)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nr; i++)
		n += is_same_user(&f->kept[i].f, of);
	return n;
}

/* Returns the index of the finding to drop: the last one of the user who has most, the new one included; f->nr: the new one itself. */
static size_t choose_dropped(const struct xpt_findings *f, const struct xpt_finding *add)
{
	size_t most = 0, drop = f->nr, n;

	for (size_t i = f->nr; i-- > 0; ) {
		n = count_of_user(f, &f->kept[i].f) + is_same_user(&f->kept[i].f, add);
		if (n > most) {
			most = n;
			drop = i;
		}
	}
	if ((most == 1 || is_same_user(&f->kept[drop].f, add)) && compare_findings(add, &f->kept[drop].f) >= 0)
		return f->nr;
	return drop;
}

static void drop_at(struct xpt_findings *f, size_t i)
{
	drop_kept(&f->kept[i]);
	f->nr--;
	memmove(&f->kept[i], &f->kept[i + 1], (f->nr - i) * sizeof(f->kept[i]));
}

void xpt_findings__add(struct xpt_findings *f, const struct xpt_finding *add)
{
	struct kept k = { .f = *add }, *like = find_alike(f, add);
	size_t i, drop = MAX_KEPT;

	if (like) {
		add_process(like, add);
		return;
	}
	f->all++;
	if (f->nr == MAX_KEPT) {
		drop = choose_dropped(f, add);
		if (drop == f->nr)
			return;
	}
	k.text = strdup(add->text);
	k.advice = strdup(add->advice);
	k.alike = add->alike ? strdup(add->alike) : NULL;
	if (!k.text || !k.advice || (add->alike && !k.alike)) {
		drop_kept(&k);
		return;
	}
	k.f.text = k.text;
	k.f.advice = k.advice;
	k.f.alike = k.alike;
	if (drop < f->nr)
		drop_at(f, drop);
	for (i = f->nr; i > 0 && compare_findings(add, &f->kept[i - 1].f) < 0; i--)
		;
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

enum pass { EACH_USER, EACH_KIND, OTHERS, PASSES };

/* Whether the finding at i is shown in that pass. */
static bool is_chosen(const struct xpt_findings *f, size_t i, enum pass pass)
{
	size_t same = 0;

	for (size_t k = 0; k < i; k++)
		same += pass == EACH_USER ? is_same_user(&f->kept[k].f, &f->kept[i].f)
					  : !strcmp(f->kept[k].f.kind, f->kept[i].f.kind);
	return same < (pass == EACH_USER ? 1 : pass == EACH_KIND ? MAX_OF_A_KIND : MAX_KEPT);
}

/* Which to show: the first of each user, then a few of each kind, then places that are left. */
static size_t choose_shown(const struct xpt_findings *f, bool *show)
{
	size_t shown = 0;

	for (enum pass pass = EACH_USER; pass < PASSES; pass++) {
		for (size_t i = 0; i < f->nr && shown < XPT_MAX_FINDINGS; i++) {
			if (show[i] || !is_chosen(f, i, pass))
				continue;
			show[i] = true;
			shown++;
		}
	}
	return shown;
}

static void add_alike(struct xpt_strbuf *sb, const struct kept *k)
{
	const char *comm = k->f.proc->comm;

	xpt_strbuf__addf(sb, " The same is true of %" PRIu64 " more process%s: ", k->more,
			 k->more == 1 ? "" : "es");
	for (size_t i = 0; i < k->more && i < MAX_PIDS; i++)
		xpt_strbuf__addf(sb, "%s%s[%u]", i ? ", " : "", comm, k->pid[i]);
	xpt_strbuf__add(sb, k->more > MAX_PIDS ? ", ..." : ".");
}

static void emit_one(const struct kept *k, uint64_t start_ns, uint64_t end_ns,
		     struct xpt_out *out)
{
	const struct xpt_finding *f = &k->f;
	uint64_t wall = xpt_finding__wall_ns(f->proc, start_ns, end_ns);
	struct xpt_strbuf sb;
	struct rec_verdict rec = {
		.kind = f->kind, .text = f->text, .advice = f->advice,
		.processes = f->proc ? k->more + 1 : XPT_ABSENT,
		.comm = f->proc ? f->proc->comm : NULL,
		.pid = f->proc ? f->proc->pid : XPT_ABSENT,
		.lost_ns = f->lost_ns ? f->lost_ns : XPT_ABSENT,
		.at_ns = f->at_ns ? (f->at_ns > start_ns ? f->at_ns - start_ns : 0) : XPT_ABSENT,
		.share = (double)f->lost_ns / (double)wall,
	};

	if (!f->lost_ns || !wall)
		rec.share = NAN;
	xpt_strbuf__init(&sb, TEXT_LEN);
	xpt_strbuf__add(&sb, f->text);
	if (k->more)
		add_alike(&sb, k);
	if (!xpt_strbuf__err(&sb))
		rec.text = xpt_strbuf__str(&sb);
	xpt_out__emit(out, &xpt_verdict_schema, &rec);
	xpt_strbuf__free(&sb);
}

void xpt_findings__emit(const struct xpt_findings *f, uint64_t start_ns, uint64_t end_ns,
			struct xpt_out *out)
{
	bool show[MAX_KEPT] = { false };
	uint64_t more = f->all - choose_shown(f, show);
	struct rec_verdict rest = { .kind = "more", .advice = "", .pid = XPT_ABSENT,
				    .lost_ns = XPT_ABSENT, .at_ns = XPT_ABSENT,
				    .processes = XPT_ABSENT };
	char text[80];

	for (size_t i = 0; i < f->nr; i++)
		if (show[i])
			emit_one(&f->kept[i], start_ns, end_ns, out);
	if (!more)
		return;
	snprintf(text, sizeof(text), "%llu more finding%s %s not shown.",
		 (unsigned long long)more, more == 1 ? "" : "s", more == 1 ? "is" : "are");
	rest.text = text;
	rest.share = NAN;
	xpt_out__emit(out, &xpt_verdict_schema, &rest);
}
