/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From records of the kernel-side programs to traces: the tree, also of places
 * that lie and of calls that were cut; names of methods; errors, those that are
 * normal, and longs that became an int; how an error travelled.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "rdma/trace/rebuild.h"
#include "rdma/verdict/judge.h"
#include "rdma/trace/record.h"
#include "rdma/trace/trace_json.h"

/* Offsets in the text of the graph below. */
#define NAMES(x) x(ib_uverbs_ioctl) x(ib_uverbs_write) x(ib_uverbs_cmd_verbs) x(invoke) \
	x(ib_uverbs_modify_qp) x(modify_qp) x(rdma_get_gid_attr) x(ib_modify_qp_is_ok) x(map_pages) \
	x(wait_timeout) x(reg_dmabuf) x(destroy_handler) x(changed_isra) x(ib_uverbs_event_handler)

enum {
#define ID(n) F_##n,
	NAMES(ID)
	NR_FNS
};

static const uint8_t returns[NR_FNS] = {
	[F_ib_uverbs_ioctl] = XPT_RDMA_RET_LONG, [F_ib_uverbs_write] = XPT_RDMA_RET_LONG,
	[F_ib_uverbs_cmd_verbs] = XPT_RDMA_RET_INT, [F_invoke] = XPT_RDMA_RET_INT,
	[F_ib_uverbs_modify_qp] = XPT_RDMA_RET_INT, [F_modify_qp] = XPT_RDMA_RET_INT,
	[F_rdma_get_gid_attr] = XPT_RDMA_RET_POINTER, [F_ib_modify_qp_is_ok] = XPT_RDMA_RET_BOOL,
	[F_map_pages] = XPT_RDMA_RET_INT, [F_wait_timeout] = XPT_RDMA_RET_LONG, [F_reg_dmabuf] = XPT_RDMA_RET_INT,
	[F_destroy_handler] = XPT_RDMA_RET_INT, [F_changed_isra] = XPT_RDMA_RET_UNKNOWN,
	[F_ib_uverbs_event_handler] = XPT_RDMA_RET_VOID,
};

static char text[2048];
static uint32_t nr_text = 1;
static struct xpt_rdma_fn fns[NR_FNS];
static struct xpt_rdma_module mods[1];
static struct xpt_rdma_call calls[2];
static struct xpt_rdma_site open_site = { .resolution = XPT_RDMA_UNRESOLVED };
static struct xpt_rdma_root roots[8];
static struct xpt_rdma_graph g = { .text = text, .fns = fns, .modules = mods, .nr_modules = 1,
				   .nr_fns = NR_FNS, .roots = roots, .calls = calls,
				   .nr_calls = 2, .sites = &open_site, .nr_sites = 1 };
static struct xpt_rdma_watchlist *list;
static uint32_t id_of[NR_FNS];	/* in the list */

static uint32_t add_text(const char *s)
{
	uint32_t at = nr_text;

	nr_text += (uint32_t)snprintf(text + at, sizeof(text) - at, "%s", s) + 1;
	return at;
}

static void add_root(const char *name, const char *object, uint32_t fn, uint16_t route,
		     uint32_t object_id, uint32_t number)
{
	roots[g.nr_roots++] = (struct xpt_rdma_root){
		.name = add_text(name), .object = *object ? add_text(object) : 0, .fn = fn,
		.route = route, .number = number, .object_id = object_id,
	};
}

static int make(void **state)
{
	static const char *const names[] = {
#define NAME(n) #n,
		NAMES(NAME)
	};
	struct xpt_rdma_step steps[NR_FNS];
	struct xpt_rdma_plan plan = { .steps = steps, .nr = NR_FNS, .nr_kept = NR_FNS - 1 };
	struct xpt_rdma_plan *plans[] = { &plan, &plan };
	uint32_t i;

	(void)state;
	mods[0].name = add_text("ib_uverbs");
	for (i = 0; i < NR_FNS; i++) {
		fns[i].name = add_text(names[i]);
		fns[i].ret = returns[i];
		steps[i] = (struct xpt_rdma_step){ .fn = i };
	}
	g.release = add_text("6.1.0");
	/* wait_timeout is jumped to from map_pages */
	calls[0] = (struct xpt_rdma_call){ .callee = F_wait_timeout, .kind = XPT_RDMA_TAIL };
	fns[F_map_pages].nr_calls = 1;
	calls[1] = (struct xpt_rdma_call){ .callee = F_destroy_handler };
	fns[F_modify_qp].first_call = 1;
	fns[F_modify_qp].nr_calls = 1;
	add_root("INVOKE_WRITE", "DEVICE", F_invoke, XPT_RDMA_IOCTL, 0, 0);
	add_root("modify_qp", "", F_ib_uverbs_modify_qp, XPT_RDMA_WRITE, 0, 26);
	add_root("REG_DMABUF_MR", "MR", F_reg_dmabuf, XPT_RDMA_IOCTL, 7, 4);
	add_root("PD_DESTROY", "PD", F_destroy_handler, XPT_RDMA_IOCTL, 1, 0);
	add_root("QP_DESTROY", "QP", F_destroy_handler, XPT_RDMA_IOCTL, 4, 1);
	add_root("ex_create_qp", "", F_changed_isra, XPT_RDMA_WRITE_EX, 0, 24);
	assert_int_equal(xpt_rdma_watchlist__make(&g, plans, 2, true, &list), 0);
	for (i = 1; i <= list->nr; i++)
		id_of[xpt_rdma_watchlist__fn(list, i)] = i;
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	xpt_rdma_watchlist__free(list);
	return 0;
}

