# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads C declarations: as much of the language as public headers use.

Takes preprocessed text and yields function prototypes, typedefs, members of
structs and constants of enums, all as plain Python values. No sizes are worked
out here: scripts/gen-sigs asks the compiler for those.

A type is a tuple:
  ("void",) ("int", bytes, signed) ("char",) ("float", bytes)
  ("name", typedef) ("struct", tag) ("enum", tag) ("func",)
  ("ptr", type, is_const) ("array", type, n)
"""
import re

TOKEN = re.compile(r"""[A-Za-z_$][\w$]*|0[xX][0-9a-fA-F]+\w*|\d[\w.]*|"(?:\\.|[^"\\])*"
                       |'(?:\\.|[^'\\])*'|\.\.\.|[^\s\w]""", re.X)
QUALIFIERS = {"const", "volatile", "restrict", "__restrict", "__restrict__", "__const"}
STORAGE = {"typedef", "extern", "static", "inline", "__inline", "__inline__", "_Noreturn",
           "register", "__extension__", "_Thread_local"}
WITH_PARENS = {"__attribute__", "__declspec", "__asm__", "asm", "_Alignas", "_Static_assert"}
WORDS = {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned",
         "_Bool", "__int128", "__signed__"}


class Reader:
    def __init__(self):
        self.functions = {}	# name -> [(name or None, type)]
        self.typedefs = {}	# name -> (type, is_const)
        self.structs = {}	# tag -> [(name or None, type)]; only complete ones
        self.enums = {}		# tag -> [constant]
        self.bodies = set()	# functions that are defined, not only declared
        self.nr = 0

    def read(self, text):
        self.tok = TOKEN.findall(text)
        self.at = 0
        while self.at < len(self.tok):
            self.declaration()
        return self

    # --- tokens ---
    def peek(self, k=0):
        return self.tok[self.at + k] if self.at + k < len(self.tok) else ""

    def take(self, want=None):
        t = self.peek()
        if want and t != want:
            raise SyntaxError("expected %s: %s" % (want, " ".join(self.tok[self.at - 12:self.at + 8])))
        self.at += 1
        return t

    def skip_group(self):
        """Over a bracketed group that begins here."""
        depth = 0
        while self.at < len(self.tok):
            t = self.take()
            depth += (t in "([{") - (t in ")]}") if len(t) == 1 else 0
            if depth == 0:
                return

    def skip_attributes(self):
        while self.peek() in WITH_PARENS:
            self.take()
            if self.peek() == "(":
                self.skip_group()

    # --- types ---
    def specifiers(self):
        """(type, is_const, storage words)"""
        words, kind, const, storage = [], None, False, set()
        while True:
            t = self.peek()
            if t in QUALIFIERS:
                const |= t in ("const", "__const")
                self.take()
            elif t in STORAGE:
                storage.add(self.take())
            elif t in WITH_PARENS:
                self.skip_attributes()
            elif t in WORDS or re.match(r"_Float\d+x?$|__builtin_va_list$", t):
                words.append(self.take())
            elif t in ("struct", "union", "enum"):
                kind = self.compound()
            elif t.startswith("__typeof"):
                self.take()
                self.skip_group()
                kind = ("int", 4, True)
            elif t in self.typedefs and not words and kind is None:
                kind = ("name", self.take())
            else:
                break
        return kind or basic(words), const, storage

    def tag(self):
        self.skip_attributes()
        name = None
        if re.match(r"[A-Za-z_]", self.peek()):
            name = self.take()
        self.skip_attributes()
        if name is None:
            self.nr += 1
            name = "<%d>" % self.nr
        return name

    def compound(self):
        what = self.take()
        tag = self.tag()
        if what == "enum":
            if self.peek() == "{":
                self.enums[tag] = self.constants()
            return ("enum", tag)
        if self.peek() == "{":
            self.structs[tag] = self.members()
        return ("struct", tag)

    def constants(self):
        self.take("{")
        names = []
        while self.peek() != "}":
            names.append(self.take())
            while self.peek() not in (",", "}"):
                if self.peek() == "(":
                    self.skip_group()
                else:
                    self.take()
            if self.peek() == ",":
                self.take()
        self.take("}")
        return names

    def members(self):
        self.take("{")
        out = []
        while self.peek() != "}":
            if self.peek() == ";":
                self.take()
                continue
            kind, const, _ = self.specifiers()
            if self.peek() == ";":
                out.append((None, kind))
            while self.peek() != ";":
                name, t, _ = self.declarator(kind, const)
                if self.peek() == ":":
                    self.take()
                    self.take()
                    t = ("bits",)
                self.skip_attributes()
                out.append((name, t))
                if self.peek() == ",":
                    self.take()
            self.take(";")
        self.take("}")
        return out

    def declarator(self, kind, const):
        """(name or None, type, parameters or None)"""
        self.skip_attributes()
        while self.peek() in ("*",) or self.peek() in QUALIFIERS:
            t = self.take()
            if t == "*":
                kind, const = ("ptr", kind, const), False
            else:
                const |= t == "const"
            self.skip_attributes()
        if self.peek() == "(" and self.peek(1) in ("*", "(", "__attribute__"):
            return self.function_pointer()
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else None
        self.skip_attributes()
        sizes = []
        while self.peek() == "[":
            start = self.at
            self.skip_group()
            sizes.append(" ".join(self.tok[start + 1:self.at - 1]))
        for n in reversed(sizes):
            kind = ("array", kind, n, const)
        params = self.parameters() if self.peek() == "(" else None
        self.skip_attributes()
        return name, kind, params

    def function_pointer(self):
        self.take("(")
        self.skip_attributes()
        stars = 0
        while self.peek() in ("*",) or self.peek() in QUALIFIERS:
            stars += self.take() == "*"
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else None
        while self.peek() != ")":
            self.skip_group()
        self.take(")")
        while self.peek() in ("(", "["):
            self.skip_group()
        self.skip_attributes()
        return name, ("ptr", ("func",), False) if stars else ("func",), None

    def parameters(self):
        self.take("(")
        out = []
        while self.peek() != ")":
            if self.peek() == "...":
                self.take()
                continue
            kind, const, _ = self.specifiers()
            name, t, params = self.declarator(kind, const)
            if params is not None:
                t = ("ptr", ("func",), False)
            if t[0] == "array":
                t = ("ptr", t[1], t[3])
            out.append((name, t))
            while self.peek() not in (",", ")"):	# a default value
                self.take()
            if self.peek() == ",":
                self.take()
        self.take(")")
        if out == [(None, ("void",))]:
            out = []
        return out

    def declaration(self):
        if self.peek() == ";":
            self.take()
            return
        start = self.at
        kind, const, storage = self.specifiers()
        while self.peek() not in (";", ""):
            name, t, params = self.declarator(kind, const)
            if "typedef" in storage and name:
                self.typedefs[name] = (("func",) if params is not None else t, const)
            elif params is not None and name:
                self.functions[name] = params
            if self.peek() == "{":	# a body
                self.bodies.add(name)
                self.skip_group()
                return
            if self.peek() == "=":
                while self.peek() not in (",", ";", ""):
                    self.skip_group() if self.peek() in ("(", "{", "[") else self.take()
            if self.peek() == ",":
                self.take()
            elif self.peek() != ";":
                if self.at == start:
                    self.take()
                raise SyntaxError("at: %s" % " ".join(self.tok[start:self.at + 4]))
        if self.peek() == ";":
            self.take()


def basic(words):
    """The type that words like `unsigned long` stand for, on x86-64."""
    w = set(words)
    if "void" in w:
        return ("void",)
    if "float" in w or "double" in w or any(x.startswith("_Float") for x in w):
        return ("float", 4 if "float" in w else 16 if "long" in w else 8)
    if "char" in w:
        return ("char",) if words == ["char"] else ("int", 1, "unsigned" not in w)
    size = 1 if "_Bool" in w else 2 if "short" in w else 8 if "long" in w else 4
    return ("int", size, not w & {"unsigned", "_Bool"})
