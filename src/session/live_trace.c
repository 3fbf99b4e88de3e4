// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Code that `run` and `attach` share: from options to an engine whose records flow into the outputs, one loop step,
 * and an orderly end.
 */
#include "session/live_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/list.h"
#include "base/log.h"
#include "base/process/priority.h"
#include "base/time.h"
#include "engine/sources/hooks/ioctl_hooks.h"
#include "engine/sources/ioctl_source.h"
#include "metrics/metrics.h"
#include "model/kernel/ioctl_table.h"
#include "proc/cgroup.h"
#include "proc/libpath.h"
#include "proc/owner.h"
#include "session/not_traced.h"
#include "session/options/device_option.h"
#include "session/options/function_option.h"
#include "session/options/kernel_functions.h"
#include "session/options/usage.h"
#include "session/rdma/rdma_layer.h"
#include "session/refused.h"
#include "session/rights.h"
#include "session/user.h"
#include "wire/wire.h"

#define STEP_MS 50
#define REST_MS 500
#define FLUSH_NS 1000000000ull
#define WAITING_NS 3000000000ull
#define SAME_INTERRUPT_NS 500000000ull

volatile sig_atomic_t xpt_interrupts;
volatile sig_atomic_t xpt_inflight_wanted;

static void on_usr1(int sig)
{
	(void)sig;
	xpt_inflight_wanted = 1;
}

void xpt_trace__interrupt(void)
{
	static volatile uint64_t last_ns;	/* handlers of this thread only */
	uint64_t now = xpt_now_ns();

	if (now - last_ns <= SAME_INTERRUPT_NS)
		return;
	last_ns = now;
	xpt_interrupts = xpt_interrupts + 1;
}

void xpt_trace__catch_signals(void (*handler)(int sig, siginfo_t *info, void *ctx))
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO }, old;
	size_t i;

	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (sigs[i] != SIGHUP || sigaction(SIGHUP, NULL, &old) ||
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
	signal(SIGUSR1, on_usr1);
}

static void on_record(void *ctx, const void *rec, size_t size)
{
	struct xpt_trace *t = ctx;
	unsigned kind = ((const struct xpt_rec *)rec)->kind;

	t->nr_calls += kind == XPT_REC_CALL || kind == XPT_REC_COUNTER || kind == XPT_REC_INFLIGHT;
	xpt_recorder__take(&t->recorder, rec, size);
	if (t->opts.unattended)
		xpt_outputs__feed_counted(t->out, rec, size);
	else
		xpt_outputs__feed(t->out, rec, size);
}

unsigned xpt_show__of(const struct xpt_list *show)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < show->n; i++)
		bits |= (strstr(show->v[i], "time") ? XPT_SHOW_TIME : 0) |
			(strstr(show->v[i], "thread") ? XPT_SHOW_THREAD : 0);
	return bits;
}

bool xpt_trace_opts__lines_on_stdout(const struct xpt_trace_opts *o)
{
	for (unsigned i = 0; i < o->outs.n; i++)
		if (!strcmp(o->outs.v[i], "-"))
			return true;
	return false;
}

static int choose_domains(struct xpt_trace *t)
{
	const struct xpt_list *want = &t->opts.domains;
	unsigned n = 0, i;

	t->domains[0] = NULL;
	if (t->opts.only_hooks && !want->n)
		return -1;
	for (i = 0; i < want->n; i++)
		xpt_layers__add_domain(&t->layers, want->v[i]);
	t->layers.uverbs |= t->opts.unattended && !want->n;	/* whatever fails on this node */
	if (!t->layers.api)
		return want->n ? xpt_usage(t->command, "-d names libraries, which --layers leaves out")
			       : -1;
	for (i = 0; i < want->n; i++) {
		t->domains[n] = xpt_domain__find(want->v[i]);
		if (!t->domains[n++])
			return xpt_functions__no_domain(t->command, want->v[i]);
		if (t->domains[n - 1]->provider || xpt_layers__add_domain(&t->layers, want->v[i]))
			n--;	/* see add_domain_probes(), open_rdma() */
		else if (t->domains[n - 1]->layer != XPT_LAYER_API)
			return xpt_usage(t->command, "'%s' has no libraries: --layers api,%s traces it",
					      want->v[i], want->v[i]);
	}
	for (i = 0; !want->n && i < xpt_nr_domains && n < XPT_LIST_MAX; i++)
		if (xpt_domains[i]->on_by_default)
			t->domains[n++] = xpt_domains[i];
	t->domains[n] = NULL;
	return -1;
}

