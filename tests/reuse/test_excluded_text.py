"""What counts of a passage: excluded text, verbatim words, gaps; against sets of places."""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import ne
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext import find_reuse
from sdtext.kernels.terms.document_words import LEFT_OUT, DocumentWords, WordOffsets
from sdtext.model import Part, Passage, Similarity, Span
from sdtext.parts.aligners.window_passages import WindowPassages
from sdtext.reuse.coverage import parts_of, share_of_document, words_in
from sdtext.reuse.excluded_text import LONGEST_INSIDE, Exclusions, cut_at_excluded, mark_excluded
from sdtext.reuse.window_finder import WindowFinder
from sdtext.text.document import Document
from tests.reuse.word_documents import placed
from tests.support.strategies import BRISK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
from typing import TYPE_CHECKING

from sdtext.reuse.verbatim_and_gaps import Range, describe, gaps_between, verbatim_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


SPANS = st.lists(
    st.tuples(st.integers(0, 70), st.integers(0, 30)).map(lambda row: Span(row[0], sum(row))),
    max_size=5,
)


NOWHERE = Span(0, 0)


def document(words: int) -> DocumentWords:
    """A document of so many words, one at every third place; every second is no term."""
    rows = [
        (f"{LEFT_OUT if place % 2 else ''}w{place}", 3 * place, 3 * place + 2)
        for place in range(words)
    ]
    return WordOffsets.of([rows]).document(0)


def places_in(worded: DocumentWords, spans: Sequence[Span]) -> set[int]:
    """The places of words that begin in any of the spans."""
    starts = enumerate(worded.starts.tolist())
    return {place for place, at in starts if any(span.start <= at < span.end for span in spans)}


def passage(left: Span, right: Span = NOWHERE, excluded: str = "") -> Passage:
    return Passage(left, right, Similarity(1, 1), excluded=excluded)


@given(words=st.integers(0, 25), spans=SPANS, without=SPANS)
def test_a_share_counts_each_word_once_and_no_excluded_words(
    words: int, spans: list[Span], without: list[Span]
) -> None:
    worded = document(words)
    inside = places_in(worded, spans)
    assert words_in(worded.starts, spans).nonzero()[0].tolist() == sorted(inside)
    expected = len(inside - places_in(worded, without)) / words if words else 0.0
    assert share_of_document(worded, spans, without) == expected


@given(words=st.integers(0, 25), chapters=SPANS, spans=SPANS, without=SPANS)
def test_the_share_of_a_chapter_is_that_of_its_own_words(
    words: int, chapters: list[Span], spans: list[Span], without: list[Span]
) -> None:
    worded = document(words)
    actual = places_in(worded, spans) - places_in(worded, without)
    expected = []
    for chapter in chapters:
        own = places_in(worded, [chapter])
        expected.append(Part(chapter, len(own), len(actual & own) / len(own) if own else 0.0))
    assert parts_of(worded, chapters, spans, without) == expected


def reason_of(passages: list[Passage], left: Exclusions, right: Exclusions) -> list[str]:
    worded = document(20)
    return [item.excluded for item in mark_excluded(passages, (left, right), (worded, worded))]


@pytest.mark.parametrize(
    ("end", "expected"), [(12, ""), (13, "quote"), (15, "quote"), (99, "quote")]
)
def test_a_passage_is_excluded_if_more_than_half_of_a_side_is(end: int, expected: str) -> None:
    first, other = passage(Span(0, 24), Span(30, 54)), passage(Span(30, 54), Span(0, 24))
    quotes = [("quote", Span(0, 3)), ("quote", Span(3, end))]
    assert reason_of([first, other], quotes, []) == [expected, "" if end < 99 else "quote"]
    assert reason_of([first, other], [], quotes) == ["" if end < 99 else "quote", expected]


