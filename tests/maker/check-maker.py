#!/usr/bin/env python3
"""Checks that mktrace tells the truth.

    check-maker.py MKTRACE              makes traces of every kind and checks each
    check-maker.py TRACE TRUTH.tsv      checks one
    check-maker.py --fixtures FOLDER    checks every fixture that has a truth, and that README and cases name all

Every trace is read with Python's own json and decimal, and anchors, terminals
and guides are worked out anew from the events; only the regexes and the number
of layers are taken from the truth.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from decimal import ROUND_HALF_EVEN, Decimal, getcontext

# Thirteen digits before the point and eighteen behind it are more than the usual 28.
getcontext().prec = 80


def read_truth(path):
    rows = {"layer": [], "pass": [], "scope": [], "group": []}
    facts, columns = {}, {}
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            kind = fields[0]
            if kind.startswith("#"):
                columns[kind[1:]] = fields[1:]
            elif kind == "fact":
                facts[fields[1]] = fields[2]
            else:
                rows[kind].append(dict(zip(columns[kind], fields[1:], strict=True)))
    return rows, facts


NONFINITE = re.compile(r"(?<=[:\[,] )(-?nan|-?inf|N/A)(?=[,\]}\s])")
ESCAPE = re.compile(r"\\(.)", re.S)


def mend(text, odd):
    """What is not strict JSON but accepted, made so that Python accepts it, too."""
    if "nonfinite" in odd:
        text = NONFINITE.sub("NaN", text)
    if "unknown-escape" in odd:
        text = ESCAPE.sub(lambda m: m[0] if m[1] in '"\\/bfnrtu' else "\\" + m[0], text)
    if "open-array" in odd:
        text = text.rstrip().rstrip(",") + "]"
    if "trailing-comma" in odd:
        text = re.sub(r",(\s*\])", r"\1", text)
    return text


def number(value):
    if isinstance(value, str):
        try:
            value = Decimal(value)
        except ArithmeticError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    value = Decimal(value)
    return value if value.is_finite() else None


def whole(value):
    return int(value.quantize(Decimal(1), ROUND_HALF_EVEN))


def events_of(document):
    return document if isinstance(document, list) else document["traceEvents"]


def parse(text):
    return json.loads(
        text, strict=False, parse_float=Decimal, parse_int=lambda s: int(s), parse_constant=lambda s: Decimal("NaN")
    )


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(w) for w in what))


def check_guides(truth, events, facts, odd):
    layers = int(facts["layers"])
    for group in truth["group"]:
        pid = json.loads(group["pid"])
        mine = [
            e
            for e in events
            if isinstance(e, dict)
            and e.get("ph") == "X"
            and isinstance(e.get("cat"), str)
            and "kernel" in e["cat"].split(",")
            and type(e.get("pid")) is type(pid)
            and e["pid"] == pid
            and (facts["device"] == "-" or str(e.get("args", {}).get("device")) == group["device"])
        ]
        anchors = [e for e in mine if re.search(facts["anchor_regex"], e["name"])]
        anchors.sort(key=lambda e: number(e["ts"]))
        expect(len(anchors) == int(group["anchors"]), "anchors", len(anchors), group)
        terminals = []
        if "terminal_regex" in facts:
            terminals = [e for e in mine if re.search(facts["terminal_regex"], e["name"])]
            terminals.sort(key=lambda e: number(e["ts"]))
        expect(len(terminals) == int(group["terminals"]), "terminals", len(terminals), group)

        rows = [r for r in truth["layer"] if (r["pid"], r["device"]) == (group["pid"], group["device"])]
        expect([int(r["anchor_index"]) for r in rows] == list(range(len(anchors))), "anchor_index")
        at = [number(e["ts"]) for e in anchors]
        if "equal-ts" not in odd:
            expect(all(a < b for a, b in zip(at, at[1:])), "anchors do not strictly increase")
        for row, event in zip(rows, anchors):
            expect(json.loads(row["tid"]) == event["tid"], "tid", row)
            expect(Decimal(row["ts"]) == number(event["ts"]), "ts", row)
            expect(Decimal(row["dur"]) == number(event["dur"]), "dur", row)

        # The one terminal between an anchor and the next one, whichever that is.
        ends, place = [], 0
        for i, row in enumerate(rows):
            until = at[i + 1] if i + 1 < len(at) else Decimal("Infinity")
            found = []
            while place < len(terminals) and number(terminals[place]["ts"]) < until:
                found.append(terminals[place])
                place += 1
            ends.append(None)
            if row["terminal_ts"] == "-":
                continue
            expect(len(found) == 1 and at[i] <= number(found[0]["ts"]), "one terminal", row, len(found))
            ends[i] = number(found[0]["ts"]) + number(found[0]["dur"])
            expect(ends[i] <= until, "the terminal ends behind the next anchor", row)
            expect(Decimal(row["terminal_ts"]) == number(found[0]["ts"]), "terminal_ts", row)
            expect(Decimal(row["terminal_dur"]) == number(found[0]["dur"]), "terminal_dur", row)
            expect(Decimal(row["terminal_end"]) == ends[i], "terminal_end", row)

        step = 2 if any(r["half"] == "1" for r in rows) else 1
        for one in truth["pass"]:
            if (one["pid"], one["device"]) != (group["pid"], group["device"]) or one["complete"] != "1":
                continue
            first = int(one["anchor_offset"])
            expect(int(one["anchors"]) == layers * step, "anchors of a pass", one)
            for n in range(layers):
                i = first + n * step
                row, start = rows[i], whole(at[i])
                expect((int(row["layer"]), row["role"]) == (n, "layer"), "layer", row)
                last = n + 1 == layers
                expect(int(row["guide_start"]) == start, "guide_start", row)
                expect(int(row["guide_dur"]) == (0 if last else whole(at[i + step]) - start), "guide_dur", row)
                closed = ends[i + step - 1]
                if closed is not None:
                    end = whole(closed) if last else whole(at[i + step])
                    expect(int(row["guide_dur_terminal"]) == end - start, "guide_dur_terminal", row)

        # Nothing overlaps on a stream.
        streams = {}
        if not odd & {"equal-ts", "close-ts", "dup-keys", "bad-kernel-ts", "bad-kernel-dur", "negative-dur"}:
            for e in mine:
                if number(e.get("ts")) is not None and number(e.get("dur")) is not None:
                    streams.setdefault(e["tid"], []).append((number(e["ts"]), number(e["dur"])))
            for tid, slices in streams.items():
                slices.sort()
                for (ts, dur), (later, _) in zip(slices, slices[1:]):
                    expect(ts + dur <= later, "overlap on stream", tid, ts, dur, later)


def check(raw, truth_path):
    truth, facts = read_truth(truth_path)
    odd = set(filter(None, facts["oddities"].split(",")))
    expect(len(raw) == int(facts["total_bytes"]), "total_bytes", len(raw), facts["total_bytes"])
    if "last_event_end" in facts and "lines" not in odd:
        end = int(facts["last_event_end"])
        expect(raw[end - 1 : end] in (b"}", b"l", b"7", b'"'), "last_event_end", raw[end - 10 : end + 10])
    for row in truth["layer"]:
        if row["offset"] != "-" and int(row["offset"]) < len(raw):
            at = int(row["offset"])
            expect(raw[at : at + 1] == b"{", "offset of an event", row)
    if facts["exit_default"] == "3":
        if "bad_offset" in facts and "two-arrays" not in odd:
            at = int(facts["bad_offset"])
            expect(raw[at : at + 1] == b"{", "bad_offset", raw[at : at + 20])
        if "deep" not in odd and "huge-name" not in odd and "two-arrays" not in odd and "events-not-array" not in odd:
            try:
                parse(raw.decode("utf-8"))
            except ValueError:
                return
            raise AssertionError("should not be JSON")
        return

    text = mend(raw.decode("utf-8", "surrogateescape"), facts["oddities"])
    document = parse(text)
    events = events_of(document)
    if not odd & set("control-byte control-anchor".split()) and facts["exit_strict"] == "0":
        json.loads(raw)
    expect(len(events) == int(facts["events"]), "events", len(events), facts["events"])
    expect(isinstance(document, list) == (facts["bare"] == "1"), "bare")

    insert = int(facts["insert_offset"])
    if facts["open"] == "1":
        expect(insert == len(raw), "insert_offset of an open array")
    else:
        expect(raw[insert : insert + 1] == b"]", "insert_offset")
        head = raw[:insert].rstrip().rstrip(b",") + (b"]" if facts["bare"] == "1" else b"]}")
        before = events_of(parse(mend(head.decode("utf-8", "surrogateescape"), facts["oddities"])))
        expect(len(before) == len(events), "events before insert_offset")

    origin = min(t for t in (number(e.get("ts")) for e in events if isinstance(e, dict)) if t is not None)
    expect(origin == Decimal(facts["trace_origin"]), "trace_origin", origin, facts["trace_origin"])
    name = parse(mend('"' + facts["anchor_name_json"] + '"', facts["oddities"].replace("open-array", "")))
    expect(re.search(facts["anchor_regex"], name), "anchor_name_json")
    for row in truth["layer"]:
        if row["event"] != "-":
            expect(number(events[int(row["event"])]["ts"]) == Decimal(row["ts"]), "event index", row)
            expect(events[int(row["event"])]["name"] == name, "anchor's name", row)
    for row in truth["scope"]:
        found = [
            e
            for e in events
            if isinstance(e, dict)
            and e.get("cat") == ("gpu_user_annotation" if row["where"] == "gpu" else "user_annotation")
            and e["name"] == row["name"]
            and number(e["ts"]) == Decimal(row["ts"])
            and number(e["dur"]) == Decimal(row["dur"])
        ]
        expect(found, "scope", row)
    if odd & {"nonfinite-kernel-ts", "nonfinite-kernel-dur", "bad-kernel-ts"}:
        # These cannot be sorted, but do not match anything either.
        events = [e for e in events if not (isinstance(e, dict) and "odd_times" in e.get("name", ""))]
    check_guides(truth, events, facts, odd)


BASE = ["--layers", "3", "--passes", "2", "--terminals"]
KINDS = [
    ["--layers", "5", "--passes", "7", "--terminals", "--draft", "3"],
    ["--layers", "5", "--passes", "4", "--terminals", "--draft", "2", "--draft-shares-anchor", "--scopes"],
    ["--layers", "5", "--passes", "3", "--terminals", "--halves", "--extra", "2"],
    ["--layers", "6", "--passes", "3", "--cut-front", "2", "--cut-back", "4", "--terminals", "--draft", "2"],
    ["--layers", "1", "--passes", "1", "--kernels", "0", "--no-launches"],
    ["--layers", "4", "--passes", "3", "--pids", "2", "--devices", "3", "--terminals", "--pid", "7", "--device", "4"],
    ["--layers", "4", "--passes", "40", "--streams", "9", "--terminals", "--kernels", "5", "--seed", "99"],
    ["--layers", "4", "--passes", "4", "--size", "2M", "--terminals", "--head", "70K", "--tail", "300K"],
    ["--layers", "4", "--passes", "4", "--size", "1M", "--bare", "--layout", "compact", "--ts-decimals", "18"],
    ["--layers", "4", "--passes", "4", "--size", "1M", "--oddity", "shuffled", "--streams", "4", "--terminals"],
    ["--layers", "20", "--passes", "20", "--ts-decimals", "1", "--terminals", "--ts-base", "0"],
    BASE + ["--cut", "100"],
    BASE + ["--cut", "5000", "--layout", "compact"],
    ["--size", "800K", "--cut", "300K"],
]


def run_all(mktrace):
    help_text = subprocess.run([mktrace, "--help"], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z0-9-]+) +[034] [034]  ", help_text, re.M)
    assert len(names) > 50, names
    kinds = list(KINDS)
    for name in names:
        options = ["--layers", "3", "--passes", "2"] if name in ("equal-ts", "close-ts") else BASE
        kinds.append(options + ["--oddity", name])
        kinds.append(options + ["--oddity", name, "--layout", "compact", "--scopes"])
        if name not in ("two-arrays", "events-not-array", "lines"):
            kinds.append(options + ["--oddity", name, "--bare", "--seed", "7"])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        trace, truth = os.path.join(folder, "t.json"), os.path.join(folder, "t.tsv")
        for kind in kinds:
            try:
                subprocess.run([mktrace, *kind, "-o", trace, "--truth", truth], check=True)
                with open(trace, "rb") as f:
                    raw = f.read()
                if "--size" in kind and "--cut" not in kind:
                    wanted = int(kind[kind.index("--size") + 1].replace("M", "000000").replace("K", "000"))
                    expect(abs(len(raw) - wanted) < wanted // 50, "size", len(raw), wanted)
                again = subprocess.run([mktrace, *kind], check=True, capture_output=True).stdout
                expect(raw == again, "a second run gives other bytes")
                check(raw, truth)
            except (AssertionError, LookupError, TypeError, ValueError, subprocess.CalledProcessError) as e:
                failed += 1
                print("FAILED", " ".join(kind), "--", type(e).__name__, e)
        full = subprocess.run([mktrace, "--size", "1M", "-o", "/dev/full"], capture_output=True)
        if os.path.exists("/dev/full") and full.returncode != 5:
            failed += 1
            print("FAILED /dev/full: exit", full.returncode)
    print(f"check-maker: {len(kinds)} traces, {failed} failed")
    return 1 if failed else 0


def read_trace(path):
    with open(path, "rb") as f:
        raw = f.read()
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def check_fixtures(folder):
    traces = sorted(n for n in os.listdir(folder) if n.endswith((".json", ".json.gz")))
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as f:
        told = re.findall(r"^\| `([^`]+)` \|", f.read(), re.M)
    with open(os.path.join(folder, "cases.tsv"), encoding="utf-8") as f:
        cases = {line.split("\t")[0] for line in f if not line.startswith("#")}
    failed = 0
    if sorted(told) != traces or sorted(cases) != traces:
        failed += 1
        print("FAILED: README, cases and files differ:", set(told) ^ set(traces), cases ^ set(traces))
    truths = sorted(os.listdir(os.path.join(folder, "truth")))
    for truth in truths:
        name = truth.removesuffix(".tsv") + ".json"
        try:
            path = os.path.join(folder, name if name in traces else name + ".gz")
            check(read_trace(path), os.path.join(folder, "truth", truth))
        except (AssertionError, LookupError, OSError, TypeError, ValueError) as e:
            failed += 1
            print("FAILED", name, "--", type(e).__name__, e)
    print(f"check-maker: {len(traces)} fixtures, {len(truths)} with a truth, {failed} failed")
    return 1 if failed else 0


def main(arguments):
    if len(arguments) == 1:
        return run_all(arguments[0])
    if len(arguments) == 2 and arguments[0] == "--fixtures":
        return check_fixtures(arguments[1])
    if len(arguments) == 2:
        check(read_trace(arguments[0]), arguments[1])
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
