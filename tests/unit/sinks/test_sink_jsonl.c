/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: jq
 * JSON lines, byte by byte, and that every line of hostile input is JSON; the
 * size limit and failed writes; the jq one-liners of docs/format.md and what
 * they must answer, with and without phases.
 */
#include <errno.h>
#include <unistd.h>
#include "unit/sink_feed.h"

extern const struct xpt_sink xpt_sink_jsonl;

#define WALL 1700000000000000000

static void expect(struct feed *f, const char *want)
{
	assert_int_equal(feed_close(f), 0);
	assert_string_equal(f->text, want);
	free(f->text);
}

#define WHO(ph, depth)                                                                        \
	",\"phase\":\"" ph "\",\"pid\":4711,\"tid\":4711,\"comm\":\"train\",\"depth\":" depth

#define ALLOC_HEAD(id, ts, type) "{\"event_id\":" id ",\"ts\":" ts ",\"type\":\"" type \
	"\",\"layer\":\"api\",\"domain\":\"cuda\",\"class\":\"alloc\",\"kind\":\"device\"," \
	"\"name\":\"cuMemAlloc_v2\""

static void test_alloc(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	uint64_t v[] = { 0x7f0000000000, 1073741824 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_begin(&f, WALL);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1500000001, 123456, &feed_ok, v));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 2000000000, 7, &feed_oom, v));
	expect(&f, ALLOC_HEAD("1", "1700000001.500000001", "memory") WHO("X", "0")
		   ",\"duration_us\":123.456,\"result\":\"CUDA_SUCCESS\",\"code\":0,\"failed\":false"
		   ",\"size\":1073741824,\"ptr\":\"0x7f0000000000\""
		   ",\"args\":{\"dptr\":\"0x7f0000000000\",\"bytesize\":1073741824}}\n"
		   ALLOC_HEAD("2", "1700000002.000000000", "memory") WHO("X", "0")
		   ",\"duration_us\":0.007,\"result\":\"CUDA_ERROR_OUT_OF_MEMORY\",\"code\":2"
		   ",\"failed\":true,\"size\":0,\"ptr\":null"
		   ",\"args\":{\"dptr\":null,\"bytesize\":1073741824}}\n");
}

/* Innermost first; a call that has not returned has one too. */
static void test_stack(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_call c = feed_call(&feed_peer_fn, 1, 1000, &feed_ok, NULL);
	struct {
		struct xpt_stack st;
		struct xpt_frame_name frame[2];
	} s = { { .nr = 2 }, { { "f<\"x\">+0x1", "/bin/a" }, { "main+0x2f", "/bin/a" } } };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	c.stack = &s.st;
	feed_put(&f, XPT_EV_CALL, c);
	s.st.truncated = true;
	feed_put(&f, XPT_EV_INFLIGHT, c);
	s.st.nr = 0;
	feed_put(&f, XPT_EV_CALL, c);
	assert_int_equal(feed_close(&f), 0);
	assert_non_null(strstr(f.text, "\"args\":{},\"stack\":[\"f<\\\"x\\\">+0x1\",\"main+0x2f\"]}\n"));
	assert_non_null(strstr(f.text, "\"in_flight\":true,\"age_us\":1.000,\"args\":{},\"stack\":["
				       "\"f<\\\"x\\\">+0x1\",\"main+0x2f\"],\"stack_truncated\":true}\n"));
	assert_non_null(strstr(f.text, "\"args\":{},\"stack\":[],\"stack_truncated\":true}\n"));
	free(f.text);
}

static void test_copy_free_launch(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	uint64_t copy[] = { 0xd0, 0x50, 4096, 0, XPT_DIR_H2D }, fr[] = { 0xd0 };
	uint64_t launch[] = { 0xabc, 128, 1, 1, 256, 1, 1, 0 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_copy, 1, 1000, &feed_ok, copy));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_free, 2, 1000, &feed_ok, fr));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_launch, 3, 1000, &feed_ok, launch));
	expect(&f, "{\"event_id\":1,\"ts\":0.000000001,\"type\":\"transfer\",\"layer\":\"api\""
		   ",\"domain\":\"cuda\",\"class\":\"copy\",\"name\":\"cuMemcpyHtoDAsync_v2\""
		   WHO("X", "0") ",\"duration_us\":1.000,\"result\":\"CUDA_SUCCESS\",\"code\":0"
		   ",\"failed\":false,\"size\":4096,\"ptr\":\"0xd0\",\"direction\":\"HtoD\""
		   ",\"args\":{\"dstDevice\":\"0xd0\",\"srcHost\":\"0x50\",\"ByteCount\":4096"
		   ",\"hStream\":\"0x0\"}}\n"
		   "{\"event_id\":2,\"ts\":0.000000002,\"type\":\"memory\",\"layer\":\"api\""
		   ",\"domain\":\"cuda\",\"class\":\"free\",\"name\":\"cuMemFree_v2\""
		   WHO("X", "0") ",\"duration_us\":1.000,\"result\":\"CUDA_SUCCESS\",\"code\":0"
		   ",\"failed\":false,\"size\":null,\"ptr\":\"0xd0\",\"args\":{\"dptr\":\"0xd0\"}}\n"
		   "{\"event_id\":3,\"ts\":0.000000003,\"type\":\"kernel\",\"layer\":\"api\""
		   ",\"domain\":\"cuda\",\"class\":\"launch\",\"name\":\"cuLaunchKernel\""
		   WHO("X", "0") ",\"duration_us\":1.000,\"result\":\"CUDA_SUCCESS\",\"code\":0"
		   ",\"failed\":false,\"size\":null,\"ptr\":null,\"args\":{\"f\":\"0xabc\""
		   ",\"gridDimX\":128,\"gridDimY\":1,\"gridDimZ\":1,\"blockDimX\":256"
		   ",\"blockDimY\":1,\"blockDimZ\":1,\"sharedMemBytes\":0}}\n");
}

