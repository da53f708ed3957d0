from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdtext.parts.readers.pdf_right_to_left import in_reading_order
from tests.parts.readers.pdfs import Stream, bare, document, to_unicode_map, words_of
from tests.support.cases import cases

ALEFS, DUAL = "اأإآ", "بتسعفكلمنيه"
RIGHT = ALEFS + "دذرزوة"
LAM_ALEF = [f"ل{alef}" for alef in ALEFS]


def page(*words: Sequence[str]) -> bytes:
    """A page with a line of words of glyphs, each given by its letters in reading order.

    The line is in visual order: the first glyph stands on the right.
    """
    glyphs = [glyph for word in words for glyph in (*word, " ")][:-1]
    codes = {glyph: 128 + place for place, glyph in enumerate(sorted(set(glyphs) - {" "}))}
    line = bytes(codes.get(glyph, 32) for glyph in reversed(glyphs))
    content = b"BT /F 10 Tf 72 800 Td <%s> Tj ET" % line.hex().encode()
    return bare([Stream(content)], Stream(to_unicode_map(codes)))


@cases("ligature", LAM_ALEF)
def test_lam_and_alef_in_one_glyph_come_in_reading_order(tmp_path: Path, ligature: str) -> None:
    data = page(["ا", ligature, "ر", "ض"], ["س", "لا", "م"])
    assert words_of(document(tmp_path / "a.pdf", data)) == f"ا{ligature}رض سلام"


def test_a_phrase_of_one_glyph_is_read_in_its_order() -> None:
    assert in_reading_order("هللا", lambda _: [1, 1, 1, 1]) == "الله"
    assert in_reading_order("الله", lambda _: [1, 1, 1, 1]) == "الله"
    assert in_reading_order("الله", lambda _: [1, 2, 3, 4]) == "الله"


LIGATURES = st.one_of(
    st.text(DUAL + RIGHT, min_size=1, max_size=1),
    st.builds("".join, st.tuples(st.text(DUAL, min_size=1, max_size=2), st.sampled_from(RIGHT))),
    st.text(DUAL, min_size=2, max_size=3),
)


@given(words=st.lists(st.lists(LIGATURES, min_size=1, max_size=6), min_size=1, max_size=6))
def test_any_ligatures_are_turned_and_right_ones_are_left_alone(words: list[list[str]]) -> None:
    # Enough of lam and alef decide for those that may be joined in either order.
    words = [["لا"], ["سلا", "م"], *words, *([["لا"]] * sum(map(len, words)))]
    glyphs = [glyph for word in words for glyph in (*word, " ")]
    right = "".join(glyphs)
    wrong = "".join(glyph[::-1] for glyph in glyphs)
    numbers = [place for place, glyph in enumerate(glyphs) for _ in glyph]
    assert in_reading_order(wrong, lambda places: [numbers[place] for place in places]) == right
    assert in_reading_order(right, lambda places: [numbers[place] for place in places]) == right
