#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Is a table of faults true?   truth.py NAME KERNEL DIR

DIR has the table fresh.tsv, truth.jsonl (what the programs saw), functions (what can be
probed) and trace: every negative result of these functions, in time, as the kernel's own
return probes saw it (guest/rdma-fresh.sh). For each fault the function is shown that was first
to return its errno within the system call; it must be one of the table's, unless the table's
own note says that the source alone tells."""
import errno
import re
import sys
import judge
import rates

LINE = re.compile(r"^\s*(.{1,16})-\d+\s+\[\d+\].*?: (\w+): \(.* <- (.*)\) ret=(-?\d+)$")
NUMBERS = {name: number for number, name in errno.errorcode.items()} | {"ERESTARTSYS": 512, "EOPNOTSUPP": errno.EOPNOTSUPP}
ENTRIES = ("ib_uverbs_write", "ib_uverbs_ioctl", "ib_uverbs_mmap", "ib_uverbs_open", "ucma_write")


def returns_of(path):
    """{process: [(function, errno)]}"""
    found = {}
    with open(path, encoding="utf-8") as f:
        for m in map(LINE.match, f):
            if m:
                function = re.sub(r"\+0x.*", "", m[3]).split(" ")[0]
                found.setdefault(m[1].strip(), []).append((judge.bare(function), -int(m[4])))
    return found


def first_of(returns, numbers):
    """The function that was first to return one of these errnos within the last call that failed with it."""
    end = max((i for i, (f, n) in enumerate(returns) if f in ENTRIES and n in numbers), default=len(returns) - 1)
    begin = max((i + 1 for i, (f, _) in enumerate(returns[:end]) if f in ENTRIES), default=0)
    return next((f for f, n in returns[begin:end + 1] if n in numbers), None)


def main():
    test, kernel, folder = sys.argv[1:4]
    truth = {t["fault"]: t for t in judge.lines(f"{folder}/truth.jsonl")}
    with open(f"{folder}/functions", encoding="utf-8") as f:
        functions = {judge.bare(line.strip()) for line in f}
    returns = returns_of(f"{folder}/trace")
    bad = []
    for fault in (f for f in rates.read(f"{folder}/fresh.tsv") if f.is_of(kernel)):
        saw = truth.get(fault.name, {}).get("error", "nothing")
        numbers = {NUMBERS[e] for e in fault.errnos.split("|") if e in NUMBERS}
        first = first_of(returns.get(fault.name, []), numbers)
        table = fault.origin_here(functions)
        right = first is not None and any(judge.any_of(p, first) for p in table)
        print(f"note {fault.name:15} {saw:11} first: {first}, table: {'|'.join(table)}"
              f"{'' if right else ', BY SOURCE ALONE' if 'source' in fault.why else ', OTHERWISE'}")
        if not fault.came(truth) or not (right or "source" in fault.why):
            bad.append(fault.name)
    judge.expect(f"{test}_truth", " ".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
