// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See nccl_log.h: which call each line is about. Lines that say the same make a saying. Sayings get
 * their calls in rounds, by how well line and call agree on who made it (nccl_fit.h), in each with those
 * first that say more. In a round a saying gets calls if it makes no difference which ones, or if there
 * are as many as lines, which have then the order of the calls. A round is repeated as long as
 * that helps: a call that one saying took may have been the choice of another.
 *
 * Calls between which a saying cannot choose are claimed: worse rounds leave them alone.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "rdma/trace/job_log/call_order.h"
#include "rdma/trace/job_log/nccl_fit.h"

struct process {		/* key of a process; no padding */
	char host[64], boot_id[40];	/* boot_id "": as lines have it */
	uint32_t pid, zero;
};

struct words {			/* key: all that a line says but its time; no padding */
	struct process process;
	uint32_t tid, verb, syndrome;
	int32_t code;
	char state[8];
};

struct saying {
	uint32_t line;		/* the first of its lines, from 1; more by next_line */
	uint32_t last;
	uint32_t weight;	/* how much it says */
	uint32_t left, retries;	/* lines without a call, and their earlier attempts */
};

struct id {			/* of a process or thread that made a call */
	uint32_t id, call;
};

struct matching {
	struct xpt_rdma_nccl *nccl;
	struct xpt_hashmap *words;	/* struct words -> number of its saying, from 1 */
	struct xpt_hashmap *inside;	/* struct process of lines -> struct process that made the calls */
	struct xpt_hashmap *outside;	/* the other way round */
	struct xpt_hashmap *open;	/* struct process of calls in no container -> bool */
	struct saying *saying;		/* those that say most first */
	uint32_t *next_line;		/* by line: the next of its saying, from 1 */
	uint32_t *by_time;		/* calls, */
	uint32_t *contained;		/* and of these those in containers whose ids are not known */
	struct id *ids;			/* by id, then by time */
	uint32_t *found;		/* calls that a saying may be about, by time */
	uint32_t *wanted;		/* by call: the saying that may be about it, from 1; or MANY */
	uint32_t nr_sayings, nr_ids, nr_found, nr_contained;
	uint64_t steps;			/* that are left */
	enum xpt_rdma_nccl_who who;	/* of this round, */
	bool is_normal;			/* only calls that are normal without a line */
	bool is_one_process;		/* the calls found are all of one */
	uint32_t *plan;			/* by line: the call that it will get, from 1 */
};

#define MANY UINT32_MAX
#define ATTEMPT_NS 120000000000ull	/* from one attempt to the next, at most; NCCL sleeps for 0.1 s and more */

static struct xpt_rdma_nccl_call *call_at(const struct matching *m, uint32_t i)
{
	return &m->nccl->call[i];
}

static struct xpt_rdma_nccl_line *line_of(const struct matching *m, uint32_t number)
{
	return &m->nccl->line[number - 1];
}

/* --- containers whose ids are not known ------------------------------------------------- */

/* Makes the key of a process, with the name of its host as it stands. */
static struct process named_process(const char *host, uint32_t pid)
{
	struct process p = { .pid = pid };

	for (size_t i = 0; i < sizeof(p.host) - 1 && host[i]; i++)
		p.host[i] = (char)tolower((unsigned char)host[i]);
	return p;
}

/* Makes the key of a process, with the first label of its host's name, as NCCL writes it. Addresses are whole. */
static struct process process_of(const char *host, uint32_t pid)
{
	struct process p = named_process(host, pid);
	size_t label = strcspn(p.host, ".");

	if (strspn(p.host, "0123456789.") != strlen(p.host))
		memset(p.host + label, 0, sizeof(p.host) - label);
	return p;
}

/* Makes the key of the process of a call: within one boot its id means something. */
static struct process process_of_call(const struct xpt_rdma_nccl_call *c)
{
	struct process p = process_of(c->host, c->pid);

	snprintf(p.boot_id, sizeof(p.boot_id), "%s", c->boot_id);
	return p;
}

