// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rates.h. Functions are matched by name, processes by id and when they were first seen. The counts of a process
 * that has lost its row since are in the row of the others now, and were not before: they are treated as if they had
 * been.
 */
#include "top/rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "wire/metric.h"

struct process_key {			/* no padding: it is hashed */
	uint64_t pid, since_ns;
};

struct row_key {			/* of the snapshot before; no padding: it is hashed */
	uint32_t process, function;
};

struct before {
	const struct xpt_snapshot *s;
	struct xpt_hashmap *processes;	/* struct process_key -> index */
	/* struct row_key -> struct xpt_snapshot_row, for the numbers of both snapshots. */
	struct xpt_hashmap *rows;
	uint32_t *function;		/* number in the snapshot now of one before, or UINT32_MAX */
};

/* --- the snapshot before -------------------------------------------------------------------------------- */

static void add_row(struct xpt_snapshot_row *to, const struct xpt_snapshot_row *from)
{
	to->calls += from->calls;
	to->time_ns += from->time_ns;
	to->errors += from->errors;
	to->nested_calls += from->nested_calls;
	to->nested_errors += from->nested_errors;
	to->benign += from->benign;
	to->outer_calls += from->outer_calls;
	to->outer_ns += from->outer_ns;
	to->outer_bytes += from->outer_bytes;
	for (unsigned dir = 0; dir < XPT_DIR__MAX; dir++)
		to->bytes[dir] += from->bytes[dir];
	for (unsigned i = 0; i < XPT_DURATIONS; i++)
		to->took[i] += from->took[i];
	to->waiting += from->waiting;
	to->waited_ns += from->waited_ns;
}

struct name {				/* of a function, and its number */
	const struct xpt_snapshot_function *f;
	uint32_t number;
};

static int compare_names(const void *x, const void *y)
{
	const struct xpt_snapshot_function *a = ((const struct name *)x)->f, *b = ((const struct name *)y)->f;
	int diff = strcmp(a->domain, b->domain);

	return diff ? diff : strcmp(a->name, b->name);
}

static int match_functions(struct before *b, const struct xpt_snapshot *now)
{
	struct name *names = calloc(now->nr_functions + 1ul, sizeof(*names));

	b->function = calloc(b->s->nr_functions + 1ul, sizeof(*b->function));
	if (!names || !b->function) {
		free(names);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < now->nr_functions; i++)
		names[i] = (struct name){ &now->function[i], i };
	qsort(names, now->nr_functions, sizeof(*names), compare_names);
	for (uint32_t i = 0; i < b->s->nr_functions; i++) {
		const struct name wanted = { &b->s->function[i], i };
		const struct name *found = bsearch(&wanted, names, now->nr_functions, sizeof(*names), compare_names);

		b->function[i] = found ? found->number : UINT32_MAX;
	}
	free(names);
	return 0;
}

/*
 * Rows get the numbers that their process and function have now; those of processes without a row now are the
 * others', unless the document has no room for them.
 */
static int match_rows(struct before *b, const struct xpt_snapshot *now)
{
	const struct process_key others = { 0, 0 };
	const uint32_t *other = xpt_hashmap__find(b->processes, &others);

	for (uint32_t i = 0; i < b->s->nr_rows; i++) {
		const struct xpt_snapshot_row *row = &b->s->row[i];
		const struct xpt_snapshot_process *p = &b->s->process[row->process];
		const struct process_key key = { p->pid, p->since_ns };
		const uint32_t *process = xpt_hashmap__find(b->processes, &key);
		struct row_key to = { process ? *process : other && !now->cut ? *other : UINT32_MAX,
				      b->function[row->function] };
		struct xpt_snapshot_row *sum;

		if (to.process >= now->nr_processes || to.function >= now->nr_functions)
			continue;
		sum = xpt_hashmap__get(b->rows, &to, NULL);
		if (!sum)
			return -ENOMEM;
		add_row(sum, row);
	}
	return 0;
}

