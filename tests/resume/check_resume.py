#!/usr/bin/env python3
"""Kills, stops and starves runs over eight ranks, and resumes them: what comes of it is what an undisturbed run makes.

    check_resume.py --layertrack BIN --mktrace BIN --inject inject.so
"""
import argparse
import gzip
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RANKS = 8
LABELS = ["--anchor-regex", "rotary_embedding_kernel", "--num-layers", "4", "--anchor-offset", "0", "--passes", "2",
          "--phase", "decode", "--evidence", "planted"]


class Check:
    def __init__(self, options, folder):
        self.options, self.folder, self.failures, self.done = options, folder, [], 0
        self.ranks = folder / "in"
        for rank in range(RANKS):
            path = self.ranks / f"rank{rank}" / "trace.json"
            path.parent.mkdir(parents=True)
            subprocess.run([options.mktrace, "--layers", "4", "--passes", "3", "--seed", str(rank), "--rank", str(rank),
                            "--world-size", str(RANKS), "--pid", f"7{rank}", "--size", f"{100 + 150 * rank}K", "-o", path],
                           check=True)
            if rank % 3 == 0:
                (path.parent / "trace.json.gz").write_bytes(gzip.compress(path.read_bytes(), 1))
                path.unlink()
        assert self.run("good").returncode == 0
        self.good = self.tree("good")
        assert len(self.good) == 2 * RANKS

    def start(self, out, *words, fault=None, **more):
        environment = {**os.environ, "LC_ALL": "C"}
        if fault:
            environment.update(LD_PRELOAD=os.path.abspath(self.options.inject), FAULT=fault)
        command = [self.options.layertrack, "annotate", *LABELS, "--output-dir", str(self.folder / out), "-q", *words,
                   *sorted(map(str, self.ranks.iterdir()))]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def finish(self, process):
        out, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, out, errors)

    def run(self, *words, **more):
        return self.finish(self.start(*words, **more))

    def tree(self, out):
        top = self.folder / out
        return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}

    def expect(self, condition, what):
        self.done += 1
        if not condition:
            self.failures.append(what)

    def expect_good(self, out, done, what):
        made = self.tree(out)
        self.expect(done.returncode == 0, f"{what}: exit {done.returncode}: {done.stderr}")
        different = sorted(set(made) ^ set(self.good)) + [name for name in made if self.good.get(name) != made[name]]
        self.expect(made == self.good, f"{what}: differs from an undisturbed run in {different}")

    def clear(self, out):
        shutil.rmtree(self.folder / out, ignore_errors=True)

    def left(self, out):
        return [name for name in self.tree(out) if name.endswith(".tmp")]


