// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See nccl_log.h: which call each line is about. Lines take calls in rounds, the most exact
 * first, so that none takes a call that a later line names better. Lines that say the same
 * search on where the one before them found its call.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "rdma/trace/nccl_log.h"

/* How well line and call agree on who made it. */
enum who {
	STRANGER,	/* they do not */
	SOMEBODY,	/* the line does not say */
	INSIDE,		/* the call was made in a container: the line's numbers may be those of its inside */
	PROCESS,
	THREAD,
};

struct round {
	enum who who;
	bool has_code;
};

static const struct round rounds[] = {
	{ THREAD, true }, { THREAD, false }, { PROCESS, true }, { PROCESS, false },
	{ SOMEBODY, true }, { INSIDE, true }, { SOMEBODY, false }, { INSIDE, false },
};

struct process {		/* key of a process; no padding */
	char host[64];
	uint32_t pid, zero;
};

struct saying {			/* all that a line says; no padding */
	struct process process;
	uint32_t tid, verb;
	int32_t code;
	char state[8];
};

struct matching {
	struct xpt_rdma_nccl *nccl;
	uint32_t *by_time, *by_pid;	/* indices of calls */
	struct xpt_hashmap *sayings;	/* struct saying -> number from 1 */
	struct xpt_hashmap *inside;	/* struct process of lines -> struct process that made the calls */
	struct xpt_hashmap *outside;	/* the other way round */
	struct xpt_hashmap *free;	/* struct process of calls in no container -> bool */
	uint32_t *saying, *retries;	/* by line; failed attempts before it that have no call yet */
	uint32_t *next;			/* by saying: where to search on, from 1 */
	const struct round *round;
	bool is_normal;			/* of this round: only calls that are normal without a line */
	uint32_t nr_normal;
};

/* Makes the key of a process, with the first label of its host's name, as NCCL writes it. */
static struct process process_of(const char *host, uint32_t pid)
{
	struct process p = { .pid = pid };
	size_t i;

	for (i = 0; i < sizeof(p.host) - 1 && host[i] && host[i] != '.'; i++)
		p.host[i] = (char)tolower((unsigned char)host[i]);
	return p;
}

static bool is_same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	return !*a || !*b || (n == strcspn(b, ".") && !strncasecmp(a, b, n));
}

static enum who compare_who(const struct xpt_rdma_log_form *f, const struct xpt_rdma_nccl_call *c)
{
	bool is_here = is_same_host(f->host, c->host);

	if (!f->pid && !f->tid)
		return is_here ? SOMEBODY : STRANGER;
	if (is_here && (!f->pid || f->pid == c->pid)) {
		if (f->tid && f->tid == c->tid)
			return THREAD;
		if (f->pid)
			return PROCESS;
	}
	return c->in_container ? INSIDE : STRANGER;
}

static bool is_about(const struct xpt_rdma_nccl_line *line, const struct xpt_rdma_nccl_call *c)
{
	const struct xpt_rdma_log_form *f = &line->form;

	return (c->verbs[line->verb / 64] >> (line->verb % 64) & 1) && (!f->code || f->code == c->code) &&
	       (!*f->state || !*c->state || !strcmp(f->state, c->state));
}

/* Tells whether calls in no container were made by the process that a line names. */
static bool is_free(const struct matching *m, const struct xpt_rdma_log_form *f)
{
	struct process p = process_of(f->host, f->pid), anywhere = process_of("", f->pid);

	return f->pid && (xpt_hashmap__find(m->free, &p) || xpt_hashmap__find(m->free, &anywhere));
}

/* Tells whether the ids that a line has from inside of a container may be those of the call's process. */
static bool may_be_inside(const struct matching *m, const struct xpt_rdma_log_form *f,
			  const struct xpt_rdma_nccl_call *c)
{
	struct process in = process_of(f->host, f->pid), out = process_of(c->host, c->pid);
	const struct process *known;

	if (!f->pid)
		return true;
	known = xpt_hashmap__find(m->inside, &in);
	if (known)
		return !memcmp(known, &out, sizeof(out));
	return !xpt_hashmap__find(m->outside, &out);
}

