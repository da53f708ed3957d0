"""Every kind of container at every limit: what stands before it stays, and one problem names it."""

import gzip
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest

from sdtext.model import Problem
from sdtext.parts.registry import PARTS
from sdtext.reading import archive_members
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Reading
from sdtext.reading.sandbox import pool
from sdtext.reading.walk import documents_in
from tests.parts.containers.containing import MEGABYTE, Held, held, mail, seven_zip, tar
from tests.parts.readers.further_files import record
from tests.parts.readers.office import entries, packed
from tests.parts.readers.outlooks import msg
from tests.parts.readers.pdfs import Stream, assembled
from tests.support.compound_files import compound_of
from tests.support.installed_package import installed


def mailbox(files: Mapping[str, bytes]) -> bytes:
    head = b"From a@b.c Mon Jan  5 10:00:00 2026\nSubject: letter\n\n"
    return b"".join(head + data + b"\n\n" for data in files.values())


def office(files: Mapping[str, bytes]) -> bytes:
    inside = {f"word/embeddings/{name}": data for name, data in files.items()}
    return packed({**entries("<w:p/>"), **inside})


def old_office(files: Mapping[str, bytes]) -> bytes:
    objects = {name: {"Package": data.ljust(4096)} for name, data in files.items()}
    return compound_of({"WordDocument": bytes(4096), "ObjectPool": objects})


def attaching(files: Mapping[str, bytes]) -> bytes:
    first = 4 + len(files)
    names = b" ".join(
        b"(%s) <</Type /Filespec /F (%s) /EF <</F %d 0 R>>>>" % (name.encode(), name.encode(), at)
        for at, name in enumerate(files, 4)
    )
    return assembled(
        [
            b"<</Type /Catalog /Pages 2 0 R /Names <</EmbeddedFiles <</Names [%s]>>>>>>" % names,
            b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
            b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Contents %d 0 R>>" % first,
            *(Stream(data, b"/Type /EmbeddedFile", packed=True) for data in files.values()),
            Stream(b""),
        ]
    )


def test_an_attached_file_with_many_names_is_one(path: Path) -> None:
    one = b"(%s) <</Type /Filespec /F (%s) /EF <</F 4 0 R>>>>" % (b"a.txt", b"a.txt")
    data = attaching({"a.txt": LETTER})
    start = data.index(b"xref\n0")
    many = data[:start].replace(one, b"(a.txt) 9 0 R " * 20_000)
    many += b"9 0 obj\n%s\nendobj\n" % one.partition(b") ")[2] + data[start:]
    assert held("pdf", path, many) == Held({"a.txt": LETTER})


def warc(files: Mapping[str, bytes]) -> bytes:
    return b"".join(record("resource", f"file:///{name}", data) for name, data in files.items())


def wacz(files: Mapping[str, bytes]) -> bytes:
    inside = {f"archive/{name}": data for name, data in files.items()}
    return packed({"datapackage.json": b"{}", **inside})


WRITERS: Mapping[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "office": office, "old-office": old_office, "pdf": attaching,
    "outlook": partial(msg, "letters", "See attached."), "warc": warc, "wacz": wacz,
    "zip": packed, "tar": tar, "7z": seven_zip, "mbox": mailbox,
    "mail": lambda files: bytes(mail(files)),
}  # fmt: skip
"""What writes each kind of container."""
READ_WHOLE = ("old-office", "outlook")
"""Those of which a part is known only once all of it is read."""
LETTER = b"Dear Anna, the bees dance in the hive of my neighbour, and they show the way.\n"
FIRST = (LETTER * 9).decode().strip()
FILES = {f"{number}.txt": LETTER * 9 for number in range(6)}

LATE = '''
import os, time
from dataclasses import dataclass
from typing import ClassVar
from sdtext.io.decompressed_content import Content
from sdtext.parts.containers import Container
from sdtext.parts.registry import find

@dataclass(frozen=True)
class Late(Container):
    """A line with a kind of container and what is done after two files; then such a container."""

    called: ClassVar[str] = "late container"

    @staticmethod
    def recognises(content):
        return content.head.startswith(b"LATE ")

    def members(self, content):
        line, _, data = content.whole().partition(b"\\n")
        kind, does = line.decode().split(maxsplit=2)[1:]
        inner = Content("", content.max_bytes, content.name, data=data)
        for number, member in enumerate(find("containers", kind)().members(inner)):
            if number == 2:
                eval(does)
            yield member
'''