static void test_kernel(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	uint64_t launch[] = { 0xabc, 128, 1, 1, 256, 1, 1, 0 };
	struct xpt_call c = feed_call(&feed_launch, 3, 1000, &feed_ok, launch);
	struct feed f;

	(void)state;
	c.kernel = "void g<\"x\">(int)";
	c.kernel_short = "g";
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_put(&f, XPT_EV_INFLIGHT, c);
	expect(&f, "{\"event_id\":1,\"ts\":0.000000003,\"type\":\"kernel\",\"layer\":\"api\""
		   ",\"domain\":\"cuda\",\"class\":\"launch\",\"name\":\"cuLaunchKernel\""
		   WHO("B", "0") ",\"in_flight\":true,\"age_us\":1.000"
		   ",\"kernel\":\"void g<\\\"x\\\">(int)\""
		   ",\"args\":{\"f\":\"0xabc\""
		   ",\"gridDimX\":128,\"gridDimY\":1,\"gridDimZ\":1,\"blockDimX\":256"
		   ",\"blockDimY\":1,\"blockDimZ\":1,\"sharedMemBytes\":0}}\n");
}

static void test_phases(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .phases = true };
	uint64_t v[] = { 0xd0, 64 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1, 2000, &feed_ok, v));
	expect(&f, ALLOC_HEAD("1", "0.000000001", "memory") WHO("B", "0")
		   ",\"args\":{\"bytesize\":64}}\n"
		   ALLOC_HEAD("1", "0.000002001", "memory") WHO("E", "0")
		   ",\"duration_us\":2.000,\"result\":\"CUDA_SUCCESS\",\"code\":0,\"failed\":false"
		   ",\"size\":64,\"ptr\":\"0xd0\",\"args\":{\"dptr\":\"0xd0\",\"bytesize\":64}}\n");
}

