# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What xputrace promises besides its cost per call, each measured once or a
few times: exact counters after forced losses, a paced run without loss, its
memory and CPU time, what `run` adds to a start, attach and detach.
"""
import json
import os
import signal
import time

import hits
import hooks
import ioctls
import proc
import recordings
import report
import spdk
import switches

MIB = 1024 * 1024


def _load(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def _start(b, cmd, name, env=None):
    t0 = time.monotonic_ns()
    return proc.start(cmd, stdout=b.path(name + ".stdout"), stderr=b.path(name + ".err"),
                      env=env), t0


def _fresh(b, name):
    """Paths (out of the workload, recording), both absent."""
    paths = b.path(name + ".json"), b.path(name + ".xtr")
    for p in paths:
        if os.path.exists(p):
            os.unlink(p)
    return paths


def overflow(b, x, a):
    """Counters against the workload's own count while xputrace cannot read the ring."""
    out, rec = _fresh(b, "overflow")
    work = b.workload(200000, out, threads=2, rate=100000)
    cmd = x.run(work, "--ring", "64K", out=rec)
    p, t0 = _start(b, cmd, "overflow")
    time.sleep(1)
    os.kill(p.pid, signal.SIGSTOP)      # the ring fills while nobody reads it
    time.sleep(0.5)
    os.kill(p.pid, signal.SIGCONT)
    proc.finish(p, cmd, t0, 120)
    made, totals = _load(out), x.totals(rec)
    if not made or not totals:
        return {"error": "no result", "command": cmd}, []
    counted, events = x.counted(totals), x.events(rec)
    item = {"calls": made["calls"], "counted": counted, "events": events,
            "losses": x.losses(totals)}
    lost = made["calls"] - (events or 0)
    item["unaccounted"] = lost - item["losses"].get("ring_full", 0)
    return item, [
        report.check("forced overflow: calls counted minus calls made",
                     abs(counted - made["calls"]), "<=", 0),
        report.check("forced overflow: events lost (so that it is one)", lost, ">=", 1),
        report.check("forced overflow: events lost minus losses reported",
                     abs(item["unaccounted"]), "<=", 0)]


def paced(b, x, a, rate, options=(), name=None, threads=1):
    """A run at a rate (0: as fast as it gets, 1,280,000 calls for each second that
    was asked for): losses, peak memory, CPU share of xputrace itself."""
    name = name or f"paced{rate}"
    out, rec = _fresh(b, name)
    calls = (rate or 1280000) * a.seconds // threads
    cmd = x.run(b.workload(calls, out, threads=threads, rate=rate), *options,
                out=None if "--counters" in options else rec)
    p, t0 = _start(b, cmd, name)
    fin = proc.finish(p, cmd, t0, a.seconds * 4 + 60)
    made = _load(out)
    if not made:
        return {"error": "no result", "command": cmd}
    share = fin.cpu_share(made["main_ns"], made["end_ns"])
    item = {"rate": rate, "reached": made["per_second"], "calls": made["calls"],
            "peak_rss_mib": round(fin.peak_rss / MIB, 1),
            "cpu_share": share}
    if "--counters" not in options:
        totals = x.totals(rec) or {}
        events = x.events(rec)
        counted = x.counted(totals)
        item.update(events=events, lost=made["calls"] - events if events is not None else None,
                    counted=counted, miscounted=abs(counted - made["calls"]),
                    bytes_per_call=round(os.path.getsize(rec) / made["calls"], 1),
                    losses=x.losses(totals))
        os.unlink(rec)
    return item


def steady(b, x, a):
    fast = paced(b, x, a, 100000)
    slow = paced(b, x, a, 10000)
    checks = [
        report.check(f"100,000 calls/s for {a.seconds} s: events lost", fast.get("lost"), "<=", 0),
        report.check("peak RSS at 100,000 calls/s, MiB", fast.get("peak_rss_mib"), "<=", 48),
        report.check("CPU share of xputrace at 10,000 calls/s, events", slow.get("cpu_share"),
                     "<=", 0.03)]
    items = {"events_100k": fast, "events_10k": slow}
    if x.has("--counters"):
        quiet = paced(b, x, a, 10000, ["--counters"], "paced-counters")
        items["counters_10k"] = quiet
        checks.append(report.check("CPU share of xputrace at 10,000 calls/s, counters",
                                   quiet.get("cpu_share"), "<=", 0.01))
    return items, checks


def fast(b, x, a):
    """Half a million calls a second from two threads, and 64 threads that never pause."""
    two = paced(b, x, a, 500000, name="fast2", threads=2)
    many = paced(b, x, a, 0, name="fast64", threads=64)
    checks = []
    for item, what in ((two, f"500,000 calls/s for {a.seconds} s"), (many, "64 threads, no pause")):
        checks += [report.check(f"{what}: events lost", item.get("lost"), "<=", 0),
                   report.check(f"{what}: calls counted minus calls made",
                                item.get("miscounted"), "<=", 0),
                   report.check(f"{what}: peak RSS, MiB", item.get("peak_rss_mib"), "<=", 64)]
    checks.insert(0, report.check("500,000 calls/s: reached, calls/s", two.get("reached"), ">=",
                                  490000))
    if two.get("reached"):
        two["own_us_per_call"] = two["cpu_share"] / two["reached"] * 1e6
    checks.append(report.check("CPU time of xputrace for a call, all analyses live, us",
                               two.get("own_us_per_call"), "<=", 1))
    checks.append(report.check("a recording, bytes a call", two.get("bytes_per_call"), "<=", 48))
    return {"two_threads_500k": two, "threads_64": many}, checks


