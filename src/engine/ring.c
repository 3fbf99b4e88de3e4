// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Layout (kernel/bpf/ringbuf.c): a page that we write with the consumer's
 * position, a page with the producer's, then the data, mapped twice in a row
 * so that a record never wraps. A record has an 8-byte header whose first word
 * is its length and two flags.
 */
#include "engine/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define TELL_BYTES 32768u	/* read between two stores of the position */

struct xpt_ring {
	xpt_ring_fn fn;
	void *ctx;
	size_t bytes, page;
	unsigned long *consumer;
	const unsigned long *producer;
	const char *data;
};

int xpt_ring__new(int map_fd, size_t bytes, xpt_ring_fn fn, void *ctx, struct xpt_ring **ret_r)
{
	struct xpt_ring *r = calloc(1, sizeof(*r));
	void *p;
	int err;

	if (!r)
		return -ENOMEM;
	r->fn = fn;
	r->ctx = ctx;
	r->bytes = bytes;
	r->page = (size_t)sysconf(_SC_PAGESIZE);
	p = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED)
		goto out;
	r->consumer = p;
	p = mmap(NULL, r->page + 2 * bytes, PROT_READ, MAP_SHARED, map_fd, (off_t)r->page);
	if (p == MAP_FAILED)
		goto out;
	r->producer = p;
	r->data = (const char *)p + r->page;
	*ret_r = r;
	return 0;
out:
	err = -errno;
	xpt_ring__free(r);
	return err;
}

void xpt_ring__free(struct xpt_ring *r)
{
	if (!r)
		return;
	if (r->consumer)
		munmap(r->consumer, r->page);
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, r->page + 2 * r->bytes);
	free(r);
}

/* Bytes of the record at pos with its header; 0 while it is being written. */
static size_t one_record(struct xpt_ring *r, unsigned long pos, int *ret_err)
{
	const uint32_t *hdr = (const void *)(r->data + (pos & (r->bytes - 1)));
	uint32_t len = __atomic_load_n(hdr, __ATOMIC_ACQUIRE);

	if (len & BPF_RINGBUF_BUSY_BIT)
		return 0;
	if (!(len & BPF_RINGBUF_DISCARD_BIT))
		*ret_err = r->fn(r->ctx, (const char *)hdr + BPF_RINGBUF_HDR_SZ, len);
	len &= ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	return (len + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
}

int xpt_ring__consume(struct xpt_ring *r)
{
	unsigned long pos = *r->consumer, told = pos, end;
	size_t n = 1;
	int err = 0;

	while (n && !err) {
		end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
		if (pos == end)
			break;
		while (pos < end && !err) {
			n = one_record(r, pos, &err);
			if (!n)
				break;
			pos += n;
			if (pos - told < TELL_BYTES)
				continue;
			__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
			told = pos;
		}
	}
	__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
	return err;
}
