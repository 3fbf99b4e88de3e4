// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Libraries: found in mappings or on the loader's path, looked at once per
 * inode, attached with one link where the kernel can. A function that refuses
 * its probe costs only itself, and a file that cannot be traced likewise.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/hashmap.h"
#include "base/log.h"
#include "base/regular.h"
#include "base/time.h"
#include "wire/config.h"
#include "call.skel.h"
#include "elf/elf.h"
#include "engine/libraries/lib_places.h"
#include "proc/libpath.h"
#include "engine/attach/link_set.h"
#include "proc/maps.h"
#include "engine/attach/shared.h"

#define MANY_LINKS 64		/* more perf links than this close in the background */
#define PARENT_US 5000
#define PARENT_WAITS 1000	/* times that: 5 s for a summary that somebody reads slowly */

/* Places of a file that get one program. */
struct batch {
	struct xpt_engine *e;
	struct xpt_elib *lib;
	int prog;
	bool ret;		/* at returns only */
	const char *path;
	const uint64_t *offsets, *cookies;
};

/* Callback of xpt_link_set__attach(). */
static int link_batch(void *ctx, uint32_t from, uint32_t n)
{
	const struct batch *b = ctx;
	int fd = xpt_kernel__link_uprobes(b->prog, b->e->attach, b->ret, b->path, b->offsets + from,
					  b->cookies + from, n);

	return fd < 0 ? fd : xpt_fds__append(&b->lib->fds, &b->lib->nr_fds, fd);
}

/* Callback of xpt_link_set__attach(). */
static void on_refused(void *ctx, uint32_t from, uint32_t n, int err)
{
	const struct batch *b = ctx;
	uint32_t i;

	xpt_engine__probe_refused(b->e, b->path, b->offsets[from], err);
	for (i = from; i < from + n && !b->ret; i++)
		if (!(b->cookies[i] & XPT_AT_RETURN))
			xpt_shared__refused(b->e, XPT_COOKIE_FN(b->cookies[i]));
}

static uint32_t link_multi(const struct batch *b, uint32_t n)
{
	uint32_t left = XPT_LINK_REQUESTS;
	struct xpt_link_set set = { .link = link_batch, .on_refused = on_refused, .ctx = (void *)b, .one_file = true,
				    .left = xpt_engine__is_open(b->e) ? &left : NULL };

	return xpt_link_set__attach(&set, 0, n);
}

/* The return half goes first, so that no entry is ever without it. */
int xpt_libs__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *cookies, uint32_t n)
{
	struct batch b = { .e = e, .lib = lib, .path = path, .offsets = offsets, .cookies = cookies };
	struct batch returns = b;
	uint64_t *plain;
	uint32_t nr_plain;

	switch (e->attach) {
	case XPT_ATTACH_SESSION:
		b.prog = bpf_program__fd(e->skel->progs.xpt_session);
		return (int)link_multi(&b, n);
	case XPT_ATTACH_MULTI:
		plain = xpt_returns__probes(offsets, cookies, n, &nr_plain);
		if (!plain)
			return -ENOMEM;
		b.prog = bpf_program__fd(e->skel->progs.xpt_enter);
		returns.prog = bpf_program__fd(e->skel->progs.xpt_leave);
		returns.ret = true;
		returns.offsets = returns.cookies = plain;
		link_multi(&returns, nr_plain);
		free(plain);
		return (int)link_multi(&b, n);
	default:
		return xpt_perf__link(e, lib, path, offsets, cookies, n);
	}
}

/* Places of a file, before they are attached: see XPT_AT_RETURN for cookies. */
struct places {
	uint64_t *offsets, *cookies;
	uint32_t n;
};

static void add_place(struct places *p, uint64_t offset, uint64_t cookie)
{
	p->offsets[p->n] = offset;
	p->cookies[p->n++] = cookie;
}

