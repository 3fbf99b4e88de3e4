/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures that are normal if the program goes on: what it does next decides, of the same
 * thread and with another argument; a program that gives up has failed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/trial.h"

#define SECOND 1000000000ull

static struct xpt_rdma_trials trials;
static unsigned went_on, failed, not_known;
static uint64_t now;		/* of the wall clock */
static uint64_t monotonic;	/* of the next call, 0: not known */
static const char *boot;	/* the boot that it is of, and the machine */
static const char *host;

static void on_decided(void *ctx, struct xpt_rdma_trace *t, enum xpt_rdma_trial_end end)
{
	assert_ptr_equal(ctx, &trials);
	went_on += end == XPT_RDMA_TRIAL_WENT_ON;
	failed += end == XPT_RDMA_TRIAL_FAILED;
	not_known += end == XPT_RDMA_TRIAL_NOT_KNOWN;
	xpt_rdma_trace__free(t);
}

static int fresh(void **state)
{
	(void)state;
	memset(&trials, 0, sizeof(trials));
	trials.decide = on_decided;
	trials.ctx = &trials;
	went_on = failed = not_known = 0;
	now = SECOND;
	monotonic = 0;
	boot = host = "";
	return 0;
}

static uint32_t nr_nodes = 2;	/* of a call */

/* A call of thread tid; max_inline_data 0: of no queue pair. */
static void call(uint32_t tid, const char *method, int ret, int64_t max_inline_data)
{
	struct xpt_rdma_node nodes[2] = {
		{ .fn = "ib_uverbs_ioctl", .module = "ib_uverbs", .ret_type = XPT_RDMA_RET_LONG, .ret = ret,
		  .flags = ret ? XPT_RDMA_NODE_FAILED : 0 },
		{ .fn = "ib_uverbs_handler_UVERBS_METHOD", .module = "ib_uverbs", .ret_type = XPT_RDMA_RET_INT,
		  .ret = ret, .depth = 1, .flags = ret ? XPT_RDMA_NODE_FAILED : 0 },
	};
	struct xpt_rdma_trace t = {
		.method = method, .object = "", .shape = "", .device = "siw0", .driver = "siw", .driver_version = "",
		.kernel = "6.12", .comm = "fi_info", .cgroup = "", .container = "", .caller = "", .outer = "",
		.asked_name = max_inline_data ? "max_inline_data" : "", .asked = max_inline_data, .pid = 5, .tid = tid,
		.ret = ret, .nr = nr_nodes, .node = nodes, .wall_ns = now += 1000,
		.monotonic_ns = monotonic, .boot_id = boot, .host = host,
	}, *copy;
	struct xpt_rdma_verdict v;

	xpt_rdma_trials__saw(&trials, &t);
	xpt_rdma_judge(&t, NULL, NULL, &v);
	if (!v.trial) {
		failed += v.failed && !v.expected;
		return;
	}
	assert_null(v.expected);
	assert_int_equal(xpt_rdma_trace__copy(&t, &copy), 0);
	xpt_rdma_trials__wait(&trials, copy, &v);
}

static struct xpt_rdma_moment at(uint64_t wall_ns)
{
	return (struct xpt_rdma_moment){ .host = host, .boot_id = boot, .monotonic_ns = monotonic, .wall_ns = wall_ns };
}

static void pass_until(uint64_t wall_ns)
{
	struct xpt_rdma_moment m = at(wall_ns);

	xpt_rdma_trials__until(&trials, &m);
}

static void lose_until(uint64_t wall_ns)
{
	struct xpt_rdma_moment m = at(wall_ns);

	xpt_rdma_trials__lost(&trials, &m);
}

static void end_process(uint32_t pid)
{
	struct xpt_rdma_moment m = at(now);

	xpt_rdma_trials__ended(&trials, pid, &m);
}

