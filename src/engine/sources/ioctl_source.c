// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The source of system calls on devices (ioctl, mmap, poll). It chooses the devices to watch, attaches the BPF
 * programs, and describes the functions: the BPF programs give each command a function id when they first see it
 * (bpf/ioctl/ioctl_ids.bpf.h), and the FN record of the function is written here before the first record with that
 * id.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/function_ids.h"
#include "engine/source.h"
#include "engine/sources/hooks/ioctl_hooks.h"
#include "engine/sources/ioctl_source.h"
#include "kernel/kattach.h"
#include "kernel/kload.h"
#include "kernel/tracefs.h"
#include "model/kernel/ioctl_table.h"
#include "call.skel.h"

extern const struct xpt_source xpt_source_ioctl;

#define LOOK_NS 1000000000ull	/* between searches for devices of drivers that were loaded meanwhile */
#define IOCTL_CALLS 4	/* ioctl, mmap, poll, ppoll */
#define NR(a) (sizeof(a) / sizeof((a)[0]))

static const char *const kind_names[XPT_IOCTLS__MAX] = { "auto", "fentry", "tracepoint",
								 "raw" };

struct ioctl {			/* the source's state */
	enum xpt_ioctls_kind kind;
	struct bpf_link *link[2 * IOCTL_CALLS];
	unsigned nr_links;
	uint32_t nr_devices;	/* devices and majors that are watched */
	uint64_t next_look_ns;
	bool known[XPT_IOCTL_FNS + 1];	/* by function id: its FN record was written */
};

static struct ioctl *state_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_ioctl);
}

/* Whether the BPF programs give out function ids of this layer while the trace runs. */
static bool makes_functions(const struct xpt_engine *e)
{
	return e->cfg.ioctls || e->cfg.uverbs;
}

struct value {
	struct xpt_wire_cap cap;
	const char *name;
};

static const struct value command_values[XPT_IOCTL_VALS] = {
	[XPT_IOCTL_VAL_FD] = { { XPT_CAP_VAL, 0, 4, XPT_ROLE_VALUE, 0 }, "fd" },
	[XPT_IOCTL_VAL_DEVICE] = { { XPT_CAP_DEREF, 0, 4, XPT_ROLE_NONE, 0 }, "device" },
	[XPT_IOCTL_VAL_CMD] = { { XPT_CAP_VAL, 1, 4, XPT_ROLE_NONE, 0 }, "cmd" },
	[XPT_IOCTL_VAL_ARG] = { { XPT_CAP_VAL, 2, 8, XPT_ROLE_NONE, 0 }, "arg" },
	[XPT_IOCTL_VAL_OBJECT] = { { XPT_CAP_DEREF, 2, 4, XPT_ROLE_NONE, 0 }, "object" },
	[XPT_IOCTL_VAL_SIZE] = { { XPT_CAP_DEREF, 2, 8, XPT_ROLE_SIZE, 0 }, "size" },
	[XPT_IOCTL_VAL_STATUS] = { { XPT_CAP_OUT, 2, 4, XPT_ROLE_RESULT, 0 }, "status" },
};

static const struct value mmap_values[XPT_MMAP_VALS] = {
	[XPT_IOCTL_VAL_FD] = { { XPT_CAP_VAL, 4, 4, XPT_ROLE_VALUE, 0 }, "fd" },
	[XPT_IOCTL_VAL_DEVICE] = { { XPT_CAP_DEREF, 4, 4, XPT_ROLE_NONE, 0 }, "device" },
	[XPT_MMAP_VAL_PROT] = { { XPT_CAP_VAL, 2, 4, XPT_ROLE_NONE, 0 }, "prot" },
	[XPT_MMAP_VAL_FLAGS] = { { XPT_CAP_VAL, 3, 4, XPT_ROLE_FLAGS, 0 }, "flags" },
	[XPT_MMAP_VAL_OFFSET] = { { XPT_CAP_VAL, 5, 8, XPT_ROLE_NONE, 0 }, "offset" },
	[XPT_MMAP_VAL_LENGTH] = { { XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 }, "length" },
};

static const struct value poll_values[XPT_POLL_VALS] = {
	[XPT_IOCTL_VAL_FD] = { { XPT_CAP_DEREF, 0, 4, XPT_ROLE_VALUE, 0 }, "fd" },
	[XPT_IOCTL_VAL_DEVICE] = { { XPT_CAP_DEREF, 0, 4, XPT_ROLE_NONE, 0 }, "device" },
	[XPT_POLL_VAL_NFDS] = { { XPT_CAP_VAL, 1, 4, XPT_ROLE_VALUE, 0 }, "nfds" },
	[XPT_POLL_VAL_TIMEOUT] = { { XPT_CAP_VAL, 2, 8 | 0x80, XPT_ROLE_VALUE, 0 }, "timeout_ms" },
};

