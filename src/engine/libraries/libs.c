// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The source "libraries": finds libraries in mappings or on the loader's path, reads each once per inode, and
 * attaches to its functions with one link if the kernel can. If the kernel refuses a function, or a file cannot be
 * traced, only that one is missing.
 */
#include "engine/libraries/libs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/log.h"
#include "base/process/fds.h"
#include "base/time.h"
#include "elf/elf.h"
#include "engine/attach/closing.h"
#include "engine/attach/counted.h"
#include "engine/attach/shared_probe.h"
#include "engine/attach/uprobes.h"
#include "engine/left_out.h"
#include "engine/libraries/libs_priv.h"
#include "engine/processes/mappings.h"
#include "engine/waiting/reading.h"
#include "proc/libpath.h"
#include "proc/maps.h"
#include "sites/linked_runtime.h"
#include "wire/config.h"

#define MANY_LINKS 64		/* more perf links than this close in the background, */
#define MANY_FDS 100		/* and more of the others */

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

/* Adds the return sites of the function before its entry, so that no call begins whose return would not be seen. */
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

/*
 * Returns the result for a file in which that many places were to get probes: the number of functions that have a
 * probe, or -errno. refused: how many functions got none because the share of the file's owner is used up.
 */
static int result_of(const struct xpt_elib *lib, int linked, int joined, uint32_t refused, uint32_t places)
{
	if (linked < 0)
		return linked;
	if (!linked && places && xpt_again__may_help(lib->refused))	/* the whole file is tried again */
		return lib->refused;
	if (linked + joined)
		return linked + joined;
	return refused ? -EDQUOT : places ? -EIO : 0;
}

static int attach_plan(struct xpt_engine *e, struct xpt_elib *lib, int fd,
		       const struct xpt_plan *plan, int nr)
{
	uint32_t joined = 0, refused = 0, round = xpt_shared__round(e);
	struct places p;
	int i, linked, done = -ENOMEM;
	char path[32];

	/* Not by its name: who mapped it may be gone, or the name lead elsewhere. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!new_places(&p, plan, nr))
		goto out;
	for (i = 0; i < nr; i++) {
		enum xpt_share share;
		uint64_t cookie;
		uint32_t id;

		if (plan[i].site.cls == XPT_SITE_UNSAFE) {
			e->stats.nr_unsafe++;
			xpt_debug("%s: %s", plan[i].sym, plan[i].site.reason);
			continue;
		}
		if (plan[i].returns.way == XPT_RETURN_UNSEEN) {
			xpt_left_out__unseen(e, plan[i].sym, &plan[i].returns);
			continue;
		}
		id = xpt_lib_functions__id(e, &plan[i], lib);
		if (!id) {
			e->stats.nr_failed++;
			continue;
		}
		share = xpt_shared__add(e, &lib->inode, lib->owner, plan[i].sym_vaddr, id, round, true, &cookie);
		if (share == XPT_SHARE_JOINED || share == XPT_SHARE_REFUSED) {
			joined += share == XPT_SHARE_JOINED;
			refused += share == XPT_SHARE_REFUSED;
			continue;
		}
		add_function(&p, &plan[i], cookie);
		e->stats.nr_slow += nr_stepped(&plan[i]);
	}
	linked = p.n ? xpt_uprobes__link(e, lib, path, p.offsets, p.cookies, p.n) : 0;
	if (linked >= 0) {
		e->stats.nr_probes += (uint32_t)linked;
		e->stats.nr_failed += p.n - (uint32_t)linked;
	}
	e->stats.nr_failed += refused;
	joined -= xpt_shared__take_void(e);
	if (linked <= 0 && p.n)
		xpt_shared__undo(e, &lib->inode, round);
	done = result_of(lib, linked, (int)joined, refused, p.n);
out:
	free(p.offsets);
	free(p.cookies);
	return done;
}

/* The place at which a library was found. */
struct found {
	const char *name;		/* as the process sees it */
	int pid;			/* who has mapped it, 0 if it was found on the loader's path */
	const struct xpt_mapping *m;	/* where; NULL without a process */
	uint64_t mapper;		/* owner of the process, see xpt_owner__of_mapper() */
};

/* The file's soname comes first: the process that maps the file may have given it any name. */
static const struct xpt_domain *domain_of(const struct xpt_engine *e, const struct xpt_elf *elf,
					  const struct xpt_domain *by_name)
{
	const struct xpt_domain *own = xpt_plan__domain(e->cfg.domains, xpt_elf__soname(elf));

	return own ? own : by_name;
}

/* Attaches probes to the functions of d in an open file, which it takes over. Returns their number or -errno. */
static int attach_file(struct xpt_engine *e, struct xpt_elib *lib, const struct xpt_domain *d,
		       int fd, const struct found *f)
{
	struct xpt_plan *plan = NULL;
	struct xpt_elf *elf = NULL;
	uint32_t left_out = 0;
	size_t nr_syms;
	int err, n;

	err = xpt_elf__open_for(fd, &e->reading->pause, &elf);
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
		xpt_facts__lib(e, xpt_libraries__id(e, lib), lib, f->name, xpt_elf__build_id(elf));
	}
	xpt_plan__free(plan, n);
	xpt_elf__close(elf);
	return err;
}

