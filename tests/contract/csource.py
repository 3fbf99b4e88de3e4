# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the checks of the source tree share: the list of files, C text without
comments and strings, functions as ctags sees them, exceptions, and the report
in the result lines that tests/run counts."""
import os
import re
import subprocess
import sys

FOLDERS = ("src", "tests", "bench", "examples", "scripts", "mk", ".ci")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def files(*endings, folders=FOLDERS):
    """Paths below the folders with one of the endings, sorted."""
    found = []
    for folder in folders:
        for root, dirs, names in os.walk(folder):
            dirs[:] = [d for d in dirs if d != "__pycache__"]
            found += [os.path.join(root, n) for n in names if n.endswith(endings)]
    return sorted(found)


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def _blank(match):
    text = match.group(0)
    if text[0] == "/":
        return "".join("\n" if c == "\n" else " " for c in text)
    return text[0] + "_" * (len(text) - 2) + text[0]


def code(path):
    """The file's text, line by line the same, comments and literals blanked."""
    return TOKEN.sub(_blank, read(path))


def functions(paths):
    """(path, name, first line, last line) of every C function."""
    if not paths:
        return []
    out = subprocess.run(
        ["ctags", "--languages=C", "--langmap=C:.c.h", "--kinds-C=f", "--fields=+ne", "-f", "-", *paths],
        check=True, capture_output=True, text=True, errors="replace").stdout
    found = []
    for row in out.splitlines():
        line = re.search(r"\tline:(\d+)", row)
        end = re.search(r"\tend:(\d+)", row)
        if line and end:
            name, path = row.split("\t")[:2]
            found.append((path, name, int(line.group(1)), int(end.group(1))))
    return sorted(found, key=lambda f: (f[0], f[2]))


def exceptions(check):
    """{path or path:function: reason} of exceptions.txt for one check."""
    found = {}
    for line in read("tests/contract/exceptions.txt").splitlines():
        words = line.split(None, 2)
        if words and not line.startswith("#") and words[0] == check and len(words) == 3:
            found[words[1]] = words[2]
    return found


def report(name, problems):
    """Prints every problem and the one result line; ends the script."""
    for problem in problems:
        print(f"  {problem}")
    if problems:
        print(f"not ok {name}: {len(problems)} found")
    else:
        print(f"ok {name}")
    return 1 if problems else 0


def finish(*results):
    sys.exit(1 if any(results) else 0)
