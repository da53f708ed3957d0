"""Copies of documents: the documents that lend text to a copy."""

from sdtext.model import PartSpec
from sdtext.reading.mangled_documents import DocumentCopies

TEXTS = ["\n".join(f"word{number}x{line} here" for line in range(9)) for number in range(13)]


def test_the_lenders_are_those_whose_text_is_in_the_copy() -> None:
    copies = DocumentCopies(PartSpec.of("keep-lines", share=0.2), TEXTS)
    for position in range(len(TEXTS)):
        copy, lenders = copies.of(position, seed=1)
        words = set(copy.split()) - {"here"}
        held = {place for place, text in enumerate(TEXTS) if words & {*text.split()}}
        assert held - {position} <= lenders
        assert len(lenders) <= 3  # a quarter of the others
