#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the tables of domains/cuda and domains/cudart with the CUDA headers.

Every prototype of the headers, in all its ABI versions, is resolved to the row
that the tracer would use, and every capture of that row is checked against it:
argument word (System V ABI), width, sign, name, struct offset. Every function
that the libraries export must have a row or fall to catch_all, every result
code must be there. Nothing of CUDA is needed to build xputrace, so without a
toolkit (CUDA_HOME, else /usr/local/cuda) this is skipped.
"""
# uses: cuda_toolkit
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

HOME = os.environ.get("CUDA_HOME", "/usr/local/cuda")
INC = os.path.join(HOME, "include")
CC = os.environ.get("CC", "cc")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Gone from the headers of this toolkit, still exported by older runtimes; they take nothing.
REMOVED = {"cudaThreadExit", "cudaThreadSynchronize"}
# As it was in CUDA 6.0 alone.
ANCIENT = {"cudaOccupancyMaxActiveBlocksPerMultiprocessor"}
# Exported by libcudart, called by code that the compiler makes, not worth an event each.
UNTRACED = {
    "__cudaGetProcAddress", "__cudaInitModule", "__cudaPopCallConfiguration",
    "__cudaPushCallConfiguration", "__cudaRegisterFatBinaryEnd",
    "__cudaRegisterHostVar", "__cudaRegisterManagedVar", "__cudaRegisterUnifiedTable",
    "__cudaRegisterVar",
}
# What other APIs' interoperation exports: traced by catch_all with time and result.
INTEROP = re.compile(r"(cu|cuda)(Graphics)?(EGL|GL|VDPAU|Graphics.*Egl|EventCreateFromEGL)|.*Egl")
errors = []


def error(text):
    errors.append(text)


def skip(reason):
    print("skip cuda-tables: " + reason)
    sys.exit(0)


def run(args, **kw):
    return subprocess.run(args, check=True, text=True, stdout=subprocess.PIPE, **kw).stdout


def split_args(text):
    out, depth, cur = [], 0, ""
    for ch in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(ch, 0)
        if ch == "," and depth == 0:
            out.append(cur)
            cur = ""
        else:
            cur += ch
    return [a.strip() for a in out + [cur] if a.strip() not in ("", "void")]


def parameter(text):
    """'const size_t * n' -> ('size_t*', 'n'); arrays become pointers."""
    m = re.match(r"^(.*?[\s*])(\w+)\s*((?:\[\w*\])*)$", text)
    kind = re.sub(r"\b(const|volatile)\b", "", m.group(1) + ("*" if m.group(3) else ""))
    return re.sub(r"\s*\*", "*", " ".join(kind.split())), m.group(2)


def prototypes(text, prefix):
    """{name: [(return type, [(type, name)])]} of all declarations in preprocessed text."""
    found = {}
    for m in re.finditer(r"([\w*\s]+?)\b(" + prefix + r"\w+)\s*\(", text):
        end, depth = m.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        ret = " ".join(m.group(1).replace("extern", " ").split())
        args = split_args(" ".join(text[m.end():end - 1].split()))
        if not ret or ret in ("return", "static inline", "typedef") or text[end:end + 1] == "{":
            continue
        if not all(re.match(r"^[\w\s*\[\]]+[\s*]\w+(\[\w*\])*$", a) for a in args):
            continue
        found.setdefault(m.group(2), []).append((ret, [parameter(a) for a in args]))
    return found


def preprocess(header, *defines):
    args = [CC, "-E", "-P", "-I", INC, "-x", "c", *("-D" + d for d in defines), "-"]
    return run(args, input="#include <%s>\n" % header, stderr=subprocess.DEVNULL)


def raw(header):
    """A C++ header that cannot be preprocessed as C: comments and directives removed."""
    with open(os.path.join(INC, header), encoding="utf-8", errors="replace") as f:
        text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    text = re.sub(r"//.*|^\s*#.*$", " ", text, flags=re.M)
    return text.replace('extern "C"', " ").replace("CUDARTAPI", " ")


def removed_prototypes():
    """What older runtimes exported under the same names, from the profiler's structs."""
    path = os.path.join(INC, "generated_cudart_removed_meta.h")
    found = {}
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for m in re.finditer(r"struct (\w+?)_v\d+_params_st \{(.*?)\}", text, re.S):
        if m.group(1) in ANCIENT:
            continue
        args = [a.replace("__dv", " ").strip() for a in m.group(2).split(";") if a.strip()]
        found.setdefault(m.group(1), []).append(("cudaError_t", [parameter(a) for a in args]))
    return found