/* A record with room for more exits than are kept. */
static struct {
	struct xpt_wire_rdma_rec r;
	struct xpt_wire_rdma_exit e[XPT_RDMA_EXITS];
} rec;
static struct xpt_rdma_box box;

static void begin(void)
{
	memset(&rec, 0, sizeof(rec));
	rec.r.kind = XPT_RDMA_REC_CALL;
	rec.r.root = id_of[F_ib_uverbs_ioctl];
	memcpy(rec.r.comm, "sixteen.letters!", 16);
	memcpy(rec.r.device, "rxe0", 5);
}

static void returned(uint32_t fn, uint16_t place, int64_t ret)
{
	rec.e[rec.r.nr++] = (struct xpt_wire_rdma_exit){ .fn = id_of[fn], .place = place,
							 .ret = (uint64_t)ret };
}

static const struct xpt_rdma_trace *end(int64_t ret)
{
	rec.r.ret = ret;
	xpt_rdma_record__trace(list, &rec.r, 1000, &box);
	return &box.t;
}

/* "a0 b1 c1": functions with their depths. */
static const char *shape(const struct xpt_rdma_trace *t)
{
	static char buf[4096];
	size_t at = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < t->nr && at < sizeof(buf); i++)
		at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%s%s%u", i ? " " : "",
				       t->node[i].fn, t->node[i].depth);
	return buf;
}

static const char *chain(const struct xpt_rdma_trace *t)
{
	static char buf[4096];
	uint16_t v[XPT_RDMA_TRACE_NODES];
	uint32_t n = xpt_rdma_trace__chain(t, v, XPT_RDMA_TRACE_NODES), i;
	size_t at = 0;

	buf[0] = '\0';
	for (i = 0; i < n; i++)
		at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%s%s", i ? " " : "",
				       t->node[v[i]].fn);
	return buf;
}

static void bad_gid(void)
{
	begin();
	rec.r.has_header = 1;
	rec.r.handler = id_of[F_ib_uverbs_modify_qp];
	rec.r.value = XPT_RDMA_MODIFY | 1u << 8 | 2;
	returned(F_rdma_get_gid_attr, 7000, -61);
	returned(F_modify_qp, 7200, 0xffffffc3);	/* what is above an int is anything */
	returned(F_ib_uverbs_modify_qp, 7400, -61);
	returned(F_invoke, 7600, -61);
	returned(F_ib_uverbs_cmd_verbs, 7800, -61);
	returned(F_ib_uverbs_ioctl, 8000, -61);
}

static void test_tree(void **state)
{
	const struct xpt_rdma_trace *t;

	(void)state;
	bad_gid();
	t = end(-61);
	assert_string_equal(shape(t), "ib_uverbs_ioctl0 ib_uverbs_cmd_verbs1 invoke2 ib_uverbs_modify_qp3 "
			    "modify_qp4 rdma_get_gid_attr5");
	assert_string_equal(chain(t), "ib_uverbs_ioctl ib_uverbs_cmd_verbs invoke ib_uverbs_modify_qp "
			    "modify_qp rdma_get_gid_attr");
	assert_string_equal(t->method, "modify_qp");
	assert_string_equal(t->shape, "INIT>RTR");
	assert_string_equal(t->comm, "sixteen.letters!");
	assert_string_equal(t->device, "rxe0");
	assert_string_equal(t->kernel, "6.1.0");
	assert_int_equal(t->node[4].ret, -61);
	assert_true(t->node[4].flags & XPT_RDMA_NODE_FAILED);
	assert_false(xpt_rdma_trace__is_expected(t));
}

static bool only_rtr(void *ctx, uint32_t root, const char *shape, uint64_t start_ns)
{
	(void)start_ns;
	return root == *(uint32_t *)ctx && xpt_rdma_shape__matches("RTR", shape);
}

