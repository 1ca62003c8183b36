"""Starts `layertrack serve` and talks to it, for the tests."""
import os
import re
import signal
import socket
import subprocess
import tempfile
from http.client import HTTPConnection


class Serving:
    """A running server; `url` is what it printed. Leaving the block ends it."""

    def __init__(self, layertrack, *args, env=None, **more):
        environment = {k: v for k, v in os.environ.items() if k != "SSH_CONNECTION"}
        environment.update(env or {})
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([layertrack, "serve", *map(str, args)], stdout=subprocess.PIPE, stderr=self.errors,
                                        stdin=subprocess.DEVNULL, env=environment, start_new_session=True, **more)
        self.url = self.process.stdout.readline().decode().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[A-Za-z0-9_-]{32}/)", self.url)
        if not match:
            self.process.wait()
            raise RuntimeError(f"no address: {self.url!r} {self.stderr()}")
        self.port, self.base = int(match[1]), match[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def stderr(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def end(self, number=signal.SIGTERM):
        """Ends it by a signal; returns how it ended. A sanitizer's complaint shows in that, and in stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code

    def memory(self, field="VmHWM"):
        """In kB; 0 where there is no /proc."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
                return int(re.search(rf"^{field}:\s+(\d+)", status.read(), re.M)[1])
        except FileNotFoundError:
            return 0

    def get(self, path, method="GET", headers=None, port=None):
        """Status, headers, body of base + path; a path with a slash in front stands for itself."""
        connection = HTTPConnection("127.0.0.1", port or self.port, timeout=30)
        try:
            connection.request(method, path if path.startswith("/") else self.base + path, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def connect(self, port=None):
        return socket.create_connection(("127.0.0.1", port or self.port), timeout=30)

    def raw(self, request, port=None):
        """Sends bytes as they are; the status of the answer, or None when there is none."""
        with self.connect(port) as s:
            s.sendall(request)
            s.settimeout(20)
            answer = b""
            try:
                while b"\r\n" not in answer:
                    more = s.recv(4096)
                    if not more:
                        break
                    answer += more
            except ConnectionError:
                pass
        match = re.match(rb"HTTP/1\.[01] (\d+) ", answer)
        return int(match[1]) if match else None

    def request(self, target, method="GET", host=None, headers="", port=None):
        """The same for a request line's target, as it is."""
        host = f"Host: 127.0.0.1:{port or self.port}\r\n" if host is None else host
        return self.raw(f"{method} {target} HTTP/1.1\r\n{host}{headers}\r\n".encode("latin-1"), port)
