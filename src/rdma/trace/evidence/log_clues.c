// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See log_clues.h. Texts of the kernel: mm/oom_kill.c, mm/page_alloc.c, mm/vmalloc.c. */
#include "rdma/trace/evidence/log_clues.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PICK_MAX = 256 };
enum { COMM_LEN = 16 };	/* TASK_COMM_LEN: a name has 15 bytes at most */
enum { NAMES_PROCESS = 8, NAMES_DEVICE = 8, TELLS_OOM = 8, NAMES_DRIVER = 4, NAMES_FAMILY = 2 };

static bool is_word_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether s has that word, not as a part of a longer one. */
static bool has_word(const char *s, const char *word)
{
	size_t n = strlen(word);
	const char *at = s;

	for (; n && (at = strstr(at, word)); at++)
		if ((at == s || !is_word_part(at[-1])) && !is_word_part(at[n]))
			return true;
	return false;
}

/* "mlx5" of "mlx5_ib": the part that all modules of a vendor begin with. */
static bool has_family(const char *s, const char *driver)
{
	char family[32];
	size_t n = strcspn(driver, "_");

	if (n < 3 || n >= sizeof(family) || !strcmp(driver, "rdma_rxe"))
		return false;
	memcpy(family, driver, n);
	family[n] = '\0';
	return strstr(s, family) != NULL;
}

/* "PID" as the kernel writes it: "[PID]", "(PID)", "pid=PID", "process PID", "pid PID". */
static bool names_process(const char *s, const struct xpt_rdma_trace *t)
{
	char pid[16], tid[16];

	snprintf(pid, sizeof(pid), "%" PRIu32, t->pid);
	snprintf(tid, sizeof(tid), "%" PRIu32, t->tid);
	return (t->pid && has_word(s, pid)) || (t->tid && has_word(s, tid)) || has_word(s, t->comm);
}

static bool skip_begin(const char **p, const char *s)
{
	size_t n = strlen(s);

	if (strncmp(*p, s, n) != 0)
		return false;
	*p += n;
	return true;
}

/* Digits at the beginning; 0: there are none, or too many for a process. */
static uint32_t number_of(const char *s)
{
	uint64_t v = 0;

	for (; isdigit((unsigned char)*s) && v <= INT32_MAX; s++)
		v = v * 10 + (unsigned)(*s - '0');
	return v <= INT32_MAX ? (uint32_t)v : 0;
}

/* "NAME: page allocation failure: ...", where NAME is a process's; nothing can be chosen by users after it. */
static bool says_of_name(const char *s, const char *what)
{
	const char *at = strstr(s, what);

	return at && at - s < COMM_LEN;
}

/*
 * Lines are recognized from their beginning: names of files, of which the kernel tells where programs crash, and of
 * control groups may be anything. *ret_pid: who was killed, 0: nobody.
 */
static enum xpt_rdma_oom oom_of(const char *s, uint32_t *ret_pid)
{
	const char *p = s, *pid;
	enum xpt_rdma_oom oom;

	*ret_pid = 0;
	if (skip_begin(&p, "oom-kill:constraint=")) {
		for (pid = p; (pid = strstr(pid, ",pid=")); p = pid)	/* the last: a name may have one */
			pid += 5;
		*ret_pid = number_of(p);
		return strncmp(s, "oom-kill:constraint=CONSTRAINT_MEMCG", 36) ? XPT_RDMA_OOM_MACHINE :
			XPT_RDMA_OOM_CGROUP;
	}
	if (skip_begin(&p, "Memory cgroup out of memory: Kill"))
		oom = XPT_RDMA_OOM_CGROUP;
	else if (skip_begin(&p, "Out of memory: Kill") || skip_begin(&p, "Out of memory (oom_kill_allocating_task): Kill"))
		oom = XPT_RDMA_OOM_MACHINE;
	else if (says_of_name(s, " invoked oom-killer: gfp_mask="))
		return XPT_RDMA_OOM_MACHINE;
	else
		return says_of_name(s, ": page allocation failure: order:") ||
		       says_of_name(s, ": vmalloc error: size ") ? XPT_RDMA_OOM_ALLOCATION : XPT_RDMA_NO_OOM;
	skip_begin(&p, "ed");	/* "Kill process" before Linux 5.1 */
	if (!skip_begin(&p, " process ") || !isdigit((unsigned char)*p))
		return XPT_RDMA_NO_OOM;
	*ret_pid = number_of(p);
	return oom;
}

static int score_line(const struct xpt_rdma_trace *t, const char *s)
{
	uint32_t pid;

	return (names_process(s, t) ? NAMES_PROCESS : 0) + (has_word(s, t->device) ? NAMES_DEVICE : 0) +
	       (has_word(s, t->driver) ? NAMES_DRIVER : 0) + (has_family(s, t->driver) ? NAMES_FAMILY : 0) +
	       (oom_of(s, &pid) ? TELLS_OOM : 0);
}

unsigned xpt_rdma_log__pick(const struct xpt_rdma_trace *t, const char *const *v, unsigned n,
			    const char **ret_v, unsigned max)
{
	bool picked[PICK_MAX] = { false };
	int worth[PICK_MAX];
	unsigned from = n > PICK_MAX ? n - PICK_MAX : 0, i, k, best, out = 0;

	for (i = from; i < n; i++)
		worth[i - from] = score_line(t, v[i]);
	n -= from;
	for (k = 0; k < max && k < n; k++) {
		for (i = 0, best = n; i < n; i++)
			if (!picked[i] && (best == n || worth[i] >= worth[best]))
				best = i;
		picked[best] = true;
	}
	for (i = 0; i < n; i++)
		if (picked[i])
			ret_v[out++] = v[from + i];
	return out;
}

enum xpt_rdma_oom xpt_rdma_log__oom(const struct xpt_rdma_trace *t, bool *ret_own)
{
	enum xpt_rdma_oom found = XPT_RDMA_NO_OOM, one;
	uint32_t i, pid;

	*ret_own = false;
	for (i = 0; i < t->nr_log; i++) {
		one = oom_of(t->log[i], &pid);
		if (!one)
			continue;
		*ret_own |= pid && (pid == t->pid || pid == t->tid);
		found = one > found ? one : found;
	}
	return found;
}
