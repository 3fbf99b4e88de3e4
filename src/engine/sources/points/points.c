// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes that the user named: each file is read once per inode, and all its places of a kind are attached by one link
 * if the kernel can.
 */
#include "engine/sources/points/point_places.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/time.h"
#include "elf/elf_priv.h"
#include "elf/usdt.h"
#include "engine/attach/closing.h"
#include "engine/attach/counted.h"
#include "engine/attach/uprobes.h"
#include "engine/left_out.h"
#include "engine/priv.h"
#include "engine/processes/mappings.h"
#include "engine/source.h"
#include "engine/sources/points/domain_points.h"
#include "engine/sources/points/point_fns.h"
#include "engine/sources/points/points.h"
#include "engine/waiting/reading.h"
#include "proc/libpath.h"
#include "proc/maps.h"
#include "wire/config.h"
#include "call.skel.h"

/* Processor time for the files of one user, with the time that removing their probes will take. */
#define TIME_NS 5000000000ull	/* and then */
#define TIME_PER_MILLE 50	/* of the time that passes */
#define CLOSE_NS 20000000ull	/* a file's links: the kernel waits for all processors */

extern const struct xpt_source xpt_source_points;

_Static_assert(XPT_PROBES_MAX <= 64, "a bit for each probe");

struct xpt_points *xpt_points__of(const struct xpt_engine *e)
{
	return e->cfg.nr_probes ? xpt_source__state(e, &xpt_source_points) : NULL;
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	bpf_program__set_autoload(skel->progs.xpt_point, e->cfg.nr_probes != 0);
	if (!e->cfg.nr_probes)
		return;
	bpf_map__set_max_entries(skel->maps.xpt_places, XPT_POINT_SITES);
	if (kind != XPT_ATTACH_PERF)
		bpf_program__set_expected_attach_type(skel->progs.xpt_point,
						      XPT_BPF_TRACE_UPROBE_MULTI);
}

/* --- links ------------------------------------------------------------------------- */

/* Attaches the places of a batch and empties it. Returns the number that have a probe. probes: those of the batch. */
static uint32_t link_batch(struct xpt_engine *e, struct xpt_point_batch *b, bool points, uint64_t probes)
{
	struct xpt_elib *lib = b->n ? xpt_points__new_set(b->f) : NULL;
	uint32_t had = b->n, joined;
	int n = -ENOENT;

	if (lib && points)
		n = (int)xpt_points__link(e, lib, b->path, b->offsets, b->semas, b->cookies, b->n);
	else if (lib)
		n = xpt_uprobes__link(e, lib, b->path, b->offsets, b->cookies, b->n);
	if (lib && n <= 0 && xpt_again__may_help(lib->refused)) {
		b->done->refused |= probes;
		b->done->why = lib->refused;
	}
	if (lib)
		xpt_points__keep_set(e, b->f, lib);
	joined = b->joined - xpt_shared__take_void(e);
	if (!points && had && n <= 0)
		xpt_shared__undo(e, &b->f->inode, b->round);
	b->n = b->joined = 0;
	e->stats.nr_probes += n > 0 ? (uint32_t)n : 0;
	e->stats.nr_failed += n < 0 ? had : had > (uint32_t)n ? had - (uint32_t)n : 0;
	return joined + (n > 0 ? (uint32_t)n : 0);
}

/* --- files --------------------------------------------------------------------------- */

static void emit_file(struct xpt_engine *e, struct xpt_point_file *f, const char *name, const char *build_id)
{
	struct xpt_rec_lib *l = memset(e->scratch, 0, sizeof(*l));

	if (f->described)
		return;
	f->described = true;
	e->stats.nr_libs++;
	l->rec.kind = XPT_REC_LIB;
	l->id = xpt_point_files__lib(e, f);
	l->dev = f->inode.dev;
	l->ino = f->inode.ino;
	xpt_facts__emit(e, xpt_facts__add_str(e, xpt_facts__add_str(e, sizeof(*l), name), build_id));
}

