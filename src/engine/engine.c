// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine from start to stop: loads the programs in the best form that this kernel accepts, adds targets, passes
 * on records, and stops. The sources (source.h) choose the traced functions; final_counts.c writes the final
 * counters.
 */
#include "engine/engine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/pidfd.h"
#include "base/time.h"
#include "engine/attach/closing.h"
#include "engine/attach/shared_probe.h"
#include "engine/calls/callers.h"
#include "engine/cost/budget_apply.h"
#include "engine/cost/calibrate.h"
#include "engine/final_counts.h"
#include "engine/function_ids.h"
#include "engine/libraries/libs.h"
#include "engine/priv.h"
#include "engine/processes/containers.h"
#include "engine/processes/known_processes.h"
#include "engine/processes/mappings.h"
#include "engine/processes/process_lives.h"
#include "engine/processes/unseen_ends.h"
#include "engine/processes/subid_map.h"
#include "engine/processes/users.h"
#include "engine/read/ring.h"
#include "engine/read/thread_lanes.h"
#include "engine/source.h"
#include "engine/waiting/leave.h"
#include "engine/waiting/reading.h"
#include "kernel/btf_part.h"
#include "proc/maps.h"
#include "proc/remote/remote.h"
#include "wire/lane.h"
#include "wire/rate.h"
#include "call.skel.h"

#define RING_DEFAULT (4u << 20)
#define RING_MIN (64u << 10)
#define LANE_MIN 8192u		/* a smaller one would be full before the reader comes */
#define URGENT_MIN (512u << 10)	/* else a quarter of the ring */
#define HOLD_BATCH 256		/* records between two looks for waiting processes */
#define BATCH 65536		/* records between two looks at signals and timers, or this time, */
#define BATCH_NS 50000000ull	/* since some records take long */
#define CLOCK_BATCH 64		/* records between two looks at the clock */

enum { EPOLL_SOURCE = 0, EPOLL_RING = 1, EPOLL_WATCH = 2, EPOLL_HOLD = 3 };	/* sources register with 0 */

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	/* Not through the log, which cuts long messages: a verifier's log is long.
	 * libbpf's own debug level names every relocation; that is left out. */
	if (xpt_log__level() < XPT_LOG_DEBUG || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, fmt, ap);
}

static uint64_t ring_size(uint64_t want)
{
	uint64_t size = RING_MIN;

	if (!want)
		return RING_DEFAULT;
	while (size < want && size < (1ull << 30))
		size <<= 1;
	return size;
}

/* Who is traced without being named by its id. */
static void configure_select(const struct xpt_engine *e, struct call_bpf *skel)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;
	const struct xpt_select *s = e->cfg.select;
	const int *fds;

	if (!s)
		return;
	cfg->select = xpt_select__bits(s) | (e->cfg.open ? XPT_SELECT_OPEN : 0);
	cfg->uid = xpt_select__uid(s);
	cfg->nr_cgroups = xpt_select__cgroup_fds(s, &fds);
	/* Limits alone name no process whose children could be followed; they hold for children, too. */
	if (e->cfg.open && !xpt_select__by_comm(s))
		cfg->follow = 0;
	memcpy((void *)&skel->rodata->xpt_names, xpt_select__names(s), sizeof(struct xpt_bpf_names));
	bpf_map__set_max_entries(skel->maps.xpt_unwanted, XPT_MAX_UNWANTED);
	bpf_program__set_autoload(skel->progs.xpt_rename, cfg->select & XPT_SELECT_COMM);
	bpf_program__set_autoload(skel->progs.xpt_move, cfg->select & XPT_SELECT_CGROUP);
}

