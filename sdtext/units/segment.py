"""Segments of the stream of terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.model import Place, Tokens


@dataclass(frozen=True)
class Segment:
    """Stretches of `tokens` terms, one beginning `step` terms behind the other.

    Without `step` they stand end to end. The last one is shorter where terms run out.

    >>> stream = [Tokens(["a", "b", "c"], [0, 2, 4], [1, 3, 5])]
    >>> [words for words, _ in Segment(tokens=2)(stream)]
    [['a', 'b'], ['c']]
    """

    tokens: int
    step: int = 0

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise OptionError.of("segment", "tokens", self.tokens, "1 or more")
        if not 0 <= self.step <= self.tokens:
            wanted = f"1 to {self.tokens}, lest terms fall between segments"
            raise OptionError.of("segment", "step", self.step, wanted)

    @classmethod
    def parse(cls, text: str) -> Segment:
        """The segments that TOKENS or TOKENS/STEP spells. Raises OptionError.

        >>> Segment.parse("1000/500")
        Segment(tokens=1000, step=500)
        """
        tokens, slash, step = text.partition("/")
        if not (_is_count(tokens) and (_is_count(step) if slash else True)):
            raise OptionError.of("segment", "length", text, "TOKENS or TOKENS/STEP, as 1000/500")
        return cls(int(tokens), int(step or 0))

    def __call__(self, stream: Iterable[Tokens]) -> Iterator[tuple[list[str], Place]]:
        """The terms of each segment, with its place in the document."""
        held = Tokens([], [], [])
        first, covered = 0, 0
        step = self.step or self.tokens
        for tokens in stream:
            held = _joined(held, tokens)
            place = 0
            while len(held.words) - place >= self.tokens:
                yield _cut(held, place, self.tokens, first)
                covered = first + self.tokens
                place, first = place + step, first + step
            held = _behind(held, place)
        if first + len(held.words) > covered:
            yield _cut(held, 0, len(held.words), first)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text[:10]) <= 10**9 and len(text) <= 10


def _joined(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(
        [*one.words, *other.words], [*one.starts, *other.starts], [*one.ends, *other.ends]
    )


def _behind(tokens: Tokens, place: int) -> Tokens:
    return Tokens(tokens.words[place:], tokens.starts[place:], tokens.ends[place:])


def _cut(tokens: Tokens, place: int, size: int, first: int) -> tuple[list[str], Place]:
    end = place + size
    offset = tokens.starts[place]
    place_in_text = Place(first, size, offset, tokens.ends[end - 1] - offset)
    return list(tokens.words[place:end]), place_in_text
