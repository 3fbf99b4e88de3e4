// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See nccl_log.h. A call that NCCL tries again (modify_qp, 34 times) is one line in the table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/job_log/log_code.h"
#include "rdma/trace/job_log/log_lines.h"
#include "rdma/trace/job_log/nccl_log.h"

enum { OPEN = 1024, FIRST_ROOM = 64 };

struct xpt_rdma_nccl *xpt_rdma_nccl__new(void)
{
	struct xpt_rdma_nccl *nccl = calloc(1, sizeof(*nccl));

	if (nccl)
		nccl->open = calloc(OPEN, sizeof(*nccl->open));
	if (nccl && nccl->open)
		return nccl;
	free(nccl);
	return NULL;
}

void xpt_rdma_nccl__free(struct xpt_rdma_nccl *nccl)
{
	if (!nccl)
		return;
	free(nccl->line);
	free(nccl->call);
	free(nccl->open);
	free(nccl);
}

/* Makes room for one more. Returns false at the limit and without memory. */
static bool grow_table(void **table, unsigned nr, unsigned *cap, unsigned max, size_t size)
{
	unsigned more = *cap ? 2 * *cap : FIRST_ROOM;
	void *larger;

	if (nr < *cap)
		return true;
	if (nr >= max)
		return false;
	larger = realloc(*table, more * size);
	if (!larger)
		return false;
	*table = larger;
	*cap = more;
	return true;
}

/* --- lines ------------------------------------------------------------------------------ */

/* Returns the index of a name, which is added if it is new, or -1 if there is no room. */
static int index_of_verb(struct xpt_rdma_nccl *nccl, const char *verb)
{
	unsigned i;

	for (i = 0; i < nccl->nr_verbs; i++)
		if (!strcmp(nccl->verb[i], verb))
			return (int)i;
	if (i == XPT_RDMA_NCCL_VERBS)
		return -1;
	snprintf(nccl->verb[i], sizeof(nccl->verb[i]), "%s", verb);
	nccl->nr_verbs++;
	return (int)i;
}

static bool is_same_call(const struct xpt_rdma_log_form *a, const struct xpt_rdma_log_form *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->code == b->code && !strcmp(a->verb, b->verb) &&
	       a->syndrome == b->syndrome && !strcmp(a->host, b->host) && !strcmp(a->state, b->state);
}

/* Returns the index of the open line about the same call, nr_open if there is none. */
static unsigned find_open(const struct xpt_rdma_nccl *nccl, const struct xpt_rdma_log_form *form)
{
	unsigned i;

	for (i = 0; i < nccl->nr_open; i++)
		if (is_same_call(&nccl->line[nccl->open[i]].form, form))
			break;
	return i;
}

/* Joins a line with those about earlier attempts of the same call. Returns false if there are none. */
static bool fold_line(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_log_form *form, uint64_t number)
{
	unsigned i = find_open(nccl, form);
	struct xpt_rdma_nccl_line *line;

	if (i == nccl->nr_open)
		return false;
	line = &nccl->line[nccl->open[i]];
	line->is_open = form->attempt > line->form.attempt;
	if (!line->is_open)
		nccl->open[i] = nccl->open[--nccl->nr_open];
	if (form->attempt && !line->is_open)
		return false;		/* it counts from the beginning: the call before succeeded */
	line->retries++;
	line->form = *form;
	line->number = number;
	return true;
}

static void add_line(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_log_form *form, uint64_t number)
{
	struct xpt_rdma_nccl_line *line;
	int verb;

	if (fold_line(nccl, form, number))
		return;
	verb = index_of_verb(nccl, form->verb);
	if (verb < 0 || !grow_table((void **)&nccl->line, nccl->nr, &nccl->cap, XPT_RDMA_NCCL_LINES,
				    sizeof(*nccl->line))) {
		nccl->left_out++;
		return;
	}
	line = &nccl->line[nccl->nr];
	*line = (struct xpt_rdma_nccl_line){ .form = *form, .number = number, .verb = (uint8_t)verb };
	line->is_open = form->attempt && nccl->nr_open < OPEN;
	if (line->is_open)
		nccl->open[nccl->nr_open++] = nccl->nr;
	nccl->nr++;
}

/* The name under which a completion or an event is counted. Half a character at its end becomes "?". */
static void name_count(const struct xpt_rdma_log_form *form, char *name, size_t size)
{
	char buf[32];
	const char *from = form->kind == XPT_RDMA_LOG_EVENT ? form->text :
			   xpt_rdma_log_status(form->status, buf, sizeof(buf));
	size_t n = strnlen(from, size - 1);

	memcpy(name, from, n);
	name[n] = '\0';
	xpt_utf8__clean(name, "");
}

static void add_count(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_log_form *form, uint64_t number)
{
	char name[sizeof(nccl->count[0].name)];
	unsigned i;

	name_count(form, name, sizeof(name));
	for (i = 0; i < nccl->nr_counts; i++)
		if (nccl->count[i].status == form->status && !strcmp(nccl->count[i].name, name))
			break;
	if (i == XPT_RDMA_NCCL_COUNTS) {
		nccl->left_out++;
		return;
	}
	if (i == nccl->nr_counts) {
		nccl->nr_counts++;
		nccl->count[i].status = form->status;
		nccl->count[i].first = number;
		memcpy(nccl->count[i].name, name, sizeof(name));
		snprintf(nccl->count[i].host, sizeof(nccl->count[i].host), "%s", form->host);
	}
	if (strcmp(nccl->count[i].host, form->host) != 0)
		nccl->count[i].host[0] = '\0';
	nccl->count[i].n++;
}

