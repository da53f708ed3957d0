"""Where pages begin in OpenDocument texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sdtext.parts.readers.opendocument import Odt
from tests.parts.readers.packages import blocks_at, blocks_of, flat, joined_text, open_document, p
from tests.parts.readers.paging import (
    FORMAT,
    OWN,
    SOFT,
    STYLES,
    section,
    styled,
    table,
    with_styles,
)


def text_in_flat(path: Path, body: str) -> str:
    path.write_text(with_styles(flat(body)), "utf-8")
    return joined_text(blocks_at(Odt(), path))


def text_in_zip(path: Path, body: str) -> str:
    """The same of a zipped file, whose named styles stand in another part."""
    parts = open_document(body)
    begin = "<office:body>"
    parts["content.xml"] = parts["content.xml"].replace(
        begin, section("automatic-styles", OWN) + begin
    )
    masters = "<office:master-styles>"
    # What a part has for headers has nothing to do with what is called the same in the body.
    others = section("automatic-styles", OWN.replace('name="P2"', 'name="P9"'))
    parts["styles.xml"] = parts["styles.xml"].replace(
        masters, section("styles", STYLES) + others + masters
    )
    for name in ("content.xml", "styles.xml"):
        parts[name] = parts[name].replace(" xmlns:office", f" {FORMAT} xmlns:office", 1)
    return joined_text(blocks_of(Odt(), path, parts))


NOTE = f"<text:note><text:note-body>{styled('P1', SOFT, 'note')}</text:note-body></text:note>"
BOX = f"<draw:frame><draw:text-box>{styled('P1', SOFT, 'box')}</draw:text-box></draw:frame>"


@pytest.mark.parametrize("text_in", [text_in_flat, text_in_zip])
@pytest.mark.parametrize(
    ("body", "text"),
    [
        (styled("P1", "a") + styled("P1", "b"), "a\n\fb\n"),
        (p("a") + styled("Chapter", "b", tag="h"), "a\n\fb\n"),
        (p("a") + styled("Unknown", "b") + styled("P4", "c") + styled("S1", "d"), "a\nb\nc\nd\n"),
        (p("a") + styled("P2", "b") + p("c"), "a\nb\n\fc\n"),
        (p("a") + styled("P2", "b") + styled("P1", "c"), "a\nb\n\fc\n"),
        (p("a") + styled("P2", "b") + styled("P2", "c"), "a\nb\n\fc\n"),
        (p("a") + styled("P5", "b") + p("c"), "a\nb\nc\n"),
        (p("a") + styled("P6", "b") + p("c"), "a\nb\n\fc\n"),
        (p("a") + styled("P7", "b") + p("c"), "a\n\fb\n\fc\n"),
        (p("a") + styled("P9", "b") + p("c"), "a\nb\nc\n"),
        (p("a") + styled("P2", "b"), "a\nb\n"),
        (p("a") + styled("Wide", "b") + styled("P3", "c"), "a\n\fb\nc\n"),
        (p("a") + table(p("b"), style="T1"), "a\n\fb\n"),
        (p("a") + table(p("b"), style="T2") + p("c") + p("d"), "a\nb\n\fc\nd\n"),
        (table(p("a"), style="T1") + table(p("b"), style="T1"), "a\n\fb\n"),
        (p("a") + table(styled("P1", "b"), styled("P1", "c")) + p("d"), "a\nb\nc\nd\n"),
        (p() + styled("P1", "b"), "\n\fb\n"),
        (p("a") + styled("P1") + styled("P1", "b"), "a\n\f\n\fb\n"),
        (p("a") + SOFT + styled("P1", "b"), "a\n\fb\n"),
        (p("a") + styled("P1", SOFT, "b"), "a\n\fb\n"),
        (SOFT + p(SOFT, "a") + p("b", SOFT, "c") + styled("P1", "d"), "a\nbc\n\f\fd\n"),
        (p("a") + SOFT + p(SOFT, "b"), "a\n\f\fb\n"),
        (p("a", NOTE, SOFT, "b") + p("c"), "ab\nnote\n\fc\n"),
        (p("a", BOX) + BOX + p("c"), "a\nbox\nbox\nc\n"),
        (p("a ", SOFT, " b") + p("c"), "a b\n\fc\n"),
        (p("a") + table(p("b", SOFT, "b"), p("c", SOFT, "c", SOFT)), "a\nbb\n\fcc\n\f"),
        (table(p("a")) + SOFT + table(p(SOFT, "b"), p(SOFT, "c")), "a\n\f\fb\nc\n"),
        (p("a") + f"<text:section>{styled('P1', 'b')}</text:section>", "a\n\fb\n"),
    ],
)
def test_open_documents_begin_pages(
    path: Path, text_in: Callable[[Path, str], str], body: str, text: str
) -> None:
    assert text_in(path, body) == text
