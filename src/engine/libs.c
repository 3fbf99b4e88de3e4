// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Libraries: found in mappings or on the loader's path, looked at once per
 * inode, attached with one link where the kernel can. A function that refuses
 * its probe costs only itself, and a file that cannot be traced likewise.
 */
#include "engine/priv.h"
#include "engine/tracepoints.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/log.h"
#include "base/time.h"
#include "wire/config.h"
#include "call.skel.h"
#include "engine/elf.h"
#include "engine/libpath.h"

#define MANY_LINKS 64		/* more perf links than this close in the background */
#define PARENT_US 5000
#define PARENT_WAITS 1000	/* times that: 5 s for a summary that somebody reads slowly */

/* Describes function n to the kernel and to the stream. False: no room, no memory. */
static bool new_fn(struct xpt_engine *e, uint32_t n, const struct xpt_plan *p, uint32_t lib)
{
	struct xpt_captures caps;
	struct xpt_wire_fn live;

	if (n >= XPT_MAX_FNS)
		return false;
	xpt_captures__make(p->domain, p->row, p->sym, e->cfg.args, &caps);
	live = caps.spec;	/* what is set here is ours, and not the recording's */
	live.sample = e->cfg.sample;
	if (e->cfg.stacks && xpt_plan__wants(e->cfg.stack_functions, p->sym))
		live.flags |= XPT_FN_STACK;
	if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_fns), &n, &live, BPF_ANY))
		return false;
	e->fns[n].sym = strdup(p->sym);
	e->fns[n].domain = p->domain;
	e->fns[n].str_cap = caps.spec.str_cap;
	e->fns[n].keep = live.flags & XPT_FN_KEEP;
	e->fns[n].slow = p->site.cls == XPT_SITE_SINGLE_STEP;
	if (!e->fns[n].sym)
		return false;
	e->traces_alloc |= live.cls == XPT_CLASS_ALLOC;
	e->traces_free |= live.cls == XPT_CLASS_FREE;
	xpt_facts__fn(e, n, lib, p, &caps);
	return true;
}

/* The id of a function, made if it is new. 0: it cannot get one. */
static uint32_t fn_id(struct xpt_engine *e, const struct xpt_plan *p, uint32_t lib)
{
	char key_text[512];
	uint64_t key;
	uint32_t *id;
	bool is_new;

	snprintf(key_text, sizeof(key_text), "%s %s", p->domain->name, p->sym);
	key = xpt_hash(key_text, strlen(key_text));
	id = xpt_hashmap__get(e->fn_ids, &key, &is_new);
	if (!id)
		return 0;
	if (!is_new)
		return *id;
	if (!new_fn(e, e->nr_fns, p, lib)) {
		xpt_hashmap__del(e->fn_ids, &key);
		return 0;
	}
	*id = e->nr_fns++;
	return *id;
}

static int keep_fd(struct xpt_elib *lib, int fd)
{
	int *fds = reallocarray(lib->fds, lib->nr_fds + 1, sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	lib->fds = fds;
	lib->fds[lib->nr_fds++] = fd;
	return 0;
}

/* One program on n offsets; halves the set to find those that are refused. */
static uint32_t link_multi(struct xpt_engine *e, struct xpt_elib *lib, int prog, bool ret,
			   const char *path, const uint64_t *offsets, const uint64_t *cookies,
			   uint32_t n)
{
	int fd = xpt_kernel__link_uprobes(prog, e->attach, ret, path, offsets, cookies, n);

	if (fd >= 0) {
		if (!keep_fd(lib, fd))
			return n;
		close(fd);
		return 0;
	}
	if (n == 1 || fd == -EPERM || fd == -ENOENT || fd == -EINTR) {
		xpt_debug("%s+0x%llx: cannot attach: %s", path, (unsigned long long)offsets[0],
			  strerror(-fd));
		return 0;
	}
	return link_multi(e, lib, prog, ret, path, offsets, cookies, n / 2) +
	       link_multi(e, lib, prog, ret, path, offsets + n / 2, cookies + n / 2, n - n / 2);
}

/* The return half goes first, so that no entry is ever without it. */
int xpt_libs__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *cookies, uint32_t n)
{
	int enter = bpf_program__fd(e->skel->progs.xpt_enter);
	int leave = bpf_program__fd(e->skel->progs.xpt_leave);

	switch (e->attach) {
	case XPT_ATTACH_SESSION:
		return (int)link_multi(e, lib, bpf_program__fd(e->skel->progs.xpt_session), false,
				       path, offsets, cookies, n);
	case XPT_ATTACH_MULTI:
		link_multi(e, lib, leave, true, path, offsets, cookies, n);
		return (int)link_multi(e, lib, enter, false, path, offsets, cookies, n);
	default:
		return xpt_perf__link(e, lib, path, offsets, cookies, n);
	}
}

