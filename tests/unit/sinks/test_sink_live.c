/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The live table, byte by byte: columns at several widths, nesting, hostile
 * names, losses, processes, calls in flight, failed writes.
 */
#include <errno.h>
#include <locale.h>
#include <time.h>
#include "unit/sink_feed.h"

extern const struct xpt_sink xpt_sink_live;

#define MIB (1ull << 20)

static void expect(struct feed *f, const char *want)
{
	assert_int_equal(feed_close(f), 0);
	assert_string_equal(f->text, want);
	free(f->text);
}

/* One call of every shape. */
static void feed_all(struct feed *f)
{
	uint64_t alloc[] = { 0x7f0000000000, 1024 * MIB }, fr[] = { 0x7f0000000000 };
	uint64_t copy[] = { 0x7f0000000000, 0x5500, 256 * MIB, 0, XPT_DIR_H2D };
	uint64_t launch[] = { 0xabc, 128, 1, 1, 256, 1, 1, 0 };
	uint64_t launch2[] = { 0xabc, 65535, 64, 1, 32, 32, 1, 4096 };

	feed_begin(f, 0);
	feed_proc_event(f, XPT_EV_PROC, &feed_proc, false, 0);
	feed_put(f, XPT_EV_CALL, feed_call(&feed_malloc, 1000, 123456, &feed_ok, alloc));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_copy, 200000, 4560000, &feed_ok, copy));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_launch, 5000000, 7100, &feed_ok, launch));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_launch, 5010000, 7100, &feed_ok, launch2));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_malloc, 6000000, 900, &feed_oom, alloc));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_peer_fn, 6001000, 900, &feed_peer, NULL));
	feed_put(f, XPT_EV_CALL, feed_call(&feed_free, 7000000, 2000, &feed_ok, fr));
	feed_put(f, XPT_EV_INFLIGHT, feed_call(&feed_sync, 8000000, 12300000000, &feed_ok, fr));
	feed_event(f, XPT_EV_END, 9000000);
}

static const char at_80[] =
	"    PID FUNCTION                       SIZE DURATION RESULT\n"
	"# 4711 train: ./train --leak\n"
	"   4711 cuMemAlloc_v2               1.0 GiB   123 us ok\n"
	"   4711 cuMemcpyHtoDAsync_v2 256.0 MiB HtoD  4.56 ms ok\n"
	"   4711 cuLaunchKernel        <<<128,256>>>  7.10 us ok\n"
	"   4711 cuLaunchKernel <<<65535x64,32x32>>>  7.10 us ok\n"
	"   4711 cuMemAlloc_v2               1.0 GiB   900 ns CUDA_ERROR_OUT_OF_MEMORY\n"
	"   4711 cuCtxEnablePeerAccess                 900 ns PEER_ACCESS_ALREADY_ENABLED\n"
	"   4711 cuMemFree_v2                         2.00 us ok\n"
	"   4711 cuStreamSynchronize                  >12.3 s in flight\n";

static const char at_60[] =
	"    PID FUNCTION               SIZE DURATION RESULT\n"
	"# 4711 train: ./train --leak\n"
	"   4711 cuMemAlloc_v2       1.0 GiB   123 us ok\n"
	"   4711 cuMemcpyHtoDAsync_v2 256.0 MiB HtoD 4.56 ms ok\n"
	"   4711 cuLaunchKernel <<<128,256>>> 7.10 us ok\n"
	"   4711 cuLaunchKernel <<<65535x64,32x32>>> 7.10 us ok\n"
	"   4711 cuMemAlloc_v2       1.0 GiB   900 ns OUT_OF_MEMORY\n"
	"   4711 cuCtxEnablePeerAccess         900 ns PEER_ACCESS_AL\xe2\x80\xa6\n"
	"   4711 cuMemFree_v2                 2.00 us ok\n"
	"   4711 cuStreamSynchronize          >12.3 s in flight\n";

