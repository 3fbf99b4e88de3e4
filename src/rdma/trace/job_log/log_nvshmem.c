// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See log_nvshmem.h. NVSHMEM src/include/non_abi/nvshmemx_error.h has the macros, src/modules/transport the
 * messages. They name no process. A message that begins a line belongs to pieces of lines before it.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "rdma/trace/job_log/log_code.h"
#include "rdma/trace/job_log/log_nvshmem.h"
#include "rdma/trace/job_log/log_source.h"

enum { LABEL = 64 };		/* bytes of a label */
enum { SYNDROME = 47 };	/* bytes after a message in which its syndrome is */
enum { WORD = 256 };		/* bytes of a word, at most: a longer word is not read again for each of its parts */
enum { INTERNAL = 7 };		/* NVSHMEMX_ERROR_INTERNAL: no errno */

#define NAME "abcdefghijklmnopqrstuvwxyz0123456789_"

static const struct {
	const char *words, *verb, *state;
} messages[] = {
	{ "qp creation failed", "ibv_create_qp", "" },
	{ "cq creation failed", "ibv_create_cq", "" },
	{ "srq creation failed", "ibv_create_srq", "" },
	{ "mem registration failed", "ibv_reg_mr", "" },
	{ "get_device_list failed", "ibv_get_device_list", "" },
	{ "ibv_port_query failed", "ibv_query_port", "" },
	{ "Unable to create ah", "ibv_create_ah", "" },
	{ "Unable to dereg memory", "ibv_dereg_mr", "" },
	{ "Unable to set qp to state INIT with errno ", "ibv_modify_qp", "INIT" },
	{ "Unable to set qp to state R2R with errno ", "ibv_modify_qp", "RTR" },
	{ "Unable to set qp to state R2S with errno ", "ibv_modify_qp", "RTS" },
	{ "cannot create devx object", "mlx5dv_devx_obj_create", "" },
	{ "cannot register wq buf", "mlx5dv_devx_umem_reg", "" },
	{ "cannot register dbr buf", "mlx5dv_devx_umem_reg", "" },
	{ "cannot register cq buf", "mlx5dv_devx_umem_reg", "" },
	{ "Error in mlx5dv_devx_obj_modify for ", "mlx5dv_devx_obj_modify", "" },
};

enum { NR_MESSAGES = sizeof(messages) / sizeof(messages[0]) };

static void add_status(struct xpt_rdma_log_scan *scan, int status)
{
	status = status == INTERNAL ? 0 : status;
	scan->is_mixed |= scan->nr_marks && status != scan->status;
	scan->status = status;
	scan->nr_marks++;
}

/* Returns the status of a message, which is used up then; 0: it is not known. */
static int use_status(struct xpt_rdma_log_scan *scan)
{
	int status = scan->nr_marks && !scan->is_mixed ? scan->status : 0;

	scan->nr_marks -= scan->nr_marks > 0;
	scan->is_mixed &= scan->nr_marks > 0;
	return status;
}

/* Takes "FILE:LINE: non-zero status: 110 " or the like at a colon. Returns its end, or NULL. */
static const char *take_mark(const char *s, struct xpt_rdma_log_scan *scan)
{
	static const char *const statuses[] = { ": non-zero status: ", ": error status: " };
	const char *end = NULL;
	size_t i, n;

	if (!strncmp(s, ": NULL value ", 13)) {
		add_status(scan, 0);
		return s + 13;
	}
	for (i = 0; i < 2; i++) {
		n = strlen(statuses[i]);
		if (strncmp(s, statuses[i], n) != 0)
			continue;
		add_status(scan, (int)xpt_rdma_log_number(s + n + (s[n] == '-'), 4095, &end));
		return end;
	}
	return NULL;
}

/* Returns how many bytes of a name begin there, at most max. */
static size_t span_name(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n] && strchr(NAME, s[n]))
		n++;
	return n;
}

/* Takes "VERB failed", also "VERB rst2init for dct failed" at s. Returns its end, or NULL. */
static const char *take_verb(const char *s, struct xpt_rdma_log_form *f)
{
	const char *at = s;
	size_t n;

	if (strncmp(s, "ibv_", 4) != 0 && strncmp(s, "mlx5dv_", 7) != 0)
		return NULL;
	n = span_name(s, sizeof(f->verb));
	at += n;
	if (n >= sizeof(f->verb))
		return NULL;
	while (*at == ' ' && strncmp(at, " failed", 7) != 0) {
		size_t word = span_name(at + 1, WORD);

		if (!word || at - s > 64)
			return NULL;
		at += 1 + word;
	}
	if (strncmp(at, " failed", 7) != 0 || (at[7] && !strchr(" .,\n", at[7])))
		return NULL;
	snprintf(f->verb, sizeof(f->verb), "%.*s", (int)n, s);
	return at + 7;
}

