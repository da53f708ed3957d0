"""Dictionaries with all that a file of one may hold, and fingerprints of terms."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any

from hypothesis import strategies as st

from sdtext.model import Fingerprint, Origin, PartSpec, RecipeSpec, System
from sdtext.model.calibration import Calibration, SizeClass
from sdtext.model.dictionary import Dictionary
from sdtext.parts.fingerprints.bitvector_and_shingles import BitVector
from sdtext.text.normal_form import clean

LABELS = st.text(max_size=8).filter(str.isprintable)


TERMS = st.text(min_size=1, max_size=8).filter(lambda text: clean(text) == text.strip() == text)


RECIPE = RecipeSpec(
    PartSpec("words"),
    (PartSpec.of("min-length", length=2), PartSpec.of("stop-words", words=("3", "a", "true"))),
)


ORIGIN = Origin(
    "0b5e2f3c-0000-4000-8000-000000000000", "2026-01-02T03:04:05Z", System("Linux", "6", "h", "x")
)


@st.composite
def dictionaries(draw: st.DrawFn) -> Dictionary:
    counts = draw(st.dictionaries(TERMS, st.integers(1, 50), min_size=1, max_size=30))
    result = replace(
        Dictionary.of({**counts, "rare": 1}, 50, RECIPE),
        name=draw(LABELS),
        origin=ORIGIN,
        libraries=(("Unicode", "15.0.0"), ("PyStemmer", "3.1.0")),
    )
    result = result.trim(-1, 1, origin=ORIGIN) if draw(st.booleans()) else result
    return result.with_calibrations(draw(st.lists(calibrations(), max_size=2)))


@st.composite
def calibrations(draw: st.DrawFn) -> Calibration:
    histograms = st.sampled_from([(0,) * 100, (*range(50), *[0] * 50), (*[0] * 99, 10**6)])
    classes = [
        SizeClass(least, most, draw(histograms), draw(histograms), draw(histograms), excerpts)
        for least, most, excerpts in ((8, 31, True), (32, None, False))
    ]
    matcher = draw(st.sampled_from(["cosine", "idf-cosine(power=2)"]))
    edits = ("keep-lines(share=0.2)", "reflow")[: draw(st.integers(0, 2))]
    made = Calibration(matcher, "2026-01-02T03:04:05Z", 400, 3, edits, tuple(classes))
    return replace(made, bundled=draw(st.booleans()))


def fingerprint_of(
    terms: Iterable[Iterable[str]], dictionaries: Sequence[Dictionary]
) -> Fingerprint:
    """The fingerprint of a document that has these terms, for each dictionary its own."""
    vectors = (BitVector()(*pair) for pair in zip(terms, dictionaries, strict=True))
    return Fingerprint(
        "bitvector", tuple(vectors), tuple(dictionary.reference() for dictionary in dictionaries)
    )


def written(write: Callable[..., None], *contents: Any) -> bytes:
    """What a function that is given an open file and these contents writes to it."""
    file = BytesIO()
    write(file, *contents)
    return file.getvalue()
