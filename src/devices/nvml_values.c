// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values of one GPU or MIG device by NVML, see nvml_read_priv.h. Most are one call with one number; a
 * table has them. A value that the device does not have is left out.
 */
#include "devices/nvml_read_priv.h"

#include <stddef.h>
#include <string.h>

enum shape { U32, U64, U32_OF, U64_OF };	/* the out-parameter; with one or two numbers before it */

struct query {
	uint16_t metric;
	uint8_t shape;
	bool is_slow;
	size_t fn;		/* offset of the pointer in struct xpt_nvml_api */
	uint32_t arg, arg2;
	uint64_t factor;	/* from NVML's unit to the metric's */
};

#define FN(member) offsetof(struct xpt_nvml_api, member)
#define MHZ 1000000
#define MAX_WATTS 100000	/* larger is no power: old drivers give such numbers for unknown */

/* Numbers of sensors, clocks, counters: enums of nvml.h. */
static const struct query queries[] = {
	{ XPT_METRIC_GPU_POWER, U32, false, FN(power), 0, 0, 1 },
	{ XPT_METRIC_GPU_POWER_LIMIT, U32, true, FN(power_limit), 0, 0, 1 },
	{ XPT_METRIC_GPU_ENERGY, U64, false, FN(energy), 0, 0, 1 },
	{ XPT_METRIC_GPU_CLOCK_GRAPHICS, U32_OF, false, FN(clock), 0, 0, MHZ },
	{ XPT_METRIC_GPU_CLOCK_SM, U32_OF, false, FN(clock), 1, 0, MHZ },
	{ XPT_METRIC_GPU_CLOCK_MEMORY, U32_OF, false, FN(clock), 2, 0, MHZ },
	{ XPT_METRIC_GPU_CLOCK_VIDEO, U32_OF, false, FN(clock), 3, 0, MHZ },
	{ XPT_METRIC_GPU_PERFORMANCE_STATE, U32, false, FN(performance), 0, 0, 1 },
	{ XPT_METRIC_GPU_TEMPERATURE, U32_OF, false, FN(temperature), 0, 0, 1 },
	{ XPT_METRIC_GPU_TEMPERATURE_SHUTDOWN, U32_OF, true, FN(threshold), 0, 0, 1 },
	{ XPT_METRIC_GPU_TEMPERATURE_SLOWDOWN, U32_OF, true, FN(threshold), 1, 0, 1 },
	{ XPT_METRIC_GPU_MEMORY_TEMPERATURE_MAX, U32_OF, true, FN(threshold), 2, 0, 1 },
	{ XPT_METRIC_GPU_TEMPERATURE_MAX, U32_OF, true, FN(threshold), 3, 0, 1 },
	{ XPT_METRIC_GPU_ECC_CORRECTED, U64_OF, false, FN(ecc), 0, 0, 1 },
	{ XPT_METRIC_GPU_ECC_UNCORRECTED, U64_OF, false, FN(ecc), 1, 0, 1 },
	{ XPT_METRIC_GPU_ECC_CORRECTED_LIFE, U64_OF, true, FN(ecc), 0, 1, 1 },
	{ XPT_METRIC_GPU_ECC_UNCORRECTED_LIFE, U64_OF, true, FN(ecc), 1, 1, 1 },
	{ XPT_METRIC_GPU_PCIE_REPLAYS, U32, false, FN(pcie_replays), 0, 0, 1 },
	{ XPT_METRIC_GPU_PCIE_GENERATION, U32, true, FN(pcie_generation), 0, 0, 1 },
	{ XPT_METRIC_GPU_PCIE_WIDTH, U32, true, FN(pcie_width), 0, 0, 1 },
	{ XPT_METRIC_GPU_PCIE_GENERATION_MAX, U32, true, FN(pcie_generation_max), 0, 0, 1 },
	{ XPT_METRIC_GPU_PCIE_WIDTH_MAX, U32, true, FN(pcie_width_max), 0, 0, 1 },
};

#define NR_QUERIES ((int)(sizeof(queries) / sizeof(queries[0])))
_Static_assert(XPT_NVML_Q_TABLE + sizeof(queries) / sizeof(queries[0]) <= XPT_NVML_QUERIES, "bits of a device");

