// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perf_event_open(2) with a software dummy event, attr.mmap2 and attr.comm: the
 * kernel writes a PERF_RECORD_MMAP2 for each executable mapping and a COMM record
 * for each exec, at no cost to any other system call. Each ends with its time.
 * Record layout: include/uapi/linux/perf_event.h.
 */
#include "proc/mmap_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

/* Sizes of the ring of each CPU, powers of two, and of all rings together. */
#define DATA_BYTES (512u << 10)
#define MIN_DATA_BYTES (64u << 10)
#define ALL_DATA_BYTES (64u << 20)

struct mmap2_record {	/* PERF_RECORD_MMAP2 without its time */
	struct perf_event_header hdr;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	char filename[];
};

struct comm_record {
	struct perf_event_header hdr;
	uint32_t pid, tid;
	char comm[8];		/* or more: a multiple of 8 */
};

struct task_record {		/* FORK, EXIT: an event for mappings brings these along */
	struct perf_event_header hdr;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct lost_record {
	struct perf_event_header hdr;
	uint64_t id, lost;
};

struct watch_cpu {
	int fd;
	struct perf_event_mmap_page *page;
	size_t bytes;			/* of its records */
	int before[XPT_WATCH_BEFORE];	/* processes of the last records */
	unsigned nr_before;		/* records so far */
};

struct xpt_watch {
	struct xpt_watch_fns fns;
	void *ctx;
	size_t page_size, nr;
	uint64_t end_ns;
	size_t first;			/* CPU that is read first next time */
	bool more;			/* the time was over before all was read */
	bool reading;			/* a record is being handed on */
	struct watch_cpu *cpu;
	char rec[65536];	/* one record, unwrapped; header.size is 16 bits */
};

/* Maps a ring as large as the kernel allows: less for a user who may not lock memory. */
static int map_ring(struct xpt_watch *w, size_t bytes, struct watch_cpu *c)
{
	void *p = MAP_FAILED;

	for (c->bytes = bytes * 2; p == MAP_FAILED && c->bytes > MIN_DATA_BYTES;) {
		c->bytes /= 2;
		p = mmap(NULL, c->bytes + w->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	}
	if (p == MAP_FAILED)
		return -errno;
	c->page = p;
	return 0;
}

static int open_cpu(struct xpt_watch *w, int cpu, size_t bytes, struct watch_cpu *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.comm = w->fns.execed != NULL,
		.comm_exec = w->fns.execed != NULL,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};

	c->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	return map_ring(w, bytes, c);
}

int xpt_watch__new(const struct xpt_watch_fns *fns, void *ctx, struct xpt_watch **ret_w)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF), i;
	size_t bytes = DATA_BYTES;
	struct xpt_watch *w = calloc(1, sizeof(*w));
	int err = -ENODEV;

	if (!w)
		return -ENOMEM;
	w->fns = *fns;
	w->ctx = ctx;
	w->end_ns = UINT64_MAX;
	while (bytes > MIN_DATA_BYTES && bytes * (size_t)cpus > ALL_DATA_BYTES)
		bytes /= 2;
	w->page_size = (size_t)sysconf(_SC_PAGESIZE);
	w->cpu = calloc((size_t)cpus, sizeof(*w->cpu));
	if (!w->cpu) {
		err = -ENOMEM;
		goto out;
	}
	for (i = 0; i < cpus; i++) {
		struct watch_cpu *c = &w->cpu[w->nr];
		int e = open_cpu(w, (int)i, bytes, c);

		if (e == -ENODEV)	/* offline */
			continue;
		w->nr++;
		if (e) {
			err = e;
			goto out;
		}
		err = 0;
	}
	if (err)
		goto out;
	*ret_w = w;
	return 0;
out:
	xpt_watch__free(w);
	return err;
}

void xpt_watch__free(struct xpt_watch *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->nr; i++) {
		if (w->cpu[i].page)
			munmap(w->cpu[i].page, w->cpu[i].bytes + w->page_size);
		if (w->cpu[i].fd >= 0)
			close(w->cpu[i].fd);
	}
	free(w->cpu);
	free(w);
}

int xpt_watch__add_to_epoll(struct xpt_watch *w, int epfd, uint64_t data)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = data };
	size_t i;

	for (i = 0; i < w->nr; i++)
		if (epoll_ctl(epfd, EPOLL_CTL_ADD, w->cpu[i].fd, &ev))
			return -errno;
	return 0;
}

/* Passes the processes of the last records to the callback: their records left no room. */
static void report_lost(struct xpt_watch *w, const struct watch_cpu *c, uint64_t lost)
{
	if (w->fns.lost)
		w->fns.lost(w->ctx, lost, c->before,
			    c->nr_before < XPT_WATCH_BEFORE ? c->nr_before : XPT_WATCH_BEFORE);
}

