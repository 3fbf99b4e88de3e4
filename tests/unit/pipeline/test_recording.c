/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/recording/recording.h: what is written comes back, also from a pipe, from a
 * file that was cut anywhere and from one with any byte changed; limits and
 * failed writes leave a readable file.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>
#include "pipeline/recording/file_share.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/recording_format.h"
#include "wire_records.h"

static int new_file(void)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static size_t file_size(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (size_t)st.st_size;
}

static struct xpt_rec_writer *new_writer(int fd, uint64_t max_bytes)
{
	struct xpt_rec_writer *w = NULL;

	assert_int_equal(xpt_rec_writer__new(fd, max_bytes, &w), 0);
	return w;
}

/* Writes all records of s, a flush after each `every` of them (0: none). */
static void write_stream(struct xpt_rec_writer *w, const struct wstream *s, unsigned every)
{
	const struct xpt_rec *rec;
	unsigned n = 0;
	size_t at;

	for (at = 0; at < s->len; at += rec->size) {
		rec = (const void *)(s->buf + at);
		assert_int_equal(xpt_rec_writer__write(w, rec, rec->size), 0);
		if (every && ++n % every == 0)
			assert_int_equal(xpt_rec_writer__flush(w), 0);
	}
}

/*
 * Reads fd from its start: the records must be a prefix of s. Returns what
 * ended it (0 or -errno), and how many bytes of s came.
 */
static int read_prefix(int fd, const struct wstream *s, size_t *ret_got)
{
	struct xpt_rec_reader *r = NULL;
	const void *rec;
	size_t size, at = 0;
	int err;

	*ret_got = 0;
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	err = xpt_rec_reader__open_fd(fd, NULL, &r);
	if (err)
		return err;
	while ((err = xpt_rec_reader__next(r, &rec, &size)) == 1) {
		assert_int_equal((uintptr_t)rec % 8, 0);
		assert_true(at + size <= s->len);
		assert_memory_equal(rec, s->buf + at, size);
		at += size;
	}
	assert_int_equal(xpt_rec_reader__next(r, &rec, &size), err);
	assert_true(xpt_rec_reader__offset(r) <= file_size(fd));
	xpt_rec_reader__close(r);
	*ret_got = at;
	return err;
}

static void test_round_trip(void **state)
{
	struct wstream s = { 0 };
	int fd = new_file();
	struct xpt_rec_writer *w = new_writer(fd, 0);
	size_t got;
	unsigned i;

	(void)state;
	assert_int_equal(file_size(fd), sizeof(struct xpt_xtr_header));
	assert_int_equal(read_prefix(fd, &s, &got), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), sizeof(struct xpt_xtr_header));
	for (i = 0; i < 2000; i++)
		w_sample(&s);
	assert_true(s.len > 4 * XPT_XTR_BLOCK_RAW);
	write_stream(w, &s, 0);
	assert_int_equal(xpt_rec_writer__flush(w), 0);
	assert_int_equal(xpt_rec_writer__flush(w), 0);
	assert_int_equal(xpt_rec_writer__bytes(w), file_size(fd));
	assert_int_equal(xpt_rec_writer__close(w), 0);
	assert_int_equal(read_prefix(fd, &s, &got), 0);
	assert_int_equal(got, s.len);
	w_free(&s);
	close(fd);
}

static void test_longest_record(void **state)
{
	struct wstream s = { 0 };
	int fd = new_file();
	struct xpt_rec_writer *w = new_writer(fd, 0);
	struct xpt_rec *rec;
	size_t got;
	unsigned i;

	(void)state;
	for (i = 0; i < 9; i++)
		w_add(&s, XPT_REC_META, 0, XPT_REC_MAX);
	write_stream(w, &s, 0);
	rec = (void *)s.buf;
	assert_int_equal(xpt_rec_writer__write(w, rec, rec->size - 8), -EINVAL);
	rec->size = 12;
	assert_int_equal(xpt_rec_writer__write(w, rec, 12), -EINVAL);
	rec->size = 0;
	assert_int_equal(xpt_rec_writer__write(w, rec, 0), -EINVAL);
	rec->size = XPT_REC_MAX;
	assert_int_equal(xpt_rec_writer__close(w), 0);
	assert_int_equal(read_prefix(fd, &s, &got), 0);
	assert_int_equal(got, s.len);
	w_free(&s);
	close(fd);
}