/* Attaches USDT probes and entries of functions. Returns the number of places with a probe, or -errno. */
static int attach_points(struct xpt_engine *e, struct xpt_elf *elf, uint64_t probes, uint64_t before,
			 struct xpt_point_batch *b)
{
	struct xpt_usdt *u = NULL;
	uint32_t done = 0;
	int err = 0;

	if (xpt_point_asked__has_kind(e, probes, XPT_PROBE_USDT))
		err = xpt_usdt__read(elf, xpt_points__of(e)->nop5, &u);
	if (err)
		return err;
	if (u)
		xpt_point_places__add_usdt(e, u, probes, before, b);
	xpt_usdt__free(u);
	done = link_batch(e, b, true, xpt_point_asked__of_kind(e, probes, XPT_PROBE_USDT));
	if (xpt_point_asked__has_kind(e, probes, XPT_PROBE_UPROBE))
		xpt_point_places__add_functions(e, elf, XPT_PROBE_UPROBE, probes, before, b);
	return (int)(done + link_batch(e, b, true, xpt_point_asked__of_kind(e, probes, XPT_PROBE_UPROBE)));
}

/* Attaches the calls of all hooks by one link. */
static uint32_t attach_calls(struct xpt_engine *e, struct xpt_elf *elf, uint64_t probes, uint64_t hooks,
			     uint64_t before, struct xpt_point_batch *b)
{
	b->round = xpt_shared__round(e);
	if (xpt_point_asked__has_kind(e, probes & ~hooks, XPT_PROBE_CALL))
		xpt_point_places__add_functions(e, elf, XPT_PROBE_CALL, probes & ~hooks, before & ~hooks, b);
	for (hooks &= probes; hooks; hooks &= hooks - 1)
		if (xpt_point_asked__has_kind(e, hooks & -hooks, XPT_PROBE_CALL))
			xpt_point_places__add_functions(e, elf, XPT_PROBE_CALL, hooks & -hooks, 0, b);
	return link_batch(e, b, false, xpt_point_asked__of_kind(e, probes, XPT_PROBE_CALL));
}

/* Each hook has functions of its own, whatever else is on them. */
static int attach_kinds(struct xpt_engine *e, struct xpt_elf *elf, uint64_t probes, uint64_t before,
			struct xpt_point_batch *b)
{
	uint64_t hooks = 0, left;
	int done = 0, n;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		if (e->cfg.probes[i].hook)
			hooks |= 1ull << i;
	if (probes & ~hooks)
		done = attach_points(e, elf, probes & ~hooks, before & ~hooks, b);
	for (left = hooks & probes; left && done >= 0; left &= left - 1) {
		n = attach_points(e, elf, left & -left, 0, b);
		done = n < 0 ? n : done + n;
	}
	return done < 0 ? done : done + (int)attach_calls(e, elf, probes, hooks, before, b);
}

/* The place at which a file was found. */
struct seen {
	const char *name;		/* as the process sees it */
	int pid;			/* the process that has mapped it at m; 0, NULL: none yet */
	const struct xpt_mapping *m;
	uint64_t mapper;		/* owner of the process, see xpt_owner__of_mapper() */
	bool named;			/* by the user, for any process that maps it */
};

/* Returns 0 if the places found in that file are attached, but for ret_done->refused; or -errno. */
static int attach_file(struct xpt_engine *e, struct xpt_point_file *f, int fd, const struct seen *seen, uint64_t probes,
		       uint64_t before, struct xpt_point_outcome *ret_done)
{
	bool functions = xpt_point_asked__has_kind(e, probes, XPT_PROBE_UPROBE) || xpt_point_asked__has_kind(e, probes, XPT_PROBE_CALL);
	struct xpt_point_batch b = { .f = f, .name = seen->name, .done = ret_done };
	struct xpt_elf *elf = NULL;
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	b.path = path;
	err = functions ? xpt_elf__open_for(dup(fd), &e->reading->pause, &elf)
			: xpt_elf__open_bare(dup(fd), false, &e->reading->pause, &elf);
	if (err)
		return err;
	b.offsets = calloc((size_t)XPT_POINT_SITES * 3, sizeof(*b.offsets));
	if (!b.offsets) {
		err = -ENOMEM;
		goto out;
	}
	b.semas = b.offsets + XPT_POINT_SITES;
	b.cookies = b.semas + XPT_POINT_SITES;
	err = attach_kinds(e, elf, probes, before, &b);
	if (xpt_elf__error(elf))
		err = xpt_elf__error(elf);
	if (err > 0)
		emit_file(e, f, seen->name, xpt_elf__build_id(elf));
	if (err > 0 && b.d)
		xpt_domain_points__write_names(e, xpt_points__of(e)->states, b.d, path);
	xpt_point_fns__read_enums(e, f, b.hooks, path);
out:
	xpt_elf__close(b.debug);
	xpt_elf__close(elf);
	free(b.offsets);
	return err < 0 ? err : 0;
}

