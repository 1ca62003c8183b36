#!/usr/bin/env python3
"""Runs the jobs of docs/ci.md, every command of them as it stands, on ranks that the trace maker makes.

    check_ci.py --layertrack BIN --mktrace BIN docs/ci.md

A block ```json PATH or ```yaml PATH of the document is that file; commands are the `run` of GitHub's steps and the `script` of
GitLab's jobs. On sound ranks each job passes in silence, and what it uploads is there; of ranks that are cut, changed or differ it
fails at the right step and shows which. The lines of ```console blocks are what is printed, `...` standing for any text.
"""
import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

EVIL = "::error::x%\n##[error]y"


def blocks(text, language):
    """Path in the head of a block, and its text."""
    return re.findall(rf"^```{language}(?: (\S+))?\n(.*?)^```", text, re.M | re.S)


def commands_by_hand(text):
    """Of `run: COMMAND` and of `- COMMAND` below `script:`; both jobs are written so."""
    found, is_script = [], False
    for line in text.splitlines():
        entry = line.strip()
        if entry.startswith("run: "):
            found.append(entry[len("run: "):])
        elif is_script and entry.startswith("- "):
            found.append(entry[2:])
        else:
            is_script = entry == "script:"
    return found


def commands_of(document):
    """The same by a reader of YAML."""
    jobs = document.get("jobs", document)
    return [command for job in jobs.values()
            for command in [step["run"] for step in job.get("steps", []) if "run" in step] + job.get("script", [])]