/* The program that __EXE__ means; "" if there is not one. */
static const char *find_exe(const struct xpt_trace *t, char *buf)
{
	struct stat a, b;
	char proc[32];
	ssize_t n;

	if (t->where.exe)
		return t->where.exe;
	buf[0] = '\0';
	if (t->where.nr_pids != 1)
		return buf;
	snprintf(proc, sizeof(proc), "/proc/%d/exe", t->where.pids[0]);
	n = readlink(proc, buf, PATH_MAX - 1);
	buf[n > 0 ? n : 0] = '\0';
	if (stat(proc, &a) || xpt_regular__look(buf, &b) || a.st_ino != b.st_ino || a.st_dev != b.st_dev)
		snprintf(buf, PATH_MAX, "%s", proc);	/* of another root, or replaced meanwhile */
	return buf;
}

/* The file of a hook on ioctls is a device that is watched. */
static void watch_device(struct xpt_trace *t, const struct xpt_probe *p)
{
	struct stat st;

	if (!xpt_ioctl_hook__is_kind(p->path) && t->layers.nr_devices < XPT_LIST_MAX && !stat(p->path, &st))
		t->layers.devices[t->layers.nr_devices++].dev = xpt_ioctl_device_key(st.st_mode, st.st_rdev);
}

/* Their probes follow those of --probe, functions of the kernel to those of -k. */
static int place_hooks(struct xpt_trace *t)
{
	struct xpt_list *kernel = &t->opts.kernel;
	unsigned n = t->opts.probes.n;
	char *pattern;

	for (uint32_t i = 0; i < t->hooks->nr; i++) {
		struct xpt_probe *p = &t->hooks->v[i].probe;

		p->hook = (unsigned char)(i + 1);
		if (p->kind < XPT_PROBE_KERNEL)
			t->probes[n++] = *p;
		if (p->kind == XPT_PROBE_IOCTL)
			watch_device(t, p);
		if (p->kind != XPT_PROBE_KERNEL)
			continue;
		if (kernel->n == XPT_LIST_MAX || asprintf(&pattern, "%s:%s", p->provider, p->name) < 0)
			return xpt_usage(t->command, "too many functions of the kernel");
		kernel->v[kernel->n++] = pattern;
	}
	t->nr_probes = n;
	return -1;
}

static int read_hooks(struct xpt_trace *t)
{
	char buf[PATH_MAX];
	const char *exe = find_exe(t, buf);
	int status;

	status = xpt_hook_set__read(t->command, &t->opts.hooks, &t->opts.hook_files, exe[0] ? exe : NULL,
				    t->where.nr_pids == 1 ? t->where.pids[0] : 0, &t->hooks);
	if (status < 0 && t->opts.probes.n + t->hooks->nr > XPT_PROBES_MAX)
		status = xpt_usage(t->command, "more than %d probes and hooks", XPT_PROBES_MAX);
	return status < 0 ? place_hooks(t) : status;
}

/* Domains whose rows are probes: in whatever file of the traced processes they are. */
static int add_domain_probes(struct xpt_trace *t)
{
	const struct xpt_list *want = &t->opts.domains;

	for (unsigned i = 0; i < want->n; i++) {
		const struct xpt_domain *d = xpt_domain__find(want->v[i]);
		struct xpt_probe *p = &t->probes[t->nr_probes];

		if (!d || !d->provider)
			continue;
		if (t->nr_probes == XPT_PROBES_MAX)
			return xpt_usage(t->command, "more than %d probes and hooks", XPT_PROBES_MAX);
		p->kind = XPT_PROBE_USDT;
		snprintf(p->path, sizeof(p->path), "*");
		snprintf(p->name, sizeof(p->name), "*");
		snprintf(p->provider, sizeof(p->provider), "%s", d->provider);
		p->domain = d;
		t->nr_probes++;
	}
	return -1;
}