@pytest.fixture(scope="module")
def _late(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A package with a container that reaches a limit in the midst of another."""
    folder = tmp_path_factory.mktemp("packages")
    with installed(folder, "late", LATE, "[sdtext.containers]\nlate = late:Late\n"):
        yield


def members_of(path: Path, reading: Reading) -> tuple[list[str], list[Problem]]:
    problems: list[Problem] = []
    documents = documents_in(path, reading, problems.append)
    inside = [each for each in documents if "!" in str(each)]
    return [
        content_at(each, reading.max_bytes, reading.limits).whole().decode(errors="replace")
        for each in inside
    ], problems


def test_a_container_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpack = Mock(wraps=pool.unpack)
    monkeypatch.setattr(archive_members, "unpack", unpack)
    (tmp_path / "a.zip").write_bytes(packed(FILES))
    texts, _ = members_of(tmp_path / "a.zip", Reading())
    assert (len(texts), unpack.call_count) == (len(FILES), 1)
    assert set(WRITERS) == set(PARTS["containers"])  # each kind is tested below


@pytest.mark.parametrize("kind", PARTS["containers"])
@pytest.mark.parametrize("limit", ["bytes", "ratio", "files"])
def test_what_stands_before_a_limit_stays(
    kind: str, limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind in READ_WHOLE and limit == "ratio":
        pytest.skip("what it is shows once it is unpacked; until then it is a document")
    files, reading, word = dict(FILES), Reading(), "200 times"
    if limit == "bytes":
        most = 2 * len(LETTER) * 9 + 400
        if kind == "mail":  # whose files are in base64
            most = len(bytes(mail(dict(islice(FILES.items(), 3))))) - 200
        reading, word = Reading(max_bytes=most), "bytes"
    elif limit == "ratio":
        noise = Random(1).randbytes(300).hex().encode()
        files = {"0": LETTER * 9, "1": noise, "2": b" " * (30 * MEGABYTE)}
    else:
        monkeypatch.setattr(pool, "MAX_FILES", 2)
        word = "2 files"
    data = WRITERS[kind](files)
    if limit == "ratio" and len(data) > MEGABYTE:
        data = gzip.compress(data)
    (tmp_path / "container").write_bytes(data)
    texts, problems = members_of(tmp_path / "container", reading)
    (problem,) = problems
    assert problem.severity == "error"
    assert word in problem.message
    if kind in READ_WHOLE and limit != "files":
        assert texts == []
    else:
        assert len(texts) == 2
        assert FIRST in texts[0]


@pytest.mark.usefixtures("_late")
@pytest.mark.parametrize("kind", PARTS["containers"])
@pytest.mark.parametrize(
    "limit", [*(pytest.param(each, marks=pytest.mark.deep) for each in ("time", "memory")), "crash"]
)
def test_what_stands_before_a_process_ends_stays(kind: str, limit: str, tmp_path: Path) -> None:
    does, word = {
        "time": ("time.sleep(1000)", "max_seconds"),
        "memory": ("bytearray(8 << 30)", "max_memory"),
        "crash": ("os.abort()", "SIGABRT"),
    }[limit]
    late = f"LATE {kind} {does:1100}\n".encode()  # a header of PDF may stand before that
    (tmp_path / "container").write_bytes(late + WRITERS[kind](FILES))
    seconds = 10 if limit == "time" else 30
    texts, problems = members_of(tmp_path / "container", Reading(max_seconds=seconds))
    assert len(texts) == 2
    (problem,) = problems
    assert problem.severity == "error"
    assert word in problem.message


@pytest.mark.parametrize("kind", PARTS["containers"])
def test_what_is_nested_too_deep_is_reported_once(kind: str, tmp_path: Path) -> None:
    data = WRITERS[kind]({"deep.txt": LETTER})
    for _ in range(4):
        data = packed({"a.txt": LETTER, "b": data, "c.txt": LETTER})
    (tmp_path / "container").write_bytes(data)
    texts, problems = members_of(tmp_path / "container", Reading())
    assert len([text for text in texts if text == LETTER.decode()]) == 8
    assert ["nested 4 archives deep" in problem.message for problem in problems] == [True]


@pytest.mark.parametrize("limit", ["bytes", "time"])
def test_failing_containers_count_towards_the_total(limit: str, tmp_path: Path) -> None:
    bomb = packed({"bomb": b" " * (2 * MEGABYTE)})
    names = [f"{number:04}.zip" for number in range(1500)]
    (tmp_path / "a.zip").write_bytes(packed({"a.txt": LETTER, **dict.fromkeys(names, bomb)}))
    small = {"bytes": Reading(max_bytes=8 * MEGABYTE), "time": Reading(max_seconds=1)}
    began = time.monotonic()
    texts, problems = members_of(tmp_path / "a.zip", small[limit])
    assert time.monotonic() - began < 20
    assert texts == [LETTER.decode()]
    assert "the rest is skipped" in problems[-1].message
    assert len(problems) < 1000
