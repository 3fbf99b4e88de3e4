// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See flight.h. Records of each owner are in chunks of their own, packed as in recordings. Beside each record a chunk
 * has the number of records that came from others since its last one, so that all can be put in order again.
 */
#include "pipeline/recording/flight.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/hashmap.h"
#include "pipeline/recording/rec_pack.h"
#include "wire/wire.h"

#define CHUNK_SIZE (32u << 10)	/* bytes of memory for a chunk */
#define CHUNK_RAW (256u << 10)	/* record bytes in it at most */
#define CHUNK_PARTS 4		/* a chunk ends after this part of the time that records are kept */
#define GAP_MAX 10		/* bytes of a number, see put_gap() */
#define MAX_PROCESSES 65536u	/* whose way is known */
#define RECENT 256u		/* processes whose way needs no look into the table */
#define MACHINE 0		/* the stream of records that are of no process */
#define OTHERS (XPT_FLIGHT_OWNERS - 1)
#define FACTS_PART 4		/* of the memory, for facts of processes */

/* Packed records grow from the beginning of data, gaps from its end. */
struct chunk {
	STAILQ_ENTRY(chunk) next;
	uint64_t first_seq, last_seq;	/* of its records */
	uint64_t first_ns, last_ns;	/* when they arrived */
	uint32_t raw, nr;		/* record bytes, and records */
	uint32_t used, gaps, size;	/* bytes of data */
	uint8_t *data;
};

STAILQ_HEAD(chunks, chunk);

struct stream {			/* of an owner of processes */
	uint64_t owner;
	struct chunks chunks;	/* the last one may be open */
	struct chunk *open;	/* NULL: the next record begins a new one */
	struct xpt_pack *pack;	/* of the open one */
	uint64_t bytes;
};

/* The stream for the records of a process. It stays the same if the process changes its user, and after its end. */
struct way {
	uint64_t owner;
	uint32_t stream, pad;
};

struct recent {
	uint32_t tgid;			/* 0: free */
	struct way way;			/* as the table has it */
};

struct xpt_flight {
	struct xpt_flight_cfg cfg;
	struct xpt_flight_facts *facts;
	struct xpt_hashmap *by_owner;	/* uint64_t -> uint32_t, an index */
	struct xpt_hashmap *by_process;	/* uint32_t -> struct way */
	struct recent recent[RECENT];	/* by tgid % RECENT */
	struct stream stream[XPT_FLIGHT_OWNERS];
	struct xpt_pack *unpack;
	uint64_t *raw;			/* CHUNK_RAW + XPT_REC_MAX bytes */
	uint64_t seq, now_ns, bytes, nr_early;
};

int xpt_flight__new(const struct xpt_flight_cfg *cfg, struct xpt_flight **ret_f)
{
	struct xpt_flight *f = calloc(1, sizeof(*f));
	int err = -ENOMEM;

	if (!f)
		return -ENOMEM;
	f->cfg = *cfg;
	f->raw = malloc(CHUNK_RAW + XPT_REC_MAX);
	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS; i++)
		STAILQ_INIT(&f->stream[i].chunks);
	if (f->raw && !xpt_pack__new(&f->unpack))
		err = xpt_flight_facts__new((size_t)(cfg->max_bytes / FACTS_PART), &f->facts);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), XPT_FLIGHT_OWNERS, &f->by_owner);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct way), MAX_PROCESSES, &f->by_process);
	if (err)
		xpt_flight__free(f);
	else
		*ret_f = f;
	return err;
}

static void free_chunk(struct chunk *c)
{
	if (c)
		free(c->data);
	free(c);
}

void xpt_flight__free(struct xpt_flight *f)
{
	struct chunk *c;

	if (!f)
		return;
	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS; i++) {
		struct stream *s = &f->stream[i];

		while ((c = STAILQ_FIRST(&s->chunks))) {
			STAILQ_REMOVE_HEAD(&s->chunks, next);
			free_chunk(c);
		}
		xpt_pack__free(s->pack);
	}
	xpt_flight_facts__free(f->facts);
	xpt_hashmap__free(f->by_owner);
	xpt_hashmap__free(f->by_process);
	xpt_pack__free(f->unpack);
	free(f->raw);
	free(f);
}

