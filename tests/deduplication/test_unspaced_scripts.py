"""Deduplication of texts whose scripts have no blanks between words."""

import re
from typing import Any

import pytest

import sdtext
from sdtext.model import Problem
from tests.support.command import chance

LETTERS = {
    "chinese": "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动",
    "japanese": "のにはをたがでてとしれさあるいるもする日本語人年大会的カタナアイウエオー々国東京",
    "thai": "กขคงจฉชซญดตถทธนบปผพฟมยรลวสหอฮเแโไใ",
    "lao": "ກຂຄງຈສຊຍດຕຖທນບປຜຝພຟມຢຣລວຫອຮເແໂໄໃ",
    "khmer": "កខគឃងចឆជឈញដឋឌឍណតថទធនបផពភមយរលវសហឡអ",
    "burmese": "ကခဂဃငစဆဇဈညဋဌဍဎဏတထဒဓနပဖဗဘမယရလဝသဟဠအ",
    "tibetan": "ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚཛཝཞཟའཡརལཤསཧཨ",
}
MARKS = {"thai": "ิีึื่้", "lao": "ິີຶື່້", "khmer": "ិីឹឺុូ", "burmese": "ိီုူ", "tibetan": "ིེོུ"}
TEXTS = 40


def texts_in(script: str) -> list[str]:
    """Paragraphs of some sentences without blanks, of 130 to 300 letters."""
    draw = chance(7)

    def sentence() -> str:
        letters = (
            draw.choice(LETTERS[script])
            + (draw.choice(MARKS[script]) if script in MARKS and draw.random() < 0.3 else "")
            for _ in range(draw.randint(12, 20))
        )
        return "".join(letters)

    stop = {"chinese": "。", "japanese": "。", "tibetan": "།", "khmer": "។"}.get(script, " ")
    return [stop.join(sentence() for _ in range(draw.randint(11, 16))) for _ in range(TEXTS)]


def with_one_letter_changed(text: str, script: str) -> str:
    middle = next(
        place for place in range(len(text) // 2, len(text)) if text[place] in LETTERS[script]
    )
    other = next(letter for letter in LETTERS[script] if letter != text[middle])
    return text[:middle] + other + text[middle + 1 :]


def in_lines(text: str) -> str:
    """The text in lines of some 31 letters, as other programs break it; marks stay with letters."""
    return re.sub(r"(.{31}\W*)(?=\w)", r"\1\n", text)


def deduplicated(texts: list[str], **options: Any) -> sdtext.Deduplication:
    return sdtext.deduplicate([{"text": text} for text in texts], **options)


def problems_of(done: sdtext.Deduplication) -> list[Problem]:
    return [each for each in done.problems if each.category == "few-shingles"]


@pytest.mark.parametrize("script", LETTERS)
def test_slightly_changed_copies_are_removed(script: str) -> None:
    texts = texts_in(script)
    changed = [with_one_letter_changed(text, script) for text in texts]
    done = deduplicated([*texts, *changed, *map(in_lines, texts)])
    assert len(done.removed) == 2 * TEXTS
    pairs = [(int(row.kept), int(row.document)) for row in done.removed]
    assert all(kept == document - TEXTS for kept, document in pairs[:TEXTS])
    assert all(row.score == 99 for row in done.removed[TEXTS:])
    assert not problems_of(done)


@pytest.mark.parametrize("number", [2, 6, 12, 20, 30, 48, 49, 80])
def test_a_warning_says_what_one_changed_word_costs_short_texts(number: int) -> None:
    words = [f"word{place}" for place in range(number)]
    changed = [*words[: number // 2], "other", *words[number // 2 + 1 :]]
    both = [" ".join(words), " ".join(changed)]
    score = sdtext.similarity(*both, recipe="deduplicate").score or 0
    problems = problems_of(deduplicated(both))
    assert len(problems) == (score < 80)
    if problems:
        assert f"score to {score}, below the minimum 80" in problems[0].message
    assert problems_of(deduplicated(both, similarity=0.8)) == problems
    assert not problems_of(deduplicated(both, similarity=0.79))
    units = [deduplicated(both, recipe=name).how for name in ("deduplicate", "short-texts")]
    assert [(" words " in how, " characters " in how) for how in units] == [
        (True, False),
        (False, True),
    ]
