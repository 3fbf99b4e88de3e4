/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/agent/recorder_files.h: how many recordings stay, whose they are, and what a folder must be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "session/agent/recorder_files.h"

static char folder[4096];

static int enter_folder(void **state)
{
	char dir[2048];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/recorder.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	snprintf(folder, sizeof(folder), "%s/a/b", dir);
	return 0;
}

static bool exists(const char *name)
{
	char path[4200];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !lstat(path, &st);
}

/* A recording of that owner; name: as time passes. */
static void make_recording(struct xpt_recorder_files *f, unsigned i, uint64_t owner)
{
	char name[XPT_RECORDER_NAME];
	int fd = xpt_recorder_files__create(f);

	assert_true(fd >= 0);
	close(fd);
	snprintf(name, sizeof(name), "flight_20261127_%06u_hang.xtr", i);
	xpt_recorder_files__make_room(f);
	assert_int_equal(xpt_recorder_files__publish(f, name), 0);
	xpt_recorder_files__add(f, name, owner);
	assert_true(exists(name));
}

static unsigned count(const struct xpt_recorder_files *f, uint64_t owner)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->nr; i++)
		n += f->file[i].owner == owner;
	return n;
}

static void test_shares(void **state)
{
	struct xpt_recorder_files f;
	unsigned i;

	(void)state;
	assert_int_equal(xpt_recorder_files__open(&f, folder), 0);
	for (i = 0; i < 3; i++)
		make_recording(&f, i, 1000);
	for (; i < 200; i++)
		make_recording(&f, i, 2000);
	assert_int_equal(f.nr, XPT_RECORDER_FILES);
	assert_int_equal(count(&f, 1000), 3);
	assert_true(exists("flight_20261127_000000_hang.xtr"));
	assert_false(exists("flight_20261127_000003_hang.xtr"));
	for (; i < 400; i++)
		make_recording(&f, i, 1000);
	assert_true(count(&f, 2000) >= XPT_RECORDER_FILES / 2 - 1);
	xpt_recorder_files__close(&f);
}

/* The recordings of an earlier run are found; a file of another name stays whatever happens. */
static void test_found_again(void **state)
{
	struct xpt_recorder_files f;
	char other[4200], name[XPT_RECORDER_NAME];
	FILE *out;

	(void)state;
	snprintf(other, sizeof(other), "%s/notes.xtr", folder);
	out = fopen(other, "w");
	assert_non_null(out);
	fclose(out);
	assert_int_equal(xpt_recorder_files__open(&f, folder), 0);
	assert_int_equal(f.nr, XPT_RECORDER_FILES);
	for (unsigned i = 0; i < 5 * XPT_RECORDER_FILES; i++)
		make_recording(&f, 1000 + i, i);
	assert_int_equal(f.nr, XPT_RECORDER_FILES);
	assert_true(exists("notes.xtr"));
	xpt_recorder_files__name(&f, "xid", name);
	assert_int_equal(strncmp(name, "flight_20", 9), 0);
	assert_non_null(strstr(name, "_xid.xtr"));
	xpt_recorder_files__close(&f);
}

static void test_half_written(void **state)
{
	struct xpt_recorder_files f;
	char part[64];
	int fd;

	(void)state;
	assert_int_equal(xpt_recorder_files__open(&f, folder), 0);
	fd = xpt_recorder_files__create(&f);
	assert_true(fd >= 0);
	close(fd);
	snprintf(part, sizeof(part), ".flight.%d", (int)getpid());
	assert_true(exists(part));
	xpt_recorder_files__discard(&f, getpid());
	assert_false(exists(part));
	xpt_recorder_files__close(&f);
}

static void test_open_to_others(void **state)
{
	struct xpt_recorder_files f;

	(void)state;
	assert_int_equal(chmod(folder, 0777), 0);
	assert_int_equal(xpt_recorder_files__open(&f, folder), -EPERM);
	assert_int_equal(chmod(folder, 0700), 0);
	assert_int_equal(xpt_recorder_files__open(&f, "notes"), 0);
	xpt_recorder_files__close(&f);
	assert_int_equal(symlink("/tmp", "link"), 0);
	assert_int_equal(xpt_recorder_files__open(&f, "link"), -EPERM);	/* /tmp: all may write there */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_found_again),
		cmocka_unit_test(test_half_written),
		cmocka_unit_test(test_open_to_others),
	};

	return cmocka_run_group_tests(tests, enter_folder, NULL);
}
