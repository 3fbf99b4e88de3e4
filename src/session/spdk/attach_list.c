// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queue pairs from a recording of calls, see attach_list.h. Probes that do not have the
 * TSC have the time of all events; pairs of both clocks, which traces of probes hold
 * from their begin and end, put it on the TSC.
 */
#include "session/spdk/attach_list.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "pipeline/decode.h"
#include "pipeline/recording/recording.h"
#include "session/beside.h"

#define MAX_WAITING (1u << 20)	/* points, until the clocks are known */
#define NO_CAP 0xff

struct fn {			/* of a probe whose events are about queue pairs */
	bool known;
	enum xpt_spdk_point_kind kind;
	uint8_t tsc, qpair, thread, qid, subnqn, hostnqn;	/* index of the value, or NO_CAP */
};

struct waiting {
	struct xpt_spdk_point p;	/* tsc 0: not known; names are ours */
	uint64_t mono_ns;
};

struct with {
	const char *path;
	uint32_t pid;
	struct fn fn[XPT_MAX_FNS];
	struct waiting *point;
	size_t nr, cap;
	uint32_t other;		/* another process with queue pairs, 0: none */
	uint64_t lost;
	uint64_t origin_ns, probing;	/* the trace's begin; ticks when probes were there. 0: not recorded */
	bool ended;
	struct xpt_spdk_record_stats st;
};

static const char *const names[] = {
	[XPT_SPDK_ADD] = "nvmf_poll_group_add_qpair",
	[XPT_SPDK_REMOVE] = "nvmf_poll_group_remove_qpair",
	[XPT_SPDK_CONNECT] = "nvmf_ctrlr_add_qpair",
	[XPT_SPDK_FINI] = "nvmf_transport_qpair_fini",
};

static uint8_t cap_of(const struct xpt_decoded *d, unsigned nr, const char *name)
{
	for (uint8_t i = 0; i < nr; i++)
		if (!strcmp(d->str[3 + i], name))
			return i;
	return NO_CAP;
}

static void on_fn(struct with *w, const struct xpt_decoded *d)
{
	const struct xpt_rec_fn *r = (const void *)d->rec;
	unsigned nr = r->spec.nr_caps;
	struct fn *f = &w->fn[r->rec.fn];

	*f = (struct fn){ .known = false };
	if (strcmp(d->str[2], "spdk") != 0)
		return;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(d->str[0], names[i]) != 0)
			continue;
		*f = (struct fn){ true, (enum xpt_spdk_point_kind)i, cap_of(d, nr, "tsc"),
				  cap_of(d, nr, "qpair"), cap_of(d, nr, "thread"), cap_of(d, nr, "qid"),
				  cap_of(d, nr, "subnqn"), cap_of(d, nr, "hostnqn") };
		f->known = f->qpair != NO_CAP;
	}
}

static uint64_t value_of(const struct xpt_rec_call *r, uint8_t i)
{
	return i < r->nr_vals && r->valid >> i & 1 ? r->val[i] : 0;
}

/* The first or the second text of a call; NULL: it could not be read. */
static char *text_of(const struct xpt_rec_call *r, const struct xpt_decoded *d, uint8_t cap, int nr)
{
	const char *s = d->str[0], *end;

	if (!s || cap == NO_CAP || !(r->valid >> cap & 1))
		return NULL;
	for (end = s + r->str_len; s && nr; nr--) {
		s = memchr(s, 0, (size_t)(end - s));
		s = s && s + 1 < end ? s + 1 : NULL;
	}
	if (!s || !memchr(s, 0, (size_t)(end - s)))
		return NULL;
	return strdup(s);
}