/* -1 or an exit status. The probes live until the process ends, as the options do. */
static int read_probes(struct xpt_trace *t)
{
	const struct xpt_list *specs = &t->opts.probes;
	const char *why = NULL;
	size_t at = 0;
	unsigned i;
	int status;

	t->probes = calloc(XPT_PROBES_MAX, sizeof(*t->probes));
	if (!t->probes)
		return XPT_EXIT_FAILED;
	for (i = 0; i < specs->n; i++) {
		struct xpt_probe *p = &t->probes[i];

		if (xpt_probe__parse(specs->v[i], p, &at, &why))
			return xpt_usage(t->command, "--probe '%s', column %zu: %s", specs->v[i],
					      at + 1, why);
		if (t->where.nr_pids == 1)
			xpt_libpath__of_process(t->where.pids[0], p->path, sizeof(p->path));
		if (!xpt_probe__is_glob(p) && access(p->path, R_OK))
			return xpt_usage(t->command, "--probe: cannot read %s: %s", p->path,
					      strerror(errno));
	}
	status = read_hooks(t);
	return status < 0 ? add_domain_probes(t) : status;
}

/*
 * The summary's last lines: the file with the calls, and the next command to type. A file without calls is of no
 * use to anybody.
 */
static void report_default_file(struct xpt_trace *t)
{
	const struct xpt_traces_file *recording = &t->traces.file[XPT_TRACES_RECORDING];

	if (!recording->path[0])
		return;
	if (!t->nr_calls) {
		xpt_traces__drop(&t->traces);
		return;
	}
	xpt_traces__link(&t->traces);
	xpt_info("the trace is in %s, as JSON lines in %s; to see more of it:", recording->path,
		 t->traces.file[XPT_TRACES_LINES].path);
	xpt_info("xputrace report --all %s (or timeline, replay, convert)",
		 recording->linked ? xpt_traces_latest[XPT_TRACES_RECORDING] : recording->path);
}

/* Makes the files that no -o names. -1 or an exit status. */
static int make_default_files(struct xpt_trace *t, struct xpt_outputs_cfg *cfg)
{
	if (xpt_traces__make(&t->traces))
		return XPT_EXIT_FAILED;
	for (unsigned i = 0; i < XPT_TRACES_FILES; i++) {
		t->files[i] = t->traces.file[i].path;
		cfg->opened[i] = &t->traces.file[i].open;
	}
	cfg->files = t->files;
	return -1;
}

/* The sections of a trace of hooks only, by name. */
static const struct xpt_schema hooks_section = { .name = "hooks" }, losses_section = { .name = "losses" };
static const struct xpt_schema *const hook_sections[] = { &hooks_section, &losses_section, NULL };

/* Callback of xpt_outputs_cfg. */
static uint64_t owner_of(void *ctx, uint32_t tgid)
{
	const struct xpt_trace *t = ctx;

	return t->engine ? xpt_engine__owner(t->engine, tgid) : XPT_OWNER_NOBODY;
}

/* Callback of struct xpt_metrics. */
static void on_new_error(void *ctx, const struct xpt_fn *fn, const struct xpt_proc *proc, const char *error)
{
	struct xpt_trace *t = ctx;
	uint32_t pid = proc ? proc->pid : 0;

	xpt_recorder__want(&t->recorder, XPT_RECORDER_ERROR, owner_of(t, pid), "%s of process %u failed: %s", fn->name, pid,
			   error);
}

/* 0, or -errno after a message. */
static int open_recorder(struct xpt_trace *t, const struct xpt_outputs_cfg *outputs)
{
	const struct xpt_recorder_cfg cfg = {
		.dir = t->opts.recorder, .max_bytes = t->opts.recorder_bytes, .keep_ns = t->opts.recorder_ns,
		.hang_ns = t->opts.hang_ns, .owner = outputs->owner, .owner_ctx = outputs->owner_ctx,
	};

	int err = xpt_recorder__open(&t->recorder, &cfg);

	if (t->metrics.m)
		xpt_metrics__set_new_error(t->metrics.m, on_new_error, t);
	if (!err || strcmp(cfg.dir, XPT_RECORDER_DIR) != 0)
		return err;
	xpt_warn("calls are only counted, and no recording is kept (--recordings names another folder)");
	t->opts.counters = true;
	t->opts.budget_ppm = 0;
	return 0;
}

