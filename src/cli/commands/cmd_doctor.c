// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace doctor: reports which features work on this machine, and why others
 * do not, with the remedy. Everything is tried, nothing guessed from a version.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/time.h"
#include "cli/opt.h"
#include "devices/reader.h"
#include "elf/elf.h"
#include "engine/cost/calibrate.h"
#include "engine/engine.h"
#include "http/server.h"
#include "kernel/kattach.h"
#include "kernel/kfind.h"
#include "kernel/tracefs.h"
#include "model/text.h"
#include "proc/libpath.h"
#include "proc/mmap_events.h"
#include "session/options/device_option.h"

#define CALLS 20000	/* timed at once */
#define SECOND UINT64_C(1000000000)
#define READING_NS (5 * SECOND)	/* a driver that has not answered by then hangs */

enum verdict { GOOD, WARN, BAD, MORE };	/* MORE: of the line above */

enum { COLUMNS = 80, INDENT = 27 };	/* INDENT: columns of mark and subject */

static unsigned nr_bad;

/* Prints s after mark and subject of the line: whole for programs that read it, in lines for
 * people. */
static void print_text(const char *s)
{
	bool fold = isatty(STDOUT_FILENO), utf8 = xpt_text_utf8();
	struct xpt_strbuf sb;
	size_t col = INDENT, n;
	char word[256];

	xpt_strbuf__init(&sb, 8192);
	for (; *s; s += n + strspn(s + n, " ")) {
		n = strcspn(s, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, s);
		if (fold && col > INDENT && col + 1 + xpt_text_columns(word, utf8) > COLUMNS) {
			xpt_strbuf__addf(&sb, "\n%*s", INDENT, "");
			col = INDENT;
		} else if (col > INDENT) {
			xpt_strbuf__addc(&sb, ' ');
			col++;
		}
		col += xpt_text__add(&sb, word, SIZE_MAX, utf8);
	}
	printf("%s\n", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
}

static void say_verdict(enum verdict v, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say_verdict(enum verdict v, const char *what, const char *fmt, ...)
{
	static const char *const mark[] = { "ok", "--", "NO", "" };
	char text[4096];
	va_list ap;

	nr_bad += v == BAD;
	printf("%-3s %-22s ", mark[v], what);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_text(text);
}

static void drop_record(void *ctx, const void *rec, size_t size)
{
	(void)ctx, (void)rec, (void)size;
}

static void say_hold(const char *how)
{
	if (how)
		say_verdict(GOOD, "late libraries", "under `run` the command %s until they have probes", how);
	else
		say_verdict(WARN, "late libraries", "calls in the first moments after a load can be missed");
}

/* A range where one figure would say too little. */
static const char *fmt_cost(const struct xpt_cost_value *c, char *buf, size_t n)
{
	char low[16], high[16];

	if (xpt_fmt_is_wide(c->low, c->high))
		snprintf(buf, n, "%s to %s", xpt_fmt_ns(c->low, low, sizeof(low)),
			 xpt_fmt_ns(c->high, high, sizeof(high)));
	else
		xpt_fmt_ns(c->ns, buf, n);
	return buf;
}

/* Reports the cost of a traced call here; `xputrace list -v` lists the sites of the probes. */
static void say_cost(struct xpt_engine *e)
{
	struct xpt_cost_value emulated, stepped;
	char one[48], two[48];

	if (xpt_engine__call_cost(e, &emulated, &stepped))
		say_verdict(MORE, "", "what a traced call costs is not known: measurements contradict each other");
	else
		say_verdict(MORE, "", "a traced call costs %s; %s where it is single-stepped",
			    fmt_cost(&emulated, one, sizeof(one)), fmt_cost(&stepped, two, sizeof(two)));
}

/* Loads the programs in one way of attaching; `run` takes the best that works. */
static bool try_attach(enum xpt_attach kind, bool have_better)
{
	static const char *const about[XPT_ATTACH__MAX] = {
		"", "one program for entry and return (kernel 6.13+)",
		"one link for many functions (kernel 6.6+)",
		"perf events, each for many functions (kernel 5.15+)",
	};
	const struct xpt_domain *none = NULL;
	struct xpt_engine_cfg cfg = { .domains = &none, .attach = kind, .events = true,
				      .hold = !have_better };
	struct xpt_engine_stats st;
	struct xpt_engine *e = NULL;
	char name[32], took[16];
	const char *why = NULL;
	int err = xpt_engine__new(&cfg, drop_record, NULL, &e, &why);

	snprintf(name, sizeof(name), "uprobe %s", xpt_attach_name(kind));
	if (err) {
		say_verdict(WARN, name, "%s: %s", err == -EACCES && why ? why : about[kind], strerror(-err));
		return false;
	}
	xpt_engine__stats(e, &st);
	say_verdict(GOOD, name, "%s%s; loaded in %s", about[kind], have_better ? "" : " <- in use",
		    xpt_fmt_ns(st.load_ns, took, sizeof(took)));
	if (!have_better) {
		say_cost(e);
		say_hold(st.hold);
	}
	xpt_engine__free(e);
	return true;
}

static void check_attach(void)
{
	const char *why;
	bool any = false;
	int kind;

	for (kind = XPT_ATTACH_SESSION; kind < XPT_ATTACH__MAX; kind++)
		any |= try_attach((enum xpt_attach)kind, any);
	why = any ? NULL : xpt_kernel__why_refused();
	if (!any)
		say_verdict(BAD, "probes", "no way of attaching works%s%s", why ? ": " : "; the kernel needs "
			    "CONFIG_UPROBES and CONFIG_BPF_SYSCALL", why ? why : "");
}

static void no_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	(void)ctx, (void)pid, (void)m;
}

static void check_watcher(void)
{
	static const struct xpt_watch_fns fns = { no_mapping, NULL, NULL };
	struct xpt_watch *w = NULL;
	int err = xpt_watch__new(&fns, NULL, &w);

	if (err)
		say_verdict(WARN, "library watcher", "no perf events (%s): /proc is looked at 5 times a "
			    "second instead", strerror(-err));
	else
		say_verdict(GOOD, "library watcher", "libraries loaded later are seen at once");
	xpt_watch__free(w);
}

/* Returns the cost of a system call that does nothing: the best of several rounds. */
static uint64_t system_call_ps(void)
{
	uint64_t best = UINT64_MAX, t;
	int round, i;

	for (round = 0; round < 7; round++) {
		t = xpt_now_ns();
		for (i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
		t = xpt_now_ns() - t;
		best = t < best ? t : best;
	}
	return best * 1000 / CALLS;
}

/* Reports the source from which a trace gets the driver's reports, and the remedy where there is
 * none. */
static void say_xids(const struct xpt_engine_stats *st)
{
	switch (st->xids) {
	case XPT_XID_TRACEPOINT:
		say_verdict(GOOD, "Xid reports", "from the driver's tracepoint nvidia:nvidia_dev_xid");
		break;
	case XPT_XID_KPROBE:
		say_verdict(GOOD, "Xid reports", "by a kprobe in the driver (it has no tracepoint)");
		break;
	case XPT_XID_LOG:
		say_verdict(GOOD, "Xid reports", "from the kernel log%s", access("/sys/module/nvidia", F_OK) ?
			    "" : " (the driver cannot be probed here)");
		break;
	default:
		say_verdict(WARN, "Xid reports", "none: /dev/kmsg cannot be read (%s)", strerror(-st->no_log));
	}
}

/* Loads and attaches the probes of --layers ioctl, and reports the cost for other system calls. */
static void check_ioctls(void)
{
	const struct xpt_domain *none = NULL;
	struct xpt_engine_cfg cfg = { .domains = &none, .events = true, .ioctls = true };
	uint64_t before = system_call_ps(), with;
	struct xpt_engine_stats st;
	struct xpt_engine *e = NULL;
	int err = xpt_engine__new(&cfg, drop_record, NULL, &e, NULL);

	if (!err)
		err = xpt_engine__start(e);
	if (err) {
		say_verdict(WARN, "ioctls", "--layers ioctl does not work here: %s", strerror(-err));
		xpt_engine__free(e);
		return;
	}
	with = system_call_ps();
	xpt_engine__stats(e, &st);
	say_xids(&st);
	xpt_engine__free(e);
	if (st.ioctls == XPT_IOCTLS_FENTRY)
		say_verdict(GOOD, "ioctls", "by fentry on the system call; others pay nothing");
	else if (st.ioctls == XPT_IOCTLS_TRACEPOINT)
		say_verdict(GOOD, "ioctls", "by the system call's tracepoints (fentry is refused here)");
	else
		say_verdict(GOOD, "ioctls", "by the tracepoints of all system calls; cheaper with tracefs "
			    "(mount -t tracefs tracefs /sys/kernel/tracing)");
	say_verdict(MORE, "", "any other system call costs %.0f ns more (%.0f ns without)",
	       with > before ? (double)(with - before) / 1000 : 0.0, (double)before / 1000);
	say_verdict(MORE, "", "%s", st.nr_devices ? "devices of known drivers are here"
			      : "no device of a known driver is here; --device names others");
}

/* The usual reasons, where the error alone does not show them. */
static const char *why_no_kernel(int kind, int err)
{
	if (err == EPERM)
		return "refused (a locked-down kernel, or its configuration)";
	if (err == ENOENT && kind <= XPT_KATTACH_FENTRY)
		return "no kernel BTF";
	if (kind == XPT_KATTACH_KPROBE && err == ENOTSUP)
		return "this kernel has no kprobes";
	if (kind != XPT_KATTACH_KPROBE && (err == EINVAL || err == EOPNOTSUPP))
		return "not in this kernel";
	return strerror(err);
}

/* Attaches each kind once; a function gets the first that works for it. */
static void check_kernel_functions(void)
{
	static const char *const about[XPT_KATTACH__MAX] = {
		"", "one program, one link for all (kernel 7.2+)",
		"one link for entries, one for returns (7.2+)",
		"a program for each function (5.19+)",
		"one program, one link for all (6.10+)",
		"one link for entries, one for returns (5.18+)",
		"a perf event for each function (5.15+)",
	};
	struct xpt_kfind *f = NULL;
	struct xpt_kattach_caps caps;
	bool any = false;
	char what[32];
	int kind;

	xpt_kattach__probe(xpt_kfind__new(NULL, &f) ? 0 :
			   xpt_kfind__id(f, XPT_KERNEL_ITSELF, XPT_KATTACH_TRIED), &caps);
	xpt_kfind__free(f);
	for (kind = XPT_KATTACH_AUTO + 1; kind < XPT_KATTACH__MAX; kind++) {
		int err = caps.err[kind];

		snprintf(what, sizeof(what), "kernel %s", xpt_kattach_name((enum xpt_kattach)kind));
		say_verdict(err ? WARN : GOOD, what, "%s%s%s%s", about[kind], err ? ": " : "",
			    err ? why_no_kernel(kind, -err) : "", !err && !any ? " <- first" : "");
		any |= !err;
	}
	say_verdict(any ? GOOD : WARN, "kernel functions", any ? "can be listed (xputrace list 'kernel:*')" :
		    "cannot be traced here");
}

static bool check_privileges(void)
{
	const char *missing = NULL;

	if (!xpt_kernel__privileges(&missing)) {
		say_verdict(GOOD, "privileges", "sufficient");
		return true;
	}
	say_verdict(BAD, "privileges", "%s is missing: run as root (sudo)", missing);
	return false;
}

static void check_pidns(void)
{
	if (xpt_kernel__initial_pidns())
		say_verdict(GOOD, "process ids", "those of the kernel");
	else
		say_verdict(BAD, "process ids", "this is a container's PID namespace: run on the host, or "
			    "share the host's (docker run --pid=host)");
}

static void check_btf(void)
{
	if (!access("/sys/kernel/btf/vmlinux", R_OK))
		say_verdict(GOOD, "kernel BTF", "/sys/kernel/btf/vmlinux");
	else
		say_verdict(BAD, "kernel BTF", "missing: a kernel with CONFIG_DEBUG_INFO_BTF is needed");
}

static void check_lockdown(void)
{
	const char *level = xpt_kernel__lockdown();

	if (!level)
		say_verdict(GOOD, "lockdown", "the kernel does not say");
	else if (strcmp(level, "confidentiality"))
		say_verdict(GOOD, "lockdown", "%s%s", level, strcmp(level, "none") ? ": tracing works as without it" : "");
	else
		say_verdict(BAD, "lockdown", "%s", xpt_kernel__why_refused());
}

static void check_tracefs(void)
{
	const char *mounted = xpt_tracefs__mounted();

	if (mounted)
		say_verdict(GOOD, "tracefs", "mounted at %s", mounted);
	else if (xpt_tracefs__root())
		say_verdict(GOOD, "tracefs", "not mounted; xputrace uses a mount that no other process sees");
	else
		say_verdict(WARN, "tracefs", "not mounted, other ways are taken (mount -t tracefs tracefs "
			    "/sys/kernel/tracing)");
}

static void one_library(const struct xpt_domain *d, const char *path)
{
	struct xpt_elf *elf = NULL;
	struct xpt_plan *plan = NULL;
	int err = xpt_elf__open(path, &elf), n, i, moved = 0, slow = 0;

	if (err) {
		say_verdict(WARN, d->name, "%s: %s", path, strerror(-err));
		return;
	}
	n = xpt_plan__make(elf, d, NULL, true, &plan, NULL);
	for (i = 0; i < n; i++) {
		moved += plan[i].site.moved;
		slow += plan[i].site.cls == XPT_SITE_SINGLE_STEP;
	}
	say_verdict(n > 0 ? GOOD : WARN, d->name, "%s", path);
	say_verdict(MORE, "", "%d functions; probes of %d moved to a cheaper place, %d single-stepped",
	       n > 0 ? n : 0, moved, slow);
	xpt_plan__free(plan, n);
	xpt_elf__close(elf);
}

static void check_libraries(void)
{
	const char *const *so;
	char path[4096];
	size_t d;

	for (d = 0; d < xpt_nr_domains; d++) {
		bool found = false;

		if (!xpt_domains[d]->sonames)
			continue;

		for (so = xpt_domains[d]->sonames; so && *so; so++) {
			struct xpt_libpath lp = { .ld_library_path = getenv("LD_LIBRARY_PATH") };

			while (xpt_libpath__next(&lp, *so, path, sizeof(path)) > 0) {
				one_library(xpt_domains[d], path);
				found = true;
			}
		}
		if (!found)
			say_verdict(WARN, xpt_domains[d]->name, "no library on the loader's path; those in "
				    "containers, wheels and executables are found when loaded");
	}
}

static void check_driver(void)
{
	FILE *f = fopen("/proc/driver/nvidia/version", "re");
	char line[256];

	if (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		say_verdict(GOOD, "NVIDIA driver", "%s", line);
	} else {
		say_verdict(WARN, "NVIDIA driver", "not loaded (programs without a GPU can be traced too)");
	}
	if (f)
		fclose(f);
}

/* Callback of the reader: another device. */
static uint32_t count_device(void *ctx, const struct xpt_device_info *info, uint32_t parent)
{
	(void)info, (void)parent;
	return ++*(uint32_t *)ctx;
}

static void drop_values(void *ctx, uint32_t device, const struct xpt_wire_reading *value, size_t nr)
{
	(void)ctx, (void)device, (void)value, (void)nr;
}

/* Asks a reader once, as `run --devices` and the agent do. A driver that hangs is reported after READING_NS. */
static void check_readings(enum xpt_reader_kind kind, const char *what, const char *of)
{
	uint32_t nr = 0;
	struct xpt_reader_cfg cfg = { .kind = kind, .period_ns = SECOND, .start_ns = READING_NS, .ctx = &nr,
				      .device = count_device, .values = drop_values };
	uint64_t now = xpt_now_ns(), until = now + 4 * READING_NS;
	struct xpt_reader_status st = { .state = XPT_READER_STARTING };
	struct xpt_reader *r = NULL;
	char why[512];
	int err;

	cfg.from = kind == XPT_READER_NVML ? xpt_session_devices__nvml() : NULL;
	err = xpt_reader__new(&cfg, &r);
	if (err) {
		say_verdict(WARN, what, "cannot be read: %s", strerror(-err));
		return;
	}
	for (; st.state == XPT_READER_STARTING && now < until; now = xpt_now_ns()) {
		struct pollfd p = { .fd = xpt_reader__fd(r), .events = POLLIN };

		xpt_reader__step(r, now);
		xpt_reader__status(r, now, &st);
		if (st.state == XPT_READER_STARTING)
			poll(&p, 1, 100);
	}
	if (st.state == XPT_READER_ANSWERS && nr)
		say_verdict(GOOD, what, "readings of %u %s%s", nr, of, nr == 1 ? "" : "s");
	else if (st.state == XPT_READER_ANSWERS)
		say_verdict(GOOD, what, "answers; no %s is here", of);
	else
		say_verdict(WARN, what, "%s", xpt_reader__say(r, now, why, sizeof(why)));
	xpt_reader__free(r);
}

/* Listens as the agent would, at a port that is free. */
static void check_metrics(void)
{
	char where[XPT_SERVER_ADDRESS];
	struct xpt_server *s = NULL;
	int err = xpt_server__open("127.0.0.1:0", &s, where);

	if (!err)
		say_verdict(GOOD, "metrics", "can be served over HTTP");
	else if (err == -ENOTSUP)
		say_verdict(WARN, "metrics", "cannot be served: this program was built without libmicrohttpd");
	else
		say_verdict(WARN, "metrics", "cannot be served on 127.0.0.1: %s", strerror(-err));
	xpt_server__close(s);
}

struct doctor_opts {
	bool verbose;
};

static const struct xpt_opt opts[] = {
	{ "verbose", 'v', XPT_OPT_FLAG, offsetof(struct doctor_opts, verbose), 0,
	  "what the kernel and libbpf say, on stderr", 0 },
	{ 0 },
};

static int run_doctor(int argc, char **argv)
{
	struct doctor_opts o = { 0 };
	int rest, status = xpt_opt__parse(&xpt_cmd_doctor, argc, argv, &o, &rest);
	struct utsname u;

	if (status >= 0)
		return status;
	if (argv[rest])
		return xpt_opt__usage(&xpt_cmd_doctor, "unexpected '%s'", argv[rest]);
	if (o.verbose)
		xpt_log__set_level(XPT_LOG_DEBUG);
	uname(&u);
	printf("xputrace %s on Linux %s %s, %ld CPUs\n", XPT_VERSION, u.release, u.machine,
	       sysconf(_SC_NPROCESSORS_ONLN));
	check_btf();
	check_lockdown();
	check_tracefs();
	check_pidns();
	if (check_privileges()) {
		check_attach();
		check_watcher();
		check_ioctls();
		check_kernel_functions();
	}
	check_driver();
	check_libraries();
	check_readings(XPT_READER_NVML, "NVML", "GPU");
	check_readings(XPT_READER_SYSFS, "sysfs", "RDMA device or NVMe controller");
	check_metrics();
	if (nr_bad)
		printf("%u thing%s to mend before tracing works\n", nr_bad, nr_bad > 1 ? "s" : "");
	return nr_bad ? XPT_EXIT_PRIVILEGE : XPT_EXIT_OK;
}

const struct xpt_cmd xpt_cmd_doctor = {
	.name = "doctor",
	.args = "[OPTIONS]",
	.summary = "what this machine can trace, and what is missing",
	.opts = opts,
	.examples = "  sudo xputrace doctor\n",
	.run = run_doctor,
};
