# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What --sched adds: to a context switch of threads that make no traced calls, of threads
between their calls and inside them, and to a traced call without a switch. Traced runs with
and without it alternate with untraced ones; ratios are medians of the ratios of each round."""
import json
import os
import statistics

import proc

ROUNDS = 7
KINDS = ("stranger", "between", "in_call", "call")


def _once(b, before):
    out = b.path("switches.json")
    if os.path.exists(out):
        os.unlink(out)
    proc.run(before + [b.path("switches"), out], 60, stdout=b.path("switches.stdout"),
             stderr=b.path("switches.err"))
    try:
        with open(out) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def measure(b, x, a):
    """{kind: {untraced, traced, sched: ns, ratio: sched to traced}}, medians over rounds."""
    trace = [b.xputrace, "run", "--as-root", "-q", "--no-file", "--no-summary"]
    for fn in ("meet", "leaf"):
        trace += ["--probe", f"call:{b.path('switches')}:{fn}"]
    cases = {"untraced": [], "traced": trace + ["--"], "sched": trace + ["--sched", "--"]}
    rounds = []
    for _ in range(ROUNDS):
        got = {name: _once(b, before) for name, before in cases.items()}
        if all(got.values()):
            rounds.append(got)
    if not rounds:
        return {"error": "no result"}, []
    item = {}
    for kind in KINDS:
        item[kind] = {name: statistics.median(r[name][kind] for r in rounds) for name in cases}
        item[kind]["ratio"] = statistics.median(r["sched"][kind] / r["traced"][kind] for r in rounds)
    return item, []
