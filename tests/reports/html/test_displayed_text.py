"""The text of a document as a page displays it."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.reports.html.displayed_text import MOST_MARKS, displayed_text
from tests.support.command import prose


@example("word " * 9000)
@example("x" * 30_000)
@example(f"{'w' * 70}\n" * 900)
@given(st.text(alphabet=st.sampled_from("ab1 \n\f\u202e\ufeff\u6587\U0001f600"), max_size=300))
def test_offsets_stay_and_blocks_are_short(text: str) -> None:
    displayed = displayed_text(text)
    assert len(displayed["text"]) == len(text)
    assert not set("\f\u202e\ufeff") & set(displayed["text"])
    pairs = list(zip(text, displayed["text"], strict=True))
    assert all(shown.isspace() for character, shown in pairs if character.isspace())
    bounds = [0, *displayed["blocks"], len(text.encode("utf-16-le")) // 2]
    assert all(before < after <= before + 2 * 9000 for before, after in pairwise(bounds) if text)


def test_lines_within_paragraphs_flow_and_others_stay() -> None:
    line = "A line of so many words that it had to be wrapped by hand,"
    text = f"{line}\n{line}\n  {line}\nshort\n{line}\n"
    assert displayed_text(text)["text"] == f"{line} {line}\n  {line} short\n{line}\n"
    chinese = ("\u6587" * 60 + "\n") * 3
    assert displayed_text(chinese)["text"] == chinese


def test_words_on_both_sides_of_a_page_break_stay_apart() -> None:
    assert displayed_text("We have so\fmuch of it.")["text"] == "We have so\nmuch of it."
    line = "A line of so many words that it had to be wrapped by hand,"
    assert displayed_text(f"{line}\f{line}\n{line}\n")["text"] == f"{line} {line} {line}\n"


def test_notes_count_what_is_marked() -> None:
    disguised = " ".join("p\u200ba\u200bper" for _ in range(MOST_MARKS + 1))
    displayed = displayed_text(f"{prose(1)} {disguised}")
    assert len(displayed["disguises"]) == MOST_MARKS
    assert displayed["notes"] == [
        "has 10,002 invisible or reversing characters, shown as \u25af where they stand.",
        "is disguised: 10002 zero-width characters; marked in the first 5,000 places.",
    ]
    assert displayed_text(prose(1))["notes"] == []
