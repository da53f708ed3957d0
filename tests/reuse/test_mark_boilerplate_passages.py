"""Text that stands in many documents: set apart, counted apart, one row each."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext import find_reuse
from sdtext.kernels.terms.document_words import DocumentWords, WordOffsets
from sdtext.model import Passage, Similarity, Span
from sdtext.reports.reuse_report import passage_rows, record_of, summary_of
from sdtext.reuse.mark_boilerplate_passages import (
    BOILERPLATE,
    Cut,
    SharedPassages,
    frequent_texts,
    mark_boilerplate,
)
from tests.support.planted import text

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


@given(data=st.data(), count=st.integers(2, 6), most=st.integers(1, 4))
def test_what_is_marked_is_what_the_definition_says(
    data: st.DataObject, count: int, most: int
) -> None:
    words = numbered(count)
    shares = st.sampled_from([0.1, 0.1, 0.1, 0.9])
    pairs = [
        SharedPassages(((0, left), (0, right)), data.draw(PASSAGES), (data.draw(shares), 0.0))
        for left in range(count)
        for right in range(left + 1, count)
    ]
    uncut: Cut = lambda pair, passages, spans: passages  # noqa: ARG005, E731
    marked = dict(mark_boilerplate(pairs, lambda key: words[key[1]], (most, 0), uncut))
    plain = PlainBoilerplate(pairs, count, most)
    for place, pair in enumerate(pairs):
        expected = [plain.marked(pair, passage) for passage in pair.passages]
        actual = marked.get(place, list(pair.passages))
        assert sorted(actual, key=repr) == sorted(expected, key=repr)


class PlainBoilerplate:
    """The definition, word by word: boilerplate and versions, until neither changes."""

    def __init__(self, pairs: list[SharedPassages], count: int, most: int) -> None:
        self.versions = [pair for pair in pairs if max(pair.shares) > 0.5]
        while True:
            self.words = {
                (document, word)
                for document in range(count)
                for word, texts in self.texts_with(document, pairs).items()
                if len(texts) >= most
            }
            remaining = [pair for pair in self.versions if self.are_versions(pair)]
            if remaining == self.versions:
                break
            self.versions = remaining

    def representatives(self) -> dict[int, int]:
        """Of each document, the first of its versions that stand for themselves, or itself."""
        links: dict[int, set[int]] = {}
        for pair in self.versions:
            for own, other in (sides_of(pair), sides_of(pair)[::-1]):
                links.setdefault(own, set()).add(other)
        standing: dict[int, int] = {}
        for place in sorted(links, key=lambda place: (len(links[place]), place)):
            known = [other for other in links[place] if standing.get(other) == other]
            standing[place] = min(known, default=place)
        return standing

    def texts_with(self, document: int, pairs: list[SharedPassages]) -> dict[int, set[int]]:
        """For each word, the texts that share it with the document, but for its own versions."""
        standing = self.representatives()
        texts: dict[int, set[int]] = {word: set() for word in range(WORDS)}
        for pair in pairs:
            sides = sides_of(pair)
            if document in sides and pair not in self.versions:
                side = sides.index(document)
                other = standing.get(sides[1 - side], sides[1 - side])
                for passage in filter(counts, pair.passages):
                    for word in words_of(spans_of(passage)[side]):
                        texts[word] |= {other} - {standing.get(document, document)}
        return texts

    def are_versions(self, pair: SharedPassages) -> bool:
        counting = [item for item in pair.passages if counts(self.marked(pair, item))]
        for side, document in enumerate(sides_of(pair)):
            own = {word for word in range(WORDS) if (document, word) not in self.words}
            shared = {word for item in counting for word in words_of(spans_of(item)[side])}
            if 2 * len(own & shared) > len(own):
                return True
        return not self.words & {(place, word) for place in sides_of(pair) for word in range(WORDS)}

    def marked(self, pair: SharedPassages, passage: Passage) -> Passage:
        """The passage, marked if more than half of its words on a side are boilerplate."""
        for document, span in zip(sides_of(pair), spans_of(passage), strict=True):
            words = words_of(span)
            frequent = sum((document, place) in self.words for place in words)
            if counts(passage) and 2 * frequent > len(words):
                return replace(passage, excluded=BOILERPLATE)
        return passage


def sides_of(pair: SharedPassages) -> tuple[int, int]:
    return pair.keys[0][1], pair.keys[1][1]


def spans_of(passage: Passage) -> tuple[Span, Span]:
    return passage.left, passage.right


def counts(passage: Passage) -> bool:
    return not passage.excluded


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
    quote, heading = passage_rows(evidence)
    assert (quote["excluded"], quote["documents"]) == (None, None)
    assert Path(quote["right"]).name == "1.txt"
    assert (heading["right"], heading["excluded"], heading["documents"]) == (None, "boilerplate", 8)
    start, length = heading["left_offset"], heading["left_length"]
    assert speeches[0].read_text()[start : start + length] == HEADING
    every = list(passage_rows(evidence, unfolded=True))
    assert sorted(row["documents"] or 0 for row in every) == [0, *[8] * 7]
    assert record_of(evidence)["coverage"][0]["boilerplate"] == coverage.boilerplate
    lines = summary_of(evidence)
    assert "; another 6 % stand in many documents and do not count" in lines[0]
    assert "1 text in many documents, one row each; --all lists all rows" in lines


def drafts(count: int, name: str, folder: Path) -> list[Path]:
    """Files of 400 words, each a twentieth of which is its own."""
    draw = random.Random(count)
    words = text(name, 0, 400).split()
    paths = []
    for number in range(count):
        paths.append(folder / f"{name}{number}.txt")
        changed = [word if draw.random() > 0.05 else f"x{draw.random()}" for word in words]
        paths[-1].write_text(" ".join(changed))
    return paths


def test_text_that_all_repeat_counts_nowhere_and_copies_do(tmp_path: Path) -> None:
    assignment = text("assignment", 0, 90)
    copied = [text("copied", 0, 300), text("elsewhere", 0, 60)]
    essays = [text(f"essay{'abcdefghijklmnop'[number]}", 0, 300) for number in range(16)]
    essays[14:] = [text("shortest", 0, 40), text("shorter", 0, 60)]
    essays[:4] = [copied[0], copied[0], f"{essays[2]} {copied[1]}", f"{copied[1]} {essays[3]}"]
    for number, essay in enumerate(essays):
        (tmp_path / f"{number:02}.txt").write_text(f"{assignment}\n\n{essay}\n")
    evidence = find_reuse(tmp_path)
    names = [Path(document.name).name for document in evidence.documents]
    counting = {
        (names[shared.left], names[shared.right]): (shared.left_share, shared.right_share)
        for shared in evidence.shared
        if any(not passage.excluded for passage in shared.passages)
    }
    assert counting == {
        ("00.txt", "01.txt"): pytest.approx((300 / 390, 300 / 390)),
        ("02.txt", "03.txt"): pytest.approx((60 / 450, 60 / 450)),
    }
    shares = {coverage.share + coverage.boilerplate for coverage in evidence.coverage}
    assert min(shares) == pytest.approx(90 / 390)
    (text_of_all,) = frequent_texts(evidence)
    assert text_of_all.documents == 16


def test_many_drafts_of_one_text_count(tmp_path: Path) -> None:
    paths = drafts(14, "draft", tmp_path)
    evidence = find_reuse(tmp_path)
    assert not frequent_texts(evidence)
    assert min(coverage.share for coverage in evidence.coverage) > 0.8
    quoting = tmp_path / "a.txt"
    quoting.write_text(text("own", 0, 300) + " " + " ".join(paths[0].read_text().split()[:100]))
    evidence = find_reuse(tmp_path)
    assert not frequent_texts(evidence)
    assert evidence.coverage[0].share == pytest.approx(100 / 400)


@pytest.mark.parametrize(
    ("sources", "is_boilerplate", "place"),
    [(9, False, 75), (10, True, 75), (2, False, 150), (3, True, 150), (3, True, 0)],
)
def test_a_paragraph_of_ten_texts_and_a_footer_of_three_are_no_boilerplate(
    tmp_path: Path, sources: int, is_boilerplate: bool, place: int
) -> None:
    paths = []
    for number in range(sources + 1):
        paths.append(tmp_path / f"{number}.txt")
        own = text(f"own{'abcdefghijkl'[number]}", 0, 150).split()
        paths[-1].write_text(" ".join([*own[:place], QUOTED, *own[place:]]))
    evidence = find_reuse(paths[0], paths[1:])
    assert bool(frequent_texts(evidence)) is is_boilerplate
    share = 60 / 210
    (coverage,) = evidence.coverage
    shares = (0, share) if is_boilerplate else (share, 0)
    assert (coverage.share, coverage.boilerplate) == pytest.approx(shares)
