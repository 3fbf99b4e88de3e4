/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * metrics/metrics.h: counts of processes that run and that have ended make one counter that never falls, by name and
 * container; errors by name; the bound on names; losses, Xids, and readings of devices that are not old.
 */
#include "metrics/metrics.h"
#include "model/device.h"
#include "model/kernel/xid_table.h"
#include "unit/feed.h"
#include "wire/user.h"

static struct xpt_fn alloc, copy;
static struct xpt_proc train, twin, boxed;
static struct xpt_metrics *m;
static struct xpt_strbuf page;

struct sink_state {
	void *m;
};
static struct sink_state sink;

static int setup(void **state)
{
	const struct xpt_sink_cfg cfg = { .ctx = NULL };
	struct xpt_sink_cfg with = cfg;

	(void)state;
	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	copy = FEED_FN("memcpy", COPY, NONE, XPT_ROLE_SIZE);
	copy.id = alloc.id + 1;
	train = feed_proc(123, "train");
	twin = feed_proc(124, "train");
	boxed = feed_proc(125, "train");
	boxed.container = "abcdef012345";
	boxed.uid = 1000;
	if (xpt_metrics__new(&m))
		return -1;
	with.ctx = m;
	xpt_strbuf__init(&page, XPT_METRICS_BYTES);
	assert_true(xpt_metrics_sink.state_size <= sizeof(sink));
	return xpt_metrics_sink.open(&sink, &with);
}

static int teardown(void **state)
{
	(void)state;
	xpt_metrics__free(m);
	xpt_strbuf__free(&page);
	return 0;
}

static void count(enum xpt_event_kind kind, const struct xpt_fn *fn, const struct xpt_proc *proc, uint64_t calls,
		  uint64_t bytes)
{
	const struct xpt_wire_count n = { .calls = calls, .bytes = bytes, .time_ns = calls * 1000 };
	struct xpt_event ev = { .kind = kind, .ts_ns = SEC };

	ev.u.counter.fn = fn;
	ev.u.counter.proc = proc;
	ev.u.counter.dir = fn == &copy ? XPT_DIR_H2D : XPT_DIR_NONE;
	ev.u.counter.count = &n;
	xpt_metrics_sink.event(&sink, &ev);
}

static void count_errors(enum xpt_event_kind kind, const struct xpt_proc *proc, int64_t code,
			 const struct xpt_result *result, uint64_t calls, bool is_failure)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = SEC };

	ev.u.errcount.fn = &alloc;
	ev.u.errcount.proc = proc;
	ev.u.errcount.code = code;
	ev.u.errcount.result = result;
	ev.u.errcount.calls = calls;
	ev.u.errcount.failed = is_failure;
	xpt_metrics_sink.event(&sink, &ev);
}

static const char *print(void)
{
	static const struct xpt_metrics_recordings recordings[] = { { "hang", 2, 0 }, { "xid", 0, 1 } };
	static const struct xpt_metrics_self self = { "1.0", "6.1", 1500000000, 2000000000, 4096, "node", recordings, 2, 0 };

	xpt_strbuf__reset(&page);
	assert_int_equal(xpt_metrics__print(m, &self, &page), 0);
	return xpt_strbuf__str(&page);
}

#define HAS(line) assert_non_null(strstr(print(), line "\n"))
#define HAS_NOT(text) assert_null(strstr(print(), text))
#define TRAIN "process=\"train\",container=\"\",user=\"0\""

static void test_running_and_ended(void **state)
{
	(void)state;
	HAS("xputrace_info{version=\"1.0\",kernel=\"6.1\"} 1");
	HAS("xputrace_start_time_seconds 1.500000000");
	HAS("xputrace_own_memory_bytes 4096");
	HAS_NOT("xputrace_calls_total");
	count(XPT_EV_COUNTER_NOW, &alloc, &train, 3, 300);
	count(XPT_EV_COUNTER_NOW, &alloc, &twin, 2, 200);
	HAS("xputrace_calls_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 5");
	count(XPT_EV_COUNTER_NOW, &alloc, &train, 4, 400);
	HAS("xputrace_calls_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 6");
	HAS("xputrace_call_seconds_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 0.000006000");
	HAS("xputrace_call_bytes_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\",direction=\"\"} 600");
	/* It ends: its final counts take the place of what was told before. */
	count(XPT_EV_COUNTER, &alloc, &train, 7, 700);
	HAS("xputrace_calls_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 9");
	count(XPT_EV_COUNTER, &alloc, &twin, 2, 200);
	HAS("xputrace_calls_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 9");
	count(XPT_EV_COUNTER_NOW, &alloc, &boxed, 1, 1);
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 1");
	count(XPT_EV_COUNTER_NOW, &copy, &boxed, 1, 64);
	HAS("xputrace_call_bytes_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\","
	    "function=\"memcpy\",direction=\"HtoD\"} 64");
}

