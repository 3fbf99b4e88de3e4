// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace script: runs bpftrace scripts that were written for any build of a
 * program, as SPDK ships them. The work is bpftrace's, which is watched.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "cli/opt.h"
#include "model/domain/states.h"
#include "proc/libpath.h"
#include "session/output_file.h"
#include "session/spdk/bpftrace_run.h"
#include "session/spdk/script.h"

#define SCRIPT_MAX (4u << 20)

struct script_opts {
	const char *pid, *output, *release;
	bool print;
};

struct script_run {
	const struct script_opts *o;
	int pid;
	unsigned release;
	char **command;			/* NULL with pid */
	char exe[PATH_MAX];
	struct xpt_strbuf text, program;
	char *words;		/* the command as one string */
};

static int read_script(struct script_run *r, const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char buf[4096];
	size_t n;
	int err;

	if (!f)
		return xpt_err(-errno, "cannot read %s: %s", path, strerror(errno));
	while (!xpt_strbuf__err(&r->text) && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		xpt_strbuf__addn(&r->text, buf, n);
	err = ferror(f) ? -EIO : xpt_strbuf__err(&r->text);
	if (f != stdin)
		fclose(f);
	if (!err && strlen(xpt_strbuf__str(&r->text)) != r->text.len)
		err = -EINVAL;
	xpt_strbuf__addc(&r->text, '\n');
	return err ? xpt_err(err, "cannot read %s: %s", path, err == -E2BIG ? "it is too long"
			     : err == -EINVAL ? "it is no text" : strerror(-err)) : 0;
}

/* bpftrace splits its -c at blanks: words that hold others go through a shell, from memory. */
static char *command_text(char **argv)
{
	struct xpt_strbuf sb;
	bool plain = true;
	char *text = NULL;
	int fd;

	xpt_strbuf__init(&sb, SCRIPT_MAX);
	for (char **p = argv; *p; p++)
		plain = plain && **p && !strpbrk(*p, " \t\n'\"\\");
	if (!plain)
		xpt_strbuf__add(&sb, "exec");
	for (char **p = argv; *p; p++) {
		if (p > argv || !plain)
			xpt_strbuf__addc(&sb, ' ');
		if (!plain)
			xpt_strbuf__addc(&sb, '\'');
		for (const char *c = *p; *c; c++)
			xpt_strbuf__addn(&sb, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
		if (!plain)
			xpt_strbuf__addc(&sb, '\'');
	}
	if (plain) {
		text = strdup(xpt_strbuf__str(&sb));
	} else {
		fd = memfd_create("command", 0);
		if (fd < 0 || write(fd, xpt_strbuf__str(&sb), sb.len) != (ssize_t)sb.len ||
		    asprintf(&text, "/bin/sh /proc/self/fd/%d", fd) < 0)
			text = NULL;
	}
	if (xpt_strbuf__err(&sb)) {
		free(text);
		text = NULL;
	}
	xpt_strbuf__free(&sb);
	return text;
}

/* The file is opened here, with the rights of the user behind sudo: bpftrace would open it as root. */
static int lend_output(const char *output, char *path, size_t n, struct xpt_file *ret_f)
{
	int err = xpt_file__open(output, ret_f);

	if (!err)
		err = xpt_file__cut(ret_f, 0);
	if (!err && fcntl(ret_f->fd, F_SETFD, 0))
		err = xpt_err(-errno, "cannot hand on %s: %s", output, strerror(errno));
	if (!err)
		snprintf(path, n, "/proc/self/fd/%d", ret_f->fd);
	return err;
}

static int say_not_run(int err)
{
	if (err != -ENOENT) {
		xpt_err(err, "cannot run bpftrace: %s", strerror(-err));
		return XPT_EXIT_NOT_EXECUTABLE;
	}
	xpt_err(-ENOENT, "bpftrace is not installed: 'apt-get install bpftrace' (Debian, Ubuntu), 'dnf "
		"install bpftrace' (Fedora), 'pacman -S bpftrace' (Arch), or bpftrace.org");
	return XPT_EXIT_NOT_FOUND;
}

static bool has_bytes(const struct xpt_file *f)
{
	struct stat st;

	return f && !fstat(f->fd, &st) && st.st_size > 0;
}

/* The exit status. out: the file of -o, or NULL. */
static int say_end(const struct script_run *r, const struct xpt_bpftrace_end *end, const struct xpt_file *out)
{
	const char *command = !r->command ? "" : end->started ? "" : "; the command was not run";
	bool silent = !end->printed && !has_bytes(out);
	int sig = WTERMSIG(end->status);

	if (WIFSIGNALED(end->status)) {
		xpt_err(-EPIPE, "bpftrace was ended by signal %d (%s)%s", sig, strsignal(sig), command);
		return 128 + sig;
	}
	if (WEXITSTATUS(end->status) && r->command && !end->started)
		xpt_err(-EIO, "bpftrace ended with exit status %d; the command was not run", WEXITSTATUS(end->status));
	if (WEXITSTATUS(end->status))
		return WEXITSTATUS(end->status);
	if (silent || (r->command && !end->started)) {
		xpt_err(-EIO, "bpftrace ended with exit status 0%s%s", silent ? " and printed nothing, not even how many "
			"probes it has" : "", command);
		return XPT_EXIT_FAILED;
	}
	return XPT_EXIT_OK;
}

static int run_bpftrace(struct script_run *r)
{
	char pid[16], path[32], *argv[10] = { "bpftrace" };
	struct xpt_bpftrace_end end;
	struct xpt_file out;
	unsigned n = 1;
	int err;

	if (r->command) {
		argv[n++] = "-c";
		r->command[0] = r->exe;
		argv[n++] = r->words = command_text(r->command);
		if (!r->words) {
			xpt_err(-ENOMEM, "out of memory");
			return XPT_EXIT_FAILED;
		}
	} else {
		snprintf(pid, sizeof(pid), "%d", r->pid);
		argv[n++] = "-p";
		argv[n++] = pid;
	}
	if (r->o->output) {
		if (lend_output(r->o->output, path, sizeof(path), &out))
			return XPT_EXIT_FAILED;
		argv[n++] = "-o";
		argv[n++] = path;
	}
	argv[n++] = "-e";
	argv[n++] = r->program.s;
	fflush(NULL);
	err = xpt_bpftrace__run(argv, r->command ? r->exe : NULL, &end);
	if (err && r->o->output)
		xpt_file__remove(&out);
	return err ? say_not_run(err) : say_end(r, &end, r->o->output ? &out : NULL);
}

static int run_scripts(struct script_run *r, char **files)
{
	struct xpt_script *s = NULL;
	int err = 0;

	if (r->command && xpt_libpath__command(r->command[0], getenv("PATH"), r->exe, sizeof(r->exe))) {
		xpt_err(-ENOENT, "%s: no such command", r->command[0]);
		return XPT_EXIT_NOT_FOUND;
	}
	for (; *files && !err; files++)
		err = read_script(r, *files);
	if (!err)
		err = xpt_script__new(r->pid, r->exe, &s);
	if (!err)
		err = xpt_script__add(s, xpt_strbuf__str(&r->text), r->release, &r->program);
	xpt_script__free(s);
	if (err)
		return err == -ESRCH || err == -ENOENT ? XPT_EXIT_NOTHING : XPT_EXIT_FAILED;
	if (!r->o->print)
		return run_bpftrace(r);
	fwrite(r->program.s, 1, r->program.len, stdout);
	return XPT_EXIT_OK;
}

/* How many words follow a word "--". */
static int words_behind(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - 1 - i;
	return 0;
}

static int run_script(int argc, char **argv)
{
	struct script_opts o = { 0 };
	struct script_run r = { .o = &o };
	int rest, nr_command = words_behind(argc, argv);
	int status = xpt_opt__parse(&xpt_cmd_script, argc, argv, &o, &rest);
	int nr_files = argc - rest - nr_command;
	char **files = argv + rest;
	uint64_t pid = 0;

	if (status >= 0)
		return status;
	if (nr_files < 1)
		return xpt_opt__usage(&xpt_cmd_script, "which script?");
	if (!o.pid == !nr_command)
		return xpt_opt__usage(&xpt_cmd_script, "which program? -p PID, or -- COMMAND");
	if (o.pid && xpt_parse_u64(o.pid, 1, INT32_MAX, &pid))
		return xpt_opt__usage(&xpt_cmd_script, "-p: '%s' is not a process id", o.pid);
	if (o.release)
		r.release = xpt_release__parse(o.release);
	if (o.release && !r.release)
		return xpt_opt__usage(&xpt_cmd_script, "--release: '%s' is not one like 24.01", o.release);
	r.pid = (int)pid;
	files = calloc((size_t)nr_files + 1, sizeof(*files));
	if (!files)
		return XPT_EXIT_FAILED;
	memcpy(files, argv + rest, (size_t)nr_files * sizeof(*files));
	r.command = nr_command ? argv + rest + nr_files : NULL;
	xpt_strbuf__init(&r.text, SCRIPT_MAX);
	xpt_strbuf__init(&r.program, SCRIPT_MAX);
	status = run_scripts(&r, files);
	xpt_strbuf__free(&r.text);
	xpt_strbuf__free(&r.program);
	free(r.words);
	free(files);
	return status;
}

#define SO(m) offsetof(struct script_opts, m)

static const struct xpt_opt opts[] = {
	{ "pid", 'p', XPT_OPT_STR, SO(pid), "PID", "the process whose probes are meant", 0 },
	{ "print", 0, XPT_OPT_FLAG, SO(print), NULL, "show the script as bpftrace would get it, and end", 0 },
	{ "output", 'o', XPT_OPT_STR, SO(output), "FILE", "what bpftrace prints goes there", 0 },
	{ "release", 0, XPT_OPT_STR, SO(release), "YY.MM", "names of states as in that release of SPDK "
	  "(default: as the program says)", 0 },
	{ 0 },
};

const struct xpt_cmd xpt_cmd_script = {
	.name = "script",
	.args = "FILE... -p PID | FILE... -- COMMAND [ARGS]",
	.summary = "bpftrace scripts with __EXE__ and __PID__, as SPDK ships them",
	.opts = opts,
	.examples = "  sudo xputrace script nvmf.bt -p 4711\n  sudo xputrace script send_msg.bt -- build/bin/nvmf_tgt -m 0x1\n",
	.run = run_script,
};
