/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * snapshot/: counts of running and of ended processes in a document that is read again as it was printed; shares of
 * places; what found none is one process; documents that lie.
 */
#include <errno.h>
#include "unit/feed.h"
#include "model/device.h"
#include "snapshot/collector.h"
#include "snapshot/snapshot.h"

static struct xpt_fn launch, copy;
static struct xpt_proc train, twin;
static struct xpt_collector *c;
static struct xpt_strbuf text;
static struct sink_state {
	void *c;
} sink;

static int setup(void **state)
{
	struct xpt_sink_cfg with = { .ctx = NULL };

	(void)state;
	launch = FEED_FN("launchKernel", LAUNCH, NONE, XPT_ROLE_STREAM);
	copy = FEED_FN("memcpy", COPY, NONE, XPT_ROLE_SIZE);
	launch.id = 7;
	copy.id = 3;
	train = feed_proc(123, "train");
	twin = feed_proc(124, "tr\xffin\x1b[31m");
	twin.container = "abcdef012345";
	twin.uid = 1000;
	if (xpt_collector__new(&c))
		return -1;
	with.ctx = c;
	xpt_strbuf__init(&text, XPT_SNAPSHOT_BYTES);
	assert_true(xpt_snapshot_sink.state_size <= sizeof(sink));
	return xpt_snapshot_sink.open(&sink, &with);
}

static int teardown(void **state)
{
	(void)state;
	xpt_collector__free(c);
	xpt_strbuf__free(&text);
	return 0;
}

static void send(struct xpt_event *ev)
{
	ev->ts_ns = ev->ts_ns ? ev->ts_ns : SEC;
	xpt_snapshot_sink.event(&sink, ev);
}

static void count(enum xpt_event_kind kind, const struct xpt_fn *fn, const struct xpt_proc *proc, unsigned sub,
		  uint64_t calls, uint64_t bytes)
{
	struct xpt_wire_count n = { .calls = calls, .bytes = bytes, .time_ns = calls * 1000, .errors = 1 };
	struct xpt_event ev = { .kind = kind };

	n.hist[10] = calls;		/* some 1 us */
	ev.u.counter.fn = fn;
	ev.u.counter.proc = proc;
	ev.u.counter.dir = sub & XPT_SUB_DIR;
	ev.u.counter.outer = sub & XPT_SUB_OUTER;
	ev.u.counter.nested = sub & XPT_SUB_NESTED;
	ev.u.counter.count = &n;
	send(&ev);
}

static void count_errors(enum xpt_event_kind kind, const struct xpt_proc *proc, int64_t code, uint64_t calls, bool failed)
{
	struct xpt_event ev = { .kind = kind };

	ev.u.errcount.fn = &copy;
	ev.u.errcount.proc = proc;
	ev.u.errcount.code = code;
	ev.u.errcount.calls = calls;
	ev.u.errcount.failed = failed;
	send(&ev);
}

static void wait_in(const struct xpt_proc *proc, uint64_t calls, uint64_t oldest_ns)
{
	struct xpt_event ev = { .kind = XPT_EV_INFLIGHT_NOW };

	ev.u.inflight.fn = &copy;
	ev.u.inflight.proc = proc;
	ev.u.inflight.calls = calls;
	ev.u.inflight.oldest_ns = oldest_ns;
	ev.u.inflight.sum_ns = calls * oldest_ns;
	send(&ev);
}

static void end(struct xpt_proc *proc)
{
	struct xpt_event ev = { .kind = XPT_EV_EXIT, .ts_ns = 9 * SEC };

	proc->exit_ns = ev.ts_ns;
	ev.u.proc.proc = proc;
	send(&ev);
}

static struct xpt_snapshot *look(void)
{
	static const struct xpt_snapshot_self self = { "1.0", 4711, 5 * SEC, 1500000000 * SEC, SEC };
	struct xpt_snapshot *s = NULL;