class Compiler:
    """Sizes, offsets and kinds of types, asked from the compiler in one go."""

    def __init__(self, headers, *defines):
        self.head = "".join("#define %s\n" % d for d in defines)
        self.head += "".join("#include <%s>\n" % h for h in headers)
        self.known = {}
        self.wanted = []

    def ask(self, expr):
        if expr not in self.known:
            self.known[expr] = None
            self.wanted.append(expr)

    def answer(self, tmp):
        """Asks all at once; what does not compile is asked again without the culprits."""
        while self.wanted:
            lines = ["P(%s)" % e for e in self.wanted]
            text = (self.head + "#include <stdio.h>\n#include <stddef.h>\n"
                    '#define P(e) printf("%lld\\n", (long long)(e));\n'
                    "int main(void) {\n#line 1\n" + "\n".join(lines) + "\nreturn 0; }\n")
            src, exe = os.path.join(tmp, "ask.c"), os.path.join(tmp, "ask")
            with open(src, "w", encoding="utf-8") as f:
                f.write(text)
            r = subprocess.run([CC, "-w", "-fmax-errors=0" if "gcc" in CC else "-w", "-I", INC,
                                "-o", exe, src], text=True, stderr=subprocess.PIPE, check=False)
            if r.returncode == 0:
                self.known.update(zip(self.wanted, map(int, run([exe]).split())))
                self.wanted = []
                return
            bad = {int(n) for n in re.findall(r"ask\.c:(\d+):\d+: error", r.stderr)}
            if not bad:
                sys.exit("check-cuda-tables: " + r.stderr[:2000])
            self.wanted = [e for i, e in enumerate(self.wanted, 1) if i not in bad]

    def get(self, expr):
        return self.known.get(expr)


def size_expr(kind):
    return "sizeof(%s)" % kind


def class_expr(kind):
    return "__builtin_classify_type(*(%s *)0)" % kind


def sign_expr(kind):
    return "(%s)-1 < 0" % kind


def field_exprs(kind, field):
    return "offsetof(%s, %s)" % (kind, field), "sizeof(((%s *)0)->%s)" % (kind, field)


def words(cc, args):
    """Per argument (first word, number of words), by the System V ABI; None for a float."""
    reg, stack, out = 0, 6, []
    for kind, _ in args:
        size, cls = 8, 5
        if not kind.endswith("*"):
            size, cls = cc.get(size_expr(kind)), cc.get(class_expr(kind))
        if size is None:
            return None
        n = (size + 7) // 8
        if cls == 8:
            out.append(None)
        elif (cls in (12, 13) and size > 16) or reg + n > 6:
            out.append((stack, n))
            stack += n
        else:
            out.append((reg, n))
            reg += n
    return out


class Row:
    def __init__(self, sym, cls, ret, kind):
        self.sym, self.cls, self.ret, self.kind = sym, cls, ret, kind
        self.caps = []
        self.protos = 0
        self.named = set()


class Cap:
    def __init__(self, op, word, width, signed, role, off, name):
        self.op, self.role, self.name = op, role, name
        self.word, self.width, self.off = int(word), int(width), int(off)
        self.signed = signed == "1"


def load(exe, domain):
    rows, results, globs = [], [], []
    for line in run([exe, domain]).splitlines():
        tag, *f = line.split("\t")
        if tag == "F":
            rows.append(Row(*f))
        elif tag == "C":
            rows[-1].caps.append(Cap(*f))
        elif tag == "R":
            results.append((int(f[0]), f[1], f[2] == "1", f[3] == "1", f[4]))
        else:
            globs.append(f[0])
    syms = [r.sym for r in rows]
    if syms != sorted(set(syms)):
        error("%s: rows not sorted or not unique" % domain)
    return {r.sym: r for r in rows}, results, globs


def resolve(rows, sym):
    """The rule of xpt_domain__row."""
    thread = re.sub(r"_pt(ds|sz)$", "", sym)
    for name in (sym, thread, re.sub(r"_v\d+$", "", thread)):
        if name in rows:
            return rows[name]
    return None


def ask_all(cc, row, args):
    for kind, name in args:
        if not kind.endswith("*"):
            cc.ask(size_expr(kind))
            cc.ask(class_expr(kind))
            cc.ask(sign_expr(kind))
        for cap in row.caps:
            base = kind[:-1] if kind.endswith("*") else kind
            if cap.name == name and kind.endswith("*") and base != "void":
                cc.ask(size_expr(base))
            for path in {cap.name, cap.name.partition(".")[2]} - {""}:
                if base != "void" and re.match(r"^(struct )?\w+$", base):
                    for e in field_exprs(base, path):
                        cc.ask(e)