static bool is_same_process(const struct xpt_rdma_nccl_call *a, const struct xpt_rdma_nccl_call *b)
{
	return a->pid == b->pid && !strcmp(a->host, b->host) && !strcmp(a->boot_id, b->boot_id);
}

/* Tells whether a line is of a process that made calls outside of all containers. */
static bool is_outside(const struct matching *m, const struct xpt_rdma_log_form *f)
{
	struct process p = process_of(f->host, f->pid), anywhere = process_of("", f->pid);

	return f->pid && (xpt_hashmap__find(m->open, &p) || xpt_hashmap__find(m->open, &anywhere));
}

/* Tells whether the ids that a line has from inside of a container may be those of the call's process. */
static bool may_be_inside(const struct matching *m, const struct xpt_rdma_log_form *f,
			  const struct xpt_rdma_nccl_call *c)
{
	struct process in = process_of(f->host, f->pid), out = process_of_call(c);
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
	struct process in = process_of(f->host, f->pid), out = process_of_call(c), *to;

	if (!f->pid || m->who != XPT_RDMA_INSIDE || !m->is_one_process)
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

/* --- the calls that a saying may be about ----------------------------------------------- */

static bool is_free(const struct matching *m, const struct xpt_rdma_nccl_call *c)
{
	return !c->line && !c->is_question && !c->is_gone && !c->is_claimed && c->is_normal == m->is_normal;
}

static bool fits_line(const struct matching *m, const struct xpt_rdma_nccl_line *line, const struct xpt_rdma_nccl_call *c)
{
	return is_free(m, c) && xpt_rdma_nccl__is_about(line, c) && xpt_rdma_nccl__who(&line->form, c) == m->who &&
	       (m->who != XPT_RDMA_INSIDE || may_be_inside(m, &line->form, c));
}

static void find_call(struct matching *m, const struct xpt_rdma_nccl_line *line, uint32_t call)
{
	m->steps--;
	if (fits_line(m, line, call_at(m, call)))
		m->found[m->nr_found++] = call;
}

/* Returns where calls of a process or thread begin in ids. */
static uint32_t find_id(const struct matching *m, uint32_t id)
{
	uint32_t low = 0, high = m->nr_ids;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Finds the calls that a saying may be about in this round, but for the time. The search is a step itself. */
static void find_calls(struct matching *m, const struct saying *s)
{
	const struct xpt_rdma_nccl_line *line = line_of(m, s->line);
	uint32_t id = line->form.pid ? line->form.pid : line->form.tid, i;

	m->nr_found = 0;
	m->steps -= m->steps > 0;
	if (!id != (m->who == XPT_RDMA_SOMEBODY) || (m->who == XPT_RDMA_INSIDE && is_outside(m, &line->form)))
		return;
	if (m->who == XPT_RDMA_SOMEBODY)
		for (i = 0; i < m->nccl->nr_calls && m->steps; i++)
			find_call(m, line, m->by_time[i]);
	else if (m->who == XPT_RDMA_INSIDE)
		for (i = 0; i < m->nr_contained && m->steps; i++)
			find_call(m, line, m->contained[i]);
	else
		for (i = find_id(m, id); i < m->nr_ids && m->ids[i].id == id && m->steps; i++)
			find_call(m, line, m->ids[i].call);
}

/* Tells whether it makes no difference which of the calls found is taken. */
static bool are_alike(const struct matching *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_found; i++)
		if (!xpt_rdma_nccl__are_alike(call_at(m, m->found[0]), call_at(m, m->found[i])))
			return false;
	return true;
}

static bool are_of_one_process(const struct matching *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_found; i++)
		if (!is_same_process(call_at(m, m->found[0]), call_at(m, m->found[i])))
			return false;
	return true;
}

