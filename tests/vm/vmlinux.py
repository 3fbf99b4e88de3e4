#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Takes the kernel out of a compressed x86 image: vmlinux.py IMAGE OUT. The boot
header says where it lies (Documentation/arch/x86/boot.rst)."""
import lzma
import struct
import sys

with open(sys.argv[1], "rb") as image:
    data = image.read()
sectors = data[0x1f1] or 4
offset, length = struct.unpack_from("<II", data, 0x248)
payload = data[(sectors + 1) * 512 + offset:][:length]
if payload[:6] != b"\xfd7zXZ\0":
    sys.exit("vmlinux.py: the kernel is not compressed with xz")
with open(sys.argv[2], "wb") as out:
    # Behind the compressed data stands the size, which is no part of it.
    out.write(lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(payload))