/* What a call shows beyond its method's plan is marked; what deeper ones alone show is dropped. */
static void test_beyond(void **state)
{
	struct xpt_rdma_step steps[] = { { .fn = F_ib_uverbs_ioctl }, { .fn = F_ib_uverbs_cmd_verbs },
					 { .fn = F_ib_uverbs_modify_qp }, { .fn = F_modify_qp } };
	struct xpt_rdma_plan plan = { .root = 1, .steps = steps, .nr = 4, .nr_kept = 4 };
	uint32_t had = list->nr_plain;
	const struct xpt_rdma_trace *t;

	(void)state;
	assert_int_equal(xpt_rdma_watchlist__own(list, &plan), 0);
	bad_gid();
	t = end(-61);
	assert_int_equal(t->nr, 6);
	assert_false(t->node[4].flags & XPT_RDMA_NODE_BEYOND);
	assert_true(t->node[2].flags & XPT_RDMA_NODE_BEYOND);	/* invoke */
	assert_true(t->node[5].flags & XPT_RDMA_NODE_BEYOND);
	assert_int_equal(t->flags, 0);
	list->nr_plain = id_of[F_rdma_get_gid_attr] - 1;
	bad_gid();
	t = end(-61);
	assert_string_equal(shape(t), "ib_uverbs_ioctl0 ib_uverbs_cmd_verbs1 invoke2 ib_uverbs_modify_qp3 "
			    "modify_qp4");
	list->is_deep = only_rtr;
	list->deep_ctx = &plan.root;
	bad_gid();
	t = end(-61);
	assert_int_equal(t->nr, 6);
	assert_int_equal(t->flags, XPT_RDMA_TRACE_DEEP);
	rec.r.value = XPT_RDMA_MODIFY | 1u << 8 | 3;
	assert_int_equal(end(-61)->nr, 5);
	/* Part of the plan is not watched. */
	list->nr_plain = 2;
	assert_int_equal(xpt_rdma_watchlist__own(list, &plan), 0);
	list->nr_plain = had;
	t = end(-61);		/* which functions that are is known: what the call shows is whole */
	assert_true(!t->flags && t->nr_unwatched == 3);
	assert_string_equal(t->unwatched[2], "modify_qp");
	list->is_deep = NULL;
	plan.nr_kept = 0;	/* a method of which nothing is to be shown: all is beyond */
	assert_int_equal(xpt_rdma_watchlist__own(list, &plan), 0);
	assert_false(end(-61)->node[0].flags & XPT_RDMA_NODE_BEYOND);	/* but not the call itself */
	free(list->own[plan.root]);
	list->own[plan.root] = NULL;
}

static void test_shapes(void **state)
{
	(void)state;
	assert_true(xpt_rdma_shape__matches("RTR", "INIT>RTR"));
	assert_true(xpt_rdma_shape__matches("INIT>*", "INIT>RTR"));
	assert_false(xpt_rdma_shape__matches("RT", "INIT>RTR"));
	assert_false(xpt_rdma_shape__matches("INIT", "INIT>RTR"));
	assert_true(xpt_rdma_shape__matches("*", ""));
	assert_true(xpt_rdma_shape__is_possible("RT?"));
	assert_true(xpt_rdma_shape__is_possible("attributes"));
	assert_false(xpt_rdma_shape__is_possible("RTX"));
}

/* Two callees at one place are siblings, unless one is known to jump to the other. */
static void test_siblings(void **state)
{
	const struct xpt_rdma_trace *t;

	(void)state;
	begin();
	returned(F_rdma_get_gid_attr, 7000, 1);
	returned(F_changed_isra, 7008, 0);
	returned(F_wait_timeout, 7000, 5);
	returned(F_map_pages, 7000, 0);
	returned(F_modify_qp, 7200, 0);
	returned(F_ib_uverbs_ioctl, 8000, 0);
	t = end(0);
	assert_string_equal(shape(t), "ib_uverbs_ioctl0 modify_qp1 rdma_get_gid_attr2 changed_isra2 "
			    "map_pages2 wait_timeout3");
	assert_string_equal(chain(t), "");
}

#define TEXT 0xffffffffc0000000ull	/* where the functions lie, */
#define SIZE 0x100u			/* and how far apart */
#define COLD_TEXT (TEXT + 0x8000)	/* modify_qp.cold, behind a symbol of no function */
#define TRAMPOLINE (TEXT + 0x900000)

static void read_owners(void)
{
	char path[] = "/tmp/xpt-kallsyms-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	uint32_t i;

	assert_non_null(f);
	fprintf(f, "%llx t printk_func\n", TEXT + 3 * SIZE + 8);	/* of the kernel itself */
	for (i = NR_FNS; i-- > 0;)
		fprintf(f, "%llx t %s\t[ib_uverbs]\n", TEXT + i * SIZE, xpt_rdma_fn_name(&g, i));
	fprintf(f, "%llx t modify_qp.cold\t[ib_uverbs]\n", COLD_TEXT);
	fprintf(f, "%llx t elsewhere\t[ext4]\n", TEXT + 5 * SIZE + 8);
	fclose(f);
	assert_int_equal(xpt_rdma_owners__new(&g, path, &list->owners), 0);
	unlink(path);
}