static const char at_110[] =
	"    PID FUNCTION                               SIZE DURATION RESULT                       "
	"ARGUMENTS\n"
	"# 4711 train: ./train --leak\n"
	"   4711 cuMemAlloc_v2                       1.0 GiB   123 us ok                           "
	"dptr=0x7f0000000000\xe2\x80\xa6\n"
	"   4711 cuMemcpyHtoDAsync_v2         256.0 MiB HtoD  4.56 ms ok                           "
	"dstDevice=0x7f00000\xe2\x80\xa6\n"
	"   4711 cuLaunchKernel                <<<128,256>>>  7.10 us ok                           "
	"f=0xabc gridDimX=12\xe2\x80\xa6\n"
	"   4711 cuLaunchKernel         <<<65535x64,32x32>>>  7.10 us ok                           "
	"f=0xabc gridDimX=65\xe2\x80\xa6\n"
	"   4711 cuMemAlloc_v2                       1.0 GiB   900 ns CUDA_ERROR_OUT_OF_MEMORY     "
	"bytesize=1073741824\n"
	"   4711 cuCtxEnablePeerAccess                         900 ns PEER_ACCESS_ALREADY_ENABLED\n"
	"   4711 cuMemFree_v2                                 2.00 us ok                           "
	"dptr=0x7f0000000000\n"
	"   4711 cuStreamSynchronize                          >12.3 s in flight                    "
	"hStream=0x7f0000000\xe2\x80\xa6\n";

static const char raw_80[] =
	"    PID FUNCTION                       SIZE       DURATION RESULT\n"
	"# 4711 train: ./train --leak\n"
	"   4711 cuMemAlloc_v2            1073741824         123456 CUDA_SUCCESS\n"
	"   4711 cuMemcpyHtoDAsync_v2      268435456        4560000 CUDA_SUCCESS\n"
	"   4711 cuLaunchKernel                    -           7100 CUDA_SUCCESS\n"
	"   4711 cuLaunchKernel                    -           7100 CUDA_SUCCESS\n"
	"   4711 cuMemAlloc_v2            1073741824            900 CUDA_ERROR_OUT_OF_MEMORY\n"
	"   4711 cuCtxEnablePeerAccess             -            900 "
	"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED\n"
	"   4711 cuMemFree_v2                      -           2000 CUDA_SUCCESS\n"
	"   4711 cuStreamSynchronize               -    12300000000 in-flight\n";

static void table(unsigned columns, bool raw, const char *want)
{
	struct xpt_sink_cfg cfg = { .columns = columns, .raw = raw };
	struct feed f;

	feed_open(&f, &xpt_sink_live, &cfg);
	feed_all(&f);
	expect(&f, want);
}

static void test_widths(void **state)
{
	(void)state;
	table(80, false, at_80);
	table(0, false, at_80);		/* not known */
	table(60, false, at_60);
	table(20, false, at_60);	/* narrower than any table */
	table(110, false, at_110);
	table(80, true, raw_80);
}

/* Columns of the widest line, by the bytes that start a character. */
static size_t widest(const char *s)
{
	size_t max = 0, col = 0;

	for (; *s; s++) {
		col = *s == '\n' ? 0 : col + ((*s & 0xc0) != 0x80);
		max = col > max ? col : max;
	}
	return max;
}

static void test_show(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .show = XPT_SHOW_TIME | XPT_SHOW_THREAD };
	uint64_t alloc[] = { 0x7f0000000000, 4096 };
	struct xpt_call c;
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_begin(&f, 0);
	feed_event(&f, XPT_EV_ORIGIN, 2000000);	/* times count from there */
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1000000, 1000, &feed_ok, alloc));
	c = feed_call(&feed_malloc, 12347002000, 1000, &feed_oom, alloc);
	c.tid = 4712;
	feed_put(&f, XPT_EV_CALL, c);
	expect(&f, "        TIME     PID     TID FUNCTION               SIZE DURATION RESULT\n"
		   "   -0.001000    4711    4711 cuMemAlloc_v2       4.0 KiB  1.00 us ok\n"
		   "   12.345002    4711    4712 cuMemAlloc_v2       4.0 KiB  1.00 us OUT_OF_MEMORY\n");
	cfg.raw = true;
	cfg.show = XPT_SHOW_THREAD;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_put(&f, XPT_EV_CALL, c);
	expect(&f, "   4711    4712 cuMemAlloc_v2          4096           1000 CUDA_ERROR_OUT_OF_MEMORY\n");
}

