/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/kernel/ioctl_table.c and the tables of the domain: names of commands with and
 * without objects, how a command is put together, tables that can be searched.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/domain.h"
#include "model/kernel/ioctl_table.h"
#include "wire/vocab.h"

static const struct xpt_ioctls *tables(void)
{
	return xpt_domain__find("ioctl")->ioctls;
}

static const char *name_of(uint32_t table, uint32_t cmd, uint32_t sub)
{
	static char buf[XPT_IOCTL_NAME_MAX];
	struct xpt_ioctl_key key = { table, cmd, sub, 0 };

	return xpt_ioctl__name(tables(), &key, buf, sizeof(buf));
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(name_of(XPT_IOCTL_NVIDIA, 0xc030462b, 0x40),
			    "ioctl:NV_ESC_RM_ALLOC:NV01_MEMORY_LOCAL_USER");
	assert_string_equal(name_of(XPT_IOCTL_NVIDIA, 0xc020462a, 0xa06f0103),
			    "ioctl:NV_ESC_RM_CONTROL:NVA06F_CTRL_CMD_GPFIFO_SCHEDULE");
	assert_string_equal(name_of(XPT_IOCTL_NVIDIA, 0xc020462a, 0x12345),
			    "ioctl:NV_ESC_RM_CONTROL:0x12345");
	assert_string_equal(name_of(XPT_IOCTL_NVIDIA, 0xc020462a, XPT_IOCTL_ANY),
			    "ioctl:NV_ESC_RM_CONTROL");
	assert_string_equal(name_of(XPT_IOCTL_NVIDIA, 0xc0104629, XPT_IOCTL_ANY),
			    "ioctl:NV_ESC_RM_FREE");
	assert_string_equal(name_of(XPT_IOCTL_NVIDIA, 0xc00446ff, 0), "ioctl(0xc00446ff)");
	assert_string_equal(name_of(XPT_IOCTL_UVM, 33, 0), "ioctl:UVM_MAP_EXTERNAL_ALLOCATION");
	assert_string_equal(name_of(XPT_IOCTL_UVM, 0x30000001, 0), "ioctl:UVM_INITIALIZE");
	assert_string_equal(name_of(XPT_IOCTL_VERBS, 0xc0181b01, 4),
			    "ioctl:RDMA_VERBS_IOCTL:QP_CREATE");
	assert_string_equal(name_of(XPT_IOCTL_NVME, 0xc0484e41, 6),
			    "ioctl:NVME_IOCTL_ADMIN_CMD:IDENTIFY");
	assert_string_equal(name_of(XPT_IOCTL_OTHER, 0x5413, 0), "ioctl:TIOCGWINSZ");
	assert_string_equal(name_of(XPT_IOCTL_OTHER, 0xc020462a, 0), "ioctl(0xc020462a)");
	assert_string_equal(name_of(0, 0, 0), "ioctl(other)");
	assert_string_equal(name_of(99, 7, 0), "ioctl(0x7)");
}