static void test_owners(void **state)
{
	struct xpt_rdma_owners *none = NULL;

	(void)state;
	read_owners();
	assert_int_equal(xpt_rdma_owners__find(list->owners, (uint32_t)TEXT), XPT_RDMA_NONE);
	assert_int_equal(xpt_rdma_owners__find(list->owners, (uint32_t)TEXT + 1), 0);
	/* A call may be the last thing in a function: its return address is in the next one. */
	assert_int_equal(xpt_rdma_owners__find(list->owners, (uint32_t)TEXT + 4 * SIZE), 3);
	assert_int_equal(xpt_rdma_owners__find(list->owners, (uint32_t)TEXT + 4 * SIZE + 1), 4);
	assert_int_equal(xpt_rdma_owners__find(list->owners, (uint32_t)COLD_TEXT + 5), F_modify_qp);
	assert_int_equal(xpt_rdma_owners__find(list->owners, (uint32_t)COLD_TEXT + 0x1001), XPT_RDMA_NONE);
	assert_int_equal(xpt_rdma_owners__find(list->owners, (uint32_t)TRAMPOLINE), XPT_RDMA_NONE);
	assert_int_equal(xpt_rdma_owners__find(list->owners, 0), XPT_RDMA_NONE);
	assert_int_equal(xpt_rdma_owners__new(&g, "/dev/null", &none), -ENOENT);
	assert_int_equal(xpt_rdma_owners__new(&g, "/nonexistent", &none), -ENOENT);
	xpt_rdma_owners__free(list->owners);
	list->owners = NULL;
}

/* The call graph has changed. */
static void fresh_reach(void)
{
	xpt_rdma_reach__free(list->reach);
	list->reach = xpt_rdma_reach__new(&g);
	assert_non_null(list->reach);
}

/* from: the function that was returned to, and where in it; or a probe's trampoline. */
static void returned_to(uint32_t fn, uint16_t place, uint64_t from)
{
	returned(fn, place, 0);
	rec.e[rec.r.nr - 1].from = (uint32_t)from;
}

/*
 * modify_qp calls rdma_get_gid_attr and then jumps to another function, which begins where
 * its frame was and so lies above that callee, too.
 */
static void test_tail_calls(void **state)
{
	(void)state;
	read_owners();
	/* fexit: the one that is jumped to returns to the trampoline of the one that jumped. */
	begin();
	returned_to(F_rdma_get_gid_attr, 6900, TEXT + F_modify_qp * SIZE + 0x20);
	returned_to(F_rdma_get_gid_attr, 6904, COLD_TEXT + 0x20);
	returned_to(F_changed_isra, 7000, TRAMPOLINE);
	returned_to(F_modify_qp, 7060, TEXT + F_invoke * SIZE + 0x20);
	returned_to(F_ib_uverbs_ioctl, 8000, 1);
	assert_string_equal(shape(end(0)), "ib_uverbs_ioctl0 modify_qp1 rdma_get_gid_attr2 "
			    "rdma_get_gid_attr2 changed_isra2");
	/* The same where nobody jumped: a function that nobody watches was called in between. */
	rec.e[2].from = (uint32_t)(TEXT + F_modify_qp * SIZE + 0x40);
	rec.e[0].from = (uint32_t)(TEXT + F_destroy_handler * SIZE + 0x20);
	assert_string_equal(shape(end(0)), "ib_uverbs_ioctl0 modify_qp1 rdma_get_gid_attr2 "
			    "rdma_get_gid_attr2 changed_isra2");
	rec.e[2].from = (uint32_t)TRAMPOLINE;
	/* What it calls itself stays below it. */
	rec.e[0].from = (uint32_t)(TEXT + F_changed_isra * SIZE + 0x20);
	rec.e[1].from = rec.e[0].from;
	assert_string_equal(shape(end(0)), "ib_uverbs_ioctl0 modify_qp1 changed_isra2 "
			    "rdma_get_gid_attr3 rdma_get_gid_attr3");
	/* A function between them that nobody watches: only modify_qp may call it. */
	rec.e[0].from = (uint32_t)(TEXT + F_destroy_handler * SIZE + 0x20);
	rec.e[1].from = rec.e[0].from;
	assert_string_equal(shape(end(0)), "ib_uverbs_ioctl0 modify_qp1 rdma_get_gid_attr2 "
			    "rdma_get_gid_attr2 changed_isra2");
	/* Unless it is not known what it calls. */
	fns[F_changed_isra].nr_sites = 1;
	fresh_reach();
	assert_string_equal(shape(end(0)), "ib_uverbs_ioctl0 modify_qp1 changed_isra2 "
			    "rdma_get_gid_attr3 rdma_get_gid_attr3");
	fns[F_changed_isra].nr_sites = 0;
	fresh_reach();
	/* kretprobes: both return to the caller of the one that jumped, from one place. */
	begin();
	returned_to(F_rdma_get_gid_attr, 6900, TEXT + F_map_pages * SIZE + 0x20);
	returned_to(F_wait_timeout, 7000, TEXT + F_invoke * SIZE + 0x20);
	returned_to(F_map_pages, 7000, TEXT + F_invoke * SIZE + 0x20);
	returned_to(F_ib_uverbs_ioctl, 8000, 1);
	assert_string_equal(shape(end(0)), "ib_uverbs_ioctl0 map_pages1 rdma_get_gid_attr2 wait_timeout2");
	/* Two calls, one after the other: they return to different places. */
	begin();
	returned_to(F_wait_timeout, 7000, TEXT + F_invoke * SIZE + 0x10);
	returned_to(F_rdma_get_gid_attr, 6900, TEXT + F_map_pages * SIZE + 0x20);
	returned_to(F_map_pages, 7000, TEXT + F_invoke * SIZE + 0x20);
	returned_to(F_ib_uverbs_ioctl, 8000, 1);
	assert_string_equal(shape(end(0)), "ib_uverbs_ioctl0 wait_timeout1 map_pages1 rdma_get_gid_attr2");
	xpt_rdma_owners__free(list->owners);
	list->owners = NULL;
}