static void test_in_flight(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	uint64_t v[] = { 0xd0, 64 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_put(&f, XPT_EV_INFLIGHT, feed_call(&feed_malloc, 1, 2000, &feed_ok, v));
	expect(&f, ALLOC_HEAD("1", "0.000000001", "memory") WHO("B", "0")
		   ",\"in_flight\":true,\"age_us\":2.000,\"args\":{\"bytesize\":64}}\n");
}

/* The call around another of its class is no second operation. */
static void test_outer(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	uint64_t v[] = { 0xd0, 64 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_nested(&f, feed_call(&feed_malloc, 2, 10, &feed_ok, v), 1, 0);
	feed_nested(&f, feed_call(&feed_rt_malloc, 1, 20, &feed_ok, v), 0, XPT_CALL_OUTER);
	assert_int_equal(feed_close(&f), 0);
	assert_non_null(strstr(f.text, "\"type\":\"memory\",\"layer\":\"api\",\"domain\":\"cuda\","));
	assert_non_null(strstr(f.text, "\"type\":\"userspace\",\"layer\":\"api\",\"domain\":\"cudart\","));
	assert_non_null(strstr(f.text, "\"depth\":1,"));
	free(f.text);
}

/* A value of every kind: not read, signed, direction, void and pointer results. */
static void test_values(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_fn fn;
	uint64_t v[] = { (uint64_t)-5, 3, 9, UINT64_MAX };
	struct xpt_call c;
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	fn = (struct xpt_fn){ .id = 20, .name = "f", .domain_name = "d", .layer = XPT_LAYER_DRIVER,
			      .ret = XPT_RET_NONE, .nr_caps = 4,
			      .cap = { { XPT_CAP_VAL, 0, 0x84, XPT_ROLE_VALUE, 0 },
				       { XPT_CAP_VAL, 1, 4, XPT_ROLE_DIR, 0 },
				       { XPT_CAP_VAL, 2, 4, XPT_ROLE_DIR, 0 },
				       { XPT_CAP_VAL, 3, 8, XPT_ROLE_FLAGS, 0 } },
			      .cap_name = { "a", "b", "c", "d" } };
	memset(fn.role_idx, -1, sizeof(fn.role_idx));
	c = feed_call(&fn, 1, 2, &feed_ok, v);
	c.result = NULL;
	c.valid = 0x7;
	feed_put(&f, XPT_EV_CALL, c);
	fn.ret = XPT_RET_POINTER;
	c.ret = 0x1234;
	feed_put(&f, XPT_EV_CALL, c);
	fn.ret = XPT_RET_VALUE;
	c.ret = -7;
	feed_put(&f, XPT_EV_CALL, c);
	assert_int_equal(feed_close(&f), 0);
	assert_non_null(strstr(f.text, "\"type\":\"kernel\",\"layer\":\"driver\""));
	assert_non_null(strstr(f.text, "\"args\":{\"a\":-5,\"b\":\"DtoD\",\"c\":9,\"d\":null}}\n"));
	assert_non_null(strstr(f.text, "\"result\":null,\"code\":null,\"failed\":false,"));
	assert_non_null(strstr(f.text, "\"result\":\"0x1234\",\"code\":\"0x1234\","));
	assert_non_null(strstr(f.text, "\"result\":\"-7\",\"code\":-7,"));
	free(f.text);
}

/* Strings of the traced side cannot break a line or leave their quotes. */
static void test_hostile(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	uint64_t v[] = { 1 };
	struct xpt_fn fn;
	struct xpt_call c;
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	fn = feed_free;
	fn.name = "a\"},{\"x\":\"";
	fn.cap_name[0] = "\n\\";
	c = feed_call(&fn, 1, 2, &feed_ok, v);
	c.comm = "\033[2J\"\xff\n";
	feed_put(&f, XPT_EV_CALL, c);
	assert_int_equal(feed_close(&f), 0);
	assert_ptr_equal(strchr(f.text, '\n'), f.text + f.len - 1);
	assert_non_null(strstr(f.text, "\"comm\":\"\\u001b[2J\\\"\xef\xbf\xbd\\n\","));
	assert_non_null(strstr(f.text, "\"name\":\"a\\\"},{\\\"x\\\":\\\"\","));
	assert_non_null(strstr(f.text, "\"args\":{\"\\n\\\\\":\"0x1\"}}"));
	free(f.text);
}

static void test_loss(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_loss(&f, XPT_LOSS_RING_FULL, 0);
	feed_loss(&f, XPT_LOSS_RING_FULL, 12);
	feed_loss(&f, XPT_LOSS_RING_FULL, 12);
	feed_loss(&f, XPT_LOSS__MAX, 12);
	expect(&f, "{\"type\":\"loss\",\"ts\":0.000005000,\"name\":\"ring_full\",\"count\":12,"
		   "\"text\":\"calls not sent as events: ring buffer full\"}\n");
}

/* Never beyond the limit, told once, whole lines, and the last line says it. */
static void test_max_bytes(void **state)
{
	uint64_t v[] = { 0xd0, 64 };

	(void)state;
	for (uint64_t max = 1; max < 3000; max += 7) {
		struct xpt_sink_cfg cfg = { .columns = 80, .max_bytes = max };
		int err, told = 0;
		struct feed f;

		feed_open(&f, &xpt_sink_jsonl, &cfg);
		for (int i = 0; i < 20; i++) {
			err = feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1, 2, &feed_ok, v));
			assert_true(err == 0 || err == XPT_SINK_FULL);
			told += err != 0;
			if (i % 5 == 4)
				assert_int_equal(feed_event(&f, XPT_EV_TICK, 100), 0);
		}
		assert_int_equal(feed_close(&f), 0);
		assert_int_equal(told, 1);
		assert_true(f.len <= max);
		assert_true(!f.len || f.text[f.len - 1] == '\n');
		assert_true(max < 200 || strstr(f.text, "\"name\":\"file_limit\"") != NULL);
		free(f.text);
	}
}

static void test_full_device(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .file = fopen("/dev/full", "w") };
	uint64_t v[] = { 0xd0, 64 };
	struct feed f;

	(void)state;
	assert_non_null(cfg.file);
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1, 2, &feed_ok, v));
	assert_int_equal(feed_event(&f, XPT_EV_TICK, 100), -ENOSPC);
	feed_close(&f);
}

