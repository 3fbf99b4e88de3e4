#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""make bench: what one traced call costs, and what xputrace promises besides.

One workload, bench/loop, calls one function of one library. It runs alone,
with an empty program at the same place (the floor), under xputrace and under
the peers that are installed; every round runs all of them, each round begins
with another one, and medians over the rounds are shown. Then follow single
items: exact counters after forced losses, a paced run without loss, memory,
start-up, attach and detach. Everything goes to build/bench.json as well.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time

import items
import proc
import report
import tools
import xpt

FAST_NS = 4000      # per call, of a case that is cheap to repeat
HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = (("to_bpftrace_print", "bpftrace print"), ("to_bpftrace_count", "bpftrace count"),
         ("to_bcc_print", "bcc print"), ("to_bcc_count", "bcc count"))
TITLES = (("to_bpftrace_print", "x bt print"), ("to_bpftrace_count", "x bt count"),
          ("to_bcc_print", "x bcc print"), ("to_bcc_count", "x bcc count"))


def arguments():
    env = os.environ.get
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--build", default="build")
    p.add_argument("--xputrace", default="build/xputrace")
    p.add_argument("--lib", default=env("BENCH_LIB"),
                   help="library to call (default: the real libcuda, else the simulated one)")
    p.add_argument("--function", default=env("BENCH_FUNCTION", "cuMemAlloc_v2"))
    p.add_argument("--rounds", type=int, default=int(env("BENCH_ROUNDS", "5")))
    p.add_argument("--calls", type=int, default=int(env("BENCH_CALLS", "100000")))
    p.add_argument("--seconds", type=int, default=int(env("BENCH_SECONDS", "10")),
                   help="length of the paced runs")
    p.add_argument("--only", default=env("BENCH_ONLY", ""),
                   help="only cases and items whose name contains one of these, by commas")
    p.add_argument("--no-peers", action="store_true", default=env("BENCH_NO_PEERS") == "1",
                   help="without bpftrace and BCC")
    p.add_argument("--check", action="store_true", default=env("BENCH_CHECK") == "1",
                   help="exit 1 when a promised number is missed")
    return p.parse_args()


def find_lib(a):
    """The library under test and what it is."""
    if a.lib:
        return os.path.abspath(a.lib), "given"
    real = subprocess.run([os.path.join(HERE, "../tests/real/fetch-libcuda"),
                           os.environ.get("XPT_REAL_CACHE") or os.path.join(a.build, "real")],
                          capture_output=True, text=True)
    if real.returncode == 0:
        return real.stdout.strip(), "real libcuda"
    print("  " + real.stderr.strip())
    return os.path.abspath(os.path.join(a.build, "fake/libcuda.so.1")), "simulated driver"


def all_cases(b, x, a):
    untraced = tools.Case("untraced", "no tracer", lambda w, p: w, group="base")
    cases = [untraced, *tools.floors(b), *x.cases()]
    if a.no_peers:
        b.skip("bpftrace", "not wanted")
        b.skip("bcc", "not wanted")
    else:
        cases += [*tools.bpftraces(b), *tools.bccs(b)]
    wanted = a.only.split(",")
    return [c for c in cases if c.group == "base" or any(w in c.name for w in wanted)]


def run_case(b, case, calls, number):
    """What the workload printed, or None; and the events that were lost, or None."""
    path = b.path(f"case{number}")
    out = path + ".json"
    for old in (out, path + ".out", path + ".xtr"):
        if os.path.exists(old):
            os.unlink(old)
    fin = proc.run(case.wrap(b.workload(calls, out), path), 300, stderr=path + ".err",
                   env=b.env, stdout=path + ".stdout")
    try:
        with open(out) as f:
            data = json.load(f)
    except (OSError, ValueError):
        why = f"exit status {fin.status}, see {path}.err"
        print(f"  {case.name}: no result ({why})")
        return None, None
    lost = None
    if case.events:
        seen = case.events(path)
        lost = calls - seen if seen is not None else None
    return data, lost


def calls_for(case, rounds, a):
    """Cheap cases get more calls, so that a run of them takes long enough too."""
    cheap = any(r.get(case.name, FAST_NS) < FAST_NS for r in rounds)
    return a.calls * 5 if cheap else a.calls


