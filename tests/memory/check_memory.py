#!/usr/bin/env python3
"""Holds the promise of memory: 16 MiB plus 48 bytes per matching anchor and terminal, whatever the trace's size. Needs GNU time.

    check_memory.py --layertrack BIN --mktrace BIN --fixtures DIR
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile

KIB_ALLOWED, KIB_APART = 16384, 1024
SELECT = ["--anchor-regex", "rotary_embedding_kernel", "--anchor-offset", "0", "--phase", "decode", "--evidence", "planted"]
TERMINAL = ["--end-anchor-regex", "cross_device_reduce_1stage<__nv_bfloat16, 8>"]


def peak(command, stdin=None):
    """Peak resident set in KiB of a command that must succeed. (A child of this large process would inherit its peak.)"""
    done = subprocess.run(["/usr/bin/time", "-f", "%M", "-o", "peak", *command], stdin=stdin, stdout=subprocess.DEVNULL,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}")
    with open("peak", encoding="ascii") as file:
        return int(file.read().split()[-1])


def check(what, got, allowed):
    print(f"{'ok' if got <= allowed else 'FAILED':6} {what}: {got} KiB, at most {allowed}")
    return got <= allowed


def jobs(binary, plain, layers, passes):
    counts = ["--num-layers", str(layers), "--passes", str(passes)]
    base = [binary, "annotate", "-q", *SELECT, *TERMINAL, *counts]
    for threads in ("1", "2"):
        for name, trace, out in (("plain to plain", plain, "o.json"), ("gzip to gzip", plain + ".gz", "o.json.gz"),
                                 ("gzip to plain", plain + ".gz", "o.json"), ("plain to gzip", plain, "o.json.gz")):
            yield f"{name}, {threads} threads", base + ["--threads", threads, trace, "-o", out], None
    yield "strict", base + ["--strict", plain, "-o", "o.json"], None
    yield "pipe", base + ["-", "-o", "o.json"], plain + ".gz"


def run(command, piped):
    for name in ("o.json", "o.json.gz"):
        for path in (name, name + ".layers.json"):
            if os.path.exists(path):
                os.remove(path)
    if piped is None:
        return peak(command)
    with subprocess.Popen(["gzip", "-dc", piped], stdout=subprocess.PIPE) as reader:
        return peak(command, reader.stdout)


def make(options, name, layers, passes, size):
    subprocess.run([options.mktrace, "--layers", str(layers), "--passes", str(passes), "--terminals", "--size", size, "-o",
                    name], check=True, stdout=subprocess.DEVNULL)
    with open(name, "rb") as plain, gzip.open(name + ".gz", "wb", compresslevel=1) as packed:
        while block := plain.read(1 << 20):
            packed.write(block)


def sizes(options):
    """The same at each size."""
    make(options, "small.json", 40, 20, "15M")
    make(options, "large.json", 40, 20, "150M")
    ok = True
    for small, large in zip(jobs(options.layertrack, "small.json", 40, 20), jobs(options.layertrack, "large.json", 40, 20)):
        first, second = run(*small[1:]), run(*large[1:])
        ok &= check(large[0], second, KIB_ALLOWED)
        ok &= check(large[0] + ", more than at a tenth of the size", second - first, KIB_APART)
    return ok


def anchors(options):
    """What anchors and terminals take."""
    make(options, "many.json", 40, 1500, "150M")
    allowed = KIB_ALLOWED + 48 * 2 * 40 * 1500 // 1024
    return all([check(f"60000 anchors and as many terminals, {name}", run(command, piped), allowed)
                for name, command, piped in jobs(options.layertrack, "many.json", 40, 1500)])


def long_strings(options, fixture):
    """A string of 100 MB that nobody asked for."""
    with open(fixture, encoding="utf-8") as file:
        text = file.read()
    at = text.index('"traceEvents": [') + len('"traceEvents": [')
    with open("string.json", "w", encoding="utf-8") as file:
        file.write(text[:at] + '{"ph": "i", "args": {"stack": "')
        for _ in range(100):
            file.write("a" * 999_998 + "\\n")
        file.write('"}},' + text[at:])
    ok = True
    for parser in ([], ["--strict"]):
        command = [options.layertrack, "annotate", "-q", *parser, *SELECT, "--num-layers", "2", "string.json", "-o", "o.json"]
        ok &= check(f"a string of 100 MB {' '.join(parser)}", run(command, None), KIB_ALLOWED)
    return ok


def crowds(options, fixture):
    """Of threads that a guide track might have to share, and of processes and devices, there may be any number."""
    with open(fixture, encoding="utf-8") as file:
        text = file.read()
    at = text.index('"traceEvents": [') + len('"traceEvents": [')
    many = {"a million processes with a guide's tid": '{{"pid": {0}, "tid": 1000000}},',
            "a million threads with tids of guides": '{{"pid": 0, "tid": {1}}},',
            "a million processes with tids of seven digits": '{{"pid": {0}, "tid": 3000000}},'}
    ok = True
    for what, event in many.items():
        with open("crowd.json", "w", encoding="utf-8") as file:
            file.write(text[:at])
            file.writelines(event.format(i, 1_000_000 + i) for i in range(1_000_000))
            file.write(text[at:])
        command = [options.layertrack, "annotate", "-q", *SELECT, "--num-layers", "2", "crowd.json", "-o", "o.json"]
        ok &= check(what, run(command, None), KIB_ALLOWED)
    return ok


def streams(options):
    """Anchors on a stream of its own each."""
    count = 1_000_000
    with open("streams.json", "w", encoding="utf-8") as file:
        file.write("[")
        file.writelines(f'{{"ph":"X","cat":"kernel","name":"rotary_embedding_kernel","pid":0,"tid":{i},"ts":{i},"dur":1}},\n'
                        for i in range(count))
        file.write("{}]")
    command = [options.layertrack, "annotate", "-q", *SELECT, "--num-layers", "2", "streams.json", "-o", "o.json"]
    return check("a million anchors on as many streams", run(command, None), KIB_ALLOWED + 48 * count // 1024)


def long_times(options):
    """Seven characters that would be four thousand digits."""
    count = 20_000
    with open("times.json", "w", encoding="utf-8") as file:
        file.write("[")
        file.writelines('{"ph":"X","cat":"kernel","name":"other","pid":0,"tid":1,"ts":1e-4000,"dur":1e-4000},\n' for _ in range(count))
        file.write('{"ph":"X","cat":"kernel","name":"rotary_embedding_kernel","pid":0,"tid":1,"ts":0,"dur":1}]')
    commands = {"annotate": ["annotate", "-q", *SELECT, "--num-layers", "1", "times.json", "-o", "o.json"],
                "inspect": ["inspect", "times.json", "--json"]}
    return all([check(f"20000 times of four thousand digits, {name}", run([options.layertrack, *command], None), KIB_ALLOWED)
                for name, command in commands.items()])


def write_report(name, rank, passes):
    """A report as annotate writes it, with rows of 400 bytes."""
    layers, start = 40, 1_600_000_000_000_000
    counts = {"schema_version": 1, "phase": "decode", "guide_tid": 1_000_000, "num_layers": layers, "passes": passes,
              "first_layer": 0, "anchor_offset": 0, "matching_anchor_count": layers * passes, "rank": rank,
              "added_event_count": layers * passes + 2, "trace_origin_us": start}
    with open(name, "w", encoding="ascii") as file:
        file.write(json.dumps(counts)[:-1] + ', "layers": [')
        for i in range(layers * passes):
            last = i % layers == layers - 1
            at, end = start + i, start + i + (not last)
            row = {"pass_index": i // layers, "layer_id": i % layers, "anchor_index": i, "anchor_name": "k" * 100,
                   "anchor_tid": 7, "start_us": at, "end_us": end, "guide_start_us": at, "guide_end_us": end}
            text = json.dumps(row)[:-1] + f', "start_relative_ms": {i // 1000}.{i % 1000:03}, '
            text += f'"end_relative_ms": {(end - start) // 1000}.{(end - start) % 1000:03}, '
            text += f'"boundary_kind": "{"anchor_point_only" if last else "next_layer_anchor"}"}}'
            file.write(text if i == 0 else ",\n" + text)
        file.write("]}\n")


def reports(options):
    """Tables of four reports with few rows, and with many."""
    names = [f"r{rank}.layers.json" for rank in range(4)]
    ways = {"a row for each guide": [], "as JSON": ["--format", "json"], "side by side": ["--align", "layer"]}
    peaks = {}
    for passes in (50, 2000):
        for rank, name in enumerate(names):
            write_report(name, rank, passes)
        for way, words in ways.items():
            peaks[way, passes] = peak([options.layertrack, "report", *names, *words])
    ok = all([check(f"reports of 80000 rows, {way}", peaks[way, 2000], KIB_ALLOWED) for way in ways])
    many = [f"m{rank}.layers.json" for rank in range(256)]
    for rank, name in enumerate(many):
        write_report(name, rank, 4)
    ok &= check("256 reports side by side", peak([options.layertrack, "report", *many, "--align", "layer"]),
                KIB_ALLOWED // 2 + 70 * len(many))
    return ok & all([check(f"reports of 80000 rows, {way}, more than of 2000", peaks[way, 2000] - peaks[way, 50],
                           KIB_APART) for way in ways])


def main():
    parser = argparse.ArgumentParser()
    for option in ("--layertrack", "--mktrace", "--fixtures"):
        parser.add_argument(option, required=True, type=os.path.abspath)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        fixture = os.path.join(options.fixtures, "decode.json")
        results = [sizes(options), anchors(options), long_strings(options, fixture), crowds(options, fixture),
                   streams(options), long_times(options), reports(options)]
        os.chdir("/")
    sys.exit(not all(results))


main()
