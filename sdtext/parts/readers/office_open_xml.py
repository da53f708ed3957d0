"""Readers of Office Open XML (ISO/IEC 29500): Word files, PowerPoint files, Excel workbooks.

A file is a package: a zip archive of XML parts that refer to one another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from posixpath import dirname, join, normpath, splitext
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, Beginnings, opened
from sdtext.model import Heading, Problem
from sdtext.parts.file_signatures import ZIPPED
from sdtext.parts.readers.heading_collector import MAX_TITLE, Block
from sdtext.parts.readers.hidden_text import (
    KEEP,
    WHITE,
    Appearance,
    CachedAppearance,
    Color,
    HiddenText,
    hex_color,
    points_of,
)
from sdtext.parts.readers.xml_story import (
    SEEN,
    OpenParagraph,
    Package,
    PagedStory,
    Story,
    Style,
    Table,
    Target,
    Vocabulary,
    attribute,
    elements,
    inherited,
    named,
    parsed,
    sets,
    sign,
    tree,
)
from sdtext.wording import counted

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_TYPES = "[Content_Types].xml"
# There are two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
_WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
_MATH = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)
_PRESENTATION = (
    "{http://schemas.openxmlformats.org/presentationml/2006/main}",
    "{http://purl.oclc.org/ooxml/presentationml/main}",
)
_DRAWING = (
    "{http://schemas.openxmlformats.org/drawingml/2006/main}",
    "{http://purl.oclc.org/ooxml/drawingml/main}",
)
_COMPATIBILITY = ("{http://schemas.openxmlformats.org/markup-compatibility/2006}",)
_COMMON: Table = {
    **named(_MATH, {"t": (Story.begin_text, Story.finish_text)}),
    **named(
        _COMPATIBILITY,
        {
            "AlternateContent": (Story.begin_alternatives, Story.finish_alternatives),
            "Choice": Story.begin_alternative,
            "Fallback": Story.begin_alternative,
        },
    ),
}


class Relation(NamedTuple):
    """A relationship: `kind` is the last word of the type, equal in both its forms."""

    id: str
    kind: str
    part: str


class _OfficeFile(Package):
    """A kind of office document.

    `default_main` names the main part where the package names none; `main_type` is a pattern of
    the types that this part may have.
    """

    default_main: ClassVar[str]
    main_type: ClassVar[str]

    @classmethod
    def _is_in(cls, archive: Beginnings) -> bool:
        if cls.default_main in archive.names:
            return True
        return re.search(cls.main_type, archive.first(_TYPES).decode("latin-1")) is not None

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
                if is_own and re.fullmatch(self.main_type, each.get("ContentType", "")):
                    return relation.part
        if self.default_main not in archive.names:
            raise archive.damaged("it has no main part")
        return self.default_main


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


def _link(attrib: Mapping[str, str]) -> str:
    # What is called id without a name space is another thing.
    return next((attrib[key] for key in attrib if key.endswith("}id")), "")


# The styles of headings have these names in files of any language, which shows others to people.
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_VALUE = _WORD[0] + "val"
_OFF = {"0", "false", "off"}


class ParagraphStyle(NamedTuple):
    """How text appears, the level in the outline (0 if none), whether each begins a page."""

    appearance: CachedAppearance
    level: int
    begins_page: bool


def _value_of(attrib: Mapping[str, str]) -> str:
    if len(attrib) == 1 and _VALUE in attrib:  # as nearly always
        return attrib[_VALUE]
    return attribute(attrib, "val")


def _level_of(value: str) -> int:
    """The level of a heading, from 1; the file counts from 0, and 9 stands for none."""
    return int(value) + 1 if value in tuple("012345678") else 0


def _is_on(value: str) -> bool:
    """Whether a property that is there is on, as it is unless it says otherwise."""
    return value not in _OFF


class WordStyles:
    """The styles of a Word file, which `load` gives when they are first needed.

    Level and page are those of the few styles that documents name; how text appears depends on all
    that a style inherits, and on the defaults of the document.
    """

    def __init__(self, load: Callable[[], _Styles]) -> None:
        self._load = load
        self.on_white = CachedAppearance(Appearance())
        self.on_any = CachedAppearance(Appearance(ground=None))
        self._paragraphs: dict[tuple[bool, str], ParagraphStyle] = {}

    def of_paragraph(self, on_white: bool, style: str = "") -> ParagraphStyle:  # noqa: FBT001 (often called)
        if known := self._paragraphs.get((on_white, style)):
            return known
        own = self._of(style)
        says = own or self._of(self._styles.default)
        ground = self.on_white if on_white else self.on_any
        # The name of a style alone is the key of a run.
        cached = ground.then(("paragraph", style), lambda around: _appearance(around, says))
        known = ParagraphStyle(cached, own.get("level", 0), bool(own.get("page", False)))
        self._paragraphs[on_white, style] = known
        return known

    def of_run(self, cached: CachedAppearance, style: str) -> CachedAppearance:
        says = self._of(style)
        own = {name: says[name] for name in says if name != "paper"}

        def appearance(around: Appearance) -> Appearance:
            # Of two styles that hide text, one undoes the other (ISO/IEC 29500-1, 17.7.3).
            is_hidden = around.is_hidden != bool(says.get("vanish", False))
            return _appearance(around, own)._replace(is_hidden=is_hidden)

        return cached.then(style, appearance)

    def _of(self, style: str) -> Mapping[str, int]:
        return self._styles.properties.get(style, {})

    @cached_property
    def _styles(self) -> _Styles:
        return self._load()


_DEFAULTS = " "  # no style has this id
_PROPERTIES = (
    *("name", "basedOn", "pPr", "rPr", "outlineLvl", "pageBreakBefore"),
    *("vanish", "color", "sz", "shd", "highlight"),
)
_TAGS = [space + name for space in _WORD for name in _PROPERTIES]
# Colours are numbers: 0xRRGGBB, or one of these.
_AUTOMATIC, _UNKNOWN = -1, -2
_HIGHLIGHTS = {
    name: int(value, 16)
    for name, value in re.findall(
        r"(\w+)=(-?\w+)",
        """
        black=0 blue=FF cyan=FFFF green=FF00 magenta=FF00FF red=FF0000 yellow=FFFF00 white=FFFFFF
        darkBlue=80 darkCyan=8080 darkGreen=8000 darkMagenta=800080 darkRed=800000
        darkYellow=808000 darkGray=808080 lightGray=C0C0C0 none=-1
        """,
    )
}


class _Styles(NamedTuple):
    """The properties of styles by their ids, and the id of that of paragraphs that name none."""

    properties: Mapping[str, Mapping[str, int]]
    default: str


def _styles_in(archive: Archive, parts: Sequence[str]) -> _Styles:
    """The styles of a Word file; those of short parts are remembered.

    Files of one template share styles, which can take longer than their text.
    """
    data = tuple(b"".join(archive.blocks(part)) for part in parts)
    load = _loaded_styles if sum(map(len, data)) <= _MOST_REMEMBERED else _loaded_styles.__wrapped__
    try:
        return load(data)
    except UnreadableError as error:
        raise archive.damaged(f"{parts[0]}: {error.what}") from error


@lru_cache(4)
def _loaded_styles(parts: tuple[bytes, ...]) -> _Styles:
    styles: dict[str, Style[int]] = {_DEFAULTS: Style[int]()}
    default = _DEFAULTS
    for part in parts:
        for each in tree(part, UnreadableError):
            name, attrib = str(each.tag).rpartition("}")[2], cast("Mapping[str, str]", each.attrib)
            kind, id_ = attribute(attrib, "type") or "paragraph", attribute(attrib, "styleId")
            if name == "docDefaults":
                style = styles[_DEFAULTS]
            # What a style of tables or numbers has, may be for some of their places alone.
            elif name == "style" and kind in ("paragraph", "character"):
                if kind == "paragraph" and attribute(attrib, "default") not in ("", *_OFF):
                    default = id_
                style = styles[id_] = Style[int](_DEFAULTS if kind == "paragraph" else "")
            else:
                continue
            _add_properties(style, [*each.iter(*_TAGS)])
    return _Styles(inherited(styles), default)


def _add_properties(style: Style[int], found: Sequence[Element]) -> None:
    ground = "ground"
    for each in found:
        name, attrib = str(each.tag).rpartition("}")[2], cast("Mapping[str, str]", each.attrib)
        value = _value_of(attrib)
        if name in ("pPr", "rPr"):
            ground = "paper" if name == "pPr" else "ground"
        elif name == "basedOn":
            style.parent = value
        elif name == "name":
            if match := _HEADING.fullmatch(value):
                style.says["level"] = int(match[1])
        elif name in ("shd", "highlight"):
            style.says[ground] = ground_of(attrib)
        else:
            key, number = _NUMBERS[name]
            style.says[key] = number(value)


_MOST_REMEMBERED = 1 << 19  # bytes


def _color_of(value: str, otherwise: int = _AUTOMATIC) -> int:
    color = hex_color(value)
    return otherwise if color is None else int.from_bytes(color, "big")


def _half_points_of(value: str) -> int:
    """A size in half-points, rounded up; 24 if it cannot be read."""
    if value.isascii() and value.isdigit() and len(value) < 9:
        return int(value)
    points = points_of(value)
    return 24 if points is None else ceil(2 * points)


def ground_of(attrib: Mapping[str, str]) -> int:
    """The colour of a shading or highlight, as a number.

    >>> ground_of({"val": "clear", "fill": "0000FF"}), ground_of({"val": "none"})
    (255, -1)
    """
    value = _value_of(attrib)
    if value in _HIGHLIGHTS:
        return _HIGHLIGHTS[value]
    if value not in ("", "clear", "nil"):
        return _color_of(attribute(attrib, "color"), _UNKNOWN) if value == "solid" else _UNKNOWN
    has_theme = attribute(attrib, "themeFill") != ""
    return _color_of(attribute(attrib, "fill"), _UNKNOWN if has_theme else _AUTOMATIC)


# The key of a property, and its number by its value.
_NUMBERS: Mapping[str, tuple[str, Callable[[str], int]]] = {
    "outlineLvl": ("level", _level_of),
    "pageBreakBefore": ("page", _is_on),
    "vanish": ("vanish", _is_on),
    "color": ("color", _color_of),
    "sz": ("size", _half_points_of),
}


def _rgb(number: int) -> Color | None:
    return (number >> 16, number >> 8 & 255, number & 255) if number >= 0 else None


def _appearance(around: Appearance, says: Mapping[str, int]) -> Appearance:
    if "vanish" in says:
        around = around._replace(is_hidden=bool(says["vanish"]))
    if "color" in says:
        around = around._replace(color=_rgb(says["color"]))
    if "size" in says:
        around = around._replace(points=says["size"] / 2)
    for key in ("paper", "ground"):
        if says.get(key, _AUTOMATIC) != _AUTOMATIC:
            around = around._replace(ground=_rgb(says[key]))
    return around


def _on(cached: CachedAppearance, kind: str, ground: int) -> CachedAppearance:
    return cached.then((kind, ground), lambda around: _appearance(around, {kind: ground}))


# How a section may begin within a page (ISO/IEC 29500-1, 17.18.77); all others begin one.
_WITHIN = ("continuous", "nextColumn")


class WordStory(PagedStory):
    """Parser target for a part with text; the body `flows`, headers and notes do not.

    The properties of a section are at its end, so paragraphs are held back until it is known how
    their section begins.
    """

    def __init__(self, styles: WordStyles, hidden: HiddenText, *, flows: bool) -> None:
        super().__init__(_WORDS)
        self._hidden = hidden
        self._styles = styles
        self.flows = flows
        self._has_background = self._is_highlighted = False
        # How the paragraphs that are open appear, and for each run that is open what is around it.
        self._paragraphs: list[CachedAppearance] = []
        self.runs: list[CachedAppearance] = []
        self._in_properties = self.in_mark = self._in_section = False
        self._begins_page = self._ends_section = False
        self._section = ""
        self._known: list[Block] = []
        self._held: list[Block] | None = None
        # Whether nothing stands behind the end of the section yet.
        self._at_section = False

    def taken(self) -> list[Block]:
        blocks = super().taken()
        if self._held is not None:
            self._held += blocks
            return []
        known, self._known = self._known, []
        return known + blocks

    def close(self) -> None:
        self._settle(begins_page=True)

    def keeps(self, text: str) -> bool:
        return self._hidden.keeps(text)

    def begin_paragraph(self, _: Mapping[str, str]) -> None:
        self.open.append(OpenParagraph())
        cached = self._style_here("").appearance
        self._paragraphs.append(cached)
        if not self.runs:
            self.appearance = cached

    def _style_here(self, style: str) -> ParagraphStyle:
        """A style, on the page or on the ground of a cell or box, which have one of their own."""
        on_white = not (self._has_background or self.rows or len(self.open) > 1)
        return self._styles.of_paragraph(on_white, style)

    def finish_paragraph(self) -> None:
        paragraphs = self._paragraphs
        paragraphs.pop()
        if not self.runs:
            self.appearance = paragraphs[-1] if paragraphs else SEEN
        PagedStory.finish_paragraph(self)  # faster than by super(), as everywhere here

    def begin_run(self, _: Mapping[str, str]) -> None:
        self._is_highlighted = False
        self.runs.append(self.appearance)
        self.appearance = self._paragraphs[-1] if self._paragraphs else self._styles.on_any

    def finish_run(self) -> None:
        self.appearance = self.runs.pop()

    def set_style(self, attrib: Mapping[str, str]) -> None:
        if self.runs:
            style = _value_of(attrib)
            # Without a call, since most runs have a style.
            cached = self.appearance.derived.get(style)
            self.appearance = cached or self._styles.of_run(self.appearance, style)

    def set_highlight(self, attrib: Mapping[str, str]) -> None:
        """The colour behind the run, before which its shading is not seen."""
        self.set_ground(attrib)
        self._is_highlighted = ground_of(attrib) != _AUTOMATIC

    def set_ground(self, attrib: Mapping[str, str]) -> None:
        """The shading of the run, or of the paragraph in whose properties it stands."""
        ground = ground_of(attrib)
        if self._in_properties:
            if self._paragraphs and not self.in_mark:
                cached = self._paragraphs[-1] = _on(self._paragraphs[-1], "paper", ground)
                if not self.runs:
                    self.appearance = cached
        elif self.runs and not self._is_highlighted:
            self.appearance = _on(self.appearance, "ground", ground)

    def set_background(self, attrib: Mapping[str, str]) -> None:
        self._has_background = hex_color(attribute(attrib, "color")) != WHITE

    def begin_properties(self, _: Mapping[str, str]) -> None:
        self._in_properties, self.in_mark = True, False
        self._begin, self._finish = _PARAGRAPH_PROPERTIES

    def finish_properties(self) -> None:
        self._in_properties = False
        self._begin, self._finish = _WORDS
        if self._begins_page:
            self._begins_page = False
            self.begin_page()

    def begin_style(self, attrib: Mapping[str, str]) -> None:
        if self.open:
            style = self._style_here(_value_of(attrib))
            self._paragraphs[-1] = style.appearance
            if not self.runs:
                self.appearance = style.appearance
            if self.flows:
                self.open[-1].level = style.level
                self._begins_page = style.begins_page

    def begin_level(self, attrib: Mapping[str, str]) -> None:
        if self.open:
            self.open[-1].level = _level_of(_value_of(attrib))

    def begin_page_before(self, attrib: Mapping[str, str]) -> None:
        self._begins_page = _is_on(_value_of(attrib))

    def add_break(self, attrib: Mapping[str, str]) -> None:
        if attribute(attrib, "type") == "page":
            self.end_page()
        else:
            self.add("\n")

    def begin_deletion(self, _: Mapping[str, str]) -> None:
        """Deleted text; among a paragraph's properties, its end is what was deleted."""
        if self._in_properties and self.open:
            self.open[-1].end = ""
        self.leave_out()

    def begin_note(self, attrib: Mapping[str, str]) -> None:
        """A note, or one of the lines that separate notes from the body."""
        if attribute(attrib, "type") not in ("", "normal"):
            self.leave_out()

    def begin_section(self, _: Mapping[str, str]) -> None:
        self._in_section, self._section = True, ""

    def set_section(self, attrib: Mapping[str, str]) -> None:
        if self._in_section:
            self._section = _value_of(attrib)

    def finish_section(self) -> None:
        self._in_section = False
        self._settle(begins_page=self._section not in _WITHIN)
        self._ends_section = self._in_properties and self.in_flow
        self.special_end = self.special_end or self._ends_section

    def finish_specially(self) -> None:
        """The end of a paragraph that may be the last or the first of a section."""
        super().finish_specially()
        self._at_section = False
        if self._ends_section:
            self._ends_section = False
            if not self.is_fresh:  # what follows is held back
                self._known = self.taken()
                self._held = []
                self._at_section = self.special_end = True

    def turn(self) -> None:
        """The page ends; then it does not matter whether the section begins one."""
        if self._at_section:
            self._settle(begins_page=False)
        super().turn()

    def _settle(self, *, begins_page: bool) -> None:
        """Release held paragraphs; an empty section begins no page."""
        if self._held is not None:
            is_there = self.open or not self._at_section
            self._known += ["\f", *self._held] if begins_page and is_there else self._held
            self._held = None
            self._at_section = False