/* slots: of these functions, or NULL; kept with the library if all goes well. */
static int attach_plan(struct xpt_engine *e, struct xpt_elib *lib, int fd,
		       const struct xpt_plan *plan, int nr, struct xpt_slots **slots)
{
	uint64_t *offsets = calloc((size_t)nr * 2, sizeof(*offsets));
	uint64_t *cookies = calloc((size_t)nr * 2, sizeof(*cookies));
	uint32_t n = 0;
	int i, done = -ENOMEM;
	char path[32];

	/* Not by its name: who mapped it may be gone, or the name lead elsewhere. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!offsets || !cookies)
		goto out;
	for (i = 0; i < nr; i++) {
		uint32_t id;

		if (plan[i].site.cls == XPT_SITE_UNSAFE) {
			e->stats.nr_unsafe++;
			xpt_debug("%s: %s", plan[i].sym, plan[i].site.reason);
			continue;
		}
		id = fn_id(e, &plan[i], (uint32_t)(lib - e->libs));
		if (!id)
			continue;
		offsets[n] = plan[i].site.offset;
		cookies[n++] = id;
		if (plan[i].site.cls == XPT_SITE_SINGLE_STEP)
			e->stats.nr_slow++;
		if (!plan[i].site.exit_offset)
			continue;
		offsets[n] = plan[i].site.exit_offset;	/* the stub's own way out */
		cookies[n++] = id;
	}
	done = n ? xpt_libs__link(e, lib, path, offsets, cookies, n) : 0;
	if (done >= 0) {
		e->stats.nr_probes += (uint32_t)done;
		e->stats.nr_failed += n - (uint32_t)done;
	}
	if (!done && n)
		done = -EIO;	/* all refused */
	if (done > 0 && *slots && !xpt_slots__keep(lib, *slots, fd, offsets, cookies, n)) {
		*slots = NULL;
		return done;
	}
out:
	free(offsets);
	free(cookies);
	return done;
}

/* Where a library was found. */
struct found {
	const char *name;		/* as the process sees it */
	int pid;			/* who has mapped it, 0 if it was found on the loader's path */
	const struct xpt_mapping *m;	/* where; NULL without a process */
};

/* A place in the table; one of a file that had nothing for us if there is no other. */
static struct xpt_elib *free_lib(struct xpt_engine *e)
{
	uint32_t i;

	if (e->nr_libs < XPT_MAX_LIBS)
		return &e->libs[e->nr_libs++];
	for (i = 0; i < XPT_MAX_LIBS; i++)
		if (!e->libs[i].nr_fns)
			return &e->libs[i];
	return NULL;
}

/* The entry of that file, new or not; NULL: there is no room. */
static struct xpt_elib *get_lib(struct xpt_engine *e, const struct xpt_inode *inode, bool *ret_is_new)
{
	struct xpt_elib *lib;
	uint32_t i;

	*ret_is_new = false;
	for (i = 0; i < e->nr_libs; i++) {
		const struct xpt_inode *had = &e->libs[i].inode;

		if (had->addr == inode->addr && had->dev == inode->dev && had->ino == inode->ino)
			return &e->libs[i];
	}
	lib = free_lib(e);
	if (!lib)
		return NULL;
	*lib = (struct xpt_elib){ .inode = *inode };
	*ret_is_new = true;
	return lib;
}