/* Once loaded: sets the cgroups, and attaches programs to events that may change a verdict. */
static int open_select(struct xpt_engine *e)
{
	unsigned n, i;
	const int *fds;

	if (!e->cfg.select)
		return 0;
	n = xpt_select__cgroup_fds(e->cfg.select, &fds);
	for (i = 0; i < n; i++)
		if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_cgroups), &i, &fds[i], BPF_ANY))
			return -errno;
	if (bpf_program__autoload(e->skel->progs.xpt_rename))
		e->skel->links.xpt_rename = bpf_program__attach(e->skel->progs.xpt_rename);
	if (bpf_program__autoload(e->skel->progs.xpt_move))
		e->skel->links.xpt_move = bpf_program__attach(e->skel->progs.xpt_move);
	return 0;
}

/* Lanes take as much memory as the ring; of a small one they would be too small. */
static uint32_t lane_bytes(uint64_t ring)
{
	return ring / XPT_LANES >= LANE_MIN ? (uint32_t)(ring / XPT_LANES) : 0;
}

/*
 * Returns a number that no other process knows or, if getrandom(2) is forbidden, that is hard to guess; its high bits
 * differ, too.
 */
static uint64_t new_secret(void)
{
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), 0) == sizeof(secret))
		return secret;
	return (xpt_now_ns() ^ (uint64_t)getpid() << 32) * 0x9e3779b97f4a7c15ull;
}

static bool hooks_want(const struct xpt_engine *e, bool (*wants)(const struct xpt_hook *h))
{
	return xpt_hooks_any(e->cfg.hooks, e->cfg.nr_hooks, wants);
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;
	uint64_t ring = ring_size(e->cfg.ring_bytes);

	cfg->all = e->cfg.all;
	cfg->own_tgid = (uint32_t)getpid();
	cfg->events = e->cfg.events;
	cfg->follow = e->cfg.follow;
	cfg->ring_bytes = (uint32_t)ring;
	cfg->urgent_bytes = (uint32_t)(ring / 4 > URGENT_MIN ? ring / 4 : URGENT_MIN);
	cfg->min_ns = e->cfg.min_ns;
	cfg->min_bytes = e->cfg.min_bytes;
	cfg->errors_only = e->cfg.errors_only;
	cfg->stacks = e->cfg.stacks;
	cfg->by_site = kind == XPT_ATTACH_PERF;
	cfg->at_returns = 1;
	cfg->wake_bytes = (uint32_t)(ring / 16);
	cfg->count_hits = e->cfg.budget_ppm != 0;
	cfg->lane_bytes = lane_bytes(ring);
	cfg->nr_slots = e->cfg.all || e->cfg.select ? XPT_SLOTS_MAX : XPT_SLOTS;
	cfg->slot_secret = new_secret() | 1;
	cfg->text_secret[0] = new_secret();
	cfg->text_secret[1] = new_secret();
	if (e->cfg.rate) {	/* a bucket of one second */
		cfg->rate_gap_ns = 1000000000u / e->cfg.rate;
		cfg->rate_burst_ns = (e->cfg.rate - 1) * cfg->rate_gap_ns;
	}
	configure_select(e, skel);
	xpt_users__configure(e, skel);
	xpt_subid_map__configure(skel->maps.xpt_subids);
	xpt_shared__configure(e, skel);
	xpt_sources__configure(e, skel, kind);
	bpf_map__set_max_entries(skel->maps.xpt_ring, (uint32_t)ring);
	bpf_map__set_max_entries(skel->maps.xpt_urgent, cfg->urgent_bytes);
	bpf_map__set_value_size(skel->maps.xpt_lanes, XPT_LANE_SIZE(cfg->lane_bytes));
	bpf_map__set_max_entries(skel->maps.xpt_slots, cfg->nr_slots);
	bpf_map__set_max_entries(skel->maps.xpt_fns, XPT_MAX_FNS);
	bpf_map__set_max_entries(skel->maps.xpt_counts_rest, XPT_MAX_FNS);
	bpf_map__set_max_entries(skel->maps.xpt_buckets, !e->cfg.rate ? 1 : XPT_MAX_FNS * (cfg->users ? XPT_USERS_ALL : XPT_RATE_LINE));
	bpf_map__set_max_entries(skel->maps.xpt_hits, cfg->count_hits ? XPT_HIT_ROWS * XPT_MAX_FNS : 1);
	bpf_map__set_max_entries(skel->maps.xpt_stacks, 
				 e->cfg.stacks || hooks_want(e, xpt_hook__wants_stack) ? XPT_STACKS_MAX : 1);
	bpf_map__set_max_entries(skel->maps.xpt_sites, cfg->by_site ? 16 * XPT_MAX_FNS : 1);
}

