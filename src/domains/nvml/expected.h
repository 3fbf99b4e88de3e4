/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures of NVML that monitoring tools and NCCL try on purpose. Failures that can also mean a
 * device in trouble (a lost GPU, no permission, a wrong argument) are not in here, unless tools
 * walk through numbers until there is none. Answers that are no failures at all (not supported,
 * more room needed) are marked in results.h.
 */
	{ "nvml*Get*", 25, /* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
		"Monitors ask with the newest structure first; an older driver does not know it." },
	{ "nvmlInternalGetExportTable", 6, /* NVML_ERROR_NOT_FOUND */
		"Tools ask for private tables by their ids; not every driver has each." },
	{ "nvmlDeviceGetMigDeviceHandleByIndex", 6, /* NVML_ERROR_NOT_FOUND */
		"Tools walk through all places for MIG devices; there is none at this one." },
	{ "nvmlDeviceGetMigDeviceHandleByIndex", 2, /* NVML_ERROR_INVALID_ARGUMENT */
		"Tools walk through all places for MIG devices; there is none at this one." },
	{ "nvmlDeviceGetGpuInstanceProfileInfo*", 2, /* NVML_ERROR_INVALID_ARGUMENT */
		"Tools walk through the numbers of all profiles; this device does not have each." },
	{ "nvmlGpuInstanceGetComputeInstanceProfileInfo*", 2, /* NVML_ERROR_INVALID_ARGUMENT */
		"Tools walk through the numbers of all profiles; this device does not have each." },
	{ "nvmlDeviceGetNvLink*", 2, /* NVML_ERROR_INVALID_ARGUMENT */
		"NCCL and monitors walk through the numbers of all links; this device has fewer." },
	{ "nvmlDeviceGetProcessUtilization", 6, /* NVML_ERROR_NOT_FOUND */
		"Monitors ask for samples since they last did; there are none." },
	{ "nvmlDeviceGetProcessesUtilizationInfo", 6, /* NVML_ERROR_NOT_FOUND */
		"Monitors ask for samples since they last did; there are none." },
	{ "nvmlDeviceGetSamples", 6, /* NVML_ERROR_NOT_FOUND */
		"Monitors ask for samples since they last did; there are none." },
	{ "nvmlSystemGetProcessName", 6, /* NVML_ERROR_NOT_FOUND */
		"Monitors ask for the name of each process that was listed; this one has ended." },
	{ NULL, 0, NULL },