static void test_pipe(void **state)
{
	struct wstream s = { 0 };
	struct xpt_rec_reader *r = NULL;
	struct xpt_rec_writer *w;
	size_t size, at = 0;
	const void *rec;
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	w = new_writer(fd[1], 0);
	w_sample(&s);
	write_stream(w, &s, 5);
	assert_int_equal(xpt_rec_writer__close(w), 0);
	close(fd[1]);
	assert_int_equal(xpt_rec_reader__open_fd(fd[0], NULL, &r), 0);
	while (xpt_rec_reader__next(r, &rec, &size) == 1) {
		assert_memory_equal(rec, s.buf + at, size);
		at += size;
	}
	assert_int_equal(at, s.len);
	xpt_rec_reader__close(r);
	close(fd[0]);
	w_free(&s);
}

/* Reads a recording from fd as a process of its own; 0 if it is n times s. */
static int read_as_child(int fd, const struct wstream *s, unsigned n)
{
	struct xpt_rec_reader *r = NULL;
	size_t size, at = 0, total = 0;
	const void *rec;
	int err;

	if (xpt_rec_reader__open_fd(fd, NULL, &r))
		return 1;
	while ((err = xpt_rec_reader__next(r, &rec, &size)) == 1) {
		if (memcmp(rec, s->buf + at, size))
			return 2;
		total += size;
		at = (at + size) % s->len;
	}
	xpt_rec_reader__close(r);
	return err || total != s->len * n ? 3 : 0;
}