/* Remembers which process a line is about: its other lines are about the same one, those of others are not. */
static int remember_process(struct matching *m, const struct xpt_rdma_log_form *f,
			    const struct xpt_rdma_nccl_call *c)
{
	struct process in = process_of(f->host, f->pid), out = process_of(c->host, c->pid), *to;

	if (!f->pid)
		return 0;
	to = xpt_hashmap__get(m->inside, &in, NULL);
	if (!to)
		return -ENOMEM;
	*to = out;
	to = xpt_hashmap__get(m->outside, &out, NULL);
	if (!to)
		return -ENOMEM;
	*to = in;
	return 0;
}

static bool fits_call(const struct matching *m, const struct xpt_rdma_nccl_line *line,
		 const struct xpt_rdma_nccl_call *c)
{
	return !c->line && !c->is_question && !c->is_gone && c->is_normal == m->is_normal && is_about(line, c) &&
	       compare_who(&line->form, c) == m->round->who &&
	       (m->round->who != INSIDE || may_be_inside(m, &line->form, c));
}

/* Returns where calls of a process begin in by_pid. */
static uint32_t find_pid(const struct matching *m, uint32_t pid)
{
	uint32_t low = 0, high = m->nccl->nr_calls;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->nccl->call[m->by_pid[middle]].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Takes the next call in time for line i. Returns 1, 0 if there is none in this round, or -ENOMEM. */
static int take_call(struct matching *m, uint32_t i)
{
	struct xpt_rdma_nccl_line *line = &m->nccl->line[i];
	bool by_pid = m->round->who >= PROCESS && line->form.pid;
	const uint32_t *order = by_pid ? m->by_pid : m->by_time;
	uint32_t *next = &m->next[m->saying[i]], k;

	if (!*next)
		*next = (by_pid ? find_pid(m, line->form.pid) : 0) + 1;
	for (k = *next - 1; k < m->nccl->nr_calls; k++) {
		struct xpt_rdma_nccl_call *c = &m->nccl->call[order[k]];

		if (by_pid && c->pid != line->form.pid)
			break;
		if (!fits_call(m, line, c))
			continue;
		*next = k + 2;
		c->line = i + 1;
		if (!line->call)
			line->call = order[k] + 1;
		return remember_process(m, &line->form, c) ? -ENOMEM : 1;
	}
	*next = k + 1;
	return 0;
}

/* Tells whether a line has the ids and the error that this round compares. */
static bool is_of_round(const struct matching *m, const struct xpt_rdma_nccl_line *line)
{
	bool has_who = line->form.pid || line->form.tid;

	return !line->form.code == !m->round->has_code && has_who == (m->round->who != SOMEBODY) &&
	       (m->round->who != INSIDE || !is_free(m, &line->form));
}

/* Takes one call for each line that has none; then the earlier attempts of calls that were tried again. */
static int take_round(struct matching *m)
{
	const struct xpt_rdma_nccl_line *line = m->nccl->line;
	uint32_t i, nr = m->nccl->nr;
	int err = 0;

	memset(m->next, 0, (xpt_hashmap__len(m->sayings) + 1) * sizeof(*m->next));
	for (i = 0; err >= 0 && i < nr; i++)
		if (!line[i].call && is_of_round(m, &line[i]))
			err = take_call(m, i);
	for (i = 0; err >= 0 && m->round->who >= PROCESS && i < nr; i++) {
		if (!line[i].call || !is_of_round(m, &line[i]))
			continue;
		for (err = 1; m->retries[i] && err > 0; m->retries[i] -= err > 0)
			err = take_call(m, i);
	}
	return err < 0 ? err : 0;
}

static int by_time(const void *x, const void *y, void *ctx)
{
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct xpt_rdma_nccl_call *sorted = ctx;

	if (sorted[i].wall_ns != sorted[k].wall_ns)
		return sorted[i].wall_ns < sorted[k].wall_ns ? -1 : 1;
	return i < k ? -1 : i > k;
}

static int by_pid(const void *x, const void *y, void *ctx)
{
	const struct xpt_rdma_nccl_call *sorted = ctx;
	uint32_t a = sorted[*(const uint32_t *)x].pid, b = sorted[*(const uint32_t *)y].pid;

	return a != b ? (a < b ? -1 : 1) : by_time(x, y, ctx);
}

static int order_calls(struct matching *m)
{
	uint32_t i, nr = m->nccl->nr_calls;

	m->by_time = calloc(nr + 1, sizeof(*m->by_time));
	m->by_pid = calloc(nr + 1, sizeof(*m->by_pid));
	if (!m->by_time || !m->by_pid)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		m->by_time[i] = m->by_pid[i] = i;
		m->nr_normal += m->nccl->call[i].is_normal;
	}
	qsort_r(m->by_time, nr, sizeof(*m->by_time), by_time, m->nccl->call);
	qsort_r(m->by_pid, nr, sizeof(*m->by_pid), by_pid, m->nccl->call);
	return 0;
}

