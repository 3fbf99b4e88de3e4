#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How often was the verdict right, on faults that nobody tuned for?
rates.py NAME KERNEL TABLE.tsv DIR LEAST

TABLE is untuned.tsv, DIR as for judge.py, with functions: what can be probed in that
kernel's modules. LEAST is "told=N errno=N origin=N class=N misled=N alarms=N high=N", what was
measured: less of the first four, or more of the next two, is a failure; so are fewer than
`high` per cent of right classes among the verdicts that call themselves highly confident. Every
single fault and what is wrong with its verdict is shown, and the rates in the last line."""
import sys
import judge


def sets_of(column):
    """Functions that are right, innermost first, each with others that are as right."""
    return [group.split("|") for group in column.split(">")]


class Fault(judge.Fault):
    def __init__(self, row):
        super().__init__(row[:7] + ["-"])
        self.diverges, self.kernels, self.why = row[8], row[9], row[10] if len(row) > 10 else ""

    def is_of(self, kernel):
        return self.kernels == "-" or kernel in self.kernels.split()

    def origin_here(self, functions):
        """Patterns of the innermost function that this kernel has."""
        groups = sets_of(self.function)
        return next((g for g in groups if any(judge.any_of(p, f) for p in g for f in functions)), groups[-1])

    def is_mine(self, line):
        """Told of this fault: its process's and of the method, whatever the errno."""
        if self.way == "event":
            return line["type"] == "rdma_event" and judge.any_of(self.method, line["event"])
        return (line["type"] in ("rdma", "rdma_verdict") and line["process"] == self.name
                and judge.any_of(self.method, line["syscall"]))

    def came(self, truth):
        """Events come from what other faults do."""
        return self.way == "event" or judge.any_of(self.errnos, truth.get(self.name, {}).get("error", ""))

    def is_below(self, verdict, functions):
        """Whether the verdict says that the error may have begun in what is right, below the
        origin that it names: by name, or in a function that is called by a pointer."""
        return any(f == "*" or judge.any_of(p, judge.bare(f)) for f in verdict.get("unprobed", [])
                   for p in self.origin_here(functions))

    def misled(self, verdict, exact, functions):
        """A divergence that is no hint lies on the way of the error, which is the verdict's own where
        its origin is right, or at a function that the table names, or it is said to be in or below
        its function, where that is so."""
        d = verdict.get("divergence", {})
        if d.get("parted") not in ("call", "result") or d["other_shape"] or d["other_kernel"]:
            return None
        at = judge.bare(d["path"][-1])
        named = f"{at}: {d['bad']}, good: {d['good'] or 'not called there'}"
        if self.diverges == "-":
            return f"{named}, though no such call goes well"
        if judge.any_of(self.diverges, at):
            return None
        if exact:
            return judge.misled(verdict)
        if at == judge.bare(verdict["origin"]) and self.is_below(verdict, functions):
            return None
        on_way = [p for g in sets_of(self.function) for p in g]
        return None if any(judge.any_of(p, at) for p in on_way) else named


def judge_fault(f, told, verdicts, functions):
    """{"told", "errno", "origin", "class"}: whether right; "misled": None or how; "what" was said."""
    mine = [line for line in told if f.is_mine(line)]
    right = dict.fromkeys(("told", "errno", "origin", "class"), False)
    right["told"] = bool(mine)
    out = {"right": right, "misled": None, "what": "nothing", "high": None}
    if f.way == "event" or not mine:
        out["what"] = mine[0]["event"] if mine else "nothing"
        return out
    verdict = next((v for v in verdicts if f.is_mine(v) and v["type"] == "rdma_verdict"), None)
    right["errno"] = any(judge.any_of(f.errnos, line["error"]) for line in mine)
    if not verdict:
        out["what"] = f"{mine[0]['syscall']} {mine[0]['error']}, no verdict"
        return out
    right["origin"] = any(judge.any_of(p, judge.bare(verdict["origin"])) for p in f.origin_here(functions))
    right["class"] = judge.any_of(f.cls, verdict["class"])
    out["misled"] = f.misled(verdict, right["origin"], functions)
    if verdict.get("confidence") == "high":
        out["high"] = right["class"]
    out["what"] = (f"{verdict['syscall']} {verdict['error']} {verdict['origin']}, "
                   f"{verdict['class']} ({verdict.get('confidence', '?')})")
    return out


def read(path):
    with open(path, encoding="utf-8") as f:
        return [Fault(line.rstrip("\n").split("\t")) for line in f if not line.startswith("#")]


def measure(faults, told, verdicts, functions):
    sums = dict.fromkeys(("told", "errno", "origin", "class", "misled", "high", "high_right"), 0)
    for f in faults:
        r = judge_fault(f, told, verdicts, functions)
        wrong = [key for key, is_right in r["right"].items() if not is_right and (f.way != "event" or key == "told")]
        for key, is_right in r["right"].items():
            sums[key] += is_right
        sums["misled"] += bool(r["misled"])
        sums["high"] += r["high"] is not None
        sums["high_right"] += bool(r["high"])
        more = f", WRONG: {' '.join(wrong)}; true: {f.method} {f.errnos} {'|'.join(f.origin_here(functions))}, {f.cls}" \
            if wrong else ""
        more += f", MISLEADS: {r['misled']}" if r["misled"] else ""
        print(f"note {f.name:15} {r['what']}{more}")
    return sums


def main():
    test, kernel, table, folder, least = sys.argv[1:6]
    truth = {t["fault"]: t for t in judge.lines(f"{folder}/truth.jsonl")}
    told, verdicts = judge.lines(f"{folder}/reported.jsonl"), judge.lines(f"{folder}/verdicts.jsonl")
    told = [line for line in told if line["type"] in ("rdma_event", "rdma_command") or line.get("errno")]
    with open(f"{folder}/functions", encoding="utf-8") as f:
        functions = {judge.bare(line.strip()) for line in f}
    everywhere = read(table)
    faults = [f for f in everywhere if f.is_of(kernel)]
    lost = [f"{f.name} ({truth.get(f.name, {}).get('error', 'nothing')})" for f in faults if not f.came(truth)]
    judge.expect(f"{test}_came", f"otherwise than expected: {', '.join(lost)}" if lost else "")
    sums = measure(faults, told, verdicts, functions)
    # A fault that is told by another method only is not told, and no alarm; so is one of other kernels.
    untold = {f.name for f in everywhere if not f.is_of(kernel) or not any(f.is_mine(line) for line in told)}
    alarms = [judge.describe(line) for line in told if line.get("process") not in untold
              and not any(f.is_mine(line) for f in faults)]
    for alarm in alarms:
        print(f"note false alarm: {alarm}")
    sums["alarms"] = len(alarms)
    calls = sum(f.way != "event" for f in faults)
    shown = (f"{test}: {len(faults)} faults: told {sums['told']}, of {calls} calls errno {sums['errno']}, "
             f"origin {sums['origin']}, class {sums['class']}; {sums['misled']} misleading divergences, "
             f"{sums['alarms']} false alarms, {sums['high_right']} of {sums['high']} classes of high confidence right")
    sums["high"] = 100 * sums["high_right"] // sums["high"] if sums["high"] else 100
    for key, number in (pair.split("=") for pair in least.split()):
        worse = sums[key] > int(number) if key in ("misled", "alarms") else sums[key] < int(number)
        judge.expect(f"{test}_{key}", f"{sums[key]}, where {number} were measured" if worse else "")
    print(f"note {shown}")
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
