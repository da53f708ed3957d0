"""Records and documents at remote addresses: a local server, and the memory of fsspec."""

import builtins
import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pyarrow.parquet as pq
import pytest

import sdtext
from sdtext.io.remote_files import forget_fetched, remote_address
from tests.support.command import check_refused, done, here, prose
from tests.support.serving import served

ROWS = [{"id": f"r{n}", "text": prose(n % 3)} for n in range(6)]
LINES = [json.dumps(row).encode() + b"\n" for row in ROWS]


class Site(BaseHTTPRequestHandler):
    """Files by their paths; an address for a value that is a text."""

    files: ClassVar[dict[str, bytes | str]] = {}
    requests: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.requests.append(self.path)
        answer = self.files.get(self.path)
        self.send_response(404 if answer is None else 302 if isinstance(answer, str) else 200)
        if isinstance(answer, str):
            self.send_header("Location", answer)
        self.end_headers()
        if isinstance(answer, bytes):
            self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served(Site) as address:
        yield address


@pytest.fixture(autouse=True)
def fresh(folder: Path) -> Iterator[None]:
    assert folder.is_dir()
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    forget_fetched()
    yield
    memory.store.clear()


def store(address: str, data: bytes) -> str:
    with fsspec.open(address, "wb") as file:
        file.write(data)
    return address


def test_records_are_read_over_http(site: str) -> None:
    Site.files = {
        "/pages.jsonl.gz?part=1": gzip.compress(b"".join(LINES)),
        "/moved.jsonl": f"{site}/pages.jsonl.gz?part=1",
    }
    done("Deduplicate", f"{site}/pages.jsonl.gz?part=1", "-o", "k.jsonl")
    assert Path("k.jsonl").read_bytes() == b"".join(LINES[:3])
    done("Deduplicate", f"{site}/moved.jsonl", "-o", "k2.jsonl")
    assert Path("k2.jsonl").read_bytes() == b"".join(LINES[:3])
    done("AddDocuments", "x.sdx", f"{site}/moved.jsonl", "-c", "deduplicate")
    rows = done("FindSimilar", "x.sdx", f"{site}/moved.jsonl", "-k", "1").table
    assert len(rows) == 6