/* Two looks may see what is being added in another order. */
static void test_never_falls(void **state)
{
	(void)state;
	count(XPT_EV_COUNTER_NOW, &alloc, &train, 10, 100);
	count(XPT_EV_COUNTER_NOW, &alloc, &train, 9, 90);
	HAS("xputrace_calls_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 10");
	count(XPT_EV_COUNTER, &alloc, &train, 9, 90);
	HAS("xputrace_calls_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 10");
}

static void test_forgotten(void **state)
{
	struct xpt_event forget = { .kind = XPT_EV_FORGET, .ts_ns = 2 * SEC };

	(void)state;
	count(XPT_EV_COUNTER_NOW, &alloc, &train, 10, 100);
	count_errors(XPT_EV_ERRCOUNT_NOW, &train, 2, NULL, 3, true);
	train.forgotten = true;
	xpt_metrics_sink.event(&sink, &forget);
	train = feed_proc(999, "another");	/* its place is used again */
	count(XPT_EV_COUNTER_NOW, &alloc, &train, 1, 1);
	HAS("xputrace_calls_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\"} 10");
	HAS("xputrace_calls_total{process=\"another\",container=\"\",user=\"0\",domain=\"fake\",function=\"memAlloc\"} 1");
	HAS("xputrace_call_errors_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\",error=\"2\"} 3");
}

static void test_errors(void **state)
{
	static const struct xpt_result memory = { .code = 2, .name = "ERR_MEMORY" };

	(void)state;
	count_errors(XPT_EV_ERRCOUNT_NOW, &train, 2, &memory, 3, true);
	count_errors(XPT_EV_ERRCOUNT_NOW, &twin, -7, NULL, 1, true);
	count_errors(XPT_EV_ERRCOUNT_NOW, &twin, 600, NULL, 50, false);	/* "not ready" is no failure */
	HAS("xputrace_call_errors_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\",error=\"ERR_MEMORY\"} 3");
	HAS("xputrace_call_errors_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\",error=\"-7\"} 1");
	HAS_NOT("600");
	HAS_NOT("error=\"2\"");	/* a second line of the same error, without its name */
	count_errors(XPT_EV_ERRCOUNT, &train, 2, &memory, 4, true);
	count_errors(XPT_EV_ERRCOUNT_NOW, &twin, 2, &memory, 1, true);
	HAS("xputrace_call_errors_total{" TRAIN ",domain=\"fake\",function=\"memAlloc\",error=\"ERR_MEMORY\"} 5");
}

/* Further names are one, and nothing is lost of the sum. */
static void test_many_names(void **state)
{
	static struct xpt_proc many[XPT_METRICS_GROUPS + 20];
	static char name[XPT_METRICS_GROUPS + 20][16];

	(void)state;
	for (unsigned i = 0; i < XPT_METRICS_GROUPS + 20; i++) {
		snprintf(name[i], sizeof(name[i]), "p%u\n\"%u", i, i);
		many[i] = feed_proc(1000 + i, name[i]);
		count(XPT_EV_COUNTER, &alloc, &many[i], 1, 0);
	}
	count(XPT_EV_COUNTER, &alloc, NULL, 5, 0);	/* of processes that had no row in the kernel */
	HAS("xputrace_calls_total{process=\"p0?\\\"0\",container=\"\",user=\"0\",domain=\"fake\",function=\"memAlloc\"} 1");
	/* One user gets half of 255 places, and all calls count. */
	HAS("xputrace_calls_total{process=\"p127?\\\"127\",container=\"\",user=\"0\",domain=\"fake\",function=\"memAlloc\"} 1");
	HAS_NOT("process=\"p128?");
	HAS("xputrace_calls_total{process=\"(other)\",container=\"\",user=\"\",domain=\"fake\",function=\"memAlloc\"} 153");
	count(XPT_EV_COUNTER, &alloc, &boxed, 1, 0);	/* another owner has places left */
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 1");
	HAS("xputrace_lost_total{loss=\"metrics_full\"} 0");
}

