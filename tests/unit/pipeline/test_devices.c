/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices and readings in the pipeline, and model/device.h: ids that are not known, that change what
 * they are, parts of parts; records that claim more than they hold; metrics of a newer version; the
 * table of metrics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "event_log.h"

#define SEC 1000000000ull

static void put(struct xpt_rec_reading *r, unsigned i, uint16_t metric, uint32_t pid, uint64_t value)
{
	r->value[i] = (struct xpt_wire_reading){ metric, XPT_PART_NONE, pid, value };
}

static void test_readings(void **state)
{
	struct xpt_rec_reading *r;

	(void)state;
	w_proc(&s, 100, SEC, "train", "/usr/bin/train", "train");
	w_device(&s, 1, XPT_DEVICE_GPU, 0, "NVIDIA H100");
	w_device(&s, 2, XPT_DEVICE_MIG, 1, "MIG\033[2J 1g");
	r = w_reading(&s, 2 * SEC, 2, 4);
	put(r, 0, XPT_METRIC_GPU_POWER, 0, 300500);
	put(r, 1, 511, 0, 1);	/* of a newer version */
	put(r, 2, XPT_METRIC_GPU_PROCESS_MEMORY, 100, 4096);
	put(r, 3, XPT_METRIC_GPU_PROCESS_MEMORY, 999, 8192);
	r->value[0].part = 3;
	feed();
	assert_int_equal(xpt_pipeline__finish(p), 0);
	expect("BEGIN +0 @1000000000\n"
	       "PROC 100<0 'train' '/usr/bin/train' 'train' @1000000000\n"
	       "DEVICE 1<0 gpu 'NVIDIA H100' 'GPU-1' @1000000000\n"
	       "DEVICE 2<1 mig 'MIG?[2J 1g' 'GPU-1' @1000000000\n"
	       "TICK @2000000000\n"
	       "READING 2 gpu_power_watts.3 0 = 300500 @2000000000\n"
	       "READING 2 gpu_process_memory_used_bytes.65535 100train = 4096 @2000000000\n"
	       "READING 2 gpu_process_memory_used_bytes.65535 999 = 8192 @2000000000\n"
	       "LOSS 12 1 @2000000000\n"
	       "END 1000000000..2000000000 -1 1 cut @2000000000\n");
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), 1);
}

static void expect_rejected(uint64_t nr)
{
	feed();
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_DECODE_REJECTED), nr);
}

static void test_bad_ids(void **state)
{
	(void)state;
	w_device(&s, 0, XPT_DEVICE_GPU, 0, "zero");
	w_device(&s, XPT_MAX_DEVICES + 1, XPT_DEVICE_GPU, 0, "too large");
	w_device(&s, 1, XPT_DEVICE__NONE, 0, "no kind");
	w_device(&s, 1, XPT_DEVICE__MAX, 0, "an unknown kind");
	expect_rejected(4);
	w_device(&s, 5, XPT_DEVICE_MIG, 4, "of nothing");
	w_device(&s, 5, XPT_DEVICE_MIG, 5, "of itself");
	w_device(&s, 5, XPT_DEVICE_GPU, 0, "good");
	w_device(&s, 4, XPT_DEVICE_MIG, 5, "of a younger one");
	expect_rejected(7);
	w_device(&s, 5, XPT_DEVICE_NVME, 0, "another kind");
	w_reading(&s, SEC, 4, 0);
	w_reading(&s, SEC, 0, 0);
	w_reading(&s, SEC, 0xffffffff, 0);
	expect_rejected(11);
	w_device(&s, 5, XPT_DEVICE_GPU, 0, "renamed");
	w_reading(&s, SEC, 5, 0);
	expect_rejected(11);
}

static void test_bad_sizes(void **state)
{
	struct xpt_rec_reading *r;
	struct xpt_rec_device *d;

	(void)state;
	w_device(&s, 1, XPT_DEVICE_GPU, 0, "good");
	r = w_reading(&s, SEC, 1, 1);
	r->nr = 2;
	r = w_reading(&s, SEC, 1, 1);
	r->nr = 0xffffffff;
	r = w_reading(&s, SEC, 1, 1);
	r->nr = 0x10000000;	/* times 16 is nothing */
	d = w_device(&s, 2, XPT_DEVICE_GPU, 0, "a name without an end");
	memset(d + 1, 'x', d->rec.size - sizeof(*d));
	expect_rejected(4);
}

static void test_metrics(void **state)
{
	unsigned nr = 0;

	(void)state;
	for (unsigned i = 0; i < XPT_METRIC__MAX; i++) {
		const struct xpt_metric *m = xpt_metric__find(i);

		if (!m)
			continue;
		nr++;
		assert_int_equal(m->id, i);
		assert_true(m->scale > 0);
		/* Names of Prometheus: those of counters end with _total. */
		assert_int_equal(m->kind == XPT_METRIC_COUNTER,
				 strlen(m->name) > 6 && !strcmp(m->name + strlen(m->name) - 6, "_total"));
		assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(m->name));
		for (unsigned k = 0; k < i; k++)
			assert_false(xpt_metric__find(k) && !strcmp(xpt_metric__find(k)->name, m->name));
	}
#define X(...) + 1
	assert_int_equal(nr, XPT_METRICS(X));	/* no id is there twice */
#undef X
	assert_null(xpt_metric__find(0));
	assert_null(xpt_metric__find(XPT_METRIC__MAX));
	assert_string_equal(xpt_metric_unit_name(XPT_METRIC_UNIT_WATTS), "watts");
	assert_string_equal(xpt_metric_kind_name(99), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_readings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_sizes, setup, teardown),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
