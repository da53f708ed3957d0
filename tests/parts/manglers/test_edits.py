"""How much of a text each mangler keeps, counted by plain Python."""

from __future__ import annotations

import random
from collections import Counter
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.parts.manglers import Mangler
from sdtext.parts.manglers.letter_errors import NEIGHBOURS, Ocr, Typos
from sdtext.parts.registry import build, parse
from sdtext.text.normal_form import clean
from tests.strategies import BRISK, THOROUGH

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
    return build("manglers", parse(text))


def copied(name: str, text: str, seed: int = 1) -> str:
    return mangler(name)(text, random.Random(seed), OTHERS)


# Lines


@pytest.mark.parametrize("share", [0, 0.2, 0.5, 0.8, 1])
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
@THOROUGH
def test_keep_lines_leaves_the_ends_of_lines_and_empty_lines(text: str, share: float) -> None:
    copy = copied(f"keep-lines(share={share})", text)
    assert [line.isspace() or not line for line in copy.splitlines()] == [
        line.isspace() or not line for line in text.splitlines()
    ]


def test_lines_may_come_from_every_other_document_but_an_empty_one() -> None:
    copy = mangler("keep-lines(share=0)")(LINES, random.Random(1), OTHERS)
    assert set(copy.splitlines()) == {"owl hunt OWL", "hoot", "Ants DIG"}
    assert mangler("keep-lines(share=0)")("Bees.\n", random.Random(1), [""]) == "\n"


def test_a_template_keeps_headings_and_common_lines_and_nothing_else() -> None:
    text = (
        "LICENCE\n\nThis text is free.\nIt says the same everywhere\n\nName:\nA. Bee\n\n"
        "1. What bees do\n\nBees dance on the comb\nand the others follow.\n"
    )
    others = ["Ants dig\n", "It says the same everywhere\nAnts dig\n"]
    copy = mangler("template")(text, random.Random(1), others)
    new = [line for line in copy.splitlines() if line not in text.splitlines()]
    assert [line for line in text.splitlines() if line in copy.splitlines()] == [
        *("LICENCE", "", "It says the same everywhere", "", "Name:", "", "1. What bees do", ""),
    ]
    assert set(new) <= {"Ants dig"}
    assert not mangler("template").related


# Words


@given(
    text=PLAIN,
    unit=st.sampled_from(["words", "lines", "sentences"]),
    group=st.sampled_from([0, 2, 5]),
)
@THOROUGH
def test_a_shuffle_keeps_all_words(text: str, unit: str, group: int) -> None:
    copy = copied(f"shuffle(of={unit},group={group})", text)
    assert Counter(copy.split()) == Counter(text.split())
    assert Counter(filter(str.isspace, copy)) == Counter(filter(str.isspace, text))


@given(text=PLAIN, group=st.integers(2, 5))
@THOROUGH
def test_a_shuffle_in_groups_moves_no_word_out_of_its_group(text: str, group: int) -> None:
    words, copy = text.split(), copied(f"shuffle(group={group})", text).split()
    for start in range(0, len(words), group):
        end = start + group
        assert sorted(copy[start:end]) == sorted(words[start:end])


@pytest.mark.parametrize("share", [0, 0.1, 0.5])
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


@given(text=PLAIN, share=SHARES)
@THOROUGH
def test_dropped_words_are_the_share_and_the_rest_stays_in_order(text: str, share: float) -> None:
    words, rest = text.split(), iter(text.split())
    left = copied(f"drop-words(share={share})", text).split()
    assert len(left) == len(words) - round(share * len(words))
    assert all(word in rest for word in left)  # a subsequence


@given(text=PLAIN, share=SHARES)
@THOROUGH
def test_replaced_words_are_the_share_and_come_from_others(text: str, share: float) -> None:
    words, copy = text.split(), copied(f"replace-words(share={share})", text).split()
    changed = [new for new, old in zip(copy, words, strict=True) if new != old]
    assert len(changed) == round(share * len(words))
    assert set(changed) <= set(" ".join(OTHERS).split())


