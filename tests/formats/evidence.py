"""Evidence of any kind, for properties, and as it is written."""

import io
from functools import partial
from importlib.resources import files
from itertools import accumulate

from hypothesis import strategies as st
from lxml import etree

from sdtext.formats.evidence_xml import EDITS, read_evidence, write_evidence
from sdtext.model import (
    Coverage,
    Edit,
    Evidence,
    Examined,
    Origin,
    Part,
    Passage,
    Problem,
    Shared,
    Similarity,
    Span,
    System,
    WordCounts,
)
from tests.support import dictionaries

SCHEMA = etree.RelaxNG(
    etree.fromstring(files("sdtext").joinpath("formats/schemas/evidence.rng").read_bytes())
)

ANY_TEXT = st.text(
    st.characters() | st.sampled_from("%u25dD80AfF\x00\x01\n\r\t\x85\ud800\udcff\udfff\uffff<&\"'"),
    max_size=12,
)
"""Texts as metadata and names may hold them: controls, half characters, what looks like escapes."""

_NUMBERS = st.integers(0, 10**9)
_SHARES = st.floats(0, 1)
_SCORES = st.integers(0, 99)
_METADATA = st.dictionaries(
    ANY_TEXT,
    ANY_TEXT
    | st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False),
    max_size=4,
)
_EXCLUDED = st.lists(st.builds(lambda start, end: Span(start, start + end), _NUMBERS, _NUMBERS))


@st.composite
def _examined(draw: st.DrawFn) -> Examined:
    """A document, with or without the words before some offsets."""
    steps = draw(st.lists(st.tuples(st.integers(1, 99), st.integers(0, 9)), max_size=3))
    offsets, words = (tuple(accumulate(column)) for column in zip((0, 0), *steps, strict=True))
    counts = draw(st.sampled_from([None, WordCounts(offsets, words)]))
    return Examined(
        draw(ANY_TEXT), words[-1] if counts else draw(_NUMBERS),
        draw(st.sampled_from([0, 1000, 10**6])), draw(st.sampled_from(["", "00ff" * 8])),
        draw(st.integers(0, 9)), draw(_METADATA), excluded=tuple(draw(_EXCLUDED)),
        word_counts=counts,
    )  # fmt: skip


_PROBLEMS = st.builds(
    Problem, st.sampled_from(["warning", "error"]), st.sampled_from(["unreadable", "partly-read"]),
    ANY_TEXT, ANY_TEXT,
)  # fmt: skip

_WORDS = st.sampled_from(["", "Linux", "a&b <c>", "5 %41"])
_ORIGINS = st.builds(
    Origin,
    st.sampled_from(["", "8b1c5a52-35e0-4f0e-a6d5-5d1a4f2f9a10"]),
    st.sampled_from(["", "2026-11-22T15:30:00Z"]),
    st.none() | st.builds(System, _WORDS, _WORDS, _WORDS, _WORDS),
)

_WHOLE = Span(0, 1000)


@st.composite
def _spans(draw: st.DrawFn, within: Span = _WHOLE) -> Span:
    start, end = sorted(draw(st.tuples(*2 * [st.integers(within.start, within.end)])))
    return Span(start, end)


@st.composite
def _passages(draw: st.DrawFn) -> Passage:
    left, right = draw(_spans()), draw(_spans())
    top, more = draw(_NUMBERS), draw(st.integers(1, 100))
    edits = st.builds(Edit, st.sampled_from(EDITS), _spans(left), _spans(right))
    return Passage(
        left, right, Similarity(top, top + more, draw(st.booleans())), draw(_NUMBERS),
        draw(st.tuples(_NUMBERS, _NUMBERS)), tuple(draw(st.lists(edits, max_size=2))),
        draw(ANY_TEXT), draw(st.none() | st.integers(0, 99)),
        (draw(_gaps(left)), draw(_gaps(right))),
    )  # fmt: skip


@st.composite
def _gaps(draw: st.DrawFn, within: Span) -> tuple[Span, ...]:
    """Spans in a span, in order, none of which overlap."""
    ends = sorted(draw(st.lists(st.integers(within.start, within.end), max_size=6)))
    return tuple(map(Span, ends[::2], ends[1::2]))


_PARTS = st.builds(
    Part,
    st.builds(lambda span, title: Span(span.start, span.end, title), _spans(), ANY_TEXT),
    _NUMBERS,
    _SHARES,
)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    documents = draw(st.lists(_examined(), min_size=1, max_size=3))
    places = st.integers(0, len(documents) - 1)
    shared = st.builds(
        Shared, places, places, st.lists(_passages(), max_size=3).map(tuple), _SHARES, _SHARES,
        st.dictionaries(st.sampled_from(["title", "applicant"]), _SCORES),
    )  # fmt: skip
    coverage = st.builds(
        Coverage, places, _SHARES, st.dictionaries(places, _SHARES),
        st.lists(_PARTS, max_size=2).map(tuple), _SHARES,
    )  # fmt: skip
    return Evidence(
        tuple(documents), tuple(draw(st.lists(shared, max_size=3))),
        tuple(draw(st.lists(coverage, max_size=2))),
        draw(st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=2)), draw(ANY_TEXT),
        tuple(draw(st.lists(_PROBLEMS, max_size=2))), draw(_ORIGINS),
    )  # fmt: skip


def example() -> Evidence:
    passage = Passage(
        Span(10, 40), Span(5, 36), Similarity(6, 7), 6, (7, 6),
        (Edit("replace", Span(20, 25), Span(15, 18)), Edit("insert", Span(30, 30), Span(26, 29))),
        verbatim=70, gaps=((Span(12, 16), Span(18, 19)), (Span(29, 33),)),
    )  # fmt: skip
    quoted = Passage(Span(50, 90), Span(60, 99), Similarity(1, 4, root=True), excluded="quote")
    return Evidence(
        (
            Examined(
                "A.docx",
                60,
                400,
                "00ff" * 8,
                2,
                {"title": "Bees", "year": 2019},
                excluded=(Span(50, 90),),
                word_counts=WordCounts(
                    (0, 10, 12, 16, 29, 33, 40, 50, 90, 200, 400),
                    (0, 2, 2, 3, 5, 6, 7, 9, 15, 30, 60),
                ),
            ),
            Examined("b.pdf", 90, 500, "11ee" * 8),
            Examined("c.txt", 5),
        ),
        (
            Shared(0, 1, (passage, quoted), 0.25, 0.125, {"title": 80, "applicant": 45}),
            Shared(0, 2, (), 0.0, 0.0, {"title": 99}),
        ),
        (
            Coverage(0, 0.25, {1: 0.25}, (Part(Span(0, 200, "Spring"), 30, 0.5),)),
            Coverage(2, 0.0, {}),
        ),
        {"method": "windows", "w": "30"},
        "windows of 30 terms, of which at most 15 differ",
        (Problem("error", "unreadable", "d.pdf: is a scan", "d.pdf"),),
    )


written = partial(dictionaries.written, write_evidence)


def read(data: bytes) -> Evidence:
    return read_evidence(io.BytesIO(data), "e.xml")
