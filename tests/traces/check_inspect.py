#!/usr/bin/env python3
"""inspect against an independent count: real traces, and passes that the trace maker planted.

    check_inspect.py --layertrack BIN [--mktrace BIN] [--traces DIR]
"""
import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

REAL = [("h100-qwen1.5-0.5b-generate", "flash_fwd_kernel", [10, 24]),
        ("v100-ddp-train", "WelfordOps", [31] * 5),
        ("sglang-qwen3-8b-decode", "rotary_embedding_kernel", [36]),
        ("deepseek-v3-train", "compute_attn_ws<Flash_fwd", [4]),
        ("vllm-gpt-oss-prefilldecode", "kernel_unified_attention_2d", [24])]

PLANTED = [("--layers 40 --passes 20", [40] * 20),
           ("--layers 40 --passes 20 --draft 4", [40] * 20),
           ("--layers 40 --passes 20 --draft 4 --draft-shares-anchor", None),
           ("--layers 24 --passes 6 --cut-front 14 --cut-back 5", [10] + [24] * 4 + [19]),
           ("--layers 36 --passes 2 --streams 5 --ts-decimals 15", [36] * 2),
           ("--layers 36 --passes 8 --halves", [72] * 8)]


def truth(path):
    """{(pid, device): {name: [starts, tids]}}"""
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    events = json.loads(data, parse_float=Decimal)
    events = events["traceEvents"] if isinstance(events, dict) else events
    groups = defaultdict(lambda: defaultdict(lambda: [[], set()]))
    for event in events:
        if event.get("ph") == "X" and "kernel" in str(event.get("cat", "")).split(","):
            row = groups[event["pid"], event.get("args", {}).get("device")][event["name"]]
            row[0].append(Decimal(event["ts"]))
            row[1].add(event["tid"])
    return groups


def check(binary, path, regex, sizes, options):
    out = subprocess.run([binary, "inspect", path, "--json", "--top", "1000000", *options], check=True, capture_output=True)
    found = json.loads(out.stdout, parse_float=Decimal)
    want = truth(path)
    assert {(g["pid"], g["device"]) for g in found["groups"]} == set(want), "groups"
    for group in found["groups"]:
        names = want[group["pid"], group["device"]]
        starts = [s for row in names.values() for s in row[0]]
        assert group["kernels"] == group["matching"] == len(starts)
        assert (group["first_start_us"], group["last_start_us"]) == (min(starts), max(starts)), "span"
        assert group["streams"] == len(set().union(*(row[1] for row in names.values())))
        got = {n["name"]: (n["count"], n["streams"]) for n in group["names"]}
        assert got == {name: (len(row[0]), len(row[1])) for name, row in names.items()}, "names"
    out = subprocess.run([binary, "inspect", path, "--json", "--anchor-regex", regex, *options], check=True,
                         capture_output=True)
    group, = json.loads(out.stdout, parse_float=Decimal)["groups"]
    names = want[group["pid"], group["device"]]
    starts = sorted(s for name, row in names.items() if regex in name for s in row[0])
    clusters = group["together"]["clusters"]
    assert sum(c["size"] for c in clusters) == len(starts)
    for i, cluster in enumerate(clusters):
        first = cluster["first_index"]
        assert cluster["start_us"] == starts[first], f"start of run {i}"
        assert cluster["gap_before_us"] == (starts[first] - starts[first - 1] if i else None), f"gap of run {i}"
    got = [c["size"] for c in clusters]
    assert sizes is None or got == sizes, f"runs {got}, planted {sizes}"
    return got


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True)
    parser.add_argument("--mktrace")
    parser.add_argument("--traces", type=Path)
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = [(args.traces / f"{t}.json.gz", r, s, t) for t, r, s in REAL] if args.traces else []
        for i, (options, sizes) in enumerate(PLANTED if args.mktrace else []):
            path = Path(folder) / f"{i}.json"
            subprocess.run([args.mktrace, *options.split(), "-o", path], check=True)
            jobs.append((path, "rotary_embedding_kernel", sizes, options))
        for path, regex, sizes, words in jobs:
            for options in (["--threads", "1"], ["--threads", "2", "--strict"]):
                try:
                    got = check(args.layertrack, path, regex, sizes, options)
                    print("ok", words, options, got)
                except (AssertionError, subprocess.CalledProcessError) as error:
                    failed += 1
                    print("FAILED", words, options, error)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
