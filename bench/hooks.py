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

STATE = "spdk:nvmf_subsystem_change_state"
STATES = "INACTIVE ACTIVATING ACTIVE PAUSING PAUSED RESUMING DEACTIVATING".split()
# Where a script prints, or stands on an instruction that is single-stepped. Elsewhere the trap is nearly all.
THREE_TIMES = ("messages_by_callback_endbr64", "states_as_events", "states_counted")


def _floor(b, exe, function, *options):
    return [b.path("floor"), "--object", b.path("floor.bpf.o"), "--path", exe, "--symbol", function, *options, "--"]


def _messages(b, program):
    """The question of SPDK's send_msg.bt."""
    exe = b.path(program)
    return (program, ["send"], f"uprobe:{exe}:{SEND} count by usym(arg1) as send_msg",
            f"uprobe:{exe}:{SEND} {{ @send_msg[usym(arg1)] = count(); }}", _floor(b, exe, SEND, "--entry-only"))


def _states(b, names, action):
    """That of nvmf.bt: a line for each change, with names; ours as events or as counts."""
    exe = b.path("messages")
    begin = " ".join(f'@s[{i}] = "{name}";' for i, name in enumerate(STATES))
    return ("messages", ["state"], f"usdt:{exe}:{STATE} {names}{action}",
            f"BEGIN {{ {begin} }} usdt:{exe}:{STATE} {{ printf(\"%d.%06d: %s change state from %s to %s start\\n\", "
            "elapsed / (uint64)1000000, elapsed % (uint64)1000000, str(arg1), @s[arg3], @s[arg2]); }", None)


def questions(b):
    """Name: program, its mode, our hook, bpftrace's script, an empty program or None."""
    exe = b.path("messages")
    called = ", ".join(STATES)
    return {
        "messages_by_callback": _messages(b, "messages"),
        "messages_by_callback_endbr64": _messages(b, "messages_cet"),
        "duration_of_calls": (
            "messages", ["send"], f"call:{exe}:{SEND} hist(duration)",
            f"uprobe:{exe}:{SEND} {{ @s[tid] = nsecs; }} "
            f"uretprobe:{exe}:{SEND} /@s[tid]/ {{ @ns = hist(nsecs - @s[tid]); delete(@s[tid]); }}",
            _floor(b, exe, SEND)),
        "states_as_events": _states(b, "str(arg1) requested=arg2 current=arg3", ""),
        "states_counted": _states(b, "", f"count by names(arg3, {called}), names(arg2, {called}) as state"),
        "readv_bytes": (
            "messages", ["readv"], "tracepoint:syscalls:sys_exit_readv if i64(arg.ret) > 0 hist(arg.ret)",
            "tracepoint:syscalls:sys_exit_readv /pid == __PID__/ { @bytes = hist(args->ret); }", None),
        "system_calls_by_name": (
            "messages", ["readv"], "tracepoint:syscalls:sys_enter_readv count by func as syscalls",
            "tracepoint:syscalls:sys_enter_readv /pid == __PID__/ { @syscall[probe] = count(); }", None)}


def _ns(cmd):
    """CPU time of a message, as the program says; None: it did not run."""
    p = subprocess.run(cmd, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(r"^ns ([0-9.]+)$", p.stdout, re.M)
    return float(found[1]) if found and not p.returncode else None


def _one(b, x, a, program, mode, hook, script, floor):
    work = [b.path(program), *mode, "300000"]
    events = [] if re.search(r" (count|hist)\b", hook) else ["-o", b.path("hooks.xtr")]
    cmds = {"plain": work, "xputrace": [x.bin, "hook", "-q", "--as-root", *events, "-e", hook, "--", *work]}
    if tools.version(["bpftrace", "--version"]):
        cmds["bpftrace"] = ["bpftrace", "-o", b.path("hooks.bt.out"), "-e",
                            script.replace("__PID__", "cpid"), "-c", " ".join(work)]
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
    for name, question in questions(b).items():
        item[name] = cost = _one(b, x, a, *question)
        if "bpftrace_ns" in cost and "xputrace_ns" in cost:
            cost["times_cheaper"] = round(cost["bpftrace_ns"] / cost["xputrace_ns"], 2)
        if name in THREE_TIMES:
            checks.append(report.check(f"hooks, {name}: times cheaper than bpftrace",
                                       cost.get("times_cheaper"), ">=", 3))
    return item, checks
