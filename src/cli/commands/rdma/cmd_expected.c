// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma expected: errors that are normal: those that are shipped, the
 * user's own, and those that were learned from calls that succeeded all the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "cli/commands/rdma/commands.h"
#include "model/text.h"
#include "rdma/plan/expected_errors.h"
#include "session/rdma/state_files.h"

enum { TEXT_MAX = 1 << 20, PATH_LEN = 4096 };

struct expected_opts {
	const char *store, *rules;
	bool json;
};

struct line {
	const char *from, *method, *function, *reason;
	int code;
	uint64_t times;		/* learned ones */
};

static void add_json(const struct line *l, struct xpt_strbuf *sb)
{
	char name[32];

	xpt_strbuf__addf(sb, "{\"from\":\"%s\",\"method\":", l->from);
	xpt_strbuf__add_json(sb, l->method);
	xpt_strbuf__add(sb, ",\"function\":");
	xpt_strbuf__add_json(sb, l->function);
	xpt_strbuf__addf(sb, ",\"errno\":%d,\"error\":\"%s\",\"times\":%" PRIu64 ",\"reason\":", l->code,
			 xpt_rdma_code_name(l->code, name, sizeof(name)), l->times);
	xpt_strbuf__add_json(sb, l->reason);
	xpt_strbuf__add(sb, "}\n");
}

static void add_text(const struct line *l, struct xpt_strbuf *sb)
{
	bool utf8 = xpt_text_utf8();
	char name[32];

	xpt_text__cell(sb, l->from, 8, false, utf8);
	xpt_strbuf__addf(sb, " %-15s ", xpt_rdma_code_name(l->code, name, sizeof(name)));
	xpt_text__add(sb, l->method, 54, utf8);
	xpt_strbuf__add(sb, "\n    ");
	xpt_text__add(sb, l->function, 75, utf8);
	xpt_strbuf__add(sb, "\n    ");
	xpt_text__add(sb, l->reason, 75, utf8);
	xpt_strbuf__addc(sb, '\n');
}

static void add_line(const struct expected_opts *o, const struct line *l, struct xpt_strbuf *sb)
{
	if (o->json)
		add_json(l, sb);
	else
		add_text(l, sb);
}

static void list_own(const struct expected_opts *o, const struct xpt_rdma_rules *rules,
		     struct xpt_strbuf *sb)
{
	unsigned i;

	for (i = 0; i < rules->nr_own; i++) {
		const struct xpt_rdma_own *own = &rules->own[i];
		struct line l = { own->never ? "never" : "own", own->method, own->function, own->reason,
				  own->code, 0 };

		add_line(o, &l, sb);
	}
}

static void list_learned(const struct expected_opts *o, const struct xpt_rdma_rules *rules,
			 struct xpt_strbuf *sb)
{
	unsigned i;

	for (i = 0; i < rules->nr_learned; i++) {
		const struct xpt_rdma_learned *has = &rules->learned[i];
		struct line l = { "learned", has->method, has->function, NULL, has->code, has->times };
		char reason[96];

		snprintf(reason, sizeof(reason), "%s %" PRIu64 " times in calls that succeeded",
			 has->times < XPT_RDMA_LEARN_AFTER ? "not yet normal: seen" : "seen", has->times);
		l.reason = reason;
		add_line(o, &l, sb);
	}
}

static int list_all(const struct expected_opts *o)
{
	struct xpt_rdma_files files;
	struct xpt_strbuf sb;
	size_t i;
	int err = xpt_rdma_files__open(&files, o->rules, o->store, false, true);

	if (err)
		goto out;
	xpt_strbuf__init(&sb, TEXT_MAX);
	list_own(o, files.rules, &sb);
	for (i = 0; i < xpt_rdma_nr_expected; i++) {
		const struct xpt_rdma_expected *e = &xpt_rdma_expected[i];
		struct line l = { "shipped", *e->method ? e->method : "(below no method)", e->function,
				  e->reason, e->code, 0 };

		add_line(o, &l, &sb);
	}
	list_learned(o, files.rules, &sb);
	fwrite(xpt_strbuf__str(&sb), 1, sb.len, stdout);
	xpt_strbuf__free(&sb);
out:
	xpt_rdma_files__close(&files);
	return err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
}

/* --- changing ------------------------------------------------------------------------- */

/* 0 or -errno, said. */
static int make_own(char **args, int code, const char *reason, bool never, struct xpt_rdma_own *ret_own)
{
	struct xpt_rdma_own *own = ret_own;

	memset(own, 0, sizeof(*own));
	if (strlen(args[0]) >= sizeof(own->method) || strlen(args[1]) >= sizeof(own->function) ||
	    strpbrk(args[0], " \t\n") || strpbrk(args[1], " \t\n") || !*args[0] || !*args[1] ||
	    strchr("#!", *args[0]))
		return xpt_err(-EINVAL, "a method and a function are words of at most 63 characters; a method does "
			       "not begin with '#' or '!'");
	snprintf(own->method, sizeof(own->method), "%s", args[0]);
	snprintf(own->function, sizeof(own->function), "%s", args[1]);
	snprintf(own->reason, sizeof(own->reason), "%.*s", (int)strcspn(reason, "\n"), reason);
	own->code = code;
	own->never = never;
	return 0;
}

