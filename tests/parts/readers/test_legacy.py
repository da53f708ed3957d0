"""Office files of before 2007, read by programs beside sdtext."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem
from sdtext.parts.readers import legacy_office
from sdtext.parts.readers.legacy_office import Compound, Doc, Ppt, Xls, root_names
from tests.parts.readers.packages import refused
from tests.support.cases import cases
from tests.support.compound_files import Tree, compound_of

SAMPLES = Path(__file__).parents[2] / "samples" / "documents"
LETTER, BERTHS, TALK = (SAMPLES / name for name in ("old.doc", "old.xls", "old.ppt.gz"))

needs_antiword = pytest.mark.skipif(
    not legacy_office.program("antiword"), reason="antiword is not installed"
)
needs_libreoffice = pytest.mark.skipif(
    not legacy_office.program("libreoffice"), reason="LibreOffice is not installed"
)


POOL: Tree = {"ObjectPool": {"WordDocument": b""}}


@cases("size", [512, 4096])
@cases("sectors", [0, 3, 200, 5000])
@cases("number", [1, 3, 40])
def test_a_compound_file_has_its_streams(path: Path, size: int, sectors: int, number: int) -> None:
    names = [f"stream {place} é" for place in range(number)]
    before: dict[str, bytes | Tree] = {"before": bytes(size * sectors)}
    tree = {**before, **dict.fromkeys(names, b""), **POOL}
    path.write_bytes(compound_of(tree, size))
    assert root_names(Content(path)) == tree.keys()


@cases(
    "reader, name",
    [(Doc, "WordDocument"), (Xls, "Workbook"), (Xls, "Book"), (Ppt, "PowerPoint Document")],
)
def test_files_are_known_by_streams(path: Path, reader: type[Doc | Xls | Ppt], name: str) -> None:
    path.write_bytes(compound_of({"1Table": b"", name: b"", **POOL}))
    assert [item for item in (Doc, Xls, Ppt) if item.recognises(Content(path))] == [reader]
    path.write_bytes(b"plain " + path.read_bytes())
    assert not any(item.recognises(Content(path)) for item in (Doc, Xls, Ppt, Compound))


@cases("names, why", [
    (["EncryptionInfo", "EncryptedPackage"], "is encrypted with a password; save it without"),
    (["PowerPoint Document", "EncryptedSummary"], "is encrypted with a password"),
    (["Other"], "is a file of the old Office form without any text that sdtext recognises"),
])  # fmt: skip
def test_other_compound_files_are_refused_by_kind(path: Path, names: list[str], why: str) -> None:
    why_refused = refused(Compound(), path, compound_of({**dict.fromkeys(names, b""), **POOL}))
    assert why_refused.startswith(why)
    assert not any(item.recognises(Content(path)) for item in (Doc, Xls, Ppt))


@needs_antiword
def test_antiword_reads_a_word_file() -> None:
    (text,) = Doc(engine="antiword")(Content(LETTER))
    lines = [line for line in str(text).split("\n") if line]
    assert lines == [
        "Harbour Office", "Dear Ms Lund, the größere ship is 😀 here.", "Ship", "Quay",
        "A name that is quite long, so that it needs more than one line of a table that is narrow",
        "North", "It came late.",
    ]  # fmt: skip


@needs_antiword
def test_what_antiword_does_not_read_is_reported(path: Path) -> None:
    data = bytearray(LETTER.read_bytes())
    struct.pack_into("<3i", data, data.index(b"\xec\xa5") + 0x54, 40, 0, 9)
    path.write_bytes(data)
    *problems, _ = Doc(engine="antiword")(Content(path))
    kinds = [each.category for each in problems if isinstance(each, Problem)]
    assert kinds == ["partly-read", "partly-read"]


@needs_libreoffice
def test_libreoffice_reads_a_word_file_as_docx_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, scratch = tmp_path / "letter.doc", tmp_path / "scratch"
    place.write_bytes(LETTER.read_bytes())
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    heading, *texts = Doc(engine="libreoffice")(Content(place))
    assert heading == Heading(1, "Harbour Office")
    assert "".join(map(str, texts)).split()[:5] == ["Harbour", "Office", "Dear", "Ms", "Lund,"]
    assert "😀 here" in "".join(map(str, texts))
    assert not list(scratch.iterdir())
    assert sorted(item.name for item in tmp_path.iterdir()) == ["letter.doc", "scratch"]


@cases("reader, place, why", [
    (Doc, LETTER, "is an old Word file (DOC); install antiword or LibreOffice to read it"),
    (Xls, BERTHS, "is an old Excel workbook (XLS); install LibreOffice to read it, or save"),
    (Ppt, TALK, "is an old PowerPoint file (PPT); install LibreOffice to read it, or save"),
])  # fmt: skip
def test_without_a_program_the_message_names_one(
    monkeypatch: pytest.MonkeyPatch, reader: Callable[[], Doc | Xls | Ppt], place: Path, why: str
) -> None:
    monkeypatch.setattr(legacy_office, "program", lambda _: "")
    with pytest.raises(UnreadableError) as caught:
        list(reader()(Content(place)))
    assert str(caught.value).startswith(f"{place}: {why}")


def test_the_layout_of_tables_is_undone() -> None:
    width = 20
    rows = [["one two three four", "a"], ["five six", ""], ["seven", "b"], ["", "c d"]]
    lines = ["|" + "|".join(cell.ljust(width) for cell in row) + "|" for row in rows]
    result = legacy_office.cleaned("\n".join(["Text", *lines, "|no row", "|nor this|"])).split("\n")
    assert result[:3] == ["Text", "one two three four five six", "a"]
    assert result[3:] == ["seven", "b", "c d", "|no row", "|nor this|"]