/* Returns for whose share a file counts: for none if the user has named the file, or all that is traced. */
static uint64_t owner_of(const struct xpt_engine *e, const struct stat *st, const struct seen *seen)
{
	return xpt_engine__is_open(e) && !seen->named ? xpt_owner__of_file(&e->own_devices, st, seen->mapper) : XPT_OWNER_MACHINE;
}

/*
 * Calls attach() within the shares of the file's owner; -EDQUOT if these are used up. Probes that got no place for
 * that reason are searched again when another owner maps the file.
 */
static int attach_within(struct xpt_engine *e, struct xpt_point_file *f, int fd, const struct seen *seen, uint64_t probes)
{
	struct xpt_points *pts = xpt_points__of(e);
	uint64_t began = xpt_now_ns(), used = xpt_reading__used_ns(e), before = f->done, owner_before;
	struct xpt_counted counted = xpt_counted__now(e);
	struct xpt_point_outcome done = { 0, 0 };
	struct xpt_point_share left;
	uint32_t had = pts->nr_sets;
	int err;

	if (!xpt_allowance__has(&pts->time, f->owner, began) || !xpt_reading__has_share(e, f->owner) ||
	    !xpt_point_files__share(e, f->owner, &left))
		return -EDQUOT;
	f->done |= probes;
	owner_before = xpt_reading__begin(e, f->owner);
	err = attach_file(e, f, fd, seen, probes & ~before, before, &done);
	xpt_reading__end(e, owner_before);
	if (err == -EFBIG && pts->nr_sets == had && !xpt_reading__has_share(e, f->owner))
		done.refused = probes & ~before;
	f->done &= ~done.refused;
	xpt_point_files__count_once(e, f, &counted, probes, done.refused);
	/* Links of one file are closed at the same time. */
	xpt_allowance__spend(&pts->time, f->owner, xpt_reading__used_ns(e) - used + (pts->nr_sets > had ? CLOSE_NS : 0),
			     xpt_now_ns());
	return err || !done.refused ? err : done.why ? done.why : -EDQUOT;
}

/* The probes that were refused before are tried apart from new ones, since they have been counted. */
static int attach_wanted(struct xpt_engine *e, struct xpt_point_file *f, int fd, const struct seen *seen, uint64_t probes)
{
	uint64_t again = f->counted.probes & ~f->done, fresh = probes & ~f->done & ~again;
	int err = again ? attach_within(e, f, fd, seen, again) : 0;
	int fresh_err = fresh ? attach_within(e, f, fd, seen, fresh) : 0;

	return xpt_again__may_help(err) || !fresh_err ? err : fresh_err;
}

/* Whether reading a file was refused because of its cost. */
static bool is_refused(int err)
{
	return err == -EFBIG || err == -E2BIG || xpt_again__may_help(err);
}

/* A file that no process has mapped yet is no loss. */
static void note_refused(struct xpt_engine *e, struct xpt_point_file *f, int err, const struct seen *seen)
{
	if (!is_refused(err))
		return;
	if (!f->refused)
		xpt_left_out__costly(e, err, f->owner, seen->name);
	f->refused = true;
	e->lost[XPT_LOSS_LIB_FAILED] += seen->pid && !f->lost;
	f->lost |= seen->pid != 0;
}

