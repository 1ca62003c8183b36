#!/usr/bin/env python3
"""Tables of reports against the reports: every cell to the letter, in each format, and skews against exact decimals.

Python's csv reads CSV and TSV, escapes are undone as the manual says. Ranks of eight made traces differ in passes, digits,
seeds and planted bases; what lies side by side is compared with a merge of their reports in exact decimals.

    check_report.py --layertrack BIN --mktrace BIN [--traces DIR]
"""
import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from decimal import Decimal, getcontext
from pathlib import Path

from check_traces import real_cases

OWN = ["pass_index", "layer_id", "anchor_index", "anchor_tid", "start_us", "end_us", "guide_start_us", "guide_end_us",
       "start_relative_ms", "end_relative_ms", "boundary_kind", "anchor_name"]
BASE = 1751410836000000000
getcontext().prec = 60


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command[1:]))}: exit {done.returncode}: {done.stderr.decode()}"
    return done.stdout


def load(path):
    """A report with its numbers as they are spelled."""
    return json.loads(Path(path).read_text(encoding="utf-8"), parse_float=str, parse_int=str)


def undo(cell):
    if "\\" not in cell:
        return cell
    pieces = re.split(rb"(\\\\|\\x[0-9a-f]{2})", cell.encode())
    return b"".join(b"\\" if p == b"\\\\" else bytes([int(p[2:], 16)]) if p[:2] == b"\\x" else p for p in pieces).decode()


def table(binary, reports, *options):
    """The rows in all three formats, which must be the same; an empty cell is ''."""
    found = []
    for form in ("tsv", "csv", "json"):
        text = run(binary, "report", *reports, "--format", form, *options).decode()
        if form == "json":
            whole = json.loads(text, parse_float=str, parse_int=str)
            assert whole["ranks"] and whole["notice"] in found[0][0], "the notice is another one"
            rows = [{key: "" if cell is None else cell for key, cell in row.items()} for row in whole["rows"]]
        else:
            comment, *lines = text.splitlines()
            assert comment.startswith("# layertrack ") and all(len(line.splitlines()) == 1 for line in lines)
            dialect = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if form == "tsv" else {"strict": True}
            rows = [{undo(key): undo(cell) for key, cell in row.items()} for row in csv.DictReader(lines, **dialect)]
        found.append((comment, rows))
    assert found[0][1] == found[1][1] == found[2][1], "the formats tell different things"
    return found[0][1]


def check_rows(binary, reports):
    """A row for each guide, report by report."""
    rows = table(binary, reports)
    expected = []
    for path in reports:
        report = load(path)
        for track in report.get("tracks", [report]):
            expected += [(str(path), track["phase"], report["base_time_ns"] or "", row) for row in track["layers"]]
    assert len(rows) == len(expected), f"{len(rows)} rows of {len(expected)}"
    for got, (path, phase, base, row) in zip(rows, expected):
        assert (got["file"], got["phase"], got["base_time_ns"]) == (path, phase, base), f"{got} is not of {path}"
        assert all(got[key] == row[key] for key in OWN), f"{got} is not {row}"
        assert got["label"] == "L" + row["layer_id"]
    return len(rows)


def make_ranks(args, folder):
    """Reports of eight ranks, in their order."""
    reports = []
    for rank in range(8):
        passes, trace = 3 + rank % 2, folder / f"t{rank}.json"
        run(args.mktrace, "--rank", rank, "--seed", 1 + rank, "--passes", passes, "--layers", 5,
            "--ts-decimals", (3, 15, 0)[rank % 3], "-o", trace)
        text = trace.read_text(encoding="utf-8")
        assert text.count(f'"baseTimeNanoseconds": {BASE}') == 1
        trace.write_text(text.replace(f": {BASE}", f": {BASE + 137 * rank * rank - 1000}"), encoding="utf-8")
        run(args.layertrack, "annotate", trace, "-o", folder / f"{9 - rank}.json", "--anchor-regex",
            "rotary_embedding_kernel", "--num-layers", 5, "--anchor-offset", 0, "--passes", passes, "--phase", "decode",
            "--evidence", "planted")
        reports.append(folder / f"{9 - rank}.json.layers.json")
    return reports


def check_skews(binary, reports):
    starts, spelled = [], []
    for path in reports:
        report = load(path)
        base = Decimal(report["base_time_ns"]) / 1000
        keys = [(int(row["pass_index"]), int(row["layer_id"])) for row in report["layers"]]
        spelled.append({key: row["start_us"] for key, row in zip(keys, report["layers"])})
        starts.append({key: Decimal(start) + base for key, start in spelled[-1].items()})
    rows = table(binary, reports[::-1], "--align", "layer")
    keys = sorted(set().union(*starts))
    assert [(int(row["pass_index"]), int(row["layer_id"])) for row in rows] == keys, "rows are missing, or in another order"
    skews = set()
    for key, row in zip(keys, rows):
        for rank, start in enumerate(starts):
            assert row[f"rank{rank}_start_us"] == spelled[rank].get(key, "")
            skew = row[f"rank{rank}_skew_us"]
            if key not in start or key not in starts[0]:
                assert skew == "", f"rank {rank} has the skew {skew} where there is none"
                continue
            assert Decimal(skew) == start[key] - starts[0][key] and not re.search(r"\.\d*0$", skew), f"skew {skew}"
            skews.add(skew)
    assert len(skews) > 50 and any(row["rank0_start_us"] == "" for row in rows), "nothing was compared"
    return len(rows)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--layertrack", "--mktrace"):
        parser.add_argument(option, required=True)
    parser.add_argument("--traces", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        reports = make_ranks(args, folder)
        print(f"{check_rows(args.layertrack, reports)} rows of eight ranks, {check_skews(args.layertrack, reports)} side by side")
        for number, case in enumerate(real_cases(args.traces) if args.traces else []):
            if case.exits["default"] != 0:
                continue
            report = folder / f"real{number}"
            run(args.layertrack, "annotate", "-q", case.trace, "-o", folder / "out", "--report", report, "--phase", "=p\\",
                "--evidence", "e", *case.args)
            (folder / "out").unlink()
            alone = table(args.layertrack, [report], "--align", "layer")
            assert all(cell == "0" for row in alone for key, cell in row.items() if key.endswith("_skew_us"))
            print(f"{check_rows(args.layertrack, [report])} rows of {case.trace.name}")


main()
