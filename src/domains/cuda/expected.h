/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures of the driver API that runtimes, frameworks and NCCL try on purpose. A code that
 * can also be a mistake of the program (an unknown name of a kernel) is not in here.
 */
	{ "cuGetProcAddress*", 500, /* CUDA_ERROR_NOT_FOUND */
		"Runtimes ask for every function that they could use; an older driver lacks some." },
	{ "cuGetProcAddress*", 1, /* CUDA_ERROR_INVALID_VALUE */
		"Runtimes ask for every function that they could use; an older driver lacks some." },
	{ "cuGetExportTable", 500, /* CUDA_ERROR_NOT_FOUND */
		"Runtimes ask for the driver's private tables by their ids; not every driver has each." },
	{ "cuGetExportTable", 1, /* CUDA_ERROR_INVALID_VALUE */
		"Runtimes ask for the driver's private tables by their ids; not every driver has each." },
	{ "cuDeviceGetAttribute", 1, /* CUDA_ERROR_INVALID_VALUE */
		"Libraries ask for attributes that a driver older than they are does not know." },
	{ "cuFuncGetAttribute", 1, /* CUDA_ERROR_INVALID_VALUE */
		"Libraries ask for attributes that a driver older than they are does not know." },
	{ "cuKernelGetAttribute", 1, /* CUDA_ERROR_INVALID_VALUE */
		"Libraries ask for attributes that a driver older than they are does not know." },
	{ "cuDeviceGetP2PAttribute", 1, /* CUDA_ERROR_INVALID_VALUE */
		"Libraries ask about every pair of devices, also those that cannot reach each other." },
	{ "cuDeviceGetP2PAttribute", 101, /* CUDA_ERROR_INVALID_DEVICE */
		"Libraries ask about every pair of devices, also those that cannot reach each other." },
	{ "cuDeviceGetP2PAttribute", 801, /* CUDA_ERROR_NOT_SUPPORTED */
		"Libraries ask about every pair of devices, also those that cannot reach each other." },
	{ "cuPointerGetAttribute*", 1, /* CUDA_ERROR_INVALID_VALUE */
		"Frameworks ask of any address whether CUDA knows it; this one it does not." },
	{ "cuMemGetAddressRange*", 500, /* CUDA_ERROR_NOT_FOUND */
		"Frameworks ask of any address whether CUDA knows it; this one it does not." },
	{ "cuCtxEnablePeerAccess", 704, /* CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED */
		"Libraries switch peer access on for every pair; it was on already." },
	{ "cuCtxEnablePeerAccess", 217, /* CUDA_ERROR_PEER_ACCESS_UNSUPPORTED */
		"Libraries try peer access for every pair; this one cannot have it." },
	{ "cuCtxDisablePeerAccess", 705, /* CUDA_ERROR_PEER_ACCESS_NOT_ENABLED */
		"Libraries switch peer access off for every pair; it was off already." },
	{ "cuCtxGetDevice*", 201, /* CUDA_ERROR_INVALID_CONTEXT */
		"Libraries ask whether a context is current; none is." },
	{ "cuDevicePrimaryCtxSetFlags*", 708, /* CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE */
		"Frameworks set flags of a context that is in use already; it keeps its own." },
	{ "cuMemCreate", 800, /* CUDA_ERROR_NOT_PERMITTED */
		"NCCL and others ask for memory with a fabric handle first, then for the same without." },
	{ "cuMemCreate", 801, /* CUDA_ERROR_NOT_SUPPORTED */
		"NCCL and others ask for memory with a fabric handle first, then for the same without." },
	{ "cuMemGetHandleForAddressRange", 801, /* CUDA_ERROR_NOT_SUPPORTED */
		"Libraries for networks ask for dma-buf handles; this device or driver has none." },
	{ "cuStreamIsCapturing*", 906, /* CUDA_ERROR_STREAM_CAPTURE_IMPLICIT */
		"The legacy stream cannot be asked while another stream captures; that is the answer." },
	{ "cuStreamGetCaptureInfo*", 906, /* CUDA_ERROR_STREAM_CAPTURE_IMPLICIT */
		"The legacy stream cannot be asked while another stream captures; that is the answer." },
	{ "cuDeviceGetDefaultMemPool", 801, /* CUDA_ERROR_NOT_SUPPORTED */
		"Frameworks ask for a memory pool; this device has none." },
	{ "cuDeviceGetNvSciSyncAttributes", 801, /* CUDA_ERROR_NOT_SUPPORTED */
		"Libraries ask for what only some systems have." },
	{ "cu*Unload", 4, /* CUDA_ERROR_DEINITIALIZED */
		"Destructors release what they own after the driver has shut down; all of it is gone already." },
	{ "cu*Destroy*", 4, /* CUDA_ERROR_DEINITIALIZED */
		"Destructors release what they own after the driver has shut down; all of it is gone already." },
	{ "cu*Free*", 4, /* CUDA_ERROR_DEINITIALIZED */
		"Destructors release what they own after the driver has shut down; all of it is gone already." },
	{ "cuDevicePrimaryCtxRelease*", 4, /* CUDA_ERROR_DEINITIALIZED */
		"Destructors release what they own after the driver has shut down; all of it is gone already." },
	{ NULL, 0, NULL },
