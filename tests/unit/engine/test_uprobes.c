/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes of a file where entries and returns have links of their own, and the kernel refuses some of them. The kernel is
 * played by this program.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <sys/syscall.h>

#include "engine/attach/uprobes.h"
#include "engine/priv.h"
#include "engine/waiting/reading.h"
#include "wire/cookie.h"
#include "call.skel.h"

#define PLACES 40u

struct link_create {		/* union bpf_attr.link_create with uprobe_multi, include/uapi/linux/bpf.h */
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, is_return, pid, pad;
};

static struct xpt_engine *e;
static struct {
	bool bad[2][PLACES];	/* the kernel refuses that place: of an entry, of a return */
	int err, nr_good;	/* with this error, once so many requests were granted; */
	int nr_bad;		/* and so many requests at most */
	bool has[2][PLACES];	/* a link that was granted has it */
} kernel;

static int grant_link(const struct link_create *attr)
{
	const uint64_t *offset = (const uint64_t *)(uintptr_t)attr->offsets;
	bool bad = false;

	for (uint32_t i = 0; i < attr->cnt; i++)
		bad |= kernel.bad[attr->is_return & 1][offset[i]];
	if (bad && kernel.nr_good-- <= 0 && kernel.nr_bad-- > 0)
		return -kernel.err;
	for (uint32_t i = 0; i < attr->cnt; i++)
		kernel.has[attr->is_return & 1][offset[i]] = true;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* In place of libc's. */
long syscall(long nr, ...)
{
	const struct link_create *attr;
	va_list ap;
	int cmd, fd = -ENOSYS;

	va_start(ap, nr);
	cmd = va_arg(ap, int);
	attr = va_arg(ap, const struct link_create *);
	va_end(ap);
	if (nr == SYS_bpf && cmd == BPF_LINK_CREATE)
		fd = grant_link(attr);
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

static int setup(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.nr_bad = 1000000;
	e = calloc(1, sizeof(*e));
	e->skel = calloc(1, sizeof(*e->skel));
	e->reading = calloc(1, sizeof(*e->reading));
	e->attach = XPT_ATTACH_MULTI;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(e->reading);
	free(e->skel);
	free(e);
	return 0;
}

/* Links entries at all places; of odd ones the end of the call is at the place before, so no return probe goes there. */
static int link_all(struct xpt_elib *lib)
{
	uint64_t offsets[PLACES], cookies[PLACES];

	for (uint32_t i = 0; i < PLACES; i++) {
		offsets[i] = i;
		cookies[i] = (1 + i) | (i % 4 == 1 ? XPT_NO_RETURN_PROBE : i % 4 == 0 ? XPT_AT_RETURN : 0);
	}
	return xpt_uprobes__link(e, lib, "/nonexistent", offsets, cookies, PLACES);
}

static void test_good(void **state)
{
	struct xpt_elib lib = { 0 };

	(void)state;
	assert_int_equal(link_all(&lib), PLACES);
	assert_int_equal(lib.nr_fds, 2);
	for (uint32_t i = 0; i < PLACES; i++) {
		assert_true(kernel.has[0][i]);
		assert_int_equal(kernel.has[1][i], i % 4 > 1);
	}
	xpt_uprobes__unlink(&lib);
}

/* A call that begins has an end: a function whose return has no probe gets none at its entry. */
static void test_bad_return(void **state)
{
	struct xpt_elib lib = { 0 };

	(void)state;
	kernel.err = EINVAL;
	kernel.bad[1][6] = kernel.bad[1][35] = true;
	assert_int_equal(link_all(&lib), PLACES - 2);
	for (uint32_t i = 0; i < PLACES; i++) {
		assert_int_equal(kernel.has[0][i], i != 6 && i != 35);
		assert_int_equal(kernel.has[1][i], i % 4 > 1 && i != 6 && i != 35);
	}
	xpt_uprobes__unlink(&lib);
}

/* A file that the kernel refuses for a time is tried again as a whole: nothing stays, even if it grants the entries. */
static void test_file_refused(void **state)
{
	static const int errors[] = { EFAULT, EPERM, EMFILE };

	(void)state;
	for (size_t k = 0; k < sizeof(errors) / sizeof(*errors); k++) {
		struct xpt_elib lib = { 0 };

		memset(&kernel, 0, sizeof(kernel));
		kernel.err = errors[k];
		kernel.nr_bad = 1;
		memset(kernel.bad, 1, sizeof(kernel.bad));
		assert_int_equal(link_all(&lib), errors[k] == EFAULT ? 0 : PLACES / 2);
		for (uint32_t i = 0; i < PLACES; i++)
			assert_false(kernel.has[0][i] && i % 4 > 1);
		assert_int_equal(lib.refused, -errors[k]);
		assert_int_equal(lib.nr_fds, errors[k] == EFAULT ? 0 : 1);
		xpt_uprobes__unlink(&lib);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_good, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_return, setup, teardown),
		cmocka_unit_test_setup_teardown(test_file_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("uprobes", tests, NULL, NULL);
}