/* --- chunks ------------------------------------------------------------------------------------------- */

static void put_gap(struct chunk *c, uint64_t gap)
{
	for (; gap >= 0x80; gap >>= 7)
		c->data[c->size - ++c->gaps] = (uint8_t)(gap | 0x80);
	c->data[c->size - ++c->gaps] = (uint8_t)gap;
}

static uint64_t get_gap(const struct chunk *c, uint32_t *at)
{
	uint64_t gap = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = c->data[c->size - ++*at];
		gap |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return gap;
}

static void count_bytes(struct xpt_flight *f, struct stream *s, uint64_t more, uint64_t less)
{
	s->bytes += more - less;
	f->bytes += more - less;
}

/* Gives back the unused bytes of an open chunk. */
static void end_chunk(struct xpt_flight *f, struct stream *s)
{
	struct chunk *c = s->open;
	uint32_t size = c ? c->used + c->gaps : 0;
	uint8_t *data;

	s->open = NULL;
	xpt_pack__free(s->pack);
	s->pack = NULL;
	if (!c || size == c->size)
		return;
	memmove(c->data + c->used, c->data + c->size - c->gaps, c->gaps);
	data = realloc(c->data, size);
	c->data = data ? data : c->data;
	count_bytes(f, s, size, c->size);
	c->size = size;
}

/* Opens a chunk that has room for a record of `size` bytes. NULL: there is no memory. */
static struct chunk *begin_chunk(struct xpt_flight *f, struct stream *s, size_t size)
{
	struct chunk *c = calloc(1, sizeof(*c));
	size_t needed = xpt_pack__bound(size) + GAP_MAX;

	if (!c || xpt_pack__new(&s->pack)) {
		free(c);
		return NULL;
	}
	c->size = (uint32_t)(needed > CHUNK_SIZE ? needed : CHUNK_SIZE);
	c->data = malloc(c->size);
	if (!c->data) {
		free(c);
		xpt_pack__free(s->pack);
		s->pack = NULL;
		return NULL;
	}
	c->first_seq = c->last_seq = f->seq;
	c->first_ns = f->now_ns;
	STAILQ_INSERT_TAIL(&s->chunks, c, next);
	count_bytes(f, s, sizeof(*c) + c->size, 0);
	s->open = c;
	return c;
}

static bool has_room(const struct xpt_flight *f, const struct chunk *c, size_t size)
{
	return c->raw + size <= CHUNK_RAW && c->used + c->gaps + xpt_pack__bound(size) + GAP_MAX <= c->size &&
	       f->now_ns - c->first_ns < f->cfg.keep_ns / CHUNK_PARTS;
}

/* Unpacks a chunk to `raw`, of CHUNK_RAW + XPT_REC_MAX bytes. 0 or -EBADMSG. */
static int read_chunk(struct xpt_pack *pack, const struct chunk *c, uint64_t *raw)
{
	xpt_pack__reset(pack);
	return xpt_pack__read(pack, c->data, c->used, raw, c->raw);
}

/* Drops the oldest chunk of a stream; its records about processes become facts. */
static void drop_chunk(struct xpt_flight *f, unsigned stream)
{
	struct stream *s = &f->stream[stream];
	struct chunk *c = STAILQ_FIRST(&s->chunks);
	const char *raw = (const char *)f->raw;

	if (c == s->open)
		end_chunk(f, s);
	for (uint32_t at = 0; at < c->raw && (at || !read_chunk(f->unpack, c, f->raw)); ) {
		const struct xpt_rec *rec = (const void *)(raw + at);

		xpt_flight_facts__apply(f->facts, stream, rec, rec->size);
		at += rec->size;
	}
	STAILQ_REMOVE_HEAD(&s->chunks, next);
	count_bytes(f, s, 0, sizeof(*c) + c->size);
	free_chunk(c);
}

/* --- owners --------------------------------------------------------------------------------------------- */

