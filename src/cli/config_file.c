// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See config_file.h. libyaml makes a tree of the file, with the place of each node. */
#include "cli/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef XPT_HAVE_YAML
#include <yaml.h>
#endif

#include "base/files/acl.h"
#include "base/files/fsuser.h"
#include "base/log.h"
#include "session/options/suggest.h"

/* Some work of libyaml takes time with the square of a file's contents (anchors, nesting, %TAG):
 * for 1 MiB, minutes. */
#define MAX_BYTES (64u << 10)
#define MAX_VALUES 1024
#define MAX_BRACKETS 4096	/* in texts as well: "cu[A-Z]*" */

struct value {
	const struct xpt_opt *opt;
	char *text;
	unsigned line, column;		/* from 1 */
};

struct xpt_config {
	struct xpt_config *before;
	char *path;
	unsigned nr;
	struct value value[MAX_VALUES];	/* last: unused entries are given back */
};

void xpt_config__free(struct xpt_config *c)
{
	if (!c)
		return;
	xpt_config__free(c->before);
	for (unsigned i = 0; i < c->nr; i++)
		free(c->value[i].text);
	free(c->path);
	free(c);
}

const char *xpt_config__place(const struct xpt_config *c, const char *value, char *buf, size_t n)
{
	snprintf(buf, n, "%s", "");
	for (; c; c = c->before)
		for (unsigned i = 0; i < c->nr; i++)
			if (c->value[i].text == value)
				snprintf(buf, n, "%s:%u:%u", c->path, c->value[i].line, c->value[i].column);
	return buf;
}

#ifdef XPT_HAVE_YAML

struct reading {
	const struct xpt_cmd *cmd;
	struct xpt_config *c;
	yaml_document_t doc;
	void *opts;
};

static int __attribute__((format(printf, 3, 4)))
complain(const struct reading *r, const yaml_mark_t *at, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return xpt_err(-EINVAL, "%s:%zu:%zu: %s", r->c->path, at->line + 1, at->column + 1, text);
}

/* The option of that name; NULL after a message. */
static const struct xpt_opt *find_option(const struct reading *r, const yaml_node_t *key)
{
	const struct xpt_opt *o = r->cmd->opts;
	const char *name = (const char *)key->data.scalar.value;
	struct xpt_near near;
	char text[256];

	if (key->type != YAML_SCALAR_NODE) {
		complain(r, &key->start_mark, "the name of an option is expected here");
		return NULL;
	}
	xpt_near__init(&near, name);
	for (; o->name; o++) {
		if (!strcmp(o->name, "config") || !strcmp(o->name, "check"))
			continue;	/* of the command line alone */
		if (!strcmp(o->name, name))
			return o;
		xpt_near__offer(&near, o->name);
	}
	complain(r, &key->start_mark, "there is no option '%.64s'%s", name, xpt_near__text(&near, text, sizeof(text)));
	return NULL;
}

static bool is_given(const struct xpt_config *c, const struct xpt_opt *o)
{
	for (unsigned i = 0; i < c->nr; i++)
		if (c->value[i].opt == o)
			return true;
	return false;
}

static int set_flag(struct reading *r, const struct xpt_opt *o, const yaml_node_t *node, const char *text)
{
	bool yes = !strcmp(text, "true") || !strcmp(text, "yes") || !strcmp(text, "on");
	bool no = !strcmp(text, "false") || !strcmp(text, "no") || !strcmp(text, "off");

	if (!yes && !no)
		return complain(r, &node->start_mark, "%s: '%.64s' is neither true nor false", o->name, text);
	return yes ? xpt_opt__set(o, NULL, r->opts, NULL, 0) : 0;
}

