"""Word files that are damaged, or made to do harm: each is refused in one line."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.office_open_xml import Docx
from tests.parts.readers.office import LETTER, entries, joined, packed, paragraph, t, text_of


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One Word file, written anew for each example."""
    return tmp_path_factory.mktemp("docx") / "file.docx"


def unread(path: Path, data: bytes) -> str:
    """Why the file, which is recognised, is refused."""
    path.write_bytes(data)
    assert Docx.recognises(Content(path))
    with pytest.raises(UnreadableError) as caught:
        list(Docx()(Content(path)))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    return message


@pytest.mark.parametrize("part", ["_rels/.rels", "word/document.xml", "word/header.xml"])
def test_a_document_type_is_refused(path: Path, part: str) -> None:
    parts = entries(paragraph(t("body")), {"header": paragraph(t("head"))})
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}<!ENTITY f SYSTEM "/etc/passwd">]>'
    prolog, line, rest = parts[part].rpartition("?>\n")
    rest = rest.replace("<w:t>", "<w:t>&l11;&f;")
    assert "has a document type" in unread(
        path, packed({**parts, part: prolog + line + doctype + rest})
    )
    parts[part] = prolog + line + "<!DOCTYPE w>" + rest.replace("&l11;&f;", "")
    assert f"({part}: has a document type" in unread(path, packed(parts))


@pytest.mark.parametrize("bad", ["<w:r>", "&none;", "&#0;", "\x01", "</w:x>", "<w:t"])
def test_damaged_xml_is_refused(path: Path, bad: str) -> None:
    parts = entries(paragraph(t("body")))
    parts["word/document.xml"] = parts["word/document.xml"].replace("body", bad, 1)
    assert "is a damaged Word file (word/document.xml: " in unread(path, packed(parts))


@pytest.mark.parametrize("tags", ["<w:tbl>", "<w:del>", "<w:p>", "<mc:AlternateContent>", "<w:t>"])
@pytest.mark.parametrize("closed", [True, False])
def test_depth_does_no_harm(path: Path, tags: str, closed: bool) -> None:
    depth = 60_000
    inside = tags * depth + "<w:p/>" + tags.replace("<", "</") * depth * closed
    data = packed(entries(inside), ZIP_STORED)
    if closed:
        assert not text_of(path, data).strip()
    else:
        assert "is a damaged Word file" in unread(path, data)


def test_a_bomb_is_refused(path: Path) -> None:
    parts = entries(paragraph(t("a" * 9_000_000)))
    assert "unpacks to over 200 times its size" in unread(path, packed(parts))


@pytest.mark.parametrize("part", range(1, 20))
def test_a_file_that_breaks_off_is_refused_as_a_damaged_one(path: Path, part: int) -> None:
    data = LETTER.read_bytes()
    begun = data[: len(data) * part // 20]
    path.write_bytes(begun)
    with pytest.raises(UnreadableError, match="is a damaged Word file"):
        list(Docx()(Content(path)))
    assert Docx.recognises(Content(path)) is (b"word/document.xml" in begun)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The data with a few changes, most of them in the headers of the archive."""
    changed = bytearray(data)
    marks = [place for place in range(len(data)) if data.startswith(b"PK", place)]
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        place = chance.choice(
            [chance.choice(marks) + chance.randrange(48), chance.randrange(len(data))]
        )
        end = place + chance.randrange(1, 40)
        kind = chance.choice(["flip", "replace", "cut", "double", "extreme"])
        if kind == "flip":
            changed[place : place + 1] = bytes(
                byte ^ 1 << chance.randrange(8) for byte in changed[place : place + 1]
            )
        elif kind == "replace":
            changed[place : place + 4] = chance.randbytes(4)
        elif kind == "extreme":
            changed[place : place + 2] = chance.choice([b"\xff\xff", b"\x00\x00", b"\xff\x7f"])
        else:
            changed[place:end] = b"" if kind == "cut" else changed[place:end] * 2
    return bytes(changed)


def outcome(path: Path, data: bytes) -> str | UnreadableError:
    """The text of the file, or why it is refused."""
    path.write_bytes(data)
    try:
        return joined(Docx()(Content(path)))
    except UnreadableError as error:
        return error


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_file_is_refused_or_read_whole(
    path: Path, seed: int, rounds: Callable[[int], int]
) -> None:
    chance = random.Random(seed)
    data = LETTER.read_bytes()
    whole = text_of(path, data)
    for _ in range(rounds(2000)):
        result = outcome(path, mutated(data, chance))
        if isinstance(result, UnreadableError):
            assert str(result).startswith(f"{path}: ")
            assert str(result).isprintable()
        else:
            assert result == whole


def test_a_damaged_file_can_be_asked_for_its_kind(path: Path, rounds: Callable[[int], int]) -> None:
    chance = random.Random(7)
    data = LETTER.read_bytes()
    for _ in range(rounds(2000)):
        path.write_bytes(mutated(data, chance))
        assert Docx.recognises(Content(path)) in (True, False)


def test_damaged_parts_are_refused_or_read(path: Path, rounds: Callable[[int], int]) -> None:
    chance = random.Random(8)
    with ZipFile(LETTER) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rounds(2000)):
        name = chance.choice(list(parts))
        part = bytearray(parts[name])
        place = chance.randrange(len(part))
        part[place : place + chance.randrange(9)] = chance.choice([b"", b"<", b"&", b"\xff", b'">'])
        result = outcome(path, packed({**parts, name: bytes(part)}))
        if isinstance(result, UnreadableError):
            assert str(result).startswith(f"{path}: is a damaged Word file")
        else:
            assert result.isascii()  # as all of the letter is
