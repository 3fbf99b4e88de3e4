/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The block of statistics under the names that users of CUDA tracing scripts
 * know: calls, launches, allocations and transfers with their bytes, ioctl calls,
 * and events by type. CUDA API calls are those of libcuda and libcudart that the
 * program itself made: a call of a traced library (libcudart, NCCL, a libcuda
 * that passes its calls on to another one) is that library's work, while a
 * function that the user named is the program's code. All calls that were traced
 * (nested ones, ioctls, functions of drivers, other libraries) have a total of
 * their own, which is only shown where it differs; points are passed and not
 * called. The summary leaves the block out where no call of CUDA was traced.
 *
 * Types are those of the JSON lines: an operation is counted once, however
 * many layers saw it, and only if it worked: a launch that failed launched
 * nothing. Exact counters are taken if they saw more than events.
 */
#include <string.h>
#include "model/output/analyzer.h"
#include "model/call.h"

#define MB 1048576.0

struct rec_statistics {
	uint64_t cuda_api_calls, total_calls, kernel_launches, allocations, allocation_bytes;
	uint64_t transfers, transfer_bytes, ioctl_calls, ioctl_ns, scheduler_calls;
	double allocation_mb, transfer_mb;
};

#define FIELDS(all_title, ioctl_calls_title, ioctl_time_title, scheduler_title) \
	XPT_FIELD(struct rec_statistics, cuda_api_calls, U64, COUNT, "Total CUDA API calls"), \
	XPT_FIELD(struct rec_statistics, total_calls, U64, COUNT, all_title), \
	XPT_FIELD(struct rec_statistics, kernel_launches, U64, COUNT, "Kernel launches"), \
	XPT_FIELD(struct rec_statistics, allocations, U64, COUNT, "Allocations"), \
	XPT_FIELD(struct rec_statistics, allocation_bytes, U64, NONE, "Allocated bytes"), \
	XPT_FIELD(struct rec_statistics, allocation_mb, F64, COUNT, "Allocated MB"), \
	XPT_FIELD(struct rec_statistics, transfers, U64, COUNT, "Transfers"),  \
	XPT_FIELD(struct rec_statistics, transfer_bytes, U64, NONE, "Transferred bytes"), \
	XPT_FIELD(struct rec_statistics, transfer_mb, F64, COUNT, "Transferred MB"), \
	XPT_FIELD(struct rec_statistics, ioctl_calls, U64, COUNT, ioctl_calls_title), \
	XPT_FIELD(struct rec_statistics, ioctl_ns, U64, NS, ioctl_time_title), \
	XPT_FIELD(struct rec_statistics, scheduler_calls, U64, COUNT, scheduler_title)

#define SCHEMA(table, is_detail)                                                        \
	.name = "statistics", .title = "Statistics",                           \
	.help = "Totals by their usual names; cuda_api_calls are calls of libcuda and libcudart that " \
		"the program made, without those inside a call of another traced library; " \
		"total_calls are all traced calls with nested ones, without points; failed calls are " \
		"among both, but are no launches, allocations or transfers; MB is 1048576 bytes; " \
		"without ioctls, theirs and the scheduler's are null, absent in text", \
	.layout = XPT_LAYOUT_LIST, .order = 11, XPT_RECORD(struct rec_statistics, table), .two_columns = true, \
	.detail = is_detail

static const struct xpt_field cuda_fields[] = { FIELDS("", "", "", "") };
static const struct xpt_field user_fields[] = { FIELDS("All traced calls", "", "", "") };
static const struct xpt_field kernel_fields[] = {
	FIELDS("All traced calls", "ioctl calls", "Total ioctl time", "Scheduler calls")
};
static const struct xpt_schema cuda_schema = { SCHEMA(cuda_fields, false) };
static const struct xpt_schema user_schema = { SCHEMA(user_fields, false) };
static const struct xpt_schema kernel_schema = { SCHEMA(kernel_fields, false) };
/* The schema of traces without calls of CUDA. */
static const struct xpt_schema other_user_schema = { SCHEMA(user_fields, true) };
static const struct xpt_schema other_kernel_schema = { SCHEMA(kernel_fields, true) };

struct rec_type {
	const char *type;
	uint64_t events, time_ns;
};

static const struct xpt_field type_fields[] = {
	XPT_FIELD(struct rec_type, type, STR, NONE, "type"),
	XPT_FIELD(struct rec_type, events, U64, COUNT, "events"),
	XPT_FIELD(struct rec_type, time_ns, U64, NS, "time"),
};

static const struct xpt_schema type_schema = {
	.name = "events_by_type", .title = "Events by type",
	.help = "Calls by the type that JSON lines give them, and the time in them",
	.layout = XPT_LAYOUT_TABLE, .order = 12, XPT_RECORD(struct rec_type, type_fields),
	.detail = true,
};

static const struct xpt_schema *const emits[] = {
	&cuda_schema, &user_schema, &kernel_schema, &other_user_schema, &other_kernel_schema,
	&type_schema, NULL,
};

enum { MEMORY, KERNEL, TRANSFER, SCHEDULER, USERSPACE, NR_TYPES };
static const char *const type_names[NR_TYPES] = { "memory", "kernel", "transfer", "scheduler",
						  "userspace" };

struct sums {
	uint64_t calls, points, cuda, cuda_inside;
	uint64_t launches, allocs, alloc_bytes, copies, copy_bytes, ioctls, ioctl_ns;
	uint64_t sched_ioctls, sched_driver;
	uint64_t events[NR_TYPES], time_ns[NR_TYPES];
};

struct statistics {
	struct sums ev, ctr;
	struct sums captured;	/* of these, operations captured into graphs: no work that was done */
};

