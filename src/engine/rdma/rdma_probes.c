// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Watching RDMA functions, see rdma_watch.h: finds them in the running kernel,
 * loads the programs with the layout of its structs by the kernel's types,
 * reads records and counters.
 */
#include "engine/rdma/rdma_probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/process/fds.h"
#include "base/time.h"
#include "engine/processes/subid_map.h"
#include "engine/rdma/rdma_probes_priv.h"
#include "engine/read/ring.h"
#include "kernel/kload.h"
#include "rdma.skel.h"

#define MAIN_MODULE "ib_uverbs"
#define READ_MAX 16384u		/* records of one look: more than the ring holds, for new ones may come without end */
#define FD_ROOM 64
#define MANY_LINKS 16		/* more of them are closed in the background, */
#define LEAVE_US 200000		/* this much later */

static const char *module_name(const struct xpt_rdma_wish *wish)
{
	return strcmp(wish->module, "kernel") ? wish->module : XPT_KERNEL_ITSELF;
}

/* Returns the hash of "MODULE:NAME". */
static uint64_t key_of(const char *module, const char *name)
{
	uint64_t both[2] = { xpt_hash(module, strlen(module)), xpt_hash(name, strlen(name)) };

	return xpt_hash(both, sizeof(both));
}

static bool wants_function(void *ctx, const char *module, const char *name)
{
	uint64_t key = key_of(module, name);

	return xpt_hashmap__find(((const struct xpt_rdma_watch *)ctx)->ids, &key) != NULL;
}

static int index_wishes(struct xpt_rdma_watch *w, uint32_t from)
{
	uint32_t i, *id;
	int err = w->ids ? 0 : xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), XPT_RDMA_FNS, &w->ids);

	for (i = from; !err && i < w->cfg.nr; i++) {
		uint64_t key = key_of(module_name(&w->cfg.wish[i]), w->cfg.wish[i].name);

		id = xpt_hashmap__get(w->ids, &key, NULL);
		if (!id)
			return -ENOMEM;
		*id = i + 1;
	}
	return err;
}

static void note_args(struct xpt_rdma_hold *h, const struct xpt_kproto *p)
{
	unsigned i;

	for (i = 0; i < p->nr_params && i < XPT_RDMA_REGS && p->param[i].width; i++)
		memcpy(h->arg[i], p->param[i].name, XPT_RDMA_ARG_LEN);
	h->nr_args = (uint8_t)i;
}

static int find_functions(struct xpt_rdma_watch *w)
{
	const struct xpt_kfunc *v;
	size_t n, k;
	int err = xpt_kfind__match_fn(w->find, wants_function, w, &v, &n);

	for (k = 0; !err && k < n; k++) {
		uint64_t key = key_of(v[k].module, v[k].name);
		const uint32_t *id = xpt_hashmap__find(w->ids, &key);
		struct xpt_rdma_fn_state *f = id ? &w->fns[*id] : NULL;

		if (!f || f->found)	/* of two with one name in a module the first */
			continue;
		f->k = v[k];
		f->found = true;
		if (v[k].has_proto)
			note_args(&f->hold, &v[k].proto);
	}
	return err;
}

/* Finds the functions that get a struct with a program's request; once their types were read. */
static void find_asked(struct xpt_rdma_watch *w, uint32_t from)
{
	uint32_t i;

	if (!from)
		xpt_rdma_asked__find(xpt_kfind__btf(w->find, MAIN_MODULE), w->layouts);
	for (i = from; i < w->cfg.nr; i++) {
		struct xpt_rdma_fn_state *f = &w->fns[i + 1];

		if (f->found && f->k.has_proto)
			xpt_rdma_asked__of_function(xpt_kfind__btf(w->find, f->k.module), &f->k.proto, w->layouts, &f->asks);
	}
}

static void add_job(struct xpt_rdma_watch *w, uint32_t id, enum xpt_rdma_purpose purpose)
{
	struct xpt_rdma_fn_state *f = &w->fns[id];
	struct xpt_rdma_job *j = &w->jobs[w->nr_jobs];

	f->hold.why = "it is not in the running kernel";
	if (!f->found)
		return;
	*j = (struct xpt_rdma_job){ .id = id, .purpose = purpose };
	j->kind = xpt_rdma_attach__choose(w, &f->k, XPT_KATTACH_AUTO, &f->hold.why);
	w->nr_jobs++;
}