/* Leaves of the calls found those that may be in time for one of the saying's lines. */
static void keep_timely(struct matching *m, const struct saying *s)
{
	uint32_t i, k, n = 0;
	uint64_t ns;

	for (i = 0; i < m->nr_found; i++)
		for (k = s->line; k && m->steps; k = m->next_line[k - 1]) {
			const struct xpt_rdma_nccl_line *line = line_of(m, k);

			m->steps--;
			if (line->call || !xpt_rdma_nccl__is_in_time(&line->form, call_at(m, m->found[i]), XPT_RDMA_SOON, &ns))
				continue;
			m->found[n++] = m->found[i];
			break;
		}
	m->nr_found = n;
}

/* --- taking ----------------------------------------------------------------------------- */

static int take_call(struct matching *m, struct saying *s, uint32_t number, uint32_t call)
{
	struct xpt_rdma_nccl_line *line = line_of(m, number);
	struct xpt_rdma_nccl_call *c = call_at(m, call);

	c->line = number;
	line->call = call + 1;
	s->left--;
	s->retries -= line->retries;
	return remember_process(m, &line->form, c);
}

/*
 * Gives a line the call of the same moment, if no other one of it differs. Returns 1, 0 if there is none,
 * or -ENOMEM.
 */
static int take_at_once(struct matching *m, struct saying *s, uint32_t number)
{
	struct xpt_rdma_nccl_line *line = line_of(m, number);
	const struct xpt_rdma_nccl_call *first = NULL;
	uint32_t i, best = 0;
	uint64_t ns, least = UINT64_MAX;

	for (i = 0; i < m->nr_found && m->steps; i++) {
		const struct xpt_rdma_nccl_call *c = call_at(m, m->found[i]);

		m->steps--;
		if (!is_free(m, c) || !xpt_rdma_nccl__is_in_time(&line->form, c, XPT_RDMA_AT_ONCE, &ns))
			continue;
		if (first && !xpt_rdma_nccl__are_alike(first, c))
			return 0;
		first = c;
		best = ns < least ? m->found[i] : best;
		least = ns < least ? ns : least;
	}
	return !first || !m->steps ? 0 : take_call(m, s, number, best) ? -ENOMEM : 1;
}

/* Gives calls to those lines of a saying that have a time. Returns how many, or -ENOMEM. */
static int take_by_time(struct matching *m, struct saying *s)
{
	int taken = 0, err = 0;
	uint32_t k;

	if (m->who == XPT_RDMA_INSIDE)
		return 0;
	find_calls(m, s);
	for (k = s->line; k && m->nr_found && err >= 0; k = m->next_line[k - 1]) {
		if (line_of(m, k)->call || !xpt_rdma_nccl__has_time(&line_of(m, k)->form))
			continue;
		err = take_at_once(m, s, k);
		taken += err > 0;
	}
	return err < 0 ? err : taken;
}

/* Returns the first of the calls found, from there on, that a line may be about, or nr_found. */
static uint32_t find_next(struct matching *m, const struct xpt_rdma_nccl_line *line, uint32_t at)
{
	const struct xpt_rdma_nccl_call *first = call_at(m, m->found[0]);
	uint64_t ns;

	for (; at < m->nr_found && m->steps; at++) {
		const struct xpt_rdma_nccl_call *c = call_at(m, m->found[at]);

		m->steps--;
		if (!c->line && xpt_rdma_nccl__is_in_time(&line->form, c, XPT_RDMA_SOON, &ns) &&
		    (m->who != XPT_RDMA_INSIDE || is_same_process(first, c)))
			return at;
	}
	return m->nr_found;
}

/* Tells whether one of the calls found may be in time for a line. */
static bool is_any_timely(struct matching *m, const struct xpt_rdma_nccl_line *line)
{
	uint64_t ns;
	uint32_t i;

	for (i = 0; i < m->nr_found && m->steps; i++, m->steps--)
		if (xpt_rdma_nccl__is_in_time(&line->form, call_at(m, m->found[i]), XPT_RDMA_SOON, &ns))
			return true;
	return false;
}