/* Notes an error of this file alone. A file that no process maps is no loss. */
static void note_error(struct xpt_engine *e, struct xpt_elib *lib, int err, const struct found *f)
{
	lib->err = err;
	if (!err || err == -ECANCELED || lib->loss_counted || !f->pid)
		return;
	lib->loss_counted = true;
	e->lost[XPT_LOSS_LIB_FAILED]++;
	if ((err == -EMFILE || err == -ENFILE) && !e->stats.refused)
		e->stats.refused = err;
	if (xpt_left_out__may_wait(err))
		xpt_left_out__served(e, f->pid, f->name);
	else
		xpt_left_out__costly(e, err, lib->owner, f->name);
	xpt_debug("%s of process %d is not traced: %s", f->name, f->pid, strerror(-err));
}

/* Calls attach_file(); -EDQUOT if files of its owner have used up their time: then it is tried again later. */
static int attach_in_time(struct xpt_engine *e, struct xpt_elib *lib, const struct xpt_domain *d, int fd,
			  const struct found *f)
{
	if (xpt_lib_places__has_time(e, lib->owner))
		return attach_file(e, lib, d, fd, f);
	close(fd);
	return -EDQUOT;
}

/* Returns the bit of d among the traced domains: a file is read once for each. */
static uint32_t bit_of(const struct xpt_engine *e, const struct xpt_domain *d)
{
	uint32_t i;

	for (i = 0; i < 31 && e->cfg.domains[i] && e->cfg.domains[i] != d; i++)
		;
	return 1u << i;
}

/*
 * Returns whose share the file counts for. A file of the machine counts for the user who has mapped it if that is
 * under another name than its own: he may have any of the machine's files read for a library's.
 */
static uint64_t owner_of(struct xpt_engine *e, int fd, const struct stat *st, const struct found *f)
{
	uint64_t owner = xpt_owner__of_file(&e->own_devices, st, f->mapper);
	const char *slash = strrchr(f->name, '/');
	char name[XPT_FILE_NAME];

	if (owner != XPT_OWNER_MACHINE || !f->m || f->mapper == XPT_OWNER_MACHINE ||
	    (xpt_inode__own_name(e, fd, name, sizeof(name)) && !strncmp(name, slash ? slash + 1 : f->name, sizeof(name) - 1)))
		return owner;
	return f->mapper;
}

/* Takes ownership of fd. Returns 1 if attached, 0 if there is nothing to do, or -errno. */
static int add_fd(struct xpt_engine *e, const struct xpt_domain *d, int fd, const struct found *f)
{
	struct xpt_inode inode;
	struct xpt_elib *lib = NULL;
	struct stat st = { 0 };
	uint64_t changed_ns, t0, used, before, owner = XPT_OWNER_NOBODY;
	struct xpt_counted counted;
	bool is_new;
	int err = xpt_inode__get(e, fd, &inode);

	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err) {
		owner = owner_of(e, fd, &st, f);
		lib = xpt_lib_places__get(e, &inode, owner, &is_new);
	}
	if (!lib) {
		e->lost[XPT_LOSS_LIB_FAILED] += f->pid != 0;
		close(fd);
		return err ? err : -ENOSPC;
	}
	changed_ns = xpt_regular__changed_ns(&st);
	if (lib->changed_ns != changed_ns || !changed_ns) {
		lib->read_for = 0;
		lib->counted = (struct xpt_counted){ 0 };
	}
	if (lib->is_due)
		lib->read_for = 0;
	lib->is_due = false;
	is_new = is_new || xpt_lib_places__renew(e, lib, owner);
	if (lib->owner != owner)
		xpt_lib_places__note_other(e, lib, owner, st.st_uid);
	if (f->m && !lib->mapped_dev)
		lib->mapped_dev = f->m->dev;
	if (!is_new && (lib->nr_fns || lib->read_for & bit_of(e, d))) {
		close(fd);
		note_error(e, lib, lib->err, f);
		return 0;
	}
	lib->changed_ns = changed_ns;
	lib->read_for |= bit_of(e, d);
	lib->kept |= !f->m;
	t0 = xpt_now_ns();
	used = xpt_reading__used_ns(e);
	counted = xpt_counted__now(e);
	before = xpt_reading__begin(e, owner);
	err = attach_in_time(e, lib, d, fd, f);
	xpt_reading__end(e, before);
	xpt_counted__once(e, &counted, &lib->counted);
	xpt_again__note(&lib->again, err, xpt_now_ns());
	lib->starved |= (err == -EFBIG && !xpt_reading__has_share(e, owner)) || lib->refused == -EDQUOT;
	xpt_lib_places__spent(e, owner, xpt_now_ns() - t0, xpt_reading__used_ns(e) - used);
	note_error(e, lib, err < 0 ? err : 0, f);
	return err > 0 ? 1 : err;
}

