"""Text of PDF pages whose script runs from right to left."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.parts.readers.pdf_right_to_left import in_logical_order, in_reading_order
from tests.parts.readers.pdfs import Stream, bare, document, to_unicode_map, words_of
from tests.support.cases import cases

SIZE = 10.0
MIRRORED = str.maketrans("()«»", ")(»«")
HEBREW, ARABIC = "אבגדהוזחטיכלמנסעפצקרשת", "ابتثجحخدذرزسشصضطظعغفقكمنهوي"
MARKS = {"ְ": -5, "ִ": -2, "ֵ": 2, "ַ": 4, "ָ": 6}  # and where they stand
POINTED = [letter + point for letter in "אבגדה" for point in MARKS]


@dataclass(frozen=True)
class Page:
    """Glyphs of one unit's width, in the order in which PDFium has them."""

    text: str
    points: Sequence[tuple[float, float]]

    def in_order(self) -> tuple[str, list[int]]:
        return in_logical_order(self.text, self.points, [x + 1 for x, _ in self.points], self.size)

    def size(self, place: int) -> float:
        return SIZE if self.text[place] != " " else 1.0


def drawn(words: Sequence[Sequence[str]], y: float) -> list[tuple[str, float, float]]:
    """The glyphs of a line of words from right to left, a word of other letters turned."""
    glyphs: list[tuple[str, float, float]] = []
    x = 500.0
    for word in words:
        is_turned = word[0].isascii() and word[0].isalnum()
        shown = word[::-1] if is_turned else [letter.translate(MIRRORED) for letter in word]
        for glyph in shown:
            x -= 1
            letter, marks = glyph[0], glyph[1:]
            glyphs += [(letter, x, y), *((mark, x, y + MARKS[mark]) for mark in marks)]
        x -= 4
    return glyphs


def page(lines: Sequence[Sequence[Sequence[str]]], choose: random.Random) -> Page:
    """A page whose lines PDFium has in any order of their glyphs, a line of marks by itself."""
    rows: list[tuple[str, float, float]] = []
    for number, words in enumerate(lines):
        glyphs = drawn(words, -20.0 * number)
        choose.shuffle(glyphs)
        marks = [glyph for glyph in glyphs if glyph[2] % 20]
        if choose.random() < 0.5:
            marks = [row for mark in marks for row in (mark, ("\n", 0, mark[2]))]
            glyphs = [*marks, *(each for each in glyphs if not each[2] % 20)]
        rows += [*glyphs, ("\n", 0, 0)]
    return Page("".join(char for char, _, _ in rows), [(x, y) for _, x, y in rows])


RIGHT = st.one_of(
    st.text(HEBREW, min_size=2, max_size=8).map(list),
    st.text(ARABIC, min_size=2, max_size=8).map(list),
    st.lists(st.sampled_from(POINTED), min_size=2, max_size=5),
    st.sampled_from(["(אב)", "«كتاب»", "שלום.", "نعم،"]).map(list),
)
LEFT = st.sampled_from(["1948", "12/2020", "1,250", "WHO", "a(0)b", "internationalisation"]).map(
    list
)
LINE = st.tuples(RIGHT, RIGHT, RIGHT, LEFT, RIGHT).map(list)


@given(lines=st.lists(LINE, min_size=1, max_size=4), choose=st.randoms(use_true_random=False))
def test_lines_are_in_logical_order_however_they_are_drawn(
    lines: list[list[list[str]]], choose: random.Random
) -> None:
    lines = [*lines, [[*HEBREW]] * 3]  # most letters of the page are of these scripts
    drawing = page(lines, choose)
    text, order = drawing.in_order()
    expected = ["".join(" ".join(map("".join, words))) for words in lines]
    assert text.splitlines() == expected
    assert len(order) == len(text)
    assert all(
        drawing.text[place] == char or char in " ()«»"
        for char, place in zip(text, order, strict=True)
    )