/* The other system calls on devices: named after who reads the device's commands. */
/* Names are those of the kernel's handlers and of rdma/ib_user_ioctl_cmds.h. */
static void test_uverbs(void **state)
{
	static const struct { struct xpt_ioctl_key key; const char *name; } cases[] = {
		{ { XPT_IOCTL_VERBS, 9, 0, XPT_IOCTL_WRITE }, "reg_mr" },
		{ { XPT_IOCTL_VERBS, 0x8000001a, 0, XPT_IOCTL_WRITE }, "ex_modify_qp" },
		{ { XPT_IOCTL_VERBS, 200, 0, XPT_IOCTL_WRITE }, "verbs:command_0xc8" },
		{ { XPT_IOCTL_CM, 20, 0, XPT_IOCTL_WRITE }, "ucma_bind" },
		{ { XPT_IOCTL_CM, 23, 0, XPT_IOCTL_WRITE }, "rdma_cm:command_0x17" },
		{ { XPT_IOCTL_VERBS, 0, 4, XPT_IOCTL_METHOD }, "QP_CREATE" },
		{ { XPT_IOCTL_VERBS, 0, 0x60000, XPT_IOCTL_METHOD }, "QUERY_GID_ENTRY" },
		{ { XPT_IOCTL_VERBS, 0, 0x90002, XPT_IOCTL_METHOD }, "verbs:0x2:0x9" },
		{ { XPT_IOCTL_VERBS, 1, 0x10001001, XPT_IOCTL_METHOD }, "DEVX_OBJ_CREATE" },
		{ { XPT_IOCTL_VERBS, 7, 0x10001001, XPT_IOCTL_METHOD }, "driver_7:0x1001:0x1000" },
		{ { XPT_IOCTL_VERBS, 0, XPT_IOCTL_ANY, XPT_IOCTL_METHOD }, "verbs(other)" },
	};
	const struct xpt_ioctls *t = xpt_domain__find("ioctl")->ioctls;
	char buf[XPT_IOCTL_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(xpt_ioctl__name(t, &cases[i].key, buf, sizeof(buf)), cases[i].name);
		assert_int_equal(xpt_ioctl__class(t, &cases[i].key), XPT_CLASS_IOCTL);
	}
}

/* Each call that has a name comes once, with that name, and all of them have room (XPT_UVERBS_FNS). */
static void test_each_uverbs(void **state)
{
	const struct xpt_ioctls *t = xpt_domain__find("ioctl")->ioctls;
	char name[XPT_UVERBS_FNS][XPT_IOCTL_NAME_MAX];
	struct xpt_ioctl_key key;
	size_t n = 0;

	(void)state;
	while (n < XPT_UVERBS_FNS && xpt_ioctl__uverbs(t, n, &key)) {
		xpt_ioctl__name(t, &key, name[n], sizeof(name[n]));
		assert_null(strchr(name[n], ':'));
		for (size_t i = 0; i < n; i++)
			assert_string_not_equal(name[i], name[n]);
		n++;
	}
	assert_in_range(n, 100, XPT_UVERBS_FNS - 1);
}

static void test_others(void **state)
{
	struct xpt_ioctl_key map = { .table = XPT_IOCTL_NVIDIA, .sub = XPT_IOCTL_ANY,
				     .call = XPT_IOCTL_MMAP };
	struct xpt_ioctl_key poll = { .table = XPT_IOCTL_OTHER, .sub = XPT_IOCTL_ANY,
				      .call = XPT_IOCTL_POLL };
	struct xpt_ioctl_key odd = { .table = 99, .call = XPT_IOCTL_POLL };
	char buf[XPT_IOCTL_NAME_MAX];

	(void)state;
	assert_string_equal(xpt_ioctl__name(tables(), &map, buf, sizeof(buf)), "mmap:nvidia");
	assert_string_equal(xpt_ioctl__name(tables(), &poll, buf, sizeof(buf)), "poll:other");
	assert_string_equal(xpt_ioctl__name(tables(), &odd, buf, sizeof(buf)), "poll:other");
	assert_int_equal(xpt_ioctl__class(tables(), &map), XPT_CLASS_MAP);
	assert_int_equal(xpt_ioctl__class(tables(), &poll), XPT_CLASS_OTHER);
}

static uint8_t class_of(uint32_t table, uint32_t cmd, uint32_t sub)
{
	struct xpt_ioctl_key key = { table, cmd, sub, 0 };

	return xpt_ioctl__class(tables(), &key);
}

