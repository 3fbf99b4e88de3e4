/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/baseline/rules.h: the user's file of normal errors is changed line by line, and what
 * else is in it stays; base/files/replace.h: who reads and replaces a file at once with others.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/files/replace.h"
#include "rdma/baseline/rules.h"

static char dir[] = "/tmp/xpt-rules-XXXXXX", path[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/expected", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	remove(path);
	return rmdir(dir);
}

static void put_text(const char *s, size_t n)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(s, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static const char *text(size_t *ret_n)
{
	static char buf[8192];
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	*ret_n = fread(buf, 1, sizeof(buf) - 1, f);
	buf[*ret_n] = '\0';
	fclose(f);
	return buf;
}

static void is_text(const char *want)
{
	size_t n;

	assert_string_equal(text(&n), want);
}

static void put(const char *method, const char *fn, int code, const char *reason, bool never)
{
	struct xpt_rdma_own own = { .code = code, .never = never };

	snprintf(own.method, sizeof(own.method), "%s", method);
	snprintf(own.function, sizeof(own.function), "%s", fn);
	snprintf(own.reason, sizeof(own.reason), "%s", reason);
	assert_int_equal(xpt_rdma_rules__put(path, &own), 0);
}

#define HEAD "# METHOD FUNCTION ERROR REASON: normal, and not reported. '!' in front: reported.\n"

static void test_new_file(void **state)
{
	(void)state;
	remove(path);
	assert_int_equal(xpt_rdma_rules__take(path, "m", "f", EIO), -ENOENT);
	assert_int_equal(access(path, F_OK), -1);	/* nothing was made for that */
	put("m", "f", EIO, "why not", false);
	is_text(HEAD "m f EIO why not\n");
	put("m", "g", 0, "then", true);
	is_text(HEAD "m f EIO why not\n! m g NULL then\n");
}

/* Comments, order, blanks, numbers for names, lines that nobody understands. */
static void test_rest_stays(void **state)
{
	static const char before[] = "# ours\n\n  a f 5 \t reason  here\nwhat is this\n# about g\nb g ENODATA scan\n"
				     "\tc h NULL x # no comment\n";

	(void)state;
	put_text(before, strlen(before));
	put("z", "f", EIO, "new", false);
	is_text("# ours\n\n  a f 5 \t reason  here\nwhat is this\n# about g\nb g ENODATA scan\n"
		"\tc h NULL x # no comment\nz f EIO new\n");
	put("b", "g", ENODATA, "no longer", true);	/* in its place */
	is_text("# ours\n\n  a f 5 \t reason  here\nwhat is this\n# about g\n! b g ENODATA no longer\n"
		"\tc h NULL x # no comment\nz f EIO new\n");
	assert_int_equal(xpt_rdma_rules__take(path, "a", "f", EIO), 0);
	assert_int_equal(xpt_rdma_rules__take(path, "z", "f", EIO), 0);
	is_text("# ours\n\nwhat is this\n# about g\n! b g ENODATA no longer\n\tc h NULL x # no comment\n");
	assert_int_equal(xpt_rdma_rules__take(path, "a", "f", EIO), -ENOENT);
}

/* The last word counts: what was taken out of the shipped ones and is added again is normal. */
static void test_twice(void **state)
{
	static const char before[] = "m f EIO one\n! m f EIO two\nx y EIO z";
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();

	(void)state;
	put_text(before, strlen(before));	/* its last line has no end */
	put("n", "f", EIO, "end", false);
	is_text("m f EIO one\n! m f EIO two\nx y EIO z\nn f EIO end\n");
	put("m", "f", EIO, "three", false);
	is_text("m f EIO three\nx y EIO z\nn f EIO end\n");
	assert_int_equal(xpt_rdma_rules__read(rules, path), 0);
	assert_int_equal(rules->nr_own, 3);
	assert_string_equal(xpt_rdma_rules__find(rules, "m", "f", EIO, NULL), "three");
	free(rules);
}

/* Bytes that are no text, lines without end: kept, and never taken for two lines. */
static void test_odd_bytes(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	char before[2000];
	const char *after;
	size_t n;

	(void)state;
	memset(before, 'x', sizeof(before));
	memcpy(before, "a\0b c EIO d\n", 12);
	memcpy(before + 1400, " m f EIO no line of its own\n", 28);
	before[1999] = '\n';
	put_text(before, sizeof(before));
	assert_int_equal(xpt_rdma_rules__take(path, "m", "f", EIO), -ENOENT);
	put("m", "f", EIO, "mine", false);
	after = text(&n);
	assert_int_equal(n, 2000 + strlen("m f EIO mine\n"));
	assert_memory_equal(after, before, 2000);
	assert_int_equal(xpt_rdma_rules__read(rules, path), 0);
	assert_int_equal(rules->nr_own, 1);
	assert_int_equal(rules->bad_lines, 3);
	free(rules);
}

static void test_no_file(void **state)
{
	struct xpt_rdma_own own = { "m", "f", "r", EIO, false };

	(void)state;
	assert_int_equal(xpt_rdma_rules__put("/dev/null", &own), -EINVAL);
	assert_int_equal(xpt_rdma_rules__put("/no/such/folder", &own), -ENOENT);
	remove(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_not_equal(xpt_rdma_rules__put(path, &own), 0);
	assert_int_equal(rmdir(path), 0);
}

/* Four that add at once: nobody's lines are lost. */
static void test_at_once(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	int i, k, status;

	(void)state;
	remove(path);
	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		for (k = 0; k < 10; k++) {
			struct xpt_rdma_own own = { .code = EIO };
			int err;

			snprintf(own.method, sizeof(own.method), "m%d", i);
			snprintf(own.function, sizeof(own.function), "f%d", k);
			do
				err = xpt_rdma_rules__put(path, &own);
			while (err == -EBUSY);
			if (err)
				_exit(1);
		}
		_exit(0);
	}
	for (i = 0; i < 4; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(xpt_rdma_rules__read(rules, path), 0);
	assert_int_equal(rules->nr_own, 40);
	assert_int_equal(rules->bad_lines, 0);
	free(rules);
}

static int fails(void *ctx, int old, FILE *f)
{
	(void)ctx, (void)old, (void)f;
	return -EDOM;
}

/* A file that was not there is not left behind; one that somebody has is left alone. */
static void test_locked(void **state)
{
	int fd;

	(void)state;
	remove(path);
	assert_int_equal(xpt_replace_file_locked(path, 0, fails, NULL), -EDOM);
	assert_int_equal(access(path, F_OK), -1);
	put_text("x\n", 2);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(xpt_replace_file_locked(path, 0, fails, NULL), -EBUSY);
	close(fd);
	assert_int_equal(xpt_replace_file_locked(path, 0, fails, NULL), -EDOM);
	is_text("x\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_file), cmocka_unit_test(test_rest_stays), cmocka_unit_test(test_twice),
		cmocka_unit_test(test_odd_bytes), cmocka_unit_test(test_no_file), cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_locked),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
