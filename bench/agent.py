# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the agent costs a node: idle, beside many callers (with a bpftrace script that counts the same functions next to
it), beside processes that come and go, and beside a flood of calls while its metrics are read.

    sudo python3 bench/agent.py [--build build] [--seconds 30] [--churn 60] [--only idle,many,churn,scrapes]

Prints one line for each promise, and writes build/bench_agent.json. CPU time is that of the agent and all its children,
from /proc; the time of probes in the programs is not in it (docs/overhead.md has that).
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import proc

TICK = os.sysconf("SC_CLK_TCK")
FUNCTION = "cuMemAlloc_v2"


def family(pid):
    """pid and all that descend from it."""
    found = [pid]
    for p in found:
        try:
            with open(f"/proc/{p}/task/{p}/children") as f:
                found += [int(c) for c in f.read().split()]
        except OSError:
            pass
    return found


def cpu_s(pid):
    """CPU seconds of a process, its children and those that it has waited for."""
    total = 0
    for p in family(pid):
        try:
            with open(f"/proc/{p}/stat") as f:
                rest = f.read().rsplit(")", 1)[1].split()
            total += sum(int(v) for v in rest[11:15 if p == pid else 13])
        except OSError:
            pass
    return total / TICK


def rss(pid):
    """Resident bytes of the agent and its children, shared pages once."""
    total = 0
    for p in family(pid):
        try:
            with open(f"/proc/{p}/smaps_rollup") as f:
                total += int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M)[1]) * 1024
        except (OSError, TypeError):
            pass
    return total


class Agent:
    def __init__(self, a, folder, *options):
        self.err = os.path.join(folder, "agent.err")
        self.cmd = [os.path.join(a.build, "xputrace"), "agent", "--listen", "0", "-v", "--recordings",
                    os.path.join(folder, "recordings"), "--socket", os.path.join(folder, "sock"), *options]
        begin = time.monotonic()
        self.p = proc.start(self.cmd, stderr=self.err)
        while not (found := re.search(r"are at (http://[^;]*);", open(self.err).read())):
            if self.p.poll() is not None or time.monotonic() > begin + 30:
                sys.exit(f"the agent has not begun: {open(self.err).read()}")
            time.sleep(0.02)
        self.start_s = time.monotonic() - begin
        self.url = found[1]

    def watch(self, a, folder):
        """Has probes on the library before anybody calls it: those of a file get theirs once a program has mapped it."""
        holder = proc.start([os.path.join(a.build, "bench/loop"), a.lib, FUNCTION, "1", "--linger", "600"])
        while not self.sum_of("xputrace_calls_total"):
            again = proc.start([os.path.join(a.build, "bench/loop"), a.lib, FUNCTION, "1"])
            again.wait()
            time.sleep(2)
        time.sleep(2)
        self.before = self.sum_of("xputrace_calls_total", 'process="loop"')
        return holder

    def counted(self):
        time.sleep(2)       # a page is made each second
        return self.sum_of("xputrace_calls_total", 'process="loop"') - self.before

    def scrape(self):
        begin = time.monotonic()
        page = urllib.request.urlopen(self.url, timeout=10).read().decode()
        return page, time.monotonic() - begin

    def sum_of(self, metric, *labels):
        page, _ = self.scrape()
        return sum(float(line.rsplit(" ", 1)[1]) for line in page.splitlines()
                   if line.startswith(metric + "{") and all(text in line for text in labels))

    def end(self):
        proc.stop(self.p)


def share(pid, seconds):
    """Share of one processor over a while."""
    before, t0 = cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_s(pid) - before) / (time.monotonic() - t0)


