/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the calls of every function that a library exports, whatever library
 * it is, with the engine alone: a domain made for it, probes where --sites=auto
 * or symbol puts them, a command that is traced with its children. Prints
 * `NAME CALLS` for each function that was called; `#` lines say where the probes are.
 *   site_count auto|symbol LIBRARY COMMAND...
 *   site_count table LIBRARY      sites by class and reason, nothing is run
 *   site_count names LIBRARY      the functions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "elf/elf.h"
#include "engine/engine.h"

#define TARGET "target-of-the-test"

static const char *const libs[] = { TARGET, NULL };
static const char *const all[] = { "*", NULL };
static const struct xpt_domain any = {
	.name = "any", .libs = libs, .catch_all = all, .catch_all_ret = XPT_RET_VALUE,
};
static const struct xpt_domain *const domains[] = { &any, NULL };

static char *names[XPT_MAX_FNS];
static uint64_t calls[XPT_MAX_FNS], losses;

static void on_record(void *ctx, const void *record, size_t size)
{
	const struct xpt_rec *rec = record;
	const struct xpt_rec_counter *count = record;
	const struct xpt_rec_loss *loss = record;

	(void)ctx;
	if (rec->kind == XPT_REC_FN && !names[rec->fn] && size > sizeof(struct xpt_rec_fn))
		names[rec->fn] = strdup((const char *)record + sizeof(struct xpt_rec_fn));
	else if (rec->kind == XPT_REC_COUNTER)
		calls[count->key.fn] += count->count.calls;
	else if (rec->kind == XPT_REC_LOSS && (loss->loss == XPT_LOSS_THREADS_FULL ||
					       loss->loss == XPT_LOSS_TARGETS_FULL))
		losses += loss->count;
}

/* A uretprobe's return address must not be kept by what is called twice, and
 * no probe belongs into what the loader does before it can be interrupted. */
static bool left_out(const char *name)
{
	static const char *const out[] = {
		"setjmp", "_setjmp", "__sigsetjmp", "vfork", "__vfork", "getcontext",
		"swapcontext", "setcontext", "makecontext", "__libc_start_main", "clone", "__clone",
		"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "__libc_siglongjmp",
		"__libc_longjmp", "_exit", "_Exit", "exit", "quick_exit", "pthread_exit", "__clone2",
		"__sigjmp_save", "__libc_unwind_link_get", "_dl_mcount_wrapper", NULL
	};
	int i;

	for (i = 0; out[i]; i++)
		if (!strcmp(out[i], name))
			return true;
	return false;
}

/* The names of all exports but those; ends with NULL. */
static const char **functions(const char *path)
{
	const struct xpt_sym *syms;
	struct xpt_elf *elf = NULL;
	const char **list;
	size_t n, i, out = 0;

	if (xpt_elf__open(path, &elf))
		return NULL;
	syms = xpt_elf__syms(elf, &n);
	list = calloc(n + 1, sizeof(*list));
	for (i = 0; list && i < n; i++)
		if (!left_out(syms[i].name))
			list[out++] = strdup(syms[i].name);
	xpt_elf__close(elf);
	return list;
}

/* The sites by class, place and reason; or the names, one for each place. */
static int table(const char *path, bool only_names)
{
	struct { const char *cls, *move, *reason; unsigned n; } rows[32] = { { NULL, NULL, NULL, 0 } };
	struct xpt_plan *plan = NULL;
	struct xpt_elf *elf = NULL;
	int i, k, nr;

	if (xpt_elf__open(path, &elf))
		return 1;
	nr = xpt_plan__make(elf, &any, NULL, true, &plan, NULL);
	for (i = 0; i < nr; i++) {
		const struct xpt_site *s = &plan[i].site;

		if (only_names)
			printf("%s\n", plan[i].sym);
		for (k = 0; k < 31 && rows[k].n; k++)
			if (rows[k].reason == s->reason && rows[k].cls == xpt_site_class_name(s->cls))
				break;
		rows[k].cls = xpt_site_class_name(s->cls);
		rows[k].move = s->moved ? "moved" : "symbol";
		rows[k].reason = s->reason;
		rows[k].n++;
	}
	for (k = 0; !only_names && k < 32 && rows[k].n; k++)
		printf("%u %s %s: %s\n", rows[k].n, rows[k].cls, rows[k].move, rows[k].reason);
	xpt_plan__free(plan, nr);
	xpt_elf__close(elf);
	return nr <= 0;
}

static int command(char **argv, int *ret_go)
{
	int go[2], pid;
	char c;

	if (pipe(go))
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1) == 1)
			execv(argv[0], argv);
		_exit(126);
	}
	close(go[0]);
	*ret_go = go[1];
	return pid;
}

static int failed(const char *path, const char *what, int err)
{
	fprintf(stderr, "site_count: %s: %s (%d)\n", path, what, err);
	return 1;
}

static int trace(bool move, const char *path, char **argv)
{
	struct xpt_engine_cfg cfg = { .domains = domains, .move_sites = move, .follow = true,
				      .functions = functions(path) };
	struct xpt_engine *e = NULL;
	struct xpt_engine_stats st;
	const char *why = NULL;
	int go, pid, status = 0, i;

	pid = command(argv, &go);
	if (pid < 0 || !cfg.functions)
		return failed(path, "no command", pid);
	status = xpt_engine__new(&cfg, on_record, NULL, &e, &why);
	if (status)
		return failed(path, why ? why : "no engine", status);
	status = xpt_engine__add_library(e, path, TARGET);
	if (status != 1)
		return failed(path, "add_library", status);
	status = xpt_engine__add_child(e, pid);
	if (!status)
		status = xpt_engine__start(e);
	if (status)
		return failed(path, "start", status);
	xpt_engine__stats(e, &st);
	fprintf(stderr, "# %u functions, %u probes, %u failed, %u unsafe\n", st.nr_fns, st.nr_probes,
		st.nr_failed, st.nr_unsafe);
	if (write(go, "g", 1) != 1)
		return 1;
	while (!xpt_engine__targets_gone(e))
		xpt_engine__poll(e, 50);
	waitpid(pid, &status, 0);
	xpt_engine__stop(e, status, XPT_END_COMMAND);
	xpt_engine__free(e);
	for (i = 1; i < XPT_MAX_FNS; i++)
		if (names[i] && calls[i])
			printf("%s %llu\n", names[i], (unsigned long long)calls[i]);
	if (losses || status)
		fprintf(stderr, "site_count: status %d, %llu lost\n", status,
			(unsigned long long)losses);
	return losses || status;
}

int main(int argc, char **argv)
{
	if (argc == 3 && (!strcmp(argv[1], "table") || !strcmp(argv[1], "names")))
		return table(argv[2], argv[1][0] == 'n');
	if (argc < 4) {
		fprintf(stderr, "usage: site_count auto|symbol LIBRARY COMMAND...\n");
		return 2;
	}
	return trace(!strcmp(argv[1], "auto"), argv[2], argv + 3);
}