@cases(
    "line, shown",
    [
        ("13.3.3. Xfce وغيره", "هريغو Xfce .13.3.3"),
        ("نوع (socket): stream ثم", "مث stream :(socket) عون"),
        ("نعم rw، suid، dev إلى", "ىلإ rw، suid، dev معن"),
        ("ثم نعم مرة (HTTP)", "(HTTP( ةرم معن مث"),
        ("نعم وATTRS{attributes} هي", "يه ATTRS{attributes{و معن"),
        ("في argv[0] ثم", "مث argv[0] يف"),
    ],
)
def test_lists_and_brackets_stay_with_their_words(line: str, shown: str) -> None:
    points = [(place + 3.0 * shown.count(" ", 0, place), 0.0) for place in range(len(shown))]
    several = f"{shown}\n{HEBREW * 2}"  # most letters of the page are of these scripts
    points += [(0.0, 0.0), *((-float(place), -20.0) for place in range(len(HEBREW * 2)))]
    assert Page(several, points).in_order()[0].splitlines()[0] == line


def test_letters_of_one_glyph_are_read_from_left_to_right() -> None:
    points = [(x, 0.0) for x in (0.0, 4.0, 4.0, 6.0, 10.0)]
    text, _ = in_logical_order("afibب", points, [1.0, 5.0, 6.0, 7.0, 11.0], lambda _: SIZE)
    assert text.replace(" ", "") == "afibب"


WORDS = st.lists(st.text(ARABIC, min_size=2, max_size=9), min_size=3, max_size=9)


@given(words=WORDS, kept=st.booleans())
def test_blanks_stand_where_they_are_drawn(words: list[str], *, kept: bool) -> None:
    """Between letters that are far from one another; PDFium has one itself, without a width."""
    text = " ".join(words)
    points = [(-2.6 * place, 0.0) for place in range(len(text))]
    shown = [place for place, char in enumerate(text) if kept or char != " "]
    blanks = [points[place] for place in range(len(text)) if place not in shown]
    widths = [(place != text.rfind(" ")) / 2 for place in shown]
    points = [points[place] for place in shown]
    rights = [x + width for (x, _), width in zip(points, widths, strict=True)]
    page_text = "".join(text[place] for place in shown)
    assert in_logical_order(page_text, points, rights, lambda _: SIZE, blanks)[0] == text


@cases("text", ["plain text", "A line of English with אב in it", "1948", ""])
def test_other_lines_stay(text: str) -> None:
    points = [(place + 3.0 * text.count(" ", 0, place), 0.0) for place in range(len(text))]
    assert Page(text.replace("אב", "בא"), points).in_order()[0] == text


ALEFS, DUAL = "اأإآ", "بتسعفكلمنيه"
LAST = ALEFS + "دذرزوة"
LAM_ALEF = [f"ل{alef}" for alef in ALEFS]


def ligature_page(*words: Sequence[str]) -> bytes:
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
    data = ligature_page(["ا", ligature, "ر", "ض"], ["س", "لا", "م"])
    assert words_of(document(tmp_path / "a.pdf", data)) == f"ا{ligature}رض سلام"


def test_a_phrase_of_one_glyph_is_read_in_its_order() -> None:
    assert in_reading_order("هللا", [1, 1, 1, 1]) == "الله"
    assert in_reading_order("الله", [1, 1, 1, 1]) == "الله"
    assert in_reading_order("الله", [1, 2, 3, 4]) == "الله"


LIGATURES = st.one_of(
    st.text(DUAL + LAST, min_size=1, max_size=1),
    st.builds("".join, st.tuples(st.text(DUAL, min_size=1, max_size=2), st.sampled_from(LAST))),
    st.text(DUAL, min_size=2, max_size=3),
)


@example(words=[["معل"]])
@given(words=st.lists(st.lists(LIGATURES, min_size=1, max_size=6), min_size=1, max_size=6))
def test_any_ligatures_are_turned_and_right_ones_are_left_alone(words: list[list[str]]) -> None:
    # Enough of lam and alef decide for those that may be joined in either order.
    words = [["لا"], ["سلا", "م"], *words, *([["لا"]] * sum(map(len, words)))]
    glyphs = [glyph for word in words for glyph in (*word, " ")]
    right = "".join(glyphs)
    wrong = "".join(glyph[::-1] for glyph in glyphs)
    numbers = [place for place, glyph in enumerate(glyphs) for _ in glyph]
    assert in_reading_order(wrong, numbers) == right
    assert in_reading_order(right, numbers) == right
