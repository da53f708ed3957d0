"""Text of an XML part of an office document: paragraphs, boxes, tables and pages.

Each format has two tables that map the names of elements to what their start and end tags do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sdtext.parts.readers.heading_collector import Block, TitledText
from sdtext.parts.readers.hidden_text import Appearance, CachedAppearance
from sdtext.parts.readers.office.package import Target

Handlers = Mapping[str, Callable[..., None]]
# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
_MATH = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)
_COMPATIBILITY = ("{http://schemas.openxmlformats.org/markup-compatibility/2006}",)
SEEN = CachedAppearance(Appearance())
Value = TypeVar("Value")


class OpenParagraph:
    """A paragraph that is open; it is a heading where `level` is not 0."""

    __slots__ = ("end", "level", "pieces")

    def __init__(self, level: int = 0) -> None:
        self.pieces: list[str] = []
        self.end = "\n"
        self.level = level


class Story(Target):
    """Parser target for a part with text.

    `begin` and `finish` have, by the name of an element, what its start tag and its end tag do.
    Text counts after `begin_text`, inside the innermost paragraph.
    """

    def __init__(self, begin: Handlers, finish: Handlers) -> None:
        self._begin = begin
        self._finish = finish
        self.text = TitledText()
        self.open: list[OpenParagraph] = []
        self.boxed: list[OpenParagraph] = []
        # The number of open elements from the outermost that is left out on, 0 if none is.
        self.left_out = 0
        self.appearance = SEEN  # of the text here
        self._in_text = False
        self._texts = 0
        self._alternatives: list[int] = []

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        if self.left_out:
            self.left_out += 1
        elif tag in self._begin:  # faster than `get`, since most are in neither
            self._begin[tag](self, attrib)

    def end(self, tag: str) -> None:
        """An end tag."""
        if self.left_out:
            self.left_out -= 1
        elif tag in self._finish:
            self._finish[tag](self)

    def data(self, data: str) -> None:
        """Text between tags."""
        if (
            not self._in_text
            or self.left_out
            or (self.appearance.is_unseen and not self.keeps(data))
        ):
            return
        self._texts += 1
        # A line end in the file is a blank to the programs, which have elements for real ones.
        text = data.replace("\n", " ") if "\n" in data else data
        if self.open:
            self.open[-1].pieces.append(text)
        else:
            self.text.add(text)

    def keeps(self, _text: str) -> bool:
        """Whether text that is not seen is to be read."""
        return True

    def taken(self) -> list[Block]:
        """The paragraphs that have ended since the last call."""
        return self.text.taken()

    def add(self, text: str) -> None:
        """Text of the innermost paragraph."""
        if self.open:
            self.open[-1].pieces.append(text)
        else:
            self.text.add(text)

    def leave_out(self, _: Mapping[str, str] | None = None) -> None:
        """Leave out the element that has just begun."""
        self.left_out = 1

    def begin_text(self, _: Mapping[str, str]) -> None:
        """Text counts from here on."""
        self._in_text = True

    def finish_text(self) -> None:
        """Text does not count any more."""
        self._in_text = False

    def begin_paragraph(self, _: Mapping[str, str]) -> None:
        """A paragraph."""
        self.open.append(OpenParagraph())

    def finish_paragraph(self) -> None:
        """The paragraph's end. One in a box must not cut a sentence of the one that holds it."""
        paragraph = self.open.pop()
        if self.open:
            self.boxed.append(paragraph)
            return
        if paragraph.level or self.boxed:
            for each in (paragraph, *self.boxed):
                self._write(each)
            self.boxed.clear()
        else:  # as nearly always
            self.text.add("".join(paragraph.pieces) + paragraph.end)

    def _write(self, paragraph: OpenParagraph) -> None:
        line = "".join(paragraph.pieces) + paragraph.end
        if paragraph.level:
            self.text.begin_title(paragraph.level)
            self.text.add(line)
            self.text.end_title()
        else:
            self.text.add(line)

    def begin_alternatives(self, _: Mapping[str, str]) -> None:
        """The same content in several forms."""
        self._alternatives.append(self._texts)

    def begin_alternative(self, _: Mapping[str, str]) -> None:
        """One of the forms, left out if text was found in one before it."""
        if self._alternatives and self._texts > self._alternatives[-1]:
            self.leave_out()

    def finish_alternatives(self) -> None:
        """The end of the forms."""
        self._alternatives.pop()


def sign(text: str) -> Callable[[Story, Mapping[str, str]], None]:
    """The handler of an element that stands for one or two characters."""
    return lambda story, _: story.add(text)


def named(spaces: tuple[str, ...], table: Handlers) -> dict[str, Callable[..., None]]:
    """The table with every element's name in each of the name spaces."""
    return {space + name: handler for space in spaces for name, handler in table.items()}


def attribute(attrib: Mapping[str, str], name: str) -> str:
    """The value of the attribute of that name in whatever name space, "" if there is none.

    >>> attribute({"{http://example.org}val": "3"}, "val")
    '3'
    """
    if not attrib:
        return ""
    ending = "}" + name
    for key in attrib:  # most elements have one or two
        if key == name or key.endswith(ending):
            return attrib[key]
    return ""


BEGIN: Handlers = {
    **named(_MATH, {"t": Story.begin_text}),
    **named(
        _COMPATIBILITY,
        {
            "AlternateContent": Story.begin_alternatives,
            "Choice": Story.begin_alternative,
            "Fallback": Story.begin_alternative,
        },
    ),
}
"""Handlers common to all Office Open XML documents."""
FINISH: Handlers = {
    **named(_MATH, {"t": Story.finish_text}),
    **named(_COMPATIBILITY, {"AlternateContent": Story.finish_alternatives}),
}