@pytest.mark.parametrize(("path", "words"), [
    ("/none.jsonl", "HTTP status 404"), ("/file.jsonl", "302"),
    ("/ftp.jsonl", "redirects to ftp:, which is refused"),
    ("/long.jsonl", "holds more than 1,000 bytes"),
])  # fmt: skip
def test_what_cannot_be_fetched_is_one_line(
    path: str, words: str, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDTEXT_MAX_BYTES", "1000")
    Site.files = {
        "/file.jsonl": "file:///etc/passwd",
        "/ftp.jsonl": "ftp://127.0.0.1/x.jsonl",
        "/long.jsonl": b"".join(LINES) * 9,
    }
    outcome = here("Deduplicate", f"{site}{path}", "-o", "k.jsonl")
    check_refused(outcome, 3, f"{site}{path}", words)
    assert not Path("k.jsonl").exists()


def test_a_server_that_does_not_answer_is_one_line() -> None:
    outcome = here("Deduplicate", "http://127.0.0.1:9/x.jsonl", "-o", "k.jsonl")
    check_refused(outcome, 3)


def test_parquet_is_read_over_http(site: str) -> None:
    done("Deduplicate", store("memory://a.jsonl", b"".join(LINES)), "-s", "99", "-o", "a.parquet")
    Site.files = {"/a.parquet": Path("a.parquet").read_bytes()}
    done("Deduplicate", f"{site}/a.parquet", "-o", "memory://out/k.parquet")
    with fsspec.open("memory://out/k.parquet", "rb") as file:
        assert pq.read_table(file).to_pylist() == ROWS[:3]


def test_nothing_is_fetched_because_a_collection_names_it(site: str) -> None:
    Site.files = {f"/{n}.txt": prose(1).encode() for n in range(2)}
    addresses = [f"{site}{path}" for path in Site.files]
    done("AddDocuments", "x.sdx", *addresses, "-c", "reuse", "--jobs", "1")
    forget_fetched()
    count = len(Site.requests)
    outcome = here("FindReuse", "x.sdx", "--show", "--format", "json", "--jobs", "1")
    assert outcome.json["rows"], outcome.err
    done("FindPairs", "x.sdx", "--explain")
    assert len(Site.requests) == count


def test_records_are_read_from_and_written_to_a_store() -> None:
    store("memory://in/a.jsonl", b"".join(LINES[:3]))
    store("memory://in/b.jsonl", b"".join(LINES[3:]))
    table = "".join(f'{row["id"]},"{row["text"]}"\n' for row in ROWS)
    store("memory://in/c.csv", f"id,text\n{table}".encode())
    line = ("Deduplicate", "memory://in/*.jsonl", "memory://in/c.csv", "--removed", "r.jsonl")
    done(*line, "-o", "memory://out/kept.jsonl.gz")
    with fsspec.open("memory://out/kept.jsonl.gz", "rb") as file:
        kept = gzip.decompress(file.read())
    assert [json.loads(row) for row in kept.splitlines()] == ROWS[:3]
    first = json.loads(Path("r.jsonl").read_text().splitlines()[0])
    assert first["document"] == "memory://in/b.jsonl#r3"
    assert first["kept"] == "memory://in/a.jsonl#r0"
    line = (*line[:-2], "-o", "memory://out/kept.jsonl.gz")
    check_refused(here(*line), 6, "memory://out/kept.jsonl.gz")
    done(*line, "--force")
    check_refused(here(*line[:2], "-o", "memory://in/a.jsonl"), 6)


def test_documents_in_a_folder_of_a_store_are_added() -> None:
    for number in range(3):
        store(f"memory://texts/deep/{number}.txt", prose(number).encode())
    done("AddDocuments", "x.sdx", "memory://texts", "-c", "deduplicate", "--jobs", "1")
    with sdtext.open("x.sdx") as collection:
        assert sorted(document.name for document in collection) == ["0.txt", "1.txt", "2.txt"]
    assert (
        done("Deduplicate", "memory://texts", "-o", "k.txt", "--jobs", "1").errors[-1]
        == "3 read, 3 kept, 0 removed"
    )


def test_a_program_reads_what_is_there_now() -> None:
    store("memory://now.jsonl", b"".join(LINES))
    assert len(sdtext.deduplicate("memory://now.jsonl").kept) == 3
    store("memory://now.jsonl", b"".join(LINES[:2]))
    assert len(sdtext.deduplicate("memory://now.jsonl").kept) == 2


def test_what_is_not_installed_or_writable_is_one_line(
    monkeypatch: pytest.MonkeyPatch, site: str
) -> None:
    outcome = here("Deduplicate", f"{site}/a.jsonl", "-o", f"{site}/b.jsonl")
    check_refused(outcome, 6)
    check_refused(here("Deduplicate", "memory://none.jsonl", "-o", "k.jsonl"), 3)
    load = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "fsspec":
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    outcome = here("Deduplicate", "s3://bucket/a.jsonl", "-o", "k.jsonl")
    check_refused(outcome, 2, "s3://bucket/a.jsonl")


def test_a_local_file_of_that_name_is_no_address() -> None:
    Path("s3:").mkdir()
    Path("s3:/a.jsonl").write_bytes(LINES[0])
    assert remote_address("s3://a.jsonl") == ""
    assert "1 read" in done("Deduplicate", "s3://a.jsonl", "-o", "k.jsonl").errors[-1]
    assert remote_address("file:///etc/passwd") == ""
    check_refused(here("Deduplicate", "file:///etc/passwd", "-o", "n.txt"), 3)
