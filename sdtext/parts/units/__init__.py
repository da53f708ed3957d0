"""Units: the parts of a document that are compared separately."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Protocol, overload

from sdtext.model import Span
from sdtext.text.document import Document


class Unit(Protocol):
    """The one member of a unit, a frozen dataclass whose fields are its options.

    `segment` is the exception: it cuts a stream of terms, not a document.
    """

    def __call__(self, document: Document) -> Sequence[Span]:
        """The spans of the document's text in order, without overlap.

        None is empty or has white space at an end, and all visible text is in one of them.
        """


def spans_from(text: str, beginnings: Iterable[tuple[int, str]]) -> Iterator[Span]:
    r"""Consecutive spans that begin at the ascending offsets given, each with its title.

    White space at the ends of a span is left out, and so is a span of white space alone.

    >>> [*spans_from("one \n two", [(0, "first"), (4, "second")])]
    [Span(start=0, end=3, title='first'), Span(start=6, end=9, title='second')]
    """
    for (start, title), (end, _) in pairwise(chain(beginnings, [(len(text), "")])):
        first, last = _visible(text, start, end)
        if first < last:
            yield Span(first, last, title)


class SpanColumns(Sequence[Span]):
    """Spans without titles in two columns, at a tenth of the memory of a list of spans."""

    def __init__(self, places: Iterable[tuple[int, int]] = ()) -> None:
        self.starts, self.ends = array("q"), array("q")
        for start, end in places:
            self.starts.append(start)
            self.ends.append(end)

    @classmethod
    def of(cls, spans: Sequence[Span]) -> SpanColumns:
        """`spans` in columns."""
        return spans if isinstance(spans, cls) else cls((span.start, span.end) for span in spans)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, place: int) -> Span: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Span]: ...

    def __getitem__(self, place: int | slice) -> Span | Sequence[Span]:
        if isinstance(place, slice):
            return SpanColumns(zip(self.starts[place], self.ends[place], strict=True))
        return Span(self.starts[place], self.ends[place])

    def __iter__(self) -> Iterator[Span]:
        return map(Span, self.starts, self.ends)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr([*self])


def outermost(text: str, places: Iterable[tuple[int, int]]) -> SpanColumns:
    """The spans at `places`, in order of their starts, without nested ones.

    Overlapping ones are merged. White space at their ends is left out, and so are empty spans.

    >>> outermost("one two", [(0, 3), (1, 4), (4, 7)])
    [Span(start=0, end=3, title=''), Span(start=4, end=7, title='')]
    """
    visible = (_visible(text, start, end) for start, end in _merged(places))
    return SpanColumns((start, end) for start, end in visible if start < end)


def _merged(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges without those in others, one at a time: there may be very many."""
    first = last = 0
    for start, end in places:
        if start < last:
            last = max(end, last)
        elif start < end:
            if first < last:
                yield first, last
            first, last = start, end
    if first < last:
        yield first, last


def _visible(text: str, start: int, end: int) -> tuple[int, int]:
    held = text[start:end].rstrip()
    return start + len(held) - len(held.lstrip()), start + len(held)
