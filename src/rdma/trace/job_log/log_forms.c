// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See log_forms.h. The forms are those of the sources: NCCL src/misc/ibvwrap.cc and src/transport/net_ib,
 * UCX src/uct/ib, NVSHMEM src/modules/transport, Mooncake src/transport/rdma_transport.
 *
 * Texts are read in segments, each of one program: it ends where the next message begins.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "rdma/trace/job_log/log_code.h"
#include "rdma/trace/job_log/log_forms.h"
#include "rdma/trace/job_log/log_nvshmem.h"
#include "rdma/trace/job_log/log_source.h"
#include "rdma/trace/verb_names.h"

#define NAME "abcdefghijklmnopqrstuvwxyz0123456789_"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* --- parts of messages ------------------------------------------------------------------ */

static void keep_text(struct xpt_rdma_log_form *f, const char *s, size_t n)
{
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	snprintf(f->text, sizeof(f->text), "%.*s", n < sizeof(f->text) ? (int)n : (int)sizeof(f->text) - 1, s);
	xpt_utf8__clean(f->text, "");
}

static bool is_verb(const char *s)
{
	return !strncmp(s, "ibv_", 4) || !strncmp(s, "mlx5dv_", 7);
}

/* Takes the name of a call at s. Returns its length, or 0. Functions of older OFED have "exp" in their names. */
static size_t take_verb(const char *s, struct xpt_rdma_log_form *f)
{
	size_t n = strspn(s, NAME), skip = !strncmp(s, "ibv_exp_", 8) ? 4 : 0;

	if (!is_verb(s) || n - skip >= sizeof(f->verb) || n - skip < 5)
		return 0;
	snprintf(f->verb, sizeof(f->verb), "%.4s%.*s", s, (int)(n - skip) - 4, s + 4 + skip);
	return n;
}

/* Returns the first name of a call at the beginning of a word, or NULL. */
static const char *find_verb(const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if ((at == text || at[-1] == ' ') && is_verb(at))
			return at;
	return NULL;
}

/* Takes the first word that is a state of a queue pair, or "state 2", up to end. Something is before s. */
static void take_state(const char *s, const char *end, struct xpt_rdma_log_form *f)
{
	const char *number = strstr(s, "to state "), *name;
	unsigned i;
	size_t n;

	if (number && number < end && isdigit((unsigned char)number[9])) {
		name = xpt_rdma_name(XPT_RDMA_QP_STATES, xpt_rdma_log_number(number + 9, 99, NULL));
		snprintf(f->state, sizeof(f->state), "%s", name ? name : "");
		return;
	}
	for (; s < end; s += n + !n) {
		n = isalnum((unsigned char)s[-1]) ? 0 : strspn(s, CAPITALS);
		for (i = 0; n && (name = xpt_rdma_name(XPT_RDMA_QP_STATES, i)); i++)
			if (strlen(name) == n && !strncmp(s, name, n) && !isalnum((unsigned char)s[n])) {
				snprintf(f->state, sizeof(f->state), "%s", name);
				return;
			}
	}
}

/* "syndrome 0x2c4154", "syndrome 764216": always hexadecimal. */
static void take_syndrome(const char *s, struct xpt_rdma_log_form *f)
{
	const char *at = strstr(s, "syndrome ");

	f->syndrome = at ? xpt_rdma_log_hex(at + 9) : 0;
}

/* --- NCCL ------------------------------------------------------------------------------- */

/* "Call to VERB failed", "... failed with REASON" at that place. */
static bool read_nccl(const char *at, struct xpt_rdma_log_form *f)
{
	const char *failed, *reason, *state, *retry;
	size_t n = take_verb(at + 8, f);

	failed = at + 8 + n;
	if (!n || strncmp(failed, " failed", 7) != 0)
		return false;
	reason = failed + 7;
	if (*reason && !strchr(" :,.", *reason))
		return false;
	reason += !strncmp(reason, " with ", 6) ? 6 : !strncmp(reason, ": ", 2) ? 2 : 0;
	f->code = xpt_rdma_log_errno(reason);
	state = strstr(reason, "next state ");
	if (state)
		take_state(state + 11, state + 12, f);
	retry = strstr(reason, "retrying ");
	if (retry)
		f->attempt = xpt_rdma_log_number(retry + 9, 1000000, NULL);
	keep_text(f, at, strlen(at));
	return true;
}

/* --- UCX and Mooncake ------------------------------------------------------------------- */