/* Opens the BPF object with only the kernel types that its programs name; if that fails, libbpf reads all types. */
static struct call_bpf *open_programs(struct xpt_engine *e)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = xpt_btf_part__path(e->types));
	struct call_bpf *skel = call_bpf__open_opts(&opts);
	int err = skel && e->types ? xpt_btf_part__fill(e->types, bpf_object__btf(skel->obj)) : 0;

	if (!err)
		return skel;
	xpt_debug("the kernel's types are left to libbpf: %s", strerror(-err));
	call_bpf__destroy(skel);
	xpt_btf_part__free(e->types);
	e->types = NULL;
	return open_programs(e);
}

static int load_programs(struct call_bpf *skel, enum xpt_attach kind)
{
	bool session = kind == XPT_ATTACH_SESSION;

	bpf_program__set_autoload(skel->progs.xpt_session, session);
	bpf_program__set_autoload(skel->progs.xpt_enter, !session);
	bpf_program__set_autoload(skel->progs.xpt_leave, !session);
	if (session)
		bpf_program__set_expected_attach_type(skel->progs.xpt_session,
						      XPT_BPF_TRACE_UPROBE_SESSION);
	if (kind == XPT_ATTACH_MULTI) {
		bpf_program__set_expected_attach_type(skel->progs.xpt_enter,
						      XPT_BPF_TRACE_UPROBE_MULTI);
		bpf_program__set_expected_attach_type(skel->progs.xpt_leave,
						      XPT_BPF_TRACE_UPROBE_MULTI);
	}
	return call_bpf__load(skel);
}

static int load_kind(struct xpt_engine *e, enum xpt_attach kind)
{
	struct call_bpf *skel;
	int err;

	if (!xpt_kernel__knows_uprobes(kind)) {
		xpt_debug("this kernel has no links of kind %s", xpt_attach_name(kind));
		return -ENOTSUP;
	}
	err = kind == XPT_ATTACH_PERF ? xpt_kernel__try_perf_uprobe() : 0;
	if (err) {
		xpt_debug("perf events on functions: %s", strerror(-err));
		return err;
	}
	skel = open_programs(e);
	if (skel)
		configure(e, skel, kind);
	err = skel ? load_programs(skel, kind) : -errno;
	if (!skel)
		return err;
	if (err) {
		xpt_debug("attach kind %s does not work here: %s", xpt_attach_name(kind),
			  strerror(-err));
		call_bpf__destroy(skel);
		return err;
	}
	xpt_subid_map__fill(skel->maps.xpt_subids);
	e->skel = skel;
	e->attach = kind;
	if (kind == XPT_ATTACH_PERF)
		xpt_perf__open(e);
	return 0;
}

static int load(struct xpt_engine *e)
{
	enum xpt_attach kind = e->cfg.attach ? e->cfg.attach : XPT_ATTACH_SESSION;
	int err;

	e->types = xpt_btf_part__new();
	do {
		err = load_kind(e, kind);
	} while (err && !e->cfg.attach && ++kind < XPT_ATTACH__MAX);
	return err;
}

void xpt_engine__probe_refused(struct xpt_engine *e, const char *path, uint64_t offset, int err)
{
	xpt_debug("%s+0x%llx: cannot attach: %s", path, (unsigned long long)offset, strerror(-err));
	if (!e->stats.refused)
		e->stats.refused = err;
}

uint64_t xpt_engine__owner(const struct xpt_engine *e, uint32_t tgid)
{
	return xpt_engine__owner_of(e, tgid);
}

