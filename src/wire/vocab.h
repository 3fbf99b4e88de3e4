/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The vocabulary: layers, classes, roles, capture operations and result kinds.
 *
 * Shared by BPF and user code, and stored by number in recordings: append
 * only, never renumber. A function has one class; each captured value has one
 * role. Analyzers know classes and roles, never function names.
 */
#ifndef XPT_WIRE_VOCAB_H
#define XPT_WIRE_VOCAB_H

/* X(enumerator, stored number, "name in output") */
#define XPT_LAYERS(X)                                                          \
	X(API, 0, "api")       /* a user library's exported function */       \
	X(IOCTL, 1, "ioctl")   /* the system call on a device file */         \
	X(DRIVER, 2, "driver") /* a kernel function of the driver */          \
	X(POINT, 3, "point")   /* USDT or tracepoint, no duration */          \
	X(DEVICE, 4, "device") /* a polled fact */

#define XPT_CLASSES(X)                                                         \
	X(OTHER, 0, "other")                                                   \
	X(ALLOC, 1, "alloc")       /* opens ADDR or HANDLE, SIZE bytes */     \
	X(FREE, 2, "free")         /* closes an object of ALLOC */            \
	X(COPY, 3, "copy")         /* moves SIZE bytes in direction DIR */    \
	X(SET, 4, "set")           /* fills SIZE bytes */                     \
	X(LAUNCH, 5, "launch")     /* puts a kernel or graph on a stream */   \
	X(SYNC, 6, "sync")         /* blocks until the device is done */      \
	X(CREATE, 7, "create")     /* opens HANDLE */                         \
	X(DESTROY, 8, "destroy")   /* closes HANDLE */                        \
	X(REGISTER, 9, "register") /* opens ADDR, SIZE: pins or maps memory */ \
	X(DEREGISTER, 10, "deregister")                                        \
	X(MODIFY, 11, "modify")                                                \
	X(SUBMIT, 12, "submit")                                                \
	X(COMPLETE, 13, "complete")                                            \
	X(LOAD, 14, "load")        /* module, library, code */                \
	X(UNLOAD, 15, "unload")                                                \
	X(QUERY, 16, "query")      /* asks, changes nothing */                \
	X(IOCTL, 17, "ioctl")                                                  \
	X(INIT, 18, "init")        /* starts the library or a context */      \
	X(RESET, 19, "reset")      /* drops a context and all it owns */      \
	X(RECORD, 20, "record")    /* puts an event on a stream */                    \
	X(MAP, 21, "map")          /* the rest is of drivers: maps memory */  \
	X(FAULT, 22, "fault")      /* brings a page */                        \
	X(SCHED, 23, "sched")      /* puts work, or a queue, on the device */ \
	X(IRQ, 24, "irq")          /* the part of an interrupt that a thread does */ \
	X(OPEN, 25, "open")        /* of a device file */                     \
	X(CLOSE, 26, "close")