/* Returns an unused stream; OTHERS if there is none. */
static uint32_t find_free(struct xpt_flight *f)
{
	for (uint32_t i = MACHINE + 1; i < OTHERS; i++) {
		struct stream *s = &f->stream[i];
		const uint32_t *taken = xpt_hashmap__find(f->by_owner, &s->owner);

		if (s->bytes || xpt_flight_facts__bytes_of(f->facts, i))
			continue;
		if (taken && *taken == i)
			xpt_hashmap__del(f->by_owner, &s->owner);
		return i;
	}
	return OTHERS;
}

/* The stream of an owner, which he gets now if he has none. */
static uint32_t find_stream(struct xpt_flight *f, uint64_t owner)
{
	uint32_t *known = xpt_hashmap__find(f->by_owner, &owner), i;

	if (known)
		return *known;
	i = find_free(f);
	known = i == OTHERS ? NULL : xpt_hashmap__get(f->by_owner, &owner, NULL);
	if (!known)
		return OTHERS;
	f->stream[i].owner = owner;
	*known = i;
	return i;
}

static bool is_task(const struct xpt_rec *rec, size_t size, unsigned what)
{
	return rec->kind == XPT_REC_TASK && size >= sizeof(struct xpt_rec_task) &&
	       ((const struct xpt_rec_task *)rec)->event == what;
}

/* Whether the stream of a way is still its owner's. */
static bool is_valid(const struct xpt_flight *f, const struct way *way)
{
	return way->stream == OTHERS || f->stream[way->stream].owner == way->owner;
}

/* Finds the stream for a record of a process, and keeps it in the table until the process ends. */
static struct way find_way(struct xpt_flight *f, uint32_t tgid, const struct xpt_rec *rec, size_t size)
{
	struct way *way = xpt_hashmap__find(f->by_process, &tgid), to;

	if (way && !is_task(rec, size, XPT_TASK_FORK) && is_valid(f, way)) {
		to = *way;
	} else {
		to = (struct way){ .owner = f->cfg.owner ? f->cfg.owner(f->cfg.owner_ctx, tgid) : 0 };
		to.stream = find_stream(f, to.owner);
		way = is_task(rec, size, XPT_TASK_EXIT) ? NULL : xpt_hashmap__get(f->by_process, &tgid, NULL);
		if (way)
			*way = to;
	}
	if (is_task(rec, size, XPT_TASK_EXIT))
		xpt_hashmap__del(f->by_process, &tgid);
	return to;
}

/*
 * The process that the driver names may have ended, and its number be another one's later: the table does not keep
 * it.
 */
static uint32_t stream_of_xid(struct xpt_flight *f, uint32_t tgid)
{
	const struct way *way = xpt_hashmap__find(f->by_process, &tgid);

	if (way && is_valid(f, way))
		return way->stream;
	return find_stream(f, f->cfg.owner ? f->cfg.owner(f->cfg.owner_ctx, tgid) : 0);
}

static uint32_t stream_of(struct xpt_flight *f, uint32_t tgid, const struct xpt_rec *rec, size_t size)
{
	struct recent *recent = &f->recent[tgid % RECENT];

	if (!tgid)
		return MACHINE;
	if (rec->kind == XPT_REC_XID)
		return stream_of_xid(f, tgid);
	if (recent->tgid == tgid && rec->kind != XPT_REC_TASK && is_valid(f, &recent->way))
		return recent->way.stream;
	*recent = (struct recent){ tgid, find_way(f, tgid, rec, size) };
	if (is_task(rec, size, XPT_TASK_EXIT))
		recent->tgid = 0;
	return recent->way.stream;
}

static uint64_t bytes_of(const struct xpt_flight *f, unsigned stream)
{
	return f->stream[stream].bytes + xpt_flight_facts__bytes_of(f->facts, stream);
}

/* The stream with most bytes that has a chunk to lose; XPT_FLIGHT_OWNERS: none has. */
static unsigned find_largest(const struct xpt_flight *f)
{
	unsigned largest = XPT_FLIGHT_OWNERS;

	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS; i++)
		if (!STAILQ_EMPTY(&f->stream[i].chunks) &&
		    (largest == XPT_FLIGHT_OWNERS || bytes_of(f, i) > bytes_of(f, largest)))
			largest = i;
	return largest;
}