static int match_processes(struct before *b, const struct xpt_snapshot *now)
{
	int err = xpt_hashmap__new(sizeof(struct process_key), sizeof(uint32_t), XPT_SNAPSHOT_PROCESSES + 1,
				   &b->processes);

	err = err ? err : xpt_hashmap__new(sizeof(struct row_key), sizeof(struct xpt_snapshot_row), XPT_SNAPSHOT_ROWS,
					   &b->rows);
	for (uint32_t i = 0; !err && i < now->nr_processes; i++) {
		const struct process_key key = { now->process[i].pid, now->process[i].since_ns };
		uint32_t *number = xpt_hashmap__get(b->processes, &key, NULL);

		err = number ? 0 : -ENOMEM;
		if (number)
			*number = i;
	}
	err = err || !b->s ? err : match_functions(b, now);
	return err || !b->s ? err : match_rows(b, now);
}

/* --- differences ------------------------------------------------------------------------------------------ */

static uint64_t rise_since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/*
 * Time in calls: of those that have returned, and of those that have not as far as they are known. A call is known
 * after a second only, so time that appears at once is cut to one interval for each waiting call.
 */
static uint64_t time_in(const struct xpt_snapshot_row *now, const struct xpt_snapshot_row *old, uint64_t interval_ns)
{
	uint64_t ended = rise_since(now->time_ns, old->time_ns), appeared = rise_since(now->waited_ns, old->waited_ns);
	uint64_t gone = rise_since(old->waited_ns, now->waited_ns);

	if (now->waiting < UINT64_MAX / (interval_ns + 1) && appeared > now->waiting * interval_ns)
		appeared = now->waiting * interval_ns;
	return rise_since(ended + appeared, gone);
}

static uint64_t all_bytes(const struct xpt_snapshot_row *row)
{
	uint64_t sum = 0;

	for (unsigned dir = 0; dir < XPT_DIR__MAX; dir++)
		sum += row->bytes[dir];
	return sum;
}

/*
 * Errors since `old` that the program got to see, not those inside other calls. Answers that are no failures are
 * taken to be those of inner calls as far as there are any, so that none of them hides an error: runtimes poll.
 */
static uint64_t own_errors(const struct xpt_snapshot_row *now, const struct xpt_snapshot_row *old)
{
	uint64_t nested = rise_since(now->nested_errors, old->nested_errors), benign = rise_since(now->benign, old->benign);

	return rise_since(rise_since(now->errors, old->errors), rise_since(nested, benign));
}

static void add_class(struct xpt_top_process *p, const struct xpt_top_function *f, const struct xpt_snapshot_row *old,
		      uint64_t interval_ns)
{
	const struct xpt_snapshot_row *row = f->row;
	uint64_t waited = time_in(row, old, interval_ns), outer = rise_since(row->outer_ns, old->outer_ns);

	switch (f->function->cls) {
	case XPT_CLASS_LAUNCH:
		p->launches += rise_since(f->calls, rise_since(row->outer_calls, old->outer_calls));
		break;
	case XPT_CLASS_COPY:
		p->copied += rise_since(f->bytes, rise_since(row->outer_bytes, old->outer_bytes));
		break;
	case XPT_CLASS_SYNC:
		p->wait += interval_ns ? (double)rise_since(waited, outer) / (double)interval_ns : 0;
		break;
	default:
		break;
	}
}

static const struct xpt_snapshot_row none;