def callers(a, folder, processes, rate, seconds, threads=1):
    """Programs that call at a rate each; a list of (Popen, path of what they counted)."""
    made = []
    for i in range(processes):
        out = os.path.join(folder, f"made{i}.json")
        cmd = [os.path.join(a.build, "bench/loop"), a.lib, FUNCTION, str(rate * seconds // threads), "--threads",
               str(threads), "--rate", str(rate), "--out", out]
        made.append((proc.start(cmd), out))
    return made


def wait_all(made):
    calls = 0
    for p, out in made:
        p.wait()
        with open(out) as f:
            calls += json.load(f)["calls"]
    return calls


def idle(a, folder):
    agent = Agent(a, folder)
    time.sleep(3)
    took = share(agent.p.pid, a.seconds)
    size = rss(agent.p.pid)
    agent.end()
    return {"start_s": agent.start_s, "cpu": took, "rss": size}, [
        ("answers on loopback after, s", agent.start_s, 2),
        ("idle: share of a processor, %", 100 * took, 0.1),
        ("idle: resident memory, MiB", size / 2**20, 40)]


def agent_share(a, folder, processes, rate, *options):
    """Its share of a processor, calls made, calls counted."""
    agent = Agent(a, folder, *options)
    agent.watch(a, folder)
    made = callers(a, folder, processes, rate, a.seconds + 6)
    time.sleep(4)
    took = share(agent.p.pid, a.seconds)
    calls = wait_all(made)
    counted = agent.counted()
    agent.end()
    return took, calls, counted


def many(a, folder):
    processes, rate = 50, 1000
    ours, calls, counted = agent_share(a, folder, processes, rate)
    only_counters = agent_share(a, folder, processes, rate, "--counters")[0]
    theirs = bpftrace_share(a, folder, processes, rate)
    checks = [("50 x 1,000 calls/s: share of a processor, %", 100 * ours, 2),
              ("50 x 1,000 calls/s: calls made minus calls counted", abs(calls - counted), 0),
              ("50 x 1,000 calls/s: with --counters, %", 100 * only_counters, None)]
    if theirs:
        checks.append(("50 x 1,000 calls/s: bpftrace's count beside it, % (for comparison)", 100 * theirs, None))
    return {"cpu": ours, "counters_cpu": only_counters, "bpftrace_cpu": theirs, "calls": calls, "counted": counted}, checks


def bpftrace_share(a, folder, processes, rate):
    """A script that counts all functions of the same library by process and prints them each second."""
    if not shutil.which("bpftrace"):
        return None
    script = f"uprobe:{a.lib}:cu* {{ @[comm, pid, probe] = count(); }} interval:s:1 {{ print(@); }}"
    p = proc.start(["bpftrace", "-q", "-e", script], stdout=os.path.join(folder, "bpftrace.out"),
                   env={"BPFTRACE_MAX_BPF_PROGS": "4096", "BPFTRACE_MAX_PROBES": "4096"})
    time.sleep(15)
    made = callers(a, folder, processes, rate, a.seconds + 6)
    time.sleep(4)
    took = share(p.pid, a.seconds)
    wait_all(made)
    p.kill()
    p.wait()
    return took


def churn(a, folder):
    agent = Agent(a, folder)
    agent.watch(a, folder)
    pids = [agent.p.pid]
    cmd = [os.path.join(a.build, "bench/loop"), a.lib, FUNCTION, "20"]
    begin, n, begun, sizes, fds = time.monotonic(), 0, [], [], []
    while time.monotonic() < begin + a.churn:
        due = int((time.monotonic() - begin) * 100)
        while n < due:
            begun.append(subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            n += 1
        begun = [p for p in begun if p.poll() is None]
        if not sizes or time.monotonic() > begin + len(sizes) * a.churn / 20:
            sizes.append(rss(pids[0]))
            fds.append(len(os.listdir(f"/proc/{pids[0]}/fd")))
        time.sleep(0.01)
    for p in begun:
        p.wait()
    calls = agent.counted()
    agent.end()
    third = len(sizes) // 3        # the flight recorder fills first
    growth = sizes[-1] - sizes[third]
    return {"processes": n, "sizes": sizes, "fds": fds, "calls": calls}, [
        (f"{n} processes in {a.churn} s: memory after a third until the end, MiB", growth / 2**20, 1),
        (f"{n} processes in {a.churn} s: descriptors", fds[-1] - fds[third], 0),
        (f"{n} processes in {a.churn} s: calls made minus calls counted", abs(20 * n - calls), 0)]


def scrapes(a, folder):
    agent = Agent(a, folder)
    agent.watch(a, folder)
    made = callers(a, folder, 1, 500000, a.seconds, threads=2)
    time.sleep(2)
    times = sorted(agent.scrape()[1] for _ in range(1000))
    running = made[0][0].poll() is None
    ours = share(agent.p.pid, 5) if running else 0
    calls = wait_all(made)
    with open(made[0][1]) as f:
        result = json.load(f)
    counted = agent.counted()
    lost = {k: agent.sum_of("xputrace_lost_total", f'loss="{k}"') for k in ("ring_full", "table_evicted", "metrics_full")}
    agent.end()
    return {"calls": calls, "counted": counted, "lost": lost, "slowest_s": times[-1], "median_s": times[500],
            "cpu": ours, "loop": result, "was_running": running}, [
        ("1,000 scrapes beside 500,000 calls/s: the slowest, ms", 1000 * times[-1], 200),
        ("1,000 scrapes beside 500,000 calls/s: the median, ms", 1000 * times[500], None),
        ("1,000 scrapes beside 500,000 calls/s: calls made minus calls counted", abs(calls - counted), 0),
        ("1,000 scrapes beside 500,000 calls/s: events lost", sum(lost.values()), 0)]


ITEMS = {"idle": idle, "many": many, "churn": churn, "scrapes": scrapes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=int, default=30, help="of each measurement")
    parser.add_argument("--churn", type=int, default=60, help="seconds of processes that come and go; 600 is the promise")
    parser.add_argument("--only", default=",".join(ITEMS), help="items, with commas between")
    a = parser.parse_args()
    a.build = os.path.abspath(a.build)
    a.lib = os.path.join(a.build, "fake/libcuda.so.1")
    results, failed = {}, False
    for name in a.only.split(","):
        folder = tempfile.mkdtemp(prefix="bench_agent.")
        try:
            results[name], checks = ITEMS[name](a, folder)
        finally:
            proc.stop_all()
            shutil.rmtree(folder)
        for title, value, bound in checks:
            verdict = "" if bound is None else "ok" if value <= bound else "NOT KEPT"
            failed |= verdict == "NOT KEPT"
            print(f"  {title}: {value:.2f}{'' if bound is None else f' (promised: {bound})'} {verdict}", flush=True)
    with open(os.path.join(a.build, "bench_agent.json"), "w") as f:
        json.dump(results, f, indent=1)
    return failed


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
