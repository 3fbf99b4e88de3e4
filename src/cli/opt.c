// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The option parser: turns a command's table into getopt_long(3) rows, stores
 * checked values by offset, prints help from the same table.
 */
#include "cli/opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "session/options/suggest.h"
#include "proc/libpath.h"

#define HELP_VAL 1000
#define PERIOD_MIN_NS 100000000ull
#define PERIOD_MAX_NS 3600000000000ull

static unsigned count_opts(const struct xpt_cmd *cmd)
{
	unsigned n = 0;

	while (cmd->opts && cmd->opts[n].name)
		n++;
	return n;
}

static bool has_arg(const struct xpt_opt *o)
{
	return o->type != XPT_OPT_FLAG && o->type != XPT_OPT_NO;
}

static int choose_word(const struct xpt_opt *o, const char *arg, unsigned *ret_i)
{
	const char *p = o->choices;
	size_t n = strlen(arg);
	unsigned i;

	for (i = 0; *p; i++) {
		size_t len = strcspn(p, "|");

		if (len == n && !strncmp(p, arg, n)) {
			*ret_i = i;
			return 0;
		}
		p += len + (p[len] == '|');
	}
	return -1;
}

/* The last value that was a word of its own, and where it stood. */
static struct { const struct xpt_opt *o; const char *value; char **at; } separate_value;

/* The last option that takes a value only after a '=' and had none, and the word after it. */
static struct { const struct xpt_opt *o; const char *word; } without_value;

/* Would a shell run this? */
static bool is_command(const char *word)
{
	char path[4096];

	return !xpt_libpath__command(word, getenv("PATH"), path, sizeof(path));
}

bool xpt_opt__fits(const struct xpt_opt *o, const char *arg)
{
	char glob[64];
	const char *p = o->choices;

	while (p && *p) {
		size_t len = strcspn(p, "|");

		snprintf(glob, sizeof(glob), "%.*s", (int)len, p);
		if (xpt_glob_match(glob, arg))
			return true;
		p += len + (p[len] == '|');
	}
	return !p;
}

/* Returns -1, or an exit status if arg cannot be meant as the value of this option. */
static int check_value(const struct xpt_cmd *cmd, const struct xpt_opt *o, const char *arg)
{
	bool own_word = separate_value.value == arg;

	if (own_word && arg[0] == '-' && arg[1] && strcmp(arg, "--"))
		return xpt_opt__usage(cmd, "--%s needs %s, and '%s' is an option (--%s=%s if it is meant)",
				      o->name, o->arg, arg, o->name, arg);
	if (own_word && !strcmp(arg, "--"))
		return xpt_opt__usage(cmd, "--%s needs %s before the '--'", o->name, o->arg);
	if ((o->type != XPT_OPT_LIST && o->type != XPT_OPT_STR) || xpt_opt__fits(o, arg))
		return -1;
	if (cmd->takes_command && is_command(arg))
		return xpt_opt__usage(cmd, "--%s needs %s, and '%s' is a command: 'xputrace %s --%s %s -- "
				      "%s ...' runs it", o->name, o->arg, arg, cmd->name, o->name, o->arg, arg);
	return xpt_opt__usage(cmd, "--%s: '%s' is not %s", o->name, arg, o->arg);
}

void xpt_opt__report_taken(const struct xpt_cmd *cmd, char **argv, int first)
{
	if (separate_value.value && separate_value.at == &argv[first - 1] && is_command(separate_value.value))
		xpt_err(0, "'%s' was taken as the %s of --%s: 'xputrace %s --%s %s -- %s ...' runs it",
			separate_value.value, separate_value.o->arg, separate_value.o->name, cmd->name,
			separate_value.o->name, separate_value.o->arg, separate_value.value);
}

void xpt_opt__report_alone(char **argv, int first)
{
	if (without_value.word && without_value.word == argv[first])
		xpt_err(0, "if '%s' is the %s of --%s, write --%s=%s", without_value.word, without_value.o->arg,
			without_value.o->name, without_value.o->name, without_value.word);
}

/* Adds a value to a list. */
static int add_value(struct xpt_list *list, const char *value, char *why, size_t n)
{
	if (list->n == XPT_LIST_MAX) {
		snprintf(why, n, "'%s' is one too many, at most %d", value, XPT_LIST_MAX);
		return -E2BIG;
	}
	list->v[list->n++] = value;
	return 0;
}

