"""Copies of documents: the documents that lend text to a copy, and copies in a file format."""

from __future__ import annotations

import pytest

from sdtext.model import PartSpec
from sdtext.reading.mangled_documents import DocumentCopies

TEXTS = ["\n".join(f"word{number}x{line} here" for line in range(9)) for number in range(13)]


@pytest.mark.parametrize(
    "mangler",
    [
        PartSpec.of("concatenate", documents=2),
        PartSpec("embed"),
        PartSpec.of("keep-lines", share=0.2),
        PartSpec.of("replace-words", share=0.5),
        PartSpec("template"),
    ],
)
def test_the_lenders_are_those_whose_text_is_in_the_copy(mangler: PartSpec) -> None:
    copies = DocumentCopies(mangler, TEXTS)
    for position in range(len(TEXTS)):
        copy = copies.of(position, seed=1)
        words = set(copy.document.text.split()) - {"here"}
        held = {place for place, text in enumerate(TEXTS) if words & {*text.split()}}
        assert held - {position} <= copy.lenders
        assert len(copy.lenders) <= 3  # a quarter of the others
        if mangler.name in {"concatenate", "embed"}:
            assert held - {position} == copy.lenders


def test_a_mangler_that_needs_no_others_has_no_lenders() -> None:
    assert DocumentCopies(PartSpec("shuffle"), TEXTS).of(3, seed=1).lenders == frozenset()


def test_a_copy_in_a_file_format_is_read_again() -> None:
    # Lines of a PDF of this mangler are wrapped and hyphenated as its pages are.
    copy = DocumentCopies(PartSpec.of("format", to="html"), ["Bees & owls\nhunt"]).of(0, seed=1)
    assert copy.document.text.split() == ["Bees", "&", "owls", "hunt"]