/* A pipe that is full most of the time, not blocking: writes are short or refused. */
static void test_short_writes(void **state)
{
	struct wstream s = { 0 };
	struct xpt_rec_writer *w;
	int fd[2], status = -1;
	unsigned i;
	pid_t pid;

	(void)state;
	w_sample(&s);
	assert_int_equal(pipe2(fd, O_CLOEXEC | O_NONBLOCK), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fd[1]);
		_exit(read_as_child(fd[0], &s, 1000));
	}
	close(fd[0]);
	w = new_writer(fd[1], 0);
	for (i = 0; i < 1000; i++)
		write_stream(w, &s, 0);
	assert_int_equal(xpt_rec_writer__close(w), 0);
	close(fd[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	w_free(&s);
}

/* Where each block of the file ends, and how many record bytes are before that. */
struct cut {
	size_t file, records;
};

static size_t find_cuts(int fd, struct cut *cuts, size_t max)
{
	size_t n = 0, at = sizeof(struct xpt_xtr_header), records = 0;
	struct xpt_xtr_block b;

	while (pread(fd, &b, sizeof(b), (off_t)at) == (ssize_t)sizeof(b)) {
		at += sizeof(b) + b.stored_len;
		records += b.raw_len;
		assert_true(n < max);
		cuts[n++] = (struct cut){ at, records };
	}
	return n;
}

static void test_every_prefix(void **state)
{
	struct cut cuts[32];
	struct wstream s = { 0 };
	int fd = new_file();
	struct xpt_rec_writer *w = new_writer(fd, 0);
	size_t nr, len, got, want, i;
	bool whole;
	int err;

	(void)state;
	w_sample(&s);
	write_stream(w, &s, 4);
	assert_int_equal(xpt_rec_writer__close(w), 0);
	nr = find_cuts(fd, cuts, 32);
	assert_true(nr > 3);
	for (len = file_size(fd); len != SIZE_MAX; len--) {
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
		want = 0;
		whole = len == sizeof(struct xpt_xtr_header);
		for (i = 0; i < nr && cuts[i].file <= len; i++) {
			want = cuts[i].records;
			whole = cuts[i].file == len;
		}
		err = read_prefix(fd, &s, &got);
		assert_int_equal(err, whole ? 0 : len < 8 ? -EINVAL : -ENODATA);
		assert_int_equal(got, want);
	}
	w_free(&s);
	close(fd);
}

/* Any changed byte is found, or the records are what they were. */
static void test_every_corruption(void **state)
{
	static const unsigned char flips[] = { 0x01, 0x08, 0x80, 0xff };
	struct wstream s = { 0 };
	int fd = new_file();
	struct xpt_rec_writer *w = new_writer(fd, 0);
	size_t len, at, got, i, harmless = 0;
	unsigned char c, bad;
	int err;

	(void)state;
	w_sample(&s);
	write_stream(w, &s, 4);
	assert_int_equal(xpt_rec_writer__close(w), 0);
	len = file_size(fd);
	for (at = 0; at < len; at++) {
		assert_int_equal(pread(fd, &c, 1, (off_t)at), 1);
		for (i = 0; i < sizeof(flips); i++) {
			bad = c ^ flips[i];
			assert_int_equal(pwrite(fd, &bad, 1, (off_t)at), 1);
			err = read_prefix(fd, &s, &got);
			if (!err) {
				assert_int_equal(got, s.len);
				harmless++;
			}
		}
		assert_int_equal(pwrite(fd, &c, 1, (off_t)at), 1);
	}
	assert_int_equal(harmless, 0);	/* the checksums cover every byte */
	assert_int_equal(read_prefix(fd, &s, &got), 0);
	w_free(&s);
	close(fd);
}

/* A file of one block whose header and records are as given, checksums right. */
static int crafted(const struct xpt_xtr_header *header, struct xpt_xtr_block b, const void *data)
{
	struct xpt_xtr_header h = *header;
	int fd = new_file();
	uLong crc;

	h.crc32 = (uint32_t)crc32(0, (const void *)&h, offsetof(struct xpt_xtr_header, crc32));
	assert_int_equal(write(fd, &h, sizeof(h)), sizeof(h));
	crc = crc32(0, (const void *)&b, offsetof(struct xpt_xtr_block, crc32));
	b.crc32 = (uint32_t)crc32(crc, data, b.stored_len > 64 ? 64 : b.stored_len);
	assert_int_equal(write(fd, &b, sizeof(b)), sizeof(b));
	assert_int_equal(write(fd, data, 64), 64);
	return fd;
}

static void test_lies(void **state)
{
	static const struct xpt_xtr_header good = { XPT_XTR_MAGIC, 1, 24, 0, 0 };
	const uint32_t magic = XPT_XTR_BLOCK_MAGIC;
	struct xpt_rec none = { XPT_REC_META, 0, 0 }, odd = { XPT_REC_META, 12, 0 };
	struct xpt_rec over = { XPT_REC_META, 72, 0 }, fits = { XPT_REC_META, 64, 0 };
	struct { struct xpt_xtr_header h; struct xpt_xtr_block b; struct xpt_rec r; int err; } c[] = {
		{ good, { magic, 0, 64, 64, 1, 0 }, fits, 0 },
		{ good, { magic, 0, 64, 64, 2, 0 }, fits, -EBADMSG },
		{ good, { magic, 0, 64, 64, 1, 0 }, none, -EBADMSG },
		{ good, { magic, 0, 64, 64, 1, 0 }, odd, -EBADMSG },
		{ good, { magic, 0, 64, 64, 1, 0 }, over, -EBADMSG },
		{ good, { magic, 1, 64, 64, 1, 0 }, fits, -EBADMSG },
		{ good, { magic, 7, 640, 64, 9, 0 }, fits, -EPROTONOSUPPORT },
		{ good, { magic, 0, 0, 0, 0, 0 }, fits, -EBADMSG },
		{ good, { magic, 0, 56, 64, 1, 0 }, fits, -EBADMSG },
		{ good, { magic, 0, 60, 60, 1, 0 }, fits, -EBADMSG },
		{ good, { magic, 0, 0xfffffff8, 0xfffffff8, 1, 0 }, fits, -EBADMSG },
		{ good, { magic, 0, XPT_XTR_BLOCK_MAX, XPT_XTR_BLOCK_MAX, 1, 0 }, fits, -ENODATA },
		{ good, { magic, 1, XPT_XTR_BLOCK_MAX + 8, 64, 1, 0 }, fits, -EBADMSG },
		{ good, { magic, 0, 64, 64, 1, 0 }, fits, -EPROTO },
		{ good, { magic, 0, 64, 64, 1, 0 }, fits, -EPROTONOSUPPORT },
		{ good, { magic, 0, 64, 64, 1, 0 }, fits, -EBADMSG },
		{ good, { magic, 0, 64, 64, 1, 0 }, fits, -EBADMSG },
	};
	struct wstream s = { 0 };
	char data[64];
	size_t i, got;
	int fd;

	(void)state;
	c[13].h.version = 2;
	c[14].h.flags = 1;
	c[15].h.header_size = 0;
	c[16].h.header_size = 1u << 30;
	w_add(&s, XPT_REC_META, 0, 64);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		memset(data, 0, sizeof(data));
		memcpy(data, &c[i].r, sizeof(c[i].r));
		fd = crafted(&c[i].h, c[i].b, data);
		if (read_prefix(fd, &s, &got) != c[i].err)
			fail_msg("case %zu: not %d", i, c[i].err);
		assert_int_equal(got, c[i].err ? 0 : 64);
		close(fd);
	}
	w_free(&s);
}

