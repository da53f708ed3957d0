"""The text of an XML part of an office document, paragraph by paragraph.

Each kind of document says by two tables what its elements begin and finish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sdtext.parts.readers.office.package import Target
from sdtext.parts.readers.office.titled import Block, TitledText

Handlers = Mapping[str, Callable[..., None]]
# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
_MATH = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)
_COMPATIBILITY = ("{http://schemas.openxmlformats.org/markup-compatibility/2006}",)


@dataclass(slots=True)
class Paragraph:
    """A paragraph that is open; it is a heading where `level` is not 0."""

    pieces: list[str] = field(default_factory=list)
    end: str = "\n"
    level: int = 0


class Story(Target):
    """What the parser tells of a part with text.

    `begin` and `finish` have, by the name of an element, what its start tag and its end tag do.
    Text counts where `begin_text` was said, inside the innermost paragraph.
    """

    def __init__(self, begin: Handlers, finish: Handlers) -> None:
        self._begin = begin
        self._finish = finish
        self.text = TitledText()
        self.open: list[Paragraph] = []
        self.boxed: list[Paragraph] = []
        self.depth = 0
        # The depth of the outermost element that is left out, 0 if none is.
        self.left_out = 0
        self._in_text = False
        self._texts = 0
        self._alternatives: list[int] = []

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        self.depth += 1
        if not self.left_out and (begin := self._begin.get(tag)):
            begin(self, attrib)

    def end(self, tag: str) -> None:
        """An end tag."""
        if not self.left_out:
            if finish := self._finish.get(tag):
                finish(self)
        elif self.left_out == self.depth:
            self.left_out = 0
        self.depth -= 1

    def data(self, data: str) -> None:
        """Text between tags."""
        if self._in_text and not self.left_out:
            self._texts += 1
            # A line end in the file is a blank to the programs, which have elements for real ones.
            self.add(data.replace("\n", " ") if "\n" in data else data)

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
        """The element that has just begun is not part of the text."""
        self.left_out = self.depth

    def leave_out_from(self, depth: int) -> None:
        """Nor is what else comes in the open element of that depth."""
        self.left_out = depth

    def begin_text(self, _: Mapping[str, str]) -> None:
        """Text counts from here on."""
        self._in_text = True

    def finish_text(self) -> None:
        """Text does not count any more."""
        self._in_text = False

    def begin_paragraph(self, _: Mapping[str, str]) -> None:
        """A paragraph."""
        self.open.append(Paragraph())

    def finish_paragraph(self) -> None:
        """The paragraph's end. One in a box must not cut a sentence of the one that holds it."""
        paragraph = self.open.pop()
        if self.open:
            self.boxed.append(paragraph)
            return
        for each in (paragraph, *self.boxed):
            self._write(each)
        self.boxed.clear()

    def _write(self, paragraph: Paragraph) -> None:
        line = "".join(paragraph.pieces) + paragraph.end
        if paragraph.level:
            self.text.begin_title(paragraph.level)
        self.text.add(line)
        if paragraph.level:
            self.text.end_title()

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
    """What an element does that stands for a character or two."""
    return lambda story, _: story.add(text)


def named(spaces: tuple[str, ...], table: Handlers) -> dict[str, Callable[..., None]]:
    """The table with every element's name in each of the name spaces."""
    return {space + name: handler for space in spaces for name, handler in table.items()}


def attribute(attrib: Mapping[str, str], name: str) -> str:
    """The value of the attribute of that name in whatever name space, "" if there is none.

    >>> attribute({"{http://example.org}val": "3"}, "val")
    '3'
    """
    return next((attrib[key] for key in attrib if key.rpartition("}")[2] == name), "")


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
"""What is the same in all documents of Office Open XML."""
FINISH: Handlers = {
    **named(_MATH, {"t": Story.finish_text}),
    **named(_COMPATIBILITY, {"AlternateContent": Story.finish_alternatives}),
}