	xpt_strbuf__reset(&text);
	assert_int_equal(xpt_collector__print(c, &self, &text), 0);
	assert_int_equal(xpt_snapshot__parse(text.s, text.len, &s), 0);
	return s;
}

static const struct xpt_snapshot_row *row(const struct xpt_snapshot *s, uint32_t pid, const char *function)
{
	for (uint32_t i = 0; i < s->nr_rows; i++)
		if (s->process[s->row[i].process].pid == pid && !strcmp(s->function[s->row[i].function].name, function))
			return &s->row[i];
	fail_msg("no row of %u and %s in %s", pid, function, xpt_strbuf__str(&text));
	return NULL;
}

static void test_round_trip(void **state)
{
	const struct xpt_snapshot_row *r;
	struct xpt_snapshot *s;

	(void)state;
	count(XPT_EV_COUNTER_NOW, &launch, &train, XPT_DIR_NONE, 3, 0);
	count(XPT_EV_COUNTER_NOW, &copy, &train, XPT_DIR_H2D, 2, 200);
	count(XPT_EV_COUNTER_NOW, &copy, &train, XPT_DIR_H2D | XPT_SUB_OUTER, 1, 50);
	count(XPT_EV_COUNTER_NOW, &copy, &train, XPT_DIR_D2H | XPT_SUB_NESTED, 4, 7);
	count(XPT_EV_COUNTER_NOW, &copy, &twin, XPT_DIR_D2H, 1, 1);
	count_errors(XPT_EV_ERRCOUNT_NOW, &train, 2, 3, true);
	count_errors(XPT_EV_ERRCOUNT_NOW, &train, 600, 30, false);
	wait_in(&twin, 2, 4 * SEC);
	s = look();
	assert_int_equal(s->pid, 4711);
	assert_int_equal(s->ts_ns, 5 * SEC);
	assert_int_equal(s->began_ns, SEC);
	assert_string_equal(s->version, "1.0");
	assert_int_equal(s->nr_processes, 2);
	assert_string_equal(s->process[0].name, "train");
	assert_null(strchr(s->process[1].name, '\x1b'));
	assert_string_equal(s->process[1].container, "abcdef012345");
	assert_int_equal(s->process[1].uid, 1000);
	assert_int_equal(row(s, 123, "launchKernel")->calls, 3);
	r = row(s, 123, "memcpy");
	assert_int_equal(r->calls, 7);
	assert_int_equal(r->outer_calls, 1);
	assert_int_equal(r->outer_bytes, 50);
	assert_int_equal(r->nested_calls, 4);
	assert_int_equal(r->nested_errors, 1);
	assert_int_equal(r->errors, 3);
	assert_int_equal(r->bytes[XPT_DIR_H2D], 250);
	assert_int_equal(r->bytes[XPT_DIR_D2H], 7);
	assert_int_equal(r->time_ns, 7000);
	assert_int_equal(r->took[0], 7);
	assert_int_equal(r->took[1], 0);
	r = row(s, 124, "memcpy");
	assert_int_equal(r->waiting, 2);
	assert_int_equal(r->oldest_ns, 4 * SEC);
	assert_int_equal(r->waited_ns, 8 * SEC);
	assert_int_equal(s->function[r->function].cls, XPT_CLASS_COPY);
	xpt_snapshot__free(s);
	xpt_collector__end_round(c);
	s = look();
	assert_int_equal(row(s, 124, "memcpy")->waiting, 0);
	xpt_snapshot__free(s);
}

