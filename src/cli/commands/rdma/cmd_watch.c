// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma watch: carries out the plans of this machine's methods. Says
 * which calls failed, where in the kernel the error was made and how it
 * travelled; errors that are normal are counted only.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/process/pidfd.h"
#include "base/time.h"
#include "cli/commands/rdma/commands.h"
#include "kernel/bpf_links.h"
#include "proc/libpath.h"
#include "rdma/trace/event_line.h"
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/fold.h"
#include "rdma/verdict/judge.h"
#include "rdma/verdict/trial.h"
#include "session/child.h"
#include "session/output_file.h"
#include "session/rdma/deepen.h"
#include "session/rdma/hangs.h"
#include "session/rdma/output/metrics_file.h"
#include "session/rdma/output/show.h"
#include "session/rdma/past.h"
#include "session/rdma/plans.h"
#include "session/rdma/rdma_session.h"
#include "session/rights.h"

#define WAIT_MS 100
#define OUT_MAX (4u << 20)
#define FAILED_PIDS 256

struct watch_opts {
	struct xpt_rdma_which which;
	const char *pid, *output, *nth, *store, *rules, *metrics;
	uint64_t slow_ns, hang_ns, duration_ns;
	unsigned attach;
	bool json, counters, quiet, verbose, as_root, no_store;
};

struct watch {
	struct watch_opts o;
	struct xpt_rdma_session s;
	struct xpt_rdma_deep deep;
	struct xpt_rdma_hangs hangs;
	struct xpt_file file;
	FILE *out;				/* of -o, or NULL */
	struct xpt_strbuf sb;
	struct xpt_rdma_folds folds;		/* of text */
	struct xpt_rdma_trials trials;
	uint64_t *expected;		/* by method, index of the graph's roots */
	struct xpt_rdma_page page;	/* of metrics */
	struct xpt_rdma_past past;	/* before drivers came or went */
	int target_fd;			/* of a process that is not our child, else -1 */
	bool headed;
	int err;				/* of writing */
	int status;				/* it cannot be watched any more: the exit status; else -1 */
	struct {
		uint32_t pid;
		char comm[17];
	} failed[FAILED_PIDS];			/* processes that run still */
	unsigned nr_failed;
};

static volatile sig_atomic_t stop, child_fd, undelivered;

/* A signal from the terminal reaches the command by itself; others are passed on. */
static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	int saved = errno;

	(void)ctx;
	if (sig == SIGCHLD)
		return;
	stop++;
	if (child_fd <= 0)
		undelivered = sig;
	else if (info->si_code != SI_KERNEL)
		xpt_pidfd__send((int)child_fd, sig);
	errno = saved;
}

/* --- a call ------------------------------------------------------------------- */

static void flush_out(struct watch *w, FILE *f)
{
	if (xpt_strbuf__err(&w->sb))
		xpt_warn("a line is too long and was left out");
	else if (w->sb.len && fwrite(w->sb.s, w->sb.len, 1, f) != 1)
		w->err = errno ? -errno : -EIO;
	xpt_strbuf__reset(&w->sb);
}

static void print_call(struct watch *w, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	if (w->o.json) {
		xpt_rdma_trace__print(t, &w->sb);
		xpt_rdma_verdict__json(t, v, &w->sb);
		xpt_strbuf__addc(&w->sb, '\n');
	} else {
		if (!w->headed)
			xpt_rdma_show__heading(&w->sb);
		w->headed = true;
		if (xpt_rdma_folds__is_new(&w->folds, t, v, xpt_now_ns(), &w->sb)) {
			xpt_rdma_show__call(t, &w->sb);
			xpt_rdma_verdict__brief(t, v, &w->sb);
		}
	}
	flush_out(w, stdout);
}

/* Reports failures that repeated since the last time. */
static void print_folded(struct watch *w, bool all)
{
	xpt_rdma_folds__tell(&w->folds, xpt_now_ns(), all, &w->sb);
	flush_out(w, stdout);
}

/* Notes the process of a failed call, for the line about its end. */
static void note_failed(struct watch *w, const struct xpt_rdma_trace *t)
{
	unsigned i;

	for (i = 0; i < w->nr_failed && w->failed[i].pid != t->pid; i++)
		;
	if (i == FAILED_PIDS)
		return;
	w->failed[i].pid = t->pid;
	snprintf(w->failed[i].comm, sizeof(w->failed[i].comm), "%s", t->comm);
	if (i == w->nr_failed)
		w->nr_failed++;
}

