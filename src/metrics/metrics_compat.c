// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same values under names that dashboards of others use: those of DCGM (dcgm-exporter), of OpenTelemetry's
 * conventions for hardware as Prometheus spells them, and of OBI. A metric is in a table below only if a reading or a
 * count has exactly the meaning of its name; docs/metrics.md lists the metrics that are left out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics_priv.h"
#include "model/device.h"
#include "model/domain/domain.h"

#define MIB (1u << 20)
#define PERCENT (XPT_RATIO_SCALE / 100)
#define MHZ 1000000u
#define COUNTER XPT_PROM_COUNTER
#define GAUGE XPT_PROM_GAUGE
#define FAMILY_ROWS 3	/* at most, of a table below */
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A metric of a GPU. Rows with the same name are one family; parts of a device are added up. */
struct gpu_row {
	const char *name, *help;	/* help: of a family's first row */
	uint16_t metric;		/* enum xpt_metric_id */
	uint8_t type, digits;		/* digits: after the decimal point, of a value that was divided */
	uint32_t divisor;
	const char *extra;		/* the value of the last label */
	uint16_t whole;			/* the value is its share of that metric */
	bool negated;			/* of a state */
};

#define DCGM(n, m, t, d, div, h) \
	{ .name = "DCGM_FI_" #n, .metric = XPT_METRIC_##m, .type = t, .digits = d, .divisor = div, .help = h }

static const struct gpu_row dcgm_rows[] = {
	DCGM(DEV_SM_CLOCK, GPU_CLOCK_SM, GAUGE, 0, MHZ, "SM clock frequency (in MHz)"),
	DCGM(DEV_MEM_CLOCK, GPU_CLOCK_MEMORY, GAUGE, 0, MHZ, "Memory clock frequency (in MHz)"),
	DCGM(DEV_VIDEO_CLOCK, GPU_CLOCK_VIDEO, GAUGE, 0, MHZ, "Video clock frequency (in MHz)"),
	DCGM(DEV_MEMORY_TEMP, GPU_MEMORY_TEMPERATURE, GAUGE, 0, 1, "Memory temperature (in C)"),
	DCGM(DEV_GPU_TEMP, GPU_TEMPERATURE, GAUGE, 0, 1, "GPU temperature (in C)"),
	DCGM(DEV_POWER_USAGE, GPU_POWER, GAUGE, 3, 1, "Power draw (in W)"),
	DCGM(DEV_ENFORCED_POWER_LIMIT, GPU_POWER_LIMIT, GAUGE, 3, 1, "Power limit that is enforced (in W)"),
	DCGM(DEV_TOTAL_ENERGY_CONSUMPTION, GPU_ENERGY, COUNTER, 0, 1, "Energy since the driver was loaded (in mJ)"),
	DCGM(DEV_PSTATE, GPU_PERFORMANCE_STATE, GAUGE, 0, 1, "Performance state, 0 is the fastest"),
	DCGM(DEV_PCIE_REPLAY_COUNTER, GPU_PCIE_REPLAYS, COUNTER, 0, 1, "PCIe packets that were sent again"),
	DCGM(DEV_PCIE_LINK_GEN, GPU_PCIE_GENERATION, GAUGE, 0, 1, "Generation of the PCIe link now"),
	DCGM(DEV_PCIE_LINK_WIDTH, GPU_PCIE_WIDTH, GAUGE, 0, 1, "Lanes of the PCIe link now"),
	DCGM(DEV_PCIE_MAX_LINK_GEN, GPU_PCIE_GENERATION_MAX, GAUGE, 0, 1, "Highest generation of the PCIe link"),
	DCGM(DEV_PCIE_MAX_LINK_WIDTH, GPU_PCIE_WIDTH_MAX, GAUGE, 0, 1, "Most lanes of the PCIe link"),
	DCGM(DEV_GPU_UTIL, GPU_UTILIZATION, GAUGE, 0, PERCENT, "GPU utilization (in %)"),
	DCGM(DEV_MEM_COPY_UTIL, GPU_MEMORY_UTILIZATION, GAUGE, 0, PERCENT, "Memory utilization (in %)"),
	DCGM(DEV_ENC_UTIL, GPU_ENCODER, GAUGE, 0, PERCENT, "Encoder utilization (in %)"),
	DCGM(DEV_DEC_UTIL, GPU_DECODER, GAUGE, 0, PERCENT, "Decoder utilization (in %)"),
	DCGM(DEV_FB_TOTAL, GPU_MEMORY_TOTAL, GAUGE, 0, MIB, "Framebuffer memory (in MiB)"),
	DCGM(DEV_FB_FREE, GPU_MEMORY_FREE, GAUGE, 0, MIB, "Framebuffer memory free (in MiB)"),
	DCGM(DEV_FB_USED, GPU_MEMORY_USED, GAUGE, 0, MIB, "Framebuffer memory used (in MiB)"),
	DCGM(DEV_FB_RESERVED, GPU_MEMORY_RESERVED, GAUGE, 0, MIB, "Framebuffer memory reserved (in MiB)"),
	DCGM(DEV_ECC_SBE_VOL_TOTAL, GPU_ECC_CORRECTED, COUNTER, 0, 1,
	     "Corrected memory errors since the driver was loaded"),
	DCGM(DEV_ECC_DBE_VOL_TOTAL, GPU_ECC_UNCORRECTED, COUNTER, 0, 1,
	     "Uncorrected memory errors since the driver was loaded"),
	DCGM(DEV_ECC_SBE_AGG_TOTAL, GPU_ECC_CORRECTED_LIFE, COUNTER, 0, 1,
	     "Corrected memory errors in the life of the device"),
	DCGM(DEV_ECC_DBE_AGG_TOTAL, GPU_ECC_UNCORRECTED_LIFE, COUNTER, 0, 1,
	     "Uncorrected memory errors in the life of the device"),
	DCGM(DEV_RETIRED_SBE, GPU_PAGES_SINGLE, COUNTER, 0, 1, "Pages retired for single-bit errors"),
	DCGM(DEV_RETIRED_DBE, GPU_PAGES_DOUBLE, COUNTER, 0, 1, "Pages retired for double-bit errors"),
	DCGM(DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL, GPU_NVLINK_CRC_FLIT, COUNTER, 0, 1,
	     "NVLink flow control units with a wrong CRC"),
	DCGM(DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL, GPU_NVLINK_CRC_DATA, COUNTER, 0, 1,
	     "NVLink data with a wrong CRC"),
	DCGM(DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL, GPU_NVLINK_REPLAYS, COUNTER, 0, 1,
	     "NVLink transmissions that were repeated"),
	DCGM(DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL, GPU_NVLINK_RECOVERIES, COUNTER, 0, 1, "Recoveries of NVLinks"),
	DCGM(DEV_UNCORRECTABLE_REMAPPED_ROWS, GPU_ROWS_UNCORRECTABLE, COUNTER, 0, 1,
	     "Rows remapped for uncorrectable errors"),
	DCGM(DEV_CORRECTABLE_REMAPPED_ROWS, GPU_ROWS_CORRECTABLE, COUNTER, 0, 1,
	     "Rows remapped for correctable errors"),
	DCGM(DEV_ROW_REMAP_FAILURE, GPU_ROWS_FAILURE, GAUGE, 0, 1, "Whether remapping of rows has failed"),
	DCGM(DEV_ROW_REMAP_PENDING, GPU_ROWS_PENDING, GAUGE, 0, 1, "Whether rows wait for a reset to be remapped"),
	DCGM(PROF_GR_ENGINE_ACTIVE, GPU_GPM_GRAPHICS, GAUGE, 4, 1,
	     "Share of time in which the graphics engine was active"),
	DCGM(PROF_SM_ACTIVE, GPU_GPM_SM, GAUGE, 4, 1, "Share of multiprocessors that were busy"),
	DCGM(PROF_SM_OCCUPANCY, GPU_GPM_OCCUPANCY, GAUGE, 4, 1, "Warps that were active, of the most possible"),
	DCGM(PROF_PIPE_TENSOR_ACTIVE, GPU_GPM_TENSOR, GAUGE, 4, 1, "Share of time in which tensor cores worked"),
	DCGM(PROF_DRAM_ACTIVE, GPU_GPM_DRAM, GAUGE, 4, 1, "Memory bandwidth used, of the most possible"),
	DCGM(PROF_PIPE_FP64_ACTIVE, GPU_GPM_FP64, GAUGE, 4, 1, "Share of time with FP64 work"),
	DCGM(PROF_PIPE_FP32_ACTIVE, GPU_GPM_FP32, GAUGE, 4, 1, "Share of time with FP32 work"),
	DCGM(PROF_PIPE_FP16_ACTIVE, GPU_GPM_FP16, GAUGE, 4, 1, "Share of time with FP16 work"),
};

static const struct gpu_row otel_rows[] = {
	{ .name = "hw_energy_joules_total", .metric = XPT_METRIC_GPU_ENERGY, .type = COUNTER, .digits = 3, .divisor = 1,
	  .extra = "", .help = "Energy consumed by the component" },
	{ .name = "hw_power_watts", .metric = XPT_METRIC_GPU_POWER, .type = GAUGE, .digits = 3, .divisor = 1,
	  .extra = "", .help = "Power consumed by the component" },
	{ .name = "hw_errors_total", .metric = XPT_METRIC_GPU_ECC_CORRECTED, .type = COUNTER, .digits = 0, .divisor = 1,
	  .extra = "corrected", .help = "Errors encountered by the component" },
	{ .name = "hw_errors_total", .metric = XPT_METRIC_GPU_ECC_UNCORRECTED, .type = COUNTER, .digits = 0, .divisor = 1,
	  .extra = "uncorrected" },
	{ .name = "hw_gpu_memory_limit_bytes", .metric = XPT_METRIC_GPU_MEMORY_TOTAL, .type = GAUGE, .digits = 0, .divisor = 1,
	  .extra = "", .help = "Size of the GPU's memory" },
	{ .name = "hw_gpu_memory_usage_bytes", .metric = XPT_METRIC_GPU_MEMORY_USED, .type = GAUGE, .digits = 0, .divisor = 1,
	  .extra = "", .help = "Memory of the GPU that is used" },
	{ .name = "hw_gpu_memory_utilization_ratio", .metric = XPT_METRIC_GPU_MEMORY_USED, .type = GAUGE, .digits = 4,
	  .divisor = 1, .extra = "", .whole = XPT_METRIC_GPU_MEMORY_TOTAL,
	  .help = "Share of the GPU's memory that is used" },
	{ .name = "hw_gpu_utilization_ratio", .metric = XPT_METRIC_GPU_UTILIZATION, .type = GAUGE, .digits = 4, .divisor = 1,
	  .extra = "general", .help = "Share of time spent in a task" },
	{ .name = "hw_gpu_utilization_ratio", .metric = XPT_METRIC_GPU_ENCODER, .type = GAUGE, .digits = 4, .divisor = 1,
	  .extra = "encoder" },
	{ .name = "hw_gpu_utilization_ratio", .metric = XPT_METRIC_GPU_DECODER, .type = GAUGE, .digits = 4, .divisor = 1,
	  .extra = "decoder" },
	{ .name = "hw_status", .metric = XPT_METRIC_GPU_UP, .type = GAUGE, .digits = 0, .divisor = 1,
	  .extra = "ok", .help = "Whether the component is in the state" },
	{ .name = "hw_status", .metric = XPT_METRIC_GPU_UP, .type = GAUGE, .digits = 0, .divisor = 1,
	  .extra = "failed", .negated = true },
};

/* Functions of CUDA's runtime, as OBI counts them. Rows with the same name are one family. */
static const struct obi_row {
	const char *name, *help, *function;
	bool bytes;
} obi_rows[] = {
	{ "gpu_cuda_kernel_launch_calls_total", "Kernels launched", "cudaLaunchKernel", false },
	{ "gpu_cuda_graph_launch_calls_total", "Graphs launched", "cudaGraphLaunch", false },
	{ "gpu_cuda_memory_allocations_bytes_total", "Device memory allocated", "cudaMalloc", true },
	{ "gpu_cuda_memset_bytes_total", "Device memory set", "cudaMemset", true },
	{ "gpu_cuda_host_register_bytes_total", "Host memory registered", "cudaHostRegister", true },
	{ "gpu_cuda_stream_create_calls_total", "Streams created", "cudaStreamCreate", false },
	{ "gpu_cuda_stream_create_calls_total", NULL, "cudaStreamCreateWithFlags", false },
	{ "gpu_cuda_stream_create_calls_total", NULL, "cudaStreamCreateWithPriority", false },
	{ "gpu_cuda_stream_destroy_calls_total", "Streams destroyed", "cudaStreamDestroy", false },
	{ "gpu_cuda_event_record_calls_total", "Events recorded", "cudaEventRecord", false },
	{ "gpu_cuda_event_record_calls_total", NULL, "cudaEventRecordWithFlags", false },
	{ "gpu_cuda_event_synchronize_calls_total", "Waits for events", "cudaEventSynchronize", false },
	{ "gpu_cuda_stream_synchronize_calls_total", "Waits for streams", "cudaStreamSynchronize", false },
	{ "gpu_cuda_device_synchronize_calls_total", "Waits for devices", "cudaDeviceSynchronize", false },
};

struct text {				/* texts that labels of a row point to */
	char index[16], device[24];
};

struct page {
	const struct xpt_metrics *m;
	struct xpt_strbuf *sb;
	const char *host;
	struct xpt_prom_row *row;
	struct text *text;
	size_t nr;
};

unsigned xpt_metrics_compat(const char *name)
{
	static const char *const names[] = { "dcgm", "otel", "obi" };

	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return 1u << i;
	return 0;
}

void xpt_metrics__set_compat(struct xpt_metrics *m, unsigned compat)
{
	m->compat = compat;
}

static void print_family(struct page *p, const struct xpt_prom_family *f)
{
	xpt_prom__add(p->sb, f, p->row, p->nr);
	p->nr = 0;
}

/* --- GPUs ---------------------------------------------------------------------------------------- */

static struct xpt_prom_row *add_row(struct page *p, uint64_t value)
{
	struct xpt_prom_row *row = &p->row[p->nr++];

	*row = (struct xpt_prom_row){ .value = value };
	return row;
}

/* Adds a row with the labels of dcgm-exporter. */
static void add_dcgm_row(struct page *p, const struct xpt_device *d, const char *extra, uint64_t value)
{
	struct text *text = &p->text[p->nr];
	struct xpt_prom_row *row = add_row(p, value);

	(void)extra;
	snprintf(text->index, sizeof(text->index), "%u", d->index);
	text->device[0] = '\0';
	if (d->minor != XPT_NO_MINOR)
		snprintf(text->device, sizeof(text->device), "nvidia%u", d->minor);
	row->label[0] = text->index;
	row->label[1] = d->uuid;
	row->label[2] = d->address;
	row->label[3] = text->device;
	row->label[4] = d->name;
	row->label[5] = p->host;
}

static void add_otel_row(struct page *p, const struct xpt_device *d, const char *extra, uint64_t value)
{
	struct text *text = &p->text[p->nr];
	struct xpt_prom_row *row = add_row(p, value);

	row->label[0] = d->uuid;
	row->label[1] = "gpu";
	row->label[2] = xpt_device__label(d, text->device, sizeof(text->device));
	row->label[3] = d->name;
	row->label[4] = "NVIDIA";
	row->label[5] = extra;
}

/* Converts a reading to the row's unit. Returns false if there is no such value. */
static bool convert_value(const struct page *p, const struct gpu_row *w, const struct xpt_metrics_reading_key *key,
			  uint64_t *value)
{
	struct xpt_metrics_reading_key of = *key;
	const struct xpt_metrics_reading *whole;

	if (w->whole) {
		of.metric = xpt_metric__find(w->whole);
		whole = xpt_hashmap__find(p->m->readings, &of);
		if (!whole || !whole->value || *value > whole->value)
			return false;
		*value = (uint64_t)((double)*value / (double)whole->value * XPT_RATIO_SCALE);
	}
	*value = w->negated ? !*value : *value / w->divisor;
	return true;
}

typedef void (*add_row_fn)(struct page *p, const struct xpt_device *d, const char *extra, uint64_t value);

static void add_readings(struct page *p, const struct gpu_row *w, add_row_fn add)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(p->m->readings, &pos, &k, &v)) {
		const struct xpt_metrics_reading_key *key = k;
		uint64_t value = ((const struct xpt_metrics_reading *)v)->value;

		if (key->metric->id == w->metric && key->device->kind == XPT_DEVICE_GPU &&
		    convert_value(p, w, key, &value))
			add(p, key->device, w->extra, value);
	}
}