static void test_ended(void **state)
{
	struct xpt_event forget = { .kind = XPT_EV_FORGET };
	struct xpt_snapshot *s;

	(void)state;
	count(XPT_EV_COUNTER_NOW, &launch, &train, XPT_DIR_NONE, 3, 0);
	count(XPT_EV_COUNTER, &launch, &train, XPT_DIR_NONE, 5, 0);	/* exec */
	count(XPT_EV_COUNTER_NOW, &launch, &train, XPT_DIR_NONE, 2, 0);
	s = look();
	assert_int_equal(row(s, 123, "launchKernel")->calls, 7);
	xpt_snapshot__free(s);
	end(&train);
	count(XPT_EV_COUNTER, &launch, &train, XPT_DIR_NONE, 4, 0);
	s = look();
	assert_int_equal(row(s, 123, "launchKernel")->calls, 9);
	assert_int_equal(row(s, 123, "launchKernel")->took[0], 9);
	assert_int_equal(s->process[0].ended_ns, 9 * SEC);
	xpt_snapshot__free(s);
	train.forgotten = true;
	send(&forget);
	s = look();
	assert_int_equal(s->nr_processes, 1);
	assert_string_equal(s->process[0].name, XPT_SNAPSHOT_OTHER);
	assert_int_equal(row(s, 0, "launchKernel")->calls, 9);
	assert_int_equal(row(s, 0, "launchKernel")->took[0], 9);
	xpt_snapshot__free(s);
}

/* One who starts very many gets half of what is free, again and again; who comes later finds a place all the same. */
static void test_shares(void **state)
{
	enum { MANY = 3000 };
	struct xpt_proc *many = calloc(MANY, sizeof(*many));
	uint32_t own = 0;
	struct xpt_snapshot *s;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = feed_proc(1000 + i, "many");
		many[i].uid = 5;
		count(XPT_EV_COUNTER_NOW, &launch, &many[i], XPT_DIR_NONE, 1, 0);
	}
	count(XPT_EV_COUNTER_NOW, &launch, &twin, XPT_DIR_NONE, 1, 0);
	s = look();
	for (uint32_t i = 0; i < s->nr_processes; i++)
		own += s->process[i].uid == 5;
	assert_int_equal(own, XPT_SNAPSHOT_PROCESSES / 2);
	assert_int_equal(row(s, 0, "launchKernel")->calls, MANY - own);
	assert_int_equal(row(s, 124, "launchKernel")->calls, 1);
	xpt_snapshot__free(s);
	free(many);
}

/* Of processes that have ended the last ones keep their places, others give theirs back. */
static void test_churn(void **state)
{
	enum { MANY = 3000 };
	struct xpt_proc *many = calloc(MANY, sizeof(*many));
	struct xpt_snapshot *s;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = feed_proc(1000 + i, "many");
		end(&many[i]);
		count(XPT_EV_COUNTER, &launch, &many[i], XPT_DIR_NONE, 1, 0);
	}
	s = look();
	assert_int_equal(s->nr_processes, 256 + 1);
	assert_int_equal(row(s, 1000 + MANY - 1, "launchKernel")->calls, 1);
	assert_int_equal(row(s, 0, "launchKernel")->calls, MANY - 256);
	assert_int_equal(s->left_out, 0);
	xpt_snapshot__free(s);
	free(many);
}

static void test_devices(void **state)
{
	static const struct xpt_device gpu = { .id = 1, .kind = XPT_DEVICE_GPU, .name = "H100", .uuid = "", .address = "",
					       .detail = "" };
	struct xpt_reading busy = { &gpu, xpt_metric__find(XPT_METRIC_GPU_UTILIZATION), XPT_PART_NONE, 0, NULL, 8765 };
	struct xpt_reading mem = { &gpu, xpt_metric__find(XPT_METRIC_GPU_PROCESS_MEMORY), XPT_PART_NONE, 123, &train, 1u << 30 };
	struct xpt_event ev = { .kind = XPT_EV_READING };
	struct xpt_snapshot *s;

	(void)state;
	ev.u.reading = &busy;
	send(&ev);
	ev.u.reading = &mem;
	send(&ev);
	s = look();
	assert_int_equal(s->nr_devices, 1);
	assert_string_equal(s->device[0].label, "GPU 0");
	assert_int_equal(s->device[0].kind, XPT_DEVICE_GPU);
	assert_int_equal(s->nr_readings, 2);
	assert_int_equal(s->reading[0].metric, XPT_METRIC_GPU_UTILIZATION);
	assert_int_equal(s->reading[0].value, 8765);
	assert_int_equal(s->reading[0].part, XPT_PART_NONE);
	assert_int_equal(s->reading[1].pid, 123);
	assert_int_equal(s->reading[1].value, 1u << 30);
	assert_string_equal(s->reading[1].process, "train");
	xpt_snapshot__free(s);
	ev.kind = XPT_EV_TICK;
	ev.ts_ns = 100 * SEC;
	send(&ev);
	s = look();
	assert_int_equal(s->nr_readings, 0);
	xpt_snapshot__free(s);
}

