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

#include "base/parse.h"
#include "base/replace.h"
#include "rdma/expected.h"
#include "rdma/rules.h"
#include "rdma/trace_json.h"

enum { LINE = 512, LAST_ERRNO = 140 };

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

/* The next word of *s, which moves behind it; false: none, or too long. */
static bool word(char **s, char *to, size_t n)
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
	if (!word(&s, own->method, sizeof(own->method)) ||
	    !word(&s, own->function, sizeof(own->function)) || !word(&s, code, sizeof(code)) ||
	    xpt_rdma_rules__code(code, &own->code))
		return false;
	s += strspn(s, " \t");
	snprintf(own->reason, sizeof(own->reason), "%.*s", (int)strcspn(s, "\n"), s);
	return true;
}

int xpt_rdma_rules__read(struct xpt_rdma_rules *rules, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[LINE];
	int err = 0;

	rules->nr_own = rules->bad_lines = 0;
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	while (!err && fgets(line, sizeof(line), f)) {
		char *s = line + strspn(line, " \t");

		if (!*s || *s == '#' || *s == '\n')
			continue;
		if (rules->nr_own == XPT_RDMA_MAX_OWN)
			err = -E2BIG;
		else if (parse_line(s, &rules->own[rules->nr_own]))
			rules->nr_own++;
		else
			rules->bad_lines++;
	}
	if (!err && ferror(f))
		err = -EIO;
	fclose(f);
	return err;
}

static int put_rules(void *ctx, FILE *f)
{
	const struct xpt_rdma_rules *rules = ctx;
	char name[32];
	unsigned i;

	fprintf(f, "# METHOD FUNCTION ERROR REASON: normal, and not reported. '!' in front: reported.\n");
	for (i = 0; i < rules->nr_own; i++) {
		const struct xpt_rdma_own *o = &rules->own[i];

		fprintf(f, "%s%s %s %s %s\n", o->never ? "! " : "", o->method, o->function,
			xpt_rdma_code_name(o->code, name, sizeof(name)), o->reason);
	}
	return 0;
}

int xpt_rdma_rules__write(const struct xpt_rdma_rules *rules, const char *path)
{
	return xpt_replace_file(path, put_rules, (void *)rules);
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
		return e->reason;
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
