"""The ends of a passage: cut to where words of both sides correspond, and by their weights."""

import random
from collections import Counter
from itertools import accumulate
from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext import Document, find_reuse
from sdtext.parts.aligners.window_passages import MILLION, other_term_weight, without_overhangs
from sdtext.parts.aligners.word_alignment import WordBox, are_aligned, cut_to_equal_words
from tests.support.cases import cases
from tests.support.strategies import BRISK
from tests.support.word_offsets import placed

WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=24)


def cut(left: list[str], right: list[str], box: WordBox) -> list[WordBox]:
    first, other = placed(left, right)
    return cut_to_equal_words(first, other, box)


def longest_common(left: list[str], right: list[str]) -> int:
    """The length of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(right) + 1)
    for word in left:
        before = row
        row = [0]
        for place, other in enumerate(right):
            row.append(before[place] + 1 if word == other else max(before[place + 1], row[-1]))
    return row[-1]


@given(left=WORDS, right=WORDS, around=st.tuples(WORDS, WORDS))
def test_a_cut_passage_begins_and_ends_with_equal_words(
    left: list[str], right: list[str], around: tuple[list[str], list[str]]
) -> None:
    before, behind = around
    whole = [*before, *left, *behind], [*before, *right, *behind]
    box = len(before), len(before) + len(left), len(before), len(before) + len(right)
    inner, *_ = cut(*whole, box)
    common = (Counter(left) & Counter(right)).total()
    first, last, right_first, right_last = inner
    is_in_order = are_aligned(*(side.words for side in placed(left, right)))
    if 5 * longest_common(left, right) < 4 * common:
        assert not is_in_order
    if not is_in_order:
        sides = whole[0][first:last], whole[1][right_first:right_last]
        assert all({side[0], side[-1]} <= {*sides[0]} & {*sides[1]} for side in sides)
        assert {*sides[0]} & {*sides[1]} == {*left} & {*right}
        return
    if inner == box:
        return
    assert whole[0][first] == whole[1][right_first]
    assert whole[0][last - 1] == whole[1][right_last - 1]
    outside = whole[0][first - 1 :][:1], whole[1][right_first - 1 :][:1]
    assert 0 in (first, right_first) or outside[0] != outside[1]
    behind_both = whole[0][last:][:1], whole[1][right_last:][:1]
    assert [] in behind_both or behind_both[0] != behind_both[1]


def changed(passage: list[str], how: str, own: list[str]) -> list[str]:
    """The passage after a change, for which there are so many words of its own."""
    half = len(passage) // 2
    changes = {
        "none": passage, "delete": [word for place, word in enumerate(passage) if place % 5],
        "insert": [word for pair in zip(passage, own, strict=False) for word in pair],
        "swap": [*passage[half:], *passage[:half]],
        "block": [*passage[:half], *own, *passage[half:]], "twice": [*passage, *own, *passage],
    }  # fmt: skip
    return changes[how]


@st.composite
def plantings(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    random_words, kinds = random.Random(draw(st.integers())), draw(st.sampled_from([60, 300, 3000]))

    def text(count: int) -> list[str]:
        return [f"v{random_words.randrange(kinds)}" for _ in range(count)]

    source, other = text(300), text(40)
    for start in draw(st.lists(st.integers(0, 220), min_size=1, max_size=3)):
        passage = source[start : start + draw(st.integers(40, 90))]
        how = draw(st.sampled_from(["none", "delete", "insert", "swap", "block", "twice"]))
        other += changed(passage, how, text(draw(st.integers(5, 40))))
        other += text(draw(st.integers(0, 60)))
    return source, other


@BRISK
@given(texts=plantings())
def test_both_sides_of_planted_passages_begin_and_end_with_words_that_correspond(
    texts: tuple[list[str], list[str]],
) -> None:
    left, right = (" ".join(words) for words in texts)
    for shared in find_reuse(Document.of(left, "left"), Document.of(right, "right")).shared:
        for passage in shared.passages:
            own = left[passage.left.start : passage.left.end].split()
            other = right[passage.right.start : passage.right.end].split()
            assert {own[0], own[-1]} <= {*other}
            assert {other[0], other[-1]} <= {*own}
            words = [worded.words for worded in placed(own, other)]
            is_repeated = abs(len(own) - len(other)) >= 30  # several copies of one side
            if are_aligned(*words) and not is_repeated:
                assert (own[0], own[-1]) == (other[0], other[-1])


COPY = [f"w{place}" for place in range(60)]
OTHERS = [f"x{place}" for place in range(14)]
REPEATED = [*COPY, "w60", "w31"]
CUTS: dict[str, tuple[list[str], list[str], list[WordBox]]] = {
    # Behind the copy, one side has words that the other has inside of it.
    "goes on alone": ([*COPY, *COPY[:40:3]], [*COPY, *OTHERS], [(0, 60, 0, 60)]),
    "in another order": (COPY, [*COPY[30:], *COPY[:30]], [(0, 60, 0, 60)]),
    "twice": ([*COPY[:40], *COPY[:40]], COPY[:40], [(0, 40, 0, 40), (40, 80, 0, 40)]),
    "a part again": ([*COPY[:40], *COPY[:10]], COPY[:40], [(0, 40, 0, 40)]),
    "words in another order before its repetition": (
        COPY,
        [*COPY, *OTHERS[:10], *COPY[:10:-2], *COPY],
        [(0, 60, 0, 60), (0, 60, 95, 155)],
    ),
    "two more copies of a part": (
        REPEATED,
        [*REPEATED, *COPY[:40], *COPY[:40]],
        [(0, 62, 0, 62), (0, 40, 62, 142)],
    ),
    "no common word": (["a"], ["b"], [(0, 1, 0, 1)]),
}


@cases("name", CUTS)
@cases("swapped", [False, True])
def test_a_passage_is_cut_to_the_copies_that_it_holds(name: str, *, swapped: bool) -> None:
    left, right, expected = CUTS[name]
    last = 60 if name == "goes on alone" else len(right)
    box, sides = (0, len(left), 0, last), (left, right)
    if swapped:
        box, sides = (0, last, 0, len(left)), (right, left)
        expected = [(c, d, a, b) for a, b, c, d in expected]
    assert sorted(cut(*sides, box)) == sorted(expected)


def test_text_that_one_side_has_many_times_gives_few_boxes() -> None:
    copy = [f"w{place}" for place in range(40)]
    boxes = cut(100 * copy, copy, (0, 4000, 0, 40))
    assert len(boxes) <= 3
    covered = {place for first, last, _, _ in boxes for place in range(first, last)}
    assert covered == set(range(4000))


USUAL = 800_000


def flags(count: int, common: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.arange(count) < common


@given(
    within=st.integers(15, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    around=st.integers(15, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
)
@BRISK
def test_a_weight_is_the_ratio_of_two_likelihoods(
    within: tuple[int, int], around: tuple[int, int]
) -> None:
    result = other_term_weight(flags(*within), flags(*around), USUAL)
    inside, outside = ((common + 1) / (count + 2) for count, common in (within, around))
    if inside <= outside:
        assert result == USUAL
    else:
        against, for_it = log((1 - outside) / (1 - inside)), log(inside / outside)
        assert result == max(MILLION // 2, round(MILLION * against / for_it))


def plainly_cut(common: list[bool], other: int, most: int) -> int:
    """How many terms of a head have the least sum, by trying all."""
    sums = [0, *accumulate(MILLION if item else -other for item in common[:most])]
    return sums.index(min(sums))


TERMS = st.lists(st.integers(0, 30), min_size=1, max_size=80)


@given(left=TERMS, right=TERMS, cuts=st.lists(st.integers(0, 80), min_size=4, max_size=4))
@BRISK
def test_ends_are_cut_where_a_plain_rule_cuts_them(
    left: list[int], right: list[int], cuts: list[int]
) -> None:
    """One round of it on the left; the right side stays as it was while the left is looked at."""
    start, end = sorted(min(cut, len(left)) for cut in cuts[:2])
    there, until = sorted(min(cut, len(right)) for cut in cuts[2:])
    known = set(right[there:until])
    common = [term in known for term in left]
    within, around = common[start:end], common[:start] + common[end:]
    other = other_term_weight(np.array(within, bool), np.array(around, bool), USUAL)
    most = min(10, len(within) // 3)
    head, tail = (plainly_cut(way, other, most) for way in (within, within[::-1]))
    sides = np.array(left, np.uint32), np.array(right, np.uint32)
    box = without_overhangs([start, end, there, until], sides, USUAL, 10)
    assert box[0] >= start + head
    assert box[1] <= end - tail
    assert start <= box[0] <= box[1] <= end
    assert there <= box[2] <= box[3] <= until


def test_frequent_words_beside_a_copy_are_cut_and_the_copy_stays_whole() -> None:
    """Every other term around the copy is 7 on both sides."""
    copy = list(range(100, 140))
    left, right = (
        [term for place in range(30) for term in (7, more + place)] for more in (200, 300)
    )
    sides = [np.array([*side, *copy, *side[1:]], np.uint32) for side in (left, right)]
    box = without_overhangs([56, 106, 58, 104], (sides[0], sides[1]), USUAL, 15)
    assert box == [60, 100, 60, 100]