/* first: the first row of a family. Returns the first row of the next one. */
static const struct gpu_row *print_gpus(struct page *p, const struct gpu_row *first, const struct gpu_row *end,
					struct xpt_prom_family *f, add_row_fn add)
{
	const struct gpu_row *w = first;

	for (; w < end && !strcmp(w->name, first->name); w++)
		add_readings(p, w, add);
	f->name = first->name;
	f->help = first->help;
	f->type = first->type;
	f->digits = first->digits;
	print_family(p, f);
	return w;
}

/* The Xid that a GPU has had last, 0: none. */
static uint32_t last_xid(const struct xpt_metrics *m, const struct xpt_device *d)
{
	char name[XPT_XID_DEVICE_MAX];
	const struct xpt_metrics_xid *last = NULL;

	snprintf(name, sizeof(name), "%s", d->address);
	xpt_xid__normalize(name);
	for (uint32_t i = 0; i < m->nr_xids; i++)
		if (!strcmp(m->xid[i].device, name) && (!last || m->xid[i].last > last->last))
			last = &m->xid[i];
	return last ? last->xid : 0;
}

/* Prints the last Xid of each GPU that had one, also of a GPU that is not read any more: its Xid says why. */
static void print_last_xids(struct page *p, struct xpt_prom_family *f)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(p->m->read, &pos, &k, &v)) {
		const struct xpt_device *d = *(const struct xpt_device *const *)k;
		uint32_t xid = d->kind == XPT_DEVICE_GPU ? last_xid(p->m, d) : 0;

		if (xid)
			add_dcgm_row(p, d, NULL, xid);
	}
	f->name = "DCGM_FI_DEV_XID_ERRORS";
	f->help = "The last Xid";
	f->type = GAUGE;
	f->digits = 0;
	print_family(p, f);
}