/* When each value was read, and of a counter also what it was the time before. */
static void test_times(void **state)
{
	static const struct xpt_device port = { .id = 1, .kind = XPT_DEVICE_RDMA, .name = "mlx5_0", .uuid = "", .address = "",
						.detail = "" };
	struct xpt_reading sent = { &port, xpt_metric__find(XPT_METRIC_RDMA_DATA_SENT), 1, 0, NULL, 1000 };
	struct xpt_reading state_id = { &port, xpt_metric__find(XPT_METRIC_RDMA_STATE), 1, 0, NULL, 4 };
	struct xpt_event ev = { .kind = XPT_EV_READING };
	struct xpt_snapshot *s;

	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		ev.ts_ns = i * SEC;
		sent.value = i * 1000;
		ev.u.reading = &sent;
		send(&ev);
		ev.u.reading = &state_id;
		send(&ev);
		s = look();
		assert_int_equal(s->nr_readings, 2);
		for (unsigned n = 0; n < 2; n++) {
			bool is_sent = s->reading[n].metric == XPT_METRIC_RDMA_DATA_SENT;

			assert_int_equal(s->reading[n].ts_ns, i * SEC);
			assert_int_equal(s->reading[n].earlier_ns, is_sent ? (i - 1) * SEC : 0);
			assert_int_equal(s->reading[n].earlier, is_sent ? (i - 1) * 1000 : 0);
		}
		xpt_snapshot__free(s);
	}
}

static bool has_value(unsigned metric, uint32_t pid)
{
	struct xpt_snapshot *s = look();
	bool found = false;

	for (uint32_t i = 0; i < s->nr_readings; i++)
		found |= s->reading[i].metric == metric && s->reading[i].pid == pid;
	xpt_snapshot__free(s);
	return found;
}

/* What changes all the time is not shown when it is old, nor of a process that the device tells of no more. */
static void test_old_readings(void **state)
{
	static const struct xpt_device gpu = { .id = 1, .kind = XPT_DEVICE_GPU, .name = "H100", .uuid = "", .address = "",
					       .detail = "" };
	struct xpt_reading busy = { &gpu, xpt_metric__find(XPT_METRIC_GPU_UTILIZATION), XPT_PART_NONE, 0, NULL, 8765 };
	struct xpt_reading limit = { &gpu, xpt_metric__find(XPT_METRIC_GPU_POWER_LIMIT), XPT_PART_NONE, 0, NULL, 700 };
	struct xpt_reading mem = { &gpu, xpt_metric__find(XPT_METRIC_GPU_PROCESS_MEMORY), XPT_PART_NONE, 123, &train, 1u << 30 };
	struct xpt_reading use = { &gpu, xpt_metric__find(XPT_METRIC_GPU_PROCESS_SM), XPT_PART_NONE, 123, &train, 5000 };
	struct xpt_event ev = { .kind = XPT_EV_READING };

	(void)state;
	for (unsigned i = 10; i <= 22; i++) {
		const struct xpt_reading *all[] = { &busy, &mem, &use, &limit };

		/* The process is there until 15 s, used the GPU until 12 s; limits are in every tenth reading. */
		for (unsigned n = 0; n < 4; n++) {
			if ((n == 1 && i > 15) || (n == 2 && i > 12) || (n == 3 && i % 10))
				continue;
			ev.ts_ns = i * SEC + n * SEC / 1000;
			ev.u.reading = all[n];
			send(&ev);
		}
		assert_true(has_value(XPT_METRIC_GPU_UTILIZATION, 0));
		assert_true(has_value(XPT_METRIC_GPU_POWER_LIMIT, 0));
		assert_int_equal(has_value(XPT_METRIC_GPU_PROCESS_MEMORY, 123), i < 17);
		assert_int_equal(has_value(XPT_METRIC_GPU_PROCESS_SM, 123), i < 16);
	}
	ev.kind = XPT_EV_TICK;
	ev.ts_ns = 24 * SEC;
	send(&ev);
	assert_true(has_value(XPT_METRIC_GPU_UTILIZATION, 0));
	ev.ts_ns = 26 * SEC;
	send(&ev);
	assert_false(has_value(XPT_METRIC_GPU_UTILIZATION, 0));
	assert_true(has_value(XPT_METRIC_GPU_POWER_LIMIT, 0));
}

