# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a hook costs per hit, beside bpftrace with a script that asks the same and an
empty program at the same place. Rounds take turns, so all see the same machine.
"""
import os
import re
import subprocess

import report
import tools

SEND = "spdk_thread_send_msg"


def questions(b):
    exe = b.path("messages")
    floor = [b.path("floor"), "--object", b.path("floor.bpf.o"), "--path", exe, "--symbol", SEND]
    return {
        "messages_by_callback": (
            ["send"], f"uprobe:{exe}:{SEND} count by usym(arg1) as send_msg",
            f"uprobe:{exe}:{SEND} {{ @send_msg[usym(arg1)] = count(); }}", [*floor, "--entry-only", "--"]),
        "duration_of_calls": (
            ["send"], f"call:{exe}:{SEND} hist(duration)",
            f"uprobe:{exe}:{SEND} {{ @s[tid] = nsecs; }} "
            f"uretprobe:{exe}:{SEND} /@s[tid]/ {{ @ns = hist(nsecs - @s[tid]); delete(@s[tid]); }}",
            [*floor, "--"]),
        "readv_bytes": (
            ["readv"], "tracepoint:syscalls:sys_exit_readv if i64(arg.ret) > 0 hist(arg.ret)",
            "tracepoint:syscalls:sys_exit_readv /args->ret > 0/ { @bytes = hist(args->ret); }", None)}


def _ns(cmd):
    """CPU time of a message, as the program says; None: it did not run."""
    p = subprocess.run(cmd, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(r"^ns ([0-9.]+)$", p.stdout, re.M)
    return float(found[1]) if found and not p.returncode else None


def _one(b, x, a, mode, hook, script, floor):
    work = [b.path("messages"), *mode, "300000"]
    cmds = {"plain": work, "xputrace": [x.bin, "hook", "-q", "--as-root", "-e", hook, "--", *work]}
    if tools.version(["bpftrace", "--version"]):
        cmds["bpftrace"] = ["bpftrace", "-e", script, "-c", " ".join(work)]
    if floor and os.path.exists(b.path("floor")):
        cmds["floor"] = [*floor, *work]
    seen = {name: [] for name in cmds}
    for _ in range(a.rounds):
        for name, cmd in cmds.items():
            seen[name].append(_ns(cmd))
    mid = {name: report.median([v for v in times if v]) for name, times in seen.items() if any(times)}
    return {f"{name}_ns": round(v - mid["plain"], 1) for name, v in mid.items() if name != "plain"}


def measure(b, x, a):
    item, checks = {}, []
    for name, (mode, hook, script, floor) in questions(b).items():
        item[name] = cost = _one(b, x, a, mode, hook, script, floor)
        if "bpftrace_ns" in cost and "xputrace_ns" in cost:
            cost["times_cheaper"] = round(cost["bpftrace_ns"] / cost["xputrace_ns"], 2)
    return item, checks