static int note_free_processes(struct matching *m)
{
	uint32_t i;

	for (i = 0; i < m->nccl->nr_calls; i++) {
		const struct xpt_rdma_nccl_call *c = &m->nccl->call[i];
		struct process p = process_of(c->host, c->pid);

		if (!c->in_container && !xpt_hashmap__get(m->free, &p, NULL))
			return -ENOMEM;
	}
	return 0;
}

static int number_sayings(struct matching *m)
{
	uint32_t i, nr = m->nccl->nr, *number;

	m->saying = calloc(nr + 1, sizeof(*m->saying));
	m->next = calloc(nr + 1, sizeof(*m->next));
	m->retries = calloc(nr + 1, sizeof(*m->retries));
	if (!m->saying || !m->next || !m->retries)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct xpt_rdma_nccl_line *line = &m->nccl->line[i];
		struct saying s;
		bool is_new;

		memset(&s, 0, sizeof(s));
		s.process = process_of(line->form.host, line->form.pid);
		s.tid = line->form.tid;
		s.verb = line->verb;
		s.code = line->form.code;
		memcpy(s.state, line->form.state, strlen(line->form.state));
		number = xpt_hashmap__get(m->sayings, &s, &is_new);
		if (!number)
			return -ENOMEM;
		if (is_new)
			*number = (uint32_t)xpt_hashmap__len(m->sayings);
		m->saying[i] = *number;
		m->retries[i] = line->retries;
	}
	return 0;
}

/* Marks the lines without a call that a question could be about. */
static void mark_questions(struct matching *m)
{
	uint32_t i, k;

	for (i = 0; i < m->nccl->nr; i++) {
		struct xpt_rdma_nccl_line *line = &m->nccl->line[i];

		for (k = 0; !line->call && !line->like_normal && k < m->nccl->nr_calls; k++)
			line->like_normal = m->nccl->call[k].is_question && is_about(line, &m->nccl->call[k]) &&
					    compare_who(&line->form, &m->nccl->call[k]) != STRANGER;
	}
}

static int take_all(struct matching *m)
{
	const uint32_t max = XPT_RDMA_NCCL_CALLS;
	int err;
	size_t i;

	err = xpt_hashmap__new(sizeof(struct saying), sizeof(uint32_t), max, &m->sayings);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct process), sizeof(struct process), max, &m->inside);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct process), sizeof(struct process), max, &m->outside);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct process), sizeof(bool), max, &m->free);
	if (!err)
		err = order_calls(m);
	if (!err)
		err = note_free_processes(m);
	if (!err)
		err = number_sayings(m);
	for (i = 0; !err && i < 2 * sizeof(rounds) / sizeof(rounds[0]); i++) {
		m->round = &rounds[i / 2];
		m->is_normal = i % 2;
		if (m->is_normal ? m->nr_normal : m->nccl->nr_calls - m->nr_normal)
			err = take_round(m);
	}
	if (!err)
		mark_questions(m);
	return err;
}

int xpt_rdma_nccl__match(struct xpt_rdma_nccl *nccl)
{
	struct matching m = { .nccl = nccl };
	int err = take_all(&m);

	xpt_hashmap__free(m.sayings);
	xpt_hashmap__free(m.inside);
	xpt_hashmap__free(m.outside);
	xpt_hashmap__free(m.free);
	free(m.by_time);
	free(m.by_pid);
	free(m.saying);
	free(m.next);
	free(m.retries);
	return err;
}