/* Parses a number with a unit. 0 or -EINVAL. */
static int set_number(const struct xpt_opt *o, const char *value, uint64_t *at, char *why, size_t n)
{
	const char *what = "";
	int err = -EINVAL;

	switch (o->type) {
	case XPT_OPT_SIZE:
		err = xpt_parse_size(value, 0, UINT64_MAX / 2, at);
		what = "a size like 64K, 10M or 1G";
		break;
	case XPT_OPT_DURATION:
		err = xpt_parse_duration(value, 0, UINT64_MAX / 2, at);
		what = "a duration like 5s, 10ms or 20us";
		break;
	case XPT_OPT_PERIOD:
		err = xpt_parse_duration(value, PERIOD_MIN_NS, PERIOD_MAX_NS, at);
		what = "a time from 100ms to 1h";
		break;
	case XPT_OPT_RATE:
		err = xpt_parse_rate(value, 1, 1000000, at);
		what = "a rate like 100/s, at least 1/s and at most 1M/s";
		break;
	case XPT_OPT_SHARE:
		err = xpt_parse_share(value, 1, 1000000, at);
		what = "a share like 1% or 0.5%";
		break;
	default:
		break;
	}
	if (err)
		snprintf(why, n, "'%s' is not %s", value, what);
	return err ? -EINVAL : 0;
}

int xpt_opt__set(const struct xpt_opt *o, const char *value, void *opts, char *why, size_t n)
{
	void *at = (char *)opts + o->offset;

	switch (o->type) {
	case XPT_OPT_FLAG:
	case XPT_OPT_NO:
		*(bool *)at = o->type == XPT_OPT_FLAG;
		return 0;
	case XPT_OPT_STR:
		*(const char **)at = value;
		return 0;
	case XPT_OPT_LIST:
	case XPT_OPT_GLOBS:
		return add_value(at, value ? value : "*", why, n);
	case XPT_OPT_CHOICE:
		if (!choose_word(o, value, at))
			return 0;
		snprintf(why, n, "'%s' is not one of %s", value, o->choices);
		return -EINVAL;
	default:
		return set_number(o, value ? value : "1s", at, why, n);
	}
}

static int store_value(const struct xpt_cmd *cmd, const struct xpt_opt *o, const char *arg, void *opts)
{
	char why[512];

	return xpt_opt__set(o, arg, opts, why, sizeof(why)) ? xpt_opt__usage(cmd, "--%s: %s", o->name, why) : -1;
}

/* --name or --name=VALUE, and never --name VALUE. */
static bool may_have_arg(const struct xpt_opt *o)
{
	return o->type == XPT_OPT_GLOBS || o->type == XPT_OPT_PERIOD;
}

/* Rows for getopt_long; a first character '+' stops at the first operand. */
static void make_rows(const struct xpt_cmd *cmd, struct option *rows, char *letters)
{
	unsigned n = count_opts(cmd), i;

	if (cmd->takes_command)
		*letters++ = '+';
	*letters++ = ':';
	for (i = 0; i < n; i++) {
		rows[i].name = cmd->opts[i].name;
		rows[i].has_arg = may_have_arg(&cmd->opts[i]) ? optional_argument :
				  has_arg(&cmd->opts[i]) ? required_argument : no_argument;
		rows[i].val = (int)(HELP_VAL + 1 + i);
		if (!cmd->opts[i].letter)
			continue;
		*letters++ = cmd->opts[i].letter;
		if (has_arg(&cmd->opts[i]))
			*letters++ = ':';
	}
	rows[n].name = "help";
	rows[n].val = HELP_VAL;
	*letters++ = 'h';
	*letters = '\0';
}

static const struct xpt_opt *by_value(const struct xpt_cmd *cmd, int val)
{
	unsigned n = count_opts(cmd), i;

	for (i = 0; i < n; i++)
		if (val == (int)(HELP_VAL + 1 + i) || (val && val == cmd->opts[i].letter))
			return &cmd->opts[i];
	return NULL;
}

/* getopt_long has a wrong letter in optopt, and a wrong long option at its place in argv. */
static int bad_option(const struct xpt_cmd *cmd, int val, char **argv)
{
	const char *what = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' }, text[256];
	char dashed[XPT_NEAR_LEN];
	const struct xpt_opt *o;
	struct xpt_near near;
	unsigned i;

	if (optopt > ' ' && optopt < 0x7f)
		what = letter;
	if (val == ':')
		return xpt_opt__usage(cmd, "option '%s' needs a value", what);
	if (optopt >= HELP_VAL)
		return xpt_opt__usage(cmd, "option '%.*s' takes no value",
				      (int)strcspn(what, "="), what);
	xpt_near__init(&near, what + strspn(what, "-"));
	for (o = cmd->opts; what != letter && o && o->name; o++)
		xpt_near__offer(&near, o->name);
	for (i = 0; i < near.n; i++) {
		snprintf(dashed, sizeof(dashed), "--%.60s", near.name[i]);
		memcpy(near.name[i], dashed, sizeof(near.name[i]));
	}
	xpt_near__text(&near, text, sizeof(text));
	if (!text[0] && separate_value.value && is_command(separate_value.value))
		snprintf(text, sizeof(text), " (is it one of '%s'? --%s took that as its value)", separate_value.value,
			 separate_value.o->name);
	return xpt_opt__usage(cmd, "unknown option '%s'%s", what, text);
}

