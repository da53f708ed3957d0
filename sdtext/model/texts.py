"""Headings and spans of a text, its terms with offsets, and the map between two texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Metadata = Mapping[str, str | int | float | None]
"""Metadata of a document by the names of the fields."""


@dataclass(frozen=True)
class OffsetMap:
    """Maps offsets in `Document.clean` to offsets in `Document.text`.

    From `clean_starts[i]` to the next start, offset x of the clean text is offset
    `x - clean_starts[i] + text_starts[i]` of the text; within a range that is `fused` all offsets
    map to the whole range. If the text was itself derived from another, `then` maps on to that.
    """

    clean_starts: Sequence[int]
    text_starts: Sequence[int]
    fused: Sequence[int]
    then: OffsetMap | None = None

    def start(self, offset: int) -> int:
        """The offset in the text at which the clean character at `offset` begins."""
        place = bisect_right(self.clean_starts, offset) - 1
        within = 0 if self.fused[place] else offset - self.clean_starts[place]
        start = self.text_starts[place] + within
        return self.then.start(start) if self.then else start

    def end(self, offset: int) -> int:
        """The offset in the text at which the clean character before `offset` ends."""
        place = bisect_right(self.clean_starts, offset - 1) - 1
        end = self.text_starts[place] + offset - self.clean_starts[place]
        if self.fused[place]:
            end = self.text_starts[place + 1]
        return self.then.end(end) if self.then else end

    def followed_by(self, further: OffsetMap | None) -> OffsetMap:
        """A map through both: the text of this one is the clean text of `further`.

        >>> twice = OffsetMap([0], [2], [False]).followed_by(OffsetMap([0], [3], [False]))
        >>> twice.start(1)
        6
        """
        if further is None:
            return self
        return replace(self, then=self.then.followed_by(further) if self.then else further)

    def starts(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """`start` of each of many offsets."""
        import numpy as np

        places, within = self._within(offsets, 0)
        within[np.asarray(self.fused, bool)[places]] = 0
        starts = np.asarray(self.text_starts, np.int64)[places] + within
        return self.then.starts(starts) if self.then else starts

    def ends(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """`end` of each of many offsets."""
        import numpy as np

        places, within = self._within(offsets, 1)
        text_starts = np.asarray(self.text_starts, np.int64)
        ends = text_starts[places] + within
        fused = np.asarray(self.fused, bool)[places]
        ends[fused] = text_starts[places[fused] + 1]
        return self.then.ends(ends) if self.then else ends

    def _within(
        self, offsets: NDArray[np.int64], before: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The range of each offset and the offset within it; `before` is 1 for exclusive ends."""
        import numpy as np

        begins = np.asarray(self.clean_starts, np.int64)
        places = np.searchsorted(begins, offsets - before, "right") - 1
        return places, offsets - begins[places]


@dataclass(frozen=True)
class Heading:
    """The heading of a chapter: `offset` is that of its title in `Document.text`.

    `level` is 1 for the highest headings of a document, 2 for those below, and so on. A reader
    yields a heading right before the text of the chapter; the offset is computed later.
    """

    level: int
    title: str
    offset: int = 0


@dataclass(frozen=True)
class QuotationMark:
    """Where a quotation that the format marks begins, or, if not `opens`, ends.

    A reader yields it between the pieces of the text; the offset is computed later.
    """

    opens: bool
    offset: int = 0


def quotations_between(marks: Iterable[QuotationMark]) -> tuple[Span, ...]:
    """The spans from each opening mark to the closing one, in order.

    >>> quotations_between([QuotationMark(True, 4), QuotationMark(False, 9)])
    (Span(start=4, end=9, title=''),)
    """
    spans, start = [], -1
    for mark in marks:
        if not mark.opens and start >= 0:
            spans.append(Span(start, mark.offset))
        start = mark.offset if mark.opens else -1
    return tuple(span for span in spans if span.start < span.end)


@dataclass(frozen=True, slots=True)
class Span:
    """A span of `Document.text`: the half-open range `[start, end)` in code points, and a title."""

    start: int
    end: int
    title: str = ""


@dataclass(frozen=True)
class Tokens:
    """The terms of one document in reading order: three columns of one length.

    `starts` and `ends` are offsets in code points of the tokenized text, the ends exclusive.
    """

    words: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    def mapped_by(self, offset_map: OffsetMap) -> Tokens:
        """The same terms with their places in the text that the map leads to."""
        starts = [offset_map.start(start) for start in self.starts]
        return Tokens(self.words, starts, [offset_map.end(end) for end in self.ends])