/* Runs `cd TMPDIR; command` and compares its output; skips without jq. */
static void answers(const char *dir, const char *command, const char *want)
{
	char line[600], got[2000];
	FILE *p;
	size_t n;

	snprintf(line, sizeof(line), "cd '%s' && %s", dir, command);
	p = popen(line, "r");
	assert_non_null(p);
	n = fread(got, 1, sizeof(got) - 1, p);
	got[n] = '\0';
	if (pclose(p) != 0)
		fail_msg("failed: %s", line);
	assert_string_equal(got, want);
}

/*
 * Two allocations through the runtime (one inside the other, counted once),
 * one that fails on both layers, a direct one, a free, copies, two launches
 * of which one is nested, a call in flight and a loss.
 */
static void feed_trace(struct feed *f)
{
	uint64_t a[] = { 0xd0, 1000 }, b[] = { 0xe0, 500 }, fr[] = { 0xd0 };
	uint64_t copy[] = { 0xd0, 0x50, 4096, 0, XPT_DIR_H2D };
	uint64_t launch[] = { 0xabc, 128, 1, 1, 256, 1, 1, 0 };

	feed_begin(f, WALL);
	for (int i = 0; i < 2; i++) {
		feed_nested(f, feed_call(&feed_malloc, 20, 100, &feed_ok, a), 1, 0);
		feed_nested(f, feed_call(&feed_rt_malloc, 10, 200, &feed_ok, a), 0,
			    XPT_CALL_OUTER);
	}
	feed_nested(f, feed_call(&feed_malloc, 300, 5000, &feed_oom, a), 1, 0);
	feed_nested(f, feed_call(&feed_rt_malloc, 290, 6000, &feed_oom, a), 0, XPT_CALL_OUTER);
	feed_put(f, XPT_EV_CALL, feed_call(&feed_malloc, 7000, 300, &feed_ok, b));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_free, 8000, 400, &feed_ok, fr));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_copy, 9000, 7000, &feed_ok, copy));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_launch, 17000, 800, &feed_ok, launch));
	feed_nested(f, feed_call(&feed_launch, 18000, 900, &feed_ok, launch), 1, 0);
	feed_put(f, XPT_EV_INFLIGHT, feed_call(&feed_sync, 19000, 999999, &feed_ok, fr));
	feed_loss(f, XPT_LOSS_RING_FULL, 3);
	feed_event(f, XPT_EV_END, 20000);
}

static void one_liners(bool phases, const char *types)
{
	const char *tmp = getenv("TMPDIR");
	char dir[200], path[220];
	struct xpt_sink_cfg cfg = { .columns = 80, .phases = phases };
	struct feed f;

	snprintf(dir, sizeof(dir), "%s/jsonl-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
	cfg.file = fopen(path, "w");
	assert_non_null(cfg.file);
	feed_open(&f, &xpt_sink_jsonl, &cfg);
	feed_trace(&f);
	assert_int_equal(feed_close(&f), 0);

	answers(dir, "jq -r .type x | sort | uniq -c | sed 's/^ *//'", types);
	answers(dir, "jq 'select(.duration_us)|{name,duration_us}' x | "
		     "jq -s -c 'sort_by(.duration_us)|reverse|.[0:3]'",
		"[{\"name\":\"cuMemcpyHtoDAsync_v2\",\"duration_us\":7},"
		"{\"name\":\"cudaMalloc\",\"duration_us\":6},"
		"{\"name\":\"cuMemAlloc_v2\",\"duration_us\":5}]\n");
	answers(dir, "jq 'select(.type==\"memory\")' x | jq -s 'map(.size)|add'", "2500\n");
	answers(dir, "jq 'select(.type==\"transfer\")' x | jq -s 'map(.size)|add'", "4096\n");
	answers(dir, "jq 'select(.type==\"kernel\" and .name==\"cuLaunchKernel\")' x | "
		     "jq -s 'map(select(.duration_us))|length'", "2\n");
	answers(dir, "jq -r 'select(.failed and .type==\"memory\")|.args.bytesize' x", "1000\n");
	answers(dir, "jq -r 'select(.in_flight)|.name' x", "cuStreamSynchronize\n");
	answers(dir, "jq -s 'map(select(.event_id)|keys|map(select(. == (\"event_id\",\"ts\",\"type\","
		     "\"layer\",\"name\",\"phase\",\"pid\",\"tid\",\"comm\")))|length)|unique|.[]' x",
		"9\n");
	unlink(path);
	rmdir(dir);
}

static void test_one_liners(void **state)
{
	(void)state;
	if (system("jq --version >/dev/null 2>&1") != 0)
		skip();
	one_liners(false, "2 kernel\n1 loss\n5 memory\n1 transfer\n4 userspace\n");
	one_liners(true, "4 kernel\n1 loss\n10 memory\n2 transfer\n7 userspace\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_stack), cmocka_unit_test(test_copy_free_launch),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_outer),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_max_bytes),
		cmocka_unit_test(test_full_device),
		cmocka_unit_test(test_one_liners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