/* Operation of the source. */
static void on_file(struct xpt_engine *e, int pid, const char *path, const char *name)
{
	const struct xpt_domain *d = xpt_plan__domain(e->cfg.domains, name);
	struct found f = { .name = name, .pid = pid };
	uint64_t t0 = xpt_now_ns();
	int fd;

	if (!d)
		return;
	f.mapper = xpt_owner__of_mapper(pid);
	fd = xpt_regular__open(path, NULL);
	if (fd >= 0)	/* else it is looked at once it is mapped */
		add_fd(e, d, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
}

int xpt_libs__add(struct xpt_engine *e, const char *path, const char *name)
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

/* Examines a program for a linked runtime. Takes ownership of fd. */
static bool add_program(struct xpt_engine *e, int fd, const struct found *f)
{
	const struct xpt_domain *d;
	struct stat st = { 0 };
	uint64_t owner, before;
	int err;

	fstat(fd, &st);
	owner = owner_of(e, fd, &st, f);
	before = xpt_reading__begin(e, owner);
	d = xpt_programs__domain(xpt_libraries__of(e)->programs, fd, f->name, &err);
	xpt_reading__end(e, before);
	if (err == -EFBIG && !xpt_reading__has_share(e, owner))	/* an owner with time left has it read again */
		xpt_programs__forget(xpt_libraries__of(e)->programs, fd);
	if (err == -EFBIG && f->pid) {	/* it may have a runtime */
		e->lost[XPT_LOSS_LIB_FAILED]++;
		xpt_left_out__costly(e, err, owner, f->name);
	}
	if (d)
		add_fd(e, d, fd, f);
	else
		close(fd);
	return d;
}

/* Operation of the source. True: it is a file with functions of a domain. */
static bool on_mapping(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	const struct xpt_domain *d = xpt_plan__domain(e->cfg.domains, m->path);
	struct found f = { .name = m->path, .pid = pid, .m = m };
	uint64_t t0 = xpt_now_ns();
	bool has = d;
	int fd;

	if (!d && !xpt_programs__wants(xpt_libraries__of(e)->programs, m->path))
		return false;
	f.mapper = xpt_owner__of_mapper(pid);
	fd = xpt_maps__open(pid, m);
	if (fd < 0)
		xpt_mappings__note_unread(e, pid, m, fd);
	else if (d)
		add_fd(e, d, fd, &f);
	else
		has = add_program(e, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
	if (fd >= 0)	/* the next may take as long */
		xpt_reading__pause(e);
	return has;
}

/* Operation of the source. */
static bool wants(const struct xpt_engine *e, const struct xpt_mapping *m)
{
	return xpt_plan__domain(e->cfg.domains, m->path) || xpt_programs__wants(xpt_libraries__of(e)->programs, m->path);
}

/* Whether a mapping is of that file. If no process has mapped it, its own device is compared. */
static bool is_known_as(const struct xpt_elib *lib, const struct xpt_mapping *m)
{
	return lib->inode.ino == m->ino && m->dev == (lib->mapped_dev ? lib->mapped_dev : lib->inode.dev);
}

/*
 * Operation of the source: by the file's name and its inode, for no file is read any more. Programs are
 * left out: few hold a runtime.
 */
static bool misses(const struct xpt_engine *e, const struct xpt_mapping *m)
{
	const struct xpt_libraries *l = xpt_libraries__of(e);
	uint32_t i;

	for (i = 0; i < l->nr && !is_known_as(&l->v[i], m); i++)
		;
	return i == l->nr && xpt_plan__domain(e->cfg.domains, m->path);
}

static void preload_program(struct xpt_engine *e, const char *exe)
{
	struct found f = { .name = exe, .mapper = XPT_OWNER_MACHINE };
	uint64_t t0 = xpt_now_ns();
	int fd;

	if (!xpt_programs__wants(xpt_libraries__of(e)->programs, exe))
		return;
	fd = xpt_regular__open(exe, NULL);
	if (fd >= 0)
		add_program(e, fd, &f);
	e->stats.attach_ns += xpt_now_ns() - t0;
}

/* Operation of the source: its own search path first, then the environment's and the system's. */
static void preload(struct xpt_engine *e, const char *exe, const char *ld_library_path)
{
	const struct xpt_domain *const *d;
	const char *const *so;

	if (exe)
		preload_program(e, exe);
	for (d = e->cfg.domains; *d; d++) {
		for (so = (*d)->sonames; so && *so; so++) {
			struct xpt_libpath lp = { .exe = exe, .ld_library_path = ld_library_path };
			char path[4096];

			while (xpt_libpath__next(&lp, *so, path, sizeof(path)) > 0)
				xpt_libs__add(e, path, path);
		}
	}
}

/* Operation of the source: counts slow links. Those of perf events take 0.1 s each to close, others 20 ms. */
static uint32_t slow_links(const struct xpt_engine *e)
{
	const struct xpt_libraries *l = xpt_libraries__of(e);
	size_t links = 0, fds = xpt_closing__nr(e);
	uint32_t i;

	for (i = 0; i < l->nr; i++) {
		links += l->v[i].nr_links;
		fds += l->v[i].nr_fds;
	}
	return links > MANY_LINKS || fds > MANY_FDS ? XPT_LINKS_TOO_SLOW : 0;
}

/* Closes the links of all libraries at once: closing them library by library would take longer. */
static void close_links(struct xpt_libraries *l)
{
	size_t room = 0, n = 0;
	uint32_t i;
	int *fds;

	for (i = 0; i < l->nr; i++)
		room += l->v[i].nr_fds;
	fds = room ? calloc(room, sizeof(*fds)) : NULL;
	for (i = 0; fds && i < l->nr; i++) {
		if (l->v[i].nr_fds)
			memcpy(fds + n, l->v[i].fds, l->v[i].nr_fds * sizeof(*fds));
		n += l->v[i].nr_fds;
		l->v[i].nr_fds = 0;
	}
	xpt_fds__close_all(fds, n);
	free(fds);
}

/* Operation of the source: detaches in reverse order, entries before returns. */
static void detach(struct xpt_engine *e)
{
	struct xpt_libraries *l = xpt_libraries__of(e);
	uint32_t i;

	close_links(l);
	for (i = 0; i < l->nr; i++)
		xpt_uprobes__unlink(&l->v[i]);
	xpt_perf__forget(e);
}

void xpt_libs__adopt(struct xpt_engine *e, struct xpt_elib *lib)
{
	struct xpt_libraries *l = xpt_libraries__of(e);

	if (l->nr < XPT_MAX_LIBS)
		l->v[l->nr++] = *lib;
	else
		xpt_uprobes__unlink(lib);
}

/* Operation of the source. */
static int open_tables(struct xpt_engine *e)
{
	int err = xpt_lib_functions__open(e);

	return err ? err : xpt_programs__new(e->cfg.domains, &e->reading->pause, &xpt_libraries__of(e)->programs);
}

/* Operation of the source. */
static void free_tables(struct xpt_engine *e)
{
	xpt_lib_places__free(e);
	xpt_lib_functions__close(e);
	xpt_programs__free(xpt_libraries__of(e)->programs);
}

const struct xpt_source xpt_source_libraries = {
	.name = "libraries",
	.state_size = sizeof(struct xpt_libraries),
	.open = open_tables,
	.preload = preload,
	.on_file = on_file,
	.wants = wants,
	.on_mapping = on_mapping,
	.misses = misses,
	.keeps = xpt_lib_places__keeps,
	.release = xpt_lib_places__release,
	.step = xpt_lib_places__step,
	.slow_links = slow_links,
	.detach = detach,
	.free = free_tables,
};