static void add_function(struct xpt_top_rates *r, struct xpt_top_process *p, const struct xpt_snapshot_row *row,
			 const struct before *b)
{
	const struct row_key key = { row->process, row->function };
	const struct xpt_snapshot_row *old = xpt_hashmap__find(b->rows, &key);
	struct xpt_top_function *f = &r->function[r->nr_functions++];

	/* Counts of a row that had no room before are no work of the interval. */
	old = old ? old : r->interval_ns && !r->before->cut ? &none : row;
	*f = (struct xpt_top_function){
		.function = &r->now->function[row->function], .row = row, .calls = rise_since(row->calls, old->calls),
		.time_ns = rise_since(row->time_ns, old->time_ns), .errors = rise_since(row->errors, old->errors),
		.bytes = rise_since(all_bytes(row), all_bytes(old)),
	};
	for (unsigned i = 0; i < XPT_DURATIONS; i++)
		f->took[i] = rise_since(row->took[i], old->took[i]);
	f->share = r->interval_ns ? (double)time_in(row, old, r->interval_ns) / (double)r->interval_ns : 0;
	p->nr++;
	p->calls += rise_since(f->calls, rise_since(row->nested_calls, old->nested_calls));
	p->errors += own_errors(row, old);
	p->all_calls += rise_since(row->calls, row->nested_calls);
	p->all_errors += own_errors(row, &none);
	p->waiting += row->waiting;
	if (row->waiting && row->oldest_ns >= p->oldest_ns) {
		p->oldest_ns = row->oldest_ns;
		p->oldest = f->function;
	}
	add_class(p, f, old, r->interval_ns);
}

/* --- devices -------------------------------------------------------------------------------------------------- */

static const struct xpt_snapshot_reading *find_reading(const struct xpt_snapshot *s, uint32_t device, unsigned metric,
						       uint32_t part)
{
	for (uint32_t i = 0; i < s->nr_readings; i++) {
		const struct xpt_snapshot_reading *v = &s->reading[i];

		if (v->device == device && v->metric == metric && v->part == part && !v->pid)
			return v;
	}
	return NULL;
}

bool xpt_top_rates__reading(const struct xpt_snapshot *s, uint32_t device, unsigned metric, uint32_t part, uint64_t *ret_v)
{
	const struct xpt_snapshot_reading *v = find_reading(s, device, metric, part);

	if (v)
		*ret_v = v->value;
	return v;
}

/* The same value in the snapshot before. NULL: it was not there. */
static const struct xpt_snapshot_reading *find_old_reading(const struct xpt_top_rates *r,
							   const struct xpt_snapshot_reading *now)
{
	const struct xpt_snapshot_device *d = &r->now->device[now->device];

	for (uint32_t i = 0; i < r->before->nr_devices; i++) {
		const struct xpt_snapshot_device *old = &r->before->device[i];
		const struct xpt_snapshot_reading *v;

		v = old->kind == d->kind && !strcmp(old->label, d->label) ?
		    find_reading(r->before, i, now->metric, now->part) : NULL;
		if (v)
			return v;
	}
	return NULL;
}

/*
 * Devices are read at a beat of their own. Where the snapshots are farther apart than that, they have two readings,
 * else often the same one twice, and the reading before that one counts.
 */
bool xpt_top_rates__rise(const struct xpt_top_rates *r, uint32_t device, unsigned metric, uint32_t part,
			 double *ret_by_second)
{
	const struct xpt_snapshot_reading *now = r->before ? find_reading(r->now, device, metric, part) : NULL;
	const struct xpt_snapshot_reading *old = now ? find_old_reading(r, now) : NULL;
	uint64_t rise, took_ns;

	if (old && !now->ts_ns && !old->ts_ns) {
		rise = rise_since(now->value, old->value);
		took_ns = r->interval_ns;
	} else if (old && old->ts_ns && old->ts_ns < now->ts_ns) {
		rise = rise_since(now->value, old->value);
		took_ns = now->ts_ns - old->ts_ns;
	} else if (now && now->earlier_ns && now->earlier_ns < now->ts_ns) {
		rise = rise_since(now->value, now->earlier);
		took_ns = now->ts_ns - now->earlier_ns;
	} else {
		return false;
	}
	*ret_by_second = (double)rise * 1e9 / (double)took_ns;
	return true;
}

static struct xpt_top_process *new_process(struct xpt_top_rates *r, const struct xpt_snapshot_process *from)
{
	struct xpt_top_process *p = &r->process[r->nr_processes++];

	*p = (struct xpt_top_process){ .process = *from, .memory = XPT_TOP_UNKNOWN, .gpu = -1, .first = r->nr_functions };
	return p;
}