static int set_text(struct reading *r, const struct xpt_opt *o, const yaml_node_t *node, const char *text)
{
	char why[512];

	if (!text[0])
		return complain(r, &node->start_mark, "%s needs %s", o->name, o->arg);
	if ((o->type == XPT_OPT_STR || o->type == XPT_OPT_LIST) && !xpt_opt__fits(o, text))
		return complain(r, &node->start_mark, "%s: '%.64s' is not %s", o->name, text, o->arg);
	if (xpt_opt__set(o, text, r->opts, why, sizeof(why)))
		return complain(r, &node->start_mark, "%s: %s", o->name, why);
	return 0;
}

static int set_value(struct reading *r, const struct xpt_opt *o, const yaml_node_t *node)
{
	struct value *v;

	if (node->type != YAML_SCALAR_NODE)
		return complain(r, &node->start_mark, "%s: one value is expected here", o->name);
	if (r->c->nr == MAX_VALUES)
		return complain(r, &node->start_mark, "more than %d values", MAX_VALUES);
	if (strlen((const char *)node->data.scalar.value) != node->data.scalar.length)
		return complain(r, &node->start_mark, "%s: a NUL character in a value", o->name);
	v = &r->c->value[r->c->nr];
	*v = (struct value){ o, strdup((const char *)node->data.scalar.value), (unsigned)node->start_mark.line + 1,
			     (unsigned)node->start_mark.column + 1 };
	if (!v->text)
		return -ENOMEM;
	r->c->nr++;
	return o->type == XPT_OPT_FLAG || o->type == XPT_OPT_NO ? set_flag(r, o, node, v->text)
							     : set_text(r, o, node, v->text);
}

static int set_list(struct reading *r, const struct xpt_opt *o, const yaml_node_t *list)
{
	int err = 0;

	if (o->type != XPT_OPT_LIST && o->type != XPT_OPT_GLOBS)
		return complain(r, &list->start_mark, "%s takes one value, not a list", o->name);
	for (const yaml_node_item_t *i = list->data.sequence.items.start; !err && i < list->data.sequence.items.top; i++)
		err = set_value(r, o, yaml_document_get_node(&r->doc, *i));
	return err;
}

static int set_pair(struct reading *r, const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = yaml_document_get_node(&r->doc, pair->key);
	const yaml_node_t *value = yaml_document_get_node(&r->doc, pair->value);
	const struct xpt_opt *o = find_option(r, key);

	if (!o)
		return -EINVAL;
	if (is_given(r->c, o))
		return complain(r, &key->start_mark, "%s is given twice", o->name);
	return value->type == YAML_SEQUENCE_NODE ? set_list(r, o, value) : set_value(r, o, value);
}

static int set_all(struct reading *r)
{
	const yaml_node_t *root = yaml_document_get_root_node(&r->doc);
	int err = 0;

	if (!root)		/* nothing but comments */
		return 0;
	if (root->type != YAML_MAPPING_NODE)
		return complain(r, &root->start_mark, "lines of 'OPTION: VALUE' are expected here");
	for (const yaml_node_pair_t *p = root->data.mapping.pairs.start; !err && p < root->data.mapping.pairs.top; p++)
		err = set_pair(r, p);
	return err;
}

/* Reports where libyaml stopped, and why. */
static int report_problem(const struct xpt_config *c, const yaml_parser_t *p)
{
	if (p->error == YAML_MEMORY_ERROR)
		return xpt_err(-ENOMEM, "%s: no memory", c->path);
	return xpt_err(-EINVAL, "%s:%zu:%zu: this is no YAML: %s", c->path, p->problem_mark.line + 1,
		       p->problem_mark.column + 1, p->problem ? p->problem : "cannot be read");
}

/* 65,000 of them, each within the one before, took libyaml 5 s. */
static bool has_too_many_brackets(const char *text, size_t n)
{
	unsigned nr = 0;

	for (size_t i = 0; i < n; i++)
		nr += text[i] == '[' || text[i] == '{';
	return nr > MAX_BRACKETS;
}

