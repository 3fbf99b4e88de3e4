/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and threads behind pipeline/pipeline.h: which life of a process id
 * a record belongs to, names that change, tables that are full.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "event_log.h"
#include "pipeline/fns.h"
#include "pipeline/procs.h"

static void start_procs(void)
{
	w_bare_fn(&s, 1, "f");
	w_clock(&s, 0, 0);
	feed();
	xpt_strbuf__reset(&event_log);
}

static void test_pid_reuse(void **state)
{
	const struct xpt_proc *first;

	(void)state;
	start_procs();
	w_proc(&s, 5, 10, "one", "/one", "one")->start_ns = 1;
	call(5, 5, 20);
	feed();
	first = last_proc;
	w_task(&s, XPT_TASK_EXIT, 5, 5, 30, "one")->code = 9;
	w_task(&s, XPT_TASK_EXIT, 5, 5, 30, "one")->code = 7;	/* told twice */
	call(5, 5, 25);		/* late: began before the exit */
	feed();
	assert_ptr_equal(last_proc, first);
	call(5, 5, 31);		/* began after it */
	feed();
	assert_ptr_not_equal(last_proc, first);
	w_proc(&s, 5, 40, "two", "/two", "two")->start_ns = 3;
	call(5, 5, 41);
	w_proc(&s, 5, 50, "three", "/three", "three")->start_ns = 4;	/* the exit was lost */
	call(5, 5, 51);
	w_task(&s, XPT_TASK_FORK, 5, 5, 60, "four");			/* and again */
	w_task(&s, XPT_TASK_FORK, 5, 5, 60, "four");
	w_proc(&s, 5, 61, "four", "/four", "four")->start_ns = 5;
	w_task(&s, XPT_TASK_EXIT, 5, 5, 70, "four");
	w_proc(&s, 5, 71, "four", "", "four --late")->start_ns = 5;	/* the same: start time */
	w_task(&s, XPT_TASK_THREAD, 5, 5, 72, "five");
	expect("PROC 5<0 'one' '/one' 'one' @10\nCALL #1 f 5/5 one 20+0 ret=0 TEST_OK @20\n"
	       "EXIT 5 status=9 cut=0 @30\nCALL #2 f 5/5 one 25+0 ret=0 TEST_OK @25\n"
	       "PROC 5<0 '' '' '' @31\nCALL #3 f 5/5  31+0 ret=0 TEST_OK @31\n"
	       "CALL #4 f 5/5 two 41+0 ret=0 TEST_OK @41\n"
	       "PROC 5<0 'three' '/three' 'three' @50\n"
	       "CALL #5 f 5/5 three 51+0 ret=0 TEST_OK @51\nPROC 5<0 'four' '' '' @60\n"
	       "EXIT 5 status=0 cut=0 @70\nPROC 5<0 'five' '' '' @72\n");
	assert_string_equal(first->comm, "one");
	assert_int_equal(first->exit_ns, 30);
	assert_int_equal(first->exit_status, 9);
}

/* /proc was read behind the end: what says that it began long before is no new process. */
static void test_read_behind_the_end(void **state)
{
	const uint64_t ms = 1000000;
	const struct xpt_proc *first;

	(void)state;
	start_procs();
	call(5, 5, 100 * ms);
	feed();
	first = last_proc;
	w_task(&s, XPT_TASK_EXIT, 5, 5, 200 * ms, "one");
	w_proc(&s, 5, 200 * ms + 1, "one", "/one", "one")->start_ns = 90 * ms;
	call(5, 5, 199 * ms);		/* late: began before the exit */
	feed();
	assert_ptr_equal(last_proc, first);
	call(6, 6, 100 * ms);
	w_task(&s, XPT_TASK_EXIT, 6, 6, 200 * ms, "six");
	w_proc(&s, 6, 210 * ms, "other", "/other", "other")->start_ns = 205 * ms;
	call(6, 6, 211 * ms);
	feed();
	assert_string_equal(last_proc->comm, "other");
	assert_int_equal(last_proc->exit_ns, 0);
}

/* A FORK that arrives behind the facts about its child is that child's. */
static void test_late_fork(void **state)
{
	(void)state;
	start_procs();
	w_proc(&s, 4, 5, "parent", "/parent", "parent");
	w_proc(&s, 5, 20, "child", "/child", "child");
	w_task(&s, XPT_TASK_FORK, 5, 5, 10, "parent")->ppid = 4;
	expect("PROC 4<0 'parent' '/parent' 'parent' @5\nPROC 5<0 'child' '/child' 'child' @20\n");
	call(5, 5, 30);
	feed();
	assert_int_equal(last_proc->ppid, 4);
	assert_string_equal(last_proc->exe, "/child");
}

static uint32_t user_of(uint32_t pid, uint64_t ts_ns)
{
	call(pid, pid, ts_ns);
	feed();
	return last_proc->uid;
}

