/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/calls/names.h: which kernel a launch is said to start, after look-ups,
 * aliases, registrations, and after everything that ends a handle or gives it
 * to another kernel. The functions here have roles and odd names, for names
 * must not matter.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/domain.h"
#include "pipeline/calls/names.h"
#include "pipeline/pipeline.h"
#include "wire_records.h"

const struct xpt_domain *const xpt_domains[] = { NULL };
const size_t xpt_nr_domains;

enum fn {
	LOAD = 1, GET_FUNCTION, LAUNCH, UNLOAD, GET_KERNEL, KERNEL_FUNCTION, LIB_UNLOAD, REGISTER,
	UNREGISTER, RESET, CREATE, DESTROY, FUNC_NAME, LIB_MODULE, RT_KERNEL, REGISTER_BINARY,
	GRAPH_LAUNCH,
};

#define OUT(r) { XPT_CAP_OUT, 0, 8, XPT_ROLE_##r, 0 }
#define IN(r) { XPT_CAP_VAL, 1, 8, XPT_ROLE_##r, 0 }
#define STR { XPT_CAP_STR, 2, 8, XPT_ROLE_NAME, 0 }

static const struct {
	uint8_t cls, ret, nr;
	struct xpt_wire_cap cap[3];
} fns[] = {
	[LOAD] = { XPT_CLASS_LOAD, XPT_RET_STATUS, 1, { OUT(MODULE) } },
	[GET_FUNCTION] = { XPT_CLASS_QUERY, XPT_RET_STATUS, 3, { OUT(FUNC), IN(MODULE), STR } },
	[LAUNCH] = { XPT_CLASS_LAUNCH, XPT_RET_STATUS, 1, { IN(FUNC) } },
	[UNLOAD] = { XPT_CLASS_UNLOAD, XPT_RET_STATUS, 1, { IN(MODULE) } },
	[GET_KERNEL] = { XPT_CLASS_QUERY, XPT_RET_STATUS, 3, { OUT(KERNEL), IN(LIBRARY), STR } },
	[KERNEL_FUNCTION] = { XPT_CLASS_QUERY, XPT_RET_STATUS, 2, { OUT(FUNC), IN(KERNEL) } },
	[LIB_UNLOAD] = { XPT_CLASS_UNLOAD, XPT_RET_STATUS, 1, { IN(LIBRARY) } },
	[REGISTER] = { XPT_CLASS_LOAD, XPT_RET_NONE, 3, { IN(LIBRARY), IN(KERNEL), STR } },
	[UNREGISTER] = { XPT_CLASS_UNLOAD, XPT_RET_NONE, 1, { IN(LIBRARY) } },
	[RESET] = { XPT_CLASS_RESET, XPT_RET_STATUS, 0, { { 0 } } },
	[CREATE] = { XPT_CLASS_INIT, XPT_RET_STATUS, 2, { OUT(CONTEXT), IN(CURRENT) } },
	[DESTROY] = { XPT_CLASS_RESET, XPT_RET_STATUS, 1, { IN(CONTEXT) } },
	[FUNC_NAME] = { XPT_CLASS_QUERY, XPT_RET_STATUS, 2, { OUT(NAME), IN(FUNC) } },
	[LIB_MODULE] = { XPT_CLASS_QUERY, XPT_RET_STATUS, 2, { OUT(MODULE), IN(LIBRARY) } },
	[RT_KERNEL] = { XPT_CLASS_QUERY, XPT_RET_STATUS, 2, { OUT(KERNEL), IN(KERNEL) } },
	[REGISTER_BINARY] = { XPT_CLASS_LOAD, XPT_RET_POINTER, 0, { { 0 } } },
	[GRAPH_LAUNCH] = { XPT_CLASS_LAUNCH, XPT_RET_STATUS, 1, { IN(GRAPH) } },
};

static struct xpt_pipeline *p;
static struct wstream s;
static uint64_t now;
static char got[20000], got_short[1000];

static void feed(void)
{
	const struct xpt_rec *rec;

	for (size_t at = 0; at < s.len; at += rec->size) {
		rec = (const void *)(s.buf + at);
		xpt_pipeline__feed(p, rec, rec->size);
	}
	w_clear(&s);
}

static void on_event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	(void)st;
	(void)out;
	if (ev->kind != XPT_EV_CALL && ev->kind != XPT_EV_INFLIGHT)
		return;
	snprintf(got, sizeof(got), "%s", ev->u.call.kernel ? ev->u.call.kernel : "(null)");
	snprintf(got_short, sizeof(got_short), "%s",
		 ev->u.call.kernel_short ? ev->u.call.kernel_short : "(null)");
}

