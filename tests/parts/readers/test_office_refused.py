"""Office files and books that are damaged, or made to do harm; archives that are none of them."""

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.registry import find
from tests.parts.readers.office import LETTER, entries, packed, paragraph, t
from tests.parts.readers.packages import (
    DOCUMENTS,
    book,
    gathered,
    joined_text,
    open_document,
    p,
    presentation,
    recognised,
    refused,
    row,
    shape,
    slide,
    workbook,
)
from tests.support.cases import cases
from tests.support.damaged_bytes import damaged

KINDS = {
    "letter.docx": "docx", "harbour.odt": "odt", "harbour.pptx": "pptx", "berths.xlsx": "xlsx",
    "harbour.epub": "epub",
}  # fmt: skip
SAMPLES = {
    "letter.docx": {
        **entries(paragraph(t("body")), {"header": paragraph(t("head"))}),
        "word/unread.bin": random.Random(0).randbytes(400).hex(),
    }
}
for _name in KINDS.keys() - SAMPLES:
    with ZipFile(DOCUMENTS / _name) as _archive:
        SAMPLES[_name] = {each: _archive.read(each).decode() for each in _archive.namelist()}
READERS: Mapping[str, Any] = {name: find("readers", kind)() for name, kind in KINDS.items()}
XML_PARTS = [
    (name, part)
    for name, parts in SAMPLES.items()
    for part in parts
    if part.endswith(("xml", "rels", "opf")) and part != "META-INF/manifest.xml"
]
each_kind = cases("name", KINDS)


@cases("name, part", XML_PARTS)
def test_damaged_xml_and_a_document_type_are_refused(path: Path, name: str, part: str) -> None:
    def why(text: str) -> str:
        return refused(READERS[name], path, packed({**SAMPLES[name], part: text}))

    text = SAMPLES[name][part]
    end = text.rindex("</")
    for bad in ("<x>", "&none;", "&#0;", "\x01", "</x>"):
        assert f"({part}: " in why(text[:end] + bad + text[end:])
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}<!ENTITY f SYSTEM "/etc/passwd">]>'
    text = re.sub(r"^(<\?xml.*?\?>)?\s*", lambda item: item[0] + doctype, text, count=1)
    text = re.sub(r">(\w[^<]+)<", r">\1&l11;&f;<", text)
    assert f"({part}: has a document type" in why(text)


def _deep(depth: int, tag: str, inside: str = "", *, closed: bool = True) -> str:
    return f"<{tag}>" * depth + inside + f"</{tag}>" * depth * closed


DEEP: Mapping[str, Callable[[str, bool], Mapping[str, str]]] = {
    "letter.docx": lambda tag, closed: entries(_deep(60_000, tag, "<w:p/>", closed=closed)),
    "harbour.odt": lambda tag, closed: open_document(_deep(30_000, tag, closed=closed)),
    "harbour.pptx": lambda tag, closed: presentation([slide(_deep(30_000, tag, closed=closed))]),
    "berths.xlsx": lambda tag, closed: workbook({"a": _deep(30_000, tag, closed=closed)}),
}
TAGS = {
    "letter.docx": ["w:tbl", "w:del", "w:p", "mc:AlternateContent", "w:t"],
    "harbour.odt": ["text:p", "text:span", "draw:frame", "text:note", "table:table", "draw:g"],
    "harbour.pptx": ["p:grpSp", "p:sp", "a:p", "a:t", "mc:AlternateContent"],
    "berths.xlsx": ["row", "c", "is", "rPh"],
}


@cases("name, tag", [(name, tag) for name in TAGS for tag in TAGS[name]])
@cases("closed", [True, False])
def test_depth_does_no_harm(path: Path, name: str, tag: str, closed: bool) -> None:
    parts = DEEP[name](tag, closed)
    assert "is a damaged " in refused(READERS[name], path, packed(parts, ZIP_STORED))


def test_the_depth_of_a_book_does_no_harm(path: Path) -> None:
    for inside in (_deep(60_000, "div", "deep"), _deep(60_000, "h1", "deep", closed=False)):
        parts = book({"a.xhtml": inside, "b.xhtml": "<p>end</p>"})
        path.write_bytes(packed(parts, ZIP_STORED))
        assert joined_text(gathered(READERS["harbour.epub"], path)) == "deep\nend\n"


def _big(name: str) -> Mapping[str, str]:
    text = "a" * 9_000_000
    return {
        "letter.docx": entries(paragraph(t(text))),
        "harbour.odt": open_document(p(text)),
        "harbour.pptx": presentation([slide(shape(text))]),
        "berths.xlsx": workbook({"a": row(text)}),
        "harbour.epub": book({"a.xhtml": text}),
    }[name]


