/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NVML, NVIDIA's management library: the functions that are used, found by name at run time, and
 * their types, declared here. Values and layouts are those of nvml.h of NVML 13, which keeps all
 * older ones. Only reader processes load the library (reader.h): its calls may never return.
 */
#ifndef XPT_DEVICES_NVML_API_H
#define XPT_DEVICES_NVML_API_H

#include <stdint.h>

/* nvmlReturn_t, as far as it matters here; meanings of all of them: domains/nvml/results.h. */
enum {
	XPT_NVML_SUCCESS = 0, XPT_NVML_UNINITIALIZED = 1, XPT_NVML_INVALID_ARGUMENT = 2, XPT_NVML_NOT_SUPPORTED = 3,
	XPT_NVML_NO_PERMISSION = 4, XPT_NVML_NOT_FOUND = 6, XPT_NVML_INSUFFICIENT_SIZE = 7,
	XPT_NVML_DRIVER_NOT_LOADED = 9, XPT_NVML_FUNCTION_NOT_FOUND = 13, XPT_NVML_GPU_IS_LOST = 15,
	XPT_NVML_RESET_REQUIRED = 16, XPT_NVML_VERSION_MISMATCH = 18, XPT_NVML_NO_DATA = 21,
	XPT_NVML_ARGUMENT_VERSION = 25,	/* the driver does not know that version of a struct */
};

#define XPT_NVML_NO_INSTANCE 0xffffffffu	/* gpuInstanceId of a process outside of MIG */
#define XPT_NVML_LINKS 36			/* NVML_NVLINK_MAX_LINKS */
#define XPT_NVML_ALL_LINKS 0xffffffffu		/* scopeId of a field: the sum over all links */
#define XPT_NVML_GPM_METRICS 333		/* NVML_GPM_METRIC_MAX */

struct xpt_nvml_dev;		/* nvmlDevice_t points to one */
struct xpt_nvml_sample;		/* nvmlGpmSample_t points to one */

struct xpt_nvml_utilization { uint32_t gpu, memory; };			/* percent */
struct xpt_nvml_memory { uint64_t total, free, used; };			/* bytes */
struct xpt_nvml_memory_v2 { uint32_t version; uint64_t total, reserved, free, used; };
struct xpt_nvml_pci { char legacy[16]; uint32_t domain, bus, device, id, subsystem; char bus_id[32]; };
struct xpt_nvml_process_v1 { uint32_t pid; uint64_t used; };
struct xpt_nvml_process { uint32_t pid; uint64_t used; uint32_t gpu_instance, compute_instance; };	/* v2, v3 */
struct xpt_nvml_process_use { uint32_t pid; uint64_t time_us; uint32_t sm, memory, encoder, decoder; };
struct xpt_nvml_field {
	uint32_t id, scope;
	int64_t time_us, latency_us;
	uint32_t type, result;		/* enum xpt_nvml_type, nvmlReturn_t */
	union { double d; int32_t i; uint32_t u; uint64_t u64; int64_t i64; uint16_t u16; } value;
};
enum xpt_nvml_type { XPT_NVML_DOUBLE, XPT_NVML_UINT, XPT_NVML_ULONG, XPT_NVML_ULONGLONG, XPT_NVML_LONGLONG,
		     XPT_NVML_INT, XPT_NVML_USHORT };
struct xpt_nvml_gpm { uint32_t id, result; double value; const char *text[3]; };
struct xpt_nvml_gpm_get {
	uint32_t version, nr;		/* version 1 */
	struct xpt_nvml_sample *from, *to;
	struct xpt_nvml_gpm metric[XPT_NVML_GPM_METRICS];
};
struct xpt_nvml_gpm_support { uint32_t version, is_supported; };	/* version 1 */

_Static_assert(sizeof(struct xpt_nvml_utilization) == 8, "nvmlUtilization_t");
_Static_assert(sizeof(struct xpt_nvml_memory) == 24, "nvmlMemory_t");
_Static_assert(sizeof(struct xpt_nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct xpt_nvml_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct xpt_nvml_process_v1) == 16, "nvmlProcessInfo_v1_t");
_Static_assert(sizeof(struct xpt_nvml_process) == 24, "nvmlProcessInfo_v2_t");
_Static_assert(sizeof(struct xpt_nvml_process_use) == 32, "nvmlProcessUtilizationSample_t");
_Static_assert(sizeof(struct xpt_nvml_field) == 40, "nvmlFieldValue_t");
_Static_assert(sizeof(struct xpt_nvml_gpm) == 40, "nvmlGpmMetric_t");
_Static_assert(sizeof(struct xpt_nvml_gpm_support) == 8, "nvmlGpmSupport_t");

