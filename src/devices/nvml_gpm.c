// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * GPM, the counters of Hopper and newer: each value is computed from two samples, so the first
 * reading of a device has none.
 */
#include "devices/nvml_read_priv.h"

#include <string.h>

/* NVML_GPM_METRIC_* */
static const struct {
	uint32_t id;
	uint16_t metric;
} metrics[] = {
	{ 1, XPT_METRIC_GPU_GPM_GRAPHICS },
	{ 2, XPT_METRIC_GPU_GPM_SM },
	{ 3, XPT_METRIC_GPU_GPM_OCCUPANCY },
	{ 4, XPT_METRIC_GPU_GPM_INTEGER },
	{ 5, XPT_METRIC_GPU_GPM_TENSOR },
	{ 10, XPT_METRIC_GPU_GPM_DRAM },
	{ 11, XPT_METRIC_GPU_GPM_FP64 },
	{ 12, XPT_METRIC_GPU_GPM_FP32 },
	{ 13, XPT_METRIC_GPU_GPM_FP16 },
};

#define NR_METRICS (sizeof(metrics) / sizeof(metrics[0]))

static bool has_functions(const struct xpt_nvml_api *api)
{
	return api->gpm_support && api->gpm_alloc && api->gpm_free && api->gpm_sample && api->gpm_values;
}

/* Allocates the two samples of the device at its first reading. */
static bool prepare_device(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	struct xpt_nvml_gpm_support support = { .version = 1 };

	if (d->no_gpm || d->sample[1])
		return !d->no_gpm;
	d->no_gpm = d->is_mig || !has_functions(&n->api) || n->api.gpm_support(d->dev, &support) ||
		    !support.is_supported || n->api.gpm_alloc(&d->sample[0]) || n->api.gpm_alloc(&d->sample[1]);
	return !d->no_gpm;
}

static void add_values(struct xpt_nvml *n)
{
	for (size_t i = 0; i < NR_METRICS; i++) {
		const struct xpt_nvml_gpm *m = &n->gpm.metric[i];

		if (!m->result && m->value >= 0 && m->value <= 100)	/* false for NaN, too */
			xpt_values__add(&n->values, metrics[i].metric,
					(uint64_t)(m->value * (XPT_RATIO_SCALE / 100) + 0.5));
	}
}

void xpt_nvml__read_gpm(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	uint8_t next = d->newer ^ 1;

	if (!xpt_nvml__may_ask(n, d, -1) || !prepare_device(n, d) ||
	    !xpt_nvml__ok(n, d, -1, n->api.gpm_sample(d->dev, d->sample[next])))
		return;
	if (d->has_sample) {
		memset(&n->gpm, 0, sizeof(n->gpm));
		n->gpm.version = 1;
		n->gpm.nr = NR_METRICS;
		n->gpm.from = d->sample[d->newer];
		n->gpm.to = d->sample[next];
		for (size_t i = 0; i < NR_METRICS; i++) {
			n->gpm.metric[i].id = metrics[i].id;
			n->gpm.metric[i].result = XPT_NVML_NO_DATA;
		}
		if (xpt_nvml__ok(n, d, -1, n->api.gpm_values(&n->gpm)))
			add_values(n);
	}
	d->newer = next;
	d->has_sample = true;
}
