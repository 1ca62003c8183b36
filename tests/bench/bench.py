#!/usr/bin/env python3
"""Measures layertrack against the programs that do the same bytes' work, in one run, and checks what it wrote.

    bench.py --build build/release [--sizes 0.1,1] [--memory-sizes 0.1,1,10] [--runs 5] [--traces DIR]
             [--folder DIR] [--memory-folder DIR]

Makes synthetic traces of the sizes (GB) and, with --traces, takes a real one besides. Every job and its rivals are run by
one call of hyperfine with the input in the page cache; a table of ratios of median wall times is printed in Markdown, then
the scanners over the same bytes, then peak memory of every job at every memory size with its slope (each of these traces is
made, used and removed, in a folder that may lie on a larger and slower device). Needs hyperfine, pigz, openssl
and GNU time; bench_simdjson where it was built.
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
from pathlib import Path

LAYERS, PASSES = 40, 20
ANCHOR = ("--anchor-regex rotary_embedding_kernel --end-anchor-regex 'cross_device_reduce_1stage<__nv_bfloat16, 8>' "
          f"--num-layers {LAYERS} --passes {PASSES} --anchor-offset 0 --phase decode --evidence planted")
REAL = ("v100-ddp-train.json.gz",
        "--anchor-regex WelfordOps --num-layers 31 --passes 5 --anchor-offset 0 --phase train --evidence bench")


def sh(command):
    subprocess.run(command, shell=True, check=True)


class Input:
    """One trace, plain and gzip, and how to label it."""

    def __init__(self, name, plain, options):
        self.name, self.plain, self.options = name, plain, options
        self.gz = plain.with_suffix(".json.gz")
        self.gb = plain.stat().st_size / 1e9


def jobs(binary, trace, folder):
    """(name, command, [(rival's name, command, at most)], output)"""
    out, copy = folder / "out.json", folder / "copy.json"
    gz_out = folder / "out.json.gz"
    base = f"{binary} annotate -q {trace.options}"
    yield ("plain → plain", f"{base} {trace.plain} -o {out}",
           [("openssl dgst -sha256 F; cp F G", f"openssl dgst -sha256 {trace.plain} && cp {trace.plain} {copy}", 1.0)], out)
    yield ("gzip → gzip", f"{base} {trace.gz} -o {gz_out}",
           [("gzip -dc F > /dev/null", f"gzip -dc {trace.gz} > /dev/null", 0.40),
            ("pigz -dc F > /dev/null", f"pigz -dc {trace.gz} > /dev/null", 0.85)], gz_out)
    yield ("gzip → plain", f"{base} {trace.gz} -o {out}",
           [("pigz -dc F > G", f"pigz -dc {trace.gz} > {copy}", 1.1)], out)
    yield ("plain → gzip -6", f"{base} {trace.plain} -o {gz_out}",
           [("pigz -6 -c F > G", f"pigz -6 -c {trace.plain} > {gz_out}.pigz", 1.1)], gz_out)


def hyperfine(commands, folder, runs):
    results = folder / "hyperfine.json"
    clean = f"rm -f {folder}/out.json* {folder}/copy.json"
    call = ["hyperfine", "--style", "none", "--warmup", "1", "--runs", str(runs), "--prepare", clean, "--export-json",
            str(results), *commands]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = json.loads(results.read_text())["results"]
    sh(clean)
    return found


def peak(command, folder):
    """Peak resident set in KiB."""
    log = folder / "time"
    sh(f"rm -f {folder}/out.json* && /usr/bin/time -f %M -o {log} {command}")
    return int(log.read_text().split()[-1])


def check(out, trace):
    """The output without the insertion is the input."""
    report = json.loads(Path(f"{out}.layers.json").read_text())
    at, size = report["insert_offset"], report["insert_bytes"]
    opener = gzip.open if out.suffix == ".gz" else open
    digest, source = hashlib.sha256(), hashlib.sha256()
    with opener(out, "rb") as file:
        left = at
        while left:
            block = file.read(min(left, 1 << 20))
            digest.update(block)
            left -= len(block)
        file.read(size)
        while block := file.read(1 << 20):
            digest.update(block)
    with open(trace.plain, "rb") as file:
        while block := file.read(1 << 20):
            source.update(block)
    if digest.digest() != source.digest():
        sys.exit(f"{out}: is not the input with one insertion")


def table_of_ratios(binary, trace, folder, runs):
    print(f"\n### {trace.name}: {trace.gb:.2f} GB of JSON, {trace.gz.stat().st_size / 1e6:.0f} MB as gzip\n")
    print("| job | seconds | against | seconds | ratio | at most | |\n|---|---|---|---|---|---|---|")
    for name, command, rivals, out in jobs(binary, trace, folder):
        results = hyperfine([command] + [rival[1] for rival in rivals], folder, runs)
        ours = results[0]["median"]
        for (rival, _, most), result in zip(rivals, results[1:]):
            ratio = ours / result["median"]
            print(f"| {name} | {ours:.2f} | `{rival}` | {result['median']:.2f} | {ratio:.2f} | {most:.2f} | "
                  f"{'met' if ratio <= most else 'missed'} |")
        if name == "gzip → gzip":
            ratio = (results[0]["user"] + results[0]["system"]) / (results[1]["user"] + results[1]["system"])
            print(f"| {name}, user + system | {results[0]['user'] + results[0]['system']:.2f} | `gzip -dc` | "
                  f"{results[1]['user'] + results[1]['system']:.2f} | {ratio:.2f} | 0.60 | "
                  f"{'met' if ratio <= 0.6 else 'missed'} |")
        sh(command)
        check(out, trace)
        sh(f"rm -f {folder}/out.json*")


def table_of_memory(binary, options):
    sizes = options.memory_sizes.split(",")
    peaks, names = {}, []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="layertrack-bench-", dir=options.memory_folder) as name:
            folder = Path(name)
            trace = make_input(options.build, folder, size)
            for job, command, _, _ in jobs(binary, trace, folder):
                peaks[job, size] = peak(command, folder)
                names += [job] if job not in names else []
    grown = float(sizes[-1]) - float(sizes[0])
    print("\n### Peak memory (KiB), at most 16384, and its slope\n")
    print("| job | " + " | ".join(f"{size} GB" for size in sizes) + " | KiB per GB |")
    print("|---|" + "---|" * (len(sizes) + 1))
    for job in names:
        slope = f"{(peaks[job, sizes[-1]] - peaks[job, sizes[0]]) / grown:.0f}" if grown > 0 else "-"
        print(f"| {job} | " + " | ".join(str(peaks[job, size]) for size in sizes) + f" | {slope} |")


def scanners(build, trace):
    print(f"\n### Scanners over {trace.name}, one thread, bytes in memory\n\n```")
    sys.stdout.flush()
    for program in ("bench_scan", "bench_simdjson"):
        path = build / "tests" / program
        if path.exists():
            subprocess.run([str(path), str(trace.plain)], check=True)
        else:
            print(f"{program} was not built (-DLAYERTRACK_BENCH=ON)")
    print("```")


def make_input(build, folder, size):
    plain = folder / f"t{size}.json"
    if not plain.exists():
        sh(f"{build}/tests/mktrace --layers {LAYERS} --passes {PASSES} --terminals --size {int(float(size) * 1000)}M -o {plain}")
        sh(f"pigz -6 -c {plain} > {plain}.gz" if float(size) > 2 else f"gzip -6 -c {plain} > {plain}.gz")
    return Input(f"{size} GB", plain, ANCHOR)


def real_input(folder, traces):
    plain = folder / "real.json"
    shutil.copy(traces / REAL[0], f"{plain}.gz")
    sh(f"gzip -dc {plain}.gz > {plain}")
    return Input(REAL[0], plain, REAL[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--sizes", default="0.1,1")
    parser.add_argument("--memory-sizes", default="0.1,1")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--memory-folder", type=Path)
    options = parser.parse_args()
    binary = options.build / "layertrack"
    with tempfile.TemporaryDirectory(prefix="layertrack-bench-", dir=options.folder) as name:
        folder = Path(name)
        traces = [make_input(options.build, folder, size) for size in options.sizes.split(",")]
        print(f"{os.cpu_count()} cores; {subprocess.run([binary, '--version'], capture_output=True, text=True).stdout.strip()}")
        for trace in traces:
            table_of_ratios(binary, trace, folder, options.runs)
        if options.traces:
            table_of_ratios(binary, real_input(folder, options.traces), folder, options.runs)
        scanners(options.build, min(traces, key=lambda trace: abs(trace.gb - 1)))
    table_of_memory(binary, options)


main()
