#!/usr/bin/env python3
"""What `layertrack serve` answers, what it refuses, how it ends, and that its memory stays where it is.

    check_serve.py --layertrack BIN [--quick] [--only NAME]
"""
import argparse
import gzip
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPException
from pathlib import Path

from serving import Serving

TRACE = b'{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2}]}\n'
REPORT = b'{"schema_version": 1, "layers": []}\n'
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

tests = []


def test(function):
    tests.append(function)
    return function


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def equal(got, wanted, text):
    check(got == wanted, f"{text}: {got!r}, not {wanted!r}")


def await_that(condition, text):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("not so after 10 s: " + text)


class World:
    """A folder with a trace and its report."""

    def __init__(self, layertrack, folder, quick):
        self.layertrack, self.folder, self.quick = layertrack, folder, quick
        self.trace = folder / "t.json"
        self.trace.write_bytes(TRACE)
        (folder / "t.json.layers.json").write_bytes(REPORT)

    def serve(self, *args, **more):
        return Serving(self.layertrack, *(args or (self.trace,)), **more)

    def fails(self, code, text, *args, **more):
        done = subprocess.run([self.layertrack, "serve", *map(str, args)], capture_output=True, text=True, timeout=30, **more)
        equal((done.returncode, done.stdout), (code, ""), f"serve {args}: {done.stderr}")
        check(done.stderr.startswith("layertrack: ") and text in done.stderr, f"serve {args}: {done.stderr!r}")
        equal(done.stderr.count("\n"), 1, f"lines of {done.stderr!r}")

    def big(self, size):
        """A file of `size` bytes that takes no room."""
        path = self.folder / "big.json"
        with open(path, "wb") as f:
            f.truncate(size)
        return path

    def ui(self):
        ui = self.folder / "ui"
        (ui / "v1").mkdir(parents=True)
        (ui / "index.html").write_text("<!doctype html>the UI")
        (ui / "v1" / "engine.wasm").write_bytes(b"\0asm" * 1000)
        (ui / "v1" / "bundle.js").write_text("1")
        (ui / ".hidden").write_text("hidden")
        (ui / "link.json").symlink_to(self.trace)
        (ui / "out").symlink_to(self.folder)
        os.mkfifo(ui / "pipe")
        return ui