/* As libfabric does it: doubled until it is too much, then halved in between. */
static void test_largest_inline(void **state)
{
	int64_t size, good = 0, bad;
	const int64_t most = 400;

	(void)state;
	for (size = 2; size <= most; size *= 2, good = size / 2)
		call(5, "QP_CREATE", 0, size);
	call(5, "QP_CREATE", -EINVAL, bad = size);
	while (bad - good > 2) {
		size = good + (bad - good) / 2;
		call(5, "QP_CREATE", size <= most ? 0 : -EINVAL, size);
		if (size <= most)
			good = size;
		else
			bad = size;
	}
	call(5, "QP_DESTROY", 0, 0);
	call(5, "QP_CREATE", 0, good);
	call(5, "CQ_DESTROY", 0, 0);
	assert_true(went_on > 2);
	assert_int_equal(failed, 0);
	assert_int_equal(trials.nr, 0);
}

/* The same value twice is no search, nor is one after which the program gives up. */
static void test_no_search(void **state)
{
	(void)state;
	call(5, "QP_CREATE", -EINVAL, 512);
	call(5, "QP_CREATE", -EINVAL, 512);
	assert_int_equal(failed, 1);
	call(5, "CQ_DESTROY", 0, 0);
	call(6, "QP_CREATE", 0, 64);	/* another thread */
	call(5, "QP_CREATE", 0, 1024);	/* larger: not because of that */
	assert_int_equal(went_on, 0);
	end_process(4);
	assert_int_equal(failed, 1);
	assert_int_equal(xpt_rdma_trials__pid(&trials, 0), 5);
	end_process(5);
	assert_int_equal(failed, 2);
	call(5, "QP_CREATE", -EINVAL, 0);	/* without an inline size there is none to look for */
	assert_int_equal(failed, 3);
	assert_int_equal(trials.nr, 0);
}

static void test_goes_on(void **state)
{
	(void)state;
	call(5, "ex_create_qp", -EOPNOTSUPP, 0);
	call(5, "QUERY_PORT", -EINVAL, 0);
	call(5, "PD_DESTROY", 0, 0);
	assert_int_equal(went_on, 0);
	call(5, "create_qp", 0, 64);
	assert_int_equal(went_on, 1);
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	pass_until(now + 5 * SECOND);
	assert_int_equal(trials.nr, 1);
	pass_until(now + 5 * SECOND + 1);
	assert_int_equal(failed, 2);	/* and QUERY_PORT */
}

/* A method that the kernel does not know: a library falls back to another; a program that needs it gives up. */
static void test_falls_back(void **state)
{
	(void)state;
	nr_nodes = 1;
	call(5, "DM_ALLOC", -EPROTONOSUPPORT, 0);
	assert_int_equal(trials.nr, 1);
	call(5, "alloc_pd", 0, 0);
	assert_int_equal(went_on, 1);
	call(5, "DM_ALLOC", -EPROTONOSUPPORT, 0);
	call(5, "close_xrcd", 0, 0);
	end_process(5);
	assert_int_equal(failed, 1);
	nr_nodes = 2;
	call(5, "DM_ALLOC", -EPROTONOSUPPORT, 0);	/* a driver's own: no answer of the interface */
	assert_int_equal(failed, 2);
}

static void test_destroys(void **state)
{
	unsigned i;

	(void)state;
	call(5, "MW_DESTROY", -EBUSY, 0);
	call(5, "MR_DESTROY", 0, 0);
	assert_int_equal(went_on, 0);
	call(5, "MW_DESTROY", 0, 0);
	assert_int_equal(went_on, 1);
	call(5, "MR_DESTROY", -EBUSY, 0);
	xpt_rdma_trials__over(&trials);
	assert_int_equal(failed, 1);
	call(5, "MR_REG", -EBUSY, 0);	/* destroys nothing */
	assert_int_equal(failed, 2);
	for (i = 0; i <= XPT_RDMA_TRIALS; i++)
		call(5, "PD_DESTROY", -EBUSY, 0);
	assert_int_equal(trials.nr, XPT_RDMA_TRIALS);
	assert_int_equal(failed, 2);
	assert_int_equal(not_known, 1);	/* it made room for the last */
	call(5, "PD_DESTROY", 0, 0);
	assert_int_equal(trials.nr, 0);
}

