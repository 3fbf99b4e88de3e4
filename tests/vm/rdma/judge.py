#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Were the faults found? judge.py NAME FAULTS.tsv DIR

DIR has what the guest left: truth.jsonl (what the programs saw), healthy.jsonl,
and reported.jsonl, the lines of `xputrace rdma watch --json`. Of each fault the
method, the function that made the error and the errno must be told. Every other
failure or event that was told is a false alarm. Ends with a line
`note NAME: N of M faults found, K false alarms`."""
import fnmatch
import json
import sys


def lines(path):
    try:
        with open(path, encoding="utf-8") as f:
            return [json.loads(line) for line in f if line.startswith("{")]
    except FileNotFoundError:
        return []


def any_of(patterns, text):
    return any(fnmatch.fnmatchcase(text, p) for p in patterns.split("|"))


def signed32(value):
    return (value & 0xffffffff) - ((value & 0x80000000) << 1)


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def below(calls, i):
    """Indices of the functions that number i called itself."""
    found = []
    for j in range(i + 1, len(calls)):
        if calls[j]["depth"] <= calls[i]["depth"]:
            break
        if calls[j]["depth"] == calls[i]["depth"] + 1:
            found.append(j)
    return found


def origin(calls):
    """The function that made the error: down from the system call, as long as a callee
    returned it, or said no, or returned a long whose low half it is."""
    if not calls:
        return ""
    at = 0
    while True:
        for j in reversed(below(calls, at)):
            c, ret = calls[j], number(calls[at]["ret"])
            if c.get("narrowed") or c.get("failed") and (
                    signed32(number(c["ret"])) == signed32(ret) or c["returns"] == "bool"):
                at = j
                break
        else:
            return calls[at]["function"]


class Fault:
    def __init__(self, row):
        self.name, self.program, self.way, self.method, self.function, self.errnos, self.cls = row

    def is_in(self, line):
        """Whether a line of the tool tells of this fault. The event lines have no process."""
        if self.way == "event":
            return line.get("type") == "rdma_event" and any_of(self.method, line["event"])
        return (line.get("type") == "rdma" and line["process"] == self.name
                and any_of(self.method, line["syscall"]) and any_of(self.errnos, line["error"]))

    def judge(self, told, counted):
        """None if it was found, else why not; and what was told."""
        if self.way == "expected":
            return (None if counted.get(self.method, 0) else "not counted as normal"), "normal"
        mine = [line for line in told if self.is_in(line)]
        if not mine:
            return "nothing was told", ""
        if self.way == "event":
            return None, " ".join(line["event"] for line in mine)
        made_by = origin(mine[-1]["calls"])
        what = f"{mine[-1]['syscall']} {mine[-1]['error']} {made_by}"
        if any(c.get("narrowed") for c in mine[-1]["calls"]) != (self.cls == "defect"):
            return "narrowing", what
        return (None if any_of(self.function, made_by) else "the function"), what


def read_faults(path):
    with open(path, encoding="utf-8") as f:
        return [Fault(line.rstrip("\n").split("\t")) for line in f if not line.startswith("#")]


def failed(line):
    return line.get("type") == "rdma_event" or line.get("type") == "rdma" and line["errno"]


def describe(line):
    if line["type"] == "rdma_event":
        return f"event {line['event']} of {line['device']}"
    return f"{line['process']}: {line['syscall']} {line['error']} {origin(line['calls'])}"


def main():
    test, table, folder = sys.argv[1:4]
    truth = {t["fault"]: t for t in lines(f"{folder}/truth.jsonl")}
    told = lines(f"{folder}/reported.jsonl")
    summary = next((line for line in told if line.get("type") == "rdma_summary"), {})
    counted = {m["method"]: m.get("expected", 0) for m in summary.get("methods", [])}
    told = [line for line in told if failed(line)]
    faults = [f for f in read_faults(table) if f.name in truth]
    found = 0
    for f in faults:
        saw = truth[f.name]["error"]
        why, what = f.judge(told, counted)
        if not any_of(f.errnos, saw):
            why = f"the program saw {saw or 'no error'}"
        found += not why
        print(f"note {f.name:15} {saw:12} {what:45} {'found' if not why else 'NOT FOUND: ' + why}")
        print(f"ok {test}_{f.name}" if not why else f"not ok {test}_{f.name}: {why}: {what}")
    alarms = [line for line in told if not any(f.is_in(line) for f in faults)]
    for line in alarms:
        print(f"note false alarm: {describe(line)}")
    print(f"{'not ' if alarms else ''}ok {test}_false_alarms{': ' + str(len(alarms)) if alarms else ''}")
    missing = [f.name for f in read_faults(table) if f.name not in truth]
    print(f"{'not ' if missing else ''}ok {test}_faults_made{': without ' + ' '.join(missing) if missing else ''}")
    print(f"note {test}: {found} of {len(faults)} faults found, {len(alarms)} false alarms")
    return bool(alarms or missing or found < len(faults))


sys.exit(main())
