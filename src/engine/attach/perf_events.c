// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The perf kind, for kernels before 6.6. One perf event per function takes
 * minutes to close, since the kernel waits for all CPUs after each. So many
 * functions share an event: tracefs lets one uprobe event have many places.
 *
 * The address shows which place was hit: a page offset is the same in the file and in memory, so each event of
 * entries gets places whose offsets differ in the low 12 bits, and (event, low bits) is looked up in
 * xpt_sites. Returns need no function, so all of them share one event.
 *
 * Without a tracefs that can be written every place gets an event of its own.
 * The definitions are called xputrace_PID/gN, with N a number of the event, and go when the events are closed;
 * definitions that a killed xputrace left (nothing active) go when the next xputrace starts. It knows them by
 * a lock, see find_leftovers().
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files/pseudo_fs.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "engine/attach/link_set.h"
#include "engine/attach/shared_probe.h"
#include "kernel/tracefs.h"
#include "call.skel.h"

#define DEFINITIONS "uprobe_events"
#define GROUP "xputrace_%d"		/* of our definitions, by process */
#define DEFINITIONS_MAX (4u << 20)	/* bytes of one event's; some 80 a place */
#define MANY_FILES 16384
#define LEFTOVERS 256

struct places {			/* of one library, that are to share an event */
	const char *path;
	const uint64_t *offsets;
	uint32_t n;
	struct bpf_program *prog;
	bool ret;
	uint32_t group;		/* the attach cookie */
	const uint64_t *cookies;	/* of entries, as wire/cookie.h has them */
	bool *refused;		/* of returns: which the kernel has refused */
};

static int write_definitions(const struct xpt_engine *e, const char *text)
{
	int fd = openat(e->tracefs, DEFINITIONS, O_WRONLY | O_APPEND | O_CLOEXEC), err = 0;
	size_t len = strlen(text);

	if (fd < 0)
		return -errno;
	while (len && !err) {
		ssize_t n = write(fd, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else {
			err = n ? -errno : -EIO;
		}
	}
	close(fd);
	return err;
}

struct leftover {
	int pid;
	unsigned event;
};

/*
 * A definition may only be removed when no process holds its events open any more. The kernel checks that only for
 * the last function of an event; it frees the others while their breakpoints still lead to them, and the next process
 * that maps the file brings it down (trace_uprobe.c, unregister_trace_uprobe(): seen on 6.1). So every process that
 * holds events also holds a lock on the byte of DEFINITIONS at the id of the process that made them. The lock belongs
 * to an open file, which children inherit, and ends with the last of them, however it ends. A write lock needs the
 * file open for writing, so only users who may write definitions themselves can make one; any user can use a name or
 * id of a process.
 */
static struct flock lock_of(int pid, short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = pid, .l_len = 1 };
}

/* Whether a process holds events of that number. The caller must not hold the lock itself. */
static bool is_held(const struct xpt_engine *e, int pid)
{
	struct flock l = lock_of(pid, F_RDLCK);	/* read locks of those who may only read do not count */

	return fcntl(e->events_lock, F_OFD_GETLK, &l) || l.l_type != F_UNLCK;
}

static int open_lock(int dir)
{
	return openat(dir, DEFINITIONS, O_RDWR | O_CLOEXEC);
}

/* Fails if a child of an earlier process with our id still closes events. */
static int take_lock(struct xpt_engine *e)
{
	struct flock l = lock_of(getpid(), F_WRLCK);

	return fcntl(e->events_lock, F_OFD_SETLK, &l) ? -errno : 0;
}

/*
 * Lists definitions whose events no process holds, because their process has ended. Returns their number, at most
 * max. Lines: "p:xputrace_123/g0 PATH:0x...". They may have our own number.
 */
static size_t find_leftovers(const struct xpt_engine *e, FILE *f, struct leftover *found, size_t max)
{
	struct leftover l;
	char line[512];
	size_t n = 0;

	while (n < max && fgets(line, sizeof(line), f)) {
		if (sscanf(line + 1, ":" GROUP "/g%u ", &l.pid, &l.event) != 2)
			continue;
		if (n && found[n - 1].pid == l.pid && found[n - 1].event == l.event)
			continue;
		if (!is_held(e, l.pid))
			found[n++] = l;
	}
	return n;
}