static int open_outputs(struct xpt_trace *t, const struct xpt_engine_cfg *targets)
{
	const struct xpt_trace_opts *o = &t->opts;
	struct xpt_outputs_cfg cfg = {
		.files = o->outs.v,
		.max_bytes = o->max_size,
		.live = !o->quiet && !o->json && !o->counters,
		.summary = !o->no_summary || o->json,
		.json = o->json,
		.raw = o->raw,
		.all_errors = o->all_errors,
		.show = xpt_show__of(&o->show),
		.wall = o->clock,
		.sums = !o->only_hooks,	/* users of hooks want each line */
		.phases = o->phases,
		.weight = o->weight,
		.color = o->color,
		.log = o->log,
		.text_to = t->text_to_stderr || xpt_trace_opts__lines_on_stdout(o) ? XPT_TEXT_STDERR
										   : XPT_TEXT_STDOUT,
	};
	int err;

	if (targets->all || (targets->select && targets->open)) {	/* as xpt_engine__is_open() */
		cfg.owner = owner_of;
		cfg.name_owner = xpt_not_traced__of_owner;
		cfg.owner_ctx = t;
	}
	if (o->only_hooks) {
		cfg.live = cfg.live && xpt_hook_set__has_events(t->hooks);
		cfg.sections = o->json ? NULL : hook_sections;
		cfg.all = true;
	}
	xpt_traces__guard();
	if (!o->outs.n && !o->no_file && !o->counters && !o->only_hooks && make_default_files(t, &cfg) >= 0)
		return XPT_EXIT_FAILED;
	for (unsigned i = 0; i < o->compat.n; i++)
		t->metrics.compat |= xpt_metrics_compat(o->compat.v[i]);
	t->metrics.recorder = &t->recorder;
	if (xpt_metrics_page__open(&t->metrics, o->metrics, o->listen))
		return XPT_EXIT_FAILED;
	if (open_recorder(t, &cfg))
		return XPT_EXIT_FAILED;
	if (xpt_snapshot_page__open(&t->snapshots, o->snapshot_ns, o->socket, t->metrics.m))
		return XPT_EXIT_FAILED;
	cfg.metrics = t->metrics.m;
	cfg.snapshots = t->snapshots.c;
	cfg.ended = xpt_metrics_page__finish;
	cfg.ended_ctx = &t->metrics;
	err = xpt_outputs__open(&cfg, &t->out);
	if (err == -EINVAL)
		return XPT_EXIT_USAGE;
	return err ? XPT_EXIT_FAILED : -1;
}

/* Functions of the kernel, if any are asked for. -1 or an exit status. */
static int look_into_kernel(struct xpt_trace *t, struct xpt_kfunc_cfg *k)
{
	const struct xpt_trace_opts *o = &t->opts;
	int err;

	if (!t->layers.driver && !o->kernel.n)
		return -1;
	if (!o->kernel_max || o->kernel_max > XPT_KFUNCS_MAX)
		return xpt_usage(t->command, "--kernel-max: 1 to %u", XPT_KFUNCS_MAX);
	err = xpt_kfind__new(NULL, &t->kernel);
	if (err) {
		xpt_err(err, "the kernel's list of functions cannot be read: %s", strerror(-err));
		return XPT_EXIT_PRIVILEGE;
	}
	k->find = t->kernel;
	k->patterns = o->kernel.v;
	k->tables = t->layers.driver;
	k->kind = (enum xpt_kattach)o->kernel_attach;
	k->max = (uint32_t)o->kernel_max;
	return xpt_kernel__check(t->kernel, k);
}

/* Checks that kernel functions can be traced; if not, other layers still can. -1 or an exit status. */
static int check_kernel_works(struct xpt_trace *t)
{
	struct xpt_engine_stats st;

	xpt_engine__stats(t->engine, &st);
	if (st.kernel.works)
		return -1;
	if (t->opts.kernel_attach)
		xpt_err(0, "functions of the kernel cannot be traced by %s here (`xputrace doctor` tells "
			"more)", xpt_kattach_name((enum xpt_kattach)t->opts.kernel_attach));
	else
		xpt_warn("functions of the kernel cannot be traced here (`xputrace doctor` tells more)");
	return t->opts.kernel_attach || (!t->layers.api && !t->layers.ioctl) ? XPT_EXIT_PRIVILEGE : -1;
}