static void make_jobs(struct xpt_rdma_watch *w, uint32_t from)
{
	uint32_t i;

	w->nr_jobs = 0;
	for (i = from; i < w->cfg.nr; i++) {
		uint16_t flags = w->cfg.wish[i].flags;

		if (flags & (XPT_RDMA_FN_EVENT | XPT_RDMA_FN_EVENT1)) {
			add_job(w, i + 1, XPT_RDMA_EVENT);
			continue;
		}
		add_job(w, i + 1, flags & XPT_RDMA_FN_SPECIAL ? XPT_RDMA_END :
			w->fns[i + 1].asks.kind ? XPT_RDMA_ASKED : XPT_RDMA_LEAVE);
		if (flags & XPT_RDMA_FN_ROOT)
			add_job(w, i + 1, XPT_RDMA_ENTER);
	}
}

static uint32_t sum_of(uint32_t a, uint32_t b)
{
	return a == UINT32_MAX || b == UINT32_MAX ? XPT_RDMA_NOWHERE : a + b;
}

static void find_members(struct xpt_rdma_watch *w, struct xpt_wire_rdma_offsets *at)
{
	const struct btf *b = xpt_kfind__btf(w->find, MAIN_MODULE);

	memset(at, 0xff, sizeof(*at));
	if (!b)
		return;
	at->file_private = xpt_kbtf__member(b, "file", "private_data");
	at->ufile_device = xpt_kbtf__member(b, "ib_uverbs_file", "device");
	at->udevice_device = xpt_kbtf__member(b, "ib_uverbs_device", "ib_dev");
	at->inode_cdev = xpt_kbtf__member(b, "inode", "i_cdev");
	at->udevice_cdev = xpt_kbtf__member(b, "ib_uverbs_device", "cdev");
	at->device_name = xpt_kbtf__member(b, "ib_device", "name");
	at->device_owner = sum_of(xpt_kbtf__member(b, "ib_device", "ops"),
				  xpt_kbtf__member(b, "ib_device_ops", "owner"));
	at->module_name = xpt_kbtf__member(b, "module", "name");
	at->event_device = xpt_kbtf__member(b, "ib_event", "device");
	at->event_element = xpt_kbtf__member(b, "ib_event", "element");
	at->event_type = xpt_kbtf__member(b, "ib_event", "event");
	at->qp_num = xpt_kbtf__member(b, "ib_qp", "qp_num");
}

static void raise_limit(rlim_t n)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= n)
		return;
	r.rlim_cur = r.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &r))
		xpt_debug("limit of open files: %s", strerror(errno));
}

/* Which ways there are. Sessions of kprobes are for kernels that have no trampolines for many functions. */
static int find_ways(struct xpt_rdma_watch *w)
{
	uint32_t kinds = w->cfg.kind ? 1u << w->cfg.kind : 1u << XPT_KATTACH_FENTRY_MULTI | 1u << XPT_KATTACH_FENTRY |
			 1u << XPT_KATTACH_KPROBE_SESSION | 1u << XPT_KATTACH_KPROBE;
	int i, works = 0;

	xpt_kattach__probe_some(xpt_kfind__id(w->find, XPT_KERNEL_ITSELF, XPT_KATTACH_TRIED), kinds, &w->caps);
	w->is_return = xpt_kfind__id(w->find, XPT_KERNEL_ITSELF, "bpf_session_is_return");
	if (!w->is_return || (!w->cfg.kind && !w->caps.err[XPT_KATTACH_FENTRY_MULTI]))
		w->caps.err[XPT_KATTACH_KPROBE_SESSION] = -EOPNOTSUPP;
	for (i = XPT_KATTACH_AUTO + 1; i < XPT_KATTACH__MAX; i++)
		works += !w->caps.err[i];
	return works ? 0 : -EOPNOTSUPP;
}

