// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A simulated libnvidia-ml.so.1: devices that say what a script tells them to. Without a script it
 * has XPT_FAKE_NVML_DEVICES healthy devices (2). The file XPT_FAKE_NVML is read again at every
 * call; its lines, of which the last one counts:
 *
 *   devices N           how many there are;   claim N: how many nvmlDeviceGetCount says
 *   mig DEV N           DEV is in MIG mode and has N MIG devices
 *   value NAME V        what the function nvmlDeviceGetNAME says, in its unit;  value NAME DEV V
 *   error NAME CODE     nvmlNAME returns CODE on every device;                  error NAME DEV CODE
 *   hang NAME           nvmlNAME does not return while the file has this line
 *   processes DEV N     processes of DEV: 1001, 1002 ... with 1 MiB, 2 MiB ...
 *   claim-processes N   how many are said to be written (no more than there is room for are)
 *   pid DEV PID MIB     a process with this number and memory
 *   driver gone         nvmlInit says DRIVER_NOT_LOADED, all else UNINITIALIZED
 *
 * Built with OLD_API it has no function with _v2 or _v3 and none of GPM, as libraries of old drivers.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default")))
#define DEVICES 64
#define MIGS 8

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, NO_DRIVER = 9 };

struct dev {
	int index, mig;		/* mig: -1: the GPU */
};

static struct dev gpus[DEVICES], migs[DEVICES][MIGS];
static bool is_started;
static char script[16384];

/* --- the script ------------------------------------------------------------------------------------ */

static void read_script(void)
{
	const char *path = getenv("XPT_FAKE_NVML");
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t n = f ? fread(script, 1, sizeof(script) - 1, f) : 0;

	script[n] = '\0';
	if (f)
		fclose(f);
}