static void print_dcgm(struct page *p)
{
	struct xpt_prom_family f = { .label = { "gpu", "UUID", "pci_bus_id", "device", "modelName", "Hostname" } };
	const struct gpu_row *end = dcgm_rows + ARRAY_LEN(dcgm_rows);

	for (const struct gpu_row *w = dcgm_rows; w < end; )
		w = print_gpus(p, w, end, &f, add_dcgm_row);
	print_last_xids(p, &f);
}

static const char *extra_label(const struct gpu_row *w)
{
	switch (w->metric) {
	case XPT_METRIC_GPU_ECC_CORRECTED:
		return "error_type";
	case XPT_METRIC_GPU_UTILIZATION:
		return "hw_gpu_task";
	case XPT_METRIC_GPU_UP:
		return "hw_state";
	default:
		return NULL;
	}
}

static void print_otel(struct page *p)
{
	struct xpt_prom_family f = { .label = { "hw_id", "hw_type", "hw_name", "hw_model", "hw_vendor" } };
	const struct gpu_row *end = otel_rows + ARRAY_LEN(otel_rows);

	for (const struct gpu_row *w = otel_rows; w < end; ) {
		f.label[5] = extra_label(w);
		w = print_gpus(p, w, end, &f, add_otel_row);
	}
}

