#!/usr/bin/env python3
"""Several tracks, cadence, landmarks and scopes against what the trace maker planted.

    check_tracks.py --layertrack BIN --mktrace BIN [--traces DIR]

With a folder of real traces, also on the one that has a scope: an SGLang decode step of one graph launch.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import ROUND_HALF_EVEN, Decimal, DefaultContext
from pathlib import Path

ANCHOR = "rotary_embedding_kernel"
FAMILY = "cross_device_reduce_1stage"
TERMINAL = FAMILY + "<__nv_bfloat16, 8>"


DefaultContext.prec = 60  # every thread's


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def whole(text):
    return int(Decimal(text).to_integral_value(ROUND_HALF_EVEN))


class Planted:
    """A trace and the truth about it."""

    def __init__(self, mktrace, folder, options):
        self.trace = folder / "t.json"
        truth = folder / "truth.tsv"
        subprocess.run([mktrace, *options, "-o", str(self.trace), "--truth", str(truth)], check=True, capture_output=True)
        rows = [line.split("\t") for line in truth.read_text(encoding="utf-8").splitlines()]
        names = {row[0][1:]: row for row in rows if row[0].startswith("#")}
        self.anchors = [dict(zip(names["layer"], row)) for row in rows if row[0] == "layer"]
        self.scopes = [dict(zip(names["scope"], row)) for row in rows if row[0] == "scope"]

    def guides(self, role, layers, terminals=False):
        """(name, ts, dur) of each layer of each complete pass that was planted for a role."""
        passes, closed = {}, {}
        for row in self.anchors:
            if row["role"] == role and row["half"] == "0":
                passes.setdefault(row["pass"], []).append(row)
            if row["role"] == role:
                closed[row["pass"]] = row["terminal_end"]
        guides = []
        for number, rows in passes.items():
            if len(rows) < layers:
                continue
            ends = [row["ts"] for row in rows[1:]] + [closed[number] if terminals else rows[-1]["ts"]]
            guides += [(f"L{i}", whole(row["ts"]), whole(end) - whole(row["ts"]))
                       for i, (row, end) in enumerate(zip(rows, ends))]
        return guides

    def offset(self, *roles):
        """Index of the first anchor of the first complete pass, among those of some roles; the first role starts it."""
        mine = [row for row in self.anchors if row["role"] in roles]
        return next(i for i, row in enumerate(mine)
                    if row["role"] == roles[0] and row["layer"] == "0" and row["half"] == "0")

    def pass_scopes(self, where, word):
        return [(row["name"], Decimal(row["ts"]), Decimal(row["ts"]) + Decimal(row["dur"]))
                for row in self.scopes if row["where"] == where and word in row["name"]]


def annotate(options, folder, trace, arguments, name="out.json", code=0):
    done = subprocess.run([options.layertrack, "annotate", str(trace), "-o", str(folder / name), *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    errors = done.stderr.decode("utf-8", "replace")
    expect(done.returncode == code, f"exit {done.returncode}, expected {code}: {errors}")
    if code != 0:
        expect(not (folder / name).exists(), "a refusal left an output")
        return errors
    return json.loads((folder / f"{name}.layers.json").read_text(encoding="utf-8"), parse_float=Decimal)


def tracks_in(folder, trace, name="out.json"):
    """The tracks that the output holds: {track name: (tid, sort index, guides)}, in their order."""
    output, original = (folder / name).read_bytes(), trace.read_bytes()
    report = json.loads((folder / f"{name}.layers.json").read_text(encoding="utf-8"))
    at, size = report["insert_offset"], report["insert_bytes"]
    expect(output[:at] + output[at + size:] == original, "not one insertion")
    events = json.loads("[" + output[at:at + size].decode().strip().strip(",") + "]")
    expect(len(events) == report["added_event_count"], "added_event_count")
    tracks = {}
    for event in events:
        if event["name"] == "thread_name":
            current = tracks[event["args"]["name"]] = [event["tid"], None, []]
        elif event["name"] == "thread_sort_index":
            current[1] = event["args"]["sort_index"]
        else:
            current[2].append((event["name"], event["ts"], event["dur"]))
        expect(event["tid"] == current[0], "a track on two tids, or tracks that mix")
    return tracks


def same_again(options, folder, trace):
    """A report is a spec that repeats its job."""
    annotate(options, folder, trace, ["--spec", str(folder / "out.json.layers.json")], "again.json")
    expect((folder / "again.json").read_bytes() == (folder / "out.json").read_bytes(), "a report does not repeat its job")
    expect((folder / "again.json.layers.json").read_bytes() == (folder / "out.json.layers.json").read_bytes(),
           "a report's job has another report")


def track(planted, phase, role, layers, passes, **keys):
    return {"phase": phase, "evidence": "planted", "anchor_regex": ANCHOR, "num_layers": layers, "passes": passes,
            "anchor_offset": planted.offset(role), **keys}


def target_and_draft(options, folder, maker, key, where):
    """Both phases share the anchor; one run labels both."""
    layers, passes, draft = 4, 3, 2
    planted = Planted(options.mktrace, folder, ["--layers", str(layers), "--passes", str(passes), "--draft", str(draft),
                                                "--draft-shares-anchor", "--scopes", *maker])
    closed = "--terminals" in maker
    target, drafted = planted.guides("layer", layers, closed), planted.guides("draft", draft)
    whole_passes = len(target) // layers
    # The draft has terminals of the same family: the target's last layer ends before the draft's first anchor.
    more = {"end_anchor_regex": FAMILY, "landmarks": [{"regex": FAMILY}]} if closed else {}
    spec = {"tracks": [track(planted, "target", "layer", layers, whole_passes, **{key: r"step\[DECODE"}, **more),
                       track(planted, "draft", "draft", draft, len(drafted) // draft, **{key: r"step\[DRAFT"})]}
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    report = annotate(options, folder, planted.trace, ["--spec", str(folder / "spec.json")])
    found = tracks_in(folder, planted.trace)
    tids = [entry[0] for entry in found.values()]
    expect(len(set(tids)) == 2, f"tids {tids}")
    expect([entry[1] for entry in found.values()] == [-1000, -999], "sort indexes")
    guides = [entry[2] for entry in found.values()]
    expect(guides[0] == target, f"target: {guides[0][:3]}, planted {target[:3]}")
    expect(guides[1] == drafted, f"draft: {guides[1][:3]}, planted {drafted[:3]}")
    for entry, word, first in zip(report["tracks"], ("DECODE", "DRAFT"), (passes - whole_passes, 0)):
        rows = [(row["name"], row["start_us"], row["end_us"]) for row in entry["pass_scopes"]]
        scopes = planted.pass_scopes(where, word)
        expect([row["pass_index"] for row in entry["pass_scopes"]] == list(range(entry["passes"])), "pass_index")
        expect(all(row in scopes for row in rows) and len(set(rows)) == len(rows), f"{word}: {rows}, planted {scopes}")
        expect(rows == scopes[first:first + len(rows)] or "--cut-back" in maker, f"{word}: {rows}, planted {scopes}")
    same_again(options, folder, planted.trace)
    # One wrong track, and nothing is written.
    spec["tracks"][1]["passes"] = passes + 1
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    errors = annotate(options, folder, planted.trace, ["--spec", str(folder / "spec.json")], "no.json", 4)
    expect(": track 'draft': need " in errors, errors)


def labels(num_layers, offset, passes):
    return ["--anchor-regex", ANCHOR, "--num-layers", str(num_layers), "--anchor-offset", str(offset), "--passes", str(passes),
            "--phase", "p", "--evidence", "planted"]


def cadence(options, folder, maker, halves, extra, terminals):
    layers, passes = 5, 3
    planted = Planted(options.mktrace, folder, ["--layers", str(layers), "--passes", str(passes), *maker,
                                                *(["--halves"] if halves else []), *(["--terminals"] if terminals else []),
                                                *(["--extra", str(extra)] if extra else [])])
    guides = planted.guides("layer", layers, terminals)
    arguments = labels(layers, planted.offset("layer", "extra"), len(guides) // layers)
    arguments += ["--anchor-stride", "2"] if halves else []
    extra *= 2 if halves else 1
    arguments += ["--extra-anchors-per-pass", str(extra)] if extra else []
    arguments += ["--end-anchor-regex", TERMINAL] if terminals else []
    one = f"{TERMINAL}=1" if terminals else f"{ANCHOR}={2 if halves else 1}"
    if not extra or terminals:
        arguments += ["--landmark-regex", one, "--landmark-regex", "no such kernel=0"]
    report = annotate(options, folder, planted.trace, arguments)
    found = list(tracks_in(folder, planted.trace).values())[0][2]
    expect(found == guides, f"{found[:4]}, planted {guides[:4]}")
    expect(report["anchor_stride"] == (2 if halves else 1) and report["extra_anchors_per_pass"] == extra, "cadence")
    same_again(options, folder, planted.trace)
    # What the landmark finds is one fewer than this.
    errors = annotate(options, folder, planted.trace, [*arguments, "--landmark-regex", one.replace("=", "=1")], "no.json", 4)
    expect("pass 0, layer 0: --landmark-regex '" in errors, errors)


def wrong_scopes(options, folder):
    """Passes across scopes, launches that are missing, scopes that are not there."""
    layers = 4
    planted = Planted(options.mktrace, folder, ["--layers", "4", "--passes", "3", "--scopes", "--cut-front", "1"])
    for key in ("--within", "--within-gpu"):
        annotate(options, folder, planted.trace, [*labels(layers, 3, 2), key, "DECODE"], f"{key}.json")
        errors = annotate(options, folder, planted.trace, [*labels(layers, 1, 2), key, "DECODE"], "no.json", 4)
        expect("no pass may cross scopes" in errors, errors)
        errors = annotate(options, folder, planted.trace, [*labels(layers, 3, 2), key, "PREFILL"], "no.json", 4)
        expect(f"{key} 'PREFILL' matches no s" in errors, errors)
    planted = Planted(options.mktrace, folder, ["--layers", "4", "--passes", "2", "--scopes", "--no-launches"])
    annotate(options, folder, planted.trace, [*labels(layers, 0, 2), "--within-gpu", "DECODE"])
    for more in ([], ["--within-gpu", "DECODE"]):
        errors = annotate(options, folder, planted.trace, [*labels(layers, 0, 2), "--within", "DECODE", *more], "no.json", 4)
        expect("the launch of 8 of 8 matching anchors is missing" in errors, errors)


def both_scopes(options, folder, tracks):
    """With both a report holds either's scopes; it repeats its job and is verified."""
    layers, passes = 3, 4
    planted = Planted(options.mktrace, folder, ["--layers", str(layers), "--passes", str(passes), "--draft", "2",
                                                "--draft-shares-anchor", "--scopes"])
    scoped = {"within": r"step\[DECODE", "within_gpu": r"step\[DECODE"}
    spec = [track(planted, phase, "layer", layers, passes, **scoped) for phase in ("one", "two")[:tracks]]
    (folder / "spec.json").write_text(json.dumps({"tracks": spec} if tracks > 1 else spec[0]), encoding="utf-8")
    report = annotate(options, folder, planted.trace, ["--spec", str(folder / "spec.json")])
    for entry in report["tracks"] if tracks > 1 else [report]:
        for key, where in (("pass_scopes", "cpu"), ("gpu_pass_scopes", "gpu")):
            rows = [(row["name"], row["start_us"], row["end_us"]) for row in entry[key]]
            expect(rows == planted.pass_scopes(where, "DECODE"), f"{key}: {rows}")
            expect([row["pass_index"] for row in entry[key]] == list(range(passes)), "pass_index")
    same_again(options, folder, planted.trace)
    done = subprocess.run([options.layertrack, "verify", folder / "out.json", planted.trace], capture_output=True, check=False)
    expect(done.returncode == 0, f"verify: exit {done.returncode}: {done.stdout + done.stderr}")