static void undefine_event(const struct xpt_engine *e, int pid, unsigned event)
{
	char text[64];

	snprintf(text, sizeof(text), "-:" GROUP "/g%u\n", pid, event);
	write_definitions(e, text);	/* fails if it does not exist, which does no harm */
}

/* Removes definitions after all were read, because lines move up when others are removed. */
static void sweep_events(const struct xpt_engine *e)
{
	struct leftover found[LEFTOVERS];
	int fd = openat(e->tracefs, DEFINITIONS, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	size_t n, i;

	if (!f) {
		if (fd >= 0)
			close(fd);
		return;
	}
	n = find_leftovers(e, f, found, LEFTOVERS);
	fclose(f);
	for (i = 0; i < n; i++)
		undefine_event(e, found[i].pid, found[i].event);
}

void xpt_perf__open(struct xpt_engine *e)
{
	static const char *const dirs[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	size_t i;

	e->tracefs = -1;
	e->events_of = (uint32_t)getpid();
	for (i = 0; i < 3; i++) {
		e->tracefs = i < 2 ? open(dirs[i], O_DIRECTORY | O_CLOEXEC) : xpt_pseudo_fs__mount("tracefs");
		if (e->tracefs < 0)
			continue;
		e->events_lock = open_lock(e->tracefs);
		if (e->events_lock >= 0) {
			sweep_events(e);
			if (!take_lock(e))
				return;
		}
		xpt_perf__close(e);
	}
	xpt_debug("no tracefs to write to: an event for each function, slow to close");
}

void xpt_perf__close(struct xpt_engine *e)
{
	if (e->events_lock >= 0)
		close(e->events_lock);
	if (e->tracefs >= 0)
		close(e->tracefs);
	e->events_lock = e->tracefs = -1;
}

void xpt_perf__forget(struct xpt_engine *e)
{
	if (e->tracefs < 0 || e->events_of != (uint32_t)getpid())	/* a child: our parent may hold them, too */
		return;
	for (; e->gone_events < e->nr_events; e->gone_events++)
		undefine_event(e, getpid(), e->gone_events);
}

static int keep_link(struct xpt_elib *lib, struct bpf_link *link)
{
	struct bpf_link **links;

	if (!link)
		return -errno;
	links = reallocarray(lib->links, lib->nr_links + 1, sizeof(*links));
	if (!links) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	lib->links = links;
	lib->links[lib->nr_links++] = link;
	return 0;
}

/* Defines an event. It names the file by a descriptor's number, because a path with a space would not work. */
static int define_event(const struct xpt_engine *e, const struct places *p, uint32_t event)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC), err;
	struct xpt_strbuf s;
	uint32_t i;

	if (fd < 0)
		return -errno;
	xpt_strbuf__init(&s, DEFINITIONS_MAX);
	for (i = 0; i < p->n; i++)
		xpt_strbuf__addf(&s, "%c:" GROUP "/g%u /proc/%d/fd/%d:0x%llx\n", p->ret ? 'r' : 'p',
				 getpid(), event, getpid(), fd,
				 (unsigned long long)p->offsets[i]);
	err = xpt_strbuf__err(&s);
	if (!err)
		err = write_definitions(e, xpt_strbuf__str(&s));
	xpt_strbuf__free(&s);
	close(fd);
	return err;
}

static int open_event(const struct xpt_engine *e, uint32_t event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.wakeup_events = 1,
	};
	char path[64], text[32] = "";
	uint64_t id;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "events/" GROUP "/g%u/id", getpid(), event);
	fd = openat(e->tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (xpt_parse_u64(text, 0, UINT32_MAX, &id))
		return -EINVAL;
	attr.config = id;
	/* The event has to be of one CPU; the program runs on all of them. */
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int link_event(struct xpt_engine *e, struct xpt_elib *lib, const struct places *p)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = p->group);
	uint32_t event = e->nr_events++;
	struct bpf_link *link;
	int err = define_event(e, p, event), fd;

	if (err)
		return err;
	fd = open_event(e, event);
	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event_opts(p->prog, fd, &opts);
	err = keep_link(lib, link);
	if (!link)
		close(fd);
	return err;
}

static int link_one(struct xpt_elib *lib, const struct places *p, uint32_t i)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = p->ret, .bpf_cookie = p->group);

	return keep_link(lib, bpf_program__attach_uprobe_opts(p->prog, -1, p->path, p->offsets[i],
							      &opts));
}

struct batch {
	struct xpt_engine *e;
	struct xpt_elib *lib;
	const struct places *p;
};