#define XPT_ROLES(X)                                                           \
	X(NONE, 0, "none")                                                     \
	X(ADDR, 1, "addr")         /* address that is allocated or freed */   \
	X(SIZE, 2, "size")         /* bytes */                                \
	X(STREAM, 3, "stream")                                                 \
	X(QUEUE, 4, "queue")                                                   \
	X(DEVICE, 5, "device")                                                 \
	X(FUNC, 6, "func")         /* kernel handle, of one context */         \
	X(NAME, 7, "name")         /* string: a STR value, or an OUT pointer to one */ \
	X(GRID_X, 8, "grid_x")                                                 \
	X(GRID_Y, 9, "grid_y")                                                 \
	X(GRID_Z, 10, "grid_z")                                                \
	X(BLOCK_X, 11, "block_x")                                              \
	X(BLOCK_Y, 12, "block_y")                                              \
	X(BLOCK_Z, 13, "block_z")                                              \
	X(SHMEM, 14, "shmem")      /* dynamic shared memory, bytes */         \
	X(DIR, 15, "dir")          /* enum xpt_dir once decoded */            \
	X(FLAGS, 16, "flags")                                                  \
	X(RESULT, 17, "result")                                                \
	X(HANDLE, 18, "handle")    /* opaque object that is opened or closed */ \
	X(DST, 19, "dst")                                                      \
	X(SRC, 20, "src")                                                      \
	X(EVENT, 21, "event")                                                  \
	X(CONTEXT, 22, "context")                                              \
	X(COUNT, 23, "count")      /* a number of things, multiplies SIZE */  \
	X(PITCH, 24, "pitch")      /* bytes per row, replaces WIDTH in sizes */ \
	X(WIDTH, 25, "width")      /* elements or bytes per row */            \
	X(HEIGHT, 26, "height")    /* rows */                                 \
	X(DEPTH, 27, "depth")      /* slices */                               \
	X(GRAPH, 28, "graph")                                                  \
	X(MODULE, 29, "module")                                                \
	X(POOL, 30, "pool")                                                    \
	X(VALUE, 31, "value")      /* fill pattern or plain number */         \
	X(KERNEL, 32, "kernel")    /* a kernel in every context: host address, library's handle */ \
	X(LIBRARY, 33, "library")  /* code that belongs to no context, unlike a MODULE */ \
	X(ID, 34, "id")            /* one number in all processes that share an object */ \
	X(CURRENT, 35, "current")  /* how CONTEXT (or DEVICE's) becomes current: XPT_CURRENTS */ \
	X(AVAIL, 36, "avail")      /* bytes of a device's memory that are free */ \
	X(TOTAL, 37, "total")      /* bytes of a device's memory */           \
	X(QPAIR, 38, "qpair")      /* the rest is of storage: a queue pair */ \
	X(QID, 39, "qid")          /* number of a queue of a connection */    \
	X(GROUP, 40, "group")      /* of a poll group: its thread */          \
	X(CONTROLLER, 41, "controller")                                        \
	X(SUBSYSTEM, 42, "subsystem") /* its name */                          \
	X(HOST, 43, "host")        /* its name */                             \
	X(STATE, 44, "state")      /* of the object that the call is about */ \
	X(ASKED, 45, "asked")      /* the state that it shall get */          \
	X(STATUS, 46, "status")    /* 0: it got it */                         \
	X(TICKS, 47, "ticks")      /* of the processor's counter */           \
	X(ORIGIN, 48, "origin")    /* texts of a call that failed: the function that made the error, */ \
	X(CAUSE, 49, "cause")      /* why, */                                 \
	X(ADVICE, 50, "advice")    /* and a remedy to try */                  \
	X(ERROR, 51, "error")      /* a result that the call is about: its text is asked for */ \
	X(SRC_HOST, 52, "src_host") /* replaces SRC if the copy's source is host memory */ \
	X(DST_HOST, 53, "dst_host")

/* Copy directions; numbers are those of enum cudaMemcpyKind plus PEER. */
#define XPT_DIRS(X)                                                            \
	X(H2H, 0, "HtoH")                                                      \
	X(H2D, 1, "HtoD")                                                      \
	X(D2H, 2, "DtoH")                                                      \
	X(D2D, 3, "DtoD")                                                      \
	X(DEFAULT, 4, "auto")      /* unified address: decided by pointers */ \
	X(PEER, 5, "peer")                                                     \
	X(NONE, 7, "none")

/* The change that a call makes to its thread's stack of current contexts. */
#define XPT_CURRENTS(X)                                                        \
	X(SET, 1, "set")           /* replaces the topmost */                 \
	X(PUSH, 2, "push")                                                     \
	X(POP, 3, "pop")