/* Calls the function; *ret_v is written whole, whatever its width. NULL: this version lacks it. */
static int call_query(const struct xpt_nvml_api *api, struct xpt_nvml_dev *dev, const struct query *q, uint64_t *ret_v)
{
	union {
		int (*u32)(struct xpt_nvml_dev *, uint32_t *);
		int (*u64)(struct xpt_nvml_dev *, uint64_t *);
		int (*u32_of)(struct xpt_nvml_dev *, uint32_t, uint32_t *);
		int (*u64_of)(struct xpt_nvml_dev *, uint32_t, uint32_t, uint64_t *);
	} fn;
	uint32_t v = 0;
	int code;

	memcpy(&fn, (const char *)api + q->fn, sizeof(fn));
	if (!fn.u32)
		return XPT_NVML_FUNCTION_NOT_FOUND;
	if (q->shape == U64)
		return fn.u64(dev, ret_v);
	if (q->shape == U64_OF)
		return fn.u64_of(dev, q->arg, q->arg2, ret_v);
	code = q->shape == U32 ? fn.u32(dev, &v) : fn.u32_of(dev, q->arg, &v);
	*ret_v = v;
	return code;
}

/* Numbers that stand for "unknown", and those that no device has. */
static bool is_known(uint16_t metric, uint64_t v)
{
	switch (metric) {
	case XPT_METRIC_GPU_POWER:
	case XPT_METRIC_GPU_POWER_LIMIT:
		return v < MAX_WATTS * 1000ull;
	case XPT_METRIC_GPU_PERFORMANCE_STATE:
		return v < 32;			/* NVML_PSTATE_UNKNOWN */
	case XPT_METRIC_GPU_TEMPERATURE:
	case XPT_METRIC_GPU_TEMPERATURE_SHUTDOWN:
	case XPT_METRIC_GPU_TEMPERATURE_SLOWDOWN:
	case XPT_METRIC_GPU_MEMORY_TEMPERATURE_MAX:
	case XPT_METRIC_GPU_TEMPERATURE_MAX:
	case XPT_METRIC_GPU_MEMORY_TEMPERATURE:
		return v < 1000;		/* below zero: unsigned and large */
	case XPT_METRIC_GPU_PCIE_REPLAYS:
	case XPT_METRIC_GPU_PCIE_GENERATION:
	case XPT_METRIC_GPU_PCIE_WIDTH:
		return v != UINT32_MAX;
	default:
		return v != UINT64_MAX;		/* NVML_VALUE_NOT_AVAILABLE */
	}
}

static void add_value(struct xpt_nvml *n, uint16_t metric, uint64_t v)
{
	if (is_known(metric, v))
		xpt_values__add(&n->values, metric, v);
}

static void read_table(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	for (int i = 0; i < NR_QUERIES; i++) {
		const struct query *q = &queries[i];
		int bit = XPT_NVML_Q_TABLE + i;
		uint64_t v = UINT64_MAX;

		if ((q->is_slow && !n->is_slow) || !xpt_nvml__may_ask(n, d, bit))
			continue;
		if (xpt_nvml__ok(n, d, bit, call_query(&n->api, d->dev, q, &v)) && is_known(q->metric, v))
			xpt_values__add(&n->values, q->metric, v * q->factor);
	}
}

/* --- values in structs of their own ----------------------------------------------------------- */

static uint64_t ratio_of(uint64_t percent)
{
	return percent * (XPT_RATIO_SCALE / 100);
}

static void add_percent(struct xpt_nvml *n, uint16_t metric, uint32_t percent)
{
	if (percent <= 100)
		xpt_values__add(&n->values, metric, ratio_of(percent));
}

static void read_utilization(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	struct xpt_nvml_utilization u = { UINT32_MAX, UINT32_MAX };
	uint32_t v = UINT32_MAX, period;

	if (n->api.utilization && xpt_nvml__may_ask(n, d, XPT_NVML_Q_UTILIZATION) &&
	    xpt_nvml__ok(n, d, XPT_NVML_Q_UTILIZATION, n->api.utilization(d->dev, &u))) {
		add_percent(n, XPT_METRIC_GPU_UTILIZATION, u.gpu);
		add_percent(n, XPT_METRIC_GPU_MEMORY_UTILIZATION, u.memory);
	}
	if (n->api.encoder && xpt_nvml__may_ask(n, d, XPT_NVML_Q_ENCODER) &&
	    xpt_nvml__ok(n, d, XPT_NVML_Q_ENCODER, n->api.encoder(d->dev, &v, &period)))
		add_percent(n, XPT_METRIC_GPU_ENCODER, v);
	v = UINT32_MAX;
	if (n->api.decoder && xpt_nvml__may_ask(n, d, XPT_NVML_Q_DECODER) &&
	    xpt_nvml__ok(n, d, XPT_NVML_Q_DECODER, n->api.decoder(d->dev, &v, &period)))
		add_percent(n, XPT_METRIC_GPU_DECODER, v);
}