def test_the_reason_with_the_largest_share_wins_then_the_first() -> None:
    whole = [passage(Span(0, 30), Span(0, 30))]
    most, more = Span(0, 24), Span(0, 18)
    assert reason_of(whole, [("quote", more), ("references", most)], []) == ["references"]
    assert reason_of(whole, [("form.txt", more)], [("quote", more)]) == ["form.txt"]
    assert reason_of(whole, [("quote", Span(0, 15)), ("references", Span(15, 30))], []) == [""]
    assert reason_of([passage(Span(0, 30), excluded="form.txt")], [("quote", most)], []) == [
        "form.txt"
    ]


SHORTEST = 5
FINDER = WindowFinder(10, 5, WindowPassages(shortest=SHORTEST))
RUNS = st.lists(st.tuples(st.integers(1, 40), st.booleans()), max_size=6)


def flags(runs: Sequence[tuple[int, bool]], length: int) -> list[bool]:
    """Whether each word is excluded, from the lengths of runs; the rest is not."""
    row = [flag for count, flag in runs for _ in range(count)]
    return (row + [False] * length)[:length]


def spans(worded: DocumentWords, is_excluded: Sequence[bool]) -> list[Span]:
    starts, ends = worded.starts.tolist(), worded.ends.tolist()
    return [
        Span(start, end) for start, end, out in zip(starts, ends, is_excluded, strict=True) if out
    ]


def parts(is_excluded: Sequence[bool]) -> list[int]:
    """The number of the part of each word: a short excluded run inside starts no new one."""
    runs = [(flag, len(list(words))) for flag, words in groupby(is_excluded)]
    numbers, number, before = list[int](), 0, runs[0][0]
    for place, (flag, length) in enumerate(runs):
        stays = flag and length <= LONGEST_INSIDE and 0 < place < len(runs) - 1
        number += (flag and not stays) != before
        before = flag and not stays
        numbers += [number] * length
    return numbers


def indices(worded: DocumentWords, span: Span) -> range:
    first, last = np.searchsorted(worded.starts, (span.start, span.end)).tolist()
    return range(first, last)


@BRISK
@given(length=st.integers(SHORTEST, 90), runs=st.tuples(RUNS, RUNS), data=st.data())
def test_the_pieces_of_a_copy_are_its_parts_that_are_long_enough(
    length: int, runs: tuple[list[tuple[int, bool]], list[tuple[int, bool]]], data: st.DataObject
) -> None:
    copied = [f"w{place}" if place % 3 else f"W{place}" for place in range(length)]
    before = data.draw(st.integers(0, 5))
    texts = placed([[*copied, "end"], [*(f"x{place}" for place in range(before)), *copied]])
    words = texts.document(0), texts.document(1)
    out = flags(runs[0], length), flags(runs[1], length)
    excluded = (spans(words[0], [*out[0], False]), spans(words[1], [*[False] * before, *out[1]]))
    terms = sum(word.islower() for word in copied)
    whole = WindowPassages(shortest=1)(np.array([[0, terms, before, before + terms]]), *words, 10)
    assert [indices(words[0], item.left) for item in whole] == [range(length)]
    pieces = cut_at_excluded(whole, excluded, words, FINDER)
    keys = list(zip(parts(out[0]), parts(out[1]), strict=True))
    if len(set(keys)) == 1:
        assert pieces == whole
        return
    expected = [
        [place for place, _ in group]
        for _, group in groupby(enumerate(keys), key=lambda item: item[1])
    ]
    ends = {place for place in range(1, length) if all(map(ne, keys[place - 1], keys[place]))}
    ends |= {0, length}
    long = [run for run in expected if sum(copied[place].islower() for place in run) >= SHORTEST]
    counting = [
        run
        for run in expected
        if (run in long or {run[0], run[-1] + 1} <= ends)
        and not any(2 * sum(row[place] for place in run) > len(run) for row in out)
    ]
    if sum(map(len, counting)) > LONGEST_INSIDE:
        long = [run for run in expected if run in long or run in counting]
    actual = [
        (list(indices(words[0], piece.left)), list(indices(words[1], piece.right)))
        for piece in pieces
    ]
    assert actual == [(run, [place + before for place in run]) for run in long]
    assert all(piece.similarity.score == 99 for piece in pieces)


