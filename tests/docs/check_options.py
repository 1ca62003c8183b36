#!/usr/bin/env python3
"""Holds the manual and the help pages to the tables of options that the commands take their arguments from.

    check_options.py --layertrack BIN MANUAL

An option of a command is the tag of a paragraph in the command's section of the manual (annotate's is OPTIONS), or, where
several commands share it, in OPTIONS (those of many traces: MANY TRACES); and it is named on the command's help page, or on that of many traces. No section has a tag that is no option.
"""
import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ANYWHERE = {"--trace", "--output", "--report", "--gzip", "--no-gzip", "--level", "--strict", "--threads", "--progress",
            "--log-format", "--quiet", "--help"}


def tags(manual):
    """Section -> the long options in the tags of its paragraphs."""
    found, section, is_tag = defaultdict(set), None, False
    for line in manual.read_text().splitlines():
        line = line.replace("\\-", "-")
        if line.startswith(".SH "):
            section = line[4:].strip('"')
        elif is_tag or line.startswith(".TQ"):
            found[section].update(re.findall(r"--[a-z][a-z-]*", line))
        is_tag = line.startswith((".TP", ".TQ"))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True)
    parser.add_argument("manual", type=Path)
    args = parser.parse_args()

    def run(*arguments):
        return subprocess.run([args.layertrack, *arguments], check=True, capture_output=True, text=True).stdout

    options = defaultdict(set)
    for line in run("help", "--list-options").splitlines():
        command, name, _, _ = line.split("\t")
        options[command].add(name)
    many_page, many = run("help", "many"), "MANY TRACES"
    manual, problems = tags(args.manual), []
    for command, names in options.items():
        section = "OPTIONS" if command == "annotate" else command.upper()
        page = run("help", command)
        for name in sorted(names):
            if name not in manual[section] | manual[many] and not (name in ANYWHERE and name in manual["OPTIONS"]):
                problems.append(f"{args.manual}: section {section} has no paragraph on {name}")
            # -q and -h have no line of their own where one line names all that is shared.
            if name not in page + many_page and name not in ANYWHERE:
                problems.append(f"layertrack help {command} does not name {name}")
        for name in sorted(manual[section] - names):
            problems.append(f"{args.manual}: {name} in section {section} is no option of {command}")
    checked = sum(len(names) for names in options.values())
    print("\n".join(problems + [f"{checked} options of {len(options)} commands, {len(problems)} problems"]))
    return 1 if problems or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