/* How a value is read. "arg" is the argument word, see struct xpt_wire_cap. */
#define XPT_CAP_OPS(X)                                                         \
	X(NONE, 0, "none")                                                     \
	X(VAL, 1, "val")           /* the argument, shifted by "off" bits */  \
	X(DEREF, 2, "deref")       /* *(arg + off), read at entry */          \
	X(OUT, 3, "out")           /* *(arg + off), read at return */         \
	X(CONST, 4, "const")       /* "off" itself: a value the name implies */ \
	X(STR, 5, "str")           /* the C string that it points to */            \
	X(RET, 6, "ret")           /* the call's result */                    \
	X(BYTES, 7, "bytes")       /* of one element: 2 bits of "off" for each value of arg */ \
	X(HASH, 8, "hash")         /* of "off" bytes at arg, read at entry */ \
	X(OUT_HASH, 9, "out_hash") /* the same, read at return */             \
	X(ARRAY, 10, "array")      /* bytes of the array whose descriptor lies at arg */ \
	X(SIDES, 11, "sides")      /* direction of the copy whose descriptor lies at arg */

/* The kind of memory that a function opens or closes. A FREE whose kind is NONE
 * closes any allocation; MAPPING, RESERVED, REGISTERED, IPC and REGION live in
 * spaces of their own, because their addresses coincide with others. */
#define XPT_KINDS(X)                                                           \
	X(NONE, 0, "memory")         /* not known, or not memory */           \
	X(DEVICE, 1, "device")                                                 \
	X(POOL, 2, "pool")           /* stream-ordered, from a memory pool */ \
	X(VMM, 3, "vmm")             /* physical memory behind a handle */    \
	X(MANAGED, 4, "managed")                                               \
	X(HOST, 5, "host")           /* pinned, allocated by the library */   \
	X(REGISTERED, 6, "registered") /* pinned, memory of the program */    \
	X(ARRAY, 7, "array")                                                   \
	X(GRAPH, 8, "graph")                                                   \
	X(MAPPING, 9, "mapping")     /* address range mapped to a handle */   \
	X(RESERVED, 10, "reserved")  /* address range, no memory */           \
	X(IPC, 11, "ipc")            /* memory that another process owns */   \
	X(REGION, 12, "region")      /* memory that a network device may access */ \
	X(QPAIR, 13, "qpair")        /* the rest is no memory: objects of a server */ \
	X(CONTROLLER, 14, "controller")                                        \
	X(POLL_GROUP, 15, "poll_group")                                        \
	X(SUBSYSTEM, 16, "subsystem")                                          \
	X(TARGET, 17, "target")      /* one a process */

/* The meaning of the return value, so that errors can be counted in the kernel. */
#define XPT_RETS(X)                                                            \
	X(NONE, 0, "none")         /* void */                                 \
	X(STATUS, 1, "status")     /* 32 bit, 0 is success */                 \
	X(NEGATIVE, 2, "negative") /* 32 bit, below 0 is an error */          \
	X(POINTER, 3, "pointer")   /* NULL is an error */                     \
	X(VALUE, 4, "value")       /* a number, never an error */             \
	X(LONG, 5, "long")         /* 64 bit, -4095 to -1 is an errno */      \
	X(ERR_PTR, 6, "err_ptr")   /* pointer, the same; NULL is no error */

/* The use of a function's calls; its exact counters go on in each mode. */
#define XPT_MODES(X)                                                           \
	X(EVENTS, 0, "events")     /* each is sent, as far as filters say */   \
	X(ERRORS, 1, "errors")     /* failed ones are sent */                  \
	X(COUNTERS, 2, "counters") /* none */

