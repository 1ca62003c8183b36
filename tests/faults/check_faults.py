#!/usr/bin/env python3
"""Makes every call fail in turn: nothing crashes, nothing is half-written, and what says it succeeded did.

    check_faults.py --layertrack BIN --inject inject.so --fixtures DIR
"""
import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Retried (EINTR), or done another way: the job must succeed all the same.
HARMLESS = {"write:short", "write:EINTR", "read:short", "read:EINTR", "pread:short", "pread:EINTR",
            "copy_file_range:short", "copy_file_range:EINTR", "copy_file_range:EXDEV", "copy_file_range:EINVAL",
            "link:EPERM", "fsync:EINTR", "fsync:EINVAL", "fsync:EROFS", "fsync:ENOTSUP", "pthread_create:EAGAIN",
            "flock:ENOLCK", "flock:EAGAIN"}
FAULTS = ["write:ENOSPC", "write:EDQUOT", "write:short", "write:EINTR", "read:EIO", "read:short", "read:EINTR", "pread:EIO",
          "pread:short", "pread:EINTR", "copy_file_range:EXDEV", "copy_file_range:EINVAL", "copy_file_range:short",
          "copy_file_range:EINTR", "link:EPERM", "link:EEXIST", "close:EIO", "close:ENOSPC", "fsync:EIO", "fsync:ENOSPC",
          "fsync:EINTR", "fsync:EINVAL", "fsync:EROFS", "fsync:ENOTSUP", "pthread_create:EAGAIN",
          "malloc:ENOMEM", "flock:ENOLCK", "flock:EAGAIN", "dup:EMFILE"]
NEVER = 1_000_000  # as the number of a call: more than any job makes
LABELS = ["--anchor-regex", "rotary_embedding_kernel", "--num-layers", "2", "--anchor-offset", "0", "--passes", "2",
          "--phase", "p", "--evidence", "e"]


def write_scoped(folder):
    """A trace whose anchors are launched in two scopes, and a spec of two tracks that asks for them: a second reading."""
    events = []
    for step, name in enumerate(("step[DECODE]", "step[DRAFT]")):
        start = 100 * step
        events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 9, "tid": 9, "ts": start, "dur": 50})
        events.append({"ph": "X", "cat": "gpu_user_annotation", "name": name, "pid": 0, "tid": 7, "ts": start + 60, "dur": 30})
        for layer in range(2):
            correlation = 10 * step + layer
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9,
                           "ts": start + 5 + layer, "dur": 1, "args": {"correlation": correlation}})
            events.append({"ph": "X", "cat": "kernel", "name": "anchor\u00e9", "pid": 0, "tid": 7,
                           "ts": start + 60 + 10 * layer, "dur": 5, "args": {"device": 0, "correlation": correlation}})
    text = json.dumps({"traceEvents": events})
    (folder / "scoped.json").write_text(text)
    (folder / "scoped.json.gz").write_bytes(gzip.compress(text.encode()))
    tracks = [{"phase": phase, "evidence": "e", "anchor_regex": "^anchor", "num_layers": 2, "anchor_offset": 0,
               "within": word, "within_gpu": word, "landmarks": [{"regex": "anchor", "count": 1}], "layers": [{"a": []}]}
              for phase, word in (("target", "DECODE"), ("draft", "DRAFT"))]
    (folder / "spec.json").write_text(json.dumps({"tracks": tracks}))
    return ["--spec", str(folder / "spec.json")]


def run(options, words, trace, suffix, threads, piped, fault=None):
    """Returns exit code, stderr, the files that exist afterwards with their bytes (no suffix: what it says instead), and how
    many calls the fault's function had, 0 where the job did not come to its end."""
    top = Path(tempfile.mkdtemp())
    folder, calls = top / "job", top / "calls"
    folder.mkdir()
    try:
        environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
        if fault:
            environment.update(LD_PRELOAD=os.path.abspath(options.inject), FAULT=fault, CALLS=str(calls))
        command = [options.layertrack, *words]
        if words[0] != "report":  # which has one thread only
            command += ["--threads", str(threads)]
        if suffix:
            command += ["-o", str(folder / f"o{suffix}")]
        data = trace.read_bytes() if piped else None
        if not piped:
            command.append(str(trace))
        done = subprocess.run(command, input=data, stdin=None if piped else subprocess.DEVNULL, capture_output=True,
                              env=environment, check=False, timeout=60)
        made = {f.name: f.read_bytes() for f in folder.iterdir()}
        if not suffix and done.returncode == 0:
            made["stdout"] = done.stdout
        return done.returncode, done.stderr.decode(errors="replace"), made, int(calls.read_text()) if calls.exists() else 0
    finally:
        shutil.rmtree(top)


