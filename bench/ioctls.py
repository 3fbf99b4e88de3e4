# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What --layers ioctl adds to a system call that concerns nobody, to an ioctl on a
device that is not watched, and to one that is; bpftrace beside it, asked for the same:
a histogram of durations by result. And what it adds to polls of one and of eight
descriptors that are not watched and to an mmap of memory, which bpftrace is not asked for."""
import json
import os
import statistics

import proc
import report

ROUNDS = 5
# At most so many times what bpftrace adds. A getppid pays the kernel for both, to the
# instruction (make bench-vm), so what differs there is the clock's doing.
ASKED = {"getppid": 1.25, "unwatched": 1, "watched": 1}
BPFTRACE = """tracepoint:syscalls:sys_enter_ioctl { @start[tid] = nsecs; }
tracepoint:syscalls:sys_exit_ioctl /@start[tid]/ {
	@ns[args->ret] = hist(nsecs - @start[tid]); delete(@start[tid]);
}
"""


def _once(b, before):
    out = b.path("syscalls.json")
    if os.path.exists(out):
        os.unlink(out)
    work = [b.path("syscalls"), out]
    cmd = before + (work if before[:1] != ["bpftrace"] else ["-c", " ".join(work)])
    proc.run(cmd, 60, stdout=b.path("syscalls.stdout"), stderr=b.path("syscalls.err"))
    try:
        with open(out) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def measure(b, x, a):
    """{case: {call: added ns}}: medians over rounds of what is above the untraced run."""
    script = b.path("ioctl.bt")
    with open(script, "w") as f:
        f.write(BPFTRACE)
    trace = [b.xputrace, "run", "--as-root", "-q", "--no-file", "--no-summary", "--layers",
             "ioctl", "--device", "/dev/random"]
    cases = {"untraced": [], "xputrace": trace + ["--"],
             "xputrace counters": trace + ["--counters", "--"],
             "xputrace raw": trace + ["--ioctl-attach", "raw", "--"]}
    if not any(n == "bpftrace" for n, _ in b.skipped):
        cases["bpftrace"] = ["bpftrace", "-o", b.path("ioctl.out"), script]
    got = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, before in cases.items():
            ns = _once(b, before)
            if ns:
                got[name].append(ns)
    item = {name: {call: statistics.median(r[call] for r in runs)
                   for call in (*ASKED, "poll", "poll8", "mmap")}
            for name, runs in got.items() if runs}
    base = item.get("untraced")
    if not base or "xputrace" not in item:
        return {"error": "no result"}, []
    for name, ns in item.items():
        if name != "untraced":
            item[name] = {call: v - base[call] for call, v in ns.items()}
    checks = []
    if "bpftrace" in item:
        checks = [report.check(f"{call}: added by ioctl tracing, ns", item["xputrace"][call], "<=",
                               item["bpftrace"][call] * most) for call, most in ASKED.items()]
    return item, checks
