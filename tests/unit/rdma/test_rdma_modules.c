// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which RDMA modules /proc/modules tells of, and whether they have changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rdma/graph/loaded_modules.h"

#define CORE "ib_core 499712 2 rdma_rxe,ib_uverbs, Live 0xffffffffc0a00000\n"
#define UVERBS "ib_uverbs 200704 1 rdma_rxe, Live 0xffffffffc0b00000 (O)\n"
#define RXE "rdma_rxe 212992 0 - Live 0xffffffffc0c00000\n"
#define OTHER "rdma 4096 0 - Live 0xffffffffc0d00000\nudp_tunnel 1 1 rdma_rxe, Live 0xffffffffc0e00000\n"

static void parse(const char *text, struct xpt_rdma_modules *m)
{
	char *copy = strdup(text);	/* so that a sanitizer sees its end */

	xpt_rdma_modules__parse(copy, m);
	free(copy);
}

static void test_parse(void **state)
{
	struct xpt_rdma_modules m;

	(void)state;
	parse(OTHER CORE RXE UVERBS, &m);
	assert_int_equal(m.nr, 3);
	assert_true(xpt_rdma_modules__has(&m, "ib_core", 0xffffffffc0a00000));
	assert_true(xpt_rdma_modules__has(&m, "ib_uverbs", 0xffffffffc0b00000));
	assert_true(xpt_rdma_modules__has(&m, "rdma_rxe", 0xffffffffc0c00000));
	/* Not before it can be called, nor when it is on its way out. */
	parse(CORE "rdma_rxe 212992 1 - Loading 0xffffffffc0c00000\n" UVERBS, &m);
	assert_int_equal(m.nr, 2);
	parse(CORE "rdma_rxe 212992 1 - Unloading 0xffffffffc0c00000", &m);
	assert_int_equal(m.nr, 1);
	parse("", &m);
	assert_int_equal(m.nr, 0);
	parse("ib_core\nib_core 1 1\n\nib_core 1 1 rdma_rxe, Live\n" RXE, &m);
	assert_int_equal(m.nr, 0);
}

static void test_many(void **state)
{
	char text[16384];
	struct xpt_rdma_modules m;
	size_t size = sizeof(text), n = (size_t)snprintf(text, size, "ib_core 1 200 ");
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, size - n, "driver%d,", i);
	n += (size_t)snprintf(text + n, size - n, " Live 0x1\n");
	for (i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, size - n, "driver%d 1 0 - Live 0x%x\n", i, i + 2);
	parse(text, &m);
	assert_int_equal(m.nr, XPT_RDMA_MODULES);
}

static void test_equal(void **state)
{
	struct xpt_rdma_modules a, b;

	(void)state;
	parse(CORE RXE UVERBS, &a);
	parse(UVERBS CORE OTHER RXE, &b);
	assert_true(xpt_rdma_modules__equal(&a, &b));
	parse(CORE UVERBS, &b);
	assert_false(xpt_rdma_modules__equal(&a, &b));
	assert_false(xpt_rdma_modules__equal(&b, &a));
	/* Loaded again in between. */
	parse(CORE UVERBS "rdma_rxe 212992 0 - Live 0xffffffffc0f00000\n", &b);
	assert_false(xpt_rdma_modules__equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse), cmocka_unit_test(test_many), cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