static int store_functions(struct xpt_rdma_watch *w, uint32_t from)
{
	int err = 0;
	uint32_t i;

	for (i = from; !err && i < w->cfg.nr; i++) {
		struct xpt_wire_rdma_fn f = { .err = w->cfg.wish[i].err, .flags = w->cfg.wish[i].flags,
					      .generation = xpt_rdma_generation(w, i + 1),
					      .nr_args = w->fns[i + 1].hold.nr_args,
					      .asks = w->fns[i + 1].asks };
		uint32_t id = i + 1;

		err = bpf_map_update_elem(bpf_map__fd(w->skel->maps.xpt_rdma_fns), &id, &f, BPF_ANY);
	}
	return err;
}

static int load_skel(struct xpt_rdma_watch *w)
{
	struct xpt_wire_rdma_cfg *cfg;
	int err;

	w->skel = rdma_bpf__open();
	if (!w->skel)
		return -errno;
	cfg = (struct xpt_wire_rdma_cfg *)&w->skel->rodata->cfg;
	cfg->slow_ns = w->cfg.slow_ns;
	cfg->sample_ns = w->cfg.sample_ns;
	cfg->sample_nth = w->cfg.sample_nth;
	memcpy(cfg->targets, w->cfg.targets, sizeof(cfg->targets));
	cfg->passed = w->cfg.passed;
	find_members(w, &cfg->at);
	xpt_rdma_attach__want(w);
	xpt_subid_map__configure(w->skel->maps.xpt_subids);
	err = rdma_bpf__load(w->skel);
	if (!err)
		err = store_functions(w, 0);
	if (err)
		return err;
	xpt_subid_map__fill(w->skel->maps.xpt_subids);
	return xpt_ring__new(bpf_map__fd(w->skel->maps.xpt_rdma_ring),
			     bpf_map__max_entries(w->skel->maps.xpt_rdma_ring), &w->ring);
}

/* Notes the kinds of the programs that are attached now. Returns -ENOENT if no root is attached. */
static int take_stock(struct xpt_rdma_watch *w)
{
	unsigned entries = 0;
	uint32_t i;

	for (i = 0; i < w->nr_jobs; i++) {
		struct xpt_rdma_job *j = &w->jobs[i];

		if (j->linked && j->purpose == XPT_RDMA_ENTER)
			entries++;
		else if (j->linked)
			w->fns[j->id].hold.kind = j->kind;
	}
	return entries ? 0 : -ENOENT;
}

static int open_all(struct xpt_rdma_watch *w)
{
	uint64_t t0 = xpt_now_ns();
	int err;

	w->fns = calloc(XPT_RDMA_FNS, sizeof(*w->fns));
	w->jobs = calloc(2 * XPT_RDMA_FNS, sizeof(*w->jobs));
	if (!w->fns || !w->jobs)
		return -ENOMEM;
	err = index_wishes(w, 0);
	if (!err)
		err = xpt_kfind__new(NULL, &w->find);
	if (!err)
		err = find_ways(w);
	if (!err)
		err = find_functions(w);
	if (err)
		return err;
	find_asked(w, 0);
	make_jobs(w, 0);
	raise_limit(4 * (rlim_t)w->nr_jobs + FD_ROOM);
	err = load_skel(w);
	if (err)
		return err;
	w->skel->bss->xpt_rdma_stopping = 1;	/* no call begins of which some returns have no program yet */
	xpt_rdma_attach(w);
	xpt_rdma_attach__commands(w);
	__atomic_store_n(&w->skel->bss->xpt_rdma_stopping, 0, __ATOMIC_RELEASE);
	xpt_kfind__free(w->find);	/* large */
	w->find = NULL;
	w->attach_ns = xpt_now_ns() - t0;
	return take_stock(w);
}

int xpt_rdma_watch__open(const struct xpt_rdma_watch_cfg *cfg, struct xpt_rdma_watch **ret_w)
{
	struct xpt_rdma_watch *w;
	int err;

	if (cfg->nr >= XPT_RDMA_FNS)
		return -E2BIG;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->cfg = *cfg;
	err = open_all(w);
	if (err)
		xpt_rdma_watch__close(w);
	else
		*ret_w = w;
	return err;
}

