/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every ncclResult_t, sorted by code, in our own words: the failure, and
 * where to look. Only ncclInProgress is an answer; after ncclRemoteError the
 * communicator is lost. */
	XPT_RESULT(0, ncclSuccess,
		"The call worked."),
	XPT_RESULT(1, ncclUnhandledCudaError,
		"A CUDA call inside failed: look at the failed call that is nested in this one, "
		"or at an earlier error of the process."),
	XPT_RESULT(2, ncclSystemError,
		"A system call or the network failed: sockets, shared memory (/dev/shm), locked "
		"memory, verbs; NCCL_DEBUG=INFO names it."),
	XPT_RESULT(3, ncclInternalError,
		"A check inside NCCL failed: memory that the program damaged, processes with "
		"different versions of NCCL, or a bug of it."),
	XPT_RESULT(4, ncclInvalidArgument,
		"An argument is wrong: a NULL communicator, a rank or root out of range, a "
		"pointer that is no device memory."),
	XPT_RESULT(5, ncclInvalidUsage,
		"The calls do not fit together: groups that are not closed, a device used twice "
		"in one communicator, ranks that disagree."),
	XPT_STICKY(6, ncclRemoteError,
		"Another rank or the network to it failed; look there first. The communicator can "
		"only be aborted."),
	XPT_BENIGN(7, ncclInProgress,
		"The communicator does not block: the work was begun and ncclCommGetAsyncError "
		"tells when it is done."),