def many_names(options, folder):
    """Each step has a name of its own, more than are remembered; the same names come again."""
    steps, layers, events = 20000, 2, []
    for step in range(steps):
        name, start = f"{'draft' if step % 3 else 'target'} step {step} of a name that is somewhat long", 100 * step
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 9, "tid": 9, "ts": start, "dur": 50})
        events.append({"ph": "X", "cat": "python_function", "name": f"step.py({step % 5}): draft", "pid": 9, "tid": 9,
                       "ts": start + 1, "dur": 40})
        events.append({"ph": "X", "cat": "cuda_driver", "name": "cuLaunch", "pid": 9, "tid": 9, "ts": start + 5, "dur": 1,
                       "args": {"correlation": step}})
        events += [{"ph": "X", "cat": "kernel", "name": "anchor", "pid": 0, "tid": 7, "ts": start + 60 + 10 * layer, "dur": 5,
                    "args": {"correlation": str(step)}} for layer in range(layers)]
    (folder / "t.json").write_text(json.dumps(events))
    passes = (steps + 2) // 3
    arguments = ["--anchor-regex", "anchor", "--num-layers", str(layers), "--anchor-offset", "0", "--passes", str(passes),
                 "--phase", "p", "--evidence", "planted", "--within", "^target step"]
    report = annotate(options, folder, folder / "t.json", arguments)
    expect(report["matching_anchor_count"] == layers * passes, f"anchors: {report['matching_anchor_count']}")
    expect([row["start_us"] for row in report["layers"]]
           == [300 * number + 60 + 10 * layer for number in range(passes) for layer in range(layers)], "starts")
    expect([(row["start_us"], row["end_us"]) for row in report["pass_scopes"]]
           == [(300 * number, 300 * number + 50) for number in range(passes)], "scopes")