/* Version 2 has reserved memory separately; the first has it in `used`. */
static void read_memory(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	struct xpt_nvml_memory_v2 m = { .version = XPT_NVML_VERSION(struct xpt_nvml_memory_v2, 2),
					.total = UINT64_MAX, .reserved = UINT64_MAX, .free = UINT64_MAX, .used = UINT64_MAX };
	struct xpt_nvml_memory old = { UINT64_MAX, UINT64_MAX, UINT64_MAX };

	if (n->api.memory_v2 && xpt_nvml__may_ask(n, d, XPT_NVML_Q_MEMORY_V2) &&
	    xpt_nvml__ok(n, d, XPT_NVML_Q_MEMORY_V2, n->api.memory_v2(d->dev, &m))) {
		add_value(n, XPT_METRIC_GPU_MEMORY_RESERVED, m.reserved);
	} else if (n->api.memory && xpt_nvml__may_ask(n, d, XPT_NVML_Q_MEMORY) &&
		   xpt_nvml__ok(n, d, XPT_NVML_Q_MEMORY, n->api.memory(d->dev, &old))) {
		m.total = old.total;
		m.used = old.used;
		m.free = old.free;
	} else {
		return;
	}
	add_value(n, XPT_METRIC_GPU_MEMORY_TOTAL, m.total);
	add_value(n, XPT_METRIC_GPU_MEMORY_USED, m.used);
	add_value(n, XPT_METRIC_GPU_MEMORY_FREE, m.free);
}

/* Bit i is metric XPT_METRIC_GPU_EVENT_IDLE + i: nvmlClocksEventReason*. */
static void read_clock_events(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	uint64_t bits = 0;

	if (!n->api.clock_events || !xpt_nvml__may_ask(n, d, XPT_NVML_Q_EVENTS) ||
	    !xpt_nvml__ok(n, d, XPT_NVML_Q_EVENTS, n->api.clock_events(d->dev, &bits)))
		return;
	for (uint16_t i = 0; i <= XPT_METRIC_GPU_EVENT_DISPLAY - XPT_METRIC_GPU_EVENT_IDLE; i++)
		xpt_values__add(&n->values, (uint16_t)(XPT_METRIC_GPU_EVENT_IDLE + i), bits >> i & 1);
}

static bool read_rows(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	uint32_t cor = 0, unc = 0, pending = 0, failure = 0;

	if (!n->api.rows || !xpt_nvml__may_ask(n, d, XPT_NVML_Q_ROWS) ||
	    !xpt_nvml__ok(n, d, XPT_NVML_Q_ROWS, n->api.rows(d->dev, &cor, &unc, &pending, &failure)))
		return false;
	xpt_values__add(&n->values, XPT_METRIC_GPU_ROWS_CORRECTABLE, cor);
	xpt_values__add(&n->values, XPT_METRIC_GPU_ROWS_UNCORRECTABLE, unc);
	xpt_values__add(&n->values, XPT_METRIC_GPU_ROWS_PENDING, pending != 0);
	xpt_values__add(&n->values, XPT_METRIC_GPU_ROWS_FAILURE, failure != 0);
	return true;
}

static void read_fans(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	uint32_t nr = 0, v;

	if (!n->api.fans || !n->api.fan || !xpt_nvml__may_ask(n, d, XPT_NVML_Q_FANS) ||
	    !xpt_nvml__ok(n, d, XPT_NVML_Q_FANS, n->api.fans(d->dev, &nr)))
		return;
	for (uint32_t i = 0; i < nr && i < 16 && xpt_nvml__may_ask(n, d, -1); i++) {
		if (xpt_nvml__ok(n, d, -1, n->api.fan(d->dev, i, &v)) && v <= 1000)
			xpt_values__add_full(&n->values, XPT_METRIC_GPU_FAN, (uint16_t)i, 0, ratio_of(v));
	}
}

/* --- fields: one call for many, NVML_FI_DEV_* ---------------------------------------------------- */

struct field {
	uint32_t id;
	uint16_t metric;
	bool is_slow, is_of_pages;	/* of_pages: only where rows do not exist */
	uint32_t scope;
	uint64_t factor;
};

