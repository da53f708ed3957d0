"""Reader of OpenDocument files (ODT, ODP, ODS; ISO/IEC 26300) and of their styles.

Styles say where pages begin, and how text appears.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, NamedTuple

from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import (
    MIMETYPE,
    Archive,
    Beginnings,
    damage,
    opened,
)
from sdtext.model import Problem
from sdtext.parts.file_signatures import ZIPPED
from sdtext.parts.readers.heading_collector import Block
from sdtext.parts.readers.hidden_text import (
    KEEP,
    WHITE,
    Appearance,
    CachedAppearance,
    Color,
    HiddenText,
    hex_color,
    is_indistinct,
    points_of,
)
from sdtext.parts.readers.xml_story import (
    OpenParagraph,
    Package,
    PagedStory,
    Style,
    Table,
    Vocabulary,
    attribute,
    fed,
    inherited,
    named,
    parsed,
    sets,
    sign,
)

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FORMAT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_FILL = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}fill"
# LibreOffice's own: 0% of what has a colour is not seen.
_OPACITY = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}opacity"
_FAMILIES = ("paragraph", "table", "text", "section")
_PAGES = {"page", "even-page", "odd-page"}
_AUTOMATIC = "automatic"  # colour that the program chooses
_NO_GROUND = ("", "transparent", "none")
_SPACE = re.compile(r"[ \t\n\r]+")
# Keys of appearances that no style gives.
_BARE, _WITHIN_HIDDEN = "no ground", "within hidden"
# How many blanks an element may stand for: it is 20 bytes in the file, and no line has room for
# more.
_MOST_BLANKS = 80
_SPACES = {
    name: f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"
    for name in ("office", "style", "text", "table", "drawing", "presentation")
}
_TEXT_STYLE = _SPACES["text"] + "style-name"
_STYLE_NAMES = {"paragraph": _TEXT_STYLE, "table": _SPACES["table"] + "style-name"}
_LIBREOFFICE = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
# What the frames of a page of notes show beside the notes.
_ASIDE = {"page-number", "date-time", "header", "footer"}


class Breaks(NamedTuple):
    """Whether a page begins before what has the style, and behind it."""

    before: bool
    after: bool


class OpenStyles:
    """The styles in an XML file.

    Automatic ones have a paragraph's own properties, and may take the rest from a common one,
    which has a name. The common ones may stand in another file: `elsewhere` gives its styles.
    """

    def __init__(self, elsewhere: Callable[[], OpenStyles] | None = None) -> None:
        self._elsewhere = elsewhere
        self._common: dict[str, Style[str]] = {}
        self._automatic: dict[str, Style[str]] = {}
        self._open: Style[str] | None = None
        self._breaks: dict[tuple[str, str], Breaks] = {}
        self._are_pages_white = True
        self.are_common = False

    def set_common(self, are_common: bool) -> None:  # noqa: FBT001 (a handler)
        self.are_common = are_common

    def begin(self, attrib: Mapping[str, str]) -> None:
        """A style; that of all paragraphs has no name."""
        family, name = attrib.get(_STYLE + "family", ""), attrib.get(_STYLE + "name", "")
        if family in _FAMILIES and (name or family == "paragraph"):
            self._open = Style(_key(family, attrib.get(_STYLE + "parent-style-name", "")))
            styles = self._common if self.are_common else self._automatic
            styles[_key(family, name)] = self._open
            self._say("master", attrib.get(_STYLE + "master-page-name"))

    def add(self, attrib: Mapping[str, str]) -> None:
        before, after = (attrib.get(f"{_FORMAT}break-{place}") for place in ("before", "after"))
        # To LibreOffice they are one property: a style that says one of them has no other.
        if before or after:
            self._say("before", before or "auto")
            self._say("after", after or "auto")
        self.fill(attrib)

    def fill(self, attrib: Mapping[str, str]) -> None:
        self._say("ground", attrib.get(_FORMAT + "background-color"))
        if _FILL in attrib:
            self._say("has_pattern", str(_is_pattern(attrib)))

    def fill_with_image(self, attrib: Mapping[str, str]) -> None:
        """A picture as the ground, or none; also of pages."""
        if attrib and self._open is not None:
            self._say("has_pattern", str(True))
        elif attrib:
            self._are_pages_white = False

    def fill_pages(self, attrib: Mapping[str, str]) -> None:
        ground = attrib.get(_FORMAT + "background-color", "")
        color = WHITE if ground in _NO_GROUND else hex_color(ground)
        is_white = color is not None and is_indistinct(color, WHITE)
        self._are_pages_white &= is_white and not _is_pattern(attrib)

    def add_text(self, attrib: Mapping[str, str]) -> None:
        self.fill(attrib)
        self._say("display", attrib.get(_TEXT + "display"))
        self._say("size", attrib.get(_FORMAT + "font-size"))
        if attrib.get(_STYLE + "use-window-font-color") == "true":
            self._say("color", _AUTOMATIC)
        elif color := attrib.get(_FORMAT + "color"):
            self._say("color", color)
            self._say("opacity", attrib.get(_OPACITY, "100%"))

    def finish(self) -> None:
        self._open = None

    def breaks(self, family: str, name: str) -> Breaks:
        key = family, name
        if key not in self._breaks:
            says = self._all_of(_key(*key))
            # What names the master of its page begins one (16.5, style:master-page-name).
            before = says.get("before") in _PAGES or bool(says.get("master"))
            self._breaks[key] = Breaks(before, says.get("after") in _PAGES)
        return self._breaks[key]

    def appearance(self, around: CachedAppearance, family: str, name: str) -> CachedAppearance:
        """The appearance of text of the style within text, a section or a page around it."""
        key = family, name
        if cached := around.derived.get(key):
            return cached
        return around.then(key, lambda outer: _appearance(outer, self._all_of(_key(*key))))

    @property
    def page_ground(self) -> Color | None:
        """The ground of all pages; None if it is not white throughout."""
        elsewhere = self._elsewhere().page_ground if self._elsewhere else WHITE
        return elsewhere if self._are_pages_white else None

    @cached_property
    def named(self) -> Mapping[str, Mapping[str, str]]:
        """The properties of the common styles, by their keys."""
        return self._elsewhere().named if self._elsewhere else inherited(self._common)

    def _all_of(self, key: str) -> Mapping[str, str]:
        own = self._automatic.get(key)
        if own is None:
            return self._named(key)
        return {**self._named(own.parent), **own.says}

    def _named(self, key: str) -> Mapping[str, str]:
        family = key.partition(" ")[0]
        return self.named.get(key) or self.named.get(_key(family, ""), {})

    def _say(self, key: str, value: str | None) -> None:
        if self._open and value is not None:
            self._open.says[key] = value


def _key(family: str, name: str) -> str:
    return f"{family} {name}"


def _is_pattern(attrib: Mapping[str, str]) -> bool:
    return attrib.get(_FILL, "solid") not in ("solid", "none")


def _appearance(around: Appearance, says: Mapping[str, str]) -> Appearance:
    if "display" in says:
        around = around._replace(is_hidden=says["display"] == "none")
    if "color" in says:
        color = hex_color(says["color"])
        is_clear = color is not None and says.get("opacity") == "0%"
        around = around._replace(color=color, is_clear=is_clear)
    if says.get("has_pattern") == str(True):
        around = around._replace(ground=None)
    elif says.get("ground", "") not in _NO_GROUND:
        around = around._replace(ground=hex_color(says["ground"]))
    points = points_of(says.get("size", ""))
    return around if points is None else around._replace(points=points)


class OpenStory(PagedStory):
    """Parser target for the text of a document, or for its headers and footers.

    `is_text` says, once the text was read, whether it was one of a word processor. `styles` are
    those that the XML file has; `common` gives them where the document has those in another file.
    `hidden` takes note of the text that is not seen.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        hidden: HiddenText,
        common: Callable[[], OpenStyles] | None = None,
    ) -> None:
        super().__init__(vocabulary)
        self.styles = OpenStyles(common)
        self._hidden = hidden
        # The appearances of text in the sections, paragraphs and spans that are open.
        self._appearances = [CachedAppearance(Appearance())]
        self.is_text = self.flows = self.in_sheets = self._ends_page = False
        self._boxes: list[bool] = []
        self._title = self._tables = 0
        self._cells: list[str] = []

    def data(self, data: str) -> None:
        """Text between tags; white space is folded (part 3, 6.1.2)."""
        if self.open and not self.left_out:
            text = data
            if "  " in data or "\n" in data or "\t" in data or "\r" in data:  # in few
                text = _SPACE.sub(" ", data)
            pieces = self.open[-1].pieces
            if not pieces or pieces[-1].endswith(" "):
                text = text.removeprefix(" ")
            if text and (not self._appearances[-1].is_unseen or self._hidden.keeps(text)):
                pieces.append(text)

    def begin_body(self, _: Mapping[str, str]) -> None:
        self.is_text = self.flows = True
        ground = self.styles.page_ground
        self._appearances = [CachedAppearance(Appearance(ground=ground))]

    def _appear(self, family: str, attrib: Mapping[str, str]) -> None:
        """What begins here appears as its style says, within what is around it."""
        style = attrib.get(_TEXT_STYLE, "")
        self._appearances.append(self.styles.appearance(self._appearances[-1], family, style))

    def begin_span(self, attrib: Mapping[str, str]) -> None:
        self._appear("text", attrib)

    def begin_section(self, attrib: Mapping[str, str]) -> None:
        self._appear("section", attrib)
        display = attribute(attrib, "display")
        if display == "none" or (display == "condition" and _is_hidden(attrib)):
            self._hide()

    def begin_hidden_text(self, attrib: Mapping[str, str]) -> None:
        """Text under a condition, which may be left empty where it is hidden."""
        self._appearances.append(self._appearances[-1])
        if _is_hidden(attrib):
            self._hide()
            if words := attribute(attrib, "string-value"):
                self.data(words)
                self._appearances.pop()
                self.leave_out()

    def begin_hidden_paragraph(self, attrib: Mapping[str, str]) -> None:
        """A field that hides the paragraph in which it stands, also what is before it."""
        if self.open and _is_hidden(attrib):
            before = self.open[-1].pieces
            if not self._hidden.keeps("".join(before)):
                before.clear()
            self._hide()

    def _hide(self) -> None:
        self._appearances[-1] = self._appearances[-1].then(
            _WITHIN_HIDDEN, lambda outer: outer._replace(is_within_hidden=True)
        )

    def finish_appearance(self) -> None:
        self._appearances.pop()

    def begin_margin(self, attrib: Mapping[str, str]) -> None:
        if attribute(attrib, "display") == "false":
            self.leave_out()

    def begin_paragraph(self, attrib: Mapping[str, str]) -> None:
        self._begin_paragraph(attrib, 0)

    def begin_heading(self, attrib: Mapping[str, str]) -> None:
        level = attribute(attrib, "outline-level")
        is_known = level.isascii() and level.isdigit() and len(level) < 3
        self._begin_paragraph(attrib, max(1, int(level)) if is_known else 1)

    def _begin_paragraph(self, attrib: Mapping[str, str], level: int) -> None:
        if self.flows:
            self._begin_styled("paragraph", attrib)
        around = self._appearances[-1]
        if self.rows or not self.in_flow:  # boxes, cells and margins have grounds of their own
            around = around.then(_BARE, lambda outer: outer._replace(ground=None))
        style = attrib.get(_TEXT_STYLE, "")
        self._appearances.append(self.styles.appearance(around, "paragraph", style))
        self.open.append(OpenParagraph(level))

    def _begin_styled(self, family: str, attrib: Mapping[str, str]) -> None:
        """What begins here may begin a page; within a table, breaks do not count."""
        if not self.open and not self.rows:
            breaks = self.styles.breaks(family, attrib.get(_STYLE_NAMES[family], ""))
            if breaks.before or self._ends_page:
                self.begin_page()
            self._ends_page = breaks.after

    def finish_paragraph(self) -> None:
        self._appearances.pop()
        PagedStory.finish_paragraph(self)  # faster than by super()

    def begin_blanks(self, attrib: Mapping[str, str]) -> None:
        count = attribute(attrib, "c")
        known = count.isascii() and count.isdigit() and len(count) < 3
        self.add(" " * min(_MOST_BLANKS, int(count)) if known else " ")

    def begin_box(self, _: Mapping[str, str]) -> None:
        """A box or note; what stands in it beside paragraphs is no text of the one around it."""
        self._boxes.append(bool(self.open))
        self.flows = False
        if self.open:
            self.open.append(OpenParagraph())

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
            self._title = len(self._boxes) + 1
            self.text.begin_title(1)
        self.begin_box(attrib)

    def finish_frame(self) -> None:
        is_title = self._title == len(self._boxes)
        self.finish_box()
        if is_title:
            self._title = 0
            self.text.end_title()

    def finish_page(self) -> None:
        self.text.add("\f")

    def begin_table(self, attrib: Mapping[str, str]) -> None:
        if self.flows:
            self._begin_styled("table", attrib)
        self._tables += self.in_sheets
        if self._tables == 1:
            self.text.head(attribute(attrib, "name"))

    def finish_table(self) -> None:
        if self._tables == 1:
            self.finish_page()
        self._tables -= self.in_sheets

    def begin_cell(self, attrib: Mapping[str, str]) -> None:
        super().begin_cell(attrib)
        if self._tables == 1:
            self.open.append(OpenParagraph())

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