static int on_call(struct with *w, const struct xpt_decoded *d)
{
	const struct xpt_rec_call *r = (const void *)d->rec;
	const struct fn *f = r->rec.fn < XPT_MAX_FNS ? &w->fn[r->rec.fn] : NULL;
	struct waiting *to;

	if (!f || !f->known)
		return 0;
	if (!w->pid)
		w->pid = r->tgid;
	if (r->tgid != w->pid) {
		w->other = r->tgid;
		return 0;
	}
	if (w->nr == MAX_WAITING) {
		w->st.left_out++;
		return 0;
	}
	if (w->nr == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 256;

		to = realloc(w->point, cap * sizeof(*to));
		if (!to)
			return -ENOMEM;
		w->point = to;
		w->cap = cap;
	}
	to = &w->point[w->nr++];
	*to = (struct waiting){ .mono_ns = r->start_ns, .p = {
		.kind = f->kind, .tsc = value_of(r, f->tsc), .qpair = value_of(r, f->qpair),
		.thread = value_of(r, f->thread), .qid = value_of(r, f->qid) } };
	if (f->kind == XPT_SPDK_CONNECT) {
		to->p.subnqn = text_of(r, d, f->subnqn, 0);
		to->p.hostnqn = text_of(r, d, f->hostnqn, 1);
	}
	return 0;
}

/* "0xTSC 0xNANOSECONDS" */
static bool take_pair(const char *text, struct xpt_spdk_pair *ret_pair)
{
	char first[32];
	const char *blank = strchr(text, ' ');

	if (!blank || blank - text >= (int)sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(blank - text), text);
	return !xpt_parse_u64(first, 1, UINT64_MAX, &ret_pair->tsc) &&
	       !xpt_parse_u64(blank + 1, 1, UINT64_MAX, &ret_pair->mono_ns);
}

static void on_meta(struct with *w, const struct xpt_decoded *d)
{
	struct xpt_spdk_pair pair;
	const char *key = d->str[0], *value = d->str[1];

	if (!strcmp(key, "origin") && !w->origin_ns && xpt_parse_u64(value, 1, UINT64_MAX, &w->origin_ns))
		w->origin_ns = 0;
	if (!strcmp(key, "probing") && take_pair(value, &pair))
		w->probing = pair.tsc;
	if (strcmp(key, "ticks") != 0 || !take_pair(value, &pair))
		return;
	if (!w->st.first.tsc)
		w->st.first = pair;
	w->st.last = pair;
}

static int on_record(struct with *w, const struct xpt_decoded *d)
{
	const struct xpt_rec_loss *loss = (const void *)d->rec;

	switch (d->rec->kind) {
	case XPT_REC_FN:
		on_fn(w, d);
		return 0;
	case XPT_REC_CALL:
		return on_call(w, d);
	case XPT_REC_META:
		on_meta(w, d);
		return 0;
	case XPT_REC_LOSS:
		if (loss->loss == XPT_LOSS_RING_FULL || loss->loss == XPT_LOSS_FILE_LIMIT)
			w->lost = loss->count > w->lost ? loss->count : w->lost;
		return 0;
	case XPT_REC_END:
		w->ended = true;
		return 0;
	default:
		return 0;
	}
}

/* The recording of that path, or the one beside these JSON lines. *ret_fd: to be closed after the reader, or -1. */
static int open_recording(const char *path, int *ret_fd, struct xpt_rec_reader **ret_r)
{
	char name[PATH_MAX];
	int fd = xpt_beside__open(path, name, sizeof(name)), err;

	*ret_fd = fd;
	err = fd < 0 ? xpt_rec_reader__open(path, NULL, ret_r) : xpt_rec_reader__open_fd(fd, NULL, ret_r);
	if (err && fd >= 0)
		close(fd);
	return err;
}

static int read_all(struct with *w)
{
	struct xpt_rec_reader *r = NULL;
	struct xpt_decoded d;
	const void *rec;
	size_t size;
	int err, fd, more = 0;

	err = open_recording(w->path, &fd, &r);
	if (err)
		return xpt_err(err, "cannot read the recording %s: %s", w->path, strerror(-err));
	while (!err && (more = xpt_rec_reader__next(r, &rec, &size)) > 0)
		if (xpt_decode(rec, size, &d))
			err = on_record(w, &d);
	xpt_rec_reader__close(r);
	if (fd >= 0)
		close(fd);
	if (err)
		return xpt_err(err, "out of memory");
	if (more < 0 || !w->ended)
		xpt_warn("%s ends early or is damaged: queue pairs of later are not in it", w->path);
	return 0;
}

