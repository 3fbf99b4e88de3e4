// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See log_forms.h. Prefixes say who logs:
 *	HOST:PID:TID [GPU] FILE:LINE NCCL WARN ...
 *	[TIME] [HOST:PID:THREAD]  FILE:LINE  UCX  ERROR ...	(a number of UCX, no thread id)
 *	E0331 12:03:04.222625 TID FILE:LINE] ...		(glog, Mooncake)
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/utf8.h"
#include "rdma/trace/log_forms.h"

enum { LAST_ERRNO = 140 };

#define NAME "abcdefghijklmnopqrstuvwxyz0123456789_"
#define DIGITS "0123456789"

const char *xpt_rdma_log_status(unsigned status, char *buf, unsigned n)
{
	/* enum ibv_wc_status, infiniband/verbs.h */
	static const char *const names[] = {
		"SUCCESS", "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_EEC_OP_ERR", "LOC_PROT_ERR", "WR_FLUSH_ERR",
		"MW_BIND_ERR", "BAD_RESP_ERR", "LOC_ACCESS_ERR", "REM_INV_REQ_ERR", "REM_ACCESS_ERR",
		"REM_OP_ERR", "RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR", "LOC_RDD_VIOL_ERR", "REM_INV_RD_REQ_ERR",
		"REM_ABORT_ERR", "INV_EECN_ERR", "INV_EEC_STATE_ERR", "FATAL_ERR", "RESP_TIMEOUT_ERR",
		"GENERAL_ERR", "TM_ERR", "TM_RNDV_INCOMPLETE",
	};

	if (status < sizeof(names) / sizeof(names[0]))
		return names[status];
	snprintf(buf, n, "status %u", status);
	return buf;
}

/* --- numbers and errors ----------------------------------------------------------------- */

/* Reads a decimal number that no letter follows; 0: there is none up to max. */
static uint32_t take_number(const char *s, uint32_t max)
{
	size_t n = strspn(s, DIGITS);
	char digits[12];
	uint64_t v = 0;

	if (!n || n >= sizeof(digits) || isalpha((unsigned char)s[n]))
		return 0;
	snprintf(digits, sizeof(digits), "%.*s", (int)n, s);
	return xpt_parse_u64(digits, 1, max, &v) ? 0 : (uint32_t)v;
}

static int take_errno(const char *s)
{
	return (int)take_number(s + (*s == '-'), 4095);
}

/* Returns the error whose text s begins with, the longest such text, or 0. */
static int errno_of_text(const char *s)
{
	size_t best = 0;
	int code, found = 0;

	for (code = 1; code <= LAST_ERRNO; code++) {
		const char *text = strerrordesc_np(code);
		size_t n = text ? strlen(text) : 0;

		if (n <= best || strncmp(s, text, n) != 0)
			continue;
		best = n;
		found = code;
	}
	return found;
}

/* "... [110]" */
static int errno_at_end(const char *s)
{
	const char *open = strrchr(s, '[');
	int code = open ? take_errno(open + 1) : 0;

	return code && !strcmp(open + 1 + (open[1] == '-') + strspn(open + 1 + (open[1] == '-'), DIGITS), "]") ?
	       code : 0;
}

/* Returns the errno in a reason, or 0. A number goes before a text: NCCL calls strerror() with -ENOMEM, too. */
static int errno_of(const char *reason)
{
	static const char unknown[] = "Unknown error ";
	const char *number = strstr(reason, "errno ");
	int code = number ? take_errno(number + 6) : 0;

	if (!strncmp(reason, "error ", 6))
		reason += 6;
	if (!code)
		code = take_errno(reason);
	if (!code && !strncmp(reason, unknown, sizeof(unknown) - 1))
		code = take_errno(reason + sizeof(unknown) - 1);
	if (!code)
		code = errno_at_end(reason);
	return code ? code : errno_of_text(reason);
}

/* --- who logs --------------------------------------------------------------------------- */

/* Returns where the name of a host begins that ends before end: "[default0]:node7" has a tag before it. */
static const char *find_host(const char *s, const char *end)
{
	while (end > s && (isalnum((unsigned char)end[-1]) || strchr("-._", end[-1]) || end[-1] & 0x80))
		end--;
	return end;
}

/* Takes HOST:PID:TID, with which the n bytes at s end. */
static bool take_triple(const char *s, size_t n, struct xpt_rdma_log_form *f)
{
	const char *second = memrchr(s, ':', n), *first, *host;
	uint32_t pid, tid;

	first = second ? memrchr(s, ':', (size_t)(second - s)) : NULL;
	host = first ? find_host(s, first) : NULL;
	if (!first || first == host || (size_t)(first - host) >= sizeof(f->host))
		return false;
	pid = take_number(first + 1, UINT32_MAX);
	tid = take_number(second + 1, UINT32_MAX);
	if (!pid || first + 1 + strspn(first + 1, DIGITS) != second ||
	    second + 1 + strspn(second + 1, DIGITS) != s + n)
		return false;
	snprintf(f->host, sizeof(f->host), "%.*s", (int)(first - host), host);
	f->pid = pid;
	f->tid = tid;
	return true;
}