/* Takes ownership of fd. Returns 0 or -errno. */
static int add_fd(struct xpt_engine *e, int fd, const struct seen *seen, uint64_t probes)
{
	uint64_t t0 = xpt_now_ns();
	struct xpt_inode inode;
	struct xpt_point_file *f = NULL;
	struct stat st;
	int err = fd < 0 ? fd : xpt_inode__get(e, fd, &inode);

	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err && xpt_closing__puts_off(e, &inode))
		err = -EINPROGRESS;
	if (!err) {
		xpt_point_files__make_room(e, &inode, owner_of(e, &st, seen));
		f = xpt_point_files__get(e, &inode, xpt_regular__changed_ns(&st));
		e->lost[XPT_LOSS_LIB_FAILED] += !f;
		err = f ? 0 : -ENOSPC;
	}
	if (f && seen->named)
		f->kept = true;
	if (f && f->linked && f->linked_owner != owner_of(e, &st, seen))
		xpt_point_files__note_other(e, f, owner_of(e, &st, seen), st.st_uid);
	if (f && seen->m && !f->mapped_dev)
		f->mapped_dev = seen->m->dev;
	if (f && probes & ~f->done && !xpt_point_files__is_resting(f)) {
		f->owner = owner_of(e, &st, seen);
		err = attach_wanted(e, f, fd, seen, probes);
		xpt_point_files__note_try(f, err);
		note_refused(e, f, err, seen);
	}
	if (fd >= 0)
		close(fd);
	e->stats.attach_ns += xpt_now_ns() - t0;
	return err;
}

static int open_file(const char *path)
{
	return xpt_regular__open(path, NULL);
}

static bool wants(const struct xpt_engine *e, const struct xpt_mapping *m)
{
	return xpt_point_asked__for_path(e, m->path) != 0;
}

static bool misses(const struct xpt_engine *e, const struct xpt_mapping *m)
{
	const struct xpt_points *pts = xpt_points__of(e);

	for (uint32_t i = 0; pts && i < pts->nr_files; i++)
		if (pts->file[i].inode.ino == m->ino &&
		    m->dev == (pts->file[i].mapped_dev ? pts->file[i].mapped_dev : pts->file[i].inode.dev))
			return false;
	return pts && xpt_point_asked__for_path(e, m->path);
}

/*
 * Returns the probes that both the name under which the file is mapped and the file's own name allow. Otherwise a
 * user who mounts the machine's libc over the name of a library would have libc get the probes of that library, for
 * all processes.
 */
static uint64_t allowed_by_own_name(struct xpt_engine *e, int fd, const struct seen *seen, uint64_t probes)
{
	char name[XPT_FILE_NAME];
	struct stat st;

	if (fd < 0 || seen->mapper == XPT_OWNER_MACHINE || fstat(fd, &st) ||
	    owner_of(e, &st, seen) != XPT_OWNER_MACHINE || !xpt_inode__own_name(e, fd, name, sizeof(name)))
		return probes;
	return probes & xpt_point_asked__for_own_name(e, name);
}

static bool on_mapping(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	uint64_t probes = xpt_points__of(e) ? xpt_point_asked__for_path(e, m->path) : 0;
	struct seen seen = { .name = m->path, .pid = pid, .m = m, .mapper = XPT_OWNER_MACHINE };
	int err, fd;

	if (!probes)
		return false;
	seen.mapper = xpt_owner__of_mapper(pid);
	fd = xpt_maps__open(pid, m);
	probes = allowed_by_own_name(e, fd, &seen, probes);
	if (!probes) {
		close(fd);
		xpt_mappings__note_unread(e, pid, m, -EXDEV);
		return false;
	}
	err = add_fd(e, fd, &seen, probes);
	if (err == -EINPROGRESS)	/* it is looked at again when its probes have been taken away */
		e->lost[XPT_LOSS_RELINKED]++;
	else if (is_refused(err) || err == -ENOSPC)	/* that has been counted */
		xpt_debug("%s of process %d has no probes: %s", m->path, pid, strerror(-err));
	else if (err)
		xpt_mappings__note_unread(e, pid, m, err);
	return false;
}