static void test_newer_version(void **state)
{
	struct xpt_xtr_header h = { XPT_XTR_MAGIC, 42, 24, 0, 0 };
	struct xpt_rec_reader *r = NULL;
	uint32_t version = 0;
	int fd = new_file();

	(void)state;
	assert_int_equal(write(fd, &h, sizeof(h)), sizeof(h));
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(xpt_rec_reader__open_fd(fd, &version, &r), -EPROTO);
	assert_int_equal(version, 42);
	assert_null(r);
	close(fd);
}

static void test_not_a_recording(void **state)
{
	struct xpt_rec_reader *r = NULL;

	(void)state;
	assert_int_equal(xpt_rec_reader__open("/dev/null", NULL, &r), -EINVAL);
	assert_int_equal(xpt_rec_reader__open("/proc/self/exe", NULL, &r), -EINVAL);
	assert_int_equal(xpt_rec_reader__open("/", NULL, &r), -EISDIR);
	assert_int_equal(xpt_rec_reader__open("/nonexistent/x.xtr", NULL, &r), -ENOENT);
	assert_null(r);
	xpt_rec_reader__close(NULL);
	assert_int_equal(xpt_rec_writer__close(NULL), 0);
}

/* Beyond the limit calls are dropped and counted, all else is written. */
static void test_limit(void **state)
{
	struct wstream calls = { 0 }, facts = { 0 };
	int err, fd = new_file();
	struct xpt_rec_writer *w = new_writer(fd, 1000);
	uint64_t told = 0, written = 0;
	struct xpt_rec_reader *r = NULL;
	const struct xpt_rec *rec;
	size_t size, metas = 0;
	const void *p;
	unsigned i;

	(void)state;
	w_call(&calls, 1, 1, 1, 1, 1);
	w_meta(&facts, "key", "value");
	for (i = 0; i < 100; i++) {
		rec = (const void *)calls.buf;
		err = xpt_rec_writer__write(w, rec, rec->size);
		assert_true(err == 0 || err == -ENOSPC);
		told += err != 0;
		rec = (const void *)facts.buf;
		assert_int_equal(xpt_rec_writer__write(w, rec, rec->size), 0);
	}
	assert_int_equal(told, 1);
	assert_true(xpt_rec_writer__limited(w));
	written = 100 - xpt_rec_writer__dropped(w);
	assert_true(written > 10 && written < 90);
	assert_int_equal(xpt_rec_writer__close(w), 0);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(xpt_rec_reader__open_fd(fd, NULL, &r), 0);
	while (xpt_rec_reader__next(r, &p, &size) == 1) {
		rec = p;
		metas += rec->kind == XPT_REC_META;
		written -= rec->kind == XPT_REC_CALL;
	}
	assert_int_equal(metas, 100);
	assert_int_equal(written, 0);
	xpt_rec_reader__close(r);
	w_free(&calls);
	w_free(&facts);
	close(fd);
}