static const struct xpt_schema *const none[] = { NULL };
static const struct xpt_analyzer watcher = { .name = "watch", .emits = none, .event = on_event };

static int setup(void **state)
{
	const char *str[] = { "odd", "odd", "test", "a", "b", "c" };

	(void)state;
	now = 1000000000;
	assert_int_equal(xpt_pipeline__new(&p), 0);
	assert_int_equal(xpt_pipeline__add_analyzer(p, &watcher), 0);
	for (unsigned i = 1; i < sizeof(fns) / sizeof(fns[0]); i++) {
		struct xpt_rec_fn *r = w_add_strings(&s, XPT_REC_FN, i, sizeof(*r), 3 + fns[i].nr, str);

		r->spec.cls = fns[i].cls;
		r->spec.ret = fns[i].ret;
		r->spec.nr_caps = fns[i].nr;
		r->spec.size_cap = r->spec.dir_cap = 0xff;
		memcpy(r->spec.cap, fns[i].cap, sizeof(fns[i].cap));
	}
	feed();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), 0);
	xpt_pipeline__free(p);
	w_free(&s);
	return 0;
}

/* A call with the values of its captures (STR and OUT NAME: any) and a string or NULL. */
static void call_ret(uint32_t pid, enum fn fn, int64_t ret, uint64_t a, uint64_t b, const char *str)
{
	size_t n = fns[fn].nr, len = str ? strlen(str) + 1 : 0;
	struct xpt_rec_call *r = w_add(&s, XPT_REC_CALL, fn, sizeof(*r) + n * 8 + len);

	r->start_ns = now += 1000;
	r->dur_ns = 100;
	r->tgid = r->tid = pid;
	r->ret = ret;
	if (ret && fns[fn].ret == XPT_RET_STATUS)
		r->flags = XPT_CALL_FAILED;
	r->nr_vals = (uint8_t)n;
	r->valid = 7;
	if (n > 0)
		r->val[0] = a;
	if (n > 1)
		r->val[1] = b;
	r->str_len = (uint16_t)len;
	memcpy(&r->val[n], str ? str : "", len);
	feed();
}

#define call(pid, fn, a, b, str) call_ret(pid, fn, 0, a, b, str)

/* A call that began in the past and returns now. */
static void call_began(uint32_t pid, enum fn fn, uint64_t begin_ns, uint64_t a)
{
	struct xpt_rec_call *r = w_add(&s, XPT_REC_CALL, fn, sizeof(*r) + 8);

	r->start_ns = begin_ns;
	r->dur_ns = (now += 1000) - begin_ns;
	r->tgid = r->tid = pid;
	r->nr_vals = r->valid = 1;
	r->val[0] = a;
	feed();
}

static void task(uint32_t pid, unsigned what, uint32_t ppid)
{
	w_task(&s, what, pid, pid, now += 1000, "train")->ppid = ppid;
	feed();
}

static void expect(uint32_t pid, uint64_t handle, const char *want)
{
	call(pid, LAUNCH, handle, 0, NULL);
	assert_string_equal(got, want);
}

static void test_look_up(void **state)
{
	(void)state;
	expect(1, 0xf0, "unknown(0xf0)");	/* attached late */
	call(1, LOAD, 0x10, 0, NULL);
	call(1, GET_FUNCTION, 0xf0, 0x10, "_Z4gemmIfLi128EEvPT_i");
	expect(1, 0xf0, "void gemm<float, 128>(float*, int)");
	assert_string_equal(got_short, "gemm");
	call(1, GET_FUNCTION, 0xf1, 0x10, "plain");
	expect(1, 0xf1, "plain");
	assert_string_equal(got_short, "plain");
	expect(1, 0xf2, "unknown(0xf2)");
	expect(2, 0xf0, "unknown(0xf0)");	/* another process */
	call(1, GRAPH_LAUNCH, 0xf0, 0, NULL);
	assert_string_equal(got, "(null)");
	call(1, GET_FUNCTION, 0xf3, 0x10, "x");
	assert_string_equal(got, "(null)");
}

static void test_failed_look_up(void **state)
{
	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "first");
	call_ret(1, GET_FUNCTION, 500, 0xf0, 0x10, "second");
	expect(1, 0xf0, "first");
}

