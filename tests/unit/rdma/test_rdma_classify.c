/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Classes of failures whose errno alone would mislead: memory that ran out and limits on it,
 * programs' mistakes that a driver refuses; and which lines of the log belong to a call.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/trace/evidence/log_clues.h"
#include "rdma/verdict/judge.h"

enum { MEGABYTE = 1 << 20 };

static struct xpt_rdma_node nodes[3];
static const char *lines[4];
static struct xpt_rdma_trace t;
static struct xpt_rdma_chain chain;

/* A call whose error began in a function of a module. */
static void begin(const char *method, const char *fn, const char *module, int error)
{
	memset(nodes, 0, sizeof(nodes));
	nodes[0] = (struct xpt_rdma_node){ .fn = "ib_uverbs_ioctl", .module = "ib_uverbs", .ret = -error,
					   .ret_type = XPT_RDMA_RET_LONG, .flags = XPT_RDMA_NODE_FAILED };
	nodes[1] = (struct xpt_rdma_node){ .fn = fn, .module = module, .ret = -error, .depth = 1,
					   .ret_type = XPT_RDMA_RET_INT, .flags = XPT_RDMA_NODE_FAILED };
	t = (struct xpt_rdma_trace){ .method = method, .object = "", .shape = "", .device = "mlx5_0",
		.driver = "mlx5_ib", .driver_version = "", .kernel = "k", .comm = "train", .cgroup = "",
		.container = "", .caller = "", .outer = "", .pid = 77, .tid = 78, .ret = -error, .nr = 2,
		.node = nodes, .log = lines };
	chain = (struct xpt_rdma_chain){ .nr = 2, .node = { 0, 1 } };
}

static void say(const char *line)
{
	lines[t.nr_log++] = line;
}

static const char *class_of(const struct xpt_rdma_diff *diff, const struct xpt_rdma_tree *good)
{
	static char buf[64];
	struct xpt_rdma_cause cause;

	xpt_rdma_classify(&t, &chain, diff, good, &cause);
	snprintf(buf, sizeof(buf), "%s %s", xpt_rdma_class_name(cause.cls), xpt_rdma_confidence_name(cause.confidence));
	return buf;
}

static const char *class(void)
{
	return class_of(NULL, NULL);
}

static void umem(uint64_t size)
{
	begin("reg_mr", "ib_umem_get", "ib_core", ENOMEM);
	nodes[1].ret_type = XPT_RDMA_RET_POINTER;
	nodes[1].nr_args = 1;
	nodes[1].arg_name[0] = "size";
	nodes[1].arg[0] = size;
}

static void test_umem(void **state)
{
	(void)state;
	umem(MEGABYTE);
	assert_string_equal(class(), "limits medium");	/* nothing is known of the process */
	t.lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_NO_CAP;
	t.lock_limit = 65536;
	assert_string_equal(class(), "limits high");
	t.lock_limit = 8 * MEGABYTE;
	assert_string_equal(class(), "limits medium");	/* what it has pinned already is not known */
	t.lock_known |= XPT_RDMA_LOCK_PINNED;
	assert_string_equal(class(), "kernel_memory medium");
	t.pinned = 8 * MEGABYTE - 4096;
	assert_string_equal(class(), "limits high");
	t.lock_limit = UINT64_MAX;
	assert_string_equal(class(), "kernel_memory medium");
	t.lock_limit = 65536;
	t.lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_CAP;
	assert_string_equal(class(), "kernel_memory medium");
	/* Pages were pinned, so the limit was not reached: the table for them got no memory. */
	umem(MEGABYTE);
	nodes[2] = (struct xpt_rdma_node){ .fn = "pin_user_pages_fast", .module = "kernel", .ret = 256, .depth = 2,
					   .ret_type = XPT_RDMA_RET_INT };
	t.nr = 3;
	assert_string_equal(class(), "kernel_memory medium");
}