/* Counts the lines of a saying for which one of the calls found is in time, and with their earlier attempts. */
static uint32_t count_timely(struct matching *m, const struct saying *s, uint64_t *ret_with_retries)
{
	uint32_t n = 0, k;

	*ret_with_retries = 0;
	for (k = s->line; k && m->steps; k = m->next_line[k - 1]) {
		const struct xpt_rdma_nccl_line *line = line_of(m, k);

		if (line->call || !is_any_timely(m, line))
			continue;
		n++;
		*ret_with_retries += 1ull + line->retries;
	}
	return n;
}

/*
 * Plans which of the calls found the lines of a saying get, in their order. Calls in excess of the lines are
 * earlier attempts, which come before the call that the line is about. Calls of one process only if the line's ids
 * are from inside of a container. Of calls that are not alike none is passed over. Returns how many lines get one.
 */
static uint32_t plan_in_order(struct matching *m, const struct saying *s, bool alike, uint32_t nr_lines)
{
	uint32_t more = m->nr_found > nr_lines ? m->nr_found - nr_lines : 0, i = 0, k, planned = 0;

	for (k = s->line; k; k = m->next_line[k - 1])
		m->plan[k - 1] = 0;
	for (k = s->line; k && m->steps; k = m->next_line[k - 1]) {
		const struct xpt_rdma_nccl_line *line = line_of(m, k);
		uint32_t before = line->retries < more ? line->retries : more, from = i + before, at;

		if (line->call)
			continue;
		if (alike && xpt_rdma_nccl__has_time(&line->form))
			from = 0;
		at = find_next(m, line, from);
		if (at >= m->nr_found || (!alike && at != from))
			continue;
		m->plan[k - 1] = m->found[at] + 1;
		call_at(m, m->found[at])->line = k;
		more -= before;
		i = at + 1;
		planned++;
	}
	return planned;
}

static void drop_plan(struct matching *m, const struct saying *s)
{
	for (uint32_t k = s->line; k; k = m->next_line[k - 1])
		if (!line_of(m, k)->call && m->plan[k - 1])
			call_at(m, m->plan[k - 1] - 1)->line = 0;
}

/* Gives the lines of a saying the calls that are planned. Returns how many, or -ENOMEM. */
static int take_planned(struct matching *m, struct saying *s)
{
	int taken = 0;

	for (uint32_t k = s->line; k; k = m->next_line[k - 1]) {
		if (line_of(m, k)->call || !m->plan[k - 1])
			continue;
		if (take_call(m, s, k, m->plan[k - 1] - 1))
			return -ENOMEM;
		taken++;
	}
	return taken;
}

/* Tells whether other sayings may be about the calls found, too, and there are not enough for all. */
static bool is_contested(const struct matching *m, uint64_t demand)
{
	uint32_t i;

	if (m->who == XPT_RDMA_INSIDE || m->nr_found >= demand)
		return false;
	for (i = 0; i < m->nr_found; i++)
		if (m->wanted[m->found[i]] == MANY)
			return true;
	return false;
}

/* Gives calls to a saying if it can be told which. Returns how many, or -ENOMEM. demand: of all in this round. */
static int take_calls(struct matching *m, struct saying *s, uint64_t demand)
{
	bool alike = are_alike(m);
	uint64_t with_retries;
	uint32_t nr_lines = count_timely(m, s, &with_retries), planned;

	if (!m->nr_found || is_contested(m, demand) ||
	    (!alike && (m->who > XPT_RDMA_OTHER_THREAD || m->nr_found != with_retries)))
		return 0;
	m->is_one_process = are_of_one_process(m);
	planned = plan_in_order(m, s, alike, nr_lines);
	if (!m->steps || (!alike && planned != nr_lines)) {	/* the order is not that of the calls */
		drop_plan(m, s);
		return 0;
	}
	return take_planned(m, s);
}

/* --- rounds ----------------------------------------------------------------------------- */