@test
def what_is_served(w):
    with w.serve() as s:
        for path, kind, body in (("", "text/html; charset=utf-8", None), ("page.js", "text/javascript; charset=utf-8", None),
                                 ("page.css", "text/css; charset=utf-8", None), ("about.json", "application/json", None),
                                 ("trace", "application/octet-stream", TRACE), ("report.json", "application/json", REPORT)):
            status, headers, got = s.get(path)
            equal(status, 200, path)
            check(body is None or got == body, f"{path}: other bytes")
            equal(headers["Content-Type"], kind, path)
            equal(headers["X-Frame-Options"], "DENY", path)
            for name, value in HEADERS.items():
                equal(headers[name], value, f"{path}: {name}")
            for name in ("Access-Control-Allow-Origin", "Content-Encoding", "Cross-Origin-Opener-Policy"):
                equal(headers[name], None, f"{path}: {name}")
            policy = headers["Content-Security-Policy"]
            check(policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"), policy)
            check("unsafe" not in policy and "frame-src https://ui.perfetto.dev;" in policy, policy)
            head = s.get(path, "HEAD")
            equal((head[0], head[1]["Content-Length"], head[2]), (200, str(len(got)), b""), f"HEAD {path}")
        about = json.loads(s.get("about.json")[2])
        equal((about["trace_name"], about["trace_bytes"], about["has_report"], about["ui"]),
              ("t.json", len(TRACE), True, "https://ui.perfetto.dev/"), "about.json")
        equal(s.request(s.base, host=f"Host: localhost:{s.port}\r\n"), 200, "localhost")


@test
def gzip_as_stored(w):
    path = w.folder / "z.json.gz"
    path.write_bytes(gzip.compress(TRACE))
    with w.serve(path) as s:
        status, headers, body = s.get("trace", headers={"Accept-Encoding": "gzip"})
        equal((status, body), (200, path.read_bytes()), "trace")
        equal((headers["Content-Encoding"], headers["Content-Length"]), (None, str(path.stat().st_size)), "headers")
        equal(s.get("report.json")[0], 404, "no report")
        check("there is no report" in s.stderr(), s.stderr())
        equal(json.loads(s.get("about.json")[2])["has_report"], False, "about.json")


@test
def a_report_that_does_not_belong(w):
    """What is certain is said, on the page too; what is not, is not."""
    report = w.folder / "r.json"
    packed = gzip.compress(TRACE)
    size = len(TRACE)
    for name, trace, source, insert, wanted in (
            ("plain", TRACE, size - 20, 20, ""), ("plain, other", TRACE, size - 20, 21, "of another trace"),
            ("plain, the source", TRACE, size, 20, "guides are not in this trace"),
            ("gzip", packed, size - 20, 20, ""), ("gzip, other", packed, size - 20, 21, "of another trace"),
            ("gzip, the source", packed, size, 20, "guides are not in this trace"),
            ("gzip, 4 GiB more", packed, size + (1 << 32), 0, ""),
            ("gzip, zeros behind it", packed + bytes(9), size, 0, ""), ("gzip, nothing but zeros", packed + bytes(9000), 7, 7, ""),
            ("gzip, zeros, other", packed + bytes(9), 7, 7, "of another trace"),
            ("gzip, two members", packed * 2, 2 * size, 0, ""), ("gzip, two members, other", packed * 2, 7, 7, "")):
        path = w.folder / "b.json"
        path.write_bytes(trace)
        report.write_text(json.dumps({"schema_version": 1, "source_bytes": source, "insert_bytes": insert, "layers": [{}]}))
        with w.serve(path, "--report", report) as s:
            said = json.loads(s.get("about.json")[2]).get("report_doubt", "")
            check(wanted in said and (wanted != "") == (said != ""), f"{name}: {said!r}")
            equal(f"layertrack: b.json: {said}\n" in s.stderr(), said != "", f"{name}: {s.stderr()}")
            equal(len(s.stderr().splitlines()), 1 if said == "" else 2, f"{name}: {s.stderr()}")
    for text, words in (("no JSON", "is not JSON"), ('{"schema_version": 2, "layers": []}', "has no schema_version 1")):
        report.write_text(text)
        with w.serve(w.trace, "--report", report) as s:
            check(f"{report}: {words}" in s.stderr(), s.stderr())
            equal(s.get("report.json")[2], text.encode(), "it is served all the same")


@test
def paths_that_are_refused(w):
    with w.serve() as s:
        token, base = s.base[1:-1], s.base
        wrong = [token[:k] + ("A" if token[k] != "A" else "B") + token[k + 1:] for k in range(len(token))]
        targets = ["/", "//", base[:-1], f"/{token}x/", f"/{token[:-1]}/", f"/{token}//", f"//{token}/", f"/{token.swapcase()}/",
                   f"/%{ord(token[0]):02x}{token[1:]}/", "/favicon.ico", "/trace", "/report.json", "/t.json", "*"]
        targets += [f"/{t}/" for t in wrong] + [f"/{t}/trace" for t in wrong]
        targets += [base + rest for rest in (
            "t.json", "index.html", "trace/", "trace/x", "/trace", "./trace", "../trace", "x/../trace", "%74race", "trace%00", "trace?",
            "trace?x=1", "?x", "trace;", "TRACE", "report", "report.json/", "../../../../etc/passwd", "..%2f..%2fetc/passwd",
            "%2e%2e/%2e%2e/etc/passwd", "..\\..\\etc\\passwd", "page/page.js", "page.js/..", "main.c", ".", "..", "...", "\xff", "trace\x7f")]
        targets += [f"http://127.0.0.1:{s.port}{base}", f"http://evil.example{base}"]
        for target in targets:
            status = s.request(target)
            check(status in (404, 400), f"{target!r}: {status}")
        for target in ("/a b", "/" + "a" * 100000, base + " trace", ""):
            status = s.request(target)
            check(status is None or status >= 400, f"{target[:20]!r}: {status}")
        equal(s.get("")[0], 200, "afterwards")


@test
def methods_that_are_refused(w):
    with w.serve() as s:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND", "get", "GETS", "X"):
            for target in (s.base, s.base + "trace", "/"):
                status = s.request(target, method)
                check(status == 405, f"{method} {target}: {status}")
        status, headers, _ = s.get("trace", "POST")
        equal((status, headers["Allow"]), (405, "GET, HEAD"), "POST")
        equal(s.request(s.base, headers="Content-Length: 5\r\n"), 400, "a body")
        equal(s.request(s.base, headers="Transfer-Encoding: chunked\r\n"), 400, "a chunked body")
        equal(s.request(s.base, "POST", headers="Content-Length: 99999999999\r\n"), 405, "a large body")


@test
def hosts_that_are_refused(w):
    with w.serve() as s:
        for host in ("evil.example", f"evil.example:{s.port}", "127.0.0.1", "localhost", f"127.0.0.1:{s.port + 1}",
                     f"127.0.0.1:{s.port}.evil.example", f"127.0.0.1.evil.example:{s.port}", f"127.1:{s.port}", f"0.0.0.0:{s.port}",
                     f"[::1]:{s.port}", f"2130706433:{s.port}", f"localhost.:{s.port}", f"LOCALHOST:{s.port}", f"127.0.0.1:0{s.port}",
                     f"x@127.0.0.1:{s.port}", ""):
            for target in (s.base, s.base + "trace"):
                equal(s.request(target, host=f"Host: {host}\r\n"), 403, f"Host: {host}")
        good = f"Host: 127.0.0.1:{s.port}\r\n"
        equal(s.request(s.base, host=good + "Host: evil.example\r\n"), 403, "two hosts")
        equal(s.request(s.base, host="Host: evil.example\r\n" + good), 403, "two hosts, the other way round")
        check(s.request(s.base, host="") in (400, 403), "no host")
        equal(s.raw(f"GET {s.base} HTTP/1.0\r\n\r\n".encode()), 403, "no host in HTTP/1.0")
        equal(s.request(s.base, "POST", host="Host: evil.example\r\n"), 403, "a wrong host is told first")


@test
def loopback_only(w):
    with w.serve() as s, w.serve() as other:
        check(s.base != other.base and s.port != other.port, "two servers are alike")
        if Path("/proc/net/tcp").exists():
            listening = [line.split()[1] for name in ("/proc/net/tcp", "/proc/net/tcp6") if Path(name).exists()
                         for line in Path(name).read_text().splitlines()[1:] if line.split()[3] == "0A"]
            equal([a for a in listening if a.endswith(f":{s.port:04X}")], [f"0100007F:{s.port:04X}"], "listening")


@test
def a_changing_file(w):
    size = 64 << 20
    path = w.big(size)
    for change in ("append", "overwrite", "truncate", "time put back"):
        path = w.big(size)
        with w.serve(path) as s, s.connect() as c:
            c.sendall(f"GET {s.base}trace HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
            got = len(c.recv(1 << 16))
            before = path.stat()
            with open(path, "r+b") as f:
                if change == "truncate":
                    f.truncate(size // 2)
                else:
                    f.seek(0, 2 if change == "append" else 0)
                    f.write(b"x")
            if change == "time put back":
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            try:
                while more := c.recv(1 << 20):
                    got += len(more)
                    check(b"x" not in more, "new bytes among the old")
            except ConnectionError:
                pass
            check(got < size, f"{change}: all {got} bytes came")
            status, _, body = s.get("trace")
            equal((status, b"changed" in body), (409, True), f"after {change}")
            equal(s.get("")[0], 200, "the page")
    path = w.big(size)
    with w.serve(path) as s, s.connect() as c:
        c.sendall(f"GET {s.base}trace HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nConnection: close\r\n\r\n".encode())
        got = c.recv(1 << 16)
        (w.folder / "new").write_bytes(b"x")
        os.rename(w.folder / "new", path)
        rest = got.split(b"\r\n\r\n", 1)[1]
        total = len(rest)
        while more := c.recv(1 << 20):
            total += len(more)
        equal(total, size, "a file that was replaced is served as it was")
    report = w.folder / "t.json.layers.json"
    with w.serve() as s:
        report.write_bytes(REPORT + b"\n")
        equal(s.get("report.json")[0], 409, "a report that has changed")
    report.write_bytes(REPORT)


@test
def once(w):
    path = w.big(16 << 20)
    with w.serve(path, "--once") as s:
        equal(s.get("trace", "HEAD")[0], 200, "HEAD")
        equal([s.get(p)[0] for p in ("", "about.json", "x")], [200, 200, 404], "others")
        with s.connect() as c:
            c.sendall(f"GET {s.base}trace HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
            c.recv(1000)
        s.process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
        equal(s.process.poll(), None, "after an aborted transfer and a signal from elsewhere")
        equal(len(s.get("trace")[2]), 16 << 20, "trace")
        equal(s.process.wait(10), 0, "exit code")
    with w.serve(w.trace, "--once") as s:
        for pause in (0, 0.1):
            with s.connect() as c:
                c.sendall(f"GET {s.base}trace HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
                time.sleep(pause)
        time.sleep(0.2)
        equal(s.process.poll(), None, "after a small trace that nobody read")
        with s.connect() as c:
            c.sendall(f"GET {s.base}trace HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
            time.sleep(0.2)
            equal(s.process.poll(), None, "while it is not read")
            begin = time.monotonic()
            while c.recv(1000):
                pass
            check(time.monotonic() - begin < 1, "the connection stays open")
        equal(s.process.wait(10), 0, "exit code")
    with w.serve(w.trace, "--once") as s:
        c = stall(s, "trace")
        time.sleep(0.2)
        begin = time.monotonic()
        equal(s.end(), -signal.SIGTERM, "how it ended")
        check(time.monotonic() - begin < 5, "it waited for a client")
        c.close()
    with w.serve() as s:
        equal([s.get("trace")[2] for _ in range(3)], [TRACE] * 3, "without --once")
        equal(s.process.poll(), None, "still there")


def stall(s, path):
    c = s.connect()
    c.sendall(f"GET {s.base}{path} HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\n\r\n".encode())
    return c


@test
def ends_at_once(w):
    path = w.big(64 << 20)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with w.serve(path) as s:
            stalled = [stall(s, "trace") for _ in range(20)] + [s.connect() for _ in range(5)]
            time.sleep(0.3)
            begin = time.monotonic()
            equal(s.end(number), -number, "how it ended: " + s.stderr())
            check(time.monotonic() - begin < 10, f"took {time.monotonic() - begin:.1f} s")
            for c in stalled:
                c.close()


@test
def a_head_without_end(w):
    """64 connections with a byte now and then: they make room for others."""
    with w.serve() as s, ExitStack() as stack:
        slow = [stack.enter_context(s.connect()) for _ in range(64)]
        begin = time.monotonic()
        for c in slow:
            c.sendall(b"GET / HTTP/1.1\r\nX: ")
        left = slow
        while left and time.monotonic() - begin < 45:
            time.sleep(3)
            left = [c for c in left if is_open(c)]
        took = time.monotonic() - begin
        check(not left and took > 20, f"{len(left)} left after {took:.0f} s")
        time.sleep(0.5)
        equal(s.get("")[0], 200, "afterwards")
        check(w.quick or s.memory("Threads") < 8, "threads")


def is_open(c):
    """Sends one more byte of a header."""
    c.setblocking(False)
    try:
        c.sendall(b"a")
        return c.recv(1000) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


@test
def nobody_reads_the_address(w):
    """Standard output is a pipe that is full: the server can be ended all the same."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for size in (1 << 16, 1):
        try:
            while True:
                os.write(writer, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(writer, True)
    process = subprocess.Popen([w.layertrack, "serve", w.trace], stdout=writer, stderr=subprocess.PIPE, start_new_session=True)
    try:
        process.stderr.readline()
        time.sleep(0.3)
        equal(process.poll(), None, "it waits for its reader")
        process.send_signal(signal.SIGINT)
        equal(process.wait(10), -signal.SIGINT, "how it ended")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        os.close(reader)
        os.close(writer)


@test
def flat_memory(w):
    """A large trace, then 200 requests at once of which 50 stand still."""
    size = 100 << 20 if w.quick else 1 << 30
    path = w.big(size)
    with w.serve(path) as s:
        s.get("")
        before = s.memory()
        with s.connect() as c:
            c.sendall(f"GET {s.base}trace HTTP/1.1\r\nHost: 127.0.0.1:{s.port}\r\nConnection: close\r\n\r\n".encode())
            buffer, total = bytearray(1 << 20), 0
            while got := c.recv_into(buffer):
                total += got
        check(total > size, f"{total} of {size} bytes")
        grown = s.memory() - before
        check(w.quick or grown < 2048, f"{grown} kB more for a trace of {size} bytes")
        stalled = [stall(s, "trace") for _ in range(50)]
        for _ in range(50):
            equal(s.get("")[0], 200, "beside those that stand still")
        answers, lock = [], threading.Lock()

        def ask(k):
            try:
                answer = s.get(("", "about.json", "page.css")[k % 3])[0]
            except (OSError, HTTPException):
                answer = "refused"
            with lock:
                answers.append(answer)

        begin = time.monotonic()
        with ThreadPoolExecutor(150) as pool:
            list(pool.map(ask, range(150)))
        took = time.monotonic() - begin
        served = answers.count(200)
        check(served > 5 and served + answers.count("refused") == 150, f"{served} were served: {set(answers)}")
        check(took < 25, f"took {took:.1f} s")
        grown = s.memory() - before
        check(w.quick or grown < 24 << 10, f"{grown} kB more for 200 connections")
        more = [stall(s, "trace") for _ in range(150)]
        time.sleep(0.5)
        equal(s.memory("Threads") < 80, True, "threads")
        for c in stalled + more:
            c.close()
        time.sleep(0.5)
        equal(s.get("")[0], 200, "when they are gone")
        code = s.end()
        equal(code, -signal.SIGTERM, "how it ended: " + s.stderr())


@test
def a_ui_from_a_folder(w):
    ui = w.ui()
    with w.serve(w.trace, "--ui", ui) as s:
        about = json.loads(s.get("about.json")[2])
        origin, base = about["ui"][:about["ui"].index("/", 8)], about["ui"][about["ui"].index("/", 8):]
        port = int(origin.rsplit(":", 1)[1])
        check(about["ui_is_local"] and port != s.port and base != s.base, str(about))
        check(f"frame-src {origin};" in s.get("")[1]["Content-Security-Policy"], "policy")
        for path, kind in (("", "text/html; charset=utf-8"), ("v1/engine.wasm", "application/wasm"), ("v1/bundle.js?v=2", None)):
            status, headers, body = s.get(base + path, port=port)
            equal((status, body), (200, (ui / (path.split("?")[0] or "index.html")).read_bytes()), path)
            check(kind in (None, headers["Content-Type"]), path)
            check(f"frame-ancestors http://127.0.0.1:{s.port} " in headers["Content-Security-Policy"], path)
        for path in (".hidden", "link.json", "out/t.json", "pipe", "v1", "v1/", "../t.json", "v1/../index.html", "v1//bundle.js", "/index.html",
                     "..%2ft.json", "%2e%2e/t.json", "v1/..%5c..", "./index.html", "v1/./bundle.js", "trace", "report.json", "about.json", "page.js",
                     "a" * 300, "a/" * 2000 + "b", "x\0y"):
            status = s.request(base + path, port=port)
            check(status in (404, 400, None, 414), f"{path[:30]!r}: {status}")
        equal(s.request(base + "v1/bundle.js", headers="Service-Worker: script\r\n", port=port), 404, "a service worker")
        equal(s.request(s.base, port=port), 404, "the page's token at the UI's port")
        equal(s.request(base), 404, "the UI's token at the page's port")
        equal(s.request(base, host=f"Host: 127.0.0.1:{s.port}\r\n", port=port), 403, "the page's host at the UI's port")
        equal(s.request(base, "POST", port=port), 405, "POST")
    w.fails(2, "do not go together", w.trace, "--ui", ui, "--once")
    w.fails(5, "has no index.html", w.trace, "--ui", w.folder)
    for kind in ("folder", "symbolic link", "pipe"):
        index = w.folder / kind / "index.html"
        index.parent.mkdir()
        if kind == "folder":
            index.mkdir()
        elif kind == "pipe":
            os.mkfifo(index)
        else:
            index.symlink_to(w.trace)
        w.fails(5, "has no index.html that can be served", w.trace, "--ui", index.parent)
    w.fails(5, "nor a folder", w.trace, "--ui", w.trace)
    (w.folder / "socket").mkdir()
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(w.folder / "socket" / "index.html"))
    w.fails(5, "its index.html cannot be opened: ", w.trace, "--ui", w.folder / "socket")


@test
def few_open_files_allowed(w):
    """As many as are needed are taken before the first one is opened."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with w.serve(w.trace, "--ui", w.ui(), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, hard))) as s:
        equal(s.get("")[0], 200, "the page")


@test
def a_ui_elsewhere(w):
    for url, origin in (("https://perfetto.example", "https://perfetto.example"), ("http://10.0.0.1:8080/ui/", "http://10.0.0.1:8080")):
        with w.serve(w.trace, "--ui", url) as s:
            equal(json.loads(s.get("about.json")[2])["ui"], url if url.endswith("/") else url + "/", "ui")
            check(f"frame-src {origin};" in s.get("")[1]["Content-Security-Policy"], "policy")
    for url in ("ftp://x/", "javascript://x/", "https://", "https:///", "https://u@x/", "https://x;y/", "https://x y/", "https://x/?a", "https://x/#a",
                "https://x/';script-src *", "https://[::1]/", "https://x:/", "https://x:123456/", "https://x:99999/", "https://x/a\nb/", "https://a..b/",
                "https://999.999.999.999/", "https://" + "a" * 600):
        w.fails(2, "--ui", w.trace, "--ui", url)


@test
def wrong_usage(w):
    pipe = w.folder / "pipe"
    os.mkfifo(pipe)
    w.fails(2, "serve needs a trace")
    w.fails(2, "takes one trace", w.trace, w.trace)
    w.fails(2, "not standard input", "-")
    w.fails(2, "unknown", w.trace, "--nonsense")
    w.fails(2, "needs a value", w.trace, "--port")
    for port in ("x", "", "-1", "+1", " 1", "1.5", "65536", "99999999999999999999"):
        w.fails(2, f"--port '{port}' is not a whole number from 0 to 65535", w.trace, "--port", port)
    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    w.fails(5, "only 64 files may be open at a time, and its connections need up to 160", w.trace, preexec_fn=few_files)
    w.fails(3, "is not a regular file", pipe)
    w.fails(3, "is not a regular file", w.folder)
    w.fails(5, "cannot be opened", w.folder / "none")
    w.fails(5, "cannot be opened", w.trace, "--report", w.folder / "none")
    w.fails(3, "is not a regular file", w.trace, "--report", pipe)
    with w.serve() as s:
        w.fails(5, "Address already in use", w.trace, "--port", s.port)
        port = s.port
    with w.serve(w.trace, "--port", port) as s:
        equal(s.port, port, "the port of one that ended")
    if Path("/dev/full").exists():
        with open("/dev/full", "wb") as full:
            done = subprocess.run([w.layertrack, "serve", w.trace], stdout=full, stderr=subprocess.PIPE, timeout=30)
        equal(done.returncode, 5, "standard output is full")


@test
def hints(w):
    with w.serve(w.trace, env={"SSH_CONNECTION": "198.51.100.7 51000 10.0.0.5 22", "LOGNAME": "ada"}) as s:
        check(f"type there: ssh -N -L {s.port}:127.0.0.1:{s.port} ada@10.0.0.5\n" in s.stderr(), s.stderr())
    with w.serve(w.trace, "--ui", w.ui(), env={"SSH_CONNECTION": "fe80::1 51000 fe80::2%eth0 2222", "LOGNAME": "$(id)"}) as s:
        port = json.loads(s.get("about.json")[2])["ui"].split(":")[2].split("/")[0]
        line = f"ssh -N -L {s.port}:127.0.0.1:{s.port} -L {port}:127.0.0.1:{port} -p 2222 fe80::2%eth0\n"
        check(line in s.stderr(), s.stderr())
    with w.serve(w.trace, env={"SSH_CONNECTION": "198.51.100.7 51000 10.0.0.5 22", "LOGNAME": "", "USER": "ada"}) as s:
        check("ada@10.0.0.5\n" in s.stderr(), s.stderr())
    for odd in ("", "x", "a b c d", "1 2 ;id 22", "1 2 $(id) 22", "1 2 -oProxyCommand=x 22"):
        with w.serve(w.trace, env={"SSH_CONNECTION": odd}) as s:
            check("ssh" not in s.stderr(), s.stderr())
    tools, seen = w.folder / "tools", w.folder / "seen"
    tools.mkdir()
    opener = tools / ("open" if sys.platform == "darwin" else "xdg-open")
    opener.write_text(f'#!/bin/sh\nprintf "%s %s" "$$" "$*" >"{seen}.part"\nmv "{seen}.part" "{seen}"\nexec sleep 60\n')
    opener.chmod(0o755)
    with w.serve(w.trace, "--open", env={"PATH": f"{tools}:{os.environ['PATH']}"}) as s:
        await_that(seen.exists, "the browser was started")
        pid, url = seen.read_text().split(" ", 1)
        try:
            equal(url, s.url, "what the browser was started with")
            check(os.getpgid(int(pid)) != os.getpgid(s.process.pid), "Ctrl-C reaches the browser, too")
        finally:
            os.kill(int(pid), signal.SIGKILL)
    with w.serve(w.trace, "--open", env={"PATH": "/nonexistent"}) as s:
        await_that(lambda: "no browser could be started" in s.stderr(), "it says that there is no browser")


@test
def odd_names(w):
    """Names are told as JSON, and to the terminal without control bytes."""
    for name in (b"</script><script>alert(1)</script>".replace(b"/", b"_"), b"\x1b[31m\"\\\n.json", b"\xff\xfe.json", b"--port"):
        path = os.path.join(os.fsencode(w.folder), name)
        with open(path, "wb") as f:
            f.write(TRACE)
        with Serving(w.layertrack, os.fsdecode(path)) as s:
            about = json.loads(s.get("about.json")[2])
            equal(about["trace_name"], name.decode(errors="replace"), "name")
            equal(s.get("trace")[2], TRACE, "bytes")
            check("\x1b" not in s.stderr() and len(s.stderr().splitlines()) == 2, s.stderr())


@test
def where_the_program_lies(w):
    program = Path(w.layertrack).resolve().parent / "layertrack-serve"
    lone, moved = w.folder / "lone", w.folder / "moved"
    for folder in (lone, moved / "bin", moved / "libexec" / "layertrack"):
        folder.mkdir(parents=True)
    shutil.copy(w.layertrack, lone)
    shutil.copy(w.layertrack, moved / "bin")
    shutil.copy(program, moved / "libexec" / "layertrack")
    done = subprocess.run([lone / "layertrack", "serve", w.trace], capture_output=True, text=True, timeout=30)
    check(done.returncode == 5 and "layertrack-serve cannot be run" in done.stderr, done.stderr)
    done = subprocess.run([lone / "layertrack", "serve", "--help"], capture_output=True, text=True, timeout=30)
    check(done.returncode == 0 and done.stdout.startswith("Usage: layertrack serve"), done.stderr)
    with Serving(str(moved / "bin" / "layertrack"), w.trace) as s:
        equal(s.get("")[0], 200, "a moved installation")
        if Path("/proc/self/cmdline").exists():
            equal(Path(f"/proc/{s.process.pid}/cmdline").read_bytes().split(b"\0")[0], b"layertrack-serve", "in the list of processes")
    if sys.platform.startswith("linux") and shutil.which("ldd"):
        libraries = subprocess.run(["ldd", w.layertrack], capture_output=True, text=True).stdout
        check("microhttpd" not in libraries, "the command itself needs the HTTP library")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layertrack", required=True)
    parser.add_argument("--quick", action="store_true", help="for sanitizers: smaller, slower, no limits of memory")
    parser.add_argument("--only")
    args = parser.parse_args()
    failed = 0
    for function in tests:
        if args.only and args.only != function.__name__:
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(World(args.layertrack, Path(folder), args.quick))
                print(f"ok {function.__name__} ({time.monotonic() - begin:.1f} s)")
            except (AssertionError, OSError, RuntimeError, subprocess.SubprocessError) as e:
                failed += 1
                print(f"FAILED {function.__name__}: {type(e).__name__}: {e}")
        sys.stdout.flush()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
