#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes recordings for tests of what xputrace draws, after docs/format.md and with
no code of xputrace:   make_xtr.py KIND FILE [CALLS]   make_xtr.py spdk FILE RECORD...

  depths    calls that return from ever further out, deeper than any program nests them
  sums      counters that wrap to nothing, and one of no calls
  hostile   names that break quoting, markup, terminals and encodings
  odd       calls that overlap, are told twice, nest deep, are in flight; reused ids
  origin    a second of attaching, then a call that fails 5 ms after the start; origin_late: a recording of
            a former version, which tells the start at its end
  expected  failures that libraries try on purpose, and two that tell something
  steps     six calls, each in its own part of 10 ms; lead_in: the same behind a minute without calls
  threads   3000 threads, of which three do more than the others
  xid       reports of the GPU driver: whose they are, odd ones, hostile text
  devices   what NVML and sysfs say of devices: errors that rise, a lost GPU, a reader that is silent
  hooks     what hooks added up, under hostile names and with odd numbers
  sched     what the scheduler did during calls: words of every shape, sums
  spdk      probes of queue pairs, a process for each RECORD of lines as trace.py writes them;
            spdk_ticks: without the TSC; spdk_odd: with all that is no such probe, or half of one
  rdma      calls of the kernel's RDMA interface below verbs and NCCL, with their lines
            (FILE.jsonl, of rdma_traces.py: a bad GID, then a good call, in one process)
  training  CALLS calls of a training loop: allocations, copies, launches, waits"""
import random
import re
import struct
import sys
import zlib

CALL, INFLIGHT, TASK, FN, PROC, LIB, META, CLOCK, LOSS, COUNTER, END, STACK, XID, SCHED, HOOK = \
    1, 2, 3, 4, 5, 6, 7, 8, 11, 9, 13, 14, 17, 18, 19
DEVICE, READING = 20, 21
OTHER, ALLOC, FREE, COPY, LAUNCH, SYNC, RECORD = 0, 1, 2, 3, 5, 6, 20
ADDR, SIZE, STREAM, FUNC, GRID, BLOCK, SHMEM, DIR, DST, SRC, EVENT = 1, 2, 3, 6, 8, 11, 14, 15, 19, 20, 21
VAL, OUT, CONST, STR = 1, 3, 4, 5
FNCOST = 16
BASE = 5_000_000_000_000

HOSTILE = [b'"}],"x":[{"', b"</script><script>alert(1)</script>", b"\x1b[2J\x1b[31mred\x07", b"a\xff\xfe\xc3(b\xed\xa0\x80",
           b"]]>&amp;<&>'\"", b"\\u0000\\\\\"", "rtl\u202eabc\u2028\u2029".encode(), b"new\nline\ttab\rcr", b"semi;colon 12",
           b"%s%n%p", b"<!--", "\U0001f600\u00e9".encode(), b"-" * 900, b" ", b"<svg onload=alert(1)>", b"${x}`y`"]


class Writer:
    def __init__(self, path):
        self.file = open(path, "wb")
        head = struct.pack("<8sIII", b"XPTRACE\0", 1, 24, 0)
        self.file.write(head + struct.pack("<I", zlib.crc32(head)))
        self.recs, self.size = [], 0

    def record(self, kind, fn, body):
        body += b"\0" * (-len(body) % 8)
        self.recs.append(struct.pack("<HHI", kind, len(body) + 8, fn) + body)
        self.size += len(body) + 8
        if self.size > 200_000:
            self.flush()

    def flush(self):
        if not self.recs:
            return
        data = b"".join(self.recs)
        head = struct.pack("<4sIIII", b"XBLK", 0, len(data), len(data), len(self.recs))
        self.file.write(head + struct.pack("<I", zlib.crc32(data, zlib.crc32(head))) + data)
        self.recs, self.size = [], 0

    def close(self, start, end):
        self.record(END, 0, struct.pack("<QQiI", start, end, 0, 0))
        self.flush()
        self.file.close()

    def begin(self):
        self.record(CLOCK, 0, struct.pack("<QQQ", BASE, BASE + 77, BASE + 1_700_000_000_000_000_000))
        self.record(LIB, 0, struct.pack("<IIQQ", 1, 9, 0, 0) + b"/usr/lib/libcuda.so.1\0\0")

    def fn(self, ident, name, cls, caps=(), domain=b"cuda", kind=0, lib=1, layer=0):
        """caps: (operation, argument, width, role, offset, name)"""
        size = next((i for i, c in enumerate(caps) if c[3] == SIZE), 255)
        out = sum(1 << i for i, c in enumerate(caps) if c[0] == OUT)
        spec = struct.pack("<BBBBBBBBHBBHxx", cls, 1, len(caps), 0, size, 255, 0, kind, 0, 0, 0, out)
        spec += b"".join(struct.pack("<BBBBi", *c[:5]) for c in caps).ljust(96, b"\0")
        text = b"\0".join([name, name, domain] + [c[5] for c in caps]) + b"\0"
        self.record(FN, ident, struct.pack("<IBxxx", lib, layer) + spec + text)

    def proc(self, pid, ts, comm=b"train", exe=b"/usr/bin/train", cmd=b"train --fast", start=0):
        self.record(PROC, 0, struct.pack("<QIIIIQ", ts, pid, 1, 0, 0, start) + b"\0".join([comm, exe, cmd]) + b"\0")

    def task(self, what, pid, tid, ts, comm=b"", code=0):
        self.record(TASK, 0, struct.pack("<QIIIIiIQ16s", ts, pid, tid, 0, what, code, 0, 0, comm[:15]))

    def call(self, fn, pid, tid, start, dur, vals=(), ret=0, depth=0, flags=0, stack=None, kind=CALL, sched=None,
             cpu=0, text=b"", valid=None):
        flags |= (4 if ret else 0) | (1 if depth else 0) | (0 if stack is None else 8) | (0 if sched is None else 16)
        body = struct.pack("<QQIIqHBBBBH", start, dur, pid, tid, ret,
                           (1 << len(vals)) - 1 if valid is None else valid, len(vals), depth, flags, cpu, len(text))
        vals = tuple(vals) + (() if stack is None else (stack,)) + (() if sched is None else (sched,))
        self.record(kind, fn, body + struct.pack(f"<{len(vals)}Q", *vals) + text)

    def stack(self, pid, ident, frames):
        text = b"".join(f + b"\0" + m + b"\0" for f, m in frames)
        self.record(STACK, 0, struct.pack("<IIII", pid, ident, len(frames), 0) + text)

    def xid(self, ts, xid, device, text, pid=0, minor=0xffffffff):
        self.record(XID, 0, struct.pack("<QIIII", ts, xid, pid, minor, 1) + device + b"\0" + text + b"\0")

    def device(self, ident, kind, index, name, parent=0, uuid=b"", address=b"", detail=b""):
        head = struct.pack("<IIHxxIIi", ident, parent, kind, index, 0xffffffff, -1)
        self.record(DEVICE, 0, head + b"\0".join([name, uuid, address, detail]) + b"\0")

    def reading(self, ts, device, values):
        """values: (metric, part, pid, value); part None: of the whole device"""
        body = b"".join(struct.pack("<HHIQ", m, 0xffff if part is None else part, pid, v) for m, part, pid, v in values)
        self.record(READING, 0, struct.pack("<QII", ts, device, len(values)) + body)

    def meta(self, key, value):
        self.record(META, 0, key + b"\0" + value + b"\0")

    def counter(self, fn, pid, calls, total, sub=7):
        hist = [0] * 40
        hist[39] = calls
        self.record(COUNTER, fn, struct.pack("<IHBx5Q40Q", pid, fn, sub, calls, 0, 0, total, total, *hist))

    def sched(self, fn, pid, calls, runq, blocked, voluntary, involuntary, sub=7):
        self.record(SCHED, fn, struct.pack("<IHBx5Q", pid, fn, sub, calls, runq, blocked, voluntary, involuntary))

    def hook(self, action, name, keys, count, total=0, low=0, step=0, buckets=()):
        body = struct.pack("<BBBBBBxxQqqqqQ", action, len(keys), 0, len(buckets), 0, 2, count, total, 1, 9, low, step)
        body += struct.pack(f"<{len(buckets)}Q", *buckets)
        self.record(HOOK, 0, body + b"\0".join([name] + [t for k in keys for t in k]) + b"\0")

    def loss(self, ts, which, count):
        self.record(LOSS, 0, struct.pack("<QIIQ", ts, which, 0, count))


def driver(w):
    u32 = [(VAL, i, 4, GRID + i - 1, 0, n) for i, n in enumerate(
        [b"gridDimX", b"gridDimY", b"gridDimZ", b"blockDimX", b"blockDimY", b"blockDimZ"], 1)]
    w.fn(1, b"cuMemAlloc_v2", ALLOC, [(OUT, 0, 8, ADDR, 0, b"dptr"), (VAL, 1, 8, SIZE, 0, b"bytesize")], kind=1)
    w.fn(2, b"cuMemFree_v2", FREE, [(VAL, 0, 8, ADDR, 0, b"dptr")], kind=1)
    w.fn(3, b"cuMemcpyHtoDAsync_v2", COPY, [
        (VAL, 0, 8, DST, 0, b"dstDevice"), (VAL, 1, 8, SRC, 0, b"srcHost"), (VAL, 2, 8, SIZE, 0, b"ByteCount"),
        (VAL, 3, 8, STREAM, 0, b"hStream"), (CONST, 0, 4, DIR, 1, b"dir")])
    w.fn(4, b"cuLaunchKernel", LAUNCH, [(VAL, 0, 8, FUNC, 0, b"f")] + u32 + [
        (VAL, 7, 4, SHMEM, 0, b"sharedMemBytes"), (VAL, 8, 8, STREAM, 0, b"hStream")])
    w.fn(5, b"cuStreamSynchronize", SYNC, [(VAL, 0, 8, STREAM, 0, b"hStream")])
    w.fn(6, b"cuCtxSynchronize", SYNC)
    w.fn(7, b"cudaMalloc", ALLOC, [(OUT, 0, 8, ADDR, 0, b"devPtr"), (VAL, 1, 8, SIZE, 0, b"size")], domain=b"cudart", kind=1)
    w.fn(8, b"cuPointerGetAttribute", 16, [(VAL, 2, 8, ADDR, 0, b"ptr")])


def devices(w):
    second, mib = 10**9, 1 << 20
    w.begin()
    w.meta(b"devices", b"1000000000")
    driver(w)
    w.proc(100, BASE)
    w.call(1, 100, 100, BASE + 1000, 500, (0x7f0000000000, 256 * mib))
    w.device(1, 1, 0, b"NVIDIA H100", uuid=b"GPU-1", address=b"00000000:3B:00.0")
    w.device(2, 1, 1, HOSTILE[2])
    w.device(3, 2, 0, b"NVIDIA H100 MIG 1g.10gb", parent=2)
    w.device(4, 3, 0, b"mlx5_0")
    w.device(5, 4, 0, b"nvme0")
    w.device(6, 6, 0, b"NVML", detail=b"driver 580, NVML 13")
    for i in range(3):
        ts = BASE + (i + 1) * second
        w.reading(ts, 1, [
            (1, None, 0, 1), (2, None, 0, 1000 + 4000 * i), (6, None, 0, 80000 * mib), (7, None, 0, (1000 + 500 * (i % 2)) * mib),
            (10, None, 0, 100_000 * (i + 1)), (30, None, 0, 60 + 10 * i), (40, None, 0, 5 + i), (41, None, 0, 7),
            (57, None, 0, 4_000_000_000 - 3_999_999_998 * (i == 2)), (70, 2, 0, 10 * i), (70, 3, 0, 1), (511, None, 0, 3),
            (100, None, 100, (300 + 10 * i) * mib), (100, None, 200, 50 * mib), (105, None, 100, 1)])
        w.reading(ts, 2, [(1, None, 0, i < 2)] + ([(30, None, 0, 50)] if i < 2 else []))
        w.reading(ts, 3, [(7, None, 0, 7 * mib), (100, None, 300, 5 * mib)])
        w.reading(ts, 4, [(200, 1, 0, 4 - 3 * (i == 2)), (204, 1, 0, 1 + i), (232, 1, 0, 10)])
        w.reading(ts, 5, [(301, None, 0, i == 0), (306, None, 0, i > 0)])
        w.reading(ts, 6, [(400, None, 0, i == 0), (401, None, 0, 20 * second * i), (402, None, 0, i), (403, None, 0, 1 + i),
                          (405, None, 0, 2)])
    w.reading(BASE + 4 * second, 99, [(1, None, 0, 1)])
    w.close(BASE, BASE + 4 * second)


def depths(w):
    w.begin()
    for ident in range(1, 200):
        w.fn(ident, b"cuFn%03d" % ident, 7)
    w.proc(100, BASE)
    for i, depth in enumerate(range(200, 72, -1)):
        w.call(1 + i, 100, 100, BASE + 1000 - i, 10 + 2 * i, depth=depth)
    w.call(190, 100, 100, BASE, 5000)
    w.close(BASE, BASE + 10 ** 9)


def sums(w):
    w.begin()
    for ident in 1, 2, 3:
        w.fn(ident, b"cuFn%d" % ident, LAUNCH)
    w.proc(100, BASE)
    for ident in 1, 2, 3:
        w.call(ident, 100, 100, BASE + 1000 * ident, 100)
        w.counter(ident, 100, (5, 5, 0)[ident - 1], (0, 10, 0)[ident - 1])
        w.record(FNCOST, ident, struct.pack("<QQQII", 100, 100, 5, 0, 0))
    for ident in 1, 2:
        w.counter(ident, 100, 2 ** 64 - 5, 0)
    w.close(BASE, BASE + 10 ** 9)


def hostile(w):
    w.begin()
    t = BASE + 1000
    for i, name in enumerate(HOSTILE):
        name = name.replace(b"\0", b"")
        w.fn(i + 1, name, [ALLOC, FREE, LAUNCH, SYNC][i % 4], [(VAL, 0, 8, ADDR, 0, name[:300]), (VAL, 1, 8, SIZE, 0, b"n" + name[:200])],
             domain=name[:100], kind=i % 12)
        w.proc(100 + i, t, name, name, name)
        w.task(1, 100 + i, 100 + i, t, name)
        w.stack(100 + i, i + 1, [(name, name), (b"main+0x12", name)])
        for k in range(3):
            w.call(i + 1, 100 + i, 100 + i, t, 900, (0x7f0000000000 + k, 4096 * k), ret=k and 2, stack=i + 1)
            t += 1000
        w.call(i + 1, 100 + i, 100 + i, t, 10 ** 9, (1, 2), kind=INFLIGHT)
    w.loss(t, 0, 12)
    w.loss(t, 7, 3)
    w.close(BASE, t + 10 ** 9)


def odd(w):
    rnd = random.Random(7)
    w.begin()
    driver(w)
    w.proc(100, BASE)
    for k in range(3000):  # whatever a damaged file may say, also twice
        args = (8, 100, 100 + rnd.randrange(3), BASE + rnd.randrange(10 ** 6), rnd.choice([0, 1, rnd.randrange(10 ** 5)]), (5,))
        w.call(*args, depth=rnd.randrange(16))
        if k % 7 == 0:
            w.call(*args, depth=0)
    for tid in (200, 201):  # more nested calls than anybody holds back
        t = BASE + 2 * 10 ** 6
        for k in range(1000):
            w.call(8, 100, tid, t + 10 + 20 * k, 15, (5,), depth=1)
        w.call(1, 100, tid, t, 25000, (4096, 4096), flags=2)
        for depth in range(15, 0, -1):
            w.call(7, 100, tid, t + 30000 + depth, 1000 - 2 * depth, (4096, 4096), depth=depth, flags=2)
        w.call(7, 100, tid, t + 30000, 1000, (4096, 4096), flags=2)
    for age in (10 ** 6, 10 ** 9):  # told twice; the second one returns
        w.call(6, 100, 300, BASE + 3 * 10 ** 6, age, kind=INFLIGHT)
        w.call(5, 100, 301, BASE + 3 * 10 ** 6, age, (7,), kind=INFLIGHT)
    w.call(5, 100, 300, BASE + 4 * 10 ** 6, 5000, (7,), depth=1)
    w.call(5, 100, 301, BASE + 3 * 10 ** 6, 2 * 10 ** 9, (7,))
    w.task(4, 100, 100, BASE + 4 * 10 ** 9, code=9)  # the id again: another process
    w.proc(100, BASE + 5 * 10 ** 9, b"other", b"/bin/other", b"other", start=99)
    w.call(1, 100, 100, BASE + 6 * 10 ** 9, 10, (4096, 4096))
    w.call(1, 100, 100, BASE - 5000, 10, (4096, 4096))  # before the trace began
    w.loss(BASE + 6 * 10 ** 9, 0, 1234)
    w.close(BASE, BASE + 7 * 10 ** 9)


def training(w, calls):
    rnd = random.Random(1)
    w.begin()
    driver(w)
    pids = [(4711, 4711, 0x55d0c0a01000), (4711, 4712, 0x55d0c0a02000), (4800, 4800, 0x5601c0a01000)]
    for pid in (4711, 4800):
        w.proc(pid, BASE)
    clock = {tid: BASE + 1000 * i for i, (_, tid, _) in enumerate(pids)}
    n = 0

    def call(fn, pid, tid, vals, mean, **kw):
        nonlocal n
        start = clock[tid] + rnd.randrange(300, 4000)
        dur = int(mean * rnd.uniform(0.5, 2))
        clock[tid] = start + dur
        w.call(fn, pid, tid, start, dur, vals, **kw)
        n += 1

    while n < calls:
        for pid, tid, stream in pids:
            bufs = [0x7f2000000000 + rnd.randrange(40) * 0x200000 for _ in range(2)]
            for b in bufs:
                call(1, pid, tid, (b, rnd.choice([4096, 65536, 1 << 20, 4 << 20])), 3000)
            call(3, pid, tid, (bufs[0], 0x7ffe00001000, rnd.choice([4096, 1 << 20]), stream), 9000)
            for k in range(6):
                call(4, pid, tid, (0x55d000 + 0x50 * (k % 4), 64 << k, 1, 1, 256, 1, 1, 0, stream), 1700)
            call(5, pid, tid, (stream,), 200000)
            for b in bufs:
                call(2, pid, tid, (b,), 2500)
    w.close(BASE, max(clock.values()))


def origin(w, told=True):
    ms = 10 ** 6
    start = BASE + 1000 * ms
    w.begin()
    driver(w)
    w.proc(100, BASE + 400 * ms)
    w.meta(b"host", b"h")
    w.task(1, 100, 100, BASE + 999 * ms, b"train")
    if told:
        w.meta(b"origin", b"%d" % start)
    w.call(1, 100, 100, start + ms, ms, (4096, 4096))
    w.call(6, 100, 100, start + 5 * ms, 1000, ret=700)
    w.task(4, 100, 100, start + 9 * ms)
    w.close(start, start + 10 * ms)


def expected(w):
    w.begin()
    for ident, name, domain in (1, b"cuGetProcAddress_v2", b"cuda"), (2, b"nvmlDeviceGetFanSpeed", b"nvml"), (3, b"cuInit", b"cuda"):
        w.fn(ident, name, 16, domain=domain)
    w.proc(100, BASE)
    for i, (fn, ret) in enumerate([(1, 500), (1, 500), (1, 0), (1, 500), (2, 25), (2, 15), (3, 100)]):
        w.call(fn, 100, 100, BASE + 1000 * i, 500, ret=ret)
    w.close(BASE, BASE + 10 ** 6)


def steps(w, lead_in=0):
    ms = 10 ** 6
    at = BASE + lead_in
    w.begin()
    driver(w)
    w.proc(100, BASE)
    w.call(3, 100, 100, at + 2 * ms, ms, (1, 2, 3, 4), depth=1)
    w.call(1, 100, 100, at + ms, 2 * ms, (4096, 4096))
    w.call(4, 100, 100, at + 5 * ms, ms // 10, (0, 1, 1, 1, 1, 1, 1, 0, 0))
    w.call(5, 100, 100, at + 6 * ms, 2 * ms, (0,))
    w.call(6, 100, 101, at + 4 * ms, 6 * ms, kind=INFLIGHT)
    w.call(2, 100, 100, at + 9 * ms, 10000, (4096,), ret=2)
    w.close(BASE, at + 10 * ms)


def xid(w):
    ms, gpu = 10 ** 6, b"0000:3b:00"
    w.begin()
    driver(w)
    w.fn(9, b"ioctl:NV_ESC_RM_FREE", 17, [(VAL, 0, 8, 0, 0, b"fd"), (VAL, 1, 4, 0, 0, b"device")], domain=b"ioctl")
    w.proc(100, BASE, b"first")
    w.proc(200, BASE, b"second")
    w.xid(BASE + ms, 48, gpu, b"before anybody used it")
    w.call(6, 100, 100, BASE + 2 * ms, 1000)
    w.xid(BASE + 3 * ms, 79, gpu, b"fell off.")
    w.call(6, 200, 200, BASE + 4 * ms, 1000)
    w.xid(BASE + 5 * ms, 31, gpu, b"pid=100, name=first", 100)
    w.xid(BASE + 6 * ms, 31, gpu, b"pid=100, name=first", 100)
    w.xid(BASE + 7 * ms, 43, gpu, b"pid=999", 999)
    w.xid(BASE + 8 * ms, 63, gpu, b"", minor=4000000000)
    w.xid(BASE + 9 * ms, 4294967295, b"x" * 500, b"y" * 5000)
    for i, name in enumerate(HOSTILE):
        w.xid(BASE + (10 + i) * ms, 1000 + i, name, name, pid=i)
    w.close(BASE, BASE + 40 * ms)


def kernel(w):
    """Functions of two modules and of a library, with one name in common."""
    w.begin()
    for ident, path in ((2, b"[nvidia]"), (3, b"[nvidia_uvm]")):
        w.record(LIB, 0, struct.pack("<IIQQ", ident, 9, 0, 0) + path + b"\0\0")
    w.fn(1, b"schedule", 0)
    w.fn(2, b"schedule", 23, domain=b"kernel", lib=2, layer=2)
    w.fn(3, b"preempt", 23, domain=b"kernel", lib=2, layer=2)
    w.fn(4, b"schedule", 23, domain=b"kernel", lib=3, layer=2)
    w.fn(5, b"ioctl:RM_CONTROL:PREEMPT", 23, domain=b"ioctl", lib=0xffffffff, layer=1)
    w.proc(100, BASE)
    for i in range(1, 6):
        w.call(i, 100, 100, BASE + 10000 * i, 1000 * i)
    w.close(BASE, BASE + 10 ** 6)


def sched_word(runq, blocked, voluntary, involuntary):
    def time(ns):
        e = 0
        while ns >= 1 << 18:
            ns, e = ns >> 2, e + 1
        return ns << 4 | e
    return time(runq) | time(blocked) << 22 | voluntary << 44 | involuntary << 54


def sched(w):
    ms = 10 ** 6
    w.begin()
    w.meta(b"sched", b"yes")
    driver(w)
    w.fn(9, b"cuModuleGetFunction", 16, [(5, 2, 8, 7, 0, b"name")])
    w.proc(100, BASE)
    w.stack(100, 1, [(b"main+0x12", b"/usr/bin/train")])
    t = BASE + ms
    w.call(6, 100, 100, t, 10 * ms, sched=sched_word(123456, 8765432, 3, 0))
    w.call(5, 100, 100, t + 20 * ms, 10 * ms, (7,), stack=1, sched=sched_word(6 * ms, 0, 0, 1023))
    w.call(9, 100, 100, t + 40 * ms, ms, (4096,), sched=sched_word(5, 6, 1, 1), text=b"gemm\0")
    w.call(6, 100, 100, t + 50 * ms, ms, sched=2 ** 64 - 1)  # more than the call has
    w.call(6, 100, 100, t + 60 * ms, ms)
    w.call(6, 100, 100, t + 70 * ms, 400 * ms, kind=INFLIGHT, cpu=3, sched=sched_word(0, 399 * ms, 1, 0))
    w.call(5, 100, 101, t + 70 * ms, 400 * ms, (7,), kind=INFLIGHT, cpu=255)
    w.counter(6, 100, 3, 12 * ms)
    w.counter(5, 100, 1000, 500 * ms)
    w.counter(9, 100, 1, ms)
    w.sched(6, 100, 2, 123456, 9 * ms, 4, 5)
    w.sched(5, 100, 900, 200 * ms, 100 * ms, 7, 4000)
    w.sched(5, 100, 1, 10 * ms, 0, 0, 1)
    w.sched(77, 100, 1, 1, 1, 1, 1)  # no such function
    w.close(BASE, t + 500 * ms)


def hooks(w):
    w.begin()
    for name in HOSTILE:
        w.hook(1, name, [(name[:40], name)], 5)
        w.hook(6, b"sizes", [(b"comm", name)], 7, 70, buckets=[1, 2, 4])
    w.hook(5, b"average", [], 2 ** 64 - 1, -2 ** 63)
    w.hook(7, b"steps", [], 2 ** 64 - 1, -2 ** 63, low=2 ** 63 - 1, step=2 ** 64 - 1, buckets=[1, 2, 4])
    w.hook(7, b"steps", [], 3, 30, low=2 ** 63 - 1, step=2 ** 63 - 1, buckets=[1, 1, 1])
    w.close(BASE, BASE + 10 ** 9)


SPDK_TSC, SPDK_RATE = 10 ** 12, 2.6  # the first, and ticks a nanosecond, of tests/fake/spdk


def spdk_probes(w):
    tsc, qpair, thread = (VAL, 0, 8, 0, 0, b"tsc"), (VAL, 1, 8, 0, 0, b"qpair"), (VAL, 2, 8, 0, 0, b"thread")
    names = [(5, 3, 8, 0, 0, b"subnqn"), (5, 4, 8, 0, 0, b"hostnqn")]
    w.fn(1, b"nvmf_poll_group_add_qpair", 0, [tsc, qpair, thread], domain=b"spdk")
    w.fn(2, b"nvmf_poll_group_remove_qpair", 0, [tsc, qpair, thread], domain=b"spdk")
    w.fn(3, b"nvmf_ctrlr_add_qpair", 0, [tsc, qpair, (VAL, 2, 2, 0, 0, b"qid")] + names, domain=b"spdk")
    w.fn(4, b"nvmf_transport_qpair_fini", 0, [tsc, qpair], domain=b"spdk")


def spdk(w, records, ticks=True):
    w.begin()
    w.meta(b"ticks", b"0x%x 0x%x" % (SPDK_TSC, BASE))
    spdk_probes(w)
    end = BASE
    for i, path in enumerate(records):
        for line in open(path, "rb"):
            m = re.match(rb"(\w+): tsc=0x(\w+), qpair=0x(\w+), (?:thread|qid)=0x(\w+)(?:, subnqn='(.*)', hostnqn='(.*)')?$", line)
            if not m:
                continue
            fn = {b"nvmf_poll_group_add_qpair": 1, b"nvmf_poll_group_remove_qpair": 2, b"nvmf_ctrlr_add_qpair": 3}[m[1]]
            vals = [int(v, 16) for v in m.groups()[1:4]] + ([1, 1] if fn == 3 else [])
            at = BASE + int((vals[0] - SPDK_TSC) / SPDK_RATE)
            w.call(fn, 100 * i + 100, 100 * i + 100, at, 0, vals, text=m[5] + b"\0" + m[6] + b"\0" if fn == 3 else b"",
                   valid=(1 << len(vals)) - 1 - (not ticks))
            end = max(end, at)
            if len(w.recs) > 20:
                w.flush()
    end += 10 ** 9  # it goes on until the last completions have drained
    w.meta(b"ticks", b"0x%x 0x%x" % (SPDK_TSC + int(SPDK_RATE * (end - BASE)), end))
    w.loss(end, 0, 0)
    w.close(BASE, end)


def spdk_odd(w, records):
    for text in (b"", b" ", b"0x1", b"0x1 ", b"x y", b"0x10 0x10 0x10", b"0x" + b"f" * 40 + b" 0x1", b"9" * 60,
                 b"0x20 0x20", b"0x10 0x10"):
        w.meta(b"ticks", text)
    w.call(3, 100, 100, BASE, 0, (1, 2, 3, 4, 5), text=b"a\0b\0")  # before anybody said what 3 is
    w.fn(3, b"nvmf_ctrlr_add_qpair", 0, [(VAL, 0, 8, 0, 0, b"qid")], domain=b"spdk")  # without what tells
    w.call(3, 100, 100, BASE, 0, (1,))
    w.fn(3, b"nvmf_ctrlr_add_qpair", 0, [(VAL, 1, 8, 0, 0, b"qpair"), (5, 3, 8, 0, 0, b"hostnqn")], domain=b"spdk")
    w.call(3, 100, 100, BASE, 0, (0x1000, 1), text=b"only one\0")
    w.fn(3, b"nvmf_ctrlr_add_qpair", 0, [(VAL, 1, 8, 0, 0, b"qpair")], domain=b"cuda")
    spdk_probes(w)
    for n in range(6):
        for text in (b"", b"\0", b"a\0", b"a\0b", b"\0\0", b"n" * 255 + b"\0" + b"m" * 255 + b"\0"):
            for valid in (0, 1, 2, 3, 7, 15, 31):
                w.call(3, 100, 100, BASE + n, 0, (1 << 63, (1 << 64) - 1, 3, 4, 5)[:n], text=text, valid=valid & (1 << n) - 1)
    for fn in (1, 2, 4, 0xffff, 5):
        w.call(fn, 100, 100, (1 << 64) - 1, 0, (0, 0, 0))
    w.loss(BASE, 0, 7)
    w.loss(BASE, 0, 5)
    spdk(w, records)


def threads(w):
    w.begin()
    driver(w)
    w.proc(1000, BASE)
    for tid in range(1000, 4000):
        w.task(1, 1000, tid, BASE, b"worker")
        w.call(6, 1000, tid, BASE + tid, 10 ** 6 if tid % 1000 == 4 else 10)
    w.close(BASE, BASE + 10 ** 7)


def rdma(w):
    """ncclCommInitRank on thread 1 fails; a thread of NCCL's own made the verbs call that failed.
    Then the program itself calls verbs on thread 1. What is too early or late does not count."""
    with open(sys.argv[2] + ".jsonl", "rb") as f:
        lines = [x.rstrip(b"\n") for x in f]
    wall = BASE + 1_700_000_000_000_000_000
    texts = [(STR, 0, 8, r, 0, n) for r, n in ((0, b"device"), (48, b"origin"), (49, b"cause"), (50, b"advice"))]
    ms = 10 ** 6
    w.begin()
    w.fn(2000, b"modify_qp INIT>RTR", OTHER, texts, domain=b"rdma", lib=0xffffffff, layer=2)
    w.fn(1, b"ibv_modify_qp", 11, domain=b"verbs")
    w.fn(2, b"ibv_cmd_modify_qp", 11, domain=b"verbs")
    w.fn(3, b"ncclCommInitRank", 7, domain=b"nccl")
    w.fn(4, b"cuStreamSynchronize", SYNC, domain=b"cuda")
    w.proc(4711, BASE)
    w.proc(4712, BASE, b"other")

    def kernel(tid, start, ret, line, depth):
        bad = ret != 0
        text = b"\0".join([b"rxe0", b"rdma_get_gid_attr" if bad else b"", b"bad parameter" if bad else b"",
                           b"Look at the GID table." if bad else b""]) + b"\0"
        w.call(2000, 4711, tid, start, 50_000, (0, 0, 0, 0), ret=ret, depth=depth, text=text)
        w.meta(b"rdma", re.sub(rb'"wall_ns":"[^"]*"', b'"wall_ns":"%#x"' % (start - BASE + wall), line))

    t = BASE + 10 * ms
    w.call(1, 4711, 1, BASE + ms, ms, ret=22)  # before it
    kernel(7, t, -61, lines[0], 2)
    w.call(1, 4712, 9, t - ms, 5 * ms, ret=22)  # of another process
    w.call(2, 4711, 7, t - 1000, 60_000, ret=61, depth=1)
    w.call(1, 4711, 7, t - 2000, 70_000, ret=61)
    w.call(4, 4711, 5, t - ms, 3 * ms)  # around it, but it went well
    w.call(3, 4711, 1, t - 2 * ms, 30 * ms, ret=2)
    t += 100 * ms
    kernel(1, t, -61, lines[0], 1)
    kernel(1, t + 60_000, 0, lines[1], 1)
    w.call(1, 4711, 1, t - 1000, 200_000, ret=61)
    w.meta(b"rdma", b'{"type":"rdma_event","event":"PORT_ERR","device":"rxe0","driver":"rdma_rxe","number":1,"wall_ns":"%#x"}' % (t - BASE + wall))
    w.meta(b"rdma", b"nonsense")
    w.task(4, 4711, 4711, t + 2000 * ms, code=256)
    w.counter(2000, 4711, 3, 150_000)
    w.close(BASE, t + 3000 * ms)


def main():
    w = Writer(sys.argv[2])
    if sys.argv[1] == "training":
        training(w, int(sys.argv[3]))
    elif sys.argv[1].startswith("spdk"):
        {"spdk": spdk, "spdk_ticks": lambda w, r: spdk(w, r, False), "spdk_odd": spdk_odd}[sys.argv[1]](w, sys.argv[3:])
    else:
        {"depths": depths, "sums": sums, "hostile": hostile, "odd": odd, "steps": steps, "threads": threads, "xid": xid, "devices": devices, "kernel": kernel,
         "sched": sched, "hooks": hooks, "rdma": rdma, "origin": origin, "expected": expected,
         "origin_late": lambda w: origin(w, False), "lead_in": lambda w: steps(w, 60 * 10 ** 9)}[sys.argv[1]](w)


main()