/* Marks for sayings from..to which calls they may be about. Returns how many calls they need. */
static uint64_t mark_wanted(struct matching *m, uint32_t from, uint32_t to)
{
	uint64_t demand = 0;
	uint32_t i, k;

	memset(m->wanted, 0, m->nccl->nr_calls * sizeof(*m->wanted));
	for (i = from; i < to && m->steps; i++) {
		if (!m->saying[i].left)
			continue;
		find_calls(m, &m->saying[i]);
		demand += m->nr_found ? m->saying[i].left : 0;
		for (k = 0; k < m->nr_found; k++) {
			uint32_t *wanted = &m->wanted[m->found[k]];

			*wanted = *wanted && *wanted != i + 1 ? MANY : i + 1;
		}
	}
	return demand;
}

/* Runs one round of sayings from..to, which say equally much, until it gives no more calls. 0 or -ENOMEM. */
static int run_round(struct matching *m, uint32_t from, uint32_t to)
{
	int taken = 1, some = 0;
	uint32_t i;

	for (i = from; i < to && some >= 0 && m->steps; i++)
		if (m->saying[i].left)
			some = take_by_time(m, &m->saying[i]);
	if (some < 0)
		return some;
	while (taken > 0 && m->steps) {
		uint64_t demand = mark_wanted(m, from, to);

		taken = 0;
		for (i = from; i < to && taken >= 0 && m->steps; i++) {
			if (!m->saying[i].left)
				continue;
			find_calls(m, &m->saying[i]);
			keep_timely(m, &m->saying[i]);
			some = take_calls(m, &m->saying[i], demand);
			taken = some < 0 ? some : taken + some;
		}
	}
	return taken < 0 ? taken : 0;
}

/* Tells whether a line has got its call in this round. */
static bool is_of_round(const struct matching *m, const struct xpt_rdma_nccl_line *line)
{
	const struct xpt_rdma_nccl_call *c = call_at(m, line->call - 1);

	return c->is_normal == m->is_normal && xpt_rdma_nccl__who(&line->form, c) == m->who;
}

/* Gives lines the calls of their earlier attempts, the latest ones before the call that the line is about. */
static void take_attempts(struct matching *m)
{
	uint32_t i, k, n;
	uint64_t next_ns;

	for (i = 0; i < m->nccl->nr && m->steps; i++) {
		const struct xpt_rdma_nccl_line *line = &m->nccl->line[i];
		struct saying s = { .line = i + 1 };

		if (!line->call || !line->retries || !is_of_round(m, line))
			continue;
		find_calls(m, &s);
		next_ns = call_at(m, line->call - 1)->order_ns;
		for (k = m->nr_found, n = line->retries; k && n; k--) {
			struct xpt_rdma_nccl_call *c = call_at(m, m->found[k - 1]);

			if (c->order_ns > call_at(m, line->call - 1)->order_ns ||
			    strcmp(c->boot_id, call_at(m, line->call - 1)->boot_id) != 0)
				continue;
			if (next_ns - c->order_ns > ATTEMPT_NS)
				break;
			next_ns = c->order_ns;
			c->line = i + 1;
			n--;
		}
	}
}

/* Notes between how many calls the lines of a saying cannot choose; then it takes part in no other round. */
static void give_up(struct matching *m, struct saying *s)
{
	uint32_t k;

	for (k = s->line; k; k = m->next_line[k - 1])
		if (!line_of(m, k)->call && is_any_timely(m, line_of(m, k)))
			line_of(m, k)->choices = m->nr_found;
	s->left = 0;
}

/* Keeps calls between which a saying could not choose from worse lines. */
static void claim_calls(struct matching *m)
{
	uint32_t i, k;

	memset(m->wanted, 0, m->nccl->nr_calls * sizeof(*m->wanted));

	for (i = 0; i < m->nr_sayings && m->steps; i++) {
		struct saying *s = &m->saying[i];

		if (!s->left)
			continue;
		find_calls(m, s);
		keep_timely(m, s);
		if (m->nr_found && m->steps)
			give_up(m, s);
		for (k = 0; k < m->nr_found; k++)
			m->wanted[m->found[k]] = MANY;
	}
	for (i = 0; i < m->nccl->nr_calls; i++)
		call_at(m, i)->is_claimed |= m->wanted[i] == MANY;
}