static void test_in_flight(void **state)
{
	struct xpt_rec_call *r;

	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "slow");
	for (int fn = GET_FUNCTION; fn <= LAUNCH; fn++) {
		r = w_add(&s, XPT_REC_INFLIGHT, (uint32_t)fn, sizeof(*r) + 8);
		r->start_ns = now += 1000;
		r->tgid = r->tid = 1;
		r->nr_vals = r->valid = 1;
		r->val[0] = 0xf0;
	}
	feed();
	assert_string_equal(got, "slow");
}

static void test_handle_of_another_kernel(void **state)
{
	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "first");
	call(1, GET_FUNCTION, 0xf0, 0x10, "second");
	expect(1, 0xf0, "second");
	call(1, GET_FUNCTION, 0xf0, 0x10, NULL);	/* its name could not be read */
	expect(1, 0xf0, "unknown(0xf0)");
}

static void test_unload_and_reuse(void **state)
{
	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "first");
	call(1, GET_FUNCTION, 0xf1, 0x11, "other");
	call(1, UNLOAD, 0x10, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
	expect(1, 0xf1, "other");
	call(1, LOAD, 0x10, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
	call(1, GET_FUNCTION, 0xf0, 0x10, "second");
	expect(1, 0xf0, "second");
	/* A module that is loaded where another was: that one's end was missed. */
	call(1, LOAD, 0x11, 0, NULL);
	expect(1, 0xf1, "unknown(0xf1)");
	/* The result of unloading may be an earlier call's error. */
	call_ret(1, UNLOAD, 700, 0x10, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
}

/* Another thread got the same handle before the unload had returned. */
static void test_unload_that_returns_late(void **state)
{
	uint64_t begun;

	(void)state;
	call(1, LOAD, 0x10, 0, NULL);
	call(1, GET_FUNCTION, 0xf0, 0x10, "old");
	call(1, GET_FUNCTION, 0xf1, 0x10, "gone");
	begun = now + 500;
	call(1, LOAD, 0x10, 0, NULL);
	call(1, GET_FUNCTION, 0xf0, 0x10, "young");
	call_began(1, UNLOAD, begun, 0x10);
	expect(1, 0xf0, "young");
	expect(1, 0xf1, "unknown(0xf1)");
	call(1, UNLOAD, 0x10, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
}

static void test_alias(void **state)
{
	(void)state;
	call(1, GET_KERNEL, 0xe0, 0x20, "k");
	call(1, KERNEL_FUNCTION, 0xf0, 0xe0, NULL);
	expect(1, 0xe0, "k");
	expect(1, 0xf0, "k");
	call(1, KERNEL_FUNCTION, 0xf0, 0xe9, NULL);	/* of a kernel that nobody named */
	expect(1, 0xf0, "unknown(0xf0)");
	call(1, KERNEL_FUNCTION, 0xf0, 0xe0, NULL);
	call(1, LIB_UNLOAD, 0x20, 0, NULL);
	expect(1, 0xe0, "unknown(0xe0)");
	expect(1, 0xf0, "unknown(0xf0)");
}

static void test_module_of_library(void **state)
{
	(void)state;
	call(1, LIB_MODULE, 0x21, 0x20, NULL);
	call(1, GET_FUNCTION, 0xf0, 0x21, "inside");
	expect(1, 0xf0, "inside");
	call(1, LIB_UNLOAD, 0x20, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
	/* The same handle, now a module of its own. */
	call(1, LOAD, 0x21, 0, NULL);
	call(1, GET_FUNCTION, 0xf0, 0x21, "own");
	call(1, GET_KERNEL, 0xe0, 0x20, "k");
	call(1, UNLOAD, 0x21, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
	expect(1, 0xe0, "k");
}

static void test_registration(void **state)
{
	(void)state;
	call(1, REGISTER, 0x30, 0xa0, "_Z6vecaddPf");
	expect(1, 0xa0, "vecadd(float*)");
	call(1, RT_KERNEL, 0xe0, 0xa0, NULL);
	expect(1, 0xe0, "vecadd(float*)");
	call(1, RESET, 0, 0, NULL);	/* what belongs to no context stays */
	expect(1, 0xa0, "vecadd(float*)");
	expect(1, 0xe0, "vecadd(float*)");
	call(1, UNREGISTER, 0x30, 0, NULL);	/* dlclose */
	expect(1, 0xa0, "unknown(0xa0)");
	call(1, REGISTER, 0x30, 0xa0, "_Z1fv");
	call_ret(1, REGISTER_BINARY, 0x30, 0, 0, NULL);
	expect(1, 0xa0, "unknown(0xa0)");
}

static void test_contexts(void **state)
{
	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "before");
	call(1, CREATE, 0xc1, 0, NULL);
	call(1, GET_FUNCTION, 0xf1, 0x11, "first");
	call(1, CREATE, 0xc2, 0, NULL);
	call(1, GET_FUNCTION, 0xf2, 0x12, "second");
	call(1, GET_KERNEL, 0xe0, 0x20, "k");
	call(1, KERNEL_FUNCTION, 0xf3, 0xe0, NULL);
	call(1, DESTROY, 0xc2, 0, NULL);
	expect(1, 0xf0, "before");
	expect(1, 0xf1, "first");
	expect(1, 0xf2, "unknown(0xf2)");
	expect(1, 0xf3, "unknown(0xf3)");
	expect(1, 0xe0, "k");
	call(1, DESTROY, 0xc9, 0, NULL);	/* one that nobody saw begin */
	expect(1, 0xf0, "unknown(0xf0)");
	expect(1, 0xf1, "unknown(0xf1)");
	call(1, GET_FUNCTION, 0xf0, 0x10, "again");
	call(1, RESET, 0, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
	expect(1, 0xe0, "k");
}

/* Another context got the same handle before the call that destroyed this one had returned. */
static void test_context_that_ends_late(void **state)
{
	uint64_t begun;

	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "before");
	call(1, CREATE, 0xc1, 0, NULL);
	call(1, GET_FUNCTION, 0xf1, 0x11, "old");
	begun = now + 500;
	call(1, CREATE, 0xc1, 0, NULL);
	call(1, GET_FUNCTION, 0xf2, 0x12, "young");
	call_began(1, DESTROY, begun, 0xc1);
	expect(1, 0xf0, "before");
	expect(1, 0xf1, "unknown(0xf1)");
	expect(1, 0xf2, "young");
	call(1, DESTROY, 0xc1, 0, NULL);
	expect(1, 0xf0, "before");
	expect(1, 0xf2, "unknown(0xf2)");
}

/* The same twice before that call has returned: it ends neither of the two that came after. */
static void test_context_that_ends_very_late(void **state)
{
	uint64_t begun;

	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "before");
	call(1, CREATE, 0xc1, 0, NULL);
	begun = now + 500;
	call(1, CREATE, 0xc1, 0, NULL);
	call(1, DESTROY, 0xc1, 0, NULL);
	call(1, CREATE, 0xc1, 0, NULL);
	call(1, GET_FUNCTION, 0xf1, 0x11, "youngest");
	call_began(1, DESTROY, begun, 0xc1);
	expect(1, 0xf1, "youngest");
	call(1, DESTROY, 0xc1, 0, NULL);
	expect(1, 0xf0, "before");
	expect(1, 0xf1, "unknown(0xf1)");
}

/* A handle whose module nobody knows ends with any of them. */
static void test_asked_name(void **state)
{
	(void)state;
	call(1, FUNC_NAME, 0x7000, 0xf0, "told");
	call(1, GET_FUNCTION, 0xf1, 0x10, "looked_up");
	call(1, FUNC_NAME, 0x7000, 0xf1, "looked_up");
	expect(1, 0xf0, "told");
	call(1, UNLOAD, 0x11, 0, NULL);
	expect(1, 0xf0, "unknown(0xf0)");
	expect(1, 0xf1, "looked_up");
}

static void test_exec_and_exit(void **state)
{
	(void)state;
	call(1, GET_FUNCTION, 0xf0, 0x10, "old");
	call(2, GET_FUNCTION, 0xf0, 0x10, "neighbour");
	task(1, XPT_TASK_EXEC, 0);
	expect(1, 0xf0, "unknown(0xf0)");
	call(1, GET_FUNCTION, 0xf0, 0x10, "new");
	expect(1, 0xf0, "new");
	task(1, XPT_TASK_EXIT, 0);
	expect(1, 0xf0, "unknown(0xf0)");	/* the process id is used again */
	expect(2, 0xf0, "neighbour");
}

static void test_fork(void **state)
{
	(void)state;
	call(1, REGISTER, 0x30, 0xa0, "stub");
	call(1, GET_FUNCTION, 0xf0, 0x10, "of_context");
	task(2, XPT_TASK_FORK, 1);
	call(1, REGISTER, 0x31, 0xa1, "later");
	expect(2, 0xa0, "stub");
	expect(2, 0xf0, "unknown(0xf0)");	/* contexts do not survive a fork */
	expect(2, 0xa1, "unknown(0xa1)");
	task(3, XPT_TASK_FORK, 2);
	expect(3, 0xa0, "stub");
	task(1, XPT_TASK_EXIT, 0);
	expect(2, 0xa0, "stub");
	call(2, RT_KERNEL, 0xe0, 0xa0, NULL);
	expect(2, 0xe0, "stub");
	call(2, UNREGISTER, 0x30, 0, NULL);
	expect(2, 0xa0, "unknown(0xa0)");
	task(3, XPT_TASK_EXEC, 0);
	expect(3, 0xa0, "unknown(0xa0)");
}

/* Each process forks and ends: of those that are over nothing is kept. */
static void test_chain_of_forks(void **state)
{
	size_t before = 0;

	(void)state;
	call(1, REGISTER, 0x30, 0xa0, "stub");
	for (uint32_t i = 1; i <= 300000; i++) {
		if (i == 150000)	/* other tables have their size by then */
			before = mallinfo2().uordblks;
		task(1 + i % 100, XPT_TASK_FORK, 1 + (i - 1) % 100);
		task(1 + (i - 1) % 100, XPT_TASK_EXIT, 0);
		if (i == 1000)
			expect(1 + i % 100, 0xa0, "stub");
	}
	assert_true(mallinfo2().uordblks < before + (1 << 20));
}

/* The table is full: the oldest names go and are counted, none becomes wrong. */
static void test_full(void **state)
{
	const uint64_t more = 1000, nr = XPT_MAX_NAMES + more;
	char name[32];

	(void)state;
	for (uint64_t i = 1; i <= nr; i++) {
		snprintf(name, sizeof(name), "k%llu", (unsigned long long)i);
		call(1, GET_FUNCTION, i << 4, 0x10, name);
	}
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), more);
	expect(1, more << 4, "unknown(0x3e80)");
	expect(1, (more + 1) << 4, "k1001");
	expect(1, nr << 4, name);
}

/* Long names beyond the bytes that all may take: likewise. */
static void test_full_of_text(void **state)
{
	char name[1000];

	(void)state;
	memset(name, 'n', sizeof(name));
	for (unsigned i = 1; i <= 40000; i++) {
		snprintf(name + 900, sizeof(name) - 900, "%u", i);
		call(1, GET_FUNCTION, (uint64_t)i << 4, 0x10, name);
	}
	assert_true(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED) > 1000);
	expect(1, 1 << 4, "unknown(0x10)");
	expect(1, (uint64_t)40000 << 4, name);
}

