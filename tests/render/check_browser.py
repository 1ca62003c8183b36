#!/usr/bin/env python3
"""Chromium draws the picture: pixels of a screenshot are compared with where the SVG says that things lie.

    check_browser.py PICTURE.svg

Exit code 77 when there is no Chromium.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zlib

SVG = "{http://www.w3.org/2000/svg}"
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-device-scale-factor=1"]


def unfilter(kind, line, above, step):
    for i, byte in enumerate(line):
        left = line[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            byte += left
        elif kind == 2:
            byte += above[i]
        elif kind == 3:
            byte += (left + above[i]) // 2
        elif kind == 4:
            guess = left + above[i] - corner
            byte += min((left, above[i], corner), key=lambda value: abs(guess - value))
        line[i] = byte & 255
    return line


def pixels(path):
    """Rows of an 8-bit RGB or RGBA image, as (bytes a pixel, [row])."""
    with open(path, "rb") as f:
        data = f.read()
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and colour in (2, 6), "not the kind of PNG that Chromium writes"
    step, at, packed = (3 if colour == 2 else 4), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    raw, rows, above = zlib.decompress(packed), [], bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * step]), above, step)
        rows.append(above)
    return step, rows


def colours(svg):
    """Fill by class, before the rules for dark screens."""
    light = svg.split("@media")[0]
    found = {}
    for name, fill in re.findall(r"\.(g\d|k\d+)\{fill:#([0-9a-f]+)\}", light):
        digits = fill if len(fill) == 6 else "".join(c * 2 for c in fill)
        found[name] = tuple(bytes.fromhex(digits))
    return found


def expected(picture, svg):
    """(x, y, colour) of places near the lower left corner of every box, where no name is written."""
    fills = colours(svg)
    for group in picture.iter(SVG + "g"):
        place = re.match(r"translate\((\d+) (\d+)\)", group.get("transform", ""))
        for rect in group.findall(SVG + "rect"):
            fill = fills.get(rect.get("class").split()[0])
            if fill and float(rect.get("width")) >= 8:
                yield int(place[1]) + int(float(rect.get("x"))) + 3, int(place[2]) + 17, fill


def main():
    chromium = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
    if chromium is None:
        print("SKIPPED: there is no chromium, so nobody looked at the picture in a browser")
        sys.exit(77)
    with open(sys.argv[1], encoding="utf-8") as f:
        svg = f.read()
    picture = ET.fromstring(svg)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        shot = os.path.join(folder, "shot.png")
        subprocess.run([chromium, *ARGUMENTS, f"--user-data-dir={folder}/profile", f"--screenshot={shot}",
                        f"--window-size={picture.get('width')},{picture.get('height')}", os.path.abspath(sys.argv[1])],
                       check=True, capture_output=True, timeout=120)
        step, rows = pixels(shot)
    checked = wrong = 0
    for x, y, fill in expected(picture, svg):
        checked += 1
        got = tuple(rows[y][x * step:x * step + 3])
        if max(abs(a - b) for a, b in zip(got, fill)) > 3:
            wrong += 1
            print(f"at {x}, {y}: {got}, expected {fill}")
    print(f"{checked} places, {wrong} wrong")
    sys.exit(wrong != 0 or checked < 10)


main()
