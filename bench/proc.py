# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Processes of the bench: started in groups of their own, watched, ended.

Every process that is started here is known until it has ended, so that an
interrupt leaves nothing behind. While one runs, its peak memory and its CPU
time are read from /proc.
"""
import os
import signal
import subprocess
import time

_running = set()
TICK = os.sysconf("SC_CLK_TCK")


class Finished:
    """What became of a process."""

    def __init__(self, cmd):
        self.cmd = cmd
        self.status = None
        self.peak_rss = 0       # bytes, of the process itself
        self.cpu_s = []         # (ns, CPU seconds so far) of the process without its children
        self.start_ns = 0       # CLOCK_MONOTONIC
        self.end_ns = 0
        self.timed_out = False

    @property
    def ok(self):
        return self.status == 0

    def cpu_share(self, from_ns, to_ns):
        """Share of one CPU that the process took between two moments, or None."""
        inside = [s for s in self.cpu_s if from_ns <= s[0] <= to_ns]
        if len(inside) < 2 or inside[-1][0] == inside[0][0]:
            return None
        return (inside[-1][1] - inside[0][1]) * 1e9 / (inside[-1][0] - inside[0][0])


def _observe(pid, fin):
    try:
        with open(f"/proc/{pid}/status") as f:
            for line in f:
                if line.startswith("VmHWM:"):
                    fin.peak_rss = max(fin.peak_rss, int(line.split()[1]) * 1024)
                    break
        with open(f"/proc/{pid}/stat") as f:
            rest = f.read().rsplit(")", 1)[1].split()
        fin.cpu_s.append((time.monotonic_ns(), (int(rest[11]) + int(rest[12])) / TICK))
    except (OSError, IndexError, ValueError):
        pass        # it has just ended


def start(cmd, stdout=None, stderr=None, env=None):
    """A Popen in a group of its own; stdout and stderr are paths or None."""
    def opened(path):
        return open(path, "wb") if path else subprocess.DEVNULL
    out, err = opened(stdout), opened(stderr)
    try:
        p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                             env={**os.environ, **(env or {})}, start_new_session=True)
    finally:
        for f in (out, err):
            if f != subprocess.DEVNULL:
                f.close()
    _running.add(p)
    return p


def finish(p, cmd, start_ns, limit_s=300, watch=True):
    """Waits for p, at most limit_s seconds, then ends its group."""
    fin = Finished(cmd)
    fin.start_ns = start_ns
    deadline = time.monotonic() + limit_s
    while True:
        if watch:
            _observe(p.pid, fin)
        try:
            fin.status = p.wait(timeout=0.05 if watch else limit_s)
            break
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline:
                fin.timed_out = True
                stop(p)
                fin.status = p.returncode
                break
    fin.end_ns = time.monotonic_ns()
    _running.discard(p)
    return fin


def run(cmd, limit_s=300, watch=False, **kw):
    """Runs cmd to its end."""
    t0 = time.monotonic_ns()
    return finish(start(cmd, **kw), cmd, t0, limit_s, watch)


def stop(p):
    """Ends the group of p: politely, then not."""
    for sig, wait_s in ((signal.SIGINT, 5), (signal.SIGTERM, 2), (signal.SIGKILL, 30)):
        try:
            os.killpg(p.pid, sig)
        except ProcessLookupError:
            pass
        try:
            p.wait(timeout=wait_s)
            break
        except subprocess.TimeoutExpired:
            continue
    _running.discard(p)


def stop_all():
    for p in list(_running):
        stop(p)
