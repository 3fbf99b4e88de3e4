# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""xputrace as the bench runs it, and what its recordings say."""
import json
import os
import re
import shlex
import subprocess

import tools


CROWD = 100


def crowd(work):
    """The workload beside CROWD processes that have made a call each and live on."""
    one = " ".join(shlex.quote(w) for w in work[:3]) + ' 1 --out "$d/$i" --linger 600'
    return ["sh", "-c", f"d=$(mktemp -d); p=; for i in $(seq {CROWD}); do {one} & p=\"$p $!\"; done; "
            f"until [ $(ls \"$d\" | wc -l) = {CROWD} ]; do sleep 0.1; done; sleep 0.5; "
            "\"$@\"; s=$?; kill $p; rm -r \"$d\"; exit $s", "sh", *work]


class Xputrace:
    def __init__(self, b):
        self.b = b
        self.bin = b.xputrace
        self.version = tools.version([self.bin, "--version"])
        self.ready = bool(self.version)
        self.site, self.site_text, self.kind = None, None, None
        if not self.ready:
            b.skip("xputrace", f"{self.bin} does not run")
            return
        print(f"  {self.version}")
        self.help = self._text(["run", "--help"])
        self._find_site()
        self._find_kind()

    def _text(self, args):
        p = subprocess.run([self.bin, *args], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL)
        return p.stdout + p.stderr

    def _find_site(self):
        """Where it puts the probe: the file offset that `list` tells."""
        try:
            plan = json.loads(subprocess.run(
                [self.bin, "list", "--json", "--lib", self.b.lib, self.b.fn],
                capture_output=True, text=True).stdout)
            self.site_text = next(p for p in plan if p["function"] == self.b.fn)
        except (ValueError, StopIteration, KeyError, TypeError):
            self.b.skip("floor at the site", f"`list` shows no site for {self.b.fn}")
            return
        self.site = self.b.site = self.site_text["offset"]
        print(f"  site: {self.site:#x}, {self.site_text['site']}, moved: "
              f"{self.site_text['moved']} ({self.site_text['reason']})")

    def _find_kind(self):
        """The attach kind it uses here, by what doctor says."""
        m = re.search(r"uprobe (\w+) .*<- in use", self._text(["doctor"]))
        self.kind = m.group(1) if m else None

    def floor_name(self):
        """The case that events mode is compared with."""
        if not self.kind:
            return None
        return f"floor {self.kind} " + ("@site" if self.site is not None else "@symbol")

    def has(self, option):
        return self.ready and option in self.help

    def run(self, workload, *options, out=None):
        """The command that traces workload; out: path of the recording."""
        files = ["-o", out] if out else ["--no-file"]
        return [self.bin, "run", "--quiet", "--as-root", *files, *options, "--", *workload]

    def cases(self):
        if not self.ready:
            return
        plan = [("xputrace events", "every call to a recording, all functions attached", [], True,
                 None),
                ("xputrace events, 1 function", "likewise, only the called function attached",
                 ["--function", self.b.fn], True, None),
                (f"xputrace events, {CROWD} processes", "likewise, beside others that are traced "
                 "and make no calls meanwhile", [], True, crowd),
                ("xputrace events @symbol", "likewise, probes at the symbols",
                 ["--sites=symbol"], True, None),
                ("xputrace counters", "exact counters and histograms, no events",
                 ["--counters"], False, None)]
        for name, what, options, events, around in plan:
            missing = [o for o in options if o.startswith("-")
                       and not self.has(o.split("=")[0])]
            if missing:
                self.b.skip(name, f"no option {missing[0]}")
                continue
            yield tools.Case(
                name, what, lambda w, p, o=options, e=events, a=around:
                self.run(a(w) if a else w, *o, out=p + ".xtr" if e else None),
                (lambda p, a=around: self._seen(p + ".xtr", CROWD if a else 0)) if events
                else None, group="xputrace")

    def _seen(self, recording, others):
        seen = self.events(recording)
        return seen - others if seen is not None else None

    def events(self, recording, fn=None):
        """How many calls of fn the recording holds as events, or None."""
        out, n = recording + ".count.folded", 0
        if subprocess.run([self.bin, "convert", recording, "-o", out],
                          capture_output=True).returncode:
            return None
        with open(out) as f:
            for line in f:
                frames, calls = line.rsplit(" ", 1)
                if frames.rsplit(";", 1)[-1] == (fn or self.b.fn):
                    n += int(calls)
        os.unlink(out)
        return n

    def totals(self, recording):
        """What `report --json` says, or None."""
        p = subprocess.run([self.bin, "report", "--json", recording], capture_output=True,
                           text=True)
        try:
            return json.loads(p.stdout)
        except ValueError:
            return None

    def counted(self, totals, fn=None):
        """Exact number of calls of fn by the kernel's counters."""
        return sum(f["calls"] for f in totals.get("functions", [])
                   if f.get("function") == (fn or self.b.fn))

    def losses(self, totals):
        """{what: count}, of what was lost at all."""
        return {r["loss"]: r["count"] for r in totals.get("losses", []) if r["count"]}
