"""Comparison of two fingerprints whose texts were extracted by different engines."""

import pytest

from sdtext.model import Fingerprint
from sdtext.search.fingerprint_scores import other_engine


def _read_by(*libraries: tuple[str, str]) -> Fingerprint:
    return Fingerprint("bitvector", (), (), libraries=libraries)


PDFIUM = ("pypdfium2", "5.1.0")
MINER = ("pdfminer.six", "20251107")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([PDFIUM], [MINER]),
        ([PDFIUM], [("pypdfium2", "4.30.0")]),
        ([("LibreOffice", "7.4")], [("LibreOffice", "25.2")]),
    ],
)
def test_other_engines_for_one_format_are_reported(
    left: list[tuple[str, str]], right: list[tuple[str, str]]
) -> None:
    problem = other_engine(_read_by(*left), _read_by(*right))
    assert problem is not None
    assert all(f"{name} {version}" in problem.message for name, version in [*left, *right])


@pytest.mark.parametrize("right", [[], [PDFIUM], [("striprtf", "0.0.35")], [("antiword", "0.37")]])
def test_the_readers_of_other_formats_are_no_cause_for_a_caution(
    right: list[tuple[str, str]],
) -> None:
    assert other_engine(_read_by(PDFIUM), _read_by(*right)) is None
