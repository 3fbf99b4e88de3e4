/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers of processes that are used again: whose counts are those of the next process, of which no record was read yet.
 * The former one's end may not have been read either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "engine/final_counts.h"
#include "engine/priv.h"
#include "engine/processes/containers.h"
#include "engine/processes/process_lives.h"

#define NUMBER 4711u
#define FIRST_NS 1000000000ull	/* when the first process began */
#define END_NS 1200000000ull
#define NEXT_NS 1200300000ull	/* when the next one began */
#define EXECS 3

static struct xpt_engine *e;

static int set_up(void **state)
{
	(void)state;
	e = calloc(1, sizeof(*e));
	return xpt_lives__new(e) || xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_ended), 16, &e->ended) ||
	       xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_known_proc), 16, &e->procs);
}

static int tear_down(void **state)
{
	(void)state;
	xpt_lives__free(e);
	xpt_hashmap__free(e->ended);
	xpt_hashmap__free(e->procs);
	free(e);
	return 0;
}

static void take(unsigned event, uint64_t began_ns, uint64_t ts_ns)
{
	const struct xpt_sent_task t = {
		.task = { .event = event, .tgid = NUMBER, .tid = NUMBER, .ts_ns = ts_ns }, .life = began_ns + EXECS,
	};
	uint32_t number = NUMBER;

	xpt_lives__on_task(e, &t);
	if (event == XPT_TASK_EXIT) {
		xpt_hashmap__del(e->procs, &number);
		xpt_recycle__ended(e, NUMBER, ts_ns, true);
	} else {
		xpt_hashmap__get(e->procs, &number, NULL);
	}
}

static void test_unread_end(void **state)
{
	(void)state;
	assert_false(xpt_recycle__is_next(e, NUMBER, FIRST_NS));
	take(XPT_TASK_THREAD, FIRST_NS, FIRST_NS + 5000);
	assert_false(xpt_recycle__is_next(e, NUMBER, FIRST_NS));
	assert_true(xpt_recycle__is_next(e, NUMBER, NEXT_NS));
}

static void test_read_end(void **state)
{
	(void)state;
	take(XPT_TASK_THREAD, FIRST_NS, FIRST_NS + 5000);
	take(XPT_TASK_EXIT, FIRST_NS, END_NS);
	assert_false(xpt_recycle__is_next(e, NUMBER, FIRST_NS));
	assert_true(xpt_recycle__is_next(e, NUMBER, NEXT_NS));
	take(XPT_TASK_THREAD, NEXT_NS, NEXT_NS + 5000);
	assert_false(xpt_recycle__is_next(e, NUMBER, NEXT_NS));
	assert_false(xpt_recycle__is_next(e, NUMBER, FIRST_NS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unread_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_end, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("ended_processes", tests, NULL, NULL);
}