enum level { NO_LEVEL, QUIET, WARNING };

/* Returns the level that is logged before a message. Below WARN, UCX logs failed questions, which are normal. */
static enum level find_level(const char *text, const char *at)
{
	const char *ucx = memmem(text, (size_t)(at - text), " UCX ", 5);
	struct xpt_rdma_log_source s;

	if (ucx) {
		ucx += 5 + strspn(ucx + 5, " ");
		return strncmp(ucx, "ERROR ", 6) && strncmp(ucx, "WARN ", 5) && strncmp(ucx, "FATAL ", 6) ? QUIET : WARNING;
	}
	xpt_rdma_log_source__find(text, at, &s);
	return !s.level ? NO_LEVEL : s.level == 'I' ? QUIET : WARNING;
}

/* "VERB(ARGUMENTS) failed: REASON", "VERB(DCI, RTR) failed : REASON", "VERB(NAME) returned 22: REASON" */
static bool read_verb(const char *text, const char *at, struct xpt_rdma_log_form *f)
{
	size_t n = find_level(text, at) == WARNING ? take_verb(at, f) : 0;
	const char *failed, *returned;

	if (!n || !strchr(" (", at[n]))
		return false;
	failed = strstr(at + n, " failed");
	returned = strstr(at + n, " returned ");
	if (!failed && !returned)
		return false;
	f->code = xpt_rdma_log_errno_behind(failed ? failed : returned);
	if (!f->code && returned)
		f->code = (int)xpt_rdma_log_number(returned + 10 + (returned[10] == '-'), 4095, NULL);
	take_syndrome(at, f);
	if (strstr(f->verb, "modify"))
		take_state(at + n, at + strlen(at), f);
	keep_text(f, at, strlen(at));
	return true;
}

/* Sentences about a call that they do not name; an error ends them. words, then near them what. */
static const struct sentence {
	const char *words, *what, *verb;
} sentences[] = {
	{ "failed to modify ", "QP", "ibv_modify_qp" },
	{ "error modifying ", "QP", "ibv_modify_qp" },
	{ "error modifying ", "DCT", "ibv_modify_qp" },
	{ "modify qp ", "to state", "ibv_modify_qp" },
	{ "failed to create ", "QP", "ibv_create_qp" },
	{ "failed to destroy ", "QP", "ibv_destroy_qp" },
	{ "failed to query ", "QP", "ibv_query_qp" },
	{ "failed to create ", "completion queue", "ibv_create_cq" },
	{ "failed to destroy ", "completion queue", "ibv_destroy_cq" },
	{ "failed to create ", "completion channel", "ibv_create_comp_channel" },
	{ "failed to allocate ", "protection domain", "ibv_alloc_pd" },
	{ "failed to deallocate ", "protection domain", "ibv_dealloc_pd" },
	{ "failed to register ", "memory", "ibv_reg_mr" },
	{ "failed to unregister ", "memory", "ibv_dereg_mr" },
	{ "failed to query ", "port", "ibv_query_port" },
};

enum { NR_SENTENCES = sizeof(sentences) / sizeof(sentences[0]) };
enum { NEAR = 24 };		/* bytes between words and what */

static bool is_near(const char *s, const char *what)
{
	size_t n = strlen(what);
	int i;

	for (i = 0; i <= NEAR && s[i]; i++)
		if (!strncasecmp(s + i, what, n))
			return true;
	return false;
}

/* Returns where the sentence begins, or NULL. */
static const char *find_sentence(const char *text, const struct sentence *s)
{
	size_t n = strlen(s->words);
	const char *at = strcasestr(text, s->words);

	while (at && !is_near(at + n, s->what))
		at = strcasestr(at + n, s->words);
	return at;
}

static bool read_sentence(const char *at, const struct sentence *s, struct xpt_rdma_log_form *f)
{
	f->code = xpt_rdma_log_errno_behind(at);
	if (!f->code)
		return false;
	snprintf(f->verb, sizeof(f->verb), "%s", s->verb);
	if (!strcmp(s->verb, "ibv_modify_qp"))
		take_state(at + strlen(s->words), at + strlen(at), f);
	keep_text(f, at, strlen(at));
	return true;
}

/* --- completions and events ------------------------------------------------------------- */