/* Links close one by one, each after a wait in the kernel; a child that has them too does that. */
static bool leave_in_background(struct xpt_rdma_watch *w, size_t from)
{
	bool takes_long = w->nr_fds - from > MANY_LINKS || (w->has_sessions && w->nr_fds > from);
	int pid = takes_long ? fork() : -1;

	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (pid)
		return pid > 0;
	xpt_fds__keep_only(&w->fds[from], w->nr_fds - from);	/* before our parent goes on: see perf_events.c */
	if (fork())	/* the grandchild goes on, and no process waits for it */
		_exit(0);
	setsid();
	usleep(LEAVE_US);	/* the last process to close a link waits */
	while (w->nr_fds > from)
		close(w->fds[--w->nr_fds]);
	_exit(0);
}

/* Entries that the kernel did not hand to any program, of links from that one on. */
static uint64_t missed_by_links(const struct xpt_rdma_watch *w, size_t from)
{
	uint64_t n = 0;

	for (; w->has_sessions && from < w->nr_fds; from++)
		n += xpt_kload__link_missed(w->fds[from]);
	return n;
}

static void close_from(struct xpt_rdma_watch *w, size_t fds, size_t progs)
{
	w->missed += missed_by_links(w, fds);
	leave_in_background(w, fds);
	while (w->nr_fds > fds)
		close(w->fds[--w->nr_fds]);
	while (w->nr_progs > progs) {
		w->missed += xpt_kload__missed(w->progs[--w->nr_progs]);
		close(w->progs[w->nr_progs]);
	}
}

static int find_more(struct xpt_rdma_watch *w, uint32_t from)
{
	int err = index_wishes(w, from);

	if (!err)
		err = xpt_kfind__new(NULL, &w->find);
	if (!err)
		err = find_functions(w);
	if (!err) {
		find_asked(w, from);
		err = store_functions(w, from);
	}
	if (err)
		return err;
	make_jobs(w, from);
	raise_limit(w->nr_fds + 4 * (rlim_t)w->nr_jobs + FD_ROOM);
	xpt_rdma_attach(w);
	take_stock(w);
	return 0;
}

int xpt_rdma_watch__more(struct xpt_rdma_watch *w, uint32_t nr)
{
	int err;

	if (w->lasting_nr)
		return -EBUSY;
	if (nr <= w->cfg.nr || nr >= XPT_RDMA_FNS)
		return -E2BIG;
	w->lasting_nr = w->cfg.nr;
	w->lasting_fds = w->nr_fds;
	w->lasting_progs = w->nr_progs;
	w->cfg.nr = nr;
	err = find_more(w, w->lasting_nr);
	xpt_kfind__free(w->find);
	w->find = NULL;
	if (err)
		xpt_rdma_watch__less(w);
	return err;
}

void xpt_rdma_watch__less(struct xpt_rdma_watch *w)
{
	uint32_t i;

	if (!w->lasting_nr)
		return;
	w->generation++;	/* their links go in the background, and their ids may come again */
	store_functions(w, w->lasting_nr);
	close_from(w, w->lasting_fds, w->lasting_progs);
	for (i = w->lasting_nr; i < w->cfg.nr; i++) {
		uint64_t key = key_of(module_name(&w->cfg.wish[i]), w->cfg.wish[i].name);

		xpt_hashmap__del(w->ids, &key);
		memset(&w->fns[i + 1], 0, sizeof(w->fns[i + 1]));
	}
	w->cfg.nr = w->lasting_nr;
	w->lasting_nr = 0;
}

void xpt_rdma_watch__close(struct xpt_rdma_watch *w)
{
	if (!w)
		return;
	if (w->skel && w->skel->bss)
		w->skel->bss->xpt_rdma_stopping = 1;
	if (w->command_fd)
		close(w->command_fd);
	close_from(w, 0, 0);
	xpt_ring__free(w->ring);
	rdma_bpf__destroy(w->skel);
	xpt_kfind__free(w->find);
	xpt_hashmap__free(w->ids);
	free(w->fds);
	free(w->progs);
	free(w->fns);
	free(w->jobs);
	free(w);
}

int xpt_rdma_watch__fd(const struct xpt_rdma_watch *w)
{
	return bpf_map__fd(w->skel->maps.xpt_rdma_ring);
}

