#!/usr/bin/env python3
"""Runs the commands of a document's ```console blocks at a terminal and compares what they print, to the letter.

    check_readme.py --layertrack BIN --root DIR README.md

A line that starts with `$ ` is a command (a backslash at its end goes on in the next line); the lines up to the next one are
what it prints. A line `...` stands for any number of lines, `...` within a line for any text. Commands run in one folder, in
order, beside links to the project's `fixtures` and `docs`.
"""
import argparse
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def blocks(text):
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        command, expected = None, []
        lines = iter(block.splitlines())
        for line in lines:
            if line.startswith("$ "):
                if command is not None:
                    yield command, expected
                command, expected = line[2:], []
                while command.endswith("\\"):
                    command += "\n" + next(lines)
            else:
                expected.append(line)
        yield command, expected


def run(command, folder, environment):
    """What it prints on a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(["/bin/sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=theirs) as process:
        os.close(theirs)
        out = b""
        try:
            while chunk := os.read(ours, 65536):
                out += chunk
        except OSError:  # Linux says so when the other end is closed
            pass
        os.close(ours)
    return out.decode().replace("\r\n", "\n").rstrip("\n").split("\n"), process.returncode


def matches(expected, got):
    pattern = "".join("(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True, type=os.path.abspath)
    parser.add_argument("--root", required=True, type=os.path.abspath)
    parser.add_argument("document", type=Path)
    options = parser.parse_args()
    failed = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/bin")
        os.symlink(options.layertrack, f"{folder}/bin/layertrack")
        for name in ("fixtures", "docs"):
            os.symlink(f"{options.root}/{name}", f"{folder}/{name}")
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
        for command, expected in blocks(options.document.read_text(encoding="utf-8")):
            got, _ = run(command, folder, environment)
            ran += 1
            if not matches(expected or [""], got):
                failed += 1
                print(f"FAILED $ {command}\n--- expected\n" + "\n".join(expected) + "\n--- got\n" + "\n".join(got))
    print(f"{ran - failed} passed, {failed} failed")
    sys.exit(failed != 0 or ran == 0)


main()