def _run_property(name: str) -> Callable[[WordStory, Mapping[str, str]], None]:
    key, number = _NUMBERS[name]

    def set_property(story: WordStory, attrib: Mapping[str, str]) -> None:
        if story.runs:
            value = _value_of(attrib)
            story.appearance = story.appearance.then(
                (name, value), lambda around: _appearance(around, {key: number(value)})
            )

    return set_property


# Hidden text (w:vanish) is read in its place, if it is not to be left out: Word finds and shows it
# to whoever asks. Styles of tables are not looked at. Soft hyphens (w:softHyphen) and symbols
# (w:sym) are not read: the one is seen only where a line happens to end, the other is a number in
# some font.
_WORD_TABLE = named(
    _WORD,
    {
        "t": (WordStory.begin_text, WordStory.finish_text),
        "r": (WordStory.begin_run, WordStory.finish_run),
        "rStyle": WordStory.set_style,
        "vanish": _run_property("vanish"),
        "color": _run_property("color"),
        "sz": _run_property("sz"),
        "shd": WordStory.set_ground,
        "highlight": WordStory.set_highlight,
        "background": WordStory.set_background,
        "rPrChange": WordStory.leave_out,
        "p": (WordStory.begin_paragraph, WordStory.finish_paragraph),
        "pPr": (WordStory.begin_properties, WordStory.finish_properties),
        "lastRenderedPageBreak": WordStory.begin_soft_page,
        "sectPr": (WordStory.begin_section, WordStory.finish_section),
        "type": WordStory.set_section,
        "tr": (WordStory.begin_row, WordStory.finish_row),
        "tc": WordStory.begin_cell,
        "tab": sign("\t"),
        "ptab": sign("\t"),
        "br": WordStory.add_break,
        "cr": sign("\n"),
        # Where a line may break is layout; the word is the one that has a hyphen.
        "noBreakHyphen": sign("-"),
        "del": WordStory.begin_deletion,
        "moveFrom": WordStory.begin_deletion,
        "footnote": WordStory.begin_note,
        "endnote": WordStory.begin_note,
        "tabs": WordStory.leave_out,  # the places of tabs, not tabs
        "pPrChange": WordStory.leave_out,
        "sectPrChange": WordStory.leave_out,
        "rt": WordStory.leave_out,  # how to say a word, printed small above it
    },
)
_WORDS = Vocabulary.of(_COMMON, _WORD_TABLE)
# The same among the properties of a paragraph, where those of runs do not count.
_OF_RUNS = {space + name for space in _WORD for name in ("rStyle", "vanish", "color", "sz")}
_PARAGRAPH_PROPERTIES = Vocabulary.of(
    _COMMON,
    {name: row for name, row in _WORD_TABLE.items() if name not in _OF_RUNS},
    named(
        _WORD,
        {
            "rPr": (sets("in_mark", value=True), sets("in_mark", value=False)),
            "pStyle": WordStory.begin_style,
            "outlineLvl": WordStory.begin_level,
            "pageBreakBefore": WordStory.begin_page_before,
        },
    ),
)