static void make_room(struct xpt_flight *f)
{
	unsigned i;

	while (f->bytes + xpt_flight_facts__bytes(f->facts) > f->cfg.max_bytes) {
		i = find_largest(f);
		if (i == XPT_FLIGHT_OWNERS)
			return;
		f->nr_early += STAILQ_FIRST(&f->stream[i].chunks)->nr;
		drop_chunk(f, i);
	}
}

void xpt_flight__set_limits(struct xpt_flight *f, uint64_t max_bytes, uint64_t keep_ns)
{
	f->cfg.max_bytes = max_bytes;
	f->cfg.keep_ns = keep_ns;
	xpt_flight_facts__set_limit(f->facts, (size_t)(max_bytes / FACTS_PART));
	make_room(f);
}

/* --- records --------------------------------------------------------------------------------------------- */

static bool is_meta(const struct xpt_rec *rec, size_t size, const char *key)
{
	return rec->kind == XPT_REC_META && size >= sizeof(*rec) + strlen(key) + 1 && !strcmp((const char *)(rec + 1), key);
}

/* The use of a record to a flight recorder. */
enum use { USE_NONE, USE_FACT, USE_TIMED };

static enum use use_of(const struct xpt_rec *rec, size_t size)
{
	switch (rec->kind) {
	case XPT_REC_CALL:
	case XPT_REC_INFLIGHT:
	case XPT_REC_TASK:
	case XPT_REC_PROC:
	case XPT_REC_STACK:
	case XPT_REC_XID:
	case XPT_REC_READING:
	case XPT_REC_MODE:
		return USE_TIMED;
	case XPT_REC_META:
		if (is_meta(rec, size, "origin"))	/* a part of the trace has one of its own */
			return USE_NONE;
		return is_meta(rec, size, "rdma") ? USE_TIMED : USE_FACT;
	case XPT_REC_FN:
	case XPT_REC_LIB:
	case XPT_REC_DEVICE:
	case XPT_REC_LOSS:
		return USE_FACT;
	default:
		return USE_NONE;
	}
}

/* The process that a record is of; 0: of none. */
static uint32_t process_of(const struct xpt_rec *rec, size_t size)
{
	switch (rec->kind) {
	case XPT_REC_CALL:
	case XPT_REC_INFLIGHT:
		return size < sizeof(struct xpt_rec_call) ? 0 : ((const struct xpt_rec_call *)rec)->tgid;
	case XPT_REC_TASK:
		return size < sizeof(struct xpt_rec_task) ? 0 : ((const struct xpt_rec_task *)rec)->tgid;
	case XPT_REC_PROC:
		return size < sizeof(struct xpt_rec_proc) ? 0 : ((const struct xpt_rec_proc *)rec)->tgid;
	case XPT_REC_STACK:
		return size < sizeof(struct xpt_rec_stack) ? 0 : ((const struct xpt_rec_stack *)rec)->tgid;
	case XPT_REC_XID:
		return size < sizeof(struct xpt_rec_xid) ? 0 : ((const struct xpt_rec_xid *)rec)->tgid;
	default:
		return 0;
	}
}

static void add_record(struct xpt_flight *f, const struct xpt_rec *rec, size_t size)
{
	struct stream *s = &f->stream[stream_of(f, process_of(rec, size), rec, size)];
	struct chunk *c = s->open;

	if (c && !has_room(f, c, size)) {
		end_chunk(f, s);
		c = NULL;
	}
	if (!c)
		c = begin_chunk(f, s, size);
	if (!c) {
		f->nr_early++;
		return;
	}
	put_gap(c, f->seq - c->last_seq);
	c->used += (uint32_t)xpt_pack__add(s->pack, rec, size, c->data + c->used);
	c->raw += (uint32_t)size;
	c->nr++;
	c->last_seq = f->seq++;
	c->last_ns = f->now_ns;
	make_room(f);
}