/* The newest process of an id; one that devices report and that has made no call gets a row, too. */
static struct xpt_top_process *process_of_pid(struct xpt_top_rates *r, struct xpt_hashmap *pids,
					      const struct xpt_snapshot_reading *v)
{
	struct xpt_snapshot_process p = { .pid = v->pid, .uid = UINT32_MAX };
	uint32_t *number;
	bool is_new;

	number = xpt_hashmap__get(pids, &v->pid, &is_new);
	if (!number)
		return NULL;
	if (is_new) {
		*number = r->nr_processes;
		memcpy(p.name, v->process, sizeof(v->process));
		new_process(r, &p);
	}
	return &r->process[*number];
}

static void add_reading(struct xpt_top_process *p, const struct xpt_snapshot_reading *v)
{
	if (v->metric == XPT_METRIC_GPU_PROCESS_MEMORY)
		p->memory = (p->memory == XPT_TOP_UNKNOWN ? 0 : p->memory) + v->value;
	else if (v->metric == XPT_METRIC_GPU_PROCESS_SM)
		p->gpu = (p->gpu < 0 ? 0 : p->gpu) + (double)v->value / XPT_RATIO_SCALE;
}

static int add_readings(struct xpt_top_rates *r)
{
	struct xpt_hashmap *pids = NULL;
	int err = xpt_hashmap__new(sizeof(uint32_t), sizeof(uint32_t), XPT_SNAPSHOT_PROCESSES + XPT_SNAPSHOT_READINGS, &pids);

	for (uint32_t i = 0; !err && i < r->nr_processes; i++) {
		uint32_t *number = xpt_hashmap__get(pids, &r->process[i].process.pid, NULL);

		err = number ? 0 : -ENOMEM;
		if (number)
			*number = i;
	}
	for (uint32_t i = 0; !err && i < r->now->nr_readings; i++) {
		const struct xpt_snapshot_reading *v = &r->now->reading[i];
		struct xpt_top_process *p = v->pid ? process_of_pid(r, pids, v) : NULL;

		if (p)
			add_reading(p, v);
	}
	xpt_hashmap__free(pids);
	return err;
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

static int fill_rates(struct xpt_top_rates *r)
{
	struct before b = { .s = r->before };
	int err = match_processes(&b, r->now);

	for (uint32_t i = 0; !err && i < r->now->nr_processes; i++) {
		const struct xpt_snapshot_process *from = &r->now->process[i];
		struct xpt_top_process *p = new_process(r, from);

		for (uint32_t n = 0; n < from->nr_rows; n++)
			add_function(r, p, &r->now->row[from->first_row + n], &b);
	}
	xpt_hashmap__free(b.processes);
	xpt_hashmap__free(b.rows);
	free(b.function);
	return err ? err : add_readings(r);
}

int xpt_top_rates__new(const struct xpt_snapshot *before, const struct xpt_snapshot *now, struct xpt_top_rates **ret_r)
{
	struct xpt_top_rates *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (!r)
		return err;
	r->now = now;
	r->interval_ns = before && now->ts_ns > before->ts_ns ? now->ts_ns - before->ts_ns : 0;
	r->before = r->interval_ns ? before : NULL;
	r->process = calloc(now->nr_processes + now->nr_readings + 1ul, sizeof(*r->process));
	r->function = calloc(now->nr_rows + 1ul, sizeof(*r->function));
	if (r->process && r->function)
		err = fill_rates(r);
	if (err) {
		xpt_top_rates__free(r);
		return err;
	}
	*ret_r = r;
	return 0;
}

void xpt_top_rates__free(struct xpt_top_rates *r)
{
	if (!r)
		return;
	free(r->process);
	free(r->function);
	free(r);
}

double xpt_top_rates__by_second(const struct xpt_top_rates *r, uint64_t n)
{
	return r->interval_ns ? (double)n * 1e9 / (double)r->interval_ns : 0;
}
