// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See nccl_log.h. NCCL writes, behind a prefix that differs:
 *	Call to ibv_reg_dmabuf_mr failed with error Operation not permitted
 *	Call to ibv_dereg_mr failed with error Invalid argument errno 22
 *	Call to ibv_modify_qp failed with 110 Connection timed out, on dev ...
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "rdma/trace/nccl_log.h"

enum { LINE = 4096, LAST_ERRNO = 140 };

struct xpt_rdma_nccl *xpt_rdma_nccl__new(void)
{
	return calloc(1, sizeof(struct xpt_rdma_nccl));
}

/* By the text of an error that s begins with: of "Bad address" and the like the longest. */
static int code_of_text(const char *s)
{
	size_t best = 0;
	int code, found = 0;

	for (code = 1; code <= LAST_ERRNO; code++) {
		const char *text = strerrordesc_np(code);
		size_t n = text ? strlen(text) : 0;

		if (n <= best || strncmp(s, text, n))
			continue;
		best = n;
		found = code;
	}
	return found;
}

static int take_code(const char *s)
{
	char digits[8];
	uint64_t v;
	size_t n;

	s += !strncmp(s, "error ", 6) ? 6 : 0;
	n = strspn(s, "0123456789");
	if (!n || n >= sizeof(digits))
		return code_of_text(s);
	snprintf(digits, sizeof(digits), "%.*s", (int)n, s);
	return xpt_parse_u64(digits, 1, 4095, &v) ? 0 : (int)v;
}

bool xpt_rdma_nccl__parse(const char *s, struct xpt_rdma_nccl_line *ret_line)
{
	const char *call = strstr(s, "Call to "), *failed;
	size_t n;

	if (!call)
		return false;
	n = strcspn(call + 8, " \n");
	failed = call + 8 + n;
	if (n >= sizeof(ret_line->verb) || strncmp(failed, " failed with ", 13) ||
	    (strncmp(call + 8, "ibv_", 4) && strncmp(call + 8, "mlx5dv_", 7)))
		return false;
	memset(ret_line, 0, sizeof(*ret_line));
	memcpy(ret_line->verb, call + 8, n);
	ret_line->code = take_code(failed + 13);
	snprintf(ret_line->text, sizeof(ret_line->text), "%.*s", (int)strcspn(call, "\n"), call);
	return true;
}

int xpt_rdma_nccl__read(struct xpt_rdma_nccl *nccl, FILE *f)
{
	struct xpt_rdma_nccl_line one;
	uint64_t number = 0;
	char s[LINE];

	while (fgets(s, sizeof(s), f)) {
		number++;
		if (!xpt_rdma_nccl__parse(s, &one))
			continue;
		if (nccl->nr == XPT_RDMA_NCCL_LINES) {
			nccl->left_out++;
			continue;
		}
		one.number = number;
		nccl->line[nccl->nr++] = one;
	}
	return ferror(f) ? -EIO : 0;
}

/* Does the name have that word between its underscores? Case does not matter. */
static bool has_word(const char *name, const char *word, size_t n)
{
	size_t len;

	for (; *name; name += len + (name[len] == '_')) {
		len = strcspn(name, "_");
		if (len == n && !strncasecmp(name, word, n))
			return true;
	}
	return false;
}

/* ibv_create_qp makes create_qp, ex_create_qp, QP_CREATE: every word of it is there. */
static bool is_method(const char *verb, const char *method)
{
	static const struct {
		const char *verb, *method;
	} others[] = {
		{ "ibv_reg_mr_iova2", "reg_mr" }, { "ibv_reg_mr_iova", "reg_mr" },
		{ "mlx5dv_reg_dmabuf_mr", "REG_DMABUF_MR" }, { "ibv_dereg_mr", "MR_DESTROY" },
		{ "ibv_dealloc_pd", "PD_DESTROY" },
	};
	size_t i, n;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(verb, others[i].verb) && !strcmp(method, others[i].method))
			return true;
	verb += strncmp(verb, "mlx5dv_", 7) ? 4 : 7;
	for (; *verb; verb += n + (verb[n] == '_')) {
		n = strcspn(verb, "_");
		if (!has_word(method, verb, n))
			return false;
	}
	return true;
}

static bool is_about(const struct xpt_rdma_nccl_line *line, const struct xpt_rdma_trace *t)
{
	if (line->matched || (line->code && line->code != -t->ret))
		return false;
	return *t->caller ? !strcmp(t->caller, line->verb) : is_method(line->verb, t->method);
}

const struct xpt_rdma_nccl_line *xpt_rdma_nccl__match(struct xpt_rdma_nccl *nccl,
						      const struct xpt_rdma_trace *t)
{
	unsigned i;

	for (i = 0; i < nccl->nr; i++) {
		struct xpt_rdma_nccl_line *line = &nccl->line[i];

		if (!is_about(line, t))
			continue;
		line->matched = true;
		return line;
	}
	return NULL;
}

void xpt_rdma_nccl__is_like(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_trace *t)
{
	unsigned i;

	for (i = 0; i < nccl->nr; i++)
		if (is_about(&nccl->line[i], t))
			nccl->line[i].like_normal = true;
}