/* The function's ends go first, so that no call is open without them. */
static void add_function(struct places *p, const struct xpt_plan *f, uint64_t cookie)
{
	uint64_t entry = cookie;
	uint32_t i;

	if (f->returns.way == XPT_RETURN_SITES)
		entry |= XPT_NO_RETURN_PROBE;
	for (i = 0; i < f->returns.nr; i++)
		add_place(p, f->returns.site[i].offset, cookie | f->returns.site[i].flags);
	add_place(p, f->site.offset, entry);
}

/* How many of the function's probes are on an instruction that is single-stepped. */
static uint32_t nr_stepped(const struct xpt_plan *f)
{
	uint32_t n = f->site.cls == XPT_SITE_SINGLE_STEP, i;

	for (i = 0; i < f->returns.nr; i++)
		n += f->returns.site[i].cls == XPT_SITE_SINGLE_STEP;
	return n;
}

static bool new_places(struct places *p, const struct xpt_plan *plan, int nr)
{
	size_t n = (size_t)nr;
	int i;

	for (i = 0; i < nr; i++)
		n += plan[i].returns.nr;
	p->n = 0;
	p->offsets = calloc(n, sizeof(*p->offsets));
	p->cookies = calloc(n, sizeof(*p->cookies));
	return p->offsets && p->cookies;
}

void xpt_libs__unseen(struct xpt_engine *e, const char *sym, const struct xpt_returns *r)
{
	if (!e->stats.nr_unseen++) {
		snprintf(e->stats.unseen, sizeof(e->stats.unseen), "%s", sym);
		e->stats.unseen_why = r->reason;
	}
	xpt_debug("%s: its returns cannot be seen: %s", sym, r->reason);
}

static int attach_plan(struct xpt_engine *e, struct xpt_elib *lib, int fd,
		       const struct xpt_plan *plan, int nr)
{
	uint32_t joined = 0, round = xpt_shared__round(e);
	struct places p;
	int i, done = -ENOMEM;
	char path[32];

	/* Not by its name: who mapped it may be gone, or the name lead elsewhere. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!new_places(&p, plan, nr))
		goto out;
	for (i = 0; i < nr; i++) {
		uint64_t cookie;
		uint32_t id;

		if (plan[i].site.cls == XPT_SITE_UNSAFE) {
			e->stats.nr_unsafe++;
			xpt_debug("%s: %s", plan[i].sym, plan[i].site.reason);
			continue;
		}
		if (plan[i].returns.way == XPT_RETURN_UNSEEN) {
			xpt_libs__unseen(e, plan[i].sym, &plan[i].returns);
			continue;
		}
		id = xpt_lib_functions__id(e, &plan[i], lib);
		if (!id) {
			e->stats.nr_failed++;
			continue;
		}
		if (xpt_shared__add(e, &lib->inode, plan[i].sym_vaddr, id, round, true, &cookie) ==
		    XPT_SHARE_JOINED) {
			joined++;
			continue;
		}
		add_function(&p, &plan[i], cookie);
		e->stats.nr_slow += nr_stepped(&plan[i]);
	}
	done = p.n ? xpt_libs__link(e, lib, path, p.offsets, p.cookies, p.n) : 0;
	if (done >= 0) {
		e->stats.nr_probes += (uint32_t)done;
		e->stats.nr_failed += p.n - (uint32_t)done;
		done += (int)joined;
	}
	if (!done && p.n)
		done = -EIO;	/* all refused */
out:
	free(p.offsets);
	free(p.cookies);
	return done;
}

/* Where a library was found. */
struct found {
	const char *name;		/* as the process sees it */
	int pid;			/* who has mapped it, 0 if it was found on the loader's path */
	const struct xpt_mapping *m;	/* where; NULL without a process */
	uint64_t mapper;		/* owner of the process, see xpt_owner__of_mapper() */
};