static void on_task(struct xpt_engine *e, const struct xpt_sent_task *sent)
{
	const struct xpt_rec_task *t = &sent->task;
	bool ends = t->event == XPT_TASK_EXIT || t->event == XPT_TASK_THREAD_EXIT;

	xpt_sources__on_task(e, sent);
	xpt_lives__on_task(e, sent);
	if (!ends)
		xpt_known__on_task(e, sent);
	xpt_callers__on_task(e->callers, t);	/* looks up the owner of a new process */
	xpt_spend__on_task(e, t);
	if (t->event == XPT_TASK_EXIT) {
		xpt_recycle__ended(e, t->tgid, t->ts_ns, xpt_known__on_end(e, sent));
		return;
	}
	if (t->event == XPT_TASK_THREAD_EXIT)	/* it may come after the end of its process */
		return;
	if (!e->mappings->watch && !e->reading->inside && t->event == XPT_TASK_THREAD)	/* else at the next look */
		xpt_mappings__scan(e, (int)t->tgid);
}

/* Returns -EAGAIN if reading has to pause for other work. */
static int after_record(struct xpt_engine *e)
{
	if (e->batch % HOLD_BATCH == 0 && !e->reading->inside && xpt_hold__waiting(e))
		xpt_hold__serve(e);
	if (e->batch % CLOCK_BATCH == 0 && xpt_now_ns() - e->reading->batch_ns >= BATCH_NS)
		return -EAGAIN;
	return e->batch % BATCH ? 0 : -EAGAIN;
}

static void take_task(struct xpt_engine *e, struct xpt_sent_task *t)
{
	struct xpt_sent_task end;

	t->task.rec.size = sizeof(t->task);
	if (xpt_lives__missed(e, t, &end))
		take_task(e, &end);
	/* A task's event is handed over after the task is known; an exec is the
	 * other way round, since it ends the old program. */
	if (t->task.event == XPT_TASK_EXEC)
		e->fn(e->ctx, &t->task, sizeof(t->task));
	on_task(e, t);
	if (t->task.event != XPT_TASK_EXEC)
		e->fn(e->ctx, &t->task, sizeof(t->task));
}

static int on_record(void *ctx, const void *data, size_t size)
{
	struct xpt_engine *e = ctx;
	const struct xpt_rec *rec = data;
	struct xpt_sent_task task = { 0 };

	e->batch++;
	if (size < sizeof(*rec))
		return 0;
	if (rec->kind == XPT_REC_TASK) {
		memcpy(&task, data, size < sizeof(task) ? size : sizeof(task));
		if (size < sizeof(task.task) || xpt_calibration__is_of(e, task.task.tgid))
			return 0;
		take_task(e, &task);
		return task.task.event == XPT_TASK_EXEC ? 0 : after_record(e);
	} else if (rec->fn == 0) {
		xpt_calibration__on_call(e);
		return 0;
	} else if (size >= sizeof(struct xpt_rec_call)) {
		if (rec->kind == XPT_REC_CALL && rec->fn < e->nr_fns)
			e->fns[rec->fn].events++;
		xpt_spend__on_call(e, data);
		rec = xpt_strings__on_call(e, xpt_callers__on_call(e, rec, size));
		size = rec->size;
		if (rec->kind == XPT_REC_CALL)
			xpt_sources__on_call(e, (const void *)rec);
	}
	xpt_functions__know(e, rec->fn);
	e->fn(e->ctx, rec, size);
	return after_record(e);
}

static int open_tables(struct xpt_engine *e)
{
	int err = xpt_functions__open(e);

	if (!err)
		err = xpt_mappings__open(e);
	if (!err)
		err = xpt_reading__open(e);
	xpt_owner__open(&e->own_devices);
	if (!err)
		err = xpt_lives__new(e);
	if (!err && (e->cfg.stacks || hooks_want(e, xpt_hook__wants_symbols)))
		err = xpt_callers__new(e, xpt_mappings__read_to_name, &e->callers);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_known_proc), XPT_MAX_PROCS, &e->procs);
	return err ? err : xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_ended), XPT_MAX_PROCS, &e->ended);
}