def check_value(cc, cap, kind, name, at):
    """VAL of argument (kind, name) that begins at word `at`; None or what is wrong."""
    first, _, path = cap.name.partition(".")
    if path:
        off, size = (cc.get(e) for e in field_exprs(kind, path))
        if off is None:
            return "no field %s in %s" % (path, kind)
        if cap.word != at + off // 8 or cap.off != off % 8 * 8 or cap.width != size:
            return "field lies at word %d, bit %d, %d bytes" % (at + off // 8, off % 8 * 8, size)
        return None
    size = 8 if kind.endswith("*") else cc.get(size_expr(kind))
    if cap.width != size or cap.off > 0:
        return "%s has %d bytes" % (kind, size)
    if size < 8 and cap.signed != bool(cc.get(sign_expr(kind))):
        return "sign of %s" % kind
    return None


def check_string(cap, kind):
    """STR of an argument of that type; None or what is wrong."""
    if kind != "char*":
        return "%s is no string" % kind
    return None if (cap.width, cap.off, cap.role) == (8, 0, "NAME") else "no plain NAME"


def check_array(cap, kind):
    """ARRAY of a descriptor of that type; None or what is wrong. Bits: wire/array.h."""
    m = re.match(r"^CUDA_ARRAY(3D)?_DESCRIPTOR(_v1)?(_st)?\*$", kind)
    if not m:
        return "%s is no array descriptor" % kind
    layout = (1 if m.group(1) else 0) | (2 if m.group(2) else 0)
    return None if cap.off & 3 == layout else "layout of %s is %d" % (kind, layout)


def check_sides(kind):
    """SIDES of a descriptor of that type; None or what is wrong."""
    known = re.match(r"^CUDA_MEMCPY[23]D(_v\d)?(_st)?\*$", kind)
    return None if known else "%s is no copy descriptor" % kind


def check_pointer(cc, cap, kind, name):
    """DEREF and OUT through argument (kind, name); None or what is wrong."""
    if not kind.endswith("*"):
        return "%s is no pointer" % name
    base = kind[:-1]
    off, size = (cc.get(e) for e in field_exprs(base, cap.name))
    if off is not None:
        wrong = (cap.off, cap.width) != (off, size)
        return "field is %d bytes at %d" % (size, off) if wrong else None
    if cap.op == "DEREF":
        return "no field %s in %s" % (cap.name, base)
    size = 8 if base.endswith("*") else cc.get(size_expr(base))
    if cap.role == "NAME" and base != "char*":
        return "%s leads to no string" % kind
    return None if (cap.off, cap.width) == (0, size) else "%s has %s bytes" % (base, size)


def check_cap(cc, row, cap, sym, args):
    if cap.op == "CONST":
        if cap.role not in ("DIR", "CURRENT"):
            error("%s: constant that is neither direction nor CURRENT" % row.sym)
        row.named.add(cap.name)
        return
    place = words(cc, args)
    if place is None:
        return
    for (kind, name), at in zip(args, place):
        if not at or not at[0] <= cap.word < at[0] + at[1]:
            continue
        if cap.op == "VAL":
            wrong = check_value(cc, cap, kind, name, at[0])
            fits = cap.name.partition(".")[0] == name
        elif cap.op == "STR":
            wrong, fits = check_string(cap, kind), cap.name == name
        elif cap.op == "ARRAY":
            wrong, fits = check_array(cap, kind), True
        elif cap.op == "SIDES":  # test_registry ties its offsets to values that are checked here
            wrong, fits = check_sides(kind), True
        else:
            wrong = check_pointer(cc, cap, kind, name)
            fits = cap.name == name or cc.get(field_exprs(kind[:-1], cap.name)[0]) is not None
        if wrong:
            error("%s (row %s), %s: %s" % (sym, row.sym, cap.name, wrong))
        if fits:
            row.named.add(cap.name)
        return
    error("%s (row %s): no argument at word %d for %s" % (sym, row.sym, cap.word, cap.name))


def check_rows(cc, tmp, rows, protos, status):
    todo = [(s, rets, resolve(rows, s)) for s, rets in protos.items()]
    for sym, variants, row in todo:
        for _, args in variants if row else []:
            ask_all(cc, row, args)
    cc.answer(tmp)
    for sym, variants, row in todo:
        for ret, args in variants if row else []:
            row.protos += 1
            if sum(c.role == "NAME" for c in row.caps) > 1:
                error("%s: more than one string" % row.sym)
            if (row.ret == "STATUS") != (ret == status) and row.ret != "VALUE":
                error("%s returns %s, row %s says %s" % (sym, ret, row.sym, row.ret))
            for cap in row.caps:
                check_cap(cc, row, cap, sym, args)
    for row in rows.values():
        if not row.protos and not (row.sym in REMOVED and not row.caps):
            error("%s: no prototype in the headers" % row.sym)
        for cap in row.caps:
            if row.protos and cap.name not in row.named:
                error("%s: no argument or field is called %s" % (row.sym, cap.name))


def check_exports(rows, globs, lib):
    """Counts of exports by row and by catch_all."""
    by_row = by_glob = 0
    if not os.path.exists(lib):
        print("skip exports of %s: no such file" % lib)
        return 0, 0
    for line in run(["nm", "-D", "--defined-only", lib]).splitlines():
        kind, sym = line.split()[-2:]
        sym = sym.partition("@")[0]
        if kind not in "TWi" or sym in UNTRACED:
            continue
        if resolve(rows, sym):
            by_row += 1
        elif not any(fnmatch.fnmatchcase(sym, g) for g in globs):
            error("%s: neither row nor catch_all" % sym)
        elif not INTEROP.match(sym):
            error("%s: left to catch_all without a reason" % sym)
        else:
            by_glob += 1
    return by_row, by_glob


def check_results(domain, results, text, pattern):
    want = sorted({(int(c), n) for n, c in re.findall(pattern + r"\s*=\s*(\d+)", text)})
    have = [(c, n) for c, n, _, _, _ in results]
    for r in set(want) - set(have):
        error("%s: result %s %d is missing" % (domain, r[1], r[0]))
    for r in set(have) - set(want):
        error("%s: result %s %d is not in the header" % (domain, r[1], r[0]))
    if have != sorted(have) or len({c for c, _ in have}) != len(have):
        error("%s: results not sorted or not unique" % domain)
    for code, name, benign, sticky, meaning in results:
        if not meaning.endswith(".") or re.search(r"\. [A-Z]", meaning) or (benign and sticky):
            error("%s: %s: meaning or flags" % (domain, name))


def check_driver(tmp, exe):
    rows, results, globs = load(exe, "cuda")
    protos = {}
    for h in ("cuda.h", "cudaProfiler.h"):
        for defines in ((), ("__CUDA_API_VERSION_INTERNAL",)):
            for name, variants in prototypes(preprocess(h, *defines), "cu").items():
                protos.setdefault(name, []).extend(v for v in variants if v[0] == "CUresult")
    cc = Compiler(["cuda.h", "cudaProfiler.h"], "__CUDA_API_VERSION_INTERNAL")
    check_rows(cc, tmp, rows, {n: v for n, v in protos.items() if v}, "CUresult")
    counts = check_exports(rows, globs, os.path.join(HOME, "lib64/stubs/libcuda.so"))
    check_results("cuda", results, preprocess("cuda.h"), r"\b(CUDA_(?:SUCCESS|ERROR_\w+))")
    return "cuda", len(rows), sum(len(r.caps) for r in rows.values()), counts, len(results)


def check_runtime(tmp, exe):
    rows, results, globs = load(exe, "cudart")
    protos = prototypes(preprocess("cuda_runtime_api.h"), "cuda")
    more = [prototypes(preprocess("cuda_profiler_api.h"), "cudaProfiler"), removed_prototypes()]
    more += [prototypes(raw(h), "__cuda") for h in ("crt/device_functions.h", "crt/host_runtime.h")]
    for found in more:
        for name, variants in found.items():
            protos.setdefault(name, []).extend(variants)
    # Declared without names for its arguments; they are the public function's.
    protos.setdefault("__cudaGetKernel", protos.get("cudaGetKernel", []))
    cc = Compiler(["cuda_runtime_api.h"])
    check_rows(cc, tmp, rows, protos, "cudaError_t")
    counts = check_exports(rows, globs, os.path.join(HOME, "lib64/libcudart.so"))
    check_results("cudart", results, preprocess("driver_types.h"),
                  r"\b(cuda(?:Success|Error[A-Z]\w+))")
    return "cudart", len(rows), sum(len(r.caps) for r in rows.values()), counts, len(results)


def main():
    for h in ("cuda.h", "cuda_runtime_api.h"):
        if not os.path.exists(os.path.join(INC, h)):
            skip("no %s in %s (set CUDA_HOME)" % (h, INC))
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        exe = os.path.join(tmp, "dump_tables")
        src = ["tests/contract/dump_tables.c", "src/domains/cuda/cuda.c",
               "src/domains/cudart/cudart.c", "src/model/domain/row.c", "src/model/domain/sig.c", "src/model/domain/cap.c",
               "src/model/vocab.c", "src/base/strbuf.c", "src/base/parse.c", "src/base/utf8.c"]
        run([CC, "-std=gnu11", "-D_GNU_SOURCE", "-I", os.path.join(ROOT, "src"), "-o", exe]
            + [os.path.join(ROOT, s) for s in src])
        for check in (check_driver, check_runtime):
            name, nr, caps, (by_row, by_glob), res = check(tmp, exe)
            print("# %s: %d rows, %d captures, %d exports by row, %d by catch_all, %d results"
                  % (name, nr, caps, by_row, by_glob, res))
            for e in sorted(set(errors)):
                print("# " + e)
            if errors:
                print("not ok %s-table: %d differences" % (name, len(set(errors))))
            else:
                print("ok %s-table" % name)
            failed += len(errors)
            errors.clear()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
