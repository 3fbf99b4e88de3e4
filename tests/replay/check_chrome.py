#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Is FILE a sound Chrome trace? Prints what is wrong, else counts as `KEY N` lines.
Slices of a thread must nest exactly, in decimal and as doubles; arrows must begin and
end inside of slices; counters must not run backwards; every thread must have a name."""
import json
import sys
from collections import Counter, defaultdict
from decimal import Decimal

KEYS = {"X": {"name", "cat", "ts", "dur", "pid", "tid", "args"}, "B": {"name", "cat", "ts", "pid", "tid", "args"},
        "M": {"name", "pid", "tid", "args"}, "C": {"name", "ts", "pid", "tid", "args"},
        "i": {"name", "cat", "ts", "pid", "tid", "s"}, "s": {"name", "cat", "id", "ts", "pid", "tid"},
        "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"}}


def die(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def nests(slices, where):
    """(start, end) of one thread; parents first."""
    slices.sort(key=lambda s: (s[0], -s[1]))
    stack = []
    for start, end in slices:
        while stack and stack[-1] <= start:
            stack.pop()
        if stack and end > stack[-1]:
            die(f"slices overlap on {where} at {start}")
        stack.append(end)


with open(sys.argv[1], encoding="utf-8") as f:
    trace = json.load(f, parse_float=Decimal, parse_constant=lambda c: die(f"{c} is no JSON"))
slices, named, last, arrows, count = defaultdict(list), set(), {}, {}, Counter()
opened = defaultdict(list)
for ev in trace["traceEvents"]:
    ph = ev["ph"]
    if ph not in KEYS or KEYS[ph] - ev.keys() or (ev.keys() - KEYS[ph]) - {"ph", "cname"}:
        die(f"keys of {ev}")
    at = (ev["pid"], ev["tid"])
    count[ph] += 1
    if ph == "M" and ev["name"] == "thread_name":
        named.add(at)
    elif ph == "X":
        slices[at].append((ev["ts"], ev["ts"] + ev["dur"]))
        count["error"] += "error" in ev["cat"].split(",")
        count["overlap"] += "overlap" in ev["args"]
    elif ph == "B":
        opened[at].append((ev["ts"], Decimal("Infinity")))
    elif ph == "C":
        track = (ev["pid"], ev["name"])
        if ev["ts"] < last.get(track, Decimal("-Infinity")):
            die(f"counter runs backwards: {ev}")
        last[track] = ev["ts"]
    elif ph in "sf":
        arrows.setdefault(ev["id"], []).append(ev)
    elif ph == "i":
        count[f"mark_{ev['cat']}"] += 1
for at, thread in slices.items():
    if at not in named:
        die(f"thread {at} has no name")
    nests(thread + opened[at], at)
    nests([(float(s), float(e)) for s, e in thread], f"{at}, as doubles,")
for ident, ends in arrows.items():
    if [e["ph"] for e in ends] != ["s", "f"] or ends[0]["ts"] > ends[1]["ts"]:
        die(f"arrow {ident}")
    for e in ends:
        if not any(s <= e["ts"] <= t for s, t in slices[(e["pid"], e["tid"])]):
            die(f"arrow {ident} hangs in the air")
for key in sorted(count):
    print(key, count[key])