/* NCCL's is followed by a device in brackets, UCX's has brackets around it: no time of day looks like that. */
static bool take_word(const char *word, size_t n, struct xpt_rdma_log_form *f)
{
	bool boxed = n > 2 && word[0] == '[' && word[n - 1] == ']';

	if (boxed && take_triple(word + 1, n - 2, f)) {
		f->tid = 0;
		return true;
	}
	return word[n] == ' ' && word[n + 1] == '[' && isdigit((unsigned char)word[n + 2]) &&
	       take_triple(word, n, f);
}

/* "E0331 12:03:04.222625 56060 rdma_endpoint.cpp:385]": returns the level, or 0. */
static char take_glog(const char *text, const char *end, struct xpt_rdma_log_form *f)
{
	const char *s;

	for (s = text; s < end; s++) {
		const char *tid = s + 21;

		if (!strchr("IWEF", *s) || strspn(s + 1, DIGITS) != 4 || s[5] != ' ' ||
		    strspn(s + 6, DIGITS ":.") != 15 || s[21] != ' ')
			continue;
		tid += strspn(tid, " ");
		f->tid = take_number(tid, UINT32_MAX);
		return f->tid ? *s : 0;
	}
	return 0;
}

/* Takes the last prefix before the message: output of two programs may share a line. */
static void take_source(const char *text, const char *end, struct xpt_rdma_log_form *f)
{
	while (end > text) {
		const char *word;

		while (end > text && end[-1] == ' ')
			end--;
		for (word = end; word > text && word[-1] != ' '; word--)
			;
		if (word < end && take_word(word, (size_t)(end - word), f))
			return;
		end = word;
	}
}

/* --- forms ------------------------------------------------------------------------------ */

static void keep_text(struct xpt_rdma_log_form *f, const char *s, size_t n)
{
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	snprintf(f->text, sizeof(f->text), "%.*s", n < sizeof(f->text) ? (int)n : (int)sizeof(f->text) - 1, s);
	xpt_utf8__clean(f->text, "");
}

/* Takes the name of a call at s. Returns its length, or 0. Functions of older OFED have "exp" in their names. */
static size_t take_verb(const char *s, struct xpt_rdma_log_form *f)
{
	size_t n = strspn(s, NAME), skip = 0;

	if (strncmp(s, "ibv_", 4) != 0 && strncmp(s, "mlx5dv_", 7) != 0)
		return 0;
	if (!strncmp(s, "ibv_exp_", 8))
		skip = 4;
	if (n - skip >= sizeof(f->verb) || n - skip < 5)
		return 0;
	snprintf(f->verb, sizeof(f->verb), "%.4s%.*s", s, (int)(n - skip) - 4, s + 4 + skip);
	return n;
}

/* Takes a word of capitals at s: "... next state RTR, ...", "... to RTR, ...". */
static void take_state(const char *s, struct xpt_rdma_log_form *f)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (n && n < sizeof(f->state))
		snprintf(f->state, sizeof(f->state), "%.*s", (int)n, s);
}

/* NCCL: "Call to VERB failed", "... failed with REASON"; at is where it begins. */
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
	f->code = errno_of(reason);
	state = strstr(reason, "next state ");
	if (state)
		take_state(state + 11, f);
	retry = strstr(reason, "retrying ");
	if (retry)
		f->attempt = take_number(retry + 9, 1000000);
	keep_text(f, at, strlen(at));
	return true;
}

/* Returns the level in UCX's prefix of a message at that place, or NULL if it is no message of UCX. */
static const char *find_ucx_level(const char *text, const char *at)
{
	const char *ucx = memmem(text, (size_t)(at - text), " UCX ", 5);

	return ucx ? ucx + 5 + strspn(ucx + 5, " ") : NULL;
}

/* Below level WARN, UCX logs failed questions, which are normal. */
static bool is_warning(const char *level)
{
	return !strncmp(level, "ERROR ", 6) || !strncmp(level, "WARN ", 5) || !strncmp(level, "FATAL ", 6);
}

/* UCX: "VERB(ARGUMENTS) failed: REASON" */
static bool read_ucx(const char *text, const char *at, struct xpt_rdma_log_form *f)
{
	const char *level = find_ucx_level(text, at), *failed;
	size_t n = level && is_warning(level) ? take_verb(at, f) : 0;

	if (!n)
		return false;
	failed = strstr(at + n, " failed");
	if (!failed || !strchr(" (", at[n]))
		return false;
	f->code = !strncmp(failed + 7, ": ", 2) ? errno_of(failed + 9) : 0;
	keep_text(f, at, strlen(at));
	return true;
}

