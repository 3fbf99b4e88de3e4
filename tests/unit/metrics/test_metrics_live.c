/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * metrics/metrics_live.c: bytes that are allocated and not freed, by kind, of all processes of a name; not shown where a
 * call that the kernel counted was not seen, or where there is no room for a block; one owner leaves room for others.
 */
#include "unit/feed.h"
#include "metrics/metrics.h"
#include "metrics/metrics_priv.h"

static struct xpt_fn alloc, pin, release, copy;
static struct xpt_proc train, twin, boxed;
static struct xpt_metrics *m;
static struct xpt_strbuf page;
static struct sink_state {
	void *m;
} sink;
static uint64_t now;

static int setup(void **state)
{
	struct xpt_sink_cfg cfg = { .ctx = NULL };

	(void)state;
	now = SEC;
	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	pin = FEED_FN("hostRegister", REGISTER, NONE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
	copy = FEED_FN("memcpy", COPY, NONE, XPT_ROLE_SIZE);
	train = feed_proc(123, "train");
	twin = feed_proc(124, "train");
	boxed = feed_proc(125, "boxed");
	boxed.uid = 1000;
	if (xpt_metrics__new(&m))
		return -1;
	cfg.ctx = m;
	xpt_strbuf__init(&page, XPT_METRICS_BYTES);
	return xpt_metrics_sink.open(&sink, &cfg);
}

static int teardown(void **state)
{
	(void)state;
	xpt_metrics__free(m);
	xpt_strbuf__free(&page);
	return 0;
}

static void call_with(const struct xpt_fn *fn, const struct xpt_proc *proc, uint64_t addr, uint64_t bytes, uint8_t flags)
{
	const uint64_t val[] = { addr, bytes };
	struct xpt_event ev = { .kind = XPT_EV_CALL, .ts_ns = now += US };

	ev.u.call = (struct xpt_call){ .start_ns = now - 500, .dur_ns = 400, .fn = fn, .proc = proc, .tid = proc->pid,
				       .comm = proc->comm, .flags = flags, .valid = 3, .nr_vals = fn->nr_caps, .val = val };
	xpt_metrics_sink.event(&sink, &ev);
}

static void call(const struct xpt_fn *fn, const struct xpt_proc *proc, uint64_t addr, uint64_t bytes)
{
	call_with(fn, proc, addr, bytes, 0);
}

static void count(const struct xpt_fn *fn, const struct xpt_proc *proc, uint64_t calls)
{
	const struct xpt_wire_count n = { .calls = calls };
	struct xpt_event ev = { .kind = XPT_EV_COUNTER_NOW, .ts_ns = now };

	ev.u.counter.fn = fn;
	ev.u.counter.proc = proc;
	ev.u.counter.dir = XPT_DIR_NONE;
	ev.u.counter.count = &n;
	xpt_metrics_sink.event(&sink, &ev);
}

static void change(enum xpt_event_kind kind, const struct xpt_proc *proc, bool exec)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = now };

	ev.u.proc.proc = proc;
	ev.u.proc.exec = exec;
	xpt_metrics_sink.event(&sink, &ev);
}

static const char *print(void)
{
	const struct xpt_metrics_self self = { .version = "1.0", .kernel = "6.1", .host = "node", .now_ns = now };

	xpt_strbuf__reset(&page);
	assert_int_equal(xpt_metrics__print(m, &self, &page), 0);
	return xpt_strbuf__str(&page);
}

#define HAS(line) assert_non_null(strstr(print(), line "\n"))
#define HAS_NOT(text) assert_null(strstr(print(), text))
#define TRAIN "xputrace_live_bytes{process=\"train\",container=\"\",user=\"0\",kind="

static void test_sums(void **state)
{
	(void)state;
	HAS_NOT("live_bytes");
	call(&alloc, &train, 0x1000, 100);
	call(&alloc, &train, 0x2000, 30);
	call(&alloc, &twin, 0x1000, 7);
	call(&pin, &train, 0x9000, 64);
	call_with(&alloc, &train, 0x5000, 1000, XPT_CALL_FAILED);
	HAS(TRAIN "\"device\"} 137");
	HAS(TRAIN "\"registered\"} 64");
	call(&release, &train, 0x1000, 0);
	HAS(TRAIN "\"device\"} 37");
	call(&alloc, &train, 0x2000, 50);	/* handed out again: the free is on its way */
	HAS(TRAIN "\"device\"} 57");
	call(&release, &train, 0x7000, 0);	/* allocated before the trace */
	call(&release, &train, 0x2000, 0);
	call(&release, &train, 0x2000, 0);
	HAS(TRAIN "\"device\"} 7");
	change(XPT_EV_EXIT, &twin, false);
	HAS(TRAIN "\"device\"} 0");
	change(XPT_EV_PROC, &train, true);	/* it runs another program */
	HAS(TRAIN "\"registered\"} 0");
	change(XPT_EV_EXIT, &train, false);
	HAS_NOT("live_bytes");
}