def check_fault(options, job, good, fault):
    """How many runs met the fault, and what went wrong."""
    words, trace, suffix, threads, piped = job
    described = f"{words[0]}{' --strict' * ('--strict' in words)} {trace.name} to {suffix}, {threads} threads, {'pipe' if piped else 'file'}"
    function, kind = fault.split(":")
    *untroubled, known = run(options, *job, f"{function}:{NEVER}:{kind}")
    failures = [f"{described}, {function}: differs under the injector"] if untroubled != good else []
    met = 0
    for n in range(1, NEVER):
        code, errors, files, calls = run(options, *job, f"{function}:{n}:{kind}")
        what = f"{described}, {function}:{n}:{kind}"
        if calls < n and code == 0:
            # Met no fault. It may have had fewer calls than another run: a pipe's bytes come in more reads or fewer.
            if n > known:
                break
            continue
        if calls < n:
            failures.append(f"{what}: ended by itself, exit {code}: {errors}")
            break
        met += 1
        if code not in (0, 5):
            failures.append(f"{what}: exit {code}: {errors}")
        if code == 0 and files != good[2]:
            failures.append(f"{what}: succeeded, but wrote {[(k, len(v)) for k, v in files.items()]}")
        if code != 0 and (files or not errors.startswith("layertrack: ")):
            failures.append(f"{what}: left {sorted(files)}, said {errors!r}")
        if code != 0 and fault in HARMLESS:
            failures.append(f"{what}: gave up: {errors}")
    return met, failures


def main():
    parser = argparse.ArgumentParser()
    for option in ("--layertrack", "--inject"):
        parser.add_argument(option, required=True)
    parser.add_argument("--fixtures", required=True, type=Path)
    options = parser.parse_args()
    plain, packed = options.fixtures / "decode.json", options.fixtures / "decode.json.gz"
    annotate = ["annotate", *LABELS]
    jobs = [(annotate, plain, ".json", 1, False), (annotate, plain, ".json", 2, True), (annotate, plain, ".json.gz", 2, False),
            (annotate, packed, ".json.gz", 1, True), (annotate, packed, ".json.gz", 2, False),
            (annotate, packed, ".json", 2, False), ([*annotate, "--strict"], plain, ".json", 1, False)]
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for suffix in (".json", ".json.gz"):
            subprocess.run([options.layertrack, *annotate, "-o", f"{made}/annotated{suffix}", plain], check=True)
        labelled, labelled_packed = Path(made, "annotated.json"), Path(made, "annotated.json.gz")
        jobs += [(["strip"], labelled, ".json", 2, False), (["strip"], labelled_packed, ".json.gz", 2, True),
                 (["render"], labelled, ".svg", 1, False), (["render"], labelled, ".svg", 2, True)]
        beside = ["--report", f"{labelled}.layers.json", "--source"]
        jobs += [(["verify", *beside, plain], labelled, "", 1, False), (["verify", *beside, plain], labelled, "", 2, True),
                 (["inspect", "--json"], plain, "", 2, False)]
        other, report = Path(made, "other.json"), Path(f"{labelled}.layers.json")
        other.write_text(plain.read_text().replace('"rank": 0', '"rank": 1'))
        subprocess.run([options.layertrack, *annotate, "-o", f"{made}/other_annotated.json", other], check=True)
        table = ["report", f"{made}/other_annotated.json.layers.json"]
        jobs += [(table, report, ".tsv", 1, False), ([*table, "--align", "layer"], report, ".csv", 1, False),
                 ([*table, "--align", "layer", "--format", "json"], report, "", 1, False)]
        spec = ["annotate", *write_scoped(Path(made))]
        jobs += [(spec, Path(made, "scoped.json"), ".json", 1, False), (spec, Path(made, "scoped.json.gz"), ".json.gz", 2, False),
                 (spec, Path(made, "scoped.json"), ".json", 2, True)]
        goods = [list(run(options, *job)[:3]) for job in jobs]
        assert all(code == 0 for code, _, _ in goods), goods
        work = [(job, good, fault) for job, good in zip(jobs, goods) for fault in FAULTS]
        results = list(pool.map(lambda item: check_fault(options, *item), work))
    failures = [failure for _, found in results for failure in found]
    never = set(FAULTS) - {fault for (_, _, fault), (met, _) in zip(work, results) if met}
    failures += [f"{fault}: no job met it" for fault in sorted(never)]
    print("\n".join(failures[:40]))
    print(f"{sum(met for met, _ in results)} faults met, {len(failures)} failures")
    sys.exit(bool(failures))


main()