TEXTS = st.lists(st.sampled_from("abcdefghijklmnop"), min_size=20, max_size=80)


@BRISK
@given(left=TEXTS, right=TEXTS, runs=st.tuples(RUNS, RUNS))
def test_no_piece_joins_excluded_and_other_text(
    left: list[str], right: list[str], runs: tuple[list[tuple[int, bool]], list[tuple[int, bool]]]
) -> None:
    texts = placed([left, right])
    words = texts.document(0), texts.document(1)
    out = [flags(row, len(side.words)) for row, side in zip(runs, words, strict=True)]
    whole = WindowPassages(shortest=5)(np.array([[0, len(left), 0, len(right)]]), *words, 10)
    excluded = spans(words[0], out[0]), spans(words[1], out[1])
    for piece in cut_at_excluded(whole, excluded, words, FINDER):
        for side, span, flagged in zip(words, (piece.left, piece.right), out, strict=True):
            assert len({*parts([flagged[place] for place in indices(side, span)])}) == 1


OWN = " ".join(f"own{place}" for place in range(70))
OTHER = " ".join(f"other{place}" for place in range(70))
TEMPLATE = " ".join(f"task{place}" for place in range(60))
COPIED = " ".join(f"copied{place}" for place in range(60))


def passages(left: str, right: str, **options: Any) -> list[tuple[str, str, str]]:
    """The text of both sides of each passage, and why it is excluded."""
    documents = Document.of(left, "left"), Document.of(right, "right")
    evidence = find_reuse(*documents, **options)
    return [
        (text_of(left, item.left), text_of(right, item.right), item.excluded)
        for shared in evidence.shared
        for item in shared.passages
    ]


def text_of(text: str, span: Span) -> str:
    return text[span.start : span.end]


def test_a_template_that_copied_text_follows_is_cut_off(tmp_path: Path) -> None:
    form = tmp_path / "form.txt"
    form.write_text(TEMPLATE)
    left, right = f"{TEMPLATE} {COPIED} {OWN}", f"{TEMPLATE} {COPIED} {OTHER}"
    assert passages(left, right) == [(f"{TEMPLATE} {COPIED}",) * 2 + ("",)]
    assert passages(left, right, template=form) == [
        (TEMPLATE, TEMPLATE, "template"),
        (COPIED, COPIED, ""),
    ]


def test_shares_are_those_of_the_texts_without_the_template(tmp_path: Path) -> None:
    form = tmp_path / "form.txt"
    form.write_text(TEMPLATE)
    for left, right in ((OWN, OWN), (f"{COPIED} {OWN}", f"{OTHER} {COPIED}"), (OWN, OTHER)):
        sides = Document.of(f"{TEMPLATE} {left}"), Document.of(f"{right} {TEMPLATE}")
        evidence = find_reuse(*sides, template=form)
        plain = find_reuse(Document.of(left), Document.of(right))
        (shared,) = evidence.shared
        shares = [(pair.left_share, pair.right_share) for pair in plain.shared] or [(0.0, 0.0)]
        assert [(shared.left_share, shared.right_share)] == shares
        assert evidence.coverage[0].share == plain.coverage[0].share
        assert [item.words for item in evidence.documents] == [
            item.words for item in plain.documents
        ]


@pytest.mark.parametrize(("length", "number"), [(9, 10), (30, 60), (30, 4)])
def test_answers_between_lines_of_a_template_count(
    length: int, number: int, tmp_path: Path
) -> None:
    """The lines stand so near to each other that they are one passage with the template."""
    lines = [" ".join(f"line{line}x{place}" for place in range(length)) for line in range(6)]
    (tmp_path / "form.txt").write_text("\n".join(lines))

    def filled_in(answers: Sequence[str]) -> Document:
        words = (" ".join(f"{name}{place}" for place in range(number)) for name in answers)
        return Document.of(
            "\n".join(f"{line}\n{own}" for line, own in zip(lines, words, strict=True))
        )

    for other, share in (("abcdef", 1), ("uvwxyz", 0)):
        evidence = find_reuse(filled_in("abcdef"), filled_in(other), template=tmp_path / "form.txt")
        assert evidence.coverage[0].share == share
        assert [item.words for item in evidence.documents] == [6 * number] * 2