/* System calls, by enum xpt_ioctl_call. */
static const struct {
	const struct value *values;
	unsigned nr;
	uint8_t ret;		/* enum xpt_ret */
} calls[XPT_IOCTL_CALL__MAX] = {
	[XPT_IOCTL_COMMAND] = { command_values, XPT_IOCTL_VALS, XPT_RET_NEGATIVE },
	[XPT_IOCTL_MMAP] = { mmap_values, XPT_MMAP_VALS, XPT_RET_ERR_PTR },
	[XPT_IOCTL_POLL] = { poll_values, XPT_POLL_VALS, XPT_RET_NEGATIVE },
	[XPT_IOCTL_WRITE] = { command_values, XPT_UVERBS_VALS, XPT_RET_NEGATIVE },
	[XPT_IOCTL_METHOD] = { command_values, XPT_UVERBS_VALS, XPT_RET_NEGATIVE },
};

const char *xpt_ioctls_name(enum xpt_ioctls_kind kind)
{
	return kind < XPT_IOCTLS__MAX ? kind_names[kind] : "?";
}

bool xpt_ioctl__is_call(const char *name)
{
	return !strcmp(name, "__x64_sys_ioctl") || !strcmp(name, "__x64_sys_mmap") ||
	       !strcmp(name, "__x64_sys_poll") || !strcmp(name, "__x64_sys_ppoll");
}

static const struct xpt_ioctls *all_tables(void)
{
	const struct xpt_domain *d = xpt_domain__find("ioctl");

	return d ? d->ioctls : NULL;
}

/* Whether the kernel has tracepoints of system calls (CONFIG_FTRACE_SYSCALLS) and tracefs shows their ids. */
static bool has_tracepoints(void)
{
	const char *root = xpt_tracefs__root();
	char path[96];

	if (!root)
		return false;
	snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_ioctl/id", root);
	return !access(path, R_OK);
}

static enum xpt_ioctls_kind best_kind(void)
{
	if (!xpt_kattach__try_fentry())
		return XPT_IOCTLS_FENTRY;
	return has_tracepoints() ? XPT_IOCTLS_TRACEPOINT : XPT_IOCTLS_RAW;
}