static int parse_with(const struct xpt_cmd *cmd, const struct option *rows, const char *letters, int argc,
		      char **argv, void *opts)
{
	int val, status;

	separate_value.value = NULL;
	without_value.word = NULL;
	optind = 0;
	opterr = 0;
	while ((val = getopt_long(argc, argv, letters, rows, NULL)) != -1) {
		const struct xpt_opt *o = by_value(cmd, val);

		if (val == HELP_VAL || val == 'h') {
			xpt_opt__help(cmd);
			return XPT_EXIT_OK;
		}
		if (!o)
			return bad_option(cmd, val, argv);
		if (optarg && optarg == argv[optind - 1]) {
			separate_value.o = o;
			separate_value.value = optarg;
			separate_value.at = &argv[optind - 1];
		}
		if (!optarg && may_have_arg(o)) {
			without_value.o = o;
			without_value.word = argv[optind];
		}
		status = optarg ? check_value(cmd, o, optarg) : -1;
		if (status < 0)
			status = store_value(cmd, o, optarg, opts);
		if (status >= 0)
			return status;
	}
	return -1;
}

int xpt_opt__parse(const struct xpt_cmd *cmd, int argc, char **argv, void *opts, int *ret_rest)
{
	unsigned n = count_opts(cmd);
	struct option *rows = calloc(n + 2, sizeof(*rows));	/* --help, and getopt's end */
	char *letters = malloc(2 * (size_t)n + sizeof("+:h"));
	int status = XPT_EXIT_FAILED;

	if (rows && letters) {
		make_rows(cmd, rows, letters);
		status = parse_with(cmd, rows, letters, argc, argv, opts);
	} else {
		xpt_err(-ENOMEM, "no memory");
	}
	free(rows);
	free(letters);
	*ret_rest = optind;
	return status;
}

/* Help text wrapped at 80 columns, its first line starting at column `at`. */
static void print_wrapped(const char *text, int at)
{
	const int indent = 30;
	int col = at;

	printf("%*s", col < indent ? indent - col : 0, "");
	col = indent;
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (col > indent && col + 1 + n > 79) {
			printf("\n%*s", indent, "");
			col = indent;
		}
		col += printf("%s%.*s", col > indent ? " " : "", n, text);
		text += n;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_option(const struct xpt_opt *o)
{
	bool maybe = may_have_arg(o);
	char left[80];
	int n;

	n = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s%s", o->letter ? '-' : ' ',
		     o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
		     maybe ? "[=" : o->arg ? " " : "", o->arg ? o->arg : "", maybe ? "]" : "");
	printf("%s", left);
	if (n > 29) {
		putchar('\n');
		n = 0;
	}
	print_wrapped(o->help, n);
}

/* "plan" of "rdma plan" */
static const char *sub_name(const struct xpt_cmd *cmd, const struct xpt_cmd *sub)
{
	return sub->name + strlen(cmd->name) + 1;
}

void xpt_opt__help(const struct xpt_cmd *cmd)
{
	const struct xpt_cmd *const *sub;
	const struct xpt_opt *o;

	printf("Usage: xputrace %s %s\n\n%s\n", cmd->name, cmd->args, cmd->summary);
	if (cmd->subs)
		printf("\nSubcommands:\n");
	for (sub = cmd->subs; sub && *sub; sub++)
		printf("  %-9s %s\n", sub_name(cmd, *sub), (*sub)->summary);
	if (cmd->subs)
		printf("\nOptions of one: xputrace %s %s --help\n", cmd->name,
		       sub_name(cmd, cmd->subs[0]));
	if (cmd->opts)
		printf("\nOptions:\n");
	for (o = cmd->opts; o && o->name; o++)
		print_option(o);
	if (cmd->opts)
		printf("  -h, --help                  this text\n");
	if (cmd->examples)
		printf("\nExamples:\n%s", cmd->examples);
}

int xpt_opt__usage(const struct xpt_cmd *cmd, const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = xpt_vusage(cmd->name, fmt, ap);
	va_end(ap);
	return status;
}

int xpt_opt__run_sub(const struct xpt_cmd *cmd, int argc, char **argv)
{
	const struct xpt_cmd *const *sub;
	struct xpt_near near;
	char text[256];

	if (argc < 2)
		return xpt_opt__usage(cmd, "%s what?", cmd->name);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		xpt_opt__help(cmd);
		return XPT_EXIT_OK;
	}
	xpt_near__init(&near, argv[1]);
	for (sub = cmd->subs; *sub; sub++) {
		if (!strcmp(sub_name(cmd, *sub), argv[1]))
			return (*sub)->run(argc - 1, argv + 1);
		xpt_near__offer(&near, sub_name(cmd, *sub));
	}
	return xpt_opt__usage(cmd, "%s has no '%s'%s", cmd->name, argv[1],
			      xpt_near__text(&near, text, sizeof(text)));
}
