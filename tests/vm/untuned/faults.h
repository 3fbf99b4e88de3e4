/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can be made to fail in this driver: values of the parameter `fault` of
 * xptu_core. The driver and the program ../rdma/untuned_vendor.c include it.
 */
#ifndef XPTU_FAULTS_H
#define XPTU_FAULTS_H

enum xptu_faults {
	XPTU_NONE,
	XPTU_STATUS,		/* the adapter answers a new queue pair with a status of its own */
	XPTU_REFUSED,		/* ... a change of state with "bad parameter" */
	XPTU_CALLBACK,		/* the driver's function that the core calls for each page */
	XPTU_GENERATION,	/* a function of the table that was chosen when the device came */
	XPTU_RETRIES,		/* a queue: three tries are in vain, the loop says so */
	XPTU_ROLLBACK,		/* a queue pair: its fourth resource is not there, three are given back */
	XPTU_ROLLBACK_SAME,	/* a queue: giving back fails as the step did */
	XPTU_ROLLBACK_OTHER,	/* memory: giving back fails otherwise, and that is returned */
	XPTU_WORKER,		/* a queue pair: a kernel thread did the work and failed */
	XPTU_SILENT,		/* a change of state: no answer comes within the time */
	XPTU_SIGNAL,		/* memory: the adapter's answer is waited for until a signal comes */
	XPTU_POSITIVE,		/* a queue: the sign of an errno is forgotten */
	XPTU_UNSIGNED,		/* memory: a size becomes an int */
	XPTU_VOID,		/* an address: a function without result leaves its error in a struct */
	XPTU_BOOL,		/* a shared queue: the adapter cannot do it, says a bool */
	XPTU_NULL,		/* an address: its port is not found */
	XPTU_CONVERTED,		/* a change of state: an errno is replaced by another */
	XPTU_DESTROY,		/* a queue pair does not go: no answer */
	XPTU_DEREG,		/* memory does not go: the adapter still uses it */
	XPTU_RIGHTS,		/* a context is for those with CAP_SYS_RAWIO */
	XPTU_QUERY_PORT,	/* the port's registers cannot be read */
	XPTU_QUERY_QP,		/* the queue pair's cannot */
	XPTU_TAIL,		/* capabilities: by jumps through both modules */
	XPTU_DEEP,		/* memory: twelve calls below the driver's operation */
	XPTU_HUGE,		/* memory: a table larger than the machine's memory */
	XPTU_GOES_WELL,		/* no fault: two tries of three fail */
	XPTU_FALLS_BACK,	/* no fault: the new command is refused, the old one does it */
};

#endif
