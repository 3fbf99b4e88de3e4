/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Handles that are given out again before the call that destroyed their object has
 * returned: streams, events, contexts, modules, graphs, pinned ranges. Threads make and
 * destroy objects in any order, and a model knows which object each handle stands for.
 * The object that a program can use must be known as itself after every call; where all
 * is destroyed and every call has returned, nothing may be left. Memory of all kinds has
 * test_ledger.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "unit/feed_model.h"
#include "model/call.h"
#include "model/memory/contexts.h"
#include "model/memory/graph_nodes.h"
#include "model/memory/pinned.h"
#include "pipeline/calls/capturing.h"
#include "pipeline/calls/names.h"

const struct xpt_domain *const xpt_domains[] = { NULL };
const size_t xpt_nr_domains;

#define NR_THREADS 6
#define NR_HANDLES 2
#define STEPS 400
#define ROUNDS 200
#define MAX_GENS (STEPS + NR_HANDLES)
#define EVENT_OF(handle) ((handle) + 0x8)
#define FUNC_OF(handle) ((handle) + 0x4)

enum doing { NOTHING, MAKING, DESTROYING };
enum place { FREE, USED, GOING };	/* GOING: a call destroys it, the driver has it still */

struct thread {
	enum doing what;
	uint64_t start_ns;
	unsigned handle, gen;
};

struct object {
	uint64_t handle, made_ns;
	bool seen, gone, block_gone;	/* seen: its making was; block_gone: with its context */
};

struct model {
	struct thread thread[NR_THREADS];
	enum place place[NR_HANDLES];
	unsigned gen[NR_HANDLES], nr_gens, nr_handles;
	struct object object[MAX_GENS];
	uint64_t now, overtaken;
};

static struct xpt_fn make_context, end_context, make_graph, add_node, launch_graph, end_graph, load, find, unload,
	launch, make_stream, end_stream, begin_capture, record, wait, work, pin, unpin;
static struct xpt_proc train;
static struct xpt_contexts *contexts;
static struct xpt_graph_nodes *nodes;
static struct xpt_names *names;
static struct xpt_capturing *capturing;
static struct xpt_pinned *pinned;
static uint64_t evicted, seed;

static uint64_t rnd(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % n;
}