static bool has_ended(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

/* Within one round of the loop of when it happened. */
static void record_ended(struct watch *w)
{
	struct xpt_rdma_moment now = xpt_rdma_session__moment(&w->s, xpt_now_ns());
	unsigned i = 0;

	while (w->out && i < w->nr_failed) {
		if (!has_ended((pid_t)w->failed[i].pid)) {
			i++;
			continue;
		}
		xpt_rdma_exit__print(w->failed[i].pid, w->failed[i].comm, &now, &w->sb);
		flush_out(w, w->out);
		w->failed[i] = w->failed[--w->nr_failed];
	}
}

/* Callback of the session: an event of a device, a command outside of calls. */
static void on_other(void *ctx, const struct xpt_wire_rdma_rec *r)
{
	struct watch *w = ctx;
	void (*show)(const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_moment *at, bool json, struct xpt_strbuf *sb) =
		r->kind == XPT_RDMA_REC_EVENT ? xpt_rdma_show__event : xpt_rdma_show__command;
	struct xpt_rdma_moment at = xpt_rdma_session__moment(&w->s, r->start_ns);

	if (r->kind == XPT_RDMA_REC_EVENT)
		xpt_rdma_page__event(&w->page, r);
	if (w->out) {
		show(r, &at, true, &w->sb);
		flush_out(w, w->out);
	}
	if (w->o.quiet && !w->o.json)
		return;
	if (!w->o.json && !w->headed)
		xpt_rdma_show__heading(&w->sb);
	w->headed = true;
	show(r, &at, w->o.json, &w->sb);
	flush_out(w, stdout);
}

/* Whether the method has deep probes: from the start, or since it has failed. */
static bool is_deep(void *ctx, uint32_t root, const char *shape, uint64_t start_ns)
{
	const struct watch *w = ctx;

	return xpt_rdma_plans__deepens(&w->o.which, w->s.plans.g, root, shape, false) ||
	       xpt_rdma_deep__is_few(&w->deep, root, shape, start_ns) ||
	       (xpt_rdma_deep__is(&w->deep, root, start_ns) &&
		xpt_rdma_plans__deepens(&w->o.which, w->s.plans.g, root, shape, true));
}

/* A call whose error is normal or not, which is known now. */
static void conclude_call(struct watch *w, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			  uint32_t method)
{
	bool failed = v->failed && !v->expected;

	if (v->expected && method != XPT_RDMA_NONE)
		w->expected[method]++;
	if (failed && method != XPT_RDMA_NONE)
		xpt_rdma_deep__failed(&w->deep, method, t,
				      xpt_rdma_plans__deepens(&w->o.which, w->s.plans.g, method, t->shape, true));
	if (failed)
		note_failed(w, t);
	if (failed && !v->unsure)	/* a failure that may be normal is no alert */
		xpt_rdma_page__failed(&w->page, t, v->cause.cls);
	if ((failed || (!v->failed && t->flags & XPT_RDMA_TRACE_SLOW)) && (!w->o.quiet || w->o.json))
		print_call(w, t, v);
}

static uint32_t method_named(const struct watch *w, const char *name)
{
	uint32_t i;

	for (i = 0; i < w->s.plans.g->nr_roots; i++)
		if (!strcmp(xpt_rdma_text(w->s.plans.g, w->s.plans.g->roots[i].name), name))
			return i;
	return XPT_RDMA_NONE;
}

/* Concludes a call that waited for the next calls of its program. */
static void on_decided(void *ctx, struct xpt_rdma_trace *t, enum xpt_rdma_trial_end end)
{
	struct xpt_rdma_verdict v;
	struct watch *w = ctx;

	xpt_rdma_session__judge(&w->s, t, &v);
	xpt_rdma_trial__conclude(end, &v);
	conclude_call(w, t, &v, method_named(w, t->method));
	xpt_rdma_trace__free(t);
}

/* Callback of the session. */
static void on_call(void *ctx, const struct xpt_wire_rdma_rec *r, struct xpt_rdma_trace *t)
{
	struct watch *w = ctx;
	struct xpt_rdma_trace *copy;
	struct xpt_rdma_verdict v;

	xpt_rdma_trials__saw(&w->trials, t);
	xpt_rdma_session__judge(&w->s, t, &v);
	if (w->out) {
		xpt_rdma_trace__print(t, &w->sb);
		flush_out(w, w->out);
	}
	if (v.trial && !xpt_rdma_trace__copy(t, &copy))
		xpt_rdma_trials__wait(&w->trials, copy, &v);
	else
		conclude_call(w, t, &v, xpt_rdma_watchlist__method_of(w->s.list, r));
}

/* Callback of the session. A call that waits for the next calls of its thread may not see it. */
static void on_lost(void *ctx, uint64_t calls)
{
	struct watch *w = ctx;
	struct xpt_rdma_moment now = xpt_rdma_session__moment(&w->s, xpt_now_ns());

	xpt_rdma_trials__lost(&w->trials, &now);
	if (w->out) {
		xpt_rdma_lost__print(calls, &now, &w->sb);
		flush_out(w, w->out);
	}
	if (w->o.json) {
		xpt_rdma_lost__print(calls, &now, &w->sb);
		flush_out(w, stdout);
	}
}

static void on_hang(void *ctx, const struct xpt_rdma_hang *h)
{
	struct watch *w = ctx;

	if (w->o.quiet && !w->o.json)
		return;
	if (!w->o.json && !w->headed)
		xpt_rdma_show__heading(&w->sb);
	w->headed = true;
	xpt_rdma_show__hang(h, w->o.json, &w->sb);
	flush_out(w, stdout);
}

/* Decides the trials of ended processes, and those whose time is over. */
static void decide_trials(struct watch *w, bool over)
{
	struct xpt_rdma_moment now = xpt_rdma_session__moment(&w->s, xpt_now_ns());
	uint32_t pid;
	unsigned i;

	for (i = 0; (pid = xpt_rdma_trials__pid(&w->trials, i)); i++)
		if (has_ended((pid_t)pid)) {
			xpt_rdma_trials__ended(&w->trials, pid, &now);
			i = -1u;
		}
	xpt_rdma_trials__until(&w->trials, &now);
	if (over)
		xpt_rdma_trials__over(&w->trials);
}

/* --- the end ------------------------------------------------------------------- */

static int by_failures(const void *x, const void *y)
{
	const struct xpt_rdma_sum *a = x, *b = y;
	uint64_t fa = a->failed - a->expected, fb = b->failed - b->expected;

	if (fa != fb)
		return fa > fb ? -1 : 1;
	return a->calls == b->calls ? 0 : a->calls > b->calls ? -1 : 1;
}

/*
 * Adds the counts from before the watch was begun anew; they alone are returned if it could not be. Ids
 * of functions that come and go stood for several.
 */
static int read_sums(const struct watch *w, struct xpt_rdma_sums *ret_s)
{
	int err = 0;

	*ret_s = (struct xpt_rdma_sums){ .nr_fns = 0 };
	if (w->s.w)
		err = xpt_rdma_sums__read(w->s.w, w->s.list, w->deep.root ? w->deep.nr : w->s.list->nr, w->expected,
					  ret_s);
	if (!err && xpt_rdma_past__add(&w->past, ret_s))
		xpt_warn("what was counted before drivers came or went is missing: no memory");
	return err;
}

static void print_summary(struct watch *w)
{
	struct xpt_rdma_sums s;

	if (read_sums(w, &s)) {
		xpt_warn("what was counted cannot be shown: no memory");
		return;
	}
	qsort(s.method, s.nr_methods, sizeof(*s.method), by_failures);
	if (w->o.json)
		xpt_rdma_show__sums_json(&s, w->o.counters, &w->sb);
	else
		xpt_rdma_show__sums(&s, w->o.counters, &w->sb);
	flush_out(w, stdout);
	xpt_rdma_tell_losses(&s.stats);
	xpt_rdma_sums__free(&s);
}

static void write_metrics(struct watch *w)
{
	struct xpt_rdma_sums s;

	if (!w->page.m || read_sums(w, &s))
		return;
	xpt_rdma_page__write(&w->page, &s);
	xpt_rdma_sums__free(&s);
}

/* --- start ---------------------------------------------------------------------- */

static void print_attached(const struct watch *w)
{
	struct xpt_rdma_watch_stats st;
	char how[96] = "";
	uint32_t i;
	int kind;

	xpt_rdma_watch__stats(w->s.w, &st);
	for (kind = XPT_KATTACH_AUTO + 1; kind < XPT_KATTACH__MAX; kind++)
		if (st.by_kind[kind])
			snprintf(how + strlen(how), sizeof(how) - strlen(how), "%s%s %u",
				 how[0] ? ", " : "", xpt_kattach_name((enum xpt_kattach)kind),
				 st.by_kind[kind]);
	xpt_info("watching %u methods by the returns of %u functions (%s)", w->s.plans.nr, st.nr, how);
	if (st.by_kind[XPT_KATTACH_FENTRY] || st.by_kind[XPT_KATTACH_FENTRY_MULTI] || st.by_kind[XPT_KATTACH_KPROBE_SESSION])
		xpt_debug("meanwhile these modules cannot be removed ('--kernel-attach kprobe' lets them)");
	if (st.nr_failed)
		xpt_warn("%u functions cannot be watched (-v names them)", st.nr_failed);
	for (i = 0; i < w->s.list->nr; i++)
		if (!w->s.hold[i + 1]->kind && strcmp(w->s.hold[i + 1]->why, ""))
			xpt_debug("%s:%s: %s", w->s.list->wish[i].module, w->s.list->wish[i].name,
				  w->s.hold[i + 1]->why);
	xpt_debug("attached in %" PRIu64 " ms", st.attach_ns / 1000000);
}

/* Ways of attaching, by the choice of the option. */
static const enum xpt_kattach kinds[] = {
	XPT_KATTACH_AUTO, XPT_KATTACH_FENTRY_MULTI, XPT_KATTACH_KPROBE_SESSION, XPT_KATTACH_FENTRY, XPT_KATTACH_KPROBE,
};

/* Prepares the output about methods and functions, from the session's plans. -1 or an exit
 * status. */
static int begin_output(struct watch *w)
{
	free(w->expected);
	w->expected = calloc((size_t)w->s.plans.g->nr_roots + 1, sizeof(*w->expected));
	if (!w->expected)
		return xpt_rdma_explain(-ENOMEM);
	w->hangs.w = w->s.w;
	w->hangs.list = w->s.list;
	w->hangs.clock = &w->s.clock;
	w->deep = (struct xpt_rdma_deep){ .w = w->s.w, .list = w->s.list, .hold = w->s.hold,
					  .kernel_minor = w->s.plans.limits.kernel_minor };
	print_attached(w);
	return -1;
}

/* -1 or an exit status. */
static int open_watch(struct watch *w, uint32_t target)
{
	int status;

	w->s.cfg.targets[0] = target;
	w->hangs = (struct xpt_rdma_hangs){ .limit_ns = w->o.hang_ns, .tell = on_hang, .ctx = w };
	w->trials.decide = on_decided;
	w->trials.ctx = w;
	status = xpt_rdma_session__attach(&w->s);
	return status < 0 ? begin_output(w) : status;
}

/*
 * Drivers were loaded or removed: watches by new plans, which are made before the old watch ends. Where
 * there are none, as without any driver, that goes on. -1 or an exit status: nothing is watched any more,
 * and the counts until then are in w->past.
 */
static int begin_anew(struct watch *w)
{
	struct xpt_rdma_plans plans = { .nr = 0 };
	struct xpt_rdma_sums sums;
	char changes[1024];
	uint64_t from;
	int status;

	xpt_info("%s: new plans are made", xpt_rdma_past__changes(&w->past, changes, sizeof(changes)));
	w->past.planned = w->past.seen;
	if (w->past.nr == XPT_RDMA_PASTS) {
		xpt_warn("that was so %d times; the watch goes on as it is: start it again", XPT_RDMA_PASTS);
		return -1;
	}
	if (xpt_rdma_plans__make(w->s.cfg.command, w->s.cfg.which, &plans) >= 0) {
		xpt_rdma_plans__free(&plans);
		xpt_warn("the watch goes on as it is");
		return -1;
	}
	xpt_rdma_session__read(&w->s);
	if (read_sums(w, &sums)) {
		xpt_rdma_plans__free(&plans);
		return xpt_rdma_explain(-ENOMEM);
	}
	xpt_rdma_past__keep(&w->past, &sums, &w->s.plans);
	from = xpt_now_ns();
	status = xpt_rdma_session__replan(&w->s, &plans);
	if (status < 0)
		status = begin_output(w);
	from = xpt_now_ns() - from;
	w->past.unwatched_ns += from;
	on_lost(w, 0);
	if (status < 0)
		xpt_warn("calls of %" PRIu64 " ms were not watched meanwhile", from / 1000000);
	else
		xpt_err(0, "the watch could not be begun anew and ends; what was counted until then follows");
	return status;
}

static int open_output(struct watch *w)
{
	int err;

	if (!w->o.output)
		return -1;
	err = xpt_file__open(w->o.output, &w->file);
	if (!err)
		err = xpt_file__cut(&w->file, 0);
	if (err)
		return XPT_EXIT_FAILED;
	w->out = fdopen(w->file.fd, "w");
	return w->out ? -1 : XPT_EXIT_FAILED;
}

/*
 * Until the time is over, the child or the process has ended, or somebody interrupts. A
 * child is waited for then: it got the signal, too. A second interrupt leaves it alone.
 */
static void watch_loop(struct watch *w, pid_t child, int *ret_wait)
{
	uint64_t end = w->o.duration_ns ? xpt_now_ns() + w->o.duration_ns : UINT64_MAX;
	struct pollfd p[2] = { { .events = POLLIN },
			       { .fd = w->s.context.log ? xpt_klog__fd(w->s.context.log) : -1, .events = POLLIN } };
	bool over = false;

	while (!over && !w->err && w->status < 0) {
		p[0].fd = xpt_rdma_watch__fd(w->s.w);
		over = stop > (child > 0) || xpt_now_ns() >= end ||
		       (child > 0 && waitpid(child, ret_wait, WNOHANG) == child) ||
		       (w->target_fd >= 0 && xpt_pidfd__has_ended(w->target_fd));
		if (!over)
			poll(p, 2, WAIT_MS);
		xpt_rdma_session__read_log(&w->s);
		xpt_rdma_session__read(&w->s);
		decide_trials(w, over);
		print_folded(w, over);
		xpt_rdma_hangs__step(&w->hangs, xpt_now_ns(), over);
		record_ended(w);
		if (fflush(stdout) || (w->out && fflush(w->out)))
			w->err = errno ? -errno : -EIO;
		if (!over && xpt_rdma_past__has_changed(&w->past, xpt_now_ns()))
			w->status = begin_anew(w);
		if (!over && w->s.w)
			xpt_rdma_deep__step(&w->deep, xpt_now_ns());
		if (!w->s.w)
			break;
		if (xpt_rdma_session__tidy(&w->s))
			write_metrics(w);
	}
}

static int status_of(const struct watch *w, pid_t child, int wait_status)
{
	if (w->err) {
		xpt_err(w->err, "cannot write: %s", strerror(-w->err));
		return XPT_EXIT_FAILED;
	}
	if (w->status >= 0)
		return w->status;
	if (child <= 0 || wait_status == -1)
		return XPT_EXIT_OK;
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static int start_child(struct watch *w, char **argv, char *exe, struct xpt_child_cfg *cfg,
		       struct xpt_child *c)
{
	static const struct xpt_list no_env;
	int err;

	if (!argv[0])
		return -1;
	err = xpt_libpath__command(argv[0], getenv("PATH"), exe, 4096);
	if (err) {
		xpt_err(err, "cannot run '%s': %s", argv[0], strerror(-err));
		return err == -ENOENT ? XPT_EXIT_NOT_FOUND : XPT_EXIT_NOT_EXECUTABLE;
	}
	*cfg = (struct xpt_child_cfg){ .exe = exe, .argv = argv, .env = &no_env,
				       .as_root = w->o.as_root, .stdout_to_stderr = w->o.json };
	return xpt_child__start(cfg, c) ? XPT_EXIT_FAILED : -1;
}

/* Removes the files that were made, because the watch could not begin. */
static void leave_no_files(const struct watch *w)
{
	if (w->out)
		xpt_file__remove(&w->file);
	xpt_rdma_page__remove(&w->page);
}

static int watch_target(struct watch *w, char **argv, uint32_t target)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_NOCLDSTOP | SA_SIGINFO };
	struct xpt_child child = { .pid = 0 };
	struct xpt_child_cfg cfg;
	int wait_status = -1, status;
	char exe[4096];

	xpt_rdma_show__whole_lines();
	xpt_child__save();
	w->status = -1;
	xpt_rdma_modules__read(&w->past.planned);
	w->past.seen = w->past.planned;
	status = xpt_rdma_session__plan(&w->s);
	if (status >= 0)
		return status;
	/* Before the file is made: an early end leaves no half of it. */
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	status = open_output(w);
	if (status < 0 && xpt_rdma_files__open(&w->s.files, w->o.rules, w->o.store, w->o.no_store, false))
		status = XPT_EXIT_FAILED;
	if (status < 0 && xpt_rdma_page__open(&w->page, w->o.metrics))
		status = XPT_EXIT_FAILED;
	if (status >= 0) {
		leave_no_files(w);
		return status;
	}
	sigaction(SIGCHLD, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);	/* a closed pipe is an output that failed, not our end */
	status = start_child(w, argv, exe, &cfg, &child);
	if (status < 0) {
		status = open_watch(w, child.pid ? (uint32_t)child.pid : target);
		if (status >= 0 && child.pid)
			xpt_child__cancel(&child);
	}
	if (status < 0)
		xpt_rights__drop(true);	/* functions of the kernel are watched deeper later on */
	if (status < 0 && child.pid)
		status = xpt_child__release(&child, &cfg);
	if (status >= 0) {
		leave_no_files(w);
		return status;
	}
	child_fd = child.pid ? child.pidfd : 0;
	if (child.pid && undelivered)
		xpt_pidfd__send(child.pidfd, (int)undelivered);
	watch_loop(w, child.pid, &wait_status);
	write_metrics(w);
	print_summary(w);
	return status_of(w, child.pid, wait_status);
}