/* Edge-triggered: only a wake-up ends the wait, and not the fact that there is data. */
static int open_ring(struct xpt_engine *e, const struct bpf_map *map, struct xpt_ring **ret_r)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u64 = EPOLL_RING };
	int err = xpt_ring__new(bpf_map__fd(map), bpf_map__max_entries(map), ret_r);

	if (err)
		return err;
	return epoll_ctl(e->epfd, EPOLL_CTL_ADD, bpf_map__fd(map), &ev) ? -errno : 0;
}

static int open_rings(struct xpt_engine *e)
{
	int err;

	e->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (e->epfd < 0)
		return -errno;
	e->rings.fn = on_record;
	e->rings.ctx = e;
	err = open_ring(e, e->skel->maps.xpt_ring, &e->rings.ring);
	if (!err)
		err = open_ring(e, e->skel->maps.xpt_urgent, &e->rings.urgent);
	if (err || !e->skel->rodata->cfg.lane_bytes)
		return err;
	return xpt_thread_lanes__new(bpf_map__fd(e->skel->maps.xpt_lanes), XPT_LANES,
			      e->skel->rodata->cfg.lane_bytes, &e->rings.lanes);
}

int xpt_engine__new(const struct xpt_engine_cfg *cfg, xpt_engine_rec_fn fn, void *ctx,
		    struct xpt_engine **ret_e, const char **ret_why)
{
	struct xpt_engine *e = calloc(1, sizeof(*e));
	const char *why = NULL;
	uint64_t t0 = xpt_now_ns();
	int err = -ENOMEM;

	if (!e)
		goto out;
	e->cfg = *cfg;
	e->fn = fn;
	e->ctx = ctx;
	e->epfd = e->tracefs = e->events_lock = -1;
	libbpf_set_print(print_libbpf);
	xpt_strings__open(e);
	err = xpt_sources__init(e);
	if (!err)
		err = xpt_kernel__privileges(&why);
	if (err)
		goto out;
	why = xpt_sources__why_not(cfg);
	err = why ? -ENOENT : load(e);
	if (err && !why)
		why = err == -EACCES ? "perf events on functions need CAP_SYS_ADMIN, which is missing"
				     : xpt_kernel__why_refused();
	if (err && !why)
		why = e->cfg.sched ? "the kernel refused the BPF programs (--sched needs Linux 5.18)"
				   : "the kernel refused the BPF programs (`xputrace doctor` tells more)";
	if (err)
		goto out;
	why = NULL;
	err = open_select(e);
	if (!err)
		err = open_tables(e);
	if (!err)
		err = open_rings(e);
	if (!err)
		err = xpt_spend__new(e);
	if (err)
		goto out;
	xpt_inode__open(e);
	e->stats.load_ns = xpt_now_ns() - t0;
	xpt_facts__clock(e);	/* first, because it gives all other records their date */
	xpt_facts__system(e);
	err = xpt_sources__open(e);
	if (err)
		goto out;
	*ret_e = e;
	return 0;
out:
	xpt_engine__free(e);
	if (ret_why)
		*ret_why = why;
	return err;
}

void xpt_engine__free(struct xpt_engine *e)
{
	if (!e)
		return;
	xpt_calibration__free(e);
	xpt_leave__detach(e);
	xpt_sources__free(e);
	xpt_closing__free(e);
	xpt_shared__free(e);
	xpt_inode__close(e);
	xpt_remote__close();
	xpt_btf_part__free(e->types);
	xpt_mappings__close(e);
	xpt_spend__free(e);
	xpt_ring__free(e->rings.ring);
	xpt_ring__free(e->rings.urgent);
	xpt_thread_lanes__free(e->rings.lanes);
	if (e->skel)
		call_bpf__destroy(e->skel);
	if (e->epfd >= 0)
		close(e->epfd);
	xpt_perf__close(e);
	xpt_functions__close(e);
	xpt_hashmap__free(e->procs);
	xpt_known__free(e);
	xpt_lives__free(e);
	xpt_hashmap__free(e->ended);
	free(e->reported);
	xpt_reading__close(e);
	xpt_users__close(e);
	xpt_callers__free(e->callers);
	free(e);
}