/* Owners by process: 1 and 2 are one, 3 is another. */
static uint64_t owner_of(void *ctx, uint32_t tgid)
{
	(void)ctx;
	return tgid == 3 ? 30 : 10;
}

/*
 * One owner fills his share of a file with whatever process; the other's calls are all written, also those that
 * come when he has filled it, and what is missing is told.
 */
static void test_shares(void **state)
{
	struct xpt_file_share *share = NULL;
	struct wstream calls[4] = { 0 }, end = { 0 };
	unsigned written[4] = { 0 }, i, k;
	int fd = new_file();
	struct xpt_rec_writer *w = new_writer(fd, 8000);
	struct xpt_rec_reader *r = NULL;
	uint64_t owner, cut, lost = 0;
	uint32_t others;
	size_t size;
	const void *p;

	(void)state;
	assert_int_equal(xpt_file_share__new(8000, owner_of, NULL, &share), 0);
	assert_false(xpt_file_share__most_cut(share, &owner, &cut, &others));
	xpt_rec_writer__share(w, share);
	for (k = 1; k < 4; k++)
		w_call(&calls[k], 1, k, 1, 1, 1);
	w_end(&end, 1, 2);
	for (i = 0; i < 5000; i++)
		for (k = 1; k < 4; k++)
			if (k < 3 || i % 100 == 0)
				assert_int_equal(xpt_rec_writer__write(w, calls[k].buf, calls[k].len), 0);
	assert_false(xpt_rec_writer__limited(w));
	assert_int_equal(xpt_rec_writer__write(w, end.buf, end.len), 0);
	assert_true(xpt_file_share__most_cut(share, &owner, &cut, &others));
	assert_int_equal(owner, 10);
	assert_int_equal(cut, xpt_rec_writer__dropped(w));
	assert_int_equal(others, 0);
	assert_in_range(xpt_rec_writer__bytes(w), 8000 / 2, 8000);
	assert_int_equal(xpt_rec_writer__close(w), 0);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(xpt_rec_reader__open_fd(fd, NULL, &r), 0);
	while (xpt_rec_reader__next(r, &p, &size) == 1) {
		const struct xpt_rec *rec = p;

		if (rec->kind == XPT_REC_CALL)
			written[((const struct xpt_rec_call *)p)->tgid]++;
		if (rec->kind == XPT_REC_LOSS)
			lost = ((const struct xpt_rec_loss *)p)->count;
	}
	assert_int_equal(written[3], 50);
	assert_int_equal(written[1] + written[2] + cut, 10000);
	assert_int_equal(lost, cut);
	xpt_rec_reader__close(r);
	xpt_file_share__free(share);
	for (k = 1; k < 4; k++)
		w_free(&calls[k]);
	w_free(&end);
	close(fd);
}

static void test_full_device(void **state)
{
	struct xpt_rec_writer *w = NULL;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(xpt_rec_writer__new(fd, 0, &w), -ENOSPC);
	assert_null(w);
	close(fd);
}

/* The file may not grow beyond a size in the middle of a block. */
static void test_failed_write(void **state)
{
	struct rlimit old, lim;
	struct wstream s = { 0 };
	int fd = new_file();
	struct xpt_rec_writer *w;
	const struct xpt_rec *rec;
	size_t got, whole;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	w = new_writer(fd, 0);
	w_sample(&s);
	write_stream(w, &s, 0);
	assert_int_equal(xpt_rec_writer__flush(w), 0);
	whole = file_size(fd);
	lim = old;
	lim.rlim_cur = whole + 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &lim), 0);
	write_stream(w, &s, 0);
	assert_int_equal(xpt_rec_writer__flush(w), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	rec = (const void *)s.buf;
	assert_int_equal(xpt_rec_writer__write(w, rec, rec->size), -EFBIG);
	assert_int_equal(xpt_rec_writer__close(w), -EFBIG);
	assert_int_equal(file_size(fd), whole);
	assert_int_equal(read_prefix(fd, &s, &got), 0);
	assert_int_equal(got, s.len);
	w_free(&s);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_longest_record),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_short_writes),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_every_corruption),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_newer_version),
		cmocka_unit_test(test_not_a_recording),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_full_device),
		cmocka_unit_test(test_failed_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
