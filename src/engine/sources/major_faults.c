// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Major page faults inside traced calls: the page had to be read from disk, and the call waited for it.
 * Each becomes a point inside its call, "major_page_fault in cuMemcpyHtoD_v2", with the address.
 *
 * One software event of perf per CPU sees those of all processes: events of processes would be one
 * for each thread and CPU, and would cost at every switch of a task. So nothing is done where no page is
 * read from disk. A BPF program keeps faults outside of traced calls from the rings
 * (bpf/kernel/major_fault.bpf.h), so a fault without room in a ring is a loss of this trace. It is for users who ask
 * why calls are slow (--sched), where calls come as records: else pages that happen to be on disk would add events to
 * any trace.
 * A call knows its thread and when it began and ended; its record comes after those of all calls inside it. So a
 * fault belongs to the first call that is reported and was running when the fault happened, and waits until then.
 * Faults of calls that are not reported are forgotten. Pages that a driver pins (get_user_pages()) are no events of
 * perf: mm_account_fault(), mm/memory.c.
 */
#include "engine/source.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/time.h"
#include "engine/calls/inject.h"
#include "engine/final_counts.h"
#include "engine/function_ids.h"
#include "engine/priv.h"
#include "engine/sources/ioctl_source.h"
#include "wire/life.h"
#include "call.skel.h"

#define RING_BYTES (64u << 10)	/* of each CPU: 2,048 faults; the reader is woken at half of them */
#define MAX_FAULTS 65536u	/* that wait for the end of their call: 8 GiB of a file with usual read-ahead */
#define MAX_NAMES 128u		/* functions that get a name here; others share one */
#define MAX_COUNTS 16384u	/* processes times functions, as xpt_counts */
#define LOOK_NS 250000000ull	/* between two looks at which threads are in calls */

extern const struct xpt_source xpt_source_major_faults;

struct sample {			/* PERF_RECORD_SAMPLE with this sample_type */
	struct perf_event_header hdr;
	uint32_t pid, tid;
	uint64_t ts_ns, address;
};

struct ring {
	int fd;
	struct perf_event_mmap_page *page;	/* NULL: the CPU has no event */
};

struct fault {
	uint64_t ts_ns, address;
	uint32_t tid;
	bool reported, outside;	/* its event was emitted; it was in no call. Either way it is dropped */
};

struct major_faults {
	struct ring *ring;		/* NULL: not asked for, or calls do not come as records */
	uint32_t nr_rings;
	size_t page_size;
	uint64_t read_ns;		/* faults before that time were read */
	struct fault *fault, *spare;	/* by thread, then by time; NULL: there was none yet */
	uint32_t nr;
	bool can_go;			/* some of them can */
	uint64_t next_look_ns;
	uint16_t fn_in[XPT_MAX_FNS];	/* of faults inside a function, by its id; 0: none yet */
	uint16_t fn_others;
	uint32_t nr_names;
	struct xpt_hashmap *counts;	/* struct xpt_wire_count_key -> uint64_t */
	uint64_t samples;		/* read so far */
	uint64_t lost, no_event;	/* faults, and CPUs without an event */
};

static struct major_faults *state_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_major_faults);
}

static bool is_asked_for(const struct xpt_engine *e)
{
	return e->cfg.events && e->cfg.sched;
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	(void)kind;
	bpf_program__set_autoload(skel->progs.xpt_major_fault, is_asked_for(e));
}

/* --- events of perf ------------------------------------------------------------------------ */

static int open_ring(const struct xpt_engine *e, const struct major_faults *p, int cpu, struct ring *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,	/* that of calls */
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
	};
	void *page;

	r->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0 || ioctl(r->fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(e->skel->progs.xpt_major_fault)))
		return -errno;
	page = mmap(NULL, RING_BYTES + p->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	r->page = page;
	return ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* A CPU that is offline has no faults. */
static int start(struct xpt_engine *e)
{
	struct major_faults *p = state_of(e);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!is_asked_for(e) || cpus <= 0)
		return 0;
	p->page_size = (size_t)sysconf(_SC_PAGESIZE);
	p->ring = calloc((size_t)cpus, sizeof(*p->ring));
	if (!p->ring || xpt_hashmap__new(sizeof(struct xpt_wire_count_key), sizeof(uint64_t), MAX_COUNTS, &p->counts))
		return -ENOMEM;
	for (; p->nr_rings < (uint32_t)cpus; p->nr_rings++) {
		struct epoll_event ev = { .events = EPOLLIN };
		struct ring *r = &p->ring[p->nr_rings];
		int err = open_ring(e, p, (int)p->nr_rings, r);

		if (err && err != -ENODEV) {
			p->no_event++;
			xpt_debug("no event for page faults on CPU %u: %s", p->nr_rings, strerror(-err));
		}
		if (!err)
			epoll_ctl(e->epfd, EPOLL_CTL_ADD, r->fd, &ev);	/* without it the next poll reads */
	}
	return 0;
}

