#!/usr/bin/env python3
"""Compares what two builds do, to the byte: for changes that are to change nothing.

    same.py OLD NEW [--traces DIR] [--count N] [--seed N] [--line N] [--but RE]    OLD, NEW: the commands; --line: only that one
    same.py --self-test BIN                      finds nothing in BIN against itself, and every altered byte

A line is one to four commands in a folder of their own, on fixtures, fuzz seeds and real traces: first every trace and every
selection of the tables of cases, in every form, then N random ones. Options are those that NEW lists and OLD knows. Of each line the
exit codes, standard output, standard error and all files are compared. Exit code 1 when anything differs, which
is printed with the commands that show it. What differs on purpose is named by --but: a new key of reports, say.
"""
import argparse
import gzip
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ["annotate", "inspect", "verify", "strip", "render", "help"]
MOST_PACKED = 8 << 20  # a longer trace is taken as it is stored, and seldom
LABELS = ["--phase", "decode", "--evidence", "planted: see truth"]
WRONG = ["", "-1", "0", "x", "99999999999999999999", "1e3", "[", "(?<", "\udcff", " ", "nan", "=", "3-1"]
WORDS = ["rotary_embedding_kernel", "cross_device_reduce", "gemm", "nccl", "flash", ".", "^$", "kernel$", "(?i)ROTARY"]
SCOPES = ["step", "DECODE", "ProfilerStep", ".", "execute", "no such scope"]
# What an option takes, by name; what is not here takes a small number.
VALUES = {"--anchor-regex": WORDS, "--end-anchor-regex": WORDS, "--within": SCOPES, "--within-gpu": SCOPES,
          "--landmark-regex": [word + count for word in WORDS for count in ("", "=2", "=0", "=x")],
          "--phase": ["decode", "prefill", 'de"code', "é — ü", "\udce9", "p" * 300], "--evidence": ["e", "see\nhere", "x" * 5000],
          "--pid": ["0", "1", "2", "3", "7", '"7"', "gpu"], "--device": ["0", "1", "2", "9", "gpu"],
          "--level": list("123456789"), "--threads": ["1", "2", "3", "16"], "--track": ["decode", "prefill", "1000000"],
          "--layers": ["0-1", "1-1", "0-99", "5-2"], "--width": ["400", "401", "1200", "4000"],
          "--progress": ["auto", "never", "sometimes"]}  # "always" tells the time
NUMBERS = ["0", "1", "1", "2", "2", "3", "4", "5", "8", "24", "36", "40"]
LEFT_OUT = {"--trace", "--output", "--report", "--spec", "--source", "--help"}  # given by the line itself


