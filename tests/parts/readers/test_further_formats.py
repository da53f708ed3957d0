"""Formats that packages of the extra `formats` read, a small file of each made here."""

import gzip
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from random import Random

import brotli
import pytest
from compressed_rtf import compress

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.registry import find
from sdtext.reading.archive_members import expanded_files
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.reading.recognise_file import container_of, name_of_reader
from tests.parts.readers.further_files import MHTML, answer, dbase, record, wacz, warc
from tests.parts.readers.outlooks import message, msg, tnef
from tests.support.cases import cases
from tests.support.compound_files import Tree, compound_of
from tests.support.damaged_bytes import damaged

BODY = "Bees dance.\r\nWofür?\r\n"
MSG, TNEF = msg("Bees", BODY), tnef("Bees", BODY)
DOCUMENTS = [
    (MSG, "From: Ann <ann@example.org> To: Bob <bob@x.org> Subject: Bees Bees dance. Wofür?"),
    (TNEF, "Subject: Bees Bees dance. Wofür?"), (MHTML, "Bees “dance”."),
    (MHTML.replace(b" text/html", b" application/xhtml+xml"), "Bees “dance”."),
    (MHTML.replace(b"text/css", b"text/plain"), "Bees “dance”. p { color: red }"),
    *((dbase(version), "TEXT Bees dance in hives") for version in (3, 0x30)),
]  # fmt: skip
FILES: dict[str, bytes | Tree] = {
    "a.txt": b"Hi.",
    "In": message("In", "Honey.", {"b.txt": b"Wax."}, 24),
}
PAGES = {"!a.example/index.html": "Bees.", "!a.example/c/hives.html?x=1": "Hives."}
# With the members, and the number of records that are left out.
CONTAINERS: list[tuple[bytes, dict[str, str], int]] = [
    (msg("Bees", BODY, FILES), {"!a.txt": "Hi.", "!In.eml": "Honey.", "!In.eml!b.txt": "Wax."}, 0),
    (tnef("Bees", BODY, [("a.txt", b"Hives.")]), {"!a.txt": "Hives."}, 0), (warc(), PAGES, 2),
    (wacz(), {f"!archive/data.warc.gz{name}": text for name, text in PAGES.items()}, 2),
]  # fmt: skip
NAMED = {
    "MSG": MSG, "TNEF": TNEF, "WARC": warc(), "DBF": dbase(), "PST": b"!BDN" + bytes(2000),
    "HWP": compound_of({"FileHeader": b""}),
}  # fmt: skip


@cases("data, words", DOCUMENTS)
def test_a_document_has_its_words(path: Path, data: bytes, words: str) -> None:
    path.write_bytes(data)
    assert read(path).text.split() == words.split()


@cases("data, members, count", CONTAINERS)
def test_a_container_gives_its_members(
    path: Path, data: bytes, members: dict[str, str], count: int
) -> None:
    path.write_bytes(data)
    problems: list[Problem] = []
    found = [str(each.path) for each in expanded_files([path], Reading(), problems.append)]
    assert [name for name in found if name != str(path)] == [f"{path}{name}" for name in members]
    for name, text in members.items():
        assert text in read(f"{path}{name}").text
    assert [problem.category for problem in problems] == ["partly-read"] * count


@pytest.mark.parametrize("kind", ["gzip", "br", "deflate"])
def test_what_a_web_archive_lacks_is_reported(path: Path, kind: str) -> None:
    page = b"<html><p>" + b"".join(b"Bee %d dances. " % number for number in range(999))
    pack = {"gzip": gzip.compress, "br": brotli.compress, "deflate": zlib.compress}[kind]
    address, fields = "http://a.example/b", f"Content-Encoding: {kind}"

    def texts(data: bytes) -> tuple[str, int]:
        path.write_bytes(data)
        problems: list[Problem] = []
        members = [*expanded_files([path], Reading(), problems.append)]
        return "".join(read(each.path).text for each in members), len(problems)

    whole = record("response", address, answer("text/html", pack(page), "200 OK", fields))
    text, count = texts(whole)
    assert (text.split()[-2:], count) == (["998", "dances."], 0)
    cut = record("response", address, answer("text/html", pack(page)[:-99], "200 OK", fields))
    part, count = texts(cut)
    assert text.startswith(part.strip())
    assert (0 < len(part) < len(text), count) == (True, 1)
    assert texts(whole + whole.partition(b"Record-ID")[0]) == (text, 1)
    assert texts(whole.replace(b"WARC-Date", b"WARC-Truncated: time\r\nWARC-Date")) == (text, 1)


def test_a_body_in_rtf_is_read_and_a_damaged_one_is_reported(path: Path) -> None:
    for length in range(16):  # a zero at the end is not kept
        rtf = compress(rb"{\rtf1 Bees dance" + b"!" * length + b"}")
        path.write_bytes(tnef("Bees", "", [("a.txt", b"Hives.")], rtf))
        assert read(f"{path}!body.rtf").text.startswith("Bees dance")
    path.write_bytes(tnef("Bees", "", [("a.txt", b"Hives.")], rtf[:-9] + bytes(9)))
    with pytest.raises(UnreadableError):
        read(f"{path}!body.rtf")
    assert read(f"{path}!a.txt").text == "Hives."


@pytest.mark.parametrize("name", NAMED)
def test_a_kind_is_named_where_the_extra_is_missing(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(NAMED[name])
    content = Content(tmp_path / "file")
    for package in ("kreuzberg", "oxmsg", "tnefparse", "warcio.archiveiterator"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("sdtext.parts.readers.outlook.find_spec", lambda _: None)
    container = container_of(content)
    kind, part = ("containers", container) if container else ("readers", "")
    found = find(kind, part or name_of_reader(content, Reading()))()
    with pytest.raises(UnreadableError) as error:
        list(found.members(content) if container else found(content))
    assert name in error.value.what
    assert "sdtext[formats]" in error.value.what


@cases("data", [data for data, *_ in [*DOCUMENTS, *CONTAINERS]])
def test_damage_is_an_error_of_ours(path: Path, data: bytes) -> None:
    draw = Random(1)
    for _ in range(15):
        path.write_bytes(damaged(data, draw))
        for content in expanded_files([path], Reading(), lambda _: None):
            with suppress(UnreadableError):
                read(content.path)


def test_a_mail_with_pictures_is_no_saved_page(path: Path) -> None:
    mail = MHTML.replace(b"<Saved by Blink>", b"Ann <ann@example.org>")
    path.write_bytes(mail.replace(b"x\r\n--x", b"--x"))
    assert read(path).metadata["reader"] == "mail"
    for kind in (b"a/b", b"text/plain"):
        path.write_bytes(MHTML.replace(b"text/css", kind + b"\r\nContent-Disposition: attachment"))
        assert [problem.category for problem in read(path).problems] == ["partly-read"]
        assert "color" not in read(path).text
    both = b"multipart/alternative; boundary=y\r\n\r\n--y\r\n\r\nBees\r\n--y--\r\n"
    path.write_bytes(MHTML.replace(b"text/css", both))
    assert read(path).text.split() == ["Bees", "“dance”."]
