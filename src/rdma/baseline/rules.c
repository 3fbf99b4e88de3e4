// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rules.h. The user's file is text that an editor may change:
 *	# comment
 *	REG_DMABUF_MR ib_umem_dmabuf_get EBADF asked once by our own probe
 *	! modify_qp rdma_get_gid_attr ENODATA is a failure here
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/replace.h"
#include "base/parse.h"
#include "rdma/baseline/rules.h"
#include "rdma/plan/expected_errors.h"
#include "rdma/trace/trace_json.h"

enum { LINE = 512, LAST_ERRNO = 140, FILE_MAX = 1 << 20 };

struct xpt_rdma_rules *xpt_rdma_rules__new(void)
{
	return calloc(1, sizeof(struct xpt_rdma_rules));
}

int xpt_rdma_rules__code(const char *s, int *ret_code)
{
	int64_t v;
	int code;

	if (!strcmp(s, "NULL")) {
		*ret_code = 0;
		return 0;
	}
	for (code = 1; code <= LAST_ERRNO; code++) {
		const char *name = strerrorname_np(code);

		if (name && !strcmp(name, s)) {
			*ret_code = code;
			return 0;
		}
	}
	if (!strcmp(s, "ERESTARTSYS") || !strcmp(s, "ENOTSUPP")) {
		*ret_code = s[1] == 'R' ? 512 : 524;
		return 0;
	}
	if (xpt_parse_i64(s, -4095, 4095, &v))
		return -EINVAL;
	*ret_code = (int)(v < 0 ? -v : v);
	return 0;
}

const char *xpt_rdma_code_name(int code, char *buf, size_t n)
{
	return code ? xpt_rdma_errno_name(code, buf, n) : "NULL";
}

/* The next word of *s, which moves after it; false: none, or too long. */
static bool read_word(char **s, char *to, size_t n)
{
	size_t len;

	*s += strspn(*s, " \t");
	len = strcspn(*s, " \t\n");
	if (!len || len >= n)
		return false;
	memcpy(to, *s, len);
	to[len] = '\0';
	*s += len;
	return true;
}

static bool parse_line(char *s, struct xpt_rdma_own *own)
{
	char code[32];

	memset(own, 0, sizeof(*own));
	if (*s == '!') {
		own->never = true;
		s++;
	}
	if (!read_word(&s, own->method, sizeof(own->method)) ||
	    !read_word(&s, own->function, sizeof(own->function)) || !read_word(&s, code, sizeof(code)) ||
	    xpt_rdma_rules__code(code, &own->code))
		return false;
	s += strspn(s, " \t");
	snprintf(own->reason, sizeof(own->reason), "%.*s", (int)strcspn(s, "\n"), s);
	return true;
}

/* Not about anything. */
static bool is_blank(const char *s)
{
	s += strspn(s, " \t");
	return !*s || *s == '#' || *s == '\n';
}

/* The next line, without its end. False: there is none. *ret_whole: it is text, and fits. */
static bool next_line(FILE *f, size_t *left, char *line, size_t n, bool *ret_whole)
{
	size_t len = 0;
	int c = EOF;

	*ret_whole = true;
	while (*left && (c = getc(f)) != EOF && c != '\n') {
		--*left;
		*ret_whole &= c && len + 1 < n;
		if (c && len + 1 < n)
			line[len++] = (char)c;
	}
	line[len] = '\0';
	return len || c != EOF;
}

int xpt_rdma_rules__read(struct xpt_rdma_rules *rules, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t left = FILE_MAX;
	struct stat st;
	char line[LINE];
	bool whole;
	int err = 0;

	rules->nr_own = rules->bad_lines = 0;
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	err = !fstat(fileno(f), &st) && S_ISDIR(st.st_mode) ? -EISDIR : 0;
	while (!err && next_line(f, &left, line, sizeof(line), &whole)) {
		if (is_blank(line))
			continue;
		if (rules->nr_own == XPT_RDMA_MAX_OWN)
			err = -E2BIG;
		else if (whole && parse_line(line + strspn(line, " \t"), &rules->own[rules->nr_own]))
			rules->nr_own++;
		else
			rules->bad_lines++;
	}
	if (!err && (ferror(f) || !left))
		err = left ? -EIO : -E2BIG;
	fclose(f);
	return err;
}

/* --- changing ------------------------------------------------------------------------- */

struct edit {
	const char *method, *function;
	int code;
	const struct xpt_rdma_own *put;		/* NULL: it goes */
	bool found;
};

static bool is_about(const struct edit *e, const char *line, size_t n)
{
	struct xpt_rdma_own own;
	char text[LINE];

	if (n >= sizeof(text) || memchr(line, '\0', n))
		return false;
	memcpy(text, line, n);
	text[n] = '\0';
	return !is_blank(text) && parse_line(text + strspn(text, " \t"), &own) && own.code == e->code &&
	       !strcmp(own.method, e->method) && !strcmp(own.function, e->function);
}

static void put_own(const struct xpt_rdma_own *o, FILE *f)
{
	char name[32];

	fprintf(f, "%s%s %s %s %s\n", o->never ? "! " : "", o->method, o->function,
		xpt_rdma_code_name(o->code, name, sizeof(name)), o->reason);
}

