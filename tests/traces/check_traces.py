#!/usr/bin/env python3
"""Annotates every trace of a table, every way, and compares with what is known of it.

Two tables: fixtures/cases.tsv, whose truth the maker planted, and expected/cases.tsv of a folder of real traces. Ways:
each parser, one and several threads, files and pipes, plain and gzip on both sides. Checked: exit code, guides, report,
that the output is the input with one insertion, and that a refusal leaves no file.

    check_traces.py --layertrack BIN --fixtures DIR [--traces DIR] [--only TRACE] [--quick]
"""
import argparse
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

LABELS = ["--phase", 'de"code', "--evidence", "planted — see truth"]


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def read_truth(path):
    """The planted layers as dicts, and the facts."""
    columns, layers, facts = [], [], {}
    for line in path.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        fields = line.split("\t")
        if fields[0] == "#layer":
            columns = fields
        elif fields[0] == "layer":
            layers.append(dict(zip(columns[1:], fields[1:])))
        elif fields[0] == "fact":
            facts[fields[1]] = fields[2] if len(fields) > 2 else ""
    return layers, facts


class Case:
    """One row of a table: what to run and what must come out."""

    def __init__(self, trace, args, exits, guides=None, facts=None, ends=None):
        self.trace, self.args, self.exits = trace, args, exits
        self.guides, self.facts, self.ends = guides, facts or {}, ends

    def __str__(self):
        return f"{self.trace.name} {' '.join(self.args)}"


def fixture_cases(folder):
    for line in (folder / "cases.tsv").read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        trace, default, strict, truth, pid, device, first, last, *args = line.split("\t")
        exits = {"default": int(default), "strict": int(strict)}
        if truth == "-":
            yield Case(folder / trace, args, exits)
            continue
        layers, facts = read_truth(folder / "truth" / f"{truth}.tsv")
        chosen = [row for row in layers if row["pid"] == pid and row["device"] == device]
        facts["matching"] = len(chosen)
        chosen = [row for row in chosen if row["role"] == "layer" and int(first) <= int(row["pass"]) <= int(last)]
        ended = "--end-anchor-regex" in args
        guides = [("L" + row["layer"], int(row["guide_start"]),
                   int(row["guide_dur_terminal" if ended else "guide_dur"])) for row in chosen]
        facts["starts"] = [row["ts"] for row in chosen]
        yield Case(folder / trace, args, exits, guides, facts)


def real_cases(folder):
    for line in (folder / "expected" / "cases.tsv").read_text().splitlines()[1:]:
        name, trace, code, events, anchors, pid, device, *args = line.split("\t")
        exits = {"default": int(code), "strict": int(code)}
        guides = None
        if int(code) == 0:
            rows = (folder / "expected" / f"{name}.guides.tsv").read_text().split("\n")
            guides = [(label, int(ts), int(dur)) for label, ts, dur in (row.split("\t") for row in rows if row)]
        facts = {"events": events, "matching": anchors, "pid": pid, "device": device}
        yield Case(folder / trace, args, exits, guides, facts if guides else {})


def uncompressed(data):
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def check_output(case, out, report, source):
    """Everything that must hold for an accepted trace."""
    original = uncompressed(source)
    at, size = report["insert_offset"], report["insert_bytes"]
    expect(out[:at] + out[at + size:] == original, "the output is not the input with one insertion")
    text = out[at:at + size].decode("utf-8").strip().strip(",").strip()
    events = json.loads(f"[{text}]", parse_float=Decimal)
    expect(text.count("\n") == len(events) - 1, "not one event a line")
    expect([e["name"] for e in events[:2]] == ["thread_name", "thread_sort_index"], "metadata events are not first")
    expect(events[0]["args"]["name"] == 'Layer guide (de"code) — anchor intervals', "track name")
    expect(events[1]["args"]["sort_index"] == -1000, "sort index")
    guides = [(e["name"], e["ts"], e["dur"]) for e in events[2:]]
    expect(guides == case.guides, f"guides differ: {guides[:3]} ... expected {case.guides[:3]} ...")
    expect(len({(e["pid"], e["tid"]) for e in events}) == 1, "more than one track")
    expect(all(e["cat"] == "layer_guide" and e["ph"] == "X" for e in events[2:]), "category")
    check_report(case, report, source, original, events)


def check_told(report, original):
    """What a trace says of itself as a whole; of those that Python reads, and soon."""
    try:
        trace = json.loads(original) if len(original) < 1 << 23 else None
    except ValueError:
        return
    if not isinstance(trace, dict):
        return
    info = trace.get("distributedInfo", {})
    told = {"base_time_ns": trace.get("baseTimeNanoseconds"), "rank": info.get("rank"), "world_size": info.get("world_size")}
    expect({key: report[key] for key in told} == told, "what the trace tells of rank and clock")