/* Probes on the functions of d in an open file, which is taken over; their number or -errno. */
static int attach_file(struct xpt_engine *e, struct xpt_elib *lib, const struct xpt_domain *d,
		       int fd, const struct found *f)
{
	struct xpt_slots *slots = NULL;
	struct xpt_plan *plan = NULL;
	struct xpt_elf *elf = NULL;
	size_t nr_syms;
	uint64_t bias;
	int err, n;

	err = xpt_elf__open_fd(fd, &elf);
	if (err)
		return err;
	n = xpt_plan__make(elf, d, e->cfg.functions, e->cfg.move_sites, &plan);
	if (n > 0)
		xpt_slots__new(elf, plan, n, &slots);
	if (slots && f->m && xpt_slots__bias(slots, f->m, &bias) &&
	    xpt_slots__look(slots, f->pid, bias) > 0)
		xpt_slots__apply(slots, plan);
	xpt_elf__syms(elf, &nr_syms);
	err = n > 0 ? attach_plan(e, lib, fd, plan, n, &slots) : nr_syms ? n : -ENOEXEC;
	if (err > 0) {
		lib->nr_fns = (uint32_t)n;
		e->stats.nr_libs++;
		e->stats.nr_fns += (uint32_t)n;
		xpt_facts__lib(e, (uint32_t)(lib - e->libs), f->name, xpt_elf__build_id(elf));
	}
	xpt_slots__free(slots);
	free(plan);
	xpt_elf__close(elf);
	return err;
}

/* An error of this file alone. What only lies about and nobody uses is no loss. */
static void note_error(struct xpt_engine *e, struct xpt_elib *lib, int err, const struct found *f)
{
	lib->err = err;
	if (!err || lib->told || !f->pid)
		return;
	lib->told = true;
	e->libs_failed++;
	xpt_debug("%s of process %d is not traced: %s", f->name, f->pid, strerror(-err));
}

/* fd is taken over. 1: attached, 0: nothing to do, -errno. */
static int add_fd(struct xpt_engine *e, const struct xpt_domain *d, int fd, const struct found *f)
{
	struct xpt_inode inode;
	struct xpt_elib *lib = NULL;
	struct stat st = { 0 };
	uint64_t changed_ns;
	bool is_new;
	int err = xpt_inode__get(e, fd, &inode);

	if (!err)
		lib = get_lib(e, &inode, &is_new);
	if (!lib || fstat(fd, &st)) {
		e->libs_failed += f->pid != 0;
		close(fd);
		return err ? err : -ENOSPC;
	}
	changed_ns = (uint64_t)st.st_ctim.tv_sec * 1000000000u + (uint64_t)st.st_ctim.tv_nsec;
	if (!is_new && (lib->nr_fns || lib->changed_ns == changed_ns)) {
		close(fd);
		note_error(e, lib, lib->err, f);
		xpt_slots__on_mapping(e, lib, f->pid, f->m);
		return 0;
	}
	lib->changed_ns = changed_ns;
	err = attach_file(e, lib, d, fd, f);
	note_error(e, lib, err < 0 ? err : 0, f);
	xpt_slots__on_mapping(e, lib, f->pid, f->m);
	return err > 0 ? 1 : err;
}

/* path: of a file that pid is about to map under that name. */
void xpt_libs__on_file(struct xpt_engine *e, int pid, const char *path, const char *name)
{
	const struct xpt_domain *d = xpt_plan__domain(e->cfg.domains, name);
	struct found f = { .name = name, .pid = pid };
	uint64_t t0 = xpt_now_ns();
	int fd;

	xpt_points__on_file(e, path, name);
	if (!d)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0)	/* else it is looked at once it is mapped */
		add_fd(e, d, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
}

int xpt_engine__add_library(struct xpt_engine *e, const char *path, const char *name)
{
	const struct xpt_domain *d = xpt_plan__domain(e->cfg.domains, name);
	struct found f = { .name = name };
	uint64_t t0 = xpt_now_ns();
	int fd, err;

	if (!d)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	err = fd < 0 ? -errno : add_fd(e, d, fd, &f);
	if (err < 0)
		xpt_debug("%s: %s", path, strerror(-err));
	e->stats.attach_ns += xpt_now_ns() - t0;
	return err;
}

