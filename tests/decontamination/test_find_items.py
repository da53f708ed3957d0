"""Items in texts: every form that they stand in, what is near them, and what is none of them."""

import re
from random import Random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.decontamination import find_items
from sdtext.decontamination.benchmark_items import BenchmarkItem
from sdtext.decontamination.find_items import Benchmark, ItemMatch
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.reuse.seed_finder import term_hashes
from sdtext.text.document import Document

_WORDS = [
    f"{first}{second}{third}" for first in "bdfgk" for second in "aeiou" for third in "lmnrst"
]
_ITEM = st.lists(st.sampled_from(_WORDS), min_size=8, max_size=40, unique=True)
QUESTION = "How do bees show other bees the way to a distant meadow full of flowers?"


def matches_in(text: str, *questions: str, **item: tuple[str, ...]) -> list[ItemMatch]:
    items = [BenchmarkItem(str(place), (text,), **item) for place, text in enumerate(questions)]
    document = Document.of(text, "page")
    return Benchmark.of(items).find([document.clean], lambda _: document).get(0, [])


def plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@given(words=_ITEM, seed=st.integers(0, 99), form=st.sampled_from(["paragraph", "lines", "inline"]))
def test_an_item_is_found_where_it_stands(words: list[str], seed: int, form: str) -> None:
    around = [word.upper() + "x" for word in Random(seed).choices(_WORDS, k=30)]
    before, after = " ".join(around[:15]), " ".join(around[15:])
    lines = [" ".join(words[at : at + 4]) for at in range(0, len(words), 4)]
    text = {
        "paragraph": f"{before}.\n\n{' '.join(words).capitalize()}?\n\n{after}",
        "lines": f"{before}\n" + "\n".join(lines) + f"\n{after}",
        "inline": f"{before} “{' '.join(words)}” {after}",
    }[form]
    (match,) = matches_in(text, " ".join(words))
    assert (match.share, match.score, match.words) == (1.0, 99, len(words))
    assert plain(text[match.start : match.end]) == words


def test_offsets_are_those_of_the_text_with_disguises() -> None:
    text = "Q\u200buiz: " + QUESTION.replace("bees", "b\u200bees") + " By a dance."
    (match,) = matches_in(text, QUESTION)
    assert text[match.start : match.end] == QUESTION.replace("bees", "b\u200bees")


def test_an_item_that_stands_twice_is_two_matches() -> None:
    text = f"{QUESTION}\n{'Nothing of the kind. ' * 30}\n{QUESTION}"
    spans = [text[match.start : match.end] for match in matches_in(text, QUESTION)]
    assert spans == [QUESTION, QUESTION]


def test_common_phrases_are_no_items() -> None:
    question = "What is it that you have to do with all of this?"
    benchmark = Benchmark.of([BenchmarkItem("1", (question,)), BenchmarkItem("2", ("Too short?",))])
    assert (benchmark.searched, benchmark.common, benchmark.short) == (0, 1, 1)
    assert benchmark.find([question], lambda _: Document.of(question)) == {}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (f"{QUESTION} Easy: BY A DANCE!", "near"),
        (f"They dance. {QUESTION} Nobody knows.", "absent"),
        (f"{QUESTION} {'no ' * 60} by a dance", "absent"),
        (f"By a dance. {QUESTION}", "near"),
    ],
)
def test_an_answer_is_near_or_absent(text: str, answer: str) -> None:
    (match,) = matches_in(text, QUESTION, answers=("by a dance", "with a dance"))
    assert match.answer == answer


def test_equal_hashes_of_other_words_are_no_match() -> None:
    """Were all words to collide, all texts would be candidates, and the same items be found."""

    def colliding(encoder: Encoder, texts: list[str]) -> Ragged:
        rows = of_words(encoder, texts)
        return Ragged(np.zeros_like(rows.values), rows.offsets)

    of_words = term_hashes
    text = "Quiz about the sea and its fish, which are many and live in great depths. "
    expected = matches_in(text * 3 + QUESTION, QUESTION)
    with mock.patch.object(find_items, "term_hashes", colliding):
        assert matches_in(text * 3, QUESTION) == []
        assert matches_in(text * 3 + QUESTION, QUESTION)[0].start == expected[0].start


SIBLINGS = (
    "Which official currency do shops accept in the small mountain country of {}?",
    "A farmer sells {} baskets of ripe apples each week; how many does she sell a month?",
    "How long does it take to prepare and bake a traditional dish made with {} at home?",
)


@pytest.mark.parametrize("template", SIBLINGS)
def test_a_sibling_question_is_marked_by_what_differs(template: str) -> None:
    names = [first + second for first in ("Bor", "Kal", "Ven") for second in ("dia", "mar", "ti")]
    own = [*range(13, 22)] if "baskets" in template else names
    own = [*map(str.lower, names)] if "dish" in template else own
    items = [BenchmarkItem(str(word), (template.format(word),)) for word in own[:5]]
    benchmark = Benchmark.of(items)
    texts = [f"Quiz. {template.format(word)} Think!" for word in own]
    found = benchmark.find(texts, lambda place: Document.of(texts[place], str(place)))
    differing = {
        (match.record, match.item): match.differs for matches in found.values() for match in matches
    }
    assert len(differing) >= 9
    for (record, item), differs in differing.items():
        assert differs == ("" if str(own[int(record)]) == item else item)


def test_an_edited_copy_of_a_question_is_not_marked() -> None:
    others = [" ".join(Random(place).sample(_WORDS, 12)) for place in range(5)]
    items = [BenchmarkItem(str(place), (text,)) for place, text in enumerate([QUESTION, *others])]
    text = QUESTION.replace("the way", "the path")
    [match] = Benchmark.of(items).find([text], lambda _: Document.of(text))[0]
    assert match.differs == ""


def test_each_question_of_an_item_is_searched_for_by_itself() -> None:
    passage = " ".join(Random(1).sample(_WORDS, 90))
    item = BenchmarkItem("7", (passage, QUESTION, "Why?"), ("dance",))
    benchmark = Benchmark.of([item, BenchmarkItem("8", ("?",))])
    assert (benchmark.searched, benchmark.short) == (1, 1)
    for text in (f"Quiz: {QUESTION} A dance.", f"It is said: {passage} A dance."):
        [match] = benchmark.find([text], {0: Document.of(text)}.__getitem__)[0]
        assert (match.item, match.score, match.answer) == ("7", 99, "near")