/* What the classes' sentences are about. */
static const char *sentence(void)
{
	struct xpt_rdma_cause cause;

	xpt_rdma_classify(&t, &chain, NULL, NULL, &cause);
	return cause.sentence;
}

/* Memory for page faults on demand counts against no limit (drivers/infiniband/core/umem_odp.c). */
static void test_on_demand(void **state)
{
	(void)state;
	umem(MEGABYTE);
	nodes[1].fn = "ib_umem_odp_get";
	assert_string_equal(class(), "kernel_memory medium");
	t.lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_NO_CAP | XPT_RDMA_LOCK_PINNED;
	t.lock_limit = 65536;
	assert_string_equal(class(), "kernel_memory medium");
	assert_non_null(strstr(sentence(), "no limit of the process"));
}

/* Drivers that pin memory themselves look at the limit themselves, as siw of Linux 6.1: only the process tells. */
static void test_own_limit(void **state)
{
	(void)state;
	umem(MEGABYTE);
	nodes[1].fn = "siw_reg_user_mr";
	nodes[1].module = "siw";
	nodes[1].arg_name[0] = "len";
	assert_string_equal(class(), "resources medium");	/* nothing is known of the process */
	t.lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_NO_CAP;
	t.lock_limit = 65536;
	assert_string_equal(class(), "limits medium");
	t.lock_limit = 8 * MEGABYTE;
	assert_string_equal(class(), "resources medium");
	t.lock_known |= XPT_RDMA_LOCK_PINNED;
	t.pinned = 8 * MEGABYTE - 4096;
	assert_string_equal(class(), "limits medium");
	t.lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_CAP;
	assert_string_equal(class(), "resources medium");
	/* The limit was looked at below, and was not the reason. */
	t.lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_NO_CAP;
	t.lock_limit = 65536;
	nodes[2] = (struct xpt_rdma_node){ .fn = "ib_umem_get", .module = "ib_core", .ret = 4096, .depth = 2,
					   .ret_type = XPT_RDMA_RET_POINTER };
	t.nr = 3;
	assert_string_equal(class(), "resources medium");
}

/* Pages that are in CMA or ZONE_MOVABLE must be moved before they are pinned for long (mm/gup.c). */
static void test_pinning(void **state)
{
	static const char *const fns[] = { "pin_user_pages_fast", "pin_user_pages", "__gup_longterm_locked" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(fns) / sizeof(fns[0]); i++) {
		begin("reg_mr", fns[i], "kernel", ENOMEM);
		t.lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_NO_CAP;
		t.lock_limit = 65536;
		assert_string_equal(class(), "kernel_memory medium");
		assert_non_null(strstr(sentence(), "pinned"));
	}
}

static void test_log_decides(void **state)
{
	(void)state;
	umem(MEGABYTE);
	say("train: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP)");
	assert_string_equal(class(), "kernel_memory high");
	begin("create_qp", "mlx5_ib_create_qp", "mlx5_ib", ENOMEM);
	say("Memory cgroup out of memory: Killed process 4711 (other) total-vm:1kB");
	assert_string_equal(class(), "kernel_memory high");
	/* A call of the process that is killed is interrupted. */
	begin("reg_mr", "mlx5_cmd_exec", "mlx5_core", EINTR);
	assert_string_equal(class(), "busy medium");
	say("Out of memory: Killed process 77 (train) total-vm:1kB, anon-rss:1kB");
	assert_string_equal(class(), "kernel_memory high");
	begin("reg_mr", "mlx5_cmd_exec", "mlx5_core", EINTR);
	say("Out of memory: Killed process 770 (other) total-vm:1kB");	/* somebody else */
	assert_string_equal(class(), "busy medium");
	begin("reg_mr", "mlx5_cmd_exec", "mlx5_core", EINTR);
	say("Out of memory: Killed process 770 (77) total-vm:1kB");	/* a name */
	assert_string_equal(class(), "busy medium");
	begin("reg_mr", "mlx5_cmd_exec", "mlx5_core", EINTR);
	say("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/,"
	    "task=,pid=77,uid=0,pid=770,uid=0");
	assert_string_equal(class(), "busy medium");
	begin("reg_mr", "mlx5_cmd_exec", "mlx5_core", EINTR);
	say("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=train,pid=77,uid=0");
	assert_string_equal(class(), "kernel_memory high");
	begin("create_qp", "mlx5_ib_create_qp", "mlx5_ib", ENOMEM);
	say("train invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0");
	assert_string_equal(class(), "kernel_memory high");
	begin("reg_mr", "mlx5_ib_reg_user_mr", "mlx5_ib", EFAULT);	/* memory is not what that is about */
	say("Out of memory: Killed process 77 (train)");
	assert_string_equal(class(), "parameter medium");
}