/* --- calls --------------------------------------------------------------------------------------- */

static void add_calls(struct page *p, const struct obi_row *w, const struct xpt_hashmap *totals)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(totals, &pos, &k, &v)) {
		const struct xpt_metrics_series_key *key = k;
		const struct xpt_wire_count *n = v;
		struct xpt_prom_row *row;

		if (strcmp(key->fn->name, w->function) || strcmp(key->fn->domain_name, "cudart"))
			continue;
		row = add_row(p, w->bytes ? n->bytes : n->calls);
		row->label[0] = p->m->group[key->group].process;
		row->label[1] = p->host;
	}
}

static void print_obi(struct page *p, const struct xpt_hashmap *totals)
{
	struct xpt_prom_family f = { .type = COUNTER, .label = { "service_name", "host_name" } };
	size_t i, first;

	for (first = 0; first < ARRAY_LEN(obi_rows); first = i) {
		f.name = obi_rows[first].name;
		f.help = obi_rows[first].help;
		for (i = first; i < ARRAY_LEN(obi_rows) && !strcmp(obi_rows[i].name, f.name); i++)
			add_calls(p, &obi_rows[i], totals);
		print_family(p, &f);
	}
}

int xpt_metrics__print_compat(const struct xpt_metrics *m, const struct xpt_hashmap *totals, const char *host,
			      struct xpt_strbuf *sb)
{
	struct page p = { .m = m, .sb = sb, .host = host };
	size_t max = FAMILY_ROWS * (xpt_hashmap__len(m->readings) + xpt_hashmap__len(totals)) + xpt_hashmap__len(m->read) + 1;

	if (!m->compat)
		return 0;
	p.row = calloc(max, sizeof(*p.row));
	p.text = calloc(max, sizeof(*p.text));
	if (p.row && p.text && m->compat & XPT_METRICS_DCGM)
		print_dcgm(&p);
	if (p.row && p.text && m->compat & XPT_METRICS_OTEL)
		print_otel(&p);
	if (p.row && p.text && m->compat & XPT_METRICS_OBI)
		print_obi(&p, totals);
	max = p.row && p.text;
	free(p.row);
	free(p.text);
	return max ? 0 : -ENOMEM;
}