static uint64_t all_are_of_one(void *ctx, uint32_t tgid)
{
	(void)ctx;
	return tgid == boxed.pid ? 1 : 7;
}

/* Names of containers and users that are subordinate to another are no owners: theirs have one share together. */
static void test_owners(void **state)
{
	static struct xpt_proc many[XPT_METRICS_GROUPS + 20];
	static char container[XPT_METRICS_GROUPS + 20][16];

	(void)state;
	xpt_metrics__set_owner(m, all_are_of_one, NULL);
	for (unsigned i = 0; i < XPT_METRICS_GROUPS + 20; i++) {
		snprintf(container[i], sizeof(container[i]), "c%u", i);
		many[i] = feed_proc(1000 + i, "many");
		many[i].container = container[i];
		many[i].uid = 100000 + i;
		count(XPT_EV_COUNTER, &alloc, &many[i], 1, 0);
	}
	HAS("xputrace_calls_total{process=\"many\",container=\"c127\",user=\"100127\",domain=\"fake\",function=\"memAlloc\"} 1");
	HAS_NOT("c128");
	count(XPT_EV_COUNTER, &alloc, &boxed, 1, 0);
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 1");
}

static uint64_t told_late(void *ctx, uint32_t tgid)
{
	const bool *is_told = ctx;

	(void)tgid;
	return *is_told ? XPT_OWNER(1000, 0) : XPT_OWNER_NOBODY;
}

/* Whose a process is may be known only after it is heard of: that is asked again, so its lines count for him. */
static void test_owner_known_late(void **state)
{
	static struct xpt_proc many[XPT_METRICS_GROUPS];
	static char container[XPT_METRICS_GROUPS][16];
	bool is_told = false;

	(void)state;
	xpt_metrics__set_owner(m, told_late, &is_told);
	for (unsigned i = 0; i < XPT_METRICS_GROUPS; i++) {
		snprintf(container[i], sizeof(container[i]), "c%u", i);
		many[i] = feed_proc(1000 + i, "many");
		many[i].container = container[i];
	}
	is_told = true;
	for (unsigned i = 0; i < XPT_METRICS_GROUPS; i++)
		count(XPT_EV_COUNTER, &alloc, &many[i], 1, 0);
	is_told = false;
	count(XPT_EV_COUNTER, &alloc, &train, 1, 0);	/* of nobody known, who has a share of his own */
	HAS("xputrace_calls_total{process=\"many\",container=\"c127\",user=\"0\",domain=\"fake\",function=\"memAlloc\"} 1");
	HAS_NOT("c128");
	HAS("xputrace_calls_total{process=\"train\",container=\"\",user=\"0\",domain=\"fake\",function=\"memAlloc\"} 1");
}

static uint64_t each_is_of_another(void *ctx, uint32_t tgid)
{
	(void)ctx;
	return tgid;
}

/* All lines of a family, added up. */
static uint64_t sum_of(const char *family)
{
	const char *line = print();
	uint64_t sum = 0;

	while ((line = strstr(line, family))) {
		line = strstr(line, "} ");
		assert_non_null(line);
		sum += strtoull(line + 2, NULL, 10);
	}
	return sum;
}

#define MANY_CODES 50000	/* more than there are rows of errors */

/* Codes that a program makes up, in processes that end, take no row from the errors of others. */
static void test_many_codes(void **state)
{
	static const struct xpt_result memory = { .code = 2, .name = "ERR_MEMORY" };

	(void)state;
	for (int64_t code = 100; code < 100 + MANY_CODES; code++)
		count_errors(XPT_EV_ERRCOUNT, &boxed, code, NULL, 1, true);
	count_errors(XPT_EV_ERRCOUNT_NOW, &train, 2, &memory, 3, true);
	HAS("xputrace_call_errors_total{process=\"train\",container=\"\",user=\"0\",domain=\"fake\",function=\"memAlloc\",error=\"ERR_MEMORY\"} 3");
	assert_non_null(strstr(page.s, ",domain=\"fake\",function=\"memAlloc\",error=\"(other)\"} "));
	assert_int_equal(sum_of("\nxputrace_call_errors_total{"), MANY_CODES + 3);
	HAS("xputrace_lost_total{loss=\"metrics_full\"} 0");
}