/* Callback of xpt_link_set__attach(): one event for all of them, or one for each. */
static int link_places(void *ctx, uint32_t from, uint32_t n)
{
	const struct batch *b = ctx;
	struct places part = *b->p;
	int err = -ENOTSUP;

	part.offsets += from;
	part.n = n;
	if (b->e->tracefs >= 0 && n > 1)
		err = link_event(b->e, b->lib, &part);
	return n == 1 ? link_one(b->lib, &part, 0) : err;
}

/* Callback of xpt_link_set__attach(). */
static void on_refused(void *ctx, uint32_t from, uint32_t n, int err)
{
	const struct batch *b = ctx;

	xpt_engine__probe_refused(b->e, b->p->path, b->p->offsets[from], err);
	if (b->p->ret)
		memset(b->p->refused + from, true, n);
	else
		xpt_shared__refuse_places(b->e, b->p->cookies + from, n);
}

static uint32_t attach_places(struct xpt_engine *e, struct xpt_elib *lib, const struct places *p)
{
	struct batch b = { e, lib, p };

	return xpt_link_set__attach(&(struct xpt_link_set){ .link = link_places, .on_refused = on_refused,
							     .ctx = &b }, 0, p->n);
}

/* Raises the limit of descriptors: without tracefs, each place needs two, more than the usual limit of 1024. */
static void allow_files(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= MANY_FILES)
		return;
	r.rlim_cur = MANY_FILES;
	if (r.rlim_max < MANY_FILES)
		r.rlim_max = MANY_FILES;
	if (setrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* The places of a file, and those of one group. */
struct entries {
	uint64_t *offsets, *cookies;
	uint32_t n;
	uint64_t *group_offsets, *group_cookies;
};

/* Takes out the places of one group: those whose low bits occur for the first time. Returns how many. */
static uint32_t take_group(struct xpt_engine *e, struct entries *s)
{
	uint8_t taken[XPT_SITE_SLOTS] = { 0 };
	uint32_t i, left = 0, got = 0;

	for (i = 0; i < s->n; i++) {
		uint32_t slot = s->offsets[i] % XPT_SITE_SLOTS, id = (uint32_t)s->cookies[i];
		uint32_t key = e->nr_groups * XPT_SITE_SLOTS + slot;

		if (taken[slot]) {
			s->offsets[left] = s->offsets[i];
			s->cookies[left++] = s->cookies[i];
			continue;
		}
		taken[slot] = 1;
		s->group_offsets[got] = s->offsets[i];
		s->group_cookies[got] = s->cookies[i];
		if (!bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_sites), &key, &id, BPF_ANY))
			got++;
		else
			xpt_shared__refuse_places(e, &s->group_cookies[got], 1);
	}
	s->n = left;
	return got;
}

static int link_entries(struct xpt_engine *e, struct xpt_elib *lib, const char *path, struct entries *s)
{
	struct places p = { .path = path, .offsets = s->group_offsets, .prog = e->skel->progs.xpt_enter,
			    .cookies = s->group_cookies };
	int done = 0;

	for (; s->n; e->nr_groups++) {
		p.n = take_group(e, s);
		p.group = e->nr_groups;
		done += (int)attach_places(e, lib, &p);
	}
	return done;
}

/* Attaches return probes before entry probes, so that no call begins whose return would not be seen. */
int xpt_perf__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *cookies, uint32_t n)
{
	struct places p = { .path = path, .prog = e->skel->progs.xpt_leave, .ret = true };
	uint64_t *mem = calloc((size_t)n * 4, sizeof(*mem));
	uint64_t *plain = xpt_returns__probes(offsets, cookies, n, &p.n);
	struct entries s = { mem, mem + n, n, mem + 2 * (size_t)n, mem + 3 * (size_t)n };
	int done = -ENOMEM;

	p.refused = calloc((size_t)p.n + 1, sizeof(*p.refused));
	if (!mem || !plain || !p.refused)
		goto out;
	p.offsets = plain;
	if (e->tracefs < 0)
		allow_files();
	attach_places(e, lib, &p);
	s.n = xpt_returns__sort_refused(offsets, cookies, n, p.refused, s.offsets, s.cookies);
	xpt_shared__refuse_places(e, s.cookies + s.n, n - s.n);
	done = link_entries(e, lib, path, &s);
out:
	free(mem);
	free(plain);
	free(p.refused);
	return done;
}
