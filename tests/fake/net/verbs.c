// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A simulated libibverbs: objects that succeed or fail as the program asks, in
 * structs with the fields where the real header has them, and one function in
 * two versions with different code, as the real library has 33.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))

struct mr {
	void *context, *pd, *addr;
	uint64_t length;
	uint32_t handle, lkey, rkey;
};

struct qp {
	void *context, *qp_context, *pd, *send_cq, *recv_cq, *srq;
	uint32_t handle, qp_num, state, qp_type;
};

API void *ibv_alloc_pd(void *context)
{
	return context ? malloc(64) : NULL;
}

API int ibv_dealloc_pd(void *pd)
{
	free(pd);
	return 0;
}

API struct mr *ibv_reg_mr(void *pd, void *addr, uint64_t length, int access)
{
	struct mr *mr = length && access >= 0 ? calloc(1, sizeof(*mr)) : NULL;

	if (!mr) {
		errno = EINVAL;
		return NULL;
	}
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	return mr;
}

API int ibv_dereg_mr(struct mr *mr)
{
	free(mr);
	return 0;
}

API struct qp *ibv_create_qp(void *pd, void *attr)
{
	struct qp *qp = attr ? calloc(1, sizeof(*qp)) : NULL;

	if (qp) {
		qp->pd = pd;
		qp->qp_num = 77;
	}
	return qp;
}

/* Only from a state to the next one. */
API int ibv_modify_qp(struct qp *qp, const uint32_t *attr, int mask)
{
	if ((mask & 1) && attr[0] != qp->state + 1)
		return EINVAL;
	qp->state = attr[0];
	return 0;
}

API int ibv_destroy_qp(struct qp *qp)
{
	free(qp);
	return 0;
}

API int ibv_query_pkey_new(void *context, uint8_t port, int index, uint16_t *pkey);
API int ibv_query_pkey_old(void *context, uint8_t port, int index, uint16_t *pkey);

int ibv_query_pkey_new(void *context, uint8_t port, int index, uint16_t *pkey)
{
	(void)context;
	*pkey = (uint16_t)(port + index);
	return 0;
}

int ibv_query_pkey_old(void *context, uint8_t port, int index, uint16_t *pkey)
{
	(void)context;
	*pkey = (uint16_t)(port - index);
	return -1;
}

__asm__(".symver ibv_query_pkey_new,ibv_query_pkey@@IBVERBS_1.1\n"
	".symver ibv_query_pkey_old,ibv_query_pkey@IBVERBS_1.0\n");