/* The version field of a struct: its size, and its number in the highest byte (NVML_STRUCT_VERSION). */
#define XPT_NVML_VERSION(type, number) ((uint32_t)(sizeof(type) | (uint32_t)(number) << 24))

#define DEV struct xpt_nvml_dev *dev
/* X(member, whether nothing works without it, parameters, names: the newest first) */
#define XPT_NVML_FNS(X)                                                                                        \
	X(init, 1, (void), "nvmlInit_v2", "nvmlInit")                                                          \
	X(shutdown, 1, (void), "nvmlShutdown")                                                                 \
	X(count, 1, (uint32_t *nr), "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount")                             \
	X(handle, 1, (uint32_t index, struct xpt_nvml_dev **dev), "nvmlDeviceGetHandleByIndex_v2",             \
	  "nvmlDeviceGetHandleByIndex")                                                                        \
	X(driver_version, 0, (char *s, uint32_t n), "nvmlSystemGetDriverVersion")                              \
	X(library_version, 0, (char *s, uint32_t n), "nvmlSystemGetNVMLVersion")                               \
	X(name, 0, (DEV, char *s, uint32_t n), "nvmlDeviceGetName")                                            \
	X(uuid, 0, (DEV, char *s, uint32_t n), "nvmlDeviceGetUUID")                                            \
	X(minor, 0, (DEV, uint32_t *v), "nvmlDeviceGetMinorNumber")                                            \
	X(numa_node, 0, (DEV, uint32_t *v), "nvmlDeviceGetNumaNodeId")                                         \
	X(pci, 0, (DEV, struct xpt_nvml_pci *v), "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2",         \
	  "nvmlDeviceGetPciInfo")                                                                              \
	X(utilization, 0, (DEV, struct xpt_nvml_utilization *v), "nvmlDeviceGetUtilizationRates")              \
	X(encoder, 0, (DEV, uint32_t *v, uint32_t *period_us), "nvmlDeviceGetEncoderUtilization")              \
	X(decoder, 0, (DEV, uint32_t *v, uint32_t *period_us), "nvmlDeviceGetDecoderUtilization")              \
	X(memory_v2, 0, (DEV, struct xpt_nvml_memory_v2 *v), "nvmlDeviceGetMemoryInfo_v2")                     \
	X(memory, 0, (DEV, struct xpt_nvml_memory *v), "nvmlDeviceGetMemoryInfo")                              \
	X(power, 0, (DEV, uint32_t *v), "nvmlDeviceGetPowerUsage")                                             \
	X(power_limit, 0, (DEV, uint32_t *v), "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit") \
	X(energy, 0, (DEV, uint64_t *v), "nvmlDeviceGetTotalEnergyConsumption")                                \
	X(clock, 0, (DEV, uint32_t type, uint32_t *v), "nvmlDeviceGetClockInfo")                               \
	X(clock_events, 0, (DEV, uint64_t *v), "nvmlDeviceGetCurrentClocksEventReasons",                       \
	  "nvmlDeviceGetCurrentClocksThrottleReasons")                                                         \
	X(temperature, 0, (DEV, uint32_t sensor, uint32_t *v), "nvmlDeviceGetTemperature")                     \
	X(threshold, 0, (DEV, uint32_t type, uint32_t *v), "nvmlDeviceGetTemperatureThreshold")                \
	X(performance, 0, (DEV, uint32_t *v), "nvmlDeviceGetPerformanceState", "nvmlDeviceGetPowerState")      \
	X(fans, 0, (DEV, uint32_t *v), "nvmlDeviceGetNumFans")                                                 \
	X(fan, 0, (DEV, uint32_t index, uint32_t *v), "nvmlDeviceGetFanSpeed_v2")                              \
	X(ecc, 0, (DEV, uint32_t type, uint32_t counter, uint64_t *v), "nvmlDeviceGetTotalEccErrors")          \
	X(rows, 0, (DEV, uint32_t *cor, uint32_t *unc, uint32_t *pending, uint32_t *failure),                  \
	  "nvmlDeviceGetRemappedRows")                                                                         \
	X(fields, 0, (DEV, int32_t nr, struct xpt_nvml_field *v), "nvmlDeviceGetFieldValues")                  \
	X(pcie_throughput, 0, (DEV, uint32_t counter, uint32_t *v), "nvmlDeviceGetPcieThroughput")             \
	X(pcie_replays, 0, (DEV, uint32_t *v), "nvmlDeviceGetPcieReplayCounter")                               \
	X(pcie_generation, 0, (DEV, uint32_t *v), "nvmlDeviceGetCurrPcieLinkGeneration")                       \
	X(pcie_width, 0, (DEV, uint32_t *v), "nvmlDeviceGetCurrPcieLinkWidth")                                 \
	X(pcie_generation_max, 0, (DEV, uint32_t *v), "nvmlDeviceGetMaxPcieLinkGeneration")                    \
	X(pcie_width_max, 0, (DEV, uint32_t *v), "nvmlDeviceGetMaxPcieLinkWidth")                              \
	X(link_state, 0, (DEV, uint32_t link, uint32_t *v), "nvmlDeviceGetNvLinkState")                        \
	X(link_errors, 0, (DEV, uint32_t link, uint32_t counter, uint64_t *v), "nvmlDeviceGetNvLinkErrorCounter") \
	X(mig_mode, 0, (DEV, uint32_t *current, uint32_t *pending), "nvmlDeviceGetMigMode")                    \
	X(mig_max, 0, (DEV, uint32_t *v), "nvmlDeviceGetMaxMigDeviceCount")                                    \
	X(mig_handle, 0, (DEV, uint32_t index, struct xpt_nvml_dev **mig), "nvmlDeviceGetMigDeviceHandleByIndex") \
	X(compute, 0, (DEV, uint32_t *nr, struct xpt_nvml_process *v), "nvmlDeviceGetComputeRunningProcesses_v3", \
	  "nvmlDeviceGetComputeRunningProcesses_v2")                                                           \
	X(compute_v1, 0, (DEV, uint32_t *nr, struct xpt_nvml_process_v1 *v), "nvmlDeviceGetComputeRunningProcesses") \
	X(graphics, 0, (DEV, uint32_t *nr, struct xpt_nvml_process *v), "nvmlDeviceGetGraphicsRunningProcesses_v3", \
	  "nvmlDeviceGetGraphicsRunningProcesses_v2")                                                          \
	X(graphics_v1, 0, (DEV, uint32_t *nr, struct xpt_nvml_process_v1 *v), "nvmlDeviceGetGraphicsRunningProcesses") \
	X(mps, 0, (DEV, uint32_t *nr, struct xpt_nvml_process *v), "nvmlDeviceGetMPSComputeRunningProcesses_v3", \
	  "nvmlDeviceGetMPSComputeRunningProcesses_v2")                                                        \
	X(mps_v1, 0, (DEV, uint32_t *nr, struct xpt_nvml_process_v1 *v), "nvmlDeviceGetMPSComputeRunningProcesses") \
	X(process_use, 0, (DEV, struct xpt_nvml_process_use *v, uint32_t *nr, uint64_t since_us),              \
	  "nvmlDeviceGetProcessUtilization")                                                                   \
	X(gpm_support, 0, (DEV, struct xpt_nvml_gpm_support *v), "nvmlGpmQueryDeviceSupport")                  \
	X(gpm_alloc, 0, (struct xpt_nvml_sample **v), "nvmlGpmSampleAlloc")                                    \
	X(gpm_free, 0, (struct xpt_nvml_sample *v), "nvmlGpmSampleFree")                                       \
	X(gpm_sample, 0, (DEV, struct xpt_nvml_sample *v), "nvmlGpmSampleGet")                                 \
	X(gpm_values, 0, (struct xpt_nvml_gpm_get *v), "nvmlGpmMetricsGet")

struct xpt_nvml_api {
	void *library;
/* Each returns nvmlReturn_t; NULL: this version lacks it. */
#define X(member, needed, parameters, ...) int (*member) parameters;
	XPT_NVML_FNS(X)
#undef X
};

/*
 * Loads the library at path (NULL: xpt_nvml_path__find()) and looks its functions up. Returns 0;
 * -ENOENT if there is none; -EPERM if others than root may change those that there are; -ENOTSUP
 * in a static binary; -ELIBBAD if it cannot be loaded or lacks a function without which nothing
 * works. On failure why (may be NULL) gets a sentence of at most n bytes.
 */
int xpt_nvml_api__open(const char *path, struct xpt_nvml_api *ret_api, char *why, uint32_t n);
void xpt_nvml_api__close(struct xpt_nvml_api *api);

#undef DEV
#endif
