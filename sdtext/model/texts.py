"""Documents and their terms, with their places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdtext.model.matches import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class OffsetMap:
    """From offsets in `Document.clean` back to offsets in `Document.text`.

    The two texts run alike except at the places named here: from `clean_starts[i]` on, the
    cleaned text stands `text_starts[i] - clean_starts[i]` code points further on in the text,
    and within a stretch that is marked `fused` all offsets belong to the whole stretch. Where the
    text was itself made from another, `then` leads on to that.
    """

    clean_starts: Sequence[int]
    text_starts: Sequence[int]
    fused: Sequence[bool]
    then: OffsetMap | None = None

    def start(self, offset: int) -> int:
        """The offset in the text at which the clean character at `offset` begins."""
        place = self._stretch(offset)
        within = 0 if self.fused[place] else offset - self.clean_starts[place]
        start = self.text_starts[place] + within
        return self.then.start(start) if self.then else start

    def end(self, offset: int) -> int:
        """The offset in the text at which the clean character before `offset` ends."""
        place = self._stretch(offset - 1)
        end = self.text_starts[place] + offset - self.clean_starts[place]
        if self.fused[place]:
            end = self.text_starts[place + 1]
        return self.then.end(end) if self.then else end

    def starts(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """What `start` gives for each of many offsets."""
        import numpy as np

        places, within = self._within(offsets, 0)
        within[np.asarray(self.fused, bool)[places]] = 0
        starts = np.asarray(self.text_starts, np.int64)[places] + within
        return self.then.starts(starts) if self.then else starts

    def ends(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """What `end` gives for each of many offsets."""
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
        """The stretch that each offset is in, and how far; with `before` 1 that of what it ends."""
        import numpy as np

        begins = np.asarray(self.clean_starts, np.int64)
        places = np.searchsorted(begins, offsets - before, "right") - 1
        return places, offsets - begins[places]

    def _stretch(self, offset: int) -> int:
        return bisect_right(self.clean_starts, offset) - 1


@dataclass(frozen=True)
class Heading:
    """Where a chapter begins: at `offset` in `Document.text`, where its title stands.

    `level` is 1 for the highest headings of a document, 2 for those below, and so on. A reader
    yields it right before the text that begins the chapter; the offset comes by counting.
    """

    level: int
    title: str
    offset: int = 0


@dataclass(frozen=True)
class Document:
    """The text of one file.

    `text` is what was decoded or extracted; `clean` is it in normal form, without control
    characters; `back` leads from offsets in `clean` to offsets in `text` and is None where the
    two run alike. `metadata` says how the text was had: `reader`, and `encoding` or `engine` if
    any; `problems` what was left out of it. Form feeds stand between pages. `headings` are those
    that the format marks, in their order; where `line_paragraphs` is true, each line is a
    paragraph, else blank lines part them.
    """

    text: str
    clean: str
    back: OffsetMap | None = None
    source: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    headings: tuple[Heading, ...] = ()
    line_paragraphs: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of `Document.text`: offsets in code points, the end exclusive, and its title."""

    start: int
    end: int
    title: str = ""


@dataclass(frozen=True)
class Tokens:
    """The terms of one document in reading order: three columns of one length.

    `starts` and `ends` are offsets in code points, end exclusive, into the text that was
    tokenized.
    """

    words: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]