static void read_line(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_log_lines *l)
{
	struct xpt_rdma_log_form form;
	struct xpt_rdma_log_scan scan;
	struct xpt_rdma_log_time when;
	char *rest = l->line, *part;

	if (!xpt_rdma_log_form__is_possible(l->line))
		return;
	xpt_rdma_log__open_json(l->line, &when);
	while ((part = xpt_rdma_log__part(&rest))) {
		struct xpt_rdma_log_tag tag = { .when = when };

		part = xpt_rdma_log__text(part, &tag);
		xpt_rdma_log_form__begin(&scan, part, &tag);
		while (xpt_rdma_log_form__next(&scan, &form))
			if (form.kind == XPT_RDMA_LOG_CALL)
				add_line(nccl, &form, l->number);
			else
				add_count(nccl, &form, l->number);
	}
}

int xpt_rdma_nccl__read(struct xpt_rdma_nccl *nccl, FILE *f)
{
	struct xpt_rdma_log_lines l;
	int err = xpt_rdma_log_lines__init(&l, f);

	if (err)
		return err;
	while (xpt_rdma_log_lines__next(&l))
		read_line(nccl, &l);
	nccl->cut = l.cut;
	xpt_rdma_log_lines__free(&l);
	return ferror(f) ? -EIO : 0;
}

/* --- calls ------------------------------------------------------------------------------ */

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
		{ "ibv_dealloc_pd", "PD_DESTROY" }, { "ibv_open_device", "get_context" },
		{ "ibv_open_device", "GET_CONTEXT" }, { "mlx5dv_devx_qp_modify", "DEVX_OBJ_MODIFY" },
		{ "mlx5dv_devx_qp_query", "DEVX_OBJ_QUERY" }, { "mlx5dv_devx_general_cmd", "DEVX_OTHER" },
		{ "mlx5dv_devx_umem_dereg", "DEVX_UMEM_DEREG" }, { "mlx5dv_devx_alloc_uar", "UAR_OBJ_ALLOC" },
	};
	size_t i, n;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(verb, others[i].verb) && !strcmp(method, others[i].method))
			return true;
	if (has_word(method, "dmabuf", 6) && !has_word(verb, "dmabuf", 6))
		return false;
	verb += strncmp(verb, "mlx5dv_", 7) != 0 ? 4 : 7;
	for (; *verb; verb += n + (verb[n] == '_')) {
		n = strcspn(verb, "_");
		if (!has_word(method, verb, n))
			return false;
	}
	return true;
}

/* ibv_reg_mr is a macro: ibv_reg_mr_iova2 may be called in its place. */
static bool is_verb(const char *verb, const struct xpt_rdma_trace *t)
{
	size_t n = strlen(verb);

	if (!*t->caller)
		return is_method(verb, t->method);
	return !strcmp(t->caller, verb) || (!strncmp(t->caller, verb, n) && !strncmp(t->caller + n, "_iova", 5));
}

/* Takes the ids that the program has for itself: in a namespace they are others, and so is the host there. */
static void take_ids(struct xpt_rdma_nccl_call *c, const struct xpt_rdma_trace *t)
{
	const char *host = t->ns_host && *t->ns_host ? t->ns_host : t->host;

	c->pid = t->ns_pid ? t->ns_pid : t->pid;
	c->tid = t->ns_tid ? t->ns_tid : t->tid;
	c->in_container = *t->container && !t->ns_pid;
	snprintf(c->host, sizeof(c->host), "%.64s", host ? host : "");
	snprintf(c->machine, sizeof(c->machine), "%.64s", t->host ? t->host : "");
	snprintf(c->boot_id, sizeof(c->boot_id), "%.36s", t->boot_id ? t->boot_id : "");
}

uint32_t xpt_rdma_nccl__offer(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_trace *t)
{
	struct xpt_rdma_nccl_call c = { .wall_ns = t->wall_ns, .end_ns = t->wall_ns + t->dur_ns,
					.monotonic_ns = t->monotonic_ns };
	const char *wanted = strchr(t->shape, '>');
	bool is_named = false;
	unsigned i;

	for (i = 0; i < nccl->nr_verbs; i++) {
		if (!is_verb(nccl->verb[i], t))
			continue;
		c.verbs[i / 64] |= 1ull << (i % 64);
		is_named = true;
	}
	if (!is_named)
		return 0;
	if (!grow_table((void **)&nccl->call, nccl->nr_calls, &nccl->cap_calls, XPT_RDMA_NCCL_CALLS,
			sizeof(*nccl->call))) {
		nccl->calls_left_out++;
		return 0;
	}
	c.code = (int32_t)-t->ret;
	c.syndrome = t->firmware ? t->firmware->syndrome : 0;
	take_ids(&c, t);
	snprintf(c.state, sizeof(c.state), "%.7s", wanted ? wanted + 1 : "");
	nccl->call[nccl->nr_calls++] = c;
	return nccl->nr_calls;
}