static int copy_lines(struct edit *e, FILE *from, FILE *to)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool ended = true;

	while ((n = getline(&line, &cap, from)) > 0) {
		if (!is_about(e, line, (size_t)n)) {
			fwrite(line, 1, (size_t)n, to);
			ended = line[n - 1] == '\n';
			continue;
		}
		if (e->put && !e->found)
			put_own(e->put, to);
		e->found = true;
	}
	free(line);
	if (!ended)
		putc('\n', to);
	return ferror(from) ? -EIO : 0;
}

static int edit_file(void *ctx, int old, FILE *to)
{
	struct edit *e = ctx;
	FILE *from = xpt_fopen_copy(old);
	struct stat st;
	int err;

	if (!from)
		return -errno;
	err = fstat(old, &st) ? -errno : st.st_size > FILE_MAX ? -E2BIG : 0;
	if (!err && !st.st_size && e->put)
		fprintf(to, "# METHOD FUNCTION ERROR REASON: normal, and not reported. '!' in front: reported.\n");
	if (!err)
		err = copy_lines(e, from, to);
	fclose(from);
	if (!err && !e->found && !e->put)
		return -ENOENT;
	if (!err && !e->found)
		put_own(e->put, to);
	return err;
}

int xpt_rdma_rules__put(const char *path, const struct xpt_rdma_own *own)
{
	struct edit e = { own->method, own->function, own->code, own, false };

	return xpt_replace_file_locked(path, 0, edit_file, &e);
}

int xpt_rdma_rules__take(const char *path, const char *method, const char *function, int code)
{
	struct edit e = { method, function, code, NULL, false };

	return access(path, F_OK) ? -errno : xpt_replace_file_locked(path, 0, edit_file, &e);
}

/* --- asking --------------------------------------------------------------------------- */

static const struct xpt_rdma_own *find_own(const struct xpt_rdma_rules *rules, const char *method,
					   const char *fn, int code)
{
	unsigned i;

	for (i = 0; i < rules->nr_own; i++) {
		const struct xpt_rdma_own *o = &rules->own[i];

		if (o->code == code && xpt_rdma_one_of(o->method, method) &&
		    xpt_rdma_one_of(o->function, fn))
			return o;
	}
	return NULL;
}

static const struct xpt_rdma_learned *find_learned(const struct xpt_rdma_rules *rules,
						   const char *method, const char *fn, int code)
{
	unsigned i;

	for (i = 0; i < rules->nr_learned; i++) {
		const struct xpt_rdma_learned *l = &rules->learned[i];

		if (l->code == code && !strcmp(l->method, method) && xpt_rdma_same_fn(l->function, fn))
			return l;
	}
	return NULL;
}

const char *xpt_rdma_rules__find(const struct xpt_rdma_rules *rules, const char *method,
				 const char *function, int code, enum xpt_rdma_rule_from *ret_from)
{
	const struct xpt_rdma_own *own = rules ? find_own(rules, method, function, code) : NULL;
	const struct xpt_rdma_expected *e = xpt_rdma_expected__find(method, function, code);
	const struct xpt_rdma_learned *l;
	enum xpt_rdma_rule_from from = own ? XPT_RDMA_OWN : e ? XPT_RDMA_SHIPPED : XPT_RDMA_LEARNED;

	if (ret_from)
		*ret_from = from;
	if (own)
		return own->never ? NULL : own->reason;
	if (e)
		return e->condition == XPT_RDMA_ALWAYS ? e->reason : NULL;
	l = rules ? find_learned(rules, method, function, code) : NULL;
	return l && l->times >= XPT_RDMA_LEARN_AFTER ? "learned: calls succeed all the same" : NULL;
}

int xpt_rdma_node__code(const struct xpt_rdma_node *node)
{
	int outcome = xpt_rdma_node__outcome(node);

	return outcome < 0 ? -outcome : 0;
}

bool xpt_rdma_rules__learn(struct xpt_rdma_rules *rules, const char *method, const char *function,
			   int code, uint64_t wall_ns)
{
	struct xpt_rdma_learned *l = (void *)find_learned(rules, method, function, code);
	unsigned i;

	if (!l && rules->nr_learned < XPT_RDMA_MAX_LEARNED) {
		l = &rules->learned[rules->nr_learned++];
		memset(l, 0, sizeof(*l));
	} else if (!l) {	/* the one that was not seen for longest */
		for (i = 0, l = rules->learned; i < rules->nr_learned; i++)
			l = rules->learned[i].last_ns < l->last_ns ? &rules->learned[i] : l;
		memset(l, 0, sizeof(*l));
		rules->evicted++;
	}
	if (!l->times) {
		snprintf(l->method, sizeof(l->method), "%s", method);
		snprintf(l->function, sizeof(l->function), "%.*s", (int)strcspn(function, "."),
			 function);
		l->code = code;
		l->first_ns = wall_ns;
	}
	l->times++;
	l->last_ns = wall_ns > l->last_ns ? wall_ns : l->last_ns;
	return l->times >= XPT_RDMA_LEARN_AFTER;
}