def said(tool, *arguments):
    done = subprocess.run([tool, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


class World:
    """The traces with what can be selected in them, and the options that both builds have."""

    def __init__(self, old, new, folder):
        self.cases = []  # (trace, arguments)
        for table, traces, column in ((ROOT / "fixtures/cases.tsv", ROOT / "fixtures", 8),
                                      (folder and folder / "expected/cases.tsv", folder, 7)):
            for line in table.read_text().splitlines() if table else ():
                name, arguments = line.split("\t")[column == 7], line.split("\t")[column:]
                if (traces / name).is_file():
                    self.cases.append((traces / name, arguments))
        found = [*(ROOT / "fixtures").glob("*.json*"), *(ROOT / "tests/fuzz/seeds").glob("*.json"),
                 *(folder.glob("*.json*") if folder else ())]
        self.traces = sorted(path for path in found if path.is_file())
        self.options = {command: [] for command in COMMANDS}
        for line in said(new, "help", "--list-options").splitlines():
            command, name, short, value = line.split("\t")
            if command in COMMANDS and name not in LEFT_OUT and "unknown option" not in said(old, command, name):
                self.options[command].append((name, short, bool(value)))


class Line:
    """Files to begin with, and the commands: (arguments, file that is piped in or None)."""

    def __init__(self):
        self.given, self.commands = {}, []

    def trace(self, path, packed):
        """The trace's name for a command, packed or not as wanted where that is cheap."""
        stored_packed = path.suffix == ".gz"
        if packed == stored_packed or path.stat().st_size > (MOST_PACKED >> 3 if stored_packed else MOST_PACKED):
            return str(path)
        name = "t.json.gz" if packed else "t.json"
        self.given[name] = path
        return name

    def add(self, *arguments, piped=None):
        self.commands.append(([str(argument) for argument in arguments], piped))

    def make_files(self, folder):
        for name, content in self.given.items():
            if isinstance(content, str):
                (folder / name).write_text(content, errors="surrogateescape")
                continue
            data = content.read_bytes()
            try:
                data = gzip.compress(data, 6, mtime=0) if name.endswith(".gz") else gzip.decompress(data)
            except (OSError, EOFError):
                pass  # a fixture that is no gzip: as it is
            (folder / name).write_bytes(data)

    def __str__(self):
        """For a shell, with $L as the command."""
        lines = []
        for name, content in self.given.items():
            if isinstance(content, str):
                lines.append(f"printf %s {shlex.quote(content)} > {name}")
            else:
                lines.append(f"gzip -{'nc' if name.endswith('.gz') else 'dc'} {shlex.quote(str(content))} > {name}")
        for arguments, piped in self.commands:
            lines.append((f"cat {shlex.quote(piped)} | " if piped else "") + f"$L {shlex.join(arguments)}")
        return "".join(f"    {line}\n" for line in lines).encode(errors="surrogateescape").decode(errors="backslashreplace")


# ---- lines ------------------------------------------------------------------------------------------------------------

def every_line(world):
    """Each selection of the tables from end to end in the usual forms, and each trace under each command."""
    for trace, arguments in world.cases:
        for packed, suffix, more in ((False, "", []), (True, ".gz", ["--threads", "1"]), (False, ".gz", ["--strict"])):
            line, out = Line(), f"o.json{suffix}"
            name = line.trace(trace, packed)
            line.add("annotate", name, "-o", out, *arguments, *LABELS, *more)
            line.add("verify", out, "--source", name)
            line.add("strip", out, "-o", "back.json")
            line.add("render", out, "-o", "o.svg")
            yield line
        line = Line()
        line.add("annotate", *arguments, *LABELS, piped=line.trace(trace, False))
        line.add("inspect", trace, *arguments[:4])
        yield line
    for trace in world.traces:
        for packed in (False, True):
            line = Line()
            name = line.trace(trace, packed)
            line.add("inspect", name)
            line.add("inspect", name, "--json", "--strict")
            line.add("verify", name)
            line.add("strip", name, "-o", "-")
            yield line
    for command in COMMANDS:
        line = Line()
        line.add("help", command)
        line.add(command, "--help")
        line.add(command)
        yield line


class Maker:
    """One random line."""

    def __init__(self, world, chance):
        self.world, self.chance = world, chance

    def value(self, name):
        if self.chance.random() < 0.06:
            return self.chance.choice(WRONG)
        return self.chance.choice(VALUES.get(name, NUMBERS))

    def option(self, name, short, has_value):
        if short and self.chance.random() < 0.3:
            name = short
        if not has_value:
            return [name]
        value = self.value(name)
        return [f"{name}={value}"] if name.startswith("--") and self.chance.random() < 0.2 else [name, value]

    def some_options(self, command, most):
        options = self.world.options[command]
        chosen = self.chance.sample(options, min(len(options), self.chance.randrange(most + 1)))
        return [part for option in chosen for part in self.option(*option)]

    def selection(self):
        trace, arguments = self.chance.choice(self.world.cases)
        if trace.stat().st_size > MOST_PACKED >> 2 and self.chance.random() < 0.8:
            return self.selection()
        return trace, list(arguments)

    def spec(self, arguments):
        """One to three tracks of the same selection, or nearly so; now and then nonsense."""
        keys = dict(zip(arguments[::2], arguments[1::2]))
        tracks = []
        for number in range(self.chance.choice((1, 1, 2, 3))):
            track = {"phase": f"p{number}", "evidence": "e"}
            for name, value in keys.items():
                track[name[2:].replace("-", "_")] = int(value) if value.isdigit() and name not in ("--pid", "--device") else value
            if self.chance.random() < 0.3:
                track[self.chance.choice(["passes", "first_layer", "within", "landmarks", "num_layers", "odd"])] = self.chance.choice(
                    [0, 1, 2, "DECODE", None, [], [{"regex": "gemm", "count": 1}], -1, 1.5])
            tracks.append(track)
        text = json.dumps({"tracks": tracks} if self.chance.random() < 0.8 else tracks[0])
        return text if self.chance.random() < 0.95 else text[:self.chance.randrange(len(text))]

    def annotate(self, line, out):
        trace, arguments = self.selection()
        name = line.trace(trace, self.chance.random() < 0.4)
        if self.chance.random() < 0.15:
            line.given["s.json"] = self.spec(arguments)
            selected = ["--spec", "s.json"]
        else:
            selected = arguments + LABELS
            if self.chance.random() < 0.15:
                at = self.chance.randrange(0, len(selected), 2)
                del selected[at:at + 2]
        piped = name if self.chance.random() < 0.25 else None
        where = [] if piped else [name]
        output = self.chance.choice([["-o", out]] * 6 + [[], ["-o", "-"], ["-o", "no/such/folder.json"], ["-o", out, "--report", "r.layers.json"]])
        line.add("annotate", *where, *output, *selected, *self.some_options("annotate", 3), piped=piped)
        return name

    def further(self, line, command, out, source):
        """A command on what annotate made, or on its source."""
        of = out if self.chance.random() < 0.85 else source
        piped = of if self.chance.random() < 0.2 else None
        where = ["-"] if piped else [of]
        if command == "verify":
            where += self.chance.choice([[], [], ["--source", source], ["--report", f"{out}.layers.json"]])
        elif command in ("strip", "render"):
            where += self.chance.choice([[], ["-o", "-"], ["-o", f"{command}.out"], ["-o", "again.json.gz"]])
        elif command == "annotate":  # the report fed back
            where = [source, "-o", f"again{len(line.commands)}.json", "--spec", f"{out}.layers.json"]
            piped = None
        line.add(command, *where, *self.some_options(command, 3), piped=piped)

    def line(self):
        line, kind = Line(), self.chance.random()
        if kind < 0.7:
            out = self.chance.choice(["o.json", "o.json", "o.json.gz", "o", "ö.json"])
            source = self.annotate(line, out)
            for _ in range(self.chance.randrange(4)):
                self.further(line, self.chance.choice(["verify", "strip", "render", "inspect", "annotate"]), out, source)
            return line
        trace = self.chance.choice(self.world.traces)
        if trace.stat().st_size > MOST_PACKED >> 3:
            trace = self.chance.choice(self.world.traces)
        command = self.chance.choice(COMMANDS)
        name = line.trace(trace, self.chance.random() < 0.4)
        words = [self.chance.choice(COMMANDS + ["", "x"])] if command == "help" else [name]
        piped = name if command != "help" and self.chance.random() < 0.2 else None
        line.add(command, *([] if piped else words), *self.some_options(command, 5), piped=piped)
        return line


# ---- running ----------------------------------------------------------------------------------------------------------

def run(tool, line, folder):
    """Exit codes; what was said is in files beside what was made."""
    line.make_files(folder)
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TMPDIR": str(folder), "COLUMNS": "100"}
    codes = []
    for number, (arguments, piped) in enumerate(line.commands):
        command = [os.fsencode(part) for part in (tool, *arguments)]
        with open(folder / f"{number}.stdout", "wb") as out, open(folder / f"{number}.stderr", "wb") as err:
            feeder = None
            if piped and (folder / piped).is_file():  # a real pipe: cat
                feeder = subprocess.Popen(["cat", piped], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder)
            done = subprocess.run(command, stdin=feeder.stdout if feeder else subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder,
                                  env=environment, check=False, timeout=300)
            if feeder:
                feeder.stdout.close()
                feeder.wait()
        codes.append(done.returncode)
    return codes


def content(path, folder, but):
    data = path.read_bytes()
    if path.suffix in (".stdout", ".stderr"):
        data = data.replace(os.fsencode(folder), b"FOLDER")
        # Of several traces the one that is done first is told of first.
        if path.suffix == ".stderr":
            data = b"".join(sorted(data.splitlines(keepends=True)))
    elif not path.name.endswith(".layers.json"):
        return data
    return re.sub(but.encode(), b"", data) if but else data


def first_difference(name, old, new):
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    start = max(0, at - 60)
    return f"  {name}: {len(old)} and {len(new)} bytes, from byte {at} on\n    old: {old[start:at + 60]!r}\n    new: {new[start:at + 60]!r}\n"


def compare(old, new, line, but):
    """Exit codes of the first, and what differs."""
    top = Path(tempfile.mkdtemp(prefix="same-"))
    folders = [top / "old", top / "new"]
    try:
        codes = []
        for tool, folder in zip((old, new), folders):
            folder.mkdir()
            codes.append(run(tool, line, folder))
        told = "" if codes[0] == codes[1] else f"  exit codes: {codes[0]} and {codes[1]}\n"
        names = [{path.name for path in folder.iterdir()} for folder in folders]
        if names[0] != names[1]:
            told += f"  files: only old {sorted(names[0] - names[1])}, only new {sorted(names[1] - names[0])}\n"
        for name in sorted(names[0] & names[1]):
            data = [content(folder / name, folder, but) for folder in folders]
            if data[0] != data[1]:
                told += first_difference(name, *data)
        return codes[0], told
    finally:
        shutil.rmtree(top)


def compare_all(old, new, options, lines=None, shown=20):
    """How many lines differ; prints the first."""
    world = World(old, new, options.traces)
    lines = list(every_line(world)) if lines is None else lines
    first_random = len(lines)
    count = options.count if options.line is None else options.line + 1
    lines += [Maker(world, random.Random(f"{options.seed}/{number}")).line() for number in range(count)]
    numbers = range(len(lines)) if options.line is None else [options.line]
    exits, differ = Counter(), 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for number, (codes, told) in zip(numbers, pool.map(lambda n: compare(old, new, lines[n], options.but), numbers)):
            exits.update(codes)
            differ += told != ""
            if told and differ <= shown:
                again = f"--seed {options.seed} --line {number}" if number >= first_random else f"--line {number}"
                print(f"line {number}, again with {again}:\n{lines[number]}{told}", end="")
    seen = ", ".join(f"{count} exit {code}" for code, count in sorted(exits.items()))
    print(f"{len(numbers)} lines, {sum(exits.values())} commands ({seen}); {differ} lines differ")
    return differ


# ---- itself -----------------------------------------------------------------------------------------------------------

ALTERED = {  # a shell script that does what BIN does, save for ...
    "exit code": '{bin} "$@"; code=$?; [ $code = 4 ] && exit 3; exit $code',
    "standard output": '{bin} "$@" > .o; code=$?; sed "1s/^Usage/usage/" .o; rm .o; exit $code',
    "standard error": '{bin} "$@" 2> .e; code=$?; sed s/nearest/next/ .e >&2; rm .e; exit $code',
    "a file": '{bin} "$@"; code=$?; [ -f o.json ] && printf X | dd of=o.json bs=1 seek=100 conv=notrunc 2>/dev/null; exit $code',
    "a report": '{bin} "$@"; code=$?; [ -f o.json.layers.json ] && printf " " >> o.json.layers.json; exit $code',
    "no file": '{bin} "$@"; code=$?; rm -f back.json; exit $code',
}


def self_test(binary, options):
    trace = ROOT / "fixtures/decode.json"
    select = ["--anchor-regex", "rotary_embedding_kernel", "--num-layers", "2", "--anchor-offset", "0", *LABELS]
    line = Line()
    line.add("annotate", trace, "-o", "o.json", *select)
    line.add("strip", "o.json", "-o", "back.json")
    line.add("annotate", trace, "-o", "p.json", "--anchor-regex", "rotary_embeding", *select[2:])
    line.add("help", "strip")
    failed = compare_all(binary, binary, options, [line])
    options.count = 0
    for what, script in ALTERED.items():
        with tempfile.TemporaryDirectory() as folder:
            wrapper = Path(folder, "wrapper")
            wrapper.write_text(f"#!/bin/sh\n{script.format(bin=shlex.quote(binary))}\n")
            wrapper.chmod(0o755)
            if compare_all(binary, str(wrapper), options, [line], shown=0) != 1:
                print(f"self-test: {what} was altered and nothing seen")
                failed += 1
            if what == "standard error":
                options.but = "(nearest|next) names"
                failed += compare_all(binary, str(wrapper), options, [line])
                options.but = None
    print(f"self-test: {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="+", metavar="OLD NEW")
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--line", type=int)
    parser.add_argument("--but", metavar="RE", help="what is to differ: left out of what is said, and of reports")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if len(options.tools) != (1 if options.self_test else 2):
        parser.error("two builds, or with --self-test one")
    options.traces = options.traces and options.traces.resolve()
    tools = [os.path.abspath(tool) for tool in options.tools]
    return 1 if (self_test(*tools, options) if options.self_test else compare_all(*tools, options)) else 0


if __name__ == "__main__":
    sys.exit(main())