/* NCCL: "Got completion from peer ... with status=12 ...", "... status=NAME(12) ...", "... with error 12, ..." */
static unsigned status_of_nccl(const char *text)
{
	const char *at = strstr(text, "Got completion "), *with = at ? strstr(at, " with ") : NULL, *open;

	if (!with)
		return 0;
	with += 6;
	if (!strncmp(with, "status=", 7))
		with += 7;
	else if (!strncmp(with, "error ", 6))
		with += 6;
	else
		return 0;
	open = with + strspn(with, CAPITALS "_");
	return xpt_rdma_log_number(*open == '(' ? open + 1 : with, 65535, NULL);
}

/* UCX: "... on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)", "send completion[0] with error on mlx5_0/0x1: TEXT" */
static unsigned status_of_ucx(const char *text)
{
	const char *at = strstr(text, "(synd 0x"), *colon;

	if (at)
		return xpt_rdma_log_status_mlx5(xpt_rdma_log_hex(at + 8));
	at = strstr(text, " completion[");
	at = at ? strstr(at, " with error on ") : NULL;
	colon = at ? strstr(at, ": ") : NULL;
	return colon ? xpt_rdma_log_status_text(colon + 2) : 0;
}

/* Mooncake: "Process failed for slice (...): TEXT" */
static unsigned status_of_mooncake(const char *text)
{
	const char *at = strstr(text, "Process failed for slice "), *end = at ? strstr(at, "): ") : NULL;

	return end ? xpt_rdma_log_status_text(end + 3) : 0;
}

static bool read_completion(const char *text, struct xpt_rdma_log_form *f)
{
	f->kind = XPT_RDMA_LOG_COMPLETION;
	f->status = status_of_nccl(text);
	if (!f->status)
		f->status = status_of_ucx(text);
	if (!f->status)
		f->status = status_of_mooncake(text);
	return f->status;
}

/*
 * Returns where the type of an event begins, or NULL.
 * NCCL: "Got async event : TYPE", "mlx5_0:1 async fatal event on QP (0x1): TYPE", "... TYPE(10)".
 * UCX: "IB Async event on mlx5_0: TYPE on port 1". Mooncake: "Received context async event TYPE for context mlx5_0".
 */
static const char *find_event(const char *text)
{
	const char *at = strcasestr(text, "async "), *type = at ? strstr(at, "event") : NULL, *colon;

	if (!type || type > at + 18)
		return NULL;
	type += 5;
	colon = strchr(type, ':');
	if (strstr(text, "NET/") && colon)
		return colon + 1;
	if (at - text >= 3 && !strncmp(at - 3, "IB Async event on ", 18) && colon)
		return colon + 1;
	return at - text >= 17 && !strncmp(at - 17, "Received context ", 17) ? type : NULL;
}

static bool read_event(const char *text, struct xpt_rdma_log_form *f)
{
	static const char *const ends[] = { " for context ", " on port ", " on QPN ", " on SRQ ", "(" };
	const char *type = find_event(text), *end, *at;
	size_t i;

	f->kind = XPT_RDMA_LOG_EVENT;
	if (!type) {
		type = strstr(text, "GID table changed");
		if (!type || !strstr(text, "NET/"))
			return false;
		keep_text(f, "GID table change", 16);
		return true;
	}
	type += strspn(type, ": ");
	end = type + strlen(type);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		at = strstr(type, ends[i]);
		end = at && at < end ? at : end;
	}
	keep_text(f, type, (size_t)(end - type));
	return *f->text;
}

/* --- a segment -------------------------------------------------------------------------- */

/* Returns where the message begins, or NULL if it is none of a failed call. */
static const char *read_call(const char *text, struct xpt_rdma_log_form *f)
{
	const char *at = strstr(text, "Call to ");
	size_t i;

	f->kind = XPT_RDMA_LOG_CALL;
	if (at && read_nccl(at, f))
		return at;
	at = find_verb(text);
	if (at && read_verb(text, at, f))
		return at;
	for (i = 0; i < NR_SENTENCES; i++) {
		at = find_sentence(text, &sentences[i]);
		if (at && find_level(text, at) != QUIET && read_sentence(at, &sentences[i], f))
			return at;
	}
	return NULL;
}

/* Reads the only message of a segment. */
static bool read_segment(const struct xpt_rdma_log_tag *tag, const char *text, struct xpt_rdma_log_form *ret_form)
{
	struct xpt_rdma_log_form f = { 0 };
	struct xpt_rdma_log_source s;
	const char *at = read_call(text, &f);

	if (!at) {
		f = (struct xpt_rdma_log_form){ 0 };
		if (!read_completion(text, &f) && !read_event(text, &f))
			return false;
		at = text + strlen(text);
	}
	xpt_rdma_log_source__find(text, at, &s);
	memcpy(f.host, s.host, sizeof(f.host));
	xpt_utf8__clean(f.host, "");
	f.pid = s.pid ? s.pid : tag->pid;
	f.tid = s.tid;
	f.when = s.when.clock ? s.when : tag->when;
	*ret_form = f;
	return s.level != 'I';
}

