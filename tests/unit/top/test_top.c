/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * top/: rates of two snapshots, also of processes that came, ended or lost their rows; order and filter; keys; and pages of
 * 80x24 and 120x40 as they are to look.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/text.h"
#include "top/draw.h"
#include "top/rates_json.h"
#include "top/view.h"

#define HEAD "{\"xputrace_snapshot\":1,\"version\":\"1.0\",\"pid\":9,\"began_ns\":1,"
#define FUNCTIONS "\"functions\":[{\"name\":\"cuLaunchKernel\",\"domain\":\"cuda\",\"class\":\"launch\"}," \
	"{\"name\":\"cuMemcpyHtoD_v2\",\"domain\":\"cuda\",\"class\":\"copy\"}," \
	"{\"name\":\"cuStreamSynchronize\",\"domain\":\"cuda\",\"class\":\"sync\"}]"
/* Another order, as of an agent that was started anew, and one more. */
#define FUNCTIONS_TURNED "\"functions\":[{\"name\":\"cuStreamSynchronize\",\"domain\":\"cuda\",\"class\":\"sync\"}," \
	"{\"name\":\"cuMemAlloc_v2\",\"domain\":\"cuda\",\"class\":\"alloc\"}," \
	"{\"name\":\"cuMemcpyHtoD_v2\",\"domain\":\"cuda\",\"class\":\"copy\"}," \
	"{\"name\":\"cuLaunchKernel\",\"domain\":\"cuda\",\"class\":\"launch\"}]"

/* train launches and copies, hung waits since 30 s; a fleet of others. */
static const char before[] = HEAD "\"ts_ns\":10000000000,\"unix_ns\":1500000000000000000," FUNCTIONS ",\"processes\":["
	"{\"pid\":0,\"name\":\"(other)\",\"calls\":[{\"function\":0,\"calls\":100}]},"
	"{\"pid\":40,\"name\":\"gone\",\"since_ns\":3,\"calls\":[{\"function\":0,\"calls\":1000}]},"
	"{\"pid\":100,\"name\":\"train\",\"uid\":1000,\"since_ns\":5,\"calls\":["
	"{\"function\":0,\"calls\":1000,\"time_ns\":5000000},"
	"{\"function\":1,\"calls\":10,\"time_ns\":1000000,\"bytes\":{\"HtoD\":1048576}},"
	"{\"function\":2,\"calls\":10,\"time_ns\":100000000,\"durations\":[0,0,0,0,0,4,6]}]},"
	"{\"pid\":200,\"name\":\"hung\",\"uid\":0,\"since_ns\":6,\"calls\":["
	"{\"function\":2,\"calls\":0,\"in_flight\":1,\"oldest_ns\":30000000000,\"waited_ns\":30000000000}]}]}";