/* What the file says of itself comes first: who maps it may have given it any name. */
static const struct xpt_domain *domain_of(const struct xpt_engine *e, const struct xpt_elf *elf,
					  const struct xpt_domain *by_name)
{
	const struct xpt_domain *own = xpt_plan__domain(e->cfg.domains, xpt_elf__soname(elf));

	return own ? own : by_name;
}

/* Probes on the functions of d in an open file, which is taken over; their number or -errno. */
static int attach_file(struct xpt_engine *e, struct xpt_elib *lib, const struct xpt_domain *d,
		       int fd, const struct found *f)
{
	struct xpt_plan *plan = NULL;
	struct xpt_elf *elf = NULL;
	uint32_t left_out = 0;
	size_t nr_syms;
	int err, n;

	err = xpt_elf__open_for(fd, &e->reading.pause, &elf);
	if (err)
		return err;
	d = domain_of(e, elf, d);
	n = xpt_plan__make(elf, d, e->cfg.functions, e->cfg.move_sites, &plan, &left_out);
	xpt_elf__syms(elf, &nr_syms);
	err = n > 0 ? attach_plan(e, lib, fd, plan, n) : nr_syms ? n : -ENOEXEC;
	if (err > 0) {
		lib->nr_fns = (uint32_t)n;
		e->stats.nr_libs++;
		e->stats.nr_fns += (uint32_t)n;
		e->stats.nr_failed += left_out;
		xpt_facts__lib(e, (uint32_t)(lib - e->libs), f->name, xpt_elf__build_id(elf));
	}
	xpt_plan__free(plan, n);
	xpt_elf__close(elf);
	return err;
}

void xpt_libs__refused(struct xpt_engine *e, int err, uint64_t owner, const char *name)
{
	if ((err != -EFBIG && err != -E2BIG && err != -EDQUOT) || e->stats.nr_costly++)
		return;
	e->stats.costly_owner = owner;
	snprintf(e->stats.costly, sizeof(e->stats.costly), "%s", name);
}

/* Errors of what would keep us waiting: see remote.h and xpt_inode__open(). */
static bool may_wait(int err)
{
	return err == -EREMOTE || err == -ETIMEDOUT || err == -EBUSY;
}

static void left_alone(struct xpt_engine *e, int pid, const char *name)
{
	if (xpt_whose__tell(&e->stats.served_owner, e->stats.nr_served++, pid))
		snprintf(e->stats.served, sizeof(e->stats.served), "%s", name);
}

/* An error of this file alone. What only lies about and nobody uses is no loss. */
static void note_error(struct xpt_engine *e, struct xpt_elib *lib, int err, const struct found *f)
{
	lib->err = err;
	if (!err || err == -ECANCELED || lib->told || !f->pid)
		return;
	lib->told = true;
	e->lost[XPT_LOSS_LIB_FAILED]++;
	if ((err == -EMFILE || err == -ENFILE) && !e->stats.refused)
		e->stats.refused = err;
	if (may_wait(err))
		left_alone(e, f->pid, f->name);
	else
		xpt_libs__refused(e, err, lib->owner, f->name);
	xpt_debug("%s of process %d is not traced: %s", f->name, f->pid, strerror(-err));
}

/* Of d among those that are traced, as a bit: a file is read once for each. */
static uint32_t bit_of(const struct xpt_engine *e, const struct xpt_domain *d)
{
	uint32_t i;

	for (i = 0; i < 31 && e->cfg.domains[i] && e->cfg.domains[i] != d; i++)
		;
	return 1u << i;
}