/* A call that was counted a page ago and has not come makes the sum unknown, that of its process's name alone. */
static void test_lost_calls(void **state)
{
	(void)state;
	call(&alloc, &train, 0x1000, 100);
	call(&alloc, &boxed, 0x1000, 10);
	count(&alloc, &train, 2);
	count(&copy, &train, 50);	/* changes no memory */
	count(&alloc, &boxed, 1);
	HAS(TRAIN "\"device\"} 100");	/* it may be on its way */
	now -= 10 * US;
	call(&alloc, &train, 0x2000, 5);	/* it was on its way, and had ended before */
	now += 10 * US;
	HAS(TRAIN "\"device\"} 105");
	count(&alloc, &train, 3);
	HAS(TRAIN "\"device\"} 105");
	call(&alloc, &train, 0x3000, 5);	/* another one */
	HAS_NOT(TRAIN);
	call(&alloc, &train, 0x3000, 5);	/* late, or another one: nobody knows */
	HAS_NOT(TRAIN);
	HAS("xputrace_live_bytes{process=\"boxed\",container=\"\",user=\"1000\",kind=\"device\"} 10");
	call(&alloc, &twin, 0x1000, 7);
	HAS_NOT(TRAIN);		/* part of the sum is unknown */
	change(XPT_EV_EXIT, &train, false);
	HAS(TRAIN "\"device\"} 7");
}

/* One call in a thousand, while others come all the time. */
static void test_rare_loss(void **state)
{
	uint64_t i, k;

	(void)state;
	for (i = 0; i < 5; i++) {
		for (k = 0; k < 1000; k++)
			call(&alloc, &train, (i * 1000 + k + 1) << 8, 1);
		count(&alloc, &train, (i + 1) * 1000);
		print();
		call(&alloc, &train, (9000 + i) << 8, 1);	/* after the counts were read: they have it next time */
		call(&release, &train, (9000 + i) << 8, 0);
		count(&alloc, &train, (i + 1) * 1000 + i + 1);
		count(&release, &train, i + 1);
	}
	HAS(TRAIN "\"device\"} 5000");
	count(&release, &train, 6);		/* it frees one, and that does not come */
	print();
	for (k = 0; k < 1000; k++)
		call(&alloc, &train, (10000 + k) << 8, 1);
	HAS_NOT(TRAIN);
}

static void test_shares(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= XPT_METRICS_BLOCKS; i++)
		call(&alloc, &train, i << 8, 1);
	HAS_NOT(TRAIN);		/* half of the table is one owner's, who wanted more */
	for (uint64_t i = 1; i <= 1000; i++)
		call(&alloc, &boxed, i << 8, 1);
	HAS("xputrace_live_bytes{process=\"boxed\",container=\"\",user=\"1000\",kind=\"device\"} 1000");
	HAS_NOT(TRAIN);
	for (uint64_t i = 1; i <= 32000; i++)	/* all that he had is given back */
		call(&alloc, &twin, i << 8, 1);
	change(XPT_EV_EXIT, &train, false);
	HAS(TRAIN "\"device\"} 32000");
}

/* The table of processes is full: the sum of a name that has one without a place is not shown, and it is told. */
static void test_no_room(void **state)
{
	struct xpt_proc *many = calloc(XPT_METRICS_PROCESSES, sizeof(*many));
	uint64_t i;

	(void)state;
	assert_non_null(many);
	call(&alloc, &train, 0x1000, 100);
	for (i = 1; i < XPT_METRICS_PROCESSES; i++) {
		many[i] = feed_proc((uint32_t)(10000 + i), "many");
		call(&copy, &many[i], 0, 1);
		call(&release, &many[i], 0x10, 0);	/* a place, and no block */
	}
	HAS(TRAIN "\"device\"} 100");
	assert_int_equal(m->left_out, 0);
	call(&alloc, &twin, 0x1000, 7);
	HAS_NOT(TRAIN);
	assert_int_equal(m->left_out, 1);
	free(many);
}

/* Places of processes are used again. */
static void test_forgotten(void **state)
{
	struct xpt_event forget = { .kind = XPT_EV_FORGET, .ts_ns = 2 * SEC };

	(void)state;
	call(&alloc, &train, 0x1000, 100);
	count(&alloc, &train, 5);
	print();
	train.forgotten = true;
	xpt_metrics_sink.event(&sink, &forget);
	train = feed_proc(999, "another");
	call(&alloc, &train, 0x1000, 20);
	HAS("xputrace_live_bytes{process=\"another\",container=\"\",user=\"0\",kind=\"device\"} 20");
	HAS("xputrace_live_bytes{process=\"another\",container=\"\",user=\"0\",kind=\"device\"} 20");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sums), TEST(test_lost_calls), TEST(test_rare_loss), TEST(test_shares), TEST(test_no_room),
		TEST(test_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
