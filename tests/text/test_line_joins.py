"""Chinese and Japanese without the line ends within words."""

import re
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unicodedata import normalize

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.model import PartSpec
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.text.cut_text import cut_at
from sdtext.text.disguises import undisguised
from sdtext.text.document import Document
from sdtext.text.line_joins import dehyphenated_with_map, joined_lines, outside_of_runs
from sdtext.text.normal_form import clean
from tests.parts.readers.pdfs import pdf
from tests.support.strategies import BRISK, blocks

MARKS = "\ufffe\x02\xad"
_ATOMS = (*"aeBZéßﬁªʰΣσǅ語ش1_.(", *MARKS, *"-\u2010\u2011", *" \t\xa0\n\f", "\r\n", "-\n", "-\r\n ")
LINES = st.lists(st.sampled_from(_ATOMS), max_size=30).map("".join)
"""Texts in which letters, hyphens, marks of engines and line ends stand close together."""

GLYPHS = st.lists(st.sampled_from([*_ATOMS, "(cid:12)", "(cid:", "12)"]), max_size=30).map("".join)
"""The same with glyphs that no font explains."""

_LETTERS = "abcdeABCéß語ﬁ²½Å"
_WORD = st.text(st.sampled_from(_LETTERS), min_size=1, max_size=8)
_LINE = st.lists(_WORD | st.sampled_from(["-", "\xad", "e\u0301"]), min_size=1, max_size=6)
PAGES = st.lists(
    st.lists(
        st.tuples(_LINE.map(" ".join), st.sampled_from(["", "-", "\xad", "\u2010"])).map("".join),
        min_size=1,
        max_size=4,
    ).map("\n".join),
    min_size=1,
    max_size=2,
)
"""Pages of lines, many of which end in a hyphen."""


def by_the_rule(text: str) -> str:
    """The text in NFKC with its parted words joined, each step as the rule writes it."""
    text = normalize("NFKC", text.replace("\r\n", "\n"))
    text = regex.sub(rf"(?<=\p{{L}})[{MARKS}](?:[ \t]*[\n\f]\s*)?(?=\p{{L}})", "", text)
    hyphen = r"(?<=\p{L})([-\u2010])[ \t]*[\n\f]\s*(?=(\p{L}))"

    def put(match: regex.Match[str]) -> str:
        return "" if match[2].islower() else str(match[1])

    return str(regex.sub(hyphen, put, text))


@given(text=LINES)
@example("a\xadb\xadc-\nd")
@example("a\ufffe\fb-\fc")
def test_the_outcome_is_that_of_the_rule_applied_step_by_step(text: str) -> None:
    result = normalize("NFKC", dehyphenated_with_map(text)[0].replace("\r\n", "\n"))
    assert result == by_the_rule(text)


@given(text=GLYPHS)
def test_nothing_goes_but_hyphens_blanks_and_glyphs_and_offsets_lead_back(text: str) -> None:
    def bare(some: str) -> str:
        return re.sub(rf"\(cid:\d{{1,9}}\)|[-\u2010\u2011{MARKS}\s]", "", some)

    words, back = dehyphenated_with_map(text)
    assert bare(words) in (bare(text), bare(bare(text)))
    assert len(words) <= len(text)
    if back is None:
        assert words == text
        return
    starts = [back.start(place) for place in range(len(words))]
    assert "".join(text[start] for start in starts) == words
    assert [back.end(place + 1) for place in range(len(words))] == [start + 1 for start in starts]
    assert starts == sorted(set(starts))


@pytest.mark.parametrize(
    "piece",
    ["-\n", "- \t", "\xad ", "\xad\n ", "a-\n", "a-\nb", "A-\nB", "(cid:1", "(cid:1)", " ", "-",
     "\n", "-\r", "a\xad", "\r\n"],
)  # fmt: skip
def test_a_long_text_is_joined_in_linear_time(piece: str) -> None:
    for begin in ("", "a-", "a\xad", "a-\n"):
        text = begin + piece * ((1 << 15) // len(piece))
        began = time.process_time()
        dehyphenated_with_map(text)
        assert time.process_time() - began < 1, begin  # hundredths; a square takes four seconds


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[str], str], Document]:
    path: Path = tmp_path_factory.mktemp("pdf") / "file.pdf"

    def document(pages: list[str], engine: str) -> Document:
        path.write_bytes(pdf(pages))
        return read(path, reading=Reading(readers=(PartSpec.of("pdf", engine=engine),)))

    return document


@pytest.mark.parametrize("engine", ["pypdfium2", "pdfminer"])
@BRISK
@given(pages=PAGES)
def test_every_word_of_a_pdf_leads_back_to_its_letters(
    printed: Callable[[list[str], str], Document], engine: str, pages: list[str]
) -> None:
    document = printed(["begin\n" + page for page in pages], engine)
    for match in re.finditer(r"\S+", document.clean):
        start, end = match.span()
        if document.offset_map:
            start, end = document.offset_map.start(start), document.offset_map.end(end)
        there = normalize("NFKC", document.text[start:end])
        letters = [char for char in match[0] if char.isalpha()]
        assert "".join(letters) in "".join(char for char in there if char.isalpha())


ATOMS = [*"中国がกัa1 \n\r\t。，\u3000\u200b\u0301\x0c\x1c\uf900", "\r\n", "\n\n", " \n "]


def test_other_line_ends_stay() -> None:
    paragraphs = "中国\n\n人民", "中国\n \n人民", "中国\r\n\r\n人民", "中国\u2029人民"
    blanks = "한국\n사람", "ที่นี่\n\nมา", "๑\nที่นี่", "中国\n\u3000\u3000人民", "中国\n", "\n中国"
    others = "the bees\nand the\nhive", "naïve “bees”\nand", "中国。\n人民", "中国\nbees\n人民"
    for text in (*paragraphs, *blanks, *others, "2024\n中国"):
        assert joined_lines(text) == (text, None)


@given(atoms=st.lists(st.sampled_from(ATOMS), max_size=30))
def test_line_ends_that_stay_are_not_between_letters(atoms: list[str]) -> None:
    joined, _ = joined_lines("".join(atoms))
    assert not re.search("[中国がกั\uf900][ \t]*(?:\r\n|\n|\r)[ \t]*[中国がกั\uf900]", joined)
    assert joined_lines(joined) == (joined, None)


@given(
    cut=blocks() | st.lists(st.lists(st.sampled_from(ATOMS), max_size=8).map("".join), max_size=6)
)
@example(cut=["中\n", "国"])
@example(cut=["中 ", "\n国"])
@example(cut=["。中\n", "国\n", "人"])
def test_a_text_is_cut_where_no_lines_are_joined(cut: list[str]) -> None:
    pieces = [clean(undisguised(piece).text) for piece in cut_at(cut, outside_of_runs())]
    joined = [joined_lines(piece)[0] for piece in pieces]
    assert "".join(joined) == joined_lines("".join(pieces))[0]


@pytest.mark.parametrize(
    "text", ["The bees are in the hive.\n", "我们的城市在河边，\n人们散步。\n"]
)
def test_pieces_stay_short_where_other_characters_stand_beside_blanks(text: str) -> None:
    parts = [text * 20] * 20
    pieces = [*cut_at(parts, outside_of_runs())]
    assert max(map(len, pieces)) <= 2 * len(parts[0])
    assert all(before[-1] in " \n" for before, _ in pairwise(pieces))