/* The words after `key` of its last line, or NULL. */
static const char *find_line(const char *key)
{
	const char *line = script, *found = NULL;
	size_t n = strlen(key);

	while (*line) {
		if (!strncmp(line, key, n) && (line[n] == ' ' || line[n] == '\n' || !line[n]))
			found = line + n;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return found;
}

static bool find_number(uint64_t *v, const char *fmt, ...)
{
	char key[128];
	const char *line;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(key, sizeof(key), fmt, ap);
	va_end(ap);
	line = find_line(key);
	return line && sscanf(line, "%lu", v) == 1;
}

/* "value NAME DEV V", else "value NAME V" with nothing after V. */
static bool find_of_device(const char *what, const char *name, int dev, uint64_t *v)
{
	char key[128];
	const char *line;
	uint64_t other;

	if (find_number(v, "%s %s %d", what, name, dev))
		return true;
	snprintf(key, sizeof(key), "%s %s", what, name);
	line = find_line(key);
	return line && sscanf(line, "%lu%*[ ]%lu", v, &other) == 1;
}

static void hang_if_told(const char *name)
{
	const struct timespec ms = { 0, 1000000 };
	char key[128];

	snprintf(key, sizeof(key), "hang %s", name);
	while (find_line(key)) {
		nanosleep(&ms, NULL);
		read_script();
	}
}

/* The beginning of each function: what it returns if not 0. dev: NULL for those of no device. */
static int enter(const char *name, const struct dev *dev)
{
	uint64_t code;

	if (getenv("XPT_FAKE_NVML"))
		read_script();
	hang_if_told(name);
	if (find_line("driver gone"))
		is_started = false;
	if (!is_started)
		return UNINITIALIZED;
	if (find_of_device("error", name, dev ? dev->index : -1, &code))
		return (int)code;
	return OK;
}

static uint64_t value(const char *name, const struct dev *dev, uint64_t otherwise)
{
	uint64_t v;

	return find_of_device("value", name, dev->index, &v) ? v : otherwise;
}

static uint64_t setting(const char *key, const char *variable, uint64_t otherwise)
{
	const char *text = variable ? getenv(variable) : NULL;
	uint64_t v;

	if (find_number(&v, "%s", key))
		return v;
	return text ? strtoul(text, NULL, 10) : otherwise;
}

static uint64_t nr_devices(void)
{
	uint64_t nr = setting("devices", "XPT_FAKE_NVML_DEVICES", 2);

	return nr < DEVICES ? nr : DEVICES;
}

static uint64_t nr_migs(int dev)
{
	uint64_t nr = 0;

	return find_number(&nr, "mig %d", dev) && nr < MIGS ? nr : nr ? MIGS : 0;
}

/* --- start and devices ------------------------------------------------------------------------------ */

static int start(void)
{
	uint64_t code;

	read_script();
	hang_if_told("nvmlInit");
	if (find_line("driver gone"))
		return NO_DRIVER;
	if (find_number(&code, "error nvmlInit"))
		return (int)code;
	is_started = true;
	return OK;
}

static int count(uint32_t *nr)
{
	int err = enter("nvmlDeviceGetCount", NULL);

	*nr = (uint32_t)setting("claim", NULL, nr_devices());
	return err;
}

static int handle(uint32_t index, struct dev **dev)
{
	struct dev at = { (int)index, -1 };
	int err = enter("nvmlDeviceGetHandleByIndex", &at);

	if (err)
		return err;
	if (index >= nr_devices())
		return INVALID;
	gpus[index] = at;
	*dev = &gpus[index];
	return OK;
}

API int nvmlInit(void) { return start(); }
API int nvmlDeviceGetCount(uint32_t *nr) { return count(nr); }
API int nvmlDeviceGetHandleByIndex(uint32_t index, struct dev **dev) { return handle(index, dev); }
#ifndef OLD_API
API int nvmlInit_v2(void) { return start(); }
API int nvmlDeviceGetCount_v2(uint32_t *nr) { return count(nr); }
API int nvmlDeviceGetHandleByIndex_v2(uint32_t index, struct dev **dev) { return handle(index, dev); }
#endif

API int nvmlShutdown(void)
{
	is_started = false;
	return OK;
}

static int text(char *to, uint32_t n, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(to, n, fmt, ap);
	va_end(ap);
	return len < (int)n ? OK : TOO_SMALL;
}

API int nvmlSystemGetDriverVersion(char *s, uint32_t n) { return text(s, n, "580.00.fake"); }
API int nvmlSystemGetNVMLVersion(char *s, uint32_t n) { return text(s, n, "13.580.00.fake"); }

API int nvmlDeviceGetName(struct dev *d, char *s, uint32_t n)
{
	int err = enter("nvmlDeviceGetName", d);

	return err ? err : text(s, n, d->mig < 0 ? "NVIDIA Fake 100" : "NVIDIA Fake 100 MIG 1g.10gb");
}

API int nvmlDeviceGetUUID(struct dev *d, char *s, uint32_t n)
{
	int err = enter("nvmlDeviceGetUUID", d);

	if (err)
		return err;
	if (d->mig < 0)
		return text(s, n, "GPU-00000000-0000-0000-0000-%012d", d->index);
	return text(s, n, "MIG-00000000-0000-0000-%04d-%012d", d->mig, d->index);
}

struct pci { char legacy[16]; uint32_t domain, bus, device, id, subsystem; char bus_id[32]; };

static int pci(struct dev *d, struct pci *p, bool is_new)
{
	int err = enter("nvmlDeviceGetPciInfo", d);

	if (err)
		return err;
	snprintf(p->legacy, sizeof(p->legacy), "0000:%02X:00.0", 16 + d->index);
	if (is_new)
		snprintf(p->bus_id, sizeof(p->bus_id), "00000000:%02X:00.0", 16 + d->index);
	return OK;
}

API int nvmlDeviceGetPciInfo(struct dev *d, struct pci *p) { return pci(d, p, false); }
#ifndef OLD_API
API int nvmlDeviceGetPciInfo_v3(struct dev *d, struct pci *p) { return pci(d, p, true); }
#endif

/* --- values ------------------------------------------------------------------------------------------ */

#define NUMBER(name, otherwise)                                    \
	API int nvmlDeviceGet##name(struct dev *d, uint32_t *v)    \
	{                                                          \
		int err = enter("nvmlDeviceGet" #name, d);         \
								   \
		*v = (uint32_t)value(#name, d, (otherwise));       \
		return err;                                        \
	}

NUMBER(MinorNumber, (uint64_t)d->index)
NUMBER(PowerUsage, 300000 + 1000 * (uint64_t)d->index)
NUMBER(EnforcedPowerLimit, 700000)
NUMBER(PerformanceState, 0)
NUMBER(PcieReplayCounter, 0)
NUMBER(CurrPcieLinkGeneration, 5)
NUMBER(CurrPcieLinkWidth, 16)
NUMBER(MaxPcieLinkGeneration, 5)
NUMBER(MaxPcieLinkWidth, 16)
NUMBER(NumFans, 1)
NUMBER(MaxMigDeviceCount, 7)

API int nvmlDeviceGetTotalEnergyConsumption(struct dev *d, uint64_t *v)
{
	int err = enter("nvmlDeviceGetTotalEnergyConsumption", d);

	*v = value("TotalEnergyConsumption", d, 5000000);
	return err;
}

API int nvmlDeviceGetUtilizationRates(struct dev *d, uint32_t v[2])
{
	int err = enter("nvmlDeviceGetUtilizationRates", d);

	if (err || d->mig >= 0)
		return err ? err : NOT_SUPPORTED;
	v[0] = (uint32_t)value("UtilizationRates", d, 50);
	v[1] = v[0] / 2;
	return OK;
}

static int coder(const char *name, const struct dev *d, uint32_t *v, uint32_t *period_us)
{
	int err = enter(name, d);

	*v = (uint32_t)value(name + strlen("nvmlDeviceGet"), d, 10);
	*period_us = 167000;
	return err;
}

API int nvmlDeviceGetEncoderUtilization(struct dev *d, uint32_t *v, uint32_t *us) { return coder("nvmlDeviceGetEncoderUtilization", d, v, us); }
API int nvmlDeviceGetDecoderUtilization(struct dev *d, uint32_t *v, uint32_t *us) { return coder("nvmlDeviceGetDecoderUtilization", d, v, us); }

#define MIB (1ull << 20)

API int nvmlDeviceGetMemoryInfo(struct dev *d, uint64_t v[3])
{
	int err = enter("nvmlDeviceGetMemoryInfo", d);

	v[0] = 81920 * MIB;
	v[2] = value("MemoryInfo", d, 1000) * MIB;
	v[1] = v[0] - v[2];
	return err;
}

#ifndef OLD_API
struct memory { uint32_t version; uint64_t total, reserved, free, used; };

API int nvmlDeviceGetMemoryInfo_v2(struct dev *d, struct memory *m)
{
	int err = enter("nvmlDeviceGetMemoryInfo_v2", d);

	if (err)
		return err;
	if (m->version != (sizeof(*m) | 2u << 24))
		return 25;	/* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
	m->total = 81920 * MIB;
	m->reserved = 600 * MIB;
	m->used = value("MemoryInfo", d, 1000) * MIB;
	m->free = m->total - m->used - m->reserved;
	return OK;
}
#endif

API int nvmlDeviceGetClockInfo(struct dev *d, uint32_t type, uint32_t *v)
{
	int err = enter("nvmlDeviceGetClockInfo", d);

	*v = 1000 + type;
	return err;
}

static int clock_events(const struct dev *d, uint64_t *v)
{
	int err = enter("nvmlDeviceGetCurrentClocksEventReasons", d);

	*v = value("CurrentClocksEventReasons", d, 4);
	return err;
}

API int nvmlDeviceGetCurrentClocksThrottleReasons(struct dev *d, uint64_t *v) { return clock_events(d, v); }
#ifndef OLD_API
API int nvmlDeviceGetCurrentClocksEventReasons(struct dev *d, uint64_t *v) { return clock_events(d, v); }
#endif

API int nvmlDeviceGetTemperature(struct dev *d, uint32_t sensor, uint32_t *v)
{
	int err = enter("nvmlDeviceGetTemperature", d);

	(void)sensor;
	*v = (uint32_t)value("Temperature", d, 60 + (uint64_t)d->index);
	return err;
}

API int nvmlDeviceGetTemperatureThreshold(struct dev *d, uint32_t type, uint32_t *v)
{
	int err = enter("nvmlDeviceGetTemperatureThreshold", d);

	*v = 95 - type;
	return err ? err : type < 4 ? OK : NOT_SUPPORTED;
}

API int nvmlDeviceGetTotalEccErrors(struct dev *d, uint32_t type, uint32_t counter, uint64_t *v)
{
	int err = enter("nvmlDeviceGetTotalEccErrors", d);

	*v = value(type ? "EccUncorrected" : "EccCorrected", d, 0) + 10 * counter;
	return err;
}

#ifndef OLD_API
API int nvmlDeviceGetFanSpeed_v2(struct dev *d, uint32_t fan, uint32_t *v)
{
	int err = enter("nvmlDeviceGetFanSpeed", d);

	*v = 30 + fan;
	return err;
}

API int nvmlDeviceGetRemappedRows(struct dev *d, uint32_t *cor, uint32_t *unc, uint32_t *pending, uint32_t *failure)
{
	int err = enter("nvmlDeviceGetRemappedRows", d);

	*cor = (uint32_t)value("RemappedRows", d, 0);
	*unc = *failure = 0;
	*pending = *cor != 0;
	return err;
}
#endif

API int nvmlDeviceGetPcieThroughput(struct dev *d, uint32_t counter, uint32_t *v)
{
	int err = enter("nvmlDeviceGetPcieThroughput", d);

	*v = (uint32_t)value("PcieThroughput", d, 2048) + counter;
	return err;
}

struct field { uint32_t id, scope; int64_t time, latency; uint32_t type, result; uint64_t v; };

API int nvmlDeviceGetFieldValues(struct dev *d, int nr, struct field *f)
{
	int err = enter("nvmlDeviceGetFieldValues", d);

	for (int i = 0; !err && i < nr; i++) {
		f[i].result = OK;
		f[i].type = 3;		/* unsigned long long */
		f[i].v = 0;
		if (f[i].id == 82)
			f[i] = (struct field){ .id = 82, .type = 1, .v = value("MemoryTemp", d, 70) };
		else if (f[i].id == 138 || f[i].id == 139)
			f[i].v = value("NvLinkThroughput", d, 4096) + f[i].id - 138;
		else if (f[i].id > 31)
			f[i].result = NOT_SUPPORTED;
	}
	return err;
}

API int nvmlDeviceGetNvLinkState(struct dev *d, uint32_t link, uint32_t *v)
{
	int err = enter("nvmlDeviceGetNvLinkState", d);

	*v = link != 3;
	return err ? err : link < 4 ? OK : INVALID;
}

API int nvmlDeviceGetNvLinkErrorCounter(struct dev *d, uint32_t link, uint32_t counter, uint64_t *v)
{
	int err = enter("nvmlDeviceGetNvLinkErrorCounter", d);

	*v = value("NvLinkErrorCounter", d, 0) + link;
	return err ? err : counter < 4 ? OK : NOT_SUPPORTED;
}

/* --- MIG ----------------------------------------------------------------------------------------------- */

API int nvmlDeviceGetMigMode(struct dev *d, uint32_t *current, uint32_t *pending)
{
	uint64_t nr;
	int err = enter("nvmlDeviceGetMigMode", d);

	*current = *pending = find_number(&nr, "mig %d", d->index);
	return err;
}

API int nvmlDeviceGetMigDeviceHandleByIndex(struct dev *d, uint32_t index, struct dev **mig)
{
	int err = enter("nvmlDeviceGetMigDeviceHandleByIndex", d);

	if (err)
		return err;
	if (index >= nr_migs(d->index))
		return NOT_FOUND;
	migs[d->index][index] = (struct dev){ d->index, (int)index };
	*mig = &migs[d->index][index];
	return OK;
}

/* --- processes ------------------------------------------------------------------------------------------- */

struct process { uint32_t pid; uint64_t used; uint32_t gi, ci; };
struct process_v1 { uint32_t pid; uint64_t used; };

/* Process i of a device; MIG devices have one each, which the GPU lists, too. */
static bool nth_process(const struct dev *d, uint32_t i, struct process *p)
{
	uint64_t nr = 0, pid, mib;
	const char *line;
	char key[32];

	*p = (struct process){ 1001 + i, (i + 1) * MIB, 0xffffffff, 0xffffffff };
	if (d->mig >= 0) {
		*p = (struct process){ 2000 + (uint32_t)d->mig, 5 * MIB, (uint32_t)d->mig, 0 };
		return i == 0;
	}
	if (find_number(&nr, "processes %d", d->index) && i < nr)
		return true;
	i -= (uint32_t)nr;
	if (i < nr_migs(d->index)) {
		*p = (struct process){ 2000 + i, 5 * MIB, i, 0 };
		return true;
	}
	i -= (uint32_t)nr_migs(d->index);
	snprintf(key, sizeof(key), "pid %d", d->index);
	line = find_line(key);
	if (i || !line || sscanf(line, "%lu %lu", &pid, &mib) != 2)
		return false;
	*p = (struct process){ (uint32_t)pid, mib * MIB, 0xffffffff, 0xffffffff };
	return true;
}

static int processes(const char *name, const struct dev *d, uint32_t *nr, char *to, size_t size)
{
	int err = enter(name, d);
	uint32_t room = *nr, n = 0;
	struct process p;
	uint64_t claimed;

	while (!err && nth_process(d, n, &p)) {
		if (n < room)
			memcpy(to + n * size, &p, size);
		n++;
	}
	*nr = n;
	if (!err && n > room)
		err = TOO_SMALL;
	if (find_number(&claimed, "claim-processes"))
		*nr = (uint32_t)claimed;
	return err;
}

API int nvmlDeviceGetComputeRunningProcesses(struct dev *d, uint32_t *nr, struct process_v1 *v)
{
	return processes("nvmlDeviceGetComputeRunningProcesses", d, nr, (char *)v, sizeof(*v));
}

API int nvmlDeviceGetGraphicsRunningProcesses(struct dev *d, uint32_t *nr, struct process_v1 *v)
{
	(void)v;
	*nr = 0;
	return enter("nvmlDeviceGetGraphicsRunningProcesses", d);
}

#ifndef OLD_API
API int nvmlDeviceGetComputeRunningProcesses_v3(struct dev *d, uint32_t *nr, struct process *v)
{
	return processes("nvmlDeviceGetComputeRunningProcesses", d, nr, (char *)v, sizeof(*v));
}

API int nvmlDeviceGetGraphicsRunningProcesses_v3(struct dev *d, uint32_t *nr, struct process *v)
{
	(void)v;
	*nr = 0;
	return enter("nvmlDeviceGetGraphicsRunningProcesses", d);
}
#endif

struct use { uint32_t pid; uint64_t time; uint32_t sm, memory, encoder, decoder; };

API int nvmlDeviceGetProcessUtilization(struct dev *d, struct use *v, uint32_t *nr, uint64_t since)
{
	int err = enter("nvmlDeviceGetProcessUtilization", d);
	struct process p;

	if (err)
		return err;
	if (!*nr || !nth_process(d, 0, &p))
		return NOT_FOUND;
	*nr = 1;
	v[0] = (struct use){ p.pid, since + 1000000, 40, 20, 0, 0 };
	return OK;
}

/* --- GPM ---------------------------------------------------------------------------------------------------- */

#ifndef OLD_API
struct gpm { uint32_t id, result; double value; const char *text[3]; };
struct gpm_get { uint32_t version, nr; int *from, *to; struct gpm metric[]; };

API int nvmlGpmQueryDeviceSupport(struct dev *d, uint32_t v[2])
{
	v[1] = 1;
	return enter("nvmlGpmQueryDeviceSupport", d);
}

API int nvmlGpmSampleAlloc(int **sample)
{
	*sample = calloc(1, sizeof(int));
	return *sample ? OK : 20;
}

API int nvmlGpmSampleFree(int *sample)
{
	free(sample);
	return OK;
}

API int nvmlGpmSampleGet(struct dev *d, int *sample)
{
	*sample = 1 + d->index;
	return enter("nvmlGpmSampleGet", d);
}

API int nvmlGpmMetricsGet(struct gpm_get *g)
{
	if (!*g->from || !*g->to)
		return INVALID;
	for (uint32_t i = 0; i < g->nr; i++) {
		g->metric[i].result = g->metric[i].id == 11 ? NOT_SUPPORTED : OK;
		g->metric[i].value = g->metric[i].id + 0.5;
	}
	return enter("nvmlGpmMetricsGet", NULL);
}
#endif