static const char after[] = HEAD "\"ts_ns\":12000000000,\"unix_ns\":1500000002000000000," FUNCTIONS_TURNED ",\"processes\":["
	"{\"pid\":0,\"name\":\"(other)\",\"calls\":[{\"function\":3,\"calls\":1150}]},"
	"{\"pid\":100,\"name\":\"train\",\"uid\":1000,\"container\":\"3f4e5d6c7b8a9012\",\"since_ns\":5,"
	"\"open_bytes\":{\"device\":503316480,\"host\":33554432,\"registered\":4096},\"calls\":["
	"{\"function\":0,\"calls\":30,\"time_ns\":1100000000,\"durations\":[0,0,0,0,0,4,6,0,19,1]},"
	"{\"function\":1,\"calls\":4,\"nested_calls\":2,\"errors\":4,\"nested_errors\":2,\"time_ns\":4000},"
	"{\"function\":2,\"calls\":20,\"outer_calls\":5,\"outer_bytes\":1048576,\"time_ns\":2000000,\"bytes\":{\"HtoD\":5242880}},"
	"{\"function\":3,\"calls\":25000,\"outer_calls\":0,\"time_ns\":125000000}]},"
	"{\"pid\":150,\"name\":\"new\",\"uid\":0,\"since_ns\":11000000000,\"calls\":[{\"function\":3,\"calls\":8}]},"
	"{\"pid\":160,\"name\":\"done\",\"uid\":0,\"since_ns\":7,\"ended_ns\":11500000000,\"calls\":[{\"function\":3,\"calls\":2}]},"
	"{\"pid\":200,\"name\":\"hung\",\"uid\":0,\"since_ns\":6,\"calls\":["
	"{\"function\":0,\"calls\":0,\"in_flight\":1,\"oldest_ns\":32000000000,\"waited_ns\":32000000000}]}],"
	"\"devices\":[{\"kind\":\"gpu\",\"label\":\"GPU 0\",\"name\":\"NVIDIA H100 80GB HBM3\",\"readings\":["
	"{\"metric\":\"gpu_utilization_ratio\",\"value\":0.87},{\"metric\":\"gpu_memory_used_bytes\",\"value\":48533340160},"
	"{\"metric\":\"gpu_memory_total_bytes\",\"value\":85520809984},{\"metric\":\"gpu_power_watts\",\"value\":512.5},"
	"{\"metric\":\"gpu_temperature_celsius\",\"value\":61},"
	"{\"metric\":\"gpu_process_memory_used_bytes\",\"pid\":100,\"process\":\"train\",\"value\":1073741824},"
	"{\"metric\":\"gpu_process_sm_utilization_ratio\",\"pid\":100,\"process\":\"train\",\"value\":0.8},"
	"{\"metric\":\"gpu_process_memory_used_bytes\",\"pid\":300,\"process\":\"idle\",\"value\":2147483648}]},"
	"{\"kind\":\"rdma\",\"label\":\"mlx5_0\",\"readings\":["
	"{\"metric\":\"infiniband_state_id\",\"part\":1,\"value\":4},"
	"{\"metric\":\"infiniband_rate_bytes_per_second\",\"part\":1,\"value\":50000000000},"
	"{\"metric\":\"infiniband_state_id\",\"part\":2,\"value\":1}]},"
	"{\"kind\":\"nvme\",\"label\":\"nvme0\",\"readings\":[{\"metric\":\"nvme_state_live\",\"value\":1}]}]}";

static struct xpt_snapshot *old, *now;
static struct xpt_top_rates *r;
static struct xpt_top_view v;
static struct xpt_top_page page;

static int setup(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	v = (struct xpt_top_view){ .source = "agent 9", .utf8 = true };
	v.sort[1] = XPT_TOP_BY_WAIT;
	return xpt_snapshot__parse(before, strlen(before), &old) || xpt_snapshot__parse(after, strlen(after), &now) ||
	       xpt_top_rates__new(old, now, &r);
}

static int teardown(void **state)
{
	(void)state;
	xpt_top_rates__free(r);
	xpt_snapshot__free(old);
	xpt_snapshot__free(now);
	xpt_top_page__free(&page);
	return 0;
}

static const struct xpt_top_process *process(const char *name)
{
	for (uint32_t i = 0; i < r->nr_processes; i++)
		if (!strcmp(r->process[i].process.name, name))
			return &r->process[i];
	fail_msg("no process %s", name);
	return NULL;
}

static void test_rates(void **state)
{
	const struct xpt_top_process *p = process("train");

	(void)state;
	assert_int_equal(r->interval_ns, 2000000000);
	assert_int_equal(p->launches, 24000);
	assert_int_equal(p->calls, 24000 + 10 + 20 + 2);
	assert_int_equal(p->copied, 4194304 - 1048576);
	assert_int_equal(p->errors, 2);
	assert_float_equal(p->wait, 0.5, 1e-9);
	assert_float_equal(p->gpu, 0.8, 1e-9);
	assert_int_equal(p->memory, 1 << 30);
	assert_null(p->oldest);
	p = process("hung");
	assert_float_equal(p->wait, 1, 1e-9);
	assert_string_equal(p->oldest->name, "cuStreamSynchronize");
	assert_int_equal(process("new")->launches, 8);
	assert_int_equal(process("idle")->memory, 2147483648u);
	assert_int_equal(process("idle")->nr, 0);
	/* What a process had done before it lost its row is no work of now. */
	assert_int_equal(process("(other)")->calls, 50);
}