/* The BPF programs of each kind, in the order of attaching: those for exits precede those for entries. */
static const struct {
	const char *prog;
	enum xpt_ioctls_kind kind;
	const char *tracepoints[IOCTL_CALLS + 1];	/* one program for all of these */
} programs[] = {
	{ "xpt_ioctl_fexit", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_mmap_fexit", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_poll_fexit", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_ppoll_fexit", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_ioctl_fentry", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_mmap_fentry", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_poll_fentry", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_ppoll_fentry", XPT_IOCTLS_FENTRY, { 0 } },
	{ "xpt_tp_leave", XPT_IOCTLS_TRACEPOINT,
	  { "sys_exit_ioctl", "sys_exit_mmap", "sys_exit_poll", "sys_exit_ppoll" } },
	{ "xpt_tp_enter", XPT_IOCTLS_TRACEPOINT,
	  { "sys_enter_ioctl", "sys_enter_poll", "sys_enter_ppoll" } },
	{ "xpt_tp_enter_mmap", XPT_IOCTLS_TRACEPOINT, { "sys_enter_mmap" } },
	{ "xpt_sys_exit", XPT_IOCTLS_RAW, { 0 } },
	{ "xpt_sys_enter", XPT_IOCTLS_RAW, { 0 } },
};

static const char *why_not(const struct xpt_engine_cfg *cfg)
{
	return cfg->ioctls && cfg->ioctls_kind == XPT_IOCTLS_TRACEPOINT && !xpt_tracefs__root() ?
	       "the tracepoints of system calls need tracefs (mount -t tracefs tracefs "
	       "/sys/kernel/tracing)" : NULL;
}

static void choose_programs(enum xpt_ioctls_kind kind, struct call_bpf *skel)
{
	struct bpf_program *p;
	size_t i;

	for (i = 0; i < NR(programs); i++) {
		p = bpf_object__find_program_by_name(skel->obj, programs[i].prog);
		bpf_program__set_autoload(p, kind == programs[i].kind);
	}
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;
	struct ioctl *s = state_of(e);

	(void)kind;
	if (!makes_functions(e))
		return;
	if (e->cfg.ioctls && !s->kind)
		s->kind = e->cfg.ioctls_kind ? e->cfg.ioctls_kind : best_kind();
	cfg->ioctl_fns = XPT_IOCTL_FNS;
	bpf_map__set_max_entries(skel->maps.xpt_ioctl_devices, XPT_IOCTL_DEVICES);
	bpf_map__set_max_entries(skel->maps.xpt_ioctl_layouts, XPT_IOCTL_LAYOUTS);
	bpf_map__set_max_entries(skel->maps.xpt_ioctl_ids, XPT_IOCTL_FNS);
	bpf_map__set_max_entries(skel->maps.xpt_ioctl_keys, XPT_IOCTL_FNS + 1);
	choose_programs(s->kind, skel);
	xpt_ioctl_hooks__configure(e, skel);
}

static void fill_spec(struct xpt_wire_fn *spec, unsigned call, unsigned nr_vals)
{
	unsigned i;

	memset(spec, 0, sizeof(*spec));
	spec->cls = XPT_CLASS_IOCTL;
	spec->ret = calls[call].ret;
	spec->nr_caps = (__u8)nr_vals;
	spec->size_cap = nr_vals > XPT_IOCTL_VAL_SIZE ? XPT_IOCTL_VAL_SIZE : 0xff;
	spec->dir_cap = 0xff;
	if (nr_vals > XPT_IOCTL_VAL_STATUS)
		spec->out_mask = 1 << XPT_IOCTL_VAL_STATUS;
	for (i = 0; i < nr_vals; i++)
		spec->cap[i] = calls[call].values[i].cap;
}

static int watch_device(struct xpt_engine *e, uint64_t dev, uint32_t table, uint64_t flags)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_ioctl_devices);

	if (bpf_map_update_elem(fd, &dev, &table, flags))
		return -errno;
	state_of(e)->nr_devices++;
	return 0;
}

/*
 * Watches the character devices of known drivers: one entry for all minors of a major. The entry of a single device
 * that the user named takes precedence, as table_of() of the BPF programs looks for it first.
 */
static void watch_drivers(struct xpt_engine *e, const struct xpt_ioctls *t)
{
	FILE *f = fopen("/proc/devices", "re");
	char line[256], name[128];
	unsigned major;
	size_t i;

	while (f && fgets(line, sizeof(line), f) && strncmp(line, "Block", 5)) {
		if (sscanf(line, "%u %127s", &major, name) != 2 || major > 4095)
			continue;
		for (i = 0; i < t->nr_drivers; i++)
			if (!strcmp(t->drivers[i].name, name))
				watch_device(e, (uint64_t)major << 20 | XPT_IOCTL_ANY_MINOR,
					     t->drivers[i].table, BPF_NOEXIST);
	}
	if (f)
		fclose(f);
}

/* Watches NVMe disks. Other block devices can have the same major, so each disk has an entry of its own. */
static void watch_disks(struct xpt_engine *e)
{
	struct stat st;
	glob_t g;
	size_t i;

	if (glob("/dev/nvme[0-9]*n[0-9]*", 0, NULL, &g))
		return;
	for (i = 0; i < g.gl_pathc; i++)
		if (!stat(g.gl_pathv[i], &st) && S_ISBLK(st.st_mode))
			watch_device(e, xpt_ioctl_device_key(st.st_mode, st.st_rdev), XPT_IOCTL_NVME,
				     BPF_NOEXIST);
	globfree(&g);
}

/*
 * Watches a device that the user named. If the user gave no table of commands for it, it gets that of its driver, if
 * the driver is known.
 */
static int watch_named(struct xpt_engine *e, const struct xpt_ioctl_device *d)
{
	uint64_t any = d->dev | XPT_IOCTL_ANY_MINOR;
	uint32_t table = d->table;

	if (!table &&
	    bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_ioctl_devices), &any, &table))
		table = XPT_IOCTL_OTHER;
	return watch_device(e, d->dev, table, BPF_ANY);
}

static int fill_layouts(struct xpt_engine *e, const struct xpt_ioctls *t)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_ioctl_layouts);
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (bpf_map_update_elem(fd, &t->rows[i].key, &t->rows[i].layout, BPF_ANY))
			return -errno;
	return 0;
}

static void emit_command(struct xpt_engine *e, uint32_t fn);

