/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a long recording of a short one: repeat IN OUT CALLS
 * The calls of IN come again and again, each time later by the length of IN,
 * until there are CALLS of them; facts come once, exact counters are multiplied
 * by the number of rounds. So a recording of any length has real calls.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/parse.h"
#include "pipeline/recording/recording.h"
#include "wire/wire.h"

struct calls {
	char *buf;
	size_t len, cap;
	uint64_t nr, first_ns, last_ns;
};

static struct xpt_rec_writer *out;

static void fail(const char *what)
{
	fprintf(stderr, "repeat: %s\n", what);
	exit(1);
}

static void put(const void *rec, size_t size)
{
	if (xpt_rec_writer__write(out, rec, size))
		fail("cannot write");
}

static void keep(struct calls *c, const struct xpt_rec_call *r)
{
	uint64_t end_ns = r->start_ns + r->dur_ns;

	if (c->len + r->rec.size > c->cap) {
		c->cap = (c->len + r->rec.size) * 2;
		c->buf = realloc(c->buf, c->cap);
		if (!c->buf)
			fail("no memory");
	}
	memcpy(c->buf + c->len, r, r->rec.size);
	c->len += r->rec.size;
	if (!c->nr++ || r->start_ns < c->first_ns)
		c->first_ns = r->start_ns;
	c->last_ns = end_ns > c->last_ns ? end_ns : c->last_ns;
}

/* All calls of IN, `rounds` times. */
static void put_calls(const struct calls *c, uint64_t rounds)
{
	uint64_t round, period = c->last_ns - c->first_ns + 1000;
	struct xpt_rec_call *r;
	size_t at;

	for (round = 0; round < rounds; round++) {
		for (at = 0; at < c->len; at += r->rec.size) {
			r = (void *)(c->buf + at);
			put(r, r->rec.size);
			r->start_ns += period;
		}
	}
}

static void put_total(const struct xpt_rec *rec, uint64_t rounds, uint64_t later_ns)
{
	union {
		struct xpt_rec rec;
		struct xpt_rec_counter counter;
		struct xpt_rec_errcount err;
		struct xpt_rec_end end;
	} u;
	unsigned i;

	memset(&u, 0, sizeof(u));
	memcpy(&u, rec, rec->size < sizeof(u) ? rec->size : sizeof(u));
	if (rec->kind == XPT_REC_COUNTER) {
		u.counter.count.calls *= rounds;
		u.counter.count.errors *= rounds;
		u.counter.count.bytes *= rounds;
		u.counter.count.time_ns *= rounds;
		for (i = 0; i < XPT_HIST_SLOTS; i++)
			u.counter.count.hist[i] *= rounds;
	} else if (rec->kind == XPT_REC_ERRCOUNT) {
		u.err.calls *= rounds;
	} else {
		u.end.end_ns += later_ns;
	}
	put(&u, rec->size);
}

/* Facts and calls up to the first total; a pass of its own then takes the rest. */
static void pass(const char *path, struct calls *c, uint64_t rounds)
{
	uint64_t later_ns = (c->last_ns - c->first_ns) * rounds;
	struct xpt_rec_reader *r;
	const struct xpt_rec *rec;
	const void *p;
	size_t size;

	if (xpt_rec_reader__open(path, NULL, &r))
		fail("cannot read the recording");
	while (xpt_rec_reader__next(r, &p, &size) == 1) {
		rec = p;
		if (rec->kind == XPT_REC_CALL && !rounds)
			keep(c, p);
		else if (rec->kind == XPT_REC_COUNTER || rec->kind == XPT_REC_ERRCOUNT ||
			 rec->kind == XPT_REC_END) {
			if (rounds)
				put_total(rec, rounds, later_ns);
		} else if (!rounds && rec->kind != XPT_REC_INFLIGHT && rec->kind != XPT_REC_CALL &&
			   (rec->kind != XPT_REC_TASK ||
			    ((const struct xpt_rec_task *)p)->event < XPT_TASK_EXIT)) {
			put(p, size);
		}
	}
	xpt_rec_reader__close(r);
}

int main(int argc, char **argv)
{
	struct calls c = { 0 };
	uint64_t want, rounds;
	int fd;

	if (argc != 4 || xpt_parse_u64(argv[3], 1, 1u << 30, &want))
		fail("usage: repeat IN OUT CALLS");
	fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || xpt_rec_writer__new(fd, 0, &out))
		fail("cannot write");
	pass(argv[1], &c, 0);
	if (!c.nr)
		fail("the recording has no calls");
	rounds = (want + c.nr - 1) / c.nr;
	put_calls(&c, rounds);
	pass(argv[1], &c, rounds);
	if (xpt_rec_writer__close(out) || close(fd))
		fail("cannot write");
	printf("%llu\n", (unsigned long long)(rounds * c.nr));
	free(c.buf);
	return 0;
}