static void test_clock(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .show = XPT_SHOW_TIME, .wall = true };
	uint64_t alloc[] = { 0x7f0000000000, 4096 };
	struct feed f;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_begin(&f, 1700000000000000000);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1234567, 1000, &feed_ok, alloc));
	expect(&f, "           TIME     PID FUNCTION               SIZE DURATION RESULT\n"
		   "22:13:20.001234    4711 cuMemAlloc_v2       4.0 KiB  1.00 us ok\n");
}

/* The result gives way before the function's name does. */
static void test_whole_names(void **state)
{
	static const struct xpt_fn fn = { .id = 9, .name = "cuGraphExecBatchMemOpNodeSetParams", .cls = XPT_CLASS_OTHER,
					  .ret = XPT_RET_STATUS, .domain_name = "cuda" };
	struct xpt_sink_cfg cfg = { .columns = 70 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_put(&f, XPT_EV_CALL, feed_call(&fn, 1000, 1000, &feed_peer, NULL));
	expect(&f, "   4711 cuGraphExecBatchMemOpNodeSetParams 1.00 us PEER_ACCESS_ALREAD…\n");
}

static void test_every_width(void **state)
{
	struct feed f;

	(void)state;
	for (unsigned w = 60; w <= 240; w++) {
		struct xpt_sink_cfg cfg = { .columns = w };

		feed_open(&f, &xpt_sink_live, &cfg);
		feed_all(&f);
		assert_int_equal(feed_close(&f), 0);
		if (widest(f.text) > w)
			fail_msg("%zu columns of %u:\n%s", widest(f.text), w, f.text);
		assert_non_null(strstr(f.text, " cuMemcpyHtoDAsync_v2 "));
		free(f.text);
	}
}

static void test_quiet(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .quiet = true };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_all(&f);
	feed_loss(&f, XPT_LOSS_RING_FULL, 3);
	expect(&f, "");
}

static void test_color(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .color = true };
	uint64_t v[] = { 0, 4096 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1, 500, &feed_ok, v));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1, 500, &feed_oom, v));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_sync, 1, 500, &feed_busy, v));
	expect(&f, "   4711 cuMemAlloc_v2               4.0 KiB   500 ns ok\n"
		   "   4711 cuMemAlloc_v2               4.0 KiB   500 ns "
		   "\033[31mCUDA_ERROR_OUT_OF_MEMORY\033[0m\n"
		   "   4711 cuStreamSynchronize                   500 ns CUDA_ERROR_NOT_READY\n");
}

/* cudaMalloc { cuMemAlloc { sync }, sync }: arrive innermost first. */
static void feed_nest(struct feed *f, uint64_t t0, bool outer)
{
	static uint64_t v[] = { 16, 4096 };

	feed_nested(f, feed_call(&feed_sync, t0 + 30, 10, &feed_ok, v), 2, 0);
	feed_nested(f, feed_call(&feed_malloc, t0 + 20, 100, &feed_ok, v), 1, 0);
	feed_nested(f, feed_call(&feed_sync, t0 + 130, 20, &feed_ok, v), 1, 0);
	if (outer)
		feed_nested(f, feed_call(&feed_rt_malloc, t0 + 10, 200, &feed_ok, v), 0,
			    XPT_CALL_OUTER);
}

#define INNER                                                                   \
	"   4711 \xe2\x94\x94 cuMemAlloc_v2             4.0 KiB   100 ns ok\n"  \
	"   4711   \xe2\x94\x94 cuStreamSynchronize                10 ns ok\n"  \
	"   4711 \xe2\x94\x94 cuStreamSynchronize                  20 ns ok\n"
#define OUTER "   4711 cudaMalloc                  4.0 KiB   200 ns ok\n"

