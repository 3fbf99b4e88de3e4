/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For whom the flight recorder wants recordings: the driver's reports about the processes of one owner keep no others
 * away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "proc/owner.h"
#include "session/agent/recorder.h"
#include "wire/wire.h"

#define DIR "/tmp/xpt-recorder.XXXXXX"
#define UNKNOWN 7000u		/* a process that no trace knows */

static struct xpt_recorder r;
static char dir[sizeof(DIR)];

/* Each hundred processes belong to one user. */
static uint64_t owner_of(void *ctx, uint32_t tgid)
{
	(void)ctx;
	return tgid == UNKNOWN ? XPT_OWNER_NOBODY : XPT_OWNER(1000 + tgid / 100, 0);
}

static int setup(void **state)
{
	const struct xpt_recorder_cfg cfg = { .dir = dir, .max_bytes = 1 << 20, .keep_ns = 1000000000, .owner = owner_of };

	(void)state;
	memcpy(dir, DIR, sizeof(dir));
	return mkdtemp(dir) && !xpt_recorder__open(&r, &cfg) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	xpt_recorder__close(&r);
	return rmdir(dir);
}

static void take_xid(uint32_t xid, uint32_t tgid)
{
	const struct xpt_rec_xid x = { .rec = { XPT_REC_XID, sizeof(x), 0 }, .xid = xid, .tgid = tgid };

	xpt_recorder__take(&r, &x, sizeof(x));
}

static bool is_wanted(const char *text)
{
	for (unsigned i = 0; i < r.nr_pending; i++)
		if (strstr(r.pending[i].text, text))
			return true;
	return false;
}

static void test_xids(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		take_xid(13, 100 + i % 100);	/* of one user's processes */
	assert_int_equal(r.nr_pending, 1);
	assert_int_equal(r.pending[0].owner, XPT_OWNER(1001, 0));
	take_xid(31, 200);
	take_xid(32, UNKNOWN);
	take_xid(79, 0);		/* the device fell off the bus */
	assert_int_equal(r.nr_pending, 4);
	assert_true(is_wanted("Xid 31") && is_wanted("Xid 32") && is_wanted("Xid 79"));
}

/* However many users cause Xids, there are places for what is of no process. */
static void test_many_users(void **state)
{
	(void)state;
	for (uint32_t i = 1; i < 60; i++)
		take_xid(13, 100 * i);
	take_xid(79, 0);
	xpt_recorder__want(&r, XPT_RECORDER_ASKED, XPT_OWNER_NOBODY, "SIGUSR1");
	assert_true(is_wanted("Xid 79") && is_wanted("SIGUSR1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_xids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_users, setup, teardown),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
