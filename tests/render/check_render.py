#!/usr/bin/env python3
"""layertrack render against the truth: every position in the picture is computed again from the report and the trace.

    check_render.py --layertrack BIN --mktrace BIN --fixtures DIR [--quick] [--traces DIR]
"""
import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
BILLION = 10**9
BOX, PIXEL = 400, 100
FAILURES = []


class Number(str):
    """A JSON number as it is written."""


def load(data):
    return json.loads(data, parse_float=Number, parse_int=Number, parse_constant=Number)


def fail(where, what):
    FAILURES.append(f"{where}: {what}")


def nanos(value):
    """Billionths of a microsecond, rounded down; None when it is no number."""
    try:
        return Fraction(value) * BILLION // 1
    except (ValueError, TypeError):
        return None


def same(a, b):
    if isinstance(a, Number) and isinstance(b, Number):
        return Fraction(a) == Fraction(b)
    return type(a) is type(b) and a == b


def hundredths(text):
    whole, _, part = text.partition(".")
    return int(whole) * 100 + int((part + "00")[:2])


def is_kernel(event, report):
    if not isinstance(event, dict) or event.get("ph") != "X" or not isinstance(event.get("cat"), str):
        return False
    if "kernel" not in [word.strip(" ") for word in event["cat"].split(",")]:
        return False
    args = event.get("args")
    device = args.get("device") if isinstance(args, dict) else None
    return same(event.get("pid"), report["pid"]) and (device is None or same(device, report["device"]))


