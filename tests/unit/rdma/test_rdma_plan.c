/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdma/plan/prune.h on graphs made by hand, a function at a time; names of methods; versions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/plan/prune.h"
#include "wire/rdma.h"
#include "rdma_graph_valid.h"

enum { MAX = 128, NO_ERRNO = 0 };

static char text[8192];
static struct xpt_rdma_module modules[1];
static struct xpt_rdma_fn fns[MAX];
static struct xpt_rdma_call calls[MAX * 2];
static int32_t errnos[MAX];
static struct xpt_rdma_site sites[MAX];
static struct xpt_rdma_root roots[4];
static uint32_t extras[4];
static struct xpt_rdma_graph g;
static struct xpt_rdma_limits limits;
static struct xpt_rdma_plan *plan;

static uint32_t put(const char *s)
{
	uint32_t at = g.nr_text;

	assert_true(g.nr_text + strlen(s) + 1 < sizeof(text));
	memcpy(text + at, s, strlen(s) + 1);
	g.nr_text += (uint32_t)strlen(s) + 1;
	return at;
}

static int setup(void **state)
{
	(void)state;
	memset(text, 0, sizeof(text));
	memset(fns, 0, sizeof(fns));
	memset(roots, 0, sizeof(roots));
	g = (struct xpt_rdma_graph){ .text = text, .modules = modules, .fns = fns, .calls = calls,
		.errnos = errnos, .sites = sites, .roots = roots, .extras = extras, .nr_modules = 1 };
	limits = (struct xpt_rdma_limits){ .depth = XPT_RDMA_DEPTH, .budget = XPT_RDMA_BUDGET,
					   .kernel_minor = 7002 };
	put("");
	modules[0] = (struct xpt_rdma_module){ .name = put("ib_uverbs") };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	xpt_rdma_plan__free(plan);
	plan = NULL;
	return 0;
}

/* A function of the module that returns int, can be traced, and has BTF. */
static uint32_t fn(const char *name, int32_t code)
{
	fns[g.nr_fns] = (struct xpt_rdma_fn){ .name = put(name), .ret = XPT_RDMA_RET_INT, .nr_args = 2,
		.flags = XPT_RDMA_FN_TRACEABLE | XPT_RDMA_FN_BTF, .first_errno = g.nr_errnos };
	if (code) {
		fns[g.nr_fns].nr_errnos = 1;
		errnos[g.nr_errnos++] = code;
	}
	return g.nr_fns++;
}

/* The calls of a function must be added one after the other. */
static void call(uint32_t from, uint32_t to)
{
	if (!fns[from].nr_calls++)
		fns[from].first_call = g.nr_calls;
	calls[g.nr_calls++] = (struct xpt_rdma_call){ .callee = to };
}

static void root(const char *name, const char *object, uint32_t handler)
{
	roots[g.nr_roots++] = (struct xpt_rdma_root){ .name = put(name), .object = put(object),
		.fn = handler, .route = *object ? XPT_RDMA_IOCTL : XPT_RDMA_WRITE };
}

static const struct xpt_rdma_step *step(uint32_t f)
{
	uint32_t i;

	for (i = 0; i < plan->nr; i++)
		if (plan->steps[i].fn == f)
			return &plan->steps[i];
	return NULL;
}

static void make(uint32_t r)
{
	xpt_rdma_plan__free(plan);
	plan = NULL;
	assert_true(graph_is_valid(&g));
	assert_int_equal(xpt_rdma_plan__make(&g, r, &limits, &plan), 0);
}

static int32_t errno_of_it = -5;

/* What becomes of a function with this name and result below a method. */
static int rule_of(const char *method, const char *name, enum xpt_rdma_ret ret)
{
	uint32_t h, f;

	setup(NULL);
	h = fn("handler", -22);
	f = fn(name, errno_of_it);
	fns[f].ret = (uint8_t)ret;
	call(h, f);
	root(method, "", h);
	make(0);
	assert_int_equal(step(h)->rule, XPT_RDMA_KEPT_ROOT);
	return step(f)->rule;
}