MARKS = [
    ("“", "”"), ('"', '"'), ("«", "»"), ("„", "“"), ("「", "」"), ("『", "』"), ("\n\n> ", "\n\n"),
]  # fmt: skip


@pytest.mark.parametrize(("opening", "closing"), MARKS, ids=[pair[0].strip() for pair in MARKS])
def test_a_quotation_within_a_copied_paragraph_is_cut_out(opening: str, closing: str) -> None:
    first, quoted, last = (
        " ".join(f"{name}{place}" for place in range(40)) for name in ("first", "quoted", "last")
    )
    text = f"{first} {opening}{quoted}{closing} {last}"
    assert [len(passages(text, text)), *passages(text, text, exclude_quotes=True)] == [
        1,
        (first, first, ""),
        (quoted, quoted, "quote"),
        (last, last, ""),
    ]


def sentences(name: str, number: int = 5) -> list[list[str]]:
    """Sentences of twelve words."""
    rows = [[f"{name}{place}x{word}" for word in range(12)] for place in range(number)]
    return [[*row[:-1], f"{row[-1]}."] for row in rows]


def joined(rows: Sequence[Sequence[str]]) -> str:
    return " ".join(word for row in rows for word in row)


def test_pieces_of_sentences_have_similarities_and_ends_of_their_own() -> None:
    """Of a copied passage around a quotation, the part behind it is edited."""
    first, quoted, last = (sentences(name) for name in ("first", "quoted", "last"))
    edited = [[*row[:5], f"edit{place}x5", *row[6:]] for place, row in enumerate(last)]
    edited[-1] = [*edited[-1][:7], *(f"ends{place}x9" for place in range(4)), "ends."]
    left = f"{joined(first)} “{joined(quoted)}” {joined(last)}"
    right = f"{joined(first)} “{joined(quoted)}” {joined(edited)}"
    documents = Document.of(left, "left"), Document.of(right, "right")
    (shared,) = find_reuse(
        *documents, method="sentences", distance=40, exclude_quotes=True, edits=False
    ).shared
    before, quotation, behind = shared.passages
    assert text_of(left, before.left) == text_of(right, before.right) == joined(first)[:-1]
    assert quotation.excluded == "quote"
    assert (before.score, quotation.score) == (99, 99)
    sides = [side.split() for side in (text_of(left, behind.left), text_of(right, behind.right))]
    assert [side[-1] for side in sides] == [last[-1][6]] * 2
    pairs = [set(pairwise(word.strip(".") for word in side)) for side in sides]
    assert behind.score == 100 * len(pairs[0] & pairs[1]) // len(pairs[0] | pairs[1]) < 80


def test_boilerplate_that_copied_text_follows_is_cut_off() -> None:
    documents = [
        Document.of(
            f"{TEMPLATE} {COPIED if number < 2 else ''} "
            + " ".join(f"own{number}x{place}" for place in range(200)),
            f"{number}.txt",
        )
        for number in range(14)
    ]
    evidence = find_reuse(documents, texts=True)
    counting = [
        (text_of(evidence.documents[shared.left].text, item.left), item.right.start)
        for shared in evidence.shared
        for item in shared.passages
        if not item.excluded
    ]
    assert counting == [(COPIED, len(TEMPLATE) + 1)]


WORDS = st.lists(st.integers(1, 4), max_size=30)


def score(*texts: NDArray[np.uint32]) -> int | None:
    """The verbatim score of a passage that is all of both texts, a word at each offset."""
    left, right = (
        DocumentWords(words, np.ones(len(words), bool), places := np.arange(len(words)), places + 1)
        for words in texts
    )
    spans = Span(0, len(left.words)), Span(0, len(right.words))
    return describe(Passage(*spans, Similarity(1, 1)), left, right).verbatim


