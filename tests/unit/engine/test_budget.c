/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine/cost/budget.h, fed with made-up rates: a world in which functions are
 * called at given rates and send what their mode lets them send.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "engine/cost/budget.h"

#define NR 8
#define STEP 250000000ull
#define EVENT_NS 1700
#define COUNT_NS 1500
#define CPU_NS 800		/* our own time for an event */

static struct xpt_budget *b;
static uint64_t now, procs, base_cpu;
static uint64_t rate[NR], failed[NR];	/* per second */
static enum xpt_mode mode[NR];
static struct xpt_budget_switch last[512];
static unsigned nr_switches;

static int setup(void **state)
{
	(void)state;
	now = STEP;
	procs = 1;
	base_cpu = nr_switches = 0;
	memset(rate, 0, sizeof(rate));
	memset(failed, 0, sizeof(failed));
	memset(mode, 0, sizeof(mode));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	xpt_budget__free(b);
	b = NULL;
	return 0;
}

static void open_budget(uint64_t ppm)
{
	uint32_t i;

	assert_int_equal(xpt_budget__new(ppm, NR, &b), 0);
	for (i = 1; i < NR; i++)
		xpt_budget__fn(b, i, EVENT_NS, COUNT_NS, i == NR - 1);
}

static uint64_t sends(int i)
{
	return mode[i] == XPT_MODE_EVENTS ? rate[i] : mode[i] == XPT_MODE_ERRORS ? failed[i] : 0;
}

/* What tracing costs now, parts per million. */
static uint64_t cost_now(void)
{
	uint64_t ns = base_cpu, i;

	for (i = 1; i < NR; i++)
		ns += rate[i] * COUNT_NS + sends((int)i) * (EVENT_NS - COUNT_NS + CPU_NS);
	return ns / procs / 1000;
}

static void run_steps(unsigned steps)
{
	struct xpt_budget_switch sw[XPT_BUDGET_SWITCHES];
	uint64_t cpu;
	int n, i;

	for (; steps; steps--, now += STEP) {
		cpu = base_cpu / 4;
		for (i = 1; i < NR; i++) {
			uint64_t bad = mode[i] == XPT_MODE_COUNTERS ? 0 : failed[i] / 4;

			xpt_budget__note(b, (uint32_t)i, rate[i] / 4, sends(i) / 4, bad);
			cpu += sends(i) / 4 * CPU_NS;
		}
		n = xpt_budget__step(b, now, STEP, STEP * procs, cpu, sw);
		for (i = 0; i < n; i++) {
			assert_true(nr_switches < sizeof(last) / sizeof(last[0]));
			last[nr_switches++] = sw[i];
			if (!sw[i].fn)
				continue;
			assert_int_equal(mode[sw[i].fn], sw[i].from);
			assert_int_not_equal(sw[i].from, sw[i].to);
			mode[sw[i].fn] = sw[i].to;
		}
	}
}

static void test_below(void **state)
{
	(void)state;
	open_budget(10000);
	rate[1] = 3000;		/* 0.75 % */
	run_steps(100);
	assert_int_equal(nr_switches, 0);
}

/* The hottest goes, and only it; what is left is below the budget. */
static void test_hottest_goes(void **state)
{
	(void)state;
	open_budget(50000);
	rate[1] = 1000;
	rate[2] = 30000;	/* 7.5 % as events, 4.5 % as counters */
	rate[3] = 100;
	run_steps(40);
	assert_int_equal(nr_switches, 1);
	assert_int_equal(last[0].fn, 2);
	assert_int_equal(last[0].from, XPT_MODE_EVENTS);
	assert_int_equal(last[0].to, XPT_MODE_ERRORS);
	assert_in_range(last[0].cost_ppm, 50000, 100000);
	assert_in_range(cost_now(), 1, 50000);
}

static void test_comes_back(void **state)
{
	(void)state;
	open_budget(50000);
	rate[2] = 30000;
	run_steps(40);
	assert_int_equal(mode[2], XPT_MODE_ERRORS);
	rate[2] = 12000;	/* 3 % as events: below four fifths */
	run_steps(40);
	assert_int_equal(mode[2], XPT_MODE_EVENTS);
	assert_int_equal(nr_switches, 2);
	assert_int_equal(last[1].from, XPT_MODE_ERRORS);
	assert_int_equal(last[1].to, XPT_MODE_EVENTS);
}