static void test_first(void **state)
{
	struct xpt_top_rates *first;

	(void)state;
	assert_int_equal(xpt_top_rates__new(NULL, now, &first), 0);
	assert_int_equal(first->interval_ns, 0);
	for (uint32_t i = 0; i < first->nr_processes; i++)
		assert_int_equal(first->process[i].calls, 0);
	xpt_top_rates__free(first);
}

static void test_json(void **state)
{
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1 << 20);
	xpt_top_rates__print_json(r, "agent 9", &sb);
	assert_int_equal(xpt_strbuf__err(&sb), 0);
	assert_non_null(strstr(sb.s, "{\"xputrace_top\":1,\"source\":\"agent 9\","));
	assert_non_null(strstr(sb.s, "{\"name\":\"train\",\"pid\":100,\"uid\":1000,\"container\":\"3f4e5d6c7b8a9012\",\"calls\":25052,"
				     "\"errors\":2,\"calls_per_second\":12016.000,\"launches_per_second\":12000.000,"));
	assert_non_null(strstr(sb.s, "\"function\":\"cuMemcpyHtoD_v2\",\"domain\":\"cuda\",\"class\":\"copy\",\"calls\":20,"
				     "\"nested_calls\":0,\"errors\":0,\"time_ns\":2000000,\"bytes\":{\"HtoD\":5242880},"));
	assert_non_null(strstr(sb.s, ",\"durations\":[{\"up_to_ns\":1048576,\"calls\":4},{\"up_to_ns\":4194304,\"calls\":6},"
				     "{\"up_to_ns\":67108864,\"calls\":19},{\"up_to_ns\":268435456,\"calls\":1}]"));
	assert_non_null(strstr(sb.s, "{\"metric\":\"gpu_power_watts\",\"value\":512.500}"));
	assert_non_null(strstr(sb.s, ",\"cut\":0,"));
	assert_null(strchr(sb.s, '\n'));
	xpt_strbuf__free(&sb);
}

/* --- pages -------------------------------------------------------------------------------------------- */

static const char *look(unsigned width, unsigned height)
{
	static char text[16384];
	size_t n = 0;

	xpt_top_view__draw(&v, r, width, height, &page);
	assert_int_equal(page.err, 0);
	for (unsigned i = 0; i < page.nr; i++) {
		const char *line = xpt_strbuf__str(&page.line[i].text);
		size_t len = strlen(line);

		assert_true(xpt_text_columns(line, true) <= width);
		while (len && line[len - 1] == ' ')
			len--;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s\n", (int)len, line);
	}
	text[n] = '\0';
	return text;
}

static void press(const char *keys)
{
	for (; *keys; keys++)
		xpt_top_view__key(&v, (uint32_t)*keys);
}

