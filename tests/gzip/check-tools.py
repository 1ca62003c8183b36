#!/usr/bin/env python3
"""Texts inserted into gzip files of every common writer: every common reader accepts the result and gives the right bytes.

    check-tools.py --driver splice_driver

splice_driver inserts at any offset, with no need for JSON. A program that is not installed is named and left out.
"""
import argparse
import gzip
import random
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

TEXT = b'{"ph":"X","name":"L0"},\n' * 40
READERS = [["gzip", "-t"], ["pigz", "-t"], ["igzip", "-t"]]


def json_like(size, seed):
    rng, parts, length = random.Random(seed), [], 0
    while length < size:
        part = b'{"ph": "X", "cat": "kernel", "name": "k%d", "ts": %d.%03d, "dur": %d},\n' % (
            rng.randrange(50), rng.randrange(10**12), rng.randrange(1000), rng.randrange(10**4))
        parts.append(part)
        length += len(part)
    return b"".join(parts)[:size]


def deflated(data, level, memory=8):
    stream = zlib.compressobj(level, zlib.DEFLATED, 31, memory)
    return stream.compress(data) + stream.flush()


def one_block(data):
    """A single block with fixed codes: there is no boundary but the first."""
    stream = zlib.compressobj(6, zlib.DEFLATED, 31, 9, zlib.Z_FIXED)
    return stream.compress(data) + stream.flush()


def with_header(data):
    """A member with extra field, name, comment and header CRC."""
    plain = deflated(data, 6)
    head = plain[:3] + bytes([2 | 4 | 8 | 16]) + plain[4:10] + b"\5\0ab\1\0z" + b"trace.json\0" + b"by a test\0"
    return head + (zlib.crc32(head) & 0xffff).to_bytes(2, "little") + plain[10:]


def members(data, count, empty=False):
    cuts = [len(data) * i // count for i in range(count + 1)]
    parts = [deflated(data[a:b], 6) for a, b in zip(cuts, cuts[1:])]
    if empty:
        parts.insert(count // 2, deflated(b"", 6))
    return b"".join(parts)


def tool(*command):
    def run(data):
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout
    run.program = command[0]
    return run


WRITERS = {
    "zlib 1": lambda data: deflated(data, 1),
    "zlib 6": lambda data: deflated(data, 6),
    "zlib 9": lambda data: deflated(data, 9, 9),
    "stored": lambda data: deflated(data, 0),
    "one giant block": one_block,
    "all header fields": with_header,
    "ten members": lambda data: members(data, 10),
    "empty member in the middle": lambda data: members(data, 2, True),
    "python gzip": lambda data: gzip.compress(data, 9),
    "gzip 6": tool("gzip", "-6", "-c"),
    "pigz 6": tool("pigz", "-6", "-c"),
    "pigz 9, independent": tool("pigz", "-9", "-i", "-p", "3", "-c"),
    "igzip 1": tool("igzip", "-1", "-c"),
    "igzip 3": tool("igzip", "-3", "-c"),
    "libdeflate 12": tool("libdeflate-gzip", "-12", "-c"),
}


def kept_bytes(places, offset):
    """How many stored bytes must be the source's: those before the first of the last block starts up to the offset.

    Where that one begins a member, the insertion may as well end the member before.
    """
    before = [place for place in places if place[0] <= offset]
    first = next(i for i, place in enumerate(before) if place[0] == before[-1][0])
    if first > 0 and before[first][2] != before[first - 1][2]:
        first -= 1
    return before[first][1]


def check(what, driver, folder, packed, plain, places, offset, spacing):
    source, result = folder / "in.gz", folder / "out.gz"
    with result.open("wb") as out:
        done = subprocess.run([driver, source, str(offset), TEXT.decode(), str(spacing)], stdout=out,
                              stderr=subprocess.PIPE, check=False)
    spliced = result.read_bytes()
    if done.returncode != 0:
        yield f"{what}: exit {done.returncode}: {done.stderr.decode()}"
        return
    expected = plain[:offset] + TEXT + plain[offset:]
    if gzip.decompress(spliced) != expected:
        yield f"{what}: Python's gzip gives other bytes"
    for reader in READERS:
        if shutil.which(reader[0]) is None:
            continue
        if subprocess.run([*reader, result], capture_output=True, check=False).returncode != 0:
            yield f"{what}: {' '.join(reader)} refuses it"
        unpacked = subprocess.run([reader[0], "-d", "-c", result], capture_output=True, check=False).stdout
        if unpacked != expected:
            yield f"{what}: {reader[0]} gives other bytes"
    kept = kept_bytes(places, offset)
    if spliced[:kept] != packed[:kept]:
        yield f"{what}: the {kept} bytes before the splice are not the source's"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", required=True, type=Path)
    options = parser.parse_args()
    for program in sorted({w.program for w in WRITERS.values() if hasattr(w, "program")} | {r[0] for r in READERS}):
        if shutil.which(program) is None:
            print(f"SKIPPED: {program} is not installed")
    failures, runs = [], 0
    plain = json_like(3_000_000, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for writer, make in WRITERS.items():
            if hasattr(make, "program") and shutil.which(make.program) is None:
                continue
            packed = make(plain)
            (folder / "in.gz").write_bytes(packed)
            done = subprocess.run([options.driver, "--blocks", folder / "in.gz"], capture_output=True, text=True,
                                  check=True)
            places = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
            starts = [place[0] for place in places]
            middle, last = starts[len(starts) // 2], starts[-1]
            offsets = {"start": 0, "first block": 5, "boundary": middle, "before a boundary": max(middle - 1, 0),
                       "middle, long tail": len(plain) // 3, "last block": (last + len(plain)) // 2,
                       "end": len(plain)}
            for place, offset in offsets.items():
                for failure in check(f"{writer}, {place}", options.driver, folder, packed, plain, places, offset,
                                     1 << 20 if runs % 2 else 1 << 16):
                    failures.append(failure)
                runs += 1
    for failure in failures:
        print(failure)
    print(f"{runs} splices, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
