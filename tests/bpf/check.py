#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares what a trace says with what the traced programs themselves counted.

  check.py truth NAME DIR [--only DOMAIN] [--unreturned FN:inflight|FN:gone|FN:gone+N] [--lost] [--counters] [--auto]
  check.py same NAME DIR DIR...       the same calls in all of them
  check.py agree NAME [--mine] DIR...          no truth: events and counters agree, each process ended once
  check.py left NAME DIR...           events and what was left out make up the totals
  check.py order NAME DIR...          calls of each thread are in order
  check.py clean NAME PID LIBRARY     no probe is left in a running process

DIR holds t.xtr, t.jsonl, report.json and truth of one run, counts where the
simulated driver wrote them. Prints result lines; the exit status is 1 if one failed."""
import argparse
import json
import os
import re
import struct
import sys
from collections import Counter
import xtr

failed = 0


def result(name, problems):
    global failed
    problems = list(problems)
    if problems:
        failed = 1
        more = f" (and {len(problems) - 4} more)" if len(problems) > 4 else ""
        print(f"not ok {name}: {'; '.join(problems[:4])}{more}")
    else:
        print(f"ok {name}")


def differences(want, got, what=""):
    """Texts for every key whose number differs."""
    for key in sorted(set(want) | set(got), key=str):
        if want.get(key, 0) != got.get(key, 0):
            yield f"{what}{key}: {want.get(key, 0)} is true, {got.get(key, 0)} was seen"


class Run:
    """One traced run and its truth."""

    def __init__(self, folder, args):
        self.args = args
        self.rec = xtr.Recording(f"{folder}/t.xtr")
        self.lines = xtr.Lines(f"{folder}/t.jsonl") if os.path.exists(f"{folder}/t.jsonl") else None
        with open(f"{folder}/report.json", encoding="utf-8") as f:
            self.report = json.load(f)
        self.truth = xtr.objects(f"{folder}/truth")
        counts = f"{folder}/counts"
        self.counts = xtr.objects(counts) if os.path.exists(counts) else []
        self.cut_fn, _, how = (args.unreturned or "").partition(":")
        self.cut_how, _, still = how.partition("+")
        self.cut_open = int(still or 0)  # besides those that are gone, so many are still in flight
        # A page that is read from disk inside a call is no call that the program made.
        self.only = {f.name for f in self.rec.fns.values()
                     if args.only in (None, f.domain) and not f.name.startswith("major_page_fault in ")}

    def mine(self, name, depth):
        """Calls that the program itself made, and not a library for it."""
        return name in self.only and not (self.args.only and depth)

    def returned(self):
        """(pid, function) -> calls that came back, by the truth."""
        want = Counter()
        for t in self.truth:
            for name, n in t["calls"].items():
                want[t["pid"], name] += n
            want[t["pid"], self.cut_fn] -= t["unreturned"]
        for pid, name, n in self.too_deep():
            want[pid, name] -= n
        return +want

    def too_deep(self):
        """Calls inside 16 others, which have a loss of their own."""
        n = int((self.args.too_deep or ":0").split(":")[1])
        return [(self.truth[0]["pid"], self.args.too_deep.split(":")[0], n)] if n else []

    def sum(self, *keys):
        return sum(t[keys[0]] if len(keys) == 1 else t[keys[0]][keys[1]] for t in self.truth)

    def totals(self):
        return [t for t in self.rec.totals if self.mine(t.fn, t.nested)]


def check_calls(name, run):
    want, lost = run.returned(), run.rec.losses.get("ring_full", 0)
    seen = Counter((c.pid, c.fn) for c in run.rec.calls if run.mine(c.fn, c.depth))
    if not run.args.lost:
        result(f"{name}_events", differences(want, seen))
    else:
        n = len(run.rec.calls) + lost
        problems = [] if n == sum(want.values()) else [f"{sum(want.values())} calls, {n} seen or lost"]
        result(f"{name}_events_and_losses", problems + ([] if lost else ["nothing was lost"]))
    if not run.lines:
        return
    lines = Counter((c["pid"], c["name"]) for c in run.lines.calls if run.mine(c["name"], c["depth"]))
    problems = list(differences(seen, lines))
    ids = [c["event_id"] for c in run.lines.calls + run.lines.inflight + run.lines.left]
    if len(set(ids)) < len(ids):
        problems.append("an event_id is not unique")
    result(f"{name}_lines", problems)


def check_totals(name, run):
    seen, nested = Counter(), Counter()
    problems = []
    for t in run.totals():
        seen[t.pid, t.fn] += t.calls
    for t in run.rec.totals:
        nested[t.pid, t.fn] += t.calls
        if sum(t.hist) != t.calls:
            problems.append(f"{t.fn}: {t.calls} calls, {sum(t.hist)} in its histogram")
        if t.longest > t.time:
            problems.append(f"{t.fn}: the longest call is longer than all")
    result(f"{name}_counters", problems + list(differences(run.returned(), seen)))
    # The simulated driver's own count has the calls that another library made, too.
    want, inner = Counter(), Counter()
    for c in run.counts:
        for fn, n in c["calls"].items():
            want[c["pid"], fn] += n
    for t in run.truth:
        want[t["pid"], run.cut_fn] -= t["unreturned"]
    for pid, fn, n in run.too_deep():
        want[pid, fn] -= n
    for (pid, fn), n in nested.items():
        if fn.startswith("cu") and not fn.startswith("cuda") and any(c["pid"] == pid for c in run.counts):
            inner[pid, fn] = n
    if run.counts and len(run.truth) == len({t["pid"] for t in run.truth}):
        result(f"{name}_library_counts", differences(+want, inner))
    n = sum(t.calls for t in run.rec.totals if not t.nested)
    if run.report["summary"]["calls"] != n:
        result(f"{name}_summary", [f"{n} calls, the summary says {run.report['summary']['calls']}"])


def hide_direction(want, *seen):
    """Copies by descriptor have direction `auto`: compares the sums, and that no
    direction has more bytes than were copied."""
    for counter in seen:
        too_many = any(counter[d] > want[d] for d in want)
        counter["all"] = sum(counter.values()) + too_many
        for d in list(counter):
            if d != "all":
                del counter[d]
    want["all"] = sum(want.values())
    for d in ("HtoD", "DtoH", "DtoD"):
        del want[d]


def check_bytes(name, run):
    want = {d: run.sum("copied", d) for d in ("HtoD", "DtoH", "DtoD")}
    kernel, events, ops = Counter(), Counter(), Counter()
    for t in run.rec.totals:
        if t.bytes and t.dir in xtr.DIRS and not t.outer:
            kernel[xtr.DIRS[t.dir]] += t.bytes
    for o in run.report["operations"]:
        if o["operation"].startswith("copy "):
            ops[o["operation"][5:]] += o["bytes"] or 0
    lines = run.lines.calls if run.lines and not without_events(run) else []
    for c in lines:
        if c["type"] == "transfer":
            events[c["direction"]] += c["size"]
    if run.args.auto:
        hide_direction(want, kernel, ops, events)
    problems = list(differences(want, kernel, "counters ")) + list(differences(want, ops, "report "))
    if lines:
        problems += differences(want, events, "events ")
    result(f"{name}_bytes", problems)


def check_memory(name, run):
    """Allocations and frees, arrays among them."""
    rows = [m for m in run.report.get("memory", []) if m["kind"] not in
            ("registered", "mapping", "reserved", "ipc")]
    seen = {"allocations": sum(m["allocations"] for m in rows), "bytes": sum(m["bytes"] for m in rows),
            "frees": sum(m["frees"] for m in rows), "implicit": sum(m["implicit"] for m in rows),
            "left": sum(m["not_freed"] for m in rows), "left_bytes": sum(m["not_freed_bytes"] for m in rows)}
    want = {"allocations": run.sum("allocations"), "bytes": run.sum("allocated_bytes"),
            "frees": run.sum("frees"), "implicit": run.sum("implicit_frees"),
            "left": run.sum("leaked_count"), "left_bytes": run.sum("leaked_bytes")}
    result(f"{name}_memory", differences(want, seen))
    leaks, true = Counter(), Counter()
    for leak in run.report.get("leaks", []):
        leaks[leak["function"], "blocks"] += leak["blocks"]
        leaks[leak["function"], "bytes"] += leak["bytes"]
    for t in run.truth:
        for leak in t["leaks"]:
            true[leak["function"], "blocks"] += leak["count"]
            true[leak["function"], "bytes"] += leak["bytes"]
    result(f"{name}_leaks", differences(true, leaks))


def check_launches(name, run):
    n = sum(o["calls"] - o["failed"] for o in run.report["operations"] if o["operation"] == "launch")
    want = run.sum("launches")
    result(f"{name}_launches", [] if n == want else [f"{want} launches, the report says {n}"])


def without_events(run):
    return run.args.lost or run.args.counters


def check_errors(name, run):
    want, seen = Counter(), Counter()
    for t in run.truth:
        for fn, codes in t["errors"].items():
            for code, n in codes.items():
                want[t["pid"], fn, int(code)] += n
    kernel = Counter({k: n for k, n in run.rec.errors.items() if k[1] in run.only})
    problems = list(differences(want, kernel, "counters "))
    if run.lines and not without_events(run):
        for c in run.lines.calls:
            if c["code"] not in (0, None) and run.mine(c["name"], c["depth"]):
                seen[c["pid"], c["name"], c["code"]] += 1
        problems += differences(want, seen, "events ")
        for c in run.lines.calls:
            if c["failed"] and not re.match(r"CUDA_ERROR_|cudaError", c["result"]):
                problems.append(f"result {c['result']} of a failed call")
    shown = Counter()
    for e in run.report.get("errors", []) + run.report.get("expected_errors", []):
        shown[e["function"], e["code"]] += e["calls"]
    real = Counter()	# 600, not ready, is an answer and no failure
    for (_, fn, code), n in want.items():
        real[fn, code] += n if code != 600 else 0
    if not run.args.only:
        problems += differences(+real, shown, "report ")
    result(f"{name}_errors", problems)


def check_cut(name, run):
    n = run.sum("unreturned")
    kept = [c for c in run.rec.inflight if c.fn == run.cut_fn]
    want = n if run.cut_how == "inflight" else run.cut_open
    problems = [] if len(run.rec.inflight) == len(kept) == want else \
        [f"{want} calls did not return, {len(run.rec.inflight)} are shown in flight"]
    if run.lines and len(run.lines.inflight) != want:
        problems.append(f"{len(run.lines.inflight)} lines in flight")
    shown = len(run.report.get("inflight", []))
    if want and not 0 < shown <= want:
        problems.append(f"the report shows {shown} in flight")
    left = n - want
    for what, seen in ("recorded", run.rec.left), ("lines", run.lines.left if run.lines else None):
        if seen is not None and len(seen) != left:
            problems.append(f"{left} calls were left, {len(seen)} {what}")
    told = sum(r["calls"] for r in run.report.get("left", []))
    if told != left:
        problems.append(f"{left} calls were left, the report says {told}")
    if any(c.dur <= 0 for c in run.rec.inflight + run.rec.left):
        problems.append("a call in flight without age")
    result(f"{name}_unreturned", problems)


def check_losses(name, run):
    want = {}
    if run.sum("unreturned"):
        n = run.sum("unreturned")
        want = {"cut_longjmp": n - run.cut_open} if run.cut_how == "gone" else {"cut_exit": n}
        if run.cut_open:
            want["cut_exit"] = run.cut_open
    for _, _, n in run.too_deep():
        want["depth_full"] = n
    for loss in run.args.loss or []:
        key, _, n = loss.partition("=")
        want[key] = int(n)
    # A reader that is kept from reading misses mappings of all processes as well.
    mine = ("ring_full", "tasks_lost", "watch_lost") if run.args.lost else ()
    seen = {k: n for k, n in run.rec.losses.items() if k not in mine}
    shown = {x["loss"]: x["count"] for x in run.report.get("losses", [])}
    result(f"{name}_losses", list(differences(want, seen)) +
           list(differences(run.rec.losses, shown, "report ")))


def truth(args):
    run = Run(args.dirs[0], args)
    if not run.truth or not run.rec.end:
        result(args.name, ["no truth" if not run.truth else "the recording has no end"])
        return
    if not args.counters:
        check_calls(args.name, run)
    if args.counters:
        n = len(run.rec.calls)
        result(f"{args.name}_no_events", [f"{n} calls in the recording"] if n else [])
    check_totals(args.name, run)
    check_bytes(args.name, run)
    check_launches(args.name, run)
    check_errors(args.name, run)
    if not args.lost and not args.counters:
        check_memory(args.name, run)
    if not args.counters:
        check_cut(args.name, run)
    check_losses(args.name, run)


def same(args):
    """The sequence of calls of the one thread, in the order in which they began. An
    address is where in its page it lies and which of all addresses it is: a page that
    the kernel maps for somebody else's probe moves what is mapped after it."""
    def sequence(folder):
        seen = {}

        def plain(value):
            if not isinstance(value, str) or not value.startswith("0x") or int(value, 16) < 1 << 20:
                return value
            return f"address {seen.setdefault(value, len(seen))} ...{value[-3:]}"

        calls = sorted(xtr.Lines(f"{folder}/t.jsonl").calls, key=lambda c: (c["ts"], c["depth"]))
        return [(c["name"], c["code"], c["size"], c["depth"], c["type"], plain(c["ptr"]), c.get("direction"),
                 tuple((k, plain(v)) for k, v in sorted(c["args"].items()))) for c in calls]
    first = sequence(args.dirs[0])
    for folder in args.dirs[1:]:
        other = sequence(folder)
        problems = [] if len(other) == len(first) else [f"{len(first)} and {len(other)} calls"]
        problems += [f"call {i}: {a} and {b}" for i, (a, b) in enumerate(zip(first, other)) if a != b]
        if not first:
            problems.append("no calls at all")
        result(f"{args.name}_{os.path.basename(folder)}", problems)