static void test_narrowed(void **state)
{
	const struct xpt_rdma_trace *t;
	uint32_t i, marked = 0;

	(void)state;
	begin();
	rec.r.has_header = 1;
	rec.r.object = 7;
	rec.r.method = 4;
	returned(F_wait_timeout, 6800, INT64_MAX);
	returned(F_map_pages, 7000, 0xffffffff);
	returned(F_reg_dmabuf, 7400, -1);
	returned(F_ib_uverbs_ioctl, 8000, -1);
	t = end(-1);
	assert_string_equal(t->method, "REG_DMABUF_MR");
	assert_string_equal(t->object, "MR");
	for (i = 0; i < t->nr; i++)
		if (t->node[i].flags & XPT_RDMA_NODE_NARROWED)
			marked = i;
	assert_string_equal(t->node[marked].fn, "wait_timeout");
	assert_int_equal(t->node[marked].ret, INT64_MAX);
	assert_string_equal(chain(t), "ib_uverbs_ioctl reg_dmabuf map_pages wait_timeout");
	/* The function between the two is not watched: its caller's pointer tells. */
	rec.e[1] = (struct xpt_wire_rdma_exit){ .fn = id_of[F_rdma_get_gid_attr], .place = 7000,
						.ret = (uint64_t)-1 };
	assert_string_equal(chain(end(-1)), "ib_uverbs_ioctl reg_dmabuf rdma_get_gid_attr wait_timeout");
	/* ... unless something else made that error. */
	rec.e[2] = (struct xpt_wire_rdma_exit){ .fn = id_of[F_reg_dmabuf], .place = 7200,
						.ret = (uint64_t)-1 };
	rec.e[1].place = 6800;
	assert_string_equal(chain(end(-1)), "ib_uverbs_ioctl reg_dmabuf rdma_get_gid_attr");
	rec.e[1] = (struct xpt_wire_rdma_exit){ .fn = id_of[F_map_pages], .place = 7000 };
	/* a long that is a negative errno itself is handed on, not narrowed */
	rec.e[0].ret = (uint64_t)-512;
	rec.e[1].ret = (uint64_t)-512;
	t = end(-1);
	for (i = 0; i < t->nr; i++)
		assert_false(t->node[i].flags & XPT_RDMA_NODE_NARROWED);
}

/* Whether what wait_timeout returned is told as cut to an int, the types of both being what they are. */
static bool is_cut(uint8_t callee, uint8_t caller, uint64_t ret, uint64_t up)
{
	const struct xpt_rdma_trace *t;
	uint32_t i, cut = 0;

	fns[F_wait_timeout].ret = callee;
	fns[F_map_pages].ret = caller;
	begin();
	rec.r.has_header = 1;
	rec.r.object = 7;
	rec.r.method = 4;
	returned(F_wait_timeout, 6800, (int64_t)ret);
	returned(F_map_pages, 7000, (int64_t)up);
	returned(F_reg_dmabuf, 7400, (int32_t)up);
	returned(F_ib_uverbs_ioctl, 8000, (int32_t)up);
	t = end((int32_t)up);
	for (i = 0; i < t->nr; i++)
		cut += t->node[i].flags & XPT_RDMA_NODE_NARROWED && !strcmp(t->node[i].fn, "wait_timeout");
	fns[F_wait_timeout].ret = returns[F_wait_timeout];
	fns[F_map_pages].ret = returns[F_map_pages];
	return cut;
}

/* unsigned long, u64, ssize_t, and functions of which no types are known: by values. */
static void test_narrowed_by_value(void **state)
{
	static const uint8_t types[] = { XPT_RDMA_RET_LONG, XPT_RDMA_RET_ULONG, XPT_RDMA_RET_UNSIGNED,
					 XPT_RDMA_RET_UNKNOWN };
	unsigned i, k;

	(void)state;
	for (i = 0; i < sizeof(types); i++) {
		for (k = 0; k < 2; k++) {
			uint8_t caller = k ? XPT_RDMA_RET_UNKNOWN : XPT_RDMA_RET_INT;

			assert_true(is_cut(types[i], caller, INT64_MAX, 0xffffffff));
			assert_true(is_cut(types[i], caller, 0x12fffffff2, 0xfffffff2));
			assert_false(is_cut(types[i], caller, INT64_MAX, 0xfffffff2));	/* another one's */
			assert_false(is_cut(types[i], caller, (uint64_t)-14, 0xfffffff2));	/* an errno itself */
			assert_false(is_cut(types[i], caller, 5, 0xfffffff2));
		}
	}
	/* A size of 64 bits is no errno whatever its low half says; a negative errno in it is one. */
	assert_true(is_cut(XPT_RDMA_RET_ULONG, XPT_RDMA_RET_INT, 0xfffffff4, 0xfffffff4));
	assert_false(is_cut(XPT_RDMA_RET_ULONG, XPT_RDMA_RET_INT, (uint64_t)-12, 0xfffffff4));
	/* An int whose type is not known, and an address that ends in ones. */
	assert_false(is_cut(XPT_RDMA_RET_UNKNOWN, XPT_RDMA_RET_INT, 0xfffffff2, 0xfffffff2));
	assert_false(is_cut(XPT_RDMA_RET_UNSIGNED, XPT_RDMA_RET_INT, 0xfffffff2, 0xfffffff2));
	assert_false(is_cut(XPT_RDMA_RET_UNKNOWN, XPT_RDMA_RET_INT, 0xffff8880fffffff2, 0xfffffff2));
	assert_false(is_cut(XPT_RDMA_RET_POINTER, XPT_RDMA_RET_INT, INT64_MAX, 0xffffffff));
	assert_false(is_cut(XPT_RDMA_RET_BOOL, XPT_RDMA_RET_INT, INT64_MAX, 0xffffffff));
}

