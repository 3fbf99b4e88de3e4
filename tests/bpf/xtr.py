# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads recordings and JSON lines for the bpf tests: a reader of its own, made
from docs/format.md, so that what xputrace wrote is not judged by its own code."""
import json
import re
import struct
import zlib
from collections import Counter, namedtuple

Function = namedtuple("Function", "name domain layer cls")
Call = namedtuple("Call", "pid tid fn start dur ret valid depth flags vals")
Total = namedtuple("Total", "pid fn dir outer nested calls errors bytes time longest hist")

NESTED, OUTER, FAILED = 1, 2, 4
DIRS = {0: "HtoH", 1: "HtoD", 2: "DtoH", 3: "DtoD", 4: "auto", 5: "peer"}


def losses_of_vocabulary(path="src/wire/vocab.h"):
    """Names of losses by number, from the vocabulary."""
    with open(path, encoding="utf-8") as f:
        text = f.read().split("#define XPT_LOSSES(X)")[1].split("#define")[0]
    return [name.lower() for name in re.findall(r"\bX\((\w+),", text)]


def strings(data):
    return [s.decode("utf-8", "replace") for s in data.split(b"\0")]


class Packed:
    """The records of a block with codec 1."""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.threads, self.models, self.next = {}, {}, {}   # by slot
        self.nr_threads = self.nr_models = 0
        self.thread = self.end = self.model = 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        v = shift = 0
        while True:
            b = self.byte()
            v |= (b & 0x7f) << shift
            if b < 0x80:
                return v
            shift += 7

    def diff(self, before):
        z = self.varint()
        return before + (z >> 1 ^ -(z & 1)) & 2 ** 64 - 1

    def word(self):
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def records(self, size):
        out = b""
        while len(out) < size:
            head = self.byte()
            words = self.other() if head & 128 else self.call(head)
            out += struct.pack(f"<{len(words)}Q", *words)
        if self.at != len(self.data):
            raise ValueError("bytes behind the last record")
        return out

    def call(self, head):
        if head & 2:
            self.thread = self.threads[self.nr_threads % 256] = self.word()
            self.nr_threads += 1
        elif head & 1:
            self.thread = self.threads[self.byte()]
        slot = self.next.get(self.model, 0)
        if head & 8:
            slot = self.nr_models % 256
            self.nr_models += 1
            self.models[slot] = [self.word()] + [0] * 18
        elif head & 4:
            slot = self.byte()
        self.next[self.model] = self.model = slot
        m = self.models[slot]
        self.end = self.diff(self.end)
        m[2] = self.varint()
        m[1], m[3] = self.end - m[2] & 2 ** 64 - 1, self.thread
        if head & 16:
            m[4] = self.diff(m[4])
        if head & 32:
            m[5] ^= self.varint()
        differ = self.varint() if head & 64 else 0
        for i in range(13):
            if differ >> i & 1:
                m[6 + i] = self.diff(m[6 + i])
        return m[:(m[0] >> 16 & 0xffff) // 8]

    def other(self):
        n, words = self.varint(), []
        while len(words) < n:
            used = self.byte()
            words.append(sum(self.byte() << 8 * i for i in range(8) if used >> i & 1))
            if not used:
                words += [0] * self.byte()
        return words


class Recording:
    """Everything in a .xtr file, by kind; raises ValueError where it breaks the format."""

    def __init__(self, path):
        self.fns, self.calls, self.inflight, self.left, self.totals = {}, [], [], [], []
        self.errors, self.losses, self.tasks, self.procs, self.meta = Counter(), {}, [], [], {}
        self.end = self.cost = None
        self.nr_libs = 0
        self.loss_names = losses_of_vocabulary()
        with open(path, "rb") as f:
            data = f.read()
        magic, version, first, flags, crc = struct.unpack_from("<8sIIII", data)
        if magic != b"XPTRACE\0" or version != 1 or flags or crc != zlib.crc32(data[:20]):
            raise ValueError("file header")
        while first < len(data):
            first = self._block(data, first)

    def _block(self, data, at):
        magic, codec, size, stored, nr, crc = struct.unpack_from("<4sIIIII", data, at)
        body = data[at + 24:at + 24 + stored]
        if magic != b"XBLK" or codec > 1 or len(body) != stored:
            raise ValueError(f"block at {at}")
        if crc != zlib.crc32(body, zlib.crc32(data[at:at + 20])):
            raise ValueError(f"checksum of the block at {at}")
        if codec == 1:
            body = Packed(body).records(size)
        if len(body) != size:
            raise ValueError(f"length of the block at {at}")
        pos = 0
        while pos < size:
            kind, length, fn = struct.unpack_from("<HHI", body, pos)
            if length < 8 or length % 8 or pos + length > size:
                raise ValueError(f"record at {at + 24 + pos}")
            self._record(kind, fn, body[pos:pos + length])
            pos += length
            nr -= 1
        if nr:
            raise ValueError(f"number of records of the block at {at}")
        return at + 24 + stored

    def _record(self, kind, fn, r):
        if self.end:
            raise ValueError("a record behind END")
        if kind in (1, 2):
            start, dur, pid, tid, ret, valid, nr, depth, flags = struct.unpack_from("<QQIIqHBBB", r, 8)
            vals = struct.unpack_from(f"<{nr}Q", r, 48)
            call = Call(pid, tid, self.fns[fn].name, start, dur, ret, valid, depth, flags, vals)
            (self.calls if kind == 1 else self.left if flags & 32 else self.inflight).append(call)
        elif kind == 3:
            self.tasks.append(struct.unpack_from("<QIIIIiI", r, 8))
        elif kind == 4:
            name, _, domain = strings(r[128:])[:3]
            self.fns[fn] = Function(name, domain, r[12], r[16])
        elif kind == 5:
            self.procs.append(struct.unpack_from("<QII", r, 8) + tuple(strings(r[40:])[:3]))
        elif kind == 6:
            self.nr_libs += 1
        elif kind == 7:
            key, value = strings(r[8:])[:2]
            self.meta[key] = value
        elif kind == 9:
            pid, f, sub = struct.unpack_from("<IHB", r, 8)
            n = struct.unpack_from("<45Q", r, 16)
            self.totals.append(Total(pid, self.fns[f].name, sub & 7, bool(sub & 8), bool(sub & 16),
                                     *n[:5], n[5:]))
        elif kind == 10:
            pid, f, code, n = struct.unpack_from("<IIqQ", r, 8)
            self.errors[pid, self.fns[f].name, code] += n
        elif kind == 11:
            loss, n = struct.unpack_from("<IxxxxQ", r, 16)
            self.losses[self.loss_names[loss]] = n
        elif kind == 12:
            self.cost = struct.unpack_from("<QQQQQII", r, 8)
        elif kind == 13:
            self.end = struct.unpack_from("<QQiI", r, 8)


class Lines:
    """A .jsonl file: complete calls, calls in flight, calls that were left, losses."""

    def __init__(self, path):
        self.calls, self.inflight, self.left, self.losses = [], [], [], {}
        with open(path, encoding="utf-8") as f:
            for line in f:
                o = json.loads(line)
                if o["type"] == "loss":
                    self.losses[o["name"]] = o["count"]
                elif o.get("in_flight"):
                    self.inflight.append(o)
                elif o.get("left"):
                    self.left.append(o)
                elif o.get("phase") == "X":
                    self.calls.append(o)


def objects(path):
    """Lines of JSON, such as the truth of several processes."""
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]