_FURTHER = ("footnotes", "endnotes", "header", "footer")


@dataclass(frozen=True)
class Docx(_OfficeFile):
    r"""The text of a Word file, a line for each paragraph, in the body and in tables.

    The body comes first, with the text of a box after the paragraph that holds it; then footnotes,
    endnotes, headers and footers, each once, in the order in which the file lists them. Inserted
    text is read; deleted text, comments and field codes are not. Headings are the paragraphs with
    an outline level, mostly by their style. Pages begin at explicit breaks, and where Word began
    them when it saved the file. Hidden text, text of the colour of its ground, and text of one
    point or less is reported; it is read in its place, or left out with `hidden="drop"`.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Docx()(Content("tests/samples/documents/letter.docx")))
    >>> "".join(block for block in blocks if isinstance(block, str)).splitlines()[:2]
    ['Harbour Office', 'Dear Ms Lund,']
    """

    hidden: str = KEEP
    called: ClassVar[str] = "Word file"
    default_main: ClassVar[str] = "word/document.xml"
    main_type: ClassVar[str] = (
        r"application/vnd\.(openxmlformats-officedocument\.wordprocessingml|ms-word)\.[\w.-]*\bmain\+xml"
    )

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        hidden = HiddenText(self.hidden)
        with opened(content, self.called) as archive:
            main = self._main(archive)
            styles = WordStyles(lambda: _styles_in(archive, _parts(archive, main, "styles")))
            for part in dict.fromkeys([main, *_parts(archive, main, *_FURTHER)]):
                yield from parsed(archive, part, WordStory(styles, hidden, flows=part == main))
        yield from hidden.problems(content.name)


