"""Segments of the stream of terms, against a slow oracle."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Place, Tokens
from sdtext.parts.units.term_segments import Segment
from tests.support.cases import cases

SEGMENTS = st.integers(1, 12).flatmap(
    lambda tokens: st.builds(Segment, st.just(tokens), st.integers(0, tokens))
)


@st.composite
def streams(draw: st.DrawFn) -> Tokens:
    """Terms with places that rise, with gaps between them."""
    gaps = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9)), max_size=40))
    starts, ends, place = [], [], 0
    for gap, length in gaps:
        starts.append(place + gap)
        place += gap + length
        ends.append(place)
    return Tokens([f"w{number}" for number in range(len(gaps))], starts, ends)


def parts_of(tokens: Tokens, cuts: Sequence[int]) -> Iterator[Tokens]:
    """The stream in pieces that begin at `cuts`, some of them empty."""
    edges = [0, *sorted(cut % (len(tokens.words) + 1) for cut in cuts), len(tokens.words)]
    for start, end in pairwise(edges):
        cut = slice(start, end)
        yield Tokens(tokens.words[cut], tokens.starts[cut], tokens.ends[cut])


def by_definition(tokens: Tokens, segment: Segment) -> list[tuple[list[str], Place]]:
    """Segments begin every `step` terms; the first that reaches the end is the last."""
    number, result = len(tokens.words), []
    for first in range(0, number, segment.step or segment.tokens):
        last = min(first + segment.tokens, number)
        offset = tokens.starts[first]
        place = Place(first, last - first, offset, tokens.ends[last - 1] - offset)
        result.append((list(tokens.words[first:last]), place))
        if last == number:
            break
    return result


@given(streams(), SEGMENTS, st.lists(st.integers(0, 99), max_size=6))
def test_segments_are_those_of_the_definition_in_whatever_pieces_the_stream_comes(
    tokens: Tokens, segment: Segment, cuts: list[int]
) -> None:
    expected = by_definition(tokens, segment)
    assert list(segment([tokens])) == expected
    assert list(segment(parts_of(tokens, cuts))) == expected


def test_segments_come_while_the_stream_still_runs() -> None:
    def endless() -> Iterator[Tokens]:
        while True:
            yield Tokens(["a"], [0], [1])

    result = Segment(3, 1)(endless())
    assert [next(result)[1].first for _ in range(100)] == list(range(100))


@cases("text, segment", [
    ("1", Segment(1)), ("1000", Segment(1000)), ("1000/500", Segment(1000, 500)),
    ("7/7", Segment(7, 7)), ("007/01", Segment(7, 1)), ("1000000000", Segment(10**9)),
])  # fmt: skip
def test_what_spells_segments(text: str, segment: Segment) -> None:
    assert Segment.parse(text) == segment