class Model:
    """What must be in the picture of one pass, by the words of the manual."""

    def __init__(self, trace, report, pass_index, layers, width):
        everything = [row for row in report["layers"] if int(row["pass_index"]) == pass_index]
        self.rows = [row for row in everything if layers is None or layers[0] <= int(row["layer_id"]) <= layers[1]]
        lengths = [nanos(row["end_us"]) - nanos(row["start_us"]) for row in everything]
        self.start = nanos(self.rows[0]["start_us"])
        end = nanos(self.rows[-1]["end_us"])
        if end == nanos(self.rows[-1]["start_us"]):
            known = [length for length in lengths if length > 0]
            end += sum(known) // len(known) // 10**6 * 10**6 if known else 100 * BILLION
        self.length, self.columns = end - self.start, width - 112
        self.anchors = {(nanos(row["start_us"]) - self.start, row["anchor_name"]) for row in self.rows}
        self.streams = {}
        for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
            if is_kernel(event, report):
                self.add(event)

    def x(self, time):
        clipped = min(max(time - self.start, 0), self.length)
        return int(Fraction(clipped * self.columns * 100, self.length) + Fraction(1, 2))

    def add(self, event):
        start, dur = nanos(event.get("ts")), nanos(event.get("dur"))
        if start is None or dur is None or start >= self.start + self.length:
            return
        if start + dur <= self.start and start != self.start:
            return
        tid = event.get("tid")
        stream = self.streams.setdefault(str(tid), {"kernels": 0, "busy": 0, "cells": {}, "other": {}})
        stream["kernels"] += 1
        stream["busy"] += min(start + dur, self.start + self.length) - max(start, self.start)
        x0, x1 = self.x(start), self.x(start + dur)
        column = min(x0 // 100, self.columns - 1)
        kernel = (x0, x1, event.get("name"), start - self.start, dur)
        there = stream["cells"].get(column)
        if x1 - x0 >= PIXEL and (there is None or dur > there[4]):
            stream["cells"][column] = kernel
            kernel = there
        if kernel is not None:
            stream["other"][column] = stream["other"].get(column, 0) + 1

    def drawn(self, most):
        """Names of the streams to draw, in order."""
        def natural(tid):
            return (0, Fraction(tid), "") if re.fullmatch(r"-?\d+", tid) else (1, 0, tid)
        busiest = sorted(self.streams, key=lambda tid: (-self.streams[tid]["busy"], natural(tid)))[:most]
        return sorted(busiest, key=natural)


def boxes_of(path):
    return [(hundredths(x), hundredths(x) + hundredths(w)) for x, w in re.findall(r"M([\d.]+) 0h([\d.]+)v", path.get("d"))]


def check_guides(where, model, picture):
    group = next(g for g in picture.iter(SVG + "g") if g.get("id") == "guides")
    found = [(hundredths(r.get("x")), hundredths(r.get("width")), r.find(SVG + "title").text.split(":")[0])
             for r in group.findall(SVG + "rect")]
    wanted, last = [], None
    for row in model.rows:
        x0, x1 = model.x(nanos(row["start_us"])), model.x(nanos(row["end_us"]))
        if x1 - x0 >= PIXEL or x0 // 100 != last:
            point = nanos(row["start_us"]) == nanos(row["end_us"])
            wanted.append((x0, 200 if point else max(x1 - x0, 1), "L" + row["layer_id"]))
        last = x0 // 100
    if found != wanted:
        fail(where, f"guides {found[:3]} ..., expected {wanted[:3]} ...")


def plain(time):
    """A number of billionths in plain digits, in thousands of them and without zeros at the end."""
    text = f"{time // BILLION}.{time % BILLION:09d}" if time >= 0 else f"-{-time // BILLION}.{-time % BILLION:09d}"
    return text.rstrip("0").rstrip(".")


def check_anchors(where, model, picture, words):
    """What is outlined is an anchor, and the words say so, or not."""
    outlined = len([r for r in picture.iter(SVG + "rect") if r.get("class", "").endswith(" an")])
    anchors = len(model.rows)
    names = sorted({row["anchor_name"] for row in model.rows}, key=[row["anchor_name"] for row in model.rows].index)
    told = re.search(r"Anchor: (.*?)(?:, where the guides begin\.|\. The outlined kernels? (?:is|are) the anchors?(?: of (\d+) of the (\d+) guides)?)", words)
    if not told:
        fail(where, f"tells of no anchor: {words}")
    elif not all(name in names[0] for name in told[1].split(" and others")[0].split("…")[0].split(", ")[:1]):
        fail(where, f"anchor {told[1]!r}, not {names}")
    elif (outlined > 0) != ("outlined" in told[0]) or (told[2] or str(anchors), told[3] or str(anchors)) != (str(outlined or anchors), str(anchors)):
        fail(where, f"{outlined} of {anchors} outlined, but it says {told[0]!r}")


def check_stream(where, model, tid, group):
    stream = model.streams[tid]
    label = group.find(SVG + "text").find(SVG + "title").text
    if not re.match(rf"stream {re.escape(tid)}(, device .*)?: {stream['kernels']} kernels, {plain(stream['busy'])} µs$", label):
        fail(where, f"stream {tid}: label {label!r}, expected {stream['kernels']} kernels, {plain(stream['busy'])} µs")
    paths = group.findall(SVG + "path")
    merged = [box for path in paths if path.get("class").startswith("o ") for box in boxes_of(path)]
    columns = sorted(column for x0, x1 in merged for column in range(x0 // 100, x1 // 100))
    if columns != sorted(stream["other"]):
        fail(where, f"stream {tid}: merged columns {columns[:9]}, expected {sorted(stream['other'])[:9]}")
    narrow = sorted(box for path in paths if not path.get("class").startswith("o ") for box in boxes_of(path))
    cells = sorted(stream["cells"].values(), key=lambda kernel: kernel[0])
    if narrow != [kernel[:2] for kernel in cells if kernel[1] - kernel[0] < BOX]:
        fail(where, f"stream {tid}: narrow kernels {narrow[:5]}")
    rects = [rect for rect in group.findall(SVG + "rect") if rect.get("rx")]
    wide = [kernel for kernel in cells if kernel[1] - kernel[0] >= BOX]
    if len(rects) != len(wide):
        fail(where, f"stream {tid}: {len(rects)} boxes, expected {len(wide)}")
    for rect, kernel in zip(rects, wide):
        x0 = hundredths(rect.get("x"))
        title = rect.find(SVG + "title").text.rsplit("\n", 1)
        if rect.get("class").endswith(" an") != ((kernel[3], kernel[2]) in model.anchors):
            fail(where, f"stream {tid}: {rect.attrib}, but anchors are {model.anchors}")
        if (x0, x0 + hundredths(rect.get("width"))) != kernel[:2]:
            fail(where, f"stream {tid}: box {rect.attrib}, expected {kernel}")
        if title[1] != f"start {plain(kernel[3])} µs, dur {plain(kernel[4])} µs":
            fail(where, f"stream {tid}: title {title}, expected {kernel}")
        if isinstance(kernel[2], str) and kernel[2].isascii() and kernel[2].isprintable() and \
                title[0] != (kernel[2] if len(kernel[2]) < 256 else kernel[2][:256] + "…"):
            fail(where, f"stream {tid}: name {title[0]!r}, expected {kernel[2]!r}")


def check_picture(where, svg, model, report, most=16):
    try:
        picture = ET.fromstring(svg)
    except ET.ParseError as error:
        fail(where, f"not XML: {error}")
        return
    check_guides(where, model, picture)
    groups = [g for g in picture.iter(SVG + "g") if g.get("class") == "stream"]
    wanted = model.drawn(most)
    if len(groups) != len(wanted):
        fail(where, f"{len(groups)} streams, expected {wanted}")
    for tid, group, index in zip(wanted, groups, range(most)):
        if group.get("transform") != f"translate(96 {78 + 24 * index})":
            fail(where, f"stream {tid} lies at {group.get('transform')}")
        check_stream(where, model, tid, group)
    axis = next(g for g in picture.iter(SVG + "g") if g.get("id") == "axis")
    unit, *ticks = axis.findall(SVG + "text")
    scale = {"µs": 1, "ms": 1000, "s": 10**6}[unit.text]
    for tick in ticks:
        if hundredths(tick.get("x")) != model.x(model.start + nanos(tick.text) * scale):
            fail(where, f"tick {tick.text} at {tick.get('x')}")
    words = " ".join(text.text or "" for text in picture.findall(SVG + "text"))
    for sentence in ("drawn from the trace, not a viewer's screenshot", report["notice"], f"Evidence: {report['evidence']}"):
        if sentence not in words:
            fail(where, f"does not say {sentence!r}")
    check_anchors(where, model, picture, words)
    left_out = len(model.streams) - len(wanted)
    if left_out and f"{left_out} stream" not in words:
        fail(where, f"does not say that {left_out} streams are left out")


class Work:
    def __init__(self, options, folder):
        self.options, self.folder, self.count = options, folder, 0

    def annotate(self, trace, arguments):
        self.count += 1
        out = self.folder / f"{self.count}.json"
        subprocess.run([self.options.layertrack, "annotate", trace, "-o", out, "--phase", "p", "--evidence", "e", *arguments],
                       check=True, capture_output=True)
        return out

    def render(self, trace, *arguments):
        done = subprocess.run([self.options.layertrack, "render", trace, "-o", "-", *arguments], capture_output=True, check=False)
        if done.returncode != 0:
            fail(trace, f"render {arguments}: exit {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def make(self, *arguments):
        trace = self.folder / "made.json"
        subprocess.run([self.options.mktrace, "-o", trace, *map(str, arguments)], check=True)
        return trace


def check_all_passes(work, where, trace, arguments, widths=(1200, 401)):
    annotated = work.annotate(trace, arguments)
    report = load(Path(f"{annotated}.layers.json").read_text(encoding="utf-8"))
    data = annotated.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    try:
        events = load(data)
    except (ValueError, RecursionError):
        ET.fromstring(work.render(annotated))
        return
    first = int(report["first_layer"])
    windows = {(0, None), (int(report["passes"]) - 1, None), (0, (first, first)),
               (int(report["passes"]) - 1, (first + int(report["num_layers"]) // 2, first + int(report["num_layers"]) - 1))}
    for pass_index, layers in sorted(windows, key=str):
        for width in widths:
            model = Model(events, report, pass_index, layers, width)
            chosen = ["--layers", f"{layers[0]}-{layers[1]}"] if layers else []
            svg = work.render(annotated, "--pass", str(pass_index), "--width", str(width), *chosen)
            check_picture(f"{where} pass {pass_index} layers {layers} width {width}", svg, model, report)


def check_overlaps(work):
    """Kernels that begin in one pixel column, of the same length or not; kernels at the window's edges; a second device."""
    spans = [(1000, 50), (1000, 50), (1000, 80), (1000.2, 80), (1001, 1), (1500, 0), (1999.99, 100), (900, 100), (900, 101), (2000, 0)]
    events = [{"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": 1, "tid": 10 - i // 5, "ts": ts, "dur": dur, "args": {"device": 1}}
              for i, (ts, dur) in enumerate(spans)]
    events += [{**event, "args": {"device": 0}, "tid": 3, "ts": event["ts"] + 0.001} for event in events]
    events += [{**events[0], "name": "anchor", "tid": 7, "ts": ts, "dur": 1} for ts in (1000, 2000)]
    trace = work.folder / "overlaps.json"
    trace.write_text(json.dumps(events))
    for shuffled in (False, True):
        trace.write_text(json.dumps(events[::-1] if shuffled else events))
        check_all_passes(work, "overlaps", trace, ["--anchor-regex", "anchor", "--num-layers", "1", "--anchor-offset", "0",
                                                   "--passes", "2", "--first-layer", "4"])
        check_all_passes(work, "overlaps", trace, ["--anchor-regex", "anchor", "--num-layers", "2", "--anchor-offset", "0"])


def check_company(work):
    """A kernel that begins when an anchor does is none."""
    events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 1, "tid": tid, "ts": 1000 + 100 * i, "dur": 50}
              for i in range(4) for tid, name in ((7, f"void ns::anchor{i % 3}<int>(int)"), (8, "other"))]
    trace = work.folder / "company.json"
    trace.write_text(json.dumps(events))
    check_all_passes(work, "company", trace, ["--anchor-regex", "anchor", "--num-layers", "4", "--anchor-offset", "0"])
    out = work.annotate(trace, ["--anchor-regex", "anchor", "--num-layers", "4", "--anchor-offset", "0"])
    for layers, words in (("0-3", "Anchor: anchor0, anchor1 and others. The outlined kernels are the anchors, where the guides begin."),
                          ("0-1", "Anchor: anchor0, anchor1. The outlined kernels are the anchors, where the guides begin."),
                          ("3", "Anchor: anchor0. The outlined kernel is the anchor, where the guide begins.")):
        if f">{words}</text>" not in work.render(out, "--layers", layers).decode():
            fail("company", f"does not say {words!r}")


def check_fixtures(work):
    for line in (work.options.fixtures / "cases.tsv").read_text().splitlines()[1:]:
        name, code, *rest = line.split("\t")
        if code == "0":
            check_all_passes(work, name, work.options.fixtures / name, rest[6:])


def check_real(work, folder):
    for line in (folder / "expected" / "cases.tsv").read_text().splitlines()[1:]:
        case, name, code, *rest = line.split("\t")
        if code == "0":
            check_all_passes(work, case, folder / name, rest[4:], (1200,))


def check_made(work):
    anchor = ["--anchor-regex", "rotary_embedding_kernel", "--anchor-offset", "0"]
    # Guides over many blocks; kernels far below a pixel, and streams beyond what is drawn.
    trace = work.make("--layers", 150, "--passes", 40, "--kernels", 3, "--layout", "compact", "--no-launches")
    check_all_passes(work, "many guides", trace, [*anchor, "--num-layers", "150", "--passes", "40"], (1200,))
    trace = work.make("--layers", 20, "--passes", 1, "--kernels", 300, "--streams", 40, "--layout", "compact")
    check_all_passes(work, "many kernels", trace, [*anchor, "--num-layers", "20"], (800,))
    trace = work.make("--layers", 500, "--passes", 1, "--kernels", 1, "--ts-decimals", 14, "--ts-base", 1700000000000000)
    check_all_passes(work, "narrow guides", trace, [*anchor, "--num-layers", "500", "--first-layer", "7"], (400,))


NASTY = ['a "quoted" <b>&amp; \'name\' ]]> </title></svg><script>alert(1)</script>', "control \x01\x1f\x7f tab\t line\nend",
         "\ufffe\uffff not XML", "emoji \U0001f600 über 核", "void ns::(anonymous namespace)::kern<a<b>, (int)3>(char const*)",
         "x" * 5000, "é" * 400, "", "operator()<", "\ud800 half"]


def clean(name):
    """What a title must say: blanks for line ends, U+FFFD for what XML cannot hold, 256 bytes."""
    data = name.encode("utf-8", "surrogatepass").replace(b"\xed\xa0\x80", "\ufffd".encode())
    cut = len(data) >= 256
    text = data[:256].decode("utf-8", "ignore")
    text = re.sub(r"[\t\n\r]", " ", text)
    return re.sub(r"[\x00-\x1f\x7f\ufffe\uffff]", "\ufffd", text) + ("…" if cut else "")


def check_names(work):
    events = [{"ph": "X", "cat": "kernel", "name": name, "pid": "<p&\"'>", "tid": "]]><&\"'", "ts": 1000 + 10 * i, "dur": 9}
              for i, name in enumerate(["anchor", *NASTY, "anchor"])]
    events.append({"ph": "X", "cat": "kernel", "name": "raw @@", "pid": "<p&\"'>", "tid": "]]><&\"'", "ts": 990, "dur": 1})
    data = json.dumps({"traceEvents": events}).encode().replace(b"raw @@", b"raw \xff\xc0")
    trace = work.folder / "names <&'\".json"
    trace.write_bytes(data)
    annotated = work.folder / "out <&'\".json"
    nasty = "<&\"' ]]> \x01 </text>"
    subprocess.run([work.options.layertrack, "annotate", trace, "-o", annotated, "--anchor-regex", "^anchor$|^raw", "--num-layers", "3",
                    "--anchor-offset", "0", "--phase", nasty, "--evidence", nasty], check=True, capture_output=True)
    picture = ET.fromstring(work.render(annotated))
    titles = [t.text.rsplit("\n", 1)[0] for t in picture.iter(SVG + "title") if "\nstart " in (t.text or "")]
    wanted = ["raw \ufffd\ufffd", "anchor", *map(clean, NASTY), "anchor"]
    if titles != wanted:
        fail("names", [pair for pair in zip(titles, wanted) if pair[0] != pair[1]] or (titles, wanted))
    words = [t.text for t in picture.findall(SVG + "text")]
    shown = nasty.replace("\x01", "\ufffd")
    if not words[0].startswith(shown + " · ") or not words[0].endswith("out <&'\".json") or f"Evidence: {shown}" not in words:
        fail("names", words)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--layertrack", "--mktrace"):
        parser.add_argument(option, required=True, type=os.path.abspath)
    parser.add_argument("--fixtures", required=True, type=Path)
    parser.add_argument("--traces", type=Path, help="only the real traces there")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    sys.set_int_max_str_digits(0)
    with tempfile.TemporaryDirectory() as folder:
        work = Work(options, Path(folder))
        if options.traces:
            check_real(work, options.traces)
        else:
            check_names(work)
            check_overlaps(work)
            check_company(work)
            check_fixtures(work)
            if not options.quick:
                check_made(work)
        print("\n".join(FAILURES[:30]))
        print(f"{work.count} traces, {len(FAILURES)} failures")
    sys.exit(bool(FAILURES))


main()