# What belongs to a slide: the text of its diagrams (SmartArt), and what its speaker notes.
_BESIDE = ("diagramData", "notesSlide")
_TITLES = {"title", "ctrTitle"}
_NUMBER = {"sldNum"}
_ASIDE = {"sldNum", "dt", "ftr", "hdr"}


@dataclass(frozen=True)
class Pptx(_OfficeFile):
    r"""The text of a PowerPoint file, a line for each paragraph; each slide is a page.

    Slides, including hidden ones, come in the order of the presentation: shapes and tables in the
    order in which the file lists them, diagrams, then the notes. Headings are the titles of slides.
    Slide numbers, masters, comments and charts are left out.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Pptx()(Content("tests/samples/documents/harbour.pptx")))
    >>> blocks[0].title, "".join(block for block in blocks if isinstance(block, str)).count("\f")
    ('The harbour', 2)
    """

    called: ClassVar[str] = "PowerPoint file"
    default_main: ClassVar[str] = "ppt/presentation.xml"
    main_type: ClassVar[str] = (
        r"application/vnd\.(openxmlformats-officedocument\.presentationml|ms-powerpoint)"
        r"\.[\w.-]*\bmain\+xml"
    )

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            main = self._main(archive)
            parts = {each.id: each.part for each in _relations(archive, main)}
            listed = (each for tag, each in elements(archive, main) if tag.endswith("}sldId"))
            slides = dict.fromkeys(map(_link, listed))
            for slide in slides:
                if slide in parts:
                    yield from parsed(archive, parts[slide], _SlideStory(_NUMBER))
                    for part in _parts(archive, parts[slide], *_BESIDE):
                        yield from parsed(archive, part, _SlideStory(_ASIDE))
                    yield "\f"
            if missing := len(slides.keys() - parts.keys()):
                yield _missing(content, missing, "slide")