static void test_processes(void **state)
{
	(void)state;
	assert_string_equal(look(80, 24),
		"xputrace top: 4 processes, counted by agent 9                  2.0 s to 02:40:02\n"
		"GPU 0   busy  87%   mem 45.2G of 79.6G    512 W    61 C   NVIDIA H100 80GB HBM3\n"
		"calls 12.0k/s  launches 12.0k/s  copied 1.5M/s  errors 1/s  in flight 1 (32s)\n"
		"    PID NAME         CALLS/s LNCH/s COPY/s  WAIT  GPU   MEM ERR/s IN FLIGHT\n"
		"    200 hung               0      0      0  100%    -     -     0 32s cuStreamS…\n"
		"    100 train          12.0k  12.0k   1.5M   50%  80%  1.0G     1\n"
		"    150 new                4      4      0    0%    -     -     0\n"
		"    300 idle               0      0      0    0%    -  2.0G     0\n"
		"    160 done               1      1      0    0%    -     -     0 (ended)\n"
		"        (other)           25     25      0    0%    -     -     0\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"Enter functions  / filter  d devices  r RDMA  h help and sort keys  q quit\n");
	assert_string_equal(look(120, 40),
		"xputrace top: 4 processes, counted by agent 9                                                          2.0 s to 02:40:02\n"
		"GPU 0   busy  87%   mem 45.2G of 79.6G    512 W    61 C   NVIDIA H100 80GB HBM3\n"
		"calls 12.0k/s  launches 12.0k/s  copied 1.5M/s  errors 1/s  in flight 1 (32s)\n"
		"    PID USER       NAME         CALLS/s LNCH/s COPY/s  WAIT  GPU   MEM ALLOC ERR/s IN FLIGHT\n"
		"    200 0          hung               0      0      0  100%    -     -     -     0 32s cuStreamSynchronize\n"
		"    100 1000       train          12.0k  12.0k   1.5M   50%  80%  1.0G  512M     1\n"
		"    150 0          new                4      4      0    0%    -     -     -     0\n"
		"    300            idle               0      0      0    0%    -  2.0G     -     0\n"
		"    160 0          done               1      1      0    0%    -     -     -     0 (ended)\n"
		"                   (other)           25     25      0    0%    -     -     -     0\n"
		"\n\n\n\n\n\n\n\n\n\n" "\n\n\n\n\n\n\n\n\n\n" "\n\n\n\n\n\n\n\n\n"
		"Enter functions  / filter  d devices  r RDMA  h help and sort keys  q quit\n");
}

static void test_functions(void **state)
{
	(void)state;
	look(80, 24);
	xpt_top_view__key(&v, XPT_TOP_KEY_DOWN);
	look(80, 24);
	xpt_top_view__key(&v, XPT_TOP_KEY_ENTER);
	assert_string_equal(look(80, 24),
		"xputrace top: 4 processes, counted by agent 9                  2.0 s to 02:40:02\n"
		"train (100)   user 1000   memory 1.0G   container 3f4e5d6c7b8a\n"
		"calls 25,052   failed 2\n"
		"Memory by call site is not counted: `xputrace attach -p 100` records it.\n"
		"FUNCTION                CALLS/s     CALLS     MEAN SHARE BYTE/s FAILED IN FLIGHT\n"
		"cuStreamSynchronize          10        30  50.0 ms   50%             0\n"
		"cuLaunchKernel            12.0k    25,000  5.00 us    6%             0\n"
		"cuMemcpyHtoD_v2               5        20   100 us    0%   2.0M      0\n"
		"cuMemAlloc_v2                 2         4  1.00 us    0%             4\n"
		"LATENCY cuStreamSynchronize, of this process, in 2.0 s\n"
		" 16.8 ms -  67.1 ms         19 p50     █████████████████████████████████████████\n"
		" 67.1 ms -   268 ms          1     p99 ██▏\n"
		"\n\n\n\n\n\n\n\n\n\n\n"
		"Esc back  t since start  sort: w share  c calls  b bytes  e errors  h help\n");
	xpt_top_view__key(&v, XPT_TOP_KEY_ESCAPE);
	assert_int_equal(v.panel, XPT_TOP_PROCESSES);
}

/* The functions of `train`, with that many moves of the selection. */
static void select_function(unsigned down)
{
	look(80, 24);
	xpt_top_view__key(&v, XPT_TOP_KEY_DOWN);
	look(80, 24);
	xpt_top_view__key(&v, XPT_TOP_KEY_ENTER);
	look(80, 24);
	while (down--)
		xpt_top_view__key(&v, XPT_TOP_KEY_DOWN);
}

static void test_durations(void **state)
{
	const struct xpt_top_process *p = process("train");
	struct xpt_snapshot_row *row = &now->row[p->first];
	const char *text;

	(void)state;
	select_function(0);
	press("t");
	text = look(80, 24);
	assert_non_null(strstr(text, "\nLATENCY cuStreamSynchronize, of this process, since the start\n"
			       "  262 us -  1.05 ms          4         ████████▋\n"
			       " 1.05 ms -  4.19 ms          6         █████████████\n"
			       " 4.19 ms -  16.8 ms          0\n"
			       " 16.8 ms -  67.1 ms         19 p50     █████████████████████████████████████████\n"
			       " 67.1 ms -   268 ms          1     p99 ██▏\n\n"));
	press("t");
	v.utf8 = false;
	assert_non_null(strstr(look(80, 24), " 67.1 ms -   268 ms          1     p99 ##\n"));
	/* All buckets fit into 24 lines, below three functions. */
	for (unsigned i = 0; i < XPT_DURATIONS; i++)
		((struct xpt_top_function *)&r->function[p->first])->took[i] = 1000 + i;
	text = look(80, 24);
	assert_non_null(strstr(text, " lines 1-3 of 4  "));
	assert_non_null(strstr(text, "\n       0 -  1.02 us      1,000         ##"));
	assert_non_null(strstr(text, "\n  17.2 s -               1,013     p99 ##"));
	assert_null(strstr(look(80, 22), "LATENCY"));
	/* The others have no histogram: nothing is said of it. */
	xpt_top_view__key(&v, XPT_TOP_KEY_DOWN);
	assert_null(strstr(look(80, 24), "LATENCY"));
	xpt_top_view__key(&v, XPT_TOP_KEY_UP);
	memset(((struct xpt_top_function *)&r->function[p->first])->took, 0, sizeof(row->took));
	assert_non_null(strstr(look(80, 24), "\nLATENCY cuStreamSynchronize, of this process: no call has returned in 2.0 s\n"));
}

/* Without a snapshot before there is only what was counted since the start. */
static void test_durations_first(void **state)
{
	struct xpt_top_rates *both = r;

	(void)state;
	select_function(0);
	assert_int_equal(xpt_top_rates__new(NULL, now, &r), 0);
	snprintf(v.function, sizeof(v.function), "cuStreamSynchronize");
	assert_non_null(strstr(look(80, 24), "\nLATENCY cuStreamSynchronize, of this process, since the start\n"));
	xpt_top_rates__free(r);
	r = both;
}

static void test_devices(void **state)
{
	(void)state;
	press("d");
	assert_string_equal(look(80, 12),
		"xputrace top: 4 processes, counted by agent 9                  2.0 s to 02:40:02\n"
		"DEVICE      BUSY   MEM    OF  WATT TEMP CLOCK PCIE TX  RX/s  ECC MODEL\n"
		"GPU 0        87% 45.2G 79.6G   512   61     -       -     -    - NVIDIA H100 80…\n"
		"\n"
		"NVMe controller   nvme0            live\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"\n"
		"Esc back  r RDMA  h help  q quit\n");
	press("r");
	assert_string_equal(look(80, 8),
		"xputrace top: 4 processes, counted by agent 9                  2.0 s to 02:40:02\n"
		"PORT          STATE    Gbit/s   TX/s   RX/s CNP/s ECN/s SEQ/s RNR/s TOUT/s ERR/s\n"
		"mlx5_0/1      active      400      -      -     -     -     -     -      -     -\n"
		"mlx5_0/2      down          -      -      -     -     -     -     -      -     -\n"
		"\n\n\n"
		"Esc back  d devices  h help  q quit\n");
}

#define PORT(ts, reading) HEAD "\"ts_ns\":" ts ",\"devices\":[{\"kind\":\"rdma\",\"label\":\"mlx5_0\",\"readings\":[{\"metric\":" \
	"\"infiniband_port_data_transmitted_bytes_total\",\"part\":1," reading "}]}]}"

/* The column of sent bytes, from two documents. */
static const char *look_at_port(const char *first, const char *second)
{
	static char cell[16];
	struct xpt_snapshot *a, *b;
	struct xpt_top_rates *all = r;
	const char *line;

	assert_int_equal(xpt_snapshot__parse(first, strlen(first), &a), 0);
	assert_int_equal(xpt_snapshot__parse(second, strlen(second), &b), 0);
	assert_int_equal(xpt_top_rates__new(a, b, &r), 0);
	v.panel = XPT_TOP_RDMA;
	line = strstr(look(80, 8), "mlx5_0/1");
	assert_non_null(line);
	assert_int_equal(sscanf(line, "%*s %*s %*s %15s", cell), 1);
	xpt_top_rates__free(r);
	xpt_snapshot__free(a);
	xpt_snapshot__free(b);
	r = all;
	return cell;
}

/* Devices are read at a beat of their own: a counter's rate is that between the moments when it was read. */
static void test_counters(void **state)
{
	(void)state;
	assert_string_equal(look_at_port(PORT("10000000000", "\"value\":1024,\"ts_ns\":9900000000"),
					 PORT("12000000000", "\"value\":5120,\"ts_ns\":10900000000")), "4.0K");
	/* Not read since: what the two readings before have shown still holds. */
	assert_string_equal(look_at_port(PORT("10000000000", "\"value\":5120,\"ts_ns\":9900000000"),
					 PORT("10200000000", "\"value\":5120,\"ts_ns\":9900000000,\"earlier_value\":1024,"
					      "\"earlier_ns\":8900000000")), "4.0K");
	/* Read once only. */
	assert_string_equal(look_at_port(PORT("10000000000", "\"value\":5120,\"ts_ns\":9900000000"),
					 PORT("10200000000", "\"value\":5120,\"ts_ns\":9900000000")), "-");
	/* Times that cannot be. */
	assert_string_equal(look_at_port(PORT("10000000000", "\"value\":5120,\"ts_ns\":9900000000"),
					 PORT("10200000000", "\"value\":5120,\"ts_ns\":8900000000,\"earlier_value\":1024,"
					      "\"earlier_ns\":9900000000")), "-");
	/* An agent that does not say when. */
	assert_string_equal(look_at_port(PORT("10000000000", "\"value\":1024"), PORT("12000000000", "\"value\":5120")), "2.0K");
}

/* Names in the order of the page, one letter each. */
static const char *order(const char *keys)
{
	static char found[16];
	unsigned n = 0;

	press(keys);
	look(80, 24);
	for (unsigned i = 0; i < page.nr; i++) {
		const char *line = xpt_strbuf__str(&page.line[i].text);

		if (line[0] == ' ' && strlen(line) > 8 && strncmp(line + 8, "NAME", 4) && n + 1 < sizeof(found))
			found[n++] = line[8];
	}
	found[n] = '\0';
	return found;
}

static void test_order(void **state)
{
	(void)state;
	assert_string_equal(order(""), "htnid(");
	assert_string_equal(order("c"), "tnhid(");
	assert_string_equal(order("c"), "ihntd(");
	assert_string_equal(order("c"), "tnhid(");
	assert_string_equal(order("m"), "itnhd(");
	assert_string_equal(order("p"), "tnhid(");
	assert_string_equal(order("n"), "hintd(");
	assert_string_equal(order("w"), "htnid(");
}

static void test_filter(void **state)
{
	(void)state;
	press("/TrA");
	assert_non_null(strstr(look(80, 24), "Filter (name, user, container or pid): TrA_\n"));
	xpt_top_view__key(&v, XPT_TOP_KEY_ENTER);
	assert_string_equal(order(""), "t");
	press("/");
	xpt_top_view__key(&v, XPT_TOP_KEY_BACK);
	press("q");
	assert_false(v.quit);
	xpt_top_view__key(&v, XPT_TOP_KEY_ENTER);
	assert_non_null(strstr(look(80, 24), "No process matches the filter 'Trq' (Esc clears it).\n"));
	xpt_top_view__key(&v, XPT_TOP_KEY_ESCAPE);
	assert_string_equal(order(""), "htnid(");
	press("q");
	assert_true(v.quit);
}

/* The selection stays with its process when the order changes, and at the edge when that is gone. */
static void test_selection(void **state)
{
	(void)state;
	look(80, 24);
	assert_int_equal(v.pid, 200);
	xpt_top_view__key(&v, XPT_TOP_KEY_DOWN);
	look(80, 24);
	assert_int_equal(v.pid, 100);
	order("m");
	assert_int_equal(v.pid, 100);
	xpt_top_view__key(&v, XPT_TOP_KEY_LAST);
	look(80, 9);
	assert_int_equal(v.pid, 0);
	assert_non_null(strstr(look(80, 9), "(other)"));
	xpt_top_view__key(&v, XPT_TOP_KEY_FIRST);
	look(80, 9);
	assert_int_equal(v.pid, 300);
}

static void test_help(void **state)
{
	(void)state;
	press("?");
	assert_non_null(strstr(look(80, 24), "oldest call in flight"));
	assert_int_equal(page.nr, 24);
	press("?");
	assert_int_equal(v.panel, XPT_TOP_PROCESSES);
}

static void test_nothing(void **state)
{
	struct xpt_snapshot *none;
	struct xpt_top_rates *all = r;
	static const char document[] = HEAD "\"ts_ns\":3}";

	(void)state;
	assert_int_equal(xpt_snapshot__parse(document, strlen(document), &none), 0);
	assert_int_equal(xpt_top_rates__new(NULL, none, &r), 0);
	assert_non_null(strstr(look(80, 24), "No process has made a traced call yet"));
	xpt_top_view__key(&v, XPT_TOP_KEY_ENTER);
	assert_int_equal(v.panel, XPT_TOP_PROCESSES);
	xpt_top_rates__free(r);
	xpt_snapshot__free(none);
	r = NULL;
	look(10, 1);
	r = all;
}

#define PORTS 57

/* 57 ports; the caller frees them. */
static struct xpt_snapshot *make_ports(void)
{
	struct xpt_snapshot *s;
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, 1 << 20);
	xpt_strbuf__add(&sb, HEAD "\"ts_ns\":12000000000,\"unix_ns\":1500000002000000000,\"devices\":[");
	for (unsigned i = 0; i < PORTS; i++)
		xpt_strbuf__addf(&sb, "%s{\"kind\":\"%s\",\"label\":\"dev%02u\",\"readings\":[{\"metric\":\"infiniband_state_id\","
				 "\"part\":1,\"value\":4}]}", i ? "," : "", v.panel == XPT_TOP_RDMA ? "rdma" : "gpu", i);
	xpt_strbuf__add(&sb, "]}");
	assert_int_equal(xpt_snapshot__parse(sb.s, sb.len, &s), 0);
	xpt_strbuf__free(&sb);
	return s;
}

