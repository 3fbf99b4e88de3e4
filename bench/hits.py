# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What one hit of a USDT probe and of a uprobe at a function's begin costs (bench/hits): with
an empty program there (the floor), under xputrace and under bpftrace, that count or keep each
hit with two arguments. Every round runs all; the untraced time is subtracted, and ratios are
medians of the ratios of each round."""
import json
import os
import statistics
import subprocess

import proc

ROUNDS = 5
KINDS = ("usdt", "uprobe")
HITS = 50000


def _once(b, case, before):
    out = b.path("hits.json")
    if os.path.exists(out):
        os.unlink(out)
    work = [b.path("hits"), str(HITS), out]
    proc.run(before(work), 120, stdout=b.path(f"hits-{case}.stdout"), stderr=b.path(f"hits-{case}.err"))
    try:
        with open(out) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def _offset(b, x):
    """File offset of the USDT probe, by `list`."""
    p = subprocess.run([x.bin, "list", "--json", f"usdt:{b.path('hits')}:bench:hit"],
                       capture_output=True, text=True, stdin=subprocess.DEVNULL)
    try:
        return hex(json.loads(p.stdout)[0]["offset"])
    except (ValueError, LookupError, TypeError):
        return None


def _floor(b, site):
    where = [b.path("floor"), "--kind", "multi", "--entry-only", "--object", b.path("floor.bpf.o"),
             "--path", b.path("hits"), "--offset", site, "--symbol", "bench_call", "--"]
    return where if proc.run(where + ["true"], 60).ok else None


def _cases(b, x, site):
    """{case: work -> command}"""
    hits = b.path("hits")
    probes = ["--probe", f"usdt:{hits}:bench:hit", "--probe", f"uprobe:{hits}:bench_call"]
    cases = {"untraced": lambda w: w}
    floor = _floor(b, site)
    if floor:
        cases["floor"] = lambda w: floor + w
    else:
        b.skip("hits floor", "this kernel does not attach it")
    cases["events"] = lambda w: x.run(w, "--no-summary", *probes, out=b.path("hits.xtr"))
    cases["counters"] = lambda w: x.run(w, "--no-summary", "--counters", *probes)
    if any(name == "bpftrace" for name, _ in b.skipped):
        return cases
    for name, usdt, uprobe in (("bpftrace count", "@u = count();", "@f = count();"),
                               ("bpftrace print", 'printf("hit %d %p\\n", arg0, arg1);',
                                'printf("call %d %p\\n", arg0, arg1);')):
        script = b.path(name.replace(" ", "-") + ".bt")
        with open(script, "w") as f:
            f.write(f"usdt:{hits}:bench:hit {{ {usdt} }}\nuprobe:{hits}:bench_call {{ {uprobe} }}\n")
        cases[name] = lambda w, s=script: ["bpftrace", "-o", b.path("hits.bt.out"), "-c", " ".join(w), s]
    return cases


def measure(b, x, a):
    """{kind: {case: ns a hit above the untraced one}, "to_floor": {kind: {case: ratio}}}"""
    site = _offset(b, x)
    if not site:
        return {"error": "no USDT probe in bench/hits: systemtap-sdt-dev is missing"}, []
    cases, rounds = _cases(b, x, site), []
    for r in range(ROUNDS):
        names = list(cases)
        names = names[r % len(names):] + names[:r % len(names)]
        got = {name: _once(b, name, cases[name]) for name in names}
        rounds.append({name: v for name, v in got.items() if v})
    item = {}
    for kind in KINDS:
        item[kind], ratios = {}, {}
        for name in cases:
            whole = [r for r in rounds if name in r and "untraced" in r]
            if not whole:
                continue
            add = [r[name][kind] - (r["untraced"][kind] if name != "untraced" else 0) for r in whole]
            item[kind][name] = statistics.median(add)
            both = [r for r in whole if "floor" in r and name not in ("untraced", "floor")]
            if both:
                ratios[name] = statistics.median(
                    (r[name][kind] - r["untraced"][kind]) / (r["floor"][kind] - r["untraced"][kind]) for r in both)
        item[kind + "_to_floor"] = ratios
    return item, []
