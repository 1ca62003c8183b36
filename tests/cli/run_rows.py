#!/usr/bin/env python3
"""Runs rows of command lines: arguments -> stdout, stderr, exit code, files that exist afterwards.

A row of a *.test file starts with `$ COMMAND` (several such lines are one script for /bin/sh -e) and goes on with what must
come out; what is not named must be empty (exit code: 0):

    $ layertrack annotate $F/cut.json -o out.json $ANCHOR
    exit 3
    stderr~ truncated at byte \\d+          a line that the pattern (Python's re) is found in
    stdout text                             a line to the letter
    stderr? text                            a line that may be there or not
    stdout*                                 whatever it is
    files out.json out.json.layers.json     to the letter, sorted, in the row's own folder

Lines before the first `$` of a file set variables (`NAME=value`); `#` starts a comment line; an empty line ends a row.
$F is the folder of fixtures, $MKTRACE the trace maker; `layertrack` is on the PATH.

    run_rows.py --layertrack BIN --mktrace BIN --fixtures DIR FOLDER|FILE.test ...
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class Row:
    def __init__(self, place):
        self.place, self.script, self.code = place, [], 0
        self.streams = {"stdout": [], "stderr": []}
        self.any = set()
        self.files = []


def parse(path):
    variables, rows, row = {}, [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            row = None
        elif line.startswith("#"):
            continue
        elif line.startswith("$ "):
            if row is None:
                row = Row(f"{path.name}:{number}")
                rows.append(row)
            row.script.append(line[2:])
        elif row is None:
            name, value = line.split("=", 1)
            variables[name] = value
        else:
            take(row, line)
    return variables, rows


def take(row, line):
    word, _, rest = line.partition(" ")
    if word == "exit":
        row.code = int(rest)
    elif word == "files":
        row.files = sorted(rest.split())
    elif word in ("stdout*", "stderr*"):
        row.any.add(word[:-1])
    elif word.rstrip("~?") in ("stdout", "stderr"):
        row.streams[word.rstrip("~?")].append((word[6:], rest))
    else:
        raise SystemExit(f"{row.place}: what is '{line}'?")


def differences(row, done, folder):
    if done.returncode != row.code:
        yield f"exit {done.returncode}, expected {row.code}"
    for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        if name in row.any:
            continue
        lines = data.decode("utf-8", "replace").splitlines()
        at = 0
        for kind, text in row.streams[name]:
            got = lines[at] if at < len(lines) else None
            if kind == "?" and got != text:
                continue
            at += 1
            if got is None or not (re.search(text, got) if kind == "~" else got == text):
                yield f"{name} line {at}: {got!r}, expected {text!r}"
        if len(lines) > at:
            yield f"{name}: {len(lines)} lines, expected {at}: {lines[at:][:3]}"
    files = sorted(os.listdir(folder))
    if files != row.files:
        yield f"files {files}, expected {row.files}"


def run(row, environment, variables):
    folder = tempfile.mkdtemp()
    try:
        script = "".join(f'{name}="{value}"\n' for name, value in variables.items()) + "\n".join(row.script) + "\n"
        done = subprocess.run(["/bin/sh", "-c", "set -e\n" + script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=300)
        return list(differences(row, done, folder))
    except subprocess.TimeoutExpired:
        return ["did not end"]
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", folder], check=False)
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--layertrack", "--mktrace", "--fixtures"):
        parser.add_argument(option, required=True)
    parser.add_argument("paths", nargs="+", type=Path)
    options = parser.parse_args()
    tools = tempfile.mkdtemp()
    os.symlink(os.path.abspath(options.layertrack), os.path.join(tools, "layertrack"))
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "F": os.path.abspath(options.fixtures),
                   "MKTRACE": os.path.abspath(options.mktrace), "LC_ALL": "C"}
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"):
        environment.pop(name, None)
    files = [file for path in options.paths for file in (sorted(path.glob("*.test")) if path.is_dir() else [path])]
    work = [(row, variables) for variables, rows in map(parse, files) for row in rows]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(lambda item: run(item[0], environment, item[1]), work))
    shutil.rmtree(tools)
    failed = 0
    for (row, _), problems in zip(work, results):
        failed += bool(problems)
        if problems:
            print(f"FAILED {row.place}: {' && '.join(row.script)}")
        for problem in problems:
            print(f"    {problem}")
    print(f"{len(work) - failed} passed, {failed} failed")
    sys.exit(failed != 0 or not work)


main()