static void test_nested(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_nest(&f, 1000, true);
	feed_nest(&f, 2000, false);	/* the call around them is lost */
	feed_nest(&f, 3000, true);
	feed_nest(&f, 4000, false);
	feed_event(&f, XPT_EV_TICK, 5000);	/* too young to give up */
	feed_proc_event(&f, XPT_EV_EXIT, &feed_proc, false, 1);
	feed_nest(&f, 6000, false);
	feed_event(&f, XPT_EV_TICK, 3000000000);
	feed_event(&f, XPT_EV_TICK, 9000000000);	/* the thread is forgotten */
	feed_nest(&f, 9000000000, false);
	feed_event(&f, XPT_EV_END, 9000001000);
	expect(&f, OUTER INNER INNER OUTER INNER INNER
		   "# 4711 train: exited with 0, 1 call cut off\n" INNER INNER);
}

static void test_nested_raw(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .raw = true };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_nest(&f, 1000, true);
	expect(&f, "   4711 cudaMalloc                     4096            200 CUDA_SUCCESS\n"
		   "   4711 >cuMemAlloc_v2                 4096            100 CUDA_SUCCESS\n"
		   "   4711 >>cuStreamSynchronize             -             10 CUDA_SUCCESS\n"
		   "   4711 >cuStreamSynchronize              -             20 CUDA_SUCCESS\n");
}

static size_t count_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

/* More nested calls than a thread, and more threads than the table, may hold. */
static void test_nested_bounds(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	uint64_t v[] = { 0 };
	struct xpt_call c;
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	for (unsigned i = 0; i < 1000; i++)
		feed_nested(&f, feed_call(&feed_sync, i, 1, &feed_ok, v), 1 + i % 16, 0);
	for (unsigned i = 0; i < 5000; i++) {
		c = feed_call(&feed_sync, i, 1, &feed_ok, v);
		c.tid = 100000 + i;
		feed_nested(&f, c, 1, 0);
	}
	assert_int_equal(feed_close(&f), 0);
	assert_int_equal(count_lines(f.text), 6000);
	free(f.text);
}

static void test_hostile(void **state)
{
	static const struct xpt_proc evil = { .pid = 7, .comm = "\033[2J\x9b\n#",
		.cmdline = "a\tb\r\n\xc2\x9b" "31m \xe2\x80\xae" "cba \xff\xfe \xf0\x9f\x98\x80" };
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_fn fn;
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_proc_event(&f, XPT_EV_PROC, &evil, false, 0);
	feed_proc_event(&f, XPT_EV_PROC, &evil, true, 0);
	fn = feed_peer_fn;
	fn.name = "x\033]0;owned\007y";
	feed_put(&f, XPT_EV_CALL, feed_call(&fn, 1, 2, &feed_ok, NULL));
	expect(&f, "# 7 ?[2J? #: a b  ?31m ?cba ?? \xf0\x9f\x98\x80\n"
		   "# 7 exec ?[2J? #: a b  ?31m ?cba ?? \xf0\x9f\x98\x80\n"
		   "   4711 x?]0;owned?y                            2 ns ok\n");
}

static void put_kernels(unsigned columns, bool raw, const char *want)
{
	static const char *const names[] = { "gemm", "at::native::vectorized_elementwise_kernel",
					     "unknown(0xabc)", "\033[31mred" };
	struct xpt_sink_cfg cfg = { .columns = columns, .raw = raw };
	uint64_t v[] = { 0xabc, 128, 1, 1, 256, 1, 1, 0 };
	struct xpt_call c;
	struct feed f;

	feed_open(&f, &xpt_sink_live, &cfg);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		c = feed_call(&feed_launch, 1000, 7100, &feed_ok, v);
		c.kernel = c.kernel_short = names[i];
		feed_put(&f, XPT_EV_CALL, c);
	}
	c = feed_call(&feed_launch, 1000, 7100, &feed_oom, v);
	c.kernel = c.kernel_short = names[0];
	feed_put(&f, XPT_EV_CALL, c);
	expect(&f, want);
}