/* For a loss: this process's record took room. */
static void note_before(struct watch_cpu *c, uint32_t pid)
{
	c->before[c->nr_before++ % XPT_WATCH_BEFORE] = (int)pid;
}

static void one_record(struct xpt_watch *w, struct watch_cpu *c, size_t size)
{
	const struct perf_event_header *hdr = (const void *)w->rec;
	uint64_t ts_ns;

	if (size < sizeof(*hdr) + sizeof(ts_ns))
		return;
	memcpy(&ts_ns, w->rec + size - sizeof(ts_ns), sizeof(ts_ns));
	if (ts_ns > w->end_ns)
		return;
	if (hdr->type == PERF_RECORD_LOST && size >= sizeof(struct lost_record)) {
		report_lost(w, c, ((const struct lost_record *)hdr)->lost);
	} else if (hdr->type == PERF_RECORD_COMM && size >= sizeof(struct comm_record) + sizeof(ts_ns)) {
		if (hdr->misc & PERF_RECORD_MISC_COMM_EXEC && w->fns.execed)
			w->fns.execed(w->ctx, (int)((const struct comm_record *)hdr)->pid, ts_ns);
		note_before(c, ((const struct comm_record *)hdr)->pid);
	} else if ((hdr->type == PERF_RECORD_FORK || hdr->type == PERF_RECORD_EXIT) &&
		   size >= sizeof(struct task_record) + sizeof(ts_ns)) {
		const struct task_record *t = (const void *)hdr;

		/*
		 * Of a fork the parent: the child may have ended. The parent of one that ends may be init, which is
		 * not to blame.
		 */
		note_before(c, hdr->type == PERF_RECORD_FORK ? t->ppid : t->pid);
	} else if (hdr->type == PERF_RECORD_MMAP2 && size > sizeof(struct mmap2_record) + sizeof(ts_ns)) {
		const struct mmap2_record *m = (const void *)hdr;
		struct xpt_mapping map = {
			.start = m->addr,
			.end = m->addr + m->len,
			.offset = m->pgoff,
			.dev = makedev(m->maj, m->min),
			.ino = m->ino,
			.path = m->filename,
			.at_ns = ts_ns,
		};

		note_before(c, m->pid);
		w->rec[size - sizeof(ts_ns) - 1] = '\0';
		if (!strcmp(m->filename, "//toolong") || !strcmp(m->filename, "//enomem"))
			report_lost(w, c, 1);	/* a file whose name the kernel had no room for */
		else if (m->filename[0] == '/' && m->filename[1] != '/')
			w->fns.mapped(w->ctx, (int)m->pid, &map);
	}
}

/* False: the time was over before all was read. */
static bool read_cpu(struct xpt_watch *w, struct watch_cpu *c, uint64_t until_ns)
{
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = c->page->data_tail, bytes = c->bytes;
	const char *data = (const char *)c->page + w->page_size;

	while (tail < head) {
		struct perf_event_header hdr;
		size_t at = tail & (bytes - 1), first;

		memcpy(&hdr, data + at, sizeof(hdr));	/* records are 8-byte aligned */
		/* Never seen. The records after it cannot be found. */
		if (hdr.size < sizeof(hdr) || hdr.size > head - tail) {
			report_lost(w, c, 1);
			tail = head;
			break;
		}
		first = bytes - at < hdr.size ? bytes - at : hdr.size;
		memcpy(w->rec, data + at, first);
		memcpy(w->rec + first, data, hdr.size - first);
		one_record(w, c, hdr.size);
		tail += hdr.size;
		if (xpt_now_ns() >= until_ns)
			break;
	}
	__atomic_store_n(&c->page->data_tail, tail, __ATOMIC_RELEASE);
	return tail >= head;
}

void xpt_watch__read(struct xpt_watch *w, uint64_t until_ns)
{
	size_t i, first = w->first;

	/* The callback for a record may want later records, to name code: the record is still in use. */
	if (w->reading)
		return;
	w->reading = true;
	w->more = false;
	for (i = 0; i < w->nr && !w->more; i++) {
		w->first = (first + i + 1) % w->nr;	/* one CPU's records do not keep others waiting */
		w->more = !read_cpu(w, &w->cpu[(first + i) % w->nr], until_ns);
	}
	w->reading = false;
}

void xpt_watch__end(struct xpt_watch *w, uint64_t end_ns)
{
	w->end_ns = end_ns;
}

bool xpt_watch__has_more(const struct xpt_watch *w)
{
	return w->more;
}
