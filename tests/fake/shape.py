#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks that a libcuda has the shape of a real driver: shape.py LIB [EXPORTS.TXT]

Every exported function must be a forwarding stub (cmpl flag; je; jmp *slot;
mov $4; ret; fills of 8 and 16 bits widen their value before the jump) whose slot lies in writable data, is filled by one
R_X86_64_RELATIVE relocation, belongs to it alone, and names an implementation
of its own that starts with a push. Prints the number of such exports, or what
is wrong and exits with 1. With EXPORTS.TXT the names must be exactly those.
"""
import struct
import sys


PLAIN = {"cuEGLApiInit", "cuMemGetAttribute", "cuMemGetAttribute_v2"}


class Elf:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        phoff, shoff = struct.unpack_from("<QQ", self.data, 32)
        phsize, phnum, shsize, shnum = struct.unpack_from("<HHHH", self.data, 54)
        self.loads = []
        for i in range(phnum):
            kind, flags, off, vaddr, _, size, _, _ = struct.unpack_from("<IIQQQQQQ", self.data,
                                                                       phoff + i * phsize)
            if kind == 1:
                self.loads.append((vaddr, size, off, flags))
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + i * shsize)
                         for i in range(shnum)]

    def at(self, vaddr, n):
        for start, size, off, _ in self.loads:
            if start <= vaddr < start + size:
                return self.data[off + vaddr - start:off + vaddr - start + n]
        return b""

    def writable(self, vaddr):
        return any(s <= vaddr < s + n and f & 2 for s, n, _, f in self.loads)

    def exports(self):
        """{name: address} of exported functions and the set of exported objects."""
        for sec in self.sections:
            if sec[1] != 11:
                continue
            text = self.sections[sec[6]]
            funcs, objects = {}, set()
            for off in range(sec[4], sec[4] + sec[5], 24):
                name, info, _, shndx, value, _ = struct.unpack_from("<IBBHQQ", self.data, off)
                start = text[4] + name
                word = self.data[start:self.data.index(b"\0", start)].decode()
                if not shndx or shndx == 0xfff1 or info >> 4 == 0:
                    continue
                if info & 15 == 2:
                    funcs[word] = value
                elif info & 15 == 1:
                    objects.add(word)
            return funcs, objects
        sys.exit("no dynamic symbols")

    def relatives(self):
        """{place: [addend, ...]} of R_X86_64_RELATIVE."""
        found = {}
        for sec in self.sections:
            if sec[1] == 4:
                for off in range(sec[4], sec[4] + sec[5], 24):
                    place, info, addend = struct.unpack_from("<QQq", self.data, off)
                    if info == 8:
                        found.setdefault(place, []).append(addend)
        return found


# movzwl %si,%esi; movzwl %dx,%edx; movzbl %sil,%esi; movzbl %dl,%edx
WIDEN = (b"\x0f\xb7\xf6", b"\x0f\xb7\xd2", b"\x40\x0f\xb6\xf6", b"\x0f\xb6\xd2")


def decode(elf, addr):
    """The slot of the stub at addr, or None."""
    code = elf.at(addr, 48)
    if code[:2] != b"\x81\x3d" or code[6:10] != b"\x00\xba\x1c\x32" or code[10] != 0x74:
        return None
    out = code[12 + code[11]:]
    jump = 12
    for widen in WIDEN:
        if code[12:12 + len(widen)] == widen:
            jump += len(widen)
    if code[jump:jump + 2] != b"\xff\x25" or out[:6] != b"\xb8\x04\0\0\0\xc3":
        return None
    return addr + jump + 6 + struct.unpack_from("<i", code, jump + 2)[0]


def is_push(code):
    return 0x50 <= code[0] <= 0x57 or (code[0] == 0x41 and 0x50 <= code[1] <= 0x57)


def check(path, names, plain):
    elf = Elf(path)
    funcs, objects = elf.exports()
    relatives = elf.relatives()
    targets = [t for ts in relatives.values() for t in ts]
    bad, slots, impls = [], {}, {}
    if names is not None and set(funcs) | objects != names:
        bad.append(f"names differ: {sorted((set(funcs) | objects) ^ names)[:5]}")
    for name, addr in sorted(funcs.items()):
        if name in plain or name.startswith("cudbg"):
            continue
        slot = decode(elf, addr)
        if slot is None:
            bad.append(f"{name}: no stub")
        elif not elf.writable(slot) or len(relatives.get(slot, [])) != 1:
            bad.append(f"{name}: slot not writable or not relocated once")
        elif slots.setdefault(slot, name) != name:
            bad.append(f"{name}: shares the slot of {slots[slot]}")
        else:
            impl = relatives[slot][0]
            if impls.setdefault(impl, name) != name or targets.count(impl) != 1:
                bad.append(f"{name}: implementation is not its own")
            elif not is_push(elf.at(impl, 2)):
                bad.append(f"{name}: implementation does not start with push")
    return funcs, bad


def main():
    names, plain = None, PLAIN
    if len(sys.argv) > 2:
        rows = [line.split() for line in open(sys.argv[2]) if not line.startswith("#")]
        names = {row[0] for row in rows if row}
        plain = {row[0] for row in rows if row and row[2] == "plain"}
    funcs, bad = check(sys.argv[1], names, plain)
    if bad:
        print(f"{len(bad)} wrong: " + "; ".join(bad[:5]))
        return 1
    print(sum(n not in plain and not n.startswith("cudbg") for n in funcs))
    return 0


sys.exit(main())
