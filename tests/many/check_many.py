#!/usr/bin/env python3
"""Folders of made ranks: one at a time and many give the same files, one bad rank hurts no other, and each that differs is named.

    check_many.py --layertrack BIN --mktrace BIN [--ranks N]
"""
import argparse
import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ANCHOR = ["--anchor-regex", "rotary_embedding_kernel", "--num-layers", "4", "--phase", "decode", "--evidence", "planted"]


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Tools:
    def __init__(self, options, folder):
        self.layertrack, self.mktrace, self.folder = options.layertrack, options.mktrace, folder

    def make(self, path, *options):
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([self.mktrace, "--layers", "4", *map(str, options), "-o", str(path)], check=True)

    def run(self, *arguments, **more):
        """Exit code, standard output, standard error."""
        done = subprocess.run([self.layertrack, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True,
                              timeout=250, **more)
        expect("Sanitizer" not in done.stderr, done.stderr)
        return done.returncode, done.stdout, done.stderr


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def summary(path):
    return {entry["file"].split("/")[-1]: entry for entry in json.loads(path.read_text())["ranks"]}


def ranks(tools, folder, count):
    """Traces of mixed sizes, pids and devices, every third one compressed."""
    for r in range(count):
        path = folder / f"rank{r}_trace.json"
        tools.make(path, "--passes", 3, "--rank", r, "--world-size", count, "--pid", 100 + r, "--device", r % 8, "--seed", 1,
                   "--tail", 1000 + 100000 * (r % 4))
        if r % 3 == 0:
            (folder / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            path.unlink()


def one_and_many(tools, count):
    ranks(tools, tools.folder / "in", count)
    for jobs in (1, 8):
        code, out, errors = tools.run("annotate", "--output-dir", f"out{jobs}", "-j", jobs, "--passes", 3, "--anchor-offset", 0, *ANCHOR, "in")
        expect((code, errors) == (0, ""), (code, errors))
        expect(len(out.splitlines()) == count + 1, out)
    one, many = files(tools.folder / "out1"), files(tools.folder / "out8")
    expect(one == many, "-j 1 and -j 8 differ")
    expect(len(one) == 2 * count and not any(".tmp" in name for name in one), sorted(one))
    for what in (["verify", "--complete", "out8"], ["verify", "--complete", "--source-dir", "in", "out8"],
                 ["strip", "--output-dir", "back", "out8"], ["render", "--output-dir", "svg", "out8"]):
        code, _, errors = tools.run(*what, "-q", "-j", 8)
        expect(code == 0, (what, errors))
    for name, data in files(tools.folder / "in").items():
        back = tools.folder / "back" / name.replace("_trace.json", "_trace.trace.json")
        plain = gzip.decompress(data) if name.endswith(".gz") else data
        there = back.read_bytes()
        expect((gzip.decompress(there) if name.endswith(".gz") else there) == plain, name)
    expect(len(list((tools.folder / "svg").iterdir())) == count, "pictures")


def report_as_spec(tools, count):
    """What one rank's report states is carried to others of other pids and devices."""
    folder = tools.folder / "in"
    ranks(tools, folder, count)
    first = next(p for p in folder.iterdir() if p.name.startswith("rank1_"))
    code, _, errors = tools.run("annotate", first, "-o", "first.json", "--passes", 3, "--anchor-offset", 0, *ANCHOR)
    expect(code == 0, errors)
    code, _, errors = tools.run("annotate", "--spec", "first.json.layers.json", "--output-dir", "out", "in")
    expect((code, errors) == (0, ""), errors)
    for path in (tools.folder / "out").glob("*.layers.json"):
        report = json.loads(path.read_text())
        rank = int(path.name.split("_")[0][4:])
        expect((report["pid"], report["device"], len(report["layers"])) == (100 + rank, rank % 8, 12), path.name)


def bad_company(tools, count):
    """Broken, cut, refused, odd ones, a pipe: each is told of, all others are done."""
    folder = tools.folder / "in"
    ranks(tools, folder, count)
    good = len(list(folder.iterdir()))
    tools.make(folder / "rank90_cut.json", "--passes", 3, "--rank", 90, "--cut", 700)
    tools.make(folder / "rank91_few.json", "--passes", 1, "--rank", 91)
    (folder / "rank92_broken.json").write_text('{"traceEvents": [{"ph" "X"}]}')
    (folder / "rank93_zip.json").write_bytes(b"PK\x03\x04 no JSON at all")
    (folder / "::error title=x::##[command]y.json").write_text('{"traceEvents": [nonsense]}')
    (folder / "config.json").write_text('{"kernels": []}')
    (folder / "host.json").write_text('{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 1}]}')
    (folder / "merged-all.json").write_text("{}")
    (folder / ".hidden.json").write_text("{}")
    os.mkfifo(folder / "pipe.json")
    code, out, errors = tools.run("annotate", "--output-dir", "out", "--summary", "s.json", "--passes", 3, "--anchor-offset", 0, *ANCHOR, "in")
    expect(code == 4, (code, errors))
    found = summary(tools.folder / "s.json")
    expect(len(files(tools.folder / "out")) == 2 * good, errors)
    expect({name: found[name]["class"] for name in found if found[name]["exit_code"]} ==
           {"rank90_cut.json": "truncated", "rank91_few.json": "anchors-too-few", "rank92_broken.json": "not-json",
            "rank93_zip.json": "not-a-trace", "::error title=x::##[command]y.json": "not-json"}, found)
    passed = json.loads((tools.folder / "s.json").read_text())["passed_over"]
    expect(passed == {"merged": 1, "no-events": 1, "no-kernel": 1}, passed)
    for line in (out + errors).splitlines():
        expect(not line.lstrip().startswith("::") and "##[" not in line, line)
    for form in ("json", "github"):
        _, out, errors = tools.run("inspect", "--log-format", form, "in")
        for line in (out + errors).splitlines():
            expect("##[" not in line and (form == "github" or not line.lstrip().startswith("::")), line)
            expect(not line.startswith("::") or line.startswith(("::error ", "::warning ", "::notice ")), line)
    # A pipe that is named is a trace as any other.
    data = next(p for p in folder.iterdir() if p.name.startswith("rank1_")).read_bytes()
    writer = threading.Thread(target=lambda: (folder / "pipe.json").write_bytes(data))
    writer.start()
    code, _, errors = tools.run("annotate", "--output-dir", "piped", "--passes", 3, "--anchor-offset", 0, *ANCHOR, "in/pipe.json")
    writer.join()
    expect(code == 0 and len(files(tools.folder / "piped")) == 2, errors)


def differing(tools, count):
    """A minority of one is named, whatever it is in which it differs."""
    for what, odd in (("anchors", ["--passes", 4]), ("pid-free", None)):
        folder = tools.folder / what
        for r in range(count):
            options = odd if odd is not None and r == count - 2 else ["--passes", 3]
            tools.make(folder / f"r{r}-x.json", "--rank", r, "--world-size", count, "--pid", r, "--seed", 7, *options)
        code, out, errors = tools.run("annotate", "--output-dir", what + "-out", "--passes", "all", "--anchor-offset", 0, *ANCHOR, what)
        expect(code == 0, errors)
        expect((f"rank {count - 2} has 16 anchors, where the other {count - 1} ranks have 12 anchors" in errors) == (odd is not None), errors)
        expect(("; differs in anchors" in out) == (odd is not None), out)
        code, _, errors = tools.run("annotate", "--output-dir", what + "-same", "--same-counts", "--passes", "all", "--anchor-offset", 0, *ANCHOR, what)
        expect(code == (0 if odd is None else 4), errors)
        expect((tools.folder / (what + "-same")).exists() == (odd is None), "written after a refusal")
    expect(errors == "", errors)


def interrupted(tools, count):
    """Ctrl-C ends all of them and leaves no temporary file."""
    for r in range(count):
        tools.make(tools.folder / "in" / f"rank{r}.json", "--passes", 3, "--rank", r, "--size", "12M")
    job = subprocess.Popen([tools.layertrack, "annotate", "--output-dir", "out", "-j", "4", "--passes", "3", "--anchor-offset", "0",
                            *ANCHOR, "-z", "--level", "9", "in"], cwd=tools.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while job.poll() is None and not list(tools.folder.glob("out/.layertrack-*")) and time.monotonic() < deadline:
        time.sleep(0.002)
    job.send_signal(signal.SIGINT)
    _, errors = job.communicate(timeout=120)
    expect(job.returncode in (-signal.SIGINT, 0), (job.returncode, errors))
    left = sorted(p.name for p in (tools.folder / "out").iterdir())
    expect(not any(name.endswith(".tmp") for name in left), left)
    expect(len(left) % 2 == 0, left)


def full_disk(tools, count):
    """What cannot be written is told for each trace, and leaves nothing."""
    for r in range(count):
        tools.make(tools.folder / "in" / f"rank{r}.json", "--passes", 3, "--rank", r, "--size", "30K" if r % 2 else "900K")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200 << 10, 200 << 10))

    code, _, errors = tools.run("annotate", "--output-dir", "out", "--passes", 3, "--anchor-offset", 0, *ANCHOR, "in", preexec_fn=limit)
    expect(code == 5, errors)
    expect(len(files(tools.folder / "out")) == 2 * (count // 2), (sorted(files(tools.folder / "out")), errors))


def layouts(tools, _):
    """The names that profilers give."""
    names = {"1757000000.12-TP-0.trace.json": "0", "1757000000.12-TP-1-DP-0.trace.json": "1",
             "run_dp0_pp0_tp1_dcp0_ep0_rank2.1757000000.pt.trace.json": "2", "torch_profile/rank-3.json": "3",
             "iteration_4/rank4_trace.json": "4", "r5-2025-9-1.json": "5", "base-rank-6.json": "6", "rank7.12.pt.trace.json": "7",
             "x_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json": "8"}
    for name, rank in names.items():
        tools.make(tools.folder / "in" / name, "--rank", rank, "--world-size", 9)
    paths = [f"in/{name}" for name in names]
    code, _, errors = tools.run("annotate", "--output-dir", "out", "--summary", "s.json", "--passes", 2, "--anchor-offset", 0, *ANCHOR, *paths)
    expect((code, errors) == (0, ""), errors)
    entries = json.loads((tools.folder / "s.json").read_text())["ranks"]
    expect({e["file"][3:]: str(e["rank"]) for e in entries} == names, entries)
    outputs = {name for name in files(tools.folder / "out") if not name.endswith(".layers.json")}
    expect("x_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.layers.trace.json" in outputs, outputs)
    expect("rank7.12.layers.trace.json" in outputs and len(outputs) == len(names), outputs)


CHECKS = [one_and_many, report_as_spec, bad_company, differing, interrupted, full_disk, layouts]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True)
    parser.add_argument("--mktrace", required=True)
    parser.add_argument("--ranks", type=int, default=8)
    options = parser.parse_args()
    failures = 0
    for check in CHECKS:
        folder = Path(tempfile.mkdtemp(prefix="many-"))
        try:
            check(Tools(options, folder), options.ranks)
            print(f"ok {check.__name__}")
        except (Failure, OSError, subprocess.SubprocessError, KeyError, ValueError) as failure:
            failures += 1
            print(f"FAILED {check.__name__}: {failure!r}"[:3000])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