/* A driver that forgot the sign: those that handed the number up are on the way, another who counted to it is not. */
static void test_positive(void **state)
{
	const struct xpt_rdma_trace *t;
	char buf[16];
	uint32_t i;

	(void)state;
	begin();
	returned(F_wait_timeout, 6600, 22);
	returned(F_reg_dmabuf, 6800, 0);
	returned(F_map_pages, 6900, 22);
	returned(F_modify_qp, 7200, 22);
	returned(F_ib_uverbs_ioctl, 8000, 22);
	rec.r.why = XPT_RDMA_SENT_FAILED;
	t = end(22);
	assert_true(t->flags & XPT_RDMA_TRACE_POSITIVE);
	assert_int_equal(t->ret, -22);
	assert_string_equal(xpt_rdma_trace__error(t, buf, sizeof(buf)), "+22");
	assert_string_equal(chain(t), "ib_uverbs_ioctl modify_qp map_pages");
	for (i = 0; i < t->nr; i++)
		assert_true(strcmp(t->node[i].fn, "wait_timeout") != 0 || t->node[i].ret == 22);
	/* It is no failure if it is what the call was to return. */
	rec.r.why = XPT_RDMA_SENT_SAMPLE;
	t = end(22);
	assert_int_equal(t->flags & XPT_RDMA_TRACE_POSITIVE, 0);
	assert_int_equal(t->ret, 22);
	rec.r.why = 0;
}

static void test_predicate(void **state)
{
	const struct xpt_rdma_trace *t;

	(void)state;
	begin();
	returned(F_rdma_get_gid_attr, 7000, 1);
	returned(F_ib_modify_qp_is_ok, 7000, 0xffffff00);
	returned(F_modify_qp, 7200, -22);
	returned(F_ib_uverbs_ioctl, 8000, -22);
	t = end(-22);
	assert_string_equal(chain(t), "ib_uverbs_ioctl modify_qp ib_modify_qp_is_ok");
	assert_int_equal(t->node[3].ret, 0);
	/* A yes explains nothing. */
	rec.e[1].ret = 1;
	assert_string_equal(chain(end(-22)), "ib_uverbs_ioctl modify_qp");
}

static const char *normal(int64_t ret)
{
	static struct xpt_rdma_verdict v;

	xpt_rdma_judge(end(ret), NULL, NULL, &v);
	return v.expected ? v.expected : v.trial ? v.trial : "";
}

/* NCCL asks for a descriptor -1; the same error of another one, and elsewhere, is one. */
static void test_expected(void **state)
{
	const struct xpt_rdma_trace *t;

	(void)state;
	begin();
	rec.r.has_header = 1;
	rec.r.object = 7;
	rec.r.method = 4;
	rec.r.value = XPT_RDMA_ASKED_FD | UINT32_MAX;
	returned(F_reg_dmabuf, 7400, -EBADF);
	returned(F_ib_uverbs_ioctl, 8000, -EBADF);
	t = end(-EBADF);
	assert_string_equal(t->asked_name, "fd");
	assert_int_equal(t->asked, -1);
	assert_non_null(strstr(normal(-EBADF), "descriptor -1"));
	rec.r.value = XPT_RDMA_ASKED_FD | 7;
	assert_string_equal(normal(-EBADF), "");
	rec.r.value = 0;	/* not known */
	assert_string_equal(normal(-EBADF), "");
	rec.r.value = XPT_RDMA_ASKED_FD | UINT32_MAX;
	rec.r.method = 99;
	t = end(-EBADF);
	assert_string_equal(t->method, "object 7 method 99");
	assert_string_equal(normal(-EBADF), "");
	/* Normal at the top, but made by a function of which that is not said. */
	begin();
	rec.r.command = 26;
	returned(F_modify_qp, 7200, -EOPNOTSUPP);
	returned(F_ib_uverbs_modify_qp, 7400, -EOPNOTSUPP);
	returned(F_ib_uverbs_write, 8000, -EOPNOTSUPP);
	assert_string_equal(normal(-EOPNOTSUPP), "");
	rec.e[0].ret = 0;
	assert_non_null(strstr(normal(-EOPNOTSUPP), "goes on"));
	assert_false(xpt_rdma_trace__is_expected(end(-EOPNOTSUPP)));
}

