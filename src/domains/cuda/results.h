/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every CUresult, sorted by code. Meanings are our own words and name the thing to
 * look at. Sticky codes are those after which the context is unusable, so that later
 * calls of the process return them again; the only pure answer is NOT_READY.
 */
	XPT_RESULT(0, CUDA_SUCCESS,
		"The call worked."),
	XPT_RESULT(1, CUDA_ERROR_INVALID_VALUE,
		"An argument is out of range, NULL or does not fit the others; look at the "
		"captured arguments of this call."),
	XPT_NO_MEMORY(2, CUDA_ERROR_OUT_OF_MEMORY,
		"The device, the pinned-memory limit or the pool has no block of this size left: "
		"free or shrink something, or look for a leak or fragmentation."),
	XPT_RESULT(3, CUDA_ERROR_NOT_INITIALIZED,
		"The driver was used before cuInit worked, or initialization failed earlier."),
	XPT_STICKY(4, CUDA_ERROR_DEINITIALIZED,
		"The driver is already shutting down, usually because the call comes from a "
		"destructor or thread that outlives main."),
	XPT_RESULT(5, CUDA_ERROR_PROFILER_DISABLED,
		"Profiling is switched off for this run, for instance because a tool already "
		"owns the profiler."),
	XPT_RESULT(6, CUDA_ERROR_PROFILER_NOT_INITIALIZED,
		"The profiler is stopped or started before it was initialized; newer versions "
		"accept that."),
	XPT_RESULT(7, CUDA_ERROR_PROFILER_ALREADY_STARTED,
		"The profiler was running already; newer versions accept that."),
	XPT_RESULT(8, CUDA_ERROR_PROFILER_ALREADY_STOPPED,
		"The profiler was stopped already; newer versions accept that."),
	XPT_RESULT(34, CUDA_ERROR_STUB_LIBRARY,
		"The program loaded the link-time stub library instead of the real driver: fix "
		"the library search path."),
	XPT_RESULT(36, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,
		"The installed driver is older than this function needs: update the driver."),
	XPT_RESULT(46, CUDA_ERROR_DEVICE_UNAVAILABLE,
		"The device exists but cannot be used now: exclusive or prohibited compute mode, "
		"another owner, or it is being reset."),
	XPT_RESULT(100, CUDA_ERROR_NO_DEVICE,
		"The driver finds no usable GPU: none installed, none visible in this container, "
		"or CUDA_VISIBLE_DEVICES hides them."),
	XPT_RESULT(101, CUDA_ERROR_INVALID_DEVICE,
		"The device number does not name a visible device, or the device does not fit "
		"the request."),
	XPT_RESULT(102, CUDA_ERROR_DEVICE_NOT_LICENSED,
		"This GPU lacks the licence that the operation needs, as on an unlicensed vGPU."),
	XPT_RESULT(200, CUDA_ERROR_INVALID_IMAGE,
		"The code image is damaged or not a cubin, PTX or fatbin that the driver "
		"understands."),
	XPT_RESULT(201, CUDA_ERROR_INVALID_CONTEXT,
		"No context is current on this thread, or the context that is current was "
		"destroyed."),
	XPT_RESULT(202, CUDA_ERROR_CONTEXT_ALREADY_CURRENT,
		"The context was current already; old drivers reported this, newer ones accept "
		"it."),
	XPT_RESULT(205, CUDA_ERROR_MAP_FAILED,
		"Mapping a buffer, an address range or a registered resource into the device "
		"failed."),
	XPT_RESULT(206, CUDA_ERROR_UNMAP_FAILED,
		"Unmapping a buffer, an address range or a registered resource failed."),
	XPT_RESULT(207, CUDA_ERROR_ARRAY_IS_MAPPED,
		"The array is still mapped and cannot be destroyed or changed."),
	XPT_RESULT(208, CUDA_ERROR_ALREADY_MAPPED,
		"The resource is mapped already."),
	XPT_RESULT(209, CUDA_ERROR_NO_BINARY_FOR_GPU,
		"The loaded binary has no code for this GPU's architecture and no PTX to "
		"compile: build for this compute capability."),
	XPT_RESULT(210, CUDA_ERROR_ALREADY_ACQUIRED,
		"Somebody acquired the resource already."),
	XPT_RESULT(211, CUDA_ERROR_NOT_MAPPED,
		"The resource is not mapped."),
	XPT_RESULT(212, CUDA_ERROR_NOT_MAPPED_AS_ARRAY,
		"The resource is mapped, but not as an array."),
	XPT_RESULT(213, CUDA_ERROR_NOT_MAPPED_AS_POINTER,
		"The resource is mapped, but not as a pointer."),
	XPT_STICKY(214, CUDA_ERROR_ECC_UNCORRECTABLE,
		"GPU memory had a bit error that ECC could not repair: the data is lost; restart "
		"the process and check the card."),
	XPT_RESULT(215, CUDA_ERROR_UNSUPPORTED_LIMIT,
		"The device does not know the limit that was set or asked for."),
	XPT_RESULT(216, CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
		"The context can belong to one CPU thread at a time and another thread has it."),
	XPT_RESULT(217, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
		"These two devices cannot reach each other's memory directly."),
	XPT_RESULT(218, CUDA_ERROR_INVALID_PTX,
		"Compiling the PTX failed; the linker's error log has the reason."),
	XPT_RESULT(219, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
		"The OpenGL, Direct3D or other graphics context is missing or unusable."),
	XPT_STICKY(220, CUDA_ERROR_NVLINK_UNCORRECTABLE,
		"An NVLink connection had an error that it could not recover from: restart the "
		"process and check links and cards."),
	XPT_RESULT(221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
		"The driver cannot find its PTX compiler library, usually missing from a "
		"container."),
	XPT_RESULT(222, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
		"The PTX was made by a newer toolkit than the driver can compile: update the "
		"driver or ship a cubin."),
	XPT_RESULT(223, CUDA_ERROR_JIT_COMPILATION_DISABLED,
		"Compiling PTX at run time is switched off and no finished binary fits this GPU."),
	XPT_RESULT(224, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
		"The device does not support the requested limit on multiprocessors (execution "
		"affinity)."),
	XPT_RESULT(225, CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
		"A kernel synchronizes from device code in a way that this toolkit and device no "
		"longer support."),
	XPT_STICKY(226, CUDA_ERROR_CONTAINED,
		"A memory error was contained to this process: its data is lost and it must be "
		"restarted; others go on."),
	XPT_RESULT(300, CUDA_ERROR_INVALID_SOURCE,
		"The source given to the compiler is not valid."),
	XPT_RESULT(301, CUDA_ERROR_FILE_NOT_FOUND,
		"A file that the call names cannot be found or opened."),
	XPT_RESULT(302, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
		"A shared library lacks a symbol that is needed: two installations may be mixed "
		"up."),
	XPT_RESULT(303, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
		"A shared library that the driver needs could not be started."),
	XPT_RESULT(304, CUDA_ERROR_OPERATING_SYSTEM,
		"The operating system refused something: memory locking, a device file, a thread "
		"or shared memory; the kernel log may tell."),
	XPT_RESULT(400, CUDA_ERROR_INVALID_HANDLE,
		"The handle (stream, event, module, array or the like) is not valid: destroyed, "
		"never created, or of another context."),
	XPT_RESULT(401, CUDA_ERROR_ILLEGAL_STATE,
		"The object is in a state that does not allow this operation."),
	XPT_RESULT(402, CUDA_ERROR_LOSSY_QUERY,
		"The question cannot be answered without losing information, so the driver does "
		"not answer it."),
	XPT_RESULT(500, CUDA_ERROR_NOT_FOUND,
		"No symbol, kernel, texture or object of that name exists here."),
	XPT_BENIGN(600, CUDA_ERROR_NOT_READY,
		"Not an error: the work on this stream or event has not finished yet."),
	XPT_KERNEL_FAULT(700, CUDA_ERROR_ILLEGAL_ADDRESS,
		"A kernel or copy touched memory that it may not use; the context is lost, so "
		"debug the work launched before this call."),
	XPT_RESULT(701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
		"The launch needs more registers, threads or shared memory per block than the "
		"device has: use smaller blocks or fewer registers."),
	XPT_KERNEL_FAULT(702, CUDA_ERROR_LAUNCH_TIMEOUT,
		"A kernel ran longer than the watchdog of a GPU that also drives a display "
		"allows; the context is lost."),
	XPT_RESULT(703, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
		"The kernel uses a texturing mode that does not fit this launch."),
	XPT_RESULT(704, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
		"Direct access to that device's memory was switched on before; most programs "
		"ignore this."),
	XPT_RESULT(705, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
		"Direct access to that device's memory is not switched on, so it cannot be "
		"switched off or used."),
	XPT_RESULT(708, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
		"The setting must be made before the device's primary context becomes active."),
	XPT_RESULT(709, CUDA_ERROR_CONTEXT_IS_DESTROYED,
		"The current context was destroyed, or its creation is not finished."),
	XPT_KERNEL_FAULT(710, CUDA_ERROR_ASSERT,
		"An assert() in device code failed; the kernel's message is on standard output "
		"and the context is lost."),
	XPT_RESULT(711, CUDA_ERROR_TOO_MANY_PEERS,
		"No hardware slot is left for access to a further peer device."),
	XPT_RESULT(712, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
		"This range of host memory, or part of it, is pinned already."),
	XPT_RESULT(713, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
		"This host memory is not pinned by CUDA, so it cannot be unpinned or looked up."),
	XPT_KERNEL_FAULT(714, CUDA_ERROR_HARDWARE_STACK_ERROR,
		"The GPU met a broken call stack or ran out of stack while a kernel ran; the "
		"context is lost."),
	XPT_KERNEL_FAULT(715, CUDA_ERROR_ILLEGAL_INSTRUCTION,
		"A kernel ran an instruction that this GPU does not know; the context is lost."),
	XPT_KERNEL_FAULT(716, CUDA_ERROR_MISALIGNED_ADDRESS,
		"A kernel used an address that is not a multiple of the access size; the context "
		"is lost."),
	XPT_KERNEL_FAULT(717, CUDA_ERROR_INVALID_ADDRESS_SPACE,
		"A kernel used an address of the wrong memory space for the instruction; the "
		"context is lost."),
	XPT_KERNEL_FAULT(718, CUDA_ERROR_INVALID_PC,
		"A kernel jumped to a place that holds no code; the context is lost."),
	XPT_KERNEL_FAULT(719, CUDA_ERROR_LAUNCH_FAILED,
		"A kernel died for a reason that is not told more exactly, often a bad pointer; "
		"the context is lost, so run compute-sanitizer."),
	XPT_RESULT(720, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
		"A cooperative launch needs all blocks on the device at once and this grid is "
		"too large for that."),
	XPT_KERNEL_FAULT(721, CUDA_ERROR_TENSOR_MEMORY_LEAK,
		"A kernel ended without giving back tensor memory; the context is lost."),
	XPT_RESULT(800, CUDA_ERROR_NOT_PERMITTED,
		"The caller lacks the right to do this: permissions, compute mode or a "
		"restriction of the administrator."),
	XPT_RESULT(801, CUDA_ERROR_NOT_SUPPORTED,
		"This device, driver or platform does not offer the operation."),
	XPT_RESULT(802, CUDA_ERROR_SYSTEM_NOT_READY,
		"A system service is not ready, on NVSwitch machines usually the Fabric Manager."),
	XPT_RESULT(803, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
		"Kernel module and driver libraries have different versions, typically after an "
		"update without a reboot."),
	XPT_RESULT(804, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
		"The forward-compatibility driver libraries do not support this GPU: it needs a "
		"data-centre card or the matching driver."),
	XPT_RESULT(805, CUDA_ERROR_MPS_CONNECTION_FAILED,
		"The program could not connect to the MPS control daemon or server."),
	XPT_RESULT(806, CUDA_ERROR_MPS_RPC_FAILURE,
		"Talking to the MPS server failed."),
	XPT_RESULT(807, CUDA_ERROR_MPS_SERVER_NOT_READY,
		"The MPS server cannot take clients now, for instance because it recovers from a "
		"fatal error."),
	XPT_RESULT(808, CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
		"The MPS server has as many clients as it can serve."),
	XPT_RESULT(809, CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
		"The MPS server has no connections left for another client."),
	XPT_STICKY(810, CUDA_ERROR_MPS_CLIENT_TERMINATED,
		"The MPS server ended this client, mostly because of a client that shared the "
		"GPU; the process must be restarted."),
	XPT_RESULT(811, CUDA_ERROR_CDP_NOT_SUPPORTED,
		"Launching kernels from kernels is not supported here."),
	XPT_RESULT(812, CUDA_ERROR_CDP_VERSION_MISMATCH,
		"The kernel's device runtime does not fit the driver, so kernels cannot launch "
		"kernels."),
	XPT_RESULT(900, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
		"The operation is not allowed while the stream records a graph."),
	XPT_RESULT(901, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
		"An earlier error spoiled the graph that is being recorded: end the capture and "
		"start again."),
	XPT_RESULT(902, CUDA_ERROR_STREAM_CAPTURE_MERGE,
		"The operation would join two captures that must stay apart."),
	XPT_RESULT(903, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
		"This stream did not begin the capture that it is asked to end."),
	XPT_RESULT(904, CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
		"The capture ends while other streams that joined it have not been joined back."),
	XPT_RESULT(905, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
		"The operation would make the capture depend on work outside of it."),
	XPT_RESULT(906, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
		"The operation would use the default stream behind the back of a running "
		"capture."),
	XPT_RESULT(907, CUDA_ERROR_CAPTURED_EVENT,
		"The event was recorded in a capture that goes on and cannot be waited for or "
		"queried from outside."),
	XPT_RESULT(908, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
		"The capture belongs to another thread."),
	XPT_RESULT(909, CUDA_ERROR_TIMEOUT,
		"The wait reached its time limit."),
	XPT_RESULT(910, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
		"The new graph differs too much from the instantiated one: instantiate it again."),
	XPT_STICKY(911, CUDA_ERROR_EXTERNAL_DEVICE,
		"A device other than the GPU (another engine or PCIe partner) failed while CUDA "
		"waited for it; the process must be restarted."),
	XPT_RESULT(912, CUDA_ERROR_INVALID_CLUSTER_SIZE,
		"The cluster of blocks has a size that the kernel or device cannot run."),
	XPT_RESULT(913, CUDA_ERROR_FUNCTION_NOT_LOADED,
		"The function is not loaded yet and this call does not load it."),
	XPT_RESULT(914, CUDA_ERROR_INVALID_RESOURCE_TYPE,
		"The handle names a resource of the wrong type."),
	XPT_RESULT(915, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
		"The resource cannot be split or configured that way."),
	XPT_RESULT(916, CUDA_ERROR_KEY_ROTATION,
		"An encryption key of confidential computing is being changed, so the call must "
		"be repeated or the session restarted."),
	XPT_RESULT(999, CUDA_ERROR_UNKNOWN,
		"The driver failed without saying why: look at the kernel log for Xid messages."),