def _is_hidden(attrib: Mapping[str, str]) -> bool:
    """What the program found when it last looked at a condition."""
    return attribute(attrib, "is-hidden") == "true"


def _styles(act: Callable[[OpenStyles, Mapping[str, str]], None]) -> Callable[..., None]:
    return lambda story, attrib: act(story.styles, attrib)


def _in(space: str, table: Table) -> Table:
    return named((_SPACES[space],), table)


_SHAPES = (
    *("a", "caption", "circle", "connector", "control", "custom-shape", "ellipse", "g", "line"),
    *("measure", "path", "polygon", "polyline", "rect", "regular-polygon"),
)
_STYLE_ROW = (_styles(OpenStyles.begin), lambda story: story.styles.finish())
_COMMON: Table = {
    **_in(
        "text",
        {
            "p": (OpenStory.begin_paragraph, OpenStory.finish_paragraph),
            "h": (OpenStory.begin_heading, OpenStory.finish_paragraph),
            "span": (OpenStory.begin_span, OpenStory.finish_appearance),
            "a": (OpenStory.begin_span, OpenStory.finish_appearance),
            "section": (OpenStory.begin_section, OpenStory.finish_appearance),
            "hidden-text": (OpenStory.begin_hidden_text, OpenStory.finish_appearance),
            "hidden-paragraph": OpenStory.begin_hidden_paragraph,
            "s": OpenStory.begin_blanks,
            "tab": sign("\t"),
            "line-break": sign("\n"),
            "soft-page-break": OpenStory.begin_soft_page,
            "note": (OpenStory.begin_box, OpenStory.finish_box),
            "tracked-changes": OpenStory.leave_out,
            "ruby-text": OpenStory.leave_out,  # how to say a word, printed small above it
        },
    ),
    **_in(
        "table",
        {
            "table": (OpenStory.begin_table, OpenStory.finish_table),
            "table-row": (OpenStory.begin_row, OpenStory.finish_row),
            "table-cell": (OpenStory.begin_cell, OpenStory.finish_cell),
            "covered-table-cell": (OpenStory.begin_cell, OpenStory.finish_cell),
            "tracked-changes": OpenStory.leave_out,
            "content-validations": OpenStory.leave_out,
            "dde-links": OpenStory.leave_out,
        },
    ),
    **_in(
        "drawing",
        {
            **dict.fromkeys(_SHAPES, (OpenStory.begin_box, OpenStory.finish_box)),
            "frame": (OpenStory.begin_frame, OpenStory.finish_frame),
            "page": (None, OpenStory.finish_page),
            "object": OpenStory.leave_out,
        },
    ),
    **_in(
        "office",
        {
            "annotation": OpenStory.leave_out,
            "binary-data": OpenStory.leave_out,
            "styles": _styles(lambda styles, _: styles.set_common(True)),
            "automatic-styles": _styles(lambda styles, _: styles.set_common(False)),
        },
    ),
    **_in(
        "style",
        {
            "style": _STYLE_ROW,
            "default-style": _STYLE_ROW,
            "paragraph-properties": _styles(OpenStyles.add),
            "table-properties": _styles(OpenStyles.add),
            "text-properties": _styles(OpenStyles.add_text),
            "section-properties": _styles(OpenStyles.fill),
            "page-layout-properties": _styles(OpenStyles.fill_pages),
            "background-image": _styles(OpenStyles.fill_with_image),
        },
    ),
    _LIBREOFFICE + "graphic-properties": _styles(OpenStyles.fill),
}
_BODY = Vocabulary.of(
    _COMMON,
    _in(
        "office",
        {
            "text": OpenStory.begin_body,
            "spreadsheet": sets("in_sheets", value=True),
            "master-styles": OpenStory.leave_out,
        },
    ),
)
# To read the headers and footers of pages, and the styles that have names.
_MARGINS = Vocabulary.of(
    _COMMON,
    _in(
        "style",
        {
            f"{place}{which}": OpenStory.begin_margin
            for place in ("header", "footer")
            for which in ("", "-left", "-first")
        },
    ),
    _in("office", {"body": OpenStory.leave_out}),
)


