/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/options/layer_options.h: what --layers and --device mean, and which of them are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "model/kernel/ioctl_table.h"
#include "session/options/layer_options.h"
#include "session/options/usage.h"

static struct xpt_layers layers;

static int read_layers(const char *list, const char *device)
{
	struct xpt_list devices = { 0 };

	if (device)
		devices.v[devices.n++] = device;
	return xpt_layers__read("run", list, &devices, &layers);
}

static void test_layers(void **state)
{
	(void)state;
	assert_int_equal(read_layers(NULL, NULL), -1);
	assert_true(layers.api && !layers.ioctl && !layers.driver && !layers.rdma);
	assert_int_equal(read_layers("ioctl,rdma", NULL), -1);
	assert_true(!layers.api && layers.ioctl && !layers.driver && layers.rdma);
	assert_int_equal(read_layers("driver", NULL), -1);
	assert_true(!layers.api && !layers.ioctl && layers.driver && !layers.rdma);
	assert_int_equal(read_layers("api,", NULL), XPT_EXIT_USAGE);
	assert_int_equal(read_layers("apis", NULL), XPT_EXIT_USAGE);
	assert_int_equal(read_layers("api,,ioctl", NULL), XPT_EXIT_USAGE);
	assert_int_equal(read_layers("", NULL), XPT_EXIT_USAGE);
}

static void test_devices(void **state)
{
	(void)state;
	assert_int_equal(read_layers("api", "195"), -1);
	assert_true(layers.ioctl);
	assert_int_equal(layers.nr_devices, 1);
	assert_int_equal(layers.devices[0].dev, 195u << 20 | XPT_IOCTL_ANY_MINOR);
	assert_int_equal(layers.devices[0].table, 0);
	assert_int_equal(read_layers(NULL, "195:3=nvidia"), -1);
	assert_int_equal(layers.devices[0].dev, 195u << 20 | 3);
	assert_int_not_equal(layers.devices[0].table, 0);
	assert_int_equal(read_layers(NULL, "/dev/null"), -1);
	assert_int_equal(layers.devices[0].dev, 1u << 20 | 3);
	assert_int_equal(read_layers(NULL, "/dev/null=no_kind"), XPT_EXIT_USAGE);
	assert_int_equal(read_layers(NULL, "/no/such/device"), XPT_EXIT_USAGE);
	assert_int_equal(read_layers(NULL, "/"), XPT_EXIT_USAGE);
	assert_int_equal(read_layers(NULL, "=nvidia"), XPT_EXIT_USAGE);
	assert_int_equal(read_layers(NULL, "4096"), XPT_EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_layers), cmocka_unit_test(test_devices) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
