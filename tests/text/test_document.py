"""A text in memory becomes a document."""

from __future__ import annotations

from typing import Any

from hypothesis import given

import sdtext
from tests.support.strategies import BRISK, TEXTS


def test_a_document_of_a_text_is_what_reading_its_file_gives(tmp_path: Any) -> None:
    text = "Cafe\u0301 \u0441\u043e\u043ap\u00ada\u200bss\r\nend"
    (tmp_path / "a.txt").write_bytes(text.encode())
    read, document = sdtext.read(tmp_path / "a.txt"), sdtext.Document.of(text, name="a")
    assert (document.text, document.clean) == (read.text, read.clean)
    assert document.source == "a"
    assert [problem.category for problem in document.problems] == [
        problem.category for problem in read.problems
    ]


@BRISK
@given(text=TEXTS)
def test_without_offsets_the_document_is_the_same(text: str) -> None:
    document, other = sdtext.Document.of(text, "a"), sdtext.Document.of(text, "a", offsets=False)
    assert (other.text, other.clean, other.source) == (text, document.clean, "a")
    assert other.problems == document.problems