@given(text=PLAIN, share=SHARES, together=st.booleans())
@THOROUGH
def test_inserted_words_are_the_share_and_come_from_others(
    text: str, share: float, together: bool
) -> None:
    words = text.split()
    copy = copied(f"insert-words(share={share},together={together})".lower(), text).split()
    assert len(copy) == len(words) + round(share * len(words))
    rest = iter(copy)
    assert all(word in rest for word in words)  # a subsequence
    new = [word for word in copy if word not in words]
    assert set(new) <= set(" ".join(OTHERS).split())
    if together and not set(words) & set(" ".join(OTHERS).split()) and new:
        start = copy.index(new[0])
        assert copy[start : start + len(new)] == new


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 1])
def test_swapped_words_move_by_one_place_and_are_the_share(share: float) -> None:
    words = [f"w{number}" for number in range(5000)]
    copy = copied(f"swap-words(share={share})", " ".join(words)).split()
    distances = Counter(abs(copy.index(word) - place) for place, word in enumerate(words[:1000]))
    assert set(distances) <= {0, 1}
    moved = fmean(new != old for new, old in zip(copy, words, strict=True))
    assert moved == pytest.approx(share, abs=0.03)


def test_words_of_scripts_without_blanks_are_characters() -> None:
    assert copied("drop-words(share=0.5)", "我在北京见了他们") != "我在北京见了他们"
    assert len(copied("drop-words(share=0.5)", "我在北京见了他们")) == 4
    assert len(copied("fragment(share=0.25)", "我在北京见了他们")) == 2
    inserted = mangler("insert-words(share=0.5)")("我在北京见了他们", random.Random(1), ["蜂"])
    assert sorted(inserted) == sorted("我在北京见了他们蜂蜂蜂蜂")


# Letters


@pytest.mark.parametrize(("name", "least"), [("ocr", 0.6), ("typos", 0.9)])
@pytest.mark.parametrize("share", [0, 0.02, 0.2])
def test_letters_are_wrong_as_often_as_it_is_asked(name: str, least: float, share: float) -> None:
    from rapidfuzz.distance import OSA

    text = "The dancing bees know where flowers grow. " * 100
    copy = copied(f"{name}(share={share})", text)
    letters = sum(map(str.isalpha, text))
    errors = OSA.distance(text, copy) / letters
    assert least * share * 0.8 <= errors <= share * 1.6


def test_misread_letters_are_those_that_look_like_others() -> None:
    copies = {Ocr(share=1)("rn m l", random.Random(seed), []) for seed in range(40)}
    words = {word for copy in copies for word in copy.split(" ")}
    assert {"m", "rn", "1"} <= words


def test_a_mistyped_letter_is_on_a_key_beside_it() -> None:
    assert set(NEIGHBOURS["g"]) == set("tyfhvb")
    assert all(
        key.lower() in NEIGHBOURS[near.lower()] for key, keys in NEIGHBOURS.items() for near in keys
    )
    copies = {Typos(share=1)("g", random.Random(seed), []) for seed in range(200)}
    assert copies == {"", "g", "gg", *NEIGHBOURS["g"], *(f"g{near}" for near in NEIGHBOURS["g"])}


# Excerpts and other documents


@given(text=PLAIN, share=st.floats(0.01, 1))
@THOROUGH
def test_a_fragment_is_a_run_of_the_text_of_the_asked_length(text: str, share: float) -> None:
    words, copy = text.split(), copied(f"fragment(share={share})", text)
    assert copy in text
    assert len(copy.split()) == (max(1, round(share * len(words))) if words else 0)


@given(text=PLAIN, share=st.floats(0.01, 1))
@THOROUGH
def test_a_truncated_text_is_its_beginning(text: str, share: float) -> None:
    words, copy = text.split(), copied(f"truncate(share={share})", text)
    assert text.startswith(copy)
    assert len(copy.split()) == (max(1, round(share * len(words))) if words else 0)


def test_a_fragment_may_begin_at_every_word() -> None:
    text = "a b c d e f g h"
    assert {copied("fragment(share=0.25)", text, seed) for seed in range(99)} == {
        *("a b", "b c", "c d", "d e", "e f", "f g", "g h"),
    }


