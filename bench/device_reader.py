#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""CPU time that one reading of 8 simulated devices costs a reader process (src/devices), and its
memory: bench/device_reader.py [BUILD]. The simulated library costs nearly nothing, so this is the
cost of the reader itself; a driver adds its own."""
import os
import resource
import socket
import struct
import sys

MAGIC, END = 0x78707472, 3
build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
READINGS, DEVICES = 1000, 8


def start(kind, where):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if not pid:
        os.dup2(theirs.fileno(), 3)
        os.set_inheritable(3, True)
        os.execve(f"{build}/xputrace", ["xputrace", "--device-reader", kind, where],
                  {"XPT_FAKE_NVML_DEVICES": str(DEVICES)})
    theirs.close()
    return pid, ours


def read_once(sock, seq):
    sock.send(struct.pack("II", MAGIC, seq))
    values = 0
    while True:
        message = sock.recv(65536)
        magic, got, kind, nr = struct.unpack_from("IIHH", message)
        if magic != MAGIC or got != seq:
            sys.exit("a message that cannot be")
        if kind == END:
            return values
        values += nr


def rss_kib(pid, what):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
        return next(int(line.split()[1]) for line in rollup if line.startswith(what))


for kind, where in (("nvml", f"{build}/fake/nvml/libnvidia-ml.so.1"), ("sysfs", "/sys")):
    pid, sock = start(kind, where)
    values = read_once(sock, 1)
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        begin = stat.read().split()
    for seq in range(2, READINGS + 2):
        read_once(sock, seq)
    private = rss_kib(pid, "Private_Dirty:")
    shared = rss_kib(pid, "Rss:")
    sock.close()
    os.waitpid(pid, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin_s = (int(begin[13]) + int(begin[14])) / os.sysconf("SC_CLK_TCK")
    us = (used.ru_utime + used.ru_stime - begin_s) / READINGS * 1e6
    print(f"{kind}: {us:.0f} us of CPU time for one reading ({values} values in the first), "
          f"{us / 1e4:.3f} % of a core at one a second; {shared} KiB resident, {private} KiB of its own")