/* The TSC at a time of CLOCK_MONOTONIC; 0: there are no pairs. */
static uint64_t to_tsc(const struct with *w, uint64_t mono_ns)
{
	const struct xpt_spdk_pair *a = &w->st.first, *b = &w->st.last;

	double ticks;

	if (b->mono_ns <= a->mono_ns || b->tsc <= a->tsc)
		return 0;
	ticks = (double)(int64_t)(mono_ns - a->mono_ns) *
		((double)(b->tsc - a->tsc) / (double)(b->mono_ns - a->mono_ns));
	return ticks > -0x1p62 && ticks < 0x1p62 ? a->tsc + (uint64_t)(int64_t)ticks : 0;
}

/*
 * The probes were there from the begin of the trace on, or from the recorded moment; a flight recorder's part of
 * it has a later begin of its own. Without pairs of clocks nothing is known.
 */
static void set_span(const struct with *w, struct xpt_spdk_lives *l)
{
	uint64_t from = w->origin_ns ? to_tsc(w, w->origin_ns) : w->st.first.tsc;

	if (to_tsc(w, w->st.last.mono_ns))
		xpt_spdk_lives__set_span(l, w->probing > from ? w->probing : from, w->st.last.tsc);
}

static int hand_over(struct with *w, struct xpt_spdk_lives *l)
{
	int err = 0;

	for (size_t i = 0; i < w->nr && !err; i++) {
		struct xpt_spdk_point *p = &w->point[i].p;

		if (!p->tsc)
			p->tsc = to_tsc(w, w->point[i].mono_ns);
		w->st.bad += !p->tsc;
		err = p->tsc ? xpt_spdk_lives__add(l, p) : 0;
		w->st.left_out += err == -E2BIG;
		err = err == -E2BIG ? 0 : err;
	}
	return err;
}

static int check_process(struct with *w, uint32_t asked)
{
	if (w->other && !asked)
		return xpt_err(-EINVAL, "%s has queue pairs of several processes (%" PRIu32 ", %" PRIu32
			       "): say with -p whose trace it is", w->path, w->pid, w->other);
	if (asked && !w->nr && w->other)
		return xpt_err(-ESRCH, "%s has no queue pairs of process %" PRIu32 ", but of %" PRIu32,
			       w->path, asked, w->other);
	if (!w->nr)
		xpt_warn("%s holds no queue pairs: was it recorded with -d spdk?", w->path);
	if (w->lost)
		xpt_warn("%s has gaps: %" PRIu64 " events were lost when it was recorded", w->path, w->lost);
	return 0;
}

int xpt_spdk_with__read(const char *path, uint32_t pid, struct xpt_spdk_lives *l,
			struct xpt_spdk_record_stats *ret_stats)
{
	struct with *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return xpt_err(-ENOMEM, "out of memory");
	w->path = path;
	w->pid = pid;
	err = read_all(w);
	if (!err)
		err = check_process(w, pid);
	if (!err && hand_over(w, l))
		err = xpt_err(-ENOMEM, "out of memory");
	if (!err)
		set_span(w, l);
	w->st.points = w->nr;
	if (!err && w->st.bad)
		xpt_warn("%s: %" PRIu64 " events have no time of the trace's clock", path, w->st.bad);
	if (!err)
		*ret_stats = w->st;
	for (size_t i = 0; i < w->nr; i++) {
		free((char *)(uintptr_t)w->point[i].p.subnqn);
		free((char *)(uintptr_t)w->point[i].p.hostnqn);
	}
	free(w->point);
	free(w);
	return err;
}