/* Title and rows of a screen of 24 lines: which part of the list it is. */
static void assert_lines(const char *range, unsigned first, unsigned last)
{
	const char *text = look(80, 24);
	char name[16];

	assert_non_null(strstr(text, range));
	assert_true(strstr(text, range) < strchr(text, '\n'));
	for (unsigned i = 0; i < PORTS; i++) {
		snprintf(name, sizeof(name), "\ndev%02u", i);
		assert_int_equal(!!strstr(text, name), i + 1 >= first && i + 1 <= last);
	}
}

static void scroll_list(enum xpt_top_panel panel)
{
	struct xpt_top_rates *all = r;
	struct xpt_snapshot *s;

	v.panel = panel;
	s = make_ports();
	assert_int_equal(xpt_top_rates__new(NULL, s, &r), 0);
	assert_lines(" lines 1-21 of 57  first look at 02:40:02\n", 1, 21);
	xpt_top_view__key(&v, XPT_TOP_KEY_UP);
	assert_lines(" lines 1-21 of 57  ", 1, 21);
	xpt_top_view__key(&v, XPT_TOP_KEY_DOWN);
	assert_lines(" lines 2-22 of 57  ", 2, 22);
	xpt_top_view__key(&v, XPT_TOP_KEY_PAGE_DOWN);
	assert_lines(" lines 12-32 of 57  ", 12, 32);
	xpt_top_view__key(&v, XPT_TOP_KEY_LAST);
	assert_lines(" lines 37-57 of 57  ", 37, 57);
	xpt_top_view__key(&v, XPT_TOP_KEY_PAGE_DOWN);
	assert_lines(" lines 37-57 of 57  ", 37, 57);
	xpt_top_view__key(&v, XPT_TOP_KEY_PAGE_UP);
	assert_lines(" lines 27-47 of 57  ", 27, 47);
	xpt_top_view__key(&v, XPT_TOP_KEY_FIRST);
	assert_lines(" lines 1-21 of 57  ", 1, 21);
	/* Its head stays, and a page of text has all. */
	xpt_top_view__key(&v, XPT_TOP_KEY_LAST);
	assert_non_null(strstr(look(80, 24), panel == XPT_TOP_RDMA ? "\nPORT " : "\nDEVICE "));
	assert_non_null(strstr(look(80, 70), "\ndev00"));
	assert_null(strstr(look(80, 70), "lines "));
	xpt_top_rates__free(r);
	xpt_snapshot__free(s);
	r = all;
}

