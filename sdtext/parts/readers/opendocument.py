"""Reader of OpenDocument files (ODT, ODP, ODS; ISO/IEC 26300) and of their styles.

Styles say where pages begin, and how text appears.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any, ClassVar, cast

from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import MIMETYPE, Archive, Beginnings, damage, opened
from sdtext.model import Heading, Problem
from sdtext.parts.file_signatures import ZIPPED
from sdtext.parts.readers import MAX_TITLE, Block, insert_heading, partly_read
from sdtext.parts.readers.hidden_text import (
    KEEP,
    WHITE,
    Appearance,
    Color,
    HiddenText,
    hex_color,
    is_indistinct,
    points_of,
)
from sdtext.parts.readers.xml_packages import (
    SOFT,
    Package,
    Pages,
    Paragraph,
    attribute,
    children,
    children_in,
    named,
    parsed,
    root_of,
)
from sdtext.wording import counted

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_SPACES = {
    name: f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"
    for name in ("office", "style", "text", "table", "drawing", "presentation")
}
_STYLE, _TEXT = _SPACES["style"], _SPACES["text"]
_STYLE_NAME = _TEXT + "style-name"
_FORMAT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_FILL = _SPACES["drawing"] + "fill"
# LibreOffice's own: fields of Word's forms; 0% of what has a colour is not seen.
_FIELD = "{urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0}"
_OPACITY = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}opacity"
_FAMILIES = ("paragraph", "table", "text", "section")
_PAGES = {"page", "even-page", "odd-page"}
_NO_GROUND = ("", "transparent", "none")
_SPACE = re.compile(r"[ \t\n\r]+")
# How many blanks an element may stand for: it is 20 bytes in the file, and no line has room for
# more.
_MOST_BLANKS = 80
_MOST_WAITING = 1000  # paragraphs, before they are passed on
# What the frames of a page of notes show beside the notes.
_ASIDE = {"page-number", "date-time", "header", "footer"}
_MARGINS = [place + which for place in ("header", "footer") for which in ("", "-left", "-first")]
_STYLES_IN = ("styles", "automatic-styles", "master-styles")  # of styles
# What is not read: deleted text, comments, how to say a word (printed small above it), messages
# for those who fill in cells.
_SILENT = {
    *("annotation", "binary-data", "ruby-text", "tracked-changes"),
    *("content-validations", "dde-links", *_STYLES_IN),
}
_SHAPES = (
    *("caption", "circle", "connector", "control", "custom-shape", "ellipse", "frame", "g", "line"),
    *("measure", "path", "polygon", "polyline", "rect", "regular-polygon"),
)
_CELLS = ("table-cell", "covered-table-cell")
_MARKS = (
    *("s", "tab", "line-break", "soft-page-break", "hidden-paragraph"),
    *("change-start", "change-end", "fieldmark"),
)
_NAMES: Mapping[Any, str] = {
    **named(
        [_TEXT],
        (
            *("p", "h", "span", "a", "section", "hidden-text", "note"),
            *("tracked-changes", "ruby-text", *_MARKS),
        ),
    ),
    **named(
        [_SPACES["table"]],
        ("table", "table-row", *_CELLS, "tracked-changes", "content-validations", "dde-links"),
    ),
    **named([_SPACES["drawing"]], (*_SHAPES, "page", "object")),
    **named(
        [_SPACES["office"]],
        ("annotation", "binary-data", "forms", "text", "spreadsheet", *_STYLES_IN),
    ),
    **named([_STYLE], _MARGINS),
    **named([_FIELD], ("fieldmark",)),
}
_MATH_TOKENS = [
    "{http://www.w3.org/1998/Math/MathML}" + name for name in ("mi", "mn", "mo", "mtext")
]
_BOXES = {"note", "object", "forms", *_SHAPES}
_SHOWN = ("current-value", "label")  # by controls of forms
_SIGNS = {"tab": "\t", "line-break": "\n"}
_TEXT_BODIES = [_SPACES["office"] + name for name in ("text", "presentation", "drawing")]

_SHEETS = _SPACES["office"] + "spreadsheet"
_PLACES = named([_STYLE], _MARGINS)
_TOPS = [*_TEXT_BODIES, _SPACES["table"] + "table", *named([_SPACES["office"]], _STYLES_IN)]


Properties = Mapping[str, Any]
"""What a style says: fields of an appearance, and more by names of our own."""


class _Styles:
    """The styles of a document, each read when it is first needed.

    Automatic ones have a paragraph's own properties, and may take the rest from a common one,
    which has a name; that of all paragraphs has none.
    """

    def __init__(self) -> None:
        self._common: dict[tuple[str, str], Element] = {}
        self._automatic: dict[tuple[str, str], Element] = {}
        self._inherited: dict[tuple[str, str], Properties] = {}
        self.page_ground: Color | None = WHITE
        """The ground of all pages; None if it is not white throughout."""

    def add(self, element: Element, *, are_common: bool, are_of_text: bool) -> None:
        """A style or some. In another file than that of the text, only common ones count."""
        styles = self._common if are_common else self._automatic
        for each in element.iter(_STYLE + "style", _STYLE + "default-style"):
            family, name = each.get(_STYLE + "family", ""), each.get(_STYLE + "name", "")
            is_known = family in _FAMILIES and (name or family == "paragraph")
            if is_known and (are_of_text or are_common):
                styles[family, name] = each
        for each in element.iter(_STYLE + "page-layout-properties"):
            ground = each.get(_FORMAT + "background-color", "")
            color = WHITE if ground in _NO_GROUND else hex_color(ground)
            if color is None or not is_indistinct(color, WHITE) or _has_pattern(each):
                self.page_ground = None

    def of(self, family: str, name: str) -> Properties:
        """All that a style says, with what it inherits."""
        own = self._automatic.get((family, name))
        inherited = self._named(family, name if own is None else _parent_of(own))
        return inherited if own is None else {**inherited, **_properties_of(own)}

    def _named(self, family: str, name: str) -> Properties:
        key = family, name
        if key not in self._inherited:
            self._inherited[key] = {}  # lest a circle is gone round for ever
            if (style := self._common.get(key)) is not None:
                parent = _parent_of(style)
                inherited = self._named(family, parent) if (family, parent) in self._common else {}
                self._inherited[key] = {**inherited, **_properties_of(style)}
        return self._inherited[key] or (self._named(family, "") if name else {})


def _parent_of(style: Element) -> str:
    return style.get(_STYLE + "parent-style-name", "")


def _properties_of(style: Element) -> dict[str, Any]:
    says: dict[str, Any] = {}
    if (master := style.get(_STYLE + "master-page-name")) is not None:
        says["master"] = master
    for each in style:
        kind = str(each.tag).rpartition("}")[2]
        if kind in ("paragraph-properties", "table-properties"):
            before, after = (each.get(f"{_FORMAT}break-{place}") for place in ("before", "after"))
            # To LibreOffice they are one property: a style that says one of them has no other.
            if before or after:
                says |= {"before": before or "auto", "after": after or "auto"}
        if ground := each.get(_FORMAT + "background-color"):
            says["ground"] = () if ground in _NO_GROUND else hex_color(ground)
        if _FILL in each.attrib or _has_pattern(each):
            says["has_pattern"] = _has_pattern(each)
        if kind == "text-properties":
            if (display := each.get(_TEXT + "display")) is not None:
                says["is_hidden"] = display == "none"
            if (size := each.get(_FORMAT + "font-size")) is not None:
                points = points_of(size)
                says["points"] = () if points is None else points
            if each.get(_STYLE + "use-window-font-color") == "true":
                says |= {"color": None, "is_clear": False}  # which the program chooses
            elif value := each.get(_FORMAT + "color"):
                color = hex_color(value)
                is_clear = color is not None and each.get(_OPACITY) == "0%"
                says |= {"color": color, "is_clear": is_clear}
    return says


def _has_pattern(element: Element) -> bool:
    """Whether the ground is a picture or pattern."""
    images = element.iter(_STYLE + "background-image")
    return element.get(_FILL, "solid") not in ("solid", "none") or any(i.attrib for i in images)


def _is_hidden(element: Element) -> bool:
    """Whether it is hidden, by what the program found when it last looked at a condition."""
    display = attribute(element.attrib, "display")
    is_met = attribute(element.attrib, "is-hidden") == "true"
    return display == "none" or (display in ("", "condition") and is_met)


class _OpenText:
    """The text of a document, paragraph by paragraph; that of its headers and footers comes last.

    `is_text` says, once the body has begun, whether it is one of a word processor.
    """

    def __init__(self, hidden: HiddenText) -> None:
        self.is_text = False
        self.archive: Archive | None = None
        self._styles = _Styles()
        self._hidden = hidden
        self._pages = Pages()
        self._flows = self._ends_page = self._hides_paragraph = False
        self._masters: list[Element] = []
        self.comments = 0
        # Deletions, and those that are open: LibreOffice marks them in the text of single files.
        self._deletions, self._deleted = set[str](), set[str]()
        # Of the paragraph that is read: its text, None outside of one, and those in its boxes.
        self._pieces: list[str] | None = None
        self._boxed: list[Paragraph] = []
        self._controls: dict[str, str] = {}  # what those of forms show, by their id

    def blocks(
        self, tops: Iterable[tuple[Element, Element | None]], *, has_text: bool = True
    ) -> Iterator[Block]:
        """The text of an XML file, but for headers; only the styles of one without text."""
        last, around = None, Appearance()
        for top, child in tops:
            name = _NAMES.get(top.tag)
            if name in _STYLES_IN:
                if child is not None:
                    self._styles.add(child, are_common=name == "styles", are_of_text=has_text)
                    self._masters += [child] if name == "master-styles" else []
            elif has_text:
                parent = top.getparent()
                if name == "table" and (parent is None or parent.tag != _SHEETS):
                    continue  # linked data
                if top is not last:
                    last = top
                    self._flows = self.is_text = name == "text"
                    if self.is_text:
                        around = Appearance(ground=self._styles.page_ground)
                    if name == "table":
                        title = " ".join(attribute(top.attrib, "name")[:MAX_TITLE].split())
                        self._pages.blocks += [Heading(1, title)] if title else []
                if child is not None:
                    self._read([child], around, in_sheet=name == "table")
                    child.clear()
                elif name == "table":
                    self._pages.blocks.append("\f")
                if len(self._pages.blocks) > _MOST_WAITING:
                    yield from self._pages.take()
        yield from self._pages.take()

    def margins(self) -> Iterator[Block]:
        """The text of headers and footers, to be read last."""
        self._flows, self._pages = False, Pages()
        for place in (place for master in self._masters for place in master.iter(*_PLACES)):
            if attribute(place.attrib, "display") != "false":
                self._read(place, Appearance(ground=None))
        yield from self._pages.take()

    def _read(
        self, elements: Iterable[Element], around: Appearance, *, in_sheet: bool = False
    ) -> None:
        """Read elements, and what follows each, that stand within text of such an appearance."""
        for each in elements:
            name = _NAMES.get(each.tag)
            if name in ("p", "h"):
                self._read_paragraph(name, each, around)
            elif name in ("span", "a", "section", "hidden-text"):
                self._read_styled(name, each, around)
            elif name in _MARKS:
                self._read_mark(name, each)
            elif name in _BOXES:
                self._read_box(each, around)
            elif name == "table-row":
                self._read_row(each, around, in_sheet=in_sheet)
            elif name in _SILENT:
                self.comments += name == "annotation"
                self._deletions.update(each.xpath("*[*[local-name() = 'deletion']]/@*"))
            else:
                if name in _CELLS:
                    self._pages.begin_cell()
                elif name == "table" and self._is_in_flow and not self._pages.are_in_table:
                    self._begin_styled("table", attribute(each.attrib, "style-name"))
                self._add(each.text or "", around)
                self._read(each, around, in_sheet=in_sheet)
                if name == "page":
                    self._pages.blocks.append("\f")
            if tail := each.tail:
                self._add(tail, around)

    @property
    def _is_in_flow(self) -> bool:
        """Whether what comes stands on pages, not in a paragraph, box, note or margin."""
        return self._flows and self._pieces is None

    def _begin_styled(self, family: str, style: str) -> None:
        """What begins here may begin a page; within a table, breaks do not count."""
        says = self._styles.of(family, style)
        # What names the master of its page begins one (16.5, style:master-page-name).
        if says.get("before") in _PAGES or says.get("master") or self._ends_page:
            self._pages.begin()
        self._ends_page = says.get("after") in _PAGES

    def _read_paragraph(self, name: str, element: Element, around: Appearance) -> None:
        number = 0
        if name == "h":
            level = attribute(element.attrib, "outline-level")
            is_known = level.isascii() and level.isdigit() and len(level) < 3
            number = max(1, int(level)) if is_known else 1
        style = element.get(_STYLE_NAME, "")
        outer, is_on_page = self._pieces, self._is_in_flow and not self._pages.are_in_table
        if is_on_page:
            self._begin_styled("paragraph", style)
        around = self._within(around, "paragraph", style, is_on_page)
        self._pieces, self._hides_paragraph = [], False
        if text := element.text:
            self._add(text, around)
        if len(element):
            self._read(element, around)
        text, self._pieces = "".join(self._pieces), outer
        if self._hides_paragraph:
            self._hides_paragraph = False
            text = text if not text or self._hidden.keeps(text) else ""
        if outer is not None:
            self._boxed.append(Paragraph(text + "\n", number))
            return
        if self._flows:
            self._pages.add(text, number, self._boxed)
        else:
            for each in (Paragraph(text + "\n", number), *self._boxed):
                self._pages.blocks += each.blocks()
        self._boxed = []

    def _read_styled(self, name: str, element: Element, around: Appearance) -> None:
        family = "section" if name == "section" else "text"
        if name != "hidden-text":
            around = self._within(around, family, element.get(_STYLE_NAME, ""))
        if name in ("section", "hidden-text") and _is_hidden(element):
            around = around._replace(is_within_hidden=True)
            if words := attribute(element.attrib, "string-value"):
                self._add(words, around)
                return
        self._add(element.text or "", around)
        self._read(element, around)

    def _within(
        self,
        around: Appearance,
        family: str,
        style: str,
        has_ground: bool = True,  # noqa: FBT001, FBT002 (often called)
    ) -> Appearance:
        """The appearance of text of such a style; boxes, cells and margins have other grounds."""
        if not has_ground:
            around = around._replace(ground=None)
        says = self._styles.of(family, style)
        within = around.with_style(says)
        return within._replace(ground=None) if says.get("has_pattern") else within

    def _read_box(self, element: Element, around: Appearance) -> None:
        """A box or note; what stands in it beside paragraphs is no text of the one around it."""
        name, role = _NAMES[element.tag], attribute(element.attrib, "class")
        if name == "object":
            self._read_object(element)
        elif name == "forms":
            self._read_forms(element)
        elif control := self._controls.get(attribute(element.attrib, "control")):
            self._add_boxed(control)
        elif role not in _ASIDE:
            pieces, flows, start = self._pieces, self._flows, len(self._pages.blocks)
            self._pieces, self._flows = None if pieces is None else [], False
            self._read(element, around)
            self._pieces, self._flows = pieces, flows
            if role == "title":
                insert_heading(self._pages.blocks, start, 1)

    def _read_object(self, element: Element) -> None:
        """The text in an embedded document or formula (MathML), and the labels of a chart."""
        root: Element | None = element
        if (place := attribute(element.attrib, "href")) and self.archive:
            root = parsed(self.archive, normpath(join(place, _CONTENT)), root_of)
        if root is None:
            return
        is_chart = root.find(".//{*}chart") is not None
        for each in root.iter(_TEXT + "p"):
            text = " ".join("".join(map(str, each.itertext())).split())
            cell = cast("Element", each.getparent()).attrib
            if text and not (is_chart and attribute(cell, "value-type") == "float"):
                self._add_boxed(text)
        if formula := " ".join(filter(None, (each.text for each in root.iter(*_MATH_TOKENS)))):
            self._add_boxed(formula)

    def _read_forms(self, forms: Element) -> None:
        """The value or the label of each control, and the options that are chosen in it."""
        for each in forms.iter("{*}*"):
            chosen = (part for part in each if attribute(part.attrib, "current-selected") == "true")
            shown = next(filter(None, (attribute(each.attrib, name) for name in _SHOWN)), "")
            texts = (shown, *(attribute(part.attrib, "label") for part in chosen))
            if key := attribute(each.attrib, "id"):
                self._controls[key] = " ".join(" ".join(texts).split())

    def _add_boxed(self, text: str) -> None:
        """A paragraph that follows the one around it, if there is one."""
        paragraph = Paragraph(text + "\n")
        if self._pieces is None:
            self._pages.blocks += paragraph.blocks()
        else:
            self._boxed.append(paragraph)

    def _read_row(self, row: Element, around: Appearance, *, in_sheet: bool) -> None:
        """A row; in a sheet it is a line, with the paragraphs of a cell as a part of it."""
        if not in_sheet:
            self._pages.begin_row()
            self._read(row, around)
            self._pages.end_row()
            return
        cells = []
        for cell in row:
            self._pieces = []
            self._read(cell, Appearance())
            cells.append(" ".join(" ".join(each.text for each in self._boxed).split()))
            self._boxed, self._pieces = [], None
        if line := "\t".join(filter(None, cells)):
            self._pages.blocks.append(line + "\n")

    def _read_mark(self, name: str, element: Element) -> None:
        if name in ("change-start", "change-end"):
            self._deleted ^= {attribute(element.attrib, "change-id")} & self._deletions
        elif self._pieces is None:
            if name == "soft-page-break" and self._flows:
                self._pages.soft()
        elif name == "hidden-paragraph":  # a field that hides all text around it
            self._hides_paragraph |= _is_hidden(element)
        elif name == "soft-page-break":
            self._pieces += [SOFT] if self._flows else []
        elif name in _SIGNS:
            self._pieces.append(_SIGNS[name])
        elif name == "fieldmark":  # of a list, the entry that is chosen
            names = ("name", "value")
            says = [[attribute(each.attrib, name) for name in names] for each in element]
            chosen = [value for name, value in says if name == "Dropdown_Selected"]
            entries = [value for name, value in says if name == "Dropdown_ListEntry"]
            self._pieces += [it for place, it in enumerate(entries) if [str(place)] == chosen]
        else:
            count = attribute(element.attrib, "c")
            is_known = count.isascii() and count.isdigit() and len(count) < 3
            self._pieces.append(" " * (min(_MOST_BLANKS, int(count)) if is_known else 1))

    def _add(self, text: str, around: Appearance) -> None:
        """Text between tags; white space is folded (part 3, 6.1.2)."""
        if self._pieces is None or self._deleted:
            return
        if "  " in text or "\n" in text or "\t" in text or "\r" in text:  # in few
            text = _SPACE.sub(" ", text)
        if text.startswith(" "):
            last = next((each for each in reversed(self._pieces) if each != SOFT), " ")
            text = text[1:] if last.endswith(" ") else text
        if text and (not around.is_unseen or self._hidden.keeps(text)):
            self._pieces.append(text)


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
    Notes and the text of boxes and charts follow the paragraph that holds them; headers and footers
    come last. Deleted text and comments are left out. Headings are those of the text, the titles of
    slides and the names of sheets. The single-file form (FODT) is read, too. Hidden text and
    sections, white text on white, and text of one point or less is reported; it is read in its
    place, or left out with `hidden="drop"`.

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
        text = _OpenText(hidden)
        try:
            if content.head.startswith(ZIPPED):
                with opened(content, _KIND) as archive:
                    text.archive = archive
                    if _is_encrypted(archive):
                        raise archive.locked()
                    # A template may hold styles alone.
                    if not {_CONTENT, _STYLES}.intersection(archive.names):
                        raise archive.damaged("it has no main part")
                    for part in (_STYLES, _CONTENT):
                        if part in archive.names:
                            tops = children_in(archive, part, _TOPS)
                            yield from text.blocks(tops, has_text=part == _CONTENT)
            else:
                tops = children(content.blocks(), _TOPS, lambda why: damage(content, _KIND, why))
                yield from text.blocks(tops)
        except RecursionError as error:
            raise damage(content, _KIND, "its elements or styles are nested too deep") from error
        if text.is_text:
            yield from text.margins()
        if text.comments:
            yield partly_read(content, f"{counted(text.comments, 'comment')} left out")
        yield from hidden.problems(content.name)


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
