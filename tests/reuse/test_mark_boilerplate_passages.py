"""Text that stands in many documents: set apart, counted apart, one row each."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext import find_reuse
from sdtext.kernels.terms.document_words import DocumentWords, WordOffsets
from sdtext.model import Evidence, Passage, Similarity, Span
from sdtext.reports.reuse_report import record_of, rows_of, summary_of
from sdtext.reuse.mark_boilerplate_passages import (
    BOILERPLATE,
    Cut,
    SharedPassages,
    frequent_texts,
    mark_boilerplate,
    most_documents,
)
from tests.cli.planted import text
from tests.strategies import THOROUGH

WORDS = 12


def numbered(count: int) -> list[DocumentWords]:
    """Documents of twelve words, word i from 2 i to 2 i + 1."""
    row = [(str(place), 2 * place, 2 * place + 1) for place in range(WORDS)]
    offsets = WordOffsets.of([row] * count)
    return [offsets.document(place) for place in range(count)]


SPANS = st.tuples(st.integers(0, WORDS - 1), st.integers(1, 6)).map(
    lambda place: Span(2 * place[0], 2 * min(WORDS, sum(place)) - 1)
)
PASSAGES = st.lists(
    st.builds(
        lambda left, right, why: Passage(left, right, Similarity(1, 1), excluded=why),
        SPANS,
        SPANS,
        st.sampled_from(["", "", "", "quote"]),
    ),
    max_size=3,
)


@THOROUGH
@given(data=st.data(), count=st.integers(2, 6), most=st.integers(1, 4))
def test_what_is_marked_is_what_the_definition_says(
    data: st.DataObject, count: int, most: int
) -> None:
    words = numbered(count)
    shares = st.sampled_from([0.1, 0.1, 0.1, 0.9])
    pairs = [
        SharedPassages((0, left), (0, right), data.draw(PASSAGES), (data.draw(shares), 0.0))
        for left in range(count)
        for right in range(left + 1, count)
    ]
    uncut: Cut = lambda pair, passages, spans: passages  # noqa: ARG005, E731
    marked = dict(mark_boilerplate(pairs, lambda key: words[key[1]], (most, 0), uncut))
    version = list(range(count))
    for _ in range(count):
        for pair in pairs:
            if pair.shares[0] > 0.5:
                left, right = pair.left[1], pair.right[1]
                version[left] = version[right] = min(version[left], version[right])
    for place, pair in enumerate(pairs):
        expected = list(pair.passages)
        if version[pair.left[1]] != version[pair.right[1]]:
            expected = [
                plainly_marked(passage, pair, pairs, version, most) for passage in pair.passages
            ]
        actual = marked.get(place, list(pair.passages))
        assert sorted(actual, key=repr) == sorted(expected, key=repr)


def plainly_marked(
    passage: Passage,
    pair: SharedPassages,
    pairs: list[SharedPassages],
    version: list[int],
    most: int,
) -> Passage:
    """The passage, marked if more than half of its words on a side are in many documents."""
    for document, span in ((pair.left[1], passage.left), (pair.right[1], passage.right)):
        others = texts_with_words_of(document, pairs, version)
        words = words_of(span)
        frequent = sum(len(others[place]) >= most for place in words)
        if not passage.excluded and 2 * frequent > len(words):
            return Passage(passage.left, passage.right, Similarity(1, 1), excluded=BOILERPLATE)
    return passage


def texts_with_words_of(
    document: int, pairs: list[SharedPassages], version: list[int]
) -> dict[int, set[int]]:
    """For each word of a document, the other texts of which a passage has it."""
    texts: dict[int, set[int]] = {place: set() for place in range(WORDS)}
    for pair in pairs:
        for own, there, side in ((pair.left, pair.right, "left"), (pair.right, pair.left, "right")):
            if own[1] != document or version[there[1]] == version[document]:
                continue
            spans = [getattr(passage, side) for passage in pair.passages if not passage.excluded]
            for place in {place for span in spans for place in words_of(span)}:
                texts[place].add(version[there[1]])
    return texts


def words_of(span: Span) -> range:
    return range(span.start // 2, span.end // 2 + 1)


HEADING = text("heading", 0, 25)
QUOTED = text("quoted", 0, 60)


@pytest.fixture
def speeches(tmp_path: Path) -> list[Path]:
    """Eight texts with one heading, two of which quote a passage of each other."""
    paths = []
    for number in range(8):
        quoted = QUOTED if number < 2 else ""
        name = f"speech{'abcdefgh'[number]}"
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(f"{HEADING}\n\n{text(name, 0, 200)} {quoted} {text(name, 200)}\n")
    return paths


def test_a_heading_of_eight_texts_is_one_row_and_not_in_the_shares(speeches: list[Path]) -> None:
    evidence = find_reuse(speeches[0], speeches[1:])
    reasons = Counter(item.excluded for shared in evidence.shared for item in shared.passages)
    assert reasons == {"": 1, BOILERPLATE: 7}
    (coverage,) = evidence.coverage
    assert coverage.share == pytest.approx(60 / 385)
    assert coverage.boilerplate == pytest.approx(25 / 385)
    assert set(coverage.sources) == {1}
    quote, heading = rows_of(evidence)
    assert (quote["excluded"], quote["documents"]) == (None, None)
    assert Path(quote["right"]).name == "1.txt"
    assert (heading["right"], heading["excluded"], heading["documents"]) == (None, "boilerplate", 8)
    start, length = heading["left_offset"], heading["left_length"]
    assert speeches[0].read_text()[start : start + length] == HEADING
    every = list(rows_of(evidence, unfolded=True))
    assert sorted(row["documents"] or 0 for row in every) == [0, *[8] * 7]
    assert record_of(evidence)["coverage"][0]["boilerplate"] == coverage.boilerplate
    lines = summary_of(evidence)
    assert "; 6 % stand in many documents and do not count" in lines[0]
    assert "1 text in many documents, one row each; --all lists all rows" in lines


def test_what_three_texts_share_is_no_boilerplate(speeches: list[Path]) -> None:
    evidence = find_reuse(speeches[5], speeches[6:])
    assert not frequent_texts(evidence)
    assert evidence.coverage[0].boilerplate == 0


def test_versions_of_one_text_are_no_boilerplate(tmp_path: Path) -> None:
    draw = random.Random(4)
    words = text("version", 0, 400).split()
    paths = []
    for number in range(6):
        paths.append(tmp_path / f"{number}.txt")
        changed = [word if draw.random() > 0.05 else f"x{draw.random()}" for word in words]
        paths[-1].write_text(" ".join(changed))
    evidence = find_reuse(paths[0], paths[1:])
    assert not frequent_texts(evidence)
    assert evidence.coverage[0].share > 0.8


def test_one_in_a_hundred_documents_is_not_many() -> None:
    limits = [most_documents(count) for count in (2, 399, 400, 5000)]
    assert limits == [(3, 10), (3, 10), (4, 10), (50, 50)]


@pytest.mark.parametrize(("sources", "is_boilerplate"), [(9, False), (10, True)])
def test_a_paragraph_of_ten_texts_is_no_boilerplate(
    tmp_path: Path, sources: int, is_boilerplate: bool
) -> None:
    paths = []
    for number in range(sources + 1):
        paths.append(tmp_path / f"{number}.txt")
        own = text(f"own{'abcdefghijkl'[number]}", 0, 150)
        paths[-1].write_text(f"{own} {QUOTED}\n")
    evidence = find_reuse(paths[0], paths[1:])
    assert bool(frequent_texts(evidence)) is is_boilerplate
    share = 60 / 210
    (coverage,) = evidence.coverage
    shares = (0, share) if is_boilerplate else (share, 0)
    assert (coverage.share, coverage.boilerplate) == pytest.approx(shares)


def test_no_evidence_has_no_frequent_texts() -> None:
    assert frequent_texts(Evidence((), (), ())) == []