static void test_scrolling(void **state)
{
	(void)state;
	scroll_list(XPT_TOP_RDMA);
	scroll_list(XPT_TOP_DEVICES);
	/* Lists with a selection: it stays on the screen, and the title says where that is. */
	v.panel = XPT_TOP_PROCESSES;
	assert_non_null(strstr(look(80, 8), " lines 1-3 of 6  2.0 s to 02:40:02\n"));
	xpt_top_view__key(&v, XPT_TOP_KEY_LAST);
	assert_non_null(strstr(look(80, 8), " lines 4-6 of 6  "));
	assert_non_null(strstr(look(80, 8), "(other)"));
	xpt_top_view__key(&v, XPT_TOP_KEY_FIRST);
	look(80, 8);
	xpt_top_view__key(&v, XPT_TOP_KEY_DOWN);
	look(80, 8);
	xpt_top_view__key(&v, XPT_TOP_KEY_ENTER);
	xpt_top_view__key(&v, XPT_TOP_KEY_LAST);
	assert_non_null(strstr(look(80, 7), " lines 3-4 of 4  "));
	assert_non_null(strstr(look(80, 7), "cuMemAlloc_v2"));
	press("?");
	assert_non_null(strstr(look(80, 12), " lines 1-10 of 20  "));
	xpt_top_view__key(&v, XPT_TOP_KEY_LAST);
	assert_non_null(strstr(look(80, 12), "found no row of their own"));
}

