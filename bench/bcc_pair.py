# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A BCC script as its users write them: one function, entry and return.

  bcc_pair.py count|print LIB FUNCTION OUT -- CMD ARGS

count keeps calls, time and a histogram in the kernel; print sends every call
through a perf buffer and writes a line to OUT. Exits like CMD.
"""
import subprocess
import sys

from bcc import BPF

TEXT = r"""
#include <uapi/linux/ptrace.h>

struct call { u64 ns; u32 pid, tid; s64 ret; };
BPF_HASH(start, u32, u64);
BPF_ARRAY(total, u64, 2);
BPF_HISTOGRAM(hist);
BPF_PERF_OUTPUT(events);

int on_entry(struct pt_regs *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	u64 ts = bpf_ktime_get_ns();

	start.update(&tid, &ts);
	return 0;
}

int on_return(struct pt_regs *ctx)
{
	u64 id = bpf_get_current_pid_tgid(), ns, *tsp;
	u32 tid = id;

	tsp = start.lookup(&tid);
	if (!tsp)
		return 0;
	ns = bpf_ktime_get_ns() - *tsp;
	start.delete(&tid);
#ifdef PRINT
	struct call c = { ns, id >> 32, tid, PT_REGS_RC(ctx) };
	events.perf_submit(ctx, &c, sizeof(c));
#else
	total.increment(0);
	total.increment(1, ns);
	hist.increment(bpf_log2l(ns));
#endif
	return 0;
}
"""


def follow(bpf, fn, path, child):
    """Prints every event until the command has ended and nothing is left."""
    with open(path, "w") as out:
        def line(_cpu, data, _size):
            c = bpf["events"].event(data)
            out.write(f"{c.pid} {c.tid} {fn} {c.ns} {c.ret}\n")
        bpf["events"].open_perf_buffer(line, page_cnt=64)
        while child.poll() is None:
            bpf.perf_buffer_poll(timeout=50)
        bpf.perf_buffer_poll(timeout=0)
    return child.returncode


def main():
    mode, lib, fn, path = sys.argv[1:5]
    cmd = sys.argv[sys.argv.index("--") + 1:]
    bpf = BPF(text=TEXT, cflags=["-DPRINT"] if mode == "print" else [])
    bpf.attach_uprobe(name=lib, sym=fn, fn_name="on_entry")
    bpf.attach_uretprobe(name=lib, sym=fn, fn_name="on_return")
    child = subprocess.Popen(cmd)
    if mode == "print":
        return follow(bpf, fn, path, child)
    child.wait()
    with open(path, "w") as out:
        out.write(f"calls {bpf['total'][0].value} ns {bpf['total'][1].value}\n")
    return child.returncode


if __name__ == "__main__":
    sys.exit(main())