static bool is_cuda(const struct xpt_fn *fn)
{
	return fn->layer == XPT_LAYER_API &&
	       (!strcmp(fn->domain_name, "cuda") || !strcmp(fn->domain_name, "cudart"));
}

/* inside: in a call of another library that is traced. */
static void add_call(struct sums *s, const struct xpt_fn *fn, bool inside, uint64_t calls)
{
	if (xpt_fn__is_point(fn)) {
		s->points += calls;
		return;
	}
	s->calls += calls;
	if (is_cuda(fn))
		*(inside ? &s->cuda_inside : &s->cuda) += calls;
}

static void add_count(struct sums *s, const struct xpt_fn *fn, bool outer,
		      const struct xpt_wire_count *n)
{
	const char *name = xpt_fn__type(fn, outer);
	uint64_t done = n->calls - (n->errors < n->calls ? n->errors : n->calls);
	unsigned type = 0;

	while (type < USERSPACE && strcmp(type_names[type], name) != 0)
		type++;
	s->events[type] += n->calls;
	s->time_ns[type] += n->time_ns;
	if (type == SCHEDULER && fn->layer == XPT_LAYER_IOCTL)
		s->sched_ioctls += n->calls;
	else if (type == SCHEDULER && !outer)
		s->sched_driver += n->calls;
	if (fn->layer == XPT_LAYER_IOCTL && fn->cls != XPT_CLASS_IOCTL &&
	    fn->cls != XPT_CLASS_SCHED)
		return;		/* a device's mmap or poll */
	if (fn->layer == XPT_LAYER_IOCTL) {
		s->ioctls += n->calls;
		s->ioctl_ns += n->time_ns;
	} else if (type == KERNEL && fn->cls == XPT_CLASS_LAUNCH) {
		s->launches += done;
	} else if (type == MEMORY && fn->cls == XPT_CLASS_ALLOC) {
		s->allocs += done;
		s->alloc_bytes += n->bytes;
	} else if (type == TRANSFER) {
		s->copies += done;
		s->copy_bytes += n->bytes;
	}
}

static void on_call(struct statistics *st, const struct xpt_call *c)
{
	struct xpt_wire_count n = { .calls = 1, .errors = c->failed, .time_ns = c->dur_ns };
	uint64_t bytes;

	if (xpt_call__done_bytes(c, &bytes))
		n.bytes = bytes;
	if (c->captured)
		add_count(&st->captured, c->fn, c->flags & XPT_CALL_OUTER, &n);
	add_count(&st->ev, c->fn, c->flags & XPT_CALL_OUTER, &n);
	add_call(&st->ev, c->fn, (c->flags & XPT_CALL_NESTED) && !(c->flags & XPT_CALL_IN_NAMED), 1);
}

static void on_counter(struct statistics *st, const struct xpt_event *ev)
{
	bool inside = ev->u.counter.nested && !ev->u.counter.in_named;

	add_count(&st->ctr, ev->u.counter.fn, ev->u.counter.outer, ev->u.counter.count);
	add_call(&st->ctr, ev->u.counter.fn, inside, ev->u.counter.count->calls);
}

/* A request passes both layers; without its ioctl it is counted in the driver. */
static uint64_t scheduler_calls(const struct sums *s)
{
	if (s->sched_ioctls || s->sched_driver)
		return s->sched_ioctls ? s->sched_ioctls : s->sched_driver;
	return s->ioctls ? 0 : XPT_ABSENT;
}

static const struct xpt_schema *schema_of(const struct sums *s)
{
	if (!s->cuda && !s->cuda_inside)
		return s->ioctls ? &other_kernel_schema : &other_user_schema;
	return s->ioctls ? &kernel_schema : s->cuda != s->calls ? &user_schema : &cuda_schema;
}

static uint64_t less_captured(uint64_t all, uint64_t captured)
{
	return all > captured ? all - captured : 0;
}

static void on_end(const struct statistics *st, struct xpt_out *out)
{
	bool exact = st->ctr.calls + st->ctr.points >= st->ev.calls + st->ev.points;
	const struct sums *s = exact ? &st->ctr : &st->ev;
	uint64_t copy_bytes = less_captured(s->copy_bytes, st->captured.copy_bytes);
	struct rec_statistics rec = {
		.cuda_api_calls = s->cuda, .total_calls = s->calls, .kernel_launches = less_captured(s->launches, st->captured.launches),
		.allocations = s->allocs, .allocation_bytes = s->alloc_bytes,
		.allocation_mb = (double)s->alloc_bytes / MB,
		.transfers = less_captured(s->copies, st->captured.copies),
		.transfer_bytes = copy_bytes, .transfer_mb = (double)copy_bytes / MB,
		.ioctl_calls = s->ioctls ? s->ioctls : XPT_ABSENT,
		.ioctl_ns = s->ioctls ? s->ioctl_ns : XPT_ABSENT,
		.scheduler_calls = scheduler_calls(s),
	};

	xpt_out__emit(out, schema_of(s), &rec);
	for (unsigned i = 0; i < NR_TYPES; i++) {
		struct rec_type type = { type_names[i], s->events[i], s->time_ns[i] };

		if (type.events)
			xpt_out__emit(out, &type_schema, &type);
	}
}

static void statistics__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct statistics *s = st;

	if (ev->kind == XPT_EV_CALL)
		on_call(s, &ev->u.call);
	else if (ev->kind == XPT_EV_COUNTER)
		on_counter(s, ev);
	else if (ev->kind == XPT_EV_END)
		on_end(s, out);
}

const struct xpt_analyzer xpt_analyzer_statistics = {
	.name = "statistics",
	.help = "totals under the names that tracing scripts use, and events by type",
	.emits = emits,
	.state_size = sizeof(struct statistics),
	.event = statistics__event,
};