def plain_score(left: list[int], right: list[int]) -> int:
    """The definition, run by run."""

    def covered(own: list[int], other: list[int]) -> int:
        runs = {tuple(other[i : i + 5]) for i in range(len(other) - 4)}
        starts = [i for i in range(len(own) - 4) if tuple(own[i : i + 5]) in runs]
        return len({place for i in starts for place in range(i, i + 5)})

    words = min(covered(left, right), covered(right, left))
    return min(99, 100 * words // max(len(left), len(right), 1))


@given(left=WORDS, right=WORDS, scale=st.sampled_from([1, 10**9]), copied=st.booleans())
def test_the_score_is_that_of_the_definition(
    left: list[int], right: list[int], scale: int, copied: bool
) -> None:
    if copied:
        right = [*right[:10], *left[:12], *right[10:]]
    sides = [np.array(side, np.uint32) * np.uint32(scale) for side in (left, right)]
    assert score(*sides) == plain_score(left, right)


def test_runs_of_many_kinds_of_words_are_numbered_exactly() -> None:
    left = np.arange(9000, dtype=np.uint32)
    right = left.copy()
    right[::9] = 9000 + np.arange(1000)
    assert score(left, right) == 88
    right[::5] = 99_999
    assert score(left, right) == 0


def gaps_of(left: Sequence[str], right: Sequence[str]) -> tuple[list[Range], list[Range]]:
    texts = placed([left, right])
    sides = texts.document(0), texts.document(1)
    return gaps_between(*sides, verbatim_words(sides[0].words, sides[1].words))


PIECES = st.lists(
    st.tuples(st.sampled_from(["both", "left", "right"]), st.integers(1, 30)), max_size=9
)


def sides(pieces: Sequence[tuple[str, int]]) -> tuple[list[str], list[str]]:
    """Two texts of distinct words; what both have is at least five words in a row."""
    left, right = list[str](), list[str]()
    for number, (where, count) in enumerate([("both", 5), *pieces, ("both", 5)]):
        words = [f"{where}{number}x{place}" for place in range(max(5, count))]
        left += words if where != "right" else []
        right += words if where != "left" else []
    return left, right


def plain_gaps(words: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Twenty words in a row with sixteen or more that the other side lacks, but for their ends."""
    lacking = [word not in other for word in words]
    inside = {
        place
        for start in range(len(words) - 19)
        if sum(lacking[start : start + 20]) >= 16
        for place in range(start, start + 20)
    }
    gaps = list[tuple[int, int]]()
    for start in sorted(inside - {place + 1 for place in inside}):
        end = next(place for place in range(start, len(words) + 1) if place not in inside)
        ranges = [(first, last) for last in range(start, end + 1) for first in range(start, last)]
        best = max(ranges, key=lambda run: sum(1 if flag else -2 for flag in lacking[slice(*run)]))
        gaps += [best] if best[1] - best[0] > 15 else []
    return gaps


@BRISK
@given(pieces=PIECES)
def test_gaps_are_long_runs_that_the_other_side_lacks(pieces: list[tuple[str, int]]) -> None:
    left, right = sides(pieces)
    expected = plain_gaps(left, right), plain_gaps(right, left)
    assert gaps_of(left, right) == expected
    assert gaps_of(right, left) == expected[::-1]


@BRISK
@given(
    pair=st.tuples(*[st.lists(st.integers(0, 60).map(str), min_size=20, max_size=60)] * 2).filter(
        lambda pair: len(pair[0]) != len(pair[1])
    )
)
def test_gaps_do_not_depend_on_the_order_of_the_sides(pair: tuple[list[str], list[str]]) -> None:
    """Where words repeat, several alignments have the least edits."""
    gaps = gaps_of(*pair)
    assert gaps_of(*pair[::-1]) == gaps[::-1]
    for runs, words in zip(gaps, pair, strict=True):
        assert sum(last - first for first, last in runs) < len(words)