/* Between target and budget nothing moves, in either direction. */
static void test_hysteresis(void **state)
{
	(void)state;
	open_budget(50000);
	rate[2] = 30000;
	run_steps(40);
	rate[2] = 18000;	/* 4.5 % as events: would fit, but hardly */
	run_steps(400);
	assert_int_equal(nr_switches, 1);
	assert_int_equal(mode[2], XPT_MODE_ERRORS);
}

/* A function that changes all the time is let back less and less often. */
static void test_flapping(void **state)
{
	unsigned i, first = 0;

	(void)state;
	open_budget(50000);
	for (i = 0; i < 60; i++) {
		rate[2] = i % 2 ? 30000 : 100;
		run_steps(16);
		if (i == 19)
			first = nr_switches;
	}
	assert_true(nr_switches > 2);
	assert_true(nr_switches - first < first * 2);
	assert_true(nr_switches < 30);
}

/* Counters alone exceed the budget: said once, and again only after it had ended. */
static void test_honest(void **state)
{
	(void)state;
	open_budget(10000);
	rate[1] = rate[2] = 100000;	/* 15 % each, as counters */
	run_steps(200);
	assert_int_equal(mode[1], XPT_MODE_ERRORS);
	assert_int_equal(mode[2], XPT_MODE_ERRORS);
	assert_int_equal(nr_switches, 3);
	assert_int_equal(last[2].fn, 0);
	assert_in_range(last[2].cost_ppm, 200000, 400000);
	rate[1] = rate[2] = 100;
	run_steps(100);
	assert_int_equal(mode[1], XPT_MODE_EVENTS);
	rate[1] = rate[2] = 100000;
	run_steps(100);
	assert_int_equal(last[nr_switches - 1].fn, 0);
}

/* Errors stay as long as they are few; where every call fails they are the cost. */
static void test_failing(void **state)
{
	(void)state;
	open_budget(60000);
	rate[1] = failed[1] = 30000;
	run_steps(40);
	assert_int_equal(mode[1], XPT_MODE_COUNTERS);
	assert_in_range(cost_now(), 1, 60000);
}

/* Events of before a switch that are read behind it do not count against errors. */
static void test_backlog(void **state)
{
	unsigned i;

	(void)state;
	open_budget(10000);
	rate[1] = 100000;
	run_steps(1);
	assert_int_equal(mode[1], XPT_MODE_ERRORS);
	for (i = 0; i < 4; i++) {
		xpt_budget__note(b, 1, 0, 50000, 0);
		run_steps(1);
	}
	assert_int_equal(mode[1], XPT_MODE_ERRORS);
}

/* Look-ups of names are needed to understand what comes later. */
static void test_fixed(void **state)
{
	(void)state;
	open_budget(10000);
	rate[NR - 1] = 100000;
	run_steps(40);
	assert_int_equal(mode[NR - 1], XPT_MODE_EVENTS);
	assert_int_equal(nr_switches, 1);
	assert_int_equal(last[0].fn, 0);
}

/* More processes live longer in sum; the same calls are a smaller share of that. */
static void test_many_processes(void **state)
{
	(void)state;
	open_budget(10000);
	procs = 100;
	rate[1] = 100000;	/* 0.25 % of a hundred processes */
	run_steps(40);
	assert_int_equal(nr_switches, 0);
	assert_int_equal(xpt_budget__step(b, now, STEP, 0, 5, last), 0);	/* nobody lives */
	assert_int_equal(xpt_budget__step(b, now, 0, 0, 5, last), 0);
}

/* Our own time counts, also what no function can be blamed for. */
static void test_own_time(void **state)
{
	(void)state;
	open_budget(10000);
	base_cpu = 20000000;	/* 2 % */
	rate[1] = 10;
	run_steps(40);
	assert_int_equal(last[nr_switches - 1].fn, 0);
	assert_int_equal(mode[1], XPT_MODE_EVENTS);	/* its events are not worth it */
}

int main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_below), T(test_hottest_goes), T(test_comes_back), T(test_hysteresis),
		T(test_flapping), T(test_honest), T(test_failing), T(test_backlog), T(test_fixed),
		T(test_many_processes), T(test_own_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
