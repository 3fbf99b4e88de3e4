/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processes whose end no program saw. The kernel's table of targets is played by this program. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
#include <cmocka.h>

#include <bpf/bpf.h>

#include "engine/priv.h"
#include "engine/processes/unseen_ends.h"
#include "wire/config.h"
#include "call.skel.h"

#define NR 4u

static struct xpt_engine *e;
static struct { uint32_t tgid, value; } table[NR];	/* tgid 0: free */
static uint32_t ended[NR], nr_ended;

int bpf_map_get_next_key(int fd, const void *key, void *next)
{
	uint32_t i = 0;

	(void)fd;
	while (key && i < NR && table[i].tgid != *(const uint32_t *)key)
		i++;
	for (i += key != NULL; i < NR; i++)
		if (table[i].tgid) {
			*(uint32_t *)next = table[i].tgid;
			return 0;
		}
	return -ENOENT;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	(void)fd;
	for (uint32_t i = 0; i < NR; i++)
		if (table[i].tgid == *(const uint32_t *)key) {
			*(uint32_t *)value = table[i].value;
			return 0;
		}
	return -ENOENT;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	(void)fd;
	for (uint32_t i = 0; i < NR; i++)
		if (table[i].tgid == *(const uint32_t *)key) {
			table[i].tgid = 0;
			return 0;
		}
	return -ENOENT;
}

static int on_end(void *ctx, const void *record, size_t size)
{
	const struct xpt_rec_task *t = record;

	(void)ctx;
	assert_int_equal(size, sizeof(*t));
	assert_int_equal(t->event, XPT_TASK_EXIT);
	ended[nr_ended++] = t->tgid;
	return 0;
}

/* Returns the number of a process that has ended. */
static uint32_t end_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

static void test_ends(void **state)
{
	uint32_t target = end_process(), own = end_process();

	(void)state;
	e = calloc(1, sizeof(*e));
	e->skel = calloc(1, sizeof(*e->skel));
	table[0].tgid = own;
	table[0].value = XPT_TARGET_OWN;
	table[1].tgid = (uint32_t)getpid();
	table[1].value = XPT_TARGET_NAMED;
	table[2].tgid = target;
	table[2].value = XPT_TARGET_NAMED;
	xpt_unseen_ends__step(e, 10000000000ull, on_end);
	assert_int_equal(nr_ended, 1);
	assert_int_equal(ended[0], target);
	assert_int_equal(table[0].tgid + table[2].tgid, 0);
	assert_int_equal(table[1].tgid, getpid());
	free(e->skel);
	free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ends) };

	return cmocka_run_group_tests_name("unseen_ends", tests, NULL, NULL);
}
