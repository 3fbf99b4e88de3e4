#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Is FILE a sound Perfetto trace? Prints what is wrong, else counts as `KEY N` lines.
Reads the wire format itself and takes the fields from pftrace.proto, so an unknown
field or a wrong type is an error. Then: every sequence begins by clearing its state and
defines clock and track; interned ids are defined once and before use; tracks are
described; in order of time slices of a track are balanced; flows begin once and end
once, later."""
import os
import re
import sys
from collections import Counter, defaultdict

SCALAR = {"uint64", "uint32", "int64", "int32", "bool"}


def die(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def schema(path):
    messages, stack = {}, []
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"//.*", "", f.read())
    for m in re.finditer(r"(message|enum)\s+(\w+)\s*\{|(optional|repeated)\s+(\w+)\s+(\w+)\s*=\s*(\d+)\s*;|\}", text):
        if m[1]:
            stack.append(m[2] if m[1] == "message" else None)
            messages.setdefault(m[2], {} if m[1] == "message" else None)
        elif m[3]:
            messages[stack[-1]][int(m[6])] = (m[5], m[4], m[3] == "repeated")
        elif stack:
            stack.pop()
    return messages


MESSAGES = schema(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pftrace.proto"))


def varint(data, at, end):
    value = shift = 0
    while True:
        if at >= end or shift > 63:
            die("broken varint")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def read(data, at, end, message):
    """The fields of a message as a dict."""
    fields, out = MESSAGES[message], {}
    while at < end:
        key, at = varint(data, at, end)
        if key >> 3 not in fields:
            die(f"{message} has no field {key >> 3}")
        name, kind, repeated = fields[key >> 3]
        wire = key & 7
        if wire == 0 and (kind in SCALAR or MESSAGES.get(kind, 0) is None):
            value, at = varint(data, at, end)
        elif wire == 1 and kind == "fixed64":
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif wire == 2 and (kind == "string" or MESSAGES.get(kind)):
            size, at = varint(data, at, end)
            if at + size > end:
                die(f"{name} is longer than what holds it")
            value = data[at:at + size].decode("utf-8") if kind == "string" else read(data, at, at + size, kind)
            at += size
        else:
            die(f"{message}.{name} has wire type {wire}")
        if repeated:
            out.setdefault(name, []).append(value)
        elif name in out:
            die(f"{message}.{name} twice")
        else:
            out[name] = value
    if at != end:
        die(f"{message} does not end where it should")
    return out


def packets(data):
    at = 0
    while at < len(data):
        if data[at] != 10:
            die(f"no packet at {at}")
        size, at = varint(data, at + 1, len(data))
        if at + size > len(data):
            die("the last packet is cut")
        yield read(data, at, at + size, "TracePacket")
        at += size


class Sequence:
    def __init__(self, packet):
        if packet.get("sequence_flags", 0) & 1 == 0 or not packet.get("first_packet_on_sequence"):
            die(f"a sequence begins with {packet}")
        self.interned = defaultdict(dict)
        self.clocks = {c["clock_id"]: c for c in packet["clock_snapshot"]["clocks"]}
        defaults = packet["trace_packet_defaults"]
        self.clock = self.clocks[defaults["timestamp_clock_id"]]
        if not self.clock.get("is_incremental") or self.clock["timestamp"] != self.clocks[3]["timestamp"]:
            die("clock of a sequence")
        self.now = self.clock["timestamp"]
        self.track = defaults["track_event_defaults"]["track_uuid"]

    def time(self, packet):
        if "timestamp_clock_id" in packet:
            if packet["timestamp_clock_id"] != 3:
                die("a clock that is none")
            count["absolute"] += 1
            return packet["timestamp"]
        self.now += packet["timestamp"]
        return self.now

    def text(self, what, iid):
        if iid not in self.interned[what]:
            die(f"{what} {iid} is used and not defined")
        return self.interned[what][iid]


any_track = "any-track" in sys.argv[2:]	# slices may lie on others than those of threads
joined = "joined" in sys.argv[2:]	# of several files
times = "times" in sys.argv[2:]	# when slices begin after the first event, which is Perfetto's zero
count = Counter()
sequences, tracks, events = {}, {}, []
with open(sys.argv[1], "rb") as f:
    content = f.read()
for order, p in enumerate(packets(content)):
    ident = p.get("trusted_packet_sequence_id", 0)
    if not ident:
        die("a packet without a sequence")
    if ident not in sequences or (joined and p.get("first_packet_on_sequence")):
        sequences[ident] = Sequence(p)
    elif p.get("sequence_flags", 0) & 1:
        die("a state cleared again")
    seq = sequences[ident]
    for what, entries in p.get("interned_data", {}).items():
        for e in entries:
            if not e["iid"] or e["iid"] in seq.interned[what]:
                die(f"{what} {e['iid']} defined again")
            seq.interned[what][e["iid"]] = e.get("str", "")
    if "track_descriptor" in p:
        d = p["track_descriptor"]
        if d.get("parent_uuid", d["uuid"]) not in tracks and "parent_uuid" in d:
            die(f"{d} has no parent")
        tracks[d["uuid"]] = d
        count["thread" if "thread" in d else "counter" if "counter" in d else "process"] += 1
    if "track_event" not in p:
        continue
    ev = p["track_event"]
    if p.get("sequence_flags", 0) & 2 == 0 and ev["type"] not in (2, 4):
        die("an event that does not need its state")
    cats = [seq.text("event_categories", i) for i in ev.get("category_iids", [])] + ev.get("categories", [])
    name = seq.text("event_names", ev["name_iid"]) if "name_iid" in ev else ev.get("name")
    args = {}
    for a in ev.get("debug_annotations", []):
        key = seq.text("debug_annotation_names", a["name_iid"])
        value = [v for k, v in a.items() if k != "name_iid"]
        if len(value) != 1 or key in args:
            die(f"annotation {key}: {a}")
        args[key] = seq.text("debug_annotation_string_values", a["string_value_iid"]) if "string_value_iid" in a else value[0]
    events.append((seq.time(p), order, ev.get("track_uuid", seq.track), ev, name, cats, args))
    if len(sys.argv) > 2 and not any_track and not times and ev["type"] == 1:
        print(name, cats, args)
events.sort(key=lambda e: e[:2])
for ts, _, _, ev, name, _, _ in events if times else ():
    if ev["type"] == 1:
        print("at", ts - events[0][0], name)
depth, flows, last = defaultdict(list), {}, {}
for ts, _, track, ev, name, cats, args in events:
    if track not in tracks:
        die(f"track {track} is not described")
    if (ev["type"] == 4) != ("counter" in tracks[track]):
        die("a counter that is none")
    if ev["type"] == 1:
        if ("thread" not in tracks[track] and not any_track) or not name or len(cats) != 1:
            die(f"slice {name}")
        depth[track].append(ts)
        count["slice"] += 1
        count["error"] += cats[0].endswith(",error")
        count["overlap"] += "overlap" in args
        count["nested"] += len(depth[track]) > 1
    elif ev["type"] == 2:
        if not depth[track] or set(ev) - {"type", "track_uuid"}:
            die(f"an end without a begin at {ts} on {tracks[track]}")
        depth[track].pop()
    elif ev["type"] == 3:
        count["mark_" + cats[0]] += 1
    else:
        count["point"] += 1
    for flow in ev.get("flow_ids", []):
        if flows.setdefault(flow, "begun") != "begun":
            die(f"flow {flow}")
        count["flow"] += 1
    for flow in ev.get("terminating_flow_ids", []):
        if flows.get(flow) != "begun":
            die(f"flow {flow} ends before it begins")
        flows[flow] = "ended"
count["track"] = len(tracks)
count["open"] = sum(map(len, depth.values()))
if set(flows.values()) - {"ended"}:
    die("a flow does not end")
for key in sorted(count):
    print(key, count[key])