/* Takes one of the messages at s. Returns its end, or NULL. */
static const char *take_message(const char *s, struct xpt_rdma_log_form *f)
{
	const char *end, *syndrome;
	size_t i, n;

	for (i = 0; i < NR_MESSAGES; i++) {
		n = strlen(messages[i].words);
		if (strncmp(s, messages[i].words, n) != 0)
			continue;
		snprintf(f->verb, sizeof(f->verb), "%s", messages[i].verb);
		snprintf(f->state, sizeof(f->state), "%s", messages[i].state);
		end = s + n;
		if (end[-1] != ' ')
			return end;
		if (*f->state)
			f->code = (int)xpt_rdma_log_number(end, 4095, &end);
		syndrome = memmem(end, strnlen(end, SYNDROME), " with syndrome ", 15);
		if (!syndrome)
			return end;
		f->syndrome = xpt_rdma_log_hex(syndrome + 15);
		return syndrome + 15;
	}
	return take_verb(s, f);
}

/*
 * Tells whether all of s is messages "VERB failed", as they are where another piece ended the line before. A
 * label may be before them: "3: ", "worker-0: ".
 */
static bool is_bare(const char *s)
{
	size_t label = strcspn(s, " :");
	struct xpt_rdma_log_form f;

	if (label <= LABEL && !strncmp(s + label, ": ", 2))
		s += label + 2;

	if (!take_verb(s, &f))
		return false;
	while (*s && (s = take_verb(s, &f)))
		s += strspn(s, " .\t");
	return s;
}

bool xpt_rdma_log_nvshmem__is_possible(const char *text)
{
	return strstr(text, ": non-zero status: ") || strstr(text, ": NULL value ") || strstr(text, ": error status: ") ||
	       is_bare(text);
}

/* Tells whether a message of NVSHMEM may begin there: at a word, and not in one of NCCL. */
static bool may_begin(const char *text, const char *s)
{
	return s == text || (!isalnum((unsigned char)s[-1]) && (s - text < 8 || strncmp(s - 8, "Call to ", 8) != 0));
}

/* Returns where the name of the file begins that a status at the colon follows, not before from. */
static const char *begin_of_file(const char *from, const char *colon)
{
	const char *word = colon;

	while (word > from && word[-1] != ' ' && colon - word < LABEL)
		word--;
	return xpt_rdma_log_unglue(from, word, colon);
}

const char *xpt_rdma_log_nvshmem__find(const char *from, const char *end)
{
	struct xpt_rdma_log_scan ignored = { 0 };
	struct xpt_rdma_log_form f;
	const char *s;

	for (s = from; s < end; s++) {
		if (*s == ':' && take_mark(s, &ignored))
			return begin_of_file(from, s);
		if (may_begin(from, s) && take_message(s, &f))
			return s;
	}
	return NULL;
}

bool xpt_rdma_log_nvshmem__next(struct xpt_rdma_log_scan *scan, struct xpt_rdma_log_form *ret_form)
{
	struct xpt_rdma_log_form f = { .kind = XPT_RDMA_LOG_CALL, .pid = scan->tag.pid, .when = scan->tag.when };
	char *s = scan->rest;
	const char *end;
	int status;
	size_t n;

	for (; *s; s++) {
		end = *s == ':' ? take_mark(s, scan) : NULL;
		if (end) {
			s = (char *)(uintptr_t)end - 1;
			continue;
		}
		end = may_begin(scan->rest, s) ? take_message(s, &f) : NULL;
		if (!end)
			continue;
		status = use_status(scan);
		f.code = f.code ? f.code : status;
		n = (size_t)(end - s);
		snprintf(f.text, sizeof(f.text), "%.*s", n < sizeof(f.text) ? (int)n : (int)sizeof(f.text) - 1, s);
		xpt_utf8__clean(f.text, "");
		scan->rest = (char *)(uintptr_t)end;
		*ret_form = f;
		return true;
	}
	return false;
}
