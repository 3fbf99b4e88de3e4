# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The ways to run the workload: alone, under an empty probe, under a tracer.

Each is a Case: a name, what it needs, and the command around the workload.
The peers are attached the way their users do, at the symbol and by path; each
keeps or prints the same facts: time, result, pid.
"""
import os
import shutil

import proc

PAIR = """uprobe:{lib}:{fn} {{ @s[tid] = nsecs; }}
uretprobe:{lib}:{fn} /@s[tid]/ {{ {action} delete(@s[tid]); }}
"""
PRINT = 'printf("%d %d {fn} %d %d\\n", pid, tid, nsecs - @s[tid], retval);'
COUNT = "@calls = count(); @ns = sum(nsecs - @s[tid]); @hist = hist(nsecs - @s[tid]);"


class Case:
    """One way to run. wrap(workload, path) is the command; files go to path.*"""

    def __init__(self, name, what, wrap, events=None, group="peer"):
        self.name, self.what, self.wrap = name, what, wrap
        self.events = events    # path -> how many events the tool wrote, or None
        self.group = group


class Bench:
    """Paths and settings that all cases share."""

    def __init__(self, build, xputrace, lib, fn):
        self.build, self.xputrace = build, xputrace
        self.lib, self.fn = os.path.realpath(lib), fn
        self.dir = os.path.join(build, "bench")
        self.site = None        # file offset where xputrace puts its probe
        self.skipped = []       # (name, reason)

    def path(self, name):
        return os.path.join(self.dir, name)

    def workload(self, calls, out, threads=1, rate=0, fn=None):
        cmd = [self.path("loop"), self.lib, fn or self.fn, str(calls), "--out", out,
               "--threads", str(threads)]
        return cmd + (["--rate", str(rate)] if rate else [])

    def skip(self, name, reason):
        self.skipped.append((name, reason))
        print(f"  skipped {name}: {reason}")


def lines(path, word):
    """Lines of a file that contain word."""
    try:
        with open(path, "rb") as f:
            return sum(1 for line in f if word in line)
    except OSError:
        return 0


def version(cmd):
    """First line that cmd prints, or None when it cannot be run."""
    out = os.path.join("/tmp", f"bench-version.{os.getpid()}")
    try:
        if not shutil.which(cmd[0]) or not proc.run(cmd, 30, stdout=out).ok:
            return None
        with open(out) as f:
            return f.readline().strip()
    finally:
        if os.path.exists(out):
            os.unlink(out)


def floor_cmd(b, kind, site, extra=()):
    where = ["--symbol", b.fn] if site is None else ["--offset", hex(site)]
    return [b.path("floor"), "--kind", kind, "--object", b.path("floor.bpf.o"),
            "--path", b.lib, *where, *extra, "--"]


def floors(b):
    """An empty program in each attach kind that the kernel has, at both sites."""
    kinds = []
    for kind in ("session", "multi", "perf"):
        if proc.run(floor_cmd(b, kind, None) + ["true"], 60).ok:
            kinds.append(kind)
        else:
            b.skip(f"floor {kind}", "this kernel does not attach it")
    for kind in kinds:
        yield Case(f"floor {kind} @symbol", f"empty program, {kind}, at the symbol",
                   lambda w, p, k=kind: floor_cmd(b, k, None) + w, group="floor")
        if b.site is not None:
            yield Case(f"floor {kind} @site", f"empty program, {kind}, where xputrace probes",
                       lambda w, p, k=kind: floor_cmd(b, k, b.site) + w, group="floor")


def _bpftrace(b, name, action):
    script = b.path(name + ".bt")
    with open(script, "w") as f:
        f.write(PAIR.format(lib=b.lib, fn=b.fn, action=action.replace("{fn}", b.fn)))
    return lambda w, p: ["bpftrace", "-o", p + ".out", "-c", " ".join(w), script]


def bpftraces(b):
    v = version(["bpftrace", "--version"])
    if not v:
        b.skip("bpftrace", "not installed")
        return
    print(f"  {v}")
    word = b" " + b.fn.encode() + b" "
    yield Case("bpftrace print", f"{v}, uprobe and uretprobe, printf of each call",
               _bpftrace(b, "print", PRINT), lambda p: lines(p + ".out", word))
    yield Case("bpftrace count", f"{v}, uprobe and uretprobe, count, sum and histogram",
               _bpftrace(b, "count", COUNT))


def bccs(b):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bcc_pair.py")
    py = "/usr/bin/python3"
    log = b.path("bcc.log")

    def wrap(mode):
        return lambda w, p: [py, script, mode, b.lib, b.fn, p + ".out", "--", *w]
    if not proc.run([py, "-c", "import bcc"], 60).ok:
        b.skip("bcc", "python3-bpfcc is not installed")
        return
    if not proc.run(wrap("count")(["true"], b.path("bcc-try")), 120, stderr=log).ok:
        with open(log, errors="replace") as f:
            text = f.read()
        why = ("it finds no kernel headers (set BCC_KERNEL_SOURCE)" if "headers" in text
               else (text.strip().splitlines() or ["it failed"])[-1])
        b.skip("bcc", why)
        return
    word = b" " + b.fn.encode() + b" "
    yield Case("bcc print", "BCC script, uprobe and uretprobe, a line for each call",
               wrap("print"), lambda p: lines(p + ".out", word))
    yield Case("bcc count", "BCC script like funclatency, uprobe and uretprobe, histogram",
               wrap("count"))