/* Mapped, and cannot be opened. A process that has ended since is no loss. */
static void cannot_open(struct xpt_engine *e, int err, const struct found *f)
{
	struct xpt_inode inode = { .ino = f->m->ino };
	struct xpt_elib *lib;
	bool is_new;

	if (err == -ENOENT || err == -ESRCH)
		return;
	lib = get_lib(e, &inode, &is_new);
	if (lib)
		note_error(e, lib, err, f);
}

static bool is_target(struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, v;

	return xpt_engine__is_open(e) ||
	       !bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key, &v);
}

/* A program: whether there is a runtime inside. fd is taken over. */
static bool add_program(struct xpt_engine *e, int fd, const struct found *f)
{
	const struct xpt_domain *d = xpt_programs__domain(e->programs, fd, f->name);

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

	xpt_points__on_mapping(e, pid, m);
	if (!d && !xpt_programs__wants(e->programs, m->path))
		return false;
	fd = xpt_maps__open(pid, m);
	if (fd < 0 && d)
		cannot_open(e, fd, &f);
	else if (fd >= 0 && d)
		add_fd(e, d, fd, &f);
	else if (fd >= 0)
		has = add_program(e, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
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
	if ((xpt_plan__domain(e->cfg.domains, m->path) ||
	     xpt_programs__wants(e->programs, m->path) || xpt_points__wants(e, m->path)) &&
	    is_target(e, pid) && look_at(e, pid, m))
		xpt_callers__add(e->callers, pid);
}

int xpt_libs__scan_pid(struct xpt_engine *e, int pid)
{
	return xpt_maps__each(pid, on_map, e);
}

static void preload_program(struct xpt_engine *e, const char *exe)
{
	struct found f = { .name = exe };
	uint64_t t0 = xpt_now_ns();
	int fd;

	if (!xpt_programs__wants(e->programs, exe))
		return;
	fd = open(exe, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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
	xpt_points__preload(e, exe, ld_library_path);
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
	size_t n = xpt_points__nr_links(e);
	uint32_t i;

	for (i = 0; i < e->nr_libs; i++)
		n += e->libs[i].nr_links;
	return n > MANY_LINKS;
}

/*
 * Perf events close one by one, each after a wait of about 0.1 s in the kernel:
 * minutes for a whole library, a second for the tracepoints of system calls. A child that holds them too does that, and our
 * user gets the prompt back at once. Their programs are told to do nothing.
 */
bool xpt_libs__leave_in_background(struct xpt_engine *e)
{
	int parent = getpid(), pid = xpt_perf__fork_heir(), i;

	if (pid > 0)
		xpt_debug("probes are taken away by process %d", pid);
	if (pid)
		return pid > 0;
	setsid();
	xpt_fds__let_go();
	for (i = 0; i < PARENT_WAITS && getppid() == parent; i++)
		usleep(PARENT_US);	/* whoever closes an event last waits */
	call_bpf__detach(e->skel);
	xpt_ioctl__detach(e);
	xpt_tracepoints__detach(e);
	xpt_kfunc__detach(e);
	xpt_libs__detach(e);
	_exit(0);
}

void xpt_libs__unlink(struct xpt_elib *lib)
{
	size_t k;

	for (k = lib->nr_fds; k > 0; k--)
		close(lib->fds[k - 1]);
	for (k = lib->nr_links; k > 0; k--)
		bpf_link__destroy(lib->links[k - 1]);
	free(lib->fds);
	free(lib->links);
	lib->fds = NULL;
	lib->links = NULL;
	lib->nr_fds = lib->nr_links = 0;
}

void xpt_libs__detach(struct xpt_engine *e)
{
	uint32_t i;

	for (i = 0; i < e->nr_libs; i++) {
		xpt_libs__unlink(&e->libs[i]);
		xpt_slots__free(e->libs[i].slots);
		e->libs[i].slots = NULL;
	}
	xpt_points__detach(e);
	xpt_perf__forget(e);
}
