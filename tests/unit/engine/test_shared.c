/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that functions of the trace share: how much of the room an owner gets, and that a file that is tried again and
 * again takes none of it. The kernel's table is played by this program.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "engine/attach/again.h"
#include "engine/attach/shared_probe.h"
#include "engine/function_ids.h"
#include "engine/priv.h"
#include "model/domain/probe.h"
#include "wire/shared.h"
#include "wire/user.h"
#include "call.skel.h"

#define ROOM 262144u		/* addresses (shared_probe.c) */
#define STRANGER XPT_OWNER(1000, 0)
#define OTHER XPT_OWNER(1001, 0)

static struct xpt_engine *e;
static struct xpt_probe probe = { .kind = XPT_PROBE_CALL };
static const struct xpt_inode file = { .ino = 7 }, other_file = { .ino = 8 };

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	(void)fd, (void)key, (void)value, (void)flags;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	e = calloc(1, sizeof(*e));
	e->fns = calloc(XPT_MAX_FNS, sizeof(*e->fns));
	e->skel = calloc(1, sizeof(*e->skel));
	e->cfg.probes = &probe;
	e->cfg.nr_probes = 1;
	return xpt_shared__open(e);
}

static int teardown(void **state)
{
	(void)state;
	xpt_shared__free(e);
	free(e->skel);
	free(e->fns);
	free(e);
	return 0;
}

static enum xpt_share add(const struct xpt_inode *of, uint64_t owner, uint64_t vaddr, uint32_t fn, uint32_t round,
			  bool first, uint64_t *ret_cookie)
{
	uint64_t cookie;

	return xpt_shared__add(e, of, owner, vaddr, fn, round, first, ret_cookie ? ret_cookie : &cookie);
}

/* Whoever asks for all of it gets half, the next one half of the rest, and the machine what it needs. */
static void test_shares(void **state)
{
	uint32_t round = xpt_shared__round(e), n = 0, of_other = 0;

	(void)state;
	while (n < ROOM && add(&file, STRANGER, n, 1, round, true, NULL) != XPT_SHARE_REFUSED)
		n++;
	assert_int_equal(n, ROOM / 2);
	while (of_other < ROOM && add(&other_file, OTHER, of_other, 1, round, true, NULL) != XPT_SHARE_REFUSED)
		of_other++;
	assert_int_equal(of_other, ROOM / 4);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_not_equal(add(&other_file, XPT_OWNER_MACHINE, ROOM + i, 1, round, true, NULL), XPT_SHARE_REFUSED);
	xpt_shared__forget(e, &file);	/* what was his is to be had again */
	assert_int_not_equal(add(&file, STRANGER, 0, 1, round, true, NULL), XPT_SHARE_REFUSED);
}

/* Adds 250 functions and hooks on them, none of which gets a probe. Returns how many of them have a list. */
static uint32_t try_in_vain(uint32_t nr)
{
	uint32_t round = xpt_shared__round(e), lists = 0;
	uint64_t cookie[250];

	for (uint32_t i = 0; i < nr; i++) {
		assert_int_equal(add(&file, STRANGER, i, 1 + i, round, true, &cookie[i]), XPT_SHARE_NEW);
		lists += cookie[i] >= XPT_MAX_FNS;
		assert_int_equal(add(&file, STRANGER, i, 1001 + i, round, false, NULL), XPT_SHARE_JOINED);
	}
	for (uint32_t i = 0; i < nr; i++)
		xpt_shared__refused(e, cookie[i]);
	xpt_shared__undo(e, &file, round);
	return lists;
}

static void test_tried_again(void **state)
{
	uint32_t round;
	uint64_t cookie;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(try_in_vain(250), 250);
	assert_false(xpt_shared__is_full(e, &file, 0));
	/* All lists are there for others. */
	round = xpt_shared__round(e);
	for (uint32_t i = 0; i < XPT_SHARED_MAX; i++) {
		assert_int_equal(add(&other_file, OTHER, i, 1, round, true, &cookie), XPT_SHARE_NEW);
		assert_true(cookie >= XPT_MAX_FNS);
	}
}

