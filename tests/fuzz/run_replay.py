#!/usr/bin/env python3
"""Replays a fuzz target over every seed, fixture and real trace, and over mutations of them until the time is up.

    run_replay.py --replay BIN --fixtures DIR --seeds DIR --seconds N [--traces DIR]

A gunzip target gets the files as they are, and a plain one's beginning compressed; any other gets them uncompressed. Of
each file the replay takes the first 64 KiB, the piece that mutations are made of.
"""
import argparse
import gzip
import re
import subprocess
import tempfile
import time
import zlib
from pathlib import Path

PIECE = 1 << 16


def plain_start(data):
    """What can be had of a file's first bytes, gzip or not."""
    if data[:2] != b"\x1f\x8b":
        return data[:PIECE]
    try:
        return zlib.decompressobj(31).decompress(data, PIECE)
    except zlib.error:
        return b""


def main():
    parser = argparse.ArgumentParser()
    for option in ("--replay", "--fixtures", "--seeds"):
        parser.add_argument(option, required=True, type=Path)
    parser.add_argument("--traces", default="")
    parser.add_argument("--seconds", required=True, type=float)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    files = sorted(options.fixtures.glob("*.json*")) + sorted(options.seeds.iterdir())
    if options.traces:
        files += sorted(Path(options.traces).glob("*.json*"))
    wants_gzip = "gunzip" in options.replay.name
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number, file in enumerate(files):
            with file.open("rb") as stream:
                data = stream.read(4 * PIECE)
            if not wants_gzip:
                data = plain_start(data)
            elif data[:2] != b"\x1f\x8b":
                data = gzip.compress(data[:PIECE], 1 + number % 9)
            name = f"{number:03}-{file.name}"
            (Path(folder) / name).write_bytes(data)
            names.append(name)
        inputs, seed = 0, 0
        while seed == 0 or time.monotonic() < end:
            # First the files alone; then a few mutations of each, with another seed in each round.
            mutate = "1" if seed > 0 else "0"
            done = subprocess.run([options.replay.resolve(), "--mutate", mutate, "--seed", str(seed + 1), *names],
                                  cwd=folder, capture_output=True, text=True, errors="replace", check=False)
            if done.returncode != 0:
                kept = Path(folder) / "replay-failed"
                print(done.stderr[-4000:], f"seed {seed + 1}, --mutate {mutate}: exit {done.returncode}")
                if kept.exists():
                    print("the input, in hexadecimal:", kept.read_bytes().hex())
                raise SystemExit(1)
            inputs += int(re.search(r"(\d+) inputs", done.stdout).group(1))
            seed += 1
    print(f"{len(files)} files, {inputs} inputs")


if __name__ == "__main__":
    main()