/* A document that is too large for its buffer has what fits, says how much is missing, and can be read. */
static void test_cut(void **state)
{
	enum { MANY = 200 };
	static const struct xpt_device gpu = { .id = 1, .kind = XPT_DEVICE_GPU, .name = "H100", .uuid = "", .address = "",
					       .detail = "" };
	struct xpt_reading busy = { &gpu, xpt_metric__find(XPT_METRIC_GPU_UTILIZATION), XPT_PART_NONE, 0, NULL, 8765 };
	struct xpt_proc *many = calloc(MANY, sizeof(*many));
	struct xpt_event ev = { .kind = XPT_EV_READING };
	struct xpt_snapshot *s;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = feed_proc(1000 + i, "many");
		many[i].uid = i;
		count(XPT_EV_COUNTER_NOW, &launch, &many[i], XPT_DIR_NONE, 1, 0);
	}
	ev.u.reading = &busy;
	send(&ev);
	s = look();
	assert_int_equal(s->cut, 0);
	assert_int_equal(s->nr_processes, MANY);
	xpt_snapshot__free(s);
	text.max = 16384;
	s = look();
	assert_in_range(s->nr_processes, 10, MANY - 10);
	assert_int_equal(s->cut, MANY - s->nr_processes);
	assert_int_equal(s->nr_readings, 1);
	xpt_snapshot__free(s);
	free(many);
}

/* More devices than a document has room for. */
static void test_many_devices(void **state)
{
	enum { MANY = XPT_SNAPSHOT_DEVICES + 10 };
	struct xpt_device *many = calloc(MANY, sizeof(*many));
	struct xpt_reading busy = { NULL, xpt_metric__find(XPT_METRIC_GPU_UTILIZATION), XPT_PART_NONE, 0, NULL, 8765 };
	struct xpt_event ev = { .kind = XPT_EV_READING };
	struct xpt_snapshot *s;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = (struct xpt_device){ .id = i + 1, .index = i, .kind = XPT_DEVICE_GPU, .name = "H100", .uuid = "",
					       .address = "", .detail = "" };
		busy.device = &many[i];
		ev.u.reading = &busy;
		send(&ev);
	}
	s = look();
	assert_int_equal(s->nr_devices, XPT_SNAPSHOT_DEVICES);
	assert_int_equal(s->cut, 10);
	xpt_snapshot__free(s);
	free(many);
}

static bool tell_memory(void *ctx, const struct xpt_proc *proc, struct xpt_open_bytes *ret)
{
	*ret = *(struct xpt_open_bytes *)ctx;
	return proc->pid == 123;
}