/* fd is taken over. 1: attached, 0: nothing to do, -errno. */
static int add_fd(struct xpt_engine *e, const struct xpt_domain *d, int fd, const struct found *f)
{
	struct xpt_inode inode;
	struct xpt_elib *lib = NULL;
	struct stat st = { 0 };
	uint64_t changed_ns, t0, owner = XPT_OWNER_NOBODY;
	bool is_new;
	int err = xpt_inode__get(e, fd, &inode);

	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err) {
		owner = xpt_owner__of_file(&e->own_devices, &st, f->mapper);
		lib = xpt_lib_places__get(e, &inode, owner, &is_new);
	}
	if (!lib) {
		e->lost[XPT_LOSS_LIB_FAILED] += f->pid != 0;
		close(fd);
		return err ? err : -ENOSPC;
	}
	changed_ns = xpt_regular__changed_ns(&st);
	if (lib->changed_ns != changed_ns || !changed_ns)
		lib->read_for = 0;
	is_new = is_new || xpt_lib_places__renew(e, lib, owner);
	if (!is_new && (lib->nr_fns || lib->read_for & bit_of(e, d))) {
		close(fd);
		note_error(e, lib, lib->err, f);
		return 0;
	}
	lib->changed_ns = changed_ns;
	lib->read_for |= bit_of(e, d);
	lib->kept |= !f->m;
	t0 = xpt_now_ns();
	xpt_reading__begin(e, owner);
	err = attach_file(e, lib, d, fd, f);
	lib->starved |= err == -EFBIG && !xpt_reading__has_share(e, owner);
	xpt_lib_places__spent(e, owner, xpt_now_ns() - t0);
	note_error(e, lib, err < 0 ? err : 0, f);
	return err > 0 ? 1 : err;
}

/* path: of a file that pid is about to map under that name. */
void xpt_libs__on_file(struct xpt_engine *e, int pid, const char *path, const char *name)
{
	const struct xpt_domain *d = xpt_plan__domain(e->cfg.domains, name);
	struct found f = { .name = name, .pid = pid };
	uint64_t t0 = xpt_now_ns();
	int fd;

	xpt_sources__on_file(e, pid, path, name);
	if (!d)
		return;
	f.mapper = xpt_owner__of_mapper(pid);
	fd = xpt_regular__open(path, NULL);
	if (fd >= 0)	/* else it is looked at once it is mapped */
		add_fd(e, d, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
}

int xpt_engine__add_library(struct xpt_engine *e, const char *path, const char *name)
{
	const struct xpt_domain *d = xpt_plan__domain(e->cfg.domains, name);
	struct found f = { .name = name, .mapper = XPT_OWNER_MACHINE };
	uint64_t t0 = xpt_now_ns();
	int fd, err;

	if (!d)
		return 0;
	fd = xpt_regular__open(path, NULL);
	err = fd < 0 ? fd : add_fd(e, d, fd, &f);
	if (err < 0)
		xpt_debug("%s: %s", path, strerror(-err));
	e->stats.attach_ns += xpt_now_ns() - t0;
	return err;
}

static bool is_selected(const struct xpt_select *s, int pid)
{
	static struct xpt_procinfo info;	/* 8 KiB; one thread */

	if (xpt_select__why_not(s, pid))
		return false;
	return !xpt_select__by_comm(s) ||
	       (!xpt_proc__read(pid, &info) && xpt_select__comm_matches(s, info.comm));
}

/*
 * Whether the calls of a process belong into the trace, though it may have ended. Where processes are
 * selected by what they are, nobody can say that any more of one that made no traced call.
 */
static bool was_target(const struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, v;

	if (e->cfg.all || xpt_hashmap__find(e->ended, &key) ||
	    !bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key, &v))
		return true;
	return e->cfg.select && e->cfg.open && is_selected(e->cfg.select, pid);
}

/* It has no program any more, whether it has been waited for or not. */
static bool has_ended(int pid)
{
	char path[32], exe[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, exe, sizeof(exe)) < 0;
}