/* What had no room in a document is said, and is no work when it has room again. */
static void test_cut(void **state)
{
	struct xpt_strbuf sb;

	(void)state;
	old->cut = 7;
	now->cut = 5;
	xpt_top_rates__free(r);
	assert_int_equal(xpt_top_rates__new(old, now, &r), 0);
	assert_non_null(strstr(look(80, 24), "too large: 5 rows cut  2.0 s to 02:40:02\n"));
	assert_int_equal(process("new")->launches, 0);
	assert_int_equal(process("train")->launches, 24000);
	assert_int_equal(process("(other)")->calls, 1050);
	xpt_strbuf__init(&sb, 1 << 20);
	xpt_top_rates__print_json(r, "agent 9", &sb);
	assert_non_null(strstr(sb.s, ",\"cut\":5,"));
	xpt_strbuf__free(&sb);
}

/* Whatever is typed at whatever size, a page is never larger. */
static void test_sizes(void **state)
{
	static const char keys[] = "jkdrhgmbwect/xonpla\n";

	(void)state;
	srand(1);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned width = 1 + (unsigned)rand() % 200, height = 1 + (unsigned)rand() % 60;
		unsigned key = (unsigned)rand() % (sizeof(keys) + 8);

		xpt_top_view__key(&v, key < sizeof(keys) ? (uint32_t)keys[key] : XPT_TOP_KEY_UP + key - sizeof(keys));
		xpt_top_view__draw(&v, r, width, height, &page);
		assert_int_equal(page.err, 0);
		assert_int_equal(page.nr, height);
	}
}

/* At most five characters, also of what no machine has. */
static void test_share(void **state)
{
	static const struct { double share; const char *text; } want[] = {
		{ 0, "0%" }, { 0.005, "0%" }, { 1, "100%" }, { 9.99, "999%" }, { 9.996, "999+%" }, { 1e9, "999+%" },
	};
	char buf[16];

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		xpt_top_fmt_share(want[i].share, buf, sizeof(buf));
		assert_string_equal(buf, want[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share),
		cmocka_unit_test_setup_teardown(test_rates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_json, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_durations, setup, teardown),
		cmocka_unit_test_setup_teardown(test_durations_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_devices, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filter, setup, teardown),
		cmocka_unit_test_setup_teardown(test_selection, setup, teardown),
		cmocka_unit_test_setup_teardown(test_help, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scrolling, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
