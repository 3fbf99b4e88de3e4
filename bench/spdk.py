# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What `xputrace spdk annotate` costs for a million entries of a trace of the
fixture, beside the same done in Python (spdk_annotate.py): CPU time, memory, and
whether both write the same lines.
"""
import hashlib
import os
import subprocess
import sys

import report

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "../build/fake/spdk_tgt_new")
# 8 hosts, 4 I/O queues each, whose addresses go round in 9 rounds.
SIZE = ["-t", "tcp", "-h", "8", "-q", "4", "-d", "16", "-n", "445", "-r", "9"]


def _run(cmd, ret_hash=None):
    """(CPU seconds, peak MiB); with a list in ret_hash the lines are read and hashed."""
    p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         stdout=subprocess.PIPE if ret_hash is not None else subprocess.DEVNULL)
    if ret_hash is not None:
        h = hashlib.sha256()
        while chunk := p.stdout.read(1 << 20):
            h.update(chunk)
        ret_hash.append(h.hexdigest())
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = status
    return (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024) if not status else None


def annotate(b, x, a):
    trace, record = b.path("spdk.json"), b.path("spdk.txt")
    if not _run([TARGET, *SIZE, "-T", trace, "-R", record]):
        return {"error": "cannot make a trace"}, []
    ours_cmd = [x.bin, "spdk", "annotate", "--trace", trace, "--with", record]
    python_cmd = [sys.executable, os.path.join(HERE, "spdk_annotate.py"), trace, record]
    lines = []
    _run(ours_cmd, lines)
    _run(python_cmd, lines)
    runs = [r for r in (_run(ours_cmd) for _ in range(3)) if r]
    ours, python = min(runs) if runs else None, _run(python_cmd)
    entries = int(subprocess.run(f"grep -o '\"lcore\"' '{trace}' | wc -l", shell=True,
                                 capture_output=True, check=True).stdout)
    os.unlink(trace)
    os.unlink(record)
    if not ours or not python:
        return {"error": "a run failed"}, []
    per_million = ours[0] * 1e6 / entries
    item = {"entries": entries, "xputrace_s": ours[0], "peak_rss_mib": ours[1], "python_s": python[0],
            "times_faster_than_python": python[0] / ours[0], "same_lines": lines[0] == lines[1]}
    return item, [
        report.check("annotating a million SPDK entries, CPU seconds", per_million, "<=", 2),
        report.check("annotating SPDK entries: peak RSS, MiB", ours[1], "<=", 128),
        report.check("annotating SPDK entries, times faster than Python with the same lines",
                     python[0] / ours[0] if item["same_lines"] else None, ">=", 20)]
