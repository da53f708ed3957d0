"""A server of the web application in a process of its own, and what a program asks it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

OVER = ("done", "failed", "cancelled")
_WAIT = 120  # seconds, which no test reaches unless something hangs

Part = tuple[str, str | tuple[str, bytes]]


@dataclass(frozen=True)
class Answer:
    """The status, the headers by small letters, and the body of an answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """`sdtext Serve`, with its address and its token."""

    def __init__(self, folder: Path, *arguments: str | Path) -> None:
        words = ["Serve", *map(str, arguments), "--port", "0", "--folder", str(folder)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sdtext", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout
        self.said: list[str] = []
        for line in self.process.stdout:
            self.said.append(line.strip())
            if line.startswith("http://"):
                break
        assert "http://" in " ".join(self.said), self.said
        address = urlsplit(self.said[-1])
        self.first, self.host = self.said[-1], f"127.0.0.1:{address.port}"
        self.token = address.query.partition("=")[2]

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        parts: Sequence[Part] = (),
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer to a request; with the token, unless other headers are given."""
        known = {"Authorization": f"Bearer {self.token}"} if headers is None else {**headers}
        if parts:
            boundary, method = uuid4().hex, "POST"
            known["Content-Type"] = f"multipart/form-data; boundary={boundary}"
            body = _multipart(parts, boundary)
        connection = HTTPConnection(self.host, timeout=_WAIT)
        try:
            connection.request(method, path, body, known)
            answer = connection.getresponse()
            pairs = ((name.lower(), value) for name, value in answer.getheaders())
            return Answer(answer.status, dict(pairs), answer.read())
        finally:
            connection.close()

    def check(self, name: str, content: bytes, *parts: Part, collection: str = "archive") -> Any:
        asked: list[Part] = [("collection", collection), ("document", (name, content)), *parts]
        answer = self.ask("/api/checks", parts=asked)
        assert answer.status == 202, answer.text
        return self.over(answer.json["id"])

    def over(self, number: str) -> Any:
        end = time.monotonic() + _WAIT
        while time.monotonic() < end:
            job = self.ask(f"/api/jobs/{number}").json
            if job["state"] in OVER:
                return job
            time.sleep(0.05)
        raise AssertionError(f"job {number} does not end: {job}")

    def memory(self) -> int:
        """The most memory that the server has had, in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) >> 10

    def kill(self) -> None:
        self.process.kill()
        self._wait()

    def close(self) -> None:
        os.kill(self.process.pid, signal.SIGINT)
        self._wait()

    def _wait(self) -> None:
        assert self.process.stdout
        self.process.stdout.close()
        self.process.wait(_WAIT)


def _multipart(parts: Sequence[Part], boundary: str) -> bytes:
    """A form as browsers send it (RFC 7578)."""
    pieces = []
    for name, value in parts:
        file, content = value if isinstance(value, tuple) else ("", value.encode())
        called = f'; filename="{file}"\r\nContent-Type: application/octet-stream' if file else ""
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{called}\r\n\r\n'
        pieces.append(head.encode() + content + b"\r\n")
    return b"".join(pieces) + f"--{boundary}--\r\n".encode()
