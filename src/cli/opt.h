/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options and commands as tables: parsing, --help and the check against the
 * man pages all read the same rows.
 */
#ifndef XPT_CLI_OPT_H
#define XPT_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/list.h"
#include "session/options/usage.h"

enum xpt_opt_type {
	XPT_OPT_FLAG,		/* bool: true */
	XPT_OPT_NO,		/* bool: false */
	XPT_OPT_STR,		/* const char * */
	XPT_OPT_LIST,		/* struct xpt_list: may be given again */
	XPT_OPT_GLOBS,		/* struct xpt_list: --name or --name=GLOB, without a value "*" */
	XPT_OPT_SIZE,		/* uint64_t, bytes */
	XPT_OPT_DURATION,	/* uint64_t, nanoseconds */
	XPT_OPT_PERIOD,		/* uint64_t, nanoseconds: --name or --name=TIME, 0.1 s to 1 h, without a value 1 s */
	XPT_OPT_RATE,		/* uint64_t, 1 to 1,000,000 a second */
	XPT_OPT_SHARE,		/* uint64_t, 1 to 1,000,000 parts per million */
	XPT_OPT_CHOICE,		/* unsigned: index into choices */
};

struct xpt_opt {
	const char *name;	/* long name without dashes */
	char letter;		/* or 0 */
	enum xpt_opt_type type;
	size_t offset;		/* into the command's options */
	const char *arg;	/* FILE, SIZE ... in help; NULL for flags */
	const char *help;
	const char *choices;	/* CHOICE: "auto|session|multi"; STR, LIST: globs that a value matches, or 0 */
};

struct xpt_cmd {
	const char *name, *args, *summary;
	const struct xpt_opt *opts;	/* ends with name NULL; may be NULL */
	const char *examples;
	bool takes_command;	/* options end at the first operand; else they may follow it */
	int (*run)(int argc, char **argv);	/* argv[0] is the command's name; exit status */
	const struct xpt_cmd *const *subs;	/* ends with NULL: commands of its own, "rdma plan" */
};

/*
 * Fills opts; operands move after the options and *ret_rest is the index of
 * the first. -1: go on; otherwise the exit status to leave with (--help, or a
 * wrong option).
 */
int xpt_opt__parse(const struct xpt_cmd *cmd, int argc, char **argv, void *opts, int *ret_rest);
/*
 * Stores a checked value, which lives as long as opts; NULL: the option stands alone. 0, or -EINVAL or -E2BIG and why
 * in a buffer of n bytes: "'x' is not a size like 64K, 10M or 1G".
 */
int xpt_opt__set(const struct xpt_opt *o, const char *value, void *opts, char *why, size_t n);
bool xpt_opt__fits(const struct xpt_opt *o, const char *value);	/* does it match one of the globs of a STR or LIST? */
void xpt_opt__help(const struct xpt_cmd *cmd);	/* to stdout */
/* Runs the one of cmd->subs that argv[1] names, with argv[0] as its name; an exit status. */
int xpt_opt__run_sub(const struct xpt_cmd *cmd, int argc, char **argv);
/*
 * For a command line without its command, or with one that does not exist:
 * reports if the last option before argv[first] took a word that looks like the
 * command.
 */
void xpt_opt__report_taken(const struct xpt_cmd *cmd, char **argv, int first);
/* The same the other way round: argv[first] stands after an option that takes a value only with a '='. */
void xpt_opt__report_alone(char **argv, int first);
int xpt_opt__usage(const struct xpt_cmd *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));	/* message and hint; XPT_EXIT_USAGE */

extern const struct xpt_cmd xpt_cmd_run, xpt_cmd_attach, xpt_cmd_agent, xpt_cmd_top, xpt_cmd_list, xpt_cmd_doctor,
	xpt_cmd_report, xpt_cmd_timeline, xpt_cmd_replay, xpt_cmd_convert, xpt_cmd_errors,
	xpt_cmd_spdk, xpt_cmd_script, xpt_cmd_rdma, xpt_cmd_hist, xpt_cmd_hook;

#endif