def _missing(content: Content, number: int, noun: str) -> Problem:
    what = f"{counted(number, noun)} that it lists cannot be found"
    return Problem.at("warning", "partly-read", content.name, what)


class _SlideStory(Story):
    def __init__(self, aside: set[str]) -> None:
        super().__init__(_SLIDE)
        self._aside = aside
        self._depth = 0
        self._shape = 0  # the depth of that which began last

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        self._depth += 1
        Story.start(self, tag, attrib)

    def end(self, tag: str) -> None:
        Story.end(self, tag)
        self._depth -= 1

    def begin_shape(self, _: Mapping[str, str]) -> None:
        self._shape = self._depth

    def finish_shape(self) -> None:
        self._shape = 0
        self.text.end_title()

    def begin_placeholder(self, attrib: Mapping[str, str]) -> None:
        role = attrib.get("type", "")
        if self._shape and role in self._aside:
            self.left_out = max(1, self._depth - self._shape + 1)
        elif self._shape and role in _TITLES:
            self.text.begin_title(1)

    def begin_field(self, attrib: Mapping[str, str]) -> None:
        if attrib.get("type") == "slidenum":
            self.leave_out()


_SLIDE = Vocabulary.of(
    _COMMON,
    named(
        _DRAWING,
        {
            "p": (Story.begin_paragraph, Story.finish_paragraph),
            "t": (Story.begin_text, Story.finish_text),
            "br": sign("\n"),
            "tab": sign("\t"),
            "fld": _SlideStory.begin_field,
            "tabLst": Story.leave_out,  # the places of tabs, not tabs
        },
    ),
    named(
        _PRESENTATION,
        {
            "sp": (_SlideStory.begin_shape, _SlideStory.finish_shape),
            "ph": _SlideStory.begin_placeholder,
        },
    ),
)