static const struct field fields[] = {
	{ 82, XPT_METRIC_GPU_MEMORY_TEMPERATURE, false, false, 0, 1 },
	{ 138, XPT_METRIC_GPU_NVLINK_SENT, false, false, XPT_NVML_ALL_LINKS, 1024 },
	{ 139, XPT_METRIC_GPU_NVLINK_RECEIVED, false, false, XPT_NVML_ALL_LINKS, 1024 },
	{ 29, XPT_METRIC_GPU_PAGES_SINGLE, true, true, 0, 1 },
	{ 30, XPT_METRIC_GPU_PAGES_DOUBLE, true, true, 0, 1 },
	{ 31, XPT_METRIC_GPU_PAGES_PENDING, true, true, 0, 1 },
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint64_t field_value(const struct xpt_nvml_field *f)
{
	switch (f->type) {
	case XPT_NVML_UINT:
		return f->value.u;
	case XPT_NVML_ULONG:
	case XPT_NVML_ULONGLONG:
		return f->value.u64;
	case XPT_NVML_LONGLONG:
		return f->value.i64 < 0 ? UINT64_MAX : (uint64_t)f->value.i64;
	case XPT_NVML_INT:
		return f->value.i < 0 ? UINT64_MAX : (uint64_t)f->value.i;
	case XPT_NVML_USHORT:
		return f->value.u16;
	default:
		return UINT64_MAX;
	}
}

static void read_fields(struct xpt_nvml *n, struct xpt_nvml_device *d, bool has_rows)
{
	struct xpt_nvml_field f[NR_FIELDS];
	const struct field *of[NR_FIELDS];
	int32_t nr = 0;

	memset(f, 0, sizeof(f));
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if ((fields[i].is_slow && !n->is_slow) || (fields[i].is_of_pages && has_rows))
			continue;
		f[nr].id = fields[i].id;
		f[nr].scope = fields[i].scope;
		f[nr].result = XPT_NVML_NO_DATA;
		of[nr++] = &fields[i];
	}
	if (!n->api.fields || !xpt_nvml__may_ask(n, d, XPT_NVML_Q_FIELDS) ||
	    !xpt_nvml__ok(n, d, XPT_NVML_Q_FIELDS, n->api.fields(d->dev, nr, f)))
		return;
	for (int32_t i = 0; i < nr; i++) {
		uint64_t v = f[i].result ? UINT64_MAX : field_value(&f[i]);

		if (v != UINT64_MAX && is_known(of[i]->metric, v))
			xpt_values__add(&n->values, of[i]->metric, v * of[i]->factor);
	}
}

/* --- NVLink ------------------------------------------------------------------------------------- */

/* NVML_NVLINK_ERROR_DL_* */
static const uint16_t link_errors[] = {
	XPT_METRIC_GPU_NVLINK_REPLAYS, XPT_METRIC_GPU_NVLINK_RECOVERIES, XPT_METRIC_GPU_NVLINK_CRC_FLIT,
	XPT_METRIC_GPU_NVLINK_CRC_DATA, XPT_METRIC_GPU_NVLINK_ECC,
};

static void read_link_errors(struct xpt_nvml *n, struct xpt_nvml_device *d, uint32_t link)
{
	for (uint32_t i = 0; i < sizeof(link_errors) / sizeof(link_errors[0]); i++) {
		uint64_t v = UINT64_MAX;

		if (!xpt_nvml__may_ask(n, d, -1))
			return;
		if (xpt_nvml__ok(n, d, -1, n->api.link_errors(d->dev, link, i, &v)) && v != UINT64_MAX)
			xpt_values__add_full(&n->values, link_errors[i], (uint16_t)link, 0, v);
	}
}

/* The numbers of links have no gaps; the first that the device does not know ends them. */
static void read_links(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	for (uint32_t link = 0; link < XPT_NVML_LINKS; link++) {
		uint32_t is_active = 0;

		if (!n->api.link_state || !xpt_nvml__may_ask(n, d, XPT_NVML_Q_LINK_STATE) ||
		    !xpt_nvml__ok(n, d, link ? -1 : XPT_NVML_Q_LINK_STATE, n->api.link_state(d->dev, link, &is_active)))
			return;
		xpt_values__add_full(&n->values, XPT_METRIC_GPU_NVLINK_ACTIVE, (uint16_t)link, 0, is_active == 1);
		if (is_active == 1 && n->api.link_errors)
			read_link_errors(n, d, link);
	}
}

/* --- the device ----------------------------------------------------------------------------------- */

void xpt_nvml__read_pcie(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	static const uint16_t metric[] = { XPT_METRIC_GPU_PCIE_SENT, XPT_METRIC_GPU_PCIE_RECEIVED };

	for (uint32_t i = 0; i < 2; i++) {	/* NVML_PCIE_UTIL_TX_BYTES, _RX_BYTES */
		int bit = XPT_NVML_Q_PCIE_SENT + (int)i;
		uint32_t kib = 0;

		if (!n->api.pcie_throughput || !xpt_nvml__may_ask(n, d, bit))
			return;
		if (xpt_nvml__ok(n, d, bit, n->api.pcie_throughput(d->dev, i, &kib)))
			xpt_values__add(&n->values, metric[i], kib * 1024ull);
	}
}

void xpt_nvml__read_values(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	bool has_rows = false;

	read_memory(n, d);
	read_utilization(n, d);
	if (d->is_mig)		/* all else is the whole GPU's */
		return;
	read_table(n, d);
	read_clock_events(n, d);
	if (n->is_slow) {
		has_rows = read_rows(n, d);
		read_fans(n, d);
		read_links(n, d);
	}
	read_fields(n, d, has_rows);
}