/*
 * Reserves the function ids of this layer, with one description of captured values by which the BPF programs count
 * all of them. In calls that lack some of these values, these are marked as not valid.
 */
static int fill_functions(struct xpt_engine *e)
{
	struct xpt_wire_fn spec;

	fill_spec(&spec, XPT_IOCTL_COMMAND, XPT_IOCTL_VALS);
	spec.sample = e->cfg.sample;
	return xpt_functions__reserve(e, XPT_IOCTL_FNS, &spec, emit_command);
}

/* Updates the watched devices, regularly, since a driver may be loaded only when a program needs it. */
static void look_for_devices(struct xpt_engine *e)
{
	struct ioctl *s = state_of(e);
	uint64_t now = xpt_now_ns();

	if (!e->cfg.ioctls || now < s->next_look_ns)
		return;
	s->next_look_ns = now + LOOK_NS;
	watch_drivers(e, all_tables());
	watch_disks(e);
}

/*
 * Gives ids to all calls of the kernel's RDMA interface that have a name, before the first call: uverbs_id_of() of
 * the BPF programs says why. The first of these ids is for all calls that get none of their own.
 */
static int reserve_uverbs(struct xpt_engine *e, const struct xpt_ioctls *t)
{
	int keys = bpf_map__fd(e->skel->maps.xpt_ioctl_keys), ids = bpf_map__fd(e->skel->maps.xpt_ioctl_ids);
	struct xpt_ioctl_key key = { .table = XPT_IOCTL_VERBS, .sub = XPT_IOCTL_ANY, .call = XPT_IOCTL_METHOD };
	uint32_t id = 2;	/* 1 is for commands that came when all ids were taken */

	if (!e->cfg.uverbs)
		return 0;
	do {
		if (bpf_map_update_elem(keys, &id, &key, BPF_ANY) || bpf_map_update_elem(ids, &key, &id, BPF_ANY))
			return -errno;
	} while (id++ <= XPT_UVERBS_FNS && xpt_ioctl__uverbs(t, id - 3, &key));
	e->skel->bss->xpt_ioctl_given = id - 2;
	return 0;
}

static int open_tables(struct xpt_engine *e)
{
	const struct xpt_ioctls *t = all_tables();
	uint32_t i;
	int err;

	if (!makes_functions(e))
		return 0;
	if (!t)
		return -ENOTSUP;
	err = xpt_ioctl_hooks__open(e);	/* completes entries of xpt_hooks, which the source of hooks has filled */
	if (!err)
		err = fill_layouts(e, t);
	if (!err)
		err = fill_functions(e);
	if (!err)
		err = reserve_uverbs(e, t);
	if (!err)
		look_for_devices(e);
	for (i = 0; !err && i < e->cfg.nr_devices; i++)
		err = watch_named(e, &e->cfg.devices[i]);
	return err;
}

static int keep_link(struct ioctl *s, struct bpf_link *link)
{
	if (!link)
		return -errno;
	s->link[s->nr_links++] = link;
	return 0;
}

/* Attaches programs for exits before those for entries, so that no call begins whose end would not be seen. */
static int start(struct xpt_engine *e)
{
	struct ioctl *s = state_of(e);
	const char *const *tp;
	struct bpf_program *p;
	int err = 0;
	size_t i;

	if (!e->cfg.ioctls)
		return 0;
	xpt_facts__meta(e, "ioctls", xpt_ioctls_name(s->kind));
	for (i = 0; !err && i < NR(programs); i++) {
		if (programs[i].kind != s->kind)
			continue;
		p = bpf_object__find_program_by_name(e->skel->obj, programs[i].prog);
		tp = programs[i].tracepoints;
		if (!*tp)
			err = keep_link(s, bpf_program__attach(p));
		for (; !err && *tp; tp++)
			err = keep_link(s, xpt_tracefs__attach(p, "syscalls", *tp, 0));
	}
	return err;
}

/* Detaches in reverse order: programs for entries before those for exits. */
static void detach(struct xpt_engine *e)
{
	struct ioctl *s = state_of(e);

	while (s->nr_links)
		bpf_link__destroy(s->link[--s->nr_links]);
}

/*
 * Adds the runs of these programs that the kernel skipped because a BPF program was running on that CPU. Before 6.7
 * the kernel does not count skipped runs of tracepoint programs. Those of raw tracepoints are left out: their
 * programs run at each system call of the machine, and a skipped run is hardly ever about a device of a traced
 * process.
 */