/* Runs the rounds of one way to agree on who made a call. 0 or -ENOMEM. */
static int run_rounds(struct matching *m)
{
	uint32_t from, to;
	int err = 0;

	for (from = 0; !err && from < m->nr_sayings; from = to) {
		for (to = from; to < m->nr_sayings && m->saying[to].weight == m->saying[from].weight; to++)
			;
		err = run_round(m, from, to);
	}
	if (err)
		return err;
	if (m->who <= XPT_RDMA_OTHER_THREAD)
		take_attempts(m);
	claim_calls(m);
	return 0;
}

/* --- tables ----------------------------------------------------------------------------- */

static int by_time(const void *x, const void *y, void *ctx)
{
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct xpt_rdma_nccl_call *sorted = ctx;

	if (sorted[i].order_ns != sorted[k].order_ns)
		return sorted[i].order_ns < sorted[k].order_ns ? -1 : 1;
	return i < k ? -1 : i > k;
}

static int by_id(const void *x, const void *y, void *ctx)
{
	const struct id *a = x, *b = y;

	return a->id != b->id ? (a->id < b->id ? -1 : 1) : by_time(&a->call, &b->call, ctx);
}

static int by_weight(const void *x, const void *y)
{
	const struct saying *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int order_calls(struct matching *m)
{
	uint32_t i, nr = m->nccl->nr_calls;

	m->by_time = calloc(nr + 1, sizeof(*m->by_time));
	m->contained = calloc(nr + 1, sizeof(*m->contained));
	m->ids = calloc(2 * (size_t)nr + 1, sizeof(*m->ids));
	m->found = calloc(nr + 1, sizeof(*m->found));
	m->wanted = calloc(nr + 1, sizeof(*m->wanted));
	if (!m->by_time || !m->contained || !m->ids || !m->found || !m->wanted)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct xpt_rdma_nccl_call *c = call_at(m, i);
		struct process p = process_of(c->host, c->pid);

		m->by_time[i] = i;
		m->ids[m->nr_ids++] = (struct id){ c->pid, i };
		if (c->tid != c->pid)
			m->ids[m->nr_ids++] = (struct id){ c->tid, i };
		if (!c->in_container && !xpt_hashmap__get(m->open, &p, NULL))
			return -ENOMEM;
	}
	qsort_r(m->by_time, nr, sizeof(*m->by_time), by_time, m->nccl->call);
	for (i = 0; i < nr; i++)
		if (call_at(m, m->by_time[i])->in_container)
			m->contained[m->nr_contained++] = m->by_time[i];
	qsort_r(m->ids, m->nr_ids, sizeof(*m->ids), by_id, m->nccl->call);
	return 0;
}

static struct words words_of(const struct xpt_rdma_nccl_line *line)
{
	struct words w;

	memset(&w, 0, sizeof(w));
	w.process = named_process(line->form.host, line->form.pid);
	w.tid = line->form.tid;
	w.verb = line->verb;
	w.code = line->form.code;
	w.syndrome = line->form.syndrome;
	memcpy(w.state, line->form.state, strlen(line->form.state));
	return w;
}

static uint32_t weigh_form(const struct xpt_rdma_log_form *f)
{
	return (f->code ? 16u : 0) | (f->syndrome ? 8u : 0) | (*f->state ? 4u : 0) | (f->pid ? 2u : 0) | (*f->host ? 1u : 0);
}

