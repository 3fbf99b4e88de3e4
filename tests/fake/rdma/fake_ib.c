// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A simulated driver: a table of operations, a function with seven arguments,
 * one that the compiler changes (.isra), and a chain that is longer than plans
 * are deep.
 */
#include "rdma.h"

KEEP static int fake_seven(int a, int b, int c, int d, int e, int f, int g)
{
	return a + b + c + d + e + f + g > 9 ? -75 : 0;
}

KEEP static int fake_depth3(int n)
{
	return n > 7 ? -110 : 0;
}

KEEP static int fake_depth2(int n)
{
	return n > 6 ? -104 : fake_depth3(n) - 1;
}

KEEP static int fake_depth1(int n)
{
	return n > 5 ? -103 : fake_depth2(n) - 1;
}

/* Only one field is used, so the compiler passes that one: no BTF has its name. */
static __attribute__((noinline)) int fake_changed(struct ib_qp *qp, int mask)
{
	return qp->state + mask > 3 ? -16 : fake_depth1(mask) - 1;
}

KEEP static unsigned int fake_flags(int mask)
{
	return mask & 3u;
}

KEEP static int fake_modify_qp(struct ib_qp *qp, int mask)
{
	if (mask > 5 && fake_seven(1, 2, 3, 4, 5, 6, mask))
		return -71;
	return fake_changed(qp, mask) - (int)fake_flags(mask) - fake_changed(qp, mask + 1);
}

KEEP static int fake_destroy_qp(struct ib_qp *qp)
{
	return qp->state ? -16 : 0;
}

/* Called through an argument, a table of steps, and a pointer that code stores. */
KEEP static int fake_put_entry(struct ib_qp *qp, long entry)
{
	return qp->state > entry ? -5 : 0;
}

KEEP static int fake_each(struct ib_qp *qp, int (*entry)(struct ib_qp *qp, long entry))
{
	int err = 0;

	for (long i = 0; i < 3 && !err; i++)
		err = entry(qp, i);
	return err;
}

KEEP static int fake_step_one(struct ib_qp *qp, short step)
{
	return qp->state > step ? -28 : 0;
}

KEEP static int fake_step_two(struct ib_qp *qp, short step)
{
	return qp->state < step ? -6 : 0;
}

int (*fake_steps[])(struct ib_qp *qp, short step) = { fake_step_one, fake_step_two };

KEEP static int fake_all_steps(struct ib_qp *qp)
{
	int err = 0;

	for (int i = 0; i < qp->state && !err; i++)
		err = fake_steps[i](qp, 1);
	return err;
}

struct fake_generation {
	int (*ring)(struct ib_qp *qp, signed char bell);
};

KEEP static int fake_ring(struct ib_qp *qp, signed char bell)
{
	return qp->state > bell ? -110 : 0;
}

KEEP void fake_fill(struct fake_generation *g)
{
	g->ring = fake_ring;
}

KEEP static int fake_bell(struct fake_generation *g, struct ib_qp *qp)
{
	return g->ring(qp, 1) ? -71 : 0;
}

/* A size that is handed up as an int, in a pointer. */
KEEP static unsigned long fake_bytes(struct ib_qp *qp)
{
	return (unsigned long)qp->state * 64;
}

KEEP static void *fake_area(struct ib_qp *qp)
{
	int bytes = (int)fake_bytes(qp);

	return bytes < 0 ? (void *)(long)bytes : qp;
}

KEEP static int fake_query_qp(struct ib_qp *qp, int *state)
{
	struct fake_generation g;

	fake_fill(&g);
	*state = qp->state;
	if (fake_each(qp, fake_put_entry) || fake_all_steps(qp) || fake_bell(&g, qp) || !fake_area(qp))
		return -22;
	return qp->state ? -22 : 0;
}

KEEP static int fake_resize_cq(struct ib_device *dev, int cqe)
{
	return dev && cqe ? -38 : 0;
}

/* The same shape at another place: no operation of that name may be found here. */
KEEP static int fake_stranger(struct ib_qp *qp, int mask)
{
	return qp && mask ? -1 : 0;
}

const struct ib_device_ops fake_dev_ops = {
	.modify_qp = fake_modify_qp, .destroy_qp = fake_destroy_qp, .query_qp = fake_query_qp,
	.resize_cq = fake_resize_cq,
};
struct {
	int (*fn)(struct ib_qp *qp, int mask);
} fake_strangers[3] = { { fake_stranger }, { fake_stranger } };

#ifdef FAKE_SETTER
/* As large, and handed to nobody. */
const struct ib_device_ops fake_other_ops = { .modify_qp = fake_stranger };

int fake_register(struct ib_device *dev)
{
	ib_set_device_ops(dev, &fake_dev_ops);
	return dev->ops.driver_id;
}
#endif
