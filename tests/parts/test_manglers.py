"""How much of a text each mangler keeps, counted by plain Python."""

import random
from collections import Counter
from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st

from sdtext.parts.manglers import Mangler, Ocr
from sdtext.parts.registry import build, parse
from tests.support.cases import cases

WORD = st.text("abcdeñж.,", min_size=1, max_size=6)
GAP = st.sampled_from([" ", "  ", "\n", "\n\n", "\t", "\r\n", " \n "])
PLAIN = st.lists(st.tuples(WORD, GAP), max_size=40).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
"""Texts of words between white space, in a script with blanks."""
OTHERS = ["owl hunt OWL\n\nhoot\n", "", "Ants DIG\n"]
SHARES = st.floats(0, 1)

LINES = "".join(f"line {number} of many\n" for number in range(1000))
FOREIGN = [f"other {number} first\nother {number} last\n" for number in range(50)]


def mangler(text: str) -> Mangler:
    result: Mangler = build("manglers", parse(text))
    return result


def copied(name: str, text: str, seed: int = 1) -> str:
    return mangler(name)(text, random.Random(seed), OTHERS)


@cases("share", [0, 0.2, 0.5, 0.8, 1])
def test_keep_lines_keeps_the_expected_share_and_replaces_the_rest(share: float) -> None:
    copy = mangler(f"keep-lines(share={share})")(LINES, random.Random(7), FOREIGN).split("\n")
    old = LINES.split("\n")
    assert len(copy) == len(old)
    kept = [new == line for new, line in zip(copy, old, strict=True)][:-1]
    # Five standard deviations of a binomial.
    assert abs(fmean(kept) - share) <= 5 * (share * (1 - share) / len(kept)) ** 0.5
    lines_of_others = {line for text in FOREIGN for line in text.splitlines()}
    replaced = [line for line, stays in zip(copy, kept, strict=False) if not stays]
    assert set(replaced) <= lines_of_others
    if len(replaced) > 400:  # of 100 lines each is drawn once at least, almost surely
        assert len(set(replaced)) > 90


@given(text=PLAIN, share=SHARES)
def test_keep_lines_leaves_the_ends_of_lines_and_empty_lines(text: str, share: float) -> None:
    copy = copied(f"keep-lines(share={share})", text)
    assert [line.isspace() or not line for line in copy.splitlines()] == [
        line.isspace() or not line for line in text.splitlines()
    ]


@cases("script", ["thai", "latin"])
def test_keep_lines_keeps_parts_of_a_text_of_one_sentence(script: str) -> None:
    text = "โดยที่การยอมรับนับถือเกียรติศักดิ์ประจำตัว " * 90 if script == "thai" else "word " * 800
    pieces = copied("keep-lines(share=0.5)", text.strip())
    assert 0.25 < pieces.count(text[:5]) / text.count(text[:5]) < 0.75


def test_lines_may_come_from_every_other_document_but_an_empty_one() -> None:
    copy = mangler("keep-lines(share=0)")(LINES, random.Random(1), OTHERS)
    assert set(copy.splitlines()) == {"owl hunt OWL", "hoot", "Ants DIG"}
    assert mangler("keep-lines(share=0)")("Bees.\n", random.Random(1), [""]) == "\n"


@given(
    text=PLAIN,
    unit=st.sampled_from(["words", "lines", "sentences"]),
    group=st.sampled_from([0, 2, 5]),
)
def test_a_shuffle_keeps_all_words(text: str, unit: str, group: int) -> None:
    copy = copied(f"shuffle(of={unit},group={group})", text)
    assert Counter(copy.split()) == Counter(text.split())
    assert Counter(filter(str.isspace, copy)) == Counter(filter(str.isspace, text))


@given(text=PLAIN, group=st.integers(2, 5))
def test_a_shuffle_in_groups_moves_no_word_out_of_its_group(text: str, group: int) -> None:
    words, copy = text.split(), copied(f"shuffle(group={group})", text).split()
    for start in range(0, len(words), group):
        end = start + group
        assert sorted(copy[start:end]) == sorted(words[start:end])


@cases("share", [0, 0.1, 0.5])
def test_a_share_of_the_words_is_shuffled_among_itself(share: float) -> None:
    words = [f"w{number}" for number in range(1000)]
    copy = copied(f"shuffle(share={share})", " ".join(words)).split()
    moved = [place for place, word in enumerate(words) if copy[place] != word]
    assert 1000 * share - 10 <= len(moved) <= 1000 * share  # about one stays where it was
    assert sorted(copy[place] for place in moved) == sorted(words[place] for place in moved)


def test_a_shuffle_of_lines_keeps_them_whole() -> None:
    copy = copied("shuffle(of=lines)", LINES)
    assert copy != LINES
    assert sorted(copy.splitlines()) == sorted(LINES.splitlines())
    sentences = "Bees dance. Ants dig.\nOwls hunt! Do they?"
    assert sorted(copied("shuffle(of=sentences)", sentences, 3).replace("\n", " ").split(". ")) != (
        sorted(sentences.split(". "))
    )


@cases("share", [0, 0.02, 0.2])
def test_letters_are_wrong_as_often_as_it_is_asked(share: float) -> None:
    from rapidfuzz.distance import OSA

    text = "The dancing bees know where flowers grow. " * 100
    copy = copied(f"ocr(share={share})", text)
    letters = sum(map(str.isalpha, text))
    errors = OSA.distance(text, copy) / letters
    assert 0.6 * share * 0.8 <= errors <= share * 1.6


def test_misread_letters_are_those_that_look_like_others() -> None:
    copies = {Ocr(share=1)("rn m l", random.Random(seed), []) for seed in range(40)}
    words = {word for copy in copies for word in copy.split(" ")}
    assert {"m", "rn", "1"} <= words


@given(text=PLAIN, share=st.floats(0.01, 1))
def test_a_fragment_is_a_run_of_the_text_of_the_asked_length(text: str, share: float) -> None:
    words, copy = text.split(), copied(f"fragment(share={share})", text)
    assert copy in text
    assert len(copy.split()) == (max(1, round(share * len(words))) if words else 0)


def test_a_fragment_may_begin_at_every_word() -> None:
    text = "a b c d e f g h"
    assert {copied("fragment(share=0.25)", text, seed) for seed in range(99)} == {
        *("a b", "b c", "c d", "d e", "e f", "f g", "g h")
    }


def test_a_copy_that_shares_nothing_is_not_related() -> None:
    assert not mangler("keep-lines(share=0)").related
    assert mangler("keep-lines(share=0.1)").related
    assert mangler("fragment(share=0.01)").related