/* Warns about requested kernel functions that cannot be traced. Returns true if none is traced. */
static bool report_kernel(const struct xpt_trace *t, const struct xpt_kfunc_stats *k)
{
	if (k->works && k->nr_failed)
		xpt_warn("%u of %u functions of the kernel cannot be traced ('xputrace list -v "
			 "kernel:...' says why)", k->nr_failed, k->nr + k->nr_failed);
	if (k->works && !k->nr && !k->nr_failed && t->layers.driver && !t->opts.kernel.n)
		xpt_warn("no driver that xputrace knows is loaded: -k names functions of others");
	return !k->nr;
}

static int open_engine(struct xpt_trace *t, const struct xpt_engine_cfg *targets)
{
	struct xpt_engine_cfg cfg = *targets;
	const char *why = NULL;
	int err, status;

	status = look_into_kernel(t, &cfg.kernel);
	if (status >= 0)
		return status;
	cfg.domains = t->domains;
	cfg.functions = t->opts.functions.v;
	cfg.attach = (enum xpt_attach)t->opts.attach;
	cfg.args = (enum xpt_args)t->opts.args;
	cfg.move_sites = t->opts.sites == 0;
	cfg.events = !t->opts.counters;
	cfg.follow = !t->opts.no_follow;
	cfg.hold = cfg.hold && !t->opts.no_hold;
	cfg.ring_bytes = t->opts.ring;
	cfg.errors_only = t->opts.errors_only;
	cfg.min_ns = t->opts.min_ns;
	while (cfg.sample < 31 && (1ull << cfg.sample) < t->opts.sample)
		cfg.sample++;
	cfg.min_bytes = t->opts.min_bytes;
	cfg.budget_ppm = t->opts.budget_ppm;
	cfg.rate = (uint32_t)t->opts.rate;
	cfg.hang_ns = t->opts.hang_ns;
	cfg.ioctls = t->layers.ioctl || xpt_hook_set__has(t->hooks, XPT_PROBE_IOCTL);
	cfg.ioctls_of_hooks = !t->layers.ioctl;
	cfg.uverbs = t->layers.uverbs;
	cfg.ioctls_kind = (enum xpt_ioctls_kind)t->opts.ioctl_attach;
	cfg.devices = t->layers.devices;
	cfg.nr_devices = t->layers.nr_devices;
	cfg.probes = t->probes;
	cfg.nr_probes = t->nr_probes;
	cfg.hooks = t->hooks->v;
	cfg.nr_hooks = t->hooks->nr;
	cfg.stacks = t->opts.stacks.n > 0;
	cfg.sched = t->opts.sched;
	cfg.stack_functions = t->opts.stacks.v;
	cfg.waiting = t->waiting;
	cfg.source = t->rdma ? &xpt_rdma_source : NULL;
	cfg.source_state = t->rdma;
	xpt_session_devices__configure(&t->opts, &cfg);
	err = xpt_engine__new(&cfg, on_record, t, &t->engine, &why);
	xpt_kfind__free(t->kernel);
	t->kernel = NULL;
	if (!err) {
		status = t->layers.driver || t->opts.kernel.n ? check_kernel_works(t) : -1;
		return status < 0 ? xpt_hook_set__check(t->hooks, t->engine) : status;
	}
	xpt_err(err, "cannot trace here: %s%s%s", why ? why : "", why ? ": " : "", strerror(-err));
	return XPT_EXIT_PRIVILEGE;
}

/* -1 or an exit status. */
static int open_rdma(struct xpt_trace *t, const struct xpt_engine_cfg *targets)
{
	struct xpt_rdma_layer_cfg cfg = {
		.command = t->command, .nested = t->domains[0] != NULL, .errors_only = t->opts.errors_only,
		.all = targets->all, .optional = t->opts.unattended, .select = targets->select,
		.pids = t->where.pids, .nr_pids = t->where.nr_pids,
	};

	if (!t->layers.rdma)
		return -1;
	if (t->opts.counters)
		return xpt_usage(t->command, "RDMA calls and --counters exclude each other");
	return xpt_rdma_layer__new(&cfg, &t->rdma);
}