int xpt_engine__add_own(struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, one = 1;

	e->had_target = true;
	return bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key, &one, BPF_ANY) ? -errno : 0;
}

int xpt_engine__leave_own(struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, own = XPT_TARGET_OWN;

	if (!xpt_engine__is_open(e))	/* it is no target, and must not count as one */
		return 0;
	return bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key, &own, BPF_ANY) ? -errno : 0;
}

int xpt_engine__add_child(struct xpt_engine *e, int pid)
{
	int err = xpt_engine__add_own(e, pid);

	if (!err)
		xpt_sources__on_target(e, pid);
	return err;
}

int xpt_engine__add_pid(struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid;
	int pidfd = xpt_pidfd__open(pid), err;	/* fails for the id of a thread, or if none is free */
	bool ended;

	if (pidfd == -ESRCH)
		return pidfd;
	err = xpt_engine__add_child(e, pid);
	if (err) {
		if (pidfd >= 0)
			close(pidfd);
		return err;
	}
	xpt_engine__know(e, key, xpt_now_ns());
	xpt_callers__add(e->callers, pid);
	err = xpt_mappings__scan(e, pid);
	ended = pidfd >= 0 ? xpt_pidfd__has_ended(pidfd) : kill(pid, 0) && errno == ESRCH;
	if (pidfd >= 0)
		close(pidfd);
	if (err != -ESRCH && !ended)
		return err;
	/* If its end was seen, so were its calls before; else it ended before we listened. */
	return bpf_map_delete_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key) ? 0 : -ESRCH;
}

int xpt_engine__add_all(struct xpt_engine *e)
{
	return xpt_mappings__scan_all(e);
}

void xpt_engine__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path)
{
	xpt_sources__preload(e, exe, ld_library_path);
}

int xpt_engine__add_library(struct xpt_engine *e, const char *path, const char *name)
{
	return xpt_libs__add(e, path, name);
}

/* Attaches twin programs last: a tracepoint calls its programs in the order of attaching. */
static int follow_processes(struct call_bpf *skel)
{
	struct {
		struct bpf_program *prog;
		struct bpf_link **link;
	} all[] = {
		{ skel->progs.xpt_fork, &skel->links.xpt_fork },
		{ skel->progs.xpt_exec, &skel->links.xpt_exec },
		{ skel->progs.xpt_exit, &skel->links.xpt_exit },
		{ skel->progs.xpt_signal, &skel->links.xpt_signal },
		{ skel->progs.xpt_fork_again, &skel->links.xpt_fork_again },
		{ skel->progs.xpt_exec_again, &skel->links.xpt_exec_again },
		{ skel->progs.xpt_exit_again, &skel->links.xpt_exit_again },
		{ skel->progs.xpt_signal_again, &skel->links.xpt_signal_again },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*all[i].link = bpf_program__attach(all[i].prog);
		if (!*all[i].link)
			return -errno;
	}
	return 0;
}

int xpt_engine__start(struct xpt_engine *e)
{
	char text[24];
	int err;

	e->start_ns = xpt_now_ns();
	snprintf(text, sizeof(text), "%" PRIu64, e->start_ns);
	xpt_facts__meta(e, "origin", text);	/* before the first call: outputs count from there */
	e->stats.not_followed = follow_processes(e->skel);
	err = xpt_sources__start(e);
	if (err)
		return err;
	xpt_mappings__start(e, EPOLL_WATCH);
	if (e->spend)
		xpt_calibration__now(e);
	xpt_hold__add_to_epoll(e, EPOLL_HOLD);
	xpt_facts__probing(e);
	e->busy_ns = xpt_now_ns();
	return 0;
}

/* Looks four times per limit, so that a hang is reported at most a quarter of it late. */
static void look_for_hangs(struct xpt_engine *e)
{
	uint64_t now = xpt_now_ns();

	if (!e->cfg.hang_ns || now < e->next_hang_ns)
		return;
	xpt_inflight__report(e, e->cfg.hang_ns, true);
	e->next_hang_ns = now + e->cfg.hang_ns / 4;
}

