#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Were the faults found? judge.py NAME FAULTS.tsv DIR

DIR has truth.jsonl (what the programs saw), reported.jsonl (what `rdma watch --json`
told) and verdicts.jsonl (`rdma diff --json` of what it recorded). Of each fault the
method and errno must be told, the function that made the error, and the class.
A divergence from good calls must lie on the way of the error. Everything else that was
told is a false alarm. Ends with a line
`note NAME: N of M faults found, K false alarms, L divergences that mislead`."""
import fnmatch
import json
import sys


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.startswith("{")]


def any_of(patterns, text):
    return any(fnmatch.fnmatchcase(text, p) for p in patterns.split("|"))


def refusal(f):
    return f"{f['command']} {f['status']} {f['syndrome']:#x} {f['source']}"


def bare(function):
    """Without the compiler's suffixes, as the comparison with good calls has it."""
    return function.split(".", 1)[0]


def misled(verdict):
    """What is wrong with the divergence of a verdict, or None. One from good calls of another
    kind is a hint, and says so."""
    d = verdict.get("divergence", {})
    if d.get("parted") not in ("call", "result") or d["other_shape"] or d["other_kernel"]:
        return None
    at = bare(d["path"][-1])
    if at not in [bare(step["function"]) for step in verdict["chain"]]:
        return f"{at} ({d['bad']}; good: {d['good'] or 'not called there'}) handed no error on"
    if d["parted"] == "call" and at in map(bare, d["not_reached"]):
        return f"{at} is said to have been called, and not to have been reached"
    return None


class Fault:
    def __init__(self, row):
        self.name, self.program, self.way, self.method, self.function, self.errnos, self.cls = row[:7]
        self.firmware = row[7] if len(row) > 7 else ""

    def is_in(self, line):
        """Whether a line of the tool tells of this fault. Events belong to no process."""
        if self.way == "event":
            return line["type"] == "rdma_event" and any_of(self.method, line["event"])
        if self.way == "command":
            return line["type"] == "rdma_command" and any_of(self.method, line["command"])
        return (line["type"] in ("rdma", "rdma_verdict") and line["process"] == self.name
                and any_of(self.method, line["syscall"]) and any_of(self.errnos, line["error"]))

    def judge(self, told, verdicts, counted):
        """Why it was not found, or None; and what was told."""
        if self.way == "expected":
            return None if counted.get(self.method, 0) else "not counted as normal", "normal"
        mine = [line for line in told if self.is_in(line)]
        if not mine:
            return "nothing was told", ""
        if self.way == "event":
            return None, " ".join(line["event"] for line in mine)
        if self.way == "command":
            who = mine[0]["process"] or "-"
            wrong = len(mine) > 1 or who != self.function or refusal(mine[0]) != self.firmware
            return "told otherwise" if wrong else None, f"{who}: {refusal(mine[0])}, {len(mine)} times"
        verdict = next((v for v in verdicts if self.is_in(v)), None)
        if not verdict:
            return "no verdict", f"{mine[0]['syscall']} {mine[0]['error']}"
        firmware = refusal(verdict["firmware"]) if "firmware" in verdict else ""
        what = f"{verdict['syscall']} {verdict['error']} {verdict['origin']}, {verdict['class']}"
        what += f", {firmware}" if firmware else ""
        if firmware != self.firmware:
            return "another refusal of the firmware", what
        if not any_of(self.function, verdict["origin"]):
            return "another function", what
        wrong = misled(verdict)
        if wrong:
            return f"a divergence that misleads: {wrong}", what
        return None if any_of(self.cls, verdict["class"]) else "another class", what


def read_faults(path):
    with open(path, encoding="utf-8") as f:
        return [Fault(line.rstrip("\n").split("\t")) for line in f if not line.startswith("#")]


def describe(line):
    if line["type"] == "rdma_event":
        return f"event {line['event']} of {line['device']}"
    if line["type"] == "rdma_command":
        return f"refused {line['command']}"
    return f"{line['process']}: {line['syscall']} {line['error'] or 'slow'}"


def expect(name, problem):
    print(f"not ok {name}: {problem}" if problem else f"ok {name}")


def main():
    test, table, folder = sys.argv[1:4]
    truth = {t["fault"]: t for t in lines(f"{folder}/truth.jsonl")}
    told, verdicts = lines(f"{folder}/reported.jsonl"), lines(f"{folder}/verdicts.jsonl")
    counted = {m["method"]: m["expected"] for line in told if line["type"] == "rdma_summary"
               for m in line["methods"]}
    told = [line for line in told if line["type"] in ("rdma_event", "rdma_command") or line.get("errno")]
    faults, found = read_faults(table), 0
    for f in faults:
        saw = truth[f.name]["error"] if f.name in truth else "nothing"
        why, what = f.judge(told, verdicts, counted)
        if not any_of(f.errnos, saw):
            why = f"the program saw {saw or 'no error'}"
        found += not why
        print(f"note {f.name:15} {saw:11} {what}{', NOT FOUND: ' + why if why else ''}")
        expect(f"{test}_{f.name}", f"{why}: {what}" if why else "")
    alarms = [describe(line) for line in told if not any(f.is_in(line) for f in faults)]
    for alarm in alarms:
        print(f"note false alarm: {alarm}")
    expect(f"{test}_false_alarms", str(len(alarms)) if alarms else "")
    told_ms = [t["told_ms"] for t in truth.values() if t.get("told_ms", -1) >= 0]
    if told_ms:
        print(f"note from fault to verdict: at most {max(told_ms)} ms there, {sum(told_ms) // len(told_ms)} on average")
    wrong = [f"{v['process']} {v['syscall']}: {misled(v)}" for v in verdicts
             if v["type"] == "rdma_verdict" and misled(v)]
    for line in wrong:
        print(f"note misleading divergence: {line}")
    expect(f"{test}_divergences", str(len(wrong)) if wrong else "")
    print(f"note {test}: {found} of {len(faults)} faults found, {len(alarms)} false alarms, "
          f"{len(wrong)} divergences that mislead")
    return bool(alarms or wrong or found < len(faults))


if __name__ == "__main__":
    sys.exit(main())