int xpt_trace__start(struct xpt_trace *t)
{
	int err = xpt_engine__start(t->engine);
	struct xpt_engine_stats st;

	xpt_engine__stats(t->engine, &st);
	if (st.not_followed)
		xpt_warn("processes cannot be followed here, children are not traced: %s", strerror(-st.not_followed));
	if (err) {
		xpt_err(err, "cannot start the trace: %s", strerror(-err));
		return XPT_EXIT_FAILED;
	}
	return xpt_rdma_layer__status(t->rdma);
}

int xpt_trace__open(struct xpt_trace *t, const char *command, const struct xpt_engine_cfg *targets)
{
	const char *missing = NULL;
	int status;

	t->command = command;
	if (t->opts.verbose)
		xpt_log__set_level(XPT_LOG_DEBUG);
	if (t->opts.no_file && t->opts.outs.n)
		return xpt_usage(command, "-o and --no-file exclude each other");
	if (xpt_trace_opts__lines_on_stdout(&t->opts) &&
	    (t->opts.log ? !strcmp(t->opts.log, "-") : t->opts.json))
		return xpt_usage(command, "-o - and %s both want standard output: --log FILE takes the summary",
				      t->opts.log ? "--log -" : "--json");
	if (t->opts.compat.n && !t->opts.metrics && !t->opts.listen)
		return xpt_usage(command, "--compat needs --metrics");
	if (t->opts.counters && t->opts.budget_ppm)
		return xpt_usage(command, "--budget and --counters exclude each other");
	if (t->opts.counters && t->opts.stacks.n)
		return xpt_usage(command, "--stacks and --counters exclude each other");
	for (const char *const *f = t->opts.functions.v; *f; f++)
		if (xpt_kernel__is_pattern(*f))
			return xpt_usage(command, "-f names functions of libraries; '-k %s' those of "
					      "the kernel", *f + strlen("kernel:"));
	status = xpt_layers__read(command, t->opts.layers, &t->opts.devices, &t->layers);
	if (status < 0)
		status = choose_domains(t);
	if (status < 0)
		status = read_probes(t);
	if (status >= 0)
		return status;
	if (xpt_kernel__privileges(&missing)) {
		xpt_err(0, "tracing needs root (%s is missing): try sudo", missing);
		return XPT_EXIT_PRIVILEGE;
	}
	if (!xpt_kernel__initial_pidns()) {
		xpt_err(0, "this is a container's PID namespace, where processes cannot be told "
			"apart: run on the host, or share the host's (docker run --pid=host)");
		return XPT_EXIT_PRIVILEGE;
	}
	status = xpt_functions__check(t->domains, t->opts.functions.v, &t->where);
	if (status < 0)
		status = xpt_functions__check(t->domains, t->opts.stacks.v, &t->where);
	if (status >= 0)
		return status;
	signal(SIGPIPE, SIG_IGN);	/* a closed pipe is an output that failed, not our end; */
	signal(SIGXFSZ, SIG_IGN);	/* so is a file that may not grow (ulimit -f) */
	status = open_rdma(t, targets);
	if (status < 0)
		status = open_outputs(t, targets);
	if (status < 0)
		status = open_engine(t, targets);
	if (status >= 0)
		xpt_trace__abort(t);
	t->start_ns = t->flush_ns = t->interval_ns = xpt_now_ns();
	return status;
}

/*
 * Raises xputrace's priority. If 64 threads compete for the CPUs, an equal share is too little for the thread that
 * empties their ring. Its work is bounded by the records they send, so its priority starves nobody: 1,000,000 calls/s
 * took a fifth of one CPU.
 */
void xpt_trace__hurry(bool shares_session)
{
	if (setpriority(PRIO_PROCESS, 0, -20))
		xpt_debug("cannot raise our priority: %s", strerror(errno));
	if (!shares_session)		/* with a command, which is to run as it would without us */
		xpt_priority__raise_session();
}

/*
 * Perf events for uprobes, and for kprobes that were asked for; types of the kernel's modules, a tracefs of our own.
 */
