#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How each trace of a test was attached, by what its recording or its messages say:
a line that `make check` shows, and a comparison with the table in docs/kernel.md,
where each row is one trace that chose by itself.
    attached.py TEST KERNEL DIR PAGE
DIR holds what came back from the virtual machine, a folder a trace."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bpf"))
import xtr

WHATS = ("libraries", "ioctls", "kernel functions", "Xids")
SAID = (r"kernel functions: \d+ of \d+, by (.*), in ", r"by the returns of \d+ functions \((.*)\)")


class Facts(xtr.Recording):
    """Of a recording the facts alone, and whether libraries got probes."""

    def __init__(self, path):
        self.libraries = False
        super().__init__(path)

    def _record(self, kind, fn, r):
        if kind == 7:
            super()._record(kind, fn, r)
        elif kind == 6:
            self.libraries |= not xtr.strings(r[32:])[0].startswith("[")    # [nvidia]: of the kernel


def without_numbers(kinds):
    """"kprobe-session 22, kprobe 1": most first; only the names."""
    pairs = re.findall(r"([a-z][a-z-]*) (\d+)", kinds)
    return ", ".join(k for k, _ in sorted(pairs, key=lambda p: -int(p[1])))


def said(path):
    """What messages say, the last of them."""
    text = ""
    for name in ("stderr", "err", "watch.err"):
        if os.path.exists(os.path.join(path, name)):
            with open(os.path.join(path, name), errors="replace") as f:
                text += f.read()
    found = [m for pattern in SAID for m in re.findall(pattern, text)]
    return without_numbers(found[-1]) if found else ""


def xid_sources(path):
    try:
        sources = [o["source"] for o in xtr.objects(path) if o.get("type") == "xid"]
    except (OSError, ValueError, KeyError):
        return ""
    return ", ".join(dict.fromkeys(sources))


def of_trace(path):
    """{what: kinds} of one folder."""
    got = {}
    try:
        facts = Facts(os.path.join(path, "t.xtr"))
        meta = facts.meta
        got = {"libraries": meta.get("attach", "") if facts.libraries else "",
               "ioctls": meta.get("ioctls", ""),
               "kernel functions": without_numbers(meta.get("kernel_attach", ""))}
    except (OSError, ValueError):
        pass    # it was refused, or writes no recording
    got["kernel functions"] = got.get("kernel functions") or said(path)
    got["Xids"] = xid_sources(os.path.join(path, "t.jsonl"))
    return {what: kinds for what, kinds in got.items() if kinds}


def all_traces(base):
    found = {"watch": {"kernel functions": said(base)}} if said(base) else {}
    for name in sorted(os.listdir(base)):
        if os.path.isdir(os.path.join(base, name)):
            got = of_trace(os.path.join(base, name))
            if got:
                found[name] = got
    return found


def short(names):
    """late_1, late_2: late_*"""
    return " ".join(dict.fromkeys(re.sub(r"_[0-9a-z-]+$", "_*", n) for n in names))


def note(test, kernel, found):
    parts = []
    for what in WHATS:
        kinds = {}
        for name, got in found.items():
            if what in got:
                kinds.setdefault(got[what], []).append(name)
        if kinds:
            parts.append(f"{what} by " + "; ".join(f"{k} ({short(v)})" for k, v in kinds.items()))
    print(f"note {kernel} {test}: " + " | ".join(parts))


def rows(page, test, kernel):
    """(trace, what, kinds) of the page's table for this test and kernel. It is made with
    modules that have type information."""
    column = None
    with open(page, encoding="utf-8") as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if cells[:3] == ["test", "trace", "what"]:
                column = cells.index(kernel) if kernel in cells else None
            elif column is not None and len(cells) > column and cells[0] == f"`{test}`":
                yield cells[1].strip("`"), cells[2], cells[column].replace("`", "")
            elif not line.startswith("|"):
                column = None


def main():
    test, kernel, base, page = sys.argv[1:]
    found = all_traces(base)
    failed = 0
    typed = not os.path.exists(os.path.join(base, "no_types"))
    for trace, what, want in rows(page, test, kernel) if typed else ():
        got = found.get(trace, {}).get(what, "-")
        name = f"vm_{kernel}_{test}_{trace}_attached_{what.split()[0]}"
        failed |= got != want
        print(f"ok {name}" if got == want else
              f"not ok {name}: {page} has '{want}', used was '{got}'")
    if found:
        note(test, kernel, found)
    return failed


sys.exit(main())