static int parse_text(const struct xpt_cmd *cmd, const char *text, size_t n, void *opts, struct xpt_config *c)
{
	struct reading r = { .cmd = cmd, .c = c, .opts = opts };
	yaml_parser_t p;
	int err;

	if (has_too_many_brackets(text, n))
		return xpt_err(-EINVAL, "%s: more than %d brackets", c->path, MAX_BRACKETS);
	if (!yaml_parser_initialize(&p))
		return xpt_err(-ENOMEM, "%s: no memory", c->path);
	yaml_parser_set_input_string(&p, (const unsigned char *)text, n);
	if (yaml_parser_load(&p, &r.doc)) {
		err = set_all(&r);
		yaml_document_delete(&r.doc);
	} else {
		err = report_problem(c, &p);
	}
	yaml_parser_delete(&p);
	return err;
}

#else

static int parse_text(const struct xpt_cmd *cmd, const char *text, size_t n, void *opts, struct xpt_config *c)
{
	(void)cmd, (void)text, (void)n, (void)opts;
	return xpt_err(-ENOTSUP, "%s cannot be read: this build of xputrace goes without libyaml", c->path);
}

#endif

/* Reads up to MAX_BYTES from fd into text. The number of bytes or -errno. */
static ssize_t read_all(int fd, char *text)
{
	size_t at = 0;
	ssize_t n;

	while ((n = read(fd, text + at, MAX_BYTES + 1 - at)) > 0 || (n < 0 && errno == EINTR)) {
		at += n > 0 ? (size_t)n : 0;
		if (at > MAX_BYTES)
			return -E2BIG;
	}
	return n < 0 ? -errno : (ssize_t)at;
}

/* Whoever can write it decides to which files root writes, and which processes are traced. */
static int check_writers(int fd, const struct stat *st)
{
	if (geteuid() || !S_ISREG(st->st_mode))
		return 0;
	return (st->st_uid && st->st_uid != xpt_fsuser__uid()) || xpt_acl__lets_others_write(fd, st) ? -EPERM : 0;
}

/* again: while the trace goes on, which must not wait for a pipe in place of the file. */
static int open_file(const char *path, bool again)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (again ? O_NONBLOCK : 0)), err = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (again && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		err = -ESPIPE;
	else
		err = check_writers(fd, &st);
	if (err)
		close(fd);
	return err ? err : fd;
}

/* Reads as the user who called sudo: messages must not show him parts of a file that he may not read. */
static ssize_t read_file(const char *path, bool again, char *text)
{
	bool entered = xpt_fsuser__enter(path);
	int fd = open_file(path, again);
	ssize_t n;

	xpt_fsuser__leave(entered);
	if (fd < 0)
		return fd;
	n = read_all(fd, text);
	close(fd);
	return n;
}

static const char *say_unread(int err)
{
	switch (err) {
	case -E2BIG:
		return "it has more than 64 KiB";
	case -EPERM:
		return "other users can write it: it must be root's, or yours, and writable by nobody else";
	case -ESPIPE:
		return "it is no regular file, so it cannot be read again";
	default:
		return strerror(-err);
	}
}

int xpt_config__read(const struct xpt_cmd *cmd, const char *path, void *opts, struct xpt_config *before,
		     struct xpt_config **ret_c)
{
	struct xpt_config *c = calloc(1, sizeof(*c)), *smaller;
	char *text = malloc(MAX_BYTES + 1);
	ssize_t n = -ENOMEM;
	int err;

	if (c && text && (c->path = strdup(path)))
		n = read_file(path, before != NULL, text);
	if (n < 0)
		err = xpt_err((int)n, "cannot read %s: %s", path, say_unread((int)n));
	else
		err = parse_text(cmd, text, (size_t)n, opts, c);
	free(text);
	if (err) {
		xpt_config__free(c);
		return err;
	}
	c->before = before;
	/* Shrinks it, because an agent keeps every configuration that it has read. */
	smaller = realloc(c, offsetof(struct xpt_config, value) + c->nr * sizeof(c->value[0]));
	*ret_c = smaller ? smaller : c;
	return 0;
}