static bool is_whole(const struct xpt_wire_rdma_rec *r, size_t size)
{
	return size >= sizeof(*r) &&
	       size >= sizeof(*r) + xpt_rdma_nr_sent(r->nr, r->nr_erred) * sizeof(r->exit[0]);
}

unsigned xpt_rdma_watch__read(struct xpt_rdma_watch *w)
{
	const struct xpt_wire_rdma_rec *r;
	unsigned n = 0;
	size_t size;

	for (; n < READ_MAX && (r = xpt_ring__peek(w->ring, &size)); n++) {
		if (is_whole(r, size))
			w->cfg.fn(w->cfg.ctx, r, size);
		xpt_ring__next(w->ring);
	}
	xpt_ring__store(w->ring);
	return n;
}

const struct xpt_rdma_hold *xpt_rdma_watch__hold(const struct xpt_rdma_watch *w, uint32_t id)
{
	return &w->fns[id <= w->cfg.nr ? id : 0].hold;
}

const struct xpt_rdma_layout *xpt_rdma_watch__layouts(const struct xpt_rdma_watch *w)
{
	return w->layouts;
}

void xpt_rdma_watch__stats(const struct xpt_rdma_watch *w, struct xpt_rdma_watch_stats *ret_stats)
{
	struct xpt_rdma_watch_stats *s = ret_stats;
	size_t i;

	memset(s, 0, sizeof(*s));
	for (i = 1; i <= w->cfg.nr; i++) {
		enum xpt_kattach kind = w->fns[i].hold.kind;

		s->by_kind[kind]++;
		s->nr += kind != XPT_KATTACH_AUTO;
		s->nr_failed += kind == XPT_KATTACH_AUTO;
	}
	s->attach_ns = w->attach_ns;
	s->missed = xpt_rdma_watch__missed(w);
	for (i = 0; i < XPT_RDMA_NR_LOST; i++)
		s->lost[i] = w->skel->bss->xpt_rdma_lost[i];
}

uint64_t xpt_rdma_watch__missed(const struct xpt_rdma_watch *w)
{
	uint64_t n = w->missed + missed_by_links(w, 0) +
		     __atomic_load_n(&w->skel->bss->xpt_rdma_unpaired, __ATOMIC_RELAXED);
	size_t i;

	for (i = 0; i < w->nr_progs; i++)
		n += xpt_kload__missed(w->progs[i]);
	return n;
}

uint64_t xpt_rdma_watch__lost(const struct xpt_rdma_watch *w)
{
	static const enum xpt_rdma_lost calls[] = { XPT_RDMA_LOST_SLOT, XPT_RDMA_LOST_RING, XPT_RDMA_LOST_METHOD,
						    XPT_RDMA_LOST_STALE };
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		n += __atomic_load_n(&w->skel->bss->xpt_rdma_lost[calls[i]], __ATOMIC_RELAXED);
	return n;
}

/* A thread that ended inside of a root, so that there is no return; a driver that was loaded later. */
void xpt_rdma_watch__reap(struct xpt_rdma_watch *w)
{
	char path[32];
	unsigned i;

	xpt_rdma_attach__commands(w);
	for (i = 0; i < XPT_RDMA_SLOTS; i++) {
		uint32_t tid = __atomic_load_n(&w->skel->bss->xpt_rdma_owner[i], __ATOMIC_RELAXED);

		snprintf(path, sizeof(path), "/proc/%u", tid);
		if (!tid || !access(path, F_OK))
			continue;
		__atomic_compare_exchange_n(&w->skel->bss->xpt_rdma_owner[i], &tid, 0, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		__atomic_fetch_add(&w->skel->bss->xpt_rdma_lost[XPT_RDMA_LOST_STALE], 1,
				   __ATOMIC_RELAXED);
	}
}

/* The slot's record, if its owner is inside all the while. */
static bool read_open(const struct xpt_rdma_watch *w, uint32_t i, void *slot, struct xpt_wire_rdma_rec *ret_r)
{
	const uint32_t *owner = &w->skel->bss->xpt_rdma_owner[i];
	uint32_t tid = __atomic_load_n(owner, __ATOMIC_ACQUIRE);

	if (!tid || bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.xpt_rdma_slots), &i, slot))
		return false;
	memcpy(ret_r, slot, sizeof(*ret_r));
	memset(ret_r->comm, 0, sizeof(ret_r->comm));	/* of the slot's last call, as these are */
	memset(ret_r->device, 0, sizeof(ret_r->device));
	memset(ret_r->module, 0, sizeof(ret_r->module));
	ret_r->fw.nr = ret_r->why = 0;
	ret_r->asked.kind = XPT_RDMA_ASKED_NOTHING;
	ret_r->nr = ret_r->nr_erred = 0;
	return ret_r->tid == tid && __atomic_load_n(owner, __ATOMIC_ACQUIRE) == tid;
}

