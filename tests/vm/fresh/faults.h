/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can be made to fail in this driver: values of the parameter `fault` of
 * xptw_core. The driver and the program ../rdma/fresh_vendor.c include it.
 */
#ifndef XPTW_FAULTS_H
#define XPTW_FAULTS_H

enum xptw_faults {
	XPTW_NONE,
	XPTW_VETO,		/* a domain: one who listens to the core's events says no */
	XPTW_JUMPS,		/* a completion queue: by three jumps into the core */
	XPTW_CLONE,		/* ... in a function that is cloned for one argument */
	XPTW_WRITTEN,		/* ... what was written is returned as if it were an errno */
	XPTW_READY,		/* ... a bool becomes the result */
	XPTW_PINGPONG,		/* a queue pair: twelve functions, of both modules in turn */
	XPTW_STEPS,		/* ... the last of 150 steps, and all are undone in vain, likewise */
	XPTW_STEPS_VOID,	/* ... the same, undone by a function without result */
	XPTW_STEPS_OTHER,	/* ... the same, and to undo them fails in another way */
	XPTW_TRANSLATED,	/* ... "no slot" becomes "no memory" */
	XPTW_SILENCE,		/* a change of state: no reply within the time, deep in the core */
	XPTW_LEFT,		/* ... the time that was left is returned */
	XPTW_APPLY,		/* ... what the driver has told the core to call */
	XPTW_DEAD,		/* ... the adapter has failed before, and takes no command any more */
	XPTW_OPTIONAL,		/* ... an optional step fails, which is no matter; the next fails, too */
	XPTW_BOTH,		/* ... two halves fail, the first one's errno is kept */
	XPTW_AGAIN,		/* ... twice "again", then an errno of its own */
	XPTW_BYTE,		/* ... an errno that went through a byte */
	XPTW_POINTER,		/* memory: an ERR_PTR from below */
	XPTW_EMPTY,		/* ... NULL from below: no key is left */
	XPTW_LEFT_BEHIND,	/* ... by a function that has no result, in its last argument */
	XPTW_FOREVER,		/* ... waits until somebody kills the program */
	XPTW_WORD,		/* ... an errno that an unsigned function returns */
	XPTW_WIDE,		/* ... an errno of 64 bits */
	XPTW_TIMER,		/* ... a timer says how it went */
	XPTW_TWO_TABLES,	/* ... an errno by two tables */
	XPTW_IN_USE,		/* memory does not go: it is in use */
	XPTW_STUCK,		/* a completion queue does not go: no reply */
	XPTW_WINDOW,		/* a page of the adapter cannot be mapped */
	XPTW_CHOSEN,		/* a shared queue: a function of a table, by the kind of queue */
	XPTW_VERSION,		/* a context: the library is too old */
	XPTW_PORT,		/* the port's state: an errno negated twice on the way */
	XPTW_SLOW,		/* no fault: a call takes long */
	XPTW_UNDONE,		/* no fault: a step fails and another way is taken */
};

#endif