def real_scope(options, folder):
    trace = options.traces / "sglang-qwen3-8b-decode.json.gz"
    expected = options.traces / "expected" / "sglang-decode.guides.tsv"
    guides = [(name, int(ts), int(dur)) for name, ts, dur in (row.split("\t") for row in expected.read_text().split("\n") if row)]
    report = annotate(options, folder, trace, [*labels(36, 0, 1), "--within", r"step\[DECODE", "--landmark-regex", "silu"])
    expect([(row["guide_start_us"], row["guide_end_us"]) for row in report["layers"]]
           == [(ts, ts + dur) for _, ts, dur in guides], "guides")
    (scope,) = report["pass_scopes"]
    expect((scope["name"], scope["pid"], scope["tid"]) == ("step[DECODE bs=32]", 251, 251), f"scope {scope}")
    same_again(options, folder, trace)
    errors = annotate(options, folder, trace, [*labels(36, 0, 1), "--within", r"step\[PREFILL"], "no.json", 4)
    expect("matches no scope" in errors, errors)
    errors = annotate(options, folder, trace, [*labels(36, 0, 1), "--within", "^aten::copy_$"], "no.json", 4)
    expect("none of 36 matching anchors was launched inside a scope" in errors, errors)
    errors = annotate(options, folder, trace, [*labels(36, 0, 1), "--landmark-regex", "silu=2"], "no.json", 4)
    expect("pass 0, layer 0: --landmark-regex 'silu' must match 2 kernels in its guide, found 1" in errors, errors)


