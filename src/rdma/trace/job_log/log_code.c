// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See log_code.h. Texts of errors and statuses are those of the libraries, which no locale changes here.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "rdma/trace/job_log/log_code.h"

enum { LAST_ERRNO = 140, MAX_ERRNO = 4095 };
enum { COLONS = 200 };		/* after which a reason is looked for: two GIDs have 30 */

/* enum ibv_wc_status, infiniband/verbs.h, and the text of ibv_wc_status_str() for each, libibverbs/enum_strs.c. */
static const struct {
	const char *name, *text;
} statuses[] = {
	{ "SUCCESS", "" },
	{ "LOC_LEN_ERR", "local length error" },
	{ "LOC_QP_OP_ERR", "local QP operation error" },
	{ "LOC_EEC_OP_ERR", "local EE context operation error" },
	{ "LOC_PROT_ERR", "local protection error" },
	{ "WR_FLUSH_ERR", "Work Request Flushed Error" },
	{ "MW_BIND_ERR", "memory management operation error" },
	{ "BAD_RESP_ERR", "bad response error" },
	{ "LOC_ACCESS_ERR", "local access error" },
	{ "REM_INV_REQ_ERR", "remote invalid request error" },
	{ "REM_ACCESS_ERR", "remote access error" },
	{ "REM_OP_ERR", "remote operation error" },
	{ "RETRY_EXC_ERR", "transport retry counter exceeded" },
	{ "RNR_RETRY_EXC_ERR", "RNR retry counter exceeded" },
	{ "LOC_RDD_VIOL_ERR", "local RDD violation error" },
	{ "REM_INV_RD_REQ_ERR", "remote invalid RD request" },
	{ "REM_ABORT_ERR", "aborted error" },
	{ "INV_EECN_ERR", "invalid EE context number" },
	{ "INV_EEC_STATE_ERR", "invalid EE context state" },
	{ "FATAL_ERR", "fatal error" },
	{ "RESP_TIMEOUT_ERR", "response timeout error" },
	{ "GENERAL_ERR", "general error" },
	{ "TM_ERR", "TM error" },
	{ "TM_RNDV_INCOMPLETE", "TM software rendezvous" },
};

enum { NR_STATUSES = sizeof(statuses) / sizeof(statuses[0]) };

uint32_t xpt_rdma_log_number(const char *s, uint32_t max, const char **ret_end)
{
	const char *at = s + strspn(s, " ");
	uint64_t v = 0;

	if (!isdigit((unsigned char)*at))
		return 0;
	for (; isdigit((unsigned char)*at); at++)
		v = v > UINT32_MAX ? v : v * 10 + (unsigned)(*at - '0');
	if (ret_end)
		*ret_end = at;
	return v > max || isalpha((unsigned char)*at) ? 0 : (uint32_t)v;
}

uint32_t xpt_rdma_log_hex(const char *s)
{
	uint32_t v = 0;

	for (s += !strncmp(s, "0x", 2) ? 2 : 0; isxdigit((unsigned char)*s); s++) {
		if (v >> 28)
			return 0;
		v = v * 16 + (uint32_t)(isdigit((unsigned char)*s) ? *s - '0' : tolower((unsigned char)*s) - 'a' + 10);
	}
	return v;
}

static int take_errno(const char *s)
{
	return (int)xpt_rdma_log_number(s + (*s == '-'), MAX_ERRNO, NULL);
}

int xpt_rdma_log_errno_text(const char *s, size_t *ret_n)
{
	size_t best = 0;
	int code, found = 0;

	for (code = 1; code <= LAST_ERRNO; code++) {
		const char *text = strerrordesc_np(code);
		size_t n = text && *text == *s ? strlen(text) : 0;

		if (n <= best || strncmp(s, text, n) != 0)
			continue;
		best = n;
		found = code;
	}
	if (ret_n)
		*ret_n = best;
	return found;
}

/* "... [110]", "... [ 12]" */
static int errno_at_end(const char *s)
{
	const char *open = strrchr(s, '['), *end = NULL;
	uint32_t code = open ? xpt_rdma_log_number(open + 1 + (open[1] == '-'), MAX_ERRNO, &end) : 0;

	return code && end[0] == ']' && !end[1 + strspn(end + 1, " ")] ? (int)code : 0;
}

int xpt_rdma_log_errno(const char *reason)
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
	return code ? code : xpt_rdma_log_errno_text(reason, NULL);
}

int xpt_rdma_log_errno_behind(const char *s)
{
	int code = errno_at_end(s), i;

	for (i = 0; !code && i < COLONS && (s = strchr(s, ':')); i++) {
		s += 1 + strspn(s + 1, " ");
		code = !strncmp(s, "Unknown error ", 14) ? take_errno(s + 14) : xpt_rdma_log_errno_text(s, NULL);
	}
	return code;
}

unsigned xpt_rdma_log_status_text(const char *s)
{
	unsigned i;

	for (i = 1; i < NR_STATUSES; i++)
		if (!strncmp(s, statuses[i].text, strlen(statuses[i].text)))
			return i;
	return 0;
}

/* MLX5_CQE_SYNDROME_*, include/linux/mlx5/device.h */
unsigned xpt_rdma_log_status_mlx5(uint32_t syndrome)
{
	static const uint8_t status_of[0x23] = {
		[0x01] = 1, [0x02] = 2, [0x04] = 4, [0x05] = 5, [0x06] = 6, [0x10] = 7, [0x11] = 8, [0x12] = 9,
		[0x13] = 10, [0x14] = 11, [0x15] = 12, [0x16] = 13, [0x22] = 16,
	};

	return syndrome < sizeof(status_of) ? status_of[syndrome] : 0;
}

const char *xpt_rdma_log_status(unsigned status, char *buf, size_t n)
{
	if (status < NR_STATUSES)
		return statuses[status].name;
	snprintf(buf, n, "status %u", status);
	return buf;
}