/* The kernel side tells the user of a process of which /proc had nothing any more; files of earlier versions do not. */
static void test_users(void **state)
{
	struct xpt_rec_task *old;

	(void)state;
	start_procs();
	w_task(&s, XPT_TASK_THREAD, 5, 5, 10, "short")->uid = 1000;
	assert_int_equal(user_of(5, 20), 1000);
	w_task(&s, XPT_TASK_THREAD, 5, 6, 21, "worker")->uid = 2000;	/* of a thread alone */
	assert_int_equal(user_of(5, 22), 1000);
	w_task(&s, XPT_TASK_EXEC, 5, 5, 23, "sudo")->uid = 0;
	assert_int_equal(user_of(5, 24), 0);
	w_proc(&s, 7, 30, "parent", "/parent", "parent")->uid = 1001;
	w_task(&s, XPT_TASK_FORK, 8, 8, 31, "child")->ppid = 7;
	w_task(&s, XPT_TASK_THREAD, 8, 8, 32, "child")->uid = 1002;
	assert_int_equal(user_of(8, 33), 1002);
	w_task(&s, XPT_TASK_THREAD, 9, 9, 34, "lost")->uid = UINT32_MAX;
	assert_int_equal(user_of(9, 35), UINT32_MAX);
	old = w_task(&s, XPT_TASK_THREAD, 10, 10, 36, "old");
	old->rec.size = XPT_REC_TASK_MIN;
	s.len -= sizeof(*old) - XPT_REC_TASK_MIN;
	assert_int_equal(user_of(10, 37), UINT32_MAX);
	w_proc(&s, 10, 38, "old", "/old", "old")->uid = 1003;
	assert_int_equal(user_of(10, 39), 1003);
}

static void test_exec(void **state)
{
	(void)state;
	start_procs();
	w_proc(&s, 5, 10, "sh", "/bin/sh", "sh -c train");
	call(5, 5, 15);
	feed();
	xpt_strbuf__reset(&event_log);
	w_task(&s, XPT_TASK_EXEC, 5, 5, 20, "train")->cut = 2;
	w_proc(&s, 5, 21, "train", "/bin/train", "train");
	call(5, 5, 30);
	expect("EXEC 5<0 'train' '' '' @20\nCALL #2 f 5/5 train 30+0 ret=0 TEST_OK @30\n");
	assert_string_equal(last_proc->exe, "/bin/train");
}

static void test_threads(void **state)
{
	(void)state;
	start_procs();
	w_proc(&s, 5, 10, "main", "", "");
	w_task(&s, XPT_TASK_THREAD, 5, 6, 11, "worker");
	call(5, 5, 12);
	call(5, 6, 13);
	call(7, 6, 14);		/* a thread id of another process */
	w_task(&s, XPT_TASK_THREAD_EXIT, 5, 6, 15, "worker");
	w_task(&s, XPT_TASK_THREAD, 5, 6, 16, "reused");
	call(5, 6, 17);
	expect("PROC 5<0 'main' '' '' @10\nCALL #1 f 5/5 main 12+0 ret=0 TEST_OK @12\n"
	       "CALL #2 f 5/6 worker 13+0 ret=0 TEST_OK @13\nPROC 7<0 '' '' '' @14\n"
	       "CALL #3 f 7/6  14+0 ret=0 TEST_OK @14\n"
	       "CALL #4 f 5/6 reused 17+0 ret=0 TEST_OK @17\n");
}

/* Threads that are killed together say so in any order; the process ends with the first. */
static void test_threads_end_together(void **state)
{
	(void)state;
	start_procs();
	w_proc(&s, 5, 10, "main", "", "");
	w_task(&s, XPT_TASK_THREAD, 5, 6, 11, "worker");
	w_task(&s, XPT_TASK_EXIT, 5, 5, 20, "main");
	w_task(&s, XPT_TASK_THREAD_EXIT, 5, 6, 21, "worker");
	w_task(&s, XPT_TASK_FORK, 5, 5, 30, "other");
	expect("PROC 5<0 'main' '' '' @10\nEXIT 5 status=0 cut=0 @20\nPROC 5<0 'other' '' '' @30\n");
}

/* Ended threads make room for free; living ones that must go are counted. */
static void test_many_threads(void **state)
{
	uint32_t tid;

	(void)state;
	start_procs();
	for (tid = 1; tid <= 200000; tid++) {
		w_task(&s, XPT_TASK_THREAD, 5, tid, tid, "short");
		w_task(&s, XPT_TASK_THREAD_EXIT, 5, tid, tid, "short");
	}
	feed();
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 0);
	for (tid = 1; tid <= 200000; tid++)
		w_task(&s, XPT_TASK_THREAD, 5, tid, 300000 + tid, "long");
	call(5, 200000, 600000);
	feed();
	assert_in_range(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 65536, 200000);
	assert_non_null(strstr(xpt_strbuf__str(&event_log), "5/200000 long"));
}