static void free_watch(struct watch *w)
{
	if (w->out && fclose(w->out))
		xpt_warn("cannot write %s: %s", w->o.output, strerror(errno));
	xpt_rdma_session__free(&w->s);
	xpt_rdma_page__close(&w->page);
	free(w->expected);
	xpt_rdma_past__free(&w->past);
	xpt_strbuf__free(&w->sb);
	if (w->target_fd >= 0)
		close(w->target_fd);
}

#define XPT_WO(m) offsetof(struct watch_opts, m)

static const struct xpt_opt opts[] = {
	{ "pid", 'p', XPT_OPT_STR, XPT_WO(pid), "PID", "only this process and those that it starts", 0 },
	{ "driver", 0, XPT_OPT_LIST, XPT_WO(which.drivers), "NAME", "look into this driver instead of "
	  "those that are loaded; may be given again", 0 },
	{ "method", 'm', XPT_OPT_LIST, XPT_WO(which.methods), "NAME", "only functions below this method "
	  "(modify_qp, reg_mr, REG_DMABUF_MR, a glob); may be given again", 0 },
	{ "deep", 0, XPT_OPT_LIST, XPT_WO(which.deep), "METHOD[:STATE]", "all functions below this method; "
	  "auto, or auto:METHOD: once it has failed, for a minute or 8 failures; modify_qp:RTR: only where "
	  "that state is wanted; may be given again", 0 },
	{ "slow", 0, XPT_OPT_DURATION, XPT_WO(slow_ns), "TIME", "also show calls that last as long "
	  "(50ms)", 0 },
	{ "hang", 0, XPT_OPT_DURATION, XPT_WO(hang_ns), "TIME", "show calls that have not returned for as "
	  "long, and where they wait (10s)", 0 },
	{ "sample", 0, XPT_OPT_STR, XPT_WO(nth), "N", "put every Nth good call of a method into FILE, "
	  "besides one a second", 0 },
	{ "output", 'o', XPT_OPT_STR, XPT_WO(output), "FILE", "write calls with all that returned below "
	  "them to FILE, as JSON lines: those that failed, were slow, and examples of good ones", 0 },
	{ "store", 0, XPT_OPT_STR, XPT_WO(store), "FILE", XPT_RDMA_STORE_HELP, 0 },
	{ "no-store", 0, XPT_OPT_FLAG, XPT_WO(no_store), 0, "read and keep no good calls of other times", 0 },
	{ "expected", 0, XPT_OPT_STR, XPT_WO(rules), "FILE", XPT_RDMA_RULES_HELP, 0 },
	{ "metrics", 0, XPT_OPT_STR, XPT_WO(metrics), "FILE", "keep counters in FILE for Prometheus "
	  "(node_exporter's textfile collector), new every 5 s", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_WO(json), 0, "JSON lines instead of text", 0 },
	{ "counters", 0, XPT_OPT_FLAG, XPT_WO(counters), 0, "at the end, also calls and errors of each "
	  "function", 0 },
	{ "duration", 'd', XPT_OPT_DURATION, XPT_WO(duration_ns), "TIME", "stop after this time", 0 },
	{ "quiet", 'q', XPT_OPT_FLAG, XPT_WO(quiet), 0, "only the summary", 0 },
	{ "depth", 0, XPT_OPT_STR, XPT_WO(which.depth), "N", "calls below a method's handler (5)", 0 },
	{ "budget", 0, XPT_OPT_STR, XPT_WO(which.budget), "N", "functions for one method (64)", 0 },
	{ "no-cache", 0, XPT_OPT_FLAG, XPT_WO(which.no_cache), 0, "has no effect: nothing is kept", 0 },
	{ "kernel-attach", 0, XPT_OPT_CHOICE, XPT_WO(attach), "KIND", "how: auto, fentry-multi, "
	  "kprobe-session, fentry or kprobe", "auto|fentry-multi|kprobe-session|fentry|kprobe" },
	{ "as-root", 0, XPT_OPT_FLAG, XPT_WO(as_root), 0, "under sudo, run the command as root, not as "
	  "the calling user", 0 },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_WO(verbose), 0, "say more on stderr", 0 },
	{ 0 },
};

