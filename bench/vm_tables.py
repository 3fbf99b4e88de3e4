#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What bench/vm_guest.sh left for each kernel, as tables for docs/kernel.md.
    vm_tables.py DIR KERNEL...
Numbers are instructions a call more than without a probe, but for the row (none)."""
import json
import os
import sys

PROBE_RATIOS = (("fexit", "kprobe"), ("fexit", "kretprobe"),
                ("fentry+fexit", "kprobe+kretprobe"), ("fsession.multi", "fentry+fexit"))
TOOL_RATIOS = (("fentry", "kprobe"), ("fsession-multi", "fentry"),
               ("kprobe,counters", "bpftrace,kprobe"), ("fentry,counters", "bpftrace,kfunc"))
CALLS = ("getppid", "unwatched", "watched")


def lines(path):
    """(name, rest) of each line."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split(" ", 1) for line in f if " " in line]


def number(text):
    try:
        return float(text.split()[0])
    except ValueError:
        return None     # "- REASON"


def table(rows, columns, title):
    """rows: {name: {column: number or None}}, in the order of first appearance."""
    print(f"| {title} | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name, row in rows.items():
        cells = ["-" if row.get(c) is None else f"{row[c]:,.2f}" if " to " in name else
                 f"{row[c]:,.0f}" for c in columns]
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    print()


def ratios(rows, pairs, columns):
    for a, b in pairs:
        if a in rows and b in rows:
            rows[f"{a} to {b}"] = {c: rows[a][c] / rows[b][c] for c in columns
                                   if rows[a].get(c) and rows[b].get(c)}


def read(base, kernels, name, above_none):
    rows = {}
    for k in kernels:
        none = None
        for row, rest in lines(os.path.join(base, k, name)):
            v = number(rest)
            if row == "(none)":
                none = v
            elif above_none and v is not None:
                v -= none
            rows.setdefault(row, {})[k] = v
    return rows


def calls(base, kernel):
    rows = {row: json.loads(rest) for row, rest in lines(os.path.join(base, kernel, "calls"))}
    none = rows.get("(none)")
    return {row: v if row == "(none)" else {c: v[c] - none[c] for c in CALLS}
            for row, v in rows.items()}


def main():
    base, kernels = sys.argv[1], sys.argv[2:]
    probes = read(base, kernels, "probes", False)
    ratios(probes, PROBE_RATIOS, kernels)
    table(probes, kernels, "way")
    tools = read(base, kernels, "functions", True)
    ratios(tools, TOOL_RATIOS, kernels)
    if tools:
        table(tools, kernels, "tool")
    for k in kernels:
        if calls(base, k):
            table(calls(base, k), CALLS, k)
    for k in kernels:
        why = os.path.join(base, k, "stderr")
        if os.path.exists(why):
            with open(why, errors="replace", encoding="utf-8") as f:
                print(f"{k}:\n{f.read()}", file=sys.stderr)


main()
