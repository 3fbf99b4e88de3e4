#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Annotates a trace of spdk_trace -j in Python, as a measure for `xputrace spdk
annotate`: the same input, windows, columns, and for this fixture the same bytes. Reads
entry by entry, as a flow for traces of any size must, with the decoder of json (in C).
Usage: spdk_annotate.py TRACE RECORD > LINES"""
import bisect
import json
import re
import sys

POINT = re.compile(r"(\w+): (.*)")
FIELD = re.compile(r"(\w+)=('.*?'(?=, \w+=|$)|0x[0-9a-f]+)")
OWNER = re.compile(r"\S+ (\S+) (?:\S+ )?qid:(\d+)$")
CHUNK = 1 << 20


def points(path):
    found = []
    for line in open(path, encoding="utf-8"):
        m = POINT.match(line)
        if m and m[1].startswith("nvmf_"):
            fields = {k: v[1:-1] if v[0] == "'" else int(v, 16) for k, v in FIELD.findall(m[2])}
            found.append((fields["tsc"], m[1], fields))
    found.sort(key=lambda p: p[0])
    return found


def lives(path):
    """{pointer: (begins, lives)}; a life: begin, end, removal, properties."""
    out = {}
    for tsc, name, f in points(path):
        begins, all_lives = out.setdefault(f["qpair"], ([], []))
        if name == "nvmf_poll_group_add_qpair":
            if all_lives:
                all_lives[-1][1] = tsc - 1
            begins.append(tsc)
            all_lives.append([tsc, 1 << 64, 1 << 64, {"ptr": hex(f["qpair"]), "thread": f["thread"]}])
        elif name == "nvmf_poll_group_remove_qpair":
            all_lives[-1][2] = tsc
        else:
            all_lives[-1][3].update({k: f[k] for k in ("qid", "subnqn", "hostnqn")})
    return out


def read_trace(path):
    """The definitions, then each entry; text around the JSON is skipped."""
    f = open(path, encoding="utf-8")
    text = f.read(CHUNK)
    start, entries = text.index("{"), text.index('"entries":[')
    yield json.loads(text[start:entries].rstrip(",") + "}")
    decode = json.JSONDecoder().raw_decode
    at = entries + len('"entries":[')
    while True:
        if len(text) - at < 65536:
            text, at = text[at:] + f.read(CHUNK), 0
        if text[at] == ",":
            at += 1
        if text[at] == "]":
            return
        entry, at = decode(text, at)
        yield entry


def main():
    known = lives(sys.argv[2])
    by_name = {}
    for _, all_lives in known.values():
        for w in all_lives:
            by_name.setdefault((w[3].get("subnqn"), w[3].get("qid")), []).append(w)
    trace = read_trace(sys.argv[1])
    head = next(trace)
    rate, tpoints, first = head["tsc_rate"], {t["id"]: t for t in head["tpoints"]}, None
    owners = {}

    def of_owner(text, tsc):
        if text not in owners:
            m = OWNER.match(text)
            owners[text] = by_name.get((m[1], int(m[2])), []) if m else []
        fits = [w for w in owners[text] if w[0] <= tsc <= w[1]]
        return max(fits, key=lambda w: w[2], default=None)

    def show(w):
        return "qpair(" + ", ".join(f"{k}={v}" for k, v in w[3].items()) + ")"

    for e in trace:
        tsc, tp, args, seen = e["tsc"], tpoints[e["tpoint"]], [], False
        first = tsc if first is None else first
        for arg, v in zip(tp["args"], e.get("args", ())):
            w = None
            if arg["name"] == "qpair" and v in known:
                begins, all_lives = known[v]
                at = bisect.bisect_right(begins, tsc) - 1
                w = all_lives[at] if at >= 0 and tsc <= all_lives[at][1] else None
            seen = seen or w is not None
            args.append(show(w) if w else f"{arg['name']}: {hex(v) if arg['type'] == 1 else v}")
        if not seen and "owner" in e:
            w = of_owner(e["owner"], tsc)
            if w:
                args.append(show(w))
        obj = e.get("object", {})
        line = (f"{e['lcore']:3} {(tsc - first) * 10 ** 6 / rate:16.3f} {e.get('owner', e.get('poller', '')):3}"
                f" {tp['name']:24} {'size: ' + str(e['size']) if 'size' in e else '':12}")
        if "id" in obj:
            line += f"id: {obj['id']:12} "
        if "time" in obj:
            line += f"time: {obj['time'] * 10 ** 6 / rate:<8.3f} "
        print((line + ", ".join(args)).rstrip())


main()