static void test_methods(void **state)
{
	(void)state;
	begin();
	returned(F_ib_uverbs_write, 8000, -22);
	rec.r.command = 26;
	assert_string_equal(end(-22)->method, "modify_qp");
	rec.r.command = 0x80000000u | 24;
	assert_string_equal(end(-22)->method, "ex_create_qp");
	rec.r.command = 41;
	assert_string_equal(end(-22)->method, "write 41");
	/* A handler of several methods does not tell which. */
	rec.r.handler = id_of[F_destroy_handler];
	rec.r.has_header = 1;
	rec.r.object = 4;
	rec.r.method = 1;
	assert_string_equal(end(-22)->method, "QP_DESTROY");
}

static void test_values(void **state)
{
	const struct xpt_rdma_trace *t;

	(void)state;
	begin();
	returned(F_changed_isra, 7000, 0xfffffff2);	/* an int, of which nothing is known */
	returned(F_changed_isra, 7000, (int64_t)0xffff888012345ff2);	/* a pointer */
	returned(F_rdma_get_gid_attr, 7000, 0);
	returned(F_ib_uverbs_ioctl, 8000, 0);
	t = end(0);
	assert_int_equal(t->node[1].ret, -14);
	assert_true(t->node[1].flags & XPT_RDMA_NODE_FAILED);
	assert_false(t->node[2].flags & XPT_RDMA_NODE_FAILED);
	assert_false(t->node[3].flags & XPT_RDMA_NODE_FAILED);
	rec.e[0].fn = 0;	/* ids of nobody */
	rec.e[1].fn = UINT32_MAX;
	t = end(0);
	assert_string_equal(shape(t), "ib_uverbs_ioctl0 ?1 ?1 rdma_get_gid_attr1");
}

enum { KEPT = XPT_RDMA_FIRST + XPT_RDMA_LAST };

static void put_exit(uint32_t at, uint32_t nr, int64_t ret)
{
	rec.e[at] = (struct xpt_wire_rdma_exit){ .fn = id_of[F_modify_qp], .place = 7000, .nr = nr, .ns = nr,
						 .ret = (uint64_t)ret };
}

/* 150 steps, the last of which fails, and 150 that undo them: the one that failed stays, in its place. */
static void test_erred(void **state)
{
	const struct xpt_rdma_trace *t;
	uint32_t i, failed = 149, n = 300;

	(void)state;
	begin();
	for (i = 0; i < n; i++)
		if (i != failed)
			put_exit(i < XPT_RDMA_FIRST ? i : XPT_RDMA_FIRST +
				 (i - XPT_RDMA_FIRST - (i > failed)) % XPT_RDMA_LAST, i, i == n - 1 ? -28 : 0);
	put_exit(KEPT, failed, -28);
	i = XPT_RDMA_FIRST + (n - 2 - XPT_RDMA_FIRST) % XPT_RDMA_LAST;
	rec.e[i].place = 8000;
	rec.r.nr = n;
	rec.r.nr_erred = 1;
	assert_int_equal(xpt_rdma_nr_sent(n, 1), KEPT + 1);
	t = end(-28);
	assert_int_equal(t->nr, KEPT + 1);
	assert_int_equal(box.missing, n - KEPT - 1);
	assert_int_equal(t->node[XPT_RDMA_FIRST + 1].exit_ns, failed);
	assert_int_equal(t->node[XPT_RDMA_FIRST + 1].ret, -28);
	for (i = 2; i < t->nr; i++)
		assert_true(t->node[i].exit_ns > t->node[i - 1].exit_ns);
	rec.r.nr_erred = UINT32_MAX;	/* nothing is believed */
	assert_int_equal(xpt_rdma_nr_sent(n, UINT32_MAX), XPT_RDMA_EXITS);
	assert_int_equal(end(-28)->nr, XPT_RDMA_EXITS);
	rec.r.nr_erred = 0;
}

/* Returns that were missed while a call ran are not known to be of others. */
static void test_losing(void **state)
{
	(void)state;
	begin();
	returned(F_ib_uverbs_ioctl, 8000, -5);
	assert_false(end(-5)->flags & XPT_RDMA_TRACE_LOST);
	list->loses = true;
	assert_true(end(-5)->flags & XPT_RDMA_TRACE_LOST);
	list->loses = false;
}

/* The first ones and the last ones stay, in order. */
static void test_cut(void **state)
{
	const struct xpt_rdma_trace *t;
	uint32_t i, k;

	(void)state;
	begin();
	for (i = 0; i < KEPT + 5; i++) {
		k = i < XPT_RDMA_FIRST ? i : XPT_RDMA_FIRST + (i - XPT_RDMA_FIRST) % XPT_RDMA_LAST;
		rec.e[k] = (struct xpt_wire_rdma_exit){ .fn = id_of[F_modify_qp], .place = 7000, .ns = i };
	}
	rec.r.nr = i;
	rec.e[k].place = 8000;
	t = end(0);
	assert_int_equal(t->nr, KEPT);
	assert_int_equal(box.missing, 5);
	assert_true(t->flags & XPT_RDMA_TRACE_CUT);
	assert_true(t->flags & XPT_RDMA_TRACE_LOST);
	assert_int_equal(t->node[0].exit_ns, i - 1);
	for (k = 1; k < KEPT; k++)
		assert_int_equal(t->node[k].exit_ns, k <= XPT_RDMA_FIRST ? k - 1 : k + 4);
}