/* Short programs of one user, each with a name of its own, take no lines from ended programs of another. */
static void test_short_programs(void **state)
{
	static struct xpt_proc many[2 * XPT_METRICS_GROUPS];
	static char name[2 * XPT_METRICS_GROUPS][16];

	(void)state;
	boxed.exit_ns = 1;
	count(XPT_EV_COUNTER, &alloc, &boxed, 9, 0);
	for (unsigned i = 0; i < 2 * XPT_METRICS_GROUPS; i++) {
		snprintf(name[i], sizeof(name[i]), "short%u", i);
		many[i] = feed_proc(1000 + i, name[i]);
		many[i].uid = 2000;
		many[i].exit_ns = 1;
		count(XPT_EV_COUNTER, &alloc, &many[i], 1, 0);
	}
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 9");
	assert_int_equal(sum_of("\nxputrace_calls_total{"), 2 * XPT_METRICS_GROUPS + 9);
}

/* As many series as one user may have, of functions with the longest names, leave room for the lines of others. */
static void test_long_names(void **state)
{
	static struct xpt_proc many[17];
	static struct xpt_fn fns[255];
	static char name[255][4096];
	char comm[17][8];

	(void)state;
	for (unsigned i = 0; i < 255; i++) {
		memset(name[i], 0xff, sizeof(name[i]) - 1);	/* no UTF-8: three bytes each in the page */
		snprintf(name[i], 8, "cu%u", i);
		name[i][strlen(name[i])] = 'x';
		fns[i] = alloc;
		fns[i].id = alloc.id + 2 + i;
		fns[i].name = name[i];
	}
	for (unsigned k = 0; k < 17; k++) {
		snprintf(comm[k], sizeof(comm[k]), "p%u", k);
		many[k] = feed_proc(1000 + k, comm[k]);
		for (unsigned i = 0; i < 255; i++)
			count(XPT_EV_COUNTER, &fns[i], &many[k], 1, 1);
	}
	count(XPT_EV_COUNTER, &alloc, &boxed, 7, 0);
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 7");
	assert_int_equal(sum_of("\nxputrace_calls_total{"), 17 * 255 + 7);
	assert_true(page.len < XPT_METRICS_BYTES / 4);
}

/* Jobs and pods have lines of their own, where a process is in one. */
static void test_workloads(void **state)
{
	struct xpt_proc other = train;

	(void)state;
	boxed.slurm_job = "42";
	other.uid = 1000;
	other.container = boxed.container;
	other.slurm_job = "43";
	other.pod = "6b1f2c3d-0001-4aaa-8bbb-0123456789ab";
	count(XPT_EV_COUNTER_NOW, &alloc, &boxed, 1, 0);
	count(XPT_EV_COUNTER_NOW, &alloc, &other, 2, 0);
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",slurm_job=\"42\",user=\"1000\","
	    "domain=\"fake\",function=\"memAlloc\"} 1");
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",pod_uid=\"6b1f2c3d-0001-4aaa-8bbb-0123456789ab\","
	    "slurm_job=\"43\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 2");
}