# A character that XML cannot hold, or that stood for one by chance (ISO/IEC 29500-1, 22.9.2.19).
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_TRUTH = {"0": "FALSE", "1": "TRUE"}


@dataclass(frozen=True)
class Xlsx(_OfficeFile):
    r"""The text of an Excel workbook: each sheet a page, each row a line, cells separated by tabs.

    Sheets, including hidden ones, come in the order of the workbook; their names are headings.
    Numbers are read as stored, without the format of the cell: a date is a count of days. For a
    formula the stored result is read. Comments, charts and boxes are left out.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Xlsx()(Content("tests/samples/documents/berths.xlsx")))
    >>> blocks[0].title, blocks[1].splitlines()[1]
    ('Berths', 'North quay\t14\tdeep water')
    """

    called: ClassVar[str] = "Excel workbook"
    default_main: ClassVar[str] = "xl/workbook.xml"
    main_type: ClassVar[str] = (
        r"application/vnd\.(openxmlformats-officedocument\.spreadsheetml|ms-excel)"
        r"\.[\w.-]*\bmain(\+xml)?"
    )

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            main = self._main(archive)
            if main.endswith(".bin"):
                raise UnreadableError(
                    "is a binary Excel workbook (XLSB); store it as XLSX", file=content.name
                )
            size = 0
            for block in _sheets(archive, main, content):
                size += len(block) if isinstance(block, str) else 0
                # A string can be in any number of cells.
                content.check_size(size)
                yield block