/* Users choose names of processes and of files that crash: what these say decides nothing. */
static void test_log_forged(void **state)
{
	static const char *const forged[] = {
		"a.out[4711]: segfault at 0 ip 0 sp 0 error 4 in Memory cgroup out of memory: Killed process 77 (a)[1000]",
		"a.out[4711]: segfault at 0 ip 0 sp 0 error 4 in Out of memory: Killed process 77 (train)[400000+1000]",
		"a[1]: segfault at 0 ip 0 sp 0 error 4 in x: page allocation failure: order:4, mode:0x40cc0[400000+1000]",
		"a[1]: segfault at 0 ip 0 sp 0 error 4 in x invoked oom-killer: gfp_mask=0x100cca[400000+1000]",
		"Out of memory: [4711]: segfault at 0 ip 0 sp 0 error 4 in Killed process 77[400000+1000]",
		"x oom-kill:constraint=CONSTRAINT_MEMCG,pid=77",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		begin("reg_mr", "mlx5_cmd_exec", "mlx5_core", EINTR);
		say(forged[i]);
		assert_string_equal(class(), "busy medium");
		begin("create_qp", "mlx5_ib_create_qp", "mlx5_ib", ENOMEM);
		assert_string_equal(class(), "resources medium");
		say(forged[i]);
		assert_string_equal(class(), "resources medium");
	}
}

static void test_cgroup(void **state)
{
	(void)state;
	begin("CQ_CREATE", "ib_rdmacg_try_charge", "ib_core", EAGAIN);
	assert_string_equal(class(), "limits high");
	begin("CQ_CREATE", "ib_rdmacg_try_charge", "ib_core", ENOMEM);
	assert_string_equal(class(), "kernel_memory medium");
}

/* Mistakes of programs that good calls did not make: no defect of the driver. */
static void test_mistakes(void **state)
{
	struct xpt_rdma_diff diff = { .parted = XPT_RDMA_AT_RESULT, .node = 1 };
	struct xpt_rdma_tree *good = calloc(1, sizeof(*good));

	(void)state;
	assert_non_null(good);
	good->traces = 12;
	begin("MR_DESTROY", "rxe_dereg_mr", "rdma_rxe", EINVAL);	/* a memory window is bound */
	assert_string_equal(class_of(&diff, good), "parameter medium");
	begin("reg_mr", "siw_reg_user_mr", "siw", EINVAL);		/* a length of 0 */
	assert_string_equal(class_of(&diff, good), "parameter medium");
	begin("modify_qp", "support_fn", "ib_uverbs_support", EINVAL);	/* the core's own module on 7.2 */
	assert_string_equal(class_of(&diff, good), "parameter medium");
	begin("modify_qp", "mlx5_ib_modify_qp", "mlx5_ib", EINVAL);
	assert_string_equal(class_of(&diff, good), "parameter low");	/* however many good calls there are */
	assert_string_equal(class(), "parameter low");
	begin("modify_qp", "mlx5_ib_modify_qp", "mlx5_ib", EPERM);	/* of a driver a -1 may be anything */
	assert_string_equal(class_of(&diff, good), "limits low");
	assert_string_equal(class(), "limits low");
	begin("CQ_CREATE", "lookup_get_fd_uobject", "ib_uverbs", EBADF);	/* a channel of another context */
	assert_string_equal(class(), "parameter high");
	begin("alloc_pd", "ib_uverbs_write", "ib_uverbs", ENOSPC);	/* too little room for the answer */
	assert_string_equal(class(), "parameter medium");
	begin("alloc_pd", "mlx5_cmd_alloc_pd", "mlx5_ib", ENOSPC);
	assert_string_equal(class(), "resources medium");
	begin("reg_mr", "drv_key_new", "mlx5_ib", EBUSY);		/* no number is free */
	assert_string_equal(class(), "resources low");
	begin("dereg_mr", "drv_key_free", "mlx5_ib", EBUSY);
	assert_string_equal(class(), "busy medium");
	free(good);
}

