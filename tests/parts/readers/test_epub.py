"""The text of EPUB books."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdtext.parts.readers.markup import Epub
from tests.parts.readers.office import packed
from tests.parts.readers.packages import (
    blocks_of,
    book,
    joined_text,
    page,
    recognised,
    refused,
    titles,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK

WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
NAMES = st.text("abcäß中 -", min_size=1, max_size=6).map(lambda name: f"{name.strip()}x.xhtml")


@BRISK
@given(pages=st.dictionaries(NAMES, WORD, min_size=1, max_size=5), data=st.data())
def test_pages_come_in_the_order_of_the_book(
    path: Path, pages: dict[str, str], data: st.DataObject
) -> None:
    order = data.draw(st.lists(st.sampled_from(sorted(pages)), unique=True, min_size=1))
    inside = {name: f"<h2>{name}</h2><p>{word}</p>" for name, word in pages.items()}
    result = blocks_of(Epub(), path, book(inside, order))
    shown = {name: " ".join(name.split()) for name in pages}
    assert titles(result) == [(2, shown[name]) for name in order]
    assert joined_text(result) == "".join(f"{shown[name]}\n{pages[name]}\n" for name in order)


def test_a_page_without_end_ends_before_the_next(path: Path) -> None:
    entries = book({"a.xhtml": "", "b.xhtml": "<p>b"})
    entries["OEBPS/a.xhtml"] = "<html><body><h1>The a"
    result = blocks_of(Epub(), path, entries)
    assert (titles(result), joined_text(result)) == ([(1, "The a")], "The a\nb\n")


@cases("encoding, declared", [
    ("utf-8", "utf-8"), ("utf-8", "UTF-16"), ("utf-8", "none-such"), ("utf-8-sig", "utf-8"),
    ("utf-16", "utf-16"), ("iso-8859-1", "ISO-8859-1"), ("gb18030", "gb18030"),
])  # fmt: skip
def test_pages_are_decoded_as_they_declare(path: Path, encoding: str, declared: str) -> None:
    word = "naïve" if encoding == "iso-8859-1" else "naïve 中"
    entries: dict[str, str | bytes] = dict(book({"a.xhtml": ""}))
    text = page(word).replace('encoding="utf-8"', f"encoding='{declared}'")
    entries["OEBPS/a.xhtml"] = text.encode(encoding)
    assert joined_text(blocks_of(Epub(), path, entries)) == word + "\n"
    entries["OEBPS/a.xhtml"] = b"<html><body>na\xffve"
    assert joined_text(blocks_of(Epub(), path, entries)) == "na\ufffdve\n"


def encryption(*names: str) -> str:
    references = "".join(f'<CipherReference URI="{name}"/>' for name in names)
    return f"<encryption xmlns='urn:x'><EncryptedData>{references}</EncryptedData></encryption>"


def test_a_protected_book_is_named_as_such(path: Path) -> None:
    entries = book({"a b.xhtml": "<p>a</p>", "c.xhtml": ""}, ["a b.xhtml"])
    entries["META-INF/encryption.xml"] = encryption("OEBPS/font.otf", "OEBPS/c.xhtml")
    assert joined_text(blocks_of(Epub(), path, entries)) == "a\n"
    entries["META-INF/encryption.xml"] = encryption("OEBPS/font.otf", "OEBPS/a%20b.xhtml")
    assert refused(Epub(), path, packed(entries)) == (
        "is protected against copying (DRM); get a copy without that from its source"
    )


def test_a_book_is_known_by_its_type_or_by_its_list(path: Path) -> None:
    entries = book({"a.xhtml": "<p>a</p>"})
    assert recognised(path, packed(entries)) == ["epub"]
    assert recognised(path, packed(dict(reversed(entries.items())))) == ["epub"]
    del entries["mimetype"]
    assert recognised(path, packed(entries)) == ["epub"]
    # Music and Korean documents have such a container, too.
    assert recognised(path, packed({**entries, "mimetype": "application/hwp+zip"})) == []
    container = "META-INF/container.xml"
    music = entries[container].replace("oebps-package", "vnd.recordare.musicxml")
    assert recognised(path, packed({**entries, container: music})) == []