/* Mapped, and cannot be opened. Of a process that has ended since, calls may not have been seen. */
static void cannot_open(struct xpt_engine *e, int err, const struct found *f)
{
	struct xpt_inode inode = { .ino = f->m->ino };
	struct xpt_elib *lib;
	bool is_new;

	if (err == -ENOENT || err == -ESRCH) {	/* of one that runs it is looked at again, and counts then */
		e->mappings.lost += has_ended(f->pid) && xpt_libs__misses(e, f->pid, f->m);
		return;
	}
	lib = xpt_lib_places__get(e, &inode, f->mapper, &is_new);
	if (lib)
		note_error(e, lib, err, f);
}

static bool is_target(const struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, v;

	return xpt_engine__is_open(e) ||
	       !bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key, &v);
}

/* A program: whether there is a runtime inside. fd is taken over. */
static bool add_program(struct xpt_engine *e, int fd, const struct found *f)
{
	const struct xpt_domain *d;
	struct stat st = { 0 };
	uint64_t owner;
	int err;

	fstat(fd, &st);
	owner = xpt_owner__of_file(&e->own_devices, &st, f->mapper);
	xpt_reading__begin(e, owner);
	d = xpt_programs__domain(e->programs, fd, f->name, &err);
	if (err == -EFBIG && !xpt_reading__has_share(e, owner))	/* whoever has some left gets another look */
		xpt_programs__forget(e->programs, fd);
	if (err == -EFBIG && f->pid) {	/* it may hold one */
		e->lost[XPT_LOSS_LIB_FAILED]++;
		xpt_libs__refused(e, err, owner, f->name);
	}
	if (d)
		add_fd(e, d, fd, f);
	else
		close(fd);
	return d;
}

/* True: it is a file with functions of a domain. */
static bool look_at(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	const struct xpt_domain *d = xpt_plan__domain(e->cfg.domains, m->path);
	struct found f = { .name = m->path, .pid = pid, .m = m };
	uint64_t t0 = xpt_now_ns();
	bool has = d;
	int fd;

	if (xpt_reading__is_stopped(e))
		return false;
	xpt_sources__on_mapping(e, pid, m);
	if (!d && !xpt_programs__wants(e->programs, m->path))
		return false;
	f.mapper = xpt_owner__of_mapper(pid);
	fd = xpt_maps__open(pid, m);
	if (fd < 0 && d)
		cannot_open(e, fd, &f);
	else if (fd >= 0 && d)
		add_fd(e, d, fd, &f);
	else if (fd >= 0)
		has = add_program(e, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
	if (fd >= 0)	/* the next may take as long */
		xpt_reading__pause(e);
	return has;
}

static int on_map(void *ctx, int pid, const struct xpt_mapping *m)
{
	look_at(ctx, pid, m);
	return 0;
}

void xpt_libs__on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct xpt_engine *e = ctx;

	xpt_callers__on_mapping(e->callers, pid, m);
	if (xpt_reading__is_stopped(e)) {	/* the trace is about to end, and no file is read any more */
		e->mappings.lost += xpt_libs__misses(e, pid, m);
		return;
	}
	if ((xpt_plan__domain(e->cfg.domains, m->path) ||
	     xpt_programs__wants(e->programs, m->path) || xpt_sources__want(e, m)) &&
	    is_target(e, pid) && look_at(e, pid, m))
		xpt_callers__add(e->callers, pid);
}

bool xpt_libs__misses(const struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	uint32_t i;

	if (!was_target(e, pid))
		return false;
	for (i = 0; i < e->nr_libs && e->libs[i].inode.ino != m->ino; i++)
		;
	return (i == e->nr_libs && xpt_plan__domain(e->cfg.domains, m->path)) || xpt_sources__miss(e, m);
}

int xpt_libs__scan_pid(struct xpt_engine *e, int pid)
{
	int err = xpt_maps__each(pid, on_map, e);

	if (may_wait(err)) {
		e->lost[XPT_LOSS_LIB_FAILED]++;
		left_alone(e, pid, "mappings of a process");
	}
	return err;
}

