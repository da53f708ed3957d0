"""Readers of Office Open XML (ISO/IEC 29500): Word files, PowerPoint files, Excel workbooks.

A file is a package: a zip archive of XML parts that refer to one another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from posixpath import dirname, join, normpath, splitext
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, Beginnings, opened
from sdtext.model import Heading, Problem
from sdtext.parts.file_signatures import ZIPPED
from sdtext.parts.readers import MAX_TITLE, Block, insert_heading, joined, partly_read
from sdtext.parts.readers.excel_dates import date_format, shown_date
from sdtext.parts.readers.hidden_text import (
    KEEP,
    WHITE,
    Appearance,
    Color,
    HiddenText,
    hex_color,
    points_of,
)
from sdtext.parts.readers.other_formats import BINARY_WORKBOOK, kreuzberg_text
from sdtext.parts.readers.xml_packages import (
    SOFT,
    Package,
    Pages,
    Paragraph,
    attribute,
    children_in,
    elements,
    named,
    parsed,
    root_of,
)
from sdtext.wording import counted

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_TYPES = "[Content_Types].xml"
_MAIN_TYPE = r"application/vnd\.(?:openxmlformats-officedocument\.)?(?:{})\.[\w.-]*\bmain(?:\+xml)?"


def _names_of(vocabulary: str, part: str = "main") -> tuple[str, str]:
    """The name spaces of a vocabulary by part 4 (transitional) and part 1 (strict)."""
    return (
        f"{{http://schemas.openxmlformats.org/{vocabulary}/2006/{part}}}",
        f"{{http://purl.oclc.org/ooxml/{vocabulary}/{part}}}",
    )


_WORD, _PRESENTATION = _names_of("wordprocessingml"), _names_of("presentationml")
_SHEET, _DRAWING = _names_of("spreadsheetml"), _names_of("drawingml")
_CHART, _MATH = _names_of("drawingml", "chart"), _names_of("officeDocument", "math")
_COMPATIBILITY = ("{http://schemas.openxmlformats.org/markup-compatibility/2006}",)


class Relation(NamedTuple):
    """A relationship: `kind` is the last word of the type, equal in both its forms."""

    id: str
    kind: str
    part: str


class _OfficeFile(Package):
    """A kind of office document.

    `default_main` names the main part where the package names none; its type has one of the words
    `vocabularies`.
    """

    default_main: ClassVar[str]
    vocabularies: ClassVar[str]

    @classmethod
    def _is_in(cls, archive: Beginnings) -> bool:
        if cls.default_main in archive.names:
            return True
        types = archive.first(_TYPES).decode("latin-1")
        return re.search(_MAIN_TYPE.format(cls.vocabularies), types) is not None

    @classmethod
    def _seems_begun(cls, head: bytes) -> bool:
        # The header of an entry has 30 bytes, then comes its name.
        part = re.escape(dirname(cls.default_main)).encode() + rb"/(?:_rels/)?\w+\.(?:xml|bin)"
        return re.search(ZIPPED + rb".{26}" + part, head, re.DOTALL) is not None

    def _main(self, archive: Archive) -> str:
        for relation in _relations(archive, "", "officeDocument"):
            names = ("/" + relation.part, splitext(relation.part)[1][1:])
            for _, each in elements(archive, _TYPES):
                is_own = each.get("PartName", each.get("Extension")) in names
                main_type = _MAIN_TYPE.format(self.vocabularies)
                if is_own and re.fullmatch(main_type, each.get("ContentType", "")):
                    return relation.part
        if self.default_main not in archive.names:
            raise archive.damaged("it has no main part")
        return self.default_main


_COMMENTS = re.compile(r"(?i)/(?:modern)?comments?[\w-]*\.xml$")
_CONTROLS = re.compile(r"(?i)/activex/[^/]+\.xml$")


def _left_out(archive: Archive, content: Content, formulas: int = 0) -> Iterator[Problem]:
    """The warnings that comments, controls and formulas are left out."""
    number, controls = 0, len([*filter(_CONTROLS.search, archive.names)])
    for part in filter(_COMMENTS.search, archive.names):
        try:
            for tag, _ in elements(archive, part):
                number += tag.rpartition("}")[2] in ("comment", "cm")
        except UnreadableError as error:  # the text is whole
            yield partly_read(content, error.what)
    counts = {"comment": number, "ActiveX control": controls, "formula field": formulas}
    for what, count in counts.items():
        if count:
            yield partly_read(content, f"{counted(count, what)} left out")


def _relations(archive: Archive, source: str, *kinds: str) -> Iterator[Relation]:
    """The relationships of the part `source` within the package, or of the package ("").

    Those of `kinds`; all if none is given.
    """
    folder, _, name = source.rpartition("/")
    for _, each in elements(archive, join(folder, "_rels", name + ".rels")):
        kind = each.get("Type", "").rpartition("/")[2]
        part = normpath(join("/" + folder, each.get("Target", ""))).lstrip("/")
        is_inside = each.get("TargetMode") != "External" and part in archive.names
        if is_inside and (kind in kinds or not kinds):
            yield Relation(each.get("Id", ""), kind, part)


def _parts(archive: Archive, source: str, *kinds: str) -> list[str]:
    relations = sorted(_relations(archive, source, *kinds), key=lambda each: kinds.index(each.kind))
    return list(dict.fromkeys(each.part for each in relations))


def _link(attrib: Any) -> str:
    # What is called id without a name space is another thing.
    return next((str(attrib[key]) for key in attrib if key.endswith("}id")), "")


# The styles of headings have these names in files of any language, which shows others to people.
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_OFF = {"0", "false", "off"}
_AROUND = ()  # the ground of what says none
_HIGHLIGHTS = {
    name: hex_color(value) if value else _AROUND
    for name, value in re.findall(
        r"(\w+)=(\w*)",
        """
        black=000000 blue=0000FF cyan=00FFFF green=00FF00 magenta=FF00FF red=FF0000 yellow=FFFF00
        white=FFFFFF darkBlue=000080 darkCyan=008080 darkGreen=008000 darkMagenta=800080
        darkRed=800000 darkYellow=808000 darkGray=808080 lightGray=C0C0C0 none=
        """,
    )
}


_VALUE = _WORD[0] + "val"


def _value_of(element: Element) -> str:
    return element.get(_VALUE) or attribute(element.attrib, "val")


def _ground_of(element: Element) -> Ground:
    """The colour of a shading or highlight; None if it is not known."""
    value, attrib = _value_of(element), element.attrib
    if value in _HIGHLIGHTS:
        return _HIGHLIGHTS[value]
    if value not in ("", "clear", "nil"):
        return hex_color(attribute(attrib, "color")) if value == "solid" else None
    has_theme = attribute(attrib, "themeFill") != ""
    return hex_color(attribute(attrib, "fill")) or (None if has_theme else _AROUND)


Ground = Color | tuple[()] | None
Properties = Mapping[str, Any]
"""What a style or run says: fields of an appearance, paper (the ground of paragraphs), level of the
outline from 1 (0 is none), and whether it begins a page."""


def _properties_in(properties: Iterable[Element], ground: str) -> dict[str, Any]:
    """What the children of a `pPr` or `rPr` say."""
    says: dict[str, Any] = {}
    is_highlighted = False
    for each in properties:
        name = _SAYING.get(each.tag)
        if name == "vanish":
            says["is_hidden"] = _value_of(each) not in _OFF
        elif name == "color":
            says["color"] = hex_color(_value_of(each))
        elif name == "sz":
            value = _value_of(each)  # in half-points or with its unit; else 12 points
            is_plain = value.isascii() and value.isdigit() and len(value) < 9
            points = int(value) / 2 if is_plain else points_of(value)
            says["points"] = 12 if points is None else points
        elif name == "highlight" or (name == "shd" and not is_highlighted):
            says[ground] = _ground_of(each)
            # Before a highlight, the shading is not seen.
            is_highlighted = name == "highlight" and says[ground] != _AROUND
        elif name == "outlineLvl":
            level = _value_of(each)
            says["level"] = int(level) + 1 if level in tuple("012345678") else 0
        elif name == "pageBreakBefore":
            says["begins_page"] = _value_of(each) not in _OFF
    return says


def _key_of(properties: Iterable[Element]) -> tuple[Hashable, ...]:
    """What the children of a `pPr` or `rPr` say, as it stands in the file."""
    key: list[Hashable] = []
    for each in properties:
        if name := _SAYING.get(each.tag):
            key.append(name)
            key += each.items()
            if name == "rPr" and any(_NAMES.get(mark.tag) in _DELETED for mark in each):
                key.append(_DELETED)
    return tuple(key)


def _style_in(properties: Iterable[Element]) -> str:
    """The id of the style that is named among the properties of a paragraph or run."""
    return next((_value_of(each) for each in properties if each.tag in _STYLED), "")


class _Styles:
    """The styles of a Word file by their ids, each read when it is first needed."""

    def __init__(self, data: bytes = b"") -> None:
        self._elements: dict[str, Iterable[Element]] = {}
        self._says: dict[str, Properties] = {}
        self._of_paragraphs: dict[str, Properties] = {}
        self._defaults: Properties = {}
        self._default = ""
        for each in root_of(data) if data else ():
            name, attrib = _NAMES.get(each.tag), each.attrib
            kind = attribute(attrib, "type") or "paragraph"
            if name == "docDefaults":
                self._defaults = _own_properties(each.iter(*_PROPERTIES))
            # What a style of tables or numbers has, may be for some of their places alone.
            elif name == "style" and kind in ("paragraph", "character"):
                id_ = attribute(attrib, "styleId")
                self._elements[id_] = each
                if kind == "paragraph" and attribute(attrib, "default") not in ("", *_OFF):
                    self._default = id_

    def of_paragraph(self, id_: str) -> Properties:
        """All that the style says, or that of paragraphs which name none that is there."""
        id_ = id_ if id_ in self._elements else self._default
        if id_ not in self._of_paragraphs:
            own = self.of(id_) or self.of(self._default)
            self._of_paragraphs[id_] = {**self._defaults, **own}
        return self._of_paragraphs[id_]

    def of(self, id_: str) -> Properties:
        """What a style says, with what it inherits from others."""
        path = []
        current = id_
        while current not in self._says:
            self._says[current] = {}  # lest a circle is gone round for ever
            parts = {_NAMES.get(each.tag): each for each in self._elements.get(current, ())}
            path.append((current, parts))
            current = _value_of(parts["basedOn"]) if "basedOn" in parts else current
        for each, parts in reversed(path):
            says = dict(self._says[current])
            if "name" in parts and (match := _HEADING.fullmatch(_value_of(parts["name"]))):
                says["level"] = int(match[1])
            current = each
            self._says[current] = {**says, **_own_properties(parts.values())}
        return self._says[id_]


# Files of one template share styles, which can take longer than their text.
_remembered = lru_cache(4)(_Styles)
_MOST_REMEMBERED = 1 << 19  # bytes of each


def _styles_in(data: bytes) -> _Styles:
    return _remembered(data) if len(data) < _MOST_REMEMBERED else _Styles(data)


def _own_properties(parts: Iterable[Element]) -> dict[str, Any]:
    says: dict[str, Any] = {}
    for each in parts:
        if (name := _NAMES.get(each.tag)) in ("pPr", "rPr"):
            says |= _properties_in(each, "paper" if name == "pPr" else "ground")
        elif name == "pageBreakBefore":
            says["begins_page"] = _value_of(each) not in _OFF
    return says


# How a section may begin within a page (ISO/IEC 29500-1, 17.18.77); all others begin one.
_WITHIN = ("continuous", "nextColumn")
# What is not read: deleted text, former properties, how to say a word (printed small above it), the
# places of tabs. Soft hyphens (w:softHyphen) and symbols (w:sym) are not read either: the one is
# seen only where a line happens to end, the other is a number in some font.
_SILENT = {"del", "moveFrom", "pPr", "rPr", "rt", "sectPr"}
_SIGNS = {
    "tab": "\t",
    "ptab": "\t",
    "cr": "\n",
    "noBreakHyphen": "-",  # where a line may break is layout; the word is the one with a hyphen
}
_MARKS = {*_SIGNS, "br", "lastRenderedPageBreak"}
_DELETED = ("del", "moveFrom")
_NOTES = ("", "normal")
_FIELDS = {"instrText", "ddList", "textpath"}
_FORMULA = re.compile(r"\s*EQ\s")
_MOST_WAITING = 1000  # paragraphs, before they are passed on
_NAMES: Mapping[Any, str] = {
    **named(
        _WORD,
        (
            *("altChunk", "basedOn", "br", "color", "docDefaults", "endnote", "footnote"),
            *("highlight", "name", "outlineLvl", "p", "pPr", "pStyle", "pageBreakBefore", "r"),
            *("rPr", "rStyle", "rt", "sectPr", "shd", "style", "sz", "t", "tc", "tr", "type"),
            *("vanish", "lastRenderedPageBreak", "instrText", "ddList", *_DELETED, *_SIGNS),
        ),
    ),
    **named(["{urn:schemas-microsoft-com:vml}"], ("textpath",)),
    **named(_MATH, ("t",)),
    **named(_COMPATIBILITY, ("AlternateContent",)),
}
_SAYING: Mapping[Any, str] = named(
    _WORD,
    (
        *("pStyle", "rStyle", "shd", "highlight", "color", "sz", "vanish", "outlineLvl"),
        *("pageBreakBefore", "rPr", "sectPr"),
    ),
)
_STYLED = named(_WORD, ("pStyle", "rStyle"))
_PROPERTIES = named(_WORD, ("pPr", "rPr"))
_BODIES = named(_WORD, ("body", "hdr", "ftr", "footnotes", "endnotes"))
_BACKGROUNDS = named(_WORD, ("background",))


class _Says(NamedTuple):
    """What a paragraph's properties come to.

    The level is that of a heading, 0 for others; the end is "" where the next paragraph goes on.
    """

    style: str
    paper: Ground
    level: int
    begins_page: bool
    ends_section: bool
    end: str


class _WordText:
    """The text of the parts of a Word file, paragraph by paragraph.

    The properties of a section are at its end, so paragraphs are held back until it is known how
    their section begins. Hidden text (w:vanish) is read in its place, if it is not to be left out:
    Word finds and shows it to whoever asks. Styles of tables are not looked at.
    """

    def __init__(
        self,
        styles: Callable[[], _Styles],
        hidden: HiddenText,
        imported: Callable[[str, str], Iterable[Block]],
    ) -> None:
        self._styles = cache(styles)
        self._imported = imported
        self._part = ""
        self._hidden = hidden
        # By properties as they stand in the file, of paragraphs and of runs.
        self._known: dict[Hashable, _Says] = {}
        self._unseen: dict[Hashable, bool] = {}
        self._has_background = False
        self._flows = self._is_boxed = False
        self._section: int | None = None  # where it began, if it is not known how
        self._pages = Pages()
        # Of the paragraph that is read: its text, those in its boxes, and how text appears there.
        self._pieces: list[str] = []
        self._boxed: list[Paragraph] = []
        self._around: tuple[str, Ground, bool] = ("", _AROUND, True)
        self._is_plain_unseen = False
        self._texts = self.formulas = 0

    def blocks(self, archive: Archive, part: str, *, flows: bool) -> Iterator[Block]:
        """The text of a part; the body `flows`, headers and notes do not."""
        self._part, self._flows, self._pages = part, flows, Pages()
        first = True
        for body, child in children_in(archive, part, _BODIES):
            if first:
                first = False
                grounds = body.itersiblings(*_BACKGROUNDS, preceding=True)
                colors = (hex_color(attribute(each.attrib, "color")) for each in grounds)
                self._has_background = any(color != WHITE for color in colors)
            if child is not None:
                self._read([child])
                child.clear()
            if self._section is None and len(self._pages.blocks) > _MOST_WAITING:
                yield from self._pages.take()
        self._settle()
        yield from self._pages.take()

    def _settle(self, section: Iterable[Element] = ()) -> None:
        """Release held paragraphs, whose section begins as this says; an empty one begins no page.

        Nor does one whose first paragraph begins a page itself.
        """
        types = [each for each in section if _NAMES.get(each.tag) == "type"]
        begins_page = not types or _value_of(types[0]) not in _WITHIN
        blocks, place = self._pages.blocks, self._section
        if place is not None and begins_page and blocks[place : place + 1] not in ([], ["\f"]):
            blocks.insert(place, "\f")
        self._section = None

    def _read(self, elements: Iterable[Element]) -> None:
        """Read what holds paragraphs; of several forms, the first that has text."""
        for each in elements:
            name = _NAMES.get(each.tag)
            if name == "p":
                self._read_paragraph(each)
            elif name == "tc":
                self._pages.begin_cell()
                self._read(each)
            elif name == "tr":
                self._pages.begin_row()
                self._read(each)
                self._pages.end_row()
            elif name == "sectPr":
                self._settle(each)
            elif name == "altChunk":
                self._pages.blocks += self._imported(self._part, _link(each.attrib))
            elif name in ("footnote", "endnote") and attribute(each.attrib, "type") not in _NOTES:
                continue  # the lines that separate notes from the body
            elif name == "AlternateContent":
                before = self._texts
                for branch in each:
                    if self._texts == before:
                        self._read(branch)
            elif name not in _SILENT:
                self._read(each)

    def _read_paragraph(self, element: Element) -> None:
        self._boxed = []
        says, text = self._paragraph(element)
        if says.begins_page and self._flows:
            self._pages.begin()
        self._pages.add(text, says.level if self._flows else 0, self._boxed, says.end)
        for each in element[0] if says.ends_section else ():
            if _NAMES.get(each.tag) == "sectPr":
                self._settle(each)
                if self._flows and not self._pages.is_fresh:
                    self._section = len(self._pages.blocks)

    def _paragraph(self, element: Element) -> tuple[_Says, str]:
        """What the properties of a paragraph say, and its text."""
        first = element[0] if len(element) else None
        has_own = first is not None and _NAMES.get(first.tag) == "pPr"
        says = self._said_by(cast("Sequence[Element]", first) if has_own else ())
        on_white = not (self._has_background or self._is_boxed or self._pages.are_in_table)
        self._around = says.style, says.paper, on_white
        self._pieces, self._is_plain_unseen = [], self._is_unseen(())
        self._walk(element, self._is_plain_unseen)
        return says, "".join(self._pieces)

    def _said_by(self, properties: Sequence[Element]) -> _Says:
        key = _key_of(properties)
        if (says := self._known.get(key)) is None:
            style = _style_in(properties)
            own = _properties_in(properties, "paper")
            all_ = {**self._styles().of_paragraph(style), **own}
            says = self._known[key] = _Says(
                style,
                own.get("paper", _AROUND),
                int(all_.get("level", 0)),
                bool(all_.get("begins_page")),
                "sectPr" in key,
                "" if _DELETED in key else "\n",  # deleted, so that the next paragraph goes on
            )
        return says

    def _walk(self, element: Element, is_unseen: bool) -> None:  # noqa: FBT001 (often called)
        """Add the text of a paragraph or of what it holds, which is seen or not."""
        for each in element:
            name = _NAMES.get(each.tag)
            if name == "t":
                # A line end in the file is a blank to Word, which has elements for real ones.
                text = (each.text or "").replace("\n", " ")
                if text and (not is_unseen or self._hidden.keeps(text)):
                    self._texts += 1
                    self._pieces.append(text)
            elif name == "r":
                self._walk(each, self._is_plain_unseen)
            elif name == "rPr":
                is_unseen = self._is_unseen(cast("Sequence[Element]", each))
            elif name in _MARKS:
                self._pieces.append(_SIGNS.get(name) or self._break(name, each))
            elif name in _FIELDS:
                self._read_field(name, each)
            elif name == "p":
                outer = self._pieces, self._around, self._is_plain_unseen, self._is_boxed
                self._is_boxed = True
                says, text = self._paragraph(each)
                self._boxed.append(Paragraph(text + says.end, says.level if self._flows else 0))
                self._pieces, self._around, self._is_plain_unseen, self._is_boxed = outer
            elif name not in _SILENT:
                before = self._texts
                for branch in each if name == "AlternateContent" else (each,):
                    if self._texts == before:  # of several forms, the first that has text
                        self._walk(branch, is_unseen)

    def _read_field(self, name: str, element: Element) -> None:
        """What a list shows, by default its first entry, and letters drawn along a line.

        Few programs write what a list shows as the result of its field as well.
        """
        if name == "instrText":
            self.formulas += _FORMULA.match(element.text or "") is not None
        elif name == "textpath":  # WordArt, and a kind of shapes, which has no string
            if string := attribute(element.attrib, "string"):
                self._texts += 1
                self._boxed.append(Paragraph(string + "\n"))
        else:
            chosen = next(map(_value_of, element.iter("{*}result")), "0")
            entries = enumerate(element.iter("{*}listEntry"))
            shown = [_value_of(entry) for place, entry in entries if str(place) == chosen]
            self._pieces += shown if shown != [_result_behind(element)] else []

    def _break(self, name: str, element: Element) -> str:
        is_in_flow = self._flows and not self._is_boxed
        if name == "br":
            is_page = is_in_flow and attribute(element.attrib, "type") == "page"
            return "\f" if is_page else "\n"
        return SOFT if is_in_flow else ""

    def _is_unseen(self, properties: Sequence[Element]) -> bool:
        """Whether text of a run with these properties is not seen in this paragraph."""
        key = self._around, _key_of(properties)
        if (is_unseen := self._unseen.get(key)) is None:
            style, paper, on_white = self._around
            around = Appearance(ground=WHITE if on_white else None)
            says = self._styles().of_paragraph(style)
            for each in ({"ground": says.get("paper", _AROUND)}, says, {"ground": paper}):
                around = around.with_style(each)
            if name := _style_in(properties):
                of_style = self._styles().of(name)
                # Of two styles that hide text, one undoes the other (ISO/IEC 29500-1, 17.7.3).
                is_hidden = around.is_hidden != bool(of_style.get("is_hidden", False))
                around = around.with_style({**of_style, "is_hidden": is_hidden})
            around = around.with_style(_properties_in(properties, "ground"))
            is_unseen = self._unseen[key] = around.is_unseen
        return is_unseen


def _result_behind(field: Element) -> str:
    """The text of the runs behind the one that begins a field, up to its end."""
    result = ""
    for run in islice(next(field.iterancestors(*_RUNS), field).itersiblings(), _MOST_RUNS):
        for each in run.iter(*_RESULTS):
            if attribute(each.attrib, "fldCharType") == "end":
                return result
            result += each.text or ""
    return ""


_MOST_RUNS = 20
_RUNS, _RESULTS = named(_WORD, ("r",)), named(_WORD, ("t", "fldChar"))
_FURTHER = ("footnotes", "endnotes", "header", "footer")
_DRAWN = ("diagramData", "chart", "chartEx")
_MOST_IMPORTS = 3  # of files in one another


@dataclass(frozen=True)
class Docx(_OfficeFile):
    r"""The text of a Word file, a line for each paragraph, in the body and in tables.

    The body comes first, with the text of a box after the paragraph that holds it; then footnotes,
    endnotes, headers and footers, and the labels of diagrams and charts, each once, in the order in
    which the file lists them. Inserted text and imported files (altChunk) are read in their place;
    deleted text, comments and field codes are not read. Headings are the paragraphs with
    an outline level, mostly by their style. Pages begin at explicit breaks, and where Word began
    them when it saved the file. Hidden text, text of the colour of its ground, and text of one
    point or less is reported; it is read in its place, or left out with `hidden="drop"`.

    >>> blocks = list(Docx()(Content("tests/samples/documents/letter.docx")))
    >>> "".join(block for block in blocks if isinstance(block, str)).splitlines()[:2]
    ['Harbour Office', 'Dear Ms Lund,']
    """

    hidden: str = KEEP
    called: ClassVar[str] = "Word file"
    default_main: ClassVar[str] = "word/document.xml"
    vocabularies: ClassVar[str] = "wordprocessingml|ms-word"

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        hidden = HiddenText(self.hidden)
        with opened(content, self.called) as archive:
            main = self._main(archive)
            styles = next(iter(_parts(archive, main, "styles")), "")
            problems: list[Problem] = []
            text = _WordText(
                lambda: parsed(archive, styles, _styles_in) or _Styles(),
                hidden,
                lambda part, id_: self._imported(archive, content, part, id_, problems),
            )
            for part in dict.fromkeys([main, *_parts(archive, main, *_FURTHER)]):
                yield from text.blocks(archive, part, flows=part == main)
            for part in _parts(archive, main, *_DRAWN):
                yield from _slide_text(archive, part)
            problems += _left_out(archive, content, text.formulas)
        yield from problems
        yield from hidden.problems(content.name)

    def _imported(
        self, archive: Archive, content: Content, source: str, id_: str, problems: list[Problem]
    ) -> list[Block]:
        """The text of a file that the part `source` imports; adds to `problems`."""
        from sdtext.parts.readers.mail import Mhtml
        from sdtext.parts.readers.markup import Html
        from sdtext.parts.readers.plain_text import PlainText
        from sdtext.parts.readers.rtf import Rtf

        blocks: list[Block] = []
        depth, size = content.notes.get("imports", 0), content.notes.get("imported", 0)
        part = next((each.part for each in _relations(archive, source) if each.id == id_), "")
        try:
            if not part or depth == _MOST_IMPORTS:
                raise UnreadableError("it cannot be found" if not part else "it is nested too deep")
            data = b"".join(archive.blocks(part))
            file = Content("", content.max_bytes, content.name, data=data)
            file.notes["imports"] = depth + 1
            page, web_archive = Html(hidden=self.hidden), Mhtml(hidden=self.hidden)
            readers = (self, page, Rtf(), web_archive, PlainText())
            is_page = part.endswith((".htm", ".html", ".xhtml"))  # perhaps without their first tags
            reader = page if is_page else next(each for each in readers if each.recognises(file))
            for block in reader(file):
                size += len(block) if isinstance(block, str) else 0
                content.check_size(size)  # a file can be imported any number of times
                if isinstance(block, Problem):
                    problems.append(block)
                elif isinstance(block, str | Heading):
                    blocks.append(block)
        except UnreadableError as error:
            what = f"an imported file{f' ({part})' if part else ''} is left out: {error.what}"
            problems.append(Problem.at("warning", "partly-read", content.name, what))
        content.notes["imported"] = size
        ends_line = not blocks or str(blocks[-1]).endswith("\n")
        return blocks if ends_line else [*blocks, "\n"]


# What belongs to a slide: labels of its diagrams (SmartArt) and charts, and the speaker's notes.
_BESIDE = (*_DRAWN, "notesSlide")
_TITLES = {"title", "ctrTitle"}
_NUMBER = {"sldNum"}
_ASIDE = {"sldNum", "dt", "ftr", "hdr"}


@dataclass(frozen=True)
class Pptx(_OfficeFile):
    r"""The text of a PowerPoint file, a line for each paragraph; each slide is a page.

    Slides, including hidden ones, come in the order of the presentation: shapes and tables in the
    order in which the file lists them, labels of diagrams and charts, then the notes. Headings are
    the titles of slides. Slide numbers, masters and comments are left out.

    >>> blocks = list(Pptx()(Content("tests/samples/documents/harbour.pptx")))
    >>> blocks[0].title, "".join(block for block in blocks if isinstance(block, str)).count("\f")
    ('The harbour', 2)
    """

    called: ClassVar[str] = "PowerPoint file"
    default_main: ClassVar[str] = "ppt/presentation.xml"
    vocabularies: ClassVar[str] = "presentationml|ms-powerpoint"

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            main = self._main(archive)
            parts = {each.id: each.part for each in _relations(archive, main)}
            listed = (each for tag, each in elements(archive, main) if tag.endswith("}sldId"))
            slides = dict.fromkeys(map(_link, listed))
            for slide in slides:
                if slide in parts:
                    yield from _slide_text(archive, parts[slide], _NUMBER)
                    for part in _parts(archive, parts[slide], *_BESIDE):
                        yield from _slide_text(archive, part, _ASIDE)
                    yield "\f"
            if missing := len(slides.keys() - parts.keys()):
                yield _missing(content, missing, "slide")
            yield from _left_out(archive, content)


def _missing(content: Content, number: int, noun: str) -> Problem:
    return partly_read(content, f"{counted(number, noun)} that it lists cannot be found")


_SLIDE_NAMES: Mapping[Any, str] = {
    **named(_DRAWING, ("p", "t", "br", "tab", "fld", "pPr")),
    **named(_PRESENTATION, ("sp", "ph")),
    **named(_MATH, ("t",)),
    **named(_CHART, ("v", "numCache", "numLit", "txPr")),
    **named(_COMPATIBILITY, ("AlternateContent",)),
}
_SLIDE_SIGNS = {"br": "\n", "tab": "\t"}
_NUMBERS = ("pPr", "txPr", "numCache", "numLit")  # and properties


def _slide_text(archive: Archive, part: str, aside: Collection[str] = ()) -> list[Block]:
    """The text of a slide, or of what belongs to it, without placeholders `aside`."""
    text = _SlideText(aside)
    if (root := parsed(archive, part, root_of)) is not None:
        text.walk(root)
    return joined(text.blocks)


class _SlideText:
    def __init__(self, aside: Collection[str]) -> None:
        self.blocks: list[Block] = []
        self._aside = aside
        self._pieces: list[str] = []
        self._labels: set[str] = set()

    def walk(self, element: Element) -> None:
        for each in element:
            name = _SLIDE_NAMES.get(each.tag)
            if name == "t":
                self._pieces.append((each.text or "").replace("\n", " "))
            elif name == "p":
                outer, self._pieces = self._pieces, []
                self.walk(each)
                self.blocks.append("".join(self._pieces) + "\n")
                self._pieces = outer
            elif name == "sp":
                self._walk_shape(each)
            elif name == "AlternateContent":
                for branch in each:
                    before = len(self.blocks), len(self._pieces)
                    self.walk(branch)
                    if (len(self.blocks), len(self._pieces)) != before:
                        break
            elif name in _SLIDE_SIGNS:
                self._pieces.append(_SLIDE_SIGNS[name])
            elif name == "v" and each.text and each.text not in self._labels:  # of a chart
                self._labels.add(each.text)
                self.blocks.append(each.text + "\n")
            elif name not in _NUMBERS and not (name == "fld" and each.get("type") == "slidenum"):
                self.walk(each)

    def _walk_shape(self, shape: Element) -> None:
        roles = {role.get("type", "") for role in shape.iter(*_PLACEHOLDERS)}
        start = len(self.blocks)
        if roles.isdisjoint(self._aside):
            self.walk(shape)
        if not roles.isdisjoint(_TITLES):
            insert_heading(self.blocks, start, 1)


_PLACEHOLDERS = named(_PRESENTATION, ("ph",))


# A character that XML cannot hold, or that stood for one by chance (ISO/IEC 29500-1, 22.9.2.19).
# Half a character stays as it is.
_ESCAPED = re.compile(r"_x(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4})_")
_TRUTH = {"0": "FALSE", "1": "TRUE"}


@dataclass(frozen=True)
class Xlsx(_OfficeFile):
    r"""The text of an Excel workbook: each sheet a page, each row a line, cells separated by tabs.

    Sheets, including hidden ones, come in the order of the workbook; their names are headings.
    Dates and times are read as the cell shows them, other numbers as stored. For a formula the
    stored result is read. Text in boxes and labels of charts follow the rows; comments are left
    out.

    >>> blocks = list(Xlsx()(Content("tests/samples/documents/berths.xlsx")))
    >>> blocks[0].title, blocks[1].splitlines()[1]
    ('Berths', 'North quay\t14\tdeep water')
    """

    called: ClassVar[str] = "Excel workbook"
    default_main: ClassVar[str] = "xl/workbook.xml"
    vocabularies: ClassVar[str] = "spreadsheetml|ms-excel"

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            main = self._main(archive)
            if main.endswith(".bin"):
                yield kreuzberg_text(content, *BINARY_WORKBOOK)
                return
            size = 0
            for block in _sheets(archive, main, content):
                size += len(block) if isinstance(block, str) else 0
                # A string can be in any number of cells.
                content.check_size(size)
                yield block
            yield from _left_out(archive, content)


def _sheets(archive: Archive, main: str, content: Content) -> Iterator[Block | Problem]:
    parts = {each.id: each for each in _relations(archive, main)}
    strings: list[str] = []
    for part in _parts(archive, main, "sharedStrings"):
        for _, child in children_in(archive, part, _SHEET_BODIES):
            if child is not None:
                strings.append(_line_in(child))
    listed = [attrib for tag, attrib in elements(archive, main) if tag.endswith("}sheet")]
    unknown: list[str] = []
    shown = _shown_values(archive, main, strings, unknown)
    titles = {_link(each): " ".join(each.get("name", "")[:MAX_TITLE].split()) for each in listed}
    for key, title in titles.items():
        if key in parts and parts[key].kind in ("worksheet", "chartsheet"):  # not a dialogue
            yield Heading(1, title)
            yield from _rows(archive, parts[key].part, shown)
            for drawing in _parts(archive, parts[key].part, "drawing"):
                for part in (drawing, *_parts(archive, drawing, *_DRAWN)):
                    yield from _slide_text(archive, part)
            yield "\f"
    if missing := len(titles.keys() - parts.keys()):
        yield _missing(content, missing, "sheet")
    if unknown:
        what = f"{counted(len(unknown), 'result')} of formulas not stored, as {unknown[0]:.40}"
        yield partly_read(content, f"{what}; open it in a program for sheets and save it")


def _shown_values(
    archive: Archive, main: str, strings: Sequence[str], unknown: list[str]
) -> Callable[[Element], str]:
    """A function from a cell to what it shows, with the strings that cells share.

    It adds places of cells to `unknown` whose formula has no result in the file.
    """
    codes: dict[str, str] = {}
    dates: dict[str, str] = {}  # by the number by which cells name a style
    count = -1  # of the styles of cells, which stand in one list among others
    for part in _parts(archive, main, "styles"):
        for tag, attrib in elements(archive, part):
            local, number = tag.rpartition("}")[2], attrib.get("numFmtId", "")
            if local == "numFmt":
                codes[number] = attrib.get("formatCode", "")
            elif local in ("cellXfs", "cellStyles"):
                count = 0 if local == "cellXfs" else -1
            elif local == "xf" and count >= 0:
                if code := date_format(number, codes.get(number, "")):
                    dates[str(count)] = code
                count += 1
    properties = (attrib for tag, attrib in elements(archive, main) if tag.endswith("}workbookPr"))
    from_1904 = next(properties, {}).get("date1904") in ("1", "true")

    def shown(cell: Element) -> str:
        text, kind = _line_in(cell), cell.get("t", "n")
        if not text and kind == "n" and any(each.tag in _FORMULAS for each in cell):
            unknown.append(cell.get("r", "one"))
        if kind == "s":
            is_known = text.isascii() and text.isdigit() and len(text) < 10
            place = int(text) if is_known else len(strings)
            return strings[place] if place < len(strings) else ""
        if kind in ("n", "d") and (code := dates.get(cell.get("s", ""))):
            return shown_date(text, code, from_1904=from_1904)
        return _TRUTH.get(text, text) if kind == "b" else text

    return shown


def _rows(archive: Archive, part: str, shown: Callable[[Element], str]) -> Iterator[str]:
    lines: list[str] = []
    for _, row in children_in(archive, part, _SHEET_BODIES):
        cells = (each for each in row if each.tag in _CELLS) if row is not None else ()
        if line := "\t".join(filter(None, (shown(each) for each in cells))):
            lines.append(line + "\n")
        if row is not None:
            row.clear()
        if len(lines) > _MOST_WAITING or row is None:
            yield "".join(lines)
            lines.clear()


_SHEET_BODIES = named(_SHEET, ("sst", "sheetData"))
_CELLS = named(_SHEET, ("c",))
_FORMULAS = named(_SHEET, ("f",))
_CELL_TEXTS = named(_SHEET, ("t", "v"))
_READING_AIDS = named(_SHEET, ("rPh",))  # how to say a word, printed small above it


def _texts_in(element: Element) -> str:
    """A string, of a cell or of many: a text or runs of it."""
    text = ""
    for each in element:
        if each.tag in _CELL_TEXTS:
            text += each.text or ""
        elif each.tag not in _READING_AIDS:
            text += _texts_in(each)
    return text


def _line_in(element: Element) -> str:
    text = _texts_in(element)
    if "_x" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return " ".join(text.split())
