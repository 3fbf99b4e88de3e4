# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Libraries that cost whoever reads them more than whoever made them.

hostile_elf.py make DIR: DIR/{strings,symbols,relocations}/libcuda.so.1
hostile_elf.py map UID FILE...: as that user maps each file as code, says so, and waits.
"""
import mmap
import os
import struct
import sys
import time

TEXT, DATA, FAR = 0x2000, 0x3000, 1 << 40
STR, SYM, HASH, DYN = 0x1000, 0x1100, 0x1200, 0x1300
CODE = b"\xff\x25" + struct.pack("<i", 0)  # jmp *slot(%rip), of which the slot is patched
GIB = 1 << 30


def library(path, size, dyn=(), segments=0, strtab=(STR, 16), nr_syms=2, far=False, parts=()):
    """A stub cuInit in a file of that size, of which only what is written is stored.

    segments: so many small ones before that of the data; parts: (offset, bytes).
    """
    data = FAR if far else DATA
    ph = [
        struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, TEXT, TEXT, 4096),
        struct.pack("<IIQQQQQQ", 1, 5, TEXT, TEXT, 0, 0x1000, 0x1000, 4096),
    ]
    for i in range(segments):
        at = (1 << 32) + i * 4096
        ph.append(struct.pack("<IIQQQQQQ", 1, 4, 0, at, 0, 4096, 4096, 4096))
    ph.append(struct.pack("<IIQQQQQQ", 1, 6, DATA, data, 0, size - DATA, size - DATA, 4096))
    entries = [(4, HASH), (5, strtab[0]), (10, strtab[1]), (6, SYM), *dyn, (0, 0)]
    table = b"".join(struct.pack("<QQ", *e) for e in entries)
    ph.append(struct.pack("<IIQQQQQQ", 2, 4, DYN, DYN, 0, len(table), len(table), 8))
    phoff = 64 if len(ph) < 40 else size - len(ph) * 56
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, phoff, 0, 0, 64, 56, len(ph), 64, 0, 0)
    slot = data - (TEXT + 6)
    code = CODE if far else b"\xff\x25" + struct.pack("<i", slot)
    with open(path, "wb") as f:
        os.ftruncate(f.fileno(), size)
        for at, what in [
            (0, head), (phoff, b"".join(ph)), (STR, b"\0cuInit\0"),
            (SYM, bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 7, TEXT, 6)),
            (HASH, struct.pack("<II", 1, nr_syms)), (DYN, table), (TEXT, code), *parts,
        ]:
            f.seek(at)
            f.write(what)


def make(where):
    def path(name):
        os.mkdir(f"{where}/{name}")
        return f"{where}/{name}/libcuda.so.1"

    # 4 GiB of strings, none of which is stored.
    library(path("strings"), 5 * GIB, strtab=(DATA + 0x1000, 4 * GIB))
    # As many symbols as any file may have.
    library(path("symbols"), GIB, nr_syms=2 << 20, dyn=[(6, DATA + 0x1000)])
    # 800 KB of bits, each of them a relocation, behind as many segments as there may be.
    relr = struct.pack("<Q", DATA + 0x200000) + b"\xff" * 799992
    library(path("relocations"), 64 << 20, segments=4090,
            dyn=[(36, DATA + 0x100000), (35, 800000)], parts=[(DATA + 0x100000, relr)])


def hold(uid, paths):
    held = []
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    for path in paths:
        f = os.open(path, os.O_RDONLY)
        held.append(mmap.mmap(f, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC))
    print("mapped", flush=True)
    while held:
        time.sleep(60)


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    hold(int(sys.argv[2]), sys.argv[3:])
