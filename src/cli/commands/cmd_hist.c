// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace hist: how the times of calls are spread, by function. The kernel
 * counts them anyway, so this is one reading of a recording; of a command or a
 * process it makes one itself, of totals only, in memory: it has no name that others could reach.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/terminal.h"
#include "cli/opt.h"
#include "recordings/compare.h"
#include "recordings/hist.h"
#include "session/options/kernel_functions.h"
#include "session/output_file.h"

#define MIN_COLUMNS 60
#define MAX_COLUMNS 200
#define NAME "totals.xtr"

struct hist_opts {
	struct xpt_list pids, devices;
	bool json, all;
};

#define XPT_HO(m) offsetof(struct hist_opts, m)

static const struct xpt_opt hist_opts[] = {
	{ "pid", 'p', XPT_OPT_LIST, XPT_HO(pids), "PID", "trace this process until it ends or Ctrl-C; "
	  "may be given again", 0 },
	{ "device", 0, XPT_OPT_LIST, XPT_HO(devices), "DEVICE", "count ioctls on this device, too, as "
	  "in 'run'; may be given again", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_HO(json), 0, "as one JSON object", 0 },
	{ "all", 0, XPT_OPT_FLAG, XPT_HO(all), 0, "every function, not only the 10 with most time", 0 },
	{ 0 },
};

struct words {			/* the arguments of `run` or `attach` */
	char **v;
	int n;
};

static void add_word(struct words *w, const char *word)
{
	w->v[w->n++] = (char *)word;	/* getopt moves words about and changes none */
}

static void add_list(struct words *w, const char *option, const struct xpt_list *list)
{
	for (unsigned i = 0; i < list->n; i++) {
		add_word(w, option);
		add_word(w, list->v[i]);
	}
}

/* System calls on devices: "ioctl:...", "mmap:nvidia", "poll:other". */
static bool is_on_device(const char *pattern)
{
	return !strncmp(pattern, "ioctl", 5) || !strncmp(pattern, "mmap:", 5) ||
	       !strncmp(pattern, "poll:", 5);
}

/* Adds the options that trace the functions to be counted. */
static void add_layers(struct words *w, const struct hist_opts *o, const char *pattern)
{
	if (xpt_kernel__is_pattern(pattern)) {
		add_word(w, "--layers");
		add_word(w, "driver");
		add_word(w, "-k");
		add_word(w, pattern + strlen("kernel:"));
	} else if (is_on_device(pattern)) {
		add_word(w, "--layers");
		add_word(w, "ioctl");
	} else {
		add_word(w, "-f");
		add_word(w, pattern);
	}
	add_list(w, "--device", &o->devices);
}

/*
 * Redirects other output, such as that of the command, to standard error if JSON goes to standard output. Returns the
 * descriptor to restore, or -1.
 */
static int divert_output(void)
{
	int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (saved >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		close(saved);
		saved = -1;
	}
	return saved;
}

