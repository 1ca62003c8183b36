#!/usr/bin/env python3
"""Holds src/ to the plan of its floors (docs/design.md).

    check_layout.py --root DIR     checks a tree
    check_layout.py --self-test    breaks each rule once in a tree of its own, and must find it

A file is a header and what carries its name (json/scan_fast.h, scan_fast.c, scan_fast_step.c) together, up to the next pair. Found are includes that run to a higher floor or
do not name the folder, files that include or call each other in a circle, files of more than 600 lines, lines of more than 120
characters, sentences of the library that name a command's options, folders that the design does not describe, and a design that nobody
reads to its end. What is in KNOWN is passed over, and must still be there.
"""
import argparse
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

FLOORS = "base json gzip io trace rules guides picture views jobs cli serve".split()
MOST_LINES, MOST_COLUMNS, MOST_DESIGN = 600, 120, 120

# What is still to be cured: an upward include, or the files of a circle, and why it is there.
KNOWN = {
}
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "do", "else"}


def bare(text):
    """The code without comments, strings and preprocessor lines; line ends stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", blank, text, flags=re.M)


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = sorted(p for p in (root / "src").rglob("*.[ch]"))
        self.texts = {p: p.read_text() for p in self.files}
        self.headers = {self.name(p)[:-2] for p in self.files if p.suffix == ".h"}
        self.sources = {self.name(p)[:-2] for p in self.files if p.suffix == ".c"}
        self.problems = []  # (key in KNOWN or None, line)

    def name(self, path):
        return path.relative_to(self.root / "src").as_posix()

    def module(self, path):
        stem = full = self.name(path).rsplit(".", 1)[0]
        if full in self.headers and full in self.sources:
            return full
        while "_" in stem.rsplit("/", 1)[-1]:
            stem = stem.rsplit("_", 1)[0]
            if stem in self.headers:
                return stem
        return full

    def say(self, path, number, what, key=None):
        self.problems.append((key, f"{path.relative_to(self.root)}:{number}: {what}"))

    def check_sizes(self):
        for path in self.files + sorted((self.root / "include").rglob("*.h")):
            lines = path.read_text().splitlines()
            if len(lines) > MOST_LINES:
                self.say(path, len(lines), f"more than {MOST_LINES} lines: two files in one?")
            for number, line in enumerate(lines, 1):
                if len(line) > MOST_COLUMNS:
                    self.say(path, number, f"more than {MOST_COLUMNS} characters: {line}")

    def check_words(self):
        """The library asks its caller how things are called: error_name()."""
        for path in self.files:
            if self.name(path).split("/")[0] in ("cli", "serve"):
                continue
            for number, line in enumerate(self.texts[path].splitlines(), 1):
                if re.search(r'"[^"]*(?<![-\w])--[a-z][^"]*"', line):
                    self.say(path, number, f"names an option: {line.strip()}")

    def check_folders(self):
        design = self.root / "docs/design.md"
        text = design.read_text() if design.exists() else ""
        for folder in sorted({self.name(p).split("/")[0] for p in self.files if "/" in self.name(p)}):
            if f"`src/{folder}/`" not in text:
                self.say(design, 1, f"does not describe src/{folder}/")
            if folder not in FLOORS:
                self.say(self.root / "src" / folder, 1, "is no floor")
        if len(text.splitlines()) > MOST_DESIGN:
            self.say(design, MOST_DESIGN, f"more than {MOST_DESIGN} lines; a decision about one rule stands in decisions.md")

    def includes(self, path):
        for number, line in enumerate(self.texts[path].splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if match:
                yield number, line, match.group(1)

    def check_includes(self):
        edges = defaultdict(dict)
        for path in self.files:
            own = self.name(path)
            for number, line, what in self.includes(path):
                if what == "layertrack.h":
                    continue
                if "/" not in what or what.split("/")[0] not in FLOORS:
                    self.say(path, number, f"does not name the folder: {line}")
                    continue
                floor = own.split("/")[0]
                if floor in FLOORS and FLOORS.index(what.split("/")[0]) > FLOORS.index(floor):
                    self.say(path, number, f"runs upwards: {line}", f"{own} -> {what}")
                to = self.module(self.root / "src" / what)
                if to != self.module(path):
                    edges[self.module(path)].setdefault(to, f"{own}:{number}: {line.strip()}")
        return edges

    def add_calls(self, edges):
        """A function that a source defines for others, called in another file."""
        owner = {}
        code = {path: bare(self.texts[path]) for path in self.files}
        for path in self.files:
            if path.suffix != ".c":
                continue
            for match in re.finditer(r"^(?!static\b|typedef\b)[a-z][\w ]*[ *]+(\w+)\([^;{}]*\)\s*\n?\{", code[path], re.M):
                if match.group(1) not in KEYWORDS | {"main"}:
                    owner[match.group(1)] = self.module(path)
        for path in self.files:
            own = self.module(path)
            for match in re.finditer(r"\b(\w+)\s*\(", code[path]) if path.suffix == ".c" else ():
                to = owner.get(match.group(1))
                if to and to != own:
                    number = code[path].count("\n", 0, match.start()) + 1
                    edges[own].setdefault(to, f"{self.name(path)}:{number}: calls {match.group(1)}()")

    def check_circles(self, edges):
        """Strongly connected files, each told by its shortest-named circle of two or more."""
        index, low, stack, found = {}, {}, [], []

        def visit(node):
            index[node] = low[node] = len(index)
            stack.append(node)
            for to in edges.get(node, {}):
                if to not in index:
                    visit(to)
                    low[node] = min(low[node], low[to])
                elif to in stack:
                    low[node] = min(low[node], index[to])
            if low[node] == index[node]:
                at = stack.index(node)
                found.append(sorted(stack[at:]))
                del stack[at:]

        sys.setrecursionlimit(10000)
        for node in sorted(edges):
            if node not in index:
                visit(node)
        for files in found:
            if len(files) < 2:
                continue
            where = [edges[a][b] for a in files for b in files if b in edges.get(a, {})]
            self.problems.append((" <-> ".join(files), f"src: {len(files)} files in a circle: {', '.join(files)}\n    "
                                                       + "\n    ".join(where[:6])))

    def check(self):
        self.check_sizes()
        self.check_words()
        self.check_folders()
        edges = self.check_includes()
        self.add_calls(edges)
        self.check_circles(edges)
        return self.problems


def check(root, known):
    problems = Tree(root).check()
    keys = {key for key, _ in problems}
    told = [line for key, line in problems if key not in known]
    told += [f"KNOWN: '{key}' is cured; take it out of the list" for key in sorted(known.keys() - keys)]
    return told


def self_test():
    clean = {"docs/design.md": "`src/base/` `src/io/`", "include/layertrack.h": "", "src/base/a.h": "int a(void);\n",
             "src/base/a.c": '#include "base/a.h"\nint a(void)\n{\n    return 1;\n}\n',
             "src/io/b.c": '#include "base/a.h"\nint b(void)\n{\n    return a();\n}\n'}
    breaks = {
        "runs upwards": {"src/io/c.h": "", "src/base/c.c": '#include "io/c.h"\n'},
        "does not name the folder": {"src/base/c.c": '#include "a.h"\n'},
        "files in a circle": {"src/io/c.h": '#include "io/d.h"\n', "src/io/d.h": '#include "io/c.h"\n'},
        "calls b()": {"src/base/a.c": '#include "base/a.h"\nint b(void);\nint a(void)\n{\n    return b();\n}\n'},
        "more than 600 lines": {"src/base/c.c": "\n" * 601},
        "more than 120 characters": {"src/base/c.c": "/*" + "x" * 120 + "*/\n"},
        "names an option": {"src/base/c.c": 'const char *c = "%s: is wrong; see --all";\n'},
        "does not describe src/gzip/": {"src/gzip/c.c": ""},
        "is no floor": {"src/cellar/c.c": ""},
        "more than 120 lines": {"docs/design.md": "`src/base/` `src/io/`" + "\n" * 121},
    }
    failed = 0
    for expected, change in {"": {}, **breaks}.items():
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**clean, **change}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            told = check(Path(folder), {})
        if (expected == "") != (told == []) or not any(expected in line for line in told + [""] * (expected == "")):
            print(f"self-test: wanted '{expected}', was told {told}")
            failed += 1
    told = check_known_is_needed()
    failed += told
    print(f"{len(breaks) + 2 - failed} passed, {failed} failed")
    return failed


def check_known_is_needed():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "src").mkdir()
        return 0 if any("is cured" in line for line in check(Path(folder), {"a -> b": ""})) else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return 1 if self_test() else 0
    told = check(args.root, KNOWN)
    print("\n".join(told + [f"{len(told)} problems, {len(KNOWN)} known"]))
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