/* Beyond the maximum all processes are one, without id; nothing is mixed up. */
static void test_many_procs(void **state)
{
	uint32_t pid;

	(void)state;
	start_procs();
	for (pid = 1; pid <= 65536; pid++)
		w_task(&s, XPT_TASK_FORK, pid, pid, 10, "x");
	feed();
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 0);
	xpt_strbuf__reset(&event_log);
	call(70000, 70000, 20);
	call(70001, 70001, 20);
	w_task(&s, XPT_TASK_EXIT, 70001, 70001, 30, "y");
	w_task(&s, XPT_TASK_EXIT, 9, 9, 30, "x");
	call(9, 9, 40);
	call(9, 9, 41);
	call(10, 10, 41);
	expect("PROC 0<0 '' '' '' @20\nCALL #1 f 0/70000  20+0 ret=0 TEST_OK @20\n"
	       "CALL #2 f 0/70001  20+0 ret=0 TEST_OK @20\nEXIT 9 status=0 cut=0 @30\n"
	       "CALL #3 f 0/9  40+0 ret=0 TEST_OK @40\nCALL #4 f 0/9  41+0 ret=0 TEST_OK @41\n"
	       "CALL #5 f 10/10 x 41+0 ret=0 TEST_OK @41\n");
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 4);
}

/* Ever new strings end in empty ones and a count, not in all memory. */
static void test_many_strings(void **state)
{
	char cmdline[8001], comm[16];
	unsigned i;

	(void)state;
	start_procs();
	memset(cmdline, 'x', 8000);
	cmdline[8000] = '\0';
	for (i = 0; i < 3000; i++) {
		snprintf(cmdline, sizeof(cmdline), "%u", i);
		cmdline[strlen(cmdline)] = 'x';
		w_proc(&s, 5, 10, "comm", "/exe", cmdline);
		feed();
	}
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 0);	/* one at a time */
	for (i = 0; i < 3000; i++) {
		snprintf(cmdline, sizeof(cmdline), "%u", i);
		cmdline[strlen(cmdline)] = 'x';
		snprintf(comm, sizeof(comm), "comm%u", i);
		w_proc(&s, 6 + i, 10, comm, "/exe", cmdline);
		feed();
	}
	assert_in_range(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 900, 1000);
	call(2900, 2900, 11);
	feed();
	assert_string_equal(last_proc->comm, "comm2894");	/* command lines take no room from names */
	assert_string_equal(last_proc->cmdline, "");
}

static void test_many_libs(void **state)
{
	uint32_t id;

	(void)state;
	for (id = 0; id < XPT_MAX_LIB_RECORDS + 4; id++)
		w_lib(&s, id, "/lib/same.so");
	feed();
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 4);
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), 0);
}

static struct xpt_proc *task(struct xpt_procs *t, uint8_t event, uint32_t pid, uint32_t ppid, uint64_t at)
{
	struct xpt_rec_task r = { .event = event, .tgid = pid, .tid = pid, .ppid = ppid, .ts_ns = at };
	bool is_new, ended;

	return xpt_procs__add_task(t, &r, &is_new, &ended);
}

/* Who was forked after the initialization of CUDA, whichever record comes first. */
static void test_heirs(void **state)
{
	struct xpt_proc *parent, *before, *behind, *grandchild, *late;
	struct xpt_procs *t;
	uint64_t evicted = 0;
	bool is_new;

	(void)state;
	assert_int_equal(xpt_procs__new(&evicted, &t), 0);
	parent = xpt_procs__of_call(t, 4, 5, &is_new);
	before = task(t, XPT_TASK_FORK, 5, 4, 10);
	late = task(t, XPT_TASK_FORK, 8, 4, 21);
	xpt_procs__initialized(parent, 20);
	behind = task(t, XPT_TASK_FORK, 6, 4, 30);
	grandchild = task(t, XPT_TASK_FORK, 7, 6, 40);
	assert_false(xpt_procs__is_heir(t, parent));
	assert_false(xpt_procs__is_heir(t, before));
	assert_true(xpt_procs__is_heir(t, late));
	assert_true(xpt_procs__is_heir(t, behind));
	assert_true(xpt_procs__is_heir(t, grandchild));
	task(t, XPT_TASK_EXEC, 6, 4, 50);
	task(t, XPT_TASK_EXEC, 8, 4, 50);
	assert_false(xpt_procs__is_heir(t, behind));
	assert_false(xpt_procs__is_heir(t, late));
	xpt_procs__free(t);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_pid_reuse), T(test_late_fork), T(test_read_behind_the_end), T(test_exec), T(test_users), T(test_threads),
		T(test_threads_end_together), T(test_many_threads), T(test_many_procs), T(test_many_strings),
		T(test_many_libs), T(test_heirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