/* 0 or -errno, said. */
static int put_own(const char *path, char **args, int code, const char *reason, bool never)
{
	struct xpt_rdma_own own;
	int err = make_own(args, code, reason, never, &own);

	if (err)
		return err;
	err = xpt_rdma_rules__put(path, &own);
	return err ? xpt_err(err, "%s: %s", path, xpt_rdma_rules_error(err)) : 0;
}

/* Removes a line of the user; a shipped line is overruled by one of the user. 0 or -errno, after
 * a message. */
static int take_away(const char *path, char **args, int code)
{
	int err = xpt_rdma_rules__take(path, args[0], args[1], code);

	if (!err)
		return 0;
	if (err != -ENOENT)
		return xpt_err(err, "%s: %s", path, xpt_rdma_rules_error(err));
	if (!xpt_rdma_expected__find(args[0], args[1], code))
		return xpt_err(-ENOENT, "no line of 'expected list' has these three, and nothing shipped");
	xpt_info("shipped: from now on it is a failure");
	return put_own(path, args, code, "taken out of the shipped ones", true) ? -EIO : 0;
}

static int change_own(const struct expected_opts *o, bool adds, char **args, int n)
{
	char buf[PATH_LEN], reason[256] = "";
	const char *path = o->rules ? o->rules : xpt_rdma_default_path("rdma-expected", true, buf,
									sizeof(buf));
	struct xpt_rdma_files files;
	int err, i, code;

	if (n < 3 + adds || (!adds && n > 3))
		return xpt_opt__usage(&xpt_rdma_cmd_expected, adds ? "add METHOD FUNCTION ERROR REASON" :
				      "remove METHOD FUNCTION ERROR");
	if (xpt_rdma_rules__code(args[2], &code))
		return xpt_opt__usage(&xpt_rdma_cmd_expected, "'%s' is no error (ENODATA, 61, NULL)", args[2]);
	if (!path) {
		xpt_err(0, "there is no home folder for the file: name it by --expected");
		return XPT_EXIT_FAILED;
	}
	for (i = 3; i < n; i++)
		snprintf(reason + strlen(reason), sizeof(reason) - strlen(reason), "%s%s", i > 3 ? " " : "",
			 args[i]);
	err = xpt_rdma_files__open(&files, path, NULL, true, false);
	if (!err && adds && files.rules->nr_own == XPT_RDMA_MAX_OWN)
		err = xpt_err(-E2BIG, "%s: there are %d lines already", path, XPT_RDMA_MAX_OWN);
	xpt_rdma_files__close(&files);
	if (!err)
		err = adds ? put_own(path, args, code, reason, false) : take_away(path, args, code);
	return !err ? XPT_EXIT_OK : err == -ENOENT && !adds ? XPT_EXIT_NOTHING : XPT_EXIT_FAILED;
}

#define XPT_EO(m) offsetof(struct expected_opts, m)

static const struct xpt_opt opts[] = {
	{ "expected", 0, XPT_OPT_STR, XPT_EO(rules), "FILE", XPT_RDMA_RULES_HELP, 0 },
	{ "store", 0, XPT_OPT_STR, XPT_EO(store), "FILE", XPT_RDMA_STORE_HELP, 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_EO(json), 0, "as JSON, a line for each", 0 },
	{ 0 },
};

static int cmd_expected(int argc, char **argv)
{
	struct expected_opts o = { 0 };
	const char *what;
	int rest, status;

	status = xpt_opt__parse(&xpt_rdma_cmd_expected, argc, argv, &o, &rest);
	if (status >= 0)
		return status;
	what = rest < argc ? argv[rest] : "";
	if (!strcmp(what, "add") || !strcmp(what, "remove"))
		return change_own(&o, what[0] == 'a', argv + rest + 1, argc - rest - 1);
	if (strcmp(what, "list"))
		return xpt_opt__usage(&xpt_rdma_cmd_expected, "list, add or remove?");
	if (rest + 1 < argc)
		return xpt_opt__usage(&xpt_rdma_cmd_expected, "'%s' is too much", argv[rest + 1]);
	return list_all(&o);
}

const struct xpt_cmd xpt_rdma_cmd_expected = {
	.name = "rdma expected", .args = "list|add|remove [OPTIONS] [METHOD FUNCTION ERROR [REASON]]",
	.summary = "errors that are normal",
	.opts = opts,
	.examples = "  xputrace rdma expected list\n"
		    "  xputrace rdma expected add modify_qp rdma_get_gid_attr ENODATA our scan\n"
		    "  xputrace rdma expected remove modify_qp rdma_get_gid_attr ENODATA\n",
	.run = cmd_expected,
};