/* Of what began before calls were lost silence says nothing; of what began afterwards it does. */
static void test_lost(void **state)
{
	(void)state;
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	lose_until(now);
	call(6, "ADVISE", -EOPNOTSUPP, 0);
	pass_until(now + 5 * SECOND + 1);
	assert_int_equal(not_known, 1);
	assert_int_equal(failed, 1);
	lose_until(now + 2000);	/* told before the record was read */
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	call(6, "ADVISE", -EOPNOTSUPP, 0);
	call(6, "create_qp", 0, 64);
	assert_int_equal(went_on, 1);
	end_process(5);
	assert_int_equal(not_known, 2);
	xpt_rdma_trials__over(&trials);
	now -= 10000;	/* another file */
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	xpt_rdma_trials__over(&trials);
	assert_int_equal(failed, 2);
}

/* Within a boot the monotonic clock has the order, whatever the wall clock says. */
static void test_wall_clock(void **state)
{
	(void)state;
	boot = "1f0e";
	monotonic = 10 * SECOND;
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	now -= 5000;		/* as when the clocks are read for each record, and the reader loses its CPU */
	monotonic += 2000;
	call(5, "create_qp", 0, 64);
	assert_int_equal(went_on, 1);
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	monotonic += SECOND;
	pass_until(now + 3600 * SECOND);	/* somebody set the clock */
	assert_int_equal(failed, 0);
	monotonic += 4 * SECOND;
	pass_until(now - 3600 * SECOND);
	assert_int_equal(failed, 0);
	monotonic += 1;
	pass_until(now);
	assert_int_equal(failed, 1);
	monotonic += SECOND;
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	monotonic -= 1;
	lose_until(now + SECOND);	/* before it */
	monotonic += 10 * SECOND;
	pass_until(now);
	assert_int_equal(not_known, 0);
	assert_int_equal(failed, 2);
}

/* Of another boot, or another machine, are other threads and processes, other losses and other times. */
static void test_boots(void **state)
{
	(void)state;
	boot = "b1";
	host = "node1";
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	boot = "b2";
	call(5, "create_qp", 0, 64);
	end_process(5);
	pass_until(now + 3600 * SECOND);
	lose_until(now);
	boot = "b1";
	host = "node2";		/* a copy of the machine may have its boot id */
	call(5, "create_qp", 0, 64);
	end_process(5);
	assert_int_equal(trials.nr, 1);
	host = "node1";
	pass_until(now + 6 * SECOND);
	assert_int_equal(failed, 1);
	assert_int_equal(went_on + not_known, 0);
	boot = "b2";
	now -= 2000;
	call(5, "ADVISE", -EOPNOTSUPP, 0);
	boot = host = "";	/* not known: it may be that one */
	end_process(5);
	assert_int_equal(not_known, 1);
}

/* What the end makes of a verdict: a failure, a normal error, or neither. */
static void test_conclusion(void **state)
{
	struct xpt_rdma_verdict v = { .failed = true, .trial = "it tried", .cause = { .cls = XPT_RDMA_DEVICE } };

	(void)state;
	xpt_rdma_trial__conclude(XPT_RDMA_TRIAL_FAILED, &v);
	assert_null(v.expected);
	assert_null(v.unsure);
	assert_int_equal(v.cause.cls, XPT_RDMA_DEVICE);
	xpt_rdma_trial__conclude(XPT_RDMA_TRIAL_NOT_KNOWN, &v);
	assert_null(v.expected);
	assert_string_equal(v.unsure, "it tried");
	assert_int_equal(v.cause.cls, XPT_RDMA_UNKNOWN);
	assert_int_equal(v.cause.confidence, XPT_RDMA_LOW);
	v.unsure = NULL;
	xpt_rdma_trial__conclude(XPT_RDMA_TRIAL_WENT_ON, &v);
	assert_string_equal(v.expected, "it tried");
	assert_null(v.unsure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_largest_inline, fresh), cmocka_unit_test_setup(test_no_search, fresh),
		cmocka_unit_test_setup(test_goes_on, fresh), cmocka_unit_test_setup(test_falls_back, fresh), cmocka_unit_test_setup(test_destroys, fresh),
		cmocka_unit_test_setup(test_lost, fresh), cmocka_unit_test_setup(test_wall_clock, fresh),
		cmocka_unit_test_setup(test_boots, fresh),
		cmocka_unit_test(test_conclusion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
