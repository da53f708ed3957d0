import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.text.cut_text import cut_at
from sdtext.text.disguises import undisguised
from sdtext.text.line_joins import joined_lines, outside_of_runs
from sdtext.text.normal_form import clean
from tests.support.strategies import blocks

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
