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
#include "engine/function_ids.h"
#include "engine/priv.h"
#include "proc/remote/remote.h"

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

/* Writes the record that is in e->strings.call anew, with its len bytes of strings. */
static const void *finish_call(struct xpt_rec_call *copy, size_t words, size_t len)
{
	memset((char *)&copy->val[words] + len, 0, 8);
	copy->str_len = (uint16_t)len;
	copy->rec.size = (uint16_t)(sizeof(*copy) + words * sizeof(copy->val[0]) + ((len + 7) & ~7ul));
	return copy;
}

/* A call with one string, value i. */
static const void *read_one(struct xpt_engine *e, const struct xpt_rec_call *r, unsigned i, size_t words)
{
	struct xpt_rec_call *copy = (void *)e->strings.call;
	int len;

	if (r->str_len || i >= r->nr_vals || !r->val[i] || !(r->valid >> i & 1))
		return r;
	len = read_constant(e, (int)r->tgid, r->val[i], (char *)&copy->val[words], XPT_STR_MAX);
	if (len < 0) {
		e->strings.failed++;
		return r;
	}
	memcpy(copy, r, sizeof(*r) + words * sizeof(r->val[0]));
	return finish_call(copy, words, (size_t)len);
}

/*
 * A call with several strings, one after the other in the record. One that was not read is empty there, and its value
 * is not valid, but still the address.
 */
static const void *read_several(struct xpt_engine *e, const struct xpt_rec_call *r, uint16_t strings, size_t words)
{
	struct xpt_rec_call *copy = (void *)e->strings.call;
	const char *from = (const char *)&r->val[words], *end = from + r->str_len, *nul;
	char *str = (char *)&copy->val[words];
	size_t len = 0;
	int got;

	memcpy(copy, r, sizeof(*r) + words * sizeof(r->val[0]));
	for (unsigned i = 0; i < r->nr_vals && from < end; i++, from = nul + 1) {
		for (; i < r->nr_vals && !(strings >> i & 1); i++)
			;
		nul = memchr(from, 0, (size_t)(end - from));
		if (i >= r->nr_vals || !nul || nul - from >= XPT_STR_EACH || len + XPT_STR_EACH > XPT_STR_MAX)
			break;
		got = *from || r->valid >> i & 1 || !r->val[i]
			? 0 : read_constant(e, (int)r->tgid, r->val[i], str + len, XPT_STR_EACH);
		e->strings.failed += got < 0;
		if (got > 0)
			copy->valid |= (uint16_t)(1u << i);
		else
			memcpy(str + len, from, (size_t)(nul - from) + 1);
		len += got > 0 ? (size_t)got : (size_t)(nul - from) + 1;
	}
	return finish_call(copy, words, len);
}

/* Whether a string of several was not read, and has an address. */
static bool lacks_string(const struct xpt_rec_call *r, uint16_t strings)
{
	for (unsigned i = 0; i < r->nr_vals; i++)
		if (strings >> i & 1 && !(r->valid >> i & 1) && r->val[i])
			return true;
	return false;
}

const void *xpt_strings__on_call(struct xpt_engine *e, const void *rec)
{
	const struct xpt_rec_call *r = rec;
	uint16_t strings = r->rec.fn < e->nr_fns ? e->fns[r->rec.fn].strings : 0;
	size_t words = xpt_call_words(r);

	if (r->rec.kind != XPT_REC_CALL || !strings || words > XPT_MAX_WORDS || r->nr_vals > XPT_MAX_VALS)
		return rec;
	if (!(strings & (strings - 1)))
		return read_one(e, r, (unsigned)__builtin_ctz(strings), words);
	return lacks_string(r, strings) ? read_several(e, r, strings, words) : rec;
}