def _sheets(archive: Archive, main: str, content: Content) -> Iterator[Block | Problem]:
    parts = {each.id: each for each in _relations(archive, main)}
    strings: list[str] = []
    for part in _parts(archive, main, "sharedStrings"):
        strings.extend(parsed(archive, part, _Cells()))
    listed = [attrib for tag, attrib in elements(archive, main) if tag.endswith("}sheet")]
    titles = {_link(each): " ".join(each.get("name", "")[:MAX_TITLE].split()) for each in listed}
    for key, title in titles.items():
        if key in parts and parts[key].kind == "worksheet":  # not a chart or a dialogue
            yield Heading(1, title)
            yield from parsed(archive, parts[key].part, _Cells(strings))
            yield "\f"
    if missing := len(titles.keys() - parts.keys()):
        yield _missing(content, missing, "sheet")


class _Cells(Target):
    """Parser target for the shared strings, or, where these are given, for the rows of a sheet.

    A string, of a cell or of many, is a text or runs of it; it is put in one line.
    """

    def __init__(self, strings: Sequence[str] | None = None) -> None:
        self._strings = strings
        self._texts = ("t",) if strings is None else ("t", "v")
        self._done: list[str] = []
        self._pieces: list[str] = []
        self._cells: list[str] = []
        self._type = ""
        self._in_text = self._in_reading_aid = False

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        name = tag.rpartition("}")[2]
        if name in self._texts:
            self._in_text = not self._in_reading_aid
        elif name == "rPh":  # how to say a word, printed small above it
            self._in_reading_aid = True
        elif name in ("si", "c"):
            self._pieces.clear()
            self._type = attrib.get("t", "n")

    def end(self, tag: str) -> None:
        name = tag.rpartition("}")[2]
        if name in self._texts:
            self._in_text = False
        elif name == "rPh":
            self._in_reading_aid = False
        elif name == "si":
            self._done.append(self._string())
        elif name == "c":
            if text := self._cell():
                self._cells.append(text)
        elif name == "row" and self._cells:
            self._done.append("\t".join(self._cells) + "\n")
            self._cells.clear()

    def data(self, data: str) -> None:
        if self._in_text:
            self._pieces.append(data)

    def taken(self) -> list[str]:
        """The strings since the last call, or the rows as one text."""
        done, self._done = self._done, []
        return done if self._strings is None or not done else ["".join(done)]

    def _string(self) -> str:
        text = "".join(self._pieces)
        if "_x" in text:
            text = _ESCAPED.sub(_unescaped, text)
        return " ".join(text.split())

    def _cell(self) -> str:
        text, strings = self._string(), self._strings or ()
        if self._type == "s":
            is_known = text.isascii() and text.isdigit() and len(text) < 10
            place = int(text) if is_known else len(strings)
            return strings[place] if place < len(strings) else ""
        return _TRUTH.get(text, text) if self._type == "b" else text


def _unescaped(match: re.Match[str]) -> str:
    """The character that an escape stands for; half a character stays as it is."""
    code = int(match[1], 16)
    return match[0] if 0xD800 <= code < 0xE000 else chr(code)