/* Who has joined a probe that is refused then has none, whatever the kernel's reason; others keep theirs. */
static void test_joined_in_vain(void **state)
{
	uint32_t round = xpt_shared__round(e);
	uint64_t good, bad, bits = (uint64_t)1 << 31;

	(void)state;
	add(&file, STRANGER, 1, 1, round, true, &good);
	add(&file, STRANGER, 1, 2, round, false, NULL);
	add(&file, STRANGER, 2, 3, round, true, &bad);
	add(&file, STRANGER, 2, 4, round, false, NULL);
	add(&file, STRANGER, 2, 5, round, false, NULL);
	assert_int_equal(xpt_shared__take_void(e), 0);
	xpt_shared__refuse_places(e, &(uint64_t){ good | bits }, 1);	/* an end of its calls */
	assert_int_equal(xpt_shared__take_void(e), 0);
	xpt_shared__refuse_places(e, &bad, 1);
	xpt_shared__refuse_places(e, &bad, 1);
	assert_int_equal(xpt_shared__take_void(e), 2);
	assert_int_equal(xpt_shared__take_void(e), 0);
	assert_int_equal(e->stats.nr_failed, 2);	/* and the place itself, which its caller counts */
	assert_int_equal(add(&file, STRANGER, 1, 6, round, false, NULL), XPT_SHARE_JOINED);
	assert_int_equal(add(&file, STRANGER, 2, 6, round, false, NULL), XPT_SHARE_FURTHER);
}

/* What a probe that is there leads to stays, and a function that is tried again is not there twice. */
static void test_kept(void **state)
{
	uint32_t round = xpt_shared__round(e);
	uint64_t cookie, further;

	(void)state;
	assert_int_equal(add(&file, STRANGER, 5, 1, round, true, &cookie), XPT_SHARE_NEW);
	round = xpt_shared__round(e);
	for (uint32_t fn = 2; fn <= XPT_SHARED_FNS; fn++)
		assert_int_equal(add(&file, STRANGER, 5, fn, round, false, NULL), XPT_SHARE_JOINED);
	assert_int_equal(add(&file, STRANGER, 5, 100, round, false, &further), XPT_SHARE_FURTHER);
	xpt_shared__refused(e, further);
	xpt_shared__undo(e, &file, round);
	round = xpt_shared__round(e);
	for (uint32_t fn = 2; fn <= XPT_SHARED_FNS; fn++)
		assert_int_equal(add(&file, STRANGER, 5, fn, round, false, NULL), XPT_SHARE_JOINED);
	assert_int_equal(add(&file, STRANGER, 5, 100, round, false, &further), XPT_SHARE_FURTHER);
	assert_true(xpt_shared__has(e, &file, 5, round));
	for (uint32_t fn = 101; fn < 101 + XPT_MAX_DEPTH - XPT_SHARED_FNS - 1; fn++)
		assert_false(xpt_shared__is_full(e, &file, 5) || add(&file, STRANGER, 5, fn, round, false, NULL) == XPT_SHARE_REFUSED);
	assert_true(xpt_shared__is_full(e, &file, 5));
}

/* Each time it rests for twice as long; an error that stays ends it. */
static void test_again(void **state)
{
	struct xpt_again a = { 0, 0 };
	uint64_t now = 1000, rest = XPT_AGAIN_NS;

	(void)state;
	assert_false(xpt_again__take_due(&a, now));
	for (int i = 0; i < 20; i++) {
		xpt_again__note(&a, i % 2 ? -EFAULT : -EDQUOT, now);
		assert_false(xpt_again__take_due(&a, now + rest - 1));
		now += rest;
		assert_true(xpt_again__take_due(&a, now));
		assert_false(xpt_again__take_due(&a, now));
		rest = rest * 2 < XPT_AGAIN_MAX_NS ? rest * 2 : XPT_AGAIN_MAX_NS;
	}
	xpt_again__note(&a, -ENOEXEC, now);
	assert_false(xpt_again__take_due(&a, UINT64_MAX));
	xpt_again__note(&a, 0, now);
	assert_false(xpt_again__take_due(&a, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tried_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_joined_in_vain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