static int gather_sayings(struct matching *m)
{
	uint32_t i, nr = m->nccl->nr, *number;

	m->saying = calloc(nr + 1, sizeof(*m->saying));
	m->next_line = calloc(nr + 1, sizeof(*m->next_line));
	m->plan = calloc(nr + 1, sizeof(*m->plan));
	if (!m->saying || !m->next_line || !m->plan)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		struct words w = words_of(&m->nccl->line[i]);
		struct saying *s;
		bool is_new;

		number = xpt_hashmap__get(m->words, &w, &is_new);
		if (!number)
			return -ENOMEM;
		if (is_new)
			*number = ++m->nr_sayings;
		s = &m->saying[*number - 1];
		if (is_new)
			*s = (struct saying){ .line = i + 1, .weight = weigh_form(&m->nccl->line[i].form) };
		else
			m->next_line[s->last - 1] = i + 1;
		s->last = i + 1;
		s->left++;
		s->retries += m->nccl->line[i].retries;
	}
	qsort(m->saying, m->nr_sayings, sizeof(*m->saying), by_weight);
	return 0;
}

/* Puts the calls that are questions in the place of those found. */
static void find_questions(struct matching *m)
{
	uint32_t call;

	m->nr_found = 0;
	for (call = 0; call < m->nccl->nr_calls; call++)
		if (call_at(m, call)->is_question)
			m->found[m->nr_found++] = call;
}

/* Marks the lines without a call that a question could be about. */
static void mark_questions(struct matching *m)
{
	uint32_t i, k, q;

	find_questions(m);
	for (i = 0; i < m->nr_sayings; i++) {
		const struct saying *s = &m->saying[i];
		const struct xpt_rdma_nccl_line *line = line_of(m, s->line);
		bool is_like = false;

		for (q = 0; s->left && !is_like && q < m->nr_found && m->steps; q++, m->steps--)
			is_like = xpt_rdma_nccl__is_about(line, call_at(m, m->found[q])) &&
				  xpt_rdma_nccl__who(&line->form, call_at(m, m->found[q])) != XPT_RDMA_STRANGER;
		for (k = s->line; k && is_like; k = m->next_line[k - 1])
			line_of(m, k)->like_normal = !line_of(m, k)->call;
	}
}

static void count_not_compared(struct matching *m)
{
	uint32_t i;

	for (i = 0; !m->steps && i < m->nccl->nr; i++)
		m->nccl->not_compared += !m->nccl->line[i].call && !m->nccl->line[i].choices;
}

static int make_tables(struct matching *m)
{
	const uint32_t max = XPT_RDMA_NCCL_CALLS;
	int err = xpt_hashmap__new(sizeof(struct words), sizeof(uint32_t), XPT_RDMA_NCCL_LINES, &m->words);

	if (!err)
		err = xpt_hashmap__new(sizeof(struct process), sizeof(struct process), max, &m->inside);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct process), sizeof(struct process), max, &m->outside);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct process), sizeof(bool), max, &m->open);
	if (!err)
		err = xpt_rdma_nccl__set_order(m->nccl);
	if (!err)
		err = order_calls(m);
	return err ? err : gather_sayings(m);
}

static int take_all(struct matching *m)
{
	int err = make_tables(m), who, normal;

	for (who = 0; !err && who < XPT_RDMA_STRANGER; who++)
		for (normal = 0; !err && normal < 2; normal++) {
			m->who = (enum xpt_rdma_nccl_who)who;
			m->is_normal = normal;
			err = run_rounds(m);
		}
	if (err)
		return err;
	mark_questions(m);
	count_not_compared(m);
	return 0;
}

int xpt_rdma_nccl__match(struct xpt_rdma_nccl *nccl)
{
	struct matching m = { .nccl = nccl, .steps = XPT_RDMA_NCCL_STEPS };
	int err = take_all(&m);

	xpt_hashmap__free(m.words);
	xpt_hashmap__free(m.inside);
	xpt_hashmap__free(m.outside);
	xpt_hashmap__free(m.open);
	free(m.saying);
	free(m.next_line);
	free(m.plan);
	free(m.by_time);
	free(m.contained);
	free(m.ids);
	free(m.found);
	free(m.wanted);
	return err;
}