def check_report(case, report, source, original, events):
    expect(list(report) == ["schema_version", "notice", "phase", "evidence", "pid", "device", "guide_tid", "track_name",
                            "anchor_regex", "end_anchor_regex", "anchor_offset", "matching_anchor_count", "num_layers",
                            "first_layer", "passes", "original_event_count", "added_event_count", "trace_origin_us",
                            "layers", "source_sha256", "source_file", "source_bytes", "insert_offset", "insert_bytes",
                            "tool_version", "anchor_stride", "extra_anchors_per_pass", "landmarks", "within",
                            "within_gpu", "pass_scopes", "anchor_offset_rule", "passes_rule",
                            "left_over_anchors", "source_gzip", "source_crc32",
                            "base_time_ns", "rank", "world_size", "warnings"], "the report's keys or their order")
    facts = case.facts
    check_told(report, original)
    expect(report["source_sha256"] == hashlib.sha256(source).hexdigest(), "source_sha256")
    expect(report["source_bytes"] == len(original), "source_bytes")
    expect(report["added_event_count"] == len(events), "added_event_count")
    expect(report["matching_anchor_count"] == int(facts["matching"]), f"anchors: {report['matching_anchor_count']}")
    expect(report["original_event_count"] == int(facts["events"]), f"events: {report['original_event_count']}")
    if "pid" in facts and "starts" not in facts:
        expect(str(report["pid"]) == facts["pid"] and str(report["device"]) == facts["device"], "pid or device")
    if "insert_offset" in facts:
        expect(report["insert_offset"] == int(facts["insert_offset"]), "insert_offset is not the planted one")
        expect(report["guide_tid"] == int(facts["guide_tid"]), "guide_tid")
        expect(report["trace_origin_us"] == Decimal(facts["trace_origin"]), "trace_origin_us")
    rows = report["layers"]
    expect(len(rows) == len(case.guides), "rows")
    for row, event in zip(rows, events[2:]):
        labels = {key: event["args"][key] for key in ("phase", "evidence", "notice")}
        expect(event["args"] == {**row, **labels} and list(event["args"]) == [*row, *labels], "args are not the row")
        expect(event["ts"] == row["guide_start_us"] and row["guide_end_us"] - event["ts"] == event["dur"], "times")
        origin = Decimal(report["trace_origin_us"])
        expect((Decimal(row["start_us"]) - origin) / 1000 == row["start_relative_ms"], "start_relative_ms")
        expect((Decimal(row["end_us"]) - origin) / 1000 == row["end_relative_ms"], "end_relative_ms")
    if "starts" in facts:
        expect([Decimal(row["start_us"]) for row in rows] == [Decimal(ts) for ts in facts["starts"]], "start_us")


def load_report(path):
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


class Way:
    """How the trace goes in and comes out."""

    def __init__(self, stdin, to_stdout, gz, pipe=False):
        self.stdin, self.to_stdout, self.gz, self.pipe = stdin, to_stdout, gz, pipe

    def __str__(self):
        return f"{'pipe' if self.pipe else 'stdin' if self.stdin else 'file'} to {'stdout' if self.to_stdout else 'file'}" \
               f"{' gzip' if self.gz else ''}"

    def run(self, binary, case, options, folder):
        out = folder / ("out.json.gz" if self.gz else "out.json")
        report = folder / "r.json"
        command = [binary, "annotate", *case.args, *LABELS, *options, "--report", str(report)]
        command += ["-o", "-", *(["-z"] if self.gz else [])] if self.to_stdout else ["-o", str(out)]
        if not self.stdin:
            command.append(str(case.trace))
        stdin = subprocess.DEVNULL
        feeder = None
        if self.pipe:
            feeder = subprocess.Popen(["cat", str(case.trace)], stdout=subprocess.PIPE)
            stdin = feeder.stdout
        elif self.stdin:
            stdin = open(case.trace, "rb")
        done = subprocess.run(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if stdin not in (None, subprocess.DEVNULL):
            stdin.close()
        if feeder:
            feeder.wait()
        data = done.stdout if self.to_stdout else out.read_bytes() if out.exists() else b""
        return done, data, report


FILE_WAYS = [Way(False, False, False), Way(False, False, True)]
PIPE_WAYS = [Way(True, True, False, pipe=True), Way(True, True, True), Way(True, False, True, pipe=True)]


def check(binary, case, way, parser, threads, source):
    options = ["--threads", str(threads), *(["--strict"] if parser == "strict" else [])]
    folder = Path(tempfile.mkdtemp())
    try:
        done, data, report = way.run(binary, case, options, folder)
        code = case.exits[parser]
        errors = done.stderr.decode("utf-8", "replace")
        expect(done.returncode == code, f"exit {done.returncode}, expected {code}: {errors}")
        if code != 0:
            expect(not data and not os.listdir(folder), f"something was left: {os.listdir(folder)}")
            expect(errors.startswith("layertrack: ") and ";" in errors, f"message: {errors}")
            expect(all(c.isprintable() for c in errors.replace("\n", "")), f"unprintable message: {errors!r}")
            return
        expect(data[:2] == b"\x1f\x8b" if way.gz else True, "not gzip")
        check_output(case, uncompressed(data), load_report(report), source)
        left = sorted(os.listdir(folder))
        expect(left == sorted(["r.json"] + ([] if way.to_stdout else ["out.json.gz" if way.gz else "out.json"])),
               f"files: {left}")
    finally:
        shutil.rmtree(folder)


def check_ways(options, case):
    """How many ways passed and failed."""
    source = case.trace.read_bytes()
    passed = failed = 0
    for parser_name in ("default", "strict"):
        for threads in (1, 3):
            ways = FILE_WAYS + PIPE_WAYS
            if options.quick:
                ways = FILE_WAYS if threads == 3 else PIPE_WAYS
            for way in ways:
                try:
                    check(options.layertrack, case, way, parser_name, threads, source)
                    passed += 1
                except Failure as failure:
                    failed += 1
                    print(f"FAILED {case} [{parser_name}, {threads} threads, {way}]: {failure}", flush=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True)
    parser.add_argument("--fixtures", type=Path)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--quick", action="store_true", help="fewer combinations, for slow (sanitizer) builds")
    options = parser.parse_args()
    cases = []
    if options.fixtures:
        cases += fixture_cases(options.fixtures)
    if options.traces:
        cases += real_cases(options.traces)
    if options.only:
        cases = [case for case in cases if case.trace.name == options.only]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        counts = list(pool.map(lambda case: check_ways(options, case), cases))
    passed, failed = sum(count[0] for count in counts), sum(count[1] for count in counts)
    if not cases:
        print("no cases: neither fixtures nor traces")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