def _one_start(b, cmd, name):
    """(ms until the program's main began, ms until all had ended) or None."""
    out = b.path(name + ".json")
    if os.path.exists(out):
        os.unlink(out)
    fin = proc.run(cmd(out), 60, stderr=b.path(name + ".err"), stdout=b.path(name + ".stdout"))
    made = _load(out)
    if not made:
        return None
    return (made["main_ns"] - fin.start_ns) / 1e6, (fin.end_ns - fin.start_ns) / 1e6


def start(b, x, a):
    """What `run` adds to a program that does next to nothing."""
    plain, traced = [], []
    for _ in range(a.rounds):
        plain.append(_one_start(b, lambda o: b.workload(1, o), "start"))
        traced.append(_one_start(b, lambda o: x.run(b.workload(1, o)), "start-traced"))

    def mid(runs, i):
        return report.median([r[i] for r in runs if r])
    if not any(plain) or not any(traced):
        return {"error": "no result"}, []
    item = {"plain_main_ms": mid(plain, 0), "plain_total_ms": mid(plain, 1),
            "run_main_ms": mid(traced, 0), "run_total_ms": mid(traced, 1)}
    item["added_ms"] = item["run_main_ms"] - item["plain_main_ms"]
    item["added_total_ms"] = item["run_total_ms"] - item["plain_total_ms"]
    item["ratio_total"] = item["run_total_ms"] / item["plain_total_ms"]
    return item, [report.check("run adds to a program's start, ms", item["added_ms"], "<=", 150)]


def _attach_bpftrace(b):
    """A wildcard over the same exports: ms until the program began, ms to leave."""
    out = b.path("attach-bpftrace.json")
    script = b.path("attach.bt")
    with open(script, "w") as f:
        f.write(f"uprobe:{b.lib}:cu* {{ @calls[probe] = count(); }}\n")
    cmd = ["bpftrace", "-o", b.path("attach-bpftrace.out"), "-c",
           " ".join(b.workload(1, out)), script]
    fin = proc.run(cmd, 400, stderr=b.path("attach-bpftrace.err"),
                   env={"BPFTRACE_MAX_PROBES": "4096", "BPFTRACE_MAX_BPF_PROGS": "4096"})
    made = _load(out)
    if not made:
        return {"error": f"no result, exit status {fin.status}"}
    return {"begin_ms": (made["main_ns"] - fin.start_ns) / 1e6,
            "leave_ms": (fin.end_ns - made["end_ns"]) / 1e6}


def attach(b, x, a):
    """Attach to and leave all exports; the floor and bpftrace's wildcard beside it."""
    out, rec = _fresh(b, "attach")
    fin = proc.run(x.run(b.workload(1, out), out=rec), 60, stderr=b.path("attach.err"))
    made, totals = _load(out), x.totals(rec) or {}
    if not made:
        return {"error": "no result"}, []
    item = {"begin_ms": (made["main_ns"] - fin.start_ns) / 1e6,
            "leave_ms": (fin.end_ns - made["end_ns"]) / 1e6}
    cost = totals.get("overhead") or {}
    item["attach_ms"] = cost.get("attach_ns", 0) / 1e6 or None
    item["probes"] = cost.get("probes")
    if os.path.exists(b.path("floor")):
        rep = b.path("attach-floor.json")
        proc.run([b.path("floor"), "--object", b.path("floor.bpf.o"), "--path", b.lib, "--all",
                  "--report", rep, "--", "true"], 60)
        item["floor"] = _load(rep)
    if not any(n == "bpftrace" for n, _ in b.skipped):
        item["bpftrace"] = _attach_bpftrace(b)
    return item, [
        report.check("attach to all exports, ms", item["attach_ms"], "<=", 150),
        report.check("leave all exports, ms", item["leave_ms"], "<=", 1000)]


ITEMS = (("overflow", overflow), ("steady", steady), ("fast", fast), ("start", start),
         ("attach", attach), ("hits", hits.measure), ("hooks", hooks.measure),
         ("ioctl", ioctls.measure), ("sched", switches.measure), ("reading", recordings.reading),
         ("annotate", spdk.annotate))


def _text(v):
    if isinstance(v, dict):
        return "{" + ", ".join(f"{k} {_text(x)}" for k, x in v.items()) + "}"
    return f"{v:,.4g}" if isinstance(v, float) else f"{v:,}" if isinstance(v, int) else str(v)


def _print(name, item):
    if item and all(isinstance(v, dict) for v in item.values()):
        for key, v in item.items():
            _print(f"{name} {key}", v)
        return
    print(f"  {name}: " + ", ".join(f"{k} {_text(v)}" for k, v in item.items()), flush=True)


def run(b, x, a):
    """All items: {"items": {name: result}, "checks": [...]}."""
    found = {"items": {}, "checks": []}
    if not x.ready:
        for name, _ in ITEMS:
            b.skip(name, "no xputrace")
        return found
    print("\nsingle items", flush=True)
    for name, measure in ITEMS:
        if not any(w in name for w in a.only.split(",")):
            continue
        item, checks = measure(b, x, a)
        _print(name, item)
        found["items"][name] = item
        found["checks"] += checks
    return found
