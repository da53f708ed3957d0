"""What every filter of the registry keeps to."""

import sys
from collections.abc import Callable

import regex
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import PartSpec
from sdtext.parts.filters import Filter
from sdtext.parts.registry import PARTS, build, find
from tests.support.cases import cases
from tests.support.strategies import BRISK, TEXTS, WORDS, specs_of

FILTERS = sorted(PARTS["filters"])
# Those that say so, for some of their options at least.
CHARACTERWISE = [
    name for name in FILTERS if find("filters", name).characterwise is not Filter.characterwise
]
WHITE_SPACE = "".join(filter(str.isspace, map(chr, range(sys.maxunicode + 1))))


@cases("name", FILTERS)
@BRISK
@given(pick=st.data(), words=st.lists(WORDS | st.text(), max_size=3))
def test_a_filter_is_pure_and_adds_nothing(
    name: str, pick: st.DataObject, words: list[str]
) -> None:
    spec = pick.draw(specs_of(name))
    clean = build("filters", spec)
    forward = [clean(word) for word in words]
    assert [clean(word) for word in reversed(words)] == forward[::-1]
    assert [build("filters", spec)(word) for word in words] == forward
    for word, result in zip(words, forward, strict=True):
        assert isinstance(result, str)
        assert {char for char in result if char.isspace()} <= set(word)


def _characterwise(name: str) -> st.SearchStrategy[Callable[[str], str]]:
    """A filter of that name, with such options that it is characterwise."""
    parts = specs_of(name).map(lambda spec: build("filters", spec))
    return parts.map(lambda part: part if part.characterwise else build("filters", PartSpec(name)))


@cases("name", CHARACTERWISE)
@given(pick=st.data(), text=st.text() | TEXTS)
def test_a_characterwise_filter_treats_each_letter_with_its_marks_on_its_own(
    name: str, pick: st.DataObject, text: str
) -> None:
    clean = pick.draw(_characterwise(name))
    text = text.replace("Σ", "σ")
    assert clean(text) == "".join(map(clean, regex.findall(r"\X", text)))


@cases("name", CHARACTERWISE)
@given(pick=st.data())
def test_a_characterwise_filter_leaves_white_space_and_gives_one_ascii_character_for_one(
    name: str, pick: st.DataObject
) -> None:
    clean = pick.draw(_characterwise(name))
    assert clean(WHITE_SPACE) == WHITE_SPACE
    result = [clean(chr(code)) for code in range(128)]
    assert all(len(char) <= 1 and char.isascii() for char in result)


def test_some_filters_are_characterwise_and_some_are_not() -> None:
    assert {"lowercase", "strip-punctuation"} <= set(CHARACTERWISE) < set(FILTERS)
