"""Formats that packages of the extra `formats` read, a small file of each made here."""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.registry import find
from sdtext.reading.archive_members import expanded_files
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.reading.recognise_file import container_of, name_of_reader
from tests.parts.readers.further_files import MHTML, dbase, wacz, warc
from tests.parts.readers.outlooks import message, msg, tnef
from tests.support.compound_files import compound
from tests.support.damaged_bytes import damaged

BODY = "Bees dance.\r\nWhy?\r\n"
DOCUMENTS: dict[str, tuple[Callable[[], bytes], str]] = {
    "MSG": (
        lambda: msg("Bees", BODY),
        "From: Ann <ann@example.org> To: Bob <bob@x.org> Subject: Bees Bees dance. Why?",
    ),
    "TNEF": (lambda: tnef("Bees", BODY), "Subject: Bees Bees dance. Why?"),
    "MHTML": (lambda: MHTML, "Bees “dance”."),
    "DBF": (dbase, "TEXT Bees dance in hives"),
}
CONTAINERS: dict[str, tuple[Callable[[], bytes], dict[str, str]]] = {
    "MSG": (
        lambda: msg(
            "Bees", BODY, {"a.txt": b"Hi.", "In": message("In", "Honey.", {"b.txt": b"Wax."}, 24)}
        ),
        {"!a.txt": "Hi.", "!In.eml": "Honey.", "!In.eml!b.txt": "Wax."},
    ),
    "TNEF": (lambda: tnef("Bees", BODY, [("a.txt", b"Hives.")]), {"!a.txt": "Hives."}),
    "WARC": (warc, {"!a.example/index.html": "Bees.", "!a.example/c/hives.html?x=1": "Hives."}),
    "WACZ": (
        wacz,
        {
            "!archive/data.warc.gz!a.example/index.html": "Bees.",
            "!archive/data.warc.gz!a.example/c/hives.html?x=1": "Hives.",
        },
    ),
}
NAMED: dict[str, Callable[[], bytes]] = {
    "MSG": lambda: msg("Bees", BODY), "TNEF": lambda: tnef("Bees", BODY), "WARC": warc,
    "DBF": dbase, "PST": lambda: b"!BDN" + bytes(2000), "HWP": lambda: compound("FileHeader"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "words"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_has_its_words(tmp_path: Path, data: Callable[[], bytes], words: str) -> None:
    (tmp_path / "document").write_bytes(data())
    assert read(tmp_path / "document").text.split() == words.split()


@pytest.mark.parametrize(("data", "members"), CONTAINERS.values(), ids=CONTAINERS)
def test_members_come(tmp_path: Path, data: Callable[[], bytes], members: dict[str, str]) -> None:
    path = tmp_path / "file"
    path.write_bytes(data())
    problems: list[Problem] = []
    found = [str(each.path) for each in expanded_files([path], Reading(), problems.append)]
    assert [name for name in found if name != str(path)] == [f"{path}{name}" for name in members]
    for name, text in members.items():
        assert text in read(f"{path}{name}").text
    left_out = [problem.category for problem in problems]
    assert left_out == (["partly-read"] * 2 if "WA" in str(data.__name__).upper() else [])


@pytest.mark.parametrize("name", NAMED)
def test_a_kind_is_named_where_the_extra_is_missing(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(NAMED[name]())
    content = Content(tmp_path / "file")
    for package in ("kreuzberg", "olefile", "oxmsg", "tnefparse", "warcio.archiveiterator"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("sdtext.parts.readers.outlook.find_spec", lambda _: None)
    container = container_of(content)
    kind, part = ("containers", container) if container else ("readers", "")
    found = find(kind, part or name_of_reader(content, Reading()))()
    with pytest.raises(UnreadableError) as error:
        list(found.members(content) if container else found(content))
    assert name in error.value.what
    assert "sdtext[formats]" in error.value.what


@pytest.mark.parametrize("data", [data for data, _ in [*DOCUMENTS.values(), *CONTAINERS.values()]])
def test_damage_is_an_error_of_ours(tmp_path: Path, data: Callable[[], bytes]) -> None:
    path, draw = tmp_path / "file", Random(1)
    for _ in range(15):
        path.write_bytes(damaged(data(), draw))
        for content in expanded_files([path], Reading(), lambda _: None):
            with suppress(UnreadableError):
                read(content.path)


def test_a_mail_with_pictures_is_no_saved_page(tmp_path: Path) -> None:
    (tmp_path / "mail").write_bytes(
        MHTML.replace(b"<Saved by Blink>", b"Ann <ann@example.org>").replace(b"x\r\n--x", b"--x")
    )
    assert read(tmp_path / "mail").metadata["reader"] == "mail"