def cases(traces):
    makers = [[], ["--terminals"], ["--terminals", "--oddity", "graph-launch", "--seed", "9"], ["--seed", "7"], ["--oddity", "graph-launch"], ["--cut-front", "2"], ["--cut-back", "1", "--seed", "3"],
              ["--streams", "5"], ["--oddity", "shuffled"], ["--oddity", "pid-string,tid-string"], ["--bare"],
              ["--ts-decimals", "18", "--oddity", "graph-launch"], ["--oddity", "ts-string"], ["--size", "1M"]]
    for maker in makers:
        for key, where in (("within", "cpu"), ("within_gpu", "gpu")):
            yield f"target and draft {maker} {key}", target_and_draft, (maker, key, where)
    for maker in ([], ["--seed", "5"], ["--cut-front", "2"], ["--oddity", "shuffled"], ["--ts-decimals", "18"]):
        for halves in (False, True):
            for extra in (0, 1, 3):
                for terminals in (False, True):
                    yield (f"cadence {maker} halves {halves} extra {extra} terminals {terminals}", cadence,
                           (maker, halves, extra, terminals))
    for tracks in (1, 2):
        yield f"both scopes, tracks {tracks}", both_scopes, (tracks,)
    yield "wrong scopes", wrong_scopes, ()
    yield "names without number", many_names, ()
    if traces:
        yield "real scope", real_scope, ()


def run(options, case):
    name, function, arguments = case
    folder = Path(tempfile.mkdtemp())
    try:
        function(options, folder, *arguments)
        return None
    except Exception as failure:  # whatever goes wrong is this case's
        return f"FAILED {name}: {failure!r}"
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--layertrack", "--mktrace"):
        parser.add_argument(option, required=True)
    parser.add_argument("--traces", type=Path)
    options = parser.parse_args()
    work = list(cases(options.traces))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(lambda case: run(options, case), work) if failure]
    print("\n".join(failures))
    print(f"{len(work) - len(failures)} passed, {len(failures)} failed")
    sys.exit(bool(failures))


main()