static bool needs_admin(const struct xpt_trace *t)
{
	struct xpt_engine_stats st;

	xpt_engine__stats(t->engine, &st);
	return st.attach == XPT_ATTACH_PERF || (t->layers.uverbs && t->opts.domains.n) ||
	       t->layers.driver || t->layers.ioctl || t->rdma ||
	       t->opts.kernel.n || xpt_hook_set__has(t->hooks, XPT_PROBE_KERNEL) ||
	       xpt_hook_set__has(t->hooks, XPT_PROBE_TRACEPOINT) || xpt_hook_set__has(t->hooks, XPT_PROBE_IOCTL);
}

void xpt_trace__drop_rights(const struct xpt_trace *t)
{
	xpt_rights__drop(needs_admin(t));
}

/* The kernel has refused every probe that was tried. */
static bool no_probe_was_set(const struct xpt_engine_stats *st)
{
	return st->refused && !st->nr_probes;
}

static void say_waiting(struct xpt_trace *t, uint64_t now)
{
	struct xpt_engine_stats st;

	if (t->opts.only_hooks || t->opts.unattended || t->said_waiting || now - t->start_ns < WAITING_NS)
		return;
	t->said_waiting = true;
	xpt_engine__stats(t->engine, &st);
	if (!st.nr_libs && t->layers.api)
		xpt_info("no traced library is loaded yet; waiting for one");
}

int xpt_trace__step(struct xpt_trace *t)
{
	/* On an idle machine the agent's cost is that of wake-ups. The ring of RDMA calls does not wake it. */
	bool rests = t->opts.unattended && !t->opts.snapshot_ns && !t->rdma && xpt_engine__is_idle(t->engine);
	int err = xpt_engine__poll(t->engine, rests ? REST_MS : STEP_MS);
	uint64_t now = xpt_now_ns();

	if (xpt_inflight_wanted) {
		xpt_inflight_wanted = 0;
		xpt_engine__report_inflight(t->engine);
		xpt_outputs__flush(t->out);
		xpt_recorder__want(&t->recorder, XPT_RECORDER_ASKED, XPT_OWNER_NOBODY, "SIGUSR1 asked for a recording");
	}
	if (now - t->flush_ns >= FLUSH_NS) {
		xpt_outputs__flush(t->out);
		if (t->nr_calls)
			xpt_traces__link(&t->traces);
		t->flush_ns = now;
	}
	if (t->opts.interval_ns && now - t->interval_ns >= t->opts.interval_ns) {
		xpt_hook_set__print(t->engine);
		t->interval_ns = now;
	}
	xpt_snapshot_page__step(&t->snapshots, t->engine, now, xpt_metrics_page__step(&t->metrics, t->engine, now));
	xpt_recorder__step(&t->recorder, t->engine, now);
	xpt_session_devices__report(t->engine);
	xpt_refused__report(&t->refused, t->engine);
	say_waiting(t, now);
	return err == -EINTR ? 0 : err;
}

static void report_probes(const struct xpt_trace *t, uint64_t found)
{
	for (unsigned i = 0; i < t->opts.probes.n; i++)
		if (!(found >> i & 1))
			xpt_warn("--probe %s: %s", t->opts.probes.v[i],
				 t->probes[i].kind == XPT_PROBE_USDT ?
				 "no such place was found ('xputrace list' with it shows what there is)" :
				 "no such function was found ('nm -D' shows those of a library, 'nm' those "
				 "of a program)");
	for (unsigned i = t->opts.probes.n; i < t->nr_probes; i++)
		if (!(found >> i & 1) && t->probes[i].domain)
			xpt_warn("no traced program has probes of %s that xputrace knows ('xputrace list "
				 "usdt:PROGRAM:%s:*' shows what there is)", t->probes[i].domain->name,
				 t->probes[i].provider);
}

