#!/usr/bin/env python3
"""inspect | choose | annotate | verify | strip | cmp, on every trace that can be labelled.

The offset and the number of passes are chosen from what inspect shows: the runs of the anchor that are whole passes. Where
the table of cases says the same offset and passes, the guides are the table's.

    check_chain.py --layertrack BIN --traces DIR
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_traces import real_cases, uncompressed


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command[1:]))}: exit {done.returncode}: {done.stderr.decode()}"
    return done.stdout


def option(arguments, name, default=None):
    return arguments[arguments.index(name) + 1] if name in arguments else default


def choose(found, layers):
    """Index and number of passes of the first runs of whole passes; the first run, where none is."""
    clusters = found["groups"][0]["together"]["clusters"]
    whole = [cluster for cluster in clusters if cluster["size"] % layers == 0]
    if not whole:
        return 0, 1
    passes, at = 0, whole[0]["first_index"]
    for cluster in clusters:
        if cluster["first_index"] == at + passes * layers and cluster["size"] % layers == 0:
            passes += cluster["size"] // layers
    return at, passes


def check(tool, case, folder):
    regex, layers = option(case.args, "--anchor-regex"), int(option(case.args, "--num-layers"))
    found = json.loads(run(tool, "inspect", case.trace, "--anchor-regex", regex, "--num-layers", layers, "--json"))
    offset, passes = choose(found, layers)
    out, back = folder / "labelled.json.gz", folder / "back.json"
    run(tool, "annotate", case.trace, "-o", out, "--anchor-regex", regex, "--num-layers", layers, "--anchor-offset", offset,
        "--passes", passes, "--phase", "chosen", "--evidence", "inspect")
    said = run(tool, "verify", out, case.trace).decode()
    assert "differs" not in said and "every other byte is SOURCE's" in said, said
    run(tool, "strip", out, "-o", back)
    assert back.read_bytes() == uncompressed(case.trace.read_bytes()), "another trace came back"
    report = json.loads(Path(f"{out}.layers.json").read_text(encoding="utf-8"))
    rows = [(f"L{row['layer_id']}", row["guide_start_us"]) for row in report["layers"]]
    same = (offset, passes) == (int(option(case.args, "--anchor-offset", 0)), int(option(case.args, "--passes", 1)))
    assert not same or rows == [(name, start) for name, start, _ in case.guides], "other guides than the table's"
    for path in folder.iterdir():
        path.unlink()
    return same


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True)
    parser.add_argument("--traces", type=Path, required=True)
    options = parser.parse_args()
    chosen = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in real_cases(options.traces):
            if case.exits["default"] == 0:
                same = check(options.layertrack, case, Path(folder))
                print(f"{Path(case.trace).name}: {'the selection of the table' if same else 'another selection'}")
                chosen += same
                ran += 1
    print(f"{ran} chains, in {chosen} inspect led to the table's selection")
    sys.exit(ran == 0 or chosen < ran - 1)


main()
