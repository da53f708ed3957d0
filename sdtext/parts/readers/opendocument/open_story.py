"""The text of an OpenDocument's XML (ISO/IEC 26300-3), paragraph by paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sdtext.parts.readers.office.paged import PagedStory
from sdtext.parts.readers.office.story import Handlers, Paragraph, attribute, named, sign
from sdtext.parts.readers.opendocument.open_styles import OpenStyles

_SPACE = re.compile(r"[ \t\n\r]+")
# How many blanks an element may stand for: it is 20 bytes in the file, and no line has room for
# more.
_MOST_BLANKS = 80
_SPACES = {
    name: f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"
    for name in ("office", "style", "text", "table", "drawing", "presentation")
}
_STYLE_NAMES = {
    "paragraph": _SPACES["text"] + "style-name",
    "table": _SPACES["table"] + "style-name",
}
# What the frames of a page of notes show beside the notes.
_ASIDE = {"page-number", "date-time", "header", "footer"}


class OpenStory(PagedStory):
    """What the parser tells of the text in a document, or of its headers and footers.

    `is_text` says, once the text was read, whether it was one of a word processor. `styles` are
    those that the XML file has; `common` gives them where the document has those in another file.
    """

    def __init__(self, begin: Handlers, common: Callable[[], OpenStyles] | None = None) -> None:
        super().__init__(begin, _FINISH)
        self.styles = OpenStyles(common)
        self.is_text = self.flows = self._in_sheets = self._ends_page = False
        self._boxes: list[bool] = []
        self._title = self._tables = 0
        self._cells: list[str] = []

    def data(self, data: str) -> None:
        """Text between tags; white space is folded (part 3, 6.1.2)."""
        if self.open and not self.left_out:
            text = _SPACE.sub(" ", data)
            pieces = self.open[-1].pieces
            if not pieces or pieces[-1].endswith(" "):
                text = text.removeprefix(" ")
            if text:
                pieces.append(text)

    def begin_body(self, _: Mapping[str, str]) -> None:
        self.is_text = self.flows = True

    def begin_common_styles(self, _: Mapping[str, str]) -> None:
        self.styles.are_common = True

    def begin_own_styles(self, _: Mapping[str, str]) -> None:
        self.styles.are_common = False

    def begin_style(self, attrib: Mapping[str, str]) -> None:
        self.styles.begin(attrib)

    def begin_style_properties(self, attrib: Mapping[str, str]) -> None:
        self.styles.add(attrib)

    def finish_style(self) -> None:
        self.styles.finish()

    def begin_sheets(self, _: Mapping[str, str]) -> None:
        self._in_sheets = True

    def begin_margin(self, attrib: Mapping[str, str]) -> None:
        """A header or footer, which may be switched off."""
        if attribute(attrib, "display") == "false":
            self.leave_out()

    def begin_paragraph(self, attrib: Mapping[str, str]) -> None:
        if self.flows:
            self._begin_styled("paragraph", attrib)
        self.open.append(Paragraph())

    def _begin_styled(self, family: str, attrib: Mapping[str, str]) -> None:
        """What begins here may begin a page; within a table, breaks do not count."""
        if not self.open and not self.rows:
            breaks = self.styles.breaks(family, attrib.get(_STYLE_NAMES[family], ""))
            if breaks.before or self._ends_page:
                self.begin_page()
            self._ends_page = breaks.after

    def begin_heading(self, attrib: Mapping[str, str]) -> None:
        if self.flows:
            self._begin_styled("paragraph", attrib)
        level = attribute(attrib, "outline-level")
        known = level.isascii() and level.isdigit() and len(level) < 3
        self.open.append(Paragraph(level=max(1, int(level)) if known else 1))

    def begin_blanks(self, attrib: Mapping[str, str]) -> None:
        count = attribute(attrib, "c")
        known = count.isascii() and count.isdigit() and len(count) < 3
        self.add(" " * min(_MOST_BLANKS, int(count)) if known else " ")

    def begin_box(self, _: Mapping[str, str]) -> None:
        """A box or note; what stands in it beside paragraphs is no text of the one around it."""
        self._boxes.append(bool(self.open))
        self.flows = False
        if self.open:
            self.open.append(Paragraph())

    def finish_box(self) -> None:
        if self._boxes.pop():
            self.open.pop()
        self.flows = self.is_text and not self._boxes

    def begin_frame(self, attrib: Mapping[str, str]) -> None:
        role = attribute(attrib, "class")
        if role in _ASIDE:
            self.leave_out()
            return
        if role == "title" and not self._title:
            self._title = self.depth
            self.text.begin_title(1)
        self.begin_box(attrib)

    def finish_frame(self) -> None:
        self.finish_box()
        if self._title == self.depth:
            self._title = 0
            self.text.end_title()

    def finish_page(self) -> None:
        self.text.add("\f")

    def begin_table(self, attrib: Mapping[str, str]) -> None:
        if self.flows:
            self._begin_styled("table", attrib)
        self._tables += self._in_sheets
        if self._tables == 1:
            self.text.head(attribute(attrib, "name"))

    def finish_table(self) -> None:
        if self._tables == 1:
            self.finish_page()
        self._tables -= self._in_sheets

    def begin_cell(self, attrib: Mapping[str, str]) -> None:
        super().begin_cell(attrib)
        if self._tables == 1:
            self.open.append(Paragraph())

    def finish_cell(self) -> None:
        """The end of a cell: in a sheet, its paragraphs are a part of a line."""
        if self._tables == 1:
            self.open.pop()
            if words := " ".join("".join(each.pieces) for each in self.boxed):
                self._cells.append(" ".join(words.split()))
            self.boxed.clear()

    def finish_row(self) -> None:
        super().finish_row()
        if self._tables == 1 and self._cells:
            self.text.add("\t".join(self._cells) + "\n")
            self._cells.clear()


def _in(space: str, table: Handlers) -> Handlers:
    return named((_SPACES[space],), table)


_SHAPES = (
    *("a", "caption", "circle", "connector", "control", "custom-shape", "ellipse", "g", "line"),
    *("measure", "path", "polygon", "polyline", "rect", "regular-polygon"),
)
_BEGIN: Handlers = {
    **_in(
        "text",
        {
            "p": OpenStory.begin_paragraph,
            "h": OpenStory.begin_heading,
            "s": OpenStory.begin_blanks,
            "tab": sign("\t"),
            "line-break": sign("\n"),
            "soft-page-break": OpenStory.begin_soft_page,
            "note": OpenStory.begin_box,
            "tracked-changes": OpenStory.leave_out,
            "ruby-text": OpenStory.leave_out,  # how to say a word, printed small above it
        },
    ),
    **_in(
        "table",
        {
            "table": OpenStory.begin_table,
            "table-row": OpenStory.begin_row,
            "table-cell": OpenStory.begin_cell,
            "covered-table-cell": OpenStory.begin_cell,
            "tracked-changes": OpenStory.leave_out,
            "content-validations": OpenStory.leave_out,
            "dde-links": OpenStory.leave_out,
        },
    ),
    **_in(
        "drawing",
        {
            **dict.fromkeys(_SHAPES, OpenStory.begin_box),
            "frame": OpenStory.begin_frame,
            "object": OpenStory.leave_out,
        },
    ),
    **_in(
        "office",
        {
            "annotation": OpenStory.leave_out,
            "binary-data": OpenStory.leave_out,
            "styles": OpenStory.begin_common_styles,
        },
    ),
    **_in(
        "style",
        {
            "style": OpenStory.begin_style,
            "paragraph-properties": OpenStory.begin_style_properties,
            "table-properties": OpenStory.begin_style_properties,
        },
    ),
}
BODY: Handlers = {
    **_BEGIN,
    **_in(
        "office",
        {
            "text": OpenStory.begin_body,
            "spreadsheet": OpenStory.begin_sheets,
            "automatic-styles": OpenStory.begin_own_styles,
            "master-styles": OpenStory.leave_out,
        },
    ),
}
"""To read what a document holds."""
MARGINS: Handlers = {
    **_BEGIN,
    **_in(
        "style",
        dict.fromkeys(
            [
                f"{place}{which}"
                for place in ("header", "footer")
                for which in ("", "-left", "-first")
            ],
            OpenStory.begin_margin,
        ),
    ),
    **_in(
        "office",
        {
            "body": OpenStory.leave_out,
            "automatic-styles": OpenStory.leave_out,  # of headers and footers alone
        },
    ),
}
"""To read the headers and footers of its pages, and the styles that have names."""
_FINISH: Handlers = {
    **_in("style", {"style": OpenStory.finish_style}),
    **_in(
        "text",
        {
            "p": OpenStory.finish_paragraph,
            "h": OpenStory.finish_paragraph,
            "note": OpenStory.finish_box,
        },
    ),
    **_in(
        "table",
        {
            "table": OpenStory.finish_table,
            "table-cell": OpenStory.finish_cell,
            "covered-table-cell": OpenStory.finish_cell,
            "table-row": OpenStory.finish_row,
        },
    ),
    **_in(
        "drawing",
        {
            **dict.fromkeys(_SHAPES, OpenStory.finish_box),
            "frame": OpenStory.finish_frame,
            "page": OpenStory.finish_page,
        },
    ),
}