static void make_functions(void)
{
	make_context = FEED_FN("ctxCreate", INIT, NONE, XPT_ROLE_CONTEXT, XPT_ROLE_CURRENT, XPT_ROLE_DEVICE);
	end_context = FEED_FN("ctxDestroy", RESET, NONE, XPT_ROLE_CONTEXT);
	make_graph = FEED_FN("graphCreate", CREATE, GRAPH, XPT_ROLE_HANDLE);
	add_node = FEED_FN("addAlloc", MODIFY, GRAPH, XPT_ROLE_GRAPH, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	launch_graph = FEED_FN("graphLaunch", LAUNCH, NONE, XPT_ROLE_GRAPH);
	end_graph = FEED_FN("graphDestroy", DESTROY, GRAPH, XPT_ROLE_HANDLE);
	load = FEED_FN("load", LOAD, NONE, XPT_ROLE_MODULE);
	find = FEED_FN("find", QUERY, NONE, XPT_ROLE_FUNC, XPT_ROLE_MODULE, XPT_ROLE_NAME);
	unload = FEED_FN("unload", UNLOAD, NONE, XPT_ROLE_MODULE);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_FUNC);
	make_stream = FEED_FN("make", CREATE, NONE, XPT_ROLE_HANDLE);
	end_stream = FEED_FN("destroy", DESTROY, NONE, XPT_ROLE_HANDLE);
	begin_capture = FEED_FN("begin", MODIFY, GRAPH, XPT_ROLE_STREAM);
	record = FEED_FN("record", RECORD, NONE, XPT_ROLE_STREAM, XPT_ROLE_EVENT);
	wait = FEED_FN("wait", OTHER, NONE, XPT_ROLE_STREAM, XPT_ROLE_EVENT);
	work = FEED_FN("copy", COPY, NONE, XPT_ROLE_STREAM);
	pin = FEED_FN("pin", REGISTER, REGISTERED, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	unpin = FEED_FN("unpin", DEREGISTER, REGISTERED, XPT_ROLE_ADDR);
	make_context.cap[0].op = load.cap[0].op = find.cap[0].op = XPT_CAP_OUT;
	find.cap[2].op = XPT_CAP_STR;
	train = feed_proc(1, "train");
}

static struct xpt_call call_of(const struct xpt_fn *fn, uint32_t tid, uint64_t start_ns, uint64_t end_ns,
			       const uint64_t *val)
{
	return (struct xpt_call){ .fn = fn, .proc = &train, .tid = tid, .comm = "", .valid = 7,
				  .nr_vals = fn->nr_caps, .val = val, .start_ns = start_ns,
				  .dur_ns = end_ns - start_ns };
}

static struct xpt_call name_call(const struct xpt_fn *fn, uint32_t tid, uint64_t start_ns, uint64_t end_ns,
				 const uint64_t *val, const char *str)
{
	struct xpt_call c = call_of(fn, tid, start_ns, end_ns, val);
	struct xpt_names_use use;

	c.str = str;
	c.str_len = (uint16_t)(str ? strlen(str) + 1 : 0);
	xpt_names__use(fn, &use);
	xpt_names__call(names, &use, &c, true);
	return c;
}

static bool stream_call(const struct xpt_fn *fn, uint32_t tid, uint64_t start_ns, uint64_t end_ns,
			uint64_t a, uint64_t b)
{
	uint64_t val[] = { a, b, 0 };
	struct xpt_call c = call_of(fn, tid, start_ns, end_ns, val);

	return xpt_capturing__call(capturing, xpt_capturing__act(fn), &c);
}

/* --- what threads do ------------------------------------------------------------------ */

/* The new object gets a state that tells it from the one that had its handle before. */
static void mark(struct model *m, uint32_t tid, uint64_t handle, unsigned gen)
{
	uint64_t at = ++m->now, val[] = { FUNC_OF(handle), handle, 0 }, node[] = { handle, 0x1000 + gen, 64 };
	struct xpt_call c = call_of(&add_node, tid, at, at, node);
	char text[16];

	assert_true(xpt_graph_nodes__call(nodes, &c));
	snprintf(text, sizeof(text), "k%u", gen);
	name_call(&find, tid, at, at, val, text);
	if (gen % 2)
		stream_call(&begin_capture, tid, at, at, handle, 0);
	if (gen % 4 == 1)
		stream_call(&record, tid, at, at, handle, EVENT_OF(handle));
	m->object[gen].made_ns = at;
}

static void made(struct model *m, uint32_t tid, uint64_t start_ns, unsigned handle_nr)
{
	uint64_t handle = 0x100 * (handle_nr + 1), end_ns = m->now, val[] = { handle, XPT_CURRENT_PUSH, 0 };
	struct xpt_call c = call_of(&make_context, tid, start_ns, end_ns, val), g;
	uint64_t range[] = { handle, 16 };

	xpt_contexts__call(contexts, &c);
	if (m->nr_handles == 1)	/* a name of a function does not say of which context it is */
		name_call(&make_context, tid, start_ns, end_ns, val, NULL);
	name_call(&load, tid, start_ns, end_ns, val, NULL);
	g = call_of(&make_graph, tid, start_ns, end_ns, val);
	assert_true(xpt_graph_nodes__call(nodes, &g));
	stream_call(&make_stream, tid, start_ns, end_ns, handle, 0);
	stream_call(&make_stream, tid, start_ns, end_ns, EVENT_OF(handle), 0);
	g = call_of(&pin, tid, start_ns, end_ns, range);
	xpt_pinned__call(pinned, &g);
	m->gen[handle_nr] = m->nr_gens;
	m->object[m->nr_gens++] = (struct object){ .handle = handle, .seen = true };
	mark(m, tid, handle, m->gen[handle_nr]);
}

/* Blocks of contexts: those that the call says are gone. */
static void end_contexts(struct model *m, const struct xpt_call *c)
{
	struct xpt_ending e = xpt_contexts__end(contexts, c);

	for (unsigned i = 0; i < m->nr_gens; i++) {
		struct object *o = &m->object[i];
		struct xpt_place at = { o->handle, 0 };

		if (o->seen && xpt_ending__takes(&e, at, o->made_ns))
			o->block_gone = true;
	}
}

static void destroyed(struct model *m, uint32_t tid, const struct thread *t)
{
	uint64_t handle = 0x100 * (t->handle + 1), val[] = { handle, 0, 0 };
	struct xpt_call c = call_of(&end_context, tid, t->start_ns, m->now, val);

	m->overtaken += m->gen[t->handle] != t->gen;
	end_contexts(m, &c);
	name_call(&unload, tid, t->start_ns, m->now, val, NULL);
	if (m->nr_handles == 1)
		name_call(&end_context, tid, t->start_ns, m->now, val, NULL);
	c = call_of(&end_graph, tid, t->start_ns, m->now, val);
	assert_true(xpt_graph_nodes__call(nodes, &c));
	stream_call(&end_stream, tid, t->start_ns, m->now, EVENT_OF(handle), 0);
	stream_call(&end_stream, tid, t->start_ns, m->now, handle, 0);
	c = call_of(&unpin, tid, t->start_ns, m->now, val);
	xpt_pinned__call(pinned, &c);
	m->object[t->gen].gone = true;
	assert_true(!m->object[t->gen].seen || m->object[t->gen].block_gone);
}

static void begin(struct model *m, struct thread *t, bool may_make)
{
	unsigned h = (unsigned)rnd(m->nr_handles);

	*t = (struct thread){ .start_ns = m->now, .handle = h, .gen = m->gen[h] };
	if (m->place[h] == USED) {
		t->what = DESTROYING;
		m->place[h] = GOING;
	} else if (may_make && m->place[h] == FREE) {
		t->what = MAKING;
	}
}

/* A handle that was free when the making began may be another's by now. */
static void end(struct model *m, struct thread *t)
{
	uint32_t tid = (uint32_t)(t - m->thread) + 1;

	if (t->what == DESTROYING) {
		if (m->gen[t->handle] == t->gen && m->place[t->handle] == GOING)
			m->place[t->handle] = FREE;
		destroyed(m, tid, t);
	} else if (m->place[t->handle] == FREE) {
		m->place[t->handle] = USED;
		made(m, tid, t->start_ns, t->handle);
	}
	t->what = NOTHING;
}

/* --- what is known --------------------------------------------------------------------- */

static const char *kernel_of(struct model *m, uint64_t handle)
{
	uint64_t val[] = { FUNC_OF(handle), 0, 0 };

	return name_call(&launch, 99, m->now, m->now, val, NULL).kernel;
}

static uint64_t node_of(struct model *m, uint64_t handle)
{
	uint64_t val[] = { handle, 0, 0 };
	struct xpt_call c = call_of(&launch_graph, 99, m->now, m->now, val);
	const struct xpt_graph_node *node;
	size_t nr = 0;

	node = xpt_graph_nodes__of(nodes, &c, &nr);
	assert_true(nr <= 1);
	return nr ? node->addr : 0;
}

static void check_used(struct model *m, unsigned h)
{
	uint64_t handle = 0x100 * (h + 1);
	unsigned gen = m->gen[h];
	char text[16];

	if (!m->object[gen].seen)
		return;
	snprintf(text, sizeof(text), "k%u", gen);
	assert_string_equal(kernel_of(m, handle), text);
	assert_int_equal(node_of(m, handle), 0x1000 + gen);
	assert_int_equal(stream_call(&work, 99, m->now, m->now, handle, 0), gen % 2);
	assert_true(xpt_pinned__has(pinned, &train, handle + 1));
	assert_false(m->object[gen].block_gone);
}

/* A stream of its own joins a capture by the event, if that is part of one. */
static bool joins(struct model *m, unsigned h)
{
	uint64_t stream = 0x10000 + 0x100 * m->now, handle = 0x100 * (h + 1);
	bool is_part;

	stream_call(&wait, 99, m->now, m->now, stream, EVENT_OF(handle));
	is_part = stream_call(&work, 99, m->now, m->now, stream, 0);
	stream_call(&end_stream, 99, m->now, m->now, stream, 0);
	return is_part;
}

static void check(struct model *m)
{
	m->now++;
	for (unsigned h = 0; h < m->nr_handles; h++) {
		if (m->place[h] != USED)
			continue;
		check_used(m, h);
		if (m->object[m->gen[h]].seen)
			assert_int_equal(joins(m, h), m->gen[h] % 4 == 1);
	}
}

static void check_empty(struct model *m)
{
	for (unsigned h = 0; h < m->nr_handles; h++) {
		uint64_t handle = 0x100 * (h + 1);

		assert_int_equal(strncmp(kernel_of(m, handle), "unknown", 7), 0);
		assert_int_equal(node_of(m, handle), 0);
		assert_false(stream_call(&work, 99, m->now, m->now, handle, 0));
		assert_false(xpt_pinned__has(pinned, &train, handle + 1));
	}
	for (unsigned i = 0; i < m->nr_gens; i++)
		assert_true(m->object[i].gone && (!m->object[i].seen || m->object[i].block_gone));
}

static void step(struct model *m, bool may_make)
{
	struct thread *t = &m->thread[rnd(NR_THREADS)];

	m->now++;
	if (t->what == NOTHING)
		begin(m, t, may_make);
	else if (t->what == DESTROYING && m->gen[t->handle] == t->gen && m->place[t->handle] == GOING && rnd(2))
		m->place[t->handle] = FREE;	/* given back; the call goes on */
	else if (rnd(t->what == MAKING ? 2 : 6) == 0)
		end(m, t);
	check(m);
}

static bool is_over(const struct model *m)
{
	bool over = true;

	for (unsigned i = 0; i < NR_THREADS; i++)
		over = over && m->thread[i].what == NOTHING;
	for (unsigned h = 0; h < m->nr_handles; h++)
		over = over && m->place[h] == FREE;
	return over;
}

static void open_all(void)
{
	assert_int_equal(xpt_contexts__new(&contexts), 0);
	assert_int_equal(xpt_graph_nodes__new(&nodes), 0);
	assert_int_equal(xpt_names__new(&evicted, &names), 0);
	assert_int_equal(xpt_capturing__new(&evicted, &capturing), 0);
	assert_int_equal(xpt_pinned__new(&pinned), 0);
}

static void close_all(void)
{
	xpt_contexts__free(contexts);
	xpt_graph_nodes__free(nodes);
	xpt_names__free(names);
	xpt_capturing__free(capturing);
	xpt_pinned__free(pinned);
}

static void test_reference_model(void **state)
{
	static struct model m;
	uint64_t overtaken = 0;

	(void)state;
	make_functions();
	for (unsigned round = 0; round < ROUNDS; round++) {
		seed = 88172645463325252ull + 977 * round;
		m = (struct model){ .now = 1000, .nr_handles = 1 + round % NR_HANDLES };
		open_all();
		for (unsigned h = 0; h < m.nr_handles; h++) {	/* older than the trace */
			m.place[h] = USED;
			m.gen[h] = m.nr_gens;
			m.object[m.nr_gens++].handle = 0x100 * (h + 1);
		}
		for (unsigned i = 0; i < STEPS; i++)
			step(&m, true);
		while (!is_over(&m))
			step(&m, false);
		check_empty(&m);
		overtaken += m.overtaken;
		close_all();
	}
	assert_true(overtaken > 100 * ROUNDS / 10);
	assert_int_equal(evicted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_reference_model) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