/* One row for every place that can lose something. X(name, "explanation") */
#define XPT_LOSSES(X)                                                          \
	X(RING_FULL, "calls not sent as events: ring buffer full")             \
	X(THREADS_FULL, "calls not traced: thread table full")                 \
	X(DEPTH_FULL, "calls not timed: more than 16 nested calls")            \
	X(COUNTERS_FULL, "calls counted without process: counter table full")  \
	X(ERRORS_FULL, "errors counted without code: error table full")        \
	X(EXIT_WITHOUT_ENTRY, "returns of calls that began before tracing")    \
	X(CUT_LONGJMP, "calls left by an exception, a cancelled thread or longjmp")                \
	X(CUT_EXIT, "calls cut by the end of their thread")                    \
	X(CUT_EXEC, "calls cut by exec")                                       \
	X(CUT_FORK, "calls seen returning in a forked child")                  \
	X(READ_FAILED, "argument reads that failed")                           \
	X(TARGETS_FULL, "processes not followed: target table full")           \
	X(DECODE_REJECTED, "records rejected: malformed")                      \
	X(TABLE_EVICTED, "entries evicted from a full table")                  \
	X(FILE_LIMIT, "events not written: --max-size reached")                \
	X(SINK_FAILED, "events not written: output failed")                    \
	X(WATCH_LOST, "library mappings that the watcher may have missed")     \
	X(STACK_FAILED, "calls without the stack that was asked for")          \
	X(FILTERED, "calls not sent as events: left out as asked")             \
	X(TASKS_LOST, "starts and ends of threads not sent: ring buffer full") \
	X(LATE, "calls told out of order: sent too late to be sorted in")      \
	X(LIB_FAILED, "files not traced: damaged, not readable, or refused by the kernel") \
	X(RATE, "calls not sent as events: more than --rate allows")           \
	X(BUDGET, "calls not sent as events: counted only, for --budget")      \
	X(HOLD_TIMEOUT, "libraries mapped before their probes were in place") \
	X(RELINKED, "moments without probes on a library, while it was read anew") \
	X(LOG_LOST, "gaps in the kernel log, where reports of errors may be missing") \
	X(KERNEL_FAILED, "kernel functions not traced: refused by the kernel") \
	X(KERNEL_CUT, "calls of kernel functions whose return was not seen")   \
	X(KERNEL_MISSED, "calls of kernel functions not seen: probe was busy") \
	X(SCHED_FULL, "calls whose waiting was not summed: table full")      \
	X(HOOK_KEYS, "hits of hooks not added up: table of keys full")        \
	X(HOOK_VALUES, "hits of hooks not added up: a value was not readable") \
	X(PROBE_FAILED, "places not traced: no room for more, or refused by the kernel") \
	X(NAMES_FULL, "functions counted as (other): no room for their names") \
	X(HOOK_TEXTS, "hits of hooks added up without a string: table of strings full") \
	X(HOOK_CUT, "strings in keys of hooks cut after 255 bytes")

#define X(e, n, s) XPT_LAYER_##e = n,
enum xpt_layer { XPT_LAYERS(X) XPT_LAYER__MAX };
#undef X
#define X(e, n, s) XPT_CLASS_##e = n,
enum xpt_class { XPT_CLASSES(X) XPT_CLASS__MAX };
#undef X
#define X(e, n, s) XPT_ROLE_##e = n,
enum xpt_role { XPT_ROLES(X) XPT_ROLE__MAX };
#undef X
#define X(e, n, s) XPT_DIR_##e = n,
enum xpt_dir { XPT_DIRS(X) XPT_DIR__MAX };
#undef X
#define X(e, n, s) XPT_CURRENT_##e = n,
enum xpt_current { XPT_CURRENTS(X) XPT_CURRENT__MAX };
#undef X
#define X(e, n, s) XPT_CAP_##e = n,
enum xpt_cap_op { XPT_CAP_OPS(X) XPT_CAP__MAX };
#undef X
#define X(e, n, s) XPT_RET_##e = n,
enum xpt_ret { XPT_RETS(X) XPT_RET__MAX };
#undef X
#define X(e, n, s) XPT_KIND_##e = n,
enum xpt_kind { XPT_KINDS(X) XPT_KIND__MAX };
#undef X
#define X(e, n, s) XPT_MODE_##e = n,
enum xpt_mode { XPT_MODES(X) XPT_MODE__MAX };
#undef X
#define X(e, s) XPT_LOSS_##e,
enum xpt_loss { XPT_LOSSES(X) XPT_LOSS__MAX };
#undef X

#endif
