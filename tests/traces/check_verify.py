#!/usr/bin/env python3
"""annotate | verify: what is right is found right, and what was changed is found, with its place.

    check_verify.py --layertrack BIN --fixtures DIR [--traces DIR] [--quick]

Every case of cases.tsv that annotate accepts is annotated and verified, with and without the source, plain and gzip. In a
small trace single bytes are changed at random: each change outside the guides must be found, by the source at its very
offset, and without it by the report's hash; each change of a value in the guides by the report.
"""
import argparse
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from check_strip import LABELS, cases

FAILED = []


def verify(options, *arguments):
    done = subprocess.run([options.layertrack, "verify", *map(str, arguments)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def expect(what, got, code, *patterns):
    for pattern in patterns:
        if not re.search(pattern, got[1] + got[2], re.M):
            FAILED.append(f"{what}: no '{pattern}' in {got}")
    if got[0] != code:
        FAILED.append(f"{what}: exit {got[0]}, expected {code}: {got[1:]}")


def check_case(options, trace, arguments, threads, folder):
    """One annotated trace, in every form."""
    proof = "SHA-256" if trace.suffix != ".gz" else "CRC-32"
    for suffix in (".json", ".json.gz") if not options.quick else (".json",):
        out = folder / f"o{suffix}"
        done = subprocess.run([options.layertrack, "annotate", "-q", trace, "-o", out, *arguments], capture_output=True,
                              check=False)
        if done.returncode != 0:
            return False
        what = f"{trace.name} as {suffix}"
        expect(what, verify(options, "--threads", threads, out, trace), 0, r"^ok: \d+ guides .*as the report says$",
               r"^ok: the guides are one insertion", r"^ok: every other byte is SOURCE's", r"^ok: SOURCE is the report's")
        expect(what, verify(options, "--threads", threads, out), 0,
               rf"^ok: every other byte is the source's \({proof} ")
        report = folder / f"o{suffix}.layers.json"
        report.rename(folder / "elsewhere")
        expect(what, verify(options, "--threads", threads, out, trace), 0, r"^ok: every other byte is SOURCE's")
        (folder / "elsewhere").rename(report)
        if suffix == ".json":
            reserialised(options, out, report, trace)
        for made in (out, report):
            made.unlink()
    return True


def reserialised(options, out, report, trace):
    """Loaded and written by another program: the guides are the same by value, the bytes are not."""
    try:
        text = json.dumps(json.loads(out.read_bytes()))
    except (ValueError, RecursionError):
        return  # not strict JSON, or UTF-8
    if '"ts": "' in text or "Infinity" in text or "NaN" in text:
        return
    other = out.with_name("other.json")
    other.write_text(text, encoding="utf-8")
    got = verify(options, other, trace, "--report", report)
    if got[0] == 3 and "surrogate" in got[2]:
        return
    expect(f"{trace.name} re-serialised", got, 1, r"^differs: the guides are not the insertion")
    other.unlink()


def small(options, folder):
    trace, out = options.fixtures / "cut-ends.json", folder / "small.json"
    subprocess.run([options.layertrack, "annotate", "-q", trace, "-o", out, "--anchor-regex", "rotary_embedding_kernel",
                    "--num-layers", "3", "--anchor-offset", "2", "--passes", "2", "--phase", "decode", "--evidence", "planted"],
                   check=True)
    report = Path(f"{out}.layers.json")
    facts = json.loads(report.read_text(encoding="utf-8"))
    return trace, out.read_bytes(), report, facts["insert_offset"], facts["insert_offset"] + facts["insert_bytes"]


def compressed_source(options, folder, trace, data):
    """The report of the same trace, compressed."""
    packed, out = folder / "packed.json.gz", folder / "packed.json"
    packed.write_bytes(gzip.compress(trace.read_bytes()))
    subprocess.run([options.layertrack, "annotate", "-q", packed, "-o", out, "--anchor-regex", "rotary_embedding_kernel",
                    "--num-layers", "3", "--anchor-offset", "2", "--passes", "2", "--phase", "decode", "--evidence", "planted"],
                   check=True)
    if out.read_bytes() != data:
        FAILED.append("a compressed source gives another output")
    return Path(f"{out}.layers.json")


def changes(options, folder):
    """Single bytes outside the guides."""
    trace, data, report, start, end = small(options, folder)
    packed = compressed_source(options, folder, trace, data)
    rng = random.Random(7)

    def change(number):
        at = rng_at[number]
        changed = bytearray(data)
        changed[at] = rng_to[number] if rng_to[number] != data[at] else data[at] ^ 1
        path = folder / f"change{number}.json"
        path.write_bytes(changed)
        got = verify(options, path, trace, "--report", report)
        expect(f"byte {at}", got, 1, rf"^differs: byte {at} \(line \d+, ")
        if number % 4 == 0:
            for other in (report, packed):
                without = verify(options, path, "--report", other)
                if without[0] not in (1, 3):
                    FAILED.append(f"byte {at} without SOURCE: {without}")
        path.unlink()

    places = [at for at in range(len(data)) if not start <= at < end]
    count = 250 if options.quick else 1000
    rng_at = [rng.choice(places) for _ in range(count)]
    rng_to = [rng.randrange(256) for _ in range(count)]
    # More than there are processors: of a file made just now, verify waits for the clock's next tick.
    with ThreadPoolExecutor(max_workers=4 * os.cpu_count()) as pool:
        list(pool.map(change, range(count)))

    # A byte more, a byte less, at either end and in the middle.
    for name, other in (("longer", data + b" "), ("a byte less", data[:100] + data[101:]),
                        ("a byte more", data[:100] + b" " + data[100:])):
        (folder / "other.json").write_bytes(other)
        expect(name, verify(options, folder / "other.json", trace, "--report", report), 1, "^differs: ")
    (folder / "source.json").write_bytes(trace.read_bytes() + b"\n")
    (folder / "other.json").write_bytes(data)
    expect("source longer", verify(options, folder / "other.json", folder / "source.json", "--report", report), 1,
           "^differs: the trace ends, SOURCE goes on")


def guide_changes(options, folder):
    """Values in the guides."""
    _, data, report, start, end = small(options, folder) if not (folder / "small.json").exists() else again(options, folder)
    text = data.decode()
    for number, (old, new, found) in enumerate([
            ('"name": "L1"', '"name": "L7"', "name is L7, the report says L1"),
            ('"layer_id": 1,', '"layer_id": 2,', "args.layer_id is 2"),
            ('"pass_index": 1,', '"pass_index": 0,', "args.pass_index is 0"),
            ('"boundary_kind": "next_layer_anchor"', '"boundary_kind": "next_layer_bnchor"', "args.boundary_kind"),
            ('"phase": "decode"', '"phase": "decade"', "args.phase is decade"),
            ('"evidence": "planted"', '"evidence": "plonted"', "args.evidence"),
            ('"notice": "Nav', '"notice": "nav', "args.notice"),
            ('"sort_index": -1000', '"sort_index": -1001', "sort index is -1001, not -1000"),
            ("Layer guide (decode)", "Layer guide (decade)", "track's name is"),
            ('"cat": "layer_guide"', '"cat": "layer_guida"', "is no guide and lies on the guides' tid"),
            ('"tid": 1000000, "ts"', '"tid": 1000001, "ts"', "its process or tid"),
            ('"tid": 1000000, "args": {"name"', '"tid": 1000009, "args": {"name"', "no name or no sort index"),
            ('"dur": 13,', '"dur": 43,', "begins before the one before it ends"),
            ('"dur": 13,', '"dur": 1.5,', "not both whole microseconds"),
            ('"anchor_tid": 7', '"anchor_tid": "7"', "args.anchor_tid"),
            ('"start_relative_ms": 1', '"start_relative_ms": 2', "args.start_relative_ms"),
            (',\n{"ph": "X", "cat": "layer_guide"', ' ,\n{"ph": "X", "cat": "layer_guide"', "are not the insertion")]):
        at = text.find(old, start - 2)
        if not 0 <= at < end:
            FAILED.append(f"'{old}' is not in the guides")
            continue
        path = folder / f"guide{number}.json"
        path.write_text(text[:at] + new + text[at + len(old):], encoding="utf-8")
        expect(f"{old} to {new}", verify(options, path, "--report", report), 1, f"^differs: .*{re.escape(found)}")
        path.unlink()


def again(options, folder):
    for name in ("small.json", "small.json.layers.json"):
        (folder / name).unlink()
    return small(options, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True, type=os.path.abspath)
    parser.add_argument("--fixtures", type=Path)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    verified = 0
    try:
        for number, case in enumerate(cases(options.fixtures, options.traces)):
            verified += check_case(options, Path(case.trace), [*case.args, *LABELS], str(1 + number % 2), folder)
        if options.fixtures:
            changes(options, folder)
            guide_changes(options, folder)
    finally:
        shutil.rmtree(folder)
    print("\n".join(FAILED[:40]))
    print(f"{verified} annotated traces verified, {len(FAILED)} failed")
    sys.exit(bool(FAILED) or verified == 0)


if __name__ == "__main__":
    main()