/* Tells whether UCX logs at a level: its name begins there, after blanks. */
static bool is_ucx_level(const char *s)
{
	static const char *const levels[] = { "ERROR ", "WARN ", "FATAL ", "DIAG ", "INFO ", "DEBUG ", "TRACE ", "REQ ",
					      "DATA ", "ASYNC ", "FUNC ", "POLL " };
	size_t i;

	s += strspn(s, " ");
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strncmp(s, levels[i], strlen(levels[i])))
			return true;
	return false;
}

/* Returns where the name of the library is that the next message has: " NCCL ", or " UCX " and a level; or NULL. */
static const char *find_library(const char *s)
{
	for (s = strchr(s, ' '); s; s = strchr(s + 1, ' '))
		if (!strncmp(s, " NCCL ", 6) || (!strncmp(s, " UCX ", 5) && is_ucx_level(s + 5)))
			return s;
	return NULL;
}

/* Returns where a message begins that has the name of its library there: at its source, which is not before from. */
static const char *begin_of_message(const char *from, const char *library)
{
	struct xpt_rdma_log_source s;
	const char *found = xpt_rdma_log_source__find(from, library, &s);

	return found && !s.level ? found : library;
}

/*
 * Finds where the segment ends with which the rest begins: before the second message that NCCL or UCX logs in it.
 * NVSHMEM's messages name no library, so the text before and after a message of the others is a segment as well.
 * That has many messages, which is why its end is looked for once.
 */
static void find_segment(struct xpt_rdma_log_scan *scan)
{
	const char *text = scan->rest, *first = find_library(text), *second, *end = scan->stop, *other;

	scan->has_library = false;
	if (first) {
		other = scan->is_nvshmem ? begin_of_message(text, first) : text;
		scan->has_library = other == text;
		second = scan->has_library ? find_library(first + 4) : NULL;
		end = other > text ? other : second ? begin_of_message(first + 5, second) : end;
		other = scan->has_library && scan->is_nvshmem ? xpt_rdma_log_nvshmem__find(first + 5, end) : NULL;
		end = other ? other : end;
		first = second ? second : scan->has_library ? scan->stop : first;
	}
	scan->searched += (uint64_t)((first ? first : end) - text);
	scan->end = (char *)(uintptr_t)end;
}

void xpt_rdma_log_form__begin(struct xpt_rdma_log_scan *scan, char *text, const struct xpt_rdma_log_tag *tag)
{
	*scan = (struct xpt_rdma_log_scan){
		.rest = text, .stop = text + strlen(text), .end = text, .tag = *tag,
		.is_nvshmem = xpt_rdma_log_nvshmem__is_possible(text),
	};
}

/* Reads the next message of the segment. */
static bool read_next(struct xpt_rdma_log_scan *scan, struct xpt_rdma_log_form *ret_form)
{
	bool found;

	if (scan->is_nvshmem && !scan->has_library && xpt_rdma_log_nvshmem__next(scan, ret_form))
		return true;
	found = read_segment(&scan->tag, scan->rest, ret_form);
	scan->rest = scan->end;
	return found;
}

bool xpt_rdma_log_form__next(struct xpt_rdma_log_scan *scan, struct xpt_rdma_log_form *ret_form)
{
	while (scan->rest < scan->stop) {
		char saved;
		bool found;

		if (scan->rest >= scan->end)
			find_segment(scan);
		saved = *scan->end;
		*scan->end = '\0';
		found = read_next(scan, ret_form);
		*scan->end = saved;
		if (found)
			return true;
	}
	return false;
}

bool xpt_rdma_log_form__is_possible(const char *line)
{
	return strstr(line, "ibv_") || strstr(line, "mlx5dv_") || strstr(line, "Got completion ") ||
	       strcasestr(line, "async ") || strcasestr(line, "QP") || strstr(line, "ailed ") ||
	       strstr(line, "(synd 0x") || strstr(line, " completion[") || strstr(line, "error modifying ") || strstr(line, "GID table changed") ||
	       strstr(line, "NULL value ") || strstr(line, "non-zero status: ");
}
