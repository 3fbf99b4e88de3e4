// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Processes of a GPU or MIG device by NVML, see nvml_read_priv.h. The library gets the size of the buffer,
 * and its answer how much it has used is checked.
 */
#include "devices/nvml_read_priv.h"

#include <string.h>

#define PID_LIMIT (4u << 20)	/* PID_MAX_LIMIT, include/linux/threads.h */

struct list {
	int query;		/* bit of the device */
	uint16_t metric;	/* that such a context exists */
	int (*ask)(struct xpt_nvml_dev *, uint32_t *, struct xpt_nvml_process *);
	int (*ask_v1)(struct xpt_nvml_dev *, uint32_t *, struct xpt_nvml_process_v1 *);
};

static void add_value(struct xpt_nvml *n, uint16_t metric, uint32_t pid, uint64_t v)
{
	xpt_values__add_full(&n->values, metric, XPT_PART_NONE, pid, v);
}

/* Old entries, widened in place from the last to the first. */
static void widen_entries(struct xpt_nvml_process *p, uint32_t nr)
{
	const struct xpt_nvml_process_v1 *old = (const void *)p;
	struct xpt_nvml_process_v1 one;

	while (nr--) {
		memcpy(&one, &old[nr], sizeof(one));
		p[nr] = (struct xpt_nvml_process){ one.pid, one.used, XPT_NVML_NO_INSTANCE, XPT_NVML_NO_INSTANCE };
	}
}

static uint32_t fetch_list(struct xpt_nvml *n, struct xpt_nvml_device *d, const struct list *l)
{
	uint32_t nr = XPT_NVML_PROCESSES_MAX;
	int code;

	if ((!l->ask && !l->ask_v1) || !xpt_nvml__may_ask(n, d, l->query))
		return 0;
	memset(n->process, 0, sizeof(n->process));
	code = l->ask ? l->ask(d->dev, &nr, n->process) : l->ask_v1(d->dev, &nr, (void *)n->process);
	if (code == XPT_NVML_INSUFFICIENT_SIZE && nr > XPT_NVML_PROCESSES_MAX)
		n->left_out += nr - XPT_NVML_PROCESSES_MAX;	/* how many it has; none were written */
	if (!xpt_nvml__ok(n, d, l->query, code))
		return 0;
	if (nr > XPT_NVML_PROCESSES_MAX) {
		n->left_out += nr - XPT_NVML_PROCESSES_MAX;
		nr = XPT_NVML_PROCESSES_MAX;
	}
	if (!l->ask)
		widen_entries(n->process, nr);
	return nr;
}

/* A GPU lists the processes of its MIG devices, too, which list them themselves. */
static void read_list(struct xpt_nvml *n, struct xpt_nvml_device *d, const struct list *l, bool has_mig)
{
	uint32_t nr = fetch_list(n, d, l);

	for (uint32_t i = 0; i < nr; i++) {
		const struct xpt_nvml_process *p = &n->process[i];

		if (!p->pid || p->pid > PID_LIMIT) {
			n->errors++;
			continue;
		}
		if (has_mig && p->gpu_instance != XPT_NVML_NO_INSTANCE)
			continue;
		add_value(n, l->metric, p->pid, 1);
		if (p->used != UINT64_MAX)
			add_value(n, XPT_METRIC_GPU_PROCESS_MEMORY, p->pid, p->used);
	}
}

static void add_use(struct xpt_nvml *n, uint16_t metric, uint32_t pid, uint32_t percent)
{
	if (percent <= 100)
		add_value(n, metric, pid, percent * (uint64_t)(XPT_RATIO_SCALE / 100));
}

/* Samples of a process may come several times; the last one counts, as in the record. */
static void read_use(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	static struct xpt_nvml_process_use use[XPT_NVML_PROCESSES_MAX];
	uint32_t nr = XPT_NVML_PROCESSES_MAX;

	if (d->is_mig || !n->api.process_use || !xpt_nvml__may_ask(n, d, XPT_NVML_Q_PROCESS_USE) ||
	    !xpt_nvml__ok(n, d, XPT_NVML_Q_PROCESS_USE, n->api.process_use(d->dev, use, &nr, d->use_since_us)))
		return;
	for (uint32_t i = 0; i < nr && i < XPT_NVML_PROCESSES_MAX; i++) {
		const struct xpt_nvml_process_use *u = &use[i];

		if (u->time_us > d->use_since_us)
			d->use_since_us = u->time_us;
		if (!u->pid || u->pid > PID_LIMIT)
			continue;
		add_use(n, XPT_METRIC_GPU_PROCESS_SM, u->pid, u->sm);
		add_use(n, XPT_METRIC_GPU_PROCESS_MEMORY_UTILIZATION, u->pid, u->memory);
		add_use(n, XPT_METRIC_GPU_PROCESS_ENCODER, u->pid, u->encoder);
		add_use(n, XPT_METRIC_GPU_PROCESS_DECODER, u->pid, u->decoder);
	}
}

void xpt_nvml__read_processes(struct xpt_nvml *n, struct xpt_nvml_device *d, bool has_mig)
{
	const struct list lists[] = {
		{ XPT_NVML_Q_GRAPHICS, XPT_METRIC_GPU_PROCESS_GRAPHICS, n->api.graphics, n->api.graphics_v1 },
		{ XPT_NVML_Q_MPS, XPT_METRIC_GPU_PROCESS_MPS, n->api.mps, n->api.mps_v1 },
		{ XPT_NVML_Q_COMPUTE, XPT_METRIC_GPU_PROCESS_COMPUTE, n->api.compute, n->api.compute_v1 },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		read_list(n, d, &lists[i], has_mig);
	read_use(n, d);
}