void xpt_rdma_watch__each_open(const struct xpt_rdma_watch *w, uint64_t age_ns,
			       void (*fn)(void *ctx, const struct xpt_wire_rdma_rec *r), void *ctx)
{
	void *slot = malloc(bpf_map__value_size(w->skel->maps.xpt_rdma_slots));
	uint64_t now = xpt_now_ns();
	struct xpt_wire_rdma_rec r;
	uint32_t i;

	for (i = 0; slot && i < XPT_RDMA_SLOTS; i++)
		if (read_open(w, i, slot, &r) && r.start_ns && r.start_ns + age_ns <= now)
			fn(ctx, &r);
	free(slot);
}

void xpt_rdma_watch__count(const struct xpt_rdma_watch *w, uint32_t id,
			   struct xpt_wire_rdma_count *ret_c)
{
	int cpus = libbpf_num_possible_cpus(), i;
	struct xpt_wire_rdma_count *v = cpus > 0 ? calloc((size_t)cpus, sizeof(*v)) : NULL;

	memset(ret_c, 0, sizeof(*ret_c));
	if (v && !bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.xpt_rdma_counts), &id, v)) {
		for (i = 0; i < cpus; i++) {
			ret_c->calls += v[i].calls;
			ret_c->errors += v[i].errors;
		}
	}
	free(v);
}

uint64_t xpt_rdma_watch__passed(const struct xpt_rdma_watch *w, uint32_t command)
{
	int cpus = libbpf_num_possible_cpus(), i;
	uint64_t *v = cpus > 0 ? calloc((size_t)cpus, sizeof(*v)) : NULL, n = 0;

	if (v && !bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.xpt_rdma_passed), &command, v))
		for (i = 0; i < cpus; i++)
			n += v[i];
	free(v);
	return n;
}

void xpt_rdma_watch__each_method(const struct xpt_rdma_watch *w,
				 void (*fn)(void *ctx, const struct xpt_wire_rdma_key *key,
					    const struct xpt_wire_rdma_method *m), void *ctx)
{
	int fd = bpf_map__fd(w->skel->maps.xpt_rdma_methods);
	struct xpt_wire_rdma_key key, *prev = NULL;
	struct xpt_wire_rdma_method m;

	for (; !bpf_map_get_next_key(fd, prev, &key); prev = &key)
		if (!bpf_map_lookup_elem(fd, &key, &m))
			fn(ctx, &key, &m);
}

void xpt_rdma_watch__each_errno(const struct xpt_rdma_watch *w,
				void (*fn)(void *ctx, const struct xpt_wire_rdma_errno *key,
					   uint64_t n), void *ctx)
{
	int fd = bpf_map__fd(w->skel->maps.xpt_rdma_errnos);
	struct xpt_wire_rdma_errno key, *prev = NULL;
	uint64_t n;

	for (; !bpf_map_get_next_key(fd, prev, &key); prev = &key)
		if (!bpf_map_lookup_elem(fd, &key, &n))
			fn(ctx, &key, n);
}

void xpt_rdma_watch__each_kind(const struct xpt_rdma_watch *w,
			       void (*fn)(void *ctx, const struct xpt_wire_rdma_kind *kind,
					  const struct xpt_wire_rdma_limit *l), void *ctx)
{
	int fd = bpf_map__fd(w->skel->maps.xpt_rdma_kinds);
	struct xpt_wire_rdma_kind key, *prev = NULL;
	struct xpt_wire_rdma_limit l;

	for (; !bpf_map_get_next_key(fd, prev, &key); prev = &key)
		if (!bpf_map_lookup_elem(fd, &key, &l))
			fn(ctx, &key, &l);
}