/* Containers that come and go, each of an owner of its own: who runs then has lines, and sums stay. */
static void test_restarts(void **state)
{
	static struct xpt_proc many[3 * XPT_METRICS_GROUPS];
	static char container[3 * XPT_METRICS_GROUPS][16];
	static const struct xpt_result memory = { .code = 2, .name = "ERR_MEMORY" };
	struct xpt_event ended = { .kind = XPT_EV_EXIT };

	(void)state;
	xpt_metrics__set_owner(m, each_is_of_another, NULL);
	count(XPT_EV_COUNTER_NOW, &alloc, &train, 1, 0);
	for (unsigned i = 0; i < 3 * XPT_METRICS_GROUPS; i++) {
		snprintf(container[i], sizeof(container[i]), "c%u", i);
		many[i] = feed_proc(1000 + i, "pod");
		many[i].container = container[i];
		count(XPT_EV_COUNTER_NOW, &alloc, &many[i], 1, 0);
		count_errors(XPT_EV_ERRCOUNT_NOW, &many[i], 2, &memory, 1, true);
		ended.u.proc.proc = &many[i];
		ended.ts_ns = SEC + i;
		assert_int_equal(xpt_metrics_sink.event(&sink, &ended), 0);
		many[i].exit_ns = SEC + i;
		if (i % 2) {	/* of the others that comes later, if ever */
			count(XPT_EV_COUNTER, &alloc, &many[i], 2, 0);
			count_errors(XPT_EV_ERRCOUNT, &many[i], 2, &memory, 2, true);
		}
	}
	count(XPT_EV_COUNTER_NOW, &alloc, &boxed, 1, 0);
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 1");
	HAS("xputrace_calls_total{process=\"train\",container=\"\",user=\"0\",domain=\"fake\",function=\"memAlloc\"} 1");
	assert_non_null(strstr(print(), "container=\"c767\""));
	HAS_NOT("container=\"c0\"");
	assert_int_equal(sum_of("\nxputrace_calls_total{"), 2 + 3 * XPT_METRICS_GROUPS / 2 * 3);
	assert_int_equal(sum_of("\nxputrace_call_errors_total{"), 3 * XPT_METRICS_GROUPS / 2 * 3);
	HAS("xputrace_lost_total{loss=\"metrics_full\"} 0");
}

/* Who makes a cgroup with the name of another's container has lines of his own. */
static void test_same_container_of_another(void **state)
{
	struct xpt_proc other = boxed;

	(void)state;
	other.pid++;
	other.uid = 1001;
	count(XPT_EV_COUNTER, &alloc, &boxed, 1, 0);
	count(XPT_EV_COUNTER, &alloc, &other, 5, 0);
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 1");
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1001\",domain=\"fake\",function=\"memAlloc\"} 5");
}

static void test_losses_and_xids(void **state)
{
	static const struct xpt_rec_xid rec = { .xid = 79 }, alone = { .xid = 79, .source = XPT_XID_LOG_ALONE };
	static const struct xpt_xid xid = { .rec = &rec, .device = "0000:3b:00", .text = "" };
	struct xpt_xid with = xid;
	struct xpt_event ev = { .kind = XPT_EV_LOSS, .ts_ns = SEC };

	(void)state;
	ev.u.loss.loss = XPT_LOSS_RING_FULL;
	ev.u.loss.count = 7;
	xpt_metrics_sink.event(&sink, &ev);
	HAS("xputrace_lost_total{loss=\"ring_full\"} 7");
	HAS("xputrace_lost_total{loss=\"late\"} 0");
	with.info = xpt_xid__info(79);
	ev = (struct xpt_event){ .kind = XPT_EV_XID, .ts_ns = SEC };
	ev.u.xid = &with;
	xpt_metrics_sink.event(&sink, &ev);
	xpt_metrics_sink.event(&sink, &ev);
	assert_non_null(strstr(print(), "xputrace_xid_errors_total{gpu=\"0000:3b:00\",xid=\"79\","));
	assert_non_null(strstr(print(), ",severity=\"fatal\"} 2\n"));
	/* A line of the kernel's log that the probe in the driver has not seen is not known to be the driver's. */
	with.rec = &alone;
	xpt_metrics_sink.event(&sink, &ev);
	assert_non_null(strstr(print(), ",severity=\"unconfirmed\"} 1\n"));
	assert_non_null(strstr(print(), ",severity=\"fatal\"} 2\n"));
}

static void test_recordings(void **state)
{
	(void)state;
	HAS("xputrace_recordings_total{cause=\"hang\"} 2");
	HAS("xputrace_recordings_total{cause=\"xid\"} 0");
	HAS("xputrace_recordings_failed_total{cause=\"xid\"} 1");
}

static void read_device(const struct xpt_device *d, unsigned metric, uint32_t pid, const struct xpt_proc *proc,
			uint64_t value, uint64_t at)
{
	const struct xpt_reading r = { d, xpt_metric__find(metric), XPT_PART_NONE, pid, proc, value };
	struct xpt_event ev = { .kind = XPT_EV_READING, .ts_ns = at };

	assert_non_null(r.metric);
	ev.u.reading = &r;
	xpt_metrics_sink.event(&sink, &ev);
}

