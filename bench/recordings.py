# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How fast recordings are read: reports and conversions of 10 million calls,
and the same question put to xputrace, to jq and to Python about a million.

The recordings repeat one in the source tree, so the calls are real ones. Times
are CPU times, which also hold on a busy machine.
"""
import json
import os
import resource
import shutil
import subprocess
import sys

import report

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "../tests/replay/packed.xtr")
MANY, FEW, MADE = 10000000, 1000000, 40000

# Calls and time of each function, read as a stream, the way people write it.
JQ = ("reduce (inputs | select(.duration_us)) as $o ({}; .[$o.name].calls += 1 | "
      ".[$o.name].us += $o.duration_us)")
PYTHON = """
import json, sys
calls, us = {}, {}
with open(sys.argv[1]) as f:
    for line in f:
        o = json.loads(line)
        if o.get("duration_us") is not None:
            calls[o["name"]] = calls.get(o["name"], 0) + 1
            us[o["name"]] = us.get(o["name"], 0) + o["duration_us"]
print(json.dumps({n: {"calls": calls[n], "us": us[n]} for n in calls}))
"""


def _run(cmd):
    """(CPU seconds of cmd, peak bytes of its memory, what it printed), or None."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    out = p.stdout.read()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = status
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status:
        return None
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return cpu, used.ru_maxrss * 1024, out


def _best(cmd, rounds=3):
    runs = [r for r in (_run(cmd) for _ in range(rounds)) if r]
    return min(runs, key=lambda r: r[0]) if runs else None


def _make(b, calls):
    path = b.path(f"repeat{calls}.xtr")
    r = _run([b.path("repeat"), SOURCE, path, str(calls)])
    return (path, int(r[2])) if r else (None, 0)


def _sizes(b, x):
    """What pictures of a training loop take: of a Perfetto trace a promise, and beside Chrome's."""
    path, size = b.path("sizes.xtr"), {}
    _run([sys.executable, os.path.join(HERE, "../tests/replay/make_xtr.py"), "training", path,
          str(MADE)])
    for kind in ("pftrace", "json"):
        out = b.path("sizes." + kind)
        if _run([x.bin, "convert", path, "-o", out]):
            size[kind] = os.path.getsize(out)
            os.unlink(out)
    if len(size) < 2:
        return {"error": "cannot make a recording"}, []
    os.unlink(path)
    item = {"calls": MADE, "pftrace_bytes_per_call": size["pftrace"] / MADE,
            "chrome_bytes_per_call": size["json"] / MADE}
    return item, [
        report.check("a Perfetto trace, bytes a call", item["pftrace_bytes_per_call"], "<=", 45),
        report.check("a Chrome trace, times the Perfetto trace", size["json"] / size["pftrace"],
                     ">=", 2.5)]


def _rates(b, x):
    """Calls per second and peak memory of each way to read the long recording."""
    path, calls = _make(b, MANY)
    if not path:
        return {"error": "cannot make a recording"}, []
    item = {"calls": calls, "bytes_per_call": round(os.path.getsize(path) / calls, 1)}
    worst = 0
    out = {name: b.path("reading." + name) for name in ("jsonl", "csv", "json", "pftrace",
                                                          "xtr", "folded", "svg")}
    ways = {"report": ["report", path], "report_json": ["report", "--json", path]}
    ways.update({f"convert_{n}": ["convert", path, "-o", p] for n, p in out.items()})
    checks = []
    for name, args in ways.items():
        r = _run([x.bin, *args])
        rate = calls / r[0] if r else None
        item[name + "_per_cpu_second"] = rate
        worst = max(worst, r[1] if r else 0)
        checks.append(report.check(f"{name.replace('_', ' ')}, calls per CPU second", rate, ">=",
                                   1e6))
        for n, p in out.items():
            if os.path.exists(p):
                item[n + "_bytes_per_call"] = round(os.path.getsize(p) / calls, 1)
                os.unlink(p)
    os.unlink(path)
    item["peak_rss_mib"] = worst / 2 ** 20
    checks.append(report.check("reading 10 million calls: peak RSS, MiB", item["peak_rss_mib"],
                               "<=", 256))
    return item, checks


def _answer_of_xputrace(text):
    return {f["function"]: f["calls"] for f in json.loads(text)["functions"]}


def _answer_of_lines(text):
    return {n: v["calls"] for n, v in json.loads(text).items()}


def _versus(b, x):
    """CPU seconds for one question about a million calls, by each tool."""
    path, calls = _make(b, FEW)
    lines = b.path("versus.jsonl")
    if not path or not _run([x.bin, "convert", path, "-o", lines]):
        return {"error": "cannot make a recording"}, []
    ours = _best([x.bin, "report", "--json", "--section", "functions", path])
    whole = _best([x.bin, "report", "--json", path])
    want = _answer_of_xputrace(ours[2]) if ours else None
    item = {"calls": calls, "xputrace_s": ours[0] if ours else None,
            "xputrace_whole_report_s": whole[0] if whole else None}
    peers = {"python": [sys.executable, "-c", PYTHON, lines]}
    if shutil.which("jq"):
        peers["jq"] = ["jq", "-n", JQ, lines]
    else:
        b.skip("jq over JSON lines", "not installed")
    ratios = []
    for name, cmd in peers.items():
        r = _best(cmd, 1)
        if r and ours and _answer_of_lines(r[2]) == want:
            item[name + "_s"] = r[0]
            item["times_faster_than_" + name] = r[0] / ours[0]
            ratios.append(r[0] / ours[0])
        else:
            item[name + "_s"] = f"no answer, or another one than {want}"
            ratios.append(None)
    os.unlink(path)
    os.unlink(lines)
    worst = None if None in ratios else min(ratios)
    return item, [report.check("calls and time per function of a million calls, times faster than "
                               "jq and Python over JSON lines", worst, ">=", 20)]


def reading(b, x, a):
    rates, checks = _rates(b, x)
    versus, more = _versus(b, x)
    sizes, most = _sizes(b, x)
    return {"rates": rates, "versus": versus, "sizes": sizes}, checks + more + most