@each_kind
def test_bombs_large_files_and_encrypted_ones_are_refused(path: Path, name: str) -> None:
    reader = READERS[name]
    why = refused(reader, path, packed(_big(name)))
    assert why.startswith("unpacks to over 200 times its size")
    data = packed(SAMPLES[name], ZIP_STORED)
    path.write_bytes(data)
    with pytest.raises(UnreadableError, match="holds more than 300 bytes"):
        list(reader(Content(path, 300)))
    path.write_bytes(re.sub(rb"(?s)(PK\x01\x02.{4})\x00", b"\\1\x01", data))
    with pytest.raises(UnreadableError, match="is encrypted with a password"):
        list(reader(Content(path)))


@each_kind
@cases("part", range(1, 20))
def test_a_file_cut_off_is_refused_by_its_beginning(path: Path, name: str, part: int) -> None:
    data = packed(SAMPLES[name])
    begun = data[: len(data) * part // 20]
    kinds = recognised(path, begun)
    # OpenDocument files and books begin with their type, the others with parts of any package.
    known = re.search(rb"opendocument\.text|epub\+zip|(word|ppt|xl)/(_rels/)?\w+\.xml", begun)
    assert kinds == ([KINDS[name]] if known else [])
    with pytest.raises(UnreadableError, match=f"is a damaged {READERS[name].called} "):
        list(READERS[name](Content(path)))


@each_kind
def test_without_its_main_part_a_file_is_damaged(path: Path, name: str) -> None:
    mains = (
        "content.xml", "styles.xml", "word/document.xml", "ppt/presentation.xml", "xl/workbook.xml",
        "OEBPS/book.opf",
    )  # fmt: skip
    parts = {part: text for part, text in SAMPLES[name].items() if part not in mains}
    why = refused(READERS[name], path, packed(parts))
    assert f"is a damaged {READERS[name].called} (" in why


@cases("name, parts, missing, text", [
    ("harbour.epub", book({"a": "<p>a</p>", "b": ""}), "OEBPS/b", "a\n"),
    ("harbour.pptx", presentation([slide(shape(it)) for it in "ab"]), "ppt/slides/slide2.xml",
     "b\n\f"),
    ("berths.xlsx", workbook({"One": row("a"), "Two": row("b")}), "xl/sheet2.xml", "b\n\f"),
])  # fmt: skip
def test_a_page_slide_or_sheet_that_is_missing_is_reported(
    path: Path, name: str, parts: Mapping[str, str], missing: str, text: str
) -> None:
    path.write_bytes(packed({part: inside for part, inside in parts.items() if part != missing}))
    *blocks, problem = gathered(READERS[name], path)
    assert joined_text(blocks) == text
    assert (problem.severity, problem.category) == ("warning", "partly-read")
    assert problem.message.startswith(f"{path}: 1 ")


OTHERS: Mapping[str, Mapping[str, str | bytes]] = {
    "documents": {
        "letter.docx": LETTER.read_bytes(),
        "b/harbour.odt": packed(SAMPLES["harbour.odt"]),
    },
    "folders": {"word/a.txt": "a", "ppt/b.docx": b"b", "xl/notes/c.txt": "c", "OEBPS/d.xhtml": "d"},
    "an office file unpacked in a folder": {
        f"copy/{part}": text for part, text in entries(paragraph(t("a"))).items()
    },
    "another package": {"[Content_Types].xml": "<Types/>", "_rels/.rels": "<R/>", "a.xml": "<a/>"},
    "a program": {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0", "A.class": b"\xca\xfe"},
    "its type": {"mimetype": "application/zip", "content.xml": "<a/>"},
    "nothing": {},
}


@cases("kind", OTHERS)
def test_other_archives_are_taken_for_none_of_them(path: Path, kind: str) -> None:
    data = packed(OTHERS[kind])
    assert recognised(path, data) == []
    assert recognised(path, data[:-10]) == []
    for reader in READERS.values():
        with pytest.raises(UnreadableError, match="is a damaged"):
            list(reader(Content(path)))


@each_kind
def test_damage_is_refused_or_whole(path: Path, name: str, rounds: Callable[[int], int]) -> None:
    chance, reader, data = random.Random(name), READERS[name], packed(SAMPLES[name])
    path.write_bytes(data)
    whole, number_read, messages = gathered(reader, path), 0, list[str]()
    for _ in range(rounds(1250)):
        path.write_bytes(damaged(data, chance))
        try:
            assert gathered(reader, path) == whole
            number_read += 1
        except UnreadableError as error:
            messages.append(str(error))
    assert all(re.fullmatch(rf"{re.escape(str(path))}: .{{,400}}", each) for each in messages)
    assert min(number_read, len(messages)) > 0