@given(text=PLAIN.filter(bool), seed=st.integers(0, 9))
@BRISK
def test_an_embedded_text_stands_whole_between_lines_of_another(text: str, seed: int) -> None:
    copy = copied("embed", text, seed)
    assert text in copy
    before, _, behind = copy.partition(text)
    rest = (before + behind).split() if text.split() else copy.split()
    assert rest in [other.split() for other in OTHERS]
    assert set(copied("embed(share=0.1)", LINES, seed).split()) > {"many"}
    assert len(copied("embed(share=0.1)", LINES, seed).splitlines()) < 110


@given(text=PLAIN, count=st.integers(1, 4), seed=st.integers(0, 9))
@THOROUGH
def test_concatenated_documents_are_whole(text: str, count: int, seed: int) -> None:
    copy = copied(f"concatenate(documents={count})", text, seed)
    assert text in copy
    if count >= len(OTHERS):
        assert sorted(copy.split()) == sorted([*text.split(), *" ".join(OTHERS).split()])


# Layout


@given(text=PLAIN, width=st.integers(0, 30))
@THOROUGH
def test_reflowed_lines_have_the_same_words_within_the_width(text: str, width: int) -> None:
    copy = copied(f"reflow(width={width})", text)
    assert copy.split() == text.split()
    if width:
        assert all(len(line) <= width or " " not in line for line in copy.splitlines())
    else:
        assert copy.count("\n") == 1


def test_reflow_joins_no_paragraphs_and_breaks_chinese_anywhere() -> None:
    assert copied("reflow(width=9)", "a b\nc\n \nd\fe f") == "a b c\n\nd\n\ne f\n"
    assert copied("reflow(width=3)", "我在北京见\n了他们") == "我在北\n京见了\n他们\n"
    assert copied("reflow(width=0)", "我在北京见\n了他们 in\n2024") == "我在北京见了他们 in 2024\n"


def test_letters_get_another_case() -> None:
    cases = {"upper": "BEE ONE", "lower": "bee one", "title": "Bee One", "swap": "bEE oNE"}
    assert {to: copied(f"case(to={to})", "Bee One") for to in cases} == cases


# Disguises


@pytest.mark.parametrize("way", ["homoglyphs-greek", "zero-width-spaces", "hair-spaces-in-words"])
def test_a_disguise_is_seen_in_the_share_of_words_and_can_be_undone(way: str) -> None:
    from sdtext.text.disguises import undisguised

    text = "The beautiful hobby of another keeper about honey " * 5
    copy = copied(f"disguise(way={way},share=0.5)", text)
    pairs = zip(copy.split(" "), text.split(" "), strict=True)
    assert 10 <= sum(new != old for new, old in pairs) <= 20
    assert clean(undisguised(copied(f"disguise(way={way})", text)).text) == text


# Refusals


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("keep-lines(share=1.5)", "keep-lines: share is 1.5; it must be from 0 to 1"),
        ("fragment(share=0)", "fragment: share is 0.0; it must be above 0 and at most 1"),
        ("shuffle(of=pages)", "shuffle: of is 'pages'; it must be one of words, lines, sentences"),
        ("shuffle(group=1)", "shuffle: group is 1; it must be 2 or more, or 0 for all"),
        ("shuffle(group=-1)", "shuffle: group is -1; it must be 2 or more, or 0 for all"),
        ("concatenate(documents=0)", "concatenate: documents is 0; it must be 1 or more"),
        ("reflow(width=-1)", "reflow: width is -1; it must be 1 or more, or 0 for one line"),
        ("case(to=x)", "case: to is 'x'; it must be one of upper, lower, title, swap"),
        ("format(to=doc)", "format: to is 'doc'; it must be one of txt, html, docx, odt, rtf, pdf"),
        ("encoding(to=utf-9)", "encoding: to is 'utf-9'; it must be the name of an encoding"),
        ("encoding(line_ends=x)", "encoding: line_ends is 'x'; it must be one of lf, crlf, cr"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(name: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        mangler(name)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "related"),
    [
        ("keep-lines(share=0)", False),
        ("keep-lines(share=0.1)", True),
        ("replace-words(share=1)", False),
        ("drop-words(share=1)", False),
        ("drop-words", True),
        ("fragment(share=0.01)", True),
        ("template", False),
    ],
)
def test_a_copy_that_shares_nothing_is_not_related(name: str, related: bool) -> None:
    assert mangler(name).related is related
