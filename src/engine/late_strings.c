// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Captured strings that the probe could not read, because their page was not in
 * memory: a probe may not wait for the disk. That is so for most names of
 * kernels, constants of a program that has only just begun. They are read here,
 * but only where a file is mapped without write access: there the bytes are
 * still those of the call, which may be some time ago.
 */
#include <errno.h>
#include <string.h>

#include "base/time.h"
#include "engine/functions.h"
#include "engine/priv.h"
#include "proc/remote.h"

#define TIME_NS 100000000ull	/* for the strings of an owner, and then */
#define TIME_PER_MILLE 50	/* of the time that passes */

void xpt_strings__open(struct xpt_engine *e)
{
	e->strings.time.most_ns = TIME_NS;
	e->strings.time.per_mille = TIME_PER_MILLE;
}

/* Length with NUL of the string at addr, cut to n bytes; or -errno. */
static int read_string(int pid, uint64_t addr, char *buf, size_t n)
{
	ssize_t got = xpt_remote__read_constant(pid, addr, buf, n);

	if (got <= 0)
		return got ? (int)got : -EFAULT;
	got = (ssize_t)strnlen(buf, (size_t)got < n ? (size_t)got : n - 1);
	buf[got] = '\0';
	return (int)got + 1;
}

/*
 * The same, as long as its owner has time left: whose memory is slow, or who has very many mappings, would
 * else keep the reader from the calls of others. Processes that the user has named have no limit.
 */
static int read_constant(struct xpt_engine *e, int pid, uint64_t addr, char *buf, size_t n)
{
	uint64_t owner = XPT_OWNER_MACHINE, began = xpt_now_ns(), now;
	int len;

	if (xpt_engine__is_open(e))
		owner = xpt_engine__owner_of(e, (uint32_t)pid);
	if (!xpt_allowance__has(&e->strings.time, owner, began))
		return -EBUSY;
	len = read_string(pid, addr, buf, n);
	now = xpt_now_ns();
	xpt_allowance__spend(&e->strings.time, owner, now - began, now);
	return len;
}

const void *xpt_strings__on_call(struct xpt_engine *e, const void *rec)
{
	const struct xpt_rec_call *r = rec;
	struct xpt_rec_call *copy = (void *)e->strings.call;
	unsigned i = r->rec.fn < e->nr_fns ? e->fns[r->rec.fn].str_cap - 1u : XPT_MAX_VALS;
	size_t words = xpt_call_words(r);
	char *str;
	int len;

	if (r->rec.kind != XPT_REC_CALL || r->str_len || i >= r->nr_vals || !r->val[i] ||
	    !(r->valid >> i & 1) || words > XPT_MAX_WORDS)
		return rec;
	str = (char *)&copy->val[words];
	len = read_constant(e, (int)r->tgid, r->val[i], str, XPT_STR_MAX);
	if (len < 0) {
		e->strings.failed++;
		return rec;
	}
	memcpy(copy, r, sizeof(*r) + words * sizeof(r->val[0]));
	memset(str + len, 0, 8);
	copy->str_len = (uint16_t)len;
	copy->rec.size = (uint16_t)(sizeof(*r) + words * sizeof(r->val[0]) + (((size_t)len + 7) & ~7ul));
	return copy;
}
