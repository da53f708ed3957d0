"""Comparison of two fingerprints whose texts were extracted by different engines."""

from sdtext.model import Fingerprint
from sdtext.search.fingerprint_scores import other_engine


def _read_by(*libraries: tuple[str, str]) -> Fingerprint:
    return Fingerprint("bitvector", (), (), libraries=libraries)


PDFIUM = ("pypdfium2", "5.1.0")
MINER = ("pdfminer.six", "20251107")


def test_other_engines_for_one_format_are_reported() -> None:
    for left, right in (
        (PDFIUM, MINER),
        (PDFIUM, ("pypdfium2", "4.30.0")),
        (("LibreOffice", "7.4"), ("LibreOffice", "25.2")),
    ):
        problem = other_engine(_read_by(left), _read_by(right))
        assert problem is not None
        assert all(f"{name} {version}" in problem.message for name, version in (left, right))
    for others in ([], [PDFIUM], [("striprtf", "0.0.35")], [("antiword", "0.37")]):
        assert other_engine(_read_by(PDFIUM), _read_by(*others)) is None