static void preload_program(struct xpt_engine *e, const char *exe)
{
	struct found f = { .name = exe, .mapper = XPT_OWNER_MACHINE };
	uint64_t t0 = xpt_now_ns();
	int fd;

	if (!xpt_programs__wants(e->programs, exe))
		return;
	fd = xpt_regular__open(exe, NULL);
	if (fd >= 0)
		add_program(e, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
}

void xpt_engine__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path)
{
	const struct xpt_domain *const *d;
	const char *const *so;

	if (exe)
		preload_program(e, exe);
	xpt_sources__preload(e, exe, ld_library_path);
	for (d = e->cfg.domains; *d; d++) {
		for (so = (*d)->sonames; so && *so; so++) {
			struct xpt_libpath lp = { .exe = exe, .ld_library_path = ld_library_path };
			char path[4096];

			while (xpt_libpath__next(&lp, *so, path, sizeof(path)) > 0)
				xpt_engine__add_library(e, path, path);
		}
	}
}

/* The other way round than they were attached: entries before returns. */
bool xpt_libs__slow_to_leave(const struct xpt_engine *e)
{
	size_t n = xpt_sources__slow_links(e);
	uint32_t i;

	for (i = 0; i < e->nr_libs; i++)
		n += e->libs[i].nr_links;
	return n > MANY_LINKS;
}

size_t xpt_libs__nr_fds(const struct xpt_engine *e)
{
	size_t n = xpt_lib_places__nr_closing(e);
	uint32_t i;

	for (i = 0; i < e->nr_libs; i++)
		n += e->libs[i].nr_fds;
	return n;
}

/*
 * Links close one by one, those of perf events each after a wait of about 0.1 s in the
 * kernel: minutes for a whole library, a second for the tracepoints of system calls. A child
 * that holds them too does that, and our user gets the prompt back at once. Their programs are
 * told to do nothing.
 */
bool xpt_libs__leave_in_background(struct xpt_engine *e)
{
	int parent = getpid(), pid = fork(), i;

	if (pid > 0)
		xpt_debug("probes are taken away by process %d", pid);
	if (pid)
		return pid > 0;
	e->places.closing = NULL;	/* its thread is the parent's */
	setsid();
	prctl(PR_SET_NAME, "xputrace-close");
	xpt_fds__let_go(&e->events_lock, 1);	/* it says that events are held, see perf_events.c */
	for (i = 0; i < PARENT_WAITS && getppid() == parent; i++)
		usleep(PARENT_US);	/* whoever closes an event last waits */
	call_bpf__detach(e->skel);
	xpt_sources__detach(e);
	xpt_libs__detach(e);
	_exit(0);
}

void xpt_libs__unlink(struct xpt_elib *lib)
{
	size_t k;

	xpt_fds__close_all(lib->fds, lib->nr_fds);
	for (k = lib->nr_links; k > 0; k--)
		bpf_link__destroy(lib->links[k - 1]);
	free(lib->fds);
	free(lib->links);
	lib->fds = NULL;
	lib->links = NULL;
	lib->nr_fds = lib->nr_links = 0;
}

/* The links of all libraries; those of one after the other would be closed one after the other. */
static void close_links(struct xpt_engine *e)
{
	size_t room = xpt_libs__nr_fds(e), n = 0;
	int *fds = room ? calloc(room, sizeof(*fds)) : NULL;
	uint32_t i;

	for (i = 0; fds && i < e->nr_libs; i++) {
		struct xpt_elib *lib = &e->libs[i];

		if (lib->nr_fds)
			memcpy(fds + n, lib->fds, lib->nr_fds * sizeof(*fds));
		n += lib->nr_fds;
		lib->nr_fds = 0;
	}
	xpt_fds__close_all(fds, n);
	free(fds);
}

void xpt_libs__detach(struct xpt_engine *e)
{
	uint32_t i;

	close_links(e);
	for (i = 0; i < e->nr_libs; i++)
		xpt_libs__unlink(&e->libs[i]);
	xpt_perf__forget(e);
}