/* The kernel stands behind the result where there is room, else in the arguments. */
static void test_kernels(void **state)
{
	(void)state;
	put_kernels(80, false,
		"   4711 cuLaunchKernel        <<<128,256>>>  7.10 us ok  gemm\n"
		"   4711 cuLaunchKernel        <<<128,256>>>  7.10 us ok  at::native::vectorized\xe2\x80\xa6\n"
		"   4711 cuLaunchKernel        <<<128,256>>>  7.10 us ok\n"
		"   4711 cuLaunchKernel        <<<128,256>>>  7.10 us ok  ?[31mred\n"
		"   4711 cuLaunchKernel        <<<128,256>>>  7.10 us CUDA_ERROR_OUT_OF_MEMORY\n");
	put_kernels(80, true,
		"   4711 cuLaunchKernel                    -           7100 CUDA_SUCCESS\n"
		"   4711 cuLaunchKernel                    -           7100 CUDA_SUCCESS\n"
		"   4711 cuLaunchKernel                    -           7100 CUDA_SUCCESS\n"
		"   4711 cuLaunchKernel                    -           7100 CUDA_SUCCESS\n"
		"   4711 cuLaunchKernel                    -           7100 CUDA_ERROR_OUT_OF_MEMORY\n");
	put_kernels(118, false,
		"   4711 cuLaunchKernel                <<<128,256>>>  7.10 us ok                           "
		"f=gemm gridDimX=128 gridDim\xe2\x80\xa6\n"
		"   4711 cuLaunchKernel                <<<128,256>>>  7.10 us ok                           "
		"f=at::native::vectorized_el\xe2\x80\xa6\n"
		"   4711 cuLaunchKernel                <<<128,256>>>  7.10 us ok                           "
		"f=0xabc gridDimX=128 gridDi\xe2\x80\xa6\n"
		"   4711 cuLaunchKernel                <<<128,256>>>  7.10 us ok                           "
		"f=?[31mred gridDimX=128 gri\xe2\x80\xa6\n"
		"   4711 cuLaunchKernel                <<<128,256>>>  7.10 us CUDA_ERROR_OUT_OF_MEMORY     "
		"f=gemm gridDimX=128 gridDim\xe2\x80\xa6\n");
}

static void test_long_command(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_proc p = { .pid = 7, .comm = "sh", .exe = "", .cmdline = "" };
	char *line = malloc(60001);
	struct feed f;

	(void)state;
	memset(line, 'x', 60000);
	line[60000] = '\0';
	p.cmdline = line;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_proc_event(&f, XPT_EV_PROC, &p, false, 0);
	assert_int_equal(feed_close(&f), 0);
	assert_int_equal(widest(f.text), 80);
	free(f.text);
	free(line);
}

static void test_comments(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_proc killed = { .pid = 8, .comm = "a", .exit_status = 9 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_loss(&f, XPT_LOSS_RING_FULL, 1234);
	feed_loss(&f, XPT_LOSS_RING_FULL, 1234);
	feed_loss(&f, XPT_LOSS__MAX, 1);
	feed_proc_event(&f, XPT_EV_EXIT, &killed, false, 0);
	expect(&f, "# lost so far: 1,234 calls not sent as events: ring buffer full\n"
		   "# 8 a: killed by signal 9 (Killed)\n");
}

/* Without UTF-8 nothing but ASCII comes out. */
static void test_ascii(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 60 };
	struct feed f;

	(void)state;
	setlocale(LC_CTYPE, "C");
	feed_open(&f, &xpt_sink_live, &cfg);
	feed_all(&f);
	feed_nest(&f, 1000, true);
	setlocale(LC_CTYPE, "C.UTF-8");
	assert_int_equal(feed_close(&f), 0);
	for (const char *s = f.text; *s; s++)
		assert_true((*s >= ' ' && *s < 0x7f) || *s == '\n');
	assert_non_null(strstr(f.text, "PEER_ACCESS_...\n"));
	assert_non_null(strstr(f.text, "   4711   `- cuStreamSynchronize"));
	free(f.text);
}

static void test_full_device(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .file = fopen("/dev/full", "w") };
	struct feed f;

	(void)state;
	assert_non_null(cfg.file);
	feed_open(&f, &xpt_sink_live, &cfg);
	assert_int_equal(feed_begin(&f, 0), -ENOSPC);
	feed_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_every_width),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_nested_raw),
		cmocka_unit_test(test_nested_bounds),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_show), cmocka_unit_test(test_clock), cmocka_unit_test(test_whole_names),
		cmocka_unit_test(test_long_command),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_full_device),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