_KIND = "OpenDocument file"
_CONTENT = "content.xml"
_STYLES = "styles.xml"
_MANIFEST = "META-INF/manifest.xml"
_TYPE = re.compile(
    r"application/vnd\.oasis\.opendocument\.(?:text|presentation|spreadsheet|graphics)(?![a-z])"
)
# The first tag of a file that is one XML document, with the name space of such tags in it.
_FLAT = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,2000}>\s*)*<(?:\w+:)?document\s[^>]*"
    rb"urn:oasis:names:tc:opendocument:xmlns:office:1\.0"
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[?!\w]")


@dataclass(frozen=True)
class Odt(Package):
    r"""The text of an OpenDocument file (text, presentation, sheets), a line for each paragraph.

    Pages of a text begin at the breaks of its styles, and where they began when it was saved. Each
    slide and each sheet is a page; each row of a sheet is a line, its cells separated by tabs.
    Notes and the text of boxes follow the paragraph that holds them; headers and footers come
    last. Deleted text and comments are left out. Headings are those of the text, the titles of
    slides and the names of sheets. The single-file form (FODT) is read, too. Hidden text and
    sections, white text on white, and text of one point or less is reported; it is read in its
    place, or left out with `hidden="drop"`.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Odt()(Content("tests/samples/documents/harbour.odt")))
    >>> blocks[0], blocks[1][:35]
    (Heading(level=1, title='The harbour', offset=0), 'The harbour\nThe harbour has nine be')
    """

    hidden: str = KEEP
    called: ClassVar[str] = _KIND

    @classmethod
    def recognises(cls, content: Content) -> bool:
        """Whether the type, the manifest or the first tag declares OpenDocument."""
        if content.head.startswith(ZIPPED):
            return super().recognises(content)
        return _FLAT.match(content.head.removeprefix(b"\xef\xbb\xbf")) is not None

    @classmethod
    def _is_in(cls, archive: Beginnings) -> bool:
        declares_type = MIMETYPE in archive.names or _MANIFEST not in archive.names
        declared = archive.first(MIMETYPE)[:200] if declares_type else archive.first(_MANIFEST)
        return cls._seems_begun(declared)

    @classmethod
    def _seems_begun(cls, head: bytes) -> bool:
        return _TYPE.search(head.decode("latin-1")) is not None

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        hidden = HiddenText(self.hidden)
        if content.head.startswith(ZIPPED):
            with opened(content, _KIND) as archive:
                yield from _zipped(archive, hidden)
        else:
            body, margins = OpenStory(_BODY, hidden), OpenStory(_MARGINS, hidden)
            for story in (body, margins):
                if story is body or body.is_text:
                    yield from fed(content.blocks(), story, lambda why: damage(content, _KIND, why))
        yield from hidden.problems(content.name)


def _zipped(archive: Archive, hidden: HiddenText) -> Iterator[Block]:
    if _is_encrypted(archive):
        raise archive.locked()

    @cache
    def margins() -> tuple[list[Block], OpenStyles]:
        """Headers, footers and styles, read when first needed."""
        story = OpenStory(_MARGINS, hidden)
        is_there = _STYLES in archive.names
        return list(parsed(archive, _STYLES, story)) if is_there else [], story.styles

    body = OpenStory(_BODY, hidden, lambda: margins()[1])
    if _CONTENT in archive.names:
        yield from parsed(archive, _CONTENT, body)
    elif _STYLES not in archive.names:  # a template may hold styles alone
        raise archive.damaged("it has no main part")
    if body.is_text:
        yield from margins()[0]


def _is_encrypted(archive: Archive) -> bool:
    """Whether the content is encrypted: as one whole package, or each file for itself.

    The manifest is not parsed, for those of old files have a document type.
    """
    if "encrypted-package" in archive.names:
        return True
    if not {_CONTENT, _MANIFEST} <= set(archive.names):
        return False
    if _XML.match(next(archive.blocks(_CONTENT), b"")):
        return False
    return b"encryption-data" in b"".join(archive.blocks(_MANIFEST))