/* An old value looks healthy: what a device does not say any more is not shown. */
static void test_readings(void **state)
{
	static const struct xpt_device gpu = { .id = 1, .kind = XPT_DEVICE_GPU, .name = "H100", .uuid = "GPU-1",
					       .address = "0000:3b:00.0", .detail = "" };
	struct xpt_event tick = { .kind = XPT_EV_TICK, .ts_ns = 60 * SEC };

	(void)state;
	read_device(&gpu, XPT_METRIC_READER_UP, 0, NULL, 1, SEC);
	read_device(&gpu, XPT_METRIC_READER_SECONDS, 0, NULL, 1500000, SEC);
	read_device(&gpu, XPT_METRIC_READER_ABANDONED, 123, &train, 5, SEC);
	read_device(&gpu, XPT_METRIC_READER_ABANDONED, 124, &twin, 6, SEC);
	HAS("xputrace_device_reader_up{device=\"GPU 0\",uuid=\"GPU-1\",part=\"\",process=\"\"} 1");
	HAS("xputrace_device_reader_seconds{device=\"GPU 0\",uuid=\"GPU-1\",part=\"\",process=\"\"} 0.001500000");
	HAS("xputrace_device_reader_abandoned{device=\"GPU 0\",uuid=\"GPU-1\",part=\"\",process=\"train\"} 11");
	read_device(&gpu, XPT_METRIC_READER_UP, 0, NULL, 0, 2 * SEC);
	HAS("xputrace_device_reader_up{device=\"GPU 0\",uuid=\"GPU-1\",part=\"\",process=\"\"} 0");
	for (uint64_t at = 3; at < 13; at++) {	/* several records each */
		read_device(&gpu, XPT_METRIC_READER_UP, 0, NULL, 1, at * SEC);
		read_device(&gpu, XPT_METRIC_READER_STARTS, 0, NULL, 1, at * SEC + 1000);
		read_device(&gpu, XPT_METRIC_READER_ERRORS, 0, NULL, 1, at * SEC + MS);
	}
	HAS("xputrace_device_reader_seconds{device=\"GPU 0\",uuid=\"GPU-1\",part=\"\",process=\"\"} 0.001500000");
	read_device(&gpu, XPT_METRIC_READER_UP, 0, NULL, 1, 13 * SEC);
	read_device(&gpu, XPT_METRIC_READER_UP, 0, NULL, 1, 14 * SEC);
	HAS_NOT("device_reader_seconds");	/* 13 periods old */
	HAS("xputrace_device_reader_up{device=\"GPU 0\",uuid=\"GPU-1\",part=\"\",process=\"\"} 1");
	xpt_metrics_sink.event(&sink, &tick);
	HAS_NOT("device_reader");
}

/* One user has many functions, all of the longest names: others still get series, and the page fits. */
static void test_many_series(void **state)
{
	static struct xpt_fn fn[XPT_MAX_FNS];
	static struct xpt_proc many[8];
	static char name[257];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	for (unsigned i = 0; i < 8; i++)
		many[i] = feed_proc(1000 + i, name + sizeof(name) - 1 - 8 - i);
	for (unsigned i = 0; i < XPT_MAX_FNS; i++) {
		fn[i] = alloc;
		fn[i].name = name;
		for (unsigned k = 0; k < 8; k++) {
			count(XPT_EV_COUNTER_NOW, &fn[i], &many[k], 1, 1);
			count(XPT_EV_COUNTER, &fn[i], &many[k], 1, 1);
		}
	}
	count(XPT_EV_COUNTER, &alloc, &boxed, 1, 0);
	HAS("xputrace_calls_total{process=\"train\",container=\"abcdef012345\",user=\"1000\",domain=\"fake\",function=\"memAlloc\"} 1");
	assert_true(page.len < XPT_METRICS_BYTES / 2);
}

