# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the bench found, as tables for people and as one JSON file."""
import json
import os
import platform
import statistics


def machine():
    """What a reader needs to know to compare numbers with his own."""
    model = "unknown"
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    model = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    flags = ""
    try:
        with open("/proc/cpuinfo") as f:
            flags = next((x for x in f if x.startswith("flags")), "")
    except OSError:
        pass
    return {"kernel": platform.release(), "cpu": model, "cpus": os.cpu_count(),
            "virtual": " hypervisor" in flags, "load": round(os.getloadavg()[0], 2)}


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def ratio(rounds, case, other, base):
    """Median over the rounds, {case: ns} each, of (case - base) / (other - base), or None."""
    out = []
    for r in rounds:
        if all(n in r for n in (case, other, base)) and r[other] > r[base]:
            out.append((r[case] - r[base]) / (r[other] - r[base]))
    return median(out)


def rows(cases, rounds, cpu, base, floor, peers):
    """One row per case; rounds and cpu are lists of {case name: ns per call}."""
    table = []
    for c in cases:
        ns = median([r.get(c.name) for r in rounds])
        if ns is None:
            continue
        row = {"case": c.name, "what": c.what, "group": c.group, "ns": round(ns, 1),
               "cpu_ns": round(median([r.get(c.name) for r in cpu]), 1),
               "rounds_ns": [round(r[c.name], 1) for r in rounds if c.name in r]}
        if c.name != base:
            row["overhead_ns"] = round(row["cpu_ns"] - median([r.get(base) for r in cpu]), 1)
            for key, other in (("to_floor", floor), *peers):
                v = ratio(cpu, c.name, other, base) if other else None
                row[key] = round(v, 3) if v is not None else None
        table.append(row)
    return table


def _cell(v, form="{:,.0f}"):
    return "-" if v is None else form.format(v)


def print_table(table, lost, peers):
    """peers: (key, title) of the columns that follow the floor's."""
    head = ["case", "ns/call", "CPU ns", "overhead", "x floor"] + [t for _, t in peers] + ["events lost"]
    out = [head]
    for r in table:
        small = "{:,.1f}" if r["ns"] < 100 else "{:,.0f}"
        out.append([r["case"], _cell(r["ns"], small), _cell(r["cpu_ns"], small),
                    _cell(r.get("overhead_ns")),
                    _cell(r.get("to_floor"), "{:.2f}")] +
                   [_cell(r.get(k), "{:.2f}") for k, _ in peers] +
                   [_cell(lost.get(r["case"]))])
    width = [max(len(r[i]) for r in out) for i in range(len(head))]
    for r in out:
        print("  " + r[0].ljust(width[0]) + "".join(
            "  " + c.rjust(w) for c, w in zip(r[1:], width[1:])))


def print_checks(checks):
    for c in checks:
        value = "-" if c["value"] is None else f"{c['value']:,.3g}"
        mark = {True: "ok", False: "MISSED", None: "not measured"}[c["ok"]]
        print(f"  {mark:<13}{c['name']}: {value} (wanted {c['sense']} {c['limit']:g})")


def check(name, value, sense, limit):
    """One number that the project promises; sense is '<=' or '>='."""
    ok = None
    if value is not None:
        ok = value <= limit if sense == "<=" else value >= limit
    return {"name": name, "value": value, "sense": sense, "limit": limit, "ok": ok}


def write(path, data):
    tmp = path + ".tmp"
    with open(tmp, "w") as f:
        json.dump(data, f, indent=1)
        f.write("\n")
    os.replace(tmp, path)