static void restore_output(int saved)
{
	fflush(stdout);
	if (saved < 0)
		return;
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

/* Counts into path as `run` or `attach` does; its exit status. cmd: NULL-terminated. */
static int count_calls(const struct hist_opts *o, const char *pattern, char **cmd, int nr_cmd,
		       const char *path)
{
	const struct xpt_cmd *how = nr_cmd ? &xpt_cmd_run : &xpt_cmd_attach;
	struct words w = { .v = calloc((size_t)nr_cmd + 4 * XPT_LIST_MAX + 16, sizeof(char *)) };
	int status, saved;

	if (!w.v)
		return xpt_err(XPT_EXIT_FAILED, "out of memory");
	add_word(&w, how->name);
	add_word(&w, "--counters");
	add_word(&w, "--no-summary");
	add_word(&w, "-q");
	add_word(&w, "-o");
	add_word(&w, path);
	add_layers(&w, o, pattern);
	add_list(&w, "-p", &o->pids);
	if (nr_cmd)
		add_word(&w, "--");
	for (int i = 0; i < nr_cmd; i++)
		add_word(&w, cmd[i]);
	optind = 0;	/* getopt(3) begins anew */
	saved = o->json ? divert_output() : -1;
	status = how->run(w.n, w.v);
	restore_output(saved);
	free(w.v);
	return status;
}

static unsigned terminal_columns(void)
{
	unsigned columns = xpt_terminal_columns(stdout);

	if (!columns)
		return 80;
	return columns < MIN_COLUMNS ? MIN_COLUMNS : columns < MAX_COLUMNS ? columns : MAX_COLUMNS;
}

/* An exit status: XPT_EXIT_FAILED if nothing matches or not all could be read. */
static int show_hists(const struct hist_opts *o, const char *pattern, const char *path)
{
	struct xpt_hist_cfg cfg = { .pattern = pattern, .json = o->json, .all = o->all,
				    .columns = terminal_columns() };
	struct xpt_run run;
	int status = XPT_EXIT_FAILED;

	if (!xpt_run__read(path, &run)) {
		if (xpt_hist__write(&run, &cfg))
			status = run.err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
		else
			xpt_hist__explain(&run, &cfg);
	}
	xpt_run__free(&run);
	return status;
}

/* Counts first. The status of the command, if it was not a good one. */
static int count_and_show(const struct hist_opts *o, const char *pattern, char **cmd, int nr_cmd)
{
	int fd = memfd_create("xputrace-totals", MFD_CLOEXEC), status, shown;
	char path[32];
	struct stat st;

	if (fd < 0) {
		xpt_err(-errno, "cannot make a file in memory: %s", strerror(errno));
		return XPT_EXIT_FAILED;
	}
	xpt_file__lend(NAME, fd);
	status = count_calls(o, pattern, cmd, nr_cmd, NAME);
	xpt_file__lend(NULL, -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!fstat(fd, &st) && st.st_size) {
		shown = show_hists(o, pattern, path);
		status = status ? status : shown;
	}
	close(fd);
	return status;
}

static bool has_command(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return false;
}

static int run_hist(int argc, char **argv)
{
	struct hist_opts o = { 0 };
	bool command = has_command(argc, argv);
	int rest, n, status = xpt_opt__parse(&xpt_cmd_hist, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	n = argc - rest;
	if (n < 1)
		return xpt_opt__usage(&xpt_cmd_hist, "which functions? A name, or a pattern in quotes");
	if (command && o.pids.n)
		return xpt_opt__usage(&xpt_cmd_hist, "-p or a command, not both");
	if (command && n < 2)
		return xpt_opt__usage(&xpt_cmd_hist, "which command? xputrace hist PATTERN -- CMD ARGS");
	if (!command && n != (o.pids.n ? 1 : 2))
		return n == 1 ? xpt_opt__usage(&xpt_cmd_hist, "of what? A recording (- reads standard "
					       "input), -p PID, or -- CMD")
			      : xpt_opt__usage(&xpt_cmd_hist, "unexpected '%s'", argv[argc - 1]);
	if (command || o.pids.n)
		return count_and_show(&o, argv[rest], argv + rest + 1, command ? n - 1 : 0);
	if (o.devices.n)
		return xpt_opt__usage(&xpt_cmd_hist, "--device is for -p and commands");
	return show_hists(&o, argv[rest], argv[rest + 1]);
}

const struct xpt_cmd xpt_cmd_hist = {
	.name = "hist",
	.args = "PATTERN [OPTIONS] FILE | -p PID | -- CMD [ARGS]",
	.summary = "how the times of calls are spread, by function",
	.opts = hist_opts,
	.examples = "  xputrace hist cuLaunchKernel t.xtr\n"
		    "  sudo xputrace hist 'cuMemcpy*' -- ./train\n"
		    "  sudo xputrace hist 'kernel:nvidia:*Schedule*' -p 4711\n",
	.run = run_hist,
};