/* Not in detach: calls that end while probes are removed still have faults. The events cost processes nothing. */
static void free_all(struct xpt_engine *e)
{
	struct major_faults *p = state_of(e);

	for (uint32_t i = 0; i < p->nr_rings; i++) {
		if (p->ring[i].page)
			munmap(p->ring[i].page, RING_BYTES + p->page_size);
		if (p->ring[i].fd >= 0)
			close(p->ring[i].fd);
	}
	free(p->ring);
	free(p->fault);
	free(p->spare);
	xpt_hashmap__free(p->counts);
}

/* --- faults that wait ---------------------------------------------------------------------- */

static int compare_faults(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->ts_ns > y->ts_ns) - (x->ts_ns < y->ts_ns);
}

static bool has_room(struct major_faults *p)
{
	if (!p->fault) {
		p->fault = calloc(MAX_FAULTS, sizeof(*p->fault));
		p->spare = calloc(MAX_FAULTS, sizeof(*p->spare));
	}
	return p->fault && p->spare && p->nr < MAX_FAULTS;
}

static void add_fault(struct major_faults *p, const struct sample *s)
{
	if (!has_room(p)) {
		p->lost++;
		return;
	}
	p->fault[p->nr++] = (struct fault){ .ts_ns = s->ts_ns, .address = s->address, .tid = s->tid };
}

/* Puts those from number `old` on, which are new, into their places. */
static void merge_new(struct major_faults *p, uint32_t old)
{
	struct fault *had = p->fault, *new = p->fault + old, *to = p->spare;
	const struct fault *had_end = new, *new_end = p->fault + p->nr;

	qsort(new, p->nr - old, sizeof(*new), compare_faults);
	if (!old || compare_faults(had_end - 1, new) <= 0)
		return;
	while (had < had_end || new < new_end)
		*to++ = new == new_end || (had < had_end && compare_faults(had, new) <= 0) ? *had++ : *new++;
	to = p->fault;
	p->fault = p->spare;
	p->spare = to;
}

static void read_ring(struct major_faults *p, struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), tail = r->page->data_tail;
	const char *data = (const char *)r->page + p->page_size;

	while (tail < head) {
		size_t at = tail & (RING_BYTES - 1), first;
		struct sample s;

		memcpy(&s.hdr, data + at, sizeof(s.hdr));	/* records are 8-byte aligned */
		if (s.hdr.size < sizeof(s.hdr) || s.hdr.size > head - tail) {
			tail = head;
			break;
		}
		first = RING_BYTES - at < sizeof(s) ? RING_BYTES - at : sizeof(s);
		tail += s.hdr.size;
		/* Not a fault; finish() counts PERF_RECORD_LOST. */
		if (s.hdr.type != PERF_RECORD_SAMPLE || s.hdr.size != sizeof(s))
			continue;
		memcpy(&s, data + at, first);
		memcpy((char *)&s + first, data, sizeof(s) - first);
		p->samples++;
		add_fault(p, &s);
	}
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void read_rings(struct major_faults *p)
{
	uint64_t now = xpt_now_ns();
	uint32_t old = p->nr;

	for (uint32_t i = 0; i < p->nr_rings; i++)
		if (p->ring[i].page)
			read_ring(p, &p->ring[i]);
	p->read_ns = now;
	if (p->nr > old)
		merge_new(p, old);
}

