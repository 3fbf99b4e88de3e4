/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/calls/gpu_users.h: who used which GPU last, by the device file of the call where
 * that tells it, else by any call that needs a GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "pipeline/calls/gpu_users.h"
#include "wire/ioctl.h"

#define FRONTEND 195u	/* major of /dev/nvidiaN */
#define UVM 508u

static struct xpt_gpu_users users;

/* A call of that name by a process, on a device. */
static void call(uint32_t pid, uint8_t layer, const char *domain, const char *name, uint32_t major, uint32_t minor)
{
	struct xpt_fn fn = { .name = name, .domain_name = domain, .layer = layer };
	uint64_t buf[(sizeof(struct xpt_rec_call) + 8 * XPT_MAX_VALS) / 8] = { 0 };
	struct xpt_rec_call *r = (void *)buf;
	enum xpt_gpu_use use = xpt_gpu_use_of(&fn);

	r->tgid = pid;
	r->nr_vals = XPT_IOCTL_VAL_DEVICE + 1;
	r->valid = 1 << XPT_IOCTL_VAL_DEVICE;
	r->val[XPT_IOCTL_VAL_DEVICE] = major << 20 | minor;
	if (use != XPT_GPU_NOT)
		xpt_gpu_users__note(&users, use, r);
}

static void test_last(void **state)
{
	(void)state;
	assert_int_equal(xpt_gpu_users__last(&users, 0), 0);
	call(1, XPT_LAYER_API, "cuda", "cuInit", 0, 0);
	assert_int_equal(xpt_gpu_users__last(&users, 0), 1);
	assert_int_equal(xpt_gpu_users__last(&users, XPT_XID_NO_MINOR), 1);
	call(2, XPT_LAYER_IOCTL, "ioctl", "ioctl:NV_ESC_RM_FREE", FRONTEND, 0);
	call(3, XPT_LAYER_IOCTL, "ioctl", "mmap:nvidia", FRONTEND, 1);
	call(4, XPT_LAYER_IOCTL, "ioctl", "ioctl:NV_ESC_RM_ALLOC:NV01_DEVICE_0", FRONTEND, 255);	/* nvidiactl */
	assert_int_equal(xpt_gpu_users__last(&users, 0), 2);
	assert_int_equal(xpt_gpu_users__last(&users, 1), 3);
	/* Nobody is known for it, and several have used some GPU. */
	assert_int_equal(xpt_gpu_users__last(&users, 2), 0);
	assert_int_equal(xpt_gpu_users__last(&users, XPT_XID_NO_MINOR), 0);
}

/* Minor 0 of another device says nothing of GPU 0. */
static void test_others(void **state)
{
	(void)state;
	call(2, XPT_LAYER_IOCTL, "ioctl", "poll:nvidia", FRONTEND, 0);
	call(5, XPT_LAYER_IOCTL, "ioctl", "ioctl:UVM_INITIALIZE", UVM, 0);
	call(6, XPT_LAYER_IOCTL, "ioctl", "mmap:uvm", UVM, 0);
	assert_int_equal(xpt_gpu_users__last(&users, 0), 2);
	assert_int_equal(xpt_gpu_users__last(&users, 9), 0);
	call(7, XPT_LAYER_IOCTL, "ioctl", "ioctl:RNDGETENTCNT", 1, 0);
	call(8, XPT_LAYER_API, "nccl", "ncclAllReduce", 0, 0);
	assert_int_equal(xpt_gpu_users__last(&users, 0), 2);
	assert_int_equal(xpt_gpu_users__last(&users, 9), 0);
}

/* The one process that has used CUDA may have used another one of several GPUs. */
static void test_several_gpus(void **state)
{
	(void)state;
	users = (struct xpt_gpu_users){ 0 };
	call(1, XPT_LAYER_API, "cuda", "cuInit", 0, 0);
	xpt_gpu_users__machine(&users, 1);
	assert_int_equal(xpt_gpu_users__last(&users, 0), 1);
	xpt_gpu_users__machine(&users, 8);
	xpt_gpu_users__machine(&users, 1);	/* what was seen is there */
	assert_int_equal(xpt_gpu_users__last(&users, 0), 0);
	assert_int_equal(xpt_gpu_users__last(&users, XPT_XID_NO_MINOR), 0);
	call(1, XPT_LAYER_IOCTL, "ioctl", "mmap:nvidia", FRONTEND, 3);
	assert_int_equal(xpt_gpu_users__last(&users, 3), 1);
	assert_int_equal(xpt_gpu_users__last(&users, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last), cmocka_unit_test(test_others),
		cmocka_unit_test(test_several_gpus),
	};

	return cmocka_run_group_tests_name("gpu_users", tests, NULL, NULL);
}