static void losses(struct xpt_engine *e, uint64_t *lost)
{
	struct bpf_program *p;
	size_t i;

	for (i = 0; e->cfg.ioctls && state_of(e)->kind != XPT_IOCTLS_RAW && i < NR(programs); i++) {
		p = bpf_object__find_program_by_name(e->skel->obj, programs[i].prog);
		if (programs[i].kind == state_of(e)->kind && p)
			lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__missed(bpf_program__fd(p));
	}
}

static uint32_t slow_links(const struct xpt_engine *e)
{
	const struct ioctl *s = state_of(e);

	return s->kind == XPT_IOCTLS_TRACEPOINT && s->nr_links ? XPT_LINKS_TOO_SLOW : 0;
}

static void fill_stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	stats->ioctls = state_of(e)->kind;
	stats->nr_devices = state_of(e)->nr_devices;
}

bool xpt_ioctl__function(struct xpt_engine *e, uint64_t fn, char *buf, size_t n)
{
	uint32_t id = (uint32_t)fn;
	struct xpt_ioctl_key key = { 0 };

	if (!makes_functions(e) || fn - 1 >= XPT_IOCTL_FNS)
		return false;
	if (id > 1)
		bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_ioctl_keys), &id, &key);
	xpt_ioctl__name(all_tables(), &key, buf, n);
	return true;
}

/*
 * Adds the values that a hook reads from the struct of the argument, after the XPT_IOCTL_VALS values that commands
 * have. Returns by how many the description has grown from its n values.
 */
static unsigned add_hook_values(struct xpt_wire_fn *spec, const struct xpt_hook *hook, unsigned n)
{
	struct xpt_wire_hook_steps steps = { .nr = 0 };

	if (hook)
		xpt_hook__ioctl_steps(hook, &steps);
	if (!steps.nr)
		return 0;
	for (unsigned i = n; i < XPT_IOCTL_VALS; i++)	/* places that these calls never mark as valid */
		spec->cap[i] = command_values[i].cap;
	for (unsigned i = 0; i < steps.nr; i++)
		spec->cap[XPT_IOCTL_VALS + i] = (struct xpt_wire_cap){
			.op = XPT_CAP_OUT, .arg = 2, .width = steps.step[i].width, .role = XPT_ROLE_VALUE,
			.off = steps.step[i].off,
		};
	spec->nr_caps = (__u8)(XPT_IOCTL_VALS + steps.nr);
	return spec->nr_caps - n;
}

/* Writes the FN record of an ioctl command before the first record that names it. */
static void emit_command(struct xpt_engine *e, uint32_t fn)
{
	const char *cap_names[XPT_MAX_VALS];
	char name[XPT_IOCTL_NAME_MAX];
	struct xpt_new_function f = {
		.sym = name, .base = name, .cap_names = cap_names,
		.lib = XPT_NO_LIB, .layer = XPT_LAYER_IOCTL,
	};
	struct xpt_ioctl_key key = { 0 };
	const struct xpt_hook *hook;
	const struct xpt_ioctls *t;
	unsigned i, n;

	if (state_of(e)->known[fn])
		return;
	state_of(e)->known[fn] = true;
	t = all_tables();
	if (fn > 1)
		bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_ioctl_keys), &fn, &key);
	f.group = key.call >= XPT_IOCTL_WRITE ? "uverbs" : "ioctl";
	n = calls[key.call].nr;
	if (!key.call && key.table && !xpt_ioctl__has_layout(t, key.table, key.cmd))
		n = XPT_IOCTL_VAL_OBJECT;
	hook = xpt_ioctl_hooks__of(e, fn);
	xpt_ioctl__name(t, &key, name, sizeof(name));
	fill_spec(&f.spec, key.call, n);
	n += add_hook_values(&f.spec, hook, n);
	f.spec.cls = xpt_ioctl__class(t, &key);
	for (i = 0; i < n; i++)
		cap_names[i] = i < calls[key.call].nr ? calls[key.call].values[i].name :
			       xpt_hook__ioctl_value(hook, i - XPT_IOCTL_VALS);
	xpt_functions__describe(e, fn, &f);
}

const struct xpt_source xpt_source_ioctl = {
	.name = "ioctl",
	.state_size = sizeof(struct ioctl),
	.why_not = why_not,
	.configure = configure,
	.open = open_tables,
	.start = start,
	.step = look_for_devices,
	.slow_links = slow_links,
	.detach = detach,
	.losses = losses,
	.stats = fill_stats,
};