void xpt_engine__emit_counts(struct xpt_engine *e)
{
	xpt_totals__emit_now(e);
	xpt_sources__emit_counts(e);
	xpt_inflight__emit_now(e);
}

void xpt_engine__set_limits(struct xpt_engine *e, uint64_t hang_ns, uint64_t budget_ppm)
{
	e->cfg.hang_ns = hang_ns;
	e->next_hang_ns = 0;
	xpt_spend__set(e, budget_ppm);
}

void xpt_engine__report_inflight(struct xpt_engine *e)
{
	xpt_inflight__report(e, 0, false);
}

int xpt_engine__poll(struct xpt_engine *e, int timeout_ms)
{
	struct epoll_event ev[8];
	int n = epoll_wait(e->epfd, ev, 8, xpt_idle__limit_wait(e, timeout_ms));
	uint32_t taken = e->batch;
	bool woken = false;

	if (n < 0 && errno != EINTR)	/* after a signal the work below is done nevertheless */
		return -errno;
	for (int i = 0; i < n; i++)
		woken |= ev[i].data.u64 != EPOLL_SOURCE;
	xpt_hold__serve(e);
	xpt_mappings__step(e);
	xpt_calibration__step(e, xpt_engine__is_idle(e) && !xpt_hashmap__len(e->procs));
	look_for_hangs(e);
	xpt_unseen_ends__step(e, xpt_now_ns(), on_record);
	xpt_sources__step(e);
	xpt_spend__step(e);
	xpt_recycle__poll(e, xpt_now_ns());
	xpt_users__step(e);
	xpt_containers__step(e);
	n = xpt_reading__consume(e, xpt_now_ns());
	xpt_sources__after_records(e);
	if (woken || e->batch != taken)
		e->busy_ns = xpt_now_ns();
	return n < 0 && n != -EAGAIN ? n : 0;
}

bool xpt_engine__is_open(const struct xpt_engine *e)
{
	return e->cfg.all || (e->cfg.select && e->cfg.open);
}

bool xpt_engine__targets_gone(const struct xpt_engine *e)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_targets);
	uint32_t key;
	bool any;

	if (!e->had_target || xpt_engine__is_open(e))
		return false;
	any = !bpf_map_get_next_key(fd, NULL, &key);
	if (any && xpt_calibration__is_of(e, key))
		any = !bpf_map_get_next_key(fd, &key, &key);
	return !any;
}

int xpt_engine__stop(struct xpt_engine *e, int status, uint32_t reason)
{
	struct xpt_rec_end *end;
	uint64_t end_ns = xpt_now_ns();

	xpt_sources__stop(e);
	xpt_hold__stop(e);
	xpt_mappings__end(e, end_ns);
	xpt_leave__end(e);
	xpt_mappings__read(e);
	xpt_sources__finish(e);
	xpt_inflight__report(e, 0, false);
	xpt_facts__partial(e);
	xpt_totals__counters(e);
	xpt_totals__cost(e);
	xpt_facts__clock(e);
	end = memset(e->scratch, 0, sizeof(*end));
	end->rec.kind = XPT_REC_END;
	end->start_ns = e->start_ns;
	end->end_ns = end_ns;
	end->status = status;
	end->reason = reason;
	xpt_facts__emit(e, sizeof(*end));
	return 0;
}

int xpt_engine__refused(const struct xpt_engine *e)
{
	return e->stats.refused;
}

void xpt_engine__stats(const struct xpt_engine *e, struct xpt_engine_stats *ret_stats)
{
	*ret_stats = e->stats;
	ret_stats->attach = e->attach;
	xpt_users__stats(e, ret_stats);
	xpt_mappings__stats(e, ret_stats);
	ret_stats->hold = xpt_hold__how(e);
	xpt_sources__stats(e, ret_stats);
	ret_stats->slow_to_leave = xpt_leave__is_slow(e);
}