/* Attaches to a file; pid 0: the loader will find it for a program that has not begun. */
static void on_file(struct xpt_engine *e, int pid, const char *path, const char *name)
{
	uint64_t probes = xpt_points__of(e) ? xpt_point_asked__for_path(e, name) : 0;
	struct seen seen = { .name = name, .mapper = XPT_OWNER_MACHINE, .named = !pid };

	if (!probes)
		return;
	if (pid)
		seen.mapper = xpt_owner__of_mapper(pid);
	add_fd(e, open_file(path), &seen, probes);
}

static void preload_name(struct xpt_engine *e, const char *name, const char *exe, const char *ld_library_path)
{
	struct xpt_libpath lp = { .exe = exe, .ld_library_path = ld_library_path };
	char path[4096];

	while (xpt_libpath__next(&lp, name, path, sizeof(path)) > 0)
		on_file(e, 0, path, path);
}

/* Attaches to known libraries that a glob matches (libcuda.so*), so that their first calls are seen. */
static void preload_known(struct xpt_engine *e, const char *glob, const char *exe, const char *ld_library_path)
{
	for (size_t i = 0; i < xpt_nr_domains; i++)
		for (const char *const *so = xpt_domains[i]->sonames; so && *so; so++)
			if (xpt_glob_match(glob, *so))
				preload_name(e, *so, exe, ld_library_path);
}

static void preload(struct xpt_engine *e, const char *exe, const char *ld_library_path)
{
	uint32_t i;

	if (!xpt_points__of(e))
		return;
	if (exe)
		on_file(e, 0, exe, exe);
	for (i = 0; i < e->cfg.nr_probes; i++) {
		const char *name = e->cfg.probes[i].path;

		if (!strpbrk(name, "*?/"))
			preload_name(e, name, exe, ld_library_path);
		else if (!strchr(name, '/') && strspn(name, "*?") != strlen(name))
			preload_known(e, name, exe, ld_library_path);
	}
}

static int add_named(struct xpt_engine *e, const char *path, uint64_t probe)
{
	struct seen seen = { .name = path, .mapper = XPT_OWNER_MACHINE, .named = true };

	return add_fd(e, open_file(path), &seen, probe);
}

/* Attaches to the files that probes name by their path; one that cannot be attached is reported. */
static int open_points(struct xpt_engine *e)
{
	struct xpt_points *pts = xpt_points__of(e);
	uint32_t i;
	int err;

	if (!pts)
		return 0;
	pts->nop5 = xpt_kernel__nop5_is_call();
	pts->time.most_ns = TIME_NS;
	pts->time.per_mille = TIME_PER_MILLE;
	err = xpt_shared__open(e);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), XPT_POINT_SITES, &pts->places);
	if (!err)
		err = xpt_point_files__open(pts);
	for (i = 0; !err && i < e->cfg.nr_probes; i++) {
		const char *path = e->cfg.probes[i].path;
		int e1 = 0;

		if (!xpt_probe__is_glob(&e->cfg.probes[i]))
			e1 = add_named(e, path, 1ull << i);
		if (e1)
			xpt_debug("%s: %s", path, strerror(-e1));
	}
	return err;
}

static void free_state(struct xpt_engine *e)
{
	struct xpt_points *pts = xpt_points__of(e);

	if (!pts)
		return;
	xpt_points__detach(e);
	for (uint32_t i = 0; i < pts->nr_sets; i++)
		free(pts->sets[i]);
	free(pts->sets);
	for (uint32_t i = 0; i < XPT_KIND__MAX; i++)
		free(pts->states[i]);
	xpt_hashmap__free(pts->places);
	xpt_hashmap__free(pts->shares);
}

const struct xpt_source xpt_source_points = {
	.name = "points",
	.state_size = sizeof(struct xpt_points),
	.configure = configure,
	.open = open_points,
	.preload = preload,
	.on_file = on_file,
	.wants = wants,
	.on_mapping = on_mapping,
	.misses = misses,
	.keeps = xpt_point_files__keeps,
	.release = xpt_point_files__release,
	.step = xpt_point_files__step,
	.slow_links = xpt_points__slow_links,
	.detach = xpt_points__detach,
	.free = free_state,
};