/* Against a model: a map that is searched from the end, and modules that end. */
static void test_random(void **state)
{
	static struct { uint64_t handle, module; int name; } log[4000];
	unsigned nr = 0, seed = 1;
	char name[32], want[32];

	(void)state;
	for (unsigned i = 0; i < 20000 && nr < 4000; i++) {
		unsigned r = (seed = seed * 1103515245 + 12345) >> 8;
		uint64_t handle = 0x100 + r % 50, module = 1 + r / 50 % 8;
		unsigned k;

		switch (r / 400 % 4) {
		case 0:
			snprintf(name, sizeof(name), "k%u", i);
			call(1, GET_FUNCTION, handle, module, name);
			log[nr].handle = handle;
			log[nr].module = module;
			log[nr++].name = (int)i;
			break;
		case 1:
			call(1, i & 1 ? UNLOAD : LOAD, module, 0, NULL);
			for (k = 0; k < nr; k++)
				if (log[k].module == module)
					log[k].name = -1;
			break;
		default:
			for (k = nr; k && log[k - 1].handle != handle; k--)
				;
			if (k && log[k - 1].name >= 0)
				snprintf(want, sizeof(want), "k%d", log[k - 1].name);
			else
				snprintf(want, sizeof(want), "unknown(0x%llx)",
					 (unsigned long long)handle);
			expect(1, handle, want);
		}
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_look_up), T(test_failed_look_up), T(test_in_flight),
		T(test_handle_of_another_kernel), T(test_unload_and_reuse), T(test_unload_that_returns_late), T(test_alias),
		T(test_module_of_library), T(test_registration), T(test_contexts), T(test_context_that_ends_late), T(test_context_that_ends_very_late),
		T(test_asked_name), T(test_exec_and_exit), T(test_fork), T(test_chain_of_forks), T(test_full),
		T(test_full_of_text), T(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