/* 10 calls of some 2 us, 5 of 17 ms: a bound holds what is at it or below. */
static void test_durations(void **state)
{
	struct xpt_wire_count n = { .calls = 15, .time_ns = 85020000 };
	struct xpt_event ev = { .kind = XPT_EV_COUNTER_NOW, .ts_ns = SEC };

	(void)state;
	n.hist[11] = 10;	/* up to 2^11 ns */
	n.hist[24] = 4;		/* up to 2^24 ns, a bound itself */
	n.hist[39] = 1;		/* beyond the last bound */
	ev.u.counter.fn = &alloc;
	ev.u.counter.proc = &train;
	ev.u.counter.dir = XPT_DIR_NONE;
	ev.u.counter.count = &n;
	xpt_metrics_sink.event(&sink, &ev);
	ev.u.counter.proc = &boxed;	/* all processes are one */
	xpt_metrics_sink.event(&sink, &ev);
	HAS("# TYPE xputrace_call_duration_seconds histogram");
#define BUCKET "xputrace_call_duration_seconds_bucket{domain=\"fake\",function=\"memAlloc\",le=\""
	HAS(BUCKET "0.000001024\"} 0");
	HAS(BUCKET "0.000004096\"} 20");
	HAS(BUCKET "0.004194304\"} 20");
	HAS(BUCKET "0.016777216\"} 28");
	HAS(BUCKET "17.179869184\"} 28");
	HAS(BUCKET "+Inf\"} 30");
	HAS("xputrace_call_duration_seconds_sum{domain=\"fake\",function=\"memAlloc\"} 0.170040000");
	HAS("xputrace_call_duration_seconds_count{domain=\"fake\",function=\"memAlloc\"} 30");
}

static void wait_in(const struct xpt_fn *fn, const struct xpt_proc *proc, uint64_t calls, uint64_t oldest_ns)
{
	struct xpt_event ev = { .kind = XPT_EV_INFLIGHT_NOW, .ts_ns = SEC };

	ev.u.inflight.fn = fn;
	ev.u.inflight.proc = proc;
	ev.u.inflight.calls = calls;
	ev.u.inflight.oldest_ns = oldest_ns;
	xpt_metrics_sink.event(&sink, &ev);
}

/* Of two processes with one name the oldest call counts; a call that has returned is not on the next page. */
static void test_in_flight(void **state)
{
	(void)state;
	wait_in(&copy, &train, 2, 3 * SEC);
	wait_in(&copy, &twin, 1, 7 * SEC);
	print();
	assert_non_null(strstr(xpt_strbuf__str(&page), "xputrace_calls_in_flight{" TRAIN ",domain=\"fake\",function=\"memcpy\"} 3\n"));
	assert_non_null(strstr(xpt_strbuf__str(&page),
			       "xputrace_call_in_flight_seconds{" TRAIN ",domain=\"fake\",function=\"memcpy\"} 7.000000000\n"));
	HAS_NOT("in_flight");
}

/* Calls of one user that hang in ever so many functions leave lines for those of another, page after page. */
static void test_many_in_flight(void **state)
{
	static struct xpt_proc many[40];
	static struct xpt_fn fns[512];
	static char name[512][16];
	char comm[40][8];

	(void)state;
	for (unsigned i = 0; i < 512; i++) {
		snprintf(name[i], sizeof(name[i]), "cu%u", i);
		fns[i] = alloc;
		fns[i].id = alloc.id + 2 + i;
		fns[i].name = name[i];
	}
	for (unsigned n = 0; n < 3; n++) {
		for (unsigned k = 0; k < 40; k++) {
			snprintf(comm[k], sizeof(comm[k]), "p%u", k);
			if (!n)
				many[k] = feed_proc(1000 + k, comm[k]);
			many[k].uid = 2000;
			for (unsigned i = 0; i < 512; i++)
				wait_in(&fns[i], &many[k], 1, 2 * SEC);
		}
		for (unsigned i = 0; i < 20; i++)
			wait_in(&fns[i], &boxed, 1, 5 * SEC);
		print();
		for (unsigned i = 0; i < 20; i++) {
			char line[128];

			snprintf(line, sizeof(line), "in_flight_seconds{process=\"train\",container=\"abcdef012345\",user=\"1000\","
				 "domain=\"fake\",function=\"cu%u\"} 5.000000000\n", i);
			assert_non_null(strstr(xpt_strbuf__str(&page), line));
		}
		assert_non_null(strstr(xpt_strbuf__str(&page), "loss=\"metrics_full\"} 0\n"));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_running_and_ended), TEST(test_durations), TEST(test_in_flight), TEST(test_many_in_flight), TEST(test_never_falls),
		TEST(test_forgotten), TEST(test_errors),
		TEST(test_many_names), TEST(test_owners), TEST(test_owner_known_late), TEST(test_workloads), TEST(test_many_codes), TEST(test_short_programs), TEST(test_long_names),
		TEST(test_restarts), TEST(test_same_container_of_another), TEST(test_many_series), TEST(test_losses_and_xids), TEST(test_recordings),
		TEST(test_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