/* Sentences of Mooncake and UCX about a call that they do not name; they end with ": REASON". */
static const struct sentence {
	const char *words, *verb;
	bool has_state;
} sentences[] = {
	{ "Failed to modify QP to ", "ibv_modify_qp", true },
	{ "error modifying QP to ", "ibv_modify_qp", true },
	{ "Failed to register memory", "ibv_reg_mr", false },
	{ "Failed to create QP", "ibv_create_qp", false },
};

static bool read_sentence(const char *at, const struct sentence *s, struct xpt_rdma_log_form *f)
{
	const char *reason = at, *colon;

	while ((colon = strstr(reason, ": ")))
		reason = colon + 2;
	f->code = reason == at ? 0 : errno_of(reason);
	if (!f->code)
		return false;
	snprintf(f->verb, sizeof(f->verb), "%s", s->verb);
	if (s->has_state)
		take_state(at + strlen(s->words), f);
	keep_text(f, at, strlen(at));
	return true;
}

/* "Got completion from peer ... with status=12 ...", "... status=NAME(12) ...", "... with error 12, ..." */
static bool read_completion(const char *at, struct xpt_rdma_log_form *f)
{
	const char *with = strstr(at, " with "), *open;

	if (!with)
		return false;
	with += 6;
	if (!strncmp(with, "status=", 7))
		with += 7;
	else if (!strncmp(with, "error ", 6))
		with += 6;
	else
		return false;
	open = with + strspn(with, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	f->status = take_number(*open == '(' ? open + 1 : with, 65535);
	return f->status;
}

/*
 * NCCL: "Got async event : TYPE", "mlx5_0:1 async fatal event on QP (0x1): TYPE", "... TYPE(10)".
 * Mooncake: "Received context async event TYPE for context mlx5_0".
 */
static bool read_event(const char *text, const char *at, struct xpt_rdma_log_form *f)
{
	static const char mooncake[] = "Received context ";
	const char *type = strstr(at, "event"), *end;

	if (!type || type > at + 12)
		return false;
	type += 5;
	if (strstr(text, "NET/") && strchr(type, ':'))
		type = strchr(type, ':') + 1;
	else if (at - text < (long)sizeof(mooncake) - 1 ||
		 strncmp(at - (sizeof(mooncake) - 1), mooncake, sizeof(mooncake) - 1) != 0)
		return false;
	type += strspn(type, ": ");
	end = strstr(type, " for context ");
	if (!end)
		end = strchr(type, '(');
	if (!end)
		end = type + strlen(type);
	keep_text(f, type, (size_t)(end - type));
	return *f->text;
}

/* Returns the first name of a call at the beginning of a word, or NULL. */
static const char *find_verb(const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if ((!strncmp(at, "ibv_", 4) || !strncmp(at, "mlx5dv_", 7)) && (at == text || at[-1] == ' '))
			return at;
	return NULL;
}

/* Returns where the message begins, or NULL if it is none of a failed call. */
static const char *read_call(const char *text, struct xpt_rdma_log_form *f)
{
	const char *at = strstr(text, "Call to "), *level;
	size_t i;

	f->kind = XPT_RDMA_LOG_CALL;
	if (at && read_nccl(at, f))
		return at;
	at = find_verb(text);
	if (at && read_ucx(text, at, f))
		return at;
	for (i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		at = strcasestr(text, sentences[i].words);
		level = at ? find_ucx_level(text, at) : NULL;
		if (at && (!level || is_warning(level)) && read_sentence(at, &sentences[i], f))
			return at;
	}
	return NULL;
}

static const char *read_other(const char *text, struct xpt_rdma_log_form *f)
{
	const char *at = strstr(text, "Got completion ");

	f->kind = XPT_RDMA_LOG_COMPLETION;
	if (at && read_completion(at, f))
		return at;
	f->kind = XPT_RDMA_LOG_EVENT;
	at = strstr(text, "async ");
	return at && read_event(text, at, f) ? at : NULL;
}

bool xpt_rdma_log_form__is_possible(const char *line)
{
	return strstr(line, "ibv_") || strstr(line, "mlx5dv_") || strstr(line, "Got completion ") ||
	       strstr(line, "async ") || strcasestr(line, "QP") || strstr(line, "register memory");
}

bool xpt_rdma_log_form__parse(const char *text, uint32_t pid, struct xpt_rdma_log_form *ret_form)
{
	struct xpt_rdma_log_form f = { 0 };
	const char *at = read_call(text, &f);
	char level;

	if (!at) {
		f = (struct xpt_rdma_log_form){ 0 };
		at = read_other(text, &f);
	}
	if (!at)
		return false;
	take_source(text, at, &f);
	level = f.pid ? 0 : take_glog(text, at, &f);
	if (!f.pid)
		f.pid = pid;
	xpt_utf8__clean(f.host, "");
	*ret_form = f;
	return level != 'I';
}