/* Says why a trace is empty. True if --require makes that a failure. */
static bool nothing_traced(const struct xpt_trace *t)
{
	struct xpt_engine_stats st;
	bool no_kernel;

	xpt_engine__stats(t->engine, &st);
	report_probes(t, st.probes_found);
	xpt_not_traced__report_left_out(&st);
	xpt_hook_set__report_unread(t->engine);
	if (st.cut)
		xpt_not_traced__report_cut(&st);
	if (xpt_hook_set__report(t->hooks, t->engine) && t->hooks->nr)
		return true;
	no_kernel = report_kernel(t, &st.kernel);
	if (t->opts.only_hooks) {
		if (no_probe_was_set(&st))
			xpt_warn("nothing was traced: no probe could be set: %s", strerror(-st.refused));
		else if (!t->nr_calls)
			xpt_warn("nothing that hooks are on was called");
		return t->opts.require && !t->nr_calls;
	}
	if (t->nr_calls && (t->layers.ioctl || !no_kernel))
		return false;
	if (st.ioctls && !st.nr_devices)
		xpt_warn("no device of a driver that xputrace knows is here: --device names others");
	if (!no_kernel && !t->nr_calls)
		xpt_warn("probes were on %u functions of the kernel; none was called", st.kernel.nr);
	else if ((t->layers.rdma || t->layers.uverbs) && !t->domains[0])
		xpt_warn("nothing was traced: %s", t->layers.rdma || st.uverbs ? "no RDMA call was made" :
			 "the modules ib_uverbs and rdma_ucm have no probes; without devices for RDMA they are not loaded");
	else if (!t->layers.api)
		xpt_warn("nothing was traced: no ioctl, mmap or poll on a watched device");
	else if (no_probe_was_set(&st))
		xpt_warn("nothing was traced: no probe could be set: %s", strerror(-st.refused));
	else if (!st.nr_libs)
		xpt_warn("nothing was traced: %s ('xputrace list' shows what is looked for)",
			 t->opts.functions.n ? "no library has a function that -f names" :
					       "no library of the traced domains was loaded");
	else if (!t->nr_calls)
		xpt_warn("probes were on %u functions; none was called", st.nr_fns);
	return t->opts.require && !t->nr_calls;
}

int xpt_trace__close(struct xpt_trace *t, int status, int wait_status, uint32_t reason)
{
	struct xpt_engine_stats st;
	unsigned seconds;
	bool nothing;
	int err;

	xpt_refused__report(&t->refused, t->engine);
	xpt_recorder__end(&t->recorder);
	xpt_engine__stop(t->engine, wait_status, reason);
	t->nr_calls += xpt_rdma_layer__calls(t->rdma);
	xpt_rdma_layer__free(t->rdma);
	t->rdma = NULL;
	err = xpt_outputs__close(t->out);
	t->out = NULL;
	xpt_metrics_page__close(&t->metrics, false);
	xpt_recorder__close(&t->recorder);
	xpt_snapshot_page__close(&t->snapshots);
	nothing = !t->opts.unattended && nothing_traced(t);
	report_default_file(t);
	xpt_engine__stats(t->engine, &st);
	seconds = (st.attach == XPT_ATTACH_PERF ? st.nr_probes / 4 : 0) + st.kernel.slow_links / 7;
	if (st.leaves_late)
		xpt_info("probes are still being taken away; that continues in the background");
	if (st.slow_to_leave && seconds)
		xpt_info("probes go one by one; that continues in the background for about %u s",
			 seconds);
	xpt_priority__restore_session();
	xpt_engine__free(t->engine);
	t->engine = NULL;
	if (status != XPT_EXIT_OK)	/* a command's own failure says more than ours */
		return status;
	if (err && err != -EPIPE)
		return XPT_EXIT_FAILED;
	if (no_probe_was_set(&st) && !t->nr_calls)
		return XPT_EXIT_PRIVILEGE;
	return nothing ? XPT_EXIT_NOTHING : XPT_EXIT_OK;
}

void xpt_trace__abort(struct xpt_trace *t)
{
	xpt_outputs__discard(t->out);
	t->out = NULL;
	xpt_metrics_page__close(&t->metrics, true);
	xpt_recorder__close(&t->recorder);
	xpt_snapshot_page__close(&t->snapshots);
	xpt_traces__drop(&t->traces);
	xpt_rdma_layer__free(t->rdma);
	t->rdma = NULL;
	xpt_priority__restore_session();
	xpt_engine__free(t->engine);
	t->engine = NULL;
	xpt_kfind__free(t->kernel);
	t->kernel = NULL;
}
