/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of the options of tracing, as `run` and `attach` share them.
 */
#ifndef XPT_CLI_ARGS_TRACE_ROWS_H
#define XPT_CLI_ARGS_TRACE_ROWS_H

#include "cli/opt.h"
#include "session/options/trace_opts.h"

#define XPT_SHOW_HELP "the table of calls has these columns, too: time (when the call began) " \
	"before PID, thread behind it; commas between them"
#define XPT_SHOW_CHOICES "time|thread|time,thread|thread,time"
#define XPT_ALL_ERRORS_HELP "failures that runtimes and libraries try on purpose are failures like " \
	"all others, not set apart as expected errors"
#define XPT_CLOCK_HELP "trace (default) or wall: are times those since the start, or those of the day?"
#define XPT_COMPAT_HELP "show metrics also under the names of DCGM, OpenTelemetry or OBI; may be given again"
#define XPT_COMPAT "dcgm|otel|obi"
#define XPT_TO(m) offsetof(struct xpt_trace_opts, m)
#define XPT_TRACE_OPTIONS                                                                          \
	{ "output", 'o', XPT_OPT_LIST, XPT_TO(outs), "FILE", "write to FILE, by its extension: "   \
	  ".xtr (recording), .jsonl, .csv, .json (Chrome trace), .pftrace (Perfetto), .svg "      \
	  "(flame graph), or .folded (its input for other tools), or - (JSON lines to standard "   \
	  "output); may be given again; default traces/trace_<time>.xtr and .jsonl", 0 },                                                \
	{ "log", 0, XPT_OPT_STR, XPT_TO(log), "FILE", "table and summary go to FILE, - for "         \
	  "standard output; default: standard error where a command is run, else standard output", 0 }, \
	{ "metrics", 0, XPT_OPT_STR, XPT_TO(metrics), "FILE", "keep metrics in FILE, for " \
	  "Prometheus: calls, time, bytes and errors by process and function, new each second", 0 }, \
	{ "compat", 0, XPT_OPT_LIST, XPT_TO(compat), XPT_COMPAT, XPT_COMPAT_HELP, XPT_COMPAT }, \
	{ "no-file", 0, XPT_OPT_FLAG, XPT_TO(no_file), 0, "write no file", 0 },                    \
	{ "max-size", 0, XPT_OPT_SIZE, XPT_TO(max_size), "SIZE", "stop writing calls to a file "   \
	  "at this size, 0 for never (default 1G); totals go on", 0 },                             \
	{ "quiet", 'q', XPT_OPT_FLAG, XPT_TO(quiet), 0, "no table of calls, only the summary", 0 }, \
	{ "no-summary", 0, XPT_OPT_FLAG, XPT_TO(no_summary), 0, "no summary at the end", 0 },      \
	{ "json", 0, XPT_OPT_FLAG, XPT_TO(json), 0, "the summary as JSON; no table of calls", 0 }, \
	{ "show", 0, XPT_OPT_LIST, XPT_TO(show), "COLUMNS", XPT_SHOW_HELP, XPT_SHOW_CHOICES },      \
	{ "clock", 0, XPT_OPT_CHOICE, XPT_TO(clock), "WHICH", XPT_CLOCK_HELP, "trace|wall" },      \
	{ "raw", 0, XPT_OPT_FLAG, XPT_TO(raw), 0, "plain numbers: bytes and nanoseconds", 0 },     \
	{ "weight", 0, XPT_OPT_CHOICE, XPT_TO(weight), "WHAT", "flame graphs of time (default), "  \
	  "bytes or count", "time|bytes|count" },                                                  \
	{ "phases", 0, XPT_OPT_FLAG, XPT_TO(phases), 0, "JSONL: separate objects for begin and "   \
	  "end of a call", 0 },                                                                    \
	{ "counters", 0, XPT_OPT_FLAG, XPT_TO(counters), 0, "exact totals only: no single calls, " \
	  "lowest cost", 0 },                                                                      \
	{ "domain", 'd', XPT_OPT_LIST, XPT_TO(domains), "NAME", "trace this domain only (cuda, "   \
	  "cudart, ...); may be given again", 0 },                                                 \
	{ "function", 'f', XPT_OPT_LIST, XPT_TO(functions), "GLOB", "trace only functions whose "  \
	  "name matches; !GLOB: all others; may be given again", 0 },                                                 \
	{ "layers", 0, XPT_OPT_STR, XPT_TO(layers), "LIST", "what is traced: api (functions of "     \
	  "libraries, the default), ioctl (calls of device drivers), driver (functions of drivers " \
	  "that xputrace knows), rdma (RDMA in the kernel), or several: api,rdma", 0 },              \
	{ "kernel", 'k', XPT_OPT_LIST, XPT_TO(kernel), "MODULE:GLOB", "trace functions of the kernel, " \
	  "too: of this module (vmlinux: built in) whose name matches; may be given again; "     \
	  "--layers api,driver traces those of known drivers", "?*:?*" },                          \
	{ "kernel-max", 0, XPT_OPT_SIZE, XPT_TO(kernel_max), "N", "refuse more than N functions of " \
	  "the kernel (default 1000)", 0 },                                                    \
	{ "device", 0, XPT_OPT_LIST, XPT_TO(devices), "DEVICE", "trace ioctls on this device, too: " \
	  "its file, or MAJOR[:MINOR]; =nvidia, =uvm, =verbs or =nvme behind it says how to read "  \
	  "its commands; may be given again", 0 },                                                 \
	{ "probe", 0, XPT_OPT_LIST, XPT_TO(probes), "PROBE", "trace usdt:PATH:PROVIDER:NAME (of " \
	  "<sys/sdt.h>), uprobe:PATH:FUNCTION (when it is entered) or call:PATH:FUNCTION, too; "   \
	  "PATH is a file or, without a slash, a glob for those that a traced process maps, names " \
	  "may be globs; may be given again", "*:*" },                                               \
	{ "hook", 0, XPT_OPT_LIST, XPT_TO(hooks), "HOOK", "trace what this line says, too: a probe, " \
	  "what to read, a filter, an action (xputrace-hook(1)); may be given again", 0 },         \
	{ "hook-file", 0, XPT_OPT_LIST, XPT_TO(hook_files), "FILE", "the same for the lines of "    \
	  "this file, or file of hooks with this name; may be given again", 0 },                    \
	{ "stacks", 0, XPT_OPT_GLOBS, XPT_TO(stacks), "GLOB", "record who called: the stacks of "   \
	  "calls whose function's name matches (all without GLOB); needs programs with frame "      \
	  "pointers to go further than one caller; may be given again", 0 },                       \
	{ "sched", 0, XPT_OPT_FLAG, XPT_TO(sched), 0, "say what the scheduler did during calls: "   \
	  "waiting for a CPU, sleeping, switches; and which calls waited for pages from disk", 0 }, \
	{ "devices", 0, XPT_OPT_PERIOD, XPT_TO(readings_ns), "TIME", "read GPUs (NVML), RDMA ports and NVMe " \
	  "controllers, too, every TIME (1s): utilization, memory, power, errors, links", 0 },      \
	{ "errors-only", 0, XPT_OPT_FLAG, XPT_TO(errors_only), 0, "events for failed calls only; " \
	  "totals still count all", 0 },                                                           \
	{ "all-errors", 0, XPT_OPT_FLAG, XPT_TO(all_errors), 0, XPT_ALL_ERRORS_HELP, 0 },          \
	{ "min-duration", 0, XPT_OPT_DURATION, XPT_TO(min_ns), "TIME", "no events for successful " \
	  "calls that took less than TIME", 0 },                                                   \
	{ "min-size", 0, XPT_OPT_SIZE, XPT_TO(min_bytes), "SIZE", "no events for successful calls " \
	  "that concern fewer bytes", 0 },                                                         \
	{ "args", 0, XPT_OPT_CHOICE, XPT_TO(args), "WHAT", "roles, none or all: which arguments "   \
	  "are captured (default: those that say what a call did)", "roles|none|all" },            \
	{ "sample", 0, XPT_OPT_SIZE, XPT_TO(sample), "N", "events for about one successful call " \
	  "in N only, N rounded up to a power of two; totals still count all", 0 },                \
	{ "rate", 0, XPT_OPT_RATE, XPT_TO(rate), "N", "events for at most N successful calls " \
	  "of each function a second, N at once; totals still count all", 0 },                    \
	{ "budget", 0, XPT_OPT_SHARE, XPT_TO(budget_ppm), "SHARE", "keep the cost of tracing below " \
	  "SHARE (like 1%) of the traced processes' wall time: functions whose events cost most " \
	  "are only counted meanwhile, and the output says which and when", 0 },                 \
	{ "hang", 0, XPT_OPT_DURATION, XPT_TO(hang_ns), "TIME", "report calls that have not "       \
	  "returned after TIME (default 5s, 0 for never); SIGUSR1 reports all at once", 0 },        \
	{ "no-follow", 0, XPT_OPT_FLAG, XPT_TO(no_follow), 0, "leave child processes alone", 0 },  \
	{ "require", 0, XPT_OPT_FLAG, XPT_TO(require), 0, "exit with 3 if no call was traced", 0 }, \
	{ "ring", 0, XPT_OPT_SIZE, XPT_TO(ring), "SIZE", "size of the event buffer (default 4M)", 0 }, \
	{ "attach", 0, XPT_OPT_CHOICE, XPT_TO(attach), "KIND", "auto, session, multi or perf: "    \
	  "how probes are attached (default: the best that works)", "auto|session|multi|perf" },   \
	{ "ioctl-attach", 0, XPT_OPT_CHOICE, XPT_TO(ioctl_attach), "KIND", "auto, fentry, "         \
	  "tracepoint or raw: how ioctls are seen (default: the cheapest that works)",            \
	  "auto|fentry|tracepoint|raw" },                                                            \
	{ "kernel-attach", 0, XPT_OPT_CHOICE, XPT_TO(kernel_attach), "KIND", "auto, "               \
	  "fsession-multi, fentry-multi, fentry, kprobe-session, kprobe-multi or kprobe: how "      \
	  "functions of the kernel are traced (default: the best that works for each)",             \
	  "auto|fsession-multi|fentry-multi|fentry|kprobe-session|kprobe-multi|kprobe" },           \
	{ "sites", 0, XPT_OPT_CHOICE, XPT_TO(sites), "HOW", "auto or symbol: may probes move to "  \
	  "a cheaper, equivalent place?", "auto|symbol" },                                         \
	{ "color", 0, XPT_OPT_CHOICE, XPT_TO(color), "WHEN", "auto, always or never",              \
	  "auto|always|never" },                                                                   \
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_TO(verbose), 0, "say what is being done, on stderr", 0 }

#endif