static void test_rules(void **state)
{
	(void)state;
	assert_int_equal(rule_of("modify_qp", "check_qp", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("modify_qp", "check_qp", XPT_RDMA_RET_LONG), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("modify_qp", "check_qp", XPT_RDMA_RET_POINTER), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("modify_qp", "check_qp", XPT_RDMA_RET_VOID), XPT_RDMA_R3);
	assert_int_equal(rule_of("modify_qp", "check_qp", XPT_RDMA_RET_BOOL), XPT_RDMA_R3);
	assert_int_equal(rule_of("modify_qp", "check_qp", XPT_RDMA_RET_UNSIGNED), XPT_RDMA_R3);
	assert_int_equal(rule_of("modify_qp", "check_qp", XPT_RDMA_RET_ENUM), XPT_RDMA_R3);
	assert_int_equal(rule_of("modify_qp", "ib_modify_qp_is_ok", XPT_RDMA_RET_BOOL),
			 XPT_RDMA_KEPT_CHOSEN);
	assert_int_equal(rule_of("modify_qp", "rdma_put_gid", XPT_RDMA_RET_INT), XPT_RDMA_R4);
	assert_int_equal(rule_of("modify_qp", "ib_destroy_qp", XPT_RDMA_RET_INT), XPT_RDMA_R4);
	assert_int_equal(rule_of("modify_qp", "input_qp", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("modify_qp", "rdma_get_gid_attr", XPT_RDMA_RET_POINTER), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("modify_qp", "rdma_get_ref", XPT_RDMA_RET_INT), XPT_RDMA_R5);
	assert_int_equal(rule_of("modify_qp", "fill_wqe", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	/* Names that only read or get: an error may begin there all the same, if it is in their code. */
	assert_int_equal(rule_of("modify_qp", "query_port.isra.0", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("modify_qp", "dev_get_slot", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("modify_qp", "cmd_poll", XPT_RDMA_RET_UNKNOWN), XPT_RDMA_KEPT);
	errno_of_it = NO_ERRNO;
	assert_int_equal(rule_of("modify_qp", "read_gid_rcu", XPT_RDMA_RET_INT), XPT_RDMA_R6);
	assert_int_equal(rule_of("modify_qp", "query_port.isra.0", XPT_RDMA_RET_INT), XPT_RDMA_R6);
	assert_int_equal(rule_of("modify_qp", "dev_get_slot", XPT_RDMA_RET_INT), XPT_RDMA_R5);
	assert_int_equal(rule_of("modify_qp", "dev_fill_res_mr", XPT_RDMA_RET_INT), XPT_RDMA_R6);
	errno_of_it = -5;
}

static void test_rules_of_methods(void **state)
{
	(void)state;
	assert_int_equal(rule_of("destroy_qp", "ib_destroy_qp", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("MR_DESTROY", "umem_unmap", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("dereg_mr", "ib_dealloc_pd", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	assert_int_equal(rule_of("destroy_qp", "qp_unlock", XPT_RDMA_RET_INT), XPT_RDMA_R4);
	assert_int_equal(rule_of("query_qp", "drv_query_qp", XPT_RDMA_RET_INT), XPT_RDMA_KEPT);
	errno_of_it = NO_ERRNO;
	assert_int_equal(rule_of("query_gid", "read_gid_rcu", XPT_RDMA_RET_POINTER), XPT_RDMA_R6);
	errno_of_it = -5;
}

/* What becomes of a look-up and of the one that it does, which has that errno or indirect call. */
static const char *lookups(int32_t code, uint32_t nr_sites, enum xpt_rdma_resolution how, bool all)
{
	uint32_t h, outer, inner;
	static char both[64];

	setup(NULL);
	limits.all = all;
	g.nr_sites = nr_sites;
	sites[0].resolution = how;
	h = fn("handler", -22);
	outer = fn("lookup_mr", 0);
	inner = fn("drv_pool_get_index", code);
	fns[outer].ret = fns[inner].ret = XPT_RDMA_RET_POINTER;
	fns[inner].nr_sites = nr_sites;
	call(h, outer);
	call(outer, inner);
	root("ADVISE_MR", "MR", h);
	make(0);
	snprintf(both, sizeof(both), "%d %d", step(outer)->rule, step(inner)->rule);
	return both;
}

/* Only those whose failure is NULL: what makes an errno, or calls nobody knows whom, stays. */
static void test_lookups(void **state)
{
	char gone[64], wrapped[64], stays[64];

	(void)state;
	snprintf(gone, sizeof(gone), "%d %d", XPT_RDMA_R5_LOOKUP, XPT_RDMA_R5_LOOKUP);
	snprintf(wrapped, sizeof(wrapped), "%d %d", XPT_RDMA_R8_WRAPPER, XPT_RDMA_KEPT);
	snprintf(stays, sizeof(stays), "%d %d", XPT_RDMA_KEPT, XPT_RDMA_KEPT);
	assert_string_equal(lookups(0, 0, XPT_RDMA_UNRESOLVED, false), gone);
	assert_string_equal(lookups(0, 1, XPT_RDMA_BY_NOBODY, false), gone);
	assert_string_equal(lookups(-2, 0, XPT_RDMA_UNRESOLVED, false), wrapped);
	assert_string_equal(lookups(0, 1, XPT_RDMA_UNRESOLVED, false), wrapped);
	assert_string_equal(lookups(0, 0, XPT_RDMA_UNRESOLVED, true), stays);
}

static void test_data_path(void **state)
{
	uint32_t h = fn("handler", 0), i;

	(void)state;
	root("post_send", "", h);
	root("create_qp", "", h);
	root("poll_cq", "CQ", h);	/* a method of that name is none of write(2) */
	root("poll_cq", "", h);
	roots[0].number = 28;
	roots[3].number = XPT_RDMA_COMMANDS;
	for (i = 0; i < 4; i++)
		assert_int_equal(xpt_rdma_root__is_data_path(&g, i), i == 0);
	roots[3].number = 21;
	assert_true(xpt_rdma_root__is_data_path(&g, 3));
}

static void test_not_traceable(void **state)
{
	uint32_t h = fn("handler", -22), a = fn("inlined", -5), k = fn("kernel_fn", 0),
		 b = fn("dma_buf_get", 0);

	(void)state;
	fns[a].flags = XPT_RDMA_FN_BTF;
	fns[k].module = fns[b].module = XPT_RDMA_KERNEL;
	call(h, a);
	call(h, k);
	call(h, b);
	root("reg_mr", "", h);
	make(0);
	assert_int_equal(step(a)->rule, XPT_RDMA_R2);
	assert_int_equal(step(k)->rule, XPT_RDMA_R1);
	assert_int_equal(step(b)->rule, XPT_RDMA_KEPT_BOUNDARY);
	assert_int_equal(plan->nr_kernel, 2);
	calls[1].narrowed = 1;
	make(0);
	assert_int_equal(step(k)->rule, XPT_RDMA_KEPT_BOUNDARY);
	assert_true(step(k)->narrowed);
	/* In a module, too, an unsigned result that becomes an int is worth a probe. */
	fns[a].flags = XPT_RDMA_FN_BTF | XPT_RDMA_FN_TRACEABLE;
	fns[a].ret = XPT_RDMA_RET_ULONG;
	make(0);
	assert_int_equal(step(a)->rule, XPT_RDMA_R3);
	calls[0].narrowed = 1;
	make(0);
	assert_int_equal(step(a)->rule, XPT_RDMA_KEPT);
}

/* Commands are made some layers deep in the module that the driver shares with others. */
static void test_shared_module(void **state)
{
	uint32_t f[10], i;
	char name[16];

	(void)state;
	for (i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		f[i] = fn(name, i == 9 ? NO_ERRNO : -22);
		if (i)
			call(f[i - 1], f[i]);
	}
	root("modify_qp", "", f[0]);
	make(0);
	assert_int_equal(step(f[5])->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(f[6])->rule, XPT_RDMA_R8_DEPTH);
	modules[0].vendor = XPT_RDMA_SHARED;
	make(0);
	assert_int_equal(step(f[8])->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(f[9])->rule, XPT_RDMA_R8_DEPTH);
	modules[0].vendor = XPT_RDMA_CORE_MODULE;
}

static int attach(uint32_t h, unsigned version)
{
	limits.kernel_minor = version;
	make(0);
	return step(h)->attach;
}

static void test_attach(void **state)
{
	uint32_t h = fn("handler", -22);

	(void)state;
	root("reg_mr", "", h);
	assert_int_equal(attach(h, 6001), XPT_RDMA_FEXIT);
	fns[h].nr_args = 7;
	assert_int_equal(attach(h, 6005), XPT_RDMA_KRETPROBE_ARGS);
	assert_int_equal(attach(h, 6006), XPT_RDMA_FEXIT);
	fns[h].nr_args = 6;
	fns[h].flags |= XPT_RDMA_FN_DOUBLE;
	assert_int_equal(attach(h, 6003), XPT_RDMA_KRETPROBE_DOUBLE);
	assert_int_equal(attach(h, 6004), XPT_RDMA_FEXIT);
	fns[h].flags |= XPT_RDMA_FN_VARARGS;
	assert_int_equal(attach(h, 7002), XPT_RDMA_KRETPROBE_VARARGS);
	fns[h].flags &= ~(uint32_t)XPT_RDMA_FN_BTF;
	assert_int_equal(attach(h, 7002), XPT_RDMA_KRETPROBE_BTF);
	assert_int_equal(plan->nr_fexit, 0);
}

/* handler -> wrapper -> inner -> ... : a chain of n below the wrapper. */
static void test_depth_and_wrappers(void **state)
{
	uint32_t h = fn("handler", -22), w = fn("wrapper", NO_ERRNO), last = w, i, chain[8];
	char name[16];

	(void)state;
	call(h, w);
	for (i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "inner%u", i);
		chain[i] = fn(name, -5);
		call(last, chain[i]);
		last = chain[i];
	}
	call(last, h);	/* a circle ends */
	root("modify_qp", "", h);
	make(0);
	assert_int_equal(step(w)->rule, XPT_RDMA_R8_WRAPPER);
	assert_int_equal(step(chain[3])->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(chain[3])->depth, 5);
	assert_int_equal(step(chain[4])->rule, XPT_RDMA_R8_DEPTH);
	assert_int_equal(plan->before_r8, 10);
	assert_int_equal(plan->nr_kept, 5);
	limits.depth = 1;
	make(0);
	/* What it passes on is dropped: now it is the one that tells. */
	assert_int_equal(step(w)->rule, XPT_RDMA_KEPT);
	limits.depth = 100;
	limits.budget = 3;
	make(0);
	assert_int_equal(plan->nr_kept, 3);
	assert_int_equal(step(chain[1])->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(chain[2])->rule, XPT_RDMA_R_BUDGET);
}

static void test_wrapper_of_what_fexit_cannot_see(void **state)
{
	uint32_t h = fn("handler", -22), w = fn("wrapper", NO_ERRNO), a = fn("inner.isra.0", -5);

	(void)state;
	fns[a].flags = XPT_RDMA_FN_TRACEABLE;
	fns[a].ret = XPT_RDMA_RET_UNKNOWN;
	call(h, w);
	call(w, a);
	root("modify_qp", "", h);
	make(0);
	assert_int_equal(step(w)->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(a)->attach, XPT_RDMA_KRETPROBE_BTF);
}

/* What it returns may be the low half of what that one returned: both must be seen. */
static void test_wrapper_that_narrows(void **state)
{
	uint32_t h = fn("handler", -22), w = fn("wrapper", NO_ERRNO), a = fn("wait", -110);

	(void)state;
	fns[a].ret = XPT_RDMA_RET_LONG;
	call(h, w);
	call(w, a);
	root("REG_DMABUF_MR", "MR", h);
	make(0);
	assert_int_equal(step(w)->rule, XPT_RDMA_R8_WRAPPER);
	calls[1].narrowed = 1;
	make(0);
	assert_int_equal(step(w)->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(a)->rule, XPT_RDMA_KEPT);
}

/* It may hand on what another one made: a function of the kernel, or a thread that it waits for. */
static void test_wrapper_of_others(void **state)
{
	uint32_t h = fn("handler", -22), w = fn("wrapper", NO_ERRNO), a = fn("inner", -5),
		 k = fn("kernel_fn", NO_ERRNO), v = fn("wait_for_completion", NO_ERRNO);

	(void)state;
	fns[k].module = fns[v].module = XPT_RDMA_KERNEL;
	fns[v].ret = XPT_RDMA_RET_VOID;
	call(h, w);
	call(w, a);
	call(w, k);
	root("reg_mr", "", h);
	make(0);
	assert_int_equal(step(w)->rule, XPT_RDMA_R8_WRAPPER);	/* nobody looks at what it returns */
	fns[k].flags |= XPT_RDMA_FN_RESULT_READ;
	make(0);
	assert_int_equal(step(w)->rule, XPT_RDMA_KEPT);
	calls[2].callee = v;
	make(0);
	assert_int_equal(step(w)->rule, XPT_RDMA_KEPT);
}

/* A name that undoes, but callers ask what it returned: an error may begin there. */
static void test_asked(void **state)
{
	uint32_t h = fn("handler", -22), f = fn("put_page_entry", -5);

	(void)state;
	call(h, f);
	root("reg_mr", "", h);
	make(0);
	assert_int_equal(step(f)->rule, XPT_RDMA_R4);
	fns[f].flags |= XPT_RDMA_FN_TAKEN;	/* a callback */
	make(0);
	assert_int_equal(step(f)->rule, XPT_RDMA_KEPT);
	fns[f].flags |= XPT_RDMA_FN_RESULT_UNREAD;
	make(0);
	assert_int_equal(step(f)->rule, XPT_RDMA_R4);
	fns[f].flags = XPT_RDMA_FN_TRACEABLE | XPT_RDMA_FN_BTF | XPT_RDMA_FN_RESULT_READ;
	make(0);
	assert_int_equal(step(f)->rule, XPT_RDMA_KEPT);
	fns[f].nr_errnos = 0;
	make(0);
	assert_int_equal(step(f)->rule, XPT_RDMA_R4);
}

/* In a driver errnos come back from too deep, if they can come up, and messages do not run through them. */
static void test_deep_errnos(void **state)
{
	uint32_t f[10], i, post = fn("ib_uverbs_post_send", -22);
	char name[16];

	(void)state;
	for (i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		f[i] = fn(name, i == 6 ? NO_ERRNO : -22);
		if (i)
			call(f[i - 1], f[i]);
	}
	call(post, f[9]);
	root("modify_qp", "", f[0]);
	modules[0].vendor = XPT_RDMA_DRIVER;
	make(0);
	assert_int_equal(step(f[6])->rule, XPT_RDMA_R8_DEPTH);	/* it only hands on */
	assert_int_equal(step(f[7])->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(f[9])->rule, XPT_RDMA_KEPT);
	limits.budget = 7;
	make(0);
	assert_int_equal(step(f[7])->rule, XPT_RDMA_KEPT);	/* the nearest first */
	assert_int_equal(step(f[8])->rule, XPT_RDMA_R8_DEPTH);
	limits.budget = XPT_RDMA_BUDGET;
	fns[f[3]].ret = XPT_RDMA_RET_VOID;	/* nothing comes up through it */
	make(0);
	assert_int_equal(step(f[7])->rule, XPT_RDMA_R8_DEPTH);
	fns[f[3]].ret = XPT_RDMA_RET_INT;
	calls[4].unread = 1;
	make(0);
	assert_int_equal(step(f[7])->rule, XPT_RDMA_R8_DEPTH);
	calls[4].unread = 0;
	root("post_send", "", post);
	make(0);
	assert_int_equal(step(f[8])->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(f[9])->rule, XPT_RDMA_R8_DEPTH);
	calls[7].kind = XPT_RDMA_LIKELY;	/* a guess is not followed that far */
	make(0);
	assert_int_equal(step(f[7])->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(f[8])->rule, XPT_RDMA_R8_DEPTH);
	modules[0].vendor = XPT_RDMA_CORE_MODULE;
}

/* Readers of RCU with an errno, unless drivers use them, who may do so for each packet. */
static void test_rcu(void **state)
{
	uint32_t h = fn("handler", -22), f = fn("find_ndev_rcu", -19);

	(void)state;
	call(h, f);
	root("ucma_bind", "", h);
	make(0);
	assert_int_equal(step(f)->rule, XPT_RDMA_KEPT);
	modules[0].vendor = XPT_RDMA_DRIVER;
	make(0);
	assert_int_equal(step(f)->rule, XPT_RDMA_R6);
	modules[0].vendor = XPT_RDMA_CORE_MODULE;
}

static void test_class_of_object(void **state)
{
	uint32_t h = fn("handler", -22), o = fn("other_handler", -22), d = fn("uverbs_free_qp", -16),
		 m = fn("uverbs_free_mr", -16), w = fn("ib_uverbs_destroy_qp", -22);

	(void)state;
	root("QP_DESTROY", "QP", h);
	root("MR_DESTROY", "MR", o);
	root("destroy_qp", "", w);
	root("QP_CREATE", "QP", o);
	roots[0].nr_extra = roots[1].nr_extra = roots[3].nr_extra = 1;
	roots[1].first_extra = 1;
	extras[0] = d;
	extras[1] = m;
	g.nr_extras = 2;
	make(0);
	assert_non_null(step(d));
	assert_null(step(m));
	make(2);
	assert_int_equal(step(d)->rule, XPT_RDMA_KEPT);
	assert_null(step(m));
	make(3);
	assert_null(step(d));
}

static void test_entries(void **state)
{
	uint32_t io = fn("ib_uverbs_ioctl", -14), verbs = fn("ib_uverbs_cmd_verbs", -2),
		 wr = fn("ib_uverbs_write", -14), look = fn("lookup", -2), h = fn("handler", -22);

	(void)state;
	call(verbs, look);
	root("QP_CREATE", "QP", h);
	root("modify_qp", "", h);
	make(0);
	assert_int_equal(plan->nr_entry, 2);
	assert_int_equal(step(io)->rule, XPT_RDMA_KEPT_ENTRY);
	assert_null(step(wr));
	assert_int_equal(step(look)->rule, XPT_RDMA_KEPT);
	assert_int_equal(step(look)->depth, 1);
	make(1);
	assert_int_equal(plan->nr_entry, 3);
	assert_null(step(look));
	assert_int_equal(plan->steps[3].fn, h);
}

static void test_names(void **state)
{
	(void)state;
	root("modify_qp", "", fn("a", 0));
	root("ex_modify_qp", "", 0);
	root("REG_DMABUF_MR", "MR", 0);
	root("QP_CREATE", "QP", 0);
	assert_true(xpt_rdma_root__matches(&g, 0, "modify_qp"));
	assert_true(xpt_rdma_root__matches(&g, 1, "modify_qp"));
	assert_true(xpt_rdma_root__matches(&g, 0, "MODIFY_QP"));
	assert_false(xpt_rdma_root__matches(&g, 0, "modify"));
	assert_false(xpt_rdma_root__matches(&g, 0, ""));
	assert_false(xpt_rdma_root__matches(&g, 0, "modify_qp_qp"));
	assert_true(xpt_rdma_root__matches(&g, 2, "reg_dmabuf_mr"));
	assert_true(xpt_rdma_root__matches(&g, 3, "create_qp"));
	assert_true(xpt_rdma_root__matches(&g, 2, "*dmabuf*"));
	assert_false(xpt_rdma_root__matches(&g, 0, "*dmabuf*"));
	assert_int_equal(xpt_rdma_version("6.1.0-50-amd64"), 6001);
	assert_int_equal(xpt_rdma_version("6.12"), 6012);
	assert_int_equal(xpt_rdma_version("linux"), 0);
	assert_int_equal(xpt_rdma_version(""), 0);
	assert_int_equal(xpt_rdma_version("99999999999999.1"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rules), TEST(test_rules_of_methods), TEST(test_lookups),
		TEST(test_data_path), TEST(test_not_traceable),
		TEST(test_attach), TEST(test_depth_and_wrappers),
		TEST(test_wrapper_that_narrows), TEST(test_shared_module), TEST(test_wrapper_of_what_fexit_cannot_see), TEST(test_class_of_object),
		TEST(test_wrapper_of_others), TEST(test_asked), TEST(test_deep_errnos), TEST(test_rcu),
		TEST(test_entries), TEST(test_names),
	};

	return cmocka_run_group_tests_name("rdma_plan", tests, NULL, NULL);
}