/* Requests to the scheduler by the control command, whatever the size of the argument. */
static void test_classes(void **state)
{
	const struct xpt_ioctls *t = tables();
	char name[XPT_IOCTL_NAME_MAX];
	size_t i;

	(void)state;
	assert_int_equal(class_of(XPT_IOCTL_NVIDIA, 0xc020462a, 0xa06f0103), XPT_CLASS_SCHED);
	assert_int_equal(class_of(XPT_IOCTL_NVIDIA, 0xc028462a, 0xa06c0105), XPT_CLASS_SCHED);
	assert_int_equal(class_of(XPT_IOCTL_NVIDIA, 0xc030462b, 0xa06f0103), XPT_CLASS_IOCTL);
	assert_int_equal(class_of(XPT_IOCTL_OTHER, 0xc020462a, 0xa06f0103), XPT_CLASS_IOCTL);
	assert_int_equal(class_of(XPT_IOCTL_NVIDIA, 0xc020462a, 0xa06f0000), XPT_CLASS_IOCTL);
	assert_int_equal(class_of(0, 0, 0), XPT_CLASS_IOCTL);
	assert_int_equal(class_of(99, 0xc020462a, 0xa06f0103), XPT_CLASS_IOCTL);
	for (i = 0; i < t->nr_sched; i++) {	/* each is a command that has a name */
		xpt_ioctl__name(t, &t->sched[i], name, sizeof(name));
		assert_non_null(strstr(name, "_CTRL_CMD_"));
	}
}

static const char *code(uint64_t cmd)
{
	static char buf[40];

	return xpt_ioctl__code_text(cmd, buf, sizeof(buf)) ? buf : "-";
}

static void test_codes(void **state)
{
	(void)state;
	assert_string_equal(code(0xc020462a), "_IOWR('F',42,32)");
	assert_string_equal(code(0x80045200), "_IOR('R',0,4)");
	assert_string_equal(code(0x40045204), "_IOW('R',4,4)");
	assert_string_equal(code(0x5401), "_IO('T',1)");
	assert_string_equal(code(0xc0181b01), "_IOWR(0x1b,1,24)");
	assert_string_equal(code(0xffffffff), "_IOWR(0xff,255,16383)");
	assert_string_equal(code(33), "-");
	assert_string_equal(code(0), "-");
	assert_string_equal(code(0x1c020462aull), "-");
	assert_string_equal(code(UINT64_MAX), "-");
}

static void sorted(const struct xpt_ioctl_name *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		assert_true(names[i].name[0] && strlen(names[i].name) + strlen("ioctl:NV_ESC_RM_CONTROL:") <
			    XPT_IOCTL_NAME_MAX);
		assert_true(!i || names[i - 1].code < names[i].code);
	}
}

static void test_tables(void **state)
{
	const struct xpt_ioctls *t = tables();
	uint32_t i;
	size_t k;

	(void)state;
	for (i = 1; i < XPT_IOCTL_TABLE__MAX; i++) {
		assert_int_equal(xpt_ioctl__table(t, t->sets[i].name), i);
		sorted(t->sets[i].cmds, t->sets[i].nr_cmds);
		for (k = 0; k < t->sets[i].nr_subs; k++)
			sorted(t->sets[i].subs[k].names, t->sets[i].subs[k].nr);
	}
	assert_int_equal(xpt_ioctl__table(t, "gpu"), 0);
	assert_true(t->nr_rows < XPT_IOCTL_LAYOUTS);
	for (k = 0; k < t->nr_rows; k++) {
		const struct xpt_ioctl_layout *l = &t->rows[k].layout;

		assert_true(l->sub_bytes == 1 || l->sub_bytes == 2 || l->sub_bytes == 4);
		assert_false(t->rows[k].key.cmd & ~XPT_IOCTL_CODE_MASK);
	}
	assert_true(xpt_ioctl__has_layout(t, XPT_IOCTL_NVIDIA, 0xc030462b));
	assert_true(xpt_ioctl__has_layout(t, XPT_IOCTL_UVM, 33));
	assert_false(xpt_ioctl__has_layout(t, XPT_IOCTL_NVIDIA, 0xc01046d3));	/* wraps others */
	assert_false(xpt_ioctl__has_layout(t, XPT_IOCTL_OTHER, 0xc030462b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_uverbs),
		cmocka_unit_test(test_each_uverbs),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