def check_kills(check):
    """A kill before any call that makes, fills or names a file."""
    faults = [f"link:{n}:KILL" for n in range(1, 2 * RANKS + 1)] + [f"fsync:{n}:KILL" for n in range(1, 9)]
    faults += [f"{call}:{n}:KILL" for call in ("write", "copy_file_range") for n in (1, 2, 3, 5, 9)]
    faults += [f"flock:{n}:KILL" for n in (1, 2, 6)]
    tails, met = 0, 0
    for i, fault in enumerate(faults):
        out = "killed"
        check.clear(out)
        killed = check.run(out, "-j", "18"[i % 2], fault=fault)
        met += killed.returncode == -signal.SIGKILL
        made = check.tree(out)
        bare = [name for name in made if name.endswith((".json", ".gz")) and not name.endswith(".layers.json")
                and f"{name}.layers.json" not in made]
        check.expect(not bare, f"{fault}: {bare} without a report")
        tails += len(check.left(out))
        check.expect_good(out, check.run(out, "--resume", "-j", "81"[i // 2 % 2]), fault)
    check.expect(met > 30 and tails > 30, f"only {met} kills, which left {tails} temporaries")
    verified = subprocess.run([check.options.layertrack, "verify", "--complete", "-q", *sorted((check.folder / out).iterdir())],
                              capture_output=True, text=True, check=False)
    check.expect(verified.returncode == 0, f"verify: {verified.stdout}{verified.stderr}")


def check_again_and_again(check):
    """A run that is killed each time a little later comes to its end."""
    check.clear("often")
    runs = 0
    while check.run("often", "--resume", "-j", "2", fault="link:5:KILL").returncode == -signal.SIGKILL and runs < 40:
        runs += 1
    check.expect(2 < runs < 10, f"killed {runs} times")
    check.expect_good("often", check.run("often", "--resume"), "killed often")


def check_at_once(check):
    for together in (2, 3, 2, 4):
        check.clear("both")
        processes = [check.start("both", "--resume", "-j", str(1 + i)) for i in range(together)]
        for done in [check.finish(process) for process in processes]:
            check.expect_good("both", done, f"{together} at once")


def wait_until(condition):
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


def is_stopped(process):
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def check_living(check):
    """What a process that stands still is at stays; it goes on and finds what others did."""
    for call, left in ((1, 2), (2, 1), (3, 2)):
        what = f"stopped before link {call}"
        check.clear("still")
        still = check.start("still", "--resume", "-j", "1", fault=f"link:{call}:STOP")
        check.expect(wait_until(lambda: is_stopped(still)), f"{what}: it did not")
        before = check.left("still")
        check.expect(len(before) == left, f"{what}: {before}")
        other = check.start("still", "--resume", "-j", "2")
        if left == 2:
            done = check.finish(other)
            check.expect(check.left("still") == before, f"{what}: {check.left('still')}, not {before}")
            check.expect(done.returncode == 0, f"{what}: exit {done.returncode}: {done.stderr}")
            still.send_signal(signal.SIGCONT)
        else:
            # A report stands there that is about to get its output, which is waited for.
            time.sleep(1)
            check.expect(other.poll() is None, f"{what}: not waited for")
            still.send_signal(signal.SIGCONT)
            check.expect_good("still", check.finish(other), what)
        check.expect_good("still", check.finish(still), f"{what}, itself")


def check_no_locks(check):
    check.clear("none")
    check.run("none", "-j", "1", fault="link:1:KILL")
    before = check.left("none")
    done = check.run("none", "--resume", "-j", "1", fault="flock:1+:ENOLCK")
    check.expect(len(before) == 2 and check.left("none") == before, f"without locks: {before}, then {check.left('none')}")
    check.expect(done.returncode == 0 and "2 temporary files of it may be in use" in done.stderr,
                 f"without locks: exit {done.returncode}: {done.stderr}")
    check.expect_good("none", check.run("none", "--resume"), "with locks again")
    check.clear("none")
    check.run("none", "-j", "1", fault="link:2:KILL")
    done = check.run("none", "--resume", "-j", "1", fault="flock:1+:ENOLCK")
    check.expect(done.returncode == 5 and "cannot be told without locks; remove it first" in done.stderr,
                 f"a report alone, without locks: exit {done.returncode}: {done.stderr}")
    check.expect_good("none", check.run("none", "--resume"), "a report alone, with locks again")


def check_full(check):
    """As on a full disk: some fit, the others come later. -j 1 and -j 8."""
    for jobs in ("1", "8"):
        check.clear("full")
        done = check.run("full", "--resume", "-j", jobs,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000)))
        made = check.tree("full")
        check.expect(done.returncode == 5 and 0 < len(made) < 2 * RANKS and not check.left("full"),
                     f"full: exit {done.returncode}, {sorted(made)}")
        check.expect_good("full", check.run("full", "--resume", "-j", jobs), "room again")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--layertrack", "--mktrace", "--inject"):
        parser.add_argument(option, required=True, type=os.path.abspath)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check = Check(options, Path(folder))
        for part in (check_kills, check_again_and_again, check_at_once, check_living, check_no_locks, check_full):
            part(check)
    print("\n".join(check.failures[:40]))
    print(f"{check.done} checks, {len(check.failures)} failures")
    sys.exit(bool(check.failures))


main()
