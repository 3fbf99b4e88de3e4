/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every CUresult of the driver and every cudaError_t of the runtime, sorted by code: most codes from 100 on are one
 * error in both. Included by domains/cuda and domains/cudart inside their tables of results; each defines the three
 * macros. Meanings are our own words and name the thing to look at. Sticky codes are those after which the context is
 * unusable, so that later calls of the process return them again; the only pure answer is NOT_READY.
 */
	XPT_CUDA_BOTH(RESULT, 0, CUDA_SUCCESS, cudaSuccess, "The call worked.")
	XPT_CUDA_BOTH(RESULT, 1, CUDA_ERROR_INVALID_VALUE, cudaErrorInvalidValue,
		"An argument is out of range, NULL or does not fit the others; look at the captured arguments of this "
		"call.")
	XPT_CUDA_BOTH(NO_MEMORY, 2, CUDA_ERROR_OUT_OF_MEMORY, cudaErrorMemoryAllocation,
		"The device, the pinned-memory limit or the pool has no block of this size left: free or shrink "
		"something, or look for a leak or fragmentation.")
	XPT_CUDA_DRIVER(RESULT, 3, CUDA_ERROR_NOT_INITIALIZED,
		"The driver was used before cuInit worked, or initialization failed earlier.")
	XPT_CUDA_RUNTIME(RESULT, 3, cudaErrorInitializationError,
		"The runtime could not start: no driver, no device, or an earlier failure; look at the first driver "
		"call that failed.")
	XPT_CUDA_DRIVER(STICKY, 4, CUDA_ERROR_DEINITIALIZED,
		"The driver is already shutting down, usually because the call comes from a destructor or thread that "
		"outlives main.")
	XPT_CUDA_RUNTIME(STICKY, 4, cudaErrorCudartUnloading,
		"The runtime is already shutting down, usually because the call comes from a static destructor or a "
		"thread that outlives main.")
	XPT_CUDA_BOTH(RESULT, 5, CUDA_ERROR_PROFILER_DISABLED, cudaErrorProfilerDisabled,
		"Profiling is switched off for this run, for instance because a tool already owns the profiler.")
	XPT_CUDA_BOTH(RESULT, 6, CUDA_ERROR_PROFILER_NOT_INITIALIZED, cudaErrorProfilerNotInitialized,
		"The profiler is stopped or started before it was initialized; newer versions accept that.")
	XPT_CUDA_BOTH(RESULT, 7, CUDA_ERROR_PROFILER_ALREADY_STARTED, cudaErrorProfilerAlreadyStarted,
		"The profiler was running already; newer versions accept that.")
	XPT_CUDA_BOTH(RESULT, 8, CUDA_ERROR_PROFILER_ALREADY_STOPPED, cudaErrorProfilerAlreadyStopped,
		"The profiler was stopped already; newer versions accept that.")
	XPT_CUDA_RUNTIME(RESULT, 9, cudaErrorInvalidConfiguration,
		"Grid or block dimensions, shared memory or launch attributes exceed what the device allows.")
	XPT_CUDA_RUNTIME(RESULT, 12, cudaErrorInvalidPitchValue,
		"The pitch is too large or not usable for this copy or allocation.")
	XPT_CUDA_RUNTIME(RESULT, 13, cudaErrorInvalidSymbol,
		"No device variable belongs to this symbol, for instance because its code was not loaded.")
	XPT_CUDA_RUNTIME(RESULT, 16, cudaErrorInvalidHostPointer,
		"The host pointer is not one that CUDA can use; newer versions report an invalid value.")
	XPT_CUDA_RUNTIME(RESULT, 17, cudaErrorInvalidDevicePointer,
		"The device pointer is not one that CUDA handed out; newer versions report an invalid value.")
	XPT_CUDA_RUNTIME(RESULT, 18, cudaErrorInvalidTexture, "The texture is not valid.")
	XPT_CUDA_RUNTIME(RESULT, 19, cudaErrorInvalidTextureBinding,
		"The texture is not bound, or not the way that the call needs.")
	XPT_CUDA_RUNTIME(RESULT, 20, cudaErrorInvalidChannelDescriptor,
		"The channel description of a texture or array is not valid.")
	XPT_CUDA_RUNTIME(RESULT, 21, cudaErrorInvalidMemcpyDirection,
		"The copy direction is none of the known ones or contradicts the pointers.")
	XPT_CUDA_RUNTIME(RESULT, 22, cudaErrorAddressOfConstant,
		"The address of a constant variable was taken, which old devices do not allow.")
	XPT_CUDA_RUNTIME(RESULT, 23, cudaErrorTextureFetchFailed,
		"Reading a texture failed in the device emulation of old versions.")
	XPT_CUDA_RUNTIME(RESULT, 24, cudaErrorTextureNotBound,
		"The texture was read without being bound, in the device emulation of old versions.")
	XPT_CUDA_RUNTIME(RESULT, 25, cudaErrorSynchronizationError,
		"Synchronization failed in the device emulation of old versions.")
	XPT_CUDA_RUNTIME(RESULT, 26, cudaErrorInvalidFilterSetting, "The texture format cannot be filtered linearly.")
	XPT_CUDA_RUNTIME(RESULT, 27, cudaErrorInvalidNormSetting,
		"The texture format cannot be read as normalized numbers.")
	XPT_CUDA_RUNTIME(RESULT, 28, cudaErrorMixedDeviceExecution,
		"Device code and emulated code were mixed, in old versions.")
	XPT_CUDA_RUNTIME(RESULT, 31, cudaErrorNotYetImplemented, "The function is not implemented in this version.")
	XPT_CUDA_RUNTIME(RESULT, 32, cudaErrorMemoryValueTooLarge,
		"The size is larger than the emulated device of old versions could address.")
	XPT_CUDA_BOTH(RESULT, 34, CUDA_ERROR_STUB_LIBRARY, cudaErrorStubLibrary,
		"The program loaded the link-time stub library instead of the real driver: fix the library search "
		"path.")
	XPT_CUDA_RUNTIME(RESULT, 35, cudaErrorInsufficientDriver,
		"The installed driver is too old for this runtime: update the driver or use an older toolkit.")
	XPT_CUDA_BOTH(RESULT, 36, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, cudaErrorCallRequiresNewerDriver,
		"The installed driver is older than this function needs: update the driver.")
	XPT_CUDA_RUNTIME(RESULT, 37, cudaErrorInvalidSurface, "The surface is not valid.")
	XPT_CUDA_RUNTIME(RESULT, 43, cudaErrorDuplicateVariableName,
		"Two device variables of different modules share one name.")
	XPT_CUDA_RUNTIME(RESULT, 44, cudaErrorDuplicateTextureName,
		"Two textures of different modules share one name.")
	XPT_CUDA_RUNTIME(RESULT, 45, cudaErrorDuplicateSurfaceName,
		"Two surfaces of different modules share one name.")
	XPT_CUDA_BOTH(RESULT, 46, CUDA_ERROR_DEVICE_UNAVAILABLE, cudaErrorDevicesUnavailable,
		"The device exists but cannot be used now: exclusive or prohibited compute mode, another owner, or it "
		"is being reset.")
	XPT_CUDA_RUNTIME(RESULT, 49, cudaErrorIncompatibleDriverContext,
		"The current context was made by the driver API in a way that the runtime cannot use.")
	XPT_CUDA_RUNTIME(RESULT, 52, cudaErrorMissingConfiguration,
		"The kernel was launched without a launch configuration.")
	XPT_CUDA_RUNTIME(RESULT, 53, cudaErrorPriorLaunchFailure, "An earlier kernel launch failed, in old versions.")
	XPT_CUDA_RUNTIME(RESULT, 65, cudaErrorLaunchMaxDepthExceeded,
		"Kernels launched kernels more levels deep than allowed.")
	XPT_CUDA_RUNTIME(RESULT, 66, cudaErrorLaunchFileScopedTex,
		"A kernel launched by a kernel uses file-scope textures, which is not supported.")
	XPT_CUDA_RUNTIME(RESULT, 67, cudaErrorLaunchFileScopedSurf,
		"A kernel launched by a kernel uses file-scope surfaces, which is not supported.")
	XPT_CUDA_RUNTIME(RESULT, 68, cudaErrorSyncDepthExceeded,
		"Device code synchronized deeper than the reserved number of levels.")
	XPT_CUDA_RUNTIME(RESULT, 69, cudaErrorLaunchPendingCountExceeded,
		"More kernels launched by kernels are waiting than the limit allows: raise it or launch fewer.")
	XPT_CUDA_RUNTIME(RESULT, 98, cudaErrorInvalidDeviceFunction,
		"The function is no kernel for this device: built for another architecture, or its module is not "
		"loaded.")
	XPT_CUDA_BOTH(RESULT, 100, CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice,
		"The driver finds no usable GPU: none installed, none visible in this container, or "
		"CUDA_VISIBLE_DEVICES hides them.")
	XPT_CUDA_BOTH(RESULT, 101, CUDA_ERROR_INVALID_DEVICE, cudaErrorInvalidDevice,
		"The device number does not name a visible device, or the device does not fit the request.")
	XPT_CUDA_BOTH(RESULT, 102, CUDA_ERROR_DEVICE_NOT_LICENSED, cudaErrorDeviceNotLicensed,
		"This GPU lacks the licence that the operation needs, as on an unlicensed vGPU.")
	XPT_CUDA_RUNTIME(RESULT, 103, cudaErrorSoftwareValidityNotEstablished,
		"The driver's self-test, needed before CUDA may be used, has not passed.")
	XPT_CUDA_RUNTIME(RESULT, 127, cudaErrorStartupFailure, "The runtime failed in its own start-up.")
	XPT_CUDA_BOTH(RESULT, 200, CUDA_ERROR_INVALID_IMAGE, cudaErrorInvalidKernelImage,
		"The code image is damaged or not a cubin, PTX or fatbin that the driver understands.")
	XPT_CUDA_DRIVER(RESULT, 201, CUDA_ERROR_INVALID_CONTEXT,
		"No context is current on this thread, or the context that is current was destroyed.")
	XPT_CUDA_RUNTIME(RESULT, 201, cudaErrorDeviceUninitialized,
		"The runtime has no device context on this thread yet, or it was lost.")
	XPT_CUDA_DRIVER(RESULT, 202, CUDA_ERROR_CONTEXT_ALREADY_CURRENT,
		"The context was current already; old drivers reported this, newer ones accept it.")
	XPT_CUDA_DRIVER(RESULT, 205, CUDA_ERROR_MAP_FAILED,
		"Mapping a buffer, an address range or a registered resource into the device failed.")
	XPT_CUDA_RUNTIME(RESULT, 205, cudaErrorMapBufferObjectFailed,
		"Mapping a buffer or graphics resource into the device failed.")
	XPT_CUDA_DRIVER(RESULT, 206, CUDA_ERROR_UNMAP_FAILED,
		"Unmapping a buffer, an address range or a registered resource failed.")
	XPT_CUDA_RUNTIME(RESULT, 206, cudaErrorUnmapBufferObjectFailed,
		"Unmapping a buffer or graphics resource failed.")
	XPT_CUDA_BOTH(RESULT, 207, CUDA_ERROR_ARRAY_IS_MAPPED, cudaErrorArrayIsMapped,
		"The array is still mapped and cannot be destroyed or changed.")
	XPT_CUDA_BOTH(RESULT, 208, CUDA_ERROR_ALREADY_MAPPED, cudaErrorAlreadyMapped,
		"The resource is mapped already.")
	XPT_CUDA_BOTH(RESULT, 209, CUDA_ERROR_NO_BINARY_FOR_GPU, cudaErrorNoKernelImageForDevice,
		"The loaded binary has no code for this GPU's architecture and no PTX to compile: build for this "
		"compute capability.")
	XPT_CUDA_BOTH(RESULT, 210, CUDA_ERROR_ALREADY_ACQUIRED, cudaErrorAlreadyAcquired,
		"Somebody acquired the resource already.")
	XPT_CUDA_BOTH(RESULT, 211, CUDA_ERROR_NOT_MAPPED, cudaErrorNotMapped, "The resource is not mapped.")
	XPT_CUDA_BOTH(RESULT, 212, CUDA_ERROR_NOT_MAPPED_AS_ARRAY, cudaErrorNotMappedAsArray,
		"The resource is mapped, but not as an array.")
	XPT_CUDA_BOTH(RESULT, 213, CUDA_ERROR_NOT_MAPPED_AS_POINTER, cudaErrorNotMappedAsPointer,
		"The resource is mapped, but not as a pointer.")
	XPT_CUDA_BOTH(STICKY, 214, CUDA_ERROR_ECC_UNCORRECTABLE, cudaErrorECCUncorrectable,
		"GPU memory had a bit error that ECC could not repair: the data is lost; restart the process and "
		"check the card.")
	XPT_CUDA_BOTH(RESULT, 215, CUDA_ERROR_UNSUPPORTED_LIMIT, cudaErrorUnsupportedLimit,
		"The device does not know the limit that was set or asked for.")
	XPT_CUDA_DRIVER(RESULT, 216, CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
		"The context can belong to one CPU thread at a time and another thread has it.")
	XPT_CUDA_RUNTIME(RESULT, 216, cudaErrorDeviceAlreadyInUse,
		"The device's context can belong to one CPU thread at a time and another thread has it.")
	XPT_CUDA_BOTH(RESULT, 217, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cudaErrorPeerAccessUnsupported,
		"These two devices cannot reach each other's memory directly.")
	XPT_CUDA_BOTH(RESULT, 218, CUDA_ERROR_INVALID_PTX, cudaErrorInvalidPtx,
		"Compiling the PTX failed; the linker's error log has the reason.")
	XPT_CUDA_BOTH(RESULT, 219, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, cudaErrorInvalidGraphicsContext,
		"The OpenGL, Direct3D or other graphics context is missing or unusable.")
	XPT_CUDA_BOTH(STICKY, 220, CUDA_ERROR_NVLINK_UNCORRECTABLE, cudaErrorNvlinkUncorrectable,
		"An NVLink connection had an error that it could not recover from: restart the process and check "
		"links and cards.")
	XPT_CUDA_BOTH(RESULT, 221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, cudaErrorJitCompilerNotFound,
		"The driver cannot find its PTX compiler library, usually missing from a container.")
	XPT_CUDA_BOTH(RESULT, 222, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cudaErrorUnsupportedPtxVersion,
		"The PTX was made by a newer toolkit than the driver can compile: update the driver or ship a cubin.")
	XPT_CUDA_BOTH(RESULT, 223, CUDA_ERROR_JIT_COMPILATION_DISABLED, cudaErrorJitCompilationDisabled,
		"Compiling PTX at run time is switched off and no finished binary fits this GPU.")
	XPT_CUDA_BOTH(RESULT, 224, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cudaErrorUnsupportedExecAffinity,
		"The device does not support the requested limit on multiprocessors (execution affinity).")
	XPT_CUDA_BOTH(RESULT, 225, CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, cudaErrorUnsupportedDevSideSync,
		"A kernel synchronizes from device code in a way that this toolkit and device no longer support.")
	XPT_CUDA_BOTH(STICKY, 226, CUDA_ERROR_CONTAINED, cudaErrorContained,
		"A memory error was contained to this process: its data is lost and it must be restarted; others go "
		"on.")
	XPT_CUDA_BOTH(RESULT, 300, CUDA_ERROR_INVALID_SOURCE, cudaErrorInvalidSource,
		"The source given to the compiler is not valid.")
	XPT_CUDA_BOTH(RESULT, 301, CUDA_ERROR_FILE_NOT_FOUND, cudaErrorFileNotFound,
		"A file that the call names cannot be found or opened.")
	XPT_CUDA_BOTH(RESULT, 302, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, cudaErrorSharedObjectSymbolNotFound,
		"A shared library lacks a symbol that is needed: two installations may be mixed up.")
	XPT_CUDA_BOTH(RESULT, 303, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, cudaErrorSharedObjectInitFailed,
		"A shared library that the driver needs could not be started.")
	XPT_CUDA_BOTH(RESULT, 304, CUDA_ERROR_OPERATING_SYSTEM, cudaErrorOperatingSystem,
		"The operating system refused something: memory locking, a device file, a thread or shared memory; "
		"the kernel log may tell.")
	XPT_CUDA_BOTH(RESULT, 400, CUDA_ERROR_INVALID_HANDLE, cudaErrorInvalidResourceHandle,
		"The handle (stream, event, module, array or the like) is not valid: destroyed, never created, or of "
		"another context.")
	XPT_CUDA_BOTH(RESULT, 401, CUDA_ERROR_ILLEGAL_STATE, cudaErrorIllegalState,
		"The object is in a state that does not allow this operation.")
	XPT_CUDA_BOTH(RESULT, 402, CUDA_ERROR_LOSSY_QUERY, cudaErrorLossyQuery,
		"The question cannot be answered without losing information, so the driver does not answer it.")
	XPT_CUDA_BOTH(RESULT, 500, CUDA_ERROR_NOT_FOUND, cudaErrorSymbolNotFound,
		"No symbol, kernel, texture or object of that name exists here.")
	XPT_CUDA_BOTH(BENIGN, 600, CUDA_ERROR_NOT_READY, cudaErrorNotReady,
		"Not an error: the work on this stream or event has not finished yet.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 700, CUDA_ERROR_ILLEGAL_ADDRESS, cudaErrorIllegalAddress,
		"A kernel or copy touched memory that it may not use; the context is lost, so debug the work launched "
		"before this call.")
	XPT_CUDA_BOTH(RESULT, 701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cudaErrorLaunchOutOfResources,
		"The launch needs more registers, threads or shared memory per block than the device has: use smaller "
		"blocks or fewer registers.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 702, CUDA_ERROR_LAUNCH_TIMEOUT, cudaErrorLaunchTimeout,
		"A kernel ran longer than the watchdog of a GPU that also drives a display allows; the context is "
		"lost.")
	XPT_CUDA_BOTH(RESULT, 703, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, cudaErrorLaunchIncompatibleTexturing,
		"The kernel uses a texturing mode that does not fit this launch.")
	XPT_CUDA_BOTH(RESULT, 704, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cudaErrorPeerAccessAlreadyEnabled,
		"Direct access to that device's memory was switched on before; most programs ignore this.")
	XPT_CUDA_BOTH(RESULT, 705, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cudaErrorPeerAccessNotEnabled,
		"Direct access to that device's memory is not switched on, so it cannot be switched off or used.")
	XPT_CUDA_DRIVER(RESULT, 708, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
		"The setting must be made before the device's primary context becomes active.")
	XPT_CUDA_RUNTIME(RESULT, 708, cudaErrorSetOnActiveProcess,
		"The device is in use already, so this setting comes too late.")
	XPT_CUDA_BOTH(RESULT, 709, CUDA_ERROR_CONTEXT_IS_DESTROYED, cudaErrorContextIsDestroyed,
		"The current context was destroyed, or its creation is not finished.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 710, CUDA_ERROR_ASSERT, cudaErrorAssert,
		"An assert() in device code failed; the kernel's message is on standard output and the context is "
		"lost.")
	XPT_CUDA_BOTH(RESULT, 711, CUDA_ERROR_TOO_MANY_PEERS, cudaErrorTooManyPeers,
		"No hardware slot is left for access to a further peer device.")
	XPT_CUDA_BOTH(RESULT, 712, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cudaErrorHostMemoryAlreadyRegistered,
		"This range of host memory, or part of it, is pinned already.")
	XPT_CUDA_BOTH(RESULT, 713, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cudaErrorHostMemoryNotRegistered,
		"This host memory is not pinned by CUDA, so it cannot be unpinned or looked up.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 714, CUDA_ERROR_HARDWARE_STACK_ERROR, cudaErrorHardwareStackError,
		"The GPU met a broken call stack or ran out of stack while a kernel ran; the context is lost.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 715, CUDA_ERROR_ILLEGAL_INSTRUCTION, cudaErrorIllegalInstruction,
		"A kernel ran an instruction that this GPU does not know; the context is lost.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 716, CUDA_ERROR_MISALIGNED_ADDRESS, cudaErrorMisalignedAddress,
		"A kernel used an address that is not a multiple of the access size; the context is lost.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 717, CUDA_ERROR_INVALID_ADDRESS_SPACE, cudaErrorInvalidAddressSpace,
		"A kernel used an address of the wrong memory space for the instruction; the context is lost.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 718, CUDA_ERROR_INVALID_PC, cudaErrorInvalidPc,
		"A kernel jumped to a place that holds no code; the context is lost.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 719, CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure,
		"A kernel died for a reason that is not told more exactly, often a bad pointer; the context is lost, "
		"so run compute-sanitizer.")
	XPT_CUDA_BOTH(RESULT, 720, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cudaErrorCooperativeLaunchTooLarge,
		"A cooperative launch needs all blocks on the device at once and this grid is too large for that.")
	XPT_CUDA_BOTH(KERNEL_FAULT, 721, CUDA_ERROR_TENSOR_MEMORY_LEAK, cudaErrorTensorMemoryLeak,
		"A kernel ended without giving back tensor memory; the context is lost.")
	XPT_CUDA_BOTH(RESULT, 800, CUDA_ERROR_NOT_PERMITTED, cudaErrorNotPermitted,
		"The caller lacks the right to do this: permissions, compute mode or a restriction of the "
		"administrator.")
	XPT_CUDA_BOTH(RESULT, 801, CUDA_ERROR_NOT_SUPPORTED, cudaErrorNotSupported,
		"This device, driver or platform does not offer the operation.")
	XPT_CUDA_BOTH(RESULT, 802, CUDA_ERROR_SYSTEM_NOT_READY, cudaErrorSystemNotReady,
		"A system service is not ready, on NVSwitch machines usually the Fabric Manager.")
	XPT_CUDA_BOTH(RESULT, 803, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, cudaErrorSystemDriverMismatch,
		"Kernel module and driver libraries have different versions, typically after an update without a "
		"reboot.")
	XPT_CUDA_BOTH(RESULT, 804, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, cudaErrorCompatNotSupportedOnDevice,
		"The forward-compatibility driver libraries do not support this GPU: it needs a data-centre card or "
		"the matching driver.")
	XPT_CUDA_BOTH(RESULT, 805, CUDA_ERROR_MPS_CONNECTION_FAILED, cudaErrorMpsConnectionFailed,
		"The program could not connect to the MPS control daemon or server.")
	XPT_CUDA_BOTH(RESULT, 806, CUDA_ERROR_MPS_RPC_FAILURE, cudaErrorMpsRpcFailure,
		"Talking to the MPS server failed.")
	XPT_CUDA_BOTH(RESULT, 807, CUDA_ERROR_MPS_SERVER_NOT_READY, cudaErrorMpsServerNotReady,
		"The MPS server cannot take clients now, for instance because it recovers from a fatal error.")
	XPT_CUDA_BOTH(RESULT, 808, CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, cudaErrorMpsMaxClientsReached,
		"The MPS server has as many clients as it can serve.")
	XPT_CUDA_BOTH(RESULT, 809, CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, cudaErrorMpsMaxConnectionsReached,
		"The MPS server has no connections left for another client.")
	XPT_CUDA_BOTH(STICKY, 810, CUDA_ERROR_MPS_CLIENT_TERMINATED, cudaErrorMpsClientTerminated,
		"The MPS server ended this client, mostly because of a client that shared the GPU; the process must "
		"be restarted.")
	XPT_CUDA_BOTH(RESULT, 811, CUDA_ERROR_CDP_NOT_SUPPORTED, cudaErrorCdpNotSupported,
		"Launching kernels from kernels is not supported here.")
	XPT_CUDA_BOTH(RESULT, 812, CUDA_ERROR_CDP_VERSION_MISMATCH, cudaErrorCdpVersionMismatch,
		"The kernel's device runtime does not fit the driver, so kernels cannot launch kernels.")
	XPT_CUDA_BOTH(RESULT, 900, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaErrorStreamCaptureUnsupported,
		"The operation is not allowed while the stream records a graph.")
	XPT_CUDA_BOTH(RESULT, 901, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cudaErrorStreamCaptureInvalidated,
		"An earlier error spoiled the graph that is being recorded: end the capture and start again.")
	XPT_CUDA_BOTH(RESULT, 902, CUDA_ERROR_STREAM_CAPTURE_MERGE, cudaErrorStreamCaptureMerge,
		"The operation would join two captures that must stay apart.")
	XPT_CUDA_BOTH(RESULT, 903, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cudaErrorStreamCaptureUnmatched,
		"This stream did not begin the capture that it is asked to end.")
	XPT_CUDA_BOTH(RESULT, 904, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cudaErrorStreamCaptureUnjoined,
		"The capture ends while other streams that joined it have not been joined back.")
	XPT_CUDA_BOTH(RESULT, 905, CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cudaErrorStreamCaptureIsolation,
		"The operation would make the capture depend on work outside of it.")
	XPT_CUDA_BOTH(RESULT, 906, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cudaErrorStreamCaptureImplicit,
		"The operation would use the default stream behind the back of a running capture.")
	XPT_CUDA_BOTH(RESULT, 907, CUDA_ERROR_CAPTURED_EVENT, cudaErrorCapturedEvent,
		"The event was recorded in a capture that goes on and cannot be waited for or queried from outside.")
	XPT_CUDA_BOTH(RESULT, 908, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cudaErrorStreamCaptureWrongThread,
		"The capture belongs to another thread.")
	XPT_CUDA_BOTH(RESULT, 909, CUDA_ERROR_TIMEOUT, cudaErrorTimeout, "The wait reached its time limit.")
	XPT_CUDA_BOTH(RESULT, 910, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cudaErrorGraphExecUpdateFailure,
		"The new graph differs too much from the instantiated one: instantiate it again.")
	XPT_CUDA_BOTH(STICKY, 911, CUDA_ERROR_EXTERNAL_DEVICE, cudaErrorExternalDevice,
		"A device other than the GPU (another engine or PCIe partner) failed while CUDA waited for it; the "
		"process must be restarted.")
	XPT_CUDA_BOTH(RESULT, 912, CUDA_ERROR_INVALID_CLUSTER_SIZE, cudaErrorInvalidClusterSize,
		"The cluster of blocks has a size that the kernel or device cannot run.")
	XPT_CUDA_BOTH(RESULT, 913, CUDA_ERROR_FUNCTION_NOT_LOADED, cudaErrorFunctionNotLoaded,
		"The function is not loaded yet and this call does not load it.")
	XPT_CUDA_BOTH(RESULT, 914, CUDA_ERROR_INVALID_RESOURCE_TYPE, cudaErrorInvalidResourceType,
		"The handle names a resource of the wrong type.")
	XPT_CUDA_BOTH(RESULT, 915, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, cudaErrorInvalidResourceConfiguration,
		"The resource cannot be split or configured that way.")
	XPT_CUDA_DRIVER(RESULT, 916, CUDA_ERROR_KEY_ROTATION,
		"An encryption key of confidential computing is being changed, so the call must be repeated or the "
		"session restarted.")
	XPT_CUDA_BOTH(RESULT, 999, CUDA_ERROR_UNKNOWN, cudaErrorUnknown,
		"The driver failed without saying why: look at the kernel log for Xid messages.")
	XPT_CUDA_RUNTIME(RESULT, 10000, cudaErrorApiFailureBase,
		"An error number above this base is a driver error that an old runtime passed on.")
