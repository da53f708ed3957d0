"""Fingerprints of terms, without documents."""

from collections.abc import Iterable, Sequence

from sdtext.model import Fingerprint
from sdtext.model.dictionary import Dictionary
from sdtext.parts.fingerprints.bitvector_and_shingles import BitVector


def fingerprint_of(
    terms: Iterable[Iterable[str]], dictionaries: Sequence[Dictionary]
) -> Fingerprint:
    """The fingerprint of a document that has these terms, for each dictionary its own."""
    vectors = (BitVector()(*pair) for pair in zip(terms, dictionaries, strict=True))
    return Fingerprint(
        "bitvector", tuple(vectors), tuple(dictionary.reference() for dictionary in dictionaries)
    )
