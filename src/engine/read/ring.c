// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Layout (kernel/bpf/ringbuf.c): a page that we write with the consumer's
 * position, a page with the producer's, then the data, mapped twice in a row
 * so that a record never wraps. A record has an 8-byte header whose first word
 * is its length and two flags.
 */
#include "engine/read/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define STORE_BYTES 32768u	/* read between two stores of the position */

struct xpt_ring {
	size_t bytes, page;
	unsigned long pos, end;		/* read up to; written up to when last looked at */
	unsigned long stored;		/* the read position that the kernel knows */
	size_t next;			/* bytes of the record at pos, once it was seen */
	unsigned long *consumer;
	const unsigned long *producer;
	const char *data;
};

int xpt_ring__new(int map_fd, size_t bytes, struct xpt_ring **ret_r)
{
	struct xpt_ring *r = calloc(1, sizeof(*r));
	void *p;
	int err;

	if (!r)
		return -ENOMEM;
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
	r->pos = r->end = r->stored = *r->consumer;
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

const void *xpt_ring__peek(struct xpt_ring *r, size_t *ret_size)
{
	const uint32_t *hdr;
	uint32_t len;

	for (;;) {
		/* Writers change that word all the time: look only when it is needed. */
		if (r->pos == r->end)
			r->end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
		if (r->pos == r->end)
			return NULL;
		hdr = (const void *)(r->data + (r->pos & (r->bytes - 1)));
		len = __atomic_load_n(hdr, __ATOMIC_ACQUIRE);
		if (len & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*ret_size = len & ~BPF_RINGBUF_DISCARD_BIT;
		r->next = (*ret_size + BPF_RINGBUF_HDR_SZ + 7) & ~(size_t)7;
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			return (const char *)hdr + BPF_RINGBUF_HDR_SZ;
		r->pos += r->next;
	}
}

void xpt_ring__next(struct xpt_ring *r)
{
	r->pos += r->next;
	if (r->pos - r->stored >= STORE_BYTES)
		xpt_ring__store(r);
}

void xpt_ring__store(struct xpt_ring *r)
{
	if (r->stored != r->pos)
		__atomic_store_n(r->consumer, r->pos, __ATOMIC_RELEASE);
	r->stored = r->pos;
}

bool xpt_ring__is_filling(const struct xpt_ring *r)
{
	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - r->pos >= r->bytes / 4;
}