def agree(args):
    """For programs that were killed before they could tell: nothing was lost, so
    single events make up the totals; each process and each cut call ended once."""
    for folder in args.dirs:
        rec = xtr.Recording(f"{folder}/t.xtr")
        mine = {t["pid"] for t in xtr.objects(f"{folder}/truth")} if args.mine else \
            {c.pid for c in rec.calls}
        events, totals = Counter((c.pid, c.fn) for c in rec.calls if c.pid in mine), Counter()
        for t in rec.totals:
            totals[t.pid, t.fn] += t.calls if t.pid in mine else 0
        problems = list(differences(events, totals))
        ended = Counter(t[1] for t in rec.tasks if t[4] == 4)
        problems += [f"process {p} ended {ended[p]} times" for p in mine if ended[p] != 1]
        cut = sum(n for loss, n in rec.losses.items() if loss.startswith("cut_"))
        if not args.mine and cut != len(rec.inflight) + len(rec.left):
            problems.append(f"{cut} calls were cut, {len(rec.inflight)} are in flight, {len(rec.left)} left")
        problems += [f"{n} {k}" for k, n in rec.losses.items() if not args.mine and not k.startswith("cut_")]
        result(args.name, problems if events else ["no calls"])


def left(args):
    """Calls that are told and those left out as asked make up the totals, and each failed one is told."""
    for folder in args.dirs:
        rec = xtr.Recording(f"{folder}/t.xtr")
        out = sum(rec.losses.get(k, 0) for k in ("filtered", "rate", "budget"))
        made, failed_calls = sum(t.calls for t in rec.totals), sum(t.errors for t in rec.totals)
        told = [c for c in rec.calls if c.flags & xtr.FAILED]
        result(args.name, list(differences({"calls": made, "failed": failed_calls, "lost": 0},
                                           {"calls": len(rec.calls) + out, "failed": len(told),
                                            "lost": rec.losses.get("ring_full", 0)})))