def run_rounds(b, cases, a):
    """Two lists with {case: ns} and {case: ns of CPU} for each round, {case: most events lost}."""
    rounds, cpu, lost = [], [], {}
    for r in range(a.rounds):
        print(f"  round {r + 1} of {a.rounds}", flush=True)
        rounds.append({})
        cpu.append({})
        for i in range(len(cases)):
            k = (i + r * max(1, len(cases) // a.rounds)) % len(cases)
            data, gone = run_case(b, cases[k], calls_for(cases[k], rounds, a), k)
            if data:
                rounds[-1][cases[k].name] = data["ns"]
                cpu[-1][cases[k].name] = data["cpu_ns"]
            if gone is not None:
                lost[cases[k].name] = max(lost.get(cases[k].name, 0), gone)
    return rounds, cpu, lost


def cost_checks(table, x, cpu):
    """The promised ratios, as far as they were measured."""
    ev, cnt = "xputrace events", "xputrace counters"
    row = {r["case"]: r for r in table}
    floor = x.floor_name()

    def inverse(case, other):
        v = report.ratio(cpu, case, other, "untraced")
        return 1 / v if v else None
    return [
        report.check("events, times the floor of the same attach kind",
                     row.get(ev, {}).get("to_floor") if floor else None, "<=", 1.25),
        report.check("events, times cheaper than bpftrace printing each call",
                     inverse(ev, "bpftrace print"), ">=", 8),
        report.check("counters, times cheaper than bpftrace counting",
                     inverse(cnt, "bpftrace count"), ">=", 6),
        report.check("events with all functions attached, times with one",
                     report.ratio(cpu, ev, "xputrace events, 1 function", "untraced"),
                     "<=", 1.1),
        report.check(f"events beside {xpt.CROWD} traced processes, times alone",
                     report.ratio(cpu, f"xputrace events, {xpt.CROWD} processes", ev, "untraced"),
                     "<=", 1.1),
    ]


def prepare(a):
    """Paths, library, xputrace; the folder for what the runs write."""
    lib, kind = find_lib(a)
    b = tools.Bench(a.build, os.path.abspath(a.xputrace), lib, a.function)
    b.env = {"LD_LIBRARY_PATH": os.path.dirname(lib)}
    headers = subprocess.run([os.path.join(HERE, "kernel-headers"), b.path("headers")],
                             capture_output=True, text=True)
    if headers.returncode == 0 and headers.stdout.strip():
        b.env.setdefault("BCC_KERNEL_SOURCE",
                         os.environ.get("BCC_KERNEL_SOURCE", headers.stdout.strip()))
    os.environ.update(b.env)
    print(f"target: {a.function} of {b.lib} ({kind})")
    return b, kind


def bench(a):
    t0 = time.monotonic()
    where = report.machine()
    print(f"machine: Linux {where['kernel']}, {where['cpus']} x {where['cpu']}"
          f"{' (virtual)' if where['virtual'] else ''}, load {where['load']}")
    b, kind = prepare(a)
    x = xpt.Xputrace(b)
    cases = all_cases(b, x, a)
    rounds, cpu, lost = run_rounds(b, cases, a)
    peers = [(k, n if any(c.name == n for c in cases) else None) for k, n in PEERS]
    table = report.rows(cases, rounds, cpu, "untraced", x.floor_name(), peers)
    titles = [t for t, (_, n) in zip(TITLES, peers) if n]
    print(f"\ncost per call, medians of {a.rounds} rounds of {a.calls:,} calls "
          f"(floor: {x.floor_name() or 'none'})")
    report.print_table(table, lost, titles)
    found = items.run(b, x, a)
    checks = cost_checks(table, x, cpu) + found["checks"]
    print("\npromised numbers")
    report.print_checks(checks)
    path = os.path.join(a.build, "bench.json")
    report.write(path, {
        "machine": where, "library": b.lib, "library_kind": kind, "function": a.function,
        "xputrace": x.version, "site": x.site_text, "rounds": a.rounds, "calls": a.calls,
        "seconds": round(time.monotonic() - t0, 1), "floor": x.floor_name(), "cases": table,
        "events_lost": lost, "items": found["items"], "checks": checks,
        "skipped": [{"name": n, "reason": r} for n, r in b.skipped]})
    for name, reason in b.skipped:
        print(f"  skipped {name}: {reason}")
    print(f"written to {path}")
    return 1 if a.check and any(c["ok"] is False for c in checks) else 0


def main():
    a = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if os.geteuid() != 0:
        print("bench: probes need root", file=sys.stderr)
        return 4
    try:
        return bench(a)
    except KeyboardInterrupt:
        print("\nbench: interrupted", file=sys.stderr)
        return 130
    finally:
        proc.stop_all()


if __name__ == "__main__":
    sys.exit(main())