static bool says(void (*print)(const struct xpt_rdma_verdict *v, struct xpt_strbuf *sb), const struct xpt_rdma_verdict *v,
		 const char *what)
{
	struct xpt_strbuf sb;
	bool does;

	xpt_strbuf__init(&sb, 1 << 16);
	print(v, &sb);
	does = strstr(xpt_strbuf__str(&sb), what);
	xpt_strbuf__free(&sb);
	return does;
}

static void print_text(const struct xpt_rdma_verdict *v, struct xpt_strbuf *sb)
{
	xpt_rdma_verdict__text(&t, v, false, sb);
}

static void print_brief(const struct xpt_rdma_verdict *v, struct xpt_strbuf *sb)
{
	xpt_rdma_verdict__brief(&t, v, sb);
}

static void print_json(const struct xpt_rdma_verdict *v, struct xpt_strbuf *sb)
{
	xpt_rdma_verdict__json(&t, v, sb);
}

/* Where returns were lost the verdict says so, and is less sure. */
static void test_doubt(void **state)
{
	struct xpt_rdma_verdict v;

	(void)state;
	begin("modify_qp", "rdma_get_gid_attr", "ib_core", ENODATA);
	xpt_rdma_judge(&t, NULL, NULL, &v);
	assert_int_equal(v.cause.confidence, XPT_RDMA_HIGH);
	assert_false(says(print_text, &v, "Uncertain"));
	t.flags |= XPT_RDMA_TRACE_LOST;
	xpt_rdma_judge(&t, NULL, NULL, &v);
	assert_int_equal(v.cause.confidence, XPT_RDMA_MEDIUM);
	assert_true(says(print_text, &v, "Uncertain: returns of functions were lost"));
	assert_true(says(print_brief, &v, "uncertain: returns of functions were lost"));
	assert_true(says(print_json, &v, "\"uncertain\":\"returns of functions were lost"));
}

static void test_relevance(void **state)
{
	static const char *const log[] = {
		"mlx5_core 0000:3b:00.0: mlx5_0: something of the device", "usb 1-1: new device",
		"train[78]: of the process", "e1000e: link is up", "trainer: 77x is no word of ours",
		"audit: one", "audit: two",
	};
	const char *v[4];

	(void)state;
	begin("reg_mr", "f", "mlx5_ib", EINVAL);
	assert_int_equal(xpt_rdma_log__pick(&t, log, 7, v, 2), 2);
	assert_ptr_equal(v[0], log[0]);
	assert_ptr_equal(v[1], log[2]);
	assert_int_equal(xpt_rdma_log__pick(&t, log, 7, v, 4), 4);	/* and the latest of the others */
	assert_ptr_equal(v[2], log[5]);
	assert_ptr_equal(v[3], log[6]);
	assert_int_equal(xpt_rdma_log__pick(&t, log, 1, v, 4), 1);
	assert_int_equal(xpt_rdma_log__pick(&t, log, 0, v, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_umem), cmocka_unit_test(test_on_demand), cmocka_unit_test(test_pinning),
		cmocka_unit_test(test_own_limit), cmocka_unit_test(test_log_decides), cmocka_unit_test(test_log_forged), cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_mistakes), cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_relevance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