def order(args):
    """Calls of one thread come in the order in which they returned, whichever ring
    they went through, and behind the record that tells of the thread; those
    that came late are counted."""
    for folder in args.dirs:
        rec = xtr.Recording(f"{folder}/t.xtr")
        last, wrong = {}, 0
        for c in rec.calls:
            wrong += c.start + c.dur < last.get(c.tid, 0)
            last[c.tid] = c.start + c.dur
        late = rec.losses.get("late", 0)
        result(args.name, [f"{wrong} calls before earlier ones, {late} counted"] if wrong > late else [])


def clean(args):
    """What a process has in memory of a library's code is what the file says."""
    pid, library = args.dirs
    different = pages = 0
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb") as mem, \
            open(library, "rb") as file:
        for line in maps:
            word = line.split()
            if len(word) < 6 or os.path.realpath(word[5]) != os.path.realpath(library) or "x" not in word[1]:
                continue
            start, end = (int(x, 16) for x in word[0].split("-"))
            mem.seek(start)
            file.seek(int(word[2], 16))
            code = file.read(end - start)
            different += sum(a != b for a, b in zip(mem.read(len(code)), code))
            pages += len(code) // 4096
    result(args.name, ([f"{different} bytes of code differ from the file"] if different else []) +
           ([] if pages else [f"{library} is not mapped"]))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("what", choices=("truth", "same", "agree", "left", "order", "clean"))
    p.add_argument("name")
    p.add_argument("dirs", nargs="+")
    p.add_argument("--only", help="the domain whose calls the truth counts")
    p.add_argument("--unreturned", help="the function that did not return: inflight, gone, or gone+N of which N in flight")
    p.add_argument("--too-deep", help="FN:N: calls that found 16 others around them")
    p.add_argument("--loss", action="append", help="NAME=N: a loss that must be reported")
    p.add_argument("--mine", action="store_true", help="only processes that wrote a truth")
    p.add_argument("--lost", action="store_true", help="events were lost, counters not")
    p.add_argument("--auto", action="store_true", help="some copies tell no direction")
    p.add_argument("--counters", action="store_true", help="traced without events")
    args = p.parse_args()
    try:
        {"truth": truth, "same": same, "agree": agree, "left": left, "order": order, "clean": clean}[args.what](args)
    except (OSError, ValueError, KeyError, struct.error) as e:
        result(args.name, [f"{type(e).__name__}: {e}"])
    sys.exit(failed)


main()