/* Sets the session's configuration from the options. -1 or an exit status. */
static int configure_session(struct watch *w)
{
	uint64_t nth = 0;

	if (w->o.nth && xpt_parse_u64(w->o.nth, 1, UINT32_MAX, &nth))
		return xpt_opt__usage(&xpt_rdma_cmd_watch, "--sample: '%s' is no number from 1 on",
				      w->o.nth);
	w->o.which.to_watch = true;
	w->s.cfg = (struct xpt_rdma_session_cfg){
		.command = xpt_rdma_cmd_watch.name, .which = &w->o.which, .slow_ns = w->o.slow_ns,
		.sample_nth = (uint32_t)nth, .kind = kinds[w->o.attach], .is_deep = is_deep,
		.on_call = on_call, .on_other = on_other, .on_lost = on_lost, .ctx = w,
	};
	return -1;
}

static int cmd_watch(int argc, char **argv)
{
	static struct watch w;	/* large; zeroed */
	const char *missing = NULL;
	uint64_t pid = 0;
	int rest, status;

	w.o.slow_ns = 50000000;
	w.o.hang_ns = 10000000000;
	status = xpt_opt__parse(&xpt_rdma_cmd_watch, argc, argv, &w.o, &rest);
	if (status >= 0)
		return status;
	status = xpt_rdma_plans__check(xpt_rdma_cmd_watch.name, &w.o.which);
	if (status < 0)
		status = configure_session(&w);
	if (status >= 0)
		return status;
	if (w.o.pid && xpt_parse_u64(w.o.pid, 1, INT32_MAX, &pid))
		return xpt_opt__usage(&xpt_rdma_cmd_watch, "-p: '%s' is no process", w.o.pid);
	w.target_fd = pid ? xpt_pidfd__open((pid_t)pid) : -1;
	if (pid && w.target_fd < 0) {
		xpt_err(w.target_fd, w.target_fd == -ESRCH ? "process %s does not exist" :
			"%s cannot be followed: it is no process, but one's thread, or no descriptor is free",
			w.o.pid);
		return XPT_EXIT_NOTHING;
	}
	if (pid && argv[rest])
		return xpt_opt__usage(&xpt_rdma_cmd_watch, "-p and a command exclude each other");
	if (w.o.verbose)
		xpt_log__set_level(XPT_LOG_DEBUG);
	if (xpt_kernel__privileges(&missing)) {
		xpt_err(-EPERM, "watching RDMA needs root, or %s", missing);
		return XPT_EXIT_PRIVILEGE;
	}
	xpt_strbuf__init(&w.sb, OUT_MAX);
	status = watch_target(&w, argv + rest, (uint32_t)pid);
	free_watch(&w);
	return status;
}

const struct xpt_cmd xpt_rdma_cmd_watch = {
	.name = "rdma watch", .args = "[OPTIONS] [-- CMD [ARGS]]",
	.summary = "show RDMA calls that fail and where in the kernel",
	.opts = opts,
	.takes_command = true,
	.examples = "  sudo xputrace rdma watch                            the whole machine\n"
		    "  sudo xputrace rdma watch -o t.jsonl -- ./train      a command\n"
		    "  sudo xputrace rdma watch -m modify_qp --json -d 1m\n",
	.run = cmd_watch,
};