/* Bytes by kind as the ledger has them, also 0 of what was there; of a kind that never was, and of unknown sums, nothing. */
static void test_open_bytes(void **state)
{
	struct xpt_open_bytes open = { .kinds = 1u << XPT_KIND_DEVICE | 1u << XPT_KIND_HOST };
	struct xpt_snapshot *s;

	(void)state;
	open.bytes[XPT_KIND_DEVICE] = UINT64_MAX;
	xpt_collector__set_open_bytes(c, tell_memory, &open);
	count(XPT_EV_COUNTER_NOW, &copy, &train, XPT_DIR_H2D, 1, 1);
	s = look();
	assert_int_equal(s->process[0].open_kinds, open.kinds);
	assert_int_equal(s->process[0].open[XPT_KIND_DEVICE], UINT64_MAX);
	assert_int_equal(s->process[0].open[XPT_KIND_HOST], 0);
	xpt_snapshot__free(s);
	open.is_unknown = true;
	s = look();
	assert_int_equal(s->process[0].open_kinds, 0);
	xpt_snapshot__free(s);
}

static int parse(const char *document)
{
	struct xpt_snapshot *s = NULL;
	int err = xpt_snapshot__parse(document, strlen(document), &s);

	xpt_snapshot__free(s);
	return err;
}

#define HEAD "{\"xputrace_snapshot\":1,"

static void test_hostile(void **state)
{
	struct xpt_strbuf sb;

	(void)state;
	assert_int_equal(parse(HEAD "\"pid\":1}"), 0);
	assert_int_equal(parse(HEAD "\"new\":[{\"a\":[1,2]}],\"pid\":1}"), 0);
	assert_int_equal(parse(""), -EBADMSG);
	assert_int_equal(parse("{}"), -EBADMSG);
	assert_int_equal(parse("{\"xputrace_snapshot\":2}"), -ENOTSUP);
	assert_int_equal(parse(HEAD "\"pid\":1"), -EBADMSG);
	assert_int_equal(parse(HEAD "\"pid\":-1}"), -EBADMSG);
	assert_int_equal(parse(HEAD "\"pid\":4294967296}"), -EBADMSG);
	assert_int_equal(parse(HEAD "\"processes\":[{\"calls\":[{\"function\":0}]}]}"), -EBADMSG);
	assert_int_equal(parse(HEAD "\"processes\":[{\"calls\":[{}]}],\"functions\":[{}]}"), -EBADMSG);
	assert_int_equal(parse(HEAD "\"functions\":[{}],\"processes\":[{\"calls\":[{\"function\":0}]}]}"), 0);
	assert_int_equal(parse(HEAD "\"functions\":[{}],\"processes\":[{\"calls\":[{\"function\":1}]}]}"), -EBADMSG);
	assert_int_equal(parse(HEAD "\"processes\":[{\"open_bytes\":{\"device\":1,\"of_tomorrow\":[2]}}]}"), 0);
	assert_int_equal(parse(HEAD "\"processes\":[{\"open_bytes\":{\"device\":-1}}]}"), -EBADMSG);
	assert_int_equal(parse(HEAD "\"functions\":7,\"processes\":{},\"devices\":\"x\"}"), 0);
	assert_int_equal(parse(HEAD "\"devices\":[{\"readings\":[{\"value\":1,\"metric\":\"none\"}]}]}"), 0);
	xpt_strbuf__init(&sb, 1 << 20);
	xpt_strbuf__add(&sb, HEAD "\"processes\":[{}");
	for (unsigned i = 0; i < 2000; i++)
		xpt_strbuf__add(&sb, ",{}");
	xpt_strbuf__add(&sb, "]}");
	assert_int_equal(parse(sb.s), -E2BIG);
	xpt_strbuf__free(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(test_churn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_devices, setup, teardown),
		cmocka_unit_test_setup_teardown(test_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_old_readings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_devices, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open_bytes, setup, teardown),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