void xpt_flight__take(struct xpt_flight *f, const void *rec, size_t size)
{
	const struct xpt_rec *r = rec;

	if (size < sizeof(*r) || size % 8 || size > XPT_REC_MAX || r->size != size)
		return;
	switch (use_of(r, size)) {
	case USE_FACT:
		xpt_flight_facts__apply(f->facts, MACHINE, rec, size);
		break;
	case USE_TIMED:
		add_record(f, r, size);
		break;
	case USE_NONE:
		break;
	}
}

void xpt_flight__step(struct xpt_flight *f, uint64_t now_ns)
{
	f->now_ns = now_ns;
	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS; i++) {
		struct chunk *c;

		while ((c = STAILQ_FIRST(&f->stream[i].chunks)) && now_ns - c->last_ns > f->cfg.keep_ns)
			drop_chunk(f, i);
	}
}

const char *xpt_flight__function(const struct xpt_flight *f, uint32_t fn)
{
	return xpt_flight_facts__function(f->facts, fn);
}

void xpt_flight__stats(const struct xpt_flight *f, struct xpt_flight_stats *ret_st)
{
	*ret_st = (struct xpt_flight_stats){ f->bytes + xpt_flight_facts__bytes(f->facts), f->nr_early, 0 };
	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS; i++) {
		const struct chunk *c = STAILQ_FIRST(&f->stream[i].chunks);

		if (c && (!ret_st->oldest_ns || c->first_ns < ret_st->oldest_ns))
			ret_st->oldest_ns = c->first_ns;
	}
}

/* --- writing ---------------------------------------------------------------------------------------------- */

struct cursor {			/* where the writing of a stream is */
	const struct chunk *chunk;	/* NULL: at its end */
	uint64_t *raw, seq;	/* seq: of the next record */
	uint32_t at, gap_at;
};

/* Unpacks the chunk at which a cursor stands, or those after it. 0, -ENOMEM or -EBADMSG. */
static int enter_chunk(struct cursor *c, struct xpt_pack *pack)
{
	c->at = c->gap_at = 0;
	if (!c->chunk)
		return 0;
	if (!c->raw)
		c->raw = malloc(CHUNK_RAW + XPT_REC_MAX);
	if (!c->raw)
		return -ENOMEM;
	c->seq = c->chunk->first_seq + get_gap(c->chunk, &c->gap_at);
	return read_chunk(pack, c->chunk, c->raw);
}

static int go_on(struct cursor *c, struct xpt_pack *pack, uint32_t size)
{
	c->at += size;
	if (c->at < c->chunk->raw) {
		c->seq += get_gap(c->chunk, &c->gap_at);
		return 0;
	}
	c->chunk = STAILQ_NEXT(c->chunk, next);
	return enter_chunk(c, pack);
}

static struct cursor *find_next(struct cursor *cursors)
{
	struct cursor *next = NULL;

	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS; i++)
		if (cursors[i].chunk && (!next || cursors[i].seq < next->seq))
			next = &cursors[i];
	return next;
}

static int write_timed(const struct xpt_flight *f, struct xpt_pack *pack, xpt_flight_put_fn put, void *ctx)
{
	struct cursor cursors[XPT_FLIGHT_OWNERS] = { { NULL } }, *c;
	int err = 0;

	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS && !err; i++) {
		cursors[i].chunk = STAILQ_FIRST(&f->stream[i].chunks);
		err = enter_chunk(&cursors[i], pack);
	}
	while (!err && (c = find_next(cursors))) {
		const struct xpt_rec *rec = (const void *)((const char *)c->raw + c->at);

		err = put(ctx, rec, rec->size);
		if (!err)
			err = go_on(c, pack, rec->size);
	}
	for (unsigned i = 0; i < XPT_FLIGHT_OWNERS; i++)
		free(cursors[i].raw);
	return err;
}

int xpt_flight__write(const struct xpt_flight *f, xpt_flight_put_fn put, void *ctx)
{
	struct xpt_pack *pack;
	int err = xpt_flight_facts__write(f->facts, put, ctx);

	if (err || xpt_pack__new(&pack))
		return err ? err : -ENOMEM;
	err = write_timed(f, pack, put, ctx);
	xpt_pack__free(pack);
	return err;
}
