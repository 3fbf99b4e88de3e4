/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures of the runtime API that frameworks and libraries try on purpose.
 */
	{ "cudaGetDriverEntryPoint*", 500, /* cudaErrorSymbolNotFound */
		"Runtimes ask for every function that they could use; an older driver lacks some." },
	{ "cudaDeviceGetAttribute", 1, /* cudaErrorInvalidValue */
		"Libraries ask for attributes that a driver older than they are does not know." },
	{ "cudaDeviceGetP2PAttribute", 1, /* cudaErrorInvalidValue */
		"Libraries ask about every pair of devices, also those that cannot reach each other." },
	{ "cudaDeviceGetP2PAttribute", 101, /* cudaErrorInvalidDevice */
		"Libraries ask about every pair of devices, also those that cannot reach each other." },
	{ "cudaDeviceGetP2PAttribute", 801, /* cudaErrorNotSupported */
		"Libraries ask about every pair of devices, also those that cannot reach each other." },
	{ "cudaPointerGetAttributes", 1, /* cudaErrorInvalidValue */
		"Frameworks ask of any address whether CUDA knows it; this one it does not." },
	{ "cudaDeviceEnablePeerAccess", 704, /* cudaErrorPeerAccessAlreadyEnabled */
		"Libraries switch peer access on for every pair; it was on already." },
	{ "cudaDeviceEnablePeerAccess", 217, /* cudaErrorPeerAccessUnsupported */
		"Libraries try peer access for every pair; this one cannot have it." },
	{ "cudaDeviceDisablePeerAccess", 705, /* cudaErrorPeerAccessNotEnabled */
		"Libraries switch peer access off for every pair; it was off already." },
	{ "cudaSetDeviceFlags", 708, /* cudaErrorSetOnActiveProcess */
		"Frameworks set flags of a context that is in use already; it keeps its own." },
	{ "cudaStreamIsCapturing*", 906, /* cudaErrorStreamCaptureImplicit */
		"The legacy stream cannot be asked while another stream captures; that is the answer." },
	{ "cudaStreamGetCaptureInfo*", 906, /* cudaErrorStreamCaptureImplicit */
		"The legacy stream cannot be asked while another stream captures; that is the answer." },
	{ "cudaDeviceGetDefaultMemPool", 801, /* cudaErrorNotSupported */
		"Frameworks ask for a memory pool; this device has none." },
	{ NULL, 0, NULL },
