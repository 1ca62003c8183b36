#!/usr/bin/env python3
"""annotate | strip | cmp, for every row of a table of traces that can be annotated.

Files and pipes, plain and gzip on both sides. What comes back must be the source's uncompressed bytes.

    check_strip.py --layertrack BIN [--fixtures DIR] [--traces DIR] [--quick]
"""
import argparse
import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

LABELS = ["--phase", 'de"code', "--evidence", "planted"]


def cases(fixtures, traces):
    sys.path.insert(0, str(Path(__file__).parent))
    import check_traces

    found = {}
    rows = [*(check_traces.fixture_cases(fixtures) if fixtures else []),
            *(check_traces.real_cases(traces) if traces else [])]
    for case in rows:
        if case.exits["default"] == 0:
            found.setdefault((str(case.trace), tuple(case.args)), case)
    return list(found.values())


def unpacked(data):
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def run(args, **more):
    return subprocess.run([str(a) for a in args], capture_output=True, **more)


def check(case, tool, folder, quick):
    source = unpacked(case.trace.read_bytes())
    ways = [("1", ".json"), ("2", ".json.gz")][: 1 if quick else 2]
    for threads, ending in ways:
        annotated = folder / ("annotated" + ending)
        done = run([tool, "annotate", case.trace, "-o", annotated, "--threads", threads, *case.args, *LABELS])
        assert done.returncode == 0, f"annotate: {done.stderr.decode()}"
        outputs = []
        for out in ("plain.json", "packed.json.gz"):
            done = run([tool, "strip", annotated, "-o", folder / out, "--threads", threads])
            assert done.returncode == 0, f"strip {ending} to {out}: {done.stderr.decode()}"
            outputs.append((folder / out).read_bytes())
            assert (outputs[-1][:2] == b"\x1f\x8b") == out.endswith(".gz"), f"{out}: wrong kind"
            (folder / out).unlink()
        report = Path(f"{annotated}.layers.json")
        done = run([tool, "strip", "--threads", threads, "--report", report], input=annotated.read_bytes())
        assert done.returncode == 0, f"strip of a pipe: {done.stderr.decode()}"
        outputs.append(done.stdout)
        for output in outputs:
            result = unpacked(output)
            assert result == source, "another trace came back"
        again = run([tool, "strip", case.trace])
        assert again.returncode == 4 and b"has no guides" in again.stderr and not again.stdout, "source: not refused"
        for path in folder.iterdir():
            path.unlink()
    return 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True)
    parser.add_argument("--fixtures", type=Path)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    stripped = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(options.fixtures, options.traces):
            try:
                stripped += check(case, options.layertrack, Path(folder), options.quick)
            except AssertionError as failure:
                failed += 1
                print(f"{case}: {failure}")
                for path in Path(folder).iterdir():
                    path.unlink()
    print(f"{stripped} annotated traces stripped, {failed} failed")
    return 1 if failed or stripped == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