static uint32_t seed = 12345;

static uint32_t any(void)
{
	return seed = seed * 1664525u + 1013904223u, seed >> 8;
}

/* Whatever the places are: each node once, below the root, at most one deeper than the one before. */
static void test_lies(void **state)
{
	struct xpt_wire_rdma_exit e[XPT_RDMA_EXITS] = { { 0 } };
	uint16_t order[XPT_RDMA_EXITS], depth[XPT_RDMA_EXITS];
	bool seen[XPT_RDMA_EXITS];
	uint32_t round, n, i;

	(void)state;
	for (round = 0; round < 3000; round++) {
		n = 1 + any() % XPT_RDMA_EXITS;
		for (i = 0; i < n; i++)
			e[i].place = (uint16_t)(any() % (round % 3 ? 64 : 65536));
		xpt_rdma_rebuild(e, n, NULL, order, depth);
		memset(seen, 0, sizeof(seen));
		assert_int_equal(order[0], n - 1);
		assert_int_equal(depth[0], 0);
		for (i = 0; i < n; i++) {
			assert_true(order[i] < n && !seen[order[i]]);
			seen[order[i]] = true;
			assert_true(!i || (depth[i] && depth[i] <= depth[i - 1] + 1));
		}
	}
}

static void test_list(void **state)
{
	uint32_t i, twice = 0;

	(void)state;
	assert_int_equal(list->nr, NR_FNS);
	for (i = 0; i < list->nr; i++)
		twice += list->fn[i] == F_modify_qp;
	assert_int_equal(twice, 1);
	assert_int_equal(list->wish[id_of[F_ib_uverbs_ioctl] - 1].flags, XPT_RDMA_FN_IOCTL);
	assert_int_equal(list->wish[id_of[F_ib_uverbs_cmd_verbs] - 1].flags, XPT_RDMA_FN_HEADER);
	assert_int_equal(list->wish[id_of[F_reg_dmabuf] - 1].flags, XPT_RDMA_FN_HANDLER);
	assert_int_equal(list->wish[id_of[F_ib_uverbs_event_handler] - 1].flags, XPT_RDMA_FN_EVENT1);
	assert_int_equal(list->wish[id_of[F_ib_modify_qp_is_ok] - 1].err, XPT_RDMA_ERR_FALSE);
	assert_int_equal(list->wish[id_of[F_changed_isra] - 1].err, XPT_RDMA_ERR_EITHER);
	assert_int_equal(xpt_rdma_watchlist__fn(list, 0), XPT_RDMA_NONE);
	assert_int_equal(xpt_rdma_watchlist__fn(list, list->nr + 1), XPT_RDMA_NONE);
}

/* What is added for a while goes again, and nothing is there twice. */
static void test_more(void **state)
{
	struct xpt_rdma_step steps[2] = { { .fn = F_modify_qp }, { .fn = F_map_pages } };
	struct xpt_rdma_plan plan = { .steps = steps, .nr = 2, .nr_kept = 2 };
	struct xpt_rdma_step few[1] = { { .fn = F_ib_uverbs_ioctl } };
	struct xpt_rdma_plan small = { .steps = few, .nr = 1, .nr_kept = 1 }, *plans[] = { &small };
	struct xpt_rdma_watchlist *l;

	(void)state;
	assert_int_equal(xpt_rdma_watchlist__make(&g, plans, 1, false, &l), 0);
	assert_int_equal(xpt_rdma_watchlist__add(l, &plan), 2);
	assert_int_equal(xpt_rdma_watchlist__add(l, &plan), 0);
	assert_int_equal(xpt_rdma_watchlist__fn(l, 3), F_map_pages);
	xpt_rdma_watchlist__cut(l, 1);
	assert_int_equal(xpt_rdma_watchlist__fn(l, 2), XPT_RDMA_NONE);
	assert_int_equal(xpt_rdma_watchlist__add(l, &plan), 2);
	xpt_rdma_watchlist__free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree), cmocka_unit_test(test_beyond), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_siblings), cmocka_unit_test(test_owners),
		cmocka_unit_test(test_tail_calls),
		cmocka_unit_test(test_narrowed), cmocka_unit_test(test_narrowed_by_value), cmocka_unit_test(test_positive), cmocka_unit_test(test_predicate),
		cmocka_unit_test(test_expected), cmocka_unit_test(test_methods),
		cmocka_unit_test(test_values), cmocka_unit_test(test_cut), cmocka_unit_test(test_lies),
		cmocka_unit_test(test_erred), cmocka_unit_test(test_losing),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_more),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