/* The first fault of the thread that is not older. */
static uint32_t find_first(const struct major_faults *p, uint32_t tid, uint64_t from_ns)
{
	struct fault key = { .ts_ns = from_ns, .tid = tid };
	uint32_t low = 0, high = p->nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (compare_faults(&p->fault[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* --- out ----------------------------------------------------------------------------------- */

static uint16_t add_function(struct xpt_engine *e, const char *in)
{
	const char *const cap_name = "address";
	char name[256];
	struct xpt_new_function f = {
		.name = name, .sym = name, .base = name, .group = "kernel", .cap_names = &cap_name,
		.lib = XPT_NO_LIB, .layer = XPT_LAYER_POINT, .no_probe = true, .fn = { .kernel = true },
		.spec = {
			.cls = XPT_CLASS_OTHER, .ret = XPT_RET_NONE, .size_cap = 0xff, .dir_cap = 0xff,
			.nr_caps = e->cfg.args != XPT_ARGS_NONE,
			.cap[0] = { .op = XPT_CAP_VAL, .width = 8, .role = XPT_ROLE_NONE },
		},
	};

	snprintf(name, sizeof(name), "major_page_fault in %.200s", in);
	return (uint16_t)xpt_functions__add(e, &f);
}

/* The function of faults inside a function; 0: there is no room for any. */
static uint16_t function_in(struct xpt_engine *e, struct major_faults *p, uint32_t fn)
{
	char buf[XPT_IOCTL_NAME_MAX];

	if (fn < XPT_MAX_FNS && p->fn_in[fn])
		return p->fn_in[fn];
	if (fn >= e->nr_fns || p->nr_names == MAX_NAMES) {
		p->fn_others = p->fn_others ? p->fn_others : add_function(e, "other calls");
		return p->fn_others;
	}
	p->nr_names++;
	p->fn_in[fn] = add_function(e, xpt_ioctl__function(e, fn, buf, sizeof(buf)) ? buf : e->fns[fn].sym);
	return p->fn_in[fn];
}

static void emit_fault(struct xpt_engine *e, const struct fault *f, const struct xpt_rec_call *in, uint16_t fn)
{
	bool has_value = e->cfg.args != XPT_ARGS_NONE;
	uint64_t space[(sizeof(struct xpt_rec_call) + 8) / 8] = { 0 };
	struct xpt_rec_call *c = (void *)space;

	c->rec.kind = XPT_REC_CALL;
	c->rec.size = (uint16_t)(sizeof(*c) + 8 * has_value);
	c->rec.fn = fn;
	c->start_ns = f->ts_ns;
	c->tgid = in->tgid;
	c->tid = in->tid;
	c->depth = (uint8_t)(in->depth + 1u < XPT_MAX_DEPTH ? in->depth + 1u : XPT_MAX_DEPTH - 1u);
	c->flags = XPT_CALL_NESTED;
	c->valid = c->nr_vals = has_value;
	c->val[0] = f->address;
	xpt_engine__emit_call(e, c);
}

/* Emits the faults that happened in the call itself; those of calls inside it were emitted before. */
static void emit_faults(struct xpt_engine *e, struct major_faults *p, const struct xpt_rec_call *in, uint64_t end_ns)
{
	uint32_t i = find_first(p, in->tid, in->start_ns);

	for (; i < p->nr && p->fault[i].tid == in->tid && p->fault[i].ts_ns <= end_ns; i++) {
		struct xpt_wire_count_key key = { .tgid = in->tgid, .sub = XPT_DIR_NONE | XPT_SUB_NESTED };
		struct fault *f = &p->fault[i];
		uint64_t *count;

		if (f->reported)
			continue;
		f->reported = p->can_go = true;
		key.fn = function_in(e, p, in->rec.fn);
		count = key.fn ? xpt_hashmap__get(p->counts, &key, NULL) : NULL;
		if (!count) {	/* nor is it emitted: there are never more events than counts */
			p->lost++;
			continue;
		}
		(*count)++;
		emit_fault(e, f, in, key.fn);
	}
}

/* A fault is in its ring before its call ends. */
static void on_call(struct xpt_engine *e, const struct xpt_rec_call *call)
{
	struct major_faults *p = state_of(e);

	if (p->ring && call->start_ns + call->dur_ns > p->read_ns)
		read_rings(p);
	if (p->nr)
		emit_faults(e, p, call, call->start_ns + call->dur_ns);
}

static void emit_count(struct xpt_engine *e, const struct xpt_wire_count_key *key, uint64_t faults)
{
	struct xpt_wire_count sum = { .calls = faults, .hist[0] = faults };

	xpt_totals__emit_count(e, key, &sum);
}

/* tgid 0: of all processes. */
static void emit_counts(struct xpt_engine *e, uint32_t tgid)
{
	struct major_faults *p = state_of(e);
	const void *key;
	size_t pos = 0;
	void *faults;

	while (p->counts && xpt_hashmap__next(p->counts, &pos, &key, &faults)) {
		struct xpt_wire_count_key k = *(const struct xpt_wire_count_key *)key;
		uint64_t n = *(const uint64_t *)faults;

		if (!tgid || k.tgid == tgid) {
			xpt_hashmap__del(p->counts, &k);
			emit_count(e, &k, n);
		}
	}
}

/* Another process may get the number. */
static void on_task(struct xpt_engine *e, const struct xpt_sent_task *t)
{
	if (t->task.event == XPT_TASK_EXIT)
		emit_counts(e, t->task.tgid);
}

/* --- faults outside of calls ----------------------------------------------------------------- */

/* Calls visit for each thread that has faults here and made traced calls. */
static void each_thread(struct xpt_engine *e, struct major_faults *p,
			void (*visit)(struct xpt_engine *e, struct major_faults *p, uint32_t tid, const struct xpt_thread *t))
{
	const volatile __u32 *tids = e->skel->bss->xpt_slot_tid;

	for (uint32_t slot = 0; slot < e->skel->rodata->cfg.nr_slots; slot++) {
		struct xpt_threads_at at = { .slot = slot };
		uint32_t tid = tids[slot], i = tid ? find_first(p, tid, 0) : p->nr;
		const struct xpt_thread *t;

		if (i == p->nr || p->fault[i].tid != tid)
			continue;
		t = xpt_threads__next(e, &at);
		if (t && at.slot == slot + 1)
			visit(e, p, tid, t);
	}
}

static void keep_open(struct xpt_engine *e, struct major_faults *p, uint32_t tid, const struct xpt_thread *t)
{
	(void)e;
	if (!t->depth)
		return;
	for (uint32_t i = find_first(p, tid, t->frame[0].call.start_ns); i < p->nr && p->fault[i].tid == tid; i++)
		p->fault[i].outside = false;
}

/*
 * When half of the room is taken: a fault that is in no open call now was outside, or its call has ended and is
 * read now, so that after_records can forget it (also where a flood of calls ended the reading early).
 */
static void step(struct xpt_engine *e)
{
	struct major_faults *p = state_of(e);

	if (!p->ring)
		return;
	read_rings(p);
	if (p->nr < MAX_FAULTS / 2 || p->read_ns < p->next_look_ns)
		return;
	p->next_look_ns = p->read_ns + LOOK_NS;
	for (uint32_t i = 0; i < p->nr; i++)
		p->fault[i].outside = true;
	each_thread(e, p, keep_open);
	p->can_go = true;
}

static void remove_settled(struct xpt_engine *e)
{
	struct major_faults *p = state_of(e);
	uint32_t left = 0;

	if (!p->can_go)
		return;
	for (uint32_t i = 0; i < p->nr; i++)
		if (!p->fault[i].reported && !p->fault[i].outside)
			p->fault[left++] = p->fault[i];
	p->nr = left;
	p->can_go = false;
}

/* --- the end ------------------------------------------------------------------------------- */

static void emit_open(struct xpt_engine *e, struct major_faults *p, uint32_t tid, const struct xpt_thread *t)
{
	uint32_t depth = t->depth < XPT_MAX_DEPTH ? t->depth : XPT_MAX_DEPTH;

	while (depth--) {
		struct xpt_rec_call in = t->frame[depth].call;

		in.tid = tid;
		in.tgid = t->tgid;
		in.depth = (uint8_t)depth;
		if (in.rec.fn)	/* the calibration's is 0 */
			emit_faults(e, p, &in, UINT64_MAX);
	}
}

static void finish(struct xpt_engine *e)
{
	struct major_faults *p = state_of(e);

	if (!p->ring)
		return;
	for (uint32_t i = 0; i < p->nr_rings; i++)
		if (p->ring[i].page)
			ioctl(p->ring[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	read_rings(p);
	if (p->nr)
		each_thread(e, p, emit_open);
	if (e->skel->bss->xpt_major_faults > p->samples)	/* a ring had no room for them */
		p->lost += e->skel->bss->xpt_major_faults - p->samples;
	emit_counts(e, 0);
}

static void add_losses(struct xpt_engine *e, uint64_t *lost)
{
	const struct major_faults *p = state_of(e);

	lost[XPT_LOSS_KERNEL_MISSED] += p->lost;
	lost[XPT_LOSS_KERNEL_FAILED] += p->no_event;
}

const struct xpt_source xpt_source_major_faults = {
	.name = "major_faults",
	.state_size = sizeof(struct major_faults),
	.configure = configure,
	.start = start,
	.on_task = on_task,
	.step = step,
	.on_call = on_call,
	.after_records = remove_settled,
	.finish = finish,
	.losses = add_losses,
	.free = free_all,
};
