"""Records and documents in object stores: s3://, gs:// and hf:// of servers on this machine.

Their packages are not among those for tests. .ci/run installs them; without them a test is
skipped.
"""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

import fsspec
import pytest

from sdtext.io.remote_files import forget_fetched
from tests.support.command import check_refused, done, here, prose
from tests.support.serving import served

pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("default"),  # of the packages for the stores
]

LINES = [json.dumps({"id": f"r{n}", "text": prose(n % 3)}).encode() + b"\n" for n in range(6)]
FILES = {"in/a.jsonl": b"".join(LINES), "in/b.jsonl": b"".join(LINES), "one.txt": prose(1).encode()}
PATIENCE = 60  # seconds

Program = Callable[[int], str]
PROGRAMS: Mapping[str, tuple[str, str, Program]] = {
    "s3": ("s3fs", "moto.server", lambda port: f"from moto.server import main; main(['-p{port}'])"),
    "gs": (
        "gcsfs",
        "gcp_storage_emulator.server",
        lambda port: (
            "from gcp_storage_emulator.server import create_server as new; "
            f"new('127.0.0.1', {port}, in_memory=True, default_bucket='bucket').run()"
        ),
    ),
}


def variables(address: str) -> dict[str, str]:
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    return {
        **dict.fromkeys(("AWS_ENDPOINT_URL", "STORAGE_EMULATOR_HOST", "HF_ENDPOINT"), address),
        **dict.fromkeys(keys, "test"),
        "AWS_DEFAULT_REGION": "us-east-1",
    }


@contextmanager
def started(program: Program) -> Iterator[str]:
    """The address of a server in a process of its own."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", program(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with socket.socket() as client:
                if not client.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(params=PROGRAMS)
def bucket(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    package, server, program = PROGRAMS[request.param]
    pytest.importorskip(package)
    pytest.importorskip(server)
    with started(program) as address:
        for name, value in variables(address).items():
            monkeypatch.setenv(name, value)
        fsspec.config.conf.clear()
        files = fsspec.filesystem(request.param, skip_instance_cache=True)
        if request.param == "s3":
            files.mkdir("bucket")
        for name, data in FILES.items():
            files.pipe(f"bucket/{name}", data)
        forget_fetched()
        type(files).clear_instance_cache()
        yield f"{request.param}://bucket"
        type(files).clear_instance_cache()


def test_a_bucket_is_read_and_written(bucket: str, folder: Path) -> None:
    done("Deduplicate", f"{bucket}/in/*.jsonl", "-o", f"{bucket}/out/kept.jsonl.gz")
    forget_fetched()
    done("Deduplicate", f"{bucket}/out/kept.jsonl.gz", "-o", "k.jsonl")
    assert (folder / "k.jsonl").read_bytes() == b"".join(LINES[:3])
    assert done("ExtractText", "-i", f"{bucket}/one.txt").out.strip() == prose(1).strip().encode()
    again = here("Deduplicate", f"{bucket}/in/a.jsonl", "-o", f"{bucket}/out/kept.jsonl.gz")
    check_refused(again, 6)
    check_refused(here("Deduplicate", f"{bucket}/none.jsonl", "-o", "n"), 3)
    assert done("Deduplicate", f"{bucket}/one.txt", "-o", "-").out == f"{bucket}/one.txt\n".encode()


class Hub(BaseHTTPRequestHandler):
    """A data set as huggingface_hub asks for it."""

    def answer(self, value: bytes | list[Any] | dict[str, Any], code: int = 200) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", '"0"')
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        path, _, query = unquote(self.path).partition("?")
        if "/resolve/main/" in path:
            data = FILES[path.partition("/resolve/main/")[2]]
            first, _, last = (
                self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
            )
            self.answer(data[int(first) : int(last or len(data)) + 1], 206)
        elif "/tree/main" in path:
            below = path.partition("/tree/main")[2].strip("/")
            is_deep = parse_qs(query).get("recursive") == ["true"]
            self.answer([*self.entries(below + "/" if below else "", is_deep=is_deep)])
        else:
            self.answer({"id": "user/name", "sha": "0" * 40})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"])).decode()
        paths = json.loads(data)["paths"] if data[:1] == "{" else parse_qs(data)["paths"]
        self.answer([entry for entry in self.entries("", is_deep=True) if entry["path"] in paths])

    def entries(self, below: str, *, is_deep: bool) -> Iterator[dict[str, Any]]:
        for name, data in FILES.items():
            inner = name.removeprefix(below)
            if name.startswith(below) and (is_deep or "/" not in inner):
                yield {"type": "file", "path": name, "size": len(data), "oid": "0" * 40}
        folders = {"in"} if not (below or is_deep) else set()
        yield from ({"type": "directory", "path": name, "oid": "1" * 40} for name in folders)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


READ = """
from sdtext.cli.main import main
place = "hf://datasets/user/name"
assert main(["Deduplicate", f"{place}/in/*.jsonl", "-o", "k.jsonl"]) == 0
assert main(["ExtractText", "-i", f"{place}/one.txt", "-o", "one.txt"]) == 0
assert main(["Deduplicate", f"{place}/none.jsonl", "-o", "n.jsonl"]) == 3
"""


def test_a_data_set_of_a_hub_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own: the address of the hub is read at its import."""
    pytest.importorskip("huggingface_hub")
    monkeypatch.setenv("HF_HOME", str(folder))
    with served(Hub) as address:
        for name, value in variables(address).items():
            monkeypatch.setenv(name, value)
        subprocess.run([sys.executable, "-c", READ], check=True, timeout=PATIENCE)
    assert (folder / "k.jsonl").read_bytes() == b"".join(LINES[:3])
    assert (folder / "one.txt").read_text("utf-8").strip() == prose(1).strip()
