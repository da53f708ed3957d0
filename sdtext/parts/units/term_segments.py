"""Segments of the stream of terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.model import Place, Tokens
from sdtext.wording import brief


@dataclass(frozen=True)
class Segment:
    """Segments of `tokens` terms, each `step` terms after the one before.

    Without `step` they are adjacent. The last one may be shorter.

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
            wanted = f"1 to {self.tokens}, so that no terms fall between segments"
            raise OptionError.of("segment", "step", self.step, wanted)

    @classmethod
    def parse(cls, text: str) -> Segment:
        """Parse TOKENS or TOKENS/STEP. Raises OptionError.

        >>> Segment.parse("1000/500")
        Segment(tokens=1000, step=500)
        """
        tokens, slash, step = text.partition("/")
        if not (_is_count(tokens) and (_is_count(step) if slash else True)):
            wanted = "TOKENS or TOKENS/STEP, two numbers of 1 or more, such as 1000/500"
            raise OptionError(f"segment is {brief(text)}; it must be {wanted}")
        return cls(int(tokens), int(step or 0))

    def __call__(self, stream: Iterable[Tokens]) -> Iterator[tuple[list[str], Place]]:
        """The terms of each segment, with its place in the document."""
        words: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        first = covered = 0  # of the terms held, and of those that were in a segment
        step = self.step or self.tokens
        for tokens in stream:
            words += tokens.words
            starts += tokens.starts
            ends += tokens.ends
            place = 0
            while len(words) - place >= self.tokens:
                end = place + self.tokens
                yield words[place:end], _place(first + place, starts[place:end], ends[end - 1])
                covered = first + end
                place += step
            for column in (words, starts, ends):
                del column[:place]
            first += place
        if first + len(words) > covered:
            yield words, _place(first, starts, ends[-1])


def _place(first: int, starts: list[int], end: int) -> Place:
    return Place(first, len(starts), starts[0], end - starts[0])


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 11 and 0 < int(text) <= 10**9