# What began the page on which nothing stands yet.
_HARD, _SOFT = "hard", "soft"
# A soft break among the pieces of a paragraph; no XML file can have this character.
_MARK = "\0"
_ENDS = re.compile("([\n\f])")


class PagedStory(Story):
    """A story whose text stands on pages; a form feed ends each but the last.

    A break is hard where the document asks for it, and soft where a page was full when it was
    saved. Adjacent hard and soft breaks count once; one before the first paragraph does not count.

    A soft break inside a line takes effect after the line, because the sentence continues. So each
    line belongs to the page on which it begins, and pages keep their numbers.
    """

    def __init__(self, begin: Handlers, finish: Handlers) -> None:
        super().__init__(begin, finish)
        # Whether there are pages, and what comes stands in no box beside their paragraphs.
        self.flows = True
        # Whether the end of the paragraph on the page asks for more than a line end.
        self.special_end = False
        self.rows = 0
        self._fresh = _HARD
        self._parted = False
        self._carried = self._cell = 0
        self._row_breaks = self._cell_breaks = 0

    @property
    def in_flow(self) -> bool:
        """Whether what comes stands on the pages themselves, not in a box, a note or a margin."""
        return self.flows and len(self.open) < 2

    @property
    def is_fresh(self) -> bool:
        """Whether nothing stands yet on the page that has begun."""
        return bool(self._fresh)

    def begin_page(self) -> None:
        """A hard break before what has just begun; in a row, the first cell has it for all."""
        if not self.in_flow or self._cell > 1:
            return
        if not self._fresh:
            self.turn()
        self._fresh = _HARD

    def end_page(self) -> None:
        """A hard break right here, whatever comes before it: two of them leave a page empty."""
        if not self.in_flow:
            self.add("\n")
            return
        self.special_end = self._parted = bool(self.open)
        if self.open and self.open[-1].pieces:
            self.add("\f")
        else:  # lest it is part of a title
            self.text.add("\f")
            self._fresh = _HARD

    def begin_soft_page(self, _: Mapping[str, str]) -> None:
        """A soft break."""
        if not self.in_flow or not self._is_first_in_row():
            return
        pieces = self.open[-1].pieces if self.open else []
        if not pieces and self._fresh != _HARD:
            self.turn()
            self._fresh = _SOFT
        elif pieces and pieces[-1] != "\f":
            # Before the last piece, for that may be the end of the line.
            pieces.insert(-1, _MARK)
            self.special_end = True

    def turn(self) -> None:
        """The page ends before the paragraph that is open, or here if none is."""
        self.text.add("\f")

    def begin_row(self, _: Mapping[str, str]) -> None:
        """A row of a table, whose cells stand side by side."""
        self.rows += 1
        if self.rows == 1:
            self._cell = self._row_breaks = 0

    def begin_cell(self, _: Mapping[str, str]) -> None:
        """A cell of a row."""
        if self.rows == 1:
            self._cell += 1
            self._cell_breaks = 0

    def finish_row(self) -> None:
        """The row's end."""
        self.rows -= 1
        if not self.rows:
            self._cell = 0

    def _is_first_in_row(self) -> bool:
        """Whether no cell beside this one had the same soft break."""
        if not self.rows:
            return True
        self._cell_breaks += 1
        known, self._row_breaks = self._row_breaks, max(self._row_breaks, self._cell_breaks)
        return self._cell_breaks > known

    def finish_paragraph(self) -> None:
        """The paragraph's end."""
        if self.flows and len(self.open) == 1:
            self._fresh = ""
            if self.special_end:
                self.special_end = False
                self.finish_specially()
                return
        Story.finish_paragraph(self)  # faster than by super()

    def finish_specially(self) -> None:
        """The end of a paragraph with breaks in it, behind which a page may end, too."""
        pieces = self.open[-1].pieces
        if self._parted and (not pieces or pieces[-1] == "\f"):
            self._fresh = _HARD
        self._parted = False
        ends = self._moved_marks()
        super().finish_paragraph()
        self.text.add("\f" * ends)

    def _moved_marks(self) -> int:
        """How many pages end behind the open paragraph; those within it end behind their lines."""
        paragraph = self.open[-1]
        parts = [*_ENDS.split("".join(paragraph.pieces)), ""]
        moved, waiting = [], self._carried
        for line, end in zip(parts[::2], parts[1::2], strict=True):
            waiting += line.count(_MARK)
            moved += [line.replace(_MARK, ""), end]
            if end:
                moved.append("\f" * waiting)
                waiting = 0
        paragraph.pieces = moved
        # A paragraph whose end was deleted goes on in the next one.
        self._carried = 0 if paragraph.end else waiting
        self.special_end = self._carried > 0
        return waiting - self._carried


@dataclass(slots=True)
class Style(Generic[Value]):
    """The own properties of a style, and the key of its parent."""

    parent: str = ""
    says: dict[str, Value] = field(default_factory=dict)


def inherited(styles: Mapping[str, Style[Value]]) -> dict[str, dict[str, Value]]:
    """The properties of each style with inherited ones, by its key.

    >>> inherited({"title": Style("text", {"level": 1}), "text": Style(says={"page": 0})})
    {'title': {'page': 0, 'level': 1}, 'text': {'page': 0}}
    """
    resolved: dict[str, dict[str, Value]] = {}
    for key in styles:
        path = []
        current = key
        while current in styles and current not in resolved:
            resolved[current] = {}  # lest a circle is gone round for ever
            path.append(current)
            current = styles[current].parent
        for each in reversed(path):
            style = styles[each]
            resolved[each] = {**resolved.get(style.parent, {}), **style.says}
    return resolved