class World:
    """A folder with the files of the document and a run of ranks."""

    def __init__(self, options, files, ranks=4):
        self.options = options
        self.keeper = tempfile.TemporaryDirectory()
        self.folder = Path(self.keeper.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/layertrack").symlink_to(options.layertrack)
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)
        (self.folder / "traces").mkdir()
        for rank in range(ranks):
            self.make(rank, f"rank{rank}.json", ranks)
        plain = self.folder / f"traces/rank{ranks - 1}.json"
        plain.with_suffix(".json.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()

    def make(self, rank, name, ranks, passes=3):
        subprocess.run([self.options.mktrace, "--layers", "4", "--passes", str(passes), "--seed", str(rank), "--rank",
                        str(rank), "--world-size", str(ranks), "--pid", str(70 + rank), "-o", self.folder / "traces" / name],
                       check=True)

    def run(self, command, **more):
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", **more}
        return subprocess.run(["/bin/sh", "-e", "-c", command], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=120)

    def page(self):
        path = self.folder / "page"
        return path.read_text() if path.exists() else ""

    def run_all(self, commands):
        """As a runner does: up to the first that fails. Its number, or None, and all that was printed."""
        for number, command in enumerate(commands):
            done = self.run(command, GITHUB_WORKSPACE=str(self.folder), GITHUB_STEP_SUMMARY=str(self.folder / "page"))
            if done.returncode != 0:
                return number, done
        return None, done


class Checks:
    def __init__(self):
        self.failed = self.count = 0

    def check(self, what, is_true, *told):
        self.count += 1
        if not is_true:
            self.failed += 1
            print(f"FAILED {what}", *told, sep="\n    ")


def obeyed(text):
    """Lines that GitHub's runner takes as commands."""
    return [line for line in text.splitlines() if re.match(r"\s*::", line) or re.search(r"##[A-Za-z]*\[", line)]


def check_github(checks, options, files, commands, uploaded):
    world = World(options, files)
    for command in commands:
        done = world.run(command, GITHUB_WORKSPACE=str(world.folder), GITHUB_STEP_SUMMARY=str(world.folder / "page"))
        checks.check(f"GitHub, sound ranks: {command}", (done.returncode, done.stdout, done.stderr) == (0, "", ""), done)
    page = world.page()
    for command in ("annotate", "verify", "render"):
        checks.check(f"the page tells of {command}", f"### layertrack {command}: 4 of 4 traces done" in page, page)
    for path in uploaded:
        checks.check(f"{path} is there to be uploaded", (world.folder / path).exists())
    checks.check("each rank has a picture", len(list((world.folder / "pictures").glob("*.svg"))) == 4)

    # One is cut, and its name would like to be a command.
    world = World(options, files)
    data = (world.folder / "traces/rank1.json").read_bytes()
    (world.folder / f"traces/{EVIL}rank1.json").write_bytes(data[:30000])
    (world.folder / "traces/rank1.json").unlink()
    number, done = world.run_all(commands)
    shown = obeyed(done.stdout + done.stderr)
    checks.check("a cut rank fails the first step, as an annotation of its file", number == 0 and done.returncode == 3 and
                 len(shown) == 1 and re.match(
                     r"::error file=traces/%3A%3Aerror%3A%3Ax%25%0A##\\x5berror\]yrank1\.json,title=layertrack%3A truncated::"
                     r"traces/::error::x%25\\x0a##\\x5berror\]yrank1\.json: truncated at byte 30000",
                     shown[0]) is not None,
                 done)
    checks.check("the page says why", "truncated at byte 30000" in world.page() and not obeyed(world.page()), world.page())

    # One was changed behind the first step's back.
    world = World(options, files)
    world.run_all(commands[:1])
    labelled = world.folder / "labelled/rank2.layers.trace.json"
    labelled.write_bytes(labelled.read_bytes().replace(b"rotary_embedding", b"rotary_xmbedding", 1))
    number, done = world.run_all(commands[1:])
    shown = obeyed(done.stdout + done.stderr)
    checks.check("a changed rank fails the second step", number == 0 and done.returncode == 1 and len(shown) == 1 and
                 shown[0].startswith("::error file=labelled/rank2.layers.trace.json,title=layertrack%3A different::"), done)

    # One has a pass more.
    world = World(options, files)
    world.make(2, "rank2.json", 4, passes=4)
    number, done = world.run_all(commands)
    shown = obeyed(done.stdout + done.stderr)
    checks.check("a rank that differs is named, and nothing is written", number == 0 and done.returncode == 4 and
                 any(line.startswith("::warning ") and "::rank 2 has " in line for line in shown) and
                 any(line.startswith("::error title=layertrack%3A selection::") for line in shown) and
                 not list((world.folder / "labelled").rglob("*.json")), done)


def cases(path):
    """Name of a JUnit case -> the tags of what came of it."""
    found = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        assert case.get("name") not in found, case.get("name")
        found[case.get("name")] = [outcome.tag for outcome in case if outcome.tag != "system-out"]
    return found


def check_gitlab(checks, options, files, commands, uploaded):
    world = World(options, files)
    number, done = world.run_all(commands)
    checks.check("GitLab, sound ranks", number is None, done)
    found = cases(world.folder / "verify.xml")
    checks.check("two cases a rank pass", len(found) == 8 and not any(found.values()), found)
    for path in uploaded:
        checks.check(f"{path} is there to be uploaded", (world.folder / path).exists())
    ranks = json.loads((world.folder / "summary.json").read_text())["ranks"]
    checks.check("the summary has each rank", sorted(rank["rank"] for rank in ranks) == [0, 1, 2, 3], ranks)

    labelled = world.folder / "labelled/rank2.layers.trace.json"
    labelled.write_bytes(labelled.read_bytes().replace(b"rotary_embedding", b"rotary_xmbedding", 1))
    done = world.run(commands[1])
    found = cases(world.folder / "verify.xml")
    bad = {name: tags for name, tags in found.items() if tags}
    checks.check("the changed one fails, and no other", done.returncode == 1 and bad == {
        "rank 2: labelled/rank2.layers.trace.json: nothing differs": ["failure"]}, done, bad)


def check_console(checks, options, files, text):
    world = World(options, files, 3)
    trace = world.folder / "traces/rank1.json"
    whole = trace.read_bytes()
    trace.write_bytes(whole[:30000])
    for _, block in blocks(text, "console"):
        command, *expected = block.removeprefix("$ ").splitlines()
        done = world.run(command, GITHUB_WORKSPACE=str(world.folder))
        got = done.stdout + done.stderr
        pattern = "".join("(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
                          for line in expected)
        checks.check(f"$ {command}", re.fullmatch(pattern, got) is not None, *expected, "got", got)
        # The next one proves all three.
        trace.write_bytes(whole)
        for path in (world.folder / "labelled").glob("*"):
            path.unlink()
        world.run(command.replace("--log-format github", ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True, type=os.path.abspath)
    parser.add_argument("--mktrace", required=True, type=os.path.abspath)
    parser.add_argument("document", type=Path)
    options = parser.parse_args()
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"):
        os.environ.pop(name, None)
    text = options.document.read_text(encoding="utf-8")
    files = dict(blocks(text, "json"))
    jobs = dict(blocks(text, "yaml"))
    checks = Checks()
    commands = {}
    for name, job in jobs.items():
        commands[name] = commands_by_hand(job)
        if yaml is None:
            print(f"SKIPPED: there is no PyYAML: {name} is not read as YAML")
            continue
        checks.check(f"{name} is YAML that holds these commands", commands_of(yaml.safe_load(job)) == commands[name])
    checks.check("two jobs of three commands", [len(found) for found in commands.values()] == [3, 3], commands)
    uploaded = ("labelled/", "pictures/", "summary.json")
    for path in uploaded:
        checks.check(f"both jobs upload {path}", all(path in job for job in jobs.values()))
    check_github(checks, options, files, commands[".github/workflows/layers.yml"], uploaded)
    check_gitlab(checks, options, files, commands[".gitlab-ci.yml"], (*uploaded, "verify.xml"))
    check_console(checks, options, files, text)
    print(f"{checks.count - checks.failed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
