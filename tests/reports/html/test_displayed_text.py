"""The text of a document as a page displays it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.reports.html.evidence_page import MOST_MARKS, DisplayedText
from tests.cli.command import prose


@example("word " * 9000)
@example("x" * 30_000)
@example(f"{'w' * 70}\n" * 900)
@given(st.text(alphabet=st.sampled_from("ab1 \n\f\u202e\ufeff\u6587\U0001f600"), max_size=300))
def test_offsets_stay_and_blocks_are_short(text: str) -> None:
    displayed = DisplayedText.of(text)
    assert len(displayed.text) == len(text)
    assert not set("\f\u202e\ufeff") & set(displayed.text)
    pairs = list(zip(text, displayed.text, strict=True))
    assert all(shown.isspace() for character, shown in pairs if character.isspace())
    bounds = [0, *displayed.blocks, len(text)]
    assert all(before < after <= before + 9000 for before, after in pairwise(bounds) if text)


def test_lines_within_paragraphs_flow_and_others_stay() -> None:
    line = "A line of so many words that it had to be wrapped by hand,"
    text = f"{line}\n{line}\n  {line}\nshort\n{line}\n"
    assert DisplayedText.of(text).text == f"{line} {line}\n  {line} short\n{line}\n"
    chinese = ("\u6587" * 60 + "\n") * 3
    assert DisplayedText.of(chinese).text == chinese


def test_words_on_both_sides_of_a_page_break_stay_apart() -> None:
    assert DisplayedText.of("We have so\fmuch of it.").text == "We have so\nmuch of it."
    line = "A line of so many words that it had to be wrapped by hand,"
    assert DisplayedText.of(f"{line}\f{line}\n{line}\n").text == f"{line} {line} {line}\n"


def test_notes_count_what_is_marked() -> None:
    disguised = " ".join("p\u200ba\u200bper" for _ in range(MOST_MARKS + 1))
    displayed = DisplayedText.of(f"{prose(1)} {disguised}")
    assert len(displayed.disguises) == MOST_MARKS
    assert displayed.notes == [
        "has 10,002 invisible or reversing characters, shown as \u25af where they stand.",
        "is disguised: 10002 zero-width characters; marked in the first 5,000 places.",
    ]
    assert DisplayedText.of(prose(1)).notes == []
